"""`./x bench wgpu`: what a step costs a WebGPU device in launches, submissions, bytes, beside the CPU backend's counts.

Counts belong to the program and are the same on every adapter; the times of a software adapter say nothing of GPUs and
are not compared. The models are the small ones of the tests, with random weights.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import nn

import rust_inductor
from rust_inductor import _native
from tools import machine
from tools.bench.models import MODELS, build
from tools.bench.page import RESULTS, with_chapter
from tools.ui import read_or_empty, say, table

HEADING = "# A WebGPU device"
#: The models, and whether a step trains them.
PROGRAMS = {"bert": False, "gpt2": False, "resnet18": False, "vit": False, "mlp": True}
METHOD = (
    "A step is a call after the first, or forward and backward where it trains. Kernels are distinct ones, launches"
    " those of a step; library calls are matrix products, convolutions, attention and pooling. On the device a"
    " dispatch is a start of a shader (a kernel of two stages has two), and steps left to the processor are counted"
    " beside it. Pipelines are those that no program above has built: library kernels are shared. Bytes are what one"
    " step moves, weights having been uploaded by the first."
)
OVERHEAD = (
    "A chain of {many} products of matrices of 8×8 takes {extra:.1f} µs more for each product than a chain of one,"
    " recording, submission and the adapter's own work included; one product with upload, wait and download takes"
    " {single:.0f} µs."
)


@dataclass
class Told:
    """The counts of a compilation and of a step."""

    kernels: int = 0
    launches: int = 0
    calls: int = 0
    fallbacks: int = 0
    #: Pipelines that the process had not built before.
    pipelines: int = 0
    #: The device's counts in the first step and in a later one.
    first: dict[str, int] = field(default_factory=dict)
    step: dict[str, int] = field(default_factory=dict)


def main() -> int:
    """Counts and writes the chapter."""
    parser = argparse.ArgumentParser(prog="./x bench wgpu")
    parser.add_argument("--adapter", default="best", help="best, software, or a part of an adapter's name")
    parser.add_argument("--only", nargs="+", choices=PROGRAMS, help="these programs alone")
    parser.add_argument("--output", type=Path, help="the page to write (bench/RESULTS.md; with --only none)")
    options = parser.parse_args()
    device = {"device": "wgpu", "adapter": options.adapter}
    try:
        _native.check_options(device)
    except RuntimeError as error:
        say(str(error))
        return 1
    page = chapter(device, options.only or list(PROGRAMS))
    print(page)
    output = options.output or (None if options.only else RESULTS)
    if output is not None:
        output.write_text(with_chapter(read_or_empty(output), page))
        say(f"written to {output}")
    return 0


def chapter(device: dict[str, Any], programs: list[str]) -> str:
    """The text for the results page."""
    rows = []
    for name in programs:
        say(name)
        rows.append(row(name, observe(name, {}), observe(name, device)))
    adapter = _native.device_counters(device)["name"]
    single, extra, many = overhead(device)
    parts = [
        HEADING,
        f"`./x bench wgpu` on {machine.description()}; adapter: {adapter}.",
        METHOD,
        table(HEADER, rows),
        OVERHEAD.format(many=many, extra=extra, single=single),
    ]
    return "\n\n".join(parts) + "\n"


HEADER = [
    "program",
    "CPU: kernels",
    "launches",
    "library calls",
    "fallbacks",
    "device: kernels",
    "pipelines",
    "dispatches",
    "left to the CPU",
    "submissions",
    "waits",
    "KiB up, first",
    "KiB up",
    "KiB down",
]


def row(name: str, cpu: Told, gpu: Told) -> list[str]:
    """One line of the table."""
    title = MODELS[name].title + (", training" if PROGRAMS[name] else "")
    own = [cpu.kernels, cpu.launches, cpu.calls, cpu.fallbacks, gpu.kernels, gpu.pipelines]
    counted = [gpu.step[what] for what in ("dispatches", "host_steps", "submissions", "waits")]
    moved = [gpu.first["bytes_up"], gpu.step["bytes_up"], gpu.step["bytes_down"]]
    return [title, *map(str, [*own, *counted]), *(f"{amount / 1024:.1f}" for amount in moved)]


def observe(name: str, options: dict[str, Any]) -> Told:
    """Compiles a program, runs two steps, and says what came of it."""
    model, inputs = build(name, "small")
    told = Told()
    before = _native.device_counters(options).get("pipelines", 0)
    torch._dynamo.reset()
    run: Callable[..., Any] = rust_inductor.explain(model, options=options)
    explained = _step(run, inputs, model if PROGRAMS[name] else None)
    after_explain = _native.device_counters(options).get("pipelines", 0)
    for graph in explained.graphs:
        told.kernels += len(graph.kernels)
        told.launches += graph.launches
        told.calls += sum(why == "extern" for _, why in graph.calls)
        told.fallbacks += sum(why != "extern" for _, why in graph.calls)
    if options:
        torch._dynamo.reset()
        _native.reset()
        compiled = torch.compile(model, backend="rust_inductor", options=options, dynamic=False)
        told.first = counted(lambda: _step(compiled, inputs, model if PROGRAMS[name] else None), options)
        told.step = counted(lambda: _step(compiled, inputs, model if PROGRAMS[name] else None), options)
        told.pipelines = after_explain - before
    return told


def _step(run: Callable[..., Any], inputs: tuple[torch.Tensor, ...], trained: nn.Module | None) -> Any:
    """A call, and backward of the sum of its result where it trains."""
    if trained is None:
        with torch.no_grad():
            return run(*inputs)
    trained.zero_grad()
    result = run(*inputs)
    tensor = result if isinstance(result, torch.Tensor) else getattr(result, "result", result)
    tensor.sum().backward()
    return result


def counted(action: Callable[[], Any], options: dict[str, Any]) -> dict[str, int]:
    """The device's counts for an action."""
    before = _native.device_counters(options)
    action()
    after = _native.device_counters(options)
    return {name: after[name] - before[name] for name in after if name != "name"}


def overhead(options: dict[str, Any], many: int = 101) -> tuple[float, float, int]:
    """Microseconds of a chain of one product, and of each further one."""
    weight = torch.eye(8)

    def chain(length: int) -> float:
        def product(x: torch.Tensor) -> torch.Tensor:
            for _ in range(length):
                x = x @ weight
            return x

        compiled = torch.compile(product, backend="rust_inductor", options=options, dynamic=False)
        return _median_of(lambda: compiled(weight))

    single = chain(1)
    return single, (chain(many) - single) / (many - 1), many


def _median_of(action: Callable[[], Any]) -> float:
    """Microseconds of the median call of fifty."""
    for _ in range(3):
        action()
    times = []
    for _ in range(50):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e6


if __name__ == "__main__":
    sys.exit(main())
