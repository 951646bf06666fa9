"""The book's walkthrough shows what the compiler prints now."""

from __future__ import annotations

import os

import torch

from tools import walkthrough

#: The files that are the same on every machine; the generated code depends on the width of the machine's vectors.
PORTABLE = ("aten.txt", "fates.txt", "loop_ir.txt")


def test_pages_are_up_to_date() -> None:
    torch.compiler.reset()
    if os.environ.get("EXPECTTEST_ACCEPT"):
        walkthrough.main()
    now = walkthrough.pages()
    for name in PORTABLE:
        assert (walkthrough.PAGES / name).read_text() == now[name], f"{name} is stale: ./x bless rewrites it"
