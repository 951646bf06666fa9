"""Attributes of functions: those that are made keep them, and those of the caller's are written."""

# The programs do what Python lets them do, whatever their types say.
# mypy: disable-error-code="no-any-return, attr-defined"

from __future__ import annotations

import functools
from typing import Any

import pytest
import torch

from rust_inductor import _capture

X = torch.arange(3.0)


def decorator(function):
    @functools.wraps(function)
    def inner(*args, **keywords):
        return function(*args, **keywords) + 1

    return inner


def named(x):
    """Doubles."""
    return x * 2


named.tag = [1, 2]


def wraps(x):
    inner = decorator(named)
    return inner(x), inner.__name__, inner.__doc__, inner.__wrapped__ is named, inner


def wraps_what_is_made(x):
    def loc(y: int = 3, z: str = "a") -> torch.Tensor:
        """Adds."""
        return x + y

    loc.extra = {"a": 1}
    inner = decorator(loc)
    inner.itself = inner
    return inner(), inner.extra, hasattr(inner, "nothing"), getattr(loc, "nothing", 5), loc.__doc__, inner, loc


def renamed(x):
    def loc():
        return x + 1

    loc.__name__ = "other"
    loc.__doc__ = None
    loc.__module__ = "elsewhere"
    return loc(), loc.__name__, loc.__qualname__, loc.__module__, loc.__dict__, loc


def its_dict(x):
    def loc():
        return x + 1

    loc.__dict__["a"] = 1
    loc.b = loc.__dict__
    return loc(), loc.a, sorted(loc.__dict__), loc.__dict__ is loc.b, loc.__annotations__


def absent(x):
    def loc():
        return x

    try:
        return loc.nothing
    except AttributeError:
        return x + 1


FUNCTIONS = [wraps, wraps_what_is_made, renamed, its_dict, absent]


def told(value: Any, seen: tuple[int, ...] = ()) -> Any:
    """All that can be told of a result, without addresses."""
    if isinstance(value, tuple):
        return tuple(told(item, seen) for item in value)
    if callable(value) and id(value) not in seen:
        names = ("__name__", "__qualname__", "__module__", "__doc__", "__annotations__")
        own = {name: told(found, (*seen, id(value))) for name, found in vars(value).items()}
        return [getattr(value, name) for name in names], own
    return type(value).__name__ if callable(value) else repr(value)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_each_is_one_graph(function):
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(function, backend="eager", listener=log.append)
    for x in (X, X + 1):
        assert told(compiled(x)) == told(function(x))
    assert [event["break_reason"] for event in log] == [None]


def test_a_new_attribute_of_what_is_wrapped_is_noticed():
    def first(x):
        return x

    def run(x):
        return decorator(first)

    compiled = _capture.optimize(run, backend="eager")
    assert vars(compiled(X)).keys() == {"__wrapped__"}
    first.more = X
    assert compiled(X).more is X
    assert vars(compiled(X)).keys() == {"more", "__wrapped__"}


def test_attributes_of_the_callers_functions_are_written():
    def count(x):
        return x

    def alias(x):
        return x

    def run(x, f, g):
        f.calls = getattr(f, "calls", 0) + 1
        return x + f.calls, getattr(g, "calls", -1)

    compiled = _capture.optimize(run, backend="eager")
    found = [repr(compiled(X, f, g)) for f, g in ((count, alias), (count, alias), (count, count), (alias, count))]
    for function in (count, alias):
        del function.calls
    assert found == [repr(run(X, f, g)) for f, g in ((count, alias), (count, alias), (count, count), (alias, count))]
