"""The frame hook, seen from Python. Standard library only: it runs on every CPython that we know, without torch."""

from __future__ import annotations

import gc
import math
import sys
import threading
import traceback
import types
import unittest
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import frame_hook

VARARGS, VARKEYWORDS = 4, 8


def replacement(code: types.CodeType, old: object, new: object) -> types.CodeType:
    """The code with another constant, as the hook runs it: a positional parameter for each argument slot."""
    packed = bool(code.co_flags & VARARGS) + bool(code.co_flags & VARKEYWORDS)
    return code.replace(
        co_argcount=code.co_argcount + code.co_kwonlyargcount + packed,
        co_posonlyargcount=0,
        co_kwonlyargcount=0,
        co_flags=code.co_flags & ~(VARARGS | VARKEYWORDS),
        co_consts=tuple(new if type(c) is type(old) and c == old else c for c in code.co_consts),
    )


class Patches:
    """Replaces 1000 by 2000 in the functions it is told of; notes what it is shown."""

    def __init__(self) -> None:
        self.guards: dict[types.CodeType, Callable[[dict[str, Any]], Any] | None] = {}
        self.shown: list[tuple[str, dict[str, Any]]] = []

    def __call__(self, code: types.CodeType, arguments: dict[str, Any], _globals: Any, _function: Any) -> Any:
        self.shown.append((code.co_name, dict(arguments)))
        helper()  # frames of a handler are not shown
        if code not in self.guards:
            return None
        return self.guards[code], replacement(code, 1000, 2000)

    def patch(self, function: Any, guard: Callable[[dict[str, Any]], Any] | None = None) -> None:
        self.guards[function.__code__] = guard


def helper() -> int:
    return 1


@contextmanager
def patched(*functions: Any, guard: Callable[[dict[str, Any]], Any] | None = None) -> Iterator[Patches]:
    patches = Patches()
    for function in functions:
        patches.patch(function, guard)
    with frame_hook.Hook(patches):
        yield patches


reached = 0


def descend(n: int) -> int:
    global reached
    reached = n
    return descend(n + 1)


def descend_in_two(n: int) -> int:
    return go_on(n)


def go_on(n: int) -> int:
    global reached
    reached = n
    return descend(n + 1)


class Recursion(unittest.TestCase):
    def test_a_resume_function_does_not_count(self) -> None:
        def depth() -> int:
            self.assertRaises(RecursionError, descend, 0)
            return reached

        def handler(code: types.CodeType, *_: Any) -> Any:
            return (None, descend_in_two.__code__) if code is descend.__code__ else None

        plain = depth()
        with frame_hook.Hook(handler):
            self.assertLess(depth(), plain * 2 / 3)
        frame_hook.mark_resume(go_on.__code__)
        with frame_hook.Hook(handler):
            self.assertEqual(depth(), plain)
            self.assertEqual(depth(), plain)
        self.assertEqual(depth(), plain)
        self.assertRaises(TypeError, frame_hook.mark_resume, go_on)


class Thing:
    pass


things: list[weakref.ref[Thing]] = []


def make() -> Thing:
    thing = Thing()
    things.append(weakref.ref(thing))
    return thing


def drops(a: int, thing: Thing | None) -> tuple[int, bool, int]:
    assert thing is things[-1]()
    thing = None
    return a, things[-1]() is None, 1000


def as_rest(a: int) -> Any:
    return drops(a, make())


def through_another(a: int) -> Any:
    return (lambda: drops(a, make()))()


class Lifetimes(unittest.TestCase):
    """Objects die where the program drops them, though the hook calls through C."""

    def dropped(self, function: Callable[[int], Any], *, marked: bool, replaced: bool) -> Any:
        codes = {as_rest.__code__: function.__code__.replace(co_name="copied")}
        original = drops.__code__
        drops.__code__ = original.replace(co_name="drops")
        if replaced:
            codes[drops.__code__] = replacement(drops.__code__, 1000, 2000)
        if marked:
            frame_hook.mark_resume(drops.__code__)

        def handler(code: types.CodeType, *_: Any) -> Any:
            return (None, codes[code]) if code in codes else None

        frame_hook.reset()
        try:
            with frame_hook.Hook(handler):
                results = [as_rest(7) for _ in range(3)]
        finally:
            drops.__code__ = original
        self.assertEqual(results, [results[0]] * 3)
        self.assertTrue(all(thing() is None for thing in things))
        return results[0]

    def test_a_resume_function_owns_its_arguments(self) -> None:
        for replaced in False, True:
            end = 2000 if replaced else 1000
            result = self.dropped(as_rest, marked=True, replaced=replaced)
            self.assertEqual(result, (7, True, end))

    def test_others_are_called_through_c(self) -> None:
        for replaced in False, True:
            end = 2000 if replaced else 1000
            self.assertEqual(self.dropped(as_rest, marked=False, replaced=replaced), (7, False, end))
            # A function between the replacement and the resume function, which may do anything with its stack.
            self.assertEqual(self.dropped(through_another, marked=True, replaced=replaced), (7, False, end))


def start(n: int) -> Any:
    raise AssertionError("never called as it is")


def again(n: int, thing: Thing) -> Any:
    raise AssertionError("never called as it is")


def first_of_chain(n: int) -> Any:
    return again(n, make())


fails = False


def next_of_chain(n: int, thing: Thing) -> Any:
    assert thing is things[-1]()
    if n == 0:
        if fails:
            raise OverflowError
        depth, frame = 0, sys._getframe()
        while frame is not None:
            depth, frame = depth + 1, frame.f_back  # type: ignore[assignment]
        return depth
    if n % 100 == 0:
        # A chain within the chain.
        assert start(n % 7) > 0
        thing = make()
    return again(n - 1, thing)


def halved(n: int) -> Any:
    raise AssertionError("never called as it is")


def half(n: int) -> Any:
    raise AssertionError("never called as it is")


def first_half(n: int) -> Any:
    return half(n)


def next_half(n: int) -> Any:
    return half(n - 1) if n else "done"


class Chains(unittest.TestCase):
    """Resume functions that go on with each other do not grow the stack."""

    codes: types.MappingProxyType[types.CodeType, types.CodeType] = types.MappingProxyType(
        {
            start.__code__: first_of_chain.__code__,
            again.__code__: next_of_chain.__code__,
            halved.__code__: first_half.__code__,
            half.__code__: next_half.__code__,
        }
    )

    def setUp(self) -> None:
        frame_hook.reset()
        frame_hook.mark_resume(again.__code__)
        frame_hook.mark_resume(half.__code__)
        things.clear()

    def hook(self) -> Any:
        return frame_hook.Hook(lambda code, *_: (None, self.codes[code]) if code in self.codes else None)

    def test_the_stack_does_not_grow(self) -> None:
        with self.hook():
            least = start(0)
            for n in 1, 7, 8, 9, 10, 25, 99, 25, 0:
                self.assertLess(start(n), least + 40)
            self.assertEqual(start(0), least)
        self.assertTrue(all(thing() is None for thing in things))

    def test_a_chain_may_be_long_and_hold_others(self) -> None:
        with self.hook():
            self.assertLess(start(100_000), 100)
        self.assertTrue(all(thing() is None for thing in things))

    def test_exceptions_come_through(self) -> None:
        global fails
        with self.hook():
            for n in 0, 7, 8, 9, 99:
                fails = True
                self.assertRaises(OverflowError, start, n)
                fails = False
                self.assertGreater(start(n), 0)
        self.assertTrue(all(thing() is None for thing in things))

    def test_threads_have_chains_of_their_own(self) -> None:
        results: list[str] = []

        def run() -> None:
            with self.hook():
                results.extend(halved(n) for n in (30_000, 9, 20))

        threads = [threading.Thread(target=run) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(results, ["done"] * 12)


class Arguments(unittest.TestCase):
    def test_every_kind_of_parameter(self) -> None:
        def f(a, /, b=2, *args, k=5, **kw):  # type: ignore[no-untyped-def]
            return a, b, args, k, kw, 1000

        with patched(f) as patches:
            self.assertEqual(f(1), (1, 2, (), 5, {}, 2000))
            self.assertEqual(f(1, 3, 4, 5, k=7, z=9), (1, 3, (4, 5), 7, {"z": 9}, 2000))
            self.assertRaisesRegex(TypeError, "missing 1 required", f)
        self.assertEqual(f(1)[-1], 1000)
        self.assertEqual(patches.shown[0], ("f", {"a": 1, "b": 2, "args": (), "k": 5, "kw": {}}))

    def test_cells_and_free_variables(self) -> None:
        def outer(n: int) -> Callable[..., list[Any]]:
            total = n

            def g(x: int, *rest: int) -> list[Any]:
                nonlocal total
                total += x
                inner = lambda: (x, rest, total, 1000)  # noqa: E731
                return [*inner(), 1000]

            return g

        g, h = outer(10), outer(50)
        with patched(g):
            self.assertEqual(g(1, 2), [1, (2,), 11, 1000, 2000])
            self.assertEqual(h(1), [1, (), 51, 1000, 2000])
            self.assertEqual(g(1, 2), [1, (2,), 12, 1000, 2000])

    def test_class_cell_and_locals(self) -> None:
        class Base:
            def m(self) -> int:
                return 1000

        class Derived(Base):
            def m(self) -> int:
                return super().m() + 1000

        def names(a: int) -> list[tuple[str, int]]:
            b = 1000
            return sorted(locals().items())

        with patched(Derived.m, names):
            self.assertEqual(Derived().m(), 3000)
            self.assertEqual(names(7), [("a", 7), ("b", 2000)])

    def test_forty_parameters(self) -> None:
        scope: dict[str, Any] = {}
        exec(f"def wide({', '.join(f'p{i}' for i in range(40))}): return p39 + 1000", scope)
        with patched(scope["wide"]):
            self.assertEqual(scope["wide"](*range(40)), 2039)


class NeverOurs(unittest.TestCase):
    def test_generators_coroutines_and_class_bodies(self) -> None:
        def generator(n: int) -> Iterator[int]:
            for i in range(n):
                yield i + 1000

        async def coroutine(n: int) -> int:
            return n + 1000

        with patched(generator, coroutine) as patches:
            self.assertEqual(list(generator(2)), [1000, 1001])
            self.assertRaises(KeyError, generator(2).throw, KeyError("x"))
            with self.assertRaises(StopIteration) as stop:
                coroutine(1).send(None)
            self.assertEqual(stop.exception.value, 1001)

            class Body:
                value = 1000

            exec("z = 1")
        self.assertEqual(Body.value, 1000)
        self.assertFalse({"generator", "coroutine", "Body", "<module>"} & {name for name, _ in patches.shown})


class Exceptions(unittest.TestCase):
    def test_tracebacks_are_those_of_the_replacement(self) -> None:
        def boom(a: int) -> None:
            try:
                a / 0
            except ZeroDivisionError as error:
                raise ValueError(1000) from error

        def catcher(a: int) -> ValueError:
            try:
                boom(a)
            except ValueError as error:
                return error
            raise AssertionError

        with patched(boom, catcher):
            error = catcher(1)
        self.assertEqual(error.args, (2000,))
        self.assertIsInstance(error.__cause__, ZeroDivisionError)
        frames = traceback.extract_tb(error.__traceback__)
        self.assertEqual([frame.name for frame in frames], ["catcher", "boom"])
        first = boom.__code__.co_firstlineno
        self.assertEqual([frame.lineno for frame in frames][1], first + 4)

    def test_of_the_handler_and_of_a_guard(self) -> None:
        def f(a: int) -> int:
            return a + 1000

        def fails(*_: object) -> None:
            raise LookupError("handler")

        with self.assertRaisesRegex(LookupError, "handler"), frame_hook.Hook(fails):
            f(1)
        patches = Patches()
        patches.patch(f, fails)
        with self.assertRaisesRegex(LookupError, "handler"), frame_hook.Hook(patches):
            f(1)
            f(1)
        self.assertEqual(f(1), 1001)

    def test_a_replacement_that_is_no_code(self) -> None:
        def f() -> int:
            return 1

        with self.assertRaisesRegex(RuntimeError, "no code object"), frame_hook.Hook(lambda *_: (None, "code")):
            f()


class Guards(unittest.TestCase):
    def test_the_entry_whose_guard_holds_runs(self) -> None:
        def f(a: object) -> object:
            return a, 1000

        compiled = []

        def handler(code: types.CodeType, arguments: dict[str, Any], *_: object) -> Any:
            if code is not f.__code__:
                return None
            wanted = type(arguments["a"])
            compiled.append(wanted)
            return (lambda a: type(a["a"]) is wanted), replacement(code, 1000, wanted)

        with frame_hook.Hook(handler):
            for value in (1, 2.0, 3, "x", 4.0):
                self.assertEqual(f(value), (value, type(value)))
        self.assertEqual(compiled, [int, float, str])

    def test_what_a_guard_has_prefetched(self) -> None:
        def f(a: int, *rest: int, b: int = 5) -> Any:
            return a, rest, b

        def g(a: int, b: int, rest: tuple[int, ...], prefetched: Any) -> Any:
            return a, rest, b, prefetched

        class Thing:
            pass

        things = [Thing()]

        def guard(_arguments: dict[str, Any]) -> Any:
            return (things.pop(),) if things else True

        with frame_hook.Hook(lambda *_: (guard, g.__code__)):
            self.assertEqual(f(1, 2), (1, (2,), 5, None))  # no guard has run in the call that is compiled
            (*rest, prefetched) = f(3, b=4)
            self.assertEqual(rest, [3, (), 4])
            self.assertIsInstance(prefetched[0], Thing)
            self.assertEqual(f(3), (3, (), 5, None))
        reference = weakref.ref(prefetched[0])
        del prefetched
        self.assertIsNone(reference())

    def test_the_limit_ends_it(self) -> None:
        def f(a: int) -> int:
            return a + 1000

        def handler(code: types.CodeType, arguments: dict[str, Any], *_: object) -> Any:
            value = arguments.get("a")
            return ((lambda a: a["a"] == value), replacement(code, 1000, 2000)) if code is f.__code__ else None

        hook = frame_hook.Hook(handler, limit=2)
        with hook:
            self.assertEqual([f(n) for n in (1, 2, 3, 4, 1)], [2001, 2002, 1003, 1004, 2001])
        self.assertEqual(hook.at_limit, 1)

    def test_reset_and_other_handlers(self) -> None:
        def f() -> int:
            return 1000

        with patched(f) as first:
            self.assertEqual((f(), f()), (2000, 2000))
            frame_hook.reset()
            self.assertEqual(f(), 2000)
        with frame_hook.Hook(lambda *_: None):
            self.assertEqual(f(), 1000)
        self.assertEqual([name for name, _ in first.shown].count("f"), 2)

    def test_what_is_skipped_is_shown_again_after_a_reset_and_to_others(self) -> None:
        def f() -> int:
            return 1000

        patches, other = Patches(), Patches()
        other.patch(f)
        with frame_hook.Hook(patches):
            self.assertEqual([f() for _ in range(3)], [1000] * 3)
            with frame_hook.Hook(other):
                self.assertEqual([f() for _ in range(3)], [2000] * 3)
            self.assertEqual(f(), 1000)
            self.assertEqual([name for name, _ in patches.shown].count("f"), 1)
            patches.patch(f)
            self.assertEqual(f(), 1000)
            frame_hook.reset()
            self.assertEqual(f(), 2000)


class Nesting(unittest.TestCase):
    def test_recursion(self) -> None:
        def fact(n: int) -> int:
            return 1 if n <= 1 else n * fact(n - 1)

        def endless(n: int) -> int:
            return endless(n + 1)

        with patched(fact, endless):
            self.assertEqual(fact(100), math.factorial(100))
            self.assertRaises(RecursionError, endless, 0)

    def test_recursion_as_deep_as_the_stack_is(self) -> None:
        def deep(n: int) -> int:
            return 0 if n == 0 else 1 + deep(n - 1)

        def deep_in_generators(n: int) -> Any:
            if n > 0:
                yield n
                yield from deep_in_generators(n - 1)

        limit = sys.getrecursionlimit()
        with patched(deep):
            self.assertEqual(deep(limit - 100), limit - 100)
            self.assertEqual(len(list(deep_in_generators(limit - 100))), limit - 100)
            sys.setrecursionlimit(10**6)
            try:
                self.assertRaises(RecursionError, deep, 10**5)
            finally:
                sys.setrecursionlimit(limit)

    def test_off_inside_and_in_the_handler(self) -> None:
        def f(a: int) -> int:
            return a + 1000

        inside = []

        def handler(code: types.CodeType, *_: object) -> Any:
            if code is not f.__code__:
                return None
            inside.append(f(1))
            return None, replacement(code, 1000, 2000)

        with frame_hook.Hook(handler):
            self.assertEqual(f(1), 2001)
            with frame_hook.Off():
                self.assertEqual(f(1), 1001)
            self.assertEqual(f(1), 2001)
        self.assertEqual(inside, [1001])

    def test_what_is_skipped_with_all_that_it_calls(self) -> None:
        shown = []

        def inner(n: int) -> int:
            return n + 1

        def outer(n: int) -> int:
            return inner(n) + 1

        def handler(code: types.CodeType, _locals: Any, _globals: Any, _function: Any) -> Any:
            shown.append(code.co_name)
            return False if code is outer.__code__ else None

        with frame_hook.Hook(handler, limit=8):
            results = [outer(1), outer(2), inner(3)]
        self.assertEqual(results, [3, 4, 4])
        self.assertEqual(shown, ["outer", "inner"])

    def test_it_leaves_when_nobody_is_on(self) -> None:
        self.assertFalse(frame_hook.installed())
        with frame_hook.Hook(lambda *_: None):
            self.assertTrue(frame_hook.installed())
        self.assertFalse(frame_hook.installed())


class Threads(unittest.TestCase):
    def test_each_is_on_for_itself(self) -> None:
        def f(a: int) -> int:
            return a + 1000

        results: dict[str, int] = {}

        def on(name: str) -> None:
            with patched(f):
                results[name] = sum(f(1) for _ in range(200))

        with patched(f):
            off = threading.Thread(target=lambda: results.setdefault("off", f(1)))
            off.start()
            off.join()
            threads = [threading.Thread(target=on, args=(str(i),)) for i in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(results, {"off": 1001} | {str(i): 2001 * 200 for i in range(8)})

    def test_one_function_in_many_threads_at_once(self) -> None:
        def f(a: int) -> int:
            return a + 1000

        def g(a: int) -> int:
            return f(a) + f(a + 1)

        def handler(code: types.CodeType, arguments: dict[str, Any], *_: object) -> Any:
            if code is not f.__code__:
                return None
            parity = arguments["a"] % 2
            return (lambda arguments: arguments["a"] % 2 == parity), replacement(code, 1000, 2000)

        gate = threading.Barrier(8)
        wrong: list[int] = []

        def call() -> None:
            gate.wait()
            with frame_hook.Hook(handler):
                wrong.extend(n for n in range(200) if g(n) != 2 * n + 4001)

        threads = [threading.Thread(target=call) for _ in range(8)]
        interval = sys.getswitchinterval()
        sys.setswitchinterval(1e-5)
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        sys.setswitchinterval(interval)
        self.assertEqual(wrong, [])


class Memory(unittest.TestCase):
    def test_references_are_exact(self) -> None:
        class Thing:
            pass

        def returns(a: object, *rest: object, **named: object) -> int:
            b = a  # noqa: F841
            return 1000

        def raises(a: object) -> None:
            raise KeyError(1000)

        thing = Thing()
        with patched(returns, raises) as patches:
            returns(thing, thing, z=thing)
            with suppress(KeyError):
                raises(thing)
            patches.shown.clear()
            gc.collect()
            objects = (thing, returns, returns.__code__, raises)
            before = [sys.getrefcount(o) for o in objects]
            for _ in range(5000):
                returns(thing, thing, z=thing)
                with suppress(KeyError):
                    raises(thing)
            self.assertEqual([sys.getrefcount(o) for o in objects], before)

    def test_a_function_is_freed_with_all_that_is_known_of_it(self) -> None:
        def make() -> Any:
            scope: dict[str, Any] = {}
            exec("def f(a): return a + 1000", scope)
            return scope["f"]

        handler = lambda code, *_: (None, replacement(code, 1000, 2000)) if code.co_name == "f" else None  # noqa: E731
        with frame_hook.Hook(handler):
            f = make()
            self.assertEqual(f(1), 2001)
            alive = weakref.ref(f.__code__)
            del f
            gc.collect()
        self.assertIsNone(alive())

    def test_a_handler_ends_when_nobody_can_enable_it(self) -> None:
        def f(a: int) -> int:
            return a + 1000

        class Handler:
            def __call__(self, code: Any, *_: Any) -> Any:
                return (None, replacement(code, 1000, 2000)) if code is f.__code__ else None

        entries = []
        for _ in range(20):
            handler = Handler()
            with frame_hook.Hook(handler):
                self.assertEqual(f(1), 2001)
            entries.append(weakref.ref(handler))
            del handler
            self.assertIsNone(entries[-1]())
        self.assertEqual(f(1), 1001)


class Inspection(unittest.TestCase):
    def test_profilers_and_tracers_see_one_call(self) -> None:
        def f(a: int) -> int:
            return a + 1000

        events: list[tuple[str, int]] = []

        def note(frame: types.FrameType, event: str, _argument: object) -> Any:
            if frame.f_code.co_name == "f":
                events.append((event, frame.f_lineno - f.__code__.co_firstlineno))
            return note

        with patched(f):
            f(1)
            sys.setprofile(note)
            f(1)
            sys.setprofile(None)
            profiled = events.copy()
            events.clear()
            sys.settrace(note)
            f(1)
            sys.settrace(None)
        self.assertEqual([event for event, _ in profiled], ["call", "return"])
        self.assertEqual(events, [("call", 0), ("line", 1), ("return", 1)])

    def test_what_is_traced_runs_as_it_is(self) -> None:
        def f(a: int) -> int:
            b = a
            return b + 1000

        shown: list[str] = []
        lines: list[int] = []

        def note(frame: types.FrameType, event: str, _argument: object) -> Any:
            lines.append(frame.f_lineno - f.__code__.co_firstlineno if frame.f_code is f.__code__ else -1)
            return note

        with patched(f) as patches:
            sys.settrace(note)
            traced = f(1)
            sys.settrace(None)
            shown = [name for name, _ in patches.shown]
            self.assertEqual((traced, f(1)), (1001, 2001))
        self.assertNotIn("note", shown)
        self.assertEqual(lines[:4], [0, 1, 2, 2])

    @unittest.skipIf(sys.version_info < (3, 12), "there is no sys.monitoring")
    def test_what_is_monitored_runs_as_it_is(self) -> None:
        def f(a: int) -> int:
            b = a
            return b + 1000

        first = f.__code__.co_firstlineno
        monitoring: Any = sys.monitoring  # type: ignore[attr-defined]
        lines: list[int] = []

        def started(code: types.CodeType, _offset: int) -> None:
            if code.co_name == "f":
                monitoring.set_local_events(monitoring.COVERAGE_ID, code, monitoring.events.LINE)

        def line(_code: types.CodeType, number: int) -> None:
            lines.append(number - first)

        with patched(f) as patches:
            self.assertEqual(f(1), 2001)
            for _ in range(2):
                monitoring.use_tool_id(monitoring.COVERAGE_ID, "lines")
                monitoring.register_callback(monitoring.COVERAGE_ID, monitoring.events.PY_START, started)
                monitoring.register_callback(monitoring.COVERAGE_ID, monitoring.events.LINE, line)
                monitoring.set_events(monitoring.COVERAGE_ID, monitoring.events.PY_START)
                self.assertEqual(f(1), 1001)
                self.assertEqual(f(1), 1001)
                monitoring.set_local_events(monitoring.COVERAGE_ID, f.__code__, 0)
                monitoring.set_events(monitoring.COVERAGE_ID, 0)
                monitoring.free_tool_id(monitoring.COVERAGE_ID)
                self.assertEqual(f(1), 2001)
            shown = [name for name, _ in patches.shown]
        self.assertEqual(lines, [1, 2] * 4)
        self.assertNotIn("started", shown)
        self.assertNotIn("line", shown)

    @unittest.skipIf(sys.version_info < (3, 12), "there is no sys.monitoring")
    def test_tools_that_profile_see_one_call(self) -> None:
        def f(a: int) -> int:
            return a + 1000

        monitoring: Any = sys.monitoring  # type: ignore[attr-defined]
        tool, events = monitoring.PROFILER_ID, monitoring.events
        seen: list[tuple[str, object]] = []
        monitoring.use_tool_id(tool, "calls")
        monitoring.register_callback(tool, events.PY_START, lambda code, _: seen.append((code.co_name, None)))
        monitoring.register_callback(tool, events.PY_RETURN, lambda code, _, got: seen.append((code.co_name, got)))
        with patched(f):
            f(1)
            monitoring.set_events(tool, events.PY_START | events.PY_RETURN)
            value = f(1)
            monitoring.set_events(tool, 0)
        monitoring.free_tool_id(tool)
        self.assertEqual(value, 2001)
        self.assertEqual([event for event in seen if event[0] == "f"], [("f", None), ("f", 2001)])

    def test_functions_that_profile_are_not_shown(self) -> None:
        def f(a: int) -> int:
            return a + 1000

        def note(frame: types.FrameType, event: str, _argument: object) -> None:
            return None

        with patched(f) as patches:
            sys.setprofile(note)
            self.assertEqual(f(1), 2001)
            sys.setprofile(None)
        self.assertNotIn("note", [name for name, _ in patches.shown])

    def test_code_that_has_been_specialised(self) -> None:
        def f(a: float) -> float:
            return a + 1000

        for _ in range(3000):
            f(1)
        with patched(f):
            self.assertEqual((f(1), f(1.5)), (2001, 2001.5))


if __name__ == "__main__":
    unittest.main()
