"""Breaks in handlers, in ``finally`` and in ``with``: results are plain Python's, and torch captures no more."""

from __future__ import annotations

import contextlib

import pytest
import torch

from pybind.tests.dynamo.counted import Operators
from rust_inductor import _capture

X = torch.arange(4.0)


def in_a_handler(x):
    y = x + 1
    try:
        raise ValueError("a")
    except ValueError:
        print("handled")
        y = y * 2
    return y - 3


def in_a_handler_with_a_name(x):
    y = x.sin()
    try:
        raise ValueError("a", 2)
    except ValueError as error:
        y = y + len(error.args)
        print("handled", error)
    return y.cos()


def in_a_try(x):
    try:
        y = x + 1
        print("tried")
        y = y * 2
    except ValueError:
        y = x
    return y - 3


def raised_after_a_break(x):
    try:
        y = x + 1
        print("tried")
        raise KeyError("b")
    except KeyError:
        y = x * 5
    return y - 3


def in_finally(x):
    try:
        y = x + 1
    finally:
        print("at last")
        y = x * 4
    return y - 3


def finally_of_an_exception(x):
    try:
        try:
            y = x + 1
            raise ValueError("a")
        finally:
            print("at last")
    except ValueError:
        y = x * 2
    return y - 3


def in_else(x):
    try:
        y = x + 1
    except ValueError:
        y = x
    else:
        print("else")
        y = y * 2
    return y - 3


def in_with(x):
    with torch.no_grad():
        y = x + 1
        print("within", torch.is_grad_enabled())
        y = y * 2
    return y - 3


def in_two_withs(x):
    with contextlib.nullcontext(x + 1) as y, torch.no_grad():
        z = y * 2
        print("within", torch.is_grad_enabled())
        z = z + y
    return z - 3


def with_that_suppresses(x):
    y = x + 1
    with contextlib.suppress(KeyError):
        print("within")
        y = y * 2
        raise KeyError("a")
    return y - 3


def in_a_handler_in_a_loop(x):
    for n in range(3):
        try:
            if n == 1:
                raise ValueError(n)
            x = x + 1
        except ValueError:
            print("handled")
            x = x * 2
    return x - 3


def in_a_handler_of_a_call(x):
    def helper(y):
        try:
            return {"a": y}["b"]
        except KeyError:
            print("handled")
            return y * 2

    return helper(x + 1) - 3


def raised_again(x):
    y = x + 1
    try:
        try:
            raise ValueError("a")
        except ValueError:
            print("handled")
            raise
    except ValueError as error:
        y = y * len(str(error))
    return y - 3


PROGRAMS = [
    in_a_handler,
    in_a_handler_with_a_name,
    in_a_try,
    raised_after_a_break,
    in_finally,
    finally_of_an_exception,
    in_else,
    in_with,
    in_two_withs,
    with_that_suppresses,
    in_a_handler_in_a_loop,
    in_a_handler_of_a_call,
    raised_again,
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_no_less_is_captured_than_by_torch(program, capsys):
    torch._dynamo.reset()
    ours, theirs = Operators(), Operators()
    expected, told = program(X), capsys.readouterr().out
    for compiled in (_capture.optimize(program, ours), torch.compile(program, backend=theirs)):
        for _ in range(2):
            torch.testing.assert_close(compiled(X), expected)
            assert capsys.readouterr().out == told
    assert ours.count >= theirs.count
