"""Our own Dynamo's log beside torch's: the same program, the same TORCH_LOGS, two processes."""

from __future__ import annotations

import functools
import logging
import os
import re
import subprocess
import sys
from collections.abc import Set
from pathlib import Path

import pytest
import torch

import rust_inductor

PROGRAM = Path(__file__).with_name("logged.py")
NAMES = "graph,graph_code,graph_sizes,guards,recompiles,graph_breaks,bytecode,dynamic,trace_source,trace_bytecode"
LINE = re.compile(
    r"^[VIW]\d{4} \S+ \d+ \S+\] \[(?P<frame>\d+)/(?P<entry>\d+)(?:_\d+)?\](?: \[__(?P<name>\w+)\])? ?(?P<text>.*)$"
)

#: Ids; what torch says besides of its own source, and of how to hear more; caches of its guards that ours have not.
MASKS = [
    (re.compile(r" at 0x[0-9a-f]+"), ""),
    # Those in guards may be short: an interpreter that is not relocatable has its objects low.
    (re.compile(r"0x[0-9a-f]+|\b\d{9,}\b|(?<=, )\d+(?=\), type=)"), "<id>"),
    (re.compile(r"__compiled_fn_\w+"), "__compiled_fn"),
    (re.compile(r", tag_safe=.*"), ""),
    (re.compile(r"(?:  #)? \((?:unknown (?:var|source)|user code shown|_(?:dynamo|subclasses)/).*"), ""),
]
SYMBOL = re.compile(r"\bs\d+\b")

#: Frames whose first trace torch gives up at a break, to begin again.
BROKEN = {"10/0", "12/0", "15/0", "16/0"}
#: Frames whose numbers the tracers make in another order: torch a symbol per size, we one that is shared; torch at
#: once, we when somebody asks.
NUMBERS = {"1/1", "1/2", "3/1"}


def numbered(known: dict[str, str], symbol: re.Match[str]) -> str:
    return known.setdefault(symbol[0], f"<symbol {len(known)}>")


class Logged:
    """The lines of each artifact, masked; those without a name are the log's named ``dynamic``."""

    def __init__(self, which: str, names: str = NAMES) -> None:
        command = [sys.executable, str(PROGRAM), which]
        env = {**os.environ, "TORCH_LOGS": names, "PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
        self.lines: dict[str, list[tuple[str, str]]] = {}
        self.order: list[str] = []
        frames: dict[str, str] = {}
        symbols: dict[tuple[str, str], dict[str, str]] = {}
        for match in filter(None, map(LINE.match, done.stderr.splitlines())):
            # torch and we may number frames from another start, and name symbols in another way.
            frame = frames.setdefault(match["frame"], str(len(frames)))
            text = re.sub(rf"^( +- ){match['frame']}/", rf"\g<1>{frame}/", match["text"])
            for mask, put in MASKS:
                text = mask.sub(put, text)
            name = match["name"] or "dynamic"
            known = symbols.setdefault((name, f"{frame}/{match['entry']}"), {})
            text = SYMBOL.sub(functools.partial(numbered, known), text)
            self.lines.setdefault(name, []).append((f"{frame}/{match['entry']}", text))
            if not self.order or self.order[-1] != name:
                self.order.append(name)

    def of(self, name: str, pattern: str = "", without: Set[str] = frozenset()) -> list[tuple[str, str]]:
        return [line for line in self.lines[name] if line[0] not in without and re.search(pattern, line[1])]


@pytest.fixture(scope="module")
def logs() -> tuple[Logged, Logged]:
    return Logged("ours"), Logged("torch")


def resumed(log: Logged) -> set[str]:
    """The frames that go on after a break."""
    return {frame for frame, text in log.of("bytecode", r"^ORIGINAL BYTECODE torch_dynamo_resume")}


def test_recompiles(logs):
    ours, theirs = logs
    assert len(ours.of("recompiles", "^Recompiling")) == 11
    assert ours.of("recompiles") == theirs.of("recompiles")


def test_recompiles_verbose():
    ours, theirs = (Logged(which, "recompiles_verbose") for which in ("ours", "torch"))
    assert ours.of("recompiles_verbose", r"^    guard 1 failures:")
    assert ours.of("recompiles_verbose") == theirs.of("recompiles_verbose")
    assert set(ours.lines) == {"recompiles_verbose"}


def test_bytecode_before(logs):
    def originals(log: Logged) -> list[tuple[str, str]]:
        kept, inside = [], False
        for frame, text in log.of("bytecode", without=resumed(log)):
            inside = text.startswith("ORIGINAL") or (inside and not text.startswith("MODIFIED"))
            if inside:
                kept.append((frame, text))
        return kept

    ours, theirs = logs
    assert originals(ours) == originals(theirs)
    heads = [log.of("bytecode", "^MODIFIED", without=resumed(log)) for log in logs]
    assert heads[0] == heads[1]


def test_graph_breaks(logs):
    heads = r"^(Graph break|Graph Break Reason: Encountered|Graph Break Reason|User code traceback|  File| {4})"
    words = r"^(  Explanation:|  Hint:|  Developer debug context:| For more details)"

    def skeleton(log: Logged) -> list[tuple[str, str]]:
        """The reason, and its words, are each tracer's own; torch has more hints, of several lines."""
        lines: list[tuple[str, str]] = []
        inside = False
        for frame, text in log.of("graph_breaks"):
            word, head = re.match(words, text), re.match(heads, text)
            if word:
                inside = word[1] in ("  Explanation:", "  Hint:")
                lines += [(frame, word[1])] * (lines[-1] != (frame, word[1]))
            elif head and not inside:
                lines.append((frame, head[1] if text.startswith("Graph Break Reason: ") else text))
        return lines

    ours, theirs = logs
    assert skeleton(ours) == skeleton(theirs)
    assert ours.of("graph_breaks", "RI0016")


def test_graph_code(logs):
    ours, theirs = logs
    assert ours.of("graph_code", without=NUMBERS) == theirs.of("graph_code", without=NUMBERS)
    for frame in NUMBERS:
        nodes = [sorted(text for f, text in log.of("graph_code", r"^ {8}\w+: \"f") if f == frame) for log in logs]
        assert [re.sub(r"<symbol \d>", "s", text) for text in nodes[0]] == [
            re.sub(r"<symbol \d>", "s", text) for text in nodes[1]
        ]


def test_graph_tables(logs):
    """torch has the formatter and does not call it: the program does, for torch."""

    def rows(log: Logged) -> list[tuple[str, str]]:
        return [(f, " ".join(text.split())) for f, text in log.of("graph", r"[^ -]|^$", without=NUMBERS)]

    ours, theirs = logs
    assert ours.of("graph", r"placeholder +l_named_a_ +L_named_a_ +\(\) +\{\}")
    assert rows(ours) == rows(theirs)


def test_graph_sizes(logs):
    ours, theirs = logs
    assert ours.of("graph_sizes", r"sum_1 \(concrete\): \(5,\)")
    assert ours.of("graph_sizes", without=NUMBERS) == theirs.of("graph_sizes", without=NUMBERS)


@pytest.mark.parametrize(
    "kind",
    [
        r"GuardManager: source=L\['",
        "EQUALS_MATCH",
        "LENGTH_CHECK",
        r"TENSOR_MATCH",
        r"LAMBDA_GUARD: .*L\['",
        r"TYPE_MATCH: .*L\['(?!a'\])",
        "^(GUARDS:|TREE_GUARD_MANAGER:|\\+- RootGuardManager)$",
    ],
)
def test_guards(logs, kind):
    """Guards that torch has on the arguments are ours, too, in its words; the order is each tracer's own."""
    keys = re.compile(r"(?<=DispatchKeySet)\(.*?\)")
    ours, theirs = ({(f, keys.sub("", text)) for f, text in log.of("guards", kind)} for log in logs)
    frames = {frame for log in logs for frame in resumed(log)}
    # That ``x.value += 1`` reads an attribute which it then replaces is torch's to check before it does.
    missing = {line for line in theirs - ours if line[0] not in frames | NUMBERS | BROKEN}
    assert ours
    assert missing == set()


def test_dynamic(logs):
    ours, theirs = logs
    numbers = r"^create_symbol .* for L\['(n|named)'\]"
    assert ours.of("dynamic", numbers)
    assert ours.of("dynamic", numbers) == theirs.of("dynamic", numbers)
    for line in ("^create_env", "^produce_guards", "^marking", r"^eval <symbol 0> >= 0 \[guard added\] if n >= 0:  # "):
        # A break has torch begin again.
        once = [list(dict.fromkeys(log.of("dynamic", line))) for log in logs]
        assert once[0]
        assert once[0] == once[1]
    assert not [line for line in ours.of("dynamic") if line[0] not in {frame for frame, _ in theirs.lines["dynamic"]}]


def test_trace_source(logs):
    ours, theirs = logs
    without = BROKEN | resumed(ours) | resumed(theirs)
    assert ours.of("trace_source", "inline depth: 1")
    assert ours.of("trace_source", without=without) == theirs.of("trace_source", without=without)


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="torch takes apart the fused instructions that 3.14 has")
def test_trace_bytecode(logs):
    """Of a number or an object that nobody has looked at, each tracer has its own word.

    In 3.12 torch has instructions of its own, without arguments, and stops at one that the interpreter jumps over.
    """

    def depth(stack: str) -> int:
        """The number of words, which may have brackets."""
        while stack != (plain := re.sub(r"\([^()]*\)|`[^`]*`|<[^<>]*>", "", stack)):
            stack = plain
        return stack.count(",") + (stack.strip("[]") != "")

    def steps(log: Logged) -> list[tuple[str, str, int]]:
        without = BROKEN | resumed(ours) | resumed(theirs)
        parts = [(f, *text.partition(" [")[::2]) for f, text in log.of("trace_bytecode", without=without)]
        own = re.compile("_NotProvided|END_FOR")
        return [(frame, step, depth(stack)) for frame, step, stack in parts if not own.search(step)]

    ours, theirs = logs
    assert steps(ours) == steps(theirs)
    plain = r"\[(Tensor|Null)Variable.*\]$|STORE_FAST y|RETURN_VALUE"
    frames = {"0/0", "2/0", "4/0"}
    same = [[line for line in log.of("trace_bytecode", plain) if line[0] in frames] for log in logs]
    assert same[0]
    assert same[0] == same[1]


def test_order(logs):
    """The artifacts of a capture come one after the other as torch's do."""
    for log in logs:
        first = list(dict.fromkeys(log.order))
        assert first[:5] == ["bytecode", "dynamic", "trace_source", "trace_bytecode", "graph_code"]
        assert first.index("guards") < first.index("recompiles") < first.index("graph_breaks")


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


def test_files_for_debugging(tmp_path):
    program = (
        "import torch, rust_inductor\n"
        "def f(x):\n"
        "    y = x * 2\n"
        "    print('left')\n"
        "    return y.relu()\n"
        "rust_inductor.compile(f)(torch.ones(3))\n"
    )
    (tmp_path / "program.py").write_text(program)
    env = {**os.environ, "TORCH_COMPILE_DEBUG": "1", "TORCH_COMPILE_DEBUG_DIR": str(tmp_path)}
    command = [sys.executable, str(tmp_path / "program.py")]
    done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "TRACE" not in done.stderr and "Graph break" not in done.stderr
    (run,) = (tmp_path / "torch_compile_debug").glob("run_*")
    captured = (run / "torchdynamo" / "debug.log").read_text()
    for said in (
        "ORIGINAL BYTECODE f",
        "TRACE starts_line",
        "Graph break",
        "l_x_ * 2",
        "MODIFIED BYTECODE f",
        "GUARDS",
    ):
        assert said in captured
    assert "define" in (run / "torchinductor" / "debug.log").read_text()
