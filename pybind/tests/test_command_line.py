"""The commands of `python -m rust_inductor`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import torch

weight = torch.ones(3, 3, requires_grad=True)


def layer(x):
    return (x @ weight).relu()


def broken(x):
    print(x.sum().item())
    return x + 1


def inputs():
    return torch.arange(6.0).view(2, 3)
"""


def run(folder: Path, *arguments: str, status: int = 0) -> str:
    """Run a command with a cache of its own."""
    environment = {**os.environ, "RUST_INDUCTOR_CACHE_DIR": str(folder / "cache"), "RUST_INDUCTOR_CACHE": "1"}
    command = [sys.executable, "-m", "rust_inductor", *arguments]
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return str(path)


def test_the_doctor_tries_every_device(tmp_path: Path) -> None:
    lines = run(tmp_path, "doctor").splitlines()
    outcomes = {line.split()[0]: line for line in lines}
    assert "works, forward and backward" in outcomes["cpu"]
    assert not any(word in line for line in lines for word in ("WRONG", "NOT COMPILED"))
    # A software adapter has a name, too.
    assert "not here" in outcomes["wgpu"] or ", on " in outcomes["wgpu"]
    assert "cuda" in outcomes
    assert str(tmp_path / "cache") in outcomes["cache"]


def test_a_function_is_explained(tmp_path: Path, program: str) -> None:
    text = run(tmp_path, "explain", f"{program}:layer", "--grad", "--kernels")
    assert "forward graph" in text
    assert "backward graph" in text
    assert "kernel k0" in text
    assert "graph break" in run(tmp_path, "explain", f"{program}:broken", "--inputs", "torch.ones(2)")


def test_a_function_is_timed(tmp_path: Path, program: str) -> None:
    text = run(tmp_path, "bench", f"{program}:layer", "--calls", "3", "--option", "threads=1", "--grad")
    assert "times as fast" in text


def test_what_cannot_be_found_is_told(tmp_path: Path, program: str) -> None:
    assert "it has layer, broken, inputs" in run(tmp_path, "explain", f"{program}:other", status=2)
    assert "FILE:NAME" in run(tmp_path, "explain", "nowhere.py:f", status=2)
    assert "NAME=VALUE" in run(tmp_path, "bench", f"{program}:layer", "--option", "threads", status=2)


def test_the_cache_is_listed_verified_and_cleared(tmp_path: Path, program: str) -> None:
    run(tmp_path, "explain", f"{program}:layer")
    assert "CPU code" in run(tmp_path, "cache", "ls")
    assert ", 0 are not" in run(tmp_path, "cache", "verify")
    damaged = next(path for path in (tmp_path / "cache").glob("??/*") if path.is_file())
    damaged.write_bytes(damaged.read_bytes()[:-1] + b"?")
    assert "wrong checksum" in run(tmp_path, "cache", "verify", status=1)
    assert "files removed" in run(tmp_path, "cache", "clear")
    assert "0 entries are whole, 0 are not" in run(tmp_path, "cache", "verify")
