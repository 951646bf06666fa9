"""Programs among the crates' examples, as the tests in Python run them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tools.checks.run import CRATES
from tools.ui import ROOT


def rust_example(name: str) -> Path:
    """A program, built with the features that the crates' tests have: where those have run, it is there."""
    subprocess.run(["cargo", "build", "--quiet", *CRATES, "--example", name], cwd=ROOT, check=True)
    return Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "debug" / "examples" / name
