//! Symbolic sizes and numbers: the environment of symbols, and what the trace has told it.

use super::checkpoint::Speculative;
use guards::SourceId;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use symshapes::{EnvOptions, Expr, ShapeEnv};

/// The symbols of a trace.
pub(in crate::trace) struct Shapes {
    /// The symbols, and what was decided about them.
    pub(in crate::trace) env: ShapeEnv,
    /// The sizes and integers of the caller's that were looked at, and their values; of floats, their bits.
    pub(in crate::trace) hints: Vec<(SourceId, i64)>,
    /// The first size of each group of dimensions that `mark_unbacked` names.
    pub(in crate::trace) groups: FxHashMap<Arc<str>, Expr>,
    /// Whether numbers of the caller's are taken for constants, however often they have changed.
    pub(in crate::trace) specialises: bool,
}

impl Default for Shapes {
    fn default() -> Shapes {
        let env = ShapeEnv::new(EnvOptions::default());
        Shapes { env, hints: Vec::new(), groups: FxHashMap::default(), specialises: false }
    }
}

impl Speculative for Shapes {
    type Checkpoint = bool;

    fn checkpoint(&self) -> bool {
        self.specialises
    }

    fn rollback(&mut self, to: bool) {
        let Shapes {
            // What it has learned stays: at worst it is a guard too many.
            env: _,
            // Which numbers change between calls is worth knowing, whether the graph has come to need them or not.
            hints: _,
            // Over the environment's symbols, which stay.
            groups: _,
            specialises,
        } = self;
        *specialises = to;
    }
}
