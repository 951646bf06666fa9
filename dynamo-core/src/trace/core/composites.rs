//! Composite calls, taken apart as they are captured: the graph in ATen overloads gets their parts.

use super::{ids::Traced, lowered::Lowered, modes::AutocastState};
use cranelift_entity::EntityRef;
use fx::{
    Arg, Graph, Kind as NodeKind, Meta, NodeId, Target,
    aten::autocast::Cast,
    composites::{self, Builder, Outcome, Results},
    infer::{self, InferError, sizes::Sizes},
};
use std::sync::Arc;
use symshapes::ShapeEnv;

/// The graph that gets the parts of a call.
struct Appended<'a> {
    lowered: &'a mut Lowered,
    env: &'a mut ShapeEnv,
    /// The modes of autocast under which the parts run.
    autocast: &'a AutocastState,
    /// The user's stack.
    at: &'a str,
    stack_trace: Option<Arc<str>>,
}

impl Builder for Appended<'_> {
    fn graph(&self) -> &Graph {
        &self.lowered.graph
    }

    fn exprs(&mut self) -> Sizes<'_> {
        Sizes::Guarded { env: self.env, at: self.at }
    }

    fn append(&mut self, target: Target, args: Vec<Arg>, kwargs: Vec<(String, Arg)>) -> Outcome {
        let call = self.lowered.graph.push(NodeKind::CallFunction, target, args, kwargs, None);
        self.lowered.graph[call].stack_trace.clone_from(&self.stack_trace);
        if !self.autocast.is_empty() && self.lowered.convert(call, self.autocast, self.env, self.at).is_err() {
            let op = self.lowered.graph[call].target.to_string();
            return Err(InferError::Unsupported { op, what: "autocast".to_owned() });
        }
        let meta = infer::guarded(&self.lowered.graph, call, self.env, self.at)?;
        self.lowered.graph[call].meta = Some(meta);
        Ok(call)
    }
}

impl Lowered {
    /// Puts the parts of a composite in the place of its call, the counterpart of a node; gives what is known of the
    /// result. `None` if the call stays.
    ///
    /// # Errors
    /// torch would raise.
    pub(super) fn expand_composite(
        &mut self,
        id: NodeId,
        call: NodeId,
        env: &mut ShapeEnv,
        autocast: &AutocastState,
        at: &str,
    ) -> Traced<Option<Meta>> {
        let Some(op) = self.graph[call].op().filter(|&op| composites::has_row(op)) else { return Ok(None) };
        // An operator that is registered for autocast runs without it, on arguments that it has converted.
        let is_registered = autocast.iter().all(|&(device, _)| {
            self.tensors_on(call, device).is_empty() || self.cast_of(call, device) != Cast::Unknown
        });
        let none = AutocastState::default();
        let of_parts = if is_registered { &none } else { autocast };
        if !autocast.is_empty() && is_registered {
            self.convert(call, autocast, env, at)?;
        }
        let from = self.graph.capacity();
        let node = &self.graph[call];
        let (args, kwargs, stack_trace) = (node.args.clone(), node.kwargs.clone(), node.stack_trace.clone());
        let mut appended = Appended { lowered: self, env, autocast: of_parts, at, stack_trace };
        let meta_of = |lowered: &Lowered, node: NodeId| lowered.graph[node].meta.clone();
        let meta = match composites::expand(&mut appended, op, &args, &kwargs) {
            Some(Ok(Results::One(result))) => {
                self.of[id] = result.into();
                meta_of(self, result)
            }
            Some(Ok(Results::Several(results))) => {
                let items = results.iter().map(|&result| meta_of(self, result)).collect();
                self.tuples.insert(id, results);
                Some(Meta::Tuple(items))
            }
            Some(Err(error)) => {
                self.graph.retain(|node| node.index() < from);
                self.casts.retain(|(_, _, cast)| cast.index() < from);
                return self.told(call, Err(error), env, at);
            }
            None => None,
        };
        if meta.is_some() {
            self.graph.retain(|node| node != call);
        }
        Ok(meta)
    }
}
