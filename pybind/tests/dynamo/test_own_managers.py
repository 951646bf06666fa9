"""Context managers of the program's own that it makes: their methods are called, also where a graph ends within."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from rust_inductor import _capture

X = torch.arange(3.0, requires_grad=True)
notes: list[Any] = []


class Mode:
    def __init__(self, enabled):
        self.before = torch.is_grad_enabled()
        self.enabled = enabled

    def __enter__(self):
        torch._C._set_grad_enabled(self.enabled)
        return self

    def __exit__(self, kind, value, traceback):
        torch._C._set_grad_enabled(self.before)


class Catches:
    def __init__(self, kind):
        self.kind = kind
        self.seen = None

    def __enter__(self):
        notes.append("enter")
        return self.kind.__name__

    def __exit__(self, kind, value, traceback):
        notes.append("exit")
        self.seen = kind
        return kind is self.kind


def modes(x):
    with Mode(False) as outer:
        y = x * 2
        with Mode(True):
            z = x * 3
        inside = torch.is_grad_enabled()
    return y, z, inside, torch.is_grad_enabled(), outer.enabled


def with_a_break(x):
    with Mode(False):
        y = x * 2
        torch._dynamo.graph_break()
        z = y + x
    return z, x * z, torch.is_grad_enabled()


def catches(x):
    manager = Catches(KeyError)
    with manager as name:
        y = x + 1
        raise KeyError(name)
    return y, name, manager.seen


def passes_on(x):
    try:
        with Catches(KeyError):
            raise ValueError("no")
    except ValueError as error:
        return x + 1, str(error)


def returns_from_within(x):
    with Mode(False), Catches(KeyError) as name:
        return x * 2, name


def in_a_loop(x):
    for enabled in (True, False, True):
        with Mode(enabled):
            if not enabled:
                continue
            x = x * 2
    return x, torch.is_grad_enabled()


def told(results):
    return [(item.requires_grad, item.tolist()) if isinstance(item, torch.Tensor) else item for item in results]


@pytest.mark.parametrize("function", [modes, with_a_break, catches, passes_on, returns_from_within, in_a_loop])
@pytest.mark.parametrize("backend", ["eager", "rust_inductor"])
def test_results_are_those_of_plain_python(function, backend):
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(function, backend=backend, listener=log.append)
    notes.clear()
    for grad in (True, False):
        with torch.set_grad_enabled(grad):
            found = told(compiled(X)), list(notes)
            notes.clear()
            assert found == (told(function(X)), list(notes))
            notes.clear()
    assert function is not modes or [event["break_reason"] for event in log] == [None, None]


def test_an_exception_leaves_the_mode_as_it_was():
    def run(x):
        with Mode(False):
            y = x * 2
            raise RuntimeError(str(y.shape))

    compiled = _capture.optimize(run, backend="eager")
    for _ in range(2):
        with pytest.raises(RuntimeError, match="3"):
            compiled(X)
        assert torch.is_grad_enabled()
