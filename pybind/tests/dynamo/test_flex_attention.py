"""``flex_attention`` within compiled functions: spelled out in the graph, with the functions of scores and masks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch
from torch import Tensor
from torch.nn.attention.flex_attention import AuxRequest, create_block_mask, flex_attention

import rust_inductor
from pybind.tests.helpers import same

if TYPE_CHECKING:
    from collections.abc import Callable

SLOPES = torch.rand(4)
DOCUMENTS = torch.randint(0, 3, (2, 24)).sort(-1)[0]


def is_causal(b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
    return i >= j


def is_of_one_document(b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
    return DOCUMENTS[b, i] == DOCUMENTS[b, j]


def alibi(score: Tensor, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
    return score + SLOPES[h] * (j - i)


def masked_rows(score: Tensor, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
    return torch.where(i > 2, score, -float("inf"))


CAUSAL = create_block_mask(is_causal, None, None, 24, 24, device="cpu", BLOCK_SIZE=8)
WITHIN = create_block_mask(is_of_one_document, 2, None, 24, 24, device="cpu", BLOCK_SIZE=8)

PROGRAMS: dict[str, Callable[[Tensor, Tensor, Tensor], object]] = {
    "alibi": lambda q, k, v: flex_attention(q, k, v, score_mod=alibi),
    "auxiliary": lambda q, k, v: flex_attention(q, k, v, return_aux=AuxRequest(lse=True))[1].lse,
    "capped": lambda q, k, v: flex_attention(
        q, k, v, score_mod=lambda s, b, h, i, j: torch.tanh(s / 20) * 20, block_mask=CAUSAL, scale=0.5
    ),
    "causal": lambda q, k, v: flex_attention(q, k, v, block_mask=CAUSAL),
    "documents": lambda q, k, v: flex_attention(q, k, v, block_mask=WITHIN),
    "grouped": lambda q, k, v: flex_attention(q, k[:, :2], v[:, :2], enable_gqa=True),
    "log_sums": lambda q, k, v: flex_attention(q, k, v, return_lse=True),
    "mask_made_inside": lambda q, k, v: flex_attention(
        q, k, v, block_mask=create_block_mask(is_causal, None, None, 24, 24, device="cpu", BLOCK_SIZE=8)
    ),
    "nothing_seen": lambda q, k, v: flex_attention(q, k, v, score_mod=masked_rows, return_lse=True),
    "plain": lambda q, k, v: flex_attention(q, k, v),
    "transposed": lambda q, k, v: flex_attention(q.transpose(1, 2).contiguous().transpose(1, 2), k, v),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("backend", ["eager", "rust_inductor"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_is_one_graph(name: str, backend: str, dtype: torch.dtype) -> None:
    given = [torch.randn(2, 4, 24, 16).to(dtype) for _ in range(3)]
    compiled = rust_inductor.compile(PROGRAMS[name], backend=backend, fullgraph=True)
    same(compiled(*given), PROGRAMS[name](*given))


def test_lengths_may_change() -> None:
    compiled = rust_inductor.compile(PROGRAMS["alibi"], dynamic=True, fullgraph=True)
    for length in (24, 17, 40):
        given = [torch.randn(2, 4, length, 16) for _ in range(3)]
        same(compiled(*given), PROGRAMS["alibi"](*given))


def test_under_autocast_torchs_own_is_called() -> None:
    given = [torch.randn(2, 4, 24, 16) for _ in range(3)]
    compiled = rust_inductor.compile(PROGRAMS["alibi"])
    with torch.autocast("cpu", dtype=torch.bfloat16):
        same(compiled(*given), PROGRAMS["alibi"](*given))


def test_what_scores_read_is_guarded() -> None:
    held = {"by": 2.0}
    compiled = rust_inductor.compile(
        lambda q: flex_attention(q, q, q, score_mod=lambda s, b, h, i, j: s * held["by"]), backend="eager"
    )
    q = torch.randn(1, 2, 8, 16)
    for by in (2.0, 3.0):
        held["by"] = by
        same(compiled(q), torch.nn.functional.scaled_dot_product_attention(q, q, q, scale=by / 4))
