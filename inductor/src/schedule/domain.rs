//! Iteration spaces: which roots can share their loops.
//!
//! A domain is a list of outer extents and a list of reduced extents. Two domains can be joined where they walk the
//! same number of points and one list of extents refines both.

use crate::tensor_ir::{Dims, numel};

/// The loops of a kernel before any of them is merged or split.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Domain {
    /// Outer extents, outermost first; none of them 1.
    pub outer: Dims,
    /// Reduced extents, likewise; empty where nothing is reduced.
    pub red: Dims,
}

/// Which of a domain's loops a root runs in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Span {
    /// The outer loops only: once for each row.
    Outer,
    /// The outer loops and the reduced ones.
    Full,
}

/// The coarsest list of extents that refines both, if there is one.
pub fn refine(a: &[i64], b: &[i64]) -> Option<Dims> {
    if numel(a) != numel(b) {
        return None;
    }
    let mut cuts: Vec<i64> = suffix_products(a).chain(suffix_products(b)).collect();
    cuts.sort_unstable();
    cuts.dedup();
    let mut extents: Dims = Dims::new();
    let mut below = 1;
    for cut in cuts {
        if cut % below != 0 {
            return None;
        }
        if cut != below {
            extents.push(cut / below);
        }
        below = cut;
    }
    extents.reverse();
    Some(extents)
}

fn suffix_products(extents: &[i64]) -> impl Iterator<Item = i64> {
    extents.iter().rev().scan(1, |product, &n| {
        *product *= n;
        Some(*product)
    })
}

impl Domain {
    /// Rows.
    pub fn rows(&self) -> i64 {
        numel(&self.outer)
    }

    /// Elements in a row; 1 where nothing is reduced.
    pub fn row_len(&self) -> i64 {
        numel(&self.red)
    }

    /// Where a root that walks `extents` without reducing runs in this domain.
    pub fn span_of(&self, extents: &[i64]) -> Span {
        if !self.red.is_empty() && numel(extents) == self.rows() { Span::Outer } else { Span::Full }
    }

    /// The domain in which both can run.
    pub fn join(&self, other: &Domain) -> Option<Domain> {
        match (self.red.is_empty(), other.red.is_empty()) {
            (true, true) => Some(Domain { outer: refine(&self.outer, &other.outer)?, red: Dims::new() }),
            (false, false) => {
                Some(Domain { outer: refine(&self.outer, &other.outer)?, red: refine(&self.red, &other.red)? })
            }
            (false, true) => self.join_map(&other.outer),
            (true, false) => other.join_map(&self.outer),
        }
    }

    /// This domain refined by a root that reduces nothing and walks `extents`.
    fn join_map(&self, extents: &[i64]) -> Option<Domain> {
        if self.span_of(extents) == Span::Outer {
            return Some(Domain { outer: refine(&self.outer, extents)?, red: self.red.clone() });
        }
        let full: Dims = self.outer.iter().chain(&self.red).copied().collect();
        let refined = refine(&full, extents)?;
        // The cut between rows and elements is one of the refined cuts.
        let mut below = 1;
        let split = refined.iter().rposition(|&n| {
            below *= n;
            below == self.row_len()
        })?;
        Some(Domain { outer: refined[..split].into(), red: refined[split..].into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn domain(outer: &[i64], red: &[i64]) -> Domain {
        Domain { outer: outer.into(), red: red.into() }
    }

    #[test]
    fn refinement_finds_the_common_cuts() {
        assert_eq!(refine(&[128, 768], &[128, 12, 64]).as_deref(), Some(&[128, 12, 64][..]));
        assert_eq!(refine(&[6, 4], &[2, 12]).as_deref(), Some(&[2, 3, 4][..]));
        assert_eq!(refine(&[6, 4], &[4, 6]), None);
        assert_eq!(refine(&[], &[]).as_deref(), Some(&[][..]));
        assert_eq!(refine(&[4], &[2]), None);
    }

    #[test]
    fn rows_and_elements_stay_apart() {
        let softmax = domain(&[8, 16], &[32]);
        assert_eq!(softmax.join(&domain(&[128, 32], &[])), Some(domain(&[8, 16], &[32])));
        assert_eq!(softmax.join(&domain(&[8, 16], &[])), Some(softmax.clone()));
        assert_eq!(softmax.join(&domain(&[8, 512], &[])), Some(softmax.clone()));
        assert_eq!(domain(&[8, 512], &[]).join(&softmax), Some(softmax.clone()));
        assert_eq!(domain(&[], &[32]).join(&domain(&[4, 8], &[])), Some(domain(&[], &[4, 8])));
        assert_eq!(softmax.join(&domain(&[4, 4], &[])), None);
    }
}
