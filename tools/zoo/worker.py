"""Captures models of the zoo, each in a forked child, through our Dynamo or torch's; `./x zoo` starts this.

Both sides run behind one backend, which counts graphs and operators and runs each graph as it is. Right is what agrees
with the model as it is, called twice: outputs; in training also gradients, parameters and buffers after each step.
"""

from __future__ import annotations

import copy
import functools
import gc
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy
import torch

from tools import forks, pool, reasons
from tools.zoo import models
from tools.zoo.models import Subject

#: A call of a model, or a training step, and what of it is compared.
Step = Callable[[], list[torch.Tensor]]

RELATIVE, ABSOLUTE = 1e-4, 1e-5
TIMED = 30
LEARNING_RATE = 0.01


@dataclass
class Finding:
    """The result of capturing one model."""

    right: bool = False
    #: The difference, if it is not right.
    why: str = ""
    graphs: int = 0
    operators: int = 0
    breaks: int = 0
    skipped: int = 0
    #: The first call over the first call of a copy that is not captured.
    capture_seconds: float = 0.0
    #: The time of a later call where the graph gives at once what it last gave: guards and the code around it; of one
    #: graph alone, as what happens between several depends on what they give.
    call_us: float | None = None
    #: The reasons why graphs ended and frames were skipped, by how often.
    reasons: dict[str, int] = field(default_factory=dict)
    #: The classes that reasons name, and what of Python or torch they derive from.
    bases: dict[str, str] = field(default_factory=dict)


class Recorder:
    """Counts what a Dynamo does."""

    def __init__(self) -> None:
        self.graphs = 0
        self.operators = 0
        #: Whether graphs give what they last gave.
        self.replays = False

    def backend(self, graph: torch.fx.GraphModule, _inputs: Any) -> Callable[..., Any]:
        """Counts a graph and runs it as it is."""
        self.graphs += 1
        self.operators += sum(node.op.startswith("call") for node in graph.graph.nodes)
        forward: Callable[..., Any] = graph.forward
        results: Any = None

        def run(*arguments: Any) -> Any:
            nonlocal results
            if not self.replays:
                results = forward(*arguments)
            return results

        return run

    def compile(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, captured when it is called."""
        raise NotImplementedError

    def reasons(self) -> tuple[Counter[str], Counter[str]]:
        """The reasons why graphs ended, and why frames run as they are."""
        raise NotImplementedError


class Ours(Recorder):
    """Our own Dynamo."""

    def __init__(self) -> None:
        super().__init__()
        self.events: list[dict[str, Any]] = []

    def compile(self, function: Callable[..., Any]) -> Callable[..., Any]:
        from rust_inductor import _capture

        compiled: Callable[..., Any] = _capture.optimize(function, self.backend, listener=self.events.append)
        return compiled

    def reasons(self) -> tuple[Counter[str], Counter[str]]:
        ended = Counter(reason_text(event["break"]) for event in self.events if event.get("break"))
        skipped = Counter(f"skipped: {event['skipped']}" for event in self.events if event.get("skipped"))
        return ended, skipped


class Torch(Recorder):
    """torch's Dynamo."""

    def compile(self, function: Callable[..., Any]) -> Callable[..., Any]:
        compiled: Callable[..., Any] = torch.compile(function, backend=self.backend)
        return compiled

    def reasons(self) -> tuple[Counter[str], Counter[str]]:
        from torch._dynamo.utils import counters

        ended = Counter({text.strip().splitlines()[0]: count for text, count in counters["graph_break"].items()})
        missing = counters["frames"]["total"] - counters["frames"]["ok"]
        return ended, Counter({"skipped": missing}) if missing else Counter()


SIDES: dict[str, Callable[[], Recorder]] = {"ours": Ours, "torch": Torch}


def reason_text(reason: dict[str, str]) -> str:
    """A reason of ours in one line."""
    return f"{reason['code']} {reason['text']}"


def seed(number: int) -> None:
    """Seeds all that models draw from."""
    torch.manual_seed(number)
    numpy.random.seed(number)
    random.seed(number)


def judge(name: str, side: str, mode: str) -> dict[str, Any]:
    """Captures one model, in inference or training mode."""
    torch.set_num_threads(1)
    subject = models.build(name)
    subject.model.train(mode == "training")
    recorder, finding = SIDES[side](), Finding()
    plain, captured = prepare(subject, mode, None), prepare(subject, mode, recorder)
    # A first training step writes to memory that later ones have again (a quarter of a gigabyte of gradients for
    # AlexNet), and the first of a process loads what the libraries choose by shape: neither is time of a capture.
    prepare(subject, mode, None).step()
    # Nor is a collection of what building the model has left, nor are the copies of pages shared with the parent.
    gc.collect()
    forks.copy_pages()
    expected: list[list[torch.Tensor]] = []
    found: list[list[torch.Tensor]] = []
    for call in range(2):
        for prepared, kept in ((plain, expected), (captured, found)):
            seed(call)
            kept.append(prepared.step())
    finding.why = next(filter(None, map(difference, expected, found)), "")
    finding.right = not finding.why
    finding.graphs, finding.operators = recorder.graphs, recorder.operators
    ended, skipped = recorder.reasons()
    finding.breaks, finding.skipped = ended.total(), skipped.total()
    finding.reasons = dict((ended + skipped).most_common())
    finding.bases = reasons.bases_in(finding.reasons)
    finding.capture_seconds = max(captured.seconds[0] - plain.seconds[0], 0.0)
    if subject.method == "forward" and recorder.graphs == 1:
        finding.call_us = 1e6 * seconds_of_a_call(captured.call, recorder, mode)
    return asdict(finding)


@dataclass
class Prepared:
    """A copy of a model."""

    #: A call of it, with nothing around it.
    call: Callable[[], Any]
    #: A step, which gives the tensors that are compared.
    step: Step
    #: The time that each call in a step took.
    seconds: list[float]


def prepare(subject: Subject, mode: str, recorder: Recorder | None) -> Prepared:
    """A copy of the model, captured if there is a recorder, and what is done with it."""
    subject = copy.deepcopy(subject)
    model = subject.model
    call: Callable[..., Any] = getattr(model, subject.method) if subject.method != "forward" else model
    if recorder is not None and subject.method == "forward":
        call = recorder.compile(model)
    elif recorder is not None:
        model.forward = recorder.compile(model.forward)
    extra = subject.training if mode == "training" else {}
    called = functools.partial(call, *subject.arguments, **subject.keywords, **extra)
    seconds: list[float] = []

    def outputs() -> list[torch.Tensor]:
        start = time.perf_counter()
        found = called()
        seconds.append(time.perf_counter() - start)
        return tensors(found)

    if mode != "training":
        return Prepared(called, torch.no_grad()(outputs), seconds)
    optimizer = torch.optim.SGD(model.parameters(), LEARNING_RATE)

    def step() -> list[torch.Tensor]:
        optimizer.zero_grad()
        found = outputs()
        torch.autograd.backward(loss(found))
        gradients = [parameter.grad for parameter in model.parameters() if parameter.grad is not None]
        told = [tensor.detach().clone() for tensor in [*found, *gradients]]
        optimizer.step()
        return told + [tensor.detach().clone() for tensor in model.state_dict().values()]

    return Prepared(called, step, seconds)


def tensors(value: Any) -> list[torch.Tensor]:
    """The tensors of an output, in order."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [tensor for item in value for tensor in tensors(item)]
    return []


def loss(outputs: list[torch.Tensor]) -> torch.Tensor:
    """A number that every output with a gradient has a part in."""
    return torch.stack([tensor.square().mean() for tensor in outputs if tensor.requires_grad]).sum()


def difference(expected: list[torch.Tensor], found: list[torch.Tensor]) -> str:
    """The difference, in a line; empty if the tensors agree."""
    if len(expected) != len(found):
        return f"{len(found)} tensors instead of {len(expected)}"
    for place, (one, other) in enumerate(zip(expected, found)):
        try:
            torch.testing.assert_close(other, one, equal_nan=True, rtol=RELATIVE, atol=ABSOLUTE)
        except AssertionError as error:
            lines = [line for line in str(error).splitlines() if line]
            return f"tensor {place} of {len(expected)}: {'; '.join(lines[:3])}"
    return ""


def seconds_of_a_call(call: Callable[[], Any], recorder: Recorder, mode: str) -> float:
    """The seconds of a call without its graphs, the best of several: other work of the machine only adds."""
    times = []
    with torch.set_grad_enabled(mode == "training"):
        call()
        recorder.replays = True
        for _ in range(TIMED):
            start = time.perf_counter()
            call()
            times.append(time.perf_counter() - start)
    return min(times)


def answer(task: pool.Task) -> pool.Answer:
    """One model in a child of its own."""
    return asdict(forks.forked(judge, task["name"], task["side"], task["mode"], limit=task["limit"]))


def of_every_kind(x: torch.Tensor) -> torch.Tensor:
    """Computes on both sides of a break, and with NumPy: what a library loads for these, it loads once."""
    y = torch.nn.functional.relu(x).flatten() + 1
    torch._dynamo.graph_break()
    return y + torch.from_numpy(numpy.arange(2)).sum()


def warm_up() -> None:
    """Imports what is imported at a process's first capture, so that no model's time has it."""
    import timm  # noqa: F401
    import torch._dynamo
    import torchvision  # noqa: F401
    import transformers  # noqa: F401

    import rust_inductor

    torch.set_num_threads(1)
    for side in SIDES.values():
        compiled = side().compile(of_every_kind)
        for size in (3, 4):  # the second has a symbol for it, and with it what computes with symbols
            compiled(torch.ones(size, size + 1, requires_grad=True)).sum().backward()
    rust_inductor.reset()
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()


def main() -> int:
    """Answers, once the libraries are there."""
    warm_up()
    pool.serve(answer)
    return 0


if __name__ == "__main__":
    sys.exit(main())
