"""Iterators, and managers that are generators, that are made again as far along as a traced program has read them."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Generator, Iterator
from typing import Any


class _KnownKey:
    """A key function whose first answer is known."""

    def __init__(self, known: Any, function: Callable[[Any], Any] | None) -> None:
        self.known = [known]
        self.function = function

    def __call__(self, item: Any) -> Any:
        if self.known:
            return self.known.pop()
        return item if self.function is None else self.function(item)


def regrouped(
    items: Iterator[Any],
    function: Callable[[Any], Any] | None,
    key: Any,
    item: Any,
    is_open: bool,
    is_given: bool,
) -> itertools.groupby[Any, Any]:
    """A `groupby` that has read an item of this key; whether it has given the group, and the item."""
    made = itertools.groupby(itertools.chain((item,), items), _KnownKey(key, function))
    if is_open:
        _, group = next(made)
        if is_given:
            next(group)
    return made


def entered_manager(generator: Generator[Any, Any, None]) -> contextlib.AbstractContextManager[Any]:
    """A manager of `contextlib.contextmanager` between its `__enter__` and its `__exit__`."""
    manager_type = contextlib._GeneratorContextManager
    manager = manager_type.__new__(manager_type)
    manager.gen = generator
    return manager
