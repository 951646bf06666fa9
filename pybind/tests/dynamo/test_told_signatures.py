"""Signatures of functions, methods and classes, and what else `inspect` tells where the program asks."""

# The programs do what Python lets them do, whatever their types say.
# mypy: disable-error-code="attr-defined, no-untyped-def, misc, assignment, operator"

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import pytest
import torch

from pybind.tests.dynamo.counted import check_one_graph
from rust_inductor import _capture


def plain(a, b: int = 2, *rest, c=3, **named) -> str:
    return "plain"


@functools.wraps(plain)
def wrapped(*args, **kwargs):
    return plain(*args, **kwargs)


def scaled(x, factor=1.0):
    return x * factor


class Thing:
    def __init__(self, key, last=2):
        self.key, self.last = key, last

    def method(self, q, r=1):
        return q

    @classmethod
    def of_class(cls, z):
        return z

    @staticmethod
    def alone(z, y=2):
        return z


class Module(torch.nn.Module):
    def forward(self, x, scale=1.0):
        return x * scale


THING = Thing(1)
MODULE = Module()
PARTIAL = functools.partial(plain, 1, c=5)


def shown(signature):
    """All that a signature says."""
    parameters = signature.parameters.values()
    defaults = [p.default for p in parameters if p.default is not p.empty]
    return list(signature.parameters), [p.kind.name for p in parameters], defaults, [p.name for p in parameters]


def kinds(x):
    def made(a, /, b=2, *, c):
        return a

    callables = (plain, wrapped, made, THING.method, Thing.method, Thing.of_class, THING.alone, MODULE.forward)
    told = [shown(inspect.signature(callable)) for callable in callables]
    return x + len(told), told, shown(inspect.signature(wrapped, follow_wrapped=False))


def partials(x):
    made = functools.partial(scaled, factor=2)
    told = shown(inspect.signature(PARTIAL)), hasattr(PARTIAL, "__wrapped__")
    return x + len(told), told, made == scaled, plain != PARTIAL, getattr(made, "missing", 4)


def annotated(x):
    signature = inspect.signature(plain)
    b = signature.parameters["b"]
    return x + b.default, b.annotation, signature.return_annotation, signature.parameters["a"].annotation is b.empty


def bound(x):
    bound = inspect.signature(plain).bind(x, 5, 6, d=7)
    before = list(bound.arguments)
    bound.apply_defaults()
    return x + bound.arguments["b"], before, list(bound.arguments), bound.args[1:], bound.kwargs


def bound_in_part(x):
    bound = inspect.signature(plain).bind_partial(c=x)
    return bound.arguments["c"] * 2, list(bound.arguments), bound.args, "a" in bound.arguments


def refused(x):
    try:
        inspect.signature(scaled).bind()
    except TypeError as error:
        return x + 1, str(error)


def passed_on(x):
    given = {"factor": 3.0, "other": 4}
    known = inspect.signature(scaled).parameters
    return scaled(x, **{name: value for name, value in given.items() if name in known})


def takes_all(x):
    parameters = inspect.signature(wrapped).parameters
    return x + any(parameter.kind == parameter.VAR_KEYWORD for parameter in parameters.values())


def read_only(x):
    parameters = inspect.signature(plain).parameters
    rows = [(name, parameter.name) for name, parameter in parameters.items()]
    return x + len(parameters), rows, "a" in parameters, parameters.get("none", 4), list(parameters.keys())


def predicates(x):
    asked = plain, Thing, THING.method, len, torch, THING, 3
    tests = inspect.isfunction, inspect.isclass, inspect.ismethod, inspect.isbuiltin, inspect.ismodule
    return x + 1, [[test(thing) for test in tests] for thing in asked], inspect.isgeneratorfunction(plain)


def unwrapped(x):
    return x + 1, inspect.unwrap(wrapped) is plain, inspect.unwrap(plain) is plain, wrapped.__wrapped__ is plain


def parts_of_methods(x):
    method = THING.method
    is_method = type(method) is type(Module().forward)
    return x + method(2), method.__func__ is Thing.method, method.__self__ is THING, method.__name__, is_method


PROGRAMS: list[Callable[..., Any]] = [
    kinds,
    partials,
    annotated,
    bound,
    bound_in_part,
    refused,
    passed_on,
    takes_all,
    read_only,
    predicates,
    unwrapped,
    parts_of_methods,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_same_as_python(program: Callable[..., Any]) -> None:
    check_one_graph(program)


@pytest.mark.parametrize(
    "asked", [Thing, PARTIAL, len, functools.partial(scaled, factor=2)], ids=["class", "partial", "builtin", "keyword"]
)
def test_others(asked: Any) -> None:
    def program(x):
        return x + 1, shown(inspect.signature(asked))

    compiled = _capture.optimize(program, "eager")
    assert repr(compiled(torch.ones(3))) == repr(program(torch.ones(3)))


def test_partials_that_are_made() -> None:
    def program(x):
        made = functools.partial(scaled, factor=2)
        return made(x), shown(inspect.signature(made))

    compiled = _capture.optimize(program, "eager")
    assert repr(compiled(torch.ones(3))) == repr(program(torch.ones(3)))


def test_changes_are_noticed() -> None:
    def function(a, b=2):
        return a

    def other(a, b, c=3):
        return a

    def program(x):
        signature = inspect.signature(function)
        defaults = [p.default for p in signature.parameters.values() if p.default is not p.empty]
        return x + len(signature.parameters), defaults

    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(program, "eager", listener=log.append)

    def check() -> None:
        for _ in range(2):
            assert repr(compiled(torch.ones(3))) == repr(program(torch.ones(3)))

    check()
    assert len(log) == 1
    function.__defaults__ = (7,)
    check()
    function.__defaults__ = (7, 8)
    check()
    function.__wrapped__ = other
    check()
    function.__signature__ = inspect.signature(scaled)
    check()
    assert {event["break_reason"] for event in log[:4]} == {None}


def test_what_is_kept() -> None:
    def program(x):
        signature = inspect.signature(scaled)
        return x + 1, signature, signature.bind(x, 2)

    compiled = _capture.optimize(program, "eager")
    _, signature, bound = compiled(torch.ones(3))
    assert signature == inspect.signature(scaled)
    assert bound.arguments["factor"] == 2
    assert bound.signature is signature
