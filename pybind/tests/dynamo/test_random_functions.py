"""Random functions do compiled what they do in plain Python.

``DYNAMO_FUZZ_CASES=10000`` runs more of them. ``python -m pybind.tests.dynamo.fuzz.run --seed N --count 1 --shrink 1``
makes one that differs small.
"""

from __future__ import annotations

import contextlib
import copy
import io
import os
from collections.abc import Callable
from typing import Any

import pytest
import torch

from pybind.tests.dynamo.fuzz.generate import generate
from pybind.tests.dynamo.fuzz.run import Listener, identity, ours, run, summarise
from pybind.tests.dynamo.fuzz.shrink import shrink

CASES = int(os.environ.get("DYNAMO_FUZZ_CASES", "500"))
#: The share of programs of which some graph has to be captured.
CAPTURED = 0.7
#: Programs for the tests of the harness itself.
FEW = range(60)


def test_random_functions_do_the_same() -> None:
    summary = summarise(ours, range(CASES))
    print(summary)
    if summary.different:
        smallest = [str(shrink(generate(report.seed), ours)) for report in summary.different[:3]]
        pytest.fail(f"{summary}\n\n" + "\n\n".join(smallest))
    assert summary.rate >= CAPTURED, str(summary)


def test_plain_python_does_the_same_as_itself() -> None:
    summary = summarise(identity, FEW)
    assert not summary.different, str(summary)
    assert 0 < summary.raised < summary.cases / 2


def test_a_seed_gives_one_program() -> None:
    assert [generate(seed) for seed in FEW] == [generate(seed) for seed in FEW]
    assert len({generate(seed).source for seed in FEW}) == len(FEW)


def drops_effects(function: Callable[..., Any], listener: Listener, seed: int) -> Callable[..., Any]:
    """Works on copies, so that arguments stay as they are."""
    return lambda *args, **kwargs: function(*copy.deepcopy(args), **copy.deepcopy(kwargs))


def drops_output(function: Callable[..., Any], listener: Listener, seed: int) -> Callable[..., Any]:
    """Prints nothing."""

    def compiled(*args: Any, **kwargs: Any) -> Any:
        with contextlib.redirect_stdout(io.StringIO()):
            return function(*args, **kwargs)

    return compiled


def keeps_result(function: Callable[..., Any], listener: Listener, seed: int) -> Callable[..., Any]:
    """Takes the first result for each type of arguments as a constant."""
    results: dict[Any, Any] = {}

    def compiled(*args: Any, **kwargs: Any) -> Any:
        key = tuple(getattr(a, "shape", type(a)) for a in args)
        result = function(*args, **kwargs)
        return results.setdefault(key, result)

    return compiled


def loses_aliases(function: Callable[..., Any], listener: Listener, seed: int) -> Callable[..., Any]:
    """Gives back copies of what it should."""

    def copied(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return value.detach().as_strided(value.shape, value.stride()).clone().requires_grad_(value.requires_grad)
        if isinstance(value, list | tuple):
            return type(value)([copied(item) for item in value])
        return {k: copied(v) for k, v in value.items()} if isinstance(value, dict) else value

    return lambda *args, **kwargs: copied(function(*args, **kwargs))


def changes_error(function: Callable[..., Any], listener: Listener, seed: int) -> Callable[..., Any]:
    """Raises errors of another type."""

    def compiled(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except Exception as error:
            raise SystemError(*error.args) from error

    return compiled


def moves_error(function: Callable[..., Any], listener: Listener, seed: int) -> Callable[..., Any]:
    """Raises errors from nowhere in the program."""

    def compiled(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except Exception as error:
            raise error.with_traceback(None) from None

    return compiled


def leaves_grad_mode(function: Callable[..., Any], listener: Listener, seed: int) -> Callable[..., Any]:
    """Does not restore the grad mode."""

    def compiled(*args: Any, **kwargs: Any) -> Any:
        result = function(*args, **kwargs)
        torch.set_grad_enabled(False)
        return result

    return compiled


@pytest.mark.parametrize(
    ("wrong", "aspects", "least"),
    [
        (drops_effects, {"arguments", "result"}, 0.2),
        (drops_output, {"output"}, 0.1),
        (keeps_result, {"result"}, 0.4),
        (loses_aliases, {"result"}, 0.3),
        (changes_error, {"exception type"}, 0.1),
        (moves_error, {"exception line"}, 0.1),
        (leaves_grad_mode, {"grad mode"}, 0.5),
    ],
)
def test_wrong_compilers_are_caught(wrong: Any, aspects: set[str], least: float) -> None:
    summary = summarise(wrong, FEW)
    found = [report for report in summary.different if report.aspect in aspects]
    assert len(found) >= least * len(FEW), str(summary)


def test_what_differs_is_made_small() -> None:
    seed = next(s for s in FEW if run(generate(s), drops_output).aspect)
    small = shrink(generate(seed), drops_output, budget=100)
    assert small.report.aspect == "output"
    assert "print(" in small.program.source
    assert len(small.program.source) < len(generate(seed).source) / 2
