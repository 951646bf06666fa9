"""Arguments for programs: the same ones as often as they are asked for."""

from __future__ import annotations

import random
from typing import Any

import torch

from pybind.tests.dynamo.fuzz.generate import Parameter, Program, grammar_of, some_themes
from pybind.tests.dynamo.fuzz.scope import Shape

#: The changes from call to call: first nothing, then numbers, then sizes; then all is as at first.
VARIANTS = (0, 1, 2, 0)
SIZES = ({"x.shape[0]": 2, "x.shape[1]": 3}, {"x.shape[0]": 2, "x.shape[1]": 3}, {"x.shape[0]": 4, "x.shape[1]": 5})


def arguments(program: Program, variant: int, namespace: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """Fresh arguments. Classes are those of the program's namespace."""
    generator = torch.Generator().manual_seed(program.seed * 3 + variant)
    rng = random.Random(program.seed * 3 + variant)
    given: list[Any] = []
    named: dict[str, Any] = {}
    for parameter in program.parameters:
        value = build(parameter, variant, rng, generator, given, namespace, program.seed)
        if parameter.how == "position":
            given.append(value)
        elif parameter.how == "keyword" or variant == 1:
            named[parameter.name] = value
    return given, named


def random_tensor(shape: Shape, variant: int, generator: torch.Generator, note: str = "plain") -> torch.Tensor:
    """A tensor of a few decimals, so that comparisons of values with constants go both ways."""
    sizes = [SIZES[variant].get(size) or int(size) for size in shape]
    if note == "transposed":
        sizes.reverse()
    dtype = torch.float64 if note == "double" else torch.float32
    value = (torch.randn(sizes, generator=generator, dtype=dtype) * 8).round() / 4
    if note == "transposed":
        value = value.permute(tuple(reversed(range(value.dim()))))
    return value.requires_grad_() if note == "grad" else value


def build(
    parameter: Parameter,
    variant: int,
    rng: random.Random,
    generator: torch.Generator,
    earlier: list[Any],
    namespace: dict[str, Any],
    seed: int,
) -> Any:
    """The value of a parameter."""
    shape = parameter.kind.shape

    def fresh() -> torch.Tensor:
        return random_tensor(shape, variant, generator, parameter.note)

    def number() -> int:
        return rng.randrange(-2, 6)

    match parameter.kind.name:
        case "tensor" if parameter.note == "same":
            return earlier[0]
        case "tensor" if parameter.note == "view":
            return earlier[0].detach()[:]
        case "tensor":
            return fresh()
        case "int":
            return number()
        case "float":
            return rng.choice((0.5, -1.5, 2.0, 3.25))
        case "bool":
            return rng.random() < 0.5
        case "str":
            return rng.choice(("a", "b", "key", "some words"))
        case "maybe":
            return rng.choice((None, 1, 5))
        case "ints":
            return [number() for _ in range(3 + (variant == 2))]
        case "set":
            return {number() for _ in range(3)}
        case "table":
            return {key: number() for key in ("a", "b", "key")[: 3 - (variant == 2)]}
        case "tensors":
            return [fresh() for _ in range(2 + (variant == 2))]
        case "named":
            return {key: fresh() for key in "ab"}
        case "pair":
            return (fresh(), number())
        case "box":
            return namespace["Box"](fresh(), number())
    return grammar_of(some_themes(seed)).arguments[parameter.kind.name](namespace, fresh(), number(), variant)
