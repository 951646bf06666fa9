//! The operators of formulas: element-wise on tensors, plain arithmetic on numbers.

use crate::build::{Build, Outcome};
use fx::aten::Aten;
use fx::{Arg, NodeId};

/// An operator between two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Operation {
    Add,
    Sub,
    Mul,
    Div,
    Pow,
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
}

/// The value of an operator between two operands: a number if both are, else a new node.
pub(crate) fn binary(build: &mut Build, operation: Operation, left: Arg, right: Arg) -> Outcome<Arg> {
    use Operation::{Add, Div, Eq, Ge, Gt, Le, Lt, Mul, Pow, Sub};
    let is_one = |arg: &Arg| arg.as_float() == Some(1.0);
    let call = match (operation, left.as_node().is_some(), right.as_node().is_some()) {
        (_, false, false) => return numbers(build, operation, &left, &right),
        (Mul | Div, true, false) if is_one(&right) => return Ok(left),
        (Mul, false, true) if is_one(&left) => return Ok(right),
        (Add, false, true) => (Aten::add_Tensor, vec![right, left]),
        (Mul, false, true) => (Aten::mul_Tensor, vec![right, left]),
        (Sub, false, true) => (Aten::rsub_Scalar, vec![right, left]),
        (Div, false, true) => {
            let inverse = build.call(Aten::reciprocal_default, vec![right])?;
            (Aten::mul_Tensor, vec![Arg::Node(inverse), left])
        }
        (Add, ..) => (Aten::add_Tensor, vec![left, right]),
        (Sub, ..) => (Aten::sub_Tensor, vec![left, right]),
        (Mul, ..) => (Aten::mul_Tensor, vec![left, right]),
        (Div, ..) => (Aten::div_Tensor, vec![left, right]),
        (Pow, true, false) => (Aten::pow_Tensor_Scalar, vec![left, right]),
        (Pow, true, true) => (Aten::pow_Tensor_Tensor, vec![left, right]),
        (Lt, true, true) => (Aten::lt_Tensor, vec![left, right]),
        (Le, true, true) => (Aten::le_Tensor, vec![left, right]),
        (Gt, true, true) => (Aten::gt_Tensor, vec![left, right]),
        (Ge, true, true) => (Aten::ge_Tensor, vec![left, right]),
        (Eq, true, true) => (Aten::eq_Tensor, vec![left, right]),
        (Lt, true, false) => (Aten::lt_Scalar, vec![left, right]),
        (Le, true, false) => (Aten::le_Scalar, vec![left, right]),
        (Gt, true, false) => (Aten::gt_Scalar, vec![left, right]),
        (Ge, true, false) => (Aten::ge_Scalar, vec![left, right]),
        (Eq, true, false) => (Aten::eq_Scalar, vec![left, right]),
        _ => return Err("a number before a tensor".to_owned()),
    };
    build.call(call.0, call.1).map(Arg::Node)
}

/// The value of an operator between two numbers.
pub(crate) fn numbers(build: &mut Build, operation: Operation, left: &Arg, right: &Arg) -> Outcome<Arg> {
    let unknown = || "a number that is not constant".to_owned();
    if let (Some(left), Some(right)) = (build.expr(left), build.expr(right)) {
        let pool = &mut build.graph.exprs;
        let int = match operation {
            Operation::Add => Some(pool.add(left, right)),
            Operation::Sub => Some(pool.sub(left, right)),
            Operation::Mul => Some(pool.mul(left, right)),
            _ => None,
        };
        if let Some(int) = int.filter(|&int| !pool.is_overflow(int)) {
            return Ok(build.size_arg(int));
        }
    }
    let (left, right) = (left.as_float().ok_or_else(unknown)?, right.as_float().ok_or_else(unknown)?);
    Ok(match operation {
        Operation::Add => Arg::Float(left + right),
        Operation::Sub => Arg::Float(left - right),
        Operation::Mul => Arg::Float(left * right),
        Operation::Div => Arg::Float(left / right),
        Operation::Pow => Arg::Float(left.powf(right)),
        Operation::Lt => Arg::Bool(left < right),
        Operation::Le => Arg::Bool(left <= right),
        Operation::Gt => Arg::Bool(left > right),
        Operation::Ge => Arg::Bool(left >= right),
        Operation::Eq => Arg::Bool(left == right),
    })
}

/// The tensor that an operator between two operands gives, one of which is a tensor.
pub(crate) fn of_tensors(build: &mut Build, operation: Operation, left: Arg, right: Arg) -> Outcome<NodeId> {
    let value = binary(build, operation, left, right)?;
    value.as_node().ok_or_else(|| "an operator without tensors".to_owned())
}
