//! The computations of scalars.

use super::{Arg, Binding, Local, Shared, Val, Var};
use fx::prim::Pointwise;
use smallvec::SmallVec;

/// The computations of a scalar. Unless stated otherwise, operands and result have one type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// The value with these bits (zero-extended).
    Const(u64),
    /// A launch argument, an `i32`.
    Arg(Arg),
    /// The thread's number in its group, an `i32`.
    Thread,
    /// The group's number, an `i32`; it may be beyond the stage's number of groups
    /// ([`split_groups`](super::split_groups)), where the code does nothing.
    Group,
    /// The counter of a `For`, an `i32`.
    Counter,
    /// An element of a `LoadVector`.
    Lane,
    /// Of one operand.
    Unary(Unary, Val),
    /// Of two operands; comparisons give `bool`.
    Binary(Binary, Val, Val),
    /// The second where the first (a `bool`) is true, else the third.
    Select(Val, Val, Val),
    /// `a * b + c` on floats, rounded once where the device can.
    Fma(Val, Val, Val),
    /// A function of floats that the device has: of [`Capabilities::functions`](super::Capabilities::functions).
    Call(Pointwise, SmallVec<[Val; 2]>),
    /// A number as another type: floats truncate, integers wrap, `bool` is 0 or 1 (and never the result).
    Cast(Val),
    /// The bits as another type of the same width.
    Bits(Val),
    /// The bits (a `u32`) of an `f32` rounded to a float of 16 bits: where the device
    /// [has](super::Capabilities::halves) it.
    Narrow(Half, Val),
    /// The `f32` that a float of 16 bits is, by its bits (a `u32`): where the device has it.
    Widen(Half, Val),
    /// An element of a buffer, as its [`Mem::register`](super::Mem::register); the index is an `i32`.
    Load(Binding, Val),
    /// An element of workgroup memory; the index is an `i32`.
    LoadShared(Shared, Val),
    /// An element of an array of the thread; the index is an `i32`.
    LoadLocal(Local, Val),
    /// The value of another thread of the subgroup: of that whose number differs in these bits. All threads of the
    /// group are here; no `bool`.
    Shuffle(Val, u32),
    /// A variable's value at this point.
    Get(Var),
    /// Replaces an element of an atomic buffer by `new` if it is `old`, and says whether it did (a `bool`); it may
    /// fail for no reason.
    Exchange {
        /// The buffer.
        binding: Binding,
        /// The element's index, an `i32`.
        index: Val,
        /// The expected value.
        old: Val,
        /// The replacement.
        new: Val,
    },
}

/// The formats of floats of 16 bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Half {
    /// IEEE 754's, with 5 bits of exponent.
    F16,
    /// The upper half of an `f32`.
    BF16,
}

/// Operations of one operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unary {
    /// `-x`; integers wrap.
    Neg,
    /// Complement; logical on `bool`.
    Not,
    /// `|x|` of floats.
    Abs,
    /// Towards −∞.
    Floor,
    /// Towards +∞.
    Ceil,
    /// Towards 0.
    Trunc,
    /// To nearest, ties to even.
    Round,
    /// Square root.
    Sqrt,
}

/// Operations of two operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Binary {
    /// `a + b`; integers wrap.
    Add,
    /// `a - b`; integers wrap.
    Sub,
    /// `a * b`; integers wrap.
    Mul,
    /// `a / b`; integers truncate, and by 0 have no value worth using.
    Div,
    /// The rest of the truncated quotient of integers.
    Rem,
    /// Bits of both; logical on `bool`.
    And,
    /// Bits of either; logical on `bool`.
    Or,
    /// Bits of one; logical on `bool`.
    Xor,
    /// Shift left by less than the width.
    Shl,
    /// Shift right by less than the width; keeps the sign of signed types.
    Shr,
    /// The lesser of integers.
    Min,
    /// The greater of integers.
    Max,
    /// Equal; a `bool`.
    Eq,
    /// Not equal; a `bool`.
    Ne,
    /// Less; a `bool`.
    Lt,
    /// Less or equal; a `bool`.
    Le,
    /// Greater; a `bool`.
    Gt,
    /// Greater or equal; a `bool`.
    Ge,
}

impl Binary {
    /// True for those that give a `bool`.
    pub const fn compares(self) -> bool {
        matches!(self, Binary::Eq | Binary::Ne | Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge)
    }
}

impl Op {
    /// Calls `visit` with every operand.
    pub fn operands(&self, mut visit: impl FnMut(Val)) {
        match self {
            Op::Const(_) | Op::Arg(_) | Op::Thread | Op::Group | Op::Counter | Op::Lane | Op::Get(_) => {}
            Op::Unary(_, a)
            | Op::Cast(a)
            | Op::Bits(a)
            | Op::Narrow(_, a)
            | Op::Widen(_, a)
            | Op::Load(_, a)
            | Op::LoadShared(_, a)
            | Op::LoadLocal(_, a)
            | Op::Shuffle(a, _) => visit(*a),
            Op::Binary(_, a, b) => [*a, *b].into_iter().for_each(visit),
            Op::Select(a, b, c) | Op::Fma(a, b, c) => [*a, *b, *c].into_iter().for_each(visit),
            Op::Call(_, args) => args.iter().copied().for_each(visit),
            Op::Exchange { index, old, new, .. } => [*index, *old, *new].into_iter().for_each(visit),
        }
    }

    /// True for what is defined everywhere, without a `Let`.
    pub const fn is_given(&self) -> bool {
        matches!(self, Op::Const(_) | Op::Arg(_) | Op::Thread | Op::Group)
    }

    /// True if the value depends on the operands alone, so that it may be computed anywhere and shared.
    pub const fn is_pure(&self) -> bool {
        !matches!(
            self,
            Op::Load(..)
                | Op::LoadShared(..)
                | Op::LoadLocal(..)
                | Op::Shuffle(..)
                | Op::Get(_)
                | Op::Exchange { .. }
                | Op::Counter
                | Op::Lane
        )
    }
}
