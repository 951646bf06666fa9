"""Sizes that a graph was not compiled for, or that no memory holds: an exception that names them, no crash."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

import rust_inductor
from rust_inductor import _aot

dynamo: Any = torch._dynamo


class Kept:
    """A backend that keeps what it compiled."""

    def __init__(self) -> None:
        self.compiled: list[Callable[..., Any]] = []

    def __call__(self, module: torch.fx.GraphModule, inputs: Any, **options: Any) -> Callable[..., Any]:
        """Compiles a graph for `torch.compile`, and keeps the result."""
        return _aot.compile_module(module, inputs, on_graph=lambda _kind, it: self.compiled.append(it), **options)


def constant(n: int) -> Tensor:
    """A vector of `n` elements that takes the memory of one."""
    return torch.ones(1).expand(n)


def test_a_size_outside_the_range_names_the_input() -> None:
    kept = Kept()
    x = torch.randn(5, 7)
    dynamo.mark_dynamic(x, 0)
    torch.compile(lambda x: (x * 2).relu(), backend=kept)(x)
    (compiled,) = kept.compiled
    assert torch.equal(compiled(6, torch.ones(6, 7))[0], torch.full((6, 7), 2.0))
    with pytest.raises(ValueError, match=r"the input `\w+` is 1, but the graph was compiled for \[2, int_oo\]"):
        compiled(1, torch.randn(1, 7))
    with pytest.raises(ValueError, match="is -3, but"):
        compiled(-3, torch.randn(3, 7))


def test_a_product_of_sizes_that_overflows_is_named() -> None:
    function = torch.compile(lambda x, y: x[:, None] * y, backend=Kept(), dynamic=True)
    assert function(constant(3), constant(5)).shape == (3, 5)
    with pytest.raises(RuntimeError, match=r"2147483648\*4294967296 elements of float32.*do not fit in memory.*input"):
        function(constant(2**31), constant(2**32))


def test_memory_between_kernels_that_no_machine_has() -> None:
    function = torch.compile(lambda x, y, z: torch.mm(x[:, None] * y, z), backend=Kept(), dynamic=True)
    assert function(constant(3), constant(5), torch.ones(5, 2)).tolist() == [[5.0, 5.0]] * 3
    with pytest.raises((MemoryError, RuntimeError), match="memory"):
        function(constant(2**28), constant(2**20), torch.ones(2**20, 2))
    assert function(constant(4), constant(3), torch.ones(3, 2)).tolist() == [[3.0, 3.0]] * 4


@pytest.mark.parametrize("compiler", [rust_inductor.compile, torch.compile])
def test_a_size_without_a_value_names_the_line_that_asks_for_it(compiler: Callable[..., Any]) -> None:
    def function(x: Tensor, n: int) -> Tensor:
        return x.new_zeros(2, n * 2**40) + 1

    compiled = compiler(function, backend="rust_inductor", dynamic=True)
    with pytest.raises(RuntimeError, match="allocate"):
        compiled(torch.ones(3), 3)
    with pytest.raises(RuntimeError, match=r"no value in 64 bits(.|\n)*from user code:\n.*errors.py.*, in function"):
        compiled(torch.ones(3), 2**25)


def test_a_negative_size_names_the_line_that_asks_for_it() -> None:
    def function(x: Tensor, n: int) -> Tensor:
        return x.new_zeros(n - 5) + 1

    compiled = rust_inductor.compile(function, dynamic=True)
    assert compiled(torch.ones(3), 8).shape == (3,)
    with pytest.raises(RuntimeError, match=r"is -2, which is negative(.|\n)*errors.py.*, in function"):
        compiled(torch.ones(3), 3)


def is_five(x: Tensor) -> Tensor:
    """Depends on one size."""
    return x + 1 if x.shape[0] == 5 else x


def is_small(x: Tensor) -> Tensor:
    """Depends on a range of sizes."""
    return x + 1 if x.shape[0] <= 10 else x


def is_even(x: Tensor) -> Tensor:
    """Depends on a divisor."""
    return x + 1 if x.shape[0] % 2 == 0 else x


#: The function, the size of the example, the bounds of the mark, and what the exception says.
BROKEN: list[tuple[Callable[[Tensor], Tensor], int, dict[str, int], str]] = [
    (is_five, 5, {}, r"L\['x'\].* promises a dynamic size, .* specialised to 5, because of .*errors.py:\d+ in is_five"),
    (is_small, 6, {"min": 2, "max": 64}, r"every size in \[2, 64\], .* lie in \[2, 10\].*\s+Suggested fix: .*max=10"),
    (is_even, 6, {"min": 2, "max": 64}, r"2 must divide L\['x'\].size\(\)\[0\], because of .*is_even\s+Suggested fix"),
    (is_even, 6, {"min": 2, "max": 4}, r"L\['x'\].size\(\)\[0\]: the value 6 lies outside the promised \[2, 4\]"),
]


@pytest.mark.parametrize(("function", "size", "bounds", "message"), BROKEN)
def test_a_broken_promise_names_the_input_the_line_and_a_way_out(
    function: Callable[[Tensor], Tensor], size: int, bounds: dict[str, int], message: str
) -> None:
    x = torch.randn(size, 3)
    dynamo.mark_dynamic(x, 0, **bounds)
    with pytest.raises(torch.fx.experimental.symbolic_shapes.ConstraintViolationError, match=message):
        rust_inductor.compile(function, backend="eager")(x)


def test_promises_that_torch_does_not_hold_anyone_to() -> None:
    x, y = torch.randn(6, 3), torch.randn(6, 3)
    for tensor in (x, y):
        dynamo.mark_dynamic(tensor, 0, min=2, max=64)
    assert torch.equal(rust_inductor.compile(lambda x, y: x + y, backend="eager")(x, y), x + y)
    row = torch.randn(1, 3)
    dynamo.mark_dynamic(row, 0)
    assert torch.equal(rust_inductor.compile(lambda x: x * 2, backend="eager")(row), row * 2)
    kept = rust_inductor.compile(is_small, backend="eager")
    dynamo.mark_dynamic(small := torch.randn(6, 3), 0, min=2, max=10)
    assert torch.equal(kept(small), small + 1)
