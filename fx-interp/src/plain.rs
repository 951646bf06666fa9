//! The calls in a graph that are no ATen overloads: picking from tuples, arithmetic on sizes.

use super::{Value, scalar};
use fx::{arg::Arg, prim::Pointwise, scalar::Scalar};
use symshapes::DType;

/// Calls `target`; `None` if it is not covered.
pub(super) fn call(target: &str, args: &[Value]) -> Option<Value> {
    match (target, args) {
        ("operator.getitem", [Value::Tuple(items), Value::Plain(Arg::Int(i))]) => {
            let at = if *i < 0 { *i + items.len() as i64 } else { *i };
            items.get(usize::try_from(at).ok()?).cloned()
        }
        (_, [Value::Plain(Arg::Int(a)), Value::Plain(Arg::Int(b))]) => arithmetic(target, *a, *b),
        ("operator.neg", [Value::Plain(Arg::Int(a))]) => Some(Value::Plain(Arg::Int(-a))),
        _ => None,
    }
}

/// Python's operators on two integers.
fn arithmetic(target: &str, a: i64, b: i64) -> Option<Value> {
    let op = match target {
        "operator.add" => Pointwise::Add,
        "operator.sub" => Pointwise::Sub,
        "operator.mul" => Pointwise::Mul,
        "operator.floordiv" if b != 0 => Pointwise::FloorDiv,
        "operator.mod" if b != 0 => Pointwise::Remainder,
        "operator.pow" if b >= 0 => Pointwise::Pow,
        _ => return None,
    };
    let value = scalar::pointwise(op, DType::I64, &[Scalar::Int(a), Scalar::Int(b)]);
    Some(Value::Plain(Arg::Int(value.as_i64())))
}
