//! Copies that bring elements side by side.

use super::micro::Micro;

/// Elements of an operand that are brought side by side.
#[derive(Clone, Copy)]
pub(super) struct Piece {
    /// The first element.
    pub(super) from: *const f32,
    /// Between neighbouring rows (or lanes).
    pub(super) across: usize,
    /// Between neighbouring steps.
    pub(super) along: usize,
    /// Rows, or lanes.
    pub(super) count: usize,
    /// Steps.
    pub(super) steps: usize,
}

/// Writes blocks of `width` rows (or lanes), one behind the other: in each, for each step the elements of its rows side
/// by side. What the last block has too many is 0.
///
/// # Safety
/// The elements may be read; `to` has room for all blocks.
pub(super) unsafe fn pack(micro: &Micro, piece: Piece, to: *mut f32, width: usize) {
    let Piece { from, across, along, count, steps } = piece;
    let block = width * steps;
    // SAFETY: the caller's promise.
    unsafe {
        if along == 1 {
            for first in (0..count).step_by(width) {
                let rows = width.min(count - first);
                transpose(micro, (from.add(first * across), across), (rows, steps), (to.add(first * steps), width));
            }
        } else if across == 1 && width == micro.tile.lanes() && count.is_multiple_of(width) {
            for first in (0..count).step_by(width) {
                micro.copy((from.add(first), along), to.add(first * steps), steps);
            }
        } else if across == 1 && count.is_multiple_of(LINE) && width.is_multiple_of(LINE) {
            for step in 0..steps {
                copy_lines(from.add(step * along), count, (to.add(step * width), width, block));
            }
        } else {
            for (at, step) in (0..count).flat_map(|at| (0..steps).map(move |step| (at, step))) {
                *to.add(at / width * block + step * width + at % width) = *from.add(at * across + step * along);
            }
        }
        let (last, used) = (count / width * block, count % width);
        if used > 0 {
            (0..steps).for_each(|step| to.add(last + step * width + used).write_bytes(0, width - used));
        }
    }
}

/// Elements that are copied at once.
const LINE: usize = 4;

/// Copies `count` elements to blocks of `width`, `block` apart. Both are multiples of [`LINE`].
///
/// # Safety
/// So many elements may be read and written.
unsafe fn copy_lines(from: *const f32, count: usize, (to, width, block): (*mut f32, usize, usize)) {
    let (mut to, mut column) = (to, 0);
    for first in (0..count).step_by(LINE) {
        if column == width {
            (to, column) = (to.wrapping_add(block), 0);
        }
        // SAFETY: the caller's promise.
        unsafe {
            let line = from.add(first).cast::<[f32; LINE]>().read_unaligned();
            to.add(column).cast::<[f32; LINE]>().write_unaligned(line);
        };
        column += LINE;
    }
}

/// `to[j, i] = from[i, j]` for `rows` times `columns` elements of `from`, with the rows of both so far apart.
///
/// # Safety
/// So many elements may be read and written.
pub(super) unsafe fn transpose(
    micro: &Micro,
    (from, stride): (*const f32, usize),
    (rows, columns): (usize, usize),
    (to, to_stride): (*mut f32, usize),
) {
    let side = micro.tile.width;
    let (whole_rows, whole_columns) = (rows / side * side, columns / side * side);
    // SAFETY: the caller's promise; the squares lie within.
    unsafe {
        for row in (0..whole_rows).step_by(side) {
            for column in (0..whole_columns).step_by(side) {
                let from = from.add(row * stride + column);
                micro.transpose((from, stride), (to.add(column * to_stride + row), to_stride));
            }
        }
        let one = |row: usize, column: usize| *to.add(column * to_stride + row) = *from.add(row * stride + column);
        for row in 0..rows {
            let first = if row < whole_rows { whole_columns } else { 0 };
            (first..columns).for_each(|column| one(row, column));
        }
    }
}
