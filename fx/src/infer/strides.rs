//! Memory layouts of torch's results: row-major, channels last, or in the order of the operands' strides.
//!
//! Functions that ask about symbolic sizes and strides give `None` where nobody knows the answer.

use super::sizes::Sizes;
use std::cmp::Ordering;
use symshapes::{Expr, Pool, TensorMeta};

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
fn dense_in_order(sizes: &mut Sizes, t: &TensorMeta, order: impl IntoIterator<Item = usize>) -> Option<bool> {
    let mut expected = Expr::ONE;
    for d in order {
        if t.strides[d] != expected {
            if sizes.is_one(t.sizes[d])? {
                continue;
            }
            if !sizes.is_equal(t.strides[d], expected)? {
                return Some(false);
            }
        }
        expected = sizes.mul(expected, t.sizes[d]);
    }
    Some(true)
}

/// True if the tensor is row-major.
pub fn is_contiguous(sizes: &mut Sizes, t: &TensorMeta) -> Option<bool> {
    if is_empty(sizes, t) { Some(true) } else { dense_in_order(sizes, t, (0..t.sizes.len()).rev()) }
}

/// True if the tensor is dense with channels last.
pub fn is_channels_last(sizes: &mut Sizes, t: &TensorMeta) -> Option<bool> {
    let rank = t.sizes.len();
    if matches!(rank, 4 | 5) { dense_in_order(sizes, t, channels_last_order(rank)) } else { Some(false) }
}

fn is_empty(pool: &Pool, t: &TensorMeta) -> bool {
    t.sizes.iter().any(|&s| pool.as_int(s) == Some(0))
}

/// True if every element has a place of its own and there are no gaps, as in every tensor without elements.
fn is_dense(sizes: &mut Sizes, t: &TensorMeta) -> Option<bool> {
    if is_empty(sizes, t) || dense_in_order(sizes, t, (0..t.sizes.len()).rev()) == Some(true) {
        return Some(true);
    }
    let mut order: Vec<usize> = (0..t.sizes.len()).filter(|&d| sizes.as_int(t.sizes[d]) != Some(1)).collect();
    let mut undecided = false;
    order.sort_by(|&a, &b| {
        sizes.compare(t.strides[a], t.strides[b]).unwrap_or_else(|| {
            undecided = true;
            Ordering::Equal
        })
    });
    if undecided { None } else { dense_in_order(sizes, t, order) }
}

/// True if a library that has kernels for channels last would take the tensor to be so: its strides grow in that
/// order, gaps allowed.
pub fn suggests_channels_last(pool: &mut Sizes, t: &TensorMeta) -> Option<bool> {
    if !matches!(t.sizes.len(), 4 | 5) || pool.as_int(t.strides[1]) == Some(0) {
        return Some(false);
    }
    let mut least = pool.int(0);
    for d in channels_last_order(t.sizes.len()) {
        if pool.as_int(t.sizes[d]) == Some(0) || pool.compare(t.strides[d], least)? == Ordering::Less {
            return Some(false);
        }
        // Where nothing but the batch tells the formats apart, torch takes row-major.
        if d == 0 && least == t.strides[1] {
            return Some(false);
        }
        least = t.strides[d];
        least = pool.mul(least, t.sizes[d]);
    }
    Some(true)
}

/// The strides of a copy that preserves the format.
pub fn preserved(pool: &mut Sizes, t: &TensorMeta) -> Option<Vec<Expr>> {
    if is_dense(pool, t)? {
        return Some(t.strides.clone());
    }
    elementwise(pool, &t.sizes, &[t])
}

/// The strides of the result of an element-wise op on `operands` broadcast to `sizes`.
pub fn elementwise(pool: &mut Sizes, sizes: &[Expr], operands: &[&TensorMeta]) -> Option<Vec<Expr>> {
    if operands.iter().all(|t| t.sizes == sizes)
        && let Some(strides) = same_layout(pool, sizes, operands)?
    {
        return Some(strides);
    }
    let rows: Vec<Vec<Expr>> = operands.iter().map(|t| spread(pool, sizes, t)).collect();
    by_strides(pool, sizes, &rows)
}

/// As [`elementwise`], where a number is among the operands: a tensor without dimensions, which is of another size than
/// the rest, so that torch looks at the order of strides though the rest have one layout. It tells of dimensions of one
/// element alone, and where there are no elements.
pub fn beside_number(pool: &mut Sizes, sizes: &[Expr], operands: &[&TensorMeta]) -> Option<Vec<Expr>> {
    if !sizes.iter().any(|&size| matches!(pool.as_int(size), Some(0 | 1))) {
        return elementwise(pool, sizes, operands);
    }
    let rows: Vec<Vec<Expr>> = operands.iter().map(|t| spread(pool, sizes, t)).collect();
    by_strides(pool, sizes, &rows)
}

/// The layout that operands of equal sizes share, if they do.
fn same_layout(pool: &mut Sizes, sizes: &[Expr], operands: &[&TensorMeta]) -> Option<Option<Vec<Expr>>> {
    if all(operands, |t| is_contiguous(pool, t))? {
        return Some(Some(contiguous(pool, sizes)));
    }
    if all(operands, |t| is_channels_last(pool, t))? {
        return Some(Some(channels_last(pool, sizes)));
    }
    let Some((first, rest)) = operands.split_first() else { return Some(None) };
    let same = rest.iter().all(|t| t.strides == first.strides) && is_dense(pool, first)?;
    Some(same.then(|| first.strides.clone()))
}

/// True if it is so for every operand; asks no further than needed.
fn all(operands: &[&TensorMeta], mut holds: impl FnMut(&TensorMeta) -> Option<bool>) -> Option<bool> {
    for t in operands {
        if !holds(t)? {
            return Some(false);
        }
    }
    Some(true)
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
pub fn by_strides(pool: &mut Sizes, sizes: &[Expr], rows: &[Vec<Expr>]) -> Option<Vec<Expr>> {
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
    if order.iter().copied().eq((0..sizes.len()).rev()) {
        return Some(contiguous(pool, sizes));
    }
    // Of no elements, what lies outside of that dimension has no stride: the iterator multiplies the sizes as they are.
    let mut strides = vec![pool.int(1); sizes.len()];
    let mut stride = pool.int(1);
    for d in order {
        strides[d] = stride;
        stride = pool.mul(stride, sizes[d]);
    }
    Some(strides)
}

/// The order of two dimensions, the outer one greater; equal if no operand says.
fn outer(pool: &mut Sizes, sizes: &[Expr], rows: &[Vec<Expr>], a: usize, b: usize) -> Option<Ordering> {
    for strides in rows {
        if pool.as_int(strides[a]) == Some(0) || pool.as_int(strides[b]) == Some(0) {
            continue;
        }
        match pool.compare(strides[a], strides[b])? {
            Ordering::Equal if pool.compare(sizes[a], sizes[b])? == Ordering::Greater => {
                return Some(Ordering::Greater);
            }
            Ordering::Equal => {}
            decided => return Some(decided),
        }
    }
    Some(Ordering::Equal)
}

/// The strides with which a tensor can be seen under other sizes without a copy; `Some(None)` if it cannot.
pub fn viewed(pool: &mut Sizes, t: &TensorMeta, sizes: &[Expr]) -> Option<Option<Vec<Expr>>> {
    // A view that fits whatever the sizes are needs no answers.
    match view_by(pool, t, sizes, same_expression) {
        Some(Some(strides)) => Some(Some(strides)),
        _ => view_by(pool, t, sizes, same_value),
    }
}

fn same_expression(_: &mut Sizes, a: Expr, b: Expr) -> Option<bool> {
    Some(a == b)
}

fn same_value(pool: &mut Sizes, a: Expr, b: Expr) -> Option<bool> {
    pool.is_equal(a, b)
}

fn view_by(
    pool: &mut Sizes,
    t: &TensorMeta,
    sizes: &[Expr],
    same: impl Fn(&mut Sizes, Expr, Expr) -> Option<bool>,
) -> Option<Option<Vec<Expr>>> {
    let (Some(&innermost), false) = (t.strides.last(), is_empty(pool, t)) else {
        return Some(Some(if t.sizes == sizes { t.strides.clone() } else { contiguous(pool, sizes) }));
    };
    let mut strides = vec![Expr::ONE; sizes.len()];
    let (mut left, mut base) = (sizes.len(), innermost);
    let (mut here, mut there) = (Expr::ONE, Expr::ONE);
    for d in (0..t.sizes.len()).rev() {
        here = pool.mul(here, t.sizes[d]);
        if d > 0 {
            // Dimensions that continue each other form one block.
            let reach = pool.mul(here, base);
            if pool.as_int(t.sizes[d - 1]) == Some(1) || same(pool, t.strides[d - 1], reach)? {
                continue;
            }
        }
        while left > 0 && (pool.as_int(sizes[left - 1]) == Some(1) || !same(pool, there, here)?) {
            left -= 1;
            strides[left] = pool.mul(there, base);
            there = pool.mul(there, sizes[left]);
        }
        if !same(pool, there, here)? {
            return Some(None);
        }
        if d > 0 {
            (base, here, there) = (t.strides[d - 1], Expr::ONE, Expr::ONE);
        }
    }
    Some((left == 0).then_some(strides))
}
