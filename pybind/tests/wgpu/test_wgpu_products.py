"""Kernels that are computed on a product before it is stored."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch.nn import functional as F

from pybind.tests.wgpu.device import Counted, check, close, needs_adapter, on_device

pytestmark = needs_adapter

FUSED: dict[str, tuple[Any, ...]] = {
    "linear and gelu": (lambda x, w, b: F.gelu(F.linear(x, w, b)), (5, 20), (70, 20), (70,)),
    "linear of three dimensions": (lambda x, w, b: F.silu(F.linear(x, w, b)), (2, 5, 20), (30, 20), (30,)),
    "residual": (lambda x, w: torch.relu(x @ w) + x, (33, 40), (40, 40)),
    "rows and columns": (lambda x, w, c, r: (x @ w) * c + r, (70, 20), (20, 66), (66,), (70, 1)),
    "batches": (lambda a, b, m: torch.bmm(a, b) * 0.25 + m, (3, 17, 20), (3, 20, 9), (17, 9)),
    "a mask": (lambda x, w: (x @ w) > 0.5, (33, 20), (20, 47)),
    "half": (lambda x, w: torch.tanh(x @ w).half(), (33, 20), (20, 47)),
    "two results": (lambda x, w: (lambda y: (y.exp(), y > 0))(x @ w), (33, 20), (20, 47)),
    "a vector": (lambda x, v, c: torch.relu(x @ v) + c, (33, 20), (20,), (33,)),
    "a vector of rows": (lambda v, x: (v @ x).exp(), (20,), (20, 35)),
    "two vectors": (lambda a, b, c: (a @ b) * 2 + c, (50,), (50,), ()),
    "conv and relu": (lambda x, w, b: F.relu(F.conv2d(x, w, b, padding=1)), (2, 3, 9, 8), (5, 3, 3, 3), (5,)),
    "conv and norm": (
        lambda x, w, m, v: F.relu(F.batch_norm(F.conv2d(x, w), m, v.abs() + 1.0)),
        (1, 3, 9, 8),
        (5, 3, 3, 3),
        (5,),
        (5,),
    ),
    "conv, residual": (lambda x, w: F.relu(F.conv2d(x, w, padding=1) + x), (2, 4, 9, 8), (4, 4, 3, 3)),
}


@pytest.mark.parametrize("name", FUSED)
def test_kernels_on_products(name: str) -> None:
    """Operations on each element of a product are done before it is stored: a dispatch for both."""
    function, *shapes = FUSED[name]
    args = [torch.randn(shape) for shape in shapes]
    with torch.no_grad():
        compiled, eager = on_device(function), function(*args)
        close(compiled(*args), eager)
        with Counted() as counted:
            close(compiled(*args), eager)
    assert counted["dispatches"] == 1
    assert counted["host_steps"] == 0


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_kernels_on_products_of_halves(dtype: torch.dtype) -> None:
    """The product is rounded to a half before the kernel on it sees it, as it would be in memory."""
    args = torch.randn(33, 21, dtype=dtype), torch.randn(21, 35, dtype=dtype)
    with torch.no_grad():
        compiled = on_device(lambda x, w: torch.relu(x @ w) + 1)
        with Counted() as counted:
            ours = compiled(*args)
        assert (counted["dispatches"], counted["host_steps"]) == (1, 0)
        torch.testing.assert_close(ours, torch.relu(args[0] @ args[1]) + 1, rtol=2e-2, atol=2e-2)


def test_kernels_on_products_of_integers() -> None:
    """They see the integers that would be stored."""
    for dtype in (torch.int32, torch.uint8):
        args = [torch.randint(0, 255, shape).to(dtype) for shape in ((33, 20), (20, 47), (47,))]
        with Counted() as counted:
            ours = on_device(lambda x, w, b: (x @ w + b) // 3)(*args)
        assert (counted["dispatches"], counted["host_steps"]) == (1, 0)
        assert torch.equal(ours, (args[0] @ args[1] + args[2]) // 3)


def test_kernels_that_are_not_fused_with_products() -> None:
    """A product that is read twice, returned, or read elsewhere is stored."""

    def function(x: torch.Tensor, w: torch.Tensor) -> tuple[torch.Tensor, ...]:
        a, b, c = x @ w, (x * 2) @ w, (x * 3) @ w
        return a, a + 1, b.t() + b, torch.softmax(c, -1)

    check(function, torch.randn(20, 20), torch.randn(20, 20))


def test_kernels_on_products_of_sizes_that_change() -> None:
    """Sizes are numbers that the function is handed."""
    compiled = on_device(lambda x, w, c: F.gelu(x @ w * c) + x.sum(), dynamic=True)
    with torch.no_grad():
        for rows in (5, 33, 70):
            args = torch.randn(rows, 16), torch.randn(16, 40), torch.randn(rows, 1)
            close(compiled(*args), F.gelu(args[0] @ args[1] * args[2]) + args[0].sum())
