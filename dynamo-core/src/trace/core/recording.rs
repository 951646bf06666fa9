//! The FX graph under construction, and facts about its nodes.

use super::{checkpoint::Speculative, lowered::Lowered, value::ValueId};
use crate::bytecode::Span;
use cranelift_entity::{EntityRef, SecondaryMap};
use fx::{Graph, Kind, Node, NodeId, aten::Packet};
use guards::SourceId;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::Arc;

/// The graph that a trace records.
#[derive(Default)]
pub(in crate::trace) struct Recording {
    /// The graph with torch's names for functions and methods.
    pub(in crate::trace) torch: Graph,
    /// Its lowering to ATen overloads.
    pub(in crate::trace) lowered: Lowered,
    /// The graph's inputs.
    pub(in crate::trace) inputs: Vec<Input>,
    /// Nodes that return the tensor of an earlier node (in-place calls), each with that node.
    pub(in crate::trace) aliases: Vec<(NodeId, NodeId)>,
    /// The inputs that autograd lets the program change, as results of recorded calls or since it does not follow them.
    pub(in crate::trace) computed: Vec<NodeId>,
    /// The inputs that are parameters of modules.
    pub(in crate::trace) parameters: Vec<NodeId>,
    /// The node that computes each `torch.Size` as a whole, by the size's value.
    pub(in crate::trace) sizes: FxHashMap<ValueId, NodeId>,
    /// Whether a node was named after a variable.
    pub(in crate::trace) named: SecondaryMap<NodeId, bool>,
    /// The names of such nodes before that.
    pub(in crate::trace) renamed: Vec<(NodeId, Arc<str>)>,
    /// The calls without an inference rule, whose metadata torch computed.
    pub(in crate::trace) without_rule: Vec<NodeId>,
    /// Whether a node is a view of what requires gradients, or that itself, made while autograd did not record: a view
    /// may not be changed while it does.
    pub(in crate::trace) unrecorded_views: SecondaryMap<NodeId, bool>,
    /// Whether the program has the memory of an array as a tensor.
    pub(in crate::trace) as_tensor: SecondaryMap<NodeId, bool>,
    /// The source locations of nodes.
    pub(in crate::trace) origins: Origins,
    /// The side effects of running the graph.
    pub(in crate::trace) effects: GraphEffects,
}

/// An input of the graph.
#[derive(Clone, Copy, Debug)]
pub(in crate::trace) struct Input {
    pub(in crate::trace) node: NodeId,
    pub(in crate::trace) source: SourceId,
    /// True for a float of the caller's, which the graph takes as a tensor without dimensions.
    pub(in crate::trace) is_float: bool,
}

/// The origin of a node, beyond its `stack_trace`.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug, Serialize, Deserialize)]
pub struct Origin {
    /// The source ranges of the lines of its `stack_trace`, the traced function's first.
    pub spans: Vec<Option<Span>>,
    /// The library's function that the innermost line calls, if torch's Dynamo would trace that one too.
    pub within: Option<Cow<'static, str>>,
}

/// The origins of a graph's nodes.
pub type Origins = SecondaryMap<NodeId, Origin>;

/// The side effects of running a graph, and whether a failure of it is retried in eager mode.
#[derive(Clone, Copy, Default, Debug)]
pub(in crate::trace) struct GraphEffects {
    /// It mutates input tensors in place, which [`Recording::aliases`] names.
    pub(in crate::trace) writes: bool,
    /// It has any other side effect.
    pub(in crate::trace) changes: bool,
    /// It advances the CPU's default random generator.
    pub(in crate::trace) draws: bool,
    /// It advances another random generator.
    pub(in crate::trace) draws_elsewhere: bool,
    /// If the graph raises, the original code runs from its start.
    pub(in crate::trace) retries: bool,
    /// It is observable of a call that its exception is raised elsewhere than in the program.
    pub(in crate::trace) noticed: bool,
}

/// The number of nodes, and the state that is not derived from them.
#[derive(Clone, Copy, Debug)]
pub(in crate::trace) struct RecordingCheckpoint {
    /// The number of the next node.
    pub(in crate::trace) nodes: usize,
    obstacles: usize,
    /// The side effects of the graph up to here.
    pub(in crate::trace) effects: GraphEffects,
}

impl Recording {
    /// Takes the nodes since a checkpoint out of the graph, but for inputs, and gives them in program order. Their rows
    /// stay in the arena; what is known of side effects stays too. With `keeps_lowered`, their counterparts stay where
    /// they are.
    pub(in crate::trace) fn take_out(&mut self, since: &RecordingCheckpoint, keeps_lowered: bool) -> Vec<NodeId> {
        let is_taken = |node: &NodeId| node.index() >= since.nodes && self.torch[*node].kind != Kind::Placeholder;
        let taken: Vec<NodeId> = self.torch.nodes().filter(is_taken).collect();
        let gone: FxHashSet<NodeId> = taken.iter().copied().collect();
        let stays = |node: NodeId| !gone.contains(&node);
        self.torch.retain(stays);
        if !keeps_lowered {
            self.lowered.take_out(since.nodes);
        }
        self.aliases.retain(|&(node, _)| stays(node));
        self.sizes.retain(|_, &mut node| stays(node));
        self.renamed.retain(|&(node, _)| stays(node));
        self.without_rule.retain(|&node| stays(node));
        taken
    }
}

impl Speculative for Recording {
    type Checkpoint = RecordingCheckpoint;

    fn checkpoint(&self) -> RecordingCheckpoint {
        RecordingCheckpoint {
            nodes: self.torch.capacity(),
            obstacles: self.lowered.obstacles.len(),
            effects: self.effects,
        }
    }

    fn rollback(&mut self, to: RecordingCheckpoint) {
        let Recording {
            torch,
            lowered,
            inputs,
            aliases,
            computed,
            parameters,
            sizes,
            // Node ids are never reused, so entries of dropped nodes are not read. A node that stays keeps the name
            // that it was given since the checkpoint: names carry no meaning. An array's tensor that was made since is
            // one alias too many.
            named: _,
            unrecorded_views: _,
            as_tensor: _,
            origins: _,
            renamed,
            without_rule,
            effects,
        } = self;
        let stays = |node: NodeId| node.index() < to.nodes;
        torch.retain(stays);
        lowered.drop_from(to.nodes);
        lowered.obstacles.truncate(to.obstacles);
        inputs.retain(|input| stays(input.node));
        aliases.retain(|&(node, _)| stays(node));
        computed.retain(|&node| stays(node));
        parameters.retain(|&node| stays(node));
        sizes.retain(|_, &mut node| stays(node));
        renamed.retain(|&(node, _)| stays(node));
        without_rule.retain(|&node| stays(node));
        *effects = to.effects;
    }
}

/// The operator of ATen that a method or function of torch has the name of: `Tensor.view`, `torch.transpose`.
pub(in crate::trace) fn namesake(node: &Node) -> Option<Packet> {
    let name = match node.kind {
        Kind::CallMethod => node.target.as_str(),
        Kind::CallFunction => node.target.strip_prefix("torch.")?,
        _ => return None,
    };
    Packet::named(name)
}

/// True for an operator of which each result is an object of its own. Others give what their bodies give, which may be
/// an operand.
pub(in crate::trace) fn gives_new_objects(target: &str) -> bool {
    const NEW: [&str; 4] = ["cond", "map_impl", "scan", "while_loop"];
    target.strip_prefix("torch.ops.higher_order.").is_some_and(|name| NEW.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fx::Arg;

    /// Records `operator.neg` of a node, in both graphs.
    fn neg(recording: &mut Recording, of: NodeId) -> NodeId {
        let node = recording.torch.push(Kind::CallFunction, "operator.neg", vec![Arg::Node(of)], vec![], None);
        recording.lowered.copy(&recording.torch, node);
        node
    }

    fn begun() -> (Recording, NodeId) {
        let mut recording = Recording::default();
        let input = recording.torch.placeholder("x");
        recording.lowered.copy(&recording.torch, input);
        (recording, input)
    }

    #[test]
    fn calls_of_a_dropped_node_are_none_of_the_one_before() {
        let (mut recording, input) = begun();
        let kept = neg(&mut recording, input);
        let checkpoint = recording.checkpoint();
        neg(&mut recording, kept);
        recording.rollback(checkpoint);
        let next = neg(&mut recording, kept);
        assert_eq!(recording.lowered.calls(kept).count(), 1);
        assert_eq!(recording.lowered.calls(next).count(), 1);
    }

    #[test]
    fn a_rollback_leaves_what_was_recorded_before() {
        let (mut recording, input) = begun();
        let checkpoint = recording.checkpoint();
        let dropped = neg(&mut recording, input);
        recording.aliases.push((dropped, input));
        recording.without_rule.push(dropped);
        recording.sizes.insert(ValueId::from_u32(0), dropped);
        recording.lowered.lacks("torch.mystery");
        recording.effects.retries = true;
        recording.rollback(checkpoint);
        assert_eq!(recording.torch.nodes().collect::<Vec<_>>(), [input]);
        assert!(recording.aliases.is_empty() && recording.without_rule.is_empty() && recording.sizes.is_empty());
        assert!(recording.lowered.obstacles.is_empty() && !recording.effects.retries);
    }
}
