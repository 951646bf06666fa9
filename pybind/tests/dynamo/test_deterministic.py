"""Memory of which the program says nothing is filled where torch's results have to be the same each time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch

from rust_inductor import _capture

MODES: Any = torch.utils.deterministic


@pytest.fixture
def deterministic() -> Iterator[None]:
    torch.use_deterministic_algorithms(True)
    yield
    torch.use_deterministic_algorithms(False)
    MODES.fill_uninitialized_memory = True


def empties(x):
    whole = torch.empty(3), torch.empty(2, 2, dtype=torch.int32), torch.empty(3, dtype=torch.int64)
    like = torch.empty_like(x), x.new_empty(2, 3), torch.empty(2, dtype=torch.bool), torch.empty_strided((2, 3), (3, 1))
    filled = torch.empty(2, 3)
    filled[0] = x[0]
    return *whole, *like, filled, x + torch.empty(3), torch.empty(2, 3).fill_(1) + x


@pytest.mark.parametrize("backend", ["eager", "rust_inductor"])
def test_memory_is_filled_as_torch_fills_it(backend, deterministic):
    x = torch.ones(2, 3)
    compiled = _capture.optimize(empties, backend=backend)
    for _ in range(2):
        for ours, theirs in zip(compiled(x), empties(x), strict=True):
            assert ours.dtype == theirs.dtype
            assert torch.equal(ours.isnan(), theirs.isnan())
            assert torch.equal(torch.nan_to_num(ours), torch.nan_to_num(theirs))


def one(x):
    return x + torch.empty(3), torch.empty(3)


def test_the_mode_is_guarded(deterministic):
    x = torch.ones(3)
    counts: list[int] = []
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(one, backend="rust_inductor", listener=log.append)
    for mode, fills in ((False, True), (True, True), (True, False), (True, True), (False, True)):
        torch.use_deterministic_algorithms(mode)
        MODES.fill_uninitialized_memory = fills
        results = compiled(x)
        if mode and fills:
            assert all(result.isnan().all() for result in results)
        counts.append(len(log))
    assert counts == [1, 2, 2, 2, 2]


def test_nothing_is_asked_where_no_memory_is_made(deterministic):
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(lambda x: x + 1, backend="rust_inductor", listener=log.append)
    for mode in (True, False):
        torch.use_deterministic_algorithms(mode)
        assert torch.equal(compiled(torch.ones(2)), torch.full((2,), 2.0))
    assert len(log) == 1
