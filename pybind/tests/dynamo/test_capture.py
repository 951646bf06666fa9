"""Our own Dynamo: the same results, effects and exceptions as plain Python, and what was captured."""

from __future__ import annotations

import copy
import gc
import weakref
from collections.abc import Callable
from typing import Any

import pytest
import torch

from rust_inductor import _capture

X = torch.tensor([[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]])
Y = torch.tensor([[0.5, 1.5, -2.5], [3.5, -4.5, 5.5]])
SCALE = 3


class Log(list):
    """The events that the tracer tells."""

    @property
    def graphs(self):
        return [event["graph"] for event in self if event.get("graph") is not None]

    @property
    def reasons(self):
        return [event["break_reason"] for event in self if event.get("break_reason")]

    @property
    def skipped(self):
        return [event["skipped"] for event in self if "skipped" in event]


def capture(function: Callable[..., Any], backend: Any = "eager", **options: Any) -> tuple[Any, Log]:
    log = Log()
    return _capture.optimize(function, backend, listener=log.append, **options), log


def same(ours: Any, theirs: Any) -> None:
    """Equal structures of equal types, tensors within rounding."""
    assert type(ours) is type(theirs)
    if isinstance(theirs, torch.Tensor):
        torch.testing.assert_close(ours, theirs)
    elif isinstance(theirs, (list, tuple)):
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs):
            same(one, other)
    elif isinstance(theirs, dict):
        assert list(ours) == list(theirs)
        same(list(ours.values()), list(theirs.values()))
    else:
        assert ours == theirs


def check(function: Callable[..., Any], *calls: tuple[Any, ...], backend: Any = "eager", **options: Any) -> Log:
    """Calls with copies of the same arguments give the same, and leave the same behind."""
    compiled, log = capture(function, backend, **options)
    for args in calls:
        ours, theirs = copy.deepcopy(args), copy.deepcopy(args)
        expected: Any
        try:
            expected = function(*theirs)
        except Exception as error:
            with pytest.raises(type(error)) as caught:
                compiled(*ours)
            assert str(caught.value) == str(error)
        else:
            same(compiled(*ours), expected)
        same(ours, theirs)
    assert not log.skipped, log.skipped
    return log


def add_one(x):
    return x + 1


def helper(a, *rest, scale=2, **named):
    return a * scale + sum(rest) + named.get("bias", 0)


def containers(x, y):
    parts = [x, y]
    parts.append(x + y)
    table = {"a": parts[0], "b": 2}
    first, *others = parts
    return table["a"] * table["b"], len(others), (first, [o.shape[0] for o in others]), parts[::-1]


def loops(x, n):
    total = 0
    for i, row in enumerate(x):
        if i == n:
            continue
        total = total + row * i
    else:
        total = total - 1
    while n > 0:
        total, n = total * 2, n - 1
    return total


def closures(x):
    count = 0

    def step(v):
        nonlocal count
        count += 1
        return v * count

    return step(step(x)), count, [f(x) for f in (lambda v: v + 1, lambda v, k=3: v * k)]


def calls(x, y):
    return helper(x, y, 1), helper(x, scale=4, bias=y), helper(*[x, 2], scale=1)


def strings(x, name):
    key = f"{name:>5}!{x.dim()}{name!r}"
    return {key.strip(): x + len(key)}, name.upper() in ("A", "B")


def chained(x, n):
    return x + 1 if 0 < n <= 3 < 4 else x - 1


def generators(x):
    squares = (x * i for i in range(3))
    return sum(squares), any(i > 1 for i in range(3)), [i for i in range(5) if i % 2], dict.fromkeys((1, 2), x)


def slices(x):
    return x[0], x[:, 1:], x[..., None], x[-1, ::2], (1, 2, 3)[1:], "text"[::-1]


def views(x):
    y = x.reshape(-1)
    z = y.view(3, 2).t()
    return z.contiguous(), y.size(), z.size(0), z.dtype, y.numel()


def optional(x, y=None):
    if y is None or not isinstance(y, torch.Tensor):
        return torch.relu(x)
    return torch.where(x > y, x, y)


PLAIN = [
    (add_one, (X,)),
    (containers, (X, Y)),
    (loops, (X, 2)),
    (closures, (X,)),
    (calls, (X, Y)),
    (strings, (X, "a")),
    (chained, (X, 2)),
    (generators, (X,)),
    (slices, (X,)),
    (views, (X,)),
    (optional, (X,)),
    (optional, (X, Y)),
]


@pytest.mark.parametrize("backend", ["eager", "rust_inductor"])
@pytest.mark.parametrize(("function", "args"), PLAIN, ids=[f"{f.__name__}{len(a)}" for f, a in PLAIN])
def test_a_function_is_one_graph(function, args, backend):
    log = check(function, args, args, backend=backend)
    assert len(log) == 1, "the second call is a hit"
    assert log.reasons == []


def test_graph_has_torchs_names():
    def mse(x, y):
        return ((x - y) ** 2).mean()

    log = check(mse, (X, Y))
    assert [node.name for node in log.graphs[0].nodes] == ["l_x_", "l_y_", "sub", "pow_1", "mean", "output"]
    guards = log[0]["guards"]
    assert any(guard.startswith("check_tensor(L['x'], Tensor") for guard in guards)
    assert not any("SHAPE" in guard or "size()" in guard for guard in guards)


def test_side_effects_come_back():
    def change(x, items, table, cell):
        items.append(x.shape[0])
        items[0] = 7
        table["new"] = x * 2
        table.pop("old")
        cell.value += 1
        x.add_(1)
        return len(items)

    class Cell:
        def __init__(self):
            self.value = 3

        def __eq__(self, other):
            return self.value == other.value

    compiled, log = capture(change)
    items, table, cell, x = [1, 2], {"old": 1}, Cell(), X.clone()
    assert compiled(x, items, table, cell) == 3
    assert (items, list(table), cell.value) == ([7, 2, 2], ["new"], 4)
    torch.testing.assert_close(table["new"], X * 2)
    torch.testing.assert_close(x, X + 1)
    assert "L['cell'].value == 3" in log[0]["guards"]
    items2, cell2 = [1, 2], Cell()
    cell2.value = 10
    compiled(X.clone(), items2, {"old": 1}, cell2)
    assert cell2.value == 11


def test_identity_is_kept():
    def same(x, items):
        made = [x]
        return items, items, made, made, x

    compiled, _ = capture(same)
    items = [1]
    a, b, c, d, e = compiled(X, items)
    assert a is items
    assert b is items
    assert c is d
    assert c[0] is X
    assert e is X


def test_what_was_read_before_is_not_read_after():
    class Holder:
        item: list[Any]

    def swap(holder, x):
        old = holder.item
        holder.item = [x + 1]
        return old

    compiled, _ = capture(swap)
    holder = Holder()
    holder.item = first = [1]
    assert compiled(holder, X) is first
    torch.testing.assert_close(holder.item[0], X + 1)


def test_ints_are_static_first_then_symbolic():
    def fn(x, n):
        y = x**2
        if n >= 0:
            return (n + 1) * y
        return y / n

    compiled, log = capture(fn)
    for n in (2, 3, 4, -2):
        torch.testing.assert_close(compiled(X, n), fn(X, n))
    assert len(log.graphs) == 3
    assert "L['n'] == 2" in log[0]["guards"]
    assert "0 <= L['n']" in " ".join(log[1]["guards"])


def test_sizes_are_static_first_then_symbolic():
    def fn(a, b):
        return a.shape[0] * a * b

    compiled, log = capture(fn)
    for rows in (4, 8, 5):
        a, b = torch.rand(rows, 3), torch.rand(rows, 3)
        torch.testing.assert_close(compiled(a, b), fn(a, b))
    assert len(log) == 2
    guards = " ".join(log[1]["guards"])
    assert "L['b'].size()[0] == L['a'].size()[0]" in guards
    assert "2 <= L['a'].size()[0]" in guards
    one = torch.rand(1, 3)
    torch.testing.assert_close(compiled(one, one), fn(one, one))
    assert len(log) == 3, "sizes 0 and 1 are their own"


def test_conditions_on_sizes_become_guards():
    def fn(a):
        return a + 1 if a.shape[0] * 2 < 16 else a - 1

    compiled, log = capture(fn, dynamic=True)
    for rows in (4, 5, 20, 30, 7):
        torch.testing.assert_close(compiled(torch.zeros(rows)), fn(torch.zeros(rows)))
    assert len(log) == 2
    assert "2 <= L['a'].size()[0] <= 7" in " ".join(log[0]["guards"])
    assert "8 <= L['a'].size()[0]" in " ".join(log[1]["guards"])


def test_a_changed_constant_is_traced_again():
    def fn(a, b):
        return a * len(b)

    log = check(fn, (X, "Hello"), (X, "Hi"))
    assert "L['b'] == 'Hello'" in log[0]["guards"]
    assert len(log) == 2


def test_global_variables_are_guarded(monkeypatch):
    def fn(x):
        return x * SCALE

    compiled, log = capture(fn)
    torch.testing.assert_close(compiled(X), X * 3)
    monkeypatch.setitem(globals(), "SCALE", 5)
    torch.testing.assert_close(compiled(X), X * 5)
    assert len(log) == 2


def test_print_ends_a_graph(capsys):
    def fn(a):
        b = a + 2
        print("Hi")
        return b + a

    log = check(fn, (X,), (X,))
    assert capsys.readouterr().out == "Hi\n" * 4
    assert len(log.graphs) == 2
    assert "RI0016" in log.reasons[0]


def test_a_branch_on_a_tensor_has_two_resume_functions():
    def toy(a, b):
        x = a / (torch.abs(a) + 1)
        if b.sum() < 0:
            b = b * -1
        return x * b

    torch.manual_seed(0)
    log = check(toy, *[(torch.randn(10), torch.randn(10)) for _ in range(100)])
    assert len(log.graphs) == 3


def test_breaks_within_loops_and_calls():
    def inner(x):
        return x * float(x.sum())

    def fn(x, n):
        out = []
        for i in range(n):
            x = inner(x) + i
            out.append(x.sum().item())
        return x, out

    log = check(fn, (Y, 3), (Y, 2))
    assert any("RI0005" in reason for reason in log.reasons)


def test_breaks_with_values_on_the_stack_and_live_closures():
    def fn(x):
        count = 1

        def bump(v):
            nonlocal count
            count += 1
            return v * count

        first = (bump(x), x.sum().item(), bump(x))
        return first, count, bump(x)

    check(fn, (X,), (X,))


def test_breaks_within_try_blocks():
    def fn(x, n):
        y = x + 1
        try:
            if x.sum() > n:
                raise ValueError("too much")
            y = y * 2
        except ValueError as error:
            return str(error), y
        finally:
            y = y + 1
        return y

    check(fn, (X, 0), (X, 100), (X, 0))


def test_exceptions_are_the_programs_own():
    def fn(x, items):
        y = x + 1
        return items[5] + y

    def mismatch(x, y):
        return x.reshape(3, 2) + y

    check(fn, (X, [1, 2]))
    compiled, _ = capture(mismatch)
    with pytest.raises(RuntimeError) as ours:
        compiled(X, Y)
    with pytest.raises(RuntimeError) as theirs:
        mismatch(X, Y)
    assert str(ours.value) == str(theirs.value)


def test_fullgraph_raises_with_the_line():
    def fn(x):
        y = x + 1
        print("x")
        return y

    compiled, _ = capture(fn, fullgraph=True)
    with pytest.raises(RuntimeError, match=r"RI0016") as caught:
        compiled(X)
    assert f"line {fn.__code__.co_firstlineno + 2}, in fn" in str(caught.value)


def test_limit_then_eager():
    def fn(x, text):
        return x + len(text)

    compiled, log = capture(fn, recompile_limit=3)
    for i in range(6):
        torch.testing.assert_close(compiled(X, "a" * i), X + i)
    assert len(log.graphs) == 3


def test_modes_are_guarded():
    def fn(x):
        return x * 2

    compiled, log = capture(fn)
    x = X.clone().requires_grad_()
    assert compiled(x).requires_grad
    with torch.no_grad():
        assert not compiled(x).requires_grad
    assert len(log) == 2


@pytest.mark.parametrize("backend", ["rust_inductor", "aot_eager", "inductor"])
def test_gradients_through_other_backends(backend):
    def fn(x, w):
        return (torch.relu(x @ w.t()) * 2).sum()

    compiled, _ = capture(fn, backend)
    ours, theirs = (torch.nn.Parameter(Y.clone()) for _ in range(2))
    compiled(X, ours).backward()
    fn(X, theirs).backward()
    torch.testing.assert_close(ours.grad, theirs.grad)


def test_views_of_inputs_stay_views():
    def fn(x):
        return x.view(-1), x + 1

    compiled, _ = capture(fn, "rust_inductor")
    x = X.clone()
    view, _ = compiled(x)
    view.zero_()
    assert x.sum() == 0


def test_duplicate_inputs_are_guarded():
    def fn(a, b):
        a.add_(1)
        return a + b

    compiled, log = capture(fn)
    x, y = X.clone(), Y.clone()
    torch.testing.assert_close(compiled(x, x), (X + 1) * 2)
    torch.testing.assert_close(compiled(y, X.clone()), Y + 1 + X)
    assert len(log) == 2


def test_nothing_is_kept_alive():
    def make():
        def fn(x):
            return x + 1

        return fn

    fn = make()
    gone = weakref.ref(fn)
    compiled, log = capture(fn)
    compiled(X)
    del fn, compiled, log
    gc.collect()
    assert gone() is None


def all_variables(x):
    kept = 3
    y = x + 1
    print("a")
    return y, sorted(locals()), "kept" in dir(), sorted(vars()), kept


def evaluated(x):
    kept = 3
    y = x + 1
    print(kept, end="")
    return y + eval("kept")


def attributes(x, thing):
    return x + 1, vars(thing), [name for name in dir(thing) if name == "value"]


class Thing:
    def __init__(self):
        self.value = 1


def test_functions_that_ask_for_their_variables_have_them_all():
    for function, args in ((all_variables, (X,)), (evaluated, (X,)), (attributes, (X, Thing()))):
        log: list[dict[str, Any]] = []
        compiled = _capture.optimize(function, backend="eager", listener=log.append)
        assert repr(compiled(*args)) == repr(function(*args))
        assert bool([event for event in log if "skipped" in event]) == (function is not attributes)


#: Calls that would draw if they were made to learn what they give.
DRAWS: dict[str, Callable[[torch.Tensor], Any]] = {
    "another device": lambda x: torch.randint_like(x, 10, device="cpu"),
    "no tensor": lambda x: x + torch.normal(0.0, 1.0, (3,)),
    "a device, no tensor": lambda x: x + torch.rand(3, device="cpu"),
    "of a tensor": lambda x: (torch.normal(x, 1.0), torch.poisson(x.abs()), torch.bernoulli(x.sigmoid())),
    "in place": lambda x: x.clone().uniform_() + torch.empty(3).exponential_(),
}


@pytest.mark.parametrize("name", DRAWS)
def test_capture_draws_no_random_numbers(name):
    x = torch.randn(4, 3)

    def drawn(function):
        torch.manual_seed(5)
        return function(x), torch.random.get_rng_state()

    expected = drawn(DRAWS[name])
    compiled, _ = capture(DRAWS[name])
    for _ in range(2):
        torch.testing.assert_close(drawn(compiled), expected, rtol=0, atol=0)
