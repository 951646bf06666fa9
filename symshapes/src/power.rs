//! `b ** n` of integers, simplified by the rules of a table.
//!
//! A power has a value for an exponent that is not negative; beneath zero Python gives a float, which is for the caller
//! to tell apart ([`ShapeEnv::power`](crate::ShapeEnv::power)). So the laws hold for `n >= 0`, and `0 ** 0` is 1.
//!
//! Invariants of [`Node::Pow`]: the exponent is neither 0 nor 1, and not both operands are constants that give a value.

use crate::{
    arith,
    ids::Expr,
    node::{Factors, Node, Sum},
    poly::EXPANSION_LIMIT,
    pool::{Op, Pool},
    rule::{Rule, rules},
};

/// Powers of one factor are multiplied out up to this exponent; beyond it only -1, 0 and 1 have one within `i64`.
const LONGEST_PRODUCT: i64 = 63;

/// Powers of sums are multiplied out up to this exponent.
const LONGEST_EXPANSION: i64 = 4;

/// One rewrite of `b ** n`.
type Rewrite = fn(&mut Pool, Expr, Expr) -> Option<Expr>;

/// The rules of `b ** n`, in order.
const POW: &[Rule<Rewrite>] = rules! {
    pow_trivial: "b ** 0 => 1, b ** 1 => b, 1 ** n => 1";
    pow_zero: "0 ** n => 0 if n >= 1";
    pow_constant: "b ** n is computed if both are constants";
    pow_product: "b ** k => b*b*...*b for a small k";
    pow_sum: "b ** (k*m + n) => (b ** m) ** k * b ** n if each part of the exponent is proved not to be negative";
    pow_nested: "(b ** m) ** n => b ** (m*n) if m*n is bounded";
};

/// The name and the law of each rule for powers, in the order in which they are tried.
pub fn power_laws() -> impl Iterator<Item = (&'static str, &'static str)> {
    POW.iter().map(Rule::describe)
}

impl Pool {
    /// `base ** exponent`; no value for an exponent below zero.
    pub fn pow(&mut self, base: Expr, exponent: Expr) -> Expr {
        self.memo(Op::Pow, base, exponent, |pool| {
            if pool.range(exponent).hi < 0 {
                return pool.overflow();
            }
            let simpler = POW.iter().find_map(|rule| (rule.apply)(pool, base, exponent));
            simpler.unwrap_or_else(|| pool.intern(Node::Pow(base, exponent)))
        })
    }

    /// `base ** n`
    pub fn pow_int(&mut self, base: Expr, n: i64) -> Expr {
        let n = self.int(n);
        self.pow(base, n)
    }

    /// The product of `count` times the same, by squaring.
    fn repeated(&mut self, e: Expr, count: i64) -> Expr {
        let (mut result, mut square, mut left) = (Expr::ONE, e, count);
        while left > 0 {
            if left & 1 == 1 {
                result = self.mul(result, square);
            }
            left >>= 1;
            if left > 0 {
                square = self.mul(square, square);
            }
        }
        result
    }

    /// Sorted factors, where one that occurs more often than powers are multiplied out is such a power.
    pub(crate) fn without_long_powers(&mut self, factors: Factors) -> Factors {
        let is_long = |run: &[Expr]| i64::try_from(run.len()).is_ok_and(|count| count > LONGEST_PRODUCT);
        if !factors.chunk_by(|a, b| a == b).any(is_long) {
            return factors;
        }
        let mut kept = Factors::new();
        for run in factors.chunk_by(|a, b| a == b) {
            match i64::try_from(run.len()) {
                Ok(count) if is_long(run) => kept.push(self.pow_int(run[0], count)),
                _ => kept.extend_from_slice(run),
            }
        }
        kept.sort_unstable();
        kept
    }

    /// The sum's parts `(m, k)`, the constant as the last one's `k` of 1, if all are proved not to be negative.
    fn natural_parts(&self, sum: &Sum) -> Option<Vec<(Expr, i64)>> {
        let parts: Option<Vec<_>> = sum
            .terms
            .iter()
            .map(|t| ((1..64).contains(&t.coeff) && self.range(t.mono).lo >= 0).then_some((t.mono, t.coeff)))
            .collect();
        parts.filter(|_| sum.constant >= 0)
    }
}

fn pow_trivial(pool: &mut Pool, base: Expr, exponent: Expr) -> Option<Expr> {
    match (pool.as_int(base), pool.as_int(exponent)) {
        (_, Some(0)) | (Some(1), _) => Some(Expr::ONE),
        (_, Some(1)) => Some(base),
        _ => None,
    }
}

fn pow_zero(pool: &mut Pool, base: Expr, exponent: Expr) -> Option<Expr> {
    (base == Expr::ZERO && pool.range(exponent).lo >= 1).then_some(Expr::ZERO)
}

fn pow_constant(pool: &mut Pool, base: Expr, exponent: Expr) -> Option<Expr> {
    let (base, exponent) = (pool.as_int(base)?, pool.as_int(exponent)?);
    Some(match arith::pow(base, exponent) {
        Some(value) => pool.int(value),
        None => pool.overflow(),
    })
}

fn pow_product(pool: &mut Pool, base: Expr, exponent: Expr) -> Option<Expr> {
    let longest = match pool.node(base) {
        Node::Add(sum) if sum.terms.len().pow(2) <= EXPANSION_LIMIT => LONGEST_EXPANSION,
        _ => LONGEST_PRODUCT,
    };
    let count = pool.as_int(exponent).filter(|&n| n <= longest)?;
    let product = pool.repeated(base, count);
    // A coefficient may leave `i64` where the power has values.
    (!pool.is_overflow(product)).then_some(product)
}

fn pow_sum(pool: &mut Pool, base: Expr, exponent: Expr) -> Option<Expr> {
    let Node::Add(sum) = pool.node(exponent) else { return None };
    let (constant, parts) = (sum.constant, pool.natural_parts(sum)?);
    let mut product = pool.pow_int(base, constant);
    for (part, count) in parts {
        let power = pool.pow(base, part);
        let power = pool.repeated(power, count);
        product = pool.mul(product, power);
    }
    (!pool.is_overflow(product)).then_some(product)
}

fn pow_nested(pool: &mut Pool, base: Expr, exponent: Expr) -> Option<Expr> {
    let Node::Pow(inner, m) = *pool.node(base) else { return None };
    let both = pool.mul(m, exponent);
    let fits = !pool.is_overflow(both) && pool.range(both).hi != i64::MAX;
    (fits && pool.range(m).lo >= 0 && pool.range(exponent).lo >= 0).then(|| pool.pow(inner, both))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Range;

    /// For each rule a power that it applies to, and what that becomes.
    const CASES: &[(&str, &str, &str)] = &[
        ("pow_trivial", "x**0 + x**1 + 1**n", "x + 2"),
        ("pow_zero", "0**(n + 1)", "0"),
        ("pow_constant", "(-2)**63", "-9223372036854775808"),
        ("pow_product", "(2*x)**3 + x**20", "x**20 + 8*x**3"),
        ("pow_sum", "2**(2*n + m + 3)", "8*PowByNatural(2, m)*PowByNatural(2, n)**2"),
        ("pow_nested", "(x**i)**j", "PowByNatural(x, i*j)"),
    ];

    #[test]
    fn each_rule_does_what_its_law_says() {
        assert!(CASES.iter().map(|case| case.0).eq(power_laws().map(|(name, _)| name)));
        for &(name, text, expected) in CASES {
            let mut pool = Pool::new();
            for (symbol, range) in [("n", 0..i64::MAX), ("m", 0..i64::MAX), ("i", 0..9), ("j", 0..9)] {
                pool.symbol(symbol, Range::new(range.start, range.end));
            }
            let e = pool.parse(text).expect("a case parses");
            assert_eq!(pool.display(e).to_string(), expected, "{name}: {text}");
        }
    }
}
