//! The book's page of operators is what the table says now; `./x bless` rewrites it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use expect_test::expect_file;
use fx::aten::rules::{Extern, RULES, Rule, rule};
use fx::aten::{Overload, lookup, names};

const INTRODUCTION: &str = "\
# Operators

What the compiler does with each operator of ATen. This page is generated from the table in `fx/src/aten/rules.rs`; \
`./x bless` rewrites it, and a test fails where it is stale.

- **Native**: the operator becomes primitives, which are fused into generated kernels. A rule may leave a case to a \
library or to a fallback; `rust_inductor.explain` tells what became of each call.
- **Extern**: the plan calls the library's operator from Rust, on tensors of known sizes: what the table gives to the \
library, and any operator whose schema says that it is a function of its arguments.
- **Fallback**: the operator is called through Python. So is an extern one that takes a `Scalar`, for which the library's \
C interface has no type, or whose results have sizes that only the call gives.

Complex numbers have no kernels: operators on them are called.

Views, in-place forms and `out=` forms come down to the operators named here before the compiler sees them. \
`python -m pybind.tests.opinfo.run` compares every operator that torch's own tests know with eager, sample by sample; \
with `--grad` their gradients, with `--dtype` in another type.
";

/// Operators by what they are called without overload, and the overloads where not all of them are meant.
fn listed<'a>(overloads: impl Iterator<Item = &'a str>) -> String {
    let mut by_base: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for name in overloads {
        let (base, overload) = name.split_once('.').unwrap_or((name, "default"));
        by_base.entry(base).or_default().insert(overload);
    }
    let entries = by_base.iter().map(|(base, overloads)| match overloads.iter().copied().collect::<Vec<_>>()[..] {
        ["default"] => format!("`{base}`"),
        ref several => format!("`{base}` ({})", several.join(", ")),
    });
    entries.collect::<Vec<_>>().join(", ")
}

/// What stands above the operators of a library, in the words of the table.
fn heading(kind: Extern) -> &'static str {
    match kind {
        Extern::MatMul => "Matrix products, into planned memory",
        Extern::Convolution => "Convolution",
        Extern::ConvolutionBackward => "Convolution, backward",
        Extern::Attention => "Attention",
        Extern::Pooling => "Pooling",
        Extern::PoolingBackward => "Pooling, backward",
        Extern::Resampling => "Images in another size",
        Extern::ResamplingBackward => "Images in another size, backward",
        Extern::Random => "Random numbers, from eager's own generator",
        Extern::Sort => "Sorting, selection, counting",
        Extern::Scatter => "Writing at places",
        Extern::Linear => "Linear algebra",
        Extern::Fourier => "Fourier transforms",
        Extern::Special => "Special functions",
        Extern::Scan => "Running combinations",
        Extern::Padding => "Padding with what is inside",
        Extern::Loss => "Losses",
        Extern::Layer => "Layers",
        Extern::Statistics => "Statistics of a batch",
        Extern::Function => "Other functions",
    }
}

/// True for what a functional graph may hold.
fn is_functional(overload: &Overload) -> bool {
    !overload.mutates() && overload.schema.params.iter().any(|p| p.ty.holds_tensors())
}

fn page() -> String {
    let mut page = INTRODUCTION.to_owned();
    let is_map = |rule: &Rule| matches!(rule, Rule::Map(_));
    let chosen = |is: &dyn Fn(&Rule) -> bool| listed(RULES.iter().filter(|(_, rule)| is(rule)).map(|(name, _)| *name));
    let _ = write!(page, "\n## Native\n\nOne primitive on each element: {}.\n", chosen(&is_map));
    let _ = write!(page, "\nOne reduction: {}.\n", chosen(&|rule| matches!(rule, Rule::Reduce(_))));
    let _ = write!(page, "\nCompositions: {}.\n", chosen(&|rule| matches!(rule, Rule::Compose(_))));
    page.push_str("\n## Extern\n");
    let mut by_heading: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, rule) in RULES {
        if let Rule::Extern(kind) = rule {
            by_heading.entry(heading(*kind)).or_default().push(name);
        }
    }
    for (heading, names) in by_heading {
        let _ = write!(page, "\n{heading}: {}.\n", listed(names.into_iter()));
    }
    let bases: BTreeSet<&str> = RULES.iter().map(|(name, _)| name.split('.').next().unwrap_or(name)).collect();
    let rest = |is: &dyn Fn(&Overload) -> bool| {
        let rest: BTreeSet<String> = names()
            .filter_map(lookup)
            .filter(|overload| is_functional(overload) && rule(&overload.name).is_none() && is(overload))
            .map(Overload::base)
            .filter(|base| !bases.contains(base) && !base.contains("cudnn") && !base.contains("miopen"))
            .map(|base| format!("`{base}`"))
            .collect();
        rest.into_iter().collect::<Vec<_>>().join(", ")
    };
    let _ = write!(page, "\n{}, by their schemas: {}.\n", heading(Extern::Function), rest(&Overload::is_function));
    let _ = write!(page, "\n## Fallback\n\n{}.\n", rest(&|overload| !overload.is_function()));
    page
}

#[test]
fn the_page_is_what_the_table_says() {
    expect_file!["../../book/src/ops.md"].assert_eq(&page());
}

#[test]
fn every_row_names_a_published_overload_that_changes_nothing() {
    for (name, _) in RULES {
        let overload = lookup(name).unwrap_or_else(|| panic!("{name} is not published"));
        assert!(!overload.mutates(), "{name}");
    }
}
