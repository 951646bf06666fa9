"""Models on a CUDA device, or on the emulator: inference, training, autocast, against eager."""

from __future__ import annotations

import copy

import pytest
import torch
from torch import nn
from torch.utils import _pytree as pytree

import rust_inductor
from pybind.tests.cuda.device import DEVICE, OPTIONS, entries, needs_device, same
from tools.bench.models import MODELS, build

pytestmark = needs_device

NAMES = ["resnet18", "mobilenet_v3", "convnext", "vit", "bert", "gpt2", "llama", "t5"]


def on_device(name):
    model, inputs = build(name, "small")
    return model.to(DEVICE), tuple(x.to(DEVICE) for x in inputs)


def tensors(results):
    return [it for it in pytree.tree_leaves(results) if isinstance(it, torch.Tensor) and it.is_floating_point()]


@entries
@pytest.mark.parametrize("name", [name for name in NAMES if name in MODELS])
def test_inference(compiled, name):
    model, inputs = on_device(name)
    with torch.no_grad():
        wanted = tensors(model(*inputs))
        ours = tensors(compiled(model)(*inputs))
        for a, b in zip(ours, wanted, strict=True):
            torch.testing.assert_close(a, b, rtol=2e-3, atol=2e-3)


def step(model, inputs, run):
    model.zero_grad()
    results = tensors(run(*inputs))
    loss = sum(it.float().square().mean() for it in results)
    loss.backward()
    return loss.detach(), {name: it.grad for name, it in model.named_parameters()}


@entries
@pytest.mark.parametrize("name", [name for name in NAMES if name in MODELS])
def test_training(compiled, name):
    model, inputs = on_device(name)
    model.train()
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0
    twin = copy.deepcopy(model)
    run = compiled(model)
    with torch.backends.cudnn.flags(allow_tf32=False):
        for _ in range(2):
            torch.manual_seed(0)
            ours = step(model, inputs, run)
            torch.manual_seed(0)
            wanted = step(twin, inputs, twin)
            torch.testing.assert_close(ours[0], wanted[0], rtol=1e-3, atol=1e-4)
            for key, gradient in wanted[1].items():
                if gradient is None:
                    assert ours[1][key] is None
                    continue
                scale = gradient.abs().max().clamp(min=1e-3)
                assert ((ours[1][key] - gradient).abs().max() / scale).item() < 2e-2, key


@entries
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
def test_autocast(compiled, dtype):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, 256), nn.GELU(), nn.LayerNorm(256), nn.Linear(256, 8)).to(DEVICE)
    twin = copy.deepcopy(model)
    x = torch.randn(32, 64, device=DEVICE)
    scaler = torch.amp.GradScaler(DEVICE, enabled=dtype == torch.float16)

    def train(model, run, optimizer):
        with torch.autocast(DEVICE, dtype=dtype):
            loss = run(x).float().square().mean()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
        return loss.detach()

    run = compiled(model)
    ours, theirs = (torch.optim.SGD(it.parameters(), 1e-4) for it in (model, twin))
    for _ in range(3):
        torch.testing.assert_close(train(model, run, ours), train(twin, twin, theirs), rtol=2e-2, atol=2e-2)


def test_an_optimizer():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(32, 64), nn.Tanh(), nn.Linear(64, 4)).to(DEVICE)
    twin = copy.deepcopy(model)
    x = torch.randn(16, 32, device=DEVICE)
    ours, theirs = (torch.optim.AdamW(it.parameters(), 1e-2, weight_decay=0.1) for it in (model, twin))
    ours_step = rust_inductor.compile(ours.step, options=OPTIONS)
    for _ in range(4):
        for it, step in ((model, ours_step), (twin, theirs.step)):
            it.zero_grad()
            it(x).square().mean().backward()
            step()
    same(list(model.parameters()), list(twin.parameters()), scale=10)
