"""`copy.copy` and `copy.deepcopy` of containers and of objects, `__dict__` and `vars` of the caller's objects."""

from __future__ import annotations

import copy
import enum
import typing
from typing import Any

import pytest
import torch

from rust_inductor import _capture


class Colour(enum.Enum):
    RED = 1


class Plain:
    """Copied as `object` copies it."""

    def __init__(self) -> None:
        self.number = 1
        self.items: list[Any] = [1, 2, {"x": 3}]
        self.pair = (1, [2])
        self.none = None


class Strict:
    """Reads and writes attributes by methods of its own, as configurations of models do."""

    def __init__(self) -> None:
        self.entries = {"z": 1}
        self.colour = Colour.RED
        self.inner = self.again = Plain()
        self.dtype = torch.float32

    def __getattribute__(self, name: str) -> Any:
        return super().__getattribute__(name)

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)


def deep(x, thing):
    made = copy.deepcopy(thing)
    made.number = 5
    made.items.append(7)
    made.items[2]["x"] = 9
    return x + made.number + thing.number, made.items, thing.items, made.pair[1] is thing.pair[1], vars(made)


def deep_strict(x, thing):
    made = copy.deepcopy(thing)
    made.entries["z"] = 4
    shared = made.inner is made.again, made.inner is thing.inner, made.colour is thing.colour
    return x + made.entries["z"] + thing.entries["z"], shared, made.inner.items, made.dtype


def shallow(x, thing):
    thing.new = 7
    thing.number = 2
    made = copy.copy(thing)
    made.number = 9
    return x + thing.number + made.new, made.items is thing.items, list(thing.__dict__), list(vars(made).items())


def deleted(x, thing):
    del thing.number
    made = copy.deepcopy(thing)
    return x * 2, hasattr(made, "number"), sorted(vars(made)), "number" in thing.__dict__


def of_dict(x, thing):
    made = copy.deepcopy(thing.__dict__)
    made["items"].append(3)
    delattr(thing, "none")
    return x + 1, made, thing.items, copy.copy(vars(thing)), "none" in vars(thing)


def circular(x, thing):
    items = [thing.number, thing]
    items.append(items)
    made = copy.deepcopy(items)
    return x + 1, made[2] is made, made is items, made[1] is thing, len(made)


def containers(x, thing):
    values = {"a": (1, [2]), "s": {1, 2}, "l": thing.items}
    made = copy.deepcopy(values)
    made["a"][1].append(3)
    return x + 1, made, values, copy.copy(thing.items), copy.copy(values)["l"] is thing.items, copy.deepcopy(len) is len


@pytest.mark.parametrize(
    ("program", "kind"),
    [
        (deep, Plain),
        (deep_strict, Strict),
        (shallow, Plain),
        (deleted, Plain),
        (of_dict, Plain),
        (circular, Plain),
        (containers, Plain),
    ],
    ids=lambda value: value.__name__,
)
def test_copies_are_one_graph(program, kind):
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(program, backend="eager", listener=log.append)
    for _ in range(3):
        ours, own = kind(), kind()
        assert repr(compiled(torch.ones(2), ours)) == repr(program(torch.ones(2), own))
        assert list(vars(ours)) == list(vars(own))
    assert [event["break"] for event in log] == [None]


class Counted(Plain):
    """Says how it is copied."""

    def __deepcopy__(self, memo):
        made = Counted()
        made.number = self.number + 1
        return made


class Slotted:
    """Has no `__dict__` alone."""

    __slots__ = ("__dict__", "number")

    def __init__(self) -> None:
        self.number = 3


class State(Plain):
    """Says what there is to copy."""

    def __getstate__(self):
        return {"number": 8}


class Falling(Plain):
    """Has every attribute."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return 4


def number_of_copy(x, thing):
    return x + copy.deepcopy(thing).number, copy.copy(thing).number


@pytest.mark.parametrize("kind", [Counted, Slotted, State, Falling])
def test_classes_that_say_how_they_are_copied(kind):
    compiled = _capture.optimize(number_of_copy, backend="eager")
    assert repr(compiled(torch.ones(2), kind())) == repr(number_of_copy(torch.ones(2), kind()))


def unread(x, thing):
    return x + copy.deepcopy(thing).number


def test_what_a_copy_depends_on_is_guarded():
    class Changing(Plain):
        pass

    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(unread, backend="eager", listener=log.append)
    thing = Changing()
    compiled(torch.ones(2), thing)
    # Of what nothing reads only the class matters.
    thing.none, thing.number = None, 1
    thing.items[0] = 5
    compiled(torch.ones(2), thing)
    assert len(log) == 1
    thing.extra = 3  # type: ignore[attr-defined]
    compiled(torch.ones(2), thing)
    assert len(log) == 2
    Changing.__deepcopy__ = lambda self, memo: Counted().__deepcopy__(memo)  # type: ignore[attr-defined]
    assert repr(compiled(torch.ones(2), thing)) == repr(unread(torch.ones(2), thing))


def type_parts(x, kind):
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    return x + len(parts), origin, parts


@pytest.mark.parametrize("kind", [int, int | None, list[int], dict[str, int], typing.Union[int, str], None])  # noqa: UP007
def test_parts_of_types(kind):
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(type_parts, backend="eager", listener=log.append)
    for asked in (kind, kind, float):
        assert repr(compiled(torch.ones(2), asked)) == repr(type_parts(torch.ones(2), asked))
    assert all(event["break"] is None for event in log)


def test_vars_without_attributes():
    def program(x):
        try:
            return vars(3)
        except TypeError as error:
            return x + 1, type(error)

    compiled = _capture.optimize(program, backend="eager")
    assert repr(compiled(torch.ones(2))) == repr(program(torch.ones(2)))


def own_copies(x, thing):
    pair = thing.pair[0], copy.deepcopy, Plain
    return x + 1, copy.deepcopy(pair), pair, copy.deepcopy(thing.functions)


def test_tuples_of_what_is_its_own_copy_are_their_own_copies():
    compiled = _capture.optimize(own_copies, backend="eager")
    thing = Plain()
    thing.functions = (repr, own_copies, Plain)  # type: ignore[attr-defined]
    for _ in range(2):
        _, made, pair, functions = compiled(torch.ones(2), thing)
        assert made is pair
        assert functions is thing.functions  # type: ignore[attr-defined]


def written_after(x, thing):
    made = copy.deepcopy(thing)
    thing.none, thing.number = 4, 6
    return x + thing.number, made, thing


def test_copies_keep_what_was_there():
    compiled = _capture.optimize(written_after, backend="eager")
    for _ in range(2):
        (_, ours, thing), (_, own, other) = (function(torch.ones(2), Plain()) for function in (compiled, written_after))
        assert (vars(ours), vars(thing)) == (vars(own), vars(other))


class Counting(Plain):
    """Counts how often it is asked for an attribute."""

    asked = 0

    def __getattribute__(self, name):
        if name.startswith("__"):
            object.__setattr__(self, "asked", object.__getattribute__(self, "asked") + 1)
        return super().__getattribute__(name)


class Delegating(Plain):
    """Asks another object for what it has not, which a copy that is still empty has not either."""

    def __getattr__(self, name):
        return getattr(self.items, name)


@pytest.mark.parametrize("kind", [Counting, Delegating])
def test_attributes_are_asked_for_as_often_as_by_python(kind):
    def program(x, thing):
        made = copy.deepcopy(thing)
        return x + made.number, vars(made), vars(thing)

    def outcome(function):
        try:
            return repr(function(torch.ones(2), kind()))
        except RecursionError as error:
            return type(error)

    assert outcome(_capture.optimize(program, backend="eager")) == outcome(program)
