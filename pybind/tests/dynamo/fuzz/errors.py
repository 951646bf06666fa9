"""Exceptions: classes with constructors, causes, contexts, notes, groups, and every shape of ``try``."""

from __future__ import annotations

from pybind.tests.dynamo.fuzz.rows import Row, Theme

ERRORS = Theme(
    kinds={"error": 1},
    literals={"error": "⟨ValueError KeyError⟩($int)"},
    definitions="""\
class Coded(Exception):
    def __init__(self, code, text="none"):
        super().__init__(text, code)
        self.code = code

    def __str__(self):
        return f"{self.code}: {self.args[0]}"


class Deeper(Coded, KeyError):
    level = 2


class Plain(LookupError):
    def __init__(self, *parts, flag=False):
        self.parts = parts
        self.flag = flag


def chain_of(error):
    found = []
    while error is not None and len(found) < 6:
        found.append((type(error).__name__, str(error), error.__suppress_context__, error.__cause__ is None))
        error = error.__cause__ if error.__cause__ is not None else error.__context__
    return found


def failing(kind, *args):
    raise kind(*args)


def translated(kind, cause):
    try:
        raise cause
    except Exception as error:
        raise kind("translated") from error


def settled(value):
    try:
        if value > 2:
            return value
        if value < 0:
            raise Coded(value)
    except Coded as error:
        return error.code
    else:
        value += 1
    finally:
        if value == 0:
            value = 10
    return -value


def swallowing(value):
    for i in range(3):
        try:
            if i == value:
                raise ValueError(i)
            continue
        except ValueError:
            break
        finally:
            value = value * 2 - i
    return value
""",
    expressions={
        "error": (
            Row("exception", 2, "⟨ValueError KeyError RuntimeError OSError StopIteration⟩(⟨$int $str,$int $str⟩)"),
            Row("own exception", 2, "⟨Coded Deeper⟩($int⟨,$str ,text=$str⟩)"),
            Row("own exception with parts", 1, "Plain($int, $str, flag=$bool)"),
            Row("cause", 0.5, "(@error.__cause__ or @error)"),
            Row("context", 0.5, "(@error.__context__ or @error)"),
            Row("with traceback", 0.3, "@error.with_traceback(None)"),
        ),
        "int": (
            Row("args of error", 1, "len(@error.args)"),
            Row("settled", 0.7, "settled($int)"),
            Row("swallowing", 0.7, "swallowing($int)"),
            Row("code of error", 0.5, "getattr(@error, 'code', $int)"),
            Row("code of new error", 0.4, "⟨Coded Deeper⟩($int).code"),
            Row("parts of error", 0.3, "len(Plain($int, 2).⟨parts args⟩)"),
            Row("chain length", 0.5, "len(chain_of(@error))"),
            Row("notes of error", 0.2, "len(getattr(@error, '__notes__', []))"),
        ),
        "bool": (
            Row("error isinstance", 1, "isinstance(@error, ⟨KeyError LookupError Coded Exception (OSError,Plain)⟩)"),
            Row("error is error", 0.4, "(@error ⟨is ==⟩ @error)"),
            Row("error has cause", 0.5, "(@error.⟨__cause__ __context__ __traceback__⟩ is None)"),
            Row("error suppresses", 0.3, "@error.__suppress_context__"),
        ),
        "str": (
            Row("error text", 1, "⟨str repr⟩(@error)"),
            Row("error type", 0.7, "type(@error).__name__"),
            Row("error f-string", 0.4, "f'{@error!r} {@error}'"),
            Row("chain of error", 0.5, "str(chain_of(@error))"),
        ),
    },
    statements=(
        Row("raise error", 0.3, "if $bool and $bool:\n    raise @error"),
        Row("raise from", 0.3, "if $bool and $bool:\n    raise $error from ⟨@error None ValueError KeyError(1)⟩"),
        Row("raise own", 0.3, "if $bool and $bool:\n    raise ⟨Coded Deeper Plain⟩($int)"),
        Row(
            "caught error",
            1.5,
            """\
try:
    raise $error
except ⟨Exception (KeyError,ValueError,Coded) LookupError⟩ as §e:
    print(§e, §e.args)
    …""",
        ),
        Row(
            "kept error",
            1,
            """\
§k = ValueError()
try:
    …
    raise $error
except Exception as §e:
    §k = §e.with_traceback(None)
→error = §k""",
        ),
        Row(
            "translated",
            1,
            """\
try:
    translated(⟨ValueError Coded Plain⟩, $error)
except Exception as §e:
    print(chain_of(§e))
    →error = §e.with_traceback(None)""",
        ),
        Row(
            "context of error",
            1,
            """\
try:
    try:
        failing(⟨ValueError Coded⟩, $int)
    except Exception:
        …
        raise $error
except Exception as §e:
    print(chain_of(§e))""",
        ),
        Row(
            "raise from inside",
            0.8,
            """\
try:
    try:
        failing(KeyError, $str)
    except KeyError as §f:
        raise $error from ⟨§f None @error⟩
except Exception as §e:
    print(chain_of(§e), §e.__context__ is §e.__cause__)""",
        ),
        Row(
            "error in finally",
            0.7,
            """\
try:
    try:
        failing(Coded, $int)
    finally:
        …
        raise $error
except Exception as §e:
    print(chain_of(§e))""",
        ),
        Row(
            "reraised",
            0.7,
            """\
try:
    try:
        failing(⟨Coded Deeper⟩, $int, $str)
    except ⟨Coded KeyError⟩ as §f:
        §f.code += 1
        raise
except Exception as §e:
    print(§e, chain_of(§e))""",
        ),
        Row(
            "return in finally",
            0.4,
            """\
def §f(p):
    try:
        return p.nothing
    finally:
        if $bool:
            return $int
try:
    print(§f($int))
except AttributeError as §e:
    print(§e)""",
        ),
        Row("try else finally", 0.8, "try:\n    …\nexcept ⟨Coded ValueError⟩:\n    …\nelse:\n    …\nfinally:\n    …"),
        Row(
            "several handlers",
            0.8,
            """\
try:
    failing(⟨Deeper Plain ValueError ZeroDivisionError⟩, $int)
except (ValueError, Plain) as §e:
    print('first', §e.args)
except KeyError as §e:
    print('second', §e)
except ArithmeticError:
    …""",
        ),
        Row(
            "nested handlers",
            0.6,
            """\
try:
    failing(ValueError, 1)
except ValueError as §e:
    try:
        failing(Coded, 2)
    except Coded as §f:
        print(§f.__context__ is §e)
    print(chain_of(§e))
    …""",
        ),
        Row(
            "note added",
            0.4,
            """\
try:
    failing(ValueError, $int)
except ValueError as §e:
    §e.add_note($str)
    print(§e.__notes__)""",
        ),
        Row(
            "exception group",
            0.4,
            """\
try:
    raise ExceptionGroup($str, [ValueError($int), $error])
except* ValueError as §e:
    print(len(§e.exceptions))
except* ⟨KeyError Exception⟩ as §f:
    print(len(§f.exceptions))""",
        ),
        Row(
            "handler in loop",
            0.7,
            """\
for §i in range(3):
    try:
        if §i == $small:
            ⟨continue break raise(Coded(§i))⟩
        print(§i)
    except Coded as §e:
        print(§e)
    finally:
        …""",
        ),
        Row(
            "builtin error",
            0.8,
            """\
try:
    print(⟨[][$int] {}[$str] int($str) (1)//($int) None.gone (1)+$str len($int) $ints.index($int) float($str) [*$int]⟩)
except Exception as §e:
    print(type(§e).__name__, §e, §e.args)""",
        ),
        Row(
            "bad call",
            0.5,
            """\
try:
    ⟨settled() settled(1,2) settled(other=3) settled(1,value=2) failing() Coded() len(1,2)⟩
except TypeError as §e:
    print(§e)""",
        ),
        Row("error attributes", 0.4, "@error.⟨extra code⟩ = $int"),
        Row(
            "assertion caught",
            0.4,
            "try:\n    assert $bool, ($str, $int)\nexcept AssertionError as §e:\n    print(§e.args)",
        ),
        Row("error in handler", 0.3, "try:\n    failing(KeyError, 1)\nexcept failing(ValueError, 2):\n    pass"),
    ),
)
