"""Operators in graphs that take subgraphs, for functions of torch that take functions and are no operators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch._subclasses.functional_tensor import FunctionalTensorMode
from torch.fx.experimental.proxy_tensor import ProxyTorchDispatchMode
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import _get_current_dispatch_mode_stack

if TYPE_CHECKING:
    from collections.abc import Callable


class _IndexedByTensors(TorchFunctionMode):
    """Has tensors read by indices in tensors. Of a single index, torch asks its value, which a batched one has not."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is torch.Tensor.__getitem__:
            index = args[1] if isinstance(args[1], tuple) else (args[1],)
            if all(isinstance(item, torch.Tensor) for item in index):
                return torch.ops.aten.index(args[0], index)
        return func(*args, **(kwargs or {}))


def vmap(
    body: Callable[..., tuple[torch.Tensor, ...]],
    in_dims: tuple[int | None, ...],
    out_dims: tuple[int, ...],
    randomness: str,
    *operands: Any,
) -> tuple[torch.Tensor, ...]:
    """``torch.vmap`` of a subgraph, which gives a tuple of tensors."""
    with _IndexedByTensors():
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


def jacrev(
    func: Callable[..., Any],
    args: tuple[Any, ...],
    argnums: int | tuple[int, ...],
    has_aux: bool,
    chunk_size: int | None,
    _preallocate_and_copy: bool,
) -> Any:
    """A call of what ``torch.func.jacrev`` makes of a function."""
    how: dict[str, Any] = {"chunk_size": chunk_size, "_preallocate_and_copy": _preallocate_and_copy}
    return torch.func.jacrev(func, argnums, has_aux=has_aux, **how)(*args)


def jacfwd(
    func: Callable[..., Any],
    args: tuple[Any, ...],
    argnums: int | tuple[int, ...],
    has_aux: bool,
    randomness: str,
) -> Any:
    """A call of what ``torch.func.jacfwd`` makes of a function."""
    return torch.func.jacfwd(func, argnums, has_aux, randomness=randomness)(*args)


def jacobians(
    body: Callable[..., tuple[torch.Tensor, ...]],
    transform: str,
    outputs: tuple[int, ...],
    has_aux: bool,
    count: int,
    *operands: Any,
    **how: Any,
) -> tuple[torch.Tensor, ...]:
    """The Jacobians of these results of a subgraph, each by the first operands; with ``has_aux`` then all results.

    ``transform`` names the function of ``torch.func``, which is called with the keywords.
    """

    def function(*by: torch.Tensor) -> Any:
        results = body(*by, *operands[count:])
        chosen = tuple(results[at] for at in outputs)
        return (chosen, results) if has_aux else chosen

    differentiated = getattr(torch.func, transform)(function, tuple(range(count)), has_aux=has_aux, **how)
    found = differentiated(*operands[:count])
    rows, results = found if has_aux else (found, ())
    return (*(jacobian for row in rows for jacobian in row), *results)


def jvp(
    body: Callable[..., tuple[torch.Tensor, ...]],
    outputs: tuple[int, ...],
    strict: bool,
    count: int,
    *operands: Any,
) -> tuple[torch.Tensor, ...]:
    """``torch.func.jvp`` of a subgraph: the derivatives of these results along the tangents, then all results.

    Of the operands the first are the primals, followed by their tangents.
    """

    def function(*by: torch.Tensor) -> Any:
        results = body(*by, *operands[2 * count :])
        return tuple(results[at] for at in outputs), results

    primals, tangents = operands[:count], operands[count : 2 * count]
    found: Any = torch.func.jvp(function, primals, tangents, strict=strict, has_aux=True)
    _, along, results = found
    return (*along, *results)


def differentiated(func: Callable[..., Any], primals: tuple[Any, ...], has_aux: bool) -> tuple[Any, Any, Any]:
    """The output of a function, its auxiliary output, and what takes cotangents: ``torch.func.vjp``'s, for a tracer."""
    output, pullback, *aux = torch.func.vjp(func, *primals, has_aux=has_aux)
    return output, aux[0] if has_aux else None, pullback


def pulled_back(pullback: Any, cotangents: Any, retain_graph: bool, create_graph: bool | None) -> Any:
    """The gradients by each primal of :func:`differentiated`."""
    return pullback(cotangents, retain_graph, create_graph)


class Pulled(tuple[torch.Tensor, ...]):
    """The results of a subgraph, with what takes the cotangents of some of them."""

    pullback: Callable[..., tuple[torch.Tensor, ...]]


def vjp(
    body: Callable[..., tuple[torch.Tensor, ...]],
    outputs: tuple[int, ...],
    count: int,
    *operands: Any,
) -> Pulled:
    """``torch.func.vjp`` of a subgraph by the first operands."""

    def function(*by: torch.Tensor) -> Any:
        results = body(*by, *operands[count:])
        return tuple(results[at] for at in outputs), results

    found: Any = torch.func.vjp(function, *operands[:count], has_aux=True)
    _, pullback, results = found
    pulled = Pulled(results)
    pulled.pullback = pullback
    return pulled


def pull_back(
    results: tuple[torch.Tensor, ...],
    body: Callable[..., tuple[torch.Tensor, ...]],
    outputs: tuple[int, ...],
    count: int,
    *operands: Any,
) -> tuple[torch.Tensor, ...]:
    """The gradients for cotangents, which are the last operands, of what :func:`vjp` gave for all the others.

    Where only sizes are asked for, plain tensors without data stand for those; then the subgraph is differentiated
    here.
    """
    at = len(operands) - len(outputs)
    if not isinstance(results, Pulled):
        if not all(result.is_meta or isinstance(result, FakeTensor) for result in results):
            message = "the results of a vjp have lost what takes their cotangents"
            raise RuntimeError(message)
        results = vjp(body, outputs, count, *operands[:at])
    return tuple(results.pullback(operands[at:]))


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
