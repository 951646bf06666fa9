//! Numbers that are computed from sizes and from numbers of the caller's: integers, floats and bools.
//!
//! Each is an expression over the environment's symbols, by which guards decide, and a node of the graph, which
//! computes it when the program runs.
//!
//! Invariant: a node computes what Python would. Where Python would raise, or give a number of another kind, for other
//! operands, a guard keeps them from that; where no expression says the value, the operands are taken as they are now,
//! under a guard.

use crate::{
    bytecode::{Comparison, operands::BinaryOperator},
    trace::{
        Traced, Tracer,
        core::value::{Value, ValueId},
    },
};
use fx::{Arg, Kind as NodeKind, Meta, infer};
use guards::Constant;
use symshapes::{self, Expr, Float, FloatBinary, FloatUnary, Pred, Rounding};

/// A number, constant or symbolic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::trace) enum Number {
    Int(Expr),
    Float(Float),
    Bool(Pred),
}

/// The largest float that is an integer of 64 bits.
const LARGEST: f64 = 9_223_372_036_854_774_784.0;

/// The operators that give a float for floats, by their name in `operator`.
const FLOAT_OPERATORS: [(&str, FloatBinary); 7] = [
    ("add", FloatBinary::Add),
    ("sub", FloatBinary::Sub),
    ("mul", FloatBinary::Mul),
    ("truediv", FloatBinary::TrueDiv),
    ("pow", FloatBinary::Pow),
    ("floordiv", FloatBinary::FloorDiv),
    ("mod", FloatBinary::Mod),
];

/// Functions of one float: the name in Python, the node's, what it computes.
const FUNCTIONS: [(&str, &str, FloatUnary); 14] = [
    ("math.sqrt", "torch._sym_sqrt", FloatUnary::Sqrt),
    ("math.exp", "math.exp", FloatUnary::Exp),
    ("math.log", "math.log", FloatUnary::Log),
    ("math.log2", "torch._sym_log2", FloatUnary::Log2),
    ("math.sin", "torch._sym_sin", FloatUnary::Sin),
    ("math.cos", "torch._sym_cos", FloatUnary::Cos),
    ("math.tan", "torch._sym_tan", FloatUnary::Tan),
    ("math.asin", "torch._sym_asin", FloatUnary::Asin),
    ("math.acos", "torch._sym_acos", FloatUnary::Acos),
    ("math.atan", "torch._sym_atan", FloatUnary::Atan),
    ("math.sinh", "torch._sym_sinh", FloatUnary::Sinh),
    ("math.cosh", "torch._sym_cosh", FloatUnary::Cosh),
    ("math.tanh", "torch._sym_tanh", FloatUnary::Tanh),
    ("math.fabs", "math.fabs", FloatUnary::Abs),
];

/// Functions that make an integer of a float, each with its node: a name without a module is a method's.
const ROUNDINGS: [(&str, &str, Rounding); 5] = [
    ("math.floor", "math.floor", Rounding::Floor),
    ("math.ceil", "math.ceil", Rounding::Ceil),
    ("math.trunc", "math.trunc", Rounding::Trunc),
    ("builtins.int", "torch.sym_int", Rounding::Trunc),
    ("builtins.round", "__round__", Rounding::Nearest),
];

/// Methods of numbers, each with the function that calls it.
const METHODS: [(&str, &str); 5] = [
    ("__floor__", "math.floor"),
    ("__ceil__", "math.ceil"),
    ("__trunc__", "math.trunc"),
    ("__int__", "builtins.int"),
    ("__round__", "builtins.round"),
];

/// The function that calls a method of a number.
pub(in crate::trace) fn function_of_method(method: &str) -> Option<&'static str> {
    METHODS.iter().find(|(known, _)| *known == method).map(|&(_, function)| function)
}

impl Tracer<'_> {
    /// The number that a value is.
    pub(in crate::trace) fn number(&mut self, value: ValueId) -> Traced<Option<Number>> {
        let found = self.get(value)?;
        let pool = self.shapes.env.pool_mut();
        Ok(Some(match found {
            Value::Const(Constant::Int(int)) => Number::Int(pool.int(int)),
            Value::Const(Constant::Bool(truth)) => Number::Bool(pool.bool(truth)),
            Value::Const(Constant::Float(bits)) => Number::Float(pool.float(f64::from_bits(bits))),
            Value::SymInt { expr, .. } => Number::Int(expr),
            Value::SymFloat { float, .. } => Number::Float(float),
            Value::SymBool { pred, .. } => Number::Bool(pred),
            _ => return Ok(None),
        }))
    }

    /// True for a number that is no constant.
    pub(in crate::trace) fn is_symbolic(&mut self, value: ValueId) -> Traced<bool> {
        Ok(self.get(value)?.is_symbolic())
    }

    /// True if all are numbers, and one of them is no constant.
    pub(in crate::trace) fn are_symbolic(&mut self, values: &[ValueId]) -> Traced<bool> {
        let mut symbolic = false;
        for &value in values {
            if self.number(value)?.is_none() {
                return Ok(false);
            }
            symbolic |= self.is_symbolic(value)?;
        }
        Ok(symbolic)
    }

    /// True for integers, symbolic or not.
    pub(in crate::trace) fn are_integers(&mut self, values: &[ValueId]) -> Traced<bool> {
        values.iter().try_fold(true, |all, &value| Ok(all && matches!(self.number(value)?, Some(Number::Int(_)))))
    }

    /// An operator on two numbers, by its name in `operator`.
    pub(in crate::trace) fn number_binary(&mut self, name: &str, a: ValueId, b: ValueId) -> Traced {
        let operands = [a, b];
        let found = match (self.number(a)?, self.number(b)?) {
            (Some(Number::Bool(p)), Some(Number::Bool(q))) if matches!(name, "and_" | "or_") => {
                let pool = self.shapes.env.pool_mut();
                let pred = if name == "and_" { pool.and(p, q) } else { pool.or(p, q) };
                Some(Number::Bool(pred))
            }
            (Some(Number::Bool(_)), _) | (_, Some(Number::Bool(_))) => None,
            (Some(Number::Int(x)), Some(Number::Int(y))) if name == "truediv" => self.quotient(x, y)?,
            (Some(Number::Int(x)), Some(Number::Int(y))) => {
                let mut natural = true;
                if matches!(name, "pow" | "lshift" | "rshift") {
                    // The sign tells what kind of number it is, or whether there is any.
                    let is_natural = self.shapes.env.pool_mut().le(Expr::ZERO, y);
                    natural = self.decide(is_natural)?;
                }
                if !natural && name == "pow" {
                    let found = self.float_binary(name, Number::Int(x), Number::Int(y))?;
                    return self.computed("operator.pow", "operator.pow", &operands, found);
                }
                let has_value = !matches!(name, "floordiv" | "mod") || self.is_divisor(y)?;
                let found =
                    has_value.then(|| infer::int_op(self.shapes.env.pool_mut(), &format!("operator.{name}"), &[x, y]));
                found.flatten().map(Number::Int)
            }
            (Some(x), Some(y)) => self.float_binary(name, x, y)?,
            _ => None,
        };
        self.computed(&format!("operator.{name}"), &format!("operator.{name}"), &operands, found)
    }

    /// An operator on one number, or `abs`.
    pub(in crate::trace) fn number_unary(&mut self, name: &str, a: ValueId) -> Traced {
        if let ("invert", Some(Number::Int(_))) = (name, self.number(a)?) {
            // torch's integers know no such operator.
            let (negative, one) = (self.number_unary("neg", a)?, self.constant(Constant::Int(1)));
            return self.binary_op(BinaryOperator::Subtract, negative, one);
        }
        let found = match self.number(a)? {
            Some(Number::Int(x)) => {
                infer::int_op(self.shapes.env.pool_mut(), &format!("operator.{name}"), &[x]).map(Number::Int)
            }
            Some(Number::Float(x)) => match name {
                "neg" => Some(Number::Float(self.shapes.env.pool_mut().float_unary(FloatUnary::Neg, x))),
                "abs" => Some(Number::Float(self.shapes.env.pool_mut().float_unary(FloatUnary::Abs, x))),
                "pos" => Some(Number::Float(x)),
                _ => None,
            },
            _ => None,
        };
        self.computed(&format!("operator.{name}"), &format!("operator.{name}"), &[a], found)
    }

    /// `not a`
    pub(in crate::trace) fn number_not(&mut self, a: ValueId) -> Traced {
        let pred = self.truth_of(a)?;
        let target = if matches!(self.get(a)?, Value::SymBool { .. }) { "torch.sym_not" } else { "operator.not_" };
        let pred = self.shapes.env.pool_mut().not(pred);
        self.computed(target, "operator.not_", &[a], Some(Number::Bool(pred)))
    }

    /// `bool(a)`
    pub(in crate::trace) fn number_bool(&mut self, a: ValueId) -> Traced {
        if let Value::SymBool { .. } = self.get(a)? {
            return self.force(a);
        }
        let zero = self.constant(Constant::Int(0));
        let pred = self.truth_of(a)?;
        self.computed("operator.ne", "operator.ne", &[a, zero], Some(Number::Bool(pred)))
    }

    /// The condition under which a number counts as true.
    pub(in crate::trace) fn truth_of(&mut self, a: ValueId) -> Traced<Pred> {
        let number = self.number(a)?;
        let pool = self.shapes.env.pool_mut();
        Ok(match number {
            Some(Number::Int(x)) => pool.ne(x, Expr::ZERO),
            Some(Number::Float(x)) => {
                let zero = pool.float(0.0);
                let equal = pool.compare_floats(symshapes::Comparison::Eq, x, zero);
                pool.not(equal)
            }
            Some(Number::Bool(pred)) => pred,
            None => return Err(crate::reason::raised("TypeError: no number")),
        })
    }

    /// A comparison of two numbers.
    pub(in crate::trace) fn number_compare(&mut self, comparison: Comparison, a: ValueId, b: ValueId) -> Traced {
        let (x, y) = (self.decided(a)?, self.decided(b)?);
        let pred = match (self.number(x)?, self.number(y)?) {
            (Some(Number::Float(_)), Some(_)) | (Some(_), Some(Number::Float(_))) => {
                let (x, y) = (self.as_float(x)?, self.as_float(y)?);
                self.float_relation(comparison, x, y)
            }
            _ => {
                let (Some(x), Some(y)) = (self.int(x)?, self.int(y)?) else {
                    return Err(crate::reason::raised("TypeError: no number"));
                };
                self.relation(comparison, x, y)
            }
        };
        let target = format!("operator.{}", comparison.name());
        self.computed(&target, &target, &[x, y], Some(Number::Bool(pred)))
    }

    pub(in crate::trace) fn float_relation(&mut self, comparison: Comparison, x: Float, y: Float) -> Pred {
        use symshapes::Comparison as Of;
        let pool = self.shapes.env.pool_mut();
        match comparison {
            Comparison::Lt => pool.compare_floats(Of::Lt, x, y),
            Comparison::Le => pool.compare_floats(Of::Le, x, y),
            Comparison::Eq => pool.compare_floats(Of::Eq, x, y),
            Comparison::Ne => {
                let equal = pool.compare_floats(Of::Eq, x, y);
                pool.not(equal)
            }
            Comparison::Gt => pool.compare_floats(Of::Lt, y, x),
            Comparison::Ge => pool.compare_floats(Of::Le, y, x),
        }
    }

    /// The least or the greatest of numbers of one kind; `None` if they are of several.
    pub(in crate::trace) fn number_extreme(&mut self, least: bool, items: &[ValueId]) -> Traced<Option<ValueId>> {
        let target = if least { "torch.sym_min" } else { "torch.sym_max" };
        let Some((&first, rest)) = items.split_first() else { return Ok(None) };
        let first_kind = self.number(first)?;
        let mut best = first;
        for &item in rest {
            let found = match (self.number(best)?, self.number(item)?) {
                (Some(Number::Int(x)), Some(Number::Int(y))) => {
                    infer::int_op(self.shapes.env.pool_mut(), target, &[x, y]).map(Number::Int)
                }
                (Some(Number::Float(x)), Some(Number::Float(y))) => {
                    let op = if least { FloatBinary::Min } else { FloatBinary::Max };
                    Some(Number::Float(self.shapes.env.pool_mut().float_binary(op, x, y)))
                }
                _ => return Ok(None),
            };
            let function = if least { "builtins.min" } else { "builtins.max" };
            best = self.computed(target, function, &[best, item], found)?;
        }
        Ok(matches!(first_kind, Some(Number::Int(_) | Number::Float(_))).then_some(best))
    }

    /// `float(a)`
    pub(in crate::trace) fn number_float(&mut self, a: ValueId) -> Traced {
        let a = self.decided(a)?;
        match self.number(a)? {
            Some(Number::Int(x)) if self.options.floats => {
                let float = self.shapes.env.pool_mut().to_float(x);
                self.computed("torch.sym_float", "builtins.float", &[a], Some(Number::Float(float)))
            }
            Some(Number::Float(_)) => self.force(a),
            _ => self.computed("torch.sym_float", "builtins.float", &[a], None),
        }
    }

    /// A function of numbers by its dotted name: of `math`, of `operator`, `int`; `None` if it is not one of these.
    pub(in crate::trace) fn number_call(&mut self, name: &str, args: &[ValueId]) -> Traced<Option<ValueId>> {
        if let ("builtins.round", &[a, digits]) = (name, args) {
            return self.round_to_digits(a, digits);
        }
        if !self.are_symbolic(args)? {
            return Ok(None);
        }
        match (name, args) {
            ("builtins.pow", &[a, b]) => return self.number_binary("pow", a, b).map(Some),
            ("builtins.round", &[a]) if matches!(self.number(a)?, Some(Number::Int(_))) => {
                return self.force(a).map(Some);
            }
            _ => {}
        }
        let row = ROUNDINGS.iter().find(|(function, _, _)| *function == name);
        if let (Some(&(_, target, rounding)), &[a]) = (row, args) {
            return self.rounded(name, target, rounding, a).map(Some);
        }
        let row = FUNCTIONS.iter().find(|(function, _, _)| *function == name);
        if let (Some(&(_, target, op)), &[a]) = (row, args) {
            return self.float_function(name, target, op, a).map(Some);
        }
        match (name.strip_prefix("operator."), args) {
            (Some("abs"), &[a]) => self.number_unary("abs", a).map(Some),
            (Some(operator), args) => self.call_operator(operator, args),
            _ => Ok(None),
        }
    }

    fn float_function(&mut self, name: &str, target: &str, op: FloatUnary, a: ValueId) -> Traced {
        let a = self.decided(a)?;
        let x = self.as_float(a)?;
        let within = match op {
            FloatUnary::Sqrt => self.is_beyond(x, 0.0, false)?,
            FloatUnary::Log | FloatUnary::Log2 => self.is_beyond(x, 0.0, true)?,
            FloatUnary::Asin | FloatUnary::Acos => {
                let opposite = self.shapes.env.pool_mut().float_unary(FloatUnary::Neg, x);
                self.is_beyond(x, -1.0, false)? && self.is_beyond(opposite, -1.0, false)?
            }
            FloatUnary::Sin | FloatUnary::Cos | FloatUnary::Tan => self.is_within(x, f64::MAX)?,
            FloatUnary::Exp | FloatUnary::Sinh | FloatUnary::Cosh => {
                let value = self.shapes.env.pool_mut().float_unary(op, x);
                self.is_within(value, f64::MAX)?
            }
            FloatUnary::Neg | FloatUnary::Abs | FloatUnary::Atan | FloatUnary::Tanh => true,
        };
        let found = within.then(|| Number::Float(self.shapes.env.pool_mut().float_unary(op, x)));
        self.computed(target, name, &[a], found)
    }

    /// `round(a, digits)`; `None` if it is not of a symbolic float.
    fn round_to_digits(&mut self, a: ValueId, digits: ValueId) -> Traced<Option<ValueId>> {
        let Some(Number::Float(x)) = self.number(a)?.filter(|_| self.options.floats) else { return Ok(None) };
        match self.get(digits)? {
            Value::Const(Constant::None) => self.number_call("builtins.round", &[a]),
            Value::Const(Constant::Int(places)) if self.is_symbolic(a)? => {
                let Ok(places) = i16::try_from(places) else { return Ok(None) };
                let meta = Meta::Float(self.shapes.env.pool_mut().round_decimal(x, places));
                let args = vec![self.scalar_arg(a)?, self.scalar_arg(digits)?];
                self.emit_number(NodeKind::CallMethod, "__round__", args, meta).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn rounded(&mut self, name: &str, target: &str, rounding: Rounding, a: ValueId) -> Traced {
        match self.number(a)? {
            Some(Number::Int(_)) => self.force(a),
            Some(Number::Float(x)) => {
                let pool = self.shapes.env.pool_mut();
                if pool.round_exactly(rounding, x).is_none() && pool.rounds_exactly_if_small(rounding, x) {
                    self.is_of_small(x)?;
                }
                // What is not finite, or no integer of 64 bits, is an error or a number that no symbol is.
                let reads_floats =
                    self.shapes.env.pool().float_symbols(x).iter().any(|&sym| self.shapes.env.pool().is_float(sym));
                let is_int = !reads_floats || self.is_within(x, LARGEST)?;
                let int = Number::Int(self.shapes.env.pool_mut().round(rounding, x));
                let int = Some(int).filter(|&int| is_int && self.has_value(int));
                self.computed(target, name, &[a], int)
            }
            Some(Number::Bool(pred)) if name == "builtins.int" => {
                let (one, zero) = (self.constant(Constant::Int(1)), self.constant(Constant::Int(0)));
                let int = self.shapes.env.pool_mut().indicator(pred);
                self.computed("torch.sym_ite", name, &[a, one, zero], Some(Number::Int(int)))
            }
            _ => self.computed(target, name, &[a], None),
        }
    }

    /// `x / y` of integers.
    fn quotient(&mut self, x: Expr, y: Expr) -> Traced<Option<Number>> {
        if !self.options.floats {
            return Ok(None);
        }
        Ok(self.is_divisor(y)?.then(|| Number::Float(self.shapes.env.pool_mut().int_true_div(x, y))))
    }

    fn float_binary(&mut self, name: &str, x: Number, y: Number) -> Traced<Option<Number>> {
        let row = FLOAT_OPERATORS.iter().find(|(operator, _)| *operator == name).filter(|_| self.options.floats);
        let (Some(&(_, op)), Some(x), Some(y)) = (row, self.float_of(x), self.float_of(y)) else { return Ok(None) };
        let defined = match op {
            FloatBinary::TrueDiv | FloatBinary::FloorDiv | FloatBinary::Mod => self.is_not_zero(y)?,
            FloatBinary::Pow => self.is_power(x, y)?,
            _ => true,
        };
        Ok(defined.then(|| Number::Float(self.shapes.env.pool_mut().float_binary(op, x, y))))
    }

    fn float_of(&mut self, number: Number) -> Option<Float> {
        match number {
            Number::Int(x) => Some(self.shapes.env.pool_mut().to_float(x)),
            Number::Float(x) => Some(x),
            Number::Bool(_) => None,
        }
    }

    /// A number other than a symbolic bool, as a float.
    fn as_float(&mut self, value: ValueId) -> Traced<Float> {
        let number = match self.number(value)? {
            Some(Number::Bool(pred)) => {
                let truth = self.decide(pred)?;
                Some(Number::Int(self.shapes.env.pool_mut().int(i64::from(truth))))
            }
            number => number,
        };
        let float = number.and_then(|number| self.float_of(number));
        float.ok_or_else(|| crate::reason::raised("TypeError: no number"))
    }

    /// A symbolic bool as the constant that it is now; any other value as it is.
    pub(in crate::trace) fn decided(&mut self, value: ValueId) -> Traced {
        match self.get(value)? {
            Value::SymBool { pred, .. } => {
                let truth = self.decide(pred)?;
                Ok(self.constant(Constant::Bool(truth)))
            }
            _ => self.force(value),
        }
    }

    /// The result of a call on numbers: the node that computes it, or without an expression, that of `function` for the
    /// operands as they are now.
    fn computed(&mut self, target: &str, function: &str, operands: &[ValueId], found: Option<Number>) -> Traced {
        if let Some(number) = found {
            let meta = match number {
                Number::Int(expr) => Meta::Int(expr),
                Number::Float(float) => Meta::Float(float),
                Number::Bool(pred) => Meta::Bool(pred),
            };
            if let Some(constant) = self.known_number(number) {
                return Ok(self.constant(constant));
            }
            if let (Number::Bool(pred), false) = (number, self.options.floats) {
                let truth = self.decide(pred)?;
                return Ok(self.constant(Constant::Bool(truth)));
            }
            if self.has_value(number) && (self.options.floats || !matches!(number, Number::Float(_))) {
                let args = operands.iter().map(|&operand| self.scalar_arg(operand)).collect::<Traced<Vec<_>>>()?;
                let kind = if target.contains('.') { NodeKind::CallFunction } else { NodeKind::CallMethod };
                return self.emit_number(kind, target, args, meta);
            }
        }
        let mut constants = Vec::new();
        for &operand in operands {
            let operand = self.specialised(operand)?;
            constants.extend(self.as_constant(operand)?);
        }
        // The choice between two numbers is that of the condition.
        constants.truncate(if function == "builtins.int" { 1 } else { constants.len() });
        self.fold(function, &constants)
    }

    /// The value of a number that is the same for all inputs.
    fn known_number(&mut self, number: Number) -> Option<Constant> {
        match number {
            Number::Int(expr) => self.shapes.env.pool().as_int(expr).map(Constant::Int),
            Number::Float(float) => self.shapes.env.pool().as_float(float).map(Constant::float),
            Number::Bool(pred) => self.shapes.env.statically_known(pred).map(Constant::Bool),
        }
    }

    /// True if the number has a value now: no integer out of range, nothing where Python raises. What depends on data
    /// is computed, or raises, when the program runs.
    fn has_value(&self, number: Number) -> bool {
        let (env, pool) = (&self.shapes.env, self.shapes.env.pool());
        let hint = |sym| env.symbol_hint(sym);
        match number {
            Number::Int(expr) => !pool.is_overflow(expr) && (env.hint(expr).is_some() || env.depends_on_data(expr)),
            Number::Float(float) => {
                pool.eval_float(float, &hint).is_some() || pool.float_symbols(float).iter().any(|&s| env.is_unbacked(s))
            }
            Number::Bool(pred) => {
                pool.eval_pred(pred, &hint).is_some() || pool.pred_symbols(pred).iter().any(|&s| env.is_unbacked(s))
            }
        }
    }

    /// A number as an argument of a node that computes a number.
    fn scalar_arg(&mut self, value: ValueId) -> Traced<Arg> {
        match self.get(value)? {
            Value::SymBool { node, .. } => Ok(Arg::Node(node)),
            _ => self.arg(value),
        }
    }
}
