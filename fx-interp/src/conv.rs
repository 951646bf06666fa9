//! Convolutions of any number of dimensions, transposed ones and gradients.
//!
//! Everything follows from one relation between positions: output `o` reads input `i = o·stride − padding +
//! k·dilation` through weight position `k`. A transposed convolution swaps the roles of input and output.

use super::{
    Rule, Tensor, Value,
    call::{Call, Result},
    tensor::indices,
};
use fx::aten::Packet;
use fx::{arg::Arg, scalar::Scalar};
use symshapes::DType;

/// The rules of this family.
pub(super) const RULES: &[(Packet, Rule)] = &[
    (Packet::convolution, convolution),
    (Packet::conv1d, convolution),
    (Packet::conv2d, convolution),
    (Packet::conv3d, convolution),
    (Packet::conv_transpose1d, convolution),
    (Packet::conv_transpose2d, convolution),
    (Packet::conv_transpose3d, convolution),
    (Packet::convolution_backward, backward),
];

/// The relation between positions of input, weight and output.
struct Geometry {
    stride: Vec<i64>,
    padding: Vec<i64>,
    dilation: Vec<i64>,
    output_padding: Vec<i64>,
    transposed: bool,
    groups: usize,
}

impl Geometry {
    fn of(c: &Call, spatial: usize) -> Result<Geometry> {
        let list = |name: &str| -> Result<Vec<i64>> {
            let values = c.ints(name)?;
            Ok(if values.len() == 1 { vec![values[0]; spatial] } else { values })
        };
        Ok(Geometry {
            stride: list("stride")?,
            padding: list("padding")?,
            dilation: list("dilation")?,
            output_padding: if c.has("output_padding") { list("output_padding")? } else { vec![0; spatial] },
            // Operators of one direction alone have no flag.
            transposed: if c.has("transposed") { c.bool("transposed")? } else { c.has("output_padding") },
            groups: c.int("groups")?.max(1) as usize,
        })
    }

    /// The output's size along spatial dimension `d`.
    fn output(&self, d: usize, input: usize, kernel: usize) -> Option<usize> {
        let (input, kernel) = (input as i64, self.dilation[d] * (kernel as i64 - 1));
        let size = if self.transposed {
            (input - 1) * self.stride[d] - 2 * self.padding[d] + kernel + self.output_padding[d] + 1
        } else {
            (input + 2 * self.padding[d] - kernel - 1).div_euclid(self.stride[d]) + 1
        };
        usize::try_from(size).ok()
    }

    /// The position on the strided side's partner that `at` reaches through weight position `k`, if inside `sizes`.
    fn reach(&self, at: &[usize], k: &[usize], sizes: &[usize]) -> Option<Vec<usize>> {
        (0..at.len())
            .map(|d| {
                let i = at[d] as i64 * self.stride[d] - self.padding[d] + k[d] as i64 * self.dilation[d];
                usize::try_from(i).ok().filter(|&i| i < sizes[d])
            })
            .collect()
    }
}

/// Every product that a convolution sums: calls `f` with the indices into input, weight and output.
fn products(
    g: &Geometry,
    input: &[usize],
    weight: &[usize],
    output: &[usize],
    mut f: impl FnMut(&[usize], &[usize], &[usize]),
) {
    // The side that steps by the stride, and the side that is reached from it.
    let (from, to) = if g.transposed { (input, output) } else { (output, input) };
    let (per_in, per_out) = (input[1] / g.groups, output[1] / g.groups);
    for at in indices(&from[2..]) {
        for k in indices(&weight[2..]) {
            let Some(reached) = g.reach(&at, &k, &to[2..]) else { continue };
            let (i, o) = if g.transposed { (&at, &reached) } else { (&reached, &at) };
            for lead in indices(&[input[0], g.groups, per_out, per_in]) {
                let [n, group, co, ci] = lead[..] else { continue };
                let (into, out) = (group * per_in + ci, group * per_out + co);
                let w = if g.transposed { [into, co] } else { [out, ci] };
                f(&[&[n, into], &i[..]].concat(), &[&w[..], &k[..]].concat(), &[&[n, out], &o[..]].concat());
            }
        }
    }
}

/// The sizes of the output of a batched input.
fn output_sizes(c: &Call, g: &Geometry, input: &[usize], weight: &[usize]) -> Result<Vec<usize>> {
    let channels = if g.transposed { weight[1] * g.groups } else { weight[0] };
    let spatial = (2..input.len()).map(|d| g.output(d - 2, input[d], weight[d]));
    let mut sizes = vec![input[0], channels];
    sizes.extend(c.fits(spatial.collect::<Option<Vec<_>>>())?);
    Ok(sizes)
}

fn convolution(c: &Call) -> Result {
    let (x, weight) = (c.tensor("input")?, c.tensor("weight")?);
    let unbatched = x.rank() + 1 == weight.rank();
    let batched = if unbatched { c.fits(x.reshape(&[&[1], x.sizes()].concat()))? } else { x.clone() };
    if batched.rank() != weight.rank() || weight.rank() < 3 {
        return c.fits(None);
    }
    let g = Geometry::of(c, weight.rank() - 2)?;
    let sizes = output_sizes(c, &g, batched.sizes(), weight.sizes())?;
    let bias = c.opt_tensor("bias").map(Tensor::floats);
    let start = |i: &[usize]| bias.as_ref().map_or(0.0, |b| b[i[1]]).into();
    let mut out = Tensor::from_fn(DType::F64, &sizes, start);
    products(&g, batched.sizes(), weight.sizes(), &sizes, |i, w, o| {
        out.accumulate(o, Scalar::Float(batched.float_at(i) * weight.float_at(w)));
    });
    let out = out.to(x.dtype());
    Ok(c.fits(if unbatched { out.reshape(&sizes[1..]) } else { Some(out) })?.into())
}

fn backward(c: &Call) -> Result {
    let (grad, x, weight) = (c.tensor("grad_output")?, c.tensor("input")?, c.tensor("weight")?);
    if x.rank() != weight.rank() || weight.rank() < 3 {
        return c.fits(None);
    }
    let g = Geometry::of(c, weight.rank() - 2)?;
    let zeros = |sizes: &[usize]| Tensor::full(DType::F64, sizes, Scalar::Int(0));
    let (mut dx, mut dw, mut db) = (zeros(x.sizes()), zeros(weight.sizes()), zeros(&grad.sizes()[1..2]));
    products(&g, x.sizes(), weight.sizes(), grad.sizes(), |i, w, o| {
        let slope = grad.float_at(o);
        dx.accumulate(i, Scalar::Float(slope * weight.float_at(w)));
        dw.accumulate(w, Scalar::Float(slope * x.float_at(i)));
    });
    for i in indices(grad.sizes()) {
        db.accumulate(&i[1..2], grad.at(&i));
    }
    let wanted = c.list("output_mask").unwrap_or(&[]);
    let pick = |(i, t): (usize, Tensor)| match wanted.get(i) {
        Some(Arg::Bool(true)) => Value::Tensor(t.to(x.dtype())),
        _ => Value::Plain(Arg::None),
    };
    Ok(Value::Tuple([dx, dw, db].into_iter().enumerate().map(pick).collect()))
}
