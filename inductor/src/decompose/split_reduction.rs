//! Split reductions: those of much to little are done in parts. Threads share the rows of a kernel, and few long rows
//! leave most of them idle.
//!
//! A part is what some of the reduced dimensions leave for each position of the others, or a stretch of one of them, of
//! which the last is filled up; what the parts give is reduced once more. Sums over the rows of a large matrix are done
//! so, too: blocks of rows are read in the order in which memory has them, beside whatever else reads those rows.

use super::builder::Builder;
use crate::heuristics;
use crate::tensor_ir::{Dims, Op, Tensor, typical};
use fx::prim::Reduction;
use smallvec::SmallVec;
use symshapes::Expr;

/// Reduced dimensions, in order.
type Reduced = SmallVec<[usize; 5]>;

impl Builder {
    /// A reduction over dimensions as one of parts and one of what they give, where that is worth it.
    pub(super) fn reduce_in_parts(&mut self, kind: Reduction, x: Tensor, dims: &[usize]) -> Option<Tensor> {
        if !self.splits || matches!(kind, Reduction::ArgMax | Reduction::ArgMin) {
            return None;
        }
        let last = self.sizes(x).iter().rposition(|&n| n != Expr::ONE)?;
        let is_across = !dims.contains(&last);
        let kept: Reduced = (0..self.rank(x)).filter(|d| !dims.contains(d)).collect();
        let (kept, length) = (self.extent(x, &kept), self.extent(x, dims));
        let all = kept.saturating_mul(length);
        let is_little = match is_across {
            true => kept < heuristics::split_few_columns() || all >= heuristics::split_column_elements(),
            false => kept < heuristics::split_few_rows(),
        };
        if !is_little || all < heuristics::split_least_elements() {
            return None;
        }
        let leading =
            1 + (0..dims.len()).find(|&at| self.extent(x, &dims[..=at]) >= heuristics::split_least_parts())?;
        let (x, parts, rest) = if !is_across && self.extent(x, &dims[leading..]) >= heuristics::split_part_length() {
            (x, Reduced::from_slice(&dims[..leading]), Reduced::from_slice(&dims[leading..]))
        } else {
            let (least, width, unit) = if is_across {
                (heuristics::split_part_rows(), kept, 1)
            } else {
                (heuristics::split_part_length(), 1, heuristics::split_line_elements())
            };
            let suits =
                |length: i64| length >= least && length.saturating_mul(width) <= heuristics::split_part_elements();
            self.stretches(kind, x, (dims, leading - 1), unit, suits)?
        };
        let left: Dims = (0..self.rank(x)).filter(|d| !rest.contains(d)).map(|d| self.sizes(x)[d]).collect();
        let partial = self.push(Op::Reduce(kind, x, rest.clone()), self.dtype(x), &left);
        // The dimensions in front of a part's own that are gone.
        let moved = |&part: &usize| part - rest.iter().filter(|&&d| d < part).count();
        let parts: Reduced = parts.iter().map(moved).collect();
        Some(self.reduce(kind, partial, &parts, false))
    }

    /// Elements along dimensions, typically.
    fn extent(&self, x: Tensor, dims: &[usize]) -> i64 {
        dims.iter().fold(1, |all: i64, &d| all.saturating_mul(typical(&self.graph.pool, self.sizes(x)[d])))
    }

    /// The tensor with the reduced dimension `dims[at]` cut into equal stretches, so that there are parts enough and
    /// each combines as many elements as `suits`; what numbers the parts, and what a part combines. A dimension that
    /// cannot be cut so is filled up with what changes no result; stretches are multiples of `unit` long then.
    fn stretches(
        &mut self,
        kind: Reduction,
        mut x: Tensor,
        (dims, at): (&[usize], usize),
        unit: i64,
        suits: impl Fn(i64) -> bool,
    ) -> Option<(Tensor, Reduced, Reduced)> {
        let cut = dims[at];
        let size = self.sizes(x)[cut];
        let [before, extent, behind] = [&dims[..at], &[cut], &dims[at + 1..]].map(|dims| self.extent(x, dims));
        let fits = |&n: &i64| {
            before.saturating_mul(n) >= heuristics::split_least_parts() && suits((extent / n).saturating_mul(behind))
        };
        let is_equal = |&n: &i64| self.graph.pool.as_int(size).is_some_and(|size| size % n == 0);
        let mut counts = (2..=heuristics::split_most_parts()).filter(fits);
        let (count, length) = match counts.clone().find(is_equal) {
            Some(count) => (count, self.int(extent / count)),
            None => {
                let count = counts.next()?;
                let pool = &mut self.graph.pool;
                let units = pool.int(unit * count);
                let units = pool.ceil_div(size, units);
                let length = pool.mul_int(units, unit);
                let whole = pool.mul_int(length, count);
                x = self.pad_with(x, cut, Expr::ZERO, whole, kind.identity(self.dtype(x)));
                (count, length)
            }
        };
        let mut sizes = Dims::from_slice(self.sizes(x));
        sizes[cut] = self.int(count);
        sizes.insert(cut + 1, length);
        let (parts, rest) = (dims[..=at].iter().copied().collect(), dims[at..].iter().map(|&d| d + 1).collect());
        Some((self.reshape(x, &sizes), parts, rest))
    }
}
