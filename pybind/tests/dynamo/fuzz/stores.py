"""Assignments, to new names and old ones, and changes of tensors."""

from __future__ import annotations

from pybind.tests.dynamo.fuzz.expressions import (
    expression,
    fill,
)
from pybind.tests.dynamo.fuzz.scope import (
    MUTABLE,
    Kind,
    NoFit,
    Scope,
    Shape,
    tensor,
)
from pybind.tests.dynamo.fuzz.statements import INT, some_kind, value_for


def assign(scope: Scope) -> None:
    kind = some_kind(scope)
    text = expression(scope, kind)
    scope.line(f"{scope.bind(kind)} = {text}")


def rebind(scope: Scope) -> None:
    candidates = [v for v in scope.frame.variables if v.free and v.signature is None]
    if not candidates:
        raise NoFit
    variable = scope.rng.choice(candidates)
    scope.line(f"{variable.name} = {value_for(scope, variable.kind, again=True)}")


def chained(scope: Scope) -> None:
    kind = some_kind(scope)
    text = expression(scope, kind)
    scope.line(f"{scope.bind(kind)} = {scope.bind(kind)} = {text}")


def annotated(scope: Scope) -> None:
    text = expression(scope, INT)
    scope.line(f"{scope.bind(INT)}: int = {text}")


def alias(scope: Scope) -> None:
    candidates = [v for v in scope.visible() if v.kind.name in MUTABLE]
    if not candidates:
        raise NoFit
    variable = scope.rng.choice(candidates)
    scope.line(f"{scope.bind(variable.kind)} = {variable.name}")


def swap(scope: Scope) -> None:
    candidates = [v for v in scope.frame.variables if v.free and v.signature is None]
    pairs = [(a, b) for a in candidates for b in candidates if a.name < b.name and a.kind == b.kind]
    if not pairs:
        raise NoFit
    a, b = scope.rng.choice(pairs)
    scope.line(f"{a.name}, {b.name} = {b.name}, {a.name}")


def unpack(scope: Scope) -> None:
    """Several names from a list, a tuple, a tensor or a string."""
    shape = scope.some_shape()
    item = tensor(*shape)
    match scope.rng.randrange(6):
        case 0:
            text = expression(scope, Kind("pair", shape))
            scope.line(f"{scope.bind(item)}, {scope.bind(INT)} = {text}")
        case 1:
            text = expression(scope, Kind("ints"))
            scope.line(f"{scope.bind(INT)}, *{scope.bind(Kind('ints'))} = {text}")
        case 2:
            text = expression(scope, Kind("tensors", shape))
            scope.line(f"*{scope.bind(Kind('tensors', shape))}, {scope.bind(item)} = {text}")
        case 3:
            text = expression(scope, tensor("2", *shape[:2]))
            inner = tensor(*shape[:2])
            scope.line(f"{scope.bind(inner)}, {scope.bind(inner)} = {text}" + scope.rng.choice((".unbind(0)", "")))
        case 4:
            parts = [expression(scope, INT) for _ in range(3)]
            names = [scope.bind(INT) for _ in range(3)]
            scope.line(f"{names[0]}, ({names[1]}, {names[2]}) = {parts[0]}, ({parts[1]}, {parts[2]})")
        case _:
            if len(shape) != 2:
                raise NoFit
            text = expression(scope, item)
            scope.line(f"{scope.bind(INT)}, {scope.bind(INT)} = {text}.{scope.rng.choice(('shape', 'size()'))}")


def partial_tensor(scope: Scope) -> None:
    """A view of a part, or a longer tensor."""
    owners = [v for v in scope.visible() if v.kind.name == "tensor" and v.kind.shape]
    if not owners:
        raise NoFit
    owner = scope.rng.choice(owners)
    first, *rest = owner.kind.shape
    text, size = scope.rng.choice(
        (
            ("{0}[1:]", "({1} - 1)"),
            ("{0}[:2]", "2"),
            ("{0}[:1]", "1"),
            ("{0}[::{1}]", "1"),
            ("torch.cat([{0}, {0}])", "({1} * 2)"),
            ("{0}.narrow(0, 0, 1)", "1"),
            ("{0}.repeat_interleave(2, 0)", "({1} * 2)"),
            ("{0}[[0, 1, 0]]", "3"),
            ("{0}[None]", ""),
            ("{0}.flatten()", "flat"),
            ("{0}[torch.tensor([1, 0])]", "2"),
            ("{0}.chunk(2)[0]", "(({1} + 1) // 2)"),
        )
    )
    shape: Shape = (size.format(owner.name, first), *rest)
    if size == "flat":
        shape = ("(" + " * ".join(owner.kind.shape) + ")",) if rest else owner.kind.shape
    elif not size:
        shape = ("1", *owner.kind.shape)
    if len(shape) > 3:
        raise NoFit
    scope.line(f"{scope.bind(tensor(*shape))} = {text.format(owner.name, first)}")


def in_place(scope: Scope) -> None:
    """A change of a tensor; rare where it is likely an error."""
    if scope.differentiated and scope.chance(0.8):
        raise NoFit
    template = scope.rng.choice(
        (
            "@same.⟨add_ sub_ mul_⟩($broad)",
            "@same.⟨zero_() neg_() abs_() sin_() fill_($float) clamp_(min=0)⟩",
            "@same.copy_($broad)",
            "@same[⟨0 -1 ... :⟩] = ⟨$float $int⟩",
            "@same[$mask] = $float",
            "@same[0] += $float",
            "@same.masked_fill_($mask, $float)",
            "torch.add(@same, $float, out=@same)",
            "operator.⟨iadd isub imul⟩(@same, $broad)",
            "operator.setitem(@same, ⟨0 -1 ...⟩, $float)",
        )
    )
    scope.line(fill(scope, template, tensor(*scope.some_shape())))


def augmented(scope: Scope) -> None:
    kind = some_kind(scope, "int", "float", "str", "ints", "tensor")
    name = scope.of_kind(kind, own=True).name
    match kind.name:
        case "int":
            scope.line(fill(scope, f"{name} ⟨+= -= ^= |=⟩ ($int) % 50", kind))
        case "float":
            scope.line(fill(scope, f"{name} ⟨+= -= *=⟩ $float", kind))
        case "str":
            scope.line(fill(scope, f"{name} += ($str)[:4]", kind))
        case "ints":
            scope.line(fill(scope, f"{name} += ($ints)[:1]", kind))
        case _:
            if scope.differentiated and scope.chance(0.8):
                raise NoFit
            scope.line(fill(scope, f"{name} ⟨+= -= *=⟩ ⟨$broad $float $positive⟩", kind))
