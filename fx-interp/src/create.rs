//! Tensors from nothing but sizes and numbers.

use super::{
    Rule, Tensor, Value,
    call::{Call, Result},
};
use fx::aten::{Aten, Packet};
use fx::{arg::Arg, infer::promote::DEFAULT_FLOAT, scalar::Scalar};
use symshapes::DType;

/// The rules of this family. What `empty` leaves undefined is zero here.
pub(super) const RULES: &[(Packet, Rule)] = &[
    (Packet::full, |c| filled(c, c.scalar("fill_value")?)),
    (Packet::zeros, |c| filled(c, Scalar::Int(0))),
    (Packet::ones, |c| filled(c, Scalar::Int(1))),
    (Packet::empty, |c| filled(c, Scalar::Int(0))),
    (Packet::empty_strided, |c| filled(c, Scalar::Int(0))),
    (Packet::new_full, |c| filled(c, c.scalar("fill_value")?)),
    (Packet::new_zeros, |c| filled(c, Scalar::Int(0))),
    (Packet::new_ones, |c| filled(c, Scalar::Int(1))),
    (Packet::new_empty, |c| filled(c, Scalar::Int(0))),
    (Packet::new_empty_strided, |c| filled(c, Scalar::Int(0))),
    (Packet::full_like, |c| like(c, c.scalar("fill_value")?)),
    (Packet::zeros_like, |c| like(c, Scalar::Int(0))),
    (Packet::ones_like, |c| like(c, Scalar::Int(1))),
    (Packet::empty_like, |c| like(c, Scalar::Int(0))),
    (Packet::fill, fill),
    (Packet::scalar_tensor, |c| Ok(Tensor::full(c.dtype()?.unwrap_or(DEFAULT_FLOAT), &[], c.scalar("s")?).into())),
    (Packet::arange, arange),
    (Packet::sym_size, |c| {
        if c.op() != Aten::sym_size_int {
            return Err(c.unsupported("all dimensions at once"));
        }
        let x = c.tensor("self")?;
        let size = *c.fits(x.sizes().get(c.dim("dim", x.rank())?))?;
        Ok(Value::Plain(Arg::Int(size as i64)))
    }),
    (Packet::sym_numel, |c| Ok(Value::Plain(Arg::Int(c.tensor("self")?.numel() as i64)))),
    (Packet::empty_permuted, |c| filled(c, Scalar::Int(0))),
    (Packet::linspace, linspace),
    (Packet::eye, eye),
];

/// The dtype that a fill value has by itself in `full`.
fn of_value(arg: &Arg) -> DType {
    match arg {
        Arg::Bool(_) => DType::Bool,
        Arg::Int(_) => DType::I64,
        _ => DEFAULT_FLOAT,
    }
}

fn filled(c: &Call, value: Scalar) -> Result {
    let dtype = match (c.dtype()?, c.opt_tensor("self")) {
        (Some(dtype), _) => dtype,
        (None, Some(model)) => model.dtype(),
        (None, None) if c.has("fill_value") => of_value(c.get("fill_value")),
        (None, None) => DEFAULT_FLOAT,
    };
    Ok(Tensor::full(dtype, &c.sizes("size")?, value).into())
}

fn like(c: &Call, value: Scalar) -> Result {
    let model = c.tensor("self")?;
    Ok(Tensor::full(c.dtype()?.unwrap_or(model.dtype()), model.sizes(), value).into())
}

fn fill(c: &Call) -> Result {
    let x = c.tensor("self")?;
    let value = match c.opt_tensor("value") {
        Some(value) => c.fits(value.values().next())?,
        None => c.scalar("value")?,
    };
    Ok(Tensor::full(x.dtype(), x.sizes(), value).into())
}

fn arange(c: &Call) -> Result {
    let start = c.opt_scalar("start").unwrap_or(Scalar::Int(0));
    let step = c.opt_scalar("step").unwrap_or(Scalar::Int(1));
    let end = c.scalar("end")?;
    let ints = [start, end, step].iter().all(|s| matches!(s, Scalar::Int(_)));
    let dtype = c.dtype()?.unwrap_or(if ints { DType::I64 } else { DEFAULT_FLOAT });
    let count = ((end.as_f64() - start.as_f64()) / step.as_f64()).ceil();
    if !(0.0..1e9).contains(&count) {
        return Err(c.unsupported("bounds that the step does not lead between"));
    }
    let value = |i: usize| match (start, step) {
        (Scalar::Int(start), Scalar::Int(step)) => Scalar::Int(start + i as i64 * step),
        (start, step) => Scalar::Float(start.as_f64() + i as f64 * step.as_f64()),
    };
    Ok(Tensor::from_fn(dtype, &[count as usize], |i| value(i[0])).into())
}

fn linspace(c: &Call) -> Result {
    let (start, end) = (c.scalar("start")?.as_f64(), c.scalar("end")?.as_f64());
    let steps = c.fits(usize::try_from(c.int("steps")?).ok())?;
    let step = if steps > 1 { (end - start) / (steps - 1) as f64 } else { 0.0 };
    let value = |i: usize| if 2 * i < steps { start + step * i as f64 } else { end - step * (steps - 1 - i) as f64 };
    let dtype = c.dtype()?.unwrap_or(DEFAULT_FLOAT);
    Ok(Tensor::from_fn(dtype, &[steps], |i| if steps == 1 { start } else { value(i[0]) }.into()).into())
}

fn eye(c: &Call) -> Result {
    let rows = c.fits(usize::try_from(c.int("n")?).ok())?;
    let columns = if c.has("m") { c.fits(usize::try_from(c.int("m")?).ok())? } else { rows };
    let dtype = c.dtype()?.unwrap_or(DEFAULT_FLOAT);
    Ok(Tensor::from_fn(dtype, &[rows, columns], |i| (i[0] == i[1]).into()).into())
}
