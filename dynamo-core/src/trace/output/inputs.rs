//! Loading the graph's inputs. Containers that several of them are read from, such as the modules on the way to
//! parameters, are read once.

use super::Output;
use crate::{
    bytecode::LocalId,
    trace::{Traced, core::recording::Input},
};
use guards::{Source, SourceId, Sources};
use rustc_hash::{FxHashMap, FxHashSet};

/// Common subexpressions of the inputs' sources.
#[derive(Default)]
pub(super) struct CommonSources {
    /// The sources from which more than one thing is read.
    shared: FxHashSet<SourceId>,
    /// Where those lie that were read.
    loaded: FxHashMap<SourceId, LocalId>,
}

impl CommonSources {
    fn of(inputs: &[Input], sources: &Sources) -> CommonSources {
        let (mut seen, mut bases, mut shared) = (FxHashSet::default(), FxHashSet::default(), FxHashSet::default());
        for input in inputs {
            let mut source = input.source;
            while seen.insert(source) {
                let Some(base) = sources.get(source).and_then(Source::base) else { break };
                let is_step = matches!(sources.get(base), Some(Source::Step { .. }));
                if !bases.insert(base) && is_step {
                    shared.insert(base);
                }
                source = base;
            }
        }
        CommonSources { shared, loaded: FxHashMap::default() }
    }

    /// Where a source was stored that was loaded before.
    pub(super) fn loaded(&self, source: SourceId) -> Option<LocalId> {
        self.loaded.get(&source).copied()
    }
}

impl Output<'_, '_> {
    /// Pushes the inputs of the graph.
    pub(super) fn load_inputs(&mut self, inputs: &[Input]) -> Traced<()> {
        self.common = CommonSources::of(inputs, &self.t.sources);
        for input in inputs {
            match input.is_float {
                true => self.call_named("torch._as_tensor_fullprec", 1, |out| out.load_source(input.source))?,
                false => self.load_source(input.source)?,
            }
        }
        // Nothing of the caller's is to live longer than it did.
        let common = std::mem::take(&mut self.common);
        let mut locals: Vec<LocalId> = common.loaded.into_values().collect();
        locals.sort_unstable();
        locals.into_iter().for_each(|local| self.builder.delete_local(local));
        Ok(())
    }

    /// Keeps what was just pushed, if more than one input is read from it.
    pub(super) fn keep_common(&mut self, source: SourceId) {
        if self.common.shared.contains(&source) {
            let local = self.fresh("base");
            self.builder.copy(1);
            self.builder.store_local(local);
            self.common.loaded.insert(source, local);
        }
    }
}
