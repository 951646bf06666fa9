"""`python -m pybind.tests.opinfo.unimportable [NAME...]`: operators where torch's compiler cannot be imported.

The samples, which import it, come from a process of their own. Another one, in which `torch._dynamo`, AOTAutograd and
Inductor are refused, compiles each operator by its public name, forward and backward, and compares with eager.
(sympy is imported by eager's `torch.autograd.grad`.)
"""

from __future__ import annotations

import argparse
import importlib.abc
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch.utils import _pytree

import rust_inductor
from pybind.tests.opinfo.samples import names, operators, samples, with_code_of_its_own

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from importlib.machinery import ModuleSpec

#: Roots of what may not be imported.
REFUSED = ("torch._dynamo", "torch._functorch.aot_autograd", "torch._inductor")


class Refused(importlib.abc.MetaPathFinder):
    """A finder that refuses these modules."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Raise for one of them."""
        del path, target
        if any(name == root or name.startswith(f"{root}.") for root in REFUSED):
            message = f"{name} is not to be imported here"
            raise ModuleNotFoundError(message)
        return None


def public(name: str) -> Callable[..., Any] | None:
    """The function of torch's, or the method of tensors, that has an operator's name."""
    for root in (torch, torch.Tensor):
        found: Any = root
        for part in name.split("."):
            found = getattr(found, part, None)
        if callable(found) and not isinstance(found, type):
            return found  # type: ignore[no-any-return]
    return None


def write(path: Path, wanted: Sequence[str], first: int) -> None:
    """Write samples, each with the name of its operator, that can be written and have a public name."""
    rows: list[Any] = []
    every: list[str | None] = [None]
    for name in (name for want in wanted or every for name in names(torch.float32, want)):
        op = operators()[name]
        # What is in new memory is anybody's guess.
        if public(op.name) is None or "empty" in op.name:
            continue
        grad = op.supports_autograd
        for _, sample in zip(range(first), samples(name, torch.float32, grad=grad), strict=False):
            call = (sample.input, sample.args, sample.kwargs)
            leaves = _pytree.tree_leaves(call)
            if all(
                isinstance(leaf, (torch.Tensor, torch.dtype, int, float, complex, str, type(None))) for leaf in leaves
            ):
                rows.append((name, op.name, call))
    torch.save(rows, path)


def run(function: Callable[..., Any], call: Any) -> list[Any]:
    """The tensors that a call gives, and the gradients by those that require them."""
    leaves = [leaf for leaf in _pytree.tree_leaves(call) if isinstance(leaf, torch.Tensor) and leaf.requires_grad]
    torch.manual_seed(0)
    given, args, kwargs = call
    results = [it for it in _pytree.tree_leaves(function(given, *args, **kwargs)) if isinstance(it, torch.Tensor)]
    recorded = [result for result in results if result.requires_grad]
    weights = [torch.ones_like(result) for result in recorded]
    grads = torch.autograd.grad(recorded, leaves, weights, allow_unused=True) if recorded else ()
    # Zeros without memory cannot be compared.
    return [
        *results,
        *(None if grad is None else torch.zeros(grad.shape, dtype=grad.dtype).copy_(grad) for grad in grads),
    ]


def outcomes(path: Path) -> Iterator[tuple[str, str]]:
    """The outcome of each sample, `same`, one of eager's own, or a fault, with the name of its operator."""
    for number, (name, public_name, call) in enumerate(torch.load(path, weights_only=False)):
        function: Any = public(public_name)
        try:
            expected = run(function, call)
        except ImportError:
            yield name, "imported by eager"
            continue
        except Exception:
            yield name, "refused"
            continue
        try:
            actual = run(rust_inductor.compile(with_code_of_its_own(function, f"{name} {number}"), dynamic=False), call)
            torch.testing.assert_close(actual, expected, rtol=1e-3, atol=1e-4, equal_nan=True)
        except Exception as error:
            yield name, f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
            continue
        yield name, "same"


def child(path: Path) -> int:
    """Compile and compare, and print what differs."""
    sys.meta_path.insert(0, Refused())
    found: Counter[str] = Counter()
    for name, outcome in outcomes(path):
        kind = outcome if outcome in ("same", "refused", "imported by eager") else "at fault"
        found[kind] += 1
        if kind == "at fault":
            print(f"{name}: {outcome}", flush=True)
    loaded = sorted(root for root in REFUSED if root in sys.modules)
    print(", ".join(f"{count} {kind}" for kind, count in found.most_common()), f"loaded: {loaded}")
    return int(bool(found["at fault"] or loaded))


def main() -> int:
    """Runs what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m pybind.tests.opinfo.unimportable")
    parser.add_argument("names", nargs="*", help="operators; all of them if none is named")
    parser.add_argument("--first", type=int, default=2, metavar="N", help="the first N samples of each (2)")
    parser.add_argument("--samples", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.samples is not None:
        return child(options.samples)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "samples"
        write(path, options.names, options.first)
        command = [sys.executable, "-m", "pybind.tests.opinfo.unimportable", "--samples", str(path)]
        return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
