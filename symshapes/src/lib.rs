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
//! Floats that are computed from shapes keep every bit that IEEE arithmetic gives; where ranges prove that nothing was
//! rounded, what is asked of them becomes a question about integers:
//!
//! ```
//! # use symshapes::{Pool, Range};
//! let mut pool = Pool::new();
//! pool.symbol("s0", Range::new(2, 4096));
//! let p = pool.parse_pred("0.5*ToFloat(s0) >= 3.25")?;
//! assert_eq!(pool.display_pred(p).to_string(), "s0 >= 7");
//! let e = pool.parse("FloorToInt(1.5*ToFloat(s0))")?;
//! assert_eq!(pool.display(e).to_string(), "((3*s0)//2)");
//! let e = pool.parse("FloorToInt(0.7*ToFloat(s0)) + 1")?; // 0.7 is no fraction of a power of two
//! assert_eq!(pool.display(e).to_string(), "FloorToInt(ToFloat(s0)*0.7) + 1");
//! assert_eq!((pool.range(e).lo, pool.range(e).hi), (2, 2868));
//! # Ok::<(), symshapes::ParseError>(())
//! ```
//!
//! A [`ShapeEnv`] makes symbols for the inputs of a program, answers questions about them, and says what is left to
//! check when the program is used again:
//!
//! ```
//! # use symshapes::{Dim, EnvOptions, Program, ShapeEnv, SourceId};
//! let mut env = ShapeEnv::new(EnvOptions::default());
//! let names = |id: SourceId| format!("x.size({})", id.as_u32());
//! let rows = env.size(SourceId::from_u32(0), 8, &Dim::default(), "model.py:3")?;
//! let columns = env.size(SourceId::from_u32(1), 16, &Dim::default(), "model.py:3")?;
//!
//! let doubled = env.pool_mut().mul_int(rows, 2);
//! let question = env.pool_mut().eq(doubled, columns);
//! assert!(env.evaluate(question, "model.py:7")?);
//!
//! let guards = env.solve()?;
//! assert_eq!(env.print_guards(&guards, &names), ["x.size(1) == 2*x.size(0)", "2 <= x.size(0)"]);
//! assert!(Program::new(&env, &guards).accepts(&[10, 5]));
//! # Ok::<(), symshapes::EnvError>(())
//! ```
//!
//! Absent on purpose: tensors' values, and what the inputs are. This crate knows none of the crates above it;
//! [`DType`], [`Device`] and [`TensorMeta`] stand here because all of them share these.

mod arith;
mod bits;
mod check;
mod display;
mod division;
mod dtype;
mod env;
mod float;
mod float_node;
mod float_text;
mod ids;
mod minmax;
mod node;
mod order;
mod parse;
mod poly;
mod pool;
mod power;
mod pred;
mod pred_node;
mod pred_text;
mod program;
mod query;
mod range;
mod recombine;
mod round;
mod rule;
mod solver;
mod symbolic;
mod tensor;

pub use division::division_laws;
pub use dtype::{DType, DTypeClass, Device, DeviceKind, UnknownDType};
pub use env::{
    Assertion, Constraint, Dim, EnvError, EnvOptions, Guard, Input, InputId, InputKind, NamedSize, Names, Policy,
    Power, ShapeEnv, SourceId, StrideInputs,
};
pub use float_node::{FloatBinary, FloatNode, FloatUnary, Rounding};
pub use ids::{Expr, Float, Pred, Sym};
pub use node::{Factors, Node, Sum, Term};
pub use order::order_laws;
pub use parse::ParseError;
pub use pool::Pool;
pub use power::power_laws;
pub use pred_node::{Comparison, FloatRelation, Operands, PredNode};
pub use program::Program;
pub use range::Range;
pub use solver::{Check, GuardSet, Kept, Reason, Violation};
pub use tensor::TensorMeta;

/// The Rust blocks of the book's page on sizes.
#[cfg(doctest)]
#[doc = include_str!("../../book/src/dynamic.md")]
struct BookOnSizes;
