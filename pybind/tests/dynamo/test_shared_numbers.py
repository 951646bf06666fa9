"""Numbers that a graph computes reach other backends as torch's pass over them leaves them, without its fakes where
that only puts earlier numbers in the place of equal ones."""

from __future__ import annotations

import pytest
import torch

from rust_inductor import _capture, _fakes


def sampled(x, y, share):
    wanted = int(x.numel() * share)
    taken = min(x.numel(), wanted)
    left = min(y.numel(), x.numel() - taken)
    return torch.randperm(x.numel())[:taken], torch.randperm(y.numel())[:left], x.numel() + 0.0 * share


def counted_twice(x, y, share):
    rows = x.shape[0] * 2 + 1
    again = x.shape[0] * 2 + 1
    return x.new_zeros(rows), y.new_ones(again), x.new_ones(again + 1), x.shape[0] * 3


def dropped(x, y, share):
    _ = x.shape[0] * 5, x.size(0) - 1
    y.size(0)
    return x + y.shape[0] // 2


def of_results(x, y, share):
    z = torch.cat([x, y])
    return z.new_zeros(z.shape[0] * 2), z.numel() + x.numel()


def compared(x, y, share):
    z = x.new_zeros(x.shape[0] * 2)
    return z if x.shape[0] * 2 > y.shape[0] else z + 1


@pytest.mark.parametrize(
    ("function", "needs_torch"),
    [(sampled, False), (counted_twice, False), (dropped, False), (of_results, True), (compared, False)],
)
def test_numbers_are_shared_as_torch_shares_them(monkeypatch, function, needs_torch):
    shared = _fakes.Capture._share_known
    ways: list[bool] = []

    def spied(capture):
        numbers = shared(capture)
        ways.append(numbers is None)
        return numbers

    def graphs(way):
        monkeypatch.setattr(_fakes.Capture, "_share_known", way)
        kept = []

        def backend(gm, _inputs):
            kept.append(str(gm.graph))
            return gm.forward

        compiled = _capture.optimize(function, backend=backend)
        for size in (6, 8, 9):
            torch.manual_seed(0)
            found = compiled(torch.ones(size), torch.ones(size + 1), 0.25 + size / 100)
            torch.manual_seed(0)
            expected = function(torch.ones(size), torch.ones(size + 1), 0.25 + size / 100)
            torch.testing.assert_close(found, expected)
        return kept

    ours = graphs(spied)
    assert ours == graphs(lambda _: None)
    assert ways and any(ways) is needs_torch
