"""Runs random programs: ``python -m pybind.tests.fuzz.run --count 1000 --seed 0``.

What differs is made small, and printed as a test.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor

from pybind.tests.fuzz.generate import DEPTH, Program, generate
from pybind.tests.fuzz.values import difference


def wrong(function: Callable[..., Any], arguments: list[Tensor], dynamic: bool = False) -> str | None:
    """The fault of the compiled function, compared with the plain one; `None` if there is none."""
    import rust_inductor

    eager = function(*arguments)
    before = [it.clone() for it in arguments]
    with errors() as told:
        try:
            ours = rust_inductor.compile(function, dynamic=dynamic)(*arguments)
        except Exception as error:
            return f"{type(error).__name__}: {error}"
    # A compiler that fails is no difference to the user, but a mistake of ours.
    failure = next((line for line in told() if "is called instead" in line or "runs as it is" in line), None)
    return failure or difference(ours, eager, 2 * DEPTH) or difference(arguments, before)


@contextlib.contextmanager
def errors() -> Iterator[Callable[[], list[str]]]:
    """Keeps what is written to the process's standard error; gives a function that tells the lines."""
    sys.stderr.flush()
    with tempfile.TemporaryFile() as file:
        lines: list[str] = []
        kept = os.dup(2)
        os.dup2(file.fileno(), 2)
        try:
            yield lambda: lines
        finally:
            sys.stderr.flush()
            os.dup2(kept, 2)
            os.close(kept)
            file.seek(0)
            lines += file.read().decode(errors="replace").splitlines()


def agrees(function: Callable[..., Any], *arguments: Tensor) -> None:
    """Asserts that the function does compiled what it does as it is."""
    found = wrong(function, list(arguments))
    assert found is None, found


def check(program: Program) -> str | None:
    """The fault of the compiled program, compared with the plain one."""
    try:
        function, arguments = program.compiled(), program.arguments()
        function(*arguments)
    except Exception:
        return None  # what was left out was needed
    return wrong(function, arguments)


def smallest(program: Program) -> Program:
    """A program that fails as this one does, and of which no line can be left out."""
    at = len(program.lines)
    while at > 0:
        at = min(at, len(program.lines)) - 1
        if at < 0:
            break
        less = program.without((*program.lines[:at], *program.lines[at + 1 :]))
        if less.lines and check(less) is not None:
            program = less
    for name in program.outputs:
        rest = tuple(it for it in program.outputs if it != name)
        less = Program(program.seed, program.inputs, program.lines, rest)
        if rest and check(less) is not None:
            program = less
    used = [(name, text) for name, text in program.inputs if any(line.uses(name) for line in program.lines)]
    less = Program(program.seed, tuple(used), program.lines, program.outputs)
    return less if check(less) is not None else program


def main() -> int:
    """Tries programs and prints what fails."""
    parser = argparse.ArgumentParser(prog="pybind.tests.fuzz.run")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--most", type=int, default=20, help="stop after so many failures")
    options = parser.parse_args()
    os.environ.setdefault("RUST_INDUCTOR_CACHE", "0")
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    import rust_inductor

    start, failures = time.monotonic(), 0
    for seed in range(options.seed, options.seed + options.count):
        # A crash leaves the seed in the file that the output goes to.
        program = generate(seed)
        if check(program) is not None:
            failures += 1
            program = smallest(program)
            print(f"\n# seed {seed}: {check(program)}\n{program.test()}", flush=True)
        rust_inductor.reset()
        done = seed + 1 - options.seed
        if done % 200 == 0 or done == options.count or failures == options.most:
            rate = done / (time.monotonic() - start)
            print(f"# {done} programs, {failures} differ, {rate:.1f} a second", flush=True)
        if failures == options.most:
            break
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
