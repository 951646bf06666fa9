//! The stages of each strategy.

use super::mapping::{Items, Link, Mapping, Strategy};
use super::vector::MOST_LANES;
use super::{Builder, Linear, Lower, Reason};
use crate::grid::build::Parts;
use crate::grid::{Access, ArrayData, Binding, BindingData, Op, Source, Stage, Stmt as GridStmt, Ty, Val};
use crate::loop_ir::{Acc, Loop, Stmt};
use cranelift_entity::{EntitySet, SecondaryMap};
use rustc_hash::FxHashMap;
use symshapes::Expr;

type Result = std::result::Result<(), Reason>;

/// Groups of which each dimension of a grid has no more: their numbers are never beyond the last.
const ONE_DIMENSION: i64 = 65_535;

impl<'a> Lower<'a> {
    /// Builds the stages of a mapping.
    pub(super) fn map_to_stages(&mut self, mapping: &Mapping<'a>) -> Result {
        match mapping.strategy {
            Strategy::Flat => self.flat(&mapping.items),
            Strategy::Tiles(crossed) => self.tiles(&mapping.items, crossed),
            Strategy::Row => self.row(&mapping.items),
            Strategy::Split(pieces) => self.split(&mapping.items, pieces),
            Strategy::Columns(pieces) => self.columns(&mapping.items, pieces),
        }
    }

    /// A thread for each item, or for as many as make a word.
    fn flat(&mut self, items: &Items<'a>) -> Result {
        self.threads = self.caps.threads;
        let groups = self.grid_elements(items)?;
        self.finish("", groups)
    }

    /// A group of one thread for each item.
    pub(super) fn single(&mut self, items: &Items<'a>) -> Result {
        let groups = self.count(&items.chain);
        self.threads = 1;
        let number = self.group();
        self.guarded(groups, |this| this.item(items, number))?;
        self.finish("", groups)
    }

    /// A group for each item.
    fn row(&mut self, items: &Items<'a>) -> Result {
        let groups = self.count(&items.chain);
        self.threads = self.threads_for(items.leaf);
        self.keep_rows(items.leaf);
        self.place_scratch(groups)?;
        let group = self.group();
        self.guarded(groups, |this| {
            this.enter(&items.chain, group)?;
            this.group_stmts(items.leaf)?;
            this.leave(&items.chain);
            Ok(())
        })?;
        self.finish("", groups)
    }

    /// True if no group has a number beyond the last of so many.
    pub(super) fn is_one_dimension(&self, groups: Expr) -> bool {
        self.pool.as_int(groups).is_some_and(|groups| groups <= ONE_DIMENSION)
    }

    /// Runs `f` for the groups below a number.
    pub(super) fn guarded(&mut self, groups: Expr, f: impl FnOnce(&mut Self) -> Result) -> Result {
        let inside = if self.is_one_dimension(groups) {
            self.b.bool(true)
        } else {
            let count = self.exact(groups)?;
            self.b.lt(self.group(), count)
        };
        self.if_(inside, f)
    }

    /// Several groups reduce a piece of each item's loop; then one group for each item does the rest.
    fn split(&mut self, items: &Items<'a>, pieces: i64) -> Result {
        let (Some(at), rows) = (self.split_at(items.leaf), self.count(&items.chain)) else {
            return Err("no loop to split".to_owned());
        };
        let Stmt::Loop(l) = &items.leaf[at] else { return Err("no loop to split".to_owned()) };
        let groups = self.pool.mul_int(rows, pieces);
        let partials: Vec<(Acc, Binding, Option<Binding>)> =
            l.accs.iter().map(|&acc| self.partials(acc, groups)).collect();
        self.pieces_stage(items, at, l, pieces, &partials)?;
        self.finish("pieces", groups)?;
        self.rest_stage(items, at, l, pieces, &partials)?;
        self.finish("rest", rows)
    }

    /// Several threads reduce a piece of each item's loop, neighbours those of neighbouring items; then a thread for
    /// each item does the rest.
    fn columns(&mut self, items: &Items<'a>, pieces: i64) -> Result {
        let Some(at) = self.split_at(items.leaf) else { return Err("no loop to split".to_owned()) };
        let Stmt::Loop(l) = &items.leaf[at] else { return Err("no loop to split".to_owned()) };
        let columns = self.count(&items.chain);
        let count = self.pool.mul_int(columns, pieces);
        let partials: Vec<(Acc, Binding, Option<Binding>)> =
            l.accs.iter().map(|&acc| self.partials(acc, count)).collect();
        self.threads = self.caps.threads;
        let (inner, _) = self.items(l);
        let total = self.count(&inner.chain);
        let chunk = self.chunk(total, pieces);
        self.thread_each(count, |this, number| {
            let columns = this.exact(columns)?;
            let (piece, item) = (this.divide_naturals(number, columns), this.rest_of_naturals(number, columns));
            this.enter(&items.chain, item)?;
            this.thread_stmts(&items.leaf[..at])?;
            let (chunk, total) = (this.exact(chunk)?, this.exact(total)?);
            let start = this.b.mul(piece, chunk);
            let end = this.b.min(this.b.add(start, chunk), total);
            this.open_accs(&l.accs)?;
            let (first, step) = (this.b.i32(0), this.b.i32(1));
            this.elements(&inner, first, step, Some((start, end)))?;
            for &(acc, value, position) in &partials {
                let Some(running) = this.running[acc].take() else { return Err(format!("{acc} is not open")) };
                let result = this.b.get(running.value);
                this.keep(value, number, result);
                if let (Some(binding), Some(at)) = (position, running.position) {
                    let at = this.b.get(at);
                    this.keep(binding, number, at);
                }
            }
            this.leave(&items.chain);
            Ok(())
        })?;
        let groups = self.groups_of(count);
        self.finish("pieces", groups)?;
        self.threads = self.caps.threads;
        self.thread_each(columns, |this, number| {
            this.enter(&items.chain, number)?;
            this.thread_stmts(&items.leaf[..at])?;
            this.open_accs(&l.accs)?;
            let columns = this.exact(columns)?;
            let [first, end, step] = [0, pieces, 1].map(|n| this.b.i32(n));
            this.for_([first, end, step], |this, piece| {
                let at = this.b.add(this.b.mul(piece, columns), number);
                this.add_partials(&partials, at)
            })?;
            this.close_accs(&l.accs)?;
            this.thread_stmts(&items.leaf[at + 1..])?;
            this.leave(&items.chain);
            Ok(())
        })?;
        let groups = self.groups_of(columns);
        self.finish("rest", groups)
    }

    /// The iterations of each of so many pieces, which start at multiples of a vector.
    fn chunk(&mut self, total: Expr, pieces: i64) -> Expr {
        let lanes = self.pool.int(pieces * MOST_LANES);
        let vectors = self.pool.ceil_div(total, lanes);
        self.pool.mul_int(vectors, MOST_LANES)
    }

    /// Runs `f` in a thread for each number below a count.
    fn thread_each(&mut self, count: Expr, f: impl FnOnce(&mut Self, Val) -> Result) -> Result {
        let (group, thread) = (self.group(), self.thread());
        let threads = self.b.i32(self.threads.into());
        let number = self.b.add(self.b.mul(group, threads), thread);
        let count = self.exact(count)?;
        let inside = self.b.lt(number, count);
        self.if_(inside, |this| f(this, number))
    }

    /// The groups that have so many threads together.
    fn groups_of(&mut self, count: Expr) -> Expr {
        let threads = self.pool.int(self.threads.into());
        self.pool.ceil_div(count, threads)
    }

    /// Adds the partial results at a place to those of this thread.
    fn add_partials(&mut self, partials: &[(Acc, Binding, Option<Binding>)], at: Val) -> Result {
        for &(acc, value, position) in partials {
            let value = self.kept(value, at, acc);
            let position = position.map(|binding| {
                self.touch(binding, Access::Read);
                self.b.load(binding, Ty::I32, at)
            });
            self.add_to(acc, value, position)?;
        }
        Ok(())
    }

    /// Buffers for the partial results of an accumulator, and for their positions.
    fn partials(&mut self, acc: Acc, len: Expr) -> (Acc, Binding, Option<Binding>) {
        let data = self.kernel.accs[acc].clone();
        let ty = self.register(data.dtype);
        let value = self.temp(if ty == Ty::Bool { Ty::U32 } else { ty }, len);
        let position = super::reduce::has_position(data.kind).then(|| self.temp(Ty::I32, len));
        (acc, value, position)
    }

    /// A buffer of registers that no caller sees.
    pub(super) fn temp(&mut self, ty: Ty, len: Expr) -> Binding {
        let (dtype, mem) = super::memory::whole(ty);
        let data = BindingData { source: Source::Temp, dtype, mem, packing: 1, narrowed: false, alignment: 1, len };
        self.bindings.push(data)
    }

    fn pieces_stage(
        &mut self,
        items: &Items<'a>,
        at: usize,
        l: &'a Loop,
        pieces: i64,
        partials: &[(Acc, Binding, Option<Binding>)],
    ) -> Result {
        self.threads = self.caps.threads;
        let (inner, _) = self.items(l);
        let total = self.count(&inner.chain);
        let chunk = self.chunk(total, pieces);
        let group = self.group();
        let by = self.b.i32(pieces);
        let (row, piece) = (self.divide_naturals(group, by), self.rest_of_naturals(group, by));
        let rows = self.count(&items.chain);
        let groups = self.pool.mul_int(rows, pieces);
        self.guarded(groups, |this| {
            this.enter(&items.chain, row)?;
            this.thread_stmts(&items.leaf[..at])?;
            let chunk = this.exact(chunk)?;
            let total = this.exact(total)?;
            let start = this.b.mul(piece, chunk);
            let end = this.b.min(this.b.add(start, chunk), total);
            this.open_accs(&l.accs)?;
            let (thread, threads) = (this.thread(), this.b.i32(this.threads.into()));
            this.elements(&inner, thread, threads, Some((start, end)))?;
            let results =
                l.accs.iter().map(|&acc| this.across_group(acc)).collect::<std::result::Result<Vec<_>, _>>()?;
            let is_first = this.b.eq(thread, this.b.i32(0));
            this.if_(is_first, |this| {
                for (&(_, value, position), result) in partials.iter().zip(results) {
                    this.keep(value, group, result.0);
                    if let (Some(binding), Some(at)) = (position, result.1) {
                        this.keep(binding, group, at);
                    }
                }
                Ok(())
            })?;
            this.leave(&items.chain);
            Ok(())
        })
    }

    fn rest_stage(
        &mut self,
        items: &Items<'a>,
        at: usize,
        l: &'a Loop,
        pieces: i64,
        partials: &[(Acc, Binding, Option<Binding>)],
    ) -> Result {
        self.threads = u32::try_from(pieces).unwrap_or(32).next_power_of_two().clamp(32, self.caps.threads);
        let rows = self.count(&items.chain);
        let group = self.group();
        self.guarded(rows, |this| {
            this.enter(&items.chain, group)?;
            this.group_stmts(&items.leaf[..at])?;
            this.open_accs(&l.accs)?;
            let (thread, threads, count) = (this.thread(), this.b.i32(this.threads.into()), this.b.i32(pieces));
            let first = this.b.mul(group, count);
            this.for_([thread, count, threads], |this, i| {
                let at = this.b.add(first, i);
                this.add_partials(partials, at)
            })?;
            this.close_accs_of_group(&l.accs)?;
            this.group_stmts(&items.leaf[at + 1..])?;
            this.leave(&items.chain);
            Ok(())
        })
    }

    /// Writes a register to a buffer of its own.
    fn keep(&mut self, binding: Binding, index: Val, value: Val) {
        self.touch(binding, Access::Write);
        let ty = self.bindings[binding].mem.register();
        let value = self.b.cast(ty, value);
        self.b.push(GridStmt::Store { binding, index, value });
    }

    /// Reads a partial result back.
    fn kept(&mut self, binding: Binding, index: Val, acc: Acc) -> Val {
        self.touch(binding, Access::Read);
        let value = self.b.load(binding, self.bindings[binding].mem.register(), index);
        match self.register(self.kernel.accs[acc].dtype) {
            Ty::Bool => self.b.ne(value, self.b.like(value, 0.0)),
            _ => value,
        }
    }

    /// The thread's number.
    pub(super) fn thread(&self) -> Val {
        self.b.pure(Op::Thread, Ty::I32)
    }

    /// The group's number.
    pub(super) fn group(&self) -> Val {
        self.b.pure(Op::Group, Ty::I32)
    }

    /// Gives the variables of nested loops their values, by the number of an item, and computes what stands before the
    /// innermost.
    pub(super) fn enter(&mut self, chain: &[Link<'a>], at: Val) -> Result {
        self.number(chain, at);
        chain.iter().try_for_each(|link| self.thread_stmts(link.before))
    }

    /// Gives the variables of nested loops their values, by the number of an item.
    pub(super) fn number(&mut self, chain: &[Link<'a>], at: Val) {
        let kernel = self.kernel;
        let axes = chain.iter().map(|link| &kernel.axes[link.axis]);
        let (single, axes): (Vec<_>, Vec<_>) =
            axes.map(|axis| (axis.sym, axis.extent)).partition(|&(_, extent)| extent == Expr::ONE);
        for (sym, _) in single {
            self.syms.insert(sym, self.b.i32(0));
        }
        let expr = self.linear_expr(chain);
        self.linear.push(Linear { at, expr, axes });
    }

    /// The number of an item as an expression of the loops' variables.
    pub(super) fn linear_expr(&mut self, chain: &[Link<'_>]) -> Expr {
        let kernel = self.kernel;
        let axes = chain.iter().map(|link| &kernel.axes[link.axis]).filter(|axis| axis.extent != Expr::ONE);
        axes.fold(Expr::ZERO, |number, axis| {
            let (row, at) = (self.pool.mul(number, axis.extent), self.pool.sym(axis.sym));
            self.pool.add(row, at)
        })
    }

    /// Ends what [`Lower::enter`] began.
    pub(super) fn leave(&mut self, chain: &[Link<'_>]) {
        self.linear.pop();
        for link in chain {
            self.syms.remove(&self.kernel.axes[link.axis].sym);
        }
    }

    /// Ends the stage, and makes room for the next one.
    pub(super) fn finish(&mut self, suffix: &str, groups: Expr) -> Result {
        let Parts { vals, vars, shared, locals, body } =
            std::mem::replace(&mut self.b, Builder::new(self.caps.sees_nan)).finish();
        let bindings: Vec<(Binding, Access)> =
            self.access.iter().filter_map(|(binding, &access)| Some((binding, access?))).collect();
        if bindings.len() > self.caps.bindings as usize {
            return Err(format!("{} buffers in one dispatch", bindings.len()));
        }
        let shared_bytes: u32 = shared.values().map(ArrayData::bytes).sum();
        if shared_bytes > self.caps.shared_bytes {
            return Err(format!("{shared_bytes} bytes of workgroup memory"));
        }
        let name = self.stage_name(suffix);
        self.limits.insert(groups);
        self.stages.push(Stage { name, bindings, threads: self.threads, groups, shared, locals, vals, vars, body });
        self.access = SecondaryMap::new();
        self.places = SecondaryMap::new();
        self.place_params();
        self.values = SecondaryMap::new();
        self.ranges = SecondaryMap::new();
        self.syms.clear();
        self.running = SecondaryMap::new();
        self.reduced = SecondaryMap::new();
        self.stored = EntitySet::new();
        self.loaded = EntitySet::new();
        self.trees = FxHashMap::default();
        self.rows = None;
        Ok(())
    }

    /// An identifier of the kernel's name.
    fn stage_name(&self, suffix: &str) -> String {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let name: String = self.kernel.name.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
        let separator = if suffix.is_empty() { "" } else { "_" };
        // Languages have functions of their own called `exp`.
        format!("k_{name}{separator}{suffix}")
    }
}
