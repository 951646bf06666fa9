"""The chapter and the picture of the first calls."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections import defaultdict

from tools.bench.compile import CONTENDERS, DYNAMO, OURS, Samples, added, chapter, picture


def samples() -> Samples:
    """Two processes of each contender on two programs; ours adds nothing that the clock shows to one of them."""
    found: Samples = defaultdict(list)
    for place, contender in enumerate(CONTENDERS):
        stages = {"capture": 0.01, "codegen": 0.02, "roots": 0.0} if contender == OURS else {}
        for run in (0.1, 0.2):
            found["bert", contender].append({"first": run + 0.05 * 2**place, "eager": run, "stages": stages})
            seconds = 0.0 if contender == OURS else 1.0
            found["gpt2", contender].append({"first": run + seconds, "eager": run, "stages": stages})
    return found


def test_what_compiling_adds_is_less_the_run_and_never_nothing() -> None:
    assert round(added(samples(), "bert", DYNAMO), 6) == 0.4
    assert added(samples(), "gpt2", OURS) == 1e-3


def test_the_chapter_has_ratios_and_stages_that_take_time() -> None:
    text = chapter(["bert", "gpt2"], samples(), 2)
    assert "| geometric mean of theirs / ours |" in text
    assert "| capture | codegen |" in text and "roots" not in text


def test_the_picture_is_well_formed_and_has_a_bar_for_each() -> None:
    drawn = ElementTree.fromstring(picture(["bert", "gpt2"], samples()))
    bars = [it for it in drawn.iter("{http://www.w3.org/2000/svg}rect") if len(it)]
    assert len(bars) == 10
    assert all(float(bar.attrib["width"]) >= 0 for bar in bars)
