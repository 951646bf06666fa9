"""Operators on the keys of dicts: what they give, and in which order, is what plain Python gives."""

from __future__ import annotations

import random
from typing import Any

import pytest
import torch

from rust_inductor import _capture

X = torch.arange(3.0)


def operators(x, table, other):
    keys = table.keys()
    found = keys & other, keys | other, keys - other, keys ^ other
    return x + 1, [list(each) for each in found], *found


def reflected(x, table, other):
    keys = table.keys()
    found = other & keys, other | keys, other - keys, other ^ keys
    return x + 1, [list(each) for each in found], *found


def of_two_dicts(x, table, other):
    found = table.keys() & other, table.keys() - other, table.keys() | other, set(table), set(table) | set(other)
    return x + 1, [list(each) for each in found], *found


def compared(x, table, other):
    keys = table.keys()
    same = keys == other, keys != other, keys <= other, keys < other, keys >= other, keys > other
    others = keys == [1], keys != (1,), keys == [1], keys == {}, keys is None or keys == "a"
    back = others, other == keys, other <= keys, other > keys, keys.isdisjoint(other), keys == keys, keys <= keys
    return x + 1, same, back


def changed(x, table, other):
    keys = table.keys()
    before = keys
    keys |= other
    other |= {"one more"}
    table["another"] = x
    return x + 1, sorted(keys, key=str), before, before & other, len(before - other)


def broken(x, table, other):
    found = table.keys() & other, table.keys() - other, other | table.keys()
    torch._dynamo.graph_break()
    return x + 1, *found, [list(each) for each in found]


def seen(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.tolist()
    if isinstance(value, list | tuple):
        return type(value), [seen(item) for item in value]
    if isinstance(value, set):
        return set, list(value)
    return repr(value)


def given(rng: random.Random, kind: str) -> tuple[dict[Any, Any], Any]:
    """A dict, and another operand: both are built again in the same way for the same numbers."""
    # Numbers that want the same places.
    every = [n * 8 for n in range(40)] + [n * 3 for n in range(20)] + ["one more", "b"]
    table = {key: 1 for key in rng.sample(every, rng.randrange(0, 12))}  # noqa: C420
    items = rng.sample(every, rng.randrange(0, 12))
    if kind == "set":
        made = set(rng.sample(every, 30))
        made.difference_update(set(made))
        made.update(items)
        return table, made
    makers: dict[str, Any] = {
        "list": list,
        "frozenset": frozenset,
        "keys": lambda items: dict.fromkeys(items).keys(),
        "dict": dict.fromkeys,
    }
    return table, makers[kind](items)


@pytest.mark.parametrize(
    ("function", "kind"),
    [
        (operators, "set"),
        (operators, "list"),
        (operators, "frozenset"),
        (reflected, "set"),
        (reflected, "frozenset"),
        (of_two_dicts, "dict"),
        (compared, "set"),
        (compared, "frozenset"),
        (changed, "set"),
        (broken, "set"),
    ],
)
def test_they_give_what_they_give_in_python(function, kind):
    log: list[dict[str, Any]] = []
    for seed in range(40):
        compiled = _capture.optimize(function, backend="eager", listener=log.append)
        for _ in range(2):
            (ours, other), (theirs, another) = (given(random.Random(seed), kind) for _ in range(2))
            assert seen(compiled(X, ours, other)) == seen(function(X, theirs, another))
            assert seen([list(ours), other]) == seen([list(theirs), another])
    if kind in ("list", "dict"):
        assert {event.get("break_reason") for event in log} == {None}


def both_are_keys(x, table, other):
    one, two = table.keys(), other.keys()
    found = one & two, two & one, one | two, one - two, two ^ one
    return x + 1, [list(each) for each in found], *found, one == two, one < two, one.isdisjoint(two), one == set(two)


def test_of_both_the_smaller_one_is_gone_through():
    log: list[dict[str, Any]] = []
    for seed in range(40):
        table, other = given(random.Random(seed), "dict")
        compiled = _capture.optimize(both_are_keys, backend="eager", listener=log.append)
        assert seen(compiled(X, table, other)) == seen(both_are_keys(X, table, other))
    assert {event.get("break_reason") for event in log} == {None}
