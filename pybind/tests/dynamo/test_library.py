"""Functions of the standard library that are folded or traced: `re`, `fractions`, parts of numbers."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import pytest
import torch
from torch import Tensor

from pybind.tests.dynamo.counted import check_one_graph
from rust_inductor import _capture

HALF = Fraction(1, 2)


def regular_expressions(x: Tensor) -> Any:
    none = re.match("q", "a"), re.search("q", "a"), re.fullmatch("a", "ab")
    replaced = (
        re.sub("a", "bb", "aXa"),
        re.subn(r"(\d)", r"<\1>", "a1"),
        re.sub(pattern="a", repl="", string="aaa", count=1),
    )
    return x + len(replaced[0]), replaced, re.split(",", "a,b"), re.findall("[ab]", "abc"), re.escape("a.b"), none


def fractions(x: Tensor) -> Any:
    third = HALF * 2 / 3
    compared = third < HALF, third == Fraction(2, 6), hash(HALF) == hash(0.5)
    return x * float(third + 1), str(third), -HALF, HALF**2, Fraction(7, 3) // 2, divmod(Fraction(7, 3), 1), compared


def parts_of_numbers(x: Tensor) -> Any:
    return x + (3).numerator, True.denominator, (2**70).real, (2.5).imag, (1.5).real, (1 + 2j).imag


@pytest.mark.parametrize("program", [regular_expressions, fractions, parts_of_numbers], ids=lambda one: one.__name__)
def test_same_as_python(program: Any) -> None:
    check_one_graph(program)


def test_patterns_that_change() -> None:
    def program(x: Tensor, pattern: str) -> Any:
        try:
            return x + 1, re.sub(pattern, "z", "abc"), re.match(pattern, "abc") is None
        except re.error as error:
            return x - 1, str(error), error.pos

    compiled = _capture.optimize(program, "eager")
    for pattern in ("a", "(", "q", "a"):
        assert repr(compiled(torch.ones(3), pattern)) == repr(program(torch.ones(3), pattern))


def test_division_by_zero() -> None:
    def program(x: Tensor, n: int) -> Any:
        try:
            return x, Fraction(1, n)
        except ZeroDivisionError as error:
            return x + 1, str(error)

    compiled = _capture.optimize(program, "eager")
    for n in (2, 0, 5, 7):
        assert repr(compiled(torch.ones(3), n)) == repr(program(torch.ones(3), n))
