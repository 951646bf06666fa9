"""Compiled graphs that autograd follows: a node of its own graph, whose backward is compiled when first needed."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import torch

from rust_inductor import _log_code
from rust_inductor._shared_memory import count_writes

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from rust_inductor import _native

    OnGraph = Callable[[str, _native.CompiledFn], None]
    #: A backward graph, for each input of the forward graph the number of the gradient by it, and what it reads.
    Backward = tuple[_native.CompiledFn, list[int | None], list[int]]

#: torch's own lock guards torch's own compilers, none of which is asked here.
_compiling = threading.Lock()

_TWICE = (
    "torch.compile with rust_inductor does not support gradients of gradients (`create_graph=True`): the backward of a"
    " compiled graph is not recorded"
)


class Followed:
    """A differentiated graph, and its backward graphs by the outputs that have gradients."""

    def __init__(
        self,
        made: _native.Differentiated,
        requires_grad: Sequence[bool],
        on_graph: OnGraph | None,
    ) -> None:
        self.made = made
        self.on_graph = on_graph
        self.forward, self.outputs, self.saved, self.followed = made.forward, made.outputs, made.saved, made.followed
        self.sizes, self.shared, self.rewritten = made.sizes, made.shared, made.rewritten
        followed = {number for number, _ in self.followed}
        pairs = enumerate(zip(requires_grad, made.reached, strict=True))
        # Where no gradient reaches an input, the results are followed all the same.
        self.unreached = [
            at for at, (requires, is_reached) in pairs if requires and not is_reached and any(made.reached)
        ]
        self.constant = [number for number in range(self.outputs) if number not in followed]
        # An output that is saved as such is unpacked only together with all others.
        several = len(self.followed) > 1
        results = [place for place, (is_input, at) in enumerate(self.saved) if not is_input and at < self.outputs]
        self.apart = results if several else []
        self.backwards: dict[tuple[bool, ...], Backward] = {}
        self.tell("forward", self.forward)

    def __call__(self, *args: Any) -> Any:
        """Run the forward graph as a node of autograd's, which only inputs lead to that gradients flow to."""
        if not self.followed:
            with torch.no_grad():
                return tuple(self.computed(args)[: self.outputs])
        if self.unreached:
            given = list(args)
            for at in self.unreached:
                given[at] = given[at].detach()
            args = tuple(given)
        results = _Node.apply(self, *args)
        return results[: self.outputs] if self.saved else results

    def computed(self, args: Sequence[Any]) -> Any:
        """Run the forward graph, which has the conversions of autocast in it."""
        if torch._C._is_any_autocast_enabled():
            with torch._C._DisableAutocast():
                given = self.forward(*args)
        else:
            given = self.forward(*args)
        if self.rewritten:
            count_writes(given, self.rewritten)
        return given

    def tell(self, kind: str, compiled: _native.CompiledFn) -> None:
        """Tell of a graph who asked for it."""
        if self.on_graph is not None:
            self.on_graph(kind, compiled)
        _log_code.log(kind, compiled)

    def backward(self, has_gradient: tuple[bool, ...]) -> Backward:
        """Give the backward graph for gradients by these of the outputs that autograd follows."""
        known = self.backwards.get(has_gradient)
        if known is None:
            with _compiling:
                known = self.backwards.get(has_gradient)
                if known is None:
                    known = self.made.backward(has_gradient)
                    self.tell("backward", known[0])
                    self.backwards[has_gradient] = known
        return known


class _Node(torch.autograd.Function):
    """A compiled graph among the nodes of autograd.

    Where values are saved, a result without elements follows the others and is saved, too: by it the gradients depend
    on the inputs, however few of those are saved themselves.
    """

    @staticmethod
    def forward(ctx: Any, of: Followed, *args: Any) -> Any:
        given = of.computed(args)
        ctx.of = of
        ctx.set_materialize_grads(False)
        anchor = (torch.empty(0),) if of.saved else ()
        saved = [args[at] if is_input else given[at] for is_input, at in of.saved]
        for place, number in of.shared:
            saved[place] = _counted(saved[place], given[number])
        for place in of.apart:
            saved[place] = saved[place].detach()
        ctx.save_for_backward(*saved, *anchor)
        ctx.sizes = [_size(args[at], dim, is_stride) for at, dim, is_stride in of.sizes]
        ctx.strides = [strides or _layout(given[at]) for at, strides in of.followed]
        results = tuple(given[: of.outputs])
        if of.constant:
            ctx.mark_non_differentiable(*[results[at] for at in of.constant if isinstance(results[at], torch.Tensor)])
        return results + anchor

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor | None) -> Any:
        of: Followed = ctx.of
        has_gradient = tuple([grads[at] is not None for at, _ in of.followed])
        if not any(has_gradient):
            return (None,) * len(ctx.needs_input_grad)
        try:
            values = list(ctx.saved_tensors)
        except RuntimeError as error:
            values = _unpacked(ctx, of.backward(has_gradient)[2], error)
        anchor = [values.pop()] if values else []
        sources = []
        if torch.is_grad_enabled():
            sources = [*anchor, *(grad for grad in grads if grad is not None and grad.requires_grad)]
        if not torch._C._autograd._get_current_graph_task_keep_graph():
            ctx.maybe_clear_saved_tensors()
        values += ctx.sizes
        laid = zip(of.followed, ctx.strides, strict=True)
        values += [_laid(grads[at], strides) for (at, _), strides in laid if grads[at] is not None]
        # What autograd holds of them is not needed any more.
        del grads
        compiled, places, _ = of.backward(has_gradient)
        given = _computed(compiled, values)
        gradients = [None if at is None else given[at] for at in places]
        return (None, *(_recorded_once(gradients, sources) if sources else gradients))


def without_autocast(compiled: Callable[..., Any]) -> Callable[..., Any]:
    """Give a function that runs a compiled graph as it is, under autocast too."""

    def run(*args: Any) -> Any:
        with torch._C._DisableAutocast():
            return compiled(*args)

    return run


def _computed(compiled: _native.CompiledFn, values: list[Any]) -> Any:
    """Run a backward graph in the modes that it was compiled for, whichever the program is in by now."""
    if torch._C._is_any_autocast_enabled():
        with torch._C._DisableAutocast(), torch.no_grad():
            return compiled(values)
    if torch.is_grad_enabled():
        with torch.no_grad():
            return compiled(values)
    return compiled(values)


def _unpacked(ctx: Any, read: Collection[int], error: RuntimeError) -> list[Any]:
    """Unpack what a backward graph reads of the saved values, of which the program has written to another one.

    Only the sizes of the others are read.
    """
    saved, number = ctx._raw_saved_tensors, len(ctx.of.saved)
    is_all_read = len(ctx.of.followed) == 1
    if is_all_read or torch.is_grad_enabled() or not hasattr(saved[0], "unpack"):
        # An output, by which gradients depend on inputs, is not unpacked alone; other releases of torch unpack none.
        raise error
    values = [value.unpack() if place in read and place < number else value.data for place, value in enumerate(saved)]
    if not all(isinstance(value, torch.Tensor) for value in values):
        # By a hook of the program's.
        raise error
    return values


def _size(value: Any, dim: int | None, is_stride: bool) -> int:
    """Give a number that a backward graph reads: an input, or of a tensor a size or stride."""
    if dim is None:
        return int(value)
    return int(value.stride(dim) if is_stride else value.size(dim))


def _counted(value: torch.Tensor, result: torch.Tensor) -> torch.Tensor:
    """Give a value with the version of a result in whose memory it may be, by which a write to that is noticed."""
    if value.untyped_storage().data_ptr() != result.untyped_storage().data_ptr():
        return value
    if value.dtype != result.dtype:
        return value.clone()
    return result.detach().as_strided(value.size(), value.stride(), value.storage_offset())


def _layout(result: torch.Tensor) -> tuple[int, ...]:
    """Give the strides of a gradient by a result, whose own elements may share memory."""
    return (result if result.is_contiguous() else torch.empty_like(result, device="meta")).stride()


def _laid(grad: Any, strides: Sequence[int]) -> Any:
    """Give a gradient in the layout that the backward graph expects."""
    if grad.stride() == tuple(strides):
        return grad
    return torch.empty_strided(grad.size(), strides, dtype=grad.dtype, device=grad.device).copy_(grad)


def _recorded_once(
    gradients: Sequence[torch.Tensor | None], sources: Sequence[torch.Tensor]
) -> list[torch.Tensor | None]:
    """Let whoever differentiates gradients be told that they cannot be, by any of what they depend on."""
    tensors = [gradient for gradient in gradients if gradient is not None]
    given = [*tensors, *sources]
    told = iter(torch._C._functions.DelayedError(_TWICE.encode(), len(given))(*given))
    return [None if gradient is None else next(told) for gradient in gradients]
