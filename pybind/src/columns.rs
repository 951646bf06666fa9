//! The book's page of which tables know each operator; `./x bless` rewrites it.

use crate::exec::externs;
use expect_test::expect_file;
use fx::aten::{Aten, Packet, rules::Rule};
use std::collections::BTreeSet;
use std::fmt::Write;

const INTRODUCTION: &str = "\
# Operators by table

Which tables know each operator of ATen, of its overloads that write to nothing: all, none, or those named. This page is \
generated; `./x bless` rewrites it, and a test fails where it is stale.

- **Traits**: the facts that its row has beside rules (`fx/src/aten/operators.txt`, `fx/src/aten/traits.rs`).
- **Rule**: how it comes down to primitives, or what kind of library's operator it is (`fx/src/aten/operators.txt`).
- **Shapes**: its results' sizes, strides and types are inferred (`fx/src/infer`). For others torch is asked.
- **Oracle**: the interpreter that tests compare with computes it (`fx-interp`).
- **Derivative**: it has a formula (`autograd/src/formulas.rs`).
- **Composite**: it is taken apart as it is captured (`fx/src/composites`), or before it is differentiated \
(`autograd/src/composites.rs`).
- **Shim**: libtorch's own C function is called for it (`pybind/src/exec/externs.rs`), the dispatcher for others.
- **WebGPU**: a kernel of a library of ours computes it there (`inductor-wgpu/src/library`).
";

/// A column: its heading, and whether an overload is in it.
type Column = (&'static str, fn(Aten) -> bool);

const COLUMNS: [Column; 7] = [
    ("Rule", |op| op.rule().is_some()),
    ("Shapes", fx::infer::has_rule),
    ("Oracle", fx_interp::has_rule),
    ("Derivative", autograd::has_derivative),
    ("Composite", autograd::is_composite),
    ("Shim", externs::has_row),
    ("WebGPU", inductor_wgpu::has_kernel),
];

/// An operator's cell: the overloads that are in a column.
fn cell(overloads: &[Aten], is_in: fn(Aten) -> bool) -> String {
    let found: Vec<&str> = overloads.iter().filter(|op| is_in(**op)).map(|op| op.overload_name()).collect();
    match found.len() {
        0 => String::new(),
        count if count == overloads.len() => "all".to_owned(),
        _ => found.join(", "),
    }
}

/// The kinds of an operator's rules.
fn kinds(overloads: &[Aten]) -> String {
    let kind = |rule| match rule {
        Rule::Map(_) => "map".to_owned(),
        Rule::Reduce(_) => "reduction".to_owned(),
        Rule::Compose(_) => "composition".to_owned(),
        Rule::Extern(kind) => format!("{kind:?}").to_lowercase(),
    };
    let kinds: BTreeSet<String> = overloads.iter().filter_map(|op| op.rule()).map(kind).collect();
    kinds.into_iter().collect::<Vec<_>>().join(", ")
}

fn page() -> String {
    let mut page = INTRODUCTION.to_owned();
    let headings = COLUMNS.map(|(heading, _)| heading).join(" | ");
    let _ = write!(page, "\n| Operator | Kind | Traits | {headings} |\n|{}\n", "---|".repeat(COLUMNS.len() + 3));
    for packet in Packet::every() {
        let overloads: Vec<Aten> = packet.overloads().filter(|op| !op.mutates()).collect();
        let cells = COLUMNS.map(|(_, is_in)| cell(&overloads, is_in));
        let traits = packet.trait_words();
        if cells.iter().any(|cell| !cell.is_empty()) || !overloads.is_empty() && !traits.is_empty() {
            let _ = writeln!(page, "| `{packet}` | {} | {traits} | {} |", kinds(&overloads), cells.join(" | "));
        }
    }
    page
}

#[test]
fn the_page_is_what_the_tables_say() {
    expect_file!["../../book/src/ops-tables.md"].assert_eq(&page());
}
