//! One element of a tensor, outside of any tensor: what interpreters and constant folders compute with.

use half::{bf16, f16};
use serde::{Deserialize, Serialize};
use std::fmt;
use symshapes::DType;

/// A number. A bool is `Int(0)` or `Int(1)`; integers of every width are held as `i64`, floats as `f64`.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub enum Scalar {
    /// A bool or an integer.
    Int(i64),
    /// A floating-point number.
    Float(f64),
}

impl Scalar {
    /// The zero of `dtype`.
    pub fn zero(dtype: DType) -> Scalar {
        Scalar::Int(0).round_to(dtype)
    }

    /// The value as a float.
    pub fn as_f64(self) -> f64 {
        match self {
            Scalar::Int(i) => i as f64,
            Scalar::Float(x) => x,
        }
    }

    /// The value as an integer: floats are truncated; NaN and what does not fit give the least `i64`, as x86 does.
    pub fn as_i64(self) -> i64 {
        match self {
            Scalar::Int(i) => i,
            Scalar::Float(x) if (-(2f64.powi(63))..2f64.powi(63)).contains(&x) => x as i64,
            Scalar::Float(_) => i64::MIN,
        }
    }

    /// The value as a condition: everything but zero is true (NaN too).
    pub fn as_bool(self) -> bool {
        match self {
            Scalar::Int(i) => i != 0,
            Scalar::Float(x) => x != 0.0,
        }
    }

    /// The value that a tensor of `dtype` holds after this one is stored in it: integers wrap in their width, floats
    /// are rounded to nearest (to the half types by way of `float32`, as torch computes), bool is "not zero".
    pub fn round_to(self, dtype: DType) -> Scalar {
        match dtype {
            DType::Bool => Scalar::Int(self.as_bool().into()),
            DType::U8 => Scalar::Int((self.as_i64() as u8).into()),
            DType::I8 => Scalar::Int((self.as_i64() as i8).into()),
            DType::I16 => Scalar::Int((self.as_i64() as i16).into()),
            DType::I32 => Scalar::Int((self.as_i64() as i32).into()),
            DType::I64 => Scalar::Int(self.as_i64()),
            DType::F16 => Scalar::Float(f16::from_f32(self.as_f32()).to_f64()),
            DType::BF16 => Scalar::Float(bf16::from_f32(self.as_f32()).to_f64()),
            DType::F32 => Scalar::Float(self.as_f32().into()),
            // Complex numbers are not computed with; their real part keeps its value.
            DType::F64 | DType::C64 | DType::C128 => Scalar::Float(self.as_f64()),
        }
    }

    /// True if torch converts the value to `dtype` where it checks that nothing is lost: integers that are in range
    /// (unsigned ones wrap negative integers), floats whose size is, infinities and NaN.
    pub fn fits(self, dtype: DType) -> bool {
        let (least, most) = match dtype {
            DType::Bool | DType::F64 | DType::C64 | DType::C128 => return true,
            DType::U8 => (0, i64::from(u8::MAX)),
            DType::I8 => (i64::from(i8::MIN), i64::from(i8::MAX)),
            DType::I16 => (i64::from(i16::MIN), i64::from(i16::MAX)),
            DType::I32 => (i64::from(i32::MIN), i64::from(i32::MAX)),
            DType::I64 => (i64::MIN, i64::MAX),
            DType::F16 => return self.is_at_most(f16::MAX.to_f64()),
            DType::BF16 => return self.is_at_most(bf16::MAX.to_f64()),
            DType::F32 => return self.is_at_most(f32::MAX.into()),
        };
        match self {
            Scalar::Int(i) => (if least == 0 { -most } else { least }..=most).contains(&i),
            Scalar::Float(x) => x >= least as f64 && x <= most as f64,
        }
    }

    fn is_at_most(self, most: f64) -> bool {
        let x = self.as_f64();
        !x.is_finite() || x.abs() <= most
    }

    /// The value as a `float32`, rounded once.
    fn as_f32(self) -> f32 {
        match self {
            Scalar::Int(i) => i as f32,
            Scalar::Float(x) => x as f32,
        }
    }
}

/// Converts a value of dtype `from` to dtype `to`, as `Tensor.to(dtype)` does.
pub fn convert(value: Scalar, from: DType, to: DType) -> Scalar {
    value.round_to(from).round_to(to)
}

impl From<bool> for Scalar {
    fn from(b: bool) -> Scalar {
        Scalar::Int(b.into())
    }
}

impl From<i64> for Scalar {
    fn from(i: i64) -> Scalar {
        Scalar::Int(i)
    }
}

impl From<f64> for Scalar {
    fn from(x: f64) -> Scalar {
        Scalar::Float(x)
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Int(i) => write!(f, "{i}"),
            Scalar::Float(x) => write!(f, "{x:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn storing_wraps_rounds_and_normalises() {
        let cases = [
            (Scalar::Int(300), DType::U8, Scalar::Int(44)),
            (Scalar::Int(200), DType::I8, Scalar::Int(-56)),
            (Scalar::Float(-1.9), DType::I32, Scalar::Int(-1)),
            (Scalar::Float(f64::NAN), DType::Bool, Scalar::Int(1)),
            (Scalar::Float(-0.0), DType::Bool, Scalar::Int(0)),
            (Scalar::Float(0.1), DType::F32, Scalar::Float(0.1f32.into())),
            (Scalar::Float(1e6), DType::F16, Scalar::Float(f64::INFINITY)),
            (Scalar::Int(257), DType::BF16, Scalar::Float(256.0)),
            (Scalar::Int((1 << 24) + 1), DType::F32, Scalar::Float(16777216.0)),
        ];
        for (value, dtype, want) in cases {
            assert_eq!(value.round_to(dtype), want, "{value} to {dtype}");
        }
    }
}
