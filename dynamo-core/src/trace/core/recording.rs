//! The graph of a trace in the making, with what is known of its nodes.

use super::{checkpoint::Speculative, lowered::Lowered, value::ValueId};
use crate::bytecode::Span;
use cranelift_entity::{EntityRef, SecondaryMap};
use fx::{Graph, NodeId};
use guards::SourceId;
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

/// An input of the graph.
#[derive(Clone, Copy, Debug)]
pub(in crate::trace) struct Input {
    pub(in crate::trace) node: NodeId,
    pub(in crate::trace) source: SourceId,
    /// True for a float of the caller's, which the graph takes as a tensor without dimensions.
    pub(in crate::trace) is_float: bool,
}

/// Where a node comes from, beyond its `stack_trace`.
#[derive(Clone, Default, Debug)]
pub struct Origin {
    /// What the lines of its `stack_trace` span, the traced function's first.
    pub spans: Vec<Option<Span>>,
    /// The library's function that the innermost line calls, if torch's Dynamo would trace that one too.
    pub within: Option<&'static str>,
}

/// Where the nodes of a graph come from.
pub type Origins = SecondaryMap<NodeId, Origin>;

/// What a graph leaves behind when it runs, and what becomes of it where it fails.
#[derive(Clone, Copy, Default, Debug)]
pub(in crate::trace) struct GraphEffects {
    /// It changes tensors of the caller's in place, which [`Recording::aliases`] names.
    pub(in crate::trace) writes: bool,
    /// It changes anything else.
    pub(in crate::trace) changes: bool,
    /// It draws from the CPU's default generator.
    pub(in crate::trace) draws: bool,
    /// It draws from any other one.
    pub(in crate::trace) draws_elsewhere: bool,
    /// The program runs as it is, from its beginning, where the graph fails.
    pub(in crate::trace) retries: bool,
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

#[cfg(test)]
mod tests {
    use super::*;
    use fx::{Arg, Kind};

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
        recording.lowered.complete = false;
        recording.effects.retries = true;
        recording.rollback(checkpoint);
        assert_eq!(recording.torch.nodes().collect::<Vec<_>>(), [input]);
        assert!(recording.aliases.is_empty() && recording.without_rule.is_empty() && recording.sizes.is_empty());
        assert!(recording.lowered.complete && !recording.effects.retries);
    }
}
