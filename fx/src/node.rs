//! The identity and the kinds of nodes.

use cranelift_entity::entity_impl;
use serde::{Deserialize, Serialize};
use std::fmt;

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
    /// Every kind.
    pub const ALL: [Kind; 6] =
        [Kind::Placeholder, Kind::GetAttr, Kind::CallFunction, Kind::CallMethod, Kind::CallModule, Kind::Output];

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
