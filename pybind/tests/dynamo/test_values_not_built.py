"""Values that generated code cannot build again: the graph ends before they are there, and keeps what came before."""

# The programs do what Python lets them do, whatever their types say.
# mypy: disable-error-code="func-returns-value, union-attr"

from __future__ import annotations

from typing import Any

import pytest
import torch

from pybind.tests.dynamo.counted import Operators
from rust_inductor import _capture


def leave() -> None:
    torch._dynamo.graph_break()


def generator_that_holds_itself(x):
    def fill():
        items = yield x
        items.append(it)
        yield items

    y = x.sin() + 1
    it = fill()
    next(it)
    items: list[Any] = []
    it.send(items)
    z = y.cos()
    leave()
    return z + y, len(items), items[0] is it


def generator_in_a_mode(x):
    def within():
        with torch.autocast("cpu"):
            yield x + 1

    y = x.sin() * 2
    it = within()
    y = y + next(it)
    leave()
    return y, list(it)


def exception_being_handled(x):
    y = x.sin() * 2
    try:
        raise KeyError("a")
    except KeyError as error:
        z = y.cos()
        leave()
        return z, error.args


def exception_that_was_raised(x):
    y = x.sin().cos()
    try:
        raise ValueError("q")
    except ValueError as error:
        kept = error
    z = y.exp()
    leave()
    return z, kept.args, kept.__traceback__ is None


def method_without_python_code(x):
    for i in range(3):
        x = x + i
    add = (1).__add__
    y = x * 2
    leave()
    return y, add(4)


def in_a_resumed_function(x):
    leave()
    return generator_that_holds_itself(x)


CASES = [
    (generator_that_holds_itself, 2),
    (generator_in_a_mode, 2),
    (exception_being_handled, 2),
    (exception_that_was_raised, 2),
    (method_without_python_code, 3),
    (in_a_resumed_function, 2),
]


@pytest.mark.parametrize(("function", "operators"), CASES, ids=[function.__name__ for function, _ in CASES])
def test_what_comes_before_is_captured(function, operators):
    backend, events = Operators(), list[dict[str, Any]]()
    compiled = _capture.optimize(function, backend, listener=events.append)
    x = torch.arange(3.0)
    for _ in range(3):
        assert str(compiled(x)) == str(function(x))
    assert backend.count >= operators
    assert any(event.get("break") for event in events)


def test_later_calls_capture_nothing():
    backend = Operators()
    compiled = _capture.optimize(generator_that_holds_itself, backend)
    x = torch.arange(3.0)
    compiled(x)
    before = backend.count
    for _ in range(3):
        compiled(x)
    assert backend.count == before
