//! Transposes: groups that have a square of two loops each.
//!
//! The threads of a warp are neighbours along one of the loops. What is contiguous along the other one is loaded into
//! workgroup memory first, by threads that are neighbours along that one.

use super::mapping::{Items, Link, Square};
use super::{Lower, Reason};
use crate::grid::{Shared, Stmt as GridStmt, Val};
use crate::heuristics;
use crate::loop_ir::{Op, Param, Role, Stmt, Value};
use symshapes::{Expr, Sym};

type Result = std::result::Result<(), Reason>;

/// Iterations of either loop in a square.
const SIDE: i64 = 32;

/// Elements between the rows of a square in workgroup memory: one more than there are, so that a column lies in as many
/// banks as a row.
const ROW: i64 = SIDE + 1;

/// A load whose square lies in workgroup memory, by `along` and then `across`.
#[derive(Clone, Copy, Debug)]
struct Staged {
    value: Value,
    param: Param,
    index: Expr,
    shared: Shared,
}

/// The place of a staged load's element in workgroup memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct InSquare {
    shared: Shared,
    index: Val,
}

/// A loop of the items, of which a group has a part: its variable, its extent, and the first value of the group.
type Start = (Sym, Expr, Val);

impl<'a> Lower<'a> {
    /// The loop along which some memory is contiguous that is not along the innermost one, and the innermost.
    pub(super) fn crossed(&mut self, items: &Items<'a>, count: i64) -> Option<Square> {
        if !self.caps.tiles
            || count < heuristics::grid_tile_least_items()
            || items.leaf.iter().any(|stmt| matches!(stmt, Stmt::Loop(_)))
        {
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
        for &crossed in others.iter().rev() {
            // What a warp writes is contiguous: writes of less than a line are not gathered by a cache.
            if stores.iter().any(|&index| self.crosses(index, innermost, crossed)) {
                return Some(Square { along: crossed, across: innermost });
            }
            if loads.iter().any(|&index| self.crosses(index, innermost, crossed)) {
                return Some(Square { along: innermost, across: crossed });
            }
        }
        None
    }

    /// True if an index runs by ones along a loop, and by more along another.
    fn crosses(&mut self, index: Expr, along: Sym, across: Sym) -> bool {
        let mut stride = |sym| self.pool.split_term(index, sym).map(|(stride, _)| stride);
        stride(across) == Some(Expr::ONE)
            && stride(along).is_some_and(|stride| stride != Expr::ZERO && stride != Expr::ONE)
    }

    /// The loads that are staged.
    fn staged(&mut self, items: &Items<'a>, Square { along, across }: Square) -> Vec<Staged> {
        let kernel = self.kernel;
        let mut staged = Vec::new();
        for stmt in items.leaf {
            let Stmt::Let(value) = *stmt else { continue };
            let Op::Load { param, index, mask: None } = kernel.values[value].op else { continue };
            let is_input = kernel.params[param].role == Role::In;
            if is_input
                && staged.len() < heuristics::grid_most_tiles()
                && !self.binds_in(items, index)
                && self.crosses(index, along, across)
            {
                let shared = self.b.shared(self.register(kernel.params[param].dtype), (SIDE * ROW) as u32);
                staged.push(Staged { value, param, index, shared });
            }
        }
        staged
    }

    /// A group for each square.
    pub(super) fn tiles(&mut self, items: &Items<'a>, square: Square) -> Result {
        let Square { along, across } = square;
        let kernel = self.kernel;
        let axis = |link: &Link<'a>| (kernel.axes[link.axis].sym, kernel.axes[link.axis].extent);
        let axes: Vec<(Sym, Expr)> = items.chain.iter().map(axis).collect();
        self.threads = self.caps.threads;
        let side = self.pool.int(SIDE);
        // The squares along each loop; those of others have a side of 1.
        let is_tiled = |sym| sym == along || sym == across;
        let squares: Vec<Expr> = axes
            .iter()
            .map(|&(sym, extent)| if is_tiled(sym) { self.pool.ceil_div(extent, side) } else { extent })
            .collect();
        let groups = squares.iter().fold(Expr::ONE, |product, &count| self.pool.mul(product, count));
        let staged = self.staged(items, square);
        let group = self.group();
        self.guarded(groups, |this| {
            let mut rest = group;
            let mut starts: Vec<Start> = Vec::new();
            for (&(sym, extent), &count) in axes.iter().zip(&squares).rev() {
                let count = this.exact(count)?;
                let at = this.rest_of_naturals(rest, count);
                rest = this.divide_naturals(rest, count);
                let start = if is_tiled(sym) { this.b.mul(at, this.b.i32(SIDE)) } else { at };
                starts.push((sym, extent, start));
            }
            let width = this.b.i32(ROW);
            if !staged.is_empty() {
                this.in_square(&starts, Square { along: across, across: along }, |this, lane, row| {
                    let place = this.b.add(this.b.mul(row, width), lane);
                    staged.iter().try_for_each(|load| {
                        let index = this.element(load.param, load.index)?;
                        let value = this.load(load.param, index)?;
                        this.b.push(GridStmt::StoreShared { shared: load.shared, index: place, value });
                        Ok(())
                    })
                })?;
                this.barrier();
            }
            this.in_square(&starts, square, |this, lane, row| {
                let index = this.b.add(this.b.mul(lane, width), row);
                let places = staged.iter().map(|load| (load.value, InSquare { shared: load.shared, index }));
                this.in_square.extend(places);
                let done = this.stmts_of_item(items);
                this.in_square.clear();
                done
            })
        })?;
        self.finish("", groups)
    }

    /// Runs `f` for the items of a square, with the numbers of each along the two loops. Neighbouring threads are
    /// neighbours along the first.
    fn in_square(
        &mut self,
        starts: &[Start],
        Square { along, across }: Square,
        f: impl FnOnce(&mut Self, Val, Val) -> Result,
    ) -> Result {
        let thread = self.thread();
        let lane = self.b.and(thread, self.b.i32(SIDE - 1));
        let first = self.b.shr(thread, self.b.i32(SIDE.trailing_zeros().into()));
        let rows = i64::from(self.threads) / SIDE;
        let turns = u32::try_from(SIDE / rows).map_err(|_| "a square of too many rows".to_owned())?;
        self.turns(turns, |this, turn| {
            let row = this.b.add(this.b.mul(turn, this.b.i32(rows)), first);
            let mut inside = this.b.bool(true);
            for &(sym, extent, start) in starts {
                let within = [(along, lane), (across, row)].into_iter().find(|&(loop_, _)| loop_ == sym);
                let Some((_, within)) = within else {
                    this.syms.insert(sym, start);
                    continue;
                };
                let at = this.b.add(start, within);
                if !this.pool.divisible_by(extent, SIDE) {
                    let extent = this.exact(extent)?;
                    inside = this.b.and(inside, this.b.lt(at, extent));
                }
                this.syms.insert(sym, at);
            }
            this.if_(inside, |this| f(this, lane, row))?;
            starts.iter().for_each(|(sym, ..)| {
                this.syms.remove(sym);
            });
            Ok(())
        })
    }

    /// The element of a load whose square is in workgroup memory.
    pub(super) fn of_square(&self, value: Value) -> Option<Val> {
        let InSquare { shared, index } = *self.in_square.get(&value)?;
        Some(self.b.load_shared(shared, index))
    }
}
