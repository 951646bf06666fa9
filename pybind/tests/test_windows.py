"""Windows that move over images: convolutions of our own, and pooling as kernels; against eager."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F

import rust_inductor
from pybind.tests.helpers import check
from tools import accuracy

POOLS = {
    "max": lambda x: F.max_pool2d(x, 3, 2, 1),
    "max, whole windows": lambda x: F.max_pool2d(x, 2),
    "max, to the end": lambda x: F.max_pool2d(x, 3, 2, 1, ceil_mode=True),
    "max, spread": lambda x: F.max_pool2d(x, (2, 3), (1, 3), (1, 0), (2, 1)),
    "average": lambda x: F.avg_pool2d(x, 3, 2, 1),
    "average by a divisor": lambda x: F.avg_pool2d(x, 3, 2, 1, count_include_pad=False, divisor_override=5),
    "average of what is there": lambda x: F.avg_pool2d(x, 3, 2, 1, count_include_pad=False),
    "average, to the end": lambda x: F.avg_pool2d(x, 3, 2, ceil_mode=True),
    "between others": lambda x: F.max_pool2d(x.relu(), 3, 2, 1) * 2,
    "on a plane": lambda x: F.max_pool2d(x[0], 3, 1, 1),
}

#: Images and channels, sides, channels of the result, window, stride, padding, dilation, groups.
CONVOLUTIONS: dict[str, tuple[Any, ...]] = {
    "usual": ((2, 16, 20, 20), 32, (3, 3), 1, 1, 1, 1),
    "by two": ((2, 16, 21, 20), 32, (3, 3), 2, 1, 1, 1),
    "of pixels": ((3, 24, 14, 14), 40, (1, 1), 1, 0, 1, 1),
    "of every second pixel": ((3, 24, 14, 15), 40, (1, 1), 2, 0, 1, 1),
    "of few channels": ((2, 3, 40, 40), 24, (7, 7), 2, 3, 1, 1),
    "without padding": ((2, 16, 20, 20), 13, (3, 5), 1, 0, 1, 1),
    "spread": ((2, 16, 20, 20), 32, (3, 3), 1, 2, 2, 1),
    "in groups": ((2, 32, 20, 20), 48, (3, 3), 1, 1, 1, 2),
    "of patches": ((2, 3, 32, 32), 64, (8, 8), 8, 0, 1, 1),
    "of each channel": ((2, 20, 17, 17), 20, (3, 3), 1, 1, 1, 20),
    "of each channel by two": ((2, 20, 17, 18), 20, (5, 5), 2, 2, 1, 20),
    "of each channel, spread": ((2, 20, 17, 18), 20, (3, 3), 1, 2, 2, 20),
    "of each channel, many": ((2, 20, 17, 18), 20, (7, 7), 1, 3, 1, 20),
    "of each channel, twice": ((2, 20, 17, 17), 40, (3, 3), 1, 1, 1, 20),
    "along rows": ((2, 16, 9, 40), 16, (1, 3), (1, 2), (0, 1), 1, 1),
}


@pytest.mark.parametrize("name", POOLS)
@pytest.mark.parametrize("memory_format", [torch.contiguous_format, torch.channels_last], ids=str)
def test_pools(name: str, memory_format: torch.memory_format) -> None:
    check(POOLS[name], torch.randn(2, 5, 23, 20).contiguous(memory_format=memory_format))


def test_nan_is_the_greatest() -> None:
    image = torch.randn(1, 2, 9, 9)
    image[0, 0, 4, 4], image[0, 1, 0, 0] = float("nan"), float("-inf")
    check(lambda x: F.max_pool2d(x, 3, 2, 1), image)
    check(lambda x: F.max_pool2d(x, 3, 2, 1), torch.full((1, 1, 5, 5), float("-inf")))


def test_positions_of_maxima() -> None:
    check(lambda x: F.max_pool2d(x, 3, 2, 1, return_indices=True), torch.randn(2, 3, 9, 9))


def test_a_pool_is_a_kernel() -> None:
    def function(x):
        return F.avg_pool2d(F.max_pool2d(x + 1, 3, 2, 1).relu(), 2)

    with torch.no_grad():
        explanation = rust_inductor.explain(function)(torch.randn(2, 3, 24, 24))
    assert not [call for graph in explanation.graphs for call in graph.calls]


@pytest.mark.parametrize("name", CONVOLUTIONS)
@pytest.mark.parametrize("bias", [False, True], ids=["bare", "biased"])
def test_convolutions(name: str, bias: bool) -> None:
    sizes, channels, window, stride, padding, dilation, groups = CONVOLUTIONS[name]
    image, weight = torch.randn(sizes), torch.randn(channels, sizes[1] // groups, *window)
    shift = torch.randn(channels) if bias else None

    def function(x, w, b):
        return F.silu(F.conv2d(x, w, b, stride, padding, dilation, groups)) + 1

    for given in (image, image.to(memory_format=torch.channels_last), image.transpose(2, 3)):
        torch.compiler.reset()
        ours = torch.compile(function, backend="rust_inductor")(given, weight, shift)
        eager = function(given, weight, shift)
        exact = function(given.double(), weight.double(), None if shift is None else shift.double())
        assert ours.stride() == eager.stride()
        assert not accuracy.problems({"": ours}, {"": eager}, {"": exact})
