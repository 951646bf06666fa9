"""Elements of tensors that Python reads: integers that depend on data, and places that the program has written."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from rust_inductor import _capture

X = torch.tensor([1.0, -2.0, 3.0, 4.0])
BACKENDS = ["eager", "aot_eager", "rust_inductor"]


def scaled(n, x):
    return [number * 4 for number in n.tolist()]


def nested(n, x):
    return n.tolist(), n.reshape(1, -1, 1).tolist(), n[0].tolist() if n.numel() else None


def decided(n, x):
    first, *rest = n.tolist()
    if first > 2:
        return x * first, rest
    return x - first, rest


def sizes(n, x):
    first, second = n.tolist()
    return x.split([first, second]), torch.zeros(first), x[:second], x[first]


def handled(n, x):
    numbers = n.tolist()
    try:
        return x[numbers[0]]
    except IndexError:
        return x - numbers[1]


def changed_later(n, x):
    before = n.tolist()
    n.add_(5)
    return before, n.tolist(), sum(before), max(before), str(before), sorted(before), before[0] // 2, before[0] == 2


NUMBERS = [[3, 1], [1, 3], [2, 2], [7, 1], [2**40, -5], [-(2**63), 2**63 - 1]]


def run(function: Any, numbers: Any) -> Any:
    try:
        return repr(function(numbers, X))
    except (RuntimeError, IndexError) as error:
        return type(error).__name__


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("function", [scaled, nested, decided, sizes, handled, changed_later])
def test_lists_of_integers(function: Any, backend: str) -> None:
    # A size of terabytes fails otherwise in each backend.
    given = NUMBERS[:4] if function is sizes else NUMBERS
    compiled = _capture.optimize(function, backend)
    for numbers in given:
        assert run(compiled, torch.tensor(numbers)) == run(function, torch.tensor(numbers))


@pytest.mark.parametrize(
    "numbers",
    [torch.tensor([2, 1]), torch.tensor([255, 3], dtype=torch.uint8), torch.empty(0, dtype=torch.int32), np.arange(5)],
)
def test_they_are_one_graph(numbers: Any) -> None:
    def function(numbers: Any) -> Any:
        return [number * 4 for number in numbers.tolist()], numbers.tolist()

    events: list[dict[str, Any]] = []
    compiled = _capture.optimize(function, "eager", fullgraph=True, listener=events.append)
    for given in (numbers, numbers // 2, numbers):
        found, all_of_them = compiled(given)
        assert (found, all_of_them) == function(given)
        assert {type(number) for number in all_of_them} <= {int}
    assert len(events) == 1


@pytest.mark.parametrize("numbers", [torch.tensor([0.5]), torch.tensor([True]), torch.arange(300), np.ones(2)])
def test_others_end_the_graph(numbers: Any) -> None:
    def function(numbers: Any) -> Any:
        return numbers.tolist()

    events: list[dict[str, Any]] = []
    assert _capture.optimize(function, "eager", listener=events.append)(numbers) == function(numbers)
    assert [event["break"] is not None or "graph" not in event for event in events][:1] == [True]


def places(x, y):
    items = [x, y, x + 1]
    return items[torch.as_tensor(2)], items[torch.tensor([1])], range(5, 9)[torch.tensor(-1)]


def changed_place(x, y):
    place = torch.tensor(1)
    place.add_(1)
    return [x, y, x + 1][place]


def place_of_no_integer(x, y):
    try:
        return [x, y][torch.tensor(1.0)]
    except TypeError:
        return x * 2


@pytest.mark.parametrize("function", [places, changed_place, place_of_no_integer])
def test_tensors_as_places(function: Any) -> None:
    compiled = _capture.optimize(function, "eager", fullgraph=function is places)
    assert repr(compiled(X, X * 5)) == repr(function(X, X * 5))
