"""Indices that are tensors of one number: torch reads it, and gives a view of what is at that place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

import rust_inductor


def written_to_what_is_picked(x: Tensor, i: Tensor, _: Tensor) -> Any:
    x[i].add_(1)
    y = x[i, i]
    y.mul_(3)
    return x * 1, y


@pytest.mark.parametrize(
    "program",
    [
        lambda x, i, j: x[i],
        lambda x, i, j: x[i, :, j],
        lambda x, i, j: x[:, i, j],
        lambda x, i, j: x[i, :, i],
        lambda x, i, j: x[..., i] * 2,
        lambda x, i, j: x[x.argmax() % 3],
        written_to_what_is_picked,
    ],
)
def test_a_number_that_a_tensor_holds_picks_a_view(program: Callable[..., Any]) -> None:
    i, j = torch.tensor(1), torch.tensor([0, 2, 1])
    theirs = torch.arange(60.0).reshape(3, 4, 5).clone()
    ours = theirs.clone()
    expected, found = program(theirs, i, j), rust_inductor.compile(program)(ours, i, j)
    assert torch.equal(ours, theirs)
    for one, other in zip(*(it if isinstance(it, tuple) else (it,) for it in (found, expected)), strict=True):
        assert torch.equal(one, other)
        assert (one.stride(), one._is_view(), one._base is ours) == (
            other.stride(),
            other._is_view(),
            other._base is theirs,
        )
