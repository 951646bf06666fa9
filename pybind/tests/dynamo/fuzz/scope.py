"""The state of a program under construction: kinds of values, variables, and the text so far.

Shapes are tuples of Python texts, such as ``("x.shape[0]", "3")``: two sizes are equal if their texts are. This holds
because names are never used twice and a variable keeps its kind for life.
"""

from __future__ import annotations

import contextlib
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pybind.tests.dynamo.fuzz.rows import Grammar

#: The depths to which expressions, blocks and loops nest.
EXPRESSION_DEPTH = 3
BLOCK_DEPTH = 3
LOOP_DEPTH = 2

#: A hole for an expression, a hole for a variable, or alternatives: ``$int``, ``@int``, ``⟨+ -⟩``. Decorators are none.
HOLE = re.compile(r"\$(\w+)|@(?![\w.()]*\n *(?:def|class))(\w+)|⟨([^⟩]+)⟩")

Shape = tuple[str, ...]


class NoFit(Exception):
    """A row asks for something that is not in scope."""


@dataclass(frozen=True)
class Kind:
    """The kind of values that a variable has. The shape is that of the tensors in it."""

    name: str
    shape: Shape = ()


#: Kinds that have tensors in them.
SHAPED = ("tensor", "mask", "tensors", "named", "box", "pair", "obj", "record", "array")
#: Kinds whose values can be changed.
MUTABLE = (
    "tensor",
    "ints",
    "tensors",
    "table",
    "named",
    "box",
    "set",
    "obj",
    "record",
    "stack",
    "registry",
    "queue",
    "array",
    "module",
    "gen",
    "error",
)


def tensor(*shape: str) -> Kind:
    """A tensor of floats."""
    return Kind("tensor", shape)


@dataclass(frozen=True)
class Signature:
    """The signature of a function of the program."""

    parameters: tuple[tuple[str, Kind], ...]
    result: Kind
    #: The last parameters can be left away, or are named in calls.
    optional: int = 0
    keyword_only: int = 0
    #: True if it takes any further arguments.
    rest: bool = False

    @property
    def sizes(self) -> frozenset[str]:
        """The sizes that its parameters have, whatever they are in a call."""
        names = {name for name, _ in self.parameters}
        return frozenset(s for _, kind in self.parameters for s in kind.shape if s.split(".")[0] in names)


@dataclass(frozen=True)
class Variable:
    """A name in scope. What is not ``free`` must not be bound again."""

    name: str
    kind: Kind
    free: bool = True
    signature: Signature | None = None


@dataclass
class Frame:
    """A function under construction."""

    outer: Frame | None = None
    variables: list[Variable] = field(default_factory=list)
    #: The place of its first statement.
    start: int = 0
    loops: int = 0
    blocks: int = 0
    #: The kind that it returns; None for the function that is called from outside, which returns anything.
    result: Kind | None = None
    declared: dict[str, str] = field(default_factory=dict)


class Scope:
    """The text so far and what is in scope at its end."""

    def __init__(self, seed: int, budget: int, grammar: Grammar) -> None:
        self.rng = random.Random(seed)
        self.grammar = grammar
        #: The program's own classes that can be called with a tensor and a number.
        self.classes: list[str] = []
        self.lines: list[str] = []
        self.indent = 0
        self.frame = Frame()
        self.globals: list[Variable] = []
        self.used: list[str] = []
        self.budget = budget
        self.depth = 0
        #: True if some argument requires a gradient: changing it in place is an error more often than not.
        self.differentiated = False
        self._names = 0

    def fresh(self, letter: str) -> str:
        """A name that nothing else has."""
        self._names += 1
        return f"{letter}{self._names}"

    def line(self, text: str) -> None:
        """One line, at the indentation of the block."""
        self.lines.append("    " * self.indent + text)
        self.budget -= 1

    def chance(self, probability: float) -> bool:
        """True as often as that."""
        return self.rng.random() < probability

    @contextlib.contextmanager
    def block(self, head: str, loop: bool = False) -> Iterator[None]:
        """The head of a block; what is bound in it is unknown after it."""
        frame = self.frame
        self.line(head)
        start, bound = len(self.lines), len(frame.variables)
        self.indent += 1
        frame.blocks += 1
        frame.loops += loop
        yield
        if len(self.lines) == start:
            self.line("pass")
        self.indent -= 1
        frame.blocks -= 1
        frame.loops -= loop
        del frame.variables[bound:]

    @contextlib.contextmanager
    def function(self, head: str, parameters: list[Variable], result: Kind | None) -> Iterator[None]:
        """The head of a function, and the frame for its statements."""
        self.line(head)
        outer = self.frame if self.indent else None
        before, self.frame = self.frame, Frame(outer, list(parameters), len(self.lines), result=result)
        self.indent += 1
        yield
        for name, declaration in self.frame.declared.items():
            self.lines.insert(self.frame.start, "    " * self.indent + f"{declaration} {name}")
        self.indent -= 1
        self.frame = before

    @contextlib.contextmanager
    def temporary(self, *variables: Variable) -> Iterator[None]:
        """Variables that a comprehension or lambda binds."""
        frame, bound = self.frame, len(self.frame.variables)
        frame.variables.extend(variables)
        try:
            yield
        finally:
            del frame.variables[bound:]

    def bind(self, kind: Kind, letter: str = "v", signature: Signature | None = None, free: bool = True) -> str:
        """A new variable."""
        name = self.fresh(letter)
        self.frame.variables.append(Variable(name, kind, free, signature))
        return name

    def visible(self) -> list[Variable]:
        """Every variable that can be read here."""
        found = list(self.globals)
        frame: Frame | None = self.frame
        while frame is not None:
            found += frame.variables
            frame = frame.outer
        return found

    def of_kind(self, kind: Kind, own: bool = False) -> Variable:
        """A variable of this kind; ``own`` for one that this function may bind again."""
        candidates = [v for v in self.frame.variables if v.free] if own else self.visible()
        fitting = [v for v in candidates if v.kind == kind]
        if not fitting:
            raise NoFit
        return self.rng.choice(fitting)

    def of_name(self, name: str) -> Variable:
        """A variable of a kind of this name, whatever its shape."""
        fitting = [v for v in self.visible() if v.kind.name == name]
        if not fitting:
            raise NoFit
        return self.rng.choice(fitting)

    def some_shape(self) -> Shape:
        """The shape of a tensor that is in scope."""
        shapes = [v.kind.shape for v in self.visible() if v.kind.name in SHAPED]
        return self.rng.choice(shapes) if shapes else ()

    def some_size(self) -> str:
        """A size of a tensor that is in scope."""
        sizes = [size for v in self.visible() for size in v.kind.shape]
        return self.rng.choice(sizes) if sizes else "2"
