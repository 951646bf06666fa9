"""The results page, from figures made up for the purpose."""

from __future__ import annotations

from typing import Any

import torch

from tools.bench.cases import CASES, CHANGING_KERNELS, Group, resized
from tools.bench.contenders import MODES
from tools.bench.page import with_chapter
from tools.bench.processes import parse
from tools.bench.run import Plan, Samples, results_page

PLAN = Plan(processes=3, threads=(1,), seconds=0.1)
CPU, DYNAMIC = MODES["cpu"], MODES["dynamic"]
MS = {"eager": [4.0, 5.0, 9.0], "rust_inductor": [2.0, 1.0, 2.0], "inductor": [3.0, 3.0, 3.0]}


def result(backend: str, ms: float, share: float) -> dict[str, Any]:
    """The result that a process tells of ResNet-50, if our share of the first call took so many seconds."""
    first_call = {
        "seconds": 3.0,
        "stages": {"Dynamo": 1.0, "AOTAutograd": 0.5, "fuse": share / 3, "codegen": share / 1.5},
    }
    return {
        "case": "resnet50",
        "backend": backend,
        "ms": {backend: ms},
        **(first_call if backend != "eager" else {}),
    }


def test_medians_and_ratios() -> None:
    samples = Samples()
    for backend, times in MS.items():
        for turn, ms in enumerate(times):
            samples.add(result(backend, ms, 0.75 / (turn + 1)), threads=1, first=turn == 0)
    page = results_page(PLAN, samples, [Group("models", {"resnet50": ("resnet50",)})])
    assert "| ResNet-50 | 5.0000 | 2.0000 |   3.0000 |         2.50 |            1.50 |" in page
    assert "| ResNet-50 |   1.00 |        0.50 |     0.750 | 0.312 |           3.00 |                  3.00 |" in page


def test_large_kernels_stand_beside_copies() -> None:
    samples = Samples()
    for ours, copy in ((1.1, 1.0), (1.2, 0.8), (1.0, 1.0)):
        event = {
            "case": "softmax-4096",
            "backend": "rust_inductor",
            "ms": {"rust_inductor": 2.0, "given": ours, "copy": copy},
        }
        samples.add(event, threads=2)
    page = results_page(PLAN, samples, [])
    assert "1.1000 | 1.0000 |        1.10 |" in page


def test_geometric_mean() -> None:
    rows = [
        {"eager": 8.0, "rust_inductor": 1.0, "inductor": 2.0},
        {"eager": 2.0, "rust_inductor": 1.0, "inductor": 0.5},
    ]
    assert CPU.mean_cells(rows) == ["", "", "", "4.00", "1.00"]
    assert CPU.cells({"eager": 12.0, "rust_inductor": 3.0, "inductor": 6.0}) == [
        "12.00", "3.0000", "6.0000", "4.00", "2.00"
    ]  # fmt: skip


def test_dynamic_page() -> None:
    samples = Samples()
    for k, contender in enumerate(DYNAMIC.contenders):
        figures = {"ms": 0.5, "sizes": 20, "compilations": k} if contender.shapes != "static" else None
        event: dict[str, Any] = {"case": "bert-batch", "backend": contender.name, "ms": {contender.name: 1.0 + k}}
        samples.add(event | ({"resized": figures} if figures else {}), threads=1)
    plan = Plan(processes=1, threads=(1,), seconds=0.1, mode=DYNAMIC)
    lines = results_page(plan, samples, [Group("models", {"bert": ("bert-batch",)})]).splitlines()
    timed, changed = (line for line in lines if line.startswith("| BERT"))
    assert cells_of(timed)[1:] == [f"{1.0 + k:.4f}" for k in range(6)] + ["0.67", "0.50", "1.67", "1.50"]
    assert cells_of(changed)[1:] == ["0.5000", "2", "0.5000", "3", "0.5000", "4", "0.5000", "5", "20"]


def cells_of(line: str) -> list[str]:
    """The texts between the bars."""
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_a_mode_writes_its_own_chapter() -> None:
    page = with_chapter("# A\n\nold\n\n## part\n", "# B\n\nsecond\n")
    assert page == "# A\n\nold\n\n## part\n\n# B\n\nsecond\n"
    assert with_chapter(page, "# A\n\nnew\n") == "# A\n\nnew\n\n# B\n\nsecond\n"
    assert with_chapter("", "# A\n") == "# A\n"


def test_axes_name_sizes_that_agree() -> None:
    for name in CHANGING_KERNELS:
        case = CASES[name]
        function, inputs = case.make("small")
        for axis, size in zip(case.axes, (3, 5)):
            assert len({inputs[at].shape[dim] for at, dim in axis}) == 1
            inputs = resized(inputs, axis, size)
        assert function(*inputs).shape == torch.Size([3, 5])


def test_what_libraries_print_is_no_event() -> None:
    assert parse("a warning") is None
    assert parse("3") is None
    assert parse('{"event": "phase"}') == {"event": "phase"}
