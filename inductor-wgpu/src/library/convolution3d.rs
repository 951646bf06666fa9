//! Convolution over three dimensions: the product of [`convolution`](super::convolution), with one number more.

use inductor::device::{Refusal, Task};
use inductor::plan::View;

use super::builder::Builder;
use super::call::Given;
use super::epilogue::Store;
use super::tile::{Product, Tile};
use crate::Gpu;
use crate::work::Work;

/// The dimensions of a tensor of volumes.
const DIMS: [&str; 5] = ["image", "channel", "z", "y", "x"];

/// `convolution` over three dimensions, not transposed.
pub(super) fn convolution(gpu: &Gpu, given: &Given<'_>) -> Result<Task<Work>, Refusal> {
    if given.has("transposed") && given.bool("transposed")? {
        return Refusal::because("a transposed convolution over three dimensions");
    }
    let (input, weight, out) = (given.tensor("input")?, given.tensor("weight")?, given.result()?);
    let sizes = |view: &View| <[i64; 5]>::try_from(&view.layout.sizes[..]).map_err(|_| Refusal("its rank".into()));
    let ([_, _, plane @ ..], [images, filters, out_plane @ ..]) = (sizes(input)?, sizes(&out)?);
    let [_, group_channels, filter @ ..] = sizes(weight)?;
    let groups = given.int("groups")?.max(1);
    let (m, n) = (images * out_plane.iter().product::<i64>(), filters / groups);
    let mut builder = Builder::default();
    for (name, size) in [("m", m), ("n", n), ("k", group_channels * filter.iter().product::<i64>())] {
        builder.int(name, size)?;
    }
    builder.int("group_channels", group_channels)?;
    for (name, sizes) in [("size", plane), ("out_size", out_plane), ("filter", filter)] {
        each(&mut builder, name, &sizes)?;
    }
    for name in ["stride", "padding", "dilation"] {
        each(&mut builder, name, &given.ints(name)?)?;
    }
    builder.reads("input", input, &DIMS)?;
    builder.reads("weight", weight, &DIMS)?;
    let store = Store::bind(gpu, &mut builder, given, &out, &DIMS)?;
    let mut sum = "sum";
    if let Some(bias) = given.opt_tensor("bias")? {
        builder.reads("bias", bias, &["channel"])?;
        sum = "sum + bias[p.bias_offset + channel * p.bias_channel]";
    }
    let place =
        "p.out_offset + image * p.out_image + channel * p.out_channel + z * p.out_z + y * p.out_y + x * p.out_x";
    let functions = store.functions.clone() + &FUNCTIONS.replace("STORE", &store.statement(place, sum));
    let product = Product { functions, a_along_k: false, b_along_k: true };
    let tile = Tile::of(m, n);
    builder.finish(gpu, &tile.text(&product), tile.groups(m, n, groups)?)
}

/// Three numbers, where one stands for all.
fn each(builder: &mut Builder, name: &str, numbers: &[i64]) -> Result<(), Refusal> {
    let numbers = match *numbers {
        [all] => [all; 3],
        [z, y, x] => [z, y, x],
        _ => return Refusal::because(format!("a convolution over {} dimensions", numbers.len())),
    };
    DIMS[2..].iter().zip(numbers).try_for_each(|(dim, number)| builder.int(&format!("{name}_{dim}"), number))
}

const FUNCTIONS: &str = "
fn load_a(batch: u32, row: u32, k: u32) -> f32 {
    let z = (row / (p.out_size_y * p.out_size_x)) % p.out_size_z;
    let y = (row / p.out_size_x) % p.out_size_y;
    let x = row % p.out_size_x;
    let image = row / (p.out_size_z * p.out_size_y * p.out_size_x);
    let channel = batch * p.group_channels + k / (p.filter_z * p.filter_y * p.filter_x);
    let from_z = z * p.stride_z + ((k / (p.filter_y * p.filter_x)) % p.filter_z) * p.dilation_z;
    let from_y = y * p.stride_y + ((k / p.filter_x) % p.filter_y) * p.dilation_y;
    let from_x = x * p.stride_x + (k % p.filter_x) * p.dilation_x;
    if (from_z < p.padding_z || from_y < p.padding_y || from_x < p.padding_x) { return 0.0; }
    let at_z = from_z - p.padding_z;
    let at_y = from_y - p.padding_y;
    let at_x = from_x - p.padding_x;
    if (at_z >= p.size_z || at_y >= p.size_y || at_x >= p.size_x) { return 0.0; }
    return input[p.input_offset + image * p.input_image + channel * p.input_channel + at_z * p.input_z
        + at_y * p.input_y + at_x * p.input_x];
}
fn load_b(batch: u32, k: u32, column: u32) -> f32 {
    let channel = k / (p.filter_z * p.filter_y * p.filter_x);
    let back = (k / (p.filter_y * p.filter_x)) % p.filter_z;
    let down = (k / p.filter_x) % p.filter_y;
    let right = k % p.filter_x;
    return weight[p.weight_offset + (batch * p.n + column) * p.weight_image + channel * p.weight_channel
        + back * p.weight_z + down * p.weight_y + right * p.weight_x];
}
fn store(batch: u32, row: u32, column: u32, sum: f32) {
    let image = row / (p.out_size_z * p.out_size_y * p.out_size_x);
    let z = (row / (p.out_size_y * p.out_size_x)) % p.out_size_z;
    let y = (row / p.out_size_x) % p.out_size_y;
    let x = row % p.out_size_x;
    let channel = batch * p.n + column;
    STORE
}";
