//! Backward of pooling: a thread for each element of the input adds up what the windows around it were given.

use inductor::device::{Refusal, Task};
use inductor::plan::View;

use super::builder::Builder;
use super::call::Given;
use super::groups;
use super::pooling::{DIMS, THREADS, average_divisor, planar, window};
use crate::Gpu;
use crate::work::Work;

/// `max_pool2d_with_indices_backward`.
pub(super) fn max(gpu: &Gpu, given: &Given<'_>) -> Result<Task<Work>, Refusal> {
    let indices = planar(given.integers("indices")?)?;
    let mut builder = Builder::new(gpu, given.plan);
    window(&mut builder, given, true)?;
    let (out, _) = bind(&mut builder, given)?;
    let element = if gpu.has_wide_ints() { "i64" } else { "i32" };
    builder.reads("indices", &indices, &DIMS)?;
    let term = format!(
        "let chosen = indices_get(p.indices_offset + image * p.indices_image + channel * p.indices_channel
                + at_y * p.indices_y + at_x * p.indices_x);
            if (chosen == {element}(y * p.width + x)) {{ sum += grad_at(image, channel, at_y, at_x); }}"
    );
    finish(builder, &out, &WINDOWS.replace("TERM", &term))
}

/// `avg_pool2d_backward`.
pub(super) fn average(gpu: &Gpu, given: &Given<'_>) -> Result<Task<Work>, Refusal> {
    let mut builder = Builder::new(gpu, given.plan);
    window(&mut builder, given, false)?;
    let divisor = average_divisor(&mut builder, given)?;
    let (out, _) = bind(&mut builder, given)?;
    let term = format!(
        "let from_y = at_y * p.stride_y;
            let from_x = at_x * p.stride_x;
            {}
            sum += grad_at(image, channel, at_y, at_x) / {divisor};",
        super::pooling::REACH
    );
    finish(builder, &out, &WINDOWS.replace("TERM", &term))
}

/// `_adaptive_avg_pool2d_backward`.
pub(super) fn adaptive_average(gpu: &Gpu, given: &Given<'_>) -> Result<Task<Work>, Refusal> {
    let mut builder = Builder::new(gpu, given.plan);
    let (out, _) = bind(&mut builder, given)?;
    finish(builder, &out, ADAPTIVE)
}

/// Every window that covers the element, by where in it the element lies.
const WINDOWS: &str = "
    for (var down = 0u; down < p.kernel_y; down++) {
        let far_y = y + p.padding_y;
        if (far_y < down * p.dilation_y || (far_y - down * p.dilation_y) % p.stride_y != 0u) { continue; }
        let at_y = (far_y - down * p.dilation_y) / p.stride_y;
        if (at_y >= p.grad_height) { continue; }
        for (var right = 0u; right < p.kernel_x; right++) {
            let far_x = x + p.padding_x;
            if (far_x < right * p.dilation_x || (far_x - right * p.dilation_x) % p.stride_x != 0u) { continue; }
            let at_x = (far_x - right * p.dilation_x) / p.stride_x;
            if (at_x >= p.grad_width) { continue; }
            TERM
        }
    }";

/// Every window that covers the element, from the first that may to the last.
const ADAPTIVE: &str = "
    let last_y = ((y + 1u) * p.grad_height + p.height - 1u) / p.height;
    let last_x = ((x + 1u) * p.grad_width + p.width - 1u) / p.width;
    for (var at_y = (y * p.grad_height) / p.height; at_y < last_y; at_y++) {
        let start_y = (at_y * p.height) / p.grad_height;
        let end_y = ((at_y + 1u) * p.height + p.grad_height - 1u) / p.grad_height;
        for (var at_x = (x * p.grad_width) / p.width; at_x < last_x; at_x++) {
            let start_x = (at_x * p.width) / p.grad_width;
            let end_x = ((at_x + 1u) * p.width + p.grad_width - 1u) / p.grad_width;
            if (start_y <= y && y < end_y && start_x <= x && x < end_x) {
                sum += grad_at(image, channel, at_y, at_x) / f32((end_y - start_y) * (end_x - start_x));
            }
        }
    }";

/// Binds the gradient that came and the one that goes; both with four dimensions.
fn bind(builder: &mut Builder<'_>, given: &Given<'_>) -> Result<(View, View), Refusal> {
    let (grad, out) = (planar(given.tensor("grad_output")?)?, planar(&given.result()?)?);
    builder.reads("grad", &grad, &DIMS)?;
    builder.writes("out", &out, &DIMS)?;
    for (name, size) in [("height", &out.layout.sizes[2]), ("width", &out.layout.sizes[3])] {
        builder.int(name, *size)?;
    }
    for (name, size) in [("grad_height", &grad.layout.sizes[2]), ("grad_width", &grad.layout.sizes[3])] {
        builder.int(name, *size)?;
    }
    Ok((out, grad))
}

fn finish(builder: Builder<'_>, out: &View, body: &str) -> Result<Task<Work>, Refusal> {
    let [images, channels, height, width] = out.layout.sizes[..] else { return Refusal::because("its rank") };
    let text = format!(
        "fn grad_at(image: u32, channel: u32, y: u32, x: u32) -> f32 {{
    return grad_get(p.grad_offset + image * p.grad_image + channel * p.grad_channel + y * p.grad_y + x * p.grad_x);
}}
@compute @workgroup_size({THREADS})
fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
    if (id.x >= p.height * p.width) {{ return; }}
    let y = id.x / p.width;
    let x = id.x % p.width;
    let channel = id.y;
    let image = id.z;
    var sum = 0.0;
    {body}
    out_put(p.out_offset + image * p.out_image + channel * p.out_channel + y * p.out_y + x * p.out_x, sum);
}}
"
    );
    builder.finish(&text, [groups(height * width, THREADS)?, groups(channels, 1)?, groups(images, 1)?])
}
