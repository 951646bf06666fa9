"""Operators that cannot be compared as others are."""

from __future__ import annotations

#: Their results are whatever memory held: only dtype, sizes and strides are compared.
NO_VALUES = frozenset(
    {
        "empty",
        "empty_like",
        "empty_permuted",
        "empty_strided",
        "new_empty",
        "new_empty_strided",
    }
)

#: Operators that magnify rounding errors; traced, they take another of the library's ways than called: torch's
#: own compiler gives the same.
ILL_CONDITIONED = frozenset({"linalg.cond", "linalg.norm"})
