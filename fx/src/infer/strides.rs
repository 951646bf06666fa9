//! How torch lays out results: row-major, channels last, or in the order of the operands' strides.
//!
//! Functions that compare symbolic strides give `None` where the comparison cannot be decided.

use crate::graph::TensorMeta;
use std::cmp::Ordering;
use symshapes::{Expr, Pool};

/// Row-major strides. Empty dimensions count as one element.
pub fn contiguous(pool: &mut Pool, sizes: &[Expr]) -> Vec<Expr> {
    in_order(pool, sizes, (0..sizes.len()).rev())
}

/// Strides with the channels (dimension 1) innermost, then the last dimension to the first.
pub fn channels_last(pool: &mut Pool, sizes: &[Expr]) -> Vec<Expr> {
    in_order(pool, sizes, channels_last_order(sizes.len()))
}

fn channels_last_order(rank: usize) -> impl Iterator<Item = usize> {
    [1].into_iter().chain((2..rank).rev()).chain([0])
}

/// Dense strides where `order` names the dimensions from the innermost out.
pub fn in_order(pool: &mut Pool, sizes: &[Expr], order: impl IntoIterator<Item = usize>) -> Vec<Expr> {
    let mut stride = pool.int(1);
    let mut strides = vec![stride; sizes.len()];
    for d in order {
        strides[d] = stride;
        if pool.as_int(sizes[d]) != Some(0) {
            stride = pool.mul(stride, sizes[d]);
        }
    }
    strides
}

/// The number of elements.
pub fn numel(pool: &mut Pool, sizes: &[Expr]) -> Expr {
    let one = pool.int(1);
    sizes.iter().fold(one, |n, &s| pool.mul(n, s))
}

/// True if the tensor is dense with its dimensions from the innermost out in `order`; sizes of 1 do not count.
fn dense_in_order(pool: &mut Pool, t: &TensorMeta, order: impl IntoIterator<Item = usize>) -> bool {
    let mut expected = pool.int(1);
    for d in order {
        if pool.as_int(t.sizes[d]) != Some(1) {
            if t.strides[d] != expected {
                return false;
            }
            expected = pool.mul(expected, t.sizes[d]);
        }
    }
    true
}

/// True if the tensor is row-major.
pub fn is_contiguous(pool: &mut Pool, t: &TensorMeta) -> bool {
    is_empty(pool, t) || dense_in_order(pool, t, (0..t.sizes.len()).rev())
}

/// True if the tensor is dense with channels last.
pub fn is_channels_last(pool: &mut Pool, t: &TensorMeta) -> bool {
    matches!(t.sizes.len(), 4 | 5) && dense_in_order(pool, t, channels_last_order(t.sizes.len()))
}

fn is_empty(pool: &Pool, t: &TensorMeta) -> bool {
    t.sizes.iter().any(|&s| pool.as_int(s) == Some(0))
}

/// True if every element has a place of its own and there are no gaps.
fn is_dense(pool: &mut Pool, t: &TensorMeta) -> Option<bool> {
    let mut order: Vec<usize> = (0..t.sizes.len()).filter(|&d| pool.as_int(t.sizes[d]) != Some(1)).collect();
    let mut undecided = false;
    order.sort_by(|&a, &b| {
        compare(pool, t.strides[a], t.strides[b]).unwrap_or_else(|| {
            undecided = true;
            Ordering::Equal
        })
    });
    if undecided { None } else { Some(dense_in_order(pool, t, order)) }
}

/// Which of two strides or sizes is less, as far as it is proved. Symbolic ones that may be equal count as different.
pub fn compare(pool: &mut Pool, a: Expr, b: Expr) -> Option<Ordering> {
    match (pool.as_int(a), pool.as_int(b)) {
        (Some(a), Some(b)) => Some(a.cmp(&b)),
        _ if a == b => Some(Ordering::Equal),
        _ if pool.proves_le(a, b) => Some(Ordering::Less),
        _ if pool.proves_le(b, a) => Some(Ordering::Greater),
        _ => None,
    }
}

/// True if a library that has kernels for channels last would take the tensor to be so: its strides grow in that
/// order, gaps allowed.
pub fn suggests_channels_last(pool: &mut Pool, t: &TensorMeta) -> Option<bool> {
    if !matches!(t.sizes.len(), 4 | 5) || pool.as_int(t.strides[1]) == Some(0) {
        return Some(false);
    }
    let mut least = pool.int(0);
    for d in channels_last_order(t.sizes.len()) {
        if pool.as_int(t.sizes[d]) == Some(0) || compare(pool, t.strides[d], least)? == Ordering::Less {
            return Some(false);
        }
        // Where nothing but the batch tells the formats apart, torch takes row-major.
        if d == 0 && least == t.strides[1] {
            return Some(false);
        }
        least = t.strides[d];
        if pool.as_int(t.sizes[d]) != Some(1) {
            least = pool.mul(least, t.sizes[d]);
        }
    }
    Some(true)
}

/// The strides of a copy that preserves the format.
pub fn preserved(pool: &mut Pool, t: &TensorMeta) -> Option<Vec<Expr>> {
    if is_dense(pool, t)? {
        return Some(t.strides.clone());
    }
    elementwise(pool, &t.sizes, &[t])
}

/// The strides of the result of an element-wise op on `operands` broadcast to `sizes`.
pub fn elementwise(pool: &mut Pool, sizes: &[Expr], operands: &[&TensorMeta]) -> Option<Vec<Expr>> {
    if operands.iter().all(|t| t.sizes == sizes)
        && let Some(strides) = same_layout(pool, sizes, operands)
    {
        return Some(strides);
    }
    let rows: Vec<Vec<Expr>> = operands.iter().map(|t| spread(pool, sizes, t)).collect();
    by_strides(pool, sizes, &rows)
}

/// The layout that operands of equal sizes share, if they do.
fn same_layout(pool: &mut Pool, sizes: &[Expr], operands: &[&TensorMeta]) -> Option<Vec<Expr>> {
    if operands.iter().all(|t| is_contiguous(pool, t)) {
        return Some(contiguous(pool, sizes));
    }
    if operands.iter().all(|t| is_channels_last(pool, t)) {
        return Some(channels_last(pool, sizes));
    }
    let first = operands.first()?;
    let same = operands.iter().all(|t| t.strides == first.strides) && is_dense(pool, first) == Some(true);
    same.then(|| first.strides.clone())
}

/// The strides with which a tensor is read when broadcast: 0 along the dimensions that it repeats.
fn spread(pool: &mut Pool, sizes: &[Expr], t: &TensorMeta) -> Vec<Expr> {
    let mut strides = vec![pool.int(0); sizes.len() - t.sizes.len()];
    let skip = strides.len();
    for (d, (&size, &stride)) in t.sizes.iter().zip(&t.strides).enumerate() {
        let repeats = pool.as_int(size) == Some(1) && pool.as_int(sizes[skip + d]) != Some(1);
        strides.push(if repeats { pool.int(0) } else { stride });
    }
    strides
}

/// Dense strides whose order is that of the first operand that tells two dimensions apart: an insertion sort from
/// row-major, as torch's iterator does it. `rows` are the operands' strides, 0 where an operand has no say.
pub fn by_strides(pool: &mut Pool, sizes: &[Expr], rows: &[Vec<Expr>]) -> Option<Vec<Expr>> {
    let mut order: Vec<usize> = (0..sizes.len()).rev().collect();
    for i in 1..order.len() {
        let mut moving = i;
        for j in (0..i).rev() {
            match outer(pool, sizes, rows, order[j], order[moving])? {
                Ordering::Greater => {
                    order.swap(j, moving);
                    moving = j;
                }
                Ordering::Less => break,
                Ordering::Equal => {}
            }
        }
    }
    Some(in_order(pool, sizes, order))
}

/// Which of two dimensions lies further out; equal if no operand says.
fn outer(pool: &mut Pool, sizes: &[Expr], rows: &[Vec<Expr>], a: usize, b: usize) -> Option<Ordering> {
    for strides in rows {
        if pool.as_int(strides[a]) == Some(0) || pool.as_int(strides[b]) == Some(0) {
            continue;
        }
        match compare(pool, strides[a], strides[b])? {
            Ordering::Equal if compare(pool, sizes[a], sizes[b])? == Ordering::Greater => {
                return Some(Ordering::Greater);
            }
            Ordering::Equal => {}
            decided => return Some(decided),
        }
    }
    Some(Ordering::Equal)
}

/// The strides with which a tensor can be seen under other sizes without a copy, if it can.
pub fn viewed(pool: &mut Pool, t: &TensorMeta, sizes: &[Expr]) -> Option<Vec<Expr>> {
    if t.sizes.is_empty() || is_empty(pool, t) {
        return Some(if t.sizes == sizes { t.strides.clone() } else { contiguous(pool, sizes) });
    }
    let one = pool.int(1);
    let mut strides = vec![one; sizes.len()];
    let (mut left, mut base) = (sizes.len(), *t.strides.last()?);
    let (mut here, mut there) = (one, one);
    for d in (0..t.sizes.len()).rev() {
        here = pool.mul(here, t.sizes[d]);
        if d > 0 {
            // Dimensions that continue each other form one block.
            let reach = pool.mul(here, base);
            if pool.as_int(t.sizes[d - 1]) == Some(1) || t.strides[d - 1] == reach {
                continue;
            }
        }
        while left > 0 && (there != here || pool.as_int(sizes[left - 1]) == Some(1)) {
            left -= 1;
            strides[left] = pool.mul(there, base);
            there = pool.mul(there, sizes[left]);
        }
        if there != here {
            return None;
        }
        if d > 0 {
            (base, here, there) = (t.strides[d - 1], one, one);
        }
    }
    (left == 0).then_some(strides)
}
