//! Expressions in terms of the symbols that are still free.
//!
//! Two forms: *normal*, where a symbol that is known to be divisible by `k` is written as `k` times its quotient, so
//! that sums, quotients and remainders simplify; and *plain*, where quotients are written `(s0//k)` again, so that
//! every symbol is one that an input or the program gives a value to.

use super::{Origin, ShapeEnv};
use crate::{
    ids::{Expr, Pred, Sym},
    pred_node::{Operands, PredNode},
};
use rustc_hash::FxHashMap;

impl ShapeEnv {
    /// The expression with symbols replaced by what they were found to be equal to.
    pub fn simplify(&mut self, e: Expr) -> Expr {
        let normal = self.normal(e);
        self.plain(normal)
    }

    /// The predicate with symbols replaced by what they were found to be equal to.
    pub fn simplify_pred(&mut self, p: Pred) -> Pred {
        let normal = self.normal_pred(p);
        self.plain_pred(normal)
    }

    /// The expression that a symbol was found to be equal to, in plain form; the symbol itself if it is free.
    pub fn representative(&mut self, sym: Sym) -> Expr {
        let e = self.pool.sym(sym);
        self.simplify(e)
    }

    pub(crate) fn normal(&mut self, e: Expr) -> Expr {
        let map = self.images(&self.pool.symbols(e));
        self.pool.subst(e, &map)
    }

    pub(crate) fn normal_pred(&mut self, p: Pred) -> Pred {
        let map = self.images(&self.pool.pred_symbols(p));
        self.pool.subst_pred(p, &map)
    }

    /// The symbols' normal forms. Free symbols are among them, so that a substitution rebuilds all it sees under the
    /// ranges of today.
    fn images(&mut self, symbols: &[Sym]) -> FxHashMap<Sym, Expr> {
        symbols.iter().map(|&sym| (sym, self.image(sym))).collect()
    }

    fn image(&mut self, sym: Sym) -> Expr {
        let next = match (self.replaced.get(&sym), self.quotients.get(&sym)) {
            (Some(&image), _) => image,
            (None, Some(&quotient)) => {
                let Some(by) = self.divisor_of_quotient(quotient, sym) else { return self.pool.sym(sym) };
                let quotient = self.pool.sym(quotient);
                self.pool.mul_int(quotient, by)
            }
            (None, None) => return self.pool.sym(sym),
        };
        self.normal(next)
    }

    /// `k`, if `quotient` is `sym / k`.
    pub(crate) fn divisor_of_quotient(&self, quotient: Sym, sym: Sym) -> Option<i64> {
        match self.symbols.get(&quotient)?.origin {
            Origin::Quotient { of, by } if of == sym => Some(by),
            _ => None,
        }
    }

    /// Writes quotients as divisions of the symbols that they are quotients of.
    pub(crate) fn plain(&mut self, mut e: Expr) -> Expr {
        for sym in self.pool.symbols(e) {
            e = self.gather(e, sym);
        }
        let map = self.divisions(&self.pool.symbols(e));
        self.pool.subst(e, &map)
    }

    pub(crate) fn plain_pred(&mut self, p: Pred) -> Pred {
        let zero = self.pool.int(0);
        match self.pool.pred_node(p).clone() {
            PredNode::Bool(_) | PredNode::Unknown => p,
            PredNode::Float(_) => {
                let map = self.divisions(&self.pool.pred_symbols(p));
                self.pool.subst_pred(p, &map)
            }
            PredNode::Eq(e) => {
                let e = self.plain(e);
                self.pool.eq(e, zero)
            }
            PredNode::Ne(e) => {
                let e = self.plain(e);
                self.pool.ne(e, zero)
            }
            PredNode::Le(e) => {
                let e = self.plain(e);
                self.pool.le(e, zero)
            }
            PredNode::And(parts) => {
                let parts: Operands = parts.into_iter().map(|part| self.plain_pred(part)).collect();
                self.pool.all(parts)
            }
            PredNode::Or(parts) => {
                let parts: Operands = parts.into_iter().map(|part| self.plain_pred(part)).collect();
                self.pool.any(parts)
            }
        }
    }

    /// Writes a multiple of `k` times a quotient by `k` as a multiple of the dividend.
    fn gather(&mut self, e: Expr, quotient: Sym) -> Expr {
        let Some((of, by)) = self.quotient_root(quotient) else { return e };
        match self.pool.split_linear(e, quotient) {
            Some((coeff, rest)) if coeff != 0 && coeff % by == 0 => {
                let dividend = self.pool.sym(of);
                let multiple = self.pool.mul_int(dividend, coeff / by);
                self.pool.add(rest, multiple)
            }
            _ => e,
        }
    }

    fn divisions(&mut self, symbols: &[Sym]) -> FxHashMap<Sym, Expr> {
        let mut map = FxHashMap::default();
        for &sym in symbols {
            if let Some((of, by)) = self.quotient_root(sym) {
                let dividend = self.pool.sym(of);
                map.insert(sym, self.pool.floor_div_int(dividend, by));
            }
        }
        map
    }

    /// The symbol that is no quotient itself, and what divides it to give `sym`.
    pub(crate) fn quotient_root(&self, sym: Sym) -> Option<(Sym, i64)> {
        let Origin::Quotient { of, by } = self.symbols.get(&sym)?.origin else { return None };
        match self.quotient_root(of) {
            Some((root, outer)) => Some((root, outer.checked_mul(by)?)),
            None => Some((of, by)),
        }
    }
}
