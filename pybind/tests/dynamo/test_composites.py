"""Composites that are taken apart, and tensors of lists of numbers: without AOTAutograd, with gradients and without."""

from __future__ import annotations

import itertools
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

import rust_inductor
from pybind.tests.helpers import left_to_aot

TARGET = torch.tensor([0, 1, 2, 4, -100, 3])
WEIGHT = torch.linspace(0.5, 1.5, 5)
IMAGE = torch.linspace(-2, 2, 90).reshape(2, 5, 3, 3).sin()
PLACES = F.max_pool2d(torch.linspace(-9, 9, 360).reshape(2, 5, 6, 6).sin(), 2, return_indices=True)[1]
MARKS = torch.tensor([1.0, -1.0, 1.0, -1.0, 0.0, 1.0])
MASK = torch.arange(30).reshape(6, 5) % 3 == 0
PIXELS = torch.arange(18).reshape(2, 3, 3) % 5

LOSSES: dict[str, Callable[[Tensor], Tensor]] = {
    "mean": lambda x: F.cross_entropy(x, TARGET),
    "sum": lambda x: F.cross_entropy(x, TARGET, reduction="sum"),
    "none": lambda x: F.cross_entropy(x, TARGET, reduction="none"),
    "weighted": lambda x: F.cross_entropy(x, TARGET, WEIGHT),
    "one": lambda x: F.cross_entropy(x[1], TARGET[1]),
    "images": lambda x: F.cross_entropy(IMAGE + x[0, 0], PIXELS),
    "weighted images": lambda x: F.cross_entropy(IMAGE * x[0, 0], PIXELS, WEIGHT, ignore_index=1),
    "smoothed": lambda x: F.cross_entropy(x, TARGET, label_smoothing=0.1),
    "smoothed none": lambda x: F.cross_entropy(x, TARGET, label_smoothing=0.2, reduction="none"),
    "smoothed sum": lambda x: F.cross_entropy(x, TARGET, label_smoothing=0.3, reduction="sum"),
    "smoothed one": lambda x: F.cross_entropy(x[2], TARGET[2], label_smoothing=0.1),
    "smoothed images": lambda x: F.cross_entropy(IMAGE + x[0, 0], PIXELS, label_smoothing=0.1, ignore_index=2),
    "double": lambda x: F.cross_entropy(x.double(), TARGET, label_smoothing=0.1),
    "likelihood": lambda x: F.nll_loss(F.log_softmax(x, 1), TARGET),
    "likelihood of images": lambda x: F.nll_loss(IMAGE + x[0, 0], PIXELS),
    "magnitudes": lambda x: F.l1_loss(x, x.detach().flip(0)),
    "magnitudes of two types": lambda x: F.l1_loss(x, x.detach().double()),
    "margins": lambda x: F.hinge_embedding_loss(x, MARKS[:, None].expand(6, 5), 1.5),
    "margins none": lambda x: F.hinge_embedding_loss(x, MARKS[:, None], reduction="none"),
    "soft margins": lambda x: F.soft_margin_loss(x, MARKS[:, None].expand(6, 5).contiguous()),
    "soft margins sum": lambda x: F.soft_margin_loss(x, MARKS[:, None].expand(6, 5).contiguous(), reduction="sum"),
    "cosines": lambda x: F.cosine_embedding_loss(x, x.detach().flip(0), MARKS, 0.1),
    "cosines sum": lambda x: F.cosine_embedding_loss(x * 2, x.flip(0), MARKS.long(), reduction="sum"),
    "margins of integers": lambda x: F.hinge_embedding_loss(x, MARKS.long()[:, None].expand(6, 5)),
    "one cosine": lambda x: F.cosine_embedding_loss(x[0], x[1], MARKS[0], reduction="none"),
}

OTHERS: dict[str, Callable[[Tensor], Any]] = {
    "sigmoid": F.logsigmoid,
    "rows by length": lambda x: torch._weight_norm(x, x[:, :1] + 2),
    "columns by length": lambda x: torch._weight_norm(x, x[:1] * 2, 1),
    "transposed by length": lambda x: torch._weight_norm(x.t(), x.t()[:, :1] + 2, 0),
    "windows": lambda x: F.unfold(IMAGE[:, :1] * x[0, 0], 2, padding=1),
    "windows put back": lambda x: F.fold(
        F.unfold(IMAGE * x[0, 0], (2, 1), stride=(1, 2)), (3, 3), (2, 1), stride=(1, 2)
    ),
    "distances": lambda x: torch.cdist(x, x.flip(0) + 1),
    "distances of batches": lambda x: torch.cdist(x[None], (x * 2)[None], p=1.0),
    "statistics of a batch": lambda x: F.batch_norm(x, None, None, WEIGHT, WEIGHT * 2, training=True),
    "statistics of images": lambda x: F.instance_norm(IMAGE * x[0, 0], weight=WEIGHT + x[1], bias=x[2]) * 2,
    "given statistics of images": lambda x: F.instance_norm(IMAGE * x[0, 0], WEIGHT, WEIGHT, use_input_stats=False) * 2,
    "dropped channels": lambda x: F.dropout2d(IMAGE * x[0, 0], 0.4),
    "all channels dropped": lambda x: F.dropout2d(IMAGE * x[0, 0], 1.0),
    "no channels dropped": lambda x: (F.dropout2d(IMAGE * x[0, 0], 0.4, False), F.dropout2d(IMAGE * x[0, 0], 0.0)),
    "scattered by a mask": lambda x: x.masked_scatter(MASK, x.flip(0) * 2),
    "scattered in rows": lambda x: x[0].masked_scatter(MASK, x.flip(0) * 2),
    "taken": lambda x: x.take(TARGET.clamp(min=0) * 3 - 1),
    "turned": lambda x: x.rot90(-1) + x.rot90(7) + IMAGE.rot90(2, (2, 3))[0, 0, 0, 0],
    "turned back": lambda x: tuple((x * 2).rot90(turns, (1, 0)) for turns in (1, 2, 3)),
    "norms": lambda x: tuple(torch.linalg.vector_norm(x, order, dim=1) for order in (0.5, 1.5, 3, -1, float("inf"))),
    "logarithms of running sums": lambda x: (x.logcumsumexp(1), (x * 3).logcumsumexp(0) * x),
    "no larger norms": lambda x: (x.renorm(2, 0, 1.0), torch.renorm(x * 2, 1, -1, 0.5), x.t().renorm(3.0, 0, 0.25)),
    "put back": lambda x: F.max_unpool2d(IMAGE * x[0, 0], PLACES, (2, 2)) * 3,
    "within": lambda x: torch.clamp(x, x[0], x[0] + 1),
    "within itself": lambda x: torch.clamp(x.round(), x[:, :1].round(), x.flip(0).round()),
}

LITERALS: dict[str, Callable[[Tensor], Any]] = {
    "indices": lambda x: x[torch.tensor([0, 2])],
    "floats": lambda x: x * torch.tensor([0.1, 0.2, 0.3, 0.4, 0.5]),
    "rows": lambda x: x[:, :2] @ torch.tensor([[1.0, 2.0], [3.0, 4.0]]),
    "deep": lambda x: torch.tensor([[[1.0], [2.0]], [[3.0], [4.0]]]) + x[0, 0],
    "mixed": lambda x: torch.tensor([1, 2.5, True]) + x[0, 0],
    "alike": lambda x: x + torch.tensor((2.0, 2.0, 2.0, 2.0, 2.0)),
    "one": lambda x: x + torch.tensor([3]),
    "empty": lambda x: (x + 1, torch.tensor([]), torch.tensor([[], []])),
    "zeros": lambda x: (x + 1, 1 / torch.tensor([0.0, -0.0])),
    "not a number": lambda x: (x + 1, torch.tensor([float("nan"), float("inf"), 1.0])),
    "large": lambda x: (x + 1, torch.tensor([2**60 + 1, -3])),
    "types": lambda x: (
        x * torch.tensor([1, 2, 3, 4, 5], dtype=torch.int32),
        torch.tensor([1.5, 0.1], dtype=torch.float64),
        torch.tensor([0.1, 3], dtype=torch.bfloat16),
        torch.tensor([0.1, 2], dtype=torch.float16),
        torch.tensor([1, 200], dtype=torch.uint8),
        torch.tensor([-7, 8], dtype=torch.int8),
        torch.tensor([1.7, -2.2], dtype=torch.int64),
        torch.tensor([1, 0, 0.5], dtype=torch.bool),
    ),
    "written": lambda x: torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0]).add_(x[0]),
    "alone": lambda x: torch.tensor([[1, 2], [3, 4]]),
    "many": lambda x: x[0, 0] + torch.tensor(list(range(64))),
    "embedded": lambda x: F.embedding(torch.tensor([1, 0]), x),
}


def told(results: Any, x: Tensor) -> list[Any]:
    """Values, layouts and gradients of results."""
    found: list[Any] = []
    for result in results if isinstance(results, tuple) else (results,):
        found += [result.detach(), result.dtype, result.stride(), result.requires_grad, result._is_view()]
        if result.requires_grad:
            found += torch.autograd.grad(result.sum(), x, retain_graph=True)
    return found


@pytest.mark.parametrize("asked", list(itertools.product([True, False], repeat=3)))
def test_gradients_of_equal_bounds(asked: tuple[bool, bool, bool]) -> None:
    values = torch.tensor(list(itertools.product([1.0, 2.0, 3.0, float("nan")], repeat=3)))
    both = []
    for clamp in (rust_inductor.compile(lambda x, low, high: torch.clamp(x, low, high)), torch.clamp):
        operands = [values[:, at].clone().requires_grad_(is_asked) for at, is_asked in enumerate(asked)]
        result = clamp(*operands)
        if result.requires_grad:
            (result * torch.arange(1.0, 65.0)).sum().backward()
        both.append([result.detach(), *(it.grad for it in operands)])
    for one, other in zip(*both, strict=True):
        torch.testing.assert_close(one, other, equal_nan=True)


@pytest.mark.parametrize("is_recorded", [False, True])
@pytest.mark.parametrize("name", [*LOSSES, *OTHERS, *LITERALS])
def test_without_aotautograd(name: str, is_recorded: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    function = {**LOSSES, **OTHERS, **LITERALS}[name]
    left = left_to_aot(monkeypatch)
    compiled = rust_inductor.compile(function)
    with torch.set_grad_enabled(is_recorded):
        for seed in range(2):
            torch.manual_seed(seed)
            x = torch.randn(6, 5, requires_grad=True)
            both = []
            for way in (compiled, function):
                torch.manual_seed(seed)
                both.append(told(way(x), x))
            ours, theirs = both
            assert len(ours) == len(theirs)
            for one, other in zip(ours, theirs, strict=True):
                if isinstance(one, Tensor):
                    torch.testing.assert_close(one, other, equal_nan=True)
                else:
                    assert one == other
    assert left == []
    assert "AOTAutograd" not in str(rust_inductor.explain(function)(x))


def test_a_class_that_is_none() -> None:
    compiled = rust_inductor.compile(lambda x, t: F.cross_entropy(x, t) * 2)
    x = torch.randn(2, 5)
    with torch.no_grad():
        assert compiled(x, torch.tensor([0, 4])).item() > 0
        with pytest.raises(IndexError, match="Target 7 is out of bounds"):
            compiled(x, torch.tensor([0, 7]))


@pytest.mark.parametrize("numbers", [[300], [float("inf")], [[1], [2, 3]], [2**70]])
def test_lists_that_torch_refuses(numbers: list[Any]) -> None:
    def program(x: Tensor) -> Any:
        return x, torch.tensor(numbers, dtype=torch.uint8)

    with pytest.raises((RuntimeError, ValueError, OverflowError, TypeError)) as theirs:
        program(torch.ones(1))
    with pytest.raises(theirs.type):
        rust_inductor.compile(program)(torch.ones(1))


@pytest.mark.parametrize(
    ("numbers", "dtype"),
    [
        ([127.9, 1], torch.int8),
        ([-0.5, 3], torch.uint8),
        ([-128.5, 3], torch.int8),
        ([9.1e15, 1.5], torch.int64),
        ([float("nan"), 1], torch.int64),
        ([1e6, 1], torch.float16),
        ([1e6], torch.float16),
        ([3.4e38, 1], torch.bfloat16),
        ([1e300, 1], torch.float32),
        ([1e300], None),
        ([2**53 + 1, 0.5], None),
    ],
)
def test_numbers_at_the_edge_of_a_type(numbers: list[Any], dtype: torch.dtype | None) -> None:
    def program(x: Tensor) -> Any:
        return x + 1, torch.tensor(numbers, dtype=dtype)

    def outcome(function: Any) -> str:
        try:
            return repr(function(torch.ones(1)))
        except (RuntimeError, ValueError, OverflowError, TypeError) as error:
            return type(error).__name__

    assert outcome(rust_inductor.compile(program)) == outcome(program)


#: Calls of which torch is asked what they give or come down to, with gradients and without.
QUESTIONS = """
import sys, torch, rust_inductor
import torch.nn.functional as F
x = torch.randn(4, 8)
functions = [
    lambda x: torch.einsum("ij,kj->ik", x, x),
    lambda x: torch.cdist(x, x),
    lambda x: F.embedding_bag(torch.zeros(2, 2, dtype=torch.long), x),
    lambda x: F.grid_sample(x[None, None], torch.zeros(1, 2, 2, 2), align_corners=False),
    lambda x: F.interpolate(x[None], scale_factor=2, mode="linear"),
    lambda x: torch.special.i1(torch.lgamma(x)),
    lambda x: F.multi_head_attention_forward(
        x[:, None], x[:, None], x[:, None], 8, 2, torch.ones(24, 8), None, None, None, False, 0.0,
        torch.ones(8, 8), None, need_weights=False,
    )[0],
]
for function in functions:
    rust_inductor.compile(function)(x)
    rust_inductor.compile(function)(x.clone().requires_grad_()).sum().backward()
theirs = ("torch._dynamo", "torch._functorch.aot_autograd", "torch._inductor")
print([name for name in theirs if name in sys.modules])
"""


def test_questions_to_torch_do_not_load_its_dynamo() -> None:
    told = subprocess.run([sys.executable, "-c", QUESTIONS], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"
