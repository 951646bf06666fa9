"""Checks on a graph's inputs that only Python can make.

Each is called with the list of the inputs. It lives in a cache that the garbage collector does not see, so it keeps
numbers and expressions only, never a tensor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sympy
import torch
from torch.utils._sympy.numbers import IntInfinity, NegativeIntInfinity

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

TRUE = sympy.true

#: The classes of infinities, which stand in place of a bound where there is none.
Infinity = (IntInfinity, NegativeIntInfinity, sympy.core.numbers.Infinity, sympy.core.numbers.NegativeInfinity)

_Place = tuple[str, int, int]


def integer(value: int) -> sympy.Integer:
    """A number as an expression."""
    return sympy.Integer(value)


def reads(symbols: Iterable[sympy.Symbol], places: Mapping[str, _Place]) -> dict[sympy.Symbol, _Place] | None:
    """The places where the symbols are read; ``None`` if one of them is no input."""
    found = {symbol: places.get(symbol.name) for symbol in symbols}
    known = {symbol: place for symbol, place in found.items() if place is not None}
    return known if len(known) == len(found) else None


class Relation:
    """A relation between sizes that our own guards cannot state."""

    def __init__(self, relation: sympy.Basic, reads: Mapping[sympy.Symbol, _Place]) -> None:
        self.relation = relation
        self.reads = dict(reads)

    def __call__(self, inputs: Sequence[Any]) -> bool:
        """Whether it holds."""
        values = {symbol: integer(_read(inputs, place)) for symbol, place in self.reads.items()}
        return bool(self.relation.xreplace(values) == TRUE)


def _read(inputs: Sequence[Any], place: _Place) -> int:
    kind, at, dim = place
    value = inputs[at]
    if kind == "given":
        return int(value)
    return int(value.storage_offset() if kind == "storage_offset" else getattr(value, kind)(dim))


class Overlap:
    """Some inputs share memory with each other, others with none."""

    def __init__(self, overlapping: Sequence[int], apart: Sequence[int]) -> None:
        self.overlapping = list(overlapping)
        self.apart = list(apart)

    def __call__(self, inputs: Sequence[Any]) -> bool:
        """Whether they do as they did."""
        from torch._C._dynamo.guards import compute_overlapping_tensors

        # Floats become tensors later, each with memory of its own.
        apart = [inputs[at] for at in self.apart if isinstance(inputs[at], torch.Tensor)]
        tensors = [inputs[at] for at in self.overlapping] + apart
        found = compute_overlapping_tensors(tensors, symbolic=False)
        return bool(found == set(range(len(self.overlapping))))

    @staticmethod
    def text(assumed: Any) -> str:
        """The check as a guard's text."""
        overlapping, apart = (
            ", ".join(source.name for source in sources)
            for sources in (assumed.overlapping_sources, assumed.non_overlapping_sources)
        )
        return f"check_overlapping(overlapping=[{overlapping}], non_overlapping=[{apart}])"
