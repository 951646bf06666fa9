"""Tensors without elements: results have the strides that eager's iterator gives them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

import rust_inductor

OPERATORS: dict[str, Callable[[Tensor], Any]] = {
    "beside a number": lambda x: x * 2,
    "a number beside": lambda x: 1 - x,
    "alone": lambda x: x.sin(),
    "two": lambda x: x + x,
    "compared": lambda x: x > 0,
    "chosen": lambda x: torch.where(x > 0, x, 0.0),
    "of no dimension": lambda x: torch.maximum(x, torch.tensor(1.0)),
    "broadcast": lambda x: x + torch.ones(x.shape[-1]),
    "copied": lambda x: x.clone(),
    "written": lambda x: x.clone().add_(1),
    "cast": lambda x: x.double(),
    "made alike": lambda x: torch.zeros_like(x),
    "fused": lambda x: F.gelu(x) * x.sigmoid() / 3,
}

LAYOUTS: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
    ((0, 3, 3), (9, 1, 3)),
    ((3, 0), (1, 3)),
    ((2, 0, 3), (3, 6, 1)),
    ((0, 1, 3), (3, 1, 1)),
    ((0, 4), (1, 1)),
    ((0, 3, 2, 2), (12, 1, 6, 3)),
    ((2, 3, 0, 2), (6, 1, 6, 3)),
    ((0, 3), (6, 2)),
    ((1, 0), (5, 7)),
]


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("name", OPERATORS)
def test_strides(name: str, dynamic: bool) -> None:
    function = OPERATORS[name]
    for sizes, strides in LAYOUTS:
        x = torch.empty_strided(sizes, strides)
        result = rust_inductor.compile(function, dynamic=dynamic)(x)
        assert result.shape == function(x).shape and result.stride() == function(x).stride(), (sizes, strides)
