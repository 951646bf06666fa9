"""`python -m pybind.tests.opinfo.shapes [NAME...] [--dtype DTYPE] [--kind strided]`: metadata by our rules and torch.

Every call of ATen that an operator's samples come down to, below autograd, is inferred by the rules of `fx::infer`, and
compared with what torch's kernel gives: sizes, strides, type and device. Shown is what differs; what the rules have no
answer to is counted, and torch is asked for it when a program is captured.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

import torch
from torch import fx
from torch.utils import _pytree
from torch.utils._python_dispatch import TorchDispatchMode

from pybind.tests.opinfo.samples import KINDS, names, samples
from rust_inductor import fx as ours
from tools.bench.symshapes import build_example

#: Of one operator, so many samples.
SAMPLES = 60


class Calls(TorchDispatchMode):
    """Notes the calls of functions of ATen, each kind of call once, as graphs."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()
        self.graphs: list[tuple[str, str]] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        written = any(it.alias_info is not None and it.alias_info.is_write for it in func._schema.arguments)
        result = func(*args, **kwargs)
        if func.namespace == "aten" and not written:
            key = repr((func, _pytree.tree_map(described, (args, kwargs))))
            if key not in self.seen:
                self.seen.add(key)
                graph = graph_of(func, args, kwargs, result)
                if graph is not None:
                    self.graphs.append((str(func), graph))
        return result


def described(value: Any) -> Any:
    """A tensor's metadata; any other value as it is."""
    if isinstance(value, torch.Tensor):
        return (value.dtype, tuple(value.shape), value.stride())
    return value


def graph_of(func: Any, args: Any, kwargs: Any, result: Any) -> str | None:
    """A graph of one call, with metadata; None if our graphs cannot hold it."""
    graph = fx.Graph()
    inputs: dict[int, fx.Node] = {}

    def node(value: Any) -> Any:
        if not isinstance(value, torch.Tensor):
            return value
        if id(value) not in inputs:
            inputs[id(value)] = graph.placeholder(f"x{len(inputs)}")
            inputs[id(value)].meta["val"] = value
        return inputs[id(value)]

    arguments, keywords = _pytree.tree_map(node, (args, kwargs))
    call = graph.call_function(func, tuple(arguments), keywords)
    call.meta["val"] = result
    graph.output(call)
    try:
        return ours.Graph.from_torch(fx.GraphModule(torch.nn.Module(), graph)).to_json()
    except Exception:  # complex storage, a generator
        return None


def calls_of(name: str, dtype: torch.dtype, kind: str) -> Iterator[tuple[str, str]]:
    """The calls that an operator's samples make."""
    calls = Calls()
    for number, sample in enumerate(samples(name, dtype, kind=kind)):
        if number == SAMPLES:
            break
        with calls, torch.no_grad():
            try:
                sample.function(sample.input, *sample.args, **sample.kwargs)
            except Exception:  # samples that are to fail
                continue
    yield from calls.graphs


def main() -> int:
    """Prints what differs; the status is 1 if anything does."""
    parser = argparse.ArgumentParser(prog="python -m pybind.tests.opinfo.shapes", description=__doc__)
    parser.add_argument("names", nargs="*", help="operators, each with all its variants; all of them if none is named")
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--kind", choices=KINDS, default="plain")
    options = parser.parse_args()
    dtype = getattr(torch, options.dtype)
    checker = subprocess.Popen(
        [build_example("fx", "check")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    )
    assert checker.stdin is not None and checker.stdout is not None
    seen: set[str] = set()
    answered: Counter[str] = Counter()
    unknown: Counter[str] = Counter()
    why: dict[str, str] = {}
    different: dict[str, list[str]] = {}
    for name in [it for want in options.names or [None] for it in names(dtype, want)]:
        for target, graph in calls_of(name, dtype, options.kind):
            if graph in seen:
                continue
            seen.add(graph)
            print(graph, file=checker.stdin, flush=True)
            report = json.loads(checker.stdout.readline())
            if report["unknown"]:
                unknown[target] += 1
                why[target] = report["unknown"][0]
            else:
                answered[target] += 1
            if report["mismatches"]:
                different.setdefault(target, []).extend(report["mismatches"])
    checker.stdin.close()
    for target, found in sorted(different.items()):
        print(f"{target}: {len(found)} differ, such as {found[0]}")
    print(f"\nwithout an answer: {sum(unknown.values())} calls of {len(unknown)} overloads")
    for target, count in sorted(unknown.items()):
        print(f"  {count:4} {target}: {why[target]}")
    total = sum(answered.values())
    print(f"{total} calls of {len(answered)} overloads are answered, {sum(map(len, different.values()))} otherwise")
    return int(bool(different))


if __name__ == "__main__":
    sys.exit(main())
