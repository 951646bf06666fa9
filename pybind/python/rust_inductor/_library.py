"""Functions of the standard library, as Python that is traced in the place of the library's own."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any


def dispatch(kind: type, registry: Mapping[Any, Callable[..., Any]]) -> Callable[..., Any] | None:
    """The function that ``functools.singledispatch`` chooses for a class, which it keeps by weak references."""
    order = kind.__mro__
    for candidate in registry:
        if candidate not in order and issubclass(kind, candidate):
            # An abstract class, of which it has to be found out where in the order it stands.
            return functools._find_impl(kind, registry)  # type: ignore[attr-defined, no-any-return]
    for base in order:
        if base in registry:
            return registry[base]
    return None
