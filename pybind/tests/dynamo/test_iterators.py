"""`itertools` and their like: one graph, items in Python's order and no earlier, and what a break leaves of them."""

from __future__ import annotations

import collections
import copy
import itertools
import operator
import re
from collections.abc import Callable
from typing import Any

import pytest
import torch

import rust_inductor
from rust_inductor import _capture

X = torch.arange(6.0).reshape(2, 3)


def noting(notes, function=bool):
    def noted(*args):
        notes.append(args)
        return function(*args)

    return noted


def endless(x, notes):
    turns = zip(itertools.count(2, 3), itertools.cycle("ab"), itertools.repeat(x), range(5))
    halves = [n for n, _ in zip(itertools.count(0.5), range(2))]
    named = next(itertools.count(step=2, start=7)), next(itertools.count())
    return [(n, letter, y * n) for n, letter, y, _ in turns], halves, named


def cycles(x, notes):
    turning = itertools.cycle(iter([1, 2, 3]))
    some = [next(turning) for _ in range(7)]
    return x + 1, some, list(itertools.cycle([])), next(turning)


def chained(x, notes):
    items = [1]
    chain = itertools.chain(items, (notes.append(n) or n for n in (5, 6)), "c")
    items.append(2)
    first = next(chain)
    notes.append("between")
    return x * first, list(chain), list(itertools.chain.from_iterable([[1], iter([2]), ()]))


def sliced(x, notes):
    source = iter(range(20))
    first = list(itertools.islice(source, 2, 9, 3))
    left = next(source)
    more = list(itertools.islice(source, 3)), list(itertools.islice(source, 1, None, 4)), next(source, None)
    return x + left, first, more, list(itertools.islice([1, 2], 0)), list(itertools.islice("abc", None, None))


def paired(x, notes):
    pairs = itertools.pairwise(iter([1, 2, 4]))
    return x * next(pairs)[1], list(pairs), list(itertools.pairwise([1])), list(itertools.pairwise([]))


def accumulated(x, notes):
    products = itertools.accumulate([1, 2, 3, 4], noting(notes, operator.mul))
    notes.append(next(products))
    rest = list(products)
    tensors = list(itertools.accumulate([x, x * 2, x * 3]))
    first = list(itertools.accumulate([1, 2], initial=5)), list(itertools.accumulate([], initial=7))
    return tensors, rest, first, list(itertools.accumulate([3, 1, 2], func=max)), list(itertools.accumulate([], None))


def conditions(x, notes):
    small = noting(notes, lambda n: n < 3)
    taking = itertools.takewhile(small, [1, 2, 5, 1])
    dropping = itertools.dropwhile(small, [1, 2, 5, 1])
    notes.append("made")
    kept = list(itertools.filterfalse(small, range(5))), list(itertools.filterfalse(None, [0, 1, ""]))
    return x + next(taking), list(dropping), list(taking), list(taking), kept


def starred(x, notes):
    return list(itertools.starmap(torch.add, [(x, 1), [x, x]])), list(itertools.starmap(pow, [(2, 3), (3, 2)]))


def longest(x, notes):
    rows = list(itertools.zip_longest([1, 2], iter("a"), (), fillvalue=x))
    none = list(itertools.zip_longest())  # type: ignore[call-overload]
    return rows, none, list(itertools.zip_longest([1], [2, 3]))


def compressed(x, notes):
    kept = list(itertools.compress(itertools.count(), [1, 0, "", True])), list(itertools.compress("abc", (1,)))
    return x + 1, kept, list(itertools.combinations_with_replacement([1, 2, 3], 2))


def strictly(x, notes):
    rows = list(zip([1, 2], "ab", strict=True)), list(zip(strict=True)), list(zip([1], [2, 3], strict=False))
    for one, other in (([1], [1, 2]), ([1, 2], [1])):
        try:
            for row in zip(one, other, strict=True):
                notes.append(row)
        except ValueError:
            notes.append("uneven")
    return x + 1, rows


def grouped(x, notes):
    letters = [(key, list(group)) for key, group in itertools.groupby("aaBbc", noting(notes, str.lower))]
    groups = itertools.groupby([1, 1, 2, 2, 2, 3])
    (one, ones), (two, twos) = next(groups), next(groups)
    some = one, list(ones), two, next(twos), next(twos)
    three, threes = next(groups)
    tensors = [(key, sum(group)) for key, group in itertools.groupby([x, x * 2], key=lambda y: y.shape)]
    return x * three, letters, some, list(twos), list(threes), list(groups), list(threes), tensors


def shared(x, notes):
    first, second = itertools.tee(notes.append(n) or n for n in range(4))
    some = next(first), next(first), next(second)
    only, none = itertools.tee([1], 1), itertools.tee([1], 0)
    return x + some[0], some, list(second), list(first), [list(each) for each in only], none


def walked(tree, notes):
    if not isinstance(tree, list):
        yield tree
        return 1
    count = 0
    for part in tree:
        count += yield from walked(part, notes)
    notes.append(count)
    return count


def failing(notes):
    yield 1
    notes.append("fails")
    raise KeyError("a")


def catching(notes):
    try:
        yield from failing(notes)
    except KeyError as error:
        yield error.args
    once = iter([7, 8])
    yield from once
    yield from zip(once, [1])
    return (yield from range(2))


def delegated(x, notes):
    first, *rest = walked([x, [x + 1, [], [x + 2]], 5], notes)
    some = catching(notes)
    return (
        first * len(rest),
        rest,
        [next(some), next(some)],
        list(some),
        [*walked(3, notes)],
        sum(walked([1, [2]], notes)),
    )


def delegation_before_a_break(x, notes):
    some = catching(notes)
    y = x + next(some)
    print("He")
    return y, list(some)


def delegation_with_a_break(x, notes):
    def shown(items):
        for item in items:
            print(item)
            yield item

    def outer():
        yield from shown([1, 2])

    return x + sum(outer())


def ranges(x, notes):
    r = range(2, 30, 3)
    parts = r[1:4], r[::-1], r[-3:], r[8:2], r[5:1:-2], r[:0], range(0)[1:], range(9, 0, -2)[1:3], r[100:]
    lengths = [len(part) for part in parts], [list(part) for part in parts], [part == r for part in parts]
    return x + len(r), parts[:2], lengths, slice(1, None, 2).indices(7), slice(None, None, -1).indices(3)


WHOLE = [
    endless,
    cycles,
    chained,
    sliced,
    paired,
    accumulated,
    conditions,
    starred,
    longest,
    compressed,
    strictly,
    ranges,
    grouped,
    shared,
    delegated,
]


def made_before_a_break(x, notes):
    small = noting(notes, lambda n: n < 3)
    source = iter([1, 2, 5, 1, 8])
    left = [
        itertools.count(3),
        itertools.chain(iter([1]), [2]),
        itertools.chain.from_iterable([[1], [2]]),
        itertools.islice(source, 1, 3),
        itertools.pairwise([1, 2, 3]),
        itertools.accumulate([1, 2], initial=3),
        itertools.takewhile(small, [1, 2, 5]),
        itertools.dropwhile(small, [1, 2, 5]),
        itertools.filterfalse(small, [1, 2, 5]),
        itertools.starmap(pow, [(1, 2)]),
        itertools.zip_longest([1], [2, 3], fillvalue=4),
        itertools.compress([1, 2], [0, 1]),
        itertools.cycle([1, 2]),
        itertools.repeat(4),
        zip([1], [2], strict=True),
        *itertools.tee([3, 4]),
        itertools.groupby([]),
    ]
    groups = itertools.groupby([1, 1, 2], noting(notes))
    y = x + 1
    print("Hi")
    notes.append([(key, list(group)) for key, group in groups])
    return y * 2, [list(itertools.islice(one, 4)) for one in left], list(source)


def begun_before_a_break(x, notes):
    small = noting(notes, lambda n: n < 3)
    source = iter([1, 2, 5, 1, 8, 3, 9])
    left = [
        itertools.count(3),
        itertools.chain(iter([1, 3]), [2]),
        itertools.islice(source, 1, 6, 2),
        itertools.accumulate([1, 2, 5], noting(notes, max)),
        itertools.takewhile(small, [1, 2, 5]),
        itertools.dropwhile(small, [1, 2, 5, 1, 2]),
        itertools.filterfalse(small, [1, 2, 5, 8]),
        itertools.starmap(pow, [(1, 2), (2, 3)]),
        itertools.zip_longest([1], [2, 3, 4], fillvalue=4),
        itertools.compress([1, 2, 3], [1, 1, 1]),
        itertools.repeat(x),
        zip([1, 2], [2, 3], strict=True),
        itertools.pairwise(source),
        itertools.chain.from_iterable([[1, 2], (), [3]]),
        itertools.cycle(iter([1, 2, 3])),
        *itertools.tee(iter([1, 2, 3])),
    ]
    y = x + 1
    firsts = [next(one) for one in left], next(left[8]), next(left[-1])
    print("Ho")
    return y * 2, firsts, [list(itertools.islice(one, 3)) for one in left], list(source)


def groups_before_a_break(x, notes):
    made = [itertools.groupby([1, 1, 2, 2, 2, 3], noting(notes, lambda n: n // 2)) for _ in range(5)]
    groups = [next(each)[1] for each in made[1:]]
    firsts = next(groups[1]), list(groups[2]), next(made[4]), list(made[0])
    y = x + 1
    print("He")
    left = [list(group) for group in groups]
    return y, left, [[(key, list(group)) for key, group in each] for each in made], list(firsts[2][1])


def loop_over_groups(x, notes):
    for key, group in itertools.groupby([1, 1, 2, 3, 3], noting(notes)):
        print(key)
        x = x + sum(group)
    return x


def cycle_before_a_break(x, notes):
    turning = itertools.cycle([1, 2, 3])
    some = [next(turning) for _ in range(4)]
    print("Hu")
    return x + 1, some, next(turning), next(turning), next(turning)


def loop_with_a_break(x, notes):
    for n, y in zip(itertools.count(1), [x, x + 1]):
        print(n)
        x = x + y * n
    return x


ALL = [*WHOLE, made_before_a_break, begun_before_a_break, cycle_before_a_break, loop_with_a_break]
ALL += [groups_before_a_break, loop_over_groups, delegation_before_a_break, delegation_with_a_break]


def seen(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.dtype, value.tolist()
    if isinstance(value, list | tuple):
        return type(value), [seen(item) for item in value]
    return repr(value)


def outcome(function) -> tuple[Any, Any]:
    notes: list[Any] = []
    return seen(function(X, notes)), notes


@pytest.mark.parametrize("backend", ["eager", "rust_inductor"])
@pytest.mark.parametrize("function", ALL, ids=lambda function: function.__name__)
def test_items_come_as_in_python(function, backend, capsys):
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(function, backend=backend, listener=log.append)
    expected = outcome(function), capsys.readouterr().out
    for _ in range(2):
        assert (outcome(compiled), capsys.readouterr().out) == expected
    if function in WHOLE:
        assert [event.get("break_reason") or event.get("skipped") for event in log] == [None]


def test_endless_ones_end_the_graph_where_all_of_them_are_asked_for():
    def total(x):
        return x + sum(itertools.islice(itertools.count(), 100_000))

    log: list[dict[str, Any]] = []
    assert torch.equal(_capture.optimize(total, backend="eager", listener=log.append)(X), total(X))


REBOUND: dict[str, tuple[Any, Callable[[Any], Any]]] = {
    "list": ([1, 2, 3], iter),
    "reversed": ([1, 2, 3], reversed),
    "deque": (collections.deque([1, 2, 3]), iter),
    "set": ({1, 2, 3}, iter),
    "dict": ({1: 2, 3: 4}, iter),
    "items": ({1: 2, 3: 4}, lambda it: iter(it.items())),
    "view": ({1: 2, 3: 4}, lambda it: iter([it.values()])),
    "enumerate": ([1, 2, 3], enumerate),
    "zip": ([1, 2, 3], lambda it: zip(it, it)),
    "map": ([1, 2, 3], lambda it: map(str, it)),
    "filter": ([1, 2, 3], lambda it: filter(None, it)),
    "islice": ([1, 2, 3], lambda it: itertools.islice(it, 2)),
    "chain": ([1, 2, 3], lambda it: itertools.chain(it, it)),
    "generator": ([1, 2, 3], lambda it: (2 * item for item in it)),
    "tuple": ((1, 2, 3), iter),
}
rebound: Any = None


class Holder:
    items: Any = None


@pytest.mark.parametrize("kind", REBOUND)
def test_what_is_read_goes_on_where_its_name_is_given_to_another(kind: str) -> None:
    """An iterator is made anew behind a break, of what it was made of."""
    items, make = REBOUND[kind]

    def of_global(x: torch.Tensor) -> Any:
        global rebound
        it = make(rebound)
        first = next(it)
        rebound = type(rebound)()
        x = x + 1
        torch._dynamo.graph_break()
        return x, first, list(it), rebound

    def of_attribute(x: torch.Tensor, holder: Holder) -> Any:
        it = make(holder.items)
        holder.items = type(holder.items)()
        x = x + 1
        torch._dynamo.graph_break()
        return x, list(it), holder.items

    def run(fn: Any, given: tuple[Any, ...]) -> str:
        global rebound
        rebound = copy.copy(items)
        return repr(fn(torch.ones(2), *given))

    for fn in (of_global, of_attribute):
        told = []
        for function in (fn, rust_inductor.compile(fn, backend="eager")):
            holder = Holder()
            holder.items = copy.copy(items)
            told.append(run(function, (holder,) if fn is of_attribute else ()))
        assert re.sub("0x[0-9a-f]+", "", told[0]) == re.sub("0x[0-9a-f]+", "", told[1])


class Measured:
    """Is asked for its length before its items are listed."""

    def __init__(self, number: int, step: int) -> None:
        self.number = number
        self.step = step

    def __len__(self) -> int:
        self.number += self.step
        return self.number

    def __iter__(self):
        yield from (1, 2)


def test_lists_ask_for_the_length_first():
    def program(x, measured):
        items = [0]
        items.extend(measured)
        items += measured
        total = [*measured, *items, *sorted(measured), *tuple(measured), *list(measured)]
        pairs = list(itertools.product(measured, measured)), max(*measured), torch.Size(measured)
        return x + len(total), total, pairs, measured.number

    for step in (0, 1):
        compiled = _capture.optimize(program, backend="eager")
        for number in (3, 3, -1, -4, 0):
            outcomes = []
            for function in (compiled, program):
                try:
                    outcomes.append(repr(function(torch.ones(2), Measured(number, step))))
                except ValueError as error:
                    outcomes.append(repr(error))
            assert outcomes[0] == outcomes[1]


READ_IN_PART: list[Callable[[Any], Any]] = [
    lambda items: 1 in items,
    lambda items: 5 not in items,
    lambda items: operator.contains(items, 2),
    lambda items: (1, 1) in enumerate(items),
    lambda items: 2 in itertools.chain([0], items),
    lambda items: {1, 9}.isdisjoint(items),
    lambda items: {4, 2}.issuperset(items),
    lambda items: {2: 0}.keys().isdisjoint(items),
    lambda items: {1, 9}.issubset(items),
    lambda items: [next(items) for wanted in (1, 2, 3) if wanted in items],
]


@pytest.mark.parametrize("kind", [iter, lambda items: (item for item in items), lambda items: map(int, items)])
@pytest.mark.parametrize("asked", range(len(READ_IN_PART)))
def test_what_is_asked_of_an_iterator_reads_as_far_as_python_does(asked, kind):
    def program(x):
        items = kind([4, 1, 2, 3, 7, 8])
        return x + 1, READ_IN_PART[asked](items), list(items)

    assert repr(_capture.optimize(program, backend="eager")(X)) == repr(program(X))
