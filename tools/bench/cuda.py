"""`./x bench cuda`: programs on a CUDA device beside eager and Inductor with Triton.

All contenders of a program run in one process, in turns; a time is the median over rounds of calls in a row between two
events of the device. A cold time is the first call's, with no cache on either side.
"""

from __future__ import annotations

import argparse
import copy
import json
import math
import os
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

import rust_inductor
from tools import machine
from tools.bench.contenders import geometric_mean
from tools.bench.models import MODELS, build
from tools.bench.page import RESULTS, with_chapter
from tools.ui import read_or_empty, say, table

HEADING = "# CUDA"
#: No cache, on either side: read when something is first compiled.
UNCACHED = {
    "TORCHINDUCTOR_FORCE_DISABLE_CACHES": "1",
    "TORCHINDUCTOR_FX_GRAPH_CACHE": "0",
    "RUST_INDUCTOR_CACHE": "0",
}
METHOD = (
    "Milliseconds of a call, the median over {rounds} rounds of several calls in a row between two events of the"
    " device, all contenders of a program in one process and in turns. *Ours* is `rust_inductor.compile`. Cold is the"
    " first call, in seconds, without caches on either side. GB/s counts what a program has to read and write at least."
)

Call = Callable[[], Any]


@dataclass(frozen=True)
class Program:
    """A function with its arguments; `moved` are the bytes that it has to read and write at least."""

    title: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    moved: int = 0


def randn(*sizes: int, dtype: torch.dtype = torch.float32) -> Tensor:
    """Normally distributed numbers on the device."""
    return torch.randn(*sizes, device="cuda", dtype=torch.float32).to(dtype)


def kernels() -> dict[str, Callable[[], Program]]:
    """The small programs, each by its name."""

    def of(title: str, function: Callable[..., Any], *arguments: Tensor, results: int = 1) -> Program:
        moved = sum(it.nbytes for it in arguments) + results * arguments[0].nbytes
        return Program(title, function, arguments, moved)

    def rms_norm(x: Tensor, w: Tensor) -> Tensor:
        return x * torch.rsqrt(x.float().square().mean(-1, keepdim=True) + 1e-6).to(x.dtype) * w

    def rotary(q: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        a, b = q.chunk(2, -1)
        return q * cos + torch.cat([-b, a], -1) * sin

    def adam(p: Tensor, g: Tensor, m: Tensor, v: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        m, v = m * 0.9 + g * 0.1, v * 0.999 + g * g * 0.001
        return p - 0.001 * (m / (v.sqrt() + 1e-8)), m, v

    def linear_gelu(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
        return F.gelu(F.linear(x, w, b))

    def layer_norm(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
        return F.layer_norm(x, (x.shape[-1],), w, b)

    def batch_norm(x: Tensor, m: Tensor, v: Tensor, w: Tensor, b: Tensor) -> Tensor:
        return F.relu(F.batch_norm(x, m, v, w, b))

    def loss(x: Tensor, y: Tensor) -> Tensor:
        return F.cross_entropy(x, y)

    def cos_sin(x: Tensor) -> Tensor:
        return torch.cos(torch.sin(x))

    def transpose(x: Tensor) -> Tensor:
        return (x.T + 1).contiguous()

    def column_sum(x: Tensor) -> Tensor:
        return x.sum(0)

    def softmax(x: Tensor) -> Tensor:
        return x.softmax(-1)

    n = 4096
    rows: dict[str, Callable[[], Program]] = {
        "cos_sin": lambda: of("cos(sin(x)), 1024³", cos_sin, randn(1024, 1024, 1024)),
        "transpose": lambda: of("x.T + 1, 8192²", transpose, randn(2 * n, 2 * n)),
        "column_sum": lambda: of("sum of columns, 8192²", column_sum, randn(2 * n, 2 * n), results=0),
        "adam": lambda: of("Adam, 2²⁶", adam, *(randn(1 << 26).abs() for _ in range(4)), results=3),
    }

    def in_type(dtype: torch.dtype) -> dict[str, Callable[[], Program]]:
        def made(*sizes: int) -> Tensor:
            return randn(*sizes, dtype=dtype)

        def targets() -> Tensor:
            return torch.randint(0, 32000, (2 * n,), device="cuda")

        return {
            "softmax": lambda: of("softmax, 8192×4096", softmax, made(2 * n, n)),
            "long_softmax": lambda: of("softmax, 512×131072", softmax, made(512, 1 << 17)),
            "layer_norm": lambda: of("layer norm, 8192×4096", layer_norm, made(2 * n, n), made(n), made(n)),
            "rms_norm": lambda: of("RMS norm, 8192×4096", rms_norm, made(2 * n, n), made(n)),
            "cross_entropy": lambda: of("cross entropy, 8192×32000", loss, made(2 * n, 32000), targets(), results=0),
            "linear_gelu": lambda: of(
                "gelu(x·w + b), 4096×1024×4096", linear_gelu, made(n, 1024), made(n, 1024) / 32, made(n)
            ),
            "batch_norm": lambda: of(
                "relu(batch norm), 64×256×56²",
                batch_norm,
                made(64, 256, 56, 56),
                *(randn(256).abs() for _ in range(4)),
            ),
            "rotary": lambda: of(
                "rotary, 8×32×2048×128", rotary, made(8, 32, 2048, 128), made(2048, 128), made(2048, 128)
            ),
        }

    def titled(make: Callable[[], Program], dtype: str) -> Program:
        program = make()
        return replace(program, title=f"{program.title}, {dtype}")

    for dtype in (torch.float32, torch.bfloat16):
        name = str(dtype).removeprefix("torch.")
        rows |= {f"{key}_{name}": partial(titled, make, name) for key, make in in_type(dtype).items()}
    return rows


#: Models, the batch of each, and whether they are trained.
MODEL_ROWS = {
    "bert": ("bert", 8),
    "gpt2": ("gpt2", 8),
    "resnet50": ("resnet50", 32),
    "llama": ("llama", 8),
}


def model_programs() -> dict[str, Callable[[], Program]]:
    """Models: inference and training, in float32 and bfloat16."""

    def make(name: str, batch: int, dtype: torch.dtype, trains: bool) -> Program:
        model, inputs = build(name, "full")
        inputs = tuple(x.expand(batch, *x.shape[1:]).contiguous().cuda() for x in inputs)
        inputs = tuple(x.to(dtype) if x.is_floating_point() else x for x in inputs)
        model = model.cuda().to(dtype)
        title = f"{MODELS[name].title}, batch of {batch}, {str(dtype).removeprefix('torch.')}"
        if not trains:
            return Program(title, model.eval(), inputs)
        model.train()
        for module in model.modules():
            if isinstance(module, nn.Dropout):
                module.p = 0.0
        return Program(f"{title}, training", model, inputs)

    programs: dict[str, Callable[[], Program]] = {}
    for name, batch in MODEL_ROWS.values():
        for dtype in (torch.float32, torch.bfloat16):
            for trains in (False, True):
                key = f"{name}_{str(dtype).removeprefix('torch.')}" + ("_training" if trains else "")
                programs[key] = partial(make, name, batch, dtype, trains)
    return programs


def tensors(results: Any) -> list[Tensor]:
    """The floats among a program's results."""
    leaves = torch.utils._pytree.tree_leaves(results)
    return [it for it in leaves if isinstance(it, Tensor) and it.is_floating_point()]


def step(program: Program, run: Callable[..., Any], model: nn.Module | None) -> Call:
    """One step: a call, with backward where the program is a model in training."""
    if model is None or not model.training:

        def call() -> Any:
            with torch.no_grad():
                return run(*program.arguments)

        return call

    def train() -> Any:
        model.zero_grad()
        loss = torch.stack([it.float().square().mean() for it in tensors(run(*program.arguments))]).sum()
        torch.autograd.backward(loss)
        return loss.detach()

    return train


CONTENDERS: dict[str, Callable[[Any], Any]] = {
    "eager": lambda f: f,
    "ours": rust_inductor.compile,
    "Inductor": torch.compile,
    "ours, recorded": partial(rust_inductor.compile, mode="reduce-overhead"),
    "Inductor, recorded": partial(torch.compile, mode="reduce-overhead"),
}
#: With CUDA graphs: for models, of which launches are a part of the time.
RECORDED = [name for name in CONTENDERS if name.endswith("recorded")]
PLAIN = [name for name in CONTENDERS if name not in RECORDED]


def measured(program: Program, contenders: list[str], rounds: int) -> dict[str, Any]:
    """The title of a program, the bytes that it moves, and its times."""
    return {"title": program.title, "moved": program.moved, **measure(program, contenders, rounds)}


def measure(program: Program, contenders: list[str], rounds: int) -> dict[str, dict[str, float]]:
    """Times of each contender: `ms` and `cold` (seconds)."""
    calls: dict[str, Call] = {}
    figures: dict[str, dict[str, float]] = {}
    wanted: list[Tensor] = []
    for name in contenders:
        function = program.function
        model = copy.deepcopy(function) if isinstance(function, nn.Module) else None
        torch._dynamo.reset()
        rust_inductor.reset()
        torch.cuda.synchronize()
        start = time.perf_counter()
        calls[name] = step(program, CONTENDERS[name](model if model is not None else function), model)
        results = calls[name]()
        torch.cuda.synchronize()
        figures[name] = {"cold": time.perf_counter() - start, "error": 0.0}
        if not wanted:
            wanted = [it.detach().float() for it in tensors(results)]
        for ours, theirs in zip(tensors(results), wanted):
            scale = theirs.abs().max().clamp(min=1e-6)
            figures[name]["error"] = max(figures[name]["error"], ((ours.float() - theirs).abs().max() / scale).item())
        del results
    del wanted
    times: dict[str, list[float]] = {name: [] for name in calls}
    counts: dict[str, int] = {}
    for name, call in calls.items():
        for _ in range(3):
            call()
        counts[name] = max(1, min(200, int(20 / max(between(call, 3), 1e-3))))
    for _ in range(rounds):
        for name, call in calls.items():
            times[name].append(between(call, counts[name]))
    for name, found in times.items():
        figures[name]["ms"] = statistics.median(found)
    return figures


def between(call: Call, count: int) -> float:
    """Milliseconds of a call, from the device's clock around so many in a row."""
    start, end = (torch.Event("cuda", enable_timing=True) for _ in range(2))
    start.record()
    for _ in range(count):
        call()
    end.record()
    torch.cuda.synchronize()
    return float(start.elapsed_time(end)) / count


def copy_speed() -> float:
    """Bytes a second that a copy on the device reads and writes."""
    x = torch.empty(1 << 30, device="cuda")
    y = torch.empty_like(x)
    y.copy_(x)
    return 2 * x.nbytes / (between(lambda: y.copy_(x), 10) / 1e3)


def chapter(figures: dict[str, dict[str, Any]], copied: float, rounds: int) -> str:
    """The text for the results page."""
    rows, recorded, ratios, colds = [], [], [], []
    for figure in figures.values():
        ms = {name: figure[name]["ms"] if name in figure else math.nan for name in CONTENDERS}
        cold = {name: figure[name]["cold"] if name in figure else math.nan for name in CONTENDERS}
        if RECORDED[0] in figure:
            both = [ms[name] for name in RECORDED]
            texts = ["" if math.isnan(it) else f"{it:.4f}" for it in both]
            recorded.append([figure["title"], *texts, "" if "" in texts else f"{both[1] / both[0]:.2f}"])
        speed = f"{figure['moved'] / ms['ours'] / 1e6:.0f}" if figure["moved"] else ""
        ratios.append(ms["Inductor"] / ms["ours"])
        colds.append(cold["Inductor"] / cold["ours"])
        times = [f"{ms[name]:.4f}" for name in PLAIN]
        found = [f"{ms['eager'] / ms['ours']:.2f}", f"{ratios[-1]:.2f}", speed]
        rows.append([figure["title"], *times, *found, f"{cold['ours']:.2f}", f"{cold['Inductor']:.2f}"])
    header = ["program", *PLAIN, "eager / ours", "Inductor / ours", "GB/s", "cold: ours", "Inductor"]
    means = " and ".join(f"{geometric_mean(found):.2f}" for found in (ratios, colds))
    parts = [
        HEADING,
        f"`./x bench cuda` on {torch.cuda.get_device_name()}, {machine.description()}.",
        METHOD.format(rounds=rounds),
        table(header, rows),
        f"Geometric means of Inductor / ours: {means} (steady, cold). A copy on the device: {copied / 1e9:.0f} GB/s.",
    ]
    if recorded:
        parts += ['With CUDA graphs (`mode="reduce-overhead"`):', table(["program", *RECORDED, "ratio"], recorded)]
    return "\n\n".join(parts) + "\n"


def main() -> int:
    """Measures and writes the chapter."""
    parser = argparse.ArgumentParser(prog="./x bench cuda")
    parser.add_argument("--only", nargs="+", help="programs whose names begin so")
    parser.add_argument("--without", nargs="+", default=[], choices=CONTENDERS, help="contenders that are left out")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no program after so many seconds")
    parser.add_argument("--output", type=Path, help="the page to write (bench/RESULTS.md; with --only none)")
    parser.add_argument("--json", type=Path, help="a file for the figures as they are")
    options = parser.parse_args()
    if not torch.cuda.is_available():
        say("no CUDA device: nothing was measured")
        return 1
    os.environ |= UNCACHED
    begin = time.perf_counter()
    contenders = [name for name in CONTENDERS if name not in options.without]
    copied = copy_speed()
    figures: dict[str, dict[str, Any]] = {}
    models = model_programs()
    for name, make in {**kernels(), **models}.items():
        if options.only and not any(name.startswith(it) for it in options.only):
            continue
        if time.perf_counter() - begin > options.seconds:
            say(f"no time for {name}")
            continue
        try:
            is_model = name in models
            chosen = [it for it in contenders if is_model or it in PLAIN]
            figures[name] = measured(make(), chosen, options.rounds)
            parts = [f"{it} {figures[name][it]['ms']:.4f} ms ({figures[name][it]['cold']:.2f} s)" for it in chosen]
            say(f"{name}: {', '.join(parts)}; error {figures[name]['ours']['error']:.1e}")
        except Exception as error:
            figures.pop(name, None)
            say(f"{name}: {type(error).__name__}: {str(error)[:300]}")
        torch.cuda.empty_cache()
        if options.json:
            options.json.write_text(json.dumps(figures))
    page = chapter(figures, copied, options.rounds)
    print(page)
    output = options.output or (None if options.only else RESULTS)
    if output is not None:
        output.write_text(with_chapter(read_or_empty(output), page))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
