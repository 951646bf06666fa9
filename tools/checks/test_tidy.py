"""Each rule of tools/checks/tidy.py finds what it is there for."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.checks import circles
from tools.checks.tidy import (
    MAX_LINES,
    MAX_WIDTH,
    check_book,
    check_crates_named,
    check_file,
    check_manifest,
    check_overloads,
    check_rust_blocks,
    overloads,
)


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("fx/src/a.rs", "fn f() {}\n", None),
        ("fx/src/a.rs", "unsafe { g() }\n", "fx/src/a.rs:1: `unsafe` outside"),
        ("fx/src/a.rs", "// unsafe { g() }\n", None),
        ("fx/src/a.rs", f"    // {'a ' * MAX_WIDTH}\n", "fx/src/a.rs:1: a comment of"),
        ("fx/src/a.rs", f"//! | {'a ' * MAX_WIDTH} |\n", None),
        ("pybind/src/a.rs", "unsafe { g() }\n", None),
        ("a.py", "\n" * (MAX_LINES + 1), f"a.py: {MAX_LINES + 1} lines"),
        ("dynamo-core/src/trace/core/a.rs", "pub(in crate::trace) struct A;\n", None),
        ("dynamo-core/src/trace/core/a.rs", "use crate::trace::options::Options;\n", None),
        (
            "dynamo-core/src/trace/core/a.rs",
            "    trace::python::sets,\n",
            "dynamo-core/src/trace/core/a.rs:1: the lowest",
        ),
        ("dynamo-core/src/trace/python/a.rs", "    trace::python::sets,\n", None),
        (
            "fx/src/a.rs",
            "/// What" + " a node calls.\nfn f() {}\n",
            "fx/src/a.rs:1: a doc comment that opens with `What`",
        ),
        ("fx/src/a.rs", "//! A table.\n//!\n//! Where it ends, nothing follows.\n", None),
        ("fx/src/a.rs", "/// The target of a node.\n/// What it is called with.\n", None),
        ("a.py", 'def f():\n    """How' + ' it runs."""\n', "a.py:2: a doc comment that opens with `How`"),
        ("a.py", "#: The" + " same as above.\nA = 1\n", "a.py:1: a doc comment that opens with `The same`"),
        ("a.py", "# What comes next\nA = 1\n", None),
        ("data.txt", "\n" * (MAX_LINES + 1), None),
        ("a.py", "path = '/ho" + "me/somebody/x'\n", "a.py:1: a path of one machine"),
        ("a.md", "https://example.org/ho" + "me/page\n", None),
    ],
)
def test_files(tmp_path: Path, name: str, text: str, found: str | None) -> None:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    problems = list(check_file(tmp_path, path))
    assert (problems == []) if found is None else problems[0].startswith(found)


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("fx/src/a.rs", 'call("aten.add.Tensor")', 1),
        ("fx/src/a.rs", 'call("torch.ops.aten.relu.default"); call("relu.default")', 2),
        ("fx/src/a.rs", 'call(Aten::add_Tensor); call("operator.add"); call("add.Other")', 0),
        ("fx/src/a.rs", '/// `call("aten.add.Tensor")`', 0),
        ("fx/src/a.rs", '#[cfg(test)]\nmod tests {\n    call("aten.add.Tensor")\n}', 0),
        ("fx/src/a/tests.rs", 'call("aten.add.Tensor")', 0),
        ("fx/tests/a.rs", 'call("aten.add.Tensor")', 0),
    ],
)
def test_overloads_are_no_strings(name: str, text: str, found: int) -> None:
    published = overloads("aten::add.Tensor(Tensor self) -> Tensor\naten::relu(Tensor self) -> Tensor\n")
    assert len(list(check_overloads(name, text, published))) == found


def test_dependencies_point_one_way(tmp_path: Path) -> None:
    manifest = tmp_path / "fx" / "Cargo.toml"
    manifest.parent.mkdir()
    (manifest.parent / "lib.rs").write_text("use symshapes::Expr;\nuse fx_interp::run;\nuse inductor::compile;\n")
    manifest.write_text("[dependencies]\nsymshapes.workspace = true\n")
    assert list(check_manifest(manifest)) == []
    manifest.write_text("[dev-dependencies]\ninductor.workspace = true\n")
    assert list(check_manifest(manifest)) == ["fx/Cargo.toml: fx may not depend on inductor"]
    manifest.write_text("[dev-dependencies]\nfx-interp.workspace = true\n")
    assert list(check_manifest(manifest)) == []
    manifest.write_text("[dependencies]\nfx-interp.workspace = true\n")
    assert list(check_manifest(manifest)) == ["fx/Cargo.toml: fx may not depend on fx-interp"]
    manifest.write_text("[dependencies]\npetgraph.workspace = true\nsymshapes.workspace = true\n")
    assert list(check_manifest(manifest)) == ["fx/Cargo.toml: nothing names petgraph"]


def test_book_names_its_pages(tmp_path: Path) -> None:
    (tmp_path / "SUMMARY.md").write_text("- [One](one.md)\n- [Two](two.md)\n")
    (tmp_path / "one.md").touch()
    (tmp_path / "three.md").touch()
    assert [problem.split(": ")[-1] for problem in check_book(tmp_path)] == [
        "book/src/SUMMARY.md names two.md, which is not there",
        "not in SUMMARY.md",
    ]


def test_rust_in_the_book_is_compiled(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```rust\nlet x = 1;\n```\n\n```rust,ignore\nRow => One,\n```\n")
    included = '#[doc = include_str!("../../book/src/page.md")]\n'
    assert list(check_rust_blocks(page, [included + "    Row => One,\n"])) == []
    problems = list(check_rust_blocks(page, ["Row => Two,"]))
    assert [problem.split(": ")[-1] for problem in problems] == [
        'Rust blocks, but no crate has include_str!("../../book/src/page.md") as a doc test',
        "`Row => One,` is in no source",
    ]


def test_pages_name_every_crate(tmp_path: Path) -> None:
    page = tmp_path / "README.md"
    page.write_text("`symshapes`, and others\n")
    problems = list(check_crates_named(page))
    assert "README.md: does not name the crate fx" in problems
    assert not any("symshapes" in problem for problem in problems)


def test_circles_are_found_through_what_a_parent_re_exports(tmp_path: Path) -> None:
    def crate(**files: str) -> list[tuple[str, list[str]]]:
        source = tmp_path / "made" / "src"
        for name, text in files.items():
            path = source / f"{name.replace('__', '/')}.rs"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        (tmp_path / "made" / "Cargo.toml").write_text("")
        return list(circles.circles(tmp_path))

    library = "mod a;\nmod b;\npub use a::Thing;\n"
    one_way = "use crate::Thing;\n#[cfg(test)]\nmod tests { use crate::b; }\n"
    assert crate(lib=library, a="pub struct Thing;\n// crate::b::made()\n", b=one_way) == []
    assert crate(a="pub struct Thing;\nfn f() { crate::b::made() }\n") == [("made", ["a", "b"])]
    parent = "mod c;\nmod d;\npub struct Thing;\n"
    children = {"a__c": "use super::d::*;\n", "a__d": "use super::super::a::c::{self as x};\n"}
    assert crate(a=parent, **children) == [("made::a", ["c", "d"])]
