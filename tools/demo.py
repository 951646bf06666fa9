"""`./x demo`: three models through `torch.compile(model, backend="rust_inductor")`, and what came of it."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from dataclasses import dataclass

from tools.bench.figures import COUNTS
from tools.bench.processes import Event, WorkerFailed, cold_caches, run_worker
from tools.ui import IS_TERMINAL, Line, say, table

MODELS = {"resnet50": "ResNet-50 (224×224)", "bert": "BERT-base (128 tokens)", "gpt2": "GPT-2 (128 tokens)"}
PHASES = ("building", "compiling", "comparing", "timing")
BAR = 24


@dataclass
class Progress:
    """A bar over all models and phases."""

    total: int
    done: int = 0

    def __post_init__(self) -> None:
        self.line, self.start = Line(), time.monotonic()

    def phase(self, who: str, event: Event) -> None:
        """Shows what a process does now."""
        self.show(f"{MODELS[event['case']]}: {event['phase']} {who}".rstrip())
        self.done += 1

    def show(self, text: str) -> None:
        """Draws the bar, or prints a plain line where there is no terminal."""
        seconds = time.monotonic() - self.start
        filled = BAR * self.done // self.total
        bar = f"[{'█' * filled}{'·' * (BAR - filled)}] " if IS_TERMINAL else ""
        self.line.show(f"{bar}{self.done}/{self.total}  {seconds:5.1f} s  {text}", always=True)


def main() -> int:
    """Runs every model and prints the tables."""
    parser = argparse.ArgumentParser(prog="./x demo")
    parser.add_argument("--compare", action="store_true", help="add Inductor's columns")
    parser.add_argument("--small", action="store_true", help="small configurations, to try the demo itself")
    options = parser.parse_args()
    backends = ["rust_inductor", *(["inductor"] if options.compare else [])]
    arguments = ["--with-eager", *(["--size", "small", "--seconds", "0.2"] if options.small else [])]
    progress = Progress(len(MODELS) * len(backends) * len(PHASES))
    results: dict[tuple[str, str], Event] = {}
    try:
        for model in MODELS:
            for backend in backends:
                results[model, backend] = run_model(model, backend, arguments, progress)
    except WorkerFailed as failure:
        progress.line.clear()
        say(str(failure))
        return 1
    progress.show("done")
    progress.line.clear()
    print_tables(results, options.compare)
    return 0


def run_model(model: str, backend: str, arguments: list[str], progress: Progress) -> Event:
    """Measures a model in a process of its own that finds nothing in any cache."""
    who = "with Inductor" if backend == "inductor" else ""
    with tempfile.TemporaryDirectory(prefix="inductor-cold-") as directory:
        env = cold_caches(directory)
        (result,) = run_worker(backend, [model], arguments, env, lambda event: progress.phase(who, event))
    return result


def print_tables(results: dict[tuple[str, str], Event], compare: bool) -> None:
    """The result of each model, and where compilation spent its time."""
    threads = {result["threads"] for result in results.values()}
    ours = {model: results[model, "rust_inductor"] for model in MODELS}
    theirs = {model: results[model, "inductor"] for model in MODELS} if compare else {}
    print(f"\nInference, float32, batch 1, {max(threads)} threads; random weights\n")
    extra = ["Inductor ms", "its speed-up", "its difference"] if compare else []
    header = ["model", "largest difference", "eager ms", "ours ms", "speed-up", *COUNTS, *extra]
    rows = [[MODELS[model], *result_cells(ours[model]), *inductor_cells(theirs.get(model))] for model in MODELS]
    print(table(header, rows))
    print("\nSeconds of the first call\n")
    stages = list(dict.fromkeys(stage for result in ours.values() for stage in result["stages"]))
    header = ["model", *stages, "whole call", *(["Inductor's whole call"] if compare else [])]
    rows = [[MODELS[model], *second_cells(ours[model], stages), *whole(theirs.get(model))] for model in MODELS]
    print(table(header, rows))


def result_cells(result: Event) -> list[str]:
    """Difference, times and counts of ours."""
    eager, ours = result["ms"]["eager"], result["ms"]["rust_inductor"]
    counts = [str(result["counts"][name]) for name in COUNTS]
    return [f"{result['difference']:.1e}", f"{eager:.2f}", f"{ours:.2f}", f"{eager / ours:.2f}×", *counts]


def inductor_cells(result: Event | None) -> list[str]:
    """Time, speed-up and difference of Inductor's, against eager in the same process."""
    if result is None:
        return []
    eager, theirs = result["ms"]["eager"], result["ms"]["inductor"]
    return [f"{theirs:.2f}", f"{eager / theirs:.2f}×", f"{result['difference']:.1e}"]


def second_cells(result: Event, stages: list[str]) -> list[str]:
    """Seconds of each stage and of the whole first call."""
    return [*(f"{result['stages'].get(stage, 0.0):.3f}" for stage in stages), f"{result['seconds']:.2f}"]


def whole(result: Event | None) -> list[str]:
    """Seconds of Inductor's whole first call."""
    return [] if result is None else [f"{result['seconds']:.2f}"]


if __name__ == "__main__":
    sys.exit(main())
