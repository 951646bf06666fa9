"""Exits from `with` blocks, with and without exceptions: stacks, generators, managers of the program."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
import torch

from rust_inductor import _capture

X = torch.tensor([[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]])
W = torch.full((3, 3), 0.5, requires_grad=True)
BFLOAT = torch.autocast("cpu", dtype=torch.bfloat16)


class Ending:
    """Notes what it is told, and swallows exceptions of one class."""

    def __init__(self, notes, swallows=()):
        self.notes = notes
        self.swallows = swallows

    def __enter__(self):
        self.notes.append("in")
        return self

    def __exit__(self, kind, error, traceback):
        self.notes.append("out")
        if error is None:
            self.notes.append((kind, traceback is None))
            return None
        self.notes.append((kind.__name__, error.args, kind is type(error), traceback is None, isinstance(error, kind)))
        return isinstance(error, self.swallows)


class Refusing:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        raise KeyError("at the end")


class Own:
    """Managers of the program's own: the tracer makes no objects."""

    def __init__(self, notes):
        self.told = Ending(notes)
        self.swallowing = Ending(notes, (KeyError, ValueError))
        self.refusing = Refusing()


def managers(x, w, notes, own):
    with contextlib.ExitStack() as stack:
        stack.enter_context(torch.no_grad())
        bound = stack.enter_context(contextlib.nullcontext(w))
        y = x @ bound
        stack.enter_context(BFLOAT)
        z = x @ w
    return y, z, x @ w, torch.is_grad_enabled()


def callbacks(x, w, notes, own):
    with contextlib.ExitStack() as stack:
        stack.callback(notes.append, 1)

        @stack.callback
        def last():
            notes.append("first")

        stack.callback(lambda *args, **kwargs: notes.append((args, kwargs)), 2, a=3)
        notes.append(0)
    return x @ w, last.__name__


def pushed(x, w, notes, own):
    with contextlib.ExitStack() as stack:
        stack.push(lambda kind, error, traceback: notes.append((kind, error, traceback)))
        stack.callback(notes.append, "a")
    return x @ w


def an_exception_passes(x, w, notes, own):
    try:
        with contextlib.ExitStack() as stack:
            stack.callback(notes.append, 1)
            stack.enter_context(torch.no_grad())
            stack.push(lambda kind, error, _: notes.append((kind is ValueError, error.args)))
            y = x @ w
            raise ValueError("why")
    except ValueError as error:
        notes.append(error.args)
    return y, x @ w


def an_exception_ends(x, w, notes, own):
    with contextlib.ExitStack() as stack:
        stack.push(lambda kind, *_: notes.append(kind))
        stack.push(lambda kind, *_: kind is KeyError)
        stack.callback(notes.append, 1)
        raise KeyError("k")
    return x @ w, notes


def suppressed_within(x, w, notes, own):
    with contextlib.ExitStack() as stack:
        stack.callback(notes.append, 1)
        stack.enter_context(contextlib.suppress(KeyError))
        stack.callback(notes.append, 2)
        raise KeyError("k")
    return x @ w


def another_is_raised(x, w, notes, own):
    def refuse():
        raise KeyError("b")

    try:
        with contextlib.ExitStack() as stack:
            stack.push(lambda kind, error, _: notes.append((kind, error.args)))
            stack.callback(refuse)
            stack.callback(notes.append, "a")
            raise ValueError("a")
    except KeyError as error:
        notes.append(error.args)
    return x @ w


def raised_at_the_end(x, w, notes, own):
    def refuse():
        raise KeyError("b")

    with contextlib.suppress(KeyError), contextlib.ExitStack() as stack:
        stack.callback(notes.append, "c")
        stack.callback(refuse)
    return x @ w


def nothing_raised_and_one_says_yes(x, w, notes, own):
    with contextlib.ExitStack() as stack:
        stack.push(lambda *told: notes.append(told) or True)
    return x @ w


def moved(x, w, notes, own):
    with contextlib.ExitStack() as stack:
        stack.callback(notes.append, 1)
        stack.enter_context(torch.no_grad())
        other = stack.pop_all()
    y = x @ w
    notes.append("between")
    other.close()
    other.close()
    return y, x @ w


def in_each_other(x, w, notes, own):
    with contextlib.ExitStack() as outer:
        outer.callback(notes.append, "outer")
        inner = outer.enter_context(contextlib.ExitStack())
        inner.callback(notes.append, "inner")
        inner.enter_context(torch.no_grad())
        y = x @ w
    return y, x @ w


def _several(stack, notes):
    for at in range(3):
        stack.callback(notes.append, at)
    return stack


def inlined(x, w, notes, own):
    with _several(contextlib.ExitStack(), notes) as stack:
        y = x @ w
        stack.close()
        notes.append("closed")
    return y


def own_manager(x, w, notes, own):
    with own.told as ending:
        y = x @ w
    return y, ending.swallows


def own_is_told(x, w, notes, own):
    try:
        with own.told:
            raise ValueError("a", 1)
    except ValueError as error:
        notes.append(error.args)
    return x @ w


def own_swallows(x, w, notes, own):
    with own.swallowing:
        y = x + 1
        raise ValueError
    return y @ w


def own_in_a_stack(x, w, notes, own):
    with contextlib.ExitStack() as stack:
        stack.enter_context(own.swallowing)
        stack.push(own.told)
        raise ValueError("x")
    return x @ w


def own_raises(x, w, notes, own):
    try:
        with own.told, own.refusing:
            raise ValueError("x")
    except KeyError as error:
        notes.append(error.args)
    return x @ w


@contextlib.contextmanager
def noting(notes, swallows=()):
    notes.append("in")
    try:
        yield len(notes)
    except swallows as error:
        notes.append(error.args)
    finally:
        notes.append("out")


@contextlib.contextmanager
def plain(notes):
    yield notes
    notes.append("never")


@contextlib.contextmanager
def turning(notes):
    try:
        yield
    except ValueError as error:
        raise KeyError(*error.args) from error


@contextlib.contextmanager
def raising_again(notes):
    try:
        with torch.no_grad():
            yield
    except ValueError:
        notes.append("again")
        raise


def generator(x, w, notes, own):
    with noting(notes) as count:
        y = x @ w + count
    return y + 1


def generator_is_told(x, w, notes, own):
    try:
        with noting(notes):
            raise ValueError("a")
    except ValueError as error:
        notes.append(error.args)
    return x @ w


def generator_swallows(x, w, notes, own):
    with noting(notes, ValueError):
        raise ValueError("a")
    return x @ w


def generator_does_not_look(x, w, notes, own):
    try:
        with plain(notes):
            raise ValueError("a")
    except ValueError:
        notes.append("outside")
    return x @ w


def generator_turns(x, w, notes, own):
    try:
        with turning(notes):
            raise ValueError("a")
    except KeyError as error:
        notes.append(error.args)
    return x @ w


def generator_raises_again(x, w, notes, own):
    try:
        with raising_again(notes):
            y = x @ w
            raise ValueError("a")
    except ValueError as error:
        notes.append(error.args)
    return y, x @ w


def inner(notes):
    try:
        yield 2
    except ValueError as error:
        notes.append(error.args)
    return 3


@contextlib.contextmanager
def delegating(notes):
    notes.append((yield from inner(notes)))


def generator_delegates(x, w, notes, own):
    with delegating(notes) as count:
        y = x @ w + count
    return y + 1


def generator_delegates_exceptions(x, w, notes, own):
    y = x @ w
    with delegating(notes):
        raise ValueError("a")
    return y


def generators_in_a_stack(x, w, notes, own):
    with contextlib.ExitStack() as stack:
        stack.enter_context(noting(notes, KeyError))
        stack.enter_context(turning(notes))
        stack.enter_context(noting(notes))
        raise ValueError("a")
    return x @ w


WHOLE = [
    managers,
    callbacks,
    pushed,
    an_exception_passes,
    an_exception_ends,
    suppressed_within,
    another_is_raised,
    raised_at_the_end,
    nothing_raised_and_one_says_yes,
    moved,
    in_each_other,
    inlined,
    own_manager,
    own_is_told,
    own_swallows,
    own_in_a_stack,
    own_raises,
    generator,
    generator_is_told,
    generator_swallows,
    generator_does_not_look,
    generator_turns,
    generator_raises_again,
    generators_in_a_stack,
    generator_delegates,
]


def print_and_note(notes, what):
    print(what)
    notes.append(what)


def breaks_inside(x, w, notes, own):
    with contextlib.ExitStack() as stack:
        stack.callback(notes.append, 1)
        stack.enter_context(torch.no_grad())
        stack.callback(lambda *args, **kwargs: notes.append((args, kwargs)), 2, a=3)
        stack.push(lambda *told: notes.append(told))
        y = x @ w
        print("inside", torch.is_grad_enabled())
        z = y @ w
    return y, z, x @ w


def breaks_and_raises(x, w, notes, own):
    try:
        with contextlib.ExitStack() as stack:
            stack.callback(notes.append, 1)
            stack.enter_context(BFLOAT)
            y = x @ w
            print("inside", torch.is_autocast_enabled("cpu"))
            raise ValueError("a")
    except ValueError as error:
        notes.append(error.args)
    return y, x @ w


def breaks_in_a_callback(x, w, notes, own):
    with contextlib.ExitStack() as stack:
        stack.callback(print_and_note, notes, "last")
        stack.callback(notes.append, 1)
        y = x @ w
    return y, x @ w


def given_back(x, w, notes, own):
    stack = contextlib.ExitStack()
    stack.callback(notes.append, 1)
    stack.enter_context(torch.no_grad())
    return x @ w, stack


def not_left(x, w, notes, own):
    stack = contextlib.ExitStack()
    stack.enter_context(torch.no_grad())
    return x @ w


def leaves_by_an_exception(x, w, notes, own):
    with contextlib.ExitStack() as stack:
        stack.callback(notes.append, 1)
        stack.enter_context(noting(notes))
        y = x @ w
        raise ValueError(str(y.shape))


def fails_in_the_graph(x, w, notes, own):
    with contextlib.ExitStack() as stack:
        stack.callback(notes.append, 1)
        stack.enter_context(torch.no_grad())
        return torch.index_select(x, 0, torch.tensor([9]) + w.shape[0])


def keeps_what_it_is_told(x, w, notes, own):
    with contextlib.ExitStack() as stack:
        stack.push(lambda *told: notes.extend(told) or True)
        raise ValueError("a")
    return x @ w


def not_a_manager(x, w, notes, own):
    with contextlib.ExitStack() as stack:
        stack.enter_context(notes)
    return x @ w


def where_alone(x, w, notes, own):
    # Its overload is another one than that of three arguments, which would not fit.
    try:
        return torch.where(x > 0)[0] + 1
    except (RuntimeError, IndexError):
        return x @ w


ALL = [
    *WHOLE,
    where_alone,
    breaks_inside,
    breaks_and_raises,
    breaks_in_a_callback,
    given_back,
    not_left,
    leaves_by_an_exception,
    fails_in_the_graph,
    keeps_what_it_is_told,
    not_a_manager,
    generator_delegates_exceptions,
]


def seen(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.shape, value.dtype, value.requires_grad, value.tolist()
    if isinstance(value, list | tuple):
        return [seen(item) for item in value]
    if isinstance(value, contextlib.ExitStack):
        before = torch.is_grad_enabled()
        value.close()
        return before, torch.is_grad_enabled()
    return repr(value).split(" at 0x")[0]


def outcome(function, w) -> tuple[Any, ...]:
    notes: list[Any] = []
    try:
        result = seen(function(X, w, notes, Own(notes)))
    except Exception as error:
        result = repr(error)
    state = torch.is_grad_enabled(), torch.is_autocast_enabled("cpu")
    torch.set_grad_enabled(True)
    return result, seen(notes), state


@pytest.mark.parametrize("backend", ["eager", "rust_inductor"])
@pytest.mark.parametrize("function", ALL, ids=lambda function: function.__name__)
def test_it_does_what_python_does(function, backend, capsys):
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(function, backend=backend, listener=log.append)
    expected = outcome(function, W), capsys.readouterr().out
    for _ in range(2):
        assert (outcome(compiled, W), capsys.readouterr().out) == expected
    if function in WHOLE:
        assert [event.get("break_reason") or event.get("skipped") for event in log] == [None]


def test_a_break_inside_is_two_graphs():
    log: list[dict[str, Any]] = []
    _capture.optimize(breaks_inside, backend="eager", listener=log.append)(X, W, [], Own([]))
    assert len([event for event in log if event["graph"] is not None]) >= 2
    assert "print" in log[0]["break_reason"]
