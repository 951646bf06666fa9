"""Tests of constructs that newer versions of CPython compile otherwise, or that older ones do not have.

PYTEST_DONT_REWRITE: the assertions of the programs are to be compiled as Python compiles them.
"""

import builtins
import functools
import sys
from typing import Any

import pytest
import torch

from rust_inductor import _capture

CASES: list[tuple[Any, bool]] = []


def case(whole: bool) -> Any:
    """A case: whether it is one graph."""

    def register(function: Any) -> Any:
        CASES.append((function, whole))
        return function

    return register


def say(value):
    torch._dynamo.graph_break()
    return value


class Manager:
    """Notes how it is left, and swallows exceptions."""

    def __init__(self, log):
        self.log = log

    def __enter__(self):
        self.log.append("in")
        return 2

    def __exit__(self, kind, error, trace):
        self.log.append(kind)
        return True


class Lookups(type):
    """Classes whose special methods are not those of their instances."""

    def __getattr__(cls, name):
        raise AttributeError(name)


class Static(metaclass=Lookups):
    """Its way out takes no manager: what is called has an empty slot beside it."""

    def __enter__(self):
        return self

    @staticmethod
    def __exit__(*args):
        return len(args) == 3


@case(True)
def managers(x):
    log: list[Any] = []
    with Manager(log) as two, torch.no_grad():
        x = x * two
        raise ValueError
    return x, log, torch.is_grad_enabled()


@case(False)
def breaks_in_blocks(x):
    log: list[Any] = []
    with Manager(log) as two, Manager(log):
        x = say(x * two) + 1
        x = say(x) + 1
        [][0]
    with Static() as static:
        x = say(x) - 1
        x = x * len(say([static]))
        raise KeyError
    for _ in range(2):
        with torch.no_grad():
            x = say(x) + x[:1].sum()
    return x, log


@case(False)
def breaks_on_the_way_in(x):
    class Breaking(Manager):
        def __enter__(self):
            return say(super().__enter__())

    log: list[Any] = []
    x = x + 1
    with Breaking(log) as two:
        x = x * two
    return x, log


@case(False)
def breaks_in_loops(x):
    items = [x, x + 1, x * 2]
    total = x
    for at, item in enumerate(items):
        total = say(total) + item[at:].sum() + item[..., 0]
        if at == 1:
            continue
    else:
        total = say(total) * 2
    return total, [say(item) for item in items]


@case(True)
def slices(x):
    return x[1:], x[:, ::2], x[0:1, None], [1, 2, 3][:2], x[..., 1:2], "text"[::-1]


@case(False)
def slices_after_a_break(x):
    x = say(x)
    return x[1:], x[:, ::2], x[0:1, None], [1, 2, 3][:2]


@case(True)
def common_constants(x):
    assert x is not None
    kinds = tuple(n for n in range(3)), all(n < 3 for n in range(3)), any(n > 1 for n in (1, 2))
    try:
        assert len(kinds) > 3, "few"
    except AssertionError as error:
        return x + len(kinds[0]), kinds, str(error)
    return x


@case(False)
def annotations(x):
    y: int = 2

    def inner(a: int, *, b: str = "b") -> torch.Tensor:
        """Adds."""
        return a + x  # type: ignore[no-any-return]

    return inner(y), inner.__doc__, sorted(inner.__annotations__), inner.__name__


@case(True)
def decorated(x):
    def twice(function):
        @functools.wraps(function)
        def wrapper(a: int, b: str = "b") -> torch.Tensor:
            return function(a) * 2  # type: ignore[no-any-return]

        return wrapper

    def named(a: float) -> torch.Tensor:
        """Adds."""
        return a + x  # type: ignore[no-any-return]

    wrapper = twice(named)
    return wrapper(1), wrapper.__doc__, wrapper.__name__


@case(False)
def documented(x):
    """It makes one function after a break, with nothing that is a constant before it."""

    def inner(y):
        """Adds one."""
        return say(y)

    return inner(say(x)), inner.__doc__


@case(True)
def left_within_a_delegation(x):
    log: list[str] = []

    def inner():
        yield x + 1

    def outer():
        try:
            yield from inner()
        finally:
            log.append("closed")

    generator = outer()
    first = next(generator)
    generator.close()
    return first, log


@case(False)
def dropped_within_a_delegation(x):
    log: list[str] = []

    def inner():
        yield x + 1

    def outer():
        try:
            yield from inner()
        finally:
            log.append("closed")

    return next(outer()), log


@case(False)
def thrown_through_a_delegation(x):
    def inner():
        try:
            yield x
        except KeyError:
            yield x + 1

    def outer():
        try:
            yield from inner()
        except ValueError as error:
            yield error.args

    generator = outer()
    return next(generator), generator.throw(KeyError()), generator.throw(ValueError(1))


def run(function: Any, x: Any) -> Any:
    try:
        return function(x)
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize(("function", "whole"), CASES, ids=[function.__name__ for function, _ in CASES])
def test_same_as_python(function, whole):
    events: list[dict[str, Any]] = []
    compiled = _capture.optimize(function, "eager", listener=events.append)
    for x in (torch.ones(3, 3), torch.full((2, 4), 2.0), torch.ones(3, 3)):
        assert str(run(compiled, x)) == str(run(function, x))
    if whole:
        assert [event["break_reason"] or event["break"] for event in events] == [None] * len(events)


def shadowed(x):
    return x + 1, any(n > 1 for n in (1, 2))


def test_a_function_in_the_place_of_a_builtin_is_called():
    compiled = _capture.optimize(shadowed, "eager")
    assert str(compiled(torch.ones(2))) == str(shadowed(torch.ones(2)))
    globals()["any"] = lambda items: builtins.sum(items)
    try:
        assert str(compiled(torch.ones(2))) == str(shadowed(torch.ones(2)))
    finally:
        del globals()["any"]


@pytest.mark.skipif(sys.version_info < (3, 14), reason="there are no template strings")
def test_template_strings_end_the_graph():
    names: dict[str, Any] = {}
    exec("def program(x, name):\n    y = x + 1\n    t = t'<{name!r:>5}>'\n    return y * 2, t.strings, t.values", names)
    events: list[dict[str, Any]] = []
    compiled = _capture.optimize(names["program"], "eager", listener=events.append)
    assert str(compiled(torch.ones(2), "n")) == str(names["program"](torch.ones(2), "n"))
    assert "BUILD_INTERPOLATION" in events[0]["break_reason"]


@pytest.mark.skipif(sys.version_info < (3, 14), reason="annotations are evaluated where they are written")
def test_annotations_are_not_evaluated_by_a_trace():
    names: dict[str, Any] = {"evaluated": lambda: 1 / 0}
    source = "def program(x):\n    def inner(a: evaluated()):\n        return a + 1\n    return inner(x), inner"
    exec(compile(source, "program", "exec", dont_inherit=True), names)
    compiled = _capture.optimize(names["program"], "eager")
    for _ in range(2):
        result, inner = compiled(torch.ones(2))
        assert torch.equal(result, torch.full((2,), 2.0))
        with pytest.raises(ZeroDivisionError):
            inner.__annotations__  # noqa: B018
        names["evaluated"] = lambda: int
        assert inner.__annotations__ == {"a": int}
        names["evaluated"] = lambda: 1 / 0
