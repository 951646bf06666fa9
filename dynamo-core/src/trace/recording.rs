//! The graph of a trace in the making, with what is known of its nodes.

use super::{Input, Origins, checkpoint::Speculative, lowered::Lowered, may_raise::GraphEffects, value::ValueId};
use cranelift_entity::{EntityRef, SecondaryMap};
use fx::{Graph, NodeId};
use rustc_hash::FxHashMap;

/// The graph that a trace records.
#[derive(Default)]
pub(in crate::trace) struct Recording {
    /// The graph with torch's names for functions and methods.
    pub(in crate::trace) torch: Graph,
    /// The same graph in ATen overloads.
    pub(in crate::trace) lowered: Lowered,
    /// The graph's inputs.
    pub(in crate::trace) inputs: Vec<Input>,
    /// Nodes that give the tensor that an earlier one gives, and that one.
    pub(in crate::trace) aliases: Vec<(NodeId, NodeId)>,
    /// The inputs that are parameters of modules.
    pub(in crate::trace) parameters: Vec<NodeId>,
    /// The nodes that give a tensor's sizes all at once.
    pub(in crate::trace) sizes: FxHashMap<ValueId, NodeId>,
    /// The nodes that have the name of a variable.
    pub(in crate::trace) named: SecondaryMap<NodeId, bool>,
    /// The names that such nodes had before.
    pub(in crate::trace) renamed: Vec<(NodeId, String)>,
    /// The calls that have no rule: torch was asked what they give.
    pub(in crate::trace) without_rule: Vec<NodeId>,
    /// Where the nodes come from.
    pub(in crate::trace) origins: Origins,
    /// What the graph leaves behind.
    pub(in crate::trace) effects: GraphEffects,
}

/// The first node that is taken back, and what the graph left behind before it.
#[derive(Clone, Copy, Debug)]
pub(in crate::trace) struct RecordingCheckpoint {
    /// The number of the next node.
    pub(in crate::trace) nodes: usize,
    complete: bool,
    effects: GraphEffects,
}

impl Speculative for Recording {
    type Checkpoint = RecordingCheckpoint;

    fn checkpoint(&self) -> RecordingCheckpoint {
        RecordingCheckpoint { nodes: self.torch.capacity(), complete: self.lowered.complete, effects: self.effects }
    }

    fn rollback(&mut self, to: RecordingCheckpoint) {
        let Recording {
            torch,
            lowered,
            inputs,
            aliases,
            parameters,
            sizes,
            // Numbers of nodes are not given out twice, so nothing asks for what is said of those that are dropped. A
            // node that stays keeps the name that it was given meanwhile.
            named: _,
            origins: _,
            renamed,
            without_rule,
            effects,
        } = self;
        let stays = |node: NodeId| node.index() < to.nodes;
        torch.retain(stays);
        lowered.drop_from(to.nodes);
        lowered.complete = to.complete;
        inputs.retain(|input| stays(input.node));
        aliases.retain(|&(node, _)| stays(node));
        parameters.retain(|&node| stays(node));
        sizes.retain(|_, &mut node| stays(node));
        renamed.retain(|&(node, _)| stays(node));
        without_rule.retain(|&node| stays(node));
        *effects = to.effects;
    }
}
