"""Context managers of all kinds."""

from __future__ import annotations

from pybind.tests.dynamo.fuzz.rows import Row, Theme

MANAGERS = Theme(
    definitions="""\
class Swallow:
    def __init__(self, *kinds, notes=None):
        self.kinds = kinds
        self.notes = [] if notes is None else notes

    def __enter__(self):
        self.notes.append(1) if len(self.notes) < 8 else None
        return self.notes

    def __exit__(self, kind, error, trace):
        if error is not None:
            print("left by", kind.__name__, error.args, trace is None)
        return kind is not None and issubclass(kind, self.kinds)


class Raises:
    def __enter__(self):
        return 3

    def __exit__(self, kind, error, trace):
        raise KeyError("from exit", kind is None)


class Fails:
    def __enter__(self):
        raise ValueError("from enter")

    def __exit__(self, kind, error, trace):
        print("never")


class Decorated(contextlib.ContextDecorator):
    def __enter__(self):
        print("in")
        return self

    def __exit__(self, *error):
        print("out", error[0])
        return False


@Decorated()
def decorated(value):
    return value + 1


@contextlib.contextmanager
def replaced(target, name, value):
    before = getattr(target, name, None)
    setattr(target, name, value)
    try:
        yield before
    finally:
        setattr(target, name, before)


@contextlib.contextmanager
def retried(notes):
    try:
        yield notes
    except ValueError as error:
        raise RuntimeError("wrapped") from error
    else:
        notes.append(6) if len(notes) < 8 else None


@torch.no_grad()
def without_grad(x):
    return x * 2, torch.is_grad_enabled()


@contextlib.contextmanager
def grad_off_inside(x):
    with torch.set_grad_enabled(False):
        yield x + 1


class Closing:
    def __init__(self):
        self.closed = 0

    def close(self):
        self.closed += 1
""",
    expressions={
        "int": (
            Row("decorated by manager", 0.4, "decorated($int)"),
            Row("grad mode inside", 0.4, "int(without_grad($any)[1])"),
        ),
        "tensor": (Row("function without grad", 0.7, "without_grad($same)[0]"),),
    },
    statements=(
        Row(
            "swallow",
            1,
            """\
with Swallow(⟨ValueError KeyError Exception⟩, notes=@ints) as §n:
    …
    raise ⟨ValueError KeyError⟩($int)""",
        ),
        Row("swallow nothing", 0.5, "with Swallow(ValueError):\n    …"),
        Row(
            "exit raises",
            0.4,
            """\
try:
    with Raises() as §n:
        …
        ⟨pass raise(ValueError(1)) print(§n)⟩
except KeyError as §e:
    print(§e, repr(§e.__context__))""",
        ),
        Row(
            "enter raises",
            0.4,
            "try:\n    with Swallow(KeyError), Fails():\n        …\nexcept ValueError as §e:\n    print(§e)",
        ),
        Row("replaced attribute", 0.7, "with replaced(@obj, ⟨'n' 'k' 'extra'⟩, $int) as §b:\n    print(§b)\n    …"),
        Row(
            "retried",
            0.7,
            """\
try:
    with retried(@ints):
        …
        ⟨pass raise(ValueError($int)) raise(KeyError($int))⟩
except Exception as §e:
    print(type(§e).__name__, repr(§e.__cause__))""",
        ),
        Row(
            "suppressed",
            0.7,
            """\
with contextlib.suppress(⟨ValueError LookupError⟩):
    …
    raise ⟨KeyError ValueError⟩($int)
print('after')""",
        ),
        Row(
            "stack of managers",
            0.8,
            """\
with contextlib.ExitStack() as §s:
    §n = [§s.enter_context(m) for m in (Swallow(KeyError), contextlib.nullcontext($int))]
    §s.callback(print, 'called back', $int)
    …
print(len(§n))""",
        ),
        Row("stack closes", 0.4, "§s = contextlib.ExitStack()\n§s.callback(print, 'late', $int)\n…\n§s.close()"),
        Row(
            "stack suppresses",
            0.5,
            """\
with contextlib.ExitStack() as §s:
    §s.enter_context(Swallow(⟨KeyError ValueError⟩))
    §s.push(lambda *e: print(e[0]) or e[0] is ValueError)
    …
    raise ValueError($int)""",
        ),
        Row("closing", 0.4, "§c = Closing()\nwith contextlib.closing(§c) as §d:\n    …\nprint(§c.closed, §d is §c)"),
        Row(
            "return inside",
            0.5,
            """\
def §f(p):
    with Swallow(ValueError, notes=@ints):
        if p > $small:
            raise ValueError(p)
        return p
    return -1
print(§f($int))""",
        ),
        Row(
            "break inside",
            0.5,
            """\
for §i in range(3):
    with Swallow(KeyError) as §n:
        if §i == $small:
            ⟨break continue raise(KeyError(§i))⟩
        …""",
        ),
        Row(
            "yield inside",
            0.4,
            """\
def §f():
    with Swallow(ValueError) as §n:
        yield len(§n)
        raise ValueError(1)
    yield 5
print(list(§f()))""",
        ),
        Row(
            "grad off inside",
            0.7,
            """\
with grad_off_inside($any) as §t:
    print(§t.requires_grad, torch.is_grad_enabled())
print(torch.is_grad_enabled())""",
        ),
        Row(
            "modes nested",
            0.7,
            "with torch.no_grad():\n    with torch.enable_grad():\n        …\n    print(torch.is_grad_enabled())",
        ),
        Row(
            "mode left by error",
            0.6,
            """\
try:
    with torch.no_grad():
        …
        raise ValueError($int)
except ValueError:
    print(torch.is_grad_enabled())""",
        ),
        Row("mode set", 0.2, "torch.set_grad_enabled($bool)"),
        Row(
            "autocast",
            0.5,
            """\
with torch.autocast('cpu', dtype=torch.bfloat16):
    print(($any * 2).dtype, torch.is_autocast_enabled('cpu'))""",
        ),
        Row("inference", 0.3, "with torch.inference_mode($bool):\n    print(($any + 1).requires_grad)"),
        Row(
            "output redirected",
            0.4,
            "§o = io.StringIO()\nwith contextlib.redirect_stdout(§o):\n    print($int)\nprint(len(§o.getvalue()))",
        ),
        Row(
            "manager by hand",
            0.3,
            "§m = Swallow(ValueError)\n§m.__enter__()\n…\nprint(§m.__exit__(None, None, None), len(§m.notes))",
        ),
        Row("manager twice", 0.3, "§m = contextlib.nullcontext($int)\nwith §m as §a, §m as §b:\n    print(§a is §b)"),
    ),
)
