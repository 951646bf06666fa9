"""Statements around builtin types: changes in place, unpacking, patterns, closures; and changes of globals."""

from __future__ import annotations

from pybind.tests.dynamo.fuzz.rows import Row

IDIOMS: tuple[Row, ...] = (
    Row(
        "deque changes",
        1,
        "@queue.⟨append($int) appendleft($int) rotate($int) extend($ints) extendleft($ints) clear() reverse()⟩",
    ),
    Row("deque store", 0.4, "@queue[⟨0 -1⟩] = $int"),
    Row("slice assigned", 0.8, "@ints[⟨1:2 :0 -1: ::2 5: :⟩] = ($ints)[:2]"),
    Row("slice deleted", 0.4, "del @ints[⟨::2 :1 -1: 1:9⟩]"),
    Row(
        "list in place",
        0.5,
        """\
§l = @ints
§l += ⟨[$int] (1,)⟩
del §l[6:]
print(§l is @ints)""",
    ),
    Row("list repeated", 0.4, "§l = [$int]\n§m = §l\n§l *= ⟨2 0 3⟩\nprint(§l, §m is §l)"),
    Row("sorted in place", 0.5, "@ints.sort(key=⟨abs str operator.neg⟩, reverse=$bool)"),
    Row("dict popitem", 0.4, "if @table:\n    print(@table.popitem())"),
    Row("dict in place", 0.5, "§d = @table\n§d |= {'c': $int % 9}\nprint(list(§d))"),
    Row(
        "dict while iterating",
        0.3,
        "try:\n    for §k in @table:\n        @table[§k + 'x'] = 1\nexcept RuntimeError as §e:\n    print(§e)",
    ),
    Row("list while iterating", 0.3, "for §i in @ints:\n    if len(@ints) < 6:\n        @ints.append(§i)"),
    Row("dict order", 0.4, "§v = @table.pop('a', 0)\n@table['a'] = §v\nprint(list(@table))"),
    Row(
        "ordered dict moved",
        0.5,
        """\
§d = collections.OrderedDict(@table)
§d.move_to_end(next(iter(§d)), last=$bool) if §d else None
print(list(§d), §d == @table)""",
    ),
    Row(
        "default dict",
        0.5,
        """\
§d = collections.defaultdict(list)
for §i in $ints:
    §d[§i % 2].append(§i)
print(dict(§d), 5 in §d)""",
    ),
    Row(
        "counter changes",
        0.5,
        """\
§c = collections.Counter($ints)
§c.update(⟨$ints {1:2}⟩)
§c.subtract([$int])
print(sorted(§c.items()))""",
    ),
    Row("set in place", 0.5, "§s = @set\n§s ⟨|= &= -= ^=⟩ {$int, 1}\nprint(sorted(§s), §s is @set)"),
    Row("set changes", 0.4, "@set.⟨update($ints) difference_update($ints) add($int)⟩"),
    Row(
        "del name",
        0.4,
        "§x = $int\ndel §x\ntry:\n    print(§x)\nexcept ⟨UnboundLocalError NameError⟩ as §e:\n    print(§e)",
    ),
    Row(
        "match sequence",
        0.7,
        """\
match $ints:
    case []:
        …
    case [→int, *→ints] if $bool:
        …
    case (0 | 1) as §a, *_:
        print(§a)
    case _:
        …""",
    ),
    Row(
        "match mapping",
        0.7,
        """\
match @table:
    case {'a': 1 | 2 as §a, **§r}:
        print(§a, §r)
    case {'b': int(§b)}:
        print(§b)
    case {}:
        …""",
    ),
    Row(
        "match text",
        0.5,
        "match $str:\n    case 'a' | 'b':\n        …\n    case str(§s) if len(§s) > 2:\n        print(§s)",
    ),
    Row(
        "match nested",
        0.4,
        """\
match ($int, [$int, $str]):
    case (0, [§q, _]) | (_, [§q, 'a']):
        …
    case (_, [_, str()]):
        …""",
    ),
    Row("print keywords", 0.7, "print($int, $str, sep=⟨'-' None ''⟩, end=⟨'!' None⟩)"),
    Row("print to text", 0.5, "§o = io.StringIO()\nprint($int, $str, file=§o)\nprint(repr(§o.getvalue()))"),
    Row("chained assignment", 0.4, "§a = @ints\n§a[0:1] = §b = [$int]\nprint(§a, §b)"),
    Row("swap items", 0.5, "if len(@ints) > 1:\n    @ints[0], @ints[-1] = @ints[-1], @ints[0]"),
    Row("starred", 0.5, "§a, *§b, §c = [$int, *$ints, 4]\nprint(§a, §b, §c)"),
    Row("nested unpacking", 0.4, "(§a, [§b, *§c]), §d = ($int, $ints + [1]), $str\nprint(§a, §b, §c, §d)"),
    Row("global total", 0.5, "add_to_total($int)"),
    Row("cache info", 0.3, "cached($int)\nprint(cached.cache_info().currsize > 0)\ncached.cache_clear()"),
    Row(
        "local cache",
        0.3,
        """\
@functools.lru_cache
def §f(q):
    print('computed', q)
    return q + 1
print(§f($small), §f($small), §f(1))""",
    ),
    Row(
        "cell shared",
        0.6,
        """\
§x = $int
def §f():
    nonlocal §x
    §x += 1
    return §x
def §g():
    return §x
print(§f(), §g(), §x)
§x = $int
print(§g(), §f())""",
    ),
    Row(
        "closures in loop",
        0.6,
        """\
§l = []
for §i in range(3):
    def §f(by=§i):
        return by + §i
    §l.append(§f)
print([f() for f in §l])""",
    ),
    Row(
        "function attribute",
        0.4,
        "def §f():\n    §f.calls += 1\n    return §f.calls\n§f.calls = $int\nprint(§f(), §f.calls)",
    ),
    Row(
        "star arguments",
        0.6,
        """\
def §f(a, *b, c=1, **d):
    return a, b, c, sorted(d.items())
print(§f($int, *$ints, c=$int, **@table) if 'c' not in @table and 'a' not in @table else 0, §f(*[1, 2], **{'x': 1}))""",
    ),
    Row(
        "namespace",
        0.5,
        "§n = types.SimpleNamespace(a=$int, t=$any)\n§n.a += 1\n§n.b = [§n.a]\nprint(§n.a, §n.b, §n == §n)",
    ),
    Row(
        "identity of copies",
        0.4,
        "§l = [$ints, $ints]\n§m = copy.⟨copy deepcopy⟩(§l)\nprint(§m == §l, §m[0] is §l[0], §m is §l)",
    ),
    Row("deep copy shared", 0.4, "§l = @ints\n§a, §b = copy.deepcopy((§l, §l))\nprint(§a is §b, §a is §l)"),
    Row("format in print", 0.3, "print(f'{@int:>5}|{@float:.2f}|{@str!r}')"),
    Row(
        "assert message",
        0.2,
        "try:\n    assert @int > $int, f'{@int}'\nexcept AssertionError as §e:\n    print(§e)",
    ),
    Row("exec", 0.1, "exec('pass')"),
    Row(
        "import",
        0.3,
        """\
import math as §m
print(§m.floor(2.5))""",
    ),
    Row(
        "while else",
        0.4,
        """\
§i = 0
while §i < 3:
    §i += 1
    if §i == $small:
        break
else:
    …""",
    ),
    Row("loop variable after", 0.4, "for §i in range(2):\n    pass\nprint(§i)"),
    Row("iterator shared", 0.4, "§i = iter(@ints)\nfor §a in §i:\n    print(§a, next(§i, None))"),
    Row("lambda default", 0.3, "→int = (lambda a, *b, c=$int, **d: a + len(b) + c + len(d))($int, 1, e=2)"),
)

#: Changes of globals and functions between calls.
CHANGES: tuple[Row, ...] = (
    Row("global int", 1.5, "globals()['g_int'] = $int"),
    Row("global list", 1, "g_ints.append($small)"),
    Row("global table", 1, "g_table[⟨'a' 'new'⟩] = $int"),
    Row("global text", 0.7, "globals()['g_str'] = $str"),
    Row("global tensor", 0.7, "g_tensor.add_(1)"),
    Row("global tensor replaced", 0.5, "globals()['g_tensor'] = torch.ones(3) * 2"),
    Row("function code", 0.5, "advanced.__wrapped__.__code__ = (lambda a, by=1: a - by).__code__"),
    Row("function default", 0.5, "mutable_default.__defaults__ = ([$small],)"),
    Row("function replaced", 0.5, "globals()['cached'] = lambda a, b=1: a - b"),
    Row("function attribute", 0.4, "advanced.times = $small"),
    Row("keyword default", 0.4, "variadic.__kwdefaults__ = {'d': $small}"),
)
