"""Layers of `torch.nn` of more than one call of torch: recurrent layers, Transformers, parametrizations."""

from __future__ import annotations

import copy
import re
import warnings
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn.utils import parametrizations, parametrize
from torch.utils import _pytree as pytree

import rust_inductor
from rust_inductor import _capture

pytestmark = pytest.mark.filterwarnings("ignore")

Make = Callable[[], nn.Module]


class Symmetric(nn.Module):
    def forward(self, weight: Tensor) -> Tensor:
        return weight.triu() + weight.triu(1).transpose(-1, -2)


def symmetric() -> nn.Module:
    return parametrize.register_parametrization(nn.Linear(4, 4), "weight", Symmetric())


class Around(nn.Module):
    """A recurrent layer between others."""

    def __init__(self, layer: nn.Module) -> None:
        super().__init__()
        self.before = nn.Linear(4, 4)
        self.layer = layer

    def forward(self, x: Tensor) -> Any:
        result, state = self.layer(self.before(x).relu())
        return result.sum(-1) * 2, state


RECURRENT: dict[str, Make] = {
    "lstm": lambda: nn.LSTM(4, 5),
    "lstm_deep": lambda: nn.LSTM(4, 5, 2, bidirectional=True, dropout=0.5),
    "lstm_batch_first": lambda: nn.LSTM(4, 5, batch_first=True),
    "lstm_projected": lambda: nn.LSTM(4, 5, 2, proj_size=3, bias=False),
    "gru": lambda: nn.GRU(4, 5),
    "gru_deep": lambda: nn.GRU(4, 5, 3, dropout=0.5, batch_first=True),
    "gru_bidirectional": lambda: nn.GRU(4, 5, bidirectional=True, bias=False),
    "rnn": lambda: nn.RNN(4, 5),
    "rnn_relu": lambda: nn.RNN(4, 5, 2, "relu", bidirectional=True),
}

MODULES: dict[str, tuple[Make, list[int]]] = {
    "symmetric": (symmetric, [2, 4]),
    "weight_norm": (lambda: parametrizations.weight_norm(nn.Linear(4, 4)), [2, 4]),
    "spectral_norm": (lambda: parametrizations.spectral_norm(nn.Linear(4, 4)), [2, 4]),
    "orthogonal": (lambda: parametrizations.orthogonal(nn.Linear(4, 4)), [2, 4]),
    "encoder": (
        lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True), 2),
        [2, 5, 8],
    ),
    "decoder": (lambda: nn.TransformerDecoderLayer(8, 2, 16, dropout=0.0), [5, 2, 8]),
    "transformer": (lambda: nn.Transformer(8, 2, 1, 1, 16, dropout=0.0, batch_first=True), [2, 5, 8]),
    "attention": (lambda: nn.MultiheadAttention(8, 2), [5, 2, 8]),
    "lstm_cell": (lambda: nn.LSTMCell(4, 5), [2, 4]),
    "gru_cell": (lambda: nn.GRUCell(4, 5), [2, 4]),
    "rnn_cell": (lambda: nn.RNNCell(4, 5), [2, 4]),
    "lazy": (lambda: nn.Sequential(nn.LazyLinear(3), nn.LazyBatchNorm1d(), nn.ReLU()), [4, 6]),
}


def inputs_of(name: str, sizes: list[int]) -> list[Tensor]:
    """The arguments of a module of [`MODULES`]: as many as its kind takes."""
    count = {"decoder": 2, "transformer": 2, "attention": 3}.get(name, 1)
    return [torch.randn(sizes) for _ in range(count)]


def step(module: nn.Module, inputs: list[Tensor], seed: int) -> tuple[list[Tensor], list[Tensor | None]]:
    """The results of a call, and the gradients of the parameters, if any are recorded."""
    module.zero_grad()
    torch.manual_seed(seed)
    results = [leaf for leaf in pytree.tree_leaves(module(*inputs)) if isinstance(leaf, Tensor)]
    if results[0].requires_grad:
        sum(result.sin().sum() for result in results).backward()  # type: ignore[union-attr]
    return results, [parameter.grad for parameter in module.parameters()]


def breaks(module: nn.Module, *inputs: Tensor) -> list[str]:
    return [event["break_reason"] for event in captures(module, *inputs) if event["break_reason"] is not None]


def captures(module: nn.Module, *inputs: Tensor) -> list[dict[str, Any]]:
    log: list[dict[str, Any]] = []
    _capture.optimize(lambda *args: module(*args), "eager", listener=log.append)(*inputs)
    return log


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("name", RECURRENT)
def test_recurrent_layers(name: str, training: bool) -> None:
    torch.manual_seed(0)
    module = Around(RECURRENT[name]()).train(training)
    compiled = rust_inductor.compile(copy.deepcopy(module))
    with torch.set_grad_enabled(training):
        for turn, (time, batch) in enumerate([(3, 2), (3, 2), (5, 4), (7, 3)]):
            x = torch.randn(time, batch, 4)
            ours, theirs = step(compiled, [x], turn), step(module, [x], turn)
            torch.testing.assert_close(ours, theirs)
            assert [one.stride() for one in ours[0]] == [one.stride() for one in theirs[0]]


@pytest.mark.parametrize("name", RECURRENT)
def test_one_call_where_no_gradients_are_asked(name: str) -> None:
    module = Around(RECURRENT[name]())
    with torch.no_grad():
        assert breaks(module, torch.randn(3, 2, 4)) == []
        [event] = captures(module, torch.randn(3, 2, 4))
    calls = re.findall(r"torch\.(?:lstm|gru|rnn_tanh|rnn_relu)", str(event["graph"]))
    assert len(calls) == 1


@pytest.mark.parametrize("name", ["lstm", "gru", "rnn"])
def test_the_reason_of_a_break(name: str) -> None:
    reasons = breaks(Around(RECURRENT[name]()), torch.randn(3, 2, 4))
    assert reasons and all("whose gradients torch takes one step of time after the other" in one for one in reasons)


def test_weights_that_are_replaced() -> None:
    module = nn.LSTM(4, 5)
    compiled = rust_inductor.compile(module)
    x = torch.randn(3, 2, 4)
    with torch.no_grad():
        for _ in range(3):
            torch.testing.assert_close(compiled(x), module(x))
            module.weight_ih_l0 = nn.Parameter(torch.randn(20, 4))
        other = {name: torch.randn_like(parameter) for name, parameter in module.named_parameters()}
        ours = torch.func.functional_call(compiled, {f"_orig_mod.{name}": value for name, value in other.items()}, x)
        torch.testing.assert_close(ours, torch.func.functional_call(module, other, x))


def test_a_layer_that_is_a_local_and_is_dropped() -> None:
    def program(x: Tensor, layer: nn.Module, reference: Any) -> Any:
        y = layer(x)[0]
        weight = layer.weight_ih_l0
        layer = nn.Identity()
        return y * 2 + (1 if reference() is weight else 0)

    layer = nn.LSTM(4, 5)
    compiled = rust_inductor.compile(program)
    with torch.no_grad():
        x = torch.randn(3, 2, 4)
        for _ in range(2):
            torch.testing.assert_close(
                compiled(x, layer, layer._flat_weight_refs[0]), program(x, layer, layer._flat_weight_refs[0])
            )


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("name", MODULES)
def test_modules(name: str, training: bool) -> None:
    make, sizes = MODULES[name]
    torch.manual_seed(0)
    module = make()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module.train(training)
        # What is lazy gets its parameters from the first call.
        module(*inputs_of(name, sizes))
        compiled = rust_inductor.compile(copy.deepcopy(module))
        for turn in range(3):
            inputs = inputs_of(name, sizes)
            ours, theirs = step(compiled, inputs, turn), step(module, inputs, turn)
            torch.testing.assert_close(ours, theirs)
            torch.testing.assert_close(
                list(dict(compiled.named_buffers()).values()), list(dict(module.named_buffers()).values())
            )
        assert breaks(module, *inputs_of(name, sizes)) == []


def test_module_compile() -> None:
    module = nn.Sequential(nn.Linear(4, 4), nn.Tanh())
    expected = module(torch.ones(2, 4))
    module.compile(backend="rust_inductor", fullgraph=True)
    torch.testing.assert_close(module(torch.ones(2, 4)), expected)
    assert list(module.state_dict()) == ["0.weight", "0.bias"]
