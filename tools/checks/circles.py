"""Circles between the modules of a crate: `python -m tools.checks.circles` lists them.

A module's children form a circle if one names another that, by whatever way, names it back. What a name stands for is
followed through the `use` declarations of the modules that re-export it; tests, examples and macros' insides are left
out. A parent and its children may name each other: a parent is where what its children share is declared.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tools.ui import ROOT

#: A path within a crate, as the names from its root on.
Module = tuple[str, ...]

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
TEXT = re.compile(r'r(#+)".*?"\1|"(?:[^"\\]|\\.)*"', re.DOTALL)
TESTS = re.compile(r"#\[cfg\(test\)\]\s*(?:pub(?:\([^)]*\))?\s+)?mod\s+\w+\s*(;|\{)")
USE = re.compile(r"\b(pub(?:\([^)]*\))?\s+)?use\s+([^;]+);")
PATH = re.compile(r"\b((?:crate|super|self)(?:::\w+)+)")
DEFINED = re.compile(r"\b(?:struct|enum|trait|type|fn|const|static|union|macro_rules!)\s+(\w+)")


def check(root: Path) -> Iterator[str]:
    """Each circle, a line."""
    for parent, names in circles(root):
        yield f"{parent}: a circle of modules: {' '.join(names)}"


def circles(root: Path) -> Iterator[tuple[str, list[str]]]:
    """The circles of all crates: the module that their members are children of, and the members."""
    for manifest in sorted(root.glob("*/Cargo.toml")):
        source = manifest.parent / "src"
        if source.is_dir():
            for members in Crate(source).circles():
                yield "::".join((manifest.parent.name, *members[0][:-1])), [member[-1] for member in members]


def without_tests(text: str) -> str:
    """Rust without comments, texts and test modules."""
    text = COMMENT.sub("", TEXT.sub('""', text))
    while found := TESTS.search(text):
        end = found.end()
        if found[1] == "{":
            depth = 1
            while depth and end < len(text):
                depth += {"{": 1, "}": -1}.get(text[end], 0)
                end += 1
        text = text[: found.start()] + text[end:]
    return text


def used(tree: str, before: Module = ()) -> Iterator[tuple[Module, str]]:
    """The paths that a `use` declaration names, each with the name that it gets; `*` for all of a module."""
    tree = tree.strip()
    head, brace, rest = tree.partition("{")
    if brace:
        before = (*before, *filter(None, (part.strip() for part in head.split("::"))))
        depth, start = 0, 0
        rest = rest.rstrip().removesuffix("}")
        for at, char in enumerate(rest + ","):
            depth += {"{": 1, "}": -1}.get(char, 0)
            if char == "," and depth == 0:
                if item := rest[start:at].strip():
                    yield from used(item, before)
                start = at + 1
        return
    path, _, name = tree.partition(" as ")
    parts = (*before, *(part.strip() for part in path.split("::")))
    if parts[-1] == "self":
        parts = parts[:-1]
    yield parts, name.strip() or parts[-1]


class Crate:
    """The modules of a crate and what each names."""

    def __init__(self, source: Path) -> None:
        self.texts: dict[Module, str] = {}
        for file in sorted(source.rglob("*.rs")):
            parts = file.relative_to(source).with_suffix("").parts
            if parts[-1] in ("mod", "lib", "main"):
                parts = parts[:-1]
            if "tests" not in parts:
                self.texts[parts] = without_tests(file.read_text())
        #: Of each module, the paths from elsewhere in the crate that it imports, by the names that it gives them.
        self.names: dict[Module, dict[str, Module]] = {}
        self.globs: dict[Module, list[Module]] = {}
        for module, text in self.texts.items():
            self.names[module], self.globs[module] = {}, []
            for _, tree in USE.findall(text):
                for path, name in used(tree):
                    if (absolute := self.absolute(module, path)) is not None:
                        if name == "*":
                            self.globs[module].append(absolute[:-1])
                        else:
                            self.names[module][name] = absolute

    def absolute(self, module: Module, path: Module) -> Module | None:
        """A path from the root of the crate; `None` for one into another crate."""
        first, rest = path[0], path[1:]
        if first == "crate":
            return rest
        at = module
        if first == "self":
            return (*at, *rest)
        if first == "super":
            at = at[:-1]
            while rest and rest[0] == "super":
                at, rest = at[:-1], rest[1:]
            return (*at, *rest)
        return (*module, *path) if (*module, first) in self.texts else None

    def home(self, path: Module, seen: frozenset[Module] = frozenset()) -> Module:
        """The module in which what a path names is declared."""
        if path in self.texts or not path or path in seen:
            return path
        seen |= {path}
        module = self.home(path[:-1], seen)
        name = path[-1]
        if name in self.names.get(module, {}):
            return self.home(self.names[module][name], seen)
        if module in self.texts and name not in DEFINED.findall(self.texts[module]):
            for glob in self.globs[module]:
                from_glob = self.home((*glob, name), seen)
                if from_glob in self.texts and name in DEFINED.findall(self.texts[from_glob]):
                    return from_glob
        return module

    def named(self, module: Module) -> set[Module]:
        """The modules that declare what a module names."""
        paths = set(self.names[module].values()) | {(*glob, "*") for glob in self.globs[module]}
        for text in PATH.findall(USE.sub("", self.texts[module])):
            if (absolute := self.absolute(module, tuple(text.split("::")))) is not None:
                paths.add(absolute)
        return {self.home(path[:-1] if path[-1:] == ("*",) else path) for path in paths}

    def circles(self) -> Iterator[list[Module]]:
        """The circles between siblings, each as the modules in it."""
        edges: dict[Module, set[Module]] = {}
        for module in self.texts:
            for other in self.named(module):
                depth = next((i for i, (a, b) in enumerate(zip(module, other, strict=False)) if a != b), None)
                if depth is not None:
                    edges.setdefault(module[: depth + 1], set()).add(other[: depth + 1])
        for members in components(edges):
            if len(members) > 1:
                yield sorted(members)


def components(edges: dict[Module, set[Module]]) -> list[set[Module]]:
    """The strongly connected parts of a graph."""

    def reached(start: Module, forward: dict[Module, set[Module]]) -> set[Module]:
        found, left = {start}, [start]
        while left:
            for other in forward.get(left.pop(), ()):
                if other not in found:
                    found.add(other)
                    left.append(other)
        return found

    backward: dict[Module, set[Module]] = {}
    for module, others in edges.items():
        for other in others:
            backward.setdefault(other, set()).add(module)
    parts: list[set[Module]] = []
    for module in sorted(edges):
        if not any(module in part for part in parts):
            parts.append(reached(module, edges) & reached(module, backward))
    return parts


if __name__ == "__main__":
    for line in check(ROOT):
        print(line)
