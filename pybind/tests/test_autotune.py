"""``mode="max-autotune"``: the first call measures several ways, its results and all later ones are the winner's."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
import torch
import torch.nn.functional as F

import rust_inductor
from pybind.tests.helpers import compiled

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def _store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test finds nothing measured."""
    monkeypatch.setenv("RUST_INDUCTOR_CACHE_DIR", str(tmp_path / "store"))
    torch.compiler.reset()
    rust_inductor.reset()


def _products(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    return torch.softmax(F.gelu(F.linear(x, weight, bias)), -1).sum(0)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("mode", ["max-autotune", "max-autotune-no-cudagraphs"])
def test_results_are_those_of_eager_and_stay(mode: str, threads: int) -> None:
    """Kernels and products: what the first call gives, the second gives bit for bit."""
    x, weight, bias = torch.randn(96, 256), torch.randn(320, 256), torch.randn(320)
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        ours = compiled(_products, mode=mode)
        first = ours(x, weight, bias)
        torch.testing.assert_close(first, _products(x, weight, bias), rtol=1e-4, atol=1e-5)
        for _ in range(3):
            assert torch.equal(ours(x, weight, bias), first)
    finally:
        torch.set_num_threads(before)


def test_what_is_changed_in_place_is_changed_once() -> None:
    """A kernel that writes over what it reads cannot run twice to be timed."""

    def step(weight: torch.Tensor, gradient: torch.Tensor) -> None:
        weight.mul_(0.5).add_(gradient)

    weight, gradient = torch.randn(4096), torch.randn(4096)
    want = weight.clone()
    ours = compiled(step, mode="max-autotune")
    for _ in range(3):
        step(want, gradient)
        ours(weight, gradient)
    torch.testing.assert_close(weight, want)


def test_training_agrees_with_eager() -> None:
    """Forward and backward graphs, convolutions among them."""
    torch.manual_seed(0)
    net = torch.nn.Sequential(
        torch.nn.Conv2d(8, 16, 3, padding=1), torch.nn.BatchNorm2d(16), torch.nn.ReLU(), torch.nn.Conv2d(16, 8, 1)
    )
    x = torch.randn(2, 8, 32, 32)
    net(x).square().mean().backward()
    want = [p.grad.clone() for p in net.parameters() if p.grad is not None]
    net.zero_grad()
    compiled(net, mode="max-autotune")(x).square().mean().backward()
    got = [p.grad for p in net.parameters()]
    for a, b in zip(got, want, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-3, atol=1e-5)


def test_new_sizes_are_served_by_the_same_kernels() -> None:
    """The kernel that was the fastest for the first sizes computes all others."""

    def f(x: torch.Tensor) -> torch.Tensor:
        return torch.softmax(x * 2, -1) + x.sum()

    ours = compiled(f, mode="max-autotune", dynamic=True)
    for rows in (5, 64, 7, 1000):
        x = torch.randn(rows, 33)
        torch.testing.assert_close(ours(x), f(x), rtol=1e-4, atol=1e-4)


def test_an_index_out_of_bounds_is_the_same_error() -> None:
    """Versions of a kernel that looks things up all report it."""
    table, index = torch.randn(10, 16), torch.tensor([1, 99])
    with pytest.raises(IndexError):
        compiled(lambda table, index: F.embedding(index, table) * 2, mode="max-autotune")(table, index)


def test_a_mode_that_does_not_exist_is_an_error() -> None:
    """With a list of those that do."""
    with pytest.raises(ValueError, match="max-autotune-no-cudagraphs"):
        rust_inductor.compile(lambda x: x + 1, mode="fastest")


def test_the_option_is_what_the_mode_means() -> None:
    """``options={"max_autotune": True}``, as Inductor has it."""
    fn = rust_inductor.compile(lambda x: torch.softmax(x, -1), options={"max_autotune": True})
    x = torch.randn(64, 128)
    torch.testing.assert_close(fn(x), torch.softmax(x, -1))


PROGRAM = """
import torch, rust_inductor
torch.manual_seed(0)
x, w = torch.randn(128, 256), torch.randn(256, 256)
f = torch.compile(lambda x, w: torch.softmax(x @ w, -1), backend="rust_inductor", mode="max-autotune")
torch.testing.assert_close(f(x, w), torch.softmax(x @ w, -1), rtol=1e-4, atol=1e-5)
"""


def test_winners_are_found_again_by_a_later_process(tmp_path: Path) -> None:
    """The first process measures and writes; the second writes nothing more."""
    store = tmp_path / "shared"
    environment = {**os.environ, "RUST_INDUCTOR_CACHE_DIR": str(store)}

    def run() -> set[Path]:
        subprocess.run([sys.executable, "-c", PROGRAM], env=environment, check=True, timeout=300)
        return {path for path in store.rglob("*") if path.is_file()}

    first = run()
    assert first
    assert run() == first
