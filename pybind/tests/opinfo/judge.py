"""One sample, compiled and as eager has it."""

from __future__ import annotations

import warnings
from dataclasses import asdict, dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

import torch
from torch.utils import _pytree

import rust_inductor
from pybind.tests.opinfo import compare
from pybind.tests.opinfo.alone import alone
from pybind.tests.opinfo.samples import Sample, samples

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rust_inductor import _native
    from rust_inductor._explain import Explanation

#: Ways to compute a sample, the better first. Native: kernels of ours alone. Extern: besides, the library's operators,
#: called from Rust on tensors of known sizes. Fallback: a call through Python, or something left to eager.
PLANS = ("native", "extern", "fallback")


@dataclass
class Verdict:
    """The results of an operator's samples."""

    name: str
    samples: int = 0
    #: The number of samples that came out right, or raise in both.
    equal: int = 0
    #: By what computed them.
    plans: dict[str, int] = field(default_factory=lambda: dict.fromkeys(PLANS, 0))
    #: The calls for which there is no rule, or that were not captured, and why.
    fallbacks: dict[str, str] = field(default_factory=dict)
    #: Number of the sample, `differs` or `raises`, and what is wrong.
    problems: list[tuple[int, str, str]] = field(default_factory=list)

    @property
    def plan(self) -> str:
        """The worst of what computed a sample."""
        return next((plan for plan in reversed(PLANS) if self.plans[plan]), "native")

    def as_dict(self) -> dict[str, Any]:
        """A dict that JSON can hold."""
        return asdict(self)


def judge(
    name: str,
    dtype: torch.dtype,
    *,
    grad: bool = False,
    kind: str = "plain",
    limit: int | None = None,
    device: str = "cpu",
) -> Verdict:
    """Every sample of an operator, or the first few; ``device`` is that of the options."""
    verdict = Verdict(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number, sample in enumerate(islice(samples(name, dtype, grad=grad, kind=kind), limit)):
            verdict.samples += 1
            problem = _judge_sample(sample, verdict, grad=grad, device=device)
            if problem is None:
                verdict.equal += 1
            else:
                verdict.problems.append((number, *problem))
    return verdict


def _judge_sample(sample: Sample, verdict: Verdict, *, grad: bool, device: str) -> tuple[str, str] | None:
    eager_sample, our_sample = sample.fresh(), sample.fresh()
    eager, eager_error = _run(eager_sample, sample.function, grad=grad)
    explain = rust_inductor.explain(_of(sample.function), dynamic=False, options={"device": device})
    kept: list[Explanation] = []

    def compiled(*call: Any) -> Any:
        explanation = explain(*call)
        kept.append(explanation)
        return explanation.result

    ours, our_error = _run(our_sample, compiled, grad=grad)
    if eager_error is not None:
        return None if our_error is not None else ("silent", f"eager raises {_text(eager_error)}")
    if our_error is not None:
        return "raises", _text(our_error)

    def exact() -> Any:
        wide, error = _run(sample.fresh().wide(), sample.function, grad=grad)
        if error is not None:
            raise error
        return wide

    def difference(ours: Any, eager: Any, our_sample: Sample) -> str | None:
        found = compare.results(ours, eager, exact, verdict.name) or compare.arguments(our_sample, eager_sample)
        return found or compare.sharing(ours, eager, our_sample, eager_sample)

    found = difference(ours, eager, our_sample)
    plan, fallbacks = _plan([graph.compiled for it in kept for graph in it.graphs])
    if (broken := _broken(kept)) is not None:
        # What our capture leaves to Python is given to the compiler all the same.
        our_sample = sample.fresh()
        graphs: list[_native.CompiledFn] = []
        ours, our_error = _run(our_sample, alone(sample.function, graphs, device), grad=grad)
        if our_error is None:
            # The classes of tuples are the capture's business.
            found = found or difference(_pytree.tree_leaves(ours), _pytree.tree_leaves(eager), our_sample)
            plan, fallbacks = _plan(graphs)
        else:
            plan, fallbacks = "fallback", {"capture": broken}
    verdict.plans[plan] += 1
    verdict.fallbacks.update(fallbacks)
    return None if found is None else ("differs", _one_line(found))


def _of(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function to be compiled, which calls the operator with its arguments."""

    def call(value: Any, args: Any, kwargs: Any) -> Any:
        return function(value, *args, **kwargs)

    return call


def _run(sample: Sample, function: Callable[..., Any], *, grad: bool) -> tuple[Any, Exception | None]:
    """The result, with the gradients of what can have some; or the error."""
    call = _of(function) if function is sample.function else function
    torch.manual_seed(0)
    try:
        result = call(sample.input, sample.args, sample.kwargs)
        return (_with_gradients(sample, result) if grad else result), None
    except Exception as error:  # whatever an operator raises
        return None, error


def _with_gradients(sample: Sample, result: Any) -> tuple[Any, Any]:
    leaves = [it for it in sample.tensors() if it.requires_grad]
    finished = _pytree.tree_leaves(sample.finish(result))
    outs = [it for it in finished if isinstance(it, torch.Tensor) and it.requires_grad]
    if not leaves or not outs:
        return result, ()
    directions = [_direction(it) for it in outs]
    gradients = torch.autograd.grad(outs, leaves, directions, allow_unused=True)
    # How a gradient lies in memory is nobody's promise.
    return result, tuple(None if it is None else it.clone(memory_format=torch.contiguous_format) for it in gradients)


def _direction(out: torch.Tensor) -> torch.Tensor:
    """A direction for the gradient of an output, the same for each run and dtype."""
    generator = torch.Generator().manual_seed(7)
    return torch.rand(out.shape, generator=generator, dtype=torch.float32).to(out.dtype) + 0.5


def _plan(graphs: Sequence[_native.CompiledFn]) -> tuple[str, dict[str, str]]:
    """By what a sample was computed, and what was called for want of a rule."""
    plan, fallbacks = "native", {}
    for compiled in graphs:
        if compiled.eager_because is not None:
            fallbacks["the graph"] = compiled.eager_because
        for target, why in compiled.calls:
            if why.startswith("extern"):
                plan = "extern"
            else:
                fallbacks[target] = why
    return ("fallback" if fallbacks else plan), fallbacks


def _broken(kept: Sequence[Explanation]) -> str | None:
    """The reason why our capture left something to Python."""
    for capture in (capture for explanation in kept for capture in explanation.captures):
        if capture.skipped is not None:
            return _one_line(capture.skipped)
        if capture.ended is not None:
            return _one_line(f"{capture.ended.what} {capture.ended.text}")
    return None


def _text(error: Exception) -> str:
    return f"{type(error).__name__}: {_one_line(str(error))}"


def _one_line(text: str) -> str:
    return " ".join(text.split())[:300]
