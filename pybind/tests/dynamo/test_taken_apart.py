"""Composites that are taken apart as they are captured: torch is not asked, for fixed and for symbolic sizes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

import rust_inductor
from pybind.tests.helpers import left_to_aot

CLASSES = torch.tensor([0, 2, 1, 3, 4, 0])
BAGS = torch.tensor([0, 2, 3])
CELL, GATED, PLAIN = torch.nn.LSTMCell(4, 3), torch.nn.GRUCell(4, 3), torch.nn.RNNCell(4, 3, nonlinearity="relu")
SAME = torch.nn.Conv2d(1, 2, (3, 2), padding="same")
CIRCULAR = torch.nn.Conv1d(4, 2, 3, padding=1, padding_mode="circular")

#: Of a matrix with four columns.
PROGRAMS: dict[str, Callable[[Tensor], Any]] = {
    "synonyms": lambda x: (
        torch.absolute(x).negative().fix(),
        torch.greater(x, 0.5),
        torch.less_equal(x, x.flip(0)),
        torch.not_equal(x, 0),
        torch.concat([x, x], 1),
        torch.linalg.matmul(x, x.t()),
    ),
    "views": lambda x: (
        torch.swapaxes(x, 0, 1),
        torch.moveaxis(x, 0, 1),
        torch.broadcast_to(x, (2, *x.shape)),
        torch.linalg.diagonal(x, offset=1),
        torch.adjoint(x),
    ),
    "stacks": lambda x: (
        torch.hstack((x, x)),
        torch.hstack((x[0], x[1])),
        torch.vstack((x[0], x)),
        torch.dstack((x[0], x[1])),
        torch.column_stack((x[:, 0], x)),
        torch.row_stack((x[0], x[1])),
    ),
    "at least": lambda x: (*torch.atleast_2d(x, x[0], x[0, 0]), torch.atleast_3d(x), torch.atleast_1d(x[0, 0])),
    "grids": lambda x: (
        *torch.meshgrid(x[0], x[:, 0], indexing="ij"),
        *torch.meshgrid([x[0], x[:, 0]], indexing="xy"),
        torch.cartesian_prod(x[0], x[:, 0]),
    ),
    "broadcast": lambda x: torch.broadcast_tensors(x[:, :1], x[0]),
    "splits": lambda x: (*torch.tensor_split(x, 3, dim=1), *torch.tensor_split(x, (1, -1)), *x.tensor_split(2)),
    "equal splits": lambda x: (*torch.hsplit(x, 2), *torch.vsplit(x, (2, 3)), *torch.dsplit(x[None], 2)),
    "tiles": lambda x: (x.tile(2), torch.tile(x, (2, 1, 2)), x.repeat_interleave(2, 1), torch.repeat_interleave(x, 3)),
    "diagonals": lambda x: (torch.diag(x), x.diag(1), torch.diag(x[0], -1)),
    "taken": lambda x: (
        torch.take_along_dim(x, torch.tensor([[0, -1]]), 1),
        torch.take_along_dim(x, torch.tensor([3, 1])),
        torch.argsort(x, 1),
        torch.argsort(x, dim=1, descending=True, stable=True),
    ),
    "sums": lambda x: (x.sum_to_size(1, 4), x.sum_to_size(4)),
    "shifts": lambda x: (torch.fft.fftshift(x), torch.fft.ifftshift(x, dim=1)),
    "products": lambda x: (
        torch.outer(x[0], x[1]),
        torch.inner(x, x),
        torch.inner(x, x[0]),
        torch.kron(x, x[:2]),
        torch.tensordot(x, x, dims=([1], [1])),
        torch.tensordot(x, x.t(), dims=1),
        torch.linalg.vecdot(x, x),
        torch.linalg.multi_dot((x, x.t(), x)),
        torch.linalg.multi_dot((x[0], x.t(), x, x.t(), x[:, 0])),
        torch.chain_matmul(x, x.t(), x),
        torch.matrix_power(x.t() @ x, 5),
        torch.linalg.matrix_power(x.t() @ x / 9, 3),
    ),
    "einsum": lambda x: (
        torch.einsum("ij,kj->ik", x, x),
        torch.einsum("...i,...i", x, x),
        torch.einsum("ij->ji", x),
        torch.einsum("ij->j", x),
        torch.einsum("ii->i", x[:4, :4]),
        torch.einsum("i,j->ij", x[0], x[1]),
        torch.einsum("bi,bj->b", x, x),
        torch.einsum("bij,bjk->bik", x[:, :, None], x[:, None]),
        torch.einsum("ij,ij,j", x, x, x[0]),
    ),
    "distances": lambda x: (
        F.cosine_similarity(x, x.flip(0)),
        F.cosine_similarity(x, x[:1], dim=-1),
        F.pairwise_distance(x, x.flip(0)),
        F.pairwise_distance(x, x.flip(1), p=1, keepdim=True),
        torch.cdist(x, x.flip(0), p=1.0),
        F.normalize(x),
    ),
    "losses": lambda x: (
        F.kl_div(x, x.detach().softmax(1), reduction="sum"),
        F.kl_div(x, x.detach(), reduction="none", log_target=True),
        F.poisson_nll_loss(x, x.detach().abs() * 3, full=True),
        F.poisson_nll_loss(x.abs(), x.detach().abs(), log_input=False, reduction="sum"),
        F.margin_ranking_loss(x[0], x[1], x.detach()[2].sign(), margin=0.3),
        F.triplet_margin_loss(x, x.flip(0), x.flip(1), swap=True),
        F.nll_loss(x.log_softmax(1), CLASSES[: len(x)] % 4),
    ),
    "norms": lambda x: (
        x.norm(),
        torch.norm(x, 3, dim=1),
        torch.linalg.norm(x),
        torch.linalg.norm(x, 1),
        torch.linalg.norm(x, ord=2, dim=(0, 1)),
        torch.linalg.norm(x, "fro"),
        torch.linalg.matrix_norm(x, float("inf"), keepdim=True),
        torch.linalg.matrix_norm(x, "nuc"),
    ),
    "statistics": lambda x: (torch.diff(x, 2), torch.diff(x, dim=0, prepend=x[:1]), torch.float_power(x, 2)),
    "correlations": lambda x: (torch.cov(x.t()), torch.corrcoef(x.t()), torch.cov(x[0])),
    "quantiles": lambda x: tuple(
        torch.quantile(x if at else x.where(x < 1, torch.nan), q, dim, keepdim, interpolation=name)
        for at, (q, dim, keepdim, name) in enumerate(
            [
                (0.3, 1, False, "linear"),
                (0.3, 0, True, "linear"),
                (0.9, None, False, "midpoint"),
                (0.5, 0, False, "nearest"),
                (0.4, 1, True, "lower"),
                (0.4, 1, False, "higher"),
            ]
        )
    ),
    "areas": lambda x: (torch.trapezoid(x), torch.trapz(x, dx=0.3, dim=0), torch.cumulative_trapezoid(x, dx=2.0)),
    "compared": lambda x: (
        torch.isclose(x, x.round(), atol=0.1),
        torch.isclose(x.log(), x.log(), rtol=0.0, atol=0.0, equal_nan=True),
        torch.nanmean(x.log(), 1),
        torch.msort(x),
        torch.fliplr(x),
        torch.flipud(x),
    ),
    "slopes": lambda x: (*torch.gradient(x), *torch.gradient(x, spacing=0.5, dim=1, edge_order=2)),
    "pools": lambda x: (
        F.max_pool1d(x, 2),
        F.avg_pool1d(x[None], 2, stride=1),
        F.adaptive_avg_pool1d(x, 2),
        F.adaptive_max_pool1d(x, 2),
        F.max_pool3d(x[None, None, None], (1, 2, 2)),
        F.adaptive_avg_pool3d(x[None, None, None], (1, 2, 2)),
        F.adaptive_avg_pool3d(x[None, None, None], 1),
    ),
    "pads": lambda x: (
        F.pad(x, (1, 2), mode="reflect"),
        F.pad(x[None, None], (1, 2, 0, 1), mode="circular"),
        F.pad(x[None], (1, 1), mode="replicate"),
        SAME(x[None, None]),
        CIRCULAR(x.t()[None]),
    ),
    "resized": lambda x: (
        F.interpolate(x[None, None], scale_factor=2, mode="bilinear"),
        F.interpolate(x[None, None], size=(8, 8)),
    ),
    "cells": lambda x: (*CELL(x), GATED(x), PLAIN(x), *CELL(x, (x[:, :3], x[:, 1:]))),
    "slopes of activations": lambda x: (F.prelu(x, x[0]), F.prelu(x, x[0, :1]), F.rrelu(x), F.softsign(x)),
    "dropped": lambda x: (F.alpha_dropout(x, 0.4, True), F.feature_alpha_dropout(x[None], 0.4, True)),
    "sampled": lambda x: F.grid_sample(x[None, None], x.tanh().reshape(1, -1, 2, 2), align_corners=False),
    "bags": lambda x: F.embedding_bag(CLASSES % 3, x, BAGS, mode="mean"),
}

#: Programs whose number of results or of steps follows from a size.
OF_FIXED_SIZES = {
    "splits",
    "taken",
    "correlations",
    "slopes",
    "products",
    "distances",
    "resized",
    "sampled",
    "bags",
    "quantiles",
    "areas",
}


def told(results: Any, x: Tensor) -> list[Any]:
    """Values, layouts and gradients of results, and whether they are the argument or views of it."""
    found: list[Any] = []
    for result in results if isinstance(results, (tuple, list)) else (results,):
        found += [result.detach(), result.dtype, result.stride(), result.requires_grad, result is x, result._base is x]
        if result.requires_grad and torch.is_grad_enabled():
            found += torch.autograd.grad(result.sum(), x, retain_graph=True)
    return found


def same(ours: list[Any], theirs: list[Any], tolerance: float | None = None) -> None:
    """Compare what two ways have told."""
    assert len(ours) == len(theirs)
    for one, other in zip(ours, theirs, strict=True):
        if isinstance(one, Tensor):
            torch.testing.assert_close(one, other, equal_nan=True, rtol=tolerance, atol=tolerance)
        else:
            assert one == other


def seeded(
    compiled: Callable[[Tensor], Any], program: Callable[[Tensor], Any], x: Tensor
) -> tuple[list[Any], list[Any]]:
    """Tell of both, each from the same state of the generator."""
    torch.manual_seed(0)
    ours = told(compiled(x), x)
    torch.manual_seed(0)
    return ours, told(program(x), x)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("is_recorded", [False, True])
@pytest.mark.parametrize("name", PROGRAMS)
def test_torch_is_not_asked(name: str, is_recorded: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    program = PROGRAMS[name]
    left = left_to_aot(monkeypatch)
    compiled = rust_inductor.compile(program)
    with torch.set_grad_enabled(is_recorded):
        x = torch.randn(6, 4, requires_grad=True)
        same(*seeded(compiled, program, x))
    assert left == []
    explained = str(rust_inductor.explain(program)(x))
    assert "without a rule" not in explained and "1 graphs captured" in explained, explained


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [name for name in PROGRAMS if name not in OF_FIXED_SIZES])
def test_one_graph_for_all_sizes(name: str) -> None:
    program = PROGRAMS[name]
    compiled = rust_inductor.compile(program, dynamic=True)
    for rows in (6, 5):
        x = torch.randn(rows, 4, requires_grad=True)
        same(*seeded(compiled, program, x))


@pytest.mark.parametrize("name", ["einsum", "products", "cells", "distances"])
def test_under_autocast(name: str) -> None:
    program = PROGRAMS[name]
    x = torch.randn(6, 4, requires_grad=True)
    with torch.autocast("cpu", torch.bfloat16):
        ours, theirs = told(rust_inductor.compile(program)(x), x), told(program(x), x)
    same(ours, theirs, 0.05)


@pytest.mark.parametrize(
    "program",
    [
        lambda x: torch.einsum("ij,jk->ik", x, x),
        lambda x: torch.einsum("ij->ijj", x),
        lambda x: torch.tensordot(x, x, dims=1),
        lambda x: torch.hstack((x, x[:2])),
        lambda x: F.pad(x, (9, 9), mode="reflect"),
        lambda x: torch.linalg.matrix_norm(x, 3),
        lambda x: torch.outer(x, x),
        lambda x: torch.meshgrid(x, x, indexing="ij"),
        lambda x: CELL(x[:, :3]),
        lambda x: F.cosine_similarity(x, x[:2]),
        lambda x: torch.matrix_power(x, 2),
        lambda x: F.prelu(x, x[:, 0]),
        lambda x: F.bilinear(x, x, x.new_ones(2, 4, 4), x[0, :1]),
    ],
)
def test_what_torch_refuses(program: Callable[[Tensor], Any]) -> None:
    x = torch.randn(6, 4)
    with pytest.raises((RuntimeError, ValueError, IndexError)) as theirs:
        program(x)
    with pytest.raises(theirs.type):
        rust_inductor.compile(program)(x)


@pytest.mark.parametrize(
    "program",
    [lambda x: x.where(x < 1, torch.nan), lambda x: x * x.argmax(), lambda x: x * (x != 0), lambda x: x * x.argsort()],
)
def test_what_has_no_gradients_is_left_to_nobody(program: Callable[[Tensor], Any]) -> None:
    x = torch.randn(6, requires_grad=True)
    same(told(rust_inductor.compile(program)(x), x), told(program(x), x))
    assert "torch's autograd" not in str(rust_inductor.explain(program)(x))


@pytest.mark.parametrize("name", ["fft", "ifft", "ihfft", "rfft", "irfft"])
def test_transforms_are_not_left_to_aotautograd(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def program(x: Tensor) -> Tensor:
        return torch.view_as_real(getattr(torch.fft, name)(x) + 0j)

    left = left_to_aot(monkeypatch)
    x = torch.randn(6, 4, requires_grad=True)
    same(told(rust_inductor.compile(program)(x), x), told(program(x), x))
    assert left == []


@pytest.mark.parametrize("order", [1, 2, float("inf")])
def test_matrices_without_elements_have_norms(order: float) -> None:
    compiled = rust_inductor.compile(lambda x: torch.linalg.matrix_norm(x, order), options={"fallback": "error"})
    assert torch.equal(compiled(torch.zeros(3, 0, 0)), torch.zeros(3))
