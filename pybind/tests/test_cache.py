"""Machine code that is kept on disk from one process to the next."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from pybind.tests.helpers import compiled

#: Compiles a graph and compares what it gives.
PROGRAM = """
import sys, torch
torch.manual_seed(0)
x, w = torch.randn(37, 65), torch.randn(65, 16)
def function(x, w):
    return torch.softmax(x.sin() * 2, 1) @ w, (x ** 3).sum(0)
options = {"cache": False} if "--uncached" in sys.argv else None
ours = torch.compile(function, backend="rust_inductor", dynamic=False, options=options)(x, w)
for a, b in zip(ours, function(x, w), strict=True):
    torch.testing.assert_close(a, b)
print("right")
"""


def run(cache: Path, *arguments: str, **env: str) -> str:
    """Runs the program in a process of its own that keeps code there; gives what it warns of."""
    process = start(cache, *arguments, **env)
    out, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    assert out == "right\n"
    return errors


def start(cache: Path, *arguments: str, **env: str) -> subprocess.Popen[str]:
    inherited = {name: value for name, value in os.environ.items() if name != "RUST_INDUCTOR_LOG"}
    environment = inherited | {"RUST_INDUCTOR_CACHE_DIR": str(cache)} | env
    command = [sys.executable, "-c", PROGRAM, *arguments]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def entries(cache: Path) -> dict[Path, tuple[int, bytes]]:
    """Each file, with the number that a file keeps until another takes its place, and its bytes."""
    return {path: (path.stat().st_ino, path.read_bytes()) for path in cache.rglob("*") if path.is_file()}


def test_a_new_process_finds_what_another_has_compiled(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    assert run(cache) == ""
    made = entries(cache)
    assert made
    assert cache.stat().st_mode & 0o777 == 0o700
    assert run(cache) == ""
    assert entries(cache) == made


def test_damaged_files_are_made_again(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    run(cache)
    made = entries(cache)
    for at, (path, (_, whole)) in enumerate(made.items()):
        damaged = bytearray(whole)
        damaged[at * 37 % len(whole)] ^= 1
        path.write_bytes(damaged if at % 2 else whole[: len(whole) // 2])
    assert run(cache).count("damaged or not ours") == 1
    assert {path: whole for path, (_, whole) in entries(cache).items()} == {p: whole for p, (_, whole) in made.items()}
    assert run(cache) == ""


def test_processes_compile_at_once(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    processes = [start(cache) for _ in range(3)]
    for process in processes:
        assert process.communicate(timeout=300) == ("right\n", "")
    made = entries(cache)
    assert run(cache) == ""
    assert entries(cache) == made


@pytest.mark.parametrize(
    ("arguments", "env"),
    [
        (["--uncached"], {}),
        ([], {"RUST_INDUCTOR_CACHE": "0"}),
        ([], {"TORCHINDUCTOR_FORCE_DISABLE_CACHES": "1"}),
    ],
)
def test_it_can_be_turned_off(tmp_path: Path, arguments: list[str], env: dict[str, str]) -> None:
    cache = tmp_path / "cache"
    assert "rust_inductor" not in run(cache, *arguments, **env)
    assert not entries(cache)


def test_a_directory_open_to_others_is_not_used(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.mkdir(mode=0o755)
    cache.chmod(0o755)
    told = run(cache)
    assert told.count("open to other users") == 1
    assert not entries(cache)


def test_a_limit_is_kept(tmp_path: Path) -> None:
    assert run(tmp_path / "none", RUST_INDUCTOR_CACHE_MB="0") == ""
    assert not entries(tmp_path / "none")
    assert "no number" in run(tmp_path / "wrong", RUST_INDUCTOR_CACHE_MB="much")


def test_a_directory_that_cannot_be_made_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    assert run(tmp_path / "file" / "cache").count("nothing is cached") == 1


def test_the_environment_is_read_at_each_compilation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    x = torch.randn(11, 7)
    for name, function in {"a": lambda x: x.exp() / 3, "b": lambda x: x.exp() / 5}.items():
        monkeypatch.setenv("RUST_INDUCTOR_CACHE_DIR", str(tmp_path / name))
        compiled(function)(x)
    assert entries(tmp_path / "a")
    assert entries(tmp_path / "b")


def test_only_true_and_false_turn_it_on_and_off() -> None:
    with pytest.raises(Exception, match="option `cache` takes True or False"):
        compiled(lambda x: x + 1, options={"cache": "off"})(torch.ones(3))
