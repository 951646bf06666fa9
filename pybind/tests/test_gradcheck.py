"""Gradients of compiled operators against differences of what they compute, in float64, over OpInfo's samples."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch.autograd import gradcheck
from torch.autograd.gradcheck import GradcheckError
from torch.utils import _pytree

import rust_inductor
from pybind.tests.opinfo.samples import names, operators, samples, with_code_of_its_own

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pybind.tests.opinfo.samples import Sample

#: Samples of each operator.
FIRST = int(os.environ.get("RI_GRADCHECK_SAMPLES", "1"))


def is_leaf(value: Any) -> bool:
    """Whether it is what gradients are asked for."""
    return isinstance(value, torch.Tensor) and value.requires_grad


def differentiable(name: str) -> Iterator[Sample]:
    """The first samples of an operator that have elements to differentiate by."""
    found = 0
    for sample in samples(name, torch.float64, grad=True):
        if any(is_leaf(tensor) and tensor.numel() and tensor.layout == torch.strided for tensor in sample.tensors()):
            yield sample
            found += 1
        if found == FIRST:
            return


def check(name: str, sample: Sample, call: Callable[..., Any]) -> None:
    """Have torch check what a function computes for a sample, and its gradients, some of them undefined."""
    op = operators()[name]
    leaves, structure = _pytree.tree_flatten((sample.input, sample.args, sample.kwargs))
    places = [place for place, leaf in enumerate(leaves) if is_leaf(leaf)]

    def function(*inputs: torch.Tensor) -> Any:
        given = list(leaves)
        for place, value in zip(places, inputs, strict=True):
            given[place] = value
        first, args, kwargs = _pytree.tree_unflatten(given, structure)
        torch.manual_seed(0)
        results = _pytree.tree_leaves(sample.finish(op.gradcheck_wrapper(call, first, *args, **kwargs)))
        return tuple(result for result in results if is_leaf(result))

    inputs = [leaves[place] for place in places]
    gradcheck(function, inputs, fast_mode=True, nondet_tol=op.gradcheck_nondet_tol, check_undefined_grad=True)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", names(torch.float64, grad=True))
def test_gradients_are_those_of_differences(name: str) -> None:
    checked = 0
    for number, sample in enumerate(differentiable(name)):
        try:
            check(name, sample, sample.function)
        except (GradcheckError, RuntimeError, ValueError):
            # Functions with jumps, and those whose gradients eager defines otherwise.
            continue
        compiled = rust_inductor.compile(with_code_of_its_own(sample.function, f"{name} {number}"))
        # Wrappers of masked operators ask for it.
        compiled.__name__ = sample.function.__name__
        check(name, sample, compiled)
        checked += 1
    if not checked:
        pytest.skip("eager's gradients are no differences of what it computes")
