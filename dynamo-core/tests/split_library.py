"""Runs modules of the standard library with every function split somewhere, and their tests (see `test_split.py`).

    python split_library.py SPLIT SEED MODULE …

Each function of a module, and of its tests, is replaced by one that is split at an instruction drawn by chance.
"""

from __future__ import annotations

import dis
import json
import random
import subprocess
import sys
import unittest
import warnings
from collections import Counter
from types import CodeType

import dump_code
from split_code import VERSION, built, fields

#: The number of instructions that are tried for a function before it stays whole.
TRIES = 4


class Library:
    """Splits whatever is loaded."""

    def __init__(self, program: str, seed: str) -> None:
        self.program = program
        self.draw = random.Random(seed)
        self.done: Counter[str] = Counter()

    def split(self, module: CodeType) -> CodeType:
        """A module's code with every function in it split; the module itself stays whole."""
        order = list(dump_code.nested(module))
        requests = (self.request(code) for code in order)
        answer = subprocess.run([self.program], input="".join(requests), capture_output=True, text=True, check=True)
        new: dict[int, CodeType] = {}
        for code, line in zip(order, answer.stdout.splitlines(), strict=True):
            constants = tuple(new.get(id(constant), constant) for constant in code.co_consts)
            new[id(code)] = self.chosen(code.replace(co_consts=constants), json.loads(line))
        return new[id(module)]

    def request(self, code: CodeType) -> str:
        """A code object as a line for SPLIT."""
        instructions = sum(one.opname not in ("CACHE", "EXTENDED_ARG") for one in dis.get_instructions(code))
        cuts = [self.draw.randrange(instructions) for _ in range(TRIES)]
        return json.dumps({"version": VERSION, "code": fields(code), "cuts": cuts}) + "\n"

    def chosen(self, code: CodeType, items: list[dict[str, dict[str, object]]]) -> CodeType:
        """The first way in which a code object could be split, if there is one."""
        for item in items:
            for answer in (item["branch"], item["at"]):
                if answer and "prefix" in answer:
                    self.done["split"] += 1
                    return built(answer["prefix"], code)  # type: ignore[arg-type]
                if answer and str(answer["error"]).startswith("BUG"):
                    raise SystemExit(f"{code}: {answer}")
        self.done["whole"] += 1
        return code


def main(program: str, seed: str, *names: str) -> None:
    """Loads the modules and their tests, and runs these."""
    warnings.simplefilter("ignore")
    library = Library(program, seed)
    dump_code.reassembled = lambda _, code: library.split(code)
    suite = unittest.TestSuite()
    for name in names:
        dump_code.load(program, name)
    for name in names:
        tests = dump_code.load(program, f"test.test_{name}")
        suite.addTests(unittest.defaultTestLoader.loadTestsFromModule(tests))
    result = unittest.TextTestRunner(verbosity=0).run(suite)
    print(VERSION, result, dict(library.done))
    raise SystemExit(not result.wasSuccessful() or not result.testsRun)


if __name__ == "__main__":
    main(*sys.argv[1:])
