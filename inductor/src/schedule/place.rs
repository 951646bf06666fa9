//! Where tensors lie: which tensor's buffer holds each, and with what layout.
//!
//! A view of a buffer is free where strides can express it; where they cannot, the view becomes a buffer of its own.

use cranelift_entity::SecondaryMap;

use crate::plan::Layout;
use crate::tensor_ir::{Dims, Op, Tensor, TensorGraph, View, contiguous_strides, is_dense};

/// A tensor's place: the tensor that is stored, and this tensor's layout in that one's buffer.
#[derive(Clone, PartialEq, Debug)]
pub struct Place {
    /// The stored tensor: a leaf, or one that a kernel writes.
    pub stored: Tensor,
    /// Sizes, strides and offset in its buffer.
    pub layout: Layout,
}

/// The layout in which a tensor is stored if it is: as promised where that is dense, else row-major; leaves as they come.
pub fn stored_layout(graph: &TensorGraph, t: Tensor) -> Layout {
    let data = &graph.tensors[t];
    let strides = match &data.strides {
        Some(strides) if data.op.is_leaf() || is_dense(&data.sizes, strides) => strides.clone(),
        _ => contiguous_strides(&data.sizes),
    };
    Layout { sizes: data.sizes.to_vec(), strides: strides.to_vec(), offset: 0 }
}

/// The places of all tensors.
pub fn places(graph: &TensorGraph) -> SecondaryMap<Tensor, Option<Place>> {
    let mut places: SecondaryMap<Tensor, Option<Place>> = SecondaryMap::new();
    for (t, data) in graph.tensors.iter() {
        let seen_through = match &data.op {
            Op::View(source, view) => places[*source].as_ref().and_then(|place: &Place| {
                let layout = apply(&place.layout, view, &data.sizes)?;
                Some(Place { stored: place.stored, layout })
            }),
            _ => None,
        };
        places[t] = seen_through.or_else(|| Some(Place { stored: t, layout: stored_layout(graph, t) }));
    }
    places
}

/// The layout of a view, where strides can express it. PyTorch has no negative strides.
fn apply(layout: &Layout, view: &View, sizes: &[i64]) -> Option<Layout> {
    let (strides, offset) = match view {
        View::Permute(perm) => (perm.iter().map(|&p| layout.strides[p]).collect(), layout.offset),
        View::Expand => (expand_strides(layout, sizes), layout.offset),
        View::Slice { start, step } => {
            if step.iter().any(|&s| s < 0) {
                return None;
            }
            let moved: i64 = start.iter().zip(&layout.strides).map(|(a, s)| a * s).sum();
            (step.iter().zip(&layout.strides).map(|(a, s)| a * s).collect(), layout.offset + moved)
        }
        View::Reshape => (reshape_strides(layout, sizes)?, layout.offset),
    };
    Some(Layout { sizes: sizes.to_vec(), strides, offset })
}

fn expand_strides(layout: &Layout, sizes: &[i64]) -> Vec<i64> {
    let offset = sizes.len() - layout.sizes.len();
    (0..sizes.len())
        .map(|k| {
            let own = k.checked_sub(offset);
            own.filter(|&j| layout.sizes[j] == sizes[k]).map_or(0, |j| layout.strides[j])
        })
        .collect()
}

/// Strides under other sizes, if the elements' row-major order can be expressed.
///
/// Runs of dimensions that lie in one stride are taken together; each new dimension must fit within one run.
fn reshape_strides(layout: &Layout, sizes: &[i64]) -> Option<Vec<i64>> {
    if sizes.contains(&0) {
        return Some(contiguous_strides(sizes).to_vec());
    }
    // Runs from the innermost out: (elements, stride of the innermost).
    let mut runs: Vec<(i64, i64)> = Vec::new();
    for k in (0..layout.sizes.len()).rev().filter(|&k| layout.sizes[k] != 1) {
        let (size, stride) = (layout.sizes[k], layout.strides[k]);
        match runs.last_mut() {
            Some((count, base)) if stride == *base * *count => *count *= size,
            _ => runs.push((size, stride)),
        }
    }
    let mut strides = vec![1; sizes.len()];
    let mut runs = runs.into_iter();
    let (mut left, mut stride) = (1, 1);
    for k in (0..sizes.len()).rev() {
        if sizes[k] != 1 && left == 1 {
            (left, stride) = runs.next()?;
        }
        strides[k] = stride;
        if left % sizes[k] != 0 {
            return None;
        }
        left /= sizes[k];
        stride *= sizes[k];
    }
    Some(strides)
}

/// True if two layouts address the same elements (strides of dimensions of size 1 do not matter).
pub fn same_strides(sizes: &[i64], a: &[i64], b: &[i64]) -> bool {
    sizes.contains(&0) || (0..sizes.len()).all(|k| sizes[k] == 1 || a[k] == b[k])
}

/// The number of elements that a layout spans from the start of its buffer.
pub fn span(layout: &Layout) -> i64 {
    if layout.sizes.contains(&0) {
        return 0;
    }
    let last: i64 = layout.sizes.iter().zip(&layout.strides).map(|(n, s)| (n - 1) * s).sum();
    layout.offset + last + 1
}

/// Sizes in the order in which a stored tensor is walked, outermost first, without dimensions of size 1.
pub(super) fn walk(layout: &Layout) -> Vec<usize> {
    let strides: Dims = layout.strides.iter().copied().collect();
    let order = crate::tensor_ir::stride_order(&layout.sizes, &strides);
    order.into_iter().filter(|&k| layout.sizes[k] != 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(sizes: &[i64], strides: &[i64]) -> Layout {
        Layout { sizes: sizes.to_vec(), strides: strides.to_vec(), offset: 0 }
    }

    #[test]
    fn reshapes_keep_strides_where_they_can() {
        assert_eq!(reshape_strides(&layout(&[2, 3, 4], &[12, 4, 1]), &[6, 4]), Some(vec![4, 1]));
        assert_eq!(reshape_strides(&layout(&[2, 3, 4], &[24, 4, 1]), &[2, 12]), Some(vec![24, 1]));
        assert_eq!(reshape_strides(&layout(&[2, 3, 4], &[24, 4, 1]), &[6, 4]), None);
        assert_eq!(reshape_strides(&layout(&[4, 3], &[1, 4]), &[12]), None);
        assert_eq!(reshape_strides(&layout(&[4, 3], &[1, 4]), &[2, 2, 3]), Some(vec![2, 1, 4]));
        assert_eq!(reshape_strides(&layout(&[1], &[1]), &[1, 1, 1]), Some(vec![1, 1, 1]));
        assert_eq!(reshape_strides(&layout(&[5], &[0]), &[5, 1]), Some(vec![0, 1]));
    }
}
