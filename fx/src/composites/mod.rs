//! Composite operators as the operators that they are composed of (torch's `CompositeImplicitAutograd` kernels).
//!
//! The parts are those that eager runs, in its order, for any sizes: derivatives, kernels and autocast follow from
//! them. A case without an expansion is [`InferError::Unsupported`], one that torch refuses [`InferError::Rejected`].
//!
//! Invariant: parts write to nothing. Where torch writes in place into what it has just computed, the out-of-place
//! form stands.

mod build;
mod einsum;
mod elements;
mod layers;
mod losses;
mod norms;
mod products;
mod renamed;
mod splits;
mod stacking;
mod statistics;

use crate::{arg::Arg, aten::Aten, graph::NodeId, infer::InferError};
use build::Parts;
pub use build::{Builder, Outcome};
use rustc_hash::FxHashMap;
use std::sync::OnceLock;

/// The results of a composite, as nodes of the graph that got its parts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Results {
    /// A tensor.
    One(NodeId),
    /// A list or tuple of tensors.
    Several(Vec<NodeId>),
}

/// Appends the parts of a call that gives a tensor.
type Expand = fn(&mut Parts) -> Outcome;

/// Appends the parts of a call that gives several.
type ExpandSeveral = fn(&mut Parts) -> Outcome<Vec<NodeId>>;

/// An expansion, by the number of results.
#[derive(Clone, Copy)]
enum Row {
    Renamed(Aten),
    One(Expand),
    Several(ExpandSeveral),
}

/// True for an overload that has an expansion.
pub fn has_row(op: Aten) -> bool {
    row(op).is_some()
}

/// Appends the parts of a composite call to a graph; `None` if the overload has no expansion.
///
/// # Errors
/// The call has no expansion in this case, or torch would refuse it. What was appended until then stays.
pub fn expand(
    builder: &mut dyn Builder,
    op: Aten,
    args: &[Arg],
    kwargs: &[(String, Arg)],
) -> Option<Result<Results, InferError>> {
    let row = row(op)?;
    let bound = match op.bind(args, kwargs) {
        Ok(bound) => bound,
        Err(error) => return Some(Err(error.into())),
    };
    let mut parts = Parts::new(&bound, builder);
    Some(match row {
        Row::Renamed(to) => {
            let args: Vec<Arg> = bound.values().iter().map(|&arg| arg.clone()).collect();
            parts.call(to, args).map(Results::One)
        }
        Row::One(expand) => expand(&mut parts).map(Results::One),
        Row::Several(expand) => expand(&mut parts).map(Results::Several),
    })
}

fn row(op: Aten) -> Option<Row> {
    static INDEX: OnceLock<FxHashMap<Aten, Row>> = OnceLock::new();
    let rows = || {
        let families = [
            stacking::ROWS,
            products::ROWS,
            einsum::ROWS,
            losses::ROWS,
            layers::ROWS,
            norms::ROWS,
            elements::ROWS,
            statistics::ROWS,
        ];
        let ones = families.into_iter().flatten().map(|&(op, expand)| (op, Row::One(expand)));
        let several = [stacking::SEVERAL, splits::ROWS, layers::SEVERAL, norms::SEVERAL, elements::SEVERAL];
        let several = several.into_iter().flatten().map(|&(op, expand)| (op, Row::Several(expand)));
        let renamed = renamed::ROWS.iter().map(|&(from, to)| (from, Row::Renamed(to)));
        ones.chain(several).chain(renamed).collect()
    };
    INDEX.get_or_init(rows).get(&op).copied()
}
