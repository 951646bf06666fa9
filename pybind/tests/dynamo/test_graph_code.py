"""The Python code of a graph: bytecode that is made without the source, and does what the source does."""

from __future__ import annotations

import copy
import inspect
import linecache
import traceback
from typing import TYPE_CHECKING, Any

import pytest
import torch

import rust_inductor

if TYPE_CHECKING:
    from collections.abc import Callable

X, Y = torch.arange(6.0).reshape(2, 3), torch.full((2, 3), 0.5)


def in_place(x: Any, y: Any) -> Any:
    z = torch.cat([x, y])
    z[0], z[1:, 0] = 1, y[0, 1]
    z += x.sum()
    z *= 2
    return z.T[:, None].squeeze(1), z


def containers(x: Any, y: Any) -> Any:
    a, b = torch.split(torch.stack((x, y), dim=-1), [1, 1], dim=0)
    return {"a": torch.einsum("ij,kj->ik", a[0], b[0]), "b": [b.permute(2, 1, 0), (a.mT, 3)]}


def objects(x: Any, y: Any) -> Any:
    low = x.to(torch.bfloat16).float() + torch.ones(3, dtype=torch.float32, device="cpu")
    image = torch.empty((1, 2, 4, 4), memory_format=torch.channels_last).fill_(1).contiguous()
    return low, image.stride(), torch.full_like(y, float("inf")), torch.tensor([1.5, float("-inf")]), x * 2j


def unused(x: Any, y: Any) -> Any:
    x.add_(1)
    torch.manual_seed(3)
    return torch.nn.functional.dropout(y, p=0.5, training=True).mul(x)


PROGRAMS = [in_place, containers, objects, unused]


def captured(program: Callable[..., Any], *args: Any) -> tuple[list[Any], Any]:
    """The modules of a program's graphs, and what it gives."""
    graphs: list[Any] = []

    def backend(module: Any, _inputs: Any) -> Any:
        graphs.append(module)
        return module.forward

    return graphs, rust_inductor.compile(program, backend=backend)(*args)


def equal(a: Any, b: Any) -> bool:
    """Whether two results are the same, tensors by their values."""
    if isinstance(a, torch.Tensor):
        return a.dtype == b.dtype and a.stride() == b.stride() and torch.equal(a, b)
    if isinstance(a, (tuple, list)):
        return type(a) is type(b) and len(a) == len(b) and all(map(equal, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(equal(a[key], b[key]) for key in a)
    return bool(a == b)


def own_code(module: Any) -> bool:
    """Whether a module's code is ours, which knows lines but no columns."""
    return all(column is None for _, _, column, _ in module.forward.__code__.co_positions())


@pytest.mark.parametrize("program", PROGRAMS)
def test_bytecode_does_what_the_source_does(program: Callable[..., Any]) -> None:
    graphs, result = captured(program, X.clone(), Y.clone())
    assert equal(result, program(X.clone(), Y.clone()))
    for module in graphs:
        assert own_code(module)
        names: dict[str, Any] = {name: builtin.obj for name, builtin in torch.fx.graph._custom_builtins.items()}
        exec(module.code, names)
        given = [X.clone() if name.startswith("L_x") else Y.clone() for name in module.forward.__annotations__]
        torch.manual_seed(0)
        by_source = names["forward"](module, *[value.clone() for value in given])
        torch.manual_seed(0)
        assert equal(module(*given), by_source)


def test_code_says_where_it_comes_from() -> None:
    (module,), _ = captured(in_place, X.clone(), Y.clone())
    forward, lines = type(module).forward, module.code.strip().splitlines()
    assert inspect.getsource(forward).splitlines() == lines
    assert forward.__code__.co_firstlineno == 4
    assert [*inspect.signature(forward).parameters] == ["self", "L_x_", "L_y_"]
    numbers = {line for _, _, line in forward.__code__.co_lines() if line is not None}
    assert len(numbers) == len(lines)
    assert linecache.getline(forward.__code__.co_filename, min(numbers)).strip() == lines[0]


def test_a_failing_node_names_its_line() -> None:
    def pick(x: Any, i: Any) -> Any:
        return (x * 2)[i]

    _, _ = captured(pick, X, torch.tensor([1]))
    compiled = rust_inductor.compile(pick, backend=lambda module, _: module.forward)
    compiled(X, torch.tensor([1]))
    with pytest.raises(IndexError) as caught:
        compiled(X, torch.tensor([5]))
    text = "".join(traceback.format_exception(caught.value))
    assert "eval_with_key" in text
    assert "[l_i_]" in text


def test_a_module_that_was_changed_is_compiled_from_source() -> None:
    def backend(module: Any, _inputs: Any) -> Any:
        for node in module.graph.nodes:
            if node.target is torch.sin:
                node.target = torch.cos
        module.recompile()
        return copy.deepcopy(module)

    compiled = rust_inductor.compile(lambda x: torch.sin(x) + 1, backend=backend)
    assert torch.equal(compiled(X), torch.cos(X) + 1)
