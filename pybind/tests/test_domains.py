"""Tests that we compute only what eager does: operators outside of their dtypes, numbers beyond a tensor's dtype."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch
import torch.nn.functional as F

import rust_inductor
from pybind.tests.helpers import compiled

if TYPE_CHECKING:
    from collections.abc import Callable

    Fn = Callable[..., torch.Tensor]

INTEGERS = [torch.uint8, torch.int32, torch.int64, torch.bool]

FLOATS_ONLY: dict[str, Fn] = {
    "softmax": lambda x: torch.softmax(x, -1),
    "log_softmax": lambda x: torch.log_softmax(x, -1),
    "gelu": F.gelu,
    "gelu of tanh": lambda x: F.gelu(x, approximate="tanh"),
    "silu": F.silu,
    "mish": F.mish,
    "elu": F.elu,
    "celu": F.celu,
    "selu": F.selu,
    "softplus": F.softplus,
    "leaky_relu": F.leaky_relu,
    "hardswish": F.hardswish,
    "hardsigmoid": F.hardsigmoid,
    "softshrink": F.softshrink,
    "logsigmoid": F.logsigmoid,
    "tanhshrink": F.tanhshrink,
    "threshold": lambda x: F.threshold(x, 1, 2),
    "glu": lambda x: F.glu(x, 0),
    "layer_norm": lambda x: F.layer_norm(x, (4,)),
    "group_norm": lambda x: F.group_norm(x[None], 2),
    "batch_norm": lambda x: F.batch_norm(x, None, None, training=True),
    "round": lambda x: torch.round(x, decimals=1),
    "mean": torch.mean,
    "var": torch.var,
    "std": torch.std,
    "vector_norm": torch.linalg.vector_norm,
    "mse_loss": lambda x: F.mse_loss(x, x),
    "huber_loss": lambda x: F.huber_loss(x, x),
    "lerp": lambda x: torch.lerp(x, x, 0.5),
    "addcmul": lambda x: torch.addcmul(x, x, x),
    "linear": lambda x: F.linear(x, x),
}
NUMBERS_ONLY: dict[str, Fn] = {
    "abs": torch.abs,
    "relu": F.relu,
    "clamp": lambda x: x.clamp(0, 1),
    "pow": lambda x: x**x,
    "sub": lambda x: x - x,
    "rsub": lambda x: 2.5 - x,
    "neg": torch.neg,
    "sign": torch.sign,
    "dot": lambda x: torch.dot(x[0], x[0]),
    "mv": lambda x: torch.mv(x, x[0]),
    "trace": torch.trace,
    "reflect": lambda x: F.pad(x, (1, 1), mode="reflect"),
    "arange": lambda x: torch.arange(2, 5, dtype=x.dtype),
}


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
@pytest.mark.parametrize("name", [*FLOATS_ONLY, *NUMBERS_ONLY])
def test_integers_are_computed_where_eager_computes_them(name: str, dtype: torch.dtype) -> None:
    """Gives eager's value, or an error where eager has one: no kernel applies a function of floats to integers."""
    fn = (FLOATS_ONLY | NUMBERS_ONLY)[name]
    x = torch.tensor([[0, 1, 2, 3], [3, 1, 0, 1], [2, 2, 1, 0], [1, 0, 3, 2]]).to(dtype)
    _same(fn, x)


@pytest.mark.parametrize("name", ["silu", "mish", "hardswish", "softplus", "abs", "relu"])
def test_what_has_no_elements_is_refused_like_the_rest(name: str) -> None:
    """Eager asks for the dtype first."""
    fn = (FLOATS_ONLY | NUMBERS_ONLY)[name]
    _same(fn, torch.empty(0, 4, dtype=torch.bool))
    _same(torch.bitwise_not, torch.empty(0, 4))


BEYOND = [
    (torch.uint8, 300),
    (torch.uint8, 256),
    (torch.uint8, -1),
    (torch.uint8, -1.0),
    (torch.int8, 200),
    (torch.int32, 2**40),
    (torch.int64, 2**62),
    (torch.float16, 1e6),
    (torch.float16, 65504.0),
    (torch.bfloat16, 1e39),
    (torch.float32, 1e40),
    (torch.float32, float("inf")),
    (torch.float32, float("nan")),
    (torch.float32, 2**70),
    (torch.bool, 2),
]
WITH_NUMBER: dict[str, Fn] = {
    "add": lambda x, v: x + v,
    "mul": lambda x, v: x * v,
    "alpha": lambda x, v: torch.add(x, x, alpha=v),
    "remainder": lambda x, v: x % v,
    "floor_divide": lambda x, v: x // v,
    "pow": lambda x, v: x**v,
    "eq": lambda x, v: x == v,
    "gt": lambda x, v: x > v,
    "clamp": lambda x, v: x.clamp(0, v),
    "clamp_min": lambda x, v: x.clamp_min(v),
    "hardtanh": lambda x, v: F.hardtanh(x, 0, v),
    "threshold": lambda x, v: F.threshold(x, 1, v),
    "fill": torch.fill,
    "full": lambda x, v: torch.full((3,), v, dtype=x.dtype),
    "full_like": torch.full_like,
    "new_full": lambda x, v: x.new_full((3,), v),
    "scalar_tensor": lambda x, v: torch.scalar_tensor(v, dtype=x.dtype),
    "where": lambda x, v: torch.where(x > 1, x, v),
    "masked_fill": lambda x, v: x.masked_fill(x > 1, v),
    "pad": lambda x, v: F.pad(x, (1, 1), value=v),
    "addcmul": lambda x, v: torch.addcmul(x, x, x, value=v),
    "lerp": lambda x, v: torch.lerp(x, x, v),
    "fill_": lambda x, v: torch.zeros_like(x).fill_(v),
    "index_fill": lambda x, v: x.index_fill(0, torch.tensor([0]), v),
}


@pytest.mark.parametrize(("dtype", "value"), BEYOND, ids=str)
@pytest.mark.parametrize("name", WITH_NUMBER)
def test_a_number_beyond_its_dtype_is_refused_where_eager_refuses_it(
    name: str, dtype: torch.dtype, value: float
) -> None:
    """``masked_fill(mask, -1e9)`` of a float16 tensor raises in eager: no kernel may write an infinity instead."""
    fn = WITH_NUMBER[name]
    _same(lambda x: fn(x, value), torch.tensor([0, 1, 2, 100]).to(dtype))


def _same(fn: Fn, x: torch.Tensor) -> None:
    want = _outcome(fn, x)
    got = _outcome(compiled(fn), x)
    assert isinstance(got, Exception) == isinstance(want, Exception), (want, got)
    if isinstance(want, torch.Tensor):
        torch.testing.assert_close(got, want, equal_nan=True)


def _outcome(fn: Fn, x: torch.Tensor) -> Any:
    torch.compiler.reset()
    rust_inductor.reset()
    try:
        return fn(x)
    except (RuntimeError, TypeError, ValueError, ArithmeticError) as error:
        return error
