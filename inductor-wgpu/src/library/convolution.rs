//! Convolution as a product of matrices that are never written down: a row is a place of the output, a column one of its
//! channels, and `k` runs over what one filter covers.

use inductor::device::{Refusal, Task};
use inductor::plan::{Layout, View};

use super::builder::Builder;
use super::call::Given;
use super::tile::{Product, Tile};
use crate::Gpu;
use crate::work::Work;

const FUNCTIONS: &str = "
fn load_a(batch: u32, row: u32, k: u32) -> f32 {
    let image = row / (p.out_height * p.out_width);
    let y = (row / p.out_width) % p.out_height;
    let x = row % p.out_width;
    let channel = batch * p.group_channels + k / (p.filter_height * p.filter_width);
    let down = (k / p.filter_width) % p.filter_height;
    let right = k % p.filter_width;
    let from_y = y * p.stride_y + down * p.dilation_y;
    let from_x = x * p.stride_x + right * p.dilation_x;
    if (from_y < p.padding_y || from_x < p.padding_x) { return 0.0; }
    if (from_y - p.padding_y >= p.height || from_x - p.padding_x >= p.width) { return 0.0; }
    return input[p.input_offset + image * p.input_image + channel * p.input_channel
        + (from_y - p.padding_y) * p.input_y + (from_x - p.padding_x) * p.input_x];
}
fn load_b(batch: u32, k: u32, column: u32) -> f32 {
    let channel = k / (p.filter_height * p.filter_width);
    let down = (k / p.filter_width) % p.filter_height;
    let right = k % p.filter_width;
    return weight[p.weight_offset + (batch * p.n + column) * p.weight_image + channel * p.weight_channel
        + down * p.weight_y + right * p.weight_x];
}
fn store(batch: u32, row: u32, column: u32, sum: f32) {
    let image = row / (p.out_height * p.out_width);
    let y = (row / p.out_width) % p.out_height;
    let x = row % p.out_width;
    let channel = batch * p.n + column;
    out[p.out_offset + image * p.out_image + channel * p.out_channel + y * p.out_y + x * p.out_x] = SUM;
}";

/// `convolution` over one or two dimensions, not transposed.
pub(super) fn convolution(gpu: &Gpu, given: &Given<'_>) -> Result<Task<Work>, Refusal> {
    if given.has("transposed") && given.bool("transposed")? {
        return Refusal::because("a transposed convolution");
    }
    let (input, weight) = (planar(given.tensor("input")?)?, planar(given.tensor("weight")?)?);
    let out = planar(&given.result()?)?;
    let bias = given.opt_tensor("bias")?;
    let count = given.int("groups")?;
    let [images, channels, out_height, out_width] = out.layout.sizes[..] else { return Refusal::because("its rank") };
    let [_, group_channels, filter_height, filter_width] = weight.layout.sizes[..] else {
        return Refusal::because("its rank");
    };
    let (m, n, k) = (images * out_height * out_width, channels / count, group_channels * filter_height * filter_width);
    let mut builder = Builder::default();
    for (name, value) in [("m", m), ("n", n), ("k", k), ("group_channels", group_channels)] {
        builder.int(name, value)?;
    }
    for (name, value) in [("out_height", out_height), ("out_width", out_width)] {
        builder.int(name, value)?;
    }
    for (name, value) in [("filter_height", filter_height), ("filter_width", filter_width)] {
        builder.int(name, value)?;
    }
    builder.int("height", input.layout.sizes[2])?;
    builder.int("width", input.layout.sizes[3])?;
    for name in ["stride", "padding", "dilation"] {
        let rank = given.tensor("input")?.layout.sizes.len() - 2;
        let [y, x] = plane(&given.ints(name)?, rank, i64::from(name != "padding"))?;
        builder.int(&format!("{name}_y"), y)?;
        builder.int(&format!("{name}_x"), x)?;
    }
    let dims = ["image", "channel", "y", "x"];
    builder.reads("input", &input, &dims)?;
    builder.reads("weight", &weight, &dims)?;
    builder.writes("out", "f32", &out, &dims)?;
    let mut sum = "sum";
    if let Some(bias) = bias {
        builder.reads("bias", bias, &["channel"])?;
        sum = "sum + bias[p.bias_offset + channel * p.bias_channel]";
    }
    let tile = Tile::of(m, n);
    let functions = FUNCTIONS.replace("SUM", sum);
    let product = Product { functions, a_along_k: false, b_along_k: true };
    builder.finish(gpu, &tile.text(&product), tile.groups(m, n, count)?)
}

/// The view with two dimensions after images and channels; one of size 1 where there is only one.
fn planar(view: &View) -> Result<View, Refusal> {
    let Layout { sizes, strides, offset } = &view.layout;
    let (sizes, strides) = match (&sizes[..], &strides[..]) {
        (&[n, c, x], &[n1, c1, x1]) => (vec![n, c, 1, x], vec![n1, c1, 0, x1]),
        ([_, _, _, _], _) => (sizes.clone(), strides.clone()),
        _ => return Refusal::because(format!("a convolution over tensors of {} dimensions", sizes.len())),
    };
    Ok(View { layout: Layout { sizes, strides, offset: *offset }, ..view.clone() })
}

/// The numbers for two dimensions of which `rank` are there, with `fill` for the other; one number stands for all.
fn plane(numbers: &[i64], rank: usize, fill: i64) -> Result<[i64; 2], Refusal> {
    match *numbers {
        [x] if rank == 1 => Ok([fill, x]),
        [both] => Ok([both, both]),
        [y, x] => Ok([y, x]),
        _ => Refusal::because(format!("a convolution over {} dimensions", numbers.len())),
    }
}
