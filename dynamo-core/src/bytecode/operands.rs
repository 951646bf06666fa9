//! Operands of instructions, decoded: operators, intrinsics, conversions and flags as enumerations.
//!
//! The numbers are CPython's: `_nb_ops` and `_intrinsic_1_descs` of `Lib/opcode.py`, `Include/cpython/funcobject.h`,
//! and the operands in `Python/bytecodes.c`. They are the same in every version that knows them.

/// The bit of `LOAD_GLOBAL`, `LOAD_ATTR` and `LOAD_SUPER_ATTR` that asks for the empty slot, or the object, of a call.
pub const FOR_CALL: u32 = 1;
/// The bit of `CALL_FUNCTION_EX` that says that a dict of keyword arguments is there.
pub const HAS_KEYWORDS: u32 = 1;
/// The bit of `COMPARE_OP` that asks for a bool (3.13).
pub const AS_BOOL: u32 = 1 << 4;
/// The operator of `BINARY_OP` that subscripts (3.14).
pub const SUBSCRIPT: u32 = 26;
/// The bit of `FORMAT_VALUE` that says that a format specification is there.
pub const HAS_FORMAT_SPEC: u32 = 4;

/// An operator of `BINARY_OP`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOperator {
    /// `+`
    Add,
    /// `&`
    And,
    /// `//`
    FloorDivide,
    /// `<<`
    LeftShift,
    /// `@`
    MatrixMultiply,
    /// `*`
    Multiply,
    /// `%`
    Remainder,
    /// `|`
    Or,
    /// `**`
    Power,
    /// `>>`
    RightShift,
    /// `-`
    Subtract,
    /// `/`
    TrueDivide,
    /// `^`
    Xor,
}

impl BinaryOperator {
    /// In the order of their numbers, with their names in the module `operator`, plain and in place, and their symbols.
    const ROWS: [(BinaryOperator, &'static str, &'static str, &'static str); 13] = [
        (BinaryOperator::Add, "add", "iadd", "+"),
        (BinaryOperator::And, "and_", "iand", "&"),
        (BinaryOperator::FloorDivide, "floordiv", "ifloordiv", "//"),
        (BinaryOperator::LeftShift, "lshift", "ilshift", "<<"),
        (BinaryOperator::MatrixMultiply, "matmul", "imatmul", "@"),
        (BinaryOperator::Multiply, "mul", "imul", "*"),
        (BinaryOperator::Remainder, "mod", "imod", "%"),
        (BinaryOperator::Or, "or_", "ior", "|"),
        (BinaryOperator::Power, "pow", "ipow", "**"),
        (BinaryOperator::RightShift, "rshift", "irshift", ">>"),
        (BinaryOperator::Subtract, "sub", "isub", "-"),
        (BinaryOperator::TrueDivide, "truediv", "itruediv", "/"),
        (BinaryOperator::Xor, "xor", "ixor", "^"),
    ];

    /// The operator of this argument of `BINARY_OP`, and whether it is the form in place.
    pub fn decode(arg: u32) -> Option<(BinaryOperator, bool)> {
        let (at, count) = (arg as usize, Self::ROWS.len());
        let &(operator, ..) = Self::ROWS.get(at % count).filter(|_| at < 2 * count)?;
        Some((operator, at >= count))
    }

    /// The operator of this name in the module `operator`, and whether it is the form in place.
    pub fn named(name: &str) -> Option<(BinaryOperator, bool)> {
        let row = Self::ROWS.iter().find(|(_, plain, in_place, _)| [plain, in_place].contains(&&name));
        row.map(|&(operator, plain, ..)| (operator, plain != name))
    }

    /// The argument of `BINARY_OP`, of the form that gives a new value.
    pub fn number(self) -> u32 {
        self as u32
    }

    /// Its name in the module `operator`.
    pub fn name(self) -> &'static str {
        Self::ROWS[self as usize].1
    }

    /// Its symbol, that of the form which gives a new value.
    pub fn symbol(self) -> &'static str {
        Self::ROWS[self as usize].3
    }

    /// The name of its form in place.
    pub fn in_place_name(self) -> &'static str {
        Self::ROWS[self as usize].2
    }
}

/// The functions behind `CALL_INTRINSIC_1`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Intrinsic1 {
    /// `INTRINSIC_PRINT`
    Print = 1,
    /// `INTRINSIC_IMPORT_STAR`
    ImportStar,
    /// `INTRINSIC_STOPITERATION_ERROR`
    StopIterationError,
    /// `INTRINSIC_ASYNC_GEN_WRAP`
    AsyncGenWrap,
    /// `INTRINSIC_UNARY_POSITIVE`
    UnaryPositive,
    /// `INTRINSIC_LIST_TO_TUPLE`
    ListToTuple,
    /// `INTRINSIC_TYPEVAR`
    TypeVar,
    /// `INTRINSIC_PARAMSPEC`
    ParamSpec,
    /// `INTRINSIC_TYPEVARTUPLE`
    TypeVarTuple,
    /// `INTRINSIC_SUBSCRIPT_GENERIC`
    SubscriptGeneric,
    /// `INTRINSIC_TYPEALIAS`
    TypeAlias,
}

impl Intrinsic1 {
    const ALL: [Intrinsic1; 11] = [
        Intrinsic1::Print,
        Intrinsic1::ImportStar,
        Intrinsic1::StopIterationError,
        Intrinsic1::AsyncGenWrap,
        Intrinsic1::UnaryPositive,
        Intrinsic1::ListToTuple,
        Intrinsic1::TypeVar,
        Intrinsic1::ParamSpec,
        Intrinsic1::TypeVarTuple,
        Intrinsic1::SubscriptGeneric,
        Intrinsic1::TypeAlias,
    ];

    /// The function of this argument.
    pub fn decode(arg: u32) -> Option<Intrinsic1> {
        Self::ALL.into_iter().find(|&known| known as u32 == arg)
    }
}

/// The functions behind `CALL_INTRINSIC_2`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Intrinsic2 {
    /// `INTRINSIC_PREP_RERAISE_STAR`
    PrepReraiseStar = 1,
    /// `INTRINSIC_TYPEVAR_WITH_BOUND`
    TypeVarWithBound,
    /// `INTRINSIC_TYPEVAR_WITH_CONSTRAINTS`
    TypeVarWithConstraints,
    /// `INTRINSIC_SET_FUNCTION_TYPE_PARAMS`
    SetFunctionTypeParams,
    /// `INTRINSIC_SET_TYPEPARAM_DEFAULT`
    SetTypeParamDefault,
}

/// A constant of the interpreter's own, given by `LOAD_COMMON_CONSTANT`, with its dotted name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CommonConstant {
    /// A class.
    Class(&'static str),
    /// A builtin function.
    Function(&'static str),
}

impl CommonConstant {
    /// In the order of their numbers: `_common_constants` of `Lib/opcode.py`.
    const ALL: [CommonConstant; 5] = [
        CommonConstant::Class("builtins.AssertionError"),
        CommonConstant::Class("builtins.NotImplementedError"),
        CommonConstant::Class("builtins.tuple"),
        CommonConstant::Function("builtins.all"),
        CommonConstant::Function("builtins.any"),
    ];

    /// The constant of this number.
    pub fn decode(arg: u32) -> Option<CommonConstant> {
        Self::ALL.get(arg as usize).copied()
    }
}

/// A part of a function beside its code, given by `MAKE_FUNCTION` (a flag each) or `SET_FUNCTION_ATTRIBUTE`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FunctionAttribute {
    /// `__defaults__`
    Defaults = 1,
    /// `__kwdefaults__`
    KwDefaults = 2,
    /// `__annotations__`
    Annotations = 4,
    /// `__closure__`
    Closure = 8,
    /// `__annotate__` (3.14)
    Annotate = 16,
}

impl FunctionAttribute {
    /// As their values lie on the stack, the top one first. `MAKE_FUNCTION` has no flag for the first.
    const FROM_TOP: [FunctionAttribute; 5] = [
        FunctionAttribute::Annotate,
        FunctionAttribute::Closure,
        FunctionAttribute::Annotations,
        FunctionAttribute::KwDefaults,
        FunctionAttribute::Defaults,
    ];

    /// The attributes that the flags of `MAKE_FUNCTION` name, as their values lie on the stack, the top one first.
    pub fn of_flags(flags: u32) -> impl Iterator<Item = FunctionAttribute> {
        Self::FROM_TOP.into_iter().filter(move |&attribute| flags & attribute as u32 != 0)
    }

    /// The attribute of this argument of `SET_FUNCTION_ATTRIBUTE`.
    pub fn decode(arg: u32) -> Option<FunctionAttribute> {
        Self::FROM_TOP.into_iter().find(|&attribute| attribute as u32 == arg)
    }
}

/// The conversion of a replacement field: `!s`, `!r`, `!a`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Conversion {
    /// `!s`
    Str,
    /// `!r`
    Repr,
    /// `!a`
    Ascii,
}

impl Conversion {
    /// The conversion in the argument of `FORMAT_VALUE` or `CONVERT_VALUE`, if there is one.
    pub fn decode(arg: u32) -> Option<Conversion> {
        [None, Some(Conversion::Str), Some(Conversion::Repr), Some(Conversion::Ascii)][(arg & 3) as usize]
    }

    /// The dotted name of the builtin function that converts.
    pub fn function(self) -> &'static str {
        match self {
            Conversion::Str => "builtins.str",
            Conversion::Repr => "builtins.repr",
            Conversion::Ascii => "builtins.ascii",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binary_operators_stand_at_their_numbers() {
        for arg in 0..26 {
            let (operator, in_place) = BinaryOperator::decode(arg).expect("it is known");
            assert_eq!((operator.number(), in_place), (arg % 13, arg >= 13));
        }
        assert_eq!(BinaryOperator::decode(26), None);
        assert_eq!(BinaryOperator::named("sub"), Some((BinaryOperator::Subtract, false)));
        assert_eq!(BinaryOperator::named("isub"), Some((BinaryOperator::Subtract, true)));
    }

    #[test]
    fn attributes_of_functions_come_from_the_top() {
        let all: Vec<_> = FunctionAttribute::of_flags(1 | 8).collect();
        assert_eq!(all, [FunctionAttribute::Closure, FunctionAttribute::Defaults]);
        assert_eq!(FunctionAttribute::decode(3), None);
    }
}
