"""A program whose log is compared: `python logged.py torch` or `python logged.py ours`, under TORCH_LOGS."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import torch


def integer(x, n):
    y = x**2
    if n >= 0:
        return (n + 1) * y
    return y / n


def sizes(a, b):
    return a.shape[0] * a * b


def text(a, b):
    return a * len(b)


def talk(a):
    b = a + 2
    print("Hi")
    return b + a


class Counter:
    value = 0


def attribute(x, y):
    x.value += 1
    return y * x.value


def items(x, y):
    return y * len(x[0])


def condition(x):
    y = x / (torch.abs(x) + 1)
    if y.sum() < 0:
        y = y * -1
    return x * y


def table(x, named):
    return x + named["a"] * named["b"][0]


SCALE = 2.5


def scaled(x):
    with torch.no_grad():
        y = x * SCALE
    return torch.sum(y, dim=-1)


def appended(x, items):
    items.append(x + 1)
    return items[0] * len(items)


def within(x):
    def twice(y, factor=2):
        z = y * factor
        return z + 1

    return twice(twice(x), 3)


def inner(x):
    y = x - 1
    print("Ho")
    return y * 2


def outer(x):
    return inner(x) + x


def turns(x):
    for factor in (1, 2, 3):
        x = x * factor
    return x


def marked(x):
    return x.sum(1)


def shown(gm: torch.fx.GraphModule, _inputs: list[Any]) -> Callable[..., Any]:
    """Log what torch's Dynamo has formatters for and does not log."""
    from types import SimpleNamespace

    from torch._dynamo.output_graph import OutputGraph, graph_sizes_log, graph_tabular_log
    from torch._dynamo.utils import lazy_format_graph_tabular

    def tabulate(rows: list[Any], headers: list[str]) -> str:
        return "\n".join(" ".join(map(str, row)) for row in (headers, *rows))

    # Stands in for a package, whose columns are not compared.
    sys.modules.setdefault("tabulate", SimpleNamespace(tabulate=tabulate))  # type: ignore[arg-type]
    name = gm.meta["backend_id"]
    graph_tabular_log.debug("%s", lazy_format_graph_tabular(name, gm))
    holder: Any = SimpleNamespace(graph=gm.graph)
    graph_sizes_log.debug("%s", OutputGraph.get_graph_sizes(holder, name))
    return gm.forward


def main(which: str) -> None:
    compile: Callable[..., Any] = torch.compile
    backend: Any = shown
    if which == "ours":
        import rust_inductor

        compile, backend = rust_inductor.compile, "eager"
    x = torch.ones(4, 3)
    counter = Counter()
    counter.value = 3
    calls: list[tuple[Callable[..., Any], list[tuple[Any, ...]]]] = [
        (integer, [(x, 2), (x, 3), (x, 4), (x, -2)]),
        (sizes, [(x, x + 1), (torch.ones(8, 3), torch.ones(8, 3)), (x.double(), x.double() + 1)]),
        (text, [(x, "Hello"), (x, "Hi")]),
        (attribute, [(counter, x), (counter, x)]),
        (items, [([[1]], x), ([[1, 2]], x), ([[1], 2], x)]),
        (table, [(x, {"a": x + 1, "b": (number, "c")}) for number in (3, 4)]),
        (scaled, [(x,)]),
        (appended, [(x, [x + 1]), (x, [x + 1, x + 2])]),
        (within, [(x,)]),
        (turns, [(x,), (x.double(),)]),
        (talk, [(x,)]),
        (condition, [(x,), (-x,)]),
        (outer, [(x,)]),
        (marked, [(torch.ones(5, 4),)]),
    ]
    for dim in (0, 1):
        torch._dynamo.mark_dynamic(calls[-1][1][0][0], dim)
    for function, arguments in calls:
        compiled = compile(function, backend=backend)
        for args in arguments:
            compiled(*args)


if __name__ == "__main__":
    main(sys.argv[1])
