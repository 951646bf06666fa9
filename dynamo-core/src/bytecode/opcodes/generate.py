"""Writes the opcode tables from what the interpreters say of themselves.

    python generate.py PYTHON3.11 PYTHON3.12 PYTHON3.13 PYTHON3.14

writes `op.rs` and one `v3xx.rs` for each interpreter beside this file, and, for the tests, what
`dis.stack_effect` answers for a range of arguments (`tests/data/effects_3xx.txt`).

With `--check` before the interpreters it writes nothing and names what is stale. Each interpreter runs this file
with `--facts` and prints its own opcodes as JSON.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypedDict

HERE = Path(__file__).resolve().parent
DATA = HERE.parents[2] / "tests" / "data"

#: Arguments at which stack effects are recorded and to which the formulas are fitted.
ARGUMENTS = [*range(34), 255, 256, 257, 512, 770, 1023]

#: The quantities that a stack effect may depend on, by the name of the Rust variant.
MEASURES: dict[str, Callable[[int], int]] = {
    "Arg": lambda arg: arg,
    "LowBit": lambda arg: arg & 1,
    "FormatSpec": lambda arg: int(arg & 4 == 4),
    "FourFlags": lambda arg: (arg & 15).bit_count(),
    "SliceStep": lambda arg: int(arg == 3),
    "StarredTargets": lambda arg: (arg & 255) + (arg >> 8),
}

#: Opcodes after which the next one is not reached, besides unconditional jumps.
STOPS = {"RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE", "INTERPRETER_EXIT"}
UNCONDITIONAL = {"JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT"}

#: Opcodes that name another instruction, for `sys.monitoring`, and do not jump there.
REFERRING = {"END_ASYNC_FOR"}

#: Opcodes that never stand in a decoded body: the encoder makes them.
IMPLIED = {"CACHE", "EXTENDED_ARG"}


class Row(TypedDict):
    """The facts that an interpreter tells of an opcode."""

    name: str
    number: int
    argument: str
    jumps: bool
    caches: int
    effects: list[list[int | None]]


class Facts(TypedDict):
    """The facts that an interpreter tells of all its opcodes."""

    version: list[int]
    rows: list[Row]


def facts() -> Facts:
    """The facts that the running interpreter knows: a row for each opcode that `co_code` can hold."""
    import dis
    import opcode

    caches = opcode._inline_cache_entries  # type: ignore[attr-defined]
    rows: list[Row] = []
    for name, number in sorted(dis.opmap.items(), key=lambda item: item[1]):
        if number > 255 or name.startswith("INSTRUMENTED_") or name in {"RESERVED", "ENTER_EXECUTOR"}:
            continue
        with_arg = number in dis.hasarg if hasattr(dis, "hasarg") else number >= dis.HAVE_ARGUMENT
        effects = [
            [effect(dis.stack_effect, number, arg if with_arg else None, jump) for arg in ARGUMENTS]
            for jump in (False, True)
        ]
        rows.append(
            {
                "name": name,
                "number": number,
                "argument": argument(name, number, with_arg),
                "jumps": number in dis.hasjrel,
                "caches": caches.get(name, 0) if isinstance(caches, dict) else caches[number],
                "effects": effects,
            }
        )
    return {"version": list(sys.version_info[:2]), "rows": rows}


def effect(stack_effect: Callable[..., int], number: int, arg: int | None, jump: bool) -> int | None:
    """The stack effect, or None where the interpreter takes no such argument."""
    try:
        return stack_effect(number, arg, jump=jump)
    except ValueError:
        return None


def argument(name: str, number: int, with_arg: bool) -> str:
    """The meaning of the argument, as a variant of `ArgKind`."""
    import dis

    version = sys.version_info[:2]
    if not with_arg:
        return "None"
    if number in dis.hasjrel:
        return "Jump"
    if number in dis.hasconst:
        return "Const"
    if number in dis.hascompare:
        return {(3, 11): "Compare(0)", (3, 12): "Compare(4)"}.get(version, "Compare(5)")
    if number in dis.hasname:
        flagged = name == "LOAD_GLOBAL" or (name == "LOAD_ATTR" and version >= (3, 12))
        return "Name(2)" if name == "LOAD_SUPER_ATTR" else "Name(1)" if flagged else "Name(0)"
    if number in dis.hasfree:
        return "Local"
    if number in dis.haslocal:
        return "LocalPair" if name.count("_FAST") == 2 and "CLEAR" not in name else "Local"
    return "Int"


def fit(values: list[int | None]) -> str:
    """The effect as a Rust expression: constant, or a multiple of one measure and a constant."""
    known = [(arg, value) for arg, value in zip(ARGUMENTS, values) if value is not None]
    base = known[0][1]
    if all(value == base for _, value in known):
        return f"Effect::fixed({base})"
    for measure, of in MEASURES.items():
        for scale in (-2, -1, 1, 2):
            base = known[0][1] - scale * of(known[0][0])
            if all(value == base + scale * of(arg) for arg, value in known):
                return f"Effect::per({base}, {scale}, Measure::{measure})"
    raise ValueError(f"no formula for {known}")


def camel(name: str) -> str:
    """`LOAD_FAST` as `LoadFast`."""
    return "".join(word.capitalize() for word in name.split("_"))


def flow(row: Row) -> str:
    """The way that execution takes after the instruction, as a variant of `Flow`."""
    if row["name"] in STOPS:
        return "Stop"
    if not row["jumps"]:
        return "Next"
    if row["name"] in REFERRING:
        return "Refer(Direction::Backward)"
    direction = "Backward" if "BACKWARD" in row["name"] else "Forward"
    return f"Jump(Direction::{direction})" if row["name"] in UNCONDITIONAL else f"Branch(Direction::{direction})"


def table(said: Facts) -> Iterator[str]:
    """The lines of one `v3xx.rs`."""
    major, minor = said["version"]
    numbers = {row["name"]: row["number"] for row in said["rows"]}
    yield f"//! The opcodes of CPython {major}.{minor}. Written by `generate.py`; not edited by hand."
    yield ""
    yield "use super::{ArgKind, Direction, Effect, Flow, Measure, Op, Row, Table};"
    yield ""
    yield f"/// CPython {major}.{minor}'s table."
    yield "pub(super) static TABLE: Table = Table::new("
    yield f"    {numbers['EXTENDED_ARG']},"
    yield "    &["
    for row in said["rows"]:
        if row["name"] in IMPLIED:
            continue
        stay, leap = (fit(values) for values in row["effects"])
        fields = [
            f"Op::{camel(row['name'])}",
            str(row["number"]),
            f"ArgKind::{row['argument']}",
            f"Flow::{flow(row)}",
            str(row["caches"]),
            stay,
        ]
        line = f"Row::new({', '.join(fields)})"
        yield f"        {line}," if stay == leap else f"        {line}.jumping({leap}),"
    yield "    ],"
    yield ");"


def op_enum(tables: list[Facts]) -> Iterator[str]:
    """The lines of `op.rs`: every name of any version once."""
    names = sorted({row["name"] for said in tables for row in said["rows"]} - IMPLIED)
    yield "//! The names of all opcodes of all versions. Written by `generate.py`; not edited by hand."
    yield ""
    yield "super::ops! {"
    yield from (f'    {camel(name)} = "{name}",' for name in names)
    yield "}"


def effects(said: Facts) -> Iterator[str]:
    """The lines of the recorded data: opcode, whether it jumps, the effect at each of `ARGUMENTS`."""
    yield "# " + " ".join(map(str, ARGUMENTS))
    for row in said["rows"]:
        if row["name"] in IMPLIED:
            continue
        for way, values in zip(("stay", "jump"), row["effects"]):
            yield f"{row['name']} {way} " + " ".join("?" if value is None else str(value) for value in values)


def write(path: Path, lines: Iterator[str]) -> None:
    """Writes the lines."""
    path.write_text("".join(f"{line}\n" for line in lines))


def generate(interpreters: list[str], sources: Path, data: Path) -> None:
    """Asks each interpreter and writes all files."""
    tables: list[Facts] = []
    for python in interpreters:
        command = [python, __file__, "--facts"]
        tables.append(json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))
    for said in tables:
        tag = "".join(map(str, said["version"]))
        write(sources / f"v{tag}.rs", table(said))
        write(data / f"effects_{tag}.txt", effects(said))
    write(sources / "op.rs", op_enum(tables))
    config = ["--edition", "2024", "--config-path", str(HERE.parents[3])]
    subprocess.run(["rustfmt", *config, *map(str, sorted(sources.glob("v3*.rs")))], check=True)


def stale(interpreters: list[str]) -> list[str]:
    """The files that would be written otherwise than they stand."""
    with tempfile.TemporaryDirectory() as folder:
        generate(interpreters, Path(folder), Path(folder))
        standing = {path.name: path for place in (HERE, DATA) for path in place.iterdir()}
        new = sorted(Path(folder).iterdir())
        return [path.name for path in new if path.read_text() != standing[path.name].read_text()]


def main(*arguments: str) -> None:
    """Prints facts, writes the files or checks them."""
    match arguments:
        case ["--facts"]:
            json.dump(facts(), sys.stdout)
        case ["--check", *interpreters]:
            sys.exit(" ".join(stale(interpreters)) or None)
        case interpreters:
            generate(list(interpreters), HERE, DATA)


if __name__ == "__main__":
    main(*sys.argv[1:])
