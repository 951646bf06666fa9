"""Draws figures as SVG, for the book: it needs no library, and reads on light and dark pages."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

#: Colours that differ in lightness, too.
COLOURS = ("#1b7f5c", "#34c38f", "#9db4c8", "#6d8aa5", "#c9553d")
LABEL, WIDTH, RIGHT = 200, 560, 70
BAR, GAP, TOP, LEGEND = 9, 10, 34, 22


@dataclass(frozen=True)
class Bars:
    """One bar of a group."""

    title: str
    seconds: float


def bars(title: str, groups: Mapping[str, Sequence[Bars]]) -> str:
    """Groups of bars on one logarithmic scale of seconds."""
    values = [bar.seconds for group in groups.values() for bar in group]
    low = 10.0 ** math.floor(math.log10(min(values)))
    high = 10.0 ** math.ceil(math.log10(max(values)))

    def place(seconds: float) -> float:
        return LABEL + WIDTH * math.log(seconds / low) / math.log(high / low)

    parts, y = [], TOP + LEGEND
    for name, group in groups.items():
        parts.append(text(LABEL - 8, y + BAR * len(group) / 2 + 4, name, anchor="end"))
        for colour, bar in zip(COLOURS, group):
            end = place(bar.seconds)
            parts.append(
                f'<rect x="{LABEL}" y="{y}" width="{end - LABEL:.1f}" height="{BAR - 1}" fill="{colour}">'
                f"<title>{escape(f'{name}, {bar.title}: {shown(bar.seconds)}')}</title></rect>"
            )
            parts.append(text(end + 4, y + BAR - 1, shown(bar.seconds), size=8))
            y += BAR
        y += GAP
    height = y + 18
    decades = [low * 10**power for power in range(round(math.log10(high / low)) + 1)]
    lines = [
        f'<line x1="{place(it):.1f}" x2="{place(it):.1f}" y1="{TOP + LEGEND - 4}" y2="{y}" stroke="#8884"/>'
        + text(place(it), y + 12, shown(it), anchor="middle", size=9)
        for it in decades
    ]
    legend, x = [], float(LABEL)
    for colour, bar in zip(COLOURS, next(iter(groups.values()))):
        legend.append(f'<rect x="{x:.0f}" y="{TOP - 8}" width="10" height="10" fill="{colour}"/>')
        legend.append(text(x + 14, TOP + 1, bar.title, size=10))
        x += 34 + 5.6 * len(bar.title)
    whole = LABEL + WIDTH + RIGHT
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {whole} {height}" role="img" '
            f'font-family="sans-serif" fill="#888">',
            f"<title>{escape(title)}</title>",
            text(LABEL, 14, title, size=12),
            *legend,
            *lines,
            *parts,
            "</svg>\n",
        ]
    )


def text(x: float, y: float, content: str, *, anchor: str = "start", size: int = 11) -> str:
    """A line of text."""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">{escape(content)}</text>'


def shown(seconds: float) -> str:
    """Seconds, or milliseconds of less than one."""
    return f"{seconds:.3g} s" if seconds >= 1 else f"{seconds * 1e3:.3g} ms"
