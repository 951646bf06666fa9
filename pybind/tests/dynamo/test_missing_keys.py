"""Keys that are not in a dict whose class says what they give: `__missing__` is called, and there is no KeyError."""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

import pytest
import torch

import rust_inductor


class Silent(dict[Any, Any]):
    def __missing__(self, key: Any) -> None:
        return None


class Filling(dict[Any, Any]):
    def __missing__(self, key: Any) -> Any:
        self[key] = value = [key]
        return value


class Raising(collections.OrderedDict[Any, Any]):
    def __missing__(self, key: Any) -> Any:
        raise LookupError(key)


class Plain(dict[Any, Any]):
    pass


class Counting(collections.defaultdict[Any, Any]):
    pass


class Odd(dict[Any, Any]):
    __missing__ = None


MAKERS: dict[str, Callable[[], Any]] = {
    "silent": lambda: Silent(a=1),
    "filling": lambda: Filling(a=1),
    "raising": lambda: Raising(a=1),
    "plain": lambda: Plain(a=1),
    "default": lambda: Counting(int, a=1),
    "odd": lambda: Odd(a=1),
    "counter": lambda: collections.Counter(a=1),
}


def read(x: torch.Tensor, table: Any, key: Any) -> Any:
    try:
        found = table[key]
        y = x + 1
    except KeyError:
        return "KeyError", x - 1
    return found, y, sorted(map(str, table))


def raises_after(x: torch.Tensor, table: Any, key: Any) -> Any:
    try:
        _ = table[key]
        raise ValueError(key)
    except KeyError:
        return "KeyError", x - 1


def reads_by_name(x: torch.Tensor, table: Any, key: Any) -> Any:
    return dict.__getitem__(table, key), x * 2, table.get(key), key in table


def makes(x: torch.Tensor, table: Any, key: Any) -> Any:
    made = Silent(b=x)
    return made[key], made.get(key, 3), len(made), x + made["b"]


def outcome(function: Any, table: Any, key: Any) -> Any:
    try:
        return function(torch.ones(2), table, key)
    except Exception as error:
        return type(error).__name__, str(error)


@pytest.mark.parametrize("function", [read, raises_after, reads_by_name, makes])
@pytest.mark.parametrize("name", MAKERS)
def test_missing_keys(name: str, function: Callable[..., Any]) -> None:
    compiled = rust_inductor.compile(function)
    expected_table, found_table = MAKERS[name](), MAKERS[name]()
    for key in ("a", "z", "a", "y"):
        expected = outcome(function, expected_table, key)
        found = outcome(compiled, found_table, key)
        assert str(found) == str(expected)
    assert str(found_table) == str(expected_table)


def test_a_class_that_gets_the_method_later() -> None:
    class Later(dict[Any, Any]):
        pass

    def lookup(x: torch.Tensor, table: Any) -> Any:
        try:
            return table["z"], x + 1
        except KeyError:
            return "KeyError", x - 1

    compiled = rust_inductor.compile(lookup)
    x = torch.ones(2)
    assert str(compiled(x, Later())) == str(lookup(x, Later()))
    Later.__missing__ = lambda self, key: key  # type: ignore[attr-defined]
    assert str(compiled(x, Later())) == str(lookup(x, Later()))
