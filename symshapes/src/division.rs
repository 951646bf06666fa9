//! `//` and `%` by positive constants, simplified by the rules of two tables.
//!
//! The first rule that applies gives the result, through constructors that simplify in turn. Each rule makes the
//! dividend or the divisor smaller, or leaves a node that no rule applies to.

use crate::{
    arith,
    ids::Expr,
    node::{Node, Sum, Term},
    pool::{Op, Pool},
    recombine,
    rule::{Rule, rules},
    symbolic,
};
use std::cmp::Reverse;

/// One rewrite of `x // n` or `x % n` for a constant `n > 1`.
pub(crate) type Rewrite = fn(&mut Pool, Expr, i64) -> Option<Expr>;

/// The rules of `x // n`, in order.
pub(crate) const FLOOR_DIV: &[Rule<Rewrite>] = rules! {
    div_block: "x // n => q if q*n <= x < (q + 1)*n";
    div_multiples: "(n*a + b) // n => a + b // n";
    div_constant: "(b + n*q + r) // n => q + (b + r) // n if 0 <= r < n";
    div_coarse: "(k*a + r) // (k*m) => a // m if 0 <= r < k";
    div_nested: "(x // a + c) // b => (x + a*c) // (a*b)";
    div_of_mod: "(x % (n*m)) // n => (x // n) % m";
};

/// The rules of `x % n`, in order.
pub(crate) const MOD: &[Rule<Rewrite>] = rules! {
    mod_block: "x % n => x - q*n if q*n <= x < (q + 1)*n";
    mod_multiples: "(n*a + b) % n => b % n";
    mod_of_mod: "(c*(x % m) + b) % n => (c*x + b) % n if n divides c*m";
    mod_constant: "(b + n*q + r) % n => (b + r) % n if 0 <= r < n";
    mod_divisible: "x % n => 0 if n divides x";
    mod_coarse: "(k*a + r) % (k*m) => k*(a % m) + r if 0 <= r < k";
};

/// The name and the law of each rule for division by constants, in the order in which they are tried; then of each for
/// division by what is no constant; then of each that puts quotients and remainders together again.
pub fn division_laws() -> impl Iterator<Item = (&'static str, &'static str)> {
    constant_laws().chain(symbolic::laws()).chain(recombine::laws())
}

fn constant_laws() -> impl Iterator<Item = (&'static str, &'static str)> {
    FLOOR_DIV.iter().chain(MOD).map(Rule::describe)
}

impl Pool {
    /// `a // b`, rounded down.
    pub fn floor_div(&mut self, a: Expr, b: Expr) -> Expr {
        self.memo(Op::FloorDiv, a, b, |pool| match (pool.as_int(a), pool.as_int(b)) {
            (_, Some(0)) => pool.overflow(),
            (Some(a), Some(b)) => match arith::floor_div(a, b) {
                Some(quotient) => pool.int(quotient),
                None => pool.overflow(),
            },
            (_, Some(1)) | (Some(0), _) => a,
            (_, Some(n)) if n > 1 => {
                pool.by_rules(FLOOR_DIV, a, n).unwrap_or_else(|| pool.intern(Node::FloorDiv(a, b)))
            }
            (_, Some(_)) => {
                let (a, b) = (pool.neg(a), pool.neg(b));
                pool.floor_div(a, b)
            }
            (_, None) => pool.floor_div_symbolic(a, b),
        })
    }

    /// `a % b`, with the sign of `b`.
    pub fn modulo(&mut self, a: Expr, b: Expr) -> Expr {
        self.memo(Op::Mod, a, b, |pool| match (pool.as_int(a), pool.as_int(b)) {
            (_, Some(0)) => pool.overflow(),
            (Some(a), Some(b)) => match arith::modulo(a, b) {
                Some(rest) => pool.int(rest),
                None => pool.overflow(),
            },
            (_, Some(1)) => pool.int(0),
            (Some(0), _) => a,
            (_, Some(n)) if n > 1 => pool.by_rules(MOD, a, n).unwrap_or_else(|| pool.intern(Node::Mod(a, b))),
            (_, Some(_)) => {
                let (a, b) = (pool.neg(a), pool.neg(b));
                let rest = pool.modulo(a, b);
                pool.neg(rest)
            }
            (_, None) => pool.modulo_symbolic(a, b),
        })
    }

    /// `a // b`, rounded up.
    pub fn ceil_div(&mut self, a: Expr, b: Expr) -> Expr {
        if let Some(n) = self.as_int(b).filter(|&n| n > 0) {
            let a = self.add_int(a, n - 1);
            return self.floor_div(a, b);
        }
        let negated = self.neg(a);
        let quotient = self.floor_div(negated, b);
        self.neg(quotient)
    }

    fn by_rules(&mut self, rules: &[Rule<Rewrite>], x: Expr, n: i64) -> Option<Expr> {
        rules.iter().find_map(|rule| (rule.apply)(self, x, n))
    }

    /// `x // n`, rounded down.
    pub fn floor_div_int(&mut self, x: Expr, n: i64) -> Expr {
        let n = self.int(n);
        self.floor_div(x, n)
    }

    /// `x % n`, with the sign of `n`.
    pub fn modulo_int(&mut self, x: Expr, n: i64) -> Expr {
        let n = self.int(n);
        self.modulo(x, n)
    }
}

fn div_block(pool: &mut Pool, x: Expr, n: i64) -> Option<Expr> {
    let q = pool.range(x).block(n)?;
    Some(pool.int(q))
}

fn mod_block(pool: &mut Pool, x: Expr, n: i64) -> Option<Expr> {
    let start = pool.range(x).block(n)?.checked_mul(n)?.checked_neg()?;
    Some(pool.add_int(x, start))
}

fn div_multiples(pool: &mut Pool, x: Expr, n: i64) -> Option<Expr> {
    let (multiples, rest) = split_multiples(pool, x, n)?;
    let quotient = pool.intern_sum(Some(multiples.divided(n)));
    let rest = pool.intern_sum(Some(rest));
    let rest = pool.floor_div_int(rest, n);
    Some(pool.add(quotient, rest))
}

fn mod_multiples(pool: &mut Pool, x: Expr, n: i64) -> Option<Expr> {
    let (_, rest) = split_multiples(pool, x, n)?;
    let rest = pool.intern_sum(Some(rest));
    Some(pool.modulo_int(rest, n))
}

/// The terms that `n` divides, and the others with the constant; `None` if there is nothing to split.
fn split_multiples(pool: &Pool, x: Expr, n: i64) -> Option<(Sum, Sum)> {
    let Node::Add(sum) = pool.node(x) else { return None };
    let (multiples, rest): (Vec<Term>, Vec<Term>) = sum.terms.iter().partition(|t| t.coeff % n == 0);
    let rest = Sum { constant: sum.constant, terms: rest.into() };
    (!multiples.is_empty()).then(|| (Sum { constant: 0, terms: multiples.into() }, rest))
}

fn div_constant(pool: &mut Pool, x: Expr, n: i64) -> Option<Expr> {
    let (q, rest) = reduce_constant(pool, x, n)?;
    let rest = pool.floor_div_int(rest, n);
    Some(pool.add_int(rest, q))
}

fn mod_constant(pool: &mut Pool, x: Expr, n: i64) -> Option<Expr> {
    let (_, rest) = reduce_constant(pool, x, n)?;
    Some(pool.modulo_int(rest, n))
}

/// The constant's quotient by `n`, and `x` with its remainder instead; `None` if it is reduced already.
fn reduce_constant(pool: &mut Pool, x: Expr, n: i64) -> Option<(i64, Expr)> {
    let Node::Add(sum) = pool.node(x) else { return None };
    let q = sum.constant.div_euclid(n);
    if q == 0 {
        return None;
    }
    let reduced = Sum { constant: sum.constant.rem_euclid(n), terms: sum.terms.clone() };
    Some((q, pool.intern_sum(Some(reduced))))
}

/// `x = k*coarse + fine` with `0 <= fine < k`, where `k > 1` divides `n`.
struct Split {
    k: i64,
    coarse: Sum,
    fine: Sum,
}

/// Finds a split of the terms: those whose coefficients have most in common with `n` against the rest.
fn split_coarse(pool: &Pool, x: Expr, n: i64) -> Option<Split> {
    let Node::Add(sum) = pool.node(x) else { return None };
    let mut terms = sum.terms.clone();
    terms.sort_by_key(|t| Reverse(arith::gcd_with(n, t.coeff)));
    let mut k = n;
    for taken in 1..=terms.len() {
        k = arith::gcd_with(k, terms[taken - 1].coeff);
        if k == 1 {
            return None;
        }
        let split = split_at(pool, sum.constant, &terms, taken, k);
        if split.is_some() {
            return split;
        }
    }
    None
}

/// The split after the first `taken` terms, if the others stay within one block of `k`.
fn split_at(pool: &Pool, constant: i64, terms: &[Term], taken: usize, k: i64) -> Option<Split> {
    let (high, low) = terms.split_at(taken);
    let mut fine = Sum { constant: constant.rem_euclid(k), terms: low.into() };
    fine.terms.sort_unstable_by_key(|t| t.mono);
    let block = pool.range_of_sum(&fine).block(k)?;
    fine.constant = fine.constant.checked_sub(block.checked_mul(k)?)?;
    let mut coarse = Sum { constant: 0, terms: high.into() }.divided(k);
    coarse.terms.sort_unstable_by_key(|t| t.mono);
    coarse.constant = constant.div_euclid(k).checked_add(block)?;
    Some(Split { k, coarse, fine })
}

fn div_coarse(pool: &mut Pool, x: Expr, n: i64) -> Option<Expr> {
    let split = split_coarse(pool, x, n)?;
    let coarse = pool.intern_sum(Some(split.coarse));
    Some(pool.floor_div_int(coarse, n / split.k))
}

fn mod_coarse(pool: &mut Pool, x: Expr, n: i64) -> Option<Expr> {
    let split = split_coarse(pool, x, n)?;
    let coarse = pool.intern_sum(Some(split.coarse));
    let coarse = pool.modulo_int(coarse, n / split.k);
    let coarse = pool.mul_int(coarse, split.k);
    let fine = pool.intern_sum(Some(split.fine));
    Some(pool.add(coarse, fine))
}

fn div_nested(pool: &mut Pool, x: Expr, n: i64) -> Option<Expr> {
    let n = pool.int(n);
    pool.nested_quotient(x, n)
}

fn div_of_mod(pool: &mut Pool, x: Expr, n: i64) -> Option<Expr> {
    let n = pool.int(n);
    pool.quotient_of_remainder(x, n)
}

fn mod_of_mod(pool: &mut Pool, x: Expr, n: i64) -> Option<Expr> {
    let sum = pool.sum_of(x);
    let (term, dividend) = sum.terms.iter().find_map(|&t| {
        let Node::Mod(dividend, modulus) = *pool.node(t.mono) else { return None };
        let multiple = u128::from(t.coeff.unsigned_abs()) * u128::from(pool.facts(modulus).divisor);
        (multiple % u128::from(n.unsigned_abs()) == 0).then_some((t, dividend))
    })?;
    let mut rest = sum;
    rest.terms.retain(|t| *t != term);
    let replaced = rest.plus_scaled(&pool.sum_of(dividend), term.coeff)?;
    let replaced = pool.intern_sum(Some(replaced));
    (!pool.is_overflow(replaced)).then(|| pool.modulo_int(replaced, n))
}

fn mod_divisible(pool: &mut Pool, x: Expr, n: i64) -> Option<Expr> {
    pool.divisible_by(x, n).then(|| pool.int(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Range;

    /// For each rule a node that it applies to, and what the node becomes.
    const CASES: &[(&str, &str, &str)] = &[
        ("div_block", "d // 64", "0"),
        ("div_multiples", "(64*h + x) // 64", "h + (x//64)"),
        ("div_constant", "(x + 9) // 8", "((x + 1)//8) + 1"),
        ("div_coarse", "(64*h + d) // 128", "(h//2)"),
        ("div_nested", "(x // 3 + 1) // 5", "((x + 3)//15)"),
        ("div_of_mod", "(x % 12) // 4", "Mod((x//4), 3)"),
        ("mod_block", "(d + 64) % 64", "d"),
        ("mod_multiples", "(64*h + x) % 64", "Mod(x, 64)"),
        ("mod_of_mod", "(3*(x % 8) + h) % 4", "Mod(h + 3*x, 4)"),
        ("mod_constant", "(x + 9) % 8", "Mod(x + 1, 8)"),
        ("mod_divisible", "Min(2*x, 4*h) % 2", "0"),
        ("mod_coarse", "(64*h + d) % 128", "d + 64*Mod(h, 2)"),
    ];

    #[test]
    fn each_rule_does_what_its_law_says() {
        assert!(CASES.iter().map(|case| case.0).eq(constant_laws().map(|(name, _)| name)));
        for &(name, text, expected) in CASES {
            let mut pool = Pool::new();
            pool.symbol("d", Range::index(64));
            pool.symbol("h", Range::index(12));
            let e = pool.parse(text).expect("a case parses");
            assert_eq!(pool.display(e).to_string(), expected, "{name}: {text}");
        }
    }

    #[test]
    fn a_product_beyond_the_limit_stays_a_product() {
        let mut pool = Pool::new();
        let sum: Vec<String> = (0..20).map(|i| format!("x{i}")).collect();
        let sum = pool.parse(&sum.join(" + ")).expect("a sum parses");
        let square = pool.mul(sum, sum);
        let Node::Mul(factors) = pool.node(square) else { panic!("expanded: {}", pool.display(square)) };
        assert_eq!(factors.as_slice(), [sum, sum]);
        assert_eq!(pool.eval(square, &|_| Some(2)), Some(1600));
        let text = pool.display(square).to_string();
        assert_eq!(pool.parse(&text), Ok(square));
    }
}
