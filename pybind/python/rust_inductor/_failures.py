"""An exception that a graph raises, told with the lines of the program.

The code that runs in a function's place hands over what its graph has raised, before that goes on. The traceback begins
there with the frame of that code; the lines that the program has in its place are those of the operation which failed,
and of the calls on the way to it. Nothing here runs unless a graph fails.
"""

from __future__ import annotations

import linecache
import re
from types import CodeType, FrameType, TracebackType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import torch

#: A frame as torch writes it in a node's ``stack_trace``.
_FRAME = re.compile(r'^ *File "(?P<file>.*)", line (?P<line>\d+), in (?P<name>.*)$', re.MULTILINE)
#: A variable that is given a value.
_ASSIGNED = re.compile(r"\b(\w+) = ")
#: Part of the file names that torch gives to the code of graph modules.
_GENERATED = "eval_with_key"
#: A module that does nothing but raise.
_RAISE = compile("raise error", "<graph>", "exec")
#: Code units that an entry of a line table covers, at most.
_ENTRY_UNITS = 8

Place = tuple[str, int, str]
#: The state of the generator, if it is drawn from, and tensors with their values.
Kept = tuple["torch.Tensor | None", list[tuple["torch.Tensor", "torch.Tensor"]]]


def kept(draws: bool, *tensors: torch.Tensor) -> Kept:
    """Keep what a graph changes: the state of the random number generator, if it draws, and these tensors."""
    import torch

    state = torch.random.get_rng_state() if draws else None
    elements = [_elements(tensor) for tensor in tensors]
    return state, [(tensor, tensor.clone()) for tensor in elements]


def take_back(state: Kept) -> None:
    """Make what was kept be as it was: the graph has failed, and the program runs as it is from its beginning."""
    import torch

    generator, tensors = state
    if generator is not None:
        torch.random.set_rng_state(generator)
    for tensor, values in tensors:
        with torch.inference_mode(tensor.is_inference()):
            tensor.copy_(values)


def _elements(tensor: torch.Tensor) -> torch.Tensor:
    """A tensor without the dimensions along which it repeats its elements: those cannot be written at once."""
    elements = tensor.detach()
    for dim, stride in enumerate(elements.stride()):
        if stride == 0 and elements.size(dim) > 1:
            elements = elements.narrow(dim, 0, 1)
    return elements


def teller(sites: Sequence[tuple[str, str]]) -> Callable[[BaseException], None]:
    """Make what is called with an exception of a graph; ``sites`` are the names and stacks of what may fail in it."""
    named = dict(sites)

    def tell(error: BaseException) -> None:
        try:
            _tell(error, named)
        except Exception:
            # What the graph has raised matters more than where.
            return

    return tell


def _tell(error: BaseException, sites: Mapping[str, str]) -> None:
    """Put the lines of the program into the traceback, or all that may be meant into a note."""
    here = error.__traceback__
    if here is None:
        return
    candidates = list(dict.fromkeys(sites.values()))
    site = _generated_site(here.tb_next, sites)
    if site is None and isinstance(error, Exception) and not isinstance(error, MemoryError):
        if len(candidates) == 1:
            (site,) = candidates
        elif candidates:
            innermost = [place for candidate in candidates for place in _places(candidate)[-1:]]
            lines = "".join(f"\n  {file}:{line} in {name}" for file, line, name in innermost)
            error.add_note(f"A compiled graph raised this, in one of these lines:{lines}")
    places = _places(site) if site is not None else []
    if places:
        error.__traceback__ = _with_places(here, places)


def _places(stack: str) -> list[Place]:
    """The frames of a node's stack, the outermost first."""
    return [(found["file"], int(found["line"]), found["name"]) for found in _FRAME.finditer(stack)]


def _with_places(here: TracebackType, places: Sequence[Place]) -> TracebackType:
    """The traceback with these places for its first frame."""
    rest = here.tb_next
    for place in reversed(places[1:]):
        frame, lasti = _frame(place)
        rest = TracebackType(rest, frame, lasti, place[1])
    # The frame stands at the call of this module, which has no line of its own.
    return TracebackType(rest, here.tb_frame, here.tb_frame.f_lasti, places[0][1])


def _frame(place: Place) -> tuple[FrameType, int]:
    """A frame at this place, and the instruction at which it stands."""
    file, line, name = place
    code = _RAISE.replace(
        co_filename=file, co_name=name, co_qualname=name, co_firstlineno=line, co_linetable=_one_line(_RAISE)
    )
    try:
        exec(code, {"error": RuntimeError()})
    except RuntimeError as raised:
        traceback = raised.__traceback__
        assert traceback is not None
        assert traceback.tb_next is not None
        inner = traceback.tb_next
        raised.__traceback__ = None
        return inner.tb_frame, inner.tb_lasti
    raise AssertionError


def _one_line(code: CodeType) -> bytes:
    """The line table of code that stands in one line, with no columns."""
    table = bytearray()
    left = len(code.co_code) // 2
    while left > 0:
        units = min(left, _ENTRY_UNITS)
        table += bytes([0x80 | 13 << 3 | units - 1, 0])
        left -= units
    return bytes(table)


def _generated_site(traceback: TracebackType | None, sites: Mapping[str, str]) -> str | None:
    """The stack of the node at which a graph module's code stands in the traceback."""
    for frame, line in _walk(traceback):
        if _GENERATED in frame.f_code.co_filename:
            site = _node_stack(frame.f_locals.get("self"), line)
            site = site or _assigned_site(linecache.getline(frame.f_code.co_filename, line), sites)
            if site is not None:
                return site
    return None


def _assigned_site(line: str, sites: Mapping[str, str]) -> str | None:
    """The stack of the node to which a line of a graph's code gives a value, by the node's name."""
    assigned = (found[1] for found in _ASSIGNED.finditer(line))
    return next((sites[name] for name in assigned if name in sites), None)


def _walk(traceback: TracebackType | None) -> Iterator[tuple[FrameType, int]]:
    while traceback is not None:
        yield traceback.tb_frame, traceback.tb_lineno
        traceback = traceback.tb_next


def _node_stack(module: Any, line: int) -> str | None:
    """The stack of the node that a line of a graph module's code computes."""
    numbers = getattr(module, "_lineno_map", None)
    number = numbers.get(line - module._prologue_start) if numbers else None
    if number is None:
        return None
    for index, node in enumerate(module.graph.nodes):
        if index == number:
            stack: str | None = node.meta.get("stack_trace")
            return stack
    return None
