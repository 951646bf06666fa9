//! Comparisons, identity and membership.

use crate::{
    bytecode::Comparison,
    host::{EnumMember, Obj},
    reason::{Kind, Reason},
    trace::{
        Traced, Tracer,
        core::{
            state::{Sort, State},
            value::{Value, ValueId, range_len},
        },
        python::{folding::has_nan, tables},
        values::singletons::is_singleton,
    },
};
use fx::Kind as NodeKind;
use guards::{Constant, GuardKind};

impl Tracer<'_> {
    /// `a < b` and its kind.
    pub(in crate::trace) fn compare(&mut self, comparison: Comparison, a: ValueId, b: ValueId) -> Traced {
        let (a, b) = (self.dict_read(a)?, self.dict_read(b)?);
        let (left, right) = (self.get(a)?, self.get(b)?);
        match (&left, &right) {
            (&Value::WeakRef(x), &Value::WeakRef(y)) if matches!(comparison, Comparison::Eq | Comparison::Ne) => {
                let (x, y) = (self.referent_held(x)?, self.referent_held(y)?);
                return self.compare(comparison, x, y);
            }
            (Value::WeakRef(_), _) | (_, Value::WeakRef(_)) => {
                return Err(self.no_operator(comparison.name(), a, b));
            }
            _ => {}
        }
        if let (&Value::SortKey(compare, Some(x)), &Value::SortKey(_, Some(y))) = (&left, &right) {
            let order = self.call(compare, vec![x, y], vec![])?;
            let zero = self.constant(Constant::Int(0));
            return self.compare(comparison, order, zero);
        }
        if matches!((&left, &right), (Value::Const(_) | Value::SymInt { .. }, Value::Tensor(_))) {
            // A number does not know how, and leaves it to the tensor.
            return self.compare(comparison.reflected(), b, a);
        }
        if matches!(left, Value::Object(..)) || matches!(right, Value::Object(..)) {
            let methods = [comparison, comparison.reflected()].map(|of| format!("__{}__", of.name()));
            if let Some((a, b)) = self.operands_as_tensors(&methods, a, b)? {
                return self.compare(comparison, a, b);
            }
        }
        if let (true, Some(equal)) = (matches!(comparison, Comparison::Eq | Comparison::Ne), self.equal_dtypes(a, b)?) {
            return Ok(self.constant(Constant::Bool(equal == (comparison == Comparison::Eq))));
        }
        let name = format!("operator.{}", comparison.name());
        if let (Some(x), Some(y)) = (self.as_constant(a)?, self.as_constant(b)?) {
            return self.fold(&name, &[x, y]);
        }
        if self.are_symbolic(&[a, b])? {
            return self.number_compare(comparison, a, b);
        }
        let is_object = |value: &Value| matches!(value, Value::Object(..) | Value::Instance(_));
        if (matches!(left, Value::Tensor(_)) && is_object(&right)
            || is_object(&left) && matches!(right, Value::Tensor(_)))
            && let Some(result) = self.compare_objects(comparison, a, b)?
        {
            return Ok(result);
        }
        if matches!(left, Value::Tensor(_)) || matches!(right, Value::Tensor(_)) {
            let args = vec![self.arg(a)?, self.arg(b)?];
            return self.emit(NodeKind::CallFunction, &name, args, vec![]);
        }
        if let Some(result) = self.array_operator(comparison.name(), &[a, b])? {
            return Ok(result);
        }
        if let Some(result) = self.compare_objects(comparison, a, b)? {
            return Ok(result);
        }
        if let Some(truth) = self.compare_sets(comparison, a, b)? {
            return Ok(self.constant(Constant::Bool(truth)));
        }
        if let Some(truth) = tables::operator_of_counters(self, "", comparison.name(), &[a, b])? {
            return Ok(truth);
        }
        let truth = match comparison {
            Comparison::Eq => self.is_equal(a, b)?,
            Comparison::Ne => !self.is_equal(a, b)?,
            _ => {
                return match self.compare_sequences(comparison, a, b)? {
                    Some(ordered) => Ok(ordered),
                    None => Err(self.no_operator(comparison.name(), a, b)),
                };
            }
        };
        Ok(self.constant(Constant::Bool(truth)))
    }

    /// Whether two values are equal, as `==` tells.
    pub(in crate::trace) fn is_equal(&mut self, a: ValueId, b: ValueId) -> Traced<bool> {
        self.nested(|t| t.is_equal_within(a, b))
    }

    /// Whether containers take two items for equal: they are one object, or equal as `==` tells.
    ///
    /// # Errors
    /// For NaN, which is no other object's equal: constants have lost whether they are one object.
    pub(in crate::trace) fn is_same_or_equal(&mut self, a: ValueId, b: ValueId) -> Traced<bool> {
        if let Value::Const(x) = self.get(a)?
            && let Value::Const(y) = self.get(b)?
            && has_nan(&x)
            && has_nan(&y)
        {
            return Err(self.no_operator("eq", a, b));
        }
        Ok(self.force(a)? == self.force(b)? || self.is_equal(a, b)?)
    }

    fn is_equal_within(&mut self, a: ValueId, b: ValueId) -> Traced<bool> {
        let (a, b) = (self.dict_read(a)?, self.dict_read(b)?);
        let (a, b) = (self.force(a)?, self.force(b)?);
        match (&self.objects.values[a], &self.objects.values[b]) {
            (&Value::WeakRef(x), &Value::WeakRef(y)) => {
                let (x, y) = (self.referent_held(x)?, self.referent_held(y)?);
                return self.is_equal(x, y);
            }
            (Value::WeakRef(_), _) | (_, Value::WeakRef(_)) => return Err(self.no_operator("eq", a, b)),
            _ => {}
        }
        if let (Some(x), Some(y)) = (self.as_constant(a)?, self.as_constant(b)?) {
            let equal = self.fold("operator.eq", &[x, y])?;
            return self.truth(equal);
        }
        if let Some(equal) = self.equal_dtypes(a, b)? {
            return Ok(equal);
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
        if let (&Value::Range(x), &Value::Range(y)) = (&self.objects.values[a], &self.objects.values[b]) {
            let (len, other) = (range_len(x), range_len(y));
            return Ok(len == other && (len == 0 || x[0] == y[0] && (len == 1 || x[2] == y[2])));
        }
        let sequence = |tracer: &Self, value: ValueId| match &tracer.objects.values[value] {
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
                if !self.is_same_or_equal(x, y)? {
                    return Ok(false);
                }
            }
            return Ok(true);
        }
        if self.are_symbolic(&[a, b])? {
            let equal = self.number_compare(Comparison::Eq, a, b)?;
            return self.truth(equal);
        }
        if self.objects.values[a].is_symbolic() || self.objects.values[b].is_symbolic() {
            // Any other constant is no number.
            let plain = |value: &Value| value.is_symbolic() || matches!(value, Value::Const(_) | Value::State(_));
            let known = plain(&self.objects.values[a]) && plain(&self.objects.values[b]);
            return if known { Ok(false) } else { Err(self.no_operator("eq", a, b)) };
        }
        if let Some(same) = self.same_singleton(a, b) {
            return Ok(same);
        }
        let itself = Some(EnumMember::Itself);
        match (&self.objects.values[a], &self.objects.values[b]) {
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
        for operand in [a, b] {
            if !self.leaves_to_type(operand, "__eq__")? || !self.leaves_to_type(operand, "__ne__")? {
                return Err(self.no_operator("eq", a, b));
            }
        }
        let has_identity = |value: &Value| matches!(value, Value::Function(_) | Value::Class(..) | Value::Module(..));
        match (&self.objects.values[a], &self.objects.values[b]) {
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
            (Value::Partial(..), x) | (x, Value::Partial(..)) if has_identity(x) => Ok(false),
            (x, y) if has_identity(x) && has_identity(y) => Ok(a == b),
            _ => Err(self.no_operator("eq", a, b)),
        }
    }

    /// Whether two layouts or memory formats are identical, under guards on those that are inputs; `None` for other
    /// values.
    fn same_singleton(&mut self, a: ValueId, b: ValueId) -> Option<bool> {
        let layout = |t: &Self, value: ValueId| match t.objects.values[value] {
            Value::Object(ref class, obj) if is_singleton(class) => Some(obj),
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
    pub(in crate::trace) fn is_same(&mut self, a: ValueId, b: ValueId) -> Traced<bool> {
        let (a, b) = (self.decided(a)?, self.decided(b)?);
        if a == b {
            return Ok(true);
        }
        if let Some(same) = self.same_singleton(a, b) {
            return Ok(same);
        }
        let singleton = |value: &Value| {
            matches!(value, Value::Const(Constant::None | Constant::Bool(_) | Constant::Ellipsis | Constant::DType(_)))
        };
        match (&self.objects.values[a], &self.objects.values[b]) {
            (Value::Const(x), Value::Const(y))
                if singleton(&self.objects.values[a]) && singleton(&self.objects.values[b]) =>
            {
                Ok(x == y)
            }
            (x, y) if singleton(x) || singleton(y) => Ok(false),
            (Value::InstanceDict(x), Value::InstanceDict(y)) if x == y => Ok(true),
            // A reference to an object is given out again.
            (&Value::WeakRef(x), &Value::WeakRef(y)) => Ok(x == y),
            (Value::WeakRef(_), Value::Object(..)) | (Value::Object(..), Value::WeakRef(_)) => {
                Err(self.no_operator("is", a, b))
            }
            // The library gives some of them out twice.
            (Value::TypeExpr(..), _) | (_, Value::TypeExpr(..)) => Err(self.no_operator("is", a, b)),
            (Value::Const(_), Value::Const(_)) => {
                Err(Reason::new(Kind::Operator, "`is` of numbers or strings, whose identity is nobody's business."))
            }
            (Value::Builtin(x), Value::Builtin(y)) => Ok(x == y),
            (Value::Class(_, x), Value::Class(_, y)) | (Value::Module(_, x), Value::Module(_, y)) => Ok(x == y),
            (Value::Tensor(x), Value::Tensor(y)) if self.first_name(*x) == self.first_name(*y) => Ok(true),
            // Calls of torch may give one of their arguments back.
            (Value::Tensor(x), Value::Tensor(y)) if self.is_input(*x) && self.is_input(*y) => self.are_two(a, b),
            (Value::Tensor(x), Value::Tensor(y)) if self.has_identity(*x) && self.has_identity(*y) => Ok(false),
            (Value::Instance(_), Value::Instance(_)) => Ok(false),
            (Value::Object(..), Value::Object(..))
            | (Value::State(_), Value::State(_))
            | (Value::Function(_), Value::Function(_)) => self.are_two(a, b),
            (x, y) if std::mem::discriminant(x) != std::mem::discriminant(y) => Ok(false),
            _ => Err(self.no_operator("is", a, b)),
        }
    }

    /// The items of a frozen set of the caller's that holds objects, under a guard that it is the same one.
    pub(in crate::trace) fn frozen_items(&mut self, set: ValueId, obj: Obj) -> Traced<Option<Vec<ValueId>>> {
        let Some(items) = self.objects.frozen_items.get(&obj).cloned() else { return Ok(None) };
        let set = self.force(set)?;
        if let Some(source) = self.source(set) {
            let kind = GuardKind::IdMatch(self.object(obj));
            self.guard(source, kind);
        }
        Ok(Some(items))
    }

    /// `item in container`
    pub(in crate::trace) fn contains(&mut self, container: ValueId, item: ValueId) -> Traced<bool> {
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
        if let Value::Object(_, obj) = value
            && let Some(items) = self.frozen_items(container, obj)?
        {
            let key = self.key(item)?;
            for item in items {
                if self.key(item)? == key {
                    return Ok(true);
                }
            }
            return Ok(false);
        }
        if let Value::InstanceDict(object) = value {
            return Ok(self.dict_entry(object, item)?.is_some());
        }
        if let Value::Class(_, obj) = value
            && self.host.enum_members(obj).is_none()
            && let Some(found) = self.call_special(container, "__contains__", &[item])?
        {
            return self.truth(found);
        }
        let state = if let Value::State(state) = value { Some(self.heap.get(state).clone()) } else { None };
        match state {
            Some(State::Set(items, _)) => Ok(items.contains_key(&self.key(item)?)),
            None if matches!(self.get(container)?, Value::Object(..) | Value::Instance(_)) => {
                match self.call_special(container, "__contains__", &[item])? {
                    Some(found) => self.truth(found),
                    None => self.any_item(container, |t, candidate| t.is_same_or_equal(candidate, item)),
                }
            }
            _ => self.any_item(container, |t, candidate| t.is_same_or_equal(candidate, item)),
        }
    }
}
