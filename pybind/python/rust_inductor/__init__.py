"""A compiler for PyTorch programs, written in Rust.

``torch.compile(model, backend="rust_inductor")`` finds :func:`backend` by its entry point. Importing this package does
not import torch; the first graph does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import torch

    from rust_inductor._explain import Explanation

__all__ = ["backend", "compile", "explain"]

_Model = TypeVar("_Model")


def backend(
    gm: torch.fx.GraphModule,
    example_inputs: Sequence[Any],
    *,
    options: Mapping[str, Any] | None = None,
    mode: str | None = None,
) -> Callable[..., Any]:
    """Compile a graph that torch's Dynamo captured.

    The options are ``fallback`` (``"allow"``, or ``"error"`` if an operator without a rule is to be an error) and
    ``threads`` (torch's own number if it is not given). Every ``mode`` of ``torch.compile`` is taken and means the same.
    """
    from rust_inductor import _backend  # noqa: PLC0415

    return _backend.compile_module(gm, example_inputs, options=options, mode=mode)


def compile(  # noqa: A001
    model: _Model | None = None,
    *,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    mode: str | None = None,
    options: dict[str, Any] | None = None,
    disable: bool = False,
) -> _Model:
    """Compile a function or module, as ``torch.compile`` does, with this package's backend."""
    import torch  # noqa: PLC0415

    compiled: _Model = torch.compile(  # type: ignore[call-overload]
        model,
        fullgraph=fullgraph,
        dynamic=dynamic,
        backend=backend,
        mode=mode,
        options=options,
        disable=disable,
    )
    return compiled


def explain(function: Callable[..., Any], **kwargs: Any) -> Callable[..., Explanation]:
    """Tell what becomes of each operator of a function: ``print(explain(f)(x))``.

    Keywords are those of :func:`compile`. The function is compiled afresh and called once with the arguments.
    """
    from rust_inductor import _explain  # noqa: PLC0415

    return _explain.explain(function, **kwargs)


def __getattr__(name: str) -> Any:
    if name != "fx":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return importlib.import_module("rust_inductor.fx")
