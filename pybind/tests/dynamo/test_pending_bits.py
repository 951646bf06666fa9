"""Tensors that are the conjugates or the negatives of their memory: who asks is told what eager tells."""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch.utils import _pytree

import rust_inductor
from rust_inductor import _aot, _backends, _capture

if TYPE_CHECKING:
    from collections.abc import Callable


def c(*sizes: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(0)
    return torch.randn(*sizes, dtype=torch.complex64, generator=generator)


def conjugate(x: Any) -> Any:
    y = x.conj()
    return y, y.is_conj()


def conjugate_of_a_result(x: Any) -> Any:
    y = (x * 2).conj()
    return y, y.is_conj(), torch.is_conj(x), y.is_neg()


def twice(x: Any) -> Any:
    y = (x * 2).conj().conj()
    return y, y.is_conj()


def resolved(x: Any) -> Any:
    y = (x * 2).conj()
    z = y.resolve_conj()
    return y, z, z.is_conj(), y.is_conj()


def views(x: Any) -> Any:
    y = (x * 2).conj()
    return y[0], y.t(), y.view(-1).is_conj(), [row.is_conj() for row in y.unbind()]


def with_its_memory(x: Any) -> Any:
    y = x * 2
    return y, y.conj(), y.t().conj()


def in_place(x: Any) -> Any:
    y = (x * 2).conj()
    y.mul_(2j)
    return y, y.is_conj()


def in_place_of_the_input(x: Any) -> Any:
    y = x.conj()
    y.mul_(2j)
    return x, y


def negatives(x: Any) -> Any:
    return x.conj().imag, (x * 2).conj().imag, (x * 2).conj().real


def computed(x: Any) -> Any:
    y = x.conj()
    return (y * 2).is_conj(), (y + 1).is_conj(), y - 1, y.clone(), torch.mm(y, x).is_conj(), torch.cat([y, y]).is_conj()


def branch(x: Any) -> Any:
    y = (x * 2).conj()
    return y + 1 if y.is_conj() else y - 1


def adjoint(x: Any) -> Any:
    return x.mH, x.H, x.mH.is_conj(), x.mH.mH.is_conj(), torch.adjoint(x * 2)


def of_real_numbers(x: Any) -> Any:
    y = x.real.clone().conj()
    return y, y.is_conj(), torch.conj_physical(x), torch.conj_physical(x).is_conj()


def of_libraries(x: Any) -> Any:
    return torch.svd(x)[2], torch.fft.ihfft(x.real.contiguous()), torch.vdot(x[0], x[1])


def negative_memory(x: Any) -> Any:
    y = x.real.contiguous()
    return torch._neg_view(y), torch._neg_view(y).resolve_neg(), torch._neg_view(y * 2), torch._neg_view(y).clone()


PROGRAMS = [
    conjugate,
    conjugate_of_a_result,
    twice,
    resolved,
    views,
    with_its_memory,
    in_place,
    in_place_of_the_input,
    negatives,
    computed,
    branch,
    adjoint,
    of_real_numbers,
    of_libraries,
    negative_memory,
]


def told(value: Any) -> Any:
    """The bits, strides and numbers of all tensors."""

    def one(leaf: Any) -> Any:
        if not isinstance(leaf, torch.Tensor):
            return leaf
        numbers = leaf.detach().resolve_conj().resolve_neg()
        return leaf.is_conj(), leaf.is_neg(), leaf.stride(), leaf.requires_grad, numbers.clone()

    return [one(leaf) for leaf in _pytree.tree_leaves(value)]


@pytest.mark.parametrize("backend", ["eager", "rust_inductor"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_bits_are_eagers(program: Callable[..., Any], backend: str) -> None:
    rust_inductor.reset()
    events: list[dict[str, Any]] = []
    compiled = _capture.optimize(program, backend, listener=events.append)
    for make in (c(3, 3), c(3, 3).clone()):
        ours, theirs = make.clone(), make.clone()
        torch.testing.assert_close(told((compiled(ours), ours)), told((program(theirs), theirs)))
    assert len(events) == 1
    assert events[0]["break_reason"] is None


@pytest.mark.parametrize("program", [conjugate, conjugate_of_a_result, twice, resolved, computed, adjoint])
def test_gradients_of_conjugates(program: Callable[..., Any]) -> None:
    rust_inductor.reset()
    given = [c(3, 3).requires_grad_() for _ in range(2)]
    for function, x in zip((rust_inductor.compile(program), program), given, strict=True):
        tensors = [leaf for leaf in _pytree.tree_leaves(function(x)) if isinstance(leaf, torch.Tensor)]
        sum((leaf * (1 + 2j)).real.pow(2).sum() for leaf in tensors).backward()  # type: ignore[union-attr]
    assert all(x.grad is not None for x in given)
    torch.testing.assert_close(given[0].grad, given[1].grad)


def test_a_result_may_be_written_to() -> None:
    def of(x: torch.Tensor) -> torch.Tensor:
        return (x * 2).conj()

    given = [c(3).requires_grad_() for _ in range(2)]
    for function, x in zip((rust_inductor.compile(of), of), given, strict=True):
        y = function(x)
        y.mul_(3)
        assert y.is_conj()
        (y.real * y.imag).sum().backward()
    torch.testing.assert_close(given[0].grad, given[1].grad)


def test_inputs_with_bits_are_told_apart() -> None:
    def of(x: torch.Tensor) -> Any:
        y = x + 1
        return y, x.is_conj(), x.is_neg(), x.conj(), x[:2]

    rust_inductor.reset()
    events: list[dict[str, Any]] = []
    compiled = _capture.optimize(of, "rust_inductor", listener=events.append)
    for x in (c(3), c(3).conj(), torch._neg_view(c(3)), c(3).conj(), c(3)):
        torch.testing.assert_close(told(compiled(x)), told(of(x)))
    assert len(events) == 3
    assert all(event["break_reason"] is None for event in events)


@pytest.mark.parametrize("program", [conjugate_of_a_result, resolved, in_place, negatives, adjoint])
def test_sizes_may_differ(program: Callable[..., Any]) -> None:
    rust_inductor.reset()
    compiled = rust_inductor.compile(program, dynamic=True)
    for size in (3, 4, 5):
        torch.testing.assert_close(told(compiled(c(size, size))), told(program(c(size, size))))


def test_a_graph_is_told_of_once() -> None:
    rust_inductor.reset()
    explained = rust_inductor.explain(conjugate_of_a_result)(c(3))
    assert [graph.kind for graph in explained.graphs] == ["inference"]


@pytest.mark.parametrize("is_known", [True, False])
def test_a_graph_runs_as_it_is_where_nobody_can_tell(monkeypatch: pytest.MonkeyPatch, is_known: bool) -> None:
    def left(*_: Any) -> Any:
        raise _backends._LeftError("this test")

    def told(*args: Any) -> Any:
        asked.append(_aot_memory(*args) if is_known else None)
        return asked[-1]

    # Another graph each time: one that was compiled before is found.
    factor = 2 if is_known else 3

    def program(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return (x * factor).conj(), torch.nonzero(x.real > 0)

    asked: list[Any] = []
    _aot_memory = _aot._memory_as_outputs
    monkeypatch.setattr(_backends, "_in_rust", left)
    monkeypatch.setattr(_aot, "_memory_as_outputs", told)
    x = c(4)
    expected = program(x)
    compiled = rust_inductor.compile(program)
    for _ in range(2):
        got = compiled(x)
        assert got[0].is_conj()
        assert torch.equal(got[0], expected[0])
        assert torch.equal(got[1], expected[1])
    assert asked
    assert (asked[0] is not None) == is_known
