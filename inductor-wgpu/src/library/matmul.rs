//! Matrix products: `mm`, `bmm`, `mv`, `dot`, `matmul` of equal ranks or by one matrix or vector, and with a sum
//! `addmm`, `baddbmm`, `linear`. Those of integers wrap around, as eager's do.

use inductor::device::{Refusal, Task};
use inductor::plan::{Layout, View};
use symshapes::DType;

use super::builder::Builder;
use super::call::Given;
use super::elements::Element;
use super::epilogue::Store;
use super::tile::{Product, Tile};
use crate::Gpu;
use crate::work::Work;

/// `mm`, `bmm` and `_int_mm`.
pub(super) fn mm(gpu: &Gpu, given: &Given<'_>) -> Result<Task<Work>, Refusal> {
    let (a, b) = (operand(gpu, given, "self")?, operand(gpu, given, "mat2")?);
    product(gpu, given, a, b, &given.result()?, None)
}

/// `mv`.
pub(super) fn mv(gpu: &Gpu, given: &Given<'_>) -> Result<Task<Work>, Refusal> {
    let (a, b) = (operand(gpu, given, "self")?, operand(gpu, given, "vec")?);
    product(gpu, given, a, &as_column(b), &as_column(&given.result()?), None)
}

/// `dot`.
pub(super) fn dot(gpu: &Gpu, given: &Given<'_>) -> Result<Task<Work>, Refusal> {
    let (a, b) = (operand(gpu, given, "self")?, operand(gpu, given, "tensor")?);
    product(gpu, given, &as_row(a), &as_column(b), &as_row(&given.result()?), None)
}

/// `matmul`, where what is not a matrix has the same sizes before the last two, or one operand is a matrix or vector.
pub(super) fn matmul(gpu: &Gpu, given: &Given<'_>) -> Result<Task<Work>, Refusal> {
    let (a, b) = (operand(gpu, given, "self")?, operand(gpu, given, "other")?);
    let (of_a, of_b) = (&a.layout.sizes, &b.layout.sizes);
    let (lead_a, lead_b) = (of_a.len().checked_sub(2), of_b.len().checked_sub(2));
    let out = given.result()?;
    match (lead_a, lead_b) {
        (Some(x), Some(y)) if y == 0 || of_a[..x] == of_b[..y] => product(gpu, given, a, b, &out, None),
        (Some(_), None) => product(gpu, given, a, &as_column(b), &as_column(&out), None),
        (None, Some(0)) => product(gpu, given, &as_row(a), b, &as_row(&out), None),
        (None, None) => product(gpu, given, &as_row(a), &as_column(b), &as_row(&out), None),
        _ => Refusal::because(format!("a product of {of_a:?} and {of_b:?}")),
    }
}

/// An operand: floats, or integers that the device sums as they are.
fn operand<'a>(gpu: &Gpu, given: &Given<'a>, name: &str) -> Result<&'a View, Refusal> {
    let view = given.any(name)?;
    match view.dtype {
        DType::F32 | DType::F16 | DType::BF16 | DType::I32 | DType::I16 | DType::I8 | DType::U8 => Ok(view),
        DType::I64 if gpu.has_wide_ints() => Ok(view),
        other => Refusal::because(format!("{}: `{name}` is {other}", given.op())),
    }
}

/// A tensor without a dimension of columns, with one column.
fn as_column(view: &View) -> View {
    let Layout { sizes, strides, offset } = &view.layout;
    let layout = Layout { sizes: [sizes, &[1][..]].concat(), strides: [strides, &[1][..]].concat(), offset: *offset };
    View { layout, ..view.clone() }
}

/// A vector, or a number, as a row.
fn as_row(view: &View) -> View {
    let Layout { sizes, strides, offset } = &view.layout;
    let missing = 2usize.saturating_sub(sizes.len());
    let pad = |of: &[i64]| std::iter::repeat_n(1, missing).chain(of.iter().copied()).collect();
    View { layout: Layout { sizes: pad(sizes), strides: pad(strides), offset: *offset }, ..view.clone() }
}

/// `linear`, with or without a bias.
pub(super) fn linear(gpu: &Gpu, given: &Given<'_>) -> Result<Task<Work>, Refusal> {
    let (input, weight) = (operand(gpu, given, "input")?, operand(gpu, given, "weight")?);
    let Layout { sizes, strides, offset } = &weight.layout;
    let ([n, k], [row, column]) = (&sizes[..], &strides[..]) else { return Refusal::because("a weight's rank") };
    let layout = Layout { sizes: vec![*k, *n], strides: vec![*column, *row], offset: *offset };
    let transposed = View { layout, ..weight.clone() };
    let sum = given.any("bias").ok().map(|of| Sum { of, beta: 1.0, alpha: 1.0 });
    product(gpu, given, input, &transposed, &given.result()?, sum.as_ref())
}

/// `addmm` and `baddbmm`: `beta * self + alpha * (a @ b)`, where a `beta` of 0 makes `self` not matter.
pub(super) fn addmm(gpu: &Gpu, given: &Given<'_>) -> Result<Task<Work>, Refusal> {
    let names = if given.has("mat1") { ("mat1", "mat2") } else { ("batch1", "batch2") };
    let (a, b) = (operand(gpu, given, names.0)?, operand(gpu, given, names.1)?);
    let sum = Sum { of: operand(gpu, given, "self")?, beta: given.float("beta")?, alpha: given.float("alpha")? };
    product(gpu, given, a, b, &given.result()?, Some(&sum))
}

/// The addend of a product, and the factors of a scaled sum: `beta * of + alpha * product`.
struct Sum<'a> {
    of: &'a View,
    beta: f64,
    alpha: f64,
}

fn product(
    gpu: &Gpu,
    given: &Given<'_>,
    a: &View,
    b: &View,
    out: &View,
    sum: Option<&Sum<'_>>,
) -> Result<Task<Work>, Refusal> {
    let (a, mut b, out) = (batched(a, None)?, batched(b, None)?, batched(out, None)?);
    if a.dtype != b.dtype || sum.is_some_and(|sum| sum.of.dtype != a.dtype) {
        return Refusal::because("a product of different dtypes");
    }
    let of = Element::of(gpu, out.dtype)?.value();
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
            factor(&mut builder, "alpha", sum.alpha, of)?;
            add(&mut builder, sum, [batches, m, n], of)?
        }
        None => "sum".to_owned(),
    };
    let place = "p.out_offset + batch * p.out_batch + row * p.out_row + column * p.out_column";
    let (own, stores) = (&store.functions, store.statement(place, &added));
    let functions = format!(
        "{own}fn load_a(batch: u32, row: u32, k: u32) -> {of} {{
    return a_get(p.a_offset + batch * p.a_batch + row * p.a_row + k * p.a_column);
}}
fn load_b(batch: u32, k: u32, column: u32) -> {of} {{
    return b_get(p.b_offset + batch * p.b_batch + k * p.b_row + column * p.b_column);
}}
fn store(batch: u32, row: u32, column: u32, sum: {of}) {{
    {stores}
}}"
    );
    let tile = Tile::of(m, n);
    let product = Product { functions, of, a_along_k: a.layout.strides[2] == 1, b_along_k: b.layout.strides[1] == 1 };
    builder.finish(&tile.text(&product), tile.groups(m, n, batches)?)
}

/// Binds what is added; the expression of an element.
fn add(builder: &mut Builder<'_>, sum: &Sum<'_>, sizes: [i64; 3], of: &str) -> Result<String, Refusal> {
    let [alpha, beta] =
        ["alpha", "beta"].map(|name| if of == "f32" { format!("p.{name}") } else { format!("{of}(p.{name})") });
    if sum.beta == 0.0 {
        return Ok(format!("{alpha} * sum"));
    }
    factor(builder, "beta", sum.beta, of)?;
    builder.reads("c", &batched(sum.of, Some(sizes))?, &["batch", "row", "column"])?;
    let element = "c_get(p.c_offset + batch * p.c_batch + row * p.c_row + column * p.c_column)";
    Ok(format!("{beta} * {element} + {alpha} * sum"))
}

/// Declares a factor of a sum: integers have whole ones.
fn factor(builder: &mut Builder<'_>, name: &str, value: f64, of: &str) -> Result<(), Refusal> {
    if of == "f32" {
        builder.float(name, value);
        return Ok(());
    }
    if value.fract() != 0.0 || value.abs() >= f64::from(i32::MAX) {
        return Refusal::because(format!("integers times {value}"));
    }
    builder.signed(name, value as i32);
    Ok(())
}

/// The view with three dimensions, missing ones before the others, more than one before the last two made one;
/// stretched to `sizes` where they are given.
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
