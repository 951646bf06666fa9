"""Measures one thing about one Dynamo, in a process of its own, and prints it as a line of JSON.

`python -m tools.bench.dynamo_worker hit ours` and so on; `./x bench dynamo` starts these.

What is compared stands here once: a contender is a way to make a compiled function with a backend, and a way to forget
what was compiled. Times are of `time.perf_counter_ns`, with Python's garbage collector off.
"""

from __future__ import annotations

import argparse
import gc
import json
import resource
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

Function = Callable[..., Any]
Backend = Callable[..., Any]
#: Files that every Dynamo leaves alone.
NOT_OURS = "<frozen abc>"


def ours(function: Function, backend: Backend | str = "eager") -> Function:
    """Our own Dynamo."""
    from rust_inductor import _capture

    compiled: Function = _capture.optimize(function, backend)
    return compiled


def theirs(function: Function, backend: Backend | str = "eager") -> Function:
    """torch's Dynamo."""
    compiled: Function = torch.compile(function, backend=backend)
    return compiled


def forget() -> None:
    """Forgets what was compiled, on both sides."""
    import rust_inductor

    rust_inductor.reset()
    torch._dynamo.reset()


CONTENDERS: dict[str, Callable[..., Function]] = {"ours": ours, "torch": theirs}


def add_one(x: torch.Tensor) -> torch.Tensor:
    """The smallest program."""
    return x + 1


def sixty_operations(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Ten rounds of six operations: operators, functions of torch, methods."""
    for i in range(10):
        a = torch.relu(x * y)
        b = (a + i).sigmoid()
        x = torch.sub(b, x).tanh()
    return x


def touch_all(table: dict[str, dict[str, torch.Tensor]], x: torch.Tensor) -> torch.Tensor:
    """Looks at every tensor of a nested dict, and computes next to nothing."""
    rows = 0
    for group in table.values():
        for tensor in group.values():
            rows += tensor.shape[0]
    return x + rows


def nested(groups: int, size: int) -> dict[str, dict[str, torch.Tensor]]:
    """A dict of dicts of tensors."""
    return {f"group{g}": {f"tensor{t}": torch.ones(2, 3) for t in range(size)} for g in range(groups)}


@contextmanager
def without_collector() -> Iterator[None]:
    """Python's garbage collector does not run meanwhile."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def per_call(function: Function, arguments: tuple[Any, ...], calls: int) -> float:
    """Nanoseconds of a call, in a row of calls."""
    rounds = range(calls)
    start = time.perf_counter_ns()
    for _ in rounds:
        function(*arguments)
    return (time.perf_counter_ns() - start) / calls


def over(function: Function, base: Function, arguments: tuple[Any, ...], blocks: int, calls: int) -> dict[str, float]:
    """The median nanoseconds of both, in turns, and of the difference between neighbours."""
    for warm in (function, base):
        per_call(warm, arguments, calls)
    with without_collector():
        pairs = [(per_call(function, arguments, calls), per_call(base, arguments, calls)) for _ in range(blocks)]
    return {
        "ns": statistics.median(a for a, _ in pairs),
        "base_ns": statistics.median(b for _, b in pairs),
        "extra_ns": statistics.median(a - b for a, b in pairs),
    }


def hit(contender: str, effort: int) -> dict[str, float]:
    """A hit of `x + 1` on one element over the plain call."""
    return over(CONTENDERS[contender](add_one), add_one, (torch.ones(1),), 10 * effort, 2_000)


def other_calls(contender: str, effort: int) -> dict[str, float]:
    """A call of a Python function that is left alone, while the thread is enabled, over the same while it is not."""
    calls = 20_000
    source = f"def called(x):\n    return x\ndef loop(x):\n    for _ in range({calls}):\n        called(x)\n"
    namespace: dict[str, Any] = {}
    exec(compile(source, NOT_OURS, "exec"), namespace)
    loop = namespace["loop"]
    figures = over(CONTENDERS[contender](loop), loop, (None,), 10 * effort, 1)
    return {name: ns / calls for name, ns in figures.items()}


def capture(contender: str, effort: int) -> dict[str, float]:
    """From the call of a function of sixty operations to the backend's first line, and to the end of that call."""
    arguments = torch.rand(4, 4), torch.rand(4, 4)
    arrived: list[int] = []

    def stop_watch(gm: torch.fx.GraphModule, _inputs: Any) -> Function:
        arrived.append(time.perf_counter_ns())
        made: Function = gm.forward
        return made

    return captures(lambda: CONTENDERS[contender](sixty_operations, stop_watch), arguments, arrived, effort)


def capture_in_rust(_contender: str, effort: int) -> dict[str, float]:
    """Our own backend behind our own Dynamo: it takes the graph in Rust, in ATen overloads."""
    from rust_inductor import _native

    arguments = torch.rand(4, 4), torch.rand(4, 4)
    arrived: list[int] = []

    def stop_watch(graph: Any, _inputs: Any, lowered: Any) -> Function:
        arrived.append(time.perf_counter_ns())
        assert lowered is not None
        made: Function = graph.to_torch(torch.nn.Module()).forward
        return made

    return captures(lambda: _native.Dynamo(stop_watch).wrap(sixty_operations), arguments, arrived, effort)


def captures(
    make: Callable[[], Function], arguments: tuple[Any, ...], arrived: list[int], effort: int
) -> dict[str, float]:
    """Medians over first calls, each after everything was forgotten; the first few warm up."""
    graph, whole = [], []
    with without_collector():
        for _ in range(5 + 5 * effort):
            forget()
            compiled = make()
            start = time.perf_counter_ns()
            compiled(*arguments)
            end = time.perf_counter_ns()
            graph.append(arrived[-1] - start)
            whole.append(end - start)
    assert len(arrived) == len(graph), "each first call is one graph"
    return {"graph_ns": statistics.median(graph[5:]), "whole_ns": statistics.median(whole[5:])}


def guards(contender: str, effort: int) -> dict[str, float]:
    """The time that two hundred tensors in a nested dict add to a hit."""
    x, full, empty = torch.ones(1), nested(10, 20), nested(0, 0)
    compiled = [CONTENDERS[contender](touch_all) for _ in range(2)]
    for function, table in zip(compiled, (full, empty)):
        # The sizes summed are constants of the graph: the first call decides.
        forget()
        function(table, x)
    with_all = over(lambda: compiled[0](full, x), lambda: add_one(x), (), 10 * effort, 200)
    forget()
    with_none = over(lambda: compiled[1](empty, x), lambda: add_one(x), (), 10 * effort, 200)
    return {
        "full_ns": with_all["ns"],
        "empty_ns": with_none["ns"],
        "extra_ns": with_all["ns"] - with_none["ns"],
    }


def model(contender: str, effort: int) -> dict[str, float]:
    """A call of GPT-2's layers, small ones, behind a backend whose graph gives what it gave at first."""
    import logging

    from transformers import GPT2Config, GPT2LMHeadModel

    def recorded(gm: torch.fx.GraphModule, inputs: Any) -> Function:
        outputs = gm(*inputs)
        return lambda *_: outputs

    logging.getLogger("transformers").setLevel(logging.ERROR)
    config = GPT2Config(n_layer=12, n_head=2, n_embd=16, vocab_size=96, n_positions=32, use_cache=False)
    tokens, network = torch.zeros(1, 4, dtype=torch.long), GPT2LMHeadModel(config).eval()
    compiled = CONTENDERS[contender](network, recorded)
    with torch.no_grad():
        # Guards learn which objects never change in the first calls.
        for _ in range(40):
            compiled(tokens)
        return {"call_ns": min(per_call(compiled, (tokens,), 50) for _ in range(10 * effort))}


def memory(_contender: str, effort: int) -> dict[str, float]:
    """Resident MiB after a tenth of the hits and after all; the same of functions compiled and discarded."""
    hits, cycles = (300_000, 2_000) if effort > 1 else (30_000, 200)
    compiled, x = ours(add_one), torch.ones(1)

    def discard() -> None:
        namespace: dict[str, Any] = {}
        exec(compile("def f(x, y):\n    return [x + y, {'k': x * y}]", "<discarded>", "exec"), namespace)
        ours(namespace["f"])(x, x)

    hit_mib = marks(lambda: compiled(x), hits)
    cycle_mib = marks(discard, cycles)
    return {
        "hits": hits,
        "cycles": cycles,
        "hits_before_mib": hit_mib[0],
        "hits_after_mib": hit_mib[1],
        "cycles_before_mib": cycle_mib[0],
        "cycles_after_mib": cycle_mib[1],
        "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def marks(work: Callable[[], Any], count: int) -> tuple[float, float]:
    """Resident MiB after a tenth of the work, and after all of it."""
    for _ in range(count // 10):
        work()
    gc.collect()
    before = resident_mib()
    for _ in range(count - count // 10):
        work()
    gc.collect()
    return before, resident_mib()


def resident_mib() -> float:
    """The memory that this process holds now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


TASKS: dict[str, Callable[[str, int], dict[str, float]]] = {
    "hit": hit,
    "other_calls": other_calls,
    "capture": capture,
    "capture_in_rust": capture_in_rust,
    "guards": guards,
    "model": model,
    "memory": memory,
}


def main() -> int:
    """Measures, and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("task", choices=TASKS)
    parser.add_argument("contender", choices=CONTENDERS)
    parser.add_argument("--effort", type=int, default=3)
    options = parser.parse_args()
    torch.set_num_threads(1)
    print(json.dumps(TASKS[options.task](options.contender, options.effort)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
