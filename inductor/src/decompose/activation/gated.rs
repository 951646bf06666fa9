//! Half a tensor gated by the other half, and the derivative.

use symshapes::Expr;

use super::super::formula::Formula;
use super::super::{Args, Builder, Rewrite, unsupported};
use crate::tensor_ir::{Op, Tensor};

/// The halves of a tensor along `dim`.
fn halves(b: &mut Builder, a: &Args, x: Tensor) -> Rewrite<(Tensor, Tensor, usize)> {
    let dim = a.dim("dim", b.rank(x))?;
    let two = b.int(2);
    let own = b.sizes(x)[dim];
    let Some(half) = b.graph.pool.exact_div(own, two) else {
        return unsupported("a dimension of unknown parity");
    };
    let first = b.slice(x, dim, Expr::ZERO, 1, half);
    let second = b.slice(x, dim, half, 1, half);
    Ok((first, second, dim))
}

pub(crate) fn glu(b: &mut Builder, a: &Args) -> Rewrite {
    let x = a.operand(b, "self")?;
    let (value, gate, _) = halves(b, a, x)?;
    let f = Formula::new(b);
    Ok((f.term(value) * f.term(gate).sigmoid()).tensor)
}

pub(crate) fn glu_backward(b: &mut Builder, a: &Args) -> Rewrite {
    let x = a.operand(b, "self")?;
    let grad = a.operand(b, "grad_output")?;
    let (value, gate, dim) = halves(b, a, x)?;
    let f = Formula::new(b);
    let (grad, value, gate) = (f.term(grad), f.term(value), f.term(gate).sigmoid());
    let first = grad * gate;
    let second = (1.0 - gate) * gate * grad * value;
    let (first, second) = (first.tensor, second.tensor);
    let (sizes, dtype) = (a.result()?.sizes.clone(), b.dtype(x));
    Ok(b.push(Op::Cat(vec![first, second], dim), dtype, &sizes))
}
