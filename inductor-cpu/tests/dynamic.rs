//! Kernels of symbolic sizes, compiled once and run at many sizes: they agree with the interpreter.

mod support;

use inductor::loop_ir::Kernel;

/// Values of the first and second size, and so on: around the widths of vectors, and small. None exceeds 100, the
/// length of a table in one of the graphs.
const SIZES: &[[i64; 3]] =
    &[[2, 2, 2], [3, 5, 4], [16, 15, 33], [7, 64, 3], [1, 17, 2], [33, 100, 5], [4, 97, 2], [64, 63, 16]];

/// The kernels of a golden plan.
fn kernels(plan: &str) -> Vec<Kernel> {
    let starts = plan.match_indices(": kernel ").map(|(at, _)| at + 2);
    let texts = starts.map(|at| &plan[at..at + plan[at..].find("\n}").map_or(plan.len() - at, |end| end + 2)]);
    texts.map(support::parse).collect()
}

/// The kernel with a typical value of all its sizes.
fn typically(kernel: &Kernel, size: i64) -> Kernel {
    let mut kernel = kernel.clone();
    for &sym in &kernel.sizes {
        kernel.exprs.set_hint(sym, size);
    }
    kernel
}

macro_rules! golden {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            let plan = include_str!(concat!("../../inductor/tests/golden/dynamic/", stringify!($name), ".plan"));
            let kernels = kernels(plan);
            assert!(!kernels.is_empty(), "the plan has kernels");
            // What is typical chooses the code, which has to be right at all sizes.
            let large = kernels.iter().map(|kernel| typically(kernel, 4096));
            for kernel in &kernels.iter().cloned().chain(large).collect::<Vec<_>>() {
                for (seed, sizes) in SIZES.iter().enumerate() {
                    let own = kernel.sizes.iter().zip(sizes).map(|(&sym, &n)| n.max(kernel.exprs.symbol_range(sym).lo));
                    let own: Vec<i64> = own.collect();
                    // A sum of few terms is rounded at each.
                    support::check_at(kernel, &own, seed as u64, 64.0);
                }
            }
        })*
    };
}

golden! {
    gelu_scale_shift
    softmax
    layer_norm
    heads
    attention_mask
    positions
    mean_pool
    column_sum
    cat_pad
    transposed_copy
}
