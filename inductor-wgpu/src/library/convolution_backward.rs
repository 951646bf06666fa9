//! Gradients of a convolution: products of the same tiles.

use inductor::device::{Refusal, Task};
use inductor::plan::View;

use super::builder::Builder;
use super::call::Given;
use super::convolution_forward::{Shape, biased, covered};
use super::epilogue::Store;
use super::tile::{Product, Tile};
use crate::Gpu;
use crate::work::Work;

/// A row is a place of the larger tensor, a column a channel of it; `k` runs over the filters and their elements.
pub(super) fn of_input(
    gpu: &Gpu,
    given: &Given<'_>,
    shape: &Shape,
    [grad, weight, out]: [&View; 3],
    bias: Option<&View>,
) -> Result<Task<Work>, Refusal> {
    let (space, dims) = (shape.space, shape.space.dims());
    let m = shape.images * shape.plane.iter().product::<i64>();
    let n = shape.group_channels;
    let k = shape.group_filters() * shape.filter.iter().product::<i64>();
    let mut builder = Builder::new(gpu, given.plan);
    shape.declare(&mut builder, given, [m, n, k])?;
    builder.reads("grad", grad, dims)?;
    builder.reads("weight", weight, dims)?;
    let store = Store::bind(gpu, &mut builder, given, out, dims)?;
    let sum = biased(&mut builder, bias)?;
    let functions = format!(
        "{own}fn load_a(batch: u32, row: u32, k: u32) -> f32 {{
{place}{element}{covering}    return grad_get({grad});
}}
fn load_b(batch: u32, k: u32, column: u32) -> f32 {{
{element}    return weight_get({weight});
}}
fn store(batch: u32, row: u32, column: u32, sum: f32) {{
{place}    let channel = batch * p.group_channels + column;
    {store}
}}",
        own = store.functions,
        place = space.apart("row", "size", "image", "at"),
        element = space.apart("k", "filter", "number", "in_filter"),
        covering = [
            space.each("let far_D = at_D + p.padding_D;"),
            space.each("let back_D = in_filter_D * p.dilation_D;"),
            space.each("if (far_D < back_D || (far_D - back_D) % p.stride_D != 0u) { return 0.0; }"),
            space.each("let to_D = (far_D - back_D) / p.stride_D;"),
            space.each("if (to_D >= p.out_size_D) { return 0.0; }"),
        ]
        .concat(),
        grad = space.element("grad", "image", "(batch * p.group_filters + number)", "to_D"),
        weight = space.element("weight", "(batch * p.group_filters + number)", "column", "in_filter_D"),
        store = store.statement(&space.element("out", "image", "channel", "at_D"), sum),
    );
    let product = Product { functions, of: "f32", a_along_k: false, b_along_k: false };
    let tile = Tile::of(m, n);
    builder.finish(&tile.text(&product), tile.groups(m, n, shape.groups)?)
}

/// A row is a filter, a column one of its elements; `k` runs over the places of the smaller tensor.
pub(super) fn of_weight(
    gpu: &Gpu,
    given: &Given<'_>,
    shape: &Shape,
    [small, large, out]: [&View; 3],
) -> Result<Task<Work>, Refusal> {
    let (space, dims) = (shape.space, shape.space.dims());
    let (m, n) = (shape.group_filters(), shape.filter_elements());
    let mut builder = Builder::new(gpu, given.plan);
    shape.declare(&mut builder, given, [m, n, shape.images * shape.places()])?;
    builder.reads("small", small, dims)?;
    builder.reads("large", large, dims)?;
    builder.writes("out", out, dims)?;
    let functions = format!(
        "fn load_a(batch: u32, row: u32, k: u32) -> f32 {{
{place}    return small_get({small});
}}
fn load_b(batch: u32, k: u32, column: u32) -> f32 {{
{place}{element}{covered}    return large_get({large});
}}
fn store(batch: u32, row: u32, column: u32, sum: f32) {{
{element}    out_put({out}, sum);
}}",
        place = space.apart("k", "out_size", "image", "at"),
        element = space.apart("column", "filter", "plane", "in_filter"),
        covered = covered(space),
        small = space.element("small", "image", "(batch * p.group_filters + row)", "at_D"),
        large = space.element("large", "image", "(batch * p.group_channels + plane)", "(from_D - p.padding_D)"),
        out = space.element("out", "(batch * p.group_filters + row)", "plane", "in_filter_D"),
    );
    let product = Product { functions, of: "f32", a_along_k: true, b_along_k: true };
    let tile = Tile::of(m, n);
    builder.finish(&tile.text(&product), tile.groups(m, n, shape.groups)?)
}

/// A row is a channel of the gradient that came; the only column its sum.
pub(super) fn of_bias(
    gpu: &Gpu,
    given: &Given<'_>,
    shape: &Shape,
    [grad, out]: [&View; 2],
) -> Result<Task<Work>, Refusal> {
    let space = shape.space;
    let (images, m, plane) = space.sizes(grad)?;
    let mut builder = Builder::new(gpu, given.plan);
    for (name, size) in [("m", m), ("n", 1), ("k", images * plane.iter().product::<i64>())] {
        builder.int(name, size)?;
    }
    space.declare(&mut builder, "size", &plane)?;
    builder.reads("grad", grad, space.dims())?;
    builder.writes("out", out, &["channel"])?;
    let functions = format!(
        "fn load_a(batch: u32, row: u32, k: u32) -> f32 {{
{place}    return grad_get({grad});
}}
fn load_b(batch: u32, k: u32, column: u32) -> f32 {{ return 1.0; }}
fn store(batch: u32, row: u32, column: u32, sum: f32) {{ out_put(p.out_offset + row * p.out_channel, sum); }}",
        place = space.apart("k", "size", "image", "at"),
        grad = space.element("grad", "image", "row", "at_D"),
    );
    let product = Product { functions, of: "f32", a_along_k: true, b_along_k: true };
    let tile = Tile::of(m, 1);
    builder.finish(&tile.text(&product), tile.groups(m, 1, 1)?)
}
