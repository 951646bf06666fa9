"""Single expressions and statements whose result is not what their look suggests: each is compared with plain Python.

A case gives its function and its arguments anew each time; results are compared with their flags, and with what was
noted on the way.
"""

from __future__ import annotations

import collections
import enum
import functools
import re
import traceback
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional

import rust_inductor
from rust_inductor import _capture

Case = Callable[..., Any]
CASES: dict[str, tuple[Case, tuple[Any, ...]]] = {}


def case(*arguments: Any) -> Callable[[Case], Case]:
    """Registers a function of a list of notes and of these arguments."""

    def register(function: Case) -> Case:
        CASES[function.__name__] = (function, arguments)
        return function

    return register


def matrix() -> torch.Tensor:
    return torch.arange(6.0).reshape(2, 3)


def weight() -> torch.Tensor:
    return matrix().requires_grad_()


@case(matrix)
def rows_backwards_are_copies(notes, x):
    for row in reversed(x):
        row.add_(10)
    return x * 1


@case(lambda: torch.zeros(2, 1).expand(2, 3))
def a_write_to_repeated_elements(notes, x):
    notes.append("before")
    try:
        x -= 1
    except RuntimeError as error:
        notes.append(str(error))
    return x + 1


@case(lambda: np.ones(3))
def tensors_of_one_array(notes, a):
    one, two = torch.from_numpy(a), torch.from_numpy(a)
    one.add_(1)
    notes.append(one is two)
    return one, two, [torch.from_numpy(a + 1) for _ in range(2)]


@case(matrix)
def a_tensor_of_a_tensors_array(notes, x):
    same = torch.from_numpy(x.numpy())
    notes.append(same is x)
    return same.mul_(2), x


def scaled_by(x, by, offset=0):
    return x * by + offset


@case(matrix, lambda: functools.partial(scaled_by, by=3, offset=2))
def the_keywords_of_a_partial(notes, x, partial):
    keywords = partial.keywords
    notes.append([keywords is partial.keywords, sorted(keywords), len(keywords)])
    return partial(x), x * keywords["by"], keywords


@case(matrix, lambda: functools.partial(scaled_by, by=3))
def changed_keywords_of_a_partial(notes, x, partial):
    before = partial(x)
    partial.keywords["by"] = 10
    return before, partial(x), functools.partial(partial, offset=1)(x), partial.keywords


@case(matrix)
def a_reversed_tensor_is_a_tensor(notes, x):
    return isinstance(reversed(x), torch.Tensor), reversed(x) * 2, reversed(x.sum()), list(reversed(x[0]))


@case(lambda: np.ones((2, 3)))
def a_reversed_array_is_an_iterator(notes, a):
    return [row + 1 for row in reversed(a)], isinstance(reversed(a), np.ndarray)


@case(matrix)
def tensors_have_no_divmod(notes, x):
    try:
        return divmod(x, 2)
    except TypeError as error:
        notes.append(str(error))
    return x + divmod(x.shape[1], 2)[1]


PROXY = types.MappingProxyType({"scale": 5, "shift": 2})


@case(matrix)
def items_of_a_mapping_proxy(notes, x):
    return x * PROXY["scale"], PROXY["shift"], PROXY.get("none", 3), list(PROXY), "scale" in PROXY


@torch.no_grad()
def doubled_and_tripled(x):
    sent = yield x * 2
    yield x * (sent or 3)


@torch.enable_grad()
def recorded(x):
    for factor in range(2):
        yield x * factor


@case(weight)
def a_generator_within_a_mode(notes, x):
    halves = [half.requires_grad for half in doubled_and_tripled(x)]
    return halves, torch.is_grad_enabled(), x * 2


@case(weight)
def a_generator_within_a_mode_step_by_step(notes, x):
    steps = doubled_and_tripled(x)
    first = next(steps)
    between = x * 5
    last = steps.send(7)
    steps.close()
    return first, between, last, torch.is_grad_enabled()


@case(weight)
def a_generator_within_a_mode_within_another(notes, x):
    with torch.no_grad():
        products = [y.requires_grad for y in recorded(x)]
        return products, x * 2, torch.is_grad_enabled()


BUFFER = torch.nn.Buffer(torch.ones(3))


@case(matrix)
def buffers_are_known(notes, x):
    kinds = [isinstance(it, (torch.nn.Buffer, int)) for it in (BUFFER, x, x + 1, 2)]
    return kinds, isinstance(BUFFER, torch.nn.Parameter), x + BUFFER


@case(lambda: torch.ones(0, 2))
def chunks_of_nothing(notes, x):
    return x.chunk(2), x.T.chunk(3, 1), torch.unsafe_chunk(x, 2), x + 1


class Noisy:
    def __init__(self, notes):
        self.notes = notes

    def __del__(self):
        self.notes.append("gone")


@case(matrix)
def objects_with_finalizers_die_in_their_place(notes, x):
    noisy = Noisy(notes)
    y = x + len(noisy.notes)
    del noisy
    notes.append("after")
    other = Noisy(notes)
    other = y
    notes.append("later")
    return other


@case(lambda: np.ones(2))
def broadcast_arrays_are_read_only(notes, a):
    wide = np.broadcast_to(a, (2, 2))
    return wide.flags.writeable, np.diagonal(np.outer(a, a)).flags.writeable, a + 1


@case(matrix, lambda: [3, 4])
def a_cell_that_nobody_reads_any_more(notes, x, numbers):
    last = numbers.pop()

    def later():
        return last

    try:
        del numbers[5]
    except IndexError as error:
        notes.append(str(error))
    return x + 1


@case(weight)
def a_manager_within_itself(notes, x):
    off = torch.no_grad()
    with off:
        with off:
            y = x * 2
        notes.append(torch.is_grad_enabled())
        z = y + 1
    notes.append(torch.is_grad_enabled())
    torch.set_grad_enabled(True)
    return y, z, x * 3


@case(weight)
def a_manager_within_itself_and_a_break(notes, x):
    off, half = torch.no_grad(), torch.autocast("cpu")
    with off, half:
        y = x @ x.T
        notes.append(id(off) == 0)
        with off:
            with half:
                z = y @ y
            notes.append((torch.is_grad_enabled(), torch.is_autocast_enabled("cpu")))
    notes.append((torch.is_grad_enabled(), torch.is_autocast_enabled("cpu")))
    torch.set_grad_enabled(True)
    result = x @ x.T
    torch.set_autocast_enabled("cpu", False)
    return y, z, result


class Colour(enum.Enum):
    RED = "r"
    BLUE = "b"
    ROT = "r"  # noqa: PIE796

    @classmethod
    def _missing_(cls, value):
        return cls.BLUE if value == "?" else None


class Access(enum.Flag):
    READ = 1
    WRITE = 2
    RUN = 4


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


@case(matrix, lambda: Access.READ | Access.WRITE)
def members_of_enumerations(notes, x, access):
    for value in ("r", "b", Colour.ROT, "?", "none"):
        try:
            notes.append(Colour(value))
        except ValueError as error:
            notes.append(str(error))
    notes.append((list(Colour), len(Colour), [member.name for member in Access], max(Level), Level(2) + 1))
    notes.append((access & Access.WRITE, access ^ Access.READ, ~access, bool(access & Access.RUN), Access(6)))
    notes.append((Access.READ in access, Access.RUN in access, access == Access(3), str(access), hash(access) > 0))
    return x * Level(1) if access | Access.RUN else x


@case(lambda: types.SimpleNamespace(scale=2.0, names=["a"], inner=types.SimpleNamespace(count=1)), matrix)
def namespaces(notes, config, x):
    config.scale += 1
    config.made = config.scale * 2
    config.inner.count += 1
    config.names.append("b")
    del config.inner
    try:
        notes.append(config.inner)
    except AttributeError as error:
        notes.append(type(error).__name__)
    notes.append((sorted(vars(config)), config == types.SimpleNamespace(scale=3.0), getattr(config, "none", None)))
    made = types.SimpleNamespace(**vars(config))
    return x * config.made, made.names is config.names, repr(made)


class Output(collections.OrderedDict):
    """Gives its entries as the outputs of `transformers` do."""

    def __getitem__(self, name):
        return super().__getitem__(name) + 1


class Held(dict):
    """Is read as a dict wherever it is copied."""

    def __getitem__(self, name):
        return 7


class Mapping:
    """Has no more than it takes to be copied to a dict."""

    def keys(self):
        return ["ab"]

    def __getitem__(self, name):
        return name * 2

    def __iter__(self):
        return iter(["zz"])

    def __eq__(self, other):
        return type(other) is Mapping

    def __hash__(self):
        return 1


@case(
    lambda: [
        Output(ab=3),
        Held(ab=3),
        Mapping(),
        collections.ChainMap({"ab": 3}),
        collections.UserDict({"ab": 3}),
        types.MappingProxyType({"ab": 3}),
        types.SimpleNamespace(ab=3).__dict__,
        [["ab", 3], "cd"],
    ],
    matrix,
)
def mappings_copied_to_dicts(notes, mappings, x):
    for mapping in mappings:
        updated, ordered = {}, collections.OrderedDict()
        updated.update(mapping)
        ordered.update(mapping)
        notes.append(
            (dict(mapping), updated, ordered, collections.OrderedDict(mapping), collections.defaultdict(int, mapping))
        )
        try:
            notes.append({**mapping})
        except TypeError:
            notes.append("no mapping")
    made = Output(ab=x)
    copies = [dict(made), dict(collections.ChainMap({"ab": x})), dict(vars(types.SimpleNamespace(ab=x)))]
    return [list(copy.items()) for copy in copies]


class Two:
    def __init__(self):
        self.ab, self.cd = 1, 2


class Paired(dict):
    pass


@case(matrix, lambda: Paired(ab=3))
def dicts_of_mappings(notes, x, paired):
    gathered = {"x": 0}
    gathered.update(vars(Two()))
    notes.extend([gathered, dict(vars(Two())), {**vars(Two())}])
    y = x + 1
    notes.extend([dict(paired), {**Paired(ef=4)}])
    return y


@pytest.mark.parametrize("name", CASES)
def test_like_plain_python(name: str) -> None:
    function, arguments = CASES[name]
    plain_notes: list[Any] = []
    notes: list[Any] = []
    compiled = _capture.optimize(function, "eager")
    for _ in range(2):
        given, taken = ([make() for make in arguments] for _ in range(2))
        expected, found = function(plain_notes, *given), compiled(notes, *taken)
        compare([expected, given], [found, taken])
        assert notes == plain_notes


def lines(error: BaseException) -> list[int | None]:
    """The lines of a traceback."""
    return [frame.lineno for frame in traceback.extract_tb(error.__traceback__)]


def compare(expected: Any, found: Any) -> None:
    """Tensors with their flags and strides, in the structure that they lie in; anything else by `==`."""
    assert type(found) is type(expected)
    if isinstance(expected, torch.Tensor):
        torch.testing.assert_close(found, expected, rtol=0, atol=0, check_stride=True)
        assert (found.requires_grad, found.is_leaf) == (expected.requires_grad, expected.is_leaf)
    elif isinstance(expected, np.ndarray):
        assert np.array_equal(found, expected)
        assert (found.dtype, found.flags.writeable) == (expected.dtype, expected.flags.writeable)
    elif isinstance(expected, BaseException):
        for part in (vars, lambda error: error.args, lines, lambda error: [error.__cause__, error.__context__]):
            compare(part(expected), part(found))
    elif isinstance(expected, dict):
        compare(list(expected.items()), list(found.items()))
    elif isinstance(expected, (list, tuple)):
        assert len(found) == len(expected)
        for pair in zip(expected, found, strict=True):
            compare(*pair)
    elif isinstance(expected, functools.partial):
        compare([expected.func, expected.args, expected.keywords], [found.func, found.args, found.keywords])
    else:
        assert found == expected


#: Expressions that eager refuses, for element types, sizes or numbers: of a matrix `x` of floats.
REFUSED = """
    ~x; x & 1; x << 2; x.cfloat() > 0; True - x.bool(); -x.bool(); x.bool().softmax(0); x.long().softmax(0)
    x.long().std(); F.gelu(x.long()); F.smooth_l1_loss(x.long(), x.long()); torch.bitwise_or(x, 1)
    torch.heaviside(x, x.double()); torch.lerp(x, x.double(), 0.5); torch.where(x, x, x); x.masked_fill(x, 1)
    torch.rand(2, dtype=torch.long); x.long().uniform_(); (x * 1).uniform_(1, 0); (x * 1).random_(5, 1)
    (x * 1).fill_(1j); (x.long() * 1).mul_(0.5); torch.ones(2).long() ** -1; x.softmax(5); x.chunk(0); x.topk(99)
    x.as_strided((99, 99), (1, 1)); x.split([1, 1], 1); torch.bucketize(x, x); x[:0].view(-1, 0); x[:0].argmax()
    x[:0].max(0); x.permute(0); x.flip(0, 0); x.clamp(); F.dropout(x, 3.0); torch.arange(0, 3, -1); torch.zeros(-1)
    x.unfold(0, 99, 1); x.narrow(0, 1, 99); torch.trace(x[0]); torch.randperm(-1); torch.empty(2, device="nope")
    x.gather(0, x); x.scatter(0, x, x); F.one_hot(x); x + x[:, :2]; torch.linalg.inv(x); x // 1j
"""


@pytest.mark.parametrize("expression", [text.strip() for text in re.split(r"[;\n]", REFUSED) if text.strip()])
@pytest.mark.parametrize("backend", ["eager", "rust_inductor"])
def test_refusals_are_caught_where_they_are_raised(expression: str, backend: str) -> None:
    refused = eval(f"lambda x: {expression}", {"torch": torch, "F": functional})

    def program(x, notes):
        notes.append("before")
        try:
            return refused(x)
        except Exception as error:
            notes.append((type(error).__name__, len(notes)))
        return x + 1

    plain_notes: list[Any] = []
    notes: list[Any] = []
    compiled = rust_inductor.compile(program, backend=backend)
    for _ in range(2):
        compare(program(matrix(), plain_notes), compiled(matrix(), notes))
        assert notes == plain_notes


class Slotted:
    __slots__ = ("_rate", "size")


class WithFallback:
    __slots__ = ("_rate",)

    def __getattr__(self, name):
        return len(name)


@pytest.mark.parametrize("kind", [Slotted, WithFallback])
def test_slots_without_a_value_get_one(kind: type) -> None:
    def read(thing, x):
        return x + getattr(thing, "_rate", 1)

    def lowered(thing, x):
        thing._rate = getattr(thing, "_rate", 1) - 3
        return x + hasattr(thing, "_rate")

    for program in (read, lowered):
        things = kind(), kind()
        compiled = rust_inductor.compile(program)
        for call in range(3):
            compare(program(things[0], torch.ones(2)), compiled(things[1], torch.ones(2)))
            if program is read:
                for thing in things:
                    thing._rate = 7 + call
        assert things[0]._rate == things[1]._rate


@pytest.mark.parametrize("keys", ["ba", "bca", "ab", "a", "abcde"])
def test_a_key_that_is_deleted_and_comes_back_is_met_again(keys: str) -> None:
    def program(table, x, seen):
        for key in table:
            torch._dynamo.graph_break()
            seen.append(key)
            table["a"] = table.pop("a")
            x = x + 1
        return x

    def told(function):
        seen: list[str] = []
        table = {key: at for at, key in enumerate(keys)}
        try:
            return function(table, torch.zeros(2), seen).tolist(), seen, list(table)
        except RuntimeError as error:
            return str(error), seen, list(table)

    assert told(rust_inductor.compile(program)) == told(program)


VIEWS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "as_strided": lambda x: x.as_strided((3, 4), (4, 1)),
    "detach": lambda x: x.detach(),
    "diagonal": lambda x: x.diagonal(),
    "expand": lambda x: x.expand(3, 4),
    "expand_as": lambda x: x.expand_as(x),
    "movedim": lambda x: x.movedim(0, 0),
    "narrow": lambda x: x.narrow(0, 0, 3),
    "permute": lambda x: x.permute(0, 1),
    "reshape": lambda x: x.reshape(3, 4),
    "select": lambda x: x.select(0, 0),
    "squeeze": lambda x: torch.squeeze(x),
    "swapaxes": lambda x: x.swapaxes(0, 0),
    "t": lambda x: x.t(),
    "transpose": lambda x: torch.transpose(x, 0, 0),
    "unfold": lambda x: x.unfold(0, 3, 1),
    "unsqueeze": lambda x: x.unsqueeze(0),
    "view": lambda x: x.view(3, 4),
    "view of its type": lambda x: x.view(torch.float32),
    "view_as": lambda x: x.view_as(x),
}


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_views_are_other_objects(view: Callable[[torch.Tensor], torch.Tensor]) -> None:
    def program(x):
        one, other = view(x), view(x)
        return one is x, one is other, one is one, x + 1

    for grad in (False, True):
        x = torch.randn(3, 4, requires_grad=grad)
        explanation = rust_inductor.explain(program)(x)
        assert explanation.result[:3] == program(x)[:3]
        assert not explanation.breaks


def test_attention_on_another_sequence_is_one_graph() -> None:
    model = torch.nn.Transformer(32, 4, 1, 1, 64, batch_first=True).eval()
    source, target = torch.randn(2, 5, 32), torch.randn(2, 4, 32)
    explanation = rust_inductor.explain(model)(source, target)
    torch.testing.assert_close(explanation.result, model(source, target))
    assert len(explanation.graphs) == 1


def test_attributes_that_nobody_uses_have_to_be_there() -> None:
    class Thing:
        number: int
        tensor: torch.Tensor

    class Asking(Thing):
        def __getattribute__(self, name):
            return object.__getattribute__(self, name)

    thing, asking = Thing(), Asking()

    def unused(x):
        thing.number  # noqa: B018
        return x + 1

    def after_a_break(x):
        values = (asking.number, thing.tensor)
        asking.__dict__.clear()
        torch._dynamo.graph_break()
        return x + values[0]

    for program, owner, name in ((unused, thing, "number"), (after_a_break, asking, "number")):
        compiled = _capture.optimize(program, "eager")
        thing.tensor, thing.number, asking.number = torch.ones(1), 1, 2
        compiled(torch.ones(1))
        vars(owner).pop(name, None)
        for function in (program, compiled):
            with pytest.raises(AttributeError) as raised:
                function(torch.ones(1))
            lines = [frame.lineno - program.__code__.co_firstlineno for frame in raised.traceback[1:2]]
            assert lines == [0], lines


@pytest.mark.parametrize("dynamic", [None, True])
def test_unpooled_images_lie_as_what_they_are_made_of(dynamic: bool | None) -> None:
    def program(pooled, places):
        return functional.max_unpool2d(pooled, places, [2, 2])

    compiled = rust_inductor.compile(program, dynamic=dynamic)
    for layout in (torch.contiguous_format, torch.channels_last):
        images = torch.randn(1, 2, 6, 12).to(memory_format=layout)
        pooled, places = functional.max_pool2d(images, 2, return_indices=True)
        compare(program(pooled, places), compiled(pooled, places))


def test_a_module_made_with_a_function_is_captured_whole() -> None:
    class Activation(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.function = functional.gelu

        def forward(self, x):
            return self.function(x)

    breaks: list[Any] = []
    program = lambda x: Activation()(x)  # noqa: E731
    compiled = _capture.optimize(program, "eager", listener=lambda event: breaks.append(event.get("break")))
    compare(program(matrix()), compiled(matrix()))
    assert breaks == [None]


def test_a_renamed_class() -> None:
    class Short:
        pass

    compiled = _capture.optimize(lambda x: x + len(Short.__name__), "eager")
    assert compiled(torch.zeros(1)).item() == 5
    Short.__name__ = "Longer"
    assert compiled(torch.zeros(1)).item() == 6


def test_nothing_is_drawn_where_everything_is_dropped() -> None:
    compiled = rust_inductor.compile(lambda x: functional.dropout(x, 1.0, True))
    for _ in range(2):
        x = weight()
        torch.manual_seed(0)
        compiled(x).sum().backward()
        found = torch.rand(2)
        torch.manual_seed(0)
        assert torch.equal(found, torch.rand(2))
        assert x.grad is not None
        assert torch.equal(x.grad, torch.zeros_like(x))


def test_sizes_of_what_was_looked_at_in_vain() -> None:
    """A trace takes back that it has looked at a gradient: a guard on its sizes fails where it is None later."""
    layer = torch.nn.Linear(2, 1)

    def program(x):
        def forget(_):
            for parameter in layer.parameters():
                if parameter.grad is not None:
                    parameter.grad = None
            return 1

        (layer(x).sum() * forget(x)).backward()
        return x * 2

    compiled = _capture.optimize(program, "eager", dynamic=True)
    for step in range(5):
        if step % 2:
            layer.zero_grad()
        assert torch.equal(compiled(torch.ones(2)), torch.full((2,), 2.0))


def test_tensors_of_what_numpy_computes_with_a_symbolic_integer() -> None:
    def program(n):
        return 0 - torch.from_numpy(n - np.zeros(1)), torch.from_numpy(n * np.ones(2, dtype=np.float32)) + 1

    compiled = _capture.optimize(program, "eager", dynamic=True)
    for n in (3, 4):
        compare(program(n), compiled(n))


def test_a_manager_of_the_callers_knows_the_mode_before() -> None:
    def program(x, off):
        with off:
            y = x * 2
        before = off.prev
        with torch.no_grad(), off:
            z = x * 3
        return y, z, x * 4, before, off.prev

    def within(function):
        off = torch.no_grad()
        results = [function(weight(), off)]
        with off:
            results.append(function(weight(), off))
        results.append(torch.is_grad_enabled())
        torch.set_grad_enabled(True)
        return results

    compiled = _capture.optimize(program, "eager")
    for _ in range(2):
        compare(within(program), within(compiled))


def context(x):
    try:
        raise KeyError("inner")
    except KeyError as error:
        found = error.__context__
    return x + 1, repr(found)


def raised_again(x):
    try:
        raise
    except RuntimeError:
        return x + 1
    except ValueError:
        return x + 2


@pytest.mark.parametrize("function", [context, raised_again])
def test_an_exception_that_the_caller_handles(function: Case) -> None:
    def handled(function):
        try:
            raise ValueError("outer")
        except ValueError:
            return function(matrix())

    compiled = _capture.optimize(function, "eager")
    for _ in range(2):
        compare(function(matrix()), compiled(matrix()))
        compare(handled(function), handled(compiled))


def test_writes_to_inference_tensors() -> None:
    def program(x):
        try:
            x.add_(1)
        except RuntimeError:
            return "refused"
        return x * 2

    def inference_tensor():
        with torch.inference_mode():
            return torch.ones(2)

    compiled = rust_inductor.compile(program)
    for _ in range(2):
        assert compiled(inference_tensor()) == program(inference_tensor()) == "refused"
        with torch.inference_mode():
            compare(program(torch.ones(2)), compiled(torch.ones(2)))
