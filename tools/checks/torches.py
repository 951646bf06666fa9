"""Other releases of PyTorch: `./x test torches` installs the wheel beside each of them and runs tests of operators.

What a release has otherwise (a private layout, an operator's schema, a derivative) is looked for as the package is
imported or a graph compiled, and has a slower way; these tests see that it is taken, and that results are eager's.
A release takes some five gigabytes, so the stage runs only if it is named.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tools import wheel
from tools.ui import ROOT, StepFailed, run_step, say

#: AOTAutograd, which takes what our capture leaves, copies in these releases what dropout of nothing gives back.
COPIES = "not nn.functional.dropout]"
#: The releases beside the one that all other tests run with, each with the tests that hold for it.
RELEASES = {"2.12.0": COPIES, "2.13.0": COPIES, "2.14.1": ""}
#: The tests that hold for each of them.
TESTS = [f"pybind/tests/test_{name}.py" for name in ("ops", "opinfo", "extern", "strides", "writes", "program")]
#: Beside PyTorch, what the tests import.
PACKAGES = ("numpy", "pytest", "pytest-xdist", "expecttest")


def stage() -> tuple[bool, str]:
    """Runs the tests with each release; passed if they pass with all."""
    try:
        package = wheel.build(Path(sys.executable))
        results = {release: passes(release, package) for release in RELEASES}
    except StepFailed:
        return False, ""
    summary = ", ".join(f"{release} {'passed' if passed else 'FAILED'}" for release, passed in results.items())
    return all(results.values()), summary


def passes(release: str, package: Path) -> bool:
    """Installs a release and the wheel, and runs the tests there."""
    venv = ROOT / "target" / f"torch-{release}"
    python = str(venv / "bin" / "python")
    pip = [python, "-m", "pip", "install", "--no-compile", "--disable-pip-version-check", "-q"]
    if not (venv / ".done").exists():
        run_step(f"virtual environment {venv.relative_to(ROOT)}", [sys.executable, "-m", "venv", str(venv)])
        run_step(f"torch {release} (pip)", [*pip, f"torch=={release}", *PACKAGES])
        (venv / ".done").touch()
    run_step(package.name, [*pip, "--no-deps", "--force-reinstall", str(package)])
    say(f"torch {release}")
    in_parallel = ["-n", "auto", "--maxprocesses", "4"]
    test = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *in_parallel, "-k", RELEASES[release]]
    return subprocess.run([*test, *TESTS], cwd=ROOT, check=False).returncode == 0
