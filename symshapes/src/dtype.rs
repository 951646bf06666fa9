//! Element types and devices, as every other crate names them.
//!
//! Invariant: this module knows no tensor library; the names are PyTorch's, the codes are its `ScalarType`.

use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// Declares the dtype table: one row per dtype.
macro_rules! dtypes {
    ($($variant:ident $name:literal code $code:literal bytes $bytes:literal $class:ident;)*) => {
        /// The element type of a tensor.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
        pub enum DType {
            $(#[doc = concat!("`torch.", $name, "`")] $variant,)*
        }

        impl DType {
            /// Every dtype, in table order.
            pub const ALL: &[DType] = &[$(DType::$variant),*];

            /// The name without the `torch.` prefix.
            pub const fn name(self) -> &'static str {
                match self { $(DType::$variant => $name,)* }
            }

            /// PyTorch's `c10::ScalarType` value.
            pub const fn torch_code(self) -> i32 {
                match self { $(DType::$variant => $code,)* }
            }

            /// The dtype with this `c10::ScalarType` value, if it is one of ours.
            #[inline]
            pub const fn from_torch_code(code: i32) -> Option<DType> {
                match code { $($code => Some(DType::$variant),)* _ => None }
            }

            /// Bytes of one element in memory.
            pub const fn size(self) -> usize {
                match self { $(DType::$variant => $bytes,)* }
            }

            /// The kind of number.
            pub const fn class(self) -> DTypeClass {
                match self { $(DType::$variant => DTypeClass::$class,)* }
            }
        }
    };
}

dtypes! {
    Bool "bool" code 11 bytes 1 Bool;
    U8 "uint8" code 0 bytes 1 Int;
    I8 "int8" code 1 bytes 1 Int;
    I16 "int16" code 2 bytes 2 Int;
    I32 "int32" code 3 bytes 4 Int;
    I64 "int64" code 4 bytes 8 Int;
    F16 "float16" code 5 bytes 2 Float;
    BF16 "bfloat16" code 15 bytes 2 Float;
    F32 "float32" code 6 bytes 4 Float;
    F64 "float64" code 7 bytes 8 Float;
    C64 "complex64" code 9 bytes 8 Complex;
    C128 "complex128" code 10 bytes 16 Complex;
}

/// The kind of number, in PyTorch's promotion order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum DTypeClass {
    /// `torch.bool`
    Bool,
    /// Signed and unsigned integers.
    Int,
    /// Floating point.
    Float,
    /// Complex floating point.
    Complex,
}

impl DType {
    /// True for floating point (not complex).
    pub fn is_float(self) -> bool {
        self.class() == DTypeClass::Float
    }

    /// True for integers (not bool).
    pub fn is_int(self) -> bool {
        self.class() == DTypeClass::Int
    }

    /// True for the dtypes whose negative values exist.
    pub fn is_signed(self) -> bool {
        !matches!(self, DType::Bool | DType::U8)
    }

    /// The dtype in which arithmetic on this one is carried out: half types compute in `float32`.
    pub fn compute(self) -> DType {
        match self {
            DType::F16 | DType::BF16 => DType::F32,
            other => other,
        }
    }

    /// PyTorch's type promotion of two dtypes of equal standing (`torch.promote_types`).
    pub fn promote(self, other: DType) -> DType {
        use DType::*;
        let (a, b) = if self.class() >= other.class() { (self, other) } else { (other, self) };
        if a == b {
            return a;
        }
        if a.class() != b.class() {
            return match (a, b) {
                (C64, F64) => C128,
                _ => a,
            };
        }
        match (a, b) {
            (F16, BF16) | (BF16, F16) => F32,
            // An unsigned byte and a signed byte need the next signed width.
            (U8, I8) | (I8, U8) => I16,
            _ if a.size() == b.size() => a.max(b),
            _ if a.size() > b.size() => a,
            _ => b,
        }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A dtype name that is not in the table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown dtype `{0}`")]
pub struct UnknownDType(pub String);

impl FromStr for DType {
    type Err = UnknownDType;

    fn from_str(s: &str) -> Result<DType, UnknownDType> {
        let bare = s.strip_prefix("torch.").unwrap_or(s);
        DType::ALL.iter().copied().find(|d| d.name() == bare).ok_or_else(|| UnknownDType(s.to_owned()))
    }
}

/// A device: a kind and an index.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Device {
    /// The kind of device.
    pub kind: DeviceKind,
    /// The number among devices of that kind; `None` is the current one.
    pub index: Option<u16>,
}

/// The kinds of device that a graph may name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum DeviceKind {
    /// The host.
    Cpu,
    /// An NVIDIA GPU.
    Cuda,
    /// Shapes without data.
    Meta,
    /// Any device that we do not compile for.
    Other,
}

impl DeviceKind {
    /// The name that torch has for it; "other" for any that we do not compile for.
    pub fn name(self) -> &'static str {
        match self {
            DeviceKind::Cpu => "cpu",
            DeviceKind::Cuda => "cuda",
            DeviceKind::Meta => "meta",
            DeviceKind::Other => "other",
        }
    }
}

impl Device {
    /// The host.
    pub const CPU: Device = Device { kind: DeviceKind::Cpu, index: None };
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = self.kind.name();
        match self.index {
            Some(i) => write!(f, "{kind}:{i}"),
            None => f.write_str(kind),
        }
    }
}

impl FromStr for Device {
    type Err = std::num::ParseIntError;

    fn from_str(s: &str) -> Result<Device, Self::Err> {
        let (kind, index) = match s.split_once(':') {
            Some((kind, index)) => (kind, Some(index.parse()?)),
            None => (s, None),
        };
        let kind = match kind {
            "cpu" => DeviceKind::Cpu,
            "cuda" => DeviceKind::Cuda,
            "meta" => DeviceKind::Meta,
            _ => DeviceKind::Other,
        };
        Ok(Device { kind, index })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_codes_round_trip() {
        for &d in DType::ALL {
            assert_eq!(d.name().parse(), Ok(d));
            assert_eq!(format!("torch.{d}").parse(), Ok(d));
            assert_eq!(DType::from_torch_code(d.torch_code()), Some(d));
        }
        assert!("float31".parse::<DType>().is_err());
    }

    #[test]
    fn promotion_is_symmetric_and_as_torch_has_it() {
        for &a in DType::ALL {
            for &b in DType::ALL {
                assert_eq!(a.promote(b), b.promote(a), "{a} {b}");
            }
        }
        assert_eq!(DType::I64.promote(DType::F16), DType::F16);
        assert_eq!(DType::Bool.promote(DType::U8), DType::U8);
        assert_eq!(DType::U8.promote(DType::I64), DType::I64);
        assert_eq!(DType::F64.promote(DType::C64), DType::C128);
    }
}
