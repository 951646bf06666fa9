"""Whether two runs of an operator are the same: results, what their memory is shared with, and changed arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch.utils import _pytree

from pybind.tests.opinfo.known import ILL_CONDITIONED, NO_VALUES
from tools import accuracy

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pybind.tests.opinfo.samples import Sample

#: The difference that two correct kernels may have where there is no result in double precision to judge by.
_LOOSE = {torch.float16: 2e-3, torch.bfloat16: 2e-2, torch.float32: 1e-5, torch.complex64: 1e-5}


def results(ours: Any, eager: Any, exact: Callable[[], Any], name: str) -> str | None:
    """The problem with our result of an operator, if there is one; `exact` gives the result in double precision."""
    mine, my_tree = _pytree.tree_flatten(ours)
    theirs, their_tree = _pytree.tree_flatten(eager)
    if my_tree != their_tree:
        return f"the result is {my_tree}, eager's {their_tree}"
    wide: list[Any] | None = None
    for place, (a, b) in enumerate(zip(mine, theirs)):
        result = f"result {place}"
        if not isinstance(b, torch.Tensor) or not isinstance(a, torch.Tensor):
            if type(a) is not type(b) or not _same_plain(a, b):
                return f"{result}: {a!r}, eager gives {b!r}"
            continue
        found = _shape(result, a, b)
        if found is not None:
            return found
        if name in NO_VALUES or _equal(a, b):
            continue
        if wide is None:
            wide = [] if name in ILL_CONDITIONED else _leaves_of(exact)
        found = _values(result, a, b, wide[place] if place < len(wide) else None)
        if found is not None:
            return found
    return None


def arguments(ours: Sample, eager: Sample) -> str | None:
    """The problem with the arguments after the call, if there is one."""
    for place, (a, b) in enumerate(zip(ours.tensors(), eager.tensors())):
        name = f"argument {place}, after the call"
        found = _shape(name, a, b) or (None if _equal(a, b) else _values(name, a, b, None))
        if found is not None:
            return found
    return None


def sharing(ours: Any, eager: Any, our_args: Sample, eager_args: Sample) -> str | None:
    """The difference in whose memory the results share, if there is one."""
    mine, theirs = _shared(ours, our_args.tensors()), _shared(eager, eager_args.tensors())
    return None if mine == theirs else f"results share memory with {mine}, eager's with {theirs}"


def _shared(value: Any, args: Sequence[torch.Tensor]) -> list[int | None]:
    """For each result the first argument that it shares memory with."""
    memory: dict[int, int] = {}
    for place, arg in enumerate(args):
        if arg.layout == torch.strided and arg.untyped_storage().nbytes():
            memory.setdefault(arg.untyped_storage().data_ptr(), place)
    outs = [it for it in _pytree.tree_leaves(value) if isinstance(it, torch.Tensor) and it.layout == torch.strided]
    return [memory.get(it.untyped_storage().data_ptr()) for it in outs]


def _leaves_of(exact: Callable[[], Any]) -> list[Any]:
    try:
        return _pytree.tree_leaves(exact())
    except Exception:  # whatever it is, there is no such result
        return []


def _same_plain(a: Any, b: Any) -> bool:
    return bool(a == b) or (isinstance(a, float) and a != a and b != b)


def _shape(name: str, a: torch.Tensor, b: torch.Tensor) -> str | None:
    if (a.dtype, a.shape, a.layout, type(a)) != (b.dtype, b.shape, b.layout, type(b)):
        return f"{name}: {a.dtype} {a.layout} {tuple(a.shape)}, eager gives {b.dtype} {b.layout} {tuple(b.shape)}"
    if a.requires_grad != b.requires_grad:
        return f"{name}: requires_grad is {a.requires_grad}, eager's {b.requires_grad}"
    if a.layout == torch.strided and a.numel() and _strides(a) != _strides(b):
        return f"{name}: strides {a.stride()}, eager gives {b.stride()} for {tuple(b.shape)}"
    return None


def _strides(tensor: torch.Tensor) -> list[int]:
    """Of dimensions of more than one element."""
    return [stride for size, stride in zip(tensor.shape, tensor.stride()) if size > 1]


def _equal(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Bit for bit, but for the payload of NaN."""
    a, b = (it.detach().resolve_conj().resolve_neg() for it in (a, b))
    if a.layout != torch.strided:
        return torch.equal(a.to_dense(), b.to_dense())
    if not (a.is_floating_point() or a.is_complex()):
        return torch.equal(a, b)
    if a.is_complex():
        a, b = torch.view_as_real(a), torch.view_as_real(b)
    same = (a == b) & (torch.signbit(a) == torch.signbit(b))
    return bool((same | (a.isnan() & b.isnan())).all())


def _values(name: str, a: torch.Tensor, b: torch.Tensor, exact: Any) -> str | None:
    a, b = (it.detach().resolve_conj().resolve_neg() for it in (a, b))
    if not (a.is_floating_point() or a.is_complex()):
        differing = int((a != b).sum())
        return f"{name}: {differing} of {b.numel()} elements differ, such as {_first(a, b)}"
    usable = isinstance(exact, torch.Tensor) and exact.shape == b.shape and exact.is_complex() == b.is_complex()
    if a.layout != torch.strided or not usable:
        return _loosely(name, a, b)
    exact = exact.detach().resolve_conj().resolve_neg()
    if a.is_complex():
        a, b, exact = (torch.view_as_real(it) for it in (a, b, exact))
    if _loosely(name, b, exact.to(b.dtype), 1e-2) is not None:
        return _loosely(name, a, b)  # double precision takes another way, so it is no measure
    return accuracy.problem(name, a.contiguous(), b.contiguous(), exact)


def _loosely(name: str, a: torch.Tensor, b: torch.Tensor, tolerance: float | None = None) -> str | None:
    loose = _LOOSE.get(b.dtype, 1e-9) if tolerance is None else tolerance
    try:
        torch.testing.assert_close(a, b, rtol=loose, atol=loose, equal_nan=True)
    except AssertionError as error:
        return f"{name}: {' '.join(str(error).split())}"
    return None


def _first(a: torch.Tensor, b: torch.Tensor) -> str:
    at = (a != b).nonzero()[0].tolist()
    return f"{a[tuple(at)].item()} for {b[tuple(at)].item()} at {at}"
