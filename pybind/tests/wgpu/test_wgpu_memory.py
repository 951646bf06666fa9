"""Tests of what is uploaded, and what stays on the device."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from pybind.tests.wgpu.device import OPTIONS, Counted, close, needs_adapter, on_device

pytestmark = needs_adapter


def test_weights_are_uploaded_once() -> None:
    """Only inputs move after the first call, until somebody writes to a weight."""
    first = nn.Linear(64, 64)
    model = nn.Sequential(first, nn.ReLU(), nn.Linear(64, 32))
    x = torch.randn(4, 64)
    compiled = on_device(model)
    with torch.no_grad():
        close(compiled(x), model(x))
        with Counted() as counted:
            close(compiled(x), model(x))
        assert counted["bytes_up"] < 4 * 64 * 32
        assert counted["submissions"] == counted["waits"]
        first.weight.mul_(2.0)
        with Counted() as counted:
            close(compiled(x), model(x))
        assert 4 * 64 * 64 <= counted["bytes_up"] < 2 * 4 * 64 * 64
        first.weight.data.neg_()
        close(compiled(x), model(x))
        first.weight = nn.Parameter(torch.zeros(64, 64))
        close(compiled(x), model(x))
        model.load_state_dict({name: torch.randn_like(value) for name, value in model.state_dict().items()})
        close(compiled(x), model(x))


@pytest.mark.parametrize("write", ["data", "numpy"])
def test_writes_that_torch_does_not_count(write: str) -> None:
    """One element that is written behind torch's back is seen at the next call."""
    model = nn.Linear(300, 200)
    compiled, x = on_device(model), torch.randn(3, 300)
    with torch.no_grad():
        for number in range(3):
            close(compiled(x), model(x))
            version = model.weight._version
            if write == "data":
                model.weight.data[3, number] = 40.0
            else:
                model.weight.detach().numpy()[150, number] = 40.0
            assert model.weight._version == version
            close(compiled(x), model(x))
        with Counted() as counted:
            close(compiled(x), model(x))
        assert counted["bytes_up"] < 4 * 300 * 200


def test_frozen_weights() -> None:
    """A caller that promises not to write behind torch's back is believed; what torch counts is seen all the same."""
    model = nn.Linear(30, 20)
    compiled = torch.compile(model, backend="rust_inductor", options={**OPTIONS, "freezing": True}, dynamic=False)
    x = torch.randn(3, 30)
    with torch.no_grad():
        before = model(x)
        close(compiled(x), before)
        with Counted() as counted:
            close(compiled(x), before)
        assert counted["bytes_up"] <= 4 * 3 * 30 + 256
        model.weight.data[0, 0] = 40.0
        close(compiled(x), before)
        model.weight.mul_(0.5)
        close(compiled(x), model(x))
        model.weight = nn.Parameter(torch.randn(20, 30))
        close(compiled(x), model(x))


def test_inputs_over_foreign_memory_are_read_at_each_call() -> None:
    """Values that NumPy writes are seen, though torch does not count the writes."""
    array = torch.zeros(8).numpy()
    x = torch.from_numpy(array)
    compiled = on_device(lambda x: x @ x)
    compiled(x)
    array[:] = 2.0
    assert compiled(x).item() == 32.0


def test_what_forward_leaves_for_backward_stays() -> None:
    """Backward uploads the gradient alone; a value that was written to in between is the processor's."""
    model = nn.Sequential(nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))
    compiled, x = on_device(model), torch.randn(32, 64)
    compiled(x).sum().backward()
    eager = [parameter.grad for parameter in model.parameters()]
    model.zero_grad()
    result = compiled(x)
    with Counted() as counted:
        result.sum().backward()
    assert counted["bytes_up"] <= 4 * 32 * 64 + 1024
    close([parameter.grad for parameter in model.parameters()], eager)


def test_results_are_not_uploaded_again() -> None:
    """Values that one graph has computed and the next reads are on the device; those written to in between are not."""

    @torch._dynamo.disable
    def meddle(x: torch.Tensor) -> None:
        if writes:
            x.data[7, 3] = 40.0

    def function(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        y = torch.relu(x @ w)
        meddle(y)
        return y @ w + 1

    compiled, x, w = on_device(function), torch.randn(100, 64), torch.randn(64, 64)
    for writes in (False, True, False):
        with torch.no_grad():
            close(compiled(x, w), function(x, w))
            with Counted() as counted:
                close(compiled(x, w), function(x, w))
        given = 4 * (100 * 64 + 2 * 64 * 64)
        assert counted["bytes_up"] <= given + 512 + writes * 4 * 100 * 64
