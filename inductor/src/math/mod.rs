//! The elementary functions of `float32`, spelled out in arithmetic that every target has.
//!
//! Each is a range reduction and a polynomial (our own fits, minimax in the relative error), within a few units in the
//! last place, with NaN, infinities and signed zeros right. The algorithms are written once, over a trait of
//! [`Lanes`]; a backend implements it and so prints them, as vectors of LLVM IR or as values of a grid kernel.
//!
//! Invariant: no step needs a multiplication and addition to be fused.

pub mod arc;
pub mod erf;
pub mod exp;
pub mod log;
pub mod trig;

/// Added to a number below 2^22, leaves it rounded to an integer in the low bits of the sum.
pub const ROUNDER: f64 = 12_582_912.0;

/// The bits of [`ROUNDER`] as `float32`.
pub const ROUNDER_BITS: i64 = 0x4b40_0000;

/// `ln 2` in two parts; the first has few enough bits that its multiples are exact.
const LN2: [f64; 2] = [0.693145751953125, 1.428606765330187e-6];

/// The bits of 1 as `float32`.
const ONE_BITS: i64 = 0x3f80_0000;

/// A writer of code whose values are `float32`, `int32` or conditions: one each, or one for each lane of a vector.
///
/// Comparisons are false on NaN.
pub trait Lanes {
    /// A value.
    type Val: Copy;

    /// A constant of as many lanes as `like`.
    fn number(&self, like: Self::Val, x: f64) -> Self::Val;
    /// An integer constant of as many lanes as `like`.
    fn int(&self, like: Self::Val, value: i64) -> Self::Val;

    /// `a + b`
    fn add(&self, a: Self::Val, b: Self::Val) -> Self::Val;
    /// `a - b`
    fn sub(&self, a: Self::Val, b: Self::Val) -> Self::Val;
    /// `a * b`
    fn mul(&self, a: Self::Val, b: Self::Val) -> Self::Val;
    /// `a / b`
    fn div(&self, a: Self::Val, b: Self::Val) -> Self::Val;
    /// `a * b + c`, rounded once or twice.
    fn mad(&self, a: Self::Val, b: Self::Val, c: Self::Val) -> Self::Val;
    /// `-x`
    fn neg(&self, x: Self::Val) -> Self::Val;
    /// `|x|`
    fn abs(&self, x: Self::Val) -> Self::Val;
    /// The square root.
    fn sqrt(&self, x: Self::Val) -> Self::Val;
    /// The magnitude of `a` with the sign of `b`.
    fn copysign(&self, a: Self::Val, b: Self::Val) -> Self::Val;

    /// `a < b`
    fn lt(&self, a: Self::Val, b: Self::Val) -> Self::Val;
    /// `a > b`
    fn gt(&self, a: Self::Val, b: Self::Val) -> Self::Val;
    /// `a == b`
    fn eq(&self, a: Self::Val, b: Self::Val) -> Self::Val;
    /// True where one of two numbers is NaN.
    fn unordered(&self, a: Self::Val, b: Self::Val) -> Self::Val;
    /// True where a number is below `bound` or NaN.
    fn below_or_nan(&self, x: Self::Val, bound: f64) -> Self::Val;
    /// `a` where the condition holds, else `b`.
    fn select(&self, cond: Self::Val, a: Self::Val, b: Self::Val) -> Self::Val;
    /// `y`, and NaN where the condition holds. Targets whose arithmetic gives the NaN itself leave out the condition.
    fn nan_where(&self, cond: impl FnOnce(&Self) -> Self::Val, y: Self::Val) -> Self::Val;

    /// The bits of a float as an integer.
    fn bits(&self, x: Self::Val) -> Self::Val;
    /// The float of these bits.
    fn of_bits(&self, bits: Self::Val) -> Self::Val;
    /// An integer as a float.
    fn to_float(&self, n: Self::Val) -> Self::Val;
    /// `a + b` of integers.
    fn int_add(&self, a: Self::Val, b: Self::Val) -> Self::Val;
    /// `a - b` of integers.
    fn int_sub(&self, a: Self::Val, b: Self::Val) -> Self::Val;
    /// `a << bits`
    fn shl(&self, a: Self::Val, bits: Self::Val) -> Self::Val;
    /// `a >> bits`, with the sign kept.
    fn shr(&self, a: Self::Val, bits: Self::Val) -> Self::Val;
    /// True where an integer is negative.
    fn is_negative(&self, n: Self::Val) -> Self::Val;
    /// True where an integer has bits in common with a constant.
    fn has_bit(&self, n: Self::Val, bit: i64) -> Self::Val;

    /// The integer that [`Lanes::rounded`] gives, as a float.
    fn integer(&self, rounded: Self::Val) -> Self::Val;

    /// `x < bound`
    fn below(&self, x: Self::Val, bound: f64) -> Self::Val {
        self.lt(x, self.number(x, bound))
    }

    /// `x > bound`
    fn above(&self, x: Self::Val, bound: f64) -> Self::Val {
        self.gt(x, self.number(x, bound))
    }

    /// `x == value`
    fn equals(&self, x: Self::Val, value: f64) -> Self::Val {
        self.eq(x, self.number(x, value))
    }

    /// At least `low`; NaN stays.
    fn at_least(&self, x: Self::Val, low: f64) -> Self::Val {
        self.select(self.below(x, low), self.number(x, low), x)
    }

    /// At most `high`; NaN stays.
    fn at_most(&self, x: Self::Val, high: f64) -> Self::Val {
        self.select(self.above(x, high), self.number(x, high), x)
    }

    /// A polynomial by Horner's rule; the highest coefficient comes first.
    fn horner(&self, x: Self::Val, coefficients: &[f64]) -> Self::Val {
        let first = self.number(x, coefficients.first().copied().unwrap_or(0.0));
        coefficients.iter().skip(1).fold(first, |p, &c| self.mad(p, x, self.number(x, c)))
    }

    /// `x + x³ p(x²)`, given `z = x²`.
    fn odd(&self, x: Self::Val, z: Self::Val, coefficients: &[f64]) -> Self::Val {
        let p = self.horner(z, coefficients);
        self.mad(self.mul(p, z), x, x)
    }

    /// `x * k` rounded to an integer, plus [`ROUNDER`]; `|x * k|` is below 2^22.
    fn rounded(&self, x: Self::Val, k: f64) -> Self::Val {
        self.mad(x, self.number(x, k), self.number(x, ROUNDER))
    }

    /// `2^n` for an integer `n` in −126..=127; of its higher bits only the low eight count.
    fn power_of_two(&self, n: Self::Val) -> Self::Val {
        self.of_bits(self.int_add(self.shl(n, self.int(n, 23)), self.int(n, ONE_BITS)))
    }

    /// `p * 2^n` for `n` in −126..=127, where `n` comes from [`Lanes::rounded`].
    fn scale_within(&self, p: Self::Val, rounded: Self::Val) -> Self::Val {
        self.mul(p, self.power_of_two(self.bits(rounded)))
    }

    /// `p * 2^(n + more)`, over- and underflowing as it should, where `n` comes from [`Lanes::rounded`].
    fn scale(&self, p: Self::Val, rounded: Self::Val, more: i64) -> Self::Val {
        scale(self, p, rounded, more)
    }
}

/// [`Lanes::scale`] by two multiplications, for targets without an instruction that does it.
pub fn scale<L: Lanes + ?Sized>(l: &L, p: L::Val, rounded: L::Val, more: i64) -> L::Val {
    let n = l.int_sub(l.bits(rounded), l.int(p, ROUNDER_BITS - more));
    let half = l.shr(n, l.int(n, 1));
    l.mul(l.mul(p, l.power_of_two(half)), l.power_of_two(l.int_sub(n, half)))
}
