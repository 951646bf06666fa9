"""Graphs that torch's Dynamo captured, captured once more by ours: from there on there is one way for all.

The code of such a graph is a program that does little but call torch; its parameters are arguments, too. Our Dynamo
captures it at the first call, with symbols for the sizes that were symbols for torch's. What it assumes beyond that is
guarded there. Graphs with operators that call graphs, or with numbers read from tensors, go through AOTAutograd.
"""

from __future__ import annotations

import linecache
import types
import weakref
from typing import TYPE_CHECKING, Any

import torch
from torch._ops import HigherOrderOperator
from torch.fx._lazy_graph_module import _LazyGraphModule

from rust_inductor import _modes, _native
from rust_inductor._backends import resolve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

#: Methods that give numbers for tensors.
_READS = ("item", "tolist", "numpy")


def recapture(
    gm: torch.fx.GraphModule,
    example_inputs: Sequence[Any],
    *,
    options: Mapping[str, Any] | None = None,
    mode: str | None = None,
) -> Callable[..., Any]:
    """Compile a graph that torch's Dynamo captured."""
    options = _modes.options(mode, options)
    _native.check_options(options)
    because = next(filter(None, map(_obstacle, gm.graph.nodes)), None)
    if because is not None:
        from rust_inductor import _aot

        return _aot.compile_module(gm, example_inputs, options=options, because=because)
    compiler = _WithParameters(resolve("rust_inductor", options))
    symbolic = list(_symbolic(gm, example_inputs))
    dynamo = _native.Dynamo(compiler, symbolic=symbolic, caches=bool(options.get("cache", True)))
    compiled: Callable[..., Any] = dynamo.wrap(_function(gm))
    return compiled


class _WithParameters:
    """Our own compiler for graphs whose parameters are inputs like others."""

    def __init__(self, own: Any) -> None:
        self.own = own
        self.through, self.is_blamed = own.through, own.is_blamed

    def __call__(self, graph: Any, inputs: Sequence[Any], lowered: Any, weights: Sequence[int]) -> Any:
        parameters = [at for at, x in enumerate(inputs) if isinstance(x, torch.nn.Parameter)]
        return self.own(graph, inputs, lowered, sorted({*weights, *parameters}))


def _obstacle(node: torch.fx.Node) -> str | None:
    """Name the part of a node at which our Dynamo would end the graph, if there is one."""
    if isinstance(node.target, HigherOrderOperator) and not _is_plain_checkpoint(node):
        return f"`{node.target}`, which calls graphs"
    if node.op == "call_method" and node.target in _READS:
        return f"`{node.target}`, which reads what a tensor holds"
    return f"the module `{node.target}`" if node.op == "call_module" else None


def _is_plain_checkpoint(node: torch.fx.Node) -> bool:
    """Whether a call is checkpointed, and the program does not choose what is saved."""
    body = node.args[0] if node.args else None
    if node.target is not torch.ops.higher_order.tag_activation_checkpoint or not isinstance(body, torch.fx.Node):
        return False
    module = getattr(node.graph.owning_module, str(body.target), None)
    return isinstance(module, torch.fx.GraphModule) and "_checkpoint_context_fn" not in module.meta


def _symbolic(gm: torch.fx.GraphModule, example_inputs: Sequence[Any]) -> Iterator[str]:
    """The inputs and sizes of inputs that are symbols, as our Dynamo prints where they come from."""
    placeholders = gm.graph.find_nodes(op="placeholder")
    for node, example in zip(placeholders, example_inputs, strict=False):
        source = f"L[{node.target!r}]"
        if isinstance(example, torch.SymInt):
            yield source
        elif isinstance(example, torch.Tensor):
            sizes = enumerate(example.shape)
            yield from (f"{source}.size()[{dim}]" for dim, size in sizes if isinstance(size, torch.SymInt))


def _function(gm: torch.fx.GraphModule) -> Callable[..., Any]:
    """The code of a graph as a function of a program."""
    if isinstance(gm, _LazyGraphModule):
        gm.real_recompile()
    forward: Any = type(gm).forward
    # Frames of the files that torch names so are other compilers'.
    file = forward.__code__.co_filename.replace("eval_with_key", "torch's capture ")
    weakref.finalize(gm, linecache.cache.pop, file, None).atexit = False
    linecache.cache[file] = (len(gm.code), None, gm.code.splitlines(keepends=True), file)
    code = forward.__code__.replace(co_filename=file)
    return types.MethodType(types.FunctionType(code, forward.__globals__, "forward"), gm)
