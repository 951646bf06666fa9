//! The nodes that expressions are made of.
//!
//! Invariants of the nodes in a [`Pool`](crate::Pool):
//! - A node's children were interned before it, so their indices are smaller.
//! - [`Sum`]: terms sorted by monomial, no zero coefficient, at least one term, and never the bare `1*m + 0`.
//!   A monomial is a [`Node::Mul`] or any other node but `Int` and `Add`.
//! - [`Node::Mul`]: two factors or more, sorted; none is an `Int` or a `Mul`. A factor is a sum only where expanding
//!   the product would have made too many terms.
//! - `Min` and `Max` chains lean to the right: the first operand is no chain itself, the leaves ascend.
//! - No node but [`Node::Overflow`] has an overflow below it.

use crate::{
    float_node::Rounding,
    ids::{Expr, Float, Sym},
};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

/// The factors of a product.
pub type Factors = SmallVec<[Expr; 4]>;

/// One interned expression.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Node {
    /// A constant.
    Int(i64),
    /// A variable.
    Sym(Sym),
    /// A polynomial: `constant + c1*m1 + c2*m2 + …`; a multiple such as `2*x` is a sum of one term.
    Add(Sum),
    /// A product of factors without a coefficient.
    Mul(Factors),
    /// Division rounded down.
    FloorDiv(Expr, Expr),
    /// The remainder with the sign of the divisor, as Python has it.
    Mod(Expr, Expr),
    /// The lesser of two.
    Min(Expr, Expr),
    /// The greater of two.
    Max(Expr, Expr),
    /// The first to the power of the second, which has a value only where that is not negative.
    Pow(Expr, Expr),
    /// A float made an integer.
    Round(Rounding, Float),
    /// An undefined value: a constant left `i64`, or was divided by zero. Everything built from it is undefined again.
    Overflow,
}

/// A polynomial with integer coefficients.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Sum {
    /// The constant term.
    pub constant: i64,
    /// The other terms, sorted by monomial.
    pub terms: SmallVec<[Term; 4]>,
}

/// A monomial times its coefficient.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Term {
    /// The coefficient, not zero.
    pub coeff: i64,
    /// The monomial.
    pub mono: Expr,
}

impl Node {
    /// Calls `visit` on each child; of what a float is made of, the pool knows ([`Pool::float_symbols`](crate::Pool)).
    pub fn children(&self, mut visit: impl FnMut(Expr)) {
        match self {
            Node::Int(_) | Node::Sym(_) | Node::Round(..) | Node::Overflow => {}
            Node::Add(sum) => sum.terms.iter().for_each(|t| visit(t.mono)),
            Node::Mul(factors) => factors.iter().copied().for_each(visit),
            Node::FloorDiv(a, b) | Node::Mod(a, b) | Node::Min(a, b) | Node::Max(a, b) | Node::Pow(a, b) => {
                visit(*a);
                visit(*b);
            }
        }
    }
}

impl Sum {
    /// A constant.
    pub(crate) fn constant(constant: i64) -> Sum {
        Sum { constant, ..Sum::default() }
    }

    /// One monomial, once.
    pub(crate) fn mono(mono: Expr) -> Sum {
        let mut sum = Sum::default();
        sum.terms.push(Term { coeff: 1, mono });
        sum
    }

    /// `self + k*other`; `None` if a coefficient overflows.
    pub(crate) fn plus_scaled(&self, other: &Sum, k: i64) -> Option<Sum> {
        let mut out = Sum::constant(self.constant.checked_add(other.constant.checked_mul(k)?)?);
        let (mut left, mut right) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let term = match (left.peek(), right.peek()) {
                (None, None) => return Some(out),
                (Some(a), b) if b.is_none_or(|b| a.mono < b.mono) => *left.next().expect("peeked"),
                (a, Some(b)) if a.is_none_or(|a| b.mono < a.mono) => {
                    let b = right.next().expect("peeked");
                    Term { coeff: b.coeff.checked_mul(k)?, mono: b.mono }
                }
                _ => {
                    let (a, b) = (left.next().expect("peeked"), right.next().expect("peeked"));
                    Term { coeff: a.coeff.checked_add(b.coeff.checked_mul(k)?)?, mono: a.mono }
                }
            };
            if term.coeff != 0 {
                out.terms.push(term);
            }
        }
    }

    /// `k*self`; `None` if a coefficient overflows.
    pub(crate) fn scaled(&self, k: i64) -> Option<Sum> {
        Sum::default().plus_scaled(self, k)
    }

    /// `self / k` for a `k` that divides every coefficient and the constant.
    pub(crate) fn divided(&self, k: i64) -> Sum {
        let terms = self.terms.iter().map(|t| Term { coeff: t.coeff / k, mono: t.mono }).collect();
        Sum { constant: self.constant / k, terms }
    }

    /// The coefficient of a monomial; zero where it does not occur.
    pub fn coeff(&self, mono: Expr) -> i64 {
        self.terms.binary_search_by_key(&mono, |t| t.mono).map_or(0, |i| self.terms[i].coeff)
    }
}

/// The sorted factors in both, as often as in each.
pub(crate) fn shared_factors(a: &[Expr], b: &[Expr]) -> Factors {
    let mut left = Factors::from_slice(b);
    let mut shared = Factors::new();
    for &factor in a {
        if let Some(at) = left.iter().position(|&f| f == factor) {
            left.remove(at);
            shared.push(factor);
        }
    }
    shared
}

/// `from` without the factors in `taken`; `None` if one of them is missing.
pub(crate) fn remove_factors(from: &[Expr], taken: &[Expr]) -> Option<Factors> {
    let mut left = Factors::from_slice(from);
    for factor in taken {
        let at = left.iter().position(|f| f == factor)?;
        left.remove(at);
    }
    Some(left)
}
