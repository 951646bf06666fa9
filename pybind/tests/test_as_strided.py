"""``as_strided`` sees the memory around its argument: that has to lie as it does where nothing is compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch
from torch import Tensor

import rust_inductor
from pybind.tests.helpers import same

if TYPE_CHECKING:
    from collections.abc import Callable

SEEN: dict[str, Callable[[Tensor], Tensor]] = {
    "chunk": lambda y: y.chunk(3)[1],
    "contiguous": lambda y: y.transpose(0, 1).contiguous(),
    "diagonal": lambda y: y.diagonal(),
    "diagonal_beside": lambda y: y.diagonal(1, 1, 2),
    "diagonal_below": lambda y: y.diagonal(-2, 0, 2),
    "expand": lambda y: y[:1].expand(4, -1, -1),
    "flip": lambda y: y.flip(0),
    "reshape": lambda y: y.transpose(0, 1).reshape(-1),
    "select": lambda y: y[3],
    "slice": lambda y: y[2:5, 1:],
    "strided": lambda y: y.as_strided((4, 4), (3, 1), 5),
    "transposed": lambda y: y.transpose(0, 1)[1:, 2:],
    "unfold": lambda y: y.unfold(1, 2, 1),
    "unfold_apart": lambda y: y.unfold(0, 3, 2),
    "view": lambda y: y.view(3, -1),
    "view_as": lambda y: y[1:].view(torch.int32),
}

OF: dict[str, Callable[[Tensor], Tensor]] = {
    "computed": lambda x: torch.sign(x[1:]) * 2.5,
    "given": lambda x: x,
    "given_part": lambda x: x[1:],
}


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("of", OF)
@pytest.mark.parametrize("seen", SEEN)
def test_memory_around(seen: str, of: str, dynamic: bool) -> None:
    def default(x: Tensor) -> tuple[Tensor, Tensor]:
        y = SEEN[seen](OF[of](x))
        return y.as_strided((2, 2), (1, 1)) + 1, y * 2

    def from_five(x: Tensor) -> Tensor:
        return SEEN[seen](OF[of](x)).as_strided((2, 2), (1, 1), 5) + 1

    x = torch.randn(9, 3, 3)
    for function in (default, from_five):
        expected = function(x)
        same(rust_inductor.compile(function, dynamic=dynamic)(x), expected)
        same(torch.compile(function, backend="rust_inductor", dynamic=dynamic)(x), expected)


def test_windows_and_diagonals_are_views() -> None:
    x = torch.randn(6, 6)

    def function(x: Tensor) -> list[Tensor]:
        y = x.exp()
        return [
            y.unfold(0, 3, 1).sum(-1),
            y.unfold(1, 2, 2) * 2,
            y.diagonal(2) + 1,
            y.diagonal(-1).cumsum(0),
            y.trace(),
        ]

    same(rust_inductor.compile(function)(x), function(x))
