//! Loops: serial ones step by one; vector ones run an unrolled main part, single vectors, and a masked tail.

use super::index::SymValue;
use super::reduce::EXACT_TERMS;
use super::{Emitter, cost};
use crate::ir::{Elem, Val};
use inductor::loop_ir::Loop;
use inkwell::IntPredicate;
use inkwell::values::IntValue;
use symshapes::Expr;

/// The vector loop that is being emitted.
#[derive(Clone, Debug)]
pub(super) struct VectorLoop<'c> {
    /// The axis in lane 0 of copy 0: a multiple of the lane count.
    pub(super) base: IntValue<'c>,
    /// Copies of the iteration side by side.
    pub(super) copies: u32,
    /// In the tail: which lanes are iterations.
    pub(super) active: Option<Val<'c>>,
}

/// The bounds of a loop.
#[derive(Clone, Copy)]
pub(super) struct Range<'c> {
    pub(super) begin: IntValue<'c>,
    pub(super) end: IntValue<'c>,
    /// The number of iterations, where it is known.
    pub(super) known: Option<i64>,
    /// False where there may be none.
    pub(super) runs: bool,
}

impl<'c> Emitter<'_, 'c> {
    /// The parallel loop, over the range that the launch hands in: at least one iteration.
    pub(super) fn root(&mut self) {
        let root = &self.kernel.root;
        let (begin, end) = (self.ir.argument(3).into_int_value(), self.ir.argument(4).into_int_value());
        if let Some(rows) = self.rows_of_tiles(root, begin) {
            self.rows_outside(root, rows, begin, end);
        } else if root.vector {
            self.vector_root(root, begin, end);
        } else {
            self.serial(root, Range { begin, end, known: None, runs: true });
        }
    }

    /// A loop inside the kernel, with its accumulators.
    pub(super) fn inner_loop(&mut self, inner: &Loop) {
        for &acc in &inner.accs {
            self.open(acc, inner);
        }
        let extent = self.kernel.axes[inner.axis].extent;
        let known = self.kernel.exprs.as_int(extent);
        match known {
            Some(extent) if inner.vector && self.vector.is_none() => self.vector_inner(inner, extent),
            None if inner.vector && self.vector.is_none() => self.vector_symbolic(inner, extent),
            _ => {
                let range = self.rows.unwrap_or_else(|| self.whole(inner));
                let is_rest = self.rows.is_some_and(|rows| rows.known != Some(i64::from(self.lanes)));
                if is_rest || !self.in_tiles(inner, range) {
                    self.serial(inner, range);
                }
            }
        }
        for &acc in &inner.accs {
            self.close(acc);
        }
    }

    /// All iterations of a loop.
    pub(super) fn whole(&self, of: &Loop) -> Range<'c> {
        let extent = self.kernel.axes[of.axis].extent;
        let (known, runs) = (self.kernel.exprs.as_int(extent), self.kernel.exprs.range(extent).lo >= 1);
        Range { begin: self.ir.i64(0), end: self.scalar_index(extent), known, runs }
    }

    pub(super) fn serial(&mut self, of: &Loop, range: Range<'c>) {
        let sym = self.kernel.axes[of.axis].sym;
        self.in_blocks(of, range, 1, |this, at| {
            this.syms.insert(sym, SymValue::Scalar(at));
            this.block(&of.body);
        });
    }

    /// A vector loop with known bounds.
    fn vector_inner(&mut self, of: &Loop, extent: i64) {
        let lanes = i64::from(self.lanes);
        let full = extent / lanes;
        let copies = cost::copies(self.kernel, self.ir.host, of, Some(full));
        let unrolled = full / i64::from(copies) * i64::from(copies);
        let zero = self.ir.i64(0);
        let known = |this: &Self, from: i64, to: i64, step: i64| Range {
            begin: if from == 0 { zero } else { this.ir.i64(from * lanes) },
            end: this.ir.i64(to * lanes),
            known: Some((to - from) / step),
            runs: true,
        };
        self.vectors(of, known(self, 0, unrolled, i64::from(copies)), copies);
        self.vectors(of, known(self, unrolled, full, 1), 1);
        if extent % lanes != 0 {
            let active = self.ir.first_lanes(self.lanes, (extent % lanes) as u32);
            self.tail(of, self.ir.i64(full * lanes), active);
        }
    }

    /// A vector loop whose bounds are known at run time.
    fn vector_symbolic(&mut self, of: &Loop, extent: Expr) {
        let copies = i64::from(cost::copies(self.kernel, self.ir.host, of, None));
        let end = self.scalar_index(extent);
        let mut begin = self.ir.i64(0);
        let steps: &[i64] = if copies > 1 { &[copies, 1] } else { &[1] };
        for step in steps {
            let stride = step * i64::from(self.lanes);
            let to = self.ir.and(end.into(), self.ir.i64(-stride).into()).into_int_value();
            let range = Range { begin, end: to, known: None, runs: false };
            match *step {
                1 if copies > 1 => self.few_vectors(of, range),
                step => self.vectors(of, range, step as u32),
            }
            begin = to;
            if self.kernel.exprs.divisible_by(extent, stride) {
                return;
            }
        }
        self.guarded(IntPredicate::SLT, begin, end, |this| {
            let left = this.ir.sub(end.into(), begin.into()).into_int_value();
            let active = this.ir.lanes_below(this.lanes, left);
            this.tail(of, begin, active);
        });
    }

    /// The root as vector loop: its bounds are known at launch only. Only the last piece has a last vector that is not
    /// whole, and how many lanes that has is known now if the extent is.
    pub(super) fn vector_root(&mut self, of: &Loop, begin: IntValue<'c>, end: IntValue<'c>) {
        let (lanes, extent) = (i64::from(self.lanes), self.kernel.axes[of.axis].extent);
        let known = self.kernel.exprs.as_int(extent);
        let full = known.map(|extent| extent / lanes);
        let copies = cost::copies(self.kernel, self.ir.host, of, full).next_power_of_two();
        let mut from = begin;
        for step in [i64::from(copies), 1] {
            if full.is_some_and(|full| full < step) || (step == 1 && copies == 1 && from != begin) {
                continue;
            }
            let length = self.ir.sub(end.into(), from.into());
            let whole = self.ir.and(length, self.ir.i64(-step * lanes).into());
            let to = self.ir.add(from.into(), whole).into_int_value();
            self.vectors(of, Range { begin: from, end: to, known: None, runs: false }, step as u32);
            from = to;
        }
        if self.kernel.exprs.divisible_by(extent, lanes) {
            return;
        }
        self.guarded(IntPredicate::SLT, from, end, |this| {
            let active = match known {
                Some(extent) => this.ir.first_lanes(this.lanes, (extent % lanes) as u32),
                None => {
                    let left = this.ir.sub(end.into(), from.into()).into_int_value();
                    this.ir.lanes_below(this.lanes, left)
                }
            };
            this.tail(of, from, active);
        });
    }

    /// Whole vectors, `copies` of them per iteration.
    fn vectors(&mut self, of: &Loop, range: Range<'c>, copies: u32) {
        if range.known == Some(0) {
            return;
        }
        let step = i64::from(copies) * i64::from(self.lanes);
        self.in_blocks(of, range, step, |this, base| {
            this.vector_body(of, VectorLoop { base, copies, active: None });
        });
    }

    /// Single whole vectors, too few of them for blocks.
    fn few_vectors(&mut self, of: &Loop, range: Range<'c>) {
        self.counted(range, i64::from(self.lanes), |this, base| {
            this.vector_body(of, VectorLoop { base, copies: 1, active: None });
        });
    }

    /// A loop, in blocks of iterations if its accumulators want that.
    fn in_blocks(&mut self, of: &Loop, range: Range<'c>, step: i64, body: impl FnOnce(&mut Self, IntValue<'c>)) {
        if !self.adds_blocks(of) || range.known.is_some_and(|iterations| iterations <= EXACT_TERMS) {
            return self.counted(range, step, body);
        }
        let length = step * EXACT_TERMS;
        self.counted(Range { known: None, ..range }, length, |this, begin| {
            let next = this.ir.add_nsw(begin, this.ir.i64(length));
            let end = this.extreme(IntPredicate::SLT, next.into(), range.end.into()).into_int_value();
            this.counted(Range { begin, end, known: None, runs: true }, step, body);
            // What the last block gave is added when the accumulators close.
            this.guarded(IntPredicate::SLT, end, range.end, |this| this.end_block(of));
        });
    }

    /// The last iterations, in the lanes of one vector that are active.
    fn tail(&mut self, of: &Loop, base: IntValue<'c>, active: Val<'c>) {
        self.vector_body(of, VectorLoop { base, copies: 1, active: Some(active) });
    }

    fn vector_body(&mut self, of: &Loop, vector: VectorLoop<'c>) {
        let sym = self.kernel.axes[of.axis].sym;
        self.syms.insert(sym, SymValue::Lanes(vector.base));
        self.vector = Some(vector);
        self.block(&of.body);
        self.vector = None;
    }

    /// A loop; a single iteration needs no branch.
    pub(super) fn counted(&mut self, range: Range<'c>, step: i64, body: impl FnOnce(&mut Self, IntValue<'c>)) {
        if range.known == Some(1) {
            return body(self, range.begin);
        }
        if !range.runs {
            let sure = Range { runs: true, ..range };
            return self.guarded(IntPredicate::SLT, range.begin, range.end, |this| this.counted(sure, step, body));
        }
        let before = self.ir.here();
        let (start, after) = (self.ir.block("loop"), self.ir.block("after"));
        self.ir.jump(start);
        self.ir.b.position_at_end(start);
        let axis = self.ir.phi(self.ir.ty(Elem::I64, 1));
        axis.add_incoming(&[(&range.begin, before)]);
        let at = axis.as_basic_value().into_int_value();
        body(self, at);
        let next = self.ir.add_nsw(at, self.ir.i64(step));
        axis.add_incoming(&[(&next, self.ir.here())]);
        let more = self.ir.icmp(IntPredicate::SLT, next.into(), range.end.into());
        self.ir.branch(more, start, after);
        self.ir.b.position_at_end(after);
    }

    /// Runs `body` only if the comparison holds.
    fn guarded(&mut self, p: IntPredicate, a: IntValue<'c>, b: IntValue<'c>, body: impl FnOnce(&mut Self)) {
        let (inside, after) = (self.ir.block("some"), self.ir.block("after"));
        self.ir.branch(self.ir.icmp(p, a.into(), b.into()), inside, after);
        self.ir.b.position_at_end(inside);
        body(self);
        self.ir.jump(after);
        self.ir.b.position_at_end(after);
    }
}
