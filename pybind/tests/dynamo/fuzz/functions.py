"""Functions within programs: how they are defined and called, and what they write outside."""

from __future__ import annotations

from pybind.tests.dynamo.fuzz.expressions import (
    call,
    expression,
)
from pybind.tests.dynamo.fuzz.scope import (
    Kind,
    NoFit,
    Scope,
    Signature,
    Variable,
    tensor,
)
from pybind.tests.dynamo.fuzz.statements import INT, body, returned, room, some_kind, value_for


def parameters(scope: Scope, most: int) -> list[tuple[str, Kind]]:
    """Parameters of a function that the program itself calls: their sizes are their own."""
    made = []
    for _ in range(scope.rng.randrange(1, most + 1)):
        name = scope.fresh("p")
        kind = some_kind(scope, "tensor", "int", "float", "str", "ints", "tensors", "box", "bool")
        shape = tuple(f"{name}.shape[{i}]" for i in range(len(kind.shape)))
        if kind.name in ("tensors", "box"):
            shape = kind.shape
        made.append((name, Kind(kind.name, shape)))
    return made


def define(scope: Scope) -> None:
    """A function within the function, which sees its variables."""
    room(scope)
    depth, frame = 0, scope.frame
    while frame.outer is not None:
        depth, frame = depth + 1, frame.outer
    if depth >= 2 or scope.frame.loops:
        raise NoFit
    write_function(scope, "f", most=3)


def write_function(scope: Scope, letter: str, most: int) -> Variable:
    """A function, and its name bound to it."""
    made = parameters(scope, most)
    name = scope.fresh(letter)
    optional = scope.rng.randrange(2) if made[-1][1].name in DEFAULTS else 0
    only = scope.rng.randrange(2) if len(made) > 1 else 0
    rest = scope.chance(0.2)
    texts = [n for n, _ in made]
    if optional:
        texts[-1] += f"={scope.rng.choice(DEFAULTS[made[-1][1].name])}"
    if rest:
        texts.insert(len(texts) - only, "*rest")
        texts.append("**more")
    elif only:
        texts.insert(len(texts) - only, "*")
    first = next((Kind("tensor", k.shape) for _, k in made if k.name == "tensor"), None)
    result = first if first is not None and scope.chance(0.8) else some_kind(scope, "int", "float", "str", "ints")
    own = [Variable(n, kind) for n, kind in made]
    with scope.function(f"def {name}({', '.join(texts)}):", own, result):
        if rest:
            with_rest = scope.bind(INT)
            scope.line(f"{with_rest} = len(rest) + sum(rest) - len(more)")
        body(scope, 4)
        returned(scope)
    variable = Variable(name, Kind("function"), False, Signature(tuple(made), result, optional, only, rest))
    scope.frame.variables.append(variable)
    return variable


DEFAULTS = {"int": ("1", "-2"), "float": ("0.5",), "str": ('"dflt"',), "bool": ("True", "False")}


def lambda_function(scope: Scope) -> None:
    made = parameters(scope, 2)
    result = some_kind(scope, "tensor", "int")
    if result.name == "tensor" and made[0][1].name == "tensor":
        result = made[0][1]
    with scope.temporary(*(Variable(n, kind, free=False) for n, kind in made)):
        text = expression(scope, result)
    name = scope.bind(Kind("function"), "f", Signature(tuple(made), result), free=False)
    scope.line(f"{name} = lambda {', '.join(n for n, _ in made)}: {text}")


def counter(scope: Scope) -> None:
    """A closure with a cell of its own, made by a function that is called several times."""
    name, made = scope.fresh("make"), scope.fresh("f")
    start = expression(scope, INT)
    with scope.block(f"def {name}(total):"):
        with scope.block(f"def {made}(by=1):"):
            scope.line("nonlocal total")
            scope.line("total = (total + by) % 97")
            scope.line("return total")
        scope.line(f"return {made}")
    first = scope.bind(Kind("function"), "f", Signature((("by", INT),), INT, optional=1), free=False)
    scope.line(f"{first} = {name}({start})")


def recursion(scope: Scope) -> None:
    name, bound = scope.fresh("f"), scope.rng.randrange(1, 5)
    shape = scope.some_shape()
    p = scope.fresh("p")
    own = tuple(f"{p}.shape[{i}]" for i in range(len(shape)))
    with scope.temporary(Variable(p, tensor(*own), free=False)):
        step = expression(scope, tensor(*own))
    with scope.block(f"def {name}({p}, left={bound}):"):
        with scope.block("if left <= 0:"):
            scope.line(f"return {p}")
        scope.line(f"return {name}({step}, left - 1)")
    signature = Signature(((p, tensor(*own)),), tensor(*own))
    scope.frame.variables.append(Variable(name, Kind("function"), False, signature))


def expression_statement(scope: Scope) -> None:
    functions = [v for v in scope.visible() if v.signature is not None]
    if not functions:
        raise NoFit
    function = scope.rng.choice(functions)
    assert function.signature is not None
    scope.line(call(scope, function.name, function.signature, {}))


def write_global(scope: Scope) -> None:
    written = [v for v in scope.globals if v.signature is None and v.free]
    if not written:
        raise NoFit
    variable = scope.rng.choice(written)
    text = value_for(scope, variable.kind, again=True)
    scope.frame.declared[variable.name] = "global"
    scope.line(f"{variable.name} = {text}")


def write_outer(scope: Scope) -> None:
    if scope.frame.outer is None:
        raise NoFit
    written = [v for v in scope.frame.outer.variables if v.signature is None and v.free]
    if not written:
        raise NoFit
    variable = scope.rng.choice(written)
    text = value_for(scope, variable.kind, again=True)
    scope.frame.declared[variable.name] = "nonlocal"
    scope.line(f"{variable.name} = {text}")
