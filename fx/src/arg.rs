//! Arguments of nodes: nested, as Python's are.

use crate::node::NodeId;
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
    Float(#[serde(with = "crate::json::float")] f64),
    /// A `complex`: real and imaginary part.
    Complex(#[serde(with = "crate::json::float")] f64, #[serde(with = "crate::json::float")] f64),
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

impl Arg {
    /// Calls `f` with each node in the argument, however deep, in the order of writing.
    pub fn for_each_node(&self, f: &mut impl FnMut(NodeId)) {
        match self {
            Arg::Node(n) => f(*n),
            Arg::Slice(parts) => parts.iter().for_each(|a| a.for_each_node(f)),
            Arg::List(items) | Arg::Tuple(items) => items.iter().for_each(|a| a.for_each_node(f)),
            Arg::Dict(items) => items.iter().for_each(|(k, v)| {
                k.for_each_node(f);
                v.for_each_node(f);
            }),
            _ => {}
        }
    }

    /// Calls `f` with each node in the argument, to be changed.
    pub fn for_each_node_mut(&mut self, f: &mut impl FnMut(&mut NodeId)) {
        match self {
            Arg::Node(n) => f(n),
            Arg::Slice(parts) => parts.iter_mut().for_each(|a| a.for_each_node_mut(f)),
            Arg::List(items) | Arg::Tuple(items) => items.iter_mut().for_each(|a| a.for_each_node_mut(f)),
            Arg::Dict(items) => items.iter_mut().for_each(|(k, v)| {
                k.for_each_node_mut(f);
                v.for_each_node_mut(f);
            }),
            _ => {}
        }
    }

    /// The argument with each node replaced by what `f` gives for it.
    pub fn map_nodes(&self, f: &mut impl FnMut(NodeId) -> Arg) -> Arg {
        match self {
            Arg::Node(n) => f(*n),
            Arg::Slice(parts) => Arg::Slice(Box::new(parts.each_ref().map(|a| a.map_nodes(f)))),
            Arg::List(items) => Arg::List(items.iter().map(|a| a.map_nodes(f)).collect()),
            Arg::Tuple(items) => Arg::Tuple(items.iter().map(|a| a.map_nodes(f)).collect()),
            Arg::Dict(items) => Arg::Dict(items.iter().map(|(k, v)| (k.map_nodes(f), v.map_nodes(f))).collect()),
            plain => plain.clone(),
        }
    }

    /// The argument with each symbolic `int` replaced by what `f` gives for it.
    pub fn map_exprs(&self, f: &mut impl FnMut(Expr) -> Arg) -> Arg {
        match self {
            Arg::Sym(e) => f(*e),
            Arg::Slice(parts) => Arg::Slice(Box::new(parts.each_ref().map(|a| a.map_exprs(f)))),
            Arg::List(items) => Arg::List(items.iter().map(|a| a.map_exprs(f)).collect()),
            Arg::Tuple(items) => Arg::Tuple(items.iter().map(|a| a.map_exprs(f)).collect()),
            Arg::Dict(items) => Arg::Dict(items.iter().map(|(k, v)| (k.map_exprs(f), v.map_exprs(f))).collect()),
            plain => plain.clone(),
        }
    }

    /// Calls `f` with each symbolic `int` in the argument.
    pub fn for_each_expr(&self, f: &mut impl FnMut(Expr)) {
        match self {
            Arg::Sym(e) => f(*e),
            Arg::Slice(parts) => parts.iter().for_each(|a| a.for_each_expr(f)),
            Arg::List(items) | Arg::Tuple(items) => items.iter().for_each(|a| a.for_each_expr(f)),
            Arg::Dict(items) => items.iter().for_each(|(k, v)| {
                k.for_each_expr(f);
                v.for_each_expr(f);
            }),
            _ => {}
        }
    }

    /// True for `None`.
    pub fn is_none(&self) -> bool {
        matches!(self, Arg::None)
    }

    /// The node.
    pub fn as_node(&self) -> Option<NodeId> {
        if let Arg::Node(n) = self { Some(*n) } else { None }
    }

    /// The `int` (not a `bool`).
    pub fn as_int(&self) -> Option<i64> {
        if let Arg::Int(v) = self { Some(*v) } else { None }
    }

    /// The `float`, or the `int` as one.
    pub fn as_float(&self) -> Option<f64> {
        match self {
            Arg::Float(v) => Some(*v),
            Arg::Int(v) => Some(*v as f64),
            _ => None,
        }
    }

    /// The `bool`.
    pub fn as_bool(&self) -> Option<bool> {
        if let Arg::Bool(v) = self { Some(*v) } else { None }
    }

    /// The `str`.
    pub fn as_str(&self) -> Option<&str> {
        if let Arg::Str(v) = self { Some(v) } else { None }
    }

    /// The `torch.dtype`.
    pub fn as_dtype(&self) -> Option<DType> {
        if let Arg::DType(v) = self { Some(*v) } else { None }
    }

    /// The items of a list or tuple.
    pub fn as_list(&self) -> Option<&[Arg]> {
        match self {
            Arg::List(items) | Arg::Tuple(items) => Some(items),
            _ => None,
        }
    }

    /// The items of a list or tuple whose items are all `int`s.
    pub fn as_int_list(&self) -> Option<Vec<i64>> {
        self.as_list()?.iter().map(Arg::as_int).collect()
    }
}

/// Declares the conversions from plain Rust values, one row each.
macro_rules! from {
    ($($ty:ty, $v:ident => $arg:expr;)*) => {
        $(impl From<$ty> for Arg {
            fn from($v: $ty) -> Arg {
                $arg
            }
        })*
    };
}

from! {
    NodeId, v => Arg::Node(v);
    bool, v => Arg::Bool(v);
    i32, v => Arg::Int(v.into());
    i64, v => Arg::Int(v);
    f64, v => Arg::Float(v);
    &str, v => Arg::Str(v.to_owned());
    String, v => Arg::Str(v);
    DType, v => Arg::DType(v);
    Device, v => Arg::Device(v);
    Vec<Arg>, v => Arg::List(v);
}
