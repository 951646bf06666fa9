"""Ways through a program that part at a break and meet again go on in one function; turns of loops do not pile up."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import rust_inductor
from rust_inductor import _capture

YES, NO = torch.tensor([True]), torch.tensor([False])


def three_questions(x, a, b, c):
    x = x + 1
    if a:
        x = x + 2
    x = x + 3
    if b:
        x = x + 4
    x = x + 5
    if c:
        x = x + 6
    return x + 7


def a_loop(x, turns, c, d):
    while turns > 0:
        x = x + 1
        if c:
            x = x * 1.001
        torch._dynamo.graph_break()
        turns -= 1
    return x


def a_loop_over_a_range(x, turns, c, d):
    for turn in range(turns):
        x = x + turn
        torch._dynamo.graph_break()
        x = x * 0.5
    return x


def two_loops(x, turns, c, d):
    for _ in range(3):
        if c:
            x = x + 1
        for inner in range(3):
            torch._dynamo.graph_break()
            x = x + inner
    if d:
        x = x - 1
    return x


def test_ways_do_not_multiply():
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(three_questions, backend="eager", listener=log.append)
    x = torch.arange(3.0)
    for _ in range(2):
        for a in (YES, NO):
            for b in (YES, NO):
                for c in (YES, NO):
                    assert torch.equal(compiled(x, a, b, c), three_questions(x, a, b, c))
    assert len(log) == 7


@pytest.mark.parametrize("function", [a_loop, a_loop_over_a_range, two_loops])
def test_loops_with_breaks(function):
    compiled = _capture.optimize(function, backend="eager")
    for turns in (0, 1, 3, 20, 3000, 5, 0, 3000):
        for c in (YES, NO):
            arguments = (torch.arange(3.0), turns, c, NO)
            assert torch.equal(compiled(*arguments), function(*arguments))


def test_another_closure_has_variables_of_its_own():
    def make(factor):
        def run(x, a, b):
            if a:
                x = x + factor
            x = x * factor
            if b:
                x = x - factor
            return x * factor

        return run

    x = torch.arange(3.0)
    pairs = [(make(factor), _capture.optimize(make(factor), backend="eager")) for factor in (2, 3.5)]
    for a in (YES, NO):
        for b in (YES, NO):
            for plain, compiled in pairs:
                assert torch.equal(compiled(x, a, b), plain(x, a, b))


def test_nothing_is_left_after_a_reset():
    compiled = _capture.optimize(three_questions, backend="eager")
    x = torch.arange(3.0)
    for _ in range(3):
        for a in (YES, NO):
            for b in (YES, NO):
                assert torch.equal(compiled(x, a, b, YES), three_questions(x, a, b, YES))
        rust_inductor.reset()
