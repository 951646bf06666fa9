"""Compiled code called within a compiled function: one graph of both, and one entry for many layers."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest
import torch
from torch import nn

import rust_inductor
from rust_inductor import _capture

X = torch.arange(4.0).reshape(2, 2)


class Net(nn.Module):
    """A layer."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def forward(self, x: Any) -> Any:
        return self.layer(x)


class Caller:
    """An object with a method that is compiled."""

    @rust_inductor.compile(backend="eager")
    def method(self, x: Any) -> Any:
        return x + 1


def function(x: Any) -> Any:
    return x.sin() + 1


@torch.compiler.disable
def left_alone(x: Any) -> Any:
    return x * 2


@rust_inductor.compile(backend="eager")
def broken(x: Any) -> Any:
    torch._dynamo.graph_break()
    return left_alone(x)


def compiled_in_place() -> nn.Module:
    net = Net()
    net.compile(backend="eager")
    return net


INNER: dict[str, Any] = {
    "a function of ours": rust_inductor.compile(function, backend="eager"),
    "a function of torch's": torch.compile(function, backend="eager"),
    "a module of ours": rust_inductor.compile(Net(), backend="eager"),
    "a module of torch's": torch.compile(Net(), backend="eager"),
    "a module that is compiled in place": compiled_in_place(),
    "a method": Caller().method,
    "a compiled submodule": nn.Sequential(rust_inductor.compile(Net(), backend="eager")),
}


@pytest.mark.parametrize("inner", INNER.values(), ids=INNER)
def test_one_graph_of_both(inner: Any) -> None:
    outer = rust_inductor.compile(lambda x: inner(x) * 2, backend="eager", fullgraph=True)
    assert torch.equal(outer(X), inner(X) * 2)


def test_what_cannot_be_traced_runs_as_it_was_compiled() -> None:
    outer = rust_inductor.compile(lambda x: broken(x) + 1, backend="eager")
    assert torch.equal(outer(X), X * 2 + 1)


def test_attributes_of_a_compiled_module() -> None:
    net = rust_inductor.compile(Net(), backend="eager")

    def asking(x: Any) -> Any:
        names = [name for name, _ in net.named_parameters()]
        return net(x) + net.layer.weight, net.training, names, net._orig_mod is net

    outer = rust_inductor.compile(asking, backend="eager")
    for training in (True, False, True):
        net.train(training)
        assert repr(outer(X)) == repr(asking(X))


def test_hooks_of_a_compiled_module() -> None:
    net = rust_inductor.compile(Net(), backend="eager")
    outer = rust_inductor.compile(lambda x: net(x) * 2, backend="eager")
    plain = outer(X)
    net.register_forward_hook(lambda _module, _args, result: result + 1)
    assert torch.equal(outer(X), plain + 2)


class Counts:
    """A backend that counts its graphs."""

    def __init__(self) -> None:
        self.graphs = 0

    def __call__(self, module: Any, _inputs: Any) -> Any:
        self.graphs += 1
        return module.forward


class Layers(nn.Module):
    """Modules of one class, one after the other."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Net() for _ in range(count))

    def forward(self, x: Any) -> Any:
        for layer in self.layers:
            x = layer(x)
        return x


@pytest.mark.parametrize("isolated", [False, True])
def test_layers_share_their_entries(isolated: bool) -> None:
    counts, model = Counts(), Layers(12)
    with torch.no_grad():
        expected = model(X)
        for at, layer in enumerate(model.layers):
            model.layers[at] = rust_inductor.compile(layer, backend=counts, isolate_recompiles=isolated)
        for _ in range(2):
            assert torch.equal(model(X), expected)
    assert counts.graphs == (12 if isolated else 1)


def test_entries_are_shared_where_their_guards_hold() -> None:
    counts, nets = Counts(), [Net(), Net()]
    nets[1].layer = nn.Linear(2, 3)
    compiled: list[Any] = [rust_inductor.compile(net, backend=counts) for net in nets]
    for _ in range(2):
        assert [net(X).shape[1] for net in compiled] == [2, 3]
    assert counts.graphs == 2
    others: list[dict[str, Any]] = [{"dynamic": True}, {"fullgraph": True}, {"backend": Counts()}]
    for options in others:
        settings: dict[str, Any] = {"backend": counts, **options}
        other: Any = rust_inductor.compile(nets[0], **settings)
        before = counts.graphs
        assert torch.equal(other(X), nets[0](X))
        assert counts.graphs == before + ("backend" not in options)


def test_a_stance_without_guards_is_one_of_each_function() -> None:
    nets = [Net(), Net()]
    compiled: list[Any] = [rust_inductor.compile(net, backend="eager") for net in nets]
    compiled[0](X)
    with torch.compiler.set_stance(skip_guard_eval_unsafe=True):
        assert torch.equal(compiled[1](X), nets[1](X))


def test_what_shares_entries_is_freed() -> None:
    nets: list[Any] = [Net(), Net()]
    alive = [weakref.ref(net) for net in nets]
    compiled: list[Any] = [rust_inductor.compile(net, backend="eager") for net in nets]
    for net in compiled:
        net(X)
    del nets[0], compiled[0], net
    gc.collect()
    assert [net() is None for net in alive] == [True, False]
    assert torch.equal(compiled[0](X), nets[0](X))


class Lazy(nn.Module):
    """Layers whose sizes the first call tells."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.LazyLinear(10)
        self.norm = nn.LazyBatchNorm1d()
        self.last = nn.LazyLinear(1)

    def forward(self, x: Any) -> Any:
        return self.last(torch.relu(self.norm(self.first(x))))


def test_lazy_modules() -> None:
    results = []
    for compile_it in (True, False):
        model: Any = Lazy()
        run = rust_inductor.compile(model, backend="eager", fullgraph=True) if compile_it else model
        torch.manual_seed(0)
        results.append([run(X), run(X + 1), *model.state_dict().values()])
        assert type(model.first) is nn.Linear
    for ours, theirs in zip(*results, strict=True):
        assert torch.equal(ours, theirs)


def test_a_lazy_module_that_is_compiled_itself() -> None:
    torch.manual_seed(0)
    lazy = nn.LazyLinear(3)
    compiled: Any = rust_inductor.compile(lazy, backend="eager", fullgraph=True)
    assert torch.equal(compiled(X), lazy(X))
    with pytest.raises(RuntimeError):
        compiled(torch.ones(2, 5))


def test_a_lazy_module_that_cannot_be_initialised() -> None:
    model = Lazy()
    compiled: Any = _capture.optimize(model, backend="eager")
    with pytest.raises(IndexError):
        compiled(torch.ones(()))


def test_a_function_that_is_compiled_again_finds_its_entries() -> None:
    counts = Counts()

    def scaled(x: Any) -> Any:
        return x * 3

    for size in (2, 2, 3, 4, 2):
        x = torch.ones(size)
        assert torch.equal(rust_inductor.compile(scaled, backend=counts)(x), x * 3)
    # The second size makes it dynamic.
    assert counts.graphs == 2
    rust_inductor.compile(scaled, backend=counts, dynamic=False)(torch.ones(2))
    assert counts.graphs == 3
    rust_inductor.reset()
    rust_inductor.compile(scaled, backend=counts)(torch.ones(2))
    assert counts.graphs == 4


def test_functions_made_one_after_the_other_share_their_entries_up_to_the_limit() -> None:
    counts = Counts()

    def scaling(by: int) -> Any:
        return rust_inductor.compile(lambda x: x * by, backend=counts, recompile_limit=2, dynamic=False)

    for by in (2, 3, 2, 4, 5):
        assert scaling(by)(X).equal(X * by)
    # No more fits those of the first; the next have their own.
    assert counts.graphs == 4


def test_what_is_kept_of_a_module_ends_with_it() -> None:
    net, x = Net(), X
    for _ in range(2):
        rust_inductor.compile(net, backend="eager")(x)
    ended = weakref.ref(net)
    del net
    gc.collect()
    assert ended() is None


def test_a_method_or_module_that_is_compiled_again_finds_its_entries() -> None:
    counts, net = Counts(), Net()
    torch._dynamo.register_backend(counts, name="counting")
    for subject in (net.forward, net.forward, net, net, Net()):
        assert torch.equal(rust_inductor.compile(subject, backend="counting")(X), subject(X))
    assert counts.graphs == 1


@pytest.mark.parametrize("backend", ["eager", "rust_inductor", "aot_eager"])
def test_what_the_garbage_collector_takes_apart_is_not_kept(backend: str) -> None:
    def scaled(x: Any) -> Any:
        return x * 3

    for size in (2, 3, 4):
        circle: list[Any] = [rust_inductor.compile(scaled, backend=backend, dynamic=False)]
        circle.append(circle)
        assert torch.equal(circle[0](torch.ones(size)), torch.ones(size) * 3)
        del circle
        gc.collect()
