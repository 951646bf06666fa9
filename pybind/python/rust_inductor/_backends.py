"""The compilers that can stand behind our capture: our own, torch's by name, and the user's."""

from __future__ import annotations

import builtins
import dataclasses
import functools
import inspect
import linecache
import operator
import os
import threading
import types
import weakref
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from rust_inductor import _log_code, _modes, _native
from rust_inductor._locks import compile_lock

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import torch

    from rust_inductor._fakes import Capture
    from rust_inductor.fx import Graph

    Compiled = Callable[..., Any]
    Backend = Callable[..., Any]
    OnGraph = Callable[[str, _native.CompiledFn], None]


def resolve(
    backend: str | Callable[..., Any],
    options: Mapping[str, Any] | None = None,
    *,
    mode: str | None = None,
    dynamic: bool | None = None,
    on_graph: OnGraph | None = None,
) -> Backend:
    """The compiler of a name, or that the user gives: ``my_compiler(gm, example_inputs)``."""
    if backend == "eager":
        return lambda graph, _inputs, _lowered: _alone(_module(graph))
    if backend == "rust_inductor":
        options = _modes.options(mode, options)
        _native.check_options(options)
        return _Own(options, on_graph)
    if backend == "inductor":
        import torch

        return Described(torch._TorchCompileInductorWrapper(mode, dict(options or {}), dynamic))
    if isinstance(backend, str):
        from torch._dynamo.backends.registry import lookup_backend

        backend = lookup_backend(backend)
    # Only what is given is handed on: most compilers take two arguments.
    extra: dict[str, Any] = {"options": dict(options)} if options else {}
    if mode not in (None, "default"):
        extra["mode"] = mode
    return Described(backend, extra)


class _Own:
    """Our own compiler. What it cannot take as it is goes ``through`` AOTAutograd, with all that torch would tell."""

    def __init__(self, options: Mapping[str, Any], on_graph: OnGraph | None) -> None:
        self.settings = (options, on_graph)
        #: With this option what has no kernel is the program's to know; else the function runs as it is.
        self.is_blamed = options.get("fallback") == "error"
        self.through = _Through(self._differentiated, is_blamed=self.is_blamed)

    def __call__(self, graph: Graph, inputs: Sequence[Any], lowered: Graph | None, weights: Sequence[int]) -> Any:
        """Compile a graph, some of whose inputs, by number, are parameters and buffers."""
        return _compile(graph, inputs, lowered, weights, *self.settings)

    def _differentiated(self, gm: torch.fx.GraphModule, inputs: Sequence[Any]) -> Compiled:
        from rust_inductor import _aot

        options, on_graph = self.settings
        return _aot.compile_module(gm, inputs, options=options, on_graph=on_graph)


class Described:
    """A compiler that is told of a graph what torch's Dynamo would tell."""

    #: Our capture hands over its facts.
    described = True
    #: Whether the program sees what the compiler raises; if not, the function runs as it is.
    is_blamed = True

    def __init__(self, compiler: Callable[..., Any], extra: Mapping[str, Any] | None = None) -> None:
        self.compiler = compiler
        self.extra = dict(extra or {})

    def __call__(self, graph: Graph, inputs: Sequence[Any], facts: _native.Facts) -> Compiled | None:
        """Compile the graph; ``None`` if the compiler wants the function to run as it is."""
        with compile_lock():
            return self._with_restarts(graph, inputs, facts)

    def _with_restarts(self, graph: Graph, inputs: Sequence[Any], facts: _native.Facts) -> Compiled | None:
        """Call the compiler until it wants no more floats to be constants."""
        from torch._dynamo.exc import TensorifyScalarRestartAnalysis
        from torch._dynamo.symbolic_convert import TensorifyState

        from rust_inductor._fakes import Capture

        constant = TensorifyState.force_specializations
        try:
            while True:
                gm, known = _module(graph), len(constant)
                capture = Capture(gm, inputs, facts)
                try:
                    return self._answer(gm, capture)
                except TensorifyScalarRestartAnalysis:
                    if len(constant) == known or not constant.isdisjoint(capture.world.floats.values()):
                        # There are floats that AOTAutograd cannot compute as tensors: the capture is made without.
                        facts.refuse()
                        return _refused
                    # Else they are what tensors of the program hold, which is read from there the second time.
        finally:
            TensorifyState.clear()

    def _answer(self, gm: torch.fx.GraphModule, capture: Capture) -> Compiled | None:
        from torch._dynamo.exc import SkipFrame, TensorifyScalarRestartAnalysis

        try:
            with capture.active():
                compiled = self._called(gm, list(capture.inputs))
        except SkipFrame:
            return None
        except TensorifyScalarRestartAnalysis:
            raise
        except BaseException:
            if capture.failure is not None:
                raise capture.failure from None
            if self.is_blamed:
                capture.facts.blame_backend()
            raise
        capture.bring_back()
        return _runnable(compiled)

    def _called(self, gm: torch.fx.GraphModule, inputs: list[Any]) -> Compiled:
        """Call the compiler; what it raises becomes what torch makes of it."""
        from torch._dynamo.exc import BackendCompilerFailed, ShortenTraceback, SkipFrame, TensorifyScalarRestartAnalysis

        try:
            compiled: Compiled = self.compiler(gm, inputs, **self.extra)
            if not callable(compiled):
                message = f"a backend gives a callable, not {type(compiled).__name__}"
                raise TypeError(message)
        except (ShortenTraceback, SkipFrame, TensorifyScalarRestartAnalysis, IndexError):
            raise
        except Exception as error:
            if not self.is_blamed:
                raise
            failed: Exception = BackendCompilerFailed(self.compiler, error, inspect.currentframe())
            raise failed.with_traceback(error.__traceback__) from None
        return compiled


def described_module(graph: Graph, inputs: Sequence[Any], facts: _native.Facts) -> torch.fx.GraphModule:
    """The module that a described compiler is given, for who only reads it."""
    from rust_inductor._fakes import Capture

    gm = _module(graph)
    Capture(gm, inputs, facts)
    return gm


class _Through(Described):
    """Our own compiler, by way of AOTAutograd."""

    def __init__(self, compiler: Callable[..., Any], *, is_blamed: bool) -> None:
        super().__init__(compiler)
        self.is_blamed = is_blamed


def _refused(*_args: Any) -> Any:
    message = "this graph was refused"
    raise RuntimeError(message)


def _module(graph: Graph) -> torch.fx.GraphModule:
    """Give the graph as a module, whose Python code is written when somebody asks for it."""
    gm = graph.to_torch(_root()(), lazy=True)
    # As an attribute it goes when the graph does, in circles though they are.
    vars(gm.graph)[_Made.__name__] = _Made(graph, [_row(node) for node in gm.graph.nodes])
    # A graph module has a class of its own, which its copies and pickles do not share.
    type(gm).real_recompile = _write_once  # type: ignore[attr-defined]
    return gm


class _Made(NamedTuple):
    """The graph that one of torch's was made of: while the nodes are as they were then, its code is the other's too."""

    graph: Graph
    rows: list[tuple[Any, ...]]

    def code(self, graph: torch.fx.Graph) -> torch.fx.graph.PythonCode | None:
        """Give what ``graph.python_code("self")`` gives, in a tenth of the time; ``None`` if that may differ."""
        import torch

        if type(graph._codegen) is not torch.fx.graph.CodeGen or graph._codegen._body_transformer is not None:
            return None
        if torch.fx.experimental._config.enrich_profiler_metadata:
            return None
        rows = map(_row, graph.nodes)
        if len(graph.nodes) != len(self.rows) or not all(map(operator.is_, chain(*rows), chain(*self.rows))):
            return None
        ours = self.graph.python_code("self")
        parameters = ["self"]
        for node in graph.nodes:
            text, is_parameter = _types().get(node.type), node.op == "placeholder"
            if text is None or (node.args if is_parameter else text):
                return None
            if is_parameter:
                parameters.append(f"{node.target} : {text}" if text else node.target)
        blank, start, rest = ours.src.partition("def forward(")
        _, end, body = rest.partition("):\n")
        if blank.strip() or not end or body.count("\n") != len(self.rows):
            return None
        # The functions that torch has no name for are globals.
        targets = {theirs.target: node.target for theirs, node in zip(self.graph.nodes, graph.nodes)}
        if not targets.keys() >= set(ours.globals.values()):
            return None
        lines: dict[int, int | None] = {number: number - 1 for number in range(1, len(self.rows) + 1)}
        lines[len(self.rows) + 1] = len(self.rows) - 1
        names = {name: builtin.obj for name, builtin in torch.fx.graph._custom_builtins.items()}
        names.update((name, targets[target]) for name, target in ours.globals.items())
        source = f"{blank}{start}{', '.join(parameters)}{end}{body}"
        return torch.fx.graph.PythonCode(source, names, _lineno_map=lines, _prologue_start=4)

    def function(self, graph: torch.fx.Graph, code: torch.fx.graph.PythonCode, file: str) -> types.FunctionType | None:
        """Give the function that the source in a file defines; ``None`` if that has to be compiled."""
        callables = [node.target for node in graph.nodes if node.op == "call_function"]
        compiled = _native.bytecode_of(self.graph, callables, file)
        if compiled is None:
            return None
        # As `exec` has it.
        forward = types.FunctionType(compiled, {**code.globals, "__builtins__": vars(builtins)})
        typed = (node for node in graph.nodes if node.op == "placeholder" and node.type is not None)
        forward.__annotations__ = {str(node.target): node.type for node in typed}
        return forward


def _row(node: torch.fx.Node) -> tuple[Any, ...]:
    """Give what the code of a node depends on; containers of arguments do not change, but are replaced."""
    return node, node.op, node.name, node.target, node._args, node._kwargs


@functools.cache
def _types() -> dict[Any, str]:
    """The types of a graph's inputs, as code names them."""
    import torch

    return {None: "", torch.Tensor: "torch.Tensor", torch.nn.Parameter: "torch.nn.parameter.Parameter"}


@functools.cache
def _root() -> type[torch.nn.Module]:
    """The class whose name graph modules have."""
    import torch

    return type("GraphModule", (torch.nn.Module,), {})


def _runnable(compiled: Compiled) -> Compiled:
    """Put the code of a module in the place of what would write it, where a backend has given such a module back."""
    from torch.fx._lazy_graph_module import _LazyGraphModule

    owner = getattr(compiled, "__self__", compiled)
    if isinstance(owner, _LazyGraphModule):
        was_forward = getattr(compiled, "__name__", "") in ("_lazy_forward", "forward")
        _write_once(owner)
        return owner.forward if was_forward else compiled
    return compiled


class _NoModule:
    """A stand-in for ``self`` in the code of a graph that asks nothing of its module; it prints as a module."""

    def __repr__(self) -> str:
        return "GraphModule()"


_NO_MODULE = _NoModule()


def _alone(gm: torch.fx.GraphModule) -> Compiled:
    """Give the code of a graph without its module, if it asks nothing of that.

    What a compiled function keeps is out of the garbage collector's sight until the function is gone. A module, full of
    references in circles, would wait from then on for another of the rare collections of what is old; code does not.
    """
    if any(node.op in ("get_attr", "call_module") for node in gm.graph.nodes):
        return _runnable(gm.forward)
    _write(gm)
    forward = type(gm).forward
    _forgotten_with(forward, forward)
    return types.MethodType(forward, _NO_MODULE)


_SHOWING = {"FX_GRAPH_SHOW_STRIDE", "FX_GRAPH_SHOW_DEVICE", "FX_GRAPH_SHOW_META"}
"""The environment variables by which torch writes more than the program into the code of a graph."""


_writing = threading.RLock()
"""Held while code is written: what a backend has kept may be called first by several threads."""


def _write_once(gm: torch.fx.GraphModule) -> None:
    """Write the Python code of a module that is called, or asked for its code; ``_LazyGraphModule.real_recompile``."""
    with _writing:
        if gm._needs_recompile():  # type: ignore[operator]
            _write(gm)
            _forgotten_with(gm, gm.forward)


def _write(gm: torch.fx.GraphModule) -> None:
    """Write the Python code of a module."""
    from torch.fx._lazy_graph_module import _LazyGraphModule

    from rust_inductor._unseen import unlooked

    made: _Made | None = vars(gm.graph).pop(_Made.__name__, None)
    code = None if made is None or os.environ.keys() & _SHOWING else made.code(gm.graph)
    with unlooked(gm.graph):
        if made is None or code is None or not _has_own_code(gm, made, code):
            _LazyGraphModule.real_recompile(gm)  # type: ignore[arg-type]


def _has_own_code(gm: torch.fx.GraphModule, made: _Made, code: torch.fx.graph.PythonCode) -> bool:
    """Give a module its Python code, of which torch only keeps the source, with bytecode of ours; false if it has to
    compile the source itself."""
    from torch.fx._lazy_graph_module import _LazyGraphModule
    from torch.fx.graph_module import _loader

    if gm.graph._co_fields:
        return False
    key = _loader.cache(code.src, code.globals)
    forward = made.function(gm.graph, code, key)
    if forward is None:
        _forget_source(key)
        return False
    # What torch executes is nothing, among whose globals it finds the function.
    stand_in = dataclasses.replace(code, src="", globals={**code.globals, forward.__name__: forward})
    gm.graph.python_code = lambda *_, **__: stand_in  # type: ignore[method-assign]
    gm.graph._co_fields = {"co_filename": key}
    try:
        _LazyGraphModule.real_recompile(gm)  # type: ignore[arg-type]
    finally:
        gm.graph._co_fields = {}
        vars(gm.graph).pop("python_code", None)
    gm._code = _loader.eval_cache[key] = code.src
    return True


def _forgotten_with(owner: Any, forward: Any) -> None:
    """Let go of a function's Python code together with its owner: torch keeps it for tracebacks without end."""
    weakref.finalize(owner, _forget_source, forward.__code__.co_filename).atexit = False


def _forget_source(key: str) -> None:
    from torch.fx.graph_module import _loader

    _loader.eval_cache.pop(key, None)
    linecache.cache.pop(key, None)


def _compile(
    graph: Graph,
    inputs: Sequence[Any],
    lowered: Graph | None,
    weights: Sequence[int],
    options: Mapping[str, Any],
    on_graph: OnGraph | None,
    numbers: int = 0,
) -> Any:
    """Compile a graph in Rust alone where that is possible, else by way of AOTAutograd.

    So many of the inputs, the last ones, are numbers as tensors of ours, which share no memory.
    """
    import torch

    try:
        parts = _native.take_numbers_out(graph)
    except ValueError:
        return NotImplemented
    if parts is not None:
        return _in_parts(parts, inputs, weights, options, on_graph)
    because = None
    if lowered is not None and not any(map(_is_pending, inputs)):
        try:
            return _in_rust(graph, inputs, lowered, weights, options, on_graph)
        except _LeftError as error:
            because = str(error)
        except _AsItIsError as error:
            compiled = _native.graph_as_it_is(graph, lowered, error.reason)
            if on_graph is not None:
                on_graph("forward", compiled)
            return error.checked(compiled)
    tensors = sum(isinstance(x, torch.Tensor) for x in inputs[: len(inputs) - numbers])
    if _native.has_symbols(graph) or (tensors > 1 and _native.changes_tensors(lowered or graph)):
        # AOTAutograd has to be told of them, and tells of which tensors that change it assumed that they share memory.
        return NotImplemented
    with compile_lock():
        from rust_inductor import _aot

        return _aot.compile_module(
            _module(graph), inputs, options=options, on_graph=on_graph, weights=weights, because=because
        )


class _LeftError(Exception):
    """The reason why AOTAutograd has to take a graph."""


class _AsItIsError(Exception):
    """The reason why a graph has to run as it is, and how that is checked for the inputs of a call."""

    def __init__(self, reason: str, checked: Callable[[Any], Any] = lambda compiled: compiled) -> None:
        super().__init__(reason)
        self.reason, self.checked = reason, checked


def _in_rust(
    graph: Graph,
    inputs: Sequence[Any],
    lowered: Graph,
    weights: Sequence[int],
    options: Mapping[str, Any],
    on_graph: OnGraph | None,
) -> Any:
    """Compile a graph of ATen overloads; raise where AOTAutograd has to take it."""
    import torch

    from rust_inductor._differentiated import Followed, without_autocast
    from rust_inductor._shared_memory import (
        Checked,
        Storages,
        with_counted_writes,
        with_followed_writes,
        with_versions,
        with_views,
    )

    made: _native.Differentiated | None = None
    rewritten: list[tuple[int, int]] = []
    requires_grad = [getattr(x, "requires_grad", False) for x in inputs]
    is_recorded = torch.is_grad_enabled() and any(requires_grad)
    if torch.is_grad_enabled() and _native.changes_tensors(lowered):
        tensors = [at for at, x in enumerate(inputs) if isinstance(x, torch.Tensor)]
        storages = Storages(tensors, inputs)
        if storages.expected:
            # AOTAutograd takes them for views of one tensor, also those that are detached from it.
            message = "inputs that share memory, of which some are written to while autograd records"
            raise _AsItIsError(message, lambda compiled: Checked(compiled, storages))
    # The graph of overloads has autocast's conversions in it, the one in torch's names is run under autocast.
    is_autocast = torch._C._is_any_autocast_enabled()
    try:
        if is_recorded:
            made, results, written = _native.differentiate_lowered(
                lowered, options, requires_grad=requires_grad, weights=weights
            )
            compiled = made.forward
        else:
            compiled, results, written, rewritten = _native.compile_lowered(
                lowered, None if is_autocast else graph, options, weights=weights
            )
    except NotImplementedError as error:
        # AOTAutograd would lose gradients.
        raise _AsItIsError(str(error)) from None
    except ValueError as error:
        # It shares memory with the program in ways that only AOTAutograd keeps up, or has no derivative here.
        raise _LeftError(str(error)) from None
    composite = next((target for target, _ in compiled.calls if _hides_parts(target)), None)
    if composite is not None:
        message = f"`{composite}`, which is composed of others"
        raise _LeftError(message)
    if not torch.is_inference_mode_enabled() and any(inputs[at].is_inference() for at, _ in written):
        message = "writes to inference tensors, which eager refuses"
        raise _LeftError(message)
    if made is not None and written and options.get("device", "cpu") != "cpu":
        # The processor's kernels write into the program's tensors; a device has copies of them.
        message = "writes to inputs on a device"
        raise _LeftError(message)
    tensors = [at for at, x in enumerate(inputs) if isinstance(x, torch.Tensor)] if written else []
    storages = Storages(tensors, inputs)
    if storages.expected:
        message = "inputs that share memory, of which some are written to"
        raise _LeftError(message)
    function: Compiled = compiled
    if made is not None:
        function = Followed(made, requires_grad, on_graph)
        if made.followed_writes:
            function = with_followed_writes(function, made.followed_writes)
    else:
        if on_graph is not None:
            on_graph("inference", compiled)
        _log_code.log("inference", compiled)
        if is_autocast:
            function = without_autocast(compiled)
        if rewritten:
            function = with_counted_writes(function, rewritten)
    if results is not None:
        function = with_views(function, results, () if made is None else made.detached)
    # Guards tell inference tensors, which have no versions, from others.
    versions = [(at, count) for at, count in written if not inputs[at].is_inference()]
    function = with_versions(function, versions) if versions else function
    return Checked(function, storages) if len(tensors) > 1 else function


@functools.cache
def _hides_parts(target: str) -> bool:
    """Whether a call is of an operator without a rule that AOTAutograd would decompose.

    What draws random numbers stays whole: its parts may draw others.
    """
    if not target.startswith("aten.") or _native.is_for_library(target):
        return False
    import torch

    name, _, overload = target.removeprefix("aten.").partition(".")
    if torch.Tag.nondeterministic_seeded in getattr(getattr(torch.ops.aten, name), overload).tags:
        return False
    qualified = f"aten::{name}" if overload == "default" else f"aten::{name}.{overload}"
    return torch._C._dispatch_has_kernel_for_dispatch_key(qualified, "CompositeImplicitAutograd")


def _is_pending(value: Any) -> bool:
    """Whether a tensor's memory holds the negative or the conjugate of what it is."""
    import torch

    return isinstance(value, torch.Tensor) and (value.is_neg() or value.is_conj())


def _in_parts(
    parts: _native.Parts,
    inputs: Sequence[Any],
    weights: Sequence[int],
    options: Mapping[str, Any],
    on_graph: OnGraph | None,
) -> Any:
    """Compile the tensors of a graph of which Python computes the numbers."""
    from torch import _as_tensor_fullprec as as_tensor

    numbers = _runnable(_module(parts.numbers).forward)
    given, kept, results = parts.given, parts.kept, parts.results
    graph = parts.tensors
    if graph is None:
        return lambda *args: tuple(numbers(*args)[given:])
    tensors = [inputs[at] for at in kept] + [as_tensor(number) for number in numbers(*inputs)[:given]]
    held = [place for place, at in enumerate(kept) if at in weights]
    compiled = _compile(graph, tensors, parts.lowered, held, options, on_graph, given)
    if compiled is NotImplemented or isinstance(compiled, tuple):
        # A check would be one of the inputs of the whole.
        return NotImplemented

    def run(*args: Any) -> tuple[Any, ...]:
        values = numbers(*args)
        tensors = compiled(*[args[at] for at in kept], *map(as_tensor, values[:given]))
        return tuple([tensors[at] if of_tensors else values[at] for of_tensors, at in results])

    return run
