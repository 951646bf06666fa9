//! Symbolic shapes: the shape environment, and the hints behind its symbols.

use super::checkpoint::Speculative;
use guards::SourceId;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use symshapes::{EnvOptions, Expr, ShapeEnv};

/// The symbols of a trace.
pub(in crate::trace) struct Shapes {
    /// The symbols, with the guards on them.
    pub(in crate::trace) env: ShapeEnv,
    /// The values of the input sizes and integers that were read; of floats, their bits.
    pub(in crate::trace) hints: Vec<(SourceId, i64)>,
    /// The first size of each group of dimensions that `mark_unbacked` names.
    pub(in crate::trace) groups: FxHashMap<Arc<str>, Expr>,
    /// Whether input numbers are specialised to constants, also those that would be dynamic.
    pub(in crate::trace) specialises: bool,
    /// Whether the body of a higher-order operator is traced, which runs on slices or on numbers of a loop.
    pub(in crate::trace) is_body: bool,
}

impl Default for Shapes {
    fn default() -> Shapes {
        let env = ShapeEnv::new(EnvOptions::default());
        Shapes { env, hints: Vec::new(), groups: FxHashMap::default(), specialises: false, is_body: false }
    }
}

impl Speculative for Shapes {
    type Checkpoint = (bool, bool);

    fn checkpoint(&self) -> (bool, bool) {
        (self.specialises, self.is_body)
    }

    fn rollback(&mut self, to: (bool, bool)) {
        let Shapes {
            // Its guards stay: they held, so that at worst there is one too many.
            env: _,
            // They tell automatic dynamic shapes which inputs change between calls, in the graph or not.
            hints: _,
            // Expressions over the symbols, which stay.
            groups: _,
            specialises,
            is_body,
        } = self;
        (*specialises, *is_body) = to;
    }
}
