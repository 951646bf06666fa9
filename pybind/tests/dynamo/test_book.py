"""The book's specification of capture, run: every block of Python prints what the block of text after it says.

A block headed `python,cpython-3.11` runs on that version only. Blocks share their names, from the top of the page on.
`UPDATE_EXPECT=1` writes what is printed into the page, and the table of reasons.
"""

from __future__ import annotations

import contextlib
import io
import linecache
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
#: In the order in which they are read: names go on from page to page.
PAGES = [ROOT / "book/src" / name for name in ("dynamo.md", "dynamo-objects.md", "dynamo-effects.md")]
REASONS_PAGE = PAGES[-1]
REASONS = ROOT / "dynamo-core/src/reason.rs"
BLESS = os.environ.get("UPDATE_EXPECT") == "1"

BLOCK = re.compile(r"^```(?P<info>\w\S*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
ROW = re.compile(r'^ {4}\w+, "(RI\d{4})", "(.*?)",\s+"(.*?)";$', re.MULTILINE | re.DOTALL)
#: Addresses, of which those in guards may be short: an interpreter that is not relocatable has its objects low.
ADDRESS = re.compile(r"0x[0-9a-f]+|\b\d{8,}\b|(?<=, )\d+(?=\), type=)")


@dataclass
class Block:
    """Code, and what it prints."""

    number: int
    versions: list[str]
    code: str
    #: The place of the expected text in the page; empty right after the code if it prints nothing.
    span: tuple[int, int]

    @property
    def runs_here(self) -> bool:
        return all(version == f"cpython-{sys.version_info[0]}.{sys.version_info[1]}" for version in self.versions)


def blocks(page: str) -> Iterator[Block]:
    found = list(BLOCK.finditer(page))
    number = 0
    for match, after in zip(found, [*found[1:], None]):
        language, *versions = match["info"].split(",")
        if language != "python":
            continue
        number += 1
        between = page[match.end() : after.start()] if after else "x"
        shown = after if after and after["info"] == "text" and not between.strip() else None
        yield Block(number, versions, match["body"], shown.span("body") if shown else (match.end(), match.end()))


def run(block: Block, names: dict[str, Any]) -> str:
    """The text that the block prints. Its lines are known to tracebacks under its number."""
    file = f"block {block.number}"
    linecache.cache[file] = (len(block.code), None, block.code.splitlines(keepends=True), file)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(block.code, file, "exec", dont_inherit=True), names)
    return "".join(f"{line.rstrip()}\n" for line in printed.getvalue().splitlines())


def masked(text: str) -> str:
    """Without addresses, which differ from run to run."""
    return ADDRESS.sub("…", text)


def test_blocks_print_what_the_pages_say():
    torch = pytest.importorskip("torch")
    names: dict[str, Any] = {"__name__": "book"}
    for path in PAGES:
        page = path.read_text()
        edits: list[tuple[tuple[int, int], str]] = []
        for block in blocks(page):
            if not block.runs_here:
                continue
            torch.manual_seed(block.number)
            printed = masked(run(block, names))
            expected = page[slice(*block.span)]
            if BLESS and printed != expected:
                edits.append((block.span, printed if expected else f"\n\n```text\n{printed}```"))
            else:
                assert printed == expected, f"{path.name}, block {block.number}:\n{block.code}"
        for (start, end), text in reversed(edits):
            page = page[:start] + text + page[end:]
        if edits:
            path.write_text(page)


def test_every_reason_is_in_the_table():
    rows = [f"| {code} | {what} | {hint} |" for code, what, hint in ROW.findall(REASONS.read_text())]
    assert len(rows) > 10
    table = "| code | what happened | what to do |\n|---|---|---|\n" + "\n".join(rows) + "\n"
    page = REASONS_PAGE.read_text()
    if BLESS and table not in page:
        with_table = re.sub(r"\| code \| what happened.*?\n\n", lambda _: table + "\n", page + "\n\n", flags=re.DOTALL)
        REASONS_PAGE.write_text(with_table.rstrip() + "\n")
    else:
        assert table in page
