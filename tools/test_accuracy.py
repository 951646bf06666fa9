"""The measure accepts what it should and names what it does not."""

from __future__ import annotations

import torch
from torch import Tensor

from tools.accuracy import errors, largest_difference, problem, problems, problems_over

EXACT = torch.linspace(0.1, 1.0, 64, dtype=torch.float64).reshape(8, 8)
EAGER = EXACT.float()


def test_eager_itself_is_right() -> None:
    assert problem("output", EAGER.clone(), EAGER, EXACT) is None


def test_a_uniform_error_is_named_with_its_size() -> None:
    message = problem("output", EAGER + 1e-4, EAGER, EXACT)
    assert message is not None
    assert message.startswith("output: rms error 0.0001 against float64")


def test_one_stray_element_is_found() -> None:
    ours = torch.zeros(1000, 1000)
    exact = torch.ones(1000, 1000, dtype=torch.float64)
    eager = exact.float()
    ours.copy_(eager)
    ours[3, 5] += 1e-4
    message = problem("gradient of w", ours, eager, exact)
    assert message is not None
    assert message.startswith("gradient of w[3, 5]: 1.0001")


def test_shape_dtype_and_strides_count() -> None:
    assert problem("output", EAGER.t().contiguous().t(), EAGER, EXACT) is not None
    assert problem("output", EAGER.double(), EAGER, EXACT) is not None


def test_nan_is_wrong_unless_float64_has_it() -> None:
    ours = EAGER.clone()
    ours[0, 0] = torch.nan
    assert problem("output", ours, EAGER, EXACT) is not None
    exact = ours.double()
    assert errors(ours, exact).worst == 0.0
    assert problem("output", ours, ours, exact) is None


def test_missing_and_extra_tensors_are_named() -> None:
    assert problems({"a": EAGER}, {"b": EAGER}, {"b": EXACT}) == ["b: missing", "a: eager has no such tensor"]


def test_largest_difference_walks_nested_outputs() -> None:
    assert largest_difference([EAGER, {"x": torch.ones(2) * 1.5}], [EAGER, {"x": torch.ones(2)}]) == 0.5


def run_of(error: float) -> tuple[dict[str, Tensor], dict[str, Tensor], dict[str, Tensor]]:
    """A run in which eager errs by 1e-4 throughout, and ours by something else."""
    exact = torch.linspace(-1.0, 1.0, 9, dtype=torch.float64)
    return {"t": (exact + error).float()}, {"t": (exact + 1e-4).float()}, {"t": exact}


def test_chance_is_forgiven_but_not_habit_nor_excess() -> None:
    good, bad, gross = run_of(1e-4), run_of(4e-4), run_of(1e-2)
    assert not problems_over([good, good, bad, good])
    assert problems_over([bad, bad, bad, bad])
    assert problems_over([good, good, gross, good])
