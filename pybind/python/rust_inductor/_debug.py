"""``TORCH_COMPILE_DEBUG=1``: what is captured and compiled goes to files, in the folder that torch has for such.

``torchdynamo/debug.log`` has what the artifacts of ``TORCH_LOGS`` say of each capture, ``torchinductor/debug.log`` the
kernels of each graph.
"""

from __future__ import annotations

import functools
import logging
import os
import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def follow(part: str, loggers: Iterable[logging.Logger]) -> None:
    """Have loggers write to the file of a part, too, if the user asks for it; what they print stays what it was."""
    if os.environ.get("TORCH_COMPILE_DEBUG") != "1":
        return
    (_folder() / part).mkdir(parents=True, exist_ok=True)
    handler = logging.FileHandler(_folder() / part / "debug.log")
    handler.setFormatter(logging.Formatter("%(message)s"))
    for logger in loggers:
        if not logger.isEnabledFor(logging.DEBUG):
            logger.setLevel(logging.DEBUG)
            logger.propagate = False
        logger.addHandler(handler)


@functools.cache
def _folder() -> Path:
    """Give the folder of this process: that of torch's Dynamo, if there is one."""
    dynamo = sys.modules.get("torch._dynamo.utils")
    if dynamo is not None:
        return Path(dynamo.get_debug_dir())
    root = Path(os.environ.get("TORCH_COMPILE_DEBUG_DIR", "")).absolute()
    return root / "torch_compile_debug" / f"run_{datetime.now():%Y_%m_%d_%H_%M_%S_%f}-pid_{os.getpid()}"
