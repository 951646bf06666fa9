"""Compound statements: branches, loops, handlers, contexts."""

from __future__ import annotations

from pybind.tests.dynamo.fuzz.expressions import (
    expression,
    fill,
)
from pybind.tests.dynamo.fuzz.rows import Row
from pybind.tests.dynamo.fuzz.scope import (
    LOOP_DEPTH,
    NoFit,
    Scope,
    Variable,
    tensor,
)
from pybind.tests.dynamo.fuzz.statements import BOOL, INT, STR, body, room, some_kind


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


#: Calls that give a stack of managers what it is to leave.
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
