"""Functions that the program wants traced in the place of others."""

from __future__ import annotations

import bisect
import heapq
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch

import rust_inductor
from rust_inductor import _capture

X = torch.ones(3)


@pytest.fixture(autouse=True)
def substituted() -> Iterator[None]:
    from torch._dynamo.variables.functions import PolyfilledFunctionVariable

    handlers = PolyfilledFunctionVariable._get_polyfill_handlers()
    if bisect.bisect_left not in handlers:

        @torch._dynamo.substitute_in_graph(bisect.bisect_left)
        def bisect_left(a, x, lo=0, hi=None, *, key=None):
            place = lo
            for item in a[lo:hi]:
                if item >= x:
                    break
                place += 1
            return place

    rust_inductor.reset()
    yield
    rust_inductor.reset()


def captured(function: Callable[..., Any], *args: Any) -> list[dict[str, Any]]:
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(function, "eager", listener=log.append)
    for _ in range(3):
        torch.testing.assert_close(compiled(*args), function(*args))
    return log


def test_the_substitute_is_traced():
    def found(x, items):
        return x * bisect.bisect_left(items, 2) + bisect.bisect_left(items, x=3, lo=1)

    (event,) = captured(found, X, [1, 2, 3])
    assert event["break_reason"] is None
    checked = [text for text in event["guards"] if "bisect_left" in text]
    assert any("___check_obj_id" in text and text.startswith("___check_obj_id(G['bisect']") for text in checked)


def test_after_a_break():
    def found(x):
        y = x + 1
        torch._dynamo.graph_break()
        return y * bisect.bisect_left([1, 2, 3], 2)

    assert [event["break"] and event["break"]["code"] for event in captured(found, X)] == ["RI0011", None]


def test_the_function_itself_is_what_is_given_back():
    def given(x):
        return x + 1, bisect.bisect_left

    compiled = _capture.optimize(given, "eager")
    assert compiled(X)[1] is bisect.bisect_left


def test_another_function_under_the_name():
    def searched(x):
        return x * bisect.bisect_left([1, 2, 3], 2)

    compiled = _capture.optimize(searched, "eager")
    assert compiled(X).tolist() == [1.0] * 3
    was = bisect.bisect_left
    try:
        bisect.bisect_left = lambda *_: 7  # type: ignore[assignment]
        assert compiled(X).tolist() == [7.0] * 3
    finally:
        bisect.bisect_left = was
    assert compiled(X).tolist() == [1.0] * 3


def test_what_nobody_has_substituted():
    def pushed(x):
        items = [3, 1]
        heapq.heapify(items)
        return x * items[0]

    captured(pushed, X)
