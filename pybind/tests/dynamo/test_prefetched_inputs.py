"""Inputs of a graph that the guards have found on their way: the compiled code does not read them a second time."""

from __future__ import annotations

import dis
import gc
import weakref
from typing import Any

import pytest
import torch

from rust_inductor import _capture

X = torch.arange(12.0).view(3, 4)


class Model(torch.nn.Module):
    """Enough parameters, and enough on the way to them, for a snapshot of the guards to be taken."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = torch.nn.ModuleList(torch.nn.Linear(4, 4) for _ in range(8))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            x = layer(x).relu()
        return x


class Recorder:
    """A backend that keeps what its graphs are called with."""

    def __init__(self) -> None:
        self.graphs = 0
        self.arguments: tuple[Any, ...] = ()

    def __call__(self, graph: torch.fx.GraphModule, _inputs: Any) -> Any:
        self.graphs += 1

        def run(*arguments: Any) -> Any:
            self.arguments = arguments
            return graph.forward(*arguments)

        return run


def compiled(model: Any, recorder: Recorder) -> tuple[Any, list[dict[str, Any]]]:
    events: list[dict[str, Any]] = []
    return _capture.optimize(model, recorder, listener=events.append), events


def warm(function: Any, model: Any) -> None:
    for _ in range(4):
        assert torch.equal(function(X), model(X))


def test_the_code_has_a_parameter_for_them() -> None:
    model, recorder = Model(), Recorder()
    function, events = compiled(model, recorder)
    warm(function, model)
    (event,) = events
    code, original = event["code"], event["original"]
    assert code.co_argcount == original.co_argcount + 1
    assert code.co_varnames[original.co_argcount] == "___prefetched0"
    branches = [row.opname for row in dis.get_instructions(code) if "NONE" in row.opname]
    assert len(branches) == 1
    assert all(any(given is own for own in recorder.arguments) for given in model.parameters())


@pytest.mark.parametrize("place", [0, 7])
def test_a_parameter_that_is_replaced_is_read_again(place: int) -> None:
    model, recorder = Model(), Recorder()
    function, _ = compiled(model, recorder)
    warm(function, model)
    for _ in range(3):
        layer: Any = model.layers[place]
        layer.weight = torch.nn.Parameter(torch.randn(4, 4))
        warm(function, model)
        assert any(given is layer.weight for given in recorder.arguments)
        with torch.no_grad():
            layer.bias.add_(1)
        warm(function, model)
        model.layers[place] = torch.nn.Linear(4, 4)
        warm(function, model)
    assert recorder.graphs == 1


def test_each_instance_has_its_own() -> None:
    models = [Model(), Model()]
    recorder = Recorder()
    functions = [compiled(model, recorder)[0] for model in models]
    for _ in range(5):
        for model, function in zip(models, functions):
            assert torch.equal(function(X), model(X))
            assert all(any(given is own for own in recorder.arguments) for given in model.parameters())


def test_a_function_that_is_given_models_by_turns() -> None:
    models = [Model(), Model()]
    recorder = Recorder()
    function, _ = compiled(lambda model, x: model(x) + 1, recorder)
    for _ in range(40):
        for model in models:
            assert torch.equal(function(model, X), model(X) + 1)


def test_no_model_is_kept_alive() -> None:
    recorder = Recorder()
    model = Model()
    function, _ = compiled(lambda model, x: model(x), recorder)
    for _ in range(4):
        assert torch.equal(function(model, X), model(X))
    recorder.arguments = ()
    parameters = [weakref.ref(parameter) for parameter in model.parameters()]
    del model
    gc.collect()
    assert all(reference() is None for reference in parameters)
    model = Model()
    assert torch.equal(function(model, X), model(X))


def with_a_break(model: Model, x: torch.Tensor) -> tuple[torch.Tensor, list[str]]:
    y = model(x)
    return y, sorted(locals())


def test_the_program_does_not_see_it() -> None:
    model, recorder = Model(), Recorder()
    function, _ = compiled(with_a_break, recorder)
    for _ in range(4):
        found, names = function(model, X)
        assert torch.equal(found, model(X))
        assert names == ["model", "x", "y"]


def test_a_graph_that_fails_leaves_the_program_as_it_is() -> None:
    """After an exception the original code starts anew, in a frame that has one parameter more."""
    model, recorder = Model(), Recorder()

    def program(model: Any, x: torch.Tensor, at: torch.Tensor) -> Any:
        try:
            return model(x)[at]
        except IndexError:
            return "beyond"

    function, _ = compiled(program, recorder)
    inside, beyond = torch.tensor([1]), torch.tensor([5])
    for _ in range(4):
        assert torch.equal(function(model, X, inside), model(X)[inside])
        assert function(model, X, beyond) == "beyond"


def test_super_without_a_first_parameter() -> None:
    model, recorder = Model(), Recorder()

    class Owner:
        def method(*arguments: Any) -> Any:
            assert arguments
            y = model(X)
            try:
                return y, super().__repr__()  # type: ignore[misc] # it raises
            except RuntimeError as error:
                return y, str(error)

    function, _ = compiled(Owner.method, recorder)
    owner = Owner()
    expected = Owner.method(owner)
    for _ in range(3):
        found = function(owner)
        assert torch.equal(found[0], expected[0]) and found[1] == expected[1]
