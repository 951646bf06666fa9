"""NumPy in compiled functions: what plain Python gives, types included, and one graph where torch has an equal."""

# The programs do what Python lets them do, whatever their types say.
# mypy: disable-error-code="arg-type"

from __future__ import annotations

import copy
import types
from typing import Any

import numpy as np
import pytest
import torch

import rust_inductor
from rust_inductor import _capture, _numpy

#: A function, its arguments, and whether it is one graph.
Case = tuple[Any, tuple[Any, ...], bool]


def cases_of(cases: list[Case], *, are_whole: bool) -> Any:
    """A decorator that adds functions, with their arguments, to a list of cases."""

    def case(*args: Any, whole: bool = are_whole) -> Any:
        def add(function: Any) -> Any:
            cases.append((function, args, whole))
            return function

        return add

    return case


CASES: list[Case] = []
case = cases_of(CASES, are_whole=False)
A = np.arange(12, dtype=np.float32).reshape(3, 4)
B = np.linspace(0.0, 1, 4)
INTS = np.arange(12).reshape(3, 4)
B2 = B.astype(np.float32)
READ_ONLY = A.copy()
READ_ONLY.flags.writeable = False


@case(A, B, whole=True)
def add(a, b):
    return a + b, a * 2, 2 - a, a / 3.5, a**2, -a, a @ b


@case(A, np.asfortranarray(A))
def orders_of_memory(a, b):
    return np.maximum(b, a), np.maximum(a, b), b + a, np.where(b > 1, b, a)


@case(A)
def red(a):
    return a.sum(), np.sum(a, axis=0), a.mean(1), np.max(a), a.std(), a.argmax(), np.median(a)


@case(A, B, whole=True)
def several(a, b):
    halves, thirds = np.split(a, 2, axis=1), np.array_split(b, 3)
    grid = np.meshgrid(b, a[0], indexing="ij")
    return halves, thirds, grid, type(halves), len(grid)


@case(A, B2, whole=True)
def products_of_indices(a, b):
    return np.einsum("ij,kj->ik", a, a), np.einsum("ij,j->i", a, b), np.einsum("ij->", a), np.cross(a[:, :3], a[:, 1:])


@case(A, whole=True)
def copies(a):
    b = np.copy(a)
    b += 1
    return b, np.append(a, b), np.append(a, b, axis=1), a


@case(A, whole=True)
def spreads(a):
    return np.ptp(a), np.ptp(a, axis=1), np.quantile(a, 0.3, axis=1), np.copysign(a, -1.0)


@case(A)
def quantiles(a):
    return np.percentile(a, 50), np.quantile(a, [0.1, 0.9]), np.percentile(a, 30, axis=0), np.conjugate(a)


@case(A, whole=True)
def of_fields(a):
    same = a.real is a
    return a.itemsize, a.nbytes, a.strides, a.T.strides, same


@case(np.float64(1), np.float64(2), whole=True)
def of_scalars(a, b):
    return np.array([a, b]), np.asarray(a), np.stack([a, b]), np.add(a, b)


@case(A, B, whole=True)
def scalars_that_are_made(a, b):
    of_arrays = np.float32(b), np.int32(a), np.float64(a[0, 1])
    others = np.int64(-2.7), np.uint8(3) + np.uint8(254), np.bool_(1), np.float32(np.nan), np.float64(a.shape[0])
    return a * np.float32(2), b * np.float32(0.1), np.float32(0.1) * 3, of_arrays, others


@case(A)
def scalars_that_cannot_be_made(a):
    return a + np.float32("2.5"), np.float64(), np.float64(2**70), np.uint8(a - 1), np.int64(np.float32(7.5))


@case(A)
def scalars_that_do_not_fit(a):
    b = a + 1
    return b, np.int8(300)


@case(B - 0.4, INTS - 5, np.array([np.nan, -np.inf, -0.0, 2.0], dtype=np.float32), whole=True)
def signs(a, b, c):
    return np.sign(a), np.sign(b), np.sign(c), np.sign(a[0]), np.sign(c * np.float32(np.nan))


@case(B, INTS[0], whole=True)
def diagonal_matrices(a, b):
    return np.diag(a), np.diag(b, 1), np.diag(a * 2, -2), np.diag(b) @ a


@case(INTS)
def diagonals_that_cannot_be_written(a):
    # They are views.
    b = a * 2
    return np.diag(b), np.diag(b).flags.writeable


@case(A, INTS, whole=True)
def element_types(a, b):
    made = np.zeros(3, dtype=a.dtype), b.astype(a.dtype), np.ones(2, np.dtype("int32")), b.astype(np.dtype(np.float64))
    equal = a.dtype == np.float32, a.dtype == "float32", np.int64 == b.dtype, a.dtype != b.dtype, a.dtype == float
    same = a.dtype is np.dtype("float32"), a.dtype in (np.float64, np.float32), (a > 1).dtype == bool
    return made, equal, same, a.dtype, (b.dtype, a + 1), np.dtype("float64")


FOUND, SWAPPED = np.dtype("float32"), np.dtype(">f8")


@pytest.mark.parametrize("reads_another", [False, True])
def test_an_element_type_that_changes(reads_another):
    holder = types.SimpleNamespace(dtype=np.dtype("float32"))

    def made(a):
        known = reads_another and a.dtype == "float32"
        return (a + 1).astype(holder.dtype), np.zeros(2, holder.dtype), known

    compiled, told = rust_inductor.compile(made), []
    for dtype in ("float32", "float32", "int64", ">f4", "float32"):
        holder.dtype = np.dtype(dtype)
        told.append([compiled(A)[at].dtype for at in (0, 1)])
        assert told[-1] == [holder.dtype] * 2


@case(A)
def element_types_that_are_found(a):
    b = a + 1
    return b.astype(FOUND), a.dtype == FOUND, a.dtype == SWAPPED, np.zeros(2, SWAPPED).dtype


@case(A, whole=True)
def element_types_in_variables(a):
    return (a + 1).astype(FOUND), a.dtype == FOUND, FOUND is a.dtype, np.zeros(2, FOUND), FOUND


@case(A)
def attributes_of_element_types(a):
    b = a + 1
    return b, a.dtype.name, a.dtype.kind, a.dtype.itemsize, hash(a.dtype), {np.dtype("float32"): 1}.get(a.dtype)


@case(A)
def what_is_no_element_type(a):
    b = a + 1
    return b, a.dtype == 3, a.dtype == None, a.dtype != [1]  # noqa: E711


@case(B.reshape(2, 2), whole=True)
def transforms(a):
    return np.fft.fft(a), np.fft.rfft(a), np.fft.fftshift(a), np.fft.ifft(a).real


@case(B.reshape(2, 2))
def transforms_of_columns(a):
    return np.fft.rfft(a, axis=0), np.fft.fft(a.T, axis=0)


@case(torch.from_numpy(A), whole=True)
def of_a_tensor(x):
    return np.ones_like(x, dtype=np.float64), np.mean(x.numpy(), 1), torch.from_numpy(np.asarray(np.sum(x.numpy())))


@case(torch.from_numpy(A))
def functions_that_give_tensors(x):
    return type(np.add(x, 1)), x + 1


@case(torch.from_numpy(A))
def across_a_break(x):
    a = x.numpy()
    b = a.real
    torch._dynamo.graph_break()
    return np.multiply(b, 2.0), a is b, np.shares_memory(a, x.numpy())


@case(INTS, whole=True)
def ints(a):
    return a + 1, a * 2.5, a / 2, a.sum(), a // 2, a % 3, a == 3, a > 2


@case(A, whole=True)
def funcs(a):
    return (
        np.sin(a),
        np.exp(a * 0.1),
        np.where(a > 3, a, 0.0),
        np.clip(a, 1, 5),
        np.sqrt(a),
        np.concatenate([a, a], axis=1),
        np.maximum(a, 2),
    )


@case(A, whole=True)
def views(a):
    return (
        a.T,
        a.reshape(4, 3),
        a[1:],
        a[:, 0],
        a[1, 2],
        a.ravel(),
        np.transpose(a),
        a[None],
        a[..., ::2],
        a.astype(np.float64),
        a.copy(),
    )


@case(A, whole=True)
def shape(a):
    return a.shape, a.ndim, a.size, len(a), isinstance(a, np.ndarray), [r.sum() for r in a]


@case(A, whole=True)
def tt(a):
    t = torch.from_numpy(a)
    return t * 2, (t + 1).numpy(), np.asarray(t + 2) + 1


@case(torch.ones(3), whole=True)
def tn(t):
    n = t.numpy()
    return np.sin(n) + 1, torch.from_numpy(n * 2)


@case(A, whole=True)
def create(a):
    return np.zeros(3) + a.shape[0], np.ones((2, 2), dtype=np.float32), np.arange(4), a + np.array([1, 2, 3, 4])


@case(A, whole=True)
def same(a):
    return a, a + 1


@case(A)
def brk(a):
    b = a + 1
    rust_inductor.graph_break()
    return b * 2


@case(A.copy())
def inplace(a):
    a += 1
    return a * 2


@case(A.copy())
def setitem(a):
    b = a * 2
    b[0] = 1
    return b


@case(A)
def scal(a):
    s = a.sum()
    return s * 2, s + a, np.sqrt(s), float(s)


@case(A)
def cond(a):
    if a.sum() > 3:
        return a * 2
    return a


@case(A)
def mask(a):
    return a[a > 3]


@case(A, whole=True)
def rnd(a):
    return np.round(a * 1.5), np.linalg.norm(a), np.dot(a, a.T), np.stack([a, a]).shape


@case(A)
def dt(a):
    return a.dtype, a.astype("int64")


@case(np.float32(3.0), A, whole=True)
def npscalar(s, a):
    return a * s, s + 1


B2 = B.astype(np.float32)


@case(A)
def fstr(a):
    return f"{a[0]}", a + 1


@case(A)
def strs(a):
    return str(a.sum()), repr(a)


@case(A, A + 1)
def inlist(a, b):
    return a in [a, b], a + 1


@case(A, A + 1)
def eqlist(a, b):
    return [a] == [a], [a] == [b]


@case(A, A + 1)
def isop(a, b):
    return a is b, a is a, np.asarray(a) is a, a is None, a + 1


@case(A)
def isinst(a):
    return (
        isinstance(a, (list, tuple)),
        isinstance(a.sum(), float),
        isinstance(a.astype(np.float64).sum(), float),
        type(a),
        type(a.sum()),
        callable(a),
    )


@case(A)
def hasat(a):
    return hasattr(a, "shape"), hasattr(a, "nothing"), getattr(a, "nope", 3), a + 1


@case(A)
def lists(a):
    return list(a[0]), tuple(a), a.tolist(), list(a[1]), sum(a), max(a[0]), sorted(a[0])


@case(A)
def truth(a):
    if a.any():
        return a + 1
    return a


@case(A)
def nott(a):
    return not a.all(), a.sum() > 3 and a.max() < 100


@case(A)
def key(a):
    d = {}
    try:
        d[a] = 1
    except TypeError as e:
        return str(e)


@case({"x": A, "y": [A, A]}, whole=True)
def nested(d):
    return d["x"] + d["y"][0], d["y"][0] is d["x"], {"z": d["x"] * 2}


@case(A, whole=True)
def torchfn(a):
    return torch.sin(torch.as_tensor(a)), torch.from_numpy(a).sum()


@case(A, torch.ones(3, 4), whole=True)
def mix(a, t):
    return t * torch.from_numpy(a), t.numpy() + a


@case(A, torch.ones(3, 4))
def mix2(a, t):
    return t + a


@case(torch.ones(3, requires_grad=True), whole=True)
def reqgrad(t):
    return t.detach().numpy() * 2


@case(torch.ones(3, requires_grad=True))
def reqgrad2(t):
    return t.numpy()


@case(torch.ones(3), whole=True)
def mutate(t):
    n = t.numpy()
    t.add_(1)
    m = n + 1
    return n, m, t


@case(A)
def item(a):
    return a[0, 0].item(), a[1]


@case(A, whole=True)
def rangeit(a):
    n = 0
    for i in range(a.shape[0]):
        n = n + a[i].sum()
    return n


@case(A, whole=True)
def swap(a):
    a, b = a.T, a
    return a @ b, np.matmul(b, a)


@case(A[:, ::2])
def strided(a):
    return a + 1, a.reshape(-1), a.T


@case(A[::-1])
def neg(a):
    return a + 1


@case(np.array(["a", "b"]))
def strarr(a):
    return a.shape


@case(np.array(3.0))
def zerod(a):
    return a + 1, a, np.sin(a), a[...], a.reshape(1)


@case(A.astype(">f4"))
def bigend(a):
    return a + 1


@case(np.ma.array([1.0, 2.0], mask=[0, 1]))
def masked(a):
    return a + 1


@case(READ_ONLY)
def readonly(a):
    return a + 1


@case(np.array([], dtype=np.float32), whole=True)
def empty(a):
    return a + 1, a.sum(), a.reshape(0, 1)


@case(np.array([1, 2], dtype=np.uint16))
def u16(a):
    return a + 1


@case(np.array([1, 2], dtype=np.int8))
def i8(a):
    return a + 1, a * a, a.sum(), a / 2, a + np.int64(1), a.mean()


@case(np.array([1 + 2j, 3 - 1j]))
def cplx(a):
    return a.conj(), a.real, a.imag, abs(a), a * 2, np.exp(a)


@case(A, whole=True)
def kw(a):
    return (
        np.sum(a, axis=0, keepdims=True),
        np.std(a, ddof=1),
        np.clip(a, a_min=1, a_max=3),
        a.clip(min=1),
        np.sort(a, axis=-1),
        np.expand_dims(a, 0),
        np.linspace(0, 1, num=5),
    )


@case(A)
def outarg(a):
    o = np.empty_like(a)
    np.add(a, 1, out=o)
    return o


@case(A)
def setit2(a):
    b = a.copy()
    b[0, 0] = 100
    b += 1
    return b, a


@case(A)
def ufm(a):
    return np.add.reduce(a), np.multiply.outer(a[0], a[1])


@case(A)
def rand(a):
    np.random.seed(0)
    return a + np.random.rand(4).astype(np.float32)


@case(A)
def nperr(a):
    with np.errstate(divide="ignore"):
        return a / 0.0


@case(A)
def raises(a):
    try:
        return a + np.zeros(7)
    except ValueError as e:
        return str(e)


@case(A)
def idxerr(a):
    try:
        return a[10]
    except IndexError as e:
        return str(e)


@case(A, whole=True)
def loopw(a):
    i = 0
    while i < 3:
        a = a * 1.5
        i += 1
    return a


@case(A, whole=True)
def glob(a):
    return a + B2


@case(A, whole=True)
def pyscal(a):
    return a + 1.5, a * True, a - 2**40, a + (1 + 2j)


@case([1, 2, 3], whole=True)
def frompy(items):
    return np.array(items) * 2, np.asarray(items, dtype=np.float32), np.ones_like(items)


@case(A)
def promo(a):
    return a + np.float64(1.5), a * np.pi


@case(INTS - 5, np.array([0, -1, 3, -4]), np.array([[-(2**63)], [7], [-7]]), whole=True)
def remainders(a, b, c):
    return a % b, c % b, np.mod(a, 3), np.remainder(7, b), a % 0, a % -1, 1.5 % a


@case(np.array([200, 255], np.uint8), np.array([0, 255], np.uint8), whole=True)
def remainders_of_bytes(a, b):
    return a % b, a % 0, a % 255


T = torch.linspace(-1, 1, 5)


@case(T, T.int(), np.int64(3), np.float32(0.1), np.float64(2.5), whole=True)
def scalars_with_tensors(x, n, a, b, c):
    return x + a, x * b, x - c, n * a, x.half() * c, x.double() + b, x * (7 % a)


@case(T, T.int(), np.float64(2.5), np.bool_(True), np.int64(3))
def scalars_that_decide_the_type(x, n, a, b, c):
    return n * a, x[0] + a, n[0] * c, x + b, c - x, x**c


def run(function: Any, args: Any) -> Any:
    try:
        return function(*args)
    except Exception as error:
        return type(error), str(error)


def is_same(a: Any, b: Any) -> bool:
    if type(a) is not type(b):
        return False
    if isinstance(a, (np.ndarray, np.generic)):
        numbers = a.dtype.kind in "fc"
        equal = np.allclose(a, b, rtol=1e-5, equal_nan=True) if numbers else bool(np.all(a == b))
        lies_alike = isinstance(a, np.generic) or _numpy._steps(a) == _numpy._steps(b)
        return a.dtype == b.dtype and a.shape == b.shape and lies_alike and equal
    if isinstance(a, torch.Tensor):
        return torch.allclose(a, b)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(is_same, a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(is_same(a[key], b[key]) for key in a)
    return bool(a == b)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("function", "args", "whole"), CASES, ids=[function.__name__ for function, _, _ in CASES])
def test_same_as_python(function: Any, args: Any, whole: bool) -> None:
    events: list[dict[str, Any]] = []
    compiled = _capture.optimize(function, "eager", listener=events.append)
    for _ in range(2):
        ours, plain = copy.deepcopy(args), copy.deepcopy(args)
        assert is_same(run(compiled, ours), run(function, plain))
        assert is_same(ours, plain)
    if whole:
        assert [event.get("break") for event in events] == [None]


@pytest.mark.parametrize("backend", ["eager", "aot_eager", "rust_inductor"])
def test_views_share_memory(backend: str) -> None:
    def views(a: Any) -> Any:
        return a[1:], a.T, a + 1, torch.from_numpy(a)

    a = A.copy()
    compiled = _capture.optimize(views, backend)
    compiled(a)
    rows, transposed, new, tensor = compiled(a)
    rows[0, 0], transposed[3, 0], new[0, 0] = 50, 51, 52
    tensor[2, 2] = 53
    assert (a[1, 0], a[0, 3], a[0, 0], a[2, 2]) == (50, 51, 0, 53)


def test_guards() -> None:
    def double(a: Any) -> Any:
        return a * 2 + a.shape[0]

    events: list[dict[str, Any]] = []
    compiled = _capture.optimize(double, "eager", listener=events.append)
    read_only = A.copy()
    read_only.flags.writeable = False
    arrays = [A, A + 1, A.astype(np.float64), A[:2], A[:, ::2], A[::-1], read_only, INTS, A.astype(">f4"), A]
    counts = []
    for array in arrays:
        assert is_same(compiled(array), double(array))
        graphs = [event["graph"] for event in events if event.get("graph") is not None]
        counts.append(sum(any(node.op.startswith("call") for node in graph.nodes) for graph in graphs))
        events.clear()
    # Another element type, another shape, other strides; of what no tensor can be, what is computed of it.
    assert counts[:5] == [1, 0, 1, 1, 1]
    assert counts[-1] == 0


def test_functions_are_guarded(monkeypatch: pytest.MonkeyPatch) -> None:
    def f(a: Any) -> Any:
        return np.sin(a)

    compiled = _capture.optimize(f, "eager")
    assert is_same(compiled(A), np.sin(A))
    monkeypatch.setattr(np, "sin", np.cos)
    assert is_same(compiled(A), np.cos(A))


def test_disagreement_ends_the_graph() -> None:
    meta = torch.empty(3, 4, device="meta")
    assert _numpy.agrees("call_sum", (meta,), {}) is True
    assert _numpy.agrees("call_sum", (meta,), {"axis": 0}) is False
    # A view with a negative stride.
    assert _numpy.agrees("call_flip", (meta,), {}) is None
    assert _numpy.agrees("operator_floordiv", (meta.long(), meta.long()), {}) is None


def test_errors_of_numpy_are_asked_for() -> None:
    def f(a: Any) -> Any:
        return 1 / a

    compiled = _capture.optimize(f, "eager")
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        compiled(np.zeros(3))


def test_read_as_inputs() -> None:
    def f(a: Any) -> Any:
        return torch.from_numpy(a) + 1

    assert rust_inductor.compile(f)(A).equal(torch.from_numpy(A) + 1)


class Holder:
    """Holds a tensor that is replaced."""

    def __init__(self) -> None:
        self.kept = torch.ones(3)


def test_the_array_of_a_tensor_that_is_replaced() -> None:
    def replaces(holder: Holder) -> Any:
        a = holder.kept.numpy()
        holder.kept = torch.zeros(3)
        return a, holder.kept.numpy()

    compiled = _capture.optimize(replaces, "eager")
    for _ in range(2):
        assert is_same(compiled(Holder()), replaces(Holder()))


def of_an_integer(a: Any, n: int) -> Any:
    return a + n, n - a, a * n, a > n, np.where(a < 2, n, a), np.maximum(a, n), a.sum() + n, n - a[0], a + 2 * n


def narrow_and_an_integer(a: Any, n: int) -> Any:
    return a + n, a * 2


def in_ways_that_depend_on_it(a: Any, n: int) -> Any:
    return a / n, a**n, a % n, np.clip(a, 0, n)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("function", "array", "integers", "count"),
    [
        (of_an_integer, INTS, [3, 4, 0, -(2**62), 2**61], 2),
        (of_an_integer, B, [3, 4, 0, -(2**62), 2**61], 2),
        (narrow_and_an_integer, np.arange(4, dtype=np.uint8), [3, 4, 255, 7], 4),
        (in_ways_that_depend_on_it, INTS, [3, 4, 7], 3),
    ],
)
def test_integers_that_change(function: Any, array: Any, integers: Any, count: int) -> None:
    events: list[dict[str, Any]] = []
    compiled = _capture.optimize(function, "eager", fullgraph=True, listener=events.append)
    for integer in integers:
        assert is_same(compiled(array, integer), function(array, integer))
    assert len(events) == count


def test_integers_that_are_too_large() -> None:
    compiled = _capture.optimize(narrow_and_an_integer, "eager")
    narrow = np.arange(4, dtype=np.uint8)
    compiled(narrow, 3), compiled(narrow, 4)
    for function in (compiled, narrow_and_an_integer):
        with pytest.raises(OverflowError):
            function(narrow, 256)


#: Calls that answers of the comparison, which are kept, must tell apart, though their arguments are equal.
EQUAL: list[tuple[str, Any, Any]] = [
    ("call_full", (3, 0.0), (3, -0.0)),
    ("call_full", (3, 1), (3, True)),
    ("operator_mul", (torch.empty(3, device="meta"), 1), (torch.empty(3, device="meta", dtype=torch.int64), 1)),
    ("operator_getitem", (torch.empty(3, 3, device="meta"), 0), (torch.empty(3, 3, device="meta").T, 0)),
    ("operator_add", (torch.empty(3, device="meta"), 1), (torch.empty(3, device="meta"), _numpy.Integer(1))),
]


@pytest.mark.parametrize(("name", "one", "other"), EQUAL)
def test_answers_that_are_kept(name: str, one: Any, other: Any) -> None:
    _numpy._answers.clear()
    answers = [_numpy.agrees(name, args, {}) for args in (one, other, one, other)]
    assert answers[:2] == answers[2:]
    assert answers[:2] == [_numpy._compared(name, args, {}) for args in (one, other)]
    assert len(_numpy._answers) == 2


def test_arrays_made_of_none_are_told_without_data() -> None:
    made = _numpy.without_data("call_arange", (7,), {"dtype": "int32"})
    assert made.is_meta
    assert (made.dtype, made.shape) == (torch.int32, (7,))
    assert _numpy.without_data("call_nonsense", (), {}) is None
    with torch.device("cpu"):
        assert _numpy.without_data("call_zeros", ((2, 3),), {}).dtype == torch.float64
