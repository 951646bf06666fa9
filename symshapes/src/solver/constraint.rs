//! Promises of the user's that the program does not keep: `mark_dynamic(min, max)` on a dimension that was
//! specialised, tied to another, or narrowed. Each is reported with the line at fault and what to do about it.

use super::{Check, GuardSet};
use crate::{
    env::{Constraint, Input, Names, ShapeEnv, SourceId},
    node::{Expr, Sym},
    pred::Pred,
    range::Range,
};

/// Why a dimension does not take every value that was promised.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// It has one value.
    Constant(i64),
    /// It equals an expression over other inputs.
    Tied(Expr),
    /// It has to lie in a range.
    Narrowed(Range),
    /// A constant has to divide it.
    Divisible(i64),
    /// It is related to other inputs, or to itself, by a guard.
    Related(Pred),
}

/// A promise that is not kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The dimension.
    pub source: SourceId,
    /// The promise.
    pub constraint: Constraint,
    /// Why it is not kept.
    pub reason: Reason,
    /// The user's line that needs this, where there is one.
    pub cause: Option<String>,
}

impl ShapeEnv {
    /// The promises that the checks do not keep, in the order of the inputs.
    pub fn violations(&self, guards: &GuardSet) -> Vec<Violation> {
        let mut found = Vec::new();
        for input in self.inputs() {
            let Some(constraint) = input.constraint.clone() else { continue };
            let promised = self.promised(input, &constraint);
            let reasons = guards.checks.iter().filter_map(|kept| {
                let reason = self.reason(&kept.check, input, promised)?;
                Some((reason, kept.at.clone()))
            });
            let violation =
                |(reason, cause)| Violation { source: input.source, constraint: constraint.clone(), reason, cause };
            found.extend(reasons.map(violation));
        }
        found
    }

    /// The values that are promised and not excluded by specialisation.
    fn promised(&self, input: &Input, constraint: &Constraint) -> Range {
        let least = if self.options.specialize_zero_one { 2 } else { 0 };
        constraint.range.intersect(input.kind.domain()).intersect(Range::new(least, i64::MAX))
    }

    fn reason(&self, check: &Check, input: &Input, promised: Range) -> Option<Reason> {
        match *check {
            Check::Equal { source, expr } if source == input.source => Some(match self.pool.as_int(expr) {
                Some(value) => Reason::Constant(value),
                None => Reason::Tied(expr),
            }),
            Check::Within { source, range, .. } if source == input.source => {
                (range.intersect(promised) != promised).then_some(Reason::Narrowed(range))
            }
            Check::Divisible { source, by } if source == input.source => Some(Reason::Divisible(by)),
            Check::Holds(pred) => self.pred_reads(pred, input.owned?).then_some(Reason::Related(pred)),
            Check::Equal { .. } | Check::Within { .. } | Check::Divisible { .. } => None,
        }
    }

    fn pred_reads(&self, pred: Pred, sym: Sym) -> bool {
        self.pool.pred_symbols(pred).contains(&sym)
    }

    /// The violation in words: what was promised where, what the program needs and where, and a way out.
    pub fn describe(&self, violation: &Violation, names: Names<'_>) -> String {
        let name = names(violation.source);
        let Constraint { range, at } = &violation.constraint;
        let need = self.need(violation.reason, &name, names);
        let cause = violation.cause.as_ref().map_or(String::new(), |line| format!(", because of {line}"));
        let fix = self.suggested_fix(violation.reason, &name, names);
        format!("{name}: {at} promises every size in {range}, but {need}{cause}\n  Suggested fix: {fix}")
    }

    fn need(&self, reason: Reason, name: &str, names: Names<'_>) -> String {
        match reason {
            Reason::Constant(value) => format!("it was specialised to {value}"),
            Reason::Tied(e) => format!("it must equal {}", self.print_expr(e, names)),
            Reason::Narrowed(range) => format!("it must lie in {range}"),
            Reason::Divisible(by) => format!("{by} must divide {name}"),
            Reason::Related(pred) => format!("{} must hold", self.print_pred(pred, names)),
        }
    }

    fn suggested_fix(&self, reason: Reason, name: &str, names: Names<'_>) -> String {
        match reason {
            Reason::Constant(value) => format!("mark_static {name} = {value}, or remove what depends on its value"),
            Reason::Tied(e) => format!("declare {name} = {}, or use maybe_mark_dynamic", self.print_expr(e, names)),
            Reason::Narrowed(range) => {
                let min = (range.lo > 0).then(|| format!("min={}", range.lo));
                let max = (range.hi < i64::MAX).then(|| format!("max={}", range.hi));
                let bounds: Vec<String> = min.into_iter().chain(max).collect();
                format!("mark_dynamic {name} with {}", bounds.join(", "))
            }
            Reason::Divisible(by) => format!("declare {name} = {by}*dim, or use maybe_mark_dynamic"),
            Reason::Related(_) => format!("use maybe_mark_dynamic for {name}, or remove the comparison"),
        }
    }
}
