"""Reads what ``compile(dynamic_shapes=...)`` says of each dimension, as rows that the tracer understands.

Two notations are read. That of ``torch.export``: a dict by parameter, or a tuple in the order of the parameters, of
``{dimension: Dim("batch")}``, tuples of such, ``Dim.AUTO``, ``Dim.DYNAMIC``, ``Dim.STATIC``, integers and ``None``.
And that of ``torch.compile``, a ``ShapesSpec`` or ``ParamsSpec``, whose dimensions are unbacked: their sizes decide
nothing.

A row is the source as guards print it, a kind, and what else there is to say. What has no row is static.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from torch.export.dynamic_shapes import Dim, _DerivedDim, _DimHint, _DimHintType
from torch.fx.experimental.dynamic_spec import (
    DictSpec,
    ObjectSpec,
    ParamsSpec,
    SeqSpec,
    ShapesSpec,
    TensorSpec,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import CodeType

    import sympy
    import torch

    #: Name, factor, offset, least and greatest value of the name, whether the size decides nothing.
    Named = tuple[str, int, int, int | None, int | None, bool]
    Row = tuple[str, str, int | Named | None]

_HINTS = {_DimHintType.AUTO: "auto", _DimHintType.DYNAMIC: "dynamic", _DimHintType.STATIC: "static"}


class UnsupportedSpecError(ValueError):
    """A description of shapes that the tracer does not understand."""


def declared(function: Callable[..., Any], spec: Any) -> tuple[CodeType, list[Row]]:
    """The code that the rows are about, and the rows."""
    import torch

    target: Any = function.forward if isinstance(function, torch.nn.Module) else function
    target = inspect.unwrap(target)
    target = getattr(target, "__func__", target)
    code = getattr(target, "__code__", None)
    if code is None:
        message = "dynamic_shapes describe the parameters of a Python function"
        raise UnsupportedSpecError(message)
    parameters = _parameters(code)
    if isinstance(spec, ParamsSpec):
        spec = ShapesSpec(spec)
    if isinstance(spec, ShapesSpec):
        return code, list(_of_params(spec, parameters))
    by_name = _by_name(spec, [name for name in parameters if name not in ("self", "*", "**")])
    return code, [row for name, part in by_name.items() for row in _exported(f"L['{name}']", part)]


def _parameters(code: CodeType) -> dict[str, str]:
    """The names of the parameters; those of ``*args`` and ``**kwargs`` under ``*`` and ``**``."""
    count = code.co_argcount + code.co_kwonlyargcount
    names = {name: name for name in code.co_varnames[:count]}
    if code.co_flags & inspect.CO_VARARGS:
        names["*"] = code.co_varnames[count]
        count += 1
    if code.co_flags & inspect.CO_VARKEYWORDS:
        names["**"] = code.co_varnames[count]
    return names


def _by_name(spec: Any, parameters: list[str]) -> Mapping[str, Any]:
    if isinstance(spec, dict):
        return spec
    if isinstance(spec, (tuple, list)) and len(spec) <= len(parameters):
        return dict(zip(parameters, spec))
    message = f"dynamic_shapes: a dict by parameter or a tuple in their order is wanted, not {spec!r}"
    raise UnsupportedSpecError(message)


def _exported(source: str, spec: Any) -> Iterator[Row]:
    """Rows of what ``torch.export`` takes for one value."""
    if spec is None:
        return
    if _is_leaf(spec):
        yield from _leaf(source, spec)
        return
    if not isinstance(spec, (dict, tuple, list)):
        message = f"dynamic_shapes: {source} is described by {spec!r}"
        raise UnsupportedSpecError(message)
    items = list(spec.items() if isinstance(spec, dict) else enumerate(spec))
    # Dimensions are leaves under integers; what is in containers is not.
    of_tensor = all(isinstance(key, int) and (part is None or _is_leaf(part)) for key, part in items)
    for key, part in items:
        if of_tensor:
            yield from _leaf(f"{source}.size()[{key}]", part)
        else:
            yield from _exported(f"{source}[{key!r}]", part)


def _is_leaf(spec: Any) -> bool:
    return isinstance(spec, (int, Dim, _DimHint))


def _leaf(source: str, spec: Any) -> Iterator[Row]:
    """The row of a dimension or an integer."""
    if spec is None:
        return
    if isinstance(spec, int):
        yield source, "pinned", spec
    elif isinstance(spec, Dim):
        yield source, "named", _named(spec)
    elif spec.min is not None or spec.max is not None:
        # Of one dimension alone, by the name that nobody else can give.
        yield source, "bounded", (source, 1, 0, spec.min, spec.max, False)
    else:
        yield source, _HINTS[spec.type], None


def _named(dim: Dim) -> Named:
    factor, offset = 1, 0
    while isinstance(dim, _DerivedDim):
        base = int(dim.fn(0))
        slope = int(dim.fn(1)) - base
        # f(g(x)) of what is linear.
        factor, offset = factor * slope, factor * base + offset
        dim = dim.root
    greatest = dim.max if isinstance(dim.max, int) else None
    return dim.__name__, factor, offset, int(dim.min), greatest, False


def _of_params(spec: ShapesSpec, parameters: Mapping[str, str]) -> Iterator[Row]:
    """Rows of what ``torch.compile`` takes."""
    if spec.assumptions:
        message = "dynamic_shapes: assumptions are not understood; torch._check in the function states the same"
        raise UnsupportedSpecError(message)
    params = spec._params
    if params is None:
        return
    for name, part in params._named_args.items():
        yield from _specified(f"L['{name}']", part)
    for at, part in enumerate(params._varargs or []):
        yield from _specified(f"L['{parameters['*']}'][{at}]", part)
    for name, part in (params._varkw or {}).items():
        yield from _specified(f"L['{parameters['**']}']['{name}']", part)


def _specified(source: str, spec: Any) -> Iterator[Row]:
    """Rows of one value's specification."""
    if isinstance(spec, TensorSpec):
        for dim, leaf in enumerate(spec):
            yield from _specified(f"{source}.size()[{dim}]", leaf)
    elif isinstance(spec, ObjectSpec):
        for name, part in spec.items():
            yield from _specified(f"{source}.{name}", part)
    elif isinstance(spec, DictSpec):
        for key, part in spec.items():
            yield from _specified(f"{source}[{key!r}]", part)
    elif isinstance(spec, SeqSpec):
        for at, part in enumerate(spec._entries):
            yield from _specified(f"{source}[{at}]", part)
    elif isinstance(spec, int):
        yield source, "pinned", spec
    elif spec is not None:
        yield source, "named", _unbacked(spec)


def _unbacked(spec: torch.SymInt) -> Named:
    """A variable, or an expression that is linear in one."""
    import sympy

    expression: sympy.Expr = spec.node.expr
    symbols = list(expression.free_symbols)
    coefficients = sympy.Poly(expression, *symbols).all_coeffs() if len(symbols) == 1 else []
    if len(coefficients) != 2 or any(c != int(c) for c in coefficients) or coefficients[0] < 1:
        message = f"dynamic_shapes: {expression} is not an increasing multiple of one variable"
        raise UnsupportedSpecError(message)
    env: Any = spec.node.shape_env
    bounds = env.var_to_range[symbols[0]]
    least, greatest = (int(b) if b.is_Integer else None for b in (bounds.lower, bounds.upper))
    factor, offset = map(int, coefficients)
    return str(symbols[0]), factor, offset, least, greatest, True
