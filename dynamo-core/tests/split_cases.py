"""Functions that `split_code.py` splits, with the arguments on which they run.

Each leaves a trail with `say`, so that what is done twice, or not at all, or in another order is seen.
"""

# ruff: noqa
# mypy: ignore-errors

from __future__ import annotations

import contextlib

from cases import LOG, Cases, note as say

CASES = Cases()
case = CASES.case


class Boom(Exception):
    pass


class Point:
    __match_args__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y

    def plus(self, other, *, scale=1):
        return Point(self.x + other.x * scale, self.y + other.y * scale)

    def __repr__(self):
        return f"Point({self.x}, {self.y})"


class Noisy:
    """Tells when it goes."""

    def __init__(self, name):
        self.name = name

    def __del__(self):
        LOG.append(f"del {self.name}")


class Guard:
    def __init__(self, swallow=False):
        self.swallow = swallow

    def __enter__(self):
        say("enter")
        return self

    def __exit__(self, kind, value, traceback):
        say(("exit", kind and kind.__name__, str(value)))
        return self.swallow


def fail_at(value, limit):
    if value >= limit:
        raise Boom(value)
    return value


@case(lambda: (1, 2), lambda: (1, "x"))
def straight(a, b):
    c = say(a) + 1
    d = say(b) + c
    return c * d


@case(lambda: ([1, 2, 3],), lambda: ([],), lambda: ([1, "x"],))
def loop(values):
    total = 0
    for value in values:
        total += say(value)
    return total


@case(lambda: (3,), lambda: (0,), lambda: (7,))
def while_else(n):
    steps = []
    while n:
        n -= 1
        if n == 5:
            break
        steps.append(say(n))
    else:
        steps.append(say("else"))
    return steps, n


@case(lambda: ([[1, 2], [3], []],))
def nested_loops(rows):
    out = []
    for i, row in enumerate(rows):
        for value in row:
            if value == 3:
                continue
            out.append((i, say(value)))
    return out


@case(lambda: (1, 2, 3))
def deep_stack(a, b, c):
    return say(say(a) + say(b) * say(say(c) - say(a) * say(b))) - (say(a), [say(b), {say(c): say(a)}])[0]


@case(lambda: (2, 5), lambda: (2, 0))
def nested_calls(a, b):
    return max(say(a), min(say(b), abs(say(-a))), key=lambda v: -v if b else v)


@case(lambda: (Point(1, 2), Point(3, 4)), lambda: (Point(1, 2), None))
def methods(p, q):
    return repr(p.plus(say(q).plus(say(p), scale=say(2))).plus(other=q))


@case(lambda: (Point(1, 2), Point(3, 4)))
def attribute_as_function(p, q):
    p.pick = max
    return p.pick(say(1), p.plus(say(q)).x, say(2))


@case(lambda: ([1, 2, 3],), lambda: ([],), lambda: ("ab",))
def comprehension(values):
    return [say(v) for v in values if say(v) != 2]


@case(lambda: ([3, 1],))
def comprehensions(values):
    x = say("outer")
    pairs = [(x, y) for x in values for y in range(say(x))]
    table = {k: say(v) for k, v in pairs}
    return pairs, table, {say(x) for x in values}, x


@case(lambda: ([3, 1], True), lambda: ([3, 1], False))
def comprehension_over_unbound(values, flag):
    if flag:
        x = say("outer")
    squares = [say(x) * x for x in values]
    try:
        return squares, x
    except UnboundLocalError as error:
        return squares, str(error)


@case(lambda: ([3, 1],))
def comprehension_with_cells(values):
    makers = [lambda: say(v) + len(values) for v in values]
    return [make() for make in makers]


@case(lambda: ([3, 1],))
def comprehension_cell_shadows(values):
    v = say("outer")
    makers = [lambda: say(v) for v in values]

    def outer():
        return v

    say(outer())
    v = "changed"
    return [make() for make in makers], outer(), v


@case(lambda: (0, 2), lambda: (2, 2), lambda: (3, 2))
def try_except(value, limit):
    done = []
    try:
        done.append(say(fail_at(value, limit)))
        done.append(say("fine"))
    except Boom as error:
        done.append(say(str(error)))
    else:
        done.append(say("else"))
    finally:
        done.append(say("finally"))
    return done


@case(lambda: (0,), lambda: (5,))
def try_finally_raises(value):
    try:
        say("before")
        fail_at(value, 3)
        say("after")
    finally:
        say("cleanup")
    return say("end")


@case(lambda: (0,), lambda: (5,))
def try_in_loop(limit):
    out = []
    for i in range(4):
        try:
            if i == 1:
                continue
            out.append(say(fail_at(i, limit)))
            if i == 3:
                break
        except Boom:
            out.append(say("boom"))
            if i == 2:
                return out
        finally:
            out.append(say("finally"))
    return out, i


@case(lambda: (False, 9), lambda: (True, 0), lambda: (False, 0))
def with_block(swallow, limit):
    out = [say("start")]
    with Guard(swallow) as guard:
        out.append(say(guard.swallow))
        out.append(say(fail_at(1, limit)))
    out.append(say("end"))
    return out


@case(lambda: (9,), lambda: (1,))
def with_two(limit):
    with Guard() as one, contextlib.suppress(Boom):
        for i in range(3):
            say(fail_at(i, limit))
        return say("inside"), one.swallow
    return say("suppressed")


@case(lambda: (9,), lambda: (1,))
def with_in_try(limit):
    try:
        with Guard():
            say(fail_at(say(1), limit))
    except Boom as error:
        return say(str(error))
    return say("fine")


@case(lambda: (1,))
def closure_written_later(start):
    count = say(start)

    def step(by):
        nonlocal count
        count += by
        return say(count)

    step(2)
    count *= 10
    step(3)
    late = lambda: (count, start)
    start = say("changed")
    return count, late()


@case(lambda: (1,))
def argument_in_cell(x):
    def get():
        return x

    first = say(get())
    x += 1
    return first, get(), x


def _free():
    hidden, other = 3, 4

    def uses_free(a):
        nonlocal hidden
        hidden += say(a)
        inner = lambda: hidden + other
        say(inner())
        hidden += 1
        return inner()

    return uses_free


case(lambda: (1,), lambda: ("x",))(_free())


@case(lambda: (1, 2, 3), lambda: (1,))
def star_args(a, *rest, key=4, **more):
    say(rest)
    more["a"] = say(a)
    return max(*rest, a, *[say(key)]), dict(more, **{"z": say(1)}), key


@case(lambda: (1, 2, 3))
def starred_unpacking(*values):
    first, *middle, last = say(values)
    (a, b), c = say(((first, last), middle))
    return [*middle, say(a), *values], b, c


@case(
    lambda: ({"op": "add", "x": 1},),
    lambda: ([1, 2],),
    lambda: (Point(0, 5),),
    lambda: ("text",),
    lambda: ([1, 2, 3],),
)
def match_statement(value):
    match say(value):
        case {"op": "add" | "sub" as op, **rest}:
            return op, say(rest)
        case [x, y] if say(x) == 1:
            return x, say(y)
        case [first, *others]:
            return say(first), others
        case Point(x=0, y=y):
            return say(y)
        case str():
            return say("string")
    return say("none")


@case(lambda: ([1, 5, 2],), lambda: ([],))
def walrus(values):
    if (n := len(say(values))) > 1:
        say(n)
    while (last := values.pop() if values else None) is not None:
        say(last)
    return n, last


@case(lambda: (1, 2, 3), lambda: (3, 2, 1), lambda: (1, "x", 2))
def chained_comparison(a, b, c):
    return say(a) < say(b) <= say(c) != say(a), say(a) is not say(b) in [say(c)]


@case(lambda: (1, 0), lambda: (0, 2), lambda: (0, 0))
def boolean_operators(a, b):
    c = say(a) or say(b) and say("both")
    if not (say(a) and say(b)) or c:
        return say("yes"), c
    return say("no") if a else say("neither")


@case(lambda: (3.14159, "x"))
def f_strings(number, text):
    return f"{say(text)!r:>6}|{say(number):.{say(3)}f}|{text}{say(number)=}"


@case(lambda: ({"a": [1, 2, 3]},), lambda: ({},))
def subscripts(table):
    table["a"][say(0)] += say(10)
    table["b"] = table["a"][say(1) :]
    del table["a"][say(0)]
    return table


@case(lambda: (True,), lambda: (False,))
def maybe_unbound(flag):
    if flag:
        x = say(1)
    say("here")
    say(x)
    del x
    say("gone")
    return x


@case(lambda: ())
def deleted_and_bound_again():
    x = say(1)
    del x
    for x in range(say(2)):
        say(x)
        del x
    x = say(5)
    return x


@case(lambda: (1,))
def many_locals(a):
    b, c, d, e, f, g, h = range(7)
    i, j, k, l, m, n, o = range(7)
    p, q, r, s, t, u, v = range(say(7))
    x = [say(a + i) for i in (b, q)]
    return a, b, c, d, say(e), f, g, h, i, j, k, l, m, say(n), o, p, q, r, s, t, u, say(v), x


@case(lambda: ())
def lifetimes():
    a = Noisy("a")
    say("made")
    del a
    say("dropped")
    b = Noisy("b")
    say(b.name)
    del b
    return say("end")


@case(lambda: ())
def lifetime_on_the_stack():
    return [say(Noisy("c").name), say("after")]


@case(lambda: (1,))
def global_effects(value):
    global COUNTER
    COUNTER = say(value)
    COUNTER += say(1)
    import math as m
    from math import floor, ceil

    return COUNTER, m.floor(say(1.5)), floor(say(2.5)), ceil(2.5)


@case(lambda: (1,), lambda: (0,))
def assertion(value):
    assert say(value), say("message")
    return value


@case(lambda: (3,))
def makes_a_class(value):
    class Made:
        size = say(value)

        def twice(self):
            return self.size * 2 + value

    return Made().twice(), say(Made.size)


class Base:
    def hello(self, value):
        return say(("base", value))


class Derived(Base):
    def hello(self, value):
        say("derived")
        first = super().hello(say(value))
        plain = super()
        return first, plain.hello([super().hello(v) for v in (say(1),)][0]), super(Derived, self).hello(3)

    def hello_in_cell(self, value):
        get = lambda: self
        say(value)
        return super().hello(say(value)), get() is self


case(lambda: (Derived(), 1))(Derived.hello)
case(lambda: (Derived(), 1))(Derived.hello_in_cell)


@case(lambda: (3,))
def defaults_and_annotations(value):
    def inner(a, b=say(value), *, c: say("annotation") = say(4)) -> int:
        return a, b, c

    return inner(say(1)), inner(1, c=say(2))


@case(lambda: ([1, 2, 3, 4],))
def generator_expression(values):
    total = sum(say(v) for v in values if v % 2)
    return total, sorted(values, key=lambda v: say(-v))


@case(lambda: (2,), lambda: (0,))
def raises_from(value):
    try:
        return 1 / say(value)
    except ZeroDivisionError as error:
        raise Boom("from") from error


@case(lambda: (4,))
def recursion(n):
    return 1 if say(n) <= 0 else n * recursion(n - 1)


@case(lambda: (None,), lambda: (3,))
def is_none(value):
    if value is None:
        value = say("default")
    return value if say(value) is not None else say("never")


@case(lambda: ())
def except_star():
    try:
        say("in")
        raise ExceptionGroup("group", [Boom(1), ValueError(2)])
    except* Boom as group:
        say(str(group))
    except* ValueError:
        say("value")
    return say("end")
