"""Variables of functions that the compiled one calls (`nonlocal`): set as Python sets them, in one graph."""

# The programs do what Python lets them do, whatever their types say.
# mypy: disable-error-code="attr-defined, arg-type"

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest
import torch

from rust_inductor import _capture


def counter() -> tuple[Callable[..., int], Callable[[], int]]:
    n = 0

    def increase(k=1):
        nonlocal n
        n += k
        return n

    return increase, lambda: n


def keeper() -> tuple[Callable[..., Any], Callable[[], Any]]:
    kept = None

    def keep(value):
        nonlocal kept
        kept = value
        return kept

    return keep, lambda: kept


INCREASE, COUNT = counter()
OTHER_INCREASE, OTHER_COUNT = counter()
KEEP, KEPT = keeper()
HOLDER = {"increase": INCREASE}


def counted(function: Callable[..., Any]) -> Any:
    calls = 0

    @functools.wraps(function)
    def wrapper(*args):
        nonlocal calls
        calls += 1
        wrapper.calls = calls
        return function(*args) * calls

    return wrapper


@counted
def step(x):
    return x.sin()


def sets(x):
    INCREASE()
    INCREASE(2)
    return x + COUNT()


def sets_that_of_a_global_in_turn(x):
    global INCREASE
    INCREASE()
    y = x + COUNT()
    INCREASE, old = OTHER_INCREASE, INCREASE
    INCREASE(5)
    INCREASE = old
    return y * OTHER_COUNT()


def sets_that_of_an_item_in_turn(x):
    HOLDER["increase"](2)
    y = x + COUNT()
    HOLDER["increase"] = OTHER_INCREASE
    HOLDER["increase"](3)
    HOLDER["increase"] = INCREASE
    return y + OTHER_COUNT()


def keeps_a_tensor(x):
    KEEP(x.sin())
    return KEPT() + 1


def counts_in_a_decorator(x):
    return step(x) + step(x)


def sets_in_a_comprehension(x):
    return x + [INCREASE(i) for i in range(3)][-1]


PROGRAMS = [
    sets,
    sets_that_of_a_global_in_turn,
    sets_that_of_an_item_in_turn,
    keeps_a_tensor,
    counts_in_a_decorator,
    sets_in_a_comprehension,
]


def outcomes(function: Callable[..., Any], *args: Any) -> list[str]:
    for owner, value in ((INCREASE, 0), (OTHER_INCREASE, 0), (KEEP, None), (step, 0)):
        [cell] = [cell for name, cell in zip(owner.__code__.co_freevars, owner.__closure__) if name in NAMES]
        cell.cell_contents = value
    return [str((function(torch.ones(2) * k, *args), COUNT(), OTHER_COUNT(), KEPT(), step.calls)) for k in range(1, 5)]


NAMES = ("n", "kept", "calls")


@pytest.mark.parametrize("function", PROGRAMS)
def test_they_are_set_in_one_graph(function):
    step(torch.ones(2))
    events: list[dict[str, Any]] = []
    expected = outcomes(function)
    assert outcomes(_capture.optimize(function, "eager", listener=events.append)) == expected
    assert all(event.get("break") is None and event.get("skipped") is None for event in events)


@pytest.mark.parametrize("others", [(INCREASE, OTHER_INCREASE), (INCREASE, INCREASE)])
def test_functions_that_share_a_variable(others):
    def function(x, functions):
        functions[0](3)
        return x * functions[1](4)

    step(torch.ones(2))
    compiled = _capture.optimize(function, "eager")
    compiled(torch.ones(2), (INCREASE, OTHER_INCREASE))
    expected = outcomes(function, others)
    assert outcomes(compiled, others) == expected
