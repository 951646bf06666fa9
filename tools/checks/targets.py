"""Other systems and processors: `./x test targets` type-checks the whole package for each, without running anything.

The standard library of each comes by rustup. No linker, C compiler or CPython of the target is needed.
"""

from __future__ import annotations

import os
import subprocess

from tools.ui import ROOT, StepFailed, run_step, say

TARGETS = ("aarch64-unknown-linux-gnu", "aarch64-apple-darwin", "x86_64-pc-windows-msvc")


def stage() -> tuple[bool, str]:
    """Checks the package for each target; passed if all compile without a warning."""
    try:
        run_step("standard libraries (rustup)", ["rustup", "target", "add", *TARGETS])
    except StepFailed:
        return False, ""
    results = {target: passes(target) for target in TARGETS}
    summary = ", ".join(f"{target} {'passed' if passed else 'FAILED'}" for target, passed in results.items())
    return all(results.values()), summary


def passes(target: str) -> bool:
    """Checks the package for a target."""
    # The interpreter of this machine tells nothing about that of the target.
    env = {name: value for name, value in os.environ.items() if name != "PYO3_PYTHON"}
    env |= {"PYO3_CROSS": "1", "PYO3_CROSS_PYTHON_VERSION": "3.11", "RUSTFLAGS": "-D warnings"}
    command = ["cargo", "check", "--quiet", "--locked", "--target", target, "--package", "rust-inductor"]
    say(f"$ {' '.join(command)}")
    return subprocess.run(command, cwd=ROOT, env=env, check=False).returncode == 0
