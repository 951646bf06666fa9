"""Sizes that change: results compared with eager, and compilations counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor
from torch._dynamo.backends.registry import lookup_backend

from rust_inductor import _aot

Function = Callable[..., Any]
Arguments = tuple[Any, ...]
Mark = Callable[[Tensor, int], None]


@dataclass
class Counter:
    """A backend that passes graphs on, and counts them."""

    backend: str = "rust_inductor"
    #: The number of graphs that Dynamo handed over.
    graphs: int = 0
    #: Of ours, the kind of each ATen graph that was compiled: `inference`, `forward` or `backward`.
    kinds: list[str] = field(default_factory=list)

    def __call__(self, module: torch.fx.GraphModule, inputs: Sequence[Any], **options: Any) -> Function:
        """Counts a graph that `torch.compile` hands over, and compiles it."""
        self.graphs += 1
        if self.backend != "rust_inductor":
            call: Function = lookup_backend(self.backend)(module, list(inputs), **options)
            return call
        return _aot.compile_module(module, inputs, on_graph=lambda kind, _compiled: self.kinds.append(kind), **options)


def graphs_of_eager(function: Function, calls: Iterable[Arguments], **options: Any) -> int:
    """The number of graphs that torch itself needs for these calls, one after the other."""
    torch._dynamo.reset()
    counter = Counter("eager")
    call = torch.compile(function, backend=counter, **options)
    for arguments in calls:
        call(*arguments)
    torch._dynamo.reset()
    return counter.graphs


def check_calls(function: Function, calls: Sequence[Arguments], allowed: int | None = None, **options: Any) -> Counter:
    """Asserts that ours does on each call what eager does, with no more graphs than are allowed, or torch needs."""
    if allowed is None:
        allowed = graphs_of_eager(function, [marked_like(arguments) for arguments in calls], **options)
    counter = Counter()
    ours = torch.compile(function, backend=counter, **options)
    for arguments in calls:
        check_call(ours, function, arguments)
    assert counter.graphs <= allowed, f"{counter.graphs} graphs, {allowed} allowed"
    return counter


def check_call(ours: Function, function: Function, arguments: Arguments) -> None:
    """Asserts that one call gives the results of eager, and changes its arguments as eager does."""
    theirs = tuple(clone(argument) for argument in arguments)
    mine = marked_like(arguments)
    torch.manual_seed(0)
    eager = function(*theirs)
    torch.manual_seed(0)
    same(ours(*mine), eager)
    same(mine, theirs)


def clone(value: Any) -> Any:
    """A copy with the same sizes, strides and offset in memory of its own, also where elements share memory."""
    if not isinstance(value, Tensor):
        return value
    storage = value.untyped_storage().clone()
    copy = torch.empty(0, dtype=value.dtype).set_(storage, value.storage_offset(), value.shape, value.stride())
    return copy.requires_grad_(value.requires_grad)


def same(ours: Any, eager: Any) -> None:
    """Asserts equal values, dtypes and sizes, and strides where they mean something."""
    if isinstance(eager, list | tuple):
        assert len(ours) == len(eager)
        for a, b in zip(ours, eager):
            same(a, b)
    elif isinstance(eager, Tensor):
        torch.testing.assert_close(ours, eager, equal_nan=True)
        assert strides(ours) == strides(eager)
    else:
        assert (type(ours), ours) == (type(eager), eager)


def strides(tensor: Tensor) -> list[int]:
    """Of the dimensions with more than one element, of a tensor with any."""
    return [stride for size, stride in zip(tensor.shape, tensor.stride()) if size > 1 and tensor.numel()]


def marked_like(arguments: Arguments) -> Arguments:
    """Copies that carry the marks of the originals: torch keeps them in attributes of the tensor."""
    copies = tuple(clone(argument) for argument in arguments)
    for original, copy in zip(arguments, copies):
        if isinstance(original, Tensor):
            copy.__dict__.update({k: v for k, v in original.__dict__.items() if k.startswith("_dynamo")})
    return copies


def marked(mark: Mark, calls: Sequence[Arguments]) -> Sequence[Arguments]:
    """Marks each size that is not the same in the first two calls, in every call."""
    first, second = calls[:2]
    for at, (a, b) in enumerate(zip(first, second)):
        if isinstance(a, Tensor):
            for dim in (dim for dim in range(a.dim()) if a.shape[dim] != b.shape[dim]):
                for arguments in calls:
                    mark(arguments[at], dim)
    return calls
