"""Tests that `rust_inductor.compile` makes a module of a module."""

from __future__ import annotations

import copy
import inspect
import pickle
from typing import Any

import torch
from torch import nn

import rust_inductor

X = torch.randn(3, 4)


class Net(nn.Module):
    """A layer, and what else a module has."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 2)
        self.factor = 2.0

    def forward(self, x: Any, shift: float = 0.0) -> Any:
        return self.layer(x) * self.factor + shift

    def helper(self) -> str:
        return "helped"


def test_it_is_a_module() -> None:
    module = Net()
    compiled = rust_inductor.compile(module)
    assert isinstance(compiled, nn.Module)
    assert compiled._orig_mod is module
    assert [name for name, _ in compiled.named_parameters()] == ["_orig_mod.layer.weight", "_orig_mod.layer.bias"]
    assert set(compiled.state_dict()) == {"_orig_mod.layer.weight", "_orig_mod.layer.bias"}
    assert next(compiled.parameters()) is module.layer.weight
    assert inspect.signature(compiled) == inspect.signature(module.forward)
    torch.testing.assert_close(compiled(X, shift=1.0), module(X, shift=1.0))
    compiled.load_state_dict({name: torch.zeros_like(value) for name, value in compiled.state_dict().items()})
    assert not module.layer.weight.any()


def test_attributes_are_the_originals() -> None:
    module: Any = Net()
    compiled = rust_inductor.compile(module)
    assert compiled.helper() == "helped"
    compiled.factor = 3.0
    compiled.extra = 1
    assert (module.factor, module.extra) == (3.0, 1)
    torch.testing.assert_close(compiled(X), module(X))
    del compiled.extra
    assert not hasattr(compiled, "extra")
    compiled.eval()
    assert not module.training and not module.layer.training
    compiled.train()
    assert module.training
    assert "helper" in dir(compiled)


def test_copies_and_pickles_compile_anew() -> None:
    compiled = rust_inductor.compile(Net())
    expected = compiled(X)
    for twin in (copy.deepcopy(compiled), pickle.loads(pickle.dumps(compiled))):
        torch.testing.assert_close(twin(X), expected)
        twin.factor = 5.0
        torch.testing.assert_close(twin(X), twin._orig_mod(X))
    torch.testing.assert_close(compiled(X), expected)


def test_hooks_of_both() -> None:
    module = Net()
    compiled = rust_inductor.compile(module)
    seen: list[str] = []
    module.register_forward_hook(lambda *_: seen.append("original"))
    compiled.register_forward_hook(lambda *_: seen.append("compiled"))
    compiled(X)
    assert seen == ["original", "compiled"]


def test_within_another_module() -> None:
    outer: Any = nn.Sequential(rust_inductor.compile(Net()), nn.ReLU())
    expected = outer[0]._orig_mod(X).relu()
    torch.testing.assert_close(outer(X), expected)
    torch.testing.assert_close(rust_inductor.compile(outer)(X), expected)


def test_training() -> None:
    module = Net()
    twin = copy.deepcopy(module)
    compiled = rust_inductor.compile(module)
    for model, call in ((module, compiled), (twin, twin)):
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            call(X).square().mean().backward()
            optimizer.step()
    for one, other in zip(module.parameters(), twin.parameters(), strict=True):
        torch.testing.assert_close(one, other)


def test_those_who_ask_for_torchs_class_are_answered() -> None:
    import torch._dynamo

    compiled: Any = rust_inductor.compile(Net())
    assert isinstance(compiled, torch._dynamo.OptimizedModule)
    assert not isinstance(Net(), torch._dynamo.OptimizedModule)
    assert torch._dynamo.OptimizedModule is not type(compiled)


def test_methods_are_compiled_as_the_module_is() -> None:
    module: Any = Net()
    plain = copy.deepcopy(module)
    graphs: list[Any] = []

    def backend(graph: Any, inputs: Any) -> Any:
        graphs.append(graph)
        return graph.forward

    compiled: Any = rust_inductor.compile(module, backend=backend)
    module.forward = compiled.dynamo_ctx(module.forward)
    torch.testing.assert_close(module(X, shift=2.0), plain(X, shift=2.0))
    assert len(graphs) == 1
