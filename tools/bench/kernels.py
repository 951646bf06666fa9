"""The single kernels that are timed: functions, and random inputs for so many rows.

What works on rows has 1024 elements in each; what needs another form has as many elements as so many rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

WIDTH = 1024
VOCABULARY = 30_000
HEADS = 16
SIDE = 32
PARAMETERS = 100

Inputs = tuple[Any, ...]


@dataclass(frozen=True)
class Kernel:
    """One function of the table."""

    title: str
    function: Callable[..., Any]
    #: Inputs for a number of rows.
    inputs: Callable[[int], Inputs]
    #: Whether inputs that require a gradient get it, too.
    trains: bool = False
    #: Whether memory bounds it where there are many rows: it need read its inputs and write its result once, as a copy.
    streams: bool = False


def gelu(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """Scale, shift and GELU by the error function."""
    return functional.gelu(x * weight + bias)


def gelu_tanh(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """Scale, shift and GELU by tanh."""
    return functional.gelu(x * weight + bias, approximate="tanh")


def softmax(x: Tensor, _weight: Tensor, _bias: Tensor) -> Tensor:
    """Softmax of each row."""
    return functional.softmax(x, dim=-1)


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """Normalisation of each row, with weight and bias."""
    return functional.layer_norm(x, x.shape[-1:], weight, bias)


def rms_norm(x: Tensor, weight: Tensor, _bias: Tensor) -> Tensor:
    """Division of each row by its root mean square, with weight."""
    return functional.rms_norm(x, x.shape[-1:], weight)


def batch_norm_relu(x: Tensor, mean: Tensor, var: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """BatchNorm of images by statistics that are given, and ReLU."""
    return functional.relu(functional.batch_norm(x, mean, var, weight, bias))


def sum_rows(x: Tensor) -> Tensor:
    """The sum over the first dimension."""
    return x.sum(0)


def sum_columns(x: Tensor) -> Tensor:
    """The sum over the last dimension."""
    return x.sum(1)


def transposed(x: Tensor) -> Tensor:
    """A copy with rows and columns exchanged."""
    return x.t().contiguous()


def embedding(tokens: Tensor, words: Tensor, places: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """Words and their places looked up, added and normalised."""
    found = functional.embedding(tokens, words) + places[: tokens.shape[0]]
    return functional.layer_norm(found, (WIDTH,), weight, bias)


def cross_entropy(x: Tensor, classes: Tensor) -> Tensor:
    """The loss of some predictions."""
    return functional.cross_entropy(x, classes)


def rotary(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Rotary position embedding."""
    first, second = x.chunk(2, dim=-1)
    return x * cos + torch.cat((-second, first), dim=-1) * sin


def swiglu(x: Tensor, gate: Tensor) -> Tensor:
    """A gated unit."""
    return functional.silu(gate) * x


def adam(parameters: list[Tensor], grads: list[Tensor], means: list[Tensor], squares: list[Tensor]) -> None:
    """A step of Adam, the hundredth."""
    for parameter, grad, mean, square in zip(parameters, grads, means, squares):
        mean.lerp_(grad, 0.1)
        square.mul_(0.999).addcmul_(grad, grad, value=0.001)
        denominator = (square.sqrt() / (1 - 0.999**100) ** 0.5).add_(1e-8)
        parameter.addcdiv_(mean, denominator, value=-1e-3 / (1 - 0.9**100))


def row_inputs(count: int) -> Inputs:
    """Rows, a weight and a bias."""
    weight, bias = torch.randn(2, WIDTH).unbind()
    return torch.randn(count, WIDTH), weight.clone(), bias.clone()


def image_inputs(count: int) -> Inputs:
    """Images of 64 channels, and what BatchNorm has for each of these."""
    channels = 64
    images = torch.randn(max(1, count * WIDTH // (channels * SIDE * SIDE)), channels, SIDE, SIDE)
    return images, torch.randn(channels), torch.rand(channels) + 0.5, torch.randn(channels), torch.randn(channels)


def matrix_inputs(count: int) -> Inputs:
    """Rows alone."""
    return (torch.randn(count, WIDTH),)


def token_inputs(count: int) -> Inputs:
    """Tokens, tables of words and places, a weight and a bias."""
    weight, bias = torch.randn(2, WIDTH).unbind()
    tables = torch.randn(VOCABULARY, WIDTH), torch.randn(4096, WIDTH)
    return torch.randint(0, VOCABULARY, (count,)), *tables, weight.clone(), bias.clone()


def class_inputs(count: int) -> Inputs:
    """Predictions whose gradient is wanted, and what is right."""
    return torch.randn(count, WIDTH, requires_grad=True), torch.randint(0, WIDTH, (count,))


def head_inputs(count: int) -> Inputs:
    """Heads of queries, and cosines and sines of their places."""
    size = WIDTH // HEADS
    angles = torch.rand(count, 1, size) * 6
    return torch.randn(count, HEADS, size), angles.cos(), angles.sin()


def pair_inputs(count: int) -> Inputs:
    """Two matrices."""
    return torch.randn(count, WIDTH), torch.randn(count, WIDTH)


def optimiser_inputs(count: int) -> Inputs:
    """Parameters, gradients and their moments, of as many elements as so many rows."""
    shape = (max(1, count * WIDTH // PARAMETERS),)
    lists = [[torch.randn(shape) for _ in range(PARAMETERS)] for _ in range(3)]
    return *lists, [torch.rand(shape) for _ in range(PARAMETERS)]


#: Functions of rows of which rows and columns may change.
ROWWISE = {
    "gelu": Kernel("gelu(x·w+b)", gelu, row_inputs, streams=True),
    "gelu_tanh": Kernel("gelu(x·w+b), tanh", gelu_tanh, row_inputs, streams=True),
    "softmax": Kernel("softmax", softmax, row_inputs, streams=True),
    "layer_norm": Kernel("layer norm", layer_norm, row_inputs, streams=True),
}
KERNELS = ROWWISE | {
    "rms_norm": Kernel("RMS norm", rms_norm, row_inputs, streams=True),
    "batch_norm_relu": Kernel("batch norm + relu", batch_norm_relu, image_inputs, streams=True),
    "sum_rows": Kernel("sum over rows", sum_rows, matrix_inputs, streams=True),
    "sum_columns": Kernel("sum over columns", sum_columns, matrix_inputs, streams=True),
    "transposed": Kernel("transposed copy", transposed, matrix_inputs, streams=True),
    "embedding": Kernel("embedding + add + layer norm", embedding, token_inputs),
    "cross_entropy": Kernel("cross-entropy and its gradient", cross_entropy, class_inputs, trains=True),
    "rotary": Kernel("rotary embedding", rotary, head_inputs, streams=True),
    "swiglu": Kernel("SwiGLU", swiglu, pair_inputs, streams=True),
    "adam": Kernel("Adam, 100 parameters", adam, optimiser_inputs),
}
