//! The nodes that floats are made of, their functions, and how they become integers.

use crate::ids::{Expr, Float, Sym};
use serde::{Deserialize, Serialize};

/// One interned float.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum FloatNode {
    /// A constant, by its bits.
    Const(u64),
    /// A variable.
    Sym(Sym),
    /// The nearest double of an integer.
    Int(Expr),
    /// The nearest double of a quotient of integers.
    IntTrueDiv(Expr, Expr),
    /// A function of one float.
    Unary(FloatUnary, Float),
    /// A function of two.
    Binary(FloatBinary, Float, Float),
    /// The nearest decimal fraction of so many digits after the point, or multiple of a power of ten where the number
    /// is negative, as Python's `round(x, digits)`.
    RoundDecimal(Float, i16),
}

/// Declares an operation's variants with the names that torch prints, and the values that they give.
macro_rules! functions {
    ($(#[$doc:meta])* $name:ident($($arg:ident),*): $($variant:ident $text:literal $python:literal $value:expr;)*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
        #[allow(missing_docs, reason = "each is named as the function is")]
        pub enum $name { $($variant),* }

        impl $name {
            /// Every function.
            pub const ALL: &[$name] = &[$($name::$variant),*];

            /// The name that torch prints; empty for an operator.
            pub const fn name(self) -> &'static str {
                match self { $($name::$variant => $text),* }
            }

            /// The function in Python; empty for an operator.
            pub(crate) const fn python(self) -> &'static str {
                match self { $($name::$variant => $python),* }
            }

            /// The value for these operands.
            pub fn apply(self, $($arg: f64),*) -> f64 {
                match self { $($name::$variant => $value),* }
            }
        }
    };
}

functions! {
    /// A function of one float.
    FloatUnary(x):
    Neg "" "" -x;
    Abs "Abs" "abs" x.abs();
    Sqrt "OpaqueUnaryFn_sqrt" "math.sqrt" x.sqrt();
    Exp "OpaqueUnaryFn_exp" "math.exp" x.exp();
    Log "OpaqueUnaryFn_log" "math.log" x.ln();
    Log2 "OpaqueUnaryFn_log2" "math.log2" x.log2();
    Sin "OpaqueUnaryFn_sin" "math.sin" x.sin();
    Cos "OpaqueUnaryFn_cos" "math.cos" x.cos();
    Tan "OpaqueUnaryFn_tan" "math.tan" x.tan();
    Asin "OpaqueUnaryFn_asin" "math.asin" x.asin();
    Acos "OpaqueUnaryFn_acos" "math.acos" x.acos();
    Atan "OpaqueUnaryFn_atan" "math.atan" x.atan();
    Sinh "OpaqueUnaryFn_sinh" "math.sinh" x.sinh();
    Cosh "OpaqueUnaryFn_cosh" "math.cosh" x.cosh();
    Tanh "OpaqueUnaryFn_tanh" "math.tanh" x.tanh();
}

functions! {
    /// A function of two floats.
    FloatBinary(x, y):
    Add "" "" x + y;
    Sub "" "" x - y;
    Mul "" "" x * y;
    TrueDiv "FloatTrueDiv" "" x / y;
    Pow "FloatPow" "" x.powf(y);
    Min "Min" "min" if y < x { y } else { x };
    Max "Max" "max" if y > x { y } else { x };
    FloorDiv "FloatFloorDiv" "" quotient_and_rest(x, y).0;
    Mod "FloatMod" "" quotient_and_rest(x, y).1;
}

/// Python's `divmod` of floats: the rest has the divisor's sign.
fn quotient_and_rest(x: f64, y: f64) -> (f64, f64) {
    let mut rest = x % y;
    let mut quotient = (x - rest) / y;
    if rest == 0.0 {
        rest = rest.copysign(y);
    } else if (y < 0.0) != (rest < 0.0) {
        rest += y;
        quotient -= 1.0;
    }
    if quotient == 0.0 {
        return (quotient.copysign(x / y), rest);
    }
    // What the subtraction has lost may be a whole one.
    let whole = quotient.floor();
    (if quotient - whole > 0.5 { whole + 1.0 } else { whole }, rest)
}

/// Integers up to this are doubles, and so is every quotient of them by a power of two.
pub(crate) const EXACT: i64 = 1 << 53;

/// The leaves of a float: its symbols, and the integers that it is made of.
pub(crate) enum Part {
    Sym(Sym),
    Int(Expr),
}

/// The ways in which a float becomes an integer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Rounding {
    /// Towards minus infinity.
    Floor,
    /// Towards infinity.
    Ceil,
    /// Towards zero.
    Trunc,
    /// To the nearest, of two equally near to the even one, as Python's `round`.
    Nearest,
}

impl Rounding {
    /// Every rounding.
    pub const ALL: [Rounding; 4] = [Rounding::Floor, Rounding::Ceil, Rounding::Trunc, Rounding::Nearest];

    /// The name that torch prints.
    pub const fn name(self) -> &'static str {
        match self {
            Rounding::Floor => "FloorToInt",
            Rounding::Ceil => "CeilToInt",
            Rounding::Trunc => "TruncToInt",
            Rounding::Nearest => "RoundToInt",
        }
    }

    /// The function in Python.
    pub(crate) const fn python(self) -> &'static str {
        match self {
            Rounding::Floor => "math.floor",
            Rounding::Ceil => "math.ceil",
            Rounding::Trunc => "math.trunc",
            Rounding::Nearest => "round",
        }
    }

    /// The integral double.
    pub(crate) fn whole(self, x: f64) -> f64 {
        match self {
            Rounding::Floor => x.floor(),
            Rounding::Ceil => x.ceil(),
            Rounding::Trunc => x.trunc(),
            Rounding::Nearest => x.round_ties_even(),
        }
    }

    /// The integer; `None` for what is not finite, or leaves `i64`.
    pub fn apply(self, x: f64) -> Option<i64> {
        let whole = self.whole(x);
        // The bound itself, 2**63, is the first double that is too large.
        #[expect(clippy::cast_possible_truncation, reason = "an integer within the bounds of i64")]
        (nearest(i64::MIN) <= whole && whole < nearest(i64::MAX)).then_some(whole as i64)
    }
}

/// The double nearest to an integer, as Python converts it.
#[expect(clippy::cast_precision_loss, reason = "rounding is what is asked for")]
pub(crate) fn nearest(value: i64) -> f64 {
    value as f64
}
