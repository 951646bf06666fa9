"""Weak references that the program makes and reads."""

# The programs do what Python lets them do, whatever their types say.
# mypy: disable-error-code="no-untyped-def, union-attr, operator, attr-defined, misc"

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


class Node:
    def __init__(self, name: str, parent: Any = None) -> None:
        self.name = name
        self.children: list[Any] = []
        self.parent = None if parent is None else weakref.ref(parent)

    def add(self, name: str) -> Any:
        self.children.append(Node(name, self))
        return self.children[-1]

    @property
    def path(self) -> str:
        parent = self.parent and self.parent()
        return f"{parent.path}/{self.name}" if parent else self.name

    def root(self) -> Any:
        parent = self.parent and self.parent()
        return parent.root() if parent else self

    def __repr__(self) -> str:
        return f"{self.path}: {self.children}"


def of_made(x):
    thing = Thing(2)
    reference = weakref.ref(thing)

    def within():
        return reference().value

    same = reference() is thing, reference is weakref.ref(thing), reference == weakref.ref(thing)
    return x + reference().value, within(), same


def of_made_functions(x):
    def double(y):
        return 2 * y

    return weakref.ref(double)()(x)


def trees(x):
    root = Node("r")
    leaf = root.add("c").add("d")
    return x + len(leaf.path), leaf.root() is root, leaf.path


def trees_that_are_given(x):
    root = Node("r")
    root.add("c").add("d")
    return x + 1, root


def held_by_what_it_gives(x):
    thing = Thing(2)
    reference = weakref.ref(thing)
    held = reference()
    del thing
    return x + held.value, reference() is held


PROGRAMS = [
    read,
    of_others,
    found,
    values,
    of_made,
    of_made_functions,
    trees,
    trees_that_are_given,
    held_by_what_it_gives,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_same_as_python(program: Any) -> None:
    check_one_graph(program)


def test_those_that_are_given() -> None:
    def program(x):
        kept, gone = Thing(2), Thing(3)
        gone.value = gone
        return x + 1, kept, weakref.ref(kept), weakref.ref(Thing(4)), weakref.ref(gone)

    _, kept, reference, dead, circular = _capture.optimize(program, "eager", fullgraph=True)(torch.ones(3))
    assert reference() is kept and reference is weakref.ref(kept) and dead() is None
    assert circular().value is circular()


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


def overwritten(x):
    thing: Any = Thing(2)
    reference = weakref.ref(thing)
    before = reference().value
    thing = None
    return x + before, reference(), thing


def dropped_by_another(x):
    def make():
        return weakref.ref(Thing(2))

    return x + 1, make()()


def in_a_container(x):
    table = {"a": [Thing(3)]}
    reference = weakref.ref(table["a"][0])
    before = reference().value
    table.clear()
    return x + before, reference() is None


def in_a_cycle(x):
    thing = Thing(2)
    thing.value = thing
    reference = weakref.ref(thing)
    del thing
    return x + 1, reference() is None


def over_a_break(x):
    thing = Thing(2)
    reference = weakref.ref(thing)
    torch._dynamo.graph_break()
    y, same = x + 1, reference() is thing
    torch._dynamo.graph_break()
    del thing
    return y, same, reference()


def over_breaks_in_a_loop(x):
    thing = Thing(2)
    reference = weakref.ref(thing)
    for _ in range(2):
        torch._dynamo.graph_break()
        x = x + reference().value
    return x


def written_into_what_was_found(x):
    OTHER.child = Thing(7)
    reference = weakref.ref(OTHER.child)
    before = reference().value
    OTHER.child = None
    return x + before, reference()


def of_a_slotted_one(x):
    try:
        return weakref.ref(Closed())
    except TypeError as error:
        return x + 1, str(error)


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
    [
        made,
        dropped,
        overwritten,
        dropped_by_another,
        in_a_container,
        in_a_cycle,
        over_a_break,
        over_breaks_in_a_loop,
        written_into_what_was_found,
        of_a_slotted_one,
        with_a_callback,
        refused,
        compared,
        as_a_key,
        in_a_set,
        over_a_proxy,
    ],
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
