//! The consequences of a predicate that holds: narrower ranges, replacements, quotients, axioms.

use super::{Assertion, EnvError, Guard, Origin, ShapeEnv, SymbolRow};
use crate::{
    arith::floor_div,
    ids::{Expr, Pred, Sym},
    node::Node,
    pred_node::PredNode,
    range::Range,
};
use std::cmp::Reverse;

impl ShapeEnv {
    /// Learns that a predicate holds.
    pub(super) fn learn(&mut self, p: Pred, at: &str) -> Result<(), EnvError> {
        let p = self.normal_pred(p);
        match self.pool.pred_node(p).clone() {
            PredNode::Bool(true) => Ok(()),
            PredNode::Bool(false) => Err(self.unsatisfiable(p, at)),
            PredNode::And(parts) => parts.into_iter().try_for_each(|part| self.learn(part, at)),
            PredNode::Eq(e) => self.learn_equation(p, e, at),
            PredNode::Le(e) => self.learn_bound(p, e, at),
            PredNode::Ne(e) => self.learn_inequation(p, e, at),
            PredNode::Or(_) | PredNode::Float(_) | PredNode::Unknown => {
                self.axioms.push(p);
                Ok(())
            }
        }
    }

    /// True or false if an axiom decides it.
    pub(super) fn decided_by_axioms(&mut self, p: Pred) -> Option<bool> {
        let opposite = self.pool.not(p);
        let known = self.pool.pred_node(p) != &PredNode::Unknown;
        for axiom in self.axioms.clone() {
            let axiom = self.normal_pred(axiom);
            if self.pool.implies(axiom, p) {
                return Some(true);
            }
            if known && self.pool.implies(axiom, opposite) {
                return Some(false);
            }
        }
        None
    }

    fn learn_equation(&mut self, p: Pred, e: Expr, at: &str) -> Result<(), EnvError> {
        if let Some((sym, k)) = self.divisibility(e) {
            return self.divide(sym, k, at);
        }
        match self.solve_for_symbol(e) {
            Some((sym, image)) => self.replace(sym, image, at),
            None => {
                self.axioms.push(p);
                Ok(())
            }
        }
    }

    fn learn_bound(&mut self, p: Pred, e: Expr, at: &str) -> Result<(), EnvError> {
        let Some((constant, sym, coeff)) = self.single(e) else {
            self.axioms.push(p);
            return Ok(());
        };
        // `coeff*sym + constant <= 0`
        let bound = constant.checked_neg().and_then(|c| floor_div(c, coeff.checked_abs()?));
        let range = match (coeff > 0, bound) {
            (true, Some(hi)) => Range::new(i64::MIN, hi),
            (false, Some(most)) => Range::new(most.saturating_neg(), i64::MAX),
            (_, None) => Range::ALL,
        };
        self.narrow(sym, range, at)
    }

    fn learn_inequation(&mut self, p: Pred, e: Expr, at: &str) -> Result<(), EnvError> {
        let Some((constant, sym, coeff @ (1 | -1))) = self.single(e) else {
            self.axioms.push(p);
            return Ok(());
        };
        let range = self.pool.symbol_range(sym);
        match constant.checked_mul(-coeff) {
            Some(value) if value == range.lo && value != i64::MIN => {
                self.narrow(sym, Range::new(value.saturating_add(1), i64::MAX), at)
            }
            Some(value) if value == range.hi && value != i64::MAX => {
                self.narrow(sym, Range::new(i64::MIN, value - 1), at)
            }
            _ => {
                self.axioms.push(p);
                Ok(())
            }
        }
    }

    /// `(constant, symbol, coefficient)` of an affine expression in one symbol.
    fn single(&self, e: Expr) -> Option<(i64, Sym, i64)> {
        let (constant, coeffs) = self.pool.affine(e)?;
        match coeffs.as_slice() {
            &[(sym, coeff)] => Some((constant, sym, coeff)),
            _ => None,
        }
    }

    /// The symbol and the divisor, if the expression is `sym % k`.
    fn divisibility(&self, e: Expr) -> Option<(Sym, i64)> {
        let Node::Mod(x, k) = *self.pool.node(e) else { return None };
        Some((self.pool.as_sym(x)?, self.pool.as_int(k).filter(|&k| k > 1)?))
    }

    /// The symbol to replace where an expression is zero, and its image: an unbacked one first, then the newest.
    fn solve_for_symbol(&mut self, e: Expr) -> Option<(Sym, Expr)> {
        let mut symbols = self.pool.symbols(e);
        symbols.sort_by_key(|&sym| Reverse((self.is_unbacked(sym), sym)));
        for sym in symbols {
            let Some((coeff @ (1 | -1), rest)) = self.pool.split_linear(e, sym) else { continue };
            let image = self.pool.mul_int(rest, -coeff);
            let needs_data = self.pool.symbols(image).iter().any(|&s| self.is_unbacked(s));
            if !self.pool.is_overflow(image) && (self.is_unbacked(sym) || !needs_data) {
                return Some((sym, image));
            }
        }
        None
    }

    fn replace(&mut self, sym: Sym, image: Expr, at: &str) -> Result<(), EnvError> {
        let range = self.pool.symbol_range(sym);
        self.replaced.insert(sym, image);
        self.blame(sym, at);
        for bound in self.bounds(image, range) {
            self.inherit(bound, sym, at)?;
        }
        Ok(())
    }

    /// Keeps what the range of a replaced symbol demands of its image. What an unbacked symbol demands of the inputs
    /// is left to the running program.
    fn inherit(&mut self, bound: Pred, replaced: Sym, at: &str) -> Result<(), EnvError> {
        match self.pool.as_bool(bound) {
            Some(true) => return Ok(()),
            Some(false) => return Err(self.unsatisfiable(bound, at)),
            None => {}
        }
        let image_is_unbacked = self.pred_is_unbacked(bound);
        if self.is_unbacked(replaced) {
            let message = format!("the range of {}", self.pool.name(replaced));
            let pred = self.plain_pred(bound);
            self.assertions.push(Assertion { pred, message, at: at.to_owned() });
            return if image_is_unbacked { self.learn(bound, at) } else { Ok(()) };
        }
        self.guards.push(Guard { pred: bound, at: at.to_owned() });
        self.learn(bound, at)
    }

    /// The conditions that an expression lies in a range, a predicate for each bound.
    pub(super) fn bounds(&mut self, e: Expr, range: Range) -> Vec<Pred> {
        let mut bounds = Vec::new();
        if range.lo != i64::MIN {
            let lo = self.pool.int(range.lo);
            bounds.push(self.pool.le(lo, e));
        }
        if range.hi != i64::MAX {
            let hi = self.pool.int(range.hi);
            bounds.push(self.pool.le(e, hi));
        }
        bounds
    }

    /// Makes the quotient of a symbol that `k` divides.
    fn divide(&mut self, sym: Sym, k: i64, at: &str) -> Result<(), EnvError> {
        let range = self.pool.symbol_range(sym);
        // Rounded inwards; an unbounded side stays unbounded.
        let lo = if range.lo == i64::MIN { i64::MIN } else { range.lo.div_euclid(k) + i64::from(range.lo % k != 0) };
        let hi = if range.hi == i64::MAX { i64::MAX } else { range.hi.div_euclid(k) };
        if lo > hi {
            let (e, k) = (self.pool.sym(sym), self.pool.int(k));
            let rest = self.pool.modulo(e, k);
            let zero = self.pool.int(0);
            let p = self.pool.eq(rest, zero);
            return Err(self.unsatisfiable(p, at));
        }
        let quotient = self.pool.symbol(&format!("{}_div_{k}", self.pool.name(sym)), Range::new(lo, hi));
        let hint = self.symbol_hint(sym).map(|hint| hint / k);
        let origin = Origin::Quotient { of: sym, by: k };
        self.symbols.insert(quotient, SymbolRow { origin, hint, size_like: false, cause: Some(at.to_owned()) });
        self.quotients.insert(sym, quotient);
        self.blame(sym, at);
        self.specialise_point(quotient, at)
    }

    fn narrow(&mut self, sym: Sym, range: Range, at: &str) -> Result<(), EnvError> {
        let narrowed = self.pool.symbol_range(sym).intersect(range);
        if narrowed.is_empty() {
            let e = self.pool.sym(sym);
            let bounds = self.bounds(e, range);
            let p = self.pool.all(bounds);
            return Err(self.unsatisfiable(p, at));
        }
        self.pool.set_symbol_range(sym, narrowed);
        self.blame(sym, at);
        self.specialise_point(sym, at)
    }

    /// A symbol with one value left is that value.
    fn specialise_point(&mut self, sym: Sym, at: &str) -> Result<(), EnvError> {
        let range = self.pool.symbol_range(sym);
        if range.lo != range.hi {
            return Ok(());
        }
        let value = self.pool.int(range.lo);
        self.replace(sym, value, at)
    }

    /// Remembers the line that a symbol's freedom was lost at, for it and for what it is a quotient of.
    fn blame(&mut self, sym: Sym, at: &str) {
        let Some(row) = self.symbols.get_mut(&sym) else { return };
        row.cause = Some(at.to_owned());
        if let Origin::Quotient { of, .. } = row.origin {
            self.blame(of, at);
        }
    }
}
