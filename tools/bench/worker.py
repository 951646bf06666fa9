"""One process that measures one contender: started by the demo and the benchmarks, so that each has its own process.

`python -m tools.bench.worker --backend NAME CASE...` prints a line of JSON for each event: what it is doing, and for
each case the figures. `--with-eager` compares and times eager in the same process, turn by turn.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
import torch._dynamo
from torch import Tensor

from tools import accuracy
from tools.bench.cases import CASES, Axis, resized
from tools.bench.contenders import Asked, Shapes, name_of
from tools.bench.figures import Recorder, torch_seconds

BATCH_SECONDS = 0.002
MIN_ROUNDS = 5
#: The number of sizes that a program with symbols meets after the one that it is timed on.
NEW_SIZES = 20
#: The option `dynamic` of `torch.compile`: with None, only what is marked is a symbol from the start.
DYNAMIC: dict[Shapes, bool | None] = {"static": False, "first": None, "all": True}
ASKED: dict[Asked, dict[str, Any]] = {
    "nothing": {},
    "tuned": {"mode": "max-autotune"},
    "frozen": {"options": {"freezing": True}},
}


def emit(**event: Any) -> None:
    """Prints an event."""
    print(json.dumps(event), flush=True)


def main() -> None:
    """Measures each case in turn."""
    parser = argparse.ArgumentParser(prog="tools.bench.worker")
    parser.add_argument("--backend", required=True, choices=["eager", "rust_inductor", "inductor"])
    parser.add_argument("--shapes", default="static", choices=["static", "first", "all"], help="which are symbols")
    parser.add_argument("--asked", default="nothing", choices=ASKED, help="what is asked of the compiler")
    parser.add_argument("--new-sizes", action="store_true", help="call it with other sizes, too")
    parser.add_argument("--size", default="full", choices=["full", "small"])
    parser.add_argument("--threads", type=int, default=0, help="0 leaves torch's own number")
    parser.add_argument("--seconds", type=float, default=2.0, help="time spent on timing each contender of each case")
    parser.add_argument("--with-eager", action="store_true")
    parser.add_argument("--overhead", action="store_true", help="time a one-operator graph, too")
    parser.add_argument("cases", nargs="+", choices=CASES)
    options = parser.parse_args()
    if options.threads:
        torch.set_num_threads(options.threads)
    for name in options.cases:
        measure(name, options)
    if options.overhead:
        with torch.no_grad():
            emit(event="result", case="overhead", backend=options.backend, ms={options.backend: overhead() * 1e3})


def measure(name: str, options: argparse.Namespace) -> None:
    """Builds, compiles, compares and times one case."""
    emit(event="phase", case=name, phase="building")
    case = CASES[name]
    function, inputs = case.make(options.size)
    who = name_of(options.backend, options.shapes, options.asked)
    calls: dict[str, Callable[[], object]] = {}
    if options.with_eager or options.backend == "eager":
        calls["eager"] = lambda: case.run(function, inputs)
    case.run(function, inputs)  # so that what torch itself does once is not taken for compilation
    result: dict[str, Any] = {}
    if options.backend != "eager":
        torch.compiler.reset()
        torch._dynamo.utils.counters.clear()
        recorder = Recorder()
        dynamic, asked = DYNAMIC[options.shapes], ASKED[options.asked]
        if options.backend == "rust_inductor":
            compiled = recorder.compile(function, dynamic=dynamic, **asked)
        else:
            compiled = torch.compile(function, backend=options.backend, dynamic=dynamic, **asked)
        mark(inputs, case.axes, options.shapes)
        calls[who] = lambda: case.run(compiled, inputs)
        emit(event="phase", case=name, phase="compiling")
        result = compile_figures(calls[who], options.backend, recorder)
    if len(calls) == 2:
        emit(event="phase", case=name, phase="comparing")
        ours, eager = calls[who](), calls["eager"]()
        result["difference"] = accuracy.largest_difference(ours, eager)
    emit(event="phase", case=name, phase="timing")
    medians = median_seconds(calls, options.seconds)
    if case.streams and options.backend == "rust_inductor":
        medians |= beside_a_copy(function, inputs, options.seconds)
    result["ms"] = {name: seconds * 1e3 for name, seconds in medians.items()}
    if options.new_sizes:
        emit(event="phase", case=name, phase="changing sizes")
        with torch.no_grad():
            result["resized"] = resizing_figures(compiled, inputs, case.axes, options.shapes, recorder)
    emit(event="result", case=name, backend=who, threads=torch.get_num_threads(), **result)


def beside_a_copy(function: Callable[..., Tensor], inputs: Sequence[Tensor], seconds: float) -> dict[str, float]:
    """The function with its result written to a given tensor, and a copy that reads and writes as many bytes."""

    def into(result: Tensor, *inputs: Tensor) -> None:
        result.copy_(function(*inputs))

    with torch.no_grad():
        result = function(*inputs)
        compiled = torch.compile(into, backend="rust_inductor", dynamic=False)
        compiled(result, *inputs)
        elements = sum(it.nbytes for it in (*inputs, result)) // (2 * result.element_size())
        source, target = torch.randn(elements), torch.empty(elements)
        # Not in turn: each would find the caches full of what the other has read.
        given = median_seconds({"given": lambda: compiled(result, *inputs)}, seconds)
        return given | median_seconds({"copy": lambda: target.copy_(source)}, seconds)


def compile_figures(call: Callable[[], object], backend: str, recorder: Recorder) -> dict[str, Any]:
    """Makes the first call and says where its time went."""
    before = torch_seconds()
    start = time.perf_counter()
    call()
    total = time.perf_counter() - start
    if backend != "rust_inductor":
        spent = {name: seconds - before[name] for name, seconds in torch_seconds().items()}
        stages = {"Dynamo": spent["all"] - spent["backend"], backend: spent["backend"]}
        return {"seconds": total, "stages": stages}
    stages = {"Dynamo": recorder.captures, **recorder.seconds()}
    return {"seconds": total, "stages": stages, "counts": recorder.counts()}


def mark(inputs: tuple[Tensor, ...], axes: tuple[Axis, ...], shapes: Shapes) -> None:
    """Says which sizes change; `dynamic=True` says it of all."""
    if shapes == "first":
        for argument, dim in axes[0]:
            torch._dynamo.mark_dynamic(inputs[argument], dim)


def resizing_figures(
    compiled: Callable[..., object],
    inputs: tuple[Tensor, ...],
    axes: tuple[Axis, ...],
    shapes: Shapes,
    recorder: Recorder,
) -> dict[str, Any]:
    """Calls the program with sizes that it has not met: what a first call takes, and all compilations so far."""
    changing = axes[:1] if shapes == "first" else axes
    pick = random.Random(0)
    extents = [inputs[axis[0][0]].shape[axis[0][1]] for axis in changing]
    seen = {tuple(extents)}
    times = []
    for _ in range(NEW_SIZES):
        sizes = new_sizes(pick, extents, seen)
        batch = inputs
        for axis, size in zip(changing, sizes):
            batch = resized(batch, axis, size)
        mark(batch, axes, shapes)
        times.append(seconds_of(lambda batch=batch: compiled(*batch), 1))  # type: ignore[misc]
    graphs = torch._dynamo.utils.counters["stats"]["unique_graphs"]
    compilations = recorder.compilations() if recorder.graphs else graphs
    return {"ms": statistics.median(times) * 1e3, "sizes": len(times), "compilations": compilations}


def new_sizes(pick: random.Random, extents: Sequence[int], seen: set[tuple[int, ...]]) -> tuple[int, ...]:
    """Sizes from 2 to twice the program's own; of a single one, to so many that they do not run out."""
    least = 2 + NEW_SIZES if len(extents) == 1 else 2
    while True:
        sizes = tuple(pick.randint(2, max(2 * extent, least)) for extent in extents)
        if sizes not in seen:
            seen.add(sizes)
            return sizes


def overhead() -> float:
    """Seconds of one call of our callable for a graph of one operator on one element."""
    recorder = Recorder()
    x = torch.ones(1)
    recorder.compile(lambda t: t + 1, dynamic=False)(x)
    (compiled,) = recorder.graphs
    return median_seconds({"ours": lambda: compiled(x)}, 0.5)["ours"]


def median_seconds(calls: Mapping[str, Callable[[], object]], budget: float) -> dict[str, float]:
    """The median time of a call of each, the contenders taking turns for about `budget` seconds each."""
    batch = {name: batch_size(call) for name, call in calls.items()}
    samples: dict[str, list[float]] = {name: [] for name in calls}
    end = time.perf_counter() + budget * len(calls)
    rounds = 0
    while rounds < MIN_ROUNDS or time.perf_counter() < end:
        for name, call in calls.items():
            samples[name].append(seconds_of(call, batch[name]))
        rounds += 1
    return {name: statistics.median(times) for name, times in samples.items()}


def batch_size(call: Callable[[], object]) -> int:
    """The number of calls in a row that take long enough for the clock; warms up, too."""
    call()
    once = min(seconds_of(call, 1) for _ in range(3))
    return max(1, round(BATCH_SECONDS / once))


def seconds_of(call: Callable[[], object], count: int) -> float:
    """The time of one of `count` calls in a row."""
    start = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - start) / count


if __name__ == "__main__":
    main()
