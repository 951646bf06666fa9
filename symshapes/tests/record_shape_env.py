"""Records what torch's ShapeEnv accepts after random questions: `python record_shape_env.py > data/shape_env.json`."""

import itertools
import json
import random
import sys

from torch._dynamo.source import ConstantSource
from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv

CASES = 120
BOX = range(2, 11)


def question(rng: random.Random) -> str:
    a, b, c = rng.sample(["s0", "s1", "s2"], 3)
    k, n = rng.randint(1, 3), rng.randint(2, 5)
    return rng.choice(
        [
            f"{k}*{a} == {b}",
            f"{a} == {b}",
            f"{k}*{a} >= {rng.randint(2, 30)}",
            f"{a} + {b} <= {rng.randint(5, 25)}",
            f"{a} < {b}",
            f"{a} + {b} <= {k}*{c}",
            f"{a} % {n} == 0",
            f"({a} + {b}) % {n} == 0",
            f"{a} // {n} == {b}",
            f"{a} != {n}",
            f"{a}*{b} <= {rng.randint(10, 80)}",
        ]
    )


def record(rng: random.Random) -> dict[str, object]:
    hints = [rng.choice([2, 3, 4, 6, 8, 12]) for _ in range(3)]
    env = ShapeEnv()
    sizes = []
    for i, hint in enumerate(hints):
        source = ConstantSource(f"__size{i}")
        symbol = env.create_symbol(hint, source=source, dynamic_dim=DimDynamic.DYNAMIC, constraint_dim=None)
        sizes.append(env.create_symintnode(symbol, hint=hint, source=source))
    names = dict(zip(["s0", "s1", "s2"], sizes))
    asked = []
    for _ in range(rng.randint(1, 5)):
        text = question(rng)
        asked.append([text, bool(eval(text, {}, names))])
    guards = env.produce_guards_expression(sizes)
    accepted = "".join(
        "01"[guards is None or bool(env.evaluate_guards_expression(guards, values))]
        for values in itertools.product(BOX, repeat=3)
    )
    return {"hints": hints, "asked": asked, "guards": guards, "accepted": accepted}


def main() -> None:
    rng = random.Random(0)
    rows = ",\n".join(json.dumps(record(rng)) for _ in range(CASES))
    sys.stdout.write(f"[\n{rows}\n]\n")


if __name__ == "__main__":
    main()
