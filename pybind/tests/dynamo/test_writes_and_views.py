"""Views, writes and results that share memory, where nothing is differentiated: compiled without AOTAutograd."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch
from torch.nn import functional

import rust_inductor
from rust_inductor._capture import optimize

FIRST = int(os.environ.get("RI_FUZZ_SEED", "0"))
PROGRAMS = int(os.environ.get("RI_FUZZ_WRITES", "150"))


def memory(tensors: Sequence[torch.Tensor]) -> list[list[bool]]:
    """For each tensor, those that are in its memory."""
    places = [tensor.untyped_storage().data_ptr() for tensor in tensors]
    return [[a == b for b in places] for a in places]


def check(function: Callable[..., Any], *inputs: torch.Tensor) -> None:
    """Compare with eager: values, layout, who shares memory with whom, and what became of the inputs."""
    twins = [[x.clone(memory_format=torch.preserve_format) for x in inputs] for _ in range(2)]
    compiled = rust_inductor.compile(function, fullgraph=True)
    runs = [call(*given) for call, given in zip((function, compiled), twins, strict=True)]
    expected, actual = ([run] if isinstance(run, torch.Tensor) else list(run) for run in runs)
    for a, b in zip(expected, actual, strict=True):
        assert (a.dtype, a.size(), a.stride()) == (b.dtype, b.size(), b.stride())
    torch.testing.assert_close(actual, expected, rtol=1e-5, atol=1e-5, equal_nan=True)
    torch.testing.assert_close(twins[1], twins[0], rtol=1e-5, atol=1e-5, equal_nan=True)
    assert memory(expected + twins[0]) == memory(actual + twins[1])
    assert [x._version for x in actual + twins[1]] == [x._version for x in expected + twins[0]]
    # What has been given is the caller's: a write to it is seen where eager shows it, and nowhere else.
    for tensors in (expected, actual):
        for number, tensor in enumerate(tensors):
            if tensor.dtype.is_floating_point and 0 not in tensor.stride():
                tensor.mul_(number + 2)
    torch.testing.assert_close(actual, expected, rtol=1e-5, atol=1e-5, equal_nan=True)
    torch.testing.assert_close(twins[1], twins[0], rtol=1e-5, atol=1e-5, equal_nan=True)


def halves(x: torch.Tensor) -> Any:
    y = x + 1
    a, b = y.chunk(2, 1)
    return a.t(), b


def rows_and_columns(x: torch.Tensor) -> torch.Tensor:
    y = x * 2
    y[1:3] = 0
    y[:, 0].add_(1)
    y.t()[2] = 7
    y[..., 1].copy_(torch.arange(4))
    return y


def through_a_flat_view(x: torch.Tensor) -> Any:
    y = x.relu()
    y.mul_(2)
    z = y.view(-1)
    z[3] = 5.0
    y.flatten().add_(1)
    return y + 1, z * 2


def masked(x: torch.Tensor) -> torch.Tensor:
    y = x.new_zeros(4, 6)
    y[:, ::2] = x[:, ::2]
    y[x > 0] = 1.0
    y[torch.arange(2)] = 3.0
    return y


def out(x: torch.Tensor) -> torch.Tensor:
    y = torch.empty(3, 6)
    torch.add(x[:3], 1, out=y)
    return y


def other_dtypes(x: torch.Tensor) -> Any:
    y, z = x.int(), x.half()
    y.add_(1)
    y *= 2
    z += x
    return y.float(), z


def part_of_a_split(x: torch.Tensor) -> torch.Tensor:
    y = x.sin()
    y.split([1, 2, 3], 1)[1].zero_()
    y.unbind(0)[-1].fill_(2)
    y.narrow(0, -3, 1).neg_()
    return y


def written_before_it_is_viewed(x: torch.Tensor) -> Any:
    y = x.exp()
    row = y[1]
    y.add_(1)
    return row, y.diagonal().sum()


def activations(x: torch.Tensor) -> torch.Tensor:
    y = functional.relu(x + 1, inplace=True)
    y = functional.hardtanh(y * 2, -1.0, 1.5, inplace=True)
    y = functional.dropout(y.reshape(8, 3), 0.5, training=False, inplace=True)
    return functional.silu(y - 1, inplace=True)


def given_back(x: torch.Tensor) -> Any:
    return x.t(), x + 1, x[1:, ::2]


def written_input(x: torch.Tensor) -> Any:
    x[0] = 2.0
    x.t().mul_(3)
    return x.t(), x.sum()


def swapped(x: torch.Tensor, y: torch.Tensor) -> Any:
    kept = x.clone()
    x.copy_(y)
    y.copy_(kept)
    return x[0], kept.t()


def as_another(x: torch.Tensor) -> Any:
    y = x + 1
    y.view_as(x.t().contiguous())[0] = 2.0
    return x[0, 0].flatten(), x.view_as(y), x.reshape_as(torch.empty(2, 12)), x[:1].expand_as(y), y.reshape_as(other=x)


def places(x: torch.Tensor) -> Any:
    y = x * 2
    z = y[1:].as_strided((3, 2), (6, 1), 7)
    z.add_(1)
    y[2].as_strided((2,), (3,)).mul_(3)
    y.add_(1)
    return z, y, x.as_strided((2, 2), (1, 7)), x[1:].as_strided((3,), (2,), 1) + 1


def other_elements(x: torch.Tensor) -> Any:
    y = x.sin()
    return torch.view_as_complex(x.view(4, 3, 2)), x[0].view(torch.int32), torch.view_as_complex(y.view(12, 2)).t(), y


def statistics(x: torch.Tensor) -> Any:
    mean, var = torch.zeros(6), torch.ones(6)
    y = torch.native_batch_norm(x, None, None, mean, var, True, 0.1, 1e-5)
    z = torch.ops.aten._native_batch_norm_legit(x, None, None, mean, var, True, 0.2, 1e-5)
    torch.ops.aten._native_batch_norm_legit(x, None, None, mean, var, False, 0.2, 1e-5)
    images = torch.stack([x, x + 1]).transpose(1, 2)
    return *y, *z, torch.instance_norm(images, mean, var, mean, var, True, 0.1, 1e-5, False), mean, var


def statistics_of_inputs(x: torch.Tensor, y: torch.Tensor) -> Any:
    images = torch.stack([x, x + 1]).transpose(1, 2)
    mean, var = y[0], y[1].abs_()
    return torch.instance_norm(images, mean, None, mean, var, True, 0.1, 1e-5, False)


def given_edges(x: torch.Tensor) -> Any:
    edges = torch.arange(-1.0, 2.0)
    counts, bins = torch.histogramdd(x[:, :2], (edges, x[0] * 0 + torch.arange(6)))
    other, made = torch.histogramdd(x[:, :2], 3)
    return counts, bins[0], other, made[1], bins[1]


def by_lists(x: torch.Tensor) -> Any:
    y = x + 1
    y[[0, 2]] = 3.0
    y[..., [1, -1]] *= 2
    y[[True, False, False, True]] = 5.0
    return y, x[[1, 2]], x[:, [0, 2, 0]], x[[0, 1], [1, 2]], x[([[0, 1], [2, 3]],)], x[[]], x.__getitem__([3])


def whole_and_view(x: torch.Tensor) -> Any:
    y = x + 1
    return y, y.view(2, 12), y


@pytest.mark.parametrize(
    "function",
    [
        halves,
        rows_and_columns,
        through_a_flat_view,
        masked,
        out,
        other_dtypes,
        part_of_a_split,
        written_before_it_is_viewed,
        activations,
        given_back,
        written_input,
        swapped,
        as_another,
        by_lists,
        given_edges,
        other_elements,
        places,
        statistics,
        statistics_of_inputs,
        whole_and_view,
    ],
)
def test_writes_and_views_are_as_eager_shows_them(function: Callable[..., Any], through_aot: list[Any]) -> None:
    check(function, *(torch.randn(4, 6) for _ in range(function.__code__.co_argcount)))
    assert not through_aot


@pytest.mark.parametrize(
    "function",
    [
        lambda c: c.conj(),
        lambda c: (c.conj().t(), c + 1),
        lambda c: c.mH,
        lambda c: c.H @ c + 1,
        lambda c: (c.conj().imag, c.real + 1),
        lambda c: torch.einsum("ij,kj->ik", c, c.conj()),
        lambda c: c.real.mH + 1,
    ],
)
def test_conjugates_are_conjugated(function: Callable[..., Any]) -> None:
    c = torch.randn(4, 6, dtype=torch.complex64)
    expected, actual = function(c), rust_inductor.compile(function)(c)
    torch.testing.assert_close(actual, expected)


def test_a_write_counts_as_one_version() -> None:
    for function in (lambda x: x.mul_(2), lambda x: x[1:].mul_(2).t(), lambda x: x.t().add_(1).sum()):
        x = torch.ones(4, 6)
        rust_inductor.compile(function)(x)
        assert x._version == 1


@pytest.mark.parametrize("dynamo", ["rust", "torch"])
@pytest.mark.parametrize(
    "make",
    [
        lambda: torch.randn(4, 6).t(),
        lambda: torch.randn(4, 6)[:, ::2],
        lambda: torch.randn(4, 6)[1:, 1:],
        lambda: torch.randn(2, 3, 4, 4).to(memory_format=torch.channels_last)[:, :2],
    ],
    ids=["transposed", "gaps", "offset", "channels_last"],
)
def test_a_write_to_a_strided_input_counts_as_one_version(make: Callable[[], torch.Tensor], dynamo: str) -> None:
    for write in (lambda x: x.mul_(2), lambda x: x[0].add_(1), lambda x: x.__setitem__(0, 1)):
        compiled = torch.compile(
            lambda x, write=write: (x.sin(), write(x))[0], backend="rust_inductor", options={"dynamo": dynamo}
        )
        for _ in range(2):
            x = make()
            version, expected = x._version, x.sin()
            torch.testing.assert_close(compiled(x), expected)
            assert x._version == version + 1


def test_inputs_that_share_memory_are_another_graph(through_aot: list[Any]) -> None:
    def both(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        x.mul_(2)
        return y + x

    for records in (True, False):
        graphs: list[Any] = []
        compiled = optimize(both, fullgraph=True, on_graph=lambda _, graph: graphs.append(graph))  # noqa: B023
        for shared in (False, True, False, True):
            x = torch.ones(4)
            with torch.set_grad_enabled(records):
                result = compiled(x, x[:] if shared else torch.ones(4))
            torch.testing.assert_close(result, torch.full((4,), 4.0 if shared else 3.0))
        # While autograd records, that one runs as it is.
        assert len(through_aot) == (0 if records else 1)
        assert [graph.eager_because is not None for graph in graphs] == [False, records]


@pytest.mark.parametrize(
    "function",
    [
        lambda x: functional.normalize(x, dim=-1) + 1,
        lambda x: torch.einsum("ij,kj->ik", x, x) * 2,
        lambda x: torch.einsum("ij->ji", x),
        lambda x: functional.interpolate(x[None, None], size=(8, 3), mode="bilinear", align_corners=False),
        lambda x: functional.cosine_similarity(x, x + 1),
        lambda x: torch.meshgrid(x[0], x[:, 1], indexing="ij")[1] + 1,
        lambda x: functional.pad(x, (1, 2)) + functional.pad(x[None], (1, 2), mode="reflect")[0],
        lambda x: torch.atleast_3d(x) + 1,
        lambda x: x[..., [-2]] * x[[1]],
        lambda x: torch.tensor([]).sum() + x,
        lambda x: x.to("cpu") + torch.ops.aten.slice(x, 0, 1, 2),
    ],
)
def test_composite_operators_are_taken_apart(function: Callable[..., Any], through_aot: list[Any]) -> None:
    check(function, torch.randn(4, 6))
    assert not through_aot


def program(seed: int) -> tuple[str, int]:
    """Write a function of views, writes and arithmetic; and how many inputs it has."""
    draw = random.Random(seed)
    inputs = draw.choice([1, 1, 2])
    known: list[tuple[str, tuple[int, ...]]] = [(f"x{i}", (4, 6)) for i in range(inputs)]
    lines: list[str] = []

    def add(expression: str, sizes: tuple[int, ...]) -> None:
        name = f"v{len(lines)}"
        lines.append(f"{name} = {expression}")
        known.append((name, sizes))

    for _ in range(draw.randint(4, 14)):
        of, sizes = draw.choice(known)
        rank = len(sizes)
        kind = draw.choice(["new", "view", "view", "write", "write"])
        dim = draw.randrange(rank) if rank else 0
        if kind == "new" or not rank:
            add(draw.choice([f"{of} + 1", f"{of}.sin()", f"{of}.clone()", f"{of} * {of}"]), sizes)
        elif kind == "view":
            left, first = sizes[:dim], sizes[dim]
            count = torch.Size(sizes).numel()
            views = [
                (f"{of}.select({dim}, {draw.randrange(first)})", left + sizes[dim + 1 :]),
                (
                    f"{of}.narrow({dim}, {first // 2}, {first - first // 2})",
                    (*left, first - first // 2, *sizes[dim + 1 :]),
                ),
                (f"{of}.unsqueeze({dim})", (*left, 1, *sizes[dim:])),
                (f"{of}.transpose({dim}, -1)", tuple(_swapped(sizes, dim))),
                (f"{of}.reshape(-1)", (count,)),
                (f"{of}.flatten(0)", (count,)),
                (f"{of}.chunk(2, {dim})[0]", (*left, -(-first // 2), *sizes[dim + 1 :])),
                (f"{of}.unbind({dim})[{first - 1}]", left + sizes[dim + 1 :]),
                (f"{of}[..., ::2]", (*sizes[:-1], -(-sizes[-1] // 2))),
                (f"{of}.squeeze()", tuple(n for n in sizes if n != 1)),
                (f"{of}.contiguous()", sizes),
                (f"{of}.detach()", sizes),
                (f"{of}.as_strided((2, 2), (2, 1))", (2, 2)),
                (f"{of}.as_strided((3,), (2,), {draw.randrange(6)})", (3,)),
            ]
            add(*draw.choice(views))
        else:
            others = [name for name, other in known if other == sizes and name != of]
            # What two views of one memory have in common is written in an order that eager does not promise.
            other = f"{draw.choice(others)} * 1" if others else "2"
            lines.append(
                draw.choice(
                    [
                        f"{of}.add_({other})",
                        f"{of}.mul_(0.5)",
                        f"{of}.relu_()",
                        f"{of}.zero_()",
                        f"{of}.copy_({of}.cos())",
                        f"{of}[{draw.randrange(sizes[0])}] = 3.0",
                        f"{of} -= 1",
                        f"{of}.clamp_(-1, 1)",
                    ]
                )
            )
    names = [name for name, _ in known[inputs:]] or ["x0"]
    chosen = [draw.choice(names) for _ in range(draw.randint(1, 3))]
    parameters, results = ", ".join(f"x{i}" for i in range(inputs)), ", ".join(dict.fromkeys(chosen))
    body = "".join(f"    {line}\n" for line in [*lines, f"return {results},"])
    return f"def program({parameters}):\n{body}", inputs


def drawn(seed: int) -> tuple[str, Callable[..., Any], list[torch.Tensor]]:
    """Give the text of a program, its function, and inputs for it."""
    text, inputs = program(seed)
    scope: dict[str, Any] = {}
    exec(text, scope)
    torch.manual_seed(seed)
    return text, scope["program"], [torch.randn(4, 6) for _ in range(inputs)]


def _swapped(sizes: tuple[int, ...], dim: int) -> list[int]:
    swapped = list(sizes)
    swapped[dim], swapped[-1] = swapped[-1], swapped[dim]
    return swapped


@pytest.mark.parametrize("seed", range(FIRST, FIRST + PROGRAMS))
def test_random_writes_and_views_are_as_in_eager(seed: int) -> None:
    text, function, given = drawn(seed)
    try:
        function(*[x.clone() for x in given])
    except RuntimeError:
        pytest.skip("eager refuses it")
    try:
        check(function, *given)
    except Exception as error:
        error.add_note(text)
        raise


def outcomes(function: Callable[..., Any], inputs: Sequence[torch.Tensor], seed: int) -> Any:
    """Run a program on what leaves were made to: tensors and gradients, or the error.

    Some inputs need no gradients, some results have none, and some tensors are written to before there are gradients.
    """
    draw = random.Random(seed)
    leaves = [x.clone().requires_grad_(draw.random() < 0.8) for x in inputs]
    given = [leaf * 1 for leaf in leaves]
    try:
        results = function(*given)
        parts = [(result * (2 + number)).sum() for number, result in enumerate(results) if result.requires_grad]
        total = sum(part for part in parts if draw.random() < 0.8)
        for tensor in (*given, *results):
            if draw.random() < 0.1:
                tensor.mul_(3)
        if isinstance(total, torch.Tensor):
            total.backward()
        # Eager refuses to have the history of some views asked for.
        for tensor in results:
            tensor.sum()
    except RuntimeError as error:
        return error
    return [*given, *results], [leaf.grad for leaf in leaves], [tensor._version for tensor in (*given, *results)]


@pytest.mark.parametrize("seed", range(FIRST, FIRST + PROGRAMS))
def test_random_writes_and_views_have_gradients_as_in_eager(seed: int) -> None:
    text, function, given = drawn(seed)
    expected = outcomes(function, given, seed)
    if isinstance(expected, RuntimeError):
        # A functional graph need not refuse all that eager does.
        pytest.skip("eager refuses it")
    actual = outcomes(rust_inductor.compile(function), given, seed)
    try:
        assert not isinstance(actual, RuntimeError), actual
        (tensors, gradients, versions), (eager, expected_gradients, expected_versions) = actual, expected
        for ours, theirs in zip((*tensors, *gradients), (*eager, *expected_gradients), strict=True):
            if theirs is None:
                assert ours is None
                continue
            assert (ours.stride(), ours.requires_grad) == (theirs.stride(), theirs.requires_grad)
            torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=1e-5, equal_nan=True)
        assert memory(tensors) == memory(eager)
        assert versions == expected_versions
    except AssertionError as error:
        error.add_note(text)
        raise


def test_a_write_that_autograd_does_not_see_makes_a_detached_tensor_followed() -> None:
    def function(x: torch.Tensor) -> Any:
        detached = x.detach()
        detached.add_(x * 1)
        return detached, detached.reshape(-1)

    x = torch.ones(2, 3, requires_grad=True)
    results = rust_inductor.compile(function)(x * 1)
    assert all(result.requires_grad for result in results)
    (results[0] * results[1].view(2, 3)).sum().backward()
    assert x.grad is not None
    torch.testing.assert_close(x.grad, torch.full((2, 3), 4.0))


def test_what_a_graph_writes_to_is_saved_as_it_was() -> None:
    def function(x: torch.Tensor, scale: torch.Tensor) -> Any:
        y = x * scale
        scale.add_(1)
        return y, x + 1

    for compiled in function, rust_inductor.compile(function, fullgraph=True):
        x = torch.ones(3, requires_grad=True)
        y, z = compiled(x, torch.full((3,), 2.0))
        z.sum().backward(retain_graph=True)
        assert x.grad is not None
        torch.testing.assert_close(x.grad, torch.ones(3))
        x.grad = None
        if compiled is function:
            with pytest.raises(RuntimeError, match="has been modified by an inplace operation"):
                y.sum().backward()
        else:
            y.sum().backward()
            torch.testing.assert_close(x.grad, torch.full((3,), 2.0))


def test_a_write_to_what_was_computed_is_recorded(through_aot: list[Any]) -> None:
    def whole(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        x.mul_(y).relu_()
        return x.sin()

    def part(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        x[0] = y[1]
        x.t()[2].exp_()
        return x

    def buffer(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        y.add_(x.detach())
        x.zero_()
        return y * 2

    for function in whole, part, buffer:
        outcomes, versions = [], []
        for call in function, rust_inductor.compile(function, fullgraph=True):
            torch.manual_seed(0)
            leaves = [torch.randn(3, 4, requires_grad=True) for _ in range(2)]
            x, y = (leaf * 1 for leaf in leaves)
            version = x._version
            result = call(x, y)
            (result.sum() + x.square().sum()).backward()
            outcomes.append([result, x, y, *(leaf.grad for leaf in leaves)])
            versions.append(x._version - version)
        assert min(versions) >= 1
        torch.testing.assert_close(*outcomes)
    assert not through_aot


def test_a_leaf_is_not_written_to() -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        x.mul_(2)
        return x + 1

    compiled = rust_inductor.compile(function)
    for make in lambda x: x * 1, lambda x: x, lambda x: x[:], lambda x: (x * 1)[:]:
        for call in function, compiled:
            x = torch.ones(3, requires_grad=True)
            given = make(x)
            if given is x or given._base is x:
                with pytest.raises(RuntimeError, match=r"a (view of a )?leaf Variable that requires grad"):
                    call(given)
            else:
                call(given).sum().backward()
                torch.testing.assert_close(x.grad, torch.full((3,), 2.0))
