"""Operators in graphs that take subgraphs, for functions of torch that take functions and are no operators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch._subclasses.functional_tensor import FunctionalTensorMode
from torch.fx.experimental.proxy_tensor import ProxyTorchDispatchMode
from torch.utils._python_dispatch import _get_current_dispatch_mode_stack

if TYPE_CHECKING:
    from collections.abc import Callable


def vmap(
    body: Callable[..., tuple[torch.Tensor, ...]],
    in_dims: tuple[int | None, ...],
    out_dims: tuple[int, ...],
    randomness: str,
    *operands: Any,
) -> tuple[torch.Tensor, ...]:
    """``torch.vmap`` of a subgraph, which gives a tuple of tensors."""
    results: tuple[torch.Tensor, ...] = torch.vmap(body, in_dims, out_dims, randomness)(*operands)
    return results


def grad_and_value(
    body: Callable[..., tuple[torch.Tensor, ...]],
    count: int,
    *operands: Any,
) -> tuple[torch.Tensor, ...]:
    """``torch.func.grad_and_value`` by the first operands: the gradients, then all that the subgraph gives."""

    def function(*by: torch.Tensor) -> tuple[torch.Tensor, tuple[torch.Tensor, ...]]:
        output, *others = body(*by, *operands[count:])
        return output, tuple(others)

    by = operands[:count]
    gradients, (output, others) = torch.func.grad_and_value(function, tuple(range(count)), has_aux=True)(*by)
    return (*gradients, output, *others)


def checkpoint(
    body: torch.fx.GraphModule,
    *operands: Any,
    **how: Any,
) -> tuple[torch.Tensor, ...]:
    """``torch.utils.checkpoint.checkpoint`` of a subgraph.

    A compiler that traces it sees torch's operator, whose nodes the partitioner computes again. That operator draws
    new random numbers where nobody compiles it, so that then torch's function is called.
    """
    tracing = (FakeTensorMode, FunctionalTensorMode, ProxyTorchDispatchMode)
    if any(isinstance(mode, tracing) for mode in _get_current_dispatch_mode_stack()):
        return torch.ops.higher_order.tag_activation_checkpoint(body, *operands, **how)  # type: ignore[no-any-return]
    return torch.utils.checkpoint.checkpoint(body, *operands, **how)
