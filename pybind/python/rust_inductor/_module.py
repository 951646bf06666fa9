"""Compiled modules: modules themselves, of the same parameters, buffers, submodules and attributes as the original."""

from __future__ import annotations

import functools
import inspect
import sys
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from collections.abc import Callable


class OptimizedModule(torch.nn.Module):
    """A module whose calls are compiled.

    As with ``torch.compile``, the original is the submodule ``_orig_mod``, so names of parameters begin with that; all
    other attributes are read from the original and written to it. Hooks that are registered here run around the
    compiled call. A copy, or what a pickle gives, compiles anew.
    """

    #: The attributes that are this object's own: all others are the original's.
    _OWN = frozenset({"_orig_mod", "_optimize", "_compiled", "region_name"})

    _orig_mod: torch.nn.Module
    _optimize: Callable[[Callable[..., Any]], Callable[..., Any]]
    _compiled: Callable[..., Any]

    def __init__(self, module: torch.nn.Module, optimize: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
        """Have ``optimize`` compile the module's calls."""
        super().__init__()
        self._orig_mod = module
        self._optimize = optimize
        self._compiled = optimize(module)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Call the module, compiled."""
        return self._compiled(*args, **kwargs)

    if not TYPE_CHECKING:

        @property
        def __class__(self) -> type[torch.nn.Module]:
            """Of those who ask whether a module is compiled, most ask by torch's class."""
            evaluator = sys.modules.get("torch._dynamo.eval_frame")
            return getattr(evaluator, "OptimizedModule", type(self))

    @property
    def _torchdynamo_orig_callable(self) -> torch.nn.Module:
        return self._orig_mod

    @property
    def dynamo_ctx(self) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """The function that compiles others as the module is compiled, by the name that it has in torch's own class."""
        return self._optimize

    @property
    def __signature__(self) -> inspect.Signature:
        """The original's own."""
        return inspect.signature(self._orig_mod.forward)

    @property
    def training(self) -> bool:
        """Whether the original trains."""
        return self._orig_mod.training

    @training.setter
    def training(self, mode: bool) -> None:
        # `Module.__init__` sets it before there is an original.
        if "_orig_mod" in self.__dict__.get("_modules", ()):
            self._orig_mod.training = mode

    def __getattr__(self, name: str) -> Any:
        """Read what only the original has."""
        modules = self.__dict__.get("_modules")
        if not modules or "_orig_mod" not in modules:
            raise AttributeError(name)
        original = modules["_orig_mod"]
        return original if name == "_orig_mod" else getattr(original, name)

    def __setattr__(self, name: str, value: Any) -> None:
        """Write to the original, but for what is this object's own."""
        if name in self._OWN or hasattr(type(self), name) or "_orig_mod" not in self.__dict__.get("_modules", ()):
            super().__setattr__(name, value)
        else:
            setattr(self._orig_mod, name, value)

    def __delattr__(self, name: str) -> None:
        """Delete from the original, but for what is this object's own."""
        if name in self._OWN:
            super().__delattr__(name)
        else:
            delattr(self._orig_mod, name)

    def __dir__(self) -> list[str]:
        """The attributes of this object and of the original."""
        return sorted({*object.__dir__(self), *dir(self._orig_mod)})

    def __len__(self) -> int:
        """The length of the original, if it is a container."""
        return len(self._orig_mod)  # type: ignore[arg-type]

    def __bool__(self) -> bool:
        """True, also of an empty container: the length is the original's business."""
        return True

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        """Name the class that it is of, not the one that it answers with."""
        return _blank, (), self.__getstate__()

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what was compiled."""
        state = dict(self.__dict__)
        del state["_compiled"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Compile anew."""
        self.__dict__.update(state)
        self.__dict__["_compiled"] = self._optimize(self._orig_mod)


def _blank() -> OptimizedModule:
    return OptimizedModule.__new__(OptimizedModule)


def optimized(module: torch.nn.Module, optimize: Callable[..., Callable[..., Any]], **options: Any) -> OptimizedModule:
    """A module whose calls ``optimize(module, **options)`` compiles."""
    return OptimizedModule(module, functools.partial(optimize, **options))
