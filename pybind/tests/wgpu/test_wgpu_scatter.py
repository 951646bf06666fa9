"""Scattering on the device: elements go where others say, in eager's order; what is out of bounds is eager's error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

import rust_inductor
from pybind.tests.wgpu.device import Counted, alone, close, needs_adapter, on_device

pytestmark = needs_adapter

#: A place of six, twenty times.
PLACES = torch.tensor([0, 2, 5, 2, 2, 1, 0, 4, 5, 5, 2, 0, 1, 1, 3, 3, 0, 2, 4, 5])

#: Functions of a tensor of 6 × 5 × 4 elements, of twenty such rows, and of places in the first.
ALONG: dict[str, Callable[[Tensor, Tensor, Tensor], Any]] = {
    "scatter": lambda x, y, i: x.scatter(0, i[:, None, None].expand(20, 5, 4), y),
    "scatter along another": lambda x, y, i: x.scatter(-1, (i[:18] % 4).view(6, 3, 1), y[:6, :3]),
    "scatter of a part": lambda x, y, i: x.scatter(1, (i[:12] % 5).view(2, 3, 2), y),
    "scatter a number": lambda x, y, i: x.scatter(1, (i % 5).view(5, 2, 2), 1),
    "scatter and multiply": lambda x, y, i: x.scatter(0, i[:, None, None], 2, reduce="multiply"),
    "scatter_add": lambda x, y, i: x.scatter_add(0, i[:, None, None].expand(20, 5, 4), y),
    "scatter_add apart": lambda x, y, i: x.scatter_add(2, (i % 4).view(5, 4, 1).expand(5, 4, 3), y[:5, :4, :3]),
    "index_add": lambda x, y, i: x.index_add(0, i, y),
    "index_add scaled": lambda x, y, i: x.index_add(-2, i[:3] % 5, y[:6, :3], alpha=2),
    "index_copy": lambda x, y, i: x.index_copy(0, i[:3], y[:3]),
    "index_copy within": lambda x, y, i: x.index_copy(2, i[:3] % 4, y[:6, :, :3]),
    "index_fill": lambda x, y, i: x.index_fill(1, i[:4] - 5, 1),
    "index_fill by a tensor": lambda x, y, i: x.index_fill(0, i[:4], y[0, 0, 0]),
    "index_put": lambda x, y, i: x.index_put((i[:4] - 6,), y[:4]),
    "index_put and add": lambda x, y, i: x.index_put((i,), y, accumulate=True),
    "index_put of two": lambda x, y, i: x.index_put((i[:4], i[2:6] % 5), y[:4, 0], accumulate=True),
    "index_put of two, apart": lambda x, y, i: _put(x, [i[:4], None, i[2:6] % 4], y[:4, :, 0]),
    "index_put of the last": lambda x, y, i: _put(x, [None, None, i % 4], y[:6, :, :1]),
    "index_put over two dimensions": lambda x, y, i: x.index_put((i.view(4, 5),), y.view(4, 5, 5, 4), accumulate=True),
    "index_put stretched": lambda x, y, i: x.index_put((i[:2, None], i[None, :3] % 5), y[0, 0], accumulate=True),
    "index_put a number": lambda x, y, i: x.index_put((i[:3], i[:3] % 5, i[:3] % 4), y[0, 0, 0]),
    "put": lambda x, y, i: x.put(i * 7 - 120, y[:, 0, 0]),
    "put and add": lambda x, y, i: x.put(i.view(4, 5), y[:, 0, 0].view(4, 5), accumulate=True),
    "assignment": lambda x, y, i: _assigned(x, i[:3], y[:3]),
    "one place": lambda x, y, i: x[0, 0].scatter_add(0, i * 0, y[:, 0, 0]),
    "no place": lambda x, y, i: x.index_add(0, i[:0], y[:0]),
    "nothing": lambda x, y, i: x[:, :0].index_add(0, i, y[:, :0]),
}

MASKED: dict[str, Callable[[Tensor, Tensor], Any]] = {
    "a number": lambda x, y: _masked(x, x > 0, 2),
    "a tensor of one": lambda x, y: x.index_put((x > 0,), y[0, 0, :1]),
    "rows": lambda x, y: x.index_put((x[:, 0, 0] > 0,), y[0]),
    "columns": lambda x, y: x.index_put((x[:, :, 0] > 0,), y[:1, 0], accumulate=True),
    "nothing": lambda x, y: _masked(x, x > 50, 2),
}


@pytest.mark.parametrize("compiled", [on_device, rust_inductor.compile])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int64, torch.bool])
@pytest.mark.parametrize("name", MASKED)
def test_assignment_by_a_mask(name: str, dtype: torch.dtype, compiled: Any) -> None:
    """A choice between old and new, here and on the processor, where what is assigned does not depend on the mask."""
    if dtype == torch.bool and name == "columns":
        pytest.skip("a sum of truth values")
    x, y = drawn(dtype, 6, 5, 4), drawn(dtype, 20, 5, 4)
    with Counted() as counted:
        ours = compiled(MASKED[name])(x, y)
    alone(counted)
    torch.testing.assert_close(ours, MASKED[name](x, y), rtol=0, atol=0)
    assert " 0 extern calls" in str(rust_inductor.explain(MASKED[name])(x, y))


def test_assignment_by_a_mask_of_as_many_values() -> None:
    """If each selected element has its own value, the processor does it; so it does where masks do not fit."""

    def function(x: Tensor, y: Tensor) -> Tensor:
        return x.index_put((x > 0,), y)

    x = torch.randn(6, 5)
    y = torch.randn(int((x > 0).sum()))
    close(on_device(function)(x, y), function(x, y))
    with pytest.raises(Exception, match="shape"):
        on_device(lambda x, y: x.index_put((y > 0,), x[0, 0]))(x, torch.randn(5, 5))


REDUCTIONS = ["sum", "prod", "mean", "amax", "amin"]


def _masked(x: Tensor, mask: Tensor, value: int) -> Tensor:
    x = x.clone()
    x[mask] = value
    return x


def _put(x: Tensor, indices: list[Tensor | None], y: Tensor) -> Tensor:
    result: Tensor = torch.ops.aten.index_put(x, indices, y, True)
    return result


def _assigned(x: Tensor, i: Tensor, y: Tensor) -> Tensor:
    x = x.clone()
    x[i, 1:3] = y[:, 1:3]
    return x


def drawn(dtype: torch.dtype, *shape: int) -> Tensor:
    """Small numbers, whose sums every dtype holds."""
    if dtype.is_floating_point:
        return torch.randn(shape).to(dtype)
    return torch.randint(0, 2 if dtype == torch.bool else 5, shape).to(dtype)


def checked(function: Callable[..., Any], *args: Any, exactly: bool = True) -> None:
    """Assert that the device alone gives what eager gives; twice."""
    eager = function(*args)
    compiled = on_device(function)
    with torch.no_grad():
        for _ in range(2):
            with Counted() as counted:
                ours = compiled(*args)
            alone(counted)
            if exactly:
                torch.testing.assert_close(ours, eager, rtol=0, atol=0, equal_nan=True)
            else:
                close(ours, eager)


@pytest.mark.parametrize("dtype", [torch.float32, torch.int64, torch.int32, torch.uint8, torch.bool])
@pytest.mark.parametrize("name", ALONG)
def test_scattering(name: str, dtype: torch.dtype) -> None:
    """Bit by bit: sums have eager's order."""
    if dtype == torch.bool and name in ("index_add scaled", "scatter and multiply"):
        pytest.skip("eager does not")
    checked(ALONG[name], drawn(dtype, 6, 5, 4), drawn(dtype, 20, 5, 4), PLACES)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("name", ALONG)
def test_scattering_of_halves(name: str, dtype: torch.dtype) -> None:
    """Sums are rounded once: no further from ``float64`` than eager or the rounding."""
    x, y = drawn(dtype, 6, 5, 4), drawn(dtype, 20, 5, 4)
    with Counted() as counted:
        ours = on_device(ALONG[name])(x, y, PLACES)
    alone(counted)
    eager, exact = ALONG[name](x, y, PLACES), ALONG[name](x.double(), y.double(), PLACES)
    if exact.numel():
        rounding = torch.finfo(dtype).eps * exact.abs().max().item()
        assert (ours.double() - exact).abs().max() <= max((eager.double() - exact).abs().max().item(), rounding)


@pytest.mark.parametrize("include_self", [True, False])
@pytest.mark.parametrize("reduce", REDUCTIONS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.int64, torch.bfloat16])
def test_reductions(dtype: torch.dtype, reduce: str, include_self: bool) -> None:
    """``scatter_reduce`` and ``index_reduce``; NaN wins."""
    x, y = drawn(dtype, 6, 5), drawn(dtype, 20, 5)
    if dtype.is_floating_point:
        x[2, 1] = y[5, 2] = float("nan")
    if dtype == torch.int64 and reduce == "mean":
        with Counted() as counted:
            on_device(lambda x, y, i: x.scatter_reduce(0, i[:, None].expand(20, 5), y, reduce))(x, y, PLACES)
        assert counted["host_steps"] == 1
        return

    def function(x: Tensor, y: Tensor, i: Tensor) -> Any:
        scattered = x.scatter_reduce(0, i[:, None].expand(20, 5), y, reduce, include_self=include_self)
        if reduce == "sum":
            return scattered
        return scattered, x.index_reduce(0, i, y, reduce, include_self=include_self)

    if dtype == torch.bfloat16:
        ours, eager = on_device(function)(x, y, PLACES), function(x, y, PLACES)
        torch.testing.assert_close(ours, eager, rtol=2e-2, atol=2e-2, equal_nan=True)
    else:
        checked(function, x, y, PLACES, exactly=dtype == torch.int64 or reduce in ("amax", "amin"))


def test_many_entries() -> None:
    """More than a workgroup sorts at once; order decides which is the last, and what a sum is rounded to."""
    places = torch.randint(0, 37, (5000,))
    checked(lambda x, y, i: x.scatter_add(0, i, y), torch.randn(37), torch.randn(5000), places)
    # Eager's threads race for which is the last.
    y, last = torch.randn(5000), {place: number for number, place in enumerate(places.tolist())}
    put = on_device(lambda x, y, i: x.index_put((i,), y))(torch.zeros(37), y, places)
    assert put.tolist() == [y[last[place]].item() for place in range(37)]
    checked(lambda x, y, i: x.index_add(0, i, y), torch.randn(37, 3), torch.randn(5000, 3), places)


OUT_OF_BOUNDS: dict[str, Callable[[Tensor, Tensor, Tensor], Any]] = {
    "scatter": lambda x, y, i: x.scatter(0, i[:, None], y),
    "scatter_add": lambda x, y, i: x.scatter_add(0, i[:, None], y),
    "scatter_reduce": lambda x, y, i: x.scatter_reduce(0, i[:, None], y, "amax"),
    "index_add": lambda x, y, i: x.index_add(0, i, y),
    "index_copy": lambda x, y, i: x.index_copy(0, i, y),
    "index_put": lambda x, y, i: x.index_put((i,), y),
    "index_put and add": lambda x, y, i: x.index_put((i,), y, accumulate=True),
    "put": lambda x, y, i: x[:, 0].put(i, y[:, 0]),
}


@pytest.mark.parametrize("wrong", [6, -7, 1 << 20])
@pytest.mark.parametrize("name", OUT_OF_BOUNDS)
def test_indices_out_of_bounds(name: str, wrong: int) -> None:
    """The type and the words are eager's, and the next call is right again."""
    function, x, y = OUT_OF_BOUNDS[name], torch.randn(6, 5), torch.randn(3, 5)
    compiled = on_device(lambda *args: function(*args) * 2)
    good, bad = torch.tensor([0, 5, 2]), torch.tensor([0, wrong, 2])
    close(compiled(x, y, good), function(x, y, good) * 2)
    with pytest.raises((IndexError, RuntimeError)) as eager:
        function(x, y, bad)
    with pytest.raises(eager.type) as ours:
        compiled(x, y, bad)
    assert str(ours.value).split("\n")[0] == str(eager.value).split("\n")[0]
    close(compiled(x, y, good), function(x, y, good) * 2)


def test_writes_before_an_index_out_of_bounds() -> None:
    """Writes of the graph to the caller's tensors before the error happen at most once."""

    def function(x: Tensor, y: Tensor, i: Tensor) -> Tensor:
        x.add_(1)
        return (x * 2).index_add(0, i, y)

    x, y, bad = torch.randn(6, 5), torch.randn(3, 5), torch.tensor([0, 6, 2])
    before, compiled = x.clone(), on_device(function)
    with pytest.raises((IndexError, RuntimeError)):
        compiled(x, y, bad)
    written = (x - before).flatten().tolist()
    assert all(abs(step) < 1e-6 for step in written) or all(abs(step - 1) < 1e-6 for step in written)


def test_gradients() -> None:
    """Gradients of gather, of indexing and of look-ups in a table scatter on the device."""

    def function(x: Tensor, table: Tensor, i: Tensor) -> Tensor:
        picked = x.gather(1, i.view(4, 5) % 3) + x[i[:4] % 4, i[2:6] % 3][:, None]
        return (picked.sum(1) + torch.nn.functional.embedding(i[:4], table, padding_idx=2).square().sum(1)).sum()

    ours = [torch.randn(4, 3, requires_grad=True), torch.randn(6, 7, requires_grad=True)]
    theirs = [x.detach().clone().requires_grad_() for x in ours]
    with Counted() as counted:
        on_device(function)(*ours, PLACES).backward()
    alone(counted)
    function(theirs[0], theirs[1], PLACES).backward()
    close([x.grad for x in ours], [x.grad for x in theirs])
