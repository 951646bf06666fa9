"""Attributes of classes that a program writes: read through the class, its subclasses and their objects."""

from __future__ import annotations

import types
from typing import Any, ClassVar

import pytest
import torch

from rust_inductor import _capture


def make() -> types.SimpleNamespace:
    """The classes afresh, for each run."""

    class Base:
        n: Any = 0
        scale = 2.0
        total: Any = None
        registry: ClassVar[dict[Any, Any]] = {}
        _only: Any = None

        def __init__(self) -> None:
            Base.n += 1
            self.place = Base.n

        @classmethod
        def bump(cls) -> Any:
            cls.n += 1
            return cls.n

        @classmethod
        def register(cls, name: str, value: Any) -> None:
            cls.registry[name] = value

        @classmethod
        def only(cls) -> Any:
            if cls._only is None:
                cls._only = cls.__new__(cls)
            return cls._only

        @staticmethod
        def doubled() -> Any:
            Base.n = Base.n * 2
            return Base.n

        def count(self) -> Any:
            type(self).n += 1
            return self.__class__.n

        @property
        def current(self) -> Any:
            return type(self)._current

        @current.setter
        def current(self, value: Any) -> None:
            type(self)._current = value

        _current = 1

    class Derived(Base):
        pass

    class Slotted:
        __slots__ = ("a",)
        k = 1

    class Layer(torch.nn.Module):
        calls = 0

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            Layer.calls += 1
            type(self).calls += 1
            return x + self.calls

    derived, base = Derived.__new__(Derived), Base.__new__(Base)
    return types.SimpleNamespace(
        Base=Base, Derived=Derived, Slotted=Slotted, Layer=Layer(), base=base, derived=derived, shadowing=Derived()
    )


def counts(x, s):
    s.Base.n += 1
    return x + s.Base.n, s.base.n, s.Derived.n, s.derived.n


def of_subclasses(x, s):
    s.Derived.bump()
    s.Base.bump()
    return x + s.Derived.n, s.Base.n, s.derived.n, s.base.n, s.derived.count(), s.base.count()


def made(x, s):
    a, b = s.Base(), s.Derived()
    return x + a.place, b.place, a.n, b.n, s.Base.n


def registers(x, s):
    s.Base.register("a", x + 1)
    s.Derived.register("b", 2)
    s.Base.registry = dict(s.Base.registry, c=3)
    return x + len(s.Derived.registry), s.base.registry["b"], sorted(s.derived.registry)


def a_singleton(x, s):
    one, other = s.Base.only(), s.Base.only()
    return x + 1, one is other, s.base.only() is one, s.Derived._only is one


def tensors(x, s):
    s.Base.total = x.sum() if s.Base.total is None else s.Base.total + x.sum()
    return x + s.Base.total, s.derived.total


def set_and_restored(x, s):
    old = s.Base.scale
    s.Base.scale = 5.0
    try:
        y = x * s.base.scale
    finally:
        s.Base.scale = old
    return y * s.base.scale


def new_names(x, s):
    before = hasattr(s.Derived, "fresh"), hasattr(s.base, "fresh"), getattr(s.derived, "fresh", 4)
    setattr(s.Base, "fresh", [1, x])  # noqa: B010
    return x + s.derived.fresh[0], before[2] is not None, hasattr(s.Base, "fresh"), s.base.fresh is s.Derived.fresh


def shadowed(x, s):
    s.shadowing.n = 10
    s.Derived.n = 7
    s.Base.n = 3
    return x + s.shadowing.n, s.derived.n, s.base.n


def by_property(x, s):
    s.base.current = s.base.current + 1
    s.derived.current += 5
    return x + s.base.current, s.Base._current, s.derived.current


def with_slots(x, s):
    s.Slotted.k += 1
    one = s.Slotted()
    one.a = s.Slotted.k
    return x + one.a + one.k


def modules(x, s):
    return s.Layer(x) + s.Layer(x)


def where_something_is_raised(x, s):
    s.Base.n += 1
    try:
        s.Base.n += 1
        raise ValueError
    except ValueError:
        s.Base.n += s.Base.doubled()
    return x + s.Base.n


FUNCTIONS = [
    counts,
    of_subclasses,
    made,
    registers,
    a_singleton,
    tensors,
    set_and_restored,
    new_names,
    shadowed,
    by_property,
    with_slots,
    modules,
    where_something_is_raised,
]


def state_of(s) -> str:
    """The attributes that the classes have now, and where."""
    text = []
    for name, value in sorted(vars(s).items()):
        owner = value if isinstance(value, type) else type(value)
        attrs = {k: v for k, v in vars(owner).items() if not k.startswith("__") and not callable(v)}
        plain = {k: v for k, v in attrs.items() if isinstance(v, int | float | list | dict | torch.Tensor | None)}
        text.append((name, sorted(plain.items(), key=str), type(attrs.get("_only")).__name__))
    return repr(text)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_each_is_one_graph(function):
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(function, backend="eager", listener=log.append)
    ours, theirs = make(), make()
    for x in (torch.arange(3.0), torch.ones(3), torch.zeros(3)):
        assert repr(compiled(x, ours)) == repr(function(x, theirs))
        assert state_of(ours) == state_of(theirs)
    own = [event["break_reason"] for event in log if event["original"] is function.__code__]
    assert set(own) == {None}


def test_a_change_of_the_classes_is_noticed():
    compiled = _capture.optimize(of_subclasses, backend="eager")
    ours, theirs = make(), make()
    x = torch.ones(3)

    def own(s):
        s.Derived.n = 20

    def of_object(s):
        s.derived.n = 30

    def none(s):
        del s.Derived.n

    def of_base(s):
        s.Base.n = 5

    for change in (lambda s: None, own, of_base, none, of_object, none, of_base):
        change(ours)
        change(theirs)
        assert repr(compiled(x, ours)) == repr(of_subclasses(x, theirs))
        assert state_of(ours) == state_of(theirs)


def test_what_is_more_than_a_write_is_left_to_python():
    class Writing(type):
        def __setattr__(cls, name, value):
            super().__setattr__(name, (name, value))

    class Descriptor:
        def __get__(self, instance, owner=None):
            return "got"

    def run(x):
        class Watched(metaclass=Writing):
            n = 1

        class Plain:
            n = 1

            @property
            def p(self):
                return 1

        def writes(x, watched, plain, method):
            watched.n = 2
            plain.n = Descriptor()
            plain.m = method
            plain.p = 5
            return x + 1, watched.n, plain.n, plain().m(), plain().p

        return writes, Watched, Plain

    writes, *classes = run(0)
    x = torch.ones(3)
    expected = writes(x, *classes, lambda self: 7)
    _, *classes = run(0)
    assert repr(_capture.optimize(writes, backend="eager")(x, *classes, lambda self: 7)) == repr(expected)


def test_a_break_comes_after_the_writes():
    def breaks(x, s):
        s.Base.n += 1
        seen = vars(s.Base)["n"]
        s.Base.n += seen
        return x + s.derived.n, seen

    compiled = _capture.optimize(breaks, backend="eager")
    ours, theirs = make(), make()
    for x in (torch.ones(3), torch.zeros(3)):
        assert repr(compiled(x, ours)) == repr(breaks(x, theirs))
        assert state_of(ours) == state_of(theirs)
