//! Loading the graph's inputs. Containers that several of them are read from, such as the modules on the way to
//! parameters, are read once.
//!
//! The guards read the same objects, and a snapshot of their check knows these as long as nothing has changed. So the
//! parameters of a model are prefetched: the code takes them as a tuple, and reads them itself only where it is given
//! none.

use super::Output;
use crate::{
    bytecode::{Condition, Const, LocalId},
    trace::{Traced, core::recording::Input},
};
use guards::{Root, Source, SourceId, Sources};
use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};

/// Common subexpressions of the inputs' sources.
#[derive(Default)]
pub(super) struct CommonSources {
    /// The sources from which more than one thing is read.
    shared: FxHashSet<SourceId>,
    /// The locals that hold the sources that were read.
    loaded: FxHashMap<SourceId, LocalId>,
}

/// The least number of inputs that is worth prefetching.
const LEAST_PREFETCHED: usize = 8;

impl CommonSources {
    fn of(read: &[SourceId], sources: &Sources) -> CommonSources {
        let (mut seen, mut bases, mut shared) = (FxHashSet::default(), FxHashSet::default(), FxHashSet::default());
        for &source in read {
            let mut source = source;
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

    /// The local that holds a source that was loaded before.
    pub(super) fn loaded(&self, source: SourceId) -> Option<LocalId> {
        self.loaded.get(&source).copied()
    }
}

impl Output<'_, '_> {
    /// Puts the tuple of prefetched inputs in place: it is made here if the caller has none.
    pub(super) fn prefetch(&mut self, inputs: &[Input]) -> Traced<()> {
        let prefetched = self.worth_prefetching(inputs);
        if prefetched.len() < LEAST_PREFETCHED {
            return Ok(());
        }
        let (tuple, is_there) = (self.fresh("prefetched"), self.builder.label());
        self.builder.load_local(tuple);
        self.builder.jump_if(Condition::NotNone, is_there);
        self.load_sources(&prefetched)?;
        self.builder.build_tuple(prefetched.len() as u32);
        self.builder.store_local(tuple);
        self.builder.bind(is_there);
        self.prefetched = prefetched;
        self.prefetched_tuple = Some(tuple);
        Ok(())
    }

    /// The inputs that are read from the root from which most are, as those of a model are from `self`: they tend to
    /// be the same objects in each call.
    fn worth_prefetching(&self, inputs: &[Input]) -> Vec<SourceId> {
        let sources = &self.t.sources;
        let is_step = |source| matches!(sources.get(source), Some(Source::Step { .. }));
        let mut by_root = IndexMap::<Root, Vec<SourceId>>::new();
        for input in inputs.iter().filter(|input| !input.is_float && is_step(input.source)) {
            by_root.entry(sources.root_of(input.source)).or_default().push(input.source);
        }
        by_root.into_values().max_by_key(Vec::len).unwrap_or_default()
    }

    /// Pushes the inputs of the graph.
    pub(super) fn load_inputs(&mut self, inputs: &[Input]) -> Traced<()> {
        let known: FxHashSet<SourceId> = self.prefetched.iter().copied().collect();
        let read = inputs.iter().map(|input| input.source).filter(|source| !known.contains(source));
        self.common = CommonSources::of(&read.collect::<Vec<_>>(), &self.t.sources);
        let mut prefetched = 0;
        for input in inputs {
            match self.prefetched_tuple {
                Some(tuple) if self.prefetched.get(prefetched) == Some(&input.source) => {
                    self.builder.load_local(tuple);
                    self.builder.load_const(Const::Int(prefetched as i64));
                    self.builder.subscript();
                    prefetched += 1;
                }
                _ if input.is_float => {
                    self.call_named("torch._as_tensor_fullprec", 1, |out| out.load_source(input.source))?;
                }
                _ => self.load_source(input.source)?,
            }
        }
        self.forget_common();
        self.prefetched_tuple.iter().for_each(|&tuple| self.builder.delete_local(tuple));
        Ok(())
    }

    /// Pushes what is at sources.
    fn load_sources(&mut self, read: &[SourceId]) -> Traced<()> {
        self.common = CommonSources::of(read, &self.t.sources);
        read.iter().try_for_each(|&source| self.load_source(source))?;
        self.forget_common();
        Ok(())
    }

    /// Deletes what was kept of sources: nothing of the caller's is to live longer than it did.
    fn forget_common(&mut self) {
        let common = std::mem::take(&mut self.common);
        let mut locals: Vec<LocalId> = common.loaded.into_values().collect();
        locals.sort_unstable();
        locals.into_iter().for_each(|local| self.builder.delete_local(local));
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
