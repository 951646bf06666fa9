//! Losses of the processor that compare each row with labels, and their gradients.

use super::{
    Rule,
    call::{Call, Result, tuple},
    linear::shared,
};
use crate::aten::Packet;
use symshapes::{DType, DeviceKind, Expr, TensorMeta};

/// The rules of this family.
pub(super) const RULES: &[(Packet, Rule)] = &[
    (Packet::_ctc_loss, |c| {
        let (sequences, longest) = sequences(c)?;
        let [steps, rows, _] = sequences.sizes[..] else { return c.fits(None) };
        let blanks = c.pool.int(2 * longest + 1);
        let losses = c.contiguous(sequences, sequences.dtype, vec![rows]);
        Ok(tuple([losses, c.contiguous(sequences, sequences.dtype, vec![rows, steps, blanks])]))
    }),
    (Packet::_ctc_loss_backward, |c| {
        let (sequences, longest) = sequences(c)?;
        let [steps, rows, _] = sequences.sizes[..] else { return c.fits(None) };
        let blanks = c.pool.int(2 * longest + 1);
        for (name, sizes) in
            [("grad", vec![rows]), ("neg_log_likelihood", vec![rows]), ("log_alpha", vec![rows, steps, blanks])]
        {
            c.one_dtype(sequences, c.tensor(name)?)?;
            c.demand_sizes(name, &sizes)?;
        }
        Ok(c.contiguous(sequences, sequences.dtype, sequences.sizes.clone()).into())
    }),
    (Packet::binary_cross_entropy_backward, |c| {
        let (x, target, grad) = (c.tensor("self")?, c.tensor("target")?, c.tensor("grad_output")?);
        c.fits(x.dtype.is_float().then_some(()))?;
        c.one_dtype(x, target)?;
        c.one_dtype(x, grad)?;
        // The target is broadcast, and so is the gradient, to no more than what is given.
        c.demand_broadcast(&target.sizes, &x.sizes)?;
        c.demand_broadcast(&grad.sizes, &x.sizes)?;
        if let Some(weight) = c.opt_tensor("weight")? {
            c.demand_broadcast(&weight.sizes, &x.sizes)?;
            c.one_dtype(x, weight)?;
        }
        Ok(c.preserved(x, x.dtype)?.into())
    }),
    (Packet::multi_margin_loss, |c| {
        let (x, labels) = (c.tensor("self")?, margins(c)?);
        Ok(c.contiguous(x, x.dtype, labels).into())
    }),
    (Packet::multi_margin_loss_backward, |c| {
        let (x, labels) = (c.tensor("self")?, margins(c)?);
        margin_gradient(c, x, &labels)
    }),
    (Packet::multilabel_margin_loss_forward, |c| {
        let (x, sizes) = (c.tensor("self")?, labels(c)?);
        let marks = c.contiguous(x, x.dtype, x.sizes.clone());
        let marks = TensorMeta { requires_grad: false, ..marks };
        Ok(tuple([c.contiguous(x, x.dtype, sizes), marks]))
    }),
    (Packet::multilabel_margin_loss_backward, |c| {
        let (x, sizes) = (c.tensor("self")?, labels(c)?);
        c.demand_sizes("is_target", &x.sizes)?;
        c.one_dtype(x, c.tensor("is_target")?)?;
        margin_gradient(c, x, &sizes)
    }),
];

/// Demands wide floats of the processor.
fn of_wide_floats(c: &Call, x: &TensorMeta) -> Result<()> {
    let is_known = matches!(x.dtype, DType::F32 | DType::F64) && x.device.kind == DeviceKind::Cpu;
    if is_known { Ok(()) } else { Err(c.unsupported("a loss of other numbers, or of a device")) }
}

/// Sequences by steps, rows and classes, and the length of the longest row of labels, where numbers say it.
fn sequences<'a>(c: &mut Call<'a>) -> Result<(&'a TensorMeta, i64)> {
    let (x, targets) = (c.tensor("log_probs")?, c.tensor("targets")?);
    of_wide_floats(c, x)?;
    if c.list("input_lengths").is_none() || c.list("target_lengths").is_none() {
        return Err(c.unsupported("lengths that a tensor holds"));
    }
    let (steps_of, lengths) = (c.ints("input_lengths")?, c.ints("target_lengths")?);
    let &[steps, rows, classes] = &x.sizes[..] else { return c.fits(None) };
    if !matches!(targets.dtype, DType::I32 | DType::I64) || [&steps_of, &lengths].into_iter().flatten().any(|&n| n < 0)
    {
        return Err(c.rejected("labels that are no integers, or a negative length"));
    }
    for lengths in [&steps_of, &lengths] {
        let count = c.pool.int(lengths.len() as i64);
        shared(c, rows, count)?;
    }
    let blank = c.int("blank")?;
    let (most, least) = (c.pool.int(steps_of.iter().copied().max().unwrap_or(0)), c.pool.int(blank.saturating_add(1)));
    for (a, b) in [(most, steps), (least, classes), (Expr::ONE, steps), (Expr::ONE, rows)] {
        c.demand_at_most(a, b)?;
    }
    c.fits((blank >= 0).then_some(()))?;
    let longest = lengths.iter().copied().max().unwrap_or(0);
    accepts_labels(c, targets, rows, &lengths)?;
    Ok((x, longest))
}

/// Demands labels one behind the other, or in rows that are long enough.
fn accepts_labels(c: &mut Call, targets: &TensorMeta, rows: Expr, lengths: &[i64]) -> Result<()> {
    match targets.sizes[..] {
        [count] => {
            let all = c.pool.int(lengths.iter().sum());
            shared(c, count, all)
        }
        [count, width] => {
            shared(c, count, rows)?;
            let longest = c.pool.int(lengths.iter().copied().max().unwrap_or(0));
            c.demand_at_most(longest, width)
        }
        _ => c.fits(None),
    }
}

/// The sizes of a margin loss of one label for each row.
fn margins(c: &mut Call) -> Result<Vec<Expr>> {
    let (x, target) = (c.tensor("self")?, c.tensor("target")?);
    of_wide_floats(c, x)?;
    let (rows, classes) = match x.sizes[..] {
        [classes] => (Expr::ONE, classes),
        [rows, classes] => (rows, classes),
        _ => return Err(c.unsupported("other than rows")),
    };
    c.demand_at_most(Expr::ONE, classes)?;
    if target.dtype != DType::I64 || !matches!(c.float("p")?, 1.0 | 2.0) {
        return Err(c.rejected("labels that are no integers, or another power"));
    }
    match target.sizes[..] {
        [] => shared(c, rows, Expr::ONE)?,
        [count] => shared(c, rows, count)?,
        _ => return c.fits(None),
    }
    if let Some(weight) = c.opt_tensor("weight")? {
        c.one_dtype(x, weight)?;
        c.demand_sizes("weight", &[classes])?;
    }
    Ok(if c.int("reduction")? == 0 { target.sizes.clone() } else { Vec::new() })
}

/// The sizes of a margin loss of several labels for each row.
fn labels(c: &mut Call) -> Result<Vec<Expr>> {
    let (x, target) = (c.tensor("self")?, c.tensor("target")?);
    of_wide_floats(c, x)?;
    let (&[ref rows @ .., classes], 1 | 2) = (&x.sizes[..], x.sizes.len()) else {
        return Err(c.unsupported("other than rows"));
    };
    c.demand_at_most(Expr::ONE, classes)?;
    c.fits((target.dtype == DType::I64).then_some(()))?;
    c.demand_sizes("target", &x.sizes)?;
    Ok(if c.int("reduction")? == 0 { rows.to_vec() } else { Vec::new() })
}

/// The gradient of a margin loss of these sizes, or of one number for all.
fn margin_gradient(c: &mut Call, x: &TensorMeta, sizes: &[Expr]) -> Result {
    let grad = c.tensor("grad_output")?;
    c.one_dtype(x, grad)?;
    if !grad.sizes.is_empty() {
        c.demand_sizes("grad_output", sizes)?;
    }
    Ok(c.contiguous(x, x.dtype, x.sizes.clone()).into())
}
