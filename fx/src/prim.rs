//! The primitives: the closed set of scalar operations and reductions that every later stage matches exhaustively.
//!
//! One row here is the only place where a primitive's name, arity, domain, result type and cost class stand. The ATen
//! table ties overloads to these rows; loop IR computes with them; emitters print them; interpreters evaluate them.
//!
//! Conventions: the operands of one primitive have one dtype (conversion is explicit), except the condition of
//! `where`, which is `bool`, and the amount of a shift, which has the dtype of the shifted value.

use crate::scalar::Scalar;
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};
use symshapes::DType;

/// The dtypes on which a pointwise primitive is defined. The condition of `where` is not asked about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Domain {
    /// All.
    All,
    /// All but `bool`.
    Numbers,
    /// Floating point alone.
    Floats,
    /// Integers and `bool`.
    Bits,
    /// Integers alone.
    Ints,
}

impl Domain {
    /// True if the primitive is defined on operands of this dtype.
    pub fn contains(self, dtype: DType) -> bool {
        match self {
            Domain::All => true,
            Domain::Numbers => dtype != DType::Bool,
            Domain::Floats => dtype.is_float(),
            Domain::Bits => !dtype.is_float(),
            Domain::Ints => dtype.is_int(),
        }
    }
}

/// The rules for the result dtype of a pointwise primitive, from the dtype of its (last) operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Result {
    /// The operands' type.
    Same,
    /// `bool`.
    Bool,
}

/// The cost classes of primitives on a vector unit: fusion weighs them when it decides between recomputing and storing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Cost {
    /// One or two instructions.
    Cheap,
    /// A division or square root: some ten times a cheap one.
    Medium,
    /// A polynomial: some tens of instructions.
    Dear,
}

macro_rules! pointwise {
    ($($(#[$doc:meta])* $variant:ident $name:literal $arity:literal $domain:ident $result:ident $cost:ident;)*) => {
        /// A scalar operation, applied to each element.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
        pub enum Pointwise {
            $($(#[$doc])* $variant,)*
        }

        impl Pointwise {
            /// Every row, in table order.
            pub const ALL: &[Pointwise] = &[$(Pointwise::$variant),*];

            /// The name in text forms.
            pub const fn name(self) -> &'static str {
                match self { $(Pointwise::$variant => $name,)* }
            }

            /// The number of operands.
            pub const fn arity(self) -> usize {
                match self { $(Pointwise::$variant => $arity,)* }
            }

            /// The dtypes on which it is defined.
            pub const fn domain(self) -> Domain {
                match self { $(Pointwise::$variant => Domain::$domain,)* }
            }

            /// The rule for the dtype of the result.
            pub const fn result(self) -> Result {
                match self { $(Pointwise::$variant => Result::$result,)* }
            }

            /// The cost class.
            pub const fn cost(self) -> Cost {
                match self { $(Pointwise::$variant => Cost::$cost,)* }
            }
        }
    };
}

pointwise! {
    // Any number.
    /// `-x`; integers wrap.
    Neg "neg" 1 All Same Cheap;
    /// `|x|`; the least integer stays itself.
    Abs "abs" 1 All Same Cheap;
    /// −1, 0 or 1; NaN gives 0, as `torch.sign` does.
    Sign "sign" 1 All Same Cheap;
    /// `a + b`; integers wrap; `or` on bool.
    Add "add" 2 All Same Cheap;
    /// `a - b`; integers wrap.
    Sub "sub" 2 All Same Cheap;
    /// `a * b`; integers wrap; `and` on bool.
    Mul "mul" 2 All Same Cheap;
    /// Division: IEEE on floats; on integers truncating, and the caller has excluded zero divisors.
    Div "div" 2 All Same Medium;
    /// Python's `//`: floor of the quotient, with torch's treatment of infinities on floats.
    FloorDiv "floor_div" 2 All Same Medium;
    /// Python's `%`: the sign of the divisor.
    Remainder "remainder" 2 All Same Medium;
    /// C's `fmod`: the sign of the dividend.
    Fmod "fmod" 2 All Same Medium;
    /// The greater; NaN if either is NaN (`torch.maximum`).
    Maximum "maximum" 2 All Same Cheap;
    /// The lesser; NaN if either is NaN (`torch.minimum`).
    Minimum "minimum" 2 All Same Cheap;
    /// `a` to the power `b`; floats as C's `pow`; integers wrap, and negative exponents give 0 but for bases ±1.
    Pow "pow" 2 All Same Dear;
    /// `a * b + c`, rounded once.
    Fma "fma" 3 Floats Same Cheap;
    // Comparisons.
    /// `a == b`
    Eq "eq" 2 All Bool Cheap;
    /// `a != b`; true on NaN.
    Ne "ne" 2 All Bool Cheap;
    /// `a < b`
    Lt "lt" 2 All Bool Cheap;
    /// `a <= b`
    Le "le" 2 All Bool Cheap;
    /// `a > b`
    Gt "gt" 2 All Bool Cheap;
    /// `a >= b`
    Ge "ge" 2 All Bool Cheap;
    /// `cond ? a : b`; the first operand is bool.
    Where "where" 3 All Same Cheap;
    // Bits.
    /// Bitwise and; logical on bool.
    And "and" 2 Bits Same Cheap;
    /// Bitwise or; logical on bool.
    Or "or" 2 Bits Same Cheap;
    /// Bitwise exclusive or; logical on bool.
    Xor "xor" 2 Bits Same Cheap;
    /// Bitwise complement; logical on bool.
    Not "not" 1 Bits Same Cheap;
    /// `a << b`; 0 where `b` is negative or at least the width, as torch gives.
    Shl "shl" 2 Ints Same Cheap;
    /// `a >> b`, arithmetic on signed types; all sign bits where `b` is out of range.
    Shr "shr" 2 Ints Same Cheap;
    // Rounding (floats).
    /// Towards −∞.
    Floor "floor" 1 Floats Same Cheap;
    /// Towards +∞.
    Ceil "ceil" 1 Floats Same Cheap;
    /// Towards 0.
    Trunc "trunc" 1 Floats Same Cheap;
    /// To nearest, ties to even.
    Round "round" 1 Floats Same Cheap;
    /// True on NaN.
    IsNan "isnan" 1 Floats Bool Cheap;
    /// True on ±∞.
    IsInf "isinf" 1 Floats Bool Cheap;
    /// True where the sign bit is set (negative zero too).
    Signbit "signbit" 1 Floats Bool Cheap;
    /// The magnitude of `a` with the sign of `b`.
    Copysign "copysign" 2 Floats Same Cheap;
    // Roots and powers (floats).
    /// Square root, correctly rounded.
    Sqrt "sqrt" 1 Floats Same Medium;
    /// `1 / sqrt(x)`
    Rsqrt "rsqrt" 1 Floats Same Medium;
    /// `1 / x`
    Reciprocal "reciprocal" 1 Floats Same Medium;
    // Elementary functions (floats).
    /// e to the x.
    Exp "exp" 1 Floats Same Dear;
    /// 2 to the x.
    Exp2 "exp2" 1 Floats Same Dear;
    /// `exp(x) - 1`, accurate near 0.
    Expm1 "expm1" 1 Floats Same Dear;
    /// Natural logarithm.
    Log "log" 1 Floats Same Dear;
    /// Logarithm to base 2.
    Log2 "log2" 1 Floats Same Dear;
    /// Logarithm to base 10.
    Log10 "log10" 1 Floats Same Dear;
    /// `log(1 + x)`, accurate near 0.
    Log1p "log1p" 1 Floats Same Dear;
    /// Sine.
    Sin "sin" 1 Floats Same Dear;
    /// Cosine.
    Cos "cos" 1 Floats Same Dear;
    /// Tangent.
    Tan "tan" 1 Floats Same Dear;
    /// Inverse sine.
    Asin "asin" 1 Floats Same Dear;
    /// Inverse cosine.
    Acos "acos" 1 Floats Same Dear;
    /// Inverse tangent.
    Atan "atan" 1 Floats Same Dear;
    /// Angle of the point (`b`, `a`).
    Atan2 "atan2" 2 Floats Same Dear;
    /// Hyperbolic sine.
    Sinh "sinh" 1 Floats Same Dear;
    /// Hyperbolic cosine.
    Cosh "cosh" 1 Floats Same Dear;
    /// Hyperbolic tangent.
    Tanh "tanh" 1 Floats Same Dear;
    /// `1 / (1 + exp(-x))`
    Sigmoid "sigmoid" 1 Floats Same Dear;
    /// Error function.
    Erf "erf" 1 Floats Same Dear;
    /// `1 - erf(x)`, accurate in the tail.
    Erfc "erfc" 1 Floats Same Dear;
}

impl Pointwise {
    /// The dtype of the result on operands of dtype `operand`.
    pub fn result_dtype(self, operand: DType) -> DType {
        match self.result() {
            Result::Same => operand,
            Result::Bool => DType::Bool,
        }
    }
}

macro_rules! reductions {
    ($($(#[$doc:meta])* $variant:ident $name:literal;)*) => {
        /// An associative combination of the elements along some dimensions.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
        pub enum Reduction {
            $($(#[$doc])* $variant,)*
        }

        impl Reduction {
            /// Every row, in table order.
            pub const ALL: &[Reduction] = &[$(Reduction::$variant),*];

            /// The name in text forms.
            pub const fn name(self) -> &'static str {
                match self { $(Reduction::$variant => $name,)* }
            }
        }
    };
}

reductions! {
    /// Sum, accumulated accurately; 0 when empty.
    Sum "sum";
    /// Product; 1 when empty.
    Prod "prod";
    /// Maximum, NaN-propagating; needs an element.
    Max "max";
    /// Minimum, NaN-propagating; needs an element.
    Min "min";
    /// Logical or (on bool); false when empty.
    Any "any";
    /// Logical and (on bool); true when empty.
    All "all";
    /// Position of the first maximum in the flattened reduced space (`int64`); the first NaN wins.
    ArgMax "argmax";
    /// Position of the first minimum in the flattened reduced space (`int64`); the first NaN wins.
    ArgMin "argmin";
}

impl Reduction {
    /// The dtype of the result on elements of dtype `operand`.
    pub fn result_dtype(self, operand: DType) -> DType {
        match self {
            Reduction::ArgMax | Reduction::ArgMin => DType::I64,
            _ => operand,
        }
    }

    /// The element that changes no result: what reductions of elements of dtype `operand` begin with.
    pub fn identity(self, operand: DType) -> Scalar {
        let bits = if operand == DType::Bool { 1 } else { 8 * operand.size().min(8) as u32 };
        let (least, greatest) = match operand.is_signed() {
            true => (i64::MIN >> (64 - bits), i64::MAX >> (64 - bits)),
            false => (0, (1 << bits) - 1),
        };
        let (value, int) = match self {
            Reduction::Sum | Reduction::Any => (0.0, 0),
            Reduction::Prod | Reduction::All => (1.0, 1),
            Reduction::Max | Reduction::ArgMax => (f64::NEG_INFINITY, least),
            Reduction::Min | Reduction::ArgMin => (f64::INFINITY, greatest),
        };
        if operand.is_float() { Scalar::Float(value) } else { Scalar::Int(int) }
    }
}

impl fmt::Display for Pointwise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Reduction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is not in the primitive table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown primitive `{0}`")]
pub struct UnknownPrim(pub String);

impl FromStr for Pointwise {
    type Err = UnknownPrim;

    fn from_str(s: &str) -> std::result::Result<Pointwise, UnknownPrim> {
        Pointwise::ALL.iter().copied().find(|p| p.name() == s).ok_or_else(|| UnknownPrim(s.to_owned()))
    }
}

impl FromStr for Reduction {
    type Err = UnknownPrim;

    fn from_str(s: &str) -> std::result::Result<Reduction, UnknownPrim> {
        Reduction::ALL.iter().copied().find(|p| p.name() == s).ok_or_else(|| UnknownPrim(s.to_owned()))
    }
}
