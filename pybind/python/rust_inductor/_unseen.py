"""Graphs whose nodes get their metadata when somebody looks.

Most of what torch's Dynamo tells a backend of a graph (a fake tensor for each node, the lines of the program) is made
for nobody: many backends run the graph and do not look. So the nodes of a graph are hidden first: of a class that
differs from ``torch.fx.Node`` in one thing, that the first look at the metadata of any of them describes them all and
makes plain nodes of them.

Whoever sees a node's metadata sees a plain ``dict`` with all that belongs in it. What can be done to a graph without
looking at its metadata (nodes erased, moved, replaced, added) may be done before it is described; copies look.
"""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING, Any

import torch
from torch.utils._python_dispatch import _disable_current_modes

from rust_inductor import _native

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Describe = Callable[[list[torch.fx.Node]], None]

#: The attribute of a graph with what it hides.
_HIDDEN = "_rust_inductor_hidden"

#: The slot in which a node keeps its metadata, whatever its class.
_META: Any = vars(torch._C._NodeBase)["meta"]

#: The graph for which this thread writes Python code.
_written = threading.local()

#: Held while a graph is described, so that no other thread sees half of it.
_lock = threading.RLock()


class _Unseen(torch.fx.Node):
    """A node that nobody has looked at."""

    __slots__ = ()

    @property
    def meta(self) -> dict[str, Any]:
        """The metadata, of a plain node from now on."""
        if getattr(_written, "graph", None) is not self.graph:
            reveal(self.graph)
        metadata: dict[str, Any] = _META.__get__(self)
        return metadata

    @meta.setter
    def meta(self, value: dict[str, Any]) -> None:
        reveal(self.graph)
        self.meta = value

    @property
    def _dynamo_source(self) -> Any:
        """The source of an input."""
        reveal(self.graph)
        return self._dynamo_source

    def __reduce_ex__(self, protocol: Any) -> Any:
        reveal(self.graph)
        return self.__reduce_ex__(protocol)


class _Hidden:
    """The nodes that a graph hides, and the function that describes them."""

    def __init__(self, nodes: list[torch.fx.Node], describe: Describe) -> None:
        self.nodes = nodes
        self.describe = describe
        #: Fakes made in this mode are of another kind.
        self.inference = torch.is_inference_mode_enabled()

    def reveal(self) -> None:
        """Describe the nodes as they would have been when they were hidden, whatever the modes are now."""
        for node in self.nodes:
            object.__setattr__(node, "__class__", torch.fx.Node)
        with torch.inference_mode(self.inference), torch._C.DisableTorchFunction(), _disable_current_modes():
            self.describe(self.nodes)


def hide(graph: torch.fx.Graph, describe: Describe) -> None:
    """Let ``describe`` give the graph's nodes their metadata when somebody looks."""
    nodes = list(graph.nodes)
    setattr(graph, _HIDDEN, _Hidden(nodes, describe))
    for node in nodes:
        object.__setattr__(node, "__class__", _Unseen)


def reveal(graph: torch.fx.Graph) -> None:
    """Describe a graph's nodes now."""
    with _lock:
        hidden: _Hidden | None = vars(graph).pop(_HIDDEN, None)
        if hidden is not None:
            # Whoever looks may do so from within a call that is captured.
            _native.call_as_it_is(hidden.reveal)


@contextlib.contextmanager
def unlooked(graph: torch.fx.Graph) -> Iterator[None]:
    """Leave a graph hidden while this thread has Python code written for it, for which metadata says nothing."""
    _written.graph = graph
    try:
        yield
    finally:
        _written.graph = None
