"""Programs with state: mutation, random numbers, training, sizes that change, threads, errors."""

from __future__ import annotations

import copy
import os
import subprocess
import sys
import threading

import pytest
import torch
from torch import nn

import rust_inductor
from pybind.tests.helpers import check, clone, compiled, same


def test_importing_does_not_import_torch():
    code = "import sys, rust_inductor; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_inputs_are_mutated():
    def function(x, y):
        x.add_(1)
        y[1:].mul_(2)
        return x + y

    check(function, torch.randn(4, 4), torch.randn(4, 4))


def test_mutation_through_an_alias():
    def function(x):
        row = x[1]
        row.zero_()
        x.t_()
        return row + 1, x * 2

    check(function, torch.randn(4, 4))


def test_outputs_alias_inputs_as_they_do_eagerly():
    def function(x):
        return x.view(-1), x + 1, x

    x = torch.randn(3, 4)
    view, _, itself = compiled(function)(x)
    assert view.data_ptr() == x.data_ptr()
    assert itself is x
    view[0] = 7
    assert x[0, 0] == 7


def test_arguments_that_alias_each_other():
    base = torch.randn(6)

    def function(x, y):
        x.add_(1)
        return x * y

    theirs, ours = clone(base), clone(base)
    same(compiled(function)(ours[:4], ours[2:]), function(theirs[:4], theirs[2:]))
    same(ours, theirs)


def test_dropout_draws_eagers_stream():
    def function(x):
        y = nn.functional.dropout(x, 0.4)
        return y + torch.rand(3) + torch.randn(5, 3) * torch.bernoulli(torch.full((3,), 0.5)), torch.rand_like(y)

    x = torch.randn(5, 3)
    torch.manual_seed(3)
    eager = [function(x) for _ in range(3)]
    ours_function = compiled(function)
    ours_function(x)
    torch.manual_seed(3)
    same([ours_function(x) for _ in range(3)], eager)


@pytest.mark.parametrize(
    ("dtype", "probability"),
    [
        (torch.float32, 0.0),
        (torch.float32, 0.1),
        (torch.float32, 1.0),
        (torch.bfloat16, 0.1),
        (torch.float16, 0.75),
        (torch.float64, 0.3),
    ],
)
def test_dropout_is_eagers_to_the_last_bit(dtype, probability):
    """Dropout draws as eager does, whatever the order in memory; what follows draws from where eager would."""

    def function(x):
        return nn.functional.dropout(x, probability) + 1, torch.rand(2)

    def native(x):
        # What torch's tracing makes of the former, with a rounding less.
        return torch.native_dropout(x, probability, True)[0] + 1, torch.rand(2)

    whole = torch.randn(6, 10, 7, dtype=dtype)
    whole[0, 0, :2] = torch.tensor([torch.nan, torch.inf], dtype=dtype)
    images = torch.randn(2, 3, 4, 5, dtype=dtype).to(memory_format=torch.channels_last)
    for x in (whole, whole.transpose(0, 2), whole[::2, :, 1:], images, whole[:0], whole[0, 0, 0]):
        for run, eagerly in ((rust_inductor.compile(function), function), (compiled(native), native)):
            torch.manual_seed(11)
            eager = eagerly(x)
            torch.manual_seed(11)
            for ours, theirs in zip(run(x), eager, strict=True):
                assert (ours.dtype, ours.stride()) == (theirs.dtype, theirs.stride())
                torch.testing.assert_close(ours, theirs, rtol=0, atol=0, equal_nan=True)


def mlp() -> nn.Module:
    return nn.Sequential(
        nn.Linear(8, 16),
        nn.BatchNorm1d(16),
        nn.GELU(),
        nn.Dropout(0.25),
        nn.Linear(16, 16),
        nn.ReLU(),
        nn.Linear(16, 3),
    )


def test_training_steps():
    eager = mlp()
    ours = copy.deepcopy(eager)
    function = compiled(ours)
    optimizers = [torch.optim.SGD(m.parameters(), lr=0.1, momentum=0.9) for m in (eager, ours)]
    for step in range(4):
        x, target = torch.randn(10, 8), torch.randint(0, 3, (10,))
        for run, optimizer in zip([eager.forward, function], optimizers, strict=True):
            torch.manual_seed(step)
            optimizer.zero_grad()
            nn.functional.cross_entropy(run(x), target).backward()
            optimizer.step()
        same([p.grad for p in ours.parameters()], [p.grad for p in eager.parameters()])
        same(list(ours.parameters()), list(eager.parameters()))
        same(list(ours.buffers()), list(eager.buffers()))


def test_gradients_of_inputs():
    x = torch.randn(4, 6, requires_grad=True)
    w = torch.randn(6, 5, requires_grad=True)

    def gradients(function):
        return torch.autograd.grad(function(x, w).sum(), [x, w])

    def function(x, w):
        return torch.log_softmax(torch.tanh(x @ w), -1)[:, 1:]

    same(gradients(compiled(function)), gradients(function))


def test_a_small_convolutional_network_trains():
    eager = nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1, bias=False),
        nn.BatchNorm2d(8),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(8, 4, 3),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
    )
    ours = copy.deepcopy(eager)
    x = torch.randn(2, 3, 12, 12)
    for model in (eager, compiled(ours)):
        model(x).square().sum().backward()
    for a, b in zip(ours.parameters(), eager.parameters(), strict=True):
        torch.testing.assert_close(a.grad, b.grad, rtol=1e-4, atol=1e-5)


def test_no_grad_and_inference_mode():
    model = mlp().eval()
    x = torch.randn(4, 8)
    function = compiled(model)
    with torch.no_grad():
        same(function(x), model(x))
    with torch.inference_mode():
        same(function(x), model(x))


@pytest.mark.parametrize("dynamic", [True, None])
def test_sizes_that_change(dynamic):
    def function(x, y):
        n = x.shape[0]
        return (x * 2).view(-1), x.sum(0) / n, torch.cat([x, y]), torch.arange(n) + 1

    ours = compiled(function, dynamic=dynamic)
    for n in (2, 3, 5, 3, 1, 8):
        x, y = torch.randn(n, 4), torch.randn(n + 1, 4)
        same(ours(x, y), function(x, y))


def test_training_with_sizes_that_change():
    model = mlp()
    ours = copy.deepcopy(model)
    function = compiled(ours, dynamic=True)
    for n in (3, 6, 4):
        x = torch.randn(n, 8)
        for module, run in ((model, model.forward), (ours, function)):
            torch.manual_seed(n)
            module.zero_grad()
            run(x).square().mean().backward()
        same([p.grad for p in ours.parameters()], [p.grad for p in model.parameters()])


def test_a_size_that_depends_on_data():
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True, capture_scalar_outputs=True):
        x = torch.tensor([1.0, -2.0, 3.0, 0.0])
        check(lambda x: (x[x > 0] * 2, x.nonzero() + 1, x.sum().item() + x), x)


def test_threads_call_at_once():
    def function(x):
        return torch.softmax(x @ x.t(), -1).sum(0), torch.topk(x, 2)[0]

    ours = compiled(function)
    inputs = [torch.randn(32, 32) for _ in range(8)]
    ours(inputs[0])
    failures = []

    def work(x):
        expected = function(x)
        for _ in range(50):
            try:
                same(ours(x), expected)
            except Exception as error:
                failures.append(error)
                return

    threads = [threading.Thread(target=work, args=(x,)) for x in inputs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_an_operators_exception_is_torchs_own():
    def function(x):
        return torch.linalg.cholesky(x) + 1

    with pytest.raises(RuntimeError, match="positive-definite"):
        compiled(function)(-torch.eye(3))
    check(function, torch.eye(3) * 4)


def test_graph_breaks():
    def function(x):
        y = x + 1
        torch._dynamo.graph_break()
        return y * 2, y.sum().item()

    check(function, torch.randn(3))


def test_a_subclass_of_tensor():
    class Named(torch.Tensor):
        pass

    x = torch.randn(3).as_subclass(Named)
    result = compiled(lambda x: x + 1)(x)
    assert torch.equal(result.as_subclass(torch.Tensor), x.as_subclass(torch.Tensor) + 1)


def test_sparse_and_foreign_inputs_run_as_they_are():
    x = torch.eye(3).to_sparse()
    y = torch.randn(3, 3)
    torch.testing.assert_close(compiled(lambda x, y: torch.sparse.mm(x, y) + 1)(x, y), y + 1)


def test_vmap_and_grad_transforms():
    def function(x):
        return torch.func.vmap(torch.func.grad(lambda v: v.sin().sum()))(x)

    check(function, torch.randn(3, 4))


def test_options():
    with pytest.raises(
        Exception, match=r"no option `fallbak`; its options are `activation_memory_budget`.*`fallback`.*`threads`"
    ):
        compiled(lambda x: x + 1, options={"fallbak": "error"})(torch.ones(2))
    with pytest.raises(Exception, match=r"option `threads` takes a positive int or None, not 0"):
        compiled(lambda x: x + 1, options={"threads": 0})(torch.ones(2))
    with pytest.raises(Exception, match=r"no kernel for aten\.view_as_complex\.default"):
        compiled(lambda x: torch.view_as_complex(x).abs(), options={"fallback": "error"})(torch.eye(2))
    check(lambda x: x + 1, torch.ones(2), options={"threads": 1, "fallback": "allow"})


def test_modes():
    same(compiled(lambda x: x + 1, mode="reduce-overhead")(torch.ones(2)), torch.full((2,), 2.0))
    with pytest.raises(Exception, match="mode"):
        compiled(lambda x: x + 1, mode="fastest")(torch.ones(2))


def test_compile_is_torch_compile_with_our_backend():
    def function(x):
        return x.sin() + 1

    x = torch.randn(5)
    same(rust_inductor.compile(function)(x), function(x))

    @rust_inductor.compile(dynamic=True)
    def decorated(x):
        return x * 2

    same(decorated(x), x * 2)


def test_explain_tells_every_nodes_fate():
    def function(x):
        return torch.view_as_complex(torch.relu(x) @ x.t())[1:]

    x = torch.randn(2, 2)
    explanation = rust_inductor.explain(function)(x)
    text = str(explanation)
    same(explanation.result, function(x))
    assert "inference graph" in text
    for target in ("aten.relu.default", "aten.matmul.default", "aten.view_as_complex.default"):
        assert target in text
    assert any(target == "aten.view_as_complex.default" for target, _ in explanation.fallbacks)


def test_explain_of_a_training_step():
    weight = torch.randn(3, 3, requires_grad=True)

    def function(x):
        loss = (x @ weight).tanh().sum()
        loss.backward()
        return loss.detach()

    explanation = rust_inductor.explain(lambda x: (x @ weight).tanh().sum())(torch.randn(3, 3))
    explanation.result.backward()
    assert {graph.kind for graph in explanation.graphs} == {"forward", "backward"}
    assert function(torch.randn(3, 3)).requires_grad is False


def test_tensors_on_another_device():
    result = compiled(lambda x: torch.softmax(x + 1, -1))(torch.empty(3, 4, device="meta"))
    assert result.device.type == "meta" and result.shape == (3, 4)


def test_convolutions_on_another_device_are_left_as_they_are():
    def function(x, w):
        return torch.nn.functional.conv2d(torch.nn.functional.conv2d(x, w, padding=1) @ x, w)

    x, w = (torch.empty(sizes, device="meta") for sizes in ((64, 16, 8, 8), (16, 16, 3, 3)))
    result = compiled(function)(x, w)
    assert result.device.type == "meta" and result.shape == (64, 16, 6, 6)


def test_autocast():
    def function(x, w):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return (x @ w).relu()

    x, w = torch.randn(4, 8), torch.randn(8, 4)
    ours, eager = compiled(function)(x, w), function(x, w)
    assert ours.dtype == eager.dtype == torch.bfloat16
    torch.testing.assert_close(ours, eager)


def test_control_flow_operators():
    def function(x):
        return torch.cond(x.sum() > 0, lambda x: x.sin() + 1, lambda x: x.cos() - 1, (x,)) * 2

    for x in (torch.ones(3), -torch.ones(3)):
        same(compiled(function)(x), function(x))


def test_operators_of_the_users_own():
    @torch.library.custom_op("rust_inductor_tests::twice_plus", mutates_args=())
    def twice_plus(x: torch.Tensor, n: int, scale: float = 2.0) -> tuple[torch.Tensor, torch.Tensor]:
        return x * scale + n, x.t().clone()

    @twice_plus.register_fake
    def _(x, n, scale=2.0):
        return torch.empty_like(x), x.t().clone()

    def function(x):
        a, b = twice_plus(x + 1, 3)
        return (a * 2).relu(), b + 1

    check(function, torch.randn(3, 4))


def test_operators_that_write_into_their_arguments():
    @torch.library.custom_op("rust_inductor_tests::fill", mutates_args=("x",))
    def fill(x: torch.Tensor, value: float) -> None:
        x.fill_(value)

    def function(x):
        y = x * 2
        fill(y, 3.0)
        fill(x, 4.0)
        return y + x

    check(function, torch.randn(3))


def test_hooks_and_double_use_of_saved_tensors():
    x = torch.randn(4, requires_grad=True)
    function = compiled(lambda x: (x.exp() * x).sum())
    loss = function(x)
    (first,) = torch.autograd.grad(loss, x, retain_graph=True)
    (second,) = torch.autograd.grad(loss, x)
    same(first, second)
    same(first, torch.autograd.grad((x.exp() * x).sum(), x)[0])


def test_sizes_that_are_not_plain_symbols():
    def function(x):
        return x.reshape(x.shape[0] // 2, 2, -1).sum(1), x[: x.shape[0] // 2] + x.shape[1] * 2

    ours = compiled(function, dynamic=True)
    for n in (4, 6, 10):
        x = torch.randn(n, n + 1)
        same(ours(x), function(x))


def test_strides_that_change():
    def function(x):
        return x.softmax(-1), x + 1

    ours = compiled(function, dynamic=True)
    for x in (torch.randn(4, 6), torch.randn(6, 4).t(), torch.randn(8, 12)[::2, ::2], torch.randn(5, 1, 7)[:, 0]):
        same(ours(x), function(x))


def test_output_code_is_logged():
    code = """
import torch
torch.compile(lambda x: torch.relu(x) + 1, backend="rust_inductor")(torch.ones(3))
"""
    environment = {**os.environ, "TORCH_LOGS": "output_code"}
    done = subprocess.run([sys.executable, "-c", code], check=True, env=environment, capture_output=True, text=True)
    assert "kernel k0" in done.stderr
    assert "parallel i0" in done.stderr


def test_the_portable_ways_give_the_same_results():
    """Without the private layout of tensors, the generated shims and the newest functions."""
    code = """
import torch
def function(x, w):
    return torch.softmax(x @ w, -1), x.t(), torch.linalg.inv(x @ x.t() + torch.eye(3) * 9), x
x, w = torch.randn(3, 4), torch.randn(4, 5)
for dynamic in (False, True):
    for ours, eager in zip(torch.compile(function, backend="rust_inductor", dynamic=dynamic)(x, w), function(x, w)):
        torch.testing.assert_close(ours, eager)
"""
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "RUST_INDUCTOR_PORTABLE": "1"})
