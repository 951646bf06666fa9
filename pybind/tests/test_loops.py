"""The order of loops and the way of elements to memory, where layouts and sizes ask for unusual ones."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

from pybind.tests.helpers import check

LAST = torch.channels_last


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("shape", [(40, 33), (33, 40), (70, 3), (3, 70), (300, 1024)])
def test_columns_of_values_that_rows_have(shape, dynamic):
    """One operand runs along the row, the other across."""
    x, scale = torch.randn(shape), torch.randn(shape[0])
    check(lambda x, s: (x * s[:, None]).sum(0), x, scale, dynamic=dynamic)
    check(lambda x: (x * (x - x.mean(1, keepdim=True))).sum(0), x, dynamic=dynamic)
    check(lambda x, s: ((x * s[:, None]).amax(0), (x - s[:, None]).argmin(0)), x, scale, dynamic=dynamic)


@pytest.mark.parametrize("columns", [1, 2, 3, 4, 5, 7, 8, 9])
def test_rows_shorter_than_a_vector(columns):
    x = torch.randn(37, columns)
    check(lambda x: (x.softmax(-1), x.argmax(-1), x.sum(-1), x.var(-1, correction=0)), x)


@pytest.mark.parametrize("groups", [1, 2, 4, 8])
def test_norms_of_images_with_channels_last(groups):
    x = torch.randn(2, 8, 5, 7).to(memory_format=LAST)
    check(lambda x: F.group_norm(x, groups), x)
    check(lambda x: (F.instance_norm(x), x.mean((1, 2)), x.amax((1, 3)), x.flatten(1).argmax(1)), x)


@pytest.mark.parametrize("mode", ["nearest", "bilinear", "bicubic"])
@pytest.mark.parametrize("size", [(9, 14), (5, 7), (3, 4)])
def test_images_in_another_size_with_channels_last(mode, size):
    x = torch.randn(2, 3, 5, 7).to(memory_format=LAST)
    check(lambda x: F.interpolate(x, size, mode=mode), x)
    check(lambda x: F.interpolate(x, scale_factor=2, mode=mode), x)
    if mode != "nearest":
        check(lambda x: F.interpolate(x, size, mode=mode, align_corners=True), x)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.int64, torch.uint8, torch.bool])
@pytest.mark.parametrize("parts", [2, 3, 4])
def test_parts_that_take_turns(parts, dtype):
    inputs = [(torch.randn(5, 67) * 3).to(dtype) for _ in range(parts)]
    check(lambda *xs: torch.stack(xs, -1), *inputs)
    check(lambda *xs: torch.stack([x[:, ::2] for x in xs], -1).flatten(1), *inputs)


def test_pairs_turned():
    x, angle = torch.randn(2, 3, 21, 16), torch.randn(21, 8)

    def turned(x, angle):
        a, b = x[..., ::2], x[..., 1::2]
        return torch.stack([a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()], -1).flatten(-2)

    check(turned, x, angle)


def test_what_is_written_by_turns_is_read_in_between():
    def function(x):
        y = torch.empty(2, x.numel() * 2)
        y[0, ::2] = x
        y[0, 1::2] = y[0, ::2] + 1
        y[1] = y[0].flip(0)
        return y

    check(function, torch.randn(50))


def test_halves_are_compared_and_signed():
    x = torch.tensor([0.0, -0.0, 1.5, -1.5, float("inf"), float("-inf"), float("nan"), 6e-8, -6e-8, 65504.0] * 7).half()
    check(lambda x: (x.abs(), -x, x > 0, x.sign(), x.clamp(-1, 1), F.silu(x), x.copysign(-x), F.relu(x)), x)


@pytest.mark.parametrize("dims", [(0, 1), (1, 2), (0, 1, 2), (1, 1), (2, 0, 2)])
def test_rolls_along_several_dimensions(dims):
    shifts = tuple((3, -2, 5)[k] for k in range(len(dims)))
    check(lambda x: x.roll(shifts, dims) * 1, torch.randn(4, 5, 6))


@pytest.mark.parametrize("size", [(2, 3), (4, 6), (1, 6), (8, 12), (3, 5)])
@pytest.mark.parametrize("layout", [torch.contiguous_format, LAST])
def test_adaptive_means(size, layout):
    check(lambda x: F.adaptive_avg_pool2d(x, size), torch.randn(2, 3, 8, 12).to(memory_format=layout))


@pytest.mark.parametrize(
    "options",
    [{}, {"padding": 1}, {"stride": 2}, {"padding": (2, 0), "stride": (1, 3)}, {"dilation": 2}],
)
def test_windows_as_columns(options):
    check(lambda x: F.unfold(x, (3, 2), **options), torch.randn(2, 3, 8, 9))
    check(lambda x: F.unfold(x, (3, 2), **options), torch.randn(3, 8, 9))


@pytest.mark.parametrize("dynamic", [False, True])
def test_places_that_are_computed(dynamic):
    """Indices that are within bounds by how they are computed, and indices that are not."""
    x, at = torch.randn(50, 3), torch.randint(-500, 500, (20,))

    def function(x, at):
        steps = torch.arange(20)
        inside = x[at.clamp(0, 49)] + x[(steps * 2 + 1)] + x[(steps.float() * 0.5 + 0.5).long()]
        return inside, x[steps - 20], x[(steps // 2) % 7]

    check(function, x, at, dynamic=dynamic)


@pytest.mark.parametrize("step", [3.0, -3.0, float("nan"), float("inf")])
def test_computed_places_that_leave_raise(step):
    check(lambda x, s: x[(torch.arange(20) * s).long().clamp(-60, 60)], torch.randn(70), torch.tensor(step))
    function = torch.compile(lambda x: x[torch.arange(20) * 3], backend="rust_inductor")
    with pytest.raises((IndexError, RuntimeError)):
        function(torch.randn(50))
