"""`functools.partial` and `partialmethod`: keyword arguments, attributes, across breaks and out of the function."""

from __future__ import annotations

import functools
import inspect
from typing import Any

import pytest
import torch
from torch import Tensor

from pybind.tests.dynamo.counted import check_one_graph
from rust_inductor import _capture


def total(a: int, b: int = 2, *rest: int, d: int = 3, **named: int) -> int:
    """Adds numbers."""
    return a + b + sum(rest) + d + sum(named.values())


class Adder:
    def add(self, a: int, b: int = 1) -> int:
        return a + b

    add_five = functools.partialmethod(add, b=5)


class Multiplier(Adder):
    def add(self, a: int, b: int = 1) -> int:
        return a * b


def methods(x: Tensor) -> Any:
    adder = Adder()
    bound: Any = adder.add_five
    return x + bound(1), bound.__self__ is adder, Multiplier().add_five(3), Adder.add_five(Adder(), 4)


def attributes(x: Tensor) -> Any:
    one = functools.partial(total, 1)
    one.tag = x + 1  # type: ignore[attr-defined]
    held = one.__dict__
    held["other"] = 2
    has = hasattr(one, "tag"), hasattr(one, "none"), getattr(one, "none", 7)
    return one.tag * 2, one.other, has, sorted(held), one(2)  # type: ignore[attr-defined]


def keywords(x: Tensor) -> Any:
    one = functools.partial(total, 1, d=4)
    given = one.keywords
    given["b"] = 10
    two = functools.partial(one, named=1)
    return x + one(), given is one.keywords, two.keywords, two(), one.args, one.func is total


def taken_over(x: Tensor) -> Any:
    plain, named = functools.partial(total, 1), functools.partial(total, 1)
    named.tag = 1  # type: ignore[attr-defined]
    looked_at = functools.partial(total, 1)
    looked_at.__dict__  # noqa: B018
    return x + 1, [functools.partial(one, 2).func is one for one in (plain, named, looked_at)]


def signatures(x: Tensor) -> Any:
    signature = inspect.signature(functools.partial(total, 1, d=5))
    return x + len(signature.parameters), str(signature), signature.parameters["d"].default


def updated(x: Tensor) -> Any:
    one = functools.update_wrapper(functools.partial(total, 1), total)
    return x + one(), one.__name__, one.__wrapped__ is total


PROGRAMS = [methods, attributes, keywords, taken_over, signatures]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda one: one.__name__)
def test_same_as_python(program: Any) -> None:
    check_one_graph(program)


def test_update_wrapper() -> None:
    assert repr(_capture.optimize(updated, "eager")(torch.ones(2))) == repr(updated(torch.ones(2)))


def test_rebuilt_behind_a_break() -> None:
    def program(x: Tensor) -> Any:
        one = functools.partial(total, 1, d=4)
        one.me, one.tag, given = one, x + 1, one.keywords  # type: ignore[attr-defined]
        bound: Any = Adder().add_five
        torch._dynamo.graph_break()
        given["b"] = 20
        both = one.me is one, one.tag * 2  # type: ignore[attr-defined]
        return both, one(), given is one.keywords, bound(1), bound.__self__.add(1), one.__dict__.keys()

    compiled = _capture.optimize(program, "eager")
    for _ in range(2):
        assert repr(compiled(torch.ones(2))) == repr(program(torch.ones(2)))


def test_returned() -> None:
    def program(x: Tensor) -> Any:
        one = functools.partial(total, 1)
        one.tag, one.keywords["d"] = x + 1, 9  # type: ignore[attr-defined]
        return one, one.keywords

    given, named = _capture.optimize(program, "eager")(torch.ones(2))
    assert (given(), given.func, given.args, given.keywords) == (12, total, (1,), {"d": 9})
    assert given.keywords is named and torch.equal(given.tag, torch.full((2,), 2.0))


def test_of_the_caller() -> None:
    one = functools.partial(total, 1)
    one.tag = 3  # type: ignore[attr-defined]
    log: list[Any] = []

    def program(x: Tensor) -> Any:
        return x + one.tag + one(), one.keywords  # type: ignore[attr-defined]

    compiled = _capture.optimize(program, "eager", listener=log.append)
    for tag in (3, 4, 4):
        one.tag = tag  # type: ignore[attr-defined]
        assert repr(compiled(torch.ones(2))) == repr(program(torch.ones(2)))
    assert not [it for it in log if it.get("break_reason")]
