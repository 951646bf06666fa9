"""`heapq` and `bisect`: lists, results and the order of comparisons are those of CPython's C functions."""

# mypy: disable-error-code="misc"

from __future__ import annotations

import bisect
import heapq
import random
from typing import Any

import pytest
import torch
from torch import Tensor

from pybind.tests.dynamo.counted import check_one_graph
from rust_inductor import _capture

NAN = float("nan")
seen: list[tuple[float, float]] = []


class Item:
    def __init__(self, value: float) -> None:
        self.value = value

    def __lt__(self, other: Item) -> bool:
        seen.append((self.value, other.value))
        return self.value < other.value

    def __repr__(self) -> str:
        return f"Item({self.value})"


class Shrinking(Item):
    def __lt__(self, other: Item) -> bool:
        HEAP.pop()
        return super().__lt__(other)


HEAP: list[Any] = []


def of_numbers(x: Tensor) -> Any:
    heap: list[Any] = []
    for value in [3, 1, 2.5, 5, 4]:
        heapq.heappush(heap, value)
    least = heapq.heappop(heap), heapq.heapreplace(heap, 0), heapq.heappushpop(heap, 7), heapq.heappushpop([], 3)
    other = [5, NAN, 3, 8, 1]
    heapq.heapify(other)
    return x + least[0], heap, least, other


def of_tensors(x: Tensor) -> Any:
    heap: list[Any] = []
    for place, name in enumerate("cab"):
        heapq.heappush(heap, (name, place, x + place))
    return [heapq.heappop(heap)[2] for _ in range(3)]


def of_several(x: Tensor) -> Any:
    greatest, least = heapq.nlargest(3, [3, 1, 4, 1, 5], key=lambda v: -v), heapq.nsmallest(2, [3, 1, 4, 1])
    return x + 1, greatest, least, list(heapq.merge([1, 4], [2, 3], [0])), heapq.nlargest(1, "ab")


def of_sizes(x: Tensor) -> Any:
    heap = list(x.shape)
    heapq.heappush(heap, 2)
    return x + heapq.heappop(heap), bisect.bisect([1, 5], x.shape[0])


def places(x: Tensor) -> Any:
    found = [1, 3, 3, 5]
    left, right = bisect.bisect_left(found, 3), bisect.bisect_right(found, 3)
    among = bisect.bisect(found, 3, 0, 2), bisect.bisect_left(found, 9, lo=1, hi=None), bisect.bisect((1, 2), 1.5)
    bisect.insort(found, 4)
    bisect.insort_left(found, 3.0)
    words = ["a", "bb", "cccc"]
    bisect.insort(words, "ddd", key=len)
    return x + left + right, among, found, words, bisect.bisect_left(words, 3, key=len)


def failing(x: Tensor) -> Any:
    told = []
    for run in (
        lambda: heapq.heappop([]),
        lambda: heapq.heapreplace([], 1),
        lambda: bisect.bisect([1], 1, -1),
    ):
        try:
            run()
        except (IndexError, ValueError) as error:
            told.append((type(error).__name__, str(error)))
    return x + 1, told


@pytest.mark.parametrize(
    "program", [of_numbers, of_tensors, of_several, of_sizes, places, failing], ids=lambda one: one.__name__
)
def test_same_as_python(program: Any) -> None:
    check_one_graph(program)


@pytest.mark.parametrize("seed", range(16))
def test_order_of_comparisons(seed: int) -> None:
    chosen = random.Random(seed)
    values = [chosen.choice([1.0, 2.0, 3.0, NAN, 4.0, 5.0]) for _ in range(chosen.randrange(1, 24))]
    steps = [chosen.randrange(5) for _ in range(12)]

    def program(x: Tensor) -> Any:
        seen.clear()
        heap, found = [Item(value) for value in values], []
        heapq.heapify(heap)
        for step in steps:
            if step == 0:
                heapq.heappush(heap, Item(2.0))
            elif step == 1 and heap:
                found.append(heapq.heappop(heap))
            elif step == 2 and heap:
                found.append(heapq.heapreplace(heap, Item(3.0)))
            elif step == 3:
                found.append(heapq.heappushpop(heap, Item(1.5)))
            else:
                bisect.insort(heap, Item(2.0))
        return x + 1, heap, found

    compiled = _capture.optimize(program, "eager", fullgraph=True)
    expected, compared = repr(program(torch.ones(2))), list(seen)
    assert repr(compiled(torch.ones(2))) == expected
    assert repr(seen) == repr(compared)


def test_comparisons_that_change_the_heap() -> None:
    def program(x: Tensor) -> Any:
        HEAP[:] = [Item(2.0), Item(3.0), Item(1.0)]
        y = x + 1
        try:
            heapq.heappush(HEAP, Shrinking(0.0))
        except RuntimeError as error:
            return y, str(error), len(HEAP)
        return y, len(HEAP)

    assert repr(_capture.optimize(program, "eager")(torch.ones(2))) == repr(program(torch.ones(2)))
