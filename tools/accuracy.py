"""The measure of a right result, which the model tests share.

Float32 results of two correct programs differ, and how much they may differ depends on the model. So the yardstick is
the same model in float64, and the allowance is what eager itself makes of it: for each tensor, with `e` and `o` the
root mean square errors of eager and ours against float64,

    o <= allowance,  where  allowance = 2 e + 1e-6 max|float64|,

and no single element of ours errs by more than eager's worst plus the allowance.

Most models keep this in every run. Some do not, and eager's own kernels would not either. MobileNetV3's training step
magnifies rounding errors, so that one run of eager is a poor estimate of `e`. Over 24 draws of weights and inputs, of
211 tensors a draw, so many exceed what eager allows: 2.6 of eager's on one thread instead of two, 6.1 of eager's
without oneDNN, 15 of eager's in the channels-last layout, 58 of torch's Inductor (over 12 draws), 3.4 of ours; and
3.6 of eager's exceed what ours would allow. In ResNet-50 one draw in ten has a value that falls to the other side of a
ReLU's kink: a third of the gradients follow, by up to hundreds of times the allowance; sometimes it is eager's value.

So the error of eager is the largest that its equivalent ways make, each of them a run of eager; 0.4 of ours exceed
that. And a model is judged by the majority of several draws: see `problems_over`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import torch
from torch import Tensor

T = TypeVar("T")

FACTOR = 2.0
RELATIVE = 1e-6
#: The limit for every draw: this many times the allowance, or this part of the largest value where that is more.
GROSS = 16.0
GROSS_PART = 0.1
#: Of this many tensors, one may exceed the allowance in most of the draws.
TENSORS_FOR_ONE = 100

Tensors = Mapping[str, Tensor]


@dataclass(frozen=True)
class Errors:
    """Errors of one tensor against float64."""

    rms: float
    worst: float
    at: tuple[int, ...]


def errors(value: Tensor, exact: Tensor) -> Errors:
    """The errors of a tensor against the exact one: none where both are the same infinity, or both NaN."""
    same = (value.double() == exact) | (value.isnan() & exact.isnan())
    difference = torch.where(same, 0.0, (value.double() - exact).abs()).nan_to_num(nan=torch.inf)
    if difference.numel() == 0:
        return Errors(0.0, 0.0, ())
    worst = int(difference.argmax())
    at = tuple(int(k) for k in torch.unravel_index(torch.tensor(worst), difference.shape))
    return Errors(difference.square().mean().sqrt().item(), difference.max().item(), at)


def problem(name: str, ours: Tensor, eager: Tensor, exact: Tensor, others: Sequence[Tensor] = ()) -> str | None:
    """The problem with our tensor of this name, given what eager's `others` ways give; `None` if it is right."""
    if (ours.shape, ours.dtype, ours.stride()) != (eager.shape, eager.dtype, eager.stride()):
        return f"{name}: {described(ours)}, eager gives {described(eager)}"
    if not eager.is_floating_point():
        differing = int((ours != eager).sum())
        return f"{name}: {differing} of {eager.numel()} elements differ from eager's" if differing else None
    exact = exact.double()
    got, allowed = errors(ours, exact), [errors(way, exact) for way in (eager, *others)]
    rms, worst = max(way.rms for way in allowed), max(way.worst for way in allowed)
    allowance = FACTOR * rms + RELATIVE * largest(exact)
    if not got.rms <= allowance:
        return f"{name}: rms error {got.rms:.3g} against float64, eager's is {rms:.3g}, {allowance:.3g} allowed"
    if not got.worst <= worst + allowance:
        here = f"{name}{list(got.at)}: {ours[got.at].item():.9g}, in float64 {exact[got.at].item():.9g}"
        return f"{here}; error {got.worst:.3g}, eager's worst is {worst:.3g}, {allowance:.3g} more allowed"
    return None


def is_gross(ours: Tensor, eager: Tensor, exact: Tensor, truth: Tensor | None = None) -> bool:
    """Whether our tensor is wrong by more than rounding and a kink can explain; `truth` is what it is compared with."""
    if ours.shape != eager.shape or not eager.is_floating_point() or ours.stride() != eager.stride():
        return True
    exact = exact.double()
    got, allowed = errors(ours, exact if truth is None else truth.double()), errors(eager, exact)
    limit = max(GROSS * (FACTOR * allowed.rms + RELATIVE * largest(exact)), GROSS_PART * largest(exact))
    return not (got.rms <= limit and got.worst <= GROSS * allowed.worst + limit)


def largest(exact: Tensor) -> float:
    """The largest finite magnitude."""
    finite = exact[exact.isfinite()]
    return finite.abs().max().item() if finite.numel() else 0.0


def described(tensor: Tensor) -> str:
    """Dtype, sizes and strides."""
    return f"{tensor.dtype} of {tuple(tensor.shape)} with strides {tensor.stride()}"


@dataclass(frozen=True)
class Draw:
    """The results of one choice of weights and inputs."""

    ours: Tensors
    eager: Tensors
    exact: Tensors
    #: Results of eager's other ways. They only widen the allowance, so they are run where its first does not suffice.
    others: Callable[[], Sequence[Tensors]] = tuple

    @cached_property
    def doubtful(self) -> dict[str, str]:
        """The problems by eager's first way."""
        return by_name(self.ours, self.eager, self.exact)

    @cached_property
    def wrong(self) -> dict[str, str]:
        """The problems by all of eager's ways."""
        return by_name(self.ours, self.eager, self.exact, self.others()) if self.doubtful else {}

    @cached_property
    def gross(self) -> list[str]:
        """The problems that count whatever the other draws say.

        Where a value falls to the other side of a kink, eager's own ways differ grossly. So it is right, too, to give
        what one of them gives: not to err as much, but to err alike, within the limits that hold against float64.
        """
        common = [name for name in self.doubtful if name in self.ours and name in self.eager]

        def fails(name: str, truth: Tensor | None) -> bool:
            return is_gross(self.ours[name], self.eager[name], self.exact[name], truth)

        found = [name for name in common if fails(name, None)]
        ways = self.others() if found else ()
        wrong = [name for name in found if all(fails(name, way[name]) for way in ways)]
        return [line for name, line in self.doubtful.items() if name not in common or name in wrong]


def other_ways(eager: Callable[[], T]) -> Iterator[T]:
    """Eager's results by its other kernels, and with its sums in another order."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield eager()
    torch.set_num_threads(threads)
    with torch.backends.mkldnn.flags(enabled=False, allow_tf32=None):
        yield eager()


def problems_over(draws: Sequence[Draw]) -> list[str]:
    """The problems with a model, a line for each tensor and draw.

    That is: every tensor which is wrong in most of the draws, by itself; every one, if in most of the draws more than
    one in a hundred are (so of fewer than a hundred, any); and what is grossly wrong in any draw.
    """
    gross = [line for draw in draws for line in draw.gross]
    if gross:
        return gross
    found = [draw.wrong for draw in draws]
    often = Counter(name for lines in found for name in lines)
    many = sum(len(lines) > len(draw.eager) // TENSORS_FOR_ONE for lines, draw in zip(found, draws))
    is_wrong = [name for name, count in often.items() if 2 * many > len(draws) or 2 * count > len(draws)]
    return [line for lines in found for name, line in lines.items() if name in is_wrong]


def by_name(ours: Tensors, eager: Tensors, exact: Tensors, others: Sequence[Tensors] = ()) -> dict[str, str]:
    """The problems with our tensors, by their names."""
    missing = {name: f"{name}: missing" for name in eager if name not in ours}
    extra = {name: f"{name}: eager has no such tensor" for name in ours if name not in eager}
    common = [name for name in eager if name in ours]
    ways = {name: [other[name] for other in others] for name in common}
    found = ((name, problem(name, ours[name], eager[name], exact[name], ways[name])) for name in common)
    return {**missing, **extra, **{name: line for name, line in found if line}}


def problems(ours: Tensors, eager: Tensors, exact: Tensors) -> list[str]:
    """The problems with our tensors, a line for each that is wrong."""
    return list(by_name(ours, eager, exact).values())


def largest_difference(ours: object, eager: object) -> float:
    """The largest difference of any element between two outputs of a model."""
    from torch.utils._pytree import tree_leaves

    pairs = zip(tree_leaves(ours), tree_leaves(eager))
    tensors = [(a, b) for a, b in pairs if isinstance(a, Tensor) and isinstance(b, Tensor) and a.numel()]
    return max(((a.double() - b.double()).abs().max().item() for a, b in tensors), default=0.0)
