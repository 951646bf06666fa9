"""``compile(dynamic_shapes=...)``: torch.export's dimensions and torch.compile's specifications."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.export import Dim
from torch.fx.experimental.dynamic_spec import IntVar, ParamsSpec, ShapesSpec, ShapeVar, TensorSpec, dynamic_spec
from torch.fx.experimental.symbolic_shapes import ConstraintViolationError

import rust_inductor
from rust_inductor import _capture

BATCH, DX, DY = Dim("batch"), Dim("dx"), Dim("dy")


class Log(list[dict[str, Any]]):
    """The events that the tracer tells."""

    @property
    def captures(self) -> int:
        return sum("graph" in event and "skipped" not in event for event in self)


def capture(function: Callable[..., Any], spec: Any, backend: Any = "eager") -> tuple[Any, Log]:
    log = Log()
    return _capture.optimize(function, backend, listener=log.append, fullgraph=True, dynamic_shapes=spec), log


def rows(*sizes: int) -> list[torch.Tensor]:
    return [torch.randn(n, 4) for n in sizes]


def one(x):
    return torch.relu(x) + 1


def is_eight(x):
    return x + 1 if x.shape[0] == 8 else x


def at_most_64(x):
    return x + 1 if x.shape[0] <= 64 else x


def within(x):
    return x + 1 if x.shape[0] >= 4 and x.shape[0] < 64 else x


def even(x):
    return x.reshape(-1, 2, 4) if x.shape[0] % 2 == 0 else x


def added(x, y):
    return x + y


def doubled(x, y):
    return torch.cat([y, y]) + x


def longer(x, y):
    return x[1:] + y


@pytest.mark.parametrize("backend", ["eager", "rust_inductor", "aot_eager"])
@pytest.mark.parametrize(
    ("function", "spec", "calls"),
    [
        (one, {"x": {0: BATCH}}, [(5,), (2,), (9,)]),
        (one, ({0: BATCH, 1: None},), [(5,), (2,), (9,)]),
        (one, {"x": [BATCH, 4]}, [(5,), (2,), (9,)]),
        (one, {"x": (Dim.DYNAMIC, Dim.STATIC)}, [(5,), (2,), (9,)]),
        (one, {"x": {0: Dim.AUTO}}, [(5,), (2,), (9,)]),
        (at_most_64, {"x": {0: Dim("batch", max=64)}}, [(5,), (64,)]),
        (added, {"x": {0: BATCH}, "y": {0: BATCH}}, [(5, 5), (9, 9)]),
        (doubled, {"x": {0: 2 * BATCH}, "y": {0: BATCH}}, [(10, 5), (18, 9)]),
        (doubled, {"y": {0: BATCH}, "x": {0: 2 * BATCH}}, [(10, 5), (18, 9)]),
        (longer, {"x": {0: BATCH + 1}, "y": {0: BATCH}}, [(6, 5), (10, 9)]),
        (even, {"x": {0: 2 * BATCH}}, [(6,), (12,)]),
    ],
)
def test_one_compilation_serves_what_is_declared(function, spec, calls, backend):
    compiled, log = capture(function, spec, backend)
    for sizes in calls:
        args = rows(*sizes)
        torch.testing.assert_close(compiled(*args), function(*args))
    assert log.captures == 1


def test_what_is_not_declared_is_static():
    compiled, log = capture(added, {"x": {0: BATCH}, "y": {0: BATCH}})
    for n, width in [(5, 4), (6, 4), (6, 5), (7, 6)]:
        x = torch.randn(n, width)
        torch.testing.assert_close(compiled(x, x + 1), x + x + 1)
    assert log.captures == 3


def suggestions(text: str) -> list[str]:
    """The declarations that a message suggests."""
    found = re.search(r"Suggested fixes:\n((?:  \S.*\n?)+)", text)
    # torch writes bounds that say nothing.
    return [line.strip().replace(", min=1, max=oo", "") for line in found[1].splitlines()] if found else []


def exported(function: Callable[..., Any], spec: Any, args: list[torch.Tensor]) -> str:
    """The message of the error that torch.export raises."""

    class One(torch.nn.Module):
        def forward(self, x):
            return function(x)

    class Two(torch.nn.Module):
        def forward(self, x, y):
            return function(x, y)

    with pytest.raises(Exception, match="Constraints violated") as caught:
        torch.export.export(One() if len(args) == 1 else Two(), tuple(args), dynamic_shapes=spec, strict=True)
    return str(caught.value)


@pytest.mark.parametrize(
    ("function", "spec", "sizes", "needs"),
    [
        (
            is_eight,
            {"x": {0: BATCH}},
            [8],
            r"batch = L\['x'\].*specialised to 8, because of .*is_eight",
        ),
        (at_most_64, {"x": {0: BATCH}}, [8], r"must lie in \[2, 64\], because of .*test_dynamic_shapes.py:\d+"),
        (within, {"x": {0: BATCH}}, [8], r"must lie in \[4, 63\]"),
        (at_most_64, {"x": {0: Dim("batch", min=4, max=128)}}, [8], r"\[4, 128\], but it must lie in \[4, 64\]"),
        (even, {"x": {0: BATCH}}, [8], r"2 must divide L\['x'\].size\(\)\[0\]"),
        (added, {"x": {0: DX}, "y": {0: DY}}, [8, 8], r"dy = .* must equal L\['x'\].size\(\)\[0\]"),
        (doubled, {"x": {0: DX}, "y": {0: DY}}, [16, 8], r"dx = .* must equal 2\*L\['y'\].size\(\)\[0\]"),
        (longer, {"x": {0: DX}, "y": {0: DY}}, [9, 8], r"must equal"),
        (one, {"x": {0: BATCH}}, [1], r"specialised to 1"),
    ],
)
def test_what_breaks_a_declaration_is_told_with_the_fix_that_torch_export_suggests(function, spec, sizes, needs):
    args = rows(*sizes)
    compiled, _ = capture(function, spec)
    with pytest.raises(ConstraintViolationError, match=needs) as caught:
        compiled(*args)
    text = str(caught.value)
    assert text.startswith("Constraints violated (")
    assert suggestions(text) == suggestions(exported(function, spec, args))


@pytest.mark.parametrize(
    ("function", "spec", "sizes", "message"),
    [
        (
            added,
            {"x": {0: BATCH}, "y": {0: BATCH}},
            [8, 7],
            r"L\['y'\].*size is 7, but .* declared as batch, which is 8",
        ),
        (
            doubled,
            {"x": {0: 2 * BATCH}, "y": {0: BATCH}},
            [9, 4],
            r"L\['x'\].*size is 9, but .* declared as 2\*batch",
        ),
        (one, {"x": {0: 5}}, [8], r"L\['x'\].*size is 8, but it is declared as 5"),
        (one, {"x": {0: Dim("batch", max=6)}}, [8], r"the value 8 lies outside the promised \[0, 6\]"),
    ],
)
def test_an_example_that_is_not_as_declared(function, spec, sizes, message):
    compiled, _ = capture(function, spec)
    with pytest.raises(ConstraintViolationError, match=message):
        compiled(*rows(*sizes))


@pytest.mark.parametrize("spec", [3, {"x": "batch"}, ({0: BATCH}, {0: BATCH})])
def test_what_is_no_description(spec):
    with pytest.raises((ValueError, TypeError)):
        rust_inductor.compile(one, backend="eager", dynamic_shapes=spec)


def test_containers_and_integers():
    def function(pair, named, n):
        return pair[0] + pair[1], named["k"] * n

    spec = {"pair": ({0: BATCH}, {0: BATCH}), "named": {"k": {0: DX}}, "n": Dim.DYNAMIC}
    compiled, log = capture(function, spec)
    for size, other, n in [(5, 6, 2), (7, 3, 9), (4, 8, 5)]:
        args = (rows(size, size), {"k": torch.randn(other)}, n)
        torch.testing.assert_close(compiled(*args), function(*args))
    assert log.captures == 1


@pytest.mark.parametrize("backend", ["eager", "rust_inductor"])
def test_specifications_of_torch_compile_decide_nothing(backend):
    size = ShapeVar("batch")
    spec = ParamsSpec({"x": TensorSpec([size, None]), "y": TensorSpec([size, 4])})
    compiled, log = capture(added, spec, backend)
    for n in (5, 0, 1, 9):
        x, y = rows(n, n)
        torch.testing.assert_close(compiled(x, y), x + y)
    with pytest.raises(RuntimeError, match="the dimension is declared as batch"):
        compiled(*rows(3, 4))
    assert log.captures == 1
    condition, _ = capture(at_most_64, ShapesSpec({"x": TensorSpec([ShapeVar("n"), None])}))
    with pytest.raises(RuntimeError, match="depends on data"):
        condition(torch.randn(3, 4))


def test_specifications_derive_sizes_and_bound_them():
    size = ShapeVar("batch", min=2, max=8)
    compiled, log = capture(doubled, ShapesSpec({"x": TensorSpec([size * 2, None]), "y": TensorSpec([size, None])}))
    for n in (2, 5, 8):
        x, y = rows(2 * n, n)
        torch.testing.assert_close(compiled(x, y), doubled(x, y))
    for sizes in [(5, 2), (2, 1), (18, 9)]:
        with pytest.raises(RuntimeError, match="declared as"):
            compiled(*rows(*sizes))
    assert log.captures == 1


def test_specifications_of_integers_and_of_the_function_itself():
    @dynamic_spec({"x": TensorSpec([ShapeVar("n"), None]), "k": IntVar("k")})
    def function(x, k):
        return x * k

    log = Log()
    compiled = _capture.optimize(function, "eager", listener=log.append, fullgraph=True)
    for n, k in [(5, 0), (0, 1), (1, -3), (7, 12)]:
        x = torch.randn(n, 4)
        torch.testing.assert_close(compiled(x, k), x * k)
    assert log.captures == 1
    with pytest.raises(ValueError, match="dynamic_spec"):
        _capture.optimize(function, "eager", dynamic_shapes={"x": {0: BATCH}})


def test_modules_with_declared_shapes():
    model = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.ReLU())

    class Model(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = model

        def forward(self, x):
            return self.inner(x)

    whole = Model()
    compiled = rust_inductor.compile(whole, dynamic_shapes={"x": {0: BATCH}})
    for n in (5, 2, 9):
        x = torch.randn(n, 4)
        torch.testing.assert_close(compiled(x), whole(x))


def sized_by_a_power(x, n):
    m = 2**n
    return (x.new_ones(m, 3) * m).reshape(3, m) + torch.arange(m)


def shifted(x, n, k):
    return x.new_ones(1 << n, k).sum(0) * (x.shape[0] >> k)


@pytest.mark.parametrize(
    ("function", "calls", "captures"),
    [(sized_by_a_power, [(3,), (4,), (5,), (0,)], 2), (shifted, [(3, 2), (4, 1), (5, 3)], 1)],
)
def test_powers_by_symbolic_exponents_are_sizes(function, calls, captures):
    log = Log()
    compiled = _capture.optimize(function, "rust_inductor", dynamic=True, fullgraph=True, listener=log.append)
    for numbers in calls:
        x = torch.ones(9)
        torch.testing.assert_close(compiled(x, *numbers), function(x, *numbers))
    assert log.captures == captures
