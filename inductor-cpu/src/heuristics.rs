//! Thresholds that decide whether a transformation pays on a CPU, one row each: see [`mod@inductor::heuristics`].

inductor::heuristics! {
    /// Loop bodies up to this cost are unrolled four times.
    unroll_four_cost: i64 = 14, "cost units";

    /// Loop bodies up to this cost are unrolled twice. With 360, three of 178 programs take 10 % less, and five models
    /// (ConvNeXt, EfficientNet, GPT-2, training of BERT and ResNet-18) 1 to 3 % more.
    unroll_two_cost: i64 = 90, "cost units";

    /// Loop bodies up to this cost are unrolled eight times where each iteration reads from another page.
    unroll_eight_cost: i64 = 4, "cost units";

    /// A row of so many vectors is long: lanes run along it, and not across rows.
    long_row_vectors: i64 = 64, "vectors";

    /// At most so many rows are read side by side: more need more pages than the address cache (TLB) holds.
    rows_at_once: i64 = 256, "rows";

    /// The time of one unit of cost, about one vector instruction.
    unit_ns: f64 = 0.15, "ns";

    /// One vector to or from memory, between the first-level cache and main memory.
    access_cost: f64 = 6.0, "cost units";

    /// One vector to or from memory whose lanes lie apart.
    scattered_cost: f64 = 18.0, "cost units";

    /// The processor follows fewer rows than these itself; with more, their next lines are prefetched.
    prefetch_least_rows: i64 = 16, "rows";

    /// Rows nearer to each other are not prefetched: a vector loop reads them together.
    prefetch_row_bytes: i64 = 512, "bytes";

    /// Shorter vectors are not stored past the caches: they do not fill a line before it is written.
    nontemporal_least_bytes: u32 = 16, "bytes";

    /// Squares of so many lanes are transposed in registers as a whole, wider ones in 128-bit parts.
    transpose_whole_lanes: u32 = 8, "lanes";

    /// Products of fewer operations are left to the library: they take longer to prepare than to compute.
    product_least_flop: usize = 2_000_000, "flop";

    /// Steps along the contracted dimension at once: a panel of them stays in the first-level cache.
    product_steps: usize = 256, "steps";

    /// Sums of a part that one block of steps completes, and that are written at once where they belong.
    product_once_bytes: usize = 8 * (24 << 10), "bytes";

    /// Sums that grow in scratch: half of a first-level cache.
    product_sum_bytes: usize = 24 << 10, "bytes";

    /// Larger panels, which very long sums need, are given back after the call.
    product_kept_bytes: usize = 8 << 20, "bytes";

    /// Panels that are made at once.
    product_panel_bytes: usize = 4 << 20, "bytes";

    /// Work that is worth waking another thread for.
    product_thread_flop: usize = 2_000_000, "flop";

    /// Pieces of a product for each thread, so that a late one holds nobody up.
    product_pieces_per_thread: usize = 4, "pieces";

    /// Tiles that stand below each other in one piece of work.
    product_tiles_down: usize = 4, "tiles";

    /// Steps of the inner loop that are written out.
    product_unroll: i64 = 2, "steps";

    /// Elements that a thread takes at a time: they last longer than another thread takes to begin.
    scatter_piece: usize = 1 << 14, "elements";

    /// Elements of a row that a thread takes at least.
    scatter_strip: usize = 64, "elements";

    /// A piece of kernels side by side lasts about so long, which is what a core's cache takes to be read.
    group_piece_ns: f64 = 16_000.0, "ns";

    /// Less work than so many of the pool's pieces wakes no thread.
    group_least_pieces: f64 = 4.0, "pieces";

    /// Pieces of a launch for each thread, so that a late one holds nobody up.
    launch_pieces_per_thread: i64 = 4, "pieces";

    /// The counter of a launch is looked at so often before the thread yields its processor.
    launch_spins: u32 = 4_000, "looks";
}
