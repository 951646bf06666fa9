"""The backend for ``torch.compile``: AOTAutograd in front, the native compiler behind."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from torch._dynamo.backends.common import aot_autograd
from torch._functorch.partitioners import min_cut_rematerialization_partition
from torch._guards import TracingContext
from torch._logging._internal import getArtifactLogger

from rust_inductor import _native

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import torch

    Compiler = Callable[[torch.fx.GraphModule, Sequence[Any]], _native.CompiledFn]

# Beneath torch's own loggers, whose handlers print what TORCH_LOGS selects.
_output_code = getArtifactLogger("torch.rust_inductor", "output_code")


def compile_module(
    gm: torch.fx.GraphModule,
    example_inputs: Sequence[Any],
    *,
    options: Mapping[str, Any] | None = None,
    on_graph: Callable[[str, _native.CompiledFn], None] | None = None,
) -> Callable[..., Any]:
    """Compile a captured graph; ``on_graph`` is told of each ATen graph that comes of it."""
    _native.check_options(options)

    def compiler(kind: str) -> Compiler:
        def compile_aten(graph: torch.fx.GraphModule, _inputs: Sequence[Any]) -> _native.CompiledFn:
            compiled = _native.compile_graph(graph, options, **_roles(kind))
            # In the instance's own dict, since torch copies that to the wrappers that it puts around a backward graph.
            compiled._boxed_call = True
            if on_graph is not None:
                on_graph(kind, compiled)
            _log_code(kind, compiled)
            return compiled

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
    callable_: Callable[..., Any] = through_aot(gm, example_inputs)
    return callable_


def _roles(kind: str) -> dict[str, Any]:
    """Which inputs are parameters and buffers of a module, and from where on outputs are for backward alone.

    As far as torch says; it says nothing of a backward graph, but nobody else holds what that has saved.
    """
    if kind == "backward":
        return {"spends": True}
    context = TracingContext.try_get()
    known = context.fw_metadata if context is not None else None
    if known is None:
        return {}
    return {"weights": known.static_input_indices, "saved_from": known.num_forward if kind == "forward" else None}


def _log_code(kind: str, compiled: _native.CompiledFn) -> None:
    """Show each kernel under ``TORCH_LOGS=output_code``."""
    if not _output_code.isEnabledFor(logging.DEBUG):
        return
    for name, loop_ir, listing in compiled.kernels:
        _output_code.debug("%s graph, kernel %s\n%s\n%s", kind, name, loop_ir, listing)
