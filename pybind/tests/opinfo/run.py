"""`python -m pybind.tests.opinfo.run [NAME...] [--grad] [--dtype bfloat16] [--kind strided]`: a table of what is right.

Operators are run in processes of their own, a group each, so that a crash is a result and not the end. Shown is every
operator that is not right, and what is called for want of a rule; `--table` shows all of them.
"""

from __future__ import annotations

import argparse
import json
import queue
import subprocess
import sys
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from pybind.tests.opinfo.judge import PLANS, Verdict
from pybind.tests.opinfo.samples import KINDS, names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: Operators a process.
GROUP = 120
#: Seconds that one operator may take.
PATIENCE = 900.0


def main() -> int:
    """Runs what the command line asks for; the status is 1 if something is wrong."""
    options = parsed()
    dtype = getattr(torch, options.dtype)
    wanted = [name for want in options.names or [None] for name in names(dtype, want, grad=options.grad)]
    if not wanted:
        print("no operator of this name takes the dtype", file=sys.stderr)
        return 2
    verdicts = []
    task = {name: getattr(options, name) for name in ("dtype", "grad", "kind", "threads", "device")} | {
        "limit": options.first
    }
    for verdict in sweep(wanted, task, options.jobs):
        verdicts.append(verdict)
        if verdict.problems:
            show(verdict, options.problems)
        print(f"\r{len(verdicts)}/{len(wanted)}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    verdicts.sort(key=lambda it: wanted.index(it.name))
    if options.json is not None:
        options.json.write_text(json.dumps([it.as_dict() for it in verdicts], indent=1))
    summary(verdicts, whole=options.table)
    return int(any(it.problems for it in verdicts))


def parsed() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m pybind.tests.opinfo.run", description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", help="operators, each with all its variants; all of them if none is named")
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--grad", action="store_true", help="with gradients")
    parser.add_argument("--device", default="cpu", help="that of the options: cuda is the emulator")
    parser.add_argument("--kind", choices=KINDS, default="plain", help="which samples")
    parser.add_argument("--first", type=int, metavar="N", help="only the first N samples of each")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--table", action="store_true", help="a line for every operator")
    parser.add_argument("--problems", type=int, default=3, metavar="N", help="how many of an operator are shown")
    parser.add_argument("--json", type=Path, help="where to write everything")
    return parser.parse_args()


def sweep(wanted: Sequence[str], task: dict[str, Any], jobs: int) -> Iterator[Verdict]:
    """The verdicts, as they come."""
    done: queue.Queue[Verdict] = queue.Queue()
    # Neighbours in the list are alike, and take alike long: each group has some of every kind.
    count = max(jobs, -(-len(wanted) // GROUP))
    groups = [wanted[at::count] for at in range(count)]
    with ThreadPoolExecutor(jobs) as pool:
        runs = [pool.submit(run_group, group, task, done) for group in groups if group]
        for _ in wanted:
            yield done.get()
        for run in runs:
            run.result()


def run_group(group: Sequence[str], task: dict[str, Any], done: queue.Queue[Verdict]) -> None:
    """Runs the operators in one process, or in as many as it takes if they die."""
    left = list(group)
    while left:
        finished, current, death = run_process(left, task, done)
        left = left[finished:]
        if left:
            verdict = Verdict(current or left[0], samples=1)
            verdict.problems.append((0, "crash", death))
            done.put(verdict)
            left = left[1:]


def run_process(left: list[str], task: dict[str, Any], done: queue.Queue[Verdict]) -> tuple[int, str | None, str]:
    """The number of operators that a process finished, which it began last, and what it died of."""
    process = subprocess.Popen(
        [sys.executable, "-m", "pybind.tests.opinfo.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None
    process.stdin.write(json.dumps({**task, "names": left}))
    process.stdin.close()
    errors: list[str] = []
    reader = threading.Thread(target=lambda: errors.extend(process.stderr or ()))
    reader.start()
    finished, current = 0, None
    timer = threading.Timer(PATIENCE, process.kill)
    timer.start()
    for line in process.stdout:
        if not line.startswith("{"):
            continue  # an operator printed it
        record = json.loads(line)
        if "begin" in record:
            current = record["begin"]
            timer.cancel()
            timer = threading.Timer(PATIENCE, process.kill)
            timer.start()
        else:
            finished += 1
            done.put(Verdict(**record))
    timer.cancel()
    status = process.wait()
    reader.join()
    last = [line.strip() for line in errors if "panicked" in line or "Error" in line or "Fatal" in line][-2:]
    return finished, current, f"status {status} {' '.join(last)}"


def show(verdict: Verdict, limit: int) -> None:
    """Prints what is wrong with an operator."""
    kinds = Counter(kind for _, kind, _ in verdict.problems)
    counts = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
    print(f"\r{verdict.name}: {counts} of {verdict.samples}")
    for number, kind, text in verdict.problems[:limit]:
        print(f"    sample {number} {kind}: {text}")


def summary(verdicts: Sequence[Verdict], *, whole: bool) -> None:
    """Prints the counts."""
    if whole:
        print(f"{'operator':<52} {'samples':>7} {'equal':>6} " + " ".join(f"{plan:>8}" for plan in PLANS))
        for it in verdicts:
            cells = " ".join(f"{it.plans[plan]:>8}" for plan in PLANS)
            print(f"{it.name:<52} {it.samples:>7} {it.equal:>6} {cells}  {'; '.join(sorted(it.fallbacks))}".rstrip())
    missing: Counter[tuple[str, str]] = Counter()
    for it in verdicts:
        for target, why in it.fallbacks.items():
            missing[target, why] += 1
    print("\ncalled for want of a rule, by how many operators")
    for (target, why), count in missing.most_common():
        print(f"  {count:>4}  {target}: {why}")
    kinds = Counter(kind for it in verdicts for _, kind, _ in it.problems)
    plans = Counter(it.plan for it in verdicts)
    samples, equal = sum(it.samples for it in verdicts), sum(it.equal for it in verdicts)
    print(f"\n{len(verdicts)} operators, {samples} samples, {equal} right; {dict(kinds) or 'nothing is wrong'}")
    part = (plans["native"] + plans["extern"]) / max(1, len(verdicts))
    print(f"operators by the worst of what computes a sample: {dict(plans)}; {part:.1%} native or extern")


if __name__ == "__main__":
    sys.exit(main())
