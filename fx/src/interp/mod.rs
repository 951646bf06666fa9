//! The reference interpreter: slow and obvious.

pub mod scalar;
