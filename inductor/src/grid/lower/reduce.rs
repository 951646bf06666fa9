//! Accumulators: partial results in variables of each thread, put together where the threads of a group have shared a
//! loop: by a tree in workgroup memory, or within subgroups where the device has them.

use super::ranges::{NARROWED, is_short};
use super::{Lower, Reason, Running};
use crate::grid::{NARROW_LIMIT, Op, Shared, Stmt, Ty, Val};
use crate::loop_ir::{Acc, AccData};
use fx::prim::Reduction;
use symshapes::{DType, Range};

type Result<T = ()> = std::result::Result<T, Reason>;

/// A partial result: the value, and its position if it has one.
pub(super) type Partial = (Val, Option<Val>);

/// True for reductions whose result is a position.
pub(super) fn has_position(kind: Reduction) -> bool {
    matches!(kind, Reduction::ArgMax | Reduction::ArgMin)
}

impl Lower<'_> {
    /// Starts accumulators before their loop.
    pub(super) fn open_accs(&mut self, accs: &[Acc]) -> Result {
        for &acc in accs {
            let data = self.kernel.accs[acc].clone();
            let is_narrowed_sum = data.dtype == DType::I64
                && !self.caps.wide_ints
                && matches!(data.kind, Reduction::Sum | Reduction::Prod);
            if is_narrowed_sum && !self.range_of_sum(acc).is_some_and(is_short) {
                return Err(format!("a {} of 64-bit integers", data.kind));
            }
            let (value, position) = self.identity(&data);
            let running = Running { value: self.b.var_with(value), position: position.map(|p| self.b.var_with(p)) };
            self.running[acc] = Some(running);
        }
        Ok(())
    }

    /// The partial result of no elements.
    fn identity(&self, data: &AccData) -> Partial {
        let ty = self.register(data.dtype);
        let value = match (data.kind, ty.is_float()) {
            (Reduction::Sum | Reduction::Any, _) => self.b.number(ty, 0.0),
            (Reduction::Prod | Reduction::All, _) => self.b.number(ty, 1.0),
            (Reduction::Max | Reduction::ArgMax, true) => self.b.number(ty, f64::NEG_INFINITY),
            (Reduction::Min | Reduction::ArgMin, true) => self.b.number(ty, f64::INFINITY),
            (Reduction::Max | Reduction::ArgMax, false) => self.integer(ty, least(data.dtype, ty).0),
            (Reduction::Min | Reduction::ArgMin, false) => self.integer(ty, least(data.dtype, ty).1),
        };
        (value, has_position(data.kind).then(|| self.b.i32(i64::from(i32::MAX))))
    }

    /// An `Accumulate`.
    pub(super) fn add_to(&mut self, acc: Acc, value: Val, position: Option<Val>) -> Result {
        let Some(running) = self.running[acc] else { return Err(format!("{acc} is not open")) };
        let data = self.kernel.accs[acc].clone();
        let value = self.b.cast(self.register(data.dtype), value);
        let old = self.read(running);
        let new = self.combine(&data, old, (value, position))?;
        self.write(running, new);
        Ok(())
    }

    fn read(&self, running: Running) -> Partial {
        (self.b.get(running.value), running.position.map(|var| self.b.get(var)))
    }

    fn write(&self, running: Running, (value, position): Partial) {
        self.b.set(running.value, value);
        if let (Some(var), Some(position)) = (running.position, position) {
            self.b.set(var, position);
        }
    }

    /// Two partial results as one.
    fn combine(&mut self, data: &AccData, old: Partial, new: Partial) -> Result<Partial> {
        let b = &self.b;
        let value = match data.kind {
            Reduction::Sum => b.add(old.0, new.0),
            Reduction::Prod => b.mul(old.0, new.0),
            Reduction::Any => b.or(old.0, new.0),
            Reduction::All => b.and(old.0, new.0),
            Reduction::Max => self.maximum(old.0, new.0),
            Reduction::Min => self.minimum(old.0, new.0),
            Reduction::ArgMax | Reduction::ArgMin => return self.better(data.kind, old, new),
        };
        Ok((self.normalised(data.dtype, value), None))
    }

    /// The better of two positioned elements: NaN beats all, and the earlier of equals wins.
    fn better(&self, kind: Reduction, old: Partial, new: Partial) -> Result<Partial> {
        let b = &self.b;
        let (Some(old_at), Some(new_at)) = (old.1, new.1) else { return Err("an element without position".to_owned()) };
        let wins = if kind == Reduction::ArgMax { self.greater(new.0, old.0) } else { self.greater(old.0, new.0) };
        let earlier = b.lt(new_at, old_at);
        let mut takes = b.or(wins, b.and(b.eq(new.0, old.0), earlier));
        if b.ty(new.0).is_float() {
            let (old_nan, new_nan) = (b.is_nan(old.0), b.is_nan(new.0));
            let ordered = b.unary(crate::grid::Unary::Not, old_nan);
            takes = b.and(takes, ordered);
            takes = b.or(takes, b.and(new_nan, b.or(ordered, earlier)));
        }
        Ok((b.select(takes, new.0, old.0), Some(b.select(takes, new_at, old_at))))
    }

    /// Ends accumulators of a loop that each thread has run alone.
    pub(super) fn close_accs(&mut self, accs: &[Acc]) -> Result {
        for &acc in accs {
            let Some(running) = self.running[acc].take() else { return Err(format!("{acc} is not open")) };
            let (value, position) = self.read(running);
            self.reduced[acc] = Some(position.unwrap_or(value));
        }
        Ok(())
    }

    /// Ends accumulators of a loop that the threads of a group have shared: each gets the result.
    pub(super) fn close_accs_of_group(&mut self, accs: &[Acc]) -> Result {
        for &acc in accs {
            let (value, position) = self.across_group(acc)?;
            self.reduced[acc] = Some(position.unwrap_or(value));
        }
        Ok(())
    }

    /// The threads' partial results as one, which each of them gets.
    pub(super) fn across_group(&mut self, acc: Acc) -> Result<Partial> {
        let Some(running) = self.running[acc].take() else { return Err(format!("{acc} is not open")) };
        let data = self.kernel.accs[acc].clone();
        let mine = self.read(running);
        let exchanged = self.caps.wide_exchanges || self.b.ty(mine.0).bits() <= 32;
        let fits = |&width: &u32| exchanged && width <= self.threads && self.threads / width <= width;
        match self.caps.subgroup.filter(fits) {
            Some(width) => self.by_subgroups(&data, mine, width),
            None => self.by_tree(&data, mine),
        }
    }

    /// By a tree in workgroup memory.
    fn by_tree(&mut self, data: &AccData, mine: Partial) -> Result<Partial> {
        let (values, positions) = self.arrays(mine, self.threads);
        let thread = self.thread();
        self.put(values, positions, thread, mine);
        self.barrier();
        let mut half = self.threads / 2;
        while half > 0 {
            let limit = self.b.i32(half.into());
            let active = self.b.lt(thread, limit);
            self.if_(active, |this| {
                let other = this.b.add(thread, limit);
                let a = this.take(values, positions, thread);
                let b = this.take(values, positions, other);
                let both = this.combine(data, a, b)?;
                this.put(values, positions, thread, both);
                Ok(())
            })?;
            self.barrier();
            half /= 2;
        }
        let zero = self.b.i32(0);
        let result = self.take(values, positions, zero);
        self.barrier();
        Ok(result)
    }

    /// Within each subgroup of so many threads, and then, by way of workgroup memory, across them: each subgroup puts
    /// the results of all together for itself.
    fn by_subgroups(&mut self, data: &AccData, mine: Partial, width: u32) -> Result<Partial> {
        let one = self.exchanged(data, mine, width)?;
        let count = self.threads / width;
        if count == 1 {
            return Ok(one);
        }
        let (values, positions) = self.arrays(one, count);
        let thread = self.thread();
        let lane = self.b.and(thread, self.b.i32(i64::from(width) - 1));
        let subgroup = self.b.shr(thread, self.b.i32(width.trailing_zeros().into()));
        let is_first = self.b.eq(lane, self.b.i32(0));
        self.if_(is_first, |this| {
            this.put(values, positions, subgroup, one);
            Ok(())
        })?;
        self.barrier();
        let place = self.b.and(lane, self.b.i32(i64::from(count) - 1));
        let part = self.take(values, positions, place);
        let result = self.exchanged(data, part, count)?;
        self.barrier();
        Ok(result)
    }

    /// The partial results of so many neighbouring threads as one, which each of them gets.
    fn exchanged(&mut self, data: &AccData, mine: Partial, count: u32) -> Result<Partial> {
        let (mut total, mut bits) = (mine, count / 2);
        while bits > 0 {
            let other = (self.shuffle(total.0, bits), total.1.map(|position| self.shuffle(position, bits)));
            total = self.combine(data, total, other)?;
            bits /= 2;
        }
        Ok(total)
    }

    fn shuffle(&self, value: Val, bits: u32) -> Val {
        let ty = self.b.ty(value);
        if ty != Ty::Bool {
            return self.b.here(Op::Shuffle(value, bits), ty);
        }
        let other = self.b.here(Op::Shuffle(self.b.cast(Ty::I32, value), bits), Ty::I32);
        self.b.ne(other, self.b.i32(0))
    }

    /// Arrays for partial results of so many, and for their positions.
    fn arrays(&mut self, (value, position): Partial, len: u32) -> (Shared, Option<Shared>) {
        let values = self.array(self.b.ty(value), 0, len);
        (values, position.map(|_| self.array(Ty::I32, 1, len)))
    }

    fn array(&mut self, ty: Ty, turn: usize, len: u32) -> Shared {
        if let Some(&known) = self.trees.get(&(ty, turn)) {
            return known;
        }
        let shared = self.b.shared(ty, len);
        self.trees.insert((ty, turn), shared);
        shared
    }

    fn put(&self, values: Shared, positions: Option<Shared>, index: Val, (value, position): Partial) {
        self.b.push(Stmt::StoreShared { shared: values, index, value });
        if let (Some(shared), Some(value)) = (positions, position) {
            self.b.push(Stmt::StoreShared { shared, index, value });
        }
    }

    fn take(&self, values: Shared, positions: Option<Shared>, index: Val) -> Partial {
        let value = self.b.load_shared(values, index);
        (value, positions.map(|shared| self.b.load_shared(shared, index)))
    }

    /// All threads of the group have done what stands before.
    pub(super) fn barrier(&mut self) {
        self.b.push(Stmt::Barrier);
        self.stored.clear();
        self.loaded.clear();
    }

    /// The value of a finished accumulator, and the range of an `int64` one.
    pub(super) fn result(&self, acc: Acc) -> Result<(Val, Option<Range>)> {
        let value = self.reduced[acc].ok_or_else(|| format!("{acc} has no value"))?;
        let data = &self.kernel.accs[acc];
        let range = if has_position(data.kind) {
            Some(Range::new(0, NARROW_LIMIT))
        } else {
            let narrowed = data.dtype == DType::I64 && !self.caps.wide_ints;
            narrowed.then(|| self.range_of_sum(acc).unwrap_or(NARROWED))
        };
        Ok((value, range))
    }

    /// An integer of any width.
    fn integer(&self, ty: Ty, value: i64) -> Val {
        self.b.constant(ty, crate::grid::eval::int_bits(ty, value))
    }
}

/// The least and the greatest integer of a dtype that a register holds.
fn least(dtype: DType, ty: Ty) -> (i64, i64) {
    match (dtype, ty) {
        (DType::Bool, _) => (0, 1),
        (DType::U8, _) => (0, 255),
        (DType::I8, _) => (-128, 127),
        (DType::I16, _) => (-32_768, 32_767),
        (_, Ty::I64) => (i64::MIN, i64::MAX),
        _ => (i64::from(i32::MIN), i64::from(i32::MAX)),
    }
}
