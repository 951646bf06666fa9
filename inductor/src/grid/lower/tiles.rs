//! Transposes: groups that have a square of two loops each.
//!
//! The threads of a warp are neighbours along one of the loops. What is contiguous along the other one lies in as many
//! cache lines as the warp has threads, and the group's other warps read the rest of these while they are cached.

use super::mapping::Items;
use super::{Lower, Refusal};
use crate::loop_ir::{Op, Stmt};
use symshapes::{Expr, Sym};

type Result = std::result::Result<(), Refusal>;

/// Iterations of either loop in a square.
const SIDE: i64 = 32;

/// Items from which on squares are worth it: below, everything is cached.
const LEAST: i64 = 1 << 16;

/// The two loops of squares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Square {
    /// The variable that neighbouring threads have neighbouring values of.
    along: Sym,
    /// The other one.
    across: Sym,
}

impl<'a> Lower<'a> {
    /// The loop along which some memory is contiguous that is not along the innermost one, and the innermost.
    pub(super) fn crossed(&mut self, items: &Items<'a>, count: i64) -> Option<Square> {
        if !self.caps.tiles || count < LEAST || items.leaf.iter().any(|stmt| matches!(stmt, Stmt::Loop(_))) {
            return None;
        }
        let kernel = self.kernel;
        let axes: Vec<(Sym, Expr)> =
            items.chain.iter().map(|link| &kernel.axes[link.axis]).map(|axis| (axis.sym, axis.extent)).collect();
        let wide: Vec<Sym> =
            axes.into_iter().filter(|&(_, extent)| self.typical(extent, SIDE) >= SIDE).map(|(sym, _)| sym).collect();
        let (&innermost, others) = wide.split_last()?;
        let (mut loads, mut stores) = (Vec::new(), Vec::new());
        for stmt in items.chain.iter().flat_map(|link| link.before).chain(items.leaf) {
            match stmt {
                Stmt::Let(value) => {
                    if let Op::Load { index, .. } = kernel.values[*value].op {
                        loads.push(index);
                    }
                }
                Stmt::Store { index, .. } => stores.push(*index),
                Stmt::Loop(_) | Stmt::Accumulate { .. } => {}
            }
        }
        let stride = |this: &mut Self, index, sym| this.pool.split_term(index, sym).map(|(stride, _)| stride);
        let crosses = |this: &mut Self, index, sym| {
            let along = stride(this, index, innermost);
            stride(this, index, sym) == Some(Expr::ONE)
                && along.is_some_and(|along| along != Expr::ZERO && along != Expr::ONE)
        };
        for &crossed in others.iter().rev() {
            // What a warp writes is contiguous: writes of less than a line are not gathered by a cache.
            if stores.iter().any(|&index| crosses(self, index, crossed)) {
                return Some(Square { along: crossed, across: innermost });
            }
            if loads.iter().any(|&index| crosses(self, index, crossed)) {
                return Some(Square { along: innermost, across: crossed });
            }
        }
        None
    }

    /// A group for each square.
    pub(super) fn tiles(&mut self, items: &Items<'a>, Square { along, across }: Square) -> Result {
        let kernel = self.kernel;
        let axes: Vec<(Sym, Expr)> =
            items.chain.iter().map(|link| &kernel.axes[link.axis]).map(|axis| (axis.sym, axis.extent)).collect();
        self.threads = self.caps.threads;
        let side = self.pool.int(SIDE);
        // The squares along each loop; those of others have a side of 1.
        let is_tiled = |sym| sym == along || sym == across;
        let squares: Vec<Expr> = axes
            .iter()
            .map(|&(sym, extent)| if is_tiled(sym) { self.pool.ceil_div(extent, side) } else { extent })
            .collect();
        let groups = squares.iter().fold(Expr::ONE, |product, &count| self.pool.mul(product, count));
        let group = self.group();
        self.guarded(groups, |this| {
            let mut rest = group;
            let mut starts = Vec::new();
            for (&(sym, extent), &count) in axes.iter().zip(&squares).rev() {
                let count = this.exact(count)?;
                let at = this.rest_of_naturals(rest, count);
                rest = this.divide_naturals(rest, count);
                let start = if is_tiled(sym) { this.b.mul(at, this.b.i32(SIDE)) } else { at };
                starts.push((sym, extent, start));
            }
            let thread = this.thread();
            let lane = this.b.and(thread, this.b.i32(SIDE - 1));
            let row = this.b.shr(thread, this.b.i32(SIDE.trailing_zeros().into()));
            let rows = i64::from(this.threads) / SIDE;
            let [end, step] = [SIDE, rows].map(|n| this.b.i32(n));
            this.for_([row, end, step], |this, row| {
                let mut inside = this.b.bool(true);
                for &(sym, extent, start) in &starts {
                    let within = if sym == along { lane } else { row };
                    let at = if is_tiled(sym) { this.b.add(start, within) } else { start };
                    if is_tiled(sym) && !this.pool.divisible_by(extent, SIDE) {
                        let extent = this.exact(extent)?;
                        inside = this.b.and(inside, this.b.lt(at, extent));
                    }
                    this.syms.insert(sym, at);
                }
                this.if_(inside, |this| this.stmts_of_item(items))?;
                starts.iter().for_each(|(sym, ..)| {
                    this.syms.remove(sym);
                });
                Ok(())
            })
        })?;
        self.finish("", groups)
    }
}
