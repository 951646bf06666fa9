//! Order between expressions, proved by the rules of a table: through ranges, through the extents that positions are
//! below, and through remainders, which are below their divisors.

use crate::{
    ids::Expr,
    node::{Node, Sum, Term},
    pool::Pool,
    rule::{Rule, rules},
};
use smallvec::SmallVec;

/// One way to prove `a < b`.
type Proof = fn(&mut Pool, Expr, Expr) -> bool;

/// The rules, in order.
const RULES: &[Rule<Proof>] = rules! {
    less_by_ranges: "a < b if every value of a's range is below b's";
    less_of_quotient: "x // n < b if x < n*b and n >= 1";
    less_at_bounds: "a < b if b - a >= 1 where every bounded part is at its worst";
};

/// The name and the law of each rule by which [`Pool::is_less`] proves an order, in the order in which they are tried.
pub fn order_laws() -> impl Iterator<Item = (&'static str, &'static str)> {
    RULES.iter().map(Rule::describe)
}

/// Parts that are replaced by their bounds before a proof is given up.
const MOST_STEPS: usize = 64;

/// A part of products whose values have bounds of their own: `low <= part`, `part <= high`.
struct Bounded {
    part: Expr,
    low: Option<Expr>,
    high: Option<Expr>,
}

impl Pool {
    /// True if every value of `a` is proved to be below that of `b`.
    ///
    /// Positions are below the extents that they were made with ([`Pool::position`]).
    pub fn is_less(&mut self, a: Expr, b: Expr) -> bool {
        !self.is_overflow(a) && !self.is_overflow(b) && RULES.iter().any(|rule| (rule.apply)(self, a, b))
    }

    /// True if every value is proved not to be negative.
    pub fn is_not_negative(&mut self, e: Expr) -> bool {
        let below = self.int(-1);
        self.range(e).lo >= 0 || self.is_less(below, e)
    }

    /// A lower bound of `e` without the newest position or remainder that has a symbolic bound. `None` if there is none
    /// of them, or the sign of what multiplies it is not known.
    fn without_symbolic_bound(&mut self, e: Expr) -> Option<Expr> {
        let bounded = self.symbolic_remainder(e).or_else(|| self.newest_position(e))?;
        self.at_worst(e, &bounded)
    }

    /// A remainder by what is no constant, among the factors of the terms.
    fn symbolic_remainder(&mut self, e: Expr) -> Option<Bounded> {
        let (part, divisor) = self.factors_in(e).into_iter().find_map(|factor| match *self.node(factor) {
            Node::Mod(_, divisor) if self.as_int(divisor).is_none() && self.range(divisor).lo >= 0 => {
                Some((factor, divisor))
            }
            _ => None,
        })?;
        let high = self.add_int(divisor, -1);
        Some(Bounded { part, low: Some(Expr::ZERO), high: Some(high) })
    }

    /// Replacing one position may cancel what others multiply; the newest is bounded by expressions of older symbols.
    fn newest_position(&mut self, e: Expr) -> Option<Bounded> {
        let sym = self.symbols(e).into_iter().rev().find(|&s| self.bound(s).is_some())?;
        let high = self.add_int(self.bound(sym)?, -1);
        Some(Bounded { part: self.sym(sym), low: Some(Expr::ZERO), high: Some(high) })
    }

    /// A lower bound of `e` without one of the parts that have constant bounds and are multiplied by something else.
    fn without_constant_bound(&mut self, e: Expr) -> Option<Expr> {
        let sum = self.sum_of(e);
        let products = sum.terms.iter().filter(|t| matches!(self.node(t.mono), Node::Mul(_)));
        let parts: SmallVec<[Expr; 8]> = products.flat_map(|t| self.factors_of(t.mono)).collect();
        parts.into_iter().find_map(|part| {
            let range = self.range(part);
            let low = (range.lo != i64::MIN).then(|| self.int(range.lo));
            let high = (range.hi != i64::MAX).then(|| self.int(range.hi));
            self.at_worst(e, &Bounded { part, low, high })
        })
    }

    /// `e` with a part at its bound: the low one where what multiplies it is not negative, the high one where it is not
    /// positive.
    fn at_worst(&mut self, e: Expr, bounded: &Bounded) -> Option<Expr> {
        let (coefficient, rest) = self.split_factor(e, bounded.part)?;
        let signs = self.range(coefficient);
        let bound = match (signs.lo >= 0, signs.hi <= 0) {
            (true, _) => bounded.low?,
            (_, true) => bounded.high?,
            _ => return None,
        };
        let least = self.mul(coefficient, bound);
        Some(self.add(rest, least))
    }

    /// `c` and `rest` with `e = c*part + rest`, where `part` is a factor of no term of either. A symbol is in nothing
    /// else of `e` either; of another part, what is in it may occur again.
    fn split_factor(&mut self, e: Expr, part: Expr) -> Option<(Expr, Expr)> {
        if let Some(sym) = self.as_sym(part) {
            return self.split_term(e, sym);
        }
        let mut rest = self.sum_of(e);
        let (with, without): (SmallVec<[Term; 4]>, SmallVec<[Term; 4]>) =
            rest.terms.iter().copied().partition(|t| self.factors_of(t.mono).contains(&part));
        rest.terms = without;
        let mut coefficient = Sum::default();
        for term in with {
            let mut factors = self.factors_of(term.mono);
            factors.remove(factors.iter().position(|&f| f == part)?);
            if factors.contains(&part) {
                return None;
            }
            let others = self.intern_factors(factors);
            coefficient = coefficient.plus_scaled(&self.sum_of(others), term.coeff)?;
        }
        Some((self.intern_sum(Some(coefficient)), self.intern_sum(Some(rest))))
    }

    /// The factors of all terms.
    fn factors_in(&self, e: Expr) -> SmallVec<[Expr; 8]> {
        self.sum_of(e).terms.iter().flat_map(|t| self.factors_of(t.mono)).collect()
    }
}

fn less_by_ranges(pool: &mut Pool, a: Expr, b: Expr) -> bool {
    let (low, high) = (pool.range(a), pool.range(b));
    low.hi != i64::MAX && high.lo != i64::MIN && low.hi < high.lo
}

fn less_of_quotient(pool: &mut Pool, a: Expr, b: Expr) -> bool {
    let Node::FloorDiv(x, n) = *pool.node(a) else { return false };
    if pool.range(n).lo < 1 {
        return false;
    }
    let whole = pool.mul(n, b);
    pool.is_less(x, whole)
}

/// Every expression on the way is at most `b - a`.
fn less_at_bounds(pool: &mut Pool, a: Expr, b: Expr) -> bool {
    let mut gap = pool.sub(b, a);
    for _ in 0..MOST_STEPS {
        let least = pool.range(gap).lo;
        let less = pool.without_symbolic_bound(gap);
        let Some(less) = less.or_else(|| if least < 1 { pool.without_constant_bound(gap) } else { None }) else {
            return least >= 1;
        };
        gap = less;
    }
    false
}
