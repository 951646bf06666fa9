"""Functions split at each of their instructions do what they did, in every version of CPython that is found.

`split_code.py` does the work in the interpreter concerned, on the functions of `split_cases.py`; `split_library.py` on
modules of the standard library; `run_built.py` runs functions that are made of nothing.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from test_round_trip import CRATE, standard_library

from tools.examples import rust_example

HALVES = CRATE / "tests" / "split_code.py"
BUILT = CRATE / "tests" / "run_built.py"
LIBRARY = CRATE / "tests" / "split_library.py"

#: Modules of the standard library that do not look at their own frames.
MODULES = ["textwrap", "difflib", "shlex", "configparser", "heapq", "fractions", "copy"]

#: The only reasons for which a place may be refused.
ACCEPTED = ("the end of a loop", "between the instructions of a call", "an exception is being handled", "the cell of")


@pytest.fixture(scope="module")
def split() -> Path:
    """The program that splits code objects."""
    return rust_example("split")


@pytest.fixture(scope="module")
def build() -> Path:
    """The program that makes functions of nothing."""
    return rust_example("build")


def test_both_halves_do_what_the_whole_did(python: Path, split: Path) -> None:
    done = subprocess.run([python, HALVES, split, "2"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-4000:]
    said = json.loads(done.stdout)
    assert said["functions"] >= 40
    assert said["done"]["splits at"] > 1200
    assert said["done"]["splits branch"] > 40
    refused = [reason for reason in said["refused"] if not reason.startswith(ACCEPTED)]
    assert not refused, refused


def test_a_library_runs_with_its_functions_split(python: Path, split: Path) -> None:
    if not (standard_library(python) / "test" / "test_textwrap.py").is_file():
        pytest.skip("this interpreter comes without the tests of its library")
    done = subprocess.run([python, LIBRARY, split, "1", *MODULES], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]


def test_built_functions_do_what_they_should(python: Path, build: Path) -> None:
    done = subprocess.run([python, BUILT, build], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
