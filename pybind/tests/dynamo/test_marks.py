"""``mark_unbacked`` in our own Dynamo: one compilation for every size, and nothing decided by what the size is now."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch._dynamo import decorators
from torch.fx.experimental.symbolic_shapes import (
    guard_or_false,
    guard_or_true,
    guard_size_oblivious,
    statically_known_true,
)

from rust_inductor import _capture

# torch does not say what its decorators take.
mark_unbacked: Any = decorators.mark_unbacked

SIZES = [3, 0, 1, 7, 2]


class Log(list[dict[str, Any]]):
    """The events that the tracer tells."""

    @property
    def captures(self) -> int:
        return sum("graph" in event and "skipped" not in event for event in self)

    @property
    def reasons(self) -> list[str]:
        return [event["break_reason"] for event in self if event.get("break_reason")]

    @property
    def skipped(self) -> list[str]:
        return [event["skipped"] for event in self if "skipped" in event]


def capture(function: Callable[..., Any], backend: Any = "eager", **options: Any) -> tuple[Any, Log]:
    log = Log()
    return _capture.optimize(function, backend, listener=log.append, **options), log


def marked(tensor: torch.Tensor, dim: int = 0, **said: Any) -> torch.Tensor:
    mark_unbacked(tensor, dim, **said)
    return tensor


def element_wise(x):
    return torch.relu(x * 2 + 1).sum(1)


def sizes_in_the_graph(x):
    n = x.size(0)
    return x.reshape(n * 4) * n


def normalised(x):
    return torch.softmax(x - x.mean(1, keepdim=True), 1)


def product(x):
    return x @ torch.ones(4, 5) + torch.arange(5.0)


def joined(x):
    return torch.cat([x, x + 1], 1)


FUNCTIONS = [element_wise, sizes_in_the_graph, normalised, product, joined]


@pytest.mark.parametrize("backend", ["eager", "rust_inductor", "aot_eager"])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("first", [3, 1, 0])
def test_one_compilation_serves_every_size(function, backend, first):
    compiled, log = capture(function, backend, fullgraph=True)
    for n in [first, *SIZES]:
        x = torch.randn(n, 4)
        torch.testing.assert_close(compiled(marked(x)), function(x))
        # A tensor without the mark may use what was compiled for one with it.
        torch.testing.assert_close(compiled(x.clone()), function(x))
    assert log.captures == 1
    assert not log.reasons and not log.skipped


@pytest.mark.parametrize("backend", ["eager", "rust_inductor"])
@pytest.mark.parametrize("first", [3, 1, 0])
def test_an_inner_dimension(backend, first):
    def function(x):
        return (x + 1).sum(0) * 2

    compiled, log = capture(function, backend, fullgraph=True)
    for n in [first, *SIZES]:
        x = torch.randn(4, n)
        torch.testing.assert_close(compiled(marked(x, 1)), function(x))
    assert log.captures == 1


def test_a_condition_on_the_size_ends_the_graph():
    def function(x):
        y = x + 1
        if x.size(0) > 3:
            return y * 2
        return y * 3

    compiled, log = capture(function)
    for n in SIZES:
        x = torch.randn(n, 4)
        torch.testing.assert_close(compiled(marked(x)), function(x))
    [reason] = log.reasons
    assert "u0" in reason and "L['x'].size()[0]" in reason and "test_marks.py" in reason


def test_a_condition_on_the_size_is_an_error_where_the_graph_must_be_whole():
    def function(x):
        return x + 1 if x.size(0) > 3 else x

    compiled, _ = capture(function, fullgraph=True)
    with pytest.raises(RuntimeError, match=r"u0 >= 4 depends on data.*test_marks.py:\d+ in function.*L\['x'\]"):
        compiled(marked(torch.randn(5, 4)))


@pytest.mark.parametrize("backend", ["eager", "rust_inductor", "aot_eager"])
def test_sizes_that_have_to_be_equal_are_stated(backend):
    def function(x, y):
        return x + y

    compiled, log = capture(function, backend, fullgraph=True)
    for n in SIZES:
        x, y = marked(torch.randn(n, 4)), marked(torch.randn(n, 4))
        torch.testing.assert_close(compiled(x, y), x + y)
    with pytest.raises(RuntimeError, match=r"sizes have to be equal: .*L\['y'\].size\(\)\[0\] \(5\).*test_marks.py"):
        compiled(marked(torch.randn(3, 4)), marked(torch.randn(5, 4)))
    assert log.captures == 1


@pytest.mark.parametrize("backend", ["eager", "rust_inductor", "aot_eager"])
def test_what_the_program_states_decides(backend):
    def function(x):
        torch._check(x.size(0) > 3, lambda: "at least four rows")
        return x + 1 if x.size(0) > 2 else x

    compiled, log = capture(function, backend, fullgraph=True)
    for n in (5, 4, 9):
        x = torch.randn(n, 4)
        torch.testing.assert_close(compiled(marked(x)), x + 1)
    with pytest.raises(RuntimeError, match=r"4 <= L\['x'\].size\(\)\[0\] \(3\)|>= 4 does not hold.*test_marks.py"):
        compiled(marked(torch.randn(3, 4)))
    assert log.captures == 1


def test_questions_that_are_answered_without_a_guard():
    def function(x):
        n = x.size(0)
        if guard_or_false(n == 5):
            return x * 2
        if guard_or_true(n > 100) and not guard_size_oblivious(n == 1) and not statically_known_true(n == 7):
            return x + 1
        return x

    compiled, log = capture(function, fullgraph=True)
    for n in SIZES:
        x = torch.randn(n, 4)
        torch.testing.assert_close(compiled(marked(x)), x + 1)
    assert log.captures == 1


def test_a_check_of_a_size_that_has_a_value_is_a_guard():
    def function(x):
        torch._check(x.size(0) > 3)
        return x + 1

    compiled, log = capture(function, dynamic=True)
    for n in (5, 9):
        x = torch.randn(n, 4)
        torch.testing.assert_close(compiled(x), x + 1)
    assert log.captures == 1
    with pytest.raises(RuntimeError):
        compiled(torch.randn(3, 4))


def test_bounds_are_stated():
    compiled, log = capture(element_wise, fullgraph=True)
    for n in (4, 5, 9):
        x = torch.randn(n, 4)
        torch.testing.assert_close(compiled(marked(x, min=4, max=9)), element_wise(x))
    for n in (3, 10):
        with pytest.raises(RuntimeError, match="mark_unbacked"):
            compiled(marked(torch.randn(n, 4), min=4, max=9))
    assert log.captures == 1


def test_bounds_decide():
    def function(x):
        return x + 1 if x.size(0) > 3 else x

    compiled, log = capture(function, fullgraph=True)
    for n in (4, 5, 9):
        x = torch.randn(n, 4)
        torch.testing.assert_close(compiled(marked(x, min=4)), x + 1)
    assert log.captures == 1


def test_dimensions_of_one_group_have_one_size():
    def function(x, y):
        return torch.cat([x, y], 1) if x.size(0) == y.size(0) else x

    compiled, log = capture(function, fullgraph=True)
    for n in SIZES:
        x, y = (marked(torch.randn(n, 4), shape_id="batch") for _ in range(2))
        torch.testing.assert_close(compiled(x, y), function(x, y))
    with pytest.raises(RuntimeError, match="mark_unbacked"):
        compiled(marked(torch.randn(3, 4), shape_id="batch"), marked(torch.randn(4, 4), shape_id="batch"))
    assert log.captures == 1


def test_gradients():
    compiled, log = capture(element_wise, "rust_inductor", fullgraph=True)
    for n in SIZES:
        x, y = (torch.linspace(-1, 1, n * 4).reshape(n, 4).requires_grad_() for _ in range(2))
        compiled(marked(x)).sum().backward()
        element_wise(y).sum().backward()
        torch.testing.assert_close(x.grad, y.grad)
    assert log.captures == 1
