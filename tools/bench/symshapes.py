"""`./x bench symshapes`: what torch's ShapeEnv is asked while it traces a model, asked again of it and of ours.

torch's own recorder takes down the events while Dynamo traces a model whose batch and sequence are dynamic. The events
are then replayed, in turns, in torch's ShapeEnv and in ours (`symshapes/examples/replay.rs`, one Rust process a turn:
so nothing of Python, and no crossing into Rust, is in our figure). In both, the guards are then produced and printed.

What is in the figures, so that the comparison does not flatter us:
- torch's expressions stand ready as sympy objects, ours are built anew in each round (from parsed text);
- torch's methods are called directly, without the recorder; events that only keep torch's translation validation
  informed are left out; torch's garbage collector is off;
- both make the symbols of every input, parameters included.
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import torch
from torch.fx.experimental.recording import FakeTensorMeta, ShapeEnvEvent
from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv

from tools import machine
from tools.bench import shape_inference
from tools.bench.page import RESULTS, with_chapter
from tools.ui import ROOT, read_or_empty, say, table

#: Of each model, the dimensions of its input that are dynamic.
DYNAMIC_DIMS = {"bert": (0, 1), "gpt2": (0, 1), "resnet50": (0,)}
BATCH, LENGTH = 3, 17
#: Bookkeeping for torch's translation validation, which is off.
LEFT_OUT = {"_create_fx_call_function"}
POLICIES = {
    DimDynamic.STATIC: "Static",
    DimDynamic.DUCK: "Duck",
    DimDynamic.DYNAMIC: "Dynamic",
    DimDynamic.UNBACKED: "Unbacked",
}
TENSOR, ASK, CHECK = "_create_symbolic_sizes_strides_storage_offset", "evaluate_expr", "guard_or_defer_runtime_assert"
METHOD = (
    "Dynamo traces a model with dynamic batch and sequence; what it asked of torch's ShapeEnv is asked again of it and"
    " of ours, in turns: make the inputs' symbols, answer the questions, produce and print the guards (this last part"
    " alone in the last two columns). torch's expressions stand ready as sympy objects and its methods are called"
    " without the recorder; ours are built anew in each round, in a Rust process of its own, without Python."
)
SILENT = {"_suppress_guards_enter", "_suppress_guards_exit", "_find", "_record_exclusion_constraint"}


@dataclass
class Trace:
    """The events of one trace, and what its guards were produced for."""

    options: dict[str, Any]
    events: list[ShapeEnvEvent]
    fakes: list[Any]
    sources: list[Any]
    contexts: list[Any]


@dataclass
class Figures:
    """Seconds, a number for each round; and the guards that were left."""

    replay: list[float] = field(default_factory=list)
    guards: list[float] = field(default_factory=list)
    kept: set[str] = field(default_factory=set)

    def total(self) -> float:
        """The median round."""
        return statistics.median(map(sum, zip(self.replay, self.guards, strict=True)))


def main() -> int:
    """Records, replays, and writes the chapter."""
    parser = argparse.ArgumentParser(prog="./x bench symshapes")
    parser.add_argument("--quick", action="store_true", help="small models, few rounds: shows, but proves nothing")
    parser.add_argument("--rounds", type=int, help="how often both are replayed in turns")
    parser.add_argument("--output", type=Path, help="the page to write (bench/RESULTS.md; with --quick none)")
    parser.add_argument("--note", default="", help="what a reader has to know of this run, put into the page")
    options = parser.parse_args()
    rounds = options.rounds or (3 if options.quick else 7)
    size: Literal["full", "small"] = "small" if options.quick else "full"
    replayer = build_example("symshapes", "replay")
    inferrer = build_example("fx", "infer")
    rows, notes, check_ns = [], [], 0.0
    inferred, inference_notes = [], []
    for name in DYNAMIC_DIMS:
        say(f"{name}: tracing, then {rounds} rounds of both")
        trace = record(name, size)
        recording = export(trace)
        theirs, ours, report = compare(trace, recording, replayer, rounds)
        rows.append(row(name, recording, theirs, ours))
        notes += differences(name, theirs, ours, report)
        if name == "bert":
            check_ns = report["check_ns"]
        say(f"{name}: shape inference")
        cells, report = infer(name, size, inferrer, rounds)
        inferred.append([name, *cells])
        inference_notes += shape_inference.notes(name, report)
    page = chapter(rows, notes, check_ns, f"{rounds} rounds. {options.note}".strip())
    page += "\n" + shape_inference.chapter(inferred, inference_notes)
    print(page)
    output = options.output or (None if options.quick else RESULTS)
    if output is not None:
        output.write_text(with_chapter(read_or_empty(output), page))
        say(f"written to {output}")
    return 0


def build_example(crate: str, name: str) -> Path:
    """An optimised Rust program."""
    words = ["cargo", "build", "--release", "--quiet", "-p", f"rust-inductor-{crate}", "--example", name]
    subprocess.run(words, cwd=ROOT, check=True)
    metadata = ["cargo", "metadata", "--format-version", "1", "--no-deps"]
    target = json.loads(subprocess.run(metadata, cwd=ROOT, check=True, capture_output=True).stdout)["target_directory"]
    return Path(target) / "release" / "examples" / name


def infer(name: str, size: Literal["full", "small"], inferrer: Path, rounds: int) -> tuple[list[Any], dict[str, Any]]:
    """Shape inference through a model's graph, by both."""
    from tools.bench.models import build

    model, inputs = build(name, size)
    return shape_inference.measure(model, dynamic_input(name, inputs[0]), inferrer, rounds)


def record(name: str, size: Literal["full", "small"]) -> Trace:
    """Traces a model with the recorder on."""
    from tools.bench.models import build

    model, inputs = build(name, size)
    model.eval()
    x = dynamic_input(name, inputs[0])
    traces: list[Trace] = []
    torch._dynamo.reset()
    with recorder(traces), torch.no_grad():
        torch.compile(model, backend="eager", fullgraph=True)(x)
    return max(traces, key=lambda trace: len(trace.events))


def dynamic_input(name: str, example: torch.Tensor) -> torch.Tensor:
    """An input of sizes that are equal to no others, its dimensions marked."""
    shape = (BATCH, LENGTH) if name != "resnet50" else (BATCH, *example.shape[1:])
    x = torch.randint(0, 8, shape) if name != "resnet50" else torch.rand(shape)
    for dim in DYNAMIC_DIMS[name]:
        torch._dynamo.mark_dynamic(x, dim)
    return x


@contextmanager
def recorder(traces: list[Trace]) -> Iterator[None]:
    """Turns torch's recorder on in every ShapeEnv made meanwhile; guards that are produced give a trace."""
    make, produce = ShapeEnv.__init__, ShapeEnv.produce_guards_verbose

    def recording_init(self: ShapeEnv, *args: Any, should_record_events: bool | None = None, **options: Any) -> None:
        make(self, *args, should_record_events=True, **options)

    def recording_produce(self: ShapeEnv, fakes: list[Any], sources: list[Any], *args: Any, **options: Any) -> Any:
        kept = [fake if isinstance(fake, torch.SymInt | int) else FakeTensorMeta.from_fake(fake) for fake in fakes]
        contexts = list(options.get("input_contexts") or [])
        events = [event for event in self.events[1:] if name_of(event) not in LEFT_OUT]
        traces.append(Trace(dict(self.events[0].kwargs or {}), events, kept, list(sources), contexts))
        return produce(self, fakes, sources, *args, **options)

    ShapeEnv.__init__, ShapeEnv.produce_guards_verbose = recording_init, recording_produce  # type: ignore[method-assign,assignment]
    try:
        yield
    finally:
        ShapeEnv.__init__, ShapeEnv.produce_guards_verbose = make, produce  # type: ignore[method-assign]


def name_of(event: ShapeEnvEvent) -> str:
    """The method that was called."""
    return event.name or event.f.__name__


def fresh_env(trace: Trace) -> ShapeEnv:
    """An environment as the recorded one was at first."""
    options = {key: value for key, value in trace.options.items() if key != "should_record_events"}
    return ShapeEnv(**options)


def call(event: ShapeEnvEvent, env: ShapeEnv) -> Any:
    """Replays one event, without the recorder's own work."""
    return event.f(env, *(event.args or [None])[1:], **(event.kwargs or {}))


def export(trace: Trace) -> dict[str, Any]:
    """The events as our program reads them: expressions as text, with torch's answers."""
    env = fresh_env(trace)
    sources: list[str] = []
    events: list[dict[str, Any]] = []
    for event in trace.events:
        result, kind = call(event, env), name_of(event)
        if kind == TENSOR:
            events.append(tensor_event(event, result, sources))
        elif kind == ASK:
            events.append(ask_event(event, result))
        elif kind == CHECK:
            events.append({"op": "check", "pred": str((event.args or [])[1])})
        elif kind not in SILENT:
            raise SystemExit(f"{kind} is an event that our program has no step for")
    return {"sources": sources, "events": events}


def tensor_event(event: ShapeEnvEvent, result: Any, sources: list[str]) -> dict[str, Any]:
    """The sizes, strides and offset of an input; its sources are numbered from the first on."""
    arguments: list[Any] = event.args or []
    _, sizes, strides, offset, _, source = arguments[:6]
    context = (event.kwargs or {})["symbolic_context"]
    rank, first = len(sizes), len(sources)
    base = source.name if isinstance(source.name, str) else source.name()
    sources += [f"{base}.size()[{dim}]" for dim in range(rank)]
    sources += [f"{base}.stride()[{dim}]" for dim in range(rank)]
    sources.append(f"{base}.storage_offset()")

    def size(dim: int) -> dict[str, Any]:
        expr = result[0][dim]
        symbol = str(expr.node.expr) if isinstance(expr, torch.SymInt) else None
        return {"hint": sizes[dim], "policy": POLICIES[context.dynamic_sizes[dim]], "symbol": symbol}

    return {
        "op": "tensor",
        "first_source": first,
        "sizes": [size(dim) for dim in range(rank)],
        "strides": list(strides),
        "offset": offset,
    }


def ask_event(event: ShapeEnvEvent, result: Any) -> dict[str, Any]:
    """A question with torch's answer."""
    _, expr, _, _, _, _, suppressed, fallback = [*(event.args or []), None][:8]
    if result.is_Boolean:
        answer = bool(result)
        return {"op": "ask", "pred": str(expr), "guarded": not suppressed, "fallback": fallback, "answer": answer}
    return {"op": "int", "expr": str(expr), "guarded": not suppressed, "answer": int(result)}


def compare(
    trace: Trace, recording: dict[str, Any], replayer: Path, rounds: int
) -> tuple[Figures, Figures, dict[str, Any]]:
    """Both in turns."""
    theirs, ours = Figures(), Figures()
    # A symbolic context keeps a table by the environment's address, so none may be reused.
    alive: list[ShapeEnv] = []
    report: dict[str, Any] = {}
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(recording, file)
        file.flush()
        for _ in range(rounds):
            torch_round(trace, theirs, alive)
            run = subprocess.run([replayer, file.name, "200"], check=True, capture_output=True)
            report = json.loads(run.stdout)
            ours.replay.append(statistics.median(report["replay_ns"]) / 1e9)
            ours.guards.append(statistics.median(report["guards_ns"]) / 1e9)
    ours.kept = {part for guard in report["guards"] for part in conjuncts(guard)}
    return theirs, ours, report


def torch_round(trace: Trace, figures: Figures, alive: list[ShapeEnv]) -> None:
    """One replay in torch, and its guards."""

    def replay() -> ShapeEnv:
        env = fresh_env(trace)
        for event in trace.events:
            call(event, env)
        return env

    gc.collect()
    gc.disable()
    seconds, env = timed(replay)
    figures.replay.append(seconds)
    alive.append(env)
    fakes = [moved(env, fake) for fake in trace.fakes]
    seconds, kept = timed(
        lambda: env.produce_guards(fakes, trace.sources, input_contexts=trace.contexts, ignore_static=True)
    )
    figures.guards.append(seconds)
    gc.enable()
    figures.kept = {part for guard in kept for part in conjuncts(guard)}


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds, and what came of it."""
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def moved(env: ShapeEnv, fake: Any) -> Any:
    """A fake input with symbols of another environment."""

    def one(value: Any) -> Any:
        return torch.SymInt(value.node.with_shape_env(env)) if isinstance(value, torch.SymInt) else value

    if not isinstance(fake, FakeTensorMeta):
        return one(fake)
    sizes, strides = tuple(map(one, fake.size())), tuple(map(one, fake.stride()))
    return FakeTensorMeta(sizes, strides, one(fake.storage_offset()), fake.is_nested)


def conjuncts(guard: str) -> list[str]:
    """Both bounds of a range apart, as either side may write them."""
    parts = []
    for part in guard.split(" and "):
        match part.split(" <= "):
            case [low, middle, high]:
                parts += [f"{low} <= {middle}", f"{middle} <= {high}"]
            case _:
                parts.append(part)
    return parts


def row(name: str, recording: dict[str, Any], theirs: Figures, ours: Figures) -> list[str]:
    """A line of the table, in microseconds."""
    asked = sum(event["op"] != "tensor" for event in recording["events"])
    tensors = len(recording["events"]) - asked
    times = [theirs.total(), ours.total(), *map(statistics.median, (theirs.guards, ours.guards))]
    micro = [f"{seconds * 1e6:,.0f}" for seconds in times]
    ratio = f"{theirs.total() / ours.total():,.0f}"
    return [name, str(tensors), str(asked), micro[0], micro[1], ratio, micro[2], micro[3]]


def differences(name: str, theirs: Figures, ours: Figures, report: dict[str, Any]) -> list[str]:
    """The differences between the two in words, or a note that there are none."""
    notes = [f"{name}: torch answers differently: {text}" for text in report["answers_differ"]]
    notes += [f"{name}: torch alone guards `{text}`" for text in sorted(theirs.kept - ours.kept)]
    notes += [f"{name}: ours alone guards `{text}`" for text in sorted(ours.kept - theirs.kept)]
    return notes or [f"{name}: the same answers; both guard {', '.join(f'`{text}`' for text in sorted(ours.kept))}"]


def chapter(rows: list[list[str]], notes: list[str], check_ns: float, run: str) -> str:
    """The text for the results page."""
    header = ["model", "inputs", "questions", "torch, µs", "ours, µs", "torch / ours", "torch's guards, µs", "ours, µs"]
    agreement = "\n".join(f"- {note}" for note in notes)
    return f"""# Symbolic shapes

`./x bench symshapes` on {machine.description()}.

{METHOD} Medians of {run}

{table(header, rows)}

{agreement}

Checking BERT's guards with two dynamic dimensions: {check_ns:.1f} ns.
"""


if __name__ == "__main__":
    sys.exit(main())
