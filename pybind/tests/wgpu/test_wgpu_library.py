"""Library kernels of the WebGPU device, over strides and corner cases."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch.nn import functional as F

from pybind.tests.wgpu.device import POOLS, Counted, alone, check, close, needs_adapter, on_device

pytestmark = needs_adapter

LIBRARY: dict[str, tuple[Any, ...]] = {
    "mm": (lambda a, b: a @ b, (33, 47), (47, 29)),
    "mm of large tiles": (lambda a, b: a @ b, (70, 40), (40, 130)),
    "mm transposed": (lambda a, b: a.t() @ b.t(), (47, 33), (29, 47)),
    "mm of rows": (lambda a, b: a[::2] @ b[:, 1:], (33, 47), (47, 29)),
    "mm without k": (lambda a, b: a @ b, (3, 0), (0, 4)),
    "mv": (lambda a, b: a @ b, (33, 47), (47,)),
    "a vector times a matrix": (lambda a, b: a @ b, (47,), (47, 29)),
    "dot": (lambda a, b: a @ b, (47,), (47,)),
    "batches times a vector": (lambda a, b: a @ b, (2, 3, 47), (47,)),
    "bmm": (torch.bmm, (3, 17, 20), (3, 20, 9)),
    "linear": (F.linear, (5, 7, 20), (30, 20), (30,)),
    "addmm scaled": (lambda c, a, b: torch.addmm(c, a, b, beta=0.5, alpha=2.0), (33, 1), (33, 8), (8, 40)),
    "addmm without its sum": (lambda c, a, b: torch.addmm(c / 0, a, b, beta=0), (40,), (33, 8), (8, 40)),
    "baddbmm": (torch.baddbmm, (1, 6, 5), (2, 6, 4), (2, 4, 5)),
    "conv2d": (lambda x, w, b: F.conv2d(x, w, b, padding=1), (2, 3, 9, 8), (5, 3, 3, 3), (5,)),
    "conv2d strided": (lambda x, w: F.conv2d(x, w, stride=(2, 1), padding=(3, 0)), (1, 3, 12, 11), (64, 3, 7, 2)),
    "conv2d in groups": (lambda x, w: F.conv2d(x, w, groups=2, dilation=2), (2, 4, 9, 8), (6, 2, 3, 3)),
    "conv2d depthwise": (lambda x, w: F.conv2d(x, w, groups=6, padding=1), (2, 6, 5, 5), (6, 1, 3, 3)),
    "transposed conv2d": (
        lambda x, w, b: F.conv_transpose2d(x, w, b, stride=2, padding=1, output_padding=1),
        (2, 6, 5, 4),
        (6, 3, 3, 3),
        (3,),
    ),
    "transposed conv2d in groups": (
        lambda x, w: F.relu(F.conv_transpose2d(x, w, stride=(3, 1), groups=2, dilation=2)),
        (2, 6, 5, 4),
        (6, 2, 3, 2),
    ),
    "transposed conv1d": (lambda x, w: F.conv_transpose1d(x, w, padding=1), (2, 6, 9), (6, 4, 3)),
    "conv3d": (
        lambda x, w, b: F.silu(F.conv3d(x, w, b, stride=(1, 2, 1), padding=(0, 1, 2), groups=2)),
        (2, 4, 5, 6, 7),
        (6, 2, 2, 3, 2),
        (6,),
    ),
    "transposed conv3d": (
        lambda x, w: F.conv_transpose3d(x, w, stride=2, padding=(1, 0, 1), groups=2),
        (1, 4, 3, 4, 5),
        (4, 2, 2, 3, 2),
    ),
    "conv1d": (lambda x, w: F.conv1d(x, w, padding=2), (2, 3, 20), (4, 3, 5)),
    "conv channels last": (
        lambda x, w: F.conv2d(x.to(memory_format=torch.channels_last), w),
        (2, 3, 9, 8),
        (5, 3, 3, 3),
    ),
    "max pool": (lambda x: F.max_pool2d(x, 3, stride=2, padding=1), (2, 3, 9, 8)),
    "max pool indices": (lambda x: F.max_pool2d(x, 2, dilation=2, return_indices=True), (2, 3, 9, 8)),
    "max pool of a plane": (lambda x: F.max_pool2d(x, (2, 3)), (3, 9, 8)),
    "avg pool": (lambda x: F.avg_pool2d(x, 3, stride=2, padding=1), (2, 3, 9, 8)),
    "avg pool without padding": (
        lambda x: F.avg_pool2d(x, 3, stride=2, padding=1, ceil_mode=True, count_include_pad=False),
        (2, 3, 9, 8),
    ),
    "avg pool by a divisor": (lambda x: F.avg_pool2d(x, 2, divisor_override=3), (2, 3, 9, 8)),
    "adaptive pool": (lambda x: F.adaptive_avg_pool2d(x, (2, 3)), (2, 3, 9, 8)),
    **POOLS,
    "max pool of volumes, with places": (
        lambda x: F.max_pool3d(x, 2, stride=(1, 2, 1), dilation=(2, 1, 1), return_indices=True),
        (2, 3, 5, 6, 7),
    ),
    "adaptive max pool, with places": (lambda x: F.adaptive_max_pool2d(x, (2, 3), return_indices=True), (2, 3, 9, 8)),
    "max pool of a volume": (lambda x: F.max_pool3d(x, (1, 2, 3), ceil_mode=True), (3, 4, 5, 7)),
    "adaptive pool of a line": (lambda x: F.adaptive_avg_pool1d(x, 3), (2, 3, 10)),
    "attention": (F.scaled_dot_product_attention, (2, 3, 19, 16), (2, 3, 21, 16), (2, 3, 21, 16)),
    "attention causal": (
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
        (1, 2, 40, 64),
        (1, 2, 40, 64),
        (1, 2, 40, 64),
    ),
    "attention masked": (
        lambda q, k, v, m: F.scaled_dot_product_attention(q, k, v, attn_mask=m, scale=0.3),
        (2, 2, 5, 8),
        (2, 2, 7, 8),
        (2, 2, 7, 8),
        (2, 1, 1, 7),
    ),
    "attention whose heads share keys": (
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, enable_gqa=True),
        (2, 6, 9, 16),
        (2, 2, 11, 16),
        (2, 2, 11, 16),
    ),
    "attention of wide heads": (F.scaled_dot_product_attention, (1, 2, 9, 160), (1, 2, 21, 160), (1, 2, 21, 160)),
    "attention of wider heads": (
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
        (1, 2, 19, 300),
        (1, 2, 19, 300),
        (1, 2, 19, 300),
    ),
    "attention of one projection": (
        lambda x: F.scaled_dot_product_attention(*x.view(2, 10, 3, 4, 8).permute(2, 0, 3, 1, 4)),
        (2, 10, 96),
    ),
}


@pytest.mark.parametrize("name", LIBRARY)
def test_library_kernels(name: str) -> None:
    """Each runs on the device and gives what eager gives."""
    function, *shapes = LIBRARY[name]
    args = [torch.randn(shape) for shape in shapes]
    with Counted() as counted:
        check(function, *args)
    assert counted["dispatches"] >= 2 or name == "mm without k"


INTEGERS = [torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8]

#: Products of integers, by the sizes of their operands.
OF_INTEGERS: dict[str, tuple[Any, ...]] = {
    "mm": (lambda a, b: a @ b, (33, 47), (47, 29)),
    "mm of large tiles": (lambda a, b: a @ b.t(), (70, 40), (130, 40)),
    "bmm": (torch.bmm, (3, 17, 20), (3, 20, 9)),
    "mv": (lambda a, b: a @ b, (33, 47), (47,)),
    "dot": (lambda a, b: a @ b, (47,), (47,)),
    "linear": (lambda x, w, b: F.linear(x, w, b) + 1, (5, 7, 20), (30, 20), (30,)),
    "addmm": (lambda c, a, b: torch.addmm(c, a, b, beta=2, alpha=3), (33, 1), (33, 8), (8, 40)),
}


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("name", OF_INTEGERS)
def test_products_of_integers(name: str, dtype: torch.dtype) -> None:
    """Exact, and around where they leave their dtype."""
    function, *shapes = OF_INTEGERS[name]
    ends = torch.iinfo(dtype)
    args = [torch.randint(ends.min, ends.max, shape, dtype=dtype) for shape in shapes]
    with Counted() as counted:
        ours = on_device(function)(*args)
    alone(counted)
    assert torch.equal(ours, function(*args))


def test_products_of_bytes_as_words() -> None:
    """``_int_mm`` keeps what bytes would lose."""
    a, b = (torch.randint(-128, 128, (40, 40), dtype=torch.int8) for _ in range(2))
    with Counted() as counted:
        ours = on_device(torch._int_mm)(a, b)
    alone(counted)
    assert torch.equal(ours, torch._int_mm(a, b))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("name", LIBRARY)
def test_library_kernels_on_halves(name: str, dtype: torch.dtype) -> None:
    """The device computes in ``float32`` and rounds once: no further from ``float64`` than eager or the rounding."""
    function, *shapes = LIBRARY[name]
    args = [torch.randn(shape, dtype=dtype) for shape in shapes]
    compiled = on_device(function)
    try:
        function(*args)
    except NotImplementedError as error:
        with pytest.raises(NotImplementedError, match=str(error)):
            compiled(*args)
        return
    with torch.no_grad(), Counted() as counted:
        ours, eager, exact = (_flat(f(*x)) for f, x in _three(compiled, function, args))
    assert counted["host_steps"] == 0
    for a, b, c in zip(ours, eager, exact, strict=True):
        assert (a.dtype, a.shape, a.stride()) == (b.dtype, b.shape, b.stride())
        if a.is_floating_point() and a.numel() and c.isfinite().all():
            rounding = torch.finfo(dtype).eps * c.abs().max().item()
            assert (a.double() - c).abs().max() <= max((b.double() - c).abs().max().item(), rounding)


def _three(compiled: Any, function: Any, args: list[torch.Tensor]) -> list[tuple[Any, list[torch.Tensor]]]:
    return [(compiled, args), (function, args), (function, [x.double() for x in args])]


def _flat(result: Any) -> list[torch.Tensor]:
    return [result] if isinstance(result, torch.Tensor) else list(result)


def test_weights_that_are_too_long_to_be_bound() -> None:
    """They are bound in windows, where 128 MiB are what the adapter binds at once."""
    x, w = torch.randn(3, 1024), torch.randn(1024, 36000)
    with torch.no_grad():
        compiled, eager = on_device(torch.mm), x @ w
        with Counted() as counted:
            close(compiled(x, w), eager)
    assert (counted["dispatches"], counted["host_steps"]) == (1, 0)


def test_masked_rows_of_attention() -> None:
    """A mask of infinities hides keys; rows that see nothing do as eager."""
    q, k, v = (torch.randn(1, 1, 4, 8) for _ in range(3))
    mask = torch.zeros(4, 4).masked_fill(torch.ones(4, 4).triu(1).bool(), float("-inf"))
    check(lambda q, k, v, m: F.scaled_dot_product_attention(q, k, v, attn_mask=m), q, k, v, mask)


def test_max_pool_of_nan() -> None:
    """NaN is the greatest of its window."""
    x = torch.randn(1, 1, 4, 4)
    x[0, 0, 1, 2] = float("nan")
    x[0, 0, 3, 3] = float("-inf")
    check(lambda x: F.max_pool2d(x, 2, return_indices=True), x)
