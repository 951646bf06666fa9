"""Runs single tests of PyTorch's `test/dynamo`, each in a forked child, on torch's Dynamo or ours.

`./x suites` starts this, once for each file and side: `python -m tools.suites.worker --side ours FOLDER FILE`. For ours
the entry points of torch's Dynamo are replaced before the file is imported; its tests stay as they are.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import operator
import re
import sys
import traceback
import unittest
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
import torch._dynamo
import torch._dynamo.test_case
import torch._dynamo.testing

from tools import forks, pool, reasons
from tools.suites import tags

MISSING = re.compile(r"cannot import name '(\w+)' from '([\w.]+)'")
#: Modules in which tests, or what helps them, look the entry points up. Within torch's Dynamo `export` has its own.
LOOKED_UP = ("torch", "torch._dynamo", "torch._dynamo.testing", "torch._dynamo.test_case", "torch.compiler")
#: Arguments of torch's entry points that ours has too.
SHARED = ("backend", "dynamic", "mode", "options", "disable", "recompile_limit", "dynamic_shapes")
#: Modules of torch's that compile what programs call: that stays torch's own.
COMPILING = "torch._higher_order_ops."
MANY = 40

#: The entry points as they were.
original: dict[str, Any] = {}

#: The events of captures that our Dynamo has told of since the last test began.
events: list[dict[str, Any]] = []


def substitute() -> None:
    """Puts ours in the place of torch's entry points."""
    import rust_inductor
    from rust_inductor import _capture, _module

    original.update(
        compile=torch.compile,
        optimize=torch._dynamo.optimize,
        optimize_assert=torch._dynamo.optimize_assert,
        run=torch._dynamo.run,
        reset=torch._dynamo.reset,
    )

    def reset() -> None:
        original["reset"]()
        rust_inductor.reset()

    ours = {
        "compile": compiled,
        "optimize": optimize,
        "optimize_assert": optimize_assert,
        "run": run,
        "reset": reset,
    }
    for module in map(sys.modules.get, LOOKED_UP):
        for name, function in ours.items():
            if module is not None and getattr(module, name, None) is original[name]:
                setattr(module, name, function)
    holder: Any = torch._dynamo
    holder.OptimizedModule = _module.OptimizedModule
    _capture.optimize = functools.partial(_capture.optimize, listener=events.append)


def compiled(model: Any = None, *, fullgraph: bool = False, backend: Any = "inductor", **keywords: Any) -> Any:
    """`torch.compile`, by ours."""
    if sys._getframe(1).f_globals.get("__name__", "").startswith(COMPILING):
        return original["optimize"](backend, nopython=fullgraph, **keywords)(model)
    if model is None:
        return functools.partial(compiled, fullgraph=fullgraph, backend=backend, **keywords)
    import rust_inductor

    shared = {name: value for name, value in keywords.items() if name in SHARED}
    return rust_inductor.compile(model, fullgraph=fullgraph, backend=backend, **shared)


def optimize(backend: Any = "inductor", *, nopython: bool = False, **keywords: Any) -> Callable[..., Any]:
    """`torch._dynamo.optimize`, by ours."""
    full = nopython or bool(keywords.pop("error_on_graph_break", False))
    return functools.partial(compiled, fullgraph=full, backend=backend, **keywords)


def optimize_assert(backend: Any, **keywords: Any) -> Callable[..., Any]:
    """`torch._dynamo.optimize_assert`, by ours."""
    return functools.partial(compiled, fullgraph=True, backend=backend, **keywords)


def run(function: Any = None) -> Any:
    """`torch._dynamo.run`, by ours: what is compiled already runs, and nothing else is compiled."""
    if function is None:
        return run

    @functools.wraps(function)
    def call(*args: Any, **keywords: Any) -> Any:
        if torch.compiler.is_compiling():
            # It is a part of what calls it.
            return function(*args, **keywords)
        with torch.compiler.set_stance("eager_on_recompile"):
            return function(*args, **keywords)

    return call


def warm_up() -> None:
    """Has the entry points import what they do at a process's first capture, once for all tests."""
    torch.set_num_threads(1)
    warm: Any = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.ReLU())

    def touch(x: torch.Tensor) -> Any:
        parts = {"x": warm(x), "shape": operator.attrgetter("shape")(x)}
        return parts["x"] + sum(size for size in parts["shape"] if isinstance(size, int))

    torch.compile(touch, backend="eager")(torch.ones(3, requires_grad=True))
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    events.clear()


def import_tests(folder: Path, name: str) -> Any:
    """The module of a test file. Names of another version of torch that are missing become decorators of no effect."""
    sys.path.insert(0, str(folder))
    for _ in range(MANY):
        try:
            return importlib.import_module(name)
        except ImportError as error:
            found = MISSING.search(str(error))
            if found is None:
                raise
            setattr(importlib.import_module(found[2]), found[1], lambda function, *_, **__: function)
    message = f"{name} needs too many names that this version of torch lacks"
    raise ImportError(message)


def names(module: Any) -> dict[str, type]:
    """The tests of a module and their classes, which the module may have from elsewhere in its folder."""
    loader = unittest.TestLoader()
    found: dict[str, type] = {}
    for value in vars(module).values():
        if isinstance(value, type) and issubclass(value, unittest.TestCase):
            found |= {f"{value.__name__}.{method}": value for method in loader.getTestCaseNames(value)}
    return found


def listing(module: Any, folder: Path) -> dict[str, list[str]]:
    """Every test with its tags."""
    return {
        name: tags.tags_of(tags.source_of(test_class, name.split(".", 1)[1], folder))
        for name, test_class in names(module).items()
    }


class Verdict(unittest.TestResult):
    """Keeps the exception of a test that did not pass."""

    def __init__(self) -> None:
        super().__init__()
        self.ending = ""
        self.text = ""

    def tell(self, ending: str, error: Any = None) -> None:
        """The first bad end counts: that of a subtest, or of the test before its tear-down."""
        if self.ending in ("", "passed"):
            self.ending = ending
            self.text = "".join(traceback.format_exception(*error))[-6000:] if error else ""

    def addSuccess(self, test: Any) -> None:
        self.tell("passed")

    def addFailure(self, test: Any, err: Any) -> None:
        self.tell("failed", err)

    def addError(self, test: Any, err: Any) -> None:
        self.tell("failed", err)

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:
        if err is not None:
            self.tell("failed", err)

    def addSkip(self, test: Any, reason: str) -> None:
        self.tell("skipped")

    def addExpectedFailure(self, test: Any, err: Any) -> None:
        self.tell("skipped")

    def addUnexpectedSuccess(self, test: Any) -> None:
        self.tell("failed")


def run_test(test_class: type[unittest.TestCase], method: str) -> dict[str, Any]:
    """Runs one test: how it ended, the exception, and what was captured."""
    verdict = Verdict()
    test_class(method).run(verdict)
    test_class.doClassCleanups()
    ended = Counter(f"{event['break']['code']} {event['break']['text']}" for event in events if event.get("break"))
    return {
        "ending": verdict.ending or "skipped",
        "text": verdict.text,
        "graphs": sum(event.get("graph") is not None for event in events),
        "breaks": dict(ended.most_common(10)),
        "bases": reasons.bases_in([*ended, verdict.text[-1000:]]),
    }


def run_with_class(test_class: type[unittest.TestCase], method: str) -> dict[str, Any]:
    """Runs one test between the set-up of its class and the end of the process."""
    torch.set_num_threads(1)
    events.clear()
    test_class.setUpClass()
    return run_test(test_class, method)


def main() -> int:
    """Imports the file and answers: with the list of its tests, or what became of one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--side", choices=("ours", "torch"), required=True)
    parser.add_argument("folder", type=Path)
    parser.add_argument("file")
    options = parser.parse_args()
    if options.side == "ours":
        substitute()
    warm_up()
    module = import_tests(options.folder, options.file)
    tests = names(module)

    def answer(task: pool.Task) -> pool.Answer:
        if task.get("list"):
            return {"ending": "value", "value": listing(module, options.folder), "seconds": 0.0}
        test_class = tests[task["test"]]
        method = task["test"].split(".", 1)[1]
        return asdict(forks.forked(run_with_class, test_class, method, limit=task["limit"]))

    pool.serve(answer)
    return 0


if __name__ == "__main__":
    sys.exit(main())
