"""`__dict__` of objects, classes and modules: read, walked over and written."""

# The programs do what Python lets them do, whatever their types say.
# mypy: disable-error-code="attr-defined, no-untyped-def, misc, index, operator"

from __future__ import annotations

import math
import types
from collections.abc import Callable
from typing import Any

import pytest
import torch

from pybind.tests.dynamo.counted import check_one_graph
from rust_inductor import _capture


class Thing:
    shared = 9

    def __init__(self):
        self.a, self.b = 1, 2.5

    @property
    def computed(self):
        return self.__dict__["computed"] + 1

    def method(self):
        return self.a


class Guarded(Thing):
    def __setattr__(self, name, value):
        raise AttributeError(name)

    def __init__(self):
        vars(self)["a"] = 1


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(3, 3)


THING, OTHER = Thing(), Thing()
FROZEN = frozenset([THING, 3])


def reads(x):
    entries = THING.__dict__
    return x + entries["a"], entries.get("z", 4), "b" in entries, len(entries), entries.__contains__("a"), list(entries)


def compares(x):
    is_same = THING.__dict__ is THING.__dict__
    return x + 1, THING.__dict__ == {"a": 1, "b": 2.5}, THING.__dict__ == Thing().__dict__, is_same


def merges(x):
    merged = THING.__dict__ | {"q": 1}
    return x + merged["q"], list(merged), list({"q": 1} | vars(THING)), {**vars(THING)}


def writes_into_what_it_makes(x):
    thing = Thing()
    thing.__dict__["q"] = x
    vars(thing).update({"a": 3}, z=4)
    kept = vars(thing).setdefault("a", 8), vars(thing).setdefault("s")
    popped = vars(thing).pop("b"), vars(thing).pop("none", 7), kept
    del thing.__dict__["z"]
    before = list(vars(thing))
    vars(thing).clear()
    return x + len(vars(thing)), before, popped, hasattr(thing, "q"), thing.shared


def copies_into_a_new_one(x):
    thing = Thing.__new__(Thing)
    thing.__dict__.update(THING.__dict__)
    return x + thing.a + thing.b


def misses(x):
    try:
        del Thing().__dict__["none"]
    except KeyError as error:
        return x + 1, error.args


def reads_of_classes(x):
    entries = Thing.__dict__
    names = [name for name in entries if not name.startswith("__")]
    functions = [name for name, value in vars(Thing).items() if isinstance(value, types.FunctionType)]
    return x + entries["shared"], "shared" in entries, entries.get("none", 4), names, functions


def reads_of_modules(x):
    return x + vars(math)["pi"], "sin" in vars(math), math.__dict__.get("none", 3), hasattr(math, "__dict__")


def hashes(x):
    assert hash(THING) == hash(THING) and hash((1, THING)) == hash((1, THING))
    same = hash(Thing) == hash(Thing), hash(reads) == hash(reads), hash(Thing) == hash(Net)
    return x + {hash(Thing): 3}[hash(Thing)], same


def frozen_sets_of_objects(x):
    return x + len(FROZEN), THING in FROZEN, OTHER in FROZEN


@pytest.mark.parametrize(
    "program",
    [
        reads,
        compares,
        merges,
        writes_into_what_it_makes,
        copies_into_a_new_one,
        misses,
        reads_of_classes,
        reads_of_modules,
        hashes,
        frozen_sets_of_objects,
    ],
    ids=lambda program: program.__name__,
)
def test_same_as_python(program: Callable[..., Any]) -> None:
    check_one_graph(program)


def entry(x, thing):
    thing.__dict__["q"] = x + 1
    return thing.q * 2, thing.a


def over_a_property(x, thing):
    thing.__dict__["computed"] = 5
    return x + thing.computed


def several(x, thing):
    thing.__dict__.update(a=7, z=x * 2)
    thing.__dict__.setdefault("z", 3)
    thing.__dict__.setdefault("w", 4)
    return x + thing.a, list(vars(thing))


def written_twice(x, thing):
    thing.__dict__["q"] = 1
    thing.__dict__["q"] += 2
    return x + thing.q


def before_a_break(x, thing):
    thing.__dict__["q"] = x + 1
    print(end="")
    thing.__dict__["r"] = thing.q + 1
    return thing.r


@pytest.mark.parametrize("make", [Thing, Guarded, Net], ids=lambda make: make.__name__)
@pytest.mark.parametrize("program", [entry, over_a_property, several, written_twice, before_a_break])
def test_writes(program: Callable[..., Any], make: Callable[[], Any]) -> None:
    compiled = _capture.optimize(program, "eager")
    for _ in range(2):
        with torch.random.fork_rng():
            ours, plain = make(), make()
        if make is Net:
            ours.__dict__["a"] = plain.__dict__["a"] = 1
            if program is over_a_property:
                continue
        assert repr(compiled(torch.ones(3), ours)) == repr(program(torch.ones(3), plain))
        names = [name for name in vars(plain) if not name.startswith("_")]
        assert [name for name in vars(ours) if not name.startswith("_")] == names
        assert repr([vars(ours)[name] for name in names]) == repr([vars(plain)[name] for name in names])


def test_writes_are_one_graph() -> None:
    for program in (entry, over_a_property, written_twice):
        for make in (Thing, Guarded):
            _capture.optimize(program, "eager", fullgraph=True)(torch.ones(3), make())


def test_entries_that_are_deleted() -> None:
    def program(x, thing):
        thing.q = 3
        return x + thing.__dict__.pop("b"), thing.__dict__.pop("none", 4), list(vars(thing))

    compiled = _capture.optimize(program, "eager")
    for _ in range(2):
        ours, plain = Thing(), Thing()
        assert repr(compiled(torch.ones(3), ours)) == repr(program(torch.ones(3), plain))
        assert vars(ours) == vars(plain)


def test_changes_are_noticed() -> None:
    class Changing:
        rate = 2

    module: Any = types.ModuleType("made")
    module.rate = 2

    def program(x):
        return x * Changing.__dict__.get("rate", 1) + vars(module).get("rate", 1), "other" in Changing.__dict__

    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(program, "eager", listener=log.append)

    def check(count: int) -> None:
        for _ in range(2):
            assert repr(compiled(torch.ones(3))) == repr(program(torch.ones(3)))
        assert len(log) <= count

    check(1)
    Changing.rate = 5
    check(2)
    Changing.other = 1
    check(3)
    module.rate = 7
    check(4)
    del module.rate
    check(5)
    del Changing.rate
    check(6)


def test_classes_that_are_written_and_read() -> None:
    class Counted:
        count = 0

    def program(x):
        Counted.count += 1
        return x + Counted.__dict__["count"]

    def other(x):
        before = Counted.__dict__["count"]
        Counted.count += 1
        return x + before, Counted.__dict__["count"], Counted.count

    for function in (program, other):
        results = []
        for run in (function, _capture.optimize(function, "eager")):
            Counted.count = 0
            results.append([repr(run(torch.ones(3))) for _ in range(3)])
        assert results[0] == results[1]


def test_hashes_are_guarded() -> None:
    def program(x, thing):
        return x + 1, hash(thing)

    compiled = _capture.optimize(program, "eager")
    for thing in (THING, OTHER, Thing, Net, reads, hashes, THING):
        for _ in range(2):
            assert compiled(torch.ones(3), thing)[1] == hash(thing)
