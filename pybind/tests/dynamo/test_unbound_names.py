"""Names that are unbound, or attributes that are gone, in a later call: effects that come before are seen."""

from __future__ import annotations

import operator
import types
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch

from rust_inductor import _capture

seen: Any = None
variable: Any = object()
table: Any = "key"
BACKENDS = ["eager", "rust_inductor"]


class Holder:
    of_class: Any = object()

    def __init__(self) -> None:
        self.own: Any = object()


def own_attribute(x: torch.Tensor, holder: Any) -> Any:
    global seen
    seen = x
    return [holder.own, torch._dynamo.graph_break()]


def class_attribute(x: torch.Tensor, holder: Any) -> Any:
    global seen
    seen = x
    return [holder.of_class, torch._dynamo.graph_break()]


def item(x: torch.Tensor, holder: Any) -> Any:
    global seen
    seen = x
    return [holder["key"], torch._dynamo.graph_break()]


def parameter(x: torch.Tensor, holder: Any) -> Any:
    global seen
    seen = x
    return [holder.weight, torch._dynamo.graph_break()]


def global_variable(x: torch.Tensor, holder: Any) -> Any:
    global seen
    seen = x
    return [variable, torch._dynamo.graph_break()]


def module() -> Any:
    made = types.ModuleType("made")
    made.own = object()  # type: ignore[attr-defined]
    return made


@pytest.fixture(autouse=True)
def bound_again() -> Iterator[None]:
    global variable
    of_class, variable = Holder.of_class, object()
    yield
    Holder.of_class, variable = of_class, object()


def outcome(function: Callable[..., Any], *args: Any) -> tuple[str, Any]:
    global seen
    seen = None
    with pytest.raises(Exception) as raised:
        function(*args)
    return repr(raised.value), seen


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("function", "make", "remove"),
    [
        (own_attribute, Holder, lambda holder: delattr(holder, "own")),
        (own_attribute, module, lambda holder: delattr(holder, "own")),
        (class_attribute, Holder, lambda holder: delattr(Holder, "of_class")),
        (class_attribute, lambda: Holder, lambda holder: delattr(Holder, "of_class")),
        (item, lambda: {"key": object()}, lambda holder: holder.pop("key")),
        (parameter, lambda: torch.nn.Linear(2, 2), lambda holder: delattr(holder, "weight")),
        (global_variable, object, lambda holder: globals().pop("variable")),
    ],
)
def test_effects_come_before_the_exception(function: Any, make: Any, remove: Any, backend: str) -> None:
    holder, x = make(), torch.ones(3)
    compiled = _capture.optimize(function, backend)
    compiled(x, holder)
    remove(holder)
    assert outcome(compiled, x, holder) == outcome(function, x, holder)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_variable_of_a_closure_is_unbound(backend: str) -> None:
    shared: Any = object()

    def function(x: torch.Tensor) -> Any:
        global seen
        seen = x
        return [shared, torch._dynamo.graph_break()]

    def unbind() -> None:
        nonlocal shared
        del shared

    compiled, x = _capture.optimize(function, backend), torch.ones(3)
    compiled(x)
    unbind()
    assert outcome(compiled, x) == outcome(function, x)


def with_a_loop_variable_in_a_cell(x: torch.Tensor) -> int:
    global table
    for _ in table:
        for _ in x:
            table = dict(b=1)  # noqa: C408
            _method = operator.sub(variable, 3.75).sign
        for kept in dict(a=1).values():  # noqa: C408
            continue
            sum(kept for _ in x)
    return len(table)


def test_a_cell_that_nobody_reads_may_be_empty() -> None:
    """Resume functions that were compiled with the cell filled are called with it empty."""
    global table, variable
    compiled = _capture.optimize(with_a_loop_variable_in_a_cell, "eager")
    variable = torch.ones(3)
    for size in (2, 3, 4, 5, 0, 6):
        x = torch.ones(size, 3)
        found = []
        for function in (with_a_loop_variable_in_a_cell, compiled):
            table = "key" if size == 2 else {"b": 1}
            found.append((function(x), table))
        assert found[0] == found[1]
