"""Write the golden files of this folder with the real `torch.fx` (needs `tabulate`).

Each file has four sections: the graph in our text form, and the listing, the Python code and the table that
`torch.fx` prints for it. In the table a function of torch stands by name where torch prints its address.
"""

import json
import math
import operator
import pathlib

import torch
from tabulate import tabulate
from torch import fx, nn
from torch.fx.node import _get_qualified_name, _type_repr


class Doc(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.param = nn.Parameter(torch.rand(3, 4))
        self.linear = nn.Linear(4, 5)

    def forward(self, x):
        return self.linear(x + self.param).clamp(min=0.0, max=1.0)


class Nested(nn.Module):
    def forward(self, x, y=2, z="it's"):
        a = torch.cat([x, torch.stack((x, x * y), dim=0)], dim=-1)
        b, c = a.split(2, dim=1)
        d = {"b": b, "rest": [c, (a,)]}
        return d, torch.nn.functional.pad(b, (1, 1), value=-1e-05), None


class Slices(nn.Module):
    def forward(self, x):
        a = x[1:, None, ..., ::2]
        b = a[0]
        c = b[b.shape[0] - 1 :]
        return (c,)


class Operators(nn.Module):
    def forward(self, x, y):
        z = (x + y) - 3 * (x / y) // 2.0
        z = -(z**2) @ +y
        m = (z <= y) & ~(z != x) | (y > 1) ^ (x >= 0)
        z += m % 3 << 1
        return z, m, x == y


class Chain(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 4), nn.Sequential(nn.ReLU(), nn.Dropout(0.5)))
        self.register_buffer("scale", torch.ones(4))

    def forward(self, input, max):
        x = self.layers(input).relu().view(-1, 2).sum(dim=1, keepdim=True).to(torch.float64)
        y = torch.zeros_like(x, device=torch.device("cpu"), dtype=torch.float16)
        y = y.contiguous(memory_format=torch.channels_last)
        torch.relu(y)
        x = torch.full_like(x, float("inf")) + x * self.scale + math.pi + torch.exp(max)
        return x.type(torch.float32)


class Annotated(nn.Module):
    def forward(self, x: torch.Tensor, size: int = 3, fmt: "str" = "a") -> torch.Tensor:
        return x.view(size, -1)


def overloads() -> fx.Graph:
    graph = fx.Graph()
    x = graph.placeholder("primals_1")
    aten = torch.ops.aten
    add = graph.create_node("call_function", aten.add.Tensor, (x, 1e-05), {"alpha": 2}, name="add")
    kwargs = {"correction": 0, "keepdim": True}
    var = graph.create_node("call_function", aten.var_mean.correction, (add, [0, -1]), kwargs, name="var_mean")
    item = graph.call_function(operator.getitem, (var, 0))
    root = graph.call_function(math.sqrt, (2,))
    graph.call_function(operator.setitem, (x, slice(None, 2, None), root))
    size = graph.call_function(getattr, (x, "shape"))
    graph.call_function(operator.iadd, (x, 1 + 2j))
    graph.call_function(torch.add, (x, complex(0, float("inf"))), {"out": item})
    graph.call_function(operator.truth, (x,))
    graph.call_function(max, (x, size))
    graph.output((item, [add], size))
    return graph


def target_of(node: fx.Node) -> str:
    if node.op != "call_function":
        return node.target
    if isinstance(node.target, torch._ops.OpOverload):
        return str(node.target)
    module = getattr(node.target, "__module__", None)
    if module in ("_operator", "builtins"):
        return f"{module.removeprefix('_')}.{node.target.__name__}"
    return _get_qualified_name(node.target)


def text_of(arg: object) -> str:
    def join(items) -> str:
        return ", ".join(map(text_of, items))

    match arg:
        case fx.Node():
            return f"%{arg.name}"
        case str():
            return json.dumps(arg)
        case list():
            return f"[{join(arg)}]"
        case tuple():
            return f"({join(arg)}{',' if len(arg) == 1 else ''})"
        case dict():
            return "{" + ", ".join(f"{text_of(k)}: {text_of(v)}" for k, v in arg.items()) + "}"
        case slice():
            return f"slice({join((arg.start, arg.stop, arg.step))})"
        case complex():
            return f"complex({arg.real}, {arg.imag})"
        case torch.device():
            return f'device("{arg}")'
        case torch.memory_format():
            return f'memory_format("{str(arg).removeprefix("torch.")}")'
        case _ if arg is ...:
            return "..."
        case _:
            return repr(arg)


def text(graph: fx.Graph) -> str:
    lines = []
    for n in graph.nodes:
        args = [text_of(a) for a in n.args] + [f"{k}={text_of(v)}" for k, v in n.kwargs.items()]
        call = f"({', '.join(args)})" if args or n.op.startswith("call") else ""
        target = "" if n.op == "output" else f"[{target_of(n)}]"
        stated = f" as {json.dumps(_type_repr(n.type))}" if n.type is not None else ""
        lines.append(f"  %{n.name} = {n.op}{target}{call}{stated}\n")
    return "graph {\n" + "".join(lines) + "}\n"


def table(graph: fx.Graph) -> str:
    def shown(n: fx.Node) -> str:
        module = getattr(n.target, "__module__", None)
        plain = n.op != "call_function" or module in ("_operator", "builtins")
        return str(n.target) if plain else target_of(n)

    rows = [[n.op, n.name, shown(n), n.args, n.kwargs] for n in graph.nodes]
    return tabulate(rows, headers=["opcode", "name", "target", "args", "kwargs"])


def main() -> None:
    cases = {c.__name__.lower(): fx.symbolic_trace(c()).graph for c in (Doc, Nested, Slices, Operators, Chain)}
    cases["annotated"] = fx.symbolic_trace(Annotated()).graph
    cases["overloads"] = overloads()
    for name, graph in cases.items():
        sections = [text(graph), str(graph), graph.python_code("self").src, table(graph)]
        path = pathlib.Path(__file__).with_name(f"{name}.txt")
        path.write_text("\n=====\n".join(sections))


if __name__ == "__main__":
    main()
