"""Dicts and sets of the caller's whose keys take no weak references: tuples, and objects with `__slots__`."""

from __future__ import annotations

import gc
from typing import Any

import pytest
import torch

from rust_inductor import _capture


class Slotted:
    """It takes no weak references, and is equal to itself only."""

    __slots__ = ("a",)

    def __init__(self, a):
        self.a = a


class Thing:
    """It takes weak references."""

    def __init__(self, a):
        self.a = a


class Pair(tuple[Any, ...]):
    """A tuple of a class of its own."""


class Number(int):
    """An integer of a class of its own."""


ONE, OTHER, THING = Slotted(1), Slotted(2), Thing(3)
KEYS = {
    "objects": [ONE, OTHER],
    "tuples": [(1, "a"), (2, "b")],
    "tuples of objects": [(THING, 1), (ONE, 2)],
    "nested": [((THING, (ONE, 2.5)), None), (1, (2, (3,)))],
    "own tuples": [Pair((1, 2)), (3, 4)],
    "own numbers": [Number(1), Number(2)],
    "mixed": ["name", (1, 2), ONE, 3, 2.5, b"b"],
}


def by_key(x, found, keys):
    for key in keys:
        x = x * found[key]
    return x + len(found)


def by_items(x, found, keys):
    for key, value in found.items():
        x = x * value + len({key: 1, 7: 2})
    return x


def in_set(x, found, keys):
    members = set(found)
    return x + len(members), [key in members for key in keys]


@pytest.mark.parametrize("function", [by_key, by_items, in_set])
@pytest.mark.parametrize("keys", KEYS.values(), ids=KEYS)
def test_the_second_call_hits(function, keys):
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(function, backend="eager", listener=log.append)
    found = {key: 2.0 + at for at, key in enumerate(keys)}
    for x in (torch.ones(3), torch.arange(3.0), torch.zeros(3)):
        assert repr(compiled(x, found, keys)) == repr(function(x, found, keys))
    assert [event["break_reason"] for event in log] == [None]


@pytest.mark.parametrize("keys", KEYS.values(), ids=KEYS)
def test_found_sets_hit(keys):
    def asks(x, found):
        return x + len(found), keys[0] in found, (5, 6) in found

    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(asks, backend="eager", listener=log.append)
    found = set(keys)
    for x in (torch.ones(3), torch.arange(3.0)):
        assert repr(compiled(x, found)) == repr(asks(x, found))
    assert sum(event["original"] is asks.__code__ for event in log) == 1


def test_other_keys_are_told_apart():
    def asks(x, found):
        key = next(iter(found))
        return x * found[key], key, type(key)

    compiled = _capture.optimize(asks, backend="eager")
    x = torch.ones(3)
    keys: list[Any] = [
        (1, THING),
        (1, Thing(3)),
        (True, THING),
        (1.0, THING),
        (1, THING, 2),
        Pair((1, THING)),
        (1, (THING,)),
    ]
    keys += [ONE, Slotted(1), OTHER, Number(1), Number(2), 1]
    for key in [*keys, *keys]:
        ours, theirs = compiled(x, {key: 2.0}), asks(x, {key: 2.0})
        assert repr(ours[0]) == repr(theirs[0])
        assert ours[1] is theirs[1]
        assert ours[2] is theirs[2]


def test_an_equal_tuple_is_the_callers():
    def asks(x, found):
        key = next(iter(found))
        return x * found[key], key

    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(asks, backend="eager", listener=log.append)
    x = torch.ones(3)
    for _ in range(3):
        key = (1, THING, "a" * 3)
        assert compiled(x, {key: 2.0})[1] is key
    assert len(log) == 1


def test_few_objects_are_kept_alive():
    class Counted(Slotted):
        __slots__ = ()
        alive = 0

        def __init__(self, a):
            super().__init__(a)
            Counted.alive += 1

        def __del__(self):
            Counted.alive -= 1

    def asks(x, found):
        return x + len(found), next(iter(found.values()))

    x = torch.ones(3)
    for _ in range(3):
        compiled = _capture.optimize(lambda x, found: asks(x, found), backend="eager")
        for _ in range(200):
            assert compiled(x, {Counted(1): 2.0})[1] == 2.0
    del compiled
    gc.collect()
    assert Counted.alive <= 256


def test_keys_with_a_finalizer_die_where_they_are_dropped():
    dropped: list[str] = []

    class Finalized:
        __slots__ = ()

        def __del__(self):
            dropped.append("dropped")

    def asks(x, found):
        return x * sum(found.values()), len(list(found))

    compiled = _capture.optimize(asks, backend="eager")
    found = {Finalized(): 2}
    for _ in range(2):
        assert repr(compiled(torch.ones(3), found)) == repr(asks(torch.ones(3), found))
    assert not dropped
    found.clear()
    assert dropped == ["dropped"]
