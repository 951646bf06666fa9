//! The inner loops of a matrix product, emitted once for the host.
//!
//! The tile that stays in registers has `rows` rows of `vectors` vectors. For each step along the contracted dimension
//! its vectors of the *lanes* operand are read, each row's element of the *rows* operand is spread over a vector, and
//! all are multiplied and added.

use crate::compile::{build, object_key};
use crate::heuristics;
use crate::ir::{Elem, Ir, Val};
use crate::jit::Code;
use crate::launch::pool;
use crate::target::Host;
use inductor::store::Store;
use inkwell::IntPredicate;
use inkwell::context::Context;
use inkwell::module::Module;
use inkwell::values::{IntValue, PointerValue};
use rayon::prelude::*;

/// The tile that stays in registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Tile {
    pub(super) rows: usize,
    vectors: usize,
    /// Elements of a vector.
    pub(super) width: usize,
}

impl Tile {
    /// The tile that fills the host's registers, of which AVX-512 has 32 and older vector units 16.
    fn of(host: &Host) -> Tile {
        let rows = if host.avx512 { 12 } else { 6 };
        Tile { rows, vectors: 2, width: host.vector_bytes / size_of::<f32>() }
    }

    /// Elements of a row.
    pub(super) fn lanes(self) -> usize {
        self.vectors * self.width
    }

    /// Of rows that are left over, a tile may have any multiple of so many.
    pub(super) fn granule(self) -> usize {
        self.rows / ROW_SHAPES
    }

    /// The tile with fewer rows, a multiple of the granule.
    pub(super) fn with_rows(self, rows: usize) -> Tile {
        Tile { rows, ..self }
    }

    /// The tile for a panel that has so many lanes left: one vector if they fit.
    pub(super) fn for_lanes(self, lanes: usize) -> Tile {
        Tile { vectors: if lanes <= self.width { 1 } else { self.vectors }, ..self }
    }
}

/// Heights of tiles: a third, two thirds, all of the rows.
const ROW_SHAPES: usize = 3;

/// The memory layouts of the rows operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rows {
    /// Each row's elements side by side, the rows at a distance given at run time.
    Apart,
    /// For each step the elements of all rows of a tile side by side.
    Packed,
}

/// Tiles that stand below each other: `out[i, j] = sum over s of rows[i, s] * lanes[s, j]`.
#[derive(Clone, Copy)]
pub(super) struct Tiles {
    /// The form of each; packed rows always have all rows.
    pub(super) tile: Tile,
    pub(super) kind: Rows,
    /// The panel: for each step as many elements as a tile has lanes.
    pub(super) lanes: *const f32,
    /// The elements of all tiles' rows.
    pub(super) rows: *const f32,
    /// Between rows that lie apart.
    pub(super) row_stride: usize,
    pub(super) out: *mut f32,
    pub(super) out_stride: usize,
    /// True if `out` is added to.
    pub(super) adds: bool,
    pub(super) count: usize,
    pub(super) steps: usize,
}

/// Elements of some channels that become a part of a panel: for each channel, those of the panel's lanes.
#[derive(Clone, Copy)]
pub(super) struct Gather {
    /// The element of the first lane in the first channel.
    pub(super) from: *const f32,
    /// Between channels.
    pub(super) channel: usize,
    /// Between lanes.
    pub(super) lane: usize,
    /// The address that the first channel's lanes are written to.
    pub(super) to: *mut f32,
    /// Between the lanes of one channel and those of the next.
    pub(super) step: usize,
    /// A bit for each lane that has an element; the others are 0.
    pub(super) reads: u64,
    /// A bit for each lane that is written.
    pub(super) writes: u64,
}

/// The code.
pub(crate) struct Micro {
    /// The largest tile.
    pub(super) tile: Tile,
    /// Bytes of panels that all rows of a block meet.
    pub(super) block_bytes: usize,
    /// By rows, then by vectors.
    apart: Vec<Code>,
    /// By vectors.
    packed: Vec<Code>,
    transpose: Code,
    copy: Code,
    /// For lanes that lie side by side, at every second place, anywhere else.
    gathers: [Code; 3],
}

/// The distances between gathered lanes, in elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Distance {
    One,
    /// Read with what lies between: measured on a Zen 5, gathering takes up to five times as long.
    Two,
    Any,
}

impl Micro {
    pub(super) fn new(host: &'static Host, store: &dyn Store) -> Result<Micro, String> {
        let tile = Tile::of(host);
        let unroll = heuristics::product_unroll();
        let key = |name: &str| object_key(host, "product", &format!("{name} {tile:?} {unroll}"));
        let multiply = |tile: Tile, rows: Rows| {
            let key = key(&format!("{rows:?} {tile:?}"));
            build(host, store, &key, |context, symbol| Ok(emit_multiply(context, symbol, host, tile, rows)))
        };
        let vectors = |tile: Tile| (1..=tile.vectors).map(move |vectors| Tile { vectors, ..tile });
        let heights = (1..=ROW_SHAPES).map(|rows| tile.with_rows(rows * tile.granule()));
        let apart: Vec<Tile> = heights.flat_map(vectors).collect();
        let packed: Vec<Tile> = vectors(tile).collect();
        let all = |tiles: &[Tile], rows| tiles.par_iter().map(|&tile| multiply(tile, rows)).collect::<Result<_, _>>();
        let gather = |distance: Distance| {
            let key = key(&format!("gather {distance:?}"));
            build(host, store, &key, |context, symbol| Ok(emit_gather(context, symbol, host, tile, distance)))
        };
        let copies = || -> Result<(Code, Code, [Code; 3]), String> {
            let transpose = key("transpose");
            let transpose = build(host, store, &transpose, |ctx, symbol| Ok(emit_transpose(ctx, symbol, host)))?;
            let copy = build(host, store, &key("copy"), |ctx, symbol| Ok(emit_copy(ctx, symbol, host, tile)))?;
            Ok((transpose, copy, [gather(Distance::One)?, gather(Distance::Two)?, gather(Distance::Any)?]))
        };
        let products = || rayon::join(|| all(&apart, Rows::Apart), || all(&packed, Rows::Packed));
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let ((apart, packed), copies) = pool(threads).install(|| rayon::join(products, copies));
        let (transpose, copy, gathers) = copies?;
        let block_bytes = host.machine.block_bytes();
        Ok(Micro { tile, block_bytes, apart: apart?, packed: packed?, transpose, copy, gathers })
    }

    /// Computes tiles.
    ///
    /// # Safety
    /// The elements may be read; those of `out` are this thread's alone.
    pub(super) unsafe fn multiply(&self, tiles: Tiles) {
        let Tile { rows, vectors, .. } = tiles.tile;
        let code = match tiles.kind {
            Rows::Apart => &self.apart[(rows / self.tile.granule() - 1) * self.tile.vectors + vectors - 1],
            Rows::Packed => &self.packed[vectors - 1],
        };
        let args = [tiles.lanes.cast_mut().cast(), tiles.rows.cast_mut().cast(), tiles.out.cast()];
        let sizes = [tiles.steps, tiles.row_stride, tiles.out_stride, tiles.adds.into()].map(|size| size as i64);
        // SAFETY: the caller's promise is what the code asks for.
        unsafe { (code.entry())(args.as_ptr(), std::ptr::null_mut(), sizes.as_ptr(), 0, tiles.count as i64) }
    }

    /// Transposes a square of as many elements as a vector has: `to[j, i] = from[i, j]`.
    ///
    /// # Safety
    /// Both squares lie in memory with their rows so many elements apart; `to` is this thread's alone.
    pub(super) unsafe fn transpose(&self, (from, stride): (*const f32, usize), (to, to_stride): (*mut f32, usize)) {
        let args = [from.cast_mut().cast(), to.cast()];
        let sizes = [stride as i64, to_stride as i64];
        // SAFETY: the caller's promise is what the code asks for.
        unsafe { (self.transpose.entry())(args.as_ptr(), std::ptr::null_mut(), sizes.as_ptr(), 0, 1) }
    }

    /// Copies as many elements as a tile has lanes, for each of some steps, to places that follow each other.
    ///
    /// # Safety
    /// So many elements may be read, from places `stride` apart, and written.
    pub(super) unsafe fn copy(&self, (from, stride): (*const f32, usize), to: *mut f32, steps: usize) {
        let args = [from.cast_mut().cast(), to.cast()];
        // SAFETY: the caller's promise is what the code asks for.
        unsafe { (self.copy.entry())(args.as_ptr(), std::ptr::null_mut(), [stride as i64].as_ptr(), 0, steps as i64) }
    }
}

impl Micro {
    /// Gathers the lanes of some channels.
    ///
    /// # Safety
    /// The lanes that are read and written lie in buffers; those that are written are this thread's alone.
    pub(super) unsafe fn gather(&self, it: Gather, channels: usize) {
        let [side_by_side, every_second, others] = &self.gathers;
        let code = match it.lane {
            1 => side_by_side,
            2 => every_second,
            _ => others,
        };
        let args = [it.from.cast_mut().cast(), it.to.cast()];
        let sizes = [it.channel as i64, it.step as i64, it.lane as i64, it.reads as i64, it.writes as i64];
        // SAFETY: the caller's promise is what the code asks for.
        unsafe { (code.entry())(args.as_ptr(), std::ptr::null_mut(), sizes.as_ptr(), 0, channels as i64) }
    }
}

fn emit_gather<'c>(
    context: &'c Context,
    symbol: &str,
    host: &'static Host,
    tile: Tile,
    distance: Distance,
) -> Module<'c> {
    let ir = Ir::new(context, symbol, host);
    let (args, sizes) = (ir.argument(0).into_pointer_value(), ir.argument(2).into_pointer_value());
    let (from, to) = (ir.load_pointer(args, 0), ir.load_pointer(args, 1));
    let [channel, step, stride, reads, writes] = [0, 1, 2, 3, 4].map(|at| ir.load_int(sizes, at));
    let width = tile.width as u32;
    let first = |vector: usize| (vector * tile.width) as i64;
    let ramp = |vector| ir.add(ir.ramp(width, 1), ir.splat(ir.i64(first(vector)).into(), width));
    let wide = |it: IntValue<'c>| ir.splat(it.into(), width);
    let mask =
        |bits, lanes| ir.icmp(IntPredicate::NE, ir.and(ir.lshr(wide(bits), lanes), wide(ir.i64(1))), wide(ir.i64(0)));
    let reads = |vector| match (distance, mask(reads, ramp(vector))) {
        (Distance::Two, reads) => ir.and(ir.each_twice(reads), ir.first_of_pairs(2 * width)),
        (Distance::One | Distance::Any, reads) => reads,
    };
    let masks: Vec<_> = (0..tile.vectors).map(|vector| (reads(vector), mask(writes, ramp(vector)))).collect();
    ir.count(ir.i64(0), ir.argument(4).into_int_value(), 1, &[], |ir, at, _| {
        let times = |step: IntValue<'c>| ir.mul(step.into(), at.into()).into_int_value();
        let (from, to) = (ir.at(Elem::F32, from, times(channel)), ir.at(Elem::F32, to, times(step)));
        for (vector, &(reads, writes)) in masks.iter().enumerate() {
            let value = match distance {
                Distance::One => ir.masked_load(Elem::F32, width, ir.at(Elem::F32, from, ir.i64(first(vector))), reads),
                Distance::Two => {
                    let from = ir.at(Elem::F32, from, ir.i64(2 * first(vector)));
                    ir.every_second(ir.masked_load(Elem::F32, 2 * width, from, reads))
                }
                Distance::Any => {
                    let index = ir.mul(ramp(vector), wide(stride));
                    ir.gather(Elem::F32, ir.at_lanes(Elem::F32, from, index), reads)
                }
            };
            ir.masked_store(value, ir.at(Elem::F32, to, ir.i64(first(vector))), writes);
        }
        Vec::new()
    });
    ir.finish()
}

fn emit_copy<'c>(context: &'c Context, symbol: &str, host: &'static Host, tile: Tile) -> Module<'c> {
    let ir = Ir::new(context, symbol, host);
    let args = ir.argument(0).into_pointer_value();
    let (from, to) = (ir.load_pointer(args, 0), ir.load_pointer(args, 1));
    let stride = ir.load_int(ir.argument(2).into_pointer_value(), 0);
    ir.count(ir.i64(0), ir.argument(4).into_int_value(), 1, &[], |ir, step, _| {
        let from = ir.at(Elem::F32, from, ir.mul(stride.into(), step.into()).into_int_value());
        let to = ir.at(Elem::F32, to, ir.mul_nsw(step, tile.lanes() as i64));
        let place = |base, vector: usize| ir.at(Elem::F32, base, ir.i64((vector * tile.width) as i64));
        let read = |vector| ir.load(Elem::F32, tile.width as u32, place(from, vector));
        (0..tile.vectors).for_each(|vector| ir.store(place(to, vector), read(vector)));
        Vec::new()
    });
    ir.finish()
}

fn emit_transpose<'c>(context: &'c Context, symbol: &str, host: &'static Host) -> Module<'c> {
    let ir = Ir::new(context, symbol, host);
    let (args, sizes) = (ir.argument(0).into_pointer_value(), ir.argument(2).into_pointer_value());
    let side = host.vector_bytes / size_of::<f32>();
    let rows = |at: i64| {
        let (base, stride) = (ir.load_pointer(args, at), ir.load_int(sizes, at));
        (0..side as i64).map(|row| ir.at(Elem::F32, base, ir.mul_nsw(stride, row))).collect::<Vec<_>>()
    };
    ir.transpose(Elem::F32, &rows(0), &rows(1));
    ir.finish()
}

fn emit_multiply<'c>(context: &'c Context, symbol: &str, host: &'static Host, tile: Tile, rows: Rows) -> Module<'c> {
    let ir = Ir::new(context, symbol, host);
    let (args, sizes) = (ir.argument(0).into_pointer_value(), ir.argument(2).into_pointer_value());
    let [lanes, left, out] = [0, 1, 2].map(|at| ir.load_pointer(args, at));
    let [steps, row_stride, out_stride] = [0, 1, 2].map(|at| ir.load_int(sizes, at));
    let adds = ir.icmp(IntPredicate::NE, ir.load_int(sizes, 3).into(), ir.i64(0).into());
    let (tiles, tile_rows) = (ir.argument(4).into_int_value(), tile.rows as i64);
    let left_stride = if rows == Rows::Apart { row_stride } else { steps };
    let (left_step, out_step) = (ir.mul_nsw(left_stride, tile_rows), ir.mul_nsw(out_stride, tile_rows));
    ir.count(ir.i64(0), tiles, 1, &[], |ir, at, _| {
        let times = |step: IntValue<'c>| ir.mul(step.into(), at.into()).into_int_value();
        let left = ir.at(Elem::F32, left, times(left_step));
        let out = ir.at(Elem::F32, out, times(out_step));
        Multiply { ir, tile, rows, lanes, left, row_stride, out, out_stride, adds }.emit(steps);
        Vec::new()
    });
    ir.finish()
}

/// One tile's product, while it is emitted.
struct Multiply<'a, 'c> {
    ir: &'a Ir<'c>,
    tile: Tile,
    rows: Rows,
    lanes: PointerValue<'c>,
    left: PointerValue<'c>,
    row_stride: IntValue<'c>,
    out: PointerValue<'c>,
    out_stride: IntValue<'c>,
    adds: Val<'c>,
}

impl<'c> Multiply<'_, 'c> {
    fn emit(&self, steps: IntValue<'c>) {
        let ir = self.ir;
        let starts: Vec<PointerValue<'c>> = match self.rows {
            Rows::Apart => (0..self.tile.rows as i64)
                .map(|row| ir.at(Elem::F32, self.left, ir.mul_nsw(self.row_stride, row)))
                .collect(),
            Rows::Packed => vec![self.left],
        };
        let zero = ir.float(Elem::F32, self.tile.width as u32, 0.0);
        let zeros = vec![zero; self.tile.rows * self.tile.vectors];
        let whole = ir.and(steps.into(), ir.i64(-heuristics::product_unroll()).into()).into_int_value();
        let sums = ir.count(ir.i64(0), whole, heuristics::product_unroll(), &zeros, |_, at, sums| {
            (0..heuristics::product_unroll())
                .fold(sums.to_vec(), |sums, step| self.step(ir.add_nsw(at, ir.i64(step)), &starts, &sums))
        });
        let sums = ir.count(whole, steps, 1, &sums, |_, at, sums| self.step(at, &starts, sums));
        let place = |at: usize| {
            let (row, vector) = ((at / self.tile.vectors) as i64, at % self.tile.vectors);
            let row = ir.at(Elem::F32, self.out, ir.mul_nsw(self.out_stride, row));
            ir.at(Elem::F32, row, ir.i64((vector * self.tile.width) as i64))
        };
        let (added, stored, after) = (ir.block("added"), ir.block("stored"), ir.block("after"));
        ir.branch(self.adds, added, stored);
        ir.b.position_at_end(added);
        for (at, &sum) in sums.iter().enumerate() {
            ir.store(place(at), ir.fadd(ir.load(Elem::F32, self.tile.width as u32, place(at)), sum));
        }
        ir.jump(after);
        ir.b.position_at_end(stored);
        for (at, &sum) in sums.iter().enumerate() {
            ir.store(place(at), sum);
        }
        ir.jump(after);
        ir.b.position_at_end(after);
    }

    /// The sums after one more step.
    fn step(&self, at: IntValue<'c>, starts: &[PointerValue<'c>], sums: &[Val<'c>]) -> Vec<Val<'c>> {
        let (ir, tile) = (self.ir, self.tile);
        let lanes = ir.at(Elem::F32, self.lanes, ir.mul_nsw(at, tile.lanes() as i64));
        let vector = |k: usize| ir.at(Elem::F32, lanes, ir.i64((k * tile.width) as i64));
        let vectors: Vec<Val<'c>> =
            (0..tile.vectors).map(|k| ir.load(Elem::F32, tile.width as u32, vector(k))).collect();
        let element = |row: usize| match self.rows {
            Rows::Apart => ir.at(Elem::F32, starts[row], at),
            Rows::Packed => {
                let first = ir.at(Elem::F32, starts[0], ir.mul_nsw(at, tile.rows as i64));
                ir.at(Elem::F32, first, ir.i64(row as i64))
            }
        };
        let row = |row: usize| {
            let spread = ir.splat(ir.load(Elem::F32, 1, element(row)), tile.width as u32);
            let sums = &sums[row * tile.vectors..][..tile.vectors];
            vectors.iter().zip(sums).map(|(&v, &sum)| ir.mad(spread, v, sum)).collect::<Vec<_>>()
        };
        (0..tile.rows).flat_map(row).collect()
    }
}

impl<'c> Ir<'c> {
    /// Emits a loop from `from` up to `to` by `step`, with values that each iteration makes anew; gives the last ones.
    fn count(
        &self,
        from: IntValue<'c>,
        to: IntValue<'c>,
        step: i64,
        start: &[Val<'c>],
        body: impl FnOnce(&Self, IntValue<'c>, &[Val<'c>]) -> Vec<Val<'c>>,
    ) -> Vec<Val<'c>> {
        let (head, inside, after) = (self.block("head"), self.block("inside"), self.block("after"));
        let before = self.here();
        self.jump(head);
        self.b.position_at_end(head);
        let at = self.phi(from.get_type().into());
        let phis: Vec<_> = start.iter().map(|v| self.phi(v.get_type())).collect();
        let index = at.as_basic_value().into_int_value();
        self.branch(self.icmp(IntPredicate::SLT, index.into(), to.into()), inside, after);
        self.b.position_at_end(inside);
        let values: Vec<Val<'c>> = phis.iter().map(|phi| phi.as_basic_value()).collect();
        let next = body(self, index, &values);
        let more = self.add_nsw(index, self.i64(step));
        let end = self.here();
        self.jump(head);
        at.add_incoming(&[(&from, before), (&more, end)]);
        for ((phi, first), next) in phis.iter().zip(start).zip(&next) {
            phi.add_incoming(&[(first, before), (next, end)]);
        }
        self.b.position_at_end(after);
        values
    }
}
