//! Facts about values: their constants, truths and integers, their `repr`, and words for messages.

use crate::{
    bytecode::Comparison,
    reason::{Kind, Reason},
    trace::{
        Traced, Tracer,
        core::{
            context::EXIT_STACK,
            state::{Sort, State, Table},
            value::{Value, ValueId},
        },
    },
};
use guards::{Constant, GuardKind};
use symshapes::{Expr, Pred};

impl Tracer<'_> {
    /// A constant as a value; tuples by their items.
    pub(in crate::trace) fn of_constant(&mut self, constant: Constant) -> ValueId {
        match constant {
            Constant::Tuple(items) => {
                let items = items.into_iter().map(|item| self.of_constant(item)).collect();
                self.value(Value::Tuple(items))
            }
            constant => self.constant(constant),
        }
    }

    /// The constant that a value is, if nothing in it can change or is computed.
    pub(in crate::trace) fn as_constant(&mut self, value: ValueId) -> Traced<Option<Constant>> {
        Ok(match self.get(value)? {
            Value::Const(constant) => Some(constant),
            Value::Tuple(items) => {
                let mut constants = Vec::new();
                for item in items {
                    match self.as_constant(item)? {
                        Some(constant) => constants.push(constant),
                        None => return Ok(None),
                    }
                }
                Some(Constant::Tuple(constants))
            }
            Value::Slice(parts) => {
                let mut bounds = [None; 3];
                for (bound, part) in bounds.iter_mut().zip(parts) {
                    *bound = match self.get(part)? {
                        Value::Const(Constant::None) => None,
                        Value::Const(Constant::Int(int)) => Some(int),
                        _ => return Ok(None),
                    };
                }
                Some(Constant::Slice(bounds))
            }
            _ => None,
        })
    }

    /// `repr` of constants, and of lists, tuples and dicts of them; `None` for what else only Python can tell.
    pub(in crate::trace) fn repr(&mut self, value: ValueId) -> Traced<Option<String>> {
        self.nested(|t| t.repr_within(value))
    }

    fn repr_within(&mut self, value: ValueId) -> Traced<Option<String>> {
        let value = self.specialised(value)?;
        if let Some(constant) = self.as_constant(value)? {
            return match self.host.fold("builtins.repr", &[constant]) {
                Ok(Constant::Str(text)) => Ok(Some(text)),
                _ => Ok(None),
            };
        }
        let all = |tracer: &mut Self, items: Vec<ValueId>| -> Traced<Option<Vec<String>>> {
            items.into_iter().map(|item| tracer.repr(item)).collect()
        };
        Ok(match self.get(value)? {
            Value::Size(items) => all(self, items)?.map(|items| format!("torch.Size([{}])", items.join(", "))),
            Value::Tuple(items) => all(self, items)?.map(|items| match &items[..] {
                [item] => format!("({item},)"),
                items => format!("({})", items.join(", ")),
            }),
            Value::State(state) => match self.heap.get(state).clone() {
                State::List(items) => all(self, items)?.map(|items| format!("[{}]", items.join(", "))),
                State::Dict(items) if self.heap.table(state) == Table::Plain => {
                    let (keys, values) = items.into_values().unzip();
                    let (keys, values) = (all(self, keys)?, all(self, values)?);
                    keys.zip(values).map(|(keys, values)| {
                        let pairs = keys.iter().zip(values).map(|(key, value)| format!("{key}: {value}"));
                        format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))
                    })
                }
                _ => None,
            },
            Value::Class(name, obj) if self.is_shown_by_type(obj) => {
                Some(format!("<class '{}'>", name.trim_start_matches("builtins.")))
            }
            Value::Object(..) | Value::Instance(_) => self.object_text(value, "__repr__")?,
            Value::Function(function) => match (function.object, self.source(value)) {
                // The address is part of it, which is that of the function as long as it is the same one.
                (Some(object), Some(source)) => {
                    let kind = GuardKind::IdMatch(self.object(object));
                    self.guard(source, kind);
                    let name = self.get_attr(value, "__qualname__")?;
                    match self.as_constant(name)? {
                        Some(Constant::Str(name)) => {
                            Some(format!("<function {name} at {:#x}>", self.host.address(object)))
                        }
                        _ => None,
                    }
                }
                _ => None,
            },
            _ => None,
        })
    }

    /// An integer, constant or symbolic, as an expression.
    pub(in crate::trace) fn int(&mut self, value: ValueId) -> Traced<Option<Expr>> {
        Ok(match self.get(value)? {
            Value::Const(Constant::Int(int)) => Some(self.shapes.env.pool_mut().int(int)),
            Value::Const(Constant::Bool(truth)) => Some(self.shapes.env.pool_mut().int(i64::from(truth))),
            Value::SymInt { expr, .. } => Some(expr),
            _ => None,
        })
    }

    pub(in crate::trace) fn relation(&mut self, comparison: Comparison, a: Expr, b: Expr) -> Pred {
        let pool = self.shapes.env.pool_mut();
        match comparison {
            Comparison::Lt => pool.lt(a, b),
            Comparison::Le => pool.le(a, b),
            Comparison::Eq => pool.eq(a, b),
            Comparison::Ne => pool.ne(a, b),
            Comparison::Gt => pool.lt(b, a),
            Comparison::Ge => pool.le(b, a),
        }
    }

    /// The truth of a predicate, under a guard.
    pub(in crate::trace) fn decide(&mut self, p: Pred) -> Traced<bool> {
        let at = self.place();
        self.shapes.env.evaluate(p, &at).map_err(|error| self.shape_error(&error))
    }

    /// A symbolic number as the constant that it is now, under a guard; any other value as it is.
    pub(in crate::trace) fn specialised(&mut self, value: ValueId) -> Traced {
        match self.get(value)? {
            Value::SymInt { .. } => {
                let int = self.concrete(value)?;
                Ok(self.constant(Constant::Int(int)))
            }
            Value::SymFloat { float, .. } => {
                let value = self.constant_float(float)?;
                Ok(self.constant(Constant::float(value)))
            }
            Value::SymBool { .. } => self.decided(value),
            _ => Ok(value),
        }
    }

    /// The value of an integer, under a guard if it is symbolic.
    pub(in crate::trace) fn concrete(&mut self, value: ValueId) -> Traced<i64> {
        let mut value = self.decided(value)?;
        if let Some(index) = self.object_as_index(value)? {
            value = index;
        }
        if let Value::Tensor(node) = self.get(value)?
            && let Some(index) = self.constant_index(node)
        {
            return Ok(index);
        }
        let expr = self.int(value)?;
        let Some(expr) = expr else {
            return Err(Reason::new(Kind::Operator, format!("{} where an int is needed.", self.describe(value))));
        };
        let at = self.place();
        self.shapes.env.evaluate_int(expr, &at).map_err(|error| self.shape_error(&error))
    }

    /// Whether a value counts as true.
    pub(in crate::trace) fn truth(&mut self, value: ValueId) -> Traced<bool> {
        Ok(match self.get(value)? {
            Value::Const(constant) => match constant {
                Constant::None => false,
                Constant::Bool(truth) => truth,
                Constant::Int(int) => int != 0,
                Constant::Float(bits) => f64::from_bits(bits) != 0.0,
                constant => {
                    let truth = self.host.fold("builtins.bool", &[constant]);
                    matches!(truth, Ok(Constant::Bool(true)))
                }
            },
            Value::Tuple(items) | Value::Size(items) | Value::Record(_, _, items) => !items.is_empty(),
            Value::State(state) => match self.heap.get(state) {
                State::List(items) => !items.is_empty(),
                State::Dict(items) => !items.is_empty(),
                State::Deque(deque) => !deque.items.is_empty(),
                State::Set(items, _) => !items.is_empty(),
                State::Cell(_) | State::Iter(_) | State::Stack(_) | State::Instance(_) | State::Slot { .. } => true,
            },
            number if number.is_symbolic() => {
                if matches!(number, Value::SymInt { .. }) {
                    // torch has a node for it, which nothing uses.
                    self.graph.torch.spend_name("ne");
                }
                let pred = self.truth_of(value)?;
                self.decide(pred)?
            }
            Value::Range([start, stop, step]) => {
                if step > 0 {
                    start < stop
                } else {
                    start > stop
                }
            }
            Value::Tensor(_) => {
                return Err(Reason::new(Kind::DataDependentJump, "The condition is a tensor."));
            }
            Value::NdArray { .. } => return Err(Reason::new(Kind::DataDependentJump, "The condition is an array.")),
            Value::Object(..) | Value::Instance(_) => self.object_truth(value)?,
            Value::Class(_, class) if !self.has_plain_metaclass(class) => self.object_truth(value)?,
            _ => true,
        })
    }

    /// A word for a value, for messages.
    pub(in crate::trace) fn describe(&mut self, value: ValueId) -> String {
        match self.get(value) {
            Ok(Value::Const(constant)) => constant.to_string(),
            Ok(Value::Tensor(_)) => "a tensor".to_owned(),
            Ok(Value::NdArray { is_scalar: false, .. }) => "an array".to_owned(),
            Ok(Value::NdArray { .. }) => "a scalar of NumPy's".to_owned(),
            Ok(Value::SymInt { .. }) => "a symbolic int".to_owned(),
            Ok(Value::SymFloat { .. }) => "a symbolic float".to_owned(),
            Ok(Value::SymBool { .. }) => "a symbolic bool".to_owned(),
            Ok(Value::Tuple(_) | Value::Size(_) | Value::Record(..)) => "a tuple".to_owned(),
            Ok(Value::State(state)) => match self.heap.sort(state) {
                Sort::List => "a list".to_owned(),
                Sort::Dict => match self.heap.table(state).class_name() {
                    "builtins.dict" => "a dict".to_owned(),
                    class => format!("a `{class}`"),
                },
                Sort::Deque => "a `collections.deque`".to_owned(),
                Sort::Set => "a set".to_owned(),
                Sort::Stack => format!("a `{}`", EXIT_STACK),
                Sort::Cell | Sort::Iter | Sort::Instance | Sort::Slot => "an iterator".to_owned(),
            },
            Ok(Value::Builtin(name) | Value::Module(name, _) | Value::Class(name, _)) => format!("`{name}`"),
            Ok(Value::Function(function)) => format!("`{}`", function.name),
            Ok(Value::Context(context) | Value::Exit(context, _)) => format!("a `{}`", context.name()),
            Ok(Value::Decorated(context, _)) => format!("a function within `{}`", context.name()),
            Ok(Value::SortKey(..)) => "a key of `functools.cmp_to_key`".to_owned(),
            Ok(Value::Getter(class, ..)) => format!("a `{class}`"),
            Ok(Value::Partial(..)) => "a `functools.partial`".to_owned(),
            Ok(Value::Object(class, _)) => format!("a `{class}`"),
            Ok(Value::Instance(state)) => match self.heap.get(state) {
                State::Instance(instance) => match &self.objects.values[instance.class] {
                    Value::Class(class, _) => format!("a `{class}`"),
                    _ => "an object".to_owned(),
                },
                _ => "an object".to_owned(),
            },
            Ok(Value::Super(..)) => "a `builtins.super`".to_owned(),
            Ok(Value::BoundBuiltin { name, .. }) => format!("the method `{name}`"),
            _ => "an object".to_owned(),
        }
    }
}
