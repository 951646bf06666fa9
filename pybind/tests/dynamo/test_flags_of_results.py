"""Results that require gradients, and what is computed of them: as eager's, over OpInfo's samples."""

# OpInfo's samples are made by functions without types.
# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import types
from typing import Any

import pytest
import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils import _pytree

from rust_inductor import _capture

OPERATORS = [op for op in op_db if op.supports_autograd and torch.float32 in op.dtypes]
#: The samples are leaves that are views of tensors which require no gradients: under `no_grad` a view of one requires
#: none, either. No guard asks whose view a tensor is.
WRONG = {"as_strided_partial_views"}


def fresh(function: Any) -> Any:
    """A function with code of its own, which has not been compiled before."""
    code = function.__code__.replace()
    return types.FunctionType(code, function.__globals__, function.__name__, None, function.__closure__)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("op", OPERATORS, ids=lambda op: op.formatted_name)
def test_flags_of_results(op: Any, request: pytest.FixtureRequest) -> None:
    if op.formatted_name in WRONG:
        request.applymarker(pytest.mark.xfail(strict=True, reason="a leaf that is a view"))

    def flags(records: bool, *args: Any, **kwargs: Any) -> list[Any]:
        with torch.set_grad_enabled(records):
            made = op.op(*args, **kwargs)
        tensors = [part for part in _pytree.tree_leaves(made) if isinstance(part, torch.Tensor)]
        return [(y.requires_grad, y.is_floating_point() and (y * 2).requires_grad) for y in tensors]

    sample = next(iter(op.sample_inputs("cpu", torch.float32, requires_grad=True)), None)
    if sample is None:
        pytest.skip("no sample")
    for records in (True, False):
        args = (records, sample.input, *sample.args)
        assert _capture.optimize(fresh(flags), "eager")(*args, **sample.kwargs) == flags(*args, **sample.kwargs)
