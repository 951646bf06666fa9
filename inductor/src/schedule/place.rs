//! Placement of tensors: which tensor's buffer holds each, and with what layout.
//!
//! A view of a buffer is free where strides can express it; where they cannot, the view becomes a buffer of its own.

use cranelift_entity::{EntitySet, PrimaryMap, SecondaryMap};
use symshapes::{Expr, Pool};

use crate::calls::CallKind;
use crate::tensor_ir::{
    Dims, Op, Output, Tensor, TensorGraph, View, contiguous_strides, is_dense, is_injective, stride_order,
};

/// A tensor's layout in its buffer, as expressions of sizes.
pub type Layout = crate::plan::Layout<Expr>;

/// A tensor's place: the tensor that is stored, and this tensor's layout in that one's buffer.
#[derive(Clone, PartialEq, Debug)]
pub struct Place {
    /// The stored tensor: a leaf, or one that a kernel writes.
    pub stored: Tensor,
    /// Sizes, strides and offset in its buffer.
    pub layout: Layout,
}

/// For each tensor the layout in which it is stored if it is: as promised where that is dense, or where it is seen and
/// no two elements share a place, else row-major; leaves as they come.
pub(super) fn stored_layouts(graph: &TensorGraph, pool: &mut Pool) -> PrimaryMap<Tensor, Layout> {
    let seen = seen(graph);
    let mut layouts = PrimaryMap::with_capacity(graph.tensors.len());
    for (t, data) in graph.tensors.iter() {
        let mut is_kept = |strides: &[Expr]| {
            data.op.is_leaf()
                || is_dense(pool, &data.sizes, strides)
                || seen.contains(t) && is_injective(pool, &data.sizes, strides)
        };
        let strides = match &data.strides {
            Some(strides) if is_kept(strides) => strides.clone(),
            _ => contiguous_strides(pool, &data.sizes),
        };
        layouts.push(Layout { sizes: data.sizes.to_vec(), strides: strides.to_vec(), offset: Expr::ZERO });
    }
    layouts
}

/// The tensors whose strides the caller or an opaque call sees, directly or through views.
fn seen(graph: &TensorGraph) -> EntitySet<Tensor> {
    let mut seen = EntitySet::new();
    for output in &graph.outputs {
        if let Output::Tensor(t) = *output {
            seen.insert(graph.viewed(t));
        }
    }
    for call in graph.calls.values().filter(|call| call.kind != CallKind::Extern || call.sees_memory()) {
        call.for_each_tensor(&mut |&t| {
            seen.insert(graph.viewed(t));
        });
    }
    seen
}

/// The places of all tensors of a graph in which every tensor is stored that is no view.
pub(crate) fn all_places(graph: &TensorGraph, pool: &mut Pool) -> SecondaryMap<Tensor, Option<Place>> {
    let stored = stored_layouts(graph, pool);
    places(graph, pool, &stored)
}

/// The places of all tensors.
pub(super) fn places(
    graph: &TensorGraph,
    pool: &mut Pool,
    stored: &PrimaryMap<Tensor, Layout>,
) -> SecondaryMap<Tensor, Option<Place>> {
    let mut places: SecondaryMap<Tensor, Option<Place>> = SecondaryMap::new();
    for (t, data) in graph.tensors.iter() {
        let seen_through = match &data.op {
            Op::View(source, view) => places[*source].as_ref().and_then(|place: &Place| {
                let layout = apply(pool, &place.layout, view, &data.sizes)?;
                Some(Place { stored: place.stored, layout })
            }),
            _ => None,
        };
        places[t] = seen_through.or_else(|| Some(Place { stored: t, layout: stored[t].clone() }));
    }
    places
}

/// The layout of a view, where strides can express it. PyTorch has no negative strides.
fn apply(pool: &mut Pool, layout: &Layout, view: &View, sizes: &[Expr]) -> Option<Layout> {
    let (strides, offset) = match view {
        View::Permute(perm) => (perm.iter().map(|&p| layout.strides[p]).collect(), layout.offset),
        View::Expand => (expand_strides(layout, sizes), layout.offset),
        View::Slice { start, step } => {
            if step.iter().any(|&s| s < 0) {
                return None;
            }
            let mut offset = layout.offset;
            for (&from, &stride) in start.iter().zip(&layout.strides) {
                let moved = pool.mul(from, stride);
                offset = pool.add(offset, moved);
            }
            (step.iter().zip(&layout.strides).map(|(&a, &s)| pool.mul_int(s, a)).collect(), offset)
        }
        View::Diagonal(dims) => {
            let along = pool.add(layout.strides[dims[0]], layout.strides[dims[1]]);
            let rest = (0..layout.strides.len()).filter(|d| !dims.contains(d)).map(|d| layout.strides[d]);
            (rest.chain([along]).collect(), layout.offset)
        }
        View::Windows { dim, step } => {
            let mut strides = layout.strides.clone();
            strides.push(strides[*dim]);
            strides[*dim] = pool.mul_int(strides[*dim], *step);
            (strides, layout.offset)
        }
        View::Reshape => (reshape_strides(pool, layout, sizes)?, layout.offset),
    };
    Some(Layout { sizes: sizes.to_vec(), strides, offset })
}

fn expand_strides(layout: &Layout, sizes: &[Expr]) -> Vec<Expr> {
    let offset = sizes.len() - layout.sizes.len();
    (0..sizes.len())
        .map(|k| {
            let own = k.checked_sub(offset);
            own.filter(|&j| layout.sizes[j] == sizes[k]).map_or(Expr::ZERO, |j| layout.strides[j])
        })
        .collect()
}

/// Strides under other sizes, if the elements' row-major order can be expressed.
///
/// Runs of dimensions that lie in one stride are taken together; each new dimension must fit within one run.
fn reshape_strides(pool: &mut Pool, layout: &Layout, sizes: &[Expr]) -> Option<Vec<Expr>> {
    if sizes.contains(&Expr::ZERO) {
        return Some(contiguous_strides(pool, sizes).to_vec());
    }
    // Runs from the innermost out: (elements, stride of the innermost).
    let mut runs: Vec<(Expr, Expr)> = Vec::new();
    for k in (0..layout.sizes.len()).rev().filter(|&k| layout.sizes[k] != Expr::ONE) {
        let (size, stride) = (layout.sizes[k], layout.strides[k]);
        match runs.last_mut() {
            Some((count, base)) if stride == pool.mul(*base, *count) => *count = pool.mul(*count, size),
            _ => runs.push((size, stride)),
        }
    }
    let mut strides = vec![Expr::ONE; sizes.len()];
    let mut runs = runs.into_iter();
    let (mut left, mut stride) = (Expr::ONE, Expr::ONE);
    for k in (0..sizes.len()).rev() {
        if sizes[k] != Expr::ONE && left == Expr::ONE {
            (left, stride) = runs.next()?;
        }
        strides[k] = stride;
        left = pool.exact_div(left, sizes[k])?;
        stride = pool.mul(stride, sizes[k]);
    }
    Some(strides)
}

/// The number of elements that a layout spans from the start of its buffer, if it has any.
pub fn span(pool: &mut Pool, layout: &Layout) -> Expr {
    if layout.sizes.contains(&Expr::ZERO) {
        return Expr::ZERO;
    }
    let mut last = layout.offset;
    for (&size, &stride) in layout.sizes.iter().zip(&layout.strides) {
        let steps = pool.add_int(size, -1);
        let moved = pool.mul(steps, stride);
        last = pool.add(last, moved);
    }
    pool.add_int(last, 1)
}

/// Dimensions in the order in which a stored tensor is walked, outermost first, without those of size 1.
pub(super) fn walk(pool: &Pool, layout: &Layout) -> Vec<usize> {
    let strides: Dims = layout.strides.iter().copied().collect();
    let order = stride_order(pool, &layout.sizes, &strides);
    order.into_iter().filter(|&k| layout.sizes[k] != Expr::ONE).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Strides of a layout of these sizes and strides under other sizes, as text.
    fn reshaped(sizes: &str, strides: &str, into: &str) -> Option<String> {
        let mut pool = Pool::new();
        pool.symbol("b", symshapes::Range::new(2, i64::MAX));
        let mut list =
            |text: &str| -> Vec<Expr> { text.split_whitespace().map(|n| pool.parse(n).expect("a size")).collect() };
        let (sizes, strides, into) = (list(sizes), list(strides), list(into));
        let layout = Layout { sizes, strides, offset: Expr::ZERO };
        let strides = reshape_strides(&mut pool, &layout, &into)?;
        Some(strides.iter().map(|&n| pool.display(n).to_string()).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn reshapes_keep_strides_where_they_can() {
        assert_eq!(reshaped("2 3 4", "12 4 1", "6 4").as_deref(), Some("4 1"));
        assert_eq!(reshaped("2 3 4", "24 4 1", "2 12").as_deref(), Some("24 1"));
        assert_eq!(reshaped("2 3 4", "24 4 1", "6 4"), None);
        assert_eq!(reshaped("4 3", "1 4", "12"), None);
        assert_eq!(reshaped("4 3", "1 4", "2 2 3").as_deref(), Some("2 1 4"));
        assert_eq!(reshaped("1", "1", "1 1 1").as_deref(), Some("1 1 1"));
        assert_eq!(reshaped("5", "0", "5 1").as_deref(), Some("0 1"));
        assert_eq!(reshaped("b 3 4", "12 4 1", "3*b 4").as_deref(), Some("4 1"));
        assert_eq!(reshaped("3*b 4", "4 1", "b 12").as_deref(), Some("12 1"));
        assert_eq!(reshaped("b 4", "8 1", "4*b"), None);
    }
}
