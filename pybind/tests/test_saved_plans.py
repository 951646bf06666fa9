"""Plans that are saved here and run by a program without Python, libtorch among what it lacks."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch._dynamo.backends.common import aot_autograd

import rust_inductor
from rust_inductor import _native
from tools.examples import rust_example


@pytest.fixture(scope="session")
def run_plan() -> Path:
    """The program."""
    return rust_example("run_plan")


class Block(nn.Module):
    """A layer of a transformer."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(16)
        self.qkv = nn.Linear(16, 48)
        self.out = nn.Linear(16, 16)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        q, k, v = self.qkv(self.norm(x)).view(x.size(0), x.size(1), 3, 4, 4).permute(2, 0, 3, 1, 4)
        attended = F.softmax(q @ k.transpose(-1, -2) / 2, -1) @ v
        return x + F.gelu(self.out(attended.transpose(1, 2).flatten(2)))


class Layers(nn.Sequential):
    """Equal layers, which a plan has once."""

    def __init__(self, count: int = 6) -> None:
        super().__init__(*(Block() for _ in range(count)))


class Images(nn.Module):
    """A convolution, normalisation, pooling, a classifier."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1)
        self.norm = nn.BatchNorm2d(8)
        self.head = nn.Linear(8, 5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = F.max_pool2d(F.relu(self.norm(self.conv(x))), 2)
        return F.log_softmax(self.head(x.mean((2, 3))), 1)


class Lookup(nn.Module):
    """An embedding, a sum by index, and a result that is no float."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(11, 6)

    def forward(self, ids: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        words = self.words(ids)
        return torch.zeros(4, 6).index_add(0, ids[0] % 4, words[0]), words.sum(-1).argmax(-1)


def item(value: Any) -> Any:
    """A value as the program reads it."""
    if not isinstance(value, torch.Tensor):
        return value
    values = value.detach().double().flatten().tolist()
    return {"dtype": str(value.dtype).removeprefix("torch."), "sizes": list(value.shape), "values": values}


def saved(model: nn.Module, inputs: tuple[torch.Tensor, ...], dynamic: bool) -> list[tuple[str, list[Any]]]:
    """The plans of a model's graphs, each with what it was called with."""
    found = []

    def compiler(gm: torch.fx.GraphModule, _inputs: Any) -> Callable[..., Any]:
        compiled = _native.compile_graph(gm)

        def call(*args: Any) -> Any:
            found.append((compiled.plan, [item(arg) for arg in args]))
            return compiled(*args)

        return call

    torch._dynamo.reset()
    with torch.no_grad():
        torch.compile(model, backend=aot_autograd(fw_compiler=compiler), dynamic=dynamic, fullgraph=True)(*inputs)
    return found


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize(
    ("model", "shape"),
    [(Block, (2, 7, 16)), (Layers, (2, 7, 16)), (Images, (2, 3, 8, 8)), (Lookup, None)],
    ids=["block", "layers", "images", "lookup"],
)
def test_a_saved_plan_runs_without_python(model, shape, dynamic, run_plan):
    torch.manual_seed(0)
    model = model().eval()
    x = torch.randint(0, 11, (3, 9)) if shape is None else torch.randn(shape)
    with torch.no_grad():
        want = model(x)
    [(plan, inputs)] = saved(model, (x,), dynamic)
    line = json.dumps({"plan": plan, "inputs": inputs})
    done = subprocess.run([run_plan], input=line + "\n", check=True, capture_output=True, text=True)
    outputs = json.loads(done.stdout)
    assert isinstance(outputs, list), outputs
    want = want if isinstance(want, tuple) else (want,)
    assert len(outputs) == len(want)
    for got, tensor in zip(outputs, want, strict=True):
        assert (got["dtype"], got["sizes"]) == (item(tensor)["dtype"], list(tensor.shape))
        got = torch.tensor(got["values"], dtype=torch.float64).view(tensor.shape)
        torch.testing.assert_close(got, tensor.double(), rtol=1e-5, atol=1e-5)


def test_equal_layers_are_written_once() -> None:
    def explained(count: int) -> Any:
        with torch.no_grad():
            return rust_inductor.explain(Layers(count).eval())(torch.randn(2, 7, 16))

    few, many = explained(12), explained(96)
    lengths = [len(it.graphs[0].compiled.plan) for it in (few, many)]
    assert lengths[1] < lengths[0] * 1.05
    tables = [list(it.graphs[0].lines()) for it in (few, many)]
    assert len(tables[0]) == len(tables[1])
    assert any("times more" in line for line in tables[1])


def test_what_is_no_plan_is_an_error(run_plan):
    lines = [json.dumps({"plan": plan, "inputs": []}) for plan in ("", "{}", '{"version": 9}')]
    done = subprocess.run([run_plan], input="\n".join(lines), check=True, capture_output=True, text=True)
    errors = [json.loads(line)["error"] for line in done.stdout.splitlines()]
    assert len(errors) == 3
    assert errors[2] == "version 9 of the JSON form; this library reads version 2"
