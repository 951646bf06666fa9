"""Functions of the standard library that are folded or traced: `re`, `fractions`, paths, texts, parts of numbers."""

# Paths are what is tested.
# ruff: noqa: PTH117, PTH118, PTH119, PTH120, PTH122
# mypy: disable-error-code="attr-defined, call-overload"

from __future__ import annotations

import fnmatch
import math
import os
import re
import sys
import textwrap
from fractions import Fraction
from typing import Any

import pytest
import torch
from torch import Tensor

from pybind.tests.dynamo.counted import check_one_graph
from rust_inductor import _capture

HALF = Fraction(1, 2)
PATTERN = re.compile(r"(\w)x", re.IGNORECASE)
BYTES = re.compile(rb"b+")


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


class Place:
    def __fspath__(self) -> str:
        return "place"


def compiled_expressions(x: Tensor) -> Any:
    none = PATTERN.match("q"), PATTERN.search(string="q"), PATTERN.fullmatch("axb")
    replaced = PATTERN.sub("y", "axBX"), PATTERN.subn(r"<\1>", string="axbx", count=1), BYTES.sub(b"", b"abbc")
    told = PATTERN.pattern, PATTERN.flags, PATTERN.groups
    return x + len(replaced[0]), replaced, PATTERN.findall("axbx"), PATTERN.split("1ax2", maxsplit=1), none, told


def paths(x: Tensor) -> Any:
    parts = os.path.split("a/b.c"), os.path.splitext("a/b.c"), os.path.basename("a/b"), os.path.dirname("a/b")
    told = os.path.isabs("/a"), os.path.normpath("a/../b"), os.fspath(Place())
    return x + len(os.path.join("a", "b", "/c", "d")), parts, told, os.path.join(Place(), "a")


def texts(x: Tensor) -> Any:
    return x + 1, textwrap.dedent("  a\n   b"), textwrap.indent("a\nb", "> "), fnmatch.fnmatch("a.py", "*.txt")


def versions(x: Tensor) -> Any:
    told = sys.version_info >= (3, 8), sys.version_info[:2] < (4, 0), sys.version_info.major, sys.version_info > (3,)
    return x + sys.version_info[0], told, len(sys.version_info), sys.float_info.max, list(sys.version_info)


def sums_of_numbers(x: Tensor) -> Any:
    sizes = list(x.shape)
    return x + math.fsum([0.1] * 10), math.fsum(iter(sizes)), math.dist([0, 0], (3, 4)), math.hypot(*sizes, 4)


def methods_of_iterators(x: Tensor) -> Any:
    numbers = iter([1, 2])
    following = numbers.__next__
    return x + following(), following(), next(numbers, None), following.__self__ is numbers


class Places:
    def __len__(self) -> int:
        return 3

    def __getitem__(self, place: int) -> int:
        return 10 * place


def iterators_of_calls(x: Tensor) -> Any:
    numbers, end = iter([1, 2, 3]), object()
    results = iter(lambda: next(numbers), 3)
    listed = list(results), list(results), list(iter(lambda: next(numbers), 3))
    marked = iter([1, end])
    return x + len(listed[0]), listed, list(iter(lambda: next(marked), end)), list(reversed(Places()))


def sentinels(x: Tensor) -> Any:
    mark = object()
    found = {}.get("a", mark) is mark, mark == object(), mark in [mark], hasattr(mark, "a"), type(mark) is object
    return x + {mark: 2}[mark], found


PROGRAMS = [
    iterators_of_calls,
    sentinels,
    regular_expressions,
    compiled_expressions,
    fractions,
    paths,
    texts,
    versions,
    sums_of_numbers,
    methods_of_iterators,
    parts_of_numbers,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda one: one.__name__)
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
