"""`python -m pybind.tests.opinfo.left [NAME...] [--grad]`: the operators whose graphs are left to AOTAutograd, and why.

Each is captured alone, for the first of its samples. Nothing is compared: `pybind.tests.opinfo.run` does that.
"""

from __future__ import annotations

import argparse
import logging
import warnings
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import pytest
import torch

from pybind.tests.helpers import left_to_aot
from pybind.tests.opinfo.samples import names, samples, with_code_of_its_own
from rust_inductor import _aot, _backends, _capture

if TYPE_CHECKING:
    pass


def main() -> int:
    """Runs what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m pybind.tests.opinfo.left")
    parser.add_argument("names", nargs="*", help="operators, each with all its variants; all of them if none is named")
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--grad", action="store_true", help="with gradients")
    parser.add_argument("--first", type=int, default=4, metavar="N", help="the first N samples of each (4)")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    dtype = getattr(torch, options.dtype)
    wanted = [name for want in options.names or [None] for name in names(dtype, want, grad=options.grad)]
    reasons: dict[str, set[str]] = defaultdict(set)
    for name in wanted:
        for number, sample in zip(range(options.first), samples(name, dtype, grad=options.grad), strict=False):
            for reason in reasons_of(sample, f"{name} {number}"):
                reasons[reason].add(name)
    for reason, operators in sorted(reasons.items(), key=lambda row: (-len(row[1]), row[0])):
        print(f"{len(operators):4} {reason}: {', '.join(sorted(operators))}")
    left = set().union(*reasons.values())
    print(f"{len(left)} of {len(wanted)} operators have a graph that is left to AOTAutograd")
    return 0


def reasons_of(sample: Any, label: str) -> list[str]:
    """The reasons for which graphs of a sample are left to AOTAutograd, which is not asked."""
    with pytest.MonkeyPatch.context() as patch:
        reasons = left_to_aot(patch)
        compile_graph = _backends._compile

        def compiled(graph: Any, inputs: Any, lowered: Any, *rest: Any) -> Any:
            if lowered is None:
                reasons.append("a call that no overload of ATen's stands for")
            return compile_graph(graph, inputs, lowered, *rest)

        try:
            sample.function(sample.input, *sample.args, **sample.kwargs)
            patch.setattr(_backends, "_compile", compiled)
            patch.setattr(_aot, "compile_module", lambda gm, *_args, **_kwargs: gm.forward)
            function = with_code_of_its_own(sample.function, label)
            optimized = _capture.optimize(function, "rust_inductor", dynamic=False)
            optimized(sample.input, *sample.args, **sample.kwargs)
        except Exception:
            # Samples of what torch refuses.
            reasons.clear()
    return reasons


if __name__ == "__main__":
    raise SystemExit(main())
