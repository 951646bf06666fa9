"""Whole models on the device."""

from __future__ import annotations

import copy
import os
from typing import Any

import pytest
import torch
from torch import nn

from pybind.tests.wgpu.device import Counted, close, needs_adapter, on_device

pytestmark = needs_adapter


def _bert() -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    transformers = pytest.importorskip("transformers")
    config = transformers.BertConfig(
        hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128, vocab_size=100
    )
    return transformers.BertModel(config), (torch.randint(0, 100, (2, 12)), torch.ones(2, 12, dtype=torch.int64))


def _gpt2() -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    transformers = pytest.importorskip("transformers")
    config = transformers.GPT2Config(n_embd=64, n_layer=2, n_head=4, vocab_size=100, n_positions=32, use_cache=False)
    config.attn_pdrop = 0.0
    return transformers.GPT2LMHeadModel(config), (torch.randint(0, 100, (2, 12)),)


def _resnet() -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    torchvision = pytest.importorskip("torchvision")
    return torchvision.models.resnet18(num_classes=10), (torch.randn(1, 3, 32, 32),)


def _vit() -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    transformers = pytest.importorskip("transformers")
    config = transformers.ViTConfig(
        hidden_size=48, num_hidden_layers=2, num_attention_heads=3, intermediate_size=96, image_size=32, patch_size=8
    )
    return transformers.ViTModel(config), (torch.randn(2, 3, 32, 32),)


MODELS = {"BERT": _bert, "GPT-2": _gpt2, "ResNet-18": _resnet, "ViT": _vit}


@pytest.mark.parametrize("name", MODELS)
def test_models(name: str) -> None:
    """Whole models; what is waited for are results, and weights stay where they are."""
    model, inputs = MODELS[name]()
    model.eval()
    compiled = on_device(model)
    with torch.no_grad():
        eager = _tensors(model(*inputs))
        close(_tensors(compiled(*inputs)), eager)
        with Counted() as counted:
            close(_tensors(compiled(*inputs)), eager)
    assert counted["submissions"] <= 2 + counted["host_steps"]
    assert counted["bytes_up"] < 1 << 17


@pytest.mark.parametrize(("name", "dtype"), [*((name, torch.bfloat16) for name in MODELS), ("GPT-2", torch.float16)])
def test_models_of_halves(name: str, dtype: torch.dtype) -> None:
    """The device alone runs them, and errs about as much as eager does, against ``float64``."""
    model, inputs = MODELS[name]()

    def cast(values: tuple[torch.Tensor, ...], to: torch.dtype) -> list[torch.Tensor]:
        return [x.to(to) if x.is_floating_point() else x for x in values]

    exact = copy.deepcopy(model.to(dtype).eval()).double()
    given = cast(inputs, dtype)
    compiled = on_device(model)
    with torch.no_grad():
        runs = [_tensors(run(*x)) for run, x in ((compiled, given), (model, given))]
        wanted = _tensors(exact(*cast(tuple(given), torch.float64)))
        with Counted() as counted:
            _tensors(compiled(*given))
    ours, eager = ([(a.double() - b).abs().max().item() for a, b in zip(run, wanted, strict=True)] for run in runs)
    assert all(a <= 1.5 * b + torch.finfo(dtype).eps for a, b in zip(ours, eager, strict=True)), (ours, eager)
    assert counted["submissions"] == 1
    # Without integers of 64 bits some steps are the processor's.
    assert counted["host_steps"] == 0 or "RUST_INDUCTOR_PORTABLE" in os.environ


def test_a_model_with_dropout_in_training() -> None:
    """A submission forward, one backward; what stays is what eager keeps."""
    model, inputs = MODELS["GPT-2"]()
    model.train()
    compiled = on_device(model)

    def step(run: Any) -> list[Any]:
        model.zero_grad()
        torch.manual_seed(4)
        result = _tensors(run(*inputs))[0]
        result.square().mean().backward()
        return [result.detach(), *(parameter.grad for parameter in model.parameters())]

    eager = step(model)
    close(step(compiled), eager)
    with Counted() as counted:
        step(compiled)
    assert (counted["submissions"], counted["waits"]) == (2, 2)


@pytest.mark.parametrize("name", ["GPT-2", "ResNet-18"])
def test_models_in_training(name: str) -> None:
    """Forward and backward run on the device alone; gradients are eager's."""
    model, inputs = MODELS[name]()
    if name == "ResNet-18":
        inputs = (torch.randn(2, 3, 40, 40),)
    theirs = copy.deepcopy(model)
    for module in (*model.modules(), *theirs.modules()):
        module.training = not isinstance(module, nn.Dropout)
    with Counted() as counted:
        ours = _tensors(on_device(model)(*inputs))[0]
        ours.square().mean().backward()
    # Without integers of 64 bits some steps are the processor's.
    assert counted["host_steps"] == 0 or "RUST_INDUCTOR_PORTABLE" in os.environ
    eager = _tensors(theirs(*inputs))[0]
    eager.square().mean().backward()
    close(ours.detach(), eager.detach())
    for a, b in zip(model.parameters(), theirs.parameters(), strict=True):
        close(a.grad, b.grad)


def _tensors(result: Any) -> list[torch.Tensor]:
    """The tensors of what a model gives."""
    if isinstance(result, torch.Tensor):
        return [result]
    return [value for value in result.to_tuple() if isinstance(value, torch.Tensor)]
