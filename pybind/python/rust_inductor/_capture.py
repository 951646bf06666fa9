"""Functions captured by our own Dynamo, with any backend behind it."""

from __future__ import annotations

import linecache
import weakref
from typing import TYPE_CHECKING, Any

from rust_inductor import _native

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import torch

    from rust_inductor.fx import Graph

    Compiled = Callable[..., Any]
    Backend = Callable[[Graph, Sequence[Any], Graph | None], Compiled]


def optimize(
    function: Callable[..., Any],
    backend: str | Callable[..., Any] = "rust_inductor",
    *,
    dynamic: bool | None = None,
    fullgraph: bool = False,
    recompile_limit: int = 8,
    options: Mapping[str, Any] | None = None,
    listener: Callable[[dict[str, Any]], None] | None = None,
) -> Any:
    """Capture the function when it is called.

    ``listener`` is told of each capture: a dict of ``graph``, ``guards``, ``code``, ``break_reason``, ``line``,
    ``stack`` and ``compiled``, or of ``skipped``, the reason why a function runs as it is, and ``code``.
    """
    if dynamic is None and backend not in ("eager", "rust_inductor"):
        # Such backends may specialise on the example's sizes without saying so.
        dynamic = False
    through = resolve(backend, options)
    dynamo = _native.Dynamo(through, listener=listener, dynamic=dynamic, limit=recompile_limit, fullgraph=fullgraph)
    return dynamo.wrap(function)


def resolve(backend: str | Callable[..., Any], options: Mapping[str, Any] | None = None) -> Backend:
    """The compiler of a name, or that the user gives: ``my_compiler(gm, example_inputs)``."""
    if backend == "rust_inductor":
        _native.check_options(options)
        return lambda graph, inputs, lowered: _compile(graph, inputs, lowered, options)
    if backend == "eager":
        return lambda graph, _inputs, _lowered: _runnable(_module(graph).forward)
    found: Any = backend
    if isinstance(backend, str):
        from torch._dynamo.backends.registry import lookup_backend

        found = lookup_backend(backend)
    return lambda graph, inputs, _lowered: _runnable(found(_module(graph), inputs))


def _module(graph: Graph) -> torch.fx.GraphModule:
    """Give the graph as a module, whose Python code is written when somebody asks for it."""
    import torch

    return graph.to_torch(torch.nn.Module(), lazy=True)


def _runnable(compiled: Compiled) -> Compiled:
    """Put the code of a module in the place of what would write it, where a backend has given such a module back."""
    from torch.fx._lazy_graph_module import _LazyGraphModule

    owner = getattr(compiled, "__self__", compiled)
    if isinstance(owner, _LazyGraphModule):
        was_forward = getattr(compiled, "__name__", "") in ("_lazy_forward", "forward")
        _LazyGraphModule.force_recompile(owner)
        weakref.finalize(owner, _forget_source, owner.forward.__code__.co_filename).atexit = False
        return owner.forward if was_forward else compiled
    return compiled


def _forget_source(key: str) -> None:
    """Let go of a module's Python code, which torch keeps for tracebacks without end."""
    from torch.fx.graph_module import _loader

    _loader.eval_cache.pop(key, None)
    linecache.cache.pop(key, None)


def _compile(
    graph: Graph,
    inputs: Sequence[Any],
    lowered: Graph | None,
    options: Mapping[str, Any] | None,
) -> Compiled:
    """Compile a graph in Rust alone where nothing is differentiated, else by way of AOTAutograd."""
    import torch

    differentiated = torch.is_grad_enabled() and any(getattr(x, "requires_grad", False) for x in inputs)
    if lowered is not None and not differentiated:
        compiled = _native.compile_lowered(lowered, graph, options)
        if compiled is not None:
            return compiled
    from rust_inductor import _backend

    return _backend.compile_module(_module(graph), inputs, options=options)
