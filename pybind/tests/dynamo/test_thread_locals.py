"""Attributes of `threading.local` that a program writes."""

from __future__ import annotations

import threading
from typing import Any

import torch

from rust_inductor import _capture


def counts(x, state):
    before = getattr(state, "depth", 0), hasattr(state, "last")
    state.depth = before[0] + 1
    state.last = x + state.depth
    state.depth += 1
    return x * state.depth, before, state.last, hasattr(state, "none")


def test_what_is_written_is_the_threads_own():
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(counts, backend="eager", listener=log.append)
    ours, theirs = threading.local(), threading.local()
    told: list[bool] = []

    def run() -> None:
        for x in (torch.ones(3), torch.zeros(3)):
            same = repr(compiled(x, ours)) == repr(counts(x, theirs))
            told.append(same and repr(vars(ours)) == repr(vars(theirs)))

    run()
    for _ in range(2):
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
    run()
    assert told == [True] * 8
    assert {event["break_reason"] for event in log} == {None}


def test_a_class_over_it_is_left_to_python():
    class Nested(threading.local):
        def __init__(self) -> None:
            self.depth = 0

    def enters(x, state):
        state.depth += 1
        y = x * state.depth
        state.depth -= 1
        return y, state.depth

    compiled = _capture.optimize(enters, backend="eager")
    state = Nested()
    for x in (torch.ones(3), torch.zeros(3)):
        assert repr(compiled(x, state)) == repr(enters(x, state))
