"""Tests of what graphs keep, and for how long."""

from __future__ import annotations

import platform
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.profiler import ProfilerActivity, profile

from tools.bench.figures import Recorder

MIB = 1 << 20
LAYERS = 8


def chain(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """Layers that each save a tensor of 4 MiB for their gradient."""
    for _ in range(LAYERS):
        x = torch.sin(x @ weight)
    return x


def chain_inputs() -> tuple[torch.Tensor, torch.Tensor]:
    torch.manual_seed(0)
    return torch.randn(2048, 512, requires_grad=True), (torch.randn(512, 512) / 32).requires_grad_()


def held(call: Callable[[], object]) -> list[int]:
    """The bytes that are held after each allocation of at least a MiB, beyond those that were before the call."""
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as seen:
        call()
    assert seen.profiler is not None and seen.profiler.kineto_results is not None
    events = [it for it in seen.profiler.kineto_results.events() if it.name() == "[memory]"]
    now, rows = 0, []
    for event in sorted(events, key=lambda it: it.start_ns()):
        now += event.nbytes()
        if event.nbytes() >= MIB:
            rows.append(now)
    return rows


def test_backward_drops_what_it_has_read() -> None:
    inputs = chain_inputs()
    compiled = torch.compile(chain, backend="rust_inductor", dynamic=False)
    compiled(*inputs).sum().backward()
    rows = held(lambda: compiled(*inputs).sum().backward())
    assert max(rows) > LAYERS * 4 * MIB > 2 * rows[-1]


def test_a_graph_that_is_retained_keeps_what_it_has_saved() -> None:
    inputs = chain_inputs()
    loss = torch.compile(chain, backend="rust_inductor", dynamic=False)(*inputs).sum()
    first = torch.autograd.grad(loss, inputs, retain_graph=True)
    second = torch.autograd.grad(loss, inputs)
    expected = torch.autograd.grad(chain(*inputs).sum(), inputs)
    torch.testing.assert_close(first, second, rtol=0, atol=0)
    torch.testing.assert_close(first, expected, rtol=1e-3, atol=1e-3)


def test_an_error_after_something_was_dropped_is_the_operators_own() -> None:
    @torch.library.custom_op("test_memory::refuse", mutates_args=())
    def refuse(x: torch.Tensor) -> torch.Tensor:
        raise RuntimeError("no gradient today")

    @refuse.register_fake
    def _(x: torch.Tensor) -> torch.Tensor:
        return torch.empty_like(x)

    class Refusing(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
            refused: torch.Tensor = refuse(grad)
            return refused

    def fn(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return chain(Refusing.apply(x), weight)

    loss = torch.compile(fn, backend="rust_inductor", dynamic=False)(*chain_inputs()).sum()
    with pytest.raises(RuntimeError, match="no gradient today"):
        loss.backward()


def wide(x: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    """Temporaries of 4 MiB, of which a library's operators read and give some, then a result of 16 MiB."""
    y = torch.sin(x) @ x.t()
    y = torch.cumsum(torch.softmax(y, -1), 0) + torch.linalg.inv(torch.eye(1024) + y.tanh() / 4096)
    result: torch.Tensor = y.exp() @ out
    return result


def test_temporaries_lie_in_a_result_that_is_written_later() -> None:
    torch.manual_seed(0)
    x, out = torch.randn(1024, 1024), torch.randn(1024, 4096)
    compiled = torch.compile(wide, backend="rust_inductor", dynamic=False)
    expected = wide(x, out)
    for _ in range(3):
        torch.testing.assert_close(compiled(x, out), expected, rtol=1e-3, atol=1e-2)


def test_results_of_two_calls_share_nothing() -> None:
    def logits(x: torch.Tensor, weight: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
        return torch.tanh(torch.sin(x) @ weight) @ out

    torch.manual_seed(0)
    x, weight, out = torch.randn(1024, 1024), torch.randn(1024, 1024) / 32, torch.randn(1024, 4096)
    recorder = Recorder()
    compiled = recorder.compile(logits, dynamic=False)
    first = compiled(x, weight, out)
    copy = first.clone()
    second = compiled(-x, weight, out)
    assert torch.equal(first, copy)
    torch.testing.assert_close(second, logits(-x, weight, out), rtol=1e-3, atol=1e-3)
    # The result's 16 MiB, and of the two temporaries the one that is read while it is written.
    (graph,) = recorder.graphs
    assert max(held(lambda: compiled(x, weight, out))) + graph.arena_bytes <= 21 * MIB


PLACES = """
import torch

norm, x = torch.nn.RMSNorm(1024), torch.randn(4096, 1024)
compiled = torch.compile(norm, backend="rust_inductor", dynamic=False)
with torch.no_grad():
    places = [compiled(x).data_ptr() for _ in range(40)]
print(sum(a == b for a, b in zip(places[10:], places[11:])))
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other allocators have other ways")
def test_a_large_result_lies_where_the_last_one_did() -> None:
    again = subprocess.run([sys.executable, "-c", PLACES], capture_output=True, text=True, check=True).stdout
    assert int(again) > 20
