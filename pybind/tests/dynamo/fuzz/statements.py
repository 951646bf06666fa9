"""Statements: how rows become texts."""

from __future__ import annotations

import re

from pybind.tests.dynamo.fuzz.expressions import (
    CONTAINERS,
    expression,
    fill,
    sizes,
)
from pybind.tests.dynamo.fuzz.scope import (
    BLOCK_DEPTH,
    SHAPED,
    Kind,
    NoFit,
    Scope,
    Variable,
    tensor,
)

INT, BOOL, STR = Kind("int"), Kind("bool"), Kind("str")


def some_kind(scope: Scope, *names: str) -> Kind:
    """A kind, of these if any are named."""
    weights = scope.grammar.kinds
    pool = names or tuple(weights)
    name = scope.rng.choices(pool, [weights[n] for n in pool])[0]
    return Kind(name, scope.some_shape()) if name in SHAPED else Kind(name)


def statement(scope: Scope) -> None:
    """Any statement that fits."""
    rows = scope.grammar.statements
    for row in scope.rng.choices(rows, [row.weight for row in rows], k=8):
        used, lines = len(scope.used), len(scope.lines)
        scope.used.append(row.name)
        try:
            if isinstance(row.make, str):
                snippet(scope, row.make)
            else:
                row.make(scope)
        except NoFit:
            assert len(scope.lines) == lines, row.name
            del scope.used[used:]
        else:
            return
    scope.line("pass")


#: In statements: a name of its own, a new variable of a kind, and a place for further statements.
NAME, NEW, REST = re.compile(r"§(\w)"), re.compile(r"→(\w+)"), "…"


def snippet(scope: Scope, template: str) -> None:
    """Statements from a text."""
    held = [name for name in CONTAINERS if re.search(rf"@{name}\b", template)]
    shape = scope.of_name(held[0]).kind.shape if held else scope.some_shape()
    if REST in template:
        room(scope)
    names: dict[str, str] = {}
    text = fill(scope, template, tensor(*shape))
    text = NAME.sub(lambda found: names.setdefault(found[1], scope.fresh(found[1])), text)
    kept = len(scope.frame.variables)
    lasting: list[Variable] = []
    for line in text.split("\n"):
        inner = line.lstrip(" ")
        deeper = (len(line) - len(inner)) // 4
        scope.indent += deeper
        scope.frame.blocks += deeper
        if inner == REST:
            bound, start = len(scope.frame.variables), len(scope.lines)
            body(scope, 2)
            if len(scope.lines) == start:
                scope.line("pass")
            del scope.frame.variables[bound:]
        else:
            for kind in NEW.findall(inner):
                name = scope.bind(Kind(kind, shape if kind in SHAPED else ()))
                inner = inner.replace(f"→{kind}", name, 1)
                lasting += [] if deeper or inner.endswith(":") else [scope.frame.variables[-1]]
            scope.line(inner)
        scope.indent -= deeper
        scope.frame.blocks -= deeper
    scope.frame.variables[kept:] = lasting


def body(scope: Scope, most: int = 3) -> None:
    """A few statements."""
    for _ in range(scope.rng.randrange(1, most + 1)):
        if scope.budget <= 0:
            break
        statement(scope)


def value_for(scope: Scope, kind: Kind, again: bool) -> str:
    """An expression, kept from growing without bound where it is bound ``again`` and again."""
    text = expression(scope, kind)
    if again and kind.name == "int":
        return f"{text} % 211"
    if again and kind.name == "str":
        return f"({text})[:12]"
    if again and kind.name in ("ints", "tensors"):
        return f"({text})[:6]"
    return text


def room(scope: Scope) -> None:
    """No deeper than the limits."""
    if scope.frame.blocks >= BLOCK_DEPTH or scope.budget <= 2:
        raise NoFit


def early_return(scope: Scope) -> None:
    if scope.frame.blocks >= BLOCK_DEPTH:
        raise NoFit
    test = expression(scope, BOOL)
    with scope.block(f"if {test}:"):
        returned(scope)


def returned(scope: Scope) -> None:
    """A return statement that fits the function."""
    kind = scope.frame.result
    if kind is not None:
        scope.line(f"return {expression(scope, kind)}")
        return
    names = [v.name for v in scope.frame.variables if v.signature is None]
    chosen = scope.rng.sample(names, min(len(names), scope.rng.randrange(1, 6)))
    chosen += [expression(scope, some_kind(scope))] if scope.chance(0.4) else []
    match scope.rng.randrange(6):
        case 0:
            scope.line(f"return {expression(scope, some_kind(scope, 'tensor', 'tensors', 'named'))}")
        case 1:
            scope.line("return {" + ", ".join(f'"r{i}": {c}' for i, c in enumerate(chosen)) + "}")
        case 2:
            scope.line("return [" + ", ".join(chosen) + "]")
        case _:
            scope.line("return " + sizes(tuple(chosen)))


def raised(scope: Scope) -> None:
    test = expression(scope, BOOL)
    room(scope)
    text = fill(scope, scope.rng.choice(("ValueError($str)", "KeyError($int)", "RuntimeError('no', $int)")), INT)
    with scope.block(f"if {test} and {expression(scope, BOOL)}:"):
        scope.line(f"raise {text}")
