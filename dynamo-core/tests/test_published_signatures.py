"""Signatures that the tracer knows (`data/signatures.txt`) are those that Python publishes."""

from __future__ import annotations

import importlib
import inspect
import sys
import types
from collections import namedtuple
from pathlib import Path
from typing import Any

import pytest

ROWS = (Path(__file__).parent / "data" / "signatures.txt").read_text().splitlines()

#: Owners that no module has under this name.
OWNERS = {"generator": types.GeneratorType, "namedtuple": namedtuple("Pair", "a b"), "dict_keys": type({}.keys())}

#: Functions that do not take what the signature that they publish says: the class's `__new__` has another one, `object`
#: refuses arguments, a helper is called as the function that it wraps, and an operator's `**kwargs` are divided between
#: the checkpoint and the function.
UNLIKE = {
    "torch._higher_order_ops.wrap.TagActivationCheckpoint.__call__",
    "torch.autograd.grad_mode.no_grad",
    "builtins.object.__init__",
    "builtins.object.__new__",
    "torchvision.utils._log_api_usage_once",
}
if sys.version_info >= (3, 14):
    # Each takes one more argument there; a call with it ends the graph.
    UNLIKE |= {"builtins.map", "inspect.signature"}


#: The first versions that have a function, and the first that have it no more.
SINCE = {
    "math.sumprod": (3, 12),
    "_heapq.heapify_max": (3, 14),
    "_heapq.heappop_max": (3, 14),
    "_heapq.heappush_max": (3, 14),
    "_heapq.heappushpop_max": (3, 14),
    "_heapq.heapreplace_max": (3, 14),
}
UNTIL = {"_heapq._heapify_max": (3, 14), "_heapq._heappop_max": (3, 14), "_heapq._heapreplace_max": (3, 14)}

#: The interpreter's classes that say they are of `builtins`, which does not have them.
TYPES = {f"{kind.__module__}.{kind.__name__}": kind for kind in vars(types).values() if isinstance(kind, type)}


def cases() -> list[tuple[str, str]]:
    """Each name, with its parameters, but for what a function makes anew at each call: no module has it."""
    split = [row.split("(", 1) for row in ROWS]
    rows = [(name, parameters.removesuffix(")")) for names, parameters in split for name in names.split()]
    return [row for row in rows if "<locals>" not in row[0]]


def found(name: str) -> Any:
    """The object that has this dotted name; None if this Python does not have it."""
    owner, *rest = name.split(".")
    if owner in OWNERS:
        member = vars(OWNERS[owner])[rest[0]]
        return member.__func__ if isinstance(member, classmethod) else member
    parts = name.split(".")
    for count in range(len(parts) - 1, 0, -1):
        try:
            value = importlib.import_module(".".join(parts[:count]))
        except ImportError:
            continue
        break
    else:
        value, count = importlib.import_module("builtins"), 0
    for part in parts[count:]:
        value = getattr(value, part, TYPES.get(name))
    return value


def shape(signature: inspect.Signature) -> list[tuple[Any, ...]]:
    """The parts of parameters that matter: passing, names where those can be passed, defaults."""
    result = []
    for at, parameter in enumerate(signature.parameters.values()):
        named = parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
        named &= (at, parameter.name) != (0, "self") and (at, parameter.name) != (0, "cls")
        kind = parameter.POSITIONAL_ONLY if not named and at == 0 else parameter.kind
        result.append((kind, parameter.name if named else "", parameter.default))
    return result


def own(parameters: str) -> inspect.Signature:
    """The signature of a row."""
    space: dict[str, Any] = {}
    exec(f"def row({parameters}): ...", space)
    return inspect.signature(space["row"])


def published(name: str) -> inspect.Signature | None:
    """The signature that `inspect` gives; None if it does not know one."""
    try:
        return inspect.signature(found(name))
    except (TypeError, ValueError):
        return None


@pytest.mark.parametrize(("name", "parameters"), cases())
def test_signature(name: str, parameters: str) -> None:
    """Ways of passing arguments, names and defaults are those of Python."""
    if name.split(".")[0] in ("torch", "rust_inductor"):
        pytest.importorskip(name.split(".")[0])
    if not SINCE.get(name, (3, 0)) <= sys.version_info < UNTIL.get(name, (4, 0)):
        pytest.skip("Another version has it.")
    assert found(name) is not None, f"Python has no {name}"
    there, here = published(name), own(parameters)
    if there is None or name in UNLIKE:
        return
    expected, mine = shape(there), shape(here)
    for (*passing, default), (*my_passing, my_default) in zip(expected, mine, strict=True):
        assert passing == my_passing
        assert default == my_default or (my_default is ... and default is not inspect.Parameter.empty)


def test_most_are_published() -> None:
    """Enough signatures are compared for the test to mean something."""
    assert sum(published(name) is not None for name, _ in cases()) > 60
