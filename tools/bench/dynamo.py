"""`./x bench dynamo`: our own Dynamo beside torch's, on what users wait for: hits, captures, guards, memory.

Each figure is the median over fresh processes (`tools/bench/dynamo_worker.py`) of each one's median; the contenders
take turns, so that a slow minute of the machine hits both. The full run also lets the random functions of the tests
run by the thousand, compiled and as they are, and says how many of them give a graph.
"""

from __future__ import annotations

import argparse
import re
import statistics
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from tools import machine
from tools.bench.page import RESULTS, with_chapter
from tools.bench.processes import WorkerFailed, figures_of
from tools.ui import ROOT, Line, read_or_empty, say, table

HEADING = "# Our own Dynamo"
WORKER = "tools.bench.dynamo_worker"
#: The tasks that are measured, and whose Dynamo does each.
TASKS = {
    "hit": ("ours", "torch"),
    "other_calls": ("ours", "torch"),
    "capture": ("ours", "torch"),
    "capture_in_rust": ("ours",),
    "guards": ("ours", "torch"),
    "model": ("ours", "torch"),
}
METHOD = (
    "A hit: `x + 1` on one element behind backend `eager`, over the plain call. Other calls: a Python function that is"
    " left alone, called in a thread that is enabled, over the same in one that is not. Capture: from the call of a"
    " function of sixty operations, compiled for the first time, to the first line of a backend that takes a"
    " `GraphModule`; with our own backend, which takes the graph in Rust, to that. Guards: what two hundred tensors in"
    " a dict of dicts add to a hit. GPT-2: a call of twelve small layers behind a backend whose graph computes nothing."
    " Every row has the median over fresh processes, ours and torch's in turns, one"
    " thread."
)
SUMMARY = re.compile(r"(\d+) programs, (\d+) of them raise; (\d+) differ; (\d+)% give a graph")


@dataclass(frozen=True)
class Plan:
    """The extent of the measurements."""

    processes: int
    effort: int
    #: The number of random functions that run.
    programs: int


FULL = Plan(processes=7, effort=4, programs=10_000)
QUICK = Plan(processes=1, effort=1, programs=0)


@dataclass
class Samples:
    """The measurements that the processes told: by task and contender, the values of each figure."""

    values: dict[tuple[str, str], dict[str, list[float]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(list))
    )

    def add(self, task: str, contender: str, figures: dict[str, float]) -> None:
        """Takes in what one process told."""
        for name, value in figures.items():
            self.values[task, contender][name].append(value)

    def median(self, task: str, contender: str, figure: str) -> float:
        """The figure."""
        return statistics.median(self.values[task, contender][figure])


def main() -> int:
    """Measures and writes the chapter."""
    parser = argparse.ArgumentParser(prog="./x bench dynamo")
    parser.add_argument("--quick", action="store_true", help="one short process each: shows, but proves nothing")
    parser.add_argument("--processes", type=int, help="processes for each contender and figure")
    parser.add_argument("--programs", type=int, help="how many random functions run (10,000; with --quick none)")
    parser.add_argument("--seed", type=int, default=0, help="the first of the random functions")
    parser.add_argument("--output", type=Path, help="the page to write (bench/RESULTS.md; with --quick none)")
    options = parser.parse_args()
    base = QUICK if options.quick else FULL
    plan = Plan(
        processes=options.processes or base.processes,
        effort=base.effort,
        programs=base.programs if options.programs is None else options.programs,
    )
    try:
        samples = collect(plan)
        memory = figures_of(WORKER, ["memory", "ours", "--effort", str(plan.effort)])
        programs = random_functions(options.seed, plan.programs) if plan.programs else ""
    except WorkerFailed as failure:
        say(str(failure))
        return 1
    page = chapter(plan, samples, memory, programs)
    print(page)
    output = options.output or (None if options.quick else RESULTS)
    if output is not None:
        output.write_text(with_chapter(read_or_empty(output), page))
        say(f"written to {output}")
    return 0


def collect(plan: Plan) -> Samples:
    """Runs the processes, the contenders in turns."""
    samples, line = Samples(), Line()
    for turn in range(plan.processes):
        for task, contenders in TASKS.items():
            for contender in contenders:
                line.show(f"process {turn + 1} of {plan.processes}: {task}, {contender}", always=True)
                samples.add(task, contender, figures_of(WORKER, [task, contender, "--effort", str(plan.effort)]))
    line.clear()
    return samples


def random_functions(seed: int, count: int) -> str:
    """Runs the differential test at length; a sentence about it."""
    say(f"{count} random functions")
    words = [sys.executable, "-m", "pybind.tests.dynamo.fuzz.run", "--seed", str(seed), "--count", str(count)]
    run = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    for difference in re.findall(r"^seed \d+ .*", run.stdout, re.MULTILINE):
        say(difference)
    return programs_sentence(run.stdout, run.stderr)


def programs_sentence(told: str, errors: str) -> str:
    """The differential test's summary of itself, in a sentence."""
    found = SUMMARY.search(told)
    if found is None:
        raise WorkerFailed(f"the random functions failed:\n{errors[-3000:]}")
    programs, raised, differ, rate = map(int, found.groups())
    return (
        f"{programs:,} random functions, each called as it is and compiled: {rate} % give a graph (70 % asked),"
        f" {differ} differ from plain Python, {raised:,} raise."
    )


def chapter(plan: Plan, samples: Samples, memory: dict[str, float], programs: str) -> str:
    """The text for the results page."""
    parts = [
        HEADING,
        f"`./x bench dynamo` on {machine.description()}.",
        f"{METHOD} {plan.processes} processes each.",
        table(["what", "torch", "ours", "torch / ours", "asked"], rows(samples)),
        memory_sentence(memory),
        programs,
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def rows(samples: Samples) -> list[list[str]]:
    """The table."""

    def row(what: str, task: str, figure: str, asked: str, ours: str = "") -> list[str]:
        theirs, own = samples.median(task, "torch", figure), samples.median(ours or task, "ours", figure)
        return [what, duration(theirs), duration(own), f"{theirs / own:.1f}", asked]

    return [
        row("a hit of x + 1, over the plain call", "hit", "extra_ns", "≤ 1 µs"),
        row("a Python call that is not ours", "other_calls", "extra_ns", "≤ 60 ns"),
        row("capture of 60 operations, GraphModule included", "capture", "graph_ns", "≥ 20"),
        row("the same for our own backend", "capture", "graph_ns", "≥ 50", ours="capture_in_rust"),
        row("the whole first call, backend eager", "capture", "whole_ns", ""),
        row("guards of 200 tensors in a nested dict", "guards", "extra_ns", "≥ 4"),
        row("a call of GPT-2 without its graph", "model", "call_ns", "≥ 4"),
    ]


def duration(ns: float) -> str:
    """Nanoseconds in a unit that reads well."""
    for unit, size in (("ms", 1e6), ("µs", 1e3)):
        if abs(ns) >= size:
            return f"{ns / size:,.2f} {unit}"
    return f"{ns:.0f} ns"


def memory_sentence(memory: dict[str, float]) -> str:
    """The course of the resident memory, in a sentence."""

    def span(name: str) -> str:
        return f"{memory[f'{name}_before_mib']:.1f} to {memory[f'{name}_after_mib']:.1f} MiB"

    return (
        f"Resident memory of our process, from a tenth of the work to its end: {span('hits')} over"
        f" {memory['hits']:,} hits, {span('cycles')} over {memory['cycles']:,} functions compiled and discarded."
    )


if __name__ == "__main__":
    sys.exit(main())
