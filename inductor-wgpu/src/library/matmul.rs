//! Matrix products: `mm`, `bmm`, `matmul` of equal ranks or by one matrix, and with a sum `addmm`, `baddbmm`, `linear`.

use inductor::device::{Refusal, Task};
use inductor::plan::{Layout, View};

use super::builder::Builder;
use super::call::Given;
use super::epilogue::Store;
use super::tile::{Product, Tile};
use crate::Gpu;
use crate::work::Work;

/// `mm` and `bmm`.
pub(super) fn mm(gpu: &Gpu, given: &Given<'_>) -> Result<Task<Work>, Refusal> {
    let (a, b) = (given.tensor("self")?, given.tensor("mat2")?);
    product(gpu, given, a, b, None)
}

/// `matmul`, where no operand is a vector and what is not a matrix has the same sizes before the last two.
pub(super) fn matmul(gpu: &Gpu, given: &Given<'_>) -> Result<Task<Work>, Refusal> {
    let (a, b) = (given.tensor("self")?, given.tensor("other")?);
    let (of_a, of_b) = (&a.layout.sizes, &b.layout.sizes);
    let lead = |sizes: &[i64]| sizes.len().checked_sub(2).map(|at| sizes[..at].to_vec());
    match (lead(of_a), lead(of_b)) {
        (Some(x), Some(y)) if x == y || y.is_empty() => product(gpu, given, a, b, None),
        _ => Refusal::because(format!("a product of {of_a:?} and {of_b:?}")),
    }
}

/// `linear`, with or without a bias.
pub(super) fn linear(gpu: &Gpu, given: &Given<'_>) -> Result<Task<Work>, Refusal> {
    let (input, weight) = (given.tensor("input")?, given.tensor("weight")?);
    let Layout { sizes, strides, offset } = &weight.layout;
    let ([n, k], [row, column]) = (&sizes[..], &strides[..]) else { return Refusal::because("a weight's rank") };
    let layout = Layout { sizes: vec![*k, *n], strides: vec![*column, *row], offset: *offset };
    let transposed = View { layout, ..weight.clone() };
    let sum = given.opt_tensor("bias")?.map(|of| Sum { of, beta: 1.0, alpha: 1.0 });
    product(gpu, given, input, &transposed, sum.as_ref())
}

/// `addmm` and `baddbmm`: `beta * self + alpha * (a @ b)`, where a `beta` of 0 makes `self` not matter.
pub(super) fn addmm(gpu: &Gpu, given: &Given<'_>) -> Result<Task<Work>, Refusal> {
    let names = if given.opt_tensor("mat1")?.is_some() { ("mat1", "mat2") } else { ("batch1", "batch2") };
    let (a, b) = (given.tensor(names.0)?, given.tensor(names.1)?);
    let sum = Sum { of: given.tensor("self")?, beta: given.float("beta")?, alpha: given.float("alpha")? };
    product(gpu, given, a, b, Some(&sum))
}

/// What is added to a product.
struct Sum<'a> {
    of: &'a View,
    beta: f64,
    alpha: f64,
}

fn product(gpu: &Gpu, given: &Given<'_>, a: &View, b: &View, sum: Option<&Sum<'_>>) -> Result<Task<Work>, Refusal> {
    let (a, mut b, out) = (batched(a, None)?, batched(b, None)?, batched(&given.result()?, None)?);
    if b.layout.sizes[0] == 1 {
        b.layout.strides[0] = 0;
    }
    let [batches, m, n] = out.layout.sizes[..] else { return Refusal::because("a result of another rank") };
    let k = a.layout.sizes[2];
    let mut builder = Builder::new(gpu, given.plan);
    builder.int("m", m)?;
    builder.int("n", n)?;
    builder.int("k", k)?;
    builder.reads("a", &a, &["batch", "row", "column"])?;
    builder.reads("b", &b, &["batch", "row", "column"])?;
    let store = Store::bind(gpu, &mut builder, given, &out, &["batch", "row", "column"])?;
    let added = match sum {
        Some(sum) => {
            builder.float("alpha", sum.alpha);
            add(&mut builder, sum, [batches, m, n])?
        }
        None => "sum".to_owned(),
    };
    let place = "p.out_offset + batch * p.out_batch + row * p.out_row + column * p.out_column";
    let (own, stores) = (&store.functions, store.statement(place, &added));
    let functions = format!(
        "{own}fn load_a(batch: u32, row: u32, k: u32) -> f32 {{
    return a_get(p.a_offset + batch * p.a_batch + row * p.a_row + k * p.a_column);
}}
fn load_b(batch: u32, k: u32, column: u32) -> f32 {{
    return b_get(p.b_offset + batch * p.b_batch + k * p.b_row + column * p.b_column);
}}
fn store(batch: u32, row: u32, column: u32, sum: f32) {{
    {stores}
}}"
    );
    let tile = Tile::of(m, n);
    let product = Product { functions, a_along_k: a.layout.strides[2] == 1, b_along_k: b.layout.strides[1] == 1 };
    builder.finish(&tile.text(&product), tile.groups(m, n, batches)?)
}

/// Binds what is added; the expression of an element.
fn add(builder: &mut Builder<'_>, sum: &Sum<'_>, sizes: [i64; 3]) -> Result<String, Refusal> {
    if sum.beta == 0.0 {
        return Ok("p.alpha * sum".to_owned());
    }
    builder.float("beta", sum.beta);
    builder.reads("c", &batched(sum.of, Some(sizes))?, &["batch", "row", "column"])?;
    let element = "c_get(p.c_offset + batch * p.c_batch + row * p.c_row + column * p.c_column)";
    Ok(format!("p.beta * {element} + p.alpha * sum"))
}

/// The view with three dimensions, missing ones before the others, more than one before the last two made one; stretched
/// to `sizes` where they are given.
fn batched(view: &View, sizes: Option<[i64; 3]>) -> Result<View, Refusal> {
    let Layout { sizes: own, strides, offset } = merged(&view.layout)?;
    let missing = 3 - own.len();
    let pad = |fill: i64, rest: &[i64]| std::iter::repeat_n(fill, missing).chain(rest.iter().copied()).collect();
    let own: Vec<i64> = pad(1, &own);
    let mut strides: Vec<i64> = pad(0, &strides);
    if let Some(sizes) = sizes {
        for ((stride, &size), wanted) in strides.iter_mut().zip(&own).zip(sizes) {
            if size == 1 && wanted != 1 {
                *stride = 0;
            } else if size != wanted {
                return Refusal::because("what is added has other sizes");
            }
        }
    }
    let sizes = sizes.map_or(own, |sizes| sizes.to_vec());
    Ok(View { layout: Layout { sizes, strides, offset }, ..view.clone() })
}

/// The layout with all dimensions before the last two as one, if memory has them so.
fn merged(layout: &Layout) -> Result<Layout, Refusal> {
    let Layout { mut sizes, mut strides, offset } = layout.clone();
    while sizes.len() > 3 {
        let (outer, inner) = ((sizes[0], strides[0]), (sizes[1], strides[1]));
        let stride = match (outer, inner) {
            ((1, _), (_, stride)) | ((_, stride), (1, _)) => stride,
            ((_, stride), (size, within)) if stride == size * within => within,
            _ => return Refusal::because("batches that do not lie one behind the other"),
        };
        sizes.splice(..2, [outer.0 * inner.0]);
        strides.splice(..2, [stride]);
    }
    Ok(Layout { sizes, strides, offset })
}
