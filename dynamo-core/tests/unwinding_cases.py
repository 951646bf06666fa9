"""Functions that leave `with` blocks, with and without an exception, which `trace_code.py` runs traced and plain."""

# ruff: noqa
# mypy: ignore-errors

from __future__ import annotations

from contextlib import ExitStack

from cases import LOG, Cases, T, say
from trace_torch import torch

CASES = Cases()
case = CASES.case


@case(lambda: (T(1.0), []))
def nothing_is_raised(x, notes):
    with ExitStack() as stack:
        stack.callback(notes.append, 1)
        stack.push(lambda kind, *_: notes.append(kind is None))
        stack.enter_context(torch.no_grad())
        y = x * 2
    return x + y, notes


@case(lambda: (T(1.0), []))
def an_exception_ends(x, notes):
    with ExitStack() as stack:
        stack.push(lambda kind, error, _: notes.append(error.args) or kind is ValueError)
        stack.callback(notes.append, 2)
        stack.enter_context(torch.no_grad())
        raise ValueError("a")
    return x * 2, notes


@case(lambda: (T(1.0), []))
def an_exception_passes(x, notes):
    try:
        with ExitStack() as stack:
            stack.push(lambda *told: notes.append(len(told)))
            inner = stack.enter_context(ExitStack())
            inner.callback(notes.append, 2)
            raise ValueError("a")
    except ValueError as error:
        notes.append(error.args)
    return x * 2, notes


@case(lambda: (T(1.0), []))
def moved(x, notes):
    with ExitStack() as stack:
        stack.callback(notes.append, 1)
        left = stack.pop_all()
    y = x * 2
    notes.append(2)
    left.close()
    return y, notes


@case(lambda: (T(1.0), []))
def break_inside(x, notes):
    with ExitStack() as stack:
        stack.callback(notes.append, 2)
        stack.callback(lambda *args, **named: notes.append((args, named)), 1, b=2)
        stack.enter_context(torch.no_grad())
        y = x * 2
        say(y)
        z = y + 1
    return x * 2, z
