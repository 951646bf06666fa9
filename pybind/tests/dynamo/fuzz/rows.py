"""Rows of the tables of constructs, and the grammar that the tables make together."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from pybind.tests.dynamo.fuzz.scope import Kind, Scope


@dataclass(frozen=True)
class Row:
    """A construct: its name in statistics, how often it is taken, and its text or what writes it.

    Holes of texts are filled by :func:`expressions.fill` and, in statements, by :func:`statements.snippet`.
    """

    name: str
    weight: float
    make: str | Callable[..., Any]

    def text(self, scope: Scope, kind: Kind) -> str:
        """The expression that the row's function writes."""
        assert callable(self.make)
        made: str = self.make(scope, kind)
        return made


@dataclass(frozen=True)
class Theme:
    """The constructs around one thing: expressions by the kind of their value, statements, and what they need."""

    expressions: dict[str, tuple[Row, ...]] = field(default_factory=dict)
    statements: tuple[Row, ...] = ()
    #: Changes of the module's state between two calls.
    changes: tuple[Row, ...] = ()
    #: Definitions that a program has if it names them, in the order in which they need each other.
    definitions: str = ""
    #: The weights with which its kinds are taken for a new variable or parameter.
    kinds: dict[str, float] = field(default_factory=dict)
    #: The plainest expressions of its kinds, which refer to nothing but tensors.
    literals: dict[str, str] = field(default_factory=dict)
    #: Functions that make arguments of its kinds from a tensor, a number and the variant of arguments.
    arguments: dict[str, Callable[[dict[str, Any], Any, int, int], Any]] = field(default_factory=dict)

    def often(self, factor: float) -> Theme:
        """The theme with its constructs taken more often."""

        def scaled(rows: tuple[Row, ...]) -> tuple[Row, ...]:
            return tuple(replace(row, weight=row.weight * factor) for row in rows)

        return replace(
            self,
            expressions={kind: scaled(rows) for kind, rows in self.expressions.items()},
            statements=scaled(self.statements),
            kinds={kind: weight * factor for kind, weight in self.kinds.items()},
        )


class Grammar:
    """The constructs of some themes; definitions are those of all."""

    def __init__(self, themes: tuple[Theme, ...], everything: tuple[Theme, ...]) -> None:
        self.expressions: dict[str, tuple[Row, ...]] = {}
        for theme in themes:
            for kind, rows in theme.expressions.items():
                self.expressions[kind] = self.expressions.get(kind, ()) + rows
        self.statements = tuple(row for theme in themes for row in theme.statements)
        self.changes = tuple(row for theme in themes for row in theme.changes)
        self.kinds = {kind: weight for theme in themes for kind, weight in theme.kinds.items()}
        self.literals = {kind: text for theme in themes for kind, text in theme.literals.items()}
        self.arguments = {kind: make for theme in themes for kind, make in theme.arguments.items()}
        self.definitions = [block for theme in everything for block in blocks(theme.definitions)]

    def prelude(self, text: str) -> str:
        """The definitions that a text needs, and those that they need."""
        kept: list[str] = []
        for block in reversed(self.definitions):
            names = defined(block)
            if not names or any(re.search(rf"\b{name}\b", text) for name in names):
                kept.append(block)
                text += "\n" + block
        return "\n\n".join(reversed(kept)) + "\n\n\n"


def blocks(text: str) -> list[str]:
    """The definitions of a text; one starts where an unindented line follows an empty one."""
    return [block.strip("\n") for block in re.split(r"\n\n+(?=\S)", text) if block.strip()]


def defined(block: str) -> list[str]:
    """The names that a definition binds; none for imports, which all programs have."""
    return re.findall(r"^(?:class|def) (\w+)|^(\w+) = ", block, re.MULTILINE) and [
        a or b for a, b in re.findall(r"^(?:class|def) (\w+)|^(\w+) = ", block, re.MULTILINE)
    ]
