"""Context managers and objects of the program: each function is one graph, and does what plain Python does."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
import torch
import torch._dynamo.testing

from rust_inductor import _capture

X = torch.tensor([[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]])
W = torch.full((3, 3), 0.5, requires_grad=True)
NO_GRAD = torch.no_grad()
BFLOAT = torch.autocast("cpu", dtype=torch.bfloat16)
notes: list[Any] = []


@torch.no_grad()
def never(x, w):
    return x @ w, torch.is_grad_enabled()


@torch.enable_grad()
def always(x, w):
    return x @ w


@torch.set_grad_enabled(False)
def not_now(x, w):
    return x @ w


@BFLOAT
def in_bfloat(x, w):
    return x @ w, torch.is_autocast_enabled("cpu")


def decorated(x, w):
    return never(x, w), always(x, w), not_now(x, w), in_bfloat(x, w)


@torch.no_grad()
def refuses(x):
    raise ValueError(str(x.shape[0]))


def an_exception_leaves_a_decorator(x, w):
    try:
        y = refuses(x)
    except ValueError as error:
        y = x @ w + len(str(error))
    return y, torch.is_grad_enabled()


def autocast(x, w):
    with torch.autocast("cpu"):
        y = x @ w
        z = y + 1
        with torch.amp.autocast("cpu", enabled=False):
            q = x @ w
        r = torch.zeros(2)
    return y, z, q, r, x @ w, y.dtype


def given(x, w):
    with NO_GRAD, BFLOAT:
        y = x @ w
    return y, x @ w


def nothing(x, w):
    with contextlib.nullcontext(), contextlib.nullcontext(x) as k, torch.profiler.record_function("a"):
        return k * 2 @ w


def suppressed(x, w):
    with contextlib.suppress(ValueError, KeyError):
        x = x + 1
        raise KeyError("a")
    with contextlib.suppress(IndexError):
        x = x @ w
    return x


def not_suppressed(x, w):
    try:
        with contextlib.suppress(IndexError):
            raise KeyError("a")
    except KeyError:
        x = x @ w
    return x


@contextlib.contextmanager
def quietly(factor):
    with torch.no_grad():
        yield factor + 1


def generator(x, w):
    with quietly(3) as k:
        y = x @ w * k
    return y, torch.is_grad_enabled()


class Counter:
    def __init__(self, items=()):
        self.count = 0
        self.items = list(items)

    def __enter__(self):
        self.count += 1
        return self

    def __exit__(self, *args):
        self.count -= 1
        return False

    def __len__(self):
        return len(self.items)

    def __getitem__(self, at):
        return self.items[at]

    def __setitem__(self, at, value):
        self.items[at] = value

    def __contains__(self, item):
        return item in self.items

    def __call__(self, x):
        return x + self.count

    def __iter__(self):
        return iter(self.items)

    def __bool__(self):
        return self.count > 0


def own_manager(x, counter):
    with counter as entered:
        y = x * entered.count
    return y, counter.count


def methods(x, counter):
    counter[0] = 7
    found = [len(counter), counter[1], 3 in counter, 9 in counter, bool(counter)]
    return counter(x), found, [item * 2 for item in counter] if not counter else None


def classes(x, counter):
    kinds = type(counter) is Counter, type(counter).__name__, counter.__class__ is Counter
    is_one = isinstance(counter, Counter), isinstance(counter, (int, Counter)), isinstance(x, Counter)
    more = issubclass(Counter, object), hasattr(counter, "nothing"), getattr(counter, "nothing", 5)
    return x * 2, kinds, is_one, more, isinstance(3, Counter)


class MyError(Exception):
    pass


class Special(MyError, ValueError):
    pass


def exceptions(x, _):
    try:
        raise Special("x", 2)
    except (KeyError, MyError) as error:
        seen: tuple[Any, ...] = (
            error.args,
            type(error).__name__,
            isinstance(error, ValueError),
            isinstance(error, KeyError),
            str(error),
        )
        seen += (error.__class__ is Special, f"<{error}>")
    try:
        raise MyError("why")
    except ValueError:
        return x
    except MyError as error:
        return x + 1, seen, str(error), str(KeyError("k")), str(MyError())


def values():
    return [
        (decorated, (X, W)),
        (an_exception_leaves_a_decorator, (X, W)),
        (autocast, (X, W)),
        (given, (X, W)),
        (nothing, (X, W)),
        (suppressed, (X, W)),
        (not_suppressed, (X, W)),
        (generator, (X, W)),
        (own_manager, (X, Counter())),
        (methods, (X, Counter([1, 2, 3]))),
        (classes, (X, Counter())),
        (exceptions, (X, 0)),
    ]


def seen(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.shape, value.dtype, value.requires_grad, value.tolist()
    if isinstance(value, (list, tuple)):
        return type(value), [seen(item) for item in value]
    return vars(value) if isinstance(value, Counter) else repr(value)


def outcome(function, args):
    try:
        result = seen(function(*args))
    except Exception as error:
        result = repr(error)
    return result, [seen(arg) for arg in args], torch.is_grad_enabled(), torch.is_autocast_enabled("cpu")


@pytest.mark.parametrize("backend", ["eager", "rust_inductor"])
@pytest.mark.parametrize("at", range(len(values())), ids=[function.__name__ for function, _ in values()])
def test_it_is_one_graph(at, backend):
    function, _ = values()[at]
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(function, backend=backend, listener=log.append)
    for _ in range(2):
        assert outcome(compiled, values()[at][1]) == outcome(function, values()[at][1])
    assert [event.get("break_reason") or event.get("skipped") for event in log] == [None]


def breaks_in_autocast(x, w):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = x @ w
        print("inside", torch.is_autocast_enabled("cpu"))
        z = y @ w
    return y, z, x @ w


def breaks_twice(x, w):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = x @ w
        print("inside")
        with torch.autocast("cpu", enabled=False):
            z = x @ w
            print("within", torch.is_autocast_enabled("cpu"))
            z = z @ w
        u = x @ w
    return y, z, u, x @ w, torch.is_autocast_enabled("cpu")


def breaks_behind(x, w):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = x @ w
        print("inside")
        y = y @ w
    z = x @ w
    print("behind", torch.is_autocast_enabled("cpu"))
    with torch.autocast("cpu", dtype=torch.float16):
        return y, z, x @ w


def breaks_in_one_that_is_kept(x, w):
    with BFLOAT:
        y = x @ w
        print("inside")
        y = y @ w
    return y, x @ w


def breaks_and_raises(x, w):
    try:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = x @ w
            print("inside")
            y = y @ w
            raise ValueError
    except ValueError:
        return y, x @ w


def breaks_and_returns(x, w):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = x @ w
        print("inside")
        return y @ w


def breaks_where_it_is_left_by_others(x, w):
    with contextlib.ExitStack() as stack:
        stack.enter_context(torch.autocast("cpu", dtype=torch.bfloat16))
        y = x @ w
        print("inside")
        y = y @ w
    return y, x @ w


def breaks_in_nothing(x, w):
    with contextlib.nullcontext(w) as other, contextlib.suppress(ValueError):
        y = x @ other
        print("inside")
        raise ValueError
    return y @ w


def breaks_in_its_own(x, counter):
    with counter as entered:
        y = x * entered.count
        print("inside", counter.count)
        z = y + counter.count
    return z, counter.count


@pytest.mark.parametrize("backend", ["eager", "rust_inductor"])
@pytest.mark.parametrize(
    "function",
    [
        breaks_in_autocast,
        breaks_twice,
        breaks_behind,
        breaks_in_one_that_is_kept,
        breaks_and_raises,
        breaks_and_returns,
        breaks_where_it_is_left_by_others,
        breaks_in_nothing,
        breaks_in_its_own,
    ],
)
def test_a_break_inside(function, backend, capsys):
    make = (lambda: (X, Counter())) if function is breaks_in_its_own else lambda: (X, W)
    compiled = _capture.optimize(function, backend=backend)
    expected, expected_output = outcome(function, make()), capsys.readouterr().out
    for _ in range(2):
        assert outcome(compiled, make()) == expected
        assert capsys.readouterr().out == expected_output


@pytest.mark.parametrize(
    ("function", "breaks"), [(breaks_in_autocast, 1), (breaks_twice, 2), (breaks_in_one_that_is_kept, 1)]
)
def test_leaving_autocast_is_no_break(function, breaks):
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(function, backend="rust_inductor", listener=log.append)
    for _ in range(2):
        assert outcome(compiled, (X, W)) == outcome(function, (X, W))
    assert len([event for event in log if event.get("break_reason")]) == breaks
    # The mode around the call is guarded, and is the one afterwards.
    with torch.autocast("cpu", enabled=False), torch.no_grad():
        assert outcome(compiled, (X, W)) == outcome(function, (X, W))


@pytest.mark.parametrize("backend", ["eager", "rust_inductor"])
def test_autocast_around_the_call(backend):
    def product(x, w):
        y = x @ w
        return y, y.dtype is torch.bfloat16

    compiled = _capture.optimize(product, backend=backend)
    for enabled in (False, True, False, True):
        with torch.autocast("cpu", enabled=enabled):
            assert outcome(compiled, (X, W)) == outcome(product, (X, W))


def test_a_graph_that_fails_leaves_autocast_as_it_was():
    def gather(x, at):
        with torch.autocast("cpu", dtype=torch.bfloat16), torch.no_grad():
            return torch.index_select(x @ x.T, 0, at)

    compiled = _capture.optimize(gather, backend="eager")
    for _ in range(2):
        with pytest.raises(IndexError):
            compiled(X, torch.tensor([9]))
        assert torch.is_grad_enabled()
        assert not torch.is_autocast_enabled("cpu")


CASTS = {
    "linear": lambda x: torch.nn.functional.linear(x, x),
    "matmul": lambda x: x @ x.T,
    "mm of halves": lambda x: x.half() @ x.half().T,
    "doubles": lambda x: x.double() @ x.double().T,
    "conv": lambda x: torch.conv1d(x[None], x[None]),
    "loss": lambda x: torch.nn.functional.mse_loss(x.bfloat16(), x.bfloat16()),
    "cat": lambda x: torch.cat([x, x.bfloat16()]),
    "stack": lambda x: torch.stack([x.bfloat16(), x.bfloat16()]),
    "softmax": lambda x: x.bfloat16().softmax(0),
    "norm": lambda x: torch.nn.functional.layer_norm(x, (3,)),
    "attention": lambda x: torch.nn.functional.scaled_dot_product_attention(x[None], x[None], x[None]),
    "cov": lambda x: (torch.cov(x), torch.corrcoef(x)),
    "pad": lambda x: torch.nn.functional.pad(x.bfloat16(), (1, 1), mode="reflect"),
    "pool": lambda x: torch.nn.functional.adaptive_max_pool3d(x.bfloat16()[None, None], (1, 2, 3)),
    "addmm": lambda x: torch.addmm(x[:, :2], x, x.T),
    "sum": lambda x: (x.bfloat16().sum(), x.prod(), x.mean(0), x.exp(), x.bfloat16() + x, x.relu().pow(2)),
    "products": lambda x: (x[0] @ x[1], x @ x[0], torch.outer(x[0], x[1]), torch.einsum("ij,kj->ik", x, x)),
}


@pytest.mark.parametrize("name", CASTS)
def test_autocast_gives_the_types_that_torch_gives(name):
    def program(x):
        with torch.autocast("cpu"):
            y = CASTS[name](x)
            ys = y if isinstance(y, tuple) else (y,)
            dtypes = [str(z.dtype) for z in ys]
        return ys, dtypes

    compiled = _capture.optimize(program, backend="eager")
    for _ in range(2):
        assert outcome(compiled, (X,)) == outcome(program, (X,))


def cuda_beside_the_cpu(x, w):
    with torch.autocast("cuda", dtype=torch.bfloat16):
        outer = torch.is_autocast_enabled("cuda"), torch.is_autocast_enabled("cpu")
        with torch.amp.autocast("cpu"):
            y = x @ w
        z = x @ w
    return y, z, outer, torch.is_autocast_enabled("cuda")


def cuda_switched_off(x, w):
    with torch.amp.autocast("cuda", enabled=False):
        return x @ w, torch.is_autocast_enabled("cuda")


def cuda_by_its_own_class(x, w):
    with torch.cuda.amp.autocast():
        return x @ w, torch.is_autocast_enabled("cuda")


# torch warns that the class is deprecated, and that there is no CUDA.
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("available", [False, True])
@pytest.mark.parametrize("function", [cuda_beside_the_cpu, cuda_switched_off, cuda_by_its_own_class])
@pytest.mark.parametrize("backend", ["eager", "rust_inductor"])
def test_autocast_for_cuda_leaves_the_cpu_alone(monkeypatch, backend, function, available):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: available)
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda: available)
    compiled = _capture.optimize(function, backend=backend)
    for _ in range(2):
        assert outcome(compiled, (X, W)) == outcome(function, (X, W))
    assert not torch.is_autocast_enabled("cuda")


def test_a_graph_that_fails_leaves_the_autocast_of_cuda_as_it_was(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)

    def gather(x, at):
        with torch.autocast("cuda", dtype=torch.float16), torch.no_grad():
            return torch.index_select(x @ x.T, 0, at)

    compiled = _capture.optimize(gather, backend="eager")
    for _ in range(2):
        with pytest.raises(IndexError):
            compiled(X, torch.tensor([9]))
        assert not torch.is_autocast_enabled("cuda")


@pytest.mark.parametrize("broken", [False, True])
def test_a_mode_that_depends_on_a_size(broken):
    def function(x):
        mode = x.shape[0] == 2
        if broken:
            torch._dynamo.graph_break()
            manager = torch.set_grad_enabled(mode)
            torch._dynamo.graph_break()
        else:
            manager = torch.set_grad_enabled(mode)
        with manager:
            y = x * 2
        return y, x + 1, torch.is_grad_enabled()

    compiled = _capture.optimize(function, backend="eager")
    for rows in (3, 4, 2, 3, 5, 2):
        x = torch.ones(rows, requires_grad=True)
        ours, theirs = compiled(x), function(x)
        assert [getattr(it, "requires_grad", it) for it in ours] == [getattr(it, "requires_grad", it) for it in theirs]
        assert torch.is_grad_enabled()


def profiled(x):
    with torch.autograd.profiler.profile():
        y = x + 2
        with torch.profiler.record_function("power"):
            return y**3


def profiled_in_parts(x):
    with torch.profiler.profile():
        y = x + 2
        torch._dynamo.graph_break()
        y = y * 3
    return y - 1


def profiled_and_looked_at(x):
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as events:
        y = x * 2
    with torch.autograd.profiler.profile() as more:
        y = y * 3
    return y, len(events.events()) > 0, len(more.function_events) > 0


def profiled_by_hand(x):
    profiler = torch.profiler.profile()
    y = x + 1
    profiler.start()
    y = y * 2
    profiler.stop()
    return y, len(profiler.events()) > 0


class Plain:
    def __init__(self, inner: Any = None) -> None:
        self.inner = inner


class Entered:
    def __enter__(self) -> Any:
        return "entered"


class Managed(Entered):
    def __exit__(self, *_: object) -> None:
        pass


class Proxy(Plain):
    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


class Static:
    @staticmethod
    def __enter__() -> Any:
        return "static"

    @staticmethod
    def __exit__(*_: object) -> None:
        pass


OF_ITSELF: Any = Plain()
OF_ITSELF.__enter__ = OF_ITSELF.__exit__ = lambda *_: "its own"
OF_ANOTHER: Any = Managed()
OF_ANOTHER.__enter__ = lambda: "its own"


def entered(manager):
    try:
        with manager as value:
            return value
    except (AttributeError, TypeError) as error:
        return type(error).__name__, str(error)


def pushed(manager):
    with contextlib.ExitStack() as stack:
        try:
            return stack.enter_context(manager)
        except (AttributeError, TypeError) as error:
            return type(error).__name__, str(error)


@pytest.mark.parametrize(
    "make",
    [Plain, Entered, Managed, lambda: Proxy(Managed()), Static, lambda: OF_ITSELF, lambda: OF_ANOTHER, lambda: None],
)
def test_managers_are_asked_by_their_classes(make):
    def function(x):
        return x + 1, entered(make()), pushed(make())

    compiled = _capture.optimize(function, backend="eager")
    for _ in range(2):
        assert repr(compiled(X)) == repr(function(X))


THREE = torch.ones(3)


@pytest.mark.parametrize(
    ("function", "graphs", "expected"),
    [
        (profiled, 1, THREE * 27),
        (profiled_in_parts, 2, THREE * 8),
        (profiled_and_looked_at, 2, (THREE * 6, True, True)),
        (profiled_by_hand, 2, (THREE * 4, True)),
    ],
)
def test_profilers_count_only_where_their_events_are_looked_at(function, graphs, expected):
    counter = torch._dynamo.testing.CompileCounter()
    compiled = _capture.optimize(function, backend=counter)
    for _ in range(2):
        assert str(compiled(THREE)) == str(expected)
    assert counter.frame_count == graphs
