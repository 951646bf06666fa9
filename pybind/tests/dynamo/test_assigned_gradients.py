"""Assignments to `Tensor.grad` within what is compiled: replayed, read back, one graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import nn

import rust_inductor
from rust_inductor import _capture

if TYPE_CHECKING:
    from collections.abc import Callable


def forgotten(w: Any, x: Any) -> Any:
    w.grad = None
    return x + 1, w.grad is None


def given(w: Any, x: Any) -> Any:
    w.grad = x * 2
    return x + 1


def read_back(w: Any, x: Any) -> Any:
    w.grad = x * 2
    w.grad.add_(1)
    return w.grad + 1


def returned(w: Any, x: Any) -> Any:
    before = w.grad
    w.grad = None
    return before, x + 1


def replaced(w: Any, x: Any) -> Any:
    w.grad = w.grad * 2 + x
    return w * w.grad


def an_input(w: Any, x: Any) -> Any:
    w.grad = x
    return w.grad is x, x + 1


def several_times(w: Any, x: Any) -> Any:
    w.grad = None
    w.grad = x + 1
    y = w.grad
    w.grad = x + 2
    return y, w.grad


def swapped(w: Any, x: Any) -> Any:
    w.grad, x.grad = x.grad, w.grad
    return w + x


@pytest.mark.parametrize("backend", ["eager", "rust_inductor"])
@pytest.mark.parametrize("program", [forgotten, given, read_back, returned, replaced, an_input, several_times, swapped])
def test_one_graph(program: Callable[..., Any], backend: str) -> None:
    rust_inductor.reset()
    events: list[dict[str, Any]] = []
    compiled = _capture.optimize(program, backend, listener=events.append)
    for _ in range(2):
        outcomes = []
        for function in (compiled, program):
            w, x = nn.Parameter(torch.ones(3)), torch.arange(3.0)
            w.grad, x.grad = torch.full((3,), 5.0), torch.full((3,), 7.0)
            old = w.grad
            result = function(w, x)
            outcomes.append((result, w.grad, x.grad, w.grad is old, x.grad is old, w.grad is x))
        torch.testing.assert_close(outcomes[0], outcomes[1])
    assert [event["break_reason"] for event in events] == [None]


def test_a_manual_step() -> None:
    def step(net: nn.Module) -> None:
        with torch.no_grad():
            for p in net.parameters():
                p.sub_(p.grad, alpha=0.1)  # type: ignore[arg-type]
                p.grad = None

    rust_inductor.reset()
    events: list[dict[str, Any]] = []
    compiled = _capture.optimize(step, "rust_inductor", listener=events.append)
    nets = []
    for function in (compiled, step):
        torch.manual_seed(0)
        net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
        for _ in range(3):
            net(torch.ones(2, 3)).pow(2).sum().backward()
            function(net)
            assert all(p.grad is None for p in net.parameters())
        nets.append(list(net.parameters()))
    torch.testing.assert_close(nets[0], nets[1])
    assert [event["break_reason"] for event in events] == [None]


def test_gradients_are_set_to_zero() -> None:
    def of(net: nn.Module, x: Any) -> Any:
        net.zero_grad(set_to_none=False)
        return net(x)

    rust_inductor.reset()
    events: list[dict[str, Any]] = []
    compiled = _capture.optimize(of, "rust_inductor", listener=events.append)
    for function in (compiled, compiled, of):
        net = nn.Linear(3, 2)
        for p in net.parameters():
            p.grad = torch.ones_like(p)
        before = [p.grad for p in net.parameters()]
        function(net, torch.ones(3)).sum().backward()
        assert all(p.grad is grad for p, grad in zip(net.parameters(), before, strict=True))
        torch.testing.assert_close([p.grad for p in net.parameters()], [torch.ones(2, 3), torch.ones(2)])
    assert [event["break_reason"] for event in events] == [None]


def history(x: Any, w: Any) -> Any:
    y = x * 2
    z = y[0]
    return x.grad_fn is None, x.is_leaf, y.grad_fn is None, z.is_leaf, z, w.requires_grad


def history_of_what_is_recorded(x: Any, w: Any) -> Any:
    y = w * 2
    return y.grad_fn is None, y.is_leaf, w.is_leaf, y


def history_without_recording(x: Any, w: Any) -> Any:
    with torch.no_grad():
        y = w * 2
        return y.grad_fn is None, y.is_leaf, y, w[0].is_leaf


def history_of_what_is_written(x: Any, w: Any) -> Any:
    y = x + 1
    before = y.is_leaf
    y.mul_(w)
    return before, y.is_leaf, y.grad_fn is None, y


@pytest.mark.parametrize("recorded", [True, False])
@pytest.mark.parametrize(
    "program",
    [history, history_of_what_is_recorded, history_without_recording, history_of_what_is_written],
)
def test_history(program: Callable[..., Any], recorded: bool) -> None:
    rust_inductor.reset()
    events: list[dict[str, Any]] = []
    compiled = _capture.optimize(program, "rust_inductor", listener=events.append)
    for flag in (recorded, not recorded, recorded):
        for x in (torch.ones(3), torch.ones(3, requires_grad=flag) * 1):
            w = torch.full((3,), 2.0, requires_grad=flag)
            torch.testing.assert_close(compiled(x, w), program(x, w))
    if program is history:
        assert events[0]["break_reason"] is None


def test_flags_that_are_set_already() -> None:
    def of(x: Any, w: Any) -> Any:
        x.requires_grad_(False)
        w.requires_grad_()
        w.requires_grad_(True)
        return (x * 2).requires_grad_(False) + w

    rust_inductor.reset()
    events: list[dict[str, Any]] = []
    compiled = _capture.optimize(of, "rust_inductor", listener=events.append)
    x, w = torch.ones(3), torch.ones(3, requires_grad=True)
    torch.testing.assert_close(compiled(x, w), of(x, w))
    assert [event["break_reason"] for event in events] == [None]
    # Flags that do change are the caller's.
    x, w = torch.ones(3, requires_grad=True), torch.ones(3)
    torch.testing.assert_close(compiled(x, w), of(x, w))
    assert (x.requires_grad, w.requires_grad) == (False, True)


@pytest.mark.parametrize("wrong", [torch.ones(4), torch.ones(3, dtype=torch.float64), 1.0])
def test_what_torch_refuses_it_refuses(wrong: Any) -> None:
    def of(w: Any, grad: Any) -> Any:
        y = w + 1
        w.grad = grad
        return y

    for function in (of, rust_inductor.compile(of)):
        with pytest.raises((RuntimeError, TypeError), match="grad"):
            function(nn.Parameter(torch.ones(3)), wrong)


def test_its_own_gradient_is_refused() -> None:
    def of(w: Any) -> Any:
        w.grad = w
        return w + 1

    for function in (of, rust_inductor.compile(of)):
        with pytest.raises(RuntimeError, match="own grad"):
            function(torch.ones(3))


def test_one_tensor_by_two_names() -> None:
    def of(w: Any, v: Any) -> Any:
        w.grad = v + 1
        return v.grad + 1 if v.grad is not None else v * 2

    compiled = rust_inductor.compile(of)
    for _ in range(2):
        w, v = torch.ones(3), torch.ones(3)
        torch.testing.assert_close(compiled(w, v), torch.full((3,), 2.0))
        w = torch.ones(3)
        torch.testing.assert_close(compiled(w, w), torch.full((3,), 3.0))
