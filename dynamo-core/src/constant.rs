//! Constants of guards and constants of code objects: the same values, but for objects on either side.

use crate::bytecode::Const;
use guards::Constant;

/// A constant as code objects have it; `None` for what only an object can be.
pub fn code_constant(constant: &Constant) -> Option<Const> {
    Some(match constant {
        Constant::None => Const::None,
        Constant::Ellipsis => Const::Ellipsis,
        Constant::Bool(value) => Const::Bool(*value),
        Constant::Int(value) => Const::Int(*value),
        Constant::BigInt(digits) => Const::BigInt(digits.clone()),
        Constant::Float(bits) => Const::Float(f64::from_bits(*bits)),
        Constant::Complex(re, im) => Const::Complex(f64::from_bits(*re), f64::from_bits(*im)),
        Constant::Str(text) => Const::Str(text.clone()),
        Constant::Bytes(bytes) => Const::Bytes(bytes.clone()),
        Constant::Tuple(items) => Const::Tuple(items.iter().map(code_constant).collect::<Option<_>>()?),
        Constant::FrozenSet(items) => Const::FrozenSet(items.iter().map(code_constant).collect::<Option<_>>()?),
        Constant::Slice(_) | Constant::DType(_) | Constant::Device(_) => return None,
    })
}

/// A code object's constant as plain data; `None` for code, objects, and what has slices in it.
pub fn plain_constant(constant: &Const) -> Option<Constant> {
    Some(match constant {
        Const::None => Constant::None,
        Const::Ellipsis => Constant::Ellipsis,
        Const::Bool(value) => Constant::Bool(*value),
        Const::Int(value) => Constant::Int(*value),
        Const::BigInt(digits) => Constant::BigInt(digits.clone()),
        Const::Float(value) => Constant::float(*value),
        Const::Complex(re, im) => Constant::complex(*re, *im),
        Const::Str(text) => Constant::Str(text.clone()),
        Const::Bytes(bytes) => Constant::Bytes(bytes.clone()),
        Const::Tuple(items) => Constant::Tuple(items.iter().map(plain_constant).collect::<Option<_>>()?),
        Const::FrozenSet(items) => Constant::frozenset(items.iter().map(plain_constant).collect::<Option<Vec<_>>>()?),
        // The bounds of a constant slice may be anything.
        Const::Slice(_) | Const::Code(_) | Const::Opaque(_) => return None,
    })
}
