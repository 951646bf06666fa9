"""The kernels that attention may run in: what a function sets holds where it says so, in its graph and after it."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

from rust_inductor import _capture

if TYPE_CHECKING:
    from collections.abc import Iterator

FLASH, MATH = SDPBackend.FLASH_ATTENTION, SDPBackend.MATH
KERNELS = ("flash", "mem_efficient", "math", "cudnn", "overrideable")


BACKENDS = ["eager", "rust_inductor"]


def switches() -> tuple[list[bool], list[int]]:
    return [getattr(torch._C, f"_get_{kernel}_sdp_enabled")() for kernel in KERNELS], torch._C._get_sdp_priority_order()


def restore(before: tuple[list[bool], list[int]]) -> None:
    for kernel, enabled in zip(KERNELS, before[0], strict=True):
        getattr(torch._C, f"_set_sdp_use_{kernel}")(enabled)
    torch._C._set_sdp_priority_order(before[1])


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    before = switches()
    yield
    restore(before)


def tensors() -> list[Any]:
    torch.manual_seed(0)
    # The kernels lay out what they give in different ways.
    return [torch.randn(2, 4, 8, 16).transpose(1, 2) for _ in range(3)]


def outcome(function: Any, *args: Any) -> Any:
    try:
        result = function(*args)
    except (IndexError, RuntimeError, ValueError) as error:
        return type(error), switches()
    tensor = result[0] if isinstance(result, tuple) else result
    return tensor.stride(), tensor.tolist(), result[1:] if isinstance(result, tuple) else None, switches()


def check(function: Any, *args: Any, graphs: int = 1, breaks: int = 0, backend: str = "eager") -> list[dict[str, Any]]:
    """Checks results, their layout and the switches afterwards, and how many graphs there are."""
    log: list[dict[str, Any]] = []
    before = switches()
    compiled = _capture.optimize(function, backend, listener=log.append)
    for _ in range(2):
        expected = outcome(function, *args)
        restore(before)
        found = outcome(compiled, *args)
        restore(before)
        if backend == "rust_inductor":
            torch.testing.assert_close(torch.tensor(found[1]), torch.tensor(expected[1]))
            found, expected = (found[0], *found[2:]), (expected[0], *expected[2:])
        assert found == expected
    assert sum(event["graph"] is not None for event in log) == graphs
    assert sum(event["break_reason"] is not None for event in log) == breaks
    return log


@pytest.mark.parametrize("backends", [FLASH, MATH, [MATH], [FLASH, MATH], [SDPBackend.EFFICIENT_ATTENTION, MATH]])
def test_a_block_is_part_of_the_graph(backends: Any) -> None:
    def attends(query: Any, key: Any, value: Any) -> Any:
        query = query * 2
        with sdpa_kernel(backends):
            result = scaled_dot_product_attention(query, key, value)
        return result + 1

    check(attends, *tensors())


def test_members_are_read_within_the_function() -> None:
    def attends(query: Any, key: Any, value: Any) -> Any:
        with sdpa_kernel(SDPBackend.MATH):
            one = scaled_dot_product_attention(query, key, value)
            with sdpa_kernel([SDPBackend.FLASH_ATTENTION, SDPBackend.MATH]):
                other = scaled_dot_product_attention(query, key, value)
            last = scaled_dot_product_attention(query, key, value)
        free = scaled_dot_product_attention(query, key, value)
        return one, other.stride(), last.stride(), free.stride(), torch.backends.cuda.flash_sdp_enabled()

    check(attends, *tensors())


def test_the_switches_of_the_caller_are_guarded() -> None:
    def attends(query: Any, key: Any, value: Any) -> Any:
        with sdpa_kernel(MATH):
            one = scaled_dot_product_attention(query, key, value)
        return one, scaled_dot_product_attention(query, key, value).stride(), torch.backends.cuda.math_sdp_enabled()

    compiled = _capture.optimize(attends, "eager")
    for kernels in ([FLASH, MATH], [MATH], [FLASH], [FLASH, MATH]):
        with sdpa_kernel(kernels):
            assert outcome(compiled, *tensors()) == outcome(attends, *tensors())


def test_a_break_within_a_block() -> None:
    def attends(query: Any, key: Any, value: Any) -> Any:
        with sdpa_kernel(MATH):
            one = scaled_dot_product_attention(query, key, value)
            torch._dynamo.graph_break()
            seen = switches()
            other = scaled_dot_product_attention(one, key, value)
        return one, other.stride(), seen, scaled_dot_product_attention(query, key, value).stride()

    # A manager that a graph finds entered is left by the interpreter.
    check(attends, *tensors(), graphs=3, breaks=2)


def test_a_graph_that_fails_within_a_block() -> None:
    def picks(query: Any, key: Any, value: Any, at: Any) -> Any:
        with sdpa_kernel(MATH):
            return scaled_dot_product_attention(query, key, value).flatten()[at]

    compiled = _capture.optimize(picks, "eager")
    for at in (torch.tensor([3]), torch.tensor([1 << 20]), torch.tensor([4])):
        assert outcome(compiled, *tensors(), at) == outcome(picks, *tensors(), at)


def test_an_exception_within_a_block() -> None:
    def raises(query: Any, key: Any, value: Any) -> Any:
        with sdpa_kernel(MATH):
            if scaled_dot_product_attention(query, key, value).stride(0) != 1:
                message = "no"
                raise ValueError(message)

    compiled = _capture.optimize(raises, "eager")
    for _ in range(2):
        assert outcome(compiled, *tensors()) == outcome(raises, *tensors())


def test_switches_that_are_set_outlast_the_call() -> None:
    def sets(query: Any, key: Any, value: Any) -> Any:
        torch.backends.cuda.enable_flash_sdp(False)
        one = scaled_dot_product_attention(query, key, value)
        torch.backends.cuda.enable_mem_efficient_sdp(False)
        return one, torch.backends.cuda.flash_sdp_enabled(), torch.backends.cuda.mem_efficient_sdp_enabled()

    check(sets, *tensors())


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("kernels", [[FLASH, MATH], [MATH, FLASH], [MATH, MATH, FLASH], [MATH]])
def test_the_order_of_kernels(kernels: Any, backend: str) -> None:
    def attends(query: Any, key: Any, value: Any) -> Any:
        with sdpa_kernel(kernels, set_priority=True):
            result, order = scaled_dot_product_attention(query, key, value), torch._C._get_sdp_priority_order()
        # With some kernels switched off, the manager does not leave the order as it was.
        return result, order, torch._C._get_sdp_priority_order()

    check(attends, *tensors(), backend=backend)
    with sdpa_kernel([SDPBackend.CUDNN_ATTENTION, MATH]):
        check(attends, *tensors(), backend=backend)


def test_the_order_of_the_caller_is_guarded() -> None:
    def attends(query: Any, key: Any, value: Any) -> Any:
        with sdpa_kernel([MATH, FLASH], set_priority=True):
            return scaled_dot_product_attention(query, key, value), torch._C._get_sdp_priority_order()

    compiled = _capture.optimize(attends, "eager")
    for order in ([1, 2, 0, 3, 4], [4, 3, 2, 1, 0], [1, 2, 0, 3, 4]):
        torch._C._set_sdp_priority_order(order)
        assert outcome(compiled, *tensors()) == outcome(attends, *tensors())


def test_a_break_within_an_order() -> None:
    def attends(query: Any, key: Any, value: Any) -> Any:
        with sdpa_kernel([MATH, FLASH], set_priority=True):
            one = scaled_dot_product_attention(query, key, value)
            torch._dynamo.graph_break()
            seen = switches()
            other = scaled_dot_product_attention(one, key, value)
        return one, other.stride(), seen, switches()

    check(attends, *tensors(), graphs=2, breaks=2)


@pytest.mark.parametrize("order", [[0, 1], [0, 1, 2, 3, 3], [0, 1, 2, 3, 9], (4, 3, 2, 1, 0), [], "order"])
def test_what_is_no_order(order: Any) -> None:
    def sets(query: Any) -> Any:
        torch._C._set_sdp_priority_order(order)
        return query + 1

    def shown(function: Any) -> Any:
        try:
            return function(torch.ones(2)).tolist(), switches()
        except (RuntimeError, TypeError) as error:
            return str(error), switches()
        finally:
            restore(before)

    before = switches()
    assert shown(_capture.optimize(sets, "eager")) == shown(sets)


@pytest.mark.parametrize("backends", [(MATH,), "MATH", [3], []])
def test_what_names_no_kernel(backends: Any) -> None:
    def attends(query: Any, key: Any, value: Any) -> Any:
        with sdpa_kernel(backends):
            return scaled_dot_product_attention(query, key, value)

    def shown(function: Any) -> Any:
        try:
            return outcome(function, *tensors())
        except AssertionError as error:
            return str(error)

    assert shown(_capture.optimize(attends, "eager")) == shown(attends)


def test_a_decorated_function() -> None:
    @sdpa_kernel(MATH)
    def decorated(query: Any, key: Any, value: Any) -> Any:
        return scaled_dot_product_attention(query, key, value)

    def attends(query: Any, key: Any, value: Any) -> Any:
        return decorated(query, key, value) + 1, scaled_dot_product_attention(query, key, value).stride()

    check(attends, *tensors())


def trained(function: Any, *args: Any) -> Any:
    args = tuple(arg.detach().requires_grad_() for arg in args)
    result = function(*args)
    result.sum().backward()
    return result.detach(), [arg.grad for arg in args]


@pytest.mark.parametrize("backends", [FLASH, MATH, [MATH, FLASH]])
@pytest.mark.parametrize("ordered", [False, True])
def test_our_own_compiler(backends: Any, ordered: bool) -> None:
    def attends(query: Any, key: Any, value: Any) -> Any:
        with sdpa_kernel(backends, set_priority=ordered):
            return scaled_dot_product_attention(query * 2, key, value)

    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(attends, "rust_inductor", listener=log.append)
    torch.testing.assert_close(compiled(*tensors()), attends(*tensors()))
    assert outcome(compiled, *tensors())[0] == outcome(attends, *tensors())[0]
    torch.testing.assert_close(trained(compiled, *tensors()), trained(attends, *tensors()))
    # Tensors that require gradients have a graph of their own.
    assert [event["break_reason"] for event in log] == [None, None]


@pytest.mark.parametrize("backend", BACKENDS)
def test_no_kernel_for_the_operands(backend: str) -> None:
    def attends(query: Any, key: Any, value: Any) -> Any:
        with sdpa_kernel(SDPBackend.EFFICIENT_ATTENTION):
            return scaled_dot_product_attention(query, key, value)

    before = switches()
    compiled = _capture.optimize(attends, backend)
    for _ in range(2):
        for function in (compiled, attends):
            with pytest.raises(RuntimeError, match="No viable backend"):
                function(*tensors())
            assert switches() == before


def test_a_compiler_that_fails_within_a_block() -> None:
    def attends(query: Any, key: Any, value: Any) -> Any:
        with sdpa_kernel([MATH, FLASH], set_priority=True):
            return scaled_dot_product_attention(query, key, value)

    def fails(gm: Any, inputs: Any) -> Any:
        assert gm is not None
        torch._C._set_sdp_use_flash(False)
        torch._C._set_sdp_priority_order([4, 3, 2, 1, 0])
        message = "no"
        raise RuntimeError(message)

    before = switches()
    with pytest.raises(Exception, match="no"):
        _capture.optimize(attends, fails)(*tensors())
    assert switches() == before


ENTERED: list[str] = []


@contextlib.contextmanager
def noted(name: str, *, swallows: bool = False) -> Iterator[None]:
    ENTERED.append(f"enter {name}")
    try:
        yield
    except ValueError:
        ENTERED.append(f"failed {name}")
        if not swallows:
            raise
    else:
        ENTERED.append(f"left {name}")


@noted("one")
@noted("other")
def decorated_twice(x: Any, y: float = 2.0) -> Any:
    ENTERED.append("within")
    return x * y


@noted("failing", swallows=True)
def fails(x: Any) -> Any:
    message = "no"
    if x.shape[0] == 3:
        raise ValueError(message)
    return x + 1


def test_functions_that_managers_of_generators_decorate() -> None:
    def calls(x: Any) -> Any:
        return decorated_twice(x + 1, y=3.0) + 1, list(ENTERED)

    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(calls, "eager", listener=log.append)
    for _ in range(2):
        results = []
        for function in (calls, compiled):
            ENTERED.clear()
            results.append(
                [part.tolist() if isinstance(part, torch.Tensor) else part for part in function(torch.ones(3))]
            )
        assert results[0] == results[1]
    assert [event["break_reason"] for event in log] == [None]


def test_exceptions_of_decorated_functions_come_to_their_generators() -> None:
    def calls(x: Any) -> Any:
        return fails(x * 2), x + 1

    compiled = _capture.optimize(calls, "eager")
    for size in (2, 3, 2):
        results = []
        for function in (calls, compiled):
            ENTERED.clear()
            results.append((repr(function(torch.ones(size))), list(ENTERED)))
        assert results[0] == results[1]
