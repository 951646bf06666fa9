"""A compiler for PyTorch programs, written in Rust.

``torch.compile(model, backend="rust_inductor")`` finds :func:`backend` by its entry point. Importing this package does
not import torch; the first graph does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping, Sequence
    from typing import TypeGuard

    import torch

    from rust_inductor._artifacts import Artifact
    from rust_inductor._explain import Explanation

__all__ = [
    "backend",
    "compile",
    "disable",
    "explain",
    "graph_break",
    "load_artifact",
    "load_cache_artifacts",
    "read_artifact",
    "reset",
    "save_artifact",
    "save_cache_artifacts",
]


def backend(
    gm: torch.fx.GraphModule,
    example_inputs: Sequence[Any],
    *,
    options: Mapping[str, Any] | None = None,
    mode: str | None = None,
) -> Callable[..., Any]:
    """Compile a graph that torch's Dynamo captured.

    The book lists the options and says what each ``mode`` means; an unknown one is an error with a list.
    """
    from rust_inductor import _recapture

    return _recapture.recapture(gm, example_inputs, options=options, mode=mode)


def compile(
    model: Callable[..., Any] | None = None,
    *,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    backend: str | Callable[..., Any] | None = "rust_inductor",
    mode: str | None = None,
    options: dict[str, Any] | None = None,
    name: str | None = None,
    disable: bool = False,
    recompile_limit: int | None = None,
    isolate_recompiles: bool = False,
    dynamic_shapes: Any = None,
) -> Any:
    """Compile a function or module, with the arguments of ``torch.compile``.

    Without a model it is a decorator: ``@rust_inductor.compile(dynamic=True)``. Functions and modules are captured by
    this package's own Dynamo. What was compiled for one function is used for others of the same code that are compiled
    in the same way, such as the layers of a model, unless ``isolate_recompiles`` is set. The backend is this package's,
    another of torch's (``"eager"``, ``"inductor"``), or ``my_compiler(gm, example_inputs)``. Of a module comes a
    module, with the original as ``_orig_mod``.

    ``dynamic_shapes`` says which sizes may change, as ``torch.export`` has it (``{"x": {0: Dim("batch")}}``: what the
    function needs beyond that is an error that says how to declare it) or as ``torch.compile`` has it (a
    ``ShapesSpec``, whose sizes decide nothing). All other sizes are constant then.
    """
    if model is None:
        import functools

        return functools.partial(
            compile,
            fullgraph=fullgraph,
            dynamic=dynamic,
            backend=backend,
            mode=mode,
            options=options,
            name=name,
            disable=disable,
            recompile_limit=recompile_limit,
            isolate_recompiles=isolate_recompiles,
            dynamic_shapes=dynamic_shapes,
        )
    if disable or _is_disabled():
        return model
    if mode is not None and options is not None:
        message = "either mode or options can be given, not both"
        raise RuntimeError(message)
    backend = "rust_inductor" if backend is None else backend
    from rust_inductor import _capture

    settings: dict[str, Any] = {
        "backend": backend,
        "dynamic": dynamic,
        "fullgraph": fullgraph,
        "mode": mode,
        "options": options,
        "recompile_limit": recompile_limit,
        "dynamic_shapes": dynamic_shapes,
        "isolate_recompiles": isolate_recompiles,
    }
    if _is_module(model):
        from rust_inductor import _module

        compiled: Any = _module.optimized(model, _capture.optimize, **settings)
    else:
        compiled = _capture.optimize(model, **settings)
    compiled.region_name = name
    return compiled


def _is_disabled() -> bool:
    """Whether the program, or its environment, asks torch to compile nothing."""
    import os
    import sys

    config = sys.modules.get("torch._dynamo.config")
    switch: bool | None = getattr(config, "disable", None)
    return os.environ.get("TORCH_COMPILE_DISABLE") == "1" if switch is None else switch


def _is_module(model: Callable[..., Any]) -> TypeGuard[torch.nn.Module]:
    """Whether it is an ``nn.Module``, which nothing is before torch is imported."""
    import sys

    torch = sys.modules.get("torch")
    return torch is not None and isinstance(model, torch.nn.Module)


def reset() -> None:
    """Forget everything that our own Dynamo has compiled, and what it noted of sizes that change."""
    import sys

    from rust_inductor import _native

    _native.reset()
    # Nothing was recorded before the module is there, which needs torch.
    if graphs := sys.modules.get("rust_inductor._cuda_graphs"):
        graphs.forget()


def disable(function: Callable[..., Any] | None = None, *, reason: str | None = None) -> Any:
    """Let a function and all that it calls run as it is; where compiled code calls it, the graph ends.

    A decorator, with or without arguments.
    """
    import functools

    if function is None:
        return functools.partial(disable, reason=reason)

    from rust_inductor import _native

    @functools.wraps(function)
    def as_it_is(*args: Any, **kwargs: Any) -> Any:
        return _native.call_as_it_is(function, *args, **kwargs)

    as_it_is._torchdynamo_disable = True  # type: ignore[attr-defined]
    as_it_is._torchdynamo_disable_msg = reason  # type: ignore[attr-defined]
    return as_it_is


def graph_break(msg: str = "") -> None:
    """End the graph here, where the caller is compiled; nothing otherwise."""


def explain(function: Callable[..., Any], **kwargs: Any) -> Callable[..., Explanation]:
    """Tell what becomes of a function: ``print(explain(f)(x))``.

    Keywords are those of :func:`compile`. The function is compiled afresh and called with the arguments; a second call
    of what is returned tells what was compiled again, and why.
    """
    from rust_inductor import _explain

    return _explain.explain(function, **kwargs)


def save_artifact(path: str | os.PathLike[str]) -> Artifact:
    """Write all code that this process has compiled, or found in the cache, to one file, for other machines.

    What it fits is in its entries' labels: this version of this package, and processors and devices like this
    machine's. An error if the cache is off, for then nothing is kept.
    """
    from rust_inductor import _artifacts

    return _artifacts.save(path)


def load_artifact(path: str | os.PathLike[str], *, digest: str | None = None) -> Artifact:
    """Let this process find the code of a file that :func:`save_artifact` wrote, before it looks into its cache.

    The code is run. So load files that you trust, or whose ``digest`` you know: another one is an error, as is a
    damaged file. A file of another version, or without code for this machine, is told of in a warning.
    """
    from pathlib import Path

    from rust_inductor import _artifacts

    return _artifacts.load(Path(path).read_bytes(), digest)


def read_artifact(path: str | os.PathLike[str]) -> Artifact:
    """Tell what is in a file that :func:`save_artifact` wrote: ``print(read_artifact(path))``. Nothing is loaded."""
    from rust_inductor import _artifacts

    return _artifacts.read(path)


def save_cache_artifacts() -> tuple[bytes, Artifact]:
    """Give what :func:`save_artifact` would write, as ``torch.compiler.save_cache_artifacts`` does."""
    from rust_inductor import _artifacts

    return _artifacts.save_bytes()


def load_cache_artifacts(artifacts: bytes) -> Artifact:
    """Load the bytes of :func:`save_cache_artifacts`, as :func:`load_artifact` loads a file."""
    from rust_inductor import _artifacts

    return _artifacts.load(artifacts)


#: Submodules that are imported when they are first named; graphs that compute arrays name functions of `_numpy`.
_LOADED_WHEN_USED = ("fx", "_numpy")


def __getattr__(name: str) -> Any:
    if name not in _LOADED_WHEN_USED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return importlib.import_module(f"rust_inductor.{name}")
