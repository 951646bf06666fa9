"""Objects as keys of dicts and items of sets and lists: by identity, and by `__hash__` and `__eq__` of their class."""

# The programs do what Python lets them do, whatever their types say.
# mypy: disable-error-code="arg-type, comparison-overlap, var-annotated, dict-item"

from __future__ import annotations

import collections
import dataclasses
import enum
from typing import Any, ClassVar

import pytest
import torch

from pybind.tests.dynamo.counted import check_one_graph
from rust_inductor import _capture


class Point:
    """Equal to those of its value."""

    def __init__(self, a: Any) -> None:
        self.a = a

    def __hash__(self) -> int:
        return hash(self.a)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Point) and self.a == other.a

    def __repr__(self) -> str:
        return f"Point({self.a})"


class Plain:
    """Equal to itself only."""

    def __init__(self, a: Any) -> None:
        self.a = a

    def __repr__(self) -> str:
        return f"Plain({self.a})"


class ByIdentity(Point):
    """Equal to others, with another hash."""

    __hash__ = object.__hash__


class Modulo:
    """One hash for all."""

    def __init__(self, a: int) -> None:
        self.a = a

    def __hash__(self) -> int:
        return -1

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Modulo) and self.a % 3 == other.a % 3

    def __repr__(self) -> str:
        return f"Modulo({self.a})"


class Name:
    """Equal to its text."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __hash__(self) -> int:
        return hash(self.text)

    def __eq__(self, other: object) -> bool:
        return self.text == (other.text if isinstance(other, Name) else other)

    def __repr__(self) -> str:
        return f"Name({self.text})"


class Unhashable:
    """With equality alone."""

    def __init__(self, a: int) -> None:
        self.a = a

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unhashable) and self.a == other.a


class Refusing:
    """Its hash is an error."""

    def __hash__(self) -> int:
        raise ValueError("no hash")


class Counted:
    """Its hash leaves a trace."""

    calls: ClassVar[list[int]] = []

    def __hash__(self) -> int:
        self.calls.append(1)
        return 3

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Counted)


class ShapeOf:
    """Compared by what a tensor is."""

    def __init__(self, t: torch.Tensor) -> None:
        self.t = t

    def __hash__(self) -> int:
        return hash((self.t.dim(), self.t.dtype))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ShapeOf) and self.t.shape == other.t.shape


@dataclasses.dataclass(frozen=True)
class Spec:
    """Its hash is that of a tuple."""

    a: int
    b: Any = "q"


class Kind(enum.Enum):
    """Members are equal to themselves only."""

    A = 1
    B = 2


P1, P2, I1, I2 = Point(1), Point(2), Plain(1), Plain(2)
ROWS = {P1: 1.0, P2: 2.0}
PLAIN = {I1: 1.0, I2: 2.0}
SPECS = {Spec(1): 1.0, Spec(2, (3, "a")): 2.0}
MIXED = {"a": 1.0, Name("b"): 2.0}
POINTS, LISTED = {P1, P2}, [P1, P2]
OTHERS = {Spec(1), "text", I1}


def made_keys(x):
    rows = {Point(1): 2, Point(2): 3, Point(1): 4}
    rows[Point(2)] += 1
    return x * rows[Point(1)], list(rows.values()), Point(3) in rows, list(rows), rows.pop(Point(1)), rows


def made_sets(x):
    a, b = {Point(1), Point(2), Point(1)}, {Point(2), Point(3)}
    return x * len(a), len(a & b), len(a | b), len(a - b), a == b, {Point(1)} <= a, Point(3) in a, {Point(1)}


def made_by_identity(x):
    a, b, c = Plain(1), Plain(1), ByIdentity(1)
    rows = {a: 1, b: 2, c: 3}
    return x + rows[b], len(rows), ByIdentity(1) in rows, c in rows, len({a, b, a})


def one_hash(x):
    rows = {Modulo(1): 1, Modulo(2): 2}
    rows[Modulo(4)] = 9
    return x * rows[Modulo(7)], rows, hash(Modulo(1)), Modulo(3) in rows


def within_tuples(x):
    rows = {(Point(1), 2): 3, (Point(2), (Point(1),)): 4}
    return x * rows[(Point(1), 2)], rows[(Point(2), (Point(1),))], (Point(1), 3) in rows


def tables(x):
    sums: Any = collections.defaultdict(int)
    sums[Point(1)] += 2
    sums[Point(1)] += 3
    counts = collections.Counter([Point(1), Point(2), Point(1)])
    fresh = dict.fromkeys([Point(1), Point(1), Point(2)], 0)
    grouped: dict[Any, list[int]] = {}
    for point in [Point(1), Point(2), Point(1)]:
        grouped.setdefault(point, []).append(point.a)
    return x * sums[Point(1)], counts[Point(1)], counts.most_common(1), fresh, grouped, sums


def constants_beside_objects(x):
    rows: dict[Any, int] = {"a": 1, 2: 2}
    rows[Name("a")] = 3
    rows[Name("b")] = 4
    return x + rows["a"], rows["b"], rows, Point(2) in rows, Name("c") in rows, (1, "q") in {Spec(1): 1}


def hashes(x):
    same = hash(Spec(1)) == hash((1, "q")), hash((Point(1), 2)) == hash((1, 2)), hash(()) == hash(())
    return x + hash(Point(3)), same, hash(P1), hash((1, (2.5, None), "a")) == hash((1, (2.5, None), "a"))


def by_tensors(x):
    rows = {ShapeOf(x): 1}
    return x + rows[ShapeOf(x + 1)], ShapeOf(x[:1]) in rows


def members(x):
    points = [Point(1), Point(2)]
    points.remove(Point(1))
    found = Point(2) in points, Point(1) not in points, points.index(Point(2)), points.count(Point(2))
    equal = [Point(1)] == [Point(1)], {"a": Point(1)} == {"a": Point(2)}, (Point(1), 2) == (Point(1), 2)
    return x, found, equal, Point(2) in LISTED, LISTED.index(Point(2)), Unhashable(1) in [Unhashable(1)]


def errors(x):
    told = []
    for make in (
        lambda: {Unhashable(1)},
        lambda: {Unhashable(1): 1},
        lambda: {[]: 1},
        lambda: {(1, {}): 1},
        lambda: {1, set()},
        lambda: hash([]),
        lambda: {Refusing(): 1},
    ):
        try:
            make()
        except (TypeError, ValueError) as error:
            told.append((type(error).__name__, str(error)))
    return x + 1, told


def callers_keys(x):
    total = x
    for point, value in ROWS.items():
        total = total + point.a * value
    looked = ROWS[Point(2)], ROWS.get(Point(5), 7), Point(1) in ROWS, P1 in ROWS, Plain(1) in PLAIN, I1 in PLAIN
    return total, looked, SPECS[Spec(2, (3, "a"))], Spec(3) in SPECS, MIXED["b"], MIXED[Name("a")]


def callers_sets(x):
    for item in OTHERS:
        x = x + len(str(getattr(item, "a", item)))
    return x, Point(1) in POINTS, P2 in POINTS, Point(4) in POINTS, Spec(1) in OTHERS, Spec(2) in OTHERS, I2 in OTHERS


def memoized(x):
    known: dict[Any, Any] = {}

    def visit(node):
        if node not in known:
            known[node] = node.a + 1
        return known[node]

    seen = set()
    for node in [I1, I2, I1, P1, Point(1), Kind.A, Kind.A]:
        if node not in seen:
            seen.add(node)
            x = x + 1
    return x * visit(I1) + visit(I1) + visit(Point(2)) + visit(Point(2)), len(known), len(seen)


FUNCTIONS = [
    made_keys,
    made_sets,
    made_by_identity,
    one_hash,
    within_tuples,
    tables,
    constants_beside_objects,
    hashes,
    by_tensors,
    members,
    errors,
    callers_keys,
    callers_sets,
    memoized,
]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_each_is_one_graph(function):
    check_one_graph(function)


def the_callers(x, rows, one, other):
    return x + len({one, other}), one in rows, other in rows, rows.get(Point(1))


def test_equality_is_asked_anew_where_something_changed():
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(the_callers, backend="eager", listener=log.append)
    x, a, b = torch.ones(3), Point(1), Point(1)
    rows = {a: 1}
    cases: list[tuple[Any, Any, Any]] = [
        (rows, a, b),
        (rows, b, a),
        (rows, a, a),
        (rows, Point(2), a),
        (rows, a, Point(2)),
    ]
    cases += [
        ({Point(2): 1}, a, b),
        ({}, a, b),
        ({Point(1): 5, "a": 1}, a, b),
        ({Plain(1): 2}, a, Plain(1)),
        (rows, a, b),
    ]
    for case in cases:
        assert repr(compiled(x, *case)) == repr(the_callers(x, *case))
    own = [event for event in log if event["original"] is the_callers.__code__]
    calls = len(own)
    for case in cases:
        assert repr(compiled(x, *case)) == repr(the_callers(x, *case))
    # What was compiled is found again.
    assert [event for event in log if event["original"] is the_callers.__code__] == own
    assert [event["break_reason"] for event in own] == [None] * calls


def test_a_method_that_is_replaced_is_noticed():
    class Local(Point):
        pass

    def asks(x, key):
        return x + 1, Local(1) in {key: 1}, len({Local(1), key})

    compiled = _capture.optimize(asks, backend="eager")
    x, key = torch.ones(3), Local(1)
    assert repr(compiled(x, key)) == repr(asks(x, key))
    for name, method in (
        ("__eq__", lambda self, other: False),
        ("__hash__", lambda self: id(self)),
        ("__eq__", Point.__eq__),
        ("__hash__", object.__hash__),
        ("__hash__", None),
    ):
        setattr(Local, name, method)
        try:
            expected = repr(asks(x, key))
        except TypeError as error:
            with pytest.raises(TypeError, match=str(error)):
                compiled(x, key)
        else:
            assert repr(compiled(x, key)) == expected


def writes(x, rows, points):
    rows[Point(1)] = rows[Point(1)] + 1
    rows[Point(9)] = x
    rows.pop(Point(2))
    points.add(Point(1))
    points.add(Point(7))
    points.discard(Point(2))
    return x + len(points)


def test_the_callers_containers_are_changed():
    def state():
        return {Point(1): 1, Point(2): 2, "a": 3}, {Point(1), Point(2)}

    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(writes, backend="eager", listener=log.append)
    for x in (torch.ones(3), torch.zeros(3)):
        ours, theirs = state(), state()
        first = next(iter(ours[0]))
        assert repr(compiled(x, *ours)) == repr(writes(x, *theirs))
        assert repr(ours[0]) == repr(theirs[0])
        assert ours[1] == theirs[1]
        assert next(iter(ours[0])) is first
    assert {event["break_reason"] for event in log} == {None}


def test_what_changes_a_key_is_not_followed():
    def changes(x):
        point = Point(1)
        rows = {point: 1}
        point.a = 2
        return x + 1, point in rows, Point(1) in rows, Point(2) in rows, len(rows)

    def after(x, point, rows):
        rows["x"] = 0
        point.a = 5
        rows[point] = 1
        return x + 1

    def counts(x):
        return x + len({Counted(): 1, Counted(): 2})

    x = torch.ones(3)
    assert repr(_capture.optimize(changes, backend="eager")(x)) == repr(changes(x))
    ours, theirs = (Point(1), {}), (Point(1), {})
    assert repr(_capture.optimize(after, backend="eager")(x, *ours)) == repr(after(x, *theirs))
    assert repr(ours) == repr(theirs)
    assert Point(5) in ours[1]
    Counted.calls.clear()
    counts(x)
    wanted = len(Counted.calls)
    Counted.calls.clear()
    _capture.optimize(counts, backend="eager")(x)
    assert len(Counted.calls) == wanted


def test_a_key_is_whole_before_it_is_hashed():
    class Node:
        def __init__(self, name: str) -> None:
            self.rows = {self: 1} if name == "early" else {}
            self.name = name

        def __hash__(self) -> int:
            return hash(getattr(self, "name", "none"))

        def __eq__(self, other: object) -> bool:
            return self is other

    def own(x):
        node = Node("late")
        node.rows = {"a": node}
        other = Node("other")
        rows = {node: 1, other: 2}
        return node, rows, x + 1

    def within(x):
        node = Node("late")
        holder = Plain(1)
        holder.a = {node: holder}
        node.rows = {}
        return holder, x + 1

    x = torch.ones(3)
    node, rows, _ = _capture.optimize(own, backend="eager")(x)
    assert rows[node] == 1
    assert len(rows) == 2
    holder, _ = _capture.optimize(within, backend="eager")(x)
    (node,) = holder.a
    assert holder.a[node] is holder
