"""The option ``dynamo`` of ``torch.compile``: our own Dynamo captures, and torch's knows nothing of it."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
import torch
from torch import nn
from torch._dynamo.utils import counters

OURS: dict[str, Any] = {"backend": "rust_inductor", "options": {"dynamo": "rust"}}
X = torch.arange(6.0).reshape(2, 3)


@pytest.fixture(autouse=True)
def _no_frame_of_torchs():
    torch._dynamo.reset()
    counters.clear()
    yield
    assert counters["frames"] == {}


def scaled(x, by=2):
    return (x * by).sin() + 1


def test_functions():
    compiled = torch.compile(scaled, **OURS)
    for x in (X, X.double(), X[:1]):
        assert torch.allclose(compiled(x), scaled(x))
    assert compiled.__name__ == "scaled"
    assert torch.allclose(torch.compile(**OURS)(scaled)(X, by=3), scaled(X, by=3))


def test_modules():
    model = nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.5), nn.Linear(4, 2)).eval()
    compiled = torch.compile(model, **OURS)
    assert isinstance(compiled, nn.Module)
    assert compiled._orig_mod is model
    assert torch.allclose(compiled(X), model(X))
    assert next(name for name, _ in copy.deepcopy(compiled).named_parameters()) == "_orig_mod.0.weight"


def test_modules_that_compile_themselves():
    model = nn.Linear(3, 4)
    plain = pickle.loads(pickle.dumps(model))
    model.compile(**OURS)
    model(X).sum().backward()
    plain(X).sum().backward()
    assert torch.allclose(model(X), plain(X))
    assert model.weight.grad is not None
    assert torch.allclose(model.weight.grad, plain.weight.grad)


def test_arguments_are_those_of_torch_compile():
    def printing(x):
        print(x.shape)
        return x + 1

    with pytest.raises(RuntimeError, match="RI0016"):
        torch.compile(printing, fullgraph=True, **OURS)(X)
    assert torch.compile(scaled, disable=True, **OURS) is scaled
    with pytest.raises(ValueError, match="no option `thread`"):
        torch.compile(scaled, backend="rust_inductor", options={"dynamo": "rust", "thread": 1})(X)
    with pytest.raises(ValueError, match="option `dynamo` takes one of 'rust', 'torch'"):
        torch.compile(scaled, backend="rust_inductor", options={"dynamo": "ours"})
    with pytest.raises(TypeError, match="`guard_filter_fn` gives True or False"):
        options: dict[str, Any] = {"dynamo": "rust", "guard_filter_fn": lambda guards: [1] * len(guards)}
        torch.compile(scaled, backend="rust_inductor", options=options)(X)


def test_a_reset_forgets_what_was_compiled():
    calls = []

    def counted(x):
        calls.append(torch.compiler.is_compiling())
        return x + 1

    compiled = torch.compile(counted, **OURS)
    compiled(X)
    torch.compiler.reset()
    assert torch.equal(compiled(X), X + 1)
    with torch.compiler.set_stance("force_eager"):
        compiled(X)
    assert calls == [True, True, False]


def test_the_way_back():
    compiled = torch.compile(scaled, backend="rust_inductor", options={"dynamo": "torch", "threads": 1})
    assert torch.allclose(compiled(X), scaled(X))
    assert counters["frames"]["ok"] == 1
    counters.clear()
