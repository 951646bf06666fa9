//! What the functions share: polynomials, powers of two, clamps, signs.

use crate::emit::ir::{Elem, Ir, Val, lanes};
use inkwell::FloatPredicate;

/// Added to a number below 2^22, leaves it rounded to an integer in the low bits of the sum.
pub(super) const ROUNDER: f64 = 12_582_912.0;

/// The bits of [`ROUNDER`] as `f32`.
const ROUNDER_BITS: i64 = 0x4b40_0000;

/// The bits of 1 as `f32`.
const ONE_BITS: i64 = 0x3f80_0000;

impl<'c> Ir<'c> {
    /// A polynomial by Horner's rule; the highest coefficient comes first.
    pub(super) fn horner(&self, x: Val<'c>, coefficients: &[f64]) -> Val<'c> {
        let (first, rest) = coefficients.split_first().expect("a polynomial has coefficients");
        rest.iter().fold(self.like(x, *first), |p, &c| self.mad(p, x, self.like(x, c)))
    }

    /// `x + x³ p(x²)`, given `z = x²`.
    pub(super) fn odd(&self, x: Val<'c>, z: Val<'c>, coefficients: &[f64]) -> Val<'c> {
        let p = self.horner(z, coefficients);
        self.mad(self.fmul(p, z), x, x)
    }

    /// At least `low`; NaN stays.
    pub(super) fn at_least(&self, x: Val<'c>, low: f64) -> Val<'c> {
        let low = self.like(x, low);
        self.select(self.fcmp(FloatPredicate::OLT, x, low), low, x)
    }

    /// At most `high`; NaN stays.
    pub(super) fn at_most(&self, x: Val<'c>, high: f64) -> Val<'c> {
        let high = self.like(x, high);
        self.select(self.fcmp(FloatPredicate::OGT, x, high), high, x)
    }

    /// The magnitude of `a` with the sign of `b`.
    pub(super) fn copysign(&self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.intrinsic("llvm.copysign", &[a, b])
    }

    /// `x` against a constant.
    pub(super) fn is(&self, x: Val<'c>, p: FloatPredicate, constant: f64) -> Val<'c> {
        self.fcmp(p, x, self.like(x, constant))
    }

    /// `x * k` rounded to an integer, plus [`ROUNDER`]; `|x * k|` is below 2^22.
    pub(super) fn rounded(&self, x: Val<'c>, k: f64) -> Val<'c> {
        self.mad(x, self.like(x, k), self.like(x, ROUNDER))
    }

    /// `p * 2^n` for `n` in −126..=127, where `n` comes from [`Ir::rounded`].
    pub(super) fn scale_within(&self, p: Val<'c>, rounded: Val<'c>) -> Val<'c> {
        let bits = self.bitcast(rounded, Elem::I32);
        let exponent = self.shl(bits, self.like(bits, 23.0));
        let power = self.add(exponent, self.bits_like(p, ONE_BITS));
        self.fmul(p, self.bitcast(power, Elem::F32))
    }

    /// `p * 2^(n + more)`, over- and underflowing as it should, where `n` comes from [`Ir::rounded`].
    pub(super) fn scale(&self, p: Val<'c>, rounded: Val<'c>, more: i64) -> Val<'c> {
        if self.host.avx512 && lanes(p) == 16 {
            let n = self.fsub(rounded, self.like(p, ROUNDER - more as f64));
            return self.scalef(p, n);
        }
        let bits = self.bitcast(rounded, Elem::I32);
        let n = self.sub(bits, self.bits_like(p, ROUNDER_BITS - more));
        let half = self.ashr(n, self.like(n, 1.0));
        let power = |n| {
            let exponent = self.shl(n, self.like(n, 23.0));
            self.bitcast(self.add(exponent, self.bits_like(p, ONE_BITS)), Elem::F32)
        };
        self.fmul(self.fmul(p, power(half)), power(self.sub(n, half)))
    }

    /// AVX-512's `p * 2^n`.
    fn scalef(&self, p: Val<'c>, n: Val<'c>) -> Val<'c> {
        let every = self.int(Elem::I16, 1, -1);
        let current_rounding = self.int(Elem::I32, 1, 4);
        self.intrinsic_on("llvm.x86.avx512.mask.scalef.ps.512", &[], &[p, n, p, every, current_rounding])
    }
}
