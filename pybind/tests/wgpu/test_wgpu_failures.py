"""Failures on the WebGPU device, and its options."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional as F

import rust_inductor
from pybind.tests.wgpu.device import OPTIONS, Counted, close, needs_adapter, on_device
from rust_inductor import _native

pytestmark = needs_adapter


def test_an_index_out_of_bounds_is_eager_s_error() -> None:
    """The flag of a kernel is looked at in the end."""
    table = torch.randn(4, 3)
    compiled = on_device(lambda i, t: F.embedding(i, t) * 2)
    close(compiled(torch.tensor([0, 3]), table), table[[0, 3]] * 2)
    with pytest.raises(IndexError, match="out of range"):
        compiled(torch.tensor([0, 4]), table)
    close(compiled(torch.tensor([1, 2]), table), table[[1, 2]] * 2)


def test_threads() -> None:
    """Several may call at once."""
    model = nn.Linear(24, 24)
    compiled = on_device(model)
    inputs = [torch.randn(6, 24) for _ in range(4)]
    with torch.no_grad():
        compiled(inputs[0])

    def work(number: int) -> None:
        with torch.no_grad():
            results = [compiled(inputs[number]) for _ in range(20)]
            eager = model(inputs[number])
            for result in results:
                close(result, eager)

    with ThreadPoolExecutor(4) as pool:
        # What a thread raises is raised here.
        list(pool.map(work, range(4)))


def test_a_lost_device() -> None:
    """An error, or the next run's device; the process goes on."""
    model = nn.Linear(8, 8)
    compiled = on_device(model)
    x = torch.randn(3, 8)
    with torch.no_grad():
        close(compiled(x), model(x))
        _native.lose_device(OPTIONS)
        try:
            close(compiled(x), model(x))
        except RuntimeError as error:
            assert "lost" in str(error)
        close(compiled(x), model(x))


def test_exhausted_memory() -> None:
    """An error, as eager's is one; the process goes on, and so do runs that need less."""
    compiled = on_device(lambda x: torch.tanh(x @ x) @ x, dynamic=None)
    large, small = torch.randn(1500, 1500) / 40, torch.randn(8, 8)
    with torch.no_grad():
        rust_inductor.reset()
        _native.limit_device_memory(OPTIONS, 16 << 20)
        try:
            with pytest.raises(MemoryError, match="out of memory, allocating 9000000 bytes"):
                compiled(large)
            close(compiled(small), torch.tanh(small @ small) @ small)
        finally:
            _native.limit_device_memory(OPTIONS, None)
        close(compiled(large)[0], (torch.tanh(large @ large) @ large)[0])


REFUSED: dict[str, tuple[Callable[[torch.Tensor], Any], torch.dtype]] = {
    "greatest of truth values": (lambda x: x.topk(2), torch.bool),
    "reductions of truth values": (
        lambda x: x.index_reduce(0, torch.tensor([1]), x[:1], "amax", include_self=False),
        torch.bool,
    ),
    "averages of halves": (lambda x: F.avg_pool3d(x[None, None], 1), torch.bfloat16),
    "sums of what has no sign": (lambda x: x + 1, torch.uint32),
    "products of truth values": (lambda x: x @ x, torch.bool),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_eager_refuses(name: str) -> None:
    """A dtype that an operator does not take eagerly is eager's error, also where the device could compute it."""
    function, dtype = REFUSED[name]
    x = torch.ones(4, 4).to(dtype)
    with pytest.raises((NotImplementedError, RuntimeError)) as eager:
        function(x)
    with pytest.raises(eager.type) as ours:
        on_device(function)(x)
    assert str(eager.value) in str(ours.value)


@pytest.mark.parametrize(("count", "dtype"), [(3 << 30, torch.uint8), (600 << 20, torch.float32)])
def test_tensors_too_large_for_the_device(count: int, dtype: torch.dtype) -> None:
    """More elements than a shader counts, more bytes than a buffer has: the processor does the step, and says why."""
    x = torch.zeros(count, dtype=dtype)  # Its pages are read where the function looks, and nowhere else.

    def function(x: torch.Tensor) -> torch.Tensor:
        return x[-10:] + 1

    with Counted() as counted:
        ours = on_device(function)(x)
    assert (counted["host_steps"], counted["bytes_up"]) == (1, 0)
    close(ours, torch.ones(10, dtype=dtype))
    said = str(rust_inductor.explain(function, options=OPTIONS)(x))
    assert "1 steps on the processor" in said
    assert "indices of more than 30 bits" in said or "the device takes" in said or "too long to bind" in said


def test_a_forked_process() -> None:
    """It opens a device of its own."""
    x = torch.randn(5, 5)
    compiled = on_device(lambda x: x @ x)
    expected = compiled(x)
    child = os.fork()
    if child == 0:
        os._exit(0 if torch.equal(compiled(x), expected) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


PLAIN = """
import torch
from torch.nn.functional import embedding, relu

def function(i, x, table):
    return i + 1, relu(x) @ x, embedding(i % 4, table), x.argmax(1)

compiled = torch.compile(function, backend="rust_inductor", options=OPTIONS, dynamic=False)
x, table = torch.randn(5, 5), torch.randn(4, 3)
for i in (torch.tensor([0, 7, 2]), torch.tensor([2**40, 5, -(2**40)])):
    for ours, eager in zip(compiled(i, x, table), function(i, x, table)):
        torch.testing.assert_close(ours, eager, rtol=1e-3, atol=1e-3)
"""


def test_the_least_of_devices() -> None:
    """Without optional features integers have 32 bits there; what does not fit is the processor's."""
    code = PLAIN.replace("OPTIONS", repr(OPTIONS))
    subprocess.run([sys.executable, "-c", code], env={**os.environ, "RUST_INDUCTOR_PORTABLE": "1"}, check=True)


#: Opens the device, and then does without it.
OPENS = f"""
import sys, torch
from rust_inductor import _native
try:
    _native.check_options({OPTIONS!r})
except RuntimeError as error:
    print(error, file=sys.stderr)
compiled = torch.compile(torch.sin, backend="rust_inductor", dynamic=False)
torch.testing.assert_close(compiled(torch.ones(3)), torch.ones(3).sin())
"""


def opened_with(environment: dict[str, str]) -> list[str]:
    """The lines of what is said; the process goes on, on the processor."""
    given = {**os.environ, **environment}
    run = subprocess.run([sys.executable, "-c", OPENS], env=given, capture_output=True, text=True, check=True)
    return [line for line in run.stderr.splitlines() if "WebGPU" in line]


def test_without_a_driver() -> None:
    """One error, which says what to install."""
    [said] = opened_with({"VK_DRIVER_FILES": "/nonexistent", "VK_ICD_FILENAMES": "/nonexistent"})
    assert "no WebGPU adapter was found: there is a Vulkan loader, and no driver for it" in said
    assert "`apt-get install mesa-vulkan-drivers`" in said


def test_without_a_loader(tmp_path: Path) -> None:
    """Another error: the system has a file of that name, which is no library."""
    (tmp_path / "libvulkan.so.1").write_bytes(b"not a library" * 100)
    [said] = opened_with({"LD_LIBRARY_PATH": os.pathsep.join([str(tmp_path), os.environ.get("LD_LIBRARY_PATH", "")])})
    assert "no WebGPU adapter was found: there is no Vulkan loader (libvulkan.so.1: " in said
    assert "`apt-get install libvulkan1 mesa-vulkan-drivers`" in said


def test_options_are_checked() -> None:
    """A device, an adapter that is not there; an adapter without a device."""
    with pytest.raises(Exception, match="option `device` takes"):
        torch.compile(torch.sin, backend="rust_inductor", options={"device": "tpu"})(torch.ones(2))
    with pytest.raises(Exception, match="no WebGPU adapter is named `no such thing`; there are: "):
        options: dict[str, Any] = {"device": "wgpu", "adapter": "no such thing"}
        torch.compile(torch.sin, backend="rust_inductor", options=options)(torch.ones(2))
    with pytest.raises(Exception, match="goes with the option"):
        torch.compile(torch.sin, backend="rust_inductor", options={"adapter": "software"})(torch.ones(2))


def test_mixed_devices() -> None:
    """Tensors of another device than the host's do what they do eagerly."""
    x, y = torch.randn(3), torch.randn(3, device="meta")
    with pytest.raises(Exception, match="meta"):
        x + y
    with pytest.raises(Exception, match="meta"):
        on_device(lambda x, y: x + y)(x, y)
