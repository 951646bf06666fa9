"""Functions of `operator`: they are traced as what they stand for."""

# The functions are written as programs are, not as they should be.
# mypy: disable-error-code="arg-type, call-overload"

from __future__ import annotations

import operator
from typing import Any

import pytest
import torch

from rust_inductor import _capture


def operators_of_containers(x, items, table, n):
    operator.setitem(table, "b", operator.add(x, n))
    operator.delitem(items, 0)
    operator.iadd(items, [n])
    kept = operator.contains(table, "b"), operator.getitem(items, -1), operator.concat(items, [1]), operator.not_(items)
    same = operator.is_(items, items), operator.is_not(x, None), operator.truth(table), operator.eq((n, 1), (n, 1))
    return kept, same, operator.mul([x], 2), operator.mod("%d", n), operator.or_({1}, {2}), operator.index(n)


def operators_in_place(x, items, table, n):
    y = operator.imul(x, 2)
    operator.setitem(x, 0, n)
    return y is x, operator.isub(y, 1) + x, operator.not_(n), operator.lt(n, 3), operator.xor(n, 1)


@pytest.mark.parametrize("function", [operators_of_containers, operators_in_place])
def test_functions_of_operator_do_what_operators_do(function):
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(function, backend="eager", listener=log.append)
    for n in (2, 3, 4, 0):
        ours, theirs = ((torch.ones(2), [0, 1, 2], {"a": 1}, n) for _ in range(2))
        assert repr((compiled(*ours), ours)) == repr((function(*theirs), theirs))
    assert log and not any(event.get("break_reason") for event in log)


def operator_fails(x, items):
    y = x + 1
    try:
        return operator.getitem(items, 5), y
    except IndexError as error:
        return str(error), y, operator.contains(items, 1)


def test_an_operator_that_fails_raises():
    compiled = _capture.optimize(operator_fails, backend="eager")
    assert repr(compiled(torch.ones(2), [1])) == repr(operator_fails(torch.ones(2), [1]))


def nan_in_containers(x, nan):
    other = float("nan")
    y = x + 1, nan in [nan], other in [nan], nan in (nan, 1), [nan] == [nan], (nan, 1) == (nan, 1), (other,) == (nan,)
    return *y, [other, nan].count(nan), [other, nan].index(nan), {"a": nan} == {"a": nan}, (nan, 2) < (nan, 3)


def nan_as_a_key(x, nan):
    return x + 1, {nan: 1}.get(nan), float("nan") in {nan}, len({nan, float("nan"), nan})


def large_keys(x, nan):
    return x + 1, {2**60: 1}.get(float(2**60)), {2**70: 1}.get(2.0**70), {(1, 2.0): 1}.get((1.0, 2)), {1 + 0j: 3}.get(1)


@pytest.mark.parametrize("function", [nan_in_containers, nan_as_a_key, large_keys])
def test_containers_find_a_nan_by_identity_and_numbers_by_value(function):
    compiled = _capture.optimize(function, backend="eager")
    nan = float("nan")
    for _ in range(2):
        assert repr(compiled(torch.ones(2), nan)) == repr(function(torch.ones(2), nan))
