//! Pooling over the last two dimensions, adaptive pooling, nearest upsampling, and their gradients.

use super::{
    Rule, Tensor,
    call::{Call, Result, tuple},
    tensor::indices,
};
use fx::aten::Packet;
use fx::scalar::Scalar;
use symshapes::DType;

/// The rules of this family.
pub(super) const RULES: &[(Packet, Rule)] = &[
    (Packet::max_pool2d_with_indices, |c| max_pool(c).map(|(values, positions)| tuple([values, positions]))),
    (Packet::max_pool2d, |c| Ok(max_pool(c)?.0.into())),
    (Packet::max_pool2d_with_indices_backward, max_pool_backward),
    (Packet::avg_pool2d, avg_pool),
    (Packet::avg_pool2d_backward, avg_pool_backward),
    (Packet::_adaptive_avg_pool2d, adaptive_pool),
    (Packet::adaptive_avg_pool2d, adaptive_pool),
    (Packet::_adaptive_avg_pool2d_backward, adaptive_pool_backward),
    (Packet::upsample_nearest2d, upsample_nearest),
];

/// A pooling window in two dimensions.
struct Window {
    kernel: [i64; 2],
    stride: [i64; 2],
    padding: [i64; 2],
    dilation: [i64; 2],
    ceil: bool,
}

impl Window {
    fn of(c: &Call) -> Result<Window> {
        let pair = |name: &str| -> Result<[i64; 2]> { c.fits(c.ints(name)?.try_into().ok()) };
        let kernel = pair("kernel_size")?;
        Ok(Window {
            kernel,
            stride: if c.ints("stride")?.is_empty() { kernel } else { pair("stride")? },
            padding: pair("padding")?,
            dilation: if c.has("dilation") { pair("dilation")? } else { [1, 1] },
            ceil: c.bool("ceil_mode")?,
        })
    }

    /// The number of windows along dimension `d`. With `ceil_mode` a last window counts if it starts inside the
    /// input or its left padding.
    fn count(&self, d: usize, size: usize) -> Option<usize> {
        let (size, pad, stride) = (size as i64, self.padding[d], self.stride[d]);
        let room = size + 2 * pad - self.dilation[d] * (self.kernel[d] - 1) - 1;
        let mut count = room.div_euclid(stride) + 1;
        if self.ceil && room.rem_euclid(stride) != 0 && count * stride < size + pad {
            count += 1;
        }
        usize::try_from(count).ok()
    }

    /// The sizes after pooling.
    fn output(&self, sizes: &[usize]) -> Option<Vec<usize>> {
        let [lead @ .., h, w] = sizes else { return None };
        Some([lead, &[self.count(0, *h)?, self.count(1, *w)?]].concat())
    }

    /// The positions inside the input under the window at `at`, in row-major order.
    fn positions(&self, at: &[usize], sizes: &[usize]) -> Vec<Vec<usize>> {
        let lead = at.len() - 2;
        let mut positions = Vec::new();
        for k in indices(&[self.kernel[0] as usize, self.kernel[1] as usize]) {
            let one = |d: usize| {
                let i = at[lead + d] as i64 * self.stride[d] - self.padding[d] + k[d] as i64 * self.dilation[d];
                usize::try_from(i).ok().filter(|&i| i < sizes[lead + d])
            };
            if let (Some(h), Some(w)) = (one(0), one(1)) {
                positions.push([&at[..lead], &[h, w]].concat());
            }
        }
        positions
    }

    /// By how much the window at `at` divides: its cells inside the padded input, or inside the input.
    fn divisor(&self, at: &[usize], sizes: &[usize], count_padding: bool) -> i64 {
        let lead = at.len() - 2;
        let extent = |d: usize| {
            let size = sizes[lead + d] as i64;
            let start = at[lead + d] as i64 * self.stride[d] - self.padding[d];
            let end = (start + self.kernel[d]).min(size + self.padding[d]);
            if count_padding { end - start } else { end.min(size) - start.max(0) }
        };
        extent(0) * extent(1)
    }
}

/// The greatest element under each window and its position in the plane; NaN wins, else the first.
fn max_pool(c: &Call) -> Result<(Tensor, Tensor)> {
    let (x, window) = (c.tensor("self")?, Window::of(c)?);
    let sizes = c.fits(window.output(x.sizes()))?;
    let width = x.sizes()[x.rank() - 1];
    let (mut values, mut positions) = (Vec::new(), Vec::new());
    for at in indices(&sizes) {
        let (mut best, mut place) = (Scalar::Float(f64::NEG_INFINITY), 0);
        for (n, i) in window.positions(&at, x.sizes()).into_iter().enumerate() {
            let value = x.at(&i);
            if n == 0 || value.as_f64() > best.as_f64() || value.as_f64().is_nan() {
                (best, place) = (value, i[i.len() - 2] * width + i[i.len() - 1]);
            }
        }
        values.push(best);
        positions.push(Scalar::Int(place as i64));
    }
    let values = c.fits(Tensor::from_values(x.dtype(), &sizes, values))?;
    Ok((values, c.fits(Tensor::from_values(DType::I64, &sizes, positions))?))
}

fn max_pool_backward(c: &Call) -> Result {
    let (grad, x, positions) = (c.tensor("grad_output")?, c.tensor("self")?, c.tensor("indices")?);
    let (width, lead) = (x.sizes()[x.rank() - 1], x.rank() - 2);
    let mut dx = Tensor::full(DType::F64, x.sizes(), Scalar::Int(0));
    for at in indices(grad.sizes()) {
        let place = positions.at(&at).as_i64() as usize;
        dx.accumulate(&[&at[..lead], &[place / width, place % width]].concat(), grad.at(&at));
    }
    Ok(dx.to(x.dtype()).into())
}

/// The divisor of each window as the call has it.
fn divisor<'a>(c: &Call, window: &'a Window, sizes: &'a [usize]) -> Result<impl Fn(&[usize]) -> f64 + 'a> {
    let (fixed, padding) = (c.opt_int("divisor_override")?, c.bool("count_include_pad")?);
    Ok(move |at: &[usize]| fixed.unwrap_or_else(|| window.divisor(at, sizes, padding)) as f64)
}

fn avg_pool(c: &Call) -> Result {
    let (x, window) = (c.tensor("self")?, Window::of(c)?);
    let sizes = c.fits(window.output(x.sizes()))?;
    let divisor = divisor(c, &window, x.sizes())?;
    Ok(Tensor::from_fn(x.dtype(), &sizes, |at| {
        let sum: f64 = window.positions(at, x.sizes()).iter().map(|i| x.float_at(i)).sum();
        (sum / divisor(at)).into()
    })
    .into())
}

fn avg_pool_backward(c: &Call) -> Result {
    let (grad, x, window) = (c.tensor("grad_output")?, c.tensor("self")?, Window::of(c)?);
    let divisor = divisor(c, &window, x.sizes())?;
    let mut dx = Tensor::full(DType::F64, x.sizes(), Scalar::Int(0));
    for at in indices(grad.sizes()) {
        for i in window.positions(&at, x.sizes()) {
            dx.accumulate(&i, (grad.float_at(&at) / divisor(&at)).into());
        }
    }
    Ok(dx.to(x.dtype()).into())
}

/// The positions that output `at` averages: along each dimension from ⌊o·in/out⌋ to ⌈(o+1)·in/out⌉.
fn adaptive_window(at: &[usize], input: &[usize], output: &[usize]) -> Vec<Vec<usize>> {
    let lead = at.len() - 2;
    let bounds = |d: usize| {
        let (o, i, n) = (at[lead + d], input[lead + d], output[lead + d]);
        o * i / n..((o + 1) * i).div_ceil(n)
    };
    bounds(0).flat_map(|h| bounds(1).map(move |w| (h, w))).map(|(h, w)| [&at[..lead], &[h, w]].concat()).collect()
}

fn adaptive_pool(c: &Call) -> Result {
    let (x, output) = (c.tensor("self")?, c.sizes("output_size")?);
    let lead = c.fits(x.rank().checked_sub(2))?;
    let sizes = [&x.sizes()[..lead], &output[..]].concat();
    Ok(Tensor::from_fn(x.dtype(), &sizes, |at| {
        let window = adaptive_window(at, x.sizes(), &sizes);
        (window.iter().map(|i| x.float_at(i)).sum::<f64>() / window.len() as f64).into()
    })
    .into())
}

fn adaptive_pool_backward(c: &Call) -> Result {
    let (grad, x) = (c.tensor("grad_output")?, c.tensor("self")?);
    let mut dx = Tensor::full(DType::F64, x.sizes(), Scalar::Int(0));
    for at in indices(grad.sizes()) {
        let window = adaptive_window(&at, x.sizes(), grad.sizes());
        for i in &window {
            dx.accumulate(i, (grad.float_at(&at) / window.len() as f64).into());
        }
    }
    Ok(dx.to(x.dtype()).into())
}

fn upsample_nearest(c: &Call) -> Result {
    if !c.has("scales_h") || c.opt_float("scales_h")?.is_some() || c.opt_float("scales_w")?.is_some() {
        return Err(c.unsupported("scales given apart from sizes"));
    }
    let (x, output) = (c.tensor("self")?, c.sizes("output_size")?);
    let sizes = [&x.sizes()[..x.rank() - 2], &output[..]].concat();
    Ok(x.gather(&sizes, |i| i.iter().zip(x.sizes()).zip(&sizes).map(|((i, from), to)| i * from / to).collect()).into())
}
