//! Convolution as a product of matrices that are never written down: a row is a place of the output, a column one of its
//! channels, and `k` runs over what one filter covers.

use inductor::device::{Refusal, Task};
use inductor::plan::{Layout, View};

use super::builder::Builder;
use super::call::Given;
use super::epilogue::Store;
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
    STORE
}";

/// `convolution` over one, two or three dimensions.
pub(super) fn convolution(gpu: &Gpu, given: &Given<'_>) -> Result<Task<Work>, Refusal> {
    if given.tensor("input")?.layout.sizes.len() == 5 {
        return super::convolution3d::convolution(gpu, given);
    }
    if given.has("transposed") && given.bool("transposed")? {
        return super::convolution_backward::transposed(gpu, given);
    }
    let (input, weight) = (planar(given.tensor("input")?)?, planar(given.tensor("weight")?)?);
    let (out, bias) = (planar(&given.result()?)?, given.opt_tensor("bias")?);
    let shape = Shape::of(given, &input, &weight, &out)?;
    let mut builder = Builder::default();
    let (m, n) = (shape.images * shape.places(), shape.group_filters());
    shape.declare(&mut builder, given, [m, n, shape.filter_elements()])?;
    builder.reads("input", &input, &DIMS)?;
    builder.reads("weight", &weight, &DIMS)?;
    let store = Store::bind(gpu, &mut builder, given, &out, &DIMS)?;
    let mut sum = "sum";
    if let Some(bias) = bias {
        builder.reads("bias", bias, &["channel"])?;
        sum = "sum + bias[p.bias_offset + channel * p.bias_channel]";
    }
    let place = "p.out_offset + image * p.out_image + channel * p.out_channel + y * p.out_y + x * p.out_x";
    let functions = store.functions.clone() + &FUNCTIONS.replace("STORE", &store.statement(place, sum));
    let product = Product { functions, a_along_k: false, b_along_k: true };
    let tile = Tile::of(m, n);
    builder.finish(gpu, &tile.text(&product), tile.groups(m, n, shape.groups)?)
}

/// The dimensions of a tensor of planes.
pub(super) const DIMS: [&str; 4] = ["image", "channel", "y", "x"];

/// The sizes of a convolution.
pub(super) struct Shape {
    pub(super) images: i64,
    /// Channels of the output.
    pub(super) filters: i64,
    pub(super) groups: i64,
    /// Channels of the input that a filter covers.
    pub(super) group_channels: i64,
    pub(super) plane: [i64; 2],
    pub(super) out_plane: [i64; 2],
    pub(super) filter: [i64; 2],
}

impl Shape {
    pub(super) fn of(given: &Given<'_>, input: &View, weight: &View, out: &View) -> Result<Shape, Refusal> {
        let sizes = |view: &View| <[i64; 4]>::try_from(&view.layout.sizes[..]).map_err(|_| Refusal("its rank".into()));
        let [_, _, height, width] = sizes(input)?;
        let [images, filters, out_height, out_width] = sizes(out)?;
        let [_, group_channels, filter_height, filter_width] = sizes(weight)?;
        let groups = given.int("groups")?.max(1);
        let (plane, out_plane, filter) = ([height, width], [out_height, out_width], [filter_height, filter_width]);
        Ok(Shape { images, filters, groups, group_channels, plane, out_plane, filter })
    }

    /// Elements of a plane of the output.
    pub(super) fn places(&self) -> i64 {
        self.out_plane[0] * self.out_plane[1]
    }

    /// Elements that a filter covers.
    pub(super) fn filter_elements(&self) -> i64 {
        self.group_channels * self.filter[0] * self.filter[1]
    }

    /// Filters of a group.
    pub(super) fn group_filters(&self) -> i64 {
        self.filters / self.groups
    }

    /// Declares the numbers of a product of these sizes that is a part of the convolution.
    pub(super) fn declare(&self, builder: &mut Builder, given: &Given<'_>, sizes: [i64; 3]) -> Result<(), Refusal> {
        for (name, size) in ["m", "n", "k"].iter().zip(sizes) {
            builder.int(name, size)?;
        }
        builder.int("group_channels", self.group_channels)?;
        builder.int("group_filters", self.group_filters())?;
        for (name, [height, width]) in [("", self.plane), ("out_", self.out_plane), ("filter_", self.filter)] {
            builder.int(&format!("{name}height"), height)?;
            builder.int(&format!("{name}width"), width)?;
        }
        let rank = given.tensor("input")?.layout.sizes.len() - 2;
        for name in ["stride", "padding", "dilation"] {
            let [y, x] = plane(&given.ints(name)?, rank, i64::from(name != "padding"))?;
            builder.int(&format!("{name}_y"), y)?;
            builder.int(&format!("{name}_x"), x)?;
        }
        Ok(())
    }
}

/// The view with two dimensions after images and channels; one of size 1 where there is only one.
pub(super) fn planar(view: &View) -> Result<View, Refusal> {
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
