"""Random programs: a text, the parameters of its function ``main``, and which constructs are in it.

A seed gives the same program everywhere, and every program ends. Sets of constructs are tables with a row each, by
themes; a program is about a few of them.
"""

from __future__ import annotations

import contextlib
import functools
import random
import re
from dataclasses import dataclass

from pybind.tests.dynamo.fuzz.arrays import ARRAYS
from pybind.tests.dynamo.fuzz.basics import BASICS, IMPORTS
from pybind.tests.dynamo.fuzz.classes import CLASSES
from pybind.tests.dynamo.fuzz.errors import ERRORS
from pybind.tests.dynamo.fuzz.expressions import fill
from pybind.tests.dynamo.fuzz.functions import write_function
from pybind.tests.dynamo.fuzz.generators import GENERATORS
from pybind.tests.dynamo.fuzz.hierarchies import write_classes
from pybind.tests.dynamo.fuzz.library import LIBRARY
from pybind.tests.dynamo.fuzz.managers import MANAGERS
from pybind.tests.dynamo.fuzz.modules import MODULES
from pybind.tests.dynamo.fuzz.records import RECORDS
from pybind.tests.dynamo.fuzz.rows import Grammar
from pybind.tests.dynamo.fuzz.scope import SHAPED, Kind, NoFit, Scope, Variable, tensor
from pybind.tests.dynamo.fuzz.statements import body, returned, some_kind
from pybind.tests.dynamo.fuzz.training import TRAINING

#: The themes that a program may have besides the basics.
THEMES = (LIBRARY, CLASSES, RECORDS, ERRORS, GENERATORS, MANAGERS, MODULES, TRAINING, ARRAYS)
#: The probability that a program keeps in a list what it would print, since graphs end where something is printed.
NOTED = 0.75
#: The number of changes of the module's state between calls.
CHANGES = 3

GLOBALS = (
    Variable("g_int", Kind("int")),
    Variable("g_ints", Kind("ints")),
    Variable("g_table", Kind("table")),
    Variable("g_tensor", tensor("3")),
    Variable("g_str", Kind("str")),
)


DEFAULTS = {"int": "3", "maybe": "None", "str": '"given"', "float": "1.25"}
#: Kinds that are no parameters of ``main``.
NEVER_GIVEN = ("mask", "gen", "error")
#: The classes that arguments are made of, by their kinds.
GIVEN_NAMES = {
    "box": "Box",
    "record": "Point",
    "color": "Color",
    "stack": "Stack",
    "registry": "Registry",
    "module": "Net",
    "trainer": "Trainer",
}


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
    names = tuple(kind for kind in scope.grammar.kinds if kind not in NEVER_GIVEN)
    for i in range(scope.rng.randrange(1, 6)):
        kind = some_kind(scope, *names)
        shape = scope.rng.choice(shapes) if kind.name in SHAPED else ()
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


@functools.cache
def grammar_of(themes: frozenset[int]) -> Grammar:
    """The grammar of programs about these themes."""
    return Grammar((BASICS, *(THEMES[i].often(3) for i in sorted(themes))), (BASICS, *THEMES))


def some_themes(seed: int) -> frozenset[int]:
    """The themes of a program."""
    rng = random.Random(f"themes {seed}")
    return frozenset(rng.sample(range(len(THEMES)), rng.randrange(4)))


def generate(seed: int) -> Program:
    """The program of a seed."""
    themes = some_themes(seed)
    scope = Scope(seed, budget=0, grammar=grammar_of(themes))
    scope.globals = list(GLOBALS)
    if "obj" in scope.grammar.kinds:
        write_world(scope)
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
    write_changes(scope)
    used = tuple(sorted(set(scope.used)))
    text = "\n".join(scope.lines) + "\n"
    given = " ".join(GIVEN_NAMES.get(parameter.kind.name, "") for parameter in parameters)
    source = scope.grammar.prelude(f"{text} {given} note") + text
    if scope.chance(NOTED):
        source = re.sub(r"\bprint\(", "note(", source)
    return Program(seed, f"{IMPORTS}\n{source}", tuple(parameters), used)


def write_world(scope: Scope) -> None:
    """The program's own classes, one object of them, and what makes arguments."""
    scope.classes = write_classes(scope)
    scope.line(f"g_obj = {scope.classes[-1]}(torch.ones(3), {scope.rng.randrange(5)})")
    scope.globals.append(Variable("g_obj", Kind("obj", ("3",))))
    scope.line("")
    with scope.block("def make_object(t, number, variant):"):
        chosen = [scope.rng.choice(scope.classes) for _ in range(3)]
        scope.line(f"return ({', '.join(chosen)})[variant](t, number)")
    scope.line("")


def write_changes(scope: Scope) -> None:
    """Functions that change the module's state between calls."""
    rows = [row for row in scope.grammar.changes if scope.classes or "g_obj" not in str(row.make)]
    scope.line("")
    for i in range(CHANGES):
        with scope.block(f"def change_{i}():"):
            for row in scope.rng.choices(rows, [row.weight for row in rows], k=2) if rows and scope.chance(0.6) else ():
                with contextlib.suppress(NoFit):
                    scope.line(fill(scope, str(row.make), Kind("int")))
                    scope.used.append(f"change: {row.name}")
        scope.line("")
