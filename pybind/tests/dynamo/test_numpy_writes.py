"""Changes of NumPy's arrays in compiled functions: what is written, and who sees it."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
import torch

from pybind.tests.dynamo.test_numpy import INTS, A, Case, cases_of, is_same, run
from rust_inductor import _capture

CASES: list[Case] = []
case = cases_of(CASES, are_whole=True)


@case(A)
def items(a):
    b = np.zeros((3, 4))
    b[0] = 1
    b[:, 0] = a[:, 1]
    b[1, 2], b[-1] = 7.5, [1, 2, 3, 4]
    a[None], a[..., 0], a[0, ..., 1], a[::2, 1::2] = 1, 2, 3, np.ones((1, 2, 2), np.float32)
    return b


@case(A)
def items_that_overlap(a):
    a[1:] = a[:-1]
    row = a[0]
    a += row
    return a, row


@case(A)
def items_by_a_mask(a):
    b = a * 1
    b[b > 5] = 0
    a[a < 2] = -1.5
    return b


@case(A)
def views(a):
    row = a[1]
    row[:] = 5
    row += 1
    a[2] += row
    return row, a


@case(A)
def in_place(a):
    b = a
    a += 1
    a *= 3
    a -= a[0]
    a /= 2
    a **= 2
    return a is b, a


@case(INTS)
def in_place_of_integers(a):
    a += 1
    a //= 2
    a %= 5
    a <<= 1
    narrow = a.astype(np.uint8)
    narrow[0] = 255
    narrow += 1
    narrow |= 4
    return narrow


@case(INTS, whole=False)
def floats_into_integers(a):
    a[0] = 9
    a += 1.5


@case(INTS, whole=False)
def quotients_into_integers(a):
    a /= 2


@case(INTS, whole=False)
def signed_into_unsigned(a):
    narrow = a.astype(np.uint8)
    narrow += a.astype(np.int8)
    return narrow


@case(INTS, whole=False)
def too_large(a):
    narrow = a.astype(np.uint8)
    narrow[0] = 256


@case(INTS, whole=False)
def another_shape(a):
    row = a[0]
    row += a


@case(INTS, whole=False)
def outside(a):
    a[0] = 3
    a[5] = 1


@case(INTS, whole=False)
def cut_off(a):
    a[0] = 1.7
    a[1] = np.array([1.5, 2.5, -1.5, 0.2])


@case(A)
def results_into_arrays(a):
    out = np.empty_like(a)
    same = np.add(a, 1, out=out) is out
    np.multiply(a, a, out=a)
    np.add(a[:2], 1, out=a[1:])
    return same, out


@case(A, whole=False)
def results_that_do_not_fit(a):
    return np.add(a, 1.5, out=np.empty((3, 4), np.int64))


@case(A)
def filled(a):
    b = np.empty((2, 3))
    b.fill(3)
    a.fill(2)
    return b


@case(A, whole=False)
def operands_that_are_no_arrays(a):
    total, two, numbers = a.sum(), 2, [1.0]
    total += 1
    two *= a
    numbers += a[0]
    return total, two, numbers


@case(A, whole=False)
def across_a_break(a):
    a[0] = 3
    torch._dynamo.graph_break()
    a[1] += 1


@case(torch.ones(3, 4))
def memory_of_a_tensor(x):
    a = x.numpy()
    a[0] = 5
    a += 1
    return x * 2, a


@case(torch.ones(3, requires_grad=True), torch.ones(3), whole=False)
def what_autograd_has_saved(w, x):
    y = w * x
    x.numpy()[0] = 5
    y.sum().backward()
    return w.grad


@case(A)
def tensor_of_an_array(a):
    x = torch.from_numpy(a)
    x.add_(1)
    a[0] = 7
    return x, torch.tensor(a), torch.tensor(a.T, dtype=torch.float64), torch.tensor(a.sum())


@case(np.array([[3, 1, 2], [7, 9, 8]], np.float32))
def orders(a):
    return np.argsort(a, kind="stable"), a.argsort(axis=0, kind="stable"), [row.max() for row in a]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("backend", ["eager", "aot_eager", "rust_inductor"])
@pytest.mark.parametrize(("function", "args", "whole"), CASES, ids=[function.__name__ for function, _, _ in CASES])
def test_same_as_python(function: Any, args: Any, whole: bool, backend: str) -> None:
    events: list[dict[str, Any]] = []
    compiled = _capture.optimize(function, backend, listener=events.append)
    for _ in range(2):
        ours, plain = copy.deepcopy(args), copy.deepcopy(args)
        assert is_same(run(compiled, ours), run(function, plain))
        assert is_same(ours, plain)
    if whole:
        assert [event.get("break") for event in events] == [None]


def writes(a: Any, b: Any) -> Any:
    a[0] = 5
    b += 1
    return a + b


@pytest.mark.parametrize("backend", ["eager", "rust_inductor"])
def test_arrays_that_share_memory(backend: str) -> None:
    def shares() -> list[tuple[Any, Any]]:
        one, rows, tensor = A.copy(), A.copy(), torch.ones(3, 4)
        return [(A.copy(), A.copy()), (one, one), (rows[:2], rows[1:]), (tensor.numpy(), tensor.numpy())]

    compiled = _capture.optimize(writes, backend)
    for ours, plain in zip(shares(), shares()):
        assert is_same(compiled(*ours), writes(*plain))
        assert is_same(ours, plain)


def test_an_array_that_is_read_only() -> None:
    def sets(a: Any) -> None:
        a[0] = 1

    compiled = _capture.optimize(sets, "eager")
    read_only = A.copy()
    read_only.flags.writeable = False
    compiled(A.copy())
    with pytest.raises(ValueError, match="read-only"):
        compiled(read_only)
