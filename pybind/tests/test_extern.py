"""Calls of the library: made without Python where its C interface can take the arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import Tensor
from torch.utils import _pytree

import rust_inductor
from pybind.tests.helpers import compiled

if TYPE_CHECKING:
    from collections.abc import Callable


def calls_of(function: Callable[..., object], *args: object) -> list[tuple[str, str]]:
    """The calls in what is compiled of a function, whose results are eager's."""
    torch.manual_seed(0)
    explanation = rust_inductor.explain(function, dynamic=False)(*args)
    torch.manual_seed(0)
    expected = function(*args)
    for ours, eager in zip(_pytree.tree_leaves(explanation.result), _pytree.tree_leaves(expected), strict=True):
        assert (ours.shape, ours.dtype, ours.is_conj()) == (eager.shape, eager.dtype, eager.is_conj())
        torch.testing.assert_close(ours, eager, equal_nan=True)
    return [call for graph in explanation.graphs for call in graph.calls]


X = torch.linspace(-2.0, 2.0, 32).reshape(4, 8)
INDEX = torch.tensor([2, 0])


@pytest.mark.parametrize(
    "function",
    [
        pytest.param(lambda x: torch.topk(x, 2, largest=False), id="ints and bools"),
        pytest.param(lambda x: torch.ops.aten.index_put(x, [None, INDEX], x[:, :2], True), id="a list with gaps"),
        pytest.param(lambda x: torch.searchsorted(x, x + 0.1, side="right"), id="a text"),
        pytest.param(lambda x: torch.fft.rfft(x, norm="ortho"), id="complex numbers"),
        pytest.param(lambda x: torch.fft.fft(torch.fft.fft(x).conj()).real, id="conjugate"),
        pytest.param(lambda x: torch._chunk_cat([x, x], 0, 2), id="a list of tensors"),
        pytest.param(lambda x: torch.randint_like(x, 7, dtype=torch.int32), id="random numbers of a type"),
        pytest.param(lambda x: torch.linalg.svd(x, full_matrices=False)[1], id="several results"),
        pytest.param(lambda x: torch.ops.aten._foreach_sqrt([x.abs(), x.abs() + 1]), id="a list as the result"),
        pytest.param(lambda x: torch.histc(x, 5, -1, 1), id="numbers that a function of its own takes"),
    ],
)
def test_no_python_is_called(function: Callable[[Tensor], object]) -> None:
    """Every type of argument that has a form in C, and every form of result."""
    calls = calls_of(function, X)
    assert calls
    assert all(how.startswith("extern") for _, how in calls), calls


def test_python_calls_what_the_interface_cannot_take() -> None:
    """A number of unknown type goes through Python, and the result is the same."""
    ((target, how),) = calls_of(lambda x: torch.logspace(0.0, x.shape[0], 5), X)
    assert target == "aten.logspace.default"
    assert how.startswith("fallback: ") and "Scalar" in how


def test_errors_are_those_of_the_operator() -> None:
    """Errors of the library are raised as Python raises them, and the next call is well."""

    def put(x: Tensor, i: Tensor) -> Tensor:
        return torch.index_put(x, (i,), x[:2])

    compiled = rust_inductor.compile(put, dynamic=False)
    torch.testing.assert_close(compiled(X, INDEX), put(X, INDEX))
    with pytest.raises(IndexError, match="out of bounds"):
        compiled(X, INDEX + 7)
    torch.testing.assert_close(compiled(X, INDEX), put(X, INDEX))


def test_a_result_is_no_operand() -> None:
    """An operator that gives what it was given has a result of its own all the same."""

    def scatter(x: Tensor) -> tuple[Tensor, Tensor]:
        y = x * 2
        return torch.index_copy(y, 0, INDEX[:0], y[:0]), y + 1

    calls_of(scatter, X)


def test_checks_have_no_tokens() -> None:
    """The check of a factorization is a call as others are, and raises what eager raises."""

    def factor(x: Tensor) -> Any:
        factors, _, info = torch.linalg.lu_factor_ex(x)
        torch._linalg_check_errors(info, "lu_factor", is_matrix=True)
        return factors * 2

    matrix = torch.eye(3) * 2
    targets, ways = zip(*calls_of(factor, matrix), strict=True)
    assert targets.count("aten._linalg_check_errors.default") == 1
    assert "extern" in ways[targets.index("aten._linalg_check_errors.default")]
    compiled = rust_inductor.compile(factor, dynamic=False)
    with pytest.raises(RuntimeError, match="lu_factor"):
        compiled(0 * matrix)
    torch.testing.assert_close(compiled(matrix), factor(matrix))


def test_factorizations_that_fail() -> None:
    """A factorization is a call as others are, and raises what eager raises."""

    def factor(x: Tensor) -> Tensor:
        both: Tensor = torch.linalg.lu_factor(x)[0] + torch.linalg.ldl_factor(x)[0]
        return both

    matrix = torch.eye(3) * 2
    targets, ways = zip(*calls_of(factor, matrix), strict=True)
    factored = [way for target, way in zip(targets, ways, strict=True) if target.startswith("aten.linalg")]
    assert factored == ["extern", "extern"]
    checked = [way for target, way in zip(targets, ways, strict=True) if "check_errors" in target]
    assert all("extern" in way for way in checked) and len(checked) == 2
    compiled = rust_inductor.compile(factor, dynamic=False)
    with pytest.raises(RuntimeError, match="lu_factor"):
        compiled(0 * matrix)
    torch.testing.assert_close(compiled(matrix), factor(matrix))


NATIVE: list[tuple[str, Callable[[Tensor], object]]] = [
    ("mv", lambda x: torch.mv(x, x[0])),
    ("addmv", lambda x: torch.addmv(x[:, 0], x, x[1], beta=0.5, alpha=2)),
    ("dist", lambda x: torch.dist(x, x.flip(0), 3)),
    ("renorm", lambda x: torch.renorm(x, 2, 0, 1.5)),
    ("round", lambda x: torch.round(x * 37, decimals=-1) + torch.round(x, decimals=2)),
    ("isin", lambda x: torch.isin(x.round(), 1.0, invert=True)),
    ("rot90", lambda x: [torch.rot90(x, k) + 1 for k in range(-1, 4)]),
    ("reflect", lambda x: torch.nn.functional.pad(x[None], (3, 2), "reflect").exp()),
    ("reflect 2d", lambda x: torch.nn.functional.pad(x[None], (3, -2, 1, 0), "reflect")),
    ("replicate", lambda x: torch.nn.functional.pad(x[None, None], (3, 0, 1, 5), "replicate") * 2),
    ("nearest", lambda x: torch.nn.functional.interpolate(x[None, None], scale_factor=(1.7, 2.0))),
    ("nearest, sizes", lambda x: torch.nn.functional.interpolate(x[None], 5)),
    ("linear", lambda x: torch.nn.functional.interpolate(x[None], scale_factor=1.3, mode="linear")),
    ("bilinear", lambda x: torch.nn.functional.interpolate(x[None, None], (7, 5), mode="bilinear").exp()),
    ("corners", lambda x: torch.nn.functional.interpolate(x[None, None], (9, 1), mode="bilinear", align_corners=True)),
    ("trilinear", lambda x: torch.nn.functional.interpolate(x[None, None, None], (2, 3, 17), mode="trilinear")),
    ("bicubic", lambda x: torch.nn.functional.interpolate(x[None, None], (6, 11), mode="bicubic")),
    ("nearest exact", lambda x: torch.nn.functional.interpolate(x[None], 13, mode="nearest-exact")),
]


@pytest.mark.parametrize("function", [pytest.param(function, id=name) for name, function in NATIVE])
def test_native(function: Callable[[Tensor], object]) -> None:
    """Kernels of ours alone."""
    assert calls_of(function, X) == []


def test_numbers_as_tensors() -> None:
    """Operators that take a number are called as others that take a tensor."""

    def place(x: Tensor) -> list[Tensor]:
        return [x.index_fill(1, INDEX, 3), x.index_add(1, INDEX, x[:, 3:5], alpha=2), x.scatter(1, INDEX[None], 7.0)]

    calls = calls_of(place, X)
    assert [target for target, _ in calls] == [
        "aten.index_fill.int_Tensor",
        "aten.scatter_add.default",
        "aten.scatter.value",
    ]
    assert all(how == "extern" for _, how in calls)


def test_an_operator_that_does_not_keep_its_metadatas_promise() -> None:
    """The statistics that the library returns are of the weight's type; torch's metadata has them as float32."""
    halves = [torch.rand(2, dtype=torch.bfloat16) for _ in range(4)]

    def fn(x: Tensor) -> tuple[Tensor, ...]:
        results: tuple[Tensor, ...] = torch.ops.aten._native_batch_norm_legit_functional(x, *halves, False, -1.2, 1e-5)
        return results

    x = torch.randn(3, 2, 4, dtype=torch.bfloat16)
    for ours, eager in zip(compiled(fn)(x), fn(x), strict=True):
        torch.testing.assert_close(ours.to(eager.dtype), eager)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_halves_are_scaled_as_floats(dtype: torch.dtype) -> None:
    """No arithmetic is done on elements that are only stored."""

    def add(x: Tensor, y: Tensor) -> Tensor:
        return x.index_add(1, INDEX, y, alpha=2.5)

    x, y = torch.randn(4, 7).to(dtype), torch.randn(4, len(INDEX)).to(dtype)
    torch.testing.assert_close(compiled(add)(x, y), add(x, y))


@pytest.mark.parametrize("through", ["ours", "torch's"])
def test_the_first_call_of_a_graph_that_aotautograd_prepares(through):
    """AOTAutograd looks at it by a dispatch mode, under which this operator computes something else."""
    z = torch.randn(3, 3, dtype=torch.complex64)
    ours = rust_inductor.compile if through == "ours" else lambda f: torch.compile(f, backend="rust_inductor")
    torch.testing.assert_close(ours(lambda z: torch.linalg.pinv(z))(z), torch.linalg.pinv(z))


def test_parts_of_complex_numbers_share_the_memory_of_the_whole():
    z = torch.randn(6, dtype=torch.complex64)
    parts = compiled(lambda z: torch.unsafe_split(z, 2))(z)
    assert [part.data_ptr() - z.data_ptr() for part in parts] == [0, 16, 32]
