"""Processes, threads and interruptions around compilation; and memory after many calls and compilations."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import Tensor

from pybind.tests.helpers import compiled

MIB = 1 << 20


def function(x: Tensor, w: Tensor) -> Tensor:
    return torch.softmax(torch.nn.functional.gelu(x @ w) + 1, -1).sum(0)


def arguments() -> tuple[Tensor, Tensor]:
    return torch.randn(64, 128), torch.randn(128, 256)


def in_child(check: Callable[[], None]) -> None:
    """Runs a check in a fork of this process."""
    child = os.fork()
    if child == 0:
        try:
            check()
        except BaseException:
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert status == 0


def test_a_forked_process_calls_what_was_compiled_before_and_compiles() -> None:
    ours, given = compiled(function), arguments()
    # Forks inherit no threads of OpenMP's: with more than one, torch itself may wait for them for ever.
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        wanted = ours(*given)

        def check() -> None:
            torch.testing.assert_close(ours(*given), wanted)
            torch.testing.assert_close(compiled(lambda x: x.sin() * 3)(given[0]), given[0].sin() * 3)

        in_child(check)
        torch.testing.assert_close(ours(*given), wanted)
    finally:
        torch.set_num_threads(threads)


def test_threads_compile_and_call_at_once() -> None:
    given = arguments()
    failures: list[BaseException] = []
    start = threading.Barrier(4)

    def work(number: int) -> None:
        try:
            start.wait()
            for turn in range(3):
                factor = number * 10 + turn
                scaled = compiled(lambda x, w, factor=factor: function(x, w) * factor)
                for _ in range(5):
                    torch.testing.assert_close(scaled(*given), function(*given) * factor)
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures[0]


#: Compiles functions until it is interrupted, and then one more.
INTERRUPTED = """
import signal, torch
compiled = lambda f: torch.compile(f, backend="rust_inductor", dynamic=False)
x = torch.randn(8, 16)
compiled(lambda x: x + 1)(x)
try:
    print("ready", flush=True)
    for n in range(10_000):
        torch._dynamo.reset()
        compiled(lambda x: (x.exp() * n).softmax(-1) + x.sum(0))(x)
except KeyboardInterrupt:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    torch._dynamo.reset()
    torch.testing.assert_close(compiled(lambda x: x.sin() + 2)(x), x.sin() + 2)
    print("interrupted", flush=True)
"""


@pytest.mark.parametrize("after", [0.0, 0.05, 0.3])
def test_ctrl_c_while_compiling(after: float) -> None:
    command = [sys.executable, "-c", "import signal\nsignal.signal(2, signal.default_int_handler)\n" + INTERRUPTED]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    threading.Event().wait(after)
    # Where Python cannot raise (in a callback of torch's), it prints the exception and goes on: then once more.
    while process.poll() is None:
        process.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(5)
    out, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    assert out == "interrupted\n", errors


def resident() -> int:
    """Bytes of this process that are in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def grown(work: Callable[[], None], rounds: int) -> int:
    """Bytes by which the process grows from a fifth of the rounds to their end."""
    before = 0
    for done in range(rounds):
        if done == rounds // 5:
            gc.collect()
            before = resident()
        work()
    gc.collect()
    return resident() - before


def test_calls_leave_nothing() -> None:
    ours, given = compiled(function), arguments()

    def call() -> None:
        ours(*given)

    assert grown(call, 3000) < 4 * MIB


def test_what_is_compiled_and_discarded_leaves_little() -> None:
    from rust_inductor import _aot

    x = torch.randn(8, 16)

    def compile_and_discard() -> None:
        module = torch.fx.symbolic_trace(lambda x: (torch.softmax(x * 2, -1) + x,))
        with torch.no_grad():
            _aot.compile_module(module, [x])(x)

    # A graph's way through torch's own tracing leaves some of it behind, too.
    assert grown(compile_and_discard, 50) < 16 * MIB
