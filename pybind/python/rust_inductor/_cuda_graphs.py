"""CUDA graphs: what a call of a compiled graph launches is recorded once, and replayed by later calls.

The first call with arguments of some layout runs as always: kernels are loaded, libraries choose their algorithms. The
second one is recorded. A recording reads parameters and buffers where they lie, and what other recordings give where
those give it; all other arguments are copied to memory of its own. Its results lie in memory that the recording keeps.

Invariants:

- a recording is replayed only while nothing else refers to its results: a second one is made for calls in between (of
  a model that is called several times before its backward, say), up to a bound, beyond which calls run as always;
- recordings of one pool of memory are replayed on one stream, one after the other;
- what is read in place lies where it lay when it was recorded, or the call is another recording's.

Memory that another stream still reads has to be kept by the program, as ``Tensor.record_stream`` cannot keep it.
"""

from __future__ import annotations

import logging
import sys
import threading
import weakref
from typing import TYPE_CHECKING, Any, Protocol

import torch

from rust_inductor import _native

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    #: A call of a graph with these arguments, and what it gives.
    Run = Callable[[list[Any]], Sequence[Any]]
    #: Launches again all that was recorded.
    Replay = Callable[[], None]

_log = logging.getLogger("rust_inductor")

MOST_ALIVE = 4
"""Recordings for arguments of one layout."""

MOST_LAYOUTS = 16
"""Layouts of arguments that a graph is recorded for."""


class Device(Protocol):
    """The device that graphs are recorded on."""

    def stream(self) -> Any:
        """A key of the current stream; ``None`` where nothing can be recorded now."""

    def capture(self, run: Callable[[], Sequence[Any]]) -> tuple[Sequence[Any], Replay]:
        """Record a call: its results, which have no values yet, and what gives them values."""


_pools: dict[Any, Any] = {}
"""For each device and stream: the pool of memory, and the stream on which calls are recorded."""


class Cuda:
    """A CUDA device, by its number."""

    def __init__(self, index: int) -> None:
        """Of the device of this number."""
        self.index = index

    def stream(self) -> Any:
        """The device and its current stream, unless that is being recorded by somebody else.

        What is launched on another device than the current one would not be recorded.
        """
        if torch.cuda.current_device() != self.index or torch.cuda.is_current_stream_capturing():
            return None
        return self.index, torch.cuda.current_stream().cuda_stream

    def capture(self, run: Callable[[], Sequence[Any]]) -> tuple[Sequence[Any], Replay]:
        """Record a call by the driver, on a stream of its own."""
        key = self.stream()
        if key not in _pools:
            new_stream: Callable[[], Any] = torch.cuda.Stream
            _pools[key] = torch.cuda.graph_pool_handle(), new_stream()
        graph, (pool, stream) = torch.cuda.CUDAGraph(), _pools[key]
        with torch.cuda.graph(graph, pool=pool, stream=stream, capture_error_mode="thread_local"):
            results = run()
        return results, graph.replay


class Recording:
    """A recorded call."""

    def __init__(self, device: Device, run: Run, args: list[Any], in_place: dict[int, torch.Tensor]) -> None:
        """Record a call that reads some of its arguments, by number, where they lie."""
        self.in_place = list(in_place)
        self.places = _native.addresses(args, self.in_place)
        self.copied = [at for at, x in enumerate(args) if isinstance(x, torch.Tensor) and at not in in_place]
        #: Memory that the other arguments are copied to.
        self.copies = [_memory_like(args[at]) for at in self.copied]
        read = {**dict(enumerate(args)), **in_place, **dict(zip(self.copied, self.copies, strict=True))}
        given = [read[at] for at in range(len(args))]
        results, self.replay = device.capture(lambda: run(list(given)))
        arguments = {id(x): at for at, x in enumerate(given) if isinstance(x, torch.Tensor)}
        #: The tensors that the results are, each once.
        self.kept: list[torch.Tensor] = []
        #: For each result: the number of an argument or of a kept tensor, or a value.
        self.results: list[tuple[str, Any]] = []
        numbers: dict[int, int] = {}
        for result in results:
            if not isinstance(result, torch.Tensor):
                self.results.append(("value", result))
            elif id(result) in arguments:
                self.results.append(("argument", arguments[id(result)]))
            else:
                if id(result) not in numbers:
                    numbers[id(result)] = len(self.kept)
                    self.kept.append(result)
                self.results.append(("kept", numbers[id(result)]))
        del results
        storages = {tensor.untyped_storage()._cdata: tensor.untyped_storage() for tensor in self.kept}
        memory = {x.untyped_storage()._cdata for x in given if isinstance(x, torch.Tensor)}
        #: Whether results are the recording's own: what lies in an argument's memory is written to at other times.
        self.is_sound = storages.keys().isdisjoint(memory)
        #: The storages of the results.
        self.storages = list(storages.values())
        del storages
        _owners.update((storage.data_ptr(), self) for storage in self.storages)
        #: The references to each storage that are ours.
        self.references = self._references()

    def is_free(self) -> bool:
        """Whether nothing else refers to the results."""
        return self._references() == self.references

    def _references(self) -> list[tuple[int, int]]:
        """The references to each storage: by tensors, and by Python."""
        by_tensors: Callable[[int], int] = torch._C._storage_Use_Count
        return [(by_tensors(storage._cdata), sys.getrefcount(storage)) for storage in self.storages]

    def result_at(self, x: torch.Tensor) -> torch.Tensor | None:
        """The recording's own tensor that has the memory and layout of a result of it."""
        layout = x.dtype, x.shape, x.stride()
        there = (it for it in self.kept if it.data_ptr() == x.data_ptr())
        return next((it for it in there if (it.dtype, it.shape, it.stride()) == layout), None)

    def takes(self, args: Sequence[Any]) -> bool:
        """Whether what is read in place lies where it lay."""
        return bool(_native.addresses(args, self.in_place) == self.places)

    def __call__(self, args: Sequence[Any]) -> tuple[Any, ...]:
        """Replay the call with other arguments."""
        if self.copied:
            with torch.no_grad():
                torch._foreach_copy_(self.copies, [args[at] for at in self.copied])
        self.replay()
        tensors = [tensor.data for tensor in self.kept]
        sources: dict[str, Sequence[Any]] = {"argument": args, "kept": tensors}
        return tuple([sources[kind][what] if kind in sources else what for kind, what in self.results])


def _memory_like(x: torch.Tensor) -> torch.Tensor:
    """Memory of a tensor's layout."""
    return torch.empty_strided(x.shape, x.stride(), dtype=x.dtype, device=x.device)


#: The recordings in whose memory results lie, by the address of the storage.
_owners: weakref.WeakValueDictionary[int, Recording] = weakref.WeakValueDictionary()

#: The recorders of all compiled graphs.
_recorders: weakref.WeakSet[Recorder] = weakref.WeakSet()

#: Held while a recording is made or replayed.
_lock = threading.RLock()


class Recorder:
    """The recordings of a compiled graph."""

    def __init__(self, weights: Sequence[int], device: Device) -> None:
        """Of a graph whose inputs with these numbers are parameters and buffers."""
        self.weights = frozenset(weights)
        self.device = device
        #: By stream and layout of the arguments.
        self.recordings: dict[Any, list[Recording]] = {}
        #: The reason for which nothing is recorded any more.
        self.given_up: str | None = None
        with _lock:
            _recorders.add(self)

    def __call__(self, run: Run, args: list[Any]) -> tuple[Any, ...] | None:
        """Give the results of a call; ``None`` where it has to run as always."""
        layout = None if self.given_up is not None else _native.layout(args)
        stream = None if layout is None else self.device.stream()
        if stream is None:
            return None
        key = stream, layout, torch.is_inference_mode_enabled()
        with _lock:
            known = self.recordings.get(key)
            if known is None:
                if len(self.recordings) < MOST_LAYOUTS:
                    self.recordings[key] = []
                return None
            recording = next((it for it in known if it.takes(args) and it.is_free()), None)
            if recording is None:
                recording = self._recorded(run, args, known)
            return None if recording is None else recording(args)

    def _recorded(self, run: Run, args: list[Any], known: list[Recording]) -> Recording | None:
        """Record a call, if that is possible."""
        if len(known) == MOST_ALIVE:
            moved = next((it for it in known if not it.takes(args) and it.is_free()), None)
            if moved is None:
                return None
            known.remove(moved)
        tensors = {at: x for at, x in enumerate(args) if isinstance(x, torch.Tensor)}
        in_place = {}
        for at, x in tensors.items():
            owner = _owners.get(x.untyped_storage().data_ptr())
            # A reference to the result itself would keep its recording from being replayed.
            result = owner.result_at(x) if owner is not None else x if at in self.weights else None
            if result is not None:
                in_place[at] = result
        if any(at not in in_place and torch._debug_has_internal_overlap(x) != 0 for at, x in tensors.items()):
            self._give_up("an argument whose elements share memory")
            return None
        try:
            recording = Recording(self.device, run, args, in_place)
        except Exception as error:
            self._give_up(f"{type(error).__name__}: {error}")
            return None
        if not recording.is_sound:
            self._give_up("a result in the memory of an argument")
            return None
        known.append(recording)
        return recording

    def _give_up(self, why: str) -> None:
        self.given_up = why
        self.recordings.clear()
        _log.info("no CUDA graph: %s", why)

    @property
    def state(self) -> str:
        """The number of recordings, or why there are none, in words."""
        if self.given_up is not None:
            return f"not recorded: {self.given_up}"
        count = sum(map(len, self.recordings.values()))
        return f"recorded for {count} kind{'s' if count != 1 else ''} of calls" if count else "not recorded yet"


def forget() -> None:
    """Let go of all recordings, and of their memory."""
    with _lock:
        for recorder in _recorders:
            recorder.recordings.clear()
