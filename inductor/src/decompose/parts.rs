//! Reductions of much to little, in parts: threads share the rows of a kernel, and few long rows leave most of them
//! idle.
//!
//! A part is what some of the reduced dimensions leave for each position of the others, or a stretch of one of them;
//! what the parts give is reduced once more. Sums over the rows of a large matrix are done so, too: blocks of rows are
//! read in the order in which memory has them, beside whatever else reads those rows.

use super::builder::Builder;
use crate::tensor_ir::{Dims, Tensor, typical};
use fx::prim::Reduction;
use smallvec::SmallVec;
use symshapes::Expr;

/// Fewer results than this are few, where neighbours in memory are combined.
const FEW_ROWS: i64 = 8;

/// The same where neighbours lie side by side in the result, and go through lanes.
const FEW_COLUMNS: i64 = 512;

/// Elements below which a second kernel takes longer than it saves.
const MUCH: i64 = 1 << 18;

/// Elements that no cache of a single core holds.
const VERY_MUCH: i64 = 1 << 21;

/// So many parts at least, and stretches of a dimension at most.
const PARTS: i64 = 32;
const MOST_STRETCHES: i64 = 1024;

/// Neighbours, or else rows, that a part combines at least.
const LENGTH: i64 = 128;
const ROWS: i64 = 16;

/// Elements of a stretch at most: a core's cache holds them.
const MOST_OF_STRETCH: i64 = 1 << 16;

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
            true => kept < FEW_COLUMNS || all >= VERY_MUCH,
            false => kept < FEW_ROWS,
        };
        if !is_little || all < MUCH {
            return None;
        }
        let leading = 1 + (0..dims.len()).find(|&at| self.extent(x, &dims[..=at]) >= PARTS)?;
        let (x, parts, rest) = if !is_across && self.extent(x, &dims[leading..]) >= LENGTH {
            (x, Reduced::from_slice(&dims[..leading]), Reduced::from_slice(&dims[leading..]))
        } else {
            let (least, width) = if is_across { (ROWS, kept) } else { (LENGTH, 1) };
            self.stretches(x, dims, leading - 1, |length| length >= least && length * width <= MOST_OF_STRETCH)?
        };
        let partial = self.reduce(kind, x, &rest, false);
        // The dimensions in front of a part's own that are gone.
        let moved = |&part: &usize| part - rest.iter().filter(|&&d| d < part).count();
        let parts: Reduced = parts.iter().map(moved).collect();
        Some(self.reduce(kind, partial, &parts, false))
    }

    /// Elements along dimensions, typically.
    fn extent(&self, x: Tensor, dims: &[usize]) -> i64 {
        dims.iter().fold(1, |all: i64, &d| all.saturating_mul(typical(&self.graph.pool, self.sizes(x)[d])))
    }

    /// The tensor with the reduced dimension `dims[at]` cut into stretches, so that there are parts enough and each
    /// combines as many elements as `suits`; what numbers the parts, and what a part combines.
    fn stretches(
        &mut self,
        x: Tensor,
        dims: &[usize],
        at: usize,
        suits: impl Fn(i64) -> bool,
    ) -> Option<(Tensor, Reduced, Reduced)> {
        let (cut, mut sizes) = (dims[at], Dims::from_slice(self.sizes(x)));
        let extent = self.graph.pool.as_int(sizes[cut])?;
        let (before, behind) = (self.extent(x, &dims[..at]), self.extent(x, &dims[at + 1..]));
        let fits = |&n: &i64| extent % n == 0 && before * n >= PARTS && suits((extent / n).saturating_mul(behind));
        let count = (2..=MOST_STRETCHES).find(fits)?;
        sizes[cut] = self.int(count);
        let length = self.int(extent / count);
        sizes.insert(cut + 1, length);
        let (parts, rest) = (dims[..=at].iter().copied().collect(), dims[at..].iter().map(|&d| d + 1).collect());
        Some((self.reshape(x, &sizes), parts, rest))
    }
}
