"""Programs in which random tests have found errors; and a few more random ones."""

from __future__ import annotations

import pytest
import torch

from pybind.tests.fuzz.generate import Line, Program, generate
from pybind.tests.fuzz.run import agrees, check
from pybind.tests.fuzz.values import make


@pytest.mark.parametrize("seed", range(12))
def test_random_programs_agree(seed: int) -> None:
    program = generate(seed)
    assert generate(seed) == program
    assert check(program) is None, program.test()


def test_what_needs_a_line_that_is_left_out_is_left_out_too() -> None:
    lines = Line("v0", "x0 + 1"), Line("v1", "v0 * 2"), Line("v2", "x0 - 1")
    program = Program(0, (("x0", "make((2,), torch.float32, 1, 'contiguous')"),), lines, ("v1", "v2"))
    assert program.without(lines[1:]).lines == lines[2:]
    assert program.without(lines[1:]).outputs == ("v2",)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_library_reads_a_reshaped_input_where_it_begins(dtype: torch.dtype) -> None:
    # The reshaped tensor began as far behind the input as that behind its storage: the wrong memory was read.
    def function(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        return x @ w

    compiled = torch.compile(function, backend="rust_inductor", dynamic=False)
    x, w = make((3, 16, 2, 2), dtype, 695, "offset"), make((2, 8), dtype, 917, "contiguous")
    assert x.storage_offset() > 0
    torch.testing.assert_close(compiled(x, w), function(x, w))
    agrees(function, x, w)


def test_a_truth_value_that_is_padded_with_two_is_true() -> None:
    def function(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        padded = torch.nn.functional.pad(x < -3, (-1, 2), value=2)
        return padded, torch.cumsum(padded, 0)

    agrees(function, make((33, 5, 2), torch.float32, 763, "offset"))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_constants_among_halves(dtype: torch.dtype) -> None:
    # Constants of a half type were written into kernels, which the compiler's own check refuses.
    def function(x: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, ...]:
        padded = torch.nn.functional.pad(x.masked_fill(mask, 3), (-1, 2), value=1)
        return padded, torch.zeros_like(x), (x * 2).tril(), torch.full_like(x, 0.1), padded == 1

    agrees(function, make((17, 9), dtype, 540, "offset"), make((17, 9), torch.bool, 710, "contiguous"))


def test_truth_values_are_squared_to_integers() -> None:
    agrees(lambda x: torch.square(x < 0), make((5, 3), torch.float32, 827, "apart"))


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8])
def test_bounds_outside_of_a_type_bound_nothing(dtype: torch.dtype) -> None:
    def function(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return torch.clamp(x, -300, 2), torch.clamp(x, max=300), torch.clamp_min(x, -200)

    agrees(function, make((5, 8), dtype, 667, "contiguous"))
    with pytest.raises(RuntimeError, match="outside the representable range"):
        torch.compile(lambda x: torch.clamp(x, min=300), backend="rust_inductor")(torch.ones(3, dtype=dtype))


def test_tensors_of_one_number() -> None:
    # AOTAutograd starts anew where a tensor of one float64 might be read; such graphs ran as they are.
    def function(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return (x + y).clone().zero_() + y

    agrees(function, make((), torch.float64, 832, "contiguous"), make((), torch.float64, 13, "contiguous"))


def test_a_part_of_nothing() -> None:
    def function(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return y.narrow(1, 0, y.shape[1] // 2).chunk(2, -2)[0].clone().add_(-1)

    agrees(function, make((5,), torch.float16, 850, "offset"), make((1, 1, 16, 5), torch.bfloat16, 692, "apart"))
