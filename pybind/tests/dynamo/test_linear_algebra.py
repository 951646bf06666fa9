"""Linear algebra of the library, in graphs without AOTAutograd: results lie as eager's lie."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, linalg

import rust_inductor
from pybind.tests.helpers import same

OF_SQUARES: dict[str, Callable[[Tensor], Any]] = {
    "inv": lambda a: linalg.inv(a) * 2,
    "inv alone": lambda a: linalg.inv(a),
    "inverse": lambda a: a.inverse() + a,
    "det": lambda a: (linalg.det(a), torch.det(a) + 1, a.det()),
    "logdet": lambda a: torch.logdet(a @ a.mT),
    "slogdet": lambda a: tuple(linalg.slogdet(a)) + tuple(torch.slogdet(a * 2)),
    "cholesky": lambda a: (linalg.cholesky(a @ a.mT), linalg.cholesky(a.mT @ a, upper=True) + 1),
    "eigh": lambda a: linalg.eigh(a @ a.mT)[0],
    "eigh of the upper half": lambda a: linalg.eigvalsh(a @ a.mT, UPLO="U") * 2,
    "solve": lambda a: (linalg.solve(a, a + 1), linalg.solve(a, a[..., :2]) * 2),
    "solve from the right": lambda a: linalg.solve(a, a + 1, left=False),
    "solve for vectors": lambda a: linalg.solve(a, a[..., 0].contiguous()),
}

OF_ANY: dict[str, Callable[[Tensor], Any]] = {
    "qr": lambda a: tuple(linalg.qr(a)),
    "qr in full": lambda a: [factor * 2 for factor in linalg.qr(a, mode="complete")],
    "qr's second alone": lambda a: linalg.qr(a, mode="r")[1],
    "svd": lambda a: linalg.svd(a).S,
    "svd's parts": lambda a: [part.abs() for part in linalg.svd(a, full_matrices=False)],
    "svdvals": lambda a: linalg.svdvals(a) + 1,
}


def matrices(*sizes: int) -> list[Tensor]:
    """Well conditioned matrices, row by row, column by column, and with gaps."""
    made = torch.randn(*sizes, dtype=torch.float64, generator=torch.Generator().manual_seed(1)) / 4
    made = made + torch.eye(*sizes[-2:], dtype=torch.float64)
    gapped = torch.zeros(*sizes[:-1], 2 * sizes[-1], dtype=torch.float64)[..., ::2].copy_(made)
    return [made, made.mT.contiguous().mT, gapped, made.float()]


def check(function: Callable[[Tensor], Any], operands: list[Tensor], dynamic: bool) -> None:
    for a in operands:
        compiled = rust_inductor.compile(function, dynamic=dynamic)
        with torch.no_grad():
            ours, theirs = compiled(a), function(a)
        same(ours, theirs)
        parts = [(ours, theirs)] if isinstance(ours, Tensor) else zip(ours, theirs, strict=True)
        for one, other in parts:
            assert one._is_view() == other._is_view()
    with torch.no_grad():
        told = str(rust_inductor.explain(function, dynamic=dynamic)(operands[0]))
    assert "AOTAutograd" not in told


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("name", OF_SQUARES)
def test_square_matrices(name: str, dynamic: bool) -> None:
    operands = [a for sizes in ((3, 3), (2, 3, 3), (2, 4, 3, 3), (1, 1), (5, 2, 2)) for a in matrices(*sizes)]
    check(OF_SQUARES[name], operands, dynamic)


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("name", OF_ANY)
def test_matrices(name: str, dynamic: bool) -> None:
    sizes = ((4, 3), (3, 4), (3, 3), (2, 4, 3), (2, 2, 3, 4), (1, 3), (3, 1), (0, 3, 2))
    check(OF_ANY[name], [a for one in sizes for a in matrices(*one)], dynamic)


def outcome(function: Callable[[Tensor], Any], a: Tensor) -> Any:
    try:
        return function(a)
    except RuntimeError as error:
        return type(error), str(error)


@pytest.mark.parametrize("name", [*OF_SQUARES, *OF_ANY])
@pytest.mark.parametrize(
    "a",
    [torch.ones(2, 2), torch.ones(2, 3), torch.ones(3), torch.ones(2, 2).half(), torch.ones(2, 2, dtype=torch.int64)],
)
def test_what_the_library_refuses(name: str, a: Tensor) -> None:
    function = {**OF_SQUARES, **OF_ANY}[name]
    ours, theirs = outcome(rust_inductor.compile(function), a), outcome(function, a)
    assert isinstance(ours, tuple) == isinstance(theirs, tuple)
    if isinstance(theirs, tuple) and isinstance(theirs[0], type):
        assert ours[0] is theirs[0]


def test_gradients() -> None:
    def function(a: Tensor) -> Tensor:
        solution: Tensor = linalg.solve(a, torch.ones(3, 1, dtype=a.dtype))
        total: Tensor = solution.sum() + linalg.inv(a).sin().sum() + linalg.det(a)
        return total

    both = []
    for run in (rust_inductor.compile(function), function):
        a = matrices(3, 3)[0].requires_grad_()
        run(a).backward()
        both.append(a.grad)
    torch.testing.assert_close(*both)
