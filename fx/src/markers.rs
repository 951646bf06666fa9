//! Calls that compute nothing, but say what autograd does with those after them.

use crate::{Arg, Graph, NodeId};

/// The target of calls that set whether autograd records.
pub const SET_GRAD: &str = "torch._C._set_grad_enabled";

/// The target of calls, in graphs of ATen overloads, between which a region is checkpointed: with true where it begins,
/// with false where it ends. What is computed there is not saved, but computed again when gradients need it.
pub const CHECKPOINT: &str = "rust_inductor.checkpoint";

/// The target of a call that is a marker, and what it says.
pub fn marker(graph: &Graph, id: NodeId) -> Option<(&'static str, bool)> {
    let node = &graph[id];
    let target = [SET_GRAD, CHECKPOINT].into_iter().find(|&target| node.target == target)?;
    match node.args[..] {
        [Arg::Bool(says)] => Some((target, says)),
        _ => None,
    }
}
