"""`./x zoo`: models of torchvision, timm and transformers through our own Dynamo and torch's, side by side.

Each model (`tools/zoo/models.py`) is captured as it is, in inference and for training steps, and `generate` token by
token, behind a backend that counts graphs and runs them as they are (`tools/zoo/worker.py`). The report says for each
whether it is right, and for the graphs that end early why, most frequent first.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import re
import statistics
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tools import machine, pool
from tools.reasons import kind_of
from tools.ui import ROOT, Line, say, table

PAGE = ROOT / "bench" / "ZOO.md"
RECORD = ROOT / "bench" / "cache" / "zoo.json"
MODES = ("inference", "training")
HEADER = ["model", "right", "graphs", "breaks", "skipped", "operators", "capture s", "call µs"]
METHOD = (
    "Random weights, small configurations, the libraries' code unmodified; one thread, CPU. Behind both sides stands"
    " one backend that counts graphs and operators and runs each graph as it is. A training row is two steps of SGD."
    " Right: outputs, in training also gradients, parameters and buffers, agree with the model as it is in two calls."
    " Breaks: places where a graph ended before its function did. Skipped: frames that run as they are. Capture: the"
    " first call over the first call of an equal model as it is, in a fork whose pages are its own. Call: a later"
    " call in which the graph, if it is one, gives at once what it last gave, so that guards and the code around it"
    " are left."
    " Each cell has ours, then torch's."
)
#: After how many captures what they told is written.
SAVED_EVERY = 10
#: The folders of libraries on the machine that ran them.
INSTALLED = re.compile(r"/\S*/site-packages/")
#: The largest number of reasons in a list.
REASONS = 25


@dataclass
class Side:
    """The result of one Dynamo on one model."""

    #: The fields of `zoo_worker.Finding`; empty if there was no answer.
    finding: dict[str, Any]
    #: The reason why there was none.
    failure: str = ""

    @property
    def right(self) -> bool:
        """Whether there is a result that agrees with the model's."""
        return bool(self.finding.get("right"))

    @property
    def why(self) -> str:
        """The problem, in a line."""
        return self.failure or str(self.finding.get("why", ""))


@dataclass
class Pair:
    """One row of the report."""

    name: str
    mode: str
    sides: dict[str, Side] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The row's name."""
        return self.name if self.mode == "inference" else f"{self.name}, training"

    def as_few_graphs(self) -> bool:
        """Whether ours has no more graphs than torch's and ends no more often: no graph at all is not few."""
        ours, theirs = self.sides["ours"].finding, self.sides["torch"].finding
        if not ours or not theirs or (theirs["graphs"] > 0 and ours["graphs"] == 0):
            return False
        return bool(ours["graphs"] <= theirs["graphs"] and ours["breaks"] <= theirs["breaks"])


def main() -> int:
    """Runs the models and reports."""
    parser = argparse.ArgumentParser(prog="./x zoo")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these models; * and ? are wildcards")
    parser.add_argument("--mode", choices=MODES, help="only this mode")
    parser.add_argument("--no-torch", action="store_true", help="ours alone; torch's rows are those of the last run")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds for one model on one side (300)")
    parser.add_argument("--jobs", type=int, default=2, help="models at a time (2); times are steadiest with 1")
    parser.add_argument("--write", action="store_true", help="write the report to bench/ZOO.md")
    parser.add_argument("--last", action="store_true", help="report on the last run; nothing is run")
    options = parser.parse_args()
    pairs = read_record()
    if not options.last:
        tasks = plan(options.only, options.mode, ["ours"] if options.no_torch else ["ours", "torch"], options.limit)
        if not tasks:
            parser.error(f"no model has a name like {' or '.join(options.only)}")
        run(tasks, options.jobs, pairs)
        asked = {(task["name"], task["mode"]) for task in tasks}
        pairs = {key: pair for key, pair in pairs.items() if key in asked}
    page = report(list(pairs.values()))
    print(page)
    if options.write:
        PAGE.write_text(page)
        say(f"written to {PAGE}")
    return 0 if all(pair.sides["ours"].right for pair in pairs.values() if "ours" in pair.sides) else 1


def plan(only: Sequence[str] | None, mode: str | None, sides: Sequence[str], limit: float) -> list[pool.Task]:
    """The tasks that are to be run."""
    from tools.zoo.models import MODELS

    names = [name for name in MODELS if not only or any(fnmatch.fnmatch(name, pattern) for pattern in only)]
    return [
        {"name": name, "mode": case, "side": side, "limit": limit}
        for name in names
        for case in MODES
        if mode in (None, case) and not (case == "training" and "generate" in name)
        for side in sides
    ]


def run(tasks: Sequence[pool.Task], jobs: int, pairs: dict[tuple[str, str], Pair]) -> None:
    """Runs every task and puts what it told into `pairs`."""
    line, done = Line(), 0

    def take(task: pool.Task, answer: pool.Answer) -> None:
        nonlocal done
        done += 1
        key = task["name"], task["mode"]
        side = pairs.setdefault(key, Pair(*key)).sides[task["side"]] = side_of(answer)
        verdict = "right" if side.right else f"WRONG: {side.why}"
        if done % SAVED_EVERY == 0 or done == len(tasks):
            write_record(pairs)
        line.show(f"{done} of {len(tasks)}: {pairs[key].title}, {task['side']}: {verdict}", always=True)

    line.show(f"{len(tasks)} captures; the workers import the libraries", always=True)
    pool.run_all(["-m", "tools.zoo.worker"], tasks, jobs, take)
    line.clear()


def side_of(answer: pool.Answer) -> Side:
    """The side that a worker's answer describes."""
    if answer["ending"] == "value":
        return Side(answer["value"])
    text = str(answer["value"]).strip()
    return Side({}, f"{answer['ending']}: {last_line(text) if answer['ending'] == 'error' else text}")


def last_line(text: str) -> str:
    """The line of a traceback that names the exception: the last that is not indented and starts with a name."""
    named = [line for line in text.splitlines() if re.match(r"[\w.]+(Error|Exception|Exit|Interrupt|\w)?(:|$)", line)]
    return named[-1] if named else text.splitlines()[-1]


def report(pairs: Sequence[Pair]) -> str:
    """The page."""
    parts = ["# The zoo", f"`./x zoo` on {machine.description()}.", METHOD, totals(pairs)]
    parts += [table(HEADER, [row(pair) for pair in pairs])]
    wrong = [f"- {pair.title}, {name}: {side.why}" for pair in pairs for name, side in wrong_sides(pair)]
    if wrong:
        parts += ["## Not right", "\n".join(wrong)]
    parts += ["## Why ours ends graphs", ranking(reasons_of(pairs, "ours"))]
    parts += ["## Why torch's ends graphs", ranking(reasons_of(pairs, "torch"))]
    lines = [line for pair in pairs if (line := reasons_line(pair))]
    if lines:
        parts += ["## By model", "\n".join(lines)]
    return "\n\n".join(parts) + "\n"


def wrong_sides(pair: Pair) -> list[tuple[str, Side]]:
    """The sides that are not right."""
    return [(name, side) for name, side in pair.sides.items() if not side.right]


def totals(pairs: Sequence[Pair]) -> str:
    """The sentences above the table."""
    lines = []
    for name in ("ours", "torch"):
        sides = [pair.sides[name] for pair in pairs if name in pair.sides]
        if sides:
            right = sum(side.right for side in sides)
            whole = sum(side.right and side.finding["breaks"] + side.finding["skipped"] == 0 for side in sides)
            lines.append(f"- {name}: {right} of {len(sides)} right, {whole} of them without a break or a skipped frame")
    both = [pair for pair in pairs if {"ours", "torch"} <= pair.sides.keys()]
    if both:
        few = sum(pair.as_few_graphs() for pair in both)
        lines.append(f"- as few graphs and breaks as torch's: {few} of {len(both)} ({100 * few / len(both):.0f} %)")
    for title, field_name, asked in (("capture time", "capture_seconds", 20), ("time of a call", "call_us", 4)):
        ratios = ratios_of(both, field_name)
        if ratios:
            median, least, many = statistics.median(ratios), min(ratios), sum(ratio >= asked for ratio in ratios)
            spread = f"median {median:.1f}, least {least:.1f}; at least {asked} in {many} of {len(ratios)}"
            lines.append(f"- {title}, torch / ours: {spread}")
    return "\n".join(lines)


def ratios_of(pairs: Iterable[Pair], field_name: str) -> list[float]:
    """The ratios of torch's time to ours, where both are right and ours is one of as few graphs."""
    sides = [(pair.sides["ours"], pair.sides["torch"]) for pair in pairs if pair.as_few_graphs()]
    findings = [(ours.finding, theirs.finding) for ours, theirs in sides if ours.right and theirs.right]
    return [
        theirs[field_name] / max(ours[field_name], 1e-6)
        for ours, theirs in findings
        if ours.get(field_name) is not None and theirs.get(field_name) is not None
    ]


def row(pair: Pair) -> list[str]:
    """A model's line in the table."""

    def cell(field_name: str, form: str = "") -> str:
        return " / ".join(
            format(side.finding[field_name], form)
            if side is not None and side.finding.get(field_name) is not None
            else "–"
            for side in map(pair.sides.get, ("ours", "torch"))
        )

    verdicts = [
        ("yes" if side.right else "NO") if side is not None else "–" for side in map(pair.sides.get, ("ours", "torch"))
    ]
    whole = [cell(name) for name in ("graphs", "breaks", "skipped", "operators")]
    return [pair.title, " / ".join(verdicts), *whole, cell("capture_seconds", ".3f"), cell("call_us", ".0f")]


def reasons_of(pairs: Sequence[Pair], name: str) -> dict[str, tuple[int, int]]:
    """For each kind of reason, how many times and in how many rows it stands."""
    times: Counter[str] = Counter()
    rows: Counter[str] = Counter()
    for pair in pairs:
        if name in pair.sides:
            kinds: Counter[str] = Counter()
            finding = pair.sides[name].finding
            for text, count in finding.get("reasons", {}).items():
                kinds[kind_of(text, finding.get("bases", {}))] += count
            times += kinds
            rows.update(kinds.keys())
    return {kind: (count, rows[kind]) for kind, count in times.most_common()}


def ranking(kinds: dict[str, tuple[int, int]]) -> str:
    """The reasons as a table, most frequent first."""
    if not kinds:
        return "No reason was given."
    rows = [[kind.replace("|", "¦"), str(count), str(models)] for kind, (count, models) in kinds.items()]
    rows.sort(key=lambda cells: (-int(cells[2]), -int(cells[1])))
    left = f"\n\n{len(rows) - REASONS} more kinds." if len(rows) > REASONS else ""
    return table(["reason", "times", "rows"], rows[:REASONS]) + left


def reasons_line(pair: Pair) -> str:
    """A model's own most frequent reasons on our side."""
    side = pair.sides.get("ours")
    reasons = side.finding.get("reasons", {}) if side is not None else {}
    told = "; ".join(f"{count} × {INSTALLED.sub('', text)}" for text, count in list(reasons.items())[:3])
    return f"- {pair.title}: {told}" if told else ""


def read_record() -> dict[tuple[str, str], Pair]:
    """The results of the last runs; empty if there were none."""
    if not RECORD.exists():
        return {}
    pairs = {}
    for entry in json.loads(RECORD.read_text()):
        sides = {name: Side(**side) for name, side in entry["sides"].items()}
        pairs[entry["name"], entry["mode"]] = Pair(entry["name"], entry["mode"], sides)
    return pairs


def write_record(pairs: dict[tuple[str, str], Pair]) -> None:
    """Keeps what this run told, so that one side can be run again."""
    RECORD.parent.mkdir(parents=True, exist_ok=True)
    entries = [
        {"name": pair.name, "mode": pair.mode, "sides": {name: vars(side) for name, side in pair.sides.items()}}
        for pair in pairs.values()
    ]
    RECORD.write_text(json.dumps(entries, indent=1))


if __name__ == "__main__":
    sys.exit(main())
