//! `//` and `%` by expressions that are not constant.
//!
//! The laws hold for a divisor of either sign; where it is zero there is nothing to keep.

use crate::{
    arith::gcd,
    node::{Expr, Factors, Node, Sum, Term},
    pool::Pool,
};
use smallvec::SmallVec;

impl Pool {
    /// The rules of `x // y`, in order:
    /// - `x // y => 0 if 0 <= x < y`, `x // y => -1 if -y <= x < 0`
    /// - `(a*y + b) // y => a + b // y`
    /// - `(g*a) // (g*b) => a // b`
    pub(crate) fn floor_div_symbolic(&mut self, x: Expr, y: Expr) -> Expr {
        if let Some(block) = self.symbolic_block(x, y) {
            return self.int(block);
        }
        if let Some((quotient, rest)) = self.split_multiple_of(x, y) {
            let rest = self.floor_div(rest, y);
            return self.add(quotient, rest);
        }
        if let Some(cancelled) = self.cancel(x, y) {
            return self.floor_div(cancelled.dividend, cancelled.divisor);
        }
        self.intern(Node::FloorDiv(x, y))
    }

    /// The rules of `x % y`, in order:
    /// - `x % y => x if 0 <= x < y`, `x % y => x + y if -y <= x < 0`
    /// - `(a*y + b) % y => b % y`
    /// - `(g*a) % (g*b) => g*(a % b)`
    pub(crate) fn modulo_symbolic(&mut self, x: Expr, y: Expr) -> Expr {
        if let Some(block) = self.symbolic_block(x, y) {
            return if block == 0 { x } else { self.add(x, y) };
        }
        if let Some((_, rest)) = self.split_multiple_of(x, y) {
            return self.modulo(rest, y);
        }
        if let Some(cancelled) = self.cancel(x, y) {
            let rest = self.modulo(cancelled.dividend, cancelled.divisor);
            return self.mul(cancelled.common, rest);
        }
        self.intern(Node::Mod(x, y))
    }

    fn symbolic_block(&self, x: Expr, y: Expr) -> Option<i64> {
        let (x, least) = (self.range(x), self.range(y).lo);
        match least {
            ..=0 => None,
            _ if x.lo >= 0 && x.hi < least => Some(0),
            _ if x.lo >= -least && x.hi < 0 => Some(-1),
            _ => None,
        }
    }

    /// `a` and `b` with `x = a*y + b`, where `a` is one term and all of `a*y` is found among the terms of `x`.
    fn split_multiple_of(&mut self, x: Expr, y: Expr) -> Option<(Expr, Expr)> {
        let (dividend, divisor) = (self.sum_of(x), self.sum_of(y));
        let lead = *divisor.terms.first()?;
        for term in &dividend.terms {
            let Some(quotient) = self.term_quotient(*term, lead) else { continue };
            let multiple = self.mul(quotient, y);
            if self.is_overflow(multiple) {
                continue;
            }
            let multiple = self.sum_of(multiple);
            let Some(rest) = dividend.plus_scaled(&multiple, -1) else { continue };
            if rest.terms.len() + multiple.terms.len() == dividend.terms.len() {
                return Some((quotient, self.intern_sum(Some(rest))));
            }
        }
        None
    }

    /// `a / b`, if it is a term.
    fn term_quotient(&mut self, a: Term, b: Term) -> Option<Expr> {
        if a.coeff.checked_rem(b.coeff)? != 0 {
            return None;
        }
        let factors = remove_factors(&self.factors_of(a.mono), &self.factors_of(b.mono))?;
        let mono = self.intern_factors(factors);
        Some(self.mul_int(mono, a.coeff / b.coeff))
    }

    /// Divides both by the greatest term that divides every term of both; `None` if that is one.
    fn cancel(&mut self, x: Expr, y: Expr) -> Option<Cancelled> {
        let (x, y) = (self.sum_of(x), self.sum_of(y));
        let coeff = i64::try_from(content(&x, content(&y, 0))).ok()?;
        let mono = self.common_factors(&x, &y);
        if coeff == 1 && mono.is_empty() {
            return None;
        }
        let (dividend, divisor) = (self.divide_all(&x, coeff, &mono)?, self.divide_all(&y, coeff, &mono)?);
        let mono = self.intern_factors(mono);
        Some(Cancelled { common: self.mul_int(mono, coeff), dividend, divisor })
    }

    /// The factors that every term of both sums has; none if a constant stands in either.
    fn common_factors(&self, x: &Sum, y: &Sum) -> Factors {
        if x.constant != 0 || y.constant != 0 {
            return Factors::new();
        }
        let mut monos = x.terms.iter().chain(&y.terms).map(|t| self.factors_of(t.mono));
        let first = monos.next().unwrap_or_default();
        monos.fold(first, |common, other| shared_factors(&common, &other))
    }

    fn divide_all(&mut self, sum: &Sum, coeff: i64, factors: &Factors) -> Option<Expr> {
        let mut terms: SmallVec<[Term; 4]> = SmallVec::new();
        let mut constant = sum.constant / coeff;
        for t in &sum.terms {
            let left = remove_factors(&self.factors_of(t.mono), factors)?;
            if left.is_empty() {
                constant = constant.checked_add(t.coeff / coeff)?;
            } else {
                terms.push(Term { coeff: t.coeff / coeff, mono: self.intern_factors(left) });
            }
        }
        terms.sort_unstable_by_key(|t| t.mono);
        Some(self.intern_sum(Some(Sum { constant, terms })))
    }
}

/// A dividend and a divisor without their common factor.
struct Cancelled {
    common: Expr,
    dividend: Expr,
    divisor: Expr,
}

/// The greatest common divisor of `g` and every coefficient.
fn content(sum: &Sum, g: u64) -> u64 {
    sum.terms.iter().fold(gcd(g, sum.constant.unsigned_abs()), |g, t| gcd(g, t.coeff.unsigned_abs()))
}

/// The sorted factors in both, as often as in each.
fn shared_factors(a: &[Expr], b: &[Expr]) -> Factors {
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
fn remove_factors(from: &[Expr], taken: &[Expr]) -> Option<Factors> {
    let mut left = Factors::from_slice(from);
    for factor in taken {
        let at = left.iter().position(|f| f == factor)?;
        left.remove(at);
    }
    Some(left)
}
