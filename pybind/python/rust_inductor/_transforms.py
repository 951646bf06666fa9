"""Functions of torch, as Python that is traced in the place of torch's own.

The transforms of ``torch.func`` differentiate in levels that they enter and leave; these call one operator that does it
all. ``flex_attention`` is spelled out, to be fused with what surrounds it.
"""

from __future__ import annotations

import contextlib
import functools
import math
from typing import TYPE_CHECKING, Any

import torch

from rust_inductor import _higher_order

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: The kernels that attention may run in, as torch's switches name them, with their numbers in ``SDPBackend``.
_ATTENTION_KERNELS = {"flash": 1, "mem_efficient": 2, "math": 0, "cudnn": 3, "overrideable": 4}


def jacrev(
    func: Callable[..., Any],
    argnums: int | tuple[int, ...] = 0,
    *,
    has_aux: bool = False,
    chunk_size: int | None = None,
    _preallocate_and_copy: bool = False,
) -> Callable[..., Any]:
    """``torch.func.jacrev``."""
    if not (chunk_size is None or chunk_size > 0):
        message = "jacrev: `chunk_size` should be greater than 0."
        raise ValueError(message)

    @functools.wraps(func)
    def wrapper_fn(*args: Any) -> Any:
        return _higher_order.jacrev(func, args, argnums, has_aux, chunk_size, _preallocate_and_copy)

    return wrapper_fn


def jacfwd(
    func: Callable[..., Any],
    argnums: int | tuple[int, ...] = 0,
    has_aux: bool = False,
    *,
    randomness: str = "error",
) -> Callable[..., Any]:
    """``torch.func.jacfwd``."""

    @functools.wraps(func)
    def wrapper_fn(*args: Any) -> Any:
        return _higher_order.jacfwd(func, args, argnums, has_aux, randomness)

    return wrapper_fn


def hessian(func: Callable[..., Any], argnums: int | tuple[int, ...] = 0) -> Callable[..., Any]:
    """``torch.func.hessian``: forward over reverse."""
    return jacfwd(jacrev(func, argnums), argnums)


def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> tuple[Any, ...]:
    """``torch.func.vjp``."""
    output, aux, pullback = _higher_order.differentiated(func, primals, has_aux)

    def vjp_fn(cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None) -> Any:
        return _higher_order.pulled_back(pullback, cotangents, retain_graph, create_graph)

    return (output, vjp_fn, aux) if has_aux else (output, vjp_fn)


def flex_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    score_mod: Callable[..., torch.Tensor],
    block_mask: tuple[Any, ...],
    scale: float,
    kernel_options: dict[str, Any],
    score_mod_other_buffers: tuple[Any, ...] = (),
    mask_mod_other_buffers: tuple[Any, ...] = (),
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The operator behind ``flex_attention``: output, log-sum-exp and greatest score, both of base 2."""
    mask_mod = block_mask[-1]
    groups = query.size(1) // key.size(1)
    key, value = torch.repeat_interleave(key, groups, dim=1), torch.repeat_interleave(value, groups, dim=1)
    batch = query.size(0)
    if not (batch == key.size(0) or (batch > 1 and key.size(0) == 1)):
        message = f"Bq and Bkv must broadcast. Got Bq={batch} and Bkv={key.size(0)}"
        raise RuntimeError(message)
    key, value = key.expand((batch, *key.size()[1:])), value.expand((batch, *value.size()[1:]))
    working = torch.float64 if query.dtype == torch.float64 else torch.float32
    scores = query.to(working) @ key.to(working).transpose(-2, -1)
    places = [torch.arange(0, size, device=scores.device) for size in scores.size()]
    scores = (scores * scale).to(working)
    scores = torch.where(
        _over_places(mask_mod, ())(*places, *mask_mod_other_buffers),
        _over_places(score_mod, (0,))(scores, *places, *score_mod_other_buffers),
        torch.tensor(-float("inf"), dtype=working, device=scores.device),
    )
    summed = scores.logsumexp(dim=-1)
    summed = torch.where(torch.all(scores == -float("inf"), dim=-1), -float("inf"), summed)
    greatest = torch.max(scores, dim=-1)[0]
    weights = torch._safe_softmax(scores, dim=-1)
    output = weights.to(query.dtype) @ value.to(query.dtype)
    return _permuted(output, query.stride()), summed / math.log(2), greatest / math.log(2)


def _over_places(function: Callable[..., torch.Tensor], scores: tuple[int, ...]) -> Callable[..., torch.Tensor]:
    """A function of a score, or none, and its batch, head, query and key, over all of them."""
    for place in (3, 2, 1, 0):
        dims = [0 if at == place else None for at in range(4)]
        function = torch.vmap(function, in_dims=(*scores, *dims), out_dims=0)
    return function


def _permuted(output: torch.Tensor, strides: tuple[int, ...]) -> torch.Tensor:
    """A copy whose strides are in the order of these, but that the last dimension is always the innermost."""
    last = output.dim() - 1
    order = [*sorted(range(last), key=lambda place: -strides[place]), last]
    copy = output.permute(order).clone(memory_format=torch.contiguous_format)
    return copy.permute([order.index(place) for place in range(last + 1)])


def group_tensors_by_device_and_dtype(
    tensorlistlist: list[list[torch.Tensor]], with_indices: bool = False
) -> dict[tuple[torch.device, torch.dtype], tuple[list[list[torch.Tensor]], list[int]]]:
    """``torch._C._group_tensors_by_device_and_dtype`` of tensors that make one group."""
    first = tensorlistlist[0]
    indices = list(range(len(first))) if with_indices else []
    return {(first[0].device, first[0].dtype): ([list(tensors) for tensors in tensorlistlist], indices)}


def attention_order() -> tuple[int, ...]:
    """The numbers of attention's kernels, in the order in which torch tries them."""
    return tuple(torch._C._get_sdp_priority_order())


def _use_kernels(chosen: list[str], ordered: bool) -> None:
    """Let attention run in these kernels alone, and try them in this order, as ``torch.nn.attention`` does."""
    for kernel in _ATTENTION_KERNELS:
        getattr(torch._C, f"_set_sdp_use_{kernel}")(kernel in chosen)
    if ordered:
        first = [_ATTENTION_KERNELS[kernel] for kernel in chosen]
        others = [number for number in torch._C._get_sdp_priority_order() if number not in first]
        torch._C._set_sdp_priority_order(first + others)


@contextlib.contextmanager
def sdpa_kernel(ordered: bool, *chosen: str) -> Iterator[dict[str, Any]]:
    """``torch.nn.attention.sdpa_kernel`` that lets attention run in these of its kernels, which may be an order."""
    before = [kernel for kernel in _ATTENTION_KERNELS if getattr(torch._C, f"_get_{kernel}_sdp_enabled")()]
    if ordered:
        order = torch._C._get_sdp_priority_order()
        before.sort(key=lambda kernel: order.index(_ATTENTION_KERNELS[kernel]))
    try:
        _use_kernels(list(dict.fromkeys(chosen)), ordered)
        yield {}
    finally:
        _use_kernels(before, ordered)
