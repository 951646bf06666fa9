"""The backend that ``torch.compile`` finds by its entry point, and the option ``dynamo``: whose tracer captures.

``torch.compile`` asks a backend for nothing before torch's Dynamo has traced. So importing this module, which the entry
point does before, puts a function in front of ``torch._dynamo.optimize``: for our backend it hands what is to be
compiled to :func:`rust_inductor.compile`, unless ``options={"dynamo": "torch"}`` asks for torch's tracer; all else goes
on to torch as it was.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import torch._dynamo
from torch._dynamo import eval_frame

import rust_inductor

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_TRACERS = ("rust", "torch")
"""The Dynamo that captures: ours, the default, or torch's."""


def backend(
    gm: torch.fx.GraphModule,
    example_inputs: Sequence[Any],
    *,
    options: Mapping[str, Any] | None = None,
    mode: str | None = None,
) -> Callable[..., Any]:
    """Compile a graph that torch's Dynamo captured."""
    _tracer(options)
    return rust_inductor.backend(gm, example_inputs, options=_without_tracer(options), mode=mode)


# `torch._dynamo.reset` resets the backends that it knows.
backend.reset = rust_inductor.reset  # type: ignore[attr-defined]


def _tracer(options: Mapping[str, Any] | None) -> str:
    """The tracer that the options name; one that does not exist is refused."""
    tracer = (options or {}).get("dynamo", _TRACERS[0])
    if tracer not in _TRACERS:
        message = f"option `dynamo` takes one of {', '.join(map(repr, _TRACERS))}, not {tracer!r}"
        raise ValueError(message)
    return str(tracer)


def _without_tracer(options: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The options that the compiler itself takes."""
    return {name: value for name, value in (options or {}).items() if name != "dynamo"} or None


def _with_filter(options: Mapping[str, Any] | None, guard_filter_fn: Any) -> dict[str, Any] | None:
    """The options of our own Dynamo, with the one that ``torch.compile`` has taken out."""
    ours = _without_tracer(options)
    return ours if guard_filter_fn is None else {**(ours or {}), "guard_filter_fn": guard_filter_fn}


def _in_front_of(optimize: Callable[..., Any]) -> Callable[..., Any]:
    """``torch._dynamo.optimize``, where our own Dynamo captures if that is asked for."""

    @functools.wraps(optimize)
    def choosing(*args: Any, **kwargs: Any) -> Any:
        wrapper: Any = args[0] if args else kwargs.get("backend")
        is_ours = getattr(wrapper, "compiler_fn", None) is backend
        given: dict[str, Any] = wrapper.kwargs if is_ours else {}
        if not is_ours or _tracer(given.get("options")) == "torch":
            return optimize(*args, **kwargs)
        eval_frame.cached_backends.setdefault(id(wrapper), wrapper)
        return functools.partial(
            rust_inductor.compile,
            backend="rust_inductor",
            fullgraph=kwargs.get("nopython", False),
            dynamic=kwargs.get("dynamic"),
            mode=given.get("mode"),
            options=_with_filter(given.get("options"), kwargs.get("guard_filter_fn")),
            name=given.get("name"),
            disable=kwargs.get("disable", False),
            recompile_limit=kwargs.get("recompile_limit"),
            isolate_recompiles=kwargs.get("isolate_recompiles", False),
            dynamic_shapes=kwargs.get("dynamic_shapes"),
        )

    return choosing


torch._dynamo.optimize = _in_front_of(torch._dynamo.optimize)
