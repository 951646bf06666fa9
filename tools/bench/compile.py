"""`./x bench compile`: what a user waits for before the first result, ours beside torch's.

Each figure is the time from the first call of a compiled program to its result, less a run of the program as it is; of
a training program, gradients included. Every contender has a process of its own with empty caches; torch is imported
before, and what its compiler imports beside. *Warm* is a second process that finds the caches of the first.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools import machine
from tools.bench.contenders import geometric_mean
from tools.bench.memory import import_all
from tools.bench.picture import Bars, bars
from tools.bench.processes import WorkerFailed, cold_caches, figures_of
from tools.ui import ROOT, Line, read_or_empty, say, table

HEADING = "# The first call"
PICTURE = ROOT / "book" / "src" / "compile-time.svg"


@dataclass(frozen=True)
class Contender:
    """One way to come to a first result."""

    title: str
    #: The backend that is passed to `torch.compile`; None for `rust_inductor.compile`.
    backend: str | None
    warm: bool = False


OURS = Contender("ours", None)
WARM = Contender("ours, warm", None, warm=True)
DROP_IN = Contender("ours as a backend", "rust_inductor")
DYNAMO = Contender("torch's Dynamo alone", "eager")
AOT = Contender("Dynamo and AOTAutograd", "aot_eager")
INDUCTOR = Contender("Inductor", "inductor")
CONTENDERS = (OURS, WARM, DROP_IN, DYNAMO, AOT, INDUCTOR)

#: Seconds of the first call by program and contender, of each process.
Samples = dict[tuple[str, Contender], list[dict[str, Any]]]


def measure(name: str, backend: str | None, size: str) -> dict[str, Any]:
    """Seconds of the first call in this process, of a run as it is, and of our stages."""
    import torch

    import rust_inductor  # noqa: F401
    from tools.bench.cases import CASES
    from tools.bench.figures import Recorder

    torch.set_num_threads(2)
    case = CASES[name]
    function, inputs = case.make(size)  # type: ignore[arg-type]
    # The first run does what torch does once in a process.
    case.run(function, inputs)
    eager = statistics.median(seconds_of(lambda: case.run(function, inputs)) for _ in range(3))
    recorder = Recorder()
    if backend is None:
        compiled: Callable[..., Any] = recorder.compile(function)
    else:
        import_all(backend)
        compiled = torch.compile(function, backend=backend)
    first = seconds_of(lambda: case.run(compiled, inputs))
    stages: dict[str, float] = {}
    if backend is None:
        spent = recorder.seconds()
        # Nothing of these programs goes through AOTAutograd: what is not the compiler's is the graph's way to it.
        stages = {"capture": recorder.captures, "graph passes": spent.pop("AOTAutograd"), **spent}
    return {"first": first, "eager": eager, "stages": stages}


def seconds_of(call: Callable[[], object]) -> float:
    """The seconds that one call takes."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def main() -> int:
    """Measures all programs and writes chapter and picture."""
    from tools.bench.cases import COMPILED
    from tools.bench.page import RESULTS, with_chapter

    parser = argparse.ArgumentParser(prog="./x bench compile")
    parser.add_argument("--only", nargs="+", choices=COMPILED, default=COMPILED)
    parser.add_argument("--processes", type=int, default=3, help="processes for each contender")
    parser.add_argument("--small", action="store_true", help="tiny programs, to try the harness itself")
    parser.add_argument("--output", type=Path, help="the page to write (bench/RESULTS.md; with --small none)")
    parser.add_argument("--worker", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        name, backend, size = options.worker
        print(json.dumps(measure(name, None if backend == "none" else backend, size)))
        return 0
    output = options.output or (None if options.small else RESULTS)
    try:
        samples = collect(options.only, options.processes, "small" if options.small else "full")
    except WorkerFailed as failure:
        say(str(failure))
        return 1
    text = chapter(options.only, samples, options.processes)
    print(text)
    if output is not None:
        output.write_text(with_chapter(read_or_empty(output), text))
        say(f"written to {output}")
    if output == RESULTS:
        PICTURE.write_text(picture(options.only, samples))
        say(f"drawn in {PICTURE}")
    return 0


def collect(names: Sequence[str], processes: int, size: str) -> Samples:
    """Runs every contender on every program, in turns."""
    samples: Samples = defaultdict(list)
    line = Line()
    with tempfile.TemporaryDirectory(prefix="inductor-cold-") as caches:
        for turn in range(processes):
            for name in names:
                for contender in CONTENDERS:
                    line.show(f"{name}, {contender.title}, process {turn + 1}", always=True)
                    # The warm one finds what the first of ours has left.
                    env = cold_caches(f"{caches}/{turn}/{contender.backend}", name)
                    worker = ["--worker", name, contender.backend or "none", size]
                    samples[name, contender].append(figures_of("tools.bench.compile", worker, env))
    line.clear()
    return samples


def added(samples: Samples, name: str, contender: Contender) -> float:
    """Seconds that a contender adds to the first call; a measurement below a millisecond is taken for one."""
    differences = [float(it["first"] - it["eager"]) for it in samples[name, contender]]
    return max(statistics.median(differences), 1e-3)


def chapter(names: Sequence[str], samples: Samples, processes: int) -> str:
    """The chapter of the results page."""
    from tools.bench.cases import CASES

    rows, ratios = [], defaultdict(list)
    others = (DROP_IN, DYNAMO, AOT, INDUCTOR)
    for name in names:
        ours = added(samples, name, OURS)
        rows.append([CASES[name].title, *(f"{added(samples, name, it):.3f}" for it in CONTENDERS)])
        for other in others:
            ratios[other].append(added(samples, name, other) / ours)
    means = [f"{geometric_mean(ratios[it]):.1f}" if it in ratios else "" for it in CONTENDERS]
    rows.append(["geometric mean of theirs / ours", *means])
    what = (
        "Seconds from the first call to its result (of training, gradients included), less a run of the program as it"
        f" is: the median over {processes} processes of each, with two threads, empty caches, and everything imported"
        " before that the compiler in question imports. Warm: another process, which finds the caches of the first."
    )
    parts = [
        HEADING,
        f"`{' '.join(['./x bench compile', *sys.argv[1:]])}` on {machine.description()}.",
        what,
        table(["program", *(it.title for it in CONTENDERS)], rows),
        "## Where ours goes",
        "Milliseconds of the cold first call of ours by stage; the rest is the difference to the whole: guards, the"
        " first run of the kernels and of the library beside one as it is, and memory that is touched for the first"
        " time.",
        stages_table(names, samples),
    ]
    return "\n\n".join(parts) + "\n"


def stages_table(names: Sequence[str], samples: Samples) -> str:
    """Milliseconds of each program by stage."""
    from tools.bench.cases import CASES

    def of(name: str, stage: str) -> float:
        return statistics.median([float(it["stages"].get(stage, 0.0)) for it in samples[name, OURS]])

    found = (stage for name in names for it in samples[name, OURS] for stage in it["stages"])
    stages = [stage for stage in dict.fromkeys(found) if any(of(name, stage) >= 5e-5 for name in names)]
    rows = []
    for name in names:
        spent = [of(name, stage) for stage in stages]
        rest = added(samples, name, OURS) - sum(spent)
        rows.append([CASES[name].title, *(f"{seconds * 1e3:.1f}" for seconds in [*spent, rest])])
    return table(["program", *stages, "rest"], rows)


def picture(names: Sequence[str], samples: Samples) -> str:
    """The first table as bars."""
    from tools.bench.cases import CASES

    shown = (WARM, OURS, DYNAMO, AOT, INDUCTOR)
    groups = {
        CASES[name].title: [Bars(contender.title, added(samples, name, contender)) for contender in shown]
        for name in names
    }
    return bars("Seconds that compiling adds to the first call (logarithmic)", groups)


if __name__ == "__main__":
    sys.exit(main())
