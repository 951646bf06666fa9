"""Texts and members of the interpreter's exceptions, where the program reads them."""

# The programs do what Python lets them do, whatever their types say.
# mypy: disable-error-code="attr-defined, call-overload, index, operator, misc, no-untyped-def, type-var, arg-type"
# mypy: disable-error-code="name-defined, func-returns-value, str-format, call-arg, assignment, has-type, list-item"
# mypy: disable-error-code="used-before-def, union-attr"
# ruff: noqa: B009, B018, C416, F401, F821, F841, UP031

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

import pytest
import torch

from pybind.tests.dynamo.counted import check_one_graph
from rust_inductor import _capture


class Held:
    """Has an attribute."""

    def __init__(self) -> None:
        self.own = 1


class Slotted:
    __slots__ = ("place",)


class Computed:
    @property
    def failing(self):
        raise AttributeError("of its own")


HELD = Held()
NOTHING = object()


def unbound(x):
    value
    value = 1


def unbound_within(x):
    def inner():
        return value

    inner()
    value = 1


def deleted(x):
    value = 1
    del value
    return value


def too_few(x):
    a, b = (1,)


def too_few_before_others(x):
    a, *b = ()


RAISING: dict[str, Callable[[Any], Any]] = {
    "attribute": lambda x: Held().missing,
    "attribute of the caller's": lambda x: HELD.missing,
    "attribute of a class": lambda x: Held.missing,
    "attribute of a number": lambda x: (1).missing,
    "attribute of nothing": lambda x: None.missing,
    "attribute of a list": lambda x: [].missing,
    "attribute of a dict": lambda x: {}.missing,
    "attribute of a tensor": lambda x: x.missing,
    "attribute of a function": lambda x: (lambda: 1).missing,
    "attribute by name": lambda x: getattr(Held(), "missing"),
    "attribute of an attribute": lambda x: HELD.own.missing,
    "method": lambda x: HELD.missing(),
    "slot": lambda x: Slotted().place,
    "key": lambda x: {}["missing"],
    "key of `__dict__`": lambda x: HELD.__dict__["missing"],
    "item of a list": lambda x: [1][3],
    "item of a tuple": lambda x: (1,)[3],
    "item of a range": lambda x: range(3)[5],
    "item of a text": lambda x: "abc"[float("1.5")],
    "quotient": lambda x: 1 // 0,
    "power": lambda x: 0.0**-1,
    "overflow": lambda x: math.exp(10000),
    "sum of unlike": lambda x: 1 + "a",
    "sum of texts": lambda x: "a" + 1,
    "order of unlike": lambda x: 1 < "a",
    "negative text": lambda x: -"a",
    "membership": lambda x: 5 in 5,
    "length": lambda x: len(5),
    "order": lambda x: ord("ab"),
    "absolute text": lambda x: abs("a"),
    "joined numbers": lambda x: "".join([1]),
    "formatted text": lambda x: "%d" % "a",
    "number of a text": lambda x: int("z"),
    "range without steps": lambda x: range(1, 2, 0),
    "greatest of nothing": lambda x: max([]),
    "least of nothing": lambda x: min(()),
    "end of an iterator": lambda x: next(iter([])),
    "walk over a number": lambda x: [item for item in 5],
    "walk over nothing": lambda x: list(iter(None)),
    "walk over an object": lambda x: [item for item in Held()],
    "walk over an object of the caller's": lambda x: [item for item in HELD],
    "walk over a function": lambda x: [item for item in unbound],
    "length of an object": lambda x: len(HELD),
    "length of a function": lambda x: len(unbound),
    "global variable": lambda x: undefined_variable,
    "local variable": unbound,
    "local variable of an outer function": unbound_within,
    "local variable that was deleted": deleted,
    "too few to unpack": too_few,
    "too few before others": too_few_before_others,
}
if sys.version_info < (3, 13):
    RAISING["attribute of a module"] = lambda x: math.missing
if sys.version_info < (3, 14):
    RAISING["too many to unpack"] = lambda x: [a for a, b in [(1, 2, 3)]]


@pytest.mark.parametrize("raising", RAISING.values(), ids=RAISING.keys())
def test_texts(raising: Callable[[Any], Any]) -> None:
    def program(x):
        try:
            raising(x)
        except Exception as error:
            said = str(error), error.args, f"{error}", repr(error), type(error).__name__
            return x + len(error.args), said, error.__cause__, error.__context__, error.__suppress_context__
        return x

    check_one_graph(program)


@pytest.mark.parametrize("raising", [too_few, lambda x: dict([(1, 2, 3)]), lambda x: setattr(HELD, "own", Held().z)])
def test_texts_that_are_not_known(raising: Callable[[Any], Any]) -> None:
    def program(x):
        try:
            total = 1
            total += "a" if len(x) == 3 else raising(x)
        except Exception as error:
            return x + 1, str(error), error.args
        return x

    compiled = _capture.optimize(program, "eager")
    for x in (torch.ones(3), torch.ones(2)):
        assert repr(compiled(x)) == repr(program(x))


def test_keys_that_are_objects() -> None:
    def program(x):
        try:
            return x, {}[HELD]
        except KeyError as error:
            return x + 1, error.args[0] is HELD, len(error.args)

    check_one_graph(program)


def test_what_attribute_errors_hold() -> None:
    def program(x):
        held = Held()
        notes = []
        for read in (lambda: held.missing, lambda: HELD.missing, lambda: Held.missing, lambda: undefined_variable):
            try:
                read()
            except AttributeError as error:
                notes.append((error.name, error.obj is held, error.obj is HELD, error.obj is Held))
            except NameError as error:
                notes.append(error.name)
        try:
            unbound(x)
        except UnboundLocalError as error:
            notes.append(error.name)
        return x + len(notes), notes

    check_one_graph(program)


def test_members_that_are_given() -> None:
    class Derived(AttributeError):
        def __init__(self, text, name):
            super().__init__(text, name=name)

    def program(x):
        errors = AttributeError("a", name="n", obj=3), NameError("b", name="m"), AttributeError("c"), Derived("d", "k")
        notes = [(str(error), error.args, error.name) for error in errors]
        return x + len(notes), notes, errors[0].obj, errors[2].obj

    check_one_graph(program)

    def making(x):
        return x + 1, AttributeError("a", 4, name="n", obj=x), NameError("b", name="m"), Derived("d", "k")

    compiled = _capture.optimize(making, "eager", fullgraph=True)
    _, first, second, third = compiled(torch.ones(3))
    assert (first.args, first.name, first.obj.tolist()) == (("a", 4), "n", [1, 1, 1])
    assert (second.args, second.name, third.args, third.name) == (("b",), "m", ("d",), "k")


def test_a_name_that_a_property_fills_in() -> None:
    def program(x):
        try:
            Computed().failing
        except AttributeError as error:
            return x + 1, str(error), error.name, type(error.obj).__name__

    compiled = _capture.optimize(program, "eager")
    assert repr(compiled(torch.ones(3))) == repr(program(torch.ones(3)))


def test_names_are_guarded() -> None:
    class Renamed:
        pass

    made = Renamed()

    def program(x):
        try:
            made.missing
        except AttributeError as error:
            return x + 1, str(error)

    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(program, "eager", listener=log.append)
    for name in ("Renamed", "Renamed", "Other", "x" * 200):
        Renamed.__name__ = name
        assert repr(compiled(torch.ones(3))) == repr(program(torch.ones(3)))
    assert len(log) == 3
    made.missing = 4
    assert compiled(torch.ones(3)) is None


def test_variables_that_come_into_being(monkeypatch: pytest.MonkeyPatch) -> None:
    def program(x):
        try:
            return x * undefined_variable
        except NameError as error:
            return x + 1, str(error)

    compiled = _capture.optimize(program, "eager")
    module = sys.modules[__name__]
    for where in (module, sys.modules["builtins"]):
        assert repr(compiled(torch.ones(3))) == repr(program(torch.ones(3)))
        with monkeypatch.context() as patch:
            patch.setattr(where, "undefined_variable", 5, raising=False)
            assert compiled(torch.ones(3)).tolist() == [5, 5, 5]


def test_notes() -> None:
    def program(x):
        try:
            raise ValueError("a")
        except ValueError as error:
            before = hasattr(error, "__notes__")
            error.add_note("first")
            error.add_note("second")
            return x + 1, before, error.__notes__

    check_one_graph(program)

    def making(x):
        error = ValueError("a")
        error.add_note("first")
        return x + 1, error

    assert _capture.optimize(making, "eager", fullgraph=True)(torch.ones(3))[1].__notes__ == ["first"]


def test_exceptions_of_the_callers() -> None:
    cause = KeyError("k")
    error: Any = ValueError("a", 3)
    error.__cause__, error.note = cause, 4

    def program(x):
        told = error.args, str(error), repr(error), error.note, error.__cause__ is cause, error.__cause__.args
        return x + error.args[1], told, error.__context__, error.__suppress_context__, str(cause)

    check_one_graph(program)
    compiled = _capture.optimize(program, "eager")
    for args in (("a", 3), ("b", 3), ("b", 4, 5)):
        error.args = args
        assert repr(compiled(torch.ones(3))) == repr(program(torch.ones(3)))


def test_contexts_of_what_the_interpreter_raises() -> None:
    def program(x):
        try:
            try:
                1 // 0
            except ZeroDivisionError:
                {}["k"]
        except KeyError as error:
            context = error.__context__
            return x + 1, str(context), context.__context__, error.__cause__, error.__suppress_context__

    check_one_graph(program)


def test_names_that_are_not_imported() -> None:
    def program(x):
        try:
            from math import missing
        except ImportError as error:
            return x + 1, type(error).__name__
        except Exception as error:
            return x - 1, type(error).__name__

    compiled = _capture.optimize(program, "eager")
    assert repr(compiled(torch.ones(3))) == repr(program(torch.ones(3)))


def test_information_about_what_is_handled() -> None:
    def program(x):
        before = sys.exc_info()
        try:
            raise ValueError("a")
        except ValueError as error:
            found = sys.exc_info()
            told = found[0] is ValueError, found[1] is error, found[2] is not None, len(found)
        return x + 1, before, told, sys.exc_info()

    check_one_graph(program)
    compiled = _capture.optimize(lambda x: (x + 1, sys.exc_info()[0]), "eager")
    assert compiled(torch.ones(3))[1] is None
    try:
        raise KeyError("k")
    except KeyError:
        assert compiled(torch.ones(3))[1] is KeyError
