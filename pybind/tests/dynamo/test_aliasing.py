"""Objects that are one and the same, in some calls: what is written to one of them is read from the other."""

from __future__ import annotations

import copy
import enum
from typing import Any

import pytest
import torch

from rust_inductor import _capture

X = torch.ones(2)
SHARED = [1]


class Thing:
    def __init__(self, value: Any) -> None:
        self.value = value


class Color(enum.Enum):
    RED = 1
    BLUE = 2


def lists(x, a, b):
    a.append(1)
    return x + len(b)


def dicts(x, a, b):
    a["k"] = 1
    return x + len(b)


def sets(x, a, b):
    a.add(5)
    return x + len(b)


def objects(x, a, b):
    a.value = a.value + 1
    return x + b.value


def same(x, a, b):
    return x + 1 if a is b else x - 1


def other(x, a, b):
    return x + 1 if a is not b else x - 1


def equal(x, a, b):
    return x + (a == b), a in [b]


def nested(x, a, b):
    both = {"a": [a], "b": (b,)}
    both["a"][0].append(2)
    return x + len(both["b"][0])


def through_an_attribute(x, a, b):
    b.append(2)
    return x + len(a.value)


def function():
    def made(x):
        return x

    return made


CASES: list[tuple[Any, Any]] = [
    (lists, lambda: [0]),
    (dicts, lambda: {"z": 1}),
    (sets, lambda: {1}),
    (objects, lambda: Thing(1)),
    (same, lambda: Thing(1)),
    (other, lambda: Thing(1)),
    (same, lambda: [1]),
    (same, lambda: {1: 2}),
    (same, function),
    (equal, function),
    (same, X.clone),
    (same, lambda: type("Made", (), {})),
    (nested, lambda: [0]),
]


@pytest.mark.parametrize("order", [(False, True, False, True), (True, False, True)])
@pytest.mark.parametrize(("function", "make"), CASES)
def test_two_objects_may_be_one_in_the_next_call(function, make, order):
    compiled = _capture.optimize(function, backend="eager")
    for is_one in order:
        found = []
        for call in (compiled, function):
            first = make()
            found.append(repr(call(X, first, first if is_one else make())))
        assert found[0] == found[1]


def test_what_is_reached_in_two_ways_may_be_one_in_the_next_call():
    compiled = _capture.optimize(through_an_attribute, backend="eager")
    for is_one in (False, True, False):
        found = []
        for call in (compiled, through_an_attribute):
            thing = Thing([1])
            found.append(repr(call(X, thing, thing.value if is_one else [1])))
        assert found[0] == found[1]


def global_and_argument(x, a):
    a.append(3)
    return x + len(SHARED)


def test_an_argument_may_be_a_global_variable():
    compiled = _capture.optimize(global_and_argument, backend="eager")
    for is_one in (False, True, False):
        found = []
        for call in (compiled, global_and_argument):
            SHARED[:] = [1]
            found.append(repr(call(X, SHARED if is_one else [1])))
        assert found[0] == found[1]


def members(x, color):
    if color is Color.RED:
        return x + 1
    return x + 2 if color == Color.BLUE else x


def test_members_of_an_enumeration_are_told_apart():
    compiled = _capture.optimize(members, backend="eager")
    for color in (Color.RED, Color.BLUE, Color.RED, Color.BLUE):
        assert torch.equal(compiled(X, color), members(X, color))


def dict_written(x, thing):
    thing.__dict__["value"] = 5
    return x + thing.value


def attribute_written(x, thing):
    thing.value = 6
    thing.new = 1
    return x + thing.__dict__["value"], len(vars(thing)), getattr(thing, "new", None)


def dict_kept(x, thing):
    kept = thing.__dict__
    thing.value += 1
    kept["other"] = kept["value"] + 1
    return x + thing.other, sorted(kept)


def globals_written(x, thing):
    globals()["SHARED"] = [thing.value] * 3
    return x + len(SHARED)


@pytest.mark.parametrize("function", [dict_written, attribute_written, dict_kept, globals_written])
def test_the_dict_of_an_object_is_the_object(function):
    compiled = _capture.optimize(function, backend="eager")
    for value in (1, 1, 2):
        found = []
        for call in (compiled, function):
            thing = Thing(value)
            found.append((repr(call(X, thing)), copy.deepcopy(vars(thing))))
        assert found[0] == found[1]


def one_changed(a, b):
    a.add_(1)
    return a + b


def both_changed(a, b):
    a.add_(1)
    b.mul_(2)
    return a * b


def of_three(a, b):
    a.add_(1)
    return b[1:] + b[:-1]


def shifted(by):
    def make():
        tensor = torch.arange(10.0)
        return tensor[:4], tensor[by : by + 4]

    return make


def interleaved():
    tensor = torch.arange(8.0)
    return tensor[::2], tensor[1::2]


def apart():
    return torch.arange(4.0), torch.arange(4.0)


def transposed():
    tensor = torch.arange(4.0)
    return tensor, tensor.view(2, 2).t().reshape(4)


MEMORY = [shifted(0), shifted(1), shifted(2), shifted(4), shifted(6), interleaved, apart, transposed]


@pytest.mark.parametrize("backend", ["eager", "rust_inductor", "aot_eager"])
@pytest.mark.parametrize("function", [one_changed, both_changed, of_three])
@pytest.mark.parametrize("turn", range(0, len(MEMORY), 2))
def test_tensors_that_change_may_overlap_otherwise_in_the_next_call(backend, function, turn):
    compiled = _capture.optimize(function, backend=backend, recompile_limit=20)
    for make in MEMORY[turn:] + MEMORY[:turn] + MEMORY[:2]:
        theirs, ours = make(), make()
        assert torch.equal(function(*theirs), compiled(*ours))
        assert all(map(torch.equal, theirs, ours))


def world():
    """Functions of one variable, that of all of them."""
    n = 1

    def sets(x, other):
        nonlocal n
        n += 1
        y = x + other()
        n += 1
        return y * n + other()

    def reads(x, other):
        before = n
        other()
        return x + n + before

    def sets_within(x, other):
        def inner():
            nonlocal n
            n = n * 2
            return n

        inner()
        return x + other() + n

    def get():
        return n

    def count():
        nonlocal n
        n += 1
        return n

    return {"sets": sets, "reads": reads, "sets_within": sets_within, "get": get, "count": count}


def called(function, x, other):
    return function(x, other)


def in_turn(x, count, get):
    before = get()
    count()
    count()
    return x * before + get()


@pytest.mark.parametrize("order", [(True, False, True), (False, True, False)])
@pytest.mark.parametrize("other", ["get", "count"])
@pytest.mark.parametrize("name", ["sets", "reads", "sets_within"])
def test_functions_may_share_a_variable_in_one_call_and_not_in_the_next(name, other, order):
    compiled = _capture.optimize(called, backend="eager")
    for shared in order:
        found = []
        for call in (compiled, called):
            first, second = world(), world()
            results = [call(first[name], X, (first if shared else second)[other]).tolist() for _ in range(2)]
            found.append((results, first["get"](), second["get"]()))
        assert found[0] == found[1]


@pytest.mark.parametrize("order", [(True, False, True), (False, True, False)])
def test_two_functions_may_share_a_variable_in_one_call_and_not_in_the_next(order):
    log: list[Any] = []
    compiled = _capture.optimize(in_turn, backend="eager", listener=log.append)
    for shared in order:
        found = []
        for call in (compiled, in_turn):
            first, second = world(), world()
            results = [call(X, first["count"], (first if shared else second)["get"]).tolist() for _ in range(2)]
            found.append((results, first["get"](), second["get"]()))
        assert found[0] == found[1]
    assert [event for event in log if event.get("break_reason") or "skipped" in event] == []


def one_detached(x):
    y = x + 1
    return y, y.detach(), y.detach()


@pytest.mark.parametrize("backend", ["rust_inductor", "aot_eager"])
def test_what_is_detached_is_another_tensor(backend):
    made, *detached = _capture.optimize(one_detached, backend=backend)(X.clone())
    assert len({id(tensor) for tensor in (made, *detached)}) == 3
    detached[0].requires_grad_(True)
    assert not made.requires_grad
    detached[1].add_(1)
    assert torch.equal(made, X + 2)


def sum_of_no_parameter(x):
    try:
        return torch.sum(x, dims=[0])  # type: ignore[call-overload]
    except TypeError:
        return x


def test_a_parameter_that_there_is_not():
    for backend in ("eager", "rust_inductor"):
        assert torch.equal(_capture.optimize(sum_of_no_parameter, backend=backend)(X), X)


def of_a_table(table):
    first, *others = table.values()
    first.add_(1)
    return sum(others), [first is other for other in others]


def test_tensors_of_one_dict_that_are_one():
    """The reason why guards did not hold is told by the names of the tensors, which a dict gives in one pass."""
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(of_a_table, backend="eager", listener=log.append)
    for same in (False, True):
        one, other = torch.ones(2), torch.zeros(2)
        ours = {"a": one, "b": one if same else other, "c": other + 1}
        theirs = dict(zip("abc", copy.deepcopy(list(ours.values())), strict=True))
        assert repr((compiled(ours), ours)) == repr((of_a_table(theirs), theirs))
    found = log[1]["recompile_reasons"][0]["found"]
    assert found == "one tensor at \"table['a']\", \"table['b']\""


def activated(x, y):
    z = torch.nn.functional.relu(x * 2, inplace=True)
    z += y
    z *= 2
    z -= 1.5
    z /= y
    return z, z.requires_grad, torch.nn.functional.hardtanh(z + 1, -2.0, 2.0, inplace=True)


def activated_input(x, y):
    x += y
    return torch.nn.functional.silu(x, inplace=True), x, x.requires_grad


def activated_without_gradients(x, y):
    with torch.no_grad():
        z = torch.nn.functional.relu(x * 2, inplace=True)
        z += y
    return z, z.requires_grad


def activated_integers(x, y):
    z = x.to(torch.int32)
    z += 1
    return torch.nn.functional.relu(z, inplace=True), torch.nn.functional.hardswish(z, inplace=True)


def activated_between(x, y):
    z = torch.nn.functional.hardtanh(x * 2, -1.0, 1.0, inplace=True)
    return torch.nn.functional.hardtanh(z + y, 1.0, -1.0, inplace=True)


def activated_by_position(x, y):
    functional = torch.nn.functional
    z = functional.hardtanh(functional.hardswish(x * 2, True), -1.0, 1.0, True)
    z += functional.leaky_relu(y * 1, 0.1, True)
    return functional.hardswish(z * 1, False), z, functional.elu(z, 1.0, True)


def activated_between_by_position(x, y):
    return torch.nn.functional.hardtanh(x * y, 1.0, -1.0, True)


def activated_twice(x, y):
    return torch.nn.functional.relu(x * y, True, inplace=True)  # type: ignore[misc]


def activated_overlapping(x, y):
    z = x.expand(4, 3)
    z += y
    return z


@pytest.mark.parametrize(
    "program",
    [
        activated,
        activated_input,
        activated_without_gradients,
        activated_integers,
        activated_between,
        activated_between_by_position,
        activated_by_position,
        activated_twice,
        activated_overlapping,
    ],
    ids=lambda program: program.__name__,
)
@pytest.mark.parametrize("requires", [(False, False), (True, False), (False, True)])
def test_tensors_changed_in_place(program, requires):
    def inputs() -> list[torch.Tensor]:
        values = torch.tensor([-2.0, 0.5, 3.0]), torch.tensor([1.0, -1.0, 2.0])
        return [value.requires_grad_(needs) for value, needs in zip(values, requires, strict=True)]

    def outcome(function: Any, arguments: list[torch.Tensor]) -> str:
        try:
            return repr((function(*arguments), arguments))
        except (RuntimeError, TypeError, ValueError) as error:
            return f"{type(error)} {arguments}"

    compiled = _capture.optimize(program, backend="eager")
    for _ in range(2):
        assert outcome(compiled, inputs()) == outcome(program, inputs())
