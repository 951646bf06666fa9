"""`torch.autograd.Function`: in one graph, with a backward that is the program's own."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import rust_inductor
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


class Swish(torch.autograd.Function):
    """Saves what it computes."""

    @staticmethod
    def forward(ctx, x):
        sigmoid = torch.sigmoid(x)
        ctx.save_for_backward(x, sigmoid)
        return x * sigmoid

    @staticmethod
    def backward(ctx, grad):
        x, sigmoid = ctx.saved_tensors
        return grad * (sigmoid * (1 + x * (1 - sigmoid))) * 2


class Exponential(torch.autograd.Function):
    """Saves its result, and writes to tensors of its own."""

    @staticmethod
    def forward(ctx, x):
        result = x.clone()
        result[0] = 0.5
        result.exp_()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad):
        (result,) = ctx.saved_tensors
        grad = grad.clone()
        grad[1:].mul_(3)
        return grad * result


class Nested(torch.autograd.Function):
    """Calls another one, which records nothing then."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return Swish.apply(x) + 1

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * Swish.apply(x)


class Affine(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight)
        return x.mm(weight.t()) + bias

    @staticmethod
    def backward(ctx, grad):
        x, weight = ctx.saved_tensors
        # The engine sums the last one.
        return grad.mm(weight), grad.t().mm(x), grad


class Narrowed(torch.autograd.Function):
    """A gradient in another element type, which the engine converts."""

    @staticmethod
    def forward(ctx, x):
        return x.to(torch.bfloat16)

    @staticmethod
    def backward(ctx, grad):
        return grad.double() * 3


class Dropped(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        kept = (torch.rand_like(x) > 0.5).float()
        ctx.save_for_backward(kept)
        return x * kept

    @staticmethod
    def backward(ctx, grad):
        (kept,) = ctx.saved_tensors
        return grad * kept * 3


class Reversed(torch.autograd.Function):
    """A view of its argument."""

    @staticmethod
    def forward(ctx, x, by):
        ctx.by = by
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return -grad * ctx.by, None


class Largest(torch.autograd.Function):
    """Marks a result."""

    @staticmethod
    def forward(ctx, x):
        values, indices = x.max(1)
        ctx.mark_non_differentiable(indices)
        ctx.save_for_backward(indices)
        return values, indices

    @staticmethod
    def backward(ctx, grad, _):
        (indices,) = ctx.saved_tensors
        return torch.nn.functional.one_hot(indices, 3) * grad[:, None] * 2


class Counted(torch.autograd.Function):
    """Its gradient depends on which of its results have one."""

    @staticmethod
    def forward(ctx, x, y):
        ctx.set_materialize_grads(False)
        return x * y, x - y

    @staticmethod
    def backward(ctx, first, second):
        if first is None:
            return second * 7, second
        return (first, first) if second is None else (first + second, first)


class Zeroed(torch.autograd.Function):
    """Two results, of which one may have no gradient."""

    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y, x - y

    @staticmethod
    def backward(ctx, first, second):
        x, y = ctx.saved_tensors
        return first * y + second * 3, None if ctx.needs_input_grad[0] is False else first * x - second


def sum_of_all(x, y):
    return sum(Zeroed.apply(x, y))


def expanded_gradient(x, y):
    return Swish.apply(x).sum() + Swish.apply(y).mean(0).sum()


def behind_each_other(x, y):
    return Swish.apply(Swish.apply(x)) * Nested.apply(y)


def transposed(x, y):
    return Swish.apply(x.t()).t() + y


def written_to_afterwards(x, y):
    return Swish.apply(x).mul_(y)


def returned_as_they_are(x, y):
    return Swish.apply(x), Exponential.apply(y)


#: Programs, and whether their gradients are computed without AOTAutograd.
PROGRAMS: dict[str, tuple[Any, bool]] = {
    "result of its own": (lambda x, y: Swish.apply(x).sin() + y, True),
    "writes": (lambda x, y: Exponential.apply(x) * y, True),
    "products": (lambda x, y: Affine.apply(x, y, y[:, 0]), True),
    "another element type": (lambda x, y: Narrowed.apply(x) * y, True),
    "drawn": (lambda x, y: Dropped.apply(x) + torch.rand_like(y) * y, True),
    "first of two": (lambda x, y: Zeroed.apply(x, y)[0], True),
    "second of two": (lambda x, y: Zeroed.apply(x, y)[1] * 2, True),
    "without gradients": (lambda x, y: Swish.apply(x).detach() + y, True),
    "view of an argument": (lambda x, y: Reversed.apply(x, 0.5) * y, False),
    "marked": (lambda x, y: Largest.apply(x)[0] + y[:, 0], False),
    "missing gradients": (lambda x, y: Counted.apply(x, y)[1], False),
    **{
        program.__name__: (program, True)
        for program in (
            sum_of_all,
            expanded_gradient,
            behind_each_other,
            transposed,
            written_to_afterwards,
            returned_as_they_are,
        )
    },
}


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients_in_our_own_graph(name, dynamic):
    program, is_ours = PROGRAMS[name]

    def told(function: Any, rows: int) -> list[Any]:
        torch.manual_seed(rows)
        x, y = (torch.randn(rows, 3, requires_grad=True) for _ in range(2))
        results = function(x, y)
        results = results if isinstance(results, tuple) else (results,)
        weighted = [(result * torch.arange(result.numel()).reshape(result.shape)).sum() for result in results]
        torch.stack(weighted).sum().backward()
        return [[result.detach() for result in results], [result.stride() for result in results], x.grad, y.grad]

    compiled = rust_inductor.compile(program, dynamic=dynamic, fullgraph=True)
    for rows in (4, 5):
        torch.testing.assert_close(told(compiled, rows), told(program, rows))
    inputs = [torch.randn(4, 3, requires_grad=True) for _ in range(2)]
    explanation = str(rust_inductor.explain(program, dynamic=dynamic)(*inputs))
    assert ("AOTAutograd" not in explanation) == is_ours
