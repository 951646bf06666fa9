"""The operators that random programs consist of: a row for each, with what it needs of its arguments.

A row's text has `{0}`, `{1}` for tensors, and `{n}`, `{d}`, `{k}` and the like for what is drawn when it is used.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

#: The dtypes that the first argument may have: any, floats, integers (or truth values), truth values.
Takes = Literal["any", "float", "int", "bool"]


@dataclass(frozen=True)
class Row:
    """An operator."""

    text: str
    takes: Takes = "any"
    #: True if the result depends on the last bit of the arguments: only exact ones go in.
    decides: bool = False
    #: Kinds of the other tensors: `like` the first in dtype and broadcastable, an `index` below its size, a `mask`, a
    #: `matrix` that it can be multiplied with, a `row` as long as its last dimension.
    others: tuple[Literal["like", "index", "mask", "matrix", "row"], ...] = ()
    rank: int = 0


POINTWISE = (
    *(Row(f"torch.{name}({{0}})") for name in ("neg", "abs", "relu", "square", "positive")),
    *(
        Row(f"torch.{name}({{0}})", "float")
        for name in ("sigmoid", "tanh", "erf", "sin", "cos", "atan", "exp2", "expm1")
    ),
    *(Row(f"torch.nn.functional.{name}({{0}})", "float") for name in ("silu", "softplus", "elu", "mish")),
    # Of an infinity torch makes another one or NaN, as the number of elements has it.
    Row("torch.nn.functional.gelu({0}.clamp(-99, 99))", "float"),
    *(
        Row(f"torch.nn.functional.{name}({{0}})", "float")
        for name in ("hardswish", "hardsigmoid", "leaky_relu", "relu6")
    ),
    *(
        Row(f"torch.{name}({{0}}.abs() + 1)", "float")
        for name in ("log", "sqrt", "rsqrt", "log1p", "log2", "reciprocal")
    ),
    *(Row(f"torch.{name}({{0}})", "float", True) for name in ("floor", "ceil", "trunc", "round", "frac")),
    # The sign of NaN says nothing.
    Row("torch.signbit(torch.nan_to_num({0}))", "float", True),
    *(Row(f"torch.{name}({{0}})", decides=True) for name in ("sign", "isnan", "logical_not", "isinf")),
    *(Row(f"{{0}} {op} {{1}}", others=("like",)) for op in ("+", "-", "*")),
    *(Row(f"torch.{name}({{0}}, {{1}})", decides=True, others=("like",)) for name in ("maximum", "minimum")),
    *(Row(f"{{0}} {op} {{1}}", decides=True, others=("like",)) for op in ("<", "<=", ">", ">=", "==", "!=")),
    *(Row(f"{{0}} {op} {{n}}", decides=True) for op in ("<", ">=", "==")),
    *(Row(f"{{0}} {op} {{1}}", "int", others=("like",)) for op in ("&", "|", "^")),
    Row("~{0}", "int"),
    Row("{0}.short() << {k}", "int"),
    Row("{0}.short() >> {k}", "int"),
    Row("{0} / {p}", "float"),
    Row("{0} / ({1}.abs() + 1)", others=("like",)),
    Row("{0} // {p}", decides=True),
    Row("{0} % {p}", decides=True),
    Row("torch.fmod({0}, {p})", decides=True),
    Row("torch.remainder({0}, -{p})", "int", True),
    Row("{0} ** 2"),
    Row("torch.pow({0}, 3)"),
    Row("torch.pow({0}.abs() + 1, 0.5)", "float"),
    Row("{0} + {n}"),
    Row("{0} * {n}"),
    Row("{n} - {0}", "float"),
    Row("torch.clamp({0}, -{k}, {k})", "float"),
    Row("torch.clamp({0}, max={k})"),
    Row("torch.where({1}, {0}, {2})", others=("mask", "like")),
    Row("torch.where({1}, {0}, {n})", others=("mask",)),
    Row("{0}.masked_fill({1}, {k})", others=("mask",)),
    Row("{0}.to({dtype})", decides=True),
    Row("torch.lerp({0}, {1}, 0.5)", "float", others=("like",)),
    Row("torch.addcmul({0}, {1}, {2}, value=2)", others=("like", "like")),
    Row("torch.atan2({0}, {1}.abs() + 1)", "float", others=("like",)),
    Row("torch.logical_and({0}, {1})", decides=True, others=("like",)),
    Row("torch.zeros_like({0})"),
    Row("torch.full_like({0}, {k})"),
)

REDUCTIONS = (
    *(Row(f"{{0}}.{name}()") for name in ("sum", "amax", "amin")),
    *(Row(f"{{0}}.{name}({{d}}, keepdim={{flag}})", rank=1) for name in ("sum", "amax", "amin")),
    *(Row(f"{{0}}.{name}({{dims}}, keepdim={{flag}})", rank=2) for name in ("sum", "amax", "amin")),
    *(Row(f"{{0}}.{name}({{d}}, keepdim={{flag}})", "float", rank=1) for name in ("mean", "logsumexp", "std", "var")),
    *(Row(f"{{0}}.{name}({{dims}})", "float", rank=2) for name in ("mean", "std", "var")),
    *(Row(f"{{0}}.{name}({{d}})", decides=True, rank=1) for name in ("argmax", "argmin", "any", "all")),
    *(Row(f"torch.{name}({{0}}, {{d}})", rank=1) for name in ("cumsum",)),
    *(Row(f"torch.{name}({{0}}, {{d}})[0]", decides=True, rank=1) for name in ("max", "min", "sort", "cummax")),
    # Torch multiplies halves as halves, which overflow.
    Row("{0}.clamp(-1, 1).prod({d})", rank=1),
    Row("{0}.argmax()", decides=True),
    Row("torch.linalg.vector_norm({0}, dim={d})", "float", rank=1),
    Row("torch.linalg.vector_norm({0}, 1, dim={d})", "float", rank=1),
    Row("torch.count_nonzero({0}, {d})", decides=True, rank=1),
    Row("torch.softmax({0}, {d})", "float", rank=1),
    Row("torch.log_softmax({0}, {d})", "float", rank=1),
    Row("torch.nn.functional.layer_norm({0}, {0}.shape[-1:])", "float", rank=1),
    Row("torch.nn.functional.layer_norm({0}, {0}.shape[-1:], {1})", "float", others=("row",), rank=1),
    Row("torch.topk({0}, 1, {d})[0]", decides=True, rank=1),
)

VIEWS = (
    Row("{0}.transpose({d}, {e})", rank=1),
    Row("{0}.permute({order})", rank=2),
    Row("{0}.reshape(-1)"),
    Row("{0}.flatten({d})", rank=1),
    Row("{0}.unsqueeze({d})", rank=1),
    Row("{0}.squeeze()"),
    Row("{0}.expand(2, *{0}.shape)"),
    Row("{0}.narrow({d}, 0, {0}.shape[{d}] // 2)", rank=1),
    Row("{0}[..., ::2]", rank=1),
    Row("{0}[1:]", rank=1),
    Row("{0}[..., -1]", rank=1),
    Row("{0}[None]"),
    Row("{0}.flip({d})", rank=1),
    Row("{0}.roll({k}, {d})", rank=1),
    Row("{0}.repeat({repeats})", rank=1),
    Row("{0}.repeat_interleave(2, {d})", rank=1),
    Row("torch.cat([{0}, {1}], {d})", others=("like",), rank=1),
    Row("torch.cat([{0}, {0} + 1], {d})", rank=1),
    Row("torch.stack([{0}, {0}], {d})", rank=1),
    Row("torch.nn.functional.pad({0}, (1, {k}))", rank=1),
    Row("torch.nn.functional.pad({0}, (-1, 2), value={k})", rank=1),
    Row("{0}.chunk(2, {d})[0]", rank=1),
    Row("{0}.unfold({d}, 2, 1)", rank=1),
    Row("{0}.diagonal()", rank=2),
    Row("{0}.tril()", rank=2),
    Row("{0}.triu({k})", rank=2),
    Row("{0}.contiguous()"),
    Row("{0}.clone()"),
    Row("{0}.as_strided((2, 2), (1, 1))", rank=2),
)

INDEXING = (
    Row("torch.index_select({0}, {d}, {1})", others=("index",), rank=1),
    Row("{0}[{1}]", others=("index",), rank=1),
    Row("{0}[..., {1}]", others=("index",), rank=1),
    Row("torch.gather({0}, 0, {1}.reshape(-1, *[1] * ({0}.dim() - 1)))", others=("index",), rank=1),
    Row("torch.index_add({0}, 0, {1}, {0}[{1}])", others=("index",), rank=1),
    Row("torch.index_put({0}, ({1},), {0}[{1}] + 1, accumulate=True)", others=("index",), rank=1),
    Row("torch.scatter_add({0}, 0, {1}, {0}[{1}])", others=("index",), rank=1),
    Row("torch.nn.functional.embedding({1}, {0})", "float", others=("index",), rank=2),
)

MATRICES = (
    Row("{0} @ {1}", "float", others=("matrix",), rank=2),
    Row("torch.nn.functional.linear({0}, {1}.t())", "float", others=("matrix",), rank=2),
    Row("({0} @ {1}).relu() + 1", "float", others=("matrix",), rank=2),
)

#: Operators that write in place, each to a copy.
MUTATIONS = (
    Row("{0}.clone().add_({n})"),
    Row("{0}.clone().mul_({1})", others=("like",)),
    Row("{0}.clone().fill_({k})"),
    Row("{0}.clone().zero_()"),
    Row("{0}.clone().copy_({1})", others=("like",)),
    Row("{0}.clone().index_fill_(0, {1}, {k})", others=("index",), rank=1),
)

KINDS = ((POINTWISE, 10), (REDUCTIONS, 5), (VIEWS, 5), (INDEXING, 2), (MATRICES, 1), (MUTATIONS, 1))
