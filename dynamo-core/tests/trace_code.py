"""Runs traced functions in the functions' place (see `test_trace.py`).

    python trace_code.py TRACE MODULE[:FUNCTION] …

Each function of the modules' `CASES` is described to the program TRACE, which gives a graph and the code that is to run
instead. That code is run here, on an interpreter of graphs, and so are the resume functions that it calls: each is
traced in turn when it is called. Results, effects and output must be those of the plain function. What was done is
printed: how many functions were captured whole, how many broke and why, how many ran as they are.

Only the standard library is imported here: the interpreters have nothing else.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import importlib
import importlib.util
import io
import json
import re
import subprocess
import sys
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CellType, CodeType, FunctionType
from typing import Any

import trace_torch
from trace_world import Keywords, World, bound

NUMBERS = ["argcount", "posonlyargcount", "kwonlyargcount", "flags", "stacksize", "firstlineno"]
TEXTS = ["name", "qualname", "filename"]
LISTS = ["varnames", "cellvars", "freevars", "names"]
BYTES = ["code", "linetable", "exceptiontable"]

#: Opaque constants of the new code have numbers from here on.
OPAQUE_BASE = 1 << 16

#: The address that objects without a `repr` print.
ADDRESS = re.compile(" at 0x[0-9a-f]+")

#: Functions whose objects' end is not to be seen here: what has been described stays alive.
SKIPPED = {"lifetimes", "lifetime_on_the_stack"}

RESUME = "torch_dynamo_resume_in_"


class Graph:
    """A compiled graph: its nodes, run one after the other."""

    def __init__(self, text: str, done: Counter[str]) -> None:
        self.nodes = json.loads(text)["nodes"]
        self.done = done
        done["graphs"] += 1
        done["nodes"] += len(self.nodes)

    def __call__(self, *inputs: Any) -> Any:
        mode = trace_torch.GRAD[0]
        try:
            return self.run(inputs)
        except BaseException:
            trace_torch.GRAD[0] = mode
            raise

    def run(self, inputs: tuple[Any, ...]) -> Any:
        values: list[Any] = []
        left = iter(inputs)
        for node in self.nodes:
            args = [argument(arg, values) for arg in node["args"]]
            keywords = {name: argument(arg, values) for name, arg in node["kwargs"]}
            match node["kind"]:
                case "placeholder":
                    values.append(next(left))
                case "call_function":
                    values.append(trace_torch.find(node["target"])(*args, **keywords))
                case "call_method":
                    values.append(getattr(args[0], node["target"])(*args[1:], **keywords))
                case "output":
                    assert next(left, self) is self, "inputs are left over"
                    return args[0]
        raise SystemExit("a graph without output")


def argument(arg: Any, values: list[Any]) -> Any:
    """An argument of a node."""
    match arg:
        case "None":
            return None
        case "Ellipsis":
            return ...
        case {"Node": place}:
            return values[place]
        case {"Tuple": items}:
            return tuple(argument(item, values) for item in items)
        case {"List": items}:
            return [argument(item, values) for item in items]
        case {"Slice": parts}:
            return slice(*(argument(part, values) for part in parts))
        case {"Int": plain} | {"Float": plain} | {"Str": plain} | {"Bool": plain}:
            return plain
    raise SystemExit(f"an argument that is not known here: {arg}")


class Tracing:
    """The tracer, and what it has done."""

    def __init__(self, program: str) -> None:
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.done: Counter[str] = Counter()
        self.reasons: Counter[str] = Counter()

    def ask(self, line: str) -> Any:
        """The tracer's answer for a call."""
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise SystemExit("the tracer died")
        return json.loads(answer)[0]

    def call(self, function: FunctionType, args: Any) -> Any:
        """Calls the function with the code that the tracer gives for it."""
        slots = bound(function, args)
        world = World()
        answer = self.ask(world.said([(function.__name__, function, slots)]))
        if "refused" in answer:
            self.done["refused"] += 1
            self.reasons[answer["refused"]] += 1
            return plainly(function, args)
        captured = answer["captured"]
        self.done["whole" if captured["ended"] is None else "broken"] += 1
        if captured["ended"]:
            self.reasons[captured["ended"]] += 1
        maker = Maker(self, function, world, captured)
        code = maker.code(captured["code"])
        new = FunctionType(code, function.__globals__, function.__name__, None, function.__closure__)
        return new(*slots)


def part(name: str) -> Any:
    """A module of the package's own that needs no torch."""
    file = Path(__file__).parents[2] / "pybind" / "python" / "rust_inductor" / f"_{name}.py"
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def plainly(function: Any, args: Any) -> Any:
    """Calls a function as it is."""
    if args and isinstance(args[-1], Keywords):
        return function(*args[:-1], **args[-1])
    return function(*args)


class Maker:
    """Makes the code object that stands in a function's place."""

    def __init__(self, tracing: Tracing, function: FunctionType, world: World, captured: Any) -> None:
        self.tracing, self.function, self.world = tracing, function, world
        self.opaque = [self.meant(said, captured) for said in captured["opaque"]]

    def meant(self, said: Any, captured: Any) -> Any:
        """The object that an opaque constant stands for."""
        match said:
            case "graph":
                return Graph(captured["graph"], self.tracing.done)
            case "failure":
                return part("failures").teller(captured["fallible"])
            case {"object": handle}:
                return self.world.objects[handle]
            case {"held": handle}:
                return [self.world.objects[handle]]
            case {"named": name}:
                return trace_torch.find(name)
            case {"set": steps}:
                return functools.partial(part("sets").remake, self.steps(steps))
            case {"constant": {"FrozenSet": items}}:
                return frozenset(next(iter(item.values())) for item in items)
        raise SystemExit(f"a constant that is not known here: {said}")

    def steps(self, said: Any) -> list[Any]:
        """The steps in which a set is made, as the package has it."""
        return [(method, [self.given(operand) for operand in operands]) for method, operands in said]

    def given(self, said: Any) -> tuple[bool, Any]:
        """The operand of a method of a set, and whether that is to be made as well."""
        match said:
            case {"set": steps}:
                return True, self.steps(steps)
            case {"object": handle}:
                return False, self.world.objects[handle]
            case {"keys": keys}:
                return False, {next(iter(key.values())): None for key in keys}
            case {"items": items}:
                return False, [next(iter(item.values())) for item in items]
        return False, next(iter(said["item"].values()))

    def constant(self, value: Any) -> Any:
        """A constant of its form as `Const`."""
        match value:
            case "none":
                return None
            case "ellipsis":
                return ...
            case {"int": plain} | {"str": plain} | {"float": plain} | {"bool": plain}:
                return plain
            case {"big_int": digits}:
                return int(digits)
            case {"bytes": plain}:
                return bytes(plain)
            case {"tuple": items}:
                return tuple(map(self.constant, items))
            case {"frozen_set": items}:
                return frozenset(map(self.constant, items))
            case {"slice": parts}:
                return slice(*map(self.constant, parts))
            case {"opaque": index} if index < OPAQUE_BASE:
                return self.world.opaque[self.world.of(self.function.__code__)][index]
            case {"opaque": index}:
                return self.opaque[index - OPAQUE_BASE]
            case {"code": said}:
                code = self.code(said)
                return self.trampoline(code) if code.co_name.startswith(RESUME) else code
        raise SystemExit(f"a constant that is not known here: {value}")

    def code(self, said: Any) -> CodeType:
        """The code object of these fields."""
        changes: dict[str, Any] = {f"co_{name}": said[name] for name in NUMBERS + TEXTS}
        changes.update((f"co_{name}", tuple(said[name])) for name in LISTS)
        changes.update((f"co_{name}", bytes(said[name])) for name in BYTES)
        changes["co_consts"] = tuple(map(self.constant, said["consts"]))
        return plainly.__code__.replace(co_nlocals=len(said["varnames"]), **changes)

    def trampoline(self, code: CodeType) -> CodeType:
        """A resume function's code, as one that has the function traced when it is called."""
        assert not code.co_flags & 0xC and not code.co_kwonlyargcount
        args = "".join(f"argument{i}, " for i in range(code.co_argcount))
        free = [f"free{i:03}" for i in range(len(code.co_freevars))]
        cells = f"(lambda: ({', '.join(free)},)).__closure__" if free else "None"
        source = "def make():\n" + "".join(f"    {name} = None\n" for name in free)
        source += f"    def resume({args}):\n        function = '{RESUME}'\n"
        source += f"        return function({cells}, ({args}))\n    return resume"
        space: dict[str, Any] = {}
        exec(source, space)
        made: CodeType = space["make"]().__code__

        def resumed(closure: tuple[CellType, ...] | None, arguments: tuple[Any, ...]) -> Any:
            function = FunctionType(code, self.function.__globals__, code.co_name, None, closure)
            return self.tracing.call(function, arguments)

        return made.replace(co_consts=tuple(resumed if value == RESUME else value for value in made.co_consts))


def remade(function: FunctionType) -> FunctionType:
    """The function with a closure of its own, so that calls do not see each other's changes."""
    cells = tuple(CellType(copy.deepcopy(cell.cell_contents)) for cell in function.__closure__ or ()) or None
    made = FunctionType(function.__code__, function.__globals__, function.__name__, function.__defaults__, cells)
    made.__kwdefaults__ = function.__kwdefaults__
    return made


def outcome(module: Any, function: FunctionType, args: Any, call: Callable[[FunctionType, Any], Any]) -> list[str]:
    """The result or exception of a call, what it prints, and what it leaves behind."""
    module.LOG.clear()
    plain = {name: value for name, value in vars(module).items() if isinstance(value, int)}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            result = f"returns {call(function, args)!r}"
        except Exception as error:
            lines = [
                entry.lineno for entry in traceback.extract_tb(error.__traceback__) if entry.filename == module.__file__
            ]
            result = f"raises {type(error).__name__}: {error}, at line {lines[-1:]}"
    cells = [repr(cell.cell_contents) for cell in function.__closure__ or ()]
    left = vars(module)
    changed = {name: left.get(name) for name, value in plain.items() if left.get(name) != value}
    vars(module).update(plain)
    said = [
        result,
        repr(args),
        repr(cells),
        repr(module.LOG),
        printed.getvalue(),
        repr(trace_torch.GRAD),
        repr(changed),
    ]
    return [ADDRESS.sub("", text) for text in said]


def cases(names: tuple[str, ...]) -> Iterator[tuple[Any, FunctionType, Any]]:
    """Each call of the modules' functions, with its module."""
    for name in names:
        module_name, _, wanted = name.partition(":")
        module = importlib.import_module(module_name)
        for function, calls in module.CASES:
            if function.__name__ not in SKIPPED and wanted in ("", function.__name__):
                for arguments in calls:
                    yield module, function, arguments


def main(program: str, *names: str) -> None:
    """Traces, runs, compares and counts."""
    warnings.simplefilter("ignore")
    tracing = Tracing(program)
    different = 0
    for module, function, arguments in cases(names):
        expected = outcome(module, remade(function), arguments(), plainly)
        found = outcome(module, remade(function), arguments(), tracing.call)
        tracing.done["calls"] += 1
        if found != expected:
            different += 1
            print(f"{module.__name__}.{function.__name__}:\n  expected {expected}\n  found    {found}")
    print(json.dumps({"different": different, "done": tracing.done, "reasons": tracing.reasons}))
    raise SystemExit(different > 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
