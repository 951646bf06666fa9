"""Tensors of classes that come from `torch.Tensor`: what is a plain tensor to torch's functions is part of the graph,
with the attributes and methods of its class; others end it."""

# The programs do what Python lets them do, whatever their types say.
# mypy: disable-error-code="assignment, attr-defined, call-arg, method-assign, misc, override"
# mypy: disable-error-code="no-untyped-call, no-untyped-def"

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import nn

from rust_inductor import _capture

if TYPE_CHECKING:
    from collections.abc import Callable

DISABLED = torch._C._disabled_torch_function_impl


class Scaled(nn.Parameter):
    """A parameter with an attribute, a method and a property of its own."""

    factor = 2.0

    def __new__(cls, data, tag=3.0):
        made = nn.Parameter.__new__(cls, data)
        made.tag = tag
        return made

    def scaled(self):
        return self * self.tag

    @property
    def halved(self):
        return self / 2

    @classmethod
    def named(cls):
        return cls.__name__


class Plain(torch.Tensor):
    """A tensor whose operations give plain tensors."""

    __torch_function__ = DISABLED


class Reflected(nn.Parameter):
    """A parameter that is asked before the tensor on its left."""

    def __rmul__(self, other):
        return (torch.Tensor.mul(self, other), "reflected")

    def __gt__(self, other):
        return "greater"


class Wrapping(nn.Parameter):
    """A parameter whose methods and operators do more than those of tensors, which they call."""

    def norm(self, *args):
        return torch.Tensor.norm(self, *args) + 1

    def __mul__(self, other):
        return super().__mul__(other) + 1

    def __getitem__(self, key):
        return super().__getitem__(key) + 2


class Shaped(nn.Parameter):
    """A parameter that says another shape of itself."""

    @property
    def shape(self):
        return "shape"


class Overriding(torch.Tensor):
    """A tensor whose operations give tensors of its class."""


class Counting(torch.Tensor):
    """A tensor that does other things than it is told."""

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func is torch.add:
            func = torch.sub
        return super().__torch_function__(func, types, args, kwargs or {})


def parameter(kind: Any = Scaled) -> Any:
    data = torch.arange(6.0).reshape(2, 3) - 2
    return data.as_subclass(kind) if kind in (Plain, Overriding, Counting) else kind(data)


def shown(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return [shown(item) for item in value]
    if isinstance(value, torch.Tensor):
        plain = value.detach().as_subclass(torch.Tensor)
        return type(value), plain.dtype, value.requires_grad, plain.stride(), plain.tolist()
    return value


def outcome(function: Callable[..., Any], *args: Any) -> Any:
    try:
        return shown(function(*args))
    except (AttributeError, RuntimeError, TypeError, ValueError) as error:
        return type(error), str(error)


def check(function: Callable[..., Any], kind: Any = Scaled, *, whole: bool = True, backend: str = "eager") -> None:
    """Checks results and what is left of the arguments, and whether there is one graph."""
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(function, backend, listener=log.append)
    for _ in range(2):
        (p, x), (q, y) = ((parameter(kind), torch.ones(2, 3)) for _ in range(2))
        with torch.no_grad():
            assert outcome(compiled, p, x) == outcome(function, q, y)
        assert shown([p, x]) == shown([q, y])
    reasons = [event["break_reason"] for event in log]
    assert (reasons == [None]) == whole, reasons


def operators(p, x):
    return x * p, p * x, p - 1, 1 - p, p @ x.t(), -p, p > 0, x < p, p == x, p**2, p / 2, 2 / p, abs(p), ~(p > 0)


def functions(p, x):
    linear = torch.nn.functional.linear(x, p)
    return torch.add(x, p), torch.cat([p, x]), linear, torch.stack((x, p)), torch.where(p > 0, p, x), torch.sum(p, 0)


def methods(p, x):
    return p.sum(), p.mean(0), p.t(), p.view(-1), x.add(p), p.clone(), p.to(torch.float64), p.expand(4, 2, 3), p.size(1)


def attributes(p, x):
    return x + 1, p.shape, p.dtype, p.device, p.ndim, p.requires_grad, p.T, p.mT, p.is_cuda, p.itemsize


def items(p, x):
    first, second = p
    return p[0], p[:, 1], p[p > 0], len(p), first, second, [row + 1 for row in p]


def made_anew(p, x):
    return p.detach(), p.data, p.new_zeros(2), torch.zeros_like(p), torch.empty_like(p).shape, x.expand_as(p)


def in_place(p, x):
    p.add_(1)
    p *= 2
    p[0] = 7
    q = p.mul_(x)
    return p, q, q is p, p.sum(), x + p


def is_itself(p, x):
    known = {p: 1}
    return p, (p, x + 1), p is p, known[p], p in known


@pytest.mark.parametrize("kind", [nn.Parameter, Scaled, Plain])
@pytest.mark.parametrize("function", [operators, functions, methods, attributes, made_anew])
def test_plain_tensors(function: Any, kind: Any) -> None:
    check(function, kind)


@pytest.mark.parametrize("kind", [nn.Parameter, Scaled, Plain])
@pytest.mark.parametrize("function", [items, in_place, is_itself])
def test_as_python_has_it(function: Any, kind: Any) -> None:
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(function, "eager", listener=log.append)
    for _ in range(2):
        (p, x), (q, y) = ((parameter(kind), torch.ones(2, 3)) for _ in range(2))
        with torch.no_grad():
            assert outcome(compiled, p, x) == outcome(function, q, y)
        assert shown([p, x]) == shown([q, y])


def own_members(p, x):
    return x * p.tag, p.scaled(), p.halved + x, p.factor, p.named(), type(p) is Scaled, isinstance(p, nn.Parameter)


def test_what_the_class_has() -> None:
    check(own_members)


def wraps(p, x):
    y = x + 1
    return p.norm(), y.norm(), torch.norm(p), p * y, y * p, p[0], torch.Tensor.norm(p), p.contiguous().norm()


def by_the_base(p, x):
    return torch.Tensor.sum(p), torch.Tensor.mul(p, x), torch.Tensor.t(p).shape


def test_methods_in_the_place_of_those_of_tensors() -> None:
    compiled = _capture.optimize(wraps, "eager")
    for _ in range(2):
        assert outcome(compiled, parameter(Wrapping), torch.ones(2, 3)) == outcome(
            wraps, parameter(Wrapping), torch.ones(2, 3)
        )


def test_methods_of_the_base() -> None:
    class Changing(nn.Parameter):
        pass

    check(by_the_base)
    compiled = _capture.optimize(by_the_base, "eager")
    for sums in (None, lambda *_: "summed"):
        if sums is not None:
            Changing.sum = sums
        assert outcome(compiled, parameter(Changing), torch.ones(2, 3)) == outcome(
            by_the_base, parameter(Changing), torch.ones(2, 3)
        )
    p = parameter()
    p.sum = p.mul = lambda *_: "summed"
    compiled = _capture.optimize(by_the_base, "eager")
    for q in (parameter(), p):
        assert outcome(compiled, q, torch.ones(2, 3)) == outcome(by_the_base, q, torch.ones(2, 3))


def reflected(p, x):
    y = x + 1
    return y * p, p * y, p > y, y < p, y + p


def test_methods_of_the_class_come_first() -> None:
    compiled = _capture.optimize(reflected, "eager")
    for _ in range(2):
        assert outcome(compiled, parameter(Reflected), torch.ones(2, 3)) == outcome(
            reflected, parameter(Reflected), torch.ones(2, 3)
        )


def shaped(p, x):
    y = x + 1
    return y + p, p.shape, p.sum()


def test_attributes_that_are_not_torchs() -> None:
    compiled = _capture.optimize(shaped, "eager")
    assert outcome(compiled, parameter(Shaped), torch.ones(2, 3)) == outcome(
        shaped, parameter(Shaped), torch.ones(2, 3)
    )


@pytest.mark.parametrize("kind", [Overriding, Counting])
@pytest.mark.parametrize("function", [operators, functions, methods])
def test_classes_that_override_functions(function: Any, kind: Any) -> None:
    compiled = _capture.optimize(function, "eager")
    assert outcome(compiled, parameter(kind), torch.ones(2, 3)) == outcome(function, parameter(kind), torch.ones(2, 3))


def test_the_class_is_guarded() -> None:
    class Changing(nn.Parameter):
        pass

    def uses(p, x):
        return x * p, p.sum(), p + x

    compiled = _capture.optimize(uses, "eager")

    def same() -> None:
        assert outcome(compiled, parameter(Changing), torch.ones(2, 3)) == outcome(
            uses, parameter(Changing), torch.ones(2, 3)
        )

    same()
    Changing.__add__ = lambda *_: "added"
    same()
    Changing.sum = lambda *_: "summed"
    same()
    Changing.__rmul__ = lambda *_: "multiplied"
    same()
    del Changing.__add__, Changing.sum, Changing.__rmul__
    same()
    Changing.__torch_function__ = classmethod(lambda *_, **__: "overridden")
    same()


def test_the_object_is_guarded() -> None:
    def sums(p, x):
        return p.sum() + x

    compiled = _capture.optimize(sums, "eager")
    for kind in (Scaled, nn.Parameter, Plain, Overriding, Scaled):
        p = parameter(kind)
        assert outcome(compiled, p, torch.ones(3)) == outcome(sums, p, torch.ones(3))
    p = parameter()
    p.sum = lambda: torch.zeros(3)
    assert outcome(compiled, p, torch.ones(3)) == outcome(sums, p, torch.ones(3))


def test_other_sizes_and_types() -> None:
    def sums(p, x):
        return p.sum() + x, p * 2

    compiled = _capture.optimize(sums, "eager")
    for data in (torch.ones(2, 3), torch.ones(4), torch.ones(4, dtype=torch.float64), torch.ones(2, 3)):
        assert outcome(compiled, Scaled(data), torch.ones(3)) == outcome(sums, Scaled(data), torch.ones(3))


class Model(nn.Module):
    """A linear layer with a parameter of a class of its own."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.inner = nn.Linear(3, 4)
        self.inner.weight = Scaled(self.inner.weight.detach())
        self.same = self.inner.weight
        self.plain = torch.ones(4, 3).as_subclass(Plain)

    def forward(self, x):
        return self.inner(x).relu() @ self.same + (x @ self.plain.t()).sum() + self.inner.weight.scaled().sum()


@pytest.mark.parametrize("backend", ["eager", "rust_inductor", "aot_eager"])
def test_training(backend: str) -> None:
    (net, other), log = (Model(), Model()), []  # type: Any, list[dict[str, Any]]
    compiled = _capture.optimize(net, backend, listener=log.append)
    optimizers = [torch.optim.SGD(one.parameters(), 0.01) for one in (net, other)]
    for _ in range(3):
        for call, optimizer in ((compiled, optimizers[0]), (other, optimizers[1])):
            optimizer.zero_grad()
            call(torch.ones(5, 3)).sum().backward()
            optimizer.step()
        for a, b in zip(net.parameters(), other.parameters(), strict=True):
            assert type(a) is type(b)
            torch.testing.assert_close(a, b)
            torch.testing.assert_close(a.grad, b.grad)
    assert [event["break_reason"] for event in log] == [None]


@pytest.mark.parametrize("backend", ["eager", "rust_inductor"])
def test_without_gradients(backend: str) -> None:
    net, x = Model(), torch.ones(5, 3)
    with torch.no_grad():
        compiled = _capture.optimize(net, backend)
        for _ in range(2):
            torch.testing.assert_close(compiled(x), net(x))


def test_a_parameter_that_a_module_is_given() -> None:
    def gives(net, p, x):
        net.other = p
        return net.other + x

    compiled = _capture.optimize(gives, "eager")
    for function in (gives, compiled):
        net, p = nn.Linear(3, 2), parameter()
        assert shown(function(net, p, torch.ones(3))) == shown(p + torch.ones(3))
        assert [name for name, _ in net.named_parameters()] == ["weight", "bias", "other"]
        assert "other" not in vars(net)


def test_copies() -> None:
    def copies(p, x):
        return x + 1, copy.copy(p), copy.deepcopy(p), copy.deepcopy([p, p])

    compiled = _capture.optimize(copies, "eager")
    for kind in (nn.Parameter, Plain):
        p = parameter(kind)
        assert outcome(compiled, p, torch.ones(3)) == outcome(copies, p, torch.ones(3))


def test_memory_that_is_shared() -> None:
    def writes(p, x, y):
        p.data.add_(1)
        x.mul_(2)
        return p + x, y + 1

    def args() -> Any:
        p = parameter()
        return p, p.data, p.data.view(-1)

    compiled = _capture.optimize(writes, "rust_inductor")
    with torch.no_grad():
        one, other = args(), args()
        for _ in range(2):
            assert shown(compiled(*one)) == shown(writes(*other))
            assert shown(one) == shown(other)
