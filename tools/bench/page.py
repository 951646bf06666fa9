"""The page that benchmarks write their figures to, a chapter each."""

from __future__ import annotations

import re

from tools.ui import ROOT

RESULTS = ROOT / "bench" / "RESULTS.md"


def with_chapter(page: str, chapter: str) -> str:
    """The page with this chapter in place of the one of the same heading, or at its end."""
    heading = chapter.partition("\n")[0]
    chapters = [it for it in re.split(r"^(?=# )", page, flags=re.MULTILINE) if it.strip()]
    headings = [it.partition("\n")[0] for it in chapters]
    at = headings.index(heading) if heading in headings else len(chapters)
    return "\n".join(it.strip("\n") + "\n" for it in [*chapters[:at], chapter, *chapters[at + 1 :]])
