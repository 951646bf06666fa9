"""Steps of `torch.optim`: one graph a step, no compilation after the second, what eager gives."""

# The programs do what Python lets them do, whatever their types say.
# mypy: disable-error-code="call-arg, arg-type"

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch
from torch import nn, optim

import rust_inductor
from rust_inductor import _capture

#: The optimisers, and whether a step counts in floats where eager does: then results are the same bit by bit.
OPTIMIZERS: dict[str, tuple[Any, dict[str, Any], bool]] = {
    "sgd": (optim.SGD, {}, True),
    "momentum": (optim.SGD, {"momentum": 0.9, "dampening": 0.1, "weight_decay": 0.01}, True),
    "nesterov": (optim.SGD, {"momentum": 0.9, "nesterov": True, "maximize": True}, True),
    "foreach_sgd": (optim.SGD, {"momentum": 0.9, "foreach": True, "weight_decay": 0.01}, True),
    "adam": (optim.Adam, {}, False),
    "amsgrad": (optim.Adam, {"amsgrad": True, "weight_decay": 0.1}, False),
    "foreach_adam": (optim.Adam, {"foreach": True, "amsgrad": True}, False),
    "adamw": (optim.AdamW, {}, False),
    "foreach_adamw": (optim.AdamW, {"foreach": True, "weight_decay": 0.1}, False),
    "rmsprop": (optim.RMSprop, {"momentum": 0.5}, True),
    "adadelta": (optim.Adadelta, {}, True),
    "adagrad": (optim.Adagrad, {"lr_decay": 0.1, "weight_decay": 0.1}, False),
    "adamax": (optim.Adamax, {"weight_decay": 0.1}, False),
    "foreach_adamax": (optim.Adamax, {"foreach": True}, False),
    "rprop": (optim.Rprop, {}, True),
    "radam": (optim.RAdam, {}, False),
    "nadam": (optim.NAdam, {}, False),
    "foreach_nadam": (optim.NAdam, {"foreach": True}, False),
    "foreach_rmsprop": (optim.RMSprop, {"foreach": True, "centered": True}, False),
    "asgd": (optim.ASGD, {}, False),
    "foreach_asgd": (optim.ASGD, {"foreach": True, "weight_decay": 0.1}, False),
}


def model() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))


def gradients(net: nn.Module, optimizer: Any, x: Any) -> None:
    optimizer.zero_grad()
    (net(x) ** 2).sum().backward()


def pair(name: str) -> tuple[Any, Any, Any]:
    make, options, _ = OPTIMIZERS[name]
    net = model()
    optimizer = make(net.parameters(), lr=0.05, **options)
    return net, optimizer, optim.lr_scheduler.ExponentialLR(optimizer, 0.9)


def compiled(function: Any, events: list[dict[str, Any]], backend: str = "eager") -> Any:
    return _capture.optimize(function, backend, listener=events.append)


def graphs(events: list[dict[str, Any]]) -> list[Any]:
    def computes(graph: Any) -> bool:
        return graph is not None and any(node.op.startswith("call") for node in graph.nodes)

    found = [event for event in events if computes(event.get("graph"))]
    events.clear()
    return found


def same(one: nn.Module, other: nn.Module, exactly: bool) -> None:
    tolerance = {"rtol": 0, "atol": 0} if exactly else {"rtol": 1e-4, "atol": 1e-5}
    for a, b in zip(one.parameters(), other.parameters(), strict=True):
        torch.testing.assert_close(a, b, **tolerance)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_steps(name: str) -> None:
    (net, optimizer, schedule), (net2, optimizer2, schedule2) = pair(name), pair(name)
    events: list[dict[str, Any]] = []
    step = compiled(optimizer.step, events)
    x, counts = torch.randn(5, 3), []
    for _ in range(6):
        gradients(net, optimizer, x)
        gradients(net2, optimizer2, x)
        step()
        optimizer2.step()
        schedule.step()
        schedule2.step()
        counts.append(len(graphs(events)))
        same(net, net2, OPTIMIZERS[name][2])
    assert counts == [1, 1, 0, 0, 0, 0]
    keys = [{key: list(state) for key, state in o.state_dict()["state"].items()} for o in (optimizer, optimizer2)]
    assert keys[0] == keys[1]


@pytest.mark.parametrize("name", ["nesterov", "foreach_adamw"])
def test_own_backend(name: str) -> None:
    (net, optimizer, _), (net2, optimizer2, _) = pair(name), pair(name)
    step = rust_inductor.compile(optimizer.step)
    x = torch.randn(5, 3)
    for _ in range(3):
        gradients(net, optimizer, x)
        gradients(net2, optimizer2, x)
        step()
        optimizer2.step()
        same(net, net2, False)


@pytest.mark.parametrize("name", ["sgd", "momentum", "nesterov", "foreach_sgd", "adadelta"])
def test_learning_rate_in_a_tensor(name: str) -> None:
    make, options, _ = OPTIMIZERS[name]
    net, other, counts = model(), model(), []  # type: nn.Module, nn.Module, list[int]
    events: list[dict[str, Any]] = []
    optimizers = [make(one.parameters(), lr=torch.tensor(0.05), **options) for one in (net, other)]
    step = compiled(optimizers[0].step, events)
    x = torch.randn(5, 3)
    for _ in range(5):
        for one, optimizer, take in ((net, optimizers[0], step), (other, optimizers[1], optimizers[1].step)):
            gradients(one, optimizer, x)
            take()
            # It is read at each step.
            optimizer.param_groups[0]["lr"].mul_(0.9)
        counts.append(len(graphs(events)))
        same(net, other, False)
    assert counts == [1, int(name not in ("sgd",)), 0, 0, 0]


@pytest.mark.parametrize("method", ["add", "sub", "add_", "sub_"])
def test_a_multiple_by_a_tensor(method: str) -> None:
    def adds(x: Any, y: Any, alpha: Any) -> Any:
        x = x + 0
        result = getattr(x, method)(y, alpha=alpha)
        return result, x

    def outcome(function: Any, *args: Any) -> Any:
        try:
            return function(*args)
        except (RuntimeError, TypeError) as error:
            return str(error)

    x, y = torch.randn(2, 3), torch.randn(3)
    whole = [(x, y, torch.tensor(0.3)), (x, y, torch.tensor(0.3, dtype=torch.float64))]
    # Integers, several types, and what autograd follows, from which eager reads a number.
    others = [
        (x, y, torch.tensor(2)),
        (x, y.double(), torch.tensor(0.3)),
        (x.long(), y.long(), torch.tensor(2)),
        (x.long(), y.long(), torch.tensor(2.5)),
        (x, y, torch.tensor(0.3, requires_grad=True)),
        (x, y, torch.tensor([0.3])),
        (x, y, torch.tensor([0.3, 1.0])),
    ]
    for args in whole + others:
        events: list[dict[str, Any]] = []
        step = compiled(adds, events)
        for _ in range(2):
            expected, found = outcome(adds, *args), outcome(step, *args)
            torch.testing.assert_close(found, expected) if isinstance(expected, tuple) else None
            assert isinstance(expected, tuple) or found == expected
            assert isinstance(found, str) or [t.requires_grad for t in found] == [t.requires_grad for t in expected]
        if any(args is one for one in whole):
            assert [event["break_reason"] for event in events] == [None]


def test_training_step() -> None:
    (net, optimizer, _), (net2, optimizer2, _) = pair("momentum"), pair("momentum")

    def train(net: Any, optimizer: Any, x: Any) -> Any:
        optimizer.zero_grad()
        loss = (net(x) ** 2).sum()
        loss.backward()
        optimizer.step()
        return loss

    events: list[dict[str, Any]] = []
    run, counts = compiled(train, events), []
    for _ in range(4):
        x = torch.randn(5, 3)
        torch.testing.assert_close(run(net, optimizer, x), train(net2, optimizer2, x))
        same(net, net2, True)
        counts.append(len(graphs(events)))
    # Forward and step; the state that the first step has made is another one's.
    assert counts == [2, 1, 0, 0]


def test_what_changes_between_steps() -> None:
    """Gradients that come and go, another state, another parameter group, a closure."""
    (net, optimizer, _), (net2, optimizer2, _) = pair("momentum"), pair("momentum")
    step = compiled(optimizer.step, [])
    x = torch.randn(5, 3)

    def both(change: Any) -> None:
        gradients(net, optimizer, x)
        gradients(net2, optimizer2, x)
        change(net, optimizer)
        change(net2, optimizer2)
        step()
        optimizer2.step()
        same(net, net2, True)

    def no_gradient(net: Any, _: Any) -> None:
        net[0].bias.grad = None

    def reload(_: Any, optimizer: Any) -> None:
        optimizer.load_state_dict(copy.deepcopy(optimizer.state_dict()))

    def forget(_: Any, optimizer: Any) -> None:
        optimizer.state.clear()

    def more(_: Any, optimizer: Any) -> None:
        extra = nn.Parameter(torch.ones(2))
        extra.grad = torch.ones(2)
        optimizer.add_param_group({"params": [extra], "lr": 0.5, "momentum": 0.0})

    def nothing(*_: Any) -> None:
        pass

    for change in (no_gradient, nothing, reload, nothing, forget, nothing, more, nothing):
        both(change)
    for group, group2 in zip(optimizer.param_groups, optimizer2.param_groups, strict=True):
        for a, b in zip(group["params"], group2["params"], strict=True):
            torch.testing.assert_close(a, b, rtol=0, atol=0)


def test_closure() -> None:
    (net, optimizer, _), (net2, optimizer2, _) = pair("adam"), pair("adam")
    x = torch.randn(5, 3)
    step = compiled(optimizer.step, [])
    for _ in range(3):

        def closure(net: Any = net, optimizer: Any = optimizer) -> Any:
            optimizer.zero_grad()
            loss = (net(x) ** 2).sum()
            loss.backward()
            return loss

        loss = step(closure)
        assert torch.allclose(loss, optimizer2.step(lambda: closure(net2, optimizer2)), rtol=1e-3)
        same(net, net2, False)


def test_two_optimizers_of_one_code() -> None:
    (net, optimizer, _), (net2, optimizer2, _) = pair("momentum"), pair("momentum")
    (plain, optimizer3, _) = pair("momentum")
    x = torch.randn(5, 3)

    def step(optimizer: Any) -> None:
        optimizer.step()

    run = compiled(step, [])
    for _ in range(3):
        for one, two in ((net, optimizer), (net2, optimizer2)):
            gradients(one, two, x)
            run(two)
        gradients(plain, optimizer3, x)
        optimizer3.step()
        same(net, plain, True)
        same(net2, plain, True)


def test_hooks() -> None:
    net, optimizer, _ = pair("sgd")
    seen: list[str] = []
    optimizer.register_step_pre_hook(lambda *_: seen.append("before"))
    optimizer.register_step_post_hook(lambda *_: seen.append("after"))
    step = compiled(optimizer.step, [])
    for _ in range(2):
        gradients(net, optimizer, torch.randn(5, 3))
        step()
    assert seen == ["before", "after"] * 2


def test_tensors_as_keys() -> None:
    def look(table: dict[Any, Any], a: Any, b: Any) -> Any:
        if b in table:
            return a * table[b]
        table[b] = 2
        return a + table[a] + len(table)

    run = compiled(look, [])
    a, b, c = torch.ones(2), torch.ones(2), torch.ones(2)
    one: dict[Any, Any] = {a: 3}
    two: dict[Any, Any] = {a: 3}
    for other in (b, b, c, a):
        torch.testing.assert_close(run(one, a, other), look(two, a, other))
    assert [id(key) for key in one] == [id(key) for key in two]


def test_foreach_lists() -> None:
    def many(xs: Any, ys: Any, f: float) -> Any:
        same = torch._foreach_mul_(xs, f)
        sums = torch._foreach_add(xs, ys, alpha=2)
        torch._foreach_addcdiv_(xs, ys, sums, 0.5)
        torch._foreach_maximum_(xs, ys)
        return same is xs, sums, torch._foreach_pow(2.0, ys), torch._foreach_sqrt(sums)

    run = compiled(many, [])
    for f in (1.5, 2.5, 3.5):
        lists = [[torch.rand(3) + 1, torch.rand(2, 2) + 1] for _ in range(2)]
        again = copy.deepcopy(lists)
        ours, plain = run(*lists, f), many(*again, f)
        assert ours[0] is plain[0] is True
        assert [type(part) for part in ours] == [type(part) for part in plain]
        torch.testing.assert_close(ours[1:], plain[1:])
        torch.testing.assert_close(lists, again)


def test_foreach_with_a_tensor_that_is_no_scalar() -> None:
    def scaled(xs: Any, y: Any) -> Any:
        try:
            return torch._foreach_mul(xs, y)
        except RuntimeError as error:
            return str(error)

    run = compiled(scaled, [])
    for y in (torch.tensor(2.0), torch.ones(3)):
        assert str(run([torch.ones(3)], y)) == str(scaled([torch.ones(3)], y))


CLIPPED: dict[str, Any] = {
    "norm": lambda layer: nn.utils.clip_grad_norm_(layer.parameters(), 0.5),
    "greatest": lambda layer: nn.utils.clip_grad_norm_(list(layer.parameters()), 0.5, float("inf"), foreach=False),
    "of one": lambda layer: nn.utils.clip_grad_norm_(layer.weight, 0.5),
    "value": lambda layer: nn.utils.clip_grad_value_(layer.parameters(), 0.1),
    "total": lambda layer: nn.utils.get_total_norm([p.grad for p in layer.parameters()]) * 2,
}


@pytest.mark.parametrize("name", CLIPPED)
def test_clipped_gradients_are_one_graph(name: str) -> None:
    events: list[dict[str, Any]] = []
    run = compiled(CLIPPED[name], events)

    def trained(seed: int) -> nn.Linear:
        torch.manual_seed(seed)
        layer = nn.Linear(3, 3)
        layer(torch.randn(4, 3)).square().sum().backward()
        return layer

    for seed in range(2):
        ours, plain = trained(seed), trained(seed)
        torch.testing.assert_close(run(ours), CLIPPED[name](plain), rtol=0, atol=0)
        torch.testing.assert_close([p.grad for p in ours.parameters()], [p.grad for p in plain.parameters()])
    assert [event.get("break") for event in events] == [None]


def test_memory_formats() -> None:
    def order(x: Any, format: Any) -> Any:
        return x.contiguous(memory_format=format), torch.zeros_like(x, memory_format=torch.preserve_format)

    run = compiled(order, [])
    x = torch.randn(2, 3, 4, 5)
    for format in (torch.contiguous_format, torch.channels_last, torch.contiguous_format):
        ours, plain = run(x, format), order(x, format)
        assert [t.stride() for t in ours] == [t.stride() for t in plain]
