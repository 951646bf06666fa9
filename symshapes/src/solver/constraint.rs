//! Promises of the user's that the program does not keep: `mark_dynamic(min, max)` on a dimension that was
//! specialised, tied to another, or narrowed. Each is reported with the line at fault and what to do about it.

use super::{Check, GuardSet};
use crate::{
    env::{Constraint, Input, NamedSize, Names, ShapeEnv, SourceId},
    ids::{Expr, Pred, Sym},
    range::Range,
};

/// The reason why a dimension does not take every value that was promised.
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
    /// The reason why it is not kept.
    pub reason: Reason,
    /// The user's line that needs this, where there is one.
    pub cause: Option<String>,
}

/// A promise on an input, and on the input that shares its symbol.
struct Promise {
    values: Range,
    /// Only constants break it.
    lax: bool,
    sources: [Option<SourceId>; 2],
    symbols: [Option<Sym>; 2],
    /// Something is promised of both.
    both_promised: bool,
    /// The divisor that the declaration gives the size; 1 where that says nothing.
    declared: i64,
}

impl Promise {
    fn reads(&self, source: SourceId) -> bool {
        self.sources.contains(&Some(source))
    }

    /// The divisor that a check demands of the input.
    fn divisor(&self, check: &Check) -> Option<i64> {
        match *check {
            Check::Divisible { source, by } if self.reads(source) => Some(by),
            _ => None,
        }
    }
}

/// The range from the first to the last multiple of `by` in a range.
fn multiples(range: Range, by: i64) -> Range {
    let lo = match range.lo {
        i64::MIN => i64::MIN,
        lo => lo.checked_add(by - 1).map_or(lo, |lo| lo.div_euclid(by) * by),
    };
    let hi = if range.hi == i64::MAX { i64::MAX } else { range.hi.div_euclid(by).saturating_mul(by) };
    Range::new(lo, hi)
}

impl ShapeEnv {
    /// The promises that the checks do not keep, in the order of the inputs.
    pub fn violations(&self, guards: &GuardSet) -> Vec<Violation> {
        let mut found = Vec::new();
        for input in self.inputs() {
            let Some(constraint) = input.constraint.as_deref() else { continue };
            let broken = self.promise_of(input, constraint, guards);
            let reasons = guards.checks.iter().filter_map(|kept| {
                let reason = self.reason(&kept.check, &broken)?;
                Some((reason, kept.at.clone()))
            });
            let violation =
                |(reason, cause)| Violation { source: input.source, constraint: constraint.clone(), reason, cause };
            found.extend(reasons.map(violation));
        }
        found
    }

    /// The promise on an input, and on the input that it was made equal to.
    fn promise_of(&self, input: &Input, constraint: &Constraint, guards: &GuardSet) -> Promise {
        let least = if self.options.specialize_zero_one { 2 } else { 0 };
        let large = Range::new(least, i64::MAX);
        let values = match &constraint.name {
            // Small sizes are special, and so are small values of the name.
            Some(named) => NamedSize { range: named.range.intersect(large), ..named.clone() }.image(input.kind),
            None => constraint.range.intersect(input.kind.domain()).intersect(large),
        };
        let equal = guards.checks.iter().find_map(|kept| match kept.check {
            Check::Equal { source, expr } if source == input.source => self.pool.as_sym(expr),
            _ => None,
        });
        let shared = equal.and_then(|sym| self.input_of(sym)).map(|id| &self.inputs[id]);
        let mut promise = Promise {
            values,
            lax: constraint.range == Range::ALL,
            sources: [Some(input.source), shared.map(|other| other.source)],
            symbols: [input.owned, equal],
            both_promised: shared.is_some_and(|other| other.constraint.is_some()),
            declared: constraint.name.as_ref().filter(|named| named.offset == 0).map_or(1, |named| named.factor),
        };
        // A divisor is reported as such; the range of the multiples is no second breach.
        if let Some(by) = guards.checks.iter().find_map(|kept| promise.divisor(&kept.check)) {
            promise.values = multiples(promise.values, by);
        }
        promise
    }

    /// A promise of all values is only broken by a constant. An input equal to another, of which nothing is promised,
    /// takes every value that the other takes.
    fn reason(&self, check: &Check, promise: &Promise) -> Option<Reason> {
        match *check {
            Check::Equal { source, expr } if promise.sources[0] == Some(source) => match self.pool.as_int(expr) {
                Some(value) => Some(Reason::Constant(value)),
                None if promise.lax || (promise.sources[1].is_some() && !promise.both_promised) => None,
                None => Some(Reason::Tied(expr)),
            },
            _ if promise.lax => None,
            Check::Within { source, range, .. } if promise.reads(source) => {
                (range.intersect(promise.values) != promise.values).then_some(Reason::Narrowed(range))
            }
            Check::Divisible { by, .. } if promise.declared % by == 0 => None,
            Check::Divisible { .. } => promise.divisor(check).map(Reason::Divisible),
            Check::Holds(pred) if self.declared.contains(&pred) => None,
            Check::Holds(pred) => {
                let read = self.pool.pred_symbols(pred);
                promise.symbols.iter().flatten().any(|sym| read.contains(sym)).then_some(Reason::Related(pred))
            }
            Check::Equal { .. } | Check::Within { .. } => None,
        }
    }

    /// The violation in words: what was promised where, what the program needs and where, and a way out.
    pub fn describe(&self, violation: &Violation, names: Names<'_>) -> String {
        let name = names(violation.source);
        let Constraint { range, at, name: named } = &violation.constraint;
        let at = match (at.is_empty(), named) {
            (true, Some(_)) => "dynamic_shapes",
            (true, None) => "mark_dynamic",
            (false, _) => at,
        };
        let need = self.need(violation.reason, &name, names);
        let cause = violation.cause.as_deref().filter(|line| !line.is_empty());
        let cause = cause.map_or(String::new(), |line| format!(", because of {line}"));
        let fix = self.suggested_fix(violation.reason, &name, names);
        let promise = if *range == Range::ALL { "a dynamic size".to_owned() } else { format!("every size in {range}") };
        match named {
            Some(named) => format!("{} = {name}: {at} promises {promise}, but {need}{cause}", named.text()),
            None => format!("{name}: {at} promises {promise}, but {need}{cause}\n  Suggested fix: {fix}"),
        }
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
