"""`./x wheel`: the package as one file, with LLVM in it, that `pip install` takes on any Linux of glibc 2.34 or later.

The wheel is for the CPython that runs this, and lies in `target/wheels`; with `--all` there is one for each supported
CPython that this machine has.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from tools.checks import pythons
from tools.ui import ROOT, StepFailed, run_step, say

#: The folder of wheels.
WHEELS = ROOT / "target" / "wheels"
#: The least that the wheel asks of the system: Debian 12, Ubuntu 22.04, RHEL 9 and whatever is newer have it.
PLATFORM = "manylinux_2_34"
#: The most that a wheel may take up, in megabytes.
MOST_MEGABYTES = 60


def main() -> int:
    """Builds the wheels and prints their paths and sizes."""
    parser = argparse.ArgumentParser(prog="./x wheel", description=__doc__.partition("\n")[0])
    parser.add_argument("--all", action="store_true", help="one for each supported CPython that is here")
    every = parser.parse_args().all
    interpreters = [python for _, python in pythons.found()] if every else [Path(sys.executable)]
    try:
        wheels = [build(python) for python in interpreters]
    except StepFailed:
        return 1
    sizes = [wheel.stat().st_size / 1e6 for wheel in wheels]
    for wheel, megabytes in zip(wheels, sizes, strict=True):
        say(f"{wheel.relative_to(ROOT)}: {megabytes:.1f} MB")
    if max(sizes) > MOST_MEGABYTES:
        say(f"[wheel] it should take {MOST_MEGABYTES} MB at most")
        return 1
    return 0


def build(python: Path) -> Path:
    """The path of the wheel for an interpreter, built anew. maturin refuses one that asks for more than the platform
    has."""
    ask = "import sys; print('cp%d%d' % sys.version_info[:2])"
    tag = subprocess.run([str(python), "-c", ask], capture_output=True, text=True, check=True).stdout.strip()
    for old in WHEELS.glob(f"*-{tag}-*.whl"):
        old.unlink()
    command = [
        *(str(Path(sys.prefix) / "bin" / "maturin"), "build", "--release", "--strip", "--locked"),
        *("--manifest-path", "pybind/Cargo.toml", "--features", "extension-module,static-llvm"),
        *("--interpreter", str(python), "--compatibility", PLATFORM, "--auditwheel", "check", "--out", str(WHEELS)),
    ]
    run_step(f"wheel for {tag} (maturin build --release)", command, {"PYO3_PYTHON": str(python)})
    (wheel,) = WHEELS.glob(f"*-{tag}-*.whl")
    return wheel


if __name__ == "__main__":
    sys.exit(main())
