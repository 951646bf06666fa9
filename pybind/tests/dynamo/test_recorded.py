"""Calls without a derivative of ours, which torch's autograd records inside a compiled graph: as eager has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

import rust_inductor
from pybind.tests.helpers import left_to_aot
from rust_inductor import _recorded

if TYPE_CHECKING:
    from collections.abc import Callable

BAGS = torch.tensor([[0, 1], [2, 1]])

#: Programs, and the sizes of the tensors that they are given.
PROGRAMS: dict[str, tuple[Callable[..., Any], list[tuple[int, ...]]]] = {
    "embedding_bag": (lambda w: F.embedding_bag(BAGS, w.tanh(), mode="mean") * 2, [(4, 3)]),
    "weights of bags": (lambda w, s: F.embedding_bag(BAGS, w, mode="sum", per_sample_weights=s), [(4, 3), (2, 2)]),
    "bilinear": (lambda a, b, w: F.bilinear(a.sin(), b, w), [(3, 4), (3, 5), (2, 4, 5)]),
    "margins": (lambda a: F.multi_margin_loss(a.exp(), torch.tensor([1, 0, 2])), [(3, 4)]),
    "labels": (lambda a: F.multilabel_margin_loss(a, torch.tensor([[1, 0, -1], [2, -1, 0]])), [(2, 3)]),
    "affine_grid": (lambda t: F.affine_grid(t * 2, [2, 3, 4, 5], align_corners=False), [(2, 2, 3)]),
    "pooled at random": (lambda a: F.fractional_max_pool2d(a, 2, output_size=(2, 2)), [(1, 2, 6, 6)]),
    "cholesky": (lambda a: torch.linalg.cholesky(a @ a.mT + torch.eye(3) * 3).sin(), [(3, 3)]),
    "inverse": (lambda a: torch.linalg.inv(a @ a.mT + torch.eye(3)) * 2, [(3, 3)]),
    "solve": (lambda a, b: torch.linalg.solve(a + torch.eye(3) * 9, b), [(3, 3), (3, 2)]),
    "given to the program": (torch.cholesky_inverse, [(3, 3)]),
    "empty": (torch.cholesky_inverse, [(0, 0)]),
    "several results": (lambda a: torch.linalg.eigh(a + a.mT), [(3, 3)]),
    "a result that is constant": (lambda a: torch.linalg.slogdet(a @ a.mT + torch.eye(3))[1], [(3, 3)]),
    "operands twice": (lambda a, b: F.bilinear(a, a, b), [(3, 4), (2, 4, 4)]),
    "in turn": (lambda a: torch.linalg.inv(torch.linalg.cholesky(a @ a.mT + torch.eye(3) * 3)), [(3, 3)]),
    "rrelu": (lambda a: F.rrelu(a.sin(), training=True) * 2, [(4, 6)]),
    "alpha dropout": (lambda a: F.alpha_dropout(a.sin(), 0.3, training=True) * 2, [(4, 6)]),
    "a Fourier transform": (lambda a: torch.fft.rfft(a.sin()).abs().square(), [(4, 6)]),
    "there and back": (lambda a: torch.fft.irfft(torch.fft.rfft(a, dim=0) * 2, dim=0), [(4, 6)]),
    "in windows": (lambda a: torch.stft(a, 8, window=torch.hann_window(8), return_complex=True).abs(), [(2, 32)]),
    "lu": (lambda a: torch.linalg.lu(a @ a.mT)[1:], [(4, 4)]),
    "pinv": (lambda a: torch.linalg.pinv(a) @ torch.matrix_exp(a), [(3, 3)]),
    "quantile": (lambda a: torch.quantile(a.sin(), 0.3, dim=1), [(5, 3)]),
    "raveled": (lambda a: a.T.ravel() * 2, [(4, 6)]),
    "no gradient": (lambda a: torch.linalg.norm(a, 0) * 2, [(5,)]),
}


def both(function: Callable[..., Any], inputs: list[Tensor], compiled: Callable[..., Any]) -> list[list[Any]]:
    """The results, and twice the gradients by the inputs, of both ways."""
    found = []
    for way in (function, compiled):
        torch.manual_seed(0)
        results = way(*inputs)
        results = tuple(results) if isinstance(results, (tuple, list)) else (results,)
        followed = [result for result in results if result.requires_grad]
        weights = [torch.arange(1.0, result.numel() + 1).view(result.shape) for result in followed]
        told: list[Any] = [*results, *(result.stride() for result in results)]
        for _ in range(2):
            gradients = torch.autograd.grad(followed, inputs, weights, retain_graph=True, allow_unused=True)
            told += [*gradients, *(None if gradient is None else gradient.stride() for gradient in gradients)]
        found.append(told)
    return found


@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients_are_eagers(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    function, sizes = PROGRAMS[name]
    left = left_to_aot(monkeypatch)
    compiled = rust_inductor.compile(function)
    for seed in range(2):
        torch.manual_seed(seed)
        inputs = [torch.randn(size, requires_grad=True) for size in sizes]
        eager, ours = both(function, inputs, compiled)
        torch.testing.assert_close(ours, eager, rtol=1e-4, atol=1e-5)
    assert not left
    assert "AOTAutograd" not in str(rust_inductor.explain(function)(*inputs))


@torch.library.custom_op("rust_inductor_tests::doubled", mutates_args=())
def doubled(x: Tensor, times: int) -> Tensor:
    """An operator with gradients of its own."""
    CALLS.append(times)
    return x * 2 * times


@doubled.register_fake
def _(x: Tensor, times: int) -> Tensor:
    return torch.empty_like(x)


def _with_times(ctx: Any, inputs: tuple[Tensor, int], output: Tensor) -> None:
    ctx.times = inputs[1]


doubled.register_autograd(lambda ctx, grad: (grad * 2 * ctx.times, None), setup_context=_with_times)
CALLS: list[int] = []


@pytest.mark.parametrize("is_recorded", [False, True])
def test_operators_of_other_libraries(is_recorded: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def program(x: Tensor) -> Tensor:
        return torch.cat([doubled(x.sin(), 3), doubled(x, 2)]).relu()

    left = left_to_aot(monkeypatch)
    compiled, results = rust_inductor.compile(program), []
    x = torch.randn(3, 4, requires_grad=True)
    with torch.set_grad_enabled(is_recorded):
        for way in (program, compiled, compiled):
            CALLS.clear()
            result = way(x)
            assert CALLS == [3, 2]
            results.append((result, torch.autograd.grad(result.sum(), x)[0] if is_recorded else None))
    for one in results[1:]:
        torch.testing.assert_close(one, results[0])
    assert not left
    assert "AOTAutograd" not in str(rust_inductor.explain(program)(x))


def test_boxes_of_vision() -> None:
    torchvision = pytest.importorskip("torchvision")
    boxes = torch.tensor([[0, 1.0, 1, 5, 5], [0, 0, 2, 7, 6]])

    def program(image: Tensor) -> Any:
        return torchvision.ops.roi_align(image.sin(), boxes, (2, 2)).exp()

    image = torch.randn(1, 2, 8, 8, requires_grad=True)
    eager, ours = both(program, [image], rust_inductor.compile(program))
    torch.testing.assert_close(ours, eager)
    assert "torchvision.roi_align" in str(rust_inductor.explain(program)(image))


def test_explain_names_the_calls() -> None:
    report = str(rust_inductor.explain(lambda a: torch.linalg.inv(a) * 2)(torch.eye(3, requires_grad=True)))
    assert "differentiated by torch's autograd: aten.linalg_inv" in report


def test_sizes_that_change(monkeypatch: pytest.MonkeyPatch) -> None:
    def program(a: Tensor) -> Any:
        return torch.linalg.inv(a.exp()).cos()

    left = left_to_aot(monkeypatch)
    compiled = rust_inductor.compile(program, dynamic=True)
    for rows in (3, 5, 7):
        eager, ours = both(program, [torch.randn(rows, rows, dtype=torch.float64).requires_grad_()], compiled)
        torch.testing.assert_close(ours[:1] + ours[2:3], eager[:1] + eager[2:3])
    assert not left


@pytest.mark.parametrize("is_saved", [False, True])
def test_a_write_to_what_is_saved(is_saved: bool) -> None:
    """Eager saves the operands of a bilinear form, and of a grid only the sizes."""

    def program(a: Tensor, w: Tensor) -> Any:
        return F.bilinear(a, a, w).sum() if is_saved else F.affine_grid(a, [2, 3, 4, 5], align_corners=False).sum()

    size = (3, 4) if is_saved else (2, 2, 3)
    outcomes = []
    for way in (program, rust_inductor.compile(program)):
        a, w = torch.ones(size, requires_grad=True), torch.ones(2, 4, 4, requires_grad=True)
        result = way(a, w)
        with torch.no_grad():
            a.mul_(2)
        try:
            result.backward()
            outcomes.append(str(a.grad))
        except RuntimeError as error:
            outcomes.append(str(error).partition(":")[0])
    assert outcomes[0] == outcomes[1]
    assert ("modified by an inplace operation" in outcomes[0]) == is_saved


def test_what_the_graph_writes_over_is_copied() -> None:
    """Operands and results lie in memory that the graph uses again, for larger ones too."""

    def program(a: Tensor) -> Any:
        b = torch.linalg.inv(a.mul(2) + torch.eye(64))
        return (b.sin() * b.cos()).relu() + torch.linalg.inv(b + torch.eye(64))

    compiled = rust_inductor.compile(program)
    a = torch.randn(64, 64, dtype=torch.float64).mul(0.01).requires_grad_()
    results = [program(a), *(compiled(a) for _ in range(3))]
    gradients = [torch.autograd.grad(result.sum(), a)[0] for result in reversed(results)]
    for gradient in gradients:
        torch.testing.assert_close(gradient, gradients[-1])


def test_memory_is_given_back() -> None:
    import gc
    import weakref

    made: list[Any] = []
    forward = _recorded.forward

    def noting(*args: Any, **kwargs: Any) -> Any:
        results = forward(*args, **kwargs)
        made.append(weakref.ref(results[-1].recorded.operands[0]))
        return results

    compiled = rust_inductor.compile(lambda a: torch.linalg.inv(a.exp()))
    a = torch.eye(3, requires_grad=True)
    _recorded.forward = noting
    try:
        result = compiled(a)
        result.sum().backward()
    finally:
        _recorded.forward = forward
    gc.collect()
    assert made
    assert all(reference() is None for reference in made)
    del result
