"""Modes of torch's, however they are entered: each function does what plain Python does, and leaves no mode."""

from __future__ import annotations

import contextlib
import warnings
from typing import Any

import pytest
import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from rust_inductor import _capture

X = torch.tensor([[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]])
W = torch.full((3, 3), 0.5, requires_grad=True)
BACKENDS = ["eager", "rust_inductor"]


def inference(x, w):
    with torch.inference_mode():
        y = x @ w
        inside = torch.is_inference_mode_enabled(), torch.is_grad_enabled()
    return y, inside, torch.is_inference_mode_enabled(), x @ w


def inference_off(x, w):
    with torch.no_grad(), torch.inference_mode(False):
        y = x @ w
    return y, torch.is_grad_enabled()


def inference_within(x, w):
    with torch.inference_mode(), torch.enable_grad():
        y = x @ w
        with torch.inference_mode(mode=False):
            z = x @ w
    return y, z, x @ w


@torch.inference_mode()
def inferred(x, w):
    return x @ w, torch.is_inference_mode_enabled()


@torch.inference_mode  # type: ignore[arg-type]
def inferred_barely(x, w):
    return x @ w


def inference_as_a_decorator(x, w):
    return inferred(x, w), inferred_barely(x, w), x @ w  # type: ignore[call-arg]


def set_for_good(x, w):
    torch.set_grad_enabled(False)
    return x @ w


def set_and_set_back(x, w):
    torch.set_grad_enabled(False)
    y = x @ w
    torch.set_grad_enabled(mode=True)
    return y, x @ w


def set_and_raised(x, w):
    torch.set_grad_enabled(False)
    raise ValueError(str((x @ w).shape))


def set_as_a_context(x, w):
    with torch.set_grad_enabled(False):
        y = x @ w
    return y, x @ w


def a_handler_outside(x, w):
    try:
        with torch.no_grad():
            y = x @ w
            raise KeyError("a")
    except KeyError:
        return y, x @ w


def decorators_made_inside(x, w):
    @torch.no_grad()
    def never(x):
        return x @ w

    always = torch.enable_grad()(lambda x: x @ w)
    given = torch.set_grad_enabled(False)(lambda x: x @ w)
    bare = torch.no_grad(lambda x: x @ w)  # type: ignore[call-arg]
    with torch.no_grad():
        y = always(x)
    return never(x), y, given(x), bare(x), x @ w


def on_a_device(x, w):
    with torch.device("meta") as device:
        y, z = torch.zeros(2), torch.tensor([1, 2])
        with torch.device("cpu"):
            q = torch.ones(2) * x[0, 0]
    return y, z, q, x @ w, torch.zeros(2), torch.ones(2, device="cpu"), str(device)


class Box:
    def __init__(self):
        self.closed = 0

    def close(self):
        self.closed += 1


def closing(x, box):
    with contextlib.closing(box) as entered:
        y = x * 2
    return y, entered.closed


def closed_by_an_exception(x, box):
    try:
        with contextlib.closing(box):
            raise ValueError("a")
    except ValueError:
        return x + 1, box.closed


ONE_GRAPH = [
    (set_for_good, W),
    (set_and_set_back, W),
    (set_as_a_context, W),
    (a_handler_outside, W),
    (decorators_made_inside, W),
    (on_a_device, W),
    (closing, Box),
    (closed_by_an_exception, Box),
]
INFERENCE = [(inference, W), (inference_off, W), (inference_within, W), (inference_as_a_decorator, W)]


def inference_with_a_break(x, w):
    with torch.inference_mode():
        y = x @ w
        print("inside", torch.is_inference_mode_enabled(), y.is_inference())
        z = y @ w
    return y, z, x @ w


def inference_that_raises(x, w):
    with torch.inference_mode():
        y = x @ w
        raise ValueError(str(y.shape))


def device_with_a_break(x, w):
    with torch.device("meta"):
        y = torch.zeros(2)
        print("inside", torch.zeros(1).device)
        z = torch.zeros(3)
    return x + 1, y, z, torch.zeros(1)


def set_before_a_break(x, w):
    torch.set_grad_enabled(False)
    y = x @ w
    print("inside")
    return y, x @ w, torch.is_grad_enabled()


def entered_by_hand(x, w):
    manager = torch.no_grad()
    manager.__enter__()
    y = x @ w
    manager.__exit__(None, None, None)
    return y, x @ w


def a_stack(x, w):
    with contextlib.ExitStack() as stack:
        stack.enter_context(torch.no_grad())
        stack.callback(print, "at the end")
        y = x @ w
    return y, x @ w


def warned(x, w):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.warn("a", stacklevel=1)
        y = x @ w
    return y, len(caught)


def forked(x, w):
    with torch.random.fork_rng():
        torch.manual_seed(1)
        y = torch.rand(2)
    return y, x @ w


def threads_of_autograd(x, w):
    with torch.autograd.set_multithreading_enabled(False), torch.autograd.set_detect_anomaly(True):
        return x @ w


def with_hooks(x, w):
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        return x @ w


BREAKING = [
    (inference_with_a_break, W),
    (inference_that_raises, W),
    (device_with_a_break, W),
    (set_before_a_break, W),
    (set_and_raised, W),
    (entered_by_hand, W),
    (a_stack, W),
    (warned, W),
    (forked, W),
    (threads_of_autograd, W),
    (with_hooks, W),
]


def seen(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        values = None if value.device.type == "meta" else value.tolist()
        return value.shape, value.dtype, value.device, value.requires_grad, value.is_inference(), values
    if isinstance(value, (list, tuple)):
        return type(value), [seen(item) for item in value]
    return repr(value)


def modes() -> list[Any]:
    """The modes of this thread, which are set back."""
    found = [torch.is_grad_enabled(), torch.is_inference_mode_enabled(), torch.get_default_device()]
    torch.set_grad_enabled(True)
    return found


def outcome(function, arg, capsys):
    arg = arg() if arg is Box else arg
    torch.manual_seed(0)
    try:
        result = seen(function(X, arg))
    except ValueError as error:
        result = repr(error)
    return result, vars(arg) if isinstance(arg, Box) else None, modes(), capsys.readouterr().out


def check(function, arg, backend, capsys) -> list[str | None]:
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(function, backend=backend, listener=log.append)
    for _ in range(2):
        assert outcome(compiled, arg, capsys) == outcome(function, arg, capsys)
    return [event.get("break_reason") or event.get("skipped") for event in log]


def named(rows):
    return [pytest.param(*row, id=row[0].__name__) for row in rows]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("function", "arg"), named(ONE_GRAPH))
def test_it_is_one_graph(function, arg, backend, capsys):
    assert check(function, arg, backend, capsys) == [None]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("function", "arg"), named(INFERENCE))
def test_inference_mode_is_part_of_a_graph_that_is_a_module(function, arg, backend, capsys):
    reasons = check(function, arg, backend, capsys)
    assert (reasons == [None]) == (backend == "eager")


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("function", "arg"), named(BREAKING))
def test_a_break_changes_nothing(function, arg, backend, capsys):
    assert check(function, arg, backend, capsys) != [None]


def test_what_fails_in_inference_mode_leaves_it():
    def picked(x, at):
        with torch.inference_mode():
            return torch.index_select(x, 0, at)

    compiled = _capture.optimize(picked, backend="eager")
    for _ in range(2):
        with pytest.raises(IndexError):
            compiled(X, torch.tensor([9]))
        assert not torch.is_inference_mode_enabled()


class Functions(TorchFunctionMode):
    def __init__(self):
        self.seen = []

    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.seen.append(func.__name__)
        return func(*args, **(kwargs or {}))


class Dispatch(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.seen = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.seen.append(str(func))
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("mode", [Functions, Dispatch])
@pytest.mark.parametrize("called_before", [False, True])
def test_modes_of_the_program_see_each_call(mode, backend, called_before):
    def function(x):
        return (x @ x.T).relu(), torch.zeros(2)

    compiled = _capture.optimize(function, backend=backend)
    if called_before:
        compiled(X)
    with mode() as expected:
        function(X)
    with mode() as found:
        compiled(X)
    assert found.seen == expected.seen
    torch.testing.assert_close(compiled(X), function(X))


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_default_device_is_guarded(backend):
    def function(x):
        return x + 1, torch.zeros(2), torch.rand(2, device="cpu")

    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(function, backend=backend, listener=log.append)
    for device in (None, "meta", "cpu", None, "meta"):
        torch.set_default_device(device)
        try:
            found = [str(result.device) for result in compiled(X)]
        finally:
            torch.set_default_device(None)
        assert found == ["cpu", device or "cpu", "cpu"]
    assert len([event for event in log if "graph" in event]) == 3
    with torch.device("meta"):
        compiled(X)
    assert len([event for event in log if "graph" in event]) == 3


def made_deterministic(x, w):
    y = x @ w
    before = torch.are_deterministic_algorithms_enabled()
    torch.use_deterministic_algorithms(True, warn_only=True)
    inside = torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled()
    torch.use_deterministic_algorithms(not before)
    return (y * 2).detach(), before, inside, torch.is_deterministic_algorithms_warn_only_enabled()


def only_made_deterministic(x, w):
    torch.use_deterministic_algorithms(not torch.are_deterministic_algorithms_enabled())
    return x


@pytest.fixture
def nondeterministic():
    yield
    torch.use_deterministic_algorithms(False)


@pytest.mark.usefixtures("nondeterministic")
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("function", [made_deterministic, only_made_deterministic])
def test_deterministic_algorithms_stay_as_they_are_set(function, backend):
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(function, backend=backend, listener=log.append)
    mode = lambda: (  # noqa: E731
        torch.are_deterministic_algorithms_enabled(),
        torch.is_deterministic_algorithms_warn_only_enabled(),
    )
    for before in (False, True, False):
        torch.use_deterministic_algorithms(before)
        expected = repr(function(X, W)), mode()
        torch.use_deterministic_algorithms(before)
        assert (repr(compiled(X, W)), mode()) == expected
    if backend == "eager":
        assert [event["break"] for event in log] == [None, None]


def given_back(x):
    return x.contiguous(), x.to(x.device), x.float(), torch.nn.functional.dropout(x, 0.5, False)


def views(x):
    w = x * 2
    return (
        x.view(-1),
        x[1:],
        x.T.reshape(-1),
        *x.chunk(3),
        *x.unbind(),
        w.view(-1)[1:],
        w.T,
        w.expand(2, 3, 3),
        w.detach(),
    )


def computed(x):
    values, indices = x.max(0)
    q, r = torch.linalg.qr(x)
    return (
        x + 1,
        x.sin(),
        values,
        indices,
        q,
        r,
        x.reshape(3, 3).T.reshape(-1),
        x[x > 0],
        x.double(),
        x[:, ::2].contiguous(),
    )


def written(x):
    y = torch.zeros(3, 3)
    return y.add_(x), y.mul_(2), x.clone().relu_()


def no_grad(function, x):
    with torch.no_grad():
        made = function(x)
    return [(y.requires_grad, (y * 2).requires_grad) for y in made]


def no_grad_within_inference_mode_off(function, x):
    with torch.inference_mode(False):
        with torch.no_grad():
            made = function(x)
        return [(y.requires_grad, (y * 2).requires_grad) for y in made]


def a_branch_on_it(function, x):
    with torch.no_grad():
        made = function(x)
    return [y * 2 if (y + 1).requires_grad else y * 3 for y in made]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("mode", [no_grad, no_grad_within_inference_mode_off, a_branch_on_it])
@pytest.mark.parametrize("function", [given_back, views, computed, written])
def test_what_is_made_without_gradients_is_known_to_require_none(function, mode, dynamic, backend):
    x = torch.arange(9.0).view(3, 3).cos().requires_grad_()
    expected = mode(function, x)
    found = _capture.optimize(mode, backend, dynamic=dynamic)(function, x)
    if mode is a_branch_on_it:
        torch.testing.assert_close(found, expected)
    else:
        assert found == expected
