"""`./x bench cpu`: ours against eager and Inductor, each in processes of its own, turn by turn.

A figure is the median over the processes of each one's median call. The first process of each kind finds empty
caches: its first call is the cold one. Results go to bench/RESULTS.md.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tools import machine
from tools.processes import Event, WorkerFailed, cold_inductor, run_worker
from tools.ui import ROOT, Line, say, table

BACKENDS = ("eager", "rust_inductor", "inductor")
TITLES = {"eager": "eager", "rust_inductor": "ours", "inductor": "Inductor"}
MODELS = ("resnet50", "bert", "gpt2")
RESULTS = ROOT / "bench" / "RESULTS.md"


@dataclass(frozen=True)
class Plan:
    """How much is measured."""

    processes: int
    threads: tuple[int, ...]
    seconds: float
    size: str = "full"


FULL = Plan(processes=5, threads=(1, 2), seconds=1.0)
QUICK = Plan(processes=1, threads=(1,), seconds=0.2)


@dataclass
class Samples:
    """What the processes told."""

    ms: dict[tuple[str, str, int], list[float]] = field(default_factory=lambda: defaultdict(list))
    cold: dict[tuple[str, str], Event] = field(default_factory=dict)

    def add(self, result: Event, threads: int) -> None:
        """Takes in the result of one case from one process."""
        case, backend = result["case"], result["backend"]
        self.ms[case, backend, threads].append(result["ms"][backend])
        if "seconds" in result:
            self.cold.setdefault((case, backend), result)

    def median(self, case: str, backend: str, threads: int) -> float:
        """The figure."""
        return statistics.median(self.ms[case, backend, threads])


def main() -> int:
    """Measures and writes the page."""
    from tools.cases import KERNELS

    parser = argparse.ArgumentParser(prog="./x bench")
    parser.add_argument("device", nargs="?", default="cpu", choices=["cpu"])
    parser.add_argument("--quick", action="store_true", help="one process each, one thread: shows, but proves nothing")
    parser.add_argument("--small", action="store_true", help="tiny programs, to try the harness itself")
    parser.add_argument("--only", nargs="+", metavar="GROUP", help="of: kernels, resnet50, bert, gpt2")
    parser.add_argument("--threads", type=int, nargs="+", help="numbers of threads")
    parser.add_argument("--processes", type=int, help="processes for each contender")
    parser.add_argument("--output", type=Path, help="the page to write (bench/RESULTS.md; with --quick none)")
    options = parser.parse_args()
    plan = QUICK if options.quick or options.small else FULL
    plan = Plan(
        processes=options.processes or plan.processes,
        threads=tuple(options.threads or plan.threads),
        seconds=plan.seconds,
        size="small" if options.small else "full",
    )
    groups = {"kernels": tuple(KERNELS), **{model: (model,) for model in MODELS}}
    chosen = {name: cases for name, cases in groups.items() if not options.only or name in options.only}
    try:
        samples = collect(plan, chosen)
    except WorkerFailed as failure:
        say(str(failure))
        return 1
    page = results_page(plan, samples, chosen)
    print(page)
    output = options.output or (None if options.quick or options.small else RESULTS)
    if output is not None:
        output.write_text(page)
        say(f"written to {output}")
    return 0


def collect(plan: Plan, groups: dict[str, tuple[str, ...]]) -> Samples:
    """Runs all processes: contenders take turns within a group, so that a slow minute of the machine hits all."""
    samples, line, start = Samples(), Line(), time.monotonic()
    total = len(plan.threads) * plan.processes * len(groups) * len(BACKENDS)
    done = 0
    with tempfile.TemporaryDirectory(prefix="inductor-cold-") as cold:
        for threads in plan.threads:
            env = cold_inductor(f"{cold}/{threads}")
            arguments = ["--threads", str(threads), "--seconds", str(plan.seconds), "--size", plan.size]
            for turn in range(plan.processes):
                for group, cases in groups.items():
                    for backend in BACKENDS:
                        minutes = (time.monotonic() - start) / 60
                        what = f"{group}, {TITLES[backend]}, {threads} threads, process {turn + 1}"
                        line.show(f"{done}/{total}  {minutes:.1f} min  {what}", always=True)
                        extra = ["--overhead"] if (group, backend) == ("kernels", "rust_inductor") else []
                        for result in run_worker(backend, cases, [*arguments, *extra], env):
                            samples.add(result, threads)
                        done += 1
    line.clear()
    return samples


def results_page(plan: Plan, samples: Samples, groups: dict[str, tuple[str, ...]]) -> str:
    """The page, in Markdown."""
    from tools.cases import CASES

    command = "./x bench " + " ".join(sys.argv[1:] or ["cpu"])
    parts = [
        "# Benchmarks on the CPU",
        f"`{command}` on {machine.description()}.",
        f"Inference, float32. Each figure: the median over {plan.processes} processes of the median call in "
        "milliseconds, the contenders taking turns. Ratios above 1 mean that ours is faster.",
    ]
    titles = {case: CASES[case].title for cases in groups.values() for case in cases}
    for threads in plan.threads:
        parts += [f"## {threads} thread{'s' * (threads != 1)}", speed_table(samples, titles, groups, threads)]
    parts += ["## The cold first call", COLD, cold_table(samples, titles)]
    overhead = [ms for (case, _, _), times in samples.ms.items() if case == "overhead" for ms in times]
    if overhead:
        microseconds = statistics.median(overhead) * 1e3
        parts += ["## One operator on one element", f"Our callable takes {microseconds:.2f} µs (3 µs allowed)."]
    return "\n\n".join(parts) + "\n"


COLD = (
    "Seconds of the first call with empty caches, tracing included, and our own share of it (graph received to "
    "runnable). Of the kernels, the first carries what each compiler does once in a process."
)


def speed_table(samples: Samples, titles: dict[str, str], groups: dict[str, tuple[str, ...]], threads: int) -> str:
    """Milliseconds of each contender and the ratios."""
    rows = []
    for group, cases in groups.items():
        figures = [[samples.median(case, backend, threads) for backend in BACKENDS] for case in cases]
        rows += [[titles[case], *cells(figure)] for case, figure in zip(cases, figures)]
        if len(cases) > 1:
            rows.append([f"geometric mean of {group}", "", "", "", *(f"{r:.2f}" for r in mean_ratios(figures))])
    return table(["program", *TITLES.values(), "eager / ours", "Inductor / ours"], rows)


def cells(figures: Sequence[float]) -> list[str]:
    """Three times and two ratios."""
    eager, ours, inductor = figures
    return [
        *(f"{ms:.4f}" if ms < 10 else f"{ms:.2f}" for ms in figures),
        f"{eager / ours:.2f}",
        f"{inductor / ours:.2f}",
    ]


def mean_ratios(figures: Iterable[Sequence[float]]) -> tuple[float, float]:
    """Geometric means of eager's and Inductor's time over ours."""
    rows = list(figures)
    return (
        math.exp(statistics.fmean(math.log(eager / ours) for eager, ours, _ in rows)),
        math.exp(statistics.fmean(math.log(inductor / ours) for _, ours, inductor in rows)),
    )


def cold_table(samples: Samples, titles: dict[str, str]) -> str:
    """Seconds of the cold first call."""
    rows = []
    for case, title in titles.items():
        ours, theirs = samples.cold[case, "rust_inductor"], samples.cold[case, "inductor"]
        share = sum(seconds for stage, seconds in ours["stages"].items() if stage not in ("Dynamo", "AOTAutograd"))
        traced = [f"{ours['stages'][stage]:.2f}" for stage in ("Dynamo", "AOTAutograd")]
        rows.append([title, *traced, f"{share:.3f}", f"{ours['seconds']:.2f}", f"{theirs['seconds']:.2f}"])
    return table(["program", "Dynamo", "AOTAutograd", "our share", "our whole call", "Inductor's whole call"], rows)


if __name__ == "__main__":
    sys.exit(main())
