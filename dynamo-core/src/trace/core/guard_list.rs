//! The guards of a trace, but for those of the shape environment.

use super::{checkpoint::Speculative, state::StateId};
use crate::host::Obj;
use guards::{Element, Guard, SourceId};
use rustc_hash::FxHashMap;

/// The guards, and the reads from which guards are derived at the end of the trace.
#[derive(Default)]
pub(in crate::trace) struct GuardList {
    /// The guards so far.
    pub(in crate::trace) emitted: Vec<Guard>,
    /// The keys that were read of input dicts.
    pub(in crate::trace) asked: Asked,
    /// The sources of input objects that are keys by identity: they are guarded to be distinct.
    pub(in crate::trace) keyed: Vec<SourceId>,
    /// The tensors that are keys of the caller's dicts, and where.
    pub(in crate::trace) tensor_keys: Vec<(Obj, SourceId)>,
}

/// The lengths of the lists.
#[derive(Clone, Copy, Debug)]
pub(in crate::trace) struct GuardCheckpoint {
    emitted: usize,
    asked: AskedCheckpoint,
    keyed: usize,
    tensor_keys: usize,
}

impl Speculative for GuardList {
    type Checkpoint = GuardCheckpoint;

    fn checkpoint(&self) -> GuardCheckpoint {
        GuardCheckpoint {
            emitted: self.emitted.len(),
            asked: self.asked.checkpoint(),
            keyed: self.keyed.len(),
            tensor_keys: self.tensor_keys.len(),
        }
    }

    fn rollback(&mut self, to: GuardCheckpoint) {
        let GuardList { emitted, asked, keyed, tensor_keys } = self;
        emitted.truncate(to.emitted);
        asked.rollback(to.asked);
        keyed.truncate(to.keyed);
        tensor_keys.truncate(to.tensor_keys);
    }
}

/// The questions that the program has asked of dicts of the caller's.
#[derive(Default)]
pub(in crate::trace) struct Asked {
    /// The source of each dict, and its keys.
    pub(in crate::trace) keys: FxHashMap<StateId, (SourceId, Vec<Element>)>,
    /// The dicts whose keys are all guarded.
    pub(in crate::trace) whole: Vec<StateId>,
    /// The keys, attributes and variables that were found: the guards on them, and where their values are.
    pub(in crate::trace) found: Vec<(Guard, SourceId)>,
}

/// The number of each.
#[derive(Clone, Copy, Debug)]
pub(in crate::trace) struct AskedCheckpoint {
    whole: usize,
    found: usize,
}

impl Asked {
    /// Notes a dict of the caller's.
    pub(in crate::trace) fn found(&mut self, dict: StateId, source: SourceId, keys: Vec<Element>) {
        self.keys.insert(dict, (source, keys));
    }

    /// The source of a dict of which not all keys are guarded; `None` for any other.
    pub(in crate::trace) fn open(&self, dict: StateId) -> Option<SourceId> {
        let &(source, _) = self.keys.get(&dict)?;
        (!self.whole.contains(&dict)).then_some(source)
    }
}

impl Speculative for Asked {
    type Checkpoint = AskedCheckpoint;

    fn checkpoint(&self) -> AskedCheckpoint {
        AskedCheckpoint { whole: self.whole.len(), found: self.found.len() }
    }

    fn rollback(&mut self, to: AskedCheckpoint) {
        let Asked {
            // The keys that a dict had when it was realized; dicts that are rolled back are not looked up again.
            keys: _,
            whole,
            found,
        } = self;
        whole.truncate(to.whole);
        found.truncate(to.found);
    }
}
