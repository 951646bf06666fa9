"""Classes that add methods to a class of named tuples, and weak references of the caller's."""

from __future__ import annotations

import collections
import gc
import operator
import typing
import weakref
from typing import Any

import pytest
import torch

from rust_inductor import _capture


class Pair(collections.namedtuple("Pair", ["a", "b"], defaults=(5,))):
    """Methods, and no attributes of its own."""

    __slots__ = ()
    kind = "pair"

    @property
    def total(self) -> Any:
        return self.a + self.b

    def scaled(self, by: Any) -> Any:
        return type(self)(self.a * by, self.b * by)

    @classmethod
    def twice(cls, x: Any) -> Any:
        return cls(x, x)

    @staticmethod
    def one() -> int:
        return 1


class Open(collections.namedtuple("Open", "a b")):
    """Objects have a dict."""

    def total(self) -> Any:
        return self.a + self.b


class Further(Pair):
    """Two classes away."""

    __slots__ = ()

    def total_and(self, more: Any) -> Any:
        return self.total + more


class Typed(typing.NamedTuple):
    """As `typing` makes them."""

    a: Any
    b: int = 3


class OfTyped(Typed):
    """Over that one."""

    __slots__ = ()

    def total(self) -> Any:
        return self.a + self.b


class Adding(Pair):
    """An operator of its own."""

    __slots__ = ()

    def __add__(self, other: Any) -> Any:
        return "added"


class Hiding(Pair):
    """A field that is another thing."""

    __slots__ = ()

    @property
    def a(self) -> Any:
        return 100


class Making(Pair):
    """Made in another way."""

    __slots__ = ()

    def __new__(cls, a: Any) -> Any:
        return super().__new__(cls, a, a + 1)


PAIR, OPEN, FURTHER, OF_TYPED = Pair(1, 2), Open(1, 2), Further(3), OfTyped(4)


def made(x):
    pair, further = Pair(x, 2), Further(x)
    parts = (
        pair.total,
        pair.scaled(2).a,
        Pair.twice(x).b,
        pair.one(),
        pair.kind,
        further.total_and(1),
        OfTyped(x).total(),
    )
    return parts, pair._replace(b=7), pair._asdict(), (*pair,), pair[1], len(pair), pair, Open(x, 1).total(), Open(x, 1)


def found(x):
    parts = PAIR.total, PAIR.scaled(3), PAIR.a, OPEN.total(), FURTHER.total_and(2), OF_TYPED.total(), PAIR.twice(1)
    return (
        x + PAIR.total,
        parts,
        PAIR == (1, 2),
        operator.add(PAIR, (3,)),
        PAIR._fields,
        isinstance(FURTHER, Pair),
        PAIR,
        OPEN,
    )


def with_others(x):
    a, b = Adding(1, 2), Making(3)
    return x + 1, operator.add(a, (1,)), b, Hiding(1, 2).a, Hiding(1, 2).total, b.total


@pytest.mark.parametrize("function", [made, found])
def test_each_is_one_graph(function):
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(function, backend="eager", listener=log.append)
    for x in (torch.arange(3.0), torch.ones(3)):
        ours, theirs = compiled(x), function(x)
        assert repr(ours) == repr(theirs)
        assert [type(part) for part in ours] == [type(part) for part in theirs]
    assert [event["break_reason"] for event in log] == [None]


def test_what_is_no_plain_record_is_left_to_python():
    x = torch.ones(3)
    assert repr(_capture.optimize(with_others, backend="eager")(x)) == repr(with_others(x))


def test_an_attribute_of_an_object_comes_before_a_method():
    def asks(x, pair):
        return x + 1, pair.total(), pair

    compiled = _capture.optimize(asks, backend="eager")
    x, other = torch.ones(3), Open(1, 2)
    other.total = lambda: 100  # type: ignore[method-assign]
    for pair in (Open(1, 2), other, Open(3, 4), other):
        ours, theirs = compiled(x, pair), asks(x, pair)
        assert repr(ours) == repr(theirs)
        assert ours[2] is pair


class Thing:
    """Something to refer to."""

    def __init__(self, a: Any) -> None:
        self.a = a


def test_weak_references_are_followed():
    def asks(x, reference):
        thing = reference()
        return x * (0 if thing is None else thing.a), thing

    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(asks, backend="eager", listener=log.append)
    x, one, other = torch.ones(3), Thing(2), Thing(torch.full((3,), 3.0))
    references = [weakref.ref(one), weakref.ref(other), weakref.ref(one)]
    for reference in references:
        ours, theirs = compiled(x, reference), asks(x, reference)
        assert repr(ours[0]) == repr(theirs[0])
        assert ours[1] is theirs[1]
    del one, ours, theirs
    gc.collect()
    assert compiled(x, references[0])[1] is None
    assert {event["break_reason"] for event in log} == {None}


def test_a_thing_that_the_program_lets_go_is_gone():
    def drops(x, holder, reference):
        holder.a = None
        return x + 1, reference() is None

    compiled = _capture.optimize(drops, backend="eager")
    for _ in range(2):
        holder = Thing(Thing(1))
        assert compiled(torch.ones(3), holder, weakref.ref(holder.a))[1] is True
