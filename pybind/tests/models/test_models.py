"""Whole models, small: inference and one training step, judged against eager and float64 (see tools/accuracy.py)."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.utils._pytree import tree_flatten_with_path, tree_map_only

import rust_inductor
from tools import accuracy
from tools.bench.models import MODELS, build

#: The operators that remain calls when fallbacks are forbidden: a library does them best.
EXTERN_FAMILIES = ("mm.", "addmm", "linear", "convolution", "attention", "pool")
INFERENCE_WITHOUT_FALLBACK = ["resnet50", "bert", "gpt2"]

#: Weights and inputs that each model is judged on.
DRAWS = 5

Run = Callable[[nn.Module, Callable[..., Any], tuple[Tensor, ...]], dict[str, Tensor]]


def tensors_of(output: Any) -> dict[str, Tensor]:
    """The tensors inside a model's output, named by where they are."""
    leaves, _ = tree_flatten_with_path(output)
    return {"output" + "".join(map(str, path)): leaf.detach() for path, leaf in leaves if isinstance(leaf, Tensor)}


def infer(_model: nn.Module, call: Callable[..., Any], inputs: tuple[Tensor, ...]) -> dict[str, Tensor]:
    """The outputs in evaluation mode."""
    with torch.no_grad():
        return tensors_of(call(*inputs))


def train(model: nn.Module, call: Callable[..., Any], inputs: tuple[Tensor, ...]) -> dict[str, Tensor]:
    """Outputs, gradients and buffers of one step in training mode. Dropout draws from the same seed in every run."""
    torch.manual_seed(1)
    output = call(*inputs)
    outputs = tensors_of(output)
    loss_of(output).backward()
    gradients = {f"gradient of {name}": p.grad.clone() for name, p in model.named_parameters() if p.grad is not None}
    buffers = {f"buffer {name}": buffer.detach().clone() for name, buffer in model.named_buffers()}
    return {**outputs, **gradients, **buffers}


def loss_of(output: Any) -> Tensor:
    """A number that every element of the output takes part in, each with a weight of its own."""
    floats = [leaf for _, leaf in tree_flatten_with_path(output)[0] if isinstance(leaf, Tensor) and leaf.requires_grad]
    weighted = ((leaf * torch.linspace(-1, 1, leaf.numel(), dtype=leaf.dtype).view_as(leaf)).sum() for leaf in floats)
    return torch.stack(list(weighted)).sum()


def check(name: str, run: Run, training: bool) -> None:
    """Compares ours with eager, both measured against float64, on the same weights and inputs, several times."""
    torch.compiler.reset()
    model = build(name, "small")[0].train(training)
    compiled = torch.compile(model, backend="rust_inductor")
    draws = [draw(name, run, training, model, compiled, seed) for seed in range(DRAWS)]
    assert draws[0].ours, "the model gave no tensors"
    wrong = accuracy.problems_over(draws)
    assert not wrong, "\n".join([f"{name}: {len(wrong)} lines on {len(draws[0].eager)} tensors", *wrong])


def draw(
    name: str, run: Run, training: bool, model: nn.Module, compiled: Callable[..., Any], seed: int
) -> accuracy.Draw:
    """The results of ours, eager and float64 for the weights and inputs of one seed."""
    original, inputs = build(name, "small", seed)
    original.train(training)
    model.load_state_dict(original.state_dict())
    model.zero_grad()

    def eager(change: Callable[[Any], Any] = lambda it: it) -> dict[str, Tensor]:
        copied = change(copy.deepcopy(original))
        return run(copied, copied, tree_map_only(Tensor, change, inputs))

    return accuracy.Draw(run(model, compiled, inputs), eager(), eager(in_double), lambda: list(other_ways(eager)))


def other_ways(eager: Callable[..., dict[str, Tensor]]) -> Iterator[dict[str, Tensor]]:
    """The results by eager's other ways, and with images in another order."""
    yield from accuracy.other_ways(eager)
    yield eager(channels_last)


def in_double(it: Any) -> Any:
    """A model or tensor in float64; a tensor of integers stays."""
    return it.double() if isinstance(it, nn.Module) or it.is_floating_point() else it


def channels_last(it: Any) -> Any:
    """A model or image with the channels innermost in memory; other tensors stay."""
    return it.to(memory_format=torch.channels_last) if isinstance(it, nn.Module) or it.dim() == 4 else it


@pytest.mark.parametrize("name", MODELS)
def test_inference(name: str) -> None:
    check(name, infer, training=False)


@pytest.mark.parametrize("name", MODELS)
def test_training_step(name: str) -> None:
    check(name, train, training=True)


@pytest.mark.parametrize("name", INFERENCE_WITHOUT_FALLBACK)
def test_compiles_with_fallbacks_forbidden(name: str) -> None:
    torch.compiler.reset()
    model, inputs = build(name, "small")
    with torch.no_grad():
        run = rust_inductor.explain(model, options={"fallback": "error"}, fullgraph=True)
        explanation = run(*inputs)
        assert accuracy.largest_difference(explanation.result, model(*inputs)) < 1e-3
    called = {target for graph in explanation.graphs for target, _ in graph.calls}
    others = sorted(target for target in called if not any(family in target for family in EXTERN_FAMILIES))
    assert explanation.graphs
    assert not others, f"called, though no library does them best: {', '.join(others)}"
