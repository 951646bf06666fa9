//! Traces that another process has made.
//!
//! Invariant: [`Memo::recall`] gives what tracing would give now: every answer that the trace was given is given again.

use super::{Capture, Opaque, Origin, Origins};
use crate::host::{Host, Journal, Obj, Present};
use fx::{Graph, NodeId};
use guards::{GuardKind, ObjectId, ObjectInfo};
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};
use std::hash::Hash;
use std::sync::Arc;

/// A capture, and the questions that led to it.
#[derive(Serialize, Deserialize)]
pub struct Memo {
    journal: Journal,
    capture: Capture,
    places: Places,
    /// The descriptions that the capture had, with addresses of this process.
    #[serde(skip)]
    infos: Vec<(Obj, ObjectInfo)>,
}

/// The number that guards have for an object.
fn object(obj: Obj) -> ObjectId {
    ObjectId::from_u32(obj.as_u32())
}

/// The places in the program that nodes and guards of a capture come from. A program that repeats itself has few.
#[derive(Default, Serialize, Deserialize)]
struct Places {
    traces: Table<Arc<str>>,
    lowered: Table<Arc<str>>,
    origins: Table<Origin>,
    guards: Table<Arc<str>>,
}

/// Values of which many are equal: each once, and one place of it for each node.
#[derive(Serialize, Deserialize)]
struct Table<T> {
    values: Vec<T>,
    at: Vec<Option<u32>>,
}

impl<T> Default for Table<T> {
    fn default() -> Table<T> {
        Table { values: Vec::new(), at: Vec::new() }
    }
}

impl<T: Hash + Eq + Clone> Table<T> {
    fn of(values: impl Iterator<Item = Option<T>>) -> Table<T> {
        let mut distinct: IndexSet<T, FxBuildHasher> = IndexSet::default();
        let at = values.map(|value| Some(distinct.insert_full(value?).0 as u32)).collect();
        Table { values: distinct.into_iter().collect(), at }
    }

    fn values(&self) -> impl Iterator<Item = Option<T>> {
        self.at.iter().map(|at| self.values.get((*at)? as usize).cloned())
    }
}

impl Places {
    /// Takes them out of a capture.
    fn take(capture: &mut Capture) -> Places {
        fn traces(graph: &mut Graph) -> Table<Arc<str>> {
            let nodes: Vec<NodeId> = graph.nodes().collect();
            Table::of(nodes.into_iter().map(|node| graph[node].stack_trace.take()))
        }
        let (origins, nodes) = (std::mem::take(&mut capture.origins), capture.graph.nodes());
        Places {
            origins: Table::of(nodes.map(|node| Some(origins[node].clone()))),
            traces: traces(&mut capture.graph),
            lowered: capture.lowered.as_mut().map(traces).unwrap_or_default(),
            guards: Table::of(capture.guards.iter_mut().map(|guard| guard.user_stack.take())),
        }
    }

    /// Puts them back into it.
    fn put(&self, capture: &mut Capture) {
        let put = |graph: &mut Graph, traces: &Table<Arc<str>>| {
            let nodes: Vec<NodeId> = graph.nodes().collect();
            nodes.into_iter().zip(traces.values()).for_each(|(node, trace)| graph[node].stack_trace = trace);
        };
        put(&mut capture.graph, &self.traces);
        if let Some(lowered) = &mut capture.lowered {
            put(lowered, &self.lowered);
        }
        capture.guards.iter_mut().zip(self.guards.values()).for_each(|(guard, stack)| guard.user_stack = stack);
        let mut origins = Origins::new();
        for (node, origin) in capture.graph.nodes().zip(self.origins.values()) {
            origins[node] = origin.unwrap_or_default();
        }
        capture.origins = origins;
    }
}

impl Memo {
    /// The memo of a capture.
    pub fn new(journal: Journal, mut capture: Capture) -> Memo {
        let places = Places::take(&mut capture);
        let mut infos = Vec::new();
        for obj in journal.described() {
            let info = capture.sources.objects().info(object(obj)).clone();
            capture.sources.describe(object(obj), ObjectInfo { address: 0, ..info.clone() });
            infos.push((obj, info));
        }
        Memo { journal, capture, places, infos }
    }

    /// The capture that it was made of.
    pub fn into_capture(self) -> Capture {
        let Memo { mut capture, places, infos, .. } = self;
        places.put(&mut capture);
        infos.into_iter().for_each(|(obj, info)| capture.sources.describe(object(obj), info));
        capture
    }

    /// The bytes of a memo; `None` where something in it is of this process alone.
    pub fn encode(&self) -> Option<Vec<u8>> {
        let is_plain = |opaque: &Opaque| !matches!(opaque, Opaque::Set(_));
        self.capture.opaque.iter().all(is_plain).then(|| rmp_serde::to_vec(self).ok())?
    }

    /// Reads what [`Memo::encode`] wrote; `None` for other bytes.
    pub fn decode(bytes: &[u8]) -> Option<Memo> {
        rmp_serde::from_slice(bytes).ok()
    }

    /// The capture, if tracing would give it now.
    pub fn recall(mut self, host: &mut dyn Host) -> Option<Capture> {
        let Present { infos, tags } = self.journal.replay(host)?;
        self.infos = infos;
        for guard in &mut self.capture.guards {
            if let GuardKind::ClassVersion(tag) = &mut guard.kind {
                *tag = *tags.get(tag)?;
            }
        }
        Some(self.into_capture())
    }
}
