"""`torch.nn.Module` through our own Dynamo: one graph where torch makes one, and every change noticed."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import rust_inductor
from rust_inductor import _capture


class Net(nn.Module):
    """Containers, buffers, plain attributes, a flag."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(3)])
        self.named = nn.ModuleDict({"first": nn.LayerNorm(4), "second": nn.Identity()})
        self.weights = nn.ParameterList([nn.Parameter(torch.randn(4)) for _ in range(2)])
        self.register_buffer("offset", torch.ones(4))
        self.absent: nn.Module | None = None
        self.scale = 2.0

    def forward(self, x: Any) -> Any:
        for layer in self.layers[:2]:
            x = x + F.gelu(layer(x))
        x = self.named["first"](x) if self.training else self.named["second"](x)
        for name, module in self.named.items():
            x = module(x) if name == "second" else x
        if self.absent is not None:
            x = self.absent(x)
        return x * self.scale * self.weights[0] + self.offset


class Backwards(nn.Module):
    """Goes through its layers from the last to the first, and asks what they hold."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4)])
        self.body = nn.Sequential(nn.Linear(4, 4), nn.Tanh())
        self.scales = nn.ParameterList([nn.Parameter(torch.randn(4)) for _ in range(2)])

    def forward(self, x: Any) -> Any:
        for layer in reversed(self.layers):
            x = layer(x)
        for layer in list(reversed(self.body)) + list(self.layers[::-1]) + list(self.body[::-2]):
            x = layer(x) if layer in self.layers else -layer(x)
        for scale in reversed(self.scales):
            x = x * scale
        return x + len(self.layers[::2])


class Recurrent(nn.Module):
    """Takes the steps of a sequence one by one."""

    def __init__(self) -> None:
        super().__init__()
        self.gated, self.long, self.plain = nn.GRUCell(4, 4), nn.LSTMCell(4, 4), nn.RNNCell(4, 4, nonlinearity="relu")

    def forward(self, x: Any) -> Any:
        gated, long, plain = None, None, None
        for step in range(x.shape[1]):
            gated = self.gated(x[:, step], gated)
            long = self.long(gated, long)
            plain = self.plain(long[0], plain)
        return plain


def captured(module: nn.Module, **options: Any) -> tuple[Any, list[dict[str, Any]]]:
    events: list[dict[str, Any]] = []
    return _capture.optimize(module, "eager", listener=events.append, **options), events


MODULES = {
    "net": (Net, (2, 4)),
    "sequential": (lambda: nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.LayerNorm(8), nn.Linear(8, 2)), (3, 4)),
    "convolutions": (
        lambda: nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten()),
        (2, 3, 8, 8),
    ),
    "backwards": (Backwards, (2, 4)),
    "recurrent": (Recurrent, (2, 3, 4)),
    "norms": (lambda: nn.Sequential(nn.GroupNorm(2, 4), nn.BatchNorm1d(4), nn.Softmax(-1), nn.Hardtanh()), (5, 4)),
}


@pytest.mark.parametrize("name", MODULES)
@pytest.mark.parametrize("train", [False, True])
@pytest.mark.parametrize("backend", ["eager", "rust_inductor"])
def test_same_as_eager(name: str, train: bool, backend: str) -> None:
    make, shape = MODULES[name]
    torch.manual_seed(0)
    module = make().train(train)
    twin = copy.deepcopy(module)
    compiled = _capture.optimize(module, backend)
    for _ in range(2):
        x = torch.randn(shape)
        expected, found = twin(x), compiled(x)
        torch.testing.assert_close(found, expected)
        for model, result in ((twin, expected), (module, found)):
            model.zero_grad()
            result.square().sum().backward()
    for (parameter, gradient), (_, expected_gradient) in zip(
        [(k, p.grad) for k, p in module.named_parameters()], [(k, p.grad) for k, p in twin.named_parameters()]
    ):
        torch.testing.assert_close(gradient, expected_gradient, msg=parameter)
    for buffer, expected_buffer in zip(module.buffers(), twin.buffers()):
        torch.testing.assert_close(buffer, expected_buffer)


@pytest.mark.parametrize("name", MODULES)
def test_one_graph(name: str) -> None:
    make, shape = MODULES[name]
    compiled, events = captured(make(), fullgraph=True)
    x = torch.randn(shape)
    compiled(x)
    compiled(x)
    assert len(events) == 1


def test_changes_are_noticed() -> None:
    module: Any = Net().eval()
    compiled, events = captured(module)
    x = torch.randn(2, 4)

    def check() -> None:
        assert torch.equal(compiled(x), module(x))

    check()
    module.train()
    check()
    module.eval()
    check()
    module.train()
    check()
    assert len(events) == 2, "going back and forth between two modes compiles each once"
    module.eval()
    module.scale = 3.0
    check()
    module.layers[0] = nn.Linear(4, 4, bias=False)
    check()
    module.absent = nn.Linear(4, 4)
    check()
    module.offset = torch.zeros(4)
    check()
    module.weights[0] = nn.Parameter(torch.randn(4))
    check()
    module.layers[1].forward = lambda x: x * 0
    check()
    del module.layers[1].forward
    check()
    with torch.no_grad():
        module.layers[0].weight.add_(1)
    check()
    module.layers[0].weight.requires_grad_(False)
    check()


class Raising(nn.Module):
    """Raises for some of its arguments."""

    def forward(self, x: Any, times: int = 1, fails: bool = False) -> Any:
        if fails:
            message = "no"
            raise ValueError(message)
        return x * times


@pytest.mark.parametrize("everywhere", [False, True])
@pytest.mark.parametrize("always", [False, True])
def test_hooks_of_what_raises(always: bool, everywhere: bool) -> None:
    module, called = Raising(), []  # type: nn.Module, list[str]
    module.register_forward_hook(lambda *_: called.append("first"))

    def hook(_module: Any, _args: Any, output: Any) -> Any:
        called.append("last" if output is None else "result")

    everything = nn.modules.module.register_module_forward_hook
    handle = (everything if everywhere else module.register_forward_hook)(hook, always_call=always)

    def calls(x: Any, fails: bool) -> Any:
        try:
            return module(x + 1, fails=fails) + 1
        except ValueError as error:
            return x - 1, str(error)

    compiled = _capture.optimize(calls, "eager")
    try:
        for fails in (False, True, True, False):
            found = []
            for function in (calls, compiled):
                called.clear()
                found.append((repr(function(torch.ones(2), fails)), list(called)))
            assert found[0] == found[1]
    finally:
        handle.remove()


def test_hooks_with_keywords_and_in_an_order() -> None:
    module = Raising()
    module.register_forward_hook(lambda _module, _args, output: output + 1, always_call=True)
    module.register_forward_hook(
        lambda _module, _args, kwargs, output: output * kwargs["times"], with_kwargs=True, prepend=True
    )
    module.register_forward_pre_hook(
        lambda _module, args, kwargs: (args, {"times": kwargs["times"] + 1}), with_kwargs=True
    )

    def calls(x: Any) -> Any:
        return module(x, times=3)

    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(calls, "eager", listener=log.append)
    for _ in range(2):
        torch.testing.assert_close(compiled(torch.ones(2)), calls(torch.ones(2)))
    assert [event["break_reason"] for event in log] == [None]


def test_hooks_are_called() -> None:
    module = Net().eval()
    compiled, _ = captured(module)
    x = torch.randn(2, 4)
    assert torch.equal(compiled(x), module(x))
    handles = [
        module.layers[0].register_forward_hook(lambda _module, _args, output: output * 2),
        module.layers[1].register_forward_pre_hook(lambda _module, args: (args[0] + 1,)),
    ]
    changed = module(x)
    assert torch.equal(compiled(x), changed)
    for handle in handles:
        handle.remove()
    assert torch.equal(compiled(x), module(x))
    everywhere = nn.modules.module.register_module_forward_hook(
        lambda module, _args, output: output + 1 if isinstance(module, nn.Linear) else None
    )
    try:
        assert torch.equal(compiled(x), module(x))
    finally:
        everywhere.remove()
    assert torch.equal(compiled(x), module(x))


class Writer(nn.Module):
    """Keeps what it has seen."""

    count: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("count", torch.zeros(()))
        self.last: torch.Tensor | None = None
        self.calls = 0

    def forward(self, x: Any) -> Any:
        self.count = self.count + 1
        self.last = x * 2
        self.calls += 1
        return self.last + self.count


def test_attributes_are_written() -> None:
    module, twin = Writer(), Writer()
    compiled, _ = captured(module)
    for step in range(3):
        x = torch.full((2,), float(step))
        assert torch.equal(compiled(x), twin(x))
        assert torch.equal(module.count, twin.count)
        assert module.last is not None and twin.last is not None
        assert torch.equal(module.last, twin.last)
        assert module.calls == twin.calls
        assert list(module._buffers) == ["count"]


def test_shared_parameters() -> None:
    class Tied(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = nn.Linear(4, 4)
            self.outer = nn.Linear(4, 4)
            self.outer.weight = self.inner.weight

        def forward(self, x: Any) -> Any:
            return self.outer(self.inner(x))

    module = Tied()
    compiled, events = captured(module)
    x = torch.randn(2, 4)
    assert torch.equal(compiled(x), module(x))
    module.outer.weight = nn.Parameter(torch.randn(4, 4))
    assert torch.equal(compiled(x), module(x))
    assert len(events) == 2


def test_a_function_that_calls_modules() -> None:
    module = Net().eval()

    @rust_inductor.compile(backend="eager")
    def step(x: Any) -> Any:
        return module(x).sum() + module.layers[2](x).sum()

    x = torch.randn(2, 4)
    assert torch.equal(step(x), module(x).sum() + module.layers[2](x).sum())
