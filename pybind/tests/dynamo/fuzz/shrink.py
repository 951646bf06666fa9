"""Makes a program that differs small: drops and unwraps statements and parts of expressions while it still differs."""

from __future__ import annotations

import ast
import dataclasses
import multiprocessing
from collections.abc import Iterator
from typing import Any

from pybind.tests.dynamo.fuzz.generate import Program
from pybind.tests.dynamo.fuzz.run import Compiler, Report, prepare, run

#: The tries in which a program is made smaller, and the seconds that one of them may take.
BUDGET, PATIENCE = 400, 10.0
BODIES = ("body", "orelse", "finalbody", "handlers")

#: The way to a node, and what is done there: how much smaller it makes the program, the way, the field, the items of it
#: that are replaced if it is a list, and by what.
Step = tuple[str, int | None]
Edit = tuple[int, list[Step], str, range | None, Any]


@dataclasses.dataclass
class Small:
    """The smallest program found, and how it differs."""

    program: Program
    report: Report

    def __str__(self) -> str:
        params = ", ".join(
            f"{p.name}: {p.kind.name}{list(p.kind.shape) or ''} {p.note}" for p in self.program.parameters
        )
        head = f"# seed {self.report.seed}, call {self.report.call}, {self.report.aspect}: {self.report.text}"
        return f"{head}\n# {params}\n{self.program.source}\n"


def isolated(program: Program, compiler: Compiler) -> Report | None:
    """The report of a program that runs in a process of its own; None if it is no program."""
    forks = multiprocessing.get_context("fork")
    receiver, sender = forks.Pipe(duplex=False)
    process = forks.Process(target=send_report, args=(program, compiler, sender), daemon=True)
    process.start()
    sender.close()
    try:
        if not receiver.poll(PATIENCE):
            process.kill()
            return Report(program.seed, "hang", "")
        report: Report | None = receiver.recv()
        return report
    except EOFError:
        process.join()
        return Report(program.seed, "crash", f"exit code {process.exitcode}")
    finally:
        process.join()
        receiver.close()


def send_report(program: Program, compiler: Compiler, sender: Any) -> None:
    """Runs in the process of its own."""
    prepare()
    try:
        report: Report | None = run(program, compiler)
    except Exception:
        report = None
    sender.send(report)


def shrink(program: Program, compiler: Compiler, budget: int = BUDGET) -> Small:
    """The smallest program that differs in the same way."""
    prepare()
    first = isolated(program, compiler)
    if first is None or not first.aspect:
        return Small(program, first or Report(program.seed))
    small = Small(program, first)
    found, at = True, 0
    for _ in range(budget):
        edits = edits_of(ast.parse(small.program.source))
        if at >= len(edits):
            if not found:
                break
            found, at = False, 0
        smaller = attempt(small, edits[at], compiler)
        # Where one thing could be left away, the next one stands now.
        small, found, at = (small, found, at + 1) if smaller is None else (smaller, True, at)
    return small


def attempt(small: Small, edit: Edit, compiler: Compiler) -> Small | None:
    """The smaller program, if it differs as the larger one does."""
    tree = applied(ast.parse(small.program.source), edit)
    try:
        source = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
    except ValueError:
        # Not all that stands in a formatted string may.
        return None
    if len(source) >= len(small.program.source):
        return None
    program = dataclasses.replace(small.program, source=source)
    report = isolated(program, compiler)
    if report is None or report.key != small.report.key:
        return None
    return Small(program, report)


def edits_of(tree: ast.Module) -> list[Edit]:
    """Everything that can be left away, the largest things first."""
    edits = [*statement_edits(tree), *expression_edits(tree)]
    return sorted(edits, key=lambda edit: -edit[0])


def applied(tree: ast.Module, edit: Edit) -> ast.Module:
    """The program with one thing less."""
    _, path, field, items, replacement = edit
    owner: Any = tree
    for name, at in path:
        owner = getattr(owner, name) if at is None else getattr(owner, name)[at]
    if items is None:
        setattr(owner, field, replacement)
    else:
        inside = getattr(owner, field)
        inside[items.start : items.stop] = replacement
        if not inside and field == "body":
            inside.append(ast.Pass())
    return tree


def walk(node: ast.AST, path: list[Step]) -> Iterator[tuple[ast.AST, list[Step]]]:
    """Every node with the way to it."""
    yield node, path
    for name, value in ast.iter_fields(node):
        if isinstance(value, list):
            for at, item in enumerate(value):
                if isinstance(item, ast.AST):
                    yield from walk(item, [*path, (name, at)])
        elif isinstance(value, ast.AST):
            yield from walk(value, [*path, (name, None)])


def size(node: ast.AST) -> int:
    return sum(1 for _ in ast.walk(node))


def statement_edits(tree: ast.Module) -> Iterator[Edit]:
    """Each statement left away, or replaced by what is in it."""
    for node, path in walk(tree, []):
        for field in BODIES:
            items = getattr(node, field, None)
            if not isinstance(items, list):
                continue
            if len(items) > 3:
                for start in range(0, len(items), part := len(items) // 2):
                    run_of = range(start, min(start + part, len(items)))
                    yield sum(size(items[i]) for i in run_of), path, field, run_of, []
            for index, item in enumerate(items):
                if isinstance(item, ast.Pass) and len(items) == 1:
                    continue
                here = range(index, index + 1)
                yield size(item), path, field, here, []
                if not isinstance(item, ast.FunctionDef | ast.ClassDef):
                    for inner in ("body", "orelse", "finalbody"):
                        if isinstance(getattr(item, inner, None), list):
                            yield size(item) // 2, path, field, here, getattr(item, inner)


def expression_edits(tree: ast.Module) -> Iterator[Edit]:
    """Each expression replaced by a part of it, each element left away."""
    for node, path in walk(tree, []):
        for field, value in ast.iter_fields(node):
            if isinstance(value, ast.expr):
                for part in parts(value):
                    yield size(value) - size(part), path, field, None, part
            elif isinstance(value, list) and field in ("elts", "args", "keywords", "values", "decorator_list", "cases"):
                for index, item in enumerate(value):
                    if not (isinstance(node, ast.Dict | ast.BoolOp) or isinstance(item, ast.arg)):
                        yield size(item), path, field, range(index, index + 1), []
                    if isinstance(item, ast.expr):
                        for part in parts(item):
                            yield size(item) - size(part), path, field, range(index, index + 1), [part]


def parts(value: ast.expr) -> Iterator[ast.expr]:
    """The expressions that may stand in an expression's place."""
    if isinstance(value, ast.Name | ast.Constant):
        return
    if not isinstance(getattr(value, "ctx", ast.Load()), ast.Load):
        return
    for child in ast.iter_child_nodes(value):
        if isinstance(child, ast.expr):
            yield child
    if isinstance(value, ast.Call):
        yield from (keyword.value for keyword in value.keywords)
    if size(value) > 2 and not isinstance(value, ast.Attribute):
        yield ast.Constant(1)
