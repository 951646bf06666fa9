"""Operations that fail when the graph runs: handlers, effects and lines are those of plain Python."""

from __future__ import annotations

import contextlib
import copy
import operator
import traceback
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch.nn import functional

from rust_inductor import _capture

if TYPE_CHECKING:
    from collections.abc import Callable

X = torch.tensor([[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]])
NEAR = torch.tensor([0, 1])
FAR = torch.tensor([0, 9])
SINGULAR = torch.zeros(2, 2)
seen = 0


class Counter:
    value = 0


def caught(x, at):
    try:
        y = x[at] + 1
    except IndexError:
        y = x[0] - 1
    return y * 2


def caught_in_a_call(x, at):
    def pick(x):
        return x.index_select(0, at)

    try:
        y = pick(x)
    except IndexError as error:
        return x, str(error)
    return y, ""


def factored(x):
    y = x + 1
    try:
        return torch.linalg.cholesky(x)
    except torch.linalg.LinAlgError:  # type: ignore[attr-defined]
        return y


def finally_(x, at, log):
    try:
        y = x[at]
        log.append("read")
    finally:
        log.append("left")
    return y.sum()


def divided(x, n):
    try:
        return torch.tensor([3]) // n, x
    except RuntimeError:
        return None, x + 1


def effects_before(x, at, log):
    y = x + 1
    log.append(1)
    z = y[at]
    log.append(2)
    return z


def attribute_before(x, at, counter):
    counter.value += 1
    return torch.nn.functional.embedding(at, x) + counter.value


def expanded_after_effects(x, log):
    log.append(1)
    y = x[:, :1].expand(2, 3)
    y += 1
    return y


def overlapping_after_effects(x, log):
    log.append(1)
    y = x.reshape(-1)
    y[1:] += y[:-1]
    log.append(2)
    y[1:].mul_(y[:-1])
    return y


def global_before(x, at):
    global seen
    seen = seen + 1
    x[at] = 7.0
    return x * 2


def suppressed(x, at):
    y = x * 2
    with contextlib.suppress(IndexError):
        y = x[at]
    return y + 1


@contextlib.contextmanager
def noting(log):
    log.append("in")
    try:
        yield
    finally:
        log.append("out")


def generator(x, at, log):
    with noting(log):
        return x.take(at)


def quiet(x, at):
    with torch.no_grad(), contextlib.nullcontext():
        return x[at] + 1


def context(x, at):
    try:
        raise KeyError("first")
    except KeyError:
        return x[at]


EXAMPLES: list[tuple[Any, tuple[Any, ...]]] = [
    (caught, (X, NEAR)),
    (caught, (X, FAR)),
    (caught_in_a_call, (X, NEAR)),
    (caught_in_a_call, (X, FAR)),
    (factored, (torch.eye(2),)),
    (factored, (SINGULAR,)),
    (finally_, (X, NEAR, [])),
    (finally_, (X, FAR, [])),
    (divided, (X, torch.tensor([2]))),
    (divided, (X, torch.tensor([0]))),
    (effects_before, (X, NEAR, [])),
    (effects_before, (X, FAR, [])),
    (attribute_before, (X, FAR, Counter())),
    (global_before, (X, FAR)),
    (expanded_after_effects, (X, [])),
    (overlapping_after_effects, (X, [])),
    (suppressed, (X, NEAR)),
    (suppressed, (X, FAR)),
    (generator, (X, NEAR, [])),
    (generator, (X, FAR, [])),
    (quiet, (X, FAR)),
    (context, (X, FAR)),
]


def told(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [told(item) for item in value]
    return vars(value) if isinstance(value, Counter) else repr(value)


def lines_of(error: BaseException) -> list[tuple[int, str]]:
    """The lines and functions of this file that a traceback names."""
    frames = traceback.extract_tb(error.__traceback__)
    here = [frame for frame in frames if frame.filename == __file__ and frame.name not in ("outcome", "raised_by")]
    return [(frame.lineno or 0, frame.name.split("_at_")[0].removeprefix("torch_dynamo_resume_in_")) for frame in here]


def outcome(function, args):
    """The result or exception of a call, an exception with the line that raised it, and what the call leaves behind."""
    global seen
    seen = 0
    args = copy.deepcopy(args)
    try:
        result = told(function(*args))
    except Exception as error:
        result = type(error), str(error), lines_of(error)[-1:], repr(error.__context__)
    return result, told(args), seen


@pytest.mark.parametrize("backend", ["eager", "rust_inductor"])
@pytest.mark.parametrize(("function", "args"), EXAMPLES, ids=[function.__name__ for function, _ in EXAMPLES])
def test_a_failure_is_where_it_was(function, args, backend):
    expected = outcome(function, args)
    compiled = _capture.optimize(function, backend=backend)
    for _ in range(3):
        assert outcome(compiled, args) == expected


@pytest.mark.parametrize(("function", "args"), EXAMPLES, ids=[function.__name__ for function, _ in EXAMPLES])
def test_it_is_one_graph_unless_a_tensor_is_changed(function, args):
    """If the graph fails, the function runs as it is, and what it calls may be captured in its turn."""
    if function in (global_before, expanded_after_effects, overlapping_after_effects):
        pytest.skip("a graph that has changed a tensor cannot be as if it had never been")
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(function, backend="eager", fullgraph=True, listener=log.append)
    for _ in range(2):
        assert outcome(compiled, args) == outcome(function, args)
    assert not [event for event in log if event.get("break_reason")]


def told_in_a_call(x, at):
    def tell(error):
        y = x + 1
        print("told of", error)
        return y.sum().item()

    try:
        y = x[at]
    except IndexError as error:
        y = x * tell(error)
    return y + 1


def test_what_runs_as_it_is_need_not_be_one_graph(capsys):
    """The handler that runs after the graph has failed may call what breaks graphs."""
    compiled = _capture.optimize(told_in_a_call, backend="eager", fullgraph=True, recompile_limit=1)
    for at in (NEAR, FAR, FAR, NEAR):
        functions = (compiled, told_in_a_call)
        ours, theirs = [(told(function(X, at)), capsys.readouterr().out) for function in functions]
        assert ours == theirs


def rejected(x, y):
    found = []
    for other in (y, y.T):
        try:
            found.append(x @ other)
        except RuntimeError:
            found.append(x * 2)
    try:
        x.view(5)
    except RuntimeError:
        found.append(x + y)
    return found


def test_shapes_that_torch_rejects_are_handled_while_tracing():
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(rejected, backend="eager", fullgraph=True, listener=log.append)
    for args in ((X, X), (X[:, :2], X[:, :2])):
        assert told(compiled(*args)) == told(rejected(*args))
    assert [event["break_reason"] for event in log] == [None, None]


def random_before(x, at):
    noise = torch.rand(2)
    try:
        return x[at] + noise[0]
    except IndexError:
        return torch.rand(2)


def changed_within(x, at):
    y = x.clone()
    try:
        y[0] = 5.0
        return y[at]
    except IndexError:
        y[1] = 7.0
    return y


def interrupted(x, at):
    try:
        return x[at]
    except IndexError:
        return x


def changed_leaf_after_effects(x, log):
    log.append(1)
    x[0] += 2
    return x


def test_autograd_refuses_to_change_leaves_where_they_are_changed():
    compiled = _capture.optimize(changed_leaf_after_effects, backend="eager")
    for _ in range(2):
        log: list[int] = []
        with pytest.raises(RuntimeError, match="view of a leaf Variable"):
            compiled(torch.ones(2, 2, requires_grad=True), log)
        assert log == [1]


def random_within(x, at):
    made = torch.empty(2).normal_()
    try:
        y = functional.dropout(x, 0.5)[at]
        made.uniform_(torch.rand(1).item() if made is None else 0.0)
    except IndexError:
        y = torch.rand(2) + functional.dropout(x, 0.25).sum()
    return y * made[0]


@pytest.mark.parametrize("function", [random_before, random_within])
def test_random_numbers_are_drawn_once(function):
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(function, backend="eager", listener=log.append)
    for at in (NEAR, FAR, FAR, NEAR):
        torch.manual_seed(3)
        expected = told(function(X, at)), torch.rand(1).item()
        torch.manual_seed(3)
        assert (told(compiled(X, at)), torch.rand(1).item()) == expected
    assert [event["break_reason"] for event in log] == [None]


@pytest.mark.parametrize("function", [random_before, random_within, changed_within])
@pytest.mark.parametrize("at", [NEAR, FAR])
def test_what_was_left_behind_is_taken_back(function, at):
    compiled = _capture.optimize(function, backend="eager")
    for _ in range(2):
        torch.manual_seed(3)
        expected = told(function(X, at)), torch.rand(1).item()
        torch.manual_seed(3)
        assert (told(compiled(X, at)), torch.rand(1).item()) == expected


def with_item(x):
    x[0] = 5.0


def renormalised(x):
    functional.embedding(torch.tensor([0]), x, max_norm=0.1)


def with_statistics(x):
    functional.batch_norm(x, x[0], torch.ones(3), training=True)


CHANGES: dict[str, Callable[[torch.Tensor], Any]] = {
    "item": with_item,
    "in place": lambda x: operator.imul(x, 2),
    "out": lambda x: torch.add(x, 1, out=x),
    "inplace=True": lambda x: functional.relu(x, inplace=True),
    "dropout": lambda x: functional.dropout(x, 0.5, True, True),
    "list": lambda x: torch._foreach_add_([x], 1.0),
    "overload": lambda x: torch.ops.aten.add_(x, 1),
    "data": lambda x: x.data.add_(1),
    "view": lambda x: x.view(-1).add_(1),
    "embedding": renormalised,
    "statistics": with_statistics,
    "random": lambda x: x.copy_(torch.rand(x.shape)),
    "generator": lambda x: x.uniform_(),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_was_changed_before_a_failure_is_changed_once(name):
    change = CHANGES[name]

    def function(x, table, at):
        try:
            change(x)
            return table[at]
        except IndexError:
            return x * 2

    def run(function, at):
        torch.manual_seed(3)
        x = X.clone()
        return function(x, torch.arange(5.0), at), x, torch.rand(1)

    compiled = _capture.optimize(function, backend="eager")
    for at in (NEAR, FAR):
        for ours, theirs in zip(run(compiled, at), run(function, at)):
            assert torch.equal(ours, theirs)


def written_once(x, cache, count, at):
    try:
        cache.index_copy_(0, torch.tensor([1]), x)
        count.add_(1)
        y = cache.sum() + count
        cache_of_two = cache.view(2, -1)
        return y + cache_of_two[at].sum()
    except IndexError:
        return cache.sum() - count


def read_before(x, cache, count, at):
    try:
        y = cache.sum()
        cache[1] = x[0] + y
        return cache.view(2, -1)[at] + count
    except IndexError:
        return cache.sum() - count


def written_twice(x, cache, count, at):
    try:
        cache[1] = x[0]
        cache.mul_(2)
        return cache.view(2, -1)[at] + count
    except IndexError:
        return cache.sum() - count


def written_by_itself(x, cache, count, at):
    try:
        cache.copy_(cache.flip(0))
        return cache.view(2, -1)[at] + count
    except IndexError:
        return cache.sum() - count + x.sum()


CACHES = [(written_once, True), (read_before, False), (written_twice, False), (written_by_itself, False)]


@pytest.mark.parametrize(("function", "whole"), CACHES)
def test_large_tensors_that_are_written_once_may_be_written_again(function, whole):
    def run(function, at) -> list[torch.Tensor]:
        cache, count = torch.arange(600.0).reshape(4, 150), torch.tensor([3])
        result = function(torch.ones(1, 150), cache, count, at)
        return [result, cache, count]

    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(function, backend="eager", listener=log.append)
    for at in (NEAR, FAR, FAR, NEAR):
        for ours, theirs in zip(run(compiled, at), run(function, at)):
            assert torch.equal(ours, theirs)
    assert (log[0]["break_reason"] is None) == whole


def test_what_is_no_error_goes_on():
    def stopping(gm, _):
        def run(*args):
            raise KeyboardInterrupt

        return run

    with pytest.raises(KeyboardInterrupt):
        _capture.optimize(interrupted, backend=stopping)(X, NEAR)


def plain_index(x, at, table):
    with torch.no_grad():
        rows = torch.nn.functional.embedding(at, x)
    kept = []
    kept.append(rows)
    return kept[0] + x[at], table.gather(1, at.view(2, 1)), rows // 2


def test_without_handlers_and_effects_it_is_one_graph():
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(plain_index, backend="eager", listener=log.append)
    assert told(compiled(X, NEAR, X)) == told(plain_index(X, NEAR, X))
    assert [event["break_reason"] for event in log] == [None]


def test_modes_of_torch_see_no_exceptions():
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(quiet, backend="eager", listener=log.append)
    assert told(compiled(X, NEAR)) == told(quiet(X, NEAR))
    assert [event["break_reason"] for event in log] == [None]


def known_lists(x):
    found = []
    for places in ([1], [0, 5], [-2, 1], [-3]):
        try:
            found.append(x[places])
        except IndexError:
            found.append(x + len(places))
    try:
        found.append(x[torch.tensor([[0, 2], [1, 0]])])
    except IndexError:
        found.append(x[:, torch.tensor([2]), ...])
    try:
        return found, x[0, [3]]
    except IndexError:
        return found, x[1, [2]]


@pytest.mark.parametrize("backend", ["eager", "rust_inductor"])
def test_places_that_are_known_are_checked_while_tracing(backend):
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(known_lists, backend=backend, listener=log.append)
    for _ in range(2):
        assert told(compiled(X)) == told(known_lists(X))
    assert [event["break_reason"] for event in log] == [None]


def for_nothing_by_places(x):
    rest = x[1:]
    w = rest[[0, 1, 0]]  # noqa: F841
    return x + 1


def for_nothing_by_a_place_in_two(x):
    w = x[[2], 0]  # noqa: F841
    return x + 1


FOR_NOTHING = [for_nothing_by_places, for_nothing_by_a_place_in_two]


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("function", FOR_NOTHING, ids=[function.__name__ for function in FOR_NOTHING])
def test_an_index_fails_that_nothing_uses(function, dynamic):
    compiled = _capture.optimize(function, backend="eager", dynamic=dynamic)
    for rows in (4, 3, 2):
        x = torch.ones(rows, 3)
        assert told_or_raised(compiled, x) == told_or_raised(function, x)


def for_nothing_by_given_places(x, at):
    w = x[at].abs()  # noqa: F841
    return x + 1


def for_nothing_by_given_rows(x, at):
    w = x.index_select(0, at)  # noqa: F841
    return (x + 1).sum(0)


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("function", [for_nothing_by_given_places, for_nothing_by_given_rows])
def test_kernels_do_not_lose_an_index_that_fails(function, dynamic):
    compiled = _capture.optimize(function, backend="rust_inductor", dynamic=dynamic)
    for at in (NEAR, FAR, NEAR):
        assert told_or_raised(compiled, X, at) == told_or_raised(function, X, at)


def told_or_raised(function, *args):
    try:
        return told(function(*args))
    except (IndexError, RuntimeError) as error:
        return type(error), str(error)


def known_and_not_caught(x):
    y = x + 1
    return y[[0, 5]]


def helper(x, at):
    y = x * 2
    return y[at]


def deep(x, at):
    y = x - 1
    z = helper(
        y,
        at,
    )
    return z + x[at]


def loss(x, at):
    y = x.softmax(1)
    z = torch.nn.functional.nll_loss(
        y,
        at,
    )
    return z * 2


def changed_leaf(x, at):
    y = x * 2
    x += 1
    return y, at


LINES: list[tuple[Any, tuple[Any, ...]]] = [
    (known_and_not_caught, (X,)),
    (deep, (X, FAR)),
    (loss, (X, FAR)),
    (changed_leaf, (torch.ones(2, requires_grad=True), FAR)),
]


def raised_by(function, args):
    try:
        function(*args)
    except Exception as error:
        return type(error), str(error), lines_of(error), getattr(error, "__notes__", [])
    raise AssertionError("nothing was raised")


@pytest.mark.parametrize("backend", ["eager", "rust_inductor", "aot_eager"])
@pytest.mark.parametrize(("function", "args"), LINES, ids=[function.__name__ for function, _ in LINES])
def test_an_exception_of_a_graph_has_the_lines_of_the_program(function, args, backend):
    expected = raised_by(function, args)
    compiled = _capture.optimize(function, backend=backend)
    for _ in range(2):
        assert raised_by(compiled, args) == expected


def test_where_it_is_not_known_which_line_it_was_the_lines_are_named():
    def mute(gm, _):
        def run(*args):
            raise ValueError("somewhere")

        return run

    _, text, _, notes = raised_by(_capture.optimize(deep, backend=mute), (X, FAR))
    assert text == "somewhere"
    first, last = helper.__code__.co_firstlineno + 2, deep.__code__.co_firstlineno + 6
    assert f"{__file__}:{first} in helper" in notes[0]
    assert f"{__file__}:{last} in deep" in notes[0]
    _, _, lines, notes = raised_by(_capture.optimize(loss, backend=mute), (X, FAR))
    assert lines[-2:-1] == [(loss.__code__.co_firstlineno + 2, "loss")]
    assert notes == []


def test_the_printed_traceback_shows_the_line():
    compiled = _capture.optimize(deep, backend="eager")
    try:
        compiled(X, FAR)
    except IndexError as error:
        text = "".join(traceback.format_exception(error))
    assert "in deep\n    z = helper(\n" in text
    assert "in helper\n    return y[at]\n" in text


@pytest.mark.parametrize("dynamic", [False, True])
def test_what_autograd_cannot_trace_runs_as_it_is(dynamic):
    lengths: Any = ((4, 4), (2, 2))

    def function(x, targets):
        return functional.ctc_loss(x.log_softmax(2), targets, *lengths)

    x, targets = torch.randn(4, 2, 5), torch.tensor([[1, 2], [3, 4]])
    compiled = _capture.optimize(function, dynamic=dynamic)
    torch.testing.assert_close(compiled(x, targets), function(x, targets))


def test_the_first_call_raises_what_later_ones_do():
    """AOTAutograd makes the first call in a mode of Python's, in which an operator raises there."""

    def function(x):
        x[[0, 3]] = 1.0
        return x + 1

    compiled = _capture.optimize(function, "rust_inductor", dynamic=False)
    assert compiled(torch.ones(4, 3)).shape == (4, 3)
    for _ in range(2):
        with pytest.raises(IndexError, match="index 3 is out of bounds"):
            compiled(torch.ones(2, 3))


def a_list(x, v):
    v[[0, 8, -3]]
    return x + 1


def a_constant(x, v):
    y = v * 2
    y[torch.tensor([-9, 1])]
    return x + 1


def used_for_nothing(x, v):
    y = (v * 2)[[8]]
    y + 1
    return x + 1


@pytest.mark.parametrize("backend", ["eager", "aot_eager", "rust_inductor"])
@pytest.mark.parametrize("function", [a_list, a_constant, used_for_nothing])
def test_an_index_beyond_a_symbolic_size_fails_where_nothing_uses_it(function, backend):
    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(function, backend=backend, dynamic=True, listener=log.append)
    for size in (12, 5, 13, 9, 8):
        if size < 9:
            with pytest.raises(IndexError):
                compiled(X, torch.ones(size))
        else:
            assert torch.equal(compiled(X, torch.ones(size)), X + 1)
    assert len([event for event in log if event["break_reason"] is None]) == 1


def a_row_of_a_result(x):
    y = x * 2
    for row in y:
        row += 1
    return y


def a_row_of_an_input(x):
    for row in x:
        row.add_(1)
    return x


def an_unpacked_row(x):
    y = x * 2
    first, _ = y
    first.mul_(3)
    return y


@pytest.mark.parametrize("backend", ["eager", "rust_inductor"])
@pytest.mark.parametrize("function", [a_row_of_a_result, a_row_of_an_input, an_unpacked_row])
def test_rows_that_autograd_records_are_not_changed(function, backend):
    compiled = _capture.optimize(function, backend=backend)
    for _ in range(2):
        for recorded in (True, False):
            results = []
            for each in (function, compiled):
                try:
                    results.append(repr(each(torch.ones(2, 3, requires_grad=recorded))))
                except RuntimeError as error:
                    results.append(str(error))
            assert results[0] == results[1]
            assert ("modified inplace" in results[0]) == recorded


def test_what_looks_for_the_line_is_not_captured():
    def program(x):
        y = x.expand(4, 3)
        y += 1
        return y

    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(program, lambda gm, _inputs: gm.forward, listener=log.append)
    with pytest.raises(RuntimeError, match="more than one element"):
        compiled(torch.ones(3))
    assert len(log) == 1


class Counting:
    """Counts calls."""

    calls = 0


COUNTING, SCALE = Counting(), torch.nn.Parameter(torch.tensor(2.0))


def changes_one_of_several_views(x):
    y = x.clone()
    COUNTING.calls += 1
    first, _ = y.split(2)
    first += SCALE
    return y


def changes_a_view_made_without_gradients(x):
    y = x * SCALE
    COUNTING.calls += 1
    with torch.no_grad():
        row = y[0]
    row += 1
    return y


@pytest.mark.parametrize("program", [changes_one_of_several_views, changes_a_view_made_without_gradients])
def test_what_autograd_refuses_comes_after_the_effects_before_it(program):
    compiled = _capture.optimize(program, backend="eager")
    for function in (program, compiled, compiled):
        COUNTING.calls = 0
        with pytest.raises(RuntimeError, match=r"no_grad mode|output of a function that returns multiple views"):
            function(torch.ones(4, 3))
        assert COUNTING.calls == 1
