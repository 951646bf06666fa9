"""Helpers of several tests: comparison with eager, and whether a device is there."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import torch

from rust_inductor import _backends, _native

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest


def compiled(function: Callable[..., Any], **kwargs: Any) -> Callable[..., Any]:
    """The function through our backend; sizes are constants unless said otherwise."""
    kwargs.setdefault("dynamic", False)
    return torch.compile(function, backend="rust_inductor", **kwargs)


def has_device(options: dict[str, Any], lacks: str) -> bool:
    """Whether there is the device of these options; that it ``lacks`` something is said, any other error is raised."""
    try:
        _native.check_options(options)
    except RuntimeError as error:
        if lacks not in str(error):
            raise
        warnings.warn(f"SKIPPED: {error}", stacklevel=2)
        return False
    return True


def clone(value: Any) -> Any:
    """A copy with the same values and strides, in memory of its own."""
    if isinstance(value, torch.Tensor):
        copy = torch.empty_strided(value.shape, value.stride(), dtype=value.dtype)
        copy.copy_(value.detach())
        return copy.requires_grad_(value.requires_grad)
    return value


def same(ours: Any, eager: Any) -> None:
    """Assert equal values, dtypes, sizes and strides, within the tolerance for the dtype."""
    if not isinstance(eager, torch.Tensor):
        if isinstance(eager, list | tuple):
            assert len(ours) == len(eager)
            for a, b in zip(ours, eager, strict=True):
                same(a, b)
        else:
            assert ours == eager
        return
    torch.testing.assert_close(ours, eager, equal_nan=True, check_stride=True)


def check(function: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
    """Assert that the function does compiled what it does eagerly, to its arguments too."""
    theirs = [clone(a) for a in args]
    ours = [clone(a) for a in args]
    eager = function(*theirs)
    same(compiled(function, **kwargs)(*ours), eager)
    same(ours, theirs)


def left_to_aot(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The reasons why graphs are left to AOTAutograd from now on."""
    reasons: list[str] = []
    in_rust = _backends._in_rust

    def noting(*args: Any) -> Any:
        try:
            return in_rust(*args)
        except _backends._LeftError as error:
            reasons.append(str(error))
            raise

    monkeypatch.setattr(_backends, "_in_rust", noting)
    return reasons
