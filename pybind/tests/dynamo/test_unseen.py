"""Tests that what a backend could see of a graph is made when it looks, and is all there then."""

from __future__ import annotations

import copy
import pickle
import weakref
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch._guards import TracingContext
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

from rust_inductor import _capture, _fakes, _unseen

X = torch.ones(4, 3)


def fn(x, y):
    z = torch.relu(x) * y
    return z.sum(), z + 1


def captured(look: Callable[[torch.fx.GraphModule], Any], function: Any = fn, *args: Any, **options: Any) -> Any:
    """The value that `look` gives in a backend; the graph runs as it is."""
    found = []

    def backend(gm: torch.fx.GraphModule, _inputs: list[Any]) -> Any:
        found.append(look(gm))
        return gm.forward

    args = args or (X, X)
    result = _capture.optimize(function, backend, **options)(*args)
    torch.testing.assert_close(result, function(*args))
    (one,) = found
    return one


def described(graph: torch.fx.Graph) -> None:
    """The nodes are plain ones, and have their metadata."""
    for node in graph.nodes:
        assert type(node) is torch.fx.Node and type(node.meta) is dict
        if node.op != "output":
            assert isinstance(node.meta["example_value"], FakeTensor), node
            assert ("grapharg" in node.meta) == (node.op == "placeholder")


def is_hidden(graph: torch.fx.Graph) -> bool:
    return {type(node) for node in graph.nodes} == {_unseen._Unseen}


def test_who_does_not_look_waits_for_nothing(monkeypatch):
    monkeypatch.setattr(_fakes, "_World", None)
    gm = captured(lambda gm: gm)
    assert is_hidden(gm.graph)
    assert [node.type for node in gm.graph.find_nodes(op="placeholder")] == [torch.Tensor]
    assert "relu" in gm.code
    assert len(gm.graph.find_nodes(op="placeholder")) == 1


LOOKS: list[Callable[[torch.fx.GraphModule], Any]] = [
    lambda gm: next(iter(gm.graph.nodes)).meta,
    lambda gm: [*gm.graph.nodes][3].stack_trace,
    lambda gm: next(iter(gm.graph.nodes))._dynamo_source,
    lambda gm: gm.print_readable(print_output=False),
    lambda gm: gm.graph.python_code("self", verbose=True),
    lambda gm: copy.deepcopy(gm),
    lambda gm: copy.deepcopy(gm.graph),
    lambda gm: torch.fx.Graph().graph_copy(gm.graph, {}),
    lambda gm: [*gm.graph.nodes][2].__getstate__(),
]


@pytest.mark.parametrize("at", range(len(LOOKS)))
def test_one_look_describes_all(at):
    gm = captured(lambda gm: (is_hidden(gm.graph), LOOKS[at](gm), gm)[::2])
    assert gm[0]
    described(gm[1].graph)


def test_what_is_set_stays():
    def look(gm: torch.fx.GraphModule) -> dict[str, Any]:
        node = next(iter(gm.graph.nodes))
        node.meta = {"mine": 1}
        metadata: dict[str, Any] = node.meta
        return metadata

    assert captured(look) == {"mine": 1}


def test_copies_are_described_too():
    def look(gm: torch.fx.GraphModule) -> tuple[torch.fx.Graph, ...]:
        copied = torch.fx.Graph()
        copied.output(copied.graph_copy(gm.graph, {}))
        return copied, copy.deepcopy(gm).graph

    for graph in captured(look):
        for node in graph.nodes:
            assert node.op == "output" or "example_value" in node.meta


def test_a_hidden_graph_is_edited():
    def look(gm: torch.fx.GraphModule) -> torch.fx.GraphModule:
        (relu,) = gm.graph.find_nodes(op="call_function", target=torch.relu)
        with gm.graph.inserting_after(relu):
            other = gm.graph.call_function(torch.abs, (relu.args[0],))
        relu.replace_all_uses_with(other)
        other.args = (torch.fx.map_arg(relu.args[0], lambda node: node),)
        assert relu.name in repr(relu) and not relu.users and [*other.users]
        gm.graph.erase_node(relu)
        gm.graph.lint()
        gm.recompile()
        assert is_hidden_but(gm.graph, other)
        return gm

    def is_hidden_but(graph: torch.fx.Graph, new: torch.fx.Node) -> bool:
        return all((type(node) is torch.fx.Node) == (node is new) for node in graph.nodes)

    gm = captured(look)
    assert all("example_value" in node.meta for node in gm.graph.nodes if node.target not in ("output", torch.abs))


def test_nodes_are_pickled_as_plain_ones():
    def look(gm: torch.fx.GraphModule) -> Any:
        node = next(iter(gm.graph.nodes))
        return node.__reduce_ex__(2)[1], pickle.loads(pickle.dumps(gm))

    classes, gm = captured(look)
    assert classes == (torch.fx.Node,)
    torch.testing.assert_close(gm(X), fn(X, X))


def test_the_context_has_a_mode_for_whoever_asks():
    def look(gm: torch.fx.GraphModule) -> None:
        context = TracingContext.get()
        mode = context.fake_mode
        values = [node.meta["example_value"] for node in gm.graph.nodes if node.op != "output"]
        assert {value.fake_mode for value in values} == {mode} == {context.fake_mode}

    captured(look)


@pytest.mark.parametrize("dynamic", [False, True])
def test_a_look_that_comes_late_keeps_no_input(dynamic):
    gone = []

    def function(x, n):
        return x * n

    def run() -> torch.fx.GraphModule:
        x = torch.ones(5, 2)
        gone.append(weakref.ref(x))
        gm: torch.fx.GraphModule = captured(lambda gm: gm, function, x, 7, dynamic=dynamic)
        return gm

    gm = run()
    assert is_hidden(gm.graph) and gone[0]() is None
    values = [node.meta["example_value"] for node in gm.graph.nodes if node.op != "output"]
    assert all(isinstance(value, FakeTensor | torch.SymInt) for value in values)
    assert [type(size) for size in values[-1].size()] == ([torch.SymInt, torch.SymInt] if dynamic else [int, int])


@pytest.mark.parametrize("mode", [torch.inference_mode, torch.no_grad, FakeTensorMode, lambda: torch.device("meta")])
def test_it_does_not_matter_in_which_mode_one_looks(mode):
    def look(gm: torch.fx.GraphModule) -> list[Any]:
        with mode():
            return [node.meta["example_value"] for node in gm.graph.nodes if node.op != "output"]

    w = X.clone().requires_grad_()
    values = captured(look, fn, X, w)
    assert [value.requires_grad for value in values] == [False, True, False, True, True, True]
    assert not any(value.is_inference() for value in values)
    assert {value.device.type for value in values} == {"cpu"} and len({value.fake_mode for value in values}) == 1


def test_a_graph_that_cannot_be_described_runs_as_it_is(monkeypatch):
    def fails(*_: Any) -> None:
        message = "no fake of this"
        raise NotImplementedError(message)

    monkeypatch.setattr(_fakes._World, "fake", fails)
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(fn, "aot_eager", listener=log.append)
    torch.testing.assert_close(compiled(X, X), fn(X, X))
    assert "no fake of this" in log[0]["skipped"]
