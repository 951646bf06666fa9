"""Guards on structure are not read again while nothing changes; whatever changes is noticed nevertheless."""

from __future__ import annotations

import builtins
import functools
import gc
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
import torch
import torch.nn.modules.module as module_globals
from torch import nn

import rust_inductor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: Calls before a change: the first compiles, the next ones make and use a snapshot.
WARM = 12

SCALE = 2.0
TABLE: dict[str, Any] = {"shift": 1.0, "other": [1, 2]}


def shifted(x: torch.Tensor, by: float = 0.5) -> torch.Tensor:
    return x + by


def closing_over(value: float) -> Callable[[torch.Tensor], torch.Tensor]:
    def times(x: torch.Tensor) -> torch.Tensor:
        return x * value

    return times


TIMES: Any = closing_over(3.0)


class Slotted:
    __slots__ = ("factor",)

    def __init__(self, factor: float) -> None:
        self.factor = factor


class Config:
    width = 2.0

    def __init__(self) -> None:
        self.rate = 0.25
        self.slotted = Slotted(1.5)
        self.names = {"a": 1.0, "b": 2.0}

    @property
    def doubled(self) -> float:
        return self.rate * 2

    def set_rate(self, rate: float) -> None:
        self.rate = rate


class OtherConfig(Config):
    width = 5.0


class Base(nn.Module):
    gain = 1.0

    def scaled(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.gain

    @staticmethod
    def negated(x: torch.Tensor) -> torch.Tensor:
        return -x


class Block(Base):
    def __init__(self, config: Config) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.norm = nn.LayerNorm(4)
        self.config = config
        self.eps = 0.125
        self.register_buffer("offset", torch.ones(4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.norm(self.linear(x)) + self.offset
        x = self.scaled(x) * self.config.rate + self.eps
        if self.training:
            x = self.negated(x)
        return x * self.config.width + self.config.slotted.factor + self.config.doubled


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.config = Config()
        self.blocks = nn.ModuleList(Block(self.config) for _ in range(4))
        self.calls = 0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for block in self.blocks:
            x = block(x)
        x = shifted(TIMES(x)) * SCALE + TABLE["shift"] + self.config.names["b"]
        return x * len(self.blocks) + abs(-1.0)


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    yield
    rust_inductor.reset()


def model_and_compiled(**keywords: Any) -> tuple[Any, Callable[[torch.Tensor], torch.Tensor]]:
    torch.manual_seed(0)
    model = Model().eval()
    return model, rust_inductor.compile(model, backend="eager", **keywords)


def same_as_plain(model: Any, compiled: Callable[[torch.Tensor], torch.Tensor], times: int = 3) -> None:
    for _ in range(times):
        x = torch.randn(2, 4)
        got, expected = compiled(x), model(x)
        assert got.dtype == expected.dtype
        assert got.requires_grad == expected.requires_grad
        torch.testing.assert_close(got, expected, rtol=0, atol=0)


def replaced_code(model: Any) -> None:
    def other(self: Base, x: torch.Tensor) -> torch.Tensor:
        return x * self.gain + 7

    Base.scaled.__code__ = other.__code__


def new_dict(model: Any) -> None:
    model.blocks[2].__dict__ = {**model.blocks[2].__dict__, "eps": 9.0}


def replaced_builtin(model: Any) -> None:
    vars(builtins)["abs"] = lambda value: value * 11


def shadowed_builtin(model: Any) -> None:
    globals()["abs"] = lambda value: value * 13


def other_module_at_the_place(model: Any) -> None:
    del model.blocks[3]
    gc.collect()
    model.blocks.append(Block(model.config).eval())


def hooked(model: Any) -> None:
    model.blocks[1].linear.register_forward_hook(lambda _module, _args, result: result * 17)


def hooked_everywhere(model: Any) -> None:
    def hook(module: nn.Module, _args: Any, result: torch.Tensor) -> Any:
        return result + 1 if isinstance(module, nn.LayerNorm) else result

    module_globals.register_module_forward_hook(hook)


def parameter_of_other_kind(model: Any) -> None:
    model.blocks[0].linear.weight.data = torch.randn(4, 4).t()
    model.blocks[0].linear.weight.requires_grad_(False)


def set_by_specialized_code(model: Any) -> None:
    other = Config()
    for at in range(100):
        other.set_rate(at)
    model.config.set_rate(0.875)


def cleared_and_filled(model: Any) -> None:
    own = vars(model.config)
    others = {**own, "rate": 0.625}
    own.clear()
    own.update(others)


def last_item_is_another(model: Any) -> None:
    parameters = model.blocks[0].linear._parameters
    key, _ = parameters.popitem()
    parameters[key] = None


def swapped(model: Any) -> None:
    other = nn.Parameter(torch.randn(4, 4), requires_grad=False)
    torch.utils.swap_tensors(model.blocks[2].linear.weight, other)


def made_anew(model: Any) -> None:
    old = model.blocks[1].config
    model.blocks[1].config = None
    del old
    gc.collect()
    model.blocks[1].config = Config()
    model.blocks[1].config.rate = 0.375


CHANGES: dict[str, Callable[[Any], Any]] = {
    "attribute by code that is specialized": set_by_specialized_code,
    "attribute by object.__setattr__": lambda m: object.__setattr__(m.blocks[0], "eps", 7.5),
    "item of __dict__": lambda m: vars(m.blocks[2]).__setitem__("eps", 5.5),
    "update of __dict__": lambda m: vars(m.config).update(rate=0.125),
    "union of __dict__": lambda m: vars(m.config).__ior__({"rate": 0.0625}),
    "__dict__ cleared and filled": cleared_and_filled,
    "last parameter": last_item_is_another,
    "parameter swapped": swapped,
    "object made anew": made_anew,
    "global by exec": lambda m: exec("SCALE = 9.0", globals()),
    "float attribute of a layer": lambda m: setattr(m.blocks[2], "eps", 3.0),
    "attribute of norm": lambda m: setattr(m.blocks[1].norm, "eps", 0.5),
    "shared config": lambda m: setattr(m.config, "rate", 0.75),
    "config replaced": lambda m: setattr(m.blocks[3], "config", OtherConfig()),
    "class of config": lambda m: setattr(m.config, "__class__", OtherConfig),
    "instance hides a class attribute": lambda m: setattr(m.config, "width", 4.0),
    "class attribute": lambda m: setattr(Config, "width", 8.0),
    "attribute of a base class": lambda m: setattr(Base, "gain", 6.0),
    "attribute comes before a base class's": lambda m: setattr(Block, "gain", 6.5),
    "method": lambda m: setattr(Base, "scaled", lambda self, x: x - 5),
    "method in an object": lambda m: setattr(m.blocks[0], "scaled", lambda x: x - 5),
    "static method": lambda m: setattr(Base, "negated", staticmethod(lambda x: x * 2)),
    "property": lambda m: setattr(Config, "doubled", property(lambda self: self.rate * 4)),
    "code of a method": replaced_code,
    "slot": lambda m: setattr(m.config.slotted, "factor", 2.5),
    "object with slots": lambda m: setattr(m.config, "slotted", Slotted(3.5)),
    "item of a dict": lambda m: m.config.names.update(b=5.0),
    "dict replaced": lambda m: setattr(m.config, "names", {"b": 6.0}),
    "whole __dict__": new_dict,
    "global": lambda m: globals().update(SCALE=4.0),
    "global dict": lambda m: TABLE.update(shift=3.0),
    "global function": lambda m: globals().update(shifted=lambda x: x * 4),
    "default": lambda m: setattr(shifted, "__defaults__", (4.5,)),
    "closure": lambda m: setattr(TIMES.__closure__[0], "cell_contents", 8.0),
    "builtin": replaced_builtin,
    "builtin shadowed": shadowed_builtin,
    "training": lambda m: m.train(),
    "training of one": lambda m: m.blocks[1].train(),
    "parameter replaced": lambda m: setattr(m.blocks[1].linear, "weight", nn.Parameter(torch.randn(4, 4))),
    "parameter of another kind": parameter_of_other_kind,
    "parameter of another type": lambda m: m.blocks[0].linear.weight.data.mul_(2),
    "no bias": lambda m: setattr(m.blocks[0].linear, "bias", None),
    "buffer replaced": lambda m: setattr(m.blocks[0], "offset", torch.zeros(4)),
    "buffer of another size": lambda m: setattr(m.blocks[0], "offset", torch.zeros(1)),
    "module replaced": lambda m: setattr(m.blocks[1], "norm", nn.Identity()),
    "module of the list": other_module_at_the_place,
    "module more": lambda m: m.blocks.append(nn.Identity()),
    "module fewer": lambda m: m.blocks.__delitem__(0),
    "hook": hooked,
    "hook of all modules": hooked_everywhere,
}


@pytest.fixture
def _restored() -> Iterator[None]:
    """Whatever a change does to the module's own classes and variables is undone."""
    classes = [(of, dict(vars(of))) for of in (Config, Base, Block, OtherConfig)]
    code, defaults, names = Base.scaled.__code__, shifted.__defaults__, dict(globals())
    yield
    builtins.abs = _ABS
    globals().pop("abs", None)
    globals().update(SCALE=2.0, shifted=names["shifted"])
    TABLE["shift"] = 1.0
    shifted.__defaults__ = defaults
    TIMES.__closure__[0].cell_contents = 3.0
    module_globals._global_forward_hooks.clear()
    for of, attributes in classes:
        for name in set(vars(of)) - set(attributes):
            delattr(of, name)
        for name, value in attributes.items():
            if vars(of)[name] is not value:
                setattr(of, name, value)
    Base.scaled.__code__ = code


_ABS = builtins.abs


@pytest.mark.usefixtures("_restored")
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_change_is_noticed(change: Callable[[Any], Any]) -> None:
    model, compiled = model_and_compiled()
    same_as_plain(model, compiled, WARM)
    change(model)
    same_as_plain(model, compiled, WARM)
    model.config.rate = 0.5
    same_as_plain(model, compiled)


def test_what_changes_at_each_call() -> None:
    model, compiled = model_and_compiled()
    for at in range(60):
        globals()["_COUNTER"] = at
        model.calls += 1
        model.config.unrelated = at
        if at == 40:
            model.blocks[3].eps = 5.0
        if at == 50:
            globals()["SCALE"] = 3.0
        same_as_plain(model, compiled, 1)
    globals()["SCALE"] = 2.0
    same_as_plain(model, compiled, 1)


def test_modes_have_an_entry_each() -> None:
    model, _ = model_and_compiled()
    run = rust_inductor.explain(model, backend="eager")
    captures = 0
    for _ in range(6):
        for train in (False, True):
            model.train(train)
            for _ in range(WARM):
                x = torch.randn(2, 4)
                told = run(x)
                captures += len(told.captures)
    assert captures == 2


def test_a_model_that_takes_the_place_of_another() -> None:
    def forward(model: Any, x: torch.Tensor) -> Any:
        return model(x)

    compiled = rust_inductor.compile(forward, backend="eager")
    for at in range(8):
        model: Any = Model().eval()
        model.config.rate = 0.25 + at
        for _ in range(4):
            x = torch.randn(2, 4)
            torch.testing.assert_close(compiled(model, x), model(x), rtol=0, atol=0)
        del model
        gc.collect()


def test_gradients_stop_and_go_on() -> None:
    model, compiled = model_and_compiled()
    for _ in range(3):
        same_as_plain(model, compiled, WARM)
        with torch.no_grad():
            same_as_plain(model, compiled, WARM)
        for parameter in model.parameters():
            parameter.requires_grad_(not parameter.requires_grad)


def test_an_attribute_that_hides_another_comes_and_goes() -> None:
    model, compiled = model_and_compiled()
    for _ in range(3):
        same_as_plain(model, compiled, WARM)
        model.config.width = 4.0
        same_as_plain(model, compiled, WARM)
        del model.config.width
    same_as_plain(model, compiled, WARM)


@pytest.mark.parametrize("calls", [1, 5, 40])
def test_modes_by_turns(calls: int) -> None:
    model, _ = model_and_compiled()
    run = rust_inductor.explain(model, backend="eager")
    captures = 0
    for at in range(24):
        model.train(at % 2 == 0)
        for _ in range(calls):
            captures += len(run(torch.randn(2, 4)).captures)
    assert captures == 2
    compiled = rust_inductor.compile(model, backend="eager")
    for at in range(24):
        model.train(at % 2 == 0)
        same_as_plain(model, compiled, calls)
    model.blocks[1].eps = 4.0
    same_as_plain(model, compiled)


def test_models_by_turns() -> None:
    def forward(model: Any, x: torch.Tensor) -> Any:
        return model(x)

    models: list[Any] = [Model().eval() for _ in range(2)]
    models[1].config.rate = 0.5
    compiled = rust_inductor.compile(forward, backend="eager")
    for at in range(80):
        model = models[at % 2]
        if at == 60:
            model.blocks[1].eps = 6.0
        x = torch.randn(2, 4)
        torch.testing.assert_close(compiled(model, x), model(x), rtol=0, atol=0)


class Holder:
    factor = 2.0


def many_reads(x: torch.Tensor, holder: Any = Holder, by: float = 2.0, *, more: float = 3.0) -> torch.Tensor:
    for block in REST:
        x = block(x)
    y: torch.Tensor = x * holder.factor * by + more
    return y


REST: Any = None


def passing(function: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> torch.Tensor:
        return function(*args, **kwargs)

    return wrapper


def test_a_function_behind_a_decorator() -> None:
    class Other:
        factor = 5.0

    def another(x: torch.Tensor) -> torch.Tensor:
        return x - 1

    wrapper = passing(many_reads)
    compiled = rust_inductor.compile(wrapper, backend="eager")
    globals()["REST"] = Model().eval().blocks
    (cell,) = wrapper.__closure__ or ()

    def check() -> None:
        for _ in range(WARM):
            x = torch.randn(2, 4)
            torch.testing.assert_close(compiled(x), wrapper(x), rtol=0, atol=0)

    defaults, keywords = many_reads.__defaults__, many_reads.__kwdefaults__
    try:
        check()
        many_reads.__defaults__ = (Holder, 4.0)
        check()
        many_reads.__defaults__ = (Other, 4.0)
        check()
        many_reads.__defaults__ = (Holder, Other, 4.0)[::2]
        check()
        many_reads.__kwdefaults__ = {"more": 8.0}
        check()
        cell.cell_contents = another
        check()
    finally:
        cell.cell_contents = many_reads
        many_reads.__defaults__, many_reads.__kwdefaults__ = defaults, keywords
        globals()["REST"] = None


def test_a_function_that_is_made_at_each_call() -> None:
    blocks = Model().eval().blocks

    def made(by: float) -> Callable[[torch.Tensor], torch.Tensor]:
        def inner(x: torch.Tensor) -> torch.Tensor:
            for block in blocks:
                x = block(x)
            return x * by

        return inner

    compiled = rust_inductor.compile(lambda f, x: f(x), backend="eager", dynamic=False)
    for at in range(60):
        x, function = torch.randn(2, 4), made(2.0 if at < 40 else 3.0)
        torch.testing.assert_close(compiled(function, x), function(x), rtol=0, atol=0)


#: Takes all slots for watchers of dicts that torch leaves, and compiles.
WITHOUT_SLOTS = """
import ctypes
import torch
called = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)(lambda *_: 0)
ctypes.pythonapi.PyDict_AddWatcher.argtypes = [ctypes.c_void_p]
taken = 0
try:
    while ctypes.pythonapi.PyDict_AddWatcher(called) >= 0:
        taken += 1
except RuntimeError:
    pass
assert taken
from pybind.tests.dynamo.test_snapshots import WARM, model_and_compiled, same_as_plain
model, compiled = model_and_compiled()
same_as_plain(model, compiled, WARM)
for at in range(4):
    model.blocks[at].eps = 3.0
    same_as_plain(model, compiled, WARM)
"""


@pytest.mark.skipif(sys.version_info < (3, 12), reason="there are no watchers before 3.12")
def test_without_a_free_slot_for_watchers() -> None:
    subprocess.run([sys.executable, "-c", WITHOUT_SLOTS], check=True)


def test_values_that_come_back() -> None:
    model, compiled = model_and_compiled()
    rate, width = model.config.rate, 0.75
    for at in range(12):
        same_as_plain(model, compiled, WARM)
        model.config.rate = width
        if at % 2:
            same_as_plain(model, compiled)
        if at % 3 == 0:
            model.blocks[at % 4].eps = 1.0 + at
        if at % 4 == 0:
            del model.config.rate
        model.config.rate = rate
    same_as_plain(model, compiled, WARM)


def test_what_changes_within_a_call() -> None:
    class Busy(Model):
        busy = False

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            self.busy = True
            x = super().forward(x)
            self.busy = False
            return x

    torch.manual_seed(0)
    model: Any = Busy().eval()
    compiled = rust_inductor.compile(model, backend="eager")
    for at in range(4):
        same_as_plain(model, compiled, WARM)
        model.blocks[at].eps = 2.0
    same_as_plain(model, compiled, WARM)
