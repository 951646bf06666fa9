"""Containers that take in what goes over their own items, and objects that are iterated over by places."""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch import Tensor

from pybind.tests.dynamo.counted import check_one_graph
from rust_inductor import _capture


def extended(x: Tensor) -> Any:
    sizes: list[int] = []
    sizes.extend(len(sizes) for _ in range(3))
    return x + len(sizes), sizes


def added(x: Tensor) -> Any:
    sizes = [5]
    sizes += map(lambda step: step + len(sizes), [1, 2])  # noqa: C417
    return x + len(sizes), sizes


def updated(x: Tensor) -> Any:
    sizes: dict[int, int] = {}
    sizes.update((step, len(sizes)) for step in range(3))
    return x + len(sizes), sizes


def united(x: Tensor) -> Any:
    sizes: set[int] = set()
    sizes.update((len(sizes) for _ in range(3)), (10 * len(sizes) for _ in range(2)))
    sizes.difference_update(len(sizes) - 1 for _ in range(4))
    return x + len(sizes), sorted(sizes)


def queued(x: Tensor) -> Any:
    sizes: collections.deque[int] = collections.deque()
    sizes.extend(len(sizes) for _ in range(3))
    sizes.extendleft(len(sizes) for _ in range(2))
    return x + len(sizes), sizes


def counted(x: Tensor) -> Any:
    sizes: collections.Counter[int] = collections.Counter()
    sizes.update(len(sizes) for _ in range(3))
    return x + len(sizes), sizes


def emptied_while_sorted(x: Tensor) -> Any:
    items = [3, 1, 2]
    items.sort(key=lambda item: len(items) * item)
    return x + items[0], items


def of_an_iterator(x: Tensor) -> Any:
    class Growing:
        def __init__(self, into: list[int]) -> None:
            self.into, self.left = into, 3

        def __iter__(self) -> Iterator[int]:
            return self

        def __next__(self) -> int:
            if self.left == 0:
                raise StopIteration
            self.left -= 1
            return len(self.into)

    sizes: list[int] = []
    sizes.extend(Growing(sizes))
    return x + 1, sizes


LOOKING = [extended, added, updated, united, queued, counted, emptied_while_sorted, of_an_iterator]


@pytest.mark.parametrize("program", LOOKING, ids=lambda one: one.__name__)
def test_what_looks_at_the_container(program: Callable[[Tensor], Any]) -> None:
    compiled = _capture.optimize(program, "eager")
    for _ in range(2):
        assert repr(compiled(torch.ones(2))) == repr(program(torch.ones(2)))


class Named(list[int]):
    """Says nothing of its own of its items."""


class Renamed(list[int]):
    def __iter__(self) -> Iterator[int]:
        return iter([7, 8])

    def __len__(self) -> int:
        return 1


def of_itself(x: Tensor) -> Any:
    plain, named, renamed = [1, 2], Named([1, 2]), Renamed([1, 2])
    plain.extend(plain)
    plain += plain
    named.extend(named)
    renamed.extend(renamed)
    return x + 1, plain, list(named), renamed[:], list(renamed)


def of_others(x: Tensor) -> Any:
    others, sizes = [1, 2], [0]
    sizes.extend(len(others) for _ in others)
    sizes += (size + 1 for size in sizes[:1])
    table = {"a": 1}
    table.update((str(size), size) for size in sizes)
    table.update(table)
    sizes.extend(sizes)
    return x + len(sizes), sizes, table


class Places:
    """A sequence without `__iter__`."""

    def __init__(self, items: list[Any]) -> None:
        self.items, self.read = items, 0

    def __getitem__(self, place: int) -> Any:
        self.read += 1
        return self.items[place]


class Sized:
    def __init__(self, count: int) -> None:
        self.count = count

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.count))


FOUND: Any = Places([1, 2, 3])


def by_places(x: Tensor) -> Any:
    places: Any = Places([1, 2, 3])
    for item in places:
        x = x + item
    first, second, third = places
    listed = list(places), [*places], dict.fromkeys(places), sum(places), list(zip(places, FOUND, strict=True))
    return x, first, second, third, listed, 2 in places, 9 in places, 1 in FOUND, places.read, FOUND.read


def by_iterators(x: Tensor) -> Any:
    sized, items, letters = Sized(3), [9], Places(["a", "b"])
    joined = ",".join(letters)  # type: ignore[arg-type]
    items += sized
    items.extend(sized)
    return x + len(items), items, 1 in sized, 7 in sized, joined, not Sized(0)


@pytest.mark.parametrize("program", [of_itself, of_others, by_places, by_iterators], ids=lambda one: one.__name__)
def test_same_as_python(program: Callable[[Tensor], Any]) -> None:
    FOUND.read = 0

    def anew(x: Tensor) -> Any:
        result = program(x)
        FOUND.read = 0
        return result

    check_one_graph(anew)


def test_iterators_by_place_go_on_behind_a_break() -> None:
    def program(x: Tensor) -> Any:
        places: Any = Places([1, 2, 3, 4])
        iterator = iter(places)
        x = x + next(iterator)
        torch._dynamo.graph_break()
        rest = list(iterator)
        return x * 2, rest, list(iterator)

    assert repr(_capture.optimize(program, "eager")(torch.ones(2))) == repr(program(torch.ones(2)))


@pytest.mark.parametrize("error", [StopIteration, KeyError, ValueError])
def test_errors_of_places(error: type[Exception]) -> None:
    class Failing:
        def __getitem__(self, place: int) -> int:
            if place == 2:
                raise error("end")
            return place

    failing: Any = Failing()

    def program(x: Tensor) -> Any:
        try:
            return x + 1, list(failing)
        except LookupError as failed:
            return x, repr(failed)
        except ValueError as failed:
            return x, str(failed)

    assert repr(_capture.optimize(program, "eager")(torch.ones(2))) == repr(program(torch.ones(2)))


def test_unpacking_takes_one_item_more() -> None:
    def program(x: Tensor) -> Any:
        numbers = iter(range(9))
        left: list[tuple[Any, ...]] = []
        for count in range(2):
            try:
                if count:
                    first, second = numbers
                    left.append((first, second))
                else:
                    (first,) = numbers
                    left.append((first,))
            except ValueError as error:
                left.append((str(error), next(numbers)))
        return x + 1, left, list(numbers)

    check_one_graph(program)


def test_a_set_that_grows_under_an_iterator() -> None:
    def program(x: Tensor) -> Any:
        numbers = {1, 2}
        try:
            for number in numbers:
                numbers.add(number + 10)
        except RuntimeError as error:
            return x + 1, str(error), sorted(numbers)

    compiled = _capture.optimize(program, "eager")
    for _ in range(2):
        assert repr(compiled(torch.ones(2))) == repr(program(torch.ones(2)))
