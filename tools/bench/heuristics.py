"""Times programs with a quarter and with four times of each heuristic's value.

`./x bench heuristics [--rows NAME...] [--programs TEXT] [--every N]` builds the extension with the feature `sweep` and
writes `bench/heuristics.json`, which the book's page of heuristics is printed from, unless programs are chosen; rows
that are chosen replace their own entries. All programs take most of an hour.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tools.bench.cases import PATTERN_CASES, TIMED_KERNELS, Case
from tools.bench.worker import batch_size, seconds_of
from tools.machine import description
from tools.ui import ROOT

RESULTS = ROOT / "bench" / "heuristics.json"
FACTORS = {"quarter": 0.25, "fourfold": 4.0}
#: Rounds of each look: where one sees a change, the next has to see it, too.
ROUNDS = (5, 15, 25)
#: A change of times by less is noise.
NOISE = 0.05
#: The reasons why rows are not timed here, by what their names begin with.
NOT_TIMED = {
    "autotune_": "compile time",
    "bounds_": "compile time",
    "device_": "memory of a GPU",
    "grid_": "a GPU",
    "late_": "memory",
    "lender_": "memory",
    "nest_most_splits": "compile time",
    "product_": "own products, which lose to this library's",
    "unknown_size": "no hint, which each program has",
}

Call = Callable[[], object]


def main() -> None:
    """Sweeps the rows, one after the other."""
    parser = argparse.ArgumentParser(prog="./x bench heuristics")
    parser.add_argument("--rows", nargs="+", help="only these")
    parser.add_argument("--programs", default="", help="only programs whose names have this in them")
    parser.add_argument("--every", type=int, default=1, help="one of so many programs")
    options = parser.parse_args()
    programs = [Program(name, case) for name, case in list(chosen(options.programs))[:: options.every]]
    found: dict[str, dict[str, Any]] = {
        row: {"not_timed": reason} for row, _ in every_row() if (reason := why_not_timed(row))
    }
    for row, value in rows(options.rows):
        found[row] = {"programs": len(programs)}
        found[row] |= {which: changes(programs, row, value * factor) for which, factor in FACTORS.items()}
        print(row, json.dumps(found[row]), flush=True)
    if not options.programs and options.every == 1:
        before = json.loads(RESULTS.read_text())["rows"] if options.rows else {}
        report = {"machine": description(), "rows": before | found}
        RESULTS.write_text(json.dumps(report, indent=1) + "\n")


def chosen(text: str) -> Iterator[tuple[str, Case]]:
    """The patterns and kernels with this in their names."""
    patterns = {name: case for cases in PATTERN_CASES.values() for name, case in cases.items()}
    return ((name, case) for name, case in (patterns | TIMED_KERNELS).items() if text in name)


def rows(names: list[str] | None) -> list[tuple[str, float]]:
    """The rows that are timed, with their values."""
    return [row for row in every_row() if (row[0] in names if names else not why_not_timed(row[0]))]


def every_row() -> list[tuple[str, float]]:
    """All rows, with their values."""
    rows: list[tuple[str, float]] = native().heuristics()
    return rows


def why_not_timed(row: str) -> str | None:
    """The reason why a row is not timed, if it is not."""
    return next((reason for start, reason in NOT_TIMED.items() if row.startswith(start)), None)


def native() -> Any:
    """The extension, which tells and replaces values if it was built for that."""
    from rust_inductor import _native

    if not hasattr(_native, "replace_heuristic"):
        raise SystemExit("the extension was built without the feature `sweep`: use ./x bench heuristics")
    return _native


class Program:
    """A program and its inputs."""

    def __init__(self, name: str, case: Case) -> None:
        self.name, self.case = name, case
        self.function, self.inputs = case.make("full")
        self.count = batch_size(self.compiled())

    def compiled(self) -> Call:
        """The program compiled afresh, and called."""
        import rust_inductor

        program = self.function

        def call_program(*args: Any) -> Any:
            return program(*args)

        # What is compiled of a code object is kept with it.
        call_program.__code__ = call_program.__code__.replace()
        compiled = rust_inductor.compile(call_program, dynamic=False, options={"cache": False})

        def call() -> object:
            return self.case.run(compiled, self.inputs)

        call()
        return call

    def ratio(self, row: str, value: float) -> float:
        """The factor by which another value of a row changes the program's time; 1 if that is not seen each time."""
        ratios: list[float] = []
        for rounds in ROUNDS:
            ratios.append(self.compared(row, value, rounds))
            nearest = min(ratios, key=lambda ratio: abs(ratio - 1))
            if abs(nearest - 1) < NOISE or min(ratios) < 1 < max(ratios):
                return 1.0
        return nearest

    def compared(self, row: str, value: float, rounds: int) -> float:
        """The ratio of median times, taken in turn, of the program compiled afresh with both values."""
        plain = self.compiled()
        with replaced(row, value):
            other = self.compiled()
        times: tuple[list[float], list[float]] = ([], [])
        for _ in range(rounds):
            times[0].append(seconds_of(plain, self.count))
            # Some rows are read when a kernel is launched.
            with replaced(row, value):
                times[1].append(seconds_of(other, self.count))
        return statistics.median(times[1]) / statistics.median(times[0])


@contextmanager
def replaced(row: str, value: float) -> Iterator[None]:
    """The row has this value."""
    native().replace_heuristic(row, value)
    try:
        yield
    finally:
        native().replace_heuristic()


def changes(programs: list[Program], row: str, value: float) -> dict[str, Any]:
    """Counts programs that take longer and shorter with another value of a row, and names the one that changes most."""
    ratios = {program.name: program.ratio(row, value) for program in programs}
    changed = {name: ratio for name, ratio in ratios.items() if abs(ratio - 1) >= NOISE}
    slower = sum(ratio > 1 for ratio in changed.values())
    if not changed:
        return {"slower": 0, "faster": 0}
    most = max(changed, key=lambda name: max(changed[name], 1 / changed[name]))
    return {"slower": slower, "faster": len(changed) - slower, "most": [most, round(changed[most], 3)]}


if __name__ == "__main__":
    main()
