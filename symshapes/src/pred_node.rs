//! The nodes that predicates are made of.

use crate::ids::{Expr, Float, Pred};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

/// The operands of a conjunction or a disjunction.
pub type Operands = SmallVec<[Pred; 4]>;

/// One interned predicate.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum PredNode {
    /// A constant.
    Bool(bool),
    /// The expression is zero.
    Eq(Expr),
    /// The expression is not zero.
    Ne(Expr),
    /// The expression is zero or less.
    Le(Expr),
    /// All hold.
    And(Operands),
    /// One of them holds.
    Or(Operands),
    /// Two floats compare so.
    Float(FloatRelation),
    /// A relation whose sides cannot be compared within `i64`.
    Unknown,
}

/// The comparisons of two floats.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Comparison {
    /// `a == b`
    Eq,
    /// `a <= b`
    Le,
    /// `a < b`
    Lt,
}

/// A comparison of floats, or that it fails, which is not the opposite comparison: a NaN fails all of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct FloatRelation {
    /// The comparison.
    pub comparison: Comparison,
    /// False if it has to fail.
    pub holds: bool,
    /// The left side.
    pub left: Float,
    /// The right side.
    pub right: Float,
}

impl FloatRelation {
    /// The truth for these values.
    pub(crate) fn compare(self, left: f64, right: f64) -> bool {
        let truth = match self.comparison {
            #[expect(clippy::float_cmp, reason = "this is the comparison that was asked for")]
            Comparison::Eq => left == right,
            Comparison::Le => left <= right,
            Comparison::Lt => left < right,
        };
        truth == self.holds
    }
}
