"""Operators and builtin functions that ask objects: reflected, in place, beside tensors, and as numbers."""

from __future__ import annotations

import math
import operator
from typing import Any

import pytest
import torch

from pybind.tests.dynamo.counted import check_one_graph
from rust_inductor import _capture


class Value:
    """Operators of all kinds."""

    def __init__(self, n: Any) -> None:
        self.n = n

    def _of(self, other: Any) -> Any:
        return other.n if isinstance(other, Value) else other

    def __sub__(self, other: Any) -> Any:
        return Value(self.n - self._of(other))

    def __rsub__(self, other: Any) -> Any:
        return Value(other - self.n)

    def __isub__(self, other: Any) -> Any:
        self.n -= self._of(other)
        return self

    def __mul__(self, other: Any) -> Any:
        return Value(self.n * self._of(other))

    def __rmul__(self, other: Any) -> Any:
        return Value(("r", other, self.n))

    def __matmul__(self, other: Any) -> Any:
        return Value(("matmul", self.n, self._of(other)))

    def __rmatmul__(self, other: Any) -> Any:
        return Value(("rmatmul", other))

    def __divmod__(self, other: Any) -> Any:
        return divmod(self.n, self._of(other))

    def __rdivmod__(self, other: Any) -> Any:
        return divmod(other, self.n)

    def __pow__(self, other: Any, modulus: Any = None) -> Any:
        return pow(self.n, self._of(other), modulus)

    def __rpow__(self, other: Any) -> Any:
        return other**self.n

    def __float__(self) -> float:
        return float(self.n)

    def __int__(self) -> int:
        return int(self.n) + 1

    def __complex__(self) -> complex:
        return complex(self.n, 1)

    def __index__(self) -> int:
        return int(self.n)

    def __round__(self, digits: Any = "none") -> Any:
        return ("round", self.n, digits)

    def __floor__(self) -> Any:
        return ("floor", self.n)

    def __ceil__(self) -> Any:
        return ("ceil", self.n)

    def __trunc__(self) -> int:
        return 3

    def __bool__(self) -> bool:
        return bool(self.n > 1)

    def __abs__(self) -> Any:
        return Value(abs(self.n))

    def __neg__(self) -> Any:
        return Value(-self.n)

    def __pos__(self) -> Any:
        return Value(("pos", self.n))

    def __invert__(self) -> Any:
        return Value(("invert", self.n))

    def __format__(self, spec: str) -> str:
        return f"<{self.n}:{spec}>"

    def __repr__(self) -> str:
        return f"Value({self.n})"


class Index:
    """An integer by `__index__` alone."""

    def __init__(self, at: int) -> None:
        self.at = at

    def __index__(self) -> int:
        return self.at

    def __len__(self) -> int:
        return self.at


class Half:
    """A number by `__float__` alone."""

    def __float__(self) -> float:
        return 0.5


class Wrong:
    """Methods that give something else."""

    def __float__(self) -> Any:
        return 1

    def __int__(self) -> Any:
        return True

    def __index__(self) -> Any:
        return "a"


class Beside:
    """The other operand of operators that a tensor leaves to it."""

    def __rmul__(self, other: Any) -> Any:
        return other * 2 + 1

    def __radd__(self, other: Any) -> Any:
        return ("radd", other)

    def __rsub__(self, other: Any) -> Any:
        return ("rsub", other)

    def __rmatmul__(self, other: Any) -> Any:
        return ("rmatmul", other)

    def __rpow__(self, other: Any) -> Any:
        return ("rpow", other)

    def __rtruediv__(self, other: Any) -> Any:
        return ("rtruediv", other)

    def __rdivmod__(self, other: Any) -> Any:
        return ("rdivmod", other)

    def __rlshift__(self, other: Any) -> Any:
        return ("rlshift", other)

    def __mul__(self, other: Any) -> Any:
        return other * 3

    def __eq__(self, other: object) -> Any:
        return ("eq", other)

    def __gt__(self, other: Any) -> Any:
        return ("gt", other)

    def __hash__(self) -> int:
        return 1

    def __index__(self) -> int:
        return 2

    def __float__(self) -> float:
        return 2.0


class Rows(list):
    """A list that multiplies."""

    def __rmul__(self, other: Any) -> Any:
        return [other * item for item in self]


class Unordered:
    """Without operators."""


class Passing:
    """Operators that know no other operand."""

    def __sub__(self, other: Any) -> Any:
        return NotImplemented

    def __rsub__(self, other: Any) -> Any:
        return NotImplemented

    def __lt__(self, other: Any) -> Any:
        return NotImplemented


FIVE, BESIDE, ROWS = Value(5), Beside(), Rows([1, 2])


def reflected(x):
    return x, FIVE - 1, 7 - FIVE, 7.5 - FIVE, 3 * FIVE, "a" * Value(2), [1] * Value(2), FIVE @ 2, 3 @ FIVE, 2**FIVE


def in_place(x):
    value = Value(5)
    same = value
    value -= 2
    value *= 3
    value @= 1
    return x + 1, same, value, value is same


def two_arguments(x):
    of_pow = pow(FIVE, 2), pow(FIVE, 2, 3), pow(2, FIVE), FIVE**2
    return x + 1, divmod(FIVE, 2), divmod(17, FIVE), divmod(FIVE, Value(3)), of_pow, operator.sub(7, FIVE)


def numbers(x):
    of_value = float(FIVE), int(FIVE), complex(FIVE), float(Value(2.5)), operator.index(FIVE)
    of_index = (
        float(Index(3)),
        int(Index(3)),
        complex(Index(3)),
        hex(Index(10)),
        bin(Index(5)),
        oct(Index(8)),
        chr(Index(65)),
    )
    return (
        x * float(FIVE),
        of_value,
        of_index,
        complex(Half()),
        math.floor(Half()),
        math.sqrt(Value(4)),
        math.isnan(Half()),
    )


def rounded(x):
    return x + 1, round(FIVE), round(FIVE, 2), round(FIVE, None), math.floor(FIVE), math.ceil(FIVE), math.trunc(FIVE)


def places(x):
    return x + 1, [1, 2, 3][Index(1)], [1, 2, 3][: Index(2)], list(range(Index(3))), range(10)[FIVE], len(Index(True))


def unary(x):
    return x + 1, abs(Value(-3)), -FIVE, +FIVE, ~FIVE, operator.neg(FIVE), bool(FIVE), not Value(0), bool(Index(0))


def formatted(x):
    return x + 1, format(FIVE), format(FIVE, ">3"), f"{FIVE:a}", f"{FIVE}"


def beside_tensors(x):
    made = Beside()
    products = x * BESIDE, x * made, BESIDE * x, x * ROWS
    others = x + BESIDE, x - BESIDE, x @ BESIDE, x**BESIDE, x / BESIDE, divmod(x, BESIDE), x.long() << BESIDE
    return products, others, x == BESIDE, made == x, x < BESIDE


def beside_tensors_in_place(x):
    y = x + 1
    y *= BESIDE
    z = x + 1
    z += BESIDE
    return y, z


def beside_tensors_by_identity(x):
    plain = Unordered()
    return x + 1, x == plain, x != plain, plain == x, plain != x


def symbolic(x):
    size = Value(x.shape[0])
    return x + float(size), int(size), (size - 1).n, (7 - size).n, divmod(size, 2), len(Index(x.shape[0]))


def errors(x):
    told = []
    value: Any = Passing()
    for ask in (
        lambda: value - value,
        lambda: value - 1,
        lambda: 3.5 - value,
        lambda: None - value,
        lambda: operator.isub(value, 2),
        lambda: value < value,
        lambda: value < 3,
        lambda: value >= None,
        lambda: value ^ 1,
        lambda: value**2,
        lambda: pow(value, 2),
        lambda: divmod(value, 2),
        lambda: -value,
        lambda: +value,
        lambda: ~value,
        lambda: abs(value),
    ):
        try:
            told.append(ask())
        except TypeError as error:
            told.append(str(error))
    return x + 1, told


FUNCTIONS = [
    reflected,
    in_place,
    two_arguments,
    numbers,
    rounded,
    places,
    unary,
    formatted,
    beside_tensors,
    beside_tensors_in_place,
    beside_tensors_by_identity,
    symbolic,
    errors,
]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_each_is_one_graph(function):
    check_one_graph(function)


@pytest.mark.parametrize("dynamic", [True, False])
def test_sizes(dynamic):
    compiled = _capture.optimize(symbolic, backend="eager", dynamic=dynamic)
    for n in (3, 5, 4):
        assert repr(compiled(torch.ones(n))) == repr(symbolic(torch.ones(n)))


@pytest.mark.parametrize("ask", [float, int, operator.index, complex, math.sqrt, round, math.floor, hex])
def test_what_gives_something_else_is_left_to_python(ask):
    def asks(x, value):
        return ask(value), x + 1

    compiled = _capture.optimize(asks, backend="eager")
    x = torch.ones(3)
    for value in (Wrong(), Unordered(), Half(), Index(2)):
        try:
            expected = repr(asks(x, value))
        except TypeError as error:
            with pytest.raises(TypeError) as raised:
                compiled(x, value)
            assert str(raised.value) == str(error)
        else:
            assert repr(compiled(x, value)) == expected


def test_an_object_that_torch_asks_is_asked():
    class Asked:
        @classmethod
        def __torch_function__(cls, function, types, args=(), kwargs=None):
            return "asked"

        def __rmul__(self, other):
            return "reflected"

    def multiplies(x, value):
        return x * value, x == value

    compiled = _capture.optimize(multiplies, backend="eager")
    x = torch.ones(3)
    for value in (Asked(), Beside(), Asked()):
        assert repr(compiled(x, value)) == repr(multiplies(x, value))


def test_a_class_that_gets_or_loses_a_method_is_noticed():
    class Local:
        def __rmul__(self, other):
            return other * 2

    def multiplies(x, value):
        return x * value

    compiled = _capture.optimize(multiplies, backend="eager")
    x, value = torch.ones(3), Local()
    assert repr(compiled(x, value)) == repr(multiplies(x, value))
    Local.__rmul__ = lambda self, other: other * 3  # type: ignore[method-assign]
    assert repr(compiled(x, value)) == repr(multiplies(x, value))
    Local.__torch_function__ = classmethod(lambda cls, *args: "asked")  # type: ignore[attr-defined]
    assert compiled(x, value) == multiplies(x, value) == "asked"
    del Local.__torch_function__  # type: ignore[attr-defined]
    assert repr(compiled(x, value)) == repr(multiplies(x, value))
    del Local.__rmul__
    with pytest.raises(TypeError, match="unsupported operand"):
        compiled(x, value)
