//! The outcome of tracing: a graph, guards, and the code that runs in the function's place.

use super::{
    core::{call_stack::Followed, recording::Origins},
    output::Opaque,
};
use crate::{
    bytecode::{CodeObject, Op, Span},
    reason::Reason,
};
use fx::{Graph, NodeId};
use guards::{Guard, SourceId, Sources};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use symshapes::ShapeEnv;

/// A finished trace.
#[derive(Serialize, Deserialize)]
pub struct Capture {
    /// The graph, with torch's names for functions and methods. Without calls there is nothing to compile.
    pub graph: Graph,
    /// True if the graph does anything, and so has to be compiled.
    pub computes: bool,
    /// True if the graph sets a mode: whether autograd records, inference, or autocast. It would leave it so if it
    /// failed midway.
    pub sets_mode: bool,
    /// True if the graph sets the kernels that attention may run in.
    pub sets_attention: bool,
    /// The calls of the graph that may raise when it runs.
    pub fallible: Vec<NodeId>,
    /// The graph in ATen overloads, if each call has one.
    pub lowered: Option<Graph>,
    /// Calls and modes without a form in ATen overloads, by name; empty where the backend compiles no such graph.
    pub not_lowered: Vec<Box<str>>,
    /// The sources of the graph's inputs. A float is given to the graph as a tensor without dimensions.
    pub inputs: Vec<SourceId>,
    /// The sources that guards, inputs and code name.
    pub sources: Sources,
    /// The conditions under which the trace may be used again, but for those on sizes, which `env` has recorded.
    pub guards: Vec<Guard>,
    /// The symbols, and what was decided about them.
    pub env: ShapeEnv,
    /// The sizes and integers of the caller's that were looked at, and their values; of floats, their bits.
    pub hints: Vec<(SourceId, i64)>,
    /// The code that runs in the function's place.
    pub code: CodeObject,
    /// The meanings of the code's opaque constants.
    pub opaque: Vec<Opaque>,
    /// The sources of inputs that the code takes as a tuple, if whoever checks the guards has found them on the way:
    /// its last parameter then, which is `None` otherwise. Empty if the code has no such parameter.
    pub prefetched: Vec<SourceId>,
    /// The graph break at which the graph ends before the function does, if it does.
    pub ended: Option<Break>,
    /// The instructions that were run, if [`Options::follow`](super::Options::follow) asks for them.
    #[serde(skip)]
    pub followed: Vec<Followed>,
    /// The origins of the graph's nodes.
    pub origins: Origins,
    /// The names of nodes before they were named after a variable.
    pub renamed: Vec<(NodeId, Arc<str>)>,
    /// The calls that have no rule: torch was asked what they give.
    pub asked: Vec<NodeId>,
}

impl Capture {
    /// Numbers the nodes of the graphs in program order.
    pub(super) fn renumber(&mut self) {
        let ids = self.graph.renumber();
        if let Some(lowered) = &mut self.lowered {
            lowered.renumber();
        }
        let all = |nodes: &[NodeId]| nodes.iter().filter_map(|&node| ids[node].expand()).collect();
        (self.fallible, self.asked) = (all(&self.fallible), all(&self.asked));
        let renamed = std::mem::take(&mut self.renamed).into_iter();
        self.renamed = renamed.filter_map(|(node, name)| Some((ids[node].expand()?, name))).collect();
        let mut origins = std::mem::take(&mut self.origins);
        for (node, origin) in origins.iter_mut() {
            if let Some(new) = ids[node].expand() {
                self.origins[new] = std::mem::take(origin);
            }
        }
    }

    /// True if the graph computes floats.
    pub fn has_floats(&self) -> bool {
        self.graph.nodes().any(|node| matches!(self.graph[node].meta, Some(fx::Meta::Float(_))))
    }
}

/// A place where a graph ends before the function does.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Break {
    /// The reason.
    pub reason: Reason,
    /// The line of the traced function.
    pub line: i32,
    /// The traced function's instruction there; none if it is not one that ended the graph.
    pub opcode: Option<Op>,
    /// The call of each frame on the way to the place, as file, line and function, outermost first.
    pub stack: Vec<(String, i32, String)>,
    /// The source span of each of them.
    pub spans: Vec<Option<Span>>,
    /// Whether the program has said that a graph break is an error there: `torch._dynamo.error_on_graph_break`.
    pub is_refused: bool,
}
