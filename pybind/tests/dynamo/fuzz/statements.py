"""Statements: a row for each construct."""

from __future__ import annotations

import re

from pybind.tests.dynamo.fuzz.expressions import CONTAINERS, call, expression, fill, sizes
from pybind.tests.dynamo.fuzz.rows import Row
from pybind.tests.dynamo.fuzz.scope import (
    BLOCK_DEPTH,
    LOOP_DEPTH,
    MUTABLE,
    SHAPED,
    Kind,
    NoFit,
    Scope,
    Shape,
    Signature,
    Variable,
    tensor,
)

INT, BOOL, STR = Kind("int"), Kind("bool"), Kind("str")

#: How often a kind is taken for a new variable, a parameter, or a result.
KINDS = {
    "tensor": 10,
    "int": 4,
    "float": 2,
    "bool": 1,
    "str": 1.5,
    "maybe": 2,
    "ints": 2,
    "set": 0.5,
    "table": 1.5,
    "tensors": 2.5,
    "named": 2,
    "pair": 1.2,
    "box": 2.5,
    "mask": 0.7,
}


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


def branch(scope: Scope) -> None:
    room(scope)
    test = expression(scope, BOOL)
    with scope.block(f"if {test}:"):
        body(scope)
    while scope.chance(0.25):
        test = expression(scope, BOOL)
        with scope.block(f"elif {test}:"):
            body(scope, 2)
    if scope.chance(0.5):
        with scope.block("else:"):
            body(scope)


def data_branch(scope: Scope) -> None:
    """A branch on a tensor's value."""
    room(scope)
    test = fill(scope, scope.rng.choice(("$scalar > $float", "$any.sum() < 0", "$any.any()", "not $scalar")), INT)
    with scope.block(f"if {test}:"):
        body(scope)
    if scope.chance(0.5):
        with scope.block("else:"):
            body(scope)


def walrus(scope: Scope) -> None:
    room(scope)
    text = expression(scope, INT)
    other = expression(scope, INT)
    with scope.block(f"if ({scope.bind(INT)} := {text}) > {other}:"):
        body(scope)


def matching(scope: Scope) -> None:
    room(scope)
    subject = expression(scope, some_kind(scope, "int", "ints", "maybe"))
    scope.line(f"match {subject}:")
    scope.indent += 1
    for pattern in scope.rng.sample(("0", "1 | 2", "[a]", "[_, *_]", "None", "int()"), 2):
        with scope.block(f"case {pattern}:"):
            body(scope, 2)
    if scope.chance(0.6):
        with scope.block("case _:"):
            body(scope, 2)
    scope.indent -= 1


def room(scope: Scope) -> None:
    """No deeper than the limits."""
    if scope.frame.blocks >= BLOCK_DEPTH or scope.budget <= 2:
        raise NoFit


def loop_room(scope: Scope) -> None:
    room(scope)
    deep = 1 if scope.frame.outer is not None or scope.frame.result is not None else LOOP_DEPTH
    if scope.frame.loops >= deep:
        raise NoFit


def counted(scope: Scope) -> None:
    """A while loop with a counter that nothing else writes."""
    loop_room(scope)
    counter = scope.bind(INT, "w", free=False)
    condition = f" and {expression(scope, BOOL)}" if scope.chance(0.4) else ""
    scope.line(f"{counter} = 0")
    with scope.block(f"while {counter} < {scope.rng.randrange(1, 4)}{condition}:", loop=True):
        scope.line(f"{counter} += 1")
        body(scope)
    otherwise(scope)


def otherwise(scope: Scope) -> None:
    """The else of a loop, now and then."""
    if scope.chance(0.15):
        with scope.block("else:"):
            body(scope, 1)


def over(scope: Scope) -> None:
    """A for loop over anything."""
    loop_room(scope)
    shape = scope.some_shape()
    item, name = tensor(*shape), scope.fresh
    a, b = name("i"), name("i")
    template, targets = scope.rng.choice(
        (
            ("for #a in range(⟨2 3 $small⟩):", [INT]),
            ("for #a in range($int % 4):", [INT]),
            ("for #a in range(3, 0, -1):", [INT]),
            ("for #a in ($int, $int):", [INT]),
            ("for #a in ($ints)[:4]:", [INT]),
            ("for #a, #b in enumerate($tensors, $small):", [INT, item]),
            ("for #a, #b in enumerate(($ints)[:4]):", [INT, INT]),
            ("for #a, #b in zip(($ints)[:4], $tensors):", [INT, item]),
            ("for #a, #b in $table.items():", [STR, INT]),
            ("for #a, #b in $named.items():", [STR, item]),
            ("for #a in @table:", [STR]),
            ("for #a in list($table.values()):", [INT]),
            ("for #a in $tensors:", [item]),
            ("for #a in reversed($tensors):", [item]),
            ("for #a in [$same, $same]:", [item]),
            ("for #a in @any.shape:", [INT]),
            ("for #a in ($str)[:3]:", [STR]),
            ("for #a in range(@any.size(0)):", [INT]),
            ("for #a in counting(3):", [INT]),
            ("for #a in walked([$int, ($ints)[:2]]):", [INT]),
            ("for #a in sorted($set)[:4]:", [INT]),
            ("for #a, #b in [(1, $same), ($int, $same)]:", [INT, item]),
            ("for #a in map(abs, ($ints)[:4]):", [INT]),
            ("for #a, #b in zip(itertools.count($int % 9), ($ints)[:4]):", [INT, INT]),
            ("for #a, #b in zip($tensors, itertools.cycle([1, $int % 9])):", [item, INT]),
            ("for #a in itertools.chain(($ints)[:2], ($ints)[:2]):", [INT]),
            ("for #a in itertools.islice(itertools.chain(@ints, ($int,)), ⟨0 1⟩, 4):", [INT]),
            ("for #a in itertools.takewhile(lambda q: q < $small, ($ints)[:4]):", [INT]),
            ("for #a in itertools.accumulate($tensors):", [item]),
            ("for #a, #b in itertools.zip_longest(($ints)[:2], ($ints)[:3], fillvalue=0):", [INT, INT]),
        )
    )
    head = fill(scope, template, item).replace("#a", a).replace("#b", b)
    with scope.block(head, loop=True):
        scope.frame.variables += [Variable(n, kind) for n, kind in zip((a, b), targets)]
        body(scope)
    otherwise(scope)


def over_rows(scope: Scope) -> None:
    loop_room(scope)
    owners = [v for v in scope.visible() if v.kind.name == "tensor" and len(v.kind.shape) > 1]
    if not owners:
        raise NoFit
    owner = scope.rng.choice(owners)
    row = scope.fresh("i")
    with scope.block(f"for {row} in {owner.name}:", loop=True):
        scope.frame.variables.append(Variable(row, tensor(*owner.kind.shape[1:])))
        body(scope)


def jump(scope: Scope) -> None:
    if not scope.frame.loops or scope.frame.blocks < 1:
        raise NoFit
    test = expression(scope, BOOL)
    with scope.block(f"if {test}:"):
        scope.line(scope.rng.choice(("break", "continue")))


def protect(scope: Scope) -> None:
    """A try statement, with what may well fail in it."""
    room(scope)
    with scope.block("try:"):
        body(scope)
        if scope.chance(0.6):
            risky = (
                "$ints[$int]",
                "$table[$str]",
                "@any @ torch.ones(7, 7)",
                "@any.view(13)",
                "int($str)",
                "$int // $small",
                "raise ValueError(f'{@int}')",
                "raise KeyError($str)",
                "raise Odd($str, $int)",
                "raise Odd",
                "assert $bool",
                "assert $bool, $str",
                "@box.nothing",
            )
            with_room = fill_or(scope, scope.rng.choice(risky), "raise ValueError")
            scope.line(with_room)
    handled = scope.chance(0.85)
    if handled:
        kinds = (
            "Exception",
            "(IndexError, KeyError)",
            "(ValueError, RuntimeError)",
            "ZeroDivisionError",
            "LookupError",
            "Odd",
            "(Odd, KeyError)",
        )
        error = scope.fresh("e")
        with scope.block(f"except {scope.rng.choice(kinds)} as {error}:"):
            scope.line(
                scope.rng.choice(
                    (
                        f"print(type({error}).__name__)",
                        f"print({error})",
                        f"print(len({error}.args), isinstance({error}, Odd))",
                        "pass",
                    )
                )
            )
            body(scope, 2)
            if scope.chance(0.1):
                scope.line("raise")
        if scope.chance(0.15):
            with scope.block("else:"):
                body(scope, 1)
    if not handled or scope.chance(0.3):
        with scope.block("finally:"):
            body(scope, 2)


def fill_or(scope: Scope, template: str, otherwise: str) -> str:
    try:
        return fill(scope, template, tensor(*scope.some_shape()))
    except NoFit:
        return otherwise


def context(scope: Scope) -> None:
    room(scope)
    row = scope.rng.choices(CONTEXTS, [row.weight for row in CONTEXTS])[0]
    assert isinstance(row.make, str)
    name = scope.fresh("n")
    head = f"with {fill(scope, row.make, INT)}:"
    given: list[str] = []
    if row.name == "exit stack":
        given = [fill(scope, text, INT) for text in scope.rng.choices(GIVEN_TO_STACKS, k=scope.rng.randrange(4))]
    with scope.block(head.replace("n#", name)):
        for text in given:
            scope.line(text.replace("n#", name))
        body(scope)


CONTEXTS: tuple[Row, ...] = (
    Row("no_grad", 2, "torch.no_grad()"),
    Row("enable_grad", 1, "torch.enable_grad()"),
    Row("set_grad_enabled", 1, "torch.set_grad_enabled($bool)"),
    Row("autocast", 0.7, 'torch.autocast("cpu", enabled=⟨True False $bool⟩)'),
    Row("nullcontext", 0.5, "contextlib.nullcontext($int) as n#"),
    Row("suppress", 0.7, "contextlib.suppress(⟨ValueError Odd (KeyError)⟩)"),
    Row("contextmanager", 0.7, "quietly(@ints) as n#"),
    Row("guarded", 0.7, "guarded(@ints) as n#"),
    Row("exit stack", 1, "contextlib.ExitStack() as n#"),
    Row("object", 0.7, "@box as n#"),
    Row("two", 0.5, "torch.no_grad(), contextlib.nullcontext() as n#"),
    Row("new object", 1, "Noted(@ints)"),
    Row("new object as", 1, "Noted(@ints) as n#"),
)


#: What a stack of managers is to leave.
GIVEN_TO_STACKS = (
    "n#.callback(@ints.append, $int)",
    "n#.callback(lambda by=1: setattr(@box, 'count', by), by=$int % 9)",
    "n#.enter_context(torch.no_grad())",
    "n#.enter_context(contextlib.suppress(⟨ValueError KeyError⟩))",
    "n#.enter_context(⟨guarded(@ints) quietly(@ints) Noted(@ints)⟩)",
    "n#.enter_context(@box)",
    "n#.push(lambda kind, *_: kind is ⟨KeyError ValueError⟩)",
    "n#.push(@box)",
    "n#.pop_all().close()",
)


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


STATEMENTS: tuple[Row, ...] = (
    Row("assign", 14, assign),
    Row("assign again", 6, rebind),
    Row("assign chained", 0.7, chained),
    Row("assign annotated", 0.2, annotated),
    Row("alias", 2, alias),
    Row("swap", 1, swap),
    Row("unpack", 2, unpack),
    Row("part of tensor", 3, partial_tensor),
    Row("in-place", 3, in_place),
    Row("augmented", 3, augmented),
    Row("if", 5, branch),
    Row("if tensor", 0.8, data_branch),
    Row("walrus", 1, walrus),
    Row("match", 0.5, matching),
    Row("while", 1, counted),
    Row("for", 5, over),
    Row("for rows", 0.7, over_rows),
    Row("break continue", 1.5, jump),
    Row("try", 1.5, protect),
    Row("with", 1.2, context),
    Row("early return", 1, early_return),
    Row("raise", 0.7, raised),
    Row("assert", 0.4, "assert $bool or True, $str"),
    Row("assert may fail", 0.15, "assert $bool, $str"),
    Row("global write", 1, write_global),
    Row("nonlocal write", 3, write_outer),
    Row("def", 2.5, define),
    Row("lambda", 1, lambda_function),
    Row("closure counter", 0.6, counter),
    Row("recursion", 0.7, recursion),
    Row("call statement", 1, expression_statement),
    Row("print", 1.5, "print(⟨$int $str $ints @any.shape $table $bool⟩, $int)"),
    Row("print keywords", 0.3, 'print($int, $str, sep="|", end="⟨. !⟩")'),
    Row("print tensor", 0.15, "print($scalar)"),
    Row("graph break", 0.5, "torch._dynamo.graph_break()"),
    Row("disabled call", 0.5, "disabled(⟨$any $int $ints⟩)"),
    Row("unbound local", 0.1, "⟨g_int g_str g_ints⟩ += 1"),
    Row("append", 1, "if len(@ints) < 6:\n    @ints.append($int)"),
    Row("append to other", 1, "@ints.append($int % 9) if len(@ints) < 6 else None"),
    Row("insert", 0.5, "@ints.insert($small, $int)"),
    Row("extend", 0.5, "@ints.extend(($ints)[:1])"),
    Row("list store", 1, "@ints[⟨0 -1 $small⟩] = $int"),
    Row("slice store", 0.4, "@ints[:1] = ($ints)[:2]"),
    Row("operator store", 0.4, "operator.setitem(@ints, ⟨0 -1⟩, $int)"),
    Row("operator del", 0.1, "operator.delitem(@ints, 0)"),
    Row("operator in place", 0.3, "operator.iadd(@ints, [$int]) if len(@ints) < 6 else None"),
    Row("list order", 0.4, "@ints.⟨reverse() sort()⟩"),
    Row("list clear", 0.1, "@ints.clear()"),
    Row("list remove", 0.2, "@ints.remove($int)"),
    Row("list pop", 0.4, "@ints.pop()"),
    Row("list del", 0.3, "del @ints[⟨0 -1 1:⟩]"),
    Row("tensors store", 0.7, "@tensors[⟨0 -1⟩] = $same"),
    Row("tensors append", 0.7, "@tensors.append($same) if len(@tensors) < 5 else None"),
    Row("dict store", 1.2, "@table[($str)[:8]] = $int % 77"),
    Row("dict update", 0.5, "@table.update(⟨a=$int $table⟩)"),
    Row("dict pop", 0.4, '@table.pop(⟨"a" "b"⟩, ⟨None 0⟩)'),
    Row("dict pop may fail", 0.1, '@table.pop(⟨"a" "b"⟩)'),
    Row("dict del", 0.15, 'del @table[⟨"a" "b"⟩]'),
    Row("dict augmented", 0.5, '@table["a"] = (@table.get("a", 0) + $int) % 77'),
    Row("named store", 0.7, '@named[⟨"a" "b" "c"⟩] = $same'),
    Row("set add", 0.4, "@set.⟨add discard⟩($int)"),
    Row("attribute store", 1, "@box.value = $same"),
    Row("attribute count", 1, "@box.count = $int % 55"),
    Row("attribute augmented", 0.7, "@box.count += $small"),
    Row("attribute new", 0.4, "@box.extra = ⟨$str $ints $any⟩"),
    Row("attribute in-place", 0.4, "@box.value = @box.value ⟨+ *⟩ $broad"),
    Row("setattr", 0.3, 'setattr(@box, "count", $int % 9)'),
    Row("attribute del", 0.1, "del @box.extra"),
    Row("method call", 0.7, "@box.⟨bump(1) reset()⟩"),
    Row("pass", 0.1, "pass"),
)
