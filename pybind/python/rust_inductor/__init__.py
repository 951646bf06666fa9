"""A compiler for PyTorch programs, written in Rust.

``torch.compile(model, backend="rust_inductor")`` finds :func:`backend` by its entry point. Importing this package does
not import torch; the first graph does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import torch

    from rust_inductor._explain import Explanation

__all__ = ["backend", "compile", "explain"]


def backend(
    gm: torch.fx.GraphModule,
    example_inputs: Sequence[Any],
    *,
    options: Mapping[str, Any] | None = None,
    mode: str | None = None,
) -> Callable[..., Any]:
    """Compile a graph that torch's Dynamo captured.

    The options are ``fallback`` (``"allow"``, or ``"error"`` if an operator without a rule is to be an error) and
    ``threads`` (torch's own number if it is not given). Every ``mode`` of ``torch.compile`` means the same here.
    """
    from rust_inductor import _backend

    return _backend.compile_module(gm, example_inputs, options=options, mode=mode)


def compile(
    model: Callable[..., Any] | None = None,
    *,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    mode: str | None = None,
    options: dict[str, Any] | None = None,
    disable: bool = False,
) -> Any:
    """Compile a function or module, as ``torch.compile`` does, with this package's backend.

    Without a model it is a decorator: ``@rust_inductor.compile(dynamic=True)``.
    """
    import torch

    through: Any = torch.compile
    return through(
        model,
        fullgraph=fullgraph,
        dynamic=dynamic,
        backend="rust_inductor",
        mode=mode,
        options=options,
        disable=disable,
    )


def explain(function: Callable[..., Any], **kwargs: Any) -> Callable[..., Explanation]:
    """Tell what becomes of each operator of a function: ``print(explain(f)(x))``.

    Keywords are those of :func:`compile`. The function is compiled afresh and called once with the arguments.
    """
    from rust_inductor import _explain

    return _explain.explain(function, **kwargs)


def __getattr__(name: str) -> Any:
    if name != "fx":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return importlib.import_module("rust_inductor.fx")
