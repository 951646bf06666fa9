"""The values of ``mode`` that ``torch.compile`` documents; all mean the same to our own backend."""

from __future__ import annotations

_MODES = frozenset({"default", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs"})


def check(mode: str | None) -> None:
    """Refuse a mode that does not exist."""
    if mode is not None and mode not in _MODES:
        message = f"rust_inductor has no mode {mode!r}; the modes are {', '.join(sorted(_MODES))}"
        raise ValueError(message)
