//! Random numbers in the place of a tensor's elements, or with parameters that tensors hold.

use super::{
    Rule,
    call::{Call, Result, tuple},
    create::created,
    promote::DEFAULT_FLOAT,
};
use crate::aten::Packet;
use symshapes::{DType, DTypeClass, DeviceKind, Expr, TensorMeta};

/// The rules of this family.
pub(super) const RULES: &[(Packet, Rule)] = &[
    (Packet::cauchy, |c| in_place_of(c, &[Bound::Above("sigma", 0.0)])),
    (Packet::exponential, |c| in_place_of(c, &[Bound::Above("lambd", 0.0)])),
    (Packet::geometric, |c| in_place_of(c, &[Bound::Above("p", 0.0), Bound::Below("p", 1.0)])),
    (Packet::log_normal, |c| in_place_of(c, &[Bound::Above("std", 0.0)])),
    (Packet::normal_functional, |c| in_place_of(c, &[Bound::AtLeast("std", 0.0)])),
    (Packet::uniform, |c| {
        let from = c.float("from")?;
        in_place_of(c, &[Bound::AtLeast("to", from)])
    }),
    (Packet::random, integers),
    (Packet::poisson, |c| {
        let rates = c.tensor("self")?;
        c.fits(rates.dtype.is_float().then_some(()))?;
        Ok(c.contiguous(rates, rates.dtype, rates.sizes.clone()).into())
    }),
    (Packet::_standard_gamma, by_parameters),
    (Packet::_sample_dirichlet, by_parameters),
    (Packet::binomial, binomial),
    (Packet::multinomial, multinomial),
    (Packet::normal, normal),
    (Packet::rrelu_with_noise_functional, leaky_with_noise),
];

/// A bound of a number among the arguments.
enum Bound {
    Above(&'static str, f64),
    AtLeast(&'static str, f64),
    Below(&'static str, f64),
}

impl Bound {
    fn holds(&self, c: &Call) -> Result<bool> {
        Ok(match *self {
            Bound::Above(name, bound) => c.float(name)? > bound,
            Bound::AtLeast(name, bound) => c.float(name)? >= bound,
            Bound::Below(name, bound) => c.float(name)? < bound,
        })
    }
}

/// Numbers that are drawn into a copy of the operand. All distributions but one are of floats alone.
fn in_place_of(c: &mut Call, bounds: &[Bound]) -> Result {
    let x = c.tensor("self")?;
    let takes_integers = c.op().packet() == Packet::geometric && x.dtype != DType::Bool;
    if !x.dtype.is_float() && !takes_integers {
        return Err(c.rejected("elements that the distribution does not have"));
    }
    for bound in bounds {
        if !bound.holds(c)? {
            return Err(c.rejected("a parameter out of its range"));
        }
    }
    Ok(c.preserved(x, x.dtype)?.into())
}

/// Whole numbers within bounds, which the type of the elements has to hold.
fn integers(c: &mut Call) -> Result {
    let x = c.tensor("self")?;
    let from = if c.has("from") { c.int("from")? } else { 0 };
    let to = if c.has("to") { c.opt_int("to")? } else { None };
    let (least, most) = held(x.dtype);
    if from >= to.unwrap_or(most) {
        return Err(c.rejected("bounds that are not in order"));
    }
    if from < least || to.is_some_and(|to| to - 1 > most) {
        return Err(c.unsupported("bounds that the elements may not hold"));
    }
    Ok(c.preserved(x, x.dtype)?.into())
}

/// Bounds of whole numbers that elements hold, if not the narrowest.
fn held(dtype: DType) -> (i64, i64) {
    match dtype {
        DType::Bool => (0, 1),
        DType::U8 => (0, u8::MAX.into()),
        DType::I8 => (i8::MIN.into(), i8::MAX.into()),
        DType::I16 => (i16::MIN.into(), i16::MAX.into()),
        DType::I64 => (i64::MIN, i64::MAX),
        DType::F16 => (-65504, 65504),
        _ => (i32::MIN.into(), i32::MAX.into()),
    }
}

/// Numbers with parameters that are given element by element, for wide floats of the processor.
fn by_parameters(c: &mut Call) -> Result {
    let x = c.tensor("self")?;
    of_wide_floats(c, x)?;
    Ok(c.contiguous(x, x.dtype, x.sizes.clone()).into())
}

fn of_wide_floats(c: &Call, x: &TensorMeta) -> Result<()> {
    let is_known = matches!(x.dtype, DType::F32 | DType::F64) && x.device.kind == DeviceKind::Cpu;
    if is_known { Ok(()) } else { Err(c.unsupported("elements of other types, or a device")) }
}

fn binomial(c: &mut Call) -> Result {
    let (count, prob) = (c.tensor("count")?, c.tensor("prob")?);
    of_wide_floats(c, count)?;
    c.one_dtype(count, prob)?;
    if c.broadcast(&[&count.sizes, &prob.sizes])? != count.sizes {
        return Err(c.unsupported("counts that are broadcast"));
    }
    Ok(c.contiguous(count, count.dtype, count.sizes.clone()).into())
}

/// Positions among weights, which stand in the last dimension.
fn multinomial(c: &mut Call) -> Result {
    let (weights, count) = (c.tensor("self")?, c.expr("num_samples")?);
    let (rows, choices) = match weights.sizes[..] {
        [choices] => (Vec::new(), choices),
        [rows, choices] => (vec![rows], choices),
        _ => return c.fits(None),
    };
    if !weights.dtype.is_float() || choices == Expr::ZERO {
        return Err(c.rejected("weights that are no floats, or none"));
    }
    let most = c.pool.int(1 << 24);
    c.demand_at_most(Expr::ONE, count)?;
    c.demand_at_most(choices, most)?;
    if !c.bool("replacement")? {
        c.demand_at_most(count, choices)?;
    }
    Ok(c.contiguous(weights, DType::I64, [rows, vec![count]].concat()).into())
}

/// Normal numbers, whose type is that of the means if these are a tensor.
fn normal(c: &mut Call) -> Result {
    let (mean, std) = (c.opt_tensor("mean")?, c.opt_tensor("std")?);
    let of_floats =
        |dtype: DType| if dtype.is_float() { Ok(()) } else { Err(c.unsupported("elements that are no floats")) };
    if std.is_none() && !Bound::AtLeast("std", 0.0).holds(c)? {
        return Err(c.rejected("a negative deviation"));
    }
    let Some(like) = mean.or(std) else {
        of_floats(c.dtype()?.unwrap_or(DEFAULT_FLOAT))?;
        let sizes = c.exprs("size")?;
        sizes.iter().try_for_each(|&size| c.demand_at_most(Expr::ZERO, size))?;
        return created(c, sizes, DEFAULT_FLOAT);
    };
    of_floats(like.dtype)?;
    let given: Vec<&[Expr]> = [mean, std].into_iter().flatten().map(|t| &t.sizes[..]).collect();
    let sizes = c.broadcast(&given)?;
    Ok(c.contiguous(like, like.dtype, sizes).into())
}

/// Elements of which the negative ones are multiplied by random numbers, and those numbers, which autograd does not
/// follow.
fn leaky_with_noise(c: &mut Call) -> Result {
    let (x, noise) = (c.tensor("self")?, c.tensor("noise")?);
    c.demand_sizes("noise", &x.sizes)?;
    if !x.dtype.is_float() || noise.dtype.class() == DTypeClass::Complex {
        return Err(c.rejected("elements that are no floats"));
    }
    let draws = c.bool("training")?;
    if x.device.kind != DeviceKind::Cpu || (draws && (x.dtype == DType::F16 || noise.dtype != x.dtype)) {
        return Err(c.unsupported("halves, noise of another type, or a device"));
    }
    let (out, noise) = (c.preserved(x, x.dtype)?, c.preserved(noise, noise.dtype)?);
    let out = TensorMeta { requires_grad: x.requires_grad, ..out };
    Ok(tuple([out, TensorMeta { requires_grad: false, ..noise }]))
}
