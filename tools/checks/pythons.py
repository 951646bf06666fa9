"""Runs the tests of the parts that need no torch, on every supported CPython that this machine has.

The frame hook reads frames, whose layouts are CPython's own business: it is built for each version, and its tests run
there. The one that runs this is one of them; others are found on the path or among pyenv's. The tests of bytecode and
tracer, which are among those that pytest runs, start the same interpreters.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tools.ui import ROOT, say

VERSIONS = ("3.11", "3.12", "3.13", "3.14")


def stage() -> tuple[bool, str]:
    """Runs the tests on each version; passed if they pass on all that are there."""
    results = {version: passes(version, python) for version, python in found()}
    missing = [version for version in VERSIONS if version not in results]
    summary = ", ".join(f"{version} {'passed' if passed else 'FAILED'}" for version, passed in results.items())
    return all(results.values()), summary + (f"; not here: {', '.join(missing)}" if missing else "")


def found() -> Iterator[tuple[str, Path]]:
    """Each version that is there, with its interpreter."""
    own = f"{sys.version_info.major}.{sys.version_info.minor}"
    for version in VERSIONS:
        python = Path(sys.executable) if version == own else search(version)
        if python is not None:
            yield version, python


def search(version: str) -> Path | None:
    """An interpreter of this version, on the path or among pyenv's."""
    on_path = itself(f"python{version}")
    if on_path is not None:
        return on_path
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    return next(iter(sorted(pyenv.glob(f"{version}.*/bin/python"), reverse=True)), None)


def itself(name: str) -> Path | None:
    """The interpreter of this name, if it starts: pyenv puts names on the path that do not, or that are scripts."""
    on_path = shutil.which(name)
    if on_path is None:
        return None
    ask = [on_path, "-c", "import os, sys; print(os.path.realpath(sys.executable))"]
    answer = subprocess.run(ask, capture_output=True, text=True, check=False)
    return Path(answer.stdout.strip()) if answer.returncode == 0 else None


def passes(version: str, python: Path) -> bool:
    """Builds the hook for an interpreter and runs its tests there."""
    say(f"CPython {version}")
    # One folder for all: only pyo3 and the hook are built anew.
    target = ROOT / "target" / "pythons"
    environment = {**os.environ, "PYO3_PYTHON": str(python), "CARGO_TARGET_DIR": str(target)}
    build = ["cargo", "build", "--locked", "-p", "rust-inductor-frame-hook", "--features", "python-module"]
    if subprocess.run(build, cwd=ROOT, env=environment, check=False).returncode != 0:
        return False
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(target / "debug" / "libframe_hook.so", Path(folder) / "frame_hook.so")
        environment["PYTHONPATH"] = folder
        tests = [python, ROOT / "frame-hook" / "tests" / "test_frame_hook.py"]
        return subprocess.run(tests, cwd=ROOT, env=environment, check=False).returncode == 0
