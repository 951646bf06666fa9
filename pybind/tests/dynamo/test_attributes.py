"""Attributes of objects: whether they are there, properties, deletion."""

from __future__ import annotations

import functools
import operator
import threading
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

import rust_inductor
from rust_inductor import _capture, _symbolic


class Thing:
    """Has no attributes of its own."""


def has_one(x, thing):
    return x + 1 if hasattr(thing, "a") else x - 1


def test_that_an_attribute_is_there_is_guarded():
    compiled = _capture.optimize(has_one, backend="eager")
    one, other = Thing(), Thing()
    one.a = 1  # type: ignore[attr-defined]
    for thing in (one, other, one, 3, "a"):
        assert torch.equal(compiled(torch.ones(2), thing), has_one(torch.ones(2), thing))


class Scaled:
    """Has properties."""

    def __init__(self, factor):
        self.factor = factor
        self.other = 1

    @property
    def twice(self):
        return self.factor * 2

    @property
    def of_twice(self):
        return self.twice * self.twice + self.factor

    @property
    def failing(self):
        raise AttributeError(self.factor)


class Falling(Scaled):
    def __getattr__(self, name):
        return name


def properties(x, thing):
    return x * thing.twice + thing.of_twice, hasattr(thing, "twice")


def failing_properties(x, thing):
    try:
        return x + 1, getattr(thing, "failing", 5), hasattr(thing, "failing"), thing.failing
    except AttributeError as error:
        return x + 1, str(error)


def test_properties_are_inlined():
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(properties, backend="eager", dynamic=False, listener=log.append)
    things = [Scaled(2), Scaled(2), Scaled(3), Falling(2), Scaled(torch.ones(2))]
    for thing in things:
        assert repr(compiled(torch.ones(2), thing)) == repr(properties(torch.ones(2), thing))
    assert [event.get("break_reason") for event in log] == [None] * 4
    twice = Scaled.twice
    try:
        Scaled.twice = property(lambda self: self.factor * 10)  # type: ignore[assignment, method-assign]
        assert repr(compiled(torch.ones(2), things[0])) == repr(properties(torch.ones(2), things[0]))
    finally:
        Scaled.twice = twice  # type: ignore[method-assign]
    compiled = _capture.optimize(failing_properties, backend="eager")
    for thing in things:
        assert repr(compiled(torch.ones(2), thing)) == repr(failing_properties(torch.ones(2), thing))


class Inherited(Scaled):
    factor = 7


class Watching(Scaled):
    def __delattr__(self, name):
        super().__delattr__(name)
        self.deleted = name


def deletes(x, thing):
    y = x * thing.factor
    del thing.factor
    return y, hasattr(thing, "factor")


def deletes_twice(x, thing):
    thing.more = 1
    del thing.more
    del thing.factor
    try:
        del thing.factor
    except AttributeError:
        x = x + 1
    try:
        return x * thing.more
    except AttributeError:
        return x * 2


def deletes_before_a_break(x, thing):
    del thing.factor
    torch._dynamo.graph_break()
    return x + 1, getattr(thing, "factor", 3)


def deletes_and_writes(x, thing):
    del thing.factor
    thing.factor = 4
    return x + 1


def deletes_more(x, thing):
    y = x + 1
    del thing.absent
    return y


DELETING = {deletes: True, deletes_twice: True, deletes_before_a_break: False, deletes_and_writes: False}


@pytest.mark.parametrize("function", [*DELETING, deletes_more])
def test_attributes_are_deleted(function):
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(function, backend="eager", listener=log.append)
    for make in (Scaled, Scaled, Falling, Inherited, Watching, Scaled):
        for gone in (False, True):
            ours, theirs = make(2), make(2)
            if gone:
                del ours.factor, theirs.factor
            outcomes = []
            for run, thing in ((compiled, ours), (function, theirs)):
                try:
                    outcomes.append((repr(run(torch.ones(2), thing)), vars(thing), list(vars(thing))))
                except (AttributeError, TypeError) as error:
                    outcomes.append((str(error), vars(thing), list(vars(thing))))
            assert outcomes[0] == outcomes[1]
    if DELETING.get(function):
        assert not log[0].get("break_reason")


#: Types of Python that torch takes as element types.
COMPLEX: Any = complex
BOOL: Any = bool


def with_types(x):
    return x.to(float), x.to(bool).to(int), torch.zeros(2, dtype=COMPLEX), torch.ones(2, dtype=BOOL)


def test_types_as_element_types():
    compiled = _capture.optimize(with_types, backend="eager", fullgraph=True)
    assert repr(compiled(torch.ones(2))) == repr(with_types(torch.ones(2)))


class Told(torch.autograd.Function):
    """Tells what it is given."""

    @staticmethod
    def forward(_context, x, kind, numbers):
        return x * (2 if kind is float else 3) * (5 if isinstance(numbers, range) else 7)

    @staticmethod
    def backward(_context, *gradients):
        return gradients[0], None, None


def given_types(x):
    return Told.apply(x, float, range(2)), operator.eq(x, float), torch.tensor(range(3))


@pytest.mark.parametrize("recorded", [False, True])
def test_functions_of_the_programs_are_given_types_as_they_are(recorded):
    x = torch.ones(2, requires_grad=recorded)
    compiled = _capture.optimize(given_types, backend="eager")
    assert repr(compiled(x)) == repr(given_types(x))


def through_data(x):
    x.data.add_(1)
    return x * 2, x.data, hasattr(x, "data"), x.data.requires_grad


@pytest.mark.parametrize("backend", ["eager", "aot_eager", "rust_inductor"])
@pytest.mark.parametrize("recorded", [False, True])
def test_data_of_tensors(backend, recorded):
    ours, theirs = (torch.ones(2, requires_grad=recorded) for _ in range(2))
    found = _capture.optimize(through_data, backend, fullgraph=True)(ours)
    expected = through_data(theirs)
    assert [torch.equal(a, b) for a, b in zip(found[:2], expected[:2], strict=True)] == [True, True]
    assert found[2:] == expected[2:]
    assert found[1].data_ptr() == ours.data_ptr()
    assert torch.equal(ours, theirs)
    if recorded:
        found[0].sum().backward()
        assert ours.grad is not None


class Checked(type):
    """A metaclass that says what instances are."""

    def __instancecheck__(cls, value):
        return getattr(value, "marked", False)


class Marked(metaclass=Checked):
    """No object is made of it."""


def checks(x, value):
    return x + 1 if isinstance(value, Marked) else x - 1


def test_instances_by_metaclass():
    compiled = _capture.optimize(checks, backend="eager", fullgraph=True)
    for marked in (True, False, True):
        thing: Any = Thing()
        thing.marked = marked
        assert torch.equal(compiled(torch.ones(2), thing), checks(torch.ones(2), thing))
        assert torch.equal(compiled(torch.ones(2), 3), checks(torch.ones(2), 3))


def changed_in_place(x, y):
    z = x.add_(1)
    known = {x}
    known.add(z)
    return len(known), z in known, y in known


def test_keys_that_were_changed_in_place():
    compiled = _capture.optimize(changed_in_place, backend="eager", fullgraph=True)
    x = torch.ones(2)
    for other in (torch.ones(2), x):
        assert compiled(x, other) == changed_in_place(x, other)


class Five:
    """A descriptor that only reads."""

    def __get__(self, owner, kind=None):
        return 5


class Shadowed:
    """Has in its class what an object's own attribute comes before."""

    five = Five()

    @classmethod
    def of_class(cls):
        return 1

    @staticmethod
    def of_nothing():
        return 2

    def of_object(self):
        return 3

    @functools.cached_property
    def kept(self):
        return 4


@pytest.mark.parametrize("read", ["five", "of_class()", "of_nothing()", "of_object()", "kept"])
def test_an_attribute_of_the_object_comes_before_that_of_its_class(read):
    function = eval(f"lambda x, thing: x + thing.{read}")
    compiled = _capture.optimize(function, backend="eager")
    for _ in range(2):
        thing = Shadowed()
        for _ in range(2):
            assert torch.equal(compiled(torch.ones(2), thing), function(torch.ones(2), thing))
            name = read.removesuffix("()")
            vars(thing)[name] = (lambda: 9) if read.endswith("()") else 9


class Watched:
    """Reads its attributes by a method of its own."""

    def __init__(self):
        self.kept = vars(self)

    def __getattribute__(self, name):
        return object.__getattribute__(self, name)


def test_a_dict_of_attributes_is_read_without_the_class_own_method():
    def function(x):
        thing = Watched()
        return x + 1, thing.kept is vars(thing), list(vars(thing))

    assert repr(_capture.optimize(function, backend="eager")(torch.ones(2))) == repr(function(torch.ones(2)))


class Asked:
    """Counts how often its class is asked for what an object lacks."""

    def __init__(self, asked):
        self.asked = asked

    @functools.cached_property
    def kept(self):
        self.asked.append("kept")
        return 4

    def __getattr__(self, name):
        self.asked.append(name)
        if name != "absent":
            raise AttributeError(name)
        return 5


def test_guards_run_no_code_of_the_class():
    def function(x, thing):
        return x + thing.absent + thing.kept

    compiled = _capture.optimize(function, backend="eager")
    asked: dict[Any, list[str]] = {compiled: [], function: []}
    for run, names in asked.items():
        for _ in range(3):
            del names[:]
            thing: Any = Asked(names)
            for _ in range(3):
                run(torch.ones(2), thing)
            thing.absent = 2
            run(torch.ones(2), thing)
    assert asked[compiled] == asked[function] == ["absent", "kept", "absent", "absent"]


def test_what_is_asked_after_a_getattribute_of_the_programs():
    """`__getattr__` is called where `__getattribute__` finds nothing; that there is none is guarded."""

    class Guarded:
        def __getattribute__(self, name):
            return object.__getattribute__(self, name)

    class Falling(Guarded):
        def __getattr__(self, name):
            return len(name)

    def asks(x, thing):
        return x + 1 if hasattr(thing, "extra") else x - 1, getattr(thing, "other", 7)

    compiled = _capture.optimize(asks, backend="eager")
    x = torch.ones(2)
    for thing in (Guarded(), Falling(), Guarded()):
        assert repr(compiled(x, thing)) == repr(asks(x, thing))
    Guarded.__getattr__ = lambda _self, _name: 2  # type: ignore[attr-defined]
    assert repr(compiled(x, Guarded())) == repr(asks(x, Guarded()))


def attention_layout(q, k, v, **keywords):
    out = torch.nn.functional.scaled_dot_product_attention(q, k, v, **keywords)
    return out.stride(), out.transpose(1, 2).is_contiguous()


@pytest.mark.parametrize("shape", [(2, 4, 8, 16), (1, 1, 8, 16), (2, 8, 1, 16), (2, 1, 5, 1)])
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("keywords", [{}, {"is_causal": True}, {"attn_mask": True}, {"scale": 0.5}, {"dropout_p": 0.5}])
def test_attention_is_laid_out_as_its_kernel_does(shape, transposed, keywords):
    tensors = [torch.randn(shape).transpose(1, 2) if transposed else torch.randn(shape) for _ in range(3)]
    if "attn_mask" in keywords:
        keywords = {"attn_mask": torch.zeros(tensors[0].shape[-2], tensors[1].shape[-2])}
    compiled = _capture.optimize(attention_layout, "eager")
    assert compiled(*tensors, **keywords) == attention_layout(*tensors, **keywords)


@pytest.mark.parametrize("dynamo", ["rust", "torch"])
def test_strides_that_no_address_depends_on_are_seen(dynamo):
    """Strides of dimensions of size one and of tensors without elements: by the program, and in views that it gives."""

    def look(x):
        return x.stride(), x.t(), x[:, None], x.detach(), x + 1

    compiled = torch.compile(look, backend="rust_inductor", options={"dynamo": dynamo})
    for sizes, strides in (((4, 1), (1, 7)), ((4, 1), (1, 9)), ((0, 3), (3, 1)), ((0, 3), (5, 1))):
        x = torch.zeros(4 * 9).as_strided(sizes, strides)
        expected, found = look(x), compiled(x)
        assert found[0] == expected[0]
        assert [view.stride() for view in found[1:4]] == [view.stride() for view in expected[1:4]]
        torch.testing.assert_close(found[4], expected[4])


@pytest.mark.parametrize("heads", [1, 2, 4])
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("keywords", [{}, {"dropout_p": 0.5}, {"attn_mask": True}, {"enable_gqa": True}])
def test_attention_with_dropout_masks_that_learn_and_grouped_heads_is_laid_out_as_its_kernel_does(
    heads, transposed, keywords, monkeypatch
):
    asked = []
    monkeypatch.setattr(_symbolic.Asker, "ask", lambda _self, call, *_: asked.append(call))
    make = lambda h: torch.randn(2, 6, h, 16).transpose(1, 2) if transposed else torch.randn(2, h, 6, 16)  # noqa: E731
    tensors = [make(4), make(heads), make(heads)]
    if "attn_mask" in keywords:
        keywords = {"attn_mask": torch.zeros(6, 6, requires_grad=True)}
    if heads == 2 and "enable_gqa" not in keywords:
        with pytest.raises(RuntimeError):
            _capture.optimize(attention_layout, "eager")(*tensors, **keywords)
        return
    assert _capture.optimize(attention_layout, "eager")(*tensors, **keywords) == attention_layout(*tensors, **keywords)
    assert not asked


def test_the_choice_of_attention_kernels_is_guarded():
    tensors = [torch.randn(2, 4, 8, 16).transpose(1, 2) for _ in range(3)]
    compiled, layouts = _capture.optimize(attention_layout, "eager"), set()
    for kernel in (SDPBackend.FLASH_ATTENTION, SDPBackend.MATH, SDPBackend.FLASH_ATTENTION):
        with sdpa_kernel(kernel):
            assert compiled(*tensors) == attention_layout(*tensors)
            layouts.add(attention_layout(*tensors))
    assert len(layouts) == 2


def test_attention_within_a_choice_of_kernels_is_captured_in_it():
    def chooses(query, key, value, kernel):
        with sdpa_kernel(kernel):
            return attention_layout(query, key, value)

    query, key, value = (torch.randn(2, 4, 8, 16).transpose(1, 2) for _ in range(3))
    events: list[dict[str, Any]] = []
    compiled, layouts = _capture.optimize(chooses, "eager", listener=events.append), set()
    for kernel in (SDPBackend.FLASH_ATTENTION, SDPBackend.MATH, [SDPBackend.FLASH_ATTENTION]):
        layouts.add(chooses(query, key, value, kernel))
        assert compiled(query, key, value, kernel) == chooses(query, key, value, kernel)
    assert len(layouts) == 2
    graphs = [event["graph"] for event in events if event.get("graph") is not None]
    assert any("attention" in str(node.target) for graph in graphs for node in graph.nodes)


def test_attributes_of_a_thread_are_those_of_the_thread_that_calls():
    local = threading.local()
    local.x, local.n = torch.ones(2), 3

    def add(x):
        return x * local.y if hasattr(local, "y") else x + local.x * local.n

    compiled = _capture.optimize(add, backend="eager", fullgraph=True)
    same = lambda: torch.equal(compiled(torch.ones(2)), add(torch.ones(2)))  # noqa: E731
    found = [same()]

    def elsewhere():
        local.x, local.n = torch.zeros(2), 5
        found.append(same())
        local.y = 7
        found.append(same())

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    found.append(same())
    local.y = 2
    assert [*found, same()] == [True] * 5


TENSOR: Any = torch.Tensor
"""The class, whose attributes are descriptors, whatever their annotations say of those of tensors."""


def by_descriptors(x, descriptor):
    shape = torch.Tensor.shape.__get__(x)  # type: ignore[attr-defined]
    return shape, descriptor.__get__(x, TENSOR), TENSOR.requires_grad.__get__(x + 1), x * shape[0]


def test_attributes_of_tensors_by_their_descriptors():
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(by_descriptors, backend="eager", fullgraph=True, listener=log.append)
    for descriptor in (torch.Tensor.dtype, torch.Tensor.ndim, torch.Tensor.dtype):
        expected = by_descriptors(torch.ones(2, 3), descriptor)
        assert repr(compiled(torch.ones(2, 3), descriptor)) == repr(expected)
    assert len(log) == 2


def test_a_descriptor_that_is_given_no_tensor():
    def function(x, given):
        return x + 1, TENSOR.shape.__get__(given, TENSOR)

    compiled = _capture.optimize(function, backend="eager")
    assert compiled(torch.ones(2), None)[1] is torch.Tensor.shape
    with pytest.raises(TypeError, match="shape"):
        compiled(torch.ones(2), 3)


def test_whether_products_may_be_rounded():
    def function(x):
        return x + 1 if torch.backends.cuda.matmul.allow_tf32 else x - 1

    compiled = _capture.optimize(function, backend="eager", fullgraph=True)
    before = torch.backends.cuda.matmul.allow_tf32
    try:
        for allowed in (False, True, False):
            torch.backends.cuda.matmul.allow_tf32 = allowed
            assert torch.equal(compiled(torch.ones(2)), function(torch.ones(2)))
    finally:
        torch.backends.cuda.matmul.allow_tf32 = before


def test_whether_there_is_a_gpu():
    def function(x):
        return x + 1 if torch.cuda.is_available() else x - 1

    compiled = _capture.optimize(function, backend="eager", fullgraph=True)
    assert torch.equal(compiled(torch.ones(2)), function(torch.ones(2)))


def attributes_of_partials(x, given):
    made = functools.partial(torch.add, other=x)
    names = ["__name__", "__call__", "func", "keywords", "own", "__dict__", "__closure__"]
    return x + 1, [(hasattr(made, name), hasattr(given, name)) for name in names]


def test_attributes_of_partials():
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(attributes_of_partials, backend="eager", fullgraph=True, listener=log.append)
    given: Any = functools.partial(len)
    check = lambda: repr(compiled(torch.ones(2), given)) == repr(attributes_of_partials(torch.ones(2), given))  # noqa: E731
    assert check()
    given.own = 1
    assert check()
    del given.own
    assert check()
    assert len(log) == 2


def test_optional_values_of_scripts():
    def function(x, given):
        unwrap = torch.jit._unwrap_optional  # type: ignore[attr-defined]
        return unwrap(x) + 1, unwrap(given)

    compiled = _capture.optimize(function, backend="eager", fullgraph=True)
    assert repr(compiled(torch.ones(2), 5)) == repr(function(torch.ones(2), 5))
    with pytest.raises(AssertionError, match="null optional"):
        _capture.optimize(function, backend="eager")(torch.ones(2), None)


class NotCalled:
    """Objects of it cannot be called."""


class Called:
    """Objects of it can."""

    def __call__(self):
        return 1


class AnswersAll(NotCalled):
    """It has every attribute, but that of a call."""

    def __getattr__(self, name):
        return name


def test_what_can_be_called(monkeypatch):
    def function(x, given):
        return x + 1 if callable(given) else x * 5

    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(function, backend="eager", listener=log.append)
    check = lambda given: torch.equal(compiled(torch.ones(2), given), function(torch.ones(2), given))  # noqa: E731
    with_its_own: Any = NotCalled()
    with_its_own.__call__ = len
    assert all(map(check, [NotCalled(), Called(), NotCalled()]))
    assert [event["break"] for event in log] == [None, None]
    assert all(map(check, [with_its_own, AnswersAll(), NotCalled()]))
    monkeypatch.setattr(NotCalled, "__call__", len, raising=False)
    assert check(NotCalled())


def gradients_of_new_tensors(x):
    made = torch.ones(2)
    y = x + made
    return made.grad, (made * 2).grad, y.detach().clone().grad, y


@pytest.mark.parametrize("recorded", [False, True])
def test_new_tensors_have_no_gradients(recorded):
    x = torch.ones(2, requires_grad=recorded)
    compiled = _capture.optimize(gradients_of_new_tensors, backend="eager", fullgraph=True)
    assert compiled(x)[:3] == gradients_of_new_tensors(x)[:3] == (None, None, None)


class Slotted:
    __slots__ = ("__dict__", "n")

    def __init__(self) -> None:
        self.n = 2


def entry(x: torch.Tensor, it: Slotted) -> object:
    try:
        return vars(it)["n"]
    except KeyError:
        return "absent"


def default(x: torch.Tensor, it: Slotted) -> object:
    return vars(it).get("n", "none"), "n" in it.__dict__


def written(x: torch.Tensor, it: Slotted) -> object:
    it.n = 7
    it.m = 8  # type: ignore[attr-defined]
    return "n" in vars(it), list(vars(it)), it.n


@pytest.mark.parametrize("function", [entry, default, written])
def test_members_of_slots_are_no_entries(function: Callable[..., object]) -> None:
    x = torch.ones(2)
    assert rust_inductor.compile(function, backend="eager")(x, Slotted()) == function(x, Slotted())


class Plain:
    pass


def handed_on(x: torch.Tensor, it: Plain) -> object:
    value = vars(it).get("late", 3)
    it.late = 0  # type: ignore[attr-defined]
    return value


def asked_for(x: torch.Tensor, it: Plain) -> object:
    there = "late" in vars(it)
    it.late = 0  # type: ignore[attr-defined]
    return there


@pytest.mark.parametrize("function", [handed_on, asked_for])
def test_an_entry_that_is_there_is_guarded(function: Callable[..., object]) -> None:
    compiled = rust_inductor.compile(function, backend="eager")
    for _ in range(3):
        ours, plain = Plain(), Plain()
        for _ in range(2):
            assert compiled(torch.ones(2), ours) == function(torch.ones(2), plain)
