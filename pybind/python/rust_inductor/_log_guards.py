"""Guards in torch's log: the tree of an entry, and which of them did not hold."""

from __future__ import annotations

import ast
import contextlib
import itertools
import linecache
import re
import textwrap
from typing import TYPE_CHECKING, Any

from torch.utils._traceback import shorten_filename

if TYPE_CHECKING:
    from collections.abc import Iterator

    Event = dict[str, Any]
    Place = tuple[str, int, str]

#: The checks that torch's tree shows for guards of several kinds.
_LEAVES = {
    "SEQUENCE_LENGTH": "LENGTH_CHECK",
    "FUNCTION_MATCH": "ID_MATCH",
    "CLASS_MATCH": "ID_MATCH",
    "MODULE_MATCH": "ID_MATCH",
    "BUILTIN_MATCH": "ID_MATCH",
    "CONSTANT_MATCH": "EQUALS_MATCH",
}

#: The least width of the text of a guard, before the line that asked for it.
_WIDTH = 60

#: A local variable, which lines about failures have without its scope.
_LOCAL = re.compile(r"L\[\s*['\"](.*?)['\"]\s*\]")
_GLOBAL = re.compile(r"G\[('.*?')\]")
_CHECKED_TYPE = re.compile(r"___check_type_id\(.*, type=(<class '(?:.*\.)?(\w+)'>)$")
_CHECKED_CLASS = re.compile(r"check_tensor\(.*?, (\w+), ")


def recompile_texts(event: Event, *, verbose: bool) -> Iterator[str]:
    """Say why the entries that were there did not fit."""
    if not event["recompile_reasons"]:
        return
    reasons = ["\n".join(_failure_lines(reason)) for reason in event["recompile_reasons"]]
    if verbose:
        headed = (f"guard {at} failures:\n{textwrap.indent(reason, '- ')}" for at, reason in enumerate(reasons))
        failures = "\n\n".join(headed)
    else:
        failures = textwrap.indent("\n".join(reasons), "- ")
    code = event["original"]
    details = textwrap.indent(f"triggered by the following guard failure(s):\n{failures}", "    ")
    yield f"Recompiling function {code.co_name} in {code.co_filename}:{code.co_firstlineno}\n{details}"


def _failure_lines(reason: dict[str, Any]) -> Iterator[str]:
    yield reason_line(reason)
    place = _place(reason)
    if place is not None and not reason["of_shapes"]:
        yield "User stack trace:"
        yield from frame_lines([place])


def reason_line(reason: dict[str, Any]) -> str:
    """Say which entry did not fit, and why."""
    frame, capture = reason["frame"]
    place = _place(reason)
    text = reason["reason"]
    if place is not None and not reason["of_shapes"]:
        # The guard's columns, from which the scopes were taken.
        text = text.ljust(_WIDTH - len(reason["guard"]) + len(_LOCAL.sub(r"\1", reason["guard"])))
    return f"{frame}/{capture}: {text}{_comment(place)}"


def _place(reason: dict[str, Any]) -> Place | None:
    """The line that asked for the guard; of tensors, which are looked at in many, none."""
    return None if reason["reason"].startswith("tensor '") else parsed(reason["line"])


def parsed(place: str | None) -> Place | None:
    """Read what the tracer writes: ``file:line in function``."""
    file, _, rest = (place or "").rpartition(":")
    line, _, function = rest.partition(" in ")
    return (file, int(line), function) if line.isdigit() else None


def where(line: str | None) -> str:
    """The program's line, for the end of one of the log's."""
    return _comment(parsed(line)).removeprefix("  #")


def _comment(place: Place | None) -> str:
    if place is None:
        return ""
    file, line, function = place
    short = shorten_filename(file)  # type: ignore[no-untyped-call]
    return f"  # {linecache.getline(file, line).strip()}  # {short}:{line} in {function}"


def frame_lines(stack: list[Place]) -> Iterator[str]:
    """Print frames as tracebacks do, without columns."""
    for file, line, name in stack:
        yield f'  File "{file}", line {line}, in {name}'
        source = linecache.getline(file, line).strip()
        if source:
            yield f"    {source}"


def guard_texts(event: Event) -> Iterator[str]:
    """Print the guards as the tree of what is looked at."""
    yield "GUARDS:"
    yield "\n".join(["", "TREE_GUARD_MANAGER:", "+- RootGuardManager", *guard_lines(event), ""])
    yield f"Guard eval latency = {event['microseconds']:.2f} us"


def guard_lines(event: Event) -> Iterator[str]:
    """One line per guard, beneath the object that it looks at; what looks at several objects comes last."""
    rows = list(zip(event["guard_kinds"], event["guards"], event["guard_paths"], event["guard_lines"]))
    types = _types(rows)
    last: list[tuple[str, str]] = []
    above: list[str] = []
    for kind, text, own_path, line in rows:
        path = ["G", *own_path] if own_path and own_path[0].startswith("G[") else own_path
        if kind == "SHAPE_ENV":
            # What sizes may be at all is said where the tensor was first looked at.
            first = asked(event)
            rows_of = [(part, at or first.get(_least(part))) for part, at in event["shape_guards"]]
            last += [("LAMBDA_GUARD", f"{part}{_comment(parsed(at))}") for part, at in rows_of]
            continue
        place = parsed(line)
        text = f"{text:<{_WIDTH}}{_comment(place)}" if place else text
        checked = _CHECKED_TYPE.search(text.partition("  #")[0].rstrip())
        if checked and kind == "TYPE_MATCH":
            text += f" (HINT: type {checked[2]})"
        kind = _LEAVES.get(kind, "GLOBAL_STATE" if "check_global_state" in text else kind)
        if kind == "DUPLICATE_INPUT" or kind == "NO_TENSOR_ALIASING":
            last.append((kind, text))
            continue
        same = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(above, path)))
        for depth in range(same, len(path)):
            base = path[depth - 1] if depth else ""
            described = f"source={path[depth]}{_access(event, base, path[depth], types)}"
            if path[depth] in types:
                described += f", type={types[path[depth]]}"
            yield f"{'| ' * (depth + 1)}+- GuardManager: {described}"
        above = path
        yield f"{'| ' * (len(path) + 1)}+- {kind}: {text}"
    for kind, text in last:
        yield f"+- {kind}: {text}"


def asked(event: Event) -> dict[str, str]:
    """The line that first asked for a guard on an object, by its source."""
    rows = zip(event["guard_paths"], event["guard_lines"])
    return {path[-1]: line for path, line in rows if path and line}


def _least(check: str) -> str:
    """The tensor of which a check says that a size is neither 0 nor 1."""
    found = re.fullmatch(r"2 <= (.*)\.size\(\)\[\d+\]", check)
    return found[1] if found else ""


def _types(rows: list[tuple[str, str, list[str], str | None]]) -> dict[str, str]:
    """The types that guards name, by source."""
    types = {"G": "<class 'dict'>"}
    for kind, text, path, _ in rows:
        if kind in ("EQUALS_MATCH", "CONSTANT_MATCH"):
            with contextlib.suppress(ValueError, SyntaxError):
                types[path[-1]] = str(type(ast.literal_eval(text.partition(" == ")[2])))
        elif path and (found := re.search(r", type=(<class '.*?'>)", text)):
            types[path[-1]] = found[1]
        elif path and (found := _CHECKED_CLASS.match(text)):
            types[path[-1]] = f"<class 'torch.{found[1]}'>" if found[1] == "Tensor" else found[1]
    return types


def _access(event: Event, base: str, source: str, types: dict[str, str]) -> str:
    """The accessor by which an object is reached from the one above it, in torch's words."""
    if source == "G":
        return ", accessed_by=GlobalsGuardAccessor"
    if base == "G" and (found := _GLOBAL.fullmatch(source)):
        return f", accessed_by=DictGetItemGuardAccessor({found[1]})"
    if not base and (found := _LOCAL.fullmatch(source)):
        code = event["original"]
        names = [*code.co_varnames, *(name for name in code.co_cellvars if name not in code.co_varnames)]
        names += code.co_freevars
        at = names.index(found[1]) if found[1] in names else -1
        return f", accessed_by=FrameLocalsGuardAccessor(key='{found[1]}', framelocals_idx={at})"
    if source == f"type({base})":
        return ", accessed_by=TypeGuardAccessor"
    rest = source.removeprefix(base)
    if re.fullmatch(r"\.\w+", rest):
        return f", accessed_by=GetAttrGuardAccessor({rest[1:]})"
    if re.fullmatch(r"\[.*\]", rest):
        kinds = {"<class 'dict'>": "Dict", "<class 'tuple'>": "Tuple", "<class 'list'>": "List"}
        kind = kinds.get(types.get(base, ""), "List")
        return f", accessed_by={kind}GetItemGuardAccessor({rest[1:-1]})"
    return ""
