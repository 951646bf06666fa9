//! Matrix products: `mm`, `bmm`, and with a sum `addmm`, `baddbmm`.

use inductor::device::{Refusal, Task};
use inductor::plan::{Layout, View};

use super::builder::Builder;
use super::call::Given;
use super::tile::{Product, Tile};
use crate::Gpu;
use crate::work::Work;

/// `mm` and `bmm`.
pub(super) fn mm(gpu: &Gpu, given: &Given<'_>) -> Result<Task<Work>, Refusal> {
    let (a, b) = (given.tensor("self")?, given.tensor("mat2")?);
    product(gpu, a, b, &given.result()?, None)
}

/// `addmm` and `baddbmm`: `beta * self + alpha * (a @ b)`, where a `beta` of 0 makes `self` not matter.
pub(super) fn addmm(gpu: &Gpu, given: &Given<'_>) -> Result<Task<Work>, Refusal> {
    let names = if given.opt_tensor("mat1")?.is_some() { ("mat1", "mat2") } else { ("batch1", "batch2") };
    let (a, b) = (given.tensor(names.0)?, given.tensor(names.1)?);
    let sum = Sum { of: given.tensor("self")?, beta: given.float("beta")?, alpha: given.float("alpha")? };
    product(gpu, a, b, &given.result()?, Some(&sum))
}

/// What is added to a product.
struct Sum<'a> {
    of: &'a View,
    beta: f64,
    alpha: f64,
}

fn product(gpu: &Gpu, a: &View, b: &View, out: &View, sum: Option<&Sum<'_>>) -> Result<Task<Work>, Refusal> {
    let (a, b, out) = (batched(a, None)?, batched(b, None)?, batched(out, None)?);
    let [batches, m, n] = out.layout.sizes[..] else { return Refusal::because("a result of another rank") };
    let k = a.layout.sizes[2];
    let mut builder = Builder::default();
    builder.int("m", m)?;
    builder.int("n", n)?;
    builder.int("k", k)?;
    builder.reads("a", &a, &["batch", "row", "column"])?;
    builder.reads("b", &b, &["batch", "row", "column"])?;
    builder.writes("out", "f32", &out, &["batch", "row", "column"])?;
    let added = match sum {
        Some(sum) => {
            builder.float("alpha", sum.alpha);
            add(&mut builder, sum, [batches, m, n])?
        }
        None => "sum".to_owned(),
    };
    let functions = format!(
        "fn load_a(batch: u32, row: u32, k: u32) -> f32 {{
    return a[p.a_offset + batch * p.a_batch + row * p.a_row + k * p.a_column];
}}
fn load_b(batch: u32, k: u32, column: u32) -> f32 {{
    return b[p.b_offset + batch * p.b_batch + k * p.b_row + column * p.b_column];
}}
fn store(batch: u32, row: u32, column: u32, sum: f32) {{
    out[p.out_offset + batch * p.out_batch + row * p.out_row + column * p.out_column] = {added};
}}"
    );
    let tile = Tile::of(m, n);
    let product = Product { functions, a_along_k: a.layout.strides[2] == 1, b_along_k: b.layout.strides[1] == 1 };
    builder.finish(gpu, &tile.text(&product), tile.groups(m, n, batches)?)
}

/// Binds what is added; the expression of an element.
fn add(builder: &mut Builder, sum: &Sum<'_>, sizes: [i64; 3]) -> Result<String, Refusal> {
    if sum.beta == 0.0 {
        return Ok("p.alpha * sum".to_owned());
    }
    builder.float("beta", sum.beta);
    builder.reads("c", &batched(sum.of, Some(sizes))?, &["batch", "row", "column"])?;
    let element = "c[p.c_offset + batch * p.c_batch + row * p.c_row + column * p.c_column]";
    Ok(format!("p.beta * {element} + p.alpha * sum"))
}

/// The view with three dimensions, missing ones before the others; stretched to `sizes` where they are given.
fn batched(view: &View, sizes: Option<[i64; 3]>) -> Result<View, Refusal> {
    let Layout { sizes: own, strides, offset } = &view.layout;
    let missing = 3usize.checked_sub(own.len()).ok_or_else(|| Refusal("more than three dimensions".to_owned()))?;
    let pad = |fill: i64, rest: &[i64]| std::iter::repeat_n(fill, missing).chain(rest.iter().copied()).collect();
    let own: Vec<i64> = pad(1, own);
    let mut strides: Vec<i64> = pad(0, strides);
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
    Ok(View { layout: Layout { sizes, strides, offset: *offset }, ..view.clone() })
}
