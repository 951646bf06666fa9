"""Small programs of many kinds, each a way in which loops and memory meet: what users' own functions are made of.

The kernels of `tools.bench.kernels` are few and well known; these are many, so that no kind is forgotten. A row is a
function and its inputs, of a size that one call takes well under a millisecond for, where memory is not at its slowest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, randint, randn
from torch.nn import functional as F

ROWS, WIDTH, CHANNELS = 2048, 1024, 64

Inputs = tuple[Any, ...]
Row = tuple[Callable[..., Any], Callable[[], Inputs]]


def matrix() -> Inputs:
    """Rows of floats."""
    return (randn(ROWS, WIDTH),)


def matrices() -> Inputs:
    """Two of them."""
    return randn(ROWS, WIDTH), randn(ROWS, WIDTH)


def normed() -> Inputs:
    """Rows, and a weight and a bias for each column."""
    return randn(ROWS, WIDTH), randn(WIDTH), randn(WIDTH)


def image() -> Inputs:
    """A batch of images."""
    return (randn(8, CHANNELS, 56, 56),)


def image_last() -> Inputs:
    """A batch of images with channels last."""
    return (image()[0].to(memory_format=torch.channels_last),)


def heads() -> Inputs:
    """Attention's queries."""
    return (randn(8, 12, 128, 64),)


def tokens() -> Inputs:
    """A batch of sequences."""
    return (randn(8, 128, 768),)


def turned() -> Inputs:
    """Queries, with cosine and sine for half of their elements."""
    return randn(8, 12, 128, 64), randn(128, 32), randn(128, 32)


def of_channels(images: Callable[[], Inputs]) -> Callable[[], Inputs]:
    """Images, and two numbers for each channel."""
    return lambda: (*images(), randn(CHANNELS), randn(CHANNELS).abs() + 1)


def with_indices(bound: int, shape: tuple[int, ...]) -> Callable[[], Inputs]:
    """Rows, and indices below a bound."""
    return lambda: (randn(ROWS, WIDTH), randint(0, bound, shape))


def numbers(dtype: torch.dtype, most: int) -> Callable[[], Inputs]:
    """Rows of integers."""
    return lambda: (randint(0, most, (ROWS, WIDTH), dtype=dtype),)


def typed(dtype: torch.dtype) -> Callable[[], Inputs]:
    """Rows of this type."""
    return lambda: (randn(ROWS, WIDTH).to(dtype),)


def rotated(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Rotary embedding, with the halves of each head as pairs."""
    a, b = x.chunk(2, -1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)


def rotated_pairs(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Rotary embedding, with neighbours as pairs."""
    a, b = x[..., ::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, b * cos + a * sin], -1).flatten(-2)


def causal(x: Tensor) -> Tensor:
    """Attention's weights for what came before."""
    future = torch.ones(128, 128, dtype=torch.bool).triu(1)
    return (x * 0.125).masked_fill(future, -1e9).softmax(-1)


def windows(x: Tensor) -> Tensor:
    """Images cut into windows."""
    return x.view(8, 8, 7, 8, 7, 96).permute(0, 1, 3, 2, 4, 5).reshape(-1, 49, 96)


NORMS: dict[str, Row] = {
    "layer norm": (lambda x, w, b: F.layer_norm(x, (WIDTH,), w, b), normed),
    "layer norm of short rows": (lambda x: F.layer_norm(x, (32,)), lambda: (randn(20_000, 32),)),
    "layer norm, bfloat16": (lambda x: F.layer_norm(x, (WIDTH,)), typed(torch.bfloat16)),
    "sum and RMS norm": (lambda x, y: (x + y, F.rms_norm(x + y, (WIDTH,))), matrices),
    "group norm": (lambda x, w, b: F.group_norm(x, 8, w, b), of_channels(image)),
    "group norm, channels last": (lambda x, w, b: F.group_norm(x, 8, w, b), of_channels(image_last)),
    "instance norm": (F.instance_norm, image),
    "instance norm, channels last": (F.instance_norm, image_last),
    "batch norm in training": (lambda x: F.batch_norm(x, None, None, training=True), image),
    "batch norm in training, channels last": (lambda x: F.batch_norm(x, None, None, training=True), image_last),
    "batch norm + relu": (lambda x, m, v: F.relu(F.batch_norm(x, m, v)), of_channels(image)),
    "batch norm + relu, channels last": (lambda x, m, v: F.relu(F.batch_norm(x, m, v)), of_channels(image_last)),
    "centred both ways": (lambda x: x - x.mean(0) - x.mean(1, keepdim=True), matrix),
    "rows over their norm": (lambda x: x / x.norm(dim=-1, keepdim=True), matrix),
    "columns over their norm": (lambda x: x / x.norm(dim=0, keepdim=True), matrix),
    "rows from 0 to 1": (
        lambda x: (x - x.amin(-1, True)) / (x.amax(-1, True) - x.amin(-1, True)),
        matrix,
    ),
    "softmax": (lambda x: x.softmax(-1), matrix),
    "softmax of columns": (lambda x: x.softmax(0), matrix),
    "softmax of short rows": (lambda x: x.softmax(-1), lambda: (randn(20_000, 10),)),
    "softmax of channels": (lambda x: x.softmax(1), image),
    "softmax of channels, channels last": (lambda x: x.softmax(1), image_last),
    "softmax in the middle": (lambda x: x.softmax(1), lambda: (randn(64, 49, 768),)),
    "softmax, float64": (lambda x: x.softmax(-1), typed(torch.float64)),
    "softmax, bfloat16": (lambda x: x.softmax(-1), typed(torch.bfloat16)),
    "attention's weights, masked": (
        lambda x, m: (x * 0.125 + m).softmax(-1),
        lambda: (randn(8, 12, 128, 128), randn(8, 1, 1, 128)),
    ),
    "attention's weights, causal": (causal, lambda: (randn(8, 12, 128, 128),)),
}

REDUCTIONS: dict[str, Row] = {
    "sum of all": (lambda x: x.sum(), matrix),
    "norm of all": (lambda x: (x * x).sum().sqrt(), matrix),
    "sum of short rows": (lambda x: x.sum(-1), lambda: (randn(100_000, 7),)),
    "sums both ways": (lambda x: (x.sum(0), x.sum(1)), matrix),
    "sum in the middle": (lambda x: x.sum(1), lambda: (randn(64, 49, 768),)),
    "sum of first and last": (lambda x: x.sum((0, 2)), lambda: (randn(64, 49, 768),)),
    "sum of scaled rows": (lambda x, m: (x * m[:, None]).sum(0), lambda: (*matrix(), randn(ROWS))),
    "sum of rows less their mean": (lambda x: (x * (x - x.mean(1, keepdim=True))).sum(0), matrix),
    "mean of images": (lambda x: x.mean((2, 3)), image),
    "mean of images, channels last": (lambda x: x.mean((2, 3)), image_last),
    "mean of channels": (lambda x: x.mean(1), image),
    "mean of channels, channels last": (lambda x: x.mean(1), image_last),
    "mean for each channel": (lambda x: x.mean((0, 2, 3)), image),
    "mean for each channel, channels last": (lambda x: x.mean((0, 2, 3)), image_last),
    "deviation": (lambda x: x.std(-1), matrix),
    "variance in the middle": (lambda x: x.var(1), tokens),
    "product": (lambda x: x.prod(-1), matrix),
    "logsumexp of columns": (lambda x: x.logsumexp(0), matrix),
    "position of the greatest": (lambda x: x.argmax(-1), matrix),
    "position of the greatest of columns": (lambda x: x.argmax(0), matrix),
    "greatest and its position": (lambda x: x.max(-1), matrix),
    "any": (lambda x: (x > 3).any(-1), matrix),
    "count": (lambda x: (x > 0).sum(), matrix),
    "count in columns": (lambda x: (x > 0).sum(0), matrix),
    "distances": (lambda x, y: ((x[:, None] - y[None]) ** 2).sum(-1), lambda: (randn(256, 64), randn(256, 64))),
    "distances of columns": (
        lambda x, y: ((x[:, :, None] - y[None]) ** 2).sum(1),
        lambda: (randn(256, 64), randn(64, 256)),
    ),
    "running sum": (lambda x: x.cumsum(-1), matrix),
    "running sum of columns": (lambda x: x.cumsum(0), matrix),
    "positions of a mask": (lambda m: (m.cumsum(1) * m).long() - 1, lambda: (torch.ones(64, 512, dtype=torch.long),)),
}

IMAGES: dict[str, Row] = {
    "greatest in windows": (lambda x: F.max_pool2d(x, 3, 2, 1), image),
    "greatest in windows, channels last": (lambda x: F.max_pool2d(x, 3, 2, 1), image_last),
    "mean of windows": (lambda x: F.avg_pool2d(x, 3, 2, 1), image),
    "mean of windows, channels last": (lambda x: F.avg_pool2d(x, 3, 2, 1), image_last),
    "adaptive mean to 1": (lambda x: F.adaptive_avg_pool2d(x, 1), image),
    "adaptive mean to 1, channels last": (lambda x: F.adaptive_avg_pool2d(x, 1), image_last),
    "adaptive mean to 7": (lambda x: F.adaptive_avg_pool2d(x, 7), image),
    "nearest, twice the size": (lambda x: F.interpolate(x, scale_factor=2), image),
    "bilinear, twice the size": (lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"), image),
    "bilinear, twice the size, channels last": (
        lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"),
        image_last,
    ),
    "bicubic, twice the size": (
        lambda x: F.interpolate(x, scale_factor=2, mode="bicubic"),
        lambda: (randn(2, CHANNELS, 56, 56),),
    ),
    "zeros around": (lambda x: F.pad(x, (1, 1, 1, 1)), image),
    "edges reflected": (lambda x: F.pad(x, (1, 1, 1, 1), mode="reflect"), image),
    "pixels shuffled": (lambda x: F.pixel_shuffle(x, 2), image),
    "windows as columns": (lambda x: F.unfold(x, 3, padding=1), lambda: (randn(2, CHANNELS, 56, 56),)),
    "patches": (lambda x: x.unfold(2, 4, 4).unfold(3, 4, 4).contiguous(), image),
    "to channels last": (lambda x: x.contiguous(memory_format=torch.channels_last), image),
    "from channels last": (lambda x: x.contiguous(), image_last),
    "rolled both ways": (lambda x: x.roll((3, 3), (1, 2)), lambda: (randn(8, 56, 56, 96),)),
    "cut into windows": (windows, lambda: (randn(8, 56, 56, 96),)),
    "images end to end": (lambda x: torch.cat([x, x * 2], 1), image),
    "depthwise in one dimension": (
        lambda x, w: F.conv1d(x, w, padding=1, groups=64),
        lambda: (randn(8, 64, 1024), randn(64, 1, 3)),
    ),
}

MOVES: dict[str, Row] = {
    "heads apart": (lambda x: x.view(8, 128, 12, 64).transpose(1, 2).contiguous(), tokens),
    "heads together": (lambda x: x.transpose(1, 2).reshape(8, 128, 768), heads),
    "queries, keys and values": (
        lambda x: [part.contiguous() for part in x.view(8, 128, 3, 12, 64).permute(2, 0, 3, 1, 4).unbind(0)],
        lambda: (randn(8, 128, 2304),),
    ),
    "transposed and added": (lambda x, y: x.t() + y, lambda: (randn(1024, 1024), randn(1024, 1024))),
    "last dimension first": (lambda x: x.permute(2, 0, 1).contiguous(), tokens),
    "first two exchanged": (lambda x: x.permute(1, 0, 2).contiguous(), tokens),
    "reversed": (lambda x: x.flip(-1), matrix),
    "rows end to end": (lambda x, y: torch.cat([x, y * 2], -1), matrices),
    "elements by turns": (lambda x, y: torch.stack([x, y], -1), matrices),
    "rotary": (rotated, turned),
    "rotary, neighbours": (rotated_pairs, turned),
    "keys repeated": (
        lambda x: x[:, :, None].expand(8, 3, 4, 128, 64).reshape(8, 12, 128, 64),
        lambda: (randn(8, 3, 128, 64),),
    ),
    "each repeated": (lambda x: x.repeat_interleave(4, 1), lambda: (randn(8, 3, 128, 64),)),
    "lower triangle": (lambda x: x.tril(), lambda: (randn(1024, 1024),)),
    "outer product": (lambda x, y: x[:, None] * y[None], lambda: (randn(ROWS), randn(WIDTH))),
    "scaled rows, shifted columns": (
        lambda x, r, c: x * r[:, None] + c,
        lambda: (*matrix(), randn(ROWS), randn(WIDTH)),
    ),
    "halves, one gating the other": (lambda x: x[:, :512].sigmoid() * x[:, 512:], matrix),
    "lengths of pairs": (lambda x: (x[..., 0] ** 2 + x[..., 1] ** 2).sqrt(), lambda: (randn(ROWS, 512, 2),)),
}

INDICES: dict[str, Row] = {
    "embedding": (lambda x, at: F.embedding(at, x), lambda: (randn(30_000, 768), randint(0, 30_000, (8, 128)))),
    "gathered": (lambda x, at: x.gather(1, at), with_indices(WIDTH, (ROWS, WIDTH))),
    "rows chosen": (lambda x, at: x[at], with_indices(ROWS, (4096,))),
    "columns chosen": (lambda x, at: x[:, at], with_indices(WIDTH, (1024,))),
    "scattered and added": (
        lambda x, at: torch.zeros(ROWS, WIDTH).scatter_add(1, at, x),
        with_indices(WIDTH, (ROWS, WIDTH)),
    ),
    "rows added to others": (lambda x, at: torch.zeros(100, WIDTH).index_add(0, at, x), with_indices(100, (ROWS,))),
    "rows put and added": (
        lambda x, at: torch.zeros(100, WIDTH).index_put((at,), x, accumulate=True),
        with_indices(100, (ROWS,)),
    ),
    "one hot": (lambda at: F.one_hot(at, 1000).float(), lambda: (randint(0, 1000, (1024,)),)),
    "ten greatest": (lambda x: x.topk(10, -1), matrix),
}

ELEMENTS: dict[str, Row] = {
    "leaky": (lambda x: torch.where(x > 0, x, x * 0.01), matrix),
    "SiLU": (F.silu, matrix),
    "SiLU, float16": (F.silu, typed(torch.float16)),
    "Mish": (F.mish, matrix),
    "GELU": (F.gelu, matrix),
    "GELU, bfloat16": (F.gelu, typed(torch.bfloat16)),
    "tanh": (torch.tanh, matrix),
    "exp of log": (lambda x: (x.abs() + 1).log().exp(), matrix),
    "exp of log, float64": (lambda x: (x.abs() + 1).log().exp(), typed(torch.float64)),
    "sine and cosine": (lambda x: x.sin() * x.cos(), matrix),
    "power": (lambda x: x.abs() ** 1.7, matrix),
    "quantised": (lambda x: torch.round(x / 0.1).clamp(-128, 127).to(torch.int8), matrix),
    "dequantised": (lambda x: x.float() * 0.1, numbers(torch.int8, 127)),
    "dropout": (lambda x: F.dropout(x, 0.1), matrix),
    "noise": (lambda x: x + torch.randn_like(x), matrix),
    "integers, scaled": (lambda x: x * 3 + 1, numbers(torch.int64, 100)),
    "integers, divided": (lambda x: x // 7, numbers(torch.int64, 100_000)),
    "integers, remainder": (lambda x: x % 7, numbers(torch.int32, 100_000)),
    "step with momentum": (
        lambda p, g, m: (m * 0.9 + g, p - 0.1 * (m * 0.9 + g)),
        lambda: (*matrices(), randn(ROWS, WIDTH)),
    ),
}

LOSSES: dict[str, Row] = {
    "mean square": (F.mse_loss, matrices),
    "smooth L1": (F.smooth_l1_loss, matrices),
    "cross-entropy": (F.cross_entropy, with_indices(WIDTH, (ROWS,))),
    "binary cross-entropy": (lambda x, y: F.binary_cross_entropy_with_logits(x, y.sigmoid()), matrices),
    "divergence": (lambda x, y: F.kl_div(x.log_softmax(-1), y.softmax(-1), reduction="batchmean"), matrices),
    "cosine similarity": (F.cosine_similarity, matrices),
}


def cubed(function: Callable[..., Tensor], inputs: Callable[[], Inputs]) -> Row:
    """The sum of the cubes of what a function gives, whose gradients are wanted. (Of squares, a norm's would be 0.)"""

    def wanted() -> Inputs:
        return tuple(it.requires_grad_(it.is_floating_point()) for it in inputs())

    def loss(*args: Any) -> Tensor:
        result = function(*args)
        return (result * result * result).sum()

    return loss, wanted


GRADIENTS: dict[str, Row] = {
    "layer norm": cubed(lambda x, w, b: F.layer_norm(x, (WIDTH,), w, b), normed),
    "RMS norm of heads": cubed(lambda x: F.rms_norm(x, (64,)), heads),
    "group norm": cubed(lambda x, w, b: F.group_norm(x, 8, w, b), of_channels(image)),
    "group norm, channels last": cubed(lambda x, w, b: F.group_norm(x, 8, w, b), of_channels(image_last)),
    "batch norm": cubed(lambda x, w, b: F.batch_norm(x, None, None, w, b, True), of_channels(image)),
    "batch norm, channels last": cubed(
        lambda x, w, b: F.batch_norm(x, None, None, w, b, True), of_channels(image_last)
    ),
    "softmax": cubed(lambda x: x.softmax(-1), matrix),
    "softmax of columns": cubed(lambda x: x.softmax(0), matrix),
    "rows over their norm": cubed(lambda x: F.normalize(x, dim=-1), matrix),
    "standard deviation": cubed(lambda x: x.std(-1), matrix),
    "scaled and shifted": cubed(lambda x, w, b: x * w + b, normed),
    "bias and GELU": cubed(lambda x, _, b: F.gelu(x + b), normed),
    "images modulated": cubed(
        lambda x, w, b: x * (1 + w[:, :, None, None]) + b[:, :, None, None],
        lambda: (*image(), randn(8, CHANNELS), randn(8, CHANNELS)),
    ),
    "PReLU": cubed(F.prelu, lambda: (*image(), torch.rand(CHANNELS))),
    "maxima under windows": cubed(lambda x: F.max_pool2d(x, 2), image),
    "means under tiles": cubed(lambda x: F.avg_pool2d(x, 2), image),
    "means of an image": cubed(lambda x: F.adaptive_avg_pool2d(x, 7), image),
    "nearest": cubed(lambda x: F.interpolate(x, scale_factor=2), image),
    "bilinear": cubed(lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"), image),
    "columns of windows": cubed(lambda x: F.unfold(x, 3, padding=1), lambda: (randn(8, 16, 56, 56),)),
    "embedding": cubed(lambda w, i: F.embedding(i, w), lambda: (randn(1000, 256), randint(0, 1000, (8, 512)))),
    "gather": cubed(lambda x, i: x.gather(1, i), with_indices(WIDTH, (ROWS, 64))),
    "rows by index": cubed(lambda x, i: x.index_select(0, i), with_indices(ROWS, (ROWS,))),
    "rotary": cubed(rotated, turned),
    "rotary of pairs": cubed(rotated_pairs, turned),
}

PATTERNS: dict[str, dict[str, Row]] = {
    "norms": NORMS,
    "reductions": REDUCTIONS,
    "images": IMAGES,
    "moves": MOVES,
    "indices": INDICES,
    "elements": ELEMENTS,
    "losses": LOSSES,
    "gradients": GRADIENTS,
}
