"""Objects of the program's classes: their attributes, operators and methods, found, made and handed out."""

from __future__ import annotations

import abc
import collections
import contextlib
import dataclasses
import enum
import functools
import operator
import re
import types
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch

import rust_inductor
from rust_inductor import _capture

if TYPE_CHECKING:
    from collections.abc import Callable

X = torch.arange(6.0).reshape(2, 3)


class Base:
    """Attributes of every kind."""

    kind = "base"

    def __init__(self, v: Any) -> None:
        self.v = v

    @property
    def twice(self) -> Any:
        return self.v * 2

    @twice.setter
    def twice(self, value: Any) -> None:
        self.v = value / 2

    @staticmethod
    def static(x: Any) -> Any:
        return x + 1

    @classmethod
    def make(cls, v: Any) -> Base:
        return cls(v + 1)

    @functools.cached_property
    def cached(self) -> Any:
        return self.v + 10

    def scale(self, x: Any, by: float = 2) -> Any:
        return x * self.v * by

    def __len__(self) -> int:
        return 3

    def __getitem__(self, i: Any) -> Any:
        return self.v + i

    def __call__(self, x: Any, *, k: float = 1) -> Any:
        return x * self.v + k

    def __contains__(self, item: Any) -> bool:
        return bool(item == 3)

    def __iter__(self) -> Any:
        return iter([self.v, 2, 3])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Base) and bool(self.v == other.v)

    __hash__ = None  # type: ignore[assignment]

    def __lt__(self, other: Any) -> bool:
        return bool(self.v < other.v)

    def __repr__(self) -> str:
        return f"Base({self.v!r})"


class Derived(Base):
    """A class that comes from the other one, and calls it by `super()`."""

    kind = "derived"

    def __init__(self, v: Any, w: Any = 5) -> None:
        super().__init__(v)
        self.w = w

    def scale(self, x: Any, by: float = 3) -> Any:
        return super().scale(x, by) + self.w

    @classmethod
    def make(cls, v: Any) -> Base:
        return super().make(v)


class Number:
    """Operators with reflected and in-place forms."""

    def __init__(self, n: float) -> None:
        self.n = n

    def __add__(self, other: Any) -> Any:
        return Number(self.n + other.n) if isinstance(other, Number) else NotImplemented

    def __radd__(self, other: Any) -> Any:
        return Number(self.n + other) if isinstance(other, (int, float)) else NotImplemented

    def __iadd__(self, other: Any) -> Any:
        self.n += other.n
        return self

    def __mul__(self, other: Any) -> Any:
        return Number(self.n * other)

    def __matmul__(self, other: Any) -> Any:
        return "matmul"

    def __neg__(self) -> Any:
        return Number(-self.n)


class Louder(Number):
    """A subclass whose reflected method comes first."""

    def __radd__(self, other: Any) -> Any:
        return ("louder", other.n if isinstance(other, Number) else other)


class Slotted:
    """Without a dict."""

    __slots__ = ("a", "b")

    def __init__(self, a: Any) -> None:
        self.a = a


class Fallback:
    """`__getattr__` and `__setattr__`."""

    def __init__(self) -> None:
        object.__setattr__(self, "log", [])

    def __getattr__(self, name: str) -> Any:
        if name.startswith("missing"):
            raise AttributeError(name)
        return name.upper()

    def __setattr__(self, name: str, value: Any) -> None:
        self.log.append(name)
        object.__setattr__(self, name, value)


class Tenfold:
    """`__getattribute__`."""

    def __init__(self) -> None:
        self.v = 1

    def __getattribute__(self, name: str) -> Any:
        if name == "v":
            return object.__getattribute__(self, "v") * 10
        return object.__getattribute__(self, name)


class Typed:
    """A descriptor in Python."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = "_" + name

    def __get__(self, instance: Any, owner: Any) -> Any:
        return self if instance is None else getattr(instance, self.name, 0)

    def __set__(self, instance: Any, value: Any) -> None:
        setattr(instance, self.name, value + 1)


class Described:
    """A class that uses the descriptor."""

    size = Typed()


@dataclasses.dataclass
class Point:
    """A data class."""

    x: Any
    y: Any = 2
    tags: list[Any] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(frozen=True, order=True)
class Frozen:
    """One that cannot be changed."""

    a: int
    b: int = 1


class Shape(abc.ABC):
    """An abstract class."""

    @abc.abstractmethod
    def area(self) -> Any: ...

    def double(self) -> Any:
        return self.area() * 2


class Square(Shape):
    """A concrete one."""

    def __init__(self, side: Any) -> None:
        self.side = side

    def area(self) -> Any:
        return self.side * self.side


class Output(collections.OrderedDict):
    """A dict with attributes, as transformers' outputs are."""

    def __setattr__(self, name: str, value: Any) -> None:
        if value is not None:
            super().__setitem__(name, value)
        super().__setattr__(name, value)

    def to_tuple(self) -> tuple[Any, ...]:
        return tuple(self[k] for k in self.keys())


class Registry(dict):
    """A dict whose `__getitem__` and `get` are its own."""

    def __getitem__(self, key: str) -> Any:
        return super().__getitem__(key) * 2

    def get(self, key: str, default: Any = None) -> Any:
        return super().get(key.lower(), default)


class Stack(list):
    """A list with a method."""

    def top(self) -> Any:
        return self[-1]


class Countdown:
    """An iterator."""

    def __init__(self, n: int) -> None:
        self.n = n

    def __iter__(self) -> Countdown:
        return self

    def __next__(self) -> int:
        if self.n <= 0:
            raise StopIteration
        self.n -= 1
        return self.n


class Colour(enum.Enum):
    """An enumeration."""

    RED = 1
    BLUE = 2


REGISTRY = Registry(a=1, b=2)
FOUND = Derived(2.0)
NUMBER, LOUDER = Number(1), Louder(2)
FALLBACK, TENFOLD = Fallback(), Tenfold()


def attributes(x: torch.Tensor) -> Any:
    d = Derived(x + 1)
    d.twice = 8.0
    return d.kind, d.twice, d.static(1), d.make(1).v, d.cached, d.cached, d.w, x + d.v


def found_attributes(x: torch.Tensor) -> Any:
    return FOUND.kind, FOUND.twice, FOUND.static(1), type(FOUND.make(1)).__name__, FOUND.scale(x), FOUND(x, k=3)


def protocols(x: torch.Tensor) -> Any:
    b = Base(3)
    return len(b), b[1], 3 in b, 4 in b, list(b), [*b], b == Base(3), b != Base(4), b < Base(4), bool(b), x * b[0]


def texts(x: torch.Tensor) -> Any:
    return f"{Base(3)}", f"{Base('a')!r}", str([Base(1)]), repr(Point(1)), str(Frozen(1)), str(Base), x + 1


def operators(x: torch.Tensor) -> Any:
    total = Number(1)
    total += Number(5)
    both = NUMBER + LOUDER
    return (NUMBER + NUMBER).n, (1 + NUMBER).n, both, (NUMBER * 3).n, NUMBER @ 2, (-NUMBER).n, total.n, x * total.n


def slots(x: torch.Tensor) -> Any:
    s: Any = Slotted(x + 1)
    s.b = 3
    return s.a, s.b, hasattr(s, "c"), hasattr(Slotted(1), "b")


def fallbacks(x: torch.Tensor) -> Any:
    f = Fallback()
    f.q = x + 1
    return f.q, f.other, hasattr(f, "missing"), getattr(f, "missing_too", 7), f.log, FALLBACK.found


def getattribute(x: torch.Tensor) -> Any:
    t = Tenfold()
    t.v += 1
    return t.v, TENFOLD.v, x + t.v


def descriptors(x: torch.Tensor) -> Any:
    d = Described()
    d.size = 4
    return d.size, x * d.size


def data_classes(x: torch.Tensor) -> Any:
    p = Point(x + 1)
    p.tags.append("t")
    q = dataclasses.replace(p, y=7)
    return (
        p,
        q.y,
        q.tags is p.tags,
        [f.name for f in dataclasses.fields(p)],
        Frozen(1) == Frozen(1),
        Frozen(1) < Frozen(2),
    )


def frozen(x: torch.Tensor) -> Any:
    f = Frozen(3)
    try:
        f.a = 4  # type: ignore[misc]
    except dataclasses.FrozenInstanceError:
        return x + f.a
    return x


def abstract(x: torch.Tensor) -> Any:
    s = Square(3)
    return (
        s.double(),
        isinstance(s, Shape),
        issubclass(Square, Shape),
        isinstance([], collections.abc.Sequence),
        x * s.area(),
    )


def dict_subclass(x: torch.Tensor) -> Any:
    out = Output()
    out.first = x + 1
    out.second = None
    out["third"] = x * 2
    return out, out.to_tuple(), list(out), len(out), "third" in out, out.get("nope", 5), isinstance(out, dict)


def registry(x: torch.Tensor) -> Any:
    return REGISTRY["a"], REGISTRY.get("B"), REGISTRY.get("C", 3), len(REGISTRY), "a" in REGISTRY, x * REGISTRY["b"]


def list_subclass(x: torch.Tensor) -> Any:
    s = Stack([1, 2])
    s.append(x + 1)
    return s, s.top(), len(s), s[0], type(s).__name__


def iterators(x: torch.Tensor) -> Any:
    return list(Countdown(3)), [n + 1 for n in Countdown(2)], dict(zip("ab", Countdown(5))), x + sum(Countdown(4))


def instance_dict(x: torch.Tensor) -> Any:
    p = Point(x)
    return (
        p.__dict__.get("y"),
        "x" in p.__dict__,
        sorted(p.__dict__),
        FOUND.__dict__["w"],
        FOUND.__dict__.get("no"),
        x + 1,
    )


def enumerations(x: torch.Tensor) -> Any:
    red, blue = list(Colour)
    return (
        red.value,
        blue.name,
        red is Colour.RED,
        red == blue,
        x + blue.value,
    )


def identity(x: torch.Tensor) -> Any:
    a = Point(x)
    b = a
    holder = [a, b, Point(x)]
    a.y = holder
    return holder[0] is holder[1], holder[0] is holder[2], holder


def breaks_between(x: torch.Tensor) -> Any:
    p = Point(x + 1, 3)
    q = Derived(p)
    rust_inductor.graph_break()
    p.y += 1
    return q.v is p, q.v.y, p.x * p.y, q.cached if isinstance(q.v, float) else None


def made_in_a_loop(x: torch.Tensor) -> Any:
    points = [Point(x * i, i) for i in range(3)]
    return sum(p.x.sum() for p in points), max(points, key=lambda p: p.y).y


def managers(x: torch.Tensor) -> Any:
    class_log: list[str] = []

    with contextlib.ExitStack() as stack:
        stack.callback(class_log.append, "left")
        y = x + 1
    return y, class_log


PROGRAMS = [
    attributes,
    found_attributes,
    protocols,
    texts,
    operators,
    slots,
    fallbacks,
    getattribute,
    descriptors,
    data_classes,
    frozen,
    abstract,
    dict_subclass,
    registry,
    list_subclass,
    iterators,
    instance_dict,
    enumerations,
    identity,
    breaks_between,
    made_in_a_loop,
    managers,
]


def shown(value: Any) -> str:
    """The text of a result, attributes of objects included."""
    seen: dict[int, int] = {}

    def show(value: Any) -> Any:
        if id(value) in seen and not isinstance(value, (int, str, float, bool, type(None))):
            return f"<{seen[id(value)]}>"
        if isinstance(value, torch.Tensor):
            return ("tensor", value.dtype, value.tolist())
        if type(value).__module__ == __name__ or isinstance(value, (list, tuple, dict)):
            seen[id(value)] = len(seen)
        if isinstance(value, dict):
            own = vars(value) if hasattr(value, "__dict__") else {}
            return (
                type(value).__name__,
                [(show(k), show(v)) for k, v in dict.items(value)],
                show(dict(own)) if own else "",
            )
        if isinstance(value, (list, tuple)):
            return (type(value).__name__, [show(item) for item in value])
        if type(value).__module__ == __name__ and hasattr(value, "__dict__"):
            return (type(value).__name__, [(k, show(v)) for k, v in vars(value).items()])
        return repr(value)

    return repr(show(value))


def outcome(function: Callable[..., Any]) -> str:
    """A function's result, or what it raises."""
    try:
        return shown(function(X))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
@pytest.mark.parametrize("backend", ["eager", "rust_inductor"])
def test_same_as_python(program: Callable[..., Any], backend: str) -> None:
    FOUND.__dict__.pop("cached", None)
    expected = outcome(program)
    compiled = rust_inductor.compile(program, backend=backend)
    assert [outcome(compiled), outcome(compiled)] == [expected, expected]


@pytest.mark.parametrize(
    "program",
    [program for program in PROGRAMS if program not in (breaks_between, enumerations, managers, frozen, texts)],
    ids=lambda program: program.__name__,
)
def test_one_graph(program: Callable[..., Any]) -> None:
    explanation = rust_inductor.explain(program, backend="eager")(X)
    assert [ended.text for ended in explanation.breaks] == []


def test_changes_of_classes_are_noticed() -> None:
    class Changing:
        factor = 2

        def apply(self, x: torch.Tensor) -> torch.Tensor:
            return x * self.factor

    thing = Changing()
    compiled = rust_inductor.compile(lambda x: thing.apply(x), backend="eager")
    assert torch.equal(compiled(X), X * 2)
    Changing.factor = 3
    assert torch.equal(compiled(X), X * 3)
    Changing.apply = lambda self, x: x - self.factor  # type: ignore[method-assign]
    assert torch.equal(compiled(X), X - 3)
    thing.apply = lambda x: x + 100  # type: ignore[method-assign]
    assert torch.equal(compiled(X), X + 100)


def test_registration_is_noticed() -> None:
    class Kind(abc.ABC):  # noqa: B024
        pass

    class Other:
        pass

    thing = Other()
    compiled = rust_inductor.compile(lambda x: x + 1 if isinstance(thing, Kind) else x - 1, backend="eager")
    assert torch.equal(compiled(X), X - 1)
    Kind.register(Other)
    assert torch.equal(compiled(X), X + 1)


class Steps(list):
    def twice(self, x):
        self.extend([x, x])

    def __setitem__(self, place, item):
        raise RuntimeError("the trace's items are put in by list's own method")


def test_lists_of_the_callers_that_come_from_list_are_changed():
    def run(a, b):
        a.extend(b)
        a.twice(b[1] + 1)
        a.insert(0, 5)
        a.pop()
        return b, len(a), a[-1] * 2

    def results(function):
        x, y = torch.ones(2), torch.zeros(2)
        one, other = Steps([x, y]), Steps([y, x])
        told = [repr((function(a, b), one, other)) for a, b in ((one, one), (one, other), (other, one), (one, one))]
        return told, one[1] is x

    assert results(rust_inductor.compile(run, backend="eager")) == results(run)


class Odd:
    def __init__(self, truth, length):
        self.truth = truth
        self.length = length

    def __bool__(self):
        return self.truth

    def __len__(self):
        return self.length


@pytest.mark.parametrize(("truth", "length"), [(1.5, 1), (1, 2), (None, 0), (True, -1), (False, 2.5), (True, 3)])
def test_what_is_no_truth_and_no_length_is_an_error(truth, length):
    def run(x, odd):
        return x + 1 if odd else x - 1

    def measure(x, odd):
        return x + len(odd)

    def ending(function):
        try:
            return repr(function(torch.ones(2), Odd(truth, length)))
        except (TypeError, ValueError) as error:
            return str(error)

    for function in (run, measure):
        assert ending(rust_inductor.compile(function, backend="eager")) == ending(function)


class Formatted:
    """Is formatted in another way than its text is made."""

    def __init__(self, n):
        self.n = n

    def __format__(self, spec):
        return format(self.n, spec or ">4")

    def __str__(self):
        return "text"


def test_an_object_is_formatted_by_its_own_method():
    def function(x, given):
        made = Formatted(3)
        return x + 1, f"{made} {made:03d} {made!s:>6} {given} {given:x}"

    for n in (10, 11):
        compiled = _capture.optimize(function, backend="eager")
        assert repr(compiled(torch.ones(2), Formatted(n))) == repr(function(torch.ones(2), Formatted(n)))


SPECIAL = {
    "__eq__": (lambda self, other: True, lambda x, thing: x + (thing == 3)),
    "__hash__": (lambda self: 7, lambda x, thing: x + (hash(thing) == 7)),
    "__repr__": (lambda self: "seven", lambda x, thing: x + (repr(thing) == "seven")),
}


@pytest.mark.parametrize("name", SPECIAL)
def test_a_special_method_given_later_is_noticed(name):
    class Thing:
        """Has the methods of `object`."""

    method, function = SPECIAL[name]
    compiled, thing = rust_inductor.compile(function, backend="eager"), Thing()
    for _ in range(2):
        torch.testing.assert_close(compiled(X, thing), function(X, thing))
    setattr(Thing, name, method)
    torch.testing.assert_close(compiled(X, thing), function(X, thing))
    torch.testing.assert_close(compiled(X, thing), X + 1)


def test_ways_to_make_and_change_objects_given_later_are_noticed():
    def made(kind, x, _instance):
        return kind(x).value

    def written(kind, x, _instance):
        thing = kind(x)
        thing.other = x + 1
        return sorted(vars(thing))

    def deleted(_kind, x, instance):
        instance.other = x
        del instance.other
        return sorted(vars(instance))

    def checked(kind, x, _instance):
        return x + 1 if isinstance(3, kind) else x - 1

    def classes():
        class Meta(type):
            """Has the methods of `type`."""

        class Thing(metaclass=Meta):
            def __init__(self, value):
                self.value = value

        return {"class": Thing, "metaclass": Meta}

    def ran(function, compile):
        function, found = compile(function), []
        for owner, name, method in (
            ("class", "__new__", lambda kind, value: types.SimpleNamespace(value=value + 100)),
            ("metaclass", "__call__", lambda kind, value: types.SimpleNamespace(value=value - 100)),
            ("class", "__setattr__", lambda self, name, value: object.__setattr__(self, name + "_", value)),
            ("class", "__delattr__", lambda self, name: None),
            ("metaclass", "__instancecheck__", lambda kind, thing: True),
        ):
            made = classes()
            thing, instance = made["class"], made["class"](X)
            found.append(repr(function(thing, X, instance)))
            setattr(made[owner], name, method)
            try:
                found.append(repr(function(thing, X, instance)))
            except AttributeError as error:
                found.append(str(error))
        return found

    for function in (made, written, deleted, checked):
        assert ran(function, lambda f: _capture.optimize(f, backend="eager")) == ran(function, lambda f: f)


def test_subclasses_are_those_that_there_are() -> None:
    class Root:
        pass

    class First(Root):
        factor = 2

    class Second(Root):
        factor = 3

    def scale(x: Any) -> Any:
        for each in Root.__subclasses__():
            x = x * each.factor  # type: ignore[attr-defined]
        return x, Root.__subclasses__()

    compiled = _capture.optimize(scale, backend="eager", fullgraph=True)
    for _ in range(2):
        (ours, classes), (theirs, expected) = compiled(X), scale(X)
        assert torch.equal(ours, theirs)
        assert classes == expected
        # The second time there is one more.
        extra = type("Extra", (First,), {}), type("Third", (Root,), {"factor": 5})
    assert len(extra) == 2


class Listing(type):
    """Says itself which subclasses there are."""

    def __subclasses__(cls) -> list[type]:
        return [int]


class Listed(metaclass=Listing):
    """Has no subclasses."""


def test_a_metaclass_says_which_subclasses_there_are() -> None:
    compiled = _capture.optimize(lambda x: (x + 1, Listed.__subclasses__()), backend="eager")
    assert compiled(X)[1] == [int]


LEGACY: list[Callable[[Any], Any]] = [
    lambda x: torch.LongTensor([1, 2]) + x[:, 0],
    lambda x: torch.FloatTensor([[1, 2.5, 3]]) * x,
    lambda x: torch.LongTensor([1.7, 2.2]),
    lambda x: torch.BoolTensor((True, False)),
    lambda x: torch.HalfTensor([True, 2]),
    lambda x: torch.ByteTensor(2, x.shape[1]).zero_(),
    lambda x: torch.DoubleTensor(x.size()).fill_(1),
    lambda x: torch.IntTensor(),
    lambda x: torch.LongTensor([*np.array([3, 5])]),
]


@pytest.mark.parametrize("make", LEGACY)
def test_legacy_classes_of_tensors(make: Callable[[Any], Any]) -> None:
    ours, theirs = _capture.optimize(make, backend="eager", fullgraph=True)(X), make(X)
    assert ours.dtype == theirs.dtype
    assert torch.equal(ours, theirs)


@torch._dynamo.disable
def ends_a_graph(x: torch.Tensor) -> torch.Tensor:
    return x + 1


def count(*args: Any) -> int:
    return len(args)


BINDINGS: list[Any] = [
    staticmethod(lambda *args: len(args)),
    classmethod(lambda *args: 10 + len(args)),
    lambda *args: 20 + len(args),
    operator.add,
]


@pytest.mark.parametrize("first", range(len(BINDINGS)))
def test_a_member_that_is_bound_in_another_way_is_noticed_though_the_graph_ends_before_it_is_called(first: int):
    class Base:
        member = BINDINGS[first]

    class Thing(Base):
        pass

    thing = Thing()

    def through_an_object(x: torch.Tensor) -> Any:
        return thing.member(x, ends_a_graph(x))

    def through_the_class(x: torch.Tensor) -> Any:
        return Thing.member(x, ends_a_graph(x))

    for function in through_an_object, through_the_class:
        compiled = _capture.optimize(function, "eager")
        for binding in [BINDINGS[first], *BINDINGS]:
            Thing.member = binding
            x = torch.ones(2)
            try:
                expected = function(x)
            except TypeError as error:
                with pytest.raises(TypeError, match=re.escape(str(error))):
                    compiled(x)
                continue
            got = compiled(x)
            assert torch.equal(torch.as_tensor(got), torch.as_tensor(expected))
        del Thing.member


OF_A_FUNCTION = {"function": count, "static method": staticmethod(count), "class method": classmethod(count)}


@pytest.mark.parametrize("first", OF_A_FUNCTION)
@pytest.mark.parametrize("second", OF_A_FUNCTION)
def test_the_same_function_bound_in_another_way_is_noticed(first: str, second: str):
    class Of:
        member: Any = None

    class Thing(Of):
        def through_super(self, x: torch.Tensor) -> Any:
            return super().member(x)

    thing = Thing()

    def through_an_object(x: torch.Tensor) -> Any:
        return x + thing.member(x)

    def through_the_class(x: torch.Tensor) -> Any:
        return x + Thing.member(x)

    def through_super(x: torch.Tensor) -> Any:
        return x + thing.through_super(x)

    for function in through_an_object, through_the_class, through_super:
        compiled = _capture.optimize(function, "eager")
        for kind in first, second, first:
            Of.member = OF_A_FUNCTION[kind]
            assert torch.equal(compiled(X), function(X))


@pytest.mark.parametrize("second", OF_A_FUNCTION)
def test_a_special_method_bound_in_another_way_is_noticed(second: str):
    class Thing:
        __add__: Any = count

    thing = Thing()

    def main(x: torch.Tensor) -> Any:
        return x * (thing + 1)

    compiled = _capture.optimize(main, "eager")
    for kind in "function", second:
        Thing.__add__ = OF_A_FUNCTION[kind]
        assert torch.equal(compiled(X), main(X))


def test_a_function_is_told_from_its_bound_method():
    class Thing:
        def count(self, *args: Any) -> int:
            return len(args)

    holder: dict[str, Any] = {}

    def main(x: torch.Tensor) -> Any:
        return x + holder["count"](x, x)

    compiled = _capture.optimize(main, "eager")
    for found in Thing.count, Thing().count, Thing.count:
        holder["count"] = found
        assert torch.equal(compiled(X), main(X))
