"""Memory formats and layouts as arguments, legacy tensor types, and questions about the process."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from rust_inductor import _capture

X = torch.arange(24.0).reshape(1, 2, 3, 4)
FORMAT = torch.channels_last


def formats(x):
    y = x.to(memory_format=torch.channels_last)
    return y, y.clone(memory_format=torch.preserve_format).stride(), x.contiguous(memory_format=FORMAT).stride()


def questions(x):
    y = x.contiguous(memory_format=torch.channels_last)
    return (
        y + 1,
        x.is_contiguous(memory_format=torch.contiguous_format),
        y.is_contiguous(memory_format=torch.channels_last),
        y.is_contiguous(memory_format=torch.channels_last_3d),
        x.is_contiguous(memory_format=FORMAT),
        y.is_contiguous(),
    )


def layouts(x):
    return torch.zeros(2, layout=x.layout), torch.empty_like(x, layout=torch.strided).shape


def types(x):
    return x.type(), x.type(torch.float64), x.type("torch.HalfTensor"), x.type(torch.LongTensor), x.type(x.int().type())


def new(x):
    return x.new(x.size()).shape, x.new(2, 3).shape, x.new().shape, x.__len__(), x.__class__.__name__


def sizes(x):
    size = torch.Size([1, 2, x.shape[2]])
    return x + size.numel(), size, torch.Size(), torch.Size(x.shape) + x.shape


def about_the_process(x):
    is_on = torch.distributed.is_available() and torch.distributed.is_initialized()
    return (
        x + 1,
        is_on,
        torch.overrides.is_tensor_like(x),
        torch.overrides.is_tensor_like(3),
        torch.jit.annotate(int, 3),
    )


@pytest.mark.parametrize("function", [formats, questions, layouts, types, new, sizes, about_the_process])
def test_each_is_one_graph(function):
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(function, backend="eager", listener=log.append)
    for x in (X, X + 1):
        assert repr(compiled(x)) == repr(function(x))
    assert [event["break_reason"] for event in log] == [None]


def test_another_format_is_noticed():
    def run(x, memory_format):
        return x.contiguous(memory_format=memory_format)

    compiled = _capture.optimize(run, backend="eager")
    for memory_format in (torch.channels_last, torch.contiguous_format, torch.channels_last):
        assert compiled(X, memory_format).stride() == run(X, memory_format).stride()


def test_an_identity_is_that_of_the_object():
    net = torch.nn.ReLU()

    def run(x):
        return net(x), id(net), id(net) == id(X)

    compiled = _capture.optimize(run, backend="eager")
    assert compiled(X)[1:] == (id(net), False)
