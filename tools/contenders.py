"""Who takes part in a benchmark, and which ratios of their times the page shows: a row of `MODES` for each."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Backend = Literal["eager", "rust_inductor", "inductor"]
#: Which sizes are symbols: none, those along the first of the case's axes, or every one.
Shapes = Literal["static", "first", "all"]
#: What is asked for beyond the defaults: `mode="max-autotune"`, `options={"freezing": True}`.
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

MODES = {
    "cpu": Mode(
        heading="Benchmarks on the CPU",
        what="float32; inference, but where a gradient is named.",
        contenders=(EAGER, OURS, INDUCTOR),
        ratios=(Ratio("eager / ours", "eager", "rust_inductor"), Ratio("Inductor / ours", "inductor", "rust_inductor")),
    ),
    "autotune": Mode(
        heading="Choosing by measurement on the CPU",
        what='float32 inference. "Tuned" is compiled with `mode="max-autotune"`.',
        contenders=(
            EAGER,
            OURS,
            Contender("ours, tuned", "rust_inductor", asked="tuned"),
            Contender("Inductor, tuned", "inductor", asked="tuned"),
        ),
        ratios=(
            Ratio("ours / tuned", "rust_inductor", "rust_inductor, tuned"),
            Ratio("tuned: Inductor / ours", "inductor, tuned", "rust_inductor, tuned"),
        ),
    ),
    "freezing": Mode(
        heading="Frozen weights on the CPU",
        what='float32 inference. "Frozen" is compiled with `options={"freezing": True}`.',
        contenders=(
            EAGER,
            OURS,
            Contender("ours, frozen", "rust_inductor", asked="frozen"),
            Contender("Inductor, frozen", "inductor", asked="frozen"),
        ),
        ratios=(
            Ratio("ours / frozen", "rust_inductor", "rust_inductor, frozen"),
            Ratio("frozen: Inductor / ours", "inductor, frozen", "rust_inductor, frozen"),
        ),
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
