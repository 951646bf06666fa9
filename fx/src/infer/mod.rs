//! Shapes, strides, dtypes and devices of the nodes of an ATen graph, symbolic in its sizes.
//!
//! Every rule says what torch's own kernel gives on the CPU, strides included. An op without a rule is
//! [`InferError::NoRule`], and a question about symbols that cannot be decided is [`InferError::Undecided`]: nothing is
//! guessed. Where a graph brings metadata of its own, that is used and [`check`] compares.

mod attention;
mod bags;
mod call;
mod checks;
mod conv;
mod create;
mod device_norms;
mod elements;
mod fourier;
mod image;
mod index;
mod join;
mod linalg;
mod linear;
mod losses;
mod norm;
mod plain;
pub mod pointwise;
mod products;
pub mod promote;
mod random;
mod recurrent;
mod reduce;
mod resample;
pub mod sizes;
mod solve;
mod statistics;
pub mod strides;
mod transform;
mod transformer;
mod view;

use crate::packets;
use crate::{
    arg::Arg,
    aten::{Aten, BindError, Packet},
    graph::{Graph, Kind, Meta, NodeId, Nodes},
};
use call::{Call, Result};
pub(crate) use plain::int_of;
pub use plain::int_op;
use rustc_hash::FxHashMap;
use sizes::Sizes;
use std::{fmt, sync::OnceLock};
use symshapes::{DTypeClass, Pool, ShapeEnv, TensorMeta};

/// The reason why a node's metadata could not be inferred.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum InferError {
    /// A target without a rule.
    #[error("no rule for `{0}`")]
    NoRule(String),
    /// A call that does not fit its schema.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// An argument whose metadata the rule needs and does not find.
    #[error("{op}: nothing is known of `{name}`")]
    Unknown {
        /// The op.
        op: String,
        /// The parameter.
        name: String,
    },
    /// A case that torch rejects.
    #[error("{op}: {what}")]
    Rejected {
        /// The op.
        op: String,
        /// The reason.
        what: &'static str,
    },
    /// An index that is known to lead out of the tensor, which torch answers with an `IndexError`.
    #[error("{op}: an index out of range")]
    OutOfRange {
        /// The op.
        op: String,
    },
    /// A case that the rule does not cover, or that torch rejects.
    #[error("{op}: {what}")]
    Unsupported {
        /// The op.
        op: String,
        /// The case.
        what: String,
    },
    /// A question about symbolic sizes without an answer.
    #[error("{op}: cannot decide {what}")]
    Undecided {
        /// The op.
        op: String,
        /// The question.
        what: &'static str,
    },
}

/// Infers what is known of a node's value from what its arguments' metadata says. The node itself is not changed.
pub fn node(graph: &mut Graph, id: NodeId) -> Result<Meta> {
    let (nodes, pool) = graph.nodes_and_exprs();
    infer(nodes, id, Sizes::Proved(pool))
}

/// As [`node`], for a graph whose metadata is over the expressions of `env`: where a question about sizes has no
/// answer that is proved, the example inputs decide and a guard is recorded. `at` is the user's stack.
pub fn guarded(graph: &Graph, id: NodeId, env: &mut ShapeEnv, at: &str) -> Result<Meta> {
    infer(graph.all_nodes(), id, Sizes::Guarded { env, at })
}

/// Operators that give for complex numbers what they give for others. Some give real ones for these, others different
/// strides, and many do not take them.
const OF_COMPLEX: &[Packet] = packets![add sub rsub mul neg];

fn infer(nodes: &Nodes, id: NodeId, mut sizes: Sizes) -> Result<Meta> {
    let node = &nodes[id];
    let no_rule = || InferError::NoRule(node.target.as_str().to_owned());
    if node.kind != Kind::CallFunction {
        return node.meta.clone().ok_or_else(no_rule);
    }
    let Some(overload) = node.op() else {
        return plain::call(&mut sizes, nodes, &node.target, &node.args).ok_or_else(no_rule);
    };
    let no_rule = || InferError::NoRule(overload.name().to_owned());
    let (rule, computes) = rule(overload).ok_or_else(no_rule)?;
    let is_complex =
        |input: NodeId| nodes[input].tensor_meta().is_some_and(|meta| meta.dtype.class() == DTypeClass::Complex);
    if computes && !OF_COMPLEX.contains(&overload.packet()) && node.inputs().into_iter().any(is_complex) {
        return Err(no_rule());
    }
    let bound = overload.bind(&node.args, &node.kwargs)?;
    let mut meta = rule(&mut Call::new(bound, nodes, sizes))?;
    if let Meta::Tuple(items) = &mut meta
        && overload.traits().first_alone
    {
        for item in items.iter_mut().skip(1).flatten() {
            if let Meta::Tensor(tensor) = item {
                tensor.requires_grad = false;
            }
        }
    }
    Ok(meta)
}

/// Infers the metadata of every node that has none, in order; stops at the first that has no answer.
pub fn fill(graph: &mut Graph) -> std::result::Result<(), (NodeId, InferError)> {
    for id in graph.nodes().collect::<Vec<_>>() {
        if graph[id].meta.is_none() && graph[id].kind == Kind::CallFunction {
            graph[id].meta = Some(node(graph, id).map_err(|e| (id, e))?);
        }
    }
    Ok(())
}

/// True for a call of an ATen overload of which tensors without data tell what it gives, where no rule does. Results of
/// libraries' operators lie otherwise on each device, and complex numbers may be conjugated when they are read.
pub fn is_told_without_data(graph: &Graph, id: NodeId) -> bool {
    let node = &graph[id];
    let Some(overload) = node.op() else { return false };
    let is_complex =
        |node: NodeId| graph[node].tensor_meta().is_some_and(|meta| meta.dtype.class() == DTypeClass::Complex);
    // The rules of the libraries leave out what lies otherwise than they say.
    let of_library = [linalg::RULES, solve::RULES, fourier::RULES, transform::RULES];
    let is_partly_known = || of_library.into_iter().flatten().any(|&(packet, _)| packet == overload.packet());
    let is_known = rule(overload).is_some() && !is_partly_known();
    let is_told_by_device = overload.traits().device_layout && !is_known;
    !is_told_by_device && !node.inputs().into_iter().any(is_complex)
}

/// True for an overload whose results rules tell.
pub fn has_rule(op: Aten) -> bool {
    rule(op).is_some()
}

/// A rule: what a call gives.
type Rule = fn(&mut Call) -> Result<Meta>;

/// A family of rules.
type Family = &'static [(Packet, Rule)];

/// The families whose rules hold for complex numbers as for others.
const OF_ANY_NUMBERS: &[Family] =
    &[view::RULES, create::RULES, index::RULES, join::RULES, fourier::RULES, transform::RULES];

/// The families whose rules hold for real numbers.
const OF_REAL_NUMBERS: &[Family] = &[
    reduce::RULES,
    linalg::RULES,
    solve::RULES,
    linear::RULES,
    attention::RULES,
    transformer::RULES,
    norm::RULES,
    device_norms::RULES,
    conv::RULES,
    image::RULES,
    recurrent::RULES,
    random::RULES,
    bags::RULES,
    losses::RULES,
    resample::RULES,
    products::RULES,
    statistics::RULES,
    elements::RULES,
    checks::RULES,
];

/// The rule of an overload, its own or else that of its operator, and whether the operator computes what may be
/// otherwise for complex numbers. What mutates has none.
fn rule(op: Aten) -> Option<(Rule, bool)> {
    static INDEX: OnceLock<FxHashMap<Packet, (Rule, bool)>> = OnceLock::new();
    if op.mutates() {
        return None;
    }
    let families = OF_ANY_NUMBERS.iter().map(|&family| (family, false));
    let families = families.chain(OF_REAL_NUMBERS.iter().map(|&family| (family, true)));
    let row = |(family, computes): (Family, bool)| family.iter().map(move |&(packet, rule)| (packet, (rule, computes)));
    let index = INDEX.get_or_init(|| families.flat_map(row).collect());
    let element_wise = |_| (pointwise::rule as Rule, true);
    let exact = pointwise::exact(op).map(element_wise);
    exact.or_else(|| index.get(&op.packet()).copied()).or_else(|| pointwise::row(op).map(element_wise))
}

/// A node whose inferred metadata differs from that it came with.
#[derive(Clone, PartialEq, Debug)]
pub struct Mismatch {
    /// The node.
    pub node: NodeId,
    /// Its name and what is called.
    pub call: String,
    /// The metadata that the graph has.
    pub given: String,
    /// The metadata by the rule.
    pub inferred: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: given {}, inferred {}", self.call, self.given, self.inferred)
    }
}

/// The nodes whose metadata the rules contradict. Nodes without rule or without metadata are passed over.
pub fn check(graph: &Graph) -> Vec<Mismatch> {
    let mut scratch = graph.clone();
    let mut mismatches = Vec::new();
    for id in graph.nodes() {
        let (Some(given), Kind::CallFunction) = (&graph[id].meta, graph[id].kind) else { continue };
        let Ok(inferred) = node(&mut scratch, id) else { continue };
        mismatches.extend(mismatch(graph, &scratch.exprs, id, given, &inferred));
    }
    mismatches
}

/// As [`check`], with the answers of `env`, over whose expressions the graph is; and the nodes that have no answer.
pub fn check_guarded(graph: &Graph, env: &mut ShapeEnv) -> (Vec<Mismatch>, Vec<(NodeId, InferError)>) {
    let (mut mismatches, mut unknown) = (Vec::new(), Vec::new());
    for id in graph.nodes() {
        let (Some(given), Kind::CallFunction) = (&graph[id].meta, graph[id].kind) else { continue };
        match guarded(graph, id, env, &graph[id].name) {
            Ok(inferred) => mismatches.extend(mismatch(graph, env.pool(), id, given, &inferred)),
            Err(error) => unknown.push((id, error)),
        }
    }
    (mismatches, unknown)
}

fn mismatch(graph: &Graph, pool: &Pool, id: NodeId, given: &Meta, inferred: &Meta) -> Option<Mismatch> {
    let call = || format!("{} = {}", graph[id].name, graph[id].target);
    let differs =
        || Mismatch { node: id, call: call(), given: describe(pool, given), inferred: describe(pool, inferred) };
    (!agree(pool, given, inferred)).then(differs)
}

/// True if two descriptions can hold of one value. Strides of dimensions of size 1 and of empty tensors mean nothing.
pub fn agree(pool: &Pool, a: &Meta, b: &Meta) -> bool {
    match (a, b) {
        (Meta::Tensor(a), Meta::Tensor(b)) => {
            let empty = a.sizes.iter().any(|&s| pool.as_int(s) == Some(0));
            let strides =
                || (0..a.sizes.len()).all(|d| pool.as_int(a.sizes[d]) == Some(1) || a.strides[d] == b.strides[d]);
            a.dtype == b.dtype && a.device.kind == b.device.kind && a.sizes == b.sizes && (empty || strides())
        }
        (Meta::Int(a), Meta::Int(b)) => a == b,
        (Meta::Tuple(a), Meta::Tuple(b)) => {
            let fits = |(a, b): (&Option<Meta>, &Option<Meta>)| match (a, b) {
                (Some(a), Some(b)) => agree(pool, a, b),
                _ => true,
            };
            a.len() == b.len() && a.iter().zip(b).all(fits)
        }
        (Meta::Plain(Arg::Int(i)), Meta::Int(e)) | (Meta::Int(e), Meta::Plain(Arg::Int(i))) => {
            pool.as_int(*e) == Some(*i)
        }
        (Meta::Plain(a), Meta::Plain(b)) => a == b,
        _ => false,
    }
}

/// A one-line account of metadata: `float32[2, 3](3, 1)`.
pub fn describe(pool: &Pool, meta: &Meta) -> String {
    let list =
        |items: &[symshapes::Expr]| items.iter().map(|&e| pool.display(e).to_string()).collect::<Vec<_>>().join(", ");
    match meta {
        Meta::Tensor(TensorMeta { dtype, sizes, strides, .. }) => {
            format!("{dtype}[{}]({})", list(sizes), list(strides))
        }
        Meta::Int(e) => format!("int {}", pool.display(*e)),
        Meta::Float(float) => format!("float {}", pool.display_float(*float)),
        Meta::Bool(pred) => format!("bool {}", pool.display_pred(*pred)),
        Meta::Plain(arg) => format!("{arg:?}"),
        Meta::Tuple(items) => {
            let one = |m: &Option<Meta>| m.as_ref().map_or_else(|| "?".to_owned(), |m| describe(pool, m));
            format!("({})", items.iter().map(one).collect::<Vec<_>>().join("; "))
        }
    }
}
