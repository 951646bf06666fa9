"""Says on what a figure was measured."""

from __future__ import annotations

import datetime
import os
import platform
import re
import subprocess
from importlib.metadata import version
from pathlib import Path

from tools.ui import ROOT, read_or_empty


def description() -> str:
    """The processor, the versions, the commit and the day."""
    model = re.search(r"model name\s*:\s*(.*)", read_or_empty(Path("/proc/cpuinfo")))
    processor = model.group(1).strip() if model else platform.machine()
    cores = len(os.sched_getaffinity(0))
    day = datetime.datetime.now(datetime.UTC).date()
    versions = f"torch {version('torch')}, CPython {platform.python_version()}"
    return f"{processor}, {cores} cores; {versions}; commit {commit()}, {day}"


def commit() -> str:
    """The commit, marked if files differ from it."""
    words = ["git", "describe", "--always", "--dirty", "--abbrev=10"]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip() or "unknown"
