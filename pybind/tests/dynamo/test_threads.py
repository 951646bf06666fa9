"""Compiled functions that start threads under locks, and threads that compile at the same time."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

# What stands between two tensor computations of the function: `lock` is an argument, `LOCK` a global variable.
BLOCKS = {
    "before": """
        with lock:
            z = y + 1
        t = threading.Thread(target=work)
        t.start()
        t.join()
    """,
    "before_and_used": """
        with LOCK:
            y = y + 1
        t = threading.Thread(target=work)
        t.start()
        t.join()
    """,
    "within": """
        with lock:
            t = threading.Thread(target=work)
            t.start()
            t.join()
    """,
    "started_within": """
        with LOCK:
            t = threading.Thread(target=work)
            t.start()
            z = y.relu() + y
        t.join()
        x = x + z
    """,
    "breaks_within": """
        with lock:
            print(end="")
            t = threading.Thread(target=lambda: out.append((y + 1).sum().item()))
            print(end="")
            t.start()
            print(end="")
            t.join()
        print(end="")
    """,
    "several": """
        with lock:
            threads = [threading.Thread(target=work) for _ in range(3)]
            for t in threads:
                t.start()
            for t in threads:
                t.join()
    """,
    "both_take_it": """
        def locked():
            with LOCK:
                out.append((y + 1).sum().item())
        t = threading.Thread(target=locked)
        with LOCK:
            t.start()
        t.join()
    """,
}

FUNCTION = """
def function(x, lock):
    y = x * 2
    out = []
    def work():
        out.append((y + 1).sum().item())
{block}
    return y * 3 + out[0] + x
"""

PROGRAM = """
import gc, random, sys, threading
import torch
import rust_inductor

LOCK = threading.Lock()
ROUNDS, THREADS, BACKEND, SOURCES = {settings!r}
sys.setswitchinterval(1e-6)
wrong = []

def run(seed):
    choose = random.Random(seed)
    for number in range(ROUNDS * len(SOURCES)):
        known = globals().copy()
        exec(SOURCES[(number + seed) % len(SOURCES)], known)
        function = known["function"]
        compiled = rust_inductor.compile(function, backend=BACKEND, dynamic=choose.choice([None, False, True]))
        for _ in range(choose.randrange(1, 12)):
            x = torch.randn(choose.choice([(4,), (3, 5), (300, 300)]), requires_grad=choose.random() < 0.3)
            # The global lock is shared: calls of several threads wait for each other.
            lock = choose.choice([threading.Lock, threading.RLock])()
            ours, theirs = compiled(x, lock), function(x, lock)
            if not torch.allclose(ours, theirs, rtol=1e-4, atol=1e-4):
                wrong.append((seed, ours, theirs))
        if choose.random() < 0.2:
            gc.collect()

threads = [threading.Thread(target=run, args=(seed,)) for seed in range(THREADS)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert not wrong, wrong[0]
print("done")
"""


@pytest.mark.parametrize(
    ("rounds", "threads", "backend"),
    [(3, 1, "eager"), (2, 3, "eager"), (2, 1, "rust_inductor"), (1, 4, "rust_inductor")],
)
def test_threads_under_locks(rounds: int, threads: int, backend: str) -> None:
    """In a process of its own: what fails here ends the process."""
    sources = [FUNCTION.format(block=textwrap.indent(textwrap.dedent(block), "    ")) for block in BLOCKS.values()]
    source = PROGRAM.format(settings=(rounds, threads, backend, sources))
    ran = subprocess.run([sys.executable, "-X", "faulthandler", "-c", source], capture_output=True, text=True)
    assert "could not compile" not in ran.stderr, ran.stderr[-4000:]
    assert ran.returncode == 0 and ran.stdout.endswith("done\n"), ran.stderr[-4000:]


def test_threads_that_wait_when_the_process_ends() -> None:
    """Before Python 3.14 their stacks are unwound, through frames that were entered under our hook."""
    program = """
        import threading, time
        import torch
        import rust_inductor

        lock = threading.Lock()
        lock.acquire()

        def wait():
            while True:
                lock.acquire(timeout=0.0005)

        @rust_inductor.compile(backend="eager")
        def starts(x):
            y = x + 1
            for _ in range(4):
                threading.Thread(target=wait, daemon=True).start()
            return y * 2

        class Late:
            def __del__(self):
                time.sleep(0.02)

        late = Late()
        assert starts(torch.ones(2)).tolist() == [4, 4]
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], check=False, capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, "")
