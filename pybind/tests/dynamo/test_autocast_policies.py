"""The table of autocast's policies, against what torch registers: its header, its dispatcher, its tests' lists."""

from __future__ import annotations

import inspect
import pathlib
import re
from typing import Any

import pytest
import torch
from torch._subclasses import FakeTensorMode
from torch.nn import functional as F
from torch.testing._internal.autocast_test_lists import AutocastTestLists
from torch.utils._python_dispatch import TorchDispatchMode

from rust_inductor import _native

#: The macros that list operators, and the policies that they get.
MACROS = {"LOWER_PRECISION_FP": "Lower", "FP32": "Full", "FP32_SET_OPT_DTYPE": "FullResult", "PROMOTE": "Widest"}
#: The lists of torch's tests, and the policies of what is in them.
LISTS = {
    "torch_fp16": {"Lower"},
    "nn_fp16": {"Lower"},
    "linalg_fp16": {"Lower"},
    "torch_fp32": {"Full", "FullResult"},
    "nn_fp32": {"Full"},
    "torch_need_autocast_promote": {"Widest"},
    "torch_expect_builtin_promote": {"Keep"},
    "banned": {"Unknown"},
}


def on_cuda(name: str) -> str:
    return _native.autocast_policy(f"aten.{name}", "cuda")


@pytest.mark.parametrize("macro", MACROS)
def test_the_header(macro: str) -> None:
    header = pathlib.Path(torch.__file__).parent / "include/ATen/autocast_mode.h"
    listed = re.search(rf"#define AT_FORALL_{macro}\(_\)((?:.*\\\n)*.*)", header.read_text())
    assert listed
    names = [".".join(re.split(r",\s*", it)) for it in re.findall(r"_\(([\w, ]+)\)", listed[1])]
    assert len(names) > 9
    other = {name: on_cuda(name) for name in names if on_cuda(name) not in (MACROS[macro], "Unknown")}
    assert other == {}
    assert sum(on_cuda(name) == MACROS[macro] for name in names) > 0.7 * len(names)


@pytest.mark.parametrize("name", LISTS)
def test_the_lists_of_torchs_tests(name: str) -> None:
    source = inspect.getsource(AutocastTestLists)
    listed = re.search(rf"self\.{name} = \[\n(.*?)\n        \]\n", source, re.DOTALL)
    assert listed
    names = set(re.findall(r"^            \(\"(\w+)\"", listed[1], re.MULTILINE)) - {"norm", "equal"}
    assert names
    assert {it: on_cuda(it) for it in names if on_cuda(it) not in LISTS[name]} == {}


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_the_dispatcher(device: str) -> None:
    has_kernel = torch._C._dispatch_has_kernel_for_dispatch_key
    for name in torch._C._dispatch_get_all_op_names():
        if name.startswith("aten::") and has_kernel(name, f"Autocast{device.upper()}"):
            overload = name.removeprefix("aten::")
            assert _native.autocast_policy(f"aten.{overload}", device) != "Keep", name


class Calls(TorchDispatchMode):
    """Notes the operators below autocast, and the types of their tensors."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[Any] = []

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = function(*args, **kwargs or {})
        if not str(function).startswith("prim."):
            self.calls.append((str(function), [it.dtype for it in args if isinstance(it, torch.Tensor)], kwargs))
        return result


def calls(function: Any, *, autocast: bool) -> tuple[list[Any], Any]:
    before = torch.is_autocast_enabled("cuda")
    torch.set_autocast_enabled("cuda", autocast)
    try:
        with FakeTensorMode():
            narrow = torch.empty(2, 4, 6, 8, device="cuda", dtype=torch.float16)
            with Calls() as noted:
                result = function(narrow)
    finally:
        torch.set_autocast_enabled("cuda", before)
    return noted.calls, getattr(result, "dtype", None)


#: Operators that are composed of others, none of which autocast converts.
COMPOSED: dict[str, Any] = {
    "adaptive_avg_pool1d": lambda x: F.adaptive_avg_pool1d(x[0], 2),
    "adaptive_avg_pool2d": lambda x: (F.adaptive_avg_pool2d(x, 1), F.adaptive_avg_pool2d(x, 3)),
    "avg_pool1d": lambda x: F.avg_pool1d(x[0], 2),
    "batch_norm": lambda x: (F.batch_norm(x, None, None, training=True), F.batch_norm(x, x[0, :, 0, 0], x[0, :, 0, 0])),
    "celu": F.celu,
    "count_nonzero": torch.count_nonzero,
    "deg2rad": torch.deg2rad,
    "dropout": lambda x: (F.dropout(x, 0.5), F.dropout(x, training=False)),
    "embedding": lambda x: F.embedding(torch.zeros(2, device="cuda", dtype=torch.long), x[0, 0]),
    "isfinite": torch.isfinite,
    "log_sigmoid": F.logsigmoid,
    "logit": torch.logit,
    "max_pool1d": lambda x: F.max_pool1d(x[0], 2),
    "mean": lambda x: (x.mean(), x.mean(1)),
    "nan_to_num": torch.nan_to_num,
    "outer": lambda x: torch.outer(x[0, 0, 0], x[0, 0, 1]),
    "pad": lambda x: (F.pad(x, (1, 1)), F.pad(x, (1, 1, 1, 1), "reflect"), F.pad(x, (1, 1, 1, 1), "circular")),
    "relu6": F.relu6,
    "selu": F.selu,
    "sinc": torch.sinc,
    "std": lambda x: (x.std(), x.std(1), torch.std_mean(x), x.var(0)),
    "take_along_dim": lambda x: torch.take_along_dim(x, torch.zeros_like(x, dtype=torch.long), 0),
    "where": lambda x: torch.where(x > 0, x, 0.0),
    "vstack": lambda x: (torch.vstack([x, x]), torch.hstack([x, x]), torch.stack([x, x]), torch.cat([x, x])),
    "xlogy": lambda x: (torch.xlogy(x, x), torch.logaddexp(x, x), x.sigmoid(), F.gelu(x), F.silu(x)),
}


@pytest.mark.parametrize("name", COMPOSED)
def test_what_stays_is_the_same_without_autocast(name: str) -> None:
    assert on_cuda(f"{name}.default") == "Keep"
    assert calls(COMPOSED[name], autocast=True) == calls(COMPOSED[name], autocast=False)


def test_a_loss_of_classes() -> None:
    """The tracer takes it apart in the same way."""

    def loss(x: torch.Tensor) -> torch.Tensor:
        return F.cross_entropy(x, torch.zeros(2, 6, 8, device="cuda", dtype=torch.long))

    found, dtype = calls(loss, autocast=True)
    assert [name for name, *_ in found if "zeros" not in name] == [
        "aten._log_softmax.default",
        "aten._to_copy.default",
        "aten.nll_loss2d_forward.default",
    ]
    assert (found[1][1], found[3][1][0], dtype) == ([torch.float16], torch.float32, torch.float32)


@pytest.mark.parametrize("name", ["sum", "cumsum", "softmax", "linalg_vector_norm", "prod"])
def test_results_of_32_bits(name: str) -> None:
    assert on_cuda(f"{name}.{'int' if name == 'softmax' else 'default'}") == "FullResult"
    function = torch.linalg.vector_norm if name == "linalg_vector_norm" else getattr(torch, name)
    place = {} if name == "linalg_vector_norm" else {"dim": 1}
    assert calls(lambda x: function(x, **place), autocast=True)[1] == torch.float32
    assert calls(lambda x: function(x, **place, dtype=torch.float16), autocast=True)[1] == torch.float16
