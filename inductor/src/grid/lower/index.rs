//! Index expressions as 32-bit integer arithmetic.
//!
//! Expressions of sizes alone are computed by the host and handed in. Sums and products wrap, which is right modulo 2³²
//! however they got there; what is divided or compared must be exact, so its bounds go into the kernel's limits.
//! Division rounds down; where the signs are known it is the machine's.

use super::{Linear, Lower, Reason};
use crate::grid::{Op, Ty, Val};
use symshapes::{Expr, Node, Sum, Sym, Term};

type Result<T> = std::result::Result<T, Reason>;

impl Lower<'_> {
    /// The value of an index expression.
    pub(super) fn index(&mut self, e: Expr) -> Result<Val> {
        if let Some(value) = self.pool.as_int(e) {
            return Ok(self.b.i32(value));
        }
        if self.is_of_sizes(e) {
            return Ok(self.argument(e));
        }
        if let Some(val) = self.by_first_lane(e)? {
            return Ok(val);
        }
        if let Some(val) = self.by_linear(e)? {
            return Ok(val);
        }
        match self.pool.node(e).clone() {
            Node::Int(value) => Ok(self.b.i32(value)),
            Node::Sym(sym) => self.symbol(sym),
            Node::Add(sum) => self.sum(&sum),
            Node::Mul(factors) => {
                let factors = factors.iter().map(|&f| self.index(f)).collect::<Result<Vec<Val>>>()?;
                Ok(self.outermost_first(factors, |this, a, b| this.b.mul(a, b)))
            }
            Node::FloorDiv(a, b) => self.floor_div(a, b),
            Node::Mod(a, b) => self.modulo(a, b),
            Node::Min(a, b) => {
                let (a, b) = (self.exact(a)?, self.exact(b)?);
                Ok(self.b.min(a, b))
            }
            Node::Max(a, b) => {
                let (a, b) = (self.exact(a)?, self.exact(b)?);
                Ok(self.b.max(a, b))
            }
            Node::Pow(..) | Node::Round(..) | Node::Overflow => Err("an index with a power or a float".to_owned()),
        }
    }

    /// The value of an expression that must not have wrapped.
    pub(super) fn exact(&mut self, e: Expr) -> Result<Val> {
        self.limits.insert(e);
        self.index(e)
    }

    /// True if nothing but sizes occurs.
    fn is_of_sizes(&self, e: Expr) -> bool {
        self.pool.symbols(e).iter().all(|sym| self.kernel.sizes.contains(sym))
    }

    /// A launch argument.
    fn argument(&mut self, e: Expr) -> Val {
        let arg = match self.arg_of.get(&e) {
            Some(&arg) => arg,
            None => {
                let arg = self.args.push(e);
                self.arg_of.insert(e, arg);
                arg
            }
        };
        self.b.pure(Op::Arg(arg), Ty::I32)
    }

    /// The value of an expression that runs as a linear number does, but for a part without its loops' variables.
    fn by_linear(&mut self, e: Expr) -> Result<Option<Val>> {
        for at in (0..self.linear.len()).rev() {
            let Linear { expr, at: number, .. } = self.linear[at];
            if self.linear[at].axes.len() < 2
                || !self.linear[at].axes.iter().any(|&(sym, _)| self.pool.mentions(e, sym))
            {
                continue;
            }
            let rest = self.pool.sub(e, expr);
            if self.linear[at].axes.iter().all(|&(sym, _)| !self.pool.mentions(rest, sym)) {
                let rest = self.index(rest)?;
                return Ok(Some(self.b.add(number, rest)));
            }
        }
        Ok(None)
    }

    /// A loop's variable or a bound value.
    pub(super) fn symbol(&mut self, sym: Sym) -> Result<Val> {
        if let Some(&val) = self.syms.get(&sym) {
            return Ok(val);
        }
        let linear = self.linear.iter().rev().find(|linear| linear.axes.iter().any(|&(axis, _)| axis == sym)).cloned();
        let Some(Linear { at, axes, .. }) = linear else { return Err("an index of what is not in scope".to_owned()) };
        let place = axes.iter().position(|&(axis, _)| axis == sym).unwrap_or_default();
        let inner = axes[place + 1..].iter().fold(Expr::ONE, |product, &(_, extent)| self.pool.mul(product, extent));
        let inner = self.index(inner)?;
        let quotient = self.divide_naturals(at, inner);
        let val = if place == 0 {
            quotient
        } else {
            let extent = self.index(axes[place].1)?;
            self.rest_of_naturals(quotient, extent)
        };
        self.syms.insert(sym, val);
        Ok(val)
    }

    fn sum(&mut self, sum: &Sum) -> Result<Val> {
        // What the host can add up is one argument.
        let (of_sizes, others): (Vec<Term>, Vec<Term>) =
            sum.terms.iter().copied().partition(|term| self.is_of_sizes(term.mono));
        let mut fixed = self.pool.int(sum.constant);
        for term in of_sizes {
            let part = self.pool.mul_int(term.mono, term.coeff);
            fixed = self.pool.add(fixed, part);
        }
        let mut terms = Vec::new();
        for term in others {
            terms.push(self.term(term.mono, term.coeff)?);
        }
        if fixed != Expr::ZERO || terms.is_empty() {
            terms.push(self.index(fixed)?);
        }
        Ok(self.outermost_first(terms, |this, a, b| this.b.add(a, b)))
    }

    /// A monomial times a coefficient.
    fn term(&mut self, mono: Expr, coeff: i64) -> Result<Val> {
        let value = self.index(mono)?;
        let coeff = self.b.i32(coeff);
        Ok(self.b.mul(value, coeff))
    }

    /// Values combined in the order of their blocks, so that what a loop need not compute anew stands outside of it.
    fn outermost_first(&mut self, mut values: Vec<Val>, combine: impl Fn(&mut Self, Val, Val) -> Val) -> Val {
        values.sort_by_key(|&val| self.b.depth(val));
        let first = values[0];
        values.into_iter().skip(1).fold(first, |total, value| combine(self, total, value))
    }

    fn floor_div(&mut self, a: Expr, b: Expr) -> Result<Val> {
        let natural = self.is_natural(a, b);
        let (x, y) = (self.exact(a)?, self.exact(b)?);
        if let Some(shift) = self.power_of_two(y) {
            let shift = self.b.i32(shift.into());
            return Ok(self.b.shr(x, shift));
        }
        if natural {
            return Ok(self.divide_naturals(x, y));
        }
        let quotient = self.b.div(x, y);
        let rest = self.b.sub(x, self.b.mul(quotient, y));
        let less = self.b.sub(quotient, self.b.i32(1));
        Ok(self.b.select(self.wants_floor(rest, y), less, quotient))
    }

    fn modulo(&mut self, a: Expr, b: Expr) -> Result<Val> {
        let natural = self.is_natural(a, b);
        let (x, y) = (self.exact(a)?, self.exact(b)?);
        if let Some(shift) = self.power_of_two(y) {
            let mask = self.b.i32((1 << shift) - 1);
            return Ok(self.b.and(x, mask));
        }
        if natural {
            return Ok(self.rest_of_naturals(x, y));
        }
        let rest = self.b.sub(x, self.b.mul(self.b.div(x, y), y));
        let more = self.b.add(rest, y);
        Ok(self.b.select(self.wants_floor(rest, y), more, rest))
    }

    /// True where a truncated remainder is not 0 and its sign differs from the divisor's.
    pub(super) fn wants_floor(&self, rest: Val, by: Val) -> Val {
        let zero = self.b.like(rest, 0.0);
        let differ = self.b.ne(self.b.lt(rest, zero), self.b.lt(by, zero));
        self.b.and(self.b.ne(rest, zero), differ)
    }

    /// True if neither is negative and the divisor is not 0.
    fn is_natural(&self, a: Expr, b: Expr) -> bool {
        self.pool.range(a).lo >= 0 && self.pool.range(b).lo >= 1
    }

    /// The exponent of a constant power of two.
    fn power_of_two(&self, val: Val) -> Option<u32> {
        let bits = self.b.as_const(val)? as u32;
        bits.is_power_of_two().then(|| bits.trailing_zeros())
    }

    pub(super) fn divide_naturals(&self, a: Val, b: Val) -> Val {
        match self.power_of_two(b) {
            Some(shift) => self.b.shr(a, self.b.i32(shift.into())),
            None => {
                // Unsigned division is the cheaper one.
                let [a, b] = [a, b].map(|v| self.b.cast(Ty::U32, v));
                self.b.cast(Ty::I32, self.b.div(a, b))
            }
        }
    }

    /// By way of the quotient, which is often there already.
    pub(super) fn rest_of_naturals(&self, a: Val, b: Val) -> Val {
        match self.power_of_two(b) {
            Some(shift) => self.b.and(a, self.b.i32((1 << shift) - 1)),
            None => self.b.sub(a, self.b.mul(self.divide_naturals(a, b), b)),
        }
    }
}
