"""Global variables that called functions write, and attributes of modules that are written: one dict, several ways."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch

from pybind.tests.dynamo.counted import check_one_graph
from rust_inductor import _capture

SOURCE = """
K = 2
CALLS = 0

def scale(x):
    return x * K

def count(x):
    global CALLS
    CALLS += 1
    return x + CALLS

def set_k(value):
    global K
    K = value

def set_and_scale(x, value):
    set_k(value)
    return scale(x)

def forget():
    global K
    del K
"""


def module_of(name: str) -> Any:
    module = types.ModuleType(name)
    exec(SOURCE, module.__dict__)
    sys.modules[name] = module
    return module


settings = module_of("_test_global_writes_settings")
others = module_of("_test_global_writes_others")
lazy = module_of("_test_global_writes_lazy")
lazy.__getattr__ = lambda name: f"made up: {name}"
STATE = 0


@pytest.fixture(autouse=True)
def _reset() -> Iterator[None]:
    reset()
    yield
    reset()


def reset() -> None:
    global STATE
    STATE = 0
    for module in (settings, others):
        module.K, module.CALLS = 2, 0
        vars(module).pop("NEW", None)


def set_state(value):
    global STATE
    STATE = value


def get_state():
    return STATE


def a_function_writes_its_modules(x):
    settings.set_k(3)
    return settings.scale(x), settings.K


def a_function_of_this_module_writes(x):
    set_state(5)
    return x * STATE, get_state()


def both_write(x):
    global STATE
    STATE = 6
    set_state(STATE + 1)
    STATE += 1
    return x * STATE, get_state()


def an_attribute_is_written(x):
    settings.K = 5
    return settings.scale(x), settings.K


def by_both_ways(x):
    settings.K = 4
    settings.set_k(settings.K + 1)
    settings.K += 1
    return settings.scale(x), settings.set_and_scale(x, 9), settings.K


def two_modules(x):
    settings.set_k(3)
    others.K = settings.K + 1
    return settings.scale(x), others.scale(x)


def one_that_was_absent(x):
    settings.NEW = 7
    return x * settings.NEW, hasattr(settings, "NEW"), getattr(settings, "NEW", 0)


def imported_after_it_was_written(x):
    settings.K = 8
    from _test_global_writes_settings import K  # type: ignore[import-not-found]

    return x * K, sys.modules["_test_global_writes_settings"].K


def a_tensor(x):
    settings.set_k(x.sum())
    return settings.scale(x), settings.K


PROGRAMS: list[Callable[[torch.Tensor], Any]] = [
    a_function_writes_its_modules,
    a_function_of_this_module_writes,
    both_write,
    an_attribute_is_written,
    by_both_ways,
    two_modules,
    one_that_was_absent,
    imported_after_it_was_written,
    a_tensor,
]


def state() -> str:
    kept = [(module.K, module.CALLS, getattr(module, "NEW", None)) for module in (settings, others)]
    return repr((kept, STATE))


@pytest.mark.parametrize("function", PROGRAMS)
def test_each_is_one_graph(function):
    check_one_graph(function)


def breaks_after_a_write(x):
    settings.set_k(3)
    others.K = 4
    set_state(2)
    y = settings.scale(x)
    torch._dynamo.graph_break()
    settings.K += 1
    return y * settings.K + others.scale(x) * STATE


def deletes(x):
    settings.set_k(3)
    y = settings.scale(x)
    settings.forget()
    return y


def deletes_and_reads(x):
    settings.forget()
    try:
        return settings.scale(x)
    except NameError as error:
        settings.K = 1
        return str(error), settings.scale(x)


def deletes_what_the_module_makes_up(x):
    lazy.K = 3
    y = lazy.scale(x)
    lazy.forget()
    try:
        return y, lazy.K
    except AttributeError:
        return y, "absent"


def counts(x):
    return settings.count(x) + others.count(settings.count(x))


@pytest.mark.parametrize(
    "function", [*PROGRAMS, breaks_after_a_write, deletes, deletes_and_reads, deletes_what_the_module_makes_up, counts]
)
def test_the_modules_are_left_as_plain_python_leaves_them(function):
    def run(function: Callable[[torch.Tensor], Any]) -> list[Any]:
        reset()
        seen = []
        for _ in range(3):
            settings.K = getattr(settings, "K", 2)
            seen.append((repr(function(torch.arange(3.0))), repr(getattr(settings, "K", None)), others.K, STATE))
        return seen

    assert run(_capture.optimize(function, backend="eager")) == run(function)


def by_two_ways(x, first, second):
    first.set_k(5)
    return second.scale(x)


@pytest.mark.parametrize("pairs", [[(0, 0), (0, 1), (1, 1)], [(0, 1), (1, 1), (1, 0)]])
def test_one_module_is_told_from_two(pairs):
    modules = (settings, others)
    compiled = _capture.optimize(by_two_ways, backend="eager")
    for one, other in pairs:
        reset()
        expected = by_two_ways(torch.ones(2), modules[one], modules[other])
        reset()
        assert torch.equal(compiled(torch.ones(2), modules[one], modules[other]), expected)


def test_one_code_with_two_scopes():
    """Of two functions with one code, the second does not share the scope of what it calls."""
    code = compile("def f(x):\n    set_k(5)\n    return x * K", __file__, "exec")
    scopes: list[dict[str, Any]] = [settings.__dict__, {"K": 3, "set_k": settings.set_k}]
    exec(code, scopes[0])
    first = scopes[0].pop("f")
    functions = [first, types.FunctionType(first.__code__, scopes[1])]
    for function, factor in zip(functions, (5, 3), strict=True):
        reset()
        compiled = _capture.optimize(function, backend="eager")
        assert torch.equal(compiled(torch.ones(2)), torch.ones(2) * factor)
        assert settings.K == 5


class Scope(dict):
    """Sees the items that are set, but not the global variables that functions set."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def __setitem__(self, key, value):
        self.seen.append(key)
        super().__setitem__(key, value)


def test_a_scope_that_is_no_plain_dict():
    scope = Scope()
    exec(SOURCE, scope)
    set_k, scale = scope["set_k"], scope["scale"]
    scope.seen.clear()

    def fn(x):
        set_k(3)
        return scale(x)

    compiled = _capture.optimize(fn, backend="eager")
    for _ in range(2):
        assert torch.equal(compiled(torch.ones(2)), torch.ones(2) * 3)
    assert scope["K"] == 3
    assert not scope.seen
