//! Unary and binary operators, also in place.
//!
//! Operators on constants are computed by the interpreter itself, on tensors by the graph, on symbolic integers by the
//! environment; on containers they are spelled out here.

use crate::{
    bytecode::operands::BinaryOperator,
    reason::{Kind, Reason},
    trace::{
        Traced, Tracer,
        core::{
            state::{Sort, State},
            value::{Value, ValueId},
        },
        python::{containers, deques, tables},
        values::lists::repeat,
    },
};
use fx::Kind as NodeKind;
use guards::Constant;

impl Tracer<'_> {
    /// `a + b` for this operator.
    pub(in crate::trace) fn binary_op(&mut self, operator: BinaryOperator, a: ValueId, b: ValueId) -> Traced {
        self.binary(operator, false, a, b)
    }

    /// `a + b`, or `a += b` where `changes` says so.
    pub(in crate::trace) fn binary(
        &mut self,
        operator: BinaryOperator,
        changes: bool,
        a: ValueId,
        b: ValueId,
    ) -> Traced {
        let name = operator.name();
        if let Some(value) = self.put_off(operator, a, b) {
            return Ok(value);
        }
        let (a, b) = if name == "or_" && !changes { (self.dict_read(a)?, self.dict_read(b)?) } else { (a, b) };
        let (left, right) = (self.get(a)?, self.get(b)?);
        // A tuple is repeated with its items, which may be no constants for the interpreter, as slices are none.
        let repeats = name == "mul"
            && matches!(
                (&left, &right),
                (Value::Tuple(_), Value::Const(Constant::Int(_))) | (Value::Const(Constant::Int(_)), Value::Tuple(_))
            );
        if let (Some(x), Some(y)) = (self.as_constant(a)?, self.as_constant(b)?)
            && !repeats
            && !matches!(left, Value::State(_))
            && !matches!(right, Value::State(_))
        {
            let folded = self.fold(&format!("operator.{name}"), &[x, y]);
            // An error of the operator in place tells of that.
            return if changes { folded.map_err(Reason::without_contents) } else { folded };
        }
        if self.are_symbolic(&[a, b])? {
            return self.number_binary(name, a, b);
        }
        if matches!(left, Value::Object(..)) || matches!(right, Value::Object(..)) {
            let plain = name.trim_end_matches('_');
            let methods = ["", "r", "i"].map(|prefix| format!("__{prefix}{plain}__"));
            if let Some((a, b)) = self.operands_as_tensors(&methods, a, b)? {
                return self.binary(operator, changes, a, b);
            }
        }
        if let Some((a, b)) = self.tensor_and_held_number(name, a, b)? {
            return self.binary(operator, changes, a, b);
        }
        if !changes && let Some(result) = self.tensor_and_scalar(name, a, b)? {
            return Ok(result);
        }
        if !changes && let Some(result) = self.array_operator(name, &[a, b])? {
            return Ok(result);
        }
        if changes && let Some(result) = self.change_array(name, a, b)? {
            return Ok(result);
        }
        if let (Value::Const(Constant::Str(text)), "mod") = (&left, name)
            && let Some(formatted) = self.percent(text, b)?
        {
            return Ok(formatted);
        }
        if let Some(result) = self.binary_objects(name, changes, a, b)? {
            return Ok(result);
        }
        let in_place = if changes { "i" } else { "" };
        if let Some(counted) = tables::operator_of_counters(self, in_place, name, &[a, b])? {
            return Ok(counted);
        }
        if let Some(combined) = self.binary_sets(name, changes, a, b)? {
            return Ok(combined);
        }
        if name == "or_"
            && let Some(union) = self.union_type(a, b)?
        {
            return Ok(union);
        }
        match (&left, &right) {
            (Value::Tensor(_), _) if changes => {
                let (this, args) = (self.force(a)?, vec![self.arg(a)?, self.arg(b)?]);
                self.emit_in_place(
                    NodeKind::CallFunction,
                    &format!("operator.{}", operator.in_place_name()),
                    this,
                    args,
                    vec![],
                )
            }
            (x, y) if x.is_symbolic() && !y.is_tensor() || y.is_symbolic() && !x.is_tensor() => {
                let (a, b) = (self.specialised(a)?, self.specialised(b)?);
                self.binary(operator, changes, a, b)
            }
            (Value::Tensor(_), _) | (_, Value::Tensor(_))
                if is_number_or_tensor(&left) && is_number_or_tensor(&right) =>
            {
                let args = vec![self.arg(a)?, self.arg(b)?];
                self.emit(NodeKind::CallFunction, &format!("operator.{name}"), args, vec![])
            }
            (
                Value::Tuple(x) | Value::Size(x) | Value::Record(_, _, x),
                Value::Tuple(y) | Value::Size(y) | Value::Record(_, _, y),
            ) if name == "add" => {
                let joined = [&x[..], &y[..]].concat();
                match matches!(left, Value::Size(_)) || matches!(right, Value::Size(_)) {
                    true if self.are_integers(&joined)? => Ok(self.value(Value::Size(joined))),
                    true => Err(self.no_operator(name, a, b)),
                    false => Ok(self.value(Value::Tuple(joined))),
                }
            }
            (Value::Size(items), Value::Const(Constant::Int(n))) if name == "mul" => {
                let repeated = repeat(items, *n)?;
                Ok(self.value(Value::Size(repeated)))
            }
            (Value::Const(Constant::Int(_)), Value::Tuple(_) | Value::Size(_)) if name == "mul" => {
                self.binary(operator, false, b, a)
            }
            (Value::Const(Constant::Int(_)), Value::State(state))
                if name == "mul" && matches!(self.heap.get(*state), State::List(_)) =>
            {
                self.binary(operator, false, b, a)
            }
            (Value::Tuple(x) | Value::Record(_, _, x), Value::Const(Constant::Int(n))) if name == "mul" => {
                let repeated = repeat(x, *n)?;
                Ok(self.value(Value::Tuple(repeated)))
            }
            (Value::State(state), _) if name == "or_" && matches!(self.heap.get(*state), State::Dict(_)) => {
                match containers::merged(self, *state, b, changes)? {
                    Some(Some(merged)) => Ok(merged),
                    Some(None) => self.force(a),
                    None => Err(self.no_operator(name, a, b)),
                }
            }
            (Value::State(state), _) if name == "add" && changes && self.heap.sort(*state) == Sort::Deque => {
                deques::extend(self, a, b)?;
                self.force(a)
            }
            (Value::State(state), _) => self.binary_list(name, changes, a, *state, b),
            _ => Err(self.no_operator(name, a, b)),
        }
    }

    /// Arithmetic that cannot fail on integers that will be symbols is done when something needs it, as torch does:
    /// what is only returned needs no graph.
    fn put_off(&mut self, operator: BinaryOperator, a: ValueId, b: ValueId) -> Option<ValueId> {
        if !matches!(operator, BinaryOperator::Add | BinaryOperator::Multiply | BinaryOperator::Subtract) {
            return None;
        }
        let (x, y) = (self.awaits(a)?, self.awaits(b)?);
        (x || y).then(|| self.value(Value::Computed(operator, a, b)))
    }

    pub(in crate::trace) fn no_operator(&mut self, name: &str, a: ValueId, b: ValueId) -> Reason {
        let (a, b) = (self.describe(a), self.describe(b));
        Reason::new(Kind::Operator, format!("`{name}` of {a} and {b}."))
    }

    /// `-a`, `~a`, `+a` by the name in `operator`.
    pub(in crate::trace) fn unary(&mut self, name: &str, a: ValueId) -> Traced {
        match self.get(a)? {
            Value::Const(constant) => self.fold(&format!("operator.{name}"), &[constant]),
            symbolic if symbolic.is_symbolic() => self.number_unary(name, a),
            Value::Tensor(_) => {
                let arg = self.arg(a)?;
                self.emit(NodeKind::CallFunction, &format!("operator.{name}"), vec![arg], vec![])
            }
            Value::NdArray { .. } => match self.array_operator(name, &[a])? {
                Some(result) => Ok(result),
                None => Err(Reason::new(Kind::Operator, format!("`{name}` of an array."))),
            },
            _ => match self.call_special(a, &format!("__{name}__"), &[])? {
                Some(result) => Ok(result),
                None if let Some(counted) = tables::operator_of_counters(self, "", name, &[a])? => Ok(counted),
                None => {
                    let symbol = match name {
                        "neg" => "unary -",
                        "pos" => "unary +",
                        _ => "unary ~",
                    };
                    let error = self.no_unary(symbol, a, &format!("__{name}__"))?;
                    let unknown = |t: &mut Self| Reason::new(Kind::Operator, format!("`{name}` of {}.", t.describe(a)));
                    Err(error.unwrap_or_else(|| unknown(self)))
                }
            },
        }
    }

    /// `not a`
    pub(in crate::trace) fn negation(&mut self, a: ValueId) -> Traced {
        if self.get(a)?.is_symbolic() {
            return self.number_not(a);
        }
        let truth = self.truth(a)?;
        Ok(self.constant(Constant::Bool(!truth)))
    }
}

fn is_number_or_tensor(value: &Value) -> bool {
    let number = |constant: &Constant| {
        matches!(constant, Constant::Bool(_) | Constant::Int(_) | Constant::Float(_) | Constant::Complex(..))
    };
    match value {
        Value::Tensor(_) => true,
        symbolic if symbolic.is_symbolic() => true,
        Value::Const(constant) => number(constant),
        _ => false,
    }
}
