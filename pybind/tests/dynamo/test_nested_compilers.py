"""Functions of ours within torch's, torch's within ours: each function is compiled once, by the inner one."""

from __future__ import annotations

import ctypes
import threading
from typing import Any

import pytest
import torch

import rust_inductor
from rust_inductor import _capture

X = torch.ones(2)


class Counts:
    """A backend that counts the graphs it is given, and their calls."""

    def __init__(self):
        self.graphs = 0
        self.calls = 0

    def __call__(self, gm, inputs):
        self.graphs += 1

        def call(*args):
            self.calls += 1
            return gm.forward(*args)

        return call


def triple(x):
    return x * 3


def broken(x):
    y = x * 3
    torch._dynamo.graph_break()
    return y + 0


def ours(function, backend):
    return _capture.optimize(function, backend=backend)


def theirs(function, backend):
    return torch.compile(function, backend=backend)


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()
    rust_inductor.reset()
    yield
    torch._dynamo.reset()


@pytest.fixture
def leftover():
    """torch's evaluator stays where it is after a backend has failed."""

    def unhappy(gm, inputs):
        raise ValueError

    with pytest.raises(torch._dynamo.exc.BackendCompilerFailed):
        torch.compile(lambda x: x + 1, backend=unhappy)(X)


@pytest.mark.parametrize("first", ["inner", "outer"])
@pytest.mark.parametrize("inner", [triple, broken])
@pytest.mark.parametrize(("outside", "inside"), [(ours, theirs), (theirs, ours), (ours, ours)])
def test_one_within_the_other(outside, inside, inner, first):
    outer_graphs, inner_graphs = Counts(), Counts()
    within = inside(inner, inner_graphs)

    def function(x):
        return within(x) + 1

    outer = outside(function, outer_graphs)
    if first == "inner":
        assert torch.equal(within(X), X * 3)
    for _ in range(3):
        assert torch.equal(outer(X), X * 3 + 1)
    assert torch.equal(within(X), X * 3)
    assert outer_graphs.graphs + inner_graphs.graphs <= 4
    made = outer_graphs.graphs, inner_graphs.graphs
    outer(X)
    assert made == (outer_graphs.graphs, inner_graphs.graphs)


@pytest.mark.parametrize("backend", ["rust_inductor", "eager", "aot_eager"])
def test_ours_within_torch_in_ours(backend):
    innermost = ours(triple, backend)
    middle = theirs(lambda x: innermost(x) + 1, "aot_eager" if backend == "aot_eager" else "eager")
    outer = ours(lambda x: middle(x) * 2, backend)
    for n in (2, 2, 3, 4):
        x = torch.ones(n)
        assert torch.equal(outer(x), x * 8)


@pytest.mark.usefixtures("leftover")
@pytest.mark.parametrize(("outside", "inside"), [(ours, theirs), (theirs, ours), (ours, ours)])
def test_after_torch_has_left_its_evaluator_behind(outside, inside):
    within = inside(triple, "eager")
    outer = outside(lambda x: within(x) + 1, "eager")
    for _ in range(2):
        assert torch.equal(outer(X), X * 3 + 1)
    assert torch.equal(within(X), X * 3)
    assert torch.equal(outer(X), X * 3 + 1)


def test_exceptions_leave_both_as_they_were():
    def fails(x):
        message = "no"
        raise LookupError(message)

    graphs = Counts()
    within = ours(fails, "eager")

    def function(x):
        try:
            within(x)
        except LookupError:
            return other(x) * 2
        return x

    def other(x):
        return x * 3

    outer = theirs(function, graphs)
    for _ in range(2):
        assert torch.equal(outer(X), X * 6)
    assert graphs.graphs, "torch's compiler is on again after ours has raised"


def test_in_several_threads():
    results: list[bool] = []

    def run(at):
        pair = (ours, theirs) if at % 2 else (theirs, ours)
        within = pair[0](lambda x: x * (at + 2), "eager")
        outer = pair[1](lambda x: within(x) + at, "eager")
        results.extend(torch.equal(outer(X), X * (at + 2) + at) for _ in range(3))

    threads = [threading.Thread(target=run, args=(at,)) for at in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 12


def test_frames_of_compilers_are_not_shown():
    """Functions that torch's compiler calls while it compiles are not traced by ours."""
    log: list[Any] = []
    within = torch.compile(triple, backend="aot_eager")
    outer = _capture.optimize(lambda x: within(x) + 1, backend="eager", listener=log.append)
    assert torch.equal(outer(X), X * 3 + 1)
    assert {event["code"].co_filename for event in log} == {__file__}


def test_ours_leaves_the_interpreter_as_it_was():
    api = ctypes.pythonapi
    api.PyInterpreterState_Get.restype = ctypes.c_void_p
    get = api._PyInterpreterState_GetEvalFrameFunc
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
    before = get(api.PyInterpreterState_Get())
    within = theirs(triple, "eager")
    outer = ours(lambda x: within(x) + 1, "eager")
    outer(X)
    theirs(lambda x: outer(x) + 1, "eager")(X)
    assert get(api.PyInterpreterState_Get()) == before


@pytest.mark.usefixtures("leftover")
def test_a_frame_is_shown_once():
    log: list[Any] = []
    compiled = _capture.optimize(triple, backend="eager", listener=log.append)
    with torch.compiler.set_stance("eager_then_compile"):
        for captures in (0, 1, 1):
            assert torch.equal(compiled(X), X * 3)
            assert len(log) == captures
