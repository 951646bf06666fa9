//! Transposed reads: loads that run by ones along a serial loop inside of a vector loop, and by more along the lanes.
//!
//! A gather fetches a line of memory for each lane and uses one element of it. Instead the serial loop runs in blocks
//! of as many iterations as there are lanes: before each, every lane's elements of the block are read at once and
//! transposed in registers. The iterations of a short body then stand one after the other, and find their elements
//! there; else they are kept in a tile on the stack, one row for each iteration.
//!
//! Invariant: only unmasked loads of inputs that every iteration runs are read ahead, in blocks of whole iterations,
//! for the lanes that are active. So nothing is read that the loop would not read.

use super::index::{Form, SymValue};
use super::loops::{Range, VectorLoop};
use super::{Emitter, Many, cost};
use crate::heuristics;
use crate::ir::{Elem, Ir, TYPED, Val, lanes, set_attributes};
use inductor::loop_ir::{Loop, Op, Param, Role, Stmt, Value};
use inkwell::AddressSpace;
use inkwell::module::Linkage;
use inkwell::types::{BasicType, VectorType};
use inkwell::values::{FunctionValue, IntValue, PointerValue};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use symshapes::{Expr, Node, Sym, Term};

/// At most so many loads of a loop are read through tiles: they share the first-level cache.
const TILES: usize = 4;

/// The elements that are read ahead for the serial loop that is being emitted.
pub(super) enum Ahead<'c> {
    /// The elements of a block.
    Tiles {
        /// The iteration of the block.
        row: IntValue<'c>,
        /// For each load, one tile per copy.
        slots: FxHashMap<Value, SmallVec<[PointerValue<'c>; 4]>>,
    },
    /// The elements of one iteration, for each load.
    Registers(FxHashMap<Value, Many<'c>>),
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
        let (blocks, left) = self.blocks_of_rows(range);
        self.counted(blocks, i64::from(self.lanes), |this, begin| this.block_of_rows(of, &loads, begin));
        if left.known != Some(0) {
            self.serial(of, left);
        }
        true
    }

    /// The blocks of a range that begins with one, and what is left after them.
    fn blocks_of_rows(&self, range: Range<'c>) -> (Range<'c>, Range<'c>) {
        let lanes = i64::from(self.lanes);
        let whole = self.ir.and(range.end.into(), self.ir.i64(-lanes).into()).into_int_value();
        let (blocks, left) = (range.known.map(|n| n / lanes), range.known.map(|n| n % lanes));
        let blocks = Range { end: whole, known: blocks, runs: blocks.is_some(), ..range };
        (blocks, Range { begin: whole, known: left, runs: left.is_some(), ..range })
    }

    /// The serial loop in a vector loop, if it is all that this does, and reads transposed.
    pub(super) fn rows_of_tiles<'l>(&mut self, root: &'l Loop, begin: IntValue<'c>) -> Option<&'l Loop> {
        let rows = cost::only_loop(self.kernel, root)?;
        let is_plain = |stmt: &Stmt| matches!(stmt, Stmt::Let(_) | Stmt::Store { .. });
        if !cost::pays_as_rows(self.kernel, root, rows, self.lanes) {
            return None;
        }
        if !root.vector || !rows.accs.is_empty() || !rows.body.iter().all(is_plain) {
            return None;
        }
        self.syms.insert(self.kernel.axes[root.axis].sym, SymValue::Lanes(begin));
        self.syms.insert(self.kernel.axes[rows.axis].sym, SymValue::Scalar(begin));
        self.vector = Some(VectorLoop { base: begin, copies: 1, active: None });
        let reads = !self.transposed_loads(rows).is_empty();
        self.vector = None;
        reads.then_some(rows)
    }

    /// A vector loop around one that reads transposed, with a block of rows as the outer loop: so each row is written
    /// from one end to the other, not a few elements of all rows.
    pub(super) fn rows_outside(&mut self, root: &Loop, rows: &Loop, begin: IntValue<'c>, end: IntValue<'c>) {
        let (blocks, left) = self.blocks_of_rows(self.whole(rows));
        let lanes = i64::from(self.lanes);
        self.counted(blocks, lanes, |this, at| {
            let next = this.ir.add_nsw(at, this.ir.i64(lanes));
            this.rows = Some(Range { begin: at, end: next, known: Some(lanes), runs: true });
            this.vector_root(root, begin, end);
        });
        if left.known != Some(0) {
            self.rows = Some(left);
            self.vector_root(root, begin, end);
        }
        self.rows = None;
    }

    /// The loads of a loop's body that are worth reading ahead.
    fn transposed_loads(&self, of: &Loop) -> SmallVec<[Transposed; TILES]> {
        if self.vector.is_none() {
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
        let is_whole = self.vector.as_ref().is_some_and(|vector| vector.active.is_none());
        if is_whole && cost::is_short(self.kernel, of) {
            return self.rows_in_registers(of, loads, begin);
        }
        let slots = loads.iter().map(|load| (load.value, self.fill(*load))).collect();
        let lanes = i64::from(self.lanes);
        let rows = Range { begin: self.ir.i64(0), end: self.ir.i64(lanes), known: Some(lanes), runs: true };
        self.counted(rows, 1, |this, row| {
            this.syms.insert(sym, SymValue::Scalar(this.ir.add_nsw(begin, row)));
            let around = this.ahead.replace(Ahead::Tiles { row, slots });
            this.block(&of.body);
            this.ahead = around;
        });
    }

    /// The iterations of a block one after the other, as many at a time as squares have rows.
    fn rows_in_registers(&mut self, of: &Loop, loads: &[Transposed], begin: IntValue<'c>) {
        let sym = self.kernel.axes[of.axis].sym;
        let elems = loads.iter().map(|load| self.elem_of(load.param).memory());
        let width = elems.map(|elem| elem.square(self.lanes)).min().expect("something is read");
        let starts: Vec<Vec<_>> = loads.iter().map(|load| self.lane_addresses(*load)).collect();
        self.ask_for_next(loads, &starts);
        for first in (0..self.lanes).step_by(width as usize) {
            let columns = |(load, starts): (&Transposed, &Vec<Vec<_>>)| {
                let elem = self.elem_of(load.param).memory();
                let squares = starts.iter().map(|rows| self.ir.columns(elem, rows, first, width));
                squares.collect::<SmallVec<[_; 4]>>()
            };
            let read: SmallVec<[_; TILES]> = loads.iter().zip(&starts).map(columns).collect();
            for at in 0..width {
                let row = self.ir.add_nsw(begin, self.ir.i64(i64::from(first + at)));
                self.syms.insert(sym, SymValue::Scalar(row));
                let of_row = |(load, copies): (&Transposed, &SmallVec<[SmallVec<[Val<'c>; 16]>; 4]>)| {
                    let vectors = copies.iter().map(|square| self.to_register(load.param, square[at as usize]));
                    (load.value, Many::Wide(vectors.collect()))
                };
                let elements = loads.iter().zip(&read).map(of_row).collect();
                let around = self.ahead.replace(Ahead::Registers(elements));
                self.block(&of.body);
                self.ahead = around;
            }
        }
    }

    /// Asks for what the block of rows after this one reads of the same lanes.
    fn ask_for_next(&self, loads: &[Transposed], starts: &[Vec<Vec<PointerValue<'c>>>]) {
        for (load, copies) in loads.iter().zip(starts) {
            let elem = self.elem_of(load.param).memory();
            for &start in copies.iter().flatten() {
                self.ir.prefetch(self.ir.at(elem, start, self.ir.i64(i64::from(self.lanes))));
            }
        }
    }

    /// For each copy, where the elements of each lane begin.
    fn lane_addresses(&self, load: Transposed) -> Vec<Vec<PointerValue<'c>>> {
        let (ir, elem, from) = (&self.ir, self.elem_of(load.param).memory(), self.buffer(load.param));
        let of_copy = |copy| {
            let form = self.form(load.index, copy);
            let at = |lane: u32| match form {
                Form::Uniform(at) => ir.at(elem, from, at),
                Form::Linear { base, stride } => ir.at(elem, ir.at(elem, from, base), ir.i64(stride * i64::from(lane))),
                Form::Vector(places) => ir.at(elem, from, ir.extract(places, ir.lane(lane)).into_int_value()),
            };
            (0..self.lanes).map(at).collect()
        };
        (0..self.copies()).map(of_copy).collect()
    }

    /// Reads and transposes the elements of a block. Lanes that are not active read what the first one does, which is.
    fn fill(&self, load: Transposed) -> SmallVec<[PointerValue<'c>; 4]> {
        let (ir, elem, lanes) = (&self.ir, self.elem_of(load.param).memory(), self.lanes);
        let (from, transpose) = (self.buffer(load.param), ir.transpose_function(elem, lanes));
        let starts = ir.slot(ir.ty(Elem::I64, lanes));
        let one = |copy| {
            let tile = ir.slot(ir.ty(elem, lanes).array_type(lanes).into());
            let places = self.lane_indices(self.form(load.index, copy));
            let active = self.vector.as_ref().and_then(|v| v.active);
            let safe = active.map(|active| ir.select(active, places, ir.splat(ir.extract(places, ir.lane(0)), lanes)));
            ir.set(starts, safe.unwrap_or(places));
            ir.b.build_call(transpose, &[from.into(), starts.into(), tile.into()], "").expect(TYPED);
            tile
        };
        (0..self.copies()).map(one).collect()
    }

    /// A load's elements of this iteration, where they were read ahead.
    pub(super) fn read_ahead(&self, value: Value, param: Param) -> Option<Many<'c>> {
        match self.ahead.as_ref()? {
            Ahead::Registers(elements) => elements.get(&value).cloned(),
            Ahead::Tiles { row, slots } => {
                let slots = slots.get(&value)?;
                let elem = self.elem_of(param).memory();
                let first = self.ir.mul_nsw(*row, i64::from(self.lanes));
                Some(self.each(|copy| {
                    let v = self.ir.load(elem, self.lanes, self.ir.at(elem, slots[copy as usize], first));
                    self.to_register(param, v)
                }))
            }
        }
    }
}

impl Elem {
    /// Rows of the squares in which elements of so many lanes are transposed.
    fn square(self, lanes: u32) -> u32 {
        if lanes <= heuristics::transpose_whole_lanes() { lanes } else { (16 / self.bytes()).min(4) }
    }
}

impl<'c> Ir<'c> {
    /// The module's `fn(from, starts, to)`: of each lane as many elements of `from` as there are lanes, from the lane's
    /// place in `starts` on, written to `to` so that the first elements of all lanes come first, then the second ones.
    ///
    /// It is a function since it is long, and wanted for each copy of an iteration.
    fn transpose_function(&self, elem: Elem, lanes: u32) -> FunctionValue<'c> {
        let name = format!("transpose_{}", elem.width());
        if let Some(function) = self.module.get_function(&name) {
            return function;
        }
        let pointer = self.context.ptr_type(AddressSpace::default());
        let signature = self.context.void_type().fn_type(&[pointer.into(); 3], false);
        let function = self.module.add_function(&name, signature, Some(Linkage::Internal));
        set_attributes(self.context, self.host, function);
        let here = self.here();
        self.b.position_at_end(self.context.append_basic_block(function, "entry"));
        let arguments = [0, 1, 2].map(|at| function.get_nth_param(at).expect("there are three").into_pointer_value());
        let [from, starts, to] = arguments;
        let row = |lane: u32| self.at(elem, from, self.load_int(starts, i64::from(lane)));
        let column = |at: u32| self.at(elem, to, self.i64(i64::from(at * lanes)));
        self.transpose(elem, &(0..lanes).map(row).collect::<Vec<_>>(), &(0..lanes).map(column).collect::<Vec<_>>());
        self.b.build_return(None).expect(TYPED);
        self.b.position_at_end(here);
        function
    }

    /// Reads as many elements from each row as there are rows, and writes them so that column `k` gets the `k`-th
    /// elements of all rows.
    pub(crate) fn transpose(&self, elem: Elem, rows: &[PointerValue<'c>], columns: &[PointerValue<'c>]) {
        let lanes = rows.len() as u32;
        let width = elem.square(lanes);
        for first in (0..lanes).step_by(width as usize) {
            let read = self.columns(elem, rows, first, width);
            for (at, v) in (first..).zip(read) {
                self.store(columns[at as usize], v);
            }
        }
    }

    /// The elements of all rows from `first` on, `width` of each: one vector for each place in the rows.
    ///
    /// By squares of `width` elements of as many lanes. The squares of the other lanes stand beside, in the same
    /// registers: they come to their places as they are read, and only squares are transposed by shuffles.
    fn columns(&self, elem: Elem, rows: &[PointerValue<'c>], first: u32, width: u32) -> SmallVec<[Val<'c>; 16]> {
        let lanes = rows.len() as u32;
        let read = |lane: u32| self.load(elem, width, self.at(elem, rows[lane as usize], self.i64(first.into())));
        let beside = |at: u32| self.joined((at..lanes).step_by(width as usize).map(read).collect());
        self.transpose_squares((0..width).map(beside).collect())
    }

    /// Vectors end to end, of which there is a power of two.
    fn joined(&self, mut parts: SmallVec<[Val<'c>; 16]>) -> Val<'c> {
        while parts.len() > 1 {
            let both = 2 * lanes(parts[0]);
            parts = parts.chunks(2).map(|pair| self.merge(pair[0], pair[1], both, |lane| lane)).collect();
        }
        parts[0]
    }

    /// Each square of lanes of so many vectors, transposed: lane `k` of vector `j` becomes lane `j` of vector `k`. Each
    /// step exchanges one bit of the vectors' numbers with that of the lanes'.
    fn transpose_squares(&self, mut rows: SmallVec<[Val<'c>; 16]>) -> SmallVec<[Val<'c>; 16]> {
        let (width, lanes) = (rows.len() as u32, lanes(rows[0]));
        let mut bit = width / 2;
        while bit > 0 {
            for low in (0..width).filter(|row| row & bit == 0) {
                let (low, high) = (low as usize, (low | bit) as usize);
                let (a, b) = (rows[low], rows[high]);
                rows[low] = self.merge(a, b, lanes, |k| if k & bit == 0 { k } else { lanes + (k ^ bit) });
                rows[high] = self.merge(a, b, lanes, |k| if k & bit == 0 { k | bit } else { lanes + k });
            }
            bit /= 2;
        }
        rows
    }

    /// `count` lanes of two vectors: lane `k` is lane `from(k)` of `a` and `b` end to end.
    pub(crate) fn merge(&self, a: Val<'c>, b: Val<'c>, count: u32, from: impl Fn(u32) -> u32) -> Val<'c> {
        let mask: Vec<_> = (0..count).map(|k| self.lane(from(k))).collect();
        let (a, b, mask) = (a.into_vector_value(), b.into_vector_value(), VectorType::const_vector(&mask));
        self.b.build_shuffle_vector(a, b, mask, "").expect(TYPED).into()
    }
}
