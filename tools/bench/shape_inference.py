"""The second half of `./x bench symshapes`: metadata of a dynamic model's ATen graph, by fake tensors and by our rules.

torch walks the graph that AOTAutograd gives under the graph's own FakeTensorMode, with the mode's cache cleared before
each round, as a compilation finds it (within a round, repeated layers profit from it). Ours is a Rust process
(`fx/examples/infer.rs`) that starts with the inputs' metadata in a shape environment of its own, so that guards are
recorded in both; it compares its answers with the fake tensors' as well.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import torch
from torch._dynamo.backends.common import aot_autograd
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.passes.fake_tensor_prop import FakeTensorProp

from tools.ui import table

HEADER = ["model", "calls", "FakeTensor, µs", "ours, µs", "FakeTensor / ours", "differ", "without answer"]


class Captured(Exception):
    """Ends a compilation whose graph is all that was wanted."""


def measure(model: torch.nn.Module, x: torch.Tensor, inferrer: Path, rounds: int) -> tuple[list[Any], dict[str, Any]]:
    """A line of the table, and what our program reports."""
    from rust_inductor import fx

    theirs: list[float] = []
    text = ""

    def compiler(gm: torch.fx.GraphModule, inputs: list[Any]) -> Any:
        nonlocal text
        text = fx.Graph.from_torch(gm).to_json()
        theirs.extend(fake_seconds(gm, inputs) for _ in range(rounds))
        raise Captured

    torch._dynamo.reset()
    backend = aot_autograd(fw_compiler=compiler, decompositions={})
    with torch.no_grad():
        try:
            torch.compile(model.eval(), backend=backend, fullgraph=True)(x)
        except Exception:
            if not theirs:
                raise
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        file.write(text)
        file.flush()
        run = subprocess.run([inferrer, file.name, str(50 * rounds)], check=True, capture_output=True)
    report = json.loads(run.stdout)
    fake, ours = statistics.median(theirs) * 1e6, statistics.median(report["infer_ns"]) / 1e3
    counts = [len(report["mismatches"]), len(report["unknown"])]
    return [report["calls"], f"{fake:,.0f}", f"{ours:,.0f}", f"{fake / ours:,.0f}", *counts], report


def fake_seconds(gm: torch.fx.GraphModule, inputs: list[Any]) -> float:
    """The seconds that fake tensors take for the graph."""
    mode = next(x.fake_mode for x in inputs if isinstance(x, torch.Tensor) and hasattr(x, "fake_mode"))
    FakeTensorMode.cache_clear()
    start = time.perf_counter()
    FakeTensorProp(gm, mode).propagate_dont_convert_inputs(*inputs)
    return time.perf_counter() - start


def chapter(rows: list[list[Any]], notes: list[str]) -> str:
    """The text for the results page."""
    agreement = "\n".join(f"- {note}" for note in notes)
    return f"""Metadata of the same models' ATen graphs, inferred from their inputs' with the guards recorded:

{table(HEADER, [[str(cell) for cell in row] for row in rows])}

{agreement}
"""


def notes(name: str, report: dict[str, Any]) -> list[str]:
    """The differences in words, or a note that there are none."""
    found = [f"{name}: {text}" for text in report["mismatches"]]
    found += [f"{name}: no answer for {text}" for text in report["unknown"]]
    return found or [f"{name}: the same metadata; guards: {', '.join(sorted(set(report['guards']))) or 'none'}"]
