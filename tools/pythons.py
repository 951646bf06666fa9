"""What needs no torch, tested on every CPython of ours that this machine has.

The frame hook reads frames, whose layouts are CPython's own business: it is built for each version, and its tests run
there. CPython 3.11 is the one that runs this; others are found on the path or among pyenv's.
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

#: Other versions than the one that runs this.
OTHERS = ("3.12", "3.13")


def stage() -> tuple[bool, str]:
    """Runs the tests on each version; passed if they pass on all that are there."""
    results = {version: passes(version, python) for version, python in found()}
    missing = [version for version in OTHERS if version not in results]
    summary = ", ".join(f"{version} {'passed' if passed else 'FAILED'}" for version, passed in results.items())
    return all(results.values()), summary + (f"; not here: {', '.join(missing)}" if missing else "")


def found() -> Iterator[tuple[str, Path]]:
    """Each version that is there, with its interpreter."""
    yield f"{sys.version_info.major}.{sys.version_info.minor}", Path(sys.executable)
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for version in OTHERS:
        candidates = [*sorted(pyenv.glob(f"{version}*/bin/python"), reverse=True)]
        on_path = shutil.which(f"python{version}")
        if on_path and runs(Path(on_path)):
            yield version, Path(on_path)
        elif candidates:
            yield version, candidates[0]


def runs(python: Path) -> bool:
    """True if it starts: pyenv puts names on the path that do not."""
    return subprocess.run([python, "-c", ""], capture_output=True, check=False).returncode == 0


def passes(version: str, python: Path) -> bool:
    """Builds the hook for an interpreter and runs its tests there."""
    say(f"CPython {version}")
    target = ROOT / "target" / f"python-{version}"
    environment = {**os.environ, "PYO3_PYTHON": str(python), "CARGO_TARGET_DIR": str(target)}
    build = ["cargo", "build", "--locked", "-p", "rust-inductor-frame-hook", "--features", "python-module"]
    if subprocess.run(build, cwd=ROOT, env=environment, check=False).returncode != 0:
        return False
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(target / "debug" / "libframe_hook.so", Path(folder) / "frame_hook.so")
        environment["PYTHONPATH"] = folder
        tests = [python, ROOT / "frame-hook" / "tests" / "test_frame_hook.py"]
        return subprocess.run(tests, cwd=ROOT, env=environment, check=False).returncode == 0
