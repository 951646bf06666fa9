"""Tests of how `./x suites` reads tests and judges them, on a file of tests made up for the purpose."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tools.suites import run as suites
from tools.suites import tags

FILE = """
import unittest

import torch
import torch._dynamo.testing
import torch._dynamo.test_case
from torch.testing._internal.common_utils import a_decorator_that_is_gone


def double(x):
    return x + x


class Few(torch._dynamo.test_case.TestCase):
    @a_decorator_that_is_gone
    def test_result(self):
        x = torch.ones(2)
        self.assertEqual(torch.compile(double, backend="eager")(x), double(x))

    def test_counts(self):
        counter = torch._dynamo.testing.CompileCounter()
        torch._dynamo.optimize(counter, nopython=True)(double)(torch.ones(2))
        self.assertEqual(counter.frame_count, 1)

    def test_fails(self):
        self.assertEqual(1, 2)

    @unittest.skip("not here")
    def test_skipped(self):
        pass

    @torch._dynamo.config.patch(assume_static_by_default=False)
    def test_switch(self):
        torch._dynamo.reset()

    def test_crash(self):
        import os

        os.kill(os.getpid(), 9)


class Heirs(Few):
    pass
"""

PASSED = {"ending": "passed", "text": "", "graphs": 1, "breaks": {}}


def failed(text: str) -> dict[str, Any]:
    """A test that ended with this exception."""
    return {"ending": "failed", "text": text, "graphs": 0, "breaks": {"RI0006 `a` of a `m.C`.": 2}}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one file of tests, and a place for the results."""
    (tmp_path / "test_few.py").write_text(FILE)
    monkeypatch.setattr(suites, "RECORD", tmp_path / "cache" / "suites.json")
    return tmp_path


def test_both_sides(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.argv", ["suites", str(folder), "test_few", "--only", "Few.", "--jobs", "1"])
    assert suites.main() == 0
    told = capsys.readouterr().out
    # Three of the six pass on both sides; one looks at results alone, and one counts graphs besides.
    assert (
        "| test_few |    12 |            3 | 3 of 3 (100 %) | 2 of 2 (100 %) | 2 of 2 (100 %) | 1 of 1 (100 %) |"
        in told
    )
    entries = json.loads(suites.RECORD.read_text())["test_few"]
    assert entries["Few.test_switch"]["tags"] == ["config"]
    assert entries["Heirs.test_counts"]["tags"] == ["counts"]
    assert entries["Few.test_crash"]["ours"] == {
        "ending": "crash",
        "text": "ended by SIGKILL",
        "graphs": 0,
        "breaks": {},
    }
    assert entries["Few.test_result"]["ours"]["graphs"] == 1
    assert entries["Few.test_skipped"]["torch"]["ending"] == "skipped"
    assert "AssertionError" in entries["Few.test_fails"]["ours"]["text"]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("self.assertEqual(f(x), g(x))", []),
        ("self.assertEqual(cnt.frame_count, 2)", ["counts"]),
        ("self.assertEqual(counters['graph_break'], {})", ["counters"]),
        ("with torch._dynamo.config.patch(x=1):", ["config"]),
        ("self.assertExpectedInline(text, '''a''')", ["expected text"]),
        ("self.assertRaises(torch._dynamo.exc.Unsupported, f)", ["errors"]),
        ("class of torch._inductor.test_case.TestCase", []),
    ],
)
def test_tags(source: str, expected: list[str]) -> None:
    assert tags.tags_of(source) == expected


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (
            "Traceback:\n  File\nAssertionError: Scalars are not equal!\n\nExpected 1 but got 2.\n",
            "AssertionError: Scalars are not equal!",
        ),
        ("KeyError: 3\n\nDuring handling …\n\nTypeError: f() takes 2 arguments\n", "TypeError: f() takes # arguments"),
        (
            "RuntimeError: A read or write. [RI0006] `a` of a `m.C`. Read it before the tensor work.\n",
            "RI0006 `…` of a `…`",
        ),
        ("torch._dynamo.exc.Unsupported: no at 0x7f00\n", "Unsupported: no at #"),
    ],
)
def test_kinds_of_exceptions(text: str, kind: str) -> None:
    assert suites.exception_kind(text) == kind


def test_report_counts_only_what_torch_passes() -> None:
    record: suites.Record = {
        "test_a": {
            "A.test_both": {"tags": [], "torch": PASSED, "ours": PASSED},
            "A.test_torch": {"tags": ["counts"], "torch": PASSED, "ours": failed("KeyError: 'a'")},
            "A.test_neither": {"tags": [], "torch": failed("KeyError: 'a'"), "ours": PASSED},
            "A.test_log": {"tags": ["logs"], "torch": PASSED, "ours": failed("KeyError: 'b'")},
        }
    }
    told = suites.report(record)
    assert (
        "| test_a |     4 |            3 | 1 of 3 (33 %) | 1 of 2 (50 %) | 1 of 2 (50 %) | 1 of 1 (100 %) |        0 |"
        in told
    )
    assert "| KeyError: 'a' |     1 |" in told
    assert "| RI0006 `…` of a `…`. |     1 |" in told
    assert suites.matching(record, "RI0006") == [
        "test_a::A.test_torch: KeyError: 'a'",
        "test_a::A.test_log: KeyError: 'b'",
    ]


@pytest.mark.parametrize(
    ("text", "fewer"),
    [
        ("self.assertEqual(cnt.frame_count, 3)\nAssertionError: Scalars are not equal!\n\nExpected 3 but got 2.", True),
        ("self.assertEqual(cnt.op_count, 3)\nAssertionError: Scalars are not equal!\n\nExpected 3 but got 4.", False),
        ("self.assertEqual(len(x), 3)\nAssertionError: Scalars are not equal!\n\nExpected 3 but got 2.", False),
        ("RuntimeError: no graph", False),
    ],
)
def test_fewer_graphs_are_told_apart(text: str, fewer: bool) -> None:
    entry: dict[str, Any] = {"tags": ["counts"], "torch": PASSED, "ours": {**PASSED, "ending": "failed", "text": text}}
    assert suites.has_fewer(entry) is fewer
    assert not suites.has_fewer({**entry, "ours": PASSED})
