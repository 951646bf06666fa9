"""The state from which every test starts."""

from __future__ import annotations

import pytest
import torch


@pytest.fixture(autouse=True)
def _fresh() -> None:
    torch._dynamo.reset()
    torch.manual_seed(0)
