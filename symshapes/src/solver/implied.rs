//! Dropping relations that follow from the others.
//!
//! Law: a relation is dropped only if the relations that are still kept, with the symbols' ranges, imply it. Each is
//! tried once, the largest first, so what is kept implies all that was dropped.

use crate::{
    env::ShapeEnv,
    ids::{Expr, Pred},
    pred_node::PredNode,
};

impl ShapeEnv {
    /// The relations without those that follow from the rest; they are given smallest first.
    pub(super) fn without_implied(&mut self, mut relations: Vec<(Pred, String)>) -> Vec<(Pred, String)> {
        for at in (0..relations.len()).rev() {
            let (candidate, _) = relations[at];
            let others: Vec<Pred> =
                relations.iter().enumerate().filter(|&(i, _)| i != at).map(|(_, &(pred, _))| pred).collect();
            if self.follows(candidate, &others) {
                relations.remove(at);
            }
        }
        relations
    }

    fn follows(&mut self, p: Pred, premises: &[Pred]) -> bool {
        if premises.iter().any(|&premise| self.pool.implies(premise, p)) {
            return true;
        }
        match self.pool.pred_node(p).clone() {
            PredNode::Le(e) => self.bounded_by_two(e, premises),
            PredNode::Or(parts) => parts.into_iter().any(|part| self.follows(part, premises)),
            PredNode::Bool(_)
            | PredNode::Eq(_)
            | PredNode::Ne(_)
            | PredNode::And(_)
            | PredNode::Float(_)
            | PredNode::Unknown => false,
        }
    }

    /// `e <= 0` from `a <= 0` and `b <= 0`: true if `e - a - b` is nowhere positive.
    fn bounded_by_two(&mut self, e: Expr, premises: &[Pred]) -> bool {
        let terms = self.not_positive_terms(premises);
        for (i, &a) in terms.iter().enumerate() {
            let rest = self.pool.sub(e, a);
            for &b in &terms[i..] {
                let gap = self.pool.sub(rest, b);
                if !self.pool.is_overflow(gap) && self.pool.range(gap).hi <= 0 {
                    return true;
                }
            }
        }
        false
    }

    /// The expressions that the premises keep from being positive.
    fn not_positive_terms(&mut self, premises: &[Pred]) -> Vec<Expr> {
        let mut terms = Vec::new();
        for &premise in premises {
            match *self.pool.pred_node(premise) {
                PredNode::Le(a) => terms.push(a),
                PredNode::Eq(a) => terms.extend([a, self.pool.neg(a)]),
                PredNode::Bool(_) | PredNode::Ne(_) | PredNode::And(_) | PredNode::Or(_) => {}
                PredNode::Float(_) | PredNode::Unknown => {}
            }
        }
        terms
    }
}
