"""``torch.autograd.Function`` in graphs: a call of ``apply`` is a node whose target is a function made here."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from rust_inductor import _native

if TYPE_CHECKING:
    from collections.abc import Callable

    import torch

_known: weakref.WeakKeyDictionary[type, Callable[..., Any]] = weakref.WeakKeyDictionary()


def applied(function: type[torch.autograd.Function]) -> Callable[..., Any]:
    """Make the function that calls ``apply`` of this class, the same one each time."""
    known = _known.get(function)
    if known is None:
        # What the dictionary keeps must not keep the class.
        reference = weakref.ref(function)

        def known(*args: Any) -> Any:
            of = reference()
            assert of is not None, "a class lives as long as the functions that use it"
            return _native.call_as_it_is(of.apply, *args)

        known.__name__ = known.__qualname__ = f"{function.__name__}_apply"
        _known[function] = known
    return known
