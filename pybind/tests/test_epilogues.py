"""Pointwise kernels that are computed with the product or convolution whose result they read."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import nn
from torch.nn import functional as F

import rust_inductor
from pybind.tests.helpers import compiled

Function = Callable[..., torch.Tensor]


def gelu(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return F.gelu(F.linear(x, w, b))


def residual(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return F.relu(F.linear(x, w, b) + F.pad(x, (0, 64)))


def scaled(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return F.silu((x @ w.t()) * b + b)


def by_row(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return torch.tanh((x @ w.t()) * x[:, :1])


def mask(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return F.linear(x, w, b) > 0


def both(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    y = F.linear(x, w, b)
    return y, y.relu()


def operands() -> list[torch.Tensor]:
    torch.manual_seed(0)
    return [torch.randn(128, 192), torch.randn(256, 192) / 14, torch.randn(256)]


@pytest.mark.parametrize("fn", [gelu, residual, scaled, by_row, mask, both], ids=lambda fn: fn.__name__)
@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
def test_of_linear_layers(fn: Function, dynamic: bool) -> None:
    run = compiled(fn, dynamic=dynamic)
    for rows in (128, 77):
        x, w, b = operands()
        torch.testing.assert_close(run(x[:rows], w, b), fn(x[:rows], w, b), rtol=1e-4, atol=1e-4)


def block(groups: int, images: int) -> tuple[nn.Module, torch.Tensor]:
    """A convolution with batch norm, an activation and a residual."""

    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv = nn.Conv2d(32, 32, 3, padding=1, groups=groups, bias=False)
            self.norm = nn.BatchNorm2d(32)
            self.wide = nn.Conv2d(32, 48, 1)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return F.silu(self.wide(F.relu(self.norm(self.conv(x)) + x)))

    torch.manual_seed(0)
    module = Block().eval()
    assert module.norm.running_mean is not None and module.norm.running_var is not None
    module.norm.running_mean.normal_()
    module.norm.running_var.uniform_(0.5, 2)
    return module, torch.randn(images, 32, 30, 31)


@pytest.mark.parametrize("images", [1, 3])
@pytest.mark.parametrize("groups", [1, 2])
def test_of_convolutions(groups: int, images: int) -> None:
    module, x = block(groups, images)
    with torch.no_grad():
        torch.testing.assert_close(compiled(module)(x), module(x), rtol=1e-4, atol=1e-4)


def test_an_operand_outlives_the_product() -> None:
    def fn(x: torch.Tensor) -> torch.Tensor:
        for _ in range(4):
            x = torch.tanh(x @ x)
        return x

    x = torch.randn(256, 256) / 16
    torch.testing.assert_close(compiled(fn)(x), fn(x), rtol=1e-4, atol=1e-5)


def test_what_is_written_may_be_an_operand() -> None:
    def fn(x: torch.Tensor, w: torch.Tensor) -> None:
        x.copy_(torch.relu(x @ w))

    (x, w), (y, _) = [[torch.randn(256, 256, generator=torch.Generator().manual_seed(1)), torch.eye(256)] for _ in "12"]
    compiled(fn)(x, w)
    fn(y, w)
    torch.testing.assert_close(x, y)


def test_the_fastest_way_is_found() -> None:
    run = torch.compile(gelu, backend="rust_inductor", mode="max-autotune")
    for _ in range(3):
        torch.testing.assert_close(run(*operands()), gelu(*operands()), rtol=1e-4, atol=1e-4)


def test_explain_tells() -> None:
    [graph] = rust_inductor.explain(gelu)(*operands()).graphs
    assert graph.launches + graph.fused == 1
