"""Tests that calls to the compiler's API do under our Dynamo what they do under torch's."""

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


def test_guards_that_tell_no_entries_apart_may_be_skipped(compiled_for_one):
    compiled, seen = compiled_for_one
    with torch.compiler.set_stance(skip_guard_eval_unsafe=True):
        # Unsafe, as the name says: nothing tells that the entry is for another integer.
        torch.testing.assert_close(compiled(X, 2), X + 1)
    torch.testing.assert_close(compiled(X, 2), X + 2)
    with torch.compiler.set_stance(skip_guard_eval_unsafe=True):
        for n in (2, 1, 2):
            torch.testing.assert_close(compiled(X, n), X + n)
    assert len(seen.calls) == 2


@torch.compiler.assume_constant_result
def settled(n):
    return n + 40


def test_assumed_constants():
    def function(x):
        return x + settled(2)

    assert both(function, (X,), fullgraph=True).calls == [["add"]]


looked_up: list[Any] = []


@torch.compiler.assume_constant_result
def looked_up_once(name):
    looked_up.append(name)
    return {"a": 2, "b": (1, "c")}[name]


def test_what_is_assumed_to_be_constant_is_called_when_it_is_compiled():
    def function(x):
        return x * looked_up_once("a") + looked_up_once("b")[0]

    looked_up.clear()
    compiled = _capture.optimize(function, "eager", fullgraph=True)
    for _ in range(3):
        torch.testing.assert_close(compiled(X), X * 2 + 1)
    assert looked_up == ["a", "b"]


@torch.compiler.allow_in_graph
def opaque(x, n=2, *, parts=()):
    if not x.is_contiguous():
        torch._dynamo.graph_break()
    y = x.sin() * n
    return (y, *[part + 1 for part in parts])


@torch._dynamo.nonstrict_trace
def not_looked_into(x):
    return opaque(x)[0] + 1


def test_functions_that_are_put_into_graphs_as_they_are():
    def function(x):
        y, z = opaque(x + 1, 3, parts=[x])
        return y - z

    def of_more(x):
        return opaque(x)[0] * torch.sub(x, 1)

    assert both(function, (X,), (X * 2,), fullgraph=True).calls == [["add", "opaque", "y", "z", "sub"]]
    both(of_more, (X,), fullgraph=True)
    compiled = _capture.optimize(function, fullgraph=True)
    for x in (X, X * 2, torch.ones(5), torch.ones(6), torch.ones(3, requires_grad=True)):
        torch.testing.assert_close(compiled(x), function(x))


def test_functions_that_are_traced_by_what_comes_after():
    compiled = _capture.optimize(lambda x: not_looked_into(x) * 2, "eager", fullgraph=True)
    torch.testing.assert_close(compiled(X), not_looked_into(X) * 2)


def test_a_function_that_is_put_into_graphs_is_guarded():
    def first(x):
        return x + 1

    def second(x):
        return x - 1

    torch.compiler.allow_in_graph([first, second])
    compiled = _capture.optimize(lambda f, x: f(x) * 2, "eager", fullgraph=True)
    for function in (first, second, first):
        torch.testing.assert_close(compiled(function, X), function(X) * 2)


@pytest.mark.parametrize("backend", ["eager", "rust_inductor"])
def test_the_first_call_may_run_as_it_is(backend):
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(lambda x, n: x * n + x.shape[0], backend, listener=log.append)
    with torch.compiler.set_stance("eager_then_compile"):
        for rows, n in ((3, 2), (4, 2), (5, 2), (6, 2)):
            torch.testing.assert_close(compiled(torch.ones(rows), n), torch.ones(rows) * n + rows)
            assert len(log) == min(rows - 3, 1)
        # What has changed between the first two calls is a symbol at once, and what has not is not.
        compiled(torch.ones(6), 3)
        assert len(log) == 2


def test_the_first_call_may_be_compiled_in_a_simple_way():
    seen = Graphs()
    compiled = _capture.optimize(lambda x, n: x + n, seen)
    with torch.compiler.set_stance("aot_eager_then_compile"):
        for n in (2, 2, 3, 4):
            torch.testing.assert_close(compiled(X, n), X + n)
    assert len(seen.calls) == 1


def test_functions_that_are_kept_out_of_graphs():
    torch._dynamo.disallow_in_graph(torch.sub)
    try:
        assert both(lambda x: torch.sub(x + 1, 1) * 2, (X,)).calls == [["add"], ["mul"]]
    finally:
        torch._dynamo.allow_in_graph(torch.sub)


def breaks_within(x):
    with torch._dynamo.error_on_graph_break(True):
        x = x + 1
        torch._dynamo.graph_break()
    return x * 2


def breaks_after(x):
    with torch._dynamo.error_on_graph_break(True):
        x = x + 1
    torch._dynamo.graph_break()
    return x * 2


def breaks_where_they_are_allowed_again(x):
    with torch._dynamo.error_on_graph_break(True):
        with torch._dynamo.error_on_graph_break(False):
            torch._dynamo.graph_break()
            x = x + 1
        return x * 2


@torch._dynamo.error_on_graph_break(True)
def with_no_break(x):
    torch._dynamo.graph_break()
    return x * 2


def calls_one_with_no_break(x):
    return with_no_break(x) + 1


def test_breaks_that_the_program_refuses():
    for function in (breaks_within, with_no_break, calls_one_with_no_break):
        with pytest.raises(torch._dynamo.exc.Unsupported, match="graph_break"):
            _capture.optimize(function, "eager")(X)
    for function in (breaks_after, breaks_where_they_are_allowed_again):
        seen = Graphs()
        torch.testing.assert_close(_capture.optimize(function, seen)(X), function(X))
        assert len(seen.calls) == 2


def test_fullgraph_raises_torchs_own_exception_where_it_is_known():
    import torch._dynamo

    with pytest.raises(torch._dynamo.exc.Unsupported, match="graph_break"):
        _capture.optimize(breaks_after, "eager", fullgraph=True)(X)


@torch.compiler.nested_compile_region
def region(x, n):
    return (x * n).sin()


region_of_a_region = torch.compiler.nested_compile_region(region)


def test_regions_that_are_to_be_compiled_once_are_traced():
    def calls_a_region(x):
        return region(x, 2) + region(x, 2) + region_of_a_region(x, n=3)

    compiled = _capture.optimize(calls_a_region, "eager", fullgraph=True)
    torch.testing.assert_close(compiled(X), calls_a_region(X))
