"""Calls of NumPy in graphs: on tensors, by way of `torch._numpy`, where that gives what NumPy gives.

Nodes have functions of this module as targets: `call_add` is `numpy.add`, `method_sum` is `ndarray.sum`,
`operator_mul` is `*`, `attribute_T` is `ndarray.T`; each takes tensors for arrays and gives tensors. `agrees` compares
one with NumPy on samples of the same shapes and element types, zeros, infinities and extreme integers among them,
before a graph may have it.
"""

from __future__ import annotations

import importlib
import operator
import sys
import types
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import torch

tnp: Any = importlib.import_module("torch._numpy")

#: Calls whose parameters have other names in `torch._numpy`.
_CLIP = ("call_clip", "method_clip")
_CLIP_NAMES = {"a_min": "min", "a_max": "max"}

#: Calls that divide, and calls that give a copy.
_DIVIDE = ("operator_truediv", "call_divide", "call_true_divide")
_COPY = ("method_astype", "method_flatten", "method_copy", "call_array", "call_asarray")

#: Remainders, which NumPy has for any divisor.
_REMAINDERS = ("operator_mod", "call_mod", "call_remainder")

#: Functions that give NaN for NaN, of which torch makes a number.
_KEEPS_NAN = ("call_sign",)

#: The largest number of elements that samples may have.
_MOST = 1 << 22


def _to_torch(value: Any) -> Any:
    """Arrays of `torch._numpy` for tensors, in containers as well."""
    if isinstance(value, torch.Tensor):
        return tnp.ndarray(value)
    if isinstance(value, (tuple, list)):
        return type(value)(_to_torch(item) for item in value)
    if isinstance(value, slice):
        return slice(_to_torch(value.start), _to_torch(value.stop), _to_torch(value.step))
    return value


def _named(name: str, numpy: Any) -> Any:
    """The callable of a target, in NumPy or in `torch._numpy`."""
    kind, _, rest = name.partition("_")
    if kind == "operator":
        return getattr(operator, rest)
    if kind == "method":
        return lambda this, *args, **keywords: getattr(this, rest)(*args, **keywords)
    if kind == "attribute":
        return operator.attrgetter(rest)
    if kind != "call":
        raise AttributeError(name)
    for module in ("linalg", "fft"):
        if rest.startswith(f"{module}_"):
            return getattr(getattr(numpy, module), rest.removeprefix(f"{module}_"))
    # The class of booleans has two names, of which torch knows one.
    return getattr(numpy, "bool_" if rest == "bool" else rest)


def _as_floats(value: Any) -> Any:
    """Integers that are to be divided: NumPy divides them in double precision, torch in its default."""
    integral = isinstance(value, tnp.ndarray) and not (value.tensor.is_floating_point() or value.tensor.is_complex())
    return value.astype("float64") if integral else value


def _is_integer(value: Any) -> bool:
    if isinstance(value, tnp.ndarray):
        dtype = value.tensor.dtype
        return not (dtype.is_floating_point or dtype.is_complex or dtype == torch.bool)
    return type(value) is int


def _without_zeros(divisor: Any) -> Any:
    """Another divisor that gives the remainders of NumPy: they are 0 for 0, where torch raises, and for -1, whose
    quotient may be too large for the processor. So are those for 1."""
    if not isinstance(divisor, tnp.ndarray):
        return 1 if divisor in (0, -1) else divisor
    tensor = divisor.tensor
    fails = tensor == 0 if tensor.dtype == torch.uint8 else (tensor == 0) | (tensor == -1)
    return tnp.ndarray(torch.where(fails, 1, tensor))


def _is_scalar_item(name: str, args: Any) -> bool:
    """Whether a call picks one item by its place, which is a copy."""
    picks = args[1] if name == "operator_getitem" and isinstance(args[1], tuple) else args[1:]
    return name == "operator_getitem" and all(type(pick) is int for pick in picks)


def _is_list_of_arrays(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, tnp.ndarray) for item in value)


def _make(name: str) -> types.FunctionType:
    run = _named(name, tnp)

    def call(*args: Any, **keywords: Any) -> Any:
        arrays = _to_torch(args)
        if name == "call_array" and _is_list_of_arrays(arrays[0]):
            # `torch._numpy` reads the items one by one.
            arrays = (tnp.stack(arrays[0]), *arrays[1:])
        if name in _CLIP:
            keywords = {_CLIP_NAMES.get(key, key): value for key, value in keywords.items()}
        if name in _DIVIDE:
            floats = [_as_floats(array) for array in arrays]
            numbers = [not isinstance(array, tnp.ndarray) and not isinstance(array, int) for array in arrays]
            if not any(numbers) and all(a is not b for a, b in zip(arrays, floats) if isinstance(a, tnp.ndarray)):
                arrays = floats
        if name in _REMAINDERS and len(arrays) == 2 and all(map(_is_integer, arrays)):
            arrays = (arrays[0], _without_zeros(arrays[1]))
        result = run(*arrays, **{key: _to_torch(value) for key, value in keywords.items()})
        if isinstance(result, (tuple, list)) and all(isinstance(item, tnp.ndarray) for item in result):
            return tuple(item.tensor for item in result)
        if not isinstance(result, tnp.ndarray):
            raise TypeError(f"`{name}` gives no array")
        if name in _KEEPS_NAN and result.tensor.is_floating_point():
            given = arrays[0].tensor
            return torch.where(given.isnan(), given, result.tensor)
        copies = name in _COPY or (result.tensor.ndim == 0 and _is_scalar_item(name, args))
        return result.tensor.clone() if copies else result.tensor

    call.__name__ = call.__qualname__ = name
    return call  # type: ignore[return-value]


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    globals()[name] = made = _make(name)
    return made


def without_data(name: str, args: Any, keywords: Any) -> Any:
    """The result of a call that is given no array, as a tensor on the device `meta`; `None` if it is not told there."""
    try:
        with torch.device("meta"):
            result = getattr(sys.modules[__name__], name)(*args, **keywords)
    except Exception:
        return None
    return result if isinstance(result, torch.Tensor) and result.is_meta else None


def to_tensor(array: Any) -> Any:
    """The tensor that shares an array's memory, or holds what a NumPy scalar is."""
    return torch.from_numpy(array if isinstance(array, np.ndarray) else np.array(array))


def to_ndarray(tensor: Any) -> Any:
    """The array that shares the tensor's memory."""
    return tensor.numpy(force=True)


def to_scalar(tensor: Any) -> Any:
    """The NumPy scalar that a tensor without dimensions holds."""
    return tensor.numpy(force=True)[()]


def _usual(shape: Any, dtype: np.dtype[Any], generator: Any) -> Any:
    if dtype.kind == "b":
        return generator.integers(0, 2, shape).astype(dtype)
    if dtype.kind in "iu":
        return generator.integers(1, 5, shape).astype(dtype)
    if dtype.kind == "c":
        return (generator.standard_normal(shape) + 1j * generator.standard_normal(shape)).astype(dtype)
    return generator.standard_normal(shape).astype(dtype)


def _extreme(shape: Any, dtype: np.dtype[Any], generator: Any) -> Any:
    if dtype.kind in "bc":
        return _usual(shape, dtype, generator)
    if dtype.kind == "f":
        values = np.array([0.0, np.nan, np.inf, -0.0, -np.inf, 1.0, -2.5], dtype)
    else:
        limits = np.iinfo(dtype)
        values = np.array([0, 1, limits.max, limits.min, 3], dtype)
    return np.resize(values, shape).astype(dtype)


def _tied(shape: Any, dtype: np.dtype[Any], generator: Any) -> Any:
    return generator.integers(0, 2, shape).astype(dtype)


class Scalar(NamedTuple):
    """A tensor without data that stands for one of NumPy's scalars."""

    tensor: torch.Tensor


class Integer(NamedTuple):
    """An integer that may be another one in the next call."""

    value: int


#: Integers that stand for any.
_INTEGERS = (0, 1, -1, 2, 3, -7, 127, 128, 255, 256, 2**31, -(2**31), 2**53 + 1, 2**63 - 1, -(2**63))


def _with_integer(value: Any, integer: int | None) -> Any:
    """A value where integers that vary are this one, or what they are now."""
    if isinstance(value, Integer):
        return value.value if integer is None else integer
    if type(value) in (tuple, list):
        return type(value)(_with_integer(item, integer) for item in value)
    if isinstance(value, slice):
        return slice(*(_with_integer(part, integer) for part in (value.start, value.stop, value.step)))
    return value


def _has_integer(value: Any) -> bool:
    items = (value.start, value.stop, value.step) if isinstance(value, slice) else value
    within = type(value) in (tuple, list, dict, slice)
    return isinstance(value, Integer) or (within and any(map(_has_integer, items)))


def _sample(value: Any, make: Callable[..., Any], generator: Any, found: list[Any]) -> tuple[Any, Any]:
    """An array and a tensor that are as a tensor without data says; other values as they are."""
    if isinstance(value, torch.Tensor):
        tensors = [torch.empty_strided(value.shape, value.stride(), dtype=value.dtype) for _ in range(2)]
        array = tensors[0].numpy()
        array[...] = make(array.shape, array.dtype, generator)
        tensors[1].copy_(tensors[0])
        found.append((array, tensors[1]))
        return array, tensors[1]
    if isinstance(value, Scalar):
        array, tensor = _sample(value.tensor, make, generator, found)
        return array[()], tensor
    if isinstance(value, (tuple, list)):
        pairs = [_sample(item, make, generator, found) for item in value]
        return type(value)(a for a, _ in pairs), type(value)(b for _, b in pairs)
    if isinstance(value, slice):
        parts = [_sample(part, make, generator, found) for part in (value.start, value.stop, value.step)]
        return slice(*(a for a, _ in parts)), slice(*(b for _, b in parts))
    return value, value


def _steps(array: Any) -> list[int] | None:
    """The strides of the dimensions in which an array has more than one element; `None` for an empty array."""
    return [stride for size, stride in zip(array.shape, array.strides) if size > 1] if array.size else None


def _equal(expected: Any, result: Any, found: list[Any]) -> bool | None:
    """Whether NumPy gives a scalar; `None` if its values, or the memory that they lie in, are not those of a tensor."""
    if not isinstance(expected, (np.ndarray, np.generic)) or expected.size > _MOST:
        return None
    if any(expected is array for array, _ in found):
        return None
    if isinstance(expected, np.ndarray) and not expected.flags.writeable:
        return None
    got = result.numpy(force=True)
    if got.dtype != expected.dtype or got.shape != expected.shape or _steps(got) != _steps(expected):
        return None
    tolerance = {"f": 1e-4, "c": 1e-4}.get(expected.dtype.kind, 0.0)
    if expected.dtype == np.float64:
        tolerance = 1e-8
    if not np.allclose(got, expected, rtol=tolerance, atol=tolerance, equal_nan=expected.dtype.kind in "fc"):
        return None
    storage = result.untyped_storage().data_ptr()
    for array, tensor in found:
        shares = bool(array.size) and np.may_share_memory(expected, array)
        if shares != (bool(array.size) and storage == tensor.untyped_storage().data_ptr()):
            return None
    return isinstance(expected, np.generic)


def _same(name: str, args: Any, keywords: Any, make: Callable[..., Any]) -> Any:
    generator, found = np.random.default_rng(0), []  # type: tuple[Any, list[Any]]
    positional = [_sample(arg, make, generator, found) for arg in args]
    named = {key: _sample(value, make, generator, found) for key, value in keywords.items()}
    if sum(array.size for array, _ in found) > _MOST:
        return None
    expected = _named(name, np)(*(a for a, _ in positional), **{key: a for key, (a, _) in named.items()})
    result = globals().get(name) or __getattr__(name)
    result = result(*(b for _, b in positional), **{key: b for key, (_, b) in named.items()})
    if type(expected) not in (tuple, list):
        return _equal(expected, result, found)
    if not isinstance(result, tuple) or len(result) != len(expected):
        return None
    kinds = [_equal(*both, found) for both in zip(expected, result)]
    return None if None in kinds else type(expected)(kinds)


def _key(value: Any) -> Any:
    """All that the comparison depends on of an argument; an unhashable list where it is of no known type."""
    if isinstance(value, torch.Tensor):
        return torch.Tensor, value.dtype, value.shape, value.stride()
    if isinstance(value, (tuple, list)):
        return type(value), tuple(map(_key, value))
    if isinstance(value, slice):
        return slice, _key(value.start), _key(value.stop), _key(value.step)
    # By its text, as 0.0 equals -0.0 and 1 equals True.
    return (type(value), repr(value)) if isinstance(value, _PLAIN) else []


#: Types of arguments that their text tells apart.
_PLAIN = (int, float, complex, str, type, np.dtype, types.EllipsisType, types.NoneType)

#: The answers of `agrees`, by name, keys of the arguments, and torch's default type.
_answers: dict[Any, Any] = {}

#: The number of answers that are kept.
_MOST_ANSWERS = 4096


def agrees(name: str, args: Any, keywords: Any) -> Any:
    """Whether NumPy gives a scalar for a call; a tuple or list of these where it gives several results.

    `None` where it gives anything else than `torch._numpy`. Tensors without data stand for arrays.
    """
    if set(np.geterr().values()) & {"raise", "call", "log"}:
        return None
    named = tuple((key, _key(value)) for key, value in keywords.items())
    question = name, _key(args), named, torch.get_default_dtype()
    try:
        answer = _answers.get(question, _answers)
    except TypeError:
        return _compared(name, args, keywords)
    if answer is not _answers:
        return answer
    if len(_answers) >= _MOST_ANSWERS:
        _answers.clear()
    return _answers.setdefault(question, _compared(name, args, keywords))


def _compared(name: str, args: Any, keywords: Any) -> Any:
    """`agrees`, by calls of both on samples."""
    # The order of what is equal is NumPy's own.
    ties = [_tied] if name.endswith("argsort") else []
    varies = _has_integer((args, list(keywords.values())))
    found = []
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            for integer in (None, *(_INTEGERS if varies else ())):
                given = _with_integer(args, integer)
                named = {key: _with_integer(value, integer) for key, value in keywords.items()}
                found += [_same(name, given, named, make) for make in (_usual, _extreme, *ties)]
    except Exception:
        return None
    return found[0] if all(kind == found[0] for kind in found) else None
