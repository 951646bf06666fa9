"""``types.SimpleNamespace``: objects of it that a function makes, changes, compares, prints and gives back."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import pytest
import torch

from pybind.tests.dynamo.counted import check_one_graph
from rust_inductor import _capture


class Settings(types.SimpleNamespace):
    scale = 3

    def scaled(self, x):
        return x * self.scale

    def __setattr__(self, name, value):
        super().__setattr__(name, (value, "set"))


class Counted(types.SimpleNamespace):
    def __init__(self, count, **rest):
        super().__init__(count=count + 1, **rest)

    def __repr__(self):
        return "counted " + super().__repr__()


CALLERS = types.SimpleNamespace(a=1, b=[2], c="d")


def made(x):
    n = types.SimpleNamespace(a=1, b=x)
    n.c = n.a + 1
    del n.a
    return n.b * n.c, n, hasattr(n, "a"), vars(n)["c"]


def with_a_dict(x):
    n = types.SimpleNamespace(a=1, self=2, x=x.sum())
    return x * n.a + n.self, n


def compared(x):
    n, m = types.SimpleNamespace(a=1, b=(2,)), types.SimpleNamespace(b=(2,), a=1)
    same = n == m, n != m, n is m
    m.a = 2
    return x, same, n == m, n != m, n == CALLERS, CALLERS == CALLERS


def printed(x):
    n = types.SimpleNamespace(a=1, b=[2, "c"], c={"d": None})
    m = types.SimpleNamespace(n=n, e=types.SimpleNamespace())
    return x + n.a, repr(n), str(m), f"{m}", f"{CALLERS!r}"


def shared(x):
    n = types.SimpleNamespace(x=x + 1)
    m = types.SimpleNamespace(first=n, second=n)
    m.second.y = 3
    return m, n


def of_a_subclass(x):
    n = Settings(a=1)
    n.b = 2
    return n.scaled(x), n.a, n.b, n == Settings(a=1), n


def with_its_own_init(x):
    n = Counted(1, x=2)
    return x * n.count + n.x, n, repr(n)


PROGRAMS = [made, with_a_dict, compared, printed, shared, of_a_subclass, with_its_own_init]


@pytest.mark.parametrize("function", PROGRAMS)
def test_each_is_one_graph(function: Callable[[torch.Tensor], Any]) -> None:
    check_one_graph(function)


class Renamed(types.SimpleNamespace):
    @property
    def a(self):
        return 5

    @a.setter
    def a(self, value):
        raise AssertionError


Renamed.__name__ = "Other"


def beside_a_property(x):
    n = Renamed(a=1, b=2)
    return x * n.a, vars(n)["a"], repr(n), n == Renamed(a=1, b=2)


def in_itself(x):
    n = types.SimpleNamespace(a=1)
    n.n = n
    return x, repr(n)


def beside_another(x):
    n = types.SimpleNamespace(a=1)
    return x, n == 1, n != None, n == {"a": 1}  # noqa: E711


def wrong(x):
    return types.SimpleNamespace(1)  # type: ignore[call-arg]


def with_a_tensor(x):
    return repr(types.SimpleNamespace(x=x))


def changed_after_a_break(x):
    n = types.SimpleNamespace(x=x + 1)
    torch._dynamo.graph_break()
    n.y = n.x * 2
    return n


@pytest.mark.parametrize(
    "function", [in_itself, beside_a_property, beside_another, wrong, with_a_tensor, changed_after_a_break]
)
def test_the_rest_does_what_plain_python_does(function: Callable[[torch.Tensor], Any]) -> None:
    def result(function: Callable[[torch.Tensor], Any]) -> str:
        try:
            return repr(function(torch.arange(3.0)))
        except TypeError as error:
            return repr(error)

    compiled = _capture.optimize(function, backend="eager")
    assert result(compiled) == result(compiled) == result(function)


def test_the_callers_is_guarded() -> None:
    def fn(x, n):
        return x * n.a, repr(n), n == types.SimpleNamespace(a=2)

    compiled = _capture.optimize(fn, backend="eager")
    x = torch.ones(2)
    for n in (types.SimpleNamespace(a=1), types.SimpleNamespace(a=2), types.SimpleNamespace(a=2, b=3)):
        assert repr(compiled(x, n)) == repr(fn(x, n))
    n = types.SimpleNamespace(a=1)
    for n.a in (1, 2, 1):
        assert repr(compiled(x, n)) == repr(fn(x, n))
