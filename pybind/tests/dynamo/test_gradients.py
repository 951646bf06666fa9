"""Gradients of graphs that are differentiated in Rust are eager's, and a compiled graph is a node of autograd's."""

from __future__ import annotations

import copy
import math
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import nn
from torch.nn import functional
from torch.utils import _pytree

import rust_inductor
from pybind.tests.dynamo.test_writes_and_views import FIRST as FIRST_PROGRAM
from pybind.tests.dynamo.test_writes_and_views import PROGRAMS, program
from pybind.tests.opinfo.samples import Sample, names, samples, with_code_of_its_own
from rust_inductor import _aot, _capture

if TYPE_CHECKING:
    from collections.abc import Callable

#: Samples of each operator.
FIRST = 3
#: Fewer would mean that the Rust way is not taken.
LEAST_DIFFERENTIATED = 320


def differentiated(function: Any, sample: Sample, seed: int) -> tuple[list[Any], list[Any]]:
    """The results of a call, and the gradients by its inputs of a random combination of them."""
    leaves = _pytree.tree_leaves((sample.input, sample.args, sample.kwargs))
    inputs = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor) and leaf.requires_grad]
    torch.manual_seed(seed)
    results = function(sample.input, *sample.args, **sample.kwargs)
    results = [leaf for leaf in _pytree.tree_leaves(results) if isinstance(leaf, torch.Tensor)]
    recorded = [result for result in results if result.requires_grad]
    weights = [torch.randn_like(result) for result in recorded]
    return results, list(torch.autograd.grad(recorded, inputs, weights, allow_unused=True)) if recorded else []


def noted(kinds: list[str]) -> Any:
    """A listener that notes the kinds of graphs."""
    return lambda kind, _compiled: kinds.append(kind)


OPERATORS = names(torch.float64, grad=True)
#: The operators that ran, and those of them that were differentiated in Rust.
TRIED: set[str] = set()
DIFFERENTIATED: set[str] = set()


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_have_eagers_gradients(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    TRIED.add(name)
    # What goes through AOTAutograd is tested elsewhere.
    monkeypatch.setattr(_aot, "compile_module", lambda gm, *_args, **_kwargs: gm.forward)
    for number, sample in zip(range(FIRST), samples(name, torch.float64, grad=True), strict=False):
        try:
            expected = differentiated(sample.function, sample, number)
        except (RuntimeError, TypeError, ValueError):
            continue
        kinds: list[str] = []
        function = with_code_of_its_own(sample.function, f"{name} {number}")
        compiled = _capture.optimize(function, backend="rust_inductor", dynamic=False, on_graph=noted(kinds))
        found = differentiated(compiled, sample, number)
        if "forward" in kinds:
            DIFFERENTIATED.add(name)
        torch.testing.assert_close(found, expected, rtol=1e-6, atol=1e-8, equal_nan=True)
        assert [each.requires_grad for each in found[0]] == [each.requires_grad for each in expected[0]]


def test_most_operators_are_differentiated_in_rust() -> None:
    if len(TRIED) < len(OPERATORS):
        pytest.skip("the operators have not run in this process")
    assert len(DIFFERENTIATED) >= LEAST_DIFFERENTIATED


class Block(nn.Module):
    """The layers of vision and language models."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1)
        self.batch_norm, self.group_norm = nn.BatchNorm2d(8), nn.GroupNorm(2, 8)
        self.embedding, self.inner = nn.Embedding(10, 8), nn.Linear(8, 8)
        self.norm, self.last = nn.LayerNorm(8), nn.Linear(8, 8)

    def forward(self, image: torch.Tensor, tokens: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """A loss of an image and tokens."""
        pixels = functional.max_pool2d(functional.relu(self.batch_norm(self.conv(image)), inplace=True), 2)
        pixels = functional.adaptive_avg_pool2d(self.group_norm(pixels), 1).flatten(1)
        hidden = functional.dropout(self.norm(self.inner(self.embedding(tokens))), 0.1, self.training)
        heads = hidden.view(2, 4, 2, 4).transpose(1, 2)
        attended = functional.scaled_dot_product_attention(heads, heads, heads, attn_mask=mask)
        dropped = functional.scaled_dot_product_attention(heads, heads, heads, dropout_p=0.1, is_causal=True)
        joined = (attended + dropped).transpose(1, 2).reshape(2, 4, 8)
        joined = torch.matmul(joined, joined.transpose(1, 2)).softmax(-1) @ joined
        scores = self.last(functional.gelu(joined) + pixels[:, None])
        return functional.cross_entropy(scores.view(-1, 8), tokens.view(-1))


@pytest.mark.parametrize("training", [True, False])
def test_layers(training: bool, through_aot: list[Any]) -> None:
    plain = Block().train(training)
    model = copy.deepcopy(plain)
    compiled = rust_inductor.compile(model)
    image, tokens = torch.randn(2, 3, 8, 8), torch.randint(8, (2, 4))
    mask = torch.ones(4, 4, dtype=torch.bool).tril()
    for seed in range(3):
        losses = []
        for each in (plain, compiled):
            torch.manual_seed(seed)
            losses.append(each(image, tokens, mask))
            losses[-1].backward()
        torch.testing.assert_close(*losses)
        for a, b in zip(plain.parameters(), model.parameters(), strict=True):
            torch.testing.assert_close(a.grad, b.grad, rtol=1e-4, atol=1e-5)
        torch.testing.assert_close(list(plain.buffers()), list(model.buffers()))
    assert not through_aot


#: Sizes of queries and keys, and how attention is called.
ATTENTION = [
    ((2, 4, 12, 16), (2, 4, 12, 16), {}),
    ((2, 4, 12, 16), (2, 4, 12, 16), {"is_causal": True}),
    ((2, 4, 12, 16), (2, 4, 12, 16), {"is_causal": True, "dropout_p": 0.2}),
    ((2, 4, 12, 16), (2, 4, 12, 16), {"scale": 0.3}),
    ((2, 4, 12, 16), (2, 4, 7, 16), {}),
    ((2, 4, 12, 16), (2, 1, 12, 16), {}),
    ((2, 4, 12, 16), (2, 2, 12, 16), {"enable_gqa": True}),
    ((2, 4, 12, 16), (2, 1, 12, 16), {"enable_gqa": True, "dropout_p": 0.2}),
    ((2, 4, 12, 16), (1, 4, 12, 16), {}),
    ((4, 12, 16), (4, 12, 16), {}),
    ((2, 4, 12, 16), (2, 4, 12, 16), {"attn_mask": torch.ones(12, 12, dtype=torch.bool).tril()}),
    ((2, 4, 12, 16), (2, 4, 12, 16), {"attn_mask": torch.linspace(-1, 1, 144).reshape(1, 1, 12, 12)}),
]


@pytest.mark.parametrize(("of_query", "of_key", "options"), ATTENTION)
def test_attention(of_query: Any, of_key: Any, options: Any, through_aot: list[Any]) -> None:
    def attention(query, key, value):
        return functional.scaled_dot_product_attention(query, key, value, **options)

    inputs = [torch.randn(*size, requires_grad=True) for size in (of_query, of_key, of_key)]
    found = []
    for each in (attention, rust_inductor.compile(attention, dynamic=False)):
        torch.manual_seed(1)
        result = each(*inputs)
        weights = torch.linspace(-1, 1, result.numel()).reshape(result.shape)
        found.append([result, *torch.autograd.grad(result, inputs, weights)])
    torch.testing.assert_close(*found, rtol=1e-4, atol=1e-5)
    assert found[0][0].stride() == found[1][0].stride()
    assert not through_aot


def test_neither_dynamo_nor_aotautograd_is_imported() -> None:
    program = """
import sys, torch, rust_inductor
model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2))
known = set(sys.modules)
rust_inductor.compile(model)(torch.ones(3, 4)).sum().backward()
roots = ("torch._dynamo", "torch._functorch.aot", "torch._functorch._aot", "torch._inductor", "sympy")
print([name for name in set(sys.modules) - known if name.startswith(roots)])
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def told(function: Any, use: Any) -> Any:
    """The outcome of a use of a function, exceptions by their first words."""
    torch.manual_seed(0)
    x = torch.linspace(-1, 2, 12, dtype=torch.float64).reshape(3, 4).requires_grad_()
    w = torch.linspace(1, 2, 4, dtype=torch.float64).requires_grad_()
    try:
        return "", (use(function, x, w), x.grad, w.grad)
    except RuntimeError as error:
        return str(error)[:40], (x.grad, w.grad)


def plain(x, w):
    return (x + 1) * w


def several(x, w):
    return x.sin(), (w * 2).exp(), x.argmax(1), x.detach() * w


def inside(x, w):
    with torch.no_grad():
        scale = w.exp()
    return (x * scale).tanh() + w.detach()


def written(x, w):
    y = x * 2
    y[0] = w
    y[:, 1].mul_(3)
    return y.relu_()


def detached_write(x, w):
    y = x * w
    y.detach().add_(1)
    return y * y


def unrecorded_write(x, w):
    y = x * w
    with torch.no_grad():
        y.mul_(2)
    return y * w


def copied(x, w):
    return (x.t().reshape(-1).reshape(4, 3).t() + w).sin()


def views(x, w):
    y = x * w
    return y, y.t(), y[0], x.view(4, 3)


def first(results):
    return results[0] if isinstance(results, tuple) else results


def backward(f, x, w):
    total = sum(each.sum() for each in _pytree.tree_leaves(f(x, w)) if each.requires_grad)
    total.backward()
    return total.detach()


def twice(f, x, w):
    y = first(f(x, w)).sum()
    y.backward(retain_graph=True)
    y.backward()


def twice_without_retaining(f, x, w):
    y = first(f(x, w)).sum()
    y.backward()
    y.backward()


def one_of_them(f, x, w):
    first(f(x, w)).backward(torch.ones(3, 4, dtype=torch.float64))


def the_last_of_them(f, x, w):
    _pytree.tree_leaves(f(x, w))[-1].sum().backward()


def of_a_frozen_input(f, x, w):
    w.requires_grad_(False)
    return backward(f, x, w)


def of_one_input(f, x, w):
    return torch.autograd.grad(first(f(x, w)).sum(), x)


def with_hooks(f, x, w):
    seen = []
    y = first(f(x, w))
    y.register_hook(lambda grad: grad * 2)
    x.register_hook(lambda grad: seen.append(grad.clone()))
    y.sum().backward()
    return seen


def with_saved_tensor_hooks(f, x, w):
    with torch.autograd.graph.saved_tensors_hooks(lambda t: (t + 0, 1), lambda pair: pair[0]):
        y = first(f(x, w))
    y.sum().backward()


def input_written_between(f, x, w):
    data = x.detach().clone().requires_grad_()
    y = first(f(data * 1, w)).sum()
    with torch.no_grad():
        data.zero_()
    y.backward()
    return data.grad


def leaf_written_between(f, x, w):
    y = first(f(x, w)).sum()
    with torch.no_grad():
        x.zero_()
    y.backward()


def weight_written_between(f, x, w):
    y = first(f(x, w)).sum()
    with torch.no_grad():
        w.add_(1)
    y.backward()


def result_written_between(f, x, w):
    y = first(f(x, w))
    z = y * 1
    with torch.no_grad():
        y.zero_()
    z.sum().backward()


def result_not_written(f, x, w):
    z = first(f(x, w)) * 1
    z.sum().backward()


def result_of_inference(f, x, w):
    with torch.no_grad():
        return [each.requires_grad for each in _pytree.tree_leaves(f(x, w))]


def under_autocast(f, x, w):
    y = first(f(x, w)).sum()
    with torch.autocast("cpu"):
        y.backward()


def strided_gradient(f, x, w):
    first(f(x, w)).backward(torch.arange(12.0, dtype=torch.float64).reshape(4, 3).t())


#: AOTAutograd refuses to go backwards through a graph twice, and takes these.
ONCE = [detached_write, unrecorded_write]
FUNCTIONS = [plain, several, inside, written, detached_write, unrecorded_write, copied, views]
USES = [
    backward,
    twice,
    twice_without_retaining,
    one_of_them,
    the_last_of_them,
    of_a_frozen_input,
    of_one_input,
    with_hooks,
    with_saved_tensor_hooks,
    input_written_between,
    leaf_written_between,
    weight_written_between,
    result_written_between,
    result_of_inference,
    under_autocast,
    strided_gradient,
]


#: Uses that eager refuses, which here have the gradients of another use: `relu_` saves its result, we save a mask.
HARMLESS = {(written, result_written_between): result_not_written}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_it_is_used_as_eager(function: Any, use: Any) -> None:
    if use is twice and function in ONCE:
        pytest.skip("torch's limit")
    compiled = rust_inductor.compile(function)
    in_eager = HARMLESS.get((function, use), use)
    for _ in range(2):
        (found, found_values), (expected, expected_values) = told(compiled, use), told(function, in_eager)
        assert found == expected
        torch.testing.assert_close(found_values, expected_values)


def test_layers_that_are_checkpointed() -> None:
    plain = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 4))
    model = copy.deepcopy(plain)
    x = torch.randn(3, 4)
    for each in (plain, rust_inductor.compile(model)):
        torch.utils.checkpoint.checkpoint(each, x, use_reentrant=False).sum().backward()
    for a, b in zip(plain.parameters(), model.parameters(), strict=True):
        torch.testing.assert_close(a.grad, b.grad)


def test_gradients_of_gradients_are_refused() -> None:
    x = torch.ones(3, requires_grad=True)
    (grad,) = torch.autograd.grad(rust_inductor.compile(torch.sin)(x).sum(), x, create_graph=True)
    with pytest.raises(RuntimeError, match="gradients of gradients"):
        grad.sum().backward()


#: Functions, and whether their gradients depend on their argument.
TWICE = {
    "of an input": (lambda x: (x**3).sum(), True),
    "of values in between": (lambda x: (x.sin().exp() * x.cos()).sum(), True),
    "of a mask": (lambda x: (x * (x > 1.5)).sum(), True),
    "linear": (lambda x: (x * 3).sum(), False),
}


@pytest.mark.parametrize("name", TWICE)
def test_gradients_of_gradients_are_never_zero_in_silence(name: str) -> None:
    function, depends = TWICE[name]
    compiled = rust_inductor.compile(function)
    for ask in (
        lambda f: torch.autograd.functional.hessian(f, torch.tensor([1.0, 2.0])),
        lambda f: torch.autograd.functional.hvp(f, torch.tensor([1.0, 2.0]), torch.ones(2))[1],
    ):
        if depends:
            with pytest.raises(RuntimeError, match="gradients of gradients"):
                ask(compiled)
        else:
            torch.testing.assert_close(ask(compiled), ask(function))
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (gradient,) = torch.autograd.grad(compiled(x), x, create_graph=True)
    with pytest.raises(RuntimeError, match="gradients of gradients" if depends else "does not require grad"):
        torch.autograd.grad(gradient.sum(), x, allow_unused=True)


SPARSE = {
    "embedding": lambda w: functional.embedding(torch.tensor([1, 2, 1]), w, sparse=True),
    "embedding_bag": lambda w: functional.embedding_bag(torch.tensor([[1, 2, 1]]), w, mode="sum", sparse=True),
    "gather": lambda w: torch.gather(w, 0, torch.tensor([[1, 2, 1]]), sparse_grad=True),
}


@pytest.mark.parametrize("name", SPARSE)
def test_gradients_that_are_sparse(name: str) -> None:
    found = []
    for function in (SPARSE[name], rust_inductor.compile(SPARSE[name])):
        w = torch.arange(12.0).reshape(4, 3).requires_grad_()
        function(w).sum().backward()
        assert w.grad is not None
        found.append(w.grad)
    assert found[0].layout == found[1].layout == torch.sparse_coo
    torch.testing.assert_close(found[0].to_dense(), found[1].to_dense())


def test_nothing_is_computed_for_results_without_gradients() -> None:
    kinds: list[str] = []
    compiled = _capture.optimize(several, backend="rust_inductor", on_graph=noted(kinds))
    x, w = torch.ones(3, 4, requires_grad=True), torch.ones(4, requires_grad=True)
    compiled(x, w)[1].sum().backward()
    assert x.grad is None and w.grad is not None
    compiled(x, w)[0].sum().backward()
    assert kinds == ["forward", "backward", "backward"]


def trained(function: Any, leaves: list[torch.Tensor]) -> Any:
    """Results and gradients of a function of values that autograd follows; or the first words of an exception."""
    for leaf in leaves:
        leaf.grad = None
    try:
        results = function(*[leaf * 1 for leaf in leaves])
        recorded = [result for result in results if result.requires_grad]
        if recorded:
            torch.autograd.backward([(result * result).sum() for result in recorded])
    except RuntimeError as error:
        return str(error)[:40]
    told = [(result.size(), result.stride(), result.requires_grad) for result in results]
    return told, [result.detach().clone() for result in results], [leaf.grad for leaf in leaves]


@pytest.mark.parametrize("seed", range(FIRST_PROGRAM, FIRST_PROGRAM + PROGRAMS))
def test_random_writes_and_views_have_eagers_gradients(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # What goes through AOTAutograd is tested elsewhere.
    monkeypatch.setattr(_aot, "compile_module", lambda gm, *_args, **_kwargs: gm.forward)
    text, inputs = program(seed)
    scope: dict[str, Any] = {}
    exec(text, scope)
    torch.manual_seed(seed)
    leaves = [torch.randn(4, 6, dtype=torch.float64, requires_grad=True) for _ in range(inputs)]
    expected = trained(scope["program"], leaves)
    found = trained(rust_inductor.compile(scope["program"]), leaves)
    if isinstance(expected, str):
        pytest.skip("eager refuses it")
    if isinstance(found, str):
        # What a graph saves is checked as a whole, whichever of its results are differentiated.
        assert found.startswith("one of the variables needed for gradient")
        return
    try:
        assert found[0] == expected[0]
        torch.testing.assert_close(found[1:], expected[1:], equal_nan=True)
    except Exception as error:
        error.add_note(text)
        raise


#: Operators whose gradient is shared, or goes nowhere, where operands are equal or no numbers.
AT_TIES: dict[str, Callable[..., Any]] = {
    "clamp": lambda x, low, high: torch.clamp(x, 1.0, 2.0),
    "clamp from": lambda x, low, high: torch.clamp(x, 2.0),
    "clamp to": lambda x, low, high: x.clamp(max=2.0),
    "clamp_min": lambda x, low, high: torch.clamp_min(x, 2.0),
    "clamp_max": lambda x, low, high: torch.clamp_max(x, 2.0),
    "clamp from a tensor": lambda x, low, high: torch.clamp(x, low),
    "clamp to a tensor": lambda x, low, high: torch.clamp(x, max=high),
    "clamp between tensors": torch.clamp,
    "clamp_min of tensors": lambda x, low, high: torch.clamp_min(x, low),
    "clamp_max of tensors": lambda x, low, high: torch.clamp_max(x, high),
    "maximum": lambda x, low, high: torch.maximum(x, low),
    "minimum": lambda x, low, high: torch.minimum(x, high),
    "fmax": lambda x, low, high: torch.fmax(x, low),
    "fmin": lambda x, low, high: torch.fmin(x, high),
    "amax": lambda x, low, high: torch.amax(x.nan_to_num(2.0)),
    "max": lambda x, low, high: x.nan_to_num(2.0).max(),
    "median": lambda x, low, high: x.nan_to_num(2.0).median(),
    "relu": lambda x, low, high: torch.relu(x - 2.0),
    "relu6": lambda x, low, high: functional.relu6(x * 3.0),
    "hardtanh": lambda x, low, high: functional.hardtanh(x, 1.0, 2.0),
    "hardsigmoid": lambda x, low, high: functional.hardsigmoid(x * 3.0),
    "hardswish": lambda x, low, high: functional.hardswish(x.nan_to_num(0.0) * 3.0 - 3.0),
    "hardshrink": lambda x, low, high: functional.hardshrink(x, 2.0),
    "softshrink": lambda x, low, high: functional.softshrink(x, 2.0),
    "threshold": lambda x, low, high: functional.threshold(x, 2.0, 0.0),
    "leaky_relu": lambda x, low, high: functional.leaky_relu(x - 2.0),
    "abs": lambda x, low, high: (x - 2.0).abs(),
    "sign": lambda x, low, high: (x - 2.0).sign() * x,
    "norm": lambda x, low, high: (x[:1] - 1.0).norm() + (x[1:2] - 2.0).norm(1) + x.nan_to_num(2.0).norm(torch.inf),
    "smooth_l1": lambda x, low, high: functional.smooth_l1_loss(x, low, reduction="sum"),
    "huber": lambda x, low, high: functional.huber_loss(x, low, reduction="sum"),
    "l1": lambda x, low, high: functional.l1_loss(x, low, reduction="sum"),
    "hinge": lambda x, low, high: functional.margin_ranking_loss(x, low, high, reduction="sum"),
    "max_pool": lambda x, low, high: functional.max_pool1d(x.nan_to_num(2.0)[None, None], 2),
    "where": lambda x, low, high: torch.where(x > low, x, high),
    "pow": lambda x, low, high: (x - 2.0) ** 2.0 + (x - 2.0).abs() ** 1.5,
    "copysign": lambda x, low, high: torch.copysign(x - 2.0, low),
    "fmod": lambda x, low, high: torch.fmod(x, 2.0) + torch.remainder(x, 2.0),
    "sort": lambda x, low, high: x.nan_to_num(2.0).sort().values,
    "topk": lambda x, low, high: x.nan_to_num(2.0).topk(3).values,
    "logsumexp": lambda x, low, high: torch.logsumexp(x.nan_to_num(2.0), 0),
    "prod": lambda x, low, high: (x.nan_to_num(5.0)[2:5] - 2.0).prod() + x[:2].prod(),
    "cummax": lambda x, low, high: x.nan_to_num(2.0).cummax(0).values,
}


@pytest.mark.parametrize("followed", [(True, False, False), (True, True, True)])
@pytest.mark.parametrize("name", AT_TIES)
def test_gradients_where_operands_are_equal_or_no_numbers(name: str, followed: tuple[bool, ...]) -> None:
    nan = math.nan
    x = torch.tensor([1.0, 2.0, 3.0, 2.0, nan, 2.0, 2.0, 0.0, -1.0])
    low = torch.tensor([2.0, 2.0, 2.0, nan, 1.0, 1.0, 2.0, 3.0, -1.0])
    high = torch.tensor([2.5, 2.0, 2.5, 3.0, 3.0, 2.0, nan, 1.0, -1.0])

    def gradients(function: Any) -> list[torch.Tensor | None]:
        leaves = [leaf.clone().requires_grad_(each) for leaf, each in zip((x, low, high), followed, strict=True)]
        result = function(*leaves)
        (result * torch.arange(1.0, result.numel() + 1).view_as(result)).sum().backward()
        return [leaf.grad for leaf in leaves]

    for eager, ours in zip(gradients(AT_TIES[name]), gradients(_capture.optimize(AT_TIES[name])), strict=True):
        assert (eager is None) == (ours is None)
        if eager is not None and ours is not None:
            torch.testing.assert_close(ours, eager, equal_nan=True)


def doubled_view(x: Any) -> Any:
    y = x * 2
    return (y * y).sum(), y[0]


def transposed(x: Any) -> Any:
    y = x * 2
    return (y * y).sum(), y.t()


def view_of_exponentials(x: Any) -> Any:
    y = x.exp()
    return y.sum(), y.view(-1)


def detached_view(x: Any) -> Any:
    y = x.exp()
    return y.sum(), y[0].detach()


def view_of_a_product(x: Any) -> Any:
    y = x @ x.t()
    return (y @ y).sum(), y.t()[1:]


def written_with_autograd(view: Any) -> None:
    view.mul_(2)


def written_without_autograd(view: Any) -> None:
    with torch.no_grad():
        view.mul_(2)


def written_detached(view: Any) -> None:
    view.detach().mul_(2)


@pytest.mark.parametrize("write", [written_with_autograd, written_without_autograd, written_detached])
@pytest.mark.parametrize("program", [doubled_view, transposed, view_of_exponentials, detached_view, view_of_a_product])
def test_writes_to_views_of_what_is_saved_are_noticed(program: Any, write: Any) -> None:
    for function in (program, rust_inductor.compile(program)):
        x = torch.linspace(-1, 1, 6).reshape(3, 2).requires_grad_()
        result, view = function(x)
        write(view)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            result.backward()


@pytest.mark.parametrize("program", [doubled_view, transposed, view_of_exponentials, view_of_a_product])
def test_views_of_what_is_saved_have_gradients(program: Any) -> None:
    given = [torch.linspace(-1, 1, 6).reshape(3, 2).requires_grad_() for _ in range(2)]
    for function, x in zip((program, rust_inductor.compile(program)), given, strict=True):
        result, view = function(x)
        (result + (view * view).sum()).backward()
    torch.testing.assert_close(given[0].grad, given[1].grad)


def test_a_view_of_a_leaf_may_not_be_changed() -> None:
    def of(x: Any) -> Any:
        x[0].mul_(2)
        return x.sum()

    compiled = rust_inductor.compile(of)
    for function in (of, compiled):
        with pytest.raises(RuntimeError, match="a view of a leaf Variable"):
            function(torch.ones(3, 2, requires_grad=True))
    x = torch.ones(3, 2)
    assert compiled(x) == 8
    with torch.no_grad():
        assert compiled(torch.ones(3, 2, requires_grad=True)) == 8
