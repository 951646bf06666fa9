"""Recordings of compiled graphs, by a device that records on the processor: it calls the graph again for a replay."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest
import torch

import rust_inductor
from rust_inductor._cuda_graphs import MOST_ALIVE, MOST_LAYOUTS, Recorder


class Processor:
    """A device whose recordings have no values before they are replayed, and give them in the same memory."""

    def __init__(self) -> None:
        self.captures = self.replays = 0
        self.current: Any = "a stream"

    def stream(self) -> Any:
        return self.current

    def capture(self, run):
        self.captures += 1
        results = run()
        tensors = [it for it in results if isinstance(it, torch.Tensor)]
        for tensor in tensors:
            if tensor.is_floating_point():
                tensor.fill_(float("nan"))

        def replay() -> None:
            self.replays += 1
            for old, new in zip(tensors, (it for it in run() if isinstance(it, torch.Tensor)), strict=True):
                if old is not new:
                    old.copy_(new)

        return results, replay


@pytest.fixture
def device() -> Processor:
    return Processor()


def product(args):
    x, w = args
    return (x @ w, x + 1)


def call(recorder, run, *args):
    """A call as a compiled graph makes it; whether it was a replay, too."""
    results = recorder(run, list(args))
    return (tuple(run(list(args))), False) if results is None else (results, True)


def test_the_second_call_is_recorded_and_later_ones_are_replayed(device):
    recorder = Recorder([1], device)
    w = torch.randn(4, 5)
    for turn in range(5):
        x = torch.randn(3, 4)
        (y, z), is_replay = call(recorder, product, x, w)
        assert is_replay == (turn > 0)
        torch.testing.assert_close((y, z), (x @ w, x + 1), rtol=0, atol=0)
        del y, z
    assert (device.captures, device.replays) == (1, 4)
    assert recorder.state == "recorded for 1 kind of calls"


def test_results_that_live_are_not_overwritten(device):
    recorder = Recorder([1], device)
    w = torch.randn(4, 5)
    xs = [torch.randn(3, 4) for _ in range(8)]
    results = [call(recorder, product, x, w)[0] for x in xs]
    for x, (y, z) in zip(xs, results, strict=True):
        torch.testing.assert_close((y, z), (x @ w, x + 1), rtol=0, atol=0)
    assert device.captures == MOST_ALIVE
    # A view keeps the memory as well as the result itself does.
    kept = results[1][0][:1]
    storage = results[2][1].untyped_storage()
    wanted = kept.clone(), storage.tolist()
    del results, y, z
    gc.collect()
    for x in xs:
        assert call(recorder, product, x, w)[1]
    assert torch.equal(kept, wanted[0])
    assert storage.tolist() == wanted[1]
    assert device.captures == MOST_ALIVE


def test_versions_and_identities_are_those_of_a_call(device):
    def run(args):
        x, y = args
        z = x + y
        return z, x, 7, z, None

    recorder = Recorder([], device)
    x, y = torch.randn(3), torch.randn(3)
    for _ in range(3):
        (a, b, c, d, e), _ = call(recorder, run, x, y)
        assert b is x
        assert a is d
        assert (c, e) == (7, None)
        assert a._version == 0
        a.add_(1)
        del a, d


def test_weights_that_move_are_read_where_they_lie(device):
    recorder = Recorder([1], device)
    x = torch.randn(3, 4)
    for _ in range(3 * MOST_ALIVE):
        w = torch.randn(4, 5)
        for _ in range(2):
            torch.testing.assert_close(call(recorder, product, x, w)[0][0], x @ w, rtol=0, atol=0)
        with torch.no_grad():
            w.mul_(2)
        torch.testing.assert_close(call(recorder, product, x, w)[0][0], x @ w, rtol=0, atol=0)


def test_results_of_another_recording_are_read_in_place(device):
    first, second = Recorder([], device), Recorder([], device)

    def double(args):
        return (args[0] * 2,)

    def halve(args):
        return (args[0] / 2,)

    for turn in range(4):
        x = torch.randn(6)
        (y,), _ = call(first, double, x)
        (z,), _ = call(second, halve, y)
        assert torch.equal(z, x)
        del y, z
        if turn == 2:
            (recording,) = next(iter(second.recordings.values()))
            assert recording.in_place == [0]
            assert not recording.copied
    # Of memory that belongs to no recording it is copied.
    x = torch.randn(6)
    (z,), is_replay = call(second, halve, x)
    assert is_replay
    assert torch.equal(z, x / 2)


def test_layouts_have_recordings_of_their_own_up_to_a_bound(device):
    recorder = Recorder([], device)
    for size in range(1, MOST_LAYOUTS + 5):
        for turn in range(2):
            x = torch.randn(size)
            (y,), is_replay = call(recorder, lambda args: (args[0] + 1,), x)
            assert torch.equal(y, x + 1)
            assert is_replay == (turn == 1 and size <= MOST_LAYOUTS)
    assert device.captures == MOST_LAYOUTS


@pytest.mark.parametrize("change", ["stream", "strides", "inference mode"])
def test_what_a_recording_does_not_hold_for_is_not_replayed(device, change):
    recorder = Recorder([], device)
    x = torch.randn(4, 4)

    def run(args):
        return (args[0] + 1,)

    for _ in range(3):
        call(recorder, run, x)
    replays = device.replays
    if change == "stream":
        device.current = "another stream"
        assert not call(recorder, run, x)[1]
        device.current = None
        assert not call(recorder, run, x)[1]
    elif change == "strides":
        assert not call(recorder, run, x.T)[1]
    else:
        with torch.inference_mode():
            assert not call(recorder, run, x)[1]
            (y,), _ = call(recorder, run, x)
            assert y.is_inference()
            (y,), _ = call(recorder, run, x)
            assert y.is_inference()
        replays = device.replays
    assert device.replays == replays


def test_what_cannot_be_recorded_runs_as_always(device):
    x = torch.randn(4)
    recorder = Recorder([], device)
    for _ in range(3):
        (y,), is_replay = call(recorder, lambda args: (args[0][1:],), x)
        assert not is_replay
        assert y.data_ptr() == x[1:].data_ptr()
    assert recorder.state == "not recorded: a result in the memory of an argument"

    recorder = Recorder([], device)
    wide = torch.randn(1).expand(4)
    for _ in range(3):
        assert not call(recorder, lambda args: (args[0] + 1,), wide)[1]
    assert "share memory" in recorder.state

    def fails(args):
        message = "not while recording"
        raise RuntimeError(message)

    recorder = Recorder([], device)
    recorder(fails, [x])
    assert recorder(fails, [x]) is None
    assert recorder.state == "not recorded: RuntimeError: not while recording"

    class Sub(torch.Tensor):
        pass

    recorder = Recorder([], device)
    for _ in range(3):
        assert recorder(product, [x.as_subclass(Sub)]) is None
    assert device.captures == 2


def test_a_graph_that_dies_gives_its_memory_back(device):
    recorder = Recorder([], device)
    x = torch.randn(4)
    for _ in range(3):
        call(recorder, lambda args: (args[0] + 1,), x)
    (y,), _ = call(recorder, lambda args: (args[0] + 1,), x)
    del recorder
    gc.collect()
    assert torch.equal(y, x + 1)


def test_a_reset_lets_go_of_recordings(device):
    recorder = Recorder([], device)
    x = torch.randn(4)
    for _ in range(3):
        call(recorder, product, x, x)
    (recording,) = (weakref.ref(it) for it in next(iter(recorder.recordings.values())))
    rust_inductor.reset()
    gc.collect()
    assert recording() is None
    assert not call(recorder, product, x, x)[1]
    assert call(recorder, product, x, x)[1]


@pytest.mark.parametrize("mode", ["reduce-overhead", "max-autotune"])
def test_the_modes_that_record_mean_nothing_on_the_processor(mode):
    explained = rust_inductor.explain(lambda x: x.sin() + 1, options={"cudagraphs": True})(torch.randn(5))
    (graph,) = explained.graphs
    assert graph.compiled.cuda_graph == "not recorded: no kernels for a CUDA device"
    x = torch.randn(5)
    f = rust_inductor.compile(lambda x: x.sin() + 1, mode=mode)
    torch.testing.assert_close(f(x), x.sin() + 1)
