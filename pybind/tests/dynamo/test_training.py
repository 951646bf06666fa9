"""Training steps whose sizes change, and under autocast, are differentiated in Rust and do what eager does."""

from __future__ import annotations

import copy
import subprocess
import sys
from collections import Counter
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional

from pybind.tests.dynamo.test_gradients import differentiated
from pybind.tests.dynamo.test_writes_and_views import program
from pybind.tests.helpers import left_to_aot
from pybind.tests.opinfo.samples import names, samples
from rust_inductor import _aot, _capture

BFLOAT = torch.autocast("cpu", dtype=torch.bfloat16)


@pytest.fixture
def left(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The reasons why graphs were left to AOTAutograd, which does not look at them."""
    reasons = left_to_aot(monkeypatch)
    monkeypatch.setattr(_aot, "compile_module", lambda gm, *_args, **_kwargs: gm.forward)
    return reasons


class Steps:
    """A model and its compiled copy, trained side by side."""

    def __init__(self, model: nn.Module, autocast: bool = False, **options: Any) -> None:
        self.kinds: Counter[str] = Counter()
        self.plain, self.model, self.wide = model, copy.deepcopy(model), copy.deepcopy(model).double()
        self.compiled = _capture.optimize(
            self.model, backend="rust_inductor", on_graph=lambda kind, _graph: self.kinds.update([kind]), **options
        )
        self.autocast = autocast

    def told(self, model: nn.Module, call: Any, args: tuple[torch.Tensor, ...], autocast: bool) -> list[torch.Tensor]:
        """Results, gradients and buffers of a step whose loss is scaled."""
        model.zero_grad()
        torch.manual_seed(0)
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=autocast):
            result = call(*args)
        (result.float() * torch.linspace(-1, 1, result.numel()).view_as(result) * 16).sum().backward()
        return [result.detach(), *[parameter.grad for parameter in model.parameters()], *model.buffers()]

    def __call__(self, *args: torch.Tensor) -> None:
        expected = self.told(self.plain, self.plain, args, self.autocast)
        found = self.told(self.model, self.compiled, args, self.autocast)
        wide = [arg.double() if arg.is_floating_point() else arg for arg in args]
        exact = self.told(self.wide, self.wide, tuple(wide), autocast=False)
        for a, b, c in zip(expected, found, exact, strict=True):
            assert (a.dtype, a.size(), a.stride()) == (b.dtype, b.size(), b.stride())
            if not a.is_floating_point():
                assert torch.equal(a, b)
                continue
            off, eagers = [(each.double() - c).norm().item() for each in (b, a)]
            assert off <= 2 * eagers + (1e-2 if self.autocast else 1e-5) * (1 + c.norm().item())


class Vision(nn.Module):
    """Convolutions, normalised by batches, and a classifier."""

    def __init__(self) -> None:
        super().__init__()
        self.conv, self.norm = nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8)
        self.deep, self.groups = nn.Conv2d(8, 8, 3, groups=8), nn.GroupNorm(2, 8)
        self.last = nn.Linear(8, 5)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        """Scores of each image."""
        pixels = functional.max_pool2d(functional.relu(self.norm(self.conv(image)), inplace=True), 2)
        pixels = functional.avg_pool2d(functional.silu(self.groups(self.deep(pixels))), 2)
        scores: torch.Tensor = self.last(functional.adaptive_avg_pool2d(pixels, 1).flatten(1))
        return scores


class Language(nn.Module):
    """Attention with a mask, and what models do with sizes."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding, self.mix, self.first = (
            nn.Embedding(20, 16),
            nn.Linear(16, 48),
            nn.Parameter(torch.ones(1, 1, 16)),
        )
        self.norm, self.wide, self.narrow = nn.LayerNorm(16), nn.Linear(16, 32), nn.Linear(32, 16)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """A score of each position."""
        batch, length = tokens.shape
        hidden = torch.cat([self.first.expand(batch, -1, -1), self.embedding(tokens)], dim=1)
        heads = self.mix(self.norm(hidden)).view(batch, length + 1, 3, 4, 4).permute(2, 0, 3, 1, 4)
        query, key, value = heads.unbind()
        hidden = hidden + functional.scaled_dot_product_attention(query, key, value, is_causal=True).transpose(
            1, 2
        ).flatten(2)
        mask = torch.ones(length + 1, length + 1, dtype=torch.bool).tril()
        scores = (query @ key.transpose(-2, -1) / 2).masked_fill(~mask, float("-inf")).softmax(-1)
        hidden = hidden + (scores @ value).transpose(1, 2).reshape(batch, -1, 16)
        hidden = hidden + self.narrow(functional.gelu(self.wide(hidden)))
        centred = (hidden - hidden.mean(1, keepdim=True)) / (hidden.var(1, keepdim=True) + 1).sqrt()
        padded = functional.pad(centred[:, 1:], (0, 0, 1, 2)) * length
        logits = padded.repeat(1, 2, 1).chunk(2, dim=1)[0][:, 1 : length + 1] @ self.embedding.weight.t()
        losses = functional.cross_entropy(logits.reshape(-1, 20), tokens.reshape(-1), reduction="none")
        return losses.view(batch, length) / losses.numel()


@pytest.mark.parametrize("autocast", [False, True])
def test_batches_of_images(autocast: bool, left: list[str]) -> None:
    torch.manual_seed(0)
    step = Steps(Vision(), autocast)
    for batch in (2, 3, 4, 7, 3):
        step(torch.randn(batch, 3, 16, 16))
    assert step.kinds == {"forward": 2, "backward": 2}
    step(torch.randn(1, 3, 16, 16))
    assert step.kinds == {"forward": 3, "backward": 3}
    assert not left


@pytest.mark.parametrize("autocast", [False, True])
def test_batches_of_sequences(autocast: bool, left: list[str]) -> None:
    torch.manual_seed(0)
    step = Steps(Language(), autocast)
    for batch, length in ((2, 6), (3, 6), (4, 9), (5, 17), (2, 3), (9, 8)):
        step(torch.randint(20, (batch, length)))
    # The batch's size becomes a symbol, then the length.
    assert step.kinds == {"forward": 3, "backward": 3}
    for batch, length in ((1, 6), (1, 9), (2, 1)):
        step(torch.randint(20, (batch, length)))
    assert not left


class Attention(nn.Module):
    """PyTorch's own attention, of one sequence to itself or of two, as masked."""

    def __init__(self, masked: str, **options: Any) -> None:
        super().__init__()
        self.attention, self.masked = nn.MultiheadAttention(16, 4, batch_first=True, **options), masked

    def forward(self, query: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
        """The sum of what is attended to and of its weights, for short sequences."""
        length = query.size(1)
        ones = query.new_ones(length, other.size(1), dtype=torch.bool)
        masks = {
            "nothing": {},
            "later": {"attn_mask": ones.triu(1)},
            "padded": {"key_padding_mask": ones[:1].triu(other.size(1) - 1).expand(query.size(0), -1)},
        }
        attended: torch.Tensor
        attended, weights = self.attention(query, other, other, need_weights=length < 9, **masks[self.masked])
        return attended if weights is None else attended + weights.sum()


@pytest.mark.parametrize("masked", ["nothing", "later", "padded"])
@pytest.mark.parametrize("options", [{}, {"bias": False, "add_zero_attn": True}, {"kdim": 24, "vdim": 24}])
def test_attention_modules(masked: str, options: dict[str, Any], left: list[str]) -> None:
    torch.manual_seed(0)
    steps = Steps(Attention(masked, **options))
    for batch, length in ((3, 5), (2, 5), (4, 12)):
        query = torch.randn(batch, length, 16)
        steps(query, torch.randn(batch, length + 2, 24) if "kdim" in options else query)
    assert not left


def test_sizes_that_no_saved_tensor_has(left: list[str]) -> None:
    def scaled(x: torch.Tensor, w: torch.Tensor, n: int) -> torch.Tensor:
        return (x.sum(0) * w * n).mean() / (x.shape[0] - 1)

    kinds: list[str] = []
    compiled = _capture.optimize(scaled, backend="rust_inductor", on_graph=lambda kind, _graph: kinds.append(kind))
    for rows, n in ((3, 2), (4, 3), (5, 5), (7, 4)):
        found = []
        for function in (scaled, compiled):
            x, w = torch.randn(rows, 4).fill_(2).requires_grad_(), torch.ones(4, requires_grad=True)
            result = function(x, w, n)
            result.backward(retain_graph=True)
            result.backward()
            found.append([result, x.grad, w.grad])
        torch.testing.assert_close(*found)
    assert kinds == ["forward", "backward"] * 2
    assert not left


#: Samples of each operator, and how many of the operators are tried.
FIRST, STEP = 2, 4
OPERATORS = names(torch.float64, grad=True)[::STEP]


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_of_symbolic_sizes_have_eagers_gradients(name: str, left: list[str]) -> None:
    for number, sample in zip(range(FIRST), samples(name, torch.float64, grad=True), strict=False):
        try:
            expected = differentiated(sample.function, sample, number)
        except (RuntimeError, TypeError, ValueError):
            continue
        scope = {"operator": sample.function}
        exec(compile(f"def call(*a, **k):\n    return operator(*a, **k)  # {name} {number}", name, "exec"), scope)
        compiled = _capture.optimize(scope["call"], backend="rust_inductor", dynamic=True)
        found = differentiated(compiled, sample, number)
        torch.testing.assert_close(found, expected, rtol=1e-6, atol=1e-8, equal_nan=True)
    del left


def cast(x: torch.Tensor, w: torch.Tensor) -> Any:
    with BFLOAT:
        y = (x @ w).relu() @ w
    return y.float() @ w, y


def cast_around(x: torch.Tensor, w: torch.Tensor) -> Any:
    y = functional.relu(x @ w, inplace=True) + 1
    y.mul_(2)
    with torch.autocast("cpu", enabled=False):
        z = y.float() @ w
    return z @ w, functional.mse_loss(y, x), torch.cat([y, x]), y.softmax(-1), functional.layer_norm(y, (4,))


def cast_without_gradients(x: torch.Tensor, w: torch.Tensor) -> Any:
    with torch.no_grad():
        y = x @ w
    return y, x @ w, functional.linear(x.expand(2, 3, 4)[:, ::2], w, w[0])


def cast_of_written(x: torch.Tensor, w: torch.Tensor) -> Any:
    v = w * 1
    v.mul_(2)
    y = x @ v
    y[:, 0].add_(1)
    return y @ v, v


@pytest.mark.parametrize("ambient", [False, True])
@pytest.mark.parametrize("function", [cast, cast_around, cast_without_gradients, cast_of_written])
def test_autocast(function: Any, ambient: bool, left: list[str]) -> None:
    compiled = _capture.optimize(function, backend="rust_inductor")
    told = []
    for each in (function, compiled):
        torch.manual_seed(0)
        x, w = torch.randn(3, 4, requires_grad=True), torch.randn(4, 4, requires_grad=True)
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=ambient):
            results = each(x, w)
        total = sum(result.float().square().sum() for result in results if result.requires_grad)
        (total * 2**10).backward()
        told.append([*results, *[leaf.grad / 2**10 for leaf in (x, w) if leaf.grad is not None]])
    torch.testing.assert_close(*told, rtol=2e-2, atol=2e-2)
    assert [each.requires_grad for each in told[0]] == [each.requires_grad for each in told[1]]
    assert not left


def test_weights_are_converted_once() -> None:
    graphs: list[Any] = []

    def twice(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        return (x @ w).relu() @ w

    compiled = _capture.optimize(twice, backend="rust_inductor", on_graph=lambda _kind, graph: graphs.append(graph))
    with BFLOAT:
        compiled(torch.randn(3, 4), torch.randn(4, 4, requires_grad=True)).sum().backward()
    assert [name for name, target, _ in graphs[0].fates if "_to_copy" in target] == ["_to_copy", "_to_copy_1"]


def test_inference_under_autocast(left: list[str]) -> None:
    kinds: list[str] = []
    model = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.LayerNorm(8), nn.Linear(8, 2)).eval()
    compiled = _capture.optimize(model, backend="rust_inductor", on_graph=lambda kind, _graph: kinds.append(kind))
    for rows in (3, 4, 5):
        x = torch.randn(rows, 4)
        with torch.no_grad(), BFLOAT:
            torch.testing.assert_close(compiled(x), model(x), rtol=2e-2, atol=2e-2)
        with torch.no_grad():
            torch.testing.assert_close(compiled(x), model(x))
    assert kinds == ["inference"] * 4
    assert not left


def test_nothing_of_torchs_compiler_is_imported() -> None:
    program = """
import sys, torch, rust_inductor
model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU(inplace=True), torch.nn.Linear(4, 2))
known = set(sys.modules)
compiled = rust_inductor.compile(model)
for rows in (3, 4, 5):
    compiled(torch.ones(rows, 4)).sum().backward()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = torch.nn.functional.cross_entropy(compiled(torch.ones(rows, 4)), torch.zeros(rows, dtype=torch.long))
    loss.backward()
roots = ("torch._dynamo", "torch._functorch", "torch._inductor", "torch.fx.experimental.symbolic_shapes", "sympy")
print([name for name in set(sys.modules) - known if name.startswith(roots)])
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_random_writes_and_views_of_symbolic_sizes(left: list[str]) -> None:
    found: Counter[str] = Counter()
    for seed in range(40):
        text, inputs = program(seed)
        scope: dict[str, Any] = {}
        exec(text, scope)
        torch.manual_seed(seed)
        leaves = [torch.randn(4, 6, dtype=torch.float64, requires_grad=True) for _ in range(inputs)]
        found[compare(scope["program"], leaves, text)] += 1
    assert found["same"] > found["refused"] // 2
    del left


def compare(function: Any, leaves: list[torch.Tensor], text: str) -> str:
    """Compare a function of symbolic sizes with eager; tell how it came out."""
    from pybind.tests.dynamo.test_gradients import trained

    expected = trained(function, leaves)
    given = trained(_capture.optimize(function, backend="rust_inductor", dynamic=True), leaves)
    if isinstance(expected, str) or isinstance(given, str):
        return "refused"
    try:
        assert given[0] == expected[0]
        torch.testing.assert_close(given[1:], expected[1:], equal_nan=True)
    except Exception as error:
        error.add_note(text)
        raise
    return "same"
