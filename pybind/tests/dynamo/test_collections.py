"""`OrderedDict`, `defaultdict`, `Counter` and `deque`: one graph, what Python gives, and what it leaves behind."""

# The functions are written as programs are, not as they should be.
# mypy: disable-error-code="arg-type, attr-defined, comparison-overlap, func-returns-value, index, misc, var-annotated"

from __future__ import annotations

import collections
import copy
import typing
from collections import Counter, OrderedDict, defaultdict, deque
from typing import Any

import pytest
import torch

from rust_inductor import _capture

X = torch.arange(6.0).reshape(2, 3)


def ordered_given(x, table):
    table.move_to_end("a")
    table["c"] = x * table["b"]
    first = table.popitem(last=False)
    kinds = type(table), isinstance(table, dict), isinstance(table, OrderedDict)
    return x + 1, first, list(table), list(reversed(table)), kinds, table.get("z"), len(table), table


def ordered_made(x, _):
    table = OrderedDict([("a", 1), ("b", x)], c=3)
    table.move_to_end("a", last=False)
    table.move_to_end("b")
    equal = table == dict(table), OrderedDict(a=1, b=2) == OrderedDict(b=2, a=1), OrderedDict(a=1) == {"a": 1}
    try:
        table.move_to_end("q")
    except KeyError:
        table["q"] = table.copy()
    empty, keys = OrderedDict(), OrderedDict.fromkeys("xy", 5)
    return (
        x + 1,
        table,
        table.popitem(),
        equal,
        empty,
        keys,
        keys | {"z": 1},
        {"z": 1} | keys,
        dict(keys),
        [*keys.items()],
    )


def default_given(x, table):
    table["a"].append(x)
    table["b"].append(2)
    some = table["c"], "z" in table, table.get("z"), len(table)
    table.setdefault("d", [5]).append(6)
    return x + 1, some, table, table.default_factory is list, sorted(table.items())[0]


def default_made(x, _):
    made = []

    def make():
        made.append(len(made))
        return x * len(made)

    table, counts, nested = defaultdict(make, z=1), defaultdict(int), defaultdict(lambda: defaultdict(list))
    counts["a"] += 1
    counts["a"] += 1
    nested["a"]["b"].append(x)
    nothing = defaultdict()
    try:
        nothing["a"]
    except KeyError:
        nothing["a"] = 1
    return (
        table[1] + table[2] + table[1],
        made,
        table,
        dict(counts),
        nested["a"],
        nothing,
        counts | {"q": 2},
        counts.copy(),
    )


def counted(x, counter):
    counter["z"] += 1
    letters = Counter("abracadabra")
    letters.update("zz", b=2)
    letters.subtract({"a": 1})
    del letters["not there"]
    best = letters.most_common(2), letters.most_common(), letters["nothing"], "nothing" in letters, letters.total()
    empty = Counter(), Counter(None), Counter({"a": x.shape[0]}), Counter(a=2), Counter([1, 1]) == Counter({1: 2})
    return x + counter["a"], counter.most_common(1), letters, best, empty, letters.copy(), isinstance(counter, dict)


def operators_of_counters(x, letters):
    other = Counter("bbc")
    other["z"] = -1
    combined = letters + other, letters - other, letters | other, letters & other, +other, -other
    compared = (
        letters == other,
        letters != other,
        letters <= letters + other,
        other > letters,
        letters == Counter("aab"),
    )
    changed = same = letters.copy()
    changed -= other
    changed |= other
    changed &= Counter(a=1, b=1)
    changed += other
    zero = Counter(a=0) == Counter(), Counter(b=0) <= Counter(), list((letters + other).elements())
    letters += other
    return x + len(combined[0]), combined, compared, changed, changed is same, zero, letters


def deque_given(x, queue):
    queue.append(x)
    queue.appendleft(5)
    ends = queue.pop(), queue.popleft()
    queue.extend([7, 8])
    queue.extendleft([9, 10])
    queue.rotate(-1)
    queue[0] = x * 2
    queue += [11]
    del queue[1]
    return x + 1, ends, list(queue), queue.maxlen, queue[1], queue[-1], len(queue), bool(queue)


def deque_made(x, _):
    some, short = deque([1, 2, 3]), deque("abcdef", maxlen=3)
    short.appendleft("z")
    short.append("y")
    some.remove(1)
    some.insert(7, 1)
    some.rotate(1)
    some.reverse()
    empty = deque()
    try:
        empty.popleft()
    except IndexError:
        empty.append(0)
    total = [item for item in some if isinstance(item, int)]
    asked = (
        3 in short,
        some.count(2),
        some.index(3),
        some.append(x),
        short == deque("zde", maxlen=5),
        short != deque(["q"]),
    )
    return (
        x + 1,
        some,
        short,
        empty,
        total,
        asked,
        short.copy(),
        list(reversed(some)),
        isinstance(some, deque),
        type(some),
    )


def searched(x, graph):
    """Breadth first, as programs have it."""
    seen, waiting, depths = {"a"}, deque([("a", 0)]), defaultdict(list)
    while waiting:
        node, depth = waiting.popleft()
        depths[depth].append(node)
        for other in graph[node]:
            if other not in seen:
                seen.add(other)
                waiting.append((other, depth + 1))
    return x * len(depths), depths, sorted(seen)


GRAPH = {"a": ["b", "c"], "b": ["d"], "c": ["d"], "d": []}
WHOLE: list[tuple[Any, Any]] = [
    (ordered_given, OrderedDict(a=1, b=2)),
    (ordered_made, None),
    (default_given, defaultdict(list, a=[1])),
    (default_made, None),
    (counted, Counter("aab")),
    (operators_of_counters, Counter("aab")),
    (deque_given, deque([1, 2, 3], maxlen=4)),
    (deque_given, deque([1, 2, 3])),
    (deque_made, None),
    (searched, GRAPH),
]


def across_a_break(x, given):
    table, queue, counts = OrderedDict(b=1, a=x), deque([1, x], maxlen=2), Counter("ab")
    made = defaultdict(lambda: x + 1)
    itself = deque([1])
    itself.append(itself)
    iterator = iter(deque([1, 2, 3]))
    first, one = next(iterator), made["one"]
    table.move_to_end("b")
    given.append(2)
    torch._dynamo.graph_break()
    table["c"] = 3
    queue.append(5)
    counts["a"] += 1
    kept = itself[1] is itself
    return x + 1, table, queue, counts, made["two"], made["one"] is one, kept, first, list(iterator), given


def changed_within_a_loop(x, given):
    for item in given:
        given.append(item)
    return x


def moved_within_a_loop(x, given):
    found = []
    for key in given:
        found.append(key)
        given.move_to_end("a")
    return x, found


def printed(x, given):
    return x + 1, str(given), f"{given}", repr(given)


ALL = [
    *WHOLE,
    (across_a_break, deque([1], maxlen=1)),
    (changed_within_a_loop, deque([1, 2])),
    (moved_within_a_loop, OrderedDict(a=1, b=2)),
    (printed, OrderedDict(a=1)),
    (printed, deque([1])),
    (printed, Counter("ab")),
]


def seen(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.tolist()
    if isinstance(value, list | tuple | deque):
        if value and value[-1] is value:
            return "itself"
        return type(value), [seen(item) for item in value], getattr(value, "maxlen", None)
    if isinstance(value, dict):
        return type(value), [(key, seen(item)) for key, item in value.items()]
    return repr(value)


def outcome(function, given) -> Any:
    given = copy.deepcopy(given)
    try:
        result = function(X, given)
    except RuntimeError as error:
        result = repr(error)
    return seen(result), seen(given)


@pytest.mark.parametrize("backend", ["eager", "rust_inductor"])
@pytest.mark.parametrize(("function", "given"), ALL, ids=lambda it: getattr(it, "__name__", type(it).__name__))
def test_they_are_what_they_are_in_python(function, given, backend):
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(function, backend=backend, listener=log.append)
    for _ in range(2):
        assert outcome(compiled, given) == outcome(function, given)
    if any(function is whole for whole, _ in WHOLE):
        assert [event.get("break_reason") or event.get("skipped") for event in log] == [None]


def in_order(x, table):
    for n, value in enumerate(table.values()):
        x = x * value + n
    return x


def at_a_key(x, table):
    return x * table["a"]


def at_a_place(x, queue):
    return x * queue[0] + (queue.maxlen or 0)


def test_what_is_read_is_guarded():
    log: list[dict[str, Any]] = []
    one, moved = OrderedDict(a=2.0, b=3.0), OrderedDict(b=3.0, a=2.0)
    other = OrderedDict(b=3.0, a=2.0)
    # Equal to the first in all but its history: the dict below it has the other order.
    other.move_to_end("b")
    compiled = _capture.optimize(in_order, backend="eager", listener=log.append)
    counts = []
    for table in (one, other, moved, one, dict(one), Counter(a=2, b=3), defaultdict(None, one)):
        assert torch.equal(compiled(X, table), in_order(X, table))
        counts.append(len(log))
    assert counts == [1, 1, 2, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("function", "calls", "traced"),
    [
        (at_a_key, [OrderedDict(a=1.0), OrderedDict(b=1, a=1.0), {"a": 1.0}, OrderedDict(a=2.0)], [1, 1, 2, 3]),
        (at_a_key, [defaultdict(int), defaultdict(int, b=1), defaultdict(int, a=1), defaultdict(float)], [1, 2, 3, 4]),
        (at_a_key, [Counter(), Counter("b"), Counter("a")], [1, 1, 2]),
        (at_a_place, [deque([1.0]), deque([1.0]), deque([1.0], 5), deque([1.0, 2.0]), deque([2.0])], [1, 1, 2, 3, 4]),
    ],
)
def test_what_is_not_read_is_not_guarded(function, calls, traced):
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(function, backend="eager", dynamic=False, listener=log.append)
    counts = []
    for given in calls:
        ours, theirs = copy.deepcopy(given), copy.deepcopy(given)
        assert torch.equal(compiled(X, ours), function(X, theirs))
        assert ours == theirs
        counts.append(len(log))
    assert counts == traced


def aliased(x, one, other):
    one.append(1)
    return x * len(other)


def test_two_that_are_one():
    compiled = _capture.optimize(aliased, backend="eager")
    for same in (False, True, False):
        results = []
        for function in (compiled, aliased):
            one = deque([1])
            results.append(function(X, one, one if same else deque([1])))
        assert torch.equal(*results)


def equal_keys(x, pairs):
    more = {True: "b"}
    return x + 1, dict(pairs), {1: "a", **more}, collections.OrderedDict(pairs), collections.Counter([1, True, 1.0])


def test_the_first_of_equal_keys_is_kept():
    compiled = _capture.optimize(equal_keys, backend="eager")
    assert repr(compiled(X, [(1, 2), (True, 3)])) == repr(equal_keys(X, [(1, 2), (True, 3)]))


class Pair(typing.NamedTuple):
    """A named tuple with methods."""

    first: Any
    second: int = 3

    def product(self, factor=1):
        return self.first * self.second * factor

    @property
    def twice(self):
        return self.second * 2

    @staticmethod
    def shared():
        return 7

    @classmethod
    def named(cls, first):
        return cls(first).product(), cls.__name__


class Vector(typing.NamedTuple):
    """A named tuple that does not add, nor count as true, as tuples do."""

    a: int
    b: int

    def __add__(self, other):
        return Vector(self.a + other.a, self.b + other.b)

    def __bool__(self):
        return self.a > 1


def methods_of_records(x, given):
    made = Pair(x, 5)
    return made.product(2), made.twice, made.shared(), made.named(x), given.product(), given.twice, given.named(x)


def records_of_their_own(x, given):
    return x + 1, given + Vector(1, 2), 1 if given else 2, Vector(1, 1) + given


@pytest.mark.parametrize(
    ("function", "given"),
    [(methods_of_records, Pair(X)), (records_of_their_own, Vector(1, 2)), (records_of_their_own, Vector(2, 2))],
)
def test_methods_of_named_tuples(function, given):
    compiled = _capture.optimize(function, backend="eager", fullgraph=function is methods_of_records)
    assert repr(compiled(X, given)) == repr(function(X, given))


def defaults_from_keys(x):
    made = defaultdict.fromkeys(iter({"a": 1}), x - 2)
    return made, made.default_factory, made["a"] + 1


def test_defaultdict_from_keys():
    compiled = _capture.optimize(defaults_from_keys, backend="eager", fullgraph=True)
    assert repr(compiled(X)) == repr(defaults_from_keys(X))
