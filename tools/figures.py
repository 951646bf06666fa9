"""What the compilers tell about themselves: seconds by stage, kernels, fused operators, calls."""

from __future__ import annotations

from collections import Counter
from typing import Any

COUNTS = ("kernels", "ops fused", "extern calls", "fallbacks")


def torch_seconds() -> dict[str, float]:
    """Seconds spent so far: in compilation as a whole, and of that in the backend (AOTAutograd and what it calls)."""
    from torch._dynamo.utils import compilation_time_metrics as metrics

    return {
        "all": sum(metrics.get("_compile.compile_inner", [])),
        "backend": sum(metrics.get("OutputGraph.call_user_compiler", [])),
    }


def graphs_so_far(backend: str) -> int:
    """How many graphs our compiler has compiled in this process."""
    return len(reports()) if backend == "rust_inductor" else 0


def reports() -> list[Any]:
    """Our compiler's account of each graph compiled in this process, in order."""
    import rust_inductor

    return list(rust_inductor.compiled_graphs())


def compiler_figures(backend: str, since: int) -> tuple[dict[str, float], dict[str, int]]:
    """Seconds by stage of our compiler, and its counts, over the graphs after the first `since`."""
    seconds: Counter[str] = Counter()
    counts: Counter[str] = Counter(dict.fromkeys(COUNTS, 0))
    if backend != "rust_inductor":
        return {}, {}
    for report in reports()[since:]:
        seconds.update(report.stages)
        figures = (report.kernels, report.fused_ops, report.extern_calls, report.fallbacks)
        counts.update(dict(zip(COUNTS, figures)))
    return dict(seconds), dict(counts)
