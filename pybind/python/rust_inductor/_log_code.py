"""Kernels in torch's log: ``TORCH_LOGS=output_code``."""

from __future__ import annotations

import functools
import logging
from typing import TYPE_CHECKING

from rust_inductor import _debug

if TYPE_CHECKING:
    from rust_inductor import _native


@functools.cache
def _logger() -> logging.Logger:
    """Beneath torch's own loggers, whose handlers print what ``TORCH_LOGS`` selects."""
    from torch._logging._internal import getArtifactLogger

    logger = getArtifactLogger("torch.rust_inductor", "output_code")
    _debug.follow("torchinductor", [logger])
    return logger


def log(kind: str, compiled: _native.CompiledFn) -> None:
    """Show each kernel of a graph."""
    if not _logger().isEnabledFor(logging.DEBUG):
        return
    for name, loop_ir, listing in compiled.kernels:
        _logger().debug("%s graph, kernel %s\n%s\n%s", kind, name, loop_ir, listing)
