//! Kernels cut along their parallel loop, for buffers that are longer than what a device binds at once.
//!
//! A piece is the same kernel with fewer iterations of the parallel loop and with windows of the buffers: an index is a
//! multiple of the loop's variable and a rest, so that in a window which begins where the piece does it stays what it
//! was.
//!
//! Invariants: a piece reads and writes within its windows; the windows begin at multiples of the alignment; the pieces
//! together, in order, do what the kernel does.

use super::launch::Ranges;
use crate::loop_ir::{Kernel, Op, Param, Stmt};
use cranelift_entity::SecondaryMap;
use symshapes::{Expr, Sym};

/// The limits of a device on the buffers that it binds, and the width of its `int64`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Binds {
    /// Bytes, at most.
    pub most: u64,
    /// Windows begin at multiples of so many bytes, a power of two.
    pub alignment: u64,
    /// Bytes of an `int64` element.
    pub wide_int: u64,
}

/// A part of a buffer, in elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Window {
    /// The offset of its first element.
    pub offset: u64,
    /// The number of elements.
    pub len: u64,
}

/// A kernel for some iterations of another's parallel loop.
#[derive(Clone, Debug)]
pub struct Piece {
    /// The kernel; its arguments are those of the other.
    pub kernel: Kernel,
    /// The window of each argument.
    pub windows: Vec<Window>,
}

/// The access pattern of a param: elements at `step` times the parallel loop's variable and at most `reach` more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Stride {
    step: u64,
    reach: u64,
}

/// The pieces of a kernel for these sizes, or why it cannot be cut.
///
/// # Errors
/// Indices that are not a multiple of the parallel loop's variable plus a rest; rows that are too long.
pub fn cut(kernel: &Kernel, sizes: &[i64], binds: Binds) -> Result<Vec<Piece>, String> {
    let cutter = Cutter { kernel, sizes, binds, root: kernel.axes[kernel.root.axis].sym };
    let strides = cutter.strides()?;
    let extent = kernel.size(kernel.axes[kernel.root.axis].extent, sizes).and_then(|n| u64::try_from(n).ok());
    let extent = extent.ok_or("a loop of unknown length")?;
    let each = cutter.iterations(&strides)?;
    let starts = (0..extent).step_by(usize::try_from(each).map_err(|_| "a loop that is too long")?);
    starts.map(|start| cutter.piece(&strides, start, each.min(extent - start))).collect()
}

struct Cutter<'a> {
    kernel: &'a Kernel,
    sizes: &'a [i64],
    binds: Binds,
    root: Sym,
}

type Strides = SecondaryMap<Param, Option<Stride>>;

impl Cutter<'_> {
    /// The access pattern of each param.
    fn strides(&self) -> Result<Strides, String> {
        let mut strides = Strides::new();
        let mut failed = None;
        for (_, data) in self.kernel.values.iter() {
            let done = match &data.op {
                Op::Load { param, index, .. } => self.access(&mut strides, *param, *index),
                Op::Index(e) if self.kernel.exprs.mentions(*e, self.root) => {
                    Err("the number of an iteration".to_owned())
                }
                _ => Ok(()),
            };
            failed = failed.or(done.err());
        }
        self.kernel.walk(&mut |stmt| {
            let done = match stmt {
                Stmt::Store { param, index, .. } => self.access(&mut strides, *param, *index),
                Stmt::Accumulate { position: Some(e), .. } if self.kernel.exprs.mentions(*e, self.root) => {
                    Err("the number of an iteration".to_owned())
                }
                _ => Ok(()),
            };
            failed = failed.take().or(done.err());
        });
        failed.map_or(Ok(strides), Err)
    }

    fn access(&self, strides: &mut Strides, param: Param, index: Expr) -> Result<(), String> {
        let mut pool = self.kernel.exprs.clone();
        let refused = || format!("an index of {param} that is no multiple of the parallel loop's variable");
        let (step, rest) = pool.split_term(index, self.root).ok_or_else(refused)?;
        if pool.mentions(rest, self.root) {
            return Err(refused());
        }
        let ranges = Ranges { pool: &pool, sizes: &self.kernel.sizes, values: self.sizes };
        let (step, rest) = (ranges.of(step), ranges.of(rest));
        let is_natural = step.lo == step.hi && step.lo >= 0 && rest.lo >= 0 && rest.hi < i64::MAX;
        let natural = |value: i64| u64::try_from(value).ok().filter(|_| is_natural).ok_or_else(refused);
        let stride = Stride { step: natural(step.lo)?, reach: natural(rest.hi)? };
        let known = strides[param].get_or_insert(stride);
        if known.step != stride.step {
            return Err(refused());
        }
        known.reach = known.reach.max(stride.reach);
        Ok(())
    }

    fn bytes(&self, param: Param) -> u64 {
        match self.kernel.params[param].dtype {
            symshapes::DType::I64 => self.binds.wide_int,
            dtype => dtype.size() as u64,
        }
    }

    fn len(&self, param: Param) -> u64 {
        let len = self.kernel.size(self.kernel.params[param].len, self.sizes);
        len.and_then(|len| u64::try_from(len).ok()).unwrap_or(u64::MAX)
    }

    /// The iterations of a piece.
    fn iterations(&self, strides: &Strides) -> Result<u64, String> {
        let (mut most, mut unit) = (u64::MAX, 1);
        for (param, _) in self.kernel.arguments() {
            let limit = self.binds.most / self.bytes(param);
            match strides[param] {
                Some(Stride { step, reach }) if step > 0 => {
                    let rows = limit.checked_sub(reach + 1).ok_or("a row that is too long")? / step + 1;
                    let bytes = step * self.bytes(param);
                    unit = unit.max(self.binds.alignment >> bytes.trailing_zeros().min(self.binds.alignment.ilog2()));
                    most = most.min(rows);
                }
                _ if self.len(param) > limit => return Err(format!("all of {param}, which is too long")),
                _ => {}
            }
        }
        let each = most / unit * unit;
        if each == 0 { Err("rows that are too long".to_owned()) } else { Ok(each) }
    }

    fn piece(&self, strides: &Strides, start: u64, count: u64) -> Result<Piece, String> {
        let mut kernel = self.kernel.clone();
        let short = |n: u64| i64::try_from(n).map_err(|_| "a loop that is too long".to_owned());
        let mut windows = Vec::new();
        for (param, _) in self.kernel.arguments() {
            let all = self.len(param);
            let window = match strides[param] {
                Some(Stride { step, reach }) if step > 0 => {
                    let offset = (step * start).min(all);
                    Window { offset, len: (step * (count - 1) + reach + 1).min(all - offset) }
                }
                _ => Window { offset: 0, len: all },
            };
            kernel.params[param].len = kernel.exprs.int(short(window.len)?);
            windows.push(window);
        }
        kernel.axes[kernel.root.axis].extent = kernel.exprs.int(short(count)?);
        Ok(Piece { kernel, windows })
    }
}
