"""Questions to torch's functions that do not load its Dynamo.

Those that are to be kept out of it import it when they are first called, to be told how, and that takes seconds. Where
nobody has loaded it, there is nothing to be kept out of.
"""

from __future__ import annotations

import contextlib
import functools
import sys
import types
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

#: The modules of what runs for tensors without data.
_MODULES = ("torch._refs", "torch._decomp", "torch._meta_registrations", "torch._prims")


@contextlib.contextmanager
def without_dynamo() -> Iterator[None]:
    """Within, functions of torch's that run for tensors without data do not load its Dynamo."""
    kept_out = () if "torch._dynamo" in sys.modules else _kept_out()
    for known in kept_out:
        known.__dynamo_disable = known
    try:
        yield
    finally:
        for known in kept_out:
            vars(known).pop("__dynamo_disable", None)


def call(function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """Call a function of torch's on tensors without data."""
    with without_dynamo():
        return function(*args, **kwargs)


@functools.cache
def _kept_out() -> list[Any]:
    """The functions that ask how they are kept out of torch's Dynamo."""
    modules = [module for name, module in list(sys.modules.items()) if name.startswith(_MODULES)]
    found: list[Any] = []
    open_, seen = [value for module in modules for value in vars(module).values()], set()
    while open_:
        function = open_.pop()
        if not isinstance(function, types.FunctionType) or function in seen:
            continue
        seen.add(function)
        # Decorators keep in cells what they decorate, whatever `__wrapped__` says.
        cells = {}
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            with contextlib.suppress(ValueError):  # an empty one
                cells[name] = cell.cell_contents
        if function.__code__.co_filename.endswith("_compile.py") and "fn" in cells:
            found.append(cells["fn"])
        open_ += cells.values()
    return found
