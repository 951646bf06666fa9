"""Expressions: how rows become texts."""

from __future__ import annotations

from collections.abc import Callable

from pybind.tests.dynamo.fuzz.scope import (
    EXPRESSION_DEPTH,
    HOLE,
    SHAPED,
    Kind,
    NoFit,
    Scope,
    Shape,
    Signature,
    Variable,
    tensor,
)

WORDS = ('"a"', '"b"', '"key"', '""', '"Zed"')


INTS = ("0", "1", "2", "3", "5", "7", "-1", "-2")


#: Kinds of objects that hold tensors.
CONTAINERS = ("tensors", "named", "box", "pair", "obj", "record", "array")


FLOATS = ("0.5", "1.5", "-0.25", "2.0", "3.75")


def sizes(shape: Shape) -> str:
    """A shape as a tuple's text."""
    return "(" + ", ".join(shape) + ("," if len(shape) == 1 else "") + ")"


def literal(scope: Scope, kind: Kind) -> str:
    """The plainest expression of a kind."""
    pick = scope.rng.choice
    match kind.name:
        case "int" | "maybe":
            return "None" if kind.name == "maybe" and scope.chance(0.5) else pick(INTS)
        case "float":
            return pick(FLOATS)
        case "bool":
            return pick(("True", "False"))
        case "str":
            return pick(WORDS)
        case "ints":
            return "[" + ", ".join(pick(INTS) for _ in range(scope.rng.randrange(1, 4))) + "]"
        case "set":
            return "{" + ", ".join(pick(INTS) for _ in range(scope.rng.randrange(1, 4))) + "}"
        case "table":
            return '{"a": ' + pick(INTS) + ', "b": ' + pick(INTS) + "}"
        case "mask":
            return f"({leaf(scope, tensor(*kind.shape))} > {pick(FLOATS)})"
        case "tensor":
            if not kind.shape:
                return f"torch.tensor({pick(FLOATS)})"
            return f"torch.{pick(('ones(%s)', 'zeros(%s)', 'full(%s, 0.5)'))}" % sizes(kind.shape)
    inner = leaf(scope, tensor(*kind.shape))
    match kind.name:
        case "tensors":
            return f"[{inner}, {leaf(scope, tensor(*kind.shape))}]"
        case "named":
            return f'{{"a": {inner}, "b": {leaf(scope, tensor(*kind.shape))}}}'
        case "pair":
            return f"({inner}, {pick(INTS)})"
        case "box":
            return f"Box({inner}, {pick(INTS)})"
        case "obj":
            if not scope.classes:
                raise NoFit
            return f"{pick(scope.classes)}({inner}, {pick(INTS)})"
    return plainest(scope, kind)


def plainest(scope: Scope, kind: Kind) -> str:
    """The literal of a theme's kind, no deeper than it must be."""
    text = scope.grammar.literals.get(kind.name)
    if text is None:
        raise NoFit
    depth, scope.depth = scope.depth, EXPRESSION_DEPTH
    try:
        return fill(scope, text, kind)
    finally:
        scope.depth = depth


def leaf(scope: Scope, kind: Kind) -> str:
    """A variable, if there is one, or a literal."""
    if scope.chance(0.85):
        try:
            return scope.of_kind(kind).name
        except NoFit:
            pass
    return literal(scope, kind)


def expression(scope: Scope, kind: Kind) -> str:
    """Any expression of a kind."""
    rows = scope.grammar.expressions.get(kind.name, ())
    if rows and scope.depth < EXPRESSION_DEPTH and not scope.chance(0.2 * scope.depth):
        for row in scope.rng.choices(rows, [row.weight for row in rows], k=3):
            used = len(scope.used)
            scope.depth += 1
            try:
                scope.used.append(row.name)
                return row.text(scope, kind) if callable(row.make) else fill(scope, row.make, kind)
            except NoFit:
                del scope.used[used:]
            finally:
                scope.depth -= 1
    return leaf(scope, kind)


def hole(scope: Scope, name: str, kind: Kind) -> Kind:
    """The kind that stands behind a hole's name, in a row for a value of ``kind``."""
    match name:
        case "same":
            return tensor(*kind.shape)
        case "any":
            return tensor(*scope.some_shape())
        case "scalar":
            return tensor()
        case "broad":
            return tensor(*broadcastable(scope, kind.shape))
        case "swapped":
            return tensor(*kind.shape[::-1])
    return Kind(name, kind.shape) if name in SHAPED else Kind(name)


def fill(scope: Scope, template: str, kind: Kind) -> str:
    """The template with its holes filled."""

    def filled(match) -> str:
        wanted, variable, choices = match.groups()
        if choices:
            return fill(scope, scope.rng.choice(choices.split(" ")), kind)
        if variable in CONTAINERS and kind.name not in SHAPED:
            return scope.of_name(variable).name
        if variable:
            return scope.of_kind(hole(scope, variable, kind)).name
        match wanted:
            case "small":
                return str(scope.rng.randrange(4))
            case "positive":
                return str(scope.rng.randrange(1, 5))
            case "dim":
                if not kind.shape:
                    raise NoFit
                return str(scope.rng.randrange(-len(kind.shape), len(kind.shape)))
            case "shape":
                return sizes(kind.shape)
            case "sizes":
                return ", ".join(kind.shape)
        return expression(scope, hole(scope, wanted, kind))

    return HOLE.sub(filled, template)


def broadcastable(scope: Scope, shape: Shape) -> Shape:
    """A shape that broadcasts to this one."""
    shape = shape[scope.rng.randrange(len(shape) + 1) :] if scope.chance(0.4) else shape
    return tuple("1" if scope.chance(0.1) else size for size in shape)


def called(scope: Scope, kind: Kind) -> str:
    """A call of a function of the program whose result is of this kind."""
    functions = [v for v in scope.visible() if v.signature is not None and v.signature.result.name == kind.name]
    scope.rng.shuffle(functions)
    for function in functions:
        assert function.signature is not None
        known = solve(function.signature, kind.shape)
        if known is not None:
            return call(scope, function.name, function.signature, known)
    raise NoFit


def solve(signature: Signature, wanted: Shape) -> dict[str, str] | None:
    """The sizes that a function's parameters must have for its result to have a shape; `None` if there are none."""
    pattern, own = signature.result.shape, signature.sizes
    if len(pattern) != len(wanted):
        return None
    known: dict[str, str] = {}
    for mine, theirs in zip(pattern, wanted):
        if (known.setdefault(mine, theirs) if mine in own else mine) != theirs:
            return None
    return known


def call(scope: Scope, name: str, signature: Signature, known: dict[str, str]) -> str:
    """A call with arguments given in any of the ways that there are."""
    arguments: list[str] = []
    count = len(signature.parameters)
    named = False
    for i, (parameter, kind) in enumerate(signature.parameters):
        if i >= count - signature.optional and scope.chance(0.4):
            named = True
            continue
        shape = tuple(
            known.setdefault(size, scope.some_size()) if size in signature.sizes else size for size in kind.shape
        )
        value = expression(scope, Kind(kind.name, shape))
        named = named or i >= count - signature.keyword_only or (i > 0 and scope.chance(0.1))
        if named and scope.chance(0.15):
            arguments.append(f'**{{"{parameter}": {value}}}')
        else:
            arguments.append(f"{parameter}={value}" if named else value)
    if signature.rest and not named:
        arguments.append(scope.rng.choice(("4", "*[1, 2]", "*(3,)", "*[]")))
    if signature.rest and scope.chance(0.3):
        arguments.append(scope.rng.choice(("more=1", '**{"w": 2}')))
    return f"{name}({', '.join(arguments)})"


def comprehension(template: str, source: str, element: str) -> Callable[[Scope, Kind], str]:
    """A row that binds a variable for an inner expression: ``#body`` with the name ``#i`` for each of ``#over``."""

    def make(scope: Scope, kind: Kind) -> str:
        over = expression(scope, hole(scope, source, kind))
        name = scope.fresh("i")
        item = tensor(*kind.shape) if source == "tensors" else Kind("int")
        with scope.temporary(Variable(name, item, free=False)):
            body = expression(scope, hole(scope, element, kind))
            condition = expression(scope, Kind("bool"))
        text = fill(scope, template, kind).replace("#i", name).replace("#over", over)
        return text.replace("#body", body).replace("#test", condition)

    return make
