"""Tags for what a test of PyTorch's looks at besides results, told from its source.

A tagged test is not about what users see: it reads torch's counters, logs, guards or graphs, or sets switches that only
torch's Dynamo has. `counts` stands apart: numbers of graphs and operators, which another tracer can match.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

#: Tags by what gives them; the text is that of a test, its decorators and its class's decorators and bases.
PATTERNS = {
    "counters": re.compile(r"\bcounters\b|compilation_metrics|CompilationMetrics|get_metrics_context"),
    "logs": re.compile(r"LoggingTest|make_logging_test|assertLogs|capture_stderr|log_settings|set_logs|logs_to_string"),
    "expected text": re.compile(r"assertExpectedInline|assertExpected\b|FileCheck|normalize_gm|\bprint_readable"),
    "config": re.compile(r"\bconfig\.patch\b|_dynamo\.config\.\w+|\bpatch\.object\(\s*torch\._dynamo\.config"),
    "errors": re.compile(
        r"_dynamo\.exc\b|\bUnsupported\b|\bexc\.\w+Error|TorchRuntimeError|FailOnRecompile|BackendCompiler"
    ),
    "internals": re.compile(
        r"_dynamo\.(guards|bytecode|symbolic_convert|output_graph|variables|source|eval_frame|convert_frame|utils"
        r"|callback|cache_size|trace_rules|comptime|polyfills|export|explain|resume_execution|config_utils|debug_utils)"
        r"|_debug_get_cache_entry|torch\._C\._dynamo|torch\._guards|\bcomptime\b|guard_filter_fn|guard_fail_fn"
        r"|\bbytecode_|skipfiles|trace_rules|export_guard|_dynamo\.export|torch\.export|torch\._inductor\.(?!test_case)|hooks="
        r"|\bdynamo_export|ShapeEnv|TracingContext|\bskip_guard|set_stance|_dynamo_strict"
    ),
    "counts": re.compile(
        r"\b(frame_count|op_count|CompileCounter\w*|EagerAndRecordGraphs|standard_test|make_test|_common)\b"
    ),
}

#: The one tag that a test may have and still be about results alone.
COUNTS = "counts"


@cache
def sources(path: Path) -> dict[str, dict[str, str]]:
    """The methods of each class of a file, with decorators; the head of a class stands under the empty name."""
    text = path.read_text()
    lines = text.splitlines()
    found: dict[str, dict[str, str]] = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ClassDef):
            head = [*node.decorator_list, *node.bases, *node.keywords]
            found[node.name] = {"": "\n".join(ast.get_source_segment(text, part) or "" for part in head)}
            for method in node.body:
                if isinstance(method, ast.FunctionDef):
                    first = min([method.lineno, *(part.lineno for part in method.decorator_list)])
                    found[node.name][method.name] = "\n".join(lines[first - 1 : method.end_lineno])
    return found


def source_of(test_class: type, method: str, folder: Path) -> str:
    """The source of a test, whose name may go on where it has parameters; empty where nothing is found."""
    for base in test_class.__mro__:
        file = inspect.getsourcefile(base) if base.__module__ != "builtins" else None
        path = Path(file).resolve() if file else None
        if path is None or folder.resolve() not in path.parents:
            continue
        methods = sources(path).get(base.__name__, {})
        names = [name for name in methods if name and method.startswith(name)]
        if names:
            return methods[max(names, key=len)] + "\n" + methods[""]
    return ""


def tags_of(source: str) -> list[str]:
    """The tags of a test with this source."""
    return [tag for tag, pattern in PATTERNS.items() if pattern.search(source)]


def is_about_results(tags: Iterable[str]) -> bool:
    """Whether a test looks at results, and perhaps at numbers of graphs."""
    return all(tag == COUNTS for tag in tags)
