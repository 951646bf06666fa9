//! `//` and `%` by expressions that are not constant, simplified by the rules of two tables.
//!
//! The laws hold for a divisor of either sign unless they say otherwise; where it is zero there is nothing to keep.

use crate::{
    arith::gcd,
    ids::Expr,
    node::{Factors, Node, Sum, Term, remove_factors, shared_factors},
    pool::Pool,
    rule::{Rule, rules},
};
use smallvec::SmallVec;

/// Divisors are not multiplied beyond this factor of a size: with a larger one the product could leave 64 bits where
/// each of them has a value.
const LARGEST_CONTENT: u64 = 1 << 20;

/// One rewrite of `x // y` or `x % y` for a `y` that is no constant.
type Rewrite = fn(&mut Pool, Expr, Expr) -> Option<Expr>;

/// The rules of `x // y`, in order.
const FLOOR_DIV: &[Rule<Rewrite>] = rules! {
    div_beside_zero: "x // y => 0 if 0 <= x < y, x // y => -1 if -y <= x < 0";
    div_multiple: "(a*y + b) // y => a + b // y";
    div_cancel: "(g*a) // (g*b) => a // b";
    div_split: "(k*a + r) // (k*m) => a // m if 0 <= r < k and m >= 0";
    div_quotient: "(x // a + c) // b => (x + a*c) // (a*b) if b >= 0";
    div_remainder: "(x % (n*m)) // n => (x // n) % m if m >= 0";
};

/// The rules of `x % y`, in order.
const MOD: &[Rule<Rewrite>] = rules! {
    mod_beside_zero: "x % y => x if 0 <= x < y, x % y => x + y if -y <= x < 0";
    mod_multiple: "(a*y + b) % y => b % y";
    mod_cancel: "(g*a) % (g*b) => g*(a % b)";
    mod_remainder: "(c*(x % (n*m)) + b) % n => (c*x + b) % n";
    mod_split: "(k*a + r) % (k*m) => k*(a % m) + r if 0 <= r < k and m >= 0";
};

/// The name and the law of each rule.
pub(crate) fn laws() -> impl Iterator<Item = (&'static str, &'static str)> {
    FLOOR_DIV.iter().chain(MOD).map(Rule::describe)
}

impl Pool {
    /// `x // y` by the first rule that applies.
    pub(crate) fn floor_div_symbolic(&mut self, x: Expr, y: Expr) -> Expr {
        let simpler = FLOOR_DIV.iter().find_map(|rule| (rule.apply)(self, x, y));
        simpler.unwrap_or_else(|| self.intern(Node::FloorDiv(x, y)))
    }

    /// `x % y` by the first rule that applies.
    pub(crate) fn modulo_symbolic(&mut self, x: Expr, y: Expr) -> Expr {
        let simpler = MOD.iter().find_map(|rule| (rule.apply)(self, x, y));
        simpler.unwrap_or_else(|| self.intern(Node::Mod(x, y)))
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

    /// `x = k*coarse + fine` and `y = k*factor` with `0 <= fine < k` and `factor >= 0`, for a term `k`.
    fn symbolic_split(&mut self, x: Expr, y: Expr) -> Option<Split> {
        let (dividend, divisor) = (self.sum_of(x), self.sum_of(y));
        if dividend.terms.len() < 2 {
            return None;
        }
        let mut tried: SmallVec<[Expr; 4]> = SmallVec::new();
        for &term in &dividend.terms {
            let (coeff, factors) = self.common_with(term, &divisor)?;
            let mono = self.intern_factors(factors.clone());
            let k = self.mul_int(mono, coeff);
            if k == Expr::ONE || tried.contains(&k) {
                continue;
            }
            tried.push(k);
            if let Some(split) = self.split_by(&dividend, &divisor, (k, coeff, &factors)) {
                return Some(split);
            }
        }
        None
    }

    /// The split by `k`, whose coefficient and factors follow it.
    fn split_by(&mut self, x: &Sum, y: &Sum, (k, coeff, factors): (Expr, i64, &Factors)) -> Option<Split> {
        let is_multiple =
            |pool: &Pool, t: &Term| t.coeff % coeff == 0 && remove_factors(&pool.factors_of(t.mono), factors).is_some();
        let (high, low): (SmallVec<[Term; 4]>, _) = x.terms.iter().copied().partition(|t| is_multiple(self, t));
        let fine = self.intern_sum(Some(Sum { constant: x.constant, terms: low }));
        if self.range(fine).lo < 0 || !self.is_less(fine, k) {
            return None;
        }
        let coarse = self.divide_all(&Sum { constant: 0, terms: high }, coeff, factors)?;
        let factor = self.divide_all(y, coeff, factors)?;
        (self.range(factor).lo >= 0).then_some(Split { k, coarse, fine, factor })
    }

    /// The coefficient and the factors that a term and all terms of a sum have in common.
    fn common_with(&self, term: Term, sum: &Sum) -> Option<(i64, Factors)> {
        let coeff = i64::try_from(content(sum, term.coeff.unsigned_abs())).ok()?;
        let single = Sum { constant: 0, terms: SmallVec::from_slice(&[term]) };
        Some((coeff, self.common_factors(&single, sum)))
    }

    /// `(x // a + c) // b => (x + a*c) // (a*b)`, for a `b` that is not negative.
    pub(crate) fn nested_quotient(&mut self, x: Expr, b: Expr) -> Option<Expr> {
        let (constant, inner) = match self.node(x) {
            Node::FloorDiv(..) => (0, x),
            Node::Add(sum) => match sum.terms.as_slice() {
                &[Term { coeff: 1, mono }] => (sum.constant, mono),
                _ => return None,
            },
            _ => return None,
        };
        let Node::FloorDiv(dividend, a) = *self.node(inner) else { return None };
        if self.range(b).lo < 0 {
            return None;
        }
        let (shift, divisor) = (self.mul_int(a, constant), self.mul(a, b));
        let dividend = self.add(dividend, shift);
        let fits = self.as_int(divisor).is_some() || content(&self.sum_of(divisor), 0) <= LARGEST_CONTENT;
        let has_value = fits && !self.is_overflow(dividend) && !self.is_overflow(divisor);
        has_value.then(|| self.floor_div(dividend, divisor))
    }

    /// `(x % (n*m)) // n => (x // n) % m`, for an `m` that is not negative.
    pub(crate) fn quotient_of_remainder(&mut self, x: Expr, n: Expr) -> Option<Expr> {
        let Node::Mod(dividend, modulus) = *self.node(x) else { return None };
        let m = self.exact_div(modulus, n)?;
        if self.range(m).lo < 0 {
            return None;
        }
        let quotient = self.floor_div(dividend, n);
        Some(self.modulo(quotient, m))
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

fn div_beside_zero(pool: &mut Pool, x: Expr, y: Expr) -> Option<Expr> {
    let block = pool.symbolic_block(x, y)?;
    Some(pool.int(block))
}

fn mod_beside_zero(pool: &mut Pool, x: Expr, y: Expr) -> Option<Expr> {
    let block = pool.symbolic_block(x, y)?;
    Some(if block == 0 { x } else { pool.add(x, y) })
}

fn div_multiple(pool: &mut Pool, x: Expr, y: Expr) -> Option<Expr> {
    let (quotient, rest) = pool.split_multiple_of(x, y)?;
    let rest = pool.floor_div(rest, y);
    Some(pool.add(quotient, rest))
}

fn mod_multiple(pool: &mut Pool, x: Expr, y: Expr) -> Option<Expr> {
    let (_, rest) = pool.split_multiple_of(x, y)?;
    Some(pool.modulo(rest, y))
}

fn div_cancel(pool: &mut Pool, x: Expr, y: Expr) -> Option<Expr> {
    let cancelled = pool.cancel(x, y)?;
    Some(pool.floor_div(cancelled.dividend, cancelled.divisor))
}

fn mod_cancel(pool: &mut Pool, x: Expr, y: Expr) -> Option<Expr> {
    let cancelled = pool.cancel(x, y)?;
    let rest = pool.modulo(cancelled.dividend, cancelled.divisor);
    Some(pool.mul(cancelled.common, rest))
}

fn div_split(pool: &mut Pool, x: Expr, y: Expr) -> Option<Expr> {
    let split = pool.symbolic_split(x, y)?;
    Some(pool.floor_div(split.coarse, split.factor))
}

fn mod_split(pool: &mut Pool, x: Expr, y: Expr) -> Option<Expr> {
    let split = pool.symbolic_split(x, y)?;
    let coarse = pool.modulo(split.coarse, split.factor);
    let coarse = pool.mul(split.k, coarse);
    Some(pool.add(coarse, split.fine))
}

fn div_quotient(pool: &mut Pool, x: Expr, y: Expr) -> Option<Expr> {
    pool.nested_quotient(x, y)
}

fn div_remainder(pool: &mut Pool, x: Expr, y: Expr) -> Option<Expr> {
    pool.quotient_of_remainder(x, y)
}

fn mod_remainder(pool: &mut Pool, x: Expr, y: Expr) -> Option<Expr> {
    let sum = pool.sum_of(x);
    for &term in &sum.terms {
        let Node::Mod(dividend, modulus) = *pool.node(term.mono) else { continue };
        let multiple = pool.mul_int(modulus, term.coeff);
        if pool.exact_div(multiple, y).is_none() {
            continue;
        }
        let rest = sum.plus_scaled(&Sum::mono(term.mono), term.coeff.checked_neg()?)?;
        let replaced = rest.plus_scaled(&pool.sum_of(dividend), term.coeff)?;
        let replaced = pool.intern_sum(Some(replaced));
        return (!pool.is_overflow(replaced)).then(|| pool.modulo(replaced, y));
    }
    None
}

/// A dividend split by a term that divides the divisor.
struct Split {
    k: Expr,
    coarse: Expr,
    fine: Expr,
    factor: Expr,
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
