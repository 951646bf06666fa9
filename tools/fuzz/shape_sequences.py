"""Asks torch's ShapeEnv and ours the same questions: random inputs, random questions, random reuses.

Sequences of operations are made from a seed and given to torch here; `symshapes/examples/sequences.rs` gives them to
our environment and tells where the two differ: in an answer, in an input that torch accepts and we do not, or in one
that we accept although a question has another answer there.

`python -m tools.fuzz.shape_sequences --seed 7 --count 1000` looks for more than the tests do.
"""

from __future__ import annotations

import argparse
import json
import random
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch._dynamo.source import ConstantSource, LocalSource
from torch.fx.experimental.symbolic_shapes import (
    DimDynamic,
    GuardOnDataDependentSymNode,
    ShapeEnv,
    StatelessSymbolicContext,
    guard_or_false,
    guard_or_true,
    guard_size_oblivious,
    statically_known_true,
)

from tools.examples import rust_example

SAMPLES = 80
#: The functions that a question's text may call, with torch's meaning.
FUNCTIONS: dict[str, Any] = {
    "Min": torch.sym_min,
    "Max": torch.sym_max,
    "ToFloat": torch.sym_float,
    "IntTrueDiv": lambda a, b: a / b,
    "PowByNatural": lambda a, b: a**b,
    "And": lambda a, b: torch.sym_and(a, b) if hasattr(torch, "sym_and") else a & b,
}
ASKS: dict[str, Callable[[Any], bool]] = {
    "guard": bool,
    "or_false": guard_or_false,
    "or_true": guard_or_true,
    "oblivious": guard_size_oblivious,
    "known": statically_known_true,
}


@dataclass
class Recording:
    """An environment on its way through a sequence."""

    rng: random.Random
    env: ShapeEnv = field(default_factory=ShapeEnv)
    #: The inputs that are read, in the form for our environment.
    inputs: list[dict[str, Any]] = field(default_factory=list)
    #: torch's number of each name, and the value of each source.
    names: dict[str, Any] = field(default_factory=dict)
    hints: list[float] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    #: The names of each kind: sizes and integers are asked alike.
    sizes: list[str] = field(default_factory=list)
    ints: list[str] = field(default_factory=list)
    unbacked: list[str] = field(default_factory=list)
    floats: list[str] = field(default_factory=list)

    def add(self, name: str, kind: str, number: Any, hint: float) -> None:
        """A source with its value."""
        self.names[name] = number
        self.kinds.append(kind)
        self.hints.append(hint)

    def source(self, name: str) -> ConstantSource:
        return ConstantSource(f"__{name}")


def make_size(r: Recording) -> None:
    name, hint = f"a{len(r.sizes)}", r.rng.choice([2, 3, 4, 5, 6, 8, 12])
    symbol = r.env.create_symbol(hint, r.source(name), DimDynamic.DYNAMIC, constraint_dim=None)
    r.add(name, "size", r.env.create_symintnode(symbol, hint=hint, source=r.source(name)), hint)
    r.sizes.append(name)
    r.inputs.append({"kind": "size", "name": name, "hint": hint, "policy": "Dynamic"})


def make_int(r: Recording) -> None:
    name, hint = f"i{len(r.ints)}", r.rng.choice([-4, -1, 0, 1, 2, 3, 5, 7])
    number = r.env.create_unspecified_symint_and_symbol(hint, r.source(name), DimDynamic.DYNAMIC)
    r.add(name, "int", number, hint)
    r.ints.append(name)
    r.inputs.append({"kind": "int", "name": name, "hint": hint, "policy": "Dynamic"})


def make_unbacked(r: Recording) -> None:
    name = f"b{len(r.unbacked)}"
    number = r.env.create_unbacked_symint(r.source(name))
    r.env._constrain_range_for_size(number.node.expr)
    r.env.unbacked_inputs.add(number.node.expr)
    r.add(name, "unbacked", number, r.rng.choice([0, 1, 2, 3, 5]))
    r.unbacked.append(name)
    r.inputs.append({"kind": "size", "name": name, "hint": 0, "policy": "Unbacked"})


def make_float(r: Recording) -> None:
    name, hint = f"zf{len(r.floats)}", r.rng.choice([-1.5, 0.5, 2.0, 2.5, 3.25])
    symbol = r.env.create_unspecified_symbol(hint, r.source(name), DimDynamic.DYNAMIC)
    r.add(name, "float", r.env.create_symfloatnode(symbol, hint=hint, source=r.source(name)), hint)
    r.floats.append(name)
    r.inputs.append({"kind": "float", "name": name, "hint": hint})


def make_tensor(r: Recording) -> None:
    """A tensor of two dimensions: row-major, transposed, or with gaps."""
    name = f"t{len(r.inputs)}"
    sizes = [r.rng.choice([2, 3, 4, 6]) for _ in range(2)]
    gap = r.rng.choice([0, 0, 1, 3])
    strides = [sizes[1] + gap, 1] if r.rng.random() < 0.7 else [1, sizes[0] + gap]
    offset = r.rng.choice([0, 0, 0, 2])
    source = LocalSource(name)
    context: Any = StatelessSymbolicContext(dynamic_sizes=[DimDynamic.DYNAMIC] * 2)
    made = r.env._create_symbolic_sizes_strides_storage_offset(
        tuple(sizes), tuple(strides), offset, [False] * 2, source, symbolic_context=context
    )
    for kind, numbers, hints in (("size", made[0], sizes), ("stride", made[1], strides)):
        for dim, (number, hint) in enumerate(zip(numbers, hints)):
            r.add(f"{name}_{kind}{dim}", kind, number, hint)
            r.sizes.append(f"{name}_{kind}{dim}")
    r.add(f"{name}_offset", "offset", made[2], offset)
    row = {"name": name, "sizes": sizes, "strides": strides, "offset": offset, "policy": "Dynamic"}
    r.inputs.append({"kind": "tensor", **row})


def linear(r: Recording, names: list[str]) -> str:
    """A sum of multiples."""
    terms = [f"{r.rng.randint(1, 3)}*{name}" for name in r.rng.sample(names, min(len(names), r.rng.randint(1, 2)))]
    return " + ".join(terms) + f" + {r.rng.randint(-4, 6)}"


def question(r: Recording) -> str:
    """A question about what there is."""
    names = r.sizes + r.ints if r.rng.random() < 0.7 or not r.unbacked else r.sizes + r.ints + 2 * r.unbacked
    if r.floats and r.rng.random() < 0.25:
        return float_question(r)
    a, b, c = (r.rng.choice(names) for _ in range(3))
    k, n = r.rng.randint(1, 3), r.rng.randint(2, 5)
    relation = r.rng.choice(["==", "!=", "<=", "<", ">=", ">"])
    return r.rng.choice(
        [
            f"{linear(r, names)} {relation} {linear(r, names)}",
            f"{k}*{a} == {b}",
            f"{a} == {b}",
            f"{a} {relation} {r.rng.randint(-2, 12)}",
            f"{k}*{a} >= {r.rng.randint(2, 30)}",
            f"{a} + {b} <= {k}*{c}",
            f"{a} % {n} == 0",
            f"({a} + {b}) % {n} == {r.rng.randint(0, 1)}",
            f"{a} // {n} == {b}",
            f"{a} // {n} {relation} {r.rng.randint(0, 4)}",
            f"{a}*{b} {relation} {r.rng.randint(10, 60)}",
            f"{a}*{b} == {b}*{c}",
            f"Max({a}, {b}) {relation} {c}",
            f"Min({a}, {n}) == {n}",
            f"({n}*{a} + {k}) // {n} == {a}",
        ]
    )


def float_question(r: Recording) -> str:
    x, relation = r.rng.choice(r.floats), r.rng.choice(["<=", "<", ">=", ">"])
    a = r.rng.choice(r.sizes)
    return r.rng.choice(
        [
            f"{x} {relation} {r.rng.choice([-1.0, 0.5, 2.0, 3.0])}",
            f"2.0*{x} {relation} ToFloat({a})",
            f"{x}*ToFloat({a}) {relation} {r.rng.choice([1.5, 6.0, 20.0])}",
            f"IntTrueDiv({a}, 2) {relation} {r.rng.choice([1.0, 1.5, 2.5])}",
        ]
    )


def ask(r: Recording, how: str, text: str) -> dict[str, Any] | None:
    """torch's answer; ``None`` if torch refuses the question itself."""
    row: dict[str, Any] = {"pred": text, "how": how}
    condition = eval(text, {"__builtins__": {}}, {**FUNCTIONS, **r.names})
    if isinstance(condition, bool):
        return row | {"how": "guard", "answer": condition}
    try:
        if how == "check":
            torch._check(condition)
            return row | {"answer": True}
        return row | {"answer": ASKS[how](condition)}
    except GuardOnDataDependentSymNode:
        return row | {"answer": None}
    except (RuntimeError, ValueError, AssertionError):
        # A check that fails for the example, or for every input.
        return None


def record(rng: random.Random) -> dict[str, Any]:
    """One sequence, and what torch accepts."""
    r = Recording(rng)
    make_size(r)
    for make in rng.choices([make_size, make_int, make_unbacked, make_float, make_tensor], (4, 3, 2, 2, 2), k=3):
        make(r)
    asked = []
    for _ in range(rng.randint(1, 6)):
        how = rng.choices(["guard", "check", "or_false", "or_true", "oblivious", "known"], (8, 3, 1, 1, 1, 1))[0]
        row = ask(r, how, question(r))
        if row is None:
            # The program ends there.
            break
        asked.append(row)
    accepts, guards = acceptance(r)
    samples = [sample(r) for _ in range(SAMPLES)]
    rows = [{"values": [bits(value) for value in values], "accepted": accepts(values)} for values in samples]
    return {"inputs": r.inputs, "asked": asked, "samples": rows, "guards": guards}


def acceptance(r: Recording) -> tuple[Callable[[list[float]], bool], str]:
    """torch's guards as a function of the sources' values, and as a text."""
    symbols: dict[str, int] = {}
    for at, number in enumerate(r.names.values()):
        if is_symbol(number):
            symbols.setdefault(str(number.node._expr), at)
    parts = [str(guard.expr) for guard in r.env.guards]
    for symbol, bounds in r.env.var_to_range.items():
        lower, upper = str(bounds.lower), str(bounds.upper)
        parts += [f"{symbol} >= {lower}"] * ("oo" not in lower) + [f"{symbol} <= {upper}"] * ("oo" not in upper)
    parts += [str(row.expr) for rows in r.env.deferred_runtime_asserts.values() for row in rows]
    # Strides and offsets that are no symbols of their own, and numbers that torch has made constants.
    for at, number in enumerate(r.names.values()):
        expression = number.node._expr if isinstance(number, (torch.SymInt, torch.SymFloat)) else number
        if symbols.get(str(expression)) != at:
            parts.append(f"Eq(_{at}, {expression})")
    parts += [f"Eq({symbol}, {image})" for symbol, image in r.env.replacements.items()]
    code = [compile(part, part, "eval") for part in parts]

    def accepts(values: list[float]) -> bool:
        known = {symbol: values[at] for symbol, at in symbols.items()}
        known |= {f"_{at}": value for at, value in enumerate(values)}
        missing = {name for part in code for name in part.co_names} - known.keys() - EVALUATED.keys()
        if missing:
            raise KeyError(sorted(missing))
        try:
            return all(eval(part, dict(EVALUATED), known) for part in code)
        except (ZeroDivisionError, OverflowError):
            return False

    return accepts, " and ".join(parts)


#: The functions that torch's printed guards call.
EVALUATED: dict[str, Any] = {
    "__builtins__": {},
    "Eq": lambda a, b: a == b,
    "Ne": lambda a, b: a != b,
    "Mod": lambda a, b: a % b,
    "PythonMod": lambda a, b: a % b,
    "FloorDiv": lambda a, b: a // b,
    "CleanDiv": lambda a, b: a // b,
    "Min": min,
    "Max": max,
    "ToFloat": float,
    "IntTrueDiv": lambda a, b: a / b,
    "FloatTrueDiv": lambda a, b: a / b,
    "And": lambda *all_of: all(all_of),
    "Or": lambda *any_of: any(any_of),
    "Not": lambda a: not a,
}


def is_symbol(number: Any) -> bool:
    """Whether torch has a symbol of its own for a source."""
    if not isinstance(number, (torch.SymInt, torch.SymFloat)):
        return False
    expression: Any = number.node._expr
    return bool(expression.is_symbol)


def sample(r: Recording) -> list[float]:
    """Values near the example's, and anywhere."""
    factor = r.rng.choice([1, 1, 2, 3])
    values: list[float] = []
    for kind, hint in zip(r.kinds, r.hints):
        if kind == "float":
            values.append(r.rng.choice([hint, hint, -1.5, 0.0, 0.5, 1.0, 2.0, 3.25, 10.0]))
            continue
        near = hint * factor if kind != "int" else hint
        value = r.rng.choice([near, near, near, hint, hint + 1, hint - 1, r.rng.randint(-3, 14)])
        values.append(value if kind == "int" else max(value, 0))
    return values


def bits(value: float) -> int:
    """An integer, or the bits of a float."""
    if not isinstance(value, float):
        return int(value)
    (number,) = struct.unpack("<q", struct.pack("<d", value))
    return int(number)


def differences(seed: int, count: int) -> list[str]:
    """The differences between the two environments, in words."""
    rng = random.Random(seed)
    sequences = [record(rng) for _ in range(count)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sequences.json"
        path.write_text(json.dumps(sequences))
        done = subprocess.run([rust_example("sequences"), path], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    found: list[str] = json.loads(done.stdout)
    return found


def main() -> int:
    """Prints the differences."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=300)
    args = parser.parse_args()
    found = differences(args.seed, args.count)
    for text in found:
        sys.stdout.write(f"{text}\n")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
