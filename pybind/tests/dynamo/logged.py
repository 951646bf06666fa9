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


def marked(x):
    return x.sum(1)


def main(which: str) -> None:
    compile: Callable[..., Any] = torch.compile
    if which == "ours":
        import rust_inductor

        compile = rust_inductor.compile
    x = torch.ones(4, 3)
    counter = Counter()
    counter.value = 3
    calls: list[tuple[Callable[..., Any], list[tuple[Any, ...]]]] = [
        (integer, [(x, 2), (x, 3), (x, 4), (x, -2)]),
        (sizes, [(x, x + 1), (torch.ones(8, 3), torch.ones(8, 3)), (x.double(), x.double() + 1)]),
        (text, [(x, "Hello"), (x, "Hi")]),
        (attribute, [(counter, x), (counter, x)]),
        (items, [([[1]], x), ([[1, 2]], x), ([[1], 2], x)]),
        (talk, [(x,)]),
        (marked, [(torch.ones(5, 4),)]),
    ]
    for dim in (0, 1):
        torch._dynamo.mark_dynamic(calls[-1][1][0][0], dim)
    for function, arguments in calls:
        compiled = compile(function, backend="eager")
        for args in arguments:
            compiled(*args)


if __name__ == "__main__":
    main(sys.argv[1])
