"""Functions captured by our own Dynamo, with any backend behind it."""

from __future__ import annotations

import builtins
import functools
import sys
import types
from typing import TYPE_CHECKING, Any

from rust_inductor import _native
from rust_inductor._backends import resolve

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rust_inductor._backends import OnGraph

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
    dynamic_shapes: Any = None,
    isolate_recompiles: bool = False,
) -> Any:
    """Capture the function when it is called.

    ``listener`` is told of each capture: a dict of ``graph``, ``guards``, ``code``, ``break_reason``, ``line``,
    ``stack``, ``compiled``, ``recompile_reasons`` and more, or of ``skipped``, the reason why a function runs as it is,
    and ``code``. ``on_graph`` is told of each ATen graph that our own backend compiles. ``dynamic_shapes`` is as
    :func:`rust_inductor.compile` has it. Functions of the same code that are compiled in the same way share their
    entries, unless ``isolate_recompiles`` says otherwise.
    """
    if not callable(function):
        message = f"only what can be called can be compiled, not {type(function).__name__}"
        raise TypeError(message)
    # Of what torch's compiler, or we, have wrapped, it is the function within that is compiled, as torch does it.
    while (inner := getattr(function, "_torchdynamo_orig_callable", None)) is not None:
        function = inner
    import torch  # noqa: F401  # what the log is made of

    from rust_inductor import _logs

    if hasattr(function, "_dynamic_spec"):
        from torch.fx.experimental.dynamic_spec import _resolve_dynamic_shapes

        dynamic_shapes = _resolve_dynamic_shapes(function, dynamic_shapes)
    declared = None
    if dynamic_shapes is not None:
        from rust_inductor import _dynamic_shapes

        declared = _dynamic_shapes.declared(function, dynamic_shapes)
    told = (listener, on_graph)
    alone = isolate_recompiles or declared is not None
    group = None if alone else _group(backend, mode, options, (dynamic, fullgraph, *told))
    guard_filter, options = _guard_filter(options)
    dynamo = _native.Dynamo(
        resolve(backend, options, mode=mode, dynamic=dynamic, on_graph=on_graph),
        listener=listener,
        logs=_logs,
        dynamic=dynamic,
        limit=_limit() if recompile_limit is None else recompile_limit,
        fullgraph=fullgraph,
        declared=declared,
        guard_filter=guard_filter,
        caches=bool((options or {}).get("cache", True)),
        group=group,
    )
    traced = function if declared is not None else _traced(function)
    return functools.update_wrapper(dynamo.wrap(traced), function)


def _traced(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose frame is captured: of one that has no such frame, a call."""
    called = function
    while isinstance(called, functools.partial):
        called = called.func
    if isinstance(called, _WITHOUT_FRAMES) or type(called).__module__ == "torch._ops":
        # A method of a value is not kept: the value would be.
        owner = getattr(called, "__self__", None)
        is_kept = called is function and (owner is None or isinstance(owner, types.ModuleType | type))
        return _kept_call(function) if is_kept else _call(function)
    is_function = isinstance(called, types.FunctionType)
    if is_function and _native.is_library(called.__code__) and not hasattr(called, "_torchdynamo_disable"):
        return _call(function)
    return function


#: Functions that are not written in Python.
_WITHOUT_FRAMES = (types.BuiltinFunctionType, types.MethodDescriptorType, types.WrapperDescriptorType)


def _call(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of the program's own that only calls another, with code of its own for each."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    name = getattr(function, "__name__", type(function).__name__)
    code = call.__code__.replace(co_filename=f"<call of {name}>", co_name=name, co_qualname=name)
    return types.FunctionType(code, {"__builtins__": vars(builtins)}, name, closure=call.__closure__)


#: The entries of functions that stay are found again.
_kept_call = functools.cache(_call)


def _group(
    backend: Any, mode: str | None, options: Mapping[str, Any] | None, others: tuple[Any, ...]
) -> tuple[Any, ...] | None:
    """The key of functions that share their entries; ``None`` with frozen weights, which are those of one function."""
    own = dict(options or {})
    return None if own.get("freezing") else (backend, mode, own, *others)


def _guard_filter(options: Mapping[str, Any] | None) -> tuple[Callable[..., list[bool]] | None, dict[str, Any] | None]:
    """The filter of guards among the options, which is the tracer's, and those of the backend."""
    others = dict(options or {})
    guard_filter_fn = others.pop("guard_filter_fn", None)
    if guard_filter_fn is None:
        return None, others or None
    from rust_inductor import _guard_filter

    return _guard_filter.wrapped(guard_filter_fn), others or None


def _limit() -> int:
    """The limit that torch's configuration has; it is not imported for this, which takes seconds."""
    config = sys.modules.get("torch._dynamo.config")
    return getattr(config, "recompile_limit", _RECOMPILE_LIMIT)
