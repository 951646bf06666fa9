"""Debuggers, profilers, tools for coverage: they see what they see of plain Python."""

from __future__ import annotations

import bdb
import cProfile
import faulthandler
import io
import pdb
import pstats
import sys
import tempfile
import trace
import tracemalloc
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import pytest
import torch

import rust_inductor
from rust_inductor import _capture

X = torch.arange(4.0)
THIS = __file__


def inner(x):
    y = x * 2
    return y + 1


def plain(x):
    y = inner(x)
    for factor in (1, 2):
        y = y * factor
    return y


def broken(x):
    y = x + 1
    print("", end="")
    z = inner(y)
    return z - x


def failing(x):
    y = x + 1
    raise ValueError(str(y.shape))


FUNCTIONS = [plain, broken]


@pytest.fixture(params=FUNCTIONS, ids=lambda function: function.__name__)
def function(request) -> Iterator[Callable[..., Any]]:
    rust_inductor.reset()
    yield request.param
    rust_inductor.reset()


@pytest.fixture(params=[False, True], ids=["first call", "compiled before"])
def warm(request) -> bool:
    return bool(request.param)


def compiled(function: Callable[..., Any], warm: bool) -> Callable[..., Any]:
    made: Callable[..., Any] = _capture.optimize(function, "eager")
    if warm:
        made(X)
    return made


def events(call: Callable[..., Any], install: Callable[[Any], None]) -> list[tuple[Any, ...]]:
    """The events of this file's functions that a trace or profile function is told of."""
    seen: list[tuple[Any, ...]] = []

    def note(frame: FrameType, event: str, arg: Any) -> Any:
        if frame.f_code.co_filename == THIS and frame.f_code.co_name in ("inner", "plain", "broken", "failing"):
            told = arg.tolist() if isinstance(arg, torch.Tensor) else None
            seen.append((event, frame.f_code.co_name, frame.f_lineno, sorted(frame.f_locals), told))
        return note

    install(note)
    try:
        call(X)
    except ValueError:
        seen.append(("raised",))
    finally:
        install(None)
    return seen


def test_settrace_sees_each_line(function, warm):
    wanted = events(function, sys.settrace)
    assert [event for event in wanted if event[0] == "line"]
    made = compiled(function, warm)
    assert events(made, sys.settrace) == wanted
    # Afterwards the function is compiled, and traced again when somebody asks.
    torch.testing.assert_close(made(X), function(X))
    assert events(made, sys.settrace) == wanted


def test_settrace_sees_an_exception(warm):
    rust_inductor.reset()
    made = _capture.optimize(failing, "eager")
    if warm:
        with pytest.raises(ValueError, match="4"):
            made(X)
    assert events(made, sys.settrace) == events(failing, sys.settrace)


def test_setprofile_sees_the_call(function, warm):
    """Of the function that was called; what is inlined runs no more."""
    made = compiled(function, True)
    seen = [event[:2] for event in events(made, sys.setprofile)]
    name = function.__name__
    assert seen[0] == ("call", name)
    assert seen[-1] == ("return", name)
    assert seen.count(("call", name)) == 1
    if warm:
        return
    sys.setprofile(None)
    torch.testing.assert_close(made(X), function(X))


def test_trace_counts_lines(function, warm):
    def counts(call: Callable[..., Any]) -> dict[tuple[str, int], int]:
        tool = trace.Trace(count=1, trace=0)
        tool.runfunc(call, X)
        return {at: count for at, count in tool.results().counts.items() if at[0] == THIS}

    wanted = counts(function)
    assert wanted
    assert counts(compiled(function, warm)) == wanted


def test_bdb_steps_through_lines(function, warm):
    class Stepper(bdb.Bdb):
        def __init__(self) -> None:
            super().__init__()
            self.lines: list[tuple[str, int, list[str]]] = []

        def user_line(self, frame: FrameType) -> None:
            if frame.f_code.co_filename == THIS and frame.f_code.co_name in ("inner", function.__name__):
                self.lines.append((frame.f_code.co_name, frame.f_lineno, sorted(frame.f_locals)))
            self.set_step()

    def lines(call: Callable[..., Any]) -> list[tuple[str, int, list[str]]]:
        stepper = Stepper()
        stepper.runcall(call, X)
        return stepper.lines

    wanted = lines(function)
    assert wanted
    assert lines(compiled(function, warm)) == wanted


def test_pdb_stops_at_a_breakpoint(warm):
    rust_inductor.reset()

    def session(call: Callable[..., Any]) -> str:
        line = inner.__code__.co_firstlineno + 2
        said = [f"break {THIS}:{line}", "continue", "p y.tolist(), x.shape", "up", "p sorted(locals())", "continue", ""]
        commands = io.StringIO("\n".join(said))
        out = io.StringIO()
        tool = pdb.Pdb(stdin=commands, stdout=out, nosigint=True, readrc=False)
        tool.use_rawinput = False
        tool.runcall(call, X)
        tool.clear_all_breaks()
        bdb.Breakpoint.clearBreakpoints()
        said = [text for text in out.getvalue().splitlines() if "[" in text]
        assert any("[0.0, 2.0, 4.0, 6.0]" in text for text in said)
        return "\n".join(said)

    wanted = session(plain)
    assert session(compiled(plain, warm)) == wanted


def test_cprofile_counts_calls(function):
    made = compiled(function, True)
    profile = cProfile.Profile()
    profile.enable()
    for _ in range(3):
        made(X)
    profile.disable()
    rows = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    calls = {name: row[0] for (file, _, name), row in rows.items() if file == THIS}
    assert calls[function.__name__] == 3


def test_faulthandler_prints_the_program():
    lines: list[str] = []

    @torch._dynamo.disable
    def dump() -> None:
        with tempfile.TemporaryFile("w+") as file:
            faulthandler.dump_traceback(file, all_threads=False)
            file.seek(0)
            lines.extend(file.read().splitlines())

    def dumping(x):
        y = x + 1
        dump()
        return y * 2

    made = _capture.optimize(dumping, "eager")
    for _ in range(2):
        lines.clear()
        torch.testing.assert_close(made(X), (X + 1) * 2)
        line = dumping.__code__.co_firstlineno + 2
        assert any(f'"{THIS}", line {line} in dumping' in text for text in lines)


def test_tracemalloc_follows_nothing_of_ours(function):
    made = compiled(function, True)
    tracemalloc.start()
    try:
        made(X)
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(100):
            made(X)
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert grown < 2000
    torch.testing.assert_close(made(X), function(X))


@pytest.mark.skipif(sys.version_info < (3, 12), reason="there is no sys.monitoring")
def test_coverage_by_monitoring(function, warm):
    monitoring: Any = sys.monitoring  # type: ignore[attr-defined]
    tool = monitoring.COVERAGE_ID

    def lines(call: Callable[..., Any]) -> list[tuple[str, int]]:
        seen: list[tuple[str, int]] = []
        monitoring.use_tool_id(tool, "lines")
        monitoring.register_callback(
            tool,
            monitoring.events.LINE,
            lambda code, line: seen.append((code.co_name, line)) if code.co_filename == THIS else None,
        )
        monitoring.set_events(tool, monitoring.events.LINE)
        try:
            call(X)
        finally:
            monitoring.set_events(tool, 0)
            monitoring.register_callback(tool, monitoring.events.LINE, None)
            monitoring.free_tool_id(tool)
        return [event for event in seen if event[0] in ("inner", function.__name__)]

    wanted = lines(function)
    assert wanted
    assert lines(compiled(function, warm)) == wanted
