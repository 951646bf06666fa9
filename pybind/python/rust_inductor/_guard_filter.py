"""The option ``guard_filter_fn``: guards of our own Dynamo, as torch shows its own to a filter.

Entries have the fields of ``torch._dynamo.types.GuardFilterEntry``, which is not imported for it: that takes seconds.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from re import sub
from typing import TYPE_CHECKING, Any

from torch import nn
from torch._guards import Guard, GuardSource, Source

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

#: Kinds that torch checks by identity, and says so.
_OF_IDENTITY = {"FUNCTION_MATCH", "CLASS_MATCH", "MODULE_MATCH", "BUILTIN_MATCH", "NN_MODULE"}

#: Parts of the global state that torch has in kinds of their own.
_APART = {"DEFAULT_DEVICE", "DUAL_LEVEL", "FUNCTORCH_STACK_MATCH", "TORCH_FUNCTION_STATE"}

_SHAPES = "SHAPE_ENV"
_STATE = "GLOBAL_STATE"

_MISSING = object()


@dataclass(frozen=True)
class GuardFilterEntry:
    """A guard, as a filter sees it."""

    name: str
    has_value: bool
    value: object
    guard_type: str
    derived_guard_types: tuple[str, ...]
    is_global: bool
    orig_guard: Guard
    code_parts: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Source(Source):
    """A source of ours, which knows its name and of what kind torch takes it to be."""

    text: str
    of: GuardSource

    @property
    def guard_source(self) -> GuardSource:
        return self.of

    @property
    def _name_template(self) -> str:
        return self.text


def wrapped(
    guard_filter_fn: Callable[[Sequence[GuardFilterEntry]], Sequence[bool]],
) -> Callable[[list[dict[str, Any]]], list[bool]]:
    """A program's filter, as it is called with the rows of the native tracer."""
    if not callable(guard_filter_fn):
        message = f"option `guard_filter_fn` takes a function, not {type(guard_filter_fn).__name__}"
        raise TypeError(message)
    return partial(_kept, guard_filter_fn)


def _kept(guard_filter_fn: Callable[[Sequence[Any]], Sequence[bool]], rows: list[dict[str, Any]]) -> list[bool]:
    """Whether each guard stays; an answer that torch would refuse is an error."""
    kept = list(guard_filter_fn([_entry(**row) for row in rows]))
    if len(kept) != len(rows):
        message = f"`guard_filter_fn` gave {len(kept)} answers to {len(rows)} guards"
        raise ValueError(message)
    for answer in kept:
        if type(answer) is not bool:
            message = f"`guard_filter_fn` gives True or False for each guard, not {answer!r}"
            raise TypeError(message)
    return kept


def _entry(
    *, kind: str, state: str | None, name: str, is_global: bool, depth: int, path: list[Any], text: str
) -> GuardFilterEntry:
    guard_type = kind if state is None or kind in _APART else _STATE
    derived = ("ID_MATCH",) if kind in _OF_IDENTITY else (kind,)
    has_value = depth > 0 and len(path) == depth

    def create(_builder: Any, _guard: Guard) -> None:
        message = "guards of this Dynamo are made by itself"
        raise NotImplementedError(message)

    create.__name__ = guard_type
    source = GuardSource.SHAPE_ENV if kind == _SHAPES else _guard_source(path, is_global=is_global or depth == 0)
    return GuardFilterEntry(
        name=sub(r"L\[\s*['\"](.*?)['\"]\s*\]", r"\1", name),
        has_value=has_value,
        value=path[-1] if has_value else _MISSING,
        guard_type=guard_type,
        derived_guard_types=derived,
        is_global=is_global,
        orig_guard=Guard(_Source(name, source), create, guard_types=list(derived), code_list=[text]),
        code_parts=(text,),
    )


def _guard_source(path: list[Any], *, is_global: bool) -> GuardSource:
    """Whether an object lies in a module, one of torch's own or another, as torch's sources have it."""
    modules = [type(value) for value in path if isinstance(value, nn.Module)]
    start = "GLOBAL" if is_global else "LOCAL"
    if any(map(_is_inbuilt, modules)):
        return GuardSource[f"{start}_UNSPECIALIZED_BUILTIN_NN_MODULE"]
    return GuardSource[f"{start}_UNSPECIALIZED_NN_MODULE" if modules else start]


def _is_inbuilt(module: type[nn.Module]) -> bool:
    """The rule of ``VariableBuilder.wrap_module``: of torch's own, containers are like the program's modules."""
    within = module.__module__
    own = within.startswith(("torch.nn.modules", "torch.ao.")) and not within.startswith("torch.nn.modules.container")
    return own or getattr(module, "_dynamo_marked_static", False)
