"""The values of ``mode`` that ``torch.compile`` documents, as options of our own backend."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

_MODES: dict[str, dict[str, Any]] = {
    "default": {},
    "reduce-overhead": {"cudagraphs": True},
    "max-autotune": {"max_autotune": True, "cudagraphs": True},
    "max-autotune-no-cudagraphs": {"max_autotune": True},
}


def options(mode: str | None, given: Mapping[str, Any] | None) -> dict[str, Any]:
    """The options that a mode stands for, and those that are given beside it; refuse a mode that does not exist."""
    if mode is not None and mode not in _MODES:
        message = f"rust_inductor has no mode {mode!r}; the modes are {', '.join(sorted(_MODES))}"
        raise ValueError(message)
    return {**_MODES[mode or "default"], **(given or {})}
