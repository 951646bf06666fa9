//! Constants that guards compare with: plain, immutable Python values.
//!
//! Invariants:
//! - Equal means identical: same type and same value, floats bit by bit. All NaNs of a type are one.
//! - The items of a frozen set are sorted and differ, so that equal sets are equal here.

use cranelift_entity::entity_impl;
use serde::{Deserialize, Serialize};
use std::fmt::{self, Display, Formatter};
use symshapes::{DType, Device};

/// A constant in [`Sources`](crate::Sources).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ConstantId(u32);
entity_impl!(ConstantId, "const");

/// A Python value without identity.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Constant {
    /// `None`
    None,
    /// `...`
    Ellipsis,
    /// `True` or `False`
    Bool(bool),
    /// An integer of 64 bits.
    Int(i64),
    /// A longer integer, in decimal.
    BigInt(String),
    /// A float, by its bits: see [`Constant::float`].
    Float(u64),
    /// A complex number, by the bits of its parts: see [`Constant::complex`].
    Complex(u64, u64),
    /// A string.
    Str(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// A tuple.
    Tuple(Vec<Constant>),
    /// A frozen set: see [`Constant::frozenset`].
    FrozenSet(Vec<Constant>),
    /// `slice(start, stop, step)`
    Slice([Option<i64>; 3]),
    /// `torch.float32`
    DType(DType),
    /// `torch.device('cuda', 0)`
    Device(Device),
}

impl Constant {
    /// A float.
    pub fn float(value: f64) -> Constant {
        Constant::Float(bits(value))
    }

    /// A complex number.
    pub fn complex(re: f64, im: f64) -> Constant {
        Constant::Complex(bits(re), bits(im))
    }

    /// A frozen set.
    pub fn frozenset(items: impl IntoIterator<Item = Constant>) -> Constant {
        let mut items: Vec<Constant> = items.into_iter().collect();
        items.sort();
        items.dedup();
        Constant::FrozenSet(items)
    }

    /// The name of the Python type.
    pub fn type_name(&self) -> &'static str {
        match self {
            Constant::None => "NoneType",
            Constant::Ellipsis => "ellipsis",
            Constant::Bool(_) => "bool",
            Constant::Int(_) | Constant::BigInt(_) => "int",
            Constant::Float(_) => "float",
            Constant::Complex(..) => "complex",
            Constant::Str(_) => "str",
            Constant::Bytes(_) => "bytes",
            Constant::Tuple(_) => "tuple",
            Constant::FrozenSet(_) => "frozenset",
            Constant::Slice(_) => "slice",
            Constant::DType(_) => "torch.dtype",
            Constant::Device(_) => "torch.device",
        }
    }

    /// True for a float or a complex number that equals nothing, not even itself.
    pub fn is_nan(&self) -> bool {
        match *self {
            Constant::Float(bits) => f64::from_bits(bits).is_nan(),
            Constant::Complex(re, im) => f64::from_bits(re).is_nan() || f64::from_bits(im).is_nan(),
            _ => false,
        }
    }
}

/// The bits of a double; the same for all NaNs.
fn bits(value: f64) -> u64 {
    if value.is_nan() { f64::NAN.to_bits() } else { value.to_bits() }
}

impl From<i64> for Constant {
    fn from(value: i64) -> Constant {
        Constant::Int(value)
    }
}

impl From<bool> for Constant {
    fn from(value: bool) -> Constant {
        Constant::Bool(value)
    }
}

impl From<f64> for Constant {
    fn from(value: f64) -> Constant {
        Constant::float(value)
    }
}

impl From<&str> for Constant {
    fn from(value: &str) -> Constant {
        Constant::Str(value.to_owned())
    }
}

/// As `repr` writes it.
impl Display for Constant {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Constant::None => f.write_str("None"),
            Constant::Ellipsis => f.write_str("Ellipsis"),
            Constant::Bool(value) => f.write_str(pyrepr::boolean(*value)),
            Constant::Int(value) => write!(f, "{value}"),
            Constant::BigInt(digits) => f.write_str(digits),
            Constant::Float(bits) => write!(f, "{}", pyrepr::Float(f64::from_bits(*bits))),
            Constant::Complex(re, im) => write!(f, "{}", pyrepr::Complex(f64::from_bits(*re), f64::from_bits(*im))),
            Constant::Str(text) => write!(f, "{}", pyrepr::Str(text)),
            Constant::Bytes(bytes) => write!(f, "{}", pyrepr::Bytes(bytes)),
            Constant::Tuple(items) => {
                write!(f, "({}{})", pyrepr::comma_separated(items), if items.len() == 1 { "," } else { "" })
            }
            Constant::FrozenSet(items) if items.is_empty() => f.write_str("frozenset()"),
            Constant::FrozenSet(items) => write!(f, "frozenset({{{}}})", pyrepr::comma_separated(items)),
            Constant::Slice(parts) => {
                write!(f, "slice({})", pyrepr::comma_separated(parts.map(optional)))
            }
            Constant::DType(dtype) => write!(f, "torch.{dtype}"),
            Constant::Device(device) => write_device(f, *device),
        }
    }
}

/// An integer, or `None`.
pub(crate) fn optional(value: Option<i64>) -> Constant {
    value.map_or(Constant::None, Constant::Int)
}

fn write_device(f: &mut Formatter<'_>, device: Device) -> fmt::Result {
    write!(f, "device(type='{}'", Device { index: None, ..device })?;
    match device.index {
        Some(index) => write!(f, ", index={index})"),
        None => f.write_str(")"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_is_identical() {
        assert_ne!(Constant::float(0.0), Constant::float(-0.0));
        assert_eq!(Constant::float(f64::NAN), Constant::float(-f64::NAN));
        assert_ne!(Constant::from(1), Constant::from(true));
        let (a, b) = (Constant::from("a"), Constant::from(2));
        assert_eq!(Constant::frozenset([a.clone(), b.clone()]), Constant::frozenset([b.clone(), a, b]));
    }

    #[test]
    fn constants_as_python_writes_them() {
        let one = Constant::Tuple(vec![1.into()]);
        let set = Constant::frozenset([2.into(), 1.into()]);
        assert_eq!(Constant::Tuple(vec![one, "a".into(), set]).to_string(), "((1,), 'a', frozenset({1, 2}))");
        assert_eq!(Constant::Slice([Some(1), None, Some(-2)]).to_string(), "slice(1, None, -2)");
        assert_eq!(Constant::Device("cuda:1".parse().expect("a device")).to_string(), "device(type='cuda', index=1)");
        assert_eq!(Constant::DType(DType::F32).to_string(), "torch.float32");
    }
}
