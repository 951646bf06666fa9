"""Weak references that the program makes and reads."""

# The programs do what Python lets them do, whatever their types say.
# mypy: disable-error-code="no-untyped-def, union-attr, operator"

from __future__ import annotations

import weakref
from typing import Any

import pytest
import torch

from pybind.tests.dynamo.counted import check_one_graph
from rust_inductor import _capture


class Thing:
    def __init__(self, value: Any) -> None:
        self.value = value


class Closed:
    __slots__ = ("value",)


THING, OTHER = Thing(3), Thing(4)
CLOSED = Closed()
MODULE = torch.nn.Linear(3, 3)
KEPT = weakref.ref(THING)
VALUES: Any = weakref.WeakValueDictionary({"a": THING, "b": OTHER})


def read(x):
    reference = weakref.ref(THING)
    again = weakref.ref(THING, None)
    return x + reference().value, reference() is THING, reference is again, isinstance(reference, weakref.ref)


def of_others(x):
    return weakref.ref(MODULE)().weight.sum() + weakref.ref(x)() * 2, weakref.ref(torch)() is torch


def found(x):
    return x + KEPT().value, KEPT() is THING


def values(x):
    return x + VALUES["a"].value, VALUES.get("c", 5), "c" in VALUES


@pytest.mark.parametrize("program", [read, of_others, found, values], ids=lambda program: program.__name__)
def test_same_as_python(program: Any) -> None:
    check_one_graph(program)


def test_those_that_are_kept() -> None:
    holder = Thing(None)

    def program(x, thing):
        holder.value = weakref.ref(thing)
        return x + 1, weakref.ref(thing), {"k": weakref.ref(thing)}

    compiled = _capture.optimize(program, "eager", fullgraph=True)
    thing = Thing(5)
    _, reference, table = compiled(torch.ones(3), thing)
    assert reference is weakref.ref(thing) and table["k"] is reference and holder.value is reference
    del thing
    assert reference() is None


def made(x):
    thing = Thing(2)
    reference = weakref.ref(thing)
    value = reference().value
    del thing
    return x + value, reference() is None


def dropped(x):
    return x + 1, weakref.ref(Thing(2))() is None


def with_a_callback(x):
    return x + weakref.ref(THING, print)().value


def refused(x):
    try:
        return x, weakref.ref(CLOSED)
    except TypeError as error:
        return x + 1, str(error)


def compared(x):
    return x + 1, weakref.ref(THING) == KEPT, weakref.ref(THING) is KEPT, weakref.ref(THING) != weakref.ref(OTHER)


def as_a_key(x):
    return x + {weakref.ref(THING): 2}[KEPT]


def in_a_set(x):
    things: Any = weakref.WeakSet()
    things.add(THING)
    return x + len(things), THING in things, OTHER in things


def over_a_proxy(x):
    return x + weakref.proxy(THING).value


@pytest.mark.parametrize(
    "program",
    [made, dropped, with_a_callback, refused, compared, as_a_key, in_a_set, over_a_proxy],
    ids=lambda program: program.__name__,
)
def test_what_the_interpreter_decides(program: Any) -> None:
    compiled = _capture.optimize(program, "eager")
    for _ in range(2):
        assert repr(compiled(torch.ones(3))) == repr(program(torch.ones(3)))


def called_back(x):
    gone: list[int] = []
    thing = Thing(x + 1)
    _kept = weakref.ref(thing, lambda _: gone.append(1))
    y = thing.value * 2
    before = len(gone)
    del thing
    return y, before, len(gone)


def called_back_later(x):
    gone: list[int] = []
    thing = Thing(x + 1)
    _kept = weakref.ref(thing, lambda _: gone.append(1))
    torch._dynamo.graph_break()
    thing = thing.value * 2
    return thing, len(gone)


def finalized(x):
    gone: list[int] = []
    thing: Any = Thing(x + 1)
    weakref.finalize(thing, gone.append, 2)
    y = thing.value * 2
    thing = None
    return y, gone


def reference_that_goes(x):
    gone: list[int] = []
    thing = Thing(x + 1)
    reference = weakref.ref(thing, lambda _: gone.append(1))
    torch._dynamo.graph_break()
    y = thing.value * 2
    del reference
    del thing
    return y, len(gone)


@pytest.mark.parametrize(
    "program",
    [called_back, called_back_later, finalized, reference_that_goes],
    ids=lambda program: program.__name__,
)
def test_callbacks_are_called_when_the_object_goes(program: Any) -> None:
    compiled = _capture.optimize(program, "eager")
    for _ in range(2):
        assert repr(compiled(torch.ones(3))) == repr(program(torch.ones(3)))


def test_a_referent_that_goes() -> None:
    holder = {"thing": Thing(2)}
    reference = weakref.ref(holder["thing"])

    def program(x):
        before = weakref.ref(holder["thing"])
        holder.clear()
        return x + 1, before() is None, reference() is None

    compiled = _capture.optimize(program, "eager")
    assert compiled(torch.ones(3))[1:] == (True, True)


def test_values_that_come_and_go() -> None:
    things: Any = weakref.WeakValueDictionary()

    def program(x):
        found = things.get("a")
        return x if found is None else x + found.value

    compiled = _capture.optimize(program, "eager")
    assert compiled(torch.ones(3)).tolist() == [1, 1, 1]
    thing = things["a"] = Thing(2)
    assert compiled(torch.ones(3)).tolist() == [3, 3, 3]
    thing.value = 4
    assert compiled(torch.ones(3)).tolist() == [5, 5, 5]
    del thing
    assert compiled(torch.ones(3)).tolist() == [1, 1, 1]
