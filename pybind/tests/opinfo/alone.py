"""The compiler without capture: a function is traced by AOTAutograd alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch.utils import _pytree

from rust_inductor import _aot

if TYPE_CHECKING:
    from collections.abc import Callable

    from rust_inductor import _native


def alone(function: Callable[..., Any], graphs: list[_native.CompiledFn], device: str) -> Callable[..., Any]:
    """The function compiled for the arguments that it is called with; `graphs` gets what comes of it."""

    def call(value: Any, args: Any, kwargs: Any) -> Any:
        leaves, tree = _pytree.tree_flatten((value, args, kwargs))
        places = [at for at, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]
        module: Any = _Module(function, leaves, tree, places)
        tensors = [leaves[at] for at in places]
        options = {"device": device}
        compiled = _aot.compile_module(module, tensors, options=options, on_graph=lambda _, graph: graphs.append(graph))
        results = iter(compiled(*tensors))
        filled = [next(results) if isinstance(leaf, _Hole) else leaf for leaf in module.leaves]
        return _pytree.tree_unflatten(filled, module.tree)

    return call


class _Hole:
    """A place in a result that a tensor fills."""


class _Module(torch.nn.Module):
    """A function of tensors, as AOTAutograd takes it."""

    def __init__(self, function: Callable[..., Any], leaves: list[Any], tree: Any, places: list[int]) -> None:
        super().__init__()
        self.function, self.inputs, self.input_tree, self.places = function, leaves, tree, places
        self.leaves: list[Any] = []
        self.tree: Any = None

    def forward(self, *tensors: Any) -> tuple[Any, ...]:
        inputs = list(self.inputs)
        for at, tensor in zip(self.places, tensors):
            inputs[at] = tensor
        value, args, kwargs = _pytree.tree_unflatten(inputs, self.input_tree)
        leaves, self.tree = _pytree.tree_flatten(self.function(value, *args, **kwargs))
        self.leaves = [_Hole() if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]
        return tuple(leaf for leaf in leaves if isinstance(leaf, torch.Tensor))
