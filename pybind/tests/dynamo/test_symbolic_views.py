"""Results that are views with sizes that differ between calls lie where eager has them, and share its memory."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from pybind.tests.helpers import left_to_aot
from rust_inductor import _capture

FUNCTIONS: dict[str, Any] = {
    "view": lambda x: x.view(x.shape[0], -1),
    "flattened": lambda x: x.view(-1),
    "rest": lambda x: x[1:],
    "last": lambda x: x[-1],
    "from the end": lambda x: x[-3:, :-1],
    "transposed": lambda x: x.T,
    "half": lambda x: x[:, : x.shape[1] // 2],
    "other half": lambda x: x[:, x.shape[1] // 2 :],
    "every other": lambda x: x[::2],
    "diagonal": lambda x: x.diagonal(1),
    "expanded": lambda x: x[:, None].expand(-1, 3, -1),
    "chunks": lambda x: x.chunk(2),
    "pieces": lambda x: x.split([2, x.shape[0] - 2]),
    "merged": lambda x: x.view(x.shape[0] // 2, 2, -1).transpose(0, 1),
    "columns": lambda x: x.unflatten(1, (2, -1)),
    "of a result": lambda x: (y := x * 2, y[1:], y.T, y.view(-1)[: y.shape[0]]),
    "of both": lambda x: (x[1:], (x + 1)[:-1], x.T[1:]),
    "after a write": lambda x: (x.mul_(2), x[2:])[1],
    "with a value": lambda x: (x[1:], x + 1),
}
SIZES = [(4, 6), (6, 8), (8, 10), (6, 12), (10, 4), (4, 6)]


@pytest.fixture
def left(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The reasons why graphs were left to AOTAutograd."""
    return left_to_aot(monkeypatch)


def tensors(results: Any) -> list[torch.Tensor]:
    return [results] if isinstance(results, torch.Tensor) else list(results)


def told(function: Any, x: torch.Tensor) -> list[Any]:
    """The places of the results, what shares memory, and what is seen of writes through each."""
    results = tensors(function(x))
    every = [x, *results]
    notes: list[Any] = [(y.size(), y.stride(), y.storage_offset(), y._version, y.detach().clone()) for y in results]
    starts = [y.untyped_storage().data_ptr() for y in every]
    notes.append([starts.index(start) for start in starts])
    with torch.no_grad():
        for y in [y for y in results if 0 not in y.stride()]:
            y.view_as(y)[..., :1].add_(1)
            notes.append([(z.detach().clone(), z._version) for z in every])
    return notes


def same(a: Any, b: Any) -> bool:
    if isinstance(a, torch.Tensor):
        return torch.equal(a, b)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    return bool(a == b)


@pytest.mark.parametrize("marked", [False, True])
@pytest.mark.parametrize("strided", [False, True])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_places_and_memory(name: str, strided: bool, marked: bool, left: list[str]) -> None:
    function = FUNCTIONS[name]
    if strided and name in ("view", "flattened", "merged", "after a write"):
        pytest.skip("not viewable, or written to by a call that counts another version")
    compiled = _capture.optimize(function, backend="rust_inductor")
    for rows, columns in SIZES:
        xs = [torch.arange(2.0 * rows * columns).view(rows, 2 * columns) for _ in range(2)]
        xs = [x[:, :columns] if strided else x.view(2 * rows, columns) for x in xs]
        if marked:
            torch._dynamo.mark_dynamic(xs[0], [0, 1])
        assert same(told(compiled, xs[0]), told(function, xs[1]))
    assert not [why for why in left if "place" in why]


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name != "after a write"])
def test_gradients(name: str, left: list[str]) -> None:
    def scaled(x: torch.Tensor, w: torch.Tensor) -> Any:
        return FUNCTIONS[name](x * w)

    compiled = _capture.optimize(scaled, backend="rust_inductor")
    for rows, columns in SIZES:
        gradients = []
        for function in (compiled, scaled):
            torch.manual_seed(0)
            x, w = torch.randn(rows, columns), torch.tensor(2.0, requires_grad=True)
            results = tensors(function(x, w))
            assert all(y.requires_grad for y in results)
            torch.stack([y.square().sum() * (number + 1) for number, y in enumerate(results)]).sum().backward()
            gradients.append((w.grad, [(y.size(), y.stride(), y.storage_offset()) for y in results]))
        torch.testing.assert_close(gradients[0][0], gradients[1][0], rtol=1e-4, atol=1e-4)
        assert gradients[0][1] == gradients[1][1]
    assert not [why for why in left if "place" in why]


def test_views_of_inputs_that_autograd_follows(left: list[str]) -> None:
    def parts(x: torch.Tensor) -> Any:
        return x[1:], x.T, x.detach()[2:], (x * 2).sum()

    compiled = _capture.optimize(parts, backend="rust_inductor")
    for rows, columns in SIZES:
        gradients: list[Any] = []
        for function in (compiled, parts):
            x = torch.ones(rows, columns).cumsum(0).requires_grad_()
            a, b, c, d = function(x)
            assert (a._base is x, b._base is x, c.requires_grad) == (True, True, False)
            (a.square().sum() + b[1:].sum() + d).backward()
            gradients.append(x.grad)
        assert torch.equal(*gradients)
    assert not left


def test_a_size_by_number(left: list[str]) -> None:
    def first(x: torch.Tensor, n: int) -> Any:
        return x[:n], x[n:], x + n

    compiled = _capture.optimize(first, backend="rust_inductor", dynamic=True)
    for rows, n in ((6, 2), (8, 3), (9, 5), (7, 6)):
        x = torch.arange(3.0 * rows).view(rows, 3)
        assert same(told(lambda x, n=n: compiled(x, n), x.clone()), told(lambda x, n=n: first(x, n), x.clone()))
    assert not left


@pytest.mark.parametrize("dynamic", [False, True])
def test_gradients_by_results_whose_elements_share_memory(dynamic: bool, left: list[str]) -> None:
    def rows(x: torch.Tensor, w: torch.Tensor) -> Any:
        return (x * w).expand(3, -1), (x + w)[:, None].expand(-1, 4)

    compiled = _capture.optimize(rows, backend="rust_inductor", dynamic=dynamic)
    for length in (8, 11):
        gradients = []
        for function in (compiled, rows):
            x, w = torch.arange(1.0 * length), torch.tensor(2.0, requires_grad=True)
            parts = function(x, w)
            torch.stack([(y * torch.arange(1.0 * y.numel()).view_as(y)).sum() for y in parts]).sum().backward()
            gradients.append(w.grad)
        torch.testing.assert_close(*gradients)
    assert not left
