//! Scattering: elements go where other tensors say, one after the other.
//!
//! Every operator of the family is told as one [`Scatter`]: *entries*, each of which has indices, and *rows*,
//! dimensions that an entry brings along without looking anything up. `kernels` sorts the entries by where they go,
//! their own order between equals, and a thread for each place walks over what goes there. So a sum has the order that
//! eager's has, is rounded once, and is the same on every device and in every run, with no atomics on floats, which
//! WGSL does not have.
//!
//! An index out of bounds raises the run's fault: eager says which one it is.

mod kernels;

use fx::Arg;
use fx::aten::Aten;
use inductor::device::{Refusal, Task};
use inductor::plan::View;
use symshapes::DType;

use super::call::Given;
use super::coordinates::{Dims, at_least_one, stretched, with_dims};
use crate::Gpu;
use crate::work::Work;

/// The ways to combine entries that go to the same place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Combine {
    /// The last stays.
    Last,
    Sum,
    Product,
    Mean,
    Greatest,
    Least,
}

/// A tensor of indices.
struct Index {
    /// It, over the entries.
    view: View,
    /// The size of the dimension that it looks up, and the stride that the result has there.
    size: i64,
    stride: i64,
    /// True if negative ones count from the end.
    wraps: bool,
}

/// The source of the values that are stored.
enum Source {
    /// A tensor: over the entries and then the rows.
    Tensor(View),
    /// One number everywhere.
    Number(Arg),
}

/// A scatter operation.
struct Scatter {
    /// The initial contents of the result, which stay where nothing goes; zeros where it is `None`.
    base: Option<View>,
    out: View,
    entries: Dims,
    rows: Dims,
    /// The strides of the result along entries and rows; 0 along what is looked up.
    out_strides: Vec<i64>,
    indices: Vec<Index>,
    source: Source,
    combine: Combine,
    /// True if what was at a place counts, too.
    with_base: bool,
    /// An index whose entries are dropped.
    padding: Option<i64>,
    /// True if no two entries can go to the same place: their order does not matter.
    apart: bool,
}

/// Operators whose index has the dimensions of the result: `scatter`, `scatter_add`, `scatter_reduce` and their like.
pub(super) fn along(gpu: &Gpu, given: &Given<'_>) -> Result<Task<Work>, Refusal> {
    let [base, index, out] = [given.any("self")?, given.any("index")?, &given.result()?].map(at_least_one);
    let (rank, dim) = (base.layout.sizes.len(), given.dimension(base.layout.sizes.len())?);
    if index.layout.sizes.len() != rank {
        return Refusal::because("an index of another rank");
    }
    let sizes = &index.layout.sizes;
    // What an index is repeated along, it is looked up once for.
    let is_entry = |d: usize| d == dim || (index.layout.strides[d] != 0 && sizes[d] != 1);
    let order: Vec<usize> = (0..rank).filter(|&d| is_entry(d)).chain((0..rank).filter(|&d| !is_entry(d))).collect();
    let entry_dims = order.iter().filter(|&&d| is_entry(d)).count();
    let arranged = |of: &[i64]| order.iter().map(|&d| of[d]).collect::<Vec<i64>>();
    let sizes = arranged(sizes);
    let source = if given.has("src") {
        let source = at_least_one(given.any("src")?);
        if source.layout.sizes.len() != rank {
            return Refusal::because("a source of another rank");
        }
        Source::Tensor(with_dims(&source, sizes.clone(), arranged(&source.layout.strides)))
    } else {
        Source::Number(given.scalar("value")?)
    };
    let mut out_strides = arranged(&out.layout.strides);
    let at = order.iter().position(|&d| d == dim).unwrap_or(0);
    let stride = std::mem::take(&mut out_strides[at]);
    let over = with_dims(&index, sizes[..entry_dims].to_vec(), arranged(&index.layout.strides)[..entry_dims].to_vec());
    let index = Index { view: over, size: base.layout.sizes[dim], stride, wraps: false };
    let reduce = if given.has("reduce") { Some(given.text("reduce")?) } else { None };
    let combine = match reduce.as_deref() {
        Some(name) => reduction(name)?,
        None if given.op() == Aten::scatter_add_default => Combine::Sum,
        None => Combine::Last,
    };
    let with_base = !given.has("include_self") || given.bool("include_self")?;
    let apart = index.view.layout.sizes[at] == 1;
    let (entries, rows) = (Dims::new('e', &sizes[..entry_dims]), Dims::new('r', &sizes[entry_dims..]));
    let (base, indices, padding) = (Some(base), vec![index], None);
    let scatter =
        Scatter { base, out, entries, rows, out_strides, indices, source, combine, with_base, padding, apart };
    scatter.work(gpu, given)
}

/// Operators whose index has one dimension, and whose source the result's with that one for it: `index_copy`,
/// `index_fill`, `index_reduce`.
pub(super) fn over(gpu: &Gpu, given: &Given<'_>) -> Result<Task<Work>, Refusal> {
    let [base, index, out] = [given.any("self")?, given.any("index")?, &given.result()?].map(at_least_one);
    let (rank, dim) = (base.layout.sizes.len(), given.dimension(base.layout.sizes.len())?);
    let &[count] = &index.layout.sizes[..] else { return Refusal::because("an index of several dimensions") };
    let arranged = |of: &[i64], own: i64| {
        let others = (0..rank).filter(|&d| d != dim).map(|d| of[d]);
        std::iter::once(own).chain(others).collect::<Vec<i64>>()
    };
    let sizes = arranged(&base.layout.sizes, count);
    let fills = given.has("value");
    let source = if given.has("source") {
        let source = at_least_one(given.any("source")?);
        let strides = &source.layout.strides;
        if strides.len() != rank || source.layout.sizes[dim] != count {
            return Refusal::because("a source of another rank");
        }
        Source::Tensor(with_dims(&source, sizes.clone(), arranged(strides, strides[dim])))
    } else {
        match given.any("value") {
            Ok(value) => Source::Tensor(with_dims(value, sizes.clone(), vec![0; rank])),
            Err(_) => Source::Number(given.scalar("value")?),
        }
    };
    let index = Index { view: index, size: base.layout.sizes[dim], stride: out.layout.strides[dim], wraps: fills };
    let combine = if given.has("reduce") { reduction(&given.text("reduce")?)? } else { Combine::Last };
    if out.dtype == DType::Bool && given.has("include_self") && !given.bool("include_self")? {
        return Refusal::because("reducing truth values without what was there, which eager does not do");
    }
    let with_base = !given.has("include_self") || given.bool("include_self")?;
    let (entries, rows) = (Dims::new('e', &sizes[..1]), Dims::new('r', &sizes[1..]));
    let out_strides = arranged(&out.layout.strides, 0);
    let (base, indices, padding) = (Some(base), vec![index], None);
    let scatter = Scatter {
        base,
        out,
        entries,
        rows,
        out_strides,
        indices,
        source,
        combine,
        with_base,
        padding,
        apart: count == 1,
    };
    scatter.work(gpu, given)
}

/// `index_put`: tensors of indices for some of the dimensions, stretched to the same sizes, and values for what they
/// name.
pub(super) fn put(gpu: &Gpu, given: &Given<'_>) -> Result<Task<Work>, Refusal> {
    let (base, values, out) = (given.any("self")?, given.any("values")?, given.result()?);
    let indices = given.tensors("indices")?;
    let sizes = &base.layout.sizes;
    let (indexed, tensors): (Vec<usize>, Vec<&View>) =
        indices.iter().enumerate().filter_map(|(dim, index)| Some((dim, (*index)?))).unzip();
    let (Some(&first), Some(&last)) = (indexed.first(), indexed.last()) else {
        return Refusal::because("indexing by nothing");
    };
    if last >= sizes.len() {
        return Refusal::because("more indices than dimensions");
    }
    let mut lookups: Vec<i64> = Vec::new();
    for tensor in &tensors {
        lookups = broadcast(&lookups, &tensor.layout.sizes)?;
    }
    let rows: Vec<usize> = (0..sizes.len()).filter(|dim| !indexed.contains(dim)).collect();
    // Values have the looked up dimensions where the first one stands if all stand together, and in front otherwise.
    let before = if last - first + 1 == indexed.len() { first } else { 0 };
    let row_sizes: Vec<i64> = rows.iter().map(|&dim| sizes[dim]).collect();
    let wanted = [&row_sizes[..before], &lookups, &row_sizes[before..]].concat();
    let strides = stretched(&values.layout, &wanted)?;
    let (leading, rest) = strides.split_at(before);
    let (of_lookups, trailing) = rest.split_at(lookups.len());
    let all = [&lookups[..], &row_sizes].concat();
    let source = Source::Tensor(with_dims(values, all, [of_lookups, leading, trailing].concat()));
    let mut found = Vec::new();
    for (&dim, &tensor) in indexed.iter().zip(&tensors) {
        let view = with_dims(tensor, lookups.clone(), stretched(&tensor.layout, &lookups)?);
        found.push(Index { view, size: sizes[dim], stride: out.layout.strides[dim], wraps: true });
    }
    let of_rows = rows.iter().map(|&dim| out.layout.strides[dim]);
    let out_strides = lookups.iter().map(|_| 0).chain(of_rows).collect();
    let combine = if given.bool("accumulate")? { Combine::Sum } else { Combine::Last };
    let (entries, rows) = (Dims::new('e', &lookups), Dims::new('r', &row_sizes));
    let (base, indices, with_base, padding) = (Some(base.clone()), found, true, None);
    let scatter =
        Scatter { base, out, entries, rows, out_strides, indices, source, combine, with_base, padding, apart: false };
    scatter.work(gpu, given)
}

/// `put`: indices into the result as it lies in memory.
pub(super) fn put_flat(gpu: &Gpu, given: &Given<'_>) -> Result<Task<Work>, Refusal> {
    let (base, index, source, out) = (given.any("self")?, given.any("index")?, given.any("source")?, given.result()?);
    let entries = &index.layout.sizes;
    if !out.layout.is_row_major() || source.layout.sizes != *entries {
        return Refusal::because("a result that does not lie in the order of its elements");
    }
    let source = Source::Tensor(source.clone());
    let out_strides = vec![0; entries.len()];
    let size = out.layout.sizes.iter().product();
    let (entries, rows) = (Dims::new('e', entries), Dims::new('r', &[]));
    let index = Index { view: index.clone(), size, stride: 1, wraps: true };
    let combine = if given.bool("accumulate")? { Combine::Sum } else { Combine::Last };
    let (base, indices, with_base, padding, apart) = (Some(base.clone()), vec![index], true, None, false);
    let scatter =
        Scatter { base, out, entries, rows, out_strides, indices, source, combine, with_base, padding, apart };
    scatter.work(gpu, given)
}

/// `embedding_dense_backward`, not scaled by frequency.
pub(super) fn embedding_backward(gpu: &Gpu, given: &Given<'_>) -> Result<Task<Work>, Refusal> {
    if given.bool("scale_grad_by_freq")? {
        return Refusal::because("a gradient that is scaled by frequency");
    }
    let (grad, index, out) = (given.any("grad_output")?, given.any("indices")?, given.result()?);
    let [rows, width] = out.layout.sizes[..] else { return Refusal::because("a table's rank") };
    let lookups = &index.layout.sizes;
    let source = Source::Tensor(with_dims(grad, [&lookups[..], &[width]].concat(), grad.layout.strides.clone()));
    let out_strides = lookups.iter().map(|_| 0).chain([out.layout.strides[1]]).collect();
    let (entries, dims) = (Dims::new('e', lookups), Dims::new('r', &[width]));
    let index = Index { view: index.clone(), size: rows, stride: out.layout.strides[0], wraps: false };
    let padding = Some(given.int("padding_idx")?).filter(|&row| row >= 0);
    let (base, indices, combine, with_base) = (None, vec![index], Combine::Sum, true);
    let scatter = Scatter {
        base,
        out,
        entries,
        rows: dims,
        out_strides,
        indices,
        source,
        combine,
        with_base,
        padding,
        apart: false,
    };
    scatter.work(gpu, given)
}

/// By the names that `scatter`, `scatter_reduce` and `index_reduce` have for them.
fn reduction(name: &str) -> Result<Combine, Refusal> {
    Ok(match name {
        "sum" | "add" => Combine::Sum,
        "prod" | "multiply" => Combine::Product,
        "mean" => Combine::Mean,
        "amax" => Combine::Greatest,
        "amin" => Combine::Least,
        other => return Refusal::because(format!("scattering by `{other}`")),
    })
}

/// The sizes that both are stretched to.
fn broadcast(a: &[i64], b: &[i64]) -> Result<Vec<i64>, Refusal> {
    let rank = a.len().max(b.len());
    let size = |of: &[i64], dim: usize| (dim + of.len()).checked_sub(rank).map_or(1, |at| of[at]);
    let both = (0..rank).map(|dim| match (size(a, dim), size(b, dim)) {
        (1, n) | (n, 1) => Some(n),
        (n, m) => (n == m).then_some(n),
    });
    both.collect::<Option<Vec<i64>>>().ok_or_else(|| Refusal("indices of different sizes".to_owned()))
}

impl Scatter {
    /// True for what kernels compute with: the source is of the result's dtype, and sums do not leave 32 bits where
    /// those stand for 64.
    fn check(&self, gpu: &Gpu) -> Result<(), Refusal> {
        let dtype = self.out.dtype;
        let tensors = self.base.iter().chain(if let Source::Tensor(view) = &self.source { Some(view) } else { None });
        if tensors.into_iter().any(|view| view.dtype != dtype) {
            return Refusal::because("scattering between dtypes");
        }
        if self.indices.iter().any(|index| !matches!(index.view.dtype, DType::I64 | DType::I32)) {
            return Refusal::because("indexing by a mask");
        }
        let stays = matches!(self.combine, Combine::Last | Combine::Greatest | Combine::Least);
        if !stays && dtype == DType::I64 && !gpu.has_wide_ints() {
            return Refusal::because("a sum of int64, of which the device has 32 bits");
        }
        if self.combine == Combine::Mean && !dtype.is_float() {
            return Refusal::because("a mean of integers");
        }
        Ok(())
    }
}
