"""`./x bench memory`: what a call needs at its peak, and what compiling adds.

A *call* is counted in bytes that torch's allocator hands out at once, inputs and parameters not counted; to ours the
arena is added, which all graphs share, which is kept between calls and which the allocator does not see. *Compiling* is
counted in resident memory: its peak during the first call over what the process held before, and the processes that it
starts.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tools import machine
from tools.bench.processes import WorkerFailed, figures_of
from tools.ui import Line, read_or_empty, say, table

BACKENDS = ("eager", "rust_inductor", "inductor")
DEFAULT = ("resnet50", "bert", "gpt2", "resnet18-training", "bert_small-training")
MIB = 1 << 20


def measure(name: str, backend: str) -> dict[str, Any]:
    """The figures of one program, taken in this process."""
    import torch

    from tools.bench.cases import CASES
    from tools.bench.figures import Recorder

    torch.set_num_threads(1)
    case = CASES[name]
    function, inputs = case.make("full")
    recorder = Recorder()
    compiled: Callable[..., Any] = function
    case.run(function, inputs)
    if backend != "eager":
        import_all(backend)
        if backend == "rust_inductor":
            compiled = recorder.compile(function, dynamic=False)
        else:
            compiled = torch.compile(function, backend=backend, dynamic=False)
    before, children = resident("VmRSS"), len(processes())
    Path("/proc/self/clear_refs").write_text("5")
    case.run(compiled, inputs)
    added, started = resident("VmHWM") - before, len(processes()) - children
    case.run(compiled, inputs)
    arena = max((graph.arena_bytes for graph in recorder.graphs), default=0)
    return {"call": allocated(lambda: case.run(compiled, inputs)) + arena, "added": added, "processes": started}


def import_all(backend: str) -> None:
    """Imports what the first compilation would: that is no part of it."""
    ours = ["rust_inductor._aot"] if backend == "rust_inductor" else ["torch._inductor.compile_fx"]
    for name in ["torch._dynamo", "torch._functorch.aot_autograd", *ours]:
        importlib.import_module(name)


def allocated(call: Callable[[], object]) -> int:
    """The most bytes that torch's allocator has handed out at once during a call."""
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as seen:
        result = call()
    del result
    assert seen.profiler is not None and seen.profiler.kineto_results is not None
    events = [it for it in seen.profiler.kineto_results.events() if it.name() == "[memory]"]
    now = peak = 0
    for event in sorted(events, key=lambda it: it.start_ns()):
        now += event.nbytes()
        peak = max(peak, now)
    return peak


def resident(field: str) -> int:
    """A field of the process's status, in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    found = next(line for line in lines if line.startswith(f"{field}:"))
    return int(found.split()[1]) * 1024


def processes() -> set[str]:
    """The processes that this one has started."""
    tasks = Path(f"/proc/{os.getpid()}/task").glob("*/children")
    return {child for task in tasks for child in task.read_text().split()}


def main() -> int:
    """Measures each program with each backend in a process of its own."""
    from tools.bench.cases import CASES
    from tools.bench.page import RESULTS, with_chapter

    parser = argparse.ArgumentParser(prog="./x bench memory")
    parser.add_argument("--only", nargs="+", choices=CASES, default=DEFAULT)
    parser.add_argument("--output", type=Path, default=RESULTS)
    parser.add_argument("--worker", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        print(json.dumps(measure(*options.worker)))
        return 0
    line, rows = Line(), []
    for name in options.only:
        figures = []
        for backend in BACKENDS:
            line.show(f"{name}, {backend}", always=True)
            worker = ["--worker", name, backend]
            try:
                figures.append(figures_of("tools.bench.memory", worker, {"RUST_INDUCTOR_CACHE": "0"}))
            except WorkerFailed as failure:
                say(str(failure))
                return 1
        rows.append(cells(CASES[name].title, figures))
    line.clear()
    text = chapter(rows)
    print(text)
    options.output.write_text(with_chapter(read_or_empty(options.output), text))
    return 0


def cells(title: str, figures: list[dict[str, Any]]) -> list[str]:
    """The row of one program: a call's peak for each backend; what compiling adds, for those that compile."""
    compilers = figures[1:]
    added = [f"{it['added'] / MIB:.0f}" for it in compilers]
    return [title, *(f"{it['call'] / MIB:.1f}" for it in figures), *added, *(str(it["processes"]) for it in compilers)]


def chapter(rows: list[list[str]]) -> str:
    """The chapter of the results page."""
    header = ["program", "eager", "ours", "Inductor", "compiling: ours", "Inductor", "processes: ours", "Inductor"]
    return (
        "\n\n".join(
            [
                "# Memory on the CPU",
                f"`./x bench memory` on {machine.description()}.",
                "MiB. What a call has allocated at its peak, parameters and inputs not counted, our arena included; "
                "then what the first call adds to resident memory at its peak, results and arena included (300 "
                "allowed), and how many "
                "processes it starts. One thread, each figure from a process of its own.",
                table(header, rows),
            ]
        )
        + "\n"
    )


if __name__ == "__main__":
    sys.exit(main())
