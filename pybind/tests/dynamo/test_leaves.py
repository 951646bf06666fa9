"""Leaves of autograd: what the program makes of them, and which results are parameters."""

from __future__ import annotations

import pytest
import torch

import rust_inductor

PARAMETER = torch.nn.Parameter(torch.arange(3.0))


def made_by_a_factory(x):
    leaf = torch.ones(3, requires_grad=True)
    return leaf, leaf * x


def made_as_a_parameter(x):
    leaf = torch.nn.Parameter(x.sin())
    return leaf, leaf * 2, isinstance(leaf, torch.nn.Parameter), isinstance(leaf * 2, torch.nn.Parameter)


def given_back(x):
    same = PARAMETER.contiguous()
    return (
        same * x,
        isinstance(same, torch.nn.Parameter),
        type(same) is torch.nn.Parameter,
        isinstance(x + 1, torch.nn.Parameter),
    )


def told(results):
    return [
        (type(item), item.requires_grad, item.is_leaf, item.detach().mul(1e3).round().tolist())
        if isinstance(item, torch.Tensor)
        else item
        for item in results
    ]


@pytest.mark.parametrize("backend", ["eager", "aot_eager", "rust_inductor"])
@pytest.mark.parametrize("function", [made_by_a_factory, made_as_a_parameter, given_back])
def test_results_are_those_of_plain_python(function, backend):
    compiled = rust_inductor.compile(function, backend=backend)
    x = torch.ones(3)
    assert told(compiled(x)) == told(function(x))


def test_gradients_reach_a_leaf_that_the_program_made():
    leaf, result = rust_inductor.compile(made_by_a_factory)(torch.ones(3))
    result.sum().backward()
    assert leaf.grad.tolist() == [1.0] * 3
