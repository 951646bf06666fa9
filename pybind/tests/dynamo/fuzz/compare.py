"""Whether two runs of a program did the same.

Two runs have two worlds of objects: results, arguments and globals. They are walked side by side. Each mutable object
and each tensor of one world has exactly one partner in the other, wherever it is found, and so has each storage: that
is how lost and invented aliases show.
"""

from __future__ import annotations

import itertools
import math
import re
import types
import weakref
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

#: Errors of the stack's depth: the call that is one too many depends on what the interpreter keeps on its stack.
DEEPEST = re.compile("(maximum recursion depth exceeded).*", re.DOTALL)
#: Addresses in messages differ from run to run.
ADDRESS = re.compile(r"0x[0-9a-f]+")
#: A float of single precision that is printed to its last digits, where roundings show.
LONG_FLOAT = re.compile(r"-?\d+\.\d{6,10}(?!\d)(?:e[-+]\d+)?")
#: Objects with an identity that programs can observe.
IDENTIFIED = (list, dict, set, torch.Tensor)
DEPTH = 12


@dataclass
class Raised:
    """The exception with which a run ended."""

    kind: str
    message: str
    #: The line of the innermost frame in the program; -1 if there is none, None if it has no line.
    line: int | None


@dataclass
class Outcome:
    """The outcome of a run."""

    result: Any
    raised: Raised | None
    printed: str
    arguments: Any
    globals: dict[str, Any]
    grad_enabled: bool


@dataclass(frozen=True)
class Difference:
    """The first difference of two runs."""

    #: The part of the outcome.
    aspect: str
    text: str

    def __str__(self) -> str:
        return f"{self.aspect}: {self.text}"


def same_exception(plain: Raised | None, compiled: Raised | None) -> bool:
    """Equal but for what is known to be lost."""
    if plain is None or compiled is None:
        return plain is compiled
    if plain.kind == compiled.kind == "UnboundLocalError":
        # Once it has specialised the code, CPython 3.11 names the line of the instruction before.
        late = plain.line is None or compiled.line is None or plain.line <= compiled.line
        return plain.message == compiled.message and late
    same = (plain.kind, plain.message) == (compiled.kind, compiled.message)
    return same and plain.line == compiled.line


def difference(plain: Outcome, compiled: Outcome) -> Difference | None:
    """The first difference between two outcomes, if there is any."""
    if not same_exception(plain.raised, compiled.raised):
        return Difference(raised_aspect(plain.raised, compiled.raised), f"{plain.raised} became {compiled.raised}")
    if not same_text(plain.printed, compiled.printed):
        return Difference("output", f"{plain.printed!r} became {compiled.printed!r}")
    if plain.grad_enabled != compiled.grad_enabled:
        return Difference("grad mode", f"{plain.grad_enabled} became {compiled.grad_enabled}")
    pairs = Pairs()
    for aspect in ("arguments", "globals", "result"):
        text = pairs.differ(getattr(plain, aspect), getattr(compiled, aspect), aspect, 0)
        if text is not None:
            return Difference(aspect, text)
    return None


def raised_aspect(plain: Raised | None, compiled: Raised | None) -> str:
    """The aspect in which two exceptions differ."""
    if plain is None or compiled is None:
        return "exception"
    if plain.kind != compiled.kind:
        return "exception type"
    return "exception message" if plain.message != compiled.message else "exception line"


@dataclass
class Pairs:
    """Objects of two worlds that were found in the same place."""

    there: dict[int, int] = field(default_factory=dict)
    back: dict[int, int] = field(default_factory=dict)
    #: Temporary objects are kept, so that no address comes twice.
    kept: list[Any] = field(default_factory=list)

    def paired(self, a: int, b: int) -> bool:
        """Notes that these belong together; false if one of them already belongs to another."""
        return self.there.setdefault(a, b) == b and self.back.setdefault(b, a) == a

    def differ(self, a: Any, b: Any, path: str, depth: int) -> str | None:
        """The difference of two values, with its place."""
        if type(a).__name__ != type(b).__name__:
            return f"{path}: {type(a).__name__} became {type(b).__name__}"
        if isinstance(a, IDENTIFIED) or hasattr(a, "__dict__"):
            seen = self.there.get(id(a)) is not None and id(b) in self.back
            if not self.paired(id(a), id(b)):
                return f"{path}: is not the same object as before, or one that it was not"
            if seen:
                return None
        if depth > DEPTH:
            return None
        return self.contents(a, b, path, depth + 1)

    def contents(self, a: Any, b: Any, path: str, depth: int) -> str | None:
        """The difference of the contents of two objects of one type, with its place."""
        if isinstance(a, torch.Tensor):
            return self.tensors(a, b, path)
        if isinstance(a, list | tuple):
            if len(a) != len(b):
                return f"{path}: length {len(a)} became {len(b)}"
            return self.first((x, y, f"{path}[{i}]") for i, (x, y) in enumerate(zip(a, b)))
        if isinstance(a, dict | types.MappingProxyType):
            if len(a) != len(b):
                return f"{path}: keys {list(a)} became {list(b)}"
            text = self.first((x, y, f"{path}.keys()[{i}]") for i, (x, y) in enumerate(zip(a, b)))
            if text is not None:
                return text
            return self.first((x, y, f"{path}[{k!r}]") for (k, x), y in zip(a.items(), b.values()))
        if isinstance(a, np.floating) or type(a) is float:
            return None if same_float(a, b) else f"{path}: {a} became {b}"
        if isinstance(a, np.ndarray):
            return self.arrays(a, b, path)
        if isinstance(a, set | frozenset) and a != b:
            return self.temporary(in_order(a), in_order(b), path, depth)
        if isinstance(a, BaseException):
            return self.exceptions(a, b, path, depth)
        if isinstance(a, torch.optim.Optimizer):
            return self.temporary((a.param_groups, a.state), (b.param_groups, b.state), path, depth)
        if isinstance(a, Iterator) and not hasattr(a, "__dict__"):
            return self.temporary(drained(a), drained(b), f"{path}, drained", depth)
        if isinstance(a, types.MethodType):
            return self.temporary((a.__func__, a.__self__), (b.__func__, b.__self__), path, depth)
        if isinstance(a, types.FunctionType):
            return self.temporary(parts_of_function(a), parts_of_function(b), path, depth)
        if isinstance(a, type | types.ModuleType):
            return self.temporary(parts_of_class(a), parts_of_class(b), path, depth)
        parts = parts_of_object(a), parts_of_object(b)
        if parts[0]:
            return self.temporary(*parts, path, depth)
        if getattr(type(a), "__repr__", None) is object.__repr__ or isinstance(a, weakref.ref):
            return None
        return None if scrubbed(a) == scrubbed(b) else f"{path}: {a!r} became {b!r}"

    def temporary(self, a: Any, b: Any, path: str, depth: int) -> str | None:
        """The difference of contents that were gathered for this, with its place."""
        self.kept += [a, b]
        return self.differ(a, b, path, depth)

    def first(self, items: Any) -> str | None:
        for a, b, path in items:
            text = self.differ(a, b, path, path.count("["))
            if text is not None:
                return text
        return None

    def tensors(self, a: torch.Tensor, b: torch.Tensor, path: str) -> str | None:
        """The difference of two tensors."""
        for name in ("dtype", "shape", "requires_grad", "is_leaf"):
            mine, theirs = getattr(a, name), getattr(b, name)
            if mine != theirs:
                return f"{path}: {name} {mine} became {theirs}"
        if a.stride() != b.stride():
            return f"{path}: stride {a.stride()} became {b.stride()}"
        mine, theirs = a.detach(), b.detach()
        if not torch.equal(mine, theirs) and not torch.allclose(mine, theirs, rtol=1e-5, atol=1e-6, equal_nan=True):
            return f"{path}: {mine.tolist()} became {theirs.tolist()}"
        storages = a.untyped_storage(), b.untyped_storage()
        self.kept += storages
        if a.numel() and not self.paired(-storages[0].data_ptr(), -storages[1].data_ptr()):
            return f"{path}: shares memory with other tensors than before"
        if a.is_leaf and (a.grad is not None or b.grad is not None):
            return self.differ(a.grad, b.grad, f"{path}.grad", 1)
        return None

    def arrays(self, a: np.ndarray, b: np.ndarray, path: str) -> str | None:
        """The difference of two arrays."""
        for name in ("dtype", "shape", "strides"):
            mine, theirs = getattr(a, name), getattr(b, name)
            if mine != theirs:
                return f"{path}: {name} {mine} became {theirs}"
        if a.dtype != object and not np.allclose(a, b, rtol=1e-5, atol=1e-6, equal_nan=True):
            return f"{path}: {a.tolist()} became {b.tolist()}"
        if a.size and not self.paired(-a.__array_interface__["data"][0], -b.__array_interface__["data"][0]):
            return f"{path}: shares memory with other arrays than before"
        return None

    def exceptions(self, a: BaseException, b: BaseException, path: str, depth: int) -> str | None:
        """The difference of two exceptions, their causes and their contexts."""
        parts = ("args", "__cause__", "__context__", "__suppress_context__", "__dict__")
        return self.first((getattr(a, part), getattr(b, part), f"{path}.{part}") for part in parts)


def parts_of_function(function: types.FunctionType) -> dict[str, Any]:
    """The parts of a function that can be observed."""
    cells = [cell.cell_contents if cell != types.CellType() else None for cell in function.__closure__ or ()]
    names = ("__name__", "__defaults__", "__kwdefaults__")
    own = {k: v for k, v in vars(function).items() if not k.startswith("_torchdynamo")}
    return {"closure": cells, "own": own, **{name: getattr(function, name) for name in names}}


def parts_of_class(kind: Any) -> dict[str, Any]:
    """The name of a class, and what programs change in a class of theirs."""
    own = vars(kind) if getattr(kind, "__module__", None) == "program" else {}
    changed = {k: v for k, v in own.items() if not k.startswith("_") and isinstance(v, int | str | torch.Tensor)}
    return {"__name__": kind.__name__, **changed}


def parts_of_object(value: Any) -> dict[str, Any]:
    """The attributes of an object, and its value where its class comes from one of numbers or text."""
    own = getattr(value, "__dict__", {})
    parts = dict(own) if isinstance(own, dict) else {}
    for kind in type(value).__mro__:
        names = getattr(kind, "__slots__", ())
        for name in (names,) if isinstance(names, str) else names:
            if hasattr(value, name) and name != "__dict__":
                parts[name] = getattr(value, name)
    for base in (int, float, str):
        if isinstance(value, base) and type(value) is not base:
            parts["value"] = base(value) if base is not str else str.__str__(value)
    return parts


def same_float(a: Any, b: Any) -> bool:
    """Equal to the sign of zero, but for roundings of tensors."""
    if a == b:
        return math.copysign(1.0, a) == math.copysign(1.0, b)
    return math.isclose(a, b, rel_tol=1e-6) or (a != a and b != b)


def same_text(a: str, b: str) -> bool:
    """True but for roundings in floats of single precision that are printed to their last digits."""
    if a == b:
        return True
    floats = [[float(text) for text in LONG_FLOAT.findall(printed)] for printed in (a, b)]
    return LONG_FLOAT.sub("float", a) == LONG_FLOAT.sub("float", b) and all(
        math.isclose(x, y, rel_tol=1e-6) for x, y in zip(*floats, strict=True)
    )


def in_order(items: Iterable[Any]) -> list[Any]:
    """The items of a set, ordered by their texts."""
    return sorted(items, key=lambda item: ADDRESS.sub("0x", repr(item)))


def drained(iterator: Iterator[Any]) -> list[Any]:
    """The items that an iterator still has, and how it ends."""
    found: list[Any] = []
    try:
        found.extend(itertools.islice(iterator, 20))
    except Exception as error:
        found.append((type(error).__name__, str(error)))
    return found


def scrubbed(value: Any) -> Any:
    """A value without addresses."""
    return ADDRESS.sub("0x", value) if isinstance(value, str) else value
