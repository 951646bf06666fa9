"""Classes that are what their metaclass makes of them: calls, containers, registrations and protocols."""

# The programs do what Python lets them do, whatever their types say.
# mypy: ignore-errors

from __future__ import annotations

import abc
import enum
import functools
import inspect
import typing
from typing import Any

import pytest
import torch

from pybind.tests.dynamo.counted import check_one_graph
from rust_inductor import _capture


class Singleton(type):
    made: typing.ClassVar[dict[type, Any]] = {}

    def __call__(cls, *args, **keywords):
        if cls not in cls.made:
            cls.made[cls] = super().__call__(*args, **keywords)
        return cls.made[cls]


class Config(metaclass=Singleton):
    def __init__(self, value=3):
        self.value = value


class Counting(type):
    def __call__(cls, *args, k=1):
        made = super().__call__(*args)
        made.k = k
        return made

    def __len__(cls):
        return 4

    def __getitem__(cls, item):
        return cls.__name__, item

    def __contains__(cls, item):
        return item == 3

    def __iter__(cls):
        return iter([1, 2])


class First(metaclass=Counting):
    def __new__(cls, *args):
        made = super().__new__(cls)
        made.count = len(args)
        return made

    def __init__(self, *args):
        self.args = args


class Second(First):
    pass


class Doubling(type):
    def __call__(cls, value):
        return value * 2


class Doubled(metaclass=Doubling):
    pass


class Odd(type):
    """Has its own idea of everything that a class is asked for."""

    def __bool__(cls):
        return cls.flag

    def __eq__(cls, other):
        return isinstance(other, Odd)

    def __hash__(cls):
        return 7

    def __format__(cls, spec):
        return f"odd{spec}"

    def __add__(cls, other):
        return "sum", other

    def __neg__(cls):
        return -3

    def __getattr__(cls, name):
        return name * 2

    def __index__(cls):
        return 1


class Left(metaclass=Odd):
    flag = False


class Right(metaclass=Odd):
    flag = True


class Empty(type):
    def __len__(cls):
        return 0


class Nothing(metaclass=Empty):
    pass


class Colour(enum.Enum):
    RED = 1
    CRIMSON = RED
    BLUE = "b"


class Quacking(metaclass=abc.ABCMeta):  # noqa: B024
    @classmethod
    def __subclasshook__(cls, other):
        return hasattr(other, "quack") or NotImplemented


@typing.runtime_checkable
class Protocol(typing.Protocol):
    def quack(self): ...


@typing.runtime_checkable
class WithValue(typing.Protocol):
    value: int


class Duck:
    def quack(self):
        return 1


class Stone:
    def __init__(self):
        self.value = 3


DUCK, STONE = Duck(), Stone()


class Guarded:
    """Attributes that are written and deleted in ways of its own."""

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value * 2)

    def __delattr__(self, name):
        object.__delattr__(self, name)
        object.__setattr__(self, "last", name)


@functools.singledispatch
def shown(value):
    return f"an object {value}"


@shown.register
def _(value: int):
    return value + 1


@shown.register(torch.Tensor)
def _(value):
    return value.sum()


@shown.register(typing.cast("type", Quacking))
def _(value):
    return 7


class Showing:
    @functools.singledispatchmethod
    def of(self, value):
        return 0

    @of.register
    def _(self, value: int):
        return value + 1

    @of.register
    def _(self, value: str):
        return len(value)


SHOWING = Showing()


def singletons(x):
    return x + Config(5).value, Config() is Config()


def made_by_metaclass(x):
    made = Second(1, x, k=7)
    return x + made.count + made.k, made.args, type(made) is Second


def not_made(x):
    return Doubled(x)


def containers(x):
    return x + len(Second) + (3 in First), Second["q"], list(First), 4 in Second


def members_by_name(x):
    return x + Colour["RED"].value, Colour["CRIMSON"] is Colour.RED, Colour["BLUE"]


def hooks(x):
    return (
        x,
        isinstance(DUCK, Quacking),
        isinstance(STONE, Quacking),
        isinstance(3, Quacking),
        issubclass(Duck, Quacking),
    )


def protocols(x):
    return x, isinstance(DUCK, Protocol)


def deleted(x):
    made = Guarded()
    made.k = 3
    value = made.k
    del made.k
    return x + value, made.last, hasattr(made, "k")


def dispatched(x):
    return shown(x) + shown(4), shown("s"), shown(True)


def dispatched_method(x):
    return x + SHOWING.of(3) + SHOWING.of("abc") + SHOWING.of(2.5)


def bound_functions(x):
    def add(this, value=1):
        return this + value

    return add.__get__(x)(), add.__get__(x, torch.Tensor)(2), add.__get__(None, int) is add


@pytest.mark.parametrize(
    "program",
    [
        singletons,
        made_by_metaclass,
        not_made,
        containers,
        members_by_name,
        hooks,
        protocols,
        deleted,
        dispatched,
        dispatched_method,
        bound_functions,
    ],
    ids=lambda program: program.__name__,
)
def test_same_as_python(program: Any) -> None:
    Config()
    check_one_graph(program)


def test_the_first_call_of_a_singleton() -> None:
    Singleton.made.clear()
    compiled = _capture.optimize(singletons, "eager", fullgraph=True)
    for _ in range(2):
        x, is_one = compiled(torch.ones(3))
        assert x.tolist() == [6.0] * 3 and is_one and list(Singleton.made) == [Config]
    assert Config().value == 5


def truth(x):
    return x + (1 if Left else 2) + (10 if Right else 20) + (100 if Nothing else 200), not Right, Nothing or 4


def equality(x):
    return x, Left == Right, Left == 3, Left != Right, Left in [Right], Right in (1, Left), {Left: 1}.get(Right)


def texts_and_operators(x):
    return f"{Left} {Right:z}", Left + x, -Left, [5, 6, 7][Right], Left.missing, hash(Left)


@pytest.mark.parametrize("program", [truth, equality, texts_and_operators], ids=lambda program: program.__name__)
def test_what_a_metaclass_says_of_its_classes(program: Any) -> None:
    check(program)


def test_what_comes_into_a_metaclass_later() -> None:
    class Plain(type):
        pass

    class One(metaclass=Plain):
        pass

    class Two(metaclass=Plain):
        pass

    check(
        lambda x: (x, bool(One), One == Two, {One: 1}.get(Two), f"{One}"[:3]),
        lambda: setattr(Plain, "__len__", lambda cls: 0),
        lambda: setattr(Plain, "__eq__", lambda cls, other: True),
        lambda: setattr(Plain, "__hash__", lambda cls: 3),
        lambda: setattr(Plain, "__format__", lambda cls, spec: "abc"),
    )


def check(program: Any, *changes: Any) -> None:
    """Checks a program again after each change of what it has read."""
    compiled = _capture.optimize(program, "eager")
    x = torch.ones(3)
    assert repr(compiled(x)) == repr(program(x))
    for change in changes:
        change()
        assert repr(compiled(x)) == repr(program(x))


def test_what_is_changed_in_a_metaclass(monkeypatch: pytest.MonkeyPatch) -> None:
    def called(cls, *args, k=1):
        made = type.__call__(cls, *args)
        made.k = -k
        return made

    check(
        lambda x: (x + len(Second), Second(1, k=2).k),
        lambda: monkeypatch.setattr(Counting, "__len__", lambda cls: 9),
        lambda: monkeypatch.setattr(Counting, "__call__", called),
    )
    check(lambda x: Colour["RED"], lambda: monkeypatch.setattr(Config, "made", {}, raising=False))
    check(lambda x: (x, len(Config.made)), lambda: Singleton.made.update(other=1))


def test_what_is_registered_later() -> None:
    class Later:
        pass

    later = Later()

    @functools.singledispatch
    def kind(value):
        return 0

    check(
        lambda x: (x, isinstance(later, Quacking), kind(later), kind(x)),
        lambda: Quacking.register(Later),
        lambda: kind.register(Later, lambda value: 1),
        lambda: kind.register(torch.Tensor, lambda value: 2),
    )


def test_choices_are_kept() -> None:
    def kept(compile: Any) -> list[str]:
        @functools.singledispatch
        def kind(value):
            return 0

        compile(lambda x: (x, kind(x), kind("s")))(torch.ones(3))
        choices = inspect.getclosurevars(kind.dispatch).nonlocals["dispatch_cache"]
        return sorted(map(str, choices))

    assert kept(lambda program: _capture.optimize(program, "eager")) == kept(lambda program: program)


def test_an_abstract_class_among_the_choices() -> None:
    check(lambda x: (x, shown(DUCK), shown(STONE.value)))


def test_protocols_of_values() -> None:
    stone = Stone()
    check(
        lambda x: (x, isinstance(stone, WithValue), isinstance(stone, Protocol)),
        stone.__dict__.clear,
        lambda: stone.__dict__.update(quack=len),
    )


def test_an_error_of_no_member() -> None:
    compiled = _capture.optimize(lambda x, name: (x, Colour[name]), "eager")
    for name in ("BLUE", "GREEN", "RED"):
        if name == "GREEN":
            with pytest.raises(KeyError, match="GREEN"):
                compiled(torch.ones(1), name)
        else:
            assert compiled(torch.ones(1), name)[1] is Colour[name]
