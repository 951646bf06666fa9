"""Transforms of ``torch.func`` within compiled functions: the wrappers that they make are no operators of torch's, and
functions that they call see wrapped tensors, which are not ours to compile for.
"""

from __future__ import annotations

import functools
import operator
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import Tensor
from torch.autograd import forward_ad
from torch.func import functional_call, grad, hessian, jacfwd, jacrev, jvp, linearize, vmap

import rust_inductor
from pybind.tests.helpers import same

if TYPE_CHECKING:
    from collections.abc import Callable

#: As many results as it is asked for.
vjp: Any = torch.func.vjp
A, B, M = torch.randn(3, 4), torch.randn(5, 3, 4), torch.randn(4, 4)
LAYER = torch.nn.Linear(4, 2)


def number(x: Tensor) -> Tensor:
    return (x.sin() * x).sum()


def product(x: Tensor, y: Tensor) -> Tensor:
    return (x * y).cos().sum()


def of_parameters(parameters: dict[str, Tensor]) -> Tensor:
    result: Tensor = functional_call(LAYER, parameters, (A,)).sum()
    return result


def detached() -> dict[str, Tensor]:
    return {name: parameter.detach() for name, parameter in LAYER.named_parameters()}


def of_row(parameters: dict[str, Tensor], row: Tensor) -> Tensor:
    result: Tensor = functional_call(LAYER, parameters, (row,)).square().sum()
    return result


def with_aux(x: Tensor) -> tuple[Tensor, dict[str, Tensor]]:
    return (x * x.sin()).sum(0), {"twice": x * 2, "shape": x.sum()}


def of_containers(given: dict[str, Tensor], y: Tensor) -> dict[str, object]:
    return {"sum": (given["a"] * y).sum(), "rest": (given["a"].sin(), [y.exp()])}


def under_no_grad(x: Tensor) -> object:
    with torch.no_grad():
        return jacrev(number)(x)


def number_of_rows(x: Tensor) -> Tensor:
    return (x * x.cos()).sum(1)


def vjp_with_aux(x: Tensor) -> tuple[object, ...]:
    output, vjp_fn, aux = vjp(with_aux, x, has_aux=True)
    return output, vjp_fn(output * 2), aux


def vjp_of_its_output(x: Tensor) -> tuple[object, ...]:
    output, vjp_fn = vjp(number_of_rows, x)
    return output + 1, vjp_fn(torch.ones_like(output)), vjp_fn(output)


def vjp_of_noise(x: Tensor) -> tuple[object, ...]:
    torch.manual_seed(5)
    output, vjp_fn = vjp(lambda y: torch.nn.functional.dropout(y * y, 0.5), x)
    return output, vjp_fn(torch.ones_like(output))


PROGRAMS: dict[str, Callable[[Tensor], object]] = {
    "functional_call": lambda x: functional_call(LAYER, dict(LAYER.named_parameters()), (x,)),
    "functional_call_grad": lambda x: grad(of_parameters)({k: v.detach() for k, v in LAYER.named_parameters()}),
    "grad_builtin": lambda x: grad(torch.sum)(x),
    "grad_dot": lambda x: grad(torch.dot, argnums=(0, 1))(x[0], x[1]),
    "grad_of_grad": lambda x: grad(lambda y: grad(number)(y).sum())(x),
    "grad_of_vmap": lambda x: grad(lambda y: vmap(torch.dot)(y, y).sum())(x),
    "grad_user": lambda x: grad(number)(x),
    "functional_call_per_sample": lambda x: vmap(grad(of_row), (None, 0))(detached(), x),
    "functional_call_scaled": lambda x: functional_call(LAYER, {k: v * 2 for k, v in detached().items()}, (x,)),
    "functional_call_vmap": lambda x: vmap(lambda p, y: functional_call(LAYER, p, (y,)), (None, 0))(detached(), x),
    "hessian_builtin": lambda x: hessian(torch.sum)(x[0]),
    "hessian_user": lambda x: hessian(number)(x[0]),
    "hessian_two": lambda x: hessian(product, argnums=(0, 1))(x[0], x[1]),
    "jacfwd_aux": lambda x: jacfwd(with_aux, has_aux=True)(x),
    "jacfwd_builtin": lambda x: jacfwd(torch.cos)(x),
    "jacfwd_user": lambda x: jacfwd(number)(x),
    "jacfwd_containers": lambda x: jacfwd(of_containers, argnums=(0, 1))({"a": x}, x[0]),
    "jacrev_aux": lambda x: jacrev(with_aux, has_aux=True)(x),
    "jacrev_builtin": lambda x: jacrev(torch.sin)(x),
    "jacrev_chunks": lambda x: jacrev(of_containers, argnums=1, chunk_size=2)({"a": x}, x[0]),
    "jacrev_containers": lambda x: jacrev(of_containers, argnums=(0, 1))({"a": x}, x[0]),
    "jacrev_of_jacrev": lambda x: jacrev(jacrev(number))(x[0]),
    "jacrev_preallocated": lambda x: jacrev(number, chunk_size=1, _preallocate_and_copy=True)(x[0]),
    "jacrev_user": lambda x: jacrev(product, argnums=(0, 1))(x, x),
    "jacrev_under_no_grad": under_no_grad,
    "jvp_aux": lambda x: jvp(with_aux, (x,), (x + 1,), has_aux=True),
    "jvp_builtin": lambda x: jvp(torch.sin, (x,), (x,)),
    "jvp_containers": lambda x: jvp(of_containers, ({"a": x}, x[0]), ({"a": x * 2}, x[1])),
    "jvp_strict": lambda x: jvp(lambda y: (y * 2, y.sum()), (x,), (x,), strict=True),
    "jvp_user": lambda x: jvp(product, (x, x), (x, x)),
    "linearize": lambda x: linearize(number, x)[1](x),
    "vjp_aux": lambda x: vjp_with_aux(x),
    "vjp_builtin": lambda x: vjp(torch.sin, x)[1](x),
    "vjp_of_its_output": lambda x: vjp_of_its_output(x),
    "vjp_of_vjp": lambda x: vjp(lambda y: vjp(torch.sin, y)[1](y)[0], x)[1](x),
    "vjp_random": lambda x: vjp_of_noise(x),
    "vjp_tuples": lambda x: vjp(lambda p, q: (p * q["q"], (p.sin() @ q["q"].t(),)), x, {"q": x + 1})[1](
        (x, (x @ x.t(),))
    ),
    "vjp_twice": lambda x: [vjp_fn(y) for vjp_fn in [vjp(number_of_rows, x)[1]] for y in (x[:, 0], x[:, 1])],
    "vjp_user": lambda x: vjp(product, x, x)[1](torch.tensor(1.0)),
    "vjp_view": lambda x: vjp(lambda y: y.t(), x)[1](x.t().cos()),
    "vjp_within_vmap": lambda x: vmap(lambda row: vjp(torch.sin, row)[1](row)[0])(x),
    "vjp_zero": lambda x: vjp(lambda _y, z: z * 2, x, x)[1](x),
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


#: Programs whose graph ends: at a transform that is not captured, at the attributes of a function without Python code,
#: which the transform's wrapper takes on, or at a named tuple from a transformed function.
NOT_CAPTURED = {
    "linearize",
    "vjp_random",
    *("hessian_builtin", "jacfwd_builtin", "jacrev_builtin"),
    "vmap_tuple",
}


@pytest.mark.parametrize("name", [name for name in PROGRAMS if name not in NOT_CAPTURED])
def test_is_one_graph(name: str) -> None:
    graphs = []

    def counted(gm: torch.fx.GraphModule, _inputs: object) -> Callable[..., object]:
        graphs.append(gm)
        return gm.forward

    x = torch.randn(3, 4)
    compiled = rust_inductor.compile(PROGRAMS[name], backend=counted, fullgraph=True)
    same(plain(compiled(x)), plain(PROGRAMS[name](x)))
    assert len(graphs) == 1


def test_a_vjp_whose_second_part_escapes_is_torchs() -> None:
    def function(x: Tensor) -> Any:
        y = x + 1
        return vjp(number_of_rows, y)

    def across_a_break(x: Tensor) -> object:
        output, vjp_fn = vjp(number_of_rows, x)
        x.add_(0)
        torch._dynamo.graph_break()
        return output, vjp_fn(output)

    def of_a_list_that_changes(x: Tensor) -> object:
        given = [x, x + 1]
        output, vjp_fn = vjp(lambda pair: (pair[0] * pair[1]).sum(1), given)
        given.reverse()
        given.append(x)
        return vjp_fn(output)

    x = torch.randn(3, 4)
    same(plain(rust_inductor.compile(of_a_list_that_changes)(x)), plain(of_a_list_that_changes(x)))
    output, vjp_fn = rust_inductor.compile(function)(x)
    same(plain(vjp_fn(output)), plain(function(x)[1](output)))
    found, expected = rust_inductor.compile(lambda x: across_a_break(x.clone())), across_a_break(x.clone())
    same(plain(found(x)), plain(expected))
    with pytest.raises(RuntimeError, match="pytree structure of cotangents"):
        rust_inductor.compile(lambda x: vjp(torch.sin, x)[1]((x,)))(x)


@pytest.mark.parametrize("backend", ["eager", "aot_eager", "rust_inductor"])
def test_gradients_pass_through_a_vjp(backend: str) -> None:
    def function(x: Tensor, y: Tensor) -> Any:
        output, vjp_fn = vjp(lambda z: (z * z.sin() * y).sum(1), x)
        return (output.sum() + vjp_fn(output.cos())[0].square().sum()) * 2

    compiled, given = rust_inductor.compile(function, backend=backend), torch.randn(2, 3, 4)
    gradients = []
    for called in (compiled, function):
        x, y = (tensor.clone().requires_grad_() for tensor in given)
        called(x, y).backward()
        gradients.append([x.grad, y.grad])
    torch.testing.assert_close(*gradients)


def test_a_transform_that_escapes_is_a_function_like_torchs() -> None:
    def make(x: Tensor) -> tuple[Callable[..., Tensor], Tensor]:
        return jacrev(number), x + 1

    made, _ = rust_inductor.compile(make)(A)
    same(made(A), jacrev(number)(A))
    assert made.__name__ == "number"


def test_parameters_are_those_of_the_module_after_a_functional_call() -> None:
    before = dict(LAYER.named_parameters())

    def function(x: Tensor) -> tuple[Tensor, Tensor]:
        return functional_call(LAYER, {"weight": x}, (A,)), LAYER(A)

    compiled = rust_inductor.compile(function, fullgraph=True)
    x = torch.randn(2, 4)
    for _ in range(2):
        same(compiled(x), function(x))
        assert all(parameter is before[name] for name, parameter in LAYER.named_parameters())


def test_errors_of_transforms_are_torchs() -> None:
    compiled = rust_inductor.compile(lambda x: jacrev(number, chunk_size=0)(x))
    with pytest.raises(ValueError, match="`chunk_size` should be greater than 0"):
        compiled(A)
    with pytest.raises(RuntimeError, match="jvp"):
        rust_inductor.compile(lambda x: jvp(number, x, x))(A)


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


@pytest.mark.parametrize("backend", ["eager", "rust_inductor"])
def test_tangents_pass_through_what_is_compiled(backend: str) -> None:
    x, tangent = torch.tensor([1.0, 2.0]), torch.tensor([0.5, 3.0])
    compiled = rust_inductor.compile(torch.sin, backend=backend)

    def with_tangent(function: Callable[[Tensor], Tensor]) -> Any:
        with forward_ad.dual_level():
            return forward_ad.unpack_dual(function(forward_ad.make_dual(x, tangent)))

    for _ in range(2):
        same(with_tangent(compiled), with_tangent(torch.sin))
        same(torch.func.jvp(compiled, (x,), (tangent,)), torch.func.jvp(torch.sin, (x,), (tangent,)))
        same(compiled(x), torch.sin(x))


def test_a_process_whose_first_compilation_is_within_a_transform() -> None:
    program = """
import torch, rust_inductor
compiled = rust_inductor.compile(torch.sin, backend="eager")
x = torch.tensor([1.0, 2.0])
assert torch.equal(torch.func.grad(lambda x: compiled(x).sum())(x), x.cos())
"""
    subprocess.run([sys.executable, "-c", program], check=True)
