//! Thresholds that decide whether a transformation pays, one row each.
//!
//! A row has a name, a value, its unit and what it decides. `./x bench heuristics` builds with the feature `sweep`, in
//! which values can be replaced, and times programs with a quarter and with four times of each; the book's page of
//! heuristics is printed from the rows and from what was measured.
//!
//! Invariant: no row changes what is computed, but for the order in which sums are rounded; only how fast, in how much
//! memory, or in how much compile time. Limits of correctness and of interfaces stand where they hold; what a machine
//! says of itself is in its model.

/// A row of a table of heuristics.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The function that gives the value.
    pub name: &'static str,
    /// The value.
    pub value: f64,
    /// The unit of the value.
    pub unit: &'static str,
    /// The text that says what is decided by it.
    pub says: &'static str,
}

/// Makes a table of heuristics: a function for each row, and all of them as `ROWS`.
#[macro_export]
macro_rules! heuristics {
    ($($(#[doc = $doc:literal])+ $name:ident: $type:ty = $value:expr, $unit:literal;)+) => {
        /// All rows, in the order of the table.
        pub const ROWS: &[$crate::heuristics::Row] = &[$($crate::heuristics::Row {
            name: stringify!($name),
            value: $value as f64,
            unit: $unit,
            says: concat!($($doc),+),
        }),+];
        $(
            $(#[doc = $doc])+
            #[cfg(not(feature = "sweep"))]
            pub const fn $name() -> $type {
                $value
            }

            $(#[doc = $doc])+
            #[cfg(feature = "sweep")]
            pub fn $name() -> $type {
                $crate::heuristics::sweep::value(stringify!($name)).map_or($value, |value| value as $type)
            }
        )+
    };
}

/// Tells what is compiled with a value replaced from what is compiled without.
pub fn fingerprint() -> u128 {
    #[cfg(feature = "sweep")]
    return sweep::fingerprint();
    #[cfg(not(feature = "sweep"))]
    0
}

/// Values that replace those of rows, for measurements.
#[cfg(feature = "sweep")]
pub mod sweep {
    use std::hash::{BuildHasher, BuildHasherDefault};
    use std::sync::{PoisonError, RwLock};

    static REPLACED: RwLock<Option<(String, f64)>> = RwLock::new(None);

    /// Replaces the value of one row, or of none, in the whole process.
    pub fn replace(row: Option<(String, f64)>) {
        *REPLACED.write().unwrap_or_else(PoisonError::into_inner) = row;
    }

    /// The value that replaces that of a row.
    pub fn value(name: &str) -> Option<f64> {
        let replaced = REPLACED.read().unwrap_or_else(PoisonError::into_inner);
        replaced.as_ref().filter(|(row, _)| row == name).map(|&(_, value)| value)
    }

    pub(super) fn fingerprint() -> u128 {
        let replaced = REPLACED.read().unwrap_or_else(PoisonError::into_inner);
        let hasher = BuildHasherDefault::<rustc_hash::FxHasher>::default();
        replaced.as_ref().map_or(0, |(row, value)| hasher.hash_one((row, value.to_bits())).into())
    }
}

heuristics! {
    /// A convolution as a product takes at least so many rows, and sums of so many steps: fewer leave most of a
    /// vector unit idle.
    product_least_side: usize = 12, "elements";

    /// A larger pooling window is a call of the library: each of its elements is a load of its own.
    window_most_elements: usize = 25, "elements";

    /// A reduction over neighbours in memory is split if it has fewer results.
    split_few_rows: i64 = 8, "results";

    /// A reduction whose results are neighbours in memory, which go through lanes, is split if it has fewer of them.
    split_few_columns: i64 = 512, "results";

    /// A reduction whose results are neighbours is split, however many they are, from so many elements on: no cache
    /// of a core holds them.
    split_column_elements: i64 = 1 << 21, "elements";

    /// A reduction of fewer elements is not split: the second kernel takes longer than the first one saves.
    split_least_elements: i64 = 1 << 18, "elements";

    /// A dimension is split into at most so many parts.
    split_most_parts: i64 = 1024, "parts";

    /// A part of a dimension has at most so many elements: a core's cache holds them.
    split_part_elements: i64 = 1 << 16, "elements";

    /// A reduction is split into at least so many parts, so that threads share the work evenly.
    split_least_parts: i64 = 32, "parts";

    /// A part combines at least so many neighbours.
    split_part_length: i64 = 128, "elements";

    /// A part of a reduction whose results are neighbours combines at least so many rows.
    split_part_rows: i64 = 16, "rows";

    /// The cost of a copy to another layout, an element, in elements of a convolution that gain from channels last.
    channels_last_copy_cost: i64 = 4, "elements";

    /// Parts of a tensor that alternate in memory are one kernel up to this number: their vectors are shuffled into
    /// one another.
    interleave_most_parts: i64 = 4, "vectors";

    /// A gather that is smaller than its source by this factor computes its elements, and the source is not stored
    /// for it.
    gather_factor: i64 = 4, "times";

    /// At most so many tensors are computed again for the elements of a gather.
    gather_most_recomputed: usize = 16, "nodes";

    /// So many kernels that read what a root reads, the latest ones, are tried for fusion.
    fuse_most_siblings: usize = 8, "kernels";

    /// A kernel has at most so many roots: compile time and registers bound it.
    fuse_most_roots: usize = 24, "roots";

    /// Outer loops are collapsed until the parallel loop has so many pieces, so that threads share the work evenly.
    parallel_least_pieces: i64 = 32, "pieces";

    /// Rounds in which a loop nest is split along the sizes of its views; views of views rarely need more than two.
    nest_most_splits: usize = 6, "rounds";

    /// So many values are looked at for the bounds of one.
    bounds_most_values: u32 = 64, "values";

    /// The size that a symbol without a hint is taken to have.
    unknown_size: i64 = 256, "elements";

    /// A kernel that touches more has enough to do alone and joins no group.
    group_kernel_bytes: usize = 4 << 20, "bytes";

    /// Counterpart of `group_bytes` for a kernel that moves past others: what they have left in the cache should still
    /// be there when it is read.
    group_moved_bytes: usize = 2 << 20, "bytes";

    /// The kernels of a group touch at most so much in all: none of their buffers can share memory.
    group_bytes: usize = 64 << 20, "bytes";

    /// A large kernel joins a group only for an input that it shares with another kernel, of at least this size.
    group_shared_bytes: usize = 1 << 20, "bytes";

    /// So many results, the largest ones, are asked whether temporaries may lie in them.
    lender_most_results: usize = 8, "results";

    /// Up to so many temporaries that no result has room for are tensors that come and go; more of them share an
    /// arena.
    late_most_tensors: usize = 2, "tensors";

    /// Another variant replaces the default one if it takes at most this share of its time.
    autotune_margin: f64 = 0.97, "ratio";

    /// Variants are measured in turn, at most so many times.
    autotune_most_rounds: usize = 20, "rounds";

    /// Variants are measured in turn, at least so many times.
    autotune_least_rounds: usize = 3, "rounds";

    /// No round of measurement begins after this time.
    autotune_budget_ms: u64 = 50, "ms";

    /// The orders of so many loops are tried.
    grid_most_axes: usize = 4, "loops";

    /// A row of so many iterations has a group of `Capabilities::row_threads`.
    grid_long_row: u32 = 1 << 14, "iterations";

    /// So few rows leave the device idle with a group for each, and are split.
    grid_few_rows: i64 = 64, "rows";

    /// A piece of a column that is split has at least so many iterations.
    grid_column_piece: i64 = 32, "iterations";

    /// A row or column is split into at most so many pieces.
    grid_most_pieces: i64 = 256, "pieces";

    /// A piece of a row that is split has at least so many elements.
    grid_row_piece: i64 = 4096, "elements";

    /// So many iterations are work enough for a group of threads.
    grid_group_iterations: i64 = 1024, "iterations";

    /// So many items keep the device busy with one thread each.
    grid_busy_items: i64 = 4096, "items";

    /// So few iterations are run by a single thread.
    grid_thread_iterations: i64 = 16, "iterations";

    /// A thread has so many vectors on their way from memory, which hides its latency.
    grid_vectors_in_flight: u32 = 4, "vectors";

    /// At most so many tiles of a kernel are in workgroup memory.
    grid_most_tiles: usize = 4, "tiles";

    /// A transpose of fewer items goes without tiles: the caches hold it.
    grid_tile_least_items: i64 = 1 << 16, "items";

    /// A thread keeps at most so many registers of a row: more would leave too few for the rest.
    grid_most_registers: u32 = 64, "registers";
}
