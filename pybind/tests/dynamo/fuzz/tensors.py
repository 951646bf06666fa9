"""Tensors: their expressions, and the functions that write those which depend on shapes."""

from __future__ import annotations

from pybind.tests.dynamo.fuzz.expressions import (
    called,
    comprehension,
    expression,
    fill,
)
from pybind.tests.dynamo.fuzz.rows import Row
from pybind.tests.dynamo.fuzz.scope import (
    Kind,
    NoFit,
    Scope,
    tensor,
)


def reduction(scope: Scope, kind: Kind) -> str:
    at = scope.rng.randrange(len(kind.shape) + 1)
    if len(kind.shape) > 2:
        raise NoFit
    inner = (*kind.shape[:at], scope.some_size(), *kind.shape[at:])
    method = scope.rng.choice(("sum(%d)", "mean(dim=%d)", "amax(%d)", "amin(dim=%d)", "select(%d, 0)"))
    return expression(scope, tensor(*inner)) + "." + method % at


def whole_reduction(scope: Scope, kind: Kind) -> str:
    if kind.shape:
        raise NoFit
    return fill(scope, "$any.⟨sum() mean() max() min()⟩", kind)


def keepdim(scope: Scope, kind: Kind) -> str:
    if "1" not in kind.shape:
        raise NoFit
    at = kind.shape.index("1")
    inner = (*kind.shape[:at], scope.some_size(), *kind.shape[at + 1 :])
    return f"{expression(scope, tensor(*inner))}.sum({at}, keepdim=True)"


def unsqueeze(scope: Scope, kind: Kind) -> str:
    if "1" not in kind.shape:
        raise NoFit
    at = kind.shape.index("1")
    inner = expression(scope, tensor(*kind.shape[:at], *kind.shape[at + 1 :]))
    return f"{inner}.unsqueeze({at})"


def squeeze(scope: Scope, kind: Kind) -> str:
    at = scope.rng.randrange(len(kind.shape) + 1)
    inner = expression(scope, tensor(*kind.shape[:at], "1", *kind.shape[at:]))
    return f"{inner}.squeeze({at})"


def matmul(scope: Scope, kind: Kind) -> str:
    if len(kind.shape) not in (1, 2):
        raise NoFit
    common = scope.some_size()
    left = expression(scope, tensor(kind.shape[0], common))
    right = expression(scope, tensor(common, *kind.shape[1:]))
    return f"({left} @ {right})"


def select(scope: Scope, kind: Kind) -> str:
    owners = [v for v in scope.visible() if v.kind.name == "tensor" and v.kind.shape[1:] == kind.shape != v.kind.shape]
    if not owners:
        raise NoFit
    return f"{scope.rng.choice(owners).name}[{scope.rng.choice(('0', '-1', '1'))}]"


def transposed(scope: Scope, kind: Kind) -> str:
    if len(kind.shape) != 2:
        raise NoFit
    return fill(scope, "$swapped.⟨T t() transpose(0,1) permute(1,0)⟩", kind)


def stacked(scope: Scope, kind: Kind) -> str:
    if not kind.shape or kind.shape[0] != "2":
        raise NoFit
    inner = tensor(*kind.shape[1:])
    return f"torch.stack([{expression(scope, inner)}, {expression(scope, inner)}])"


TENSORS: dict[str, tuple[Row, ...]] = {
    "mask": (
        Row("tensor comparison", 4, "($same ⟨< <= > >= == !=⟩ $broad)"),
        Row("tensor against number", 2, "($same ⟨< > >=⟩ ⟨$float $int⟩)"),
        Row("mask logic", 1, "($mask ⟨& | ^⟩ $mask)"),
        Row("mask not", 0.5, "(~$mask)"),
        Row("logical functions", 0.5, "torch.logical_⟨and or⟩($mask, $mask)"),
        Row("isnan", 0.3, "torch.⟨isnan isinf isfinite⟩($same)"),
    ),
    "tensor": (
        Row("tensor arithmetic", 8, "($same ⟨+ - * /⟩ $broad)"),
        Row("tensor reflected", 2, "(⟨$float $int⟩ ⟨+ - *⟩ $same)"),
        Row("tensor and number", 4, "($same ⟨+ - * /⟩ ⟨$float $int $small⟩)"),
        Row("tensor negation", 1, "(-$same)"),
        Row("operator function", 1, "operator.⟨add sub mul truediv⟩($same, ⟨$broad $float⟩)"),
        Row("operator of one", 0.4, "operator.⟨neg pos abs⟩($same)"),
        Row("tensor power", 0.7, "($same ** ⟨2 3⟩)"),
        Row("tensor floor", 0.4, "($same ⟨// %⟩ 1.5)"),
        Row("tensor functions", 4, "torch.⟨sin cos tanh relu sigmoid abs neg floor⟩($same)"),
        Row("tensor methods", 3, "$same.⟨sin() cos() tanh() abs() relu() exp() sigmoid() square() sign()⟩"),
        Row("binary functions", 1.5, "torch.⟨maximum minimum add sub mul⟩($same, $broad)"),
        Row("binary methods", 1.5, "$same.⟨add mul sub⟩($broad)"),
        Row("alpha", 0.5, "torch.add($same, $broad, alpha=⟨2 $int 0.5⟩)"),
        Row("where", 1.5, "torch.where($mask, $same, ⟨$broad $float⟩)"),
        Row("masked fill", 0.7, "$same.masked_fill($mask, $float)"),
        Row("clamp", 1, "$same.clamp(⟨min=-1.0 -1,1 max=2⟩)"),
        Row("mask to float", 0.7, "$mask.⟨float() double() to(torch.float32)⟩"),
        Row("reduction", 3, reduction),
        Row("whole reduction", 2, whole_reduction),
        Row("keepdim", 1, keepdim),
        Row("unsqueeze", 1, unsqueeze),
        Row("squeeze", 0.3, squeeze),
        Row("matmul", 1, matmul),
        Row("select", 2, select),
        Row("transpose", 1.5, transposed),
        Row("stack", 1, stacked),
        Row("expand", 0.7, "$broad.expand($shape)"),
        Row("reshape", 0.7, "$same.reshape(-1).reshape($shape)"),
        Row("view", 0.7, "$same.contiguous().view($shape)"),
        Row("views", 1, "$same⟨[...] .view_as(@same) .detach() .contiguous() .clone()⟩"),
        Row("flip", 0.4, "$same.flip($dim)"),
        Row("roll", 0.4, "$same.roll(1, $dim)"),
        Row("cumsum", 0.5, "$same.cumsum($dim)"),
        Row("softmax", 0.5, "torch.softmax($same, dim=$dim)"),
        Row("functional", 0.7, "torch.nn.functional.⟨gelu silu relu softplus⟩($same)"),
        Row("like", 0.7, "torch.⟨ones_like zeros_like⟩($same)"),
        Row("new", 0.4, "@any.new_⟨zeros ones⟩($shape)"),
        Row("dtype change", 0.4, "$same.⟨double() to(torch.float64) float()⟩"),
        Row("shape unpacked", 0.3, "torch.zeros(*@same.shape)"),
        Row("tensor of list", 3, "@tensors[⟨0 -1 1⟩]"),
        Row("tensor of dict", 3, '@named[⟨"a" "b"⟩]'),
        Row("tensor of tuple", 2, "@pair[0]"),
        Row("tensor of box", 4, "@box.value"),
        Row("tensor from method", 3, "@box.scaled(⟨$float $int⟩)"),
        Row("operator overload", 2, "(@box ⟨+ *⟩ $same)"),
        Row("callable object", 1.5, "@box($same)"),
        Row("sum of tensors", 1, "sum($tensors)"),
        Row("sum of generator", 1, comprehension("sum((#body for #i in #over), @same)", "tensors", "same")),
        Row("stack of list", 0.7, "torch.stack($tensors).⟨sum(0) mean(0) amax(0)⟩"),
        Row("conditional expression", 1.5, "($same if $bool else $same)"),
        Row("call", 7, called),
        Row("partial", 0.4, "functools.partial(torch.mul, $same)(⟨$float 2⟩)"),
        Row("inplace result", 0.4, "$same.clone().⟨add_(1) mul_(2) zero_()⟩"),
        Row("item as factor", 0.2, "($same * $scalar.item())"),
        Row("torch namespace", 0.4, "torch.⟨square exp log1p⟩($same.abs())"),
    ),
}
