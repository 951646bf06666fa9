"""Functions of `functools.lru_cache`: their results are those that the cache keeps, and not those that a call gives."""

from __future__ import annotations

import functools
from typing import Any

import pytest
import torch

from rust_inductor import _capture

X = torch.arange(4.0)
scale = 2.0
calls: list[object] = []


@functools.lru_cache
def current():
    calls.append("current")
    return scale


@functools.lru_cache(maxsize=1)
def table(size, *, step=1):
    calls.append(size)
    return torch.arange(0, size * step, step), [size]


@functools.cache
def refused(value):
    calls.append(value)
    raise ValueError(value)


class Holder:
    def __init__(self, factor):
        self.factor = factor

    @functools.cache  # noqa: B019
    def scaled(self, by):
        calls.append(by)
        return self.factor * by


HOLDER = Holder(3)


def without_arguments(x):
    return x * current()


def with_arguments(x):
    values, sizes = table(4, step=2)
    return x + values, sizes, table(4, step=2)[1] is sizes


def of_an_object(x):
    return x * HOLDER.scaled(2)


def after_a_change(x):
    global scale
    scale = 5.0
    return x * current()


def with_sizes(x):
    return x + table(x.shape[0])[0]


def that_raises(x):
    try:
        refused("no")
    except ValueError as error:
        return x + 1, str(error)


def with_a_tensor(x):
    return refused.__wrapped__, x + table(x.numel())[0], isinstance(current, functools._lru_cache_wrapper)


FUNCTIONS = [without_arguments, with_arguments, of_an_object, after_a_change, with_sizes, that_raises, with_a_tensor]


def reset():
    global scale
    scale = 2.0
    calls.clear()
    for function in (current, table, refused, Holder.scaled):
        function.cache_clear()


@pytest.mark.parametrize("function", FUNCTIONS)
def test_results_are_those_of_the_cache(function):
    def run(function) -> tuple[Any, ...]:
        global scale
        reset()
        found = [repr(function(X))]
        scale = 7.0
        HOLDER.factor = 4
        found.append(repr(function(X)))
        for cached in (current, table, Holder.scaled):
            cached.cache_clear()
        found.append(repr(function(X)))
        found.append(repr(function(torch.ones(4))))
        HOLDER.factor = 3
        return found, list(calls)

    compiled = _capture.optimize(function, backend="eager")
    results, made = run(compiled)
    expected, made_by_plain = run(function)
    assert results == expected
    assert made == made_by_plain


@pytest.mark.parametrize("function", [without_arguments, with_arguments, of_an_object])
def test_they_are_no_break(function):
    reset()
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(function, backend="eager", listener=log.append)
    assert repr(compiled(X)) == repr(function(X))
    assert repr(compiled(X)) == repr(function(X))
    assert [event["break_reason"] for event in log] == [None]


def test_an_unread_result_is_kept_by_the_cache():
    @functools.lru_cache
    def kept(value):
        return value + 1

    def function(x):
        kept(3)
        return x + 1

    compiled = _capture.optimize(function, backend="eager")
    for _ in range(2):
        compiled(X)
        assert kept.cache_info().currsize == 1
        kept.cache_clear()


def test_a_cache_that_is_full_drops_what_it_drops_in_plain_python():
    def ran(compile):
        made = []

        @functools.lru_cache(maxsize=2)
        def kept(value):
            made.append(value)
            return value * len(made)

        def function(x, value):
            return x * kept(1) + kept(value) + kept(1)

        function = compile(function)
        return [repr(function(X, value)) for value in (1, 2, 3, 2, 3, 1)], made

    for backend in ("eager", "rust_inductor"):
        assert ran(lambda function, backend=backend: _capture.optimize(function, backend)) == ran(lambda f: f)
