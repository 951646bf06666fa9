//! Bounds checks of indices against their buffers, as far as those can be decided.
//!
//! Where every value of an index is known to occur, bounds are exact. Otherwise only what is wrong for all sizes counts
//! as wrong: what is promised of sizes beside their ranges (that one is at most another, say) is not known here.

use super::Kernel;
use rustc_hash::FxHashSet;
use symshapes::{Expr, Pool, Range, Sym};

/// The bounds of a kernel's accesses.
pub(super) struct Bounds<'a> {
    kernel: &'a Kernel,
    /// The kernel's expressions, and those that are made to prove something.
    pool: Pool,
}

impl<'a> Bounds<'a> {
    pub(super) fn new(kernel: &'a Kernel) -> Bounds<'a> {
        Bounds { kernel, pool: kernel.exprs.clone() }
    }

    /// False if an index that runs along these axes is sure to leave a buffer of `len` elements.
    pub(super) fn may_fit(&mut self, index: Expr, len: Expr, axes: &FxHashSet<Sym>) -> bool {
        let range = self.pool.range(index);
        if let Some(len) = self.pool.as_int(len) {
            let inside = range.intersect(Range::index(len));
            if self.is_exact(index, axes) {
                return inside == range;
            }
            if inside.is_empty() {
                return false;
            }
        }
        let (least, most) = self.extremes(index, axes).unwrap_or((index, index));
        let beyond = self.pool.add_int(most, 1);
        range.hi >= 0 && !self.pool.is_less(least, Expr::ZERO) && !self.pool.is_less(len, beyond)
    }

    /// True if both ends of the index's range occur: it is affine, in axes that take all of their range.
    fn is_exact(&self, index: Expr, axes: &FxHashSet<Sym>) -> bool {
        let exprs = &self.kernel.exprs;
        let whole = |sym: Sym| {
            let range = exprs.symbol_range(sym);
            let mut rows = self.kernel.axes.values().filter(|axis| axis.sym == sym);
            axes.contains(&sym) && rows.all(|axis| exprs.as_int(axis.extent).is_some_and(|n| range == Range::index(n)))
        };
        exprs.affine(index).is_some_and(|(_, coeffs)| coeffs.iter().all(|&(sym, _)| whole(sym)))
    }

    /// The least and the greatest value, as expressions of sizes; `None` if the index is not linear in its axes, has
    /// coefficients of unknown sign, or anything else in it than axes and sizes.
    fn extremes(&mut self, index: Expr, axes: &FxHashSet<Sym>) -> Option<(Expr, Expr)> {
        let (mut least, mut most) = (index, index);
        for axis in self.kernel.axes.values().filter(|axis| axes.contains(&axis.sym)) {
            let (coefficient, without) = self.pool.split_term(most, axis.sym)?;
            let last = self.pool.add_int(axis.extent, -1);
            let span = self.pool.mul(coefficient, last);
            let signs = self.pool.range(coefficient);
            let (_, below) = self.pool.split_term(least, axis.sym)?;
            (least, most) = match (signs.lo >= 0, signs.hi <= 0) {
                (true, _) => (below, self.pool.add(without, span)),
                (_, true) => (self.pool.add(below, span), without),
                _ => return None,
            };
        }
        let is_size = |sym: &Sym| self.kernel.sizes.contains(sym);
        self.pool.symbols(most).iter().all(is_size).then_some((least, most))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Kernel, verify::verify};

    /// True if a copy of these lengths and of this index passes the verifier.
    fn passes(len: &str, extent: &str, index: &str) -> bool {
        let text = format!(
            "kernel k<s0: 2.., s1: 1..>(%0: f32[{len}] in, %1: f32[s0*s1] out) {{
               parallel i0 in 0..s0 {{
                 for i1 in 0..{extent} {{
                   v0: f32 = load %0[{index}]
                   store %1[0] = v0
                 }}
               }}
             }}"
        );
        verify(&text.parse::<Kernel>().expect("the text is a kernel")).is_ok()
    }

    #[test]
    fn what_leaves_a_buffer_at_all_sizes_is_found() {
        assert!(passes("s0*s1", "s1", "i0*s1 + i1"));
        assert!(!passes("s0*s1", "s1", "i0*s1 + i1 + 1"));
        assert!(!passes("s0*s1", "s1 + 1", "i0*s1 + i1"));
        assert!(!passes("s0*s1", "s1", "i0*s1 + i1 - 1"));
        assert!(passes("s0*s1", "s1", "i0*s1 - i1 + s1 - 1"));
        assert!(!passes("s0*s1", "s1", "i0*s1 - i1 + s1"));
        assert!(!passes("7", "8", "i1"));
    }

    #[test]
    fn what_may_be_promised_elsewhere_is_not_an_error() {
        assert!(passes("s0*s1", "s0", "i0*s1 + i1"));
        assert!(passes("100", "s1", "i0 + i1"));
        assert!(passes("s0*s1", "s1", "Mod(i0*s1 + i1, s0)"));
    }
}
