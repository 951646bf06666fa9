//! Test support for kernels, backends and plans: interpreters of [loop IR](loops) and of [grid kernels](grid),
//! [random kernels](random) and [graphs] with inputs, and a [tensor library](heap) that plans run over.
//!
//! Invariant: no crate of the product depends on this one, but for its tests and examples.

pub mod graphs;
pub mod grid;
pub mod heap;
pub mod loops;
pub mod random;
pub mod rng;
