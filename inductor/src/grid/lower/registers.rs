//! Rows in registers: a thread keeps what it has loaded or computed for its items from one loop of a row to the next.
//!
//! The loops of a row that have as many items, of which a thread takes as many at once, give each thread the same
//! items. What several of them load from one place is loaded by the first one; a row in scratch that each item writes
//! and reads its own element of needs no memory at all. Each is an array of the thread, with an element for each of its
//! items; the loops are unrolled, so that the arrays are registers.

use super::mapping::Items;
use super::vector::WIDTHS;
use super::{Lower, Reason, StorageClass, each_access};
use crate::grid::{Local, Val};
use crate::heuristics;
use crate::loop_ir::{Axis, Loop, Op, Param, Role, Stmt, StoreMode, Value};
use indexmap::IndexMap;
use rustc_hash::FxHashMap;
use symshapes::{Expr, Range, Sym};

type Result<T = ()> = std::result::Result<T, Reason>;

/// The rows that threads keep in registers, and how the loops over them are shared.
pub(super) struct Rows {
    /// The outermost axes of the loops.
    loops: Vec<Axis>,
    /// Items of each loop.
    count: i64,
    /// Items that a thread takes at once.
    width: i64,
    /// The times that it does so.
    turns: u32,
    /// The loads whose elements are kept, and whether they are the first of those.
    loads: FxHashMap<Value, (Local, bool)>,
    /// Index, in each array, of the first of the items at hand.
    at: Option<Val>,
}

/// A loop of a row.
struct Member<'a> {
    axis: Axis,
    items: Items<'a>,
}

/// An array that several loops use: an element for each item.
struct Slot {
    /// The places of the first and the last loop.
    first: usize,
    last: usize,
    kept: Kept,
}

/// The elements of a slot.
enum Kept {
    /// All of a row in scratch.
    Scratch(Param),
    /// Loads, all of the same elements.
    Loads(Param, Vec<(usize, Value)>),
}

impl<'a> Lower<'a> {
    /// Decides which rows are kept in registers, if that is possible for any. The group has no more threads, then, than
    /// have items.
    pub(super) fn keep_rows(&mut self, leaf: &'a [Stmt]) {
        if self.caps.row_registers == 0 || !self.caps.narrow_memory {
            return;
        }
        let members = self.members(leaf);
        let Some(count) = members.first().map(|member| self.count(&member.items.chain)) else { return };
        let Some(items) = self.pool.as_int(count).filter(|&items| items > 0) else { return };
        let width = self.common_width(&members, count);
        let busy = u64::try_from(items.div_euclid(width)).unwrap_or(1).next_power_of_two();
        let threads = u32::try_from(busy).unwrap_or(self.threads).clamp(32, self.threads.max(32));
        let each = i64::from(threads) * width;
        let Ok(turns) = u32::try_from(items / each + i64::from(items % each != 0)) else { return };
        let Some(elements) = turns.checked_mul(width as u32) else { return };
        let slots = self.slots(leaf, &members);
        let slots = self.fitting(
            slots,
            members.len(),
            elements,
            heuristics::grid_most_registers().min(self.caps.row_registers / threads),
        );
        if slots.is_empty() {
            return;
        }
        self.threads = threads;
        let loops = members.iter().map(|member| member.axis).collect();
        let mut rows = Rows { loops, count: items, width, turns, loads: FxHashMap::default(), at: None };
        for slot in slots {
            let (Kept::Scratch(param) | Kept::Loads(param, _)) = slot.kept;
            let ty = self.register(self.kernel.params[param].dtype);
            let local = self.b.local(ty, elements);
            match slot.kept {
                Kept::Scratch(param) => self.places[param] = Some(StorageClass::Registers(local, ty)),
                Kept::Loads(_, loads) => {
                    let loads = loads.into_iter().map(|(at, value)| (value, (local, at == slot.first)));
                    rows.loads.extend(loads);
                }
            }
        }
        self.rows = Some(rows);
    }

    /// The independent loops without loops inside that have the most items, in order: those whose extents are alike.
    fn members(&mut self, leaf: &'a [Stmt]) -> Vec<Member<'a>> {
        let mut members: Vec<(i64, Member<'a>)> = Vec::new();
        for stmt in leaf {
            let Stmt::Loop(l) = stmt else { continue };
            if !self.is_independent(l) {
                continue;
            }
            let (items, _) = self.items(l);
            let count = self.count(&items.chain);
            let is_plain = items.leaf.iter().all(|stmt| !matches!(stmt, Stmt::Loop(_)));
            let Some(count) = self.pool.as_int(count).filter(|_| is_plain) else { continue };
            members.push((count, Member { axis: l.axis, items }));
        }
        let Some((_, longest)) = members.iter().max_by_key(|(count, _)| *count) else { return Vec::new() };
        let longest = longest.items.clone();
        let alike = |(_, member): (i64, Member<'a>)| self.renaming(&member.items, &longest).map(|_| member);
        members.into_iter().filter_map(alike).collect()
    }

    /// The number of items that a thread takes at once in each of the loops.
    fn common_width(&mut self, members: &[Member<'a>], count: Expr) -> i64 {
        if !self.has_work_for_vectors(count, true) {
            return 1;
        }
        let mut fits = |width: i64| {
            let widest = |member: &Member<'a>| {
                self.vectors_of(&member.items, count, width).map(|plan| self.widest(&plan).unwrap_or(0))
            };
            let widest: Option<Vec<i64>> = members.iter().map(widest).collect();
            widest.is_some_and(|widest| widest.into_iter().max() >= Some(width))
        };
        WIDTHS.into_iter().find(|&width| fits(width)).unwrap_or(1)
    }

    /// Candidates for arrays, the most useful first.
    fn slots(&mut self, leaf: &'a [Stmt], members: &[Member<'a>]) -> Vec<Slot> {
        let mut scratch: IndexMap<Param, Vec<(usize, Expr, bool)>> = IndexMap::new();
        let mut loads: IndexMap<(Param, Expr), Vec<(usize, Value)>> = IndexMap::new();
        for (at, member) in members.iter().enumerate() {
            let Some(map) = self.renaming(&member.items, &members[0].items) else { continue };
            for stmt in member.items.leaf {
                let (param, index, value) = match *stmt {
                    Stmt::Let(value) => match self.kernel.values[value].op {
                        Op::Load { param, index, mask: None } => (param, index, Some(value)),
                        _ => continue,
                    },
                    Stmt::Store { param, index, mask: None, mode: StoreMode::Set, .. } => (param, index, None),
                    _ => continue,
                };
                if self.binds_in(&member.items, index) {
                    continue;
                }
                let index = self.pool.subst(index, &map);
                match (self.kernel.params[param].role, value) {
                    (Role::Scratch, _) => scratch.entry(param).or_default().push((at, index, value.is_none())),
                    (Role::In, Some(value)) if self.is_of_row(index, &members[0].items) => {
                        loads.entry((param, index)).or_default().push((at, value));
                    }
                    _ => {}
                }
            }
        }
        let mut slots = Vec::new();
        for (param, accesses) in scratch {
            let [(first, index, true), .., (last, ..)] = accesses[..] else { continue };
            let alike = accesses.iter().all(|&(_, other, _)| other == index);
            let mut all = 0;
            each_access(self.kernel, leaf, |other, _| all += usize::from(other == param));
            if alike && all == accesses.len() {
                slots.push(Slot { first, last, kept: Kept::Scratch(param) });
            }
        }
        slots.sort_by_key(|slot| slot.first);
        for ((param, _), values) in loads {
            if let [(first, _), .., (last, _)] = values[..]
                && first < last
            {
                slots.push(Slot { first, last, kept: Kept::Loads(param, values) });
            }
        }
        slots
    }

    /// True if an index is another one in another row: what all rows share, caches keep.
    fn is_of_row(&self, index: Expr, items: &Items<'a>) -> bool {
        let is_size = |sym: &Sym| self.kernel.sizes.contains(sym);
        let is_item = |sym: &Sym| items.chain.iter().any(|link| self.kernel.axes[link.axis].sym == *sym);
        self.pool.symbols(index).iter().any(|sym| !is_item(sym) && !is_size(sym))
    }

    /// The slots, of so many elements, that fit the registers of a thread together.
    fn fitting(&self, slots: Vec<Slot>, loops: usize, elements: u32, registers: u32) -> Vec<Slot> {
        // Of the registers, those taken from each loop to the next one.
        let mut taken = vec![0; loops];
        let mut fits = |slot: &Slot| {
            let (Kept::Scratch(param) | Kept::Loads(param, _)) = slot.kept;
            let words = elements * self.register(self.kernel.params[param].dtype).bits().div_ceil(32);
            let taken = &mut taken[slot.first..slot.last.max(slot.first + 1)];
            let fits = taken.iter().all(|&other| other + words <= registers);
            if fits {
                taken.iter_mut().for_each(|other| *other += words);
            }
            fits
        };
        slots.into_iter().filter(|slot| fits(slot)).collect()
    }

    /// True if threads keep elements of the row that a loop runs over.
    pub(super) fn keeps_row_of(&self, l: &Loop) -> bool {
        self.rows.as_ref().is_some_and(|rows| rows.loops.contains(&l.axis))
    }

    /// A loop over a row of which threads keep elements.
    pub(super) fn row_loop(&mut self, l: &'a Loop) -> Result {
        let Some(&Rows { count, width, turns, .. }) = self.rows.as_ref() else {
            return Err("no row in registers".to_owned());
        };
        self.open_accs(&l.accs)?;
        self.meet(&l.body);
        let (items, _) = self.items(l);
        let number = self.count(&items.chain);
        let plan = if width > 1 { self.vectors_of(&items, number, width) } else { None };
        let each = i64::from(self.threads) * width;
        let body = |this: &mut Self, turn: Val| {
            let [threads, width, full, end] =
                [i64::from(this.threads), width, count / each, count].map(|n| this.b.i32(n));
            let at = this.b.mul(turn, width);
            let number = this.b.add(this.b.mul(turn, threads), this.thread());
            let base = this.b.mul(number, width);
            let inside = if count % each == 0 {
                this.b.bool(true)
            } else {
                this.b.or(this.b.lt(turn, full), this.b.lt(base, end))
            };
            if let Some(rows) = &mut this.rows {
                rows.at = Some(at);
            }
            let done = this.if_(inside, |this| match &plan {
                Some(plan) => this.items_in_vectors(&items, base, plan, None),
                None => this.item(&items, base),
            });
            if let Some(rows) = &mut this.rows {
                rows.at = None;
            }
            done
        };
        self.turns(turns, body)?;
        self.close_accs_of_group(&l.accs)
    }

    /// The place of the item at hand in the arrays of the thread.
    pub(super) fn register_index(&self) -> Result<Val> {
        let Some(at) = self.rows.as_ref().and_then(|rows| rows.at) else {
            return Err("a row in registers outside of its loops".to_owned());
        };
        let lane = self.lane.map_or(0, |lane| lane.number);
        Ok(self.b.add(at, self.b.i32(lane)))
    }

    /// True if a load is of an element that the thread has kept.
    pub(super) fn is_in_registers(&self, value: Value) -> bool {
        self.rows.as_ref().is_some_and(|rows| rows.loads.get(&value).is_some_and(|&(_, is_first)| !is_first))
    }

    /// A load: from the registers of the row, or done by `load` and kept there, where that helps.
    pub(super) fn in_row(
        &mut self,
        value: Value,
        load: impl FnOnce(&mut Self) -> Result<(Val, Option<Range>)>,
    ) -> Result<(Val, Option<Range>)> {
        let kept = self.rows.as_ref().and_then(|rows| rows.loads.get(&value).copied());
        let Some((local, is_first)) = kept else { return load(self) };
        let index = self.register_index()?;
        if !is_first {
            return Ok((self.b.load_local(local, index), None));
        }
        let (val, range) = load(self)?;
        self.b.store_local(local, index, val);
        Ok((val, range))
    }
}
