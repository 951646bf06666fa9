"""Loops that are operators, `while_loop` and `scan`: one graph where their bodies allow it, and torch's results."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch._higher_order_ops import scan, while_loop

from rust_inductor import _capture

X = torch.arange(6.0).reshape(3, 2)
W = torch.tensor([1.5, -0.5])
BACKENDS = ["eager", "aot_eager", "rust_inductor"]


def counted(x, w):
    i, y = while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * w + i), (torch.tensor(0), x))
    return i, y + 1


def of_no_turn(x, w):
    (y,) = while_loop(lambda y: y.sum() > 1e6, lambda y: (y * 2,), (x,))
    y.add_(1)
    return x, y


def of_one_tensor_twice(x, w):
    y, z = while_loop(lambda y, z: (y + x).sum() < 100, lambda y, z: (y + z, z * 2), (x, x))
    return y, z, x


def nested(x, w):
    def turn(i, y):
        j, z = while_loop(lambda j, z: j < i, lambda j, z: (j + 1, z + w), (torch.tensor(0), y))
        return i + j, z * 2

    return while_loop(lambda i, y: i < 3, turn, (torch.tensor(1), x))


def summed(x, w):
    return scan(lambda carry, y: (carry + y, carry * y + w), torch.zeros(2), x)


def scanned_in_containers(x, w):
    def turn(carry, y):
        total, factor = carry
        return (total + y["a"], factor * 2), [y["a"] * w, factor.sum()]

    return scan(turn, (torch.zeros(2), w), {"a": x})


def backwards(x, w):
    return scan(lambda carry, y: (carry + y, (carry + y) * w), torch.zeros(2), x, reverse=True)


def of_other_memory(x, w):
    return while_loop(lambda y: y.sum() < 100, lambda y: (y.T.contiguous().T * 2,), (x,))


def of_an_effect(x, w):
    seen: list[int] = []
    (y,) = while_loop(lambda y: y.sum() < 100, lambda y: (seen.append(1) or y * 2,), (x,))  # type: ignore[func-returns-value]
    return y, len(seen) > 0


WHOLE = [counted, of_no_turn, of_one_tensor_twice, nested, summed, scanned_in_containers]


def run(function: Any, *args: Any) -> Any:
    try:
        return repr(function(*(arg.clone() for arg in args)))
    except RuntimeError as error:
        return type(error)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("function", [*WHOLE, backwards, of_other_memory, of_an_effect])
def test_same_as_torch(function: Any, backend: str) -> None:
    compiled = _capture.optimize(function, backend)
    for _ in range(2):
        assert run(compiled, X, W) == run(function, X, W)
    assert run(compiled, X[:1], W * 2) == run(function, X[:1], W * 2)


@pytest.mark.parametrize("function", WHOLE)
def test_one_graph(function: Any) -> None:
    compiled = _capture.optimize(function, "eager", fullgraph=True)
    assert run(compiled, X, W) == run(function, X, W)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("function", [summed, counted])
def test_gradients(function: Any, backend: str) -> None:
    x, w = X.clone().requires_grad_(), W.clone().requires_grad_()
    gradients = [
        torch.autograd.grad(called(x, w)[1].square().sum(), [x, w])
        for called in (_capture.optimize(function, backend), function)
    ]
    for found, expected in zip(*gradients, strict=True):
        torch.testing.assert_close(found, expected)
