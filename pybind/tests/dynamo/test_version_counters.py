"""Results in the memory of an input or of another result: one object, a view or neither, and whose version counter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import rust_inductor

#: Ways to have a tensor's memory.
SHARING = """
x.detach()
x.data
x[0].data
x[0].detach()
x.detach()[0]
x.data[0]
x[0].data.view(-1)
x.data.detach()
x.view(-1)
x.view(x.dtype)
x.unsafe_chunk(1)[0]
x.unsafe_chunk(2)[0]
x.unsafe_chunk(2)[1][0]
x.unsafe_split_with_sizes([1, 1])[1]
x.data.unsafe_split(1)[0]
x.flatten(-1, 1)
x.flatten(0, 0)
x.flatten(1)
x.flatten()
torch.nn.Flatten(0, 0)(x)
x.squeeze()
x.contiguous()
""".strip().splitlines()

#: Origins of the tensor, and results beside the one looked at.
FORMS = ["lambda x: {}", "lambda x: (x * 1, {})", "lambda x: (x := x * 2, {})", "lambda x: (x := x.sigmoid(), {})"]


def seen(function: Callable[..., Any], shape: tuple[int, int], *, requires_grad: bool) -> list[Any]:
    """List what a caller sees of the results, before and after the last one is written to."""
    leaf = torch.arange(float(shape[0] * shape[1])).reshape(shape).requires_grad_(requires_grad)
    x = leaf * 1
    given = function(x)
    results = given if isinstance(given, tuple) else (given,)
    last = results[-1]
    facts: list[Any] = [last is x, *((y.requires_grad, y._is_view(), y._base is x, y.stride()) for y in results)]
    versions = [y._version for y in (x, *results)]
    with torch.no_grad():
        last.add_(1)
    facts += [y._version - version for y, version in zip((x, *results), versions, strict=True)]
    facts += [[round(value, 4) for value in y.detach().flatten().tolist()] for y in (x, *results)]
    if results[0].requires_grad:
        try:
            results[0].sum().backward()
            facts.append([round(value, 4) for value in leaf.grad.flatten().tolist()])  # type: ignore[union-attr]
        except RuntimeError as error:
            facts.append("modified by an inplace operation" in str(error))
    return facts


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("text", SHARING)
def test_is_as_in_eager(text: str, dynamic: bool) -> None:
    for form in FORMS:
        function = eval(form.format(text))
        for requires_grad in (False, True):
            for records in (False, True):
                with torch.set_grad_enabled(records):
                    compiled = rust_inductor.compile(function, dynamic=dynamic)
                    for shape in ((2, 2), (2, 3), (2, 4)) if dynamic else ((2, 2),):
                        expected = seen(function, shape, requires_grad=requires_grad)
                        assert seen(compiled, shape, requires_grad=requires_grad) == expected, form


@pytest.mark.parametrize("text", ["x.data.add_(1)", "x.data[0].mul_(2)", "x[0].data.mul_(2)", "x.detach().add_(1)"])
def test_a_write_is_counted_where_eager_counts_it(text: str) -> None:
    def versions(function: Callable[..., Any]) -> tuple[int, list[float]]:
        x = torch.ones(2, 2)
        function(x)
        return x._version, x.flatten().tolist()

    function = eval(f"lambda x: ({text}, x * 2)")
    assert versions(rust_inductor.compile(function)) == versions(function)


def test_an_average_moves_between_a_forward_and_its_backward() -> None:
    @torch.no_grad()
    def moved(average: torch.Tensor, parameter: torch.Tensor) -> None:
        average.data.mul_(0.5).add_(parameter.data, alpha=0.5)

    grads = []
    for function in (moved, rust_inductor.compile(moved)):
        parameter = torch.ones(3, requires_grad=True)
        average = torch.full((3,), 2.0)
        loss = (parameter * average).sum()
        function(average, parameter)
        loss.backward()
        grads.append((parameter.grad, average))
    torch.testing.assert_close(grads[1], grads[0])


def test_normalising_no_dimension_is_refused() -> None:
    for function in (torch.nn.functional.layer_norm, torch.nn.functional.rms_norm):
        for call in (function, rust_inductor.compile(lambda x, shape, function=function: function(x, shape))):
            with pytest.raises(RuntimeError, match="at least 1-dimensional"):
                call(torch.ones(2, 2), ())
