"""Random numbers by counters: `options={"fallback_random": False}`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional

import rust_inductor

if TYPE_CHECKING:
    from collections.abc import Callable

COUNTED: dict[str, Any] = {"fallback_random": False}


def keys(seed: int, calls: int) -> Tensor:
    """The keys that a graph of so many calls draws."""
    torch.manual_seed(seed)
    return torch.randint(-(2**63), 2**63 - 1, (calls, 2)).view(torch.uint64)


def uniform(key: Tensor, *sizes: int) -> Tensor:
    """The numbers that PyTorch's own kernel gives for a key."""
    if not hasattr(torch.ops.aten, "_philox_uniform_"):
        pytest.skip("PyTorch has no such kernel before 2.15")
    made: Tensor = torch.ops.aten._philox_uniform_(torch.empty(sizes), key)
    return made


def compiled(function: Callable[..., Any], dynamic: bool | None = None) -> Callable[..., Any]:
    call: Callable[..., Any] = rust_inductor.compile(function, fullgraph=True, options=COUNTED, dynamic=dynamic)
    return call


@pytest.mark.parametrize("dynamic", [False, True])
def test_numbers_are_those_of_pytorchs_philox(dynamic: bool) -> None:
    def function(x: Tensor) -> Any:
        return torch.rand(3, 5), torch.rand_like(x), torch.bernoulli(x, 0.25)

    call = compiled(function, dynamic)
    for rows in (7, 130):
        x = torch.randn(rows, 11)
        drawn = keys(rows, 3)
        torch.manual_seed(rows)
        given, like, p = call(x)
        torch.testing.assert_close(given, uniform(drawn[0], 3, 5), rtol=0, atol=0)
        torch.testing.assert_close(like, uniform(drawn[1], rows, 11), rtol=0, atol=0)
        torch.testing.assert_close(p, (uniform(drawn[2], rows, 11) < 0.25).float(), rtol=0, atol=0)


def test_what_stays_eagers_is_as_in_eager() -> None:
    def function(x: Tensor) -> Any:
        return torch.randn(3), torch.rand_like(x.t()), torch.bernoulli(x.sigmoid()), functional.dropout(x.t(), 0.5)

    x = torch.randn(6, 4)
    torch.manual_seed(2)
    expected = function(x)
    torch.manual_seed(2)
    actual = compiled(function)(x)
    torch.testing.assert_close(actual, expected, rtol=0, atol=0)
    assert [it.stride() for it in actual] == [it.stride() for it in expected]
    with pytest.raises(RuntimeError, match="expects p to be in"):
        compiled(lambda x: torch.bernoulli(x, 1.5))(x)
    with pytest.raises(RuntimeError, match="p_in"):
        compiled(torch.bernoulli)(x + 2)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_dropout_and_its_gradient(dtype: torch.dtype) -> None:
    def function(x: Tensor) -> Tensor:
        return functional.dropout(x.sin(), 0.3) * 2

    x = torch.randn(64, 33, dtype=dtype, requires_grad=True)
    stays = (uniform(keys(5, 1)[0], 64, 33) >= 0.3).to(dtype)
    expected = x.sin() * stays * (1 / 0.7) * 2
    (gradient,) = torch.autograd.grad(expected.sum(), x)
    for call in (compiled(function), torch.compile(function, backend="rust_inductor", options=COUNTED)):
        x.grad = None
        torch.manual_seed(5)
        result = call(x)
        result.sum().backward()
        torch.testing.assert_close(result, expected)
        torch.testing.assert_close(x.grad, gradient)


def test_masks_are_drawn_again_and_not_saved() -> None:
    def function(x: Tensor, w: Tensor) -> Tensor:
        return functional.dropout(functional.gelu(x @ w), 0.1).sum()

    def saved(options: dict[str, Any]) -> set[torch.dtype]:
        kept: set[torch.dtype] = set()

        def pack(tensor: Tensor) -> Tensor:
            kept.add(tensor.dtype)
            return tensor

        x, w = torch.randn(8, 16), torch.randn(16, 32, requires_grad=True)
        with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
            rust_inductor.compile(function, options=options)(x, w)
        return kept

    assert torch.bool in saved({})
    assert torch.bool not in saved(COUNTED)


def test_layers_that_drop_train() -> None:
    torch.manual_seed(0)
    layer = torch.nn.TransformerEncoderLayer(16, 2, 32, dropout=0.2, batch_first=True)
    call = compiled(layer)
    x = torch.randn(4, 6, 16, requires_grad=True)
    torch.manual_seed(1)
    first = call(x)
    first.sum().backward()
    gradient = x.grad
    torch.manual_seed(1)
    again = call(x)
    other = call(x)
    assert gradient is not None
    torch.testing.assert_close(again, first, rtol=0, atol=0)
    assert not torch.equal(other, first)
    # As often as it should.
    dropped = compiled(lambda x: functional.dropout(x, 0.2))(torch.ones(20000))
    assert abs((dropped != 0).float().mean().item() - 0.8) < 0.02
