"""Expressions: a row for each construct, by the kind of its value."""

from __future__ import annotations

from collections.abc import Callable

from pybind.tests.dynamo.fuzz.rows import Row
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


def reduction(scope: Scope, kind: Kind) -> str:
    at = scope.rng.randrange(len(kind.shape) + 1)
    if len(kind.shape) > 2:
        raise NoFit
    inner = (*kind.shape[:at], scope.some_size(), *kind.shape[at:])
    method = scope.rng.choice(("sum(%d)", "mean(dim=%d)", "amax(%d)", "amin(dim=%d)", "select(%d, 0)"))
    return expression(scope, tensor(*inner)) + "." + method % at


def whole_reduction(scope: Scope, kind: Kind) -> str:
    if kind.shape:
        raise NoFit
    return fill(scope, "$any.⟨sum() mean() max() min()⟩", kind)


def keepdim(scope: Scope, kind: Kind) -> str:
    if "1" not in kind.shape:
        raise NoFit
    at = kind.shape.index("1")
    inner = (*kind.shape[:at], scope.some_size(), *kind.shape[at + 1 :])
    return f"{expression(scope, tensor(*inner))}.sum({at}, keepdim=True)"


def unsqueeze(scope: Scope, kind: Kind) -> str:
    if "1" not in kind.shape:
        raise NoFit
    at = kind.shape.index("1")
    inner = expression(scope, tensor(*kind.shape[:at], *kind.shape[at + 1 :]))
    return f"{inner}.unsqueeze({at})"


def squeeze(scope: Scope, kind: Kind) -> str:
    at = scope.rng.randrange(len(kind.shape) + 1)
    inner = expression(scope, tensor(*kind.shape[:at], "1", *kind.shape[at:]))
    return f"{inner}.squeeze({at})"


def matmul(scope: Scope, kind: Kind) -> str:
    if len(kind.shape) not in (1, 2):
        raise NoFit
    common = scope.some_size()
    left = expression(scope, tensor(kind.shape[0], common))
    right = expression(scope, tensor(common, *kind.shape[1:]))
    return f"({left} @ {right})"


def select(scope: Scope, kind: Kind) -> str:
    owners = [v for v in scope.visible() if v.kind.name == "tensor" and v.kind.shape[1:] == kind.shape != v.kind.shape]
    if not owners:
        raise NoFit
    return f"{scope.rng.choice(owners).name}[{scope.rng.choice(('0', '-1', '1'))}]"


def transposed(scope: Scope, kind: Kind) -> str:
    if len(kind.shape) != 2:
        raise NoFit
    return fill(scope, "$swapped.⟨T t() transpose(0,1) permute(1,0)⟩", kind)


def stacked(scope: Scope, kind: Kind) -> str:
    if not kind.shape or kind.shape[0] != "2":
        raise NoFit
    inner = tensor(*kind.shape[1:])
    return f"torch.stack([{expression(scope, inner)}, {expression(scope, inner)}])"


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
    """What the sizes of a function's parameters have to be for its result to have a shape."""
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


def shape_read(scope: Scope, kind: Kind) -> str:
    found = [v for v in scope.visible() if v.kind.name == "tensor" and v.kind.shape]
    if not found:
        raise NoFit
    v = scope.rng.choice(found)
    at = scope.rng.randrange(len(v.kind.shape))
    return f"{v.name}" + scope.rng.choice((f".shape[{at}]", f".size({at})", f".shape[{at - len(v.kind.shape)}]"))


EXPRESSIONS: dict[str, tuple[Row, ...]] = {
    "int": (
        Row("int arithmetic", 6, "($int ⟨+ -⟩ $int)"),
        Row("int product", 2, "(($int * $int) % 1009)"),
        Row("int division", 2, "($int ⟨// %⟩ $positive)"),
        Row("int power", 1, "($small ** $small)"),
        Row("int bits", 1, "($int ⟨& | ^⟩ $int)"),
        Row("int shift", 0.5, "($small ⟨<< >>⟩ $small)"),
        Row("int unary", 1, "⟨- ~ abs +⟩($int)"),
        Row("int of bits", 0.7, "($int ⟨& | ^ %⟩ ⟨1 3 6 8⟩)"),
        Row("int square", 0.5, "(($int % 31) ** ⟨2 3⟩)"),
        Row("int of comparison", 0.5, "int($int ⟨< == >⟩ $int)"),
        Row("int of half", 0.5, "int($int * ⟨0.5 0.25⟩)"),
        Row("rounded down", 0.5, "math.⟨floor ceil trunc⟩($int / ⟨2 4⟩)"),
        Row("len of box", 0.5, "len(@box)"),
        Row("item of box", 0.5, "@box[$int]"),
        Row("length of error", 0.3, "len(⟨ValueError Odd⟩($str, $int).args)"),
        Row("int of bool", 0.5, "int($bool)"),
        Row("int of float", 0.5, "int($float)"),
        Row("int of str", 0.3, 'int("1$small")'),
        Row("min max", 1, "⟨min max⟩($int, $int)"),
        Row("len", 2, "len(⟨@ints @table @tensors @named @str @set⟩)"),
        Row("size", 4, shape_read),
        Row("numel", 1, "@any.⟨numel() dim() ndim⟩"),
        Row("len of tensor", 0.3, "len(@any)"),
        Row("item", 0.4, "int($scalar.item())"),
        Row("list item", 2, "@ints[⟨0 -1 $small⟩]"),
        Row("list item safe", 2, "(@ints[$int % len(@ints)] if @ints else $int)"),
        Row("dict item", 1, '@table[⟨"a" "b"⟩]'),
        Row("dict get", 1, "@table.get($str, $int)"),
        Row("dict setdefault", 0.5, "@table.setdefault(($str)[:8], $int)"),
        Row("list pop", 0.3, "@ints.pop(⟨0 -1⟩)"),
        Row("list methods", 0.5, "@ints.count($int)"),
        Row("sum list", 1, "sum($ints)"),
        Row("sum generator", 1, comprehension("sum(#body for #i in #over)", "ints", "int")),
        Row("max generator", 0.5, comprehension("max((#body for #i in #over), default=0)", "ints", "int")),
        Row("sum with if", 0.5, comprehension("sum(#i for #i in #over if #test)", "ints", "int")),
        Row("next", 0.5, comprehension("next((#i for #i in #over if #test), -1)", "ints", "int")),
        Row("attribute", 3, "@box.count"),
        Row("method", 1.5, "@box.bump($int)"),
        Row("property", 0.5, "@box.twice"),
        Row("tuple item", 1.5, "@pair[1]"),
        Row("conditional expression", 1.5, "($int if $bool else $int)"),
        Row("or", 0.5, "($int ⟨or and⟩ $int)"),
        Row("maybe default", 2, "(@maybe if @maybe is not None else $int)"),
        Row("call", 4, called),
        Row("immediate lambda", 0.3, comprehension("(lambda #i: #body)(len(#over))", "ints", "int")),
        Row("ord", 0.2, "ord(⟨@str⟩[0])"),
        Row("str index", 0.3, "@str.find($str)"),
        Row("divmod", 0.3, "divmod($int, $positive)[⟨0 1⟩]"),
        Row("round", 0.3, "round($float)"),
        Row("reduce", 0.3, "functools.reduce(lambda p, q: p - q, $ints, $int)"),
        Row("map", 0.5, "sum(map(abs, $ints))"),
        Row("unpack into call", 0.3, "max(*$ints, $int)"),
        Row("getattr", 0.4, 'getattr(@box, ⟨"count" "missing"⟩, $int)'),
        Row("operator function", 0.7, "operator.⟨add sub and_ or_ xor⟩($int, $int)"),
        Row("operator of one", 0.4, "operator.⟨neg pos inv abs index⟩($int)"),
        Row("hash of type", 0.2, "len(type(⟨@box @any @ints⟩).__name__)"),
    ),
    "float": (
        Row("float arithmetic", 4, "($float ⟨+ - *⟩ $float)"),
        Row("mixed arithmetic", 2, "($float ⟨+ - *⟩ $int)"),
        Row("true division", 1, "($int / $positive)"),
        Row("division by float", 1, "($float / ⟨2.0 0.5 4⟩)"),
        Row("float power", 0.7, "($float ** 2)"),
        Row("float of int", 1, "float($int)"),
        Row("float unary", 0.7, "⟨- abs⟩($float)"),
        Row("least float", 0.7, "⟨min max⟩($float, $float)"),
        Row("math", 1, "math.⟨sqrt cos floor fabs⟩(abs($float))"),
        Row("math of int", 0.5, "math.⟨sqrt sin atan⟩(abs($int))"),
        Row("sum of floats", 0.7, "sum([$float, ⟨$int $float⟩, 0.1, 0.2], ⟨$float 0⟩)"),
        Row("operator function", 0.3, "operator.⟨add mul truediv⟩($float, $positive)"),
        Row("item", 0.5, "$scalar.item()"),
        Row("float of tensor", 0.2, "float($scalar)"),
        Row("conditional expression", 1, "($float if $bool else $float)"),
        Row("call", 2, called),
    ),
    "bool": (
        Row("compare ints", 6, "($int ⟨< <= > >= == !=⟩ $int)"),
        Row("chained comparison", 1.5, "($int ⟨< <=⟩ $int ⟨< != >=⟩ $int)"),
        Row("compare floats", 1, "($float ⟨< > == >=⟩ $float)"),
        Row("compare float with int", 0.5, "($float ⟨< >=⟩ $int)"),
        Row("bool of number", 0.5, "bool(⟨$int $float⟩)"),
        Row("bits of bools", 0.5, "(($int < $int) ⟨& |⟩ ($int > $int))"),
        Row("class of box", 0.4, "(isinstance(@box, ⟨Box int Odd⟩) ⟨or and⟩ type(@box) is Box)"),
        Row("in box", 0.4, "($int in @box)"),
        Row("subclass", 0.3, "issubclass(Odd, ⟨ValueError KeyError Exception⟩)"),
        Row("compare strings", 1, "($str ⟨== < !=⟩ $str)"),
        Row("compare sizes", 1, "(@any.shape ⟨== !=⟩ @any.shape)"),
        Row("compare lists", 0.5, "($ints ⟨== <⟩ $ints)"),
        Row("in list", 1, "($int in $ints)"),
        Row("in dict", 1, "($str not in @table)"),
        Row("dict equal", 0.4, "(@table ⟨== !=⟩ $table)"),
        Row("in set", 0.5, "($int in $set)"),
        Row("in tuple", 0.5, "($int in (1, 2, $int))"),
        Row("in str", 0.5, "($str in $str)"),
        Row("not", 1, "(not $bool)"),
        Row("and or", 2, "($bool ⟨and or⟩ $bool)"),
        Row("is None", 2, "($maybe is ⟨None True⟩)"),
        Row("is not None", 1, "($maybe is not None)"),
        Row("is same", 0.7, "(@same is @same)"),
        Row("is same tensor", 0.7, "(@any is @any)"),
        Row("is same list", 0.7, "(@ints is @ints)"),
        Row("isinstance", 1, "isinstance(⟨@maybe @any @int @ints @box⟩, ⟨int list torch.Tensor (int,str) Box⟩)"),
        Row("type is", 0.5, "(type(⟨@maybe @int @ints⟩) is ⟨int list bool⟩)"),
        Row("truth of list", 1, "bool(⟨@ints @table @str @int @tensors⟩)"),
        Row("hasattr", 0.3, 'hasattr(⟨@box @any @int⟩, ⟨"count" "shape" "value"⟩)'),
        Row("operator comparison", 0.5, "operator.⟨lt eq ne ge⟩($int, ⟨$int $float⟩)"),
        Row("operator truth", 0.4, "operator.⟨not_ truth⟩(⟨$int $ints @table $str⟩)"),
        Row("operator contains", 0.3, "operator.contains(⟨$ints $set⟩, $int)"),
        Row("operator is", 0.3, "operator.⟨is_ is_not⟩(@ints, @ints)"),
        Row("any", 1, comprehension("any(#test for #i in #over)", "ints", "int")),
        Row("all", 0.5, comprehension("all(#test for #i in #over)", "ints", "int")),
        Row("dtype", 0.5, "(@any.dtype ⟨== is⟩ torch.⟨float32 float64⟩)"),
        Row("requires grad", 0.3, "@any.requires_grad"),
        Row("grad mode", 0.2, "torch.is_grad_enabled()"),
        Row("contiguous", 0.3, "@any.is_contiguous()"),
        Row("tensor in condition", 0.2, "bool($scalar ⟨> <⟩ $float)"),
        Row("allclose", 0.1, "torch.equal($same, $same)"),
        Row("call", 1, called),
    ),
    "str": (
        Row("concatenation", 1.5, "($str + $str)"),
        Row("repetition", 0.5, "($str * $small)"),
        Row("f-string", 2, "f'{@int}-{@str}'"),
        Row("f-string format", 1, "f'{@int:⟨03d >4 x⟩}|{@float:⟨.2f 8.3f e⟩}'"),
        Row("f-string repr", 0.7, "f'{@str!r:>6}{@ints}'"),
        Row("f-string nested", 0.3, "f'{@int:>{$positive}}'"),
        Row("percent", 0.7, '("%s/%d" % ($str, $int))'),
        Row("format by keyword", 0.5, '"{q} {:>3} {w}".format($int, q=$str, w=$bool)'),
        Row("sorted keys", 0.4, '"".join(sorted(@table.keys() ⟨| & - ^⟩ {"a", $str}))'),
        Row("format method", 0.7, '"{} {:>3}".format($str, $int)'),
        Row("str of", 1, "str(⟨@int @float @ints @table @bool @maybe⟩)"),
        Row("repr", 0.4, "repr(⟨@int @str @ints @table⟩)"),
        Row("join", 0.7, '"-".join([$str, $str])'),
        Row("join generator", 0.5, comprehension('",".join(str(#body) for #i in #over)', "ints", "int")),
        Row("str methods", 1, "$str.⟨upper() lower() strip() title()⟩"),
        Row("str replace", 0.4, '$str.replace("a", $str)'),
        Row("str slice", 0.7, "$str[⟨1: :2 ::-1 -2:⟩]"),
        Row("shape text", 0.3, "str(@any.shape)"),
        Row("dtype text", 0.3, "str(@any.dtype)"),
        Row("conditional expression", 1, "($str if $bool else $str)"),
        Row("type name", 0.3, "type(⟨@maybe @any @ints⟩).__name__"),
    ),
    "maybe": (
        Row("conditional None", 1, "($int if $bool else None)"),
        Row("dict get None", 1, "@table.get($str)"),
    ),
    "ints": (
        Row("list display", 2, "[$int, $int, $int]"),
        Row("list starred", 1, "[*$ints, $int]"),
        Row("list slice", 1, "$ints[⟨1: :2 ::-1 -2: 0:1⟩]"),
        Row("list comprehension", 2, comprehension("[#body for #i in #over]", "ints", "int")),
        Row("list comprehension if", 1, comprehension("[#body for #i in #over if #test]", "ints", "int")),
        Row("nested comprehension", 0.5, comprehension("[#i * j for #i in #over for j in range(2)]", "ints", "int")),
        Row("list of range", 1, "list(range($small, ⟨4 6⟩, ⟨1 2⟩))"),
        Row("sorted", 0.7, "sorted($ints, reverse=$bool)"),
        Row("sorted key", 0.5, "sorted($ints, key=lambda q: -q)"),
        Row("sorted set", 0.5, "sorted($set)"),
        Row("reversed", 0.4, "list(reversed($ints))"),
        Row("dict values", 0.7, "list($table.values())"),
        Row("list of sizes", 0.7, "list(@any.shape)"),
        Row("list concatenation", 0.7, "($ints + $ints)[:6]"),
        Row("list repetition", 0.4, "([$int] * $small)"),
        Row("list copy", 0.5, "⟨list(@ints) @ints.copy() @ints[:]⟩"),
        Row("map to list", 0.4, "list(map(lambda q: q + $small, $ints))"),
        Row("filter", 0.4, "list(filter(None, $ints))"),
        Row("zip to list", 0.4, "[p * q for p, q in zip($ints, $ints)]"),
        Row("itertools to list", 0.7, "list(itertools.⟨chain accumulate⟩($ints))"),
        Row(
            "conditions to list", 0.4, "list(itertools.⟨takewhile dropwhile filterfalse⟩(lambda q: q < $small, $ints))"
        ),
        Row("groups", 0.4, "[q + len(list(g)) for q, g in itertools.groupby($ints)]"),
        Row("groups by key", 0.4, "[max(g) for _, g in itertools.groupby($ints, key=lambda q: q > $small)]"),
        Row("tee", 0.3, "[p * next(q, 1) for q in [iter($ints)] for p in itertools.tee($ints, 3)[1]]"),
        Row("getter", 0.5, "[operator.itemgetter(⟨0 -1⟩)(($int, $int))]"),
        Row("sorted by getter", 0.4, "[p for p, _ in sorted(zip($ints, $ints), key=operator.itemgetter(1))]"),
        Row("method caller", 0.3, "[operator.methodcaller(⟨'\"count\"' '\"index\"'⟩, $int)($ints)]"),
        Row("deque", 0.6, "list(collections.deque($ints, maxlen=⟨None 2 3⟩))"),
        Row("deque rotated", 0.4, "[collections.deque($ints)[⟨0 -1⟩], *reversed(collections.deque($ints))]"),
        Row("most common", 0.5, "[p for p, _ in collections.Counter($ints).most_common()]"),
        Row("keys to list", 0.4, "[len(@table.keys() ⟨| & - ^⟩ {⟨'\"a\"' '\"q\"'⟩, $str})]"),
        Row("counts", 0.4, "list(collections.Counter($ints).values())"),
        Row("compress", 0.3, "list(itertools.compress($ints, ($bool, $bool, 1)))"),
        Row("slice of a range", 0.3, "list(range($small, 9)[⟨1: ::-1 -2: :3:2⟩])"),
        Row("strict zip", 0.2, "[p + q for p, q in zip(($ints)[:2], (1, $int), strict=⟨True False⟩)]"),
        Row("enumerate to list", 0.4, "[p - q for p, q in enumerate($ints)]"),
        Row("generator function", 0.5, "list(counting($small))"),
        Row("generator of generators", 0.6, "list(walked([$int, $ints, [$small, [$int]]]))"),
        Row("operator of lists", 0.5, "operator.⟨concat add⟩($ints, [$int])[:6]"),
        Row("operator item", 0.3, "operator.getitem($ints, slice($small, None))"),
        Row("tolist", 0.2, "torch.ones($positive).long().tolist()"),
        Row("conditional expression", 0.5, "($ints if $bool else $ints)"),
        Row("aliases in tuple", 0.3, "(@ints, $int)[0]"),
    ),
    "set": (
        Row("set display", 1, "{$int, $int}"),
        Row("set of list", 1, "set($ints)"),
        Row("set union", 0.7, "($set ⟨| & -⟩ $set)"),
        Row("set comprehension", 0.7, comprehension("{#body for #i in #over}", "ints", "int")),
    ),
    "table": (
        Row("dict display", 1, '{"a": $int, "b": $int}'),
        Row("dict call", 0.7, "dict(a=$int, b=$int)"),
        Row("dict merge", 0.7, '{**$table, "c": $int}'),
        Row("dict union", 0.4, "($table | $table)"),
        Row("dict comprehension", 1, comprehension("{str(#i): #body for #i in #over}", "ints", "int")),
        Row("dict of zip", 0.5, 'dict(zip(["a", "b"], [$int, $int]))'),
        Row("dict copy", 0.4, "@table.copy()"),
        Row("ordered dict", 0.5, 'collections.OrderedDict([("b", $int), ($str, $int)])'),
        Row("default dict", 0.5, "collections.defaultdict(int, $table)"),
        Row("counter", 0.4, "collections.Counter($str)"),
        Row("record to dict", 0.3, "Dot($int, $int)._asdict()"),
        Row("dict invert", 0.4, "{k: v + 1 for k, v in $table.items()}"),
    ),
    "pair": (Row("tuple display", 1, "($same, $int)"), Row("tuple concatenation", 0.3, "(($same,) + ($int,))")),
    "box": (Row("construct", 1, "Box($same, $int)"), Row("construct by keyword", 0.5, "Box(value=$same, count=$int)")),
    "tensors": (
        Row("list of tensors", 1, "[$same, $same]"),
        Row("tensor comprehension", 1, comprehension("[#body for #i in #over]", "tensors", "same")),
        Row("tensors by range", 0.7, "[@same * j for j in range($positive)]"),
        Row("tensors slice", 0.5, "$tensors[⟨::-1 :1 :⟩]"),
        Row("tensors concatenation", 0.5, "($tensors + $tensors)[:4]"),
        Row("values of dict", 0.5, "list(@named.values())"),
    ),
    "named": (
        Row("dict of tensors", 1, '{"a": $same, "b": $same}'),
        Row("named merge", 0.5, '{**@named, "b": $same}'),
        Row("named comprehension", 0.5, "{k: v * 2 for k, v in @named.items()}"),
    ),
    "mask": (
        Row("tensor comparison", 4, "($same ⟨< <= > >= == !=⟩ $broad)"),
        Row("tensor against number", 2, "($same ⟨< > >=⟩ ⟨$float $int⟩)"),
        Row("mask logic", 1, "($mask ⟨& | ^⟩ $mask)"),
        Row("mask not", 0.5, "(~$mask)"),
        Row("logical functions", 0.5, "torch.logical_⟨and or⟩($mask, $mask)"),
        Row("isnan", 0.3, "torch.⟨isnan isinf isfinite⟩($same)"),
    ),
    "tensor": (
        Row("tensor arithmetic", 8, "($same ⟨+ - * /⟩ $broad)"),
        Row("tensor reflected", 2, "(⟨$float $int⟩ ⟨+ - *⟩ $same)"),
        Row("tensor and number", 4, "($same ⟨+ - * /⟩ ⟨$float $int $small⟩)"),
        Row("tensor negation", 1, "(-$same)"),
        Row("operator function", 1, "operator.⟨add sub mul truediv⟩($same, ⟨$broad $float⟩)"),
        Row("operator of one", 0.4, "operator.⟨neg pos abs⟩($same)"),
        Row("tensor power", 0.7, "($same ** ⟨2 3⟩)"),
        Row("tensor floor", 0.4, "($same ⟨// %⟩ 1.5)"),
        Row("tensor functions", 4, "torch.⟨sin cos tanh relu sigmoid abs neg floor⟩($same)"),
        Row("tensor methods", 3, "$same.⟨sin() cos() tanh() abs() relu() exp() sigmoid() square() sign()⟩"),
        Row("binary functions", 1.5, "torch.⟨maximum minimum add sub mul⟩($same, $broad)"),
        Row("binary methods", 1.5, "$same.⟨add mul sub⟩($broad)"),
        Row("alpha", 0.5, "torch.add($same, $broad, alpha=⟨2 $int 0.5⟩)"),
        Row("where", 1.5, "torch.where($mask, $same, ⟨$broad $float⟩)"),
        Row("masked fill", 0.7, "$same.masked_fill($mask, $float)"),
        Row("clamp", 1, "$same.clamp(⟨min=-1.0 -1,1 max=2⟩)"),
        Row("mask to float", 0.7, "$mask.⟨float() double() to(torch.float32)⟩"),
        Row("reduction", 3, reduction),
        Row("whole reduction", 2, whole_reduction),
        Row("keepdim", 1, keepdim),
        Row("unsqueeze", 1, unsqueeze),
        Row("squeeze", 0.3, squeeze),
        Row("matmul", 1, matmul),
        Row("select", 2, select),
        Row("transpose", 1.5, transposed),
        Row("stack", 1, stacked),
        Row("expand", 0.7, "$broad.expand($shape)"),
        Row("reshape", 0.7, "$same.reshape(-1).reshape($shape)"),
        Row("view", 0.7, "$same.contiguous().view($shape)"),
        Row("views", 1, "$same⟨[...] .view_as(@same) .detach() .contiguous() .clone()⟩"),
        Row("flip", 0.4, "$same.flip($dim)"),
        Row("roll", 0.4, "$same.roll(1, $dim)"),
        Row("cumsum", 0.5, "$same.cumsum($dim)"),
        Row("softmax", 0.5, "torch.softmax($same, dim=$dim)"),
        Row("functional", 0.7, "torch.nn.functional.⟨gelu silu relu softplus⟩($same)"),
        Row("like", 0.7, "torch.⟨ones_like zeros_like⟩($same)"),
        Row("new", 0.4, "@any.new_⟨zeros ones⟩($shape)"),
        Row("dtype change", 0.4, "$same.⟨double() to(torch.float64) float()⟩"),
        Row("shape unpacked", 0.3, "torch.zeros(*@same.shape)"),
        Row("tensor of list", 3, "@tensors[⟨0 -1 1⟩]"),
        Row("tensor of dict", 3, '@named[⟨"a" "b"⟩]'),
        Row("tensor of tuple", 2, "@pair[0]"),
        Row("tensor of box", 4, "@box.value"),
        Row("tensor from method", 3, "@box.scaled(⟨$float $int⟩)"),
        Row("operator overload", 2, "(@box ⟨+ *⟩ $same)"),
        Row("callable object", 1.5, "@box($same)"),
        Row("sum of tensors", 1, "sum($tensors)"),
        Row("sum of generator", 1, comprehension("sum((#body for #i in #over), @same)", "tensors", "same")),
        Row("stack of list", 0.7, "torch.stack($tensors).⟨sum(0) mean(0) amax(0)⟩"),
        Row("conditional expression", 1.5, "($same if $bool else $same)"),
        Row("call", 7, called),
        Row("partial", 0.4, "functools.partial(torch.mul, $same)(⟨$float 2⟩)"),
        Row("inplace result", 0.4, "$same.clone().⟨add_(1) mul_(2) zero_()⟩"),
        Row("item as factor", 0.2, "($same * $scalar.item())"),
        Row("torch namespace", 0.4, "torch.⟨square exp log1p⟩($same.abs())"),
    ),
}
