"""The report on a function: its graphs, why they end, what is guarded, and each operator's fate."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rust_inductor import _capture

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import CodeType

    from rust_inductor import _native, fx


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
        """Target and way of each call: ``extern`` calls the library directly, ``extern: …`` too, for want of a rule.

        ``fallback: …`` goes through Python.
        """
        return self.compiled.calls

    @property
    def launches(self) -> int:
        """The number of kernel launches."""
        return self.compiled.launches

    @property
    def fused(self) -> int:
        """The number of kernels that are computed with the product or convolution whose result they read."""
        return self.compiled.fused

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
        yield from (f"  {remark}" for remark in getattr(self.compiled, "remarks", ()))
        yield from _table(self.fates)
        externs = [target for target, why in self.calls if why.startswith("extern")]
        yield (
            f"  {len(self.kernels)} kernels launched {self.launches} times, {self.fused} times with a product, "
            f"{len(externs)} extern calls, "
            f"{len(self.calls) - len(externs)} fallbacks"
        )
        if self.compiled.cuda_graph is not None:
            yield f"  CUDA graph: {self.compiled.cuda_graph}"
        if self.compiled.device is not None:
            yield f"  on {self.compiled.device}, {len(self.compiled.on_host)} steps on the processor"
            yield from (f"    {step}: {reason}" for step, reason in self.compiled.on_host)
        times = ", ".join(f"{name} {1e3 * seconds:.1f}" for name, seconds in self.stages)
        yield f"  milliseconds: {times}"


@dataclass(frozen=True)
class Place:
    """A line of the user's program."""

    file: str
    line: int
    function: str

    def __str__(self) -> str:
        """Print it as tracebacks do."""
        return f'File "{self.file}", line {self.line}, in {self.function}'


@dataclass(frozen=True)
class Break:
    """The reason why a graph ends before its function does: the book has a row for each code."""

    code: str
    what: str
    text: str
    hint: str
    #: The calls on the way, the compiled function first.
    stack: tuple[Place, ...]

    @property
    def place(self) -> Place:
        """The line that could not be captured."""
        return self.stack[-1]

    def lines(self) -> Iterator[str]:
        """Print reason, hint and place."""
        yield f"  graph break [{self.code}] {self.what} {self.text}"
        yield f"    hint: {self.hint}"
        for place in self.stack:
            yield f"    {place}"


@dataclass(frozen=True)
class Failure:
    """An earlier entry that did not fit: which, its guard that failed, and the two values."""

    entry: tuple[int, int]
    guard: str
    expected: str
    found: str
    reason: str

    def __str__(self) -> str:
        """Print the guard and the values."""
        return f"entry {self.entry[1]}: {self.guard}: expected {self.expected}, found {self.found}"


@dataclass(frozen=True)
class Capture:
    """One trace of a function, or of the rest of one after a break."""

    function: str
    file: str
    line: int
    #: ``None`` if nothing is computed.
    graph: fx.Graph | None
    guards: tuple[str, ...]
    #: The reason why it was traced although it had been before; empty the first time.
    recompiles: tuple[Failure, ...]
    ended: Break | None
    #: The reason why it runs as it is, if it does.
    skipped: str | None
    original: CodeType
    code: CodeType
    #: The targets of the calls for which there is no rule: torch was asked what they give.
    asked: tuple[str, ...] = ()
    #: The calls and modes that keep the graph from being compiled in Rust alone: ATen's operators do not express them.
    not_lowered: tuple[str, ...] = ()

    def lines(self) -> Iterator[str]:
        """Print what was captured."""
        yield f"{self.function} ({self.file}:{self.line})"
        if self.skipped is not None:
            yield f"  runs as it is: {self.skipped}"
        for failure in self.recompiles:
            yield f"  compiled again: {failure}"
        if self.graph is not None:
            calls = [node for node in self.graph.nodes if node.op not in ("placeholder", "output", "get_attr")]
            yield f"  a graph of {len(calls)} operators"
            if self.asked:
                yield f"  {len(self.asked)} without a rule: {', '.join(sorted(set(self.asked)))}"
            if self.not_lowered:
                yield f"  {len(self.not_lowered)} left to AOTAutograd: {', '.join(sorted(set(self.not_lowered)))}"
        yield from (f"  guard: {guard}" for guard in self.guards)
        if self.ended is not None:
            yield from self.ended.lines()


@dataclass
class Explanation:
    """The report on a function; its text says what was captured, with a table for each graph."""

    graphs: list[Graph] = field(default_factory=list)
    result: Any = None
    #: In order; empty where torch's Dynamo captured.
    captures: list[Capture] = field(default_factory=list)

    @property
    def compile_seconds(self) -> float:
        """The time spent in our compiler."""
        return sum(seconds for graph in self.graphs for _, seconds in graph.stages)

    @property
    def graph_count(self) -> int:
        """The number of graphs that were captured."""
        return sum(1 for capture in self.captures if capture.graph is not None)

    @property
    def breaks(self) -> list[Break]:
        """Every place where a graph ended before its function did."""
        return [capture.ended for capture in self.captures if capture.ended is not None]

    @property
    def graph_break_count(self) -> int:
        """The number of such places."""
        return len(self.breaks)

    @property
    def guards(self) -> list[str]:
        """The guards of every capture."""
        return [guard for capture in self.captures for guard in capture.guards]

    @property
    def recompiles(self) -> list[Failure]:
        """The guards of earlier entries that failed, for everything that was compiled again."""
        return [failure for capture in self.captures for failure in capture.recompiles]

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
        """Print what was captured, every graph's table and the total."""
        lines = [line for capture in self.captures for line in capture.lines()]
        lines += [line for graph in self.graphs for line in graph.lines()]
        if self.captures:
            lines.append(f"{self.graph_count} graphs captured, {self.graph_break_count} graph breaks")
        if self.graphs or not self.captures:
            lines.append(f"{len(self.graphs)} graphs, compiled in {1e3 * self.compile_seconds:.1f} ms")
        return "\n".join(lines)


def explain(function: Callable[..., Any], **kwargs: Any) -> Callable[..., Explanation]:
    """Compile a function afresh at its first call, and report on each call."""
    current = Explanation()
    compiled = _capture.optimize(
        function,
        listener=lambda event: current.captures.extend(_captures(event)),
        on_graph=lambda kind, compiled: current.graphs.append(Graph(kind, compiled)),
        **kwargs,
    )

    def run(*args: Any, **call_kwargs: Any) -> Explanation:
        nonlocal current
        explanation = current = Explanation()
        explanation.result = compiled(*args, **call_kwargs)
        return explanation

    return run


def _captures(event: dict[str, Any]) -> Iterator[Capture]:
    """The capture that an event of the tracer tells of, if it tells of one."""
    if "limit" in event:
        return
    original = event["original"]
    yield Capture(
        function=original.co_name,
        file=original.co_filename,
        line=original.co_firstlineno,
        graph=event.get("graph"),
        guards=tuple(event.get("guards", ())),
        recompiles=tuple(_failure(reason) for reason in event["recompile_reasons"]),
        ended=_break(event),
        skipped=event.get("skipped"),
        original=original,
        code=event["code"],
        asked=tuple(event.get("asked", ())),
        not_lowered=tuple(event.get("not_lowered", ())),
    )


def _break(event: dict[str, Any]) -> Break | None:
    reason = event["break"]
    if reason is None:
        return None
    code = event["original"]
    stack = event["stack"] or [(code.co_filename, code.co_firstlineno, code.co_name)]
    places = tuple(Place(*place) for place in stack)
    return Break(reason["code"], reason["what"], reason["text"], reason["hint"], places)


def _failure(reason: dict[str, Any]) -> Failure:
    return Failure(reason["frame"], reason["guard"], reason["expected"], reason["found"], reason["reason"])


def _table(rows: list[tuple[str, str, str]]) -> Iterator[str]:
    """Align the columns of a table, in which equal layers are written once."""
    header = ("node", "target", "fate")
    widths = [max(len(row[column]) for row in [header, *rows]) for column in range(2)]

    def line(name: str, target: str, fate: str) -> str:
        return f"  {name:<{widths[0]}}  {target:<{widths[1]}}  {fate}"

    yield line(*header)
    for start, length, times in _runs([row[1:] for row in rows]):
        yield from (line(*row) for row in rows[start : start + length])
        if times > 1:
            yield f"  … and these {length} rows {times - 1} times more"


#: The least number of rows that have to be left out of a table.
_LEAST_ROWS = 16
#: The most rows that are looked at as one layer.
_LONGEST = 512


def _runs(keys: Sequence[Any]) -> Iterator[tuple[int, int, int]]:
    """Divide a sequence into runs: where each begins, how long it is, and how often it comes, one after the other."""
    start = 0
    while start < len(keys):
        best, left_out = (1, 1), _LEAST_ROWS - 1
        for length in range(1, min(_LONGEST, (len(keys) - start) // 2) + 1):
            times = 1
            while (
                keys[start + times * length : start + times * length + 1] == keys[start : start + 1]
                and keys[start + times * length : start + (times + 1) * length] == keys[start : start + length]
            ):
                times += 1
            if length * (times - 1) > left_out:
                best, left_out = (length, times), length * (times - 1)
        yield start, *best
        start += best[0] * best[1]
