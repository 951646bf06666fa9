"""Switches of torch's Dynamo that programs set: ours obeys those that concern it."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import torch
import torch._dynamo
import torch._dynamo.exc

import rust_inductor
from rust_inductor import _capture

config: Any = torch._dynamo.config


class Counts:
    """A backend that counts its graphs."""

    def __init__(self) -> None:
        self.graphs = 0

    def __call__(self, module: Any, _inputs: Any) -> Any:
        self.graphs += 1
        return module.forward


def graphs(function: Any, *calls: Any, **switches: Any) -> int:
    """The number of graphs that calls with these arguments take under switches."""
    counts = Counts()
    compiled: Any = rust_inductor.compile(function, backend=counts)
    with config.patch(**switches):
        for args in calls:
            assert repr(compiled(*args)) == repr(function(*args))
    return counts.graphs


SIZES = [(torch.ones(size),) for size in (3, 4, 5, 6)]
NUMBERS = [(torch.ones(2), number) for number in (3, 4, 5, 6)]


def test_what_changes_becomes_a_symbol_unless_told_otherwise() -> None:
    def double(x: Any) -> Any:
        return x * 2

    assert graphs(double, *SIZES) == 2
    assert graphs(double, *SIZES, automatic_dynamic_shapes=False) == 4
    assert graphs(double, *SIZES, assume_static_by_default=False) == 1


def test_numbers_are_constants_if_told_so() -> None:
    def add(x: Any, number: Any) -> Any:
        return x + number

    assert graphs(add, *NUMBERS) == 2
    assert graphs(add, *NUMBERS, specialize_int=True) == 4
    floats = [(x, number / 2 + 0.25) for x, number in NUMBERS]
    assert graphs(add, *floats) == 2
    assert graphs(add, *floats, specialize_float=True) == 4


def test_numpy_is_not_traced_if_told_so() -> None:
    def of_arrays(x: Any, a: Any) -> Any:
        return x + 1, a * 2

    log: list[dict[str, Any]] = []
    for traced in (True, False):
        compiled = _capture.optimize(of_arrays, "eager", listener=log.append)
        with config.patch(trace_numpy=traced):
            assert repr(compiled(torch.ones(2), np.ones(2))) == repr(of_arrays(torch.ones(2), np.ones(2)))
    assert [event["break_reason"] is None for event in log[:2]] == [True, False]


def test_recompiling_is_an_error_if_told_so() -> None:
    compiled: Any = rust_inductor.compile(lambda x, flag: x + 1 if flag else x, backend="eager")
    with config.patch(error_on_recompile=True):
        compiled(torch.ones(2), True)
        with pytest.raises(torch._dynamo.exc.RecompileError, match="guard failure"):
            compiled(torch.ones(2), False)


def test_reaching_the_limit_is_an_error_if_told_so() -> None:
    compiled: Any = rust_inductor.compile(lambda x, flag: x + len(flag), backend="eager", recompile_limit=2)
    with config.patch(fail_on_recompile_limit_hit=True):
        compiled(torch.ones(2), "a")
        compiled(torch.ones(2), "ab")
        with pytest.raises(torch._dynamo.exc.FailOnRecompileLimitHit):
            compiled(torch.ones(2), "abc")


def test_nothing_is_compiled_if_told_so() -> None:
    def plain(x: Any) -> Any:
        return x

    with config.patch(disable=True):
        assert rust_inductor.compile(plain) is plain
    assert rust_inductor.compile(plain) is not plain


def test_nothing_is_compiled_in_an_environment_that_says_so() -> None:
    program = "import rust_inductor; print(rust_inductor.compile(len) is len)"
    environment = {**os.environ, "TORCH_COMPILE_DISABLE": "1"}
    ran = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "True"
