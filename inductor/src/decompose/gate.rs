//! Activations and their derivatives that are formulas on elements.

use super::formula::{Formula, Term};
use super::{Args, Builder, Rewrite};
use crate::tensor_ir::Tensor;

/// A formula of the gradient and the input.
fn backward(
    b: &mut Builder,
    a: &Args,
    formula: impl for<'f, 'b> FnOnce(Term<'f, 'b>, Term<'f, 'b>) -> Term<'f, 'b>,
) -> Rewrite {
    let f = Formula::new(b);
    let grad = f.operand(a, if a.has("grad_output") { "grad_output" } else { "grad_out" })?;
    Ok(formula(grad, f.operand(a, "self")?).tensor)
}

/// `scale * x` above 0, else `scale * alpha * (exp(input_scale * x) - 1)`.
fn exponential(b: &mut Builder, a: &Args, [alpha, scale, input_scale]: [f64; 3]) -> Rewrite {
    let f = Formula::new(b);
    let x = f.operand(a, "self")?;
    let decay = (x * input_scale).expm1() * (alpha * scale);
    Ok(x.gt(0.0).pick(x * scale, decay).tensor)
}

pub(crate) fn celu(b: &mut Builder, a: &Args) -> Rewrite {
    let alpha = a.float("alpha")?;
    exponential(b, a, [alpha, 1.0, 1.0 / alpha])
}

pub(crate) fn selu(b: &mut Builder, a: &Args) -> Rewrite {
    exponential(b, a, [1.673_263_242_354_377_2, 1.050_700_987_355_480_5, 1.0])
}

pub(crate) fn elu_backward(b: &mut Builder, a: &Args) -> Rewrite {
    let (alpha, scale, input_scale) = (a.float("alpha")?, a.float("scale")?, a.float("input_scale")?);
    let of_result = a.bool("is_result")?;
    let f = Formula::new(b);
    let (grad, x) = (f.operand(a, "grad_output")?, f.operand(a, "self_or_result")?);
    let decay = if of_result {
        grad * input_scale * (x + alpha * scale)
    } else {
        grad * (input_scale * alpha * scale) * (x * input_scale).exp()
    };
    Ok(x.le(0.0).pick(decay, grad * scale).tensor)
}

pub(crate) fn softplus_backward(b: &mut Builder, a: &Args) -> Rewrite {
    let (beta, threshold) = (a.float("beta")?, a.float("threshold")?);
    backward(b, a, |grad, x| {
        let scaled = x * beta;
        let e = scaled.exp();
        scaled.gt(threshold).pick(grad, grad * e / (e + 1.0))
    })
}

pub(crate) fn mish_backward(b: &mut Builder, a: &Args) -> Rewrite {
    backward(b, a, |grad, x| {
        let t = x.gt(20.0).pick(x, x.exp().log1p()).tanh();
        grad * (t + x * x.sigmoid() * (1.0 - t * t))
    })
}

pub(crate) fn log_sigmoid_backward(b: &mut Builder, a: &Args) -> Rewrite {
    backward(b, a, |grad, x| {
        let e = (-x.abs()).exp();
        let part = e / (e + 1.0);
        grad * x.lt(0.0).pick(1.0 - part, part)
    })
}

pub(crate) fn prelu(b: &mut Builder, a: &Args) -> Rewrite {
    let f = Formula::new(b);
    let (x, weight) = (f.operand(a, "self")?, f.operand(a, "weight")?);
    Ok(x.gt(0.0).pick(x, x * weight).tensor)
}

/// The gradients of input and weight.
pub(crate) fn prelu_backward(b: &mut Builder, a: &Args) -> Rewrite<Vec<Option<Tensor>>> {
    let f = Formula::new(b);
    let (grad, x, weight) = (f.operand(a, "grad_output")?, f.operand(a, "self")?, f.operand(a, "weight")?);
    let is_positive = x.gt(0.0);
    let of_weight = is_positive.pick_number(0.0, x * grad);
    Ok(vec![Some(is_positive.pick(grad, weight * grad).tensor), Some(of_weight.tensor)])
}

/// 0 within `lambd` of 0.
pub(crate) fn hardshrink(b: &mut Builder, a: &Args) -> Rewrite {
    let limit = a.float("lambd")?;
    let f = Formula::new(b);
    let x = f.operand(a, "self")?;
    Ok((x.ge(-limit) & x.le(limit)).pick_number(0.0, x).tensor)
}

/// `lambd` nearer to 0, and 0 within it.
pub(crate) fn softshrink(b: &mut Builder, a: &Args) -> Rewrite {
    let limit = a.float("lambd")?;
    let f = Formula::new(b);
    let x = f.operand(a, "self")?;
    // The product keeps NaN.
    let inside = x.lt(-limit).pick(x + limit, x * 0.0);
    Ok(x.gt(limit).pick(x - limit, inside).tensor)
}

pub(crate) fn shrink_backward(b: &mut Builder, a: &Args) -> Rewrite {
    let limit = a.float("lambd")?;
    backward(b, a, |grad, x| (x.ge(-limit) & x.le(limit)).pick_number(0.0, grad))
}

/// The halves of a tensor along `dim`.
fn halves(b: &mut Builder, a: &Args, x: Tensor) -> Rewrite<(Tensor, Tensor, usize)> {
    let dim = a.dim("dim", b.rank(x))?;
    let two = b.int(2);
    let own = b.sizes(x)[dim];
    let Some(half) = b.graph.pool.exact_div(own, two) else {
        return super::unsupported("a dimension of unknown parity");
    };
    let first = b.slice(x, dim, symshapes::Expr::ZERO, 1, half);
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
    Ok(b.push(crate::tensor_ir::Op::Cat(vec![first, second], dim), dtype, &sizes))
}
