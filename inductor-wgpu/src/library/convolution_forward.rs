//! Convolution as a product of matrices that are never written down: a row is a place of the output, a column one of
//! its channels, and `k` runs over what one filter covers.

use inductor::device::{Refusal, Task};
use inductor::plan::View;

use super::builder::Builder;
use super::call::Given;
use super::epilogue::Store;
use super::space::Space;
use super::tile::{Product, Tile};
use crate::Gpu;
use crate::work::Work;

/// A convolution of the larger tensor: also what the gradient of a transposed convolution's input is.
pub(super) fn forward(
    gpu: &Gpu,
    given: &Given<'_>,
    shape: &Shape,
    [input, weight, out]: [&View; 3],
    bias: Option<&View>,
) -> Result<Task<Work>, Refusal> {
    let (space, dims) = (shape.space, shape.space.dims());
    let (m, n) = (shape.images * shape.places(), shape.group_filters());
    let mut builder = Builder::new(gpu, given.plan);
    shape.declare(&mut builder, given, [m, n, shape.filter_elements()])?;
    builder.reads("input", input, dims)?;
    builder.reads("weight", weight, dims)?;
    let store = Store::bind(gpu, &mut builder, given, out, dims)?;
    let sum = biased(&mut builder, bias)?;
    let functions = format!(
        "{own}fn load_a(batch: u32, row: u32, k: u32) -> f32 {{
{place}{element}{covered}    return input_get({input});
}}
fn load_b(batch: u32, k: u32, column: u32) -> f32 {{
{element}    return weight_get({weight});
}}
fn store(batch: u32, row: u32, column: u32, sum: f32) {{
{place}    let channel = batch * p.n + column;
    {store}
}}",
        own = store.functions,
        place = space.apart("row", "out_size", "image", "at"),
        element = space.apart("k", "filter", "plane", "in_filter"),
        covered = covered(space),
        input = space.element("input", "image", "(batch * p.group_channels + plane)", "(from_D - p.padding_D)"),
        weight = space.element("weight", "(batch * p.n + column)", "plane", "in_filter_D"),
        store = store.statement(&space.element("out", "image", "channel", "at_D"), sum),
    );
    let product = Product { functions, of: "f32", a_along_k: false, b_along_k: true };
    let tile = Tile::of(m, n);
    builder.finish(&tile.text(&product), tile.groups(m, n, shape.groups)?)
}

/// The place in the larger tensor, before the padding is taken off, of an element of a filter; what lies in the padding
/// is 0.
pub(super) fn covered(space: Space) -> String {
    let from = space.each("let from_D = at_D * p.stride_D + in_filter_D * p.dilation_D;");
    from + &space.each("if (from_D < p.padding_D || from_D - p.padding_D >= p.size_D) { return 0.0; }")
}

/// Binds a bias; the sum with it.
pub(super) fn biased(builder: &mut Builder<'_>, bias: Option<&View>) -> Result<&'static str, Refusal> {
    let Some(bias) = bias else { return Ok("sum") };
    builder.reads("bias", bias, &["channel"])?;
    Ok("sum + bias_get(p.bias_offset + channel * p.bias_channel)")
}

/// The sizes of a convolution.
pub(super) struct Shape {
    pub(super) space: Space,
    pub(super) images: i64,
    /// Channels of the smaller tensor.
    pub(super) filters: i64,
    pub(super) groups: i64,
    /// Channels of the larger tensor that a filter covers.
    pub(super) group_channels: i64,
    pub(super) plane: Vec<i64>,
    pub(super) out_plane: Vec<i64>,
    pub(super) filter: Vec<i64>,
}

impl Shape {
    /// Of the tensor that filters go over, the filters, and the tensor with a channel for each.
    pub(super) fn of(given: &Given<'_>, large: &View, weight: &View, small: &View) -> Result<Shape, Refusal> {
        let space = Space::of(weight)?;
        let (_, _, plane) = space.sizes(large)?;
        let (images, filters, out_plane) = space.sizes(small)?;
        let (_, group_channels, filter) = space.sizes(weight)?;
        let groups = given.int("groups")?.max(1);
        Ok(Shape { space, images, filters, groups, group_channels, plane, out_plane, filter })
    }

    /// Elements of a plane of the smaller tensor.
    pub(super) fn places(&self) -> i64 {
        self.out_plane.iter().product()
    }

    /// Elements that a filter covers.
    pub(super) fn filter_elements(&self) -> i64 {
        self.group_channels * self.filter.iter().product::<i64>()
    }

    /// Filters of a group.
    pub(super) fn group_filters(&self) -> i64 {
        self.filters / self.groups
    }

    /// Declares the numbers of a product of these sizes that is a part of the convolution.
    pub(super) fn declare(&self, builder: &mut Builder<'_>, given: &Given<'_>, sizes: [i64; 3]) -> Result<(), Refusal> {
        for (name, size) in ["m", "n", "k"].iter().zip(sizes) {
            builder.int(name, size)?;
        }
        builder.int("group_channels", self.group_channels)?;
        builder.int("group_filters", self.group_filters())?;
        for (name, sizes) in [("size", &self.plane), ("out_size", &self.out_plane), ("filter", &self.filter)] {
            self.space.declare(builder, name, sizes)?;
        }
        ["stride", "padding", "dilation"]
            .into_iter()
            .try_for_each(|name| self.space.declare(builder, name, &given.ints(name)?))
    }
}
