//! Arguments of nodes: nested, as Python's are.

use crate::graph::NodeId;
use serde::{Deserialize, Serialize};
use symshapes::{DType, Device, Expr};

/// An argument.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Arg {
    /// `None`
    None,
    /// The value of another node.
    Node(NodeId),
    /// A `bool`.
    Bool(bool),
    /// An `int`.
    Int(i64),
    /// A symbolic `int`.
    Sym(Expr),
    /// A `float`.
    Float(f64),
    /// A `complex`: real and imaginary part.
    Complex(f64, f64),
    /// A `str`.
    Str(String),
    /// A `torch.dtype`.
    DType(DType),
    /// A `torch.device`.
    Device(Device),
    /// A `torch.layout`, by name (`strided`).
    Layout(String),
    /// A `torch.memory_format`, by name (`contiguous_format`).
    MemoryFormat(String),
    /// A `slice`: start, stop, step.
    Slice(Box<[Arg; 3]>),
    /// `...`
    Ellipsis,
    /// A `list`.
    List(Vec<Arg>),
    /// A `tuple`.
    Tuple(Vec<Arg>),
    /// A `dict` in its order.
    Dict(Vec<(Arg, Arg)>),
    /// Any other object: the number under which the importer keeps it, and its `repr`.
    Opaque(u32, String),
}
