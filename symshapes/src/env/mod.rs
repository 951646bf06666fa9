//! The shape environment: symbols for the sizes, strides, offsets and integers of a program's inputs, what is known
//! of them, and the guards under which what was decided holds.
//!
//! Invariants:
//! - Each backed symbol is *owned* by one input: the one whose value it reads. Other inputs are described by
//!   expressions over owned symbols (duck shaping, inferred strides).
//! - `replaced` and `quotients` are acyclic: an image mentions only symbols that were free when it was made.
//! - A symbol's range in the pool is the natural domain of its input, narrowed by guards that mention this symbol
//!   alone: the solver prints the range, so nothing that was simplified under it rests on an unchecked assumption.
//! - A guard holds for the hints. What mentions an unbacked symbol is never a guard but an assertion, to be checked
//!   where the value becomes known.
//!
//! Absent on purpose: what an input is. A [`SourceId`] is the caller's number for it, printed through a callback.

mod create;
mod error;
mod evaluate;
mod named;
mod refine;
mod replace;

pub use create::{Constraint, Dim, NamedSize, Policy, StrideInputs};
pub use error::EnvError;
pub use evaluate::Power;

use crate::{
    ids::{Expr, Pred, Sym},
    pool::Pool,
    range::Range,
};
use cranelift_entity::{PrimaryMap, entity_impl};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// The caller's number for something that a program reads from its inputs, such as `L['x'].size()[0]`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SourceId(u32);
entity_impl!(SourceId, "input");

/// An input in a [`ShapeEnv`], in the order of making.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct InputId(u32);
entity_impl!(InputId, "in");

/// Prints a source.
pub type Names<'a> = &'a dyn Fn(SourceId) -> String;

/// The assumptions that an environment makes on its own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct EnvOptions {
    /// Sizes of equal hints share a symbol.
    pub duck_shape: bool,
    /// Sizes of 0 and 1 become constants, and other sizes are at least 2.
    pub specialize_zero_one: bool,
}

impl Default for EnvOptions {
    fn default() -> EnvOptions {
        EnvOptions { duck_shape: true, specialize_zero_one: true }
    }
}

/// The quantities that an input's integer measures.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum InputKind {
    /// The length of a tensor's dimension.
    Size,
    /// The distance between neighbours of a dimension, in elements.
    Stride,
    /// The offset of a tensor in its storage, in elements.
    Offset,
    /// A plain integer.
    Int,
    /// A plain float, by the bits of a double.
    Float,
}

/// One row per input.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Input {
    /// The source that is read.
    pub source: SourceId,
    /// The quantity that it measures.
    pub kind: InputKind,
    /// The value as an expression over the symbols.
    pub expr: Expr,
    /// The symbol that reads this input, if it owns one.
    pub owned: Option<Sym>,
    /// The user's promise about the dimension. Few inputs have a promise, and there are many inputs.
    pub constraint: Option<Box<Constraint>>,
}

/// One row per symbol.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SymbolRow {
    pub(crate) origin: Origin,
    pub(crate) hint: Option<i64>,
    pub(crate) size_like: bool,
    /// The line that narrowed the range or replaced the symbol last.
    pub(crate) cause: Option<String>,
}

/// The origin of a symbol's value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum Origin {
    /// It is read from an input.
    Input(InputId),
    /// It is computed while the program runs.
    Unbacked,
    /// A symbol that `by` divides, divided by it.
    Quotient { of: Sym, by: i64 },
}

/// A decision that was taken for the hints, and the user's line that asked for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guard {
    /// The condition that has to hold.
    pub pred: Pred,
    /// The user's stack.
    pub at: String,
}

/// A condition that has to be checked once an unbacked symbol's value is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assertion {
    /// The condition that has to hold.
    pub pred: Pred,
    /// The error message if it does not.
    pub message: String,
    /// The user's stack.
    pub at: String,
}

/// Symbols, facts and guards of one compilation.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ShapeEnv {
    pub(crate) pool: Pool,
    pub(crate) options: EnvOptions,
    pub(crate) inputs: PrimaryMap<InputId, Input>,
    pub(crate) symbols: FxHashMap<Sym, SymbolRow>,
    ducks: FxHashMap<i64, Sym>,
    /// The value of each named dimension.
    #[serde(default)]
    dims: FxHashMap<String, Expr>,
    /// The equations that relate dimensions to their names.
    #[serde(default)]
    pub(crate) declared: Vec<Pred>,
    pub(crate) replaced: FxHashMap<Sym, Expr>,
    pub(crate) quotients: FxHashMap<Sym, Sym>,
    axioms: Vec<Pred>,
    pub(crate) guards: Vec<Guard>,
    assertions: Vec<Assertion>,
    backed: u32,
    #[serde(default)]
    floats: u32,
    unbacked: u32,
}

impl ShapeEnv {
    /// An environment without inputs.
    pub fn new(options: EnvOptions) -> ShapeEnv {
        ShapeEnv { options, ..ShapeEnv::default() }
    }

    /// The arena of the environment's expressions.
    pub fn pool(&self) -> &Pool {
        &self.pool
    }

    /// The arena, for building expressions. Symbols are made, and their ranges set, through the environment only.
    pub fn pool_mut(&mut self) -> &mut Pool {
        &mut self.pool
    }

    /// Every input, in the order of making.
    pub fn inputs(&self) -> impl Iterator<Item = &Input> {
        self.inputs.values()
    }

    /// The guards recorded so far, as they were asked for.
    pub fn guards(&self) -> &[Guard] {
        &self.guards
    }

    /// The assertions that are left to check when the values of unbacked symbols become known, in the order of asking.
    pub fn assertions(&self) -> &[Assertion] {
        &self.assertions
    }

    /// The value that a backed symbol had in the example inputs.
    pub fn symbol_hint(&self, sym: Sym) -> Option<i64> {
        self.symbols.get(&sym)?.hint
    }

    /// The value of an expression for the example inputs; `None` if it depends on an unbacked symbol.
    pub fn hint(&self, e: Expr) -> Option<i64> {
        self.pool.eval(e, &|sym| self.symbol_hint(sym))
    }

    /// True for a symbol whose value only the running program knows.
    pub fn is_unbacked(&self, sym: Sym) -> bool {
        match self.symbols.get(&sym).map(|row| row.origin) {
            Some(Origin::Unbacked) => true,
            Some(Origin::Input(_)) => self.symbol_hint(sym).is_none(),
            Some(Origin::Quotient { of, .. }) => self.is_unbacked(of),
            None => false,
        }
    }

    /// True if only the running program knows the value.
    pub fn depends_on_data(&self, e: Expr) -> bool {
        self.pool.symbols(e).iter().any(|&sym| self.is_unbacked(sym))
    }

    /// Every symbol with its range, in the order of making.
    pub fn ranges(&self) -> impl Iterator<Item = (Sym, Range)> {
        self.pool.all_symbols().map(|sym| (sym, self.pool.symbol_range(sym)))
    }

    pub(crate) fn pred_is_unbacked(&self, p: Pred) -> bool {
        self.pool.pred_symbols(p).iter().any(|&sym| self.is_unbacked(sym))
    }
}
