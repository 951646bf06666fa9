//! Angles so large that a multiple of π/2 cannot be subtracted from them: the fraction of right angles comes from the
//! bits of 2/π that matter, multiplied by the mantissa in integers.

use crate::grid::build::Builder;
use crate::grid::{Ty, Val};
use crate::math::Lanes;

/// The bits of 2/π, after 16 zeros.
const TWO_OVER_PI: [u32; 7] =
    [0x0000_a2f9, 0x836e_4e44, 0x1529_fc27, 0x57d1_f534, 0xddc0_db62, 0x9599_3c43, 0x9041_fe51];

/// Sixteen bits.
const LIMB: u32 = 0xffff;

/// The right angles in `x`, rounded, in the low two bits, and what is left, between -π/4 and π/4. `x` is finite and at
/// least 2^16.
pub(super) fn reduce(b: &Builder, x: Val) -> (Val, Val) {
    let bits = b.bits(Ty::U32, x);
    let exponent = b.and(b.shr(bits, b.u32(23)), b.u32(0xff));
    let mantissa = b.or(b.and(bits, b.u32(0x7f_ffff)), b.u32(0x80_0000));
    // x is the mantissa times 2^(exponent - 150); the window starts two bits in front of the point.
    let offset = b.sub(exponent, b.u32(136));
    let (high, low) = product(b, mantissa, window(b, offset));
    // The angle in units of 2^-62 right angles: its top two bits count right angles, the others are rounded to those.
    let quadrant = b.shr(b.add(high, b.u32(0x2000_0000)), b.u32(30));
    let most = b.or(b.shl(high, b.u32(2)), b.shr(low, b.u32(30)));
    let most = b.cast(Ty::F32, b.bits(Ty::I32, most));
    let least = b.cast(Ty::F32, b.shl(low, b.u32(2)));
    let fraction = b.fma(least, b.number(Ty::F32, 2f64.powi(-64)), b.mul(most, b.number(Ty::F32, 2f64.powi(-32))));
    let rest = b.mul(fraction, b.number(Ty::F32, std::f64::consts::FRAC_PI_2));
    let negative = b.lt(x, b.like(x, 0.0));
    let quadrant = b.bits(Ty::I32, quadrant);
    let opposite = b.sub(b.i32(0), quadrant);
    (b.select(negative, opposite, quadrant), b.select(negative, b.neg(rest), rest))
}

/// The 64 bits of 2/π from an offset on, as four limbs, the least first.
fn window(b: &Builder, offset: Val) -> [Val; 4] {
    let word = b.shr(offset, b.u32(5));
    let shift = b.and(offset, b.u32(31));
    let pick = |ahead: usize| {
        (0..3).rev().fold(b.u32(TWO_OVER_PI[3 + ahead]), |later, at| {
            b.select(b.eq(word, b.u32(at)), b.u32(TWO_OVER_PI[at as usize + ahead]), later)
        })
    };
    let joined = |first: Val, second: Val| {
        let rest = b.shr(b.shr(second, b.u32(1)), b.sub(b.u32(31), shift));
        b.or(b.shl(first, shift), rest)
    };
    let (high, low) = (joined(pick(0), pick(1)), joined(pick(1), pick(2)));
    let limb = b.u32(LIMB);
    [b.and(low, limb), b.shr(low, b.u32(16)), b.and(high, limb), b.shr(high, b.u32(16))]
}

/// A number of 24 bits times one of four limbs, modulo 2^64: the two words, the higher first.
fn product(b: &Builder, mantissa: Val, limbs: [Val; 4]) -> (Val, Val) {
    let (upper, lower) = (b.shr(mantissa, b.u32(12)), b.and(mantissa, b.u32(0xfff)));
    let mut columns = [b.u32(0); 4];
    let mut add = |column: usize, part: Val| {
        if let Some(total) = columns.get_mut(column) {
            *total = b.add(*total, part);
        }
    };
    for (i, limb) in limbs.into_iter().enumerate() {
        // Each product has 28 bits; that of the upper half counts 2^12 as much.
        let (near, far) = (b.mul(lower, limb), b.mul(upper, limb));
        add(i, b.and(near, b.u32(LIMB)));
        add(i + 1, b.shr(near, b.u32(16)));
        add(i, b.shl(b.and(far, b.u32(0xf)), b.u32(12)));
        add(i + 1, b.and(b.shr(far, b.u32(4)), b.u32(LIMB)));
        add(i + 2, b.shr(far, b.u32(20)));
    }
    let mut carry = b.u32(0);
    for column in &mut columns {
        let total = b.add(*column, carry);
        carry = b.shr(total, b.u32(16));
        *column = b.and(total, b.u32(LIMB));
    }
    let word = |low: Val, high: Val| b.or(low, b.shl(high, b.u32(16)));
    (word(columns[2], columns[3]), word(columns[0], columns[1]))
}
