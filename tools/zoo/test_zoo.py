"""The report of `./x zoo`, from findings made up for the purpose, and that one tiny model is judged on both sides."""

from __future__ import annotations

import os
import signal
import time

import pytest
import torch
from torch import nn

from tools import forks, pool
from tools.reasons import kind_of
from tools.zoo import run as zoo
from tools.zoo import worker
from tools.zoo.models import Row, Subject

#: A worker of the zoo that knows the model below. A process of its own: a fork of one in which autograd has started
#: threads, as other tests may have had it do, cannot run a backward pass.
ZOO_WORKER = """
from tools.zoo import models, test_zoo, worker
models.MODELS["tiny"] = test_zoo.TINY
worker.main()
"""

#: A worker that prints what is no answer, and dies of its second task.
DYING = """
import json, sys
for line in sys.stdin:
    number = json.loads(line)["n"]
    if number == 1:
        sys.exit("no more")
    print("noise")
    print(json.dumps({"ending": "value", "value": number}), flush=True)
"""


def finding(graphs: int, breaks: int, capture: float, **other: object) -> dict[str, object]:
    """A made-up finding, in the form in which a worker tells it."""
    made = worker.Finding(right=True, graphs=graphs, operators=9, breaks=breaks, capture_seconds=capture)
    return {**vars(made), **other}


def made_up() -> list[zoo.Pair]:
    """A model that both capture, one that ours captures in pieces, and one that crashed."""
    whole = zoo.Pair("whole", "inference")
    whole.sides = {"ours": zoo.Side(finding(1, 0, 0.1)), "torch": zoo.Side(finding(1, 0, 1.5))}
    pieces = zoo.Pair("pieces", "training")
    reasons = {"RI0006 `conv1` of a `models.Net`.": 2, "RI0006 `relu` of a `models.Net`.": 1}
    bases = {"models.Net": "torch.nn.modules.module.Module"}
    told = finding(3, 3, 0.1, reasons=reasons, bases=bases)
    pieces.sides = {"ours": zoo.Side(told), "torch": zoo.Side(finding(1, 0, 1.0))}
    crashed = zoo.Pair("crashed", "inference")
    crashed.sides = {"ours": zoo.Side({}, "crash: ended by SIGSEGV"), "torch": zoo.Side(finding(1, 0, 1.0))}
    return [whole, pieces, crashed]


def test_report() -> None:
    page = zoo.report(made_up())
    assert "- ours: 2 of 3 right, 1 of them without a break or a skipped frame" in page
    assert "- as few graphs and breaks as torch's: 1 of 3 (33 %)" in page
    assert "- capture time, torch / ours: median 15.0, least 15.0; at least 20 in 0 of 1" in page
    assert "- crashed, ours: crash: ended by SIGSEGV" in page
    assert "| RI0006 `…` of a `… : torch.nn.modules.module.Module`. |     3 |    1 |" in page
    assert "- pieces, training: 2 × RI0006 `conv1` of a `models.Net`.; 1 × RI0006" in page


def test_no_graph_at_all_is_not_few() -> None:
    pair = zoo.Pair("skipped", "inference")
    pair.sides = {"ours": zoo.Side(finding(0, 0, 0.0)), "torch": zoo.Side(finding(1, 0, 1.0))}
    assert not pair.as_few_graphs()


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("RI0003 `torch._assert`.", "RI0003 `torch._assert`."),
        ("RI0006 `wte` of a `lib.gpt.Model`.", "RI0006 `…` of a `…`."),
        ("RI0006 `get` of a `builtins.super`.", "RI0006 `get` of a `builtins.super`."),
        ("RI0002 `isinstance` of a tensor.", "RI0002 `isinstance` of a tensor."),
        ("item 12 of `lib.f` at 0x7f0a", "item # of `…` at #"),
        ("nms (/one/machine/site-packages/vision/meta.py:163): no", "nms (vision/meta.py:163): no"),
    ],
)
def test_kinds_of_reasons(text: str, kind: str) -> None:
    assert kind_of(text) == kind


def test_plan_has_no_training_for_generation() -> None:
    tasks = zoo.plan(["gpt2", "gpt2_*"], None, ["ours"], 1.0)
    modes = {(task["name"], task["mode"]) for task in tasks}
    assert modes == {
        ("gpt2", "inference"),
        ("gpt2", "training"),
        ("gpt2_generate", "inference"),
        ("gpt2_generate_static", "inference"),
    }


def test_errors_name_the_exception() -> None:
    text = "Traceback (most recent call last):\n  File ...\nlib.errors.ShapeError: no such size\n  a note\n"
    assert zoo.side_of({"ending": "error", "value": text}).why == "error: lib.errors.ShapeError: no such size"


def test_children_end_as_they_are_said_to() -> None:
    assert forks.forked(lambda x: x + 1, 1, limit=60).value == 2
    failed = forks.forked(lambda: [][0], limit=60)
    assert failed.ending == "error" and "IndexError" in failed.value
    killed = forks.forked(lambda: os.kill(os.getpid(), signal.SIGKILL), limit=60)
    assert (killed.ending, killed.value) == ("crash", "ended by SIGKILL")
    assert forks.forked(time.sleep, 60, limit=0.2).ending == "timeout"


def test_workers_that_die_cost_one_task() -> None:
    answers = {}

    def take(task: pool.Task, answer: pool.Answer) -> None:
        answers[task["n"]] = answer

    pool.run_all(["-c", DYING], [{"n": n} for n in range(3)], 1, take)
    assert [answers[n]["ending"] for n in range(3)] == ["value", "crash", "value"]
    assert "no more" in answers[1]["value"]


class Tiny(nn.Module):
    """A model with a parameter, a buffer and two outputs."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(4)
        self.line = nn.Linear(4, 2)

    def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
        """Both outputs."""
        hidden = self.norm(x).relu()
        return {"hidden": hidden, "out": self.line(hidden)}


TINY = Row("tests", lambda: Subject(Tiny(), (torch.randn(8, 4),)))


def test_tiny_model() -> None:
    def take(task: pool.Task, outcome: pool.Answer) -> None:
        answers[task["side"], task["mode"]] = outcome

    answers: dict[tuple[str, str], pool.Answer] = {}
    tasks = [{"name": "tiny", "side": side, "mode": mode, "limit": 120} for side in worker.SIDES for mode in zoo.MODES]
    pool.run_all(["-c", ZOO_WORKER], tasks, 1, take)
    assert len(answers) == 4
    for outcome in answers.values():
        assert outcome["ending"] == "value", outcome["value"]
        finding = outcome["value"]
        assert finding["right"], finding["why"]
        assert (finding["graphs"], finding["breaks"], finding["skipped"]) == (1, 0, 0), finding["reasons"]


def test_what_differs_is_told() -> None:
    one, other = [torch.zeros(2)], [torch.ones(2)]
    assert worker.difference(one, one) == ""
    assert worker.difference(one, other).startswith("tensor 0 of 1: Tensor-likes are not close!")
    assert worker.difference(one, []) == "0 tensors instead of 1"
