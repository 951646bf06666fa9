"""Graph breaks in torch's log: where and why a graph ended, or why there is none."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rust_inductor._log_guards import Event

#: The page of the book that says more about why graphs end.
PAGE = "book: Specification of capture"

#: The descriptions that torch has of instructions, by the name of the opcode.
_INSTRUCTIONS = {
    "BINARY_SUBSCR": "a binary subscript, e.g. x[attr]",
    "CALL": "a function call, e.g. f(x, y)",
    "CALL_FUNCTION_EX": "a variadic function call, e.g. f(*args)",
    "CALL_KW": "a function call with keyword arguments, e.g. f(x=True)",
    "COMPARE_OP": "a comparison operation, e.g. a == b",
    "STORE_ATTR": "storing an object's attribute, e.g. x.attr = y",
    "STORE_SUBSCR": "trying to store subscript, e.g. x[key] = y",
}

_OWN = str(Path(__file__).parent)
_told: set[tuple[Any, ...]] = set()


def break_texts(event: Event) -> Iterator[str]:
    """Say where and why a graph ended, or why there is none."""
    if event.get("break") is None and event.get("skipped") is None:
        return
    code = event["original"]
    stack = event["stack"] or [(code.co_filename, code.co_firstlineno, code.co_name)]
    spans = event.get("stack_spans") or [None]
    file, line, _ = stack[-1]
    reason = "\n".join(_reason_lines(event))
    known = (event["break"] and event["break"]["code"], file, line)
    if known in _told:
        told = " (user stack suppressed due to duplicate graph break)"
        yield f"Graph break{told} in user code at {file}:{line}\nGraph Break Reason: {reason}"
        return
    _told.add(known)
    from torch._dynamo import exc

    above = exc.get_stack_above_dynamo()
    while above and above[-1].filename.startswith((_OWN, exc.__file__)):
        above.pop()
    frames = exc.format_user_stack([*above, *(_frame(place, span) for place, span in zip(stack, spans))])
    yield f"Graph break in user code at {file}:{line}\nGraph Break Reason: {reason}\n\nUser code traceback:\n{frames}"


def _frame(place: tuple[str, int, str], span: Any) -> traceback.FrameSummary:
    file, line, name = place
    end, columns = span or (None, None)
    start, stop = columns or (None, None)
    return traceback.FrameSummary(file, line, name, end_lineno=end, colno=start, end_colno=stop)


def _reason_lines(event: Event) -> Iterator[str]:
    ended = event["break"]
    if ended is None:
        yield f"The function runs as it is: {event['skipped']}"
        return
    if ended["opcode"] in _INSTRUCTIONS:
        opcode = ended["opcode"]
        yield f"Encountered graph break when attempting to trace {opcode}: {_INSTRUCTIONS[opcode]}:\n"
    yield f"{ended['what'].rstrip('.')} [{ended['code']}]"
    yield f"  Explanation: {ended['text']}"
    yield f"  Hint: {ended['hint']}"
    if event.get("skipped") is not None:
        yield "  Hint: The whole function runs as it is."
    yield f"\n  Developer debug context: {ended['opcode'] or 'no instruction'}"
    yield f"\n For more details about this graph break, see the {PAGE}, {ended['code']}"
