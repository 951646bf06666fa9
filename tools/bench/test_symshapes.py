"""The comparison of the two environments, on a function small enough to know its guards."""

from __future__ import annotations

import torch

from tools.bench import symshapes as bench


def rows(x: torch.Tensor) -> torch.Tensor:
    """Asks one question of its input."""
    return x + 1 if x.size(0) < 100 else x


def test_recorded_events_have_a_step_each() -> None:
    x = torch.rand(5, 4)
    torch._dynamo.mark_dynamic(x, 0)
    traces: list[bench.Trace] = []
    with bench.recorder(traces):
        torch.compile(rows, backend="eager", fullgraph=True)(x)
    recording = bench.export(traces[0])
    tensor, *questions = recording["events"]
    assert [size["policy"] for size in tensor["sizes"]] == ["Dynamic", "Static"]
    assert recording["sources"][:2] == ["L['x'].size()[0]", "L['x'].size()[1]"]
    assert any(question["pred"].endswith("< 100") and question["answer"] for question in questions)
    figures = bench.Figures()
    bench.torch_round(traces[0], figures, [])
    assert figures.kept == {"2 <= L['x'].size()[0]", "L['x'].size()[0] <= 99"}


def test_differences_are_reported() -> None:
    theirs, ours = bench.Figures(kept={"a", "b"}), bench.Figures(kept={"b", "c"})
    notes = bench.differences("model", theirs, ours, {"answers_differ": []})
    assert notes == ["model: torch alone guards `a`", "model: ours alone guards `c`"]


def test_bounds_are_taken_apart() -> None:
    assert bench.conjuncts("2 <= s <= 9") == ["2 <= s", "s <= 9"]
    assert bench.conjuncts("2 <= s and s <= 9") == ["2 <= s", "s <= 9"]
