//! Products of matrices: `out = init + a * b`, for `float32` and any strides; convolutions among them ([`conv`]).
//!
//! The smaller operand is copied once into panels as wide as a register tile ([`micro`]): its elements come to stand
//! side by side in the lanes. The other one is read where it lies, a few rows at a time, so that a weight which is far
//! larger than what it is applied to is read once and never written. Sums of a few rows grow in scratch that stays in
//! the first-level cache, and go out when they are complete, transposed if the smaller operand was the left one. An
//! [`epilogue`] is computed with each part of the result that has gone out.
//!
//! Order of summation: by ones along the contracted dimension, in blocks of at most `heuristics::product_steps`.
//!
//! Invariant: nothing outside of the operands and `out` is touched; rows and lanes that a tile has too many are
//! computed from zeros and never leave scratch.

mod call;
mod conv;
mod epilogue;
mod micro;
mod pack;

use crate::heuristics;
pub(crate) use call::of_call;
pub use conv::Convolve;
pub(crate) use epilogue::{Ending, fits, row};

use crate::launch::{Pool, in_pieces, with_scratch};
use crate::target::Host;
use conv::Patches;
use epilogue::{After, Rectangle};
use inductor::backend::CompiledKernel;
use inductor::store::Store;
use micro::{Micro, Rows, Tiles};
use pack::Piece;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// A product of matrices, a stack of them: dimensions and the strides of the operands, in elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Gemm {
    /// Products in the stack.
    pub batch: usize,
    /// Rows of `a` and `out`.
    pub m: usize,
    /// Columns of `b` and `out`.
    pub n: usize,
    /// Columns of `a`, rows of `b`.
    pub k: usize,
    /// Strides of `a`: stack, row, column.
    pub a: [usize; 3],
    /// Strides of `b`.
    pub b: [usize; 3],
    /// Strides of what the product is added to (0 where it is broadcast), if to anything.
    pub init: Option<[usize; 3]>,
    /// Strides of `out`.
    pub out: [usize; 3],
}

impl Gemm {
    /// The product with its factors swapped and each transposed, if fewer elements are moved then besides the
    /// arithmetic.
    fn turned(&self) -> Option<Gemm> {
        let Gemm { batch, m, n, k, a, b, init, out } = *self;
        let swap = |[stack, row, column]: [usize; 3]| [stack, column, row];
        let turned = Gemm { batch, m: n, n: m, k, a: swap(b), b: swap(a), init: init.map(swap), out: swap(out) };
        (turned.moved() < self.moved()).then_some(turned)
    }

    /// Elements that are moved besides the arithmetic with `b` in the lanes.
    fn moved(&self) -> usize {
        let packed_rows = if self.a[2] == 1 { 0 } else { self.m * self.k };
        let turned_sums = if self.out[2] == 1 { 0 } else { self.m * self.n };
        packed_rows + turned_sums + self.n * self.k
    }
}

/// The kinds of products that a kernel computes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Product {
    /// A stack of products.
    Gemm(Gemm),
    /// A convolution, as a product for each group.
    Convolve(Convolve),
}

impl Product {
    /// The number of products.
    fn count(&self) -> usize {
        match self {
            Product::Gemm(gemm) => gemm.batch,
            Product::Convolve(form) => form.numbers.groups,
        }
    }

    /// The number of arguments: two factors, the addend, if there is one, and the result.
    fn arguments(&self) -> usize {
        3 + usize::from(match self {
            Product::Gemm(gemm) => gemm.init.is_some(),
            Product::Convolve(form) => form.bias.is_some(),
        })
    }

    /// Floating point operations of one product.
    fn flop(&self) -> usize {
        2 * match self {
            Product::Gemm(gemm) => gemm.m * gemm.n * gemm.k,
            Product::Convolve(form) => form.channels[1] * form.steps() * form.pixels() * form.images,
        }
    }

    /// One of the products.
    ///
    /// # Safety
    /// The addresses are those of operands of this form; `which` is below the number of products.
    unsafe fn matrices(&self, at: Operands, which: usize) -> Matrices {
        // SAFETY: the caller's promise.
        unsafe {
            match self {
                Product::Gemm(gemm) => Matrices::new(gemm, at, which),
                Product::Convolve(form) => form.matrices(at, which),
            }
        }
    }
}

/// The addresses of the operands.
#[derive(Clone, Copy)]
struct Operands {
    a: *const f32,
    b: *const f32,
    /// Not read if the product is added to nothing.
    init: *const f32,
    /// The output; overlaps no other operand.
    out: *mut f32,
}

// SAFETY: addresses only; who computes with them promises that they may be read and written by several threads.
unsafe impl Send for Operands {}
// SAFETY: as above.
unsafe impl Sync for Operands {}

/// The executor of products on a host.
pub(crate) struct Multiplier {
    host: &'static Host,
    micro: OnceLock<Result<Arc<Micro>, String>>,
    /// Panels of earlier calls.
    panels: Mutex<Vec<Vec<f32>>>,
}

impl Multiplier {
    pub(crate) fn new(host: &'static Host) -> Multiplier {
        Multiplier { host, micro: OnceLock::new(), panels: Mutex::default() }
    }

    /// The microkernels that products need, compiled when they are first asked for.
    pub(crate) fn micro(&self, store: &dyn Store) -> Result<Arc<Micro>, String> {
        self.micro.get_or_init(|| Micro::new(self.host, store).map(Arc::new)).clone()
    }

    /// Computes products: each by all threads, or as many at once as there are threads if they are small.
    ///
    /// # Safety
    /// The addresses are those of operands of this form.
    unsafe fn run(
        &self,
        micro: &Micro,
        product: &Product,
        at: Operands,
        after: Option<After<'_>>,
        on: (usize, &dyn Pool),
    ) {
        let (threads, pool) = on;
        let count = product.count();
        let threads = threads.min(product.flop() * count / heuristics::product_thread_flop()).max(1);
        let (across, inside) = if count >= threads { (threads, 1) } else { (1, threads) };
        let pieces = across * heuristics::product_pieces_per_thread();
        in_pieces(count as i64, count.div_ceil(pieces) as i64, across, pool, &|begin, end| {
            let mut panels = self.held().pop().unwrap_or_default();
            for which in begin as usize..end as usize {
                // SAFETY: the caller's promise.
                let matrices = unsafe { product.matrices(at, which) };
                matrices.multiply(micro, &mut panels, after, (inside, pool));
            }
            let kept_bytes = heuristics::product_kept_factor() * heuristics::product_panel_bytes();
            if panels.len() <= kept_bytes / size_of::<f32>() {
                self.held().push(panels);
            }
        });
    }

    fn held(&self) -> MutexGuard<'_, Vec<Vec<f32>>> {
        self.panels.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Products as a kernel.
pub(crate) struct Products {
    pub(crate) product: Product,
    pub(crate) micro: Arc<Micro>,
    pub(crate) multiplier: Arc<Multiplier>,
    pub(crate) pool: Arc<dyn Pool>,
    /// The epilogue of the product; its arguments follow those of the product.
    pub(crate) epilogue: Option<Ending>,
}

impl CompiledKernel for Products {
    unsafe fn launch(&self, args: &[*mut u8], _sizes: &[i64], threads: usize) {
        let (own, rest) = args.split_at(self.product.arguments());
        let at = match *own {
            [a, b, init, out] => [a, b, init, out],
            [a, b, out] => [a, b, a, out],
            _ => panic!("a product has three or four arguments"),
        };
        let [a, b, init, out] = at.map(<*mut u8>::cast::<f32>);
        let at = Operands { a, b, init, out };
        let after = self.epilogue.as_ref().map(|ending| After { ending, args: rest });
        // SAFETY: the caller promises addresses of tensors with the layouts that the product was made from.
        unsafe { self.multiplier.run(&self.micro, &self.product, at, after, (threads, &*self.pool)) };
    }

    fn listing(&self) -> String {
        let product = format!("{:?}", self.product);
        match &self.epilogue {
            Some(ending) => format!("{product}\n{}", ending.kernel.kernel.canonical_text()),
            None => product,
        }
    }
}

/// A matrix: where it begins, and the distance of neighbours along the rows' or lanes' dimension and the steps'.
#[derive(Clone, Copy)]
struct Matrix<P> {
    start: P,
    /// Between rows, or between lanes.
    across: usize,
    /// Between steps; of `out` and `init`: between lanes.
    along: usize,
}

// SAFETY: as for `Operands`.
unsafe impl<P> Sync for Matrix<P> {}

/// The panels of some lanes, for all threads.
struct Panels(*mut f32);

// SAFETY: each panel is written by one thread, and read after all are written.
unsafe impl Sync for Panels {}

impl Panels {
    /// The address of the panels from this lane on.
    fn of_lane(&self, lane: usize, steps: usize) -> *mut f32 {
        self.0.wrapping_add(lane * steps)
    }
}

/// The operand that stands in the lanes.
#[derive(Clone, Copy)]
enum Lanes {
    Matrix(Matrix<*const f32>),
    Patches(Patches),
}

// SAFETY: as for `Operands`.
unsafe impl Sync for Lanes {}

/// The fold of the result's lanes: a number of lanes, and how far the next so many are from them.
#[derive(Clone, Copy)]
struct Fold {
    lanes: usize,
    stride: usize,
}

impl Fold {
    /// All lanes in one line.
    const NONE: Fold = Fold { lanes: usize::MAX, stride: 0 };

    /// Some lanes, cut where they fold: the first of each part and how many it has.
    fn parts(self, first: usize, count: usize) -> impl Iterator<Item = (usize, usize)> {
        let mut lane = first;
        std::iter::from_fn(move || {
            let at = lane;
            lane = (at - at % self.lanes).saturating_add(self.lanes).min(first + count);
            (at < lane).then_some((at, lane - at))
        })
    }
}

/// One product, seen so that the smaller operand stands in the lanes.
struct Matrices {
    rows: usize,
    lanes: usize,
    steps: usize,
    left: Matrix<*const f32>,
    right: Lanes,
    init: Option<Matrix<*const f32>>,
    out: Matrix<*mut f32>,
    fold: Fold,
}

/// The sizes of the blocks that a product is cut into.
#[derive(Clone, Copy)]
struct Blocks {
    /// Steps of a block.
    steps: usize,
    /// Lanes of a block.
    lanes: usize,
    /// Lanes whose panels are made at once.
    group: usize,
}

impl Matrices {
    /// # Safety
    /// As [`Multiplier::run`]; `which` is below the stack's size.
    unsafe fn new(gemm: &Gemm, at: Operands, which: usize) -> Matrices {
        let (gemm, left, right) = match gemm.turned() {
            Some(turned) => (turned, at.b, at.a),
            None => (*gemm, at.a, at.b),
        };
        let Gemm { m, n, k, a, b, init, out, .. } = gemm;
        // SAFETY: these are the first elements of the stack's matrices.
        unsafe {
            Matrices {
                rows: m,
                lanes: n,
                steps: k,
                left: Matrix { start: left.add(which * a[0]), across: a[1], along: a[2] },
                right: Lanes::Matrix(Matrix { start: right.add(which * b[0]), across: b[2], along: b[1] }),
                init: init.map(|[stack, across, along]| Matrix { start: at.init.add(which * stack), across, along }),
                out: Matrix { start: at.out.add(which * out[0]), across: out[1], along: out[2] },
                fold: Fold::NONE,
            }
        }
    }

    fn multiply(&self, micro: &Micro, panels: &mut Vec<f32>, after: Option<After<'_>>, on: (usize, &dyn Pool)) {
        let (threads, pool) = on;
        let blocks = self.blocks(micro, threads);
        for first in (0..self.lanes).step_by(blocks.group) {
            let count = blocks.group.min(self.lanes - first);
            let width = micro.tile.lanes();
            panels.resize(panels.len().max(count.next_multiple_of(width) * self.steps), 0.0);
            let panels = Panels(panels.as_mut_ptr());
            in_pieces(count.div_ceil(width) as i64, 1, threads, pool, &|begin, end| {
                for panel in begin as usize..end as usize {
                    let lane = panel * width;
                    let to = panels.of_lane(lane, self.steps);
                    // SAFETY: the panel was allocated, and is this piece's own.
                    unsafe { self.pack_panel(micro, (first + lane, width.min(count - lane)), to) };
                }
            });
            let chunk = micro.tile.rows * heuristics::product_tiles_down();
            let (across, down) = (count.div_ceil(blocks.lanes), self.rows.div_ceil(chunk));
            in_pieces((across * down) as i64, 1, threads, pool, &|begin, end| {
                for piece in begin as usize..end as usize {
                    let lane = piece / down * blocks.lanes;
                    let part = Part {
                        row: piece % down * chunk,
                        rows: chunk.min(self.rows - piece % down * chunk),
                        lane: first + lane,
                        lanes: blocks.lanes.min(count - lane),
                        panels: panels.of_lane(lane, self.steps),
                    };
                    // SAFETY: the panels of these lanes are complete; no other piece has these rows and lanes.
                    unsafe { self.part(micro, blocks, part) };
                    if let Some(after) = after {
                        // SAFETY: the part is complete and this piece's own; the launch promises the arguments.
                        self.rectangles(part).for_each(|rectangle| unsafe { after.run(rectangle) });
                    }
                }
            });
        }
    }

    fn blocks(&self, micro: &Micro, threads: usize) -> Blocks {
        let width = micro.tile.lanes();
        let count = self.steps.div_ceil(heuristics::product_steps()).max(1);
        let steps = self.steps.div_ceil(count).next_multiple_of(4).max(1);
        let fit = |bytes: usize, steps: usize| (bytes / size_of::<f32>() / steps.max(1) / width).max(1) * width;
        let factor = if count == 1 && self.out.along == 1 { heuristics::product_once_factor() } else { 1 };
        let sum_bytes = factor * heuristics::product_sum_bytes();
        let most = fit(micro.block_bytes, steps)
            .min(fit(sum_bytes, micro.tile.rows * heuristics::product_tiles_down()))
            .min(fit(heuristics::product_panel_bytes(), self.steps));
        // Blocks of one length, and enough of them for all threads to end together.
        let down = self.rows.div_ceil(micro.tile.rows * heuristics::product_tiles_down());
        let across = self.lanes.div_ceil(most).max((threads * heuristics::product_pieces_per_thread()).div_ceil(down));
        let lanes = self.lanes.div_ceil(across).next_multiple_of(width).min(most);
        let group = fit(heuristics::product_panel_bytes(), self.steps) / lanes * lanes;
        Blocks { steps, lanes, group: group.max(lanes) }
    }

    /// The blocks of steps: where each begins, and how many it has.
    fn step_blocks(&self, blocks: Blocks) -> impl Iterator<Item = (usize, usize)> {
        let steps = self.steps;
        (0..steps).step_by(blocks.steps).map(move |first| (first, blocks.steps.min(steps - first)))
    }

    /// Fills a panel with `count` lanes from `first` on: for each step as many elements as a tile has lanes.
    ///
    /// # Safety
    /// The operand has these lanes; `to` is a panel that nobody else writes into.
    unsafe fn pack_panel(&self, micro: &Micro, (first, count): (usize, usize), to: *mut f32) {
        let width = micro.tile.for_lanes(count).lanes();
        // SAFETY: the caller's promise.
        unsafe {
            match self.right {
                Lanes::Matrix(Matrix { start, across, along }) => {
                    let from = start.add(first * across);
                    pack::pack(micro, Piece { from, across, along, count, steps: self.steps }, to, width);
                }
                Lanes::Patches(patches) => patches.pack(micro, (first, count), to, width),
            }
        }
    }

    /// Computes some rows of some lanes.
    ///
    /// # Safety
    /// The panels of the lanes are complete, and nobody else writes these elements of `out`.
    unsafe fn part(&self, micro: &Micro, blocks: Blocks, part: Part) {
        let tile = micro.tile;
        let granule = if self.left.along == 1 { tile.granule() } else { tile.rows };
        let is_whole = part.rows.is_multiple_of(granule) && part.lanes.is_multiple_of(tile.width);
        let stride = part.lanes.next_multiple_of(tile.lanes());
        // A tile may begin behind any other.
        let sums = (part.rows + tile.rows) * stride;
        let packed = part.rows.next_multiple_of(tile.rows) * blocks.steps;
        with_scratch((sums + packed) * size_of::<f32>(), |scratch| {
            let scratch = scratch.cast::<f32>();
            let packed = scratch.wrapping_add(sums);
            let out = self.place(part.row, part.lane);
            let is_straight = part.lane % self.fold.lanes + part.lanes <= self.fold.lanes;
            let in_place = is_whole && is_straight && self.out.along == 1;
            let sums = if in_place { (out, self.out.across) } else { (scratch, stride) };
            // SAFETY: the sums of this part have room in scratch, or are whole tiles of `out`; behind them in scratch
            // there is room for packed rows.
            unsafe {
                self.begin(part, sums);
                for (at, (first, steps)) in self.step_blocks(blocks).enumerate() {
                    self.block(micro, part, (first, steps), sums, packed, at > 0 || self.init.is_some());
                }
                if !in_place {
                    for (lane, lanes) in self.fold.parts(part.lane, part.lanes) {
                        let from = (sums.0.add(lane - part.lane).cast_const(), sums.1);
                        self.end(micro, (part.rows, lanes), from, self.place(part.row, lane));
                    }
                }
            }
        });
    }

    /// A part of the result as it lies in memory, where lanes lie side by side.
    fn rectangles(&self, part: Part) -> impl Iterator<Item = Rectangle> {
        self.fold.parts(part.lane, part.lanes).map(move |(lane, columns)| {
            let first = self.place(part.row, lane).cast_const();
            Rectangle { first, columns, rows: part.rows, pitch: self.out.across }
        })
    }

    /// The address of an element of the result.
    fn place(&self, row: usize, lane: usize) -> *mut f32 {
        let Fold { lanes, stride } = self.fold;
        let offset = row * self.out.across + lane / lanes * stride + lane % lanes * self.out.along;
        self.out.start.wrapping_add(offset)
    }

    /// Adds the product of a block of steps to the sums, or writes it there.
    ///
    /// # Safety
    /// As [`Matrices::part`]; `packed` has room for the rows of the part's tiles.
    unsafe fn block(
        &self,
        micro: &Micro,
        part: Part,
        (first, steps): (usize, usize),
        (sums, stride): (*mut f32, usize),
        packed: *mut f32,
        adds: bool,
    ) {
        let width = micro.tile.lanes();
        let Matrix { start, across, along } = self.left;
        let left = start.wrapping_add(part.row * across + first * along);
        let whole = if along == 1 { part.rows / micro.tile.rows } else { 0 };
        let full = whole * micro.tile.rows;
        let low = if along == 1 { (part.rows - full) / micro.tile.granule() * micro.tile.granule() } else { 0 };
        let done = full + low;
        let rest = Piece { from: left.wrapping_add(done * across), across, along, count: part.rows - done, steps };
        // SAFETY: what is read lies in the operands and the panels; the caller promises the room.
        unsafe {
            pack::pack(micro, rest, packed, micro.tile.rows);
            for lane in (0..part.lanes).step_by(width) {
                let tile = micro.tile.for_lanes(part.lanes - lane);
                let tiles = Tiles {
                    tile,
                    kind: Rows::Apart,
                    lanes: part.panels.wrapping_add(lane * self.steps + first * tile.lanes()).cast_const(),
                    rows: left,
                    row_stride: across,
                    out: sums.wrapping_add(lane),
                    out_stride: stride,
                    adds,
                    count: whole,
                    steps,
                };
                micro.multiply(tiles);
                if low > 0 {
                    let (rows, out) = (left.wrapping_add(full * across), tiles.out.wrapping_add(full * stride));
                    micro.multiply(Tiles { tile: tile.with_rows(low), rows, out, count: 1, ..tiles });
                }
                let (out, count) = (tiles.out.wrapping_add(done * stride), rest.count.div_ceil(tile.rows));
                micro.multiply(Tiles { kind: Rows::Packed, rows: packed, out, count, ..tiles });
            }
        }
    }

    /// Fills the sums with what the product is added to, if it is.
    ///
    /// # Safety
    /// The sums have the part's rows and lanes.
    unsafe fn begin(&self, part: Part, (sums, stride): (*mut f32, usize)) {
        let Some(init) = self.init else { return };
        for row in 0..part.rows {
            // SAFETY: the caller's promise, and the elements of `init` that the part's rows and lanes have.
            unsafe {
                let from = init.start.add((part.row + row) * init.across + part.lane * init.along);
                let to = sums.add(row * stride);
                match init.along {
                    0 => std::slice::from_raw_parts_mut(to, part.lanes).fill(*from),
                    1 => to.copy_from_nonoverlapping(from, part.lanes),
                    along => (0..part.lanes).for_each(|lane| *to.add(lane) = *from.add(lane * along)),
                }
            }
        }
    }

    /// Writes complete sums to where they belong.
    ///
    /// # Safety
    /// There are so many rows and lanes of sums; `to` is where the first of them belongs, and no lane after it folds.
    unsafe fn end(
        &self,
        micro: &Micro,
        (rows, lanes): (usize, usize),
        (sums, stride): (*const f32, usize),
        to: *mut f32,
    ) {
        let Matrix { across, along, .. } = self.out;
        // SAFETY: the elements of `out` that the rows and lanes have are this piece's own.
        unsafe {
            if across == 1 {
                return pack::transpose(micro, (sums, stride), (rows, lanes), (to, along));
            }
            for row in 0..rows {
                let (from, to) = (sums.add(row * stride), to.add(row * across));
                if along == 1 {
                    to.copy_from_nonoverlapping(from, lanes);
                } else {
                    (0..lanes).for_each(|lane| *to.add(lane * along) = *from.add(lane));
                }
            }
        }
    }
}

/// Some rows of some lanes of a product.
#[derive(Clone, Copy)]
struct Part {
    row: usize,
    rows: usize,
    lane: usize,
    lanes: usize,
    /// The panels of these lanes.
    panels: *mut f32,
}
