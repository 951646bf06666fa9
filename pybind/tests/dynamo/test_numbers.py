"""Symbolic floats, integers and bools: results equal plain Python's, and there are no more graphs than torch makes."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

import pytest
import torch

from rust_inductor import _capture

X = torch.tensor([[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]])
INTS = (2, 4, 6, 9, 3)
FLOATS = (0.5, 1.5, 2.5, 3.5, 1.0)
NOTHING: tuple[Any, Any] = ("a", [2])

#: Each function of an integer, and how many graphs the values of ``INTS`` take.
OF_INTS: dict[str, tuple[Callable[[int], Any], int]] = {
    "arithmetic": (lambda n: (n + 1, n - 7, 3 * n, -n, +n, abs(-n)), 2),
    "division": (lambda n: (n // 2, n % 3, divmod(n, 3), n / 2, 1 / n, n / (n + 1)), 2),
    "powers": (lambda n: (n**2, pow(n, 3), (n / 2) ** 2), 2),
    "bits": (lambda n: (n & 6, n | 1, n ^ 3, n << 1, n >> 1, ~n, 5 & n), 2),
    "least": (lambda n: (min(n, 3), max(n, 4), min(n, 5, n + 1), sum([n, n, 1])), 2),
    "comparisons": (lambda n: (n < 3, n == 4, n != 9, n >= n - 1), 2),
    "logic": (lambda n: (not n > 3, (n > 3) & (n < 7), (n > 3) | (n == 2), bool(n), not n), 2),
    "bool to int": (lambda n: int(n > 3), 2),
    "to float": (lambda n: (float(n), float(n) * 0.5, n * 0.25, n + 0.5), 2),
    "functions": (lambda n: (math.sqrt(n), math.sin(n), math.exp(n / 8), math.atan(n)), 2),
    "rounding": (lambda n: (int(n * 0.5), math.floor(n / 2), math.ceil(n / 4), round(n), int(n)), 2),
    "types": (lambda n: (isinstance(n, int), isinstance(n / 2, float), isinstance(n > 1, bool), type(n / 2)), 2),
    "text": (lambda n: f"{n} {n / 2:.1f} {n > 3}", 5),
    "a key": (lambda n: {2: "a", 4: "b"}.get(n), 5),
    "no number": (lambda n: (n == NOTHING[0], n is None, n == NOTHING[1]), 2),
}

#: Each function of a float, and how many graphs the values of ``FLOATS`` take.
OF_FLOATS: dict[str, tuple[Callable[[float], Any], int]] = {
    "arithmetic": (lambda f: (f + 1, f - 2.0, 3 * f, -f, +f, abs(f - 2), 1 / f, f / 3), 2),
    "powers": (lambda f: (f**2, f**0.5, 2.0**f, f**-1, pow(f, 3)), 2),
    "functions": (lambda f: (math.sqrt(f), math.exp(f), math.log(f), math.cos(f), math.tanh(f), math.fabs(-f)), 2),
    "least": (lambda f: (min(f, 2.0), max(f, 2.0, f + 1)), 2),
    "comparisons": (lambda f: (f < 2, f == 1.5, f >= 0, not f, bool(f)), 2),
    "types": (lambda f: (isinstance(f, float), type(f), float(f)), 2),
    "text": (lambda f: f"{f:.2f}", 5),
    "rounding": (lambda f: (int(f), round(f), math.floor(f), math.ceil(-f), math.trunc(f * 1.7), round(f, None)), 2),
    "methods": (lambda f: (f.__int__(), f.__floor__(), f.__ceil__(), f.__trunc__(), f.__round__()), 2),
    "decimals": (lambda f: (round(f / 3, 2), round(f / 7, 0), f.__round__(1)), 2),
    "integers of floats": (lambda f: (int(f) + 2 * int(f), int(f) // 2, int(f * 4) % 3, float(int(f)) * 0.5), 2),
    "remainders": (lambda f: (f // 1, f % 1, f // -0.3, -f % 0.7), 2),
    # From 3.12 on, Python adds floats with less rounding: it has to do so itself.
    "sums": (
        lambda f: (sum([0.1] * 9, f), sum([f, 1e100, 1.0, -1e100]), sum([1, 2, f / 10, 0.2, 3])),
        2 if sys.version_info < (3, 12) else len(FLOATS),
    ),
    "tens": (lambda f: (round(f * 33, -1), round(f, -2), (f * 1e3).__round__(-3)), 2),
}


def graphs_and_results(function: Callable[..., Any], calls: list[tuple[Any, ...]], **options: Any) -> tuple[int, Any]:
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(function, listener=log.append, **options)
    results = [compiled(*call) for call in calls]
    assert [event.get("break_reason") or event.get("skipped") for event in log] == [None] * len(log)
    return len(log), results


def same(a: Any, b: Any) -> bool:
    if isinstance(a, torch.Tensor):
        torch.testing.assert_close(a, b, equal_nan=True)
        return True
    if isinstance(a, (tuple, list)):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and (a == b or a != a)


def summed(x, n):
    tenths = [0.1] * 10 + [True]
    return sum(tenths), sum([*tenths, x, *tenths]), sum([n, n, 0.1, 0.2, 0.3]), sum([x, 0.1, 0.2], n), sum((), 0.5)


def summed_texts(x, n):
    try:
        return sum(["a", "b"], "") + str(n)
    except TypeError:
        return x + n


def test_sums_are_what_python_computes():
    calls = [(X, value) for value in INTS]
    _, results = graphs_and_results(summed, calls, backend="eager")
    assert all(map(same, results, [summed(*call) for call in calls]))
    assert same(_capture.optimize(summed_texts, backend="eager")(X, 2), summed_texts(X, 2))


CASES: list[tuple[Any, ...]] = [(name, *case, INTS) for name, case in OF_INTS.items()]
CASES += [(f"{name} of floats", *case, FLOATS) for name, case in OF_FLOATS.items()]


@pytest.mark.parametrize("backend", ["eager", "rust_inductor"])
@pytest.mark.parametrize(("function", "most", "values"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_numbers_are_what_python_computes(function, most, values, backend):
    def program(x, n):
        return x + 1, function(n)

    calls = [(X, value) for value in values]
    count, results = graphs_and_results(program, calls, backend=backend)
    assert all(map(same, results, [program(*call) for call in calls]))
    assert count <= most


def scaled(x, f):
    return x * f + f / 2


def scaled_by_a_size(x, _):
    return x * (x.shape[0] / 2), x / math.sqrt(x.shape[0]), int(x.shape[0] * 0.5)


def compared(x, f):
    return (x > f) & (x * 2 <= f * 3), f - x, f / x, x**2


def in_place(x, f):
    y = x.clone()
    y *= f
    y.add_(f)
    return y


def whole_numbers(x, f):
    return x.to(torch.int64) * f, (x > 0) * f, x.bfloat16() * f, x[0, 0] * f, x.double() + f


ON_TENSORS = [scaled, scaled_by_a_size, compared, in_place, whole_numbers]


@pytest.mark.parametrize("backend", ["eager", "rust_inductor", "aot_eager"])
@pytest.mark.parametrize("function", ON_TENSORS, ids=[function.__name__ for function in ON_TENSORS])
def test_a_float_that_changes_is_compiled_once_more(function, backend):
    calls = [(torch.randn(n, 3), value) for n, value in zip((4, 5, 6, 7, 9), FLOATS)]
    count, results = graphs_and_results(function, calls, backend=backend)
    assert all(map(same, results, [function(*call) for call in calls]))
    # AOTAutograd takes floats as constants that it cannot compute as tensors.
    assert count == 2 or (backend == "aot_eager" and function is compared)


class Held:
    value = 1.5


HELD = Held()


def with_default(x, factor=1.5):
    return x * factor


def of_a_default(x):
    return with_default(x)


def of_a_global(x):
    return x * HELD.value


@pytest.mark.parametrize("function", [of_a_global, of_a_default])
def test_a_float_that_is_no_argument_is_a_symbol_once_it_has_changed(function, monkeypatch):
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(function, backend="eager", listener=log.append)
    for value in FLOATS:
        monkeypatch.setattr(HELD, "value", value)
        monkeypatch.setattr(with_default, "__defaults__", (value,))
        assert same(compiled(X), function(X))
    assert len(log) == 2


@pytest.mark.parametrize("backend", ["eager", "rust_inductor"])
def test_what_is_not_finite_and_zero(backend):
    values = [1.5, 2.5, float("inf"), float("nan"), -0.0, 0.0, 1.0]
    count, results = graphs_and_results(scaled, [(X, value) for value in values], backend=backend)
    assert all(map(same, results, [scaled(X, value) for value in values]))
    assert count <= 3


def inverse(x, f):
    try:
        return x + 1 / f
    except ZeroDivisionError:
        return x - 1


def root(x, f):
    return x, f**0.5


@pytest.mark.parametrize("function", [inverse, root])
def test_where_python_raises_or_gives_another_kind_of_number_there_is_a_guard(function):
    compiled = _capture.optimize(function, backend="eager")
    for value in (1.5, 2.5, 4.0, 0.0, -1.0, 3.0):
        assert same(compiled(X, value), function(X, value))


def filled(x, f):
    return x + torch.full((3,), f), torch.nn.functional.softplus(x, beta=f), torch.arange(0, f)


@pytest.mark.parametrize("backend", ["eager", "rust_inductor", "aot_eager"])
def test_a_float_that_is_more_than_a_factor(backend):
    calls = [(X, value) for value in FLOATS]
    _, results = graphs_and_results(filled, calls, backend=backend)
    assert all(map(same, results, [filled(*call) for call in calls]))


@pytest.mark.parametrize("backend", ["rust_inductor", "aot_eager"])
@pytest.mark.parametrize("values", [INTS, FLOATS], ids=["ints", "floats"])
def test_gradients_with_symbols(backend, values):
    def loss(x, w, n):
        return ((x @ w) * n).sum() * x.shape[0]

    log: list[Any] = []
    compiled = _capture.optimize(loss, backend=backend, listener=log.append)
    w = torch.ones(3, 2, requires_grad=True)
    for rows, value in zip((4, 5, 6, 7, 9), values):
        x = torch.randn(rows, 3)
        gradients = [torch.autograd.grad(function(x, w, value), w)[0] for function in (compiled, loss)]
        torch.testing.assert_close(*gradients)
    assert len(log) <= 3


def test_guards_on_floats_are_printed_as_torch_prints_them():
    def program(x, f):
        return x + f if f > 1.5 else x - f

    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(program, backend="eager", listener=log.append)
    for value in (0.5, 2.0, 3.0, 1.0):
        same(compiled(X, value), program(X, value))
    texts = [text for event in log for text in event["guards"] if "L['f']" in text]
    assert any("L['f'] > 1.5" in text or "1.5 < L['f']" in text for text in texts), texts
    assert len(log) == 3


def test_the_graph_takes_a_float_as_torch_gives_it():
    taken = []

    def backend(gm, inputs):
        taken.append(([node.name for node in gm.graph.nodes], inputs))
        return gm.forward

    compiled = _capture.optimize(scaled, backend=backend)
    for value in (0.5, 1.5):
        compiled(X, value)
    names, inputs = taken[-1]
    assert names[:3] == ["l_x_", "l_f_", "item"]
    assert inputs[1].dtype is torch.float64
    assert inputs[1].dim() == 0


#: Calls of torch that take a float, of which the graph takes it as an input.
TAKERS = {
    "add with alpha": lambda x, f: torch.add(x, x * 2, alpha=f),
    "add": lambda x, f: x.add(f, alpha=2),
    "sub with alpha": lambda x, f: x.sub(x * 2, alpha=f),
    "addcmul": lambda x, f: torch.addcmul(x, x, x * 3, value=f),
    "addcdiv": lambda x, f: torch.addcdiv(x, x, x + 9, value=f),
    "clamp": lambda x, f: torch.clamp(x, -f, f),
    "clamp from below": lambda x, f: x.clamp(min=f),
    "clamp of both kinds": lambda x, f: x.clamp(-1, max=f),
    "clip": lambda x, f: torch.clip(x, max=f),
    "clamp_max": lambda x, f: x.clamp_max(f),
    "div": lambda x, f: torch.div(x, f, rounding_mode="floor"),
    "floor division": lambda x, f: x // f,
    "remainder": lambda x, f: (x % f, f % (x * x + 1)),
    "full": lambda x, f: torch.full((x.shape[0], 2), f) + x[:, None],
    "fill": lambda x, f: x.clone().fill_(f),
    "leaky_relu": lambda x, f: torch.nn.functional.leaky_relu(x, f),
    "lerp": lambda x, f: torch.lerp(x, x * x, f),
    "masked_fill": lambda x, f: x.masked_fill(x > 1, f),
    "rsub": lambda x, f: torch.rsub(x, f),
    "tensor": lambda x, f: torch.tensor(f) + x,
    "where": lambda x, f: (torch.where(x > 1, f, x), torch.where(x > 1, x, -f), torch.where(x > 1, f, 2.0)),
    "halves": lambda x, f: (x.bfloat16().clamp(max=f), x.bfloat16() * f, x.bfloat16().masked_fill(x > 1, f)),
    "integers": lambda x, f: (x.long() * f, x.long().clamp(max=f), torch.where(x > 1, f, x.long())),
    "floor division of numbers": lambda x, f: x + f // 0.7 + 7 // f,
    "remainder of numbers": lambda x, f: x + f % 0.7 + (-7) % f,
    "divmod": lambda x, f: x + divmod(f, 0.7)[0] - divmod(-7, f)[1],
}


@pytest.mark.parametrize("backend", ["eager", "rust_inductor"])
@pytest.mark.parametrize("name", TAKERS)
def test_floats_stay_symbols(name, backend):
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(TAKERS[name], backend=backend, listener=log.append)
    x = torch.tensor([-3.0, -0.5, 0.0, 0.5, 1.5, 2.5])
    for f in (3.25, 1.5, 0.5, -0.5, 4.5):
        torch.testing.assert_close(compiled(x, f), TAKERS[name](x, f))
    assert len([event for event in log if "graph" in event]) == 2


#: torch knows no gradients of some, and the others are of no type that has any.
NOT_DIFFERENTIATED = ("halves", "integers", "fill", "floor division", "remainder")


@pytest.mark.parametrize("name", [name for name in TAKERS if name not in NOT_DIFFERENTIATED])
def test_gradients_of_what_takes_floats(name):
    compiled = _capture.optimize(TAKERS[name], backend="rust_inductor")
    for f in (3.25, 1.5, 0.5):
        gradients = []
        for function in (compiled, TAKERS[name]):
            x = torch.tensor([-3.0, -0.5, 0.0, 0.5, 1.5, 2.5], requires_grad=True)
            found = function(x, f)
            for result in found if isinstance(found, tuple) else (found,):
                if result.requires_grad:
                    result.sum().backward(retain_graph=True)
            gradients.append(x.grad)
        torch.testing.assert_close(*gradients)


def of_a_size(x, _):
    part = int(x.shape[0] * 0.7)
    return torch.zeros(part), x[:part] * 2, x.sum() + round(x.shape[0] / 3), x.new_ones(math.ceil(x.shape[0] ** 0.5))


def of_a_float(x, f):
    return torch.ones(int(f) + 1) * x.sum(), x.repeat(round(f) + 1, 1), torch.arange(math.ceil(f * 2)) + 1


def of_both(x, f):
    part = int(x.shape[0] * f / 8)
    return x[:part].sum(0), torch.zeros(math.floor(f), part + 1).t() + x[0, 0]


#: Each with the backends for which a float may not be a constant: AOTAutograd's are compiled for its value.
SIZES = [(of_a_size, {"eager", "aot_eager", "rust_inductor"}), (of_a_float, {"eager"}), (of_both, {"eager"})]


@pytest.mark.parametrize("backend", ["eager", "rust_inductor", "aot_eager"])
@pytest.mark.parametrize(("function", "once"), SIZES, ids=[function.__name__ for function, _ in SIZES])
def test_sizes_that_are_rounded_floats(function, once, backend):
    calls = [(torch.randn(n, 3), value) for n, value in zip((10, 12, 17, 11, 23, 10), (3.7, 4.2, 5.9, 2.5, 3.5, 3.7))]
    count, results = graphs_and_results(function, calls, backend=backend, dynamic=True)
    assert all(map(same, results, [function(*call) for call in calls]))
    assert count == 1 or backend not in once


def test_a_float_that_is_no_size():
    def function(x, f):
        return x + torch.zeros(int(f)).sum()

    compiled = _capture.optimize(function, backend="eager", dynamic=True)
    assert same(compiled(X, 2.5), X)
    for value, error in [(-3.5, RuntimeError), (math.nan, ValueError), (math.inf, OverflowError), (1e300, TypeError)]:
        with pytest.raises(error):
            function(X, value)
        with pytest.raises(error):
            compiled(X, value)
    assert same(compiled(X, 0.5), X)


def test_an_attribute_that_is_read_twice_is_one_input():
    class Counter(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.count = 0
            self.scale = 0.5

        def forward(self, x):
            x = x * self.count + self.count - self.scale * self.scale
            self.count += 1
            self.scale += 0.25
            return x

    ours, plain = Counter(), Counter()
    compiled = _capture.optimize(ours, backend="eager")
    for _ in range(5):
        assert torch.equal(compiled(torch.ones(3)), plain(torch.ones(3)))
    assert (ours.count, ours.scale) == (plain.count, plain.scale)
