"""Sums at indexed places and the gradients of windows, which the backend computes itself."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

from pybind.tests.helpers import check, clone, compiled, same

index_put = torch.ops.aten.index_put


def gradients(function, *args, **options):
    """Assert that results and gradients are eager's."""
    found = []
    for f in (function, compiled(function, **options)):
        leaves = [clone(a).requires_grad_(a.is_floating_point()) for a in args]
        out = f(*leaves)
        torch.manual_seed(0)
        out.backward(torch.randn_like(out))
        found.append([out.detach(), [a.grad for a in leaves if a.requires_grad]])
    same(*reversed(found))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("base", ["zeros", "given", "ones"])
@pytest.mark.parametrize(
    "indices",
    [
        lambda i, j: (i,),
        lambda i, j: (i, j),
        lambda i, j: (slice(None), i),
        lambda i, j: (slice(None), i[:, None], j),
        lambda i, j: (slice(None), slice(None), j),
        lambda i, j: (i, slice(None), j),
        lambda i, j: (i[:, None], j[None], i[:, None]),
    ],
)
def test_index_put_that_accumulates(indices, base, dtype):
    shape = (9, 10, 70)
    places = indices(torch.randint(-9, 9, (13,)), torch.randint(-9, 9, (13,)))
    values = torch.randn_like(torch.empty(shape, dtype=dtype)[places])
    places = [None if isinstance(p, slice) else p for p in places]
    x = torch.randn(shape, dtype=dtype)

    def put(x, values):
        whole = {"zeros": torch.zeros_like, "ones": torch.ones_like, "given": lambda x: x}[base](x)
        return index_put(whole, places, values, True), index_put(whole, places, values[:1, :1], True)

    check(put, x, values)


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("dim", [0, 1, 2, -1])
def test_scatter_add(dim, dynamic):
    x, source = torch.randn(5, 6, 7), torch.randn(5, 6, 7)
    index = torch.randint(0, 5, (5, 4, 7))
    check(lambda x, i, s: x.scatter_add(dim, i, s), x, index, source, dynamic=dynamic)
    check(lambda i, s: torch.zeros(5, 6, 7).scatter_add(dim, i, s), index, source, dynamic=dynamic)
    row = torch.randint(0, 5, (4,))
    check(lambda x, i, s: x.scatter_add(dim, i[:, None].expand(5, 4, 7), s), x, row, source, dynamic=dynamic)
    check(lambda x, s: x.index_add(dim, torch.tensor([1, 4, 1, 0]), s.narrow(dim, 0, 4), alpha=2), x, source)


@pytest.mark.parametrize("padding", [None, 0, 3])
@pytest.mark.parametrize("width", [1, 7, 300])
def test_gradients_of_tables(width, padding):
    table, words = torch.randn(11, width), torch.randint(0, 11, (4, 25))
    gradients(lambda t, w: F.embedding(w, t, padding_idx=padding), table, words)
    gradients(lambda t, w: t.index_select(0, w[0]) * t.gather(0, w[:, :1].expand(4, width)).sum(), table, words)


def of_rows(x, i, v):
    return index_put(x, [i], v, True)


def of_columns(x, i, v):
    return index_put(torch.zeros_like(x), [None, i], v, True)


@pytest.mark.parametrize(("put", "shape", "dim"), [(of_rows, (100, 1030), 0), (of_columns, (3, 40_000), 1)])
def test_sums_have_one_order(put, shape, dim):
    """On any number of threads, that of eager on one: the very same bits."""
    x, i = torch.randn(shape), torch.randint(-shape[dim], shape[dim], (50_000,))
    v = torch.randn([50_000 if d == dim else n for d, n in enumerate(shape)])
    before, found = torch.get_num_threads(), []
    try:
        for threads, f in [(1, put), (1, compiled(put)), (2, compiled(put))]:
            torch.set_num_threads(threads)
            found.append(f(x, i, v))
    finally:
        torch.set_num_threads(before)
    for ours in found[1:]:
        torch.testing.assert_close(ours, found[0], rtol=0, atol=0)


@pytest.mark.parametrize("index", [5, -6, 2**40])
def test_strays_are_errors_as_in_eager(index):
    x, v, i = torch.randn(5, 3), torch.randn(2, 3), torch.tensor([1, index])

    def put(x, i, v):
        return x.index_put((i,), v, accumulate=True)

    def scatter(x, i, v):
        return torch.zeros(5, 3).scatter_add(0, i[:, None].expand(2, 3), v)

    for f in (put, scatter):
        with pytest.raises((IndexError, RuntimeError)) as eager:
            f(x, i, v)
        with pytest.raises(type(eager.value), match="out of bounds"):
            compiled(f)(x, i, v)
    torch.testing.assert_close(compiled(put)(x, i.clamp(0, 4), v), put(x, i.clamp(0, 4), v))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.int64, torch.int32])
def test_other_dtypes_are_left_to_torch(dtype):
    x, v = torch.ones(5, 3).to(dtype), torch.full((6, 3), 2).to(dtype)
    check(lambda x, v: x.index_put((torch.tensor([1, 1, 0, 4, 4, -1]),), v, accumulate=True), x, v)


@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("mode", ["nearest", "bilinear"])
def test_gradients_of_images_in_another_size(mode, last):
    x = torch.randn(2, 3, 9, 7)
    x = x.to(memory_format=torch.channels_last) if last else x
    gradients(lambda x: F.interpolate(x, scale_factor=2, mode=mode), x)
    gradients(lambda x: F.interpolate(x, (5, 12), mode=mode), x)


@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("window", [(2, 2), (3, 2), (1, 4)])
def test_gradients_of_means_under_tiles(window, last):
    x = torch.randn(2, 3, 12, 13)
    x = x.to(memory_format=torch.channels_last) if last else x
    gradients(lambda x: F.avg_pool2d(x, window), x)
    gradients(lambda x: F.avg_pool2d(x, window, divisor_override=5).relu(), x)
    gradients(lambda x: F.avg_pool2d(x[0], window, stride=1), x)
    gradients(lambda x: F.adaptive_avg_pool2d(x[..., :12], (6, 4)), x)
    gradients(lambda x: F.adaptive_avg_pool2d(x, (5, 4)), x)


@pytest.mark.parametrize("padding", [0, 1, (2, 1)])
@pytest.mark.parametrize("dilation", [1, 2, (1, 3)])
@pytest.mark.parametrize("stride", [1, 2])
def test_gradients_of_columns(stride, dilation, padding):
    x = torch.randn(2, 3, 9, 11)
    gradients(lambda x: F.unfold(x, 3, dilation, padding, stride), x)


@pytest.mark.parametrize("step", [2, 3, 4, 5, 9])
@pytest.mark.parametrize("start", [0, 1, 2, 7])
@pytest.mark.parametrize("dim", [0, 1])
def test_gradients_of_slices_with_steps(dim, start, step):
    for end in (None, 13):
        place = (slice(start, end, step),) if dim == 0 else (slice(None), slice(start, end, step))
        gradients(lambda x, place=place: x[place] * 3, torch.randn(20, 21))
    gradients(lambda x: x[..., ::2] * x[..., 1::2].sin(), torch.randn(6, 20), dynamic=True)


@pytest.mark.parametrize("affine", [False, True])
@pytest.mark.parametrize("groups", [1, 2, 4, 8])
@pytest.mark.parametrize("shape", [(2, 8, 5, 7), (1, 8, 3, 4, 5), (2, 8, 1, 2), (3, 8, 1, 6)])
def test_group_norms_with_channels_last(shape, groups, affine):
    """Statistics by way of those of each channel; what is far from 0 is nearer to the truth than eager has it."""
    last = torch.channels_last if len(shape) == 4 else torch.channels_last_3d
    far = torch.arange(8.0).view(1, 8, *[1] * (len(shape) - 2)) * 10
    x = (torch.randn(shape) + far).to(memory_format=last)
    w, b = (torch.randn(8), torch.randn(8)) if affine else (None, None)

    def norm(x, w, b):
        return torch.native_group_norm(x, w, b, shape[0], 8, x[0, 0].numel(), groups, 1e-2)

    def first(x, w, b):
        return F.group_norm(x, groups, w, b, 1e-2)

    wide = [None if t is None else t.double() for t in (x, w, b)]
    for f in (norm, lambda *args: [first(*args)]):
        for ours, true in zip(compiled(f)(x, w, b), f(*wide), strict=True):
            torch.testing.assert_close(ours.double(), true, rtol=1e-4, atol=1e-4)
    assert compiled(first)(x, w, b).stride() == first(x, w, b).stride()


def test_columns_beside_what_walks_rows():
    """A sum over rows and a map of the same input do not share loops in which one of them jumps."""
    x, w = torch.randint(-9, 9, (2048, 512)).float(), torch.randn(512)
    check(lambda x, w: (x * w, x.sum(0), (x * x).sum(0)), x, w)
    square = torch.randint(-9, 9, (256, 256)).float()
    check(lambda x: (x.sum(0), x.sum(1), x.t().amax(0), x + 1, x.t() * 2), square)
