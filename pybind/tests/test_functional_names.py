"""Functions of `torch.nn.functional` that share their names with functions in C, which give more or take others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.nn import functional as F

import rust_inductor

X = torch.randn(2, 3, 6, 6)
Y = torch.rand(2, 3, 6, 6)
CALLS: dict[str, Callable[[], Any]] = {
    "max pool": lambda: F.adaptive_max_pool2d(X, 2),
    "max pool, places": lambda: F.adaptive_max_pool2d(X, 2, return_indices=True),
    "max pool of volumes": lambda: F.adaptive_max_pool3d(X, 2),
    "max pool of windows": lambda: F.max_pool2d(X, 2, return_indices=True),
    "max pool of volumes' windows": lambda: F.max_pool3d(X, 2),
    "mean pool of volumes": lambda: F.avg_pool3d(X, 2),
    "huber": lambda: F.huber_loss(X, Y, delta=0.5),
    "huber, summed": lambda: F.huber_loss(X, Y, "sum"),
    "cross entropy": lambda: F.binary_cross_entropy(Y, Y),
    "cross entropy, not reduced": lambda: F.binary_cross_entropy(Y, Y, reduction="none"),
    "cross entropy of other sizes": lambda: F.binary_cross_entropy(Y, Y[0]),
    "soft margin": lambda: F.soft_margin_loss(X, Y, reduction="none"),
    "shrink": lambda: (F.softshrink(X), F.hardshrink(X, 0.2), F.logsigmoid(X)),
}


@pytest.mark.parametrize("shuffle", [F.pixel_shuffle, F.pixel_unshuffle])
def test_pixels_that_stay_where_they_are_are_copied(shuffle: Callable[..., torch.Tensor]) -> None:
    def moved(x: torch.Tensor) -> torch.Tensor:
        return shuffle(x, 1)

    x = X.clone().requires_grad_()
    result = rust_inductor.compile(moved)(x)
    assert torch.equal(result, x) and result.data_ptr() != x.data_ptr()
    result.sum().backward()
    assert torch.equal(x.grad, torch.ones_like(x))  # type: ignore[arg-type]


def outcome(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except Exception as error:
        return type(error).__name__, str(error)


@pytest.mark.parametrize("name", CALLS)
def test_as_eager_has_it(name: str) -> None:
    call = CALLS[name]
    expected, found = outcome(call), outcome(rust_inductor.compile(lambda: call()))
    assert type(found) is type(expected)
    if isinstance(expected, tuple) and isinstance(expected[0], str):
        assert found == expected
    else:
        torch.testing.assert_close(found, expected)
