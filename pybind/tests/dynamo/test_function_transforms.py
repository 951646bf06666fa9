"""Transforms of ``torch.func`` within compiled functions: the wrappers that they make are no operators of torch's, and
functions that they call see wrapped tensors, which are not ours to compile for.
"""

from __future__ import annotations

import functools
import operator
from typing import TYPE_CHECKING

import pytest
import torch
from torch import Tensor
from torch.func import functional_call, grad, hessian, jacfwd, jacrev, jvp, linearize, vjp, vmap

import rust_inductor
from pybind.tests.helpers import same

if TYPE_CHECKING:
    from collections.abc import Callable

A, B, M = torch.randn(3, 4), torch.randn(5, 3, 4), torch.randn(4, 4)
LAYER = torch.nn.Linear(4, 2)


def number(x: Tensor) -> Tensor:
    return (x.sin() * x).sum()


def product(x: Tensor, y: Tensor) -> Tensor:
    return (x * y).cos().sum()


def of_parameters(parameters: dict[str, Tensor]) -> Tensor:
    result: Tensor = functional_call(LAYER, parameters, (A,)).sum()
    return result


PROGRAMS: dict[str, Callable[[Tensor], object]] = {
    "functional_call": lambda x: functional_call(LAYER, dict(LAYER.named_parameters()), (x,)),
    "functional_call_grad": lambda x: grad(of_parameters)({k: v.detach() for k, v in LAYER.named_parameters()}),
    "grad_builtin": lambda x: grad(torch.sum)(x),
    "grad_dot": lambda x: grad(torch.dot, argnums=(0, 1))(x[0], x[1]),
    "grad_of_grad": lambda x: grad(lambda y: grad(number)(y).sum())(x),
    "grad_of_vmap": lambda x: grad(lambda y: vmap(torch.dot)(y, y).sum())(x),
    "grad_user": lambda x: grad(number)(x),
    "hessian_builtin": lambda x: hessian(torch.sum)(x[0]),
    "hessian_user": lambda x: hessian(number)(x[0]),
    "jacfwd_builtin": lambda x: jacfwd(torch.cos)(x),
    "jacfwd_user": lambda x: jacfwd(number)(x),
    "jacrev_builtin": lambda x: jacrev(torch.sin)(x),
    "jacrev_user": lambda x: jacrev(product, argnums=(0, 1))(x, x),
    "jvp_builtin": lambda x: jvp(torch.sin, (x,), (x,)),
    "jvp_user": lambda x: jvp(product, (x, x), (x, x)),
    "linearize": lambda x: linearize(number, x)[1](x),
    "vjp_builtin": lambda x: vjp(torch.sin, x)[1](x),
    "vjp_user": lambda x: vjp(product, x, x)[1](torch.tensor(1.0)),
    "vmap_chunks": lambda x: vmap(torch.dot, chunk_size=2)(x, x),
    "vmap_dot": lambda x: vmap(torch.dot)(x, x),
    "vmap_dot_in_dims": lambda x: vmap(torch.dot, in_dims=(1, 1))(x, x),
    "vmap_dot_one": lambda x: vmap(torch.dot, in_dims=(0, None))(x, x[0]),
    "vmap_functional": lambda x: vmap(torch.nn.functional.gelu)(x),
    "vmap_grad": lambda x: vmap(grad(number))(x),
    "vmap_makes": lambda x: vmap(lambda y: y + torch.zeros(4), randomness="same")(x),
    "vmap_method": lambda x: vmap(M.mv)(x),
    "vmap_module": lambda x: vmap(LAYER)(x),
    "vmap_operator": lambda x: vmap(operator.mul)(x, x),
    "vmap_out_dims": lambda x: vmap(torch.outer, out_dims=1)(x, x),
    "vmap_partial": lambda x: vmap(functools.partial(torch.mul, M[0]))(x),
    "vmap_sum": lambda x: vmap(torch.sum)(x),
    "vmap_tensor_method": lambda x: vmap(Tensor.mul)(x, x),
    "vmap_tuple": lambda x: vmap(lambda y: torch.max(y, 0))(x),
    "vmap_user": lambda x: vmap(product)(x, x),
    "vmap_vmap": lambda x: vmap(vmap(torch.dot))(B, B) + x.sum(),
    "vmap_vmap_dims": lambda x: vmap(vmap(product, in_dims=(0, None)), in_dims=(None, 0))(x, x),
}


@pytest.mark.parametrize("backend", ["eager", "rust_inductor"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name: str, backend: str) -> None:
    def function(x: Tensor) -> tuple[object, Tensor]:
        return PROGRAMS[name](x), x + 1

    compiled = rust_inductor.compile(function, backend=backend)
    for rows in (3, 3, 6):
        x = torch.randn(rows, 4)
        same(plain(compiled(x)), plain(function(x)))


def plain(value: object) -> object:
    """Dicts and named tuples as lists."""
    if isinstance(value, dict):
        return [plain(item) for item in value.values()]
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


@pytest.mark.parametrize(
    "transform", [vmap(torch.sum), grad(torch.sum), jacrev(torch.sin), hessian(torch.sum), vmap(number)]
)
def test_transform_itself(transform: Callable[[Tensor], Tensor]) -> None:
    same(rust_inductor.compile(transform)(A), transform(A))


def test_wrapper_of_the_program() -> None:
    @functools.wraps(torch.sin)
    def twice(x: Tensor) -> Tensor:
        return torch.sin(x) * 2

    same(rust_inductor.compile(lambda x: twice(x) + 1)(A), twice(A) + 1)


def test_code_of_before_is_not_used_within_a_transform() -> None:
    """A function without tensors among its arguments, of which only the state says where it runs."""

    def noise() -> Tensor:
        return torch.rand(4)

    compiled = rust_inductor.compile(noise)
    compiled()
    with pytest.raises(RuntimeError, match="randomness"):
        vmap(lambda x: x + compiled())(A)
    assert vmap(lambda x: x + compiled(), randomness="different")(A).shape == (3, 4)
