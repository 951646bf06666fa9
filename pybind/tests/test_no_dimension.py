"""Operators that are given no dimension, or a tensor without one: as eager has them, which is not the same for all."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

import rust_inductor

SQUEEZES: dict[str, Callable[[Tensor], Tensor]] = {
    "none": lambda x: torch.squeeze(x, ()) + 1,
    "one": lambda x: torch.squeeze(x, (0,)) + 1,
    "all": lambda x: torch.squeeze(x) + 1,
}


@pytest.mark.parametrize("name", SQUEEZES)
def test_squeeze(name: str) -> None:
    function, x = SQUEEZES[name], torch.randn(1, 3, 1)
    result = rust_inductor.compile(function)(x)
    assert result.shape == function(x).shape
    assert torch.equal(result, function(x))


@pytest.mark.parametrize("size", [0, 1])
def test_a_number_is_one_window(size: int) -> None:
    def windows(x: Tensor) -> Tensor:
        return x.unfold(0, size, 1) + 1

    x = torch.tensor(2.0)
    result = rust_inductor.compile(windows)(x)
    assert result.shape == windows(x).shape
    assert torch.equal(result, windows(x))


def test_logsumexp_of_no_dimension_raises() -> None:
    def reduced(x: Tensor) -> Tensor:
        return torch.logsumexp(x, ()) + 1

    x = torch.randn(1, 3, 1)
    with pytest.raises(RuntimeError) as expected:
        reduced(x)
    with pytest.raises(RuntimeError) as found:
        rust_inductor.compile(reduced)(x)
    assert str(found.value) == str(expected.value)
    number = torch.tensor(2.0)
    assert torch.equal(rust_inductor.compile(reduced)(number), reduced(number))
