"""Functions whose sizes change: one graph serves all of them, and size 0 and 1 are right, too."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from pybind.tests.dynamic.counting import Arguments, Counter, check_call, check_calls, marked

mark_dynamic: Any = torch._dynamo.mark_dynamic


@dataclass(frozen=True)
class Case:
    """A function, and its arguments for a size."""

    function: Callable[..., Any]
    make: Callable[[int], Arguments]
    #: Sizes that one graph serves.
    sizes: tuple[int, ...] = (5, 2, 34)
    #: Sizes for which torch makes graphs of their own.
    special: tuple[int, ...] = (1, 0)


def rows(n: int) -> Arguments:
    """One matrix of `n` rows."""
    return (torch.randn(n, 7),)


def square(n: int) -> Arguments:
    """One matrix whose sizes both change."""
    return (torch.randn(n, n + 3),)


def sequence(n: int) -> Arguments:
    """Two batches, `n` tokens, eight features."""
    return (torch.randn(2, n, 8),)


def images(n: int) -> Arguments:
    """A batch of small images."""
    return (torch.randn(n, 3, 8, 8),)


def pixels(n: int) -> Arguments:
    """Images of changing sizes."""
    return (torch.randn(2, 3, n, n + 1),)


def pair(n: int) -> Arguments:
    """Two matrices of the same sizes."""
    return torch.randn(n, 4), torch.randn(n, 4)


def attention(n: int) -> Arguments:
    """Query, key and value of two heads."""
    q, k, v = torch.randn(3, 2, 2, n, 8).unbind()
    return q.clone(), k.clone(), v.clone()


def heads(x: Tensor) -> Tensor:
    """Into rows, into heads, and back."""
    batch, length, width = x.shape
    flat = (x.reshape(batch * length, width) * 2).view(batch, length, 2, width // 2)
    return flat.transpose(1, 2).relu().transpose(1, 2).reshape(batch, length, width)


def twice(x: Tensor, y: Tensor) -> Tensor:
    """Sizes that are tied by a check: `y` has two rows for each of `x`."""
    torch._check(y.shape[0] == 2 * x.shape[0])
    return y.view(2, x.shape[0], 4) + x


def add_in_place(x: Tensor) -> Tensor:
    """Changes its argument, and a part of it again."""
    x.add_(1)
    x[x.shape[0] // 2 :].mul_(3)
    return x.sum(1)


def by_hand(x: Tensor) -> Tensor:
    """Layer normalisation over a size that changes."""
    centred = x - x.mean(-1, keepdim=True)
    return centred * torch.rsqrt(centred.square().mean(-1, keepdim=True) + 1e-5)


def seven_tenths(x: Tensor) -> tuple[Tensor, ...]:
    """Sizes that are computed by way of floats."""
    most = int(x.shape[0] * 0.7)
    return x[:most] * 2, x.new_ones(most + 1), (x + math.floor(x.shape[0] ** 0.5)).cumsum(0)[: math.ceil(most / 3.3)]


REDUCTIONS = {
    "softmax of rows": Case(lambda x: F.softmax(x, -1), rows),
    "softmax over n": Case(lambda x: F.softmax(x * 2, 0), rows),
    "softmax of both": Case(lambda x: F.log_softmax(x, -1), square),
    "layer norm": Case(lambda x: F.layer_norm(x, (7,)), rows),
    "layer norm over n": Case(by_hand, square),
    "sums": Case(lambda x: (x.sum(0), x.sum(), x.sum((0, 1), keepdim=True)), square),
    "mean, var": Case(lambda x: (x.mean(0), x.var(0)), rows, special=()),
    "max, argmax": Case(lambda x: (x.amax(0), x.argmax(0)), rows, special=(1,)),
    "cumsum": Case(lambda x: x.cumsum(0), rows),
    "any, all": Case(lambda x: ((x > 0).any(0), (x > -9).all()), rows),
}

LIBRARY = {
    "attention": Case(lambda q, k, v: F.scaled_dot_product_attention(q, k, v), attention, special=(1,)),
    "causal attention": Case(
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True), attention, special=(1,)
    ),
    "attention by hand": Case(
        lambda q, k, v: (
            F.softmax(q @ k.mT / 8**0.5, -1).masked_fill(q.new_ones(q.shape[2], k.shape[2]).triu(1) > 0, 0) @ v
        ),
        attention,
    ),
    "convolution, batch": Case(
        lambda x: F.conv2d(x, torch.ones(4, 3, 3, 3), padding=1).relu(), images, (5, 2, 14), (1,)
    ),
    "convolution, pixels": Case(
        lambda x: F.conv2d(x, torch.ones(4, 3, 3, 3), stride=2, padding=1) + 1, pixels, (9, 4, 16), ()
    ),
    "channels last": Case(
        lambda x: F.conv2d(x.relu(), torch.ones(4, 3, 3, 3)).sigmoid(),
        lambda n: (images(n)[0].to(memory_format=torch.channels_last),),
        (5, 2, 14),  # torch takes another convolution from 16 on
        (1,),
    ),
    "max pool": Case(lambda x: F.max_pool2d(x, 2) * 2, pixels, (9, 4, 16), ()),
    "average pool": Case(lambda x: F.adaptive_avg_pool2d(x, 1).flatten(1) + 1, images, special=(1,)),
    "embedding": Case(
        lambda ids: F.embedding(ids, torch.arange(30.0).view(10, 3)) * 2,
        lambda n: (torch.arange(2 * n).view(2, n) % 10,),
    ),
    "matmul": Case(lambda x, y: (x @ y.t(), x.t() @ y + 1), pair),
    "linear": Case(lambda x: F.gelu(F.linear(x, torch.ones(5, 8), torch.ones(5))), sequence),
    "einsum": Case(lambda x: torch.einsum("bsh,bth->bst", x, x * 2), sequence),
}

MOVEMENT = {
    "cat": Case(lambda x, y: torch.cat([x, y.exp(), x[:1]], 0) + 1, pair, special=(1,)),
    "stack": Case(lambda x, y: torch.stack([x, y], 1).flatten(1), pair),
    "pad": Case(lambda x: F.pad(x, (1, 2), value=3.0) * 2, square),
    "pad by n": Case(lambda x: F.pad(x, (0, x.shape[0])), rows),
    "slice": Case(lambda x: (x[1:-1] * 2, x[: x.shape[0] // 2] + 1, x[x.shape[0] // 2 :] + 2), rows, (5, 7, 34), ()),
    "step": Case(lambda x: x[::2] + 1, rows, (5, 4, 34), (1,)),
    "view -1": Case(lambda x: (x.view(-1) * 2, x.reshape(x.shape[0], -1).exp()), sequence),
    "heads": Case(heads, sequence),
    "flatten, unflatten": Case(lambda x: (x.flatten(0, 1) + 1).unflatten(0, (2, -1)), sequence),
    "permute": Case(lambda x: x.permute(1, 2, 0).contiguous() + 1, sequence),
    "flip, roll": Case(lambda x: x.flip(0) + x.roll(1, 0), rows),
    "repeat, expand": Case(lambda x: x.repeat(2, 1) + x[:1].expand(2 * x.shape[0], -1), rows, special=(1,)),
    "index": Case(lambda x: x[torch.arange(x.shape[0]).flip(0)] * 2, rows),
    "gather": Case(lambda x: x.gather(0, torch.zeros_like(x, dtype=torch.long)) + 1, rows, special=(1,)),
    "triu": Case(lambda x: (x.triu(1), x.tril() * 2), square),
    "upsample": Case(lambda x: F.interpolate(x, scale_factor=2.0, mode="nearest") + 1, images, special=(1,)),
    "sort": Case(lambda x: x.sort(0).values + 1, rows),
    "split": Case(lambda x: sum(part.sum() for part in x.split([1, x.shape[0] - 1])), rows, (5, 3, 34), ()),
}

SIZES = {
    "rounded floats": Case(seven_tenths, rows, (12, 9, 34, 10), ()),
    "arange": Case(lambda x: x + torch.arange(x.shape[0])[:, None], rows),
    "zeros, full": Case(lambda x: x.new_zeros(x.shape[0], 3) + torch.full((x.shape[0], 1), x.shape[0]), rows),
    "division by a size": Case(lambda x: x / x.shape[0] + x.shape[0] ** 0.5, rows, special=(1,)),
    "size as output": Case(lambda x: (x.shape[0], x + 1, x.shape[0] * 2 + 1, x.numel()), rows),
    "view as output": Case(lambda x: (x.view(-1), x[1:], x.t()), rows, (5, 3, 34)),
    "no kernel": Case(lambda x: x.shape[0] * 3, rows),
    "comparison": Case(lambda x, y: x + y if x.shape[0] == y.shape[0] else x, pair),
    "branch": Case(lambda x: x * 2 if x.shape[0] > 1 else x * 3, rows),
    "mask of a size": Case(lambda x: torch.where(torch.arange(x.shape[0]) < x.shape[0] // 2, x.t(), 0.0), rows),
    "two sizes": Case(lambda x, y: x[:, None] * y, lambda n: (torch.randn(n), torch.randn(2 * n + 1)), special=(1,)),
    "tied sizes": Case(twice, lambda n: (torch.randn(n, 4), torch.randn(2 * n, 4)), special=(1,)),
    "equal sizes": Case(lambda x, y: x[1:] + y, lambda n: (torch.randn(n + 1, 4), torch.randn(n, 4)), special=()),
    "sum of sizes": Case(
        lambda x, y, z: torch.cat([x, y]) + z, lambda n: (torch.randn(n), torch.randn(n + 2), torch.randn(2 * n + 2))
    ),
}

MEMORY = {
    "in place": Case(add_in_place, rows, (5, 4, 34)),
    "copy": Case(lambda x, y: x.copy_(y * 2), pair),
    "transposed": Case(lambda x: F.softmax(x + 1, -1), lambda n: (torch.randn(7, n).t(),)),
    "transposed, both": Case(lambda x: x.exp() + x.sum(0), lambda n: (torch.randn(n + 3, n).t(),)),
    "expanded": Case(lambda x: x * 2 + x.sum(1, keepdim=True), lambda n: (torch.randn(1, 7).expand(n, 7),)),
    "expanded, offset": Case(lambda x: x.relu() + 1, lambda n: (torch.randn(3, n + 1)[1:, 1:],)),
    "other types": Case(lambda x: (x.to(torch.float64) + 1, x.to(torch.int32), x > 0, x.bfloat16() * 2), rows),
    "integers": Case(lambda x: (x // 3, x % 3, x.sum(0)), lambda n: (torch.arange(n * 4).view(n, 4) - 7,)),
}

CASES = REDUCTIONS | LIBRARY | MOVEMENT | SIZES | MEMORY


@pytest.mark.parametrize("name", CASES)
def test_one_graph_serves_all_sizes(name: str) -> None:
    case = CASES[name]
    counter = check_calls(case.function, marked(mark_dynamic, [case.make(n) for n in case.sizes]), allowed=1)
    assert counter.kinds in (["inference"], [])  # none where nothing is to be computed


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.special])
def test_sizes_zero_and_one(name: str) -> None:
    case = CASES[name]
    check_calls(case.function, [case.make(n) for n in case.special], dynamic=True, allowed=len(case.special))


def test_sizes_in_turns_share_the_memory_between_kernels() -> None:
    compiled = torch.compile(lambda t, i, w: torch.mm((t[i] + 1).softmax(1), w), backend="rust_inductor", dynamic=True)
    table, weight = torch.randn(50, 16), torch.randn(16, 4)
    for n in (7, 300, 30, 7, 301, 30, 7, 300):
        index = torch.randint(0, 50, (n,))
        torch.testing.assert_close(compiled(table, index, weight), torch.mm((table[index] + 1).softmax(1), weight))
        with pytest.raises(IndexError):
            compiled(table, index + 50, weight)


GRADIENTS = [
    "softmax of rows",
    "layer norm over n",
    "linear",
    "cat",
    "heads",
    "slice",
    "pad",
    "transposed",
    "mean, var",
]


def gradients(function: Callable[..., Any], arguments: Arguments) -> tuple[Tensor, ...]:
    """Of every argument, from all outputs."""
    outputs = function(*arguments)
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    loss = torch.stack([(output * output.detach().cos()).sum() for output in outputs]).sum()
    return torch.autograd.grad(loss, arguments)


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients(name: str) -> None:
    case, counter = CASES[name], Counter()
    ours = torch.compile(case.function, backend=counter)
    for arguments in marked(mark_dynamic, [case.make(n) for n in case.sizes]):
        for argument in arguments:
            argument.requires_grad_()
        check_call(lambda *a: gradients(ours, a), lambda *a: gradients(case.function, a), arguments)
    assert (counter.graphs, counter.kinds) == (1, ["forward", "backward"])


def test_rounded_floats_are_sizes_of_kernels() -> None:
    """Nothing is called for: what is computed of floats is read by sizes alone."""
    compiled = torch.compile(seven_tenths, backend="rust_inductor", dynamic=True, options={"fallback": "error"})
    for n in (5, 3, 34, 10):
        torch.testing.assert_close(compiled(*(arguments := rows(n))), seven_tenths(*arguments))
