"""The commands of ``python -m rust_inductor``: ``doctor``, ``cache``, ``explain`` and ``bench``.

A function is named ``FILE:NAME``. Its arguments are an expression over the names of the file (``--inputs``), or else
the file's ``inputs``, a tuple or a function that gives one.
"""

from __future__ import annotations

import argparse
import ast
import platform
import runpy
import statistics
import sys
import time
import warnings
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rust_inductor
from rust_inductor import _native

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; 0 if all is well."""
    parser = argparse.ArgumentParser(prog="python -m rust_inductor", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    doctor = commands.add_parser("doctor", help="what is installed, and whether it works, device by device")
    doctor.set_defaults(run=lambda _: _doctor())
    cache = commands.add_parser("cache", help="list, clear or verify the cache of compiled code")
    cache.add_argument("action", choices=["ls", "clear", "verify"])
    cache.set_defaults(run=lambda options: _CACHE[options.action]())
    for name, run, text in (
        ("explain", _explain, "what was captured and compiled of a function, and why not"),
        ("bench", _bench, "time a function beside eager"),
    ):
        command = commands.add_parser(name, help=text)
        command.add_argument("function", metavar="FILE:NAME")
        command.add_argument("--inputs", metavar="EXPRESSION", help="its arguments: a tensor, or a tuple")
        command.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="as in `options`")
        command.add_argument("--dynamic", action=argparse.BooleanOptionalAction, help="as in `torch.compile`")
        command.add_argument("--grad", action="store_true", help="record gradients, and run the backward, too")
        command.set_defaults(run=run)
        if name == "bench":
            command.add_argument("--calls", type=int, default=50, metavar="N", help="calls of each (50)")
        else:
            command.add_argument("--kernels", action="store_true", help="print the code of every kernel, too")
    options = parser.parse_args(arguments)
    try:
        return int(options.run(options))
    except _UsageError as error:
        print(f"rust_inductor: {error}", file=sys.stderr)
        return 2


class _UsageError(Exception):
    """Something that the user has to mend."""


# doctor


def _doctor() -> int:
    """Compile a small program for each device, and compare with eager."""
    import torch

    print(f"rust_inductor {metadata.version('rust_inductor')}, PyTorch {torch.__version__}", end="")
    print(f", Python {platform.python_version()} on {platform.platform()}")
    print(f"processor  {_native.host_label()}, {torch.get_num_threads()} threads")
    print(f"cache      {_cache_summary()}")
    backends = metadata.entry_points(group="torch_dynamo_backends")
    is_registered = any(point.name == "rust_inductor" for point in backends)
    print(f"torch.compile finds the backend: {'yes' if is_registered else 'no, it is not installed as a package'}")
    outcomes = {
        "cpu": _try_device({}, "cpu"),
        "wgpu": _try_device({"device": "wgpu"}, "cpu"),
        "cuda": _try_device({}, "cuda") if torch.cuda.is_available() else "not here: PyTorch sees no CUDA device",
    }
    for name, outcome in outcomes.items():
        print(f"{name:<11}{outcome}")
    return 0 if outcomes["cpu"].startswith("works") and is_registered else 1


#: The program that the doctor compiles: code of this package's own is never captured.
_SAMPLE = """
import torch

def step(x, w):
    return torch.nn.functional.softmax(torch.nn.functional.gelu(x @ w), -1).sum(0)
"""


def _try_device(options: dict[str, Any], device: str) -> str:
    """Whether a small model trains as it does in eager."""
    import torch

    scope: dict[str, Any] = {}
    exec(compile(_SAMPLE, "<doctor>", "exec"), scope)
    step = scope["step"]
    generator = torch.Generator().manual_seed(0)
    x, w = (torch.randn(*sizes, generator=generator).to(device) for sizes in ((16, 32), (32, 8)))
    weights = [w.clone().requires_grad_() for _ in range(2)]
    explained = rust_inductor.explain(step, options=options)
    start = time.perf_counter()
    try:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            explanation = explained(x, weights[0])
            _backward(explanation.result.square())
        seconds = time.perf_counter() - start
        expected = step(x, weights[1])
        _backward(expected.square())
        torch.testing.assert_close(explanation.result, expected, rtol=1e-3, atol=1e-4)
        torch.testing.assert_close(weights[0].grad, weights[1].grad, rtol=1e-3, atol=1e-4)
    except AssertionError as error:
        return f"WRONG: {' '.join(str(error).split())}"
    except Exception as error:
        return f"not here: {' '.join(str(error).split())}"
    if not any(graph.kernels for graph in explanation.graphs):
        reasons = [str(one.skipped or (one.ended and one.ended.text)) for one in explanation.captures]
        return f"NOT COMPILED: {'; '.join(reasons) or 'nothing was captured'}"
    notes = [f"{target} falls back: {reason}" for target, reason in explanation.fallbacks]
    notes += [f"runs as it is: {graph.compiled.eager_because}" for graph in explanation.graphs if not graph.kernels]
    notes += [" ".join(str(warning.message).split()) for warning in told]
    name = next((graph.compiled.device for graph in explanation.graphs if graph.compiled.device is not None), None)
    return "; ".join([f"works, forward and backward in {seconds:.2f} s{f', on {name}' if name else ''}", *notes])


# cache


def _cache_summary() -> str:
    directory = _native.cache_directory()
    if directory is None:
        return "off"
    files = _native.cache_files()
    return f"{directory}: {len(files)} entries, {sum(size for *_, size, _ in files) / 2**20:.1f} MiB"


def _list_cache() -> int:
    for name, label, reason, size, used in _native.cache_files():
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(used))
        print(f"{size:9}  {when}  {name[:16]}  {label if reason is None else f'NOT USABLE: {reason}'}")
    print(_cache_summary())
    return 0


def _clear_cache() -> int:
    summary = _cache_summary()
    print(f"{_native.clear_cache()} files removed of {summary}")
    return 0


def _verify_cache() -> int:
    files = _native.cache_files()
    damaged = [(name, reason) for name, _, reason, *_ in files if reason is not None]
    for name, reason in damaged:
        print(f"{name}: {reason}")
    print(f"{len(files) - len(damaged)} entries are whole, {len(damaged)} are not")
    return 1 if damaged else 0


_CACHE = {"ls": _list_cache, "clear": _clear_cache, "verify": _verify_cache}


# explain and bench


def _explain(options: argparse.Namespace) -> int:
    import torch

    function, inputs = _target(options)
    with torch.set_grad_enabled(options.grad):
        explained = rust_inductor.explain(function, options=_options(options), dynamic=options.dynamic)
        explanation = explained(*inputs)
        if options.grad:
            _backward(explanation.result)
    print(explanation)
    if options.kernels:
        print(explanation.kernel_listings())
    return 0


def _bench(options: argparse.Namespace) -> int:
    import torch

    function, inputs = _target(options)
    compiled = rust_inductor.compile(function, options=_options(options), dynamic=options.dynamic)

    def timed(call: Callable[..., Any]) -> float:
        start = time.perf_counter()
        result = call(*inputs)
        if options.grad:
            _backward(result)
        for device in {leaf.device for leaf in _tensors(result)}:
            if device.type == "cuda":
                torch.cuda.synchronize(device)
        return time.perf_counter() - start

    with torch.set_grad_enabled(options.grad):
        timed(function)
        first = timed(compiled)
        seconds: dict[Callable[..., Any], list[float]] = {function: [], compiled: []}
        for _ in range(max(options.calls, 1)):
            for call, times in seconds.items():
                times.append(timed(call))
    eager, ours = (statistics.median(times) for times in seconds.values())
    print(f"first call {first:.3f} s, of which {first - ours:.3f} s compile")
    print(f"eager {1e3 * eager:.3f} ms, compiled {1e3 * ours:.3f} ms: {eager / ours:.2f} times as fast")
    return 0


def _target(options: argparse.Namespace) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """The function that is named, and its arguments."""
    file, colon, name = options.function.rpartition(":")
    if not colon or not Path(file).is_file():
        message = f"{options.function}: FILE:NAME is needed, of a file that there is"
        raise _UsageError(message)
    sys.path.insert(0, str(Path(file).resolve().parent))
    scope = runpy.run_path(file, run_name="rust_inductor_target")
    function = scope.get(name)
    if not callable(function):
        message = f"{file} has no function `{name}`; it has {', '.join(_callables(scope)) or 'none'}"
        raise _UsageError(message)
    inputs: Any = scope.get("inputs", ())
    if options.inputs is not None:
        import torch

        inputs = eval(options.inputs, {"torch": torch, **scope})
    inputs = inputs() if callable(inputs) else inputs
    return function, inputs if isinstance(inputs, tuple) else (inputs,)


def _callables(scope: dict[str, Any]) -> Iterator[str]:
    own = (value for value in scope.values() if getattr(value, "__module__", None) == "rust_inductor_target")
    return (value.__name__ for value in own if hasattr(value, "__name__"))


def _options(options: argparse.Namespace) -> dict[str, Any]:
    """The options of compilation: values are Python's literals, or else texts."""
    found = {}
    for text in options.option:
        name, equals, value = text.partition("=")
        if not equals:
            message = f"{text}: NAME=VALUE is needed"
            raise _UsageError(message)
        try:
            found[name] = ast.literal_eval(value)
        except (SyntaxError, ValueError):
            found[name] = value
    return found


def _tensors(result: Any) -> list[Any]:
    import torch
    from torch.utils import _pytree

    return [leaf for leaf in _pytree.tree_leaves(result) if isinstance(leaf, torch.Tensor)]


def _backward(result: Any) -> None:
    recorded = [leaf for leaf in _tensors(result) if leaf.requires_grad]
    if recorded:
        sum(leaf.sum() for leaf in recorded).backward()
