"""`./x bench cpu`, `patterns`, `dynamic`, `autotune`, `freezing`: ours, eager and Inductor by turns, in own processes.

A figure is the median over the processes of each one's median call. The first process of each kind finds empty
caches: its first call is the cold one. Those of ours that follow find what it has left. Results go to
bench/RESULTS.md, where each mode has its own chapter.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tools import machine
from tools.bench.contenders import MODES, Contender, Mode, milliseconds
from tools.bench.page import RESULTS, with_chapter
from tools.bench.processes import Event, WorkerFailed, cold_caches, run_worker
from tools.ui import Line, read_or_empty, say, table

if TYPE_CHECKING:
    from tools.bench.cases import Group


@dataclass(frozen=True)
class Plan:
    """The extent of the measurements."""

    processes: int
    threads: tuple[int, ...]
    seconds: float
    mode: Mode = MODES["cpu"]
    size: str = "full"


FULL = Plan(processes=5, threads=(1, 2), seconds=1.0)
QUICK = Plan(processes=1, threads=(1,), seconds=0.2)


@dataclass
class Samples:
    """The measurements that the processes told."""

    ms: dict[tuple[str, str, int], list[float]] = field(default_factory=lambda: defaultdict(list))
    cold: dict[tuple[str, str], Event] = field(default_factory=dict)
    #: Seconds of our share of the first call, of each case, where a process before it has filled the cache.
    warm: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    #: Milliseconds of each case and number of threads, of ours with its result given and of a copy of as many bytes.
    copies: dict[tuple[str, int], list[tuple[float, float]]] = field(default_factory=lambda: defaultdict(list))
    #: Of each case and contender with symbols, of the first processes: what sizes that it had not met cost it.
    resized: dict[tuple[str, str], list[Event]] = field(default_factory=lambda: defaultdict(list))

    def add(self, result: Event, threads: int, *, first: bool = True) -> None:
        """Takes in the result of one case from one process, which is the first of its kind or finds what that left."""
        case, backend = result["case"], result["backend"]
        self.ms[case, backend, threads].append(result["ms"][backend])
        if "copy" in result["ms"]:
            self.copies[case, threads].append((result["ms"]["given"], result["ms"]["copy"]))
        if "seconds" in result and first:
            self.cold.setdefault((case, backend), result)
        elif "seconds" in result and backend == "rust_inductor":
            self.warm[case].append(own_share(result))
        if "resized" in result:
            self.resized[case, backend].append(result["resized"])

    def median(self, case: str, backend: str, threads: int) -> float:
        """The figure."""
        return statistics.median(self.ms[case, backend, threads])

    def medians(self, case: str, mode: Mode, threads: int) -> dict[str, float]:
        """The figures of all contenders."""
        return {contender.name: self.median(case, contender.name, threads) for contender in mode.contenders}


def main() -> int:
    """Measures and writes the page."""
    from tools.bench.cases import GROUPS

    parser = argparse.ArgumentParser(prog="./x bench")
    parser.add_argument("mode", nargs="?", default="cpu", choices=MODES)
    parser.add_argument("--quick", action="store_true", help="one process each, one thread: shows, but proves nothing")
    parser.add_argument("--small", action="store_true", help="tiny programs, to try the harness itself")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="of: kernels, resnet50, bert, …, bert_small-training")
    parser.add_argument("--threads", type=int, nargs="+", help="numbers of threads")
    parser.add_argument("--processes", type=int, help="processes for each contender")
    parser.add_argument("--output", type=Path, help="the page to write (bench/RESULTS.md; with --quick none)")
    options = parser.parse_args()
    plan = QUICK if options.quick or options.small else FULL
    plan = Plan(
        processes=options.processes or plan.processes,
        threads=tuple(options.threads or plan.threads),
        seconds=plan.seconds,
        mode=MODES[options.mode],
        size="small" if options.small else "full",
    )
    chosen = [group.only(options.only) for group in GROUPS[options.mode]]
    chosen = [group for group in chosen if group.processes]
    output = options.output or (None if options.quick or options.small else RESULTS)
    page = ""
    try:
        for processes, samples in collect(plan, chosen):
            page = results_page(replace(plan, processes=processes), samples, chosen)
            if output is not None:
                # What was measured is kept, whatever becomes of the processes that are left.
                output.write_text(with_chapter(read_or_empty(output), page))
    except WorkerFailed as failure:
        say(str(failure))
        return 1
    print(page)
    if output is not None:
        say(f"written to {output}")
    return 0


def collect(plan: Plan, groups: Sequence[Group]) -> Iterator[tuple[int, Samples]]:
    """Runs all processes, and gives what is known after each turn, with the number of turns.

    In a turn every program has one process of each contender, one after the other, so that a slow minute of the machine
    hits all.
    """
    samples, line, start = Samples(), Line(), time.monotonic()
    processes = {name: cases for group in groups for name, cases in group.processes.items()}
    in_turn = [
        (threads, name, cases, contender)
        for threads in plan.threads
        for name, cases in processes.items()
        for contender in plan.mode.contenders
    ]
    with tempfile.TemporaryDirectory(prefix="inductor-cold-") as cold:
        for turn in range(plan.processes):
            for at, (threads, name, cases, contender) in enumerate(in_turn, turn * len(in_turn)):
                minutes = (time.monotonic() - start) / 60
                what = f"{name}, {contender.title}, {threads} threads, process {turn + 1}"
                line.show(f"{at}/{plan.processes * len(in_turn)}  {minutes:.1f} min  {what}", always=True)
                first = turn == 0
                arguments = arguments_for(plan, contender, name, threads, first=first)
                env = cold_caches(f"{cold}/{threads}", f"{contender.name}, {name}")
                for result in run_worker(contender.backend, cases, arguments, env):
                    samples.add(result, threads, first=first)
            line.clear()
            yield turn + 1, samples


def arguments_for(plan: Plan, contender: Contender, name: str, threads: int, *, first: bool) -> list[str]:
    """The arguments that tell a process what to do."""
    arguments = ["--threads", str(threads), "--seconds", str(plan.seconds), "--size", plan.size]
    arguments += ["--shapes", contender.shapes, "--asked", contender.asked]
    if first and contender.shapes != "static":
        arguments.append("--new-sizes")
    if (name, contender.title) == ("kernels", "ours"):
        arguments.append("--overhead")
    return arguments


def results_page(plan: Plan, samples: Samples, groups: Sequence[Group]) -> str:
    """A chapter of the page, in Markdown."""
    from tools.bench.cases import CASES

    command = "./x bench " + " ".join(sys.argv[1:] or ["cpu"])
    parts = [
        f"# {plan.mode.heading}",
        f"`{command}` on {machine.description()}.",
        f"{plan.mode.what} Each figure: the median over {plan.processes} processes of the median call in "
        "milliseconds, the contenders taking turns. Ratios above 1 mean that ours is faster"
        f"{', or dynamic faster than static' if samples.resized else ''}.",
    ]
    titles = {case: CASES[case].title for group in groups for case in group.cases}
    for threads in plan.threads:
        table_of_threads = speed_table(plan.mode, samples, titles, groups, threads)
        parts += [f"## {threads} thread{'s' * (threads != 1)}", table_of_threads]
    if samples.resized:
        parts += ["## New sizes", RESIZED, resized_table(plan.mode, samples, titles)]
    elif plan.mode is MODES["cpu"]:
        parts += ["## The cold first call", COLD, cold_table(samples, titles)]
    if samples.copies:
        parts += ["## Beside a copy", COPIED, copy_table(samples)]
    overhead = [ms for (case, _, _), times in samples.ms.items() if case == "overhead" for ms in times]
    if overhead:
        microseconds = statistics.median(overhead) * 1e3
        parts += ["## One operator on one element", f"Our callable takes {microseconds:.2f} µs (3 µs allowed)."]
    return "\n\n".join(parts) + "\n"


COLD = (
    "Seconds of the first call with empty caches, tracing included, and our own share of it (graph received to "
    "runnable); warm, the median of that share in later processes, which find on disk what the first has compiled. Of "
    "the kernels, the first carries what each compiler does once in a process."
)


COPIED = (
    "Large kernels that memory bounds, each with its result written to a given tensor, and a copy by torch that reads "
    "and writes as many bytes as their inputs and results have, to a given tensor, too, in the same process right "
    "after it; milliseconds, and the median of their ratios (1.15 is allowed)."
)


def own_share(result: Event) -> float:
    """Seconds of the first call that are our compiler's."""
    stages: dict[str, float] = result["stages"]
    return sum(seconds for stage, seconds in stages.items() if stage not in ("Dynamo", "AOTAutograd"))


RESIZED = (
    "What the compiled program does when it meets sizes in a random order, each for the first time: the median of "
    "those calls in milliseconds, and how many compilations it took in all, the first one included. A graph that is "
    "compiled again inside the backend counts, too."
)


def speed_table(mode: Mode, samples: Samples, titles: dict[str, str], groups: Sequence[Group], threads: int) -> str:
    """Milliseconds of each contender and the ratios."""
    rows = []
    for group in groups:
        figures = [samples.medians(case, mode, threads) for case in group.cases]
        rows += [[titles[case], *mode.cells(ms)] for case, ms in zip(group.cases, figures)]
        if len(figures) > 1:
            rows.append([f"geometric mean of {group.title}", *mode.mean_cells(figures)])
    return table(mode.header(), rows)


def resized_table(mode: Mode, samples: Samples, titles: dict[str, str]) -> str:
    """The first calls of new sizes, and compilations, of each contender that has symbols."""
    contenders = [it for it in mode.contenders if it.shapes != "static"]
    header = ["program", *(f"{it.title}: {what}" for it in contenders for what in ("ms", "compilations")), "sizes"]
    rows = []
    for case, title in titles.items():
        cells: list[str] = []
        for contender in contenders:
            found = samples.resized[case, contender.name]
            cells.append(milliseconds(statistics.median(it["ms"] for it in found)))
            cells.append(f"{statistics.median(it['compilations'] for it in found):g}")
        rows.append([title, *cells, str(found[0]["sizes"])])
    return table(header, rows)


def copy_table(samples: Samples) -> str:
    """Kernels beside copies."""
    from tools.bench.cases import CASES

    rows = []
    for (case, threads), found in samples.copies.items():
        ours, copy, ratio = (statistics.median(it) for it in zip(*((o, c, o / c) for o, c in found)))
        rows.append([CASES[case].title, str(threads), milliseconds(ours), milliseconds(copy), f"{ratio:.2f}"])
    return table(["program", "threads", "ours", "copy", "ours / copy"], rows)


def cold_table(samples: Samples, titles: dict[str, str]) -> str:
    """Seconds of the cold first call."""
    rows = []
    for case, title in titles.items():
        ours, theirs = samples.cold[case, "rust_inductor"], samples.cold[case, "inductor"]
        traced = [f"{ours['stages'][stage]:.2f}" for stage in ("Dynamo", "AOTAutograd")]
        warm = f"{statistics.median(samples.warm[case]):.3f}" if samples.warm[case] else ""
        shares = [f"{own_share(ours):.3f}", warm]
        rows.append([title, *traced, *shares, f"{ours['seconds']:.2f}", f"{theirs['seconds']:.2f}"])
    header = ["program", "Dynamo", "AOTAutograd", "our share", "warm", "our whole call", "Inductor's whole call"]
    return table(header, rows)


if __name__ == "__main__":
    sys.exit(main())
