//! Reductions, scans and orderings along dimensions. Sums of floats are accumulated in `float64`.

use super::{
    Rule, Tensor, Value,
    call::{Call, Result, tuple},
    pointwise, scalar,
};
use fx::aten::Packet;
use fx::{prim::Pointwise, scalar::Scalar};
use symshapes::DType;

/// The rules of this family.
pub(super) const RULES: &[(Packet, Rule)] = &[
    (Packet::sum, |c| reduce(c, c.dtype()?.unwrap_or(counted(c)?), sum)),
    (Packet::prod, |c| reduce(c, c.dtype()?.unwrap_or(counted(c)?), product)),
    (Packet::mean, |c| reduce(c, c.dtype()?.unwrap_or(c.tensor("self")?.dtype()), mean)),
    (Packet::amax, |c| reduce(c, c.tensor("self")?.dtype(), |v| extreme(v, Pointwise::Maximum))),
    (Packet::amin, |c| reduce(c, c.tensor("self")?.dtype(), |v| extreme(v, Pointwise::Minimum))),
    (Packet::any, |c| reduce(c, DType::Bool, |v| v.iter().any(|s| s.as_bool()).into())),
    (Packet::all, |c| reduce(c, DType::Bool, |v| v.iter().all(|s| s.as_bool()).into())),
    (Packet::count_nonzero, |c| {
        reduce(c, DType::I64, |v| Scalar::Int(v.iter().filter(|s| s.as_bool()).count() as i64))
    }),
    (Packet::logsumexp, |c| reduce(c, c.tensor("self")?.dtype(), logsumexp)),
    (Packet::linalg_vector_norm, vector_norm),
    (Packet::var, |c| Ok(moments(c)?.0.into())),
    (Packet::std, |c| Ok(roots(&moments(c)?.0).into())),
    (Packet::var_mean, |c| moments(c).map(|(var, mean)| tuple([var, mean]))),
    (Packet::std_mean, |c| moments(c).map(|(var, mean)| tuple([roots(&var), mean]))),
    (Packet::argmax, |c| arg_extreme(c, Pointwise::Gt)),
    (Packet::argmin, |c| arg_extreme(c, Pointwise::Lt)),
    (Packet::max, |c| max_min(c, Pointwise::Gt)),
    (Packet::min, |c| max_min(c, Pointwise::Lt)),
    (Packet::cumsum, |c| scan(c, Pointwise::Add)),
    (Packet::cumprod, |c| scan(c, Pointwise::Mul)),
    (Packet::sort, |c| ordered(c, None, c.bool("descending")?)),
    (Packet::topk, |c| ordered(c, Some(c.int("k")?), c.bool("largest")?)),
];

/// The dtype in which integers and bool are counted together.
fn counted(c: &Call) -> Result<DType> {
    let dtype = c.tensor("self")?.dtype();
    Ok(if dtype.is_float() { dtype } else { DType::I64 })
}

/// The lanes of `x` along `dims`: for each index of the rest (in which `dims` have size 1), the elements in order.
pub(super) struct Lanes {
    /// The sizes with those of the reduced dimensions replaced by 1.
    pub(super) kept: Vec<usize>,
    /// The sizes without the reduced dimensions.
    pub(super) squeezed: Vec<usize>,
    /// The lanes in row-major order of `kept`.
    pub(super) lanes: Vec<Vec<Scalar>>,
}

pub(super) fn lanes(x: &Tensor, dims: &[usize]) -> Lanes {
    let kept: Vec<usize> = x.sizes().iter().enumerate().map(|(d, &s)| if dims.contains(&d) { 1 } else { s }).collect();
    let squeezed = x.sizes().iter().enumerate().filter(|(d, _)| !dims.contains(d)).map(|(_, &s)| s).collect();
    let mut lanes = vec![Vec::new(); kept.iter().product()];
    for (index, value) in super::tensor::indices(x.sizes()).zip(x.values()) {
        let lane = index.iter().zip(&kept).fold(0, |at, (&i, &k)| at * k + if k == 1 { 0 } else { i });
        lanes[lane].push(value);
    }
    Lanes { kept, squeezed, lanes }
}

impl Lanes {
    /// One value for each lane as a tensor.
    pub(super) fn tensor(&self, c: &Call, dtype: DType, keepdim: bool, values: Vec<Scalar>) -> Result<Tensor> {
        c.fits(Tensor::from_values(dtype, if keepdim { &self.kept } else { &self.squeezed }, values))
    }
}

fn keepdim(c: &Call) -> Result<bool> {
    Ok(c.has("keepdim") && c.bool("keepdim")?)
}

/// Reduces the dimensions that the call names (all, where it names none) by `f`, from operands of the result's dtype.
fn reduce(c: &Call, dtype: DType, f: fn(&[Scalar]) -> Scalar) -> Result {
    let x = c.tensor("self")?;
    let x = if dtype == DType::Bool || c.op().packet() == Packet::count_nonzero { x.clone() } else { x.to(dtype) };
    let lanes = lanes(&x, &c.dims("dim", x.rank())?);
    let values = lanes.lanes.iter().map(|lane| f(lane)).collect();
    Ok(lanes.tensor(c, dtype, keepdim(c)?, values)?.into())
}

fn sum(values: &[Scalar]) -> Scalar {
    match values.first() {
        Some(Scalar::Float(_)) => Scalar::Float(values.iter().map(|v| v.as_f64()).sum()),
        _ => Scalar::Int(values.iter().fold(0, |a, v| a.wrapping_add(v.as_i64()))),
    }
}

fn product(values: &[Scalar]) -> Scalar {
    match values.first() {
        Some(Scalar::Float(_)) => Scalar::Float(values.iter().map(|v| v.as_f64()).product()),
        _ => Scalar::Int(values.iter().fold(1, |a, v| a.wrapping_mul(v.as_i64()))),
    }
}

fn mean(values: &[Scalar]) -> Scalar {
    Scalar::Float(values.iter().map(|v| v.as_f64()).sum::<f64>() / values.len() as f64)
}

/// The greatest or least; NaN wins. An empty lane, which torch rejects, gives NaN.
fn extreme(values: &[Scalar], op: Pointwise) -> Scalar {
    let dtype = if matches!(values.first(), Some(Scalar::Int(_))) { DType::I64 } else { DType::F64 };
    let best = values.iter().copied().reduce(|a, b| scalar::pointwise(op, dtype, &[a, b]));
    best.unwrap_or(Scalar::Float(f64::NAN))
}

fn logsumexp(values: &[Scalar]) -> Scalar {
    let max = extreme(values, Pointwise::Maximum).as_f64();
    let shift = if max.is_finite() { max } else { 0.0 };
    Scalar::Float(values.iter().map(|v| (v.as_f64() - shift).exp()).sum::<f64>().ln() + shift)
}

fn vector_norm(c: &Call) -> Result {
    let (x, order) = (c.tensor("self")?, c.float("ord")?);
    let dtype = c.dtype()?.unwrap_or(x.dtype());
    let lanes = lanes(&x.to(dtype), &c.dims("dim", x.rank())?);
    let norm = |lane: &Vec<Scalar>| {
        let sizes = lane.iter().map(|v| v.as_f64().abs());
        match order {
            f64::INFINITY => sizes.fold(0.0, f64::max),
            f64::NEG_INFINITY => sizes.fold(f64::INFINITY, f64::min),
            0.0 => sizes.filter(|&s| s != 0.0).count() as f64,
            p => sizes.map(|s| s.powf(p)).sum::<f64>().powf(1.0 / p),
        }
    };
    let values = lanes.lanes.iter().map(|lane| norm(lane).into()).collect();
    Ok(lanes.tensor(c, dtype, keepdim(c)?, values)?.into())
}

/// Mean and sum of squared distances from it.
pub(super) fn mean_and_squares(values: &[Scalar]) -> (f64, f64) {
    let mean = values.iter().map(|v| v.as_f64()).sum::<f64>() / values.len() as f64;
    (mean, values.iter().map(|v| (v.as_f64() - mean).powi(2)).sum())
}

/// Variance and mean along the call's dimensions.
fn moments(c: &Call) -> Result<(Tensor, Tensor)> {
    let x = c.tensor("self")?;
    let correction = match (c.opt_scalar("correction"), c.has("unbiased")) {
        (Some(correction), _) => correction.as_f64(),
        (None, true) => f64::from(u8::from(c.bool("unbiased")?)),
        (None, false) => 1.0,
    };
    let lanes = lanes(x, &c.dims("dim", x.rank())?);
    let (mut vars, mut means) = (Vec::new(), Vec::new());
    for lane in &lanes.lanes {
        let (mean, squares) = mean_and_squares(lane);
        means.push(mean.into());
        vars.push((squares / (lane.len() as f64 - correction).max(0.0)).into());
    }
    let keep = keepdim(c)?;
    Ok((lanes.tensor(c, x.dtype(), keep, vars)?, lanes.tensor(c, x.dtype(), keep, means)?))
}

fn roots(x: &Tensor) -> Tensor {
    Tensor::from_fn(x.dtype(), x.sizes(), |i| x.float_at(i).sqrt().into())
}

/// Position of the first element that no other beats; the first NaN beats all.
fn best(values: &[Scalar], beats: Pointwise) -> usize {
    let better = |a: Scalar, b: Scalar| match (a, b) {
        (Scalar::Int(_), Scalar::Int(_)) => scalar::pointwise(beats, DType::I64, &[a, b]).as_bool(),
        _ if b.as_f64().is_nan() => false,
        _ => a.as_f64().is_nan() || scalar::pointwise(beats, DType::F64, &[a, b]).as_bool(),
    };
    (1..values.len()).fold(0, |best, i| if better(values[i], values[best]) { i } else { best })
}

fn arg_extreme(c: &Call, beats: Pointwise) -> Result {
    let x = c.tensor("self")?;
    let lanes = lanes(x, &c.dims("dim", x.rank())?);
    let values = lanes.lanes.iter().map(|lane| Scalar::Int(best(lane, beats) as i64)).collect();
    Ok(lanes.tensor(c, DType::I64, keepdim(c)?, values)?.into())
}

/// `max` and `min`: of all elements, along one dimension with positions, or of two tensors.
fn max_min(c: &Call, beats: Pointwise) -> Result {
    if c.has("other") {
        return pointwise::rule(c);
    }
    let x = c.tensor("self")?;
    let lanes = lanes(x, &c.dims("dim", x.rank())?);
    let at: Vec<usize> = lanes.lanes.iter().map(|lane| best(lane, beats)).collect();
    let values = lanes.lanes.iter().zip(&at).map(|(lane, &i)| c.fits(lane.get(i).copied()));
    let values = lanes.tensor(c, x.dtype(), keepdim(c)?, values.collect::<Result<_>>()?)?;
    if !c.has("dim") {
        return Ok(values.into());
    }
    let at = at.into_iter().map(|i| Scalar::Int(i as i64)).collect();
    Ok(tuple([values, lanes.tensor(c, DType::I64, keepdim(c)?, at)?]))
}

/// Replaces each lane along `dim` by as many values.
fn along(c: &Call, x: &Tensor, dim: usize, len: usize, dtype: DType, lanes: &[Vec<Scalar>]) -> Result<Tensor> {
    let mut sizes = x.sizes().to_vec();
    if let Some(size) = sizes.get_mut(dim) {
        *size = len;
    }
    let lane_of = |i: &[usize]| {
        i.iter().zip(&sizes).enumerate().fold(0, |at, (d, (&i, &s))| if d == dim { at } else { at * s + i })
    };
    let value = |i: &[usize]| lanes[lane_of(i)].get(i.get(dim).copied().unwrap_or(0)).copied();
    let values = super::tensor::indices(&sizes).map(|i| value(&i)).collect::<Option<Vec<_>>>();
    c.fits(Tensor::from_values(dtype, &sizes, c.fits(values)?))
}

fn scan(c: &Call, op: Pointwise) -> Result {
    let x = c.tensor("self")?;
    let dtype = c.dtype()?.unwrap_or(counted(c)?);
    let dim = c.dim("dim", x.rank())?;
    let wide = if dtype.is_float() { DType::F64 } else { dtype };
    let scanned = |lane: Vec<Scalar>| {
        let mut total = None;
        let step = |v: Scalar| {
            let next = total.map_or(v, |t| scalar::pointwise(op, wide, &[t, v]));
            total = Some(next);
            next
        };
        lane.into_iter().map(step).collect()
    };
    let lanes: Vec<Vec<Scalar>> = lanes(&x.to(dtype), &[dim]).lanes.into_iter().map(scanned).collect();
    let len = x.sizes().get(dim).copied().unwrap_or(1);
    Ok(along(c, x, dim, len, dtype, &lanes)?.into())
}

/// Values and positions in order, stable, NaN counting as the greatest; only the first `count` of them if given.
fn ordered(c: &Call, count: Option<i64>, descending: bool) -> Result<Value> {
    let x = c.tensor("self")?;
    let dim = c.dim("dim", x.rank())?;
    let size = x.sizes().get(dim).copied().unwrap_or(1);
    let len = count.map_or(Some(size), |n| usize::try_from(n).ok().filter(|&n| n <= size));
    let len = c.fits(len)?;
    let (mut values, mut positions) = (Vec::new(), Vec::new());
    for lane in lanes(x, &[dim]).lanes {
        let mut order: Vec<usize> = (0..lane.len()).collect();
        order.sort_by(|&a, &b| {
            let ascending = compare(lane[a], lane[b]);
            if descending { ascending.reverse() } else { ascending }
        });
        order.truncate(len);
        values.push(order.iter().map(|&i| lane[i]).collect());
        positions.push(order.iter().map(|&i| Scalar::Int(i as i64)).collect());
    }
    let values = along(c, x, dim, len, x.dtype(), &values)?;
    Ok(tuple([values, along(c, x, dim, len, DType::I64, &positions)?]))
}

fn compare(a: Scalar, b: Scalar) -> std::cmp::Ordering {
    match (a, b) {
        (Scalar::Int(a), Scalar::Int(b)) => a.cmp(&b),
        (a, b) => {
            let (a, b) = (a.as_f64(), b.as_f64());
            a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
        }
    }
}
