//! Iteration spaces: which roots can share their loops.
//!
//! A domain is a list of outer extents and a list of reduced extents. Two domains can be joined where they walk the
//! same number of points and one list of extents refines both.

use symshapes::{Expr, Pool};

use crate::tensor_ir::{Dims, numel, typical};

/// The loops of a kernel before any of them is merged or split.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IterationDomain {
    /// Outer extents, outermost first; none of them 1.
    pub outer: Dims,
    /// Reduced extents, likewise; empty where nothing is reduced.
    pub red: Dims,
}

/// The loops of a domain that a root runs in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Span {
    /// The outer loops only: once for each row.
    Outer,
    /// The outer loops and the reduced ones.
    Full,
}

/// The coarsest list of extents that refines both, if there is one.
pub fn refine(pool: &mut Pool, a: &[Expr], b: &[Expr]) -> Option<Dims> {
    if a == b {
        return Some(a.into());
    }
    let (mut cuts, mut others) = (suffix_products(pool, a), suffix_products(pool, b));
    if cuts.last().unwrap_or(&Expr::ONE) != others.last().unwrap_or(&Expr::ONE) {
        return None;
    }
    cuts.append(&mut others);
    cuts.sort_by_key(|&cut| typical(pool, cut));
    cuts.dedup();
    let mut extents: Dims = Dims::new();
    let mut below = Expr::ONE;
    for cut in cuts {
        let extent = pool.exact_div(cut, below)?;
        if extent != Expr::ONE {
            extents.push(extent);
        }
        below = cut;
    }
    extents.reverse();
    Some(extents)
}

fn suffix_products(pool: &mut Pool, extents: &[Expr]) -> Vec<Expr> {
    let mut product = Expr::ONE;
    let products = extents.iter().rev().map(|&n| {
        product = pool.mul(product, n);
        product
    });
    products.collect()
}

impl IterationDomain {
    /// The number of rows.
    pub fn rows(&self, pool: &mut Pool) -> Expr {
        numel(pool, &self.outer)
    }

    /// Elements in a row; 1 where nothing is reduced.
    pub fn row_len(&self, pool: &mut Pool) -> Expr {
        numel(pool, &self.red)
    }

    /// The loops of this domain that a root which walks `extents` without reducing runs in.
    pub fn span_of(&self, pool: &mut Pool, extents: &[Expr]) -> Span {
        if !self.red.is_empty() && numel(pool, extents) == self.rows(pool) { Span::Outer } else { Span::Full }
    }

    /// The domain in which both can run.
    pub fn join(&self, pool: &mut Pool, other: &IterationDomain) -> Option<IterationDomain> {
        match (self.red.is_empty(), other.red.is_empty()) {
            (true, true) => Some(IterationDomain { outer: refine(pool, &self.outer, &other.outer)?, red: Dims::new() }),
            (false, false) => Some(IterationDomain {
                outer: refine(pool, &self.outer, &other.outer)?,
                red: refine(pool, &self.red, &other.red)?,
            }),
            (false, true) => self.join_map(pool, &other.outer),
            (true, false) => other.join_map(pool, &self.outer),
        }
    }

    /// This domain refined by a root that reduces nothing and walks `extents`.
    fn join_map(&self, pool: &mut Pool, extents: &[Expr]) -> Option<IterationDomain> {
        if self.span_of(pool, extents) == Span::Outer {
            return Some(IterationDomain { outer: refine(pool, &self.outer, extents)?, red: self.red.clone() });
        }
        let full: Dims = self.outer.iter().chain(&self.red).copied().collect();
        let refined = refine(pool, &full, extents)?;
        // The cut between rows and elements is one of the refined cuts.
        let row_len = self.row_len(pool);
        let mut below = Expr::ONE;
        let split = refined.iter().rposition(|&n| {
            below = pool.mul(below, n);
            below == row_len
        })?;
        Some(IterationDomain { outer: refined[..split].into(), red: refined[split..].into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sizes as text: constants and symbols of at least 2.
    fn dims(pool: &mut Pool, text: &str) -> Dims {
        for name in ["b", "s"] {
            pool.symbol(name, symshapes::Range::new(2, i64::MAX));
        }
        text.split_whitespace().map(|n| pool.parse(n).expect("a size")).collect()
    }

    fn refined(a: &str, b: &str) -> Option<String> {
        let mut pool = Pool::new();
        let (a, b) = (dims(&mut pool, a), dims(&mut pool, b));
        let both = refine(&mut pool, &a, &b)?;
        Some(both.iter().map(|&n| pool.display(n).to_string()).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn refinement_finds_the_common_cuts() {
        assert_eq!(refined("128 768", "128 12 64").as_deref(), Some("128 12 64"));
        assert_eq!(refined("6 4", "2 12").as_deref(), Some("2 3 4"));
        assert_eq!(refined("6 4", "4 6"), None);
        assert_eq!(refined("", "").as_deref(), Some(""));
        assert_eq!(refined("4", "2"), None);
        assert_eq!(refined("b*s 768", "b s 12 64").as_deref(), Some("b s 12 64"));
        assert_eq!(refined("b s", "s b"), None);
        assert_eq!(refined("b 64", "s 64"), None);
    }

    /// The outer and the reduced extents of two domains joined.
    fn joined(a: [&str; 2], b: [&str; 2]) -> Option<String> {
        let mut pool = Pool::new();
        let [a, b] =
            [a, b].map(|[outer, red]| IterationDomain { outer: dims(&mut pool, outer), red: dims(&mut pool, red) });
        let joined = a.join(&mut pool, &b)?;
        assert_eq!(Some(&joined), b.join(&mut pool, &a).as_ref(), "joining is symmetric");
        let text = |dims: &Dims| dims.iter().map(|&n| pool.display(n).to_string()).collect::<Vec<_>>().join(" ");
        Some(format!("{} | {}", text(&joined.outer), text(&joined.red)))
    }

    #[test]
    fn rows_and_elements_stay_apart() {
        let softmax = ["8 16", "32"];
        for other in ["128 32", "8 16", "8 512"] {
            assert_eq!(joined(softmax, [other, ""]).as_deref(), Some("8 16 | 32"));
        }
        assert_eq!(joined(["", "32"], ["4 8", ""]).as_deref(), Some(" | 4 8"));
        assert_eq!(joined(softmax, ["4 4", ""]), None);
        assert_eq!(joined(["b s", "32"], ["b*s 32", ""]).as_deref(), Some("b s | 32"));
        assert_eq!(joined(["b", "s"], ["b*s", ""]).as_deref(), Some("b | s"));
    }
}
