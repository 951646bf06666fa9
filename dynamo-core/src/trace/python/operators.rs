//! The functions of the module `operator`: what the operators do, by name.

use crate::{
    bytecode::{Comparison, operands::BinaryOperator},
    trace::{
        Traced, Tracer,
        core::value::{Value, ValueId},
    },
};
use guards::Constant;

/// The functions that torch's Dynamo does not put into the graph but traces, each of which gives one node. From
/// `torch/_dynamo/polyfills/operator.py`.
const TRACED: [&str; 18] = [
    "operator.add",
    "operator.and_",
    "operator.floordiv",
    "operator.getitem",
    "operator.inv",
    "operator.lshift",
    "operator.mod",
    "operator.mul",
    "operator.neg",
    "operator.not_",
    "operator.or_",
    "operator.pos",
    "operator.pow",
    "operator.rshift",
    "operator.setitem",
    "operator.sub",
    "operator.truediv",
    "operator.truth",
];

/// The function by its own name, if torch's Dynamo traces it: a node's `stack_trace` ends in that function's line.
pub(in crate::trace) fn traced_by_torch(name: &str) -> Option<&'static str> {
    TRACED.into_iter().find(|&known| known == name)
}

impl Tracer<'_> {
    /// `operator.name(*args)`; `None` if that is no operator.
    pub(in crate::trace) fn call_operator(&mut self, name: &str, args: &[ValueId]) -> Traced<Option<ValueId>> {
        Ok(Some(match (name, args) {
            ("not_", &[a]) => self.negation(a)?,
            ("truth", &[a]) if self.get(a)?.is_symbolic() => self.number_bool(a)?,
            ("truth", &[a]) => {
                let truth = self.truth(a)?;
                self.constant(Constant::Bool(truth))
            }
            ("concat", &[a, b]) if matches!(self.get(a)?, Value::Tuple(_) | Value::State(_)) => {
                self.binary_op(BinaryOperator::Add, a, b)?
            }
            ("neg" | "pos" | "invert", &[a]) => self.unary(name, a)?,
            ("inv", &[a]) => self.unary("invert", a)?,
            ("is_" | "is_not", &[a, b]) => {
                let same = self.is_same(a, b)?;
                self.constant(Constant::Bool(same == (name == "is_")))
            }
            ("contains", &[container, item]) => {
                let found = self.contains(container, item)?;
                self.constant(Constant::Bool(found))
            }
            ("getitem", &[container, key]) => self.get_item(container, key)?,
            ("setitem", &[container, key, value]) => {
                self.set_item(container, key, value)?;
                self.none()
            }
            ("delitem", &[container, key]) => {
                self.delete_item(container, key)?;
                self.none()
            }
            (_, &[a, b]) => return call_binary(self, name, a, b),
            _ => return Ok(None),
        }))
    }
}

/// A binary operator or comparison by its name in `operator`; `None` if that is none.
pub(in crate::trace) fn call_binary(t: &mut Tracer<'_>, name: &str, a: ValueId, b: ValueId) -> Traced<Option<ValueId>> {
    match (BinaryOperator::named(name), Comparison::named(name)) {
        (Some((operator, changes)), _) => t.binary(operator, changes, a, b).map(Some),
        (None, Some(comparison)) => t.compare(comparison, a, b).map(Some),
        (None, None) => Ok(None),
    }
}
