"""Classes of the program's that are subscripted: those from `typing.Generic`, and those with a way of their own."""

# mypy: disable-error-code="assignment, method-assign, misc, operator, valid-type"
from __future__ import annotations

import typing
from typing import Any

import pytest
import torch

from pybind.tests.dynamo.counted import check_one_graph
from rust_inductor import _capture

T = typing.TypeVar("T")
K = typing.TypeVar("K")


class Box(typing.Generic[T]):
    """Objects with a dict."""

    def __init__(self, value: T) -> None:
        self.value = value


class Slotted(typing.Generic[T, K]):
    """Objects without one."""

    __slots__ = ("value",)

    def __init__(self, value: T) -> None:
        self.value = value


class Still(Box[T]):
    """It takes a parameter still."""


class Bound(Box[int]):
    """It takes none."""


class Own:
    """A way of its own."""

    def __class_getitem__(cls, key: Any) -> Any:
        return cls.__name__, key


class Derived(Own):
    """The way of its base."""


class Meta(type):
    """A way of the metaclass."""

    def __getitem__(cls, key: Any) -> Any:
        return "meta", key


class Both(Own, metaclass=Meta):
    """The metaclass's comes first."""


class Noting(typing.Generic[T]):
    """It looks at what is written."""

    def __init__(self) -> None:
        self.written: list[str] = []

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)
        if name != "written":
            self.written.append(name)


def of_generics(x):
    made = Box[int](x), Slotted[int, str](x), Still[torch.Tensor](x), Bound(x), Box["Box"](x), Box[list[int]](x)
    types = [type(thing).__name__ for thing in made]
    return [thing.value + 1 for thing in made], types, isinstance(made[0], Box), Box[T], Box[int], Slotted[T, int]


def of_own(x):
    return x + 1, Own[3], Own["a", 1], Derived[None], Derived[x.shape[0]]


@pytest.mark.parametrize("function", [of_generics, of_own])
def test_each_is_one_graph(function):
    check_one_graph(function)


def test_an_object_knows_what_it_was_made_by():
    def makes(x):
        return Box[int](x + 1), Slotted[int, str](x), Box(x)

    log: list[dict[str, Any]] = []
    boxed, slotted, plain = _capture.optimize(makes, backend="eager", listener=log.append)(torch.ones(3))
    assert boxed.__orig_class__ == Box[int]
    assert list(vars(boxed)) == ["value", "__orig_class__"]
    assert not hasattr(slotted, "__orig_class__")
    assert not hasattr(plain, "__orig_class__")
    assert [event["break_reason"] for event in log] == [None]


def wrong(x):
    texts = []
    for subscript in (lambda: Box[int, str], lambda: Bound[int], lambda: int[3], lambda: Slotted[int]):
        try:
            subscript()
        except TypeError as error:
            texts.append(str(error))
    return x + 1, texts


def by_metaclass(x):
    return x + 1, Both[1]


def that_note(x):
    made = Noting[int]()
    return x + 1, made.written


@pytest.mark.parametrize("function", [wrong, by_metaclass, that_note])
def test_others_are_as_in_plain_python(function):
    x = torch.ones(3)
    assert repr(_capture.optimize(function, backend="eager")(x)) == repr(function(x))


def test_a_way_that_changes_is_asked_anew():
    class Changing:
        def __class_getitem__(cls, key):
            return "before", key

    def asks(x):
        return x + 1, Changing[1]

    compiled, x = _capture.optimize(asks, backend="eager"), torch.ones(3)
    assert compiled(x)[1] == ("before", 1)
    Changing.__class_getitem__ = classmethod(lambda cls, key: ("after", key))
    assert compiled(x)[1] == ("after", 1)
