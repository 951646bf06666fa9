"""einops, the library's code unmodified: its functions and layers in one graph, also over symbolic sizes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from einops import einsum, pack, parse_shape, rearrange, reduce, repeat, unpack
from einops.layers.torch import EinMix, Rearrange, Reduce

import rust_inductor

MIXER = torch.nn.Sequential(
    Rearrange("b c h w -> b (h w) c"),
    EinMix("b n c -> b n d", weight_shape="c d", bias_shape="d", c=6, d=5),
    torch.nn.ReLU(),
    Reduce("b n d -> b d", "mean"),
)

PROGRAMS: dict[str, Callable[[torch.Tensor], Any]] = {
    "merged": lambda x: rearrange(x, "b c h w -> b (h w) c") * 2,
    "split": lambda x: rearrange(x, "b (g c) h w -> g b c h w", g=2).sin(),
    "ellipsis": lambda x: rearrange(x, "b ... w -> b (...) w") + 1,
    "listed": lambda x: rearrange([x, x + 1], "n b c h w -> b (n c) h w"),
    "mean": lambda x: reduce(x, "b c h w -> b c", "mean") * 2,
    "pooled": lambda x: reduce(x, "b c (h h2) w -> b c h w", "max", h2=2) * 2,
    "repeated": lambda x: repeat(x, "b c h w -> b c (h 2) w n", n=3) + 1,
    "contracted": lambda x: einsum(x, x, "b c h w, b d h w -> b c d"),
    "packed": lambda x: pack([x, x[:, :2]], "b * h w")[0] * 2,
    "unpacked": lambda x: [part * 2 for part in unpack(x, [[2], [4]], "b * h w")],
    "parsed": lambda x: x.reshape(parse_shape(x, "b c _ _")["b"], -1) + 1,
    "layers": MIXER,
}


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("name", PROGRAMS)
def test_one_graph(name: str, dynamic: bool) -> None:
    program = PROGRAMS[name]
    compiled = rust_inductor.compile(program, dynamic=dynamic, fullgraph=True)
    for batch in (2, 3):
        x = torch.randn(batch, 6, 4, 3)
        torch.testing.assert_close(compiled(x), program(x))


def test_a_pattern_that_does_not_fit() -> None:
    def program(x: torch.Tensor) -> Any:
        return rearrange(x, "b c h -> b c h") + 1

    messages = []
    for called in (program, rust_inductor.compile(program)):
        with pytest.raises(Exception, match="Wrong shape") as caught:
            called(torch.randn(2, 6, 4, 3))
        messages.append((type(caught.value), str(caught.value)))
    assert messages[0] == messages[1]
