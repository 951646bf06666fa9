//! Items shared between workers (threads of the grid, or of a group), and elements of less than a word that a thread
//! collects before it stores them.

use super::mapping::Items;
use super::{Gather, Linear, Lower, Reason};
use crate::grid::{Ty, Val};
use crate::heuristics;
use crate::loop_ir::{Op, Param, Stmt, StoreMode};
use symshapes::Expr;

type Result = std::result::Result<(), Reason>;

/// A store that fills whole words, if a thread takes as many items as a word has elements.
struct WordStore {
    param: Param,
    /// The offset of the element's index from the item's number.
    offset: Expr,
}

/// The number of items that a thread takes at once, and the words or vectors that it takes them for.
struct Run {
    each: i64,
    words: Vec<WordStore>,
    vectors: Option<super::vector::Plan>,
}

impl<'a> Lower<'a> {
    /// Runs the items from `start` to below `end` (all, without): those of numbers `worker`, `worker + workers`, …; as
    /// many at once as make a word of what is stored.
    pub(super) fn elements(
        &mut self,
        items: &Items<'a>,
        worker: Val,
        workers: Val,
        bounds: Option<(Val, Val)>,
    ) -> Result {
        let count = self.count(&items.chain);
        let run = self.run_of(items, count, true, bounds.is_none());
        let each = run.each;
        let (start, end) = match bounds {
            Some(bounds) => bounds,
            None => (self.b.i32(0), self.exact(count)?),
        };
        let scale = self.b.i32(each);
        let first = self.b.add(start, self.b.mul(worker, scale));
        let body = |this: &mut Self, base: Val| this.items_at(items, base, end, &run);
        let whole = i64::from(self.threads) * each;
        if bounds.is_none() && self.pool.as_int(count).is_some_and(|n| n <= whole) {
            let is_full = self.pool.as_int(count) == Some(whole);
            let inside = if is_full { self.b.bool(true) } else { self.b.lt(first, end) };
            return self.if_(inside, |this| body(this, first));
        }
        let step = self.b.mul(workers, scale);
        let copies = if run.vectors.is_some() { heuristics::grid_vectors_in_flight() } else { 1 };
        self.unrolled(copies, [first, end, step], body)
    }

    /// Runs all items, each thread of the grid those of several numbers; gives the number of groups.
    pub(super) fn grid_elements(&mut self, items: &Items<'a>) -> std::result::Result<Expr, Reason> {
        let count = self.count(&items.chain);
        let run = self.run_of(items, count, false, true);
        let numbers = if run.vectors.is_some() && self.keeps_device_busy(count, run.each) {
            heuristics::grid_vectors_in_flight()
        } else {
            1
        };
        let (group, thread) = (self.group(), self.thread());
        let [threads, each, turns] = [self.threads.into(), run.each, numbers.into()].map(|n| self.b.i32(n));
        let first = self.b.add(self.b.mul(self.b.mul(group, threads), turns), thread);
        let end = self.exact(count)?;
        let share = i64::from(self.threads) * run.each * i64::from(numbers);
        let groups = self.pool.int(share);
        let groups = self.pool.ceil_div(count, groups);
        let is_whole = self.pool.divisible_by(count, share);
        let ahead = run.vectors.as_ref().map(|plan| self.loads_ahead(plan, numbers)).unwrap_or_default();
        let each_turn = |this: &mut Self, f: &dyn Fn(&mut Self, Val, Val) -> Result| {
            let body = |this: &mut Self, turn: Val| {
                let number = this.b.add(first, this.b.mul(turn, threads));
                let base = this.b.mul(number, each);
                let inside = if is_whole { this.b.bool(true) } else { this.b.lt(base, end) };
                let at = this.b.mul(turn, each);
                this.if_(inside, |this| f(this, base, at))
            };
            this.turns(numbers, body)
        };
        let all = |this: &mut Self| match &run.vectors {
            Some(plan) => {
                if !ahead.is_empty() {
                    each_turn(this, &|this, base, at| this.load_ahead(items, base, plan, (&ahead, at)))?;
                }
                each_turn(this, &|this, base, at| this.items_in_vectors(items, base, plan, Some((&ahead, at))))
            }
            None => each_turn(this, &|this, base, _| this.items_at(items, base, end, &run)),
        };
        if is_whole {
            self.guarded(groups, all)?;
        } else {
            all(self)?;
        }
        Ok(groups)
    }

    /// True if there are items enough that each thread may take several times so many.
    fn keeps_device_busy(&self, count: Expr, each: i64) -> bool {
        self.typical(count, 0) / (each * i64::from(heuristics::grid_vectors_in_flight()))
            >= self.caps.busy_threads.into()
    }

    fn run_of(&mut self, items: &Items<'a>, count: Expr, shared: bool, all: bool) -> Run {
        let words = if all { self.word_stores(items, count) } else { Vec::new() };
        let vectors = if words.is_empty() { self.vectors(items, count, shared) } else { None };
        let each = vectors.as_ref().map_or_else(|| self.largest_packing(&words), |plan| plan.width);
        Run { each, words, vectors }
    }

    fn largest_packing(&self, words: &[WordStore]) -> i64 {
        words.iter().map(|word| self.packing(word.param)).max().unwrap_or(1)
    }

    /// The items from `base` on that a thread takes at once.
    fn items_at(&mut self, items: &Items<'a>, base: Val, end: Val, run: &Run) -> Result {
        let Run { each, words, vectors } = run;
        if let Some(plan) = vectors {
            return self.items_in_vectors(items, base, plan, None);
        }
        if *each == 1 {
            return self.item(items, base);
        }
        let zero = self.b.u32(0);
        let vars: Vec<_> = words.iter().map(|_| self.b.var_with(zero)).collect();
        let [first, last, step] = [0, *each, 1].map(|n| self.b.i32(n));
        self.for_([first, last, step], |this, element| {
            let at = this.b.add(base, element);
            let inside = this.b.lt(at, end);
            this.if_(inside, |this| {
                let is_last = this.b.eq(at, this.b.sub(end, this.b.i32(1)));
                for (word, &var) in words.iter().zip(&vars) {
                    let gather = Gather { offset: word.offset, word: var, element, is_last };
                    this.gather.insert(word.param, gather);
                }
                let done = this.item(items, at);
                words.iter().for_each(|word| {
                    this.gather.remove(&word.param);
                });
                done
            })
        })
    }

    /// One item.
    pub(super) fn item(&mut self, items: &Items<'a>, at: Val) -> Result {
        self.number(&items.chain, at);
        self.stmts_of_item(items)?;
        self.leave(&items.chain);
        Ok(())
    }

    /// Lowers the statements of an item; the loops' variables are known.
    pub(super) fn stmts_of_item(&mut self, items: &Items<'a>) -> Result {
        items.chain.iter().try_for_each(|link| self.thread_stmts(link.before))?;
        self.thread_stmts(items.leaf)
    }

    /// The stores of the items that run through a packed buffer without gaps, from a whole word to a whole word or to
    /// the buffer's end.
    fn word_stores(&mut self, items: &Items<'a>, count: Expr) -> Vec<WordStore> {
        let linear = self.linear_expr(&items.chain);
        let mut words: Vec<WordStore> = Vec::new();
        for stmt in items.leaf {
            let Stmt::Store { param, index, mask: None, mode: StoreMode::Set, .. } = *stmt else { continue };
            let packing = self.packing(param);
            if packing == 1 || self.is_accessed_twice(items, param) {
                continue;
            }
            let offset = self.pool.sub(index, linear);
            let kernel = self.kernel;
            let varies = items.chain.iter().any(|link| self.pool.mentions(offset, kernel.axes[link.axis].sym));
            let to_end = offset == Expr::ZERO && count == kernel.params[param].len;
            let whole = self.pool.divisible_by(count, packing) || to_end;
            if !varies && whole && self.pool.divisible_by(offset, packing) && !self.binds_in(items, offset) {
                words.push(WordStore { param, offset });
            }
        }
        words
    }

    /// True if some other statement of the items stores to the param, or loads another element of it.
    pub(super) fn is_accessed_twice(&self, items: &Items<'a>, param: Param) -> bool {
        let (mut stores, mut loads) = (0, 0);
        let mut visit = |stmt: &Stmt| match stmt {
            Stmt::Store { param: this, .. } if *this == param => stores += 1,
            Stmt::Let(value) if matches!(self.kernel.values[*value].op, Op::Load { param: this, .. } if this == param) =>
            {
                loads += 1;
            }
            _ => {}
        };
        for stmt in items.leaf {
            visit(stmt);
            if let Stmt::Loop(inner) = stmt {
                inner.walk(&mut visit);
            }
        }
        stores > 1 || (loads > 0 && self.kernel.params[param].role != crate::loop_ir::Role::InOut)
    }

    /// True if an expression has a symbol that the items bind.
    pub(super) fn binds_in(&self, items: &Items<'a>, e: Expr) -> bool {
        let binds = |stmt: &Stmt| match stmt {
            Stmt::Let(value) => match self.kernel.values[*value].op {
                Op::Bind(sym, _) => self.pool.mentions(e, sym),
                _ => false,
            },
            _ => false,
        };
        items.leaf.iter().any(binds) || items.chain.iter().any(|link| link.before.iter().any(binds))
    }

    /// Adds an element to the word that a thread collects, and stores the word with its last one.
    pub(super) fn gather(&mut self, param: Param, gather: Gather, bits: Val) -> Result {
        let packing = self.packing(param);
        let Some(Linear { at, .. }) = self.linear.last() else { return Err("a word outside of items".to_owned()) };
        let at = *at;
        let width = 32 / packing;
        let b = &self.b;
        let place = b.and(gather.element, b.i32(packing - 1));
        let shift = b.cast(Ty::U32, b.mul(place, b.i32(width)));
        let word = b.or(b.get(gather.word), b.shl(bits, shift));
        b.set(gather.word, word);
        let is_full = b.or(b.eq(place, b.i32(packing - 1)), gather.is_last);
        let offset = self.index(gather.offset)?;
        self.if_(is_full, |this| {
            let element = this.b.add(at, offset);
            let index = this.b.shr(element, this.b.i32(packing.trailing_zeros().into()));
            let word = this.b.get(gather.word);
            this.store_word(param, index, word);
            let zero = this.b.u32(0);
            this.b.set(gather.word, zero);
            Ok(())
        })
    }
}
