"""`./x test`: every check, each with its output, and a summary at the end.

`python -m tools.checks.run [--bless] [STAGE...]` runs all stages or those named. A failed stage does not keep the
others from running; the exit status is 0 only if all passed.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from tools import setup
from tools.checks import pythons, targets, tidy, torches, wheel
from tools.ui import ROOT, StepFailed, say

#: The crates with Rust tests. Those that call CPython are tested in Python: Rust tests would have to link libpython.
CRATES = ["--workspace", "--exclude", "rust-inductor", "--exclude", "rust-inductor-frame-hook"]
PYTHON_SOURCES = ["."]
PYTHON_TESTS = ["pybind/tests", "dynamo-core/tests", "tools"]
#: A process for each core, up to four, as each holds torch and its models; a file's tests share one, in their order.
IN_PARALLEL = ["-n", "auto", "--maxprocesses", "4", "--dist", "loadfile", "--no-loadscope-reorder"]
SUMMARY = re.compile(
    r"Summary \[|^=+ .*(passed|failed|error).* in .*=+$|^test result:|^Success: no issues|^Found \d+ err"
)
COLOUR = re.compile(r"\x1b\[[0-9;]*m")

Action = Callable[[], tuple[bool, str]]


@dataclass
class Outcome:
    """The outcome of a stage."""

    name: str
    passed: bool
    seconds: float
    summary: str = field(default="")


def cargo(*arguments: str, **env: str) -> Action:
    """A stage that runs cargo."""
    return command("cargo", *arguments, **env)


def command(*words: str, **env: str) -> Action:
    """A stage that runs a program."""
    return partial(run, list(words), env)


def run(words: list[str], env: dict[str, str]) -> tuple[bool, str]:
    """Runs a program, passing its output on; gives whether it passed and the last line that sums up its result."""
    say(f"$ {' '.join([*(f'{name}={value}' for name, value in env.items()), *words])}")
    process = subprocess.Popen(
        words, cwd=ROOT, env={**os.environ, **env}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert process.stdout is not None
    summary = ""
    for line in process.stdout:
        print(line, end="", flush=True)
        plain = COLOUR.sub("", line).strip()
        if SUMMARY.search(plain):
            summary = plain.strip("= ")
    return process.wait() == 0, summary


def build_package() -> tuple[bool, str]:
    """The extension module, as a user would install it."""
    try:
        setup.package(Path(sys.prefix))
    except StepFailed:
        return False, ""
    return True, ""


def stages(bless: bool) -> dict[str, Action]:
    """Every stage by name, in the order in which they run."""
    golden = {"UPDATE_EXPECT": "1"} if bless else {}
    python_golden = {"EXPECTTEST_ACCEPT": "1"} if bless else {}
    return {
        "fmt": cargo("fmt", "--all", "--check"),
        "tidy": tidy.stage,
        # With the sources that only `./x bench heuristics` has.
        "clippy": cargo(
            "clippy",
            "--workspace",
            "--all-targets",
            "--features",
            "rust-inductor/sweep",
            "--locked",
            "--",
            "-D",
            "warnings",
        ),
        "nextest": cargo("nextest", "run", *CRATES, "--no-fail-fast", "--status-level", "fail", **golden),
        "doctest": cargo("test", "--doc", *CRATES, "--quiet"),
        "rustdoc": cargo("doc", "--workspace", "--no-deps", RUSTDOCFLAGS="-D warnings"),
        "pythons": pythons.stage,
        "package": build_package,
        "pytest": command(
            "python", "-m", "pytest", "-q", "--durations=10", *IN_PARALLEL, *PYTHON_TESTS, **python_golden
        ),
        "ruff": command("ruff", "check", *PYTHON_SOURCES),
        "format": command("ruff", "format", "--check", *PYTHON_SOURCES),
        "mypy": command("mypy"),
        "book": command("mdbook", "build", "book"),
    }


#: Stages that run only if they are named: they take rights or room that tests should not.
NAMED: dict[str, Action] = {"wheel": wheel.stage, "torches": torches.stage, "targets": targets.stage}


def main() -> int:
    """Runs the stages and prints the summary."""
    parser = argparse.ArgumentParser(prog="./x test")
    parser.add_argument("stages", nargs="*", metavar="STAGE", help=f"one of {', '.join([*stages(False), *NAMED])}")
    parser.add_argument("--bless", action="store_true", help="rewrite golden files")
    options = parser.parse_args()
    usual = stages(options.bless)
    table = {**usual, **NAMED}
    unknown = [name for name in options.stages if name not in table]
    if unknown:
        parser.error(f"there is no stage {unknown[0]!r}; there are: {', '.join(table)}")
    outcomes = [timed(name, table[name]) for name in options.stages or usual]
    return report(outcomes)


def timed(name: str, action: Action) -> Outcome:
    """Runs one stage."""
    say(f"\n──── {name}")
    start = time.monotonic()
    passed, summary = action()
    return Outcome(name, passed, time.monotonic() - start, summary)


def report(outcomes: list[Outcome]) -> int:
    """Prints one line for each stage and the verdict."""
    print(f"\n{'stage':<10} {'seconds':>8}")
    for outcome in outcomes:
        verdict = "pass" if outcome.passed else "FAIL"
        print(f"{outcome.name:<10} {outcome.seconds:>8.1f}  {verdict}  {outcome.summary}".rstrip())
    failed = [outcome.name for outcome in outcomes if not outcome.passed]
    total = sum(outcome.seconds for outcome in outcomes)
    count = len(outcomes)
    if failed:
        print(f"FAILED: {', '.join(failed)} ({len(failed)} of {count} stages, {total:.0f} s)")
        return 1
    print(f"all {count} stages passed in {total:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
