"""Runs functions that a `Builder` made for this version of CPython (see `test_split.py`).

    python run_built.py BUILD

Only the standard library is imported here: the interpreters have nothing else.
"""

from __future__ import annotations

import builtins
import json
import operator
import subprocess
import sys
from types import CodeType, FunctionType, SimpleNamespace
from typing import Any

from split_code import VERSION, built


def constant(value: Any) -> object:
    """A constant of its form as `Const`."""
    match value:
        case "none":
            return None
        case {"int": plain} | {"str": plain} | {"float": plain}:
            return plain
        case {"tuple": items}:
            return tuple(map(constant, items))
        case {"code": said}:
            return code(said)
    raise ValueError(value)


def code(said: dict[str, Any]) -> CodeType:
    """The code object of these fields."""
    constants = tuple(map(constant, said["consts"]))
    return built({**said, "consts": []}, main.__code__).replace(co_consts=constants)


def main(program: str) -> None:
    """Runs each function, the comparisons often enough to be specialised."""
    answer = subprocess.run([program, VERSION], capture_output=True, text=True, check=True)
    space: dict[str, Any] = {"__builtins__": builtins, "add": operator.add}
    made = {said["name"]: FunctionType(code(said), space) for said in json.loads(answer.stdout)}

    comparisons = (operator.lt, operator.le, operator.eq, operator.ne, operator.gt, operator.ge)
    nan = float("nan")
    for a, b in [(1, 2), (2, 1), (3, 3), (1.5, 2.5), (2.5, 1.5), (nan, 1.0), ("a", "b"), ("b", "b"), (10**30, 1)]:
        for _ in range(100):
            assert made["compare"](a, b) == [compare(a, b) for compare in comparisons], (a, b)

    assert (made["count"](200), space["LAST"]) == (200, 199)
    assert made["calls"](5, {"y": 1}, ("p", "q")) == ({"y": 1, "x": 5}, "p-q", 5, ["q", "p"], 7)
    target = SimpleNamespace(l=[None])
    assert made["stack"](target, (7, 8, 9)) == (1, 0, 3, 2, 1, 7)
    assert vars(target) == {"l": [7], "x": 7, "y": 8, "z": 9}
    taken = ("yes", "back")
    assert made["conditions"](None) == ["no", taken, taken, "no"]
    assert made["conditions"](0) == ["no", taken, "no", taken]
    assert made["conditions"]("x") == [taken, "no", "no", taken]


if __name__ == "__main__":
    main(*sys.argv[1:])
