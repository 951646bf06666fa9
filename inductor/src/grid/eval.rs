//! Evaluation of operations on scalars: the one meaning that constant folding, emitters and the interpreter share.
//!
//! A value is its bits, zero-extended to 64.

use super::{Binary, Ty, Unary};

/// The bits of a float.
pub fn float_bits(ty: Ty, x: f64) -> u64 {
    if ty == Ty::F64 { x.to_bits() } else { u64::from((x as f32).to_bits()) }
}

/// The float of these bits.
pub fn float(ty: Ty, bits: u64) -> f64 {
    if ty == Ty::F64 { f64::from_bits(bits) } else { f64::from(f32::from_bits(bits as u32)) }
}

/// The bits of an integer or `bool`, cut to the width.
pub fn int_bits(ty: Ty, x: i64) -> u64 {
    match ty {
        Ty::Bool => u64::from(x != 0),
        Ty::I32 | Ty::U32 | Ty::F32 => u64::from(x as u32),
        Ty::I64 | Ty::F64 => x as u64,
    }
}

/// The integer or `bool` of these bits.
pub fn int(ty: Ty, bits: u64) -> i64 {
    match ty {
        Ty::I32 => i64::from(bits as i32),
        Ty::Bool | Ty::U32 | Ty::F32 | Ty::I64 | Ty::F64 => bits as i64,
    }
}

/// The result of a [`Unary`].
pub fn unary(op: Unary, ty: Ty, a: u64) -> u64 {
    if !ty.is_float() {
        let a = int(ty, a);
        return match op {
            Unary::Neg => int_bits(ty, a.wrapping_neg()),
            Unary::Not if ty == Ty::Bool => u64::from(a == 0),
            Unary::Not => int_bits(ty, !a),
            Unary::Abs => int_bits(ty, a.wrapping_abs()),
            Unary::Floor | Unary::Ceil | Unary::Trunc | Unary::Round | Unary::Sqrt => int_bits(ty, a),
        };
    }
    let x = float(ty, a);
    let y = match op {
        Unary::Neg => -x,
        Unary::Not => return a,
        Unary::Abs => x.abs(),
        Unary::Floor => x.floor(),
        Unary::Ceil => x.ceil(),
        Unary::Trunc => x.trunc(),
        Unary::Round => x.round_ties_even(),
        Unary::Sqrt => x.sqrt(),
    };
    float_bits(ty, y)
}

/// The result of a [`Binary`] on operands of type `ty`.
pub fn binary(op: Binary, ty: Ty, a: u64, b: u64) -> u64 {
    if ty.is_float() {
        binary_float(op, ty, float(ty, a), float(ty, b))
    } else {
        binary_int(op, ty, int(ty, a), int(ty, b))
    }
}

fn binary_float(op: Binary, ty: Ty, a: f64, b: f64) -> u64 {
    let y = match op {
        Binary::Add => a + b,
        Binary::Sub => a - b,
        Binary::Mul => a * b,
        Binary::Div => a / b,
        Binary::Rem => a % b,
        Binary::Min => a.min(b),
        Binary::Max => a.max(b),
        Binary::Eq => return u64::from(a == b),
        Binary::Ne => return u64::from(a != b),
        Binary::Lt => return u64::from(a < b),
        Binary::Le => return u64::from(a <= b),
        Binary::Gt => return u64::from(a > b),
        Binary::Ge => return u64::from(a >= b),
        Binary::And | Binary::Or | Binary::Xor | Binary::Shl | Binary::Shr => f64::NAN,
    };
    float_bits(ty, y)
}

fn binary_int(op: Binary, ty: Ty, a: i64, b: i64) -> u64 {
    let shift = (b & i64::from(ty.bits().max(8) - 1)) as u32;
    let value = match op {
        Binary::Add => a.wrapping_add(b),
        Binary::Sub => a.wrapping_sub(b),
        Binary::Mul => a.wrapping_mul(b),
        Binary::Div | Binary::Rem if b == 0 => 0,
        Binary::Div => a.wrapping_div(b),
        Binary::Rem => a.wrapping_rem(b),
        Binary::And => a & b,
        Binary::Or => a | b,
        Binary::Xor => a ^ b,
        Binary::Shl => a << shift,
        Binary::Shr => a >> shift,
        Binary::Min => a.min(b),
        Binary::Max => a.max(b),
        Binary::Eq => return u64::from(a == b),
        Binary::Ne => return u64::from(a != b),
        Binary::Lt => return u64::from(a < b),
        Binary::Le => return u64::from(a <= b),
        Binary::Gt => return u64::from(a > b),
        Binary::Ge => return u64::from(a >= b),
    };
    int_bits(ty, value)
}

/// The result of a fused multiplication and addition.
pub fn fma(ty: Ty, a: u64, b: u64, c: u64) -> u64 {
    match ty {
        Ty::F64 => float(ty, a).mul_add(float(ty, b), float(ty, c)).to_bits(),
        _ => u64::from(f32::from_bits(a as u32).mul_add(f32::from_bits(b as u32), f32::from_bits(c as u32)).to_bits()),
    }
}

/// A number as another type.
pub fn cast(from: Ty, to: Ty, a: u64) -> u64 {
    match (from.is_float(), to.is_float()) {
        (true, true) => float_bits(to, float(from, a)),
        (false, true) => match to {
            Ty::F64 => (int(from, a) as f64).to_bits(),
            _ => u64::from((int(from, a) as f32).to_bits()),
        },
        (true, false) => match to {
            Ty::I32 => u64::from(float(from, a) as i32 as u32),
            Ty::U32 => u64::from(float(from, a) as u32),
            _ => float(from, a) as i64 as u64,
        },
        (false, false) => int_bits(to, int(from, a)),
    }
}
