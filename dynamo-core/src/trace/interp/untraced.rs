//! The instructions that end a graph: each opcode that is not traced, with the reason.
//!
//! Every opcode of every version is traced, or has a row here; a test sees to it.

use crate::bytecode::{
    Op,
    operands::{Intrinsic1, Intrinsic2},
};

const ASYNC: &str = "Coroutines and asynchronous generators are not compiled, and calls of them are not inlined.";
const GROUP: &str = "Groups of exceptions are not followed.";
const CLASS_BODY: &str = "It stands in class bodies and modules, which are not compiled.";
const TEMPLATE: &str = "Template strings hold objects of their own, which are not followed.";
const TYPE_PARAMETERS: &str = "It makes type parameters, with which nothing is computed.";

/// Opcodes that are not traced, by name.
pub const UNTRACED: &[(Op, &str)] = &[
    (Op::AsyncGenWrap, ASYNC),
    (Op::BeforeAsyncWith, ASYNC),
    (Op::BuildInterpolation, TEMPLATE),
    (Op::BuildTemplate, TEMPLATE),
    (Op::CheckEgMatch, GROUP),
    (Op::DeleteName, CLASS_BODY),
    (Op::EndAsyncFor, ASYNC),
    (Op::ExitInitCheck, "It stands in frames of the interpreter's own."),
    (Op::GetAiter, ASYNC),
    (Op::GetAnext, ASYNC),
    (Op::GetAwaitable, ASYNC),
    (Op::ImportStar, "It stands in modules, which are not compiled."),
    (Op::InterpreterExit, "It stands in frames of the interpreter's own."),
    (Op::LoadBuildClass, "It begins the making of a class, whose body is not compiled."),
    (Op::LoadClassderef, CLASS_BODY),
    (Op::LoadFromDictOrDeref, CLASS_BODY),
    (Op::LoadFromDictOrGlobals, CLASS_BODY),
    (Op::LoadLocals, CLASS_BODY),
    (Op::LoadName, CLASS_BODY),
    (Op::PrepReraiseStar, GROUP),
    (Op::PrintExpr, "It stands in what is typed at a prompt."),
    (Op::SetupAnnotations, CLASS_BODY),
    (Op::StoreName, CLASS_BODY),
];

/// The functions behind `CALL_INTRINSIC_1` and `CALL_INTRINSIC_2` that are not traced, by opcode and number.
pub const INTRINSICS: &[(Op, u32, &str)] = &[
    (Op::CallIntrinsic1, Intrinsic1::Print as u32, "It stands in what is typed at a prompt."),
    (Op::CallIntrinsic1, Intrinsic1::ImportStar as u32, "It stands in modules, which are not compiled."),
    (Op::CallIntrinsic1, Intrinsic1::AsyncGenWrap as u32, ASYNC),
    (Op::CallIntrinsic1, Intrinsic1::TypeVar as u32, TYPE_PARAMETERS),
    (Op::CallIntrinsic1, Intrinsic1::ParamSpec as u32, TYPE_PARAMETERS),
    (Op::CallIntrinsic1, Intrinsic1::TypeVarTuple as u32, TYPE_PARAMETERS),
    (Op::CallIntrinsic1, Intrinsic1::SubscriptGeneric as u32, TYPE_PARAMETERS),
    (Op::CallIntrinsic1, Intrinsic1::TypeAlias as u32, TYPE_PARAMETERS),
    (Op::CallIntrinsic2, Intrinsic2::PrepReraiseStar as u32, GROUP),
    (Op::CallIntrinsic2, Intrinsic2::TypeVarWithBound as u32, TYPE_PARAMETERS),
    (Op::CallIntrinsic2, Intrinsic2::TypeVarWithConstraints as u32, TYPE_PARAMETERS),
    (Op::CallIntrinsic2, Intrinsic2::SetFunctionTypeParams as u32, TYPE_PARAMETERS),
    (Op::CallIntrinsic2, Intrinsic2::SetTypeParamDefault as u32, TYPE_PARAMETERS),
];

/// The reason why an instruction is not traced, if there is a row for it.
pub(in crate::trace) fn reason(op: Op) -> Option<&'static str> {
    UNTRACED.iter().find(|&&(row, _)| row == op).map(|&(_, reason)| reason)
}
