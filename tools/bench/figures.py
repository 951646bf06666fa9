"""The figures that the compilers tell about themselves: seconds by stage, kernels, fused operators, calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

COUNTS = ("launches", "kernels", "ops fused", "extern calls", "fallbacks")


def torch_seconds() -> dict[str, float]:
    """Seconds spent so far: in compilation as a whole, and of that in the backend (AOTAutograd and what it calls)."""
    from torch._dynamo.utils import compilation_time_metrics as metrics

    return {
        "all": sum(metrics.get("_compile.compile_inner", [])),
        "backend": sum(metrics.get("OutputGraph.call_user_compiler", [])),
    }


@dataclass
class Recorder:
    """Our compiler, keeping the compiled graphs and the time that captures took."""

    graphs: list[Any] = field(default_factory=list)
    #: The graphs among them that were compiled when gradients were first asked for, after the capture.
    later: list[Any] = field(default_factory=list)
    #: Seconds of our Dynamo, and of what stands behind it.
    captures: float = 0.0
    backend: float = 0.0

    def compile(
        self,
        function: Callable[..., Any],
        *,
        dynamic: bool | None = None,
        mode: str | None = None,
        options: dict[str, Any] | None = None,
    ) -> Callable[..., Any]:
        """Compiles as `torch.compile` with our backend does."""
        import torch

        from rust_inductor import _capture, _module

        settings: dict[str, Any] = {
            "dynamic": dynamic,
            "mode": mode,
            "options": options,
            "on_graph": self._keep,
            "listener": self._note,
        }
        compiled: Callable[..., Any]
        if isinstance(function, torch.nn.Module):
            compiled = _module.optimized(function, _capture.optimize, **settings)
        else:
            compiled = _capture.optimize(function, **settings)
        return compiled

    def _keep(self, kind: str, compiled: Any) -> None:
        self.graphs.append(compiled)
        if kind == "backward" and not any("AOTAutograd" in remark for remark in compiled.remarks):
            self.later.append(compiled)

    def _note(self, event: dict[str, Any]) -> None:
        capture, backend = event.get("seconds", (0.0, 0.0))
        self.captures += capture
        self.backend += backend

    def seconds(self) -> dict[str, float]:
        """Seconds by stage, over all graphs, and those that AOTAutograd took."""
        total: Counter[str] = Counter()
        for graph in self.graphs:
            total.update(dict(graph.stages))
        in_backend = sum(seconds for graph in self.graphs if graph not in self.later for _, seconds in graph.stages)
        return {"AOTAutograd": max(self.backend - in_backend, 0.0), **total}

    def compilations(self) -> int:
        """The number of graphs that were compiled."""
        return len(self.graphs)

    def counts(self) -> dict[str, int]:
        """The counts over all graphs; a graph that runs as it is counts as one fallback."""
        total: Counter[str] = Counter(dict.fromkeys(COUNTS, 0))
        for graph in self.graphs:
            total["fallbacks"] += graph.eager_because is not None
            total["launches"] += graph.launches
            in_kernels = [fate.removeprefix("kernel ") for _, _, fate in graph.fates if fate.startswith("kernel ")]
            externs = sum(why == "extern" for _, why in graph.calls)
            total["kernels"] += len({name for names in in_kernels for name in names.split(", ")})
            fallbacks = len(graph.calls) - externs
            total.update({"ops fused": len(in_kernels), "extern calls": externs, "fallbacks": fallbacks})
        return dict(total)
