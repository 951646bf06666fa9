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
    /// The least rows, and the least length of sums, of a convolution that is computed as a product: fewer leave most
    /// of a vector unit idle.
    product_least_side: usize = 12, "elements";

    /// The largest pooling window that is a kernel: each of its elements is a load of its own, and larger ones are
    /// calls of the library.
    window_most_elements: usize = 25, "elements";

    /// The number of results below which a reduction over neighbours in memory is split.
    split_few_rows: i64 = 8, "results";

    /// The number of results below which a reduction is split whose results are neighbours in memory, and go through
    /// lanes.
    split_few_columns: i64 = 512, "results";

    /// The size from which on a reduction whose results are neighbours is split, however many they are: no cache of a
    /// core holds it.
    split_column_elements: i64 = 1 << 21, "elements";

    /// The size below which no reduction is split: the second kernel takes longer than the first one saves.
    split_least_elements: i64 = 1 << 18, "elements";

    /// The maximum number of parts of a dimension.
    split_most_parts: i64 = 1024, "parts";

    /// The maximum size of a part of a dimension: a core's cache holds it.
    split_part_elements: i64 = 1 << 16, "elements";

    /// The minimum number of parts of a reduction, so that threads share the work evenly.
    split_least_parts: i64 = 32, "parts";

    /// The minimum number of neighbours that a part combines.
    split_part_length: i64 = 128, "elements";

    /// The minimum number of rows that a part combines where results are neighbours.
    split_part_rows: i64 = 16, "rows";

    /// The number of neighbours that share a line of memory, which parts of a reduction over neighbours are whole
    /// multiples of.
    split_line_elements: i64 = 16, "elements";

    /// The cost of a copy to another layout, an element, in elements of a convolution that gain from channels last.
    channels_last_copy_cost: i64 = 4, "elements";

    /// The maximum number of parts that alternate in memory and are one kernel: their vectors are shuffled into one
    /// another.
    interleave_most_parts: i64 = 4, "vectors";

    /// The maximum number of parts of a concatenation that is computed where it is used: each element chooses among
    /// them.
    concat_most_inlined: usize = 4, "parts";

    /// The factor by which a tensor grows when it is broadcast from which on it matters along which dimensions.
    broadcast_factor: i64 = 8, "times";

    /// The maximum number of operations that are computed again wherever a tensor is used, rather than stored once.
    inline_most_operations: u32 = 6, "operations";

    /// The maximum number of loads that are done again wherever a tensor is used, rather than stored once.
    inline_most_loads: u32 = 1, "loads";

    /// The factor by which a tensor is smaller whose loads are not counted there: a cache holds it.
    inline_small_factor: i64 = 4, "times";

    /// The number of operations from which on no more of them are counted for one tensor.
    inline_most_counted: u32 = 32, "operations";

    /// The factor by which a gather is smaller than its source where it computes its elements, and the source is not
    /// stored for it.
    gather_factor: i64 = 4, "times";

    /// The maximum number of tensors that are recomputed for the elements of a gather.
    gather_most_recomputed: usize = 16, "nodes";

    /// The maximum number of kernels, the latest ones, that are tried for fusion since they read what a root reads.
    fuse_most_siblings: usize = 8, "kernels";

    /// The maximum number of roots of a kernel: compile time and registers bound it.
    fuse_most_roots: usize = 24, "roots";

    /// The minimum number of pieces of the parallel loop, which outer loops are collapsed for, so that threads share
    /// the work evenly.
    parallel_least_pieces: i64 = 32, "pieces";

    /// The maximum number of rounds in which a loop nest is split along the sizes of its views; views of views rarely
    /// need more than two.
    nest_most_splits: usize = 6, "rounds";

    /// The number of lanes of a vector, whatever the target's, by which the order of reduced loops is chosen.
    nest_vector_lanes: u64 = 16, "lanes";

    /// The maximum number of values that are visited for the bounds of one.
    bounds_most_values: u32 = 64, "values";

    /// The size that a symbol without a hint is taken to have.
    unknown_size: i64 = 256, "elements";

    /// The maximum traffic of a kernel in a launch group; one that touches more has enough to do alone.
    group_kernel_bytes: usize = 4 << 20, "bytes";

    /// The maximum traffic of a launch group for which a kernel moves past others: what they have left in the cache
    /// should still be there when it is read.
    group_moved_bytes: usize = 2 << 20, "bytes";

    /// The maximum traffic of a launch group: none of the buffers of its kernels can share memory.
    group_bytes: usize = 64 << 20, "bytes";

    /// The minimum size of an input that a large kernel shares with another one and is grouped with it for.
    group_shared_bytes: usize = 1 << 20, "bytes";

    /// The maximum number of results, the largest ones, that temporaries may lie in.
    lender_most_results: usize = 8, "results";

    /// The maximum number of temporaries without room in a result that are tensors which come and go; more of them
    /// share an arena.
    late_most_tensors: usize = 2, "tensors";

    /// The minimum size of arguments that are dropped before the call ends, since nothing reads them any more: that
    /// needs the embedding language.
    drop_least_bytes: usize = 1 << 20, "bytes";

    /// The minimum size of a tensor that malloc's holes are mended for, which takes about a microsecond.
    holes_least_bytes: usize = 1 << 20, "bytes";

    /// The size of a device's memory that may lie unused in any case.
    device_slack_bytes: u64 = 32 << 20, "bytes";

    /// The number of runs after which it is forgotten how much of a device's memory was in use before.
    device_slack_runs: u32 = 32, "runs";

    /// The share of the time of the default variant that another one takes at most to replace it.
    autotune_margin: f64 = 0.97, "ratio";

    /// The maximum number of rounds in which variants are measured in turn.
    autotune_most_rounds: usize = 20, "rounds";

    /// The minimum number of rounds in which variants are measured in turn.
    autotune_least_rounds: usize = 3, "rounds";

    /// The time after which no round of measurement begins.
    autotune_budget_ms: u64 = 50, "ms";

    /// The maximum number of loops whose orders are all tried.
    grid_most_axes: usize = 4, "loops";

    /// The length from which on a row has a group of `Capabilities::row_threads`.
    grid_long_row: u32 = 1 << 14, "iterations";

    /// The number of rows up to which they are split: with a group for each they would leave the device idle.
    grid_few_rows: i64 = 64, "rows";

    /// The minimum length of a piece of a column that is split.
    grid_column_piece: i64 = 32, "iterations";

    /// The maximum number of pieces of a row or column.
    grid_most_pieces: i64 = 256, "pieces";

    /// The minimum length of a piece of a row that is split.
    grid_row_piece: i64 = 4096, "elements";

    /// The number of iterations that is work enough for a group of threads.
    grid_group_iterations: i64 = 1024, "iterations";

    /// The number of items that keeps the device busy with one thread each.
    grid_busy_items: i64 = 4096, "items";

    /// The maximum number of iterations that a single thread runs.
    grid_thread_iterations: i64 = 16, "iterations";

    /// The number of vectors that a thread has on their way from memory, which hides its latency.
    grid_vectors_in_flight: u32 = 4, "vectors";

    /// The maximum number of tiles of a kernel in workgroup memory.
    grid_most_tiles: usize = 4, "tiles";

    /// The size below which a transpose goes without tiles: the caches hold it.
    grid_tile_least_items: i64 = 1 << 16, "items";

    /// The maximum number of registers of a thread for a row: more would leave too few for the rest.
    grid_most_registers: u32 = 64, "registers";
}
