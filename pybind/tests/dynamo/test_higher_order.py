# mypy: disable-error-code="no-any-return"
"""Higher-order operators within compiled functions: their bodies are subgraphs of one graph."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import Tensor, cond
from torch._higher_order_ops.associative_scan import associative_scan
from torch._higher_order_ops.map import map as map_slices
from torch.func import grad, grad_and_value, vmap
from torch.utils.checkpoint import checkpoint

import rust_inductor
from pybind.tests.helpers import same

if TYPE_CHECKING:
    from collections.abc import Callable

BACKENDS = ["eager", "aot_eager", "rust_inductor"]
LAYER = torch.nn.Linear(4, 4)
BLOCK = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.GELU(), torch.nn.Linear(8, 4))
DROPOUT = torch.nn.Dropout(0.5)
HELD: list[Tensor] = []


def cond_of_closures(x: Tensor) -> Tensor:
    shift = x.sum()

    def on_true(y: Tensor) -> Tensor:
        return LAYER(y) + shift

    def on_false(y: Tensor) -> Tensor:
        return y.clone() - shift

    return cond(x.sum() > 0, on_true, on_false, [x]) * 2


def cond_within_cond(x: Tensor) -> Tensor:
    def on_false(y: Tensor) -> Tensor:
        return y + cond(y.max() > 1, lambda z: z * 10, lambda z: -z, [y])

    return cond(x.sum() > 0, lambda y: y.sin(), on_false, [x])


def cond_of_containers(x: Tensor) -> Tensor:
    def branch(y: Tensor, by: int) -> dict[str, Any]:
        return {"a": (y * by, [y.sin().cumsum(0)]), "b": (y + by).exp()}

    found = cond(x.sum() > 0, lambda y: branch(y, 2), lambda y: branch(y, 3), (x,))
    return found["a"][0] + found["a"][1][0] + found["b"]


def cond_of_sizes(x: Tensor) -> Tensor:
    rows = x.shape[0]
    last = cond(x.sum() > 0, lambda y: (y * rows).reshape(-1), lambda y: y.reshape(y.numel()) - rows, (x,))
    return last.reshape(rows, -1)


def cond_of_a_size(x: Tensor) -> Tensor:
    return cond(x.shape[0] > 2, lambda y: y.sin(), lambda y: y.cos(), (x,))


def checkpointed(x: Tensor) -> Tensor:
    return checkpoint(lambda y: BLOCK(y).sin() @ LAYER.weight, x, use_reentrant=False)


def checkpointed_twice(x: Tensor) -> Tensor:
    return checkpoint(lambda y: checkpoint(BLOCK, y, use_reentrant=False).sin(), x, use_reentrant=False)


def checkpointed_with_dropout(x: Tensor) -> Tensor:
    return checkpoint(lambda y: DROPOUT(BLOCK(y)), x, use_reentrant=False)


def checkpointed_modules(x: Tensor) -> Tensor:
    call = functools.partial(checkpoint, use_reentrant=True)
    return call(BLOCK.__call__, call(BLOCK, x.sin()))


def checkpointed_structure(x: Tensor) -> Tensor:
    def body(y: Tensor, factor: int) -> tuple[Tensor, Tensor, list[Any]]:
        z = y.sin()
        return z, z, [y, factor]

    a, b, (c, factor) = checkpoint(body, x, factor=3, use_reentrant=False, preserve_rng_state=False)
    return a * factor if a is b and c is x else a - factor


def mapped(x: Tensor) -> Tensor:
    total = x.sum()
    first, second = map_slices(lambda xs, y: (xs[0].sin() + y, xs[1] * total), [x, x.cos()], LAYER.bias)  # type: ignore[arg-type]
    return first + second


def scanned(x: Tensor) -> Tensor:
    def combine(a: tuple[Tensor, Tensor], b: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
        return a[0] * b[0], b[0] * a[1] + b[1]

    return associative_scan(combine, (x.exp() * 0.1, x.sin()), dim=1, reverse=True, combine_mode="generic")[1]


def vmap_of_vmap(x: Tensor) -> Tensor:
    return vmap(lambda row: vmap(lambda item: item * row.sum())(row))(x)


def vmap_of_dims(x: Tensor) -> Tensor:
    found = vmap(lambda a, b: {"a": a + b["b"], "b": b["b"] * LAYER.bias.sum()}, (1, None), 1)(x, {"b": x[:, 0]})
    return found["a"] + found["b"]


def vmap_in_place(x: Tensor) -> Tensor:
    y = x.clone()
    z = vmap(Tensor.mul_)(y, x)
    return z + y * 2 if z is not y else z


def vmap_gives_back(x: Tensor) -> Tensor:
    y = x * 2
    a, b, c = vmap(lambda row, other: (row, other, row.sum() + other), (0, None))(y, x)
    return (a * b if a is y else a + b) * c


def vmap_of_draws(x: Tensor) -> Tensor:
    return vmap(torch.nn.functional.dropout, randomness="different")(x)


def gradients_per_row(x: Tensor) -> Tensor:
    def loss(parameters: dict[str, Tensor], row: Tensor) -> Tensor:
        return torch.nn.functional.linear(row, **parameters).square().sum()

    parameters = {name: value.detach() for name, value in LAYER.named_parameters()}
    return vmap(grad(loss), in_dims=(None, 0))(parameters, x)["weight"]


def gradients_of_two(x: Tensor) -> Tensor:
    def function(a: Tensor, b: list[Tensor], *, by: int) -> tuple[Tensor, list[Tensor]]:
        return (a * b[0]).sin().sum() * by, [a + 1, a]

    (a, (b,)), (value, (aux, same)) = grad_and_value(function, argnums=(0, -1), has_aux=True)(x, [x.cos()], by=2)
    return a + b * value + aux if same is x else a


def gradient_of_gradient(x: Tensor) -> Tensor:
    return grad(lambda y: (grad(lambda z: (z**3).sum())(y) * x).sum())(x)


PROGRAMS = [
    cond_of_closures,
    cond_within_cond,
    cond_of_containers,
    cond_of_sizes,
    cond_of_a_size,
    checkpointed,
    checkpointed_twice,
    checkpointed_with_dropout,
    checkpointed_modules,
    checkpointed_structure,
    mapped,
    scanned,
    vmap_of_vmap,
    vmap_of_dims,
    vmap_in_place,
    vmap_gives_back,
    vmap_of_draws,
    gradients_per_row,
    gradients_of_two,
    gradient_of_gradient,
]


def run(function: Callable[[Tensor], Tensor], x: Tensor, *, recorded: bool) -> list[Tensor | None]:
    """The result of a function, and the gradients of its input and of the modules' parameters."""
    leaves = [x.clone().requires_grad_(recorded), *LAYER.parameters(), *BLOCK.parameters()]
    for leaf in leaves:
        leaf.grad = None
    torch.manual_seed(1)
    result = function(leaves[0])
    if recorded:
        result.sum().backward()
    return [result.detach(), *(None if leaf.grad is None else leaf.grad.clone() for leaf in leaves)]


@pytest.mark.parametrize("recorded", [False, True])
@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_is_one_graph(program: Callable[[Tensor], Tensor], backend: str, *, dynamic: bool, recorded: bool) -> None:
    if not recorded and program is checkpointed_modules:
        pytest.skip("the reentrant kind gives tensors that require gradients, or warns")
    if recorded and program is cond_of_containers:
        pytest.skip("torch cannot differentiate several results of `cond` ahead of time")
    if dynamic and program is vmap_of_draws:
        pytest.skip("torch's `vmap` of dropout asks for sizes that are numbers")
    compiled = rust_inductor.compile(program, backend=backend, dynamic=dynamic, fullgraph=True)
    for sign in (1, -1):
        x = torch.randn(3, 4).abs() * sign
        same(run(compiled, x, recorded=recorded), run(program, x, recorded=recorded))


def gives_operand(x: Tensor) -> Tensor:
    return cond(x.sum() > 0, lambda y: y, lambda y: y + 1, (x,))


def changes_list(x: Tensor) -> Tensor:
    def body(y: Tensor) -> Tensor:
        HELD.append(y)
        return y.sin()

    return checkpoint(body, x, use_reentrant=False)


def writes_operand(x: Tensor) -> Tensor:
    y = x.detach() * 1
    return checkpoint(lambda z: z.add_(1) * 2, y, use_reentrant=False) + y + x


def writes_closure(x: Tensor) -> Tensor:
    y = x * 1

    def body(z: Tensor) -> Tensor:
        y.add_(1)
        return z + 1

    return checkpoint(body, x, use_reentrant=False) + y


def records_nothing(x: Tensor) -> Tensor:
    return checkpoint(BLOCK, x.detach(), use_reentrant=True) + x


def gives_back_reentrant(x: Tensor) -> Tensor:
    y = x * 2
    a, b = checkpoint(lambda z: (z.sin(), z), y, use_reentrant=True)
    return a * 2 if b is y else a * b


def raises(x: Tensor) -> Tensor:
    def body(y: Tensor) -> Tensor:
        if y.dim() == 2:
            message = "it has rows"
            raise ValueError(message)
        return y

    try:
        return checkpoint(body, x, use_reentrant=False)
    except ValueError:
        return x.cos()


def leaves_a_mode(x: Tensor) -> Tensor:
    def body(y: Tensor) -> Tensor:
        torch.set_grad_enabled(False)
        return y + 1

    y = x * 2
    try:
        z = checkpoint(body, x, use_reentrant=False) * x
    finally:
        torch.set_grad_enabled(True)
    return z + y


@pytest.mark.parametrize(
    "program",
    [changes_list, writes_operand, writes_closure, gives_back_reentrant, records_nothing, raises, leaves_a_mode],
)
def test_bodies_with_effects_run_as_they_are(program: Callable[[Tensor], Tensor]) -> None:
    x = torch.randn(3, 4)
    HELD.clear()
    expected = run(program, x, recorded=True)
    held = len(HELD)
    HELD.clear()
    compiled = rust_inductor.compile(program, backend="eager")
    same(run(compiled, x, recorded=True), expected)
    assert len(HELD) == held


def test_a_graph_that_cannot_be_differentiated_runs_as_it_is() -> None:
    x = torch.rand(3, 4)
    same(run(rust_inductor.compile(cond_of_containers), x, recorded=True), run(cond_of_containers, x, recorded=True))


def test_branches_that_give_an_operand_are_refused() -> None:
    with pytest.raises(RuntimeError, match="gives back a tensor which it is given"):
        rust_inductor.compile(gives_operand, backend="eager", fullgraph=True)(torch.ones(3))


def test_graphs_print_and_nest() -> None:
    seen: list[torch.fx.GraphModule] = []

    def keep(gm: torch.fx.GraphModule, _inputs: Any) -> Any:
        seen.append(gm)
        return gm.forward

    rust_inductor.compile(cond_within_cond, backend=keep, fullgraph=True)(torch.ones(3, 4))
    (gm,) = seen
    assert sorted(name for name, _ in gm.named_children()) == ["cond_false_0", "cond_true_0"]
    assert isinstance(gm.cond_false_0, torch.fx.GraphModule)
    assert sorted(name for name, _ in gm.cond_false_0.named_children()) == ["cond_false_0", "cond_true_0"]
    assert "torch.ops.higher_order.cond(" in gm.code


def test_what_a_body_depends_on_is_guarded() -> None:
    factor = {"by": 2}
    compiled = rust_inductor.compile(
        lambda x: cond(x.sum() > 0, lambda y: y * factor["by"], lambda y: y + factor["by"], (x,)), backend="eager"
    )
    x = torch.ones(3)
    same(compiled(x), x * 2)
    factor["by"] = 5
    same(compiled(x), x * 5)
    same(compiled(-x), 5 - x)


@pytest.mark.parametrize("reentrant", [False, True])
def test_gradient_checkpointing_of_a_model(*, reentrant: bool) -> None:
    from transformers import LlamaConfig, LlamaForCausalLM

    sizes = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2}
    torch.manual_seed(0)
    model = LlamaForCausalLM(LlamaConfig(**sizes, num_key_value_heads=2, vocab_size=50, use_cache=False)).train()
    model.gradient_checkpointing_enable({"use_reentrant": reentrant})
    model.enable_input_require_grads()
    words = torch.randint(0, 50, (2, 7))

    def step(function: Callable[..., Any]) -> list[Tensor | None]:
        model.zero_grad()
        logits = function(words)[0]
        logits.square().sum().backward()
        return [logits.detach(), *(parameter.grad for parameter in model.parameters())]

    expected = [None if value is None else value.clone() for value in step(model)]
    for ours, eager in zip(step(rust_inductor.compile(model, fullgraph=True)), expected, strict=True):
        torch.testing.assert_close(ours, eager, rtol=1e-3, atol=1e-3)


def test_graph_modules_are_called_as_modules() -> None:
    traced = torch.fx.symbolic_trace(BLOCK)
    x = torch.randn(3, 4)
    same(rust_inductor.compile(lambda y: traced(y) * 2, backend="eager", fullgraph=True)(x), BLOCK(x) * 2)


def test_torch_traces_through_compiled_functions() -> None:
    compiled = rust_inductor.compile(lambda y: (y @ y.t()).sin(), backend="eager")
    x, other = torch.randn(3, 4), torch.randn(3, 4)
    for _ in range(2):
        scripted = torch.jit.trace(lambda y: compiled(y) + y.sum(), (x,))
        same(scripted(other), (other @ other.t()).sin() + other.sum())
        same(compiled(x), (x @ x.t()).sin())


def test_functions_that_torch_traces_are_left_alone() -> None:
    def traces(x: Tensor) -> tuple[Tensor, Tensor]:
        scripted = torch.jit.trace(lambda y: (y @ y.t()).sin(), (x,))
        symbolic = torch.fx.symbolic_trace(lambda y: torch.relu(y) + 1)
        return scripted(x), symbolic(x)

    x = torch.randn(3, 4)
    same(rust_inductor.compile(traces, backend="eager")(x), traces(x))
