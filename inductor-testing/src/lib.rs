//! Test support for kernels and backends: interpreters of [loop IR](loops) and of [grid kernels](grid), and
//! [random kernels](random) with their inputs.
//!
//! Invariant: no crate of the product depends on this one, but for its tests and examples.

pub mod grid;
pub mod loops;
pub mod random;
