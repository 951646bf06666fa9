"""Generators, and managers that are generators, that wait while a graph ends: the code after it goes on with them."""

# The programs do what Python lets them do, whatever their types say.
# mypy: disable-error-code="func-returns-value, union-attr, arg-type, attr-defined"

from __future__ import annotations

import collections
import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch

from pybind.tests.dynamo.counted import Operators
from rust_inductor import _capture

WEIGHT = torch.ones(3, requires_grad=True)
MODEL = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Linear(3, 3))

#: Programs, and how many operators of torch's are in their graphs.
PROGRAMS: list[tuple[Callable[[Any, list[Any]], Any], int]] = []


def program(operators: int) -> Callable[[Any], Any]:
    def add(function: Any) -> Any:
        PROGRAMS.append((function, operators))
        return function

    return add


def leave() -> None:
    torch._dynamo.graph_break()


def count(n, x):
    for i in range(n):
        sent = yield x + i
        if sent is not None:
            x = x * sent


@program(3)
def goes_on(x, log):
    it = count(3, x)
    a = next(it)
    leave()
    return a.sin() + next(it).cos()


@program(3)
def is_sent_to(x, log):
    it = count(3, x)
    a = next(it)
    b = it.send(3.0)
    leave()
    return a, b, it.send(2.0)


@program(9)
def is_looped_over(x, log):
    total = x
    for value in count(4, x):
        total = total + value.sin()
        leave()
    return total


@program(7)
def walks_over_parameters(x, log):
    total = x.sin()
    for name, parameter in MODEL.named_parameters():
        total = total + parameter.sum()
        log.append(name)
        leave()
    return total


@program(2)
def delegates(x, log):
    def outer(x):
        result = yield from count(2, x)
        log.append(result)
        yield x * 10

    it = outer(x)
    a = next(it)
    leave()
    return a.exp(), list(it)


@program(2)
def delegates_deep(x, log):
    def down(n):
        if n:
            yield n
            yield from down(n - 1)

    it = down(5)
    a = next(it) + next(it) + next(it)
    y = x * a
    leave()
    return y + next(it), list(it)


@program(1)
def is_an_expression(x, log):
    it = (x * i for i in range(4))
    a = next(it)
    leave()
    return a, list(it)


@program(1)
def has_not_begun(x, log):
    y = x.sin()
    it = (y * i for i in range(4))
    named = count(n=2, x=y)
    leave()
    return list(it), list(named)


@program(1)
def is_in_other_iterators(x, log):
    pairs = zip(count(3, x), range(5))
    numbered = enumerate(v for v in (1, 2, 3))
    written = map(str, (v for v in (1, 2, 3)))
    first = next(pairs), next(numbered), next(written)
    leave()
    return first, list(pairs), list(numbered), list(written)


@program(1)
def is_returned(x, log):
    it = count(3, x)
    log.append(next(it))
    return it


@program(1)
def shares_a_variable(x, log):
    c = 1

    def read():
        nonlocal c
        while c < 5:
            c += 1
            yield x * c

    it = read()
    a = next(it)
    leave()
    c += 1
    return a, list(it), c


@program(1)
def shares_a_list(x, log):
    def fill():
        while True:
            log.append((yield len(log)))

    it = fill()
    next(it)
    it.send(x.sin())
    leave()
    return it.send(x), log[0]


@program(1)
def keeps_its_names(x, log):
    it = count(3, x)
    a = next(it)
    leave()
    return a, type(it), it.__name__, it.__qualname__, it.gi_code.co_name, it.gi_yieldfrom


@program(1)
def waits_within_a_call(x, log):
    def ask():
        a = yield
        while True:
            a = yield (a, (yield), x)

    it = ask()
    next(it)
    y = x.sin()
    it.send(1)
    a = it.send(2)
    leave()
    it.send(5)
    return y, a, it.send(7)


@program(1)
def waits_within_loops(x, log):
    def nested():
        for a in [1, 2]:
            for b in {"u": 3, "v": 4}.items():
                yield a, b

    it = nested()
    y = x.sin()
    a = next(it), next(it)
    leave()
    return y, a, list(it)


@program(1)
def is_thrown_into(x, log):
    def guarded():
        try:
            yield x + 1
        except ValueError as error:
            yield error.args
        yield "end"

    it = guarded()
    a = next(it)
    leave()
    b = it.throw(ValueError("a"))
    leave()
    return a, b, next(it), next(it, None)


@program(1)
def is_closed(x, log):
    def guarded():
        k = 0
        try:
            while True:
                k += 1
                yield k
        finally:
            log.append(k)

    it = guarded()
    y = x.sin() * next(it)
    leave()
    b = next(it)
    it.close()
    return y, b


def cleans_up(n, x, log):
    try:
        yield from count(n, x)
    finally:
        log.append("cleaned up")


class Holder:
    held: Any


@program(1)
def is_deleted(x, log):
    it = cleans_up(3, x, log)
    a = next(it)
    leave()
    del it
    log.append("deleted")
    return a


@program(0)
def is_overwritten(x, log):
    it = cleans_up(3, x, log)
    a = next(it)
    leave()
    it = None
    log.append("overwritten")
    return a, it


@program(2)
def is_left_by_break(x, log):
    for value in cleans_up(3, x, log):
        leave()
        y = value.sin()
        if log is not None:
            break
    log.append("left")
    return y


@program(0)
def dies_in_a_list(x, log):
    held = [cleans_up(3, x, log)]
    a = next(held[0])
    leave()
    held.clear()
    log.append("cleared")
    return a


@program(1)
def dies_in_a_list_after_its_first_step(x, log):
    held = [cleans_up(3, x, log)]
    named = {"a": cleans_up(2, x, log)}
    holder = Holder()
    holder.held = cleans_up(1, x, log)
    y = x.sin()
    log.append(next(held[0]) + next(named["a"]) + next(holder.held))
    leave()
    log.append("on")
    held.clear()
    log.append("cleared")
    named["a"] = None
    log.append("overwritten")
    holder.held = None
    log.append("let go")
    return y


@program(0)
def dies_unseen(x, log):
    it = cleans_up(3, x, log)
    a = next(it)
    leave()
    log.append("on")
    return a


@program(0)
def holds_itself(x, log):
    def fill():
        items = yield x
        items.append(it)
        yield items

    it = fill()
    next(it)
    items: list[Any] = []
    it.send(items)
    leave()
    return len(items), items[0] is it


@program(3)
def waits_in_a_handler(x, log):
    def values() -> Iterator[Any]:
        try:
            raise ValueError("known")
        except ValueError as error:
            yield x + 1, str(error)
            log.append(str(error))
            yield x + 2, str(error)

    it = values()
    first, text = next(it)
    leave()
    second, again = next(it)
    y = (first * second).sin()
    leave()
    return y.cos().exp(), text, again, list(it)


@contextlib.contextmanager
def entered(log, x) -> Iterator[Any]:
    """A manager."""
    log.append("in")
    try:
        yield x + 1
    except KeyError:
        log.append("suppressed")
    finally:
        log.append("out")


@program(3)
def leaves_in_a_manager(x, log):
    with entered(log, x) as y:
        z = y.sin()
        leave()
        z = z.cos()
        log.append("within")
    log.append("after")
    return z


@program(5)
def leaves_in_two_managers(x, log):
    with entered(log, x) as y, entered(log, y) as z:
        for value in count(3, z):
            leave()
            y = y + value
            if value is z:
                break
    return y


@program(2)
def leaves_in_turns(x, log):
    y = x.sin()
    for i in range(3):
        with entered(log, i) as z:
            leave()
            if i == 1:
                continue
            log.append(z)
    return y.cos()


@program(1)
def raises_in_a_manager(x, log):
    y = x.sin()
    with entered(log, 1):
        leave()
        raise KeyError("a")
    return y


@program(1)
def raises_through_a_manager(x, log):
    y = x.sin()
    try:
        with entered(log, 1):
            leave()
            raise ValueError("a")
    except ValueError as error:
        log.append(str(error))
    return y


@program(2)
def returns_in_a_manager(x, log):
    with entered(log, 1):
        y = x.sin()
        leave()
        return y.cos()


@program(1)
def has_a_manager_to_enter(x, log):
    manager = entered(log, 1)
    y = x.sin()
    leave()
    with manager as z:
        leave()
        log.append(z)
    return y, type(manager).__name__


@program(2)
def leaves_in_a_stack(x, log):
    with contextlib.ExitStack() as stack:
        stack.callback(log.append, "called back")
        a = stack.enter_context(entered(log, x))
        stack.enter_context(entered(log, 1))
        leave()
        log.append(stack.enter_context(entered(log, 2)))
        return a.sin()


@program(4)
def waits_in_a_mode(x, log):
    def both():
        with torch.no_grad():
            yield WEIGHT * 1
        yield WEIGHT * 2

    it = both()
    a, b = next(it), WEIGHT * 3
    leave()
    c = WEIGHT * 4
    d = next(it)
    return [y.requires_grad for y in (a, b, c, d, WEIGHT * 5)]


@contextlib.contextmanager
def without_and_with_grad() -> Iterator[int]:
    with torch.no_grad(), torch.enable_grad():
        yield 3


@program(4)
def leaves_in_modes(x, log):
    with torch.no_grad():
        with without_and_with_grad() as k:
            y = WEIGHT * 2
            leave()
            z = y * k
        leave()
        w = WEIGHT * 2
    return [t.requires_grad for t in (y, z, w, WEIGHT * 3)]


@program(0)
def waits_in_autocast(x, log):
    def within():
        with torch.autocast("cpu"):
            yield torch.ones(2, 2) @ torch.ones(2, 2)

    it = within()
    a = next(it)
    leave()
    return a.dtype, list(it)


@program(1)
def is_left_in_a_call(x, log):
    def inner(x):
        it = (x * i for i in range(4))
        a = next(it)
        leave()
        return a, list(it)

    return inner(x), 1


def leave_with(value):
    leave()
    return value


@program(1)
def captures_a_variable_while_its_argument_is_made(x, log):
    k = 3
    it = (k + value for value in leave_with([1, 2, 3]))
    k = 5
    y = x.sin()
    leave()
    return y, next(it), list(it)


def shared() -> Callable[..., Any]:
    k = 3

    def made(n):
        def gen():
            for i in range(n):
                yield i + k

        return gen(), gen, lambda: k + n

    return made


MADE = shared()


@program(1)
def captures_a_variable_of_another_function(x, log):
    it, gen, read = MADE(3)
    a = next(it)
    y = x.sin()
    leave()
    return y, a, list(it), list(gen()), read(), gen.__closure__[0] is it


def outcome(function: Callable[[Any, list[Any]], Any]) -> str:
    log: list[Any] = []
    try:
        result = function(torch.arange(3.0), log)
        if hasattr(result, "send"):
            result = list(result)
    except Exception as error:
        result = type(error), error.args
    return str((result, log, torch.is_grad_enabled()))


@pytest.mark.parametrize(("function", "operators"), PROGRAMS, ids=[function.__name__ for function, _ in PROGRAMS])
def test_it_does_what_python_does(function, operators):
    backend = Operators()
    compiled = _capture.optimize(function, backend)
    expected = outcome(function)
    for _ in range(3):
        assert outcome(compiled) == expected
    assert backend.count >= operators
    if not operators:
        return
    events: list[dict[str, Any]] = []
    outcome(_capture.optimize(function, "eager", listener=events.append))
    assert [event for event in events if event.get("skipped")] == []


def test_many_turns():
    def over(x, n):
        total = x
        for value in count(n, x):
            total = total + value
            leave()
        return total

    backend = Operators()
    compiled = _capture.optimize(over, backend)
    x = torch.ones(2)
    for n in (5, 50, 3000):
        assert torch.equal(compiled(x, n), over(x, n))
    assert backend.count < 20


def test_a_generator_of_another_module_has_that_module_s_globals():
    space: dict[str, Any] = {"factor": 3.0}
    exec("def scaled(xs):\n    for x in xs:\n        yield x * factor\n", space)
    scaled = space["scaled"]

    def over(x):
        it = scaled(collections.deque([x, x + 1]))
        a = next(it)
        leave()
        return a, next(it)

    compiled = _capture.optimize(over, "eager")
    for factor in (3.0, 3.0, 5.0):
        space["factor"] = factor
        assert str(compiled(torch.ones(2))) == str(over(torch.ones(2)))
