"""All sorts of operators, sizes that change, and our own capture."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional as F

import rust_inductor
from pybind.tests.wgpu.device import OPTIONS, POOLS, Counted, check, close, needs_adapter, on_device
from rust_inductor import _native

pytestmark = needs_adapter

ZOO: dict[str, Callable[..., Any]] = {
    "pointwise": lambda x: torch.tanh(x) * torch.sigmoid(x) + F.gelu(x) - x.abs().sqrt(),
    "broadcast": lambda x: x + x[:1] * x[:, :1],
    "transpose": lambda x: x.t().contiguous() + 1,
    "sum of all": lambda x: x.sum(),
    "sums": lambda x: (x.sum(0), x.sum(1), x.mean(0, keepdim=True)),
    "softmax": lambda x: (F.softmax(x, -1), F.log_softmax(x, 0)),
    "layer norm": lambda x: F.layer_norm(x, x.shape[1:]),
    "var": lambda x: torch.var_mean(x, 1),
    "extremes": lambda x: (x.amax(0), x.amin(1), x.argmax(1), x.argmin(0)),
    "bool": lambda x: (x > 0, (x > 0) & (x < 1), (x > 0).any(1), (x > 5).all()),
    "where": lambda x: torch.where(x > 0, x, -x),
    "ints": lambda x: (x.to(torch.int32) // 2, x.to(torch.int64) % 3, x.to(torch.uint8) + 1),
    "cumsum": lambda x: x.cumsum(1),
    "cat": lambda x: torch.cat([x, x * 2, x[:3]], 0),
    "gather": lambda x: x.gather(1, (x > 0).long()),
    "index": lambda x: x[torch.tensor([3, 0, -1]), torch.tensor([1, 2, 3])],
    "scatter": lambda x: torch.zeros(5, 17).index_add(0, torch.arange(13) % 5, x[:13]),
    "index put": lambda x: x.index_put((torch.tensor([0, 0, 2]),), x[:3], accumulate=True),
    "one hot": lambda x: F.one_hot(x.argmax(1), 17),
    "embedding": lambda x: F.embedding(torch.tensor([[0, 2], [5, 1]]), x),
    "pad": lambda x: F.pad(x, (1, 2, 3, 0), value=0.5),
    "tril": lambda x: x.tril() + x.triu(2),
    "float64": lambda x: x.double().exp().sum(),
    "bfloat16": lambda x: (x.bfloat16() * 2).float(),
    "complex": lambda x: torch.view_as_real(torch.polar(x, x)),
    "sort": lambda x: x.sort(1),
    "empty": lambda x: (x[:0] + 1, x[:0].sum()),
}


@pytest.mark.parametrize("name", ZOO)
def test_zoo(name: str) -> None:
    """Whoever runs it, device or processor, gives what eager gives."""
    check(ZOO[name], torch.randn(13, 17) if name != "index" else torch.randn(4, 17))


def test_sizes_that_change() -> None:
    """One graph for all sizes."""
    model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 8), nn.Softmax(-1))
    compiled = on_device(model, dynamic=True)
    with torch.no_grad():
        for rows in (5, 1, 33, 200, 5):
            x = torch.randn(rows, 16)
            close(compiled(x), model(x))


def test_through_our_own_capture() -> None:
    """``rust_inductor.compile`` takes the same options."""

    @rust_inductor.compile(options=OPTIONS)
    def function(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return torch.relu(x @ y) + 1

    x, y = torch.randn(9, 8), torch.randn(8, 7)
    with Counted() as counted:
        close(function(x, y), torch.relu(x @ y) + 1)
    assert counted["dispatches"] >= 1


@pytest.mark.parametrize("name", POOLS)
def test_pooling_through_our_own_capture(name: str) -> None:
    """Functions that choose between two by an argument are put into the graph as they are."""
    function, shape = POOLS[name]
    x = torch.randn(shape)
    with Counted() as counted:
        close(rust_inductor.compile(function, fullgraph=True, options=OPTIONS)(x), function(x))
    assert (counted["dispatches"], counted["host_steps"]) == (1, 0)


def test_a_chain_is_one_submission() -> None:
    """Nothing is waited for before the result."""
    weights = [torch.randn(32, 32) / 8 for _ in range(5)]

    def chain(x: torch.Tensor) -> torch.Tensor:
        for weight in weights:
            x = x @ weight
        return x

    with Counted() as counted:
        close(on_device(chain)(weights[0]), chain(weights[0]))
    assert (counted["dispatches"], counted["submissions"], counted["waits"]) == (5, 1, 1)
    assert counted["host_steps"] == 0


def test_explain_names_the_device() -> None:
    """And says what the processor does instead, with the reason."""
    explanation = rust_inductor.explain(lambda x: torch.polar(x, x), options=OPTIONS)(torch.randn(4))
    text = str(explanation)
    assert _native.device_counters(OPTIONS)["name"] in text
    assert "polar" in text
