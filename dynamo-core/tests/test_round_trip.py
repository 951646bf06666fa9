"""Code objects of whole libraries, through Rust and back, in every version of CPython that is found.

`dump_code.py` does the work in the interpreter concerned. The one that runs the tests is always among them.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools.checks import pythons
from tools.examples import rust_example

CRATE = Path(__file__).resolve().parent.parent
DUMP = CRATE / "tests" / "dump_code.py"
GENERATE = CRATE / "src" / "bytecode" / "opcodes" / "generate.py"

#: Read whole; `RUST_INDUCTOR_ROUND_TRIP=all` reads the whole standard library instead (a minute for each version).
LIBRARIES = ["asyncio", "collections", "concurrent", "email", "importlib", "json", "unittest", "dataclasses.py"]
LIBRARIES += ["ast.py", "contextlib.py", "datetime.py", "decimal.py", "inspect.py", "tarfile.py", "typing.py"]

#: The tests of CPython's own that are run on re-assembled code, where the interpreter has them.
EXECUTED = ["textwrap", "contextlib", "dataclasses", "difflib", "test.test_generators", "test.test_exceptions"]


def interpreters() -> Iterator[tuple[str, Path | None]]:
    """An interpreter for each version, or none."""
    found = dict(pythons.found())
    return ((version, found.get(version)) for version in pythons.VERSIONS)


@pytest.fixture(scope="session")
def assemble() -> Path:
    """The program that takes code objects apart and puts them together."""
    return rust_example("assemble")


def dump(python: Path, mode: str, assemble: Path, *rest: str) -> str:
    """The text that `dump_code.py` prints; the test fails if it does."""
    done = subprocess.run([python, DUMP, mode, assemble, *rest], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout


def standard_library(python: Path) -> Path:
    """The folder of an interpreter's standard library."""
    if python == Path(sys.executable):
        return Path(sysconfig.get_path("stdlib"))
    command = [str(python), "-c", "import sysconfig; print(sysconfig.get_path('stdlib'))"]
    return Path(subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip())


def test_a_library_comes_back_as_it_was(python: Path, assemble: Path) -> None:
    everything = os.environ.get("RUST_INDUCTOR_ROUND_TRIP") == "all"
    paths = [] if everything else [str(standard_library(python) / name) for name in LIBRARIES]
    print(dump(python, "compare", assemble, *paths))


def test_a_library_runs_as_it_did(python: Path, assemble: Path) -> None:
    if not (standard_library(python) / "test" / "test_textwrap.py").is_file():
        pytest.skip("this interpreter comes without the tests of its library")
    dump(python, "run", assemble, *EXECUTED)


def test_the_tables_are_what_the_interpreters_say() -> None:
    found = [path for _, path in interpreters()]
    if None in found:
        pytest.skip("not all versions are here")
    done = subprocess.run([sys.executable, GENERATE, "--check", *map(str, found)], stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0, f"stale: {done.stderr}"
