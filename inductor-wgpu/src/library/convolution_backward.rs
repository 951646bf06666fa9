//! Backward of convolution: three products of the same tiles, of which only those asked for are computed.

use inductor::device::{Refusal, Task};
use inductor::plan::View;

use super::builder::{Builder, joined};
use super::call::Given;
use super::convolution::{DIMS, Shape, planar};
use super::epilogue::Store;
use super::tile::{Product, Tile};
use crate::Gpu;
use crate::work::Work;

/// `convolution_backward`, of what `convolution` computes.
pub(super) fn backward(gpu: &Gpu, given: &Given<'_>) -> Result<Task<Work>, Refusal> {
    if given.bool("transposed")? {
        return Refusal::because("backward of a transposed convolution");
    }
    let (input, weight) = (planar(given.tensor("input")?)?, planar(given.tensor("weight")?)?);
    let grad = planar(given.tensor("grad_output")?)?;
    let shape = Shape::of(given, &input, &weight, &grad)?;
    let [of_input_too, of_weight_too, of_bias_too] = given.bools("output_mask")?[..] else {
        return Refusal::because("its mask");
    };
    let mut tasks = Vec::new();
    if let Some(out) = given.result_if(of_input_too, 0)? {
        tasks.push(of_input(gpu, given, &shape, [&grad, &weight, &planar(&out)?], None)?);
    }
    if let Some(out) = given.result_if(of_weight_too, 1)? {
        tasks.push(of_weight(gpu, given, &shape, [&grad, &input, &planar(&out)?])?);
    }
    if let Some(out) = given.result_if(of_bias_too, 2)? {
        tasks.push(of_bias(gpu, given, &shape, [&grad, &out])?);
    }
    Ok(joined(tasks))
}

/// A transposed convolution: what the gradient of a convolution's input is, of a gradient that is the input here.
pub(super) fn transposed(gpu: &Gpu, given: &Given<'_>) -> Result<Task<Work>, Refusal> {
    let (input, weight) = (planar(given.tensor("input")?)?, planar(given.tensor("weight")?)?);
    let (out, bias) = (planar(&given.result()?)?, given.opt_tensor("bias")?);
    let shape = Shape::of(given, &out, &weight, &input)?;
    of_input(gpu, given, &shape, [&input, &weight, &out], bias)
}

/// A row is a place of the input, a column a channel of it; `k` runs over the filters and their elements.
fn of_input(
    gpu: &Gpu,
    given: &Given<'_>,
    shape: &Shape,
    [grad, weight, out]: [&View; 3],
    bias: Option<&View>,
) -> Result<Task<Work>, Refusal> {
    let m = shape.images * shape.plane[0] * shape.plane[1];
    let n = shape.group_channels;
    let k = shape.group_filters() * shape.filter[0] * shape.filter[1];
    let mut builder = Builder::default();
    shape.declare(&mut builder, given, [m, n, k])?;
    builder.reads("grad", grad, &DIMS)?;
    builder.reads("weight", weight, &DIMS)?;
    let store = Store::bind(gpu, &mut builder, given, out, &DIMS)?;
    let mut sum = "sum";
    if let Some(bias) = bias {
        builder.reads("bias", bias, &["channel"])?;
        sum = "sum + bias[p.bias_offset + channel * p.bias_channel]";
    }
    let place = "p.out_offset + image * p.out_image + channel * p.out_channel + y * p.out_y + x * p.out_x";
    let functions = store.functions.clone() + &OF_INPUT.replace("STORE", &store.statement(place, sum));
    let product = Product { functions, a_along_k: false, b_along_k: false };
    let tile = Tile::of(m, n);
    builder.finish(gpu, &tile.text(&product), tile.groups(m, n, shape.groups)?)
}

/// A row is a filter, a column one of its elements; `k` runs over the places of the output.
fn of_weight(
    gpu: &Gpu,
    given: &Given<'_>,
    shape: &Shape,
    [grad, input, out]: [&View; 3],
) -> Result<Task<Work>, Refusal> {
    let (m, n) = (shape.group_filters(), shape.filter_elements());
    let mut builder = Builder::default();
    shape.declare(&mut builder, given, [m, n, shape.images * shape.places()])?;
    builder.reads("grad", grad, &DIMS)?;
    builder.reads("input", input, &DIMS)?;
    builder.writes("out", "f32", out, &DIMS)?;
    let product = Product { functions: OF_WEIGHT.to_owned(), a_along_k: true, b_along_k: true };
    let tile = Tile::of(m, n);
    builder.finish(gpu, &tile.text(&product), tile.groups(m, n, shape.groups)?)
}

/// A row is a channel of the output; the only column its sum.
fn of_bias(gpu: &Gpu, given: &Given<'_>, shape: &Shape, [grad, out]: [&View; 2]) -> Result<Task<Work>, Refusal> {
    let m = shape.filters;
    let mut builder = Builder::default();
    shape.declare(&mut builder, given, [m, 1, shape.images * shape.places()])?;
    builder.reads("grad", grad, &DIMS)?;
    builder.writes("out", "f32", out, &["channel"])?;
    let product = Product { functions: OF_BIAS.to_owned(), a_along_k: true, b_along_k: true };
    let tile = Tile::of(m, 1);
    builder.finish(gpu, &tile.text(&product), tile.groups(m, 1, 1)?)
}

const OF_INPUT: &str = "
fn load_a(batch: u32, row: u32, k: u32) -> f32 {
    let image = row / (p.height * p.width);
    let y = (row / p.width) % p.height + p.padding_y;
    let x = row % p.width + p.padding_x;
    let channel = batch * p.group_filters + k / (p.filter_height * p.filter_width);
    let down = ((k / p.filter_width) % p.filter_height) * p.dilation_y;
    let right = (k % p.filter_width) * p.dilation_x;
    if (y < down || x < right) { return 0.0; }
    if ((y - down) % p.stride_y != 0u || (x - right) % p.stride_x != 0u) { return 0.0; }
    let at_y = (y - down) / p.stride_y;
    let at_x = (x - right) / p.stride_x;
    if (at_y >= p.out_height || at_x >= p.out_width) { return 0.0; }
    return grad[p.grad_offset + image * p.grad_image + channel * p.grad_channel + at_y * p.grad_y + at_x * p.grad_x];
}
fn load_b(batch: u32, k: u32, column: u32) -> f32 {
    let number = batch * p.group_filters + k / (p.filter_height * p.filter_width);
    let down = (k / p.filter_width) % p.filter_height;
    let right = k % p.filter_width;
    return weight[p.weight_offset + number * p.weight_image + column * p.weight_channel + down * p.weight_y
        + right * p.weight_x];
}
fn store(batch: u32, row: u32, column: u32, sum: f32) {
    let image = row / (p.height * p.width);
    let y = (row / p.width) % p.height;
    let x = row % p.width;
    let channel = batch * p.group_channels + column;
    STORE
}";

const OF_WEIGHT: &str = "
fn load_a(batch: u32, row: u32, k: u32) -> f32 {
    let image = k / (p.out_height * p.out_width);
    let y = (k / p.out_width) % p.out_height;
    let x = k % p.out_width;
    let channel = batch * p.group_filters + row;
    return grad[p.grad_offset + image * p.grad_image + channel * p.grad_channel + y * p.grad_y + x * p.grad_x];
}
fn load_b(batch: u32, k: u32, column: u32) -> f32 {
    let image = k / (p.out_height * p.out_width);
    let channel = batch * p.group_channels + column / (p.filter_height * p.filter_width);
    let down = (column / p.filter_width) % p.filter_height;
    let right = column % p.filter_width;
    let from_y = ((k / p.out_width) % p.out_height) * p.stride_y + down * p.dilation_y;
    let from_x = (k % p.out_width) * p.stride_x + right * p.dilation_x;
    if (from_y < p.padding_y || from_x < p.padding_x) { return 0.0; }
    if (from_y - p.padding_y >= p.height || from_x - p.padding_x >= p.width) { return 0.0; }
    return input[p.input_offset + image * p.input_image + channel * p.input_channel
        + (from_y - p.padding_y) * p.input_y + (from_x - p.padding_x) * p.input_x];
}
fn store(batch: u32, row: u32, column: u32, sum: f32) {
    let channel = column / (p.filter_height * p.filter_width);
    let down = (column / p.filter_width) % p.filter_height;
    let right = column % p.filter_width;
    out[p.out_offset + (batch * p.group_filters + row) * p.out_image + channel * p.out_channel + down * p.out_y
        + right * p.out_x] = sum;
}";

const OF_BIAS: &str = "
fn load_a(batch: u32, row: u32, k: u32) -> f32 {
    let image = k / (p.out_height * p.out_width);
    let y = (k / p.out_width) % p.out_height;
    let x = k % p.out_width;
    return grad[p.grad_offset + image * p.grad_image + row * p.grad_channel + y * p.grad_y + x * p.grad_x];
}
fn load_b(batch: u32, k: u32, column: u32) -> f32 { return 1.0; }
fn store(batch: u32, row: u32, column: u32, sum: f32) { out[p.out_offset + row * p.out_channel] = sum; }";
