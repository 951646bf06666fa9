"""Random tensors, and how far results may lie apart.

What a compiler may round otherwise than eager must not decide anything: so inputs hold small integers, of whatever
dtype, and a value counts as *exact* while all its elements are integers so small that every order of adding them gives
the same. Only exact values are compared with each other, rounded, or made indices.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

FLOATS = (torch.float32, torch.float64, torch.bfloat16, torch.float16)
INTS = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)
DTYPES = (*FLOATS, *INTS, torch.bool)

#: Integers up to here, and their sums, are exact in the dtype.
LIMITS = {torch.float32: 2.0**22, torch.float64: 2.0**40, torch.bfloat16: 2.0**7, torch.float16: 2.0**10}
#: The tolerances for results, for elements around 1.
TOLERANCES = {torch.float32: 2e-5, torch.float64: 1e-11, torch.bfloat16: 4e-2, torch.float16: 5e-3}
SPECIAL = (math.nan, math.inf, -math.inf, -0.0, 0.0, 1.0, -2.0)

#: The ways in which an input may lie in memory.
LAYOUTS = ("contiguous", "contiguous", "transposed", "apart", "offset", "repeated")


def make(shape: tuple[int, ...], dtype: torch.dtype, seed: int, layout: str, special: bool = False) -> Tensor:
    """A tensor of small integers, or with infinities and the like among them; the same one for the same arguments."""
    pick = torch.Generator().manual_seed(seed)
    real = layout_of(shape, layout)
    low, high = (0, 2) if dtype == torch.bool else (0, 6) if dtype == torch.uint8 else (-5, 6)
    base = torch.randint(low, high, real, generator=pick).to(dtype)
    if special and dtype.is_floating_point and base.numel():
        flat = base.view(-1)
        places = torch.randint(0, flat.numel(), (1 + flat.numel() // 4,), generator=pick)
        flat[places] = torch.tensor(SPECIAL, dtype=dtype)[torch.arange(len(places)) % len(SPECIAL)]
    return laid_out(base, shape, layout)


def layout_of(shape: tuple[int, ...], layout: str) -> tuple[int, ...]:
    """The sizes of the memory that a tensor of this shape and layout is a view of."""
    match layout:
        case "transposed":
            return shape[::-1]
        case "apart" if shape:
            return (*shape[:-1], 2 * shape[-1])
        case "offset" if shape:
            return (shape[0] + 1, *shape[1:])
        case "repeated" if shape:
            return (1, *shape[1:])
    return shape


def laid_out(base: Tensor, shape: tuple[int, ...], layout: str) -> Tensor:
    """The view."""
    match layout:
        case "transposed" if shape:
            return base.permute(*range(base.dim() - 1, -1, -1))
        case "apart" if shape:
            return base[..., ::2]
        case "offset" if shape:
            return base[1:]
        case "repeated" if shape:
            return base.expand(shape)
    return base


def is_exact(value: Tensor) -> bool:
    """True if all finite elements are integers whose sum is exact in any order."""
    limit = LIMITS.get(value.dtype)
    if limit is None:
        return True
    finite = value[value.isfinite()].double()
    return bool((finite == finite.round()).all()) and float(finite.abs().sum()) <= limit


def difference(ours: object, eager: object, depth: int = 1) -> str | None:
    """The difference, if there is one; floats may lie apart by what `depth` operators may lose."""
    if isinstance(eager, list | tuple):
        if not isinstance(ours, list | tuple) or len(ours) != len(eager):
            return f"{ours!r} for {eager!r}"
        parts = (difference(a, b, depth) for a, b in zip(ours, eager))
        return next((f"result {at}: {it}" for at, it in enumerate(parts) if it), None)
    if not isinstance(eager, Tensor) or not isinstance(ours, Tensor):
        return None if ours == eager else f"{ours!r} for {eager!r}"
    for what in ("dtype", "shape", "requires_grad"):
        if getattr(ours, what) != getattr(eager, what):
            return f"{what} {getattr(ours, what)} for {getattr(eager, what)}"
    if not eager.dtype.is_floating_point:
        wrong = ours != eager
    else:
        bound = TOLERANCES[eager.dtype] * depth
        finite = eager[eager.isfinite()].double()
        scale = max(1.0, float(finite.abs().max())) if finite.numel() else 1.0
        wrong = ~torch.isclose(ours.double(), eager.double(), rtol=bound, atol=bound * scale, equal_nan=True)
    if not wrong.any():
        return None
    at = tuple(int(index) for index in wrong.nonzero()[0])
    return f"{int(wrong.sum())} of {wrong.numel()} elements, first {at}: {ours[at].item()} for {eager[at].item()}"
