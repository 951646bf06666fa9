"""Calls of compiled graphs that torch's autograd records: those without a derivative of ours (`autograd::recorded`).

`forward` runs an operator while autograd records, and gives its results with a token, by which `backward` finds what
was recorded. The memory of operands and results is the graph's, which uses it again: what autograd saves of it is
copied, but for inputs of the graph, of which autograd checks, as in eager, that nobody has written to them.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch.autograd.graph import GradientEdge, get_gradient_edge, saved_tensors_hooks

from rust_inductor._without_dynamo import without_dynamo

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


@dataclass
class _Record:
    """The record that autograd has of a call."""

    #: The edges that take gradients by the results; ``None`` for a result that autograd does not follow.
    results: list[GradientEdge | None]
    #: The operands that gradients are asked for.
    operands: list[torch.Tensor]


@dataclass
class _Saved:
    """A tensor that autograd has saved."""

    tensor: torch.Tensor
    #: The program's tensor in whose memory it is, and the version of that.
    of: torch.Tensor | None = None
    version: int = 0


def forward(
    op: str, followed: Sequence[int], inputs: Sequence[torch.Tensor], *args: Any, **kwargs: Any
) -> tuple[Any, ...]:
    """Give the results of a call and the token for its gradients by some of the tensors among the operands.

    ``inputs`` are the program's tensors in whose memory operands may be.
    """
    args, kwargs, operands = _with_leaves(args, kwargs, followed)
    lasting = {_memory(given): given for given in inputs}
    passing = {_memory(operand) for operand in operands} - lasting.keys()
    kept: list[_Saved] = []

    def pack(tensor: torch.Tensor) -> _Saved:
        memory = _memory(tensor)
        if memory in lasting:
            return _Saved(tensor, lasting[memory], lasting[memory]._version)
        kept.append(_Saved(tensor.detach().clone() if memory in passing else tensor))
        return kept[-1]

    with torch.enable_grad(), saved_tensors_hooks(pack, _unpack):
        results = _overload(op)(*args, **kwargs)
    results = tuple(results) if isinstance(results, (list, tuple)) else (results,)
    # The operator may have written to other tensors after they were saved.
    given = {_memory(result) for result in results}
    for saved in kept:
        if _memory(saved.tensor) in given:
            saved.tensor = saved.tensor.detach().clone()
    edges = [get_gradient_edge(result) if result.requires_grad else None for result in results]
    token = torch.empty(0, dtype=torch.uint8)
    token.recorded = _Record(edges, [operands[number] for number in followed])  # type: ignore[attr-defined]
    return (*(_apart(result.detach(), operands) for result in results), token)


def backward(
    token: torch.Tensor, strides: Sequence[Sequence[int] | None], *grads: torch.Tensor | None
) -> tuple[torch.Tensor, ...]:
    """Give the gradients by the operands of a call, of those by its results, in the layouts that `strides` told."""
    record: _Record = token.recorded  # type: ignore[attr-defined]
    given = [(edge, grad) for edge, grad in zip(record.results, grads, strict=True) if edge and grad is not None]
    edges, by_results = [edge for edge, _ in given], [grad for _, grad in given]
    found = torch.autograd.grad(edges, record.operands, by_results, retain_graph=True, allow_unused=True)
    laid = zip(found, record.operands, strides, strict=True)
    return tuple(_laid_out(gradient, operand, layout, by_results) for gradient, operand, layout in laid)


def follows(op: str, followed: Sequence[int], args: Any, kwargs: dict[str, Any], _grads: Any) -> list[bool] | None:
    """Give whether autograd follows each result of a call on tensors without data; ``None`` where it cannot tell."""
    try:
        return [result.requires_grad for result in _without_data(op, followed, args, kwargs)[0]]
    except Exception:
        return None


def strides(
    op: str, followed: Sequence[int], args: Any, kwargs: dict[str, Any], grads: Sequence[torch.Tensor | None]
) -> list[tuple[int, ...] | None] | None:
    """Give the strides of the gradients by operands, of tensors without data; ``None`` where autograd cannot tell."""
    try:
        results, operands = _without_data(op, followed, args, kwargs)
        given = [(result, grad) for result, grad in zip(results, grads, strict=True) if grad is not None]
        by_results = [grad for _, grad in given]
        with without_dynamo():
            found = torch.autograd.grad([result for result, _ in given], operands, by_results, allow_unused=True)
    except Exception:
        return None
    return [None if gradient is None else gradient.stride() for gradient in found]


def _without_data(
    op: str, followed: Sequence[int], args: Any, kwargs: dict[str, Any]
) -> tuple[Sequence[torch.Tensor], list[torch.Tensor]]:
    """Give the results of a call on tensors without data, and those operands that gradients are asked for."""
    args, kwargs, operands = _with_leaves(args, kwargs, followed)
    with torch.enable_grad(), without_dynamo():
        results = _overload(op)(*args, **kwargs)
    return results if isinstance(results, (list, tuple)) else (results,), [operands[number] for number in followed]


def _with_leaves(
    args: Any, kwargs: dict[str, Any], followed: Sequence[int]
) -> tuple[Any, dict[str, Any], list[torch.Tensor]]:
    """Give arguments with leaves of autograd's for tensors, and those leaves, some of which ask for gradients."""
    leaves: list[torch.Tensor] = []

    def leaf(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            leaves.append(value.detach().requires_grad_(len(leaves) in followed))
            return leaves[-1]
        return type(value)(map(leaf, value)) if isinstance(value, (list, tuple)) else value

    return leaf(args), {name: leaf(value) for name, value in kwargs.items()}, leaves


@functools.cache
def _overload(name: str) -> Callable[..., Any]:
    """The operator of a name such as ``aten.add.Tensor`` or ``torch.ops.torchvision.roi_align``."""
    found: Any = functools.reduce(getattr, name.removeprefix("torch.ops.").split("."), torch.ops)
    return found  # type: ignore[no-any-return]


def _memory(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage().data_ptr()


def _unpack(saved: _Saved) -> torch.Tensor:
    """Give a tensor that autograd has saved; raise where the program has written to it since."""
    if saved.of is not None and saved.of._version != saved.version:
        message = (
            "one of the variables needed for gradient computation has been modified by an inplace operation:"
            f" [{saved.of.type()} {list(saved.of.shape)}] is at version {saved.of._version}; expected version"
            f" {saved.version} instead."
        )
        raise RuntimeError(message)
    return saved.tensor


def _apart(result: torch.Tensor, operands: Sequence[torch.Tensor]) -> torch.Tensor:
    """A result in memory of its own."""
    return result.clone() if any(_memory(operand) == _memory(result) for operand in operands) else result


def _laid_out(
    gradient: torch.Tensor | None,
    operand: torch.Tensor,
    strides: Sequence[int] | None,
    grads: Sequence[torch.Tensor],
) -> torch.Tensor:
    """A gradient of these strides, or as ``torch.empty_like`` lays the operand out, in memory of its own."""
    made = torch.empty_like(operand) if strides is None else operand.new_empty_strided(operand.shape, strides)
    if gradient is None:
        return made.zero_()
    if gradient.stride() == made.stride() and all(_memory(grad) != _memory(gradient) for grad in grads):
        return gradient
    return made.copy_(gradient)
