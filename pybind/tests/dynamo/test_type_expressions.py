# ruff: noqa: UP006, UP007, UP035, UP045
"""Types that are made of types, as annotations are: they cost no graph, and are evaluated where code needs them."""

# The programs do what Python lets them do, whatever their types say.
# mypy: disable-error-code="no-any-return, func-returns-value, misc"

import collections.abc
from typing import Any, Callable, Dict, List, Optional, Tuple, TypeVar, Union

import pytest
import torch

from rust_inductor import _capture

T = TypeVar("T")
X = torch.arange(3.0)


def annotated(x):
    def first(y: list[int], z: Dict[str, "torch.Tensor"] = {}, w: torch.Tensor | None = None) -> Callable[[T], T]:  # noqa: B006
        return x + len(y)

    def second(y: Optional[torch.Tensor], *rest: Tuple[int, ...], key: Union[int, str] = 1) -> List[Any]:
        return x - 1

    def third(f: collections.abc.Callable[[T], Any], g: dict[str, tuple[int, ...]]) -> None:
        return None

    return first([1]), second(None), third(len, {}), first, second, third


def kinds(x):
    return (
        x + 1,
        isinstance(x, torch.Tensor | int),
        isinstance(3, str | None | float),
        isinstance(x, (int, str | bytes)),
    )


def held(x):
    alias = list[int]
    return x + 1, alias, {"a": int | str}, List[int]


@pytest.mark.parametrize("function", [annotated, held])
def test_each_is_one_graph(function):
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(function, backend="eager", listener=log.append)

    def told(results):
        return [item.__annotations__ if type(item) is type(told) else repr(item) for item in results]

    assert told(compiled(X)) == told(function(X))
    assert told(compiled(X + 1)) == told(function(X + 1))
    assert [event["break_reason"] for event in log] == [None]


def test_unions_are_asked_for_classes():
    compiled = _capture.optimize(kinds, backend="eager")
    assert repr(compiled(X)) == repr(kinds(X))


def test_what_is_no_type_is_evaluated_at_its_place():
    def wrong(x):
        y = x + 1
        try:
            List[int, int]
        except TypeError:
            return y
        return x

    assert torch.equal(_capture.optimize(wrong, backend="eager")(X), wrong(X))
