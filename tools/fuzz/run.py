"""`./x bench fuzz`: random kernels, random graphs and random programs, each against an oracle.

- *kernels* of loop IR, compiled for the processor with vectors of each width, against the interpreter;
- *graphs* of ATen calls, of constant and of symbolic sizes, through the whole middle, against the graph's interpreter;
- *programs* in Python, of all element types and layouts, compiled by the package, against eager.

What differs is made small and printed as a test; the seed that is printed tries it again.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

from tools.ui import ROOT, Line, say

#: Each part is run in so many pieces, so that it can be seen how it goes.
PIECES = 20


@dataclass(frozen=True)
class Part:
    """One kind of random input."""

    name: str
    #: The command that runs so many of them from a seed on, and its environment.
    command: Callable[[int, int], tuple[list[str], dict[str, str]]]


def cargo(package: str, test: str, variable: str, share: int) -> Callable[[int, int], tuple[list[str], dict[str, str]]]:
    """A Rust test that tries `share` times as many as the variable says."""

    def command(seed: int, count: int) -> tuple[list[str], dict[str, str]]:
        words = ["cargo", "test", "--quiet", "--package", package, "--test", *test.split()]
        return words, {"RI_FUZZ_SEED": str(seed), variable: str(-(-count // share))}

    return command


def programs(seed: int, count: int) -> tuple[list[str], dict[str, str]]:
    """Programs in Python."""
    words = [sys.executable, "-m", "pybind.tests.fuzz.run", "--seed", str(seed), "--count", str(count)]
    return words, {"RUST_INDUCTOR_CACHE": "0"}


PARTS = {
    it.name: it
    for it in (
        Part("kernels", cargo("rust-inductor-cpu", "fuzz", "RI_FUZZ_KERNELS", 4)),
        Part("graphs", cargo("rust-inductor-core", "pipeline fuzz", "RI_FUZZ_GRAPHS", 2)),
        Part("programs", programs),
    )
}


def main() -> int:
    """Tries all parts; an error if anything differs."""
    parser = argparse.ArgumentParser(prog="./x bench fuzz")
    parser.add_argument("--count", type=int, default=10_000, help="of each kind")
    parser.add_argument("--seed", type=int, help="where to begin; by default another place each day")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    options = parser.parse_args()
    seed = options.seed if options.seed is not None else int(time.time() // 86400) * 1_000_000
    results = [run(PARTS[name], seed, options.count) for name in options.only]
    return int(not all(results))


def run(part: Part, seed: int, count: int) -> bool:
    """Tries one part; true if nothing differs."""
    line, start, failures = Line(), time.monotonic(), 0
    size = max(1, count // PIECES)
    for first in range(0, count, size):
        done = min(first + size, count)
        words, env = part.command(seed + first, done - first)
        found = subprocess.run(words, cwd=ROOT, env={**os.environ, **env}, capture_output=True, text=True, check=False)
        if found.returncode != 0:
            failures += 1
            line.clear()
            say(f"{part.name} from seed {seed + first} on:\n{found.stdout[-8000:]}{found.stderr[-4000:]}")
        rate = done / (time.monotonic() - start)
        line.show(f"{done}/{count} {part.name}, {rate:.1f} a second", always=True)
    line.clear()
    seconds = time.monotonic() - start
    outcome = f"{failures} of {-(-count // size)} pieces differ" if failures else "none differ"
    say(f"{count} random {part.name} from seed {seed}: {outcome}; {count / seconds:.1f} a second")
    return failures == 0


if __name__ == "__main__":
    sys.exit(main())
