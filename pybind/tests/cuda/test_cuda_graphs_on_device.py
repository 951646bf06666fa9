"""CUDA graphs of compiled programs: replayed calls against eager ones."""

from __future__ import annotations

import copy
import gc
import threading

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import rust_inductor
from pybind.tests.cuda.device import needs_gpu, randn, same

pytestmark = needs_gpu

ENTRIES = {
    "torch.compile": lambda f: torch.compile(f, backend="rust_inductor", mode="reduce-overhead"),
    "rust_inductor.compile": lambda f: rust_inductor.compile(f, mode="reduce-overhead"),
}
entries = pytest.mark.parametrize("compiled", ENTRIES.values(), ids=ENTRIES.keys())


def states(f, *args):
    """The states of the CUDA graphs of a function that is called four times."""
    explained = rust_inductor.explain(f, options={"cudagraphs": True})(*args)
    for _ in range(3):
        for graph in explained.graphs:
            graph.compiled(*args)
    return [graph.compiled.cuda_graph for graph in explained.graphs]


@entries
def test_calls_are_replayed_with_new_values(compiled):
    def f(x, y):
        return F.softmax(x @ y, -1).sum(0), x.relu() + 1

    g = compiled(f)
    for seed in range(6):
        x, y = randn(64, 32, seed=seed), randn(32, 16, seed=seed + 100)
        same(g(x, y), f(x, y), scale=100)


def test_a_call_is_recorded():
    def f(x):
        return (x.sin() * 2).sum(-1)

    assert states(f, randn(64, 100)) == ["recorded for 1 kind of calls"]
    (state,) = states(lambda x: F.dropout(x, 0.5, training=True) + 1, randn(8, 8))
    assert "draws random numbers" in state
    (state,) = states(lambda x: x.add_(1), randn(8, 8))
    assert "a write to an input" in state


@entries
def test_results_that_live_keep_their_values(compiled):
    g = compiled(lambda x: x * 2 + 1)
    xs = [randn(100, seed=seed) for seed in range(12)]
    for x, y in zip(xs, [g(x) for x in xs], strict=True):
        same(y, x * 2 + 1)


@entries
def test_a_model_is_trained(compiled):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(32, 64), nn.LayerNorm(64), nn.GELU(), nn.Linear(64, 8)).cuda()
    twin = copy.deepcopy(model)
    run = compiled(model)
    optimizers = [torch.optim.AdamW(it.parameters(), lr=1e-2) for it in (model, twin)]
    for seed in range(12):
        x, target = randn(16, 32, seed=seed), randn(16, 8, seed=seed + 50)
        losses = []
        for call, optimizer in zip((run, twin), optimizers, strict=True):
            # Gradients of two passes are summed in every other step.
            for part in (x, x * 0.5) if seed % 2 else (x,):
                loss = F.mse_loss(call(part), target)
                loss.backward()
            losses.append(loss.detach().clone())
            optimizer.step()
            optimizer.zero_grad(set_to_none=seed % 3 > 0)
        torch.testing.assert_close(*losses, rtol=2e-3, atol=1e-4)


@entries
def test_several_passes_before_one_backward(compiled):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 16)).cuda()
    twin = copy.deepcopy(model)
    run = compiled(model)
    for count in (1, 2, 3, 7, 2, 1):
        xs = [randn(4, 16, seed=seed) for seed in range(count)]
        for call, it in ((run, model), (twin, twin)):
            it.zero_grad()
            sum(call(x).square().sum() for x in xs).backward()
        for ours, theirs in zip(model.parameters(), twin.parameters(), strict=True):
            torch.testing.assert_close(ours.grad, theirs.grad, rtol=1e-4, atol=1e-4)


@entries
def test_sizes_that_change(compiled):
    def f(x, w):
        return (x @ w).relu().sum(-1)

    g = compiled(f)
    w = randn(32, 16)
    for size in (5, 8, 5, 13, 8, 13, 21, 5, 8, 13, 34, 55, 21):
        x = randn(size, 32, seed=size)
        same(g(x, w), f(x, w), scale=100)


@entries
def test_streams_and_threads(compiled):
    def f(x):
        return (x @ x).sin() + 1

    g = compiled(f)
    failures = []

    def work(seed):
        try:
            with torch.cuda.stream(torch.cuda.Stream()):
                for turn in range(10):
                    x = randn(128, 128, seed=seed * 100 + turn)
                    same(g(x), f(x), scale=100)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for it in threads:
        it.start()
    for it in threads:
        it.join()
    assert not failures, failures[0]


@entries
def test_a_recording_of_the_program_holds_ours(compiled):
    g = compiled(lambda x: x.sin() * 2)
    x = randn(1000)
    for _ in range(3):
        g(x)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = g(x)
    x.add_(1)
    graph.replay()
    same(y, x.sin() * 2)


def test_a_library_that_cannot_be_recorded_runs_as_always():
    def f(x):
        return x[x > 0].sum() + x.nonzero().sum()

    g = rust_inductor.compile(f, mode="reduce-overhead")
    for seed in range(4):
        x = randn(100, seed=seed)
        same(g(x), f(x), scale=10)


def test_memory_goes_back_with_the_function():
    x = randn(1 << 20)
    gc.collect()
    before = torch.cuda.memory_allocated()
    g = rust_inductor.compile(lambda x: x.sin() * 2 + 1, mode="reduce-overhead")
    y = [g(x) for _ in range(6)]
    del y, g
    rust_inductor.reset()
    gc.collect()
    assert torch.cuda.memory_allocated() == before
