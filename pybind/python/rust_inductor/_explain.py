"""What becomes of each operator of a function."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch

from rust_inductor import _backend

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from rust_inductor import _native


@dataclass(frozen=True)
class Graph:
    """One graph: ``inference``, ``forward`` or ``backward``, and what the compiler made of it."""

    kind: str
    compiled: _native.CompiledFn

    @property
    def fates(self) -> list[tuple[str, str, str]]:
        """Name, target and fate of each node."""
        return self.compiled.fates

    @property
    def kernels(self) -> list[tuple[str, str, str]]:
        """Name, loop IR and generated code of each kernel."""
        return self.compiled.kernels

    @property
    def calls(self) -> list[tuple[str, str]]:
        """Target of each call of a library, and ``extern`` or why it is a fallback."""
        return self.compiled.calls

    @property
    def launches(self) -> int:
        """The number of kernel launches."""
        return self.compiled.launches

    @property
    def stages(self) -> list[tuple[str, float]]:
        """The seconds that each stage of the compiler took."""
        return self.compiled.stages

    def lines(self) -> Iterator[str]:
        """Print the graph as a table."""
        if self.compiled.eager_because is not None:
            yield f"{self.kind} graph: runs as it is, since {self.compiled.eager_because}"
            return
        yield f"{self.kind} graph"
        yield from _table(self.fates)
        externs = [target for target, why in self.calls if why == "extern"]
        yield (
            f"  {len(self.kernels)} kernels launched {self.launches} times, {len(externs)} extern calls, "
            f"{len(self.calls) - len(externs)} fallbacks"
        )
        times = ", ".join(f"{name} {1e3 * seconds:.1f}" for name, seconds in self.stages)
        yield f"  milliseconds: {times}"


@dataclass
class Explanation:
    """What became of a function; its text is a table for each graph."""

    graphs: list[Graph] = field(default_factory=list)
    result: Any = None

    @property
    def compile_seconds(self) -> float:
        """The time spent in our compiler."""
        return sum(seconds for graph in self.graphs for _, seconds in graph.stages)

    @property
    def fallbacks(self) -> list[tuple[str, str]]:
        """Each operator that was called for want of a rule, with the reason."""
        return [call for graph in self.graphs for call in graph.calls if call[1] != "extern"]

    def kernel_listings(self) -> str:
        """Print the loop IR and the generated code of every kernel."""
        parts = [
            f"{graph.kind} graph, kernel {name}\n{loop_ir}\n{code}"
            for graph in self.graphs
            for name, loop_ir, code in graph.kernels
        ]
        return "\n".join(parts)

    def __str__(self) -> str:
        """Print every graph's table and the total."""
        lines = [line for graph in self.graphs for line in graph.lines()]
        lines.append(f"{len(self.graphs)} graphs, compiled in {1e3 * self.compile_seconds:.1f} ms")
        return "\n".join(lines)


def explain(function: Callable[..., Any], **kwargs: Any) -> Callable[..., Explanation]:
    """Compile a function afresh at its first call, and report."""

    def run(*args: Any, **call_kwargs: Any) -> Explanation:
        explanation = Explanation()

        def recording(
            gm: torch.fx.GraphModule,
            inputs: Sequence[Any],
            *,
            options: Mapping[str, Any] | None = None,
            mode: str | None = None,
        ) -> Callable[..., Any]:
            return _backend.compile_module(
                gm,
                inputs,
                options=options,
                mode=mode,
                on_graph=lambda kind, compiled: explanation.graphs.append(Graph(kind, compiled)),
            )

        compiled = torch.compile(function, backend=recording, **kwargs)
        explanation.result = compiled(*args, **call_kwargs)
        return explanation

    return run


def _table(rows: list[tuple[str, str, str]]) -> Iterator[str]:
    """Align the columns of a table."""
    header = ("node", "target", "fate")
    widths = [max(len(row[column]) for row in [header, *rows]) for column in range(2)]
    for name, target, fate in [header, *rows]:
        yield f"  {name:<{widths[0]}}  {target:<{widths[1]}}  {fate}"
