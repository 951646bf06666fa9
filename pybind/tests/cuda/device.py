"""Helpers for the tests of CUDA: the device, how functions are compiled, and how results are compared with eager's.

Without a GPU, tensors are the processor's and kernels run on the emulator, which checks each access to memory: a
mistake that it finds is an exception. What only a GPU has (streams, its allocator, its time) is tested there alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.utils import _pytree as pytree

import rust_inductor
from pybind.tests.helpers import has_device

HAS_GPU = torch.cuda.is_available()

#: The device of tensors.
DEVICE = "cuda" if HAS_GPU else "cpu"

#: The options with which functions are compiled.
OPTIONS: dict[str, Any] = {} if HAS_GPU else {"device": "cuda"}

_HAS_EMULATOR = not HAS_GPU and has_device(OPTIONS, "no C++ compiler")

#: The marks of tests for a GPU alone, and of those for a GPU or the emulator.
needs_gpu = pytest.mark.skipif(not HAS_GPU, reason="no CUDA device")
needs_device = pytest.mark.skipif(not HAS_GPU and not _HAS_EMULATOR, reason="no CUDA device, no C++ compiler")


def on_gpu(size: int, otherwise: int) -> int:
    """A size that only a GPU is fast enough for; that for the emulator."""
    return size if HAS_GPU else otherwise


#: The two ways to compile a function.
ENTRIES: dict[str, Callable[[Any], Any]] = {
    "torch.compile": lambda f: torch.compile(f, backend="rust_inductor", fullgraph=True, options=OPTIONS),
    "rust_inductor.compile": lambda f: rust_inductor.compile(f, options=OPTIONS),
}
entries = pytest.mark.parametrize("compiled", ENTRIES.values(), ids=ENTRIES.keys())

TOLERANCES = {
    torch.float64: (1e-10, 1e-10),
    torch.float32: (2e-5, 1e-5),
    torch.float16: (4e-3, 1e-3),
    torch.bfloat16: (2e-2, 1e-2),
}


def same(ours: Any, theirs: Any, scale: float = 1.0) -> None:
    """Assert that results are eager's: kind, dtype, device, sizes, strides, and values within tolerance."""
    flat_ours, spec_ours = pytree.tree_flatten(ours)
    flat_theirs, spec_theirs = pytree.tree_flatten(theirs)
    assert spec_ours == spec_theirs
    for a, b in zip(flat_ours, flat_theirs, strict=True):
        if not isinstance(b, torch.Tensor):
            assert a == b
            continue
        assert (a.dtype, a.device, a.shape) == (b.dtype, b.device, b.shape)
        assert a.stride() == b.stride() or a.numel() == 0, (a.shape, a.stride(), b.stride())
        rtol, atol = TOLERANCES.get(b.dtype, (0.0, 0.0))
        torch.testing.assert_close(a, b, rtol=rtol * scale, atol=atol * scale, equal_nan=True)


def randn(*sizes: int, dtype: torch.dtype = torch.float32, seed: int = 0) -> torch.Tensor:
    """Normally distributed numbers on the device, the same for the same seed."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*sizes, generator=generator, dtype=torch.float64).to(DEVICE, dtype)


def kernels_of(explained: Any) -> int:
    """The number of our kernels in a compiled function."""
    return sum(len(graph.kernels) for graph in explained.graphs)
