"""`rust_inductor.fx` beside `torch.fx`: the same graphs, listings and code, and graphs that come back as they went.

Annotations that are more than a name (`int | None`) are in the listing, but our Python code leaves them out.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest
import torch
import torchvision
from torch import nn
from torch.fx.proxy import TraceError

from rust_inductor import fx


class Doc(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.param = nn.Parameter(torch.rand(3, 4))
        self.linear = nn.Linear(4, 5)

    def forward(self, x):
        return self.linear(x + self.param).clamp(min=0.0, max=1.0)


class Annotated(nn.Module):
    def forward(self, x: torch.Tensor, size: int = 3) -> torch.Tensor:
        return x.view(size, -1)


class Pair(NamedTuple):
    first: Any
    second: Any


class Block(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return x + self.norm(x) * self.scale + self.scale


class Nested(nn.Module):
    mean: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 4), nn.Sequential(nn.ReLU(), Block(4)))
        self.blocks = nn.ModuleList([Block(4), Block(4)])
        self.register_buffer("mean", torch.ones(4))
        self.constant = torch.arange(4.0)

    def forward(self, input, max=2, *rest, flag=True, **more):
        x = self.layers(input)
        for block in self.blocks:
            x = block(x)
        return x - self.mean * self.constant + torch.ones(4), rest[0], more["key"], max, flag


class Operations(nn.Module):
    def forward(self, x, y):
        a, b = x.split(2, dim=1)
        z = 1 - (a + b) ** 2 // 3 % 4 / (2 @ y) << 1
        z = abs(-z) & (a <= b) | ~(x < 1.5) ^ (x != y)
        z += torch.cat([a, b], dim=-1)[1:, ..., None].T.mT.view(x.shape[0], -1, x.size(0))
        w = torch.nn.functional.gelu(z, approximate="tanh").to(torch.float64, memory_format=torch.preserve_format)
        n = torch.zeros_like(w, device=torch.device("cpu"), layout=torch.strided, dtype=torch.float16)
        p = torch.stack(Pair(n, w)).sum().item()
        return {"z": z, "more": [w, (p,)]}, torch.nn.functional.relu(z), torch.ops.aten.add.Tensor(w, 1, alpha=2)


def free_function(x, scale):
    return torch.softmax(x * scale, dim=-1) + torch.tensor([1.0, 2.0, 3.0])


ROOTS = [Doc(), Annotated(), Nested(), Operations(), free_function]


def name_of(root: Any) -> str:
    return getattr(root, "__name__", type(root).__name__)


@pytest.mark.parametrize("root", ROOTS, ids=name_of)
def test_traces_as_torch_does(root: Any) -> None:
    ours = fx.symbolic_trace(root)
    theirs = torch.fx.Tracer().trace(root)
    assert str(ours) == str(theirs)
    assert ours.python_code().src == theirs.python_code("self").src
    assert ours.python_code("module").src == theirs.python_code("module").src


@pytest.mark.parametrize("name", ["resnet18", "mobilenet_v3_small", "vit_b_16", "densenet121", "shufflenet_v2_x0_5"])
def test_traces_torchvision_as_torch_does(name: str) -> None:
    model = torchvision.models.get_model(name, weights=None)
    ours = fx.symbolic_trace(model)
    theirs = torch.fx.Tracer().trace(model)
    assert str(ours) == str(theirs)
    assert ours.python_code().src == theirs.python_code("self").src
    assert fx.Graph.parse(ours.to_text()).to_text() == ours.to_text()


@pytest.mark.parametrize("root", ROOTS, ids=name_of)
def test_torch_graphs_come_back_as_they_went(root: Any) -> None:
    theirs = torch.fx.symbolic_trace(root)
    ours = fx.Graph.from_torch(theirs)
    assert str(ours) == str(theirs.graph)
    assert ours.python_code().src == theirs.graph.python_code("self").src
    back = ours.to_torch(theirs)
    assert str(back.graph) == str(theirs.graph)
    assert back.code == theirs.code


@pytest.mark.parametrize("root", ROOTS, ids=name_of)
def test_text_and_json_read_back(root: Any) -> None:
    graph = fx.symbolic_trace(root)
    for again in fx.Graph.parse(graph.to_text()), fx.Graph.from_json(graph.to_json()):
        assert again.to_text() == graph.to_text()
        assert again.to_json() == graph.to_json()
        assert str(again) == str(graph)


def test_traced_graphs_run() -> None:
    module, x = Doc(), torch.randn(3, 4)
    graph = fx.symbolic_trace(module)
    assert torch.equal(graph.to_torch(module)(x), module(x))
    # Read back from JSON, callables are found again by their names.
    assert torch.equal(fx.Graph.from_json(graph.to_json()).to_torch(module)(x), module(x))
    traced = fx.symbolic_trace(free_function).to_torch(free_function)
    assert torch.equal(traced(x[:, :3], 2), free_function(x[:, :3], 2))


def test_aten_graphs_keep_their_metadata() -> None:
    module = torch.export.export(Doc(), (torch.randn(3, 4),)).module()
    text = fx.Graph.from_torch(module).to_text()
    assert "%linear : f32[3, 5]{5, 1}" in text
    assert "call_function[aten.linear.default]" in text


def test_nodes() -> None:
    graph = fx.symbolic_trace(Doc())
    x, param, add, linear, clamp, output = graph.nodes
    assert len(graph) == 6
    assert [n.op for n in (x, param, add, linear)] == ["placeholder", "get_attr", "call_function", "call_module"]
    assert (add.target, add.args, add.kwargs) == ("operator.add", (x, param), {})
    assert clamp.kwargs == {"min": 0.0, "max": 1.0}
    assert linear.users == [clamp]
    assert output.args == (clamp,)
    assert hash(add) == hash(clamp.args[0].args[0])


def test_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    fx.symbolic_trace(Doc()).print_tabular()
    header, rule, *rows = capsys.readouterr().out.splitlines()
    assert header.split() == ["opcode", "name", "target", "args", "kwargs"]
    assert set(rule) == {"-", " "}
    assert rows[2].split("  ")[0] == "call_function"
    assert "<built-in function add>" in rows[2]


def branch(x: Any) -> Any:
    if x.sum() > 0:  # the line that the error names
        return x
    return -x


def loop(x: Any) -> Any:
    return [y for y in x]  # noqa: C416


@pytest.mark.parametrize("function", [branch, loop])
def test_control_flow_is_an_error_at_the_users_line(function: Any) -> None:
    with pytest.raises(TraceError, match=rf"test_fx\.py:{function.__code__.co_firstlineno + 1}, in "):
        fx.symbolic_trace(function)
    with pytest.raises(TraceError):
        torch.fx.symbolic_trace(function)


def test_nothing_stays_patched() -> None:
    call, getattr_ = nn.Module.__call__, nn.Module.__getattr__
    with pytest.raises(TraceError):
        fx.symbolic_trace(branch)
    assert nn.Module.__call__ is call
    assert nn.Module.__getattr__ is getattr_


def test_lengths_and_foreign_modules_are_refused() -> None:
    with pytest.raises(RuntimeError, match="length"):
        fx.symbolic_trace(lambda x: len(x))
    stranger = nn.Linear(2, 2)
    with pytest.raises(NameError, match="submodule"):
        fx.symbolic_trace(lambda x: stranger(x))


def test_errors_of_the_text_form() -> None:
    with pytest.raises(ValueError, match=r"2:29: %y is not defined above"):
        fx.Graph.parse("graph {\n  %x = call_function[a.b.c](%y)\n}")
    with pytest.raises(ValueError, match="version 7"):
        fx.Graph.from_json('{"version": 7}')


def test_a_callable_that_is_not_loaded() -> None:
    graph = fx.Graph.parse("graph {\n  %x = placeholder[x]\n  %y = call_function[no_such.f](%x)\n}")
    with pytest.raises(LookupError, match="no_such"):
        graph.to_torch(nn.Module())
