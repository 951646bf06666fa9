//! Sums and products: the polynomial part of the simplifier.

use crate::{
    ids::Expr,
    node::{Factors, Node, Sum, Term},
    pool::{Op, Pool},
};

/// Products of sums are expanded up to this many pairs of terms.
pub(crate) const EXPANSION_LIMIT: usize = 256;

impl Pool {
    /// `a + b`
    pub fn add(&mut self, a: Expr, b: Expr) -> Expr {
        let (a, b) = (a.min(b), a.max(b));
        self.combine(Op::Add, a, b, 1)
    }

    /// `a - b`
    pub fn sub(&mut self, a: Expr, b: Expr) -> Expr {
        self.combine(Op::Sub, a, b, -1)
    }

    /// `-a`
    pub fn neg(&mut self, a: Expr) -> Expr {
        self.mul_int(a, -1)
    }

    /// `a + n`
    pub fn add_int(&mut self, a: Expr, n: i64) -> Expr {
        let n = self.int(n);
        self.add(a, n)
    }

    /// `a * k`
    pub fn mul_int(&mut self, a: Expr, k: i64) -> Expr {
        if self.is_overflow(a) || k == 1 {
            return a;
        }
        if let Some(n) = self.as_int(a) {
            return self.intern_int(n.checked_mul(k));
        }
        let scaled = self.sum_of(a).scaled(k);
        self.intern_sum(scaled)
    }

    /// `a * b`
    pub fn mul(&mut self, a: Expr, b: Expr) -> Expr {
        match (self.as_int(a), self.as_int(b)) {
            (_, Some(k)) => self.mul_int(a, k),
            (Some(k), _) => self.mul_int(b, k),
            _ => {
                let (a, b) = (a.min(b), a.max(b));
                self.memo(Op::Mul, a, b, |pool| pool.product(a, b))
            }
        }
    }

    /// The absolute value.
    pub fn abs(&mut self, a: Expr) -> Expr {
        let negated = self.neg(a);
        self.max(a, negated)
    }

    /// The expression as a polynomial.
    pub(crate) fn sum_of(&self, e: Expr) -> Sum {
        match self.node(e) {
            Node::Int(n) => Sum::constant(*n),
            Node::Add(sum) => sum.clone(),
            _ => Sum::mono(e),
        }
    }

    /// The expression of a polynomial; of none, that of an overflow.
    pub(crate) fn intern_sum(&mut self, sum: Option<Sum>) -> Expr {
        let Some(sum) = sum.and_then(|sum| self.recombine(sum)) else {
            return self.overflow();
        };
        match (sum.constant, sum.terms.as_slice()) {
            (n, []) => self.int(n),
            (0, &[Term { coeff: 1, mono }]) => mono,
            _ => self.intern(Node::Add(sum)),
        }
    }

    /// The factors of a monomial.
    pub(crate) fn factors_of(&self, mono: Expr) -> Factors {
        match self.node(mono) {
            Node::Mul(factors) => factors.clone(),
            _ => Factors::from_slice(&[mono]),
        }
    }

    /// The product of sorted factors; of none, the constant one.
    pub(crate) fn intern_factors(&mut self, factors: Factors) -> Expr {
        match factors.as_slice() {
            [] => self.int(1),
            &[single] => single,
            _ => self.intern(Node::Mul(factors)),
        }
    }

    /// `a + k*b`, which `op` stands for. Most sizes are constants, which need no polynomial.
    fn combine(&mut self, op: Op, a: Expr, b: Expr, k: i64) -> Expr {
        if let (Some(a), Some(b)) = (self.as_int(a), self.as_int(b)) {
            return self.intern_int(b.checked_mul(k).and_then(|b| a.checked_add(b)));
        }
        self.memo(op, a, b, |pool| {
            let sum = pool.sum_of(a).plus_scaled(&pool.sum_of(b), k);
            pool.intern_sum(sum)
        })
    }

    /// The expression of a number; of none, that of an overflow.
    fn intern_int(&mut self, n: Option<i64>) -> Expr {
        match n {
            Some(n) => self.int(n),
            None => self.overflow(),
        }
    }

    fn product(&mut self, a: Expr, b: Expr) -> Expr {
        let (left, right) = (self.sum_of(a), self.sum_of(b));
        if left.terms.len() * right.terms.len() > EXPANSION_LIMIT {
            return self.mono_product(a, b);
        }
        let sum = self.expand(&left, &right);
        self.intern_sum(sum)
    }

    /// The distributive law, term by term.
    fn expand(&mut self, left: &Sum, right: &Sum) -> Option<Sum> {
        let mut total = right.scaled(left.constant)?;
        for a in &left.terms {
            let mut row = Sum::default();
            if let Some(coeff) = Some(a.coeff.checked_mul(right.constant)?).filter(|&c| c != 0) {
                row.terms.push(Term { coeff, mono: a.mono });
            }
            for b in &right.terms {
                let coeff = a.coeff.checked_mul(b.coeff)?;
                row.terms.push(Term { coeff, mono: self.mono_product(a.mono, b.mono) });
            }
            row.terms.sort_unstable_by_key(|t| t.mono);
            total = total.plus_scaled(&row, 1)?;
        }
        Some(total)
    }

    fn mono_product(&mut self, a: Expr, b: Expr) -> Expr {
        let mut factors = self.factors_of(a);
        factors.extend(self.factors_of(b));
        factors.sort_unstable();
        let factors = self.without_long_powers(factors);
        self.intern_factors(factors)
    }
}
