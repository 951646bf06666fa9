"""The round trip of code objects through Rust, run by each version of CPython (see `test_round_trip.py`).

    python dump_code.py compare ASSEMBLE [PATH …]
    python dump_code.py run ASSEMBLE MODULE …

`compare` compiles every file below the paths (the standard library by default), sends all code objects through the
program ASSEMBLE and compares what comes back with what was sent, as `dis` reads both. `run` loads the modules from
re-assembled code and runs their tests of the standard library, re-assembled as well; `test.…` names such tests alone.

Only the standard library is imported here: the interpreters have nothing else.
"""

from __future__ import annotations

import dis
import importlib.util
import json
import signal
import subprocess
import sys
import sysconfig
import unittest
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import CodeType, ModuleType

VERSION = f"{sys.version_info[0]}.{sys.version_info[1]}"

#: Code objects sent to one process at a time.
BATCH = 4000

#: Folders that are not read: sources that are not meant to compile, and what is not the library's own.
SKIPPED = {"lib2to3", "bad_coding", "site-packages", "__pycache__"}


def nested(code: CodeType) -> Iterator[CodeType]:
    """The code objects of a module, inner ones first."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from nested(constant)
    yield code


def sources(paths: Iterable[Path]) -> Iterator[CodeType]:
    """The compiled modules below the paths."""
    for root in paths:
        for path in sorted(root.rglob("*.py")) if root.is_dir() else [root]:
            if SKIPPED.isdisjoint(path.relative_to(root).parts):
                try:
                    yield compile(path.read_bytes(), str(path), "exec", dont_inherit=True)
                except (SyntaxError, ValueError):
                    continue


def request(code: CodeType) -> str:
    """A code object as a line for ASSEMBLE."""
    fields = {
        "version": VERSION,
        "firstlineno": code.co_firstlineno,
        "stacksize": code.co_stacksize,
        "code": code.co_code.hex(),
        "linetable": code.co_linetable.hex(),
        "exceptiontable": code.co_exceptiontable.hex(),
    }
    return json.dumps(fields)


def assemble(program: str, codes: list[CodeType]) -> list[CodeType]:
    """The code objects, taken apart and put together by ASSEMBLE; the first error ends the process."""
    lines = "".join(request(code) + "\n" for code in codes)
    answer = subprocess.run([program], input=lines, capture_output=True, text=True, check=True)
    return [rebuilt(code, json.loads(line)) for code, line in zip(codes, answer.stdout.splitlines())]


def rebuilt(code: CodeType, answer: dict[str, object]) -> CodeType:
    """`code` with what came back."""
    if "error" in answer:
        raise SystemExit(f"{code}: {answer['error']}")
    return code.replace(
        co_code=bytes.fromhex(str(answer["code"])),
        co_linetable=bytes.fromhex(str(answer["linetable"])),
        co_exceptiontable=bytes.fromhex(str(answer["exceptiontable"])),
        co_stacksize=int(str(answer["stacksize"])),
    )


def meaning(code: CodeType) -> tuple[list[object], list[object]]:
    """Instructions and exception entries with targets as indices of instructions, so that layout does not matter."""
    instructions = [one for one in dis.get_instructions(code) if one.opname not in ("EXTENDED_ARG", "CACHE")]
    index = starts(code, instructions)
    shown: list[object] = []
    for one in instructions:
        jump = one.opcode in dis.hasjrel
        shown.append((one.opname, index[one.argval] if jump else one.arg, one.positions))
    entries: list[object] = [
        (index[entry.start], index[entry.end], index[entry.target], entry.depth, entry.lasti)
        for entry in dis._parse_exception_table(code)  # type: ignore[attr-defined]
    ]
    return shown, entries


def starts(code: CodeType, instructions: list[dis.Instruction]) -> dict[int, int]:
    """The index of the instruction to which each offset belongs, its `EXTENDED_ARG`s included."""
    index = {}
    offset = 0
    for at, one in enumerate(instructions):
        for covered in range(offset, one.offset + 2, 2):
            index[covered] = at
        offset = one.offset + 2
    for covered in range(offset, len(code.co_code) + 2, 2):
        index[covered] = len(instructions)
    return index


def compare(program: str, paths: list[Path]) -> None:
    """Compares all code objects below the paths, and prints what was found."""
    found: Counter[str] = Counter()
    batch: list[CodeType] = []
    for module in sources(paths):
        batch.extend(nested(module))
        if len(batch) >= BATCH:
            compare_batch(program, batch, found)
            batch = []
    compare_batch(program, batch, found)
    print(VERSION, dict(found))
    if not found["code objects"] or found["different"]:
        raise SystemExit(1)


def compare_batch(program: str, batch: list[CodeType], found: Counter[str]) -> None:
    """Compares some code objects."""
    for was, now in zip(batch, assemble(program, batch), strict=True):
        found["code objects"] += 1
        found["instructions"] += len(was.co_code) // 2
        found["same bytes"] += was.co_code == now.co_code
        found["same line table"] += was.co_linetable == now.co_linetable
        found["same exception table"] += was.co_exceptiontable == now.co_exceptiontable
        found["same stack size"] += was.co_stacksize == now.co_stacksize
        if meaning(was) != meaning(now) or now.co_stacksize > was.co_stacksize:
            found["different"] += 1
            print("different:", was, was.co_stacksize, now.co_stacksize)


def reassembled(program: str, code: CodeType) -> CodeType:
    """A module's code with itself and everything nested in it re-assembled."""
    order = list(nested(code))
    new: dict[int, CodeType] = {}
    for was, now in zip(order, assemble(program, order), strict=True):
        constants = tuple(new.get(id(constant), constant) for constant in was.co_consts)
        new[id(was)] = now.replace(co_consts=constants)
    return new[id(code)]


def load(program: str, name: str) -> ModuleType:
    """The module, from re-assembled code, in the place of the one that may be loaded."""
    spec = importlib.util.find_spec(name)
    if spec is None or spec.loader is None or not hasattr(spec.loader, "get_code"):
        raise SystemExit(f"{name}: no source")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    exec(reassembled(program, spec.loader.get_code(name)), module.__dict__)
    parent, _, child = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], child, module)
    return module


def run(program: str, names: list[str]) -> None:
    """Runs the tests of the modules on re-assembled code; the tests are re-assembled too."""
    suite = unittest.TestSuite()
    for name in names:
        if not name.startswith("test."):
            load(program, name)
    for name in names:
        tests = load(program, name if name.startswith("test.") else f"test.test_{name}")
        suite.addTests(unittest.defaultTestLoader.loadTestsFromModule(tests))
    result = unittest.TextTestRunner(verbosity=0).run(suite)
    print(VERSION, result)
    raise SystemExit(not result.wasSuccessful() or not result.testsRun)


def main(mode: str, program: str, *rest: str) -> None:
    """Runs one of the two modes."""
    warnings.simplefilter("ignore")
    # A shell starts what runs in its background with Ctrl-C ignored; the library's tests send it to themselves.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if mode == "run":
        run(program, list(rest))
    else:
        compare(program, [Path(path) for path in rest] or [Path(sysconfig.get_path("stdlib"))])


if __name__ == "__main__":
    main(*sys.argv[1:])
