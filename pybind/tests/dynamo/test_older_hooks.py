"""Functions of `torch.nn.utils` that are traced like a program's own: the older norms of weights, padded sequences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import nn
from torch.nn import utils

import rust_inductor
from rust_inductor import _capture

if TYPE_CHECKING:
    from collections.abc import Callable


def linear() -> nn.Linear:
    torch.manual_seed(0)
    return nn.Linear(3, 2)


MODULES: dict[str, Callable[[], nn.Module]] = {
    "weight_norm": lambda: utils.weight_norm(linear()),
    "weight_norm_of_all": lambda: utils.weight_norm(linear(), dim=None),  # type: ignore[arg-type]
    "weight_norm_within": lambda: nn.Sequential(utils.weight_norm(linear(), dim=1), nn.ReLU()),
    "weight_norm_of_both": lambda: utils.weight_norm(utils.weight_norm(linear()), "bias"),
    "spectral_norm": lambda: utils.spectral_norm(linear()),
    "spectral_norm_often": lambda: utils.spectral_norm(linear(), n_power_iterations=3),
    "both": lambda: nn.Sequential(utils.spectral_norm(linear()), utils.weight_norm(nn.Linear(2, 4))),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("backend", ["eager", "rust_inductor"])
@pytest.mark.parametrize("name", MODULES)
def test_norms_of_weights(name: str, backend: str) -> None:
    rust_inductor.reset()
    # Iterations of norms magnify what float32 rounds.
    ours, theirs = MODULES[name]().double(), MODULES[name]().double()
    events: list[dict[str, Any]] = []
    compiled = _capture.optimize(lambda net, x: net(x), backend, listener=events.append)
    for turn in range(6):
        # Spectral norms of a module that is evaluated iterate no further.
        ours.train(turn < 4)
        theirs.train(turn < 4)
        results = []
        for function, net in ((compiled, ours), (lambda net, x: net(x), theirs)):
            x = torch.linspace(-1, 1, 12, dtype=torch.float64).reshape(4, 3).requires_grad_()
            result = function(net, x)
            result.pow(2).sum().backward()
            results.append((result, x.grad, [p.grad for p in net.parameters()], list(net.buffers())))
            with torch.no_grad():
                for p in net.parameters():
                    p.sub_(p.grad, alpha=0.01)  # type: ignore[arg-type]
        torch.testing.assert_close(results[0], results[1])
    assert all(event["break_reason"] is None for event in events)
    assert len(events) <= 3


def padded(xs: list[Any]) -> Any:
    return utils.rnn.pad_sequence(xs, batch_first=True, padding_value=2.0) * 2


def padded_tuple(xs: list[Any]) -> Any:
    return utils.rnn.pad_sequence((xs[0], xs[1]))  # type: ignore[arg-type]


def unpadded(xs: list[Any]) -> Any:
    whole = utils.rnn.pad_sequence([xs[0], xs[0] + 1], batch_first=True)
    return utils.rnn.unpad_sequence(whole, torch.tensor([3, 2]), batch_first=True)


@pytest.mark.parametrize("function", [padded, padded_tuple])
def test_padded_sequences(function: Callable[..., Any]) -> None:
    rust_inductor.reset()
    events: list[dict[str, Any]] = []
    compiled = _capture.optimize(function, "rust_inductor", dynamic=False, listener=events.append)
    for sizes in ((3, 2), (3, 2), (2, 4)):
        results = []
        for call in (compiled, function):
            xs = [torch.arange(float(size)).requires_grad_() for size in sizes]
            result = call(xs)
            result.pow(2).sum().backward()
            results.append((result, [x.grad for x in xs]))
        torch.testing.assert_close(results[0], results[1])
    assert [event["break_reason"] for event in events] == [None, None]


@pytest.mark.parametrize("function", [unpadded])
def test_what_depends_on_lengths(function: Callable[..., Any]) -> None:
    xs = [torch.arange(3.0)]
    torch.testing.assert_close(rust_inductor.compile(function)(xs), function(xs))


def packed(x: Any) -> Any:
    sequence = utils.rnn.pack_padded_sequence(x, [3, 2], batch_first=True)
    result, lengths = utils.rnn.pad_packed_sequence(sequence, batch_first=True)
    return result * 2, lengths


def test_packed_sequences() -> None:
    x = torch.arange(6.0).reshape(2, 3, 1)
    compiled = rust_inductor.compile(packed)
    for _ in range(2):
        torch.testing.assert_close(compiled(x), packed(x))


def test_packed_sequences_of_lstms() -> None:
    torch.manual_seed(0)
    net = nn.LSTM(1, 2, batch_first=True)

    def run(x: Any) -> Any:
        result, _ = net(utils.rnn.pack_padded_sequence(x, [3, 2], batch_first=True))
        return utils.rnn.pad_packed_sequence(result, batch_first=True)[0] * 2

    x = torch.arange(6.0).reshape(2, 3, 1)
    compiled = rust_inductor.compile(run)
    for _ in range(2):
        torch.testing.assert_close(compiled(x), run(x))
