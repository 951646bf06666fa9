"""The programs that are timed: single kernels and whole models; and which of their sizes may change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from tools.bench.kernels import KERNELS, ROWWISE, Kernel
from tools.bench.models import MODELS, Size, build, timm_model
from tools.bench.patterns import PATTERNS, Row

ROWS = (128, 4096)
#: 128 MiB read and written, where a function reads one matrix and writes one: more than caches hold.
MANY_ROWS = 16384
SMALL_ROWS = 8

#: Of the models whose sizes change, and of those that are trained: a batch of one would be a size of its own.
BATCH = 4

Program = tuple[Callable[..., Any], tuple[Any, ...]]
#: Sizes that are always the same: each the number of an argument, and of its dimension.
Axis = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Case:
    """A program to time."""

    title: str
    make: Callable[[Size], Program]
    #: The axes along which its size may change.
    axes: tuple[Axis, ...] = ()
    #: Whether it gives a loss, whose gradients are computed, too.
    trains: bool = False
    #: Whether it is to be compared with a copy of as many bytes as it need read and write.
    streams: bool = False

    def run(self, function: Callable[..., Any], inputs: tuple[Any, ...]) -> Any:
        """Calls what was made, or what it was compiled to; gives all results, gradients among them."""
        with torch.set_grad_enabled(self.trains):
            result = function(*inputs)
            if not self.trains:
                return result
            held = (*inputs, *function.parameters()) if isinstance(function, nn.Module) else inputs
            # BERT's pooler has no part in the loss.
            asked = [it for it in held if it.requires_grad]
            gradients = torch.autograd.grad(result, asked, allow_unused=True)
            return result, *(gradient for gradient in gradients if gradient is not None)


def resized(inputs: tuple[Tensor, ...], axis: Axis, size: int) -> tuple[Tensor, ...]:
    """The inputs with this size along the axis, their elements repeated as often as it takes."""
    changed = list(inputs)
    for at, dim in axis:
        changed[at] = changed[at].index_select(dim, torch.arange(size) % changed[at].shape[dim])
    return tuple(changed)


def rows(kernel: Kernel, count: int, size: Size) -> Program:
    """A function, and random inputs of so many rows."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return kernel.function, kernel.inputs(count if size == "full" else SMALL_ROWS)


def pattern(row: Row, _size: Size) -> Program:
    """A function and its inputs, which are small in any case."""
    function, inputs = row
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return function, inputs()


ROW_AXIS: Axis = ((0, 0),)
COLUMN_AXIS: Axis = ((0, 1), (1, 0), (2, 0))


def kernels(names: Sequence[str], counts: Sequence[int]) -> dict[str, Case]:
    """Each function on each number of rows."""
    return {
        f"{name}-{count}": Case(
            f"{KERNELS[name].title}, {count}×1024",
            partial(rows, KERNELS[name], count),
            axes=(ROW_AXIS, COLUMN_AXIS) if name in ROWWISE else (),
            trains=KERNELS[name].trains,
            streams=KERNELS[name].streams and count > min(ROWS),
        )
        for name in names
        for count in counts
    }


def batch(name: str, size: Size) -> Program:
    """The model, and its inputs repeated to a batch."""
    model, inputs = build(name, size)
    return model, resized(inputs, BATCH_AXIS, BATCH)


class Loss(nn.Module):
    """A model in training, with a loss at its end."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model.train()

    def forward(self, *inputs: Tensor) -> Tensor:
        """The mean square of the first result."""
        result = self.model(*inputs)
        first = result if isinstance(result, Tensor) else result[0]
        return first.square().mean()


def training(name: str, size: Size) -> Program:
    """The model's loss, and a batch."""
    model, inputs = build(name, size)
    return Loss(model), resized(inputs, BATCH_AXIS, BATCH)


BATCH_AXIS: Axis = ((0, 0),)
LENGTH_AXIS: Axis = ((0, 1),)
BATCHED = {"resnet50": (BATCH_AXIS,), "bert": (BATCH_AXIS, LENGTH_AXIS), "gpt2": (BATCH_AXIS, LENGTH_AXIS)}
INFERENCE = ("resnet50", "mobilenet_v3", "efficientnet", "vit", "convnext", "bert", "gpt2", "llama", "t5_encoder")
TRAINED = ("resnet18", "bert_small")

#: Models of timm.
TIMM = {
    "swin": Case("Swin-tiny", partial(timm_model, "swin_tiny_patch4_window7_224")),
    "regnet": Case("RegNetY-1.6GF", partial(timm_model, "regnety_016")),
    "mixer": Case("MLP-Mixer-B/16", partial(timm_model, "mixer_b16_224")),
}
#: The cases whose first calls are timed.
COMPILED = (*INFERENCE, *(f"{name}-training" for name in TRAINED), *TIMM)

TIMED_KERNELS = kernels(tuple(KERNELS), ROWS)
LARGE_KERNELS = kernels([name for name, kernel in KERNELS.items() if kernel.streams], (MANY_ROWS,))
#: Of each kind of pattern, the cases.
PATTERN_CASES = {
    kind: {
        f"{kind}: {title}": Case(title, partial(pattern, row), trains=kind == "gradients")
        for title, row in rows.items()
    }
    for kind, rows in PATTERNS.items()
}
BATCHES = {
    f"{name}-batch": Case(f"{MODELS[name].title}, batch of {BATCH}", partial(batch, name), axes)
    for name, axes in BATCHED.items()
}
TRAININGS = {
    f"{name}-training": Case(f"{MODELS[name].title}, training, batch of {BATCH}", partial(training, name), trains=True)
    for name in TRAINED
}
CASES = (
    TIMED_KERNELS
    | LARGE_KERNELS
    | {name: case for cases in PATTERN_CASES.values() for name, case in cases.items()}
    | {name: Case(row.title, partial(build, name)) for name, row in MODELS.items()}
    | BATCHES
    | TRAININGS
    | TIMM
)
CHANGING_KERNELS = tuple(name for name, case in TIMED_KERNELS.items() if case.axes)


@dataclass(frozen=True)
class Group:
    """Cases whose ratios have a mean of their own."""

    title: str
    #: The cases that each process measures, by the name with which it can be chosen.
    processes: dict[str, tuple[str, ...]]

    @property
    def cases(self) -> tuple[str, ...]:
        """All its cases."""
        return tuple(case for cases in self.processes.values() for case in cases)

    def only(self, names: Sequence[str] | None) -> Group:
        """The part of it that these names choose; all of it without names."""
        return Group(self.title, {name: it for name, it in self.processes.items() if not names or name in names})


def one_each(names: tuple[str, ...], suffix: str = "") -> dict[str, tuple[str, ...]]:
    """A process for each."""
    return {name + suffix: (name + suffix,) for name in names}


#: The cases of each mode of the benchmarks.
GROUPS: dict[str, tuple[Group, ...]] = {
    "cpu": (
        Group("kernels", {"kernels": tuple(TIMED_KERNELS)}),
        Group("kernels past the caches", {"large": tuple(LARGE_KERNELS)}),
        Group("models", one_each(INFERENCE)),
        Group("training", one_each(TRAINED, "-training")),
    ),
    "patterns": tuple(Group(kind, {kind: tuple(cases)}) for kind, cases in PATTERN_CASES.items()),
    "autotune": (
        Group("kernels", {"kernels": tuple(TIMED_KERNELS)}),
        Group("models", one_each(INFERENCE)),
    ),
    "freezing": (Group("models", one_each(INFERENCE)),),
    "dynamic": (
        Group("kernels", {"kernels": CHANGING_KERNELS}),
        Group("models", {name: (f"{name}-batch",) for name in BATCHED}),
    ),
}
