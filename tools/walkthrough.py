"""Prints one small program at each stage of the compiler: what the book's walkthrough page shows.

`python -m tools.walkthrough` rewrites book/src/walkthrough/; a test compares the pages with what the code prints now.
"""

from __future__ import annotations

import re
from typing import Any

import torch
from torch import Tensor, nn

from tools.ui import ROOT

PAGES = ROOT / "book" / "src" / "walkthrough"
ROWS, WIDTH = 128, 1024
LISTING_LINES = 48
EQUAL_LANES = re.compile(r"<(\w+ [^,<>]+)(?:, \1)+>")


class Scores(nn.Module):
    """The program: a bias, then softmax of each row."""

    def forward(self, x: Tensor, bias: Tensor) -> Tensor:
        """Rows that sum to one."""
        return torch.softmax(2 * x + bias, dim=-1)


def pages() -> dict[str, str]:
    """The text of each stage, by file name."""
    from torch._dynamo.backends.common import aot_autograd

    import rust_inductor._native as native

    graphs: list[tuple[Any, Any]] = []

    def compile_aten(graph: Any, _inputs: Any) -> Any:
        compiled = native.compile_graph(graph)
        graphs.append((graph, compiled))
        return compiled

    with torch.no_grad():
        backend = aot_autograd(fw_compiler=compile_aten, decompositions={})
        compiled_program = torch.compile(Scores(), backend=backend, dynamic=False)
        compiled_program(torch.randn(ROWS, WIDTH), torch.randn(WIDTH))
    ((graph, compiled),) = graphs
    ((_, loop_ir, listing),) = compiled.kernels
    return {
        "aten.txt": plain(str(graph.graph)),
        "fates.txt": fates(compiled.fates),
        "loop_ir.txt": plain(loop_ir),
        "llvm.txt": excerpt(listing),
    }


def fates(rows: list[tuple[str, str, str]]) -> str:
    """The fate of each node, in columns."""
    width = [max(len(row[k]) for row in rows) for k in range(2)]
    return "".join(f"{name:<{width[0]}}  {target:<{width[1]}}  {fate}\n" for name, target, fate in rows)


def plain(text: str) -> str:
    """The text with one newline at its end and no blanks at the ends of lines."""
    return re.sub(r"[ \t]+$", "", text.strip(), flags=re.MULTILINE) + "\n"


def excerpt(listing: str) -> str:
    """The start of the generated code, without attributes that only LLVM reads, and with equal lanes written once."""
    lines = EQUAL_LANES.sub(r"splat (\1)", plain(listing)).splitlines()
    start = next((k for k, line in enumerate(lines) if line.startswith("define")), 0)
    body = [re.sub(r" #\d+ \{$", " {", line) for line in lines[start : start + LISTING_LINES]]
    more = len(lines) - start - len(body)
    return "\n".join([*body, *([f"; … {more} more lines"] if more > 0 else [])]) + "\n"


def main() -> None:
    """Writes the files."""
    PAGES.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (PAGES / name).write_text(text)


if __name__ == "__main__":
    main()
