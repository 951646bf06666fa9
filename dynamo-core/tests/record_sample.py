"""Records the code objects of some functions for the golden test.

    python record_sample.py > data/sample_3xx.json

The functions have what is hard in bytecode: exception tables with and without an instruction's offset, loops, cells,
generators, `with`, patterns, keyword calls.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from types import CodeType


def loop(values, limit=3):  # type: ignore[no-untyped-def]
    total = 0
    for value in values:
        if value is None or value < 0:
            continue
        total += value * limit
        if total > 1_000_000_000_000_000_000_000:
            break
    else:
        return -1.5
    return total


def guarded(path, *names, mode="r"):  # type: ignore[no-untyped-def]
    try:
        with open(path, mode=mode) as file:  # noqa: PTH123
            return [file.readline() for _ in names]
    except (OSError, ValueError) as error:
        print(f"{path!r}: {error:>10}", *names, sep=b"\x00'".decode())
        raise
    finally:
        del path


def closure(start):  # type: ignore[no-untyped-def]
    count = start

    def step(by=1):  # type: ignore[no-untyped-def]
        nonlocal count
        count += by
        return count, start

    return step


def generator(source):  # type: ignore[no-untyped-def]
    first, *rest = yield from source
    yield {"first": first, **rest[0]}


def pattern(value):  # type: ignore[no-untyped-def]
    match value:
        case {"op": "add" | "sub" as op, **rest}:
            return op, rest
        case [x, y] if x in {1, 2, ...}:
            return y
        case str():
            return value[1:] and super


SAMPLE: list[Callable[..., object]] = [loop, guarded, closure, generator, pattern]


def constant(value: object) -> object:
    """A constant in the form of `Const`."""
    match value:
        case None:
            return "none"
        case bool():
            return {"bool": value}
        case int():
            return {"int": value} if -(2**63) <= value < 2**63 else {"big_int": str(value)}
        case float():
            return {"float": value}
        case str():
            return {"str": value}
        case bytes():
            return {"bytes": list(value)}
        case tuple():
            return {"tuple": [constant(item) for item in value]}
        case frozenset():
            return {"frozen_set": [constant(item) for item in sorted(value, key=repr)]}
        case slice():
            parts = [constant(part) for part in (value.start, value.stop, value.step)]
            return {"opaque": 0} if {"opaque": 0} in parts else {"slice": parts}
        case CodeType():
            return {"code": code_object(value)}
        case _:
            return "ellipsis" if value is ... else {"opaque": 0}


def code_object(code: CodeType) -> dict[str, object]:
    """A code object in the form of `CodeObject`."""
    numbers = ["argcount", "posonlyargcount", "kwonlyargcount", "flags", "stacksize", "firstlineno", "name", "qualname"]
    fields: dict[str, object] = {name: getattr(code, f"co_{name}") for name in numbers}
    fields["filename"] = "sample.py"
    for name in ["varnames", "cellvars", "freevars", "names", "code", "linetable", "exceptiontable"]:
        fields[name] = list(getattr(code, f"co_{name}"))
    fields["consts"] = [constant(value) for value in code.co_consts]
    return fields


def lines() -> Iterator[str]:
    """A JSON list, one code object per line."""
    codes = [json.dumps(code_object(function.__code__), separators=(",", ":")) for function in SAMPLE]
    yield "[" + ",\n".join(codes) + "]\n"


if __name__ == "__main__":
    sys.stdout.writelines(lines())
