//! The calls of ATen's operators that are matrix products of ours.

use super::{Convolve, Gemm, Product};
use crate::heuristics;
use fx::aten::Aten;
use inductor::convolution::Convolution;
use inductor::heuristics::product_least_side;
use inductor::plan::{Call, CallArg, Layout, View};
use symshapes::DType;

/// The product that a call computes, and its arguments: the factors, what the product is added to, and `out`. `None` if
/// it is none, or one that the library computes at least as fast.
pub(crate) fn of_call(call: &Call, out: &View) -> Option<(Product, Vec<View>)> {
    let is_plain_sum = call.kwargs.iter().all(|(_, factor)| is_one(factor));
    let (product, views) = match (call.target.op()?, call.args.as_slice()) {
        (Aten::mm_default | Aten::bmm_default, [a, b]) => product(tensor(a)?, tensor(b)?, None, out)?,
        (Aten::addmm_default | Aten::baddbmm_default, [init, a, b]) => {
            product(tensor(a)?, tensor(b)?, Some(tensor(init)?), out)?
        }
        (Aten::convolution_default, [image, weight, bias, plain @ ..]) => {
            let plain = plain.iter().map(|arg| if let CallArg::Plain(arg) = arg { Some(arg) } else { None });
            convolution(tensor(image)?, tensor(weight)?, tensor(bias), Convolution::of(plain)?, out)?
        }
        _ => return None,
    };
    let pays = match &product {
        Product::Gemm(gemm) => gemm.m.min(gemm.n).min(gemm.k) >= product_least_side(),
        Product::Convolve(form) => form.images * form.pixels() >= product_least_side(),
    };
    let views: Vec<View> = views.into_iter().flatten().cloned().collect();
    let is_large = product.count() * product.flop() >= heuristics::product_least_flop();
    (is_plain_sum && pays && is_large && views.iter().all(|view| view.dtype == DType::F32)).then_some((product, views))
}

/// The arguments of a kernel: two factors, what the product is added to, the result.
type Views<'a> = [Option<&'a View>; 4];

fn product<'a>(a: &'a View, b: &'a View, init: Option<&'a View>, out: &'a View) -> Option<(Product, Views<'a>)> {
    let views = [Some(a), Some(b), init, Some(out)];
    let (a, b, out) = (stack(&a.layout)?, stack(&b.layout)?, stack(&out.layout)?);
    let ([batch, m, k], [_, _, n]) = (a.sizes, b.sizes);
    let init = match init {
        Some(init) => Some(broadcast(&init.layout, [batch, m, n])?),
        None => None,
    };
    let gemm = Gemm { batch, m, n, k, a: a.strides, b: b.strides, init, out: out.strides };
    (b.sizes == [batch, k, n] && out.sizes == [batch, m, n]).then_some((Product::Gemm(gemm), views))
}

/// A convolution, if its weight lies in rows.
fn convolution<'a>(
    image: &'a View,
    weight: &'a View,
    bias: Option<&'a View>,
    numbers: Convolution,
    out: &'a View,
) -> Option<(Product, Views<'a>)> {
    let views = [Some(weight), Some(image), bias, Some(out)];
    let [rows, channels, window @ ..] = <[usize; 4]>::try_from(unsigned(&weight.layout.sizes)?).ok()?;
    let is_flat = Layout { offset: 0, ..weight.layout.clone() }.is_row_major();
    if !is_flat || !numbers.is_product([rows, channels, window[0], window[1]]) {
        return None;
    }
    let bias = match bias {
        Some(bias) => Some(*unsigned(&bias.layout.strides)?.first()?),
        None => None,
    };
    let product = match numbers.is_pointwise(window) {
        true => pixelwise(&image.layout, [rows, channels], bias, &out.layout).map(Product::Gemm),
        false => None,
    };
    let product = match product {
        Some(product) => product,
        None => Product::Convolve(windowed(&image.layout, [rows, channels], window, bias, numbers, &out.layout)?),
    };
    Some((product, views))
}

/// A convolution of single pixels with channels last: for each image, the weight times its pixels; of images all of
/// whose pixels lie at equal distances, as one image.
fn pixelwise(image: &Layout, [m, k]: [usize; 2], bias: Option<usize>, out: &Layout) -> Option<Gemm> {
    let (from, to) = (pixels(image)?, pixels(out)?);
    let [batch, _, n] = from.sizes;
    let is_last = from.strides[1] == 1 && to.strides[1] == 1;
    if !is_last || from.sizes[1] != k || to.sizes != [batch, m, n] {
        return None;
    }
    let is_one = [&from, &to].iter().all(|pixels| pixels.strides[0] == n * pixels.strides[2]);
    let (batch, n) = if is_one { (1, batch * n) } else { (batch, n) };
    let init = bias.map(|stride| [0, stride, 0]);
    Some(Gemm { batch, m, n, k, a: [0, k, 1], b: from.strides, init, out: to.strides })
}

/// A convolution of images whose columns lie side by side.
fn windowed(
    image: &Layout,
    [rows, channels]: [usize; 2],
    window: [usize; 2],
    bias: Option<usize>,
    numbers: Convolution,
    out: &Layout,
) -> Option<Convolve> {
    let [images, inputs, size @ ..] = <[usize; 4]>::try_from(unsigned(&image.sizes)?).ok()?;
    let [results, outputs, out_size @ ..] = <[usize; 4]>::try_from(unsigned(&out.sizes)?).ok()?;
    let [image_stride, channel, row, column] = <[usize; 4]>::try_from(unsigned(&image.strides)?).ok()?;
    let [out_image, out_channel, out_row, out_column] = <[usize; 4]>::try_from(unsigned(&out.strides)?).ok()?;
    let groups = numbers.groups;
    let fits = results == images && outputs == rows && inputs == channels * groups && rows.is_multiple_of(groups);
    let expected = [0, 1].map(|dim| {
        let window = numbers.dilation[dim] * (window[dim].checked_sub(1)?) + 1;
        Some((size[dim] + 2 * numbers.padding[dim]).checked_sub(window)? / numbers.stride[dim] + 1)
    });
    let is_side_by_side = (size[1] == 1 || column == 1)
        && (out_size[1] == 1 || out_column == 1)
        && (out_size[0] == 1 || out_row == out_size[1]);
    (fits && is_side_by_side && expected == out_size.map(Some)).then_some(Convolve {
        numbers,
        images,
        channels: [channels, rows / groups],
        size,
        window,
        out_size,
        image: [image_stride, channel, row],
        out: [out_image, out_channel],
        bias,
    })
}

/// Sizes or strides, if none is negative.
fn unsigned(list: &[i64]) -> Option<Vec<usize>> {
    list.iter().map(|&it| usize::try_from(it).ok()).collect()
}

/// Images as a stack of matrices, a row for each channel; `None` if the pixels of an image do not lie at equal
/// distances.
fn pixels(layout: &Layout) -> Option<Stack> {
    let (&[batch, channels, height, width], &[image, channel, row, column]) = (&layout.sizes[..], &layout.strides[..])
    else {
        return None;
    };
    if height != 1 && width != 1 && row != width * column {
        return None;
    }
    let pixel = if width == 1 { row } else { column };
    let [sizes, strides] = [[batch, channels, height * width], [image, channel, pixel]];
    stack(&Layout { sizes: sizes.to_vec(), strides: strides.to_vec(), offset: 0 })
}

fn tensor(arg: &CallArg) -> Option<&View> {
    if let CallArg::Tensor(view) = arg { Some(view) } else { None }
}

fn is_one(arg: &CallArg) -> bool {
    matches!(arg, CallArg::Plain(fx::Arg::Int(1))) || matches!(arg, CallArg::Plain(fx::Arg::Float(f)) if *f == 1.0)
}

/// A stack of matrices.
struct Stack {
    sizes: [usize; 3],
    strides: [usize; 3],
}

/// A layout of two or three dimensions as a stack.
fn stack(layout: &Layout) -> Option<Stack> {
    let number = |list: &[i64], missing: i64| -> Option<[usize; 3]> {
        let list = match *list {
            [row, column] => [missing, row, column],
            [batch, row, column] => [batch, row, column],
            _ => return None,
        };
        let [x, y, z] = list.map(usize::try_from);
        Some([x.ok()?, y.ok()?, z.ok()?])
    };
    Some(Stack { sizes: number(&layout.sizes, 1)?, strides: number(&layout.strides, 0)? })
}

/// The strides with which a layout is broadcast to `sizes`.
fn broadcast(layout: &Layout, sizes: [usize; 3]) -> Option<[usize; 3]> {
    let mut strides = [0; 3];
    let dims = layout.sizes.iter().zip(&layout.strides).rev();
    for (at, (&size, &stride)) in dims.enumerate() {
        let at = 2usize.checked_sub(at)?;
        let size = usize::try_from(size).ok()?;
        strides[at] = if size == 1 { 0 } else { usize::try_from(stride).ok()? };
        if size != 1 && size != sizes[at] {
            return None;
        }
    }
    Some(strides)
}
