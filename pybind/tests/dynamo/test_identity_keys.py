"""Tensors and functions as keys of dicts and items of sets: they are equal to themselves only."""

# The programs do what Python lets them do, whatever their types say.
# mypy: disable-error-code="arg-type"

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch.utils import _pytree as pytree

from rust_inductor import _capture

Y = torch.ones(3)
OTHER = torch.full((3,), 2.0)
NET = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.Dropout(0.1), torch.nn.Linear(2, 1))
TIED = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Linear(3, 3))
TIED[1].weight = TIED[0].weight


def double(x):
    return x * 2


def distinct_arguments(x, y):
    return x * len({x, y, x, Y})


def made_tensors(x, y):
    z = x + 1
    seen = {x, z, z, x.clone(), torch.zeros(2)}
    return z, len(seen), z in seen, y in seen, x in seen, x is z, z is z


def a_dict_of_tensors(x, y):
    rows = {x: "x", Y: "y"}
    rows[x + 0] = "z"
    return x + 1, rows.get(x), rows.get(OTHER), list(rows.values()), y in rows


def after_a_change(x, y):
    seen = {x}
    x.add_(1)
    return x in seen, len(seen | {x}), x + y


def parameters(x, y):
    total = x.sum()
    for parameter in NET.parameters():
        total = total + parameter.sum()
    return total, len(list(TIED.parameters()))


def named_parameters(x, y):
    return x + 1, [name for name, _ in TIED.named_parameters()], dict(NET.named_buffers())


def functions(x, y):
    names = {double: 1, torch.relu: 2, len: 3}
    return names[double] * x, names[len], torch.relu in names, torch.sigmoid in names, names.get(functions)


def shapes(x, y):
    return x + 1, {x.shape: 1}[(3,)], {(3,), x.shape, y.size()} == {(3,)}


FUNCTIONS = [
    distinct_arguments,
    made_tensors,
    a_dict_of_tensors,
    after_a_change,
    parameters,
    named_parameters,
    functions,
    shapes,
]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_each_is_one_graph(function):
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(function, backend="eager", listener=log.append)
    for first, second in ((torch.arange(3.0), OTHER), (torch.ones(3), torch.zeros(3))):
        assert repr(compiled(first.clone(), second)) == repr(function(first.clone(), second))
    assert [event["break_reason"] for event in log] == [None] * len(log)


def test_aliases_are_told_apart_from_call_to_call():
    compiled = _capture.optimize(distinct_arguments, backend="eager")
    a, b = torch.ones(3), torch.ones(3)
    for x, y in ((a, b), (b, a), (a, a), (a, b), (Y, Y), (Y, a), (a, Y), (b, b)):
        assert repr(compiled(x, y)) == repr(distinct_arguments(x, y))


def test_a_set_of_tensors_outlives_the_call():
    def keeps(x, y):
        z = x + y
        return {x, z}, {z: 1, y: 2}, z

    compiled = _capture.optimize(keeps, backend="eager")
    x = torch.ones(3)
    tensors, rows, z = compiled(x, Y)
    assert len(tensors) == 2
    assert x in tensors
    assert z in tensors
    assert list(rows) == [z, Y] or [key is other for key, other in zip(rows, (z, Y), strict=True)] == [True, True]
    assert rows[z] == 1


def test_what_may_be_another_tensor_is_no_key():
    def unknown(x):
        return len({x, x.contiguous()}), len({x, x.float()}), x.contiguous() is x

    compiled = _capture.optimize(unknown, backend="eager")
    for x in (torch.ones(3), torch.ones(4, 4).t(), torch.ones(3, dtype=torch.float64)):
        assert compiled(x) == unknown(x)


PARAMETER = torch.nn.Parameter(torch.ones(3))
HANDLERS: dict[Any, Any] = {int: "int", PARAMETER: torch.full((3,), 3.0), len: 3, double: 4, "text": 5}


def a_dict_of_the_callers(x, y):
    kinds = HANDLERS[int], HANDLERS.get(str), HANDLERS[len], HANDLERS[double], HANDLERS["text"]
    return x * HANDLERS[PARAMETER], kinds, torch in HANDLERS, x in HANDLERS, len(list(HANDLERS.values()))


def a_tree(x, y):
    leaves, spec = pytree.tree_flatten([x, (y, {"a": x})])
    doubled = pytree.tree_map(lambda leaf: leaf * 2, [x, {"b": y}])
    return pytree.tree_unflatten([leaf + 1 for leaf in leaves], spec), doubled


@pytest.mark.parametrize("function", [a_dict_of_the_callers, a_tree])
def test_keys_of_the_callers_dicts(function):
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(function, backend="eager", listener=log.append)
    for x in (torch.arange(3.0), torch.ones(3)):
        assert repr(compiled(x, OTHER)) == repr(function(x, OTHER))
    assert [event["break_reason"] for event in log] == [None]


def test_a_change_of_such_keys_is_noticed():
    compiled = _capture.optimize(a_dict_of_the_callers, backend="eager")
    before = dict(HANDLERS)
    x = torch.ones(3)
    try:
        for change in ({torch: 1}, {str: 2}, {PARAMETER: x}, {x: 1}):
            HANDLERS.update(change)
            assert repr(compiled(x, OTHER)) == repr(a_dict_of_the_callers(x, OTHER))
        del HANDLERS[str]
        assert repr(compiled(x, OTHER)) == repr(a_dict_of_the_callers(x, OTHER))
    finally:
        HANDLERS.clear()
        HANDLERS.update(before)
