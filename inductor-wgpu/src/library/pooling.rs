//! Pooling over one, two or three dimensions, and its backward.
//!
//! Forward, a thread for each element of the output goes over its window; backward, a thread for each element of the
//! input goes over the windows that it may lie in, and adds up what they were given. In the texts `D` stands for a
//! dimension: `to_D` is a window's place in the output, `at_D` an element's in the input.

use fx::aten::Aten;
use fx::ops;
use inductor::device::{Refusal, Task};
use inductor::plan::View;
use symshapes::DType;

use super::builder::Builder;
use super::call::Given;
use super::elements::Element;
use super::space::Space;
use super::{BEGIN, THREADS, spread};
use crate::Gpu;
use crate::work::Work;

/// The kinds of windows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Windows {
    /// Of a size, with steps and padding; those of the greatest have dilation, too.
    Sized { dilated: bool },
    /// As many as the output has elements, which cover the input.
    Adaptive,
}

/// The reductions of a window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Pool {
    Greatest,
    Average,
}

/// One operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Pooling {
    space: Space,
    windows: Windows,
    pool: Pool,
}

/// The operators by windows and reduction, those over one dimension first, then two and three.
static OPERATORS: &[(Windows, Pool, [&[Aten]; 3])] = &[
    (
        Windows::Sized { dilated: true },
        Pool::Greatest,
        [
            ops![],
            ops![max_pool2d_default max_pool2d_with_indices_default max_pool2d_with_indices_backward_default],
            ops![max_pool3d_default max_pool3d_with_indices_default max_pool3d_with_indices_backward_default],
        ],
    ),
    (
        Windows::Sized { dilated: false },
        Pool::Average,
        [
            ops![avg_pool1d_default],
            ops![avg_pool2d_default avg_pool2d_backward_default],
            ops![avg_pool3d_default avg_pool3d_backward_default],
        ],
    ),
    (
        Windows::Adaptive,
        Pool::Greatest,
        [
            ops![adaptive_max_pool1d_default],
            ops![adaptive_max_pool2d_default adaptive_max_pool2d_backward_default],
            ops![adaptive_max_pool3d_default adaptive_max_pool3d_backward_default],
        ],
    ),
    (
        Windows::Adaptive,
        Pool::Average,
        [
            ops![adaptive_avg_pool1d_default],
            ops![adaptive_avg_pool2d_default _adaptive_avg_pool2d_default _adaptive_avg_pool2d_backward_default],
            ops![adaptive_avg_pool3d_default _adaptive_avg_pool3d_default _adaptive_avg_pool3d_backward_default],
        ],
    ),
];

impl Pooling {
    /// By the operator's row.
    fn of(given: &Given<'_>) -> Result<Pooling, Refusal> {
        for &(windows, pool, by_rank) in OPERATORS {
            if let Some(at) = by_rank.iter().position(|operators| operators.contains(&given.op())) {
                return Ok(Pooling { space: Space::over(at + 1), windows, pool });
            }
        }
        Refusal::because(format!("{}: pooling of an unknown kind", given.op()))
    }

    /// Declares the windows' numbers.
    fn declare(self, builder: &mut Builder<'_>, given: &Given<'_>) -> Result<(), Refusal> {
        let Windows::Sized { dilated } = self.windows else { return Ok(()) };
        let kernel = given.ints("kernel_size")?;
        let stride = Some(given.ints("stride")?).filter(|stride| !stride.is_empty()).unwrap_or_else(|| kernel.clone());
        self.space.declare(builder, "kernel", &kernel)?;
        self.space.declare(builder, "stride", &stride)?;
        self.space.declare(builder, "padding", &given.ints("padding")?)?;
        if dilated { self.space.declare(builder, "dilation", &given.ints("dilation")?) } else { Ok(()) }
    }

    /// Binds the larger tensor, which has the input's sizes, and the smaller one, by these names.
    fn sizes(self, builder: &mut Builder<'_>, input: &View, out: &View) -> Result<(), Refusal> {
        let ((images, channels, planes), (.., small)) = (self.space.sizes(input)?, self.space.sizes(out)?);
        builder.int("images", images)?;
        builder.int("channels", channels)?;
        self.space.declare(builder, "size", &planes)?;
        self.space.declare(builder, "out_size", &small)
    }

    /// Loops over the elements of the window at `to_D`, after declaring its ends where it is an average's.
    fn over_window(self, body: &str) -> String {
        let ends = match (self.windows, self.pool) {
            (Windows::Sized { .. }, Pool::Greatest) => return self.space.loops(DILATED, body),
            (Windows::Sized { .. }, Pool::Average) => ENDS,
            (Windows::Adaptive, _) => ADAPTIVE_ENDS,
        };
        let head = "for (var at_D = start_D; at_D < end_D; at_D++) {";
        format!("{}{}", self.space.each(ends), self.space.loops(head, body))
    }

    /// Loops over the windows that the element at `at_D` may lie in.
    fn over_windows(self, body: &str) -> String {
        match self.windows {
            Windows::Sized { dilated } => {
                let step = if dilated { "step_D * p.dilation_D" } else { "step_D" };
                self.space.loops(&AROUND.replace("STEP", step), body)
            }
            Windows::Adaptive => self.space.loops(ADAPTIVE_AROUND, body),
        }
    }

    /// The divisor of the sum of a window whose ends are declared, in WGSL.
    fn divisor(self, builder: &mut Builder<'_>, given: &Given<'_>) -> Result<String, Refusal> {
        let product = |factor: &str| format!("f32({})", self.space.product(factor));
        if self.windows == Windows::Adaptive {
            return Ok(product("(end_D - start_D)"));
        }
        if given.has("divisor_override")
            && let Some(divisor) = given.opt_float("divisor_override")?
        {
            builder.float("divisor", divisor);
            return Ok("p.divisor".to_owned());
        }
        Ok(product(if given.bool("count_include_pad")? { "(reach_D - from_D)" } else { "(end_D - start_D)" }))
    }
}

/// A loop over a window with dilation, cut to the plane.
const DILATED: &str = "for (var step_D = 0u; step_D < p.kernel_D; step_D++) {
    let far_D = to_D * p.stride_D + step_D * p.dilation_D;
    if (far_D < p.padding_D || far_D - p.padding_D >= p.size_D) { continue; }
    let at_D = far_D - p.padding_D;";

/// The bounds of a window, in a plane that begins with the padding (so that no number is negative) and in the plane
/// itself.
const ENDS: &str = "let from_D = to_D * p.stride_D;
    let reach_D = min(from_D + p.kernel_D, p.size_D + 2u * p.padding_D);
    let start_D = max(from_D, p.padding_D) - p.padding_D;
    let end_D = min(max(reach_D, p.padding_D) - p.padding_D, p.size_D);";

const ADAPTIVE_ENDS: &str = "let start_D = (to_D * p.size_D) / p.out_size_D;
    let end_D = ((to_D + 1u) * p.size_D + p.out_size_D - 1u) / p.out_size_D;";

/// A loop over the windows that cover an element, by where in them it lies.
const AROUND: &str = "for (var step_D = 0u; step_D < p.kernel_D; step_D++) {
    let far_D = at_D + p.padding_D;
    let within_D = STEP;
    if (far_D < within_D || (far_D - within_D) % p.stride_D != 0u) { continue; }
    let to_D = (far_D - within_D) / p.stride_D;
    if (to_D >= p.out_size_D) { continue; }";

/// A loop over the windows that may cover an element, from the first to the last.
const ADAPTIVE_AROUND: &str = "let last_D = ((at_D + 1u) * p.out_size_D + p.size_D - 1u) / p.size_D;
    for (var to_D = (at_D * p.out_size_D) / p.size_D; to_D < last_D; to_D++) {";

/// `max_pool2d` and its like, with and without the places: NaN is greater than all else, and of equal elements the
/// first counts. `avg_pool2d`, `adaptive_avg_pool2d` and their like.
pub(super) fn forward(gpu: &Gpu, given: &Given<'_>) -> Result<Task<Work>, Refusal> {
    let pooling = Pooling::of(given)?;
    let Pooling { space, .. } = pooling;
    if given.tensor("self")?.dtype != DType::F32 && given.op() == Aten::avg_pool3d_default {
        return Refusal::because("halves, which eager does not average over volumes");
    }
    let (input, out) = (space.of_images(given.tensor("self")?)?, space.of_images(&given.result()?)?);
    let mut builder = Builder::new(gpu, given.plan);
    pooling.declare(&mut builder, given)?;
    pooling.sizes(&mut builder, &input, &out)?;
    builder.reads("input", &input, space.dims())?;
    builder.writes("out", &out, space.dims())?;
    let value = format!("input_get({})", space.element("input", "image", "channel", "at_D"));
    let place = |name: &str| space.element(name, "image", "channel", "to_D");
    let body = match pooling.pool {
        Pool::Greatest => {
            let mut store = format!("    out_put({}, best);\n", place("out"));
            if let Some(indices) = given.opt_result(1)? {
                let of = Element::of(gpu, indices.dtype)?.value();
                builder.writes("indices", &space.of_images(&indices)?, space.dims())?;
                store += &format!("    indices_put({}, {of}(best_at));\n", place("indices"));
            }
            let body = GREATEST.replace("VALUE", &value).replace("FLAT", &space.flat("at_D", "size"));
            format!(
                "    var best = 0.0;\n    var best_at = 0u;\n    var is_first = true;\n{}{store}",
                pooling.over_window(&body)
            )
        }
        Pool::Average => {
            let divisor = pooling.divisor(&mut builder, given)?;
            let sum = pooling.over_window(&format!("    sum += {value};"));
            format!("    var sum = 0.0;\n{sum}    out_put({}, sum / {divisor});\n", place("out"))
        }
    };
    finish(builder, space, &out, ("out_size", "to"), &body)
}

const GREATEST: &str = "    let value = VALUE;
    let is_nan = (bitcast<u32>(value) & 0x7fffffffu) > 0x7f800000u;
    if (is_first || value > best || is_nan) {
        best = value;
        best_at = FLAT;
    }
    is_first = false;";

/// Backward of them all.
pub(super) fn backward(gpu: &Gpu, given: &Given<'_>) -> Result<Task<Work>, Refusal> {
    let pooling = Pooling::of(given)?;
    let Pooling { space, .. } = pooling;
    let (grad, out) = (space.of_images(given.tensor("grad_output")?)?, space.of_images(&given.result()?)?);
    let mut builder = Builder::new(gpu, given.plan);
    pooling.declare(&mut builder, given)?;
    pooling.sizes(&mut builder, &out, &grad)?;
    builder.reads("grad", &grad, space.dims())?;
    builder.writes("out", &out, space.dims())?;
    let place = |name: &str| space.element(name, "image", "channel", "to_D");
    let term = format!("grad_get({})", place("grad"));
    let body = match pooling.pool {
        Pool::Greatest => {
            let indices = given.integers("indices")?;
            let of = Element::of(gpu, indices.dtype)?.value();
            builder.reads("indices", &space.of_images(indices)?, space.dims())?;
            let (chosen, own) = (place("indices"), space.flat("at_D", "size"));
            format!("    if (indices_get({chosen}) == {of}({own})) {{ sum += {term}; }}")
        }
        Pool::Average => {
            let divisor = pooling.divisor(&mut builder, given)?;
            let ends = if pooling.windows == Windows::Adaptive { ADAPTIVE_ENDS } else { ENDS };
            let covers = space.all("start_D <= at_D && at_D < end_D");
            format!("{}    if ({covers}) {{ sum += {term} / {divisor}; }}", space.each(ends))
        }
    };
    let store = format!("    out_put({}, sum);\n", space.element("out", "image", "channel", "at_D"));
    let body = format!("    var sum = 0.0;\n{}{store}", pooling.over_windows(&body));
    finish(builder, space, &out, ("size", "at"), &body)
}

/// The dispatch with a thread for each element of `over`, whose plane's sizes and places have these names.
fn finish(
    mut builder: Builder<'_>,
    space: Space,
    over: &View,
    (size, at): (&str, &str),
    body: &str,
) -> Result<Task<Work>, Refusal> {
    let count = over.layout.sizes.iter().fold(1i64, |all, &size| all.saturating_mul(size));
    builder.int("count", count)?;
    let text = format!(
        "{BEGIN}{}    let image = plane / p.channels;
    let channel = plane % p.channels;
{body}}}
",
        space.apart("number", size, "plane", at),
    );
    builder.finish(&text, spread(count, THREADS)?)
}
