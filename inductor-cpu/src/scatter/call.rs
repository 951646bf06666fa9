//! The calls of ATen's operators that are sums at places.

use super::{Axis, Base, Lookup, NOWHERE, Scatter, Strays};
use fx::aten::Aten;
use inductor::plan::{Call, CallArg, Layout, View};
use symshapes::DType;

/// The sum that a call computes, and its arguments but for the byte. `None` if it is none, or one of tensors that lie
/// in memory as ours do not.
pub(crate) fn of_call(call: &Call, out: &View) -> Option<(Scatter, Vec<View>)> {
    if !call.kwargs.is_empty() {
        return None;
    }
    let given = match (call.target.op()?, call.args.as_slice()) {
        (
            Aten::index_put_default | Aten::_unsafe_index_put_default,
            [CallArg::Tensor(base), CallArg::List(indices), CallArg::Tensor(source), CallArg::Plain(accumulates)],
        ) if *accumulates == fx::Arg::Bool(true) => put(base, indices, source, out)?,
        (
            Aten::scatter_add_default,
            [CallArg::Tensor(base), CallArg::Plain(fx::Arg::Int(dim)), CallArg::Tensor(index), CallArg::Tensor(source)],
        ) => along(base, *dim, index, source, out)?,
        (
            Aten::embedding_dense_backward_default,
            [CallArg::Tensor(grad), CallArg::Tensor(index), _, CallArg::Plain(padding), CallArg::Plain(scales)],
        ) if *scales == fx::Arg::Bool(false) => {
            let fx::Arg::Int(padding) = *padding else { return None };
            embedding(grad, index, padding, out)?
        }
        _ => return None,
    };
    given.scatter(out)
}

/// A sum as it is told.
struct Given<'a> {
    base: Option<&'a View>,
    indices: Vec<&'a View>,
    source: &'a View,
    lookups: Vec<Lookup>,
    axes: Vec<Axis>,
}

impl Given<'_> {
    fn scatter(self, out: &View) -> Option<(Scatter, Vec<View>)> {
        let elements = elements(&out.layout)?;
        let base = match self.base {
            None => Base::Zero,
            Some(base) if base.layout.sizes != out.layout.sizes || base.dtype != out.dtype => return None,
            Some(base) if base.layout.strides.iter().all(|&stride| stride == 0) => Base::Uniform,
            Some(base) if lies_as(&base.layout, &out.layout) => Base::Tensor,
            Some(_) => return None,
        };
        let is_known = matches!(out.dtype, DType::F32 | DType::F64)
            && self.source.dtype == out.dtype
            && self.indices.iter().all(|index| index.dtype == DType::I64);
        let steps: usize = self.axes.iter().map(|axis| axis.size).product();
        if !is_known || steps == 0 || elements == 0 || elements.max(steps) >= NOWHERE as usize {
            return None;
        }
        let axes = merged(self.axes.into_iter().filter(|axis| axis.size != 1));
        let (free, mut entries): (Vec<Axis>, Vec<Axis>) = axes.into_iter().partition(|axis| axis.out != 0);
        let (groups, rows): (Vec<Axis>, Vec<Axis>) = free.into_iter().partition(Axis::is_looked_up);
        if entries.is_empty() {
            entries.push(Axis { size: 1, source: 0, out: 0, indices: vec![0; self.lookups.len()] });
        }
        let scatter = Scatter { dtype: out.dtype, elements, base, lookups: self.lookups, rows, groups, entries };
        let views = self.base.into_iter().chain(self.indices).chain([self.source, out]);
        Some((scatter, views.cloned().collect()))
    }
}

/// `index_put` that accumulates: tensors of indices for some dimensions, stretched to the same sizes, and values for
/// what they name.
fn put<'a>(base: &'a View, list: &'a [CallArg], source: &'a View, out: &View) -> Option<Given<'a>> {
    let (mut indexed, mut indices) = (Vec::new(), Vec::new());
    for (dim, index) in list.iter().enumerate() {
        match index {
            CallArg::Tensor(view) => {
                indexed.push(dim);
                indices.push(view);
            }
            CallArg::Plain(fx::Arg::None) => {}
            _ => return None,
        }
    }
    let (&first, &last) = (indexed.first()?, indexed.last()?);
    let sizes = numbers(&out.layout.sizes)?;
    let strides = numbers(&out.layout.strides)?;
    if last >= sizes.len() {
        return None;
    }
    let rank = indices.iter().map(|view| view.layout.sizes.len()).max()?;
    let mut looked_up = vec![1; rank];
    for view in &indices {
        let own = numbers(&view.layout.sizes)?;
        for (wanted, &size) in looked_up[rank - own.len()..].iter_mut().zip(&own) {
            *wanted = if size == 1 { *wanted } else { size };
        }
    }
    let mut lookups = Vec::new();
    let mut over = Vec::new();
    for (&dim, view) in indexed.iter().zip(&indices) {
        over.push(stretched(&view.layout, &looked_up)?);
        lookups.push(Lookup { size: sizes[dim] as i64, stride: strides[dim], strays: Strays::Wrapped });
    }
    let none = vec![0; indices.len()];
    let kept = (0..sizes.len()).filter(|dim| !indexed.contains(dim));
    let mut axes: Vec<Axis> =
        kept.map(|dim| Axis { size: sizes[dim], source: 0, out: strides[dim], indices: none.clone() }).collect();
    // What is looked up stands where the first index does if all stand together, and in front otherwise.
    let before = if last - first + 1 == indexed.len() { first } else { 0 };
    let entries = looked_up.iter().enumerate().map(|(at, &size)| Axis {
        size,
        source: 0,
        out: 0,
        indices: over.iter().map(|strides| strides[at]).collect(),
    });
    axes.splice(before..before, entries);
    let wanted: Vec<usize> = axes.iter().map(|axis| axis.size).collect();
    let from = stretched(&source.layout, &wanted)?;
    axes.iter_mut().zip(from).for_each(|(axis, stride)| axis.source = stride);
    Some(Given { base: Some(base), indices, source, lookups, axes })
}

/// `scatter_add`: an index for each element of the source, along one dimension.
fn along<'a>(base: &'a View, dim: i64, index: &'a View, source: &'a View, out: &View) -> Option<Given<'a>> {
    let [sizes, own, from] = [&index.layout.sizes, &index.layout.strides, &source.layout.strides].map(|l| numbers(l));
    let [sizes, own, from, strides, whole] =
        [sizes?, own?, from?, numbers(&out.layout.strides)?, numbers(&out.layout.sizes)?];
    let rank = whole.len();
    let dim = usize::try_from(if dim < 0 { dim + rank as i64 } else { dim }).ok()?;
    if dim >= rank || [sizes.len(), from.len()] != [rank; 2] {
        return None;
    }
    let axis = |d: usize| {
        let out = if d == dim { 0 } else { strides[d] };
        Axis { size: sizes[d], source: from[d], out, indices: vec![own[d]] }
    };
    let lookup = Lookup { size: whole[dim] as i64, stride: strides[dim], strays: Strays::Refused };
    let axes = (0..rank).map(axis).collect();
    Some(Given { base: Some(base), indices: vec![index], source, lookups: vec![lookup], axes })
}

/// The gradient of an embedding, not scaled by frequency.
fn embedding<'a>(grad: &'a View, index: &'a View, padding: i64, out: &View) -> Option<Given<'a>> {
    let [sizes, own, from] = [&index.layout.sizes, &index.layout.strides, &grad.layout.strides].map(|l| numbers(l));
    let (sizes, own, from) = (sizes?, own?, from?);
    let (&[rows, width], &[row, column]) = (&numbers(&out.layout.sizes)?[..], &numbers(&out.layout.strides)?[..])
    else {
        return None;
    };
    let strays = if padding >= 0 { Strays::Dropped(padding) } else { Strays::Refused };
    let lookup = Lookup { size: rows as i64, stride: row, strays };
    let (&last, from) = from.split_last()?;
    let entries = sizes.iter().zip(&own).zip(from);
    let mut axes: Vec<Axis> =
        entries.map(|((&size, &own), &source)| Axis { size, source, out: 0, indices: vec![own] }).collect();
    axes.push(Axis { size: width, source: last, out: column, indices: vec![0] });
    Some(Given { base: None, indices: vec![index], source: grad, lookups: vec![lookup], axes })
}

/// Loops of which no two neighbours could be one.
fn merged(axes: impl Iterator<Item = Axis>) -> Vec<Axis> {
    let mut merged: Vec<Axis> = Vec::new();
    for axis in axes {
        let strides = |axis: &Axis| [&[axis.source, axis.out][..], &axis.indices].concat();
        let next: Vec<usize> = strides(&axis).iter().map(|stride| stride * axis.size).collect();
        match merged.last_mut() {
            Some(outer) if strides(outer) == next => *outer = Axis { size: outer.size * axis.size, ..axis },
            _ => merged.push(axis),
        }
    }
    merged
}

/// Sizes or strides, if none is negative.
fn numbers(list: &[i64]) -> Option<Vec<usize>> {
    list.iter().map(|&it| usize::try_from(it).ok()).collect()
}

/// The strides with which a layout is stretched to sizes.
fn stretched(layout: &Layout, wanted: &[usize]) -> Option<Vec<usize>> {
    let (sizes, strides) = (numbers(&layout.sizes)?, numbers(&layout.strides)?);
    let new = wanted.len().checked_sub(sizes.len())?;
    let own = sizes.iter().zip(&strides).zip(&wanted[new..]).map(|((&size, &stride), &wanted)| match size {
        1 => Some(0),
        size => (size == wanted).then_some(stride),
    });
    std::iter::repeat_n(Some(0), new).chain(own).collect()
}

/// Elements of a layout that has no gaps and no overlaps.
fn elements(layout: &Layout) -> Option<usize> {
    let (sizes, strides) = (numbers(&layout.sizes)?, numbers(&layout.strides)?);
    let mut dims: Vec<(usize, usize)> = strides.into_iter().zip(sizes).filter(|&(_, size)| size != 1).collect();
    dims.sort_unstable();
    dims.into_iter().try_fold(1, |expected: usize, (stride, size)| (stride == expected).then(|| expected * size))
}

/// True if two layouts of the same sizes address elements alike.
fn lies_as(a: &Layout, b: &Layout) -> bool {
    let strides = a.strides.iter().zip(&b.strides).zip(&a.sizes);
    strides.into_iter().all(|((a, b), &size)| size == 1 || a == b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::OwnPool;
    use crate::scatter::Scatters;
    use inductor::backend::CompiledKernel;
    use std::sync::Arc;

    fn layout(sizes: &[i64], strides: &[i64]) -> Layout {
        Layout { sizes: sizes.to_vec(), strides: strides.to_vec(), offset: 0 }
    }

    fn axis(size: usize, source: usize, out: usize, index: usize) -> Axis {
        Axis { size, source, out, indices: vec![index] }
    }

    #[test]
    fn layouts_without_gaps_are_counted() {
        assert_eq!(elements(&layout(&[2, 3, 4], &[12, 1, 3])), Some(24));
        assert_eq!(elements(&layout(&[2, 3], &[4, 1])), None);
        assert_eq!(elements(&layout(&[2, 3], &[0, 1])), None);
        assert_eq!(elements(&layout(&[0, 3], &[3, 1])), Some(0));
    }

    #[test]
    fn stretching_repeats() {
        assert_eq!(stretched(&layout(&[3, 1], &[1, 1]), &[2, 3, 4]), Some(vec![0, 1, 0]));
        assert_eq!(stretched(&layout(&[3], &[1]), &[4]), None);
    }

    /// The result of a sum at places, and whether it refused.
    fn sum(scatter: Scatter, index: &[i64], source: &[f32]) -> (Vec<f32>, bool) {
        let mut out = vec![f32::NAN; scatter.elements];
        let (mut index, mut source, mut refused) = (index.to_vec(), source.to_vec(), 0u8);
        let args = [index.as_mut_ptr().cast(), source.as_mut_ptr().cast(), out.as_mut_ptr().cast(), &raw mut refused];
        let kernel = Scatters { scatter, pool: Arc::new(OwnPool) };
        // SAFETY: the tensors are as the tests tell the sum.
        unsafe { kernel.launch(&args, &[], 2) };
        (out, refused != 0)
    }

    fn told(elements: usize, lookup: (i64, usize, Strays), [rows, groups, entries]: [Vec<Axis>; 3]) -> Scatter {
        let (size, stride, strays) = lookup;
        let lookups = vec![Lookup { size, stride, strays }];
        Scatter { dtype: DType::F32, elements, base: Base::Zero, lookups, rows, groups, entries }
    }

    #[test]
    fn sums_meet_at_places() {
        let one = |strays| told(5, (5, 1, strays), [vec![], vec![], vec![axis(4, 1, 0, 1)]]);
        let source = [1., 2., 4., 8.];
        assert_eq!(sum(one(Strays::Wrapped), &[1, -1, 1, 3], &source), (vec![0., 5., 0., 8., 2.], false));
        assert_eq!(sum(one(Strays::Dropped(3)), &[1, 4, 1, 3], &source), (vec![0., 5., 0., 0., 2.], false));
        for (strays, stray) in [(Strays::Wrapped, 5), (Strays::Wrapped, -6), (Strays::Refused, -1)] {
            assert!(sum(one(strays), &[1, stray, 1, 3], &source).1);
        }
        assert!(sum(one(Strays::Dropped(3)), &[1, 5, 1, 3], &source).1);
        // Rows that lie side by side, to rows; and an index for each element, along columns.
        let rows = told(4, (2, 2, Strays::Refused), [vec![axis(2, 1, 1, 0)], vec![], vec![axis(2, 2, 0, 1)]]);
        assert_eq!(sum(rows, &[1, 1], &[1., 2., 3., 4.]).0, [0., 0., 4., 6.]);
        let columns = told(4, (2, 1, Strays::Refused), [vec![], vec![axis(2, 2, 2, 2)], vec![axis(2, 1, 0, 1)]]);
        assert_eq!(sum(columns, &[1, 1, 0, 1], &[1., 2., 3., 4.]).0, [0., 3., 3., 4.]);
    }
}
