//! Sums in which quotients and remainders of the same dividend meet, put together again by the rules of a table.
//!
//! Each rule replaces a remainder and what multiplies its divisor by terms with fewer remainders, so this ends. The
//! laws hold for a divisor of either sign; where it is zero there is nothing to keep.

use crate::{
    ids::Expr,
    node::{Node, Sum, Term},
    pool::Pool,
    rule::{Rule, rules},
};

/// One rewrite of a sum that holds `c*(x % d)`: what stands beside the remainder, and what both make, each without the
/// factor `c`.
type Rewrite = fn(&mut Pool, &Sum, Remainder) -> Option<Joined>;

/// The rules of sums, in order.
const RULES: &[Rule<Rewrite>] = rules! {
    join_quotient: "d*(x // d) + x % d => x";
    join_remainder: "d*((x // d) % m) + x % d => x % (d*m) if m >= 0";
};

/// The name and the law of each rule.
pub(crate) fn laws() -> impl Iterator<Item = (&'static str, &'static str)> {
    RULES.iter().map(Rule::describe)
}

/// `scale*(dividend % divisor)`, a term of a sum.
#[derive(Clone, Copy)]
struct Remainder {
    term: Term,
    scale: Expr,
    dividend: Expr,
    divisor: Expr,
    quotient: Expr,
}

/// The terms of a sum that go with a remainder, and what takes the place of all of them.
struct Joined {
    beside: Sum,
    whole: Expr,
}

impl Pool {
    /// Applies the rules as long as one applies; `None` if a coefficient overflows.
    pub(crate) fn recombine(&mut self, mut sum: Sum) -> Option<Sum> {
        while sum.terms.len() > 1 {
            let Some((rest, joined)) = self.find_joined(&sum) else { break };
            sum.terms.retain(|t| *t != rest.term);
            sum = sum.plus_scaled(&joined.beside, -1)?;
            let whole = self.mul(rest.scale, joined.whole);
            if self.is_overflow(whole) {
                return None;
            }
            sum = sum.plus_scaled(&self.sum_of(whole), 1)?;
        }
        Some(sum)
    }

    fn find_joined(&mut self, sum: &Sum) -> Option<(Remainder, Joined)> {
        for &term in &sum.terms {
            for factor in self.factors_of(term.mono) {
                let Node::Mod(dividend, divisor) = *self.node(factor) else { continue };
                let Some(rest) = self.remainder(sum, term, factor, (dividend, divisor)) else { continue };
                let joined = RULES.iter().find_map(|rule| (rule.apply)(self, sum, rest));
                if let Some(joined) = joined {
                    return Some((rest, joined));
                }
            }
        }
        None
    }

    /// The parts of a term that holds `dividend % divisor`; `None` if nothing in the sum can go with it.
    fn remainder(&mut self, sum: &Sum, term: Term, factor: Expr, parts: (Expr, Expr)) -> Option<Remainder> {
        let (dividend, divisor) = parts;
        if let Some(n) = self.as_int(divisor) {
            let coeff = term.coeff.checked_mul(n)?;
            sum.terms.iter().find(|t| t.coeff == coeff)?;
        }
        let mut others = self.factors_of(term.mono);
        others.remove(others.iter().position(|&f| f == factor)?);
        let others = self.intern_factors(others);
        let (scale, quotient) = (self.mul_int(others, term.coeff), self.floor_div(dividend, divisor));
        Some(Remainder { term, scale, dividend, divisor, quotient })
    }

    /// `scale*divisor*x`, if the sum holds each of its terms.
    fn beside(&mut self, sum: &Sum, rest: Remainder, x: Expr) -> Option<Sum> {
        let step = self.mul(rest.scale, rest.divisor);
        let product = self.mul(step, x);
        let product = self.sum_of(product);
        let holds = |t: &Term| *t != rest.term && sum.coeff(t.mono) == t.coeff;
        (product.constant == 0 && !product.terms.is_empty() && product.terms.iter().all(holds)).then_some(product)
    }
}

fn join_quotient(pool: &mut Pool, sum: &Sum, rest: Remainder) -> Option<Joined> {
    let beside = pool.beside(sum, rest, rest.quotient)?;
    Some(Joined { beside, whole: rest.dividend })
}

fn join_remainder(pool: &mut Pool, sum: &Sum, rest: Remainder) -> Option<Joined> {
    for term in sum.terms.iter().filter(|t| **t != rest.term) {
        for factor in pool.factors_of(term.mono) {
            let Node::Mod(dividend, m) = *pool.node(factor) else { continue };
            if dividend != rest.quotient || pool.range(m).lo < 0 {
                continue;
            }
            let Some(beside) = pool.beside(sum, rest, factor) else { continue };
            let modulus = pool.mul(rest.divisor, m);
            let whole = pool.modulo(rest.dividend, modulus);
            if !pool.is_overflow(whole) {
                return Some(Joined { beside, whole });
            }
        }
    }
    None
}
