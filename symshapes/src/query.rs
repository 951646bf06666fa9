//! Questions about an expression, and its images under substitution and import.
//!
//! Children precede their parents in the arena, so a walk in the order of indices replaces recursion wherever an
//! expression may be deep.

use crate::{
    arith,
    float_node::Part,
    ids::{Expr, Sym},
    node::{Node, Sum, Term},
    pool::{Pool, symbol_mask},
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Expressions up to this size are evaluated by plain recursion.
const SMALL: u32 = 512;

/// Gives a symbol its value.
type Values<'a> = &'a dyn Fn(Sym) -> Option<i64>;

impl Pool {
    /// The value under an assignment; `None` for an unknown symbol, a zero divisor or a value outside `i64`.
    pub fn eval(&self, e: Expr, values: Values<'_>) -> Option<i64> {
        if self.facts(e).size <= SMALL {
            return self.eval_tree(e, values);
        }
        let mut known = FxHashMap::default();
        for part in self.reachable(e, u64::MAX) {
            let value = self.eval_node(part, values, |child| known.get(&child).copied())?;
            known.insert(part, value);
        }
        known.get(&e).copied()
    }

    fn eval_tree(&self, e: Expr, values: Values<'_>) -> Option<i64> {
        self.eval_node(e, values, |child| self.eval_tree(child, values))
    }

    /// The value of an expression, given its children's.
    fn eval_node(&self, e: Expr, values: Values<'_>, mut child: impl FnMut(Expr) -> Option<i64>) -> Option<i64> {
        match self.node(e) {
            Node::Int(n) => Some(*n),
            Node::Sym(sym) => match self.meaning(*sym) {
                Some(meaning) => self.eval(meaning, values),
                None => values(*sym),
            },
            Node::Add(sum) => {
                let mut total = i128::from(sum.constant);
                for term in &sum.terms {
                    total = total.checked_add(i128::from(term.coeff) * i128::from(child(term.mono)?))?;
                }
                i64::try_from(total).ok()
            }
            Node::Mul(factors) => factors.iter().try_fold(1i64, |product, &f| product.checked_mul(child(f)?)),
            Node::FloorDiv(a, b) => arith::floor_div(child(*a)?, child(*b)?),
            Node::Mod(a, b) => arith::modulo(child(*a)?, child(*b)?),
            Node::Min(a, b) => Some(child(*a)?.min(child(*b)?)),
            Node::Max(a, b) => Some(child(*a)?.max(child(*b)?)),
            Node::Pow(a, b) => arith::pow(child(*a)?, child(*b)?),
            Node::Round(rounding, f) => rounding.apply(self.eval_float(*f, values)?),
            Node::Overflow => None,
        }
    }

    /// The symbols that occur, sorted; those of floats ([`Pool::is_float`]) stand in what is rounded.
    pub fn symbols(&self, e: Expr) -> SmallVec<[Sym; 4]> {
        if self.facts(e).mask == 0 {
            return SmallVec::new();
        }
        let mut found: SmallVec<[Sym; 4]> = SmallVec::new();
        for part in self.reachable(e, u64::MAX) {
            self.part_symbols(part, |sym| found.push(sym));
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// True if a rounded float occurs.
    pub fn rounds_floats(&self, e: Expr) -> bool {
        self.has_floats() && self.reachable(e, u64::MAX).any(|part| matches!(self.node(part), Node::Round(..)))
    }

    /// True if the symbol occurs.
    pub fn mentions(&self, e: Expr, sym: Sym) -> bool {
        let mask = symbol_mask(sym);
        let mut found = false;
        if self.facts(e).mask & mask != 0 {
            self.reachable(e, mask).for_each(|part| self.part_symbols(part, |other| found |= other == sym));
        }
        found
    }

    /// Calls `visit` on the symbol that a part is, and on those of the float that it rounds.
    fn part_symbols(&self, part: Expr, mut visit: impl FnMut(Sym)) {
        self.parts(self.node(part), &mut |part| {
            if let Part::Sym(sym) = part {
                visit(sym);
            }
        });
    }

    /// `c` and `rest` with `e = c*sym + rest` and no `sym` in `rest`; `c` is zero if `sym` does not occur. `None` if
    /// the expression is not linear in the symbol with a constant coefficient.
    pub fn split_linear(&mut self, e: Expr, sym: Sym) -> Option<(i64, Expr)> {
        if !self.mentions(e, sym) {
            return (!self.is_overflow(e)).then_some((0, e));
        }
        let mono = self.sym(sym);
        let mut sum = self.sum_of(e);
        let coeff = sum.coeff(mono);
        sum.terms.retain(|t| t.mono != mono);
        if sum.terms.iter().any(|t| self.mentions(t.mono, sym)) {
            return None;
        }
        Some((coeff, self.intern_sum(Some(sum))))
    }

    /// `c` and `rest` with `e = c*sym + rest` and `sym` in neither, where `c` may hold other symbols. `None` if the
    /// expression is not linear in the symbol.
    pub fn split_term(&mut self, e: Expr, sym: Sym) -> Option<(Expr, Expr)> {
        if !self.mentions(e, sym) {
            return (!self.is_overflow(e)).then_some((Expr::ZERO, e));
        }
        let mono = self.sym(sym);
        let mut rest = self.sum_of(e);
        let mut coefficient = Expr::ZERO;
        let (with, without): (SmallVec<[Term; 4]>, SmallVec<[Term; 4]>) =
            rest.terms.iter().copied().partition(|t| self.mentions(t.mono, sym));
        rest.terms = without;
        for term in with {
            let mut factors = self.factors_of(term.mono);
            factors.remove(factors.iter().position(|&f| f == mono)?);
            if factors.iter().any(|&f| self.mentions(f, sym)) {
                return None;
            }
            let product = self.intern_factors(factors);
            let product = self.mul_int(product, term.coeff);
            coefficient = self.add(coefficient, product);
        }
        Some((coefficient, self.intern_sum(Some(rest))))
    }

    /// `a / b`, if every value of `a` is proved to be a multiple of that of `b`.
    pub fn exact_div(&mut self, a: Expr, b: Expr) -> Option<Expr> {
        if a == b {
            return Some(Expr::ONE);
        }
        let quotient = self.floor_div(a, b);
        (!self.is_overflow(quotient) && self.mul(quotient, b) == a).then_some(quotient)
    }

    /// The value where every symbol has its typical value ([`Pool::set_hint`]).
    pub fn hint(&self, e: Expr) -> Option<i64> {
        match self.node(e) {
            Node::Int(n) => Some(*n),
            _ => self.eval(e, &|sym| self.symbol_hint(sym)),
        }
    }

    /// The constant and the coefficient of each symbol, sorted, if the expression is affine in its symbols.
    pub fn affine(&self, e: Expr) -> Option<(i64, Vec<(Sym, i64)>)> {
        let (constant, mut coeffs) = match self.node(e) {
            Node::Int(n) => (*n, Vec::new()),
            Node::Sym(sym) => (0, vec![(*sym, 1)]),
            Node::Add(sum) => {
                let coeffs: Option<_> = sum.terms.iter().map(|t| Some((self.as_sym(t.mono)?, t.coeff))).collect();
                (sum.constant, coeffs?)
            }
            _ => return None,
        };
        coeffs.sort_unstable();
        Some((constant, coeffs))
    }

    /// True if `k` is proved to divide every value.
    pub fn divisible_by(&self, e: Expr, k: i64) -> bool {
        match k {
            0 => self.as_int(e) == Some(0),
            _ => self.facts(e).divisor.is_multiple_of(k.unsigned_abs()),
        }
    }

    /// Replaces symbols, all at once, and simplifies what follows from it.
    ///
    /// The values of each image must lie in the range of the symbol that it replaces: `e` was simplified under it.
    pub fn subst(&mut self, e: Expr, map: &FxHashMap<Sym, Expr>) -> Expr {
        let mask = map.keys().fold(0, |mask, &sym| mask | symbol_mask(sym));
        if self.facts(e).mask & mask == 0 {
            return e;
        }
        let mut done: FxHashMap<Expr, Expr> = FxHashMap::default();
        let parts: Vec<Expr> = self.reachable(e, mask).collect();
        for part in parts {
            let node = self.node(part).clone();
            let image = match node {
                Node::Sym(sym) => map.get(&sym).copied().unwrap_or(part),
                Node::Round(rounding, f) => {
                    let f = self.subst_float(f, map);
                    self.round(rounding, f)
                }
                _ => self.rebuild(&node, |child| done.get(&child).copied().unwrap_or(child)),
            };
            done.insert(part, image);
        }
        done[&e]
    }

    /// Puts other expressions in the place of parts, where `image` gives one of the same values, and simplifies what
    /// follows from it.
    pub(crate) fn replace_parts(&mut self, e: Expr, image: impl Fn(&mut Pool, Expr) -> Option<Expr>) -> Expr {
        let mut done: FxHashMap<Expr, Expr> = FxHashMap::default();
        let parts: Vec<Expr> = self.reachable(e, u64::MAX).collect();
        for part in parts {
            let replaced = image(self, part).unwrap_or_else(|| {
                let node = self.node(part).clone();
                self.rebuild(&node, |child| done.get(&child).copied().unwrap_or(child))
            });
            done.insert(part, replaced);
        }
        done[&e]
    }

    /// Copies an expression into this arena. A symbol that `map` does not give becomes the one of its name and range
    /// here, and is added to `map`.
    pub fn import(&mut self, other: &Pool, e: Expr, map: &mut FxHashMap<Sym, Sym>) -> Expr {
        let mut done: FxHashMap<Expr, Expr> = FxHashMap::default();
        for part in other.reachable(e, u64::MAX) {
            let image = match other.node(part) {
                Node::Sym(sym) => {
                    let ours = match map.get(sym) {
                        Some(&ours) => ours,
                        None => self.symbol_like(other, *sym, map),
                    };
                    self.sym(ours)
                }
                Node::Round(rounding, f) => {
                    let f = self.import_float(other, *f, map);
                    self.round(*rounding, f)
                }
                node => self.rebuild(node, |child| done[&child]),
            };
            done.insert(part, image);
        }
        done[&e]
    }

    fn symbol_like(&mut self, other: &Pool, sym: Sym, map: &mut FxHashMap<Sym, Sym>) -> Sym {
        let ours = match other.bound(sym) {
            None => self.symbol(other.name(sym), other.symbol_range(sym)),
            Some(bound) => {
                let bound = self.import(other, bound, map);
                self.position(other.name(sym), bound)
            }
        };
        if let Some(value) = other.symbol_hint(sym) {
            self.set_hint(ours, value);
        }
        map.insert(sym, ours);
        ours
    }

    /// The expression of a node over other children, simplified again.
    fn rebuild(&mut self, node: &Node, child: impl Fn(Expr) -> Expr) -> Expr {
        match node {
            Node::Int(n) => self.int(*n),
            Node::Sym(sym) => self.sym(*sym),
            Node::Add(sum) => self.rebuild_sum(sum, child),
            Node::Mul(factors) => {
                let one = self.int(1);
                factors.iter().fold(one, |product, &f| self.mul(product, child(f)))
            }
            Node::FloorDiv(a, b) => self.floor_div(child(*a), child(*b)),
            Node::Mod(a, b) => self.modulo(child(*a), child(*b)),
            Node::Min(a, b) => self.min(child(*a), child(*b)),
            Node::Max(a, b) => self.max(child(*a), child(*b)),
            Node::Pow(a, b) => self.pow(child(*a), child(*b)),
            Node::Round(rounding, f) => self.round(*rounding, *f),
            Node::Overflow => self.overflow(),
        }
    }

    fn rebuild_sum(&mut self, sum: &Sum, child: impl Fn(Expr) -> Expr) -> Expr {
        let mut total = Some(Sum::constant(sum.constant));
        for term in &sum.terms {
            let image = child(term.mono);
            if self.is_overflow(image) {
                return image;
            }
            total = total.and_then(|total| total.plus_scaled(&self.sum_of(image), term.coeff));
        }
        self.intern_sum(total)
    }

    /// Every part with a symbol in `mask`, and the expression itself, children before parents.
    fn reachable(&self, e: Expr, mask: u64) -> impl Iterator<Item = Expr> + use<> {
        if self.facts(e).size == 1 {
            return SmallVec::<[Expr; 16]>::from_slice(&[e]).into_iter();
        }
        let mut seen: FxHashSet<Expr> = FxHashSet::default();
        let mut open: SmallVec<[Expr; 16]> = SmallVec::from_slice(&[e]);
        seen.insert(e);
        while let Some(part) = open.pop() {
            self.parts(self.node(part), &mut |part| {
                let Part::Int(child) = part else { return };
                if (mask == u64::MAX || self.facts(child).mask & mask != 0) && seen.insert(child) {
                    open.push(child);
                }
            });
        }
        let mut parts: SmallVec<[Expr; 16]> = seen.into_iter().collect();
        parts.sort_unstable();
        parts.into_iter()
    }
}
