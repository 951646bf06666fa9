"""Gradients of library kernels, and whole steps of training."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional as F

import rust_inductor
from pybind.tests.wgpu.device import OPTIONS, POOLS, Counted, close, needs_adapter, on_device

pytestmark = needs_adapter

TRAINED: dict[str, tuple[Any, ...]] = {
    "conv2d": (lambda x, w, b: F.conv2d(x, w, b, padding=1), (2, 3, 9, 8), (5, 3, 3, 3), (5,)),
    "conv2d strided": (lambda x, w: F.conv2d(x, w, stride=(2, 3), padding=(3, 0)), (1, 3, 12, 11), (4, 3, 7, 2)),
    "conv2d in groups": (lambda x, w: F.conv2d(x, w, groups=2, dilation=2), (2, 4, 9, 8), (6, 2, 3, 3)),
    "conv1d": (lambda x, w, b: F.conv1d(x, w, b, padding=2), (2, 3, 20), (4, 3, 5), (4,)),
    "max pool": (lambda x: F.max_pool2d(x, 3, stride=2, padding=1), (2, 3, 9, 8)),
    "avg pool": (lambda x: F.avg_pool2d(x, 3, stride=2, padding=1), (2, 3, 9, 8)),
    "avg pool without padding": (
        lambda x: F.avg_pool2d(x, 3, stride=2, padding=1, ceil_mode=True, count_include_pad=False),
        (2, 3, 9, 8),
    ),
    "adaptive pool": (lambda x: F.adaptive_avg_pool2d(x, (2, 3)), (2, 3, 9, 8)),
    "adaptive pool, wider": (lambda x: F.adaptive_avg_pool2d(x, (5, 12)), (2, 3, 9, 8)),
    **POOLS,
    "attention": (F.scaled_dot_product_attention, (2, 3, 19, 24), (2, 3, 21, 24), (2, 3, 21, 24)),
    "attention causal": (
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
        (1, 2, 40, 64),
        (1, 2, 40, 64),
        (1, 2, 40, 64),
    ),
    "attention masked": (
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, attn_mask=torch.ones(5, 7).tril(2) * 2 - 1, scale=0.3),
        (2, 2, 5, 8),
        (2, 2, 7, 8),
        (2, 2, 7, 8),
    ),
}


TRAINED["transposed conv2d"] = (
    lambda x, w, b: F.conv_transpose2d(x, w, b, stride=2, padding=1, output_padding=1),
    (2, 6, 5, 4),
    (6, 3, 3, 3),
    (3,),
)
TRAINED["transposed conv2d in groups"] = (
    lambda x, w: F.conv_transpose2d(x, w, stride=(3, 1), groups=2, dilation=2),
    (2, 6, 5, 4),
    (6, 2, 3, 2),
)
TRAINED["transposed conv1d"] = (lambda x, w, b: F.conv_transpose1d(x, w, b, padding=1), (2, 6, 9), (6, 4, 3), (4,))
TRAINED["conv3d"] = (
    lambda x, w, b: F.conv3d(x, w, b, stride=(1, 2, 1), padding=(0, 1, 2), groups=2),
    (2, 4, 5, 6, 7),
    (6, 2, 2, 3, 2),
    (6,),
)
TRAINED["transposed conv3d"] = (
    lambda x, w, b: F.conv_transpose3d(x, w, b, stride=(1, 2, 1), padding=1, output_padding=(0, 1, 0)),
    (1, 4, 3, 4, 5),
    (4, 3, 2, 3, 2),
    (3,),
)
TRAINED["attention whose heads share keys"] = (
    lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True),
    (2, 6, 19, 24),
    (2, 2, 19, 24),
    (2, 2, 19, 24),
)
TRAINED["attention of wide heads"] = (
    F.scaled_dot_product_attention,
    (1, 2, 9, 200),
    (1, 2, 11, 200),
    (1, 2, 11, 200),
)
TRAINED["embedding"] = (lambda w: F.embedding(torch.tensor([[3, 1, 1], [0, 4, 3]]), w), (5, 70))
TRAINED["embedding of one row"] = (lambda w: F.embedding(torch.tensor([3, 1, 2, 2]), w, padding_idx=2), (5, 8))


@pytest.mark.parametrize("name", TRAINED)
def test_backward_of_library_kernels(name: str) -> None:
    """Gradients of all arguments; both graphs run on the device alone."""
    function, *shapes = TRAINED[name]
    ours = [torch.randn(shape, requires_grad=True) for shape in shapes]
    theirs = [x.detach().clone().requires_grad_() for x in ours]
    with Counted() as counted:
        result = on_device(function)(*ours)
        factor = torch.randn_like(result)
        (result * factor).sum().backward()
    assert counted["host_steps"] == 0
    eager = function(*theirs)
    (eager * factor).sum().backward()
    close(result.detach(), eager.detach())
    close([x.grad for x in ours], [x.grad for x in theirs])


def test_training_step_of_an_mlp() -> None:
    """Forward, backward and the optimiser's writes, several times."""
    ours = nn.Sequential(nn.Linear(20, 40), nn.GELU(), nn.LayerNorm(40), nn.Linear(40, 5))
    theirs = copy.deepcopy(ours)
    compiled = on_device(ours)
    steps = [(model, torch.optim.AdamW(model.parameters(), lr=0.01)) for model in (compiled, theirs)]
    x, target = torch.randn(16, 20), torch.randint(0, 5, (16,))
    for _ in range(3):
        losses = []
        for model, optimiser in steps:
            optimiser.zero_grad()
            loss = F.cross_entropy(model(x), target)
            loss.backward()
            optimiser.step()
            losses.append(loss.detach())
        close(losses[0], losses[1])
    for a, b in zip(ours.parameters(), theirs.parameters(), strict=True):
        close(a.grad, b.grad)
        close(a.detach(), b.detach())


def test_dropout() -> None:
    """Eager's generator draws what stays, and nothing waits for it: the rest is the device's."""
    model = nn.Sequential(nn.Linear(20, 40), nn.ReLU(), nn.Dropout(0.3), nn.Linear(40, 40), nn.Dropout(0.5))
    compiled, x = on_device(model), torch.randn(16, 20)

    def step(run: Any) -> list[torch.Tensor]:
        model.zero_grad()
        torch.manual_seed(5)
        result = run(x)
        result.square().sum().backward()
        return [result.detach(), torch.rand(1), *(parameter.grad for parameter in model.parameters())]

    eager = step(model)
    close(step(compiled), eager)
    with Counted() as counted:
        close(step(compiled), eager)
    assert (counted["submissions"], counted["waits"]) == (2, 2)
    drawn = rust_inductor.explain(lambda x: F.dropout(x, 0.3), options=OPTIONS)(torch.randn(4))
    assert "aten.bernoulli" in str(drawn)
