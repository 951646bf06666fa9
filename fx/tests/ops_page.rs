//! The book's page of operators is what the table says now; `./x bless` rewrites it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use expect_test::expect_file;
use fx::aten::rules::{Extern, Rule};
use fx::aten::{Aten, Packet};

const INTRODUCTION: &str = "\
# Operators

What the compiler does with each operator of ATen. This page is generated from the table in `fx/src/aten/operators.txt`; \
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

/// Operators, and the overloads where not all of them are meant.
fn listed(overloads: impl Iterator<Item = Aten>) -> String {
    let mut by_packet: BTreeMap<Packet, BTreeSet<&str>> = BTreeMap::new();
    for op in overloads {
        by_packet.entry(op.packet()).or_default().insert(op.overload_name());
    }
    let entries = by_packet.iter().map(|(packet, names)| match names.iter().copied().collect::<Vec<_>>()[..] {
        ["default"] => format!("`{packet}`"),
        ref several => format!("`{packet}` ({})", several.join(", ")),
    });
    entries.collect::<Vec<_>>().join(", ")
}

/// The heading above the operators of a library, in the words of the table.
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
fn is_functional(op: Aten) -> bool {
    !op.mutates() && op.schema.params.iter().any(|p| p.ty.holds_tensors())
}

/// The overloads with a rule.
fn ruled() -> impl Iterator<Item = (Aten, Rule)> {
    Aten::every().filter_map(|op| Some((op, op.rule()?)))
}

fn page() -> String {
    let mut page = INTRODUCTION.to_owned();
    let chosen = |is: &dyn Fn(Rule) -> bool| listed(ruled().filter(|(_, rule)| is(*rule)).map(|(op, _)| op));
    let maps = chosen(&|rule| matches!(rule, Rule::Map(_)));
    let _ = write!(page, "\n## Native\n\nOne primitive on each element: {maps}.\n");
    let _ = write!(page, "\nOne reduction: {}.\n", chosen(&|rule| matches!(rule, Rule::Reduce(_))));
    let _ = write!(page, "\nCompositions: {}.\n", chosen(&|rule| matches!(rule, Rule::Compose(_))));
    page.push_str("\n## Extern\n");
    let mut by_heading: BTreeMap<&str, Vec<Aten>> = BTreeMap::new();
    for (op, rule) in ruled() {
        if let Rule::Extern(kind) = rule {
            by_heading.entry(heading(kind)).or_default().push(op);
        }
    }
    for (heading, ops) in by_heading {
        let _ = write!(page, "\n{heading}: {}.\n", listed(ops.into_iter()));
    }
    let with_rule: BTreeSet<Packet> = ruled().map(|(op, _)| op.packet()).collect();
    let rest = |is: &dyn Fn(Aten) -> bool| {
        let rest: BTreeSet<String> = Aten::every()
            .filter(|&op| is_functional(op) && is(op))
            .map(Aten::packet)
            .filter(|packet| !with_rule.contains(packet))
            .filter(|packet| !packet.name().contains("cudnn") && !packet.name().contains("miopen"))
            .map(|packet| format!("`{packet}`"))
            .collect();
        rest.into_iter().collect::<Vec<_>>().join(", ")
    };
    let _ = write!(page, "\n{}, by their schemas: {}.\n", heading(Extern::Function), rest(&|op| op.is_function()));
    let _ = write!(page, "\n## Fallback\n\n{}.\n", rest(&|op| !op.is_function()));
    page
}

#[test]
fn the_page_is_what_the_table_says() {
    expect_file!["../../book/src/ops.md"].assert_eq(&page());
}

#[test]
fn no_overload_with_a_rule_changes_anything() {
    for (op, _) in ruled() {
        assert!(!op.mutates(), "{op}");
    }
}
