"""Numbers that are none of an element type's: what torch refuses, compiled functions refuse in its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.nn import functional

import rust_inductor

CALLS: dict[str, Callable[[torch.Tensor, float], Any]] = {
    "masked_fill": lambda x, v: x.masked_fill(x > 0, v),
    "fill_": lambda x, v: x.clone().fill_(v),
    "full": lambda x, v: torch.full((3,), v, dtype=x.dtype),
    "full_like": torch.full_like,
    "new_full": lambda x, v: x.new_full((3,), v),
    "scalar_tensor": lambda x, v: torch.scalar_tensor(v, dtype=x.dtype),
    "tensor": lambda x, v: x + torch.tensor(v),
    "pad": lambda x, v: functional.pad(x, (1, 1), value=v),
    "where": lambda x, v: torch.where(x > 0, x, v),
    "clamp": lambda x, v: x.clamp(max=v),
    "clamp_min": lambda x, v: x.clamp_min(v),
    "add": lambda x, v: x + v,
    "alpha": lambda x, v: torch.add(x, x, alpha=v),
    "mul": lambda x, v: x * v,
    "rsub": lambda x, v: v - x,
    "pow": lambda x, v: x**v,
    "less": lambda x, v: x < v,
    "threshold": lambda x, v: functional.threshold(x, v, v),
    "hardtanh": lambda x, v: functional.hardtanh(x, -v, v),
    "leaky_relu": functional.leaky_relu,
    "elu": functional.elu,
    "softplus": functional.softplus,
    "lerp": lambda x, v: torch.lerp(x, x, v),
    "addcmul": lambda x, v: torch.addcmul(x, x, x, value=v),
    "index_fill": lambda x, v: x.index_fill(0, torch.zeros(1, dtype=torch.long), v),
    "setitem": lambda x, v: x.clone().__setitem__(0, v),
    "nan_to_num": torch.nan_to_num,
    "hardshrink": functional.hardshrink,
}


def outcome(call: Callable[..., Any], x: torch.Tensor) -> str:
    """The result of a call, or the class of what it raises."""
    try:
        result = call(x)
    except (RuntimeError, TypeError, NotImplementedError) as error:
        return type(error).__name__
    return repr(result)


@pytest.mark.parametrize(
    ("dtype", "value"),
    [(torch.float32, 1e200), (torch.float16, 70000.0), (torch.float32, 3.0), (torch.int32, 2**40), (torch.uint8, 300)],
    ids=str,
)
@pytest.mark.parametrize("name", CALLS)
def test_numbers_that_do_not_fit_are_refused(name: str, dtype: torch.dtype, value: float) -> None:
    x = torch.tensor([2, 0, 1]).to(dtype)
    # A constant of the code: one from outside would be a number that differs between calls.
    function: Callable[..., Any] = eval(f"lambda x: call(x, {value!r})", {"call": CALLS[name]})
    compiled = rust_inductor.compile(function)
    assert [outcome(compiled, x) for _ in range(2)] == [outcome(function, x)] * 2


def test_what_comes_before_has_happened() -> None:
    def filled(x: torch.Tensor, log: list[str]) -> torch.Tensor:
        log.append("before")
        y = x.masked_fill(x > 0, 1e200)
        log.append("after")
        return y

    log: list[str] = []
    with pytest.raises(RuntimeError, match="without overflow"):
        rust_inductor.compile(filled)(torch.ones(2), log)
    assert log == ["before"]
