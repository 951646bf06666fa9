"""A stand-in for torch, for functions that are traced where there is none.

A tensor has a shape and one value, which all its elements have: enough for graphs to compute something, and for shapes
to be asked about. `torch` is a module of functions on such tensors.
"""

from __future__ import annotations

import builtins
import contextlib
import functools
import itertools
import math
import operator
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any


class Tensor:
    """Elements of one value."""

    def __init__(self, value: float, shape: tuple[int, ...] = (2, 3)) -> None:
        self.value = value
        self.shape = shape

    def __repr__(self) -> str:
        return f"Tensor({self.value!r}, {self.shape})"

    def __bool__(self) -> bool:
        if math.isnan(self.value):
            raise ValueError("ambiguous")
        return bool(self.value)

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[Tensor]:
        return (self[i] for i in range(self.shape[0]))

    def __getitem__(self, key: object) -> Tensor:
        if isinstance(key, slice):
            return Tensor(self.value, (len(range(*key.indices(self.shape[0]))), *self.shape[1:]))
        return Tensor(self.value, self.shape[1:])

    __hash__ = object.__hash__

    def size(self, dim: int) -> int:
        return self.shape[dim]

    def dim(self) -> int:
        return len(self.shape)

    def item(self) -> float:
        return self.value

    def sum(self) -> Tensor:
        return Tensor(self.value * math.prod(self.shape), ())

    def mean(self) -> Tensor:
        return Tensor(self.value, ())

    def relu(self) -> Tensor:
        return Tensor(max(self.value, 0), self.shape)

    def abs(self) -> Tensor:
        return Tensor(abs(self.value), self.shape)

    def add(self, other: Any) -> Tensor:
        return self + other

    def mul(self, other: Any) -> Tensor:
        return self * other

    def index_select(self, dim: int, at: Tensor) -> Tensor:
        if at.value >= self.shape[dim]:
            raise IndexError(f"{at.value} is out of range")
        return Tensor(self.value, (math.prod(at.shape), *self.shape[1:]))

    def reshape(self, *shape: int) -> Tensor:
        return Tensor(self.value, shape)


def of(value: Any) -> tuple[Any, tuple[int, ...]]:
    """Value and shape of a tensor or number."""
    return (value.value, value.shape) if isinstance(value, Tensor) else (value, ())


def binary(compute: Callable[[Any, Any], Any]) -> tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]]:
    """An operator, its form with the operands exchanged, and the one that changes its first operand."""

    def both(a: Any, b: Any) -> Tensor:
        (x, rows), (y, columns) = of(a), of(b)
        return Tensor(compute(x, y), max(rows, columns, key=len))

    def changes(a: Tensor, b: Any) -> Tensor:
        a.value = compute(a.value, of(b)[0])
        return a

    return both, lambda a, b: both(b, a), changes


ARITHMETIC = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow"]
COMPARISONS = ["lt", "le", "eq", "ne", "gt", "ge"]
UNARY = ["neg", "pos", "abs"]

for name in ARITHMETIC:
    plain, reflected, in_place = binary(getattr(operator, name))
    setattr(Tensor, f"__{name}__", plain)
    setattr(Tensor, f"__r{name}__", reflected)
    setattr(Tensor, f"__i{name}__", in_place)
for name in COMPARISONS:
    setattr(Tensor, f"__{name}__", binary(getattr(operator, name))[0])
for name in UNARY:
    compute = getattr(operator, name)
    setattr(Tensor, f"__{name}__", lambda a, compute=compute: Tensor(compute(a.value), a.shape))


class Function:
    """A function of torch's."""

    def __init__(self, name: str, compute: Callable[..., Any]) -> None:
        self.name = name
        self.compute = compute

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        return self.compute(*args, **keywords)

    def __repr__(self) -> str:
        return self.name


torch: Any = types.ModuleType("torch")
torch.Tensor = Tensor
Tensor.__module__, Tensor.__qualname__ = "torch", "Tensor"
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "relu": Tensor.relu,
    "abs": Tensor.abs,
    "add": lambda a, b: a + b,
    "mul": lambda a, b: a * b,
    "maximum": binary(max)[0],
}
for name, function in FUNCTIONS.items():
    setattr(torch, name, Function(f"torch.{name}", function))


#: Whether autograd records, which nothing here does.
GRAD = [True]


def set_grad_enabled(mode: bool) -> None:
    """Sets the mode."""
    GRAD[0] = mode


class no_grad:
    """As torch's."""

    def __enter__(self) -> None:
        self.prev = GRAD[0]
        GRAD[0] = False

    def __exit__(self, *raised: object) -> None:
        GRAD[0] = self.prev


torch.no_grad = no_grad
no_grad.__module__ = "torch.autograd.grad_mode"


def find(target: str) -> Any:
    """The object that is known by a dotted name."""
    if target in NAMED:
        return NAMED[target]
    owner, _, name = target.rpartition(".")
    if owner in OWNERS:
        return getattr(OWNERS[owner], name)
    return functools.reduce(getattr, target.removeprefix("builtins.").split("."), builtins)


OWNERS = {
    "torch": torch,
    "operator": operator,
    "builtins": builtins,
    "types": types,
    "sys": sys,
    "functools": functools,
    "contextlib": contextlib,
    "itertools": itertools,
    "itertools.chain": itertools.chain,
}
NAMED = {"torch.autograd.grad_mode.no_grad": no_grad, "torch._C._set_grad_enabled": set_grad_enabled}
