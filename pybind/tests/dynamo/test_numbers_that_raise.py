"""Numbers that change from call to call, up to those for which Python raises: guards tell them apart."""

from __future__ import annotations

import linecache
import math
import operator
from collections.abc import Callable
from typing import Any

import pytest
import torch

import rust_inductor

ERRORS = (OverflowError, ZeroDivisionError, ValueError, TypeError, IndexError)
OF_FLOATS = """
    a**2 | a**0.5 | a**-1 | a**-0.5 | 2.0**a | 2**a | a**a | 1/a | 1//a | 1%a | int(a) | round(a) | round(a, 2)
    math.floor(a) | math.ceil(a) | math.trunc(a) | divmod(a, 2) | a*1e300 | pow(a, 3) | math.pow(a, 3)
    math.fmod(a, 2) | math.ldexp(a, 2000) | math.hypot(a, a) | 1<<int(a) | math.sqrt(a) | math.exp(a) | math.log(a)
    math.log2(a) | math.sin(a) | math.cos(a) | math.tan(a) | math.asin(a) | math.acos(a) | math.atan(a) | math.sinh(a)
    math.cosh(a) | math.tanh(a) | math.gamma(a) | math.fabs(a) | int(a)**30 | operator.pow(a, 2)
"""
OF_INTS = """
    1<<a%99 | 1024>>a | a**-1 | a**9 | 7/a | 7//a | 7%a | divmod(7, a) | [1, 2, 3][a] | a*(2**40) | a*a*a | math.sqrt(a)
    math.log(a) | math.exp(a) | math.sin(a) | math.comb(a, 2) | chr(a) | a.bit_length() | ~a | a**0.5 | a**-0.5 | a//2.5
    1e300*a | 2.0**a | a**100.0 | int(a*1e18) | math.asin(a) | math.cosh(a) | (1, 2)[a:]
"""
INF = math.inf
FLOATS = (1.5, 2.5, 0.75, -1.0, 0.0, 800.0, 1e200, -1e200, 1e308, INF, -INF, math.nan, -0.5)
INTS = (5, 7, 3, 2, 0, -1, 1, -7, 64, 1100, 2**31, 2**62, 2**70, -(2**63))


def expressions(text: str) -> list[str]:
    return [it.strip() for line in text.strip().splitlines() for it in line.split("|")]


def function(expression: str, result: str) -> Callable[..., Any]:
    """A function that computes an expression, and does something else where that raises."""
    source = (
        f"def fn(x, a):\n    try:\n        c = {expression}\n    except {tuple(it.__name__ for it in ERRORS)}:\n"
        f"        return x - 1\n    return {result}\n"
    ).replace("'", "")
    file = f"<{expression} of {result}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    scope = {"math": math, "operator": operator}
    exec(compile(source, file, "exec"), scope)
    fn: Callable[..., Any] = scope["fn"]  # type: ignore[assignment]
    return fn


def outcome(fn: Callable[..., Any], value: float) -> str:
    try:
        return repr(fn(torch.ones(2), value))
    except ERRORS as error:
        return repr(error)


CASES = [*((it, FLOATS) for it in expressions(OF_FLOATS)), *((it, INTS) for it in expressions(OF_INTS))]


@pytest.mark.parametrize(
    ("expression", "values"), CASES, ids=lambda it: it if isinstance(it, str) else type(it[0]).__name__
)
@pytest.mark.parametrize("result", ["x * 2", "(x * 2, c)"], ids=["dead", "returned"])
def test_what_raises_now_raises_then(expression: str, values: tuple[float, ...], result: str) -> None:
    fn = function(expression, result)
    rust_inductor.reset()
    compiled = rust_inductor.compile(fn, backend="eager", recompile_limit=len(values) + 1)
    for value in values:
        assert outcome(compiled, value) == outcome(fn, value), value
