"""The WebGPU device, on the software adapter of Mesa: small shapes, within 1e-3 of eager."""

from __future__ import annotations

import copy
import os
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import nn
from torch.nn import functional as F

import rust_inductor
from rust_inductor import _native

if TYPE_CHECKING:
    from collections.abc import Callable

OPTIONS: dict[str, Any] = {"device": "wgpu", "adapter": "software"}


def _has_adapter() -> bool:
    try:
        _native.check_options(OPTIONS)
    except RuntimeError as error:
        if "no WebGPU adapter was found" not in str(error):
            raise
        warnings.warn(f"SKIPPED: {error}", stacklevel=1)
        return False
    return True


pytestmark = pytest.mark.skipif(
    not _has_adapter(), reason="this machine has no WebGPU adapter, not even a software one"
)


def on_device(function: Callable[..., Any], **kwargs: Any) -> Any:
    """The function, compiled for the device."""
    kwargs.setdefault("dynamic", False)
    return torch.compile(function, backend="rust_inductor", options=OPTIONS, **kwargs)


def close(ours: Any, eager: Any) -> None:
    """Assert equal values within 1e-3, and the same dtypes, sizes and strides."""
    if isinstance(eager, torch.Tensor):
        torch.testing.assert_close(ours, eager, rtol=1e-3, atol=1e-3, equal_nan=True, check_stride=True)
    elif isinstance(eager, list | tuple):
        for a, b in zip(ours, eager, strict=True):
            close(a, b)
    else:
        assert ours == eager


def check(function: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
    """Assert that the function gives on the device what it gives eagerly; twice, as the second run reuses memory."""
    with torch.no_grad():
        eager = function(*args)
        compiled = on_device(function, **kwargs)
        close(compiled(*args), eager)
        close(compiled(*args), eager)


class Counted:
    """What the device did in a block."""

    def __enter__(self) -> Counted:
        self.before = _native.device_counters(OPTIONS)
        return self

    def __exit__(self, *_: object) -> None:
        after = _native.device_counters(OPTIONS)
        self.done = {name: after[name] - self.before[name] for name in after if name != "name"}

    def __getitem__(self, name: str) -> int:
        return int(self.done[name])


LIBRARY: dict[str, tuple[Any, ...]] = {
    "mm": (lambda a, b: a @ b, (33, 47), (47, 29)),
    "mm of large tiles": (lambda a, b: a @ b, (70, 40), (40, 130)),
    "mm transposed": (lambda a, b: a.t() @ b.t(), (47, 33), (29, 47)),
    "mm of rows": (lambda a, b: a[::2] @ b[:, 1:], (33, 47), (47, 29)),
    "mm without k": (lambda a, b: a @ b, (3, 0), (0, 4)),
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


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("name", LIBRARY)
def test_library_kernels_on_halves(name: str, dtype: torch.dtype) -> None:
    """The device computes in ``float32`` and rounds once: no further from ``float64`` than eager or the rounding."""
    function, *shapes = LIBRARY[name]
    args = [torch.randn(shape, dtype=dtype) for shape in shapes]
    compiled = on_device(function)
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


FUSED: dict[str, tuple[Any, ...]] = {
    "linear and gelu": (lambda x, w, b: F.gelu(F.linear(x, w, b)), (5, 20), (70, 20), (70,)),
    "linear of three dimensions": (lambda x, w, b: F.silu(F.linear(x, w, b)), (2, 5, 20), (30, 20), (30,)),
    "residual": (lambda x, w: torch.relu(x @ w) + x, (33, 40), (40, 40)),
    "rows and columns": (lambda x, w, c, r: (x @ w) * c + r, (70, 20), (20, 66), (66,), (70, 1)),
    "batches": (lambda a, b, m: torch.bmm(a, b) * 0.25 + m, (3, 17, 20), (3, 20, 9), (17, 9)),
    "a mask": (lambda x, w: (x @ w) > 0.5, (33, 20), (20, 47)),
    "half": (lambda x, w: torch.tanh(x @ w).half(), (33, 20), (20, 47)),
    "two results": (lambda x, w: (lambda y: (y.exp(), y > 0))(x @ w), (33, 20), (20, 47)),
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
    """What is done to each element of a product is done before it is stored: a dispatch for both."""
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


TRAINED: dict[str, tuple[Any, ...]] = {
    "conv2d": (lambda x, w, b: F.conv2d(x, w, b, padding=1), (2, 3, 9, 8), (5, 3, 3, 3), (5,)),
    "conv2d strided": (lambda x, w: F.conv2d(x, w, stride=(2, 3), padding=(3, 0)), (1, 3, 12, 11), (4, 3, 7, 2)),
    "conv2d in groups": (lambda x, w: F.conv2d(x, w, groups=2, dilation=2), (2, 4, 9, 8), (6, 2, 3, 3)),
    "conv1d": (lambda x, w, b: F.conv1d(x, w, b, padding=2), (2, 3, 20), (4, 3, 5), (4,)),
    "max pool": (lambda x: F.max_pool2d(x, 3, stride=2, padding=1), (2, 3, 9, 8)),
    "avg pool": (lambda x: F.avg_pool2d(x, 3, stride=2, padding=1), (2, 3, 9, 8)),
    "avg pool without padding": (
        lambda x: F.avg_pool2d(x, 3, stride=2, padding=1, ceil_mode=True, count_include_pad=False),
        (2, 3, 9, 8),
    ),
    "adaptive pool": (lambda x: F.adaptive_avg_pool2d(x, (2, 3)), (2, 3, 9, 8)),
    "adaptive pool, wider": (lambda x: F.adaptive_avg_pool2d(x, (5, 12)), (2, 3, 9, 8)),
    "attention": (F.scaled_dot_product_attention, (2, 3, 19, 24), (2, 3, 21, 24), (2, 3, 21, 24)),
    "attention causal": (
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
        (1, 2, 40, 64),
        (1, 2, 40, 64),
        (1, 2, 40, 64),
    ),
    "attention masked": (
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, attn_mask=torch.ones(5, 7).tril(2) * 2 - 1, scale=0.3),
        (2, 2, 5, 8),
        (2, 2, 7, 8),
        (2, 2, 7, 8),
    ),
}


TRAINED["transposed conv2d"] = (
    lambda x, w, b: F.conv_transpose2d(x, w, b, stride=2, padding=1, output_padding=1),
    (2, 6, 5, 4),
    (6, 3, 3, 3),
    (3,),
)
TRAINED["transposed conv2d in groups"] = (
    lambda x, w: F.conv_transpose2d(x, w, stride=(3, 1), groups=2, dilation=2),
    (2, 6, 5, 4),
    (6, 2, 3, 2),
)
TRAINED["transposed conv1d"] = (lambda x, w, b: F.conv_transpose1d(x, w, b, padding=1), (2, 6, 9), (6, 4, 3), (4,))
TRAINED["conv3d"] = (
    lambda x, w, b: F.conv3d(x, w, b, stride=(1, 2, 1), padding=(0, 1, 2), groups=2),
    (2, 4, 5, 6, 7),
    (6, 2, 2, 3, 2),
    (6,),
)
TRAINED["transposed conv3d"] = (
    lambda x, w, b: F.conv_transpose3d(x, w, b, stride=(1, 2, 1), padding=1, output_padding=(0, 1, 0)),
    (1, 4, 3, 4, 5),
    (4, 3, 2, 3, 2),
    (3,),
)
TRAINED["attention whose heads share keys"] = (
    lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True),
    (2, 6, 19, 24),
    (2, 2, 19, 24),
    (2, 2, 19, 24),
)
TRAINED["embedding"] = (lambda w: F.embedding(torch.tensor([[3, 1, 1], [0, 4, 3]]), w), (5, 70))
TRAINED["embedding of one row"] = (lambda w: F.embedding(torch.tensor([3, 1, 2, 2]), w, padding_idx=2), (5, 8))


@pytest.mark.parametrize("name", TRAINED)
def test_backward_of_library_kernels(name: str) -> None:
    """Gradients of all arguments; both graphs run on the device alone."""
    function, *shapes = TRAINED[name]
    ours = [torch.randn(shape, requires_grad=True) for shape in shapes]
    theirs = [x.detach().clone().requires_grad_() for x in ours]
    with Counted() as counted:
        result = on_device(function)(*ours)
        factor = torch.randn_like(result)
        (result * factor).sum().backward()
    assert counted["host_steps"] == 0
    eager = function(*theirs)
    (eager * factor).sum().backward()
    close(result.detach(), eager.detach())
    close([x.grad for x in ours], [x.grad for x in theirs])


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


ZOO: dict[str, Callable[..., Any]] = {
    "pointwise": lambda x: torch.tanh(x) * torch.sigmoid(x) + F.gelu(x) - x.abs().sqrt(),
    "broadcast": lambda x: x + x[:1] * x[:, :1],
    "transpose": lambda x: x.t().contiguous() + 1,
    "sum of all": lambda x: x.sum(),
    "sums": lambda x: (x.sum(0), x.sum(1), x.mean(0, keepdim=True)),
    "softmax": lambda x: (F.softmax(x, -1), F.log_softmax(x, 0)),
    "layer norm": lambda x: F.layer_norm(x, x.shape[1:]),
    "var": lambda x: torch.var_mean(x, 1),
    "extremes": lambda x: (x.amax(0), x.amin(1), x.argmax(1), x.argmin(0)),
    "bool": lambda x: (x > 0, (x > 0) & (x < 1), (x > 0).any(1), (x > 5).all()),
    "where": lambda x: torch.where(x > 0, x, -x),
    "ints": lambda x: (x.to(torch.int32) // 2, x.to(torch.int64) % 3, x.to(torch.uint8) + 1),
    "cumsum": lambda x: x.cumsum(1),
    "cat": lambda x: torch.cat([x, x * 2, x[:3]], 0),
    "gather": lambda x: x.gather(1, (x > 0).long()),
    "index": lambda x: x[torch.tensor([3, 0, -1]), torch.tensor([1, 2, 3])],
    "scatter": lambda x: torch.zeros(5, 17).index_add(0, torch.arange(13) % 5, x[:13]),
    "index put": lambda x: x.index_put((torch.tensor([0, 0, 2]),), x[:3], accumulate=True),
    "one hot": lambda x: F.one_hot(x.argmax(1), 17),
    "embedding": lambda x: F.embedding(torch.tensor([[0, 2], [5, 1]]), x),
    "pad": lambda x: F.pad(x, (1, 2, 3, 0), value=0.5),
    "tril": lambda x: x.tril() + x.triu(2),
    "float64": lambda x: x.double().exp().sum(),
    "bfloat16": lambda x: (x.bfloat16() * 2).float(),
    "complex": lambda x: torch.view_as_real(torch.polar(x, x)),
    "sort": lambda x: x.sort(1),
    "empty": lambda x: (x[:0] + 1, x[:0].sum()),
}


@pytest.mark.parametrize("name", ZOO)
def test_zoo(name: str) -> None:
    """Whoever runs it, device or processor, gives what eager gives."""
    check(ZOO[name], torch.randn(13, 17) if name != "index" else torch.randn(4, 17))


def test_weights_are_uploaded_once() -> None:
    """Only inputs move after the first call, until somebody writes to a weight."""
    first = nn.Linear(64, 64)
    model = nn.Sequential(first, nn.ReLU(), nn.Linear(64, 32))
    x = torch.randn(4, 64)
    compiled = on_device(model)
    with torch.no_grad():
        close(compiled(x), model(x))
        with Counted() as counted:
            close(compiled(x), model(x))
        assert counted["bytes_up"] < 4 * 64 * 32
        assert counted["submissions"] == counted["waits"]
        first.weight.mul_(2.0)
        with Counted() as counted:
            close(compiled(x), model(x))
        assert 4 * 64 * 64 <= counted["bytes_up"] < 2 * 4 * 64 * 64
        first.weight.data.neg_()
        close(compiled(x), model(x))
        first.weight = nn.Parameter(torch.zeros(64, 64))
        close(compiled(x), model(x))
        model.load_state_dict({name: torch.randn_like(value) for name, value in model.state_dict().items()})
        close(compiled(x), model(x))


@pytest.mark.parametrize("write", ["data", "numpy"])
def test_writes_that_torch_does_not_count(write: str) -> None:
    """One element that is written behind torch's back is seen at the next call."""
    model = nn.Linear(300, 200)
    compiled, x = on_device(model), torch.randn(3, 300)
    with torch.no_grad():
        for number in range(3):
            close(compiled(x), model(x))
            version = model.weight._version
            if write == "data":
                model.weight.data[3, number] = 40.0
            else:
                model.weight.detach().numpy()[150, number] = 40.0
            assert model.weight._version == version
            close(compiled(x), model(x))
        with Counted() as counted:
            close(compiled(x), model(x))
        assert counted["bytes_up"] < 4 * 300 * 200


def test_frozen_weights() -> None:
    """Who promises not to write behind torch's back is believed; what torch counts is seen all the same."""
    model = nn.Linear(30, 20)
    compiled = torch.compile(model, backend="rust_inductor", options={**OPTIONS, "freezing": True}, dynamic=False)
    x = torch.randn(3, 30)
    with torch.no_grad():
        before = model(x)
        close(compiled(x), before)
        with Counted() as counted:
            close(compiled(x), before)
        assert counted["bytes_up"] <= 4 * 3 * 30 + 256
        model.weight.data[0, 0] = 40.0
        close(compiled(x), before)
        model.weight.mul_(0.5)
        close(compiled(x), model(x))
        model.weight = nn.Parameter(torch.randn(20, 30))
        close(compiled(x), model(x))


def test_inputs_over_foreign_memory_are_read_at_each_call() -> None:
    """What NumPy writes is seen, though torch does not count it."""
    array = torch.zeros(8).numpy()
    x = torch.from_numpy(array)
    compiled = on_device(lambda x: x @ x)
    compiled(x)
    array[:] = 2.0
    assert compiled(x).item() == 32.0


def test_training_step_of_an_mlp() -> None:
    """Forward, backward and the optimiser's writes, several times."""
    ours = nn.Sequential(nn.Linear(20, 40), nn.GELU(), nn.LayerNorm(40), nn.Linear(40, 5))
    theirs = copy.deepcopy(ours)
    compiled = on_device(ours)
    steps = [(model, torch.optim.AdamW(model.parameters(), lr=0.01)) for model in (compiled, theirs)]
    x, target = torch.randn(16, 20), torch.randint(0, 5, (16,))
    for _ in range(3):
        losses = []
        for model, optimiser in steps:
            optimiser.zero_grad()
            loss = F.cross_entropy(model(x), target)
            loss.backward()
            optimiser.step()
            losses.append(loss.detach())
        close(losses[0], losses[1])
    for a, b in zip(ours.parameters(), theirs.parameters(), strict=True):
        close(a.grad, b.grad)
        close(a.detach(), b.detach())


def test_dropout() -> None:
    """Eager's generator draws what stays, and nothing waits for it: the rest is the device's."""
    model = nn.Sequential(nn.Linear(20, 40), nn.ReLU(), nn.Dropout(0.3), nn.Linear(40, 40), nn.Dropout(0.5))
    compiled, x = on_device(model), torch.randn(16, 20)

    def step(run: Any) -> list[torch.Tensor]:
        model.zero_grad()
        torch.manual_seed(5)
        result = run(x)
        result.square().sum().backward()
        return [result.detach(), torch.rand(1), *(parameter.grad for parameter in model.parameters())]

    eager = step(model)
    close(step(compiled), eager)
    with Counted() as counted:
        close(step(compiled), eager)
    assert (counted["submissions"], counted["waits"]) == (2, 2)
    drawn = rust_inductor.explain(lambda x: F.dropout(x, 0.3), options=OPTIONS)(torch.randn(4))
    assert "aten.bernoulli" in str(drawn)


def test_what_forward_leaves_for_backward_stays() -> None:
    """Backward uploads the gradient alone; a value that was written to in between is the processor's."""
    model = nn.Sequential(nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))
    compiled, x = on_device(model), torch.randn(32, 64)
    compiled(x).sum().backward()
    eager = [parameter.grad for parameter in model.parameters()]
    model.zero_grad()
    result = compiled(x)
    with Counted() as counted:
        result.sum().backward()
    assert counted["bytes_up"] <= 4 * 32 * 64 + 1024
    close([parameter.grad for parameter in model.parameters()], eager)


def test_results_are_not_uploaded_again() -> None:
    """What one graph has computed and the next reads is on the device; what was written to in between is not."""

    @torch._dynamo.disable
    def meddle(x: torch.Tensor) -> None:
        if writes:
            x.data[7, 3] = 40.0

    def function(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        y = torch.relu(x @ w)
        meddle(y)
        return y @ w + 1

    compiled, x, w = on_device(function), torch.randn(100, 64), torch.randn(64, 64)
    for writes in (False, True, False):
        with torch.no_grad():
            close(compiled(x, w), function(x, w))
            with Counted() as counted:
                close(compiled(x, w), function(x, w))
        given = 4 * (100 * 64 + 2 * 64 * 64)
        assert counted["bytes_up"] <= given + 512 + writes * 4 * 100 * 64


def test_sizes_that_change() -> None:
    """One graph for all sizes."""
    model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 8), nn.Softmax(-1))
    compiled = on_device(model, dynamic=True)
    with torch.no_grad():
        for rows in (5, 1, 33, 200, 5):
            x = torch.randn(rows, 16)
            close(compiled(x), model(x))


def test_through_our_own_capture() -> None:
    """``rust_inductor.compile`` takes the same options."""

    @rust_inductor.compile(options=OPTIONS)
    def function(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return torch.relu(x @ y) + 1

    x, y = torch.randn(9, 8), torch.randn(8, 7)
    with Counted() as counted:
        close(function(x, y), torch.relu(x @ y) + 1)
    assert counted["dispatches"] >= 1


def test_a_chain_is_one_submission() -> None:
    """Nothing is waited for before the result."""
    weights = [torch.randn(32, 32) / 8 for _ in range(5)]

    def chain(x: torch.Tensor) -> torch.Tensor:
        for weight in weights:
            x = x @ weight
        return x

    with Counted() as counted:
        close(on_device(chain)(weights[0]), chain(weights[0]))
    assert (counted["dispatches"], counted["submissions"], counted["waits"]) == (5, 1, 1)
    assert counted["host_steps"] == 0


def test_explain_names_the_device() -> None:
    """And says what the processor does instead, with the reason."""
    explanation = rust_inductor.explain(lambda x: torch.polar(x, x), options=OPTIONS)(torch.randn(4))
    text = str(explanation)
    assert _native.device_counters(OPTIONS)["name"] in text
    assert "polar" in text


def test_an_index_out_of_bounds_is_eager_s_error() -> None:
    """The flag of a kernel is looked at in the end."""
    table = torch.randn(4, 3)
    compiled = on_device(lambda i, t: F.embedding(i, t) * 2)
    close(compiled(torch.tensor([0, 3]), table), table[[0, 3]] * 2)
    with pytest.raises(IndexError, match="out of range"):
        compiled(torch.tensor([0, 4]), table)
    close(compiled(torch.tensor([1, 2]), table), table[[1, 2]] * 2)


def test_threads() -> None:
    """Several may call at once."""
    model = nn.Linear(24, 24)
    compiled = on_device(model)
    inputs = [torch.randn(6, 24) for _ in range(4)]
    with torch.no_grad():
        compiled(inputs[0])

    def work(number: int) -> None:
        with torch.no_grad():
            results = [compiled(inputs[number]) for _ in range(20)]
            eager = model(inputs[number])
            for result in results:
                close(result, eager)

    with ThreadPoolExecutor(4) as pool:
        # What a thread raises is raised here.
        list(pool.map(work, range(4)))


def test_a_lost_device() -> None:
    """An error, or the next run's device; the process goes on."""
    model = nn.Linear(8, 8)
    compiled = on_device(model)
    x = torch.randn(3, 8)
    with torch.no_grad():
        close(compiled(x), model(x))
        _native.lose_device(OPTIONS)
        try:
            close(compiled(x), model(x))
        except RuntimeError as error:
            assert "lost" in str(error)
        close(compiled(x), model(x))


def test_exhausted_memory() -> None:
    """An error, as eager's is one; the process goes on, and so do runs that need less."""
    compiled = on_device(lambda x: torch.tanh(x @ x) @ x, dynamic=None)
    large, small = torch.randn(1500, 1500) / 40, torch.randn(8, 8)
    with torch.no_grad():
        rust_inductor.reset()
        _native.limit_device_memory(OPTIONS, 16 << 20)
        try:
            with pytest.raises(MemoryError, match="out of memory, allocating 9000000 bytes"):
                compiled(large)
            close(compiled(small), torch.tanh(small @ small) @ small)
        finally:
            _native.limit_device_memory(OPTIONS, None)
        close(compiled(large)[0], (torch.tanh(large @ large) @ large)[0])


def test_a_forked_process() -> None:
    """It opens a device of its own."""
    x = torch.randn(5, 5)
    compiled = on_device(lambda x: x @ x)
    expected = compiled(x)
    child = os.fork()
    if child == 0:
        os._exit(0 if torch.equal(compiled(x), expected) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


PLAIN = """
import torch
from torch.nn.functional import embedding, relu

def function(i, x, table):
    return i + 1, relu(x) @ x, embedding(i % 4, table), x.argmax(1)

compiled = torch.compile(function, backend="rust_inductor", options=OPTIONS, dynamic=False)
x, table = torch.randn(5, 5), torch.randn(4, 3)
for i in (torch.tensor([0, 7, 2]), torch.tensor([2**40, 5, -(2**40)])):
    for ours, eager in zip(compiled(i, x, table), function(i, x, table)):
        torch.testing.assert_close(ours, eager, rtol=1e-3, atol=1e-3)
"""


def test_the_least_of_devices() -> None:
    """Without optional features integers have 32 bits there; what does not fit is the processor's."""
    code = PLAIN.replace("OPTIONS", repr(OPTIONS))
    subprocess.run([sys.executable, "-c", code], env={**os.environ, "RUST_INDUCTOR_PORTABLE": "1"}, check=True)


def test_without_an_adapter() -> None:
    """One error, which says what to install."""
    code = f"from rust_inductor import _native; _native.check_options({OPTIONS!r})"
    nowhere = {"VK_DRIVER_FILES": "/nonexistent", "VK_ICD_FILENAMES": "/nonexistent"}
    run = subprocess.run([sys.executable, "-c", code], env={**os.environ, **nowhere}, capture_output=True, check=False)
    assert run.returncode == 1
    assert b"no WebGPU adapter was found" in run.stderr
    assert b"mesa-vulkan-drivers" in run.stderr


def test_options_are_checked() -> None:
    """A device, an adapter that is not there; an adapter without a device."""
    with pytest.raises(Exception, match="option `device` takes"):
        torch.compile(torch.sin, backend="rust_inductor", options={"device": "tpu"})(torch.ones(2))
    with pytest.raises(Exception, match="no WebGPU adapter is named `no such thing`; there are: "):
        options: dict[str, Any] = {"device": "wgpu", "adapter": "no such thing"}
        torch.compile(torch.sin, backend="rust_inductor", options=options)(torch.ones(2))
    with pytest.raises(Exception, match="goes with the option"):
        torch.compile(torch.sin, backend="rust_inductor", options={"adapter": "software"})(torch.ones(2))


def test_mixed_devices() -> None:
    """Tensors of another device than the host's do what they do eagerly."""
    x, y = torch.randn(3), torch.randn(3, device="meta")
    with pytest.raises(Exception, match="meta"):
        x + y
    with pytest.raises(Exception, match="meta"):
        on_device(lambda x, y: x + y)(x, y)


def _bert() -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    transformers = pytest.importorskip("transformers")
    config = transformers.BertConfig(
        hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128, vocab_size=100
    )
    return transformers.BertModel(config), (torch.randint(0, 100, (2, 12)), torch.ones(2, 12, dtype=torch.int64))


def _gpt2() -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    transformers = pytest.importorskip("transformers")
    config = transformers.GPT2Config(n_embd=64, n_layer=2, n_head=4, vocab_size=100, n_positions=32, use_cache=False)
    config.attn_pdrop = 0.0
    return transformers.GPT2LMHeadModel(config), (torch.randint(0, 100, (2, 12)),)


def _resnet() -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    torchvision = pytest.importorskip("torchvision")
    return torchvision.models.resnet18(num_classes=10), (torch.randn(1, 3, 32, 32),)


def _vit() -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    transformers = pytest.importorskip("transformers")
    config = transformers.ViTConfig(
        hidden_size=48, num_hidden_layers=2, num_attention_heads=3, intermediate_size=96, image_size=32, patch_size=8
    )
    return transformers.ViTModel(config), (torch.randn(2, 3, 32, 32),)


MODELS = {"BERT": _bert, "GPT-2": _gpt2, "ResNet-18": _resnet, "ViT": _vit}


@pytest.mark.parametrize("name", MODELS)
def test_models(name: str) -> None:
    """Whole models; what is waited for are results, and weights stay where they are."""
    model, inputs = MODELS[name]()
    model.eval()
    compiled = on_device(model)
    with torch.no_grad():
        eager = _tensors(model(*inputs))
        close(_tensors(compiled(*inputs)), eager)
        with Counted() as counted:
            close(_tensors(compiled(*inputs)), eager)
    assert counted["submissions"] <= 2 + counted["host_steps"]
    assert counted["bytes_up"] < 1 << 17


@pytest.mark.parametrize(("name", "dtype"), [*((name, torch.bfloat16) for name in MODELS), ("GPT-2", torch.float16)])
def test_models_of_halves(name: str, dtype: torch.dtype) -> None:
    """The device alone runs them, and errs about as much as eager does, against ``float64``."""
    model, inputs = MODELS[name]()

    def cast(values: tuple[torch.Tensor, ...], to: torch.dtype) -> list[torch.Tensor]:
        return [x.to(to) if x.is_floating_point() else x for x in values]

    exact = copy.deepcopy(model.to(dtype).eval()).double()
    given = cast(inputs, dtype)
    compiled = on_device(model)
    with torch.no_grad():
        runs = [_tensors(run(*x)) for run, x in ((compiled, given), (model, given))]
        wanted = _tensors(exact(*cast(tuple(given), torch.float64)))
        with Counted() as counted:
            _tensors(compiled(*given))
    ours, eager = ([(a.double() - b).abs().max().item() for a, b in zip(run, wanted, strict=True)] for run in runs)
    assert all(a <= 1.5 * b + torch.finfo(dtype).eps for a, b in zip(ours, eager, strict=True)), (ours, eager)
    assert counted["submissions"] == 1
    # Without integers of 64 bits some steps are the processor's.
    assert counted["host_steps"] == 0 or "RUST_INDUCTOR_PORTABLE" in os.environ


def test_a_model_with_dropout_in_training() -> None:
    """A submission forward, one backward; what stays is what eager keeps."""
    model, inputs = MODELS["GPT-2"]()
    model.train()
    compiled = on_device(model)

    def step(run: Any) -> list[Any]:
        model.zero_grad()
        torch.manual_seed(4)
        result = _tensors(run(*inputs))[0]
        result.square().mean().backward()
        return [result.detach(), *(parameter.grad for parameter in model.parameters())]

    eager = step(model)
    close(step(compiled), eager)
    with Counted() as counted:
        step(compiled)
    assert (counted["submissions"], counted["waits"]) == (2, 2)


@pytest.mark.parametrize("name", ["GPT-2", "ResNet-18"])
def test_models_in_training(name: str) -> None:
    """Forward and backward run on the device alone; gradients are eager's."""
    model, inputs = MODELS[name]()
    if name == "ResNet-18":
        inputs = (torch.randn(2, 3, 40, 40),)
    theirs = copy.deepcopy(model)
    for module in (*model.modules(), *theirs.modules()):
        module.training = not isinstance(module, nn.Dropout)
    with Counted() as counted:
        ours = _tensors(on_device(model)(*inputs))[0]
        ours.square().mean().backward()
    # Without integers of 64 bits some steps are the processor's.
    assert counted["host_steps"] == 0 or "RUST_INDUCTOR_PORTABLE" in os.environ
    eager = _tensors(theirs(*inputs))[0]
    eager.square().mean().backward()
    close(ours.detach(), eager.detach())
    for a, b in zip(model.parameters(), theirs.parameters(), strict=True):
        close(a.grad, b.grad)


def _tensors(result: Any) -> list[torch.Tensor]:
    """The tensors of what a model gives."""
    if isinstance(result, torch.Tensor):
        return [result]
    return [value for value in result.to_tuple() if isinstance(value, torch.Tensor)]
