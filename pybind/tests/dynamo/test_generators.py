"""Generators that are sent to, thrown into and closed, and exceptions: what plain Python gives, and how many graphs."""

# The programs do what Python lets them do, whatever their types say.
# mypy: disable-error-code="func-returns-value, call-arg, union-attr, index"

from __future__ import annotations

import collections.abc
import traceback
from typing import Any

import pytest
import torch

import rust_inductor
from rust_inductor import _capture

#: Functions, and whether each is one graph.
CASES: list[tuple[Any, bool]] = []


def case(whole: bool) -> Any:
    def add(function: Any) -> Any:
        CASES.append((function, whole))
        return function

    return add


class Custom(Exception):
    def __init__(self, code: Any, message: str = "hm") -> None:
        super().__init__(message)
        self.code = code

    def __str__(self) -> str:
        return f"<{self.code}:{self.args[0]}>"


class Sub(Custom):
    pass


@case(True)
def send(x):
    def g(a):
        r = yield a + 1
        r = yield r * 2
        return r + 5

    it = g(x)
    a = next(it)
    b = it.send(a * 3)
    try:
        it.send(b)
    except StopIteration as e:
        return e.value + a


@case(True)
def throw(x):
    def g(a):
        try:
            yield a + 1
        except ValueError as e:
            yield a * len(e.args)
        finally:
            a = a + 100
        yield a

    it = g(x)
    a = next(it)
    b = it.throw(ValueError("x", 1))
    c = next(it)
    return a, b, c


@case(True)
def close(x):
    log = []

    def g(a):
        try:
            yield a + 1
            yield a + 2
        finally:
            log.append("closed")

    it = g(x)
    a = next(it)
    it.close()
    it.close()
    return a, log, next(it, None)


@case(True)
def close_unstarted(x):
    log = []

    def g(a):
        log.append(1)
        yield a

    it = g(x)
    it.close()
    return x + 1, log, list(it)


@case(True)
def yield_from(x):
    def inner(a):
        r = yield a
        r2 = yield r + 1
        return r2 * 2

    def outer(a):
        v = yield from inner(a)
        yield v + 10

    it = outer(x)
    a = next(it)
    b = it.send(a * 5)
    c = it.send(b * 7)
    return a, b, c


@case(True)
def yf_throw(x):
    def inner(a):
        try:
            yield a
        except KeyError:
            yield a * 2
        return a * 3

    def outer(a):
        v = yield from inner(a)
        yield v

    it = outer(x)
    a = next(it)
    b = it.throw(KeyError("k"))
    c = next(it)
    return a, b, c


@case(True)
def yf_list(x):
    def outer(a):
        v = yield from [a, a + 1]
        yield v

    return list(outer(x))


@case(True)
def ret_value(x):
    def g(a):
        yield a
        return a * 2

    def h(a):
        r = yield from g(a)
        return r + 1

    out = []
    it = h(x)
    while True:
        try:
            out.append(next(it))
        except StopIteration as s:
            out.append(s.value)
            break
    return out


@case(False)
def alive_across(x):
    def g(a):
        for i in range(4):
            a = a + i
            yield a

    it = g(x)
    a = next(it)
    rust_inductor.graph_break()
    b = next(it)
    return a, b, list(it)


@case(False)
def genexp_across(x):
    it = (x * i for i in range(4))
    a = next(it)
    rust_inductor.graph_break()
    return a, list(it)


@case(True)
def gen_ret(x):
    def g(a):
        for i in range(3):
            yield a + i

    return [y * 2 for y in g(x)], list(g(x)), sum(g(x))


@case(False)
def stop_in_gen(x):
    def g(a):
        yield a
        raise StopIteration(3)

    try:
        return list(g(x))
    except RuntimeError as e:
        return x + 1, str(e), type(e.__cause__).__name__


@case(True)
def throw_uncaught(x):
    def g(a):
        yield a + 1

    it = g(x)
    a = next(it)
    try:
        it.throw(ValueError("v"))
    except ValueError as e:
        return a, str(e)


@case(False)
def send_nonone(x):
    def g(a):
        yield a

    it = g(x)
    try:
        it.send(1)
    except TypeError as e:
        return x + 1, str(e)


@case(False)
def close_yields(x):
    def g(a):
        try:
            yield a
        except GeneratorExit:
            yield a * 2

    it = g(x)
    next(it)
    try:
        it.close()
    except RuntimeError as e:
        return x + 1, str(e)


@case(True)
def cause(x):
    try:
        try:
            raise ValueError("a")
        except ValueError as v:
            raise KeyError("b") from v
    except KeyError as e:
        return x + 1, type(e.__cause__).__name__, str(e.__cause__), e.__suppress_context__, e.__context__ is e.__cause__


@case(True)
def context(x):
    try:
        try:
            raise ValueError("a")
        except ValueError:
            raise KeyError("b")  # noqa: B904
    except KeyError as e:
        return x + 1, type(e.__context__).__name__, e.__cause__, e.__suppress_context__


@case(True)
def from_none(x):
    try:
        try:
            raise ValueError("a")
        except ValueError:
            raise KeyError("b") from None
    except KeyError as e:
        return x + 1, type(e.__context__).__name__, e.__cause__, e.__suppress_context__


@case(False)
def notes(x):
    try:
        e = ValueError("a")
        e.add_note("n1")
        e.add_note("n2")
        raise e
    except ValueError as e:
        return x + 1, e.__notes__


@case(False)
def custom(x):
    try:
        raise Custom(3)
    except Custom as e:
        return x + e.code, str(e), e.args


@case(False)
def custom_sub(x):
    try:
        raise Sub(3, msg="m")
    except Custom as e:
        return x + e.code, str(e), repr(e), type(e).__name__


@case(False)
def custom_tensor(x):
    class Local(Exception):
        def __init__(self, t):
            self.t = t

    try:
        raise Custom(x * 2)
    except Custom as e:
        return e.code + 1


# pytest rewrites the assertion into calls of its own.
@case(False)
def assert_msg(x):
    try:
        assert x.shape[0] == 4, f"bad {x.shape[0]}"
    except AssertionError as e:
        return x + 1, str(e)


@case(True)
def finally_ret(x):
    try:
        raise ValueError
    finally:
        return x + 1  # noqa: B012


@case(True)
def reraise(x):
    try:
        try:
            raise ValueError("a")
        except ValueError:
            raise
    except Exception as e:
        return x + 1, e.args, e.__context__


@case(False)
def exc_group(x):
    try:
        raise ExceptionGroup("g", [ValueError(1), KeyError(2)])
    except* ValueError as eg:
        y = x + len(eg.exceptions)
    except* KeyError:
        y = y * 2
    return y


@case(False)
def uncaught(x):
    y = x + 1  # noqa: F841
    raise ValueError("oops")


@case(False)
def uncaught_from(x):
    y = x + 1  # noqa: F841
    try:
        raise ValueError("oops")
    except ValueError as e:
        raise Custom(7) from e


@case(True)
def gen_input_send(x):
    def acc():
        t = 0
        while True:
            v = yield t
            if v is None:
                return t
            t = t + v

    it = acc()
    next(it)
    for i in range(3):
        r = it.send(x * i)
    try:
        it.send(None)
    except StopIteration as s:
        return s.value, r


@case(True)
def cause_by_class(x):
    try:
        raise ValueError("a") from KeyError
    except ValueError as e:
        return x + 1, type(e.__cause__), e.__context__, e.__suppress_context__


@case(True)
def context_of_a_call(x):
    def inner():
        raise KeyError("inner")

    try:
        try:
            raise ValueError("outer")
        except ValueError:
            inner()
    except KeyError as e:
        return x + 1, str(e.__context__), e.__context__.__context__, e.__cause__


@case(True)
def context_of_what_is_raised_twice(x):
    kept = ValueError("kept")
    try:
        try:
            raise kept
        except ValueError as first:
            raise KeyError("b") from first
    except KeyError as second:
        try:
            raise TypeError("c")
        except TypeError as third:
            return x + 1, second.__cause__ is kept, third.__context__ is second, kept.__context__


@case(False)
def context_of_what_the_interpreter_raises(x):
    try:
        try:
            raise ValueError("a")
        except ValueError:
            {}["b"]
    except KeyError as e:
        return x + 1, str(e.__context__)


@case(False)
def left_alone(x):
    log = []

    def g(a):
        try:
            yield a
        finally:
            log.append(1)

    it = g(x)
    a = next(it)
    return a + 1, log


@case(False)
def left_by_break(x):
    log = []

    def g(a):
        try:
            yield a
            yield a + 1
        finally:
            log.append(1)

    for y in g(x):  # noqa: B007
        break
    log.append(2)
    return y + 1, log


@case(True)
def left_without_cleanup(x):
    def g(a):
        yield a
        yield a + 1

    for y in g(x):  # noqa: B007
        break
    return y + 1


@case(True)
def handled_while_waiting(x):
    def g(a):
        try:
            raise KeyError("inner")
        except KeyError:
            yield a
            try:
                raise
            except KeyError:
                a = a + 1
        yield a

    it = g(x)
    try:
        raise ValueError("outer")
    except ValueError:
        a = next(it)
        try:
            raise
        except ValueError:
            b = next(it)
    return a, b


@case(True)
def closed_through_delegation(x):
    log = []

    def inner(a):
        try:
            yield a
        finally:
            log.append("inner")

    def outer(a):
        try:
            yield from inner(a)
        except GeneratorExit:
            log.append("exit")
            raise
        finally:
            log.append("outer")

    it = outer(x)
    a = next(it)
    it.close()
    return a + 1, log


class Items(collections.abc.Sequence):
    """Is iterated by `Sequence.__iter__`, a generator that waits within `try` … `except IndexError`."""

    def __init__(self, items):
        self.items = items

    def __len__(self):
        return len(self.items)

    def __getitem__(self, at):
        return self.items[at]


@case(True)
def left_within_except(x):
    total = x
    for item in Items([1, 2, 3]):
        total = total + item
        if item == 2:
            break
    return total, [a * b for a, b in zip([1, 2], Items([3, 4, 5]), strict=False)]


@case(True)
def left_within_several_excepts(x):
    def g():
        try:
            try:
                yield x + 1
            except (KeyError, ValueError):
                yield x
            except IndexError as error:
                yield error
        except Exception:
            yield x * 2

    return next(g())


@case(False)
def left_within_except_of_everything(x):
    log = []

    def g():
        try:
            try:
                yield x + 1
            except ValueError:
                yield x
        except BaseException as error:
            log.append(type(error).__name__)
            raise

    return next(g()), log


@case(False)
def left_within_finally(x):
    log = []

    def g():
        try:
            try:
                yield x + 1
            except ValueError:
                yield x
        finally:
            log.append("closed")

    return next(g()), log


def run(function: Any, x: Any) -> Any:
    try:
        return function(x)
    except Exception as error:
        lines = [(f.name, f.line) for f in traceback.extract_tb(error.__traceback__) if f.name == function.__name__]
        why = (type(error.__cause__), type(error.__context__), getattr(error, "__notes__", None))
        return type(error), error.args, str(error), why, lines[-1:]


@pytest.mark.parametrize(("function", "whole"), CASES, ids=[function.__name__ for function, _ in CASES])
def test_same_as_python(function: Any, whole: bool) -> None:
    events: list[dict[str, Any]] = []
    compiled = _capture.optimize(function, "eager", listener=events.append)
    for x in (torch.ones(3), torch.full((2,), 2.0)):
        ours, plain = run(compiled, x), run(function, x)
        assert str(ours) == str(plain)
    if whole:
        assert all(event.get("break") is None for event in events)
