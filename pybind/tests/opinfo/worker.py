"""Runs operators in this process and prints a line of JSON for each, and before it one that names it."""

from __future__ import annotations

import faulthandler
import json
import sys

import torch

from pybind.tests.opinfo.judge import judge


def main() -> None:
    """Takes what is to be done as JSON from standard input."""
    faulthandler.enable()
    task = json.load(sys.stdin)
    torch.set_num_threads(task["threads"])
    torch._dynamo.config.cache_size_limit = 64
    for name in task["names"]:
        print(json.dumps({"begin": name}), flush=True)
        how = {key: task[key] for key in ("grad", "kind", "limit", "device")}
        verdict = judge(name, getattr(torch, task["dtype"]), **how)
        print(json.dumps(verdict.as_dict()), flush=True)
        torch._dynamo.reset()
        rust_inductor_reset()


def rust_inductor_reset() -> None:
    """Forget what was compiled."""
    import rust_inductor

    rust_inductor.reset()


if __name__ == "__main__":
    main()
