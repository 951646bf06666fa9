"""Graphs that torch's Dynamo captures, compiled as our own are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import nn

from rust_inductor import _aot
from rust_inductor._differentiated import Followed

if TYPE_CHECKING:
    from collections.abc import Callable

OURS: dict[str, Any] = {"backend": "rust_inductor", "options": {"dynamo": "torch"}}


@pytest.fixture
def left(monkeypatch: pytest.MonkeyPatch) -> list[str | None]:
    """The reasons why graphs went through AOTAutograd."""
    reasons: list[str | None] = []
    compile_module = _aot.compile_module

    def noting(*args: Any, **kwargs: Any) -> Any:
        reasons.append(kwargs.get("because"))
        return compile_module(*args, **kwargs)

    monkeypatch.setattr(_aot, "compile_module", noting)
    return reasons


class Block(nn.Module):
    """A layer with a buffer that it writes to, and dropout."""

    calls: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(8, 8)
        self.norm = nn.BatchNorm1d(8)
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.calls += 1
        return nn.functional.dropout(self.norm(self.linear(x)).relu(), 0.2, self.training) + x


def trained(model: nn.Module, call: Callable[..., torch.Tensor]) -> list[Any]:
    torch.manual_seed(1)
    losses = []
    for _ in range(3):
        loss = call(torch.randn(16, 8)).square().mean()
        loss.backward()
        losses.append(loss.detach())
    return [*losses, *(p.grad for p in model.parameters()), *model.buffers()]


def test_training(left: list[str | None], monkeypatch: pytest.MonkeyPatch) -> None:
    followed: list[Followed] = []
    backward = Followed.backward

    def noting(self: Followed, has_gradient: tuple[bool, ...]) -> Any:
        followed.append(self)
        return backward(self, has_gradient)

    monkeypatch.setattr(Followed, "backward", noting)
    torch.manual_seed(0)
    eager = nn.Sequential(Block(), Block())
    torch.manual_seed(0)
    ours = nn.Sequential(Block(), Block())
    expected = trained(eager, eager)
    for one, other in zip(trained(ours, torch.compile(ours, **OURS)), expected, strict=True):
        torch.testing.assert_close(one, other)
    assert followed
    assert left == []


def test_symbolic_sizes_are_symbols_at_once(left: list[str | None]) -> None:
    def function(x: torch.Tensor, n: int) -> tuple[torch.Tensor, int]:
        return x.reshape(-1, 2).sin() * n, x.shape[0] + n

    compiled = torch.compile(function, dynamic=True, **OURS)
    with torch.compiler.set_stance("default"):
        for size, n in (6, 3), (10, 4), (14, 5):
            x = torch.randn(size, 2)
            result, number = compiled(x, n)
            torch.testing.assert_close(result, function(x, n)[0])
            assert number == size + n
    assert left == []


def test_modes_views_and_writes(left: list[str | None]) -> None:
    def function(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        with torch.no_grad():
            y = x.sin()
        x[0].add_(1)
        z = torch.tensor([1.0, 2.0]).sum()
        return y, x.view(-1), x.t()[1], z

    compiled = torch.compile(function, **OURS)
    ours, theirs = torch.ones(3, 4), torch.ones(3, 4)
    results, expected = compiled(ours), function(theirs)
    torch.testing.assert_close(results, expected)
    torch.testing.assert_close(ours, theirs)
    assert results[1]._base is ours
    assert results[1].data_ptr() == ours.data_ptr()
    assert ours._version == theirs._version
    assert left == []


def test_autocast(left: list[str | None]) -> None:
    linear = nn.Linear(4, 4)

    def function(x: torch.Tensor) -> Any:
        with torch.autocast("cpu", torch.bfloat16):
            return linear(x)

    x = torch.randn(2, 4)
    result = torch.compile(function, **OURS)(x)
    assert result.dtype == torch.bfloat16
    torch.testing.assert_close(result, function(x))
    assert left == []


def test_graphs_that_call_graphs_or_read_numbers_are_left(left: list[str | None]) -> None:
    def branching(x: torch.Tensor) -> Any:
        return torch.cond(x.sum() > 0, lambda x: x.sin(), lambda x: x.cos(), (x,))

    x = torch.ones(3)
    torch.testing.assert_close(torch.compile(branching, **OURS)(x), branching(x))
    with torch._dynamo.config.patch(capture_scalar_outputs=True):
        reading = torch.compile(lambda x: x * x.sum().item(), **OURS)
        torch.testing.assert_close(reading(x), x * 3)
    assert [reason.split("`")[1] for reason in left if reason] == ["cond", "item"]


def test_errors_are_those_of_the_program() -> None:
    def function(x: torch.Tensor, at: torch.Tensor) -> torch.Tensor:
        return x.sin()[at]

    compiled = torch.compile(function, **OURS)
    x, at = torch.ones(3), torch.tensor([1])
    compiled(x, at)
    with pytest.raises(IndexError, match="out of bounds"):
        compiled(x, torch.tensor([5]))
    with pytest.raises(torch._dynamo.exc.BackendCompilerFailed, match="no option `thread`"):
        torch.compile(function, backend="rust_inductor", options={"dynamo": "torch", "thread": 1})(x, at)
