"""The page of `./x bench dynamo`, from figures made up for the purpose, and that what is measured is what is meant."""

from __future__ import annotations

import json

import pytest
import torch

from tools.bench import dynamo as bench
from tools.bench import dynamo_worker as worker
from tools.bench.processes import WorkerFailed

MEMORY = {
    "hits": 300_000,
    "cycles": 2_000,
    "hits_before_mib": 250.0,
    "hits_after_mib": 250.04,
    "cycles_before_mib": 251.0,
    "cycles_after_mib": 251.5,
}


def made_up() -> bench.Samples:
    """Figures of three processes."""
    samples = bench.Samples()
    for factor in (1.0, 3.0, 2.0):
        for task, contenders in bench.TASKS.items():
            for contender in contenders:
                base = factor * (100 if contender == "ours" else 5_000)
                samples.add(task, contender, dict.fromkeys(("extra_ns", "graph_ns", "whole_ns", "call_ns"), base))
    return samples


def test_page_has_medians_and_ratios() -> None:
    page = bench.chapter(bench.FULL, made_up(), MEMORY, "All is well.")
    assert page.startswith(bench.HEADING)
    assert "| a hit of x + 1, over the plain call            | 10.00 µs | 200 ns |         50.0 |  ≤ 1 µs |" in page
    assert "250.0 to 250.0 MiB over 300,000 hits, 251.0 to 251.5 MiB over 2,000 functions" in page
    assert page.endswith("All is well.\n")


def test_sentence_about_random_functions() -> None:
    told = "10000 programs, 2345 of them raise; 1 differ; 83% give a graph; 700.0 s\n   12 some reason\n"
    assert "83 % give a graph (70 % asked), 1 differ" in bench.programs_sentence(told, "")
    with pytest.raises(WorkerFailed, match="no such option"):
        bench.programs_sentence("", "no such option")


def test_there_are_sixty_operations() -> None:
    x = torch.rand(4, 4)
    traced = torch.fx.symbolic_trace(worker.sixty_operations)
    assert sum(node.op.startswith("call") for node in traced.graph.nodes) == 60
    torch.testing.assert_close(worker.sixty_operations(x, x), traced(x, x))


@pytest.mark.parametrize("task", ["capture", "capture_in_rust", "guards", "model"])
def test_worker_tells_figures(task: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["worker", task, "ours", "--effort", "1"])
    assert worker.main() == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures
    assert all(isinstance(value, float | int) for value in figures.values())
