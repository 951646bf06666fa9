"""Our own Dynamo's log beside torch's: the same program, the same TORCH_LOGS, two processes."""

from __future__ import annotations

import logging
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import rust_inductor

PROGRAM = Path(__file__).with_name("logged.py")
NAMES = "graph,graph_code,graph_sizes,guards,recompiles,graph_breaks,bytecode,dynamic,trace_source,trace_bytecode"
LINE = re.compile(
    r"^[VIW]\d{4} \S+ \d+ \S+\] \[(?P<frame>\d+)/(?P<entry>\d+)\](?: \[__(?P<name>\w+)\])? ?(?P<text>.*)$"
)

#: Ids, what torch says about its own source, types in generated code, columns.
MASKS = [
    (re.compile(r"0x[0-9a-f]+|\b\d{9,}\b"), "<id>"),
    (re.compile(r"__compiled_fn_\w+"), "__compiled_fn"),
    (re.compile(r"\bs\d+\b"), "<symbol>"),
    (re.compile(r"DispatchKeySet\(.*?\)"), "<keys>"),
    (re.compile(r", accessed_by=.*"), ""),
    (re.compile(r'(\w+): "[^"]*"'), r"\1"),
    (re.compile(r" ?#.*| \(HINT.*| \(user code.*"), ""),
    (re.compile(r"\S+_lazy_graph_module.py "), ""),
    (re.compile(r"\s+"), " "),
]


class Logged:
    """The lines of each artifact, masked; those without a name are the log's named ``dynamic``."""

    def __init__(self, which: str) -> None:
        command = [sys.executable, str(PROGRAM), which]
        env = {**os.environ, "TORCH_LOGS": NAMES, "PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
        self.lines: dict[str, list[tuple[str, str]]] = {}
        frames: dict[str, str] = {}
        for match in filter(None, map(LINE.match, done.stderr.splitlines())):
            # torch and we may number frames from another start.
            frame = frames.setdefault(match["frame"], str(len(frames)))
            text = match["text"]
            for mask, put in MASKS:
                text = mask.sub(put, text)
            text = re.sub(rf"^( - ){match['frame']}/", rf"\g<1>{frame}/", text)
            self.lines.setdefault(match["name"] or "dynamic", []).append((f"{frame}/{match['entry']}", text.strip()))

    def of(self, name: str, pattern: str = "") -> list[tuple[str, str]]:
        return [line for line in self.lines[name] if line[1] and re.search(pattern, line[1])]


@pytest.fixture(scope="module")
def logs() -> tuple[Logged, Logged]:
    return Logged("ours"), Logged("torch")


def test_recompiles(logs):
    ours, theirs = logs
    assert ours.of("recompiles") == theirs.of("recompiles")


def test_bytecode_before(logs):
    ours, theirs = logs

    def originals(log: Logged) -> list[str]:
        kept, inside = [], False
        for _, text in log.lines["bytecode"]:
            inside = text.startswith("ORIGINAL") or (inside and not text.startswith("MODIFIED"))
            if inside and "torch_dynamo_resume" not in text:
                kept.append(text)
        return kept[:60]

    assert originals(ours) == originals(theirs)
    heads = [next(text for _, text in log.lines["bytecode"] if text.startswith("MODIFIED")) for log in logs]
    assert heads[0] == heads[1]


def test_graph_breaks(logs):
    ours, theirs = logs
    for pattern in (r"^Graph break in user code at", r"^Graph Break Reason:", r"^Hint:", r"^User code traceback:"):
        assert ours.of("graph_breaks", pattern)
        assert theirs.of("graph_breaks", pattern)
    where = r"^Graph break in user code at|^File|^print"
    assert ours.of("graph_breaks", where) == theirs.of("graph_breaks", where)
    assert ours.of("graph_breaks", "RI0016")


def test_graph_code(logs):
    ours, theirs = logs
    # The first graphs of functions without variables of their own.
    for frame in ("1/0", "2/0", "2/1", "3/0", "4/0"):
        code = [[t for f, t in log.of("graph_code") if f == frame] for log in (ours, theirs)]
        assert code[0] == code[1]


@pytest.mark.parametrize("kind", ["EQUALS_MATCH", "LENGTH_CHECK", "TENSOR_MATCH", "LAMBDA_GUARD: .*L\\['"])
def test_guards(logs, kind):
    ours, theirs = logs
    missing = set(theirs.of("guards", kind)) - set(ours.of("guards", kind))
    # Resume functions name what they keep in their own way.
    assert {line for line in missing if line[0] < "5/0"} == set()


def test_dynamic(logs):
    ours, theirs = logs
    symbols = [[text.split(",")[0].split("] ")[0] for _, text in log.of("dynamic", "^create_symbol")] for log in logs]
    assert symbols[0]
    assert [text for text in symbols[0] if "L['n']" in text] == [text for text in symbols[1] if "L['n']" in text]
    assert len(ours.of("dynamic", "^create_env")) == len(theirs.of("dynamic", "^create_env"))
    assert ours.of("dynamic", r"^eval <symbol> >= 0 \[guard added\]")
    assert ours.of("dynamic", "^marking")
    assert ours.of("dynamic", "^marking") == theirs.of("dynamic", "^marking")


def test_trace(logs):
    # The first function's lines; its instructions, but for the stack, of which each tracer has its own words.
    lines = [[text for frame, text in log.of("trace_source") if frame == "1/0"] for log in logs]
    assert lines[0]
    assert lines[0] == lines[1]
    steps = [[text.split()[:2] for frame, text in log.of("trace_bytecode") if frame == "1/0"] for log in logs]
    assert steps[0] == steps[1]


def test_other_artifacts(logs):
    ours, _ = logs
    assert ours.of("graph", "^opcode name target args kwargs")
    assert ours.of("graph_sizes", "TRACED GRAPH TENSOR SIZES")


def test_the_limit_is_said_once(caplog):
    def fn(x, text):
        return x + len(text)

    compiled = rust_inductor.compile(fn, backend="eager", recompile_limit=2)
    with caplog.at_level(logging.WARNING, logger="torch.rust_inductor"):
        logger = logging.getLogger("torch.rust_inductor")
        logger.addHandler(caplog.handler)
        try:
            for size in range(5):
                assert compiled(torch.zeros(1), "a" * size).item() == size
        finally:
            logger.removeHandler(caplog.handler)
    said = {record.getMessage() for record in caplog.records}
    assert len(said) == 1
    (text,) = said
    assert "recompile_limit (2)" in text
    assert "text == 'a'" in text
