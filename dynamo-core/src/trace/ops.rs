//! Operators: unary, binary, in-place, comparisons, truth, identity, membership.
//!
//! Operators on constants are computed by the interpreter itself, on tensors by the graph, on symbolic integers by the
//! environment; on containers they are spelled out here.

use super::{
    Traced, Tracer,
    attr::LAYOUT,
    value::{Sort, State, Table, Value, ValueId},
};
use crate::{
    bytecode::Comparison,
    host::EnumMember,
    reason::{Kind, Reason},
};
use fx::Kind as NodeKind;
use guards::{Constant, GuardKind};
use symshapes::{Expr, Pred};

/// The names of `operator` behind `BINARY_OP`, by its number; the in-place forms follow in the same order.
const BINARY: [&str; 13] =
    ["add", "and_", "floordiv", "lshift", "matmul", "mul", "mod", "or_", "pow", "rshift", "sub", "truediv", "xor"];

/// Numbers of `BINARY_OP`: places in [`BINARY`].
pub(super) const ADD: u32 = 0;
pub(super) const FLOORDIV: u32 = 2;
pub(super) const MOD: u32 = 6;
pub(super) const SUB: u32 = 10;

/// The in-place forms.
const IN_PLACE: [&str; 13] = [
    "iadd",
    "iand",
    "ifloordiv",
    "ilshift",
    "imatmul",
    "imul",
    "imod",
    "ior",
    "ipow",
    "irshift",
    "isub",
    "itruediv",
    "ixor",
];

impl Tracer<'_> {
    /// `BINARY_OP`
    pub(super) fn binary_op(&mut self, number: u32, a: ValueId, b: ValueId) -> Traced {
        let number = number as usize;
        let at = number % BINARY.len();
        let Some(name) = BINARY.get(at).filter(|_| number < 2 * BINARY.len()) else {
            return Err(Reason::new(Kind::Opcode, format!("BINARY_OP {number}.")));
        };
        self.binary(name, IN_PLACE[at], a, b, number >= BINARY.len())
    }

    /// `a + b` by the name in `operator`, or `a += b`.
    fn binary(&mut self, name: &str, in_place: &str, a: ValueId, b: ValueId, changes: bool) -> Traced {
        if let Some(value) = self.put_off(name, a, b) {
            return Ok(value);
        }
        let (left, right) = (self.get(a)?, self.get(b)?);
        if let (Some(x), Some(y)) = (self.as_constant(a)?, self.as_constant(b)?)
            && !matches!(left, Value::State(_))
            && !matches!(right, Value::State(_))
        {
            return self.fold(&format!("operator.{name}"), &[x, y]);
        }
        if self.are_symbolic(&[a, b])? {
            return self.number_binary(name, a, b);
        }
        if let Some((a, b)) = self.tensor_and_enum_value(a, b)? {
            return self.binary(name, in_place, a, b, changes);
        }
        if !changes && let Some(result) = self.array_operator(name, &[a, b])? {
            return Ok(result);
        }
        if let Some(result) = self.binary_objects(name, changes, a, b)? {
            return Ok(result);
        }
        if let Some(combined) = self.binary_sets(name, changes, a, b)? {
            return Ok(combined);
        }
        match (&left, &right) {
            (Value::Tensor(_), _) if changes => {
                let (this, args) = (self.force(a)?, vec![self.arg(a)?, self.arg(b)?]);
                self.emit_in_place(NodeKind::CallFunction, &format!("operator.{in_place}"), this, args, vec![])
            }
            (x, y) if x.is_symbolic() && !y.is_tensor() || y.is_symbolic() && !x.is_tensor() => {
                let (a, b) = (self.specialised(a)?, self.specialised(b)?);
                self.binary(name, in_place, a, b, changes)
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
                self.binary(name, in_place, b, a, false)
            }
            (Value::Const(Constant::Int(_)), Value::State(state))
                if name == "mul" && matches!(self.heap.get(*state), State::List(_)) =>
            {
                self.binary(name, in_place, b, a, false)
            }
            (Value::Tuple(x) | Value::Record(_, _, x), Value::Const(Constant::Int(n))) if name == "mul" => {
                let repeated = repeat(x, *n)?;
                Ok(self.value(Value::Tuple(repeated)))
            }
            (Value::State(state), _) if name == "or_" && matches!(self.heap.get(*state), State::Dict(_)) => {
                match super::python::containers::merged(self, *state, b, changes)? {
                    Some(Some(merged)) => Ok(merged),
                    Some(None) => self.force(a),
                    None => Err(self.no_operator(name, a, b)),
                }
            }
            (Value::State(state), _) if name == "add" && changes && self.heap.sort(*state) == Sort::Deque => {
                super::python::deques::extend(self, a, b)?;
                self.force(a)
            }
            (Value::State(state), _) => self.binary_list(name, changes, a, *state, b),
            _ => Err(self.no_operator(name, a, b)),
        }
    }

    /// Arithmetic that cannot fail on integers that will be symbols is done when something needs it, as torch does:
    /// what is only returned needs no graph.
    fn put_off(&mut self, name: &str, a: ValueId, b: ValueId) -> Option<ValueId> {
        let number = ["add", "mul", "sub"].contains(&name).then(|| BINARY.iter().position(|op| *op == name))??;
        let (x, y) = (self.awaits(a)?, self.awaits(b)?);
        (x || y).then(|| self.value(Value::Computed(number as u32, a, b)))
    }

    fn binary_list(
        &mut self,
        name: &str,
        changes: bool,
        a: ValueId,
        state: super::value::StateId,
        b: ValueId,
    ) -> Traced {
        let State::List(items) = self.heap.get(state).clone() else { return Err(self.no_operator(name, a, b)) };
        let right = self.get(b)?;
        match (name, &right) {
            ("add", _) if changes => {
                let more = self.all_items(b)?;
                if let State::List(items) = self.heap.change(state) {
                    items.extend(more);
                }
                self.force(a)
            }
            ("add", Value::State(other)) => {
                let State::List(more) = self.heap.get(*other) else { return Err(self.no_operator(name, a, b)) };
                let joined = [&items[..], &more[..]].concat();
                Ok(self.state(State::List(joined)))
            }
            ("mul", Value::Const(Constant::Int(n))) if !changes => {
                let repeated = repeat(&items, *n)?;
                Ok(self.state(State::List(repeated)))
            }
            _ => Err(self.no_operator(name, a, b)),
        }
    }

    pub(super) fn no_operator(&mut self, name: &str, a: ValueId, b: ValueId) -> Reason {
        let (a, b) = (self.describe(a), self.describe(b));
        Reason::new(Kind::Operator, format!("`{name}` of {a} and {b}."))
    }

    /// A word for a value, for messages.
    pub(super) fn describe(&mut self, value: ValueId) -> String {
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
                Sort::Dict => match super::python::tables::class_name(self.heap.table(state)) {
                    "builtins.dict" => "a dict".to_owned(),
                    class => format!("a `{class}`"),
                },
                Sort::Deque => "a `collections.deque`".to_owned(),
                Sort::Set => "a set".to_owned(),
                Sort::Stack => format!("a `{}`", super::python::exit_stack::CLASS),
                Sort::Cell | Sort::Iter | Sort::Instance | Sort::Slot => "an iterator".to_owned(),
            },
            Ok(Value::Builtin(name) | Value::Module(name, _) | Value::Class(name, _)) => format!("`{name}`"),
            Ok(Value::Function(function)) => format!("`{}`", function.name),
            Ok(Value::Context(context) | Value::Exit(context)) => format!("a `{}`", context.name()),
            Ok(Value::Decorated(context, _)) => format!("a function within `{}`", context.name()),
            Ok(Value::Exception { name, .. }) => format!("a `{name}`"),
            Ok(Value::Getter(class, ..)) => format!("a `{class}`"),
            Ok(Value::Partial(..)) => "a `functools.partial`".to_owned(),
            Ok(Value::Object(class, _)) => format!("a `{class}`"),
            Ok(Value::Instance(state)) => match self.heap.get(state) {
                State::Instance(instance) => match &self.values[instance.class] {
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

    /// `-a`, `~a`, `+a` by the name in `operator`.
    pub(super) fn unary(&mut self, name: &str, a: ValueId) -> Traced {
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
                None => Err(Reason::new(Kind::Operator, format!("`{name}` of {}.", self.describe(a)))),
            },
        }
    }

    /// `not a`
    pub(super) fn negation(&mut self, a: ValueId) -> Traced {
        if self.get(a)?.is_symbolic() {
            return self.number_not(a);
        }
        let truth = self.truth(a)?;
        Ok(self.constant(Constant::Bool(!truth)))
    }

    /// A constant as a value; tuples by their items.
    pub(super) fn of_constant(&mut self, constant: Constant) -> ValueId {
        match constant {
            Constant::Tuple(items) => {
                let items = items.into_iter().map(|item| self.of_constant(item)).collect();
                self.value(Value::Tuple(items))
            }
            constant => self.constant(constant),
        }
    }

    /// The constant that a value is, if nothing in it can change or is computed.
    pub(super) fn as_constant(&mut self, value: ValueId) -> Traced<Option<Constant>> {
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
    pub(super) fn repr(&mut self, value: ValueId) -> Traced<Option<String>> {
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
            Value::Tuple(items) if items.len() > 1 => all(self, items)?.map(|items| format!("({})", items.join(", "))),
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
            _ => None,
        })
    }

    /// `a < b` and its kind.
    pub(super) fn compare(&mut self, comparison: Comparison, a: ValueId, b: ValueId) -> Traced {
        let (left, right) = (self.get(a)?, self.get(b)?);
        if matches!((&left, &right), (Value::Const(_) | Value::SymInt { .. }, Value::Tensor(_))) {
            // A number does not know how, and leaves it to the tensor.
            return self.compare(reflected(comparison), b, a);
        }
        let name = format!("operator.{}", name_of(comparison));
        if let (Some(x), Some(y)) = (self.as_constant(a)?, self.as_constant(b)?) {
            return self.fold(&name, &[x, y]);
        }
        if self.are_symbolic(&[a, b])? {
            return self.number_compare(comparison, a, b);
        }
        if matches!(left, Value::Tensor(_)) || matches!(right, Value::Tensor(_)) {
            let args = vec![self.arg(a)?, self.arg(b)?];
            return self.emit(NodeKind::CallFunction, &name, args, vec![]);
        }
        if let Some(result) = self.array_operator(name_of(comparison), &[a, b])? {
            return Ok(result);
        }
        if let Some(result) = self.compare_objects(comparison, a, b)? {
            return Ok(result);
        }
        if let Some(truth) = self.compare_sets(comparison, a, b)? {
            return Ok(self.constant(Constant::Bool(truth)));
        }
        let truth = match comparison {
            Comparison::Eq => self.is_equal(a, b)?,
            Comparison::Ne => !self.is_equal(a, b)?,
            _ => {
                return match self.compare_sequences(comparison, a, b)? {
                    Some(ordered) => Ok(ordered),
                    None => Err(self.no_operator(name_of(comparison), a, b)),
                };
            }
        };
        Ok(self.constant(Constant::Bool(truth)))
    }

    /// An integer, constant or symbolic, as an expression.
    pub(super) fn int(&mut self, value: ValueId) -> Traced<Option<Expr>> {
        Ok(match self.get(value)? {
            Value::Const(Constant::Int(int)) => Some(self.env.pool_mut().int(int)),
            Value::Const(Constant::Bool(truth)) => Some(self.env.pool_mut().int(i64::from(truth))),
            Value::SymInt { expr, .. } => Some(expr),
            _ => None,
        })
    }

    pub(super) fn relation(&mut self, comparison: Comparison, a: Expr, b: Expr) -> Pred {
        let pool = self.env.pool_mut();
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
    pub(super) fn decide(&mut self, p: Pred) -> Traced<bool> {
        let at = self.place();
        self.env.evaluate(p, &at).map_err(|error| self.shape_error(&error))
    }

    /// A symbolic number as the constant that it is now, under a guard; any other value as it is.
    pub(super) fn specialised(&mut self, value: ValueId) -> Traced {
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
    pub(super) fn concrete(&mut self, value: ValueId) -> Traced<i64> {
        let mut value = self.decided(value)?;
        if let Some(index) = self.call_special(value, "__index__", &[])? {
            value = index;
        }
        let expr = self.int(value)?;
        let Some(expr) = expr else {
            return Err(Reason::new(Kind::Operator, format!("{} where an int is needed.", self.describe(value))));
        };
        let at = self.place();
        self.env.evaluate_int(expr, &at).map_err(|error| self.shape_error(&error))
    }

    /// Whether two values are equal, as `==` tells.
    pub(super) fn is_equal(&mut self, a: ValueId, b: ValueId) -> Traced<bool> {
        self.nested(|t| t.is_equal_within(a, b))
    }

    fn is_equal_within(&mut self, a: ValueId, b: ValueId) -> Traced<bool> {
        let (a, b) = (self.force(a)?, self.force(b)?);
        if let (Some(x), Some(y)) = (self.as_constant(a)?, self.as_constant(b)?) {
            let equal = self.fold("operator.eq", &[x, y])?;
            return self.truth(equal);
        }
        if let Some(equal) = self.compare_objects(Comparison::Eq, a, b)? {
            return self.truth(equal);
        }
        if let Some(equal) = self.compare_sets(Comparison::Eq, a, b)? {
            return Ok(equal);
        }
        if let Some(equal) = self.are_equal_dicts(a, b)? {
            return Ok(equal);
        }
        if let (&Value::Range(x), &Value::Range(y)) = (&self.values[a], &self.values[b]) {
            let (len, other) = (super::items::range_len(x), super::items::range_len(y));
            return Ok(len == other && (len == 0 || x[0] == y[0] && (len == 1 || x[2] == y[2])));
        }
        let sequence = |tracer: &Self, value: ValueId| match &tracer.values[value] {
            Value::Tuple(items) | Value::Size(items) | Value::Record(_, _, items) => Some((0, items.clone())),
            Value::State(state) => match tracer.heap.get(*state) {
                State::List(items) => Some((1, items.clone())),
                State::Deque(deque) => Some((2, deque.items.clone())),
                _ => None,
            },
            _ => None,
        };
        if let (Some((kind, x)), Some((other, y))) = (sequence(self, a), sequence(self, b)) {
            if kind != other || x.len() != y.len() {
                return Ok(false);
            }
            for (x, y) in x.into_iter().zip(y) {
                if self.force(x)? != self.force(y)? && !self.is_equal(x, y)? {
                    return Ok(false);
                }
            }
            return Ok(true);
        }
        if self.are_symbolic(&[a, b])? {
            let equal = self.number_compare(Comparison::Eq, a, b)?;
            return self.truth(equal);
        }
        if self.values[a].is_symbolic() || self.values[b].is_symbolic() {
            // Any other constant is no number.
            let plain = |value: &Value| value.is_symbolic() || matches!(value, Value::Const(_) | Value::State(_));
            let known = plain(&self.values[a]) && plain(&self.values[b]);
            return if known { Ok(false) } else { Err(self.no_operator("eq", a, b)) };
        }
        if let Some(same) = self.same_layout(a, b) {
            return Ok(same);
        }
        let itself = Some(EnumMember::Itself);
        match (&self.values[a], &self.values[b]) {
            (&Value::Object(_, x), &Value::Object(_, y))
                if self.host.enum_member(x) == itself && self.host.enum_member(y) == itself =>
            {
                return if a == b { Ok(true) } else { self.are_two(a, b) };
            }
            (&Value::Object(_, x), Value::Const(_)) | (Value::Const(_), &Value::Object(_, x))
                if self.host.enum_member(x) == itself =>
            {
                return Ok(false);
            }
            _ => {}
        }
        let has_identity = |value: &Value| matches!(value, Value::Function(_) | Value::Class(..) | Value::Module(..));
        match (&self.values[a], &self.values[b]) {
            (Value::DictView(_, "keys"), Value::Tuple(_) | Value::Const(_))
            | (Value::Tuple(_) | Value::Const(_), Value::DictView(_, "keys")) => Ok(false),
            (Value::DictView(_, "keys"), &Value::State(state)) | (&Value::State(state), Value::DictView(_, "keys"))
                if matches!(self.heap.sort(state), Sort::List | Sort::Dict | Sort::Deque) =>
            {
                Ok(false)
            }
            (Value::Builtin(x), Value::Builtin(y)) => Ok(x == y),
            (Value::Class(_, x), Value::Class(_, y)) | (Value::Module(_, x), Value::Module(_, y)) => Ok(x == y),
            (x, Value::Const(_)) | (Value::Const(_), x) if has_identity(x) || matches!(x, Value::State(_)) => Ok(false),
            (Value::Function(_), Value::Function(_)) if a != b => self.are_two(a, b),
            (x, y) if has_identity(x) && has_identity(y) => Ok(a == b),
            _ => Err(self.no_operator("eq", a, b)),
        }
    }

    /// Whether two layouts are one, with guards that those of the caller's are what they are; `None` if they are none.
    fn same_layout(&mut self, a: ValueId, b: ValueId) -> Option<bool> {
        let layout = |t: &Self, value: ValueId| match t.values[value] {
            Value::Object(ref class, obj) if class == LAYOUT => Some(obj),
            _ => None,
        };
        let objects = [layout(self, a)?, layout(self, b)?];
        for (value, obj) in [a, b].into_iter().zip(objects) {
            if let Some(source) = self.source(value) {
                let kind = GuardKind::IdMatch(self.object(obj));
                self.guard(source, kind);
            }
        }
        Some(objects[0] == objects[1])
    }

    /// `a is b`
    pub(super) fn is_same(&mut self, a: ValueId, b: ValueId) -> Traced<bool> {
        let (a, b) = (self.decided(a)?, self.decided(b)?);
        if a == b {
            return Ok(true);
        }
        if let Some(same) = self.same_layout(a, b) {
            return Ok(same);
        }
        let singleton = |value: &Value| {
            matches!(value, Value::Const(Constant::None | Constant::Bool(_) | Constant::Ellipsis | Constant::DType(_)))
        };
        match (&self.values[a], &self.values[b]) {
            (Value::Const(x), Value::Const(y)) if singleton(&self.values[a]) && singleton(&self.values[b]) => {
                Ok(x == y)
            }
            (x, y) if singleton(x) || singleton(y) => Ok(false),
            (Value::Const(_), Value::Const(_)) => {
                Err(Reason::new(Kind::Operator, "`is` of numbers or strings, whose identity is nobody's business."))
            }
            (Value::Builtin(x), Value::Builtin(y)) => Ok(x == y),
            (Value::Class(_, x), Value::Class(_, y)) | (Value::Module(_, x), Value::Module(_, y)) => Ok(x == y),
            (Value::Tensor(x), Value::Tensor(y)) if self.first_name(*x) == self.first_name(*y) => Ok(true),
            // Calls of torch may give one of their arguments back.
            (Value::Tensor(x), Value::Tensor(y)) if self.is_input(*x) && self.is_input(*y) => self.are_two(a, b),
            (Value::Instance(_), Value::Instance(_)) => Ok(false),
            (Value::Object(..), Value::Object(..))
            | (Value::State(_), Value::State(_))
            | (Value::Function(_), Value::Function(_)) => self.are_two(a, b),
            (x, y) if std::mem::discriminant(x) != std::mem::discriminant(y) => Ok(false),
            _ => Err(self.no_operator("is", a, b)),
        }
    }

    /// `item in container`
    pub(super) fn contains(&mut self, container: ValueId, item: ValueId) -> Traced<bool> {
        let value = self.get(container)?;
        if let (Value::Const(text), Some(part)) = (&value, self.as_constant(item)?) {
            let found = self.fold("operator.contains", &[text.clone(), part])?;
            return self.truth(found);
        }
        if let Value::State(state) = value
            && self.heap.sort(state) == Sort::Dict
        {
            let key = self.key(item)?;
            return Ok(self.has_key(state, &key));
        }
        if let Value::InstanceDict(object) = value {
            return Ok(self.dict_entry(object, item)?.is_some());
        }
        let state = if let Value::State(state) = value { Some(self.heap.get(state).clone()) } else { None };
        match state {
            Some(State::Set(items, _)) => Ok(items.contains_key(&self.key(item)?)),
            None if matches!(self.get(container)?, Value::Object(..) | Value::Instance(_)) => {
                match self.call_special(container, "__contains__", &[item])? {
                    Some(found) => self.truth(found),
                    None => Err(self.no_operator("contains", container, item)),
                }
            }
            _ => {
                for candidate in self.all_items(container)? {
                    if self.force(candidate)? == self.force(item)? || self.is_equal(candidate, item)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
        }
    }

    /// Whether a value counts as true.
    pub(super) fn truth(&mut self, value: ValueId) -> Traced<bool> {
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
                    self.graph.spend_name("ne");
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
            _ => true,
        })
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

fn repeat(items: &[ValueId], times: i64) -> Traced<Vec<ValueId>> {
    let times = usize::try_from(times.max(0)).unwrap_or(usize::MAX);
    match items.len().checked_mul(times) {
        Some(len) if len <= 1 << 16 => Ok(items.repeat(times)),
        _ => Err(Reason::new(Kind::TooLong, "A sequence is repeated too often.")),
    }
}

/// The number of `BINARY_OP` for the name of an operator in `operator`.
pub(super) fn number_named(name: &str) -> Option<u32> {
    BINARY.iter().chain(&IN_PLACE).position(|each| *each == name).map(|at| at as u32)
}

/// The comparison of this name in `operator`.
pub(super) fn comparison_named(name: &str) -> Option<Comparison> {
    use Comparison::{Eq, Ge, Gt, Le, Lt, Ne};
    [Lt, Le, Eq, Ne, Gt, Ge].into_iter().find(|&comparison| name_of(comparison) == name)
}

/// `b > a` for `a < b`.
pub(super) fn reflected(comparison: Comparison) -> Comparison {
    match comparison {
        Comparison::Lt => Comparison::Gt,
        Comparison::Le => Comparison::Ge,
        Comparison::Gt => Comparison::Lt,
        Comparison::Ge => Comparison::Le,
        same @ (Comparison::Eq | Comparison::Ne) => same,
    }
}

/// The name of a comparison in `operator`.
pub(super) fn name_of(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Lt => "lt",
        Comparison::Le => "le",
        Comparison::Eq => "eq",
        Comparison::Ne => "ne",
        Comparison::Gt => "gt",
        Comparison::Ge => "ge",
    }
}
