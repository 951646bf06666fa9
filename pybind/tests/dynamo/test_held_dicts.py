"""Objects of the caller's whose classes come from `dict`, `OrderedDict` or `list`, and that a program writes to."""

from __future__ import annotations

import collections
from typing import Any

import pytest
import torch

from rust_inductor import _capture


class Settings(dict):
    """Entries as attributes."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


class Doubling(dict):
    """Its own ways to write, which a replay must not take again."""

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, value * 2)

    def __delitem__(self, key: Any) -> None:
        super().__delitem__(key)
        super().__setitem__("gone", key)

    def __missing__(self, key: Any) -> Any:
        return ("missing", key)


class Ordered(collections.OrderedDict):
    """With a method."""

    def put(self, key: Any, value: Any) -> None:
        self[key] = value


class OrderedDoubling(collections.OrderedDict):
    """`OrderedDict` itself asks for this method."""

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, value * 2)


class Rows(list):
    """With a method."""

    def push(self, value: Any) -> Any:
        self.append(value)
        return self


def attributes(x, d):
    d.b = 3
    d.c = x * d.b
    return x + d.a, d["b"], d.b, list(d)


def items(x, d):
    d["b"] = 2
    d["a"] = x + 1
    del d["c"]
    return x + d["b"], len(d), list(d.items()), "c" in d, d.get("zz"), bool(d)


def methods(x, d):
    d.update(q=1, a=x)
    d.setdefault("r", 3)
    removed = d.pop("c"), d.pop("none", 5)
    return x + d["q"], removed, list(d.values())


def cleared(x, d):
    before = list(d)
    d.clear()
    d["z"] = x + 1
    return x + 1, before, d


def moved(x, d):
    d.put("e", x + 1)
    d.move_to_end("a")
    d.move_to_end("c", last=False)
    return x + 1, list(d)


def grown(x, d):
    d.push(x + 1).push(3)
    d[0] = 9
    d.extend([1, 2])
    d.insert(1, 5)
    return x + d[0], d[-1], len(d), d.pop(), list(d)


CASES = [
    (attributes, Settings),
    (items, Settings),
    (items, Doubling),
    (items, Ordered),
    (methods, Settings),
    (methods, Doubling),
    (methods, Ordered),
    (cleared, Settings),
    (cleared, Doubling),
    (cleared, Ordered),
    (moved, Ordered),
    (grown, Rows),
]


def made(cls: type) -> Any:
    return cls([1, 2]) if cls is Rows else cls({"a": 1, "c": 2})


@pytest.mark.parametrize(("function", "cls"), CASES)
def test_each_is_one_graph(function, cls):
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(function, backend="eager", listener=log.append)
    for x in (torch.arange(3.0), torch.ones(3)):
        ours, theirs = made(cls), made(cls)
        assert repr(compiled(x, ours)) == repr(function(x, theirs))
        assert repr(ours) == repr(theirs)
        assert type(ours) is cls
    assert [event["break_reason"] for event in log if event["original"] is function.__code__] == [None]


@pytest.mark.parametrize("cls", [Settings, Doubling, Ordered, OrderedDoubling])
def test_other_entries_are_noticed(cls):
    compiled = _capture.optimize(items, backend="eager")
    x = torch.ones(3)
    for change in ({}, {"a": 5}, {"b": 7}, {"new": x}, {}):
        ours, theirs = made(cls), made(cls)
        ours.update(change)
        theirs.update(change)
        assert repr(compiled(x, ours)) == repr(items(x, theirs))
        assert repr(ours) == repr(theirs)


def test_ordered_dicts_write_by_the_methods_of_their_class():
    def writes(x, found):
        made = OrderedDoubling(a=1)
        made.update(b=2)
        made.setdefault("c", 3)
        made["d"] = 4
        found.update(b=2)
        found.setdefault("c", 3)
        return x + 1, made, type(made.copy()), type(Ordered(a=1).copy()), type(Ordered(a=1) | {"b": 2})

    compiled = _capture.optimize(writes, backend="eager")
    x = torch.ones(3)
    ours, theirs = OrderedDoubling(a=1), OrderedDoubling(a=1)
    assert repr(compiled(x, ours)) == repr(writes(x, theirs))
    assert ours == theirs


def test_an_iterator_of_the_callers_sees_the_writes():
    def writes(x, d):
        d["a"] = x + 1
        return x + 1

    compiled = _capture.optimize(writes, backend="eager")
    x = torch.ones(3)
    for cls in (Settings, Ordered):
        ours = made(cls)
        over = iter(ours)
        assert next(over) == "a"
        compiled(x, ours)
        assert next(over) == "c"
        assert ours["a"].tolist() == [2.0, 2.0, 2.0]
