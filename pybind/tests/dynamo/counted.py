"""Compiled functions whose captures are looked at."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from rust_inductor import _capture


class Operators:
    """Runs graphs as they are, and counts their operators but for those that set the mode of autograd."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, gm: torch.fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
        called = [node for node in gm.graph.nodes if node.op.startswith("call")]
        self.count += sum(node.target is not torch._C._set_grad_enabled for node in called)
        return gm.forward


def check_one_graph(function: Callable[[Any], Any]) -> None:
    """Checks that a function of a tensor gives what plain Python gives, in one graph and without a break anywhere."""
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(function, backend="eager", listener=log.append)
    for x in (torch.arange(3.0), torch.ones(3)):
        assert repr(compiled(x)) == repr(function(x))
    # Methods that run where containers are built are captured apart.
    assert sum(event["original"] is function.__code__ for event in log) == 1
    assert {event["break_reason"] for event in log} == {None}
