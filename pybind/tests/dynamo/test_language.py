"""Tests of the parts of the language that are traced: each function is one graph, and does what plain Python does."""

from __future__ import annotations

import collections
import copy
import enum
import functools
import itertools
import operator
import sys
import typing
from typing import Any, NamedTuple

import pytest
import torch

from rust_inductor import _capture

Pair = collections.namedtuple("Pair", "a b", defaults=(3,))
calls = 0
gone = 0


class Typed(NamedTuple):
    tensor: torch.Tensor
    scale: int = 2


class Missing(ValueError):
    pass


def scaled(a, b, c=1):
    return a * b + c


def look_up(table, key):
    if key not in table:
        raise Missing("no " + key)
    return table[key]


# Autograd's modes.


def no_grad(x, w):
    with torch.no_grad():
        y = x * w
    return y, y + w, torch.is_grad_enabled()


def set_grad(x, w):
    torch.set_grad_enabled(False)
    y = x * w
    torch.set_grad_enabled(True)
    with torch.set_grad_enabled(False):
        z = y * w
        with torch.enable_grad():
            inside = w * 2
    return y, z, inside


def an_exception_leaves_a_mode(x):
    with torch.no_grad():
        try:
            with torch.enable_grad():
                raise ValueError
        except ValueError:
            y = x * 2
    return y, torch.is_grad_enabled()


def given(x, function):
    return function(x) + 1


def closing_over(value, more):
    def inner(x):
        return x * value + more[0]

    return inner


def rows(x):
    try:
        return x.chunk(2)[0][1]
    finally:
        x = x + 1


# Tuples with names, partials, iterators, sets.


def results(x):
    best = x.max(dim=1)
    values, _ = torch.sort(x, dim=0)
    return best, best.values + values.sum(), torch.topk(x, 2).indices, best[1]


def named_tuples(p, q):
    made = Pair(p.a + 1, b=p.b)
    return made, Typed(q.tensor), made.a, len(made), (*made, 1), Pair(p.a)


def partials(x, given):
    first = functools.partial(scaled, x)
    second = functools.partial(first, c=x)
    total = functools.reduce(lambda a, b: a + b, [x, x, x])
    return first(2), second(3), given(x), total, functools.reduce(scaled, (x, 2))


def iterators(x):
    found = [a * b for a, b in itertools.product([1, 2], [x, x + 1])]
    found.extend(itertools.chain([x], (2 * x,)))
    numbers = [1, 2, 3]
    chosen = list(itertools.combinations(numbers, 2)), list(itertools.permutations(numbers, 2))
    cut = list(itertools.islice(range(10), 2, 7, 2)), list(itertools.accumulate(numbers))
    return found, chosen, cut, list(filter(lambda v: v > 1, numbers)), divmod(7, 2), list(itertools.pairwise("abc"))


def order(x, items):
    items.sort(key=lambda v: -v)
    down = sorted([3, 1, 2], reverse=True)
    items.remove(2)
    items[1:1] = [7, 8]
    return x + down[0], items, max([1, -5, 3], key=abs), min([], default=4)


def sets(x, given):
    a, b = {1, 2, 3}, {2, 5}
    if 3 in given:
        x = x + 1
    given.add(7)
    given.discard(1)
    return x * len(given), a & b, a | b, a - b, a ^ b, 2 in a, a.issubset(b)


def texts(x, items):
    add = items.append
    add(3)
    return x * 2, str(items), f"{items} {x.shape[0]}", repr((1, "a")), ",".join(str(i) for i in items), "".join(["a"])


# Globals and imports.


def globals_(x):
    global calls
    calls = calls + 1
    y = x * calls
    calls += 1
    return y + calls


def imports(x):
    import math

    import torch.nn.functional as functional
    from torch.nn import functional as again

    return functional.relu(x) * math.pi, again.leaky_relu(x)


# Exceptions and patterns.


def caught(x, table):
    try:
        y = table["a"]
    except KeyError:
        y = x
    try:
        z = look_up(table, "b")
    except Missing as error:
        z = x * 2 + len(error.args)
    finally:
        x = x + 1
    return x + y + z


def caught_outside(x):
    try:
        try:
            raise ValueError("q")
        except KeyError:
            return x
    except (TypeError, ValueError):
        x = x * 3
    try:
        v = int("zz")
    except ValueError:
        v = 5
    try:
        [1][3]
    except IndexError:
        x = x + v
    once = iter([1])
    next(once)
    try:
        next(once)
    except StopIteration:
        x = x * 2
    return x


def patterns(x, subject):
    match subject:
        case [a, b]:
            return x + a * b
        case {"k": v, **rest}:
            return x * v + len(rest)
        case _:
            return -x


X = torch.tensor([[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]])
W = torch.full((2, 3), 0.5, requires_grad=True)
WHOLE: list[tuple[Any, tuple[Any, ...]]] = [
    (given, (X, closing_over(X, [2]))),
    (no_grad, (X, W)),
    (set_grad, (X, W)),
    (an_exception_leaves_a_mode, (W,)),
    (results, (X,)),
    (named_tuples, (Pair(X), Typed(X, 5))),
    (partials, (X, functools.partial(scaled, 2, c=3))),
    (iterators, (X,)),
    (order, (X, [1, 2, 3])),
    (sets, (X, {1, 3})),
    (texts, (X, [1])),
    (globals_, (X,)),
    (imports, (X,)),
    (caught, (X, {})),
    (caught, (X, {"a": X, "b": X})),
    (caught_outside, (X,)),
    (patterns, (X, [1, 2])),
    (patterns, (X, {"k": 2, "j": 1})),
]


def seen(value: Any) -> Any:
    """A value as tests compare it: tensors by what can be seen of them."""
    if isinstance(value, torch.Tensor):
        return type(value), value.shape, value.dtype, value.requires_grad, value.tolist()
    if isinstance(value, (list, tuple)):
        return type(value), [seen(item) for item in value]
    if isinstance(value, dict):
        return type(value), [(key, seen(item)) for key, item in value.items()]
    return repr(value)


def outcome(function, args):
    global calls
    calls = 0
    args = tuple(arg if isinstance(arg, torch.Tensor) else copy.deepcopy(arg) for arg in args)
    try:
        result = seen(function(*args))
    except Exception as error:
        result = repr(error)
    return result, [seen(arg) for arg in args], calls, torch.is_grad_enabled()


@pytest.mark.parametrize("backend", ["eager", "rust_inductor"])
@pytest.mark.parametrize(("function", "args"), WHOLE, ids=[function.__name__ for function, _ in WHOLE])
def test_it_is_one_graph(function, args, backend):
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(function, backend=backend, listener=log.append)
    expected = outcome(function, args)
    assert outcome(compiled, args) == expected
    assert len(log) == 1, [event.get("break_reason") or event.get("skipped") for event in log]
    assert log[0]["graph"] is not None
    assert log[0]["break_reason"] is None
    assert outcome(compiled, args) == expected


def test_a_graph_that_fails_leaves_the_mode_as_it_was():
    def gather(x, at):
        with torch.no_grad():
            return torch.index_select(x, 0, at)

    far = torch.tensor([9])
    compiled = _capture.optimize(gather, backend="eager")
    for _ in range(2):
        with pytest.raises(IndexError):
            compiled(X, far)
        assert torch.is_grad_enabled()


def a_break_in_a_mode(x, w):
    with torch.no_grad():
        y = x * w
        print("inside", torch.is_grad_enabled())
        z = y * w
    return y, z + w


def a_partial_over_a_break(x):
    scale = functools.partial(scaled, c=x)
    print("between")
    return scale(x, 2), scale(x, 3, c=1)


def a_break_in_a_try(x):
    try:
        print("here")
        y = x + 1
    except ValueError:
        y = x
    return y * 2


def a_break_in_a_handler(x):
    try:
        x = x + 1
        raise KeyError("k")
    except KeyError:
        y = x * 2
        print("handler")
        return y + 1


def raises(x, n):
    assert n > 1, "small"
    y = x * n
    if n > 5:
        raise ValueError(f"big {n}")
    return y


def deletes_a_global(x):
    global gone
    gone = 2
    y = x * gone
    del gone
    print("gone", "gone" in globals())
    return y


def after_a_handler(x):
    try:
        print("here")
        y = x + int("no")
    except ValueError:
        y = x
    for _ in range(2):
        y = y * 2
    return y


class Notes:
    def __init__(self, log):
        self.log = log

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.log.append(repr(error[1]))
        return True


def unbound_in_a_context(x, log, bind=False):
    if bind:
        late = 1

    def inner():
        return late

    print("before")
    with Notes(log):
        x = x + late
    return x, log


def another_shape(x):
    y = x + 1
    y.unsqueeze_(0)
    z = torch.zeros(3)
    z += x[0, :3]
    return y, z


BROKEN: list[tuple[Any, tuple[Any, ...]]] = [
    (a_break_in_a_mode, (X, W)),
    (rows, (X,)),
    (a_partial_over_a_break, (X,)),
    (a_break_in_a_try, (X,)),
    (a_break_in_a_handler, (X,)),
    (raises, (X, 3)),
    (raises, (X, 1)),
    (raises, (X, 9)),
    (another_shape, (X,)),
    (deletes_a_global, (X,)),
    (after_a_handler, (X,)),
    (unbound_in_a_context, (X, [])),
    (unbound_in_a_context, (X, [], True)),
]


@pytest.mark.parametrize(("function", "args"), BROKEN, ids=[function.__name__ for function, _ in BROKEN])
def test_what_ends_a_graph_goes_on_as_it_would(function, args, capsys):
    expected = outcome(function, args), capsys.readouterr().out
    compiled = _capture.optimize(function, backend="eager")
    for _ in range(3):
        assert (outcome(compiled, args), capsys.readouterr().out) == expected


def test_what_follows_a_handler_is_traced():
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(after_a_handler, backend="eager", listener=log.append)
    compiled(X)
    assert log[-1]["graph"] is not None
    assert log[-1]["break_reason"] is None


def taken_out(rows):
    first = rows[0]
    rows.pop(0)
    first.append(1)
    return rows


def exchanged(given):
    torch._dynamo.graph_break()
    other = [1 for item in given if item is given]
    given, other = other, given
    other += [2]
    return list(given)


@pytest.mark.parametrize(("function", "arg"), [(taken_out, [[1], [2]]), (exchanged, [3, 4])])
def test_changes_do_not_stand_in_each_others_way(function, arg):
    compiled = _capture.optimize(function, backend="eager")
    for _ in range(2):
        ours, theirs = copy.deepcopy(arg), copy.deepcopy(arg)
        kept_ours, kept_theirs = list(ours), list(theirs)
        assert compiled(ours) == function(theirs)
        assert (ours, kept_ours) == (theirs, kept_theirs)


def what_can_be_called(x, thing):
    return x + 1, callable(thing)


class Called:
    def __call__(self):
        return 1


@pytest.mark.parametrize(
    "thing",
    [
        functools.partial(torch.add, other=2),
        torch.sin,
        [].append,
        Called,
        Called(),
        Called().__call__,
        3,
        [1],
        object(),
    ],
)
def test_what_can_be_called(thing):
    x = torch.ones(2)
    assert _capture.optimize(what_can_be_called, backend="eager")(x, thing)[1] == callable(thing)


def asks_of_types(x):
    kinds = torch.is_floating_point(x), torch.is_complex(x), torch.get_default_dtype(), (1 + 2j).imag
    promoted = torch.promote_types(torch.int32, x.dtype), torch.can_cast(torch.float32, torch.int32)
    return typing.cast(torch.Tensor, x) + 1, kinds, promoted, torch.Tensor.add(x, 1), torch.Tensor.sum(x, dim=0)


def test_what_is_asked_of_types_is_known():
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(asks_of_types, backend="eager", listener=log.append)
    for default in (torch.float32, torch.float64):
        torch.set_default_dtype(default)
        try:
            assert repr(compiled(torch.ones(2, 3))) == repr(asks_of_types(torch.ones(2, 3)))
        finally:
            torch.set_default_dtype(torch.float32)
    assert [event.get("break_reason") for event in log] == [None, None]


#: The error that `_replace` of named tuples raises for a name that is no field.
UNEXPECTED_FIELD = ValueError if sys.version_info < (3, 13) else TypeError


def replaced(x):
    pair, typed = Pair(x, b=2), Typed(x)
    try:
        pair._replace(c=1)  # type: ignore[call-arg]
    except UNEXPECTED_FIELD:
        pair = pair._replace(a=pair.a + 1)
    return pair, typed._replace(scale=5, tensor=pair.a * 2), typed, Pair._fields, pair._fields, typed._replace()


def of_records(x):
    typed, pair = Typed(x), Pair._make([1, x])
    return x + 1, typed._asdict(), pair._asdict()["b"], Pair._make(iter((4, 5)))


def formatted(x, text):
    try:
        text.format(1)
    except KeyError:
        text = text.format(1, a="q", b=2.5)
    return x + 1, text, "{0[1]} {1!r} {1:>4}".format((1, 2), "s"), "{n} {n:x}".format(n=x.shape[0])


def hashed(x, text):
    return x + hash(x.shape[0]), hash(text) == hash("a{}"[:1]), hash((1, text)) == hash((1, text)), {hash(2.0), hash(2)}


@pytest.mark.parametrize(
    ("function", "args"),
    [(of_records, ()), (formatted, ("{} {a} {b:.2f}",)), (formatted, ("{}",)), (hashed, ("a",))],
)
def test_records_texts_and_hashes_are_known(function, args):
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(function, backend="eager", listener=log.append)
    for _ in range(2):
        assert repr(compiled(torch.ones(2), *args)) == repr(function(torch.ones(2), *args))
    assert [event.get("break_reason") for event in log] == [None]


def lists_in_texts(x, items):
    found = "{}".format(items), "a".join(["b", "c"])  # noqa: UP032
    try:
        return x + 1, found, "b".startswith(items)
    except TypeError as error:
        return x + 1, found, str(error)


def test_only_join_takes_lists_for_tuples():
    compiled = _capture.optimize(lists_in_texts, backend="eager")
    assert repr(compiled(torch.ones(2), ["b"])) == repr(lists_in_texts(torch.ones(2), ["b"]))


def getters_made(x, notes):
    table = [("b", 1), ("a", 2)]
    by_second = operator.itemgetter(1)
    many = operator.itemgetter(0, slice(1, None))("abc"), operator.attrgetter("shape", "dtype.itemsize")(x)
    called = operator.methodcaller("sum", 0, keepdim=True)(x), operator.methodcaller("append", 3)(notes)
    return sorted(table, key=by_second), max(table, key=operator.itemgetter(0)), many, called, callable(by_second)


def getters_across_a_break(x, notes):
    get, method = operator.itemgetter(0, "q"), operator.methodcaller("sum", 0)
    torch._dynamo.graph_break()
    return operator.itemgetter(0)([x]) + 1, method(x), get({0: 1, "q": 2}), isinstance(method, operator.methodcaller)


def getter_given(x, get):
    return x + 1, get([x, (x, 2), 3])


def method_given(x, method):
    return method(x)


def test_getters_are_traced():
    log: list[dict[str, Any]] = []
    for function in (getters_made, getters_across_a_break):
        compiled = _capture.optimize(function, backend="eager", listener=log.append)
        for _ in range(2):
            ours, theirs = [1], [1]
            x = torch.ones(2, 3)
            assert repr((compiled(x, ours), ours)) == repr((function(x, theirs), theirs))
    assert [bool(event.get("break_reason")) for event in log] == [False, True, False]


def test_getters_that_are_given_are_guarded_by_what_they_get():
    log: list[dict[str, Any]] = []
    given = _capture.optimize(getter_given, backend="eager", listener=log.append)
    gets = [operator.itemgetter(i) for i in (0, 0, 2)] + [operator.itemgetter(1, 0), operator.itemgetter(slice(2))]
    for get in gets:
        assert repr(given(torch.ones(2), get)) == repr(getter_given(torch.ones(2), get))
    assert [event.get("break_reason") for event in log] == [None] * 4
    called = _capture.optimize(method_given, backend="eager")
    methods: list[Any] = [operator.methodcaller("sum", i) for i in (0, 1, 1)] + [operator.methodcaller("sum", dim=1)]
    for method in [*methods, operator.attrgetter("shape"), operator.attrgetter("T.shape")]:
        assert repr(called(torch.ones(2, 3), method)) == repr(method(torch.ones(2, 3)))


def of_tensors(x, w):
    y = x + w
    layouts = x.layout, y.layout is torch.strided, x.layout == torch.sparse_coo, y.layout == w.layout
    absent = getattr(x, "absent", 5), hasattr(w, "absent"), getattr(y, "absent", None), hasattr(y, "absent")
    sizes = x.storage_offset(), w.storage_offset(), x.itemsize, y.nbytes
    return y, layouts, absent, sizes, hasattr(x, "sum"), hasattr(y, "grad"), getattr(x, "noted", 0)


def test_attributes_of_tensors_are_known():
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(of_tensors, backend="eager", listener=log.append)
    noted, absent = torch.ones(2, 3), torch.ones(2, 3)
    noted.noted, absent.absent = 3, 1  # type: ignore[attr-defined]
    plain, later = torch.ones(2, 3), torch.ones(3, 3)[1:]
    counts = []
    for args in (
        (plain, plain + 1),
        (plain, later),
        (later, plain),
        (noted, plain),
        (plain, absent),
        (plain, plain + 2),
    ):
        assert repr(compiled(*args)) == repr(of_tensors(*args))
        counts.append(len(log))
    # An attribute of an input may be one of what is computed, and so the fifth call ends its graph.
    assert counts[:4] == [1, 2, 3, 4]
    assert [event.get("break_reason") for event in log[:4]] == [None] * 4


def layout_given(x, layout):
    return x + 1 if x.layout == layout else x - 1


def test_layouts_that_are_given_are_guarded():
    compiled = _capture.optimize(layout_given, backend="eager")
    for layout in (torch.strided, torch.sparse_coo, torch.strided):
        assert torch.equal(compiled(torch.ones(2), layout), layout_given(torch.ones(2), layout))


def adder(by, notes, *, scale=2):
    def add(x, more=by, *, times=1):
        notes.append(by)
        return (x + more) * scale * times

    return add


def closures_across_a_break(x, notes):
    one, other = adder(1, notes), adder(x, notes, scale=3)
    y = one(x)
    torch._dynamo.graph_break()
    return other(y), one(y, times=2), one.__name__, one is other


def closures_that_escape(x, notes):
    notes.append(adder(5, notes))
    return x + 1, adder(x, notes), functools.partial(adder(2, notes), x)


def test_functions_that_calls_have_made_survive():
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(closures_across_a_break, backend="eager", listener=log.append)
    for _ in range(2):
        ours: list[Any] = []
        theirs: list[Any] = []
        x = torch.ones(2)
        assert repr((compiled(x, ours), ours)) == repr((closures_across_a_break(x, theirs), theirs))
    assert [bool(event.get("break_reason")) for event in log] == [True, False]
    log.clear()
    compiled = _capture.optimize(closures_that_escape, backend="eager", listener=log.append)
    for _ in range(2):
        notes: list[Any] = []
        y, add, partial = compiled(x, notes)
        kept = notes[0]
        results = (
            y,
            add(x),
            partial(),
            kept(x, times=3),
            kept.__qualname__,
            kept.__module__,
            kept.__globals__ is globals(),
        )
        assert repr(results[:4]) == repr((x + 1, (x + x) * 2, (x + 2) * 2, (x + 5) * 6))
        assert results[4:] == ("adder.<locals>.add", __name__, True)
        assert repr(notes[1:]) == repr([x, 2, 5])
    assert [event.get("break_reason") for event in log] == [None]


class Mode(enum.Enum):
    FAST = 1
    EXACT = "e"


class Number(enum.IntEnum):
    ONE = 1


def enumerated(x, mode):
    same = mode is Mode.FAST, mode == Mode.FAST, mode != Mode.EXACT, mode == 1, Mode.FAST in (mode, Mode.EXACT)
    return x * Mode.FAST.value if mode is Mode.FAST else x - 1, same, mode.name, Mode.EXACT.value, Number.ONE.value


def test_enumerations_are_known():
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(enumerated, backend="eager", listener=log.append)
    for mode in (Mode.FAST, Mode.FAST, Mode.EXACT, Mode.FAST, Number.ONE):
        assert repr(compiled(torch.ones(2), mode)) == repr(enumerated(torch.ones(2), mode))
    assert [event.get("break_reason") for event in log[:2]] == [None, None]


class Format(str, enum.Enum):  # noqa: UP042
    ROWS = "rows"
    COLUMNS = "columns"


def compared_by_value(x, number, form):
    table = {1: "one", Number.ONE: "one again", "rows": 2}
    one, rows = (1, "rows") if isinstance(x, torch.Tensor) else (x, x)
    of_numbers = number == 1, one == number, number < 2, number + 1, 3 - number, number != Number.ONE, bool(number)
    of_texts = form == "rows", rows == form, form == Format.ROWS, form != "columns", form in ("rows", 1), form == 1
    parts = form.upper(), len(form), form[0], "ow" in form, form.value, form.name, list(table), table[number]
    return x * number + [4.0, 5.0][number], of_numbers, of_texts, parts


def test_members_that_are_equal_to_their_values():
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(compared_by_value, backend="eager", listener=log.append)
    for form in (Format.ROWS, Format.ROWS, Format.COLUMNS):
        for number in (Number.ONE, 1):
            expected = compared_by_value(torch.ones(2), number, form)
            assert repr(compiled(torch.ones(2), number, form)) == repr(expected)
    assert {event.get("break_reason") for event in log} == {None}


def named_otherwise(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args) + 1

    return wrapper


@named_otherwise
def one_name(x):
    return x * 2


def names_of(x, function):
    return function(x), function.__name__, function.__qualname__, function.__wrapped__(x), hasattr(function, "cache")


def test_functions_have_the_names_that_they_were_given():
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(names_of, backend="eager", listener=log.append)
    other = named_otherwise(one_name.__wrapped__)
    other.__name__ = "another_name"
    for function in (one_name, other, one_name):
        assert repr(compiled(torch.ones(2), function)) == repr(names_of(torch.ones(2), function))
    # What is only given back is read again.
    assert [event.get("break_reason") for event in log] == [None]


class Handmade(tuple[Any, ...]):
    _fields = ("a",)

    def _replace(self, **_):
        return 5


def handmade(x, thing):
    return x + 1, thing._replace(a=1)


def test_items_of_named_tuples_are_replaced():
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(replaced, backend="eager", listener=log.append)
    for _ in range(2):
        assert repr(compiled(torch.ones(2))) == repr(replaced(torch.ones(2)))
    assert [event.get("break_reason") for event in log] == [None]
    compiled = _capture.optimize(handmade, backend="eager")
    assert compiled(torch.ones(2), Handmade([1]))[1] == 5
