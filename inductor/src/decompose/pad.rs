//! Padding: with a number, or with what is inside.

use fx::prim::Pointwise;
use symshapes::{DType, Expr, Pool};

use super::index::looked_up;
use super::{Args, Builder, Rewrite, unsupported};
use crate::tensor_ir::Tensor;

/// Padding from the last dimension on; negative amounts cut.
pub(crate) fn constant_pad(b: &mut Builder, a: &Args) -> Rewrite {
    let mut x = a.tensor("self")?;
    let pad = a.sizes(&mut b.graph.pool, "pad")?;
    let value = a.float("value")?;
    for (k, amounts) in pad.chunks_exact(2).enumerate() {
        let Some(dim) = b.rank(x).checked_sub(1 + k) else { return unsupported("more amounts than dimensions") };
        let (low, high) = (amounts[0], amounts[1]);
        let own = b.sizes(x)[dim];
        let pool = &mut b.graph.pool;
        let [Some(low), Some(high)] = [low, high].map(|n| signed(pool, n)) else {
            return unsupported("an amount of unknown sign");
        };
        let cut = pool.add(low.cut, high.cut);
        let kept = pool.sub(own, cut);
        let grown = pool.add(low.add, high.add);
        let len = pool.add(kept, grown);
        x = b.slice(x, dim, low.cut, 1, kept);
        if grown != Expr::ZERO {
            x = b.pad(x, dim, low.add, len, value);
        }
    }
    Ok(x)
}

/// The padding of one side of a dimension: elements cut off and elements added; one of them is 0.
struct Amount {
    cut: Expr,
    add: Expr,
}

fn signed(pool: &mut Pool, n: Expr) -> Option<Amount> {
    let range = pool.range(n);
    match (range.lo >= 0, range.hi <= 0) {
        (true, _) => Some(Amount { cut: Expr::ZERO, add: n }),
        (_, true) => Some(Amount { cut: pool.neg(n), add: Expr::ZERO }),
        _ => None,
    }
}

/// Mirrored at the first and the last element, which are not repeated.
pub(crate) fn reflected(b: &mut Builder, a: &Args) -> Rewrite {
    padded(b, a, |b, position, last| {
        let position = b.map(Pointwise::Abs, &[position]);
        let beyond = b.sub(last, position);
        let beyond = b.map(Pointwise::Abs, &[beyond]);
        b.sub(last, beyond)
    })
}

/// The first and the last element over and over.
pub(crate) fn replicated(b: &mut Builder, a: &Args) -> Rewrite {
    padded(b, a, |b, position, last| {
        let zero = b.lit(0.0, position);
        let position = b.maximum(position, zero);
        b.minimum(position, last)
    })
}

/// Padding whose elements are those at `edge(position, last)`, where `position` counts from the source's first element
/// and `last` is the position of its last one.
fn padded(b: &mut Builder, a: &Args, edge: impl Fn(&mut Builder, Tensor, Tensor) -> Tensor) -> Rewrite {
    let source = a.tensor("self")?;
    let sizes = a.result()?.sizes.clone();
    let rank = sizes.len();
    let Some(padding) = a.opt_ints("padding")? else { return unsupported("no padding") };
    if padding.len() % 2 != 0 || padding.len() / 2 > rank || rank != b.rank(source) {
        return unsupported("padding of another form");
    }
    looked_up(b, source, &sizes, |b, dim| {
        // The last dimension's numbers come first.
        let at = 2 * (rank - 1 - dim);
        let (Some(&low), Some(&high)) = (padding.get(at), padding.get(at + 1)) else { return Ok(None) };
        if (low, high) == (0, 0) {
            return Ok(None);
        }
        let last = b.graph.pool.add_int(b.sizes(source)[dim], -1);
        let last = b.size(last, DType::I64);
        let position = b.iota(sizes[dim], dim, rank);
        let position = b.add_lit(position, -low as f64);
        Ok(Some(edge(b, position, last)))
    })
}
