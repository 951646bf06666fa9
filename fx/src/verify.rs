//! The invariants of a graph. Passes keep them; debug builds check after every pass.
//!
//! 1. Names are unique Python identifiers.
//! 2. A node uses only nodes before it, and none that was erased.
//! 3. Placeholders come before every other node; their arguments are at most one default value, and no node.
//! 4. There is at most one output node; it is last, and has one argument and no keyword arguments.
//! 5. A `get_attr` has no arguments; a `call_method` has a first argument.
//! 6. Keyword names are unique in a node; targets are not empty.
//! 7. A tensor's metadata has as many strides as sizes, none of which is a negative constant.
//! 8. A fetch of an element (`operator.getitem` of an int) from a value with tuple metadata has the element's dtype and
//!    sizes.
//! 9. Expressions are rows of the graph's pool.
//! 10. Only a `get_attr` fetches a subgraph, which keeps all of these invariants.

use crate::arg::Arg;
use crate::graph::{Graph, Kind, Meta, Node, NodeId};
use crate::target::is_identifier;
use cranelift_entity::{EntityRef, EntitySet};
use rustc_hash::FxHashSet;
use symshapes::{Expr, Pool, TensorMeta};

/// A graph that breaks an invariant, with the name of the node at fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Invalid {
    /// A name is given twice.
    #[error("%{0}: two nodes have this name")]
    DuplicateName(String),
    /// A name that Python would not accept.
    #[error("`{0}` is no Python identifier")]
    Name(String),
    /// A target is empty.
    #[error("%{0}: empty target")]
    EmptyTarget(String),
    /// A use before the definition, or of an erased node.
    #[error("%{node} uses %{used}, which does not come before it")]
    Order {
        /// The user.
        node: String,
        /// The node that it uses.
        used: String,
    },
    /// A placeholder after another kind of node.
    #[error("%{0}: a placeholder after a node that is none")]
    LatePlaceholder(String),
    /// Nodes after the output.
    #[error("%{0}: a node after the output")]
    AfterOutput(String),
    /// The arguments do not suit the kind of node.
    #[error("%{node}: {kind} with {args} arguments and {kwargs} keyword arguments")]
    Arguments {
        /// The node.
        node: String,
        /// Its kind.
        kind: Kind,
        /// Positional arguments.
        args: usize,
        /// Keyword arguments.
        kwargs: usize,
    },
    /// A keyword is given twice.
    #[error("%{node}: keyword `{keyword}` given twice")]
    Keyword {
        /// The node.
        node: String,
        /// The keyword.
        keyword: String,
    },
    /// Sizes and strides of different lengths.
    #[error("%{node}: {sizes} sizes, {strides} strides")]
    Rank {
        /// The node.
        node: String,
        /// The number of sizes.
        sizes: usize,
        /// The number of strides.
        strides: usize,
    },
    /// An expression that the pool does not have.
    #[error("%{0}: an expression that is not in the graph's pool")]
    Expr(String),
    /// A negative size.
    #[error("%{node}: size {size}")]
    Size {
        /// The node.
        node: String,
        /// The size.
        size: i64,
    },
    /// A subgraph that breaks an invariant.
    #[error("%{node}, its graph: {invalid}")]
    Subgraph {
        /// The node that fetches it.
        node: String,
        /// The breach in it.
        invalid: Box<Invalid>,
    },
    /// A node with a subgraph that is no `get_attr`.
    #[error("%{0}: a subgraph of a node that fetches none")]
    NoFetch(String),
    /// An element whose metadata is not what its tuple says.
    #[error("%{node}: not the metadata that element {index} of %{tuple} has")]
    Element {
        /// The node that fetches.
        node: String,
        /// The tuple that it fetches from.
        tuple: String,
        /// The place of the element.
        index: i64,
    },
}

/// Checks every invariant; the first breach in program order is the error.
pub fn verify(graph: &Graph) -> Result<(), Invalid> {
    let mut names = FxHashSet::default();
    let mut before = EntitySet::with_capacity(graph.capacity());
    let mut stage = Stage::Inputs;
    for id in graph.nodes() {
        let node = &graph[id];
        if !names.insert(node.name.as_ref()) {
            return Err(Invalid::DuplicateName(node.name.to_string()));
        }
        check_name(node)?;
        stage = stage.step(node)?;
        check_uses(graph, node, &before)?;
        check_arguments(node)?;
        check_exprs(node, &graph.exprs)?;
        check_meta(node, node.meta.as_ref(), &graph.exprs)?;
        check_element(graph, node)?;
        if let Some(subgraph) = graph.subgraph(id) {
            check_subgraph(node, subgraph)?;
        }
        before.insert(id);
    }
    Ok(())
}

fn check_subgraph(node: &Node, subgraph: &Graph) -> Result<(), Invalid> {
    if node.kind != Kind::GetAttr {
        return Err(Invalid::NoFetch(node.name.to_string()));
    }
    verify(subgraph).map_err(|invalid| Invalid::Subgraph { node: node.name.to_string(), invalid: Box::new(invalid) })
}

/// The stages of a graph, in the order of its kinds of node.
#[derive(Clone, Copy)]
enum Stage {
    Inputs,
    Body,
    Done,
}

impl Stage {
    fn step(self, node: &Node) -> Result<Stage, Invalid> {
        match (self, node.kind) {
            (Stage::Done, _) => Err(Invalid::AfterOutput(node.name.to_string())),
            (Stage::Inputs, Kind::Placeholder) => Ok(Stage::Inputs),
            (Stage::Body, Kind::Placeholder) => Err(Invalid::LatePlaceholder(node.name.to_string())),
            (_, Kind::Output) => Ok(Stage::Done),
            _ => Ok(Stage::Body),
        }
    }
}

fn check_name(node: &Node) -> Result<(), Invalid> {
    if !is_identifier(&node.name) {
        return Err(Invalid::Name(node.name.to_string()));
    }
    if node.target.is_empty() {
        return Err(Invalid::EmptyTarget(node.name.to_string()));
    }
    Ok(())
}

fn check_uses(graph: &Graph, node: &Node, before: &EntitySet<NodeId>) -> Result<(), Invalid> {
    match node.inputs().into_iter().find(|&n| !before.contains(n)) {
        Some(used) => Err(Invalid::Order { node: node.name.to_string(), used: graph[used].name.to_string() }),
        None => Ok(()),
    }
}

fn check_arguments(node: &Node) -> Result<(), Invalid> {
    let (args, kwargs) = (node.args.len(), node.kwargs.len());
    let right = match node.kind {
        Kind::Placeholder => args <= 1 && kwargs == 0 && node.inputs().is_empty(),
        Kind::GetAttr => args == 0 && kwargs == 0,
        Kind::CallMethod => args >= 1,
        Kind::Output => args == 1 && kwargs == 0,
        Kind::CallFunction | Kind::CallModule => true,
    };
    if !right {
        return Err(Invalid::Arguments { node: node.name.to_string(), kind: node.kind, args, kwargs });
    }
    for (i, (keyword, _)) in node.kwargs.iter().enumerate() {
        if node.kwargs[..i].iter().any(|(k, _)| k == keyword) {
            return Err(Invalid::Keyword { node: node.name.to_string(), keyword: keyword.clone() });
        }
    }
    Ok(())
}

fn check_exprs(node: &Node, pool: &Pool) -> Result<(), Invalid> {
    let mut known = true;
    let mut check = |e: Expr| known &= e.index() < pool.len();
    node.all_args().for_each(|a| a.for_each_expr(&mut check));
    if let Some(meta) = &node.meta {
        meta.for_each_expr(&mut check);
    }
    if known { Ok(()) } else { Err(Invalid::Expr(node.name.to_string())) }
}

fn check_meta(node: &Node, meta: Option<&Meta>, pool: &Pool) -> Result<(), Invalid> {
    match meta {
        Some(Meta::Tensor(t)) => check_tensor(node, t, pool),
        Some(Meta::Tuple(items)) => items.iter().try_for_each(|m| check_meta(node, m.as_ref(), pool)),
        Some(Meta::Int(_) | Meta::Float(_) | Meta::Bool(_) | Meta::Plain(_)) | None => Ok(()),
    }
}

fn check_tensor(node: &Node, t: &TensorMeta, pool: &Pool) -> Result<(), Invalid> {
    if t.sizes.len() != t.strides.len() {
        return Err(Invalid::Rank { node: node.name.to_string(), sizes: t.sizes.len(), strides: t.strides.len() });
    }
    match t.sizes.iter().filter_map(|&e| pool.as_int(e)).find(|&v| v < 0) {
        Some(size) => Err(Invalid::Size { node: node.name.to_string(), size }),
        None => Ok(()),
    }
}

fn check_element(graph: &Graph, node: &Node) -> Result<(), Invalid> {
    let (Some(Meta::Tensor(own)), "operator.getitem", [Arg::Node(tuple), Arg::Int(index)]) =
        (&node.meta, node.target.as_str(), node.args.as_slice())
    else {
        return Ok(());
    };
    let Some(Meta::Tuple(items)) = &graph[*tuple].meta else { return Ok(()) };
    let place = if *index < 0 { index + items.len() as i64 } else { *index };
    let agrees = match usize::try_from(place).ok().and_then(|i| items.get(i)) {
        Some(Some(Meta::Tensor(t))) => t.dtype == own.dtype && t.sizes == own.sizes,
        Some(None) => true,
        _ => false,
    };
    if agrees {
        return Ok(());
    }
    Err(Invalid::Element { node: node.name.to_string(), tuple: graph[*tuple].name.to_string(), index: *index })
}
