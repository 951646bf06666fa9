"""When a result is right: the measure that the model tests and the demo share.

Float32 results of two correct programs differ, and how much they may differ depends on the model. So the yardstick is
the same model in float64, and the allowance is what eager itself makes of it: for each tensor, with `e` and `o` the
root mean square errors of eager and ours against float64,

    o <= allowance,  where  allowance = 2 e + 1e-6 max|float64|,

and no single element of ours errs by more than eager's worst plus the allowance.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

FACTOR = 2.0
#: What no run may exceed.
GROSS = 16.0
RELATIVE = 1e-6


@dataclass(frozen=True)
class Errors:
    """Errors of one tensor against float64."""

    rms: float
    worst: float
    at: tuple[int, ...]


def errors(value: Tensor, exact: Tensor) -> Errors:
    """How far a tensor is from the exact one. Where both are the same infinity, or both NaN, there is no error."""
    same = (value.double() == exact) | (value.isnan() & exact.isnan())
    difference = torch.where(same, 0.0, (value.double() - exact).abs()).nan_to_num(nan=torch.inf)
    if difference.numel() == 0:
        return Errors(0.0, 0.0, ())
    worst = int(difference.argmax())
    at = tuple(int(k) for k in torch.unravel_index(torch.tensor(worst), difference.shape))
    return Errors(difference.square().mean().sqrt().item(), difference.max().item(), at)


def problem(name: str, ours: Tensor, eager: Tensor, exact: Tensor, factor: float = FACTOR) -> str | None:
    """What is wrong with our tensor of this name; nothing if it is right."""
    if (ours.shape, ours.dtype, ours.stride()) != (eager.shape, eager.dtype, eager.stride()):
        return f"{name}: {described(ours)}, eager gives {described(eager)}"
    if not eager.is_floating_point():
        differing = int((ours != eager).sum())
        return f"{name}: {differing} of {eager.numel()} elements differ from eager's" if differing else None
    exact = exact.double()
    allowed, got = errors(eager, exact), errors(ours, exact)
    largest = exact[exact.isfinite()].abs().max().item() if exact.isfinite().any() else 0.0
    allowance = factor * allowed.rms + RELATIVE * largest
    if not got.rms <= allowance:
        return f"{name}: rms error {got.rms:.3g} against float64, eager's is {allowed.rms:.3g}, {allowance:.3g} allowed"
    if not got.worst <= factor / FACTOR * allowed.worst + allowance:
        here = f"{name}{list(got.at)}: {ours[got.at].item():.9g}, in float64 {exact[got.at].item():.9g}"
        return f"{here}; error {got.worst:.3g}, eager's worst is {allowed.worst:.3g}, {allowance:.3g} more allowed"
    return None


def described(tensor: Tensor) -> str:
    """Dtype, sizes and strides."""
    return f"{tensor.dtype} of {tuple(tensor.shape)} with strides {tensor.stride()}"


def problems_over(
    draws: Sequence[tuple[Mapping[str, Tensor], Mapping[str, Tensor], Mapping[str, Tensor]]],
) -> list[str]:
    """What is wrong with our tensors in several runs with weights and inputs of their own (ours, eager, exact).

    Eager's error is known only by what it happens to be. Of two programs that err equally, either has by chance the
    larger error by a factor of two now and then: where a value falls to the other side of an activation's kink, say,
    and all that depends on it follows. So a tensor is wrong if it is so in every run, or grossly in any.
    """
    gross = [line for draw in draws for line in by_name(*draw, factor=GROSS).values()]
    found = [by_name(*draw) for draw in draws]
    often = Counter(name for lines in found for name in lines)
    lasting = {name for name, count in often.items() if count == len(draws)}
    return gross or [line for lines in found for name, line in lines.items() if name in lasting]


def by_name(
    ours: Mapping[str, Tensor], eager: Mapping[str, Tensor], exact: Mapping[str, Tensor], factor: float = FACTOR
) -> dict[str, str]:
    """What is wrong with our tensors, by their names."""
    missing = {name: f"{name}: missing" for name in eager if name not in ours}
    extra = {name: f"{name}: eager has no such tensor" for name in ours if name not in eager}
    common = [name for name in eager if name in ours]
    found = ((name, problem(name, ours[name], eager[name], exact[name], factor)) for name in common)
    return {**missing, **extra, **{name: line for name, line in found if line}}


def problems(ours: Mapping[str, Tensor], eager: Mapping[str, Tensor], exact: Mapping[str, Tensor]) -> list[str]:
    """What is wrong with our tensors, a line for each that is."""
    return list(by_name(ours, eager, exact).values())


def largest_difference(ours: object, eager: object) -> float:
    """The largest difference of any element between two outputs of a model."""
    from torch.utils._pytree import tree_leaves

    pairs = zip(tree_leaves(ours), tree_leaves(eager))
    tensors = [(a, b) for a, b in pairs if isinstance(a, Tensor) and isinstance(b, Tensor) and a.numel()]
    return max(((a.double() - b.double()).abs().max().item() for a, b in tensors), default=0.0)
