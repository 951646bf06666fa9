"""The backend for ``torch.compile``: AOTAutograd in front, the native compiler behind."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch
from torch._dynamo.backends.common import aot_autograd
from torch._functorch._aot_autograd import runtime_wrappers
from torch._functorch.partitioners import min_cut_rematerialization_partition
from torch._guards import TracingContext, detect_fake_mode
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.fx.experimental.symbolic_shapes import ShapeEnv

from rust_inductor import _log_code, _native

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    Compiler = Callable[[torch.fx.GraphModule, Sequence[Any]], Callable[..., Any]]


def compile_module(
    gm: torch.fx.GraphModule,
    example_inputs: Sequence[Any],
    *,
    options: Mapping[str, Any] | None = None,
    on_graph: Callable[[str, _native.CompiledFn], None] | None = None,
    weights: Sequence[int] = (),
    because: str | None = None,
) -> Callable[..., Any]:
    """Compile a captured graph; ``on_graph`` is told of each ATen graph that comes of it.

    ``weights`` are the inputs, by number, that are parameters and buffers, where no tracing context tells of them;
    ``because`` is why the graph was not compiled in Rust alone.
    """
    _native.check_options(options)
    untold: list[tuple[str, _native.CompiledFn]] = []
    is_final = False

    def tell(kind: str, compiled: _native.CompiledFn) -> None:
        if not is_final:
            untold.append((kind, compiled))
            return
        if on_graph is not None:
            on_graph(kind, compiled)
        _log_code.log(kind, compiled)

    callable_, is_pending = _compiled(gm, example_inputs, options, tell, weights, because)
    pending = _memory_as_outputs(gm, example_inputs) if is_pending else []
    if pending is None:
        return gm.forward
    if pending:
        untold.clear()
        callable_ = _with_bits(_compiled(gm, example_inputs, options, tell, weights, because)[0], pending)
    is_final = True
    for kind, compiled in untold:
        tell(kind, compiled)
    return callable_


def _compiled(
    gm: torch.fx.GraphModule,
    example_inputs: Sequence[Any],
    options: Mapping[str, Any] | None,
    tell: Callable[[str, _native.CompiledFn], None],
    weights: Sequence[int],
    because: str | None,
) -> tuple[Callable[..., Any], bool]:
    """Compile a graph; tell whether tensors in it are read by the conjugate or the negative bit, which kernels lose."""
    has_custom_operators = is_pending = False

    def compiler(kind: str) -> Compiler:
        def compile_aten(graph: torch.fx.GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
            nonlocal has_custom_operators, is_pending
            is_pending |= any(_is_read_by_bits(node.meta.get("val")) for node in graph.graph.nodes)
            has_custom_operators |= any(_is_custom(node.target) for node in graph.graph.nodes)
            known = weights if len(inputs) == len(example_inputs) else ()
            compiled = _native.compile_graph(graph, options, **_roles(kind, known))
            # In the instance's own dict, since torch copies that to the wrappers that it puts around a backward graph.
            compiled._boxed_call = True
            compiled.remarks = ["by way of AOTAutograd" + (f": {because}" if because else "")]
            tell(kind, compiled)
            written = _written(graph.graph)
            return _uncounted(compiled, written) if written else compiled

        return compile_aten

    through_aot = aot_autograd(
        fw_compiler=compiler("forward"),
        bw_compiler=compiler("backward"),
        inference_compiler=compiler("inference"),
        partition_fn=min_cut_rematerialization_partition,
        decompositions={},
        # The processor's kernels write into the program's tensors; a device has copies of them.
        keep_inference_input_mutations=(options or {}).get("device", "cpu") == "cpu",
    )
    with _FIRST_CALLS.noting() as first_calls:
        callable_: Callable[..., Any] = through_aot(gm, example_inputs)
    if not has_custom_operators:
        for first_call in first_calls:
            first_call._is_first = False
    return callable_, is_pending


def _is_read_by_bits(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and (value.is_conj() or value.is_neg())


def _memory_as_outputs(gm: torch.fx.GraphModule, inputs: Sequence[Any]) -> list[tuple[int, bool, bool]] | None:
    """Let a captured graph give the memory of results that are conjugates or negatives of theirs.

    Give their numbers, and which bits each is read by; ``None`` where tensors without data cannot tell, and the graph
    has to run as it is.
    """
    mode = detect_fake_mode(inputs) or FakeTensorMode(shape_env=ShapeEnv())
    is_real = [isinstance(x, torch.Tensor) and not isinstance(x, FakeTensor) for x in inputs]
    fakes = [mode.from_tensor(x) if real else x for x, real in zip(inputs, is_real, strict=True)]
    try:
        with mode, torch.no_grad():
            results = torch.fx.Interpreter(gm).run(*fakes)
    except Exception:  # whatever an operator raises that has no rule for tensors without data
        return None
    output = gm.graph.output_node()
    nodes = list(output.args[0])  # type: ignore[arg-type]
    found = [(at, x.is_conj(), x.is_neg()) for at, x in enumerate(results) if _is_read_by_bits(x)]
    with gm.graph.inserting_before(output):
        for at, is_conj, is_neg in found:
            for is_pending, name in ((is_conj, torch.conj), (is_neg, torch._neg_view)):
                nodes[at] = gm.graph.call_function(name, (nodes[at],)) if is_pending else nodes[at]
    output.args = (tuple(nodes),)
    gm.recompile()
    return found


def _with_bits(compiled: Callable[..., Any], pending: Sequence[tuple[int, bool, bool]]) -> Callable[..., Any]:
    """A call whose results of these numbers are read by the conjugate or the negative bit."""

    def run(*args: Any) -> tuple[Any, ...]:
        results = list(compiled(*args))
        for at, is_conj, is_neg in pending:
            results[at] = results[at].conj() if is_conj else results[at]
            results[at] = torch._neg_view(results[at]) if is_neg else results[at]
        return tuple(results)

    return run


def _written(graph: torch.fx.Graph) -> list[int]:
    """The inputs, by number, that a graph writes to."""
    inputs = {node: at for at, node in enumerate(graph.find_nodes(op="placeholder"))}
    writes = graph.find_nodes(op="call_function", target=torch.ops.aten.copy_.default)
    return sorted({inputs[node.args[0]] for node in writes if node.args[0] in inputs})


def _uncounted(compiled: _native.CompiledFn, written: Sequence[int]) -> Callable[..., Any]:
    """A call that counts no versions of these inputs, whoever writes to them: AOTAutograd counts one afterwards."""

    def run(args: list[Any]) -> Any:
        counted = [args[at] for at in written if not args[at].is_inference()]
        versions = [tensor._version for tensor in counted]
        results = compiled(args)
        torch._C._autograd._unsafe_set_version_counter(tuple(counted), tuple(versions))
        return results

    vars(run).update(vars(compiled))
    return run


class _FirstCalls(threading.local):
    """The objects that AOTAutograd has made, in this thread, to look at the first call of a compiled graph.

    It looks whether custom operators give what they were given, by a dispatch mode, under which some of PyTorch's own
    operators compute something else (``torch.linalg.pinv`` of complex numbers).
    """

    noted: list[Any] | None = None

    @contextmanager
    def noting(self) -> Iterator[list[Any]]:
        """Note what is made within."""
        self.noted, before = [], self.noted
        try:
            yield self.noted
        finally:
            self.noted = before

    def install(self) -> None:
        """Have what AOTAutograd makes noted from now on."""
        kind = getattr(runtime_wrappers, "_FirstInvocationContext", None)
        if kind is None:
            return
        initialise = kind.__init__

        def noting(made: Any) -> None:
            initialise(made)
            if self.noted is not None:
                self.noted.append(made)

        kind.__init__ = noting


_FIRST_CALLS = _FirstCalls()
_FIRST_CALLS.install()


def _is_custom(target: Any) -> bool:
    return isinstance(target, torch._ops.OpOverload) and not torch._library.utils.is_builtin(target)


def _roles(kind: str, weights: Sequence[int]) -> dict[str, Any]:
    """The inputs that are parameters and buffers of a module, and the first output that is for backward alone.

    As far as torch says, or who captured a graph without its context. Nothing is said of a backward graph, but nobody
    else holds what that has saved.
    """
    if kind == "backward":
        return {"spends": True}
    context = TracingContext.try_get()
    known = context.fw_metadata if context is not None else None
    if known is None:
        return {"weights": list(weights)} if kind == "inference" else {}
    return {"weights": known.static_input_indices, "saved_from": known.num_forward if kind == "forward" else None}
