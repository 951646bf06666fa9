//! Transposed reads: loads that run by ones along a serial loop inside of a vector loop, and by more along the lanes.
//!
//! A gather fetches a line of memory for each lane and uses one element of it. Instead the serial loop runs in blocks
//! of as many iterations as there are lanes: before each, every lane's elements of the block are read at once,
//! transposed in registers and kept in a tile on the stack, one row for each iteration.
//!
//! Invariant: only unmasked loads of inputs that every iteration runs are read ahead, in blocks of whole iterations,
//! for the lanes that are active. So nothing is read that the loop would not read.

use super::index::{Form, SymValue};
use super::ir::{Ir, TYPED, Val};
use super::loops::Range;
use super::{Emitter, Many};
use inductor::loop_ir::{Loop, Op, Param, Role, Stmt, Value};
use inkwell::types::BasicType;
use inkwell::values::{IntValue, PointerValue};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use symshapes::{Expr, Node, Sym, Term};

/// At most so many loads of a loop are read through tiles: they share the first-level cache.
const TILES: usize = 4;

/// The tiles of the serial loop that is being emitted.
pub(super) struct Tiles<'c> {
    /// The iteration of the block.
    row: IntValue<'c>,
    /// For each load, one tile per copy.
    slots: FxHashMap<Value, SmallVec<[PointerValue<'c>; 4]>>,
}

/// A load to be read through tiles.
#[derive(Clone, Copy)]
struct Transposed {
    value: Value,
    param: Param,
    index: Expr,
}

impl<'c> Emitter<'_, 'c> {
    /// Emits a serial loop from 0 on in blocks, where it reads transposed; false where it does not, and nothing is
    /// emitted.
    pub(super) fn in_tiles(&mut self, of: &Loop, range: Range<'c>) -> bool {
        self.syms.insert(self.kernel.axes[of.axis].sym, SymValue::Scalar(range.begin));
        let loads = self.transposed_loads(of);
        if loads.is_empty() || range.known.is_some_and(|n| n < i64::from(self.lanes)) || self.adds_blocks(of) {
            return false;
        }
        let lanes = i64::from(self.lanes);
        let whole = self.ir.and(range.end.into(), self.ir.i64(-lanes).into()).into_int_value();
        let (blocks, left) = (range.known.map(|n| n / lanes), range.known.map(|n| n % lanes));
        let blocks = Range { end: whole, known: blocks, runs: blocks.is_some(), ..range };
        self.counted(blocks, lanes, |this, begin| this.block_of_rows(of, &loads, begin));
        if left != Some(0) {
            self.serial(of, Range { begin: whole, known: left, runs: left.is_some(), ..range });
        }
        true
    }

    /// The loads of a loop's body that are worth reading ahead.
    fn transposed_loads(&self, of: &Loop) -> SmallVec<[Transposed; TILES]> {
        let can_mask = self.ir.host.avx512;
        if self.vector.as_ref().is_none_or(|v| v.active.is_some() && !can_mask) {
            return SmallVec::new();
        }
        let sym = self.kernel.axes[of.axis].sym;
        let op = |stmt: &Stmt| if let Stmt::Let(v) = stmt { Some(&self.kernel.values[*v].op) } else { None };
        let is_bound_here = |s: &Sym| of.body.iter().filter_map(op).any(|op| matches!(op, Op::Bind(b, _) if b == s));
        let loads = of.body.iter().filter_map(|stmt| {
            let Stmt::Let(value) = *stmt else { return None };
            let Op::Load { param, index, mask: None } = self.kernel.values[value].op else { return None };
            let is_input = self.kernel.params[param].role == Role::In;
            let is_known = !self.kernel.exprs.symbols(index).iter().any(is_bound_here);
            let reads = is_input && is_known && self.runs_by_ones(index, sym) && self.jumps(index, sym);
            reads.then_some(Transposed { value, param, index })
        });
        loads.take(TILES).collect()
    }

    /// True if the expression is the symbol plus what does not depend on it.
    fn runs_by_ones(&self, e: Expr, sym: Sym) -> bool {
        let pool = &self.kernel.exprs;
        let Node::Add(sum) = pool.node(e) else { return pool.as_sym(e) == Some(sym) };
        let (own, others): (SmallVec<[Term; 4]>, SmallVec<[Term; 4]>) =
            sum.terms.iter().copied().partition(|t| pool.as_sym(t.mono) == Some(sym));
        own.first().is_some_and(|t| t.coeff == 1) && !others.iter().any(|t| pool.mentions(t.mono, sym))
    }

    /// True if the index has neighbouring lanes further apart than one element, for any value of the symbol.
    fn jumps(&self, e: Expr, sym: Sym) -> bool {
        let varies = |s: &Sym| *s != sym && self.sym_varies(*s);
        self.kernel.exprs.symbols(e).iter().any(varies) && self.axis_stride(e).is_none_or(|stride| stride.abs() > 1)
    }

    /// One iteration for each lane, from `begin` on.
    fn block_of_rows(&mut self, of: &Loop, loads: &[Transposed], begin: IntValue<'c>) {
        let sym = self.kernel.axes[of.axis].sym;
        self.syms.insert(sym, SymValue::Scalar(begin));
        let slots = loads.iter().map(|load| (load.value, self.fill(*load))).collect();
        let lanes = i64::from(self.lanes);
        let rows = Range { begin: self.ir.i64(0), end: self.ir.i64(lanes), known: Some(lanes), runs: true };
        self.counted(rows, 1, |this, row| {
            this.syms.insert(sym, SymValue::Scalar(this.ir.add_nsw(begin, row)));
            let around = this.tiles.replace(Tiles { row, slots });
            this.block(&of.body);
            this.tiles = around;
        });
    }

    /// Reads and transposes the elements of a block.
    fn fill(&self, load: Transposed) -> SmallVec<[PointerValue<'c>; 4]> {
        let (ir, elem, lanes) = (&self.ir, self.elem_of(load.param).memory(), self.lanes);
        let tile = ir.ty(elem, lanes).array_type(lanes);
        let one = |copy| {
            let slot = ir.slot(tile.into());
            let starts = self.starts(self.form(load.index, copy));
            let active = self.vector.as_ref().and_then(|v| v.active);
            let read = |(lane, &at): (usize, &IntValue<'c>)| {
                let from = ir.at(elem, self.buffer(load.param), at);
                let active = active.map(|active| ir.splat(ir.extract(active, ir.lane(lane as u32)), lanes));
                active.map_or_else(|| ir.load(elem, lanes, from), |mask| ir.masked_load(elem, lanes, from, mask))
            };
            for (row, v) in ir.transpose(starts.iter().enumerate().map(read).collect()).into_iter().enumerate() {
                ir.store(ir.at(elem, slot, ir.i64(row as i64 * i64::from(lanes))), v);
            }
            slot
        };
        (0..self.copies()).map(one).collect()
    }

    /// Each lane's index.
    fn starts(&self, form: Form<'c>) -> SmallVec<[IntValue<'c>; 16]> {
        let ir = &self.ir;
        let at = |lane: u32| match form {
            Form::Uniform(at) => at,
            Form::Linear { base, stride } => ir.add_nsw(base, ir.i64(stride * i64::from(lane))),
            Form::Vector(v) => ir.extract(v, ir.lane(lane)).into_int_value(),
        };
        (0..self.lanes).map(at).collect()
    }

    /// A load's elements of this iteration, where they were read ahead.
    pub(super) fn read_ahead(&self, value: Value, param: Param) -> Option<Many<'c>> {
        let tiles = self.tiles.as_ref()?;
        let slots = tiles.slots.get(&value)?;
        let elem = self.elem_of(param).memory();
        let first = self.ir.mul_nsw(tiles.row, i64::from(self.lanes));
        Some(self.each(|copy| {
            let v = self.ir.load(elem, self.lanes, self.ir.at(elem, slots[copy as usize], first));
            self.to_register(param, v)
        }))
    }
}

impl<'c> Ir<'c> {
    /// As many vectors as each has lanes, transposed: lane `k` of vector `j` becomes lane `j` of vector `k`. Each step
    /// exchanges one bit of the vectors' numbers with that of the lanes'.
    fn transpose(&self, mut rows: SmallVec<[Val<'c>; 16]>) -> SmallVec<[Val<'c>; 16]> {
        let count = rows.len() as u32;
        let mut bit = count / 2;
        while bit > 0 {
            for low in (0..count).filter(|row| row & bit == 0) {
                let (a, b) = (rows[low as usize], rows[(low | bit) as usize]);
                rows[low as usize] = self.merge(a, b, |lane| if lane & bit == 0 { lane } else { count + (lane ^ bit) });
                rows[(low | bit) as usize] =
                    self.merge(a, b, |lane| if lane & bit == 0 { lane | bit } else { count + lane });
            }
            bit /= 2;
        }
        rows
    }

    /// Lanes of two vectors: lane `k` of the result is lane `from(k)` of `a` and `b` end to end.
    fn merge(&self, a: Val<'c>, b: Val<'c>, from: impl Fn(u32) -> u32) -> Val<'c> {
        let (a, b) = (a.into_vector_value(), b.into_vector_value());
        let mask: Vec<_> = (0..a.get_type().get_size()).map(|k| self.lane(from(k))).collect();
        let mask = inkwell::types::VectorType::const_vector(&mask);
        self.b.build_shuffle_vector(a, b, mask, "").expect(TYPED).into()
    }
}
