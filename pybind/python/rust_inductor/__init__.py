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

__all__ = ["backend", "compile", "explain", "reset"]


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
    backend: str | Callable[..., Any] | None = None,
    mode: str | None = None,
    options: dict[str, Any] | None = None,
    disable: bool = False,
    recompile_limit: int = 8,
) -> Any:
    """Compile a function or module, as ``torch.compile`` does.

    Without a model it is a decorator: ``@rust_inductor.compile(dynamic=True)``. With a backend (``"eager"``,
    ``"rust_inductor"``, another of torch's, or ``my_compiler(gm, example_inputs)``) the capture is done by this
    package's own Dynamo; without one torch's captures, which knows modules and classes better so far.
    """
    if backend is not None and not disable:
        from rust_inductor import _capture

        def through_ours(function: Callable[..., Any]) -> Any:
            return _capture.optimize(
                function,
                backend,
                dynamic=dynamic,
                fullgraph=fullgraph,
                recompile_limit=recompile_limit,
                options=options,
            )

        return through_ours if model is None else through_ours(model)
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


def reset() -> None:
    """Forget everything that our own Dynamo has compiled."""
    from rust_inductor import _native

    _native.reset()


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
