//! How much work a kernel does: what a backend weighs when it decides on threads.

use super::{Kernel, Loop, Op, Stmt, Value};
use fx::prim::Cost;

/// The work of one iteration of the parallel loop.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Work {
    /// Bytes loaded and stored, each access counted (a cache may serve some of them).
    pub bytes: f64,
    /// Scalar operations, weighted by [`fx::prim::Cost`] in units of a cheap one.
    pub ops: f64,
}

/// The work of one iteration of the kernel's parallel loop, given its sizes.
pub fn work(kernel: &Kernel, sizes: &[i64]) -> Work {
    let mut total = Work::default();
    body(kernel, sizes, &kernel.root, 1.0, &mut total);
    total
}

/// The weight of a primitive: that of a vectorised implementation, in cheap instructions.
fn weight(cost: Cost) -> f64 {
    match cost {
        Cost::Cheap => 1.0,
        Cost::Medium => 8.0,
        Cost::Dear => 20.0,
    }
}

/// Adds the work of a loop's body, which runs `times` times.
fn body(kernel: &Kernel, sizes: &[i64], l: &Loop, times: f64, total: &mut Work) {
    for stmt in &l.body {
        match stmt {
            Stmt::Let(value) => let_(kernel, *value, times, total),
            Stmt::Loop(inner) => {
                let rounds = kernel.size(kernel.axes[inner.axis].extent, sizes).unwrap_or(0) as f64;
                body(kernel, sizes, inner, times * rounds, total);
            }
            Stmt::Store { param, .. } => total.bytes += times * kernel.params[*param].dtype.size() as f64,
            Stmt::Accumulate { .. } => total.ops += times,
        }
    }
}

fn let_(kernel: &Kernel, value: Value, times: f64, total: &mut Work) {
    match &kernel.values[value].op {
        Op::Const(_) | Op::Bind(..) | Op::Bitcast(_) | Op::Reduced(_) => {}
        Op::Load { param, .. } => total.bytes += times * kernel.params[*param].dtype.size() as f64,
        Op::Index(_) | Op::Convert(_) => total.ops += times,
        Op::Map(op, _) => total.ops += times * weight(op.cost()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inner_loops_count_by_their_extent() {
        let kernel: Kernel = "kernel k(%0: f32[64] in, %1: f64[8] out) {
            parallel i0 in 0..8 {
              for i1 in 0..8 vector reduce(a0: sum f32) {
                v0: f32 = load %0[8*i0 + i1]
                v1: f32 = exp v0
                a0 <- v1
              }
              v2: f32 = reduced a0
              v3: f64 = convert v2
              store %1[i0] = v3
            }
          }"
        .parse()
        .expect("the text is a kernel");
        assert_eq!(work(&kernel, &[]), Work { bytes: 8.0 * 4.0 + 8.0, ops: 8.0 * 21.0 + 1.0 });
    }
}
