"""Read-only mappings: `types.MappingProxyType`."""

# The programs do what Python lets them do, whatever their types say.
# mypy: disable-error-code="no-untyped-def, index"

from __future__ import annotations

import types
from typing import Any

import torch

from pybind.tests.dynamo.counted import check_one_graph
from rust_inductor import _capture

TABLE = {"a": 1, "b": 2.5}
FOUND = types.MappingProxyType(TABLE)


def test_those_of_the_callers() -> None:
    def program(x):
        items = [(name, value) for name, value in FOUND.items()]
        return x + FOUND["a"], items, list(FOUND), len(FOUND), "b" in FOUND, FOUND.get("c", 3), list(FOUND.keys())

    check_one_graph(program)

    def other(x):
        return x + FOUND.get("c", 1), "d" in FOUND

    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(other, "eager", listener=log.append)
    for changes in ({}, {"e": 1}, {"d": 1}, {"c": 7}):
        TABLE.update(changes)
        for _ in range(2):
            assert repr(compiled(torch.ones(3))) == repr(other(torch.ones(3)))
    assert len(log) == 3


def test_those_that_are_made() -> None:
    def program(x):
        table = {"a": 1}
        shown = types.MappingProxyType(table)
        table["b"] = 2
        return x + shown["b"], list(shown), dict(shown), isinstance(shown, dict)

    check_one_graph(program)

    def making(x):
        table = {"a": x + 1}
        return types.MappingProxyType(table), table

    shown, table = _capture.optimize(making, "eager", fullgraph=True)(torch.ones(3))
    table["b"] = 2
    assert type(shown) is types.MappingProxyType
    assert list(shown) == ["a", "b"]
