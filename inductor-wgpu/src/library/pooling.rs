//! Pooling over two dimensions: a thread for each element of the output walks its window.

use inductor::device::{Refusal, Task};
use inductor::plan::{Layout, View};

use super::builder::Builder;
use super::call::Given;
use super::groups;
use crate::Gpu;
use crate::work::Work;

/// Threads of a workgroup.
pub(super) const THREADS: i64 = 64;

/// The window of `kernel` elements with steps, padding and dilation, cut to the plane.
const WINDOW: &str = "
    let from_y = y * p.stride_y;
    let from_x = x * p.stride_x;
";

/// `max_pool2d_with_indices`: NaN is greater than all else, and of equal elements the first counts.
pub(super) fn max(gpu: &Gpu, given: &Given<'_>) -> Result<Task<Work>, Refusal> {
    let (input, out, indices) = (planar(given.tensor("self")?)?, given.result()?, given.opt_result(1)?);
    let mut builder = Builder::new(gpu, given.plan);
    window(&mut builder, given, true)?;
    let out = bind(&mut builder, &input, &out)?;
    let mut store = String::new();
    if let Some(indices) = indices {
        let element = if gpu.has_wide_ints() { "i64" } else { "i32" };
        builder.writes("indices", &planar(&indices)?, &DIMS)?;
        store = format!(
            "indices_put(p.indices_offset + image * p.indices_image + channel * p.indices_channel + y * p.indices_y \
             + x * p.indices_x, {element}(best_at));"
        );
    }
    let body = format!(
        "{WINDOW}
    var best = 0.0;
    var best_at = 0u;
    var is_first = true;
    for (var down = 0u; down < p.kernel_y; down++) {{
        let at_y = from_y + down * p.dilation_y;
        if (at_y < p.padding_y || at_y - p.padding_y >= p.height) {{ continue; }}
        for (var right = 0u; right < p.kernel_x; right++) {{
            let at_x = from_x + right * p.dilation_x;
            if (at_x < p.padding_x || at_x - p.padding_x >= p.width) {{ continue; }}
            let value = element(image, channel, at_y - p.padding_y, at_x - p.padding_x);
            let is_nan = (bitcast<u32>(value) & 0x7fffffffu) > 0x7f800000u;
            if (is_first || value > best || is_nan) {{
                best = value;
                best_at = (at_y - p.padding_y) * p.width + at_x - p.padding_x;
            }}
            is_first = false;
        }}
    }}
    out_put(place, best);
    {store}"
    );
    finish(builder, &out, &body)
}

/// `avg_pool2d`.
pub(super) fn average(gpu: &Gpu, given: &Given<'_>) -> Result<Task<Work>, Refusal> {
    let input = planar(given.tensor("self")?)?;
    let mut builder = Builder::new(gpu, given.plan);
    window(&mut builder, given, false)?;
    let divisor = average_divisor(&mut builder, given)?;
    let out = bind(&mut builder, &input, &given.result()?)?;
    let body = format!("{WINDOW}\n{REACH}\n{SUM}\nout_put(place, sum / {divisor});");
    finish(builder, &out, &body)
}

/// Where a window of an average begins and ends, in a plane that begins with the padding (so that no number is negative)
/// and in the plane itself.
pub(super) const REACH: &str = "
    let reach_y = min(from_y + p.kernel_y, p.height + 2u * p.padding_y);
    let reach_x = min(from_x + p.kernel_x, p.width + 2u * p.padding_x);
    let start_y = max(from_y, p.padding_y) - p.padding_y;
    let start_x = max(from_x, p.padding_x) - p.padding_x;
    let end_y = min(max(reach_y, p.padding_y) - p.padding_y, p.height);
    let end_x = min(max(reach_x, p.padding_x) - p.padding_x, p.width);
";

/// What the sum of such a window is divided by.
pub(super) fn average_divisor(builder: &mut Builder<'_>, given: &Given<'_>) -> Result<&'static str, Refusal> {
    if let Some(divisor) = given.opt_float("divisor_override")? {
        builder.float("divisor", divisor);
        return Ok("p.divisor");
    }
    Ok(if given.bool("count_include_pad")? {
        "f32((reach_y - from_y) * (reach_x - from_x))"
    } else {
        "f32((end_y - start_y) * (end_x - start_x))"
    })
}

/// `_adaptive_avg_pool2d`.
pub(super) fn adaptive_average(gpu: &Gpu, given: &Given<'_>) -> Result<Task<Work>, Refusal> {
    let input = planar(given.tensor("self")?)?;
    let mut builder = Builder::new(gpu, given.plan);
    let out = bind(&mut builder, &input, &given.result()?)?;
    let body = format!(
        "let start_y = (y * p.height) / p.out_height;
    let start_x = (x * p.width) / p.out_width;
    let end_y = ((y + 1u) * p.height + p.out_height - 1u) / p.out_height;
    let end_x = ((x + 1u) * p.width + p.out_width - 1u) / p.out_width;
    {SUM}
    out_put(place, sum / f32((end_y - start_y) * (end_x - start_x)));"
    );
    finish(builder, &out, &body)
}

/// The sum of a window.
const SUM: &str = "var sum = 0.0;
    for (var down = start_y; down < end_y; down++) {
        for (var right = start_x; right < end_x; right++) { sum += element(image, channel, down, right); }
    }";

pub(super) const DIMS: [&str; 4] = ["image", "channel", "y", "x"];

/// The numbers of a window.
pub(super) fn window(builder: &mut Builder<'_>, given: &Given<'_>, dilated: bool) -> Result<(), Refusal> {
    let kernel = given.pair("kernel_size")?;
    let stride = if given.ints("stride")?.is_empty() { kernel } else { given.pair("stride")? };
    let dilation = if dilated { given.pair("dilation")? } else { [1, 1] };
    let padding = given.pair("padding")?;
    for (name, [y, x]) in [("kernel", kernel), ("stride", stride), ("padding", padding), ("dilation", dilation)] {
        builder.int(&format!("{name}_y"), y)?;
        builder.int(&format!("{name}_x"), x)?;
    }
    Ok(())
}

/// Binds input and output; the output with four dimensions.
fn bind(builder: &mut Builder<'_>, input: &View, out: &View) -> Result<View, Refusal> {
    let out = planar(out)?;
    builder.reads("input", input, &DIMS)?;
    builder.writes("out", &out, &DIMS)?;
    builder.int("height", input.layout.sizes[2])?;
    builder.int("width", input.layout.sizes[3])?;
    for (name, &size) in ["images", "channels", "out_height", "out_width"].iter().zip(&out.layout.sizes) {
        builder.int(name, size)?;
    }
    Ok(out)
}

fn finish(builder: Builder<'_>, out: &View, body: &str) -> Result<Task<Work>, Refusal> {
    let [images, channels, height, width] = out.layout.sizes[..] else { return Refusal::because("its rank") };
    let text = format!(
        "fn element(image: u32, channel: u32, y: u32, x: u32) -> f32 {{
    return input_get(p.input_offset + image * p.input_image + channel * p.input_channel + y * p.input_y + x * p.input_x);
}}
@compute @workgroup_size({THREADS})
fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
    if (id.x >= p.out_height * p.out_width) {{ return; }}
    let y = id.x / p.out_width;
    let x = id.x % p.out_width;
    let channel = id.y;
    let image = id.z;
    let place = p.out_offset + image * p.out_image + channel * p.out_channel + y * p.out_y + x * p.out_x;
    {body}
}}
"
    );
    builder.finish(&text, [groups(height * width, THREADS)?, groups(channels, 1)?, groups(images, 1)?])
}

/// The view with four dimensions, images before channels.
pub(super) fn planar(view: &View) -> Result<View, Refusal> {
    let Layout { sizes, strides, offset } = &view.layout;
    let (sizes, strides) = match (&sizes[..], &strides[..]) {
        (&[c, y, x], &[c1, y1, x1]) => (vec![1, c, y, x], vec![0, c1, y1, x1]),
        ([_, _, _, _], _) => (sizes.clone(), strides.clone()),
        _ => return Refusal::because(format!("pooling of tensors of {} dimensions", sizes.len())),
    };
    Ok(View { layout: Layout { sizes, strides, offset: *offset }, ..view.clone() })
}
