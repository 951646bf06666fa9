"""The samples that torch's operator tests have, and copies of them that share memory as they do."""

from __future__ import annotations

import functools
import importlib
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch.utils import _pytree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: The seed from which the samples are drawn.
SEED = 1234


@functools.cache
def operators() -> dict[str, Any]:
    """Every operator by its full name: `var_mean.unbiased` is a variant of `var_mean`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        definitions: Any = importlib.import_module("torch.testing._internal.common_methods_invocations")
    # Some functions seed the generator, which a graph does not hold: whoever runs a sample does it.
    definitions.wrapper_set_seed = lambda op, *args, **kwargs: op(*args, **kwargs)
    op_db = definitions.op_db
    return {operator_name(op): op for op in op_db}


def operator_name(op: Any) -> str:
    """The name, with that of the variant."""
    return str(op.full_name)


def names(dtype: torch.dtype, wanted: str | None = None, *, grad: bool = False) -> list[str]:
    """Operators that take a dtype on the processor; `wanted` is a full name, or that of all its variants."""
    found = []
    for name, op in operators().items():
        supported = op.supported_backward_dtypes("cpu") if grad else op.supported_dtypes("cpu")
        if dtype not in supported or (grad and not op.supports_autograd):
            continue
        if wanted is None or wanted in (name, op.name):
            found.append(name)
    return found


@dataclass(frozen=True)
class Sample:
    """One call of an operator."""

    function: Callable[..., Any]
    input: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    #: The function that is applied to a result before it is differentiated.
    finish: Callable[[Any], Any]

    def fresh(self) -> Sample:
        """The call on memory of its own."""
        copier = Copier()
        input_, args, kwargs = copier.tree((self.input, self.args, self.kwargs))
        return Sample(self.function, input_, args, kwargs, self.finish)

    def wide(self) -> Sample:
        """The call in double precision."""
        input_, args, kwargs = _pytree.tree_map(_widened, (self.input, self.args, self.kwargs))
        return Sample(self.function, input_, args, kwargs, self.finish)

    def strided(self) -> Sample:
        """The call on tensors with gaps between their elements."""
        input_, args, kwargs = _pytree.tree_map(_with_gaps, (self.input, self.args, self.kwargs))
        return Sample(self.function, input_, args, kwargs, self.finish)

    def tensors(self) -> list[torch.Tensor]:
        """Its tensors, in order."""
        leaves = _pytree.tree_leaves((self.input, self.args, self.kwargs))
        return [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]


#: The kinds of samples: torch's own, the same with gaps in memory, and NaN, infinities and the largest numbers.
KINDS = ("plain", "strided", "extremal")


def samples(name: str, dtype: torch.dtype, *, grad: bool = False, kind: str = "plain") -> Iterator[Sample]:
    """Every sample of an operator."""
    op = operators()[name]
    torch.manual_seed(SEED)
    of_torch = _extremal(op, dtype) if kind == "extremal" else op.sample_inputs("cpu", dtype, requires_grad=grad)
    for it in of_torch:
        sample = Sample(op.op, it.input, tuple(it.args), dict(it.kwargs), it.output_process_fn_grad)
        yield sample.strided() if kind == "strided" else sample


def _extremal(op: Any, dtype: torch.dtype) -> Iterator[Any]:
    """Elements at the ends of what the dtype holds; nothing for operators that are not of elements or reductions."""
    from torch.testing._internal.opinfo import core

    floats = dtype.is_floating_point
    if isinstance(op, core.UnaryUfuncInfo):
        yield from core.generate_elementwise_unary_large_value_tensors(op, device="cpu", dtype=dtype)
        if floats:
            yield from core.generate_elementwise_unary_extremal_value_tensors(op, device="cpu", dtype=dtype)
    elif isinstance(op, core.BinaryUfuncInfo):
        yield from core.generate_elementwise_binary_large_value_tensors(op, device="cpu", dtype=dtype)
        if floats:
            yield from core.generate_elementwise_binary_extremal_value_tensors(op, device="cpu", dtype=dtype)
    elif isinstance(op, core.ReductionOpInfo) and floats:
        for it in op.sample_inputs("cpu", dtype):
            for number in (torch.nan, torch.inf, -torch.inf, -0.0, torch.finfo(dtype).smallest_normal / 8):
                value = it.input.clone()
                value.view(-1)[::3] = number
                it.input = value
                yield it


class Copier:
    """Copies tensors: what shares memory shares it in the copy, and an object that stands twice stands twice."""

    def __init__(self) -> None:
        self._storages: dict[int, torch.UntypedStorage] = {}
        self._tensors: dict[int, torch.Tensor] = {}

    def tree(self, value: Any) -> Any:
        """A copy of whatever is made of containers and tensors."""
        return _pytree.tree_map(lambda it: self.tensor(it) if isinstance(it, torch.Tensor) else it, value)

    def tensor(self, source: torch.Tensor) -> torch.Tensor:
        """A leaf of the same elements, strides and place in its storage."""
        if id(source) in self._tensors:
            return self._tensors[id(source)]
        with torch.no_grad():
            copy = self._copied(source)
        copy.requires_grad_(source.requires_grad)
        self._tensors[id(source)] = copy
        return copy

    def _copied(self, source: torch.Tensor) -> torch.Tensor:
        if source.layout != torch.strided or type(source) not in (torch.Tensor, torch.nn.Parameter):
            return source.detach().clone()
        storage = source.untyped_storage()
        if storage.data_ptr() not in self._storages or storage.nbytes() == 0:
            self._storages[storage.data_ptr()] = storage.clone()
        memory = self._storages[storage.data_ptr()]
        copy = torch.empty(0, dtype=source.dtype)
        copy.set_(memory, source.storage_offset(), source.shape, source.stride())
        if source.is_conj():
            copy = copy.conj()
        return torch._neg_view(copy) if source.is_neg() else copy


def _with_gaps(value: Any) -> Any:
    if not isinstance(value, torch.Tensor) or value.layout != torch.strided or value.dim() == 0:
        return value
    wide = value.detach().new_zeros((*value.shape[:-1], 2 * value.shape[-1] + 1))
    gaps = wide[..., 1::2][..., : value.shape[-1]]
    gaps.copy_(value.detach())
    return gaps.requires_grad_(value.requires_grad)


_WIDE = {
    torch.float16: torch.float64,
    torch.bfloat16: torch.float64,
    torch.float32: torch.float64,
    torch.complex32: torch.complex128,
    torch.complex64: torch.complex128,
}


def _widened(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        wide = value.detach().to(_WIDE.get(value.dtype, value.dtype))
        return wide.requires_grad_(value.requires_grad)
    return _WIDE.get(value, value) if isinstance(value, torch.dtype) else value


def with_code_of_its_own(function: Callable[..., Any], label: str) -> Callable[..., Any]:
    """A function that calls another one; what is known of code is kept."""
    scope = {"operator": function}
    exec(compile(f"def call(*a, **k):\n    return operator(*a, **k)  # {label}", label, "exec"), scope)
    return scope["call"]
