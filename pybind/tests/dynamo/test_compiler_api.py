"""What programs say to the compiler does under our Dynamo what it does under torch's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from rust_inductor import _capture

X = torch.arange(3.0)


class Graphs:
    """A backend that counts the calls in its graphs."""

    def __init__(self) -> None:
        self.calls: list[list[str]] = []

    def __call__(self, gm: torch.fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
        self.calls.append([node.name for node in gm.graph.nodes if node.op.startswith("call")])
        return gm.forward


def both(function: Callable[..., Any], *calls: tuple[Any, ...], **options: Any) -> Graphs:
    """The graphs that our Dynamo and torch's make, which are the same, as are the results."""
    torch._dynamo.reset()
    ours, theirs = Graphs(), Graphs()
    compiled = _capture.optimize(function, ours, **options)
    other = torch.compile(function, backend=theirs, **options)
    for args in calls:
        torch.testing.assert_close(compiled(*args), function(*args), equal_nan=True)
        other(*args)
    assert ours.calls == theirs.calls
    return ours


def inner(x):
    return x * 2


@torch.compiler.disable
def closed(x):
    return inner(x) + 1


@torch.compiler.disable(recursive=False)
def ajar(x):
    return inner(x) + 1


def test_what_is_disabled_is_not_captured_nor_what_it_calls():
    def function(x):
        return closed(x + 1) - 1

    assert both(function, (X,)).calls == [["add"], ["sub"]]


def test_what_is_disabled_alone_may_call_what_is_captured():
    def function(x):
        return ajar(x + 1) - 1

    both(function, (X,))


def test_a_disabled_function_is_unwrapped_to_be_compiled():
    assert both(closed, (X,)).calls == [["mul", "add"]]


@pytest.mark.parametrize(
    "ask", [torch.compiler.is_compiling, torch._dynamo.is_compiling, torch.compiler.is_dynamo_compiling]
)
def test_programs_may_ask_whether_they_are_compiled(ask):
    seen = Graphs()
    compiled = _capture.optimize(lambda x: x + 1 if ask() else x - 1, seen, fullgraph=True)
    torch.testing.assert_close(compiled(X), X + 1)
    assert not ask()


def test_other_compilers_are_not_at_work():
    def function(x):
        jit: Any = torch.jit
        if jit.is_scripting() or jit.is_tracing() or torch.compiler.is_exporting():
            return x - 1
        return x + 1

    assert both(function, (X,), fullgraph=True).calls == [["add"]]


def test_force_eager():
    seen = Graphs()
    compiled = _capture.optimize(lambda x: x + 1, seen)
    with torch.compiler.set_stance("force_eager"):
        torch.testing.assert_close(compiled(X), X + 1)
    assert seen.calls == []
    compiled(X)
    assert seen.calls == [["add"]]


@pytest.fixture
def compiled_for_one():
    """A sum with an integer, compiled for the integer 1, and its graphs."""
    seen = Graphs()
    compiled = _capture.optimize(lambda x, n: x + n, seen)
    compiled(X, 1)
    return compiled, seen


def test_eager_on_recompile(compiled_for_one):
    compiled, seen = compiled_for_one
    with torch.compiler.set_stance("eager_on_recompile"):
        torch.testing.assert_close(compiled(X, 2), X + 2)
        torch.testing.assert_close(compiled(X, 1), X + 1)
    assert len(seen.calls) == 1
    compiled(X, 2)
    assert len(seen.calls) == 2


def test_fail_on_recompile(compiled_for_one):
    compiled, seen = compiled_for_one
    with torch.compiler.set_stance("fail_on_recompile"):
        torch.testing.assert_close(compiled(X, 1), X + 1)
        with pytest.raises(RuntimeError, match=r"stance is 'fail_on_recompile'.*\n.*\n.*n == 1"):
            compiled(X, 2)
    compiled(X, 2)
    assert len(seen.calls) == 2


@torch.compiler.assume_constant_result
def settled(n):
    return n + 40


def test_assumed_constants():
    def function(x):
        return x + settled(2)

    assert both(function, (X,), fullgraph=True).calls == [["add"]]


def test_functions_that_are_kept_out_of_graphs():
    torch._dynamo.disallow_in_graph(torch.sub)
    try:
        assert both(lambda x: torch.sub(x + 1, 1) * 2, (X,)).calls == [["add"], ["mul"]]
    finally:
        torch._dynamo.allow_in_graph(torch.sub)
