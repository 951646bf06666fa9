"""`./x suites PATH [FILE...]`: PyTorch's own tests of its Dynamo, run on ours.

PATH is any copy of PyTorch's `test/dynamo`. Each test runs in a process of its own, once as it is and once with torch's
entry points replaced by ours (`tools/suites/worker.py`). What counts is how many of those that pass on torch pass on
ours: of all of them, and without those that look into torch's Dynamo (`tools/suites/tags.py`). Results are kept, so
that one side, or only what failed, can be run again.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools import pool
from tools.reasons import kind_of
from tools.suites import tags
from tools.ui import ROOT, Line, say, table

RECORD = ROOT / "bench" / "cache" / "suites.json"
FILES = ("functions", "misc", "modules", "repros", "subgraphs", "ctx_manager", "unspec")
SIDES = ("torch", "ours")
#: The number of reasons and breaks that are listed.
REASONS = 40
#: After how many tests the results are written.
SAVED_EVERY = 50
#: Names in tests of PyTorch's that stand for counts of graphs or operators.
COUNTER = re.compile(r"\b(frame_count|op_count|_common)\b")
EXCEPTION = re.compile(r"^([A-Za-z_][\w.]*)(?:: (.*))?$")
CODE = re.compile(r"\[(RI\d+)\] (.*?)(?:\. [A-Z].*)?$")
ADDRESS = re.compile(r"0x[0-9a-f]+")
#: Numbers, but not those that are part of a name.
NUMBER = re.compile(r"(?<![\w.])-?\d+(\.\d+)?(e[+-]?\d+)?\b")

#: By file and test: the tags, and of each side how it ended.
Record = dict[str, dict[str, dict[str, Any]]]


@dataclass(frozen=True)
class Share:
    """The share of the tests passed on torch that pass on ours."""

    ours: int
    torch: int

    def __str__(self) -> str:
        """Both numbers and the percentage."""
        return f"{self.ours} of {self.torch} ({100 * self.ours / self.torch:.0f} %)" if self.torch else "–"


def main() -> int:
    """Runs the tests and reports."""
    parser = argparse.ArgumentParser(prog="./x suites")
    parser.add_argument("path", type=Path, help="a copy of PyTorch's test/dynamo")
    parser.add_argument("files", nargs="*", metavar="FILE", help=f"test_misc and so on (those of {', '.join(FILES)})")
    parser.add_argument("--side", choices=SIDES, help="only this side; the other's results are those of the last run")
    parser.add_argument("--only", nargs="+", metavar="TEST", help="these tests; * and ? are wildcards")
    parser.add_argument("--failed", action="store_true", help="only those that torch passes and ours did not")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for one test (60)")
    parser.add_argument("--jobs", type=int, default=2, help="tests at a time (2)")
    parser.add_argument("--last", action="store_true", help="report on the last run; nothing is run")
    parser.add_argument("--list", metavar="KIND", help="also list the failures whose reason has this in it")
    options = parser.parse_args()
    folder = options.path.resolve()
    files = [Path(name).stem for name in options.files] or [f"test_{name}" for name in FILES]
    missing = [name for name in files if not (folder / f"{name}.py").exists()]
    if missing:
        parser.error(f"{folder} has no {missing[0]}.py")
    record: Record = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    if not options.last:
        for name in files:
            run_file(folder, name, options, record)
    chosen = {name: record[name] for name in files if name in record}
    print(report(chosen))
    if options.list is not None:
        print("\n".join(matching(chosen, options.list)))
    return 0


def run_file(folder: Path, name: str, options: argparse.Namespace, record: Record) -> None:
    """Runs the tests of one file on the sides that are asked for."""
    sides = [options.side] if options.side else SIDES
    commands = {side: ["-m", "tools.suites.worker", "--side", side, str(folder), name] for side in sides}
    listed = list_tests(commands[sides[0]])
    if isinstance(listed, str):
        say(f"{name}: {listed}")
        return
    entries = record.setdefault(name, {})
    for test, found in listed.items():
        entries.setdefault(test, {})["tags"] = found
    tests = [test for test in listed if is_asked(test, entries[test], options)]
    for side in sides:
        run_tests(f"{name}, {side}", commands[side], tests, side, options, record[name], lambda: keep(record))


def keep(record: Record) -> None:
    """Writes the results, whole or not at all."""
    RECORD.parent.mkdir(parents=True, exist_ok=True)
    part = RECORD.with_suffix(".part")
    part.write_text(json.dumps(record, indent=1))
    part.replace(RECORD)


def list_tests(command: Sequence[str]) -> dict[str, list[str]] | str:
    """The tests of a file with their tags, or why there are none."""
    answers: list[pool.Answer] = []
    pool.run_all(command, [{"list": True}], 1, lambda _, answer: answers.append(answer))
    value = answers[0]["value"]
    return value if answers[0]["ending"] == "value" else f"{answers[0]['ending']}: {value}"


def is_asked(test: str, entry: dict[str, Any], options: argparse.Namespace) -> bool:
    """Whether this run has a test."""
    if options.only and not any(fnmatch.fnmatch(test, f"*{pattern}*") for pattern in options.only):
        return False
    return not options.failed or (ending(entry, "torch") == "passed" and ending(entry, "ours") != "passed")


def run_tests(
    title: str,
    command: Sequence[str],
    tests: Sequence[str],
    side: str,
    options: argparse.Namespace,
    entries: dict[str, dict[str, Any]],
    save: Callable[[], None],
) -> None:
    """Runs tests and puts how they ended into `entries`, saving now and then: a long run may be ended."""
    line, done, passed = Line(), 0, 0

    def take(task: pool.Task, answer: pool.Answer) -> None:
        nonlocal done, passed
        entry = verdict(answer)
        entries[task["test"]][side] = entry
        done, passed = done + 1, passed + (entry["ending"] == "passed")
        if done % SAVED_EVERY == 0 or done == len(tests):
            save()
        line.show(f"{title}: {done} of {len(tests)}, {passed} passed")

    pool.run_all(command, [{"test": test, "limit": options.limit} for test in tests], options.jobs, take)
    line.clear()
    say(f"{title}: {passed} of {len(tests)} passed")


def verdict(answer: pool.Answer) -> dict[str, Any]:
    """The outcome of a test, in the record's form."""
    if answer["ending"] == "value":
        return dict(answer["value"])
    return {"ending": answer["ending"], "text": answer["value"], "graphs": 0, "breaks": {}}


def ending(entry: dict[str, Any], side: str) -> str:
    """The ending of a test on a side; empty if it was not run."""
    return str(entry.get(side, {}).get("ending", ""))


def report(record: Record) -> str:
    """The whole text."""
    everything = [entry for entries in record.values() for entry in entries.values()]
    rows = [row(name, list(entries.values())) for name, entries in record.items()]
    rows.append(row("all", everything))
    header = ["file", "tests", "torch passes", "ours of these", "about results", "… or fewer", "no counts", "no graph"]
    parts = [table(header, rows), LEGEND, by_tag(everything)]
    about = [entry for entry in failures(everything) if tags.is_about_results(entry["tags"])]
    parts += [f"Failures about results, by reason ({len(about)})", ranking(map(reason, about))]
    parts += ["Graphs that ended in those failures, by tests", ranking(breaks(about))]
    rest = [entry for entry in failures(everything) if not tags.is_about_results(entry["tags"])]
    parts += [f"Failures of the other tests, by reason ({len(rest)})", ranking(map(reason, rest))]
    return "\n\n".join(parts)


LEGEND = (
    "About results: without tests that look into torch's Dynamo (counters, logs, expected texts, switches, its errors"
    " and internals). Or fewer: also those that fail because there are fewer graphs or operators than torch's Dynamo"
    " makes. No counts: also without those that say how many graphs or operators there are. No graph: passed"
    " by ours although it captured nothing."
)


def row(name: str, entries: Sequence[dict[str, Any]]) -> list[str]:
    """A file's line."""
    about = [entry for entry in entries if tags.is_about_results(entry["tags"])]
    plain = [entry for entry in entries if not entry["tags"]]
    base, fewer = share(entries), sum(map(has_fewer, about))
    or_fewer = Share(share(about).ours + fewer, share(about).torch)
    idle = sum(entry["ours"]["graphs"] == 0 for entry in entries if ending(entry, "ours") == "passed")
    return [
        name,
        str(len(entries)),
        str(base.torch),
        *(str(some) for some in (base, share(about), or_fewer, share(plain))),
        str(idle),
    ]


def has_fewer(entry: dict[str, Any]) -> bool:
    """Whether a test fails on ours, not on torch, because it counts fewer graphs or operators than it expects."""
    if ending(entry, "torch") != "passed" or ending(entry, "ours") in ("passed", ""):
        return False
    text = entry["ours"]["text"]
    counted = re.search(r"Expected (\d+) but got (\d+)", text)
    return bool(counted) and COUNTER.search(text) is not None and int(counted[2]) < int(counted[1])  # type: ignore[index]


def share(entries: Iterable[dict[str, Any]]) -> Share:
    """Of those that pass on torch and have been run on ours, how many pass on ours."""
    both = [entry for entry in entries if ending(entry, "torch") == "passed" and "ours" in entry]
    return Share(sum(ending(entry, "ours") == "passed" for entry in both), len(both))


def by_tag(entries: Sequence[dict[str, Any]]) -> str:
    """The shares of tests with each tag."""
    shares = {tag: share(entry for entry in entries if tag in entry["tags"]) for tag in tags.PATTERNS}
    return table(["tests with", "ours of torch's passes"], [[tag, str(found)] for tag, found in shares.items()])


def failures(entries: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The tests that pass on torch and fail on ours."""
    return [
        entry for entry in entries if ending(entry, "torch") == "passed" and ending(entry, "ours") not in ("passed", "")
    ]


def reason(entry: dict[str, Any]) -> str:
    """The reason why a test fails on ours: the exception's class and first line, without names and numbers."""
    ours = entry["ours"]
    if ours["ending"] in ("crash", "timeout"):
        return f"{ours['ending']}: {ours['text'].splitlines()[0] if ours['text'] else ''}"
    return exception_kind(ours["text"], ours.get("bases", {}))


def exception_kind(text: str, bases: Mapping[str, str] | None = None) -> str:
    """The exception of a traceback: class and first line, in general terms; of ours, the code and what it says."""
    lines = [line.rstrip() for line in text.splitlines()]
    heads = [k for k, line in enumerate(lines) if (found := EXCEPTION.match(line)) and is_exception(found[1])]
    if not heads:
        return general(lines[-1]) if lines else "no reason"
    found = EXCEPTION.match(lines[heads[-1]])
    assert found is not None
    message = found[2] or next(filter(None, lines[heads[-1] + 1 :]), "")
    name = found[1].rsplit(".", 1)[-1]
    code = CODE.search(message)
    return f"{code[1]} {kind_of(code[2], bases)}" if code else f"{name}: {general(message)}"


def is_exception(name: str) -> bool:
    """Whether a word at the start of a line names an exception, and is not just a word of a message."""
    return name.rsplit(".", 1)[-1].endswith(("Error", "Exception", "Exit", "Interrupt", "Iteration", "Unsupported"))


def general(text: str) -> str:
    """A line without addresses and numbers, and not too long."""
    return NUMBER.sub("#", ADDRESS.sub("#", text))[:150]


def breaks(entries: Iterable[dict[str, Any]]) -> list[str]:
    """The kinds of breaks of each test, each once."""
    found: list[str] = []
    for entry in entries:
        bases = entry["ours"].get("bases", {})
        found += {kind_of(text, bases) for text in entry["ours"]["breaks"]}
    return found


def ranking(reasons: Iterable[str]) -> str:
    """A table of how often each is there."""
    counts = Counter(reasons)
    if not counts:
        return "None."
    rows = [[text.replace("|", "¦"), str(count)] for text, count in counts.most_common(REASONS)]
    left = f"\n\n{len(counts) - REASONS} more." if len(counts) > REASONS else ""
    return table(["reason", "tests"], rows) + left


def matching(record: Record, kind: str) -> list[str]:
    """The failures whose reason or breaks have a text in them, a line each."""
    return [
        f"{name}::{test}: {reason(entry)}"
        for name, entries in record.items()
        for test, entry in entries.items()
        if failures([entry]) and any(kind in text for text in [reason(entry), *breaks([entry])])
    ]


if __name__ == "__main__":
    sys.exit(main())
