"""Graphs in torch's log: as Python code, as a table, and the sizes of their tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    import torch

    from rust_inductor._log_guards import Event


def _named(event: Event) -> str:
    from torch._dynamo.bytecode_transformation import unique_id

    if "graph_name" not in event:
        event["graph_name"] = unique_id("__compiled_fn", with_uuid=True)
    name: str = event["graph_name"]
    return name


def _module(event: Event) -> torch.fx.GraphModule:
    """The graph as torch's Dynamo would hand it to a compiler, with what it would say of each node."""
    if "module" not in event:
        from rust_inductor import _backends

        event["module"] = _backends.described_module(*event["described"])
    module: torch.fx.GraphModule = event["module"]
    return module


def code_text(event: Event) -> str:
    """Print the graph as Python code."""
    from torch.fx._utils import lazy_format_graph_code

    module = _module(event)
    return str(lazy_format_graph_code(_named(event), module, include_stride=True, include_device=True, colored=True))


def table_text(event: Event) -> str:
    """Print the graph as a table."""
    from torch.fx._utils import _format_graph_code

    module = _module(event)
    rows = [(node.op, node.name, node.target, node.args, node.kwargs) for node in module.graph.nodes]
    table = _table([("opcode", "name", "target", "args", "kwargs"), *(tuple(map(str, row)) for row in rows)])
    return _format_graph_code(_named(event), module.forward.__code__.co_filename, table)


def _table(rows: list[tuple[str, ...]]) -> str:
    """Columns under their headings, as the package ``tabulate`` prints them."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    rows.insert(1, tuple("-" * width for width in widths))
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)


def size_text(event: Event) -> str:
    """Print the size of each tensor of the graph; with symbols, what it is in this call, too."""
    import torch

    lines = ["TRACED GRAPH TENSOR SIZES", f"===== {_named(event)} ====="]
    for node in _module(event).graph.nodes:
        value = node.meta.get("example_value")
        if isinstance(value, torch.Tensor):
            lines.append(f"{node.name}: {tuple(value.shape)}")
            if any(isinstance(size, torch.SymInt) for size in value.shape):
                lines.append(f"{node.name} (concrete): {tuple(map(_hint, value.shape))}")
    return "\n".join(lines) + "\n"


def _hint(size: Any) -> int:
    number: int = size if isinstance(size, int) else size.node.hint
    return number


#: The artifacts, in torch's order.
TEXTS: dict[str, Callable[[Event], str]] = {"graph_code": code_text, "graph": table_text, "graph_sizes": size_text}
