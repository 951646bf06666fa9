//! Fourier transforms of the processor's library. It lays a result out with the signals innermost, and the batches
//! around them in the order of the operand's strides.
//!
//! Inverses of real numbers alone have no rule: their results are conjugates that are pending, of which torch tells.

use super::{
    Rule,
    call::{Call, Result},
    create::created,
    promote::DEFAULT_FLOAT,
    transform::{complex, half, of_complex, of_real, resized, to_real},
};
use crate::aten::Packet;
use symshapes::{DType, DTypeClass, DeviceKind, Expr, TensorMeta};

/// The rules of this family.
pub(super) const RULES: &[(Packet, Rule)] = &[
    (Packet::_fft_c2c, |c| {
        let (x, dims) = operand(c)?;
        if x.dtype.class() != DTypeClass::Complex {
            return Err(c.rejected("real numbers for complex ones"));
        }
        Ok(of_complex(c, &x, &dims)?.into())
    }),
    (Packet::_fft_r2c, |c| {
        let (x, dims) = operand(c)?;
        accepts_real(c, &x)?;
        let onesided = c.bool("onesided")?;
        Ok(of_real(c, &x, &dims, onesided)?.into())
    }),
    (Packet::_fft_c2r, |c| {
        let ((x, dims), last) = (operand(c)?, c.expr("last_dim_size")?);
        if x.dtype.class() != DTypeClass::Complex {
            return Err(c.rejected("real numbers for complex ones"));
        }
        Ok(to_real(c, &x, &dims, last)?.into())
    }),
    (Packet::fft_fft, one_dimension),
    (Packet::fft_rfft, |c| one_of_real(c, true)),
    (Packet::fft_irfft, one_to_real),
    (Packet::fft_hfft, one_to_real),
    (Packet::fft_fft2, many),
    (Packet::fft_fftn, many),
    (Packet::fft_ifft2, many),
    (Packet::fft_ifftn, many),
    (Packet::fft_rfft2, many_of_real),
    (Packet::fft_rfftn, many_of_real),
    (Packet::fft_irfft2, many_to_real),
    (Packet::fft_irfftn, many_to_real),
    (Packet::fft_hfft2, many_to_real),
    (Packet::fft_hfftn, many_to_real),
    (Packet::fft_fftfreq, |c| {
        let count = c.expr("n")?;
        frequencies(c, count)
    }),
    (Packet::fft_rfftfreq, |c| {
        let count = c.expr("n")?;
        let count = half(c, count);
        frequencies(c, count)
    }),
];

/// Sizes that signals are cut or padded to, by dimension.
type Signals = Vec<(usize, Expr)>;

/// The operand of a kernel, and the dimensions that it transforms.
fn operand(c: &mut Call) -> Result<(TensorMeta, Vec<usize>)> {
    let x = c.tensor("self")?.clone();
    of_processor(c, &x)?;
    let dims = c.ints("dim")?;
    if dims.is_empty() || dims.iter().any(|&d| d < 0) {
        return Err(c.unsupported("dimensions that are counted from the end, or none"));
    }
    if x.sizes.contains(&Expr::ZERO) {
        return Err(c.unsupported("signals without elements"));
    }
    let dims = c.dims("dim", x.sizes.len())?;
    c.fits((!x.sizes.is_empty() && are_unique(&dims)).then_some(()))?;
    Ok((x, dims))
}

fn of_processor(c: &Call, x: &TensorMeta) -> Result<()> {
    if x.device.kind == DeviceKind::Cpu { Ok(()) } else { Err(c.unsupported("a transform on a device")) }
}

fn are_unique(dims: &[usize]) -> bool {
    dims.iter().enumerate().all(|(i, d)| !dims[..i].contains(d))
}

fn accepts_real(c: &Call, x: &TensorMeta) -> Result<()> {
    if matches!(x.dtype, DType::F32 | DType::F64) { Ok(()) } else { Err(c.rejected("numbers of another type")) }
}

/// The operand in a type that is transformed: integers become floats, and floats complex where they have to be.
fn promoted(c: &mut Call, to_complex: bool) -> Result<TensorMeta> {
    let x = c.tensor("self")?;
    of_processor(c, x)?;
    accepts_norm(c)?;
    let real = if x.dtype.class() < DTypeClass::Float { DEFAULT_FLOAT } else { x.dtype };
    let dtype = match real {
        DType::F16 | DType::BF16 => return Err(c.rejected("halves on the processor")),
        DType::F32 | DType::F64 if to_complex => complex(real),
        _ => real,
    };
    if dtype == x.dtype { Ok(x.clone()) } else { c.preserved(x, dtype) }
}

fn accepts_norm(c: &Call) -> Result<()> {
    match c.get("norm").as_str() {
        None | Some("backward" | "forward" | "ortho") => Ok(()),
        _ => Err(c.rejected("a norm of another name")),
    }
}

/// The length of the real signal of so many frequencies, where it is not given.
fn whole(c: &mut Call, frequencies: Expr) -> Expr {
    let double = c.pool.mul_int(frequencies, 2);
    c.pool.add_int(double, -2)
}

/// A dimension, and the size that the call gives for it.
fn one_signal(c: &mut Call, x: &TensorMeta) -> Result<(usize, Option<Expr>)> {
    c.fits((!x.sizes.is_empty()).then_some(()))?;
    let dim = c.dim("dim", x.sizes.len())?;
    Ok((dim, if c.given("n") { Some(c.expr("n")?) } else { None }))
}

/// The operand with signals of the given size along its dimension.
fn one_resized(c: &mut Call, x: TensorMeta) -> Result<(TensorMeta, usize)> {
    let (dim, size) = one_signal(c, &x)?;
    let size = size.unwrap_or(x.sizes[dim]);
    c.demand_at_most(Expr::ONE, size)?;
    Ok((resized(c, x, &[(dim, size)])?, dim))
}

fn one_dimension(c: &mut Call) -> Result {
    if c.tensor("self")?.dtype.class() != DTypeClass::Complex {
        return one_of_real(c, false);
    }
    let x = promoted(c, false)?;
    let (x, dim) = one_resized(c, x)?;
    Ok(of_complex(c, &x, &[dim])?.into())
}

fn one_of_real(c: &mut Call, onesided: bool) -> Result {
    let x = promoted(c, false)?;
    accepts_real(c, &x)?;
    let (x, dim) = one_resized(c, x)?;
    Ok(of_real(c, &x, &[dim], onesided)?.into())
}

fn one_to_real(c: &mut Call) -> Result {
    let x = promoted(c, true)?;
    let (dim, size) = one_signal(c, &x)?;
    let last = size.unwrap_or_else(|| whole(c, x.sizes[dim]));
    c.demand_at_most(Expr::ONE, last)?;
    let kept = if size.is_some() { half(c, last) } else { x.sizes[dim] };
    let mut x = resized(c, x, &[(dim, kept)])?;
    if c.op().packet() == Packet::fft_hfft {
        // Conjugates are copies.
        x = c.preserved(&x, x.dtype)?;
    }
    Ok(to_real(c, &x, &[dim], last)?.into())
}

/// The dimensions that are named, or the last ones for the sizes, or all; and their sizes, given or their own.
fn signals(c: &mut Call, x: &TensorMeta) -> Result<Signals> {
    let rank = x.sizes.len();
    let sizes = if c.given("s") { Some(c.exprs("s")?) } else { None };
    let dims: Vec<usize> = match (c.opt_ints("dim")?, &sizes) {
        (Some(dims), _) => dims.into_iter().map(|d| c.wrap(d, rank)).collect::<std::result::Result<_, _>>()?,
        (None, Some(sizes)) => (c.fits(rank.checked_sub(sizes.len()))?..rank).collect(),
        (None, None) => (0..rank).collect(),
    };
    let own: Vec<Expr> = dims.iter().map(|&d| c.fits(x.sizes.get(d).copied())).collect::<Result<_>>()?;
    let sizes = sizes.unwrap_or_else(|| own.clone());
    c.fits((sizes.len() == dims.len() && are_unique(&dims)).then_some(()))?;
    let keeps = |(&size, own): (&Expr, Expr)| if c.pool.as_int(size) == Some(-1) { own } else { size };
    let sizes: Vec<Expr> = sizes.iter().zip(own).map(keeps).collect();
    sizes.iter().try_for_each(|&size| c.demand_at_most(Expr::ONE, size))?;
    Ok(dims.into_iter().zip(sizes).collect())
}

fn dims_of(signals: &Signals) -> Vec<usize> {
    signals.iter().map(|&(dim, _)| dim).collect()
}

fn many(c: &mut Call) -> Result {
    let x = promoted(c, true)?;
    let signals = signals(c, &x)?;
    let x = resized(c, x, &signals)?;
    Ok(of_complex(c, &x, &dims_of(&signals))?.into())
}

/// As [`signals`], of which there has to be one.
fn some_signals(c: &mut Call, x: &TensorMeta) -> Result<Signals> {
    let signals = signals(c, x)?;
    if signals.is_empty() { Err(c.rejected("no dimension to transform")) } else { Ok(signals) }
}

fn many_of_real(c: &mut Call) -> Result {
    let x = promoted(c, false)?;
    accepts_real(c, &x)?;
    let signals = some_signals(c, &x)?;
    let (x, dims) = (resized(c, x, &signals)?, dims_of(&signals));
    Ok(of_real(c, &x, &dims, true)?.into())
}

fn many_to_real(c: &mut Call) -> Result {
    let x = promoted(c, true)?;
    let mut signals = some_signals(c, &x)?;
    // Without a size for it, the last dimension holds the frequencies of a signal of even length.
    let sizes = if c.given("s") { c.exprs("s")? } else { Vec::new() };
    let is_given = sizes.last().is_some_and(|&size| c.pool.as_int(size) != Some(-1));
    let &mut (_, ref mut kept) = c.fits(signals.last_mut())?;
    let last = if is_given { *kept } else { whole(c, *kept) };
    c.demand_at_most(Expr::ONE, last)?;
    *kept = half(c, last);
    let mut x = resized(c, x, &signals)?;
    if signals.len() == 1 && matches!(c.op().packet(), Packet::fft_hfft2 | Packet::fft_hfftn) {
        x = c.preserved(&x, x.dtype)?;
    }
    Ok(to_real(c, &x, &dims_of(&signals), last)?.into())
}

fn frequencies(c: &mut Call, count: Expr) -> Result {
    if !c.dtype()?.unwrap_or(DEFAULT_FLOAT).is_float() {
        return Err(c.unsupported("frequencies that are no floats"));
    }
    let n = c.expr("n")?;
    if c.pool.as_int(n).is_some_and(|n| n < 0) {
        return Err(c.unsupported("a negative number of frequencies"));
    }
    created(c, vec![count], DEFAULT_FLOAT)
}
