"""Classes of named tuples that a function makes: another one in each call, as in Python."""

from __future__ import annotations

import collections
import sys
from typing import Any

import pytest
import torch

import rust_inductor
from rust_inductor import _capture

X = torch.tensor([1.0, -2.0])
BACKENDS = ["eager", "rust_inductor"]


def made(x):
    pair = collections.namedtuple("pair", ["first", "second"], module="somewhere")
    return pair, pair(x + 1, second=2), pair._fields, pair.__name__, pair.__module__


def with_defaults(x):
    triple = collections.namedtuple("triple", "a b def", rename=True, defaults=(3, "c"), module="m")
    found = triple(x * 2)
    return found._asdict(), found._replace(b=4), triple._make([1, x, 3]), isinstance(found, triple), found._2


def across_a_break(x):
    pair = collections.namedtuple("pair", "a b", module="m")
    before = pair(x + 1, 2)
    rust_inductor.graph_break()
    after = pair(before.a * 2, before.b)
    return type(before) is pair, type(before) is type(after), after, {pair: 1}[type(before)]


def two_of_them(x):
    one, two = (collections.namedtuple("pair", "a", module="m") for _ in range(2))
    return one is two, one(x) == two(x), type(one(x)) is type(two(x)), isinstance(one(x), two)


def of_wrong_names(x):
    return x + 1, collections.namedtuple("pair", "a a", module="m")


def shown(found: Any) -> str:
    """Without the addresses of classes."""
    return repr(found)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("function", [made, with_defaults, across_a_break, two_of_them])
def test_they_are_what_they_are_in_python(function: Any, backend: str) -> None:
    compiled = _capture.optimize(function, backend, fullgraph=function is not across_a_break)
    for _ in range(2):
        assert shown(compiled(X)) == shown(function(X))


def test_each_call_makes_another_one() -> None:
    compiled = _capture.optimize(made, "eager", fullgraph=True)
    (first, one, *_), (second, two, *_) = compiled(X), compiled(X)
    assert first is not second
    assert type(one) is first
    assert type(two) is second


def test_names_are_checked() -> None:
    compiled = _capture.optimize(of_wrong_names, "eager")
    with pytest.raises(ValueError, match="duplicate field name"):
        compiled(X)


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="from 3.12 on the function's own module counts")
def test_the_module_is_the_callers() -> None:
    def function(x: torch.Tensor) -> Any:
        return collections.namedtuple("pair", "a")(x + 1)

    compiled = _capture.optimize(function, "eager", fullgraph=True)
    assert type(compiled(X)).__module__ == type(function(X)).__module__ == __name__
