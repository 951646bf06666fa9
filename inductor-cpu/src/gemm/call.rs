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
    let (a, b, init) = match (call.target.as_str(), call.args.as_slice()) {
        ("aten.mm.default" | "aten.bmm.default", [a, b]) => (a, b, None),
        ("aten.addmm.default" | "aten.baddbmm.default", [init, a, b]) => (a, b, Some(init)),
        _ => return None,
    };
    let is_plain_sum = call.kwargs.iter().all(|(_, factor)| is_one(factor));
    let (a, b, init) = (tensor(a)?, tensor(b)?, init.map(tensor));
    let init = if let Some(init) = init { Some(init?) } else { None };
    let mut views: Vec<&View> = vec![a, b];
    views.extend(init);
    views.push(out);
    if !is_plain_sum || views.iter().any(|view| view.dtype != DType::F32) {
        return None;
    }
    let (a_matrix, b_matrix, to) = (stack(&a.layout)?, stack(&b.layout)?, stack(&out.layout)?);
    let ([batch, m, k], [_, _, n]) = (a_matrix.sizes, b_matrix.sizes);
    let init = match init {
        Some(init) => Some(broadcast(&init.layout, [batch, m, n])?),
        None => None,
    };
    let (a, b, out) = (a_matrix.strides, b_matrix.strides, to.strides);
    let fits = b_matrix.sizes == [batch, k, n] && to.sizes == [batch, m, n];
    let pays = k >= NARROW && m.min(n) >= NARROW && 2 * batch * m * n * k >= SMALL;
    (fits && pays).then(|| (Gemm { batch, m, n, k, a, b, init, out }, views.into_iter().cloned().collect()))
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
