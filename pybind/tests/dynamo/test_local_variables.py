"""`locals()`, and `vars()` and `dir()` without arguments: what they see of the frame that calls them."""

# The programs do what Python lets them do, whatever their types say.
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import Any

import pytest
import torch

from pybind.tests.dynamo.counted import check_one_graph
from rust_inductor import _capture


def named(**given):
    return sorted(given.items(), key=lambda item: item[0])


def once(value):
    twice = 2 * value
    return list(locals()), twice


def twice(value):
    first = locals()
    between = 2
    told = list(first)
    second = locals()
    return told, list(first), list(second), first is second, between


def written(value):
    variables = locals()
    variables["value"] = 3
    variables["more"] = 4
    return value, sorted(variables), sorted(locals())


def of_arguments(x):
    n = 3
    return x, named(**locals()), "{n}".format(**locals())


def of_called(x):
    return x + 1, once(2), twice(3), written(1), (lambda q: list(locals()))(3)


def of_closures(x):
    n = 3

    def inner():
        m = n
        return list(locals()), m

    return x + 1, list(locals()), inner()


def of_loops(x):
    told = []
    for i in range(3):
        told.append(sorted(locals()))
        j = i
    return x + j, told


def deleted(x):
    gone = kept = 1
    del gone
    try:
        raise ValueError("a")
    except ValueError as error:
        within = sorted(locals()), str(error)
    return x + kept, within, sorted(locals())


def by_other_names(x):
    kept = 1
    return x + kept, sorted(vars()), dir()


def in_comprehensions(x):
    return x + 1, [sorted(locals()) for _ in range(2)]


def before_a_break(x):
    kept = 1
    told = sorted(locals())
    print(end="")
    return x + kept, told


def after_a_break(x):
    kept = 1
    print(end="")
    return x + kept, sorted(locals())


def around_a_break(x):
    told = []
    for _turn in range(2):
        told.append(sorted(locals()))
        print(end="")
    return x, told


def called_around_a_break(x):
    return x + 1, after_a_break(x), around_a_break(x)


def suspended(x):
    def several():
        first = 1
        yield sorted(locals())
        second = 2
        yield sorted(locals()), first + second

    return x + 1, list(several())


WHOLE = [of_arguments, of_called, of_closures, of_loops, deleted, by_other_names, in_comprehensions]


@pytest.mark.parametrize("program", WHOLE, ids=lambda program: program.__name__)
def test_one_graph(program: Any) -> None:
    check_one_graph(program)


BREAKING = [before_a_break, after_a_break, around_a_break, called_around_a_break, suspended]


@pytest.mark.parametrize("program", BREAKING, ids=lambda program: program.__name__)
def test_with_breaks(program: Any) -> None:
    compiled = _capture.optimize(program, "eager")
    for x in (torch.arange(3.0), torch.ones(3)):
        assert repr(compiled(x)) == repr(program(x))


def test_breaks_after_the_last_call_are_no_hindrance() -> None:
    log: list[dict[str, Any]] = []
    _capture.optimize(before_a_break, "eager", listener=log.append)(torch.ones(3))
    assert not [event for event in log if "skipped" in event]
