"""The limit of recursion: a compiled program reaches it where the program does, and with its words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from rust_inductor import compile

depths: list[int] = []


def descend(n: int) -> int:
    depths.append(n)
    return descend(n + 1)


class Endless:
    """Is compared without end."""

    def __eq__(self, other: object) -> Any:
        depths.append(0)
        return self == other

    __hash__ = None  # type: ignore[assignment]


endless = Endless()


def calls(x: torch.Tensor) -> torch.Tensor:
    descend(0)
    return x


def compares(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    if endless == endless:
        return y * 2
    return y


def breaks(x: torch.Tensor) -> torch.Tensor:
    depths.append(0)
    x = x + 1
    torch._dynamo.graph_break()
    return breaks(x * 2)


def end_of(function: Callable[..., Any]) -> tuple[int, str]:
    depths.clear()
    with pytest.raises(RecursionError) as caught:
        function(torch.ones(2))
    return len(depths), str(caught.value)


@pytest.mark.parametrize("function", [calls, compares, breaks])
def test_the_limit_is_reached_where_eager_reaches_it(function: Callable[..., Any]) -> None:
    compiled = compile(function, backend="eager")
    expected = end_of(function)
    for _ in range(3):
        assert end_of(compiled) == expected
