"""Dicts that change while somebody iterates over them: values are those at the time, keys where CPython has them."""

from __future__ import annotations

import collections
import random
from collections.abc import Callable
from typing import Any

import pytest
import torch

from rust_inductor import _capture

X = torch.arange(4.0)


class Thing:
    """Has attributes."""

    def __init__(self) -> None:
        self.a, self.b, self.c = 1, 2, 3


def plain() -> dict[str, Any]:
    return {"a": 1, "b": 2, "c": 3}


def ordered() -> collections.OrderedDict[str, Any]:
    return collections.OrderedDict(plain())


def each(items: Any, change: Callable[[str], Any]) -> Any:
    """The items, and the error, of an iteration during which something changes after each item."""
    found = []
    try:
        for item in items:
            found.append(item)
            change(item if isinstance(item, str) else "")
    except RuntimeError as error:
        found.append(str(error))
    return found


def changes(d: Any) -> Callable[[str], Any]:
    return lambda _: d.update(c=10)


def values(x: Any) -> Any:
    d = plain()
    later = iter(d.items())
    first = next(later)
    d["b"] = x + 1
    return x, each(d.values(), changes(d)), each(reversed(d.values()), changes(d)), first, [*later]


def items(x: Any) -> Any:
    d, e = plain(), ordered()
    return x, each(d.items(), changes(d)), each(e.items(), changes(e)), each(e, lambda key: e.update({key: 0})), e


def keys(x: Any, make: Any, at: str, gone: str, new: str) -> Any:
    d = make()
    found: list[Any] = []
    try:
        for key in d:
            found.append(key)
            if key == at:
                if gone:
                    del d[gone]
                d[new] = 9
    except RuntimeError as error:
        found.append(str(error))
    return x + 1, found


def keys_backwards(x: Any, make: Any, at: str, gone: str, new: str) -> Any:
    d = make()
    found: list[Any] = []
    for key in reversed(d):
        found.append(key)
        if key == at:
            del d[gone]
            d[new] = 9
    return x + 1, found


def emptied(x: Any) -> Any:
    d: dict[str, Any] = {"a": x, "b": x * 2}
    while d:
        x = x + d.pop(next(iter(d)))
    return x


def attributes(x: Any) -> Any:
    made, view = Thing(), Thing()
    shown = view.__dict__.items()
    view.b = 7
    for name, value in made.__dict__.items():
        setattr(made, name, value + 1)
        made.c = 50
    found = each(vars(view), lambda name: setattr(view, "z", 1) if name == "b" else None)
    del view.a
    return x + 1, vars(made), [*shown], found


def attributes_of_the_callers(x: Any, thing: Any = None) -> Any:
    shown = thing.__dict__.values()
    for name, value in vars(thing).items():
        setattr(thing, name, value + 1)
    return x * thing.a, [*shown], each(vars(thing), lambda name: delattr(thing, "b") if name == "c" else None)


@pytest.mark.parametrize("program", [values, items, emptied, attributes])
def test_what_changes_is_seen_as_without(program: Callable[[Any], Any]) -> None:
    assert repr(_capture.optimize(program, backend="eager")(X)) == repr(program(X))


def test_attributes_of_an_object_of_the_callers() -> None:
    compiled = _capture.optimize(attributes_of_the_callers, backend="eager")
    for _ in range(2):
        ours, theirs = Thing(), Thing()
        assert repr(compiled(X, ours)) == repr(attributes_of_the_callers(X, theirs))
        assert vars(ours) == vars(theirs)


@pytest.mark.parametrize("make", [plain, ordered])
@pytest.mark.parametrize(
    ("at", "gone", "new"),
    [("a", "b", "z"), ("b", "a", "a"), ("b", "c", "c"), ("c", "a", "z"), ("a", "", "z"), ("c", "", "z")],
)
def test_keys_that_change_are_seen_as_without(make: Any, at: str, gone: str, new: str) -> None:
    for program in (keys, keys_backwards) if gone and make is plain else (keys,):
        compiled = _capture.optimize(program, backend="eager")
        assert repr(compiled(X, make, at, gone, new)) == repr(program(X, make, at, gone, new))


def changed_under_way(x: Any, d: Any, changes: Any) -> Any:
    for key, value in changes:
        if value is None:
            del d[key]
        else:
            d[key] = value
    return x + 1


@pytest.mark.parametrize("make", [plain, ordered, lambda: collections.defaultdict(int, plain())])
@pytest.mark.parametrize("seed", range(12))
def test_changes_of_the_callers_dicts_leave_the_rest_in_place(make: Any, seed: int) -> None:
    """A caller that iterates meanwhile, in code that runs as it is, goes on as without."""
    chosen = random.Random(seed)
    found = []
    for function in (changed_under_way, _capture.optimize(changed_under_way, backend="eager")):
        chosen.seed(seed)
        d = make()
        log: list[Any] = []
        backwards = make is plain and seed % 2
        try:
            for key in reversed(d) if backwards else d:
                gone, new = chosen.choice([*d]), chosen.choice("abcz")
                changes = [(gone, None), (new, 7)] if chosen.random() < 0.7 else [(gone, 5)]
                function(X, d, changes)
                log.append((key, changes, [*d.items()]))
                if len(log) > 6:
                    break
        except (RuntimeError, KeyError) as error:
            log.append(repr(error))
        found.append(log)
    assert found[0] == found[1]
