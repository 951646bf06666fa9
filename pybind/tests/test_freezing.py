"""``options={"freezing": True}`` on the processor: what follows from weights alone is computed once."""

from __future__ import annotations

import threading
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import rust_inductor

OPTIONS: dict[str, Any] = {"freezing": True}


class Scaled(nn.Module):
    """A layer whose weight is computed from two others."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.direction = nn.Parameter(torch.randn(48, 32))
        self.length = nn.Parameter(torch.rand(48, 1))

    def forward(self, x: Tensor) -> Tensor:
        weight = self.direction * self.length / self.direction.norm(dim=1, keepdim=True)
        return nn.functional.linear(x, weight)


def frozen(model: nn.Module, **more: Any) -> Any:
    return torch.compile(model, backend="rust_inductor", options=OPTIONS, **more)


def check(model: nn.Module, compiled: Any, *sizes: int) -> None:
    for size in sizes:
        x = torch.randn(size, 32)
        torch.testing.assert_close(compiled(x), model(x))


@pytest.fixture(autouse=True)
def _no_grad() -> Any:
    with torch.no_grad():
        yield


def test_what_follows_from_weights_is_kept() -> None:
    model = Scaled()
    compiled, x = frozen(model), torch.randn(8, 32)
    before = compiled(x)
    # Torch does not count this write.
    model.length.detach().numpy()[:] *= 2
    assert torch.equal(compiled(x), before) and not torch.allclose(model(x), before)
    rust_inductor.reset()
    torch.testing.assert_close(compiled(x), model(x))


def test_without_the_option_nothing_is_kept() -> None:
    model = Scaled()
    compiled = torch.compile(model, backend="rust_inductor")
    check(model, compiled, 8)
    model.length.detach().numpy()[:] *= 2
    check(model, compiled, 8)


def test_writes_that_torch_counts_are_seen() -> None:
    model = Scaled()
    compiled = frozen(model)
    check(model, compiled, 8, 8)
    model.length.mul_(2)
    check(model, compiled, 8, 8)
    model.load_state_dict({name: torch.rand_like(value) for name, value in model.state_dict().items()})
    check(model, compiled, 8, 8)
    model.direction = nn.Parameter(torch.randn(48, 32))
    check(model, compiled, 8, 8)
    model.direction.data = torch.randn(48, 32)
    check(model, compiled, 8, 8)


def test_an_optimiser_is_seen() -> None:
    model = Scaled()
    compiled = frozen(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        check(model, compiled, 8)
        with torch.enable_grad():
            compiled(torch.randn(8, 32)).square().sum().backward()
        optimizer.step()
        optimizer.zero_grad()


def test_all_sizes_share_what_is_kept() -> None:
    model = Scaled()
    compiled = frozen(model, dynamic=True)
    check(model, compiled, 8, 9, 8, 17)
    x = torch.randn(23, 32)
    before = model(x)
    model.length.detach().numpy()[:] *= 2
    torch.testing.assert_close(compiled(x), before)
    model.length.mul_(1)
    check(model, compiled, 23, 8)


def test_autocast_converts_weights_once() -> None:
    first = nn.Linear(32, 64)
    model = nn.Sequential(first, nn.GELU(), nn.Linear(64, 16))
    x = torch.randn(8, 32)
    # Eager has a cache of conversions, too, until the context ends.
    with torch.autocast("cpu", torch.bfloat16, cache_enabled=False):
        compiled = frozen(model)
        before = compiled(x)
        torch.testing.assert_close(before, model(x))
        first.weight.detach().numpy()[:] = 0
        assert torch.equal(compiled(x), before)
        first.weight.mul_(1)
        torch.testing.assert_close(compiled(x), model(x))


class Rows(nn.Module):
    """A layer whose weight has a row for each element of the input, as GPT-2's have."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.weight, self.bias = nn.Parameter(torch.randn(32, 400)), nn.Parameter(torch.randn(400))

    def forward(self, x: Tensor) -> Tensor:
        return torch.addmm(self.bias, x, self.weight) @ self.weight.t()


def test_a_weight_lies_as_its_product_has_it_best() -> None:
    model = Rows()
    compiled, x = frozen(model, dynamic=True), torch.randn(16, 32)
    before = compiled(x)
    torch.testing.assert_close(before, model(x), rtol=1e-4, atol=1e-4)
    for size in (1, 3, 24, 700):
        x = torch.randn(size, 32)
        torch.testing.assert_close(compiled(x), model(x), rtol=1e-4, atol=1e-3)
    model.weight.mul_(2)
    torch.testing.assert_close(compiled(x), model(x), rtol=1e-4, atol=1e-3)


def test_weights_without_a_counter_are_not_kept() -> None:
    with torch.inference_mode():
        model = Scaled()
        compiled = frozen(model)
        check(model, compiled, 8, 8)
        model.length.mul_(2)
        check(model, compiled, 8)


def test_threads_share_what_is_kept() -> None:
    model = Scaled()
    compiled, x = frozen(model), torch.randn(8, 32)
    expected, failures = model(x), []
    compiled(x)

    def work() -> None:
        try:
            with torch.no_grad():
                for _ in range(100):
                    torch.testing.assert_close(compiled(x), expected)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for _ in range(20):
        model.length.mul_(1)
    for thread in threads:
        thread.join()
    assert not failures
