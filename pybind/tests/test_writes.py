"""Functions that change the tensors that they are given: the kernels write into them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from rust_inductor import _aot, _native


class Kept:
    """A backend that keeps what it compiled."""

    def __init__(self) -> None:
        self.compiled: list[_native.CompiledFn] = []

    def __call__(self, module: torch.fx.GraphModule, inputs: Any, **options: Any) -> Callable[..., Any]:
        """Compiles a graph for `torch.compile`, and keeps the result."""
        return _aot.compile_module(module, inputs, on_graph=lambda _kind, it: self.compiled.append(it), **options)


def changes(function: Callable[..., Any]) -> Callable[..., None]:
    """The function without its result."""

    def run(*args: Any) -> None:
        function(*args)

    return run


def swap(x: Tensor, y: Tensor) -> None:
    old = x.clone()
    x.copy_(y)
    y.copy_(old)


def momentum(x: Tensor, y: Tensor) -> None:
    y.mul_(0.9).add_(x)
    x.sub_(y, alpha=0.1)


def old_and_new(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    before = x * 2
    x.add_(y)
    return before, x * 2


def half(x: Tensor, y: Tensor) -> Tensor:
    x[:3] = y[3:6]
    return x.sum()


def shifted(x: Tensor, _y: Tensor) -> None:
    x[1:] = x[:-1] * 2


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "add": lambda x, y: x.add_(y),
    "a part": half,
    "from its neighbours": shifted,
    "transposed": lambda x, y: x.t().mul_(y.t()),
    "normalised": lambda x, y: x.copy_((x - x.mean(0)) / (y.std() + 1)),
    "reversed": lambda x, _y: x.copy_(x.flip(0)),
    "filled": lambda x, _y: x.zero_(),
    "swapped": swap,
    "both": momentum,
    "old and new": old_and_new,
    "the same value twice": lambda x, y: (x.copy_(x * y), y.copy_(x)),
    "a product": lambda x, y: x.copy_(x @ torch.ones(4, 4) + y),
}

LAYOUTS: dict[str, Callable[[], Tensor]] = {
    "contiguous": lambda: torch.randn(6, 4),
    "columns": lambda: torch.randn(4, 6).t(),
    "part of another": lambda: torch.randn(8, 9)[1:7, 2:6],
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dynamic", [False, True])
def test_what_a_function_changes(name: str, layout: str, dynamic: bool) -> None:
    function, kept = FUNCTIONS[name], Kept()
    compiled = torch.compile(function, backend=kept, dynamic=dynamic)
    x, y = LAYOUTS[layout](), torch.randn(6, 4)
    theirs, ours = (x.clone(), y.clone()), (x, y)
    for _ in range(2):
        torch.testing.assert_close(compiled(*ours), function(*theirs))
        torch.testing.assert_close(ours, theirs)
    assert [graph.eager_because for graph in kept.compiled] == [None] * len(kept.compiled)


def test_an_optimiser_moves_each_tensor_once() -> None:
    def adam(p: Tensor, g: Tensor, m: Tensor, v: Tensor) -> None:
        m.lerp_(g, 0.1)
        v.mul_(0.999).addcmul_(g, g, value=0.001)
        p.addcdiv_(m, v.sqrt().add_(1e-8), value=-0.01)

    kept = Kept()
    ours = [torch.rand(1000) for _ in range(4)]
    theirs = [t.clone() for t in ours]
    compiled = torch.compile(adam, backend=kept)
    for _ in range(3):
        compiled(*ours)
        adam(*theirs)
    torch.testing.assert_close(ours, theirs)
    (graph,) = kept.compiled
    assert (graph.launches, graph.arena_bytes, graph.calls) == (1, 0, [])


def test_what_a_layer_remembers() -> None:
    torch.manual_seed(0)
    ours = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU())
    theirs = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU())
    theirs.load_state_dict(ours.state_dict())
    compiled = torch.compile(ours, backend="rust_inductor")
    for _ in range(3):
        x = torch.randn(4, 3, 9, 9)
        compiled(x).square().mean().backward()
        theirs(x).square().mean().backward()
    torch.testing.assert_close(ours.state_dict(), theirs.state_dict())
    torch.testing.assert_close([p.grad for p in ours.parameters()], [p.grad for p in theirs.parameters()])


def test_an_index_out_of_range_leaves_the_tensors_as_they_were() -> None:
    compiled = torch.compile(lambda x, t, i: changes(x.copy_)(t[i]), backend="rust_inductor")
    x, table = torch.zeros(3), torch.arange(1.0, 5.0)
    compiled(x, table, torch.tensor([0, 3, 1]))
    assert x.tolist() == [1.0, 4.0, 2.0]
    with pytest.raises((IndexError, RuntimeError)):
        compiled(x, table, torch.tensor([2, 9, 2]))
    assert x.tolist() == [1.0, 4.0, 2.0]


def test_a_call_that_fails_leaves_the_tensors_as_they_were() -> None:
    def function(x: Tensor, matrix: Tensor) -> Tensor:
        value = x.erf().exp() + 1  # dear enough to be stored before the call
        factor: Tensor = torch.linalg.cholesky(matrix * value[0])
        x.copy_(value)
        return factor

    compiled = torch.compile(function, backend="rust_inductor")
    x = torch.zeros(3)
    compiled(x, torch.eye(2))
    assert x.tolist() == [2.0, 2.0, 2.0]
    with pytest.raises(RuntimeError, match="positive-definite"):
        compiled(x, -torch.eye(2))
    assert x.tolist() == [2.0, 2.0, 2.0]


def test_a_tensor_of_other_strides_is_changed_itself() -> None:
    kept = Kept()
    torch.compile(lambda x: changes(x.add_)(1), backend=kept)(torch.zeros(3, 4))
    (graph,) = kept.compiled
    x = torch.zeros(4, 3).t()
    graph(x)
    assert x.sum().item() == 12.0


def test_autograd_knows_of_the_change() -> None:
    compiled = torch.compile(lambda x: changes(x.mul_)(2), backend="rust_inductor")
    x, w = torch.ones(3), torch.ones(3, requires_grad=True)
    product = (w * x).sum()
    before = x._version
    compiled(x)
    assert x._version > before
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.backward()
