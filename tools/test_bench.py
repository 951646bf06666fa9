"""The results page, from figures made up for the purpose."""

from __future__ import annotations

from typing import Any

from tools.bench import Plan, Samples, cells, mean_ratios, results_page
from tools.processes import parse

PLAN = Plan(processes=3, threads=(1,), seconds=0.1)
MS = {"eager": [4.0, 5.0, 9.0], "rust_inductor": [2.0, 1.0, 2.0], "inductor": [3.0, 3.0, 3.0]}


def result(backend: str, ms: float) -> dict[str, Any]:
    """What a process tells of ResNet-50."""
    first_call = {"seconds": 3.0, "stages": {"Dynamo": 1.0, "AOTAutograd": 0.5, "fuse": 0.25, "codegen": 0.5}}
    return {
        "case": "resnet50",
        "backend": backend,
        "ms": {backend: ms},
        **(first_call if backend != "eager" else {}),
    }


def test_medians_and_ratios() -> None:
    samples = Samples()
    for backend, times in MS.items():
        for ms in times:
            samples.add(result(backend, ms), threads=1)
    page = results_page(PLAN, samples, {"resnet50": ("resnet50",)})
    assert "| ResNet-50 | 5.0000 | 2.0000 |   3.0000 |         2.50 |            1.50 |" in page
    assert "| ResNet-50 |   1.00 |        0.50 |     0.750 |           3.00 |                  3.00 |" in page


def test_geometric_mean() -> None:
    eager, inductor = mean_ratios([(8.0, 1.0, 2.0), (2.0, 1.0, 0.5)])
    assert (round(eager, 12), round(inductor, 12)) == (4.0, 1.0)
    assert cells((12.0, 3.0, 6.0)) == ["12.00", "3.0000", "6.0000", "4.00", "2.00"]


def test_what_libraries_print_is_no_event() -> None:
    assert parse("a warning") is None
    assert parse("3") is None
    assert parse('{"event": "phase"}') == {"event": "phase"}
