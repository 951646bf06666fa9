"""Hierarchies of classes whose members are implemented in random ways.

Each class is called with a tensor and a number. Its objects have the attributes ``n``, ``k`` (numbers) and ``t`` (the
tensor), the methods ``calc`` (numbers), ``apply`` (tensors) and ``label`` (text), and some of the special methods.
"""

from __future__ import annotations

from pybind.tests.dynamo.fuzz.expressions import fill
from pybind.tests.dynamo.fuzz.scope import Kind, Scope

#: Ways in which classes come from each other, by the positions of the bases.
HIERARCHIES: tuple[tuple[tuple[int, ...], ...], ...] = (
    ((),),
    ((), (0,)),
    ((), (0,), (1,)),
    ((), (0,), (0,), (1, 2)),
    ((), (), (0, 1)),
    ((), (0,), (), (1, 2)),
)

#: Constructors. Those of derived classes call the next one.
FIRST_INIT = (
    "def __init__(self, t, n=0):\n    self.t = t\n    self.n = n",
    "def __init__(self, t=None, n=0):\n    self.n, self.t = n, t\n    super().__init__()",
    "def __init__(self, t, n=0, *rest, **more):\n    self.t = t\n    self.n = n + len(rest)"
    "\n    vars(self).update(more)",
)
#: Constructors of classes that no other comes from.
ONLY_INIT = (
    "def __new__(cls, t, n=0):\n    made = super().__new__(cls)\n    made.t = t\n    made.n = n\n    return made",
    "def __new__(cls, *args, **kwargs):\n    print('new', len(args))\n    return super().__new__(cls)\n\n"
    "def __init__(self, t, n=0):\n    self.t, self.n = t, n + 1",
)
NEXT_INIT = (
    "def __init__(self, t, n=0):\n    super().__init__(t, n + $small)",
    "def __init__(self, *args, **kwargs):\n    super().__init__(*args, **kwargs)\n    self.extra = [self.n]",
    "def __init__(self, t, n=0):\n    self.before = n\n    super(type(self).__mro__[-2], self).__init__()\n"
    "    self.t = t\n    self.n = n",
    "def __init__(self, t, n=0):\n    super().__init__(t, n)\n    self.n += 1",
)
#: The class attribute, property, descriptor, … behind ``k``.
K = (
    "k = ⟨$small -3⟩",
    "@property\ndef k(self):\n    return self.n + $small",
    "@functools.cached_property\ndef k(self):\n    print('once')\n    return self.n * 2",
    "k = Doubled('n')",
    "k = Clipped(⟨5 8⟩)",
    "def __getattr__(self, name):\n    if name != 'k':\n        raise AttributeError(name)"
    "\n    return len(name) + $small",
    "k = property(lambda self: $small - self.n)",
    "@property\ndef k(self):\n    return vars(self).get('_k', $small)\n\n@k.setter\ndef k(self, value):\n"
    "    self._k = value % 13\n\n@k.deleter\ndef k(self):\n    self._k = 0",
    "k = -1\n\ndef __setattr__(self, name, value):\n    if name == 'k':\n        value = value % 7\n"
    "    super().__setattr__(name, value)",
    "k = 2\n\ndef __getattribute__(self, name):\n    if name == 'k':\n        return $small\n"
    "    return object.__getattribute__(self, name)",
    "k = Registered()",
)
CALC = (
    "def calc(self, i, by=1):\n    return (self.n * i + by) % 101",
    "def calc(self, i, by=1):\n    self.n = (self.n + i * by) % 31\n    return self.n",
    "@staticmethod\ndef calc(i, by=1):\n    return (i - by) % 17",
    "@classmethod\ndef calc(cls, i, by=2):\n    return (i * by + len(cls.__name__)) % 19",
    "@traced\ndef calc(self, i, *, by=1):\n    return (i + by + self.n) % 23",
    "def calc(self, i, by=$small):\n    return sum(i - j for j in range(by)) + self.n",
    "calc = functools.partialmethod(lambda self, by, i: (self.n + by + i) % 29, ⟨1 2⟩)",
    "def calc(self, i, by=1, **more):\n    try:\n        return self.n % i\n    except ZeroDivisionError:\n"
    "        return by\n    finally:\n        self.n = (self.n + 1) % 9",
)
NEXT_CALC = (
    "def calc(self, i, *args, **kwargs):\n    return super().calc(i + 1, *args, **kwargs) - $small",
    "def calc(self, i):\n    found = super().calc\n    return found(i) + found(i=$small)",
    "def calc(self, i, by=1):\n    return max(super().calc(i), by)",
)
APPLY = (
    "def apply(self, x):\n    return x * self.n + 1",
    "def apply(self, x):\n    return x + self.t.sum() * self.k",
    "def apply(self, x):\n    self.t = self.t ⟨+ *⟩ 2\n    return x - self.n",
    "def apply(self, x, scale=0.5):\n    def inner(y):\n        return y * scale + self.n\n    return inner(x)",
    "def apply(self, x):\n    self.seen = x\n    return self.seen.relu()",
    "@staticmethod\ndef apply(x):\n    return x.cos()",
    "@classmethod\ndef apply(cls, x):\n    cls.calls = getattr(cls, 'calls', 0) + 1\n    return x + cls.calls % 5",
)
NEXT_APPLY = (
    "def apply(self, x):\n    return super().apply(x) ⟨+ * -⟩ ⟨2 self.n⟩",
    "def apply(self, x):\n    return super().apply(super().apply(x))",
)
LABEL = (
    "def label(self):\n    return f'{type(self).__name__}:{self.n}'",
    "def label(self):\n    return f'{self}|{self.k:>3}'",
    "def label(self):\n    return '%s/%r' % (self.__class__.__qualname__, self.n)",
    "@property\ndef label(self):\n    return lambda: 'p' * (self.n % 3)",
    "def label(self):\n    return ','.join(sorted(name for name in vars(self)))",
)
NEXT_LABEL = ("def label(self):\n    return '<' + super().label() + '>'",)
#: Special methods, in alternatives.
SPECIAL: tuple[tuple[str, ...], ...] = (
    (
        "def __add__(self, other):\n    return self.n + other",
        "def __add__(self, other):\n    if not isinstance(other, int):\n        return NotImplemented\n"
        "    return self.n + other",
        "def __add__(self, other):\n    return type(self)(self.t, (self.n + int(other)) % 50).n",
    ),
    ("def __radd__(self, other):\n    return other - self.n", "__radd__ = lambda self, other: 2 * other"),
    (
        "def __iadd__(self, other):\n    self.n = (self.n + other) % 40\n    return self",
        "def __iadd__(self, other):\n    return type(self)(self.t, (self.n + other) % 40)",
    ),
    (
        "def __mul__(self, other):\n    return other * 2 + self.n",
        "def __mul__(self, other):\n    return NotImplemented",
    ),
    ("def __rmul__(self, other):\n    return other * 3 - self.n",),
    ("def __matmul__(self, other):\n    return self.n - len(other.label())",),
    ("def __neg__(self):\n    return -self.n", "def __neg__(self):\n    return type(self)(self.t, -self.n).n"),
    ("def __invert__(self):\n    return ~self.n",),
    (
        "def __eq__(self, other):\n    return isinstance(other, type(self)) and self.n == other.n\n\n"
        "def __hash__(self):\n    return hash(self.n)",
        "def __eq__(self, other):\n    if not hasattr(other, 'n'):\n        return NotImplemented\n"
        "    return self.n % 2 == other.n % 2\n\n__hash__ = None",
        "def __eq__(self, other):\n    return self is other\n\ndef __ne__(self, other):\n    return True\n\n"
        "def __hash__(self):\n    return 3",
    ),
    (
        "def __lt__(self, other):\n    return self.n < getattr(other, 'n', other)",
        "def __lt__(self, other):\n    return NotImplemented\n\ndef __gt__(self, other):\n    return self.n > 2",
    ),
    ("def __le__(self, other):\n    return self.n <= getattr(other, 'n', other)",),
    ("def __len__(self):\n    return abs(self.n) % 5", "def __len__(self):\n    return self.n"),
    ("def __bool__(self):\n    return self.n > 0", "def __bool__(self):\n    print('asked')\n    return not self.n"),
    ("def __contains__(self, item):\n    return item == self.n", "def __contains__(self, item):\n    return item"),
    (
        "def __getitem__(self, at):\n    if not isinstance(at, int):\n        return self.n\n"
        "    if at > 3:\n        raise IndexError(at)\n    return self.n - at",
        "def __getitem__(self, at):\n    return vars(self)['n'] if at else self.k",
    ),
    ("def __setitem__(self, at, value):\n    self.n = (value + at) % 21",),
    ("def __delitem__(self, at):\n    self.n = at % 7",),
    (
        "def __iter__(self):\n    return iter([self.n, self.k])",
        "def __iter__(self):\n    for i in range(3):\n        yield i * self.n",
        "def __iter__(self):\n    yield from (self.n, 4)\n    self.n = (self.n + 1) % 8",
        "def __iter__(self):\n    self.at = 0\n    return self\n\ndef __next__(self):\n    self.at += 1\n"
        "    if self.at > 3:\n        raise StopIteration\n    return self.at * 2",
    ),
    ("def __reversed__(self):\n    return iter([1, self.n])",),
    (
        "def __call__(self, i, by=1):\n    return (i + self.n * by) % 37",
        "def __call__(self, *args):\n    return len(args)",
    ),
    ("def __format__(self, spec):\n    return format(self.n, spec or '>4')",),
    ("def __str__(self):\n    return f's{self.n}'", "def __str__(self):\n    return self.__class__.__name__"),
    ("def __repr__(self):\n    return f'{type(self).__name__}({self.n!r})'",),
    (
        "def __enter__(self):\n    self.n = (self.n + 1) % 9\n    return self\n\n"
        "def __exit__(self, kind, error, trace):\n    self.n = len(str(error)) % 6\n    return kind is KeyError",
        "def __enter__(self):\n    return self.n\n\ndef __exit__(self, *rest):\n    print([r is None for r in rest])",
    ),
    ("def __int__(self):\n    return self.n + 1",),
    ("def __index__(self):\n    return abs(self.n) % 3",),
    ("def __float__(self):\n    return self.n / 2",),
    ("def __abs__(self):\n    return abs(self.n) + 1",),
    ("def __delattr__(self, name):\n    super().__delattr__(name)\n    print('deleted', name)",),
    (
        "def __init_subclass__(cls, **kwargs):\n    super().__init_subclass__(**kwargs)"
        "\n    cls.named = cls.__name__.lower()",
    ),
    ("def __copy__(self):\n    return type(self)(self.t, self.n)",),
    ("def __dir__(self):\n    return ['n', 'k']",),
    ("def __round__(self, digits=0):\n    return self.n + digits",),
    ("def __divmod__(self, other):\n    return self.n, other",),
    ("def __pow__(self, other, mod=None):\n    return self.n * other if mod is None else mod",),
    ("def __class_getitem__(cls, item):\n    return f'{cls.__name__}[{item}]'",),
    ("def __sizeof__(self):\n    return 8",),
    ("def __instancecheck__(self, other):\n    return True",),
)
#: Members by whether a base has one, and what calls the base's.
MEMBERS = ((K, ()), (CALC, NEXT_CALC), (APPLY, NEXT_APPLY), (LABEL, NEXT_LABEL))


def write_classes(scope: Scope) -> list[str]:
    """A hierarchy of classes at the program's top; gives the names that can be called."""
    bases_of = scope.rng.choice(HIERARCHIES)
    names = [scope.fresh("K") for _ in bases_of]
    slots = len(bases_of) == 1 and scope.chance(0.25)
    ordered = scope.chance(0.1)
    for name, bases in zip(names, bases_of):
        root = not bases
        if ordered and root:
            scope.line("@functools.total_ordering")
        listed = ", ".join(names[base] for base in reversed(bases))
        scope.line(f"class {name}({listed}):" if listed else f"class {name}:")
        scope.indent += 1
        members = members_of(scope, name is names[0], bool(bases), slots, len(names) == 1)
        if ordered and root:
            members.append("def __lt__(self, other):\n    return self.n < other.n")
        for member in members or ["pass"]:
            for line in member.split("\n"):
                scope.line(line)
            scope.line("")
        scope.indent -= 1
        scope.line("")
    return [name for i, name in enumerate(names) if i in (0, len(names) - 1) or bases_of[i]]


def members_of(scope: Scope, first: bool, derived: bool, slots: bool, alone: bool) -> list[str]:
    """The texts of a class's members."""
    pick = scope.rng.choice
    chosen = ["__slots__ = ('n', 't', '_k')"] if slots and scope.chance(0.7) else []
    chosen += ["__slots__ = ('n', 't', '__dict__')"] if slots and not chosen else []
    if first:
        chosen.append(pick(FIRST_INIT[: 2 if slots else None] + (ONLY_INIT if alone else ())))
    elif derived and scope.chance(0.3):
        chosen.append(pick(NEXT_INIT))
    for own, next_one in MEMBERS:
        if first:
            chosen.append(pick(own))
        elif scope.chance(0.4):
            chosen.append(pick(next_one if derived and next_one and scope.chance(0.8) else own))
    for alternatives in SPECIAL:
        if scope.chance(0.4 if first else 0.08):
            chosen.append(pick(alternatives))
    return [fill(scope, member, Kind("int")) for member in chosen]
