"""A few worker programs that take tasks from one queue: each reads a task as a line of JSON and answers with one.

A worker forks a child for each task (`tools.forks`), so that its imports are done once. A worker that dies itself costs
the task that it had, and is started again.
"""

from __future__ import annotations

import gc
import json
import os
import queue
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from threading import Lock, Thread
from typing import Any

from tools.ui import ROOT

Task = dict[str, Any]
Answer = dict[str, Any]

#: The number of characters at the end of a dead worker's output that are told.
TAIL = 2000


def run_all(
    command: Sequence[str],
    tasks: Iterable[Task],
    jobs: int,
    on_answer: Callable[[Task, Answer], None],
    env: dict[str, str] | None = None,
) -> None:
    """Has every task answered; `on_answer` is called from one thread at a time."""
    waiting: queue.SimpleQueue[Task] = queue.SimpleQueue()
    for task in tasks:
        waiting.put(task)
    environment = {**os.environ, "OMP_NUM_THREADS": "1", **(env or {})}
    lock = Lock()

    def serve() -> None:
        worker: Worker | None = None
        while True:
            try:
                task = waiting.get_nowait()
            except queue.Empty:
                break
            worker = worker or Worker(command, environment)
            answer = worker.ask(task)
            if worker.ended:
                worker = None
            with lock:
                on_answer(task, answer)
        if worker is not None:
            worker.close()

    threads = [Thread(target=serve) for _ in range(jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Worker:
    """One worker program."""

    def __init__(self, command: Sequence[str], environment: dict[str, str]) -> None:
        self.ended = False
        self.process = subprocess.Popen(
            [sys.executable, *command],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )

    def ask(self, task: Task) -> Answer:
        """The worker's answer; lines that are none, which libraries print, are kept in case it dies."""
        assert self.process.stdin is not None and self.process.stdout is not None
        other = ""
        try:
            self.process.stdin.write(json.dumps(task) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass
        for line in self.process.stdout:
            answer = parse(line)
            if answer is not None:
                return answer
            other = (other + line)[-TAIL:]
        self.ended = True
        return {"ending": "crash", "value": f"the worker ended with {self.process.wait()}: {other}", "seconds": 0.0}

    def close(self) -> None:
        """Lets the worker end."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


def parse(line: str) -> Answer | None:
    """The answer on a line, if it is one."""
    try:
        answer = json.loads(line)
    except ValueError:
        return None
    return answer if isinstance(answer, dict) and "ending" in answer else None


def serve(answer: Callable[[Task], Answer]) -> None:
    """A worker's main loop. What was imported is kept from the garbage collector, whose look would copy its pages."""
    gc.collect()
    gc.freeze()
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)
