//! Predicates over expressions: relations, and their conjunctions and disjunctions.
//!
//! Invariants of the nodes in a [`Pool`]:
//! - Negation is carried down to the relations: there is no node for it.
//! - A relation compares with zero; its coefficients have no common divisor, the first one of an equation is positive,
//!   and the ranges decide it neither way.
//! - [`PredNode::And`] and [`PredNode::Or`]: two operands or more, sorted, none of the same kind or constant; no
//!   operand is proved to follow from another, or to contradict it.

use crate::{
    arith::{floor_div, gcd},
    ids::{Expr, Float, Pred, Sym},
    node::Sum,
    pool::Pool,
    pred_node::{Comparison, FloatRelation, Operands, PredNode},
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Conjunction or disjunction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Junction {
    And,
    Or,
}

impl Pool {
    /// The node behind a predicate.
    pub fn pred_node(&self, p: Pred) -> &PredNode {
        self.pred_at(p)
    }

    /// A constant predicate.
    pub fn bool(&mut self, value: bool) -> Pred {
        self.intern_pred(PredNode::Bool(value))
    }

    /// The truth of a predicate that holds, or fails, for all values in range.
    pub fn as_bool(&self, p: Pred) -> Option<bool> {
        match self.pred_node(p) {
            PredNode::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// `a == b`
    pub fn eq(&mut self, a: Expr, b: Expr) -> Pred {
        let gap = self.sub(a, b);
        self.equation(gap, true)
    }

    /// `a != b`
    pub fn ne(&mut self, a: Expr, b: Expr) -> Pred {
        let gap = self.sub(a, b);
        self.equation(gap, false)
    }

    /// `a <= b`
    pub fn le(&mut self, a: Expr, b: Expr) -> Pred {
        let gap = self.sub(a, b);
        self.not_positive(gap)
    }

    /// `a < b`
    pub fn lt(&mut self, a: Expr, b: Expr) -> Pred {
        let gap = self.sub(a, b);
        let gap = self.add_int(gap, 1);
        self.not_positive(gap)
    }

    /// A comparison of floats; one of integers, where both are proved to be exact fractions.
    pub fn compare_floats(&mut self, comparison: Comparison, left: Float, right: Float) -> Pred {
        if let (Some(a), Some(b)) = (self.as_float(left), self.as_float(right)) {
            let truth = FloatRelation { comparison, holds: true, left, right }.compare(a, b);
            return self.bool(truth);
        }
        if let Some((a, b)) = self.same_scale(left, right) {
            return match comparison {
                Comparison::Eq => self.eq(a, b),
                Comparison::Le => self.le(a, b),
                Comparison::Lt => self.lt(a, b),
            };
        }
        let turned = comparison == Comparison::Eq && right < left;
        let (left, right) = if turned { (right, left) } else { (left, right) };
        self.intern_pred(PredNode::Float(FloatRelation { comparison, holds: true, left, right }))
    }

    /// The opposite.
    pub fn not(&mut self, p: Pred) -> Pred {
        match self.pred_node(p).clone() {
            PredNode::Bool(value) => self.bool(!value),
            PredNode::Eq(e) => self.intern_pred(PredNode::Ne(e)),
            PredNode::Ne(e) => self.intern_pred(PredNode::Eq(e)),
            PredNode::Le(e) => {
                let (zero, e) = (self.int(0), e);
                self.lt(zero, e)
            }
            PredNode::And(operands) => self.negate_all(Junction::Or, &operands),
            PredNode::Or(operands) => self.negate_all(Junction::And, &operands),
            PredNode::Float(relation) => {
                self.intern_pred(PredNode::Float(FloatRelation { holds: !relation.holds, ..relation }))
            }
            PredNode::Unknown => p,
        }
    }

    /// Both hold.
    pub fn and(&mut self, a: Pred, b: Pred) -> Pred {
        self.all([a, b])
    }

    /// One of the two holds, or both.
    pub fn or(&mut self, a: Pred, b: Pred) -> Pred {
        self.any([a, b])
    }

    /// All hold; of none, true.
    pub fn all(&mut self, operands: impl IntoIterator<Item = Pred>) -> Pred {
        self.junction(Junction::And, operands.into_iter().collect())
    }

    /// One holds at least; of none, false.
    pub fn any(&mut self, operands: impl IntoIterator<Item = Pred>) -> Pred {
        self.junction(Junction::Or, operands.into_iter().collect())
    }

    /// True if it is proved that `q` holds wherever `p` does.
    pub fn implies(&mut self, p: Pred, q: Pred) -> bool {
        if p == q {
            return true;
        }
        match (self.pred_node(p), self.pred_node(q)) {
            (PredNode::Bool(false), _) | (_, PredNode::Bool(true)) => true,
            (&PredNode::Le(a), &PredNode::Le(b)) => self.proves_le(b, a),
            // Where `a` is zero, `b` equals `b - a` and `b + a`.
            (&PredNode::Eq(a), &PredNode::Le(b)) => {
                let shifted = [self.sub(b, a), self.add(b, a)];
                shifted.into_iter().any(|e| !self.is_overflow(e) && self.range(e).hi <= 0)
            }
            (&PredNode::Eq(a), &PredNode::Ne(b)) => {
                let shifted = [self.sub(b, a), self.add(b, a)];
                shifted.into_iter().any(|e| !self.is_overflow(e) && !self.range(e).contains(0))
            }
            // By contraposition.
            (&PredNode::Le(_), &PredNode::Ne(b)) => {
                let (premise, conclusion) = (self.intern_pred(PredNode::Eq(b)), self.not(p));
                self.implies(premise, conclusion)
            }
            _ => false,
        }
    }

    /// The truth under an assignment; `None` where the values that are known do not decide it.
    pub fn eval_pred(&self, p: Pred, values: &dyn Fn(Sym) -> Option<i64>) -> Option<bool> {
        match self.pred_node(p) {
            PredNode::Bool(value) => Some(*value),
            PredNode::Eq(e) => Some(self.eval(*e, values)? == 0),
            PredNode::Ne(e) => Some(self.eval(*e, values)? != 0),
            PredNode::Le(e) => Some(self.eval(*e, values)? <= 0),
            PredNode::Float(relation) => {
                let (left, right) = (self.eval_float(relation.left, values)?, self.eval_float(relation.right, values)?);
                Some(relation.compare(left, right))
            }
            PredNode::And(operands) => decide(false, operands.iter().map(|&p| self.eval_pred(p, values))),
            PredNode::Or(operands) => decide(true, operands.iter().map(|&p| self.eval_pred(p, values))),
            PredNode::Unknown => None,
        }
    }

    /// The symbols that occur, sorted.
    pub fn pred_symbols(&self, p: Pred) -> SmallVec<[Sym; 4]> {
        let mut found: SmallVec<[Sym; 4]> = match self.pred_node(p) {
            PredNode::Bool(_) | PredNode::Unknown => SmallVec::new(),
            PredNode::Eq(e) | PredNode::Ne(e) | PredNode::Le(e) => self.symbols(*e),
            PredNode::Float(FloatRelation { left, right, .. }) => {
                self.float_symbols(*left).into_iter().chain(self.float_symbols(*right)).collect()
            }
            PredNode::And(operands) | PredNode::Or(operands) => {
                operands.iter().flat_map(|&p| self.pred_symbols(p)).collect()
            }
        };
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Replaces symbols, all at once, and simplifies what follows from it, as [`Pool::subst`] does.
    pub fn subst_pred(&mut self, p: Pred, map: &FxHashMap<Sym, Expr>) -> Pred {
        match self.pred_node(p).clone() {
            PredNode::Bool(_) | PredNode::Unknown => p,
            PredNode::Eq(e) => {
                let e = self.subst(e, map);
                self.equation(e, true)
            }
            PredNode::Ne(e) => {
                let e = self.subst(e, map);
                self.equation(e, false)
            }
            PredNode::Le(e) => {
                let e = self.subst(e, map);
                self.not_positive(e)
            }
            PredNode::Float(relation) => {
                let (left, right) = (self.subst_float(relation.left, map), self.subst_float(relation.right, map));
                let image = self.compare_floats(relation.comparison, left, right);
                if relation.holds { image } else { self.not(image) }
            }
            PredNode::And(operands) => {
                let images: Operands = operands.iter().map(|&p| self.subst_pred(p, map)).collect();
                self.all(images)
            }
            PredNode::Or(operands) => {
                let images: Operands = operands.iter().map(|&p| self.subst_pred(p, map)).collect();
                self.any(images)
            }
        }
    }

    /// Copies a predicate into this arena, as [`Pool::import`] does an expression.
    pub fn import_pred(&mut self, other: &Pool, p: Pred, map: &mut FxHashMap<Sym, Sym>) -> Pred {
        match other.pred_node(p) {
            PredNode::Bool(value) => self.bool(*value),
            PredNode::Eq(e) => {
                let e = self.import(other, *e, map);
                self.equation(e, true)
            }
            PredNode::Ne(e) => {
                let e = self.import(other, *e, map);
                self.equation(e, false)
            }
            PredNode::Le(e) => {
                let e = self.import(other, *e, map);
                self.not_positive(e)
            }
            PredNode::And(parts) => {
                let parts: Operands = parts.iter().map(|&part| self.import_pred(other, part, map)).collect();
                self.all(parts)
            }
            PredNode::Or(parts) => {
                let parts: Operands = parts.iter().map(|&part| self.import_pred(other, part, map)).collect();
                self.any(parts)
            }
            PredNode::Float(relation) => {
                let left = self.import_float(other, relation.left, map);
                let right = self.import_float(other, relation.right, map);
                let image = self.compare_floats(relation.comparison, left, right);
                if relation.holds { image } else { self.not(image) }
            }
            PredNode::Unknown => self.intern_pred(PredNode::Unknown),
        }
    }

    /// `e == 0`, or `e != 0`: divided by the coefficients' greatest common divisor, the first one positive.
    fn equation(&mut self, e: Expr, equal: bool) -> Pred {
        if self.is_overflow(e) {
            return self.intern_pred(PredNode::Unknown);
        }
        let range = self.range(e);
        if !range.contains(0) {
            return self.bool(!equal);
        }
        if range.lo == 0 && range.hi == 0 {
            return self.bool(equal);
        }
        let sum = self.sum_of(e);
        let e = match common_divisor(&sum) {
            Some(g) if sum.constant % g != 0 => return self.bool(!equal),
            Some(g) => {
                let negative = sum.terms.first().is_some_and(|t| t.coeff < 0);
                self.intern_sum(sum.divided(g).scaled(if negative { -1 } else { 1 }))
            }
            None => e,
        };
        match (self.is_overflow(e), equal) {
            (true, _) => self.intern_pred(PredNode::Unknown),
            (false, true) => self.intern_pred(PredNode::Eq(e)),
            (false, false) => self.intern_pred(PredNode::Ne(e)),
        }
    }

    /// `e <= 0`: `g*a + c <= 0` holds where `a <= floor(-c / g)` does.
    fn not_positive(&mut self, e: Expr) -> Pred {
        if self.is_overflow(e) {
            return self.intern_pred(PredNode::Unknown);
        }
        let range = self.range(e);
        if range.hi <= 0 {
            return self.bool(true);
        }
        if range.lo > 0 {
            return self.bool(false);
        }
        let mut sum = self.sum_of(e);
        let Some(g) = common_divisor(&sum) else { return self.intern_pred(PredNode::Le(e)) };
        let bound = sum.constant.checked_neg().and_then(|c| floor_div(c, g)).and_then(i64::checked_neg);
        let Some(bound) = bound else { return self.intern_pred(PredNode::Le(e)) };
        sum.constant = 0;
        sum = sum.divided(g);
        sum.constant = bound;
        let e = self.intern_sum(Some(sum));
        self.intern_pred(PredNode::Le(e))
    }

    fn negate_all(&mut self, junction: Junction, operands: &[Pred]) -> Pred {
        let negated = operands.iter().map(|&p| self.not(p)).collect();
        self.junction(junction, negated)
    }

    /// A conjunction keeps what does not follow from the rest, a disjunction what the rest does not follow from.
    fn junction(&mut self, junction: Junction, operands: Operands) -> Pred {
        let mut kept = Operands::new();
        for operand in self.flatten(junction, operands) {
            let opposite = self.not(operand);
            if kept.iter().any(|&k| self.contradict(junction, k, opposite)) {
                return self.bool(junction == Junction::Or);
            }
            if kept.iter().any(|&k| self.absorbs(junction, k, operand)) {
                continue;
            }
            kept.retain(|k| !self.absorbs(junction, operand, *k));
            kept.push(operand);
        }
        kept.sort_unstable();
        match (kept.as_slice(), junction) {
            ([], Junction::And) => self.bool(true),
            ([], Junction::Or) => self.bool(false),
            (&[single], _) => single,
            (_, Junction::And) => self.intern_pred(PredNode::And(kept)),
            (_, Junction::Or) => self.intern_pred(PredNode::Or(kept)),
        }
    }

    /// True if `kept` decides the junction together with the operand whose opposite is given.
    fn contradict(&mut self, junction: Junction, kept: Pred, opposite: Pred) -> bool {
        if matches!(self.pred_node(opposite), PredNode::Unknown) {
            return false;
        }
        match junction {
            Junction::And => self.implies(kept, opposite),
            Junction::Or => self.implies(opposite, kept),
        }
    }

    /// True if `weaker` adds nothing beside `kept`.
    fn absorbs(&mut self, junction: Junction, kept: Pred, weaker: Pred) -> bool {
        match junction {
            Junction::And => self.implies(kept, weaker),
            Junction::Or => self.implies(weaker, kept),
        }
    }

    /// The operands with those of nested junctions of the same kind.
    fn flatten(&self, junction: Junction, operands: Operands) -> Operands {
        let mut flat = Operands::new();
        for operand in operands {
            match (junction, self.pred_node(operand)) {
                (Junction::And, PredNode::And(inner)) | (Junction::Or, PredNode::Or(inner)) => {
                    flat.extend_from_slice(inner);
                }
                _ => flat.push(operand),
            }
        }
        flat
    }
}

/// The truth of a conjunction (`decisive` is false) or disjunction (true) of operands: `decisive` if one operand has
/// that value; the opposite if none has it and all are known.
fn decide(decisive: bool, values: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut result = Some(!decisive);
    for value in values {
        match value {
            Some(value) if value == decisive => return Some(decisive),
            Some(_) => {}
            None => result = None,
        }
    }
    result
}

/// The greatest common divisor of the coefficients, where it fits.
fn common_divisor(sum: &Sum) -> Option<i64> {
    let divisor = sum.terms.iter().fold(0, |g, t| gcd(g, t.coeff.unsigned_abs()));
    i64::try_from(divisor).ok().filter(|&g| g > 0)
}
