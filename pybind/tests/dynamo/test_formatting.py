"""Texts of objects: `%`, `str.format` and f-strings, by `__str__`, `__repr__` and `__format__` of their classes."""

# ruff: noqa: F504, UP030, UP031, UP032 - The ways to make texts that are tested.
# mypy: disable-error-code="str-format"
from __future__ import annotations

from typing import Any

import pytest
import torch

from pybind.tests.dynamo.counted import check_one_graph
from rust_inductor import _capture


class Told:
    """`__str__`"""

    def __str__(self):
        return "told"


class Shown:
    """`__repr__`"""

    a = 3

    def __repr__(self):
        return "Shown('é')"


class Formatted:
    """`__format__`"""

    def __format__(self, spec):
        return "formatted:" + spec


class Word(str):
    """A text that takes part in `%` from the right."""

    __slots__ = ()

    def __rmod__(self, other):
        return "rmod"


TOLD, SHOWN, FORMATTED = Told(), Shown(), Formatted()


def by_percent(x):
    told, shown = Told(), Shown()
    one = "%s" % told, "%r" % shown, "%s!" % shown, "%5s|%-5s" % (told, 3), "%%%s" % told, "%.2s" % told
    named = "%(a)s %(b)r %(a)5d" % {"a": 1, "b": shown}, "%(a)s" % {"a": told, "c": 2}
    held = "%s %s" % ([shown], {"a": shown}), "%s" % [told.__str__()], "%s %d %.1f" % (told, x.shape[0], 2.55)
    return x + 1, one, named, held, "%s" % (told,), "%s" % TOLD, "%r" % (SHOWN,)


def by_format(x):
    told, shown, formatted = Told(), Shown(), Formatted()
    one = "{}".format(told), "{!r}".format(shown), "{:x}".format(formatted), "{!s:>6}|".format(told)
    named = (
        "{a} {b!r}".format(a=told, b=shown),
        "{1} {0}".format(told, shown),
        "{0.a} {1[k]} {2[1]}".format(shown, {"k": 1}, [1, told]),
    )
    mixed = "{{{}}} {:>4} {x}".format(told, 3, x=x.shape[0]), "{}{}".format(TOLD, SHOWN), "{:q}".format(FORMATTED)
    return x + 1, one, named, mixed


def by_f_strings(x):
    told, shown, formatted = Told(), Shown(), Formatted()
    one = f"{told}", f"{shown!r}", f"{formatted:>3}", f"{told!s:>6}", f"{[shown]}", f"{(shown,)}", f"{{{told}}}"
    return (
        x + 1,
        one,
        f"{TOLD} {SHOWN} {FORMATTED:a}",
        str((shown,)),
        repr([shown, (told.__str__(),)]),
        format(formatted, "q"),
    )


@pytest.mark.parametrize("function", [by_percent, by_format, by_f_strings])
def test_each_is_one_graph(function):
    check_one_graph(function)


TEXTS: list[tuple[str, Any]] = [
    ("%s %s", (TOLD,)),
    ("%s", (TOLD, TOLD)),
    ("text", TOLD),
    ("%d", TOLD),
    ("%*s", (3, TOLD)),
    ("%(a)s", TOLD),
    ("%(a)s", {"b": TOLD}),
    ("%s", Word("a")),
    ("%q", TOLD),
    ("%", TOLD),
    ("%a", SHOWN),
    ("%ld", (3,)),
    ("%5%", TOLD),
]


@pytest.mark.parametrize(("text", "operand"), TEXTS)
def test_other_operands_are_as_in_plain_python(text, operand):
    def combines(x):
        try:
            return x + 1, text % operand
        except (KeyError, TypeError, ValueError) as error:
            return x + 1, type(error), str(error)

    x = torch.ones(3)
    assert repr(_capture.optimize(combines, backend="eager")(x)) == repr(combines(x))


FIELDS = [
    "{} {}",
    "{1}",
    "{0} {}",
    "{",
    "}",
    "{0!q}",
    "{0.b}",
    "{0[}",
    "{0:{0}}",
    "{a}",
    "{0.}",
    "{0[]}",
    "{!a}",
    "{0[-1]}",
]


@pytest.mark.parametrize("text", FIELDS)
def test_other_fields_are_as_in_plain_python(text):
    def formats(x):
        try:
            return x + 1, text.format(SHOWN)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            return x + 1, type(error), str(error)

    x = torch.ones(3)
    assert repr(_capture.optimize(formats, backend="eager")(x)) == repr(formats(x))


def test_texts_of_classes_that_change_are_asked_anew():
    class Changing:
        def __str__(self):
            return "before"

    def asks(x, thing):
        return x + 1, "%s" % thing, "{}".format(thing)

    compiled, thing, x = _capture.optimize(asks, backend="eager"), Changing(), torch.ones(3)
    assert compiled(x, thing)[1:] == ("before", "before")
    Changing.__str__ = lambda self: "after"  # type: ignore[method-assign]
    assert compiled(x, thing)[1:] == ("after", "after")
