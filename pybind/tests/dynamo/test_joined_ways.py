"""Ways through a program that part at a break and meet again go on in one function; turns of loops do not pile up."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
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


def a_loop_over_a_list(x, rows):
    for row in rows:
        x = x + row
        torch._dynamo.graph_break()
        x = x * 0.5
    return x


def a_loop_over_pairs(x, rows):
    for at, (row, _) in enumerate(zip(rows, rows, strict=True)):
        x = x + row * at
        torch._dynamo.graph_break()
        x = x * 0.5
    return x


def a_loop_with_a_block(x, rows):
    for row in rows:
        with torch.no_grad():
            x = x + row
            torch._dynamo.graph_break()
            x = x * 0.5
    return x


def a_loop_that_handles_exceptions(x, rows):
    for row in rows:
        try:
            x = x + row
            torch._dynamo.graph_break()
            if row % 3 == 0:
                raise ValueError(row)
        except ValueError as error:
            x = x * 0.5 + error.args[0]
    return x


def a_loop_over_a_generator(x, rows):
    for row in (2 * row for row in rows):
        x = x + row
        torch._dynamo.graph_break()
        x = x * 0.5
    return x


LOOPS = [
    a_loop_over_a_list,
    a_loop_over_pairs,
    a_loop_with_a_block,
    a_loop_that_handles_exceptions,
    a_loop_over_a_generator,
]


@pytest.mark.parametrize("function", LOOPS)
def test_every_turn_of_a_loop_is_compiled(function):
    runs = 0

    def counting(gm: torch.fx.GraphModule, _inputs: Any) -> Callable[..., Any]:
        def run(*arguments: Any) -> Any:
            nonlocal runs
            runs += 1
            return gm.forward(*arguments)

        return run

    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(function, backend=counting, listener=log.append)
    seen = []
    for turns in (3, 40, 400, 400):
        runs = 0
        rows = list(range(1, turns + 1))
        assert torch.equal(compiled(torch.arange(3.0), rows), function(torch.arange(3.0), rows))
        assert runs >= turns
        seen.append(len(log))
    # What every turn needs is there after some turns.
    assert seen[1] == seen[3] or seen[2] == seen[3]
    assert seen[3] < 60


def fails_late(x, turns):
    for turn in range(turns):
        x = x + turn
        torch._dynamo.graph_break()
        if turn == 30:
            raise KeyError(turn)
    return x


def test_an_exception_of_a_late_turn_comes_from_its_line():
    compiled = _capture.optimize(fails_late, backend="eager")
    for _ in range(3):
        with pytest.raises(KeyError) as raised:
            compiled(torch.ones(1), 40)
        assert raised.value.args == (30,)
        assert raised.traceback[-1].lineno == fails_late.__code__.co_firstlineno + 4
        assert torch.equal(compiled(torch.ones(1), 20), fails_late(torch.ones(1), 20))


class Tracked:
    def __init__(self) -> None:
        self.value = 1


def keeps_the_last(x, turns, alive):
    held = Tracked()
    for turn in range(turns):
        x = x + turn * held.value
        torch._dynamo.graph_break()
        held = Tracked()
        alive.append(weakref.ref(held))
        torch._dynamo.graph_break()
        x = x * held.value
    return x


def test_turns_keep_nothing_alive():
    compiled = _capture.optimize(keeps_the_last, backend="eager")
    for turns in (2, 30, 30):
        alive: list[weakref.ref[Tracked]] = []
        assert torch.equal(compiled(torch.ones(1), turns, alive), keeps_the_last(torch.ones(1), turns, []))
        assert len(alive) == turns
        assert not any(reference() for reference in alive)


def test_code_that_goes_on_with_itself_dies():
    scope: dict[str, Any] = {"torch": torch}
    source = "def f(x, n):\n for i in range(n):\n  x = x + i\n  torch._dynamo.graph_break()\n  x = x * 0.5\n return x"
    exec(source, scope)
    function = scope.pop("f")
    code = weakref.ref(function.__code__)
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(function, backend="eager", listener=log.append)
    compiled(torch.ones(1), 30)
    resumed = [weakref.ref(event["original"]) for event in log]
    log.clear()
    del function, compiled
    gc.collect()
    assert code() is None
    assert not any(reference() for reference in resumed)


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
