//! Differences between the versions in the code that a [`Builder`](super::Builder) makes, one row per version.

use super::{Op, Version};

/// The conditions under which a jump is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Condition {
    /// The value is true.
    True,
    /// The value is false.
    False,
    /// It is `None`.
    None,
    /// It is not `None`.
    NotNone,
}

impl Condition {
    /// The condition for the other way.
    pub fn inverse(self) -> Condition {
        match self {
            Condition::True => Condition::False,
            Condition::False => Condition::True,
            Condition::None => Condition::NotNone,
            Condition::NotNone => Condition::None,
        }
    }
}

/// The code generation conventions of one version.
#[derive(Debug)]
pub(super) struct Dialect {
    /// Whether the `NULL` beside a plain callable lies below it.
    pub(super) null_below: bool,
    /// Whether `PRECALL` comes before `CALL`.
    pub(super) precall: bool,
    /// Whether the names of keyword arguments are a value on the stack, for `CALL_KW`; else `KW_NAMES` holds them.
    pub(super) call_kw: bool,
    /// The op that pushes a cell.
    pub(super) load_cell: Op,
    /// The op that loads a local that may not be bound, and raises then.
    pub(super) load_checked: Op,
    /// The op that loads a method and its object.
    pub(super) load_method: Op,
    /// Whether the flags of `MAKE_FUNCTION` say what else lies on the stack; else `SET_FUNCTION_ATTRIBUTE` follows.
    pub(super) function_flags: bool,
    /// Whether conditional jumps take any value; else they take `True` and `False` only.
    pub(super) any_truth: bool,
    /// Whether a call with unpacked arguments takes a slot for the dict of keyword arguments, empty or not; else a flag
    /// says whether there is one.
    pub(super) keywords_slot: bool,
    /// Whether subscripting is an operator of `BINARY_OP`.
    pub(super) subscript_operator: bool,
    /// Whether `NOT_TAKEN` follows conditional jumps.
    pub(super) not_taken: bool,
    /// Whether there are conditional jumps backwards.
    pub(super) backward_branches: bool,
    /// The conditional jumps forwards, in the order of [`Condition`].
    branches: [Op; 4],
}

impl Dialect {
    /// The row of a version.
    pub(super) fn of(version: Version) -> &'static Dialect {
        match version {
            Version::V311 => &V311,
            Version::V312 => &V312,
            Version::V313 => &V313,
            Version::V314 => &V314,
        }
    }

    /// The jump forwards under a condition.
    pub(super) fn branch(&self, condition: Condition) -> Op {
        self.branches[condition as usize]
    }
}

static V311: Dialect = Dialect {
    null_below: true,
    precall: true,
    call_kw: false,
    load_cell: Op::LoadClosure,
    load_checked: Op::LoadFast,
    load_method: Op::LoadMethod,
    function_flags: true,
    any_truth: true,
    keywords_slot: false,
    subscript_operator: false,
    not_taken: false,
    backward_branches: true,
    branches: [
        Op::PopJumpForwardIfTrue,
        Op::PopJumpForwardIfFalse,
        Op::PopJumpForwardIfNone,
        Op::PopJumpForwardIfNotNone,
    ],
};

static V312: Dialect = Dialect {
    precall: false,
    load_checked: Op::LoadFastCheck,
    load_method: Op::LoadAttr,
    backward_branches: false,
    branches: [Op::PopJumpIfTrue, Op::PopJumpIfFalse, Op::PopJumpIfNone, Op::PopJumpIfNotNone],
    ..V311
};

static V313: Dialect = Dialect {
    null_below: false,
    call_kw: true,
    load_cell: Op::LoadFast,
    function_flags: false,
    any_truth: false,
    ..V312
};

static V314: Dialect = Dialect { keywords_slot: true, subscript_operator: true, not_taken: true, ..V313 };
