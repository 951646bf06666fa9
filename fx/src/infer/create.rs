//! Tensors from sizes and numbers, and tensors like others.

use super::{
    Rule,
    call::{Call, Result},
    pointwise::number_class,
    promote::{DEFAULT_FLOAT, number_dtype},
    strides,
};
use crate::aten::Aten;
use crate::aten::Packet;
use crate::graph::Meta;
use symshapes::{DType, DTypeClass, Device, Expr, TensorMeta};

/// The rules of this family.
pub(super) const RULES: &[(Packet, Rule)] = &[
    (Packet::full, full),
    (Packet::zeros, sized),
    (Packet::ones, sized),
    (Packet::empty, sized),
    (Packet::rand, sized),
    (Packet::randn, sized),
    (Packet::randint, sized),
    (Packet::empty_permuted, |c| {
        let (sizes, order) = (c.exprs("size")?, c.ints("physical_layout")?);
        let strides = strides::in_order(&mut c.pool, &sizes, order.into_iter().rev().map(|d| d as usize));
        let made = created(c, sizes, DEFAULT_FLOAT)?;
        Ok(if let Meta::Tensor(t) = made { TensorMeta { strides, ..t }.into() } else { made })
    }),
    (Packet::empty_strided, strided),
    (Packet::new_empty_strided, strided),
    (Packet::new_full, new),
    (Packet::new_zeros, new),
    (Packet::new_ones, new),
    (Packet::new_empty, new),
    (Packet::full_like, like),
    (Packet::zeros_like, like),
    (Packet::ones_like, like),
    (Packet::empty_like, like),
    (Packet::rand_like, like),
    (Packet::randn_like, like),
    (Packet::randint_like, like),
    (Packet::bernoulli, like),
    (Packet::_philox_uniform, like),
    (Packet::fill, filled),
    (Packet::scalar_tensor, |c| created(c, Vec::new(), DEFAULT_FLOAT)),
    (Packet::arange, arange),
    (Packet::randperm, |c| {
        let n = c.expr("n")?;
        created(c, vec![n], DType::I64)
    }),
    (Packet::linspace, spaced),
    (Packet::logspace, spaced),
    (Packet::range, range),
    (Packet::eye, |c| {
        let rows = c.expr("n")?;
        let columns = if c.has("m") { c.expr("m")? } else { rows };
        created(c, vec![rows, columns], DEFAULT_FLOAT)
    }),
    (Packet::sym_size, |c| extent(c, Aten::sym_size_int, |x| &x.sizes)),
    (Packet::sym_stride, |c| extent(c, Aten::sym_stride_int, |x| &x.strides)),
    (Packet::sym_numel, |c| {
        let x = c.tensor("self")?;
        Ok(Meta::Int(strides::numel(&mut c.pool, &x.sizes)))
    }),
];

/// The size or stride of one dimension, which one overload gives.
fn extent(c: &mut Call, of_one: Aten, extents: impl Fn(&TensorMeta) -> &[Expr]) -> Result {
    if c.op() != of_one {
        return Err(c.unsupported("all dimensions at once"));
    }
    let x = c.tensor("self")?;
    let dim = c.dim("dim", x.sizes.len())?;
    Ok(Meta::Int(*c.fits(extents(x).get(dim))?))
}

/// A tensor of these sizes with the dtype and device that the call names.
pub(super) fn created(c: &mut Call, sizes: Vec<Expr>, dtype: DType) -> Result {
    let (dtype, device) = (c.dtype()?.unwrap_or(dtype), c.opt_device("device")?.unwrap_or(Device::CPU));
    Ok(c.fresh(dtype, device, sizes).into())
}

fn sized(c: &mut Call) -> Result {
    let sizes = c.exprs("size")?;
    created(c, sizes, DEFAULT_FLOAT)
}

fn full(c: &mut Call) -> Result {
    let sizes = c.exprs("size")?;
    let dtype = number_dtype(number_class(c, "fill_value")?);
    created(c, sizes, dtype)
}

fn strided(c: &mut Call) -> Result {
    let (sizes, strides) = (c.exprs("size")?, c.exprs("stride")?);
    let model = c.opt_tensor("self")?;
    let dtype = c.dtype()?.or(model.map(|m| m.dtype)).unwrap_or(DEFAULT_FLOAT);
    let device = c.opt_device("device")?.or(model.map(|m| m.device)).unwrap_or(Device::CPU);
    Ok(TensorMeta { strides, ..c.fresh(dtype, device, sizes) }.into())
}

fn new(c: &mut Call) -> Result {
    let (model, sizes) = (c.tensor("self")?, c.exprs("size")?);
    let (dtype, device) = (c.dtype()?.unwrap_or(model.dtype), c.opt_device("device")?.unwrap_or(model.device));
    Ok(c.fresh(dtype, device, sizes).into())
}

fn like(c: &mut Call) -> Result {
    let model = c.tensor("self")?;
    let dtype = c.dtype()?.unwrap_or(model.dtype);
    let device = if c.has("device") { c.opt_device("device")? } else { None }.unwrap_or(model.device);
    let made = c.formatted(model, dtype)?;
    Ok(TensorMeta { device, requires_grad: false, ..made }.into())
}

/// The operand's elements are overwritten, but autograd follows it.
fn filled(c: &mut Call) -> Result {
    let model = c.tensor("self")?;
    Ok(c.formatted(model, model.dtype)?.into())
}

/// The number of steps from `start` to `end`, in whole numbers where all are.
fn arange(c: &mut Call) -> Result {
    let names = ["start", "end", "step"];
    let classes = names.iter().filter(|n| c.has(n)).map(|n| number_class(c, n)).collect::<Result<Vec<_>>>()?;
    let whole = classes.iter().all(|&class| class <= DTypeClass::Int);
    let bounds = [("start", 0.0), ("end", 0.0), ("step", 1.0)].map(|(name, usual)| match c.has(name) {
        true => c.get(name).as_float(),
        false => Some(usual),
    });
    if let [Some(start), Some(end), Some(step)] = bounds
        && (step == 0.0 || (end - start) * step.signum() < 0.0)
    {
        return Err(c.rejected("bounds against the sign of the step"));
    }
    let count = if whole { whole_steps(c)? } else { float_steps(c, bounds)? };
    let dtype = if whole { DType::I64 } else { DEFAULT_FLOAT };
    created(c, vec![count], dtype)
}

fn whole_steps(c: &mut Call) -> Result<Expr> {
    let start = if c.has("start") { c.expr("start")? } else { c.pool.int(0) };
    let (end, step) = (c.expr("end")?, if c.has("step") { c.expr("step")? } else { c.pool.int(1) });
    let span = c.pool.sub(end, start);
    let (steps, zero) = (c.pool.ceil_div(span, step), c.pool.int(0));
    Ok(c.pool.max(steps, zero))
}

fn float_steps(c: &mut Call, bounds: [Option<f64>; 3]) -> Result<Expr> {
    let [Some(start), Some(end), Some(step)] = bounds else { return Err(c.undecided("the number of steps")) };
    Ok(c.pool.int(((end - start) / step).ceil().max(0.0) as i64))
}

/// Numbers at equal distances, or their powers, between two numbers, which may stand in tensors.
fn spaced(c: &mut Call) -> Result {
    let mut requires_grad = false;
    for name in ["start", "end"] {
        let bound = c.opt_tensor(name)?;
        c.fits(bound.is_none_or(|t| t.sizes.is_empty()).then_some(()))?;
        let class = bound.map_or_else(|| number_class(c, name), |t| Ok(t.dtype.class()))?;
        if class == DTypeClass::Complex {
            return Err(c.unsupported("complex numbers"));
        }
        requires_grad |= bound.is_some_and(|t| t.requires_grad);
    }
    if c.dtype()? == Some(DType::Bool) {
        return Err(c.unsupported("steps between truth values"));
    }
    let steps = c.expr("steps")?;
    c.demand_at_most(Expr::ZERO, steps)?;
    let made = created(c, vec![steps], DEFAULT_FLOAT)?;
    let Meta::Tensor(t) = made else { return Ok(made) };
    Ok(TensorMeta { requires_grad: requires_grad && t.dtype.class() >= DTypeClass::Float, ..t }.into())
}

/// The number of steps from `start` to `end`, the end included.
fn range(c: &mut Call) -> Result {
    let dtype = c.dtype()?.unwrap_or(DEFAULT_FLOAT);
    if matches!(dtype.class(), DTypeClass::Bool | DTypeClass::Complex) {
        return Err(c.rejected("a range of such elements"));
    }
    let names: Vec<&str> = ["start", "end", "step"].into_iter().filter(|name| c.has(name)).collect();
    let mut bounds = [0.0, 0.0, 1.0];
    for (&name, bound) in names.iter().zip(&mut bounds) {
        if dtype.is_int() && number_class(c, name)? > DTypeClass::Int {
            return Err(c.unsupported("whole steps between numbers that are not"));
        }
        *bound = c.get(name).as_float().ok_or_else(|| c.undecided("the number of steps"))?;
    }
    if matches!(dtype, DType::F16 | DType::BF16) && bounds.iter().any(|bound| bound.fract() != 0.0) {
        return Err(c.unsupported("steps of halves, which are counted in fewer digits"));
    }
    let [start, end, step] = bounds;
    let count = ((end - start) / step).floor() + 1.0;
    if step == 0.0 || count < 1.0 || !count.is_finite() {
        return Err(c.rejected("bounds against the sign of the step"));
    }
    let count = c.pool.int(count as i64);
    created(c, vec![count], dtype)
}
