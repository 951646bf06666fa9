"""Compiled graphs and the memory that the program sees: results in that of inputs, and inputs that are written to.

A check lives in a cache that the garbage collector does not see, so it keeps numbers only, never a tensor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import torch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rust_inductor import _native

    Compiled = Callable[..., Any]


#: The ways to have a tensor's memory without being a view of it.
_APART: dict[str, Callable[[Any], Any]] = {
    "detach": torch.Tensor.detach,
    "data": lambda tensor: tensor.data,
    "unsafe_split": lambda tensor: tensor.unsafe_chunk(1)[0],
}


class Checked(NamedTuple):
    """A compiled graph that holds only for inputs which pass a check."""

    function: Compiled
    check: Callable[[Sequence[Any]], bool]
    text: str = "check_same_storages()"


def with_views(compiled: Compiled, results: Sequence[_native.Result], detached: Sequence[int] = ()) -> Compiled:
    """Make results that are in the memory of inputs, or of each other, of those tensors: views of them.

    So are results whose memory holds the conjugate or the negative. Some, by number, autograd does not follow.
    """

    def run(*args: Any) -> tuple[Any, ...]:
        view: list[Any]
        outputs = compiled(*args)
        given = []
        for result in results:
            number, (is_conj, is_neg), *view = (result, (False, False)) if isinstance(result, int) else result
            base = outputs[number] if number >= 0 else args[-1 - number]
            if len(view) == 1:
                for function, rest, named, pick in view[0]:
                    base = function(base, *rest, **named)
                    base = base if pick is None else base[pick]
            elif view:
                apart, *place = view
                kind, is_viewed = apart or (None, False)
                if kind and is_viewed:
                    base = _APART[kind](base)
                size, stride, offset = place if len(place) > 1 else place[0].at(args)
                base = base.as_strided(size, stride, base.storage_offset() + offset)
                if kind and not is_viewed:
                    base = _APART[kind](base)
            if is_conj:
                base = base.conj()
            given.append(torch._neg_view(base) if is_neg else base)
        for at in detached:
            given[at] = given[at].detach()
        return tuple(given)

    return run


def with_followed_writes(compiled: Compiled, written: Sequence[int]) -> Compiled:
    """Write the last results into these inputs, by number: calls that autograd records, as those of eager."""
    count = len(written)

    def run(*args: Any) -> tuple[Any, ...]:
        results = compiled(*args)
        for at, value in zip(written, results[-count:], strict=True):
            args[at].copy_(value)
        return tuple(results[:-count])

    return run


def with_versions(function: Compiled, written: Sequence[tuple[int, int]]) -> Compiled:
    """Count the writes to inputs as eager does: kernels write unnoticed, operators are noticed always.

    With the number of an input comes by how much its version changes.
    """

    def run(*args: Any) -> Any:
        expected = [(args[at], args[at]._version + count) for at, count in written]
        results = function(*args)
        others = [(tensor, version) for tensor, version in expected if tensor._version != version]
        if others:
            torch._C._autograd._unsafe_set_version_counter(*zip(*others, strict=True))
        return results

    return run


def count_writes(outputs: Sequence[Any], rewritten: Sequence[tuple[int, int]]) -> None:
    """Count the writes that eager would have made to outputs of a functional graph."""
    if not torch.is_inference_mode_enabled():
        torch.autograd.graph.increment_version([outputs[at] for at, count in rewritten for _ in range(count)])


def with_counted_writes(compiled: Compiled, rewritten: Sequence[tuple[int, int]]) -> Compiled:
    """Count the writes to outputs whenever the graph has run."""

    def run(*args: Any) -> Any:
        outputs = compiled(*args)
        count_writes(outputs, rewritten)
        return outputs

    return run


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
    """The identity of a storage; ``None`` for one without memory, and for a float, which gets one of its own."""
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
