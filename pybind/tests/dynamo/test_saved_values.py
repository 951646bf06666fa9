"""Memory between forward and backward: checkpointed regions, and the budget for activations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts

import rust_inductor

if TYPE_CHECKING:
    from collections.abc import Callable


class Block(nn.Module):
    """A layer of a transformer without its attention."""

    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.norm, self.wide, self.narrow = nn.LayerNorm(16), nn.Linear(16, 64), nn.Linear(64, 16)
        self.dropout = dropout

    def forward(self, x: Tensor, scale: float = 1.0) -> Tensor:
        y = self.narrow(functional.gelu(self.wide(self.norm(x))))
        return x + functional.dropout(y * scale, self.dropout)


class Model(nn.Module):
    """Layers that ``call`` calls."""

    def __init__(self, call: Callable[..., Tensor], dropout: float = 0.0) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(Block(dropout) for _ in range(3))
        self.call = call

    def forward(self, x: Tensor) -> Tensor:
        for block in self.blocks:
            x = self.call(block, x)
        return x.square().mean()


def plain(block: nn.Module, x: Tensor) -> Tensor:
    return block(x)  # type: ignore[no-any-return]


def not_reentrant(block: nn.Module, x: Tensor) -> Tensor:
    return checkpoint(block, x, scale=2.0, use_reentrant=False)  # type: ignore[no-any-return]


def reentrant(block: nn.Module, x: Tensor) -> Tensor:
    return checkpoint(block, x, use_reentrant=True)  # type: ignore[no-any-return]


def nested(block: nn.Module, x: Tensor) -> Tensor:
    return checkpoint(  # type: ignore[no-any-return]
        lambda y: checkpoint(block, y.sin(), use_reentrant=False) @ y.t().softmax(0) @ y, x, use_reentrant=False
    )


def of_a_view(block: nn.Module, x: Tensor) -> Tensor:
    wide, half = checkpoint(lambda y: (block(y).view(2, -1), block(y)[:2].tanh()), x, use_reentrant=False)
    result: Tensor = wide.view(4, 16) * half.mean()
    return result


def in_half_precision(block: nn.Module, x: Tensor) -> Tensor:
    with torch.autocast("cpu", torch.bfloat16):
        return checkpoint(block, x, use_reentrant=False).float()  # type: ignore[no-any-return]


def step(model: Any, x: Tensor) -> tuple[list[Tensor | None], int]:
    """Give the loss and all gradients of a step, and the bytes between forward and backward that are no parameters."""
    known = {parameter.untyped_storage().data_ptr() for parameter in model.parameters()}
    saved: dict[int, int] = {}

    @torch.compiler.disable
    def pack(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in known:
            saved[storage.data_ptr()] = storage.nbytes()
        return tensor

    x = x.clone().requires_grad_()
    model.zero_grad()
    torch.manual_seed(1)
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        loss = model(x)
    loss.backward()
    return [loss.detach(), x.grad, *(parameter.grad for parameter in model.parameters())], sum(saved.values())


@pytest.mark.parametrize("dynamo", ["rust", "torch"])
@pytest.mark.parametrize("dropout", [0.0, 0.25])
@pytest.mark.parametrize("call", [plain, not_reentrant, reentrant, nested, of_a_view, in_half_precision])
def test_checkpointed_regions_save_no_more_than_eager(
    call: Callable[..., Tensor], dropout: float, dynamo: str, through_aot: list[Any]
) -> None:
    torch.manual_seed(0)
    model, x = Model(call, dropout), torch.randn(4, 16)
    compiled = torch.compile(model, backend="rust_inductor", options={"dynamo": dynamo}, fullgraph=True)
    (expected, of_eager), (actual, ours) = step(model, x), step(compiled, x)
    tolerance = 1e-2 if call is in_half_precision else 1e-5
    torch.testing.assert_close(actual, expected, rtol=tolerance * 10, atol=tolerance)
    # Random numbers are saved, where eager draws them again; and reentrant regions keep their inputs from hooks.
    masks = 3 * x.numel() * 5 if dropout else 0
    if call is not reentrant:
        assert ours <= of_eager + masks + 64
    assert not through_aot


def test_a_budget_has_more_computed_again() -> None:
    torch.manual_seed(0)
    model, x = Model(plain), torch.randn(4, 16)
    expected, _ = step(model, x)
    sizes = []
    for budget in (1, 0.5, 0.2, 0.0):
        compiled = rust_inductor.compile(model, options={"activation_memory_budget": budget}, fullgraph=True)
        actual, size = step(compiled, x)
        torch.testing.assert_close(actual, expected)
        sizes.append(size - x.nbytes)
    assert sizes[1] <= sizes[0] / 2
    assert sizes[2] <= sizes[0] / 5
    assert sizes[3] <= 64


@pytest.mark.parametrize("budget", [-0.1, 1.5, "half"])
def test_a_budget_is_a_part(budget: Any) -> None:
    with pytest.raises(ValueError, match="activation_memory_budget"):
        rust_inductor.compile(torch.sin, options={"activation_memory_budget": budget})(torch.ones(3))


@pytest.mark.parametrize("dynamo", ["rust", "torch"])
def test_a_program_that_chooses_what_is_saved_has_its_way(dynamo: str) -> None:
    def contexts() -> Any:
        return create_selective_checkpoint_contexts([torch.ops.aten.addmm.default])

    def chosen(block: nn.Module, x: Tensor) -> Tensor:
        return checkpoint(block, x, use_reentrant=False, context_fn=contexts)  # type: ignore[no-any-return]

    torch.manual_seed(0)
    model, x = Model(chosen), torch.randn(4, 16)
    compiled = torch.compile(model, backend="rust_inductor", options={"dynamo": dynamo})
    torch.testing.assert_close(step(compiled, x)[0], step(model, x)[0])


def test_explain_tells_of_writes_regions_and_what_is_computed_again() -> None:
    def function(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        y.add_(1)
        z = checkpoint(lambda a: (a @ a).tanh() @ a, x, use_reentrant=False)
        return z, z[1:].mul_(2)

    run = rust_inductor.explain(function)
    explanation = run(torch.randn(4, 4, requires_grad=True), torch.ones(3))
    explanation.result[0].sum().backward()
    text = str(explanation)
    assert "functionalized: add_, mul_; written to at the end: " in text
    assert "results that are views: 1 of output 0" in text
    assert "checkpointed regions, whose own values are not saved: 1" in text
    assert "saved for backward graphs: 1 inputs and 0 values" in text
