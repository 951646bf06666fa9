"""Writes schemas.txt: every `aten::` schema that the installed torch publishes, one per line, sorted."""

import pathlib

import torch


def main() -> None:
    schemas = {str(s) for s in torch._C._jit_get_all_schemas() if s.name.startswith("aten::")}
    target = pathlib.Path(__file__).with_name("schemas.txt")
    target.write_text("".join(f"{line}\n" for line in sorted(schemas)))


if __name__ == "__main__":
    main()
