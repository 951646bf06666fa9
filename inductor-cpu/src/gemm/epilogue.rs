//! Epilogues: pointwise kernels that are computed with a product, on each part of it while that is still in the cache.
//!
//! The complete sums of a part lie in memory as rectangles, on each of which the kernel's
//! [`rectangle`](inductor::epilogue::rectangle) is launched by the thread that has computed the part.
//!
//! Invariant: the rectangles of different parts share no element, neither of the product nor of what the kernel writes.

use super::{Convolve, Gemm, Product};
use crate::{CpuKernel, Sizes};
use inductor::epilogue::has_rows;
use inductor::loop_ir::{Kernel, Stmt};
use std::sync::Arc;

/// An epilogue, ready to run.
pub(crate) struct Ending {
    /// The rectangle's kernel.
    pub(crate) kernel: Arc<CpuKernel>,
    /// The sizes of the whole one.
    pub(crate) sizes: Box<[i64]>,
    /// Elements of one of its rows, if it has any.
    pub(crate) row: Option<usize>,
    /// The place of the product among its arguments.
    pub(crate) product: usize,
}

/// A part of the result: so many elements side by side, so many times at this distance.
#[derive(Clone, Copy)]
pub(super) struct Rectangle {
    pub(super) first: *const f32,
    pub(super) columns: usize,
    pub(super) rows: usize,
    pub(super) pitch: usize,
}

/// An epilogue and the addresses of its arguments.
#[derive(Clone, Copy)]
pub(super) struct After<'a> {
    pub(super) ending: &'a Ending,
    pub(super) args: &'a [*mut u8],
}

// SAFETY: addresses only; who launches promises that they may be read and written by several threads.
unsafe impl Sync for After<'_> {}

impl After<'_> {
    /// Computes what follows from a part of the product.
    ///
    /// # Safety
    /// The part is complete and is this thread's own; the addresses are those of the kernel's arguments, and the
    /// product has the layout for which the kernel [fits].
    pub(super) unsafe fn run(self, part: Rectangle) {
        let Ending { kernel, sizes, row, product } = self.ending;
        // SAFETY: both are addresses in the product.
        let first = unsafe { part.first.offset_from_unsigned(self.args[*product].cast::<f32>()) };
        let (begin, first) = row.map_or((0, first), |row| (first / row, first % row));
        let own = [first, part.columns, part.pitch].map(|n| n as i64);
        let own = if row.is_some() { &own[..2] } else { &own[..] };
        let sizes: Sizes = sizes.iter().chain(own).copied().collect();
        let (begin, end) = (begin as i64, (begin + part.rows) as i64);
        // SAFETY: the caller promises the arguments; an elementwise kernel has no scratch; the code lives as long as
        // it.
        unsafe { kernel.code.entry()(self.args.as_ptr(), std::ptr::null_mut(), sizes.as_ptr(), begin, end) }
    }
}

/// True if each part of a product is a rectangle of the kernel's, with lanes side by side: the parts of one that goes
/// out transposed are too narrow to pay. `row` is the length of the kernel's rows, if it has any.
pub(crate) fn fits(product: &Product, row: Option<usize>) -> bool {
    let (columns, distances) = match *product {
        Product::Gemm(gemm) => {
            let Gemm { n, out: [batch, row, column], .. } = gemm.turned().unwrap_or(gemm);
            if column != 1 {
                return false;
            }
            (n, [row, batch])
        }
        Product::Convolve(form) => {
            let Convolve { out: [image, channel], .. } = form;
            (form.pixels(), [channel, image])
        }
    };
    let [pitch, whole] = distances;
    row.is_none_or(|row| pitch == row && columns <= row && whole.is_multiple_of(row))
}

/// The length of a kernel's rows for these sizes, if it has any; the outer `None` if that is no number.
pub(crate) fn row(kernel: &Kernel, sizes: &[i64]) -> Option<Option<usize>> {
    if !has_rows(kernel) {
        return Some(None);
    }
    let Stmt::Loop(inner) = kernel.root.body.last()? else { return None };
    let extent = kernel.size(kernel.axes[inner.axis].extent, sizes)?;
    usize::try_from(extent).ok().filter(|&row| row > 0).map(Some)
}
