"""The contenders of a benchmark, and the ratios of their times that the page shows: a row of `MODES` for each."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Backend = Literal["eager", "rust_inductor", "inductor"]
#: The sizes that are symbols: none, those along the first of the case's axes, or every one.
Shapes = Literal["static", "first", "all"]
#: Settings asked for beyond the defaults: `mode="max-autotune"`, `options={"freezing": True}`.
Asked = Literal["nothing", "tuned", "frozen"]


@dataclass(frozen=True)
class Contender:
    """One way to run a program, in processes of its own."""

    title: str
    backend: Backend
    shapes: Shapes = "static"
    asked: Asked = "nothing"

    @property
    def name(self) -> str:
        """Under which the figures are kept."""
        return name_of(self.backend, self.shapes, self.asked)


def name_of(backend: str, shapes: str, asked: str) -> str:
    """The name of the contender that this is."""
    return ", ".join([backend, *(it for it in (shapes, asked) if it not in ("static", "nothing"))])


@dataclass(frozen=True)
class Ratio:
    """A column that divides the times of two contenders."""

    title: str
    above: str
    below: str

    def of(self, ms: Mapping[str, float]) -> float:
        """The ratio for these times."""
        return ms[self.above] / ms[self.below]


@dataclass(frozen=True)
class Mode:
    """A benchmark."""

    heading: str
    what: str
    contenders: tuple[Contender, ...]
    ratios: tuple[Ratio, ...]

    def header(self) -> list[str]:
        """The columns."""
        return ["program", *(it.title for it in self.contenders), *(it.title for it in self.ratios)]

    def cells(self, ms: Mapping[str, float]) -> list[str]:
        """Times and ratios of one program."""
        return [*(milliseconds(ms[it.name]) for it in self.contenders), *(f"{it.of(ms):.2f}" for it in self.ratios)]

    def mean_cells(self, rows: Sequence[Mapping[str, float]]) -> list[str]:
        """The geometric means of the ratios, under their columns."""
        blank = [""] * len(self.contenders)
        return [*blank, *(f"{geometric_mean(it.of(ms) for ms in rows):.2f}" for it in self.ratios)]


def milliseconds(ms: float) -> str:
    """With at least four digits."""
    return f"{ms:.4f}" if ms < 10 else f"{ms:.2f}"


def geometric_mean(ratios: Iterable[float]) -> float:
    """The n-th root of the product."""
    return math.exp(statistics.fmean(map(math.log, ratios)))


EAGER = Contender("eager", "eager")
OURS = Contender("ours", "rust_inductor")
INDUCTOR = Contender("Inductor", "inductor")
BOTH = (Ratio("eager / ours", EAGER.name, OURS.name), Ratio("Inductor / ours", INDUCTOR.name, OURS.name))


def asking(asked: Asked, heading: str, what: str) -> Mode:
    """A benchmark of what is asked for, on both sides alike."""
    ours = Contender(f"ours, {asked}", "rust_inductor", asked=asked)
    inductor = Contender(f"Inductor, {asked}", "inductor", asked=asked)
    return Mode(
        heading=heading,
        what=f"float32 inference. {what}",
        contenders=(EAGER, OURS, ours, inductor),
        ratios=(
            Ratio(f"ours / {asked}", OURS.name, ours.name),
            Ratio(f"{asked}: Inductor / ours", inductor.name, ours.name),
        ),
    )


MODES = {
    "cpu": Mode(
        heading="Benchmarks on the CPU",
        what="float32; inference, but where a gradient is named.",
        contenders=(EAGER, OURS, INDUCTOR),
        ratios=BOTH,
    ),
    "patterns": Mode(
        heading="Patterns on the CPU",
        what="Small programs of many kinds (`tools/bench/patterns.py`), inference; float32 unless a type is named.",
        contenders=(EAGER, OURS, INDUCTOR),
        ratios=BOTH,
    ),
    "autotune": asking(
        "tuned", "Choosing by measurement on the CPU", '"Tuned" is compiled with `mode="max-autotune"`.'
    ),
    "freezing": asking(
        "frozen", "Frozen weights on the CPU", '"Frozen" is compiled with `options={"freezing": True}`.'
    ),
    "dynamic": Mode(
        heading="Dynamic shapes on the CPU",
        what="Inference, float32. `first`: the number of rows, or the batch, is marked as dynamic; `all`: compiled "
        "with `dynamic=True`, so that rows and columns, or batch and length, are symbols.",
        contenders=(
            EAGER,
            Contender("ours, static", "rust_inductor"),
            Contender("ours, first", "rust_inductor", "first"),
            Contender("ours, all", "rust_inductor", "all"),
            Contender("Inductor, first", "inductor", "first"),
            Contender("Inductor, all", "inductor", "all"),
        ),
        ratios=(
            Ratio("static / first", "rust_inductor", "rust_inductor, first"),
            Ratio("static / all", "rust_inductor", "rust_inductor, all"),
            Ratio("Inductor / ours, first", "inductor, first", "rust_inductor, first"),
            Ratio("Inductor / ours, all", "inductor, all", "rust_inductor, all"),
        ),
    ),
}
