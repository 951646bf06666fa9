"""Functions without state, compared with eager."""

from __future__ import annotations

import math
import operator

import pytest
import torch
import torch.nn.functional as F

import rust_inductor
from pybind.tests.helpers import check, compiled, same

POINTWISE = {
    "add": lambda x, y: x + y,
    "chain": lambda x, y: torch.relu(x * 2 - y).sigmoid() + 1,
    "gelu": lambda x, y: F.gelu(x) * F.gelu(y, approximate="tanh"),
    "where": lambda x, y: torch.where(x > y, x, y.exp()),
    "scalar_first": lambda x, y: 3 / (1 + x.abs()) - y,
    "clamp": lambda x, y: x.clamp(-0.5, 0.5) + y.clamp(min=0),
    "broadcast": lambda x, y: x[:, None, :] * y[None, :, :],
    "unary": lambda x, y: torch.tanh(x) + torch.erf(y) + torch.rsqrt(x.abs() + 1) + torch.log1p(y.abs()),
}

REDUCTIONS = {
    "sum": lambda x: x.sum(),
    "sum_dim": lambda x: x.sum(0) + x.mean(0),
    "keepdim": lambda x: x - x.amax(-1, keepdim=True),
    "softmax": lambda x: torch.softmax(x, -1),
    "log_softmax": lambda x: torch.log_softmax(x, 0),
    "layer_norm": lambda x: F.layer_norm(x, x.shape[-1:]),
    "var": lambda x: torch.var_mean(x, -1),
    "argmax": lambda x: (x.argmax(-1), x.argmin(0)),
    "any_all": lambda x: ((x > 1).any(0), (x < 1).all(-1)),
    "cumsum": lambda x: x.cumsum(1),
    "norm": lambda x: x.norm(dim=-1),
    "prod": lambda x: x.prod(1),
}

VIEWS = {
    "transpose": lambda x: x.t() + 1,
    "reshape": lambda x: (x * 2).reshape(-1),
    "slice": lambda x: x[1:, ::2] * 2,
    "expand": lambda x: x.unsqueeze(1).expand(-1, 3, -1) + 0,
    "cat": lambda x: torch.cat([x, x * 2], 0),
    "stack_flip": lambda x: torch.stack([x.flip(0), x], 1),
    "pad": lambda x: F.pad(x, (1, 2), value=3.0),
    "split": lambda x: operator.add(*x.split(x.shape[1] // 2, 1)),
    "output_is_view": lambda x: (x.t(), x[1:], x.view(-1)),
    "output_is_input": lambda x: (x, x + 1, x),
    "same_output_twice": lambda x: (lambda y: (y, y))(x + 1),
    "view_of_result": lambda x: (x + 1).t(),
    "as_strided": lambda x: x.as_strided((2, 2), (1, 2)) + 1,
}


@pytest.mark.parametrize("name", POINTWISE)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_pointwise(name, dtype):
    check(POINTWISE[name], torch.randn(7, 33, dtype=dtype), torch.randn(7, 33, dtype=dtype))


@pytest.mark.parametrize("name", POINTWISE)
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
def test_pointwise_in_half_precision(name, dtype):
    """A kernel rounds once, eager after each operator: the exact result is the measure."""
    x, y = torch.randn(7, 33).to(dtype), torch.randn(7, 33).to(dtype)
    ours, exact = compiled(POINTWISE[name])(x, y), POINTWISE[name](x.double(), y.double())
    assert ours.dtype == dtype
    torch.testing.assert_close(ours.double(), exact, rtol=2 * torch.finfo(dtype).eps, atol=2 * torch.finfo(dtype).eps)


#: Operators whose kernels in eager compute in the type of the tensors, step by step.
NARROW = {
    "trunc": lambda x, y: torch.div(x, y, rounding_mode="trunc"),
    "floor": lambda x, y: torch.div(x, y, rounding_mode="floor"),
    "trunc by one": lambda x, y: torch.div(x, y[:1, :1], rounding_mode="trunc"),
    "floor by a number": lambda x, y: torch.div(x, 3.3, rounding_mode="floor"),
    "addr": lambda x, y: torch.addr(x, x[:, 0], y[0]),
    "addr scaled": lambda x, y: torch.addr(x, x[:, 0], y[0], alpha=2.3, beta=0.7),
    "soft margin": lambda x, y: torch.nn.functional.soft_margin_loss(x, y.sign(), reduction="none"),
}


@pytest.mark.parametrize("name", NARROW)
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
def test_steps_in_half_precision(name, dtype):
    torch.manual_seed(0)
    random = (torch.randn(19, 33) * 30).to(dtype), torch.randn(19, 33).to(dtype)
    special = torch.tensor([0.0, -0.0, 1.0, -2.5, 1e-3, 300.0, math.inf, -math.inf, math.nan], dtype=dtype)
    for x, y in (random, torch.meshgrid(special, special, indexing="ij")):
        ours, eager = compiled(NARROW[name])(x, y), NARROW[name](x, y)
        assert torch.equal(ours.signbit() | ours.isnan(), eager.signbit() | eager.isnan())
        torch.testing.assert_close(ours, eager, rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions(name):
    check(REDUCTIONS[name], torch.randn(12, 40))


@pytest.mark.parametrize("name", VIEWS)
def test_views(name):
    check(VIEWS[name], torch.randn(6, 8))


@pytest.mark.parametrize("dtype", [torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64], ids=str)
def test_integers(dtype):
    x = torch.randint(0, 2 if dtype == torch.bool else 50, (5, 9)).to(dtype)
    y = torch.randint(1, 2 if dtype == torch.bool else 9, (5, 9)).to(dtype)
    check(lambda x, y: (x + y, x == y, x.sum(), torch.maximum(x, y), x.float() / y), x, y)


def test_complex_numbers_run_as_eager_would_run_them():
    x = torch.randn(4, 5, dtype=torch.complex64)
    check(lambda x: (x * x.conj(), x.abs(), (x.conj().imag + 1) * 2, torch.view_as_real(x)), x)


def test_a_pending_negation_is_seen():
    x = torch.randn(4, 5, dtype=torch.complex64).conj().imag
    assert x.is_neg()
    torch.testing.assert_close(compiled(lambda x: x + 1)(x), x + 1)


def test_pending_negations_and_conjugations_are_no_plain_tensors():
    z = torch.randn(4, 5, dtype=torch.complex64)
    for plain, pending in ((z.imag.clone(), z.conj().imag), (z, z.conj())):
        assert pending.is_neg() or pending.is_conj()
        for order in ((plain, pending), (pending, plain)):
            ours = compiled(lambda x: x * 2 + 1)
            for x in (*order, *order):
                torch.testing.assert_close(ours(x), x * 2 + 1)


def test_what_is_real_of_complex_numbers():
    z = torch.randn(4, 5, dtype=torch.complex64)
    check(lambda z: (z.abs(), z.std(), z.var(0), torch.linalg.vector_norm(z), z.angle(), z.mean()), z)
    check(lambda z: (z.real + 1, z.imag * 2, torch.isreal(z), (z == z.conj()).sum()), z)


def test_numbers_count_as_tensors_in_the_order_of_strides():
    for x in (torch.ones(3).as_strided((3, 1), (1, 3)), torch.ones(30).as_strided((1, 3, 1, 2), (7, 2, 9, 1))):
        for function in (
            lambda x: x + 1,
            lambda x: 1 - x,
            lambda x: x > 0,
            lambda x: x / 3,
            torch.sin,
            lambda x: x + x,
        ):
            same(rust_inductor.compile(function)(x), function(x))


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (2, 0, 4)], ids=str)
def test_without_elements(shape):
    check(lambda x: (x + 1, x.sum(), x * x, x.sum(-1)), torch.randn(shape))


def test_scalars_and_single_elements():
    check(lambda x: (x + 1, x.exp(), x.sum()), torch.tensor(2.5))
    check(lambda x: x.expand(3, 4) + torch.ones(4), torch.randn(1, 1))


@pytest.mark.parametrize(
    "layout",
    [
        lambda x: x.t(),
        lambda x: x[::2, 1::3],
        lambda x: x[:, 2:],
        lambda x: x[3],
        lambda x: x[:1].expand(5, -1),
        lambda x: x.view(2, 6, 3, 4).permute(0, 3, 1, 2),
    ],
    ids=["transposed", "strided", "offset", "row", "expanded", "permuted"],
)
def test_inputs_of_any_layout(layout):
    def function(x):
        return torch.softmax(x * 2 + 1, -1), x.sum(0), x.relu()

    x = layout(torch.randn(12, 12))
    same(compiled(function)(x), function(x))


def test_matmuls_convolutions_and_attention():
    x, y = torch.randn(3, 5, 8), torch.randn(3, 8, 4)
    check(lambda x, y: (x @ y).relu(), x, y)
    check(lambda x, y: F.linear(x, y[0].t(), torch.ones(4)) + 1, x, y)
    image, weight = torch.randn(2, 4, 9, 9), torch.randn(6, 2, 3, 3)
    check(lambda i, w: F.conv2d(i, w, padding=1, stride=2, groups=2).relu(), image, weight)
    check(lambda i, w: F.conv_transpose2d(i, w, None, (2, 1), 1, (1, 0), 2, (1, 2)), image, torch.randn(4, 3, 3, 2))
    check(lambda i: F.conv_transpose1d(i[0], torch.ones(9, 2, 3), bias=torch.ones(2), stride=2), image)
    check(lambda i: F.conv_transpose2d(i, torch.ones(4, 3, 2, 2)), image.to(memory_format=torch.channels_last))
    check(lambda i: F.conv_transpose3d(i, torch.ones(9, 1, 2, 2, 1)), torch.randn(1, 9, 3, 4, 5))
    check(lambda i: (F.max_pool2d(i, 3, 2, 1), F.avg_pool2d(i, 2), F.adaptive_avg_pool2d(i, 1)), image)
    check(lambda i: F.conv1d(i[0], torch.ones(2, 9, 3), bias=torch.ones(2)), image)
    q, k, v = (torch.randn(2, 4, 6, 16) for _ in range(3))
    check(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True), q, k, v)
    check(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, attn_mask=torch.ones(6, 6).tril()), q, k, v)


def test_lookups():
    table, index = torch.randn(10, 4), torch.tensor([[1, 3], [-1, 0]])
    check(lambda t, i: F.embedding(i.abs(), t) * 2, table, index)
    check(lambda t, i: t[i] + 1, table, index)
    check(lambda t, i: (t.gather(0, i.abs()), t.index_select(0, i.abs().view(-1))), table, index)
    check(lambda t, i: t.index_add(0, i.abs().view(-1), torch.ones(4, 4)), table, index)
    check(lambda t, i: torch.topk(t, 2)[0] + torch.sort(t, dim=0)[0][:, :2], table, index)


def test_constants_of_the_function():
    table = torch.arange(12.0).reshape(3, 4)
    check(lambda x: x + table.t() + torch.tensor([1.0, 2.0, 3.0]), torch.randn(4, 3))
    check(lambda x: x + torch.arange(3) + torch.full((4, 3), 2.0), torch.randn(4, 3))


def test_an_index_out_of_range_raises():
    with pytest.raises((IndexError, RuntimeError)):
        compiled(lambda t, i: t[i] + 1)(torch.randn(4), torch.tensor([1, 9]))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.sum(0),
        lambda x: x.amax(0),
        lambda x: x.flip(0),
        lambda x: x.tile(1, 1),
        lambda x: x**1,
        lambda x: F.pad(x, (0, 0)),
        lambda x: torch.roll(x, 0, 0),
    ],
    ids=["sum", "amax", "flip", "tile", "pow", "pad", "roll"],
)
def test_a_result_that_equals_its_operand_has_memory_of_its_own(function):
    x = torch.randn(1, 4)
    result = compiled(function)(x)
    same(result, function(x))
    assert result.untyped_storage().data_ptr() != x.untyped_storage().data_ptr()


def test_results_have_their_classes():
    x = torch.randn(3, 3)
    for function in (torch.linalg.qr, torch.linalg.slogdet, torch.linalg.inv_ex, torch.aminmax):
        ours, eager = rust_inductor.compile(function)(x), function(x)
        assert type(ours) is type(eager)
        same(tuple(ours), tuple(eager))


SPECIAL = {
    "asinh": torch.asinh,
    "acosh": torch.acosh,
    "atanh": torch.atanh,
    "entr": torch.special.entr,
    "logit": torch.logit,
    "logit_within": lambda x: torch.logit(x, eps=0.1),
    "sinc": torch.sinc,
    "frac": torch.frac,
    "angle": torch.angle,
    "ndtr": torch.special.ndtr,
    "hardshrink": F.hardshrink,
    "softshrink": F.softshrink,
    "celu": F.celu,
    "selu": F.selu,
    "sgn": torch.sgn,
    "isfinite": torch.isfinite,
    "isposinf": torch.isposinf,
    "rad2deg": torch.rad2deg,
}

SPECIAL_OF_TWO = {
    "hypot": torch.hypot,
    "logaddexp": torch.logaddexp,
    "logaddexp2": torch.logaddexp2,
    "xlogy": torch.xlogy,
    "xlog1py": torch.special.xlog1py,
    "fmax": torch.fmax,
    "fmin": torch.fmin,
    "heaviside": torch.heaviside,
    "huber": lambda x, y: F.huber_loss(x, y, reduction="none"),
    "smooth_l1": lambda x, y: F.smooth_l1_loss(x, y, reduction="none", beta=0.5),
    "soft_margin": lambda x, y: F.soft_margin_loss(x, y, reduction="none"),
    "bce": lambda x, y: F.binary_cross_entropy_with_logits(x, y, reduction="none"),
}

EXTREMES = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 3.0, 1e-40, 1e-20, 1e20, -1e20, 3e38, torch.inf, -torch.inf, torch.nan]


@pytest.mark.parametrize("name", SPECIAL)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_functions_that_are_formulas(name, dtype):
    x = torch.cat([torch.tensor(EXTREMES, dtype=dtype), torch.randn(50, dtype=dtype)])
    check(SPECIAL[name], x)


@pytest.mark.parametrize("name", SPECIAL_OF_TWO)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_functions_of_two_that_are_formulas(name, dtype):
    x = torch.tensor(EXTREMES, dtype=dtype)
    check(SPECIAL_OF_TWO[name], x.repeat_interleave(len(EXTREMES)), x.repeat(len(EXTREMES)))


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("sizes", [(3, 7), (7, 3), (5, 5), (0, 4)])
def test_the_trace_of_any_matrix(sizes, dynamic):
    check(lambda x: (x * 2).trace(), torch.randn(sizes), dynamic=dynamic)


def test_shapes_by_places():
    x = torch.randn(4, 6)
    check(lambda x: (x.diagonal(1), x.diagonal(-2), torch.diag_embed(x, 1), torch.diag_embed(x, -2, 0, 2)), x)
    check(
        lambda x: (x.unfold(1, 3, 2) + 0, x.roll((1, -2), (0, 1)), x.roll(5), torch.take(x, torch.tensor([3, -1]))), x
    )
    check(lambda x: (torch.trace(x), torch.select_scatter(x, x[0], 0, 2), torch.slice_scatter(x, x[:2], 0, 1, 3)), x)
    check(lambda x: (torch.linspace(0, 1, 7), torch.eye(3, 5), F.pixel_shuffle(x.view(1, 4, 3, 2), 2)), x)
    check(lambda x: (x[0, 0].max(0), x[0, 0].gather(0, torch.tensor(0)), torch.var_mean(x[0, 0], correction=0)), x)


def test_norms_and_counts():
    x = torch.randn(5, 7)
    for p in (0, 1, 2, 3, 0.5, torch.inf, -torch.inf):
        check(lambda x, p=p: (torch.linalg.vector_norm(x, p, 1), x.norm(p)), x)
    check(lambda x: (x.std(1), torch.std_mean(x, 0), x.nansum(1), x.count_nonzero(0), torch.aminmax(x, dim=1)), x)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: F.group_norm(x, 2),
        lambda x: F.rms_norm(x, (5,)),
        lambda x: F.glu(x, 1),
        lambda x: F.prelu(x, x[0, 0, :1].abs()),
        lambda x: F.elu(x) + F.softplus(x) + F.mish(x) + F.logsigmoid(x) + F.hardshrink(x) + F.softshrink(x),
        lambda x: F.huber_loss(x, x.detach() * 2) + F.smooth_l1_loss(x, x.detach() * 3, reduction="sum"),
        lambda x: F.soft_margin_loss(x, x.detach().sign()),
    ],
    ids=["group_norm", "rms_norm", "glu", "prelu", "gates", "losses", "soft_margin"],
)
def test_gradients(function):
    x = torch.randn(3, 4, 5, requires_grad=True)
    y = x.detach().clone().requires_grad_()
    direction = torch.rand_like(function(x))
    function(x).backward(direction)
    compiled(function)(y).backward(direction)
    same(y.grad, x.grad)
