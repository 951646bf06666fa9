"""Functions captured by our own Dynamo, with any backend behind it."""

from __future__ import annotations

import functools
import linecache
import sys
import weakref
from typing import TYPE_CHECKING, Any

from rust_inductor import _modes, _native

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import torch

    from rust_inductor.fx import Graph

    Compiled = Callable[..., Any]
    Backend = Callable[[Graph, Sequence[Any], Graph | None], Compiled]
    OnGraph = Callable[[str, _native.CompiledFn], None]

#: torch's own limit, where nobody has set it to another value.
_RECOMPILE_LIMIT = 8


def optimize(
    function: Callable[..., Any],
    backend: str | Callable[..., Any] = "rust_inductor",
    *,
    dynamic: bool | None = None,
    fullgraph: bool = False,
    mode: str | None = None,
    options: Mapping[str, Any] | None = None,
    recompile_limit: int | None = None,
    listener: Callable[[dict[str, Any]], None] | None = None,
    on_graph: OnGraph | None = None,
) -> Any:
    """Capture the function when it is called.

    ``listener`` is told of each capture: a dict of ``graph``, ``guards``, ``code``, ``break_reason``, ``line``,
    ``stack``, ``compiled``, ``recompile_reasons`` and more, or of ``skipped``, the reason why a function runs as it is,
    and ``code``. ``on_graph`` is told of each ATen graph that our own backend compiles.
    """
    if not callable(function):
        message = f"only what can be called can be compiled, not {type(function).__name__}"
        raise TypeError(message)
    import torch  # noqa: F401  # what the log is made of

    from rust_inductor import _logs

    if dynamic is None and backend not in ("eager", "rust_inductor"):
        # Such backends may specialise on the example's sizes without saying so.
        dynamic = False
    dynamo = _native.Dynamo(
        resolve(backend, options, mode=mode, dynamic=dynamic, on_graph=on_graph),
        listener=listener,
        logs=_logs,
        dynamic=dynamic,
        limit=_limit() if recompile_limit is None else recompile_limit,
        fullgraph=fullgraph,
    )
    return functools.update_wrapper(dynamo.wrap(function), function)


def resolve(
    backend: str | Callable[..., Any],
    options: Mapping[str, Any] | None = None,
    *,
    mode: str | None = None,
    dynamic: bool | None = None,
    on_graph: OnGraph | None = None,
) -> Backend:
    """The compiler of a name, or that the user gives: ``my_compiler(gm, example_inputs)``."""
    if backend == "rust_inductor":
        _native.check_options(options)
        _modes.check(mode)
        return lambda graph, inputs, lowered: _compile(graph, inputs, lowered, options, mode, on_graph)
    if backend == "eager":
        return lambda graph, _inputs, _lowered: _runnable(_module(graph).forward)
    if backend == "inductor":
        import torch

        inductor = torch._TorchCompileInductorWrapper(mode, dict(options or {}), dynamic)
        return lambda graph, inputs, _lowered: _runnable(inductor(_module(graph), inputs))
    found: Any = backend
    if isinstance(backend, str):
        from torch._dynamo.backends.registry import lookup_backend

        found = lookup_backend(backend)
    # Only what is given is handed on: most compilers take two arguments.
    extra: dict[str, Any] = {"options": options} if options else {}
    if mode not in (None, "default"):
        extra["mode"] = mode
    return lambda graph, inputs, _lowered: _runnable(found(_module(graph), inputs, **extra))


def _limit() -> int:
    """The limit that torch's configuration has; it is not imported for this, which takes seconds."""
    config = sys.modules.get("torch._dynamo.config")
    return getattr(config, "recompile_limit", _RECOMPILE_LIMIT)


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
    mode: str | None,
    on_graph: OnGraph | None,
) -> Compiled:
    """Compile a graph in Rust alone where nothing is differentiated, else by way of AOTAutograd."""
    import torch

    differentiated = torch.is_grad_enabled() and any(getattr(x, "requires_grad", False) for x in inputs)
    if lowered is not None and not differentiated:
        compiled = _native.compile_lowered(lowered, graph, options)
        if compiled is not None:
            if on_graph is not None:
                on_graph("inference", compiled)
            return compiled
    from rust_inductor import _backend

    return _backend.compile_module(_module(graph), inputs, options=options, mode=mode, on_graph=on_graph)
