"""Integers that a function itself advances from call to call, wherever they are kept, become symbols."""

from __future__ import annotations

import itertools
import types
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
import torch

from rust_inductor import _capture

Function = Callable[[torch.Tensor], Any]

CALLS = 0
SETTINGS = types.SimpleNamespace(calls=0, by_name={"f": 0}, rows=[0, 0], counter=Counter(), scale=3)


class Counting:
    calls = 0

    def __init__(self) -> None:
        self.mine = 0

    def __call__(self, x: torch.Tensor) -> Any:
        type(self).calls += 1
        self.mine += 2
        return x * self.mine, self.calls


COUNTING = Counting()


class Layer(torch.nn.Module):
    seen = 0

    def __init__(self) -> None:
        super().__init__()
        self.steps = 0
        self.linear = torch.nn.Linear(3, 3)

    def forward(self, x: torch.Tensor) -> Any:
        self.steps += 1
        Layer.seen += 1
        return self.linear(x) + self.steps, Layer.seen


def a_global(x):
    global CALLS
    CALLS += 1
    return x + CALLS


def an_attribute_of_a_global(x):
    SETTINGS.calls += 1
    return x * SETTINGS.calls


def items_of_globals(x):
    SETTINGS.by_name["f"] += 1
    SETTINGS.rows[1] += 3
    SETTINGS.counter["f"] += 1
    return x * SETTINGS.by_name["f"] + SETTINGS.rows[1], SETTINGS.counter["f"]


def an_object_that_is_global(x):
    return COUNTING(x)


def one_that_nothing_reads(x):
    Counting.calls += 1
    return x.sin()


def a_global_of_what_is_called(x):
    return a_global(x) + a_global(x)


PROGRAMS: list[Function] = [
    a_global,
    an_attribute_of_a_global,
    items_of_globals,
    an_object_that_is_global,
    one_that_nothing_reads,
    a_global_of_what_is_called,
]


def reset() -> None:
    global CALLS
    CALLS = Counting.calls = COUNTING.mine = SETTINGS.calls = SETTINGS.by_name["f"] = Layer.seen = 0
    SETTINGS.rows[:] = [0, 0]
    # At its first occurrence a key would be missing: another path.
    SETTINGS.counter["f"] = 1


def calls_of(function: Function, count: int = 6) -> list[str]:
    reset()
    x = torch.arange(3.0)
    return [repr(function(x)) for _ in range(count)]


@pytest.mark.parametrize("function", PROGRAMS)
def test_a_counter_is_captured_twice(function):
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(function, backend="eager", listener=log.append)
    assert calls_of(compiled) == calls_of(function)
    assert len(log) == 2
    assert {event["break_reason"] for event in log} == {None}


def test_counters_of_modules_are_captured_twice():
    layer = Layer()
    expected = calls_of(layer)
    layer.steps = 0
    log: list[dict[str, Any]] = []
    assert calls_of(_capture.optimize(layer, backend="eager", listener=log.append)) == expected
    assert len(log) == 2


@pytest.mark.parametrize("dynamic", [True, False])
def test_settings_stay_constants(dynamic):
    def scaled(x):
        return x * SETTINGS.scale

    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(scaled, backend="eager", dynamic=dynamic, listener=log.append)
    for scale, _ in itertools.product((3, 4, 3, 4), range(2)):
        SETTINGS.scale = scale
        assert torch.equal(compiled(torch.ones(3)), torch.ones(3) * scale)
    assert ["SymInt" in str(event["graph"]) for event in log] == [False, False]
