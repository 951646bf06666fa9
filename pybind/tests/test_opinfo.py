"""The first samples of every operator that torch's own tests know; `pybind.tests.opinfo.run` takes all of them."""

from __future__ import annotations

import pytest
import torch

from pybind.tests.opinfo.judge import judge
from pybind.tests.opinfo.samples import names

#: Samples of each operator.
FIRST = 2


@pytest.mark.parametrize("name", names(torch.float32))
def test_as_eager(name):
    verdict = judge(name, torch.float32, limit=FIRST)
    assert not verdict.problems
