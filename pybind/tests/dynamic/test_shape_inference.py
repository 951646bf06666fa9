"""Our shape rules on the ATen graphs of dynamic models, against the metadata that torch's fake tensors gave them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
import torch
from torch._dynamo.backends.common import aot_autograd
from torch._functorch._aot_autograd.utils import make_boxed_func

from rust_inductor import fx
from tools.bench.models import build
from tools.bench.symshapes import dynamic_input
from tools.examples import rust_example


@pytest.fixture(scope="session")
def infer() -> Path:
    """The program that infers and compares."""
    return rust_example("infer")


def graphs(name: str) -> list[str]:
    """A model's forward and backward graph, as JSON."""
    found = []

    def compiler(gm, _inputs):
        found.append(fx.Graph.from_torch(gm).to_json())
        return make_boxed_func(gm.forward)

    model, inputs = build(name, "small")
    torch._dynamo.reset()
    backend = aot_autograd(fw_compiler=compiler, bw_compiler=compiler, decompositions={})
    result = torch.compile(model.train(), backend=backend, fullgraph=True)(dynamic_input(name, inputs[0]))
    output = result if isinstance(result, torch.Tensor) else result[0]
    output.float().sum().backward()
    return found


@pytest.mark.parametrize("name", ["bert", "gpt2", "resnet50"])
def test_rules_agree_with_fake_tensors(name, infer, tmp_path):
    found = graphs(name)
    assert len(found) == 2, "forward and backward"
    for text in found:
        path = tmp_path / "graph.json"
        path.write_text(text)
        report = json.loads(subprocess.run([infer, path, "1"], check=True, capture_output=True).stdout)
        assert report["calls"] > 50
        assert report["mismatches"] == []
        assert report["unknown"] == []
        # Neither model asks anything that its symbols' ranges do not answer.
        assert report["guards"] == []
