"""Iterators over tuples that the caller has: read where they stand, and moved as Python moves them."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import rust_inductor
from rust_inductor import _capture

X = torch.tensor([1.0, -2.0])
BACKENDS = ["eager", "rust_inductor"]


def two_items(x, items):
    return x + next(items), next(items)


def whole(x, items):
    return x + 1, list(items), next(items, None)


def one_by_another(x, items):
    first = next(items)
    return x * first, list(zip(items, items))


def looped(x, items):
    for item in items:
        x = x * item
    return x


def before_a_break(x, items):
    x = x + next(items)
    rust_inductor.graph_break()
    return x + next(items), next(items, "end"), next(items, "end")


def state(items: Any) -> Any:
    return items.__reduce__()[1:]


def run(function: Any, items: Any) -> Any:
    try:
        return repr(function(X, items)), state(items)
    except StopIteration:
        return StopIteration, state(items)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("function", [two_items, whole, one_by_another, looped, before_a_break])
@pytest.mark.parametrize("begun", range(5))
def test_they_stand_where_python_leaves_them(function: Any, backend: str, begun: int) -> None:
    compiled = _capture.optimize(function, backend)
    for _ in range(2):
        ours, plain = iter((1, 2.5, 3, 4)), iter((1, 2.5, 3, 4))
        for _ in range(begun):
            next(ours), next(plain)
        assert run(compiled, ours) == run(function, plain)


def test_the_place_is_guarded() -> None:
    events: list[dict[str, Any]] = []
    compiled = _capture.optimize(two_items, "eager", listener=events.append)
    items = iter((1, 2, 3, 4, X))
    assert [compiled(X, items)[1] for _ in range(2)] == [2, 4]
    assert len(events) == 2
    compiled(X, iter((1, 2, 3, 4, X)))
    assert len(events) == 2


def test_two_that_are_one() -> None:
    def function(x: Any, a: Any, b: Any) -> Any:
        next(a)
        return x * next(b)

    compiled = _capture.optimize(function, "eager", fullgraph=True)
    one, other = iter((5, 6, 7)), iter((5, 6, 7))
    assert torch.equal(compiled(X, one, one), X * 6)
    assert torch.equal(compiled(X, one, other), X * 5)
    assert (next(one, None), next(other)) == (None, 6)


def test_an_iterator_that_was_made_goes_on_after_a_break() -> None:
    def function(x: Any) -> Any:
        items = iter((1, 2, 3, 4))
        x = x + next(items)
        rust_inductor.graph_break()
        x = x * next(items)
        rust_inductor.graph_break()
        return x - next(items), items

    events: list[dict[str, Any]] = []
    compiled = _capture.optimize(function, "eager", listener=events.append)
    for _ in range(2):
        found, items = compiled(X)
        assert torch.equal(found, function(X)[0])
        assert list(items) == [4]
    assert len(events) == 3
