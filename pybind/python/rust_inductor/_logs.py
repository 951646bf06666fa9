"""What our own Dynamo does, in torch's log: under the names that ``TORCH_LOGS`` knows, in torch's layout.

``graph``, ``graph_code``, ``graph_sizes``, ``guards``, ``recompiles``, ``graph_breaks``, ``bytecode``, ``trace_source``
and ``trace_bytecode`` are torch's artifacts; ``dynamic`` is a log of torch's. A limit that is reached is a warning,
which is always shown.
"""

from __future__ import annotations

import dis
import itertools
import linecache
import logging
import traceback
from typing import TYPE_CHECKING, Any

from torch._guards import CompileContext, CompileId, compile_context
from torch._logging._internal import getArtifactLogger

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import CodeType

    Event = dict[str, Any]
    Place = tuple[str, int, str]

# Beneath torch's own loggers, whose handlers print what TORCH_LOGS selects.
_PARENT = "torch.rust_inductor"
_warnings = logging.getLogger(_PARENT)
_dynamic = logging.getLogger("torch.fx.experimental.symbolic_shapes.rust_inductor")
_graph_numbers = itertools.count(1)
_breaks_told: set[tuple[Any, ...]] = set()

#: The checks that torch's tree shows for guards of several kinds.
_LEAVES = {
    "SEQUENCE_LENGTH": "LENGTH_CHECK",
    "FUNCTION_MATCH": "ID_MATCH",
    "CLASS_MATCH": "ID_MATCH",
    "MODULE_MATCH": "ID_MATCH",
    "BUILTIN_MATCH": "ID_MATCH",
    "CONSTANT_MATCH": "EQUALS_MATCH",
}

#: Where the book says more about why graphs end.
PAGE = "book: Specification of capture"


def wanted() -> bool:
    """True if anything of a capture is to be logged."""
    return _dynamic.isEnabledFor(logging.INFO) or any(
        logger.isEnabledFor(logging.DEBUG) for logger, _ in _ARTIFACTS.values()
    )


def follows() -> bool:
    """True if what a trace runs is to be logged, instruction by instruction."""
    return any(_ARTIFACTS[name][0].isEnabledFor(logging.DEBUG) for name in ("trace_source", "trace_bytecode"))


def tell(event: Event) -> None:
    """Log what has happened."""
    frame, capture = event["frame"]
    with compile_context(CompileContext(CompileId(frame_id=frame, frame_compile_id=capture))):
        if "limit" in event:
            _warnings.warning("%s", limit_text(event))
            return
        if "failed" in event:
            _warnings.warning("%s", failure_text(event))
        for logger, texts in _ARTIFACTS.values():
            if logger.isEnabledFor(logging.DEBUG):
                for text in texts(event):
                    logger.debug("%s", text)
        for line in symbol_lines(event):
            _dynamic.info("%s", line)


def source_texts(event: Event) -> Iterator[str]:
    """Say each line of the program that the trace came to."""
    from torch._dynamo.funcname_cache import get_funcname

    last = None
    for place, depth, _, _, _ in event.get("followed", ()):
        if (place, depth) != last:
            last = place, depth
            file, line, function = place
            qualified = get_funcname(file, line)
            named = f" ({qualified})" if qualified else ""
            inlined = f" (inline depth: {depth})" if depth else ""
            text = linecache.getline(file, line).rstrip()
            yield f"TRACE starts_line {file}:{line} in {function}{named}{inlined}\n    {text}"


def instruction_texts(event: Event) -> Iterator[str]:
    """Say each instruction that the trace ran, and the stack before it."""
    for _, _, opcode, arg, stack in event.get("followed", ()):
        yield f"TRACE {opcode} {arg} [{', '.join(stack)}]"


def recompile_texts(event: Event) -> Iterator[str]:
    """Say why the entries that were there did not fit."""
    if event["recompile_reasons"]:
        code: CodeType = event["original"]
        lines = [line for reason in event["recompile_reasons"] for line in _failure_lines(reason)]
        failures = "\n".join(f"    - {line}" for line in lines)
        head = f"Recompiling function {code.co_name} in {code.co_filename}:{code.co_firstlineno}"
        yield f"{head}\n    triggered by the following guard failure(s):\n{failures}"


def _failure_lines(reason: dict[str, Any]) -> Iterator[str]:
    yield reason_line(reason)
    place = _place(reason)
    if place is not None:
        yield "User stack trace:"
        yield from _frame_lines([place])


def reason_line(reason: dict[str, Any]) -> str:
    """Say which entry did not fit, and why."""
    frame, capture = reason["frame"]
    return f"{frame}/{capture}: {_with_line(reason['reason'], _place(reason))}"


def _place(reason: dict[str, Any]) -> Place | None:
    """The line that asked for the guard; of tensors, which are looked at in many, none."""
    return None if reason["reason"].startswith("tensor '") else _parsed(reason["line"])


def _parsed(place: str | None) -> Place | None:
    """Read what the tracer writes: ``file:line in function``."""
    file, _, rest = (place or "").rpartition(":")
    line, _, function = rest.partition(" in ")
    return (file, int(line), function) if line.isdigit() else None


def _with_line(text: str, place: Place | None) -> str:
    """Add the program's line that asked for a guard."""
    if place is None:
        return text
    file, line, function = place
    return f"{text:<60}  # {linecache.getline(file, line).strip()}  # {file}:{line} in {function}"


def break_texts(event: Event) -> Iterator[str]:
    """Say where and why a graph ended, or why there is none."""
    if event.get("break") is None and event.get("skipped") is None:
        return
    code: CodeType = event["original"]
    stack = event["stack"] or [(code.co_filename, code.co_firstlineno, code.co_name)]
    file, line, _ = stack[-1]
    reason = "\n".join(_reason_lines(event))
    known = (event["break"] and event["break"]["code"], tuple(stack))
    if known in _breaks_told:
        told = " (user stack suppressed due to duplicate graph break)"
        yield f"Graph break{told} in user code at {file}:{line}\nGraph Break Reason: {reason}\n"
        return
    _breaks_told.add(known)
    above = "".join(traceback.format_list(_stack_above()))
    frames = above + "\n".join(_frame_lines(stack))
    head = f"Graph break in user code at {file}:{line}\nGraph Break Reason: {reason}"
    yield f"{head}\nUser code traceback:\n{frames}\n"


def _stack_above() -> traceback.StackSummary:
    """Who called the function: the program's frames, this module's left out."""
    stack = traceback.extract_stack()
    return traceback.StackSummary.from_list([frame for frame in stack if frame.filename != __file__])


def _reason_lines(event: Event) -> Iterator[str]:
    ended = event["break"]
    if ended is None:
        yield f"The function runs as it is: {event['skipped']}"
        return
    yield f"{ended['what'].rstrip('.')} [{ended['code']}]"
    yield f"  Explanation: {ended['text']}"
    yield f"  Hint: {ended['hint']}"
    if event.get("skipped") is not None:
        yield "  The whole function runs as it is."
    yield f"\n For more details about this graph break, see the {PAGE}, {ended['code']}\n"


def _frame_lines(stack: Sequence[Place]) -> Iterator[str]:
    for file, line, name in stack:
        yield f'  File "{file}", line {line}, in {name}'
        source = linecache.getline(file, line).strip()
        if source:
            yield f"    {source}"


def bytecode_texts(event: Event) -> Iterator[str]:
    """Disassemble the code before and after."""
    original: CodeType = event["original"]
    codes = [("ORIGINAL", original)]
    if event.get("skipped") is None:
        codes.append(("MODIFIED", event["code"]))
    place = f"{original.co_name} {original.co_filename} line {original.co_firstlineno}"
    for which, code in codes:
        yield f"{which} BYTECODE {place} \n{dis.Bytecode(code).dis()}\n"


def graph_name(event: Event) -> str:
    """Number the graphs of the process."""
    if "graph_name" not in event:
        event["graph_name"] = f"__compiled_fn_{next(_graph_numbers)}"
    name: str = event["graph_name"]
    return name


def graph_texts(event: Event) -> Iterator[str]:
    """Print the graph as a table."""
    if event.get("graph") is not None:
        yield f"TRACED GRAPH\n ===== {graph_name(event)} =====\n {event['graph'].tabular()}\n"


def code_texts(event: Event) -> Iterator[str]:
    """Print the graph as Python code."""
    if event.get("graph") is not None:
        yield f"TRACED GRAPH\n ===== {graph_name(event)} =====\n {_readable(event['graph'])}\n"


def size_texts(event: Event) -> Iterator[str]:
    """Print the size of each tensor of the graph."""
    if event.get("graph") is None:
        return
    lines = [f"{name}: {sizes}" for name, sizes in _sizes(event["graph"])]
    yield "\n".join(["TRACED GRAPH TENSOR SIZES", f"===== {graph_name(event)} =====", *lines]) + "\n"


def guard_texts(event: Event) -> Iterator[str]:
    """Print the guards as the tree of what is looked at."""
    if event.get("skipped") is None:
        yield "GUARDS:"
        yield "\n".join(["", "TREE_GUARD_MANAGER:", "+- RootGuardManager", *guard_lines(event), ""])


def guard_lines(event: Event) -> Iterator[str]:
    """One line per guard, beneath the object that it looks at; what looks at several objects comes last."""
    rows = zip(event["guard_kinds"], event["guards"], event["guard_paths"], event["guard_lines"])
    last: list[tuple[str, str]] = []
    above: list[str] = []
    for kind, text, path, line in rows:
        if kind == "SHAPE_ENV":
            last += [("LAMBDA_GUARD", part) for part in text.split(" and ")]
            continue
        text = _with_line(text, _parsed(line))
        kind = _LEAVES.get(kind, "GLOBAL_STATE" if "check_global_state" in text else kind)
        if kind == "DUPLICATE_INPUT" or kind == "NO_TENSOR_ALIASING":
            last.append((kind, text))
            continue
        same = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(above, path)))
        for depth in range(same, len(path)):
            yield f"{'| ' * (depth + 1)}+- GuardManager: source={path[depth]}"
        above = path
        yield f"{'| ' * (len(path) + 1)}+- {kind}: {text}"
    for kind, text in last:
        yield f"+- {kind}: {text}"


def symbol_lines(event: Event) -> Iterator[str]:
    """Say what has become a symbol, and what was decided about symbols."""
    if not _dynamic.isEnabledFor(logging.INFO) or event.get("skipped") is not None:
        return
    yield "create_env"
    marked = list(event["marked"])
    promised = [_tensor(source) for source in event["promised"]]
    for symbol, value, source, bounds in event["symbols"]:
        while _tensor(source) in promised:
            promised.remove(_tensor(source))
            yield f"marking {_tensor(source)} as dynamic (from mark_dynamic)"
        if source in marked:
            marked.remove(source)
            yield _marked(source)
        yield f"create_symbol {symbol} = {value} for {source} {bounds}"
    yield from map(_marked, marked)
    for predicate, line in event["symbol_guards"]:
        place = _parsed(line)
        where = "" if place is None else f" {_with_line('', place).lstrip(' #')}"
        yield f"eval {predicate} [guard added]{where}"
    yield "produce_guards"


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
    last = reason_line(reasons[0]) if reasons else "unknown"
    return (
        f"rust_inductor hit recompile_limit ({event['limit']})\n"
        f"   function: {_named(event['original'])}\n"
        f"   last reason: {last}\n"
        "It runs as it is where no entry fits.\n"
        'To log all recompilation reasons, use TORCH_LOGS="recompiles".'
    )


def _torch_graph(graph: Any) -> Any:
    import torch

    class GraphModule(torch.nn.Module):
        """Gives the code its name."""

    return graph.to_torch(GraphModule())


def _readable(graph: Any) -> str:
    text: str = _torch_graph(graph).print_readable(print_output=False, include_stride=True, include_device=True)
    return text


def _sizes(graph: Any) -> Iterator[tuple[str, str]]:
    for node in _torch_graph(graph).graph.nodes:
        value = node.meta.get("example_value", node.meta.get("val"))
        if hasattr(value, "shape"):
            yield node.name, str(tuple(value.shape))


#: What is logged at DEBUG, in torch's order: name, logger, texts.
_ARTIFACTS: dict[str, tuple[logging.Logger, Callable[[Event], Iterator[str]]]] = {
    name: (getArtifactLogger(_PARENT, name), texts)
    for name, texts in {
        "recompiles": recompile_texts,
        "graph_breaks": break_texts,
        "graph": graph_texts,
        "graph_code": code_texts,
        "graph_sizes": size_texts,
        "bytecode": bytecode_texts,
        "guards": guard_texts,
        "trace_source": source_texts,
        "trace_bytecode": instruction_texts,
    }.items()
}
