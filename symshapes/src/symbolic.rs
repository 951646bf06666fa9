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

    fn symbolic_block(&mut self, x: Expr, y: Expr) -> Option<i64> {
        let (range, least) = (self.range(x), self.range(y).lo);
        match least {
            // A position proves that its extent is not 0.
            _ if range.lo >= 0 && self.is_less(x, y) => Some(0),
            1.. if range.lo >= -least && range.hi < 0 => Some(-1),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Range;

    /// A batch of `b` sequences of `s` rows, twelve heads of 64 in each row.
    fn pool() -> (Pool, [Expr; 6]) {
        let mut pool = Pool::new();
        let sizes = ["b", "s"].map(|name| pool.symbol(name, Range::new(2, i64::MAX)));
        let [b, s] = sizes.map(|sym| pool.sym(sym));
        let (heads, width) = (pool.int(12), pool.int(64));
        let positions = [("i", b), ("j", s), ("h", heads), ("d", width)].map(|(name, n)| pool.position(name, n));
        let [i, j, h, d] = positions.map(|sym| pool.sym(sym));
        (pool, [b, s, i, j, h, d])
    }

    #[test]
    fn a_flattened_index_gives_its_parts_back_under_symbolic_sizes() {
        let (mut pool, [_, s, i, j, h, d]) = pool();
        let row = {
            let start = pool.mul(i, s);
            pool.add(start, j)
        };
        assert_eq!((pool.floor_div(row, s), pool.modulo(row, s)), (i, j));
        let flat = {
            let start = pool.mul_int(row, 12);
            let head = pool.add(start, h);
            let start = pool.mul_int(head, 64);
            pool.add(start, d)
        };
        let sequence = pool.mul_int(s, 768);
        assert_eq!(pool.floor_div(flat, sequence), i);
        let rest = pool.modulo(flat, sequence);
        let width = pool.int(768);
        assert_eq!(pool.floor_div(rest, width), j);
    }

    #[test]
    fn order_is_proved_through_bounds() {
        let (mut pool, [b, s, i, j, ..]) = pool();
        let rows = pool.mul(b, s);
        let row = {
            let start = pool.mul(i, s);
            pool.add(start, j)
        };
        assert!(pool.is_less(row, rows) && pool.is_less(j, s));
        assert!(!pool.is_less(j, b) && !pool.is_less(rows, row));
        let next = pool.add_int(row, 1);
        assert!(!pool.is_less(next, rows));
    }

    #[test]
    fn exact_quotients_and_coefficients() {
        let (mut pool, [b, s, i, j, ..]) = pool();
        let (rows, columns) = (pool.mul(b, s), pool.mul_int(s, 768));
        assert_eq!(pool.exact_div(rows, s), Some(b));
        assert_eq!(pool.exact_div(columns, rows), None);
        let start = pool.mul(i, columns);
        let e = pool.add(start, j);
        let sym = pool.as_sym(i).expect("a position is a symbol");
        assert_eq!(pool.split_term(e, sym), Some((columns, j)));
    }
}
