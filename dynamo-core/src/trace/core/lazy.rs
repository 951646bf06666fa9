//! The state of `itertools` iterators whose items come when they are asked for.

use super::ids::ValueId;

/// Such an iterator, and where it stands. What it reads are iterators.
#[derive(Clone, Debug)]
pub(in crate::trace) enum Lazy {
    /// `count`: the next number, the step.
    Count(ValueId, ValueId),
    /// `repeat` without end.
    Repeat(ValueId),
    /// `cycle`: what it reads until that ends, what it has read, and the next one's place among that.
    Cycle(Option<ValueId>, Vec<ValueId>, usize),
    /// `chain`: the one that is read, those that come after it, the next one last.
    Chain(Option<ValueId>, Vec<ValueId>),
    /// `chain.from_iterable`: the one that is read, what gives those after it.
    ChainOf(Option<ValueId>, ValueId),
    /// `islice`
    Slice {
        /// The iterator that it reads.
        inner: ValueId,
        /// The number of items to skip before the next one.
        skip: i64,
        /// The maximum number of items to read, skipped ones included.
        stop: Option<i64>,
        /// The distance between the items from the next one on.
        step: i64,
    },
    /// `pairwise`: what it reads, the last item.
    Pairs(ValueId, Option<ValueId>),
    /// `accumulate`
    Accumulate {
        /// The iterator that it reads.
        inner: ValueId,
        /// The function that accumulates, if it is not the sum.
        function: Option<ValueId>,
        /// The total so far, or where it begins.
        total: Option<ValueId>,
        /// Whether the total was given already.
        given: bool,
    },
    /// `takewhile`: the condition, what it reads.
    TakeWhile(ValueId, ValueId),
    /// `dropwhile`: the condition until it has failed, what it reads.
    DropWhile(Option<ValueId>, ValueId),
    /// `filterfalse`
    FilterFalse(ValueId, ValueId),
    /// `starmap`
    StarMap(ValueId, ValueId),
    /// `zip_longest`: what it reads, where that has not ended, and what takes its place.
    Longest(Vec<Option<ValueId>>, ValueId),
    /// `compress`: what it reads, and whether to keep that.
    Compress(ValueId, ValueId),
    /// `groupby`
    Groups(Groups),
    /// A group that `groupby` gives: that iterator, the group's key, its number.
    Group(ValueId, ValueId, usize),
    /// The buffer that several of `tee` share: the iterator that it reads, the items that it has read.
    Shared(ValueId, Vec<ValueId>),
    /// One of `tee`: what they share, the next one's place among that.
    Tee(ValueId, usize),
}

/// A `groupby`, and where it stands.
#[derive(Clone, Debug)]
pub(in crate::trace) struct Groups {
    /// The iterator that it reads.
    pub(in crate::trace) inner: ValueId,
    /// The function that gives an item's key, if that is not the item itself.
    pub(in crate::trace) key: Option<ValueId>,
    /// The item that was read and not given yet, after its key.
    pub(in crate::trace) current: Option<(ValueId, ValueId)>,
    /// The key of the group that was given last.
    pub(in crate::trace) given: Option<ValueId>,
    /// The number of groups that were given: only the last one gives items.
    pub(in crate::trace) count: usize,
}

impl Lazy {
    /// The values that it is made of.
    pub(in crate::trace) fn parts(&self) -> Vec<ValueId> {
        match self {
            Lazy::Repeat(a) => vec![*a],
            Lazy::Count(a, b)
            | Lazy::TakeWhile(a, b)
            | Lazy::FilterFalse(a, b)
            | Lazy::StarMap(a, b)
            | Lazy::Compress(a, b)
            | Lazy::Group(a, b, _) => vec![*a, *b],
            Lazy::Cycle(inner, items, _) | Lazy::Chain(inner, items) => inner.iter().chain(items).copied().collect(),
            Lazy::ChainOf(inner, outer) | Lazy::DropWhile(inner, outer) => {
                inner.iter().chain([outer]).copied().collect()
            }
            Lazy::Slice { inner, .. } | Lazy::Tee(inner, _) => vec![*inner],
            Lazy::Shared(inner, items) => [inner].into_iter().chain(items).copied().collect(),
            Lazy::Groups(groups) => {
                let current = groups.current.iter().flat_map(|(key, item)| [key, item]);
                [&groups.inner].into_iter().chain(&groups.key).chain(current).chain(&groups.given).copied().collect()
            }
            Lazy::Pairs(inner, last) => [inner].into_iter().chain(last).copied().collect(),
            Lazy::Accumulate { inner, function, total, .. } => {
                [inner].into_iter().chain(function).chain(total).copied().collect()
            }
            Lazy::Longest(inners, fill) => inners.iter().flatten().chain([fill]).copied().collect(),
        }
    }
}
