"""The measure accepts what it should and names what it does not."""

from __future__ import annotations

import torch

from tools.accuracy import Draw, errors, largest_difference, problem, problems, problems_over

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


def draw_of(*found: float, others: tuple[float, ...] = ()) -> Draw:
    """A draw with a tensor of each of these errors, where eager errs by 1e-4, and its other ways by others."""
    exact = {f"t{k}": torch.linspace(-1.0, 1.0, 9, dtype=torch.float64) for k in range(len(found))}
    ours = {name: (value + error).float() for (name, value), error in zip(exact.items(), found)}
    ways = [{name: (value + error).float() for name, value in exact.items()} for error in (1e-4, *others)]
    return Draw(ours, ways[0], exact, lambda: ways[1:])


GOOD, BAD, GROSS = 1e-4, 4e-4, 0.3


def test_the_majority_of_draws_decides() -> None:
    good, bad = draw_of(GOOD), draw_of(BAD)
    assert not problems_over([good, bad, bad, good])
    assert len(problems_over([bad, bad, bad, good])) == 3


def test_different_tensors_in_most_draws_are_a_habit_too() -> None:
    assert problems_over([draw_of(BAD, GOOD, GOOD), draw_of(GOOD, BAD, GOOD), draw_of(GOOD, GOOD, BAD)])


def test_of_a_hundred_tensors_one_may_stray_but_not_always_the_same() -> None:
    draws = [draw_of(*(BAD if k == stray else GOOD for k in range(100))) for stray in range(3)]
    assert not problems_over(draws)
    assert [line.partition(":")[0] for line in problems_over([draws[0], draws[0], draws[2]])] == ["t0", "t0"]


def test_the_largest_error_of_eagers_ways_counts() -> None:
    assert problems_over([draw_of(BAD, others=(1e-5,))])
    assert not problems_over([draw_of(BAD, others=(1e-5, 2.5e-4))])


def test_gross_errors_are_never_chance() -> None:
    assert len(problems_over([draw_of(GOOD), draw_of(GROSS, BAD), draw_of(GOOD)])) == 1
    missing = Draw({}, draw_of(GOOD).eager, draw_of(GOOD).exact)
    assert problems_over([draw_of(GOOD), missing, draw_of(GOOD)]) == ["t0: missing"]


def test_a_gross_error_has_to_be_that_of_one_of_eagers_ways() -> None:
    assert not draw_of(GROSS, others=(1e-5, GROSS)).gross
    assert len(draw_of(GROSS, others=(1e-5, -GROSS)).gross) == 1
