"""Runs a function in a forked child with a time limit: a crash or a hang costs one case and not the run.

The parent imports the libraries once; each child starts in milliseconds, has what was imported, and leaves nothing
behind. What the function gives must be JSON.
"""

from __future__ import annotations

import ctypes
import json
import os
import selectors
import signal
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

#: The ways in which a child ends: with a value, an exception, a signal or `_exit`, or by the time limit.
Ending = Literal["value", "error", "crash", "timeout"]

CHUNK = 1 << 16
#: `MADV_POPULATE_WRITE` of Linux 5.14.
POPULATE_WRITE = 23


@dataclass(frozen=True)
class Outcome:
    """The outcome of a child: the function's value, or text that says what went wrong."""

    ending: Ending
    value: Any
    seconds: float


def forked(function: Callable[..., Any], *arguments: Any, limit: float) -> Outcome:
    """Calls the function in a child of this process; the child's output to stdout and stderr is discarded."""
    start = time.monotonic()
    sys.stdout.flush()
    sys.stderr.flush()
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        run_child(writing, function, arguments)
    os.close(writing)
    text, in_time = read_all(reading, start + limit)
    os.close(reading)
    if not in_time:
        kill_group(pid)
    _, status = os.waitpid(pid, 0)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)  # what the child started and left, such as compile workers
    seconds = time.monotonic() - start
    if not in_time:
        return Outcome("timeout", f"longer than {limit:.0f} s", seconds)
    try:
        answer = json.loads(text)
    except ValueError:
        return Outcome("crash", describe(status), seconds)
    return Outcome(answer["ending"], answer["value"], seconds)


def run_child(writing: int, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    """Calls the function, writes its answer and ends the process without running the parent's exit handlers."""
    os.setpgid(0, 0)
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    status = 0
    try:
        answer = {"ending": "value", "value": function(*arguments)}
    except BaseException as error:
        answer = {"ending": "error", "value": "".join(traceback.format_exception(error))[-8000:]}
        status = 1
    with suppress(BaseException), os.fdopen(writing, "w") as stream:
        stream.write(json.dumps(answer))
    os._exit(status)


def copy_pages() -> None:
    """Copies the pages that a child shares with its parent, which the first write to each does else.

    What is timed afterwards has no such copies in it: they made 18 ms of a capture of 10. A kernel that does not know
    the advice changes nothing.
    """
    madvise = ctypes.CDLL(None).madvise
    madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    for line in Path("/proc/self/maps").read_text().splitlines():
        span, rights, _, _, inode, *_ = line.split()
        start, end = (int(bound, 16) for bound in span.split("-"))
        if rights == "rw-p" and (inode == "0" or ".so" in line):
            madvise(start, end - start, POPULATE_WRITE)


def read_all(descriptor: int, deadline: float) -> tuple[str, bool]:
    """The text that the child writes until it closes its end, and whether that was before the deadline."""
    parts: list[bytes] = []
    with selectors.DefaultSelector() as selector:
        selector.register(descriptor, selectors.EVENT_READ)
        while (left := deadline - time.monotonic()) > 0:
            if not selector.select(left):
                break
            part = os.read(descriptor, CHUNK)
            if not part:
                return b"".join(parts).decode(), True
            parts.append(part)
    return "", False


def kill_group(pid: int) -> None:
    """Ends the child and all that it started, if anything is left of them."""
    for end in (os.killpg, os.kill):  # the group does not exist before the child's first line
        with suppress(ProcessLookupError, PermissionError):
            end(pid, signal.SIGKILL)


def describe(status: int) -> str:
    """The end of a process that gave no answer."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        return f"ended by {signal.Signals(number).name}"
    return f"ended with status {os.waitstatus_to_exitcode(status)} and no answer"
