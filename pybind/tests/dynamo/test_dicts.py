"""Dicts of the caller's: what is guarded of them is what the function has read, as torch has it."""

from __future__ import annotations

import collections
import copy
import dataclasses
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch._dynamo.testing import CompileCounter

from rust_inductor import _capture

X = torch.ones(3)


@dataclasses.dataclass(frozen=True)
class Row:
    """A function, what it is called with in turn, and which of these calls are traced."""

    function: Callable[..., Any]
    calls: tuple[Any, ...]
    traced: str
    #: The calls that torch traces, where they are others.
    torch: str | None = None


ROWS: list[Row] = []


def row(traced: str, *calls: Any, torch: str | None = None) -> Callable[..., Callable[..., Any]]:
    """Take a function among the rows; of its calls, `+` are traced and `.` are not."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        assert len(calls) == len(traced) == len(torch or traced)
        ROWS.append(Row(function, calls, traced, torch))
        return function

    return add


@row("+..+.", {"a": 2.0}, {"a": 2.0, "b": 1.0}, {"c": 1.0, "a": 2.0}, {"a": 3.0}, {"a": 3.0, "z": [1]})
def item(x, d):
    return x * d["a"]


@row("+.+.", {"a": X}, {"b": X, "a": X + 1}, {"a": torch.ones(4, 3)}, {"a": torch.ones(4, 3), "b": None})
def tensor(x, d):
    return x * d["a"]


@row("+.+..", {"a": 1.0}, {"c": 1.0}, {"b": 1.0}, {"b": 2.0, "a": 1.0}, {})
def has(x, d):
    return x + 1 if "b" in d else x - 1


@row("+.+.+.", {"a": 1.0}, {"c": 1.0}, {"b": 1.0}, {"b": 1.0, "c": 3.0}, {"b": 2.0}, {"x": 1.0})
def get(x, d):
    return x * d.get("b", 7.0)


@row("+.+.", {}, {"a": 1.0}, {"b": None}, {"b": None, "c": 1})
def get_none(x, d):
    return x + 1 if d.get("b") is None and "b" not in d else x - 1


# torch takes the third call for one like the first.
@row("+.+.", {}, {"a": 1.0}, {"b": 2.0}, {"b": 2.0, "c": 1.0}, torch="+...")
def handled(x, d):
    try:
        return x * d["b"]
    except KeyError:
        return x - 1


@row("+++.", {"a": 2.0}, {"a": 2.0, "b": 1.0}, {"b": 1.0, "a": 2.0}, {"b": 1.0, "a": 2.0})
def in_order(x, d):
    for value in d.values():
        x = x * value - 1
    return x


@row("++.", {"a": 2.0}, {"a": 2.0, "b": 1.0}, {"a": 2.0})
def length(x, d):
    return x * len(d) * d["a"]


@row("++.", {"a": 2.0}, {}, {"a": 2.0})
def truth(x, d):
    return x + 1 if d else x - 1


@row("++.", {"a": 2.0}, {"a": 2.0, "b": 1.0}, {"a": 2.0})
def names(x, d):
    return x * d["a"], list(d), "b" in d.keys()  # noqa: SIM118


@row("++..+", {"a": 2.0}, {"a": 2.0, "b": 1.0}, {"a": 2.0, "b": 1.0}, {"a": 2.0}, {"a": 3.0})
def equal(x, d):
    return x + 1 if d == {"a": 2.0} else x - 1


@row("+++.", {"a": [1.0], "b": 2}, {"b": 2, "a": [2.0]}, {"c": 2, "a": [1.0]}, {"a": [1.0], "b": 2})
def equal_parts(x, d):
    other = {"b": 2, "a": [1.0]}
    return x + 1, d == other, d != other, other == d, d == [1], d in [other], {"d": d} == {"d": other}


@row("+++.", {"a": 2.0}, {"a": 2.0, "b": 1.0}, {"a": 2.0, "b": 1.0, "c": 1.0}, {"a": 2.0})
def changed(x, d):
    y = x * d["a"]
    d["c"] = 5.0
    return y, "b" in d


# What is written anew has all keys: torch writes the one.
@row("+++.", {"a": 2.0}, {"a": 2.0, "b": 1.0}, {"b": 1.0, "a": 2.0}, {"a": 2.0}, torch="++..")
def changed_first(x, d):
    d["a"] += 1.0
    return x * d["a"], d.get("b", 1.0)


@row("+++.", {"a": 2.0}, {"a": 2.0, "b": 1.0}, {"b": 1.0}, {"a": 2.0}, torch="+.+.")
def taken(x, d):
    return x * d.pop("a", 3.0)


@row("++.", {"a": 2.0}, {"a": 2.0, "b": 1.0}, {"a": 2.0})
def spread(x, d):
    return item(x, {**d}) * dict(d)["a"]


@row("+..+", {"a": {"b": 2.0}}, {"a": {"b": 2.0, "c": 1.0}}, {"c": {}, "a": {"b": 2.0}}, {"a": {"b": 3.0}})
def nested(x, d):
    return x * d["a"]["b"]


@row("+.+", [{"a": 2.0}, {"b": 1.0}], [{"a": 2.0, "c": 1.0}, {"b": 1.0}], [{"b": 2.0}, {"a": 2.0}])
def within_list(x, d):
    return x * d[0].get("a", 1.0) + d[1].get("a", 5.0)


@row("+..+", {1: 2.0}, {True: 2.0}, {1.0: 2.0, 3: 1.0}, {1: 3.0})
def numbers(x, d):
    return x * d[1]


@row("+.++", {None: 2.0, b"k": 1.0}, {None: 2.0, b"k": 1.0, "x": 1.0}, {None: 2.0}, {b"k": 2.0})
def other_keys(x, d):
    return x * d.get(None, 0.0) + d.get(b"k", 9.0)


# torch goes on without the key that nobody uses.
@row("+.+", {"a": 2.0, "b": 1}, {"a": 2.0, "b": 1, "c": 2}, {"b": 1}, torch="+..")
def unused_value(x, d):
    d["a"]
    return x + 1


@row("+.+", {"a": object(), "b": 1.0}, {"a": object(), "b": 1.0, "c": 2}, {"b": 1.0}, torch="+..")
def passed_on(x, d):
    kept = d["a"]
    print("Hi")
    return x + 1, kept is None


@row("+..", {"a": 2.0}, {"a": 2.0, "b": 1.0}, {"z": 1.0, "a": 2.0})
def given_back(x, d):
    return x * d["a"], d, isinstance(d, dict), type(d) is dict


@row("+..", {"a": 2.0}, {"a": 2.0, "b": 1.0}, {"z": 1.0, "a": 2.0})
def held(x, d):
    kept = [d]
    y = x * kept[0]["a"]
    print(len(kept))
    return y, kept


@row("++.", {"a": 2.0}, {"a": 2.0, "b": 1.0}, {"a": 2.0, "b": 1.0})
def after_a_break(x, d):
    y = x * d["a"]
    print("Ho")
    return y + len(d)


@row("+.+.", {"a": 2.0}, {"a": 2.0, "c": 1.0}, {"a": 2.0, "b": 1.0}, {"a": 2.0, "b": 1.0, "c": 1.0})
def inlined(x, d):
    def within(**kwargs):
        return kwargs["d"].get("b", 1.0)

    return x * d["a"] * within(d=d)


@row("+.+", {"op": "add", "a": 2.0}, {"op": "add", "a": 2.0, "b": 0}, {"op": "mul", "a": 2.0})
def matched(x, d):
    match d["op"]:
        case "add":
            return x + d["a"]
        case _:
            return x * d["a"]


class Missing(dict):
    def __missing__(self, key):
        return 4.0


# A subclass is looked up like a dict; for a missing key its `__missing__` is traced, under a
# guard that the key is not there.


@row(
    "+..+..",
    Missing(a=2.0),
    Missing(a=2.0, b=1.0),
    Missing(a=2.0),
    Missing(b=2.0),
    Missing(),
    Missing(a=2.0),
    torch="++.++.",
)
def subclass(x, d):
    return x * d["a"]


@row(
    "+++",
    collections.OrderedDict(a=2.0),
    collections.OrderedDict(b=1.0, a=2.0),
    collections.OrderedDict(a=4.0),
)
def ordered(x, d):
    return x * d["a"], len(d)


@row(
    "+++",
    {"a": [2.0]},
    collections.defaultdict(list, a=[2.0]),
    collections.defaultdict(list, a=[3.0], b=[1]),
    torch="...",
)
def default(x, d):
    d["b"] = [*d["a"], 1.0]
    return x * d["a"][0], d["c"]


def outcome(function: Callable[..., Any], argument: Any) -> Any:
    """The result of a call or the class of its exception, and what it leaves."""
    given = copy.deepcopy(argument)
    try:
        result = function(X, given)
    except Exception as error:
        result = type(error)
    return text_of(result), text_of(given)


def text_of(value: Any) -> str:
    return repr(value).split(" object at ")[0]


@pytest.mark.parametrize("row", ROWS, ids=[row.function.__name__ for row in ROWS])
def test_what_is_guarded_is_what_was_read(row):
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(row.function, backend="eager", listener=log.append)
    traced = ""
    for argument in row.calls:
        before = len(log)
        assert outcome(compiled, argument) == outcome(row.function, argument)
        traced += "+" if len(log) > before else "."
    assert traced == row.traced


@pytest.mark.parametrize("row", ROWS, ids=[row.function.__name__ for row in ROWS])
def test_torch_traces_the_same_calls(row):
    torch._dynamo.reset()
    counter = CompileCounter()
    compiled = torch.compile(row.function, backend=counter)
    traced = ""
    for argument in row.calls:
        before = counter.frame_count
        outcome(compiled, argument)
        traced += "+" if counter.frame_count > before else "."
    assert traced == (row.torch or row.traced)


def test_the_guards_are_torchs():
    """Of a dict whose key is looked up, whose key is not there, and of all of whose keys something was asked."""

    def guards(function: Callable[..., Any]) -> list[str]:
        log: list[dict[str, Any]] = []
        _capture.optimize(function, backend="eager", listener=log.append)(X, {"a": 2.0, "z": 1})
        return [text for text in log[0]["guards"] if "L['d']" in text and "type" not in text]

    assert guards(item) == ["L['d']['a'] == 2.0"]
    assert guards(get) == ["not ___dict_contains('b', L['d'])"]
    assert guards(has) == ["not ___dict_contains('b', L['d'])"]
    assert guards(unused_value) == ["___dict_contains('a', L['d'])"]
    assert guards(length) == ["list(dict.keys(L['d'])) == ['a', 'z']", "L['d']['a'] == 2.0"]
