"""Exceptions of the program's classes: how they are made, read, raised, handed on, and kept."""

# The programs do what Python lets them do, whatever their types say.
# mypy: disable-error-code="attr-defined, call-overload, misc, arg-type, index, func-returns-value"

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pybind.tests.dynamo.test_like_eager import compare, matrix
from rust_inductor import _capture


class Coded(ValueError):
    code = 3

    def __init__(self, at, *, factor=2):
        super().__init__(f"bad {at}", at)
        self.at, self.factor = at, factor

    @property
    def scaled(self):
        return self.at * self.factor

    def __str__(self):
        return f"{super().__str__()} [{self.code}]"


class Bare(KeyError):
    def __init__(self, at):
        self.at = at


class Replaced(Exception):
    def __new__(cls, *parts):
        made = super().__new__(cls)
        made.count = len(parts)
        return made

    def __init__(self, *parts):
        Exception.__init__(self, "first")
        self.args = (*self.args, parts)


def refused(x, at):
    if at:
        raise Coded(at, factor=x.sum())
    return x


def constructors_of_their_own(notes, x):
    y = x
    for make in (lambda: Coded(3), lambda: Bare(4), lambda: Replaced(5, 6), lambda: Replaced, lambda: refused(y, 7)):
        try:
            raise make()
        except (Coded, Bare) as error:
            notes.append((type(error).__name__, error.args, hasattr(error, "code"), isinstance(error, LookupError)))
            x = x + error.at * getattr(error, "scaled", 1)
            notes.extend([str(error), repr(error)] if isinstance(error, Bare) or error.at == 3 else [])
        except Replaced as error:
            notes.append((str(error), f"{error!r:>40}", dict(vars(error))))
    return x


def attributes(notes, x):
    error = Bare("a")
    error.at, error.note = x * 2, x
    plain = ValueError("plain", error)
    plain.note = 5
    try:
        raise plain from error
    except ValueError as caught:
        del caught.args[1].note
        caught.args = (1, 2)
        notes.append((caught.args, str(caught), caught.note, caught is plain, caught.__cause__ is error))
        notes.append((hasattr(error, "note"), sorted(vars(error)), error.__suppress_context__, bool(error)))
    return error.at


def handed_on(notes, x):
    errors: list[Exception] = []
    error, other = Coded(3), Replaced(x)
    error.note, error.other = x + 1, other
    errors += [error, KeyError("k", x * 2), error]
    notes.append(errors[0] is errors[2])
    return x * 3, errors, {"error": error, "other": other}["other"], Bare(1)


def causes_and_contexts(notes, x):
    try:
        try:
            refused(x, 2)
        except Coded as error:
            raise Bare(error) from error
    except KeyError as error:
        notes.append((error.__cause__ is error.at, error.__context__ is error.at, error.__suppress_context__))
        return x + error.at.factor


def texts_of_what_python_raises(notes, x):
    table = {"a": 1}
    for call in (
        lambda: 1 // 0,
        lambda: 1.5 % 0,
        lambda: table["b"],
        lambda: table.pop(2),
        lambda: [1][2],
        lambda: (1, 2)[2],
        lambda: [].pop(),
        lambda: int("z"),
        lambda: {1}.remove("q"),
    ):
        try:
            call()
        except (ArithmeticError, LookupError, ValueError) as error:
            notes.append((repr(error), str(error), error.args))
    return x + 1


def kept(notes, x):
    y = x * 3
    last = None
    try:
        raise Coded(2)
    except Coded as error:
        last = error
    notes.append("after")
    return y + last.at, last


def kept_by_a_callee(notes, x):
    def attempt(x, at):
        try:
            return refused(x, at) + 1, None
        except ValueError as error:
            return x, error

    y, none = attempt(x * 2, 0)
    z, error = attempt(y, 3)
    return z + 1, none, error


def kept_with_its_cause(notes, x):
    y = x + 1
    try:
        try:
            notes.append({}["a"])
        except KeyError as error:
            raise Bare(3) from error
    except Bare as error:
        notes.append(error.at)
        last = error
    return y * 2, last


def collected(notes, x):
    errors = []
    for at in range(4):
        try:
            x = x + refused(x, at % 2)
        except Coded as error:
            errors.append(error)
            notes.append(error.at)
    return x, errors


ONE_GRAPH: list[Callable[..., Any]] = [
    constructors_of_their_own,
    attributes,
    handed_on,
    causes_and_contexts,
    texts_of_what_python_raises,
]
#: The graph ends where the first one is raised.
KEPT: list[Callable[..., Any]] = [kept, kept_by_a_callee, kept_with_its_cause, collected]


@pytest.mark.parametrize("program", ONE_GRAPH + KEPT, ids=lambda program: program.__name__)
def test_same_as_python(program: Callable[..., Any]) -> None:
    graphs: list[Any] = []
    compiled = _capture.optimize(program, lambda graph, _: graphs.append(graph) or graph.forward)
    for _ in range(2):
        plain_notes: list[Any] = []
        notes: list[Any] = []
        compare(program(plain_notes, matrix()), compiled(notes, matrix()))
        compare(plain_notes, notes)
    assert graphs
    assert len(graphs) == 1 or program in KEPT


def test_classes_of_exceptions_that_change() -> None:
    class Changing(Exception):
        rate = 1

        def __init__(self, at):
            self.at = at

    def program(x):
        try:
            raise Changing(2)
        except Changing as error:
            return x + error.at * error.rate, str(error), repr(error), error.args

    compiled = _capture.optimize(program, "eager")
    changes = {
        "rate": 5,
        "__new__": lambda cls, at: Exception.__new__(cls, at, at),
        "__init__": lambda self, at: Exception.__init__(self, setattr(self, "at", at + 1)),
        "__str__": lambda self: "text",
        "__name__": "Changed",
        "args": property(lambda self: "own"),
    }
    compare(program(matrix()), compiled(matrix()))
    for name, value in changes.items():
        setattr(Changing, name, value)
        compare(program(matrix()), compiled(matrix()))


class Plain(Exception):
    """Has the methods of `Exception`."""


class Derived(Plain):
    def __init__(self, at):
        Plain.__init__(self, at, at + 1)


def test_a_method_read_through_a_class_that_inherits_it_is_guarded_where_it_is_found():
    def function(x):
        try:
            raise Derived(3)
        except Plain as error:
            return x + len(error.args), Plain.__str__(error)

    events: list[dict[str, Any]] = []
    compiled = _capture.optimize(function, "eager", listener=events.append)
    for _ in range(3):
        compare(function(matrix()), compiled(matrix()))
    assert [event.get("break") for event in events] == [None]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Plain, "__str__", lambda self: "changed")
        compare(function(matrix()), compiled(matrix()))
