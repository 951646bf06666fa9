"""Generators: sent to, thrown into, closed, delegated to, and alive when something else happens."""

from __future__ import annotations

from pybind.tests.dynamo.fuzz.rows import Row, Theme

GENERATORS = Theme(
    kinds={"gen": 1.2},
    literals={"gen": "iter($ints)"},
    definitions="""\
def running(start, most=5):
    total = start
    for _ in range(most):
        got = yield total
        if got is not None:
            total = (total + got) % 90
        else:
            total += 1
    return total


def careful(values, notes):
    try:
        for value in values:
            try:
                yield value
            except ValueError as error:
                yield len(error.args) + 50
    except KeyError:
        notes.append(7) if len(notes) < 8 else None
        yield -1
    finally:
        notes.append(8) if len(notes) < 8 else None


def delegating(values, notes):
    got = yield from careful(values, notes)
    print("got", got)
    try:
        result = yield from running(len(notes), 2)
    except GeneratorExit:
        print("closed")
        raise
    yield result


def stubborn():
    while True:
        try:
            yield 1
        except ValueError:
            return 5


def scaled(x, times):
    for i in range(times):
        x = x * 2 + i
        yield x


def averaging():
    total, count = None, 0
    while True:
        x = yield total
        count += 1
        total = x if total is None else (total * (count - 1) + x) / count


class Steps:
    def __init__(self, most):
        self.most = most
        self.at = 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.at >= self.most:
            raise StopIteration(self.at)
        self.at += 1
        return self.at


def result_of(generator):
    try:
        while True:
            next(generator)
    except StopIteration as stop:
        return stop.value
""",
    expressions={
        "gen": (
            Row("generator", 2, "running($int⟨,2 ,$small ,most=3⟩)"),
            Row("careful generator", 1.5, "careful($ints, @ints)"),
            Row("delegating generator", 1, "delegating($ints, @ints)"),
            Row("stubborn generator", 0.4, "itertools.islice(stubborn(), 4)"),
            Row("iterator object", 1, "Steps($small)"),
            Row("generator expression", 1.5, "(q + $int for q in $ints if q != $int)"),
            Row("generator expression late", 1, "(q * k for k in range(2) for q in @ints)"),
            Row("iterator of list", 1, "iter(@ints)"),
            Row("map iterator", 0.7, "map(lambda q: q + $int, @ints)"),
            Row("zip iterator", 0.4, "map(sum, zip(@ints, $ints))"),
            Row("filter iterator", 0.4, "filter(lambda q: q > $int, @ints)"),
            Row("islice iterator", 0.4, "itertools.islice(itertools.count($int, $small), $small)"),
            Row("chain iterator", 0.5, "itertools.chain(@gen, $ints)"),
            Row("reversed iterator", 0.4, "reversed(@ints)"),
            Row("call iterator", 0.3, "iter(⟨Steps(3).__next__ functools.partial(next,iter([1,2,3]))⟩, $small)"),
        ),
        "int": (
            Row("next of generator", 3, "next(@gen, $int)"),
            Row("next may fail", 0.2, "next(@gen)"),
            Row("sum of generator", 1, "sum(itertools.islice(@gen, $small))"),
            Row("result of generator", 0.7, "(result_of(running($int)) or 0)"),
            Row("generator any", 0.4, "int(any(q > $int for q in itertools.islice(@gen, 3)))"),
            Row("length hint", 0.2, "operator.length_hint(@gen, 3)"),
        ),
        "bool": (
            Row("in generator", 0.7, "($int in @gen)"),
            Row("generator all", 0.4, "all(q for q in @gen)"),
            Row("generator is iterator", 0.3, "(iter(@gen) is @gen)"),
        ),
        "ints": (
            Row("list of generator", 1.5, "list(itertools.islice(@gen, 4))"),
            Row("unpacked generator", 0.5, "[*itertools.islice(@gen, 3)]"),
            Row("late binding", 0.7, "[f() for f in [lambda: q for q in $ints]]"),
            Row("early binding", 0.5, "[f() for f in [lambda q=q: q for q in $ints]]"),
            Row("generator of generators", 0.5, "[q for g in (running(j, 2) for j in $ints[:3]) for q in g]"),
            Row("pairwise", 0.4, "[p - q for p, q in itertools.pairwise($ints)]"),
            Row(
                "product",
                0.4,
                "[p * q for p, q in itertools.⟨product combinations permutations⟩(⟨$ints,[1,2] $ints,2⟩)][:6]",
            ),
            Row("repeat", 0.3, "list(itertools.repeat($int, $small))"),
            Row("starmap", 0.4, "list(itertools.starmap(⟨pow max operator.sub⟩, [(1, $small), ($int, 2)]))"),
            Row("chain from iterable", 0.4, "list(itertools.chain.from_iterable([$ints, @gen]))[:6]"),
            Row("zip of generator", 0.5, "[p + q for p, q in zip(@gen, $ints)]"),
            Row("zip generator with itself", 0.3, "[p - q for p, q in zip(@gen, @gen)][:5]"),
            Row("accumulate", 0.4, "list(itertools.accumulate($ints, ⟨max operator.mul⟩, initial=$int))"),
        ),
        "tensor": (
            Row("tensors of generator", 1, "list(scaled($same, ⟨1 2 3⟩))[-1]"),
            Row("next of tensors", 0.7, "next(scaled($same, 2))"),
            Row("sum of tensors", 0.5, "sum(scaled($same, 2))"),
        ),
    },
    statements=(
        Row("send", 1, "§g = running($int)\nnext(§g)\n→int = §g.send(⟨$int None⟩)\n→gen = §g"),
        Row("send first", 0.3, "try:\n    running($int).send($int)\nexcept TypeError as §e:\n    print(§e)"),
        Row(
            "send to end",
            0.5,
            """\
§g = running($int, 1)
next(§g)
try:
    §g.send($int)
except StopIteration as §e:
    print(§e.value, §e.args)""",
        ),
        Row(
            "throw",
            0.8,
            """\
§g = careful($ints, @ints)
print(next(§g, 0))
try:
    print(§g.throw(⟨ValueError(1) ValueError KeyError Odd⟩))
except Exception as §e:
    print(type(§e).__name__, §e.args)
→gen = §g""",
        ),
        Row(
            "throw before start",
            0.3,
            """\
§g = careful($ints, @ints)
try:
    §g.throw(ValueError(2))
except ValueError as §e:
    print(§e, list(§g))""",
        ),
        Row(
            "throw into delegating",
            0.5,
            """\
§g = delegating($ints, @ints)
print(next(§g))
print(§g.throw(⟨ValueError(1,2) KeyError⟩))
print(list(itertools.islice(§g, 3)))""",
        ),
        Row(
            "close",
            0.8,
            """\
§g = ⟨careful delegating⟩($ints, @ints)
print(next(§g, 0))
…
§g.close()
print(next(§g, 'end'), §g.close())""",
        ),
        Row("close early", 0.3, "§g = careful($ints, @ints)\n§g.close()\nprint(list(§g))"),
        Row(
            "close stubborn",
            0.3,
            """\
§g = stubborn()
next(§g)
try:
    print(§g.throw(ValueError))
except StopIteration as §e:
    print(§e.value)""",
        ),
        Row("close of gen", 0.3, "@gen.close()"),
        Row("for with break", 1, "for §i in @gen:\n    if §i > $int:\n        break\n    …"),
        Row("for generator", 1, "for →int in itertools.islice(@gen, 3):\n    …"),
        Row("for else generator", 0.4, "for §i in running($int, 3):\n    if $bool:\n        break\nelse:\n    …"),
        Row(
            "for tensors",
            1,
            """\
for §t in scaled($any, ⟨1 2⟩):
    …""",
        ),
        Row(
            "local generator",
            1,
            "def §f(most):\n    for §i in range(most):\n        …\n        yield §i + $int\n→gen = §f($small)",
        ),
        Row(
            "local generator nonlocal",
            0.7,
            """\
§n = $int
def §f():
    nonlocal §n
    §n += 1
    yield §n
    §n += 10
    yield §n
print(next(§f()), §n, list(§f()), §n)""",
        ),
        Row("generator sees changes", 0.7, "§k = $int\n→gen = (§k + q for q in $ints)\n§k = $int\nprint(§k)"),
        Row(
            "averaging",
            0.5,
            """\
§a = averaging()
next(§a)
for §t in [$same, $same]:
    §r = §a.send(§t)
print(tuple(§r.shape))
§a.close()""",
        ),
        Row("unpack generator", 0.5, "→int, *→ints = running($int, 4)"),
        Row(
            "yield from value",
            0.4,
            "def §f():\n    §r = yield from running($int, 2)\n    yield §r * 100\nprint(list(§f()))",
        ),
        Row(
            "generator stops",
            0.4,
            """\
def §f():
    yield 1
    raise StopIteration(2)
try:
    print(list(§f()))
except RuntimeError as §e:
    print(§e, repr(§e.__cause__))""",
        ),
        Row(
            "generator raises",
            0.4,
            """\
def §f():
    yield 1
    raise KeyError($int)
§g = §f()
print(next(§g))
try:
    next(§g)
except KeyError as §e:
    print(§e.args, next(§g, 'end'))""",
        ),
        Row(
            "generator in handler",
            0.4,
            """\
def §f():
    try:
        yield 1
    except ValueError:
        yield 2
    finally:
        print('final')
§g = §f()
next(§g)
§h = §g.throw(ValueError)
…
print(§h)
del §g""",
        ),
        Row(
            "graph break in generator",
            0.3,
            """\
def §f(t):
    yield t + 1
    torch._dynamo.graph_break()
    yield t * 2
for §t in §f($same):
    print(tuple(§t.shape))""",
        ),
        Row(
            "generator with",
            0.3,
            """\
def §f():
    with torch.no_grad():
        yield torch.is_grad_enabled()
    yield torch.is_grad_enabled()
§g = §f()
print(next(§g), torch.is_grad_enabled(), next(§g), torch.is_grad_enabled())""",
        ),
    ),
)
