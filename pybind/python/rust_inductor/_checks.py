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

#: What stands in a bound that is none.
Infinity = (IntInfinity, NegativeIntInfinity, sympy.core.numbers.Infinity, sympy.core.numbers.NegativeInfinity)

_Place = tuple[str, int, int]


def integer(value: int) -> sympy.Integer:
    """A number as an expression."""
    return sympy.Integer(value)


def reads(symbols: Iterable[sympy.Symbol], places: Mapping[str, _Place]) -> dict[sympy.Symbol, _Place] | None:
    """Where the symbols are read; ``None`` if one of them is no input."""
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


class Storages:
    """Inputs share storages, and start in shared ones, as they did."""

    def __init__(self, tensors: Sequence[int], inputs: Sequence[Any]) -> None:
        self.tensors = list(tensors)
        self.expected = self._pattern(inputs)

    def __call__(self, inputs: Sequence[Any]) -> bool:
        """Whether they do."""
        return self._pattern(inputs) == self.expected

    def _pattern(self, inputs: Sequence[Any]) -> list[Any]:
        """The tensors that share a storage, and where they start; of one that is alone there nothing is asked."""
        if self._are_whole([inputs[at] for at in self.tensors]):
            return []
        storages: dict[int, list[int]] = {}
        for at in self.tensors:
            storage = _storage(inputs[at])
            if storage is not None:
                storages.setdefault(storage, []).append(at)
        shared = (tensors for tensors in storages.values() if len(tensors) > 1)
        return [[(at, *_place_in_storage(inputs[at])) for at in tensors] for tensors in shared]

    @staticmethod
    def _are_whole(tensors: Sequence[Any]) -> bool:
        """Whether each starts with a storage of its own, found in a third of the time that storages as objects take."""
        try:
            if any([tensor.storage_offset() for tensor in tensors]):  # noqa: C419  # a list is faster
                return False
            starts = {tensor.data_ptr() for tensor in tensors}
        except (AttributeError, NotImplementedError, RuntimeError):
            return False
        return len(starts) == len(tensors) and 0 not in starts


def _storage(tensor: Any) -> int | None:
    """What tells a storage from others; ``None`` for one without memory, and for a float, which gets one of its own."""
    if not isinstance(tensor, torch.Tensor):
        return None
    try:
        return tensor.untyped_storage().data_ptr() or None
    except (NotImplementedError, RuntimeError):
        return None


def _place_in_storage(tensor: torch.Tensor) -> tuple[Any, ...]:
    base = tensor._base
    of_base = None if base is None else (tuple(base.size()), base.stride())
    return tensor.storage_offset(), of_base
