"""Splits functions at each of their instructions and runs both halves (see `test_split.py`).

    python split_code.py SPLIT [DEPTH]

Every function of `split_cases.py` is sent through the program SPLIT. Each prefix that comes back is run on the case's
arguments; results, exceptions and the trail of effects must be the original's. With DEPTH 2 the resume functions are
split as well. What was done is printed: how many splits ran, and why others were refused.

Only the standard library is imported here: the interpreters have nothing else.
"""

from __future__ import annotations

import dis
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from types import CellType, CodeType, FunctionType
from typing import Any

import split_cases

VERSION = f"{sys.version_info[0]}.{sys.version_info[1]}"

NUMBERS = ["argcount", "posonlyargcount", "kwonlyargcount", "flags", "stacksize", "firstlineno"]
TEXTS = ["name", "qualname", "filename"]
LISTS = ["varnames", "cellvars", "freevars", "names"]
BYTES = ["code", "linetable", "exceptiontable"]

Fields = dict[str, Any]


def fields(code: CodeType) -> Fields:
    """A code object in the form of `CodeObject`, its constants by their numbers."""
    said: Fields = {name: getattr(code, f"co_{name}") for name in NUMBERS + TEXTS}
    said.update((name, list(getattr(code, f"co_{name}"))) for name in LISTS + BYTES)
    said["consts"] = [{"opaque": index} for index in range(len(code.co_consts))]
    return said


def built(said: Fields, original: CodeType) -> CodeType:
    """The code object of these fields; opaque constants are those of `original`."""
    changes: Fields = {f"co_{name}": said[name] for name in NUMBERS + TEXTS}
    changes.update((f"co_{name}", tuple(said[name])) for name in LISTS)
    changes.update((f"co_{name}", bytes(said[name])) for name in BYTES)
    changes["co_consts"] = tuple(constant(value, original) for value in said["consts"])
    return original.replace(co_nlocals=len(said["varnames"]), **changes)


def constant(value: Any, original: CodeType) -> object:
    """A constant as it was, the code of a resume function, or the `None` that is passed for an unbound local."""
    match value:
        case {"opaque": index}:
            return original.co_consts[index]
        case {"code": said}:
            return built(said, original)
        case "none":
            return None
    raise ValueError(value)


def split(program: str, codes: list[CodeType]) -> Iterator[list[Fields]]:
    """The parts that SPLIT makes of each code object."""
    lines = "".join(json.dumps({"version": VERSION, "code": fields(code)}) + "\n" for code in codes)
    answer = subprocess.run([program], input=lines, capture_output=True, text=True, check=False)
    if answer.returncode != 0:
        raise SystemExit(answer.stderr)
    return (json.loads(line) for line in answer.stdout.splitlines())


def outcome(function: Callable[..., object], arguments: Callable[[], tuple[object, ...]]) -> tuple[str, list[object]]:
    """The result or exception of a call, and the trail that it leaves."""
    split_cases.LOG.clear()
    try:
        result = f"returns {function(*arguments())!r}"
    except Exception as error:
        chain = [f"{type(error).__name__}: {error}", repr(error.__cause__), repr(error.__context__)]
        result = f"raises {chain}"
        error.__traceback__ = None
    return result, list(split_cases.LOG)


def cells(function: FunctionType) -> tuple[Any, ...]:
    """A closure of its own, so that calls do not see each other's changes."""
    return tuple(CellType(cell.cell_contents) for cell in function.__closure__ or ())


def remade(function: FunctionType, code: CodeType) -> FunctionType:
    """The function with other code and a closure of its own."""
    made = FunctionType(code, function.__globals__, function.__name__, function.__defaults__, cells(function) or None)
    made.__kwdefaults__ = function.__kwdefaults__
    return made


def check(function: FunctionType, calls: list[Any], code: CodeType, place: str) -> None:
    """Runs other code in the function's place and compares."""
    for number, arguments in enumerate(calls):
        expected = outcome(remade(function, function.__code__), arguments)
        found = outcome(remade(function, code), arguments)
        if found != expected:
            dis.dis(code)
            raise SystemExit(f"{place}, call {number}:\nexpected {expected}\nfound    {found}")


def resume_code(prefix: CodeType) -> Iterator[int]:
    """The places of a prefix's resume functions among its constants."""
    for index, value in enumerate(prefix.co_consts):
        if isinstance(value, CodeType) and value.co_name.startswith("torch_dynamo_resume_in_"):
            yield index


def deeper(
    program: str, function: FunctionType, calls: list[Any], prefixes: list[CodeType], done: Counter[str]
) -> None:
    """Splits the resume functions of some prefixes."""
    places = [(prefix, index) for prefix in prefixes for index in resume_code(prefix)]
    halves = [prefix.co_consts[index] for prefix, index in places]
    for (prefix, index), half, answers in zip(places, halves, split(program, halves), strict=True):
        for at, item in enumerate(answers):
            if "prefix" in item["at"]:
                new = built(item["at"]["prefix"], half)
                constants = (*prefix.co_consts[:index], new, *prefix.co_consts[index + 1 :])
                check(function, calls, prefix.replace(co_consts=constants), f"{half.co_name} of {function}, at {at}")
                done["splits of resume functions"] += 1


def main(program: str, depth: str = "1") -> None:
    """Splits, runs, compares and counts."""
    done: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    functions: list[tuple[Any, list[Any]]] = list(split_cases.CASES)
    answers = split(program, [function.__code__ for function, _ in functions])
    for (function, calls), items in zip(functions, answers, strict=True):
        prefixes = []
        for at, item in enumerate(items):
            for kind in ("at", "branch"):
                answer = item[kind]
                if answer and "prefix" in answer:
                    code = built(answer["prefix"], function.__code__)
                    check(function, calls, code, f"{function.__name__} {kind} {at} {item['op']}")
                    done[f"splits {kind}"] += 1
                    prefixes.append(code)
                elif answer:
                    refused[answer["error"]] += 1
        if depth == "2":
            deeper(program, function, calls, prefixes[:: max(1, len(prefixes) // 12)], done)
    print(json.dumps({"functions": len(functions), "done": done, "refused": refused}))


if __name__ == "__main__":
    main(*sys.argv[1:])
