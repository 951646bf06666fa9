"""The patterns that are timed give what they give in eager."""

from __future__ import annotations

import pytest
import torch

from tools.bench.cases import PATTERN_CASES, Case

#: Two draws of random numbers are not to be compared.
RANDOM = ("elements: dropout", "elements: noise")

CASES = {name: case for cases in PATTERN_CASES.values() for name, case in cases.items() if name not in RANDOM}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_patterns_give_what_eager_gives(case: Case) -> None:
    torch.compiler.reset()
    function, inputs = case.make("small")
    ours = case.run(torch.compile(function, backend="rust_inductor", dynamic=False), inputs)
    # Half types keep three digits; long sums of floats differ in the fourth.
    halves = any(it.dtype in (torch.float16, torch.bfloat16) for it in inputs)
    eager = case.run(function, inputs)
    # A sum of many elements of both signs has the rounding errors of what it passes through.
    largest = max(float(it.detach().abs().max()) for it in eager[1:]) if case.trains else 0.0
    torch.testing.assert_close(ours, eager, atol=max(2e-4, 2e-7 * largest), rtol=2e-2 if halves else 2e-4)
