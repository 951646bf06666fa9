"""Functions that are traced, with the arguments on which they run.

The first call of each is in the golden files; `trace_code.py` runs them all, traced and plain. What `say` notes is
compared too.
"""

# ruff: noqa
# mypy: ignore-errors

from __future__ import annotations

from collections import namedtuple
from functools import partial

from cases import LOG, Cases, T, say
from trace_torch import Tensor, torch
from trace_world import Keywords

Pair = namedtuple("Pair", ["left", "right"], defaults=[7])

CASES = Cases()
case = CASES.case
SCALE = 3
TABLE = {"bias": 2, "scale": 5}


# Values.


@case(lambda: (T(7.0), T(2.0)))
def operators(a, b):
    return a + b, a - b, a * b, a / b, a // b, a % b, a**b, -a, +a, abs(a), 3 - a, 2 / b


@case(lambda: (7, 2, T()))
def operators_of_numbers(a, b, x):
    c = (a + b, a - b, a * b, a / b, a // b, a % b, a**b, -a, +a, ~a, a & b, a | b, a ^ b, a << b, a >> b, not a)
    return x * (c[0] + c[-2]), c


@case(lambda: (T(1.0), T(1.0)))
def operators_in_place(a, b):
    a += b
    a *= 3
    n = 4
    n -= 1
    n **= 2
    n //= 2
    return a, b * n


@case(lambda: (T(1.0), T(2.0)))
def comparisons(a, b):
    return a < b, a <= b, a == b, a != b, a > b, a >= b


@case(lambda: (T(), 5), lambda: (T(), 15))
def chained(x, n):
    if 0 < n < 10:
        return x + n
    return x - n


@case(lambda: (T(), None, 3))
def identity_and_membership(x, a, n):
    flags = (a is None, a is not None, n in (1, 2, 3), n not in [3], "b" in "abc", n in {1: 2})
    return x * sum(flags), flags


@case(lambda: (T(), 2))
def conditional_expression(x, n):
    y = x + 1 if n > 1 else x - 1
    return y * (n or 5) + (n and 7) + (None or n)


@case(lambda: (T(), "a", 3.14159))
def texts(x, name, ratio):
    return x + 1, f"{name}-{name!r:>6}:{ratio:.2f}{2}{{}}", "%" + name.upper(), name * 3


# Containers.


@case(lambda: (T(1.0), T(2.0)))
def containers(a, b):
    pair = (a, b)
    both = [a + 1, *pair]
    named = {"x": a, **{"y": b}, "z": both}
    return pair, both, named, {1, 2}, [1, 2, 3], (4, 5)


@case(lambda: ([T(1.0), T(2.0), T(3.0)],))
def slices(values):
    first, last = values[0], values[-1]
    x = first[1:] + last[:1]
    return x, values[1:], values[::-1], (1, 2, 3, 4)[1:3], "abcdef"[2]


@case(lambda: (((T(1.0), 2), [3, T(4.0), 5, 6]),))
def unpacking(pairs):
    (a, n), rest = pairs
    m, b, *others = rest
    head, *middle, tail = (1, 2, 3, 4)
    return a * n + b * m, others, head, middle, tail


@case(lambda: ({"w": T(2.0), "n": 3},))
def items_of_a_dict(d):
    d["out"] = d["w"] * d["n"]
    total = 0
    for key, value in d.items():
        if key == "n":
            total += value
    del d["n"]
    return total, list(d), d.get("missing", 7)


@case(lambda: (T(1.0), [1, 2, 3]))
def comprehensions(x, ns):
    k = 2
    a = [x + n * k for n in ns if n != 2]
    b = {n: x * n for n in ns}
    c = {n % 2 for n in (1, 2, 3)}
    return a, b, len(c), [[i + j for j in range(2)] for i in range(k)]


@case(lambda: (T(1.0), 3))
def comprehension_hides_a_name(x, n):
    ys = [n for n in range(4)]
    return x * n, ys


@case(lambda: (T(1.0), False), lambda: (T(1.0), True))
def comprehension_over_an_unbound_name(x, bind):
    a, b = [n * 2 for n in range(2)], [n for n in range(3)]
    if bind:
        n = 5
    say(a)
    return x + n, b


@case(lambda: (T(1.0),))
def generator_expression(x):
    scaled = (x * i for i in range(1, 4))
    return sum(scaled), max(i for i in (3, 1, 2)), tuple(i * 2 for i in range(3))


@case(lambda: (Pair(T(1.0), 2), {3}))
def named_tuples_and_sets(pair, seen):
    made = Pair(left=pair.left * pair.right)
    seen.add(4)
    return made, made.right, 3 in seen, len(seen)


def matched(value):
    match value:
        case {"op": "add" | "sub" as op, "by": n, **rest}:
            return op, n, rest
        case [Tensor() as first, *others]:
            return first, others
        case (1 | 2 as n, int(m)) if n < m:
            return n + m
        case str(text):
            return text
        case []:
            return "empty"
        case None | True:
            return "constant"
    return "other"


@case(lambda: (T(1.0), {"op": "add", "by": 3, "more": 5}))
def patterns(x, command):
    op, n, rest = matched(command)
    first, others = matched([x, 4])
    parts = (matched((1, 5)), matched((2, 2.5)), matched("text"), matched([]), matched(True), matched(3), matched({}))
    return first * n, op, rest, others, parts


# Loops.


@case(lambda: (T(1.0), 4))
def loop(x, n):
    for i in range(n):
        if i == 1:
            continue
        if i == 3:
            break
        x = x * 2 + i
    else:
        x = x - 100
    return x


@case(lambda: (T(1.0), 3))
def while_loop(x, n):
    while n:
        x = x + n
        n -= 1
    else:
        x = x * 2
    return x, n


@case(lambda: (T(1.0), [T(2.0), T(3.0)]))
def iterators(x, ys):
    for i, (y, k) in enumerate(zip(ys, (5, 6))):
        x = x + y * k * i
    for y in reversed(ys):
        x = x - y
    for y in map(torch.relu, ys):
        x = x * y
    return x


@case(lambda: (T(1.0), [3, 4]))
def walrus(x, ns):
    while (n := len(ns)) > 0:
        x = x + n * ns.pop()
    return x, ns


# Functions.


def scaled(x, by=2, *rest, shift=1, **names):
    for more in rest:
        x = x + more
    return x * by + shift + len(names)


@case(lambda: (T(1.0),))
def calls(x):
    pack, named = (3, 4), {"shift": 9, "other": 1}
    return scaled(x), scaled(x, 3), scaled(x, by=5, shift=2), scaled(x, *pack, **named), scaled(x, *pack, 5)


@case(lambda: (T(1.0), T(2.0), 3, 4, Keywords(scale=6)), lambda: (T(1.0),))
def parameters(x, y=4, /, *rest, scale=2, **others):
    return (x + y) * scale + len(rest), rest, others


@case(lambda: (T(1.0), Keywords(b=5)))
def defaults(x, a=3, *, b=4):
    return x * a + b


def twice(function, x):
    return function(function(x))


@case(lambda: (T(1.0), 5))
def closures(x, n):
    offset = n * 2

    def shifted(value, by=3):
        return value + offset * by

    return twice(shifted, x), (lambda v: v * n)(x)


@case(lambda: (T(1.0),))
def nonlocals(x):
    count = 0

    def step(value):
        nonlocal count
        count += 1
        return value + count

    return step(step(x)), count


@case(lambda: (T(1.0), 5))
def function_that_escapes(x, n):
    y = x + n

    def add(value, times=n):
        return value + y * times

    return add(x), [add(1), add.__name__], add if n > 9 else None


def outer(start):
    total = [start]

    def inner(x, n=1):
        nonlocal start
        start += n
        total.append(start)
        return x * start + total[0]

    return inner


inner = outer(5)
CASES.append((inner, [lambda: (T(1.0),)]))


@case(lambda: (T(1.0), 5))
def partials(x, n):
    add = partial(scaled, by=n)
    return add(x), add(x, shift=4)


CALLS = 0


@case(lambda: (T(1.0),))
def globals_that_are_written(x):
    global CALLS
    CALLS = CALLS + 1
    import math

    return x * CALLS, math.floor(2.5)


@case(lambda: (T(1.0),))
def contexts(x):
    with torch.no_grad():
        y = x * 2
    return y + x


def naturals(n):
    i = 0
    while i < n:
        yield i
        i += 1
    return


@case(lambda: (T(1.0),))
def generators(x):
    for i in naturals(3):
        x = x + i
    return x, list(naturals(2)), sum(naturals(4))


def recursive(x, n):
    return x if n == 0 else recursive(x * 2, n - 1)


@case(lambda: (T(1.0),))
def recursion(x):
    return recursive(x, 4)


@case(lambda: (T(-1.0),))
def functions_and_methods(x):
    y = torch.relu(x) + torch.maximum(x, x.abs())
    return y.reshape(3, 2).sum(), y.mul(x.shape[0]).size(1), x.dim(), len(x)


@case(lambda: (T(1.0),))
def globals_that_are_read(x):
    return x * SCALE + TABLE["bias"]


# Effects.


@case(lambda: ([1, 2], {"a": 1}, T(1.0)))
def effects_on_containers(values, table, x):
    values.append(x * 2)
    values[0] = 7
    table["b"] = values[0]
    table.pop("a")
    values.extend([8, 9])
    del values[1]
    return len(values)


class Thing:
    def __init__(self):
        self.value, self.log = 3, []

    def __repr__(self):
        return f"Thing{vars(self)}"


@case(lambda: (Thing(), T(1.0)))
def effects_on_attributes(thing, x):
    thing.value += 1
    thing.last = x * thing.value
    thing.log.append(thing.value)
    return thing.last


class Counter:
    def __init__(self, start):
        self.count = start

    def step(self, x, by=1):
        self.count += by
        return x * self.count

    def __repr__(self):
        return f"Counter({self.count})"


@case(lambda: (Counter(2), T(1.0)))
def methods(counter, x):
    return counter.step(x) + counter.step(x, by=3)


@case(lambda: (T(1.0),))
def object_made(x):
    counter = Counter(4)
    return counter.step(x), counter


# Exceptions that do not come.


@case(lambda: (T(1.0), []))
def try_finally(x, log):
    try:
        y = x + 1
    except ValueError:
        y = x - 1
    else:
        y = y * 2
    finally:
        log.append(1)
    return y


@case(lambda: (T(1.0), 3))
def assertions(x, n):
    assert n > 2, "too small"
    return x * n


def refuse(n):
    if n > 2:
        raise ValueError("too large")
    return n


@case(lambda: (T(1.0), {"a": 1}, []))
def exceptions_that_are_caught(x, table, log):
    try:
        n = table["missing"]
    except KeyError:
        n = 7
    try:
        n += refuse(n)
    except (TypeError, ValueError) as error:
        log.append(error.args[0])
    finally:
        n += 1
    for i in range(3):
        try:
            if i == 1:
                raise IndexError
        except LookupError:
            continue
        else:
            x = x + i
    return x * n


@case(lambda: (T(1.0), 5), lambda: (T(1.0), 1))
def exception_that_leaves(x, n):
    y = x * 2
    assert n < 3, f"{n} is too large"
    return y + refuse(n)


@case(lambda: (T(1.0), []))
def break_in_a_handler(x, log):
    y = x + 1
    try:
        y = y * log[0]
    except IndexError:
        y = y * 2
        say("handled")
        y = y - 1
    return y + x


# Operations that fail when the graph runs.


@case(lambda: (T(1.0), T(1.0)), lambda: (T(1.0), T(9.0)))
def fails_in_a_try(x, at):
    y = x + 1
    try:
        y = y.index_select(0, at) * 2
    except IndexError as error:
        y = y * len(error.args)
    return y + x


@case(lambda: (T(1.0), T(9.0), []), lambda: (T(1.0), T(1.0), []))
def fails_after_effects(x, at, log):
    y = x + 1
    log.append(1)
    z = y.index_select(0, at)
    log.append(2)
    return z


def selected(x, at):
    y = x * 2
    return y.index_select(0, at)


@case(lambda: (T(1.0), T(9.0), []), lambda: (T(1.0), T(1.0), []))
def fails_in_the_graph(x, at, log):
    y = x + 1
    with torch.no_grad():
        z = selected(y, at)
    log.append(2)
    return z


@case(lambda: (T(1.0), T(9.0)))
def fails_in_a_call(x, at):
    try:
        return selected(x, at)
    except IndexError:
        return x


@case(lambda: (T(1.0),))
def deleted_global(x):
    global SCALE
    y = x * SCALE
    del SCALE
    return y + 1


@case(lambda: (T(1.0), False), lambda: (T(1.0), True))
def unbound_after_a_break(x, flag):
    if flag:
        late = 1

    def inner():
        return late

    say(x)
    try:
        y = x + late
    except UnboundLocalError as error:
        return str(error), x
    return y * inner()


# Breaks.


@case(lambda: (T(1.0),))
def break_at_a_call(x):
    y = x + 1
    say("here")
    return y * 2


@case(lambda: (T(1.0), T(2.0)))
def break_with_a_stack(a, b):
    return (a + 1) * say(b * 2) + [a, say(b - 1)][1] * 3


@case(lambda: (T(1.0),), lambda: (T(-1.0),))
def break_at_a_jump(x):
    y = x + 1
    if x.sum() > 0:
        z = y * 2
    else:
        z = y - 5
    return z + x


@case(lambda: (T(3.0),))
def break_at_print(x):
    y = x + 1
    print("value", y, sep=": ")
    return y + 1


@case(lambda: (T(1.0), 3))
def break_in_a_loop(x, n):
    out = []
    for i in range(n):
        x = x * 2
        out.append(say(i))
    return x, out


@case(lambda: (T(8.0),), lambda: (T(2.0),))
def break_in_a_while_loop(x):
    steps = 0
    while x.mean() > 1:
        x = x / 2
        steps += 1
    return x, steps


def noisy(x):
    y = x * 2
    say("inside")
    return y + 1


@case(lambda: (T(1.0),))
def break_in_a_call(x):
    y = x + 1
    z = noisy(y) * 3
    return z - x


@case(lambda: (T(1.0),), lambda: (T(-1.0),))
def early_return(x):
    if x.sum() < 0:
        return x - 1
    y = x * 2
    say(y)
    return y


@case(lambda: (T(1.0), 5))
def break_with_a_closure(x, n):
    total = n

    def add(value):
        nonlocal total
        total += 1
        return value + total

    y = add(x)
    say(total)
    return add(y), total


@case(lambda: (T(1.0),))
def break_in_a_comprehension(x):
    k = 2
    return [say(x * i + k) for i in range(3)]


@case(lambda: (T(1.0), []))
def break_in_try(x, log):
    try:
        y = x + 1
        say(y)
        return y * 2
    finally:
        log.append("done")


@case(lambda: (T(1.0), [1, 2]))
def break_after_effects(x, values):
    values.append(3)
    table = {"values": values}
    say(values)
    table["x"] = x + len(values)
    return table


@case(lambda: (T(5.0),))
def break_at_item(x):
    n = (x * 2).mean().item()
    return x + n if n > 3 else x


@case(lambda: (T(1.0), Keywords(b=3)))
def break_with_keywords(x, *args, b=2, **names):
    y = say(x * b)
    return dict(y=y, args=args, **names), max(1, say(b))


@case(lambda: (T(1.0), Counter(1)))
def break_between_two_methods(x, counter):
    a = counter.step(x)
    say(counter)
    return a + counter.step(x, by=2)


@case(lambda: (T(1.0), []), lambda: (T(0.0), []), lambda: (T(float("nan")), []))
def break_at_a_jump_in_try(x, log):
    y = x * 2
    try:
        if y.sum():
            log.append("true")
        else:
            log.append("false")
    except ValueError as error:
        log.append(str(error))
        return y.add(log[0] == "ambiguous")
    return y


@case(lambda: (T(1.0),), lambda: (T(float("nan")),))
def break_at_a_condition_that_raises(x):
    y = x * 2
    while not y:
        y = y + 1
    return y - 1 if y else y


@case(lambda: (T(1.0),))
def break_in_a_context(x):
    with torch.no_grad():
        y = x * 2
        say(y)
        y = y + 1
    return y + x


@case(lambda: (T(1.0), Pair(1, 2), {5}))
def break_with_containers(x, pair, seen):
    seen.add(6)
    made = Pair(x * 2, pair)
    add = partial(scaled, x)
    say(len(seen))
    return add(made.right.left), made, seen
