"""The origin of a node, as tracebacks show it."""

from __future__ import annotations

import dis
import functools
import importlib
import re
import traceback
from typing import TYPE_CHECKING

from torch._dynamo.polyfills import operator as polyfills

if TYPE_CHECKING:
    from collections.abc import Sequence

_WORKING = ("BINARY", "CALL", "STORE_SUBSCR", "UNARY")


def with_code(
    stack: str, spans: Sequence[tuple[int, int | None, int | None] | None], within: str | None, *, read: bool
) -> str:
    """A stack of files and lines as tracebacks show it: with the text of each line, and marks beneath what ran.

    If the innermost line calls a function of a library that torch traces, that function's line comes last: for what is
    ``read``, where the function looks at its arguments.
    """
    places = [re.fullmatch(r'\s*File "(.*)", line (\d+), in (.*)', line) for line in stack.splitlines()]
    frames = []
    for place, span in zip(places, spans):
        if place is not None:
            end, start_column, end_column = span or (None, None, None)
            frames.append(
                traceback.FrameSummary(
                    *(place[1], int(place[2]), place[3]),
                    lookup_line=False,
                    end_lineno=end,
                    colno=start_column,
                    end_colno=end_column,
                )
            )
    if within is not None and (line := _line_of(within, first=read)) is not None:
        frames.append(line)
    return "".join(traceback.StackSummary.from_list(frames).format())


@functools.cache
def _line_of(name: str, *, first: bool) -> traceback.FrameSummary | None:
    """The line of a library's function that does what the function is there for: the last one that does anything."""
    module, _, function = name.rpartition(".")
    # The interpreter's own `operator` has no lines; torch traces the library's, if it is recent.
    is_operator = module == "operator"
    functions = getattr(polyfills, "py_operator", None) if is_operator else importlib.import_module(module)
    if functions is None:
        return None
    code = getattr(functions, function).__code__
    working = [instruction for instruction in dis.get_instructions(code) if instruction.opname.startswith(_WORKING)]
    at = working[0 if first else -1].positions
    assert at is not None
    return traceback.FrameSummary(
        *(code.co_filename, at.lineno, code.co_name),
        lookup_line=False,
        end_lineno=at.end_lineno,
        colno=at.col_offset,
        end_colno=at.end_col_offset,
    )
