"""Starts measuring processes and reads what they tell."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Any

from tools.ui import ROOT

Event = dict[str, Any]


class WorkerFailed(Exception):
    """A measuring process ended with an error; the message is the end of what it wrote."""


def run_worker(
    backend: str,
    cases: Sequence[str],
    arguments: Sequence[str] = (),
    env: dict[str, str] | None = None,
    on_phase: Callable[[Event], None] = lambda event: None,
) -> list[Event]:
    """Runs `tools.bench.worker` and gives its results, one for each case."""
    command = [sys.executable, "-m", "tools.bench.worker", "--backend", backend, *arguments, *cases]
    environment = {**os.environ, **(env or {})}
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert process.stdout is not None
    results: list[Event] = []
    other: list[str] = []
    for line in process.stdout:
        event = parse(line)
        if event is None:
            other.append(line.rstrip())
        elif event["event"] == "phase":
            on_phase(event)
        else:
            results.append(event)
    if process.wait() != 0:
        raise WorkerFailed("\n".join([f"{backend} on {', '.join(cases)} failed:", *other[-30:]]))
    return results


def figures_of(module: str, arguments: Sequence[str], env: dict[str, str] | None = None) -> dict[str, Any]:
    """The JSON that a fresh process of a module prints on its last line."""
    command = [sys.executable, "-m", module, *arguments]
    environment = {**os.environ, **(env or {})}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise WorkerFailed(f"{module} {' '.join(arguments)} failed:\n{done.stderr[-3000:]}")
    figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return figures


def parse(line: str) -> Event | None:
    """The event on a line, if it is one: libraries may print other things."""
    try:
        event = json.loads(line)
    except ValueError:
        return None
    return event if isinstance(event, dict) and "event" in event else None


def cold_caches(directory: str, own: str = "rust_inductor") -> dict[str, str]:
    """The environment in which nothing is found that was compiled elsewhere; `own` is our part of the directory."""
    return {
        "RUST_INDUCTOR_CACHE_DIR": f"{directory}/{own}",
        "TORCHINDUCTOR_CACHE_DIR": directory,
        "TORCHINDUCTOR_FX_GRAPH_CACHE": "0",
        "TORCHINDUCTOR_AUTOGRAD_CACHE": "0",
    }
