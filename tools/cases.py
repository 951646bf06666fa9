"""What is timed: single kernels on rows of 1024 elements, and whole models."""

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

Program = tuple[Callable[..., Any], tuple[Tensor, ...]]


@dataclass(frozen=True)
class Case:
    """A program to time."""

    title: str
    make: Callable[[Size], Program]


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
    return functional.layer_norm(x, (WIDTH,), weight, bias)


def rows(function: Callable[..., Tensor], count: int, size: Size) -> Program:
    """A function of rows, and random rows for it."""
    generator = torch.Generator().manual_seed(0)
    count = count if size == "full" else SMALL_ROWS
    x = torch.randn(count, WIDTH, generator=generator)
    weight, bias = torch.randn(2, WIDTH, generator=generator).unbind()
    return function, (x, weight.clone(), bias.clone())


def kernels() -> dict[str, Case]:
    """Each function on each number of rows."""
    functions = {"gelu(x·w+b)": gelu, "gelu(x·w+b), tanh": gelu_tanh, "softmax": softmax, "layer norm": layer_norm}
    return {
        f"{function.__name__}-{count}": Case(f"{title}, {count}×{WIDTH}", partial(rows, function, count))
        for title, function in functions.items()
        for count in ROWS
    }


KERNELS = kernels()
CASES = KERNELS | {name: Case(row.title, partial(build, name)) for name, row in MODELS.items()}
