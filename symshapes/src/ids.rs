//! The entities of a pool.

use cranelift_entity::entity_impl;
use serde::{Deserialize, Serialize};

/// An expression in a [`Pool`](crate::Pool): equal expressions have equal indices.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Expr(u32);
entity_impl!(Expr, "e");

impl Expr {
    /// The constant 0 of every pool.
    pub const ZERO: Expr = Expr(0);
    /// The constant 1 of every pool.
    pub const ONE: Expr = Expr(1);
}

/// A symbol in a [`Pool`](crate::Pool): an integer variable with a name and a range.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Sym(u32);
entity_impl!(Sym, "s");

/// A float in a [`Pool`](crate::Pool): equal floats have equal indices.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Float(u32);
entity_impl!(Float, "f");

/// A predicate in a [`Pool`](crate::Pool): equal predicates have equal indices.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Pred(u32);
entity_impl!(Pred, "p");
