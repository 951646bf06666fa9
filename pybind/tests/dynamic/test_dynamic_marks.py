"""The sizes that are symbols: what the user says about it, numbers as arguments, and sizes that depend on data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from pybind.tests.dynamic.counting import Arguments, Counter, check_call, check_calls, marked

dynamo: Any = torch._dynamo
SIZES = (5, 2, 9, 3)


def scale(x: Tensor) -> Tensor:
    """Something to fuse."""
    return torch.softmax(x * 2 + 1, -1) / x.shape[0]


def calls(sizes: tuple[int, ...] = SIZES) -> list[Arguments]:
    """Matrices of so many rows."""
    return [(torch.randn(n, 7),) for n in sizes]


@pytest.mark.parametrize(
    ("mark", "graphs"),
    [
        (dynamo.mark_dynamic, 1),
        (dynamo.maybe_mark_dynamic, 1),
        (dynamo.decorators.mark_unbacked, 1),
        (dynamo.mark_static, len(SIZES)),
    ],
    ids=lambda it: getattr(it, "__name__", ""),
)
def test_marks(mark: Any, graphs: int) -> None:
    assert check_calls(scale, marked(mark, calls())).graphs == graphs


def test_an_unbacked_size_may_be_anything() -> None:
    marked_calls = marked(dynamo.decorators.mark_unbacked, calls((5, 2, 1, 0, 40)))
    assert check_calls(lambda x: (x * 2 + 1).relu(), marked_calls, fullgraph=True).graphs == 1


@pytest.mark.parametrize(("dynamic", "graphs"), [(True, 1), (None, 2), (False, len(SIZES))])
def test_without_marks(dynamic: bool | None, graphs: int) -> None:
    assert check_calls(scale, calls(), dynamic=dynamic).graphs == graphs


def test_bounds_of_a_mark() -> None:
    arguments = calls((5, 16, 2))
    for (x,) in arguments:
        dynamo.mark_dynamic(x, 0, min=2, max=16)
    assert check_calls(scale, arguments).graphs == 1


def test_a_violated_mark_is_an_error() -> None:
    x = torch.randn(5, 7)
    dynamo.mark_dynamic(x, 0)
    with pytest.raises(Exception, match="mark_dynamic"):
        torch.compile(lambda x: x + 1 if x.shape[0] == 5 else x, backend=Counter())(x)


def test_a_violated_wish_is_none() -> None:
    def function(x: Tensor) -> Tensor:
        return x + 1 if x.shape[0] == 5 else x * 2

    check_calls(function, marked(dynamo.maybe_mark_dynamic, calls()))


NUMBERS: dict[str, tuple[Callable[..., Any], list[Any]]] = {
    "factor": (lambda x, k: x * k + 1, [3, 5, 7, 0, 1, -4]),
    "bound of a slice": (lambda x, k: x[:k] * 2, [3, 5, 7, 2]),
    "size": (lambda x, k: x.new_zeros(k, 2) + k, [3, 5, 7, 2]),
    "parity": (lambda x, k: x if k % 2 == 0 else x + k, [4, 3, 6, 8]),
    "float factor": (lambda x, k: x * k + k, [0.5, 1.5, -2.25, float("inf")]),
    "float function": (lambda x, k: x + k / 3, [0.5, 1.5, -2.25]),
    "bool": (lambda x, k: x + 1 if k else x - 1, [True, False]),
}


@pytest.mark.parametrize("dynamic", [True, None])
@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_as_arguments(name: str, dynamic: bool | None) -> None:
    function, values = NUMBERS[name]
    check_calls(function, [(torch.randn(8, 3), value) for value in values], dynamic=dynamic)


UNBACKED: dict[str, Callable[..., Any]] = {
    "nonzero": lambda x, n: x.nonzero() * 2,
    "masked_select": lambda x, n: x.masked_select(x > 0).exp() + 1,
    "index by a mask": lambda x, n: x[x > 0] * 2,
    "unique": lambda x, n: torch.unique(n) + 1,
    "repeat_interleave": lambda x, n: x.repeat_interleave(n, 0) * 2,
    "item as a value": lambda x, n: x * n.sum().item() + 1,
    "item as a size": lambda x, n: torch.zeros((n.max().item(), 3)) + 1,
    "float item": lambda x, n: x * x.sum().item(),
    "sum of a selection": lambda x, n: x.masked_select(x > 0).sum(),
    "selection and batch": lambda x, n: (x[x > 0] + 1, x.relu() * x.shape[0]),
    "count as output": lambda x, n: x.nonzero().shape[0] + 1,
}


@pytest.mark.parametrize("name", UNBACKED)
def test_sizes_that_depend_on_data(name: str) -> None:
    arguments = [(torch.randn(n, 3), torch.randint(0, 5, (n,))) for n in (6, 2, 11)]
    arguments += [(torch.full((4, 3), -1.0), torch.zeros(4, dtype=torch.long))]  # nothing is selected
    with dynamo.config.patch(capture_scalar_outputs=True, capture_dynamic_output_shape_ops=True):
        marked(dynamo.mark_dynamic, arguments)
        assert check_calls(UNBACKED[name], arguments, fullgraph=True).graphs == 1


def test_a_check_on_data_fails_as_torchs_does() -> None:
    def function(n: Tensor) -> Tensor:
        size = n.item()
        torch._check(size >= 0)
        torch._check(size <= 8)
        return torch.zeros(size) + 1  # type: ignore[arg-type]

    with dynamo.config.patch(capture_scalar_outputs=True):
        ours = torch.compile(function, backend=Counter(), fullgraph=True)
        for size in (3, 0, 8):
            check_call(ours, function, (torch.tensor(size),))
        with pytest.raises(RuntimeError):
            ours(torch.tensor(9))
