"""`match` with patterns of classes: what is taken for which, and how the parts are found."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch

from rust_inductor import _capture

X = torch.ones(2)


class Plain:
    """Names its parts."""

    __match_args__ = ("a", "b")

    def __init__(self, a: Any, b: Any) -> None:
        self.a, self.b = a, b


class Heir(Plain):
    """Inherits the names."""


class Partial:
    """Names a part that it does not have."""

    __match_args__ = ("a", "b")

    def __init__(self, a: Any) -> None:
        self.a = a


class Bare:
    """Names nothing."""


@dataclasses.dataclass
class Node:
    """Names its fields."""

    a: int
    b: Any = None


class Items(Sequence[Any]):
    """Is taken for a sequence."""

    def __init__(self, *items: Any) -> None:
        self.items = items

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, at: Any) -> Any:
        return self.items[at]


def matched(x: Any, subject: Any) -> Any:
    match subject:
        case {"a": a}:
            return x * a, "mapping"
        case [a, b]:
            return x * a + b, "sequence"
        case Plain(1, b):
            return x + b, "by place"
        case Plain(a, b=2):
            return x - a, "by place and name"
        case Partial(a, b):  # type: ignore[misc]
            return x * b, "never"
        case Partial(a):
            return x + a, "one part"
        case Node(a, Node(c)):
            return x * a * c, "nested"
        case Node(a=a) if a > 2:
            return x * a, "by name"
        case Bare():
            return x * 2, "no part"
    return x * 3, "nothing"


SUBJECTS: list[Callable[[], Any]] = [
    lambda: Plain(1, 4),
    lambda: Plain(3, 2),
    lambda: Plain(4, 4),
    lambda: Heir(1, 5),
    lambda: Partial(3),
    lambda: Node(3),
    lambda: Node(2),
    lambda: Node(3, Node(4)),
    Bare,
    lambda: collections.OrderedDict(a=2),
    lambda: Items(1, 2),
]


@pytest.mark.parametrize("make", SUBJECTS)
def test_same_as_python(make: Callable[[], Any]) -> None:
    compiled = _capture.optimize(matched, "eager", fullgraph=not isinstance(make(), Items))
    for _ in range(2):
        (found, kind), (expected, expected_kind) = compiled(X, make()), matched(X, make())
        assert kind == expected_kind
        assert torch.equal(found, expected)


def test_a_part_of_what_the_program_has_made() -> None:
    def unpacks(x: Any) -> Any:
        match Plain(1, x):
            case Plain(1, found):
                return found + 1
        return x

    assert torch.equal(_capture.optimize(unpacks, "eager", fullgraph=True)(X), X + 1)


def more_than_are_named(x: Any, subject: Any) -> Any:
    match subject:
        case Plain(_a, _b, _c):  # type: ignore[misc]
            return x
    return x + 1


def one_twice(x: Any, subject: Any) -> Any:
    match subject:
        case Plain(_a, a=_b):  # type: ignore[misc]
            return x
    return x + 1


@pytest.mark.parametrize("function", [more_than_are_named, one_twice])
def test_patterns_that_python_refuses(function: Any) -> None:
    for run in (function, _capture.optimize(function, "eager")):
        with pytest.raises(TypeError, match="Plain"):
            run(X, Plain(1, 2))


def test_the_names_may_change(monkeypatch: pytest.MonkeyPatch) -> None:
    def first(x: Any, subject: Any) -> Any:
        match subject:
            case Plain(found):
                return x * found
        return x

    compiled = _capture.optimize(first, "eager")
    assert torch.equal(compiled(X, Plain(2, 3)), X * 2)
    monkeypatch.setattr(Plain, "__match_args__", ("b", "a"))
    assert torch.equal(compiled(X, Plain(2, 3)), X * 3)
