"""What is timed: single kernels on rows of 1024 elements, and whole models; and which of their sizes may change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from tools.models import MODELS, Size, build

WIDTH = 1024
ROWS = (128, 4096)
SMALL_ROWS = 8

#: Of the models whose sizes change: a batch of one would be a size of its own.
BATCH = 4

Program = tuple[Callable[..., Any], tuple[Tensor, ...]]
#: Sizes that are always the same: each the number of an argument, and of its dimension.
Axis = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Case:
    """A program to time."""

    title: str
    make: Callable[[Size], Program]
    #: What may change its size.
    axes: tuple[Axis, ...] = ()


def resized(inputs: tuple[Tensor, ...], axis: Axis, size: int) -> tuple[Tensor, ...]:
    """The inputs with this size along the axis, their elements repeated as often as it takes."""
    changed = list(inputs)
    for at, dim in axis:
        changed[at] = changed[at].index_select(dim, torch.arange(size) % changed[at].shape[dim])
    return tuple(changed)


def gelu(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """Scale, shift and GELU by the error function."""
    return functional.gelu(x * weight + bias)


def gelu_tanh(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """Scale, shift and GELU by tanh."""
    return functional.gelu(x * weight + bias, approximate="tanh")


def softmax(x: Tensor, _weight: Tensor, _bias: Tensor) -> Tensor:
    """Softmax of each row."""
    return functional.softmax(x, dim=-1)


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """Normalisation of each row, with weight and bias."""
    return functional.layer_norm(x, x.shape[-1:], weight, bias)


def rows(function: Callable[..., Tensor], count: int, size: Size) -> Program:
    """A function of rows, and random rows for it."""
    generator = torch.Generator().manual_seed(0)
    count = count if size == "full" else SMALL_ROWS
    x = torch.randn(count, WIDTH, generator=generator)
    weight, bias = torch.randn(2, WIDTH, generator=generator).unbind()
    return function, (x, weight.clone(), bias.clone())


ROW_AXIS: Axis = ((0, 0),)
COLUMN_AXIS: Axis = ((0, 1), (1, 0), (2, 0))


def kernels() -> dict[str, Case]:
    """Each function on each number of rows."""
    functions = {"gelu(x·w+b)": gelu, "gelu(x·w+b), tanh": gelu_tanh, "softmax": softmax, "layer norm": layer_norm}
    return {
        f"{function.__name__}-{count}": Case(
            f"{title}, {count}×{WIDTH}", partial(rows, function, count), axes=(ROW_AXIS, COLUMN_AXIS)
        )
        for title, function in functions.items()
        for count in ROWS
    }


def batch(name: str, size: Size) -> Program:
    """The model, and its inputs repeated to a batch."""
    model, inputs = build(name, size)
    return model, resized(inputs, BATCH_AXIS, BATCH)


BATCH_AXIS: Axis = ((0, 0),)
LENGTH_AXIS: Axis = ((0, 1),)
BATCHED = {"resnet50": (BATCH_AXIS,), "bert": (BATCH_AXIS, LENGTH_AXIS), "gpt2": (BATCH_AXIS, LENGTH_AXIS)}

KERNELS = kernels()
BATCHES = {
    f"{name}-batch": Case(f"{MODELS[name].title}, batch of {BATCH}", partial(batch, name), axes)
    for name, axes in BATCHED.items()
}
CASES = KERNELS | {name: Case(row.title, partial(build, name)) for name, row in MODELS.items()} | BATCHES
#: For each mode of the benchmarks, its cases by group.
GROUPS: dict[str, dict[str, tuple[str, ...]]] = {
    "cpu": {"kernels": tuple(KERNELS), **{name: (name,) for name in BATCHED}},
    "dynamic": {"kernels": tuple(KERNELS), **{name: (f"{name}-batch",) for name in BATCHED}},
}
