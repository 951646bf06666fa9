"""Functions whose graphs are compared with those of torch's Dynamo: `ROWS`, each with the arguments of a call."""

# The rows are written as programs are, not as they should be.
# mypy: disable-error-code="attr-defined, union-attr"
# ruff: noqa: F841, RET504, RUF005, SIM300

from __future__ import annotations

import collections
import dataclasses
import enum
import functools
import itertools
import math
import operator
import types
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F

X, Y, SQUARE = torch.ones(4, 3), torch.full((4, 3), 2.0), torch.arange(16.0).reshape(4, 4)
CUBE = torch.arange(24.0).reshape(2, 3, 4)
LONG = torch.arange(6)
SCALE = torch.nn.Parameter(torch.tensor([0.5, -1.5, 2.0]))
OFFSET = torch.nn.Buffer(torch.tensor([1.0, 2.0, 3.0]))
WEIGHT = torch.nn.Parameter(torch.linspace(-1, 1, 15).reshape(5, 3))
PLAIN = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
FACTOR = 3
NAMES: dict[str, Any] = {"scale": 2.0, "weight": WEIGHT}
Pair = collections.namedtuple("Pair", ["first", "second"])


@dataclasses.dataclass(frozen=True)
class Row:
    """A function, what it is called with, and in how many graphs it falls."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    #: True if there are no symbols with which to compare.
    static: bool = False


ROWS: list[Row] = []


def row(*args: Any, static: bool = False) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Take a function among the rows."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        ROWS.append(Row(function, args, static))
        return function

    return add


# Parameters, buffers, and what else is found outside of the function.


@row(X)
def scaled(x):
    return F.relu(x * SCALE)


@row(X)
def offset(x):
    return x * SCALE + OFFSET


@row(X)
def linear(x):
    return F.linear(x, WEIGHT)


@row(X)
def weight_of_a_dict(x):
    return x @ NAMES["weight"].t() * NAMES["scale"]


@row(X)
def rows_of_a_parameter(x):
    return x * WEIGHT.shape[1] + WEIGHT.sum() + x.shape[1]


@row(X)
def plain_leaf(x):
    return x * PLAIN


@row(X, SCALE)
def parameter_as_argument(x, scale):
    return x * scale + scale.shape[0]


def _closure() -> Callable[..., Any]:
    weight, factor = torch.nn.Parameter(torch.ones(3)), 2

    def closed(x):
        return x * weight * factor

    return closed


row(X)(_closure())


class Holder:
    """Has a parameter, a buffer, a number."""

    def __init__(self) -> None:
        self.weight = torch.nn.Parameter(torch.ones(3))
        self.table = [torch.full((3,), 2.0), torch.nn.Parameter(torch.full((3,), 3.0))]
        self.factor = 2


HOLDER = Holder()


@row(X)
def attribute_of_a_global(x):
    return x * HOLDER.weight * HOLDER.factor + HOLDER.table[1] - HOLDER.table[0]


@row(X, HOLDER)
def attribute_of_an_argument(x, holder):
    return x * holder.weight + holder.factor


# Integers and sizes.


@row(X, Y)
def rows(a, b):
    return a.shape[0] * a * b


@row(X)
def halves(x):
    return x[: x.size(0) // 2] + 1


@row(X)
def size_twice(x):
    return x.size(0), x.shape[0], x + 1


@row(X)
def sum_of_sizes(x):
    n = x.shape[0] + x.shape[1]
    return x * n


@row(X)
def size_arithmetic_late(x):
    n = x.shape[0] * 2
    m = n + x.shape[1]
    y = x + 1
    return y * m


@row(X)
def size_arithmetic_unused(x):
    n = x.shape[0] * 2
    return x + 1


@row(X)
def size_arithmetic_twice(x):
    return x * (x.shape[0] + 1) - (x.shape[0] + 1)


@row(X)
def size_returned(x):
    return x + 1, x.shape[0] + 1


@row(X)
def same_number_twice(x):
    n = x.shape[0] * 2
    return x * n, n, n


@row(X)
def only_a_size(x):
    return x.shape[0] * 2


@row(X)
def shape_returned(x):
    return x.shape, x * 2


@row(X)
def unpacked_shape(x):
    n, m = x.shape
    return x.reshape(m, n) * n


@row(X)
def numel(x):
    return x * x.numel()


@row(X)
def length(x):
    return x / len(x)


@row(CUBE)
def sizes_to_a_view(x):
    b, n, d = x.size()
    return x.view(b * n, d) + b


@row(CUBE)
def slice_of_a_shape(x):
    return x.new_zeros(x.shape[:-1]) + 1


@row(CUBE)
def sum_of_shapes(x):
    return torch.zeros(x.shape[:1] + (2,)) + x.shape[1]


@row(CUBE)
def product_of_a_shape(x):
    return x + math.prod(x.shape)


@row(CUBE)
def shape_numel(x):
    return x + x.shape.numel()


@row(X)
def size_negated(x):
    return x * -x.shape[0]


@row(X)
def size_divided(x):
    return x / (x.shape[0] % 3 + 1)


@row(X)
def size_compared(x):
    if x.shape[0] > 2:
        return x + 1
    return x - 1


@row(X)
def size_minimum(x):
    return x * min(x.shape[0], 100)


@row(X)
def size_maximum(x):
    return x[: max(x.shape[0] - 2, 1)]


@row(X)
def size_to_int(x):
    return x * int(x.shape[0])


@row(X)
def size_to_float(x):
    return x * float(x.shape[0])


@row(X)
def size_true_division(x):
    return x * (x.shape[0] / 2)


@row(X)
def size_power(x):
    return x * x.shape[0] ** 2


@row(X, 7)
def integer(x, n):
    return x * n + 1


@row(X, 7)
def integer_arithmetic(x, n):
    m = n * 2 + 1
    return x * m, m


@row(X, 7)
def integer_returned(x, n):
    return x + 1, n


@row(X, 7)
def integer_compared(x, n):
    y = x**2
    if n >= 0:
        return (n + 1) * y
    return y / n


@row(X, 7)
def integer_unused(x, n):
    return x + 1


@row(X, 2.5)
def float_argument(x, f):
    return x * f + f


@row(X, 2)
def dim_argument(x, n):
    return x.sum(n - 2)


@row(X)
def size_of_a_result(x):
    y = torch.cat([x, x])
    return y * y.shape[0]


@row(X)
def arange_of_a_size(x):
    return torch.arange(x.shape[0]) + x.size(0)


@row(X)
def arange_to_compare(x):
    positions = torch.arange(0, x.size(0), device=x.device)
    return x * (positions < x.size(0) - 1).unsqueeze(1)


@row(X)
def loop_over_sizes(x):
    total = 0
    for size in x.shape:
        total = total + size
    return x + total


@row(X)
def stride_of_an_input(x):
    return x * x.stride(0)


@row(X)
def as_strided(x):
    return torch.as_strided(x, (x.size(1),), (1,))


# Forms of calls.


@row(X, Y)
def mse(x, y):
    return ((x - y) ** 2).mean()


@row(X)
def transposed(x):
    return x.T @ x + x.mT.sum()


@row(X)
def conjugate_transposed(x):
    return x.H.sum(), x.mH.sum()


@row(X)
def converted(x):
    return x.type(torch.float64) + x.to(torch.float64) + x.double()


@row(X, Y.double())
def converted_to(x, y):
    return x.to(y), x.to("cpu"), x.to(device="cpu", dtype=torch.float16), x.type_as(y)


@row(X)
def attributes(x):
    if x.is_floating_point() and x.ndim == 2 and x.dim() == 2 and not x.is_cuda and x.dtype == torch.float32:
        return x + 1
    return x - 1


@row(X)
def iteration(x):
    total = 0
    for part in x:
        total = total + part
    return total


@row(SQUARE)
def unpacked(x):
    a, b, c, d = x
    return a * b - c * d


@row(SQUARE)
def unbound(x):
    a, b, *rest = x.unbind(0)
    return a * b, rest


@row(SQUARE)
def split(x):
    a, b = x.split(2)
    c, d = torch.chunk(x, 2, dim=1)
    return a @ c, b @ d


@row(SQUARE)
def largest(x):
    values, indices = x.max(dim=1)
    return values, indices, x.topk(2).values


@row(SQUARE)
def largest_by_name(x):
    return torch.max(x, 0).values + x.sort().indices


@row(CUBE, 1)
def indexing(x, i):
    return x[i, None, ..., 1:], x[..., 0], x[:, 1], x[0], x[-1, ::2]


@row(SQUARE, torch.tensor([0, 2]))
def indexing_by_tensors(x, index):
    return x[index], x[:, index], x[x > 2]


@row(SQUARE)
def indexing_by_lists(x):
    return x[[0, 1]], x[(0, 1)], x[[0, 1], [1, 2]]


@row(X)
def in_place(x):
    x.add_(1)
    return x * 2


@row(X)
def in_place_of_a_result(x):
    y = x + 1
    y.mul_(2)
    y += x
    return y


@row(X)
def in_place_of_a_view(x):
    y = x + 1
    y[0] += 1
    y[1:] *= 2
    return y


@row(X)
def item_assignment(x):
    y = torch.zeros_like(x)
    y[0] = x[1]
    y[:, 1] = 5
    return y


@row(X)
def in_place_operators(x):
    y = x.clone()
    y += 1
    y -= x
    y *= 2
    y /= 3
    y **= 2
    return y


@row(X, Y)
def out(x, y):
    z = torch.empty_like(x)
    torch.add(x, y, out=z)
    return z * 2


@row(X)
def literal(x):
    return x + torch.tensor([1.0, 2.0, 3.0])


@row(X)
def literal_of_a_size(x):
    return x + torch.tensor(x.shape[0])


@row(X)
def factories(x):
    return x.new_zeros(2, 3), x.new_ones((2,)), x.new_full((2, 2), 3.0), x.new_empty(0), x.new_tensor([1.0])


@row(X)
def factories_like(x):
    return torch.zeros_like(x) + torch.ones_like(x) + torch.full_like(x, 2.0)


@row(X)
def factories_of_sizes(x):
    return torch.zeros(x.shape[0], 2) + 1, torch.arange(x.shape[1]), torch.full((x.size(0),), 2.0), torch.eye(x.size(0))


@row(X)
def functional(x):
    return F.gelu(F.softmax(x, dim=-1)), F.layer_norm(x, (3,)), F.dropout(x, 0.5, training=False), F.pad(x, (1, 1))


@row(X)
def functional_more(x):
    return F.silu(x), F.leaky_relu(x, 0.2), F.normalize(x), F.one_hot(torch.tensor([0, 2]), 3), F.mse_loss(x, x * 2)


@row(X)
def functional_traced(x):
    return F.rms_norm(x, (3,)), F.threshold(x, 0.1, 20.0), F.lp_pool1d(x, 2.0, 2), F.pad(x, (1, 1), mode="reflect")


@row(X)
def operators(x):
    y = operator.sub(operator.pow(x, 2), operator.truediv(x, 3))
    z = operator.and_(x > 0, operator.inv(x > 1)), operator.matmul(x, operator.getitem(x, 0)), operator.abs(-x)
    return operator.iadd(y, 1), operator.add([x], [operator.pos(x)]), operator.lt(x, y), *z


@row(X)
def operators_of_sizes(x):
    n = operator.add(operator.mul(x.shape[0], 2), operator.neg(x.shape[1]))
    return x * n + operator.floordiv(n, 2), operator.eq(n, 5), operator.mod(n, 4)


@row(X)
def accumulated(x):
    return list(itertools.accumulate([x, x + 1])), functools.reduce(operator.sub, [x, x * 2]), sum([x, x], x)


@row(X, 1.5)
def floats_everywhere(x, scale):
    def times(y, factor=0.25):
        return y * factor

    return times(x) * scale * NAMES["scale"]


@row(X)
def overloads(x):
    return torch.ops.aten.add.Tensor(x, x) + torch.ops.aten.relu(x)


@row(SQUARE, SQUARE + 1)
def products(x, y):
    return x @ y, torch.matmul(x, y), x.matmul(y), torch.mm(x, y), x.mm(y)


@row(X)
def unary(x):
    return -x, abs(x), +x, x.abs(), torch.neg(x), ~(x > 1)


@row(X, Y)
def comparisons(x, y):
    return x < y, x <= 1, 1 > y, x == y, x != 2, (x > 1) & (y > 1), (x > 1) | (y < 3), (x > 1) ^ (y > 1)


@row(LONG)
def integers_of_tensors(x):
    return x // 2, x % 3, x << 1, x >> 1, 7 // (x + 1), 2**x, x**2, 1 / (x + 1), 5 - x


@row(X, Y, True)
def choice(x, y, flag):
    return (x if flag else y) + 1


@row([X, Y])
def joined(items):
    return torch.cat(items), torch.stack(items, dim=1), torch.cat((items[0], items[1]), -1)


@row([SQUARE, SQUARE * 2])
def listed(items):
    return items[0] @ items[1] - items[0].sum()


@row({"left": X, "right": Y})
def named(table):
    return table["left"] + table["right"] * 2


@row({"left": X, "right": {"inner": [Y, X]}})
def nested(table):
    return table["right"]["inner"][0] + table["left"] * table["right"]["inner"][1]


@row(X)
def keywords(x):
    return torch.sum(x, dim=-1, keepdim=True) + x.mean(dim=1, keepdim=True)


@row(X)
def methods(x):
    return x.view(-1).sum(), x.t().contiguous()


@row(X)
def views(x):
    return x.reshape(-1, 2), x.unsqueeze(0).expand(2, -1, -1), x.permute(1, 0), x.flatten(), x.squeeze()


@row(X)
def einsum(x):
    return torch.einsum("ij,kj->ik", x, x), torch.where(x > 0, x, 0.0), torch.clamp(x, 0, 1), x.clamp(min=0.5)


@row(X)
def no_grad(x):
    with torch.no_grad():
        y = x * SCALE
    return y + SCALE


@row(X)
def detached(x):
    return (x * SCALE).detach() + 1, (x * SCALE).requires_grad


@row(X)
def inlined(x):
    def twice(y, factor=2):
        z = y * factor
        return z + 1

    return twice(twice(x), 3)


@row(X)
def through_map(x):
    return sum(map(operator.neg, [x, x * 2])) + functools.reduce(operator.mul, [x, x + 1])


@row(X)
def decorated_name(x):
    y = x + 1
    z = y
    y = z * 2
    return y


@row(X)
def names_that_clash(x):
    add = x * 2
    mul = add + 1
    y = mul * add
    y = y + 1
    y = y - 1
    return y


@row(X)
def captures_a_number(x):
    return x * FACTOR


# What is returned.


@row(X)
def nested_outputs(x):
    y = x + 1
    return {"a": [y, (x * 2, y)], "b": y}, Pair(y, x - 1)


@row(X)
def duplicates(x):
    y = x + 1
    return y, y, [y]


@row(X)
def input_given_back(x):
    return x, x + 1


@row(X)
def input_alone(x):
    return x


@row(X)
def constant_given_back(x):
    y = x + 1
    return y, 3, None, "text"


@row(X)
def only_a_constant(x):
    x + 1
    return 3


@row(X)
def nothing_used(x):
    y = x + 1
    z = x * 2
    return y


@row(X)
def view_given_back(x):
    y = x.view(-1)
    return y, x.detach(), x[0]


@row([X])
def appended(items):
    y = items[0] + 1
    items.append(y)
    return y * 2


@row(X, X)
def same_input(x, y):
    return x + y


@row(X, Y)
def order_of_use(a, b):
    return b * 2 + a


@row(X, Y)
def unused_input(a, b):
    return a + 1


# Getters, groups, and the containers of `collections`.


@row(X, Y)
def through_getters(x, y):
    pairs = sorted([(2, x), (1, y)], key=operator.itemgetter(0))
    return operator.itemgetter(1)(pairs[0]) + 1, operator.attrgetter("T")(x) * 2, operator.methodcaller("sum", 0)(y)


@row(X, collections.OrderedDict(a=Y, b=torch.zeros(4, 3)))
def ordered_dict(x, table):
    for name, value in table.items():
        x = x * value + len(name)
    table.move_to_end("a")
    return x


@row(X)
def default_dict(x):
    found = collections.defaultdict(list)
    for n in range(3):
        found[n % 2].append(x + n)
    return found[0][1] * found[1][0]


@row(X, Y)
def through_a_deque(x, y):
    total = x + y
    waiting = collections.deque([x, y])
    waiting.append(total)
    waiting.appendleft(waiting.pop() * 2)
    return waiting.popleft() - waiting[-1]


@row(X)
def grouped(x):
    for key, group in itertools.groupby([1, 1, 2]):
        x = x * key + sum(group)
    return x


@row(X)
def asked_of_a_tensor(x):
    y = x + getattr(x, "absent", 3)
    return y * 2 if hasattr(x, "shape") and x.layout is torch.strided else y


class Halved:
    def __init__(self, value):
        self.value = value

    @property
    def half(self):
        return self.value * 0.5


@row(X, Halved(Y))
def through_a_property(x, thing):
    return x + thing.half


@row(X, types.SimpleNamespace(scale=2.0, inner=types.SimpleNamespace(offset=Y)))
def through_a_namespace(x, config):
    config.last = x * config.scale
    return config.last + config.inner.offset if hasattr(config, "inner") else x


class Mode(enum.Enum):
    ADD = 1
    MULTIPLY = 2


class Part(enum.Flag):
    SCALE = 1
    OFFSET = 2
    CLIP = 4


@row(X, Y)
def members_of_an_enumeration(x, y):
    for mode in Mode:
        x = x + y if mode is Mode(1) else x * y
    return x * len(Mode)


@row(X, Part.SCALE)
def flags_combined(x, parts):
    parts |= Part.CLIP
    if Part.SCALE in parts and not parts & Part.OFFSET:
        x = x * 2
    return x.clamp(max=3) if parts & ~Part.SCALE else x


# Exceptions of the program's classes.


class Coded(Exception):
    code = 3

    def __init__(self, at, factor=2):
        super().__init__(f"bad {at}")
        self.at, self.factor = at, factor


def refused(x, at):
    if at > 2:
        raise Coded(at, x.sum())
    return x + at


@row(X)
def through_an_exception(x):
    try:
        y = refused(x, 1)
        refused(y, 5)
    except Coded as error:
        error.note = len(str(error))
        return x * error.factor + error.at * error.code + error.note


@row(X)
def an_exception_from_another(x):
    try:
        try:
            refused(x, 3)
        except Coded as error:
            raise ValueError("outer") from error
    except ValueError as error:
        return x + error.__cause__.factor


@row(X)
def exceptions_collected(x):
    errors = []
    for at in range(5):
        try:
            x = refused(x, at)
        except Coded as error:
            errors.append((error.args, error.at))
    return x * len(errors), errors


@row(X)
def a_key_that_is_missing(x):
    try:
        return x + {"a": 1}["b"]
    except KeyError as error:
        return x * len(repr(error))
