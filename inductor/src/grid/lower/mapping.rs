//! The rule that chooses a strategy.
//!
//! 1. Loops that nest perfectly in the parallel one (values and one loop, which has no accumulators and whose
//!    iterations are independent) are taken together with it: their iterations are the *items*.
//! 2. Scratch rows need a group for each item: *row*.
//! 3. Where no independent loop is left inside, or the loops that are have `heuristics::grid_thread_iterations`
//!    iterations at most: *flat*. Where memory is contiguous along another of the loops than the innermost, *tiles*.
//! 4. Where the items run over lanes (memory is contiguous from item to item), *flat* too, unless the items are few
//!    and what is left inside is long.
//! 5. Where they run over lanes, and one thread each would leave much of the device idle, *columns*.
//! 6. Else *row*; and where rows are few and long and a single loop reduces each: *split*.

use super::{Lower, params_of};
use crate::heuristics;
use crate::loop_ir::{Axis, Loop, Op, Role, Stmt};
use rustc_hash::FxHashMap;
use symshapes::{Expr, Sym};

/// A loop of a perfect nest, and what stands in it before the next one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link<'a> {
    pub(super) axis: Axis,
    pub(super) before: &'a [Stmt],
}

/// A perfect nest of loops, and what stands in the innermost.
#[derive(Clone, Debug)]
pub(super) struct Items<'a> {
    pub(super) chain: Vec<Link<'a>>,
    pub(super) leaf: &'a [Stmt],
}

/// The two loops of squares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Square {
    /// The variable that neighbouring threads have neighbouring values of.
    pub(super) along: Sym,
    /// The other one.
    pub(super) across: Sym,
}

/// The strategies by which items are mapped to the machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Strategy {
    /// To threads.
    Flat,
    /// To the threads of groups that have a square each.
    Tiles(Square),
    /// To groups.
    Row,
    /// To this many groups each, and then to one.
    Split(i64),
    /// To this many threads each, and then to one.
    Columns(i64),
}

/// The items of a kernel and how they are mapped.
#[derive(Clone, Debug)]
pub(super) struct Mapping<'a> {
    pub(super) items: Items<'a>,
    pub(super) strategy: Strategy,
}

/// The mapping of the kernel.
pub(super) fn choose<'a>(lower: &mut Lower<'a>) -> Mapping<'a> {
    let kernel = lower.kernel;
    let (items, over_lanes) = lower.items(&kernel.root);
    let strategy = lower.strategy(&items, over_lanes);
    Mapping { items, strategy }
}

impl<'a> Lower<'a> {
    /// The perfect nest that starts with a loop, and whether one of its loops is over lanes.
    pub(super) fn items(&mut self, outermost: &'a Loop) -> (Items<'a>, bool) {
        let (mut l, mut chain, mut over_lanes) = (outermost, Vec::new(), outermost.vector);
        while let Some((before, inner)) = self.perfect_inner(&l.body) {
            if !inner.accs.is_empty() || !self.is_independent(inner) {
                break;
            }
            chain.push(Link { axis: l.axis, before });
            over_lanes |= inner.vector;
            l = inner;
        }
        chain.push(Link { axis: l.axis, before: &[] });
        (Items { chain, leaf: &l.body }, over_lanes)
    }

    /// The loop's statements before the only loop inside it and that loop, if it nests perfectly: nothing but values
    /// that any iteration may compute stands beside it.
    pub(super) fn perfect_inner<'s>(&self, body: &'s [Stmt]) -> Option<(&'s [Stmt], &'s Loop)> {
        let (last, before) = body.split_last()?;
        let Stmt::Loop(inner) = last else { return None };
        before.iter().all(|stmt| self.may_repeat(stmt)).then_some((before, inner))
    }

    /// The variables of a nest in terms of another's, if both have the same extents; loops of one iteration do not
    /// count.
    pub(super) fn renaming(&mut self, from: &Items<'a>, to: &Items<'a>) -> Option<FxHashMap<Sym, Expr>> {
        let kernel = self.kernel;
        let axes = |items: &Items<'a>| -> Vec<(Sym, Expr)> {
            let axes = items.chain.iter().map(|link| &kernel.axes[link.axis]);
            axes.filter(|axis| axis.extent != Expr::ONE).map(|axis| (axis.sym, axis.extent)).collect()
        };
        let (from, to) = (axes(from), axes(to));
        let is_same = from.iter().map(|axis| axis.1).eq(to.iter().map(|axis| axis.1));
        is_same.then(|| from.iter().zip(&to).map(|(from, to)| (from.0, self.pool.sym(to.0))).collect())
    }

    /// The number of items.
    pub(super) fn count(&mut self, chain: &[Link<'_>]) -> Expr {
        let kernel = self.kernel;
        chain.iter().fold(Expr::ONE, |product, link| self.pool.mul(product, kernel.axes[link.axis].extent))
    }

    fn strategy(&mut self, items: &Items<'a>, over_lanes: bool) -> Strategy {
        if self.kernel.params.values().any(|data| data.role == Role::Scratch) {
            return Strategy::Row;
        }
        let count = self.count(&items.chain);
        let (count, inside) = (self.typical(count, heuristics::grid_busy_items()), self.longest(items.leaf));
        if over_lanes && let Some(pieces) = self.pieces_of_columns(items.leaf, count, inside) {
            return Strategy::Columns(pieces);
        }
        let few_and_long = count < heuristics::grid_busy_items() && inside >= heuristics::grid_group_iterations();
        match inside {
            few if few <= heuristics::grid_thread_iterations() => {
                self.crossed(items, count).map_or(Strategy::Flat, Strategy::Tiles)
            }
            _ if over_lanes && !few_and_long => Strategy::Flat,
            _ => self.pieces(items.leaf, count, inside).map_or(Strategy::Row, Strategy::Split),
        }
    }

    /// The iterations of the longest independent loop, with those that nest in it; 0 if there is none.
    fn longest(&mut self, stmts: &'a [Stmt]) -> i64 {
        let mut longest = 0;
        for stmt in stmts {
            let Stmt::Loop(l) = stmt else { continue };
            let here = if self.is_independent(l) {
                let (items, _) = self.items(l);
                let count = self.count(&items.chain);
                self.typical(count, heuristics::unknown_size())
            } else {
                0
            };
            longest = longest.max(here).max(if here == 0 { self.longest(&l.body) } else { 0 });
        }
        longest
    }

    /// The pieces to split a row into, where that helps: a single loop reduces it.
    fn pieces(&mut self, leaf: &'a [Stmt], rows: i64, row: i64) -> Option<i64> {
        let pieces = (row / heuristics::grid_row_piece()).min(heuristics::grid_most_pieces());
        (rows <= heuristics::grid_few_rows() && pieces >= 4 && self.reduces_by_one_loop(leaf)).then_some(pieces)
    }

    /// The pieces to split each column into, where that helps: a single loop reduces it.
    fn pieces_of_columns(&mut self, leaf: &'a [Stmt], columns: i64, column: i64) -> Option<i64> {
        let pieces = (i64::from(self.caps.busy_threads) / columns.max(1))
            .min(column / heuristics::grid_column_piece())
            .min(heuristics::grid_most_pieces());
        (self.caps.columns && pieces >= 2 && self.reduces_by_one_loop(leaf)).then_some(pieces)
    }

    /// True if a single loop, which may be taken to pieces, reduces each item.
    fn reduces_by_one_loop(&mut self, leaf: &'a [Stmt]) -> bool {
        let Some(at) = self.split_at(leaf) else { return false };
        let Stmt::Loop(l) = &leaf[at] else { return false };
        let (_, stores) = params_of(self.kernel, &l.body);
        stores.keys().all(|param| self.kernel.params[param].dtype == symshapes::DType::Bool) && self.is_independent(l)
    }

    /// The place of the only loop, if all before it may be computed twice.
    pub(super) fn split_at(&self, leaf: &[Stmt]) -> Option<usize> {
        let mut loops = leaf.iter().enumerate().filter(|(_, stmt)| matches!(stmt, Stmt::Loop(_)));
        let (at, first) = loops.next()?;
        let Stmt::Loop(l) = first else { return None };
        let repeats = leaf[..at].iter().all(|stmt| self.may_repeat(stmt));
        let owns_all = !l.accs.is_empty() && !l.body.iter().any(|stmt| self.has_accs(stmt));
        (loops.next().is_none() && repeats && owns_all).then_some(at)
    }

    fn has_accs(&self, stmt: &Stmt) -> bool {
        match stmt {
            Stmt::Loop(inner) => !inner.accs.is_empty() || inner.body.iter().any(|stmt| self.has_accs(stmt)),
            Stmt::Let(value) => matches!(self.kernel.values[*value].op, Op::Reduced(_)),
            _ => false,
        }
    }

    /// True if some loop inside may be shared by the threads of a group.
    pub(super) fn has_shareable(&mut self, stmts: &'a [Stmt]) -> bool {
        stmts.iter().any(|stmt| match stmt {
            Stmt::Loop(l) => self.is_independent(l) || self.has_shareable(&l.body),
            _ => false,
        })
    }

    /// Threads for groups whose longest loop is that of these statements.
    pub(super) fn threads_for(&mut self, stmts: &'a [Stmt]) -> u32 {
        let longest = u32::try_from(self.longest(stmts).max(1)).unwrap_or(1 << 31);
        if longest >= heuristics::grid_long_row() {
            return self.caps.row_threads;
        }
        longest.next_power_of_two().clamp(32, self.caps.threads)
    }
}
