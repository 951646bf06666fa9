//! The graph: an arena of nodes in program order, as `torch.fx.Graph` has it.
//!
//! Invariants (checked by [`crate::verify`]): names are unique; a node uses only nodes before it; there is at most one
//! output node and it is last; placeholders come before every other node.

use crate::arg::Arg;
use cranelift_entity::{PrimaryMap, entity_impl};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::fmt;
use symshapes::{DType, Device, Expr, Pool};

/// A node of a graph.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct NodeId(u32);
entity_impl!(NodeId, "n");

/// The six kinds of node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// An input of the graph.
    Placeholder,
    /// An attribute of the module: a parameter, buffer or constant.
    GetAttr,
    /// A call of a free function or operator.
    CallFunction,
    /// A call of a method of the first argument.
    CallMethod,
    /// A call of a submodule.
    CallModule,
    /// The result.
    Output,
}

impl Kind {
    /// The name that `torch.fx` prints.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Placeholder => "placeholder",
            Kind::GetAttr => "get_attr",
            Kind::CallFunction => "call_function",
            Kind::CallMethod => "call_method",
            Kind::CallModule => "call_module",
            Kind::Output => "output",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One node.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Node {
    /// Unique in the graph; a Python identifier.
    pub name: String,
    /// The kind.
    pub kind: Kind,
    /// What is called or fetched. For a function its qualified name: `operator.add`, `torch.relu`,
    /// `torch.nn.functional.gelu`, and for an ATen overload `aten.add.Tensor` (namespace, name, overload). For the
    /// other kinds the placeholder's name, the attribute's path, the method's name, the submodule's path, `output`.
    pub target: String,
    /// Positional arguments.
    pub args: Vec<Arg>,
    /// Keyword arguments, in the order given.
    pub kwargs: Vec<(String, Arg)>,
    /// What is known of the value.
    pub meta: Option<Meta>,
    /// Where in the user's program the node comes from: the text of torch's `stack_trace`, innermost frame last.
    pub stack_trace: Option<String>,
}

/// What is known of a node's value.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Meta {
    /// A tensor.
    Tensor(TensorMeta),
    /// An `int` or `torch.SymInt`.
    Int(Expr),
    /// Any other plain value.
    Plain(Arg),
    /// A tuple or list; `None` where nothing is known of an element or it is absent.
    Tuple(Vec<Option<Meta>>),
}

/// A tensor's metadata. Sizes are in elements; expressions live in the graph's pool.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TensorMeta {
    /// Element type.
    pub dtype: DType,
    /// Where it lives.
    pub device: Device,
    /// Elements along each dimension.
    pub sizes: Vec<Expr>,
    /// Elements between neighbours along each dimension.
    pub strides: Vec<Expr>,
    /// Elements before the first one in its storage.
    pub offset: Expr,
    /// True if autograd follows it.
    pub requires_grad: bool,
}

/// A graph.
#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub struct Graph {
    nodes: PrimaryMap<NodeId, Node>,
    order: Vec<NodeId>,
    /// The arena of the expressions in metadata and arguments.
    pub exprs: Pool,
    /// For each base name, the suffix that was given out last.
    suffixes: FxHashMap<String, u32>,
}
