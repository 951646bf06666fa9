"""Functions that fall in several graphs, for `like_torch.ROWS`: where a graph ends, what it gives, what goes on."""

from __future__ import annotations

import torch

from pybind.tests.dynamo.like_torch import SCALE, WEIGHT, X, Y, row


@row(X)
def one_break(x):
    y = x + 1
    torch._dynamo.graph_break()
    return y + x


@row(X)
def two_breaks(x):
    a = x + 1
    torch._dynamo.graph_break()
    b = a * 2
    torch._dynamo.graph_break()
    return a + b + x


@row(X)
def break_with_sizes(x):
    n = x.shape[0]
    y = x + n
    torch._dynamo.graph_break()
    return y * n + x.shape[1]


@row(X)
def break_with_computed_sizes(x):
    n = x.shape[0] * 2
    y = x + n
    torch._dynamo.graph_break()
    return y * n


@row(X, 5)
def break_with_integers(x, n):
    m = n + 1
    y = x * m
    torch._dynamo.graph_break()
    return y * n + m


@torch._dynamo.disable
def aside(x):
    return x * 2


@row(X)
def disabled(x):
    y = x + 1
    z = aside(y)
    return z + y


@row(X)
def disabled_within_an_expression(x):
    return (x + 1) * aside(x * 3) + (x - 1)


@row(X)
def disabled_among_arguments(x):
    return torch.cat([x + 1, aside(x * 3), x])


@row(X)
def condition(x):
    y = x / (torch.abs(x) + 1)
    if y.sum() < 0:
        y = y * -1
    return x * y


@row(X, Y)
def condition_alone(a, b):
    if (a > 0).all():
        return a + b
    return a - b


@row(X)
def item(x):
    y = x.sum()
    n = y.item()
    return x * 2 + n


@row(X)
def printed(x):
    y = x * 2
    print("", end="")
    z = y + x
    return z - y


@row(X)
def break_in_a_loop(x):
    for factor in (1, 2, 3):
        x = x * factor
        torch._dynamo.graph_break()
    return x + 1


@row(X)
def break_in_an_inlined_call(x):
    def inner(y):
        y = y + 1
        torch._dynamo.graph_break()
        return y * 2

    return inner(x * 3) + x


@row(X)
def break_with_a_list(x):
    parts = [x + 1, x + 2]
    torch._dynamo.graph_break()
    parts.append(x)
    return torch.cat(parts)


@row(X)
def break_with_a_dict(x):
    table = {"a": x + 1, "b": x.shape[0]}
    torch._dynamo.graph_break()
    return table["a"] * table["b"]


@row(X)
def break_with_a_closure(x):
    y = x + 1

    def inner(z):
        return z * y

    torch._dynamo.graph_break()
    return inner(x)


@row(X)
def break_under_no_grad(x):
    with torch.no_grad():
        y = x * SCALE
        torch._dynamo.graph_break()
        z = y + SCALE
    return z * SCALE


@row(X)
def break_after_nothing(x):
    torch._dynamo.graph_break()
    return x + 1


@row(X)
def break_before_nothing(x):
    y = x + 1
    torch._dynamo.graph_break()
    return y


@row(X)
def break_with_dead_values(x):
    a = x + 1
    b = a * 2
    c = b - 1
    torch._dynamo.graph_break()
    return c


@row(X)
def break_in_place(x):
    y = x + 1
    y.add_(1)
    torch._dynamo.graph_break()
    y.mul_(2)
    return y


@row(X)
def break_with_parameters(x):
    y = x * SCALE
    torch._dynamo.graph_break()
    return y + WEIGHT.sum(0)


@row(X, Y)
def break_with_arguments(a, b):
    c = a + 1
    torch._dynamo.graph_break()
    return b * c - a
