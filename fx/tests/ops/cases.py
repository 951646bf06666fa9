"""Writes cases.jsonl: calls of ATen overloads on small tensors with what the installed torch gives.

Each line is one call; `tests/ops.rs` runs it through the interpreter and the shape rules and compares.
"""

import json
import math
import pathlib

import torch

ATEN = torch.ops.aten
CASES = []


def rand(*sizes, dtype=torch.float32, low=-3.0, high=3.0):
    if dtype == torch.bool:
        return torch.rand(sizes) > 0.5
    if not dtype.is_floating_point:
        return torch.randint(int(max(low, 0)) if dtype == torch.uint8 else int(low), int(high) + 1, sizes, dtype=dtype)
    # Few digits keep the file small; the values stay exact in every dtype that is tested.
    return (torch.rand(sizes) * (high - low) + low).mul(16).round().div(16).to(dtype)


def number(x):
    if isinstance(x, float) and not math.isfinite(x):
        return str(x)
    return x


def words(text):
    return text.split()


def encode(x):
    if isinstance(x, torch.Tensor):
        values = [
            number(v) for v in x.detach().to(torch.float64 if x.is_floating_point() else x.dtype).flatten().tolist()
        ]
        if x.dtype == torch.float32:
            values = [float(f"{v:.9g}") if isinstance(v, float) else v for v in values]
        return {
            "tensor": str(x.dtype).removeprefix("torch."),
            "sizes": list(x.shape),
            "strides": list(x.stride()),
            "values": values,
        }
    if isinstance(x, torch.dtype):
        return {"dtype": str(x).removeprefix("torch.")}
    if isinstance(x, torch.memory_format):
        return {"memory_format": str(x).removeprefix("torch.")}
    if isinstance(x, (list, tuple)):
        return [encode(v) for v in x]
    return number(x)


def case(name, *args, **kwargs):
    base, _, overload = name.partition(".")
    op = getattr(getattr(ATEN, base), overload or "default")
    out = op(*args, **kwargs)
    line = {"op": f"aten.{base}.{overload or 'default'}", "args": encode(args)}
    if kwargs:
        line["kwargs"] = {k: encode(v) for k, v in kwargs.items()}
    line["out"] = encode(out)
    CASES.append(json.dumps(line, separators=(",", ":")))


def layouts(*sizes, dtype=torch.float32):
    """Tensors of the same sizes: row-major, transposed, with gaps."""
    x = rand(*sizes, dtype=dtype)
    yield x
    yield x.transpose(0, -1).contiguous().transpose(0, -1)
    yield torch.cat([x, x], -1)[..., : sizes[-1]]


def pointwise():
    unary = words(
        "neg abs sign floor ceil trunc round relu gelu silu mish elu celu selu leaky_relu relu6 "
        "hardtanh hardswish hardsigmoid softplus log_sigmoid frac exp exp2 expm1 sigmoid tanh erf "
        "erfc sin cos tan atan sinh cosh asinh isnan isinf isfinite signbit logical_not square sinc "
        "nan_to_num deg2rad"
    )
    for op in unary:
        for x in layouts(2, 3):
            case(op, x)
        special = torch.tensor([math.nan, math.inf, -math.inf, 0.0, -0.0, 0.5, 2.5])
        # torch's vectorised gelu gives NaN at infinity.
        case(op, special if op != "gelu" else special[3:])
    for op in words("exp2 sigmoid gelu silu tanh neg relu"):
        case(op, rand(2, 3, dtype=torch.bfloat16))
    for op in words("exp sqrt sigmoid tanh erf rsqrt reciprocal sin"):
        case(op, rand(2, 3, dtype=torch.int64, low=1))
    for op in words("abs neg sign relu square bitwise_not logical_not floor"):
        case(op, rand(2, 3, dtype=torch.int32))
    for op in words("log log2 log10 log1p sqrt rsqrt reciprocal acosh"):
        case(op, rand(2, 3, low=1.0))
    for op in words("asin acos atanh logit"):
        case(op, rand(2, 3, low=-0.9, high=0.9) if op != "logit" else rand(2, 3, low=0.1, high=0.9))
    case("gelu", rand(5), approximate="tanh")
    case("logical_not", rand(4, dtype=torch.bool))
    x, y = rand(2, 3), rand(2, 3)
    col, row = rand(2, 1), rand(3)
    for op in words(
        "add sub mul maximum minimum fmax fmin fmod remainder floor_divide div atan2 copysign xlogy "
        "eq ne lt le gt ge logical_and logical_or pow hypot logaddexp"
    ):
        name = {"floor_divide": "floor_divide", "pow": "pow.Tensor_Tensor"}.get(op, op)
        if op not in {
            "maximum",
            "minimum",
            "fmax",
            "fmin",
            "atan2",
            "logical_and",
            "logical_or",
            "floor_divide",
            "hypot",
            "logaddexp",
            "pow",
        }:
            name = f"{op}.Tensor"
        if name == "xlogy.Tensor":
            a, b = rand(2, 3, low=0.0), rand(2, 3, low=0.5)
        elif op == "pow":
            a, b = rand(2, 3, low=0.5), rand(2, 3)
        else:
            a, b = x, y + (y == 0)
        case(name, a, b)
        case(name, a.t().contiguous().t(), b)
        if op not in {"pow", "xlogy", "floor_divide", "fmod", "remainder", "div"}:
            case(name, col, row)
        case(name, rand(2, 3, dtype=torch.int64, low=1), rand(2, 3, dtype=torch.int32, low=1)) if op not in {
            "hypot",
            "logaddexp",
        } else None
    for dtype in (torch.int64, torch.uint8, torch.bfloat16, torch.float64, torch.bool):
        z = rand(2, 3, dtype=dtype)
        case("add.Tensor", z, 2)
        case("mul.Tensor", z, 0.3)
        case("add.Tensor", z, x)
        case("eq.Scalar", z, 1)
        case("lt.Scalar", z, 0.5)
        case("mul.Tensor", z, torch.tensor(1.5))
        case("where.self", rand(2, 3, dtype=torch.bool), z, x)
    case("add.Tensor", x, y, alpha=2.5)
    case("sub.Tensor", x, y, alpha=2)
    case("rsub.Scalar", x, 2)
    case("add.Tensor", rand(3, dtype=torch.int64), 4, alpha=3)
    case("pow.Tensor_Scalar", x, 2)
    case("pow.Tensor_Scalar", x, 3.0)
    case("pow.Scalar", 2, x)
    case("pow.Tensor_Scalar", rand(4, dtype=torch.int64), 3)
    for mode in ("trunc", "floor", None):
        case("div.Tensor_mode", x, y + (y == 0), rounding_mode=mode)
        case("div.Tensor_mode", rand(4, dtype=torch.int64), 2, rounding_mode=mode)
    case("remainder.Scalar", rand(6, dtype=torch.int64), -2)
    case("fmod.Scalar", rand(6), 1.5)
    case("bitwise_and.Tensor", rand(6, dtype=torch.int64), rand(6, dtype=torch.int64))
    case("bitwise_or.Scalar", rand(6, dtype=torch.int64), 5)
    case("bitwise_xor.Tensor", rand(6, dtype=torch.bool), rand(6, dtype=torch.bool))
    case("bitwise_left_shift.Tensor_Scalar", rand(6, dtype=torch.int32, low=0), 3)
    case("__rshift__.Scalar", rand(6, dtype=torch.int64), 1)
    case("clamp", x, -1, 1)
    case("clamp", x, None, 0.5)
    case("clamp", rand(4, dtype=torch.int64), 0.5)
    case("clamp.Tensor", x, row, None)
    case("clamp_min", x, 0)
    case("clamp_max", x, 0)
    case("where.self", col > 0, row, x)
    case("where.ScalarOther", x > 0, x, 0.0)
    case("masked_fill.Scalar", x, x > 0, -math.inf)
    case("masked_fill.Scalar", x.t(), x.t() > 0, 1)
    case("masked_fill.Tensor", x, x > 0, torch.tensor(2.0))
    case("addcmul", x, y, row, value=0.5)
    case("addcdiv", x, y, rand(3, low=1.0), value=2)
    case("lerp.Scalar", x, y, 0.25)
    case("lerp.Tensor", x, y, rand(2, 3, low=0.0, high=1.0))
    case("leaky_relu", x, 0.2)
    case("hardtanh", x, -0.5, 0.75)
    case("softplus", x, 2, 1)
    case("threshold", x, 0.5, 7)
    case("max.other", x, y)
    case("heaviside", x, torch.tensor(0.5))
    for op in words("gelu_backward silu_backward hardswish_backward hardsigmoid_backward mish_backward"):
        case(op, y, x)
    case("gelu_backward", y, x, approximate="tanh")
    case("threshold_backward", y, x, 0)
    case("leaky_relu_backward", y, x, 0.1, False)
    case("hardtanh_backward", y, x, -1, 1)
    case("softplus_backward", y, x, 1, 20)
    case("tanh_backward", y, x.tanh())
    case("sigmoid_backward", y, x.sigmoid())
    case("elu_backward", y, 1, 1, 1, False, x)
    case("elu_backward", y, 1.5, 1, 1, True, x)
    case("native_dropout_backward", y, x > 0, 2.0)
    # Which operand's strides the result follows.
    t = rand(3, 2).t()
    for a, b in ((x, t), (t, x)):
        for op in words("gelu_backward silu_backward tanh_backward maximum"):
            case(op, a, b)
        case("threshold_backward", a, b, 0)
        case("leaky_relu_backward", a, b, 0.1, False)
        case("hardtanh_backward", a, b, -1, 1)
        case("rsub.Tensor", a, b)
        case("addcmul", a, b, b)
        case("where.self", a > 0, b, a)


def views():
    x = rand(2, 3, 4)
    p = x.permute(2, 0, 1)
    case("view", x, [6, -1])
    case("view", x, [2, 3, 2, 2])
    case("reshape", p, [8, 3])
    case("reshape", p, [4, 2, 3, 1])
    case("_unsafe_view", x, [24])
    case("clone", p)
    case("clone", x[:, :, ::2].permute(2, 0, 1))
    case("clone", x[:1].expand(3, 3, 4))
    case("clone", p, memory_format=torch.contiguous_format)
    case("_to_copy", p, dtype=torch.float64)
    case("_to_copy", x, dtype=torch.int32)
    case("_to_copy", rand(2, 3, 4, 5), memory_format=torch.channels_last)
    case("to.dtype", x, torch.float16)
    case("copy", p, rand(4, 2, 3, dtype=torch.float64))
    case("expand", rand(3, 1), [2, -1, 4])
    case("permute", x, [2, 0, -2])
    case("transpose.int", x, 0, -1)
    case("t", rand(2, 3))
    case("unsqueeze", p, 1)
    case("unsqueeze", p, -1)
    case("squeeze.dim", rand(2, 1, 3), 1)
    case("squeeze.dims", rand(1, 2, 1, 3), [0, 2])
    case("squeeze", rand(1, 2, 1))
    case("slice.Tensor", p, 0, 1, 9223372036854775807)
    case("slice.Tensor", p, 0, -3, -1)
    case("slice.Tensor", x, 2, 0, 4, 3)
    case("select.int", p, 1, -1)
    case("split.Tensor", x, 3, 2)
    case("split_with_sizes", x, [1, 3], 2)
    case("chunk", rand(7, 2), 3)
    case("unbind.int", x, 1)
    case("diagonal", x, 1, 1, 2)
    case("diagonal", x, -1, 0, 2)
    case("unfold", x, 2, 2, 1)
    case("movedim.int", x, 0, 2)
    case("flatten.using_ints", p, 1, 2)
    case("cat", [x, p.permute(1, 2, 0)], 1)
    case("cat", [rand(2), rand(3, dtype=torch.int64)])
    channels_last = rand(2, 3, 4, 5).to(memory_format=torch.channels_last)
    case("cat", [channels_last, channels_last], 1)
    case("stack", [rand(2, 3), rand(2, 3)], 0)
    case("stack", [rand(2, 3).t(), rand(2, 3).t()], 1)
    case("stack", [rand(2, 3), rand(2, 3)], -1)
    case("repeat", rand(2, 3), [2, 1, 3])
    case("flip", p, [0, 2])
    case("roll", x, [1, -1], [0, 2])
    case("constant_pad_nd", x, [1, 2, 0, 1], 0.5)
    case("constant_pad_nd", x, [-1, 1])
    case("constant_pad_nd", channels_last, [1, 1])
    case("tril", p)
    case("triu", rand(4, 4), 1)
    case("slice_scatter", p, rand(2, 2, 3), 0, 1, 3)
    case("select_scatter", p, rand(2, 3), 0, 1)
    case("slice_backward", rand(2, 2, 4), [2, 3, 4], 1, 0, 3, 2)
    case("select_backward", rand(2, 4), [2, 3, 4], 1, 2)
    case("pixel_shuffle", rand(1, 4, 2, 2), 2)
    case("alias", p)
    case("contiguous", p)


def create():
    case("full", [2, 3], 1.5)
    case("full", [2], 3)
    case("full", [2], True, dtype=torch.float32)
    case("zeros", [2, 3])
    case("arange", 5)
    case("arange.start", 1, 6)
    case("arange.start_step", 1, 8, 3)
    case("arange.start_step", 0.0, 1.0, 0.25)
    case("arange", 4, dtype=torch.float32)
    case("linspace", 0, 1, 5)
    case("eye", 3)
    case("full_like", rand(2, 3).t(), 2)
    case("zeros_like", rand(2, 3, dtype=torch.int64))
    case("new_zeros", rand(2), [3, 4])
    case("scalar_tensor", 2.5)
    case("fill.Scalar", rand(2, 3), 2)


def reductions():
    x = rand(2, 3, 4)
    p = x.permute(2, 0, 1)
    for op in words("sum mean amax amin any all logsumexp argmax argmin prod"):
        dims = {"any": "any.dim", "all": "all.dim", "argmax": "argmax", "argmin": "argmin", "prod": "prod.dim_int"}.get(
            op
        )
        if dims:
            case(dims, p, 1)
            case(dims, x, -1, True)
        else:
            name = f"{op}.dim_IntList" if op == "sum" else f"{op}.dim" if op == "mean" else op
            case(name, p, [1])
            case(name, x, [0, -1], True)
        if op not in {"logsumexp", "amax", "amin"}:
            case(op, p)
    case("sum", rand(2, 3, dtype=torch.bool))
    case("sum", rand(2, 3, dtype=torch.int32))
    case("sum.dim_IntList", rand(2, 3, dtype=torch.bfloat16), [1])
    case("mean.dim", x, [2], dtype=torch.float64)
    case("var.correction", x, [1], correction=0)
    case("var_mean.correction", p, [0], correction=0, keepdim=True)
    case("std.correction", x, [2])
    case("var_mean.correction", x)
    case("max.dim", p, 0)
    case("min.dim", x, 2, True)
    case("max", x)
    case("argmax", torch.tensor([1.0, math.nan, 3.0]))
    case("amax", torch.tensor([[1.0, math.nan, 3.0]]), [1])
    case("cumsum", p, 1)
    case("cumsum", rand(2, 3, dtype=torch.int32), 0)
    case("cumprod", x, 2)
    case("topk", rand(2, 8, low=-20, high=20), 3)
    case("linalg_vector_norm", x, 2, [1])
    case("linalg_vector_norm", x, 1)
    case("sort", (torch.randperm(12).view(3, 4) / 4).t(), 0)


def products():
    case("mm", rand(2, 3), rand(4, 3).t())
    case("bmm", rand(2, 3, 4), rand(2, 4, 5))
    case("addmm", rand(5), rand(2, 3), rand(3, 5))
    case("addmm", rand(2, 5), rand(2, 3), rand(3, 5), beta=0.5, alpha=2)
    case("baddbmm", rand(2, 3, 5), rand(2, 3, 4), rand(2, 4, 5), beta=2)
    case("mv", rand(2, 3), rand(3))
    case("dot", rand(4), rand(4))
    case("matmul", rand(2, 1, 3, 4), rand(5, 4, 2))
    case("matmul", rand(2, 3, 4), rand(4))
    case("linear", rand(2, 3, 4), rand(5, 4), rand(5))
    case("mm", rand(2, 3, dtype=torch.int64), rand(3, 2, dtype=torch.int64))
    case("mm", rand(2, 3, dtype=torch.bfloat16), rand(3, 2, dtype=torch.bfloat16))
    for causal in (False, True):
        q, k, v = (rand(1, 2, 3, 4).requires_grad_() for _ in range(3))
        args = (0.0, causal)
        case("_scaled_dot_product_flash_attention_for_cpu", q, k, v, *args)
        out, lse = ATEN._scaled_dot_product_flash_attention_for_cpu(q, k, v, *args)
        case("_scaled_dot_product_flash_attention_for_cpu_backward", rand(1, 2, 3, 4), q, k, v, out, lse, *args)
    q = rand(1, 3, 2, 4).transpose(1, 2)
    case("_scaled_dot_product_flash_attention_for_cpu", q, q, q, attn_mask=rand(1, 1, 3, 3), scale=0.5)
    case("scaled_dot_product_attention", rand(1, 2, 3, 4), rand(1, 2, 5, 4), rand(1, 2, 5, 4), rand(3, 5))
    case(
        "scaled_dot_product_attention",
        rand(1, 4, 3, 4),
        rand(1, 2, 3, 4),
        rand(1, 2, 3, 4),
        None,
        0.0,
        True,
        enable_gqa=True,
    )


def norms():
    x = rand(2, 3, 4)
    p = x.permute(0, 2, 1)
    for op in ("_softmax", "_log_softmax"):
        case(op, p, -1, False)
        case(op, x, 1, False)
        y = getattr(ATEN, op).default(x, 1, False)
        case(f"{op}_backward_data", rand(2, 3, 4), y, 1, torch.float32)
    case("softmax.int", rand(3, dtype=torch.int64), 0, torch.float32)
    case("_softmax", torch.tensor([[0.0, -math.inf], [1.0, 2.0]]), 1, False)
    case("_safe_softmax", torch.tensor([[-math.inf, -math.inf], [1.0, 2.0]]), 1)
    case("native_layer_norm", x, [4], rand(4), rand(4), 1e-5)
    case("native_layer_norm", p, [4, 3], None, None, 1e-5)
    _, mean, rstd = ATEN.native_layer_norm.default(x, [4], None, None, 1e-5)
    case("native_layer_norm_backward", rand(2, 3, 4), x, [4], mean, rstd, rand(4), rand(4), [True, True, True])
    case("native_layer_norm", rand(2, 4, dtype=torch.bfloat16), [4], rand(4, dtype=torch.bfloat16), None, 1e-5)
    case("native_layer_norm", rand(2, 4, dtype=torch.bfloat16), [4], rand(4), rand(4), 1e-5)
    case("rms_norm", x, [4], rand(4), 1e-5)
    image = rand(2, 4, 2, 3)
    last = image.to(memory_format=torch.channels_last)
    stats = (rand(4), rand(4, low=0.5))
    for t in (image, last):
        case("_native_batch_norm_legit_no_training", t, rand(4), rand(4), *stats, 0.1, 1e-5)
        case("_native_batch_norm_legit_functional", t, rand(4), None, *stats, True, 0.1, 1e-5)
        case("native_group_norm", t, rand(4), rand(4), 2, 4, 6, 2, 1e-5)
        for train in (True, False):
            case(
                "native_batch_norm_backward",
                t * 2,
                t,
                rand(4),
                *stats,
                rand(4),
                rand(4, low=0.5),
                train,
                1e-5,
                [True, True, True],
            )
        case("group_norm", t, 2, rand(4), rand(4))
        case("batch_norm", t, rand(4), rand(4), *stats, False, 0.1, 1e-5, True)
    target = torch.tensor([1, -100, 3])
    scores = rand(3, 5)
    for reduction in (0, 1, 2):
        case("nll_loss_forward", scores, target, None, reduction, -100)
        grad = rand(3) if reduction == 0 else torch.tensor(0.5)
        case("nll_loss_backward", grad, scores, target, None, reduction, -100, torch.tensor(2.0))
    case("mse_loss", x, rand(2, 3, 4))


def convolutions():
    x = rand(2, 4, 5, 6)
    last = x.to(memory_format=torch.channels_last)
    for args in (
        ([1, 1], [0, 0], [1, 1], False, [0, 0], 1),
        ([2, 1], [1, 2], [1, 2], False, [0, 0], 1),
        ([1, 1], [1, 1], [1, 1], False, [0, 0], 4),
        ([2, 2], [1, 0], [1, 1], True, [1, 0], 1),
    ):
        transposed, groups = args[3], args[5]
        weight = rand(4, 3, 3, 3) if transposed else rand(4, 4 // groups, 3, 3)
        channels = 3 if transposed else 4
        case("convolution", x, weight, rand(channels), *args)
        grad = rand(*ATEN.convolution.default(x, weight, None, *args).shape)
        case("convolution_backward", grad, x, weight, [channels], *args, [True, True, True])
    case("convolution", last, rand(2, 4, 1, 1), None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1)
    case("conv2d", x, rand(2, 4, 3, 3), None, [1, 1], [1, 1])
    case("convolution", rand(1, 2, 7), rand(3, 2, 3), rand(3), [2], [1], [1], False, [0], 1)
    for t in (x, last):
        case("max_pool2d_with_indices", t, [3, 2], [2, 2], [1, 1])
        case("max_pool2d_with_indices", t, [2, 2], [2, 2], [0, 0], [1, 1], True)
        case("avg_pool2d", t, [2, 2])
        case("_adaptive_avg_pool2d", t, [2, 4])
        case("upsample_nearest2d", t, [7, 9])
    case("avg_pool2d", x, [3, 3], [2, 2], [1, 1], True, True)
    case("avg_pool2d", x, [3, 3], [2, 2], [1, 1], True, False)
    out, where = ATEN.max_pool2d_with_indices.default(x, [2, 2])
    case("max_pool2d_with_indices_backward", rand(*out.shape), x, [2, 2], [2, 2], [0, 0], [1, 1], False, where)
    case("avg_pool2d_backward", rand(2, 4, 3, 3), x, [3, 3], [2, 2], [1, 1], False, False, None)
    case("_adaptive_avg_pool2d_backward", rand(2, 4, 2, 4), x)


def indexing():
    x = rand(3, 4, 5)
    p = x.permute(2, 0, 1)
    rows = torch.tensor([[0, 2], [1, 1]])
    case("embedding", rand(5, 3), rows)
    case("embedding_dense_backward", rand(2, 2, 3), rows, 4, -1, False)
    case("embedding_dense_backward", rand(2, 2, 3), rows, 4, 1, False)
    case("index_select", p, 1, torch.tensor([2, 0]))
    case("index_add", x, 1, torch.tensor([0, 0]), rand(3, 2, 5))
    case("gather", x, 1, torch.randint(0, 4, (3, 2, 5)))
    case("scatter.src", x, 1, torch.tensor([[[0, 1]]]), rand(1, 1, 2))
    case("scatter.value", x, 0, torch.tensor([[[0, 1]]]), 9.0)
    case("scatter_add", x, 1, torch.zeros(3, 2, 5, dtype=torch.int64), rand(3, 2, 5))
    case("index.Tensor", x, [rows])
    case("index.Tensor", p, [None, rows])
    case("index.Tensor", p, [None, None, rows])
    case("index.Tensor", p, [torch.tensor([0, -1]), None, torch.tensor([1, 2])])
    case("index.Tensor", p, [torch.tensor([[0], [1]]), torch.tensor([1, 2, 0])])
    case("index.Tensor", x, [torch.tensor([True, False, True])])
    case("index_put", p, [torch.tensor([0, 1])], rand(2, 3, 4))
    case("index_put", x, [torch.tensor([0, 0]), torch.tensor([1, 1])], rand(2, 5), True)
    case("nonzero", torch.tensor([[1, 0], [0, 2]]))


def special():
    x, y = rand(2, 3), rand(2, 3, low=0.5)
    for op in words("angle hardshrink softshrink special_entr special_ndtr"):
        case(op, x)
        case(op, x.t().contiguous().t())
    for op in words("hardshrink_backward softshrink_backward"):
        case(op, y, x, 0.5)
    case("_prelu_kernel", x, rand(1, 3))
    case("logaddexp2", x, y)
    case("special_xlog1py", x, y)
    for op in words("gcd lcm"):
        case(op, rand(2, 3, dtype=torch.int64, low=-12, high=12), rand(3, dtype=torch.int64, low=-12, high=12))
    a, b = torch.tensor([0.0, 1.0, -1.0, math.inf, math.nan]), torch.tensor([1.0, 1.0, -2.0, 0.0, 0.0])
    for dtype in (torch.float32, torch.float64):
        case("nextafter", a.to(dtype), b.to(dtype))
        case("nextafter", b.to(dtype)[:, None], a.to(dtype))
    z = rand(2, 6, 3)
    for tensor in (z, z.permute(2, 1, 0)):
        case("unflatten.int", tensor, 1, [2, 3])
        case("unflatten.int", tensor, -2, [3, -1, 1])


def main():
    torch.manual_seed(0)
    for family in (pointwise, views, create, reductions, products, norms, convolutions, indexing, special):
        family()
    path = pathlib.Path(__file__).with_name("cases.jsonl")
    path.write_text("".join(f"{line}\n" for line in CASES))


if __name__ == "__main__":
    main()
