"""Traces that are kept on disk, and recalled where the program is as it was."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import rust_inductor

#: A program in two files, run with a cache. What it prints is compared with what it prints as it is.
MAIN = """
import collections, os, sys, torch, rust_inductor
import helper

if "LOAD" in os.environ:
    rust_inductor.load_artifact(os.environ["LOAD"])
Pair = collections.namedtuple("Pair", "first second")

class Block(torch.nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.linear = torch.nn.Linear(8, 8)
        self.scale = scale
        self.extra = {"shift": 0.5}

    def forward(self, x, n=2):
        for _ in range(n):
            x = helper.act(self.linear(x)) * self.scale + self.extra["shift"]
        return Pair(x, x.sum())

def broken(x):
    y = x.sin()
    print("broken")
    return y + helper.OFFSET

def step(model, x):
    loss = model(x).second
    loss.backward()
    return loss

torch.manual_seed(0)
block, x = Block(float(sys.argv[1]) if len(sys.argv) > 1 else 2.0), torch.randn(4, 8)
compiler = rust_inductor.compile if "--eager" not in sys.argv else lambda f: f
with torch.no_grad():
    print(compiler(block)(x).second.item())
print(compiler(broken)(x).sum().item())
print(compiler(step)(block, x).item(), block.linear.weight.grad.sum().item())
print(sorted(name for name in sys.modules if name in ("torch._dynamo", "torch._functorch.aot_autograd", "sympy")))
if "SAVE" in os.environ:
    rust_inductor.save_artifact(os.environ["SAVE"])
"""

HELPER = """
OFFSET = 3

def act(x):
    return x.relu()
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    (tmp_path / "main.py").write_text(MAIN)
    (tmp_path / "helper.py").write_text(HELPER)
    return tmp_path


def run(program: Path, *args: str, **env: str) -> tuple[list[str], int, int]:
    """The lines that the program prints, and the numbers of traces that were made and recalled."""
    environment = os.environ | {
        "RUST_INDUCTOR_CACHE_DIR": str(program / "cache"),
        "RUST_INDUCTOR_LOG": "warn,rust_inductor::trace=debug",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    command = [sys.executable, str(program / "main.py"), *args]
    done = subprocess.run(
        command, env=environment | env, capture_output=True, text=True, timeout=300, check=False, cwd=program
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines(), done.stderr.count("traced: "), done.stderr.count("recalled: ")


def is_right(program: Path, *args: str) -> tuple[int, int]:
    """The numbers of traces that were made and recalled, where the program prints what it prints as it is."""
    printed, traced, recalled = run(program, *args)
    expected, *_ = run(program, *(args or ("2.0",)), "--eager")
    for ours, eager in zip(printed, expected, strict=True):
        numbers = ours.split(), eager.split()
        if ours != eager:
            pairs = zip(*numbers, strict=True)
            assert all(abs(float(a) - float(b)) <= 1e-4 * max(1, abs(float(b))) for a, b in pairs)
    return traced, recalled


def test_a_second_process_traces_nothing(program: Path) -> None:
    traced, recalled = is_right(program)
    assert traced >= 4
    assert recalled == 0
    assert is_right(program) == (0, traced)


def test_what_has_changed_is_traced_anew(program: Path) -> None:
    traced, _ = is_right(program)
    # An attribute of an object, a global variable of another module, the code of a function that is inlined.
    assert is_right(program, "5.0")[0] > 0
    for old, new in [("OFFSET = 3", "OFFSET = 4"), ("relu", "tanh")]:
        helper = (program / "helper.py").read_text()
        (program / "helper.py").write_text(helper.replace(old, new))
        assert is_right(program)[0] > 0
    assert is_right(program) == (0, traced)
    (program / "main.py").write_text(MAIN.replace('"shift": 0.5', '"shift": 0.25'))
    assert is_right(program)[0] > 0


def test_traces_of_several_programs_are_kept_beside_each_other(program: Path) -> None:
    for scale in "2.0", "3.0", "4.0":
        is_right(program, scale)
    for scale in "2.0", "3.0", "4.0":
        assert is_right(program, scale)[0] == 0


def test_another_hash_seed_is_no_harm(program: Path) -> None:
    for seed in "1", "2", "1":
        printed, *_ = run(program, PYTHONHASHSEED=seed)
        assert printed[-1] == "[]"


def test_without_a_cache_nothing_is_kept(program: Path) -> None:
    for _ in range(2):
        printed, traced, recalled = run(program, RUST_INDUCTOR_CACHE="0")
        assert (traced, recalled) == (0, 0)
        assert len(printed) == 5
    assert not (program / "cache").exists()


def test_damaged_traces_are_made_anew(program: Path) -> None:
    traced, _ = is_right(program)
    for path in (program / "cache").rglob("*"):
        if path.is_file():
            whole = path.read_bytes()
            path.write_bytes(whole[: len(whole) // 2])
    assert is_right(program) == (traced, 0)


def test_an_artifact_holds_traces(program: Path) -> None:
    artifact = str(program / "artifact")
    _, traced, _ = run(program, SAVE=artifact)
    labels = [entry.label for entry in rust_inductor.read_artifact(artifact).entries]
    assert any(label.startswith("trace of Block.forward in ") for label in labels)
    assert run(program, LOAD=artifact, RUST_INDUCTOR_CACHE="0")[1:] == (0, traced)
