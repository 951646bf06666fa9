//! Which calls of ATen's operators are matrix products of ours.

use super::Gemm;
use inductor::plan::{Call, CallArg, Layout, View};
use symshapes::DType;

/// Fewer rows or columns than this would leave most lanes idle.
const NARROW: usize = 12;

/// Products of fewer floating point operations than this take longer to prepare than to compute.
const SMALL: usize = 2_000_000;

/// The product that a call computes, and its arguments: the factors, what the product is added to, and `out`. `None` if
/// it is none, or one that the library computes at least as fast.
pub(crate) fn of_call(call: &Call, out: &View) -> Option<(Gemm, Vec<View>)> {
    let is_plain_sum = call.kwargs.iter().all(|(_, factor)| is_one(factor));
    let (gemm, views) = match (call.target.as_str(), call.args.as_slice()) {
        ("aten.mm.default" | "aten.bmm.default", [a, b]) => product(tensor(a)?, tensor(b)?, None, out)?,
        ("aten.addmm.default" | "aten.baddbmm.default", [init, a, b]) => {
            product(tensor(a)?, tensor(b)?, Some(tensor(init)?), out)?
        }
        ("aten.convolution.default", args) => convolution(args, out)?,
        _ => return None,
    };
    let Gemm { batch, m, n, k, .. } = gemm;
    let pays = k >= NARROW && m.min(n) >= NARROW && 2 * batch * m * n * k >= SMALL;
    let views: Vec<View> = views.into_iter().flatten().cloned().collect();
    (is_plain_sum && pays && views.iter().all(|view| view.dtype == DType::F32)).then_some((gemm, views))
}

/// The arguments of a kernel: two factors, what the product is added to, the result.
type Views<'a> = [Option<&'a View>; 4];

fn product<'a>(a: &'a View, b: &'a View, init: Option<&'a View>, out: &'a View) -> Option<(Gemm, Views<'a>)> {
    let views = [Some(a), Some(b), init, Some(out)];
    let (a, b, out) = (stack(&a.layout)?, stack(&b.layout)?, stack(&out.layout)?);
    let ([batch, m, k], [_, _, n]) = (a.sizes, b.sizes);
    let init = match init {
        Some(init) => Some(broadcast(&init.layout, [batch, m, n])?),
        None => None,
    };
    let gemm = Gemm { batch, m, n, k, a: a.strides, b: b.strides, init, out: out.strides };
    (b.sizes == [batch, k, n] && out.sizes == [batch, m, n]).then_some((gemm, views))
}

/// A convolution of 1×1 with channels last: for each image, the weight times its pixels; of images all of whose pixels lie
/// at equal distances, as one image. (Pixels that lie otherwise would have to be packed, all of them, for few channels.)
fn convolution<'a>(args: &'a [CallArg], out: &'a View) -> Option<(Gemm, Views<'a>)> {
    let [image, weight, bias, stride, padding, _, transposed, _, groups] = args else { return None };
    let (image, weight, bias) = (tensor(image)?, tensor(weight)?, tensor(bias));
    let views = [Some(weight), Some(image), bias, Some(out)];
    let (from, to) = (pixels(&image.layout)?, pixels(&out.layout)?);
    let ([batch, k, n], [_, m, _]) = (from.sizes, to.sizes);
    let (&[rows, columns, 1, 1], &[row, column, ..]) = (&weight.layout.sizes[..], &weight.layout.strides[..]) else {
        return None;
    };
    let is_pointwise = is_each(stride, 1)
        && is_each(padding, 0)
        && is_plain(transposed, &fx::Arg::Bool(false))
        && is_plain(groups, &fx::Arg::Int(1));
    let is_last = from.strides[1] == 1 && to.strides[1] == 1;
    if !is_pointwise || !is_last || [rows, columns] != [m as i64, k as i64] || to.sizes != [batch, m, n] {
        return None;
    }
    let a = [0, usize::try_from(row).ok()?, usize::try_from(column).ok()?];
    let init = match bias {
        Some(bias) => Some([0, usize::try_from(*bias.layout.strides.first()?).ok()?, 0]),
        None => None,
    };
    let is_one = [&from, &to].iter().all(|pixels| pixels.strides[0] == n * pixels.strides[2]);
    let (batch, n) = if is_one { (1, batch * n) } else { (batch, n) };
    Some((Gemm { batch, m, n, k, a, b: from.strides, init, out: to.strides }, views))
}

/// Images as a stack of matrices, a row for each channel; `None` if the pixels of an image do not lie at equal distances.
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

fn is_plain(arg: &CallArg, value: &fx::Arg) -> bool {
    matches!(arg, CallArg::Plain(arg) if arg == value)
}

fn is_each(arg: &CallArg, value: i64) -> bool {
    matches!(arg, CallArg::Plain(fx::Arg::List(items)) if items.iter().all(|item| *item == fx::Arg::Int(value)))
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
