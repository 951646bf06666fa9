"""Writes what our own Dynamo does to torch's log: under the names that ``TORCH_LOGS`` knows, in torch's layout.

``graph``, ``graph_code``, ``graph_sizes``, ``guards``, ``recompiles``, ``recompiles_verbose``, ``graph_breaks``,
``bytecode``, ``trace_source`` and ``trace_bytecode`` are torch's artifacts; ``dynamic`` is a log of torch's. A limit
that is reached is a warning, which is always shown. The book says what differs from torch's own lines, and why.
"""

from __future__ import annotations

import dis
import linecache
import logging
from typing import TYPE_CHECKING, Any

from torch._guards import CompileContext, CompileId, compile_context
from torch._logging._internal import getArtifactLogger

from rust_inductor import _debug, _log_breaks, _log_graphs, _log_guards

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import CodeType

    from rust_inductor._log_guards import Event

# Beneath torch's own loggers, whose handlers print what TORCH_LOGS selects.
_PARENT = "torch.rust_inductor"
_warnings = logging.getLogger(_PARENT)
_dynamic = logging.getLogger("torch.fx.experimental.symbolic_shapes.rust_inductor")


def wanted() -> bool:
    """True if anything of a capture is to be logged."""
    return _dynamic.isEnabledFor(logging.INFO) or any(map(_shown, _ARTIFACTS))


def follows() -> bool:
    """True if what a trace runs is to be logged, instruction by instruction."""
    return _shown("trace_source") or _shown("trace_bytecode")


def shows_graphs() -> bool:
    """True if graphs are to be logged."""
    return any(map(_shown, ("graph", "graph_code", "graph_sizes")))


def _shown(name: str) -> bool:
    return _ARTIFACTS[name].isEnabledFor(logging.DEBUG)


def tell(event: Event) -> None:
    """Log what has happened, in the order in which torch does it."""
    frame, capture = event["frame"]
    with compile_context(CompileContext(CompileId(frame_id=frame, frame_compile_id=capture))):
        if "limit" in event:
            _warnings.warning("%s", limit_text(event))
            return
        if "failed" in event:
            _warnings.warning("%s", failure_text(event))
        verbose = _shown("recompiles_verbose")
        _say("recompiles_verbose" if verbose else "recompiles", _log_guards.recompile_texts(event, verbose=verbose))
        _say("bytecode", [_bytecode_text("ORIGINAL", event["original"], event["original"])])
        is_traced = event.get("skipped") is None
        _tell_symbols(["create_env"] if is_traced else [])
        for name, text in trace_texts(event):
            _say(name, [text])
        _tell_symbols(symbol_lines(event) if is_traced else [])
        _say("graph_breaks", _log_breaks.break_texts(event))
        if event.get("graph") is not None:
            for name, texts in _log_graphs.TEXTS.items():
                if _shown(name):
                    _say(name, [texts(event)])
        _say("bytecode", [_bytecode_text("MODIFIED", event["original"], event["code"])] if is_traced else [])
        _tell_symbols(["produce_guards"] if is_traced else [])
        _say("guards", _log_guards.guard_texts(event) if is_traced else [])


def _say(name: str, texts: Iterable[str]) -> None:
    logger = _ARTIFACTS[name]
    if logger.isEnabledFor(logging.DEBUG):
        for text in texts:
            logger.debug("%s", text)


def _tell_symbols(lines: Iterable[str]) -> None:
    if _dynamic.isEnabledFor(logging.INFO):
        for line in lines:
            _dynamic.info("%s", line)


def trace_texts(event: Event) -> Iterator[tuple[str, str]]:
    """Say each line of the program that the trace came to, and each instruction with the stack before it."""
    from torch._dynamo.funcname_cache import get_funcname

    # The last line of each frame that runs.
    last: list[Any] = []
    for place, depth, opcode, arg, stack in event.get("followed", ()):
        del last[depth + 1 :]
        if last[depth:] != [place]:
            last[depth:] = [place]
            file, line, function = place
            qualified = get_funcname(file, line)
            named = f" ({qualified})" if qualified else ""
            inlined = f" (inline depth: {depth})" if depth else ""
            text = linecache.getline(file, line).rstrip()
            yield "trace_source", f"TRACE starts_line {file}:{line} in {function}{named}{inlined}\n    {text}"
        yield "trace_bytecode", f"TRACE {opcode} {arg} [{', '.join(stack)}]"


def _bytecode_text(which: str, original: CodeType, code: CodeType) -> str:
    place = f"{original.co_name} {original.co_filename} line {original.co_firstlineno}"
    return f"{which} BYTECODE {place} \n{dis.Bytecode(code).dis()}\n"


def symbol_lines(event: Event) -> Iterator[str]:
    """Say what has become a symbol, and what was decided about symbols."""
    asked = _log_guards.asked(event)
    marked = list(event["marked"])
    promised = [_tensor(source) for source in event["promised"]]
    for symbol, value, source, bounds in event["symbols"]:
        while _tensor(source) in promised:
            promised.remove(_tensor(source))
            yield f"marking {_tensor(source)} as dynamic (from mark_dynamic)"
        if source in marked:
            marked.remove(source)
            yield _marked(source)
        where = _log_guards.where(asked.get(_tensor(source)))
        yield f"create_symbol {symbol} = {value} for {source} {bounds}{where}"
    yield from map(_marked, marked)
    for predicate, line in event["symbol_guards"]:
        yield f"eval {predicate} [guard added]{_log_guards.where(line)}"


def _tensor(source: str) -> str:
    """Of a size, which tensor's it is."""
    return source.partition(".size()")[0]


def _marked(source: str) -> str:
    """Say that something has changed between calls."""
    return f"marking {_tensor(source)} as dynamic (from automatic dynamic/PGO)"


def failure_text(event: Event) -> str:
    """Say that a function is not compiled, though the tracer could have gone on."""
    return f"rust_inductor could not compile {_named(event['original'])}; it runs as it is.\n   {event['skipped']}"


def _named(code: CodeType) -> str:
    return f"'{code.co_name}' ({code.co_filename}:{code.co_firstlineno})"


def limit_text(event: Event) -> str:
    """Say that a function is compiled no more."""
    reasons = event["recompile_reasons"]
    last = _log_guards.reason_line(reasons[0]) if reasons else "unknown"
    return (
        f"rust_inductor hit recompile_limit ({event['limit']})\n"
        f"   function: {_named(event['original'])}\n"
        f"   last reason: {last}\n"
        "It runs as it is where no entry fits.\n"
        'To log all recompilation reasons, use TORCH_LOGS="recompiles".'
    )


#: The loggers that log at DEBUG, by name.
_ARTIFACTS: dict[str, logging.Logger] = {
    name: getArtifactLogger(_PARENT, name)
    for name in (
        "recompiles",
        "recompiles_verbose",
        "trace_source",
        "trace_bytecode",
        "graph_breaks",
        "graph_code",
        "graph",
        "graph_sizes",
        "bytecode",
        "guards",
    )
}

_debug.follow("torchdynamo", [*_ARTIFACTS.values(), _dynamic])
