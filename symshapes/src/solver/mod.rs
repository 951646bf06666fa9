//! The checks that are left when the program is used again: smallest first, nothing that follows from the rest.
//!
//! Invariants of a [`GuardSet`]:
//! - Inputs satisfy its checks exactly if they satisfy every guard of the environment, the symbols' ranges, and each
//!   input's description by an expression.
//! - An expression in a check mentions only symbols that read an input.

mod constraint;
mod implied;
mod print;
mod suggest;

pub use constraint::{Reason, Violation};

use crate::{
    env::{Assertion, EnvError, Input, InputId, ShapeEnv, SourceId},
    ids::{Expr, Pred, Sym},
    node::Node,
    pred_node::{Operands, PredNode},
    range::Range,
};
use serde::{Deserialize, Serialize};

/// One condition on the inputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Check {
    /// An input has the value of an expression.
    Equal {
        /// The input.
        source: SourceId,
        /// The value.
        expr: Expr,
    },
    /// An input lies in a range, which is narrower than the domain of its kind.
    Within {
        /// The input.
        source: SourceId,
        /// The values.
        range: Range,
        /// The domain of the input's kind: the values that it can have at all.
        domain: Range,
    },
    /// A constant divides an input.
    Divisible {
        /// The input.
        source: SourceId,
        /// The divisor, 2 or more.
        by: i64,
    },
    /// A predicate over symbols that read inputs.
    Holds(Pred),
}

/// A check, and the user's line that asked for it where one did.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Kept {
    /// The condition.
    pub check: Check,
    /// The user's stack.
    pub at: Option<String>,
}

/// The checks that are left, cheapest first.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct GuardSet {
    /// The checks.
    pub checks: Vec<Kept>,
}

impl ShapeEnv {
    /// The checks that are left for run time.
    pub fn solve(&mut self) -> Result<GuardSet, EnvError> {
        let mut checks = Vec::new();
        for input in self.inputs.keys() {
            self.check_input(input, &mut checks);
        }
        for (pred, at) in self.relations()? {
            let pred = self.plain_pred(pred);
            checks.push(Kept { check: Check::Holds(pred), at: Some(at) });
        }
        checks.extend(self.entry_assertions());
        // Most are constants, which come in order: a stable sort sees the run.
        checks.sort_by_key(|kept| self.cost(&kept.check));
        Ok(GuardSet { checks })
    }

    /// The assertions about unbacked symbols that inputs give, which are known before the program runs.
    fn entry_assertions(&self) -> Vec<Kept> {
        let is_read = |&sym: &Sym| self.input_of(sym).is_some();
        let of_inputs = self.assertions().iter().filter(|a| self.pool.pred_symbols(a.pred).iter().all(is_read));
        of_inputs.map(|a| Kept { check: Check::Holds(a.pred), at: Some(a.at.clone()) }).collect()
    }

    /// The first assertion that does not hold where inputs have these values; `None` also if they do not tell.
    pub fn broken_assertion(&self, values: &dyn Fn(SourceId) -> Option<i64>) -> Option<&Assertion> {
        let symbols = |sym: Sym| values(self.inputs[self.input_of(sym)?].source);
        self.assertions().iter().find(|a| self.pool.eval_pred(a.pred, &symbols) == Some(false))
    }

    /// The truth of a check; `None` if an input that it needs is unknown, or it has no value.
    pub fn eval_check(&self, check: &Check, values: &dyn Fn(SourceId) -> Option<i64>) -> Option<bool> {
        let symbols = |sym: Sym| values(self.inputs[self.input_of(sym)?].source);
        Some(match *check {
            Check::Equal { source, expr } => values(source)? == self.pool.eval(expr, &symbols)?,
            Check::Within { source, range, .. } => range.contains(values(source)?),
            Check::Divisible { source, by } => values(source)? % by == 0,
            Check::Holds(pred) => self.pool.eval_pred(pred, &symbols)?,
        })
    }

    /// The conditions on one input alone, or its description by others.
    fn check_input(&mut self, input: InputId, checks: &mut Vec<Kept>) {
        let Input { source, kind, expr, owned, .. } = self.inputs[input];
        let Some(sym) = owned else {
            let expr = self.description(expr);
            return checks.push(Kept { check: Check::Equal { source, expr }, at: None });
        };
        let at = self.symbols[&sym].cause.clone();
        let normal = self.normal(expr);
        let multiple = self.own_multiple(sym, normal);
        if normal != expr && multiple.is_none() {
            // What an unbacked symbol equals is an assertion.
            if !self.is_unbacked(sym) {
                let expr = self.plain(normal);
                checks.push(Kept { check: Check::Equal { source, expr }, at });
            }
            return;
        }
        let (range, domain) = (self.pool.range(normal).intersect(self.pool.symbol_range(sym)), kind.domain());
        if range != domain {
            checks.push(Kept { check: Check::Within { source, range, domain }, at: at.clone() });
        }
        if let Some(by) = multiple {
            checks.push(Kept { check: Check::Divisible { source, by }, at });
        }
    }

    /// The shortest expression for an input that owns no symbol: the symbol of another input, where it is one.
    fn description(&mut self, e: Expr) -> Expr {
        if self.pool.as_int(e).is_some() {
            return e;
        }
        let simple = self.simplify(e);
        match (self.pool.as_int(simple), self.pool.as_sym(e)) {
            (None, Some(_)) => e,
            _ => simple,
        }
    }

    /// `k`, if the normal form of a symbol is `k` times its own quotient.
    fn own_multiple(&self, sym: Sym, normal: Expr) -> Option<i64> {
        let Node::Add(sum) = self.pool.node(normal) else { return None };
        let [term] = sum.terms.as_slice() else { return None };
        let root = self.quotient_root(self.pool.as_sym(term.mono)?)?;
        (sum.constant == 0 && root == (sym, term.coeff)).then_some(term.coeff)
    }

    /// The guards that ranges, replacements and quotients do not express, in normal form, without redundant ones.
    fn relations(&mut self) -> Result<Vec<(Pred, String)>, EnvError> {
        let mut relations: Vec<(Pred, String)> = Vec::new();
        for guard in self.guards.clone() {
            let pred = self.normal_pred(guard.pred);
            if self.pool.as_bool(pred) == Some(false) {
                return Err(self.unsatisfiable(guard.pred, &guard.at));
            }
            for part in self.parts(pred) {
                if relations.iter().all(|(known, _)| *known != part) {
                    relations.push((part, guard.at.clone()));
                }
            }
        }
        relations.sort_by_key(|(pred, _)| self.pred_size(*pred));
        Ok(self.without_implied(relations))
    }

    /// The operands of a conjunction; none of what always holds.
    fn parts(&self, p: Pred) -> Operands {
        match self.pool.pred_node(p) {
            PredNode::Bool(true) => Operands::new(),
            PredNode::And(parts) => parts.clone(),
            _ => Operands::from_slice(&[p]),
        }
    }

    fn cost(&self, check: &Check) -> (u32, usize) {
        match *check {
            Check::Equal { expr, .. } => (0, self.pool.facts(expr).size as usize),
            Check::Within { .. } => (1, 0),
            Check::Divisible { .. } => (2, 0),
            Check::Holds(pred) => (3, self.pred_size(pred)),
        }
    }

    fn pred_size(&self, p: Pred) -> usize {
        match self.pool.pred_node(p) {
            PredNode::Bool(_) | PredNode::Unknown => 0,
            PredNode::Float(_) => self.pool.pred_symbols(p).len() + 2,
            PredNode::Eq(e) | PredNode::Ne(e) | PredNode::Le(e) => self.pool.facts(*e).size as usize,
            PredNode::And(parts) | PredNode::Or(parts) => parts.iter().map(|&part| 1 + self.pred_size(part)).sum(),
        }
    }
}
