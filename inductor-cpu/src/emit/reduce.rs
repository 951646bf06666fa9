//! Accumulators: partial results in stack slots (which LLVM turns into registers), combined when their loop ends.
//!
//! Around a vector loop an accumulator holds one partial result per lane and copy; inside one it belongs to each lane;
//! elsewhere it is a scalar. A `float32` sum of many terms per partial result adds up in `float64` what blocks of few
//! terms gave, so that its error stays that of one rounding however long it is; and partial sums are put together in
//! `float64` always.

use super::{Emitter, Many, cost};
use crate::ir::{Elem, Val, elem, lanes};
use fx::prim::{Pointwise, Reduction};
use fx::scalar::Scalar;
use inductor::loop_ir::{Acc, Kernel, Loop, Stmt, Value};
use inkwell::values::{InstructionOpcode, PointerValue};
use inkwell::{FloatPredicate, IntPredicate};
use smallvec::SmallVec;
use symshapes::{DType, Expr};

/// No more `float32` terms than this for each partial sum are added in `float32`.
pub(super) const EXACT_TERMS: i64 = 32;

/// An accumulator whose loop is being emitted.
#[derive(Clone, Debug)]
pub(super) struct AccState<'c> {
    kind: Reduction,
    /// In which it accumulates.
    dtype: DType,
    lanes: u32,
    /// One partial result per copy.
    slots: SmallVec<[PointerValue<'c>; 4]>,
    /// The sums of the blocks before, in `float64`, if the slots hold the sums of a block; one for all copies if they
    /// are partial results of one.
    totals: SmallVec<[PointerValue<'c>; 4]>,
    /// For `ArgMax` and `ArgMin`: their positions.
    positions: SmallVec<[PointerValue<'c>; 4]>,
    /// Whether the lanes are partial results of one, rather than results each.
    across: bool,
}

/// A partial result: the value, and its position if it has one.
#[derive(Clone, Copy)]
struct Partial<'c> {
    value: Val<'c>,
    position: Option<Val<'c>>,
}

fn has_position(kind: Reduction) -> bool {
    matches!(kind, Reduction::ArgMax | Reduction::ArgMin)
}

impl<'c> Emitter<'_, 'c> {
    /// Starts an accumulator before its loop.
    pub(super) fn open(&mut self, acc: Acc, owner: &Loop) {
        let data = &self.kernel.accs[acc];
        let around = cost::accumulating_copies(self.kernel, self.ir.host, owner, acc, self.lanes);
        let (lanes, copies, across) = match (&self.vector, around) {
            (Some(inside), _) => (self.lanes, inside.copies, false),
            (None, Some(copies)) => (self.lanes, copies, true),
            (None, None) => (1, 1, false),
        };
        let partials = if across { i64::from(lanes * copies) } else { 1 };
        let terms = terms(self.kernel, owner, acc);
        let long = terms.is_none_or(|terms| terms / partials > EXACT_TERMS);
        let long = long && data.kind == Reduction::Sum && data.dtype == DType::F32;
        let in_blocks = long && feeds_directly(owner, acc);
        let dtype = if long && !in_blocks { DType::F64 } else { data.dtype };
        let elem = Elem::of(dtype).expect("the kernel was checked");
        let slots = |elem| (0..copies).map(|_| self.ir.slot(self.ir.ty(elem, lanes))).collect::<SmallVec<_>>();
        let positions = if has_position(data.kind) { slots(Elem::I64) } else { SmallVec::new() };
        let totals = match (in_blocks, across) {
            (true, true) => SmallVec::from_slice(&[self.ir.slot(self.ir.ty(Elem::F64, lanes))]),
            (true, false) => slots(Elem::F64),
            (false, _) => SmallVec::new(),
        };
        let state = AccState { kind: data.kind, dtype, lanes, slots: slots(elem), totals, positions, across };
        for copy in 0..copies as usize {
            self.write(&state, copy, self.identity(&state));
        }
        for &total in &state.totals {
            self.ir.set(total, self.ir.float(Elem::F64, lanes, 0.0));
        }
        self.accs[acc] = Some(state);
    }

    /// True if an accumulator of the loop adds up blocks.
    pub(super) fn adds_blocks(&self, of: &Loop) -> bool {
        of.accs.iter().any(|&acc| self.accs[acc].as_ref().is_some_and(|state| !state.totals.is_empty()))
    }

    /// Ends a block of the loop's iterations.
    pub(super) fn end_block(&self, of: &Loop) {
        let states = of.accs.iter().filter_map(|&acc| self.accs[acc].as_ref());
        for state in states.filter(|state| !state.totals.is_empty()) {
            let sums = self.with_totals(state);
            state.totals.iter().zip(sums).for_each(|(&total, sum)| self.ir.set(total, sum));
            (0..state.slots.len()).for_each(|copy| self.write(state, copy, self.identity(state)));
        }
    }

    /// The sums of the blocks, the last included. That of the copies, where they are partial results of one, is two
    /// more roundings in `float32`.
    fn with_totals(&self, state: &AccState<'c>) -> SmallVec<[Val<'c>; 4]> {
        let copies = (0..state.slots.len()).map(|copy| self.read(state, copy).value);
        let sums: SmallVec<[Val<'c>; 4]> = match state.across {
            true => copies.reduce(|a, b| self.ir.fadd(a, b)).into_iter().collect(),
            false => copies.collect(),
        };
        let with_total = |(&total, sum)| {
            let before = self.ir.get(self.ir.ty(Elem::F64, state.lanes), total);
            self.ir.fadd(before, self.ir.cast(InstructionOpcode::FPExt, sum, Elem::F64))
        };
        state.totals.iter().zip(sums).map(with_total).collect()
    }

    /// The partial result of no elements.
    fn identity(&self, state: &AccState<'c>) -> Partial<'c> {
        let elem = Elem::of(state.dtype).expect("the kernel was checked");
        let value = match state.kind.identity(state.dtype) {
            Scalar::Float(value) => self.ir.float(elem, state.lanes, value),
            Scalar::Int(value) => self.ir.int(elem, state.lanes, value),
        };
        let last = || self.ir.int(Elem::I64, state.lanes, i64::MAX);
        Partial { value, position: has_position(state.kind).then(last) }
    }

    fn read(&self, state: &AccState<'c>, copy: usize) -> Partial<'c> {
        let elem = Elem::of(state.dtype).expect("the kernel was checked");
        let value = self.ir.get(self.ir.ty(elem, state.lanes), state.slots[copy]);
        let position = state.positions.get(copy).map(|&p| self.ir.get(self.ir.ty(Elem::I64, state.lanes), p));
        Partial { value, position }
    }

    fn write(&self, state: &AccState<'c>, copy: usize, partial: Partial<'c>) {
        self.ir.set(state.slots[copy], partial.value);
        if let Some(position) = partial.position {
            self.ir.set(state.positions[copy], position);
        }
    }

    /// An `Accumulate`.
    pub(super) fn accumulate(&mut self, acc: Acc, value: Value, position: Option<Expr>) {
        let state = self.accs[acc].clone().expect("stands inside its loop");
        let value = self.value(value).clone();
        let position = position.filter(|_| has_position(state.kind)).map(|p| self.index_value(p));
        for copy in 0..self.copies() {
            let shape = |this: &Self, many: &Many<'c>| match many {
                Many::Uniform(v) if state.lanes == 1 || this.vector.is_none() => *v,
                many => this.wide(many, copy),
            };
            let new = Partial {
                value: self.to_accumulator(&state, shape(self, &value)),
                position: position.as_ref().map(|p| shape(self, p)),
            };
            let new = self.in_first_lane(&state, new);
            let old = self.read(&state, copy as usize);
            let mut sum = self.combine(&state, old, new);
            let active = self.vector.as_ref().and_then(|v| v.active).filter(|_| state.across);
            if let Some(mask) = active {
                sum.value = self.ir.select(mask, sum.value, old.value);
                sum.position = sum.position.zip(old.position).map(|(new, old)| self.ir.select(mask, new, old));
            }
            self.write(&state, copy as usize, sum);
        }
    }

    fn to_accumulator(&self, state: &AccState<'c>, v: Val<'c>) -> Val<'c> {
        if state.dtype == DType::F64 && elem(v) == Elem::F32 {
            return self.ir.cast(InstructionOpcode::FPExt, v, Elem::F64);
        }
        v
    }

    /// A scalar for an accumulator with lanes: one lane takes it, the others nothing.
    fn in_first_lane(&self, state: &AccState<'c>, new: Partial<'c>) -> Partial<'c> {
        if lanes(new.value) == state.lanes {
            return new;
        }
        let nothing = self.identity(state);
        let position = nothing.position.zip(new.position).map(|(n, p)| self.ir.insert(n, p, 0));
        Partial { value: self.ir.insert(nothing.value, new.value, 0), position }
    }

    /// Two partial results as one.
    fn combine(&self, state: &AccState<'c>, old: Partial<'c>, new: Partial<'c>) -> Partial<'c> {
        let op = |op: Pointwise| {
            let value = self.ir.pointwise(op, state.dtype, &[old.value, new.value]);
            Partial { value, position: None }
        };
        match state.kind {
            Reduction::Sum => op(Pointwise::Add),
            Reduction::Prod => op(Pointwise::Mul),
            Reduction::Max => op(Pointwise::Maximum),
            Reduction::Min => op(Pointwise::Minimum),
            Reduction::Any => op(Pointwise::Or),
            Reduction::All => op(Pointwise::And),
            Reduction::ArgMax => self.better(state, Pointwise::Gt, old, new),
            Reduction::ArgMin => self.better(state, Pointwise::Lt, old, new),
        }
    }

    /// The better of two positioned elements: NaN beats all, and the earlier of equals wins.
    fn better(&self, state: &AccState<'c>, wins: Pointwise, old: Partial<'c>, new: Partial<'c>) -> Partial<'c> {
        let ir = &self.ir;
        let (old_at, new_at) = old.position.zip(new.position).expect("both have positions");
        let compare = |op| ir.pointwise(op, state.dtype, &[new.value, old.value]);
        let earlier = ir.icmp(IntPredicate::SLT, new_at, old_at);
        let mut takes = ir.or(compare(wins), ir.and(compare(Pointwise::Eq), earlier));
        if state.dtype.is_float() {
            let ordered = ir.fcmp(FloatPredicate::ORD, old.value, old.value);
            takes = ir.and(takes, ordered);
            takes = ir.or(takes, ir.and(ir.is_nan(new.value), ir.or(ordered, earlier)));
        }
        let value = ir.select(takes, new.value, old.value);
        Partial { value, position: Some(ir.select(takes, new_at, old_at)) }
    }

    /// Ends an accumulator after its loop.
    pub(super) fn close(&mut self, acc: Acc) {
        let mut state = self.accs[acc].take().expect("opened before its loop");
        let dtype = self.kernel.accs[acc].dtype;
        let partials = if state.totals.is_empty() {
            (0..state.slots.len()).map(|c| self.read(&state, c)).collect()
        } else {
            let sums = self.with_totals(&state);
            let partials = sums.into_iter().map(|value| Partial { value, position: None }).collect();
            state.dtype = DType::F64;
            partials
        };
        let (state, partials) = self.exactly(state, partials);
        let result = |p: Partial<'c>| p.position.unwrap_or_else(|| self.ir.convert(p.value, state.dtype, dtype));
        let done = match (state.lanes, state.across) {
            (1, _) => Many::Uniform(result(partials[0])),
            (_, false) => Many::Wide(partials.into_iter().map(result).collect()),
            (_, true) => {
                let one = partials.into_iter().reduce(|a, b| self.combine(&state, a, b)).expect("there are copies");
                Many::Uniform(result(self.across(&state, one)))
            }
        };
        self.reduced[acc] = Some(done);
    }

    /// Partial `float32` sums that are to be put together, as `float64`: a few instructions once for each row.
    fn exactly(
        &self,
        mut state: AccState<'c>,
        mut partials: SmallVec<[Partial<'c>; 4]>,
    ) -> (AccState<'c>, SmallVec<[Partial<'c>; 4]>) {
        if state.across && state.kind == Reduction::Sum && state.dtype == DType::F32 {
            state.dtype = DType::F64;
            for partial in &mut partials {
                partial.value = self.to_accumulator(&state, partial.value);
            }
        }
        (state, partials)
    }

    /// Combines the lanes, halving their number each time.
    fn across(&self, state: &AccState<'c>, partial: Partial<'c>) -> Partial<'c> {
        match state.kind {
            Reduction::Any => return Partial { value: self.ir.any(partial.value), position: None },
            Reduction::All => {
                let value = self.ir.intrinsic("llvm.vector.reduce.and", &[partial.value]);
                return Partial { value, position: None };
            }
            _ => {}
        }
        let mut partial = partial;
        loop {
            let count = lanes(partial.value);
            let [low, high] = [0, count / 2].map(|first| self.half(partial, first, count / 2));
            partial = self.combine(state, low, high);
            if count == 2 {
                return partial;
            }
        }
    }

    fn half(&self, partial: Partial<'c>, first: u32, count: u32) -> Partial<'c> {
        let of = |v| if count == 1 { self.ir.extract(v, self.ir.lane(first)) } else { self.ir.part(v, first, count) };
        Partial { value: of(partial.value), position: partial.position.map(of) }
    }
}

/// True if all that the accumulator gets stands in the body of its loop, once.
fn feeds_directly(owner: &Loop, acc: Acc) -> bool {
    let mut all = 0;
    owner.walk(&mut |stmt| all += usize::from(matches!(stmt, Stmt::Accumulate { acc: this, .. } if *this == acc)));
    let is_here = |stmt: &Stmt| matches!(stmt, Stmt::Accumulate { acc: this, .. } if *this == acc);
    all == 1 && owner.body.iter().any(is_here)
}

/// The number of elements that a loop gives to an accumulator, if that is known.
fn terms(kernel: &Kernel, of: &Loop, acc: Acc) -> Option<i64> {
    let mut each = 0;
    for stmt in &of.body {
        each += match stmt {
            Stmt::Accumulate { acc: this, .. } => i64::from(*this == acc),
            Stmt::Loop(inner) => terms(kernel, inner, acc)?,
            Stmt::Let(_) | Stmt::Store { .. } => 0,
        };
    }
    if each == 0 { Some(0) } else { Some(kernel.exprs.as_int(kernel.axes[of.axis].extent)? * each) }
}
