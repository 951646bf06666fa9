"""Compiled code that goes to other machines in one file."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import rust_inductor
from rust_inductor import _native

#: Compiles a function with the artifact of `--load`, if there is one, and writes that of `--save`.
PROGRAM = """
import sys, torch, rust_inductor
torch.manual_seed(0)
x, w = torch.randn(37, 65), torch.randn(65, 16)
def function(x, w):
    return torch.softmax(x.sin() * 2, 1) @ w, (x ** 3).sum(0)
action, path = sys.argv[1:]
if action == "load":
    rust_inductor.load_artifact(path)
ours = rust_inductor.compile(function, dynamic=False)(x, w)
for a, b in zip(ours, function(x, w), strict=True):
    torch.testing.assert_close(a, b)
if action == "save":
    print(rust_inductor.save_artifact(path))
elif action == "bytes":
    data, artifact = rust_inductor.save_cache_artifacts()
    assert rust_inductor.load_cache_artifacts(data) == artifact
    open(path, "wb").write(data)
"""


def run(cache: Path, action: str, path: Path, **env: str) -> subprocess.CompletedProcess[str]:
    """Runs the program in a process of its own with this cache."""
    environment = os.environ | {"RUST_INDUCTOR_CACHE_DIR": str(cache)} | env
    command = [sys.executable, "-c", PROGRAM, action, str(path)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)


def succeeds(cache: Path, action: str, path: Path, **env: str) -> str:
    done = run(cache, action, path, **env)
    assert done.returncode == 0, done.stderr
    return done.stdout


def files(cache: Path) -> list[Path]:
    return [path for path in cache.rglob("*") if path.is_file()]


@pytest.fixture(scope="module")
def artifact(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("artifact")
    succeeds(place / "cache", "save", place / "code")
    assert sorted(path.name for path in place.iterdir()) == ["cache", "code"]
    return place / "code"


def test_a_machine_that_loads_it_compiles_nothing(artifact: Path, tmp_path: Path) -> None:
    # What is compiled is put into the cache.
    succeeds(tmp_path / "cache", "load", artifact)
    assert not files(tmp_path / "cache")
    succeeds(tmp_path / "cache", "load", artifact, RUST_INDUCTOR_CACHE="0")
    succeeds(tmp_path / "cache", "nothing", artifact)
    assert len(files(tmp_path / "cache")) == len(rust_inductor.read_artifact(artifact).entries)


def test_what_was_found_is_saved_again(artifact: Path, tmp_path: Path) -> None:
    succeeds(tmp_path / "cache", "save", tmp_path / "compiled")
    succeeds(tmp_path / "cache", "bytes", tmp_path / "found")
    for name in "compiled", "found":
        assert (tmp_path / name).read_bytes() == artifact.read_bytes()


def test_it_tells_what_is_in_it(artifact: Path) -> None:
    contents = rust_inductor.read_artifact(artifact)
    labels = {entry.label for entry in contents.entries}
    assert labels == {_native.host_label(), "trace of function in <string>"}
    assert sum(entry.bytes for entry in contents.entries) < artifact.stat().st_size
    assert len({entry.key for entry in contents.entries}) == len(contents.entries) > 1
    lines = str(contents).splitlines()
    assert lines[0] == f"digest {contents.digest}"
    assert len(lines) == len(contents.entries) + 3


def test_another_digest_is_an_error(artifact: Path) -> None:
    digest = rust_inductor.read_artifact(artifact).digest
    rust_inductor.load_artifact(artifact, digest=digest)
    with pytest.raises(ValueError, match=f"digest is {digest}, not {'0' * 64}"):
        rust_inductor.load_artifact(artifact, digest="0" * 64)


def test_damage_is_an_error(artifact: Path, tmp_path: Path) -> None:
    whole = artifact.read_bytes()
    for at, damaged in enumerate([b"", b"PK", whole[:-1], whole + b"x", whole[:100] + b"x" + whole[101:]]):
        path = tmp_path / str(at)
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match="no artifact of this version, or a damaged one"):
            rust_inductor.load_artifact(path)
    with pytest.raises(FileNotFoundError):
        rust_inductor.load_artifact(tmp_path / "nowhere")


def test_without_a_cache_there_is_nothing_to_save(tmp_path: Path) -> None:
    done = run(tmp_path / "cache", "save", tmp_path / "code", RUST_INDUCTOR_CACHE="0")
    assert "RuntimeError: the cache is off" in done.stderr
    assert not (tmp_path / "code").exists()


def test_code_for_other_machines_is_told_of(
    artifact: Path, monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
) -> None:
    rust_inductor.load_artifact(artifact)
    assert not recwarn
    monkeypatch.setattr(_native, "host_label", lambda: "CPU code for a pdp11")
    with pytest.warns(RuntimeWarning, match=r"not for this processor \(CPU code for a pdp11\), but: CPU code for"):
        rust_inductor.load_artifact(artifact)
    monkeypatch.setattr(_native, "load_artifact", lambda _: False)
    with pytest.warns(RuntimeWarning, match="another version"):
        rust_inductor.load_artifact(artifact)
