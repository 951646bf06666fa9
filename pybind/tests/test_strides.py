"""Results have the strides that they have where nothing is compiled: dense or not, permuted, with symbolic sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import Tensor

import rust_inductor
from pybind.tests.helpers import clone, same

if TYPE_CHECKING:
    from collections.abc import Callable

CAPTURES: dict[str, Callable[..., Any]] = {
    "torch": lambda function, **kwargs: torch.compile(function, backend="rust_inductor", **kwargs),
    "own": lambda function, **kwargs: rust_inductor.compile(function, **kwargs),
}


def laid(sizes: tuple[int, ...], strides: tuple[int, ...]) -> Tensor:
    """A tensor of these sizes and strides."""
    return torch.empty_strided(sizes, strides).copy_(torch.randn(sizes))


INPUTS: dict[str, Callable[[], Tensor]] = {
    "row_major": lambda: torch.randn(2, 3, 4, 5),
    "channels_last": lambda: torch.randn(2, 3, 4, 5).contiguous(memory_format=torch.channels_last),
    "permuted": lambda: torch.randn(5, 3, 2, 4).permute(2, 1, 3, 0),
    "gaps_in_rows": lambda: laid((2, 3, 4, 5), (96, 32, 8, 1)),
    "gaps_in_columns": lambda: laid((2, 3, 4, 5), (1, 2, 8, 40)),
    "permuted_with_gaps": lambda: torch.randn(5, 4, 3, 6).permute(2, 1, 3, 0)[:2, :3, 2:, ::1],
    "every_other": lambda: torch.randn(2, 3, 4, 10)[..., ::2],
    "expanded": lambda: torch.randn(2, 1, 4, 5).expand(2, 3, 4, 5),
    "expanded_inside": lambda: torch.randn(2, 3, 4, 1).expand(2, 3, 4, 5),
    "ones_among_sizes": lambda: laid((2, 1, 4, 1), (32, 7, 8, 3)),
    "empty": lambda: laid((2, 0, 4, 5), (64, 7, 8, 1)),
}


def filled_slices(x: Tensor) -> Tensor:
    """Memory laid as an argument, written through an index."""
    r = torch.empty_strided(x.size(), x.stride())
    r[:] = x + x
    return r


def of_constants(x: Tensor) -> Tensor:
    """Memory laid as an argument that takes one value."""
    return torch.empty_strided(x.size(), x.stride()).copy_(torch.ones(x.size()))


def of_a_scalar(x: Tensor) -> Tensor:
    """Memory laid as an argument that takes the value of a tensor without dimensions."""
    return torch.empty_strided(x.size(), x.stride()).copy_(torch.tensor(2.5))


def views_of_a_copy(x: Tensor) -> tuple[Tensor, Tensor]:
    """Views of memory with gaps."""
    r = x.new_empty_strided(x.size(), x.stride()).copy_(x.cos())
    return r[:, 1:], r.transpose(0, 2)


def a_copy_beside_its_use(x: Tensor) -> tuple[Tensor, Tensor]:
    """Memory with gaps that is read as well as returned."""
    r = torch.empty_strided(x.size(), x.stride()).copy_(x + 1)
    return r, r.cos()


#: Programs on memory in which no two elements share a place.
WRITES: dict[str, Callable[[Tensor], object]] = {
    "empty_strided": filled_slices,
    "empty_strided_of_constants": of_constants,
    "empty_strided_of_a_scalar": of_a_scalar,
    "empty_strided_and_views": views_of_a_copy,
    "empty_strided_used": a_copy_beside_its_use,
    "new_empty_strided": lambda x: x.new_empty_strided(x.size(), x.stride()).copy_(x.sin()),
    "select_scatter": lambda x: torch.select_scatter(x, x[:, :, 0] + 1, 2, 1),
    "slice_scatter": lambda x: torch.slice_scatter(x, x[..., :1] * 2, 3, 0, 1),
    "diagonal_scatter": lambda x: torch.diagonal_scatter(x, x.diagonal(0, 0, 2) + 1, 0, 0, 2),
    "as_strided_scatter": lambda x: torch.as_strided_scatter(x, torch.ones(2), (2,), (1,)),
    # The last: functionalisation has the argument dense from here on.
    "in_an_argument": lambda x: x.mul_(2).add_(1),
}

PROGRAMS: dict[str, Callable[[Tensor], object]] = {
    "add": lambda x: (x + 1, x + x.flip(0), x * x.sum(1, keepdim=True)),
    "clone": lambda x: (x.clone(), x.cos().clone(memory_format=torch.contiguous_format)),
    "clone_channels_last": lambda x: x.clone(memory_format=torch.channels_last),
    "contiguous": lambda x: (x * 2).contiguous(memory_format=torch.channels_last),
    "double": lambda x: x.double(),
    "to_channels_last": lambda x: x.to(torch.float64, memory_format=torch.channels_last),
    "empty_like": lambda x: torch.empty_like(x).fill_(2),
    "empty_like_contiguous": lambda x: torch.empty_like(x, memory_format=torch.contiguous_format).copy_(x),
    "empty_like_channels_last": lambda x: torch.empty_like(x, memory_format=torch.channels_last).copy_(x),
    "zeros_like": torch.zeros_like,
    "ones_like": lambda x: torch.ones_like(x, memory_format=torch.preserve_format),
    "ones_like_channels_last": lambda x: torch.ones_like(x, memory_format=torch.channels_last),
    "full_like": lambda x: torch.full_like(x, 3.5),
    "full_like_of_ints": lambda x: torch.full_like(x, 3, dtype=torch.int64),
    "rand_like": lambda x: torch.rand_like(x).zero_(),
    "randint_like": lambda x: torch.randint_like(x, 9, dtype=torch.int64).zero_(),
    "empty_permuted": lambda x: torch.empty_permuted(x.size(), (3, 1, 0, 2)).copy_(x),
    "copy": lambda x: torch.zeros(x.size()).copy_(x),
    "copy_to_permuted": lambda x: torch.zeros(x.size()).transpose(0, 3).copy_(x.transpose(0, 3)),
    "index_put": lambda x: x.index_put((torch.tensor([1, 0]),), x * 3),
    "masked_fill": lambda x: x.masked_fill(x > 0, -1.0),
    "masked_fill_inverted": lambda x: x.masked_fill((x > 0).transpose(0, 3).contiguous().transpose(0, 3), -1.0),
    "where": lambda x: torch.where(x > 0, x, 0.0),
    "views": lambda x: (x.cos()[:, 1:], x.sin().transpose(1, 3), x.exp().unsqueeze(2)),
    "expand": lambda x: (x[:1].cos().expand(2, -1, -1, -1), x.sum(3, keepdim=True).expand_as(x).clone()),
    "expand_of_constants": lambda x: (
        torch.ones(()).expand(x.size()),
        torch.zeros(4).expand(3, 4).t() if x.dim() > 1 else x,
        torch.full((3, 1, 2), 2.0).expand(3, 5, 2),
        torch.ones_like(x.sum(0, keepdim=True)).expand(2, -1, -1, -1),
    ),
    "flip": lambda x: x.flip(1),
    "softmax": lambda x: (x.softmax(1), x.cumsum(2), x.sum(2), x.amax((0, 3), keepdim=True)),
    "cat": lambda x: (torch.cat([x, x + 1], 1), torch.stack([x, x * 2], 2)),
}


#: Inputs for which torch's metadata promises other strides than its operators give.
UNLIKE = ("ones_among_sizes", "empty")


def compares(function: Callable[[Tensor], object], capture: str, make: Callable[[], Tensor], dynamic: bool) -> None:
    """Assert that values and strides are eager's, those of an argument that is written included."""
    x = make()
    # A clone would fill up memory that elements share.
    theirs, ours = (clone(x), clone(x)) if x.is_contiguous() or 0 not in x.stride() else (x, x)
    eager = function(theirs)
    same(CAPTURES[capture](function, dynamic=dynamic)(ours), eager)
    same(ours, theirs)


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("capture", CAPTURES)
@pytest.mark.parametrize("given", [given for given in INPUTS if given not in UNLIKE])
def test_all_programs(given: str, capture: str, dynamic: bool) -> None:
    def function(x: Tensor) -> list[object]:
        return [program(x) for program in PROGRAMS.values()]

    compares(function, capture, INPUTS[given], dynamic)


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("capture", CAPTURES)
@pytest.mark.parametrize("given", ["permuted", "gaps_in_rows", "gaps_in_columns", "permuted_with_gaps", "every_other"])
def test_all_writes(given: str, capture: str, dynamic: bool) -> None:
    def function(x: Tensor) -> list[object]:
        return [program(x) for program in WRITES.values()]

    compares(function, capture, INPUTS[given], dynamic)


@pytest.mark.parametrize("capture", CAPTURES)
@pytest.mark.parametrize("name", WRITES)
def test_one_write(name: str, capture: str) -> None:
    for given in ("gaps_in_rows", "permuted_with_gaps", "ones_among_sizes"):
        torch._dynamo.reset()
        compares(WRITES[name], capture, INPUTS[given], dynamic=False)


@pytest.mark.parametrize("capture", CAPTURES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_one_program(name: str, capture: str) -> None:
    torch._dynamo.reset()
    compares(PROGRAMS[name], capture, INPUTS["gaps_in_rows"], dynamic=False)


@pytest.mark.parametrize("capture", CAPTURES)
def test_strides_of_unknown_relation(capture: str) -> None:
    """If strides are symbols of their own, nothing says that elements are apart."""

    def function(x: Tensor, rows: int, step: int) -> Tensor:
        r = torch.empty_strided((rows, 8), (step, 1))
        r[:] = x + x
        return r

    ours = CAPTURES[capture](function, dynamic=True)
    for rows, step in ((16, 16), (5, 40), (7, 8)):
        same(ours(torch.ones(rows, 8), rows, step), function(torch.ones(rows, 8), rows, step))
