"""Captured functions among Python's own machinery: references, memory, threads, recursion, tracebacks, profilers.

Whatever is compared here is counted; nothing is timed.
"""

from __future__ import annotations

import ctypes
import gc
import sys
import threading
import traceback
import weakref
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest
import torch

from rust_inductor import _capture, _native

X = torch.tensor([1.0, 2.0, 3.0])


def eager(function: Callable[..., Any], **options: Any) -> Any:
    """Captured, with nothing behind it."""
    return _capture.optimize(function, "eager", **options)


@pytest.fixture(autouse=True)
def nothing_compiled() -> Iterator[None]:
    _native.reset()
    yield
    _native.reset()


class Heap(ctypes.Structure):
    """`struct mallinfo2`"""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in (
            *("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks"),
            *("in_use", "fordblks", "keepcost"),
        )
    ]


def bytes_in_use() -> int:
    """The bytes allocated by this process in Rust, C and for large Python objects; small ones are counted by block."""
    libc = ctypes.CDLL(None)
    if not hasattr(libc, "mallinfo2"):
        pytest.skip("this C library does not count its memory")
    libc.mallinfo2.restype = Heap
    heap = libc.mallinfo2()
    in_use: int = heap.in_use + heap.hblkhd
    return in_use


def collect() -> None:
    """Everything that is unreachable goes, also what code objects, which the collector does not look into, led to."""
    for _ in range(5):
        gc.collect()


def growth(work: Callable[[], Any], count: int) -> tuple[float, float]:
    """Python's blocks, and bytes, that each round leaves behind; rounds before these have filled all caches."""
    for _ in range(count // 4):
        work()
    collect()
    before = sys.getallocatedblocks(), bytes_in_use()
    for _ in range(count):
        work()
    collect()
    after = sys.getallocatedblocks(), bytes_in_use()
    return (after[0] - before[0]) / count, (after[1] - before[1]) / count


def source(text: str) -> dict[str, Any]:
    """The names that a program defines."""
    namespace: dict[str, Any] = {"torch": torch}
    exec(compile(text, "<program>", "exec"), namespace)
    return namespace


class TestReferences:
    def test_hits_keep_none(self):
        class Thing:
            def __init__(self):
                self.value = 3

        def fn(x, thing, items, *rest, **named):
            y = x * thing.value
            items[0] = y
            return [y, thing, rest, named]

        thing, items, x = Thing(), [None], X.clone()
        compiled = eager(fn)
        compiled(x, thing, items, thing, key=thing)
        watched = (thing, items, x, fn, fn.__code__, Thing, compiled)
        gc.collect()
        before = [sys.getrefcount(it) for it in watched]
        for _ in range(500):
            compiled(x, thing, items, thing, key=thing)
        items[0] = None
        gc.collect()
        assert [sys.getrefcount(it) for it in watched] == before

    def test_exceptions_and_guards_that_fail_keep_none(self):
        def fn(x, n):
            if n > 2:
                raise KeyError(n)
            return x + n

        compiled, x = eager(fn, dynamic=False, recompile_limit=2), X.clone()
        for n in range(5):
            with suppress(KeyError):
                compiled(x, n)
        watched = (x, fn, fn.__code__, KeyError)
        gc.collect()
        before = [sys.getrefcount(it) for it in watched]
        for n in range(500):
            with suppress(KeyError):
                compiled(x, n % 5)
        gc.collect()
        assert [sys.getrefcount(it) for it in watched] == before

    def test_what_is_captured_is_freed_with_its_function(self):
        def cycle() -> list[weakref.ref[Any]]:
            program = source("def make(k):\n    def f(x):\n        print(end='')\n        return x * k\n    return f")
            function = program["make"](torch.ones(3))
            compiled = eager(function)
            compiled(X)
            compiled(X.double())
            return [weakref.ref(it) for it in (function, function.__code__, compiled, program["make"])]

        gone = cycle()
        gc.collect()
        assert [it() for it in gone] == [None] * 4

    @pytest.mark.parametrize("called", [False, True])
    def test_circles_through_compiled_functions_are_collected(self, called):
        def in_its_namespace() -> tuple[Any, ...]:
            program = source("def fn(x):\n    return fn and x + 1")
            program["fn"] = compiled = eager(program["fn"])
            return compiled, compiled.__wrapped__, compiled.__wrapped__.__code__

        def in_an_attribute() -> tuple[Any, ...]:
            class Model:
                def step(self, x: torch.Tensor) -> torch.Tensor:
                    return x + 1

            model: Any = Model()
            model.compiled = eager(model.step)
            return model.compiled, model, Model

        def in_a_cell() -> tuple[Any, ...]:
            @eager
            def fn(x):
                return x * 2 if called else fn(x)

            return (fn,)

        def in_the_backend() -> tuple[Any, ...]:
            def backend(gm: Any, _inputs: Any) -> Any:
                return gm.forward if fn else None

            fn = _capture.optimize(lambda x: x + 1, backend)
            return fn, backend

        def watched(make: Callable[[], tuple[Any, ...]]) -> list[weakref.ref[Any]]:
            all_of_it = make()
            if called:
                all_of_it[0](X)
            return [weakref.ref(it) for it in all_of_it]

        for make in (in_its_namespace, in_an_attribute, in_a_cell, in_the_backend):
            alive = watched(make)
            collect()
            assert [it() for it in alive] == [None] * len(alive), make.__name__


class TestMemory:
    def test_hits_are_flat(self):
        compiled = eager(lambda x, table: table["a"] + x)
        table = {"a": X}
        blocks, size = growth(lambda: compiled(X, table), 4_000)
        assert blocks < 0.1
        assert size < 10

    def test_skipped_and_broken_calls_are_flat(self):
        def fn(x, n):
            y = x + 1
            print(end="")
            return y * n

        compiled = eager(fn, recompile_limit=2)
        blocks, size = growth(lambda: [compiled(X, float(n)) for n in range(4)], 500)
        assert blocks < 0.5
        assert size < 100

    def test_compile_and_discard_is_flat(self):
        def cycle() -> None:
            fn = source("def fn(x, y):\n    print(end='')\n    return [x + y, {'k': (x * y).sum()}]")["fn"]
            eager(fn)(X, X)

        blocks, size = growth(cycle, 120)
        assert blocks < 5
        assert size < 2_000, "a capture takes ten times that"

    def test_what_is_discarded_goes_with_one_collection(self):
        def cycle() -> None:
            fn = source("def fn(x, y):\n    return [x + y, {'k': x * y}]")["fn"]
            eager(fn)(X, X)

        cycle()
        collect()
        for _ in range(20):
            cycle()
        gc.collect()
        assert gc.collect() == 0, "what a compiled function kept has no circles of its own"

    def test_one_function_compiled_again_and_again_is_flat(self):
        def fn(x, y):
            print(end="")
            return x + y

        blocks, size = growth(lambda: eager(fn)(X, X), 120)
        assert blocks < 5
        assert size < 2_000

    def test_reset_lets_go(self):
        compiled = eager(lambda x: x + 1)

        def again() -> None:
            compiled(X)
            _native.reset()

        blocks, size = growth(again, 120)
        assert blocks < 5
        assert size < 2_000


def together(count: int, work: Callable[[int], Any]) -> list[Any]:
    """The results of threads that begin at once; the first error is raised."""
    results: list[Any] = [None] * count
    gate = threading.Barrier(count)

    def run(at: int) -> None:
        gate.wait()
        try:
            results[at] = work(at)
        except BaseException as error:
            results[at] = error

    threads = [threading.Thread(target=run, args=(at,)) for at in range(count)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return results


class TestThreads:
    def test_one_function_compiled_and_called_at_once(self):
        def fn(x, n):
            y = torch.relu(x) + n
            print(end="")
            return y.sum() * n

        compiled = eager(fn, recompile_limit=16)

        def work(at: int) -> bool:
            calls = [(at + i) % 5 for i in range(60)]
            return all(torch.equal(compiled(X, n), fn(X, n)) for n in calls)

        assert together(8, work) == [True] * 8

    def test_many_functions_and_resets(self):
        def work(at: int) -> bool:
            fn = source(f"def fn(x):\n    return [x + {at}, x.shape[0]]")["fn"]
            right = True
            for i in range(20):
                a, size = eager(fn)(X)
                right &= torch.equal(a, X + at) and size == 3
                if i % 5 == at % 5:
                    _native.reset()
            return right

        assert together(6, work) == [True] * 6

    def test_other_threads_run_as_they_are(self):
        shown: list[Any] = []

        def fn(x):
            return x + 1

        def through(x):
            thread = threading.Thread(target=lambda: results.append(fn(x)))
            thread.start()
            thread.join()
            return fn(x)

        results: list[Any] = []
        compiled = eager(through, listener=shown.append)
        torch.testing.assert_close(compiled(X), X + 1)
        torch.testing.assert_close(results[0], X + 1)
        assert all(event.get("code") is not fn.__code__ for event in shown if "skipped" in event)


class TestRecursion:
    def test_deep_recursion_is_as_deep_as_without(self):
        def depth(n):
            print(end="")
            return 0 if n == 0 else 1 + depth(n - 1)

        compiled = eager(depth)
        assert compiled(150) == 150

    def test_endless_recursion_ends_as_without(self):
        def endless(x):
            print(end="")
            return endless(x + 1)

        with pytest.raises(RecursionError):
            eager(endless)(X)
        torch.testing.assert_close(eager(lambda x: x + 1)(X), X + 1)


FAILING = """
def inner(x, n):
    y = x + 1
    if n == 1:
        raise ValueError("inner")
    return y / n

def outer(x, n):
    y = x * 2
    print(end="")
    try:
        z = inner(y, n)
    finally:
        y = None
    return z.reshape(7)

def entry(x, n):
    return outer(
        x,
        n,
    )
"""


class TestTracebacks:
    @pytest.mark.parametrize("n", [1, 2])
    def test_files_and_lines_are_those_of_the_program(self, n):
        def places(function: Callable[..., Any]) -> tuple[str, list[tuple[str, int | None, str]]]:
            with pytest.raises((ValueError, RuntimeError)) as caught:
                function(X, n)
            frames = traceback.extract_tb(caught.value.__traceback__)
            kept = [(it.filename, it.lineno, it.name) for it in frames if it.filename == "<program>"]
            return type(caught.value).__name__, kept

        plain, ours = source(FAILING), source(FAILING)
        expected = places(plain["entry"])
        compiled = eager(ours["entry"])
        for _ in range(2):
            kind, found = places(compiled)
            assert kind == expected[0]
            # Calls that were traced into have no frame; the last one that there is stands where plain Python's does.
            lines = [line for _, line, _ in expected[1]]
            assert found
            assert all(line is not None for _, line, _ in found)
            assert found[0][1] in lines
            assert found[-1][1] in lines


class TestInspection:
    def test_profilers_see_a_call_and_its_return(self):
        def fn(x):
            y = x + 1
            print(end="")
            return y * 2

        events: list[str] = []

        def note(frame: Any, event: str, _argument: object) -> None:
            if frame.f_code.co_name == "fn":
                events.append(event)

        compiled = eager(fn)
        compiled(X)
        sys.setprofile(note)
        try:
            result = compiled(X)
        finally:
            sys.setprofile(None)
        torch.testing.assert_close(result, (X + 1) * 2)
        calls, returns = events.count("call"), events.count("return")
        assert calls == returns >= 1
        assert events[0] == "call"
        assert events[-1] == "return"

    def test_tracers_see_the_lines_that_run(self):
        def fn(x):
            y = x + 1
            if y.shape[0] == 3:
                y = y * 2
            return y

        def lines(function: Callable[..., Any]) -> list[tuple[str, int]]:
            events: list[tuple[str, int]] = []

            def note(frame: Any, event: str, _argument: object) -> Any:
                if frame.f_code.co_filename == __file__ and frame.f_code.co_name == "fn":
                    events.append((event, frame.f_lineno - fn.__code__.co_firstlineno))
                    return note
                return None

            before = sys.gettrace()
            sys.settrace(note)
            try:
                function(X)
            finally:
                sys.settrace(before)
            return events

        compiled = eager(fn)
        assert lines(compiled) == lines(fn), "the first call"
        compiled(X)
        assert lines(compiled) == lines(fn), "a later one"


class Refused(Exception):
    """Raised, and referred to weakly."""


def test_a_raised_exception_dies_with_its_last_reference():
    def function(x):
        y = x + 1
        raise Refused(y)

    compiled = _capture.optimize(function, backend="eager")
    gc.collect()
    gc.disable()
    try:
        for _ in range(3):
            try:
                compiled(torch.ones(2))
            except Refused as error:
                left = weakref.ref(error)
            assert left() is None
    finally:
        gc.enable()


class Thing:
    pass


@torch._dynamo.disable
def outside(*_: Any) -> None:
    """Ends a graph."""


def dropped_after_a_break(x: torch.Tensor) -> tuple[Any, ...]:
    thing: Any = Thing()
    reference = weakref.ref(thing)
    outside(thing)
    y = x + 1
    thing = None
    return y, reference() is None


def deleted_between_breaks(x: torch.Tensor) -> tuple[Any, ...]:
    thing = Thing()
    reference = weakref.ref(thing)
    outside(thing)
    del thing
    y = x + 1
    outside()
    return y, reference() is None


def overwritten_between_breaks(x: torch.Tensor) -> tuple[Any, ...]:
    thing: Any = Thing()
    reference = weakref.ref(thing)
    outside()
    y = x + 1
    before = reference() is None
    thing = 3
    outside()
    return y + thing, before, reference() is None


def never_read_again(x: torch.Tensor) -> tuple[Any, ...]:
    thing = Thing()  # its frame holds it to the end
    reference = weakref.ref(thing)
    outside()
    y = x + 1
    outside()
    return y, reference() is None


def a_tensor(x: torch.Tensor) -> tuple[Any, ...]:
    t: Any = x * 2
    reference = weakref.ref(t)
    outside()
    y = t + 1
    held = reference() is None
    t = None
    outside()
    return y, held, reference() is None


def in_a_loop(x: torch.Tensor) -> tuple[Any, ...]:
    seen = []
    thing: Any = None
    for _ in range(3):
        before = weakref.ref(thing) if thing else None
        thing = Thing()
        seen.append(before is None or before() is None)
        outside()
        x = x + 1
    last = weakref.ref(thing)
    seen.append(last() is None)
    thing = None
    outside()
    return x, seen, last() is None


def in_a_list(x: torch.Tensor) -> tuple[Any, ...]:
    things = [Thing()]
    reference = weakref.ref(things[0])
    outside(things)
    y = x + 1
    things.pop()
    outside(things)
    return y, reference() is None


def after_an_exception(x: torch.Tensor) -> tuple[Any, ...]:
    seen = []
    last: Any = None
    for i in range(3):
        x = x + 1
        try:
            outside()
            if i == 1:
                raise Refused
            thing = Thing()  # bound on some ways to a break, and not on others
            last = weakref.ref(thing)
            outside(thing)
        except Refused as error:
            outside(error.args)
            thing = None
        seen.append(last() is None)
    return x, seen


def in_a_generator(x: torch.Tensor) -> tuple[Any, ...]:
    ended = []

    def numbers() -> Iterator[int]:
        try:
            yield 1
            yield 2
        finally:
            ended.append(True)

    generator: Any = numbers()
    y = x + next(generator)
    outside(generator)
    before = list(ended)
    generator = None
    after = list(ended)
    outside()
    return y + 1, before, after


class Closing:
    """Notes its end in a list."""

    def __init__(self, notes: list[str]) -> None:
        self.notes = notes

    def __del__(self) -> None:
        self.notes.append("closed")


def left_to_its_frame(x: torch.Tensor) -> tuple[Any, ...]:
    notes: list[str] = []
    kept = Closing(notes)  # noqa: F841  # the frame closes it
    y = x + 1
    outside()
    notes.append("used")
    outside()
    notes.append("left")
    return y * 2, notes


def left_in_a_container(x: torch.Tensor) -> tuple[Any, ...]:
    notes: list[str] = []
    made: Any = Closing(notes)
    kept = {"thing": [made]}  # noqa: F841
    made = None
    y = x + 1
    outside()
    notes.append("used")
    outside()
    return y * 2, notes


def dropped_with_a_container(x: torch.Tensor) -> tuple[Any, ...]:
    notes: list[str] = []
    kept: Any = (Closing(notes), [Closing(notes)])
    first = kept[0]
    outside()
    kept = None
    notes.append("dropped")
    outside()
    first = None  # noqa: F841
    notes.append("left")
    return x * 2, notes


def opened(notes: list[str]) -> list[Any]:
    return [Closing(notes)]


def left_in_a_found_container(x: torch.Tensor) -> tuple[Any, ...]:
    notes: list[str] = []
    kept = torch._dynamo.disable(opened)(notes)  # noqa: F841
    for turn in range(3):
        x = x + turn
        outside()
        notes.append("used")
    return x, notes


def left_in_turns(x: torch.Tensor) -> tuple[Any, ...]:
    notes: list[str] = []
    for turn in range(3):
        kept = Closing(notes)  # noqa: F841  # closes the last one
        x = x + turn
        outside()
        notes.append("used")
    return x, notes


def cleaning(notes: list[str], name: str) -> Iterator[int]:
    try:
        yield 1
        yield 2
    finally:
        notes.append(name)


def left_waiting(x: torch.Tensor) -> tuple[Any, ...]:
    notes: list[str] = []
    waiting = cleaning(notes, "closed")
    outside(waiting)
    y = x + next(waiting)
    outside()
    notes.append("used")
    return y * 2, notes


def left_made(x: torch.Tensor) -> tuple[Any, ...]:
    notes: list[str] = []
    waiting = cleaning(notes, "closed")
    y = x + next(waiting)
    outside()
    notes.append("used")
    outside()
    return y * 2, notes


def left_to_the_end(x: torch.Tensor) -> tuple[Any, ...]:
    notes: list[str] = []
    waiting = cleaning(notes, "closed")
    y = x + next(waiting)
    notes.append("used")
    return y, notes


def left_in_each_turn(x: torch.Tensor) -> tuple[Any, ...]:
    notes: list[str] = []
    for turn in range(3):
        waiting = cleaning(notes, f"closed {turn}")
        x = x + next(waiting)
        outside()
        notes.append("used")
    return x, notes


def left_in_another_generator(x: torch.Tensor) -> tuple[Any, ...]:
    notes: list[str] = []
    waiting = cleaning(notes, "closed")
    around = (value for value in waiting)
    y = x + next(around)
    outside()
    notes.append("used")
    outside()
    return y, notes


@pytest.mark.parametrize(
    "function",
    [
        left_made,
        left_to_the_end,
        left_in_each_turn,
        left_in_another_generator,
        left_to_its_frame,
        left_in_a_container,
        dropped_with_a_container,
        left_in_a_found_container,
        left_in_turns,
        left_waiting,
        dropped_after_a_break,
        deleted_between_breaks,
        overwritten_between_breaks,
        never_read_again,
        a_tensor,
        in_a_loop,
        in_a_list,
        after_an_exception,
        in_a_generator,
    ],
)
def test_an_object_dies_where_the_program_drops_it(function: Callable[[torch.Tensor], tuple[Any, ...]]):
    x = torch.ones(2)
    expected = function(x)
    compiled = eager(function)
    for _ in range(3):
        got = compiled(x)
        assert torch.equal(got[0], expected[0])
        assert got[1:] == expected[1:]


@pytest.mark.parametrize("function", [left_made, left_to_the_end, left_in_each_turn, left_in_another_generator])
def test_what_cleans_up_is_made_for_the_frame_that_holds_it(function: Callable[[torch.Tensor], tuple[Any, ...]]):
    log: list[dict[str, Any]] = []
    _capture.optimize(function, backend="eager", listener=log.append)(torch.ones(2))
    assert not any("skipped" in event for event in log)
