"""Models whose batch and sequence change from call to call: right, and compiled no more often than torch would."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from pybind.tests.dynamic.counting import Counter
from pybind.tests.models.test_models import in_double, infer, train
from tools import accuracy
from tools.bench.models import SMALL_VOCABULARY, Inputs, build, image, tokens

#: Batches and sequences, or batches alone for images, in no order.
TEXT = ((3, 17), (64, 2), (2, 256))
IMAGES = ((4,), (2,), (13,))


@dataclass(frozen=True)
class Row:
    """A model of `tools.bench.models`, and inputs for it."""

    name: str
    inputs: Callable[..., Inputs]
    sizes: tuple[tuple[int, ...], ...]
    #: Whether torch needs no second graph when sizes are marked.
    one_graph: bool = True


ROWS = {
    "bert": Row("bert", lambda batch, length: (tokens(batch, length, SMALL_VOCABULARY),), TEXT),
    "gpt2": Row("gpt2", lambda batch, length: (tokens(batch, length, SMALL_VOCABULARY),), TEXT),
    "resnet": Row("resnet18", lambda batch: image(batch, 64), IMAGES, one_graph=False),
}
RUNS = {"inference": infer, "training": train}
KINDS = {"inference": ["inference"], "training": ["forward", "backward"]}


def batches(row: Row, mark: bool) -> list[Inputs]:
    """The inputs of each size; their sizes marked as dynamic, or not."""
    torch.manual_seed(2)
    inputs = [row.inputs(*sizes) for sizes in row.sizes]
    for (tensor,) in inputs if mark else []:
        for dim in range(len(row.sizes[0])):
            torch._dynamo.mark_dynamic(tensor, dim)
    return inputs


def prepared(row: Row, mode: str) -> nn.Module:
    """The model; dropout does nothing, for its numbers would make float64 another model."""
    model, _ = build(row.name, "small")
    for layer in model.modules():
        if isinstance(layer, nn.Dropout):
            layer.p = 0.0
    return model.train(mode == "training")


def run_all(model: nn.Module, backend: Counter | None, mode: str, inputs: list[Inputs]) -> list[dict[str, Tensor]]:
    """The results of each batch, from the same weights and buffers."""
    torch.compiler.reset()
    call: Any = torch.compile(model, backend=backend) if backend else model
    state = copy.deepcopy(model.state_dict())
    results = []
    for batch in inputs:
        model.load_state_dict(state)
        model.zero_grad()
        results.append({name: tensor.clone() for name, tensor in RUNS[mode](model, call, batch).items()})
    model.load_state_dict(state)
    return results


#: Each model and mode with marked sizes, and each model in one mode without.
CHOICES = [(name, mode, True) for name in ROWS for mode in RUNS]
CHOICES += [("bert", "inference", False), ("gpt2", "training", False), ("resnet", "training", False)]


@pytest.mark.parametrize(("name", "mode", "mark"), CHOICES)
def test_sizes_in_a_random_order(name: str, mode: str, mark: bool) -> None:
    row, counter, torchs = ROWS[name], Counter(), Counter("eager")
    model = prepared(row, mode)
    ours = run_all(model, counter, mode, batches(row, mark))
    if mark and row.one_graph:
        assert (counter.graphs, counter.kinds) == (1, KINDS[mode])
    else:
        run_all(model, torchs, mode, batches(row, mark))
        assert counter.graphs <= torchs.graphs
    eager = run_all(model, None, mode, batches(row, mark))
    doubled = [tuple(map(in_double, batch)) for batch in batches(row, mark)]
    exact = run_all(in_double(copy.deepcopy(model)), None, mode, doubled)

    @cache
    def others() -> list[list[dict[str, Tensor]]]:
        return list(accuracy.other_ways(lambda: run_all(model, None, mode, batches(row, mark))))

    def draw(at: int) -> accuracy.Draw:
        return accuracy.Draw(ours[at], eager[at], exact[at], lambda: [way[at] for way in others()])

    draws = [draw(at) for at in range(len(ours))]
    wrong = accuracy.problems_over(draws)
    assert not wrong, "\n".join(wrong)
