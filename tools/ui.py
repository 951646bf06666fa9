"""Progress and tables on a terminal, and plain lines where there is none. Standard library only."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import IO

ROOT = Path(__file__).resolve().parent.parent
IS_TERMINAL = sys.stderr.isatty() and os.environ.get("CI") != "true"
HEARTBEAT = 30.0
TAIL = 60
PLAIN_WIDTH = 120


class StepFailed(Exception):
    """A command failed; its output has been shown."""


class Line:
    """A line that a terminal shows in place. Elsewhere the text is printed anew, at most once each heartbeat."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def show(self, text: str, *, always: bool = False) -> None:
        """Shows `text`; `always` prints it even if no heartbeat is due."""
        if IS_TERMINAL:
            width = os.get_terminal_size(sys.stderr.fileno()).columns - 1
            print(f"\r\x1b[2K{text[:width]}", end="", file=sys.stderr, flush=True)
        elif always or time.monotonic() - self._last > HEARTBEAT:
            print(text[:PLAIN_WIDTH], file=sys.stderr, flush=True)
            self._last = time.monotonic()

    def clear(self) -> None:
        """Takes the line away, so that other output can follow."""
        if IS_TERMINAL:
            print("\r\x1b[2K", end="", file=sys.stderr, flush=True)


def say(text: str) -> None:
    """Prints a line for the user."""
    print(text, file=sys.stderr, flush=True)


def run_step(name: str, command: Sequence[str], env: dict[str, str] | None = None) -> None:
    """Runs a command of the set-up, showing its last line while it works and its output only if it fails."""
    start = time.monotonic()
    line = Line()
    line.show(f"[setup] {name} …", always=True)
    tail: deque[str] = deque(maxlen=TAIL)
    environment = {**os.environ, **(env or {})}
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    assert process.stdout is not None
    reader = Thread(target=keep_lines, args=(process.stdout, tail))
    reader.start()
    while reader.is_alive():
        reader.join(timeout=1.0)
        last = tail[-1].strip() if tail else ""
        line.show(f"[setup] {name} … {time.monotonic() - start:.0f} s  {last}")
    status = process.wait()
    line.clear()
    seconds = time.monotonic() - start
    if status != 0:
        say("\n".join(tail))
        say(f"[setup] {name}: failed after {seconds:.1f} s: {' '.join(command)}")
        raise StepFailed(name)
    say(f"[setup] {name}: {seconds:.1f} s")


def keep_lines(stream: IO[str], tail: deque[str]) -> None:
    """Reads a stream to its end, keeping its last lines that are not blank."""
    tail.extend(text.rstrip() for text in stream if text.strip())


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown with aligned columns: the first to the left, figures to the right."""
    widths = [max(len(row[k]) for row in [header, *rows]) for k in range(len(header))]

    def line(cells: Sequence[str]) -> str:
        first, *rest = [(cell, width) for cell, width in zip(cells, widths)]
        return "| " + " | ".join([first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in rest)]) + " |"

    rule = "|" + "|".join(["-" * (widths[0] + 2), *("-" * (width + 1) + ":" for width in widths[1:])]) + "|"
    return "\n".join([line(header), rule, *map(line, rows)])


def read_or_empty(path: Path) -> str:
    """The text of a file, or nothing if there is none."""
    with suppress(FileNotFoundError):
        return path.read_text()
    return ""
