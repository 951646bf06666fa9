"""Sets that are made again as a traced program has made them: their order depends on it."""

from __future__ import annotations

from typing import Any

#: A method of a set and what it is given: items, and the steps by which other sets are made.
Step = tuple[str, list[tuple[bool, Any]]]


def remake(steps: list[Step]) -> set[Any]:
    """Call the methods one after the other, on the empty set first."""
    made: set[Any] = set()
    for method, operands in steps:
        result = getattr(made, method)(*[remake(value) if is_set else value for is_set, value in operands])
        if isinstance(result, set):
            made = result
    return made
