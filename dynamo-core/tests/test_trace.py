"""Traced functions do what they did, in every version of CPython that is found.

`trace_code.py` does the work in the interpreter concerned, without torch: on the functions of `trace_cases.py`, which
compute with a stand-in for it, and on those of `split_cases.py`, which are hard in other ways.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from test_round_trip import CRATE

from tools.examples import rust_example

TRACED = CRATE / "tests" / "trace_code.py"


@pytest.fixture(scope="module")
def trace() -> Path:
    """The program that traces calls."""
    return rust_example("trace")


def run(python: Path, trace: Path, module: str) -> dict[str, int]:
    """Counts what was done with the functions of a module, all of which did what they should."""
    done = subprocess.run([python, TRACED, trace, module], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-4000:]
    said = json.loads(done.stdout.splitlines()[-1])
    assert said["different"] == 0
    counts: dict[str, int] = said["done"]
    return counts


def test_traced_functions_do_what_they_did(python: Path, trace: Path) -> None:
    done = run(python, trace, "trace_cases")
    assert done["calls"] >= 61
    assert done["graphs"] >= 80
    assert done.get("refused", 0) == 0


def test_functions_that_leave_blocks_do_what_they_did(python: Path, trace: Path) -> None:
    done = run(python, trace, "unwinding_cases")
    assert done["whole"] >= 4
    assert done.get("refused", 0) == 0


def test_iterators_give_what_they_did(python: Path, trace: Path) -> None:
    done = run(python, trace, "iterator_cases")
    assert done["whole"] >= 2
    assert done.get("refused", 0) == 0


def test_hard_functions_do_what_they_did(python: Path, trace: Path) -> None:
    done = run(python, trace, "split_cases")
    assert done["calls"] >= 70
    assert done.get("refused", 0) == 0
