"""Random programs: each is a function of its seed, and each is text that can be run.

While a program is made it is run, so that every operator is one that accepts its arguments, and results stay small.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from pybind.tests.fuzz.operators import KINDS, Row
from pybind.tests.fuzz.values import DTYPES, FLOATS, INTS, LAYOUTS, is_exact, make

SIZES = (1, 2, 3, 5, 8, 16, 17, 33)
#: The most elements of any value.
ELEMENTS = 1 << 14
#: After so many operators that round, one after another, errors are too large to tell anything.
DEPTH = 4


@dataclass(frozen=True)
class Line:
    """One assignment."""

    name: str
    text: str

    def uses(self, name: str) -> bool:
        """True if it has this name on its right side."""
        return re.search(rf"\b{name}\b", self.text) is not None


@dataclass(frozen=True)
class Program:
    """A function, and what it is called with."""

    seed: int
    #: Arguments of `make`, by name.
    inputs: tuple[tuple[str, str], ...]
    lines: tuple[Line, ...]
    outputs: tuple[str, ...]

    def function(self) -> str:
        """The text of the function."""
        body = [f"    {line.name} = {line.text}" for line in self.lines]
        names = ", ".join(name for name, _ in self.inputs)
        results = "".join(f"{name}, " for name in self.outputs)
        return "\n".join([f"def function({names}):", *body, f"    return ({results})"]) + "\n"

    def test(self) -> str:
        """The program as a test."""
        arguments = ", ".join(text for _, text in self.inputs)
        body = "\n".join(f"    {line}" for line in self.function().splitlines())
        return f"def test_seed_{self.seed}() -> None:\n{body}\n\n    agrees(function, {arguments})\n"

    def compiled(self) -> Any:
        """The function."""
        space: dict[str, Any] = {"torch": torch}
        exec(self.function(), space)
        return space["function"]

    def arguments(self) -> list[Tensor]:
        """The arguments that it is called with."""
        return [eval(text, {"make": make, "torch": torch}) for _, text in self.inputs]

    def without(self, lines: tuple[Line, ...]) -> Program:
        """The program with these lines alone, less what needs others."""
        known, kept = {name for name, _ in self.inputs}, []
        for line in lines:
            if all(name in known for name in re.findall(r"\b[xv]\d+\b", line.text)):
                known.add(line.name)
                kept.append(line)
        outputs = tuple(name for name in self.outputs if name in known)
        return replace(self, lines=tuple(kept), outputs=outputs or ((kept[-1].name,) if kept else ()))


@dataclass
class Known:
    """A value, while the program is made."""

    name: str
    value: Tensor
    #: The number of operators that have rounded on its way.
    depth: int


class Maker:
    """A program in the making."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.random = random.Random(seed)
        self.inputs: list[tuple[str, str]] = []
        self.lines: list[Line] = []
        self.values: list[Known] = []

    def program(self, steps: int) -> Program:
        """A program of about so many operators; all that nothing uses is returned."""
        self.make_inputs()
        for _ in range(steps * 3):
            if len(self.lines) < steps:
                self.step()
        used = [line.name for line in self.lines if not any(other.uses(line.name) for other in self.lines)]
        extra = [line.name for line in self.lines if line.name not in used and self.random.random() < 0.1]
        return Program(self.seed, tuple(self.inputs), tuple(self.lines), (*used, *extra))

    def make_inputs(self) -> None:
        pick = self.random
        rank = pick.choice((0, 1, 2, 2, 3, 3, 4))
        shape = [pick.choice(SIZES) for _ in range(rank)]
        while torch.Size(shape).numel() > ELEMENTS // 8:
            shape[shape.index(max(shape))] = pick.choice(SIZES[:4])
        if shape and pick.random() < 0.03:
            shape[pick.randrange(rank)] = 0
        first = pick.choice(FLOATS if pick.random() < 0.7 else INTS)
        second = first if pick.random() < 0.5 else pick.choice(DTYPES)
        self.input(tuple(shape), first)
        self.input(tuple(shape), second)
        self.input(tuple(1 if pick.random() < 0.4 else size for size in shape), first)
        self.input(tuple(shape), torch.bool)

    def input(self, shape: tuple[int, ...], dtype: torch.dtype) -> None:
        layout = self.random.choice(LAYOUTS)
        special = self.random.random() < 0.1
        seed = self.random.randrange(1000)
        text = f"make({shape}, {dtype}, {seed}, {layout!r}{', special=True' if special else ''})"
        name = f"x{len(self.inputs)}"
        self.inputs.append((name, text))
        self.values.append(Known(name, make(shape, dtype, seed, layout, special), 0))

    def step(self) -> None:
        """Adds an operator, if the one that is drawn fits."""
        rows = self.random.choices([rows for rows, _ in KINDS], [weight for _, weight in KINDS])[0]
        row = self.random.choice(rows)
        recent = self.values[-3:] if self.random.random() < 0.5 else self.values
        first = self.random.choice(recent)
        if not self.fits(row, first):
            return
        operands = [first]
        for other in row.others:
            found = self.other(other, first, row)
            if found is None:
                return
            operands.append(found)
        self.add(row, operands)

    def add(self, row: Row, operands: list[Known]) -> None:
        text = self.filled(row.text, operands)
        name = f"v{len(self.lines)}"
        try:
            value = eval(text, {"torch": torch, **{it.name: it.value for it in operands}})
        except (RuntimeError, IndexError, ValueError, NotImplementedError, TypeError):
            return
        if not isinstance(value, Tensor) or value.numel() > ELEMENTS or value.dtype.is_complex or value.dim() > 6:
            return
        rounds = not is_exact(value)
        depth = max(it.depth for it in operands) + (rounds or any(it.depth for it in operands))
        if depth > DEPTH or (rounds and row.decides):
            return
        if value.dtype.is_floating_point and float(value[value.isfinite()].abs().sum()) > 1e30:
            return
        self.lines.append(Line(name, text))
        self.values.append(Known(name, value, depth))

    def fits(self, row: Row, first: Known) -> bool:
        value = first.value
        if row.decides and first.depth:
            return False
        if value.dim() < row.rank:
            return False
        match row.takes:
            case "float":
                return value.dtype.is_floating_point
            case "int":
                return not value.dtype.is_floating_point
            case "bool":
                return value.dtype == torch.bool
        return True

    def other(self, what: str, first: Known, row: Row) -> Known | None:
        value = first.value

        def fits(it: Known) -> bool:
            if row.decides and it.depth:
                return False
            match what:
                case "like":
                    shapes = zip(it.value.shape[::-1], value.shape[::-1])
                    return it.value.dtype == value.dtype and all(a == b or 1 in (a, b) for a, b in shapes)
                case "mask":
                    return it.value.dtype == torch.bool and it.value.shape == value.shape
                case "row":
                    return it.value.dtype == value.dtype and it.value.shape == value.shape[-1:]
            return False

        if what in ("index", "matrix"):
            return self.helper(what, value)
        found = [it for it in self.values if fits(it)]
        return self.random.choice(found) if found else None

    def helper(self, what: str, value: Tensor) -> Known | None:
        """An input made for the purpose: an index into every dimension, or what a matrix is multiplied with."""
        name = f"x{len(self.inputs)}"
        seed = self.random.randrange(1000)
        if what == "index":
            least = min(value.shape) if value.dim() else 0
            if least == 0:
                return None
            text = f"make(({self.random.choice(SIZES)},), torch.int64, {seed}, 'contiguous').abs() % {least}"
        else:
            shape = (value.shape[-1], self.random.choice(SIZES))
            text = f"make({shape}, {value.dtype}, {seed}, {self.random.choice(LAYOUTS)!r})"
        self.inputs.append((name, text))
        return Known(name, eval(text, {"make": make, "torch": torch}), 0)

    def filled(self, text: str, operands: list[Known]) -> str:
        pick, rank = self.random, max(operands[0].value.dim(), 1)
        d = pick.randrange(rank) if pick.random() < 0.7 else -1 - pick.randrange(rank)
        dims = tuple(pick.sample(range(rank), min(rank, pick.randint(1, 2))))
        order = list(range(rank))
        pick.shuffle(order)
        return text.format(
            *(it.name for it in operands),
            n=pick.randint(-3, 3),
            k=pick.randint(1, 3),
            p=pick.choice((1, 2, 3, 4)),
            d=d,
            e=pick.randrange(rank),
            dims=dims,
            flag=pick.random() < 0.5,
            order=", ".join(map(str, order)),
            repeats=", ".join(str(pick.randint(1, 2)) for _ in range(rank)),
            dtype=pick.choice(DTYPES),
        )


def generate(seed: int) -> Program:
    """The program of this seed."""
    return Maker(seed).program(2 + seed % 12)
