"""Tests of the functions that users call: compile, explain, disable, graph_break, reset."""

from __future__ import annotations

import functools
import gc
import inspect
import weakref
from typing import Any

import pytest
import torch

import rust_inductor

X = torch.tensor([[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]])


def double(x):
    """Twice as much."""
    return x * 2


def test_the_signature_is_torchs():
    ours, theirs = (inspect.signature(f).parameters for f in (rust_inductor.compile, torch.compile))
    assert set(ours) == set(theirs)
    differ = {name for name in ours if ours[name].default != theirs[name].default}
    assert differ == {"backend"}
    assert all(ours[name].kind == theirs[name].kind for name in ours)


def test_function_and_decorator():
    compiled = rust_inductor.compile(double)
    torch.testing.assert_close(compiled(X), X * 2)
    assert (compiled.__name__, compiled.__doc__, compiled.__wrapped__) == ("double", double.__doc__, double)

    @rust_inductor.compile(backend="eager", dynamic=True, name="halves")
    def half(x):
        return x / 2

    torch.testing.assert_close(half(X), X / 2)

    @rust_inductor.compile
    def third(x):
        return x / 3

    torch.testing.assert_close(third(X), X / 3)


def test_methods():
    class Scale:
        factor = 3

        @rust_inductor.compile(backend="eager")
        def scale(self, x, *, shift=0):
            return x * self.factor + shift

    torch.testing.assert_close(Scale().scale(X, shift=1), X * 3 + 1)
    torch.testing.assert_close(Scale.scale(Scale(), X), X * 3)


def test_disable_and_wrong_arguments():
    assert rust_inductor.compile(double, disable=True) is double
    with pytest.raises(RuntimeError, match="mode or options"):
        rust_inductor.compile(double, mode="default", options={})
    with pytest.raises(ValueError, match="no mode 'fastest'"):
        rust_inductor.compile(double, mode="fastest")
    with pytest.raises(TypeError):
        rust_inductor.compile(3)  # type: ignore[arg-type]
    with pytest.raises(Exception, match="threds"):
        rust_inductor.compile(double, options={"threds": 1})
    with pytest.raises(ValueError, match="dynamic_shapes"):
        rust_inductor.compile(double, dynamic_shapes=3)


def test_modules_work_as_before():
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU())
    compiled = rust_inductor.compile(model)
    assert isinstance(compiled, torch.nn.Module)
    torch.testing.assert_close(compiled(X), model(X))
    torch.testing.assert_close(rust_inductor.compile(model, backend="eager")(X), model(X))


def test_a_compiler_is_given_mode_and_options():
    seen = []

    def my_compiler(gm, inputs, **extra):
        seen.append((type(gm), [tuple(x.shape) for x in inputs], extra))
        return gm.forward

    rust_inductor.compile(double, backend=my_compiler)(X)
    rust_inductor.compile(double, backend=my_compiler, mode="max-autotune")(X)
    rust_inductor.compile(double, backend=my_compiler, options={"a": 1})(X)
    assert [extra for _, _, extra in seen] == [{}, {"mode": "max-autotune"}, {"options": {"a": 1}}]
    assert all(shapes == [(2, 3)] for _, shapes, _ in seen)
    assert all(issubclass(module, torch.fx.GraphModule) for module, _, _ in seen)


def test_disabled_functions_and_breaks():
    @rust_inductor.disable
    def quiet(x):
        return double(x)

    def fn(x):
        y = x + 1
        rust_inductor.graph_break()
        return quiet(y) + 1

    run = rust_inductor.explain(fn, backend="eager")
    explanation = run(X)
    torch.testing.assert_close(explanation.result, (X + 1) * 2 + 1)
    assert explanation.graph_break_count == 2
    assert {capture.function for capture in explanation.captures}.isdisjoint({"quiet", "double"})
    with pytest.raises(RuntimeError):
        rust_inductor.compile(fn, fullgraph=True)(X)
    assert quiet.__name__ == "quiet"
    assert rust_inductor.disable(reason="slow")(double)(X).sum() == (X * 2).sum()


def test_explain_says_why():
    def fn(x, text):
        y = x + len(text)
        print(text)
        return y.relu()

    run = rust_inductor.explain(fn)
    explanation = run(X, "a")
    torch.testing.assert_close(explanation.result, (X + 1).relu())
    assert (explanation.graph_count, explanation.graph_break_count) == (2, 1)
    (ended,) = explanation.breaks
    assert ended.code == "RI0016"
    assert ended.place.function == "fn"
    assert ended.place.line == fn.__code__.co_firstlineno + 2
    assert ended.hint
    assert "L['text'] == 'a'" in explanation.guards
    assert explanation.recompiles == []
    assert {graph.kind for graph in explanation.graphs} == {"inference"}

    assert run(X, "a").captures == []

    again = run(X, "bcd")
    (failure, *_) = again.recompiles
    assert (failure.guard, failure.expected, failure.found) == ("L['text'] == 'a'", "'a'", "'bcd'")
    printed = str(again)
    for words in ("compiled again", "graph break [RI0016]", "hint:", "expected 'a', found 'bcd'", "kernel k0"):
        assert words in printed


def test_explain_names_calls_without_a_rule():
    def asking(x):
        y = torch.combinations(x[0])
        return y.sum() + torch.block_diag(x)

    run = rust_inductor.explain(asking, backend="eager")(torch.rand(3, 3))
    assert run.captures[0].asked == ("torch.combinations", "torch.functional.block_diag")
    assert "2 without a rule: torch.combinations, torch.functional.block_diag" in str(run)
    run = rust_inductor.explain(lambda x: x + 1, backend="eager")(torch.rand(3))
    assert run.captures[0].asked == ()
    assert "without a rule" not in str(run)


def test_explain_names_what_is_left_to_aotautograd():
    def drawn(x):
        return torch.as_tensor([1.0, 2.0]) + x

    run = rust_inductor.explain(drawn)(torch.rand(2))
    assert run.captures[0].not_lowered == ("torch.as_tensor",)
    assert "1 left to AOTAutograd: torch.as_tensor" in str(run)
    assert rust_inductor.explain(lambda x: x + 1)(torch.rand(3)).captures[0].not_lowered == ()


def test_explain_names_sizes_and_types():
    run = rust_inductor.explain(double, backend="eager")
    run(X)
    (size,) = run(X[:1]).recompiles
    assert size.reason == "tensor 'x' size mismatch at index 0. expected 2, actual 1"
    reasons = [failure.reason for failure in run(X.double()).recompiles]
    assert reasons[0].startswith("tensor 'x' dtype mismatch.")


def test_reset_forgets_what_changed():
    def fn(x, n):
        return x * n

    run = rust_inductor.explain(fn, backend="eager")
    run(X, 2)
    assert "L['n'] == 3" not in run(X, 3).guards
    rust_inductor.reset()
    assert "L['n'] == 5" in run(X, 5).guards


def test_fullgraph_at_the_limit():
    compiled = rust_inductor.compile(lambda x, text: x + len(text), backend="eager", fullgraph=True, recompile_limit=1)
    compiled(X, "a")
    for _ in range(2):
        with pytest.raises(RuntimeError, match="compiled 1 times"):
            compiled(X, "ab")
    torch.testing.assert_close(compiled(X, "a"), X + 1)


def test_what_we_compile_may_call_what_torch_compiles():
    ours = rust_inductor.compile(lambda x: x * 3, backend="eager")
    theirs = torch.compile(lambda x: x * 3, backend="eager")
    for within in (ours, theirs):
        outer = rust_inductor.compile(lambda x, within=within: within(x) + 1, backend="eager")
        for _ in range(2):
            assert torch.equal(outer(X), X * 3 + 1)


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (torch.sin, (torch.randn(3),)),
        (torch.Tensor.exp, (torch.randn(3),)),
        (torch.nn.functional.gelu, (torch.randn(3),)),
        (torch.nn.functional.softmax, (torch.randn(3, 4), 0)),
        (torch.nn.functional.instance_norm, (torch.randn(2, 3, 4),)),
        (torch.ops.aten.relu.default, (torch.randn(3),)),
        (torch.vmap(torch.dot), (torch.randn(3, 4), torch.randn(3, 4))),
    ],
    ids=["builtin", "method", "builtin of nn", "function", "function of batches", "operator", "transform"],
)
def test_functions_of_libraries_are_captured(function: Any, arguments: tuple[Any, ...]) -> None:
    graphs = []

    def counted(gm: torch.fx.GraphModule, _inputs: Any) -> Any:
        graphs.append(gm)
        return gm.forward

    for _ in range(2):
        compiled = rust_inductor.compile(function, backend=counted, fullgraph=True)
        torch.testing.assert_close(compiled(*arguments), function(*arguments))
        assert compiled.__name__ == function.__name__
    assert len(graphs) <= 2


def test_operators_that_are_composed_of_others_are_fused() -> None:
    x, mean, var = torch.randn(4, 3, 5, 5), torch.randn(3), torch.rand(3)
    functions: list[Any] = [
        lambda x: torch.nn.functional.batch_norm(x, mean, var).relu(),
        lambda x: torch.nn.functional.batch_norm(x, None, None, training=True).relu(),
        lambda x: torch.nn.functional.instance_norm(x) + 1,
        lambda x: x.double() * 2 + x.to(torch.int32).float(),
        lambda x: torch.nn.functional.cosine_similarity(x, x + 1),
    ]
    for function in functions:
        torch.testing.assert_close(rust_inductor.compile(function)(x), function(x))
        graphs = rust_inductor.explain(function)(x).graphs
        assert graphs
        assert [graph.calls for graph in graphs] == [[]] * len(graphs)


def test_methods_of_tensors_run_and_are_not_kept() -> None:
    x = torch.randn(3)
    kept = weakref.ref(x)
    torch.testing.assert_close(rust_inductor.compile(x.sin)(), x.sin())
    torch.testing.assert_close(rust_inductor.compile(functools.partial(torch.add, x), fullgraph=True)(x), x + x)
    del x
    gc.collect()
    assert kept() is None
