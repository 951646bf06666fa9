//! Functions on elements that are formulas of primitives.

use std::f64::consts::{LN_2, PI};

use fx::prim::Pointwise;
use symshapes::DType;

use super::formula::{Formula, Term};
use super::pointwise::{operand_tensor, promote};
use super::{Args, Builder, Rewrite, unsupported};
use crate::tensor_ir::Tensor;

/// A formula of one operand.
fn unary(b: &mut Builder, a: &Args, name: &str, formula: impl for<'f, 'b> FnOnce(Term<'f, 'b>) -> Tensor) -> Rewrite {
    let f = Formula::new(b);
    Ok(formula(f.operand(a, name)?))
}

/// A formula of two operands, of which either may be a number.
fn binary(
    b: &mut Builder,
    a: &Args,
    names: [&str; 2],
    formula: impl for<'f, 'b> FnOnce(Term<'f, 'b>, Term<'f, 'b>) -> Tensor,
) -> Rewrite {
    let dtype = a.compute()?;
    if !dtype.is_float() {
        return unsupported(format!("dtype {dtype}"));
    }
    let mut get = |name: &str| -> Rewrite {
        let Some(operand) = a.number_or_tensor(name)? else { return unsupported(format!("no `{name}`")) };
        Ok(operand_tensor(b, operand, dtype))
    };
    let (x, y) = (get(names[0])?, get(names[1])?);
    let f = Formula::new(b);
    Ok(formula(f.term(x), f.term(y)))
}

/// Beyond this, `log` of twice the magnitude is exact to the last bit, and squares may overflow.
const LARGE: f64 = 1e9;

pub(crate) fn asinh(b: &mut Builder, a: &Args) -> Rewrite {
    unary(b, a, "self", |x| {
        let size = x.abs();
        let square = size * size;
        let near = (size + square / ((square + 1.0).sqrt() + 1.0)).log1p();
        let far = size.log() + LN_2;
        size.gt(LARGE).pick(far, near).signed_as(x).tensor
    })
}

pub(crate) fn acosh(b: &mut Builder, a: &Args) -> Rewrite {
    unary(b, a, "self", |x| {
        let over = x - 1.0;
        let near = (over + (over * (over + 2.0)).sqrt()).log1p();
        let far = x.log() + LN_2;
        let value = x.gt(LARGE).pick(far, near);
        x.lt(1.0).pick_number(f64::NAN, value).tensor
    })
}

pub(crate) fn atanh(b: &mut Builder, a: &Args) -> Rewrite {
    unary(b, a, "self", |x| {
        let size = x.abs();
        ((size * 2.0 / (1.0 - size)).log1p() * 0.5).signed_as(x).tensor
    })
}

/// The root of the sum of squares, without overflow in between.
pub(crate) fn hypot(b: &mut Builder, a: &Args) -> Rewrite {
    binary(b, a, ["self", "other"], |x, y| {
        let (x, y) = (x.abs(), y.abs());
        let (large, small) = (x.max(y), x.min(y));
        let ratio = small / large;
        let length = large * (ratio * ratio + 1.0).sqrt();
        let length = large.eq(0.0).pick(large, length);
        let infinite = x.eq(f64::INFINITY) | y.eq(f64::INFINITY);
        infinite.pick_number(f64::INFINITY, length).tensor
    })
}

pub(crate) fn logaddexp(b: &mut Builder, a: &Args) -> Rewrite {
    binary(b, a, ["self", "other"], |x, y| {
        let sum = x.max(y) + (-(x - y).abs()).exp().log1p();
        (x.eq(y) & x.abs().eq(f64::INFINITY)).pick(x, sum).tensor
    })
}

pub(crate) fn logaddexp2(b: &mut Builder, a: &Args) -> Rewrite {
    binary(b, a, ["self", "other"], |x, y| {
        let sum = x.max(y) + (-(x - y).abs()).exp2().log1p() / LN_2;
        (x.eq(y) & x.abs().eq(f64::INFINITY)).pick(x, sum).tensor
    })
}

/// `x log(y)`, and 0 where `x` is.
pub(crate) fn xlogy(b: &mut Builder, a: &Args) -> Rewrite {
    binary(b, a, ["self", "other"], |x, y| times_log(x, y, y.log()))
}

/// `x log(1 + y)`, and 0 where `x` is.
pub(crate) fn xlog1py(b: &mut Builder, a: &Args) -> Rewrite {
    binary(b, a, ["self", "other"], |x, y| times_log(x, y, y.log1p()))
}

fn times_log<'f, 'b>(x: Term<'f, 'b>, y: Term<'f, 'b>, log: Term<'f, 'b>) -> Tensor {
    let product = x.eq(0.0).pick_number(0.0, x * log);
    y.is_nan().pick_number(f64::NAN, product).tensor
}

/// `-x log(x)`, 0 at 0, −∞ below.
pub(crate) fn entr(b: &mut Builder, a: &Args) -> Rewrite {
    unary(b, a, "self", |x| {
        let value = -(x * x.log());
        let value = x.eq(0.0).pick_number(0.0, value);
        x.lt(0.0).pick_number(f64::NEG_INFINITY, value).tensor
    })
}

/// The logarithm of the odds of a probability, which is first kept `eps` away from 0 and 1.
pub(crate) fn logit(b: &mut Builder, a: &Args) -> Rewrite {
    let eps = a.opt_float("eps")?;
    unary(b, a, "self", |x| {
        let x = match eps {
            Some(eps) => {
                let below = x.gt(1.0 - eps).pick_number(1.0 - eps, x);
                x.lt(eps).pick_number(eps, below)
            }
            None => x,
        };
        (x / (1.0 - x)).log().tensor
    })
}

pub(crate) fn logit_backward(b: &mut Builder, a: &Args) -> Rewrite {
    let eps = a.opt_float("eps")?;
    let f = Formula::new(b);
    let (grad, x) = (f.operand(a, "grad_output")?, f.operand(a, "self")?);
    let slope = grad / (x * (1.0 - x));
    let (low, high) = eps.map_or((0.0, 1.0), |eps| (eps, 1.0 - eps));
    let outside = x.lt(low) | x.gt(high);
    Ok(outside.pick_number(if eps.is_some() { 0.0 } else { f64::NAN }, slope).tensor)
}

pub(crate) fn sinc(b: &mut Builder, a: &Args) -> Rewrite {
    unary(b, a, "self", |x| {
        let angle = x * PI;
        x.eq(0.0).pick_number(1.0, angle.sin() / angle).tensor
    })
}

/// One operand times a number.
pub(crate) fn scaled(b: &mut Builder, a: &Args, factor: f64) -> Rewrite {
    unary(b, a, "self", |x| (x * factor).tensor)
}

pub(crate) fn frac(b: &mut Builder, a: &Args) -> Rewrite {
    unary(b, a, "self", |x| (x - x.trunc()).tensor)
}

/// `op` of the two; where one is NaN, the other.
pub(crate) fn numeric(b: &mut Builder, a: &Args, op: Pointwise) -> Rewrite {
    if !a.compute()?.is_float() {
        return super::pointwise::map(b, op, a);
    }
    binary(b, a, ["self", "other"], |x, y| {
        let both = x.with(op, y);
        let value = y.is_nan().pick(x, both);
        x.is_nan().pick(y, value).tensor
    })
}

/// 0 below 0 and on NaN, `values` at 0, 1 above.
pub(crate) fn heaviside(b: &mut Builder, a: &Args) -> Rewrite {
    binary(b, a, ["self", "values"], |x, at_zero| {
        let step = x.gt(0.0).pick_number(1.0, x.number(0.0));
        x.eq(0.0).pick(at_zero, step).tensor
    })
}

/// Tests of elements: equal to ±∞, or finite, as integers are.
pub(crate) fn compared(b: &mut Builder, a: &Args, op: Pointwise, limit: f64, magnitude: bool) -> Rewrite {
    let x = a.tensor("self")?;
    let dtype = b.dtype(x).compute();
    if !dtype.is_float() {
        let sizes = a.result()?.sizes.clone();
        return Ok(b.full(f64::from(u8::from(magnitude)), DType::Bool, &sizes));
    }
    let x = b.convert(x, dtype);
    let f = Formula::new(b);
    let x = f.term(x);
    let x = if magnitude { x.abs() } else { x };
    Ok(x.with(op, limit).tensor)
}

/// `beta * self + alpha * (vec1 ⊗ vec2)`, without `self` where `beta` is 0.
pub(crate) fn addr(b: &mut Builder, a: &Args) -> Rewrite {
    let (alpha, beta) = (a.float("alpha")?, a.float("beta")?);
    let (x, u, v) = (a.operand(b, "self")?, a.operand(b, "vec1")?, a.operand(b, "vec2")?);
    if !b.dtype(u).is_float() {
        return unsupported("integers");
    }
    let (u, v) = (b.unsqueeze(u, 1), b.unsqueeze(v, 0));
    let dtype = a.result()?.dtype;
    let f = Formula::new(b);
    // Eager computes in the type of the tensors.
    let scaled = |x: Tensor, factor: f64| {
        let x = f.term(x);
        if factor == 1.0 { x } else { (x * x.number(factor).rounded(dtype)).rounded(dtype) }
    };
    let outer = (scaled(u, alpha) * f.term(v)).rounded(dtype);
    Ok(if beta == 0.0 { outer } else { scaled(x, beta) + outer }.tensor)
}

/// Rounded to a number of decimals, to even where it lies in the middle.
pub(crate) fn round_decimals(b: &mut Builder, a: &Args) -> Rewrite {
    let (x, decimals) = (a.tensor("self")?, a.int("decimals")?);
    // Half floats are rounded at every step.
    if !matches!(b.dtype(x), DType::F32 | DType::F64) || decimals.unsigned_abs() > 10 {
        return unsupported("decimals of this dtype");
    }
    let scale = 10f64.powi(decimals.unsigned_abs() as i32);
    let f = Formula::new(b);
    let x = f.term(x);
    let scaled = if decimals < 0 { x / scale } else { x * scale };
    let rounded = scaled.map(Pointwise::Round);
    Ok(if decimals < 0 { rounded * scale } else { rounded / scale }.tensor)
}

/// Tests of elements: a number, or none.
pub(crate) fn is_number(b: &mut Builder, a: &Args) -> Rewrite {
    let operands = [a.number_or_tensor("elements")?, a.number_or_tensor("test_element")?];
    let [Some(elements), Some(number)] = operands else { return unsupported("nothing to compare") };
    let dtype = promote(b, &[elements, number]).compute();
    let [x, y] = [elements, number].map(|operand| operand_tensor(b, operand, dtype));
    Ok(b.map(if a.bool("invert")? { Pointwise::Ne } else { Pointwise::Eq }, &[x, y]))
}

/// The standard normal distribution's cumulative one.
pub(crate) fn ndtr(b: &mut Builder, a: &Args) -> Rewrite {
    unary(b, a, "self", |x| ((-x * std::f64::consts::FRAC_1_SQRT_2).erfc() * 0.5).tensor)
}

/// π below 0, else 0; NaN stays.
pub(crate) fn angle(b: &mut Builder, a: &Args) -> Rewrite {
    unary(b, a, "self", |x| {
        let half_turn = x.lt(0.0).pick(x.number(PI), 0.0);
        x.is_nan().pick(x, half_turn).tensor
    })
}
