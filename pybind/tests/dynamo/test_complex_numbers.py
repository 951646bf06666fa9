"""Complex numbers in graphs of our own: pairs as numbers and back, arithmetic and its gradients, as eager has them."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import Tensor

import rust_inductor
from pybind.tests.helpers import left_to_aot

if TYPE_CHECKING:
    from collections.abc import Callable


def rotated(x: Tensor, turns: Tensor) -> Tensor:
    """A rotary embedding, as language models write it with complex numbers."""
    pairs = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
    around = turns.view(1, pairs.shape[1], 1, pairs.shape[-1])
    return torch.view_as_real(pairs * around).flatten(3).type_as(x)


def heads(*sizes: int) -> list[Tensor]:
    angles = torch.randn(sizes[1], sizes[-1] // 2)
    return [torch.randn(*sizes), torch.polar(torch.ones_like(angles), angles)]


def numbers(*sizes: int) -> Tensor:
    return torch.randn(*sizes, dtype=torch.complex128)


#: Programs, and what makes their operands.
PROGRAMS: dict[str, tuple[Callable[..., Any], Callable[[], list[Tensor]]]] = {
    "rotary": (rotated, lambda: heads(2, 8, 4, 16)),
    "rotary, half": (rotated, lambda: [heads(2, 8, 4, 16)[0].bfloat16(), heads(2, 8, 4, 16)[1]]),
    "arithmetic": (lambda a, b: (a * b - b + a * 2.0, -a), lambda: [numbers(3, 4), numbers(3, 4)]),
    "broadcast": (lambda a, b: a * b + b, lambda: [numbers(3, 4), numbers(4)]),
    "a real factor": (lambda a, b: a * b, lambda: [numbers(3, 4), torch.randn(3, 4, dtype=torch.float64)]),
    "a factor that is a number": (lambda a: a * (2 + 1j) - 1j, lambda: [numbers(3, 4)]),
    "moved": (
        lambda a: torch.view_as_real(a.T[1:].reshape(4, -1) * a[:, :3]),
        lambda: [numbers(4, 3)[:, :2].repeat(1, 2)],
    ),
    "parts": (lambda a: (a.real * 2, a.imag + 1, a.abs()), lambda: [numbers(3, 4)]),
    "conjugates": (lambda a: (a.conj() * a, a.mH @ a), lambda: [numbers(3, 4)]),
    "convolved": (torch.conv1d, lambda: [numbers(1, 2, 8), numbers(3, 2, 3)]),
    "as numbers": (lambda a: torch.view_as_complex(a * 2), lambda: [torch.randn(3, 4, 2)]),
    "as pairs": (lambda a: torch.view_as_real(a * 2), lambda: [numbers(3, 4)]),
    "views of the program's": (lambda a: torch.view_as_complex(a), lambda: [torch.randn(3, 4, 2)]),
    "pairs with gaps": (lambda a: torch.view_as_complex(a[::2]) * 2, lambda: [torch.randn(4, 4, 4)[..., :2]]),
}


def outcome(function: Callable[..., Any], operands: list[Tensor]) -> list[Any]:
    """The results, their strides, and the gradients by the operands that ask for some."""
    results = function(*operands)
    results = results if isinstance(results, tuple) else (results,)
    told: list[Any] = [*results, *(result.stride() for result in results)]
    asked = [operand for operand in operands if operand.requires_grad]
    if asked:
        followed = [result for result in results if result.requires_grad]
        weights = [torch.ones_like(result) * (1 + 0.5j if result.is_complex() else 1) for result in followed]
        told += [result.requires_grad for result in results]
        told += torch.autograd.grad(followed, asked, weights)
    return told


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("asks", [(), (0,), (0, 1), (1,)])
@pytest.mark.parametrize("name", PROGRAMS)
def test_complex_numbers(name: str, asks: tuple[int, ...], dynamic: bool) -> None:
    function, make = PROGRAMS[name]
    compiled = rust_inductor.compile(function, dynamic=dynamic)
    for _ in range(2):
        operands = make()
        if len(operands) <= max(asks, default=0):
            pytest.skip("one operand")
        for number in asks:
            operands[number].requires_grad_()
        torch.testing.assert_close(outcome(compiled, operands), outcome(function, operands))


@pytest.mark.parametrize("asks", [False, True])
def test_rotary_without_aotautograd(asks: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    left = left_to_aot(monkeypatch)
    x, turns = heads(2, 8, 4, 16)
    report = str(rust_inductor.explain(rotated)(x.requires_grad_(asks), turns))
    assert not left
    assert "AOTAutograd" not in report
    assert "differentiated by torch's autograd" not in report


IMPORTS = """
import sys, torch, rust_inductor
from pybind.tests.dynamo.test_complex_numbers import heads, rotated
x, turns = heads(2, 8, 4, 16)
rust_inductor.compile(rotated)(x.requires_grad_(), turns).sum().backward()
assert x.grad is not None
theirs = ("torch._dynamo", "torch._functorch.aot_autograd", "torch._inductor", "sympy")
print([name for name in theirs if name in sys.modules])
"""


def test_rotary_imports_none_of_torchs_compiler() -> None:
    told = subprocess.run([sys.executable, "-c", IMPORTS], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"


def test_pairs_that_are_none() -> None:
    for operand in (torch.randn(3, 4, 3), torch.randn(3, 4, 2, 2)[..., 0], torch.randn(3, 4, 2).long()):
        compiled = rust_inductor.compile(lambda x: torch.view_as_complex(x) * 2)
        with pytest.raises(RuntimeError) as theirs:
            torch.view_as_complex(operand)
        with pytest.raises(RuntimeError) as ours:
            compiled(operand)
        assert str(ours.value).splitlines()[0] == str(theirs.value).splitlines()[0]
