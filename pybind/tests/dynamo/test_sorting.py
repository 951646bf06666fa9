"""Sorting: the order of results and of comparisons is CPython's, also where comparisons are no total order."""

from __future__ import annotations

import functools
import random
from typing import Any

import pytest
import torch
from torch import Tensor

from pybind.tests.dynamo.counted import check_one_graph
from rust_inductor import _capture

cmp_to_key: Any = functools.cmp_to_key
NAN = float("nan")
seen: list[tuple[int, int]] = []


class Item:
    def __init__(self, value: float, place: int) -> None:
        self.value, self.place = value, place

    def __lt__(self, other: Item) -> bool:
        seen.append((self.place, other.place))
        return self.value < other.value


def by_difference(a: float, b: float) -> Any:
    seen.append((int(a), int(b)))
    return a - b


def numbers_without_order(x: Tensor) -> Any:
    values = [3.0, NAN, 1.0, NAN, 2.0]
    return x + len(values), sorted(values), sorted(values, reverse=True), sorted(values, key=lambda value: -value)


def keys_that_compare(x: Tensor) -> Any:
    ordered = sorted([3, 1, 2, 5, 4], key=cmp_to_key(by_difference))
    words = ["bb", "a", "ccc"]
    words.sort(key=cmp_to_key(lambda a, b: len(b) - len(a)), reverse=True)
    least = min([2, 1, 3], key=cmp_to_key(lambda a, b: b - a))
    key = cmp_to_key(by_difference)
    told = key(1) < key(obj=2), key(1) == key(1), key(4).obj
    compared = list(seen)
    seen.clear()
    return x + ordered[0], ordered, words, least, told, compared


@pytest.mark.parametrize("program", [numbers_without_order, keys_that_compare], ids=lambda one: one.__name__)
def test_same_as_python(program: Any) -> None:
    check_one_graph(program)


@pytest.mark.parametrize("seed", range(24))
def test_order_of_comparisons(seed: int) -> None:
    chosen = random.Random(seed)
    kinds: list[list[float]] = [[1.0, 2.0, 3.0, NAN], [0, 1], list(range(40))]
    values = [chosen.choice(kinds[seed % 3]) for _ in range(chosen.randrange(2, 40))]
    is_sorted, reverse = chosen.random() < 0.4, chosen.random() < 0.4
    values = sorted(values, reverse=chosen.random() < 0.5) if is_sorted else values

    def program(x: Tensor) -> Any:
        seen.clear()
        items = [Item(value, place) for place, value in enumerate(values)]
        items.sort(reverse=reverse)
        return x + 1, [item.place for item in items], sorted(values, reverse=reverse)

    expected, compared = program(torch.ones(2)), list(seen)
    assert repr(_capture.optimize(program, "eager")(torch.ones(2))) == repr(expected)
    assert seen == compared


def test_long_lists() -> None:
    def program(x: Tensor) -> Any:
        seen.clear()
        items = [Item(place * 37 % 101, place) for place in range(100)]
        numbers = [place * 37 % 101 for place in range(100)]
        return x + 1, [item.place for item in sorted(items)], sorted(numbers), sorted((n % 5, str(n)) for n in numbers)

    expected, compared = program(torch.ones(2)), list(seen)
    assert repr(_capture.optimize(program, "eager")(torch.ones(2))) == repr(expected)
    assert seen == compared


def test_keys_across_breaks() -> None:
    def program(x: Tensor) -> Any:
        key = cmp_to_key(by_difference)
        small, large = key(1), key(2)
        y = x + 1
        torch._dynamo.graph_break()
        return y * 2, small < large, small == large, small.obj, sorted([3, 1], key=key), callable(key)

    assert repr(_capture.optimize(program, "eager")(torch.ones(2))) == repr(program(torch.ones(2)))


@pytest.mark.parametrize("of", [hash, lambda key: {key: 1}, lambda key: key < 2, lambda key: key()])
def test_errors(of: Any) -> None:
    def program(x: Tensor) -> Any:
        key = cmp_to_key(by_difference)
        try:
            return x + 1, of(key(1))
        except TypeError as error:
            return x, str(error)

    assert repr(_capture.optimize(program, "eager")(torch.ones(2))) == repr(program(torch.ones(2)))
