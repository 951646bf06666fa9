"""Operators along the lines of a tensor on the device: sorting, the greatest elements, running sums and products."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from pybind.tests.wgpu.device import Counted, alone, close, needs_adapter, on_device

pytestmark = needs_adapter

DTYPES = [torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8]

SORTED: dict[str, Callable[[Tensor], Any]] = {
    "sort": lambda x: x.sort(stable=True),
    "sort descending": lambda x: x.sort(stable=True, descending=True),
    "sort along the first": lambda x: x.sort(dim=0, descending=True, stable=True),
    "sort of what is transposed": lambda x: x.transpose(0, 2).sort(dim=1, stable=True),
    "argsort": lambda x: x.argsort(dim=-2, stable=True),
    "values alone": lambda x: x.flatten().sort(stable=True)[0],
    "one element": lambda x: x[0, 0, 0].sort(),
    "lines of one": lambda x: x[:, :1].sort(1),
    "nothing": lambda x: x[:, :0].sort(0),
}


def drawn(dtype: torch.dtype, *shape: int) -> Tensor:
    """Numbers among which many are equal."""
    if dtype.is_floating_point:
        x = (torch.randn(shape) * 3).round().to(dtype)
        x.view(-1)[::7] = float("nan")
        x.view(-1)[1::9] = float("-inf")
        x.view(-1)[2::11] = -0.0
        return x
    low = 0 if dtype == torch.uint8 else -60
    x = torch.randint(low, 60, shape).to(dtype)
    if dtype in (torch.int64, torch.int32):
        x.view(-1)[::5] *= 1 << 23
    return x


@pytest.mark.parametrize("dtype", [*DTYPES, torch.bool])
@pytest.mark.parametrize("name", SORTED)
def test_sorting(name: str, dtype: torch.dtype) -> None:
    """NaN behind all else, and zeros keep their signs."""
    x = drawn(dtype, 3, 20, 5) if dtype != torch.bool else torch.rand(3, 20, 5) > 0.4
    with Counted() as counted:
        ours = on_device(SORTED[name])(x)
    alone(counted)
    eager = SORTED[name](x)
    for a, b in zip(*(y if isinstance(y, tuple) else (y,) for y in (ours, eager)), strict=True):
        assert a.dtype == b.dtype and (a.stride() == b.stride() or not b.numel())
        torch.testing.assert_close(a, b, rtol=0, atol=0, equal_nan=True)
        if a.is_floating_point():
            assert torch.equal(a.signbit() & (a == 0), b.signbit() & (b == 0))


def test_sorting_wide_integers() -> None:
    """All 64 bits count."""
    x = torch.randint(-(1 << 62), 1 << 62, (4, 33))
    x[:, ::3] = x[:, :1] ^ torch.arange(11)
    ours, eager = on_device(lambda x: x.sort(1))(x), x.sort(1)
    assert torch.equal(ours[0], eager[0]) and torch.equal(ours[1], eager[1])


@pytest.mark.parametrize("dtype", [torch.float32, torch.int64])
def test_sorting_long_lines(dtype: torch.dtype) -> None:
    """Longer than a workgroup has room for."""
    x = drawn(dtype, 2, 5000)
    with Counted() as counted:
        ours = on_device(lambda x: x.sort(1, descending=True))(x)
    alone(counted)
    for a, b in zip(ours, x.sort(dim=1, descending=True, stable=True), strict=True):
        torch.testing.assert_close(a, b, rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("dtype", DTYPES)
def test_greatest(dtype: torch.dtype) -> None:
    """``topk``: eager says of equal elements only that they are equal, so all differ."""
    x = torch.stack([torch.randperm(40) for _ in range(3)]).to(dtype)
    if dtype.is_floating_point:
        x[1, 3] = float("nan")
    with Counted() as counted:
        ours = on_device(lambda x: (*x.topk(4), *x.t().topk(3, 0, largest=False), *x.topk(0), *x.topk(40)))(x)
    alone(counted)
    eager = (*x.topk(4), *x.t().topk(3, 0, largest=False), *x.topk(0), *x.topk(40))
    close(ours, eager)


SCANS: dict[str, Callable[[Tensor], Any]] = {
    "sum": lambda x: x.cumsum(-1),
    "sum along the first": lambda x: x.cumsum(0),
    "sum of what is transposed": lambda x: x.transpose(0, 2).cumsum(1),
    "product": lambda x: x.cumprod(1),
    "sum as floats": lambda x: x.cumsum(1, dtype=torch.float32),
    "one element": lambda x: x[0, 0, 0].cumsum(0),
    "nothing": lambda x: (x[:, :0].cumsum(1), x[:0].cumsum(1)),
}


@pytest.mark.parametrize("dtype", [*DTYPES, torch.bool])
@pytest.mark.parametrize("name", SCANS)
def test_scans(name: str, dtype: torch.dtype) -> None:
    """Against eager, which adds up floats in ``float64``."""
    x = torch.randn(3, 20, 5) if dtype.is_floating_point else torch.randint(0, 3, (3, 20, 5))
    x = x.to(dtype)
    with Counted() as counted:
        ours = on_device(SCANS[name])(x)
    alone(counted)
    eager = SCANS[name](x)
    if dtype in (torch.float16, torch.bfloat16):
        torch.testing.assert_close(ours, eager)
    else:
        close(ours, eager)


def test_long_scans() -> None:
    """Slab after slab; what is infinite or NaN stays so from there on."""
    x = torch.randn(2, 3000)
    x[1, 1500], x[1, 2000] = float("inf"), float("-inf")
    close(on_device(lambda x: x.cumsum(1))(x), x.cumsum(1))
    y = 1 + torch.randn(3000, 2) / 1000
    close(on_device(lambda y: y.cumprod(0))(y), y.cumprod(0))


def test_gradients() -> None:
    """Gradients of sorting scatter, those of running sums run backward."""

    def function(x: Tensor) -> Tensor:
        return (x.sort(1)[0] * x.cumsum(1) + x.topk(20, 1)[0].cumprod(0)).square().sum()

    ours = torch.randn(3, 20, requires_grad=True)
    theirs = ours.detach().clone().requires_grad_()
    on_device(function)(ours).backward()
    function(theirs).backward()
    close(ours.grad, theirs.grad)
