//! Matrix products and attention, accumulated in `float64` (integers wrap) and rounded once.

use super::{
    Rule, Tensor, Value,
    call::{Call, Result, tuple},
};
use fx::aten::Packet;
use fx::scalar::Scalar;
use symshapes::DType;

/// The rules of this family.
pub(super) const RULES: &[(Packet, Rule)] = &[
    (Packet::mm, |c| Ok(product(c, c.tensor("self")?, c.tensor("mat2")?)?.into())),
    (Packet::bmm, |c| Ok(product(c, c.tensor("self")?, c.tensor("mat2")?)?.into())),
    (Packet::mv, |c| Ok(product(c, c.tensor("self")?, c.tensor("vec")?)?.into())),
    (Packet::dot, |c| Ok(product(c, c.tensor("self")?, c.tensor("tensor")?)?.into())),
    (Packet::matmul, |c| Ok(product(c, c.tensor("self")?, c.tensor("other")?)?.into())),
    (Packet::addmm, |c| added(c, "mat1", "mat2")),
    (Packet::baddbmm, |c| added(c, "batch1", "batch2")),
    (Packet::addmv, |c| added(c, "mat", "vec")),
    (Packet::linear, linear),
    (Packet::scaled_dot_product_attention, |c| Ok(attention(c)?.0.into())),
    (Packet::_scaled_dot_product_flash_attention_for_cpu, |c| attention(c).map(|(out, lse)| tuple([out, lse]))),
    (Packet::_scaled_dot_product_flash_attention_for_cpu_backward, attention_backward),
];

/// Sum of products of two lanes.
fn inner(dtype: DType, pairs: impl Iterator<Item = (Scalar, Scalar)>) -> Scalar {
    if dtype.is_float() {
        Scalar::Float(pairs.map(|(a, b)| a.as_f64() * b.as_f64()).sum())
    } else {
        Scalar::Int(pairs.fold(0, |sum: i64, (a, b)| sum.wrapping_add(a.as_i64().wrapping_mul(b.as_i64()))))
    }
}

/// `torch.matmul`: vectors are rows on the left and columns on the right, leading dimensions broadcast.
fn product(c: &Call, a: &Tensor, b: &Tensor) -> Result<Tensor> {
    product_to(c, a, b, a.dtype())
}

/// The product rounded to `dtype` (`float64` keeps it exact for what is yet to be added).
fn product_to(c: &Call, a: &Tensor, b: &Tensor, dtype: DType) -> Result<Tensor> {
    let (row, column) = (a.rank() == 1, b.rank() == 1);
    let a = c.fits(if row { a.reshape(&[1, a.numel()]) } else { Some(a.clone()) })?;
    let b = c.fits(if column { b.reshape(&[b.numel(), 1]) } else { Some(b.clone()) })?;
    let ([a_batch @ .., m, k], [b_batch @ .., k2, n]) = (a.sizes(), b.sizes()) else { return c.fits(None) };
    let batch = c.fits(super::broadcast_sizes([a_batch, b_batch]).filter(|_| k == k2))?;
    let a = c.fits(a.broadcast(&[&batch[..], &[*m, *k]].concat()))?;
    let b = c.fits(b.broadcast(&[&batch[..], &[*k, *n]].concat()))?;
    let (a_values, b_values): (Vec<Scalar>, Vec<Scalar>) = (a.values().collect(), b.values().collect());
    let cell = |at: usize| {
        let (lead, i, j) = (at / (m * n), at / n % m, at % n);
        let left = &a_values[(lead * m + i) * k..][..*k];
        inner(a.dtype(), left.iter().enumerate().map(|(l, &x)| (x, b_values[(lead * k + l) * n + j])))
    };
    let count: usize = batch.iter().product::<usize>() * m * n;
    let mut sizes = batch.clone();
    sizes.extend((!row).then_some(m));
    sizes.extend((!column).then_some(n));
    c.fits(Tensor::from_values(dtype, &sizes, (0..count).map(cell)))
}

/// `beta * self + alpha * (a @ b)`; a `beta` of 0 ignores `self`, NaN and all.
fn added(c: &Call, a: &str, b: &str) -> Result {
    let bias = c.tensor("self")?;
    let (beta, alpha) = (c.scalar("beta")?, c.scalar("alpha")?);
    let wide = if bias.dtype().is_float() { DType::F64 } else { DType::I64 };
    let product = product_to(c, c.tensor(a)?, c.tensor(b)?, wide)?;
    let bias = c.fits(bias.broadcast(product.sizes()))?;
    let sum = |(p, s): (Scalar, Scalar)| match (p, s) {
        (Scalar::Int(p), Scalar::Int(s)) => {
            Scalar::Int(alpha.as_i64().wrapping_mul(p).wrapping_add(beta.as_i64().wrapping_mul(s)))
        }
        _ if beta.as_f64() == 0.0 => Scalar::Float(alpha.as_f64() * p.as_f64()),
        _ => Scalar::Float(alpha.as_f64() * p.as_f64() + beta.as_f64() * s.as_f64()),
    };
    let values = product.values().zip(bias.values()).map(sum);
    Ok(c.fits(Tensor::from_values(bias.dtype(), product.sizes(), values))?.into())
}

fn linear(c: &Call) -> Result {
    let (input, weight) = (c.tensor("input")?, c.tensor("weight")?);
    let reversed: Vec<usize> = (0..weight.rank()).rev().collect();
    let product = product_to(c, input, &weight.permute(&reversed), DType::F64)?;
    let Some(bias) = c.opt_tensor("bias") else { return Ok(product.to(input.dtype()).into()) };
    let bias = c.fits(bias.broadcast(product.sizes()))?;
    let values = product.floats().into_iter().zip(bias.floats()).map(|(p, b)| p + b);
    Ok(c.fits(Tensor::from_values(input.dtype(), product.sizes(), values))?.into())
}

/// One attention row's inputs: scores over the keys, already scaled and masked.
struct Attention<'a> {
    q: &'a Tensor,
    k: Tensor,
    v: Tensor,
    mask: Option<Tensor>,
    causal: bool,
    scale: f64,
}

fn prepare<'a>(c: &Call<'a>) -> Result<Attention<'a>> {
    let (q, k, v) = (c.tensor("query")?, c.tensor("key")?, c.tensor("value")?);
    if c.float("dropout_p")? != 0.0 {
        return Err(c.unsupported("dropout"));
    }
    let ([lead @ .., l, e], [.., s, _], [.., dv]) = (q.sizes(), k.sizes(), v.sizes()) else { return c.fits(None) };
    let spread = |t: &Tensor, last: usize| c.fits(heads(t, lead).broadcast(&[lead, &[*s, last]].concat()));
    let mask = c.opt_tensor("attn_mask").map(|m| c.fits(m.broadcast(&[lead, &[*l, *s]].concat()))).transpose()?;
    let scale = c.opt_float("scale")?.unwrap_or(1.0 / (*e as f64).sqrt());
    Ok(Attention { q, k: spread(k, *e)?, v: spread(v, *dv)?, mask, causal: c.bool("is_causal")?, scale })
}

/// Keys and values with fewer heads than queries serve as many queries each (`enable_gqa`).
fn heads(t: &Tensor, lead: &[usize]) -> Tensor {
    let (rank, Some(&wanted)) = (t.rank(), lead.last()) else { return t.clone() };
    let have = t.sizes()[rank - 3];
    if have == wanted || have <= 1 || !wanted.is_multiple_of(have) {
        return t.clone();
    }
    let mut sizes = t.sizes().to_vec();
    sizes[rank - 3] = wanted;
    t.gather(&sizes, |i| {
        let mut at = i.to_vec();
        at[rank - 3] /= wanted / have;
        at
    })
}

impl Attention<'_> {
    /// The scores of the query at `index` (all but the last dimension) over the keys.
    fn scores(&self, index: &[usize]) -> Vec<f64> {
        let [lead @ .., row] = index else { return Vec::new() };
        let (keys, width) = (self.k.sizes()[self.k.rank() - 2], self.q.sizes()[self.q.rank() - 1]);
        let score = |s: usize| {
            if self.causal && s > *row {
                return f64::NEG_INFINITY;
            }
            let at = |t: &Tensor, i: usize, e: usize| t.float_at(&[lead, &[i, e]].concat());
            let dot: f64 = (0..width).map(|e| at(self.q, *row, e) * at(&self.k, s, e)).sum();
            match &self.mask {
                Some(m) if m.dtype() == DType::Bool && at(m, *row, s) == 0.0 => f64::NEG_INFINITY,
                Some(m) if m.dtype() != DType::Bool => dot * self.scale + at(m, *row, s),
                _ => dot * self.scale,
            }
        };
        (0..keys).map(score).collect()
    }

    /// The weights of the keys for one query, and the logarithm of their sum; zeros where all are masked.
    fn weights(&self, index: &[usize]) -> (Vec<f64>, f64) {
        let scores = self.scores(index);
        let max = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if max == f64::NEG_INFINITY {
            return (vec![0.0; scores.len()], max);
        }
        let sum: f64 = scores.iter().map(|s| (s - max).exp()).sum();
        (scores.iter().map(|s| (s - max).exp() / sum).collect(), max + sum.ln())
    }
}

/// The attention and the logarithm of each query's sum of exponentials.
fn attention(c: &Call) -> Result<(Tensor, Tensor)> {
    let a = prepare(c)?;
    let sizes = a.q.sizes();
    let (rows, dv) = (&sizes[..sizes.len() - 1], a.v.sizes()[a.v.rank() - 1]);
    let (mut out, mut lse) = (Vec::new(), Vec::new());
    for index in super::tensor::indices(rows) {
        let (weights, log_sum) = a.weights(&index);
        let lead = &index[..index.len() - 1];
        let at = |d: usize| {
            weights.iter().enumerate().map(|(s, w)| w * a.v.float_at(&[lead, &[s, d]].concat())).sum::<f64>()
        };
        out.extend((0..dv).map(at));
        lse.push(log_sum);
    }
    let out = c.fits(Tensor::from_values(a.q.dtype(), &[rows, &[dv]].concat(), out))?;
    Ok((out, c.fits(Tensor::from_values(a.q.dtype().compute(), rows, lse))?))
}

/// Gradients by query, key and value: with P the weights and D = Σ P·dP along each row, dS = P·(dP − D).
fn attention_backward(c: &Call) -> Result<Value> {
    let a = prepare(c)?;
    let grad = c.tensor("grad_out")?;
    let (mut dq, mut dk, mut dv) = (zeros(a.q), zeros(&a.k), zeros(&a.v));
    let (width, value_width) = (a.q.sizes()[a.q.rank() - 1], a.v.sizes()[a.v.rank() - 1]);
    if a.k.sizes() != c.tensor("key")?.sizes() {
        return Err(c.unsupported("broadcast keys"));
    }
    for index in super::tensor::indices(&a.q.sizes()[..a.q.rank() - 1]) {
        let (p, _) = a.weights(&index);
        let lead = &index[..index.len() - 1];
        let at = |i: usize, e: usize| [lead, &[i, e]].concat();
        let own = |e: usize| [&index[..], &[e]].concat();
        let dp = |s: usize| (0..value_width).map(|e| grad.float_at(&own(e)) * a.v.float_at(&at(s, e))).sum::<f64>();
        let dp: Vec<f64> = (0..p.len()).map(dp).collect();
        let mean: f64 = p.iter().zip(&dp).map(|(p, dp)| p * dp).sum();
        for (s, (&p, &dp)) in p.iter().zip(&dp).enumerate() {
            let ds = p * (dp - mean) * a.scale;
            for e in 0..width {
                dq.accumulate(&own(e), (ds * a.k.float_at(&at(s, e))).into());
                dk.accumulate(&at(s, e), (ds * a.q.float_at(&own(e))).into());
            }
            for e in 0..value_width {
                dv.accumulate(&at(s, e), (p * grad.float_at(&own(e))).into());
            }
        }
    }
    Ok(tuple([dq.to(a.q.dtype()), dk.to(a.k.dtype()), dv.to(a.v.dtype())]))
}

fn zeros(model: &Tensor) -> Tensor {
    Tensor::full(DType::F64, model.sizes(), Scalar::Int(0))
}
