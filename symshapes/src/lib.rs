//! Integer expressions for symbolic shapes: hash-consed, simplified as they are built, with value ranges.
//!
//! A [`Pool`] owns expressions; an [`Expr`] is an index into it. Constructors simplify, so comparing two indices
//! compares what the rules could prove:
//!
//! ```
//! use symshapes::{Pool, Range};
//!
//! let mut pool = Pool::new();
//! let h = pool.symbol("h", Range::index(12));
//! let d = pool.symbol("d", Range::index(64));
//! let (h, d) = (pool.sym(h), pool.sym(d));
//!
//! // Splitting a flattened index gives its parts back.
//! let row = pool.mul_int(h, 64);
//! let flat = pool.add(row, d);
//! let width = pool.int(64);
//! assert_eq!(pool.floor_div(flat, width), h);
//! assert_eq!(pool.modulo(flat, width), d);
//! assert_eq!(pool.range(flat), Range::new(0, 767));
//! ```
//!
//! Text goes in and out as torch and sympy write it:
//!
//! ```
//! # use symshapes::Pool;
//! let mut pool = Pool::new();
//! let e = pool.parse("FloorDiv(s0 + 3, 2) + Mod(6*s0 + s1, 3)")?;
//! assert_eq!(pool.display(e).to_string(), "((s0 + 1)//2) + Mod(s1, 3) + 1");
//! # Ok::<(), symshapes::ParseError>(())
//! ```
//!
//! Predicates are made of relations; the ranges decide those that they can:
//!
//! ```
//! # use symshapes::{Pool, Range};
//! let mut pool = Pool::new();
//! pool.symbol("s0", Range::new(2, i64::MAX));
//! let p = pool.parse_pred("2*s0 < 9 & s0 > 1 & Ne(s0, 3)")?;
//! assert_eq!(pool.display_pred(p).to_string(), "(s0 <= 4) & Ne(s0, 3)");
//! # Ok::<(), symshapes::ParseError>(())
//! ```
//!
//! Absent on purpose: tensors, guards and where a symbol comes from. This crate knows none of the crates above it;
//! [`DType`] and [`Device`] stand here because all of them share these.

mod arith;
mod display;
mod division;
mod dtype;
mod minmax;
mod node;
mod parse;
mod poly;
mod pool;
mod pred;
mod pred_text;
mod query;
mod range;
mod symbolic;

pub use division::division_laws;
pub use dtype::{DType, DTypeClass, Device, DeviceKind, UnknownDType};
pub use node::{Expr, Factors, Node, Sum, Sym, Term};
pub use parse::ParseError;
pub use pool::Pool;
pub use pred::{Operands, Pred, PredNode};
pub use range::Range;
