"""Random programs: a text, the parameters of its function ``main``, and which constructs are in it.

A seed gives the same program everywhere, and every program ends. Sets of constructs are tables with a row each, in
``expressions`` and ``statements``.
"""

from __future__ import annotations

from dataclasses import dataclass

from pybind.tests.dynamo.fuzz.scope import Kind, Scope, Variable, tensor
from pybind.tests.dynamo.fuzz.statements import body, returned, some_kind, write_function

#: What programs start with.
PRELUDE = """\
import collections
import contextlib
import functools
import itertools
import math
import operator

import torch

Dot = collections.namedtuple("Dot", "a b")


class Box:
    def __init__(self, value, count=0):
        self.value = value
        self.count = count

    @property
    def twice(self):
        return self.count * 2

    def bump(self, by=1):
        self.count += by % 13
        return self.count

    def reset(self):
        self.count = 0

    def scaled(self, factor):
        return self.value * factor

    def __add__(self, other):
        return self.value + other

    def __mul__(self, other):
        return self.value * other

    def __call__(self, other):
        return self.value - other

    def __len__(self):
        return abs(self.count) % 5

    def __getitem__(self, at):
        return self.count - at

    def __contains__(self, item):
        return item == self.count

    def __enter__(self):
        self.count += 1
        return self.count

    def __exit__(self, kind, error, trace):
        self.count -= 2


class Odd(ValueError):
    pass


@contextlib.contextmanager
def quietly(notes):
    with torch.no_grad():
        yield len(notes)
    if len(notes) < 8:
        notes.append(2)


@contextlib.contextmanager
def guarded(notes):
    try:
        yield len(notes)
    except KeyError as error:
        notes[:] = [len(error.args)]
    finally:
        if len(notes) < 8:
            notes.append(4)


class Noted:
    def __init__(self, notes):
        self.notes = notes

    def __enter__(self):
        if len(self.notes) < 8:
            self.notes.append(1)
        return self

    def __exit__(self, kind, error, trace):
        print("left", kind)
        return kind is ValueError


def counting(most):
    for i in range(most):
        yield i * 3


def walked(tree):
    count = 1
    for part in tree:
        if isinstance(part, list):
            count += yield from walked(part)
        else:
            yield part
    return count


@torch.compiler.disable
def disabled(value):
    return value


g_int = 4
g_ints = [3, 1, 2]
g_table = {"a": 1, "key": 5}
g_tensor = torch.ones(3)
g_str = "glob"


"""
GLOBALS = (
    Variable("g_int", Kind("int")),
    Variable("g_ints", Kind("ints")),
    Variable("g_table", Kind("table")),
    Variable("g_tensor", tensor("3")),
    Variable("g_str", Kind("str")),
)


@dataclass(frozen=True)
class Parameter:
    """A parameter of ``main``: its kind, how it is given, and what is special about its tensor."""

    name: str
    kind: Kind
    #: ``position``, ``keyword`` or ``default``.
    how: str = "position"
    #: For a tensor: ``plain``, ``grad``, ``double``, ``transposed``, or ``same`` and ``view`` of the first argument.
    note: str = "plain"


@dataclass(frozen=True)
class Program:
    """A program, as text."""

    seed: int
    source: str
    parameters: tuple[Parameter, ...]
    constructs: tuple[str, ...]

    @property
    def name(self) -> str:
        """The file name that its code says it is from."""
        return f"<program {self.seed}>"


def main_parameters(scope: Scope) -> list[Parameter]:
    """The parameters of the function that is called from outside. Their sizes are those of the first."""
    grad = scope.chance(0.2)
    scope.differentiated = grad
    rows, columns = "x.shape[0]", "x.shape[1]"
    made = [Parameter("x", tensor(rows, columns), note="grad" if grad else "plain")]
    shapes = ((rows, columns), (columns,), (rows,), (), ("2", rows, columns), (columns, rows))
    names = (
        "tensor",
        "int",
        "float",
        "bool",
        "str",
        "maybe",
        "ints",
        "set",
        "table",
        "tensors",
        "named",
        "pair",
        "box",
    )
    for i in range(scope.rng.randrange(1, 6)):
        kind = some_kind(scope, *names)
        shape = scope.rng.choice(shapes) if kind.name in ("tensor", "tensors", "named", "pair", "box") else ()
        kind = Kind(kind.name, shape)
        note = "plain"
        if kind.name == "tensor":
            notes = ("plain", "plain", "plain", "double", "transposed") + (("grad",) if grad else ())
            note = scope.rng.choice(notes + (("same", "view") if shape == (rows, columns) else ()))
        made.append(Parameter(f"a{i}", kind, note=note))
    last = made[-1]
    if last.kind.name in ("int", "maybe", "str", "float"):
        how = scope.rng.choice(("position", "keyword", "default"))
        made[-1] = Parameter(last.name, last.kind, how, last.note)
    return made


DEFAULTS = {"int": "3", "maybe": "None", "str": '"given"', "float": "1.25"}


def generate(seed: int) -> Program:
    """The program of a seed."""
    scope = Scope(seed, budget=0)
    scope.globals = list(GLOBALS)
    parameters = main_parameters(scope)
    for _ in range(scope.rng.choice((0, 0, 1, 1, 2))):
        scope.budget = 10
        scope.globals.append(write_function(scope, "h", most=3))
        scope.line("")
        scope.line("")
    texts = []
    for parameter in parameters:
        if parameter.how == "keyword":
            texts.append("*")
        default = f"={DEFAULTS[parameter.kind.name]}" if parameter.how == "default" else ""
        texts.append(parameter.name + default)
    scope.budget = scope.rng.randrange(8, 40)
    own = [Variable(p.name, p.kind) for p in parameters]
    with scope.function(f"def main({', '.join(texts)}):", own, None):
        for _ in range(scope.rng.randrange(3, 10)):
            body(scope, 1)
        returned(scope)
    used = tuple(sorted(set(scope.used)))
    return Program(seed, PRELUDE + "\n".join(scope.lines) + "\n", tuple(parameters), used)
