"""Convolutions computed with channels last: values are eager's, and so are the strides of all that a user sees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

if TYPE_CHECKING:
    from collections.abc import Callable


def conv(inputs: int, outputs: int, size: int = 3, groups: int = 1) -> nn.Conv2d:
    """A convolution that keeps the image's size."""
    return nn.Conv2d(inputs, outputs, size, padding=size // 2, groups=groups)


class Net(nn.Module):
    """Two convolutions with something between them."""

    def __init__(self, between: Callable[[Tensor], Tensor], channels: int = 16) -> None:
        super().__init__()
        self.first, self.second = conv(3, 16), conv(channels, 2)
        self.between = between

    def forward(self, x: Tensor) -> Tensor:
        """Of an image."""
        result: Tensor = self.second(self.between(self.first(x)))
        return result


def shuffled(x: Tensor) -> Tensor:
    """The channels of each group dealt out."""
    n, c, h, w = x.shape
    return x.view(n, 2, c // 2, h, w).transpose(1, 2).reshape(n, c, h, w)


def samples_of(x: Tensor) -> Tensor:
    """The beginnings of the windows of a fractional pool."""
    return torch.full((x.shape[0], x.shape[1], 2), 0.3)


def places_of(x: Tensor) -> Tensor:
    """A grid to sample at, between the elements."""
    rows = torch.linspace(-1, 1, 9)
    return torch.stack(torch.meshgrid(rows, rows, indexing="ij"), -1).expand(x.shape[0], 9, 9, 2)


BETWEEN: dict[str, tuple[Callable[[Tensor], Tensor], int]] = {
    "relu": (functional.relu, 16),
    "batch norm": (nn.BatchNorm2d(16).eval(), 16),
    "group norm": (nn.GroupNorm(4, 16), 16),
    "layer norm of channels": (lambda x: functional.layer_norm(x.permute(0, 2, 3, 1), (16,)).permute(0, 3, 1, 2), 16),
    "max pool": (lambda x: functional.max_pool2d(x, 3, 2, 1), 16),
    "average pool": (lambda x: functional.avg_pool2d(x, 2), 16),
    "adaptive pool": (lambda x: functional.adaptive_avg_pool2d(x, 7), 16),
    "adaptive max pool": (lambda x: functional.adaptive_max_pool2d(x, 7), 16),
    "places of a pool": (lambda x: torch.add(*functional.max_pool2d(x, 2, return_indices=True)), 16),
    "unpool": (lambda x: functional.max_unpool2d(*functional.max_pool2d(x, 2, return_indices=True), [2, 2]), 16),
    "antialias": (lambda x: functional.interpolate(x, size=(7, 7), mode="bilinear", antialias=True), 16),
    "fractional pool": (lambda x: functional.fractional_max_pool2d(x, 2, 6, _random_samples=samples_of(x)), 16),
    "grid": (lambda x: functional.grid_sample(x, places_of(x), align_corners=False), 16),
    "squeeze and excite": (lambda x: x * torch.sigmoid(x.mean((2, 3), keepdim=True)), 16),
    "concatenation": (lambda x: torch.cat([x, functional.relu(x)], 1), 32),
    "pad": (lambda x: functional.pad(x, (1, 2, 3, 0)), 16),
    "nearest": (lambda x: functional.interpolate(x, scale_factor=2.0), 16),
    "bilinear": (lambda x: functional.interpolate(x, size=(20, 20), mode="bilinear"), 16),
    "shuffle": (shuffled, 16),
    "chunk": (lambda x: torch.mul(*x.chunk(2, 1)), 8),
    "flip": (lambda x: x.flip(3), 16),
    "softmax of rows": (lambda x: x.softmax(-1), 16),
    "broadcast": (lambda x: x + torch.arange(float(x.shape[3])), 16),
    "depthwise": (conv(16, 16, groups=16), 16),
    "transposed": (nn.ConvTranspose2d(16, 16, 2, 2), 16),
    "opaque view": (lambda x: x.as_strided((x.shape[0], 16, 12, 12), (16 * 144, 144, 12, 1)), 16),
    "upsample": (lambda x: functional.pixel_shuffle(x, 2), 4),
}


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("name", BETWEEN)
def test_what_stands_between_convolutions(name, dynamic):
    between, channels = BETWEEN[name]
    model = Net(between, channels).eval()
    compiled = torch.compile(model, backend="rust_inductor", dynamic=dynamic)
    for batch in (8, 5):
        x = torch.randn(batch, 3, 12, 12)
        with torch.no_grad():
            ours, theirs = compiled(x), model(x)
        assert ours.stride() == theirs.stride()
        torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("sizes", [(1, 64, 28, 28), (3, 64, 28, 29), (2, 64, 40, 1), (2, 64, 1, 40), (2, 3, 4, 4)])
@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("bias", [False, True])
def test_pointwise_convolutions(sizes, last, bias):
    layer = nn.Conv2d(sizes[1], 96, 1, bias=bias)
    weight = layer.weight.detach()

    def several(x):
        y = torch.sin(x)
        return layer(y).relu(), functional.conv2d(y, weight, stride=2), functional.conv2d(y, weight, padding=1)

    x = torch.randn(sizes).to(memory_format=torch.channels_last if last else torch.contiguous_format)
    compiled = torch.compile(several, backend="rust_inductor")
    for image in (x, x.expand_as(x), x[:, :, :, ::2], x.transpose(2, 3)):
        for ours, theirs in zip(compiled(image), several(image)):
            assert ours.stride() == theirs.stride()
            torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)


def test_a_view_of_an_intermediate_keeps_its_strides():
    first, second = conv(3, 16), conv(16, 16)

    def several(x):
        y = functional.relu(first(x))
        return second(y), y, y.flatten(2), y[:, 1], first(x).sum((2, 3))

    compiled = torch.compile(several, backend="rust_inductor")
    x = torch.randn(8, 3, 12, 12)
    with torch.no_grad():
        for ours, theirs in zip(compiled(x), several(x)):
            assert ours.stride() == theirs.stride()
            torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)


def test_inputs_may_come_in_either_format():
    model = Net(functional.relu).eval()
    compiled = torch.compile(model, backend="rust_inductor")
    x = torch.randn(8, 3, 12, 12)
    with torch.no_grad():
        for image in (x, x.to(memory_format=torch.channels_last), x.transpose(2, 3)):
            ours, theirs = compiled(image), model(image)
            assert ours.stride() == theirs.stride()
            torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)


def test_gradients_are_eagers():
    model = Net(nn.BatchNorm2d(16))
    compiled = torch.compile(model, backend="rust_inductor")
    x = torch.randn(8, 3, 12, 12, requires_grad=True)
    state = {name: value.clone() for name, value in model.state_dict().items()}
    results = []
    for run in (model, compiled):
        model.load_state_dict(state)
        (run(x) ** 2).mean().backward()
        gradients: list[Any] = [x.grad, *(p.grad for p in model.parameters())]
        results.append(gradients)
        x.grad = None
        model.zero_grad()
    for ours, theirs in zip(results[1], results[0]):
        assert ours.stride() == theirs.stride()
        torch.testing.assert_close(ours, theirs, rtol=1e-3, atol=1e-5)
