"""Functions that are decorated with managers of `contextlib`: of generators, and of classes from `ContextDecorator`."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
import torch

from pybind.tests.dynamo.counted import check_one_graph
from rust_inductor import _capture

seen: list[Any] = []


@contextlib.contextmanager
def noted(name, *, twice=False):
    seen.append(name)
    try:
        yield name
    except KeyError:
        seen.append("key")
    finally:
        seen.append((name, twice))


class Counting(contextlib.ContextDecorator):
    """It notes how often it is entered, and ends `ValueError`."""

    def __init__(self, limit=0):
        self.limit = limit
        self.log: list[Any] = []

    def __enter__(self):
        self.log.append("in")
        return self

    def __exit__(self, kind, error, traceback):
        self.log.append("out" if kind is None else kind.__name__)
        return kind is ValueError


class Anew(Counting):
    """Another one is entered at each call."""

    def _recreate_cm(self):
        return type(self)(self.limit + 1)


class Plain(contextlib.AbstractContextManager[Any]):
    """It is entered by the method that it inherits."""

    def __exit__(self, *details):
        return None


COUNTING, ANEW = Counting(), Anew()


@noted("once", twice=True)
def scaled(x, by=2):
    return x * by


@noted("key")
def that_lacks(x):
    raise KeyError(1)


@noted("value")
def that_fails(x):
    raise ValueError("no")


@COUNTING
def counted(x):
    return x + 2


@COUNTING
def ended(x):
    raise ValueError("ended")


@ANEW
def made_anew(x):
    return x + 3


@noted("outer")
@noted("inner")
def nested(x):
    return x - 1


def taken(log):
    items = list(log)
    log.clear()
    return items


def of_generators(x):
    result = scaled(x) + scaled(x, by=3) + nested(x)
    return result, taken(seen)


def with_exceptions(x):
    lacks = that_lacks(x), that_lacks(x)
    try:
        that_fails(x)
    except ValueError as error:
        return x + 1, lacks, str(error), taken(seen)


def of_classes(x):
    return counted(counted(x)), ended(x), taken(COUNTING.log), made_anew(x)


def decorated_within(x):
    counting = Counting(2)

    @counting
    def added(y, more=1):
        return y + counting.limit + more

    return added(added(x), more=2), counting.log, added.__name__


def decorated_within_by_generators(x):
    entered = 0

    @contextlib.contextmanager
    def counting(step):
        nonlocal entered
        entered += step
        step += 1
        yield lambda: step
        entered += step

    @noted("outer")
    @counting(2)
    def added(y, *, more=1):
        return y + entered + more

    @noted("key")
    def lacks(y):
        raise KeyError(y)

    return added(added(x), more=2), lacks(x), entered, taken(seen)


def made_within(x):
    log = []

    @contextlib.contextmanager
    def manager(k):
        log.append(k)
        yield k + 1
        log.append(-k)

    with manager(3) as entered:
        x = x + entered
    return x, log


def by_inherited_methods(x):
    with Plain() as plain:
        x = x + 1
    return x, isinstance(plain, contextlib.AbstractContextManager)


CAPTURED = [
    of_generators,
    with_exceptions,
    of_classes,
    decorated_within,
    decorated_within_by_generators,
    made_within,
    by_inherited_methods,
]


@pytest.mark.parametrize("function", CAPTURED)
def test_each_is_one_graph(function):
    check_one_graph(function)


def within_a_generator_manager(x):
    seen.clear()

    @noted("within")
    def added(y):
        return y + 1

    return added(added(x)), list(seen)


def that_breaks_inside(x):
    @noted("broken")
    def shown(y):
        print(end="")
        return y + 1

    seen.clear()
    return shown(x) + scaled(x), list(seen)


@noted("breaking")
def breaking(x):
    x = x + 1
    print(end="")
    return x * 2


def that_calls_what_breaks(x):
    seen.clear()
    return breaking(x) + 1, list(seen)


@pytest.mark.parametrize("function", [within_a_generator_manager, that_breaks_inside, that_calls_what_breaks])
def test_breaks_change_nothing(function):
    compiled = _capture.optimize(function, backend="eager")
    for x in (torch.arange(3.0), torch.ones(3)):
        assert repr(compiled(x)) == repr(function(x))


def test_arguments_of_the_manager_are_guarded():
    def asks(x, function):
        seen.clear()
        return function(x), list(seen)

    compiled = _capture.optimize(asks, backend="eager")
    x = torch.ones(3)
    for name in ("a", "b", "a"):
        function = noted(name)(lambda y: y + 1)
        assert repr(compiled(x, function)) == repr(asks(x, function))
