"""Helpers for the tests of the WebGPU device: the software adapter of Mesa, and comparison within 1e-3."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch.nn import functional as F

from pybind.tests.helpers import has_device
from rust_inductor import _native

if TYPE_CHECKING:
    from collections.abc import Callable

OPTIONS: dict[str, Any] = {"device": "wgpu", "adapter": "software"}

_HAS_ADAPTER = has_device(OPTIONS, "no WebGPU adapter was found")

#: The mark of tests that need an adapter, for whole modules.
needs_adapter = pytest.mark.skipif(
    not _HAS_ADAPTER, reason="this machine has no WebGPU adapter, not even a software one"
)


#: Pooling that runs forward and backward, and the sizes of its input.
POOLS: dict[str, tuple[Any, ...]] = {
    "max pool of lines": (lambda x: F.max_pool1d(x, 3, stride=2, padding=1), (2, 3, 10)),
    "max pool of volumes": (lambda x: F.max_pool3d(x, (2, 3, 2), stride=(1, 2, 2), padding=(0, 1, 1)), (2, 3, 5, 6, 7)),
    "avg pool of lines": (lambda x: F.avg_pool1d(x, 3, stride=2, padding=1), (2, 3, 10)),
    "avg pool of volumes": (lambda x: F.avg_pool3d(x, (2, 3, 2), stride=(1, 2, 2), padding=(1, 0, 1)), (2, 3, 5, 6, 7)),
    "avg pool of volumes, without padding": (
        lambda x: F.avg_pool3d(x, 3, stride=2, padding=1, ceil_mode=True, count_include_pad=False),
        (2, 3, 5, 6, 7),
    ),
    "avg pool of volumes by a divisor": (lambda x: F.avg_pool3d(x, 2, divisor_override=3), (2, 3, 5, 6, 7)),
    "adaptive pool of volumes": (lambda x: F.adaptive_avg_pool3d(x, (2, 3, 4)), (2, 3, 5, 6, 7)),
    "adaptive max pool of lines": (lambda x: F.adaptive_max_pool1d(x, 4), (2, 3, 10)),
    "adaptive max pool": (lambda x: F.adaptive_max_pool2d(x, (2, 5)), (2, 3, 9, 8)),
    "adaptive max pool of volumes": (lambda x: F.adaptive_max_pool3d(x, (2, 3, 4)), (2, 3, 5, 6, 7)),
}


def on_device(function: Callable[..., Any], **kwargs: Any) -> Any:
    """The function, compiled for the device."""
    kwargs.setdefault("dynamic", False)
    return torch.compile(function, backend="rust_inductor", options=OPTIONS, **kwargs)


def close(ours: Any, eager: Any) -> None:
    """Assert equal values within 1e-3, and the same dtypes, sizes and strides."""
    if isinstance(eager, torch.Tensor):
        torch.testing.assert_close(ours, eager, rtol=1e-3, atol=1e-3, equal_nan=True, check_stride=True)
    elif isinstance(eager, list | tuple):
        for a, b in zip(ours, eager, strict=True):
            close(a, b)
    else:
        assert ours == eager


def check(function: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
    """Assert that the function gives on the device what it gives eagerly; twice, as the second run reuses memory."""
    with torch.no_grad():
        eager = function(*args)
        compiled = on_device(function, **kwargs)
        close(compiled(*args), eager)
        close(compiled(*args), eager)


class Counted:
    """Counts what the device does in a block."""

    def __enter__(self) -> Counted:
        self.before = _native.device_counters(OPTIONS)
        return self

    def __exit__(self, *_: object) -> None:
        after = _native.device_counters(OPTIONS)
        self.done = {name: after[name] - self.before[name] for name in after if name != "name"}

    def __getitem__(self, name: str) -> int:
        return int(self.done[name])


def alone(counted: Counted) -> None:
    """Assert that the device did all steps; without integers of 64 bits some are the processor's."""
    assert counted["host_steps"] == 0 or "RUST_INDUCTOR_PORTABLE" in os.environ
