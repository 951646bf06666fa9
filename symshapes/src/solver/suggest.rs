//! Broken promises as one report, and how the dimensions would have to be declared: `batch = Dim('batch', max=64)`.

use super::{Reason, Violation};
use crate::{
    env::{NamedSize, Names, ShapeEnv, SourceId},
    range::Range,
};
use std::collections::BTreeMap;

/// The kinds of declarations that a dimension would need.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Declaration {
    /// As this.
    Equal(String),
    /// By its own name, as a multiple of another.
    Free { range: Range, factor: i64 },
}

impl ShapeEnv {
    /// All violations in words: what was promised, what the program needs and where, and declarations that hold.
    pub fn report(&self, violations: &[Violation], names: Names<'_>) -> String {
        let named = violations.iter().filter_map(|violation| violation.constraint.name.as_ref());
        let mut dims: Vec<&str> = named.map(|named| named.name.as_str()).collect();
        dims.sort_unstable();
        dims.dedup();
        let lines: Vec<String> = violations.iter().map(|violation| self.describe(violation, names)).collect();
        if dims.is_empty() {
            return lines.join("\n");
        }
        let lines: String = lines.iter().map(|line| format!("\n  - {line}")).collect();
        let fixes: String = self.suggested_fixes(violations, names).iter().map(|fix| format!("\n  {fix}")).collect();
        let fixes = if fixes.is_empty() { fixes } else { format!("\nSuggested fixes:{fixes}") };
        format!("Constraints violated ({})!{lines}{fixes}", dims.join(", "))
    }

    /// The declarations of named dimensions that the program keeps, as they are written.
    pub fn suggested_fixes(&self, violations: &[Violation], names: Names<'_>) -> Vec<String> {
        let mut found: BTreeMap<String, Declaration> = BTreeMap::new();
        for violation in violations {
            let Some(named) = &violation.constraint.name else { continue };
            let other = self
                .smaller(violation.reason)
                .map(|(other, gap)| (other.name.clone(), Declaration::Equal(format!("{} + {gap}", named.text()))));
            let own = || Some((named.name.clone(), self.declaration(violation, named, names)?));
            let Some((name, new)) = other.or_else(own) else { continue };
            let merged = match (found.remove(&name), new) {
                (Some(Declaration::Free { range, factor }), Declaration::Free { range: other, factor: more }) => {
                    Declaration::Free { range: range.intersect(other), factor: factor.max(more) }
                }
                (Some(equal @ Declaration::Equal(_)), _) | (_, equal) => equal,
            };
            found.insert(name, merged);
        }
        found.into_iter().flat_map(|(name, declaration)| written(&name, &declaration)).collect()
    }

    /// `(d, k)`, if the reason is that a dimension equals the named `d` less a constant `k`: declarations only add.
    fn smaller(&self, reason: Reason) -> Option<(&NamedSize, i64)> {
        let Reason::Tied(expr) = reason else { return None };
        let (constant, coefficients) = self.pool().affine(expr)?;
        let &[(sym, 1)] = coefficients.as_slice() else { return None };
        let named = self.inputs[self.input_of(sym)?].constraint.as_ref()?.name.as_ref()?;
        (constant < 0 && (named.factor, named.offset) == (1, 0)).then_some((named, constant.checked_neg()?))
    }

    fn declaration(&self, violation: &Violation, named: &NamedSize, names: Names<'_>) -> Option<Declaration> {
        let root = |size: i64| Some(size.checked_sub(named.offset)?.div_euclid(named.factor));
        Some(match violation.reason {
            Reason::Constant(size) => Declaration::Equal(root(size)?.to_string()),
            Reason::Tied(expr) if named.factor == 1 && named.offset == 0 => {
                Declaration::Equal(self.print_expr(expr, &|source| self.dim_name(source, names)))
            }
            Reason::Narrowed(range) => {
                let lo = if range.lo == i64::MIN { range.lo } else { root(range.lo.checked_add(named.factor - 1)?)? };
                let hi = if range.hi == i64::MAX { range.hi } else { root(range.hi)? };
                Declaration::Free { range: Range::new(lo, hi).intersect(named.range), factor: 1 }
            }
            Reason::Divisible(by) if named.factor == 1 && named.offset == 0 => {
                Declaration::Free { range: named.range, factor: by }
            }
            Reason::Tied(_) | Reason::Divisible(_) | Reason::Related(_) => return None,
        })
    }

    /// The declared name of a size, if it has one.
    fn dim_name(&self, source: SourceId, names: Names<'_>) -> String {
        let input = self.inputs().find(|input| input.source == source);
        let named = input.and_then(|input| input.constraint.as_ref()?.name.as_ref());
        named.map_or_else(|| names(source), NamedSize::text)
    }
}

/// The lines of a declaration.
fn written(name: &str, declaration: &Declaration) -> Vec<String> {
    match declaration {
        Declaration::Equal(value) => vec![format!("{name} = {value}")],
        Declaration::Free { range, factor: 1 } => vec![format!("{name} = {}", dim(name, *range))],
        Declaration::Free { range, factor } => {
            let least = if range.lo <= 0 { 0 } else { (range.lo - 1) / factor + 1 };
            let most = if range.hi == i64::MAX { range.hi } else { range.hi.div_euclid(*factor) };
            let part = format!("_{name}");
            vec![format!("{part} = {}", dim(&part, Range::new(least, most))), format!("{name} = {factor}*{part}")]
        }
    }
}

/// The call that makes a dimension; 2 is the least size anyway.
fn dim(name: &str, range: Range) -> String {
    let min = if range.lo > 2 { format!(", min={}", range.lo) } else { String::new() };
    let max = if range.hi < i64::MAX { format!(", max={}", range.hi) } else { String::new() };
    format!("Dim('{name}'{min}{max})")
}
