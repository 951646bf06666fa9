"""Other compilers behind our Dynamo: they see what torch's Dynamo would show, and what they assume is guarded."""

from __future__ import annotations

import copy
import importlib.util
import re
import threading
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch._dynamo.exc import BackendCompilerFailed
from torch._guards import TracingContext, detect_fake_mode
from torch._subclasses.fake_tensor import FakeTensor

from rust_inductor import _capture

BACKENDS = ["eager", "aot_eager", "aot_eager_decomp_partition"]
SCALE = torch.nn.Parameter(torch.tensor([0.5, -1.5, 2.0]))


class Kept:
    """A backend that keeps what it is given, and runs the graph as it is."""

    def __init__(self) -> None:
        self.modules: list[torch.fx.GraphModule] = []
        self.inputs: list[list[Any]] = []

    def __call__(self, gm: torch.fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
        self.modules.append(gm)
        self.inputs.append(inputs)
        return gm.forward


def capture(function: Callable[..., Any], backend: Any, **options: Any) -> tuple[Any, list[dict[str, Any]]]:
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(function, backend, listener=log.append, **options)
    return compiled, log


def clean(log: list[dict[str, Any]]) -> int:
    """The number of graphs, where nothing ran as it is."""
    assert not [event["skipped"] for event in log if "skipped" in event]
    return len(log)


def listing(gm: torch.fx.GraphModule) -> list[str]:
    """The nodes as text, with symbols numbered in the order of their coming."""
    symbols: dict[str, str] = {}
    lines = []
    for node in gm.graph.nodes:
        if node.op == "placeholder" and re.fullmatch(r"s\d+", node.name):
            symbols[node.name] = f"s{len(symbols)}"
        target = node.target if isinstance(node.target, str) else node.target.__name__
        line = f"{node.op} {node.name} {target} {node.args} {node.kwargs}"
        lines.append(re.sub(r"\bs\d+\b", lambda found: symbols.get(found[0], found[0]), line))
    return lines


def of_torch(function: Callable[..., Any], *calls: tuple[Any, ...], **options: Any) -> Kept:
    torch._dynamo.reset()
    kept = Kept()
    compiled = torch.compile(function, backend=kept, **options)
    for args in calls:
        compiled(*copy.deepcopy(args))
    return kept


def mse(x, y):
    return ((x - y) ** 2).mean()


def scaled(x):
    return torch.nn.functional.relu(x * SCALE)


def rows(a, b):
    return a.shape[0] * a * b


def halves(x):
    return x[: x.size(0) // 2] + 1


def methods(x):
    return x.view(-1).sum(), x.t().contiguous()


def keywords(x):
    return torch.sum(x, dim=-1, keepdim=True) + x.mean(dim=1, keepdim=True)


def integer(x, n):
    return x * n + 1


def listed(items):
    return items[0] @ items[1] - items[0].sum()


def named(table):
    return table["left"] + table["right"] * 2


def joined(x, y):
    return torch.cat([x, y], 0).reshape(-1)


def sizes(x):
    return torch.zeros(x.shape[0], 2) + 1, torch.arange(x.shape[1])


def inplace(x):
    x.add_(1)
    return x * 2


X, Y, SQUARE = torch.ones(4, 3), torch.full((4, 3), 2.0), torch.ones(4, 4)
LIKE_TORCH = [
    (mse, (X, Y)),
    (scaled, (X,)),
    (rows, (X, Y)),
    (halves, (X,)),
    (methods, (X,)),
    (keywords, (X,)),
    (integer, (X, 7)),
    (listed, ([SQUARE, SQUARE * 2],)),
    (named, ({"left": X, "right": Y},)),
    (joined, (X, Y)),
    (sizes, (X,)),
    (inplace, (X,)),
]


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize(("function", "args"), LIKE_TORCH, ids=lambda value: getattr(value, "__name__", ""))
def test_graphs_are_named_and_ordered_as_torch_does(function, args, dynamic):
    ours = Kept()
    compiled, log = capture(function, ours, dynamic=dynamic)
    torch.testing.assert_close(compiled(*copy.deepcopy(args)), function(*copy.deepcopy(args)))
    clean(log)
    theirs = of_torch(function, args, dynamic=dynamic)
    assert [listing(gm) for gm in ours.modules] == [listing(gm) for gm in theirs.modules]
    for our, their in zip(ours.modules, theirs.modules):
        for one, other in zip(our.graph.nodes, their.graph.nodes):
            same_metadata(one, other)
    for our_inputs, their_inputs in zip(ours.inputs, theirs.inputs):
        assert [type(value) for value in our_inputs] == [type(value) for value in their_inputs]


def same_metadata(ours: torch.fx.Node, theirs: torch.fx.Node) -> None:
    """Asserts that what backends read of a node is there, and the same."""
    assert set(theirs.meta) - {"creation_timestamp"} - set(ours.meta) <= {"stack_trace"}, ours
    if ours.op != "placeholder":
        assert lines_of(ours) == lines_of(theirs)
    one: Any = ours.meta.get("example_value")
    other: Any = theirs.meta.get("example_value")
    assert type(one) is type(other), ours
    if isinstance(other, FakeTensor):
        assert one.dtype == other.dtype and one.device == other.device and one.requires_grad == other.requires_grad
        assert one.dim() == other.dim()
        hints = [[hint(n) for n in (*value.size(), *value.stride())] for value in (one, other)]
        assert hints[0] == hints[1]
        # torch keeps symbols for what has become constant.
        symbolic = [
            [isinstance(n, torch.SymInt) and bool(n.node.expr.free_symbols) for n in v.size()] for v in (one, other)
        ]
        assert symbolic[0] == symbolic[1]


def lines_of(node: torch.fx.Node) -> list[str]:
    """The origin of a node, without the marks beneath."""
    lines = [line.strip() for line in node.meta.get("stack_trace", "").splitlines()]
    return [line for line in lines if line.strip("~^ ")]


def hint(number: Any) -> Any:
    return number if isinstance(number, int) else number.node.hint


def test_one_fake_mode_one_environment_one_context_per_capture():
    seen = []

    def backend(gm, inputs):
        context: Any = TracingContext.get()
        values = [node.meta["example_value"] for node in gm.graph.nodes if "example_value" in node.meta]
        modes: set[Any] = {value.fake_mode for value in values if isinstance(value, FakeTensor)}
        modes.add(detect_fake_mode(inputs))
        environments = {value.node.shape_env for value in inputs if isinstance(value, torch.SymInt)}
        assert modes == {context.fake_mode} and environments == {context.fake_mode.shape_env}
        assert [node.meta["grapharg"].source.name for node in gm.graph.find_nodes(op="placeholder")] == [
            "L['x'].size()[0]",
            "L['x']",
            "L['n']",
        ]
        seen.append(context)
        return gm.forward

    compiled, log = capture(lambda x, n: x * n, backend, dynamic=True)
    compiled(torch.ones(5), 7)
    assert len(seen) == clean(log) == 1
    assert TracingContext.try_get() is None


def test_a_graph_module_prints(capsys):
    kept = Kept()
    capture(rows, kept, dynamic=True)[0](X, Y)
    (gm,) = kept.modules
    text = gm.print_readable(print_output=False)
    assert 'L_a_: "f32[s0, s1]"' in text
    assert "code: return a.shape[0] * a * b" in text
    if importlib.util.find_spec("tabulate"):
        gm.graph.print_tabular()
        assert "placeholder" in capsys.readouterr().out


def train(function: Callable[..., Any], args: tuple[Any, ...]) -> list[torch.Tensor]:
    """The results of a function, and what it gives to the arguments' gradients."""
    tensors: list[Any] = [a for a in args if isinstance(a, torch.Tensor) and a.requires_grad]
    for tensor in tensors:
        tensor.grad = None
    result = function(*args)
    result.sum().backward()
    return [result.detach(), *(tensor.grad.clone() for tensor in tensors)]


def layer(x, w):
    return torch.relu(x @ w).sum(0) * x.shape[0]


@pytest.mark.parametrize("backend", BACKENDS)
def test_training(backend):
    w = torch.linspace(-1, 1, 20).reshape(4, 5).requires_grad_()
    compiled, log = capture(layer, backend)
    for n in (3, 6, 7, 2, 9):
        args = (torch.linspace(-2, 2, 4 * n).reshape(n, 4).requires_grad_(), w)
        torch.testing.assert_close(train(compiled, args), train(layer, args))
    assert clean(log) == 2


@pytest.mark.parametrize("backend", BACKENDS)
def test_inputs_are_written_to(backend):
    def step(x, y):
        x.add_(1)
        y.mul_(2)
        return x + y

    compiled, log = capture(step, backend)
    # Alone, apart in one storage, overlapping, the same, and all that with other sizes.
    slices = [(0, 6, 6, 12), (0, 6, 3, 9), (0, 6, 0, 6), (0, 7, 2, 9), (0, 3, 6, 9), (0, 4, 8, 12), (0, 5, 1, 6)]
    for a, b, c, d in slices:
        one, other = torch.arange(12.0), torch.arange(12.0)
        ours = compiled(one[a:b], one[c:d])
        theirs = step(other[a:b], other[c:d])
        torch.testing.assert_close(ours, theirs)
        torch.testing.assert_close(one, other)
    x, y = torch.ones(6), torch.ones(6)
    torch.testing.assert_close(compiled(x, x), step(y, y))
    torch.testing.assert_close(x, y)
    clean(log)


@pytest.mark.parametrize("backend", BACKENDS)
def test_views_of_inputs_are_given_back(backend):
    compiled, log = capture(lambda x: (x.view(-1), x, x[1:]), backend)
    for n in (4, 5, 6):
        x = torch.ones(n, 3)
        flat, whole, part = compiled(x)
        assert whole is x
        assert flat.data_ptr() == x.data_ptr() and part.data_ptr() == x[1:].data_ptr()
        assert flat.shape == (n * 3,) and part.shape == (n - 1, 3)
    clean(log)


@pytest.mark.parametrize("backend", BACKENDS)
def test_one_object_for_two_arguments(backend):
    def both(x, y):
        x.add_(1)
        return x * y

    compiled, log = capture(both, backend)
    x = torch.ones(3)
    torch.testing.assert_close(compiled(x, x), torch.full((3,), 4.0))
    torch.testing.assert_close(compiled(torch.ones(3), torch.ones(3)), torch.full((3,), 2.0))
    assert clean(log) == 2


SEQUENCES = [
    (lambda x: x * 2, [(torch.ones(n, 3),) for n in (4, 5, 6, 7, 1, 2, 0)]),
    (lambda x, n: x * n, [(torch.ones(3), n) for n in (2, 3, 4, -2, 1, 0)]),
    (lambda x, y: x + y, [(torch.ones(n, m), torch.ones(n, m)) for n, m in ((2, 3), (4, 3), (5, 3), (5, 6), (7, 8))]),
    (lambda x: x.view(x.shape[0] // 2, -1), [(torch.ones(n, 4),) for n in (2, 4, 6, 8)]),
    (lambda x: x.t() @ x, [(torch.ones(9, 3)[:n],) for n in (2, 4, 6, 8)]),
]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("at", range(len(SEQUENCES)))
def test_as_many_graphs_as_torch_makes(at, backend):
    function, calls = SEQUENCES[at]
    compiled, log = capture(function, backend)
    for args in calls:
        torch.testing.assert_close(compiled(*args), function(*args))
    assert clean(log) == len(of_torch(function, *calls).modules)


def test_what_a_backend_assumes_is_guarded():
    seen = []

    def fussy(gm, inputs):
        size = next(value for value in inputs if isinstance(value, torch.SymInt))
        seen.append((bool(size % 4 == 0), bool(size > 20)))
        wanted = torch.full((), float(seen[-1][0]))
        return lambda *args: (args[-1] + wanted,)

    compiled, log = capture(lambda x: x + 1, fussy, dynamic=True)
    for n in (8, 12, 16, 6, 7, 40, 24, 9):
        torch.testing.assert_close(compiled(torch.zeros(n)), torch.full((n,), float(n % 4 == 0)))
    guards = log[0]["guards"][-1]
    assert "(L['x'].size()[0] % 4) == 0" in guards and "<= 20" in guards, guards
    assert clean(log) == len(seen) == 3


def test_what_our_guards_cannot_state_is_checked_in_python():
    def rooted(gm, inputs):
        size = next(value for value in inputs if isinstance(value, torch.SymInt))
        whole = bool(torch.sym_sqrt(size) < 3.5)
        return lambda *args: (args[-1] + float(whole),)

    compiled, log = capture(lambda x: x + 1, rooted, dynamic=True)
    for n in (4, 9, 12, 13, 25, 5):
        torch.testing.assert_close(compiled(torch.zeros(n)), torch.full((n,), float(n**0.5 < 3.5)))
    assert clean(log) == 2
    assert "sqrt" in log[0]["guards"][-1]


def test_what_cannot_be_guarded_is_compiled_for_one_size():
    calls = []

    def foreign(gm, inputs):
        mode: Any = detect_fake_mode()
        environment = mode.shape_env
        calls.append([type(value) for value in inputs])
        source = torch._dynamo.source.ConstantSource("somewhere")
        symbol = environment.create_symintnode(environment.create_symbol(9, source), hint=9)
        if isinstance(inputs[0], torch.SymInt):
            assert symbol > inputs[0]
        return gm.forward

    compiled, log = capture(lambda x: x + 1, foreign, dynamic=True)
    for n in (4, 5, 4):
        assert compiled(torch.zeros(n)).shape == (n,)
    assert clean(log) == 2
    assert calls == [[torch.SymInt, torch.Tensor], [torch.Tensor]] * 2


def test_a_backend_that_fails():
    def unhappy(gm, inputs):
        message = "no, not this one"
        raise ValueError(message)

    compiled, _ = capture(lambda x: x + 1, unhappy)
    with pytest.raises(BackendCompilerFailed) as ours:
        compiled(torch.ones(2))
    torch._dynamo.reset()
    with pytest.raises(BackendCompilerFailed) as theirs:
        torch.compile(lambda x: x + 1, backend=unhappy)(torch.ones(2))
    first = [str(error.value).split("\n\n")[0] for error in (ours, theirs)]
    assert first[0] == first[1]
    assert isinstance(ours.value.inner_exception, ValueError)


def test_a_backend_that_gives_no_callable():
    compiled, _ = capture(lambda x: x + 1, lambda gm, inputs: None)
    with pytest.raises(BackendCompilerFailed):
        compiled(torch.ones(2))


@pytest.mark.parametrize("kind", [list, tuple])
def test_a_backend_gives_a_list_or_a_tuple(kind):
    compiled, log = capture(lambda x: (x + 1, x * 2), lambda gm, inputs: lambda *args: kind(gm.forward(*args)))
    one, other = compiled(torch.ones(2))
    torch.testing.assert_close((one, other), (torch.full((2,), 2.0), torch.full((2,), 2.0)))
    clean(log)


def test_what_a_backend_makes_is_not_captured():
    kept = Kept()

    def backend(gm, inputs):
        kept(gm, inputs)

        def run(*args):
            return (args[0] * 3 + 1,)

        return run

    compiled, log = capture(lambda x: x + 1, backend)
    torch.testing.assert_close(compiled(torch.ones(2)), torch.full((2,), 4.0))
    assert clean(log) == len(kept.modules) == 1


def test_a_backward_graph_is_compiled_within_a_captured_function():
    w = torch.ones(3, 3, requires_grad=True)

    def step(x):
        loss = (x @ w).relu().sum()
        loss.backward()
        return loss * 1

    compiled, log = capture(step, "inductor")
    compiled(torch.ones(2, 3))
    torch.testing.assert_close(w.grad, torch.full((3, 3), 2.0))
    clean(log)
    assert {event["code"].co_filename for event in log} == {__file__}


@pytest.mark.parametrize("training", [False, True])
def test_inductor(training):
    w = torch.linspace(-1, 1, 20).reshape(4, 5).requires_grad_(training)
    compiled, log = capture(layer, "inductor")
    for n in (3, 6, 7):
        args = (torch.linspace(-2, 2, 4 * n).reshape(n, 4).requires_grad_(training), w)
        if training:
            torch.testing.assert_close(train(compiled, args), train(layer, args))
        else:
            torch.testing.assert_close(compiled(*args), layer(*args))
    assert clean(log) == 2


def collated(batch):
    longest = max(t.size(0) for t in batch)
    padded = batch[0].new_full((len(batch), longest), 0.0)
    for i, t in enumerate(batch):
        padded[i, : t.size(0)] = t
    return padded, torch.arange(longest) < torch.tensor([len(t) for t in batch])[:, None]


@pytest.mark.parametrize("backend", ["rust_inductor", "aot_eager"])
def test_torch_looks_for_its_mode_while_the_symbols_are_made(backend):
    """The tracer's decisions are told to torch's environment, which asks for the mode that is being made."""
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(collated, backend=backend, listener=log.append)
    for sizes in ((3, 5, 1), (2, 2), (4, 3)):
        batch = [torch.ones(size) for size in sizes]
        for ours, theirs in zip(compiled(batch), collated(batch)):
            assert torch.equal(ours, theirs)
    assert not [event for event in log if "skipped" in event]


def float_beside_a_change(scale, x):
    x[1] = 1
    return torch.mul(scale + scale, torch.tensor(0.5)), x


@pytest.mark.parametrize("backend", ["rust_inductor", "aot_eager"])
def test_floats_share_no_memory_with_tensors_that_change(backend):
    compiled = _capture.optimize(float_beside_a_change, backend=backend)
    for scale in (2.0, 3.0, 4.0):
        for x in (torch.ones(3, 2), torch.ones(2, 3).T):
            for ours, theirs in zip(compiled(scale, x.clone()), float_beside_a_change(scale, x.clone())):
                assert torch.equal(ours, theirs)


def branches(x, y):
    a, b = x.split(2, dim=1)
    z = torch.nn.functional.gelu(a, approximate="tanh") + SCALE[0] * b
    z += y.sum(dim=(0, 1), keepdim=True)
    with torch.no_grad():
        w = z.to(torch.float64).mT.reshape(x.shape[0], -1)[1:, ..., None]
    return {"z": z, "more": [w, (torch.zeros_like(z), -(z**2))]}, torch.relu(w)


def other_function(relu: torch.fx.Node) -> None:
    relu.target = torch.sigmoid


def other_argument(relu: torch.fx.Node) -> None:
    relu.args = tuple(node for node in relu.graph.nodes if node.target is torch.nn.functional.gelu)


def another_node(relu: torch.fx.Node) -> None:
    with relu.graph.inserting_before(relu):
        relu.args = (relu.graph.call_function(torch.sin, relu.args),)


def another_type(relu: torch.fx.Node) -> None:
    relu.type = torch.Tensor


@pytest.mark.parametrize("change", [None, other_function, other_argument, another_node, another_type])
def test_the_code_of_a_graph_is_what_torch_writes(change, monkeypatch):
    written = []

    def backend(gm, _inputs):
        if change is not None:
            change(*[node for node in gm.graph.nodes if node.target is torch.relu])
        written.append((gm, gm.graph.python_code("self")))
        if change is None:
            # Of a graph that is as it was nobody asks torch for the code.
            monkeypatch.setattr(torch.fx.Graph, "python_code", None)
        return gm.forward

    compiled, _ = capture(branches, backend)
    compiled(torch.randn(3, 4), torch.randn(2, 2))
    ((gm, code),) = written
    assert gm.code == code.src
    assert (gm._lineno_map, gm._prologue_start) == (code._lineno_map, code._prologue_start)


def test_a_module_that_a_backend_wraps_is_written_when_it_is_called(monkeypatch):
    """A backend keeps the module and calls it later, or a copy, or one that it has changed."""
    modules: list[torch.fx.GraphModule] = []
    written = []
    monkeypatch.setattr(torch.fx.Graph, "_python_code", lambda self, *args, **kwargs: written.append(self))

    def backend(gm, _inputs):
        modules.append(gm)
        return lambda *args: gm(*args)

    x = torch.randn(3)
    compiled = _capture.optimize(lambda x: (x.sin() * 2, x.cos()), backend)
    expected = (x.sin() * 2, x.cos())
    torch.testing.assert_close(compiled(x), expected)
    assert not written, "torch has written the code itself"
    monkeypatch.undo()
    (gm,) = modules
    source = gm.code
    assert source == torch.fx.GraphModule(gm, copy.deepcopy(gm.graph)).code
    torch.testing.assert_close(tuple(copy.deepcopy(gm)(x)), expected)
    next(node for node in gm.graph.nodes if node.target == "sin").target = "tan"
    gm.recompile()
    assert "tan" in gm.code
    torch.testing.assert_close(gm(x)[0], x.tan() * 2)


def test_a_module_is_written_once_whoever_calls_it_first():
    barrier = threading.Barrier(4)
    found: list[torch.Tensor] = []

    def backend(gm, _inputs):
        def run(*args):
            def call():
                barrier.wait()
                found.extend(gm(*args))

            threads = [threading.Thread(target=call) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            return found[:1]

        return run

    x = torch.randn(3)
    _capture.optimize(lambda x: x.sin() * 2, backend)(x)
    assert len(found) == 4
    assert all(torch.equal(one, x.sin() * 2) for one in found)
