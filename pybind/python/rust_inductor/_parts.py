"""The ATen calls that a composite call comes down to, told by torch: it runs the call on tensors without data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from rust_inductor import _without_dynamo

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    #: The name of an overload, its arguments, and what it gave.
    Part = tuple[str, tuple[Any, ...], Mapping[str, Any], Any]


class _Recorder(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Notes the operators that run below autograd."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.parts: list[Part] = []
        self.are_known = True

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        # Else each call would ask torch's Dynamo to stay out, and load it for that.
        return False

    def __torch_dispatch__(
        self, operator: Any, _types: Any, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        result = operator(*args, **kwargs)
        # A tensor that takes another shape in place would be shown in that one throughout.
        self.are_known &= operator.namespace == "aten" and torch.Tag.inplace_view not in operator.tags
        self.parts.append((f"aten.{operator.__name__}", args, kwargs, result))
        return result


def parts(call: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[list[Part], Any] | None:
    """Give the calls of overloads below a call, and what it gives; ``None`` if they cannot be told apart."""
    with torch.no_grad(), _Recorder() as recorder:
        result = _without_dynamo.call(call, tuple(args), kwargs)
    return (recorder.parts, result) if recorder.are_known else None
