//! Thresholds that decide whether a transformation pays on a CPU, one row each: see [`mod@inductor::heuristics`].

inductor::heuristics! {
    /// The maximum cost of a loop body that is unrolled four times.
    unroll_four_cost: i64 = 14, "cost units";

    /// The maximum cost of a loop body that is unrolled twice. With 360, three of 178 programs take 10 % less, and
    /// five models (ConvNeXt, EfficientNet, GPT-2, training of BERT and ResNet-18) 1 to 3 % more.
    unroll_two_cost: i64 = 90, "cost units";

    /// The maximum cost of a loop body that is unrolled eight times where each iteration reads from another page.
    unroll_eight_cost: i64 = 4, "cost units";

    /// The length from which on a row is long: lanes run along it, and not across rows.
    long_row_vectors: i64 = 64, "vectors";

    /// The maximum number of rows that are read side by side: more need more pages than the address cache (TLB) holds.
    rows_at_once: i64 = 256, "rows";

    /// The time of one unit of cost, about one vector instruction.
    unit_ns: f64 = 0.15, "ns";

    /// The cost of one vector to or from memory, between the first-level cache and main memory.
    access_cost: f64 = 6.0, "cost units";

    /// The cost of one vector to or from memory whose lanes lie apart.
    scattered_cost: f64 = 18.0, "cost units";

    /// The minimum number of rows whose next lines are prefetched; fewer the processor follows itself.
    prefetch_least_rows: i64 = 16, "rows";

    /// The minimum distance of rows that are prefetched; a vector loop reads nearer ones together.
    prefetch_row_bytes: i64 = 512, "bytes";

    /// The minimum size of a vector that is stored past the caches: shorter ones do not fill a line before it is
    /// written.
    nontemporal_least_bytes: u32 = 16, "bytes";

    /// The largest square that is transposed in registers as a whole; wider ones are in 128-bit parts.
    transpose_whole_lanes: u32 = 8, "lanes";

    /// The work below which products are left to the library: they take longer to prepare than to compute.
    product_least_flop: usize = 2_000_000, "flop";

    /// The maximum number of steps along the contracted dimension at once: a panel of them stays in the first-level
    /// cache.
    product_steps: usize = 256, "steps";

    /// The factor by which sums may be larger that one block of steps completes, and that are written at once where
    /// they belong.
    product_once_factor: usize = 8, "times";

    /// The maximum size of sums that grow in scratch: half of a first-level cache.
    product_sum_bytes: usize = 24 << 10, "bytes";

    /// The factor by which panels may be larger, as very long sums need, and are kept after the call.
    product_kept_factor: usize = 2, "times";

    /// The maximum size of panels that are packed at once.
    product_panel_bytes: usize = 4 << 20, "bytes";

    /// The work that is worth waking another thread for.
    product_thread_flop: usize = 2_000_000, "flop";

    /// The number of pieces of a product for each thread, so that a late one holds nobody up.
    product_pieces_per_thread: usize = 4, "pieces";

    /// The number of tiles that stand below each other in one piece of work.
    product_tiles_down: usize = 4, "tiles";

    /// The number of steps of the inner loop that are unrolled.
    product_unroll: i64 = 2, "steps";

    /// The number of elements that a thread takes at a time: they last longer than another thread takes to begin.
    scatter_piece: usize = 1 << 14, "elements";

    /// The minimum number of elements of a row that a thread takes.
    scatter_strip: usize = 64, "elements";

    /// The duration of a piece of kernels side by side: about what a core's cache takes to be read.
    group_piece_ns: f64 = 16_000.0, "ns";

    /// The number of the pool's pieces below which work wakes no thread.
    group_least_pieces: f64 = 4.0, "pieces";

    /// The number of pieces of a launch for each thread, so that a late one holds nobody up.
    launch_pieces_per_thread: i64 = 4, "pieces";

    /// The number of looks at the counter of a launch before a thread yields its processor.
    launch_spins: u32 = 4_000, "looks";
}
