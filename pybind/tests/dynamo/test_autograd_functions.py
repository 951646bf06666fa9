"""`torch.autograd.Function`: in one graph, with a backward that is the program's own."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from rust_inductor import _capture

scale = 3.0


class Scaled(torch.autograd.Function):
    """A gradient that is not that of its forward, so that a wrong one shows."""

    @staticmethod
    def forward(ctx, x, by):
        ctx.save_for_backward(x)
        ctx.by = by
        return x * by + scale

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * x * ctx.by * scale, None


class Separate(torch.autograd.Function):
    """With `setup_context` and two results."""

    @staticmethod
    def forward(x, y):
        return x * y, x + y

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, y = inputs
        ctx.save_for_backward(x, y, output[0])
        ctx.set_materialize_grads(False)

    @staticmethod
    def backward(ctx, first, second):
        x, y, product = ctx.saved_tensors
        first = torch.zeros_like(x) if first is None else first
        second = torch.zeros_like(x) if second is None else second
        return (first * y + second) * 2 + product, first * x if ctx.needs_input_grad[1] else None


class Holder(torch.autograd.Function):
    """Reads a tensor that it is not given."""

    weight = torch.tensor(2.0)

    @staticmethod
    def forward(ctx, x):
        return x * Holder.weight

    @staticmethod
    def backward(ctx, grad):
        return grad * Holder.weight


class Counting(torch.autograd.Function):
    """Changes something."""

    calls: list[str] = []  # noqa: RUF012

    @staticmethod
    def forward(ctx, x):
        Counting.calls.append("forward")
        return x.sin()

    @staticmethod
    def backward(ctx, grad):
        Counting.calls.append("backward")
        return grad * 5


class Identity(torch.autograd.Function):
    """Gives its argument back."""

    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, grad):
        return -grad


class InPlace(torch.autograd.Function):
    """Changes its argument."""

    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(3)

    @staticmethod
    def backward(ctx, grad):
        return grad * 7


def scaled(x, y):
    return Scaled.apply(x * 2, 4) + y


def scaled_without_grad(x, y):
    with torch.no_grad():
        return Scaled.apply(x * 2, 4) + y


def separate(x, y):
    product, total = Separate.apply(x, y)
    return product.sin() + total


def one_of_two(x, y):
    return Separate.apply(x.detach(), y)[1] * x


def held(x, y):
    return Holder.apply(x) + y


def counting(x, y):
    return Counting.apply(x) * y


def identity(x, y):
    return Identity.apply(x) * y


def in_place(x, y):
    return InPlace.apply(x + 1) * y


WHOLE = [scaled, scaled_without_grad, separate, one_of_two]
BROKEN = [held, counting, identity, in_place]


def results(function, recorded: bool) -> list[Any]:
    """Outputs and gradients of two calls, between which what functions depend on changes."""
    global scale
    scale, Holder.weight = 3.0, torch.tensor(2.0)
    Counting.calls.clear()
    found: list[Any] = []
    for _ in range(2):
        x = torch.linspace(-1, 2, 6).reshape(2, 3).requires_grad_(recorded)
        y = torch.linspace(3, 4, 6).reshape(2, 3).requires_grad_(recorded)
        out = function(x, y)
        found.append((out.detach().clone(), out.requires_grad))
        if out.requires_grad:
            out.sum().backward()
            found.append((x.grad, y.grad))
        scale, Holder.weight = 5.0, torch.tensor(4.0)
    return [*found, len(Counting.calls)]


@pytest.mark.parametrize("backend", ["eager", "rust_inductor"])
@pytest.mark.parametrize("recorded", [True, False])
@pytest.mark.parametrize("function", WHOLE + BROKEN)
def test_gradients_are_the_programs_own(function, recorded, backend):
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(function, backend=backend, listener=log.append)
    torch.testing.assert_close(results(compiled, recorded), results(function, recorded))
    if function in WHOLE:
        assert {event["break_reason"] for event in log} == {None}
