"""Functions on a CUDA device, or on the emulator, against eager: kernels, library calls, memory, streams, errors."""

from __future__ import annotations

import subprocess
import sys

import pytest
import torch
import torch.nn.functional as F

import rust_inductor
from pybind.tests.cuda.device import DEVICE, HAS_GPU, OPTIONS, entries, needs_device, needs_gpu, on_gpu, randn, same
from rust_inductor import _native

pytestmark = needs_device

FLOATS = [torch.float64, torch.float32, torch.float16, torch.bfloat16]
SHAPES = [
    (3, 5),
    (on_gpu(64, 3), 1000),
    (on_gpu(4, 1), on_gpu(70000, 5000)),
    (1, on_gpu(1 << 20, 9000)),
    (on_gpu(5000, 300), 17),
]


@entries
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("size", [1, 7, 1000, on_gpu(1 << 20, 9000)])
def test_pointwise(compiled, dtype, size):
    def f(x, y):
        return torch.cos(torch.sin(x)) * y + torch.exp(-x.abs()), F.gelu(x) / (1 + y * y), (x > y) & (y > 0)

    x, y = randn(size, dtype=dtype), randn(size, dtype=dtype, seed=1)
    same(compiled(f)(x, y), f(x, y))


#: Functions of one float.
ELEMENTARY = (
    *("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "rsqrt", "reciprocal", "sigmoid", "sign"),
    *("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
    *("erf", "erfc", "lgamma", "digamma", "floor", "ceil", "trunc", "round", "frac"),
)


@entries
def test_every_elementary_function_is_as_exact_as_eagers(compiled):
    special = torch.tensor([0.0, -0.0, 1.0, -1.0, float("inf"), float("-inf"), float("nan"), 1e-40, 3e38, 12345.678])
    for dtype in (torch.float32, torch.float64):
        x = torch.cat([randn(on_gpu(4096, 256), dtype=dtype) * 4, special.to(DEVICE, dtype)])

        def f(x):
            return tuple(getattr(torch, name)(x) for name in ELEMENTARY)

        for name, ours, theirs in zip(ELEMENTARY, compiled(f)(x), f(x), strict=True):
            difference = (ours.double() - theirs.double()).abs() / theirs.double().abs().clamp(min=1e-30)
            worst = difference.nan_to_num(0, 0, 0).max().item()
            assert worst < (1e-6 if dtype == torch.float32 else 1e-14), (name, worst)
            assert torch.equal(ours.isnan(), theirs.isnan()), name
            assert torch.equal(ours.isinf(), theirs.isinf()), name


@entries
@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8], ids=str)
def test_integers(compiled, dtype):
    def f(x, y):
        return x + y * 3, x // y.clamp(min=1), x % y.clamp(min=1), x & y, x ^ y, (x << 1) | 1, x.sum(), x.max(), -x

    x = torch.randint(0, 100, (515,), device=DEVICE, dtype=dtype)
    y = torch.randint(0, 100, (515,), device=DEVICE, dtype=dtype)
    same(compiled(f)(x, y), f(x, y))


@entries
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=str)
def test_floats_become_integers(compiled, dtype):
    def f(x):
        return tuple(x.to(to) for to in (torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64, torch.bool))

    x = randn(515, dtype=dtype) * 100
    same(compiled(f)(x), f(x))
    # What no integer is near to becomes the nearest one; a processor would make the least one of each.
    x = torch.tensor([float("nan"), float("inf"), float("-inf"), 3e38, -3e38, 1e10], dtype=dtype, device=DEVICE)
    found = compiled(f)(x)
    most, least = 2**63 - 1, -(2**63)
    assert found[4].tolist() == [least, most, least, most, least, 10**10]
    assert found[1].tolist() == [0, 255, 0, 255, 0, 0]
    if HAS_GPU:
        same(found, f(x))


@entries
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("shape", SHAPES)
def test_reductions(compiled, dtype, shape):
    def f(x):
        whole = x.sum(), x.mean(), x.amax(), x.amin(), x.argmax()
        rows = x.sum(1), x.mean(-1, keepdim=True), x.amax(1), x.argmin(1), x.var(1), x.softmax(1), x.log_softmax(1)
        return whole, rows, (x.sum(0), x.amax(0), x.std(0), x.logsumexp(0)), (x > 0).any(1), (x > 3).all()

    x = randn(*shape, dtype=dtype)
    same(compiled(f)(x), f(x), scale=10)


@entries
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_norms(compiled, dtype):
    def f(x, w, b):
        wide = x if x.dtype == torch.float64 else x.float()
        rms = x * torch.rsqrt((wide**2).mean(-1, keepdim=True) + 1e-6).to(x.dtype) * w
        return F.layer_norm(x, (384,), w, b), rms, F.group_norm(x.transpose(1, 2), 8), F.normalize(x, dim=-1)

    x, w, b = (
        randn(on_gpu(6, 2), on_gpu(50, 5), 384, dtype=dtype),
        randn(384, dtype=dtype, seed=1),
        randn(384, dtype=dtype, seed=2),
    )
    same(compiled(f)(x, w, b), f(x, w, b), scale=4)


@entries
def test_layouts(compiled):
    def f(x, y):
        swapped = x.transpose(0, 2) + y.permute(2, 1, 0)
        cut = torch.cat([x[:, 1:], y[:, :-1]], 1)
        return swapped.contiguous(), cut, x.flip(1), F.pad(x, (1, 2, 3, 0)), x.roll(2, 1), torch.stack([x, y], -1)

    x, y = randn(33, 65, 17), randn(33, 65, 17, seed=1)
    same(compiled(f)(x, y), f(x, y))
    # Views that begin in the middle of a vector.
    half = on_gpu(1 << 17, 1 << 12)
    long = randn(2 * half)
    for start in (0, 1, 2, 3):
        a, b = long[start : start + half], long[half:]
        same(compiled(lambda a, b: (a * 2 + b).relu())(a, b), (a * 2 + b).relu())


@entries
def test_lookups_and_scatters(compiled):
    def f(table, index, x):
        found = F.embedding(index, table)
        added = torch.zeros_like(table).index_add(0, index.flatten(), found.flatten(0, 1) * x)
        gathered = table.gather(0, index[:, :16] % 5)
        return found, added, gathered, table[index], x.cumsum(0), torch.where(x > 0, x, 0).sort(0).values

    table, x = randn(100, 16), randn(64 * 20, 16, seed=1)
    index = torch.randint(0, 100, (64, 20), device=DEVICE)
    same(compiled(f)(table, index, x), f(table, index, x), scale=10)


@entries
def test_libraries(compiled):
    def f(x, w, b, q, image, kernel):
        product = F.gelu(F.linear(x, w, b)) + torch.bmm(x.view(4, 32, 64), w.expand(4, -1, -1).mT[:, :, :64]).sum()
        attention = F.scaled_dot_product_attention(q, q * 0.5, q + 1, is_causal=True)
        image = F.max_pool2d(F.relu(F.conv2d(image, kernel, padding=1)), 2)
        return product, attention, image, F.interpolate(image, scale_factor=2), F.avg_pool2d(image, 2)

    arguments = randn(128, 64), randn(96, 64, seed=1), randn(96, seed=2), randn(2, 4, 64, 32, seed=3)
    images = randn(2, 8, 24, 24, seed=4), randn(16, 8, 3, 3, seed=5)
    same(compiled(f)(*arguments, *images), f(*arguments, *images), scale=100)


@entries
def test_writes_and_aliases(compiled):
    def f(x, y):
        x.add_(1)
        y[1:3].mul_(2)
        view = x.view(-1)
        x[0].fill_(5)
        return x, view, y.T, x + y

    ours = randn(8, 8), randn(8, 8, seed=1)
    theirs = tuple(it.clone() for it in ours)
    results, wanted = compiled(f)(*ours), f(*theirs)
    same(results, wanted)
    same(ours, theirs)
    assert results[0] is ours[0]
    assert results[1].data_ptr() == ours[0].data_ptr()
    assert all(it._version > 0 for it in ours)


@entries
def test_random_numbers_are_eagers(compiled):
    def f(x):
        return F.dropout(x, 0.3, training=True), torch.rand_like(x), torch.randn(5, device=DEVICE), torch.bernoulli(x)

    x = torch.rand(100, 100, device=DEVICE)
    g = compiled(f)
    for seed in (1, 2):
        torch.manual_seed(seed)
        ours = g(x)
        after = torch.rand(3, device=DEVICE)
        torch.manual_seed(seed)
        same(ours, f(x))
        same(after, torch.rand(3, device=DEVICE))


@entries
def test_both_devices_in_one_graph(compiled):
    def f(x, host):
        moved = host.to(DEVICE) * 2 + x
        back = (moved.sum(1)).cpu() + host.sum(1)
        return moved, back, host + 1, x * torch.tensor(0.5), torch.arange(4).to(DEVICE)

    x, host = randn(4, 4), torch.randn(4, 4)
    same(compiled(f)(x, host), f(x, host))
    if HAS_GPU:
        with pytest.raises(Exception, match="device"):
            compiled(lambda x, y: x + y)(x, host)


@entries
def test_sizes_that_change(compiled):
    def f(x, w):
        return torch.softmax(x @ w, -1).sum(0), (x * 2).mean(1)

    g = compiled(f)
    w = randn(32, 48)
    for size in (4, 9, 1, 33, 1000, 0):
        x = randn(size, 32, seed=size)
        same(g(x, w), f(x, w), scale=10)


@entries
def test_no_elements(compiled):
    def f(x):
        return x + 1, x.sum(), x.sum(0), torch.cat([x, x])

    for shape in ((0,), (0, 3), (3, 0)):
        x = randn(*shape)
        same(compiled(f)(x), f(x))


@needs_gpu
@entries
def test_other_streams(compiled):
    def f(x):
        return ((x * 2).softmax(-1) + 1).sum(-1)

    g, x = compiled(f), randn(2048, 2048)
    wanted = f(x)
    g(x)
    streams = [torch.cuda.Stream() for _ in range(4)]
    results = []
    for stream in streams * 8:
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            results.append(g(x))
    torch.cuda.synchronize()
    for result in results:
        same(result, wanted)


@needs_gpu
@entries
def test_a_call_does_not_wait(compiled):
    def f(x):
        return (x @ x).softmax(-1) * 2

    g, x = compiled(f), randn(4096, 4096)
    g(x)
    torch.cuda.synchronize()
    torch.cuda.set_sync_debug_mode("error")
    try:
        g(x)
    finally:
        torch.cuda.set_sync_debug_mode("default")
    torch.cuda._sleep(400_000_000)
    done = torch.cuda.Event()
    g(x)
    done.record()
    assert not done.query()
    torch.cuda.synchronize()


@needs_gpu
@entries
def test_memory_comes_from_torch_and_goes_back(compiled):
    def f(x):
        for _ in range(4):
            x = (x.softmax(-1) + x.sum(0)).T.contiguous()
        return x

    g, x = compiled(f), randn(2048, 2048)
    g(x)
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    for _ in range(5):
        g(x)
    ours = torch.cuda.max_memory_allocated() - before
    assert torch.cuda.memory_allocated() == before
    torch.cuda.reset_peak_memory_stats()
    f(x)
    # A little more is for partial sums.
    assert ours <= torch.cuda.max_memory_allocated() - before + (1 << 20)


@needs_gpu
@entries
def test_memory_that_is_not_there(compiled):
    def f(x):
        return x.expand(1 << 16, 1 << 20) + 1

    x = randn(1 << 20)
    with pytest.raises(torch.OutOfMemoryError):
        compiled(f)(x)
    same(compiled(lambda x: x + 1)(x), x + 1)


@needs_gpu
def test_more_elements_than_an_index_of_30_bits():
    for size in ((1024, 1024, 1024), ((1 << 30) + 5,)):
        x = torch.empty(size, device=DEVICE).uniform_(-3, 3)
        ours = torch.compile(lambda x: torch.cos(torch.sin(x)), backend="rust_inductor", fullgraph=True)(x)
        theirs = torch.cos(torch.sin(x))
        assert (ours - theirs).abs().max().item() < 1e-6
        del x, ours, theirs
        torch.cuda.empty_cache()


#: Looks an index up that is out of bounds, and says what comes of it.
OUT_OF_BOUNDS = """
import torch, rust_inductor
table, index = torch.randn(10, 4, device="cuda"), torch.tensor([1, 99], device="cuda")
try:
    {compiled}(lambda table, index: torch.nn.functional.embedding(index, table) * 2)(table, index)
    torch.cuda.synchronize()
except Exception as error:
    print("device-side assert" in str(error))
"""


@needs_gpu
@pytest.mark.parametrize("entry", ["rust_inductor.compile", "torch.compile(backend='rust_inductor')"])
def test_an_index_out_of_bounds_fails_as_eagers_does(entry):
    program = OUT_OF_BOUNDS.format(compiled=entry)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.split() == ["True"], done.stderr[-2000:]


needs_emulator = pytest.mark.skipif(HAS_GPU, reason="the emulator is for machines without a GPU")


@needs_emulator
@entries
def test_an_index_out_of_bounds_is_eagers_error(compiled):
    f = compiled(lambda table, index: F.embedding(index, table) * 2)
    table = randn(10, 4)
    for _ in range(2):
        with pytest.raises(IndexError):
            f(table, torch.tensor([1, 99]))
        index = torch.tensor([1, 9])
        same(f(table, index), F.embedding(index, table) * 2)


@needs_emulator
@entries
def test_a_launch_that_fails_is_told_and_the_next_one_works(compiled):
    f, x = compiled(lambda x: (x.sin() + 1).sum(0)), randn(30, 40)
    same(f(x), (x.sin() + 1).sum(0))
    _native.fail_next_cuda_launch("an illegal memory access was encountered")
    with pytest.raises(RuntimeError, match="illegal memory access"):
        f(x)
    same(f(x), (x.sin() + 1).sum(0))


@needs_emulator
def test_every_step_is_the_devices():
    explained = str(rust_inductor.explain(lambda x: x.softmax(-1) * 2, options=OPTIONS)(randn(8, 300)))
    assert "on CUDA emulated on the processor, 0 steps on the processor" in explained
