"""Locks of compilation: AOTAutograd and torch's Dynamo keep state of the process, not of a thread, while they trace."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

_importing = threading.RLock()


def compile_lock() -> AbstractContextManager[Any]:
    """Torch's own lock around its compilers, which a thread may take again.

    One thread at a time imports them: of modules that import each other a second thread would see a part. AOTAutograd,
    which not every backend needs, is imported under the lock itself.
    """
    with _importing:
        from torch._dynamo.convert_frame import compile_lock

    return compile_lock
