//! What capture needs and Python need not be there for.
//!
//! So far: [`bytecode`], which takes CPython's code objects apart and puts them together again.
//!
//! Invariant: this crate never calls CPython. Code objects come in and go out as plain data.

pub mod bytecode;
