"""The repository polices itself: what no compiler or linter checks for us.

- No source file outgrows the limit (data and generated tables excepted), and no comment in Rust the line that rustfmt
  keeps code within (a table's rows excepted).
- Dependencies between crates point one way, as the architecture page of the book says; every dependency that a crate
  declares is named in its sources.
- `unsafe` stands only in the modules that are there for it.
- No file names a path of somebody's machine.
- A doc comment opens with what the item is or does, not with a word of questions.
- Everything that the book's table of contents names is there, and every page is named.
- The Rust blocks of the book are doc tests of some crate; those marked `ignore` stand in the sources, line by line.
- README and the architecture page name every crate.
- Modules of a crate form no circles (`tools/checks/circles.py`).
- Rust names the overloads of ATen by its enumeration, not as strings, but in tests.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

from tools.checks import circles
from tools.ui import ROOT

MAX_LINES = 900
MAX_WIDTH = 120
SOURCES = {".rs", ".py", ".pyi", ".md", ".toml", ".sh", ""}

#: For each crate, the crates of this workspace that it may name.
MAY_DEPEND = {
    "symshapes": {"pyrepr"},
    "pyrepr": set(),
    "fx": {"symshapes", "pyrepr"},
    "fx-interp": {"symshapes", "fx"},
    "autograd": {"symshapes", "fx"},
    "guards": {"symshapes", "pyrepr"},
    "dynamo-core": {"symshapes", "fx", "guards"},
    "inductor": {"symshapes", "fx"},
    "inductor-testing": {"symshapes", "fx", "fx-interp", "inductor", "runtime"},
    "inductor-cpu": {"symshapes", "fx", "inductor"},
    "inductor-cuda": {"symshapes", "fx", "inductor"},
    "inductor-wgpu": {"symshapes", "fx", "inductor"},
    "runtime": {"symshapes", "fx", "inductor"},
    "frame-hook": set(),
    "pybind": {
        "frame-hook",
        "symshapes",
        "fx",
        "autograd",
        "guards",
        "dynamo-core",
        "inductor",
        "inductor-cpu",
        "inductor-cuda",
        "inductor-wgpu",
        "runtime",
    },
}

#: Oracles and generators: any crate's tests may name them.
FOR_TESTS = {"fx-interp", "inductor-testing"}

#: Further crates that the tests of a crate may depend on.
TESTED_WITH = {"runtime": {"inductor-cpu"}}

#: The files with `unsafe`: what calls libtorch, CPython, LLVM's C API, NVRTC or compiled code, and the traits for
#: that; what owns or hands out the memory that compiled code works in; what loads a library to see whether it is there.
UNSAFE_ALLOWED = (
    "pybind/src/",
    "frame-hook/src/",
    "inductor-cpu/",
    "inductor-cuda/src/driver/",
    "inductor-cuda/src/kernel.rs",
    "inductor-cuda/src/lib.rs",
    "inductor-cuda/src/emulator/",
    "inductor-cuda/tests/common/",
    "inductor-cuda/tests/driver.rs",
    "inductor-wgpu/src/loader.rs",
    "inductor/src/backend.rs",
    "inductor/tests/pipeline/",
    "inductor-testing/src/heap.rs",
    "runtime/src/arena.rs",
    "runtime/src/device.rs",
    "runtime/src/activation.rs",
    "runtime/src/library.rs",
    "runtime/src/pages.rs",
    "runtime/src/program.rs",
    "runtime/src/run.rs",
    "runtime/src/stream.rs",
)

#: The lowest layer of the tracer, and what of the tracer it may name.
CORE = "dynamo-core/src/trace/core/"
NAMED_BY_CORE = {"core", "options"}

UNSAFE = re.compile(r"\bunsafe\s*(\{|fn|impl|trait|extern)|unsafe\(")
MACHINE_PATH = re.compile(r"(?<![\w.])/(?:home|root|Users|work)/\w+")
LAYER = re.compile(r"(?<!in crate::)\btrace::(\w+|\{)")
COMMENT = re.compile(r"^\s*//")
DOC = re.compile(r'^\s*(///|//!|#:|""")\s*(.*)')
QUESTION = re.compile(r"(What|How|Where|Those|Which|Who|Whose|When|Why|The same|The other way)\b")
OVERLOAD = re.compile(r'"(?:torch\.ops\.)?(?:aten\.)?(\w+\.\w+)"')
TABLE_ROW = re.compile(r"^\s*//[/!]? \|")
PAGE = re.compile(r"\]\(([^)#]+\.md)\)")
RUST_BLOCK = re.compile(r"^```rust(,ignore)?\n(.*?)^```", re.MULTILINE | re.DOTALL)


def stage() -> tuple[bool, str]:
    """Prints what is wrong; true if nothing is."""
    problems = list(check(ROOT))
    for problem in problems:
        print(problem)
    return not problems, f"{len(problems)} problems" if problems else ""


def check(root: Path) -> Iterator[str]:
    """The problems that are found, a line each."""
    for path in tracked(root):
        yield from check_file(root, path)
    for manifest in sorted(root.glob("*/Cargo.toml")):
        yield from check_manifest(manifest)
    yield from circles.check(root)
    yield from check_book(root / "book" / "src")
    rust = [path for path in tracked(root) if path.suffix == ".rs"]
    published = overloads((root / "fx" / "src" / "aten" / "schemas.txt").read_text())
    for path in rust:
        yield from check_overloads(path.relative_to(root).as_posix(), path.read_text(), published)
    sources = [path.read_text() for path in rust]
    for page in sorted((root / "book" / "src").rglob("*.md")):
        yield from check_rust_blocks(page, sources)
    for page in (root / "README.md", root / "book" / "src" / "architecture.md"):
        yield from check_crates_named(page)


def tracked(root: Path) -> list[Path]:
    """The files of the repository as they stand, git's or not yet git's, but for those that it ignores."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listing = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
    return [path for name in listing.splitlines() if (path := root / name).is_file()]


def check_file(root: Path, path: Path) -> Iterator[str]:
    """The rules on one file."""
    if path.suffix not in SOURCES:
        return
    name = path.relative_to(root).as_posix()
    lines = path.read_text(errors="replace").splitlines()
    if len(lines) > MAX_LINES and not name.startswith("LICENSE"):
        yield f"{name}: {len(lines)} lines; split it ({MAX_LINES} at most)"
    is_rust = path.suffix == ".rs"
    unsafe_allowed = not is_rust or name.startswith(UNSAFE_ALLOWED)
    for number, line in enumerate(lines, start=1):
        if MACHINE_PATH.search(line):
            yield f"{name}:{number}: a path of one machine"
        if not unsafe_allowed and UNSAFE.search(line) and not COMMENT.match(line):
            yield f"{name}:{number}: `unsafe` outside {', '.join(UNSAFE_ALLOWED)}"
        if name.startswith(CORE) and (layer := LAYER.search(line)) and layer[1] not in NAMED_BY_CORE:
            yield f"{name}:{number}: the lowest layer of the tracer names one above it"
        if is_rust and len(line) > MAX_WIDTH and COMMENT.match(line) and not TABLE_ROW.match(line):
            yield f"{name}:{number}: a comment of {len(line)} characters; break it ({MAX_WIDTH} at most)"
    for number, word in openings(lines) if path.suffix in (".rs", ".py", ".pyi") else ():
        yield f"{name}:{number}: a doc comment that opens with `{word}`; say what the item is or does"


def openings(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """The lines of doc comments that open with a word of questions, and that word."""
    before = None
    for number, line in enumerate(lines, start=1):
        doc = DOC.match(line)
        if doc and (doc[1] == '"""' or doc[1] != before) and (question := QUESTION.match(doc[2])):
            yield number, question[1]
        before = doc[1] if doc else None


def overloads(schemas: str) -> set[str]:
    """The names of the overloads that a table of schemas has: `add.Tensor`, `relu.default`."""
    names = (line.removeprefix("aten::").split("(")[0] for line in schemas.splitlines())
    return {name if "." in name else f"{name}.default" for name in names}


def check_overloads(name: str, text: str, published: set[str]) -> Iterator[str]:
    """No string is the name of an overload: a typing error in one would go unseen."""
    if "/src/" not in name or name.endswith("tests.rs") or "/tests/" in name:
        return
    for number, line in enumerate(text.split("#[cfg(test)]\nmod tests", 1)[0].splitlines(), start=1):
        for found in OVERLOAD.findall(line):
            if found in published and not COMMENT.match(line):
                yield f"{name}:{number}: `{found}` as a string; write `Aten::{found.replace('.', '_')}`"


def check_manifest(manifest: Path) -> Iterator[str]:
    """The rules on the dependencies of one crate."""
    crate = manifest.parent.name
    if crate not in MAY_DEPEND:
        yield f"{crate}: the table in tools/checks/tidy.py does not say what this crate may depend on"
        return
    tables = tomllib.loads(manifest.read_text())
    for kind in ("dependencies", "dev-dependencies", "build-dependencies"):
        for_tests = FOR_TESTS | TESTED_WITH.get(crate, set())
        allowed = MAY_DEPEND[crate] | {crate} | (for_tests if kind == "dev-dependencies" else set())
        for name in sorted((tables.get(kind, {}).keys() & MAY_DEPEND.keys()) - allowed):
            yield f"{crate}/Cargo.toml: {crate} may not depend on {name}"
    words = {word for path in manifest.parent.rglob("*.rs") for word in re.findall(r"\w+", path.read_text())}
    declared = {
        name for kind in ("dependencies", "dev-dependencies", "build-dependencies") for name in tables.get(kind, {})
    }
    yield from (
        f"{crate}/Cargo.toml: nothing names {name}" for name in sorted(declared) if name.replace("-", "_") not in words
    )


def check_book(pages: Path) -> Iterator[str]:
    """The table of contents and the pages are the same set."""
    summary = pages / "SUMMARY.md"
    if not summary.exists():
        return
    named = set(PAGE.findall(summary.read_text()))
    present = {path.relative_to(pages).as_posix() for path in pages.rglob("*.md")} - {"SUMMARY.md"}
    yield from (f"book/src/SUMMARY.md names {page}, which is not there" for page in sorted(named - present))
    yield from (f"book/src/{page}: not in SUMMARY.md" for page in sorted(present - named))


def check_rust_blocks(page: Path, sources: Sequence[str]) -> Iterator[str]:
    """Nothing that a page shows as Rust is out of date: it is compiled by a doc test, or is in the sources."""
    blocks = RUST_BLOCK.findall(page.read_text())
    included = f'include_str!("../../book/src/{page.name}")'
    if any(not excerpt for excerpt, _ in blocks) and not any(included in source for source in sources):
        yield f"book/src/{page.name}: Rust blocks, but no crate has {included} as a doc test"
    lines = {line.strip() for excerpt, block in blocks if excerpt for line in block.splitlines()}
    if lines:
        lines -= {line.strip() for source in sources for line in source.splitlines()}
    yield from (f"book/src/{page.name}: `{line}` is in no source" for line in sorted(lines))


def check_crates_named(page: Path) -> Iterator[str]:
    """A page that lists the crates lists all of them."""
    words = set(re.findall(r"[\w-]+", page.read_text()))
    yield from (f"{page.name}: does not name the crate {crate}" for crate in sorted(MAY_DEPEND.keys() - words))


if __name__ == "__main__":
    sys.exit(not stage()[0])
