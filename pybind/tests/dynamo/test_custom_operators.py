"""Operators of the program's own (`torch.library`), called in each way that there is."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from rust_inductor import _capture


@torch.library.custom_op("own_operators::square", mutates_args=())
def square(x: torch.Tensor) -> torch.Tensor:
    return x * x


@square.register_fake
def _(x: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(x)


@torch.library.custom_op("own_operators::increase_", mutates_args={"x"})
def increase_(x: torch.Tensor, by: float = 1.0) -> None:
    x.add_(by)


@torch.library.custom_op("own_operators::increase_and_double", mutates_args={"x"})
def increase_and_double(x: torch.Tensor) -> torch.Tensor:
    x.add_(1)
    return x * 2


@increase_and_double.register_fake
def _(x: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(x)


def gives_tensors(x: Any) -> Any:
    operators = torch.ops.own_operators
    return square(x) + operators.square(x) * operators.square.default(x + 1)


def changes_its_argument(x: Any) -> Any:
    before = x * 2
    torch.ops.own_operators.increase_(x, 2.0)
    between = x * 2
    torch.ops.own_operators.increase_.default(x, by=3.0)
    increase_(x)
    return before, between, x * 2, increase_(x)


def changes_what_it_has_made(x: Any) -> Any:
    y = x + 1
    row = y[0]
    increase_(row, 5.0)
    z = increase_and_double(y)
    return y * 2, row, z


@pytest.mark.parametrize("backend", ["eager", "aot_eager", "rust_inductor"])
@pytest.mark.parametrize("function", [gives_tensors, changes_its_argument, changes_what_it_has_made])
def test_same_as_eager(function: Any, backend: str) -> None:
    compiled = _capture.optimize(function, backend, fullgraph=True)
    for _ in range(2):
        ours, plain = torch.arange(6.0).reshape(2, 3), torch.arange(6.0).reshape(2, 3)
        torch.testing.assert_close(compiled(ours), function(plain))
        torch.testing.assert_close(ours, plain)
