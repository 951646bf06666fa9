"""Classes that change between calls: what compiled code has assumed of them is noticed to be gone."""

# Classes are given methods that their types know nothing of.
# mypy: disable-error-code="attr-defined, method-assign, assignment, misc, type-arg"

from __future__ import annotations

import collections
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch

import rust_inductor

X = torch.arange(4.0) + 1

#: A function, and changes after each of which it is called again.
Case = tuple[Callable[[torch.Tensor], Any], list[Callable[[], object]]]

CASES: list[Callable[[], Case]] = []


def case(make: Callable[[], Case]) -> Callable[[], Case]:
    CASES.append(make)
    return make


def given(owner: Any, name: str, value: Any) -> Callable[[], None]:
    return lambda: setattr(owner, name, value)


def taken(owner: Any, name: str) -> Callable[[], None]:
    return lambda: delattr(owner, name)


#: torch's own classes that change here, as they were.
KEPT = [(owner, dict(vars(owner))) for owner in (torch.nn.Module, torch.Tensor, torch.nn.Parameter)]


def restore() -> None:
    for owner, kept in KEPT:
        for name in vars(owner).keys() - kept.keys():
            delattr(owner, name)
        for name, value in kept.items():
            if vars(owner)[name] is not value:
                setattr(owner, name, value)


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    yield
    restore()


@case
def descriptor_that_sets() -> Case:
    class Five:
        def __get__(self, instance: Any, owner: Any) -> int:
            return 5

    class Derived(Five):
        pass

    class A:
        v = Derived()

    a = A()
    vars(a)["v"] = 2
    return lambda x: x * a.v, [
        given(Derived, "__set__", lambda *_: None),
        taken(Derived, "__set__"),
        given(Five, "__delete__", lambda *_: None),
    ]


@case
def descriptor_that_sets_no_more() -> Case:
    class Five:
        def __get__(self, instance: Any, owner: Any) -> int:
            return 5

        def __set__(self, instance: Any, value: int) -> None:
            pass

    class A:
        v = Five()

    a = A()
    vars(a)["v"] = 2
    return lambda x: x * a.v, [taken(Five, "__set__")]


@case
def made_object() -> Case:
    class A:
        def __init__(self) -> None:
            self.v = 2

    def f(x: torch.Tensor) -> torch.Tensor:
        return x * A().v

    return f, [
        given(A, "v", property(lambda self: 3, lambda self, v: None)),
        taken(A, "v"),
        given(A, "__getattribute__", lambda self, name: 7),
        taken(A, "__getattribute__"),
        given(A, "__setattr__", lambda self, name, v: object.__setattr__(self, name, v * 10)),
    ]


@case
def dict_of_a_class() -> Case:
    class Table(dict):
        pass

    table = Table(a=1)

    def f(x: torch.Tensor) -> Any:
        made = Table(a=2)
        return (
            x * table["a"],
            x * table.get("a", 0),
            x * made.get("a", 0),
            len(list(made.items())),
            list(table.values()),
        )

    return f, [
        given(Table, "get", lambda self, key, default: 70),
        given(Table, "__getitem__", lambda self, key: 7),
        given(Table, "items", lambda self: []),
        given(Table, "values", lambda self: [3]),
    ]


@case
def ordered_dict_of_a_class() -> Case:
    class Table(collections.OrderedDict):
        pass

    table = Table(a=1, b=2)
    return lambda x: (x * table.get("b", 0), list(table.values())), [
        given(Table, "values", lambda self: [9]),
        given(Table, "get", lambda self, key, default: 10),
    ]


@case
def number_and_text_of_a_class() -> Case:
    class Number(int):
        pass

    class Text(str):
        __slots__ = ()

    number, text = Number(3), Text("abc")
    return lambda x: (x * number.bit_length(), x * len(text.upper())), [
        given(Number, "bit_length", lambda self: 100),
        given(Text, "upper", lambda self: "zz"),
    ]


@case
def operator_of_a_derived_class() -> Case:
    class A:
        def __add__(self, other: Any) -> int:
            return 5

    class B(A):
        pass

    a, b = A(), B()
    return lambda x: (x * (a + b), x * (b + a)), [given(B, "__radd__", lambda self, other: 50)]


class Doubled(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(4) * 2)
        self.calls = 0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.calls = self.calls + 1
        return x * self.weight + self.calls


@case
def named_tuple() -> Case:
    class Pair(collections.namedtuple("Pair", "a b")):
        pass

    pair = Pair(1, 2)

    def f(x: torch.Tensor) -> Any:
        made = Pair(3, 4)
        return x * pair.a, x * pair[1], x * len(pair), x * pair._replace(a=4).a, x * sum(pair), x * made.a, x * made[1]

    return f, [
        given(Pair, "a", property(lambda self: 30)),
        given(Pair, "__getitem__", lambda self, at: 40),
        taken(Pair, "a"),
        given(Pair, "_replace", lambda self, **_: Pair(8, 9)),
        given(Pair, "__iter__", lambda self: iter([5])),
        given(Pair, "__new__", lambda cls, a, b: tuple.__new__(cls, (b, a))),
    ]


@case
def module() -> Case:
    class Own(Doubled):
        pass

    layer = Own()

    def weight_or(self: Any, name: str) -> Any:
        return 3 if name == "weight" else Doubled.__getattr__(self, name)

    def written(self: Any, name: str, value: Any) -> None:
        object.__setattr__(self, name, value * 10)

    def looked_up(self: Any, name: str) -> Any:
        return (lambda x: x * 50) if name == "forward" else object.__getattribute__(self, name)

    return lambda x: layer(x), [
        given(Own, "__getattr__", weight_or),
        taken(Own, "__getattr__"),
        given(Own, "_call_impl", lambda self, x: x * 7),
        taken(Own, "_call_impl"),
        given(Own, "__setattr__", written),
        taken(Own, "__setattr__"),
        given(Own, "__getattribute__", looked_up),
        taken(Own, "__getattribute__"),
        given(Own, "__call__", lambda self, x: x * 3),
    ]


@case
def module_within() -> Case:
    class Own(Doubled):
        pass

    layers = torch.nn.Sequential(Own(), Own())
    return lambda x: layers(x), [given(Own, "__call__", lambda self, x: x * 3), taken(Own, "__call__")]


@case
def all_modules() -> Case:
    layer, call, implementation = Doubled(), torch.nn.Module.__call__, torch.nn.Module._call_impl
    return lambda x: layer(x), [
        given(torch.nn.Module, "__call__", lambda self, x: x * 3),
        given(torch.nn.Module, "__call__", call),
        given(torch.nn.Module, "_call_impl", lambda self, x: x * 5),
        given(torch.nn.Module, "_call_impl", implementation),
    ]


@case
def methods_of_tensors() -> Case:
    parameter, total = torch.nn.Parameter(X - 2), torch.Tensor.sum

    def f(x: torch.Tensor) -> Any:
        zoomed = x.zoom() if hasattr(x, "zoom") else x
        return x.sin(), x.sum(0), zoomed, parameter.abs(), x * 2, 3 - x, x < 2, -x, x[1], x @ x

    return f, [
        given(torch.Tensor, "sin", lambda self: self + 3),
        given(torch.Tensor, "sum", lambda self, *args: self + 7),
        given(torch.Tensor, "sum", total),
        given(torch.Tensor, "zoom", lambda self: self + 5),
        given(torch.Tensor, "zoom", lambda self: self + 6),
        taken(torch.Tensor, "zoom"),
        given(torch.nn.Parameter, "abs", lambda self: self + 3),
        taken(torch.nn.Parameter, "abs"),
        given(torch.Tensor, "__mul__", lambda self, other: self + 100),
        given(torch.Tensor, "__rsub__", lambda self, other: self + 200),
        given(torch.Tensor, "__lt__", lambda self, other: self + 300),
        given(torch.Tensor, "__neg__", lambda self: self + 400),
        given(torch.Tensor, "__getitem__", lambda self, at: self + 500),
        given(torch.Tensor, "__matmul__", lambda self, other: self + 600),
    ]


def after_changes(make: Callable[[], Case], compile: Callable[[Any], Any]) -> list[Any]:
    function, changes = make()
    called = compile(function)
    told = [called(X), called(X)]
    for change in changes:
        change()
        told += [called(X), called(X)]
    return told


@pytest.mark.parametrize("make", CASES, ids=lambda make: make.__name__)
def test_changes_are_noticed(make: Callable[[], Case]) -> None:
    expected = after_changes(make, lambda function: function)
    restore()
    got = after_changes(make, rust_inductor.compile)
    torch.testing.assert_close(got, expected)
