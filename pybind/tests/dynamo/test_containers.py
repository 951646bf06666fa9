"""Lists, tuples, dicts and sizes: operators, order, text, and containers that hold themselves."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from rust_inductor import _capture

X = torch.arange(12.0).reshape(3, 4)


def split(x, text):
    words = text.split()
    words.append("z")
    parts = [part.strip() for part in text.split(",", 1)]
    return (
        x + len(words),
        words,
        text.rsplit(None, 1),
        text.splitlines(),
        str.split(text, " "),
        text.encode().split(),
        parts,
    )


def merged(x, a, b):
    c = a | b
    d = dict(b)
    d |= a
    before = a
    a |= b
    return x + c["a"], c, d, {"z": x} | a, list(c), c is a, before is a


def ordered(x, a, b):
    found = [(1, 2) < (1, 3), (1, 2) < (1, 2), (1, 2) <= (1, 2), (1,) < (1, 0), [3] > [2, 5], [1, "a"] < [2, 3]]
    pairs = sorted([("b", 1), ("a", 2), ("a", 1)]), max([(1, x.shape[0]), (2, 1)]), sorted({"b": 1, "a": 2}.items())
    return x + 1, found, pairs, a < b, a >= b, min([[2, 1], [1, 9]]), sorted([(1.5, "q"), (0.5, "z")], reverse=True)


def sizes(x):
    s = x.shape
    text = f"{s}", str(s), repr(s), f"{list(s)} {tuple(s)}"
    kinds = type(s * 2), type((1, *s)), type((1,) + s), type(2 * s)  # noqa: RUF005
    return x + 1, text, s * 2, 2 * s, s + (1,), s[:1] + s[1:], kinds, 2 * (1, 2), 3 * [0]  # noqa: RUF005


def limits(x):
    info = torch.finfo(x.dtype)
    least = torch.iinfo(torch.int32).min
    of_dtype = x.dtype.is_floating_point, x.dtype.itemsize, x.device.type, x.device.index
    return x.masked_fill(x > 3, info.min), least, info.eps, info.bits, of_dtype, info


def within_itself(x):
    kept: list[Any] = [1]
    kept.append(kept)
    table: dict[str, Any] = {}
    table["table"] = table
    return x + len(kept), kept[1] is kept, len(table)


CASES: list[tuple[Any, ...]] = [
    (split, "a b,c"),
    (split, " q \n w "),
    (merged, {"a": 1}, {"b": 2, "a": 3}),
    (ordered, (1, "a"), (1, "b")),
    (ordered, [2], [1, "b"]),
    (sizes,),
    (limits,),
    (within_itself,),
]


def seen(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return type(value), [seen(item) for item in value]
    return [(key, seen(item)) for key, item in value.items()] if isinstance(value, dict) else value


@pytest.mark.parametrize(("function", "args"), [(function, args) for function, *args in CASES])
def test_it_is_one_graph(function, args):
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(function, backend="eager", listener=log.append)
    for _ in range(2):
        given = [[arg.copy() if isinstance(arg, (list, dict)) else arg for arg in args] for _ in range(2)]
        assert seen(compiled(X, *given[0])) == seen(function(X, *given[1]))
        assert given[0] == given[1]
    assert [event.get("break_reason") or event.get("skipped") for event in log] == [None]


def text_of_itself(x):
    kept: list[Any] = [1]
    kept.append(kept)
    return x + 1, str(kept), f"{kept}"


def equal_to_another(x):
    one: list[Any] = [1]
    one.append(one)
    other: list[Any] = [1]
    other.append(other)
    try:
        return x + 1, one == other
    except RecursionError:
        return x - 1


def given_to_torch(x):
    parts: list[Any] = [x]
    parts.append(parts)
    try:
        return torch.cat(parts)
    except TypeError:
        return x - 1


def nested_tuples(x):
    nested: Any = ()
    for _ in range(3000):
        nested = (nested,)
    return x + 1, nested


def nested_lists(x):
    nested: Any = [x + 1]
    for _ in range(3000):
        nested = [nested, 1]
    return nested


def depth(value: Any) -> int:
    count = 0
    while isinstance(value, (list, tuple)) and value:
        value, count = value[0], count + 1
    return count


@pytest.mark.parametrize("function", [text_of_itself, equal_to_another, given_to_torch])
def test_containers_that_hold_themselves_end_the_graph(function):
    compiled = _capture.optimize(function, backend="eager")
    for _ in range(2):
        assert seen(compiled(X)) == seen(function(X))


@pytest.mark.parametrize("function", [nested_tuples, nested_lists])
def test_containers_may_be_nested_deep(function):
    assert depth(_capture.optimize(function, backend="eager")(X)) == depth(function(X))
