"""Sets and frozen sets: functions do what plain Python does, in the order in which it does it."""

from __future__ import annotations

import copy
import random
from typing import Any

import pytest
import torch

from rust_inductor import _capture

X = torch.arange(3.0)


def literals(x):
    found = []
    for name in {"a", "b", "c", "dd"}:
        found.append(name)  # noqa: PERF402
    return x + 1, found, list({5, 3, 1, 1000003, -7, 2**40, 1.5}), list({(1, 2), (3, 4)}), [*{9, 17, 1, 33, 25, 8}]


def made_by_adding(x):
    made = set()
    for name in ("q", "w", "e", "r", "t", "q"):
        made.add(name)
    made.update(["z", "a"], ("b",))
    return x + 1, list(made), [name * 2 for name in made], sorted(made), made


def made_of_items(x):
    made = {item * 7 % 13 for item in range(9)}
    many = set(range(300, 0, -3))
    return x + 1, list(made), tuple(made), sum(made), dict.fromkeys(made), list(many), {str(item) for item in many}


def of_the_caller(x, names):
    y = x
    for name in names:
        y = y * len(name) + 1
    first, *others = names
    return y, list(names), first, others, list(enumerate(names)), max(names), min(names), ",".join(names)


def operators(x):
    a, b = {1, 2, 3}, frozenset({2, 3, 4})
    c, d, e, f = a.copy(), set(a), set(a), set(a)
    c |= b
    d &= b
    e -= b
    f ^= b
    order = a < b, a <= a, a > b, a >= a, a == b, a != b, {1} < {1, 2}, frozenset({1}) == {1}, {1} == frozenset({1})
    return x + 1, a | b, b & a, a - b, b ^ a, order, c, d, e, f, a.isdisjoint({9}), a.union(b, [7]), len(a), not a


def changed_in_every_way(x):
    a = {1, 2, 3}
    a.update([4], {5, 33})
    a.difference_update({1})
    a.intersection_update({2, 3, 4, 5, 33})
    a.symmetric_difference_update({2, 9, 17})
    first = a.pop()
    b = a.copy()
    b.discard(4)
    b |= {40, 8}
    c = (a | b) - {5} ^ frozenset({16, 24})
    c.remove(16)
    d = set(c)
    d.clear()
    d.add(7)
    grown = set()
    for i in range(40):
        grown.add((i * 37) % 101)
    for i in range(0, 101, 2):
        grown.discard(i)
    return x + 1, a, first, b, list(b), c, [item * 2 for item in c], d, list(grown), set(grown) & a


def taken_apart(x, names):
    names, order = set(names), []
    while names:
        order.append(names.pop())
    return x + 1, order, [name + "!" for name in {"q", "w"} | {"e", "r", "t", "y"}]


def least_of_what_is_used_once(x):
    made = max((0.5 for _ in [1]), default=0), min(iter([3.0, 2.0])), sorted(item / 2 for item in (3, 1))
    return x + 1, made, max({0.5, 2.5}), sorted({(2, 1), (1, 2)}), min({"b", "a"})


def methods(x):
    a = {1, 2, 3}
    a.update([4], {5})
    a.difference_update({1})
    a.intersection_update({2, 3, 4, 5})
    a.symmetric_difference_update({2, 9})
    return x + 1, a, a.issubset(range(10)), a.intersection([3], (3, 4)), a.difference([3], {4})


def frozen(x, names):
    made = frozenset(["a", "b", "a", "c"])
    kinds = isinstance(made, frozenset), type(made) is frozenset, isinstance(made, set)
    known = {frozenset({1, 2}): 1}[frozenset((2, 1))]
    return (
        x + 1,
        made,
        list(made),
        "a" in made,
        len(made),
        sorted(made | names),
        names & {"a"},
        kinds,
        known,
        list(names),
    )


def memberships(x, name):
    return x + 1, name in {"a", "b"}, name not in {"q"}, [other for other in ("a", "b") if other in {"a"}]


def frozen_argument_given_back(x, names):
    return x + 1, names, frozenset(names) is names


CASES = [
    (literals,),
    (made_by_adding,),
    (made_of_items,),
    (of_the_caller, {"a", "bb", "ccc", "d"}),
    (of_the_caller, frozenset({"a", "bb", "ccc", "d"})),
    (operators,),
    (methods,),
    (least_of_what_is_used_once,),
    (changed_in_every_way,),
    (taken_apart, ["q", "w", "e", "r"]),
    (frozen, frozenset({"a", "z", "yy"})),
    (memberships, "a"),
    (frozen_argument_given_back, frozenset({"a", "b"})),
]


def seen(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.tolist()
    if isinstance(value, dict):
        return list(value.items())
    if isinstance(value, (tuple, list, set, frozenset)):
        return type(value), [seen(item) for item in value]
    return value


def same(compiled, function, *args):
    ours, theirs = copy.deepcopy(args), copy.deepcopy(args)
    assert seen(compiled(X, *ours)) == seen(function(X, *theirs))
    assert ours == theirs


@pytest.mark.parametrize(("function", "args"), [(f, args) for f, *args in CASES])
def test_it_is_one_graph(function, args):
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(function, backend="eager", listener=log.append)
    for _ in range(2):
        same(compiled, function, *args)
    assert [event.get("break_reason") or event.get("skipped") for event in log] == [None]


def test_the_order_of_a_set_is_guarded():
    def function(x, items):
        return x + 1, [item * 1 for item in items]

    compiled = _capture.optimize(function, backend="eager")
    # All are equal, and give their items in orders of their own.
    grown = set(range(64))
    grown.difference_update(set(range(64)) - {8, 16, 0})
    for items in ({0, 8, 16}, {16, 8, 0}, {8, 0, 16}, grown):
        same(compiled, function, items)
        assert compiled(X, items)[1] == list(items)


def mixed(x, items):
    more = items | {40, 8, 3}
    less = items - {16}
    other = {1, 33} | items
    copied = items.copy()
    copied.add(99)
    copied.discard(0)
    both = copied.union(items, [7, 15]).difference({8})
    return x + 1, more, less, other, copied, both, set(items)


def mixed_and_changed(x, items):
    before = items | {40}
    items.add(8)
    items.update([24, 32], {17})
    items.discard(16)
    items ^= {9, 0}
    return x + 1, before, items, len(items)


def mixed_across_a_break(x, items):
    before = items | {40}
    items.add(24)
    print(len(before))
    return x + 1, before, items, len(items)


def copied_after_a_change(x, items):
    items.add(8)
    return x + 1, items.copy(), len(frozenset(items))


def classes(x, items):
    kinds = {int, float}
    kinds.update([str, bytes])
    kinds.discard(float)
    return x + 1, kinds, len(items)


@pytest.mark.parametrize("function", [mixed, mixed_and_changed, mixed_across_a_break, copied_after_a_change, classes])
def test_what_is_made_of_the_callers_sets_has_the_order_of_plain_python(function, capsys):
    compiled = _capture.optimize(function, backend="eager")
    rng = random.Random(7)
    for _ in range(60):
        # Equal sets of one length, whose tables differ in size and in what they once held.
        items = rng.sample([0, 8, 16], 3)
        once = rng.sample(range(64), rng.randrange(1, 60))

        def make(items=items, once=once):
            made = set(once)
            made.difference_update(set(once))
            made.update(items)
            return made

        ours, theirs = make(), make()
        assert list(ours) == list(theirs)
        assert seen(compiled(X, ours)) == seen(function(X, theirs))
        assert list(ours) == list(theirs)
        # What is added later finds its place by what is there, or was.
        ours.update(range(40, 50))
        theirs.update(range(40, 50))
        assert list(ours) == list(theirs)


def changed(x, items):
    for item in items:
        items.add(item + 10)
    return x


def broken_midway(x, items):
    iterator = iter(items)
    first = next(iterator)
    print("a")
    return x + first, list(iterator)


def order_of_many_changes(x, items):
    items = set(items)
    items.discard("a")
    items.add("k")
    print("b")
    return x + 1, sorted(items), len(items)


@pytest.mark.parametrize(
    ("function", "items"), [(changed, {1, 2}), (broken_midway, {3, 1, 2}), (order_of_many_changes, {"a", "b"})]
)
def test_breaks_and_failures(function, items, capsys):
    compiled = _capture.optimize(function, backend="eager")
    for _ in range(2):
        outcomes = []
        for each in (compiled, function):
            try:
                outcome = seen(each(X, set(items)))
            except RuntimeError as error:
                outcome = repr(error)
            outcomes.append((outcome, capsys.readouterr().out))
        assert outcomes[0] == outcomes[1]


def test_a_frozen_set_keeps_the_order_in_which_it_was_made():
    letters = "abcdefghijklmnopqrstuvwxyz"
    # Two letters that want the same place: which of them comes first depends on which was there first.
    one, other = next((a, b) for a in letters for b in letters if a < b and (hash(a) ^ hash(b)) & 7 == 0)

    def function(x, first, second):
        return x + 1, frozenset([first, second])

    compiled = _capture.optimize(function, backend="eager")
    for names in ((one, other), (other, one)):
        assert [*compiled(X, *names)[1]] == [*function(X, *names)[1]]


def test_frozen_sets_of_objects_are_asked():
    functions = frozenset([torch.add, dict, len])

    def function(x, of, what):
        return x + (what in of), dict in of, list in of

    compiled = _capture.optimize(function, backend="eager", fullgraph=True)
    for of, what in ((functions, torch.add), (functions, torch.mul), (frozenset([torch.mul, list]), torch.mul)):
        assert repr(compiled(torch.ones(2), of, what)) == repr(function(torch.ones(2), of, what))
