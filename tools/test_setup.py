"""Set-up steps run once, and again when what they depend on has changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import setup
from tools.ui import ROOT, StepFailed, run_step, table


def test_once_runs_for_each_new_key(tmp_path: Path) -> None:
    runs: list[str] = []
    stamp = tmp_path / "deep" / "stamp"
    for key in ["a", "a", "b", "b", "a"]:
        setup.once(stamp, key, lambda key=key: runs.append(key))  # type: ignore[misc]
    assert runs == ["a", "b", "a"]


def test_a_failed_step_leaves_no_stamp(tmp_path: Path) -> None:
    stamp = tmp_path / "stamp"
    setup.once(stamp, "a", lambda: None)
    with pytest.raises(StepFailed):
        setup.once(stamp, "b", lambda: run_step("false", ["false"]))
    assert not stamp.exists()


def test_the_package_is_built_from_crates_and_manifests() -> None:
    names = {path.relative_to(ROOT).as_posix() for path in setup.package_sources()}
    assert {"Cargo.toml", "fx/src/lib.rs", "fx/src/aten/schemas.txt", "pybind/pyproject.toml"} <= names
    assert not any(name.startswith(("target/", "pybind/tests/", "book/")) for name in names)


def test_a_failing_command_shows_its_output(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(StepFailed):
        run_step("a step", ["sh", "-c", "echo what went wrong; exit 3"])
    shown = capfd.readouterr().err
    assert "what went wrong" in shown
    assert "a step: failed" in shown


def test_tables_align() -> None:
    assert table(["program", "ms"], [["a", "10.25"], ["longer name", "1.00"]]) == (
        "| program     |    ms |\n|-------------|------:|\n| a           | 10.25 |\n| longer name |  1.00 |"
    )
