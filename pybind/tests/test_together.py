"""Graphs of many small kernels that have nothing to do with each other: they are launched together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch
from torch import Tensor, nn

from pybind.tests.helpers import clone, compiled, same
from tools.bench.kernels import adam

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

THREADS = [1, 2, 5]


@pytest.fixture(params=THREADS)
def _threads(request: pytest.FixtureRequest) -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(request.param)
    yield
    torch.set_num_threads(before)


def maps(*xs: Tensor) -> list[Tensor]:
    return [x.relu() * number for number, x in enumerate(xs)]


def chains(*xs: Tensor) -> list[Tensor]:
    return [x.softmax(1).softmax(0).sum(1) for x in xs]


def clipped(*xs: Tensor) -> list[Tensor]:
    norm = torch.stack([(x * x).sum() for x in xs]).sum().sqrt()
    return [x * (1 / (norm + 1)).clamp(max=1) for x in xs]


@pytest.mark.usefixtures("_threads")
@pytest.mark.parametrize("function", [maps, chains, clipped])
@pytest.mark.parametrize("count", [2, 30])
def test_shapes_of_all_kinds(function: Callable[..., list[Tensor]], count: int) -> None:
    inputs = [torch.randn(1 + 37 * k % 130, 1 + 53 * k % 150) for k in range(count)]
    same(compiled(function)(*inputs), function(*inputs))


@pytest.mark.usefixtures("_threads")
@pytest.mark.parametrize("function", [maps, chains])
def test_one_plan_for_all_sizes(function: Callable[..., list[Tensor]]) -> None:
    ours = compiled(function, dynamic=True)
    for size in (3, 50, 200, 1100):
        inputs = [torch.randn(size + k, 70) for k in range(6)]
        same(ours(*inputs), function(*inputs))


@pytest.mark.usefixtures("_threads")
@pytest.mark.parametrize("size", [7, 5000, 60_000])
def test_a_step_of_an_optimiser(size: int) -> None:
    lists = [[torch.rand(size + k) for k in range(12)] for _ in range(4)]
    other = [[clone(x) for x in xs] for xs in lists]
    step = compiled(adam)
    for _ in range(3):
        step(*lists)
        adam(*other)
    same(lists, other)


def test_what_is_written_stays_if_an_index_is_out_of_bounds() -> None:
    def function(x: Tensor, table: Tensor, index: Tensor, y: Tensor) -> Tensor:
        y.add_(x)
        found = table[index]
        x.mul_(2)
        return found.exp()

    x, y, table = torch.randn(10), torch.randn(10), torch.randn(4, 8)
    ours = compiled(function)
    ours(x, table, torch.tensor([1, 3]), y)
    before = clone(x), clone(y)
    with pytest.raises(IndexError):
        ours(x, table, torch.tensor([1, 4]), y)
    same((x, y), before)


@pytest.mark.usefixtures("_threads")
def test_layers_that_train() -> None:
    torch.manual_seed(0)
    layers = [nn.Sequential(nn.Linear(9, 20 + k), nn.BatchNorm1d(20 + k), nn.ReLU()) for k in range(5)]
    model = nn.ModuleList(layers)

    def function(x: Tensor) -> Tensor:
        return torch.cat([layer(x) for layer in layers], 1).square().mean()

    x = torch.randn(16, 9)
    results = []
    for run in (compiled(function), function):
        model.zero_grad()
        run(x).backward()
        results.append([p.grad for p in model.parameters() if p.grad is not None])
    torch.testing.assert_close(results[0], results[1], rtol=1e-4, atol=1e-5)


def test_what_follows_from_weights() -> None:
    torch.manual_seed(0)
    layers = [nn.Linear(8, 8 + k) for k in range(6)]

    def function(x: Tensor) -> list[Tensor]:
        return [(x @ (layer.weight.t().contiguous() * 2)).relu() for layer in layers]

    with torch.no_grad():
        ours, x = compiled(function, options={"freezing": True}), torch.randn(4, 8)
        for _ in range(3):
            same(ours(x), function(x))
            layers[2].weight.mul_(0.5)


def along_all_axes(x: Tensor) -> list[Tensor]:
    return [x.sum(0), x.sum(-1), x.sum(), x.amax(0), x.amin(), (x > 0.5).any(0), x.mean(dtype=torch.float64), x + 1]


SIZES = [
    (2048, 1040),
    (700, 2048),
    (2_000_000,),
    (3, 1000, 700),
    (65_536, 8),
    (1, 524_288),
    (1031, 1033),
    (1_000_003,),
    (4099, 65),
]


@pytest.mark.usefixtures("_threads")
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dynamic", [False, True])
def test_large_reductions(size: tuple[int, ...], dynamic: bool) -> None:
    x = torch.rand(size)
    same(compiled(along_all_axes, dynamic=dynamic)(x), along_all_axes(x))


def test_large_reductions_of_all_sizes() -> None:
    line, plane = compiled(along_all_axes, dynamic=True), compiled(along_all_axes, dynamic=True)
    for size in (1_000_003, 33, 2, 500_000, 31 * 9377):
        x = torch.rand(size)
        same(line(x), along_all_axes(x))
    for rows, columns in ((4099, 65), (3, 700), (70_001, 5), (5, 70_001)):
        x = torch.rand(rows, columns)
        same(plane(x), along_all_axes(x))


@pytest.mark.parametrize("size", [(2048, 1040), (4099, 65)])
def test_large_reductions_of_other_types(size: tuple[int, ...]) -> None:
    for values in (torch.randint(-9, 9, size), torch.randint(-9, -1, size), torch.randint(1, 9, size)):
        for dtype in (torch.int8, torch.int32, torch.int64, torch.float16, torch.float64, torch.bool):
            x = values.to(dtype)
            same(compiled(along_all_axes)(x), along_all_axes(x))


def test_large_reductions_of_nan() -> None:
    x = torch.rand(2048, 1040)
    x[77, 1000] = torch.nan
    same(compiled(along_all_axes)(x), along_all_axes(x))


@pytest.mark.usefixtures("_threads")
def test_a_large_norm_backward() -> None:
    torch.manual_seed(0)
    norm, x = nn.LayerNorm(1024), torch.randn(4, 600, 1024)

    def function(x: Tensor) -> Tensor:
        squares: Tensor = norm(x).square()
        return squares.sum()

    results = []
    for run in (compiled(function), function):
        leaf = x.clone().requires_grad_()
        norm.zero_grad()
        run(leaf).backward()
        results.append((leaf.grad, norm.weight.grad, norm.bias.grad))
    torch.testing.assert_close(results[0], results[1], rtol=1e-4, atol=1e-3)
