"""The option ``guard_filter_fn`` drops guards, as torch's own filters and the program's say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import nn

import rust_inductor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SCALE = 2.0
X = torch.arange(4.0)

#: The fields that filters of torch's read.
FIELDS = ("name", "has_value", "value", "guard_type", "derived_guard_types", "is_global", "orig_guard", "code_parts")


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(4)
        self.shift = 1.0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        normal: torch.Tensor = self.norm(x)
        return normal * SCALE + self.shift


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    yield
    globals()["SCALE"] = 2.0
    rust_inductor.reset()
    torch._dynamo.reset()


def captures(function: Callable[..., Any], guard_filter_fn: Any, **keywords: Any) -> Callable[..., int]:
    """Call the function with a filter; gives how many captures a call has made."""
    run = rust_inductor.explain(function, backend="eager", options={"guard_filter_fn": guard_filter_fn}, **keywords)
    return lambda *args: len(run(*args).captures)


def test_entries_are_like_those_of_torch() -> None:
    ours: list[Any] = []
    theirs: list[Any] = []

    def collecting(into: list[Any]) -> Callable[[Any], list[bool]]:
        def keep(guards: Any) -> list[bool]:
            into.extend(guards)
            return [True] * len(guards)

        return keep

    model = Model()
    options: dict[str, Any] = {"guard_filter_fn": collecting(theirs)}
    torch.compile(model, backend="eager", options=options)(X)
    rust_inductor.compile(model, backend="eager", options={"guard_filter_fn": collecting(ours)})(X)
    assert all(hasattr(entry, field) for entry in ours for field in FIELDS)

    def facts(entries: list[Any]) -> set[Any]:
        tensors = [entry for entry in entries if entry.guard_type == "TENSOR_MATCH"]
        return {
            (e.name.replace("._parameters['weight']", ".weight"), e.has_value, id(e.value), e.orig_guard.source.name)
            for e in tensors
            if e.name == "x"
        }

    assert facts(ours)
    assert facts(ours) == facts(theirs)
    scale = next(entry for entry in ours if entry.name == "G['SCALE']")
    assert scale.is_global
    assert scale.value == 2.0
    assert scale.orig_guard.create_fn_name() == scale.guard_type
    states = [entry for entry in ours if entry.guard_type == "GLOBAL_STATE"]
    assert states
    assert not any(entry.has_value or entry.is_global for entry in states)


def test_guards_that_are_dropped_are_not_checked() -> None:
    model = Model()
    made = captures(model, lambda guards: ["shift" not in guard.name for guard in guards])
    assert made(X) == 1
    model.shift = 5.0
    assert made(X) == 0
    globals()["SCALE"] = 3.0
    assert made(X) == 1


#: The changes that each of torch's filters lets pass unnoticed.
FILTERS: dict[str, set[str]] = {
    "skip_guard_on_inbuilt_nn_modules_unsafe": {"norm"},
    "skip_guard_on_all_nn_modules_unsafe": {"norm", "shift"},
    "keep_tensor_guards_unsafe": {"norm", "shift", "scale", "grad mode"},
    "keep_portable_guards_unsafe": {"norm", "shift", "scale"},
    "skip_guard_on_globals_unsafe": {"scale"},
    "skip_all_guards_unsafe": {"norm", "shift", "scale", "grad mode", "shape"},
}


@pytest.mark.parametrize("name", FILTERS)
@pytest.mark.parametrize("change", ["norm", "shift", "scale", "grad mode", "shape"])
def test_filters_of_torch(name: str, change: str) -> None:
    model = Model()
    made = captures(model, getattr(torch.compiler, name), dynamic=False)
    assert made(X) == 1
    x = X
    if change == "norm":
        model.norm.eps = 0.5
    elif change == "shift":
        model.shift = 4.0
    elif change == "scale":
        globals()["SCALE"] = 4.0
    elif change == "shape":
        x = X.repeat(2, 1)
    with torch.set_grad_enabled(change != "grad mode"):
        assert made(x) == (0 if change in FILTERS[name] else 1)


def test_tensors_stay_distinct_where_their_guards_stay() -> None:
    def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        x.add_(1)
        return x * y

    compiled = rust_inductor.compile(
        add, backend="eager", options={"guard_filter_fn": torch.compiler.keep_tensor_guards_unsafe}
    )
    one, other = torch.ones(3), torch.ones(3)
    for args in ((one, other), (one, one), (other, one)):
        copies = [arg.clone() for arg in args]
        expected = add(*copies) if args[0] is not args[1] else add(copies[0], copies[0])
        torch.testing.assert_close(compiled(*args), expected)


def test_a_filter_that_raises_or_answers_wrongly_is_an_error_of_the_program() -> None:
    class OwnError(Exception):
        pass

    def raising(guards: Any) -> list[bool]:
        raise OwnError

    for wrong, error in ((raising, OwnError), (lambda _: [True], ValueError), (lambda guards: guards, TypeError)):
        compiled = rust_inductor.compile(lambda x: x + 1, backend="eager", options={"guard_filter_fn": wrong})
        with pytest.raises(error):
            compiled(X)
    with pytest.raises(TypeError, match="takes a function"):
        rust_inductor.compile(lambda x: x + 1, options={"guard_filter_fn": 3})


def test_torch_compile_hands_the_filter_on() -> None:
    model = Model()
    options: dict[str, Any] = {"dynamo": "rust", "guard_filter_fn": torch.compiler.skip_all_guards_unsafe}
    compiled = torch.compile(model, backend="rust_inductor", options=options)
    first = compiled(X)
    model.shift = 7.0
    torch.testing.assert_close(compiled(X), first)
