//! Keys of dicts and items of sets that are equal to themselves only: tensors and functions.
//!
//! Invariant: a tensor is a key only where the trace knows which of the others it is: an input, which is guarded to be
//! none of the other keys, or the result of an operator that always gives a new tensor.

use crate::{
    host::{Obj, View},
    reason::{Kind, Reason},
    trace::{
        Traced, Tracer,
        core::{
            recording::{gives_new_objects, namesake},
            state::Key,
            value::{Value, ValueId},
        },
    },
};
use fx::{Arg, Kind as NodeKind, NodeId};
use guards::{GuardKind, SourceId, Step};

/// The number of leading keys of a dict that are looked at if they are objects.
const MOST_OBJECTS: u32 = 64;

impl Tracer<'_> {
    /// A tensor as a key.
    pub(in crate::trace) fn key_of_tensor(&mut self, tensor: ValueId, node: NodeId) -> Traced<Key> {
        let first = self.first_name(node);
        // What was changed in place is the input that it was.
        let found = self.objects.known.iter().find(|&(_, &known)| {
            known == tensor || matches!(self.objects.values[known], Value::Tensor(input) if input == first)
        });
        let found = found.map(|(&obj, &known)| (obj, known));
        match found.and_then(|(obj, known)| Some((self.source(known)?, obj))) {
            Some((source, obj)) => {
                self.keep_key(source);
                Ok(Key::Obj(obj))
            }
            None if self.is_fresh(first) => Ok(Key::Tensor(first)),
            _ => Err(self.no_key(tensor)),
        }
    }

    /// A Python function as a key, if it is one of the caller's, under a guard that it is the same one.
    pub(in crate::trace) fn key_of_function(&mut self, function: ValueId, object: Option<Obj>) -> Traced<Key> {
        let object = object.ok_or_else(|| self.no_key(function))?;
        if let Some(source) = self.source(function) {
            let kind = GuardKind::IdMatch(self.object(object));
            self.guard(source, kind);
        }
        Ok(Key::Obj(object))
    }

    /// A key of a dict of the caller's, and where it is found if it is an object: by its place, which the guard on all
    /// keys keeps.
    pub(in crate::trace) fn dict_key(
        &mut self,
        key: Obj,
        dict: Option<SourceId>,
        place: u32,
    ) -> Traced<(ValueId, Option<SourceId>)> {
        let view = self.host.view(key);
        // Their identity, which the guard on all keys keeps, is all there is to them.
        let lasts = matches!(view, View::Class(_) | View::Module(_) | View::Builtin(_));
        match dict {
            Some(dict) if lasts => {
                let source = self.sources.step(dict, Step::SetItem(place));
                let key = self.value(Value::Lazy(key));
                Ok((self.force(key)?, Some(source)))
            }
            Some(dict) if !matches!(view, View::Constant(_)) && place < MOST_OBJECTS => {
                let source = self.sources.step(dict, Step::SetItem(place));
                let value = self.lazy(key, source);
                Ok((self.force(value)?, Some(source)))
            }
            _ => Ok((self.look(key, None)?, None)),
        }
    }

    /// Has what is a key be none of the other keys again.
    pub(in crate::trace) fn keep_key(&mut self, source: SourceId) {
        if !self.guards.keyed.contains(&source) {
            self.guards.keyed.push(source);
        }
    }

    /// True for a tensor of which the trace knows whether it is another one with this property.
    pub(in crate::trace) fn has_identity(&self, node: NodeId) -> bool {
        let first = self.first_name(node);
        self.is_input(first) || self.is_fresh(first) || self.is_new_object(first)
    }

    /// True for the result of a call that never gives one of its arguments back, though it may give a view of one.
    pub(in crate::trace) fn is_new_object(&self, node: NodeId) -> bool {
        let row = &self.graph.torch[node];
        if namesake(row).is_some_and(|packet| packet.traits().new_object) {
            return true;
        }
        match (row.kind, row.target.as_str(), &row.args[..]) {
            (NodeKind::CallFunction, "operator.getitem", [Arg::Node(results), Arg::Int(_)]) => {
                gives_new_objects(&self.graph.torch[*results].target)
            }
            _ => false,
        }
    }

    fn no_key(&mut self, value: ValueId) -> Reason {
        Reason::new(Kind::Operator, format!("{} as a key.", self.describe(value)))
    }
}
