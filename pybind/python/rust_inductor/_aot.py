"""The backend for ``torch.compile``: AOTAutograd in front, the native compiler behind."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch
from torch._dynamo.backends.common import aot_autograd
from torch._functorch._aot_autograd import runtime_wrappers
from torch._functorch.partitioners import min_cut_rematerialization_partition
from torch._guards import TracingContext

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

    has_custom_operators = False

    def compiler(kind: str) -> Compiler:
        def compile_aten(graph: torch.fx.GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
            nonlocal has_custom_operators
            has_custom_operators |= any(_is_custom(node.target) for node in graph.graph.nodes)
            known = weights if len(inputs) == len(example_inputs) else ()
            compiled = _native.compile_graph(graph, options, **_roles(kind, known))
            # In the instance's own dict, since torch copies that to the wrappers that it puts around a backward graph.
            compiled._boxed_call = True
            compiled.remarks = ["by way of AOTAutograd" + (f": {because}" if because else "")]
            if on_graph is not None:
                on_graph(kind, compiled)
            _log_code.log(kind, compiled)
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
    return callable_


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
