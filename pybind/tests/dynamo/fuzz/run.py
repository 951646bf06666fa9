"""Runs programs as they are and compiled: ``python -m pybind.tests.dynamo.fuzz.run --count 1000 --seed 0``.

Programs run in processes of their own, since what is tested may crash or hang.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import importlib
import io
import json
import linecache
import multiprocessing
import multiprocessing.connection
import os
import re
import signal
import sys
import time
import traceback
import types
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.utils.hooks import RemovableHandle

from pybind.tests.dynamo.fuzz.arguments import VARIANTS, arguments
from pybind.tests.dynamo.fuzz.compare import ADDRESS, DEEPEST, Outcome, Raised, difference
from pybind.tests.dynamo.fuzz.generate import CHANGES, Program, generate

Listener = Callable[[dict[str, Any]], None]
#: Makes a compiled function of a function. The second argument is told of captures; the third is the seed.
Compiler = Callable[[Callable[..., Any], Listener, int], Callable[..., Any]]

#: The seconds that a program may take before it counts as hanging.
PATIENCE = 120.0
#: After how many seconds a call of a program that is not compiled has no end.
ENDLESS = 10.0
#: The settings for sizes that change, of which the seed chooses one.
DYNAMIC = (None, None, True, False)


def ours(function: Callable[..., Any], listener: Listener, seed: int) -> Callable[..., Any]:
    """Our own Dynamo, with nothing behind it."""
    from rust_inductor import _capture

    compiled: Callable[..., Any] = _capture.optimize(
        function, "eager", dynamic=DYNAMIC[seed % len(DYNAMIC)], listener=listener
    )
    return compiled


def kept(function: Callable[..., Any], listener: Listener, seed: int) -> Callable[..., Any]:
    """Our own Dynamo with traces that are kept on disk: a second run of the programs recalls those of the first."""
    from rust_inductor import _capture

    compiled: Callable[..., Any] = _capture.optimize(function, "eager", dynamic=DYNAMIC[seed % len(DYNAMIC)])
    return compiled


def identity(function: Callable[..., Any], listener: Listener, seed: int) -> Callable[..., Any]:
    """No compiler."""
    return function


COMPILERS: dict[str, Compiler] = {"ours": ours, "kept": kept, "identity": identity}


@dataclass
class Report:
    """The outcome of a program."""

    seed: int
    #: The difference, with the number of the call, if there is one.
    aspect: str = ""
    text: str = ""
    call: int = 0
    graphs: int = 0
    raised: bool = False
    seconds: float = 0.0
    #: The reasons why graphs ended, and why functions were not compiled.
    reasons: list[str] = field(default_factory=list)
    constructs: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """The part of the difference that others of the same cause have in common with it, most likely."""
        kinds = " ".join(re.findall(r"kind='(\w+)'", self.text))
        place = re.sub(r"\d+", "", self.text.split(":")[0])
        return f"{self.aspect} {kinds or place}"


def namespace_of(program: Program) -> dict[str, Any]:
    """The program's module, freshly executed."""
    lines = program.source.splitlines(keepends=True)
    linecache.cache[program.name] = (len(program.source), None, lines, program.name)
    module = types.ModuleType("program")
    # Data classes look for the module of their class.
    sys.modules["program"] = module
    exec(compile(program.source, program.name, "exec"), vars(module))
    return vars(module)


def innermost(error: BaseException, name: str) -> int | None:
    """The line of the innermost frame of an error in this file; -1 if no frame is."""
    lines = [line for frame, line in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == name]
    return lines[-1] if lines else -1


def outcome(
    function: Callable[..., Any], given: Any, namespace: dict[str, Any], name: str, collects: bool = False
) -> Outcome:
    """One call, and all that came of it, with garbage collected or not."""
    result, raised, printed = None, None, io.StringIO()
    namespace.get("g_notes", []).clear()
    args, kwargs = given
    try:
        with contextlib.redirect_stdout(printed):
            result = function(*args, **kwargs)
    except Exception as error:
        message = DEEPEST.sub(r"\1", ADDRESS.sub("0x", str(error)))
        raised = Raised(type(error).__name__, message, innermost(error, name))
    if collects:
        # Generators that an exception's frames keep are closed, whether or not there is a cycle.
        gc.collect()
    grad_enabled = torch.is_grad_enabled()
    torch.set_grad_enabled(True)
    left = {k: v for k, v in namespace.items() if not k.startswith("__")}
    return Outcome(result, raised, ADDRESS.sub("0x", printed.getvalue()), given, left, grad_enabled)


class Endless(BaseException):
    """A program has no end, compiled or not."""


@contextlib.contextmanager
def limited() -> Iterator[None]:
    """Raises :class:`Endless` after a while, and again where a ``finally`` of the program has no end either.

    It is raised at the end as well where a ``finally`` of the program has raised another exception in its place.
    """
    ended = False

    def end(_signal: int, _frame: Any) -> None:
        nonlocal ended
        ended = True
        raise Endless

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, ENDLESS, ENDLESS / 4)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    if ended:
        raise Endless


def run(program: Program, compiler: Compiler) -> Report:
    """Every call of a program, plain and compiled, up to the first difference."""
    report = Report(program.seed, constructs=program.constructs)
    began = time.perf_counter()

    def listen(event: dict[str, Any]) -> None:
        if "skipped" in event:
            report.reasons.append(f"skipped: {event['skipped']}")
        else:
            report.graphs += event.get("graph") is not None
            if event.get("break_reason"):
                report.reasons.append(str(event["break_reason"]))

    plain, compiled = namespace_of(program), namespace_of(program)
    function = compiler(compiled["main"], listen, program.seed)
    collects = "yield" in program.source
    given = arguments(program, VARIANTS[0], plain), arguments(program, VARIANTS[0], compiled)
    for call in range(len(VARIANTS) * 2):
        variant = VARIANTS[call // 2]
        try:
            # Every second call has the arguments as the one before left them.
            if call % 2 == 0:
                with limited():
                    change(call // 2, plain, compiled)
                given = arguments(program, variant, plain), arguments(program, variant, compiled)
            before = RemovableHandle.next_id
            with limited():
                expected = outcome(plain["main"], given[0], plain, program.name, collects)
        except Endless:
            break
        RemovableHandle.next_id = before
        found = outcome(function, given[1], compiled, program.name, collects)
        report.raised = report.raised or expected.raised is not None
        differs = difference(expected, found)
        if differs is not None:
            report.aspect, report.text, report.call = differs.aspect, differs.text, call
            break
    report.seconds = time.perf_counter() - began
    return report


def change(number: int, *namespaces: dict[str, Any]) -> None:
    """Changes the state of each module in one way, as far as that is possible."""
    before = RemovableHandle.next_id
    for namespace in namespaces:
        RemovableHandle.next_id = before
        with contextlib.suppress(Exception), contextlib.redirect_stdout(io.StringIO()):
            namespace[f"change_{number % CHANGES}"]()


def work(compiler: Compiler, seeds: range, sender: multiprocessing.connection.Connection) -> None:
    """Runs a range of programs, and sends what became of each."""
    prepare()
    for seed in seeds:
        # What was imported and compiled before this program need not be looked through at each of its collections.
        gc.collect()
        gc.freeze()
        sender.send(run_seed(seed, compiler))
    sender.close()


def prepare() -> None:
    """Settings of a worker: one thread, and no word about what is not compiled, which reports have.

    What programs import is imported, so that processes forked from this one need not.
    """
    torch.set_num_threads(1)
    os.environ.setdefault("RUST_INDUCTOR_LOG", "error")
    warnings.simplefilter("ignore")
    importlib.import_module("torch._dynamo")
    with contextlib.suppress(ImportError):
        importlib.import_module("rust_inductor._native")


def run_seed(seed: int, compiler: Compiler) -> Report:
    """The report of a seed. A failure of the harness is a difference like any other."""
    try:
        program = generate(seed)
        report = run(program, compiler)
    except Exception as error:
        return Report(seed, "harness", "".join(traceback.format_exception(error)[-3:]))
    if "yield" in program.source:
        # Suspended generators leave their context managers here, and not in the middle of the next program.
        sys.modules.pop("program", None)
        gc.collect()
        torch.set_grad_enabled(True)
    return report


def sweep(compiler: Compiler, seeds: range, jobs: int = 2) -> Iterator[Report]:
    """The reports of all seeds, as they come. A crash or hang costs its worker, and is reported."""
    forks = multiprocessing.get_context("fork")
    step = -(-len(seeds) // jobs)
    todo = [seeds[i : i + step] for i in range(0, len(seeds), step)]
    workers: dict[Any, tuple[Any, range, float]] = {}

    def start(part: range) -> None:
        if part:
            receiver, sender = forks.Pipe(duplex=False)
            process = forks.Process(target=work, args=(compiler, part, sender), daemon=True)
            process.start()
            sender.close()
            workers[receiver] = (process, part, time.monotonic())

    for part in todo:
        start(part)
    while workers:
        ready = multiprocessing.connection.wait(list(workers), timeout=1.0)
        for receiver in list(workers):
            process, part, since = workers[receiver]
            if receiver in ready:
                try:
                    yield receiver.recv()
                    workers[receiver] = (process, part[1:], time.monotonic())
                    continue
                except EOFError:
                    process.join()
                    if part:
                        yield Report(part[0], "crash", f"exit code {process.exitcode}")
            elif time.monotonic() - since < PATIENCE:
                continue
            else:
                process.kill()
                yield Report(part[0], "hang", f"no end in {PATIENCE:.0f} s")
            del workers[receiver]
            receiver.close()
            start(part[1:])


@dataclass
class Summary:
    """The outcome of many programs."""

    cases: int = 0
    captured: int = 0
    raised: int = 0
    seconds: float = 0.0
    different: list[Report] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)
    constructs: Counter[str] = field(default_factory=Counter)

    def add(self, report: Report) -> None:
        """Counts a report."""
        self.cases += 1
        self.captured += report.graphs > 0
        self.raised += report.raised
        self.seconds += report.seconds
        self.reasons.update(report.reasons)
        self.constructs.update(report.constructs)
        if report.aspect:
            self.different.append(report)

    @property
    def rate(self) -> float:
        """The share of programs of which a graph was captured."""
        return self.captured / max(1, self.cases)

    def various(self) -> list[Report]:
        """The reports of programs that differ: first one of each key, then the second of each, and so on."""
        seen: Counter[str] = Counter()
        ranked = []
        for report in self.different:
            seen[report.key] += 1
            ranked.append((seen[report.key], report.seed, report))
        return [report for _, _, report in sorted(ranked, key=lambda item: item[:2])]

    def __str__(self) -> str:
        lines = [
            f"{self.cases} programs, {self.raised} of them raise; {len(self.different)} differ; "
            f"{self.rate:.0%} give a graph; {self.seconds:.1f} s"
        ]
        lines += [f"{count:6} {reason[:150]}" for reason, count in self.reasons.most_common(30)]
        lines += [f"seed {r.seed} (call {r.call}): {r.aspect}: {r.text[:300]}" for r in self.different]
        return "\n".join(lines)


def summarise(compiler: Compiler, seeds: range, jobs: int = 2) -> Summary:
    """Runs all seeds."""
    summary = Summary()
    for report in sweep(compiler, seeds, jobs):
        summary.add(report)
    summary.different.sort(key=lambda report: report.seed)
    return summary


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0, help="the first one")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--compiler", choices=COMPILERS, default="ours")
    parser.add_argument("--shrink", type=int, default=0, metavar="N", help="reduce N that differ, of all kinds")
    parser.add_argument("--show", action="store_true", help="print the programs")
    parser.add_argument("--constructs", action="store_true", help="how many programs have each construct")
    parser.add_argument("--json", action="store_true", help="print the differences as JSON")
    options = parser.parse_args()
    seeds = range(options.seed, options.seed + options.count)
    if options.show:
        for seed in seeds:
            print(generate(seed).source)
    compiler = COMPILERS[options.compiler]
    summary = summarise(compiler, seeds, options.jobs)
    if options.json:
        print(json.dumps([[r.seed, r.call, r.aspect, r.text] for r in summary.different]))
    else:
        print(summary)
    if options.constructs:
        for name, count in sorted(summary.constructs.items(), key=lambda item: item[1]):
            print(f"{count:6} {name}")
    from pybind.tests.dynamo.fuzz.shrink import shrink

    prepare()
    for report in summary.various()[: options.shrink]:
        print(shrink(generate(report.seed), compiler), flush=True)
    return 1 if summary.different else 0


if __name__ == "__main__":
    sys.exit(main())
