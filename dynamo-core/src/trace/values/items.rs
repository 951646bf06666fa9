//! Containers and iterators: items read, written and deleted, iteration, unpacking.

use crate::{
    reason::{Kind, Reason},
    trace::{
        Traced, Tracer,
        core::{
            state::{Key, Sort, State},
            value::{Value, ValueId},
        },
        python::folding::has_nan,
    },
};
use fx::Kind as NodeKind;
use guards::Constant;

impl Tracer<'_> {
    /// `container[key]`
    pub(in crate::trace) fn get_item(&mut self, container: ValueId, key: ValueId) -> Traced {
        match self.get(container)? {
            Value::Tensor(_) => self.tensor_item(container, key),
            Value::NdArray { .. } => match self.array_operator("getitem", &[container, key])? {
                Some(item) => Ok(item),
                None => Err(self.no_item(container)),
            },
            Value::Tuple(items) | Value::Record(_, _, items) => self.get_of_sequence(&items, key, Value::Tuple),
            Value::Size(items) => self.get_of_sequence(&items, key, Value::Size),
            Value::Range(bounds) => self.range_item(bounds, key),
            Value::Const(constant) => match self.as_constant(key)? {
                Some(key) => self.fold("operator.getitem", &[constant, key]),
                None if let Some(index) = self.object_as_index(key)?
                    && let Some(key) = self.as_constant(index)? =>
                {
                    self.fold("operator.getitem", &[constant, key])
                }
                None => Err(Reason::new(Kind::Operator, "A constant's item at a place that is computed.")),
            },
            Value::State(state) if self.heap.sort(state) == Sort::Dict => self.dict_item(container, state, key),
            Value::State(state) => match self.heap.get(state).clone() {
                State::List(items) => self.list_item(&items, key),
                State::Deque(deque) if !matches!(self.get(key)?, Value::Slice(_)) => {
                    let at = self.index(deque.items.len(), key, "deque index")?;
                    Ok(deque.items[at])
                }
                _ => Err(self.no_item(container)),
            },
            Value::InstanceDict(object) => self.get_dict_entry(object, key),
            Value::Class(..) | Value::Object(..) if self.is_generic(container)? => {
                match self.subscripted_type(container, key)? {
                    Some(alias) => Ok(alias),
                    None => Err(self.no_item(container)),
                }
            }
            Value::Class(_, obj) => match self.subscripted_class(container, obj, key)? {
                Some(found) => Ok(found),
                None => match self.call_special(container, "__getitem__", &[key])? {
                    Some(item) => Ok(item),
                    None => Err(self.no_item(container)),
                },
            },
            Value::Object(..) | Value::Instance(_) => match self.call_special(container, "__getitem__", &[key])? {
                Some(item) => Ok(item),
                None => Err(self.no_item(container)),
            },
            _ => Err(self.no_item(container)),
        }
    }

    fn no_item(&mut self, container: ValueId) -> Reason {
        Reason::new(Kind::Operator, format!("An item of {}.", self.describe(container)))
    }

    /// The item of a sequence at a place, or what `make` makes of those that a slice picks.
    pub(in crate::trace) fn get_of_sequence(
        &mut self,
        items: &[ValueId],
        key: ValueId,
        make: fn(Vec<ValueId>) -> Value,
    ) -> Traced {
        if let Value::Slice(_) = self.get(key)? {
            let picked = self.slice(items, key)?;
            return Ok(self.value(make(picked)));
        }
        let at = self.index(items.len(), key, "tuple index")?;
        Ok(items[at])
    }

    /// `container[key] = value`
    pub(in crate::trace) fn set_item(&mut self, container: ValueId, key: ValueId, value: ValueId) -> Traced<()> {
        match self.get(container)? {
            Value::Tensor(_) => {
                let args = vec![self.arg(container)?, self.arg(key)?, self.arg(value)?];
                let this = self.force(container)?;
                self.emit_in_place(NodeKind::CallFunction, "operator.setitem", this, args, vec![])?;
                Ok(())
            }
            Value::NdArray { node, is_scalar: false } => self.set_array_item(container, node, key, value),
            Value::State(state) => match self.heap.get(state).clone() {
                State::List(items) => self.set_list_item(state, items, key, value),
                State::Deque(deque) if !matches!(self.get(key)?, Value::Slice(_)) => {
                    let at = self.index(deque.items.len(), key, "deque index")?;
                    if let State::Deque(deque) = self.heap.change(state) {
                        deque.items[at] = value;
                    }
                    Ok(())
                }
                State::Dict(_) => self.set_dict_item(state, key, value),
                _ => Err(self.no_change(container)),
            },
            Value::InstanceDict(object) => self.set_dict_entry(object, key, value),
            Value::Object(..) | Value::Instance(_) => {
                match self.call_special(container, "__setitem__", &[key, value])? {
                    Some(_) => Ok(()),
                    None => Err(self.no_change(container)),
                }
            }
            _ => Err(self.no_change(container)),
        }
    }

    pub(in crate::trace) fn no_change(&mut self, container: ValueId) -> Reason {
        Reason::new(Kind::Mutation, format!("A change of {}.", self.describe(container)))
    }

    /// `del container[key]`
    pub(in crate::trace) fn delete_item(&mut self, container: ValueId, key: ValueId) -> Traced<()> {
        if let Value::InstanceDict(object) = self.get(container)? {
            return self.delete_dict_entry(object, key);
        }
        if self.instance(container)?.is_some() {
            let deleted = self.call_special(container, "__delitem__", &[key])?;
            return deleted.map(|_| ()).ok_or_else(|| self.no_change(container));
        }
        let Value::State(state) = self.get(container)? else { return Err(self.no_change(container)) };
        match self.heap.get(state).clone() {
            State::List(items) => self.delete_list_item(state, &items, key),
            State::Deque(deque) if !matches!(self.get(key)?, Value::Slice(_)) => {
                let at = self.index(deque.items.len(), key, "deque index")?;
                if let State::Deque(deque) = self.heap.change(state) {
                    deque.items.remove(at);
                    deque.moves += 1;
                }
                Ok(())
            }
            State::Dict(_) => self.delete_dict_item(state, key),
            _ => Err(self.no_change(container)),
        }
    }

    /// A value as a key of a dict.
    pub(in crate::trace) fn key(&mut self, value: ValueId) -> Traced<Key> {
        let forced = self.force(value)?;
        Ok(match self.objects.values[forced].clone() {
            // Whether it is the same NaN as another key's, constants have lost.
            Value::Const(constant) if has_nan(&constant) => {
                return Err(Reason::new(Kind::Operator, "NaN as a key."));
            }
            Value::Const(constant) => self.key_among_hashed(forced, Key::Const(plain_number(constant)))?,
            Value::Tuple(items) | Value::Size(items) | Value::Record(_, _, items) => {
                let items = items.into_iter().map(|item| self.key(item)).collect::<Traced<_>>()?;
                self.key_among_hashed(forced, Key::Tuple(items))?
            }
            Value::Tensor(node) => self.key_of_tensor(forced, node)?,
            Value::Builtin(name) => Key::Builtin(name),
            Value::Function(function) => self.key_of_function(forced, function.object)?,
            Value::Class(_, obj) => {
                if !self.leaves_to_type(value, "__hash__")? || !self.leaves_to_type(value, "__eq__")? {
                    return Err(Reason::new(Kind::Operator, format!("{} as a key.", self.describe(value))));
                }
                Key::Obj(obj)
            }
            Value::Module(_, obj) => Key::Obj(obj),
            Value::Object(..) | Value::Instance(_) => self.key_of_object(forced)?,
            value if value.is_symbolic() => {
                let known = self.specialised(forced)?;
                self.key(known)?
            }
            Value::State(_) => return Err(self.no_hash(forced)),
            _ => return Err(Reason::new(Kind::Operator, format!("{} as a key.", self.describe(forced)))),
        })
    }
}

/// Numbers that are equal as keys are one constant.
fn plain_number(constant: Constant) -> Constant {
    match constant {
        Constant::Bool(truth) => Constant::Int(i64::from(truth)),
        Constant::Float(bits) => {
            let value = f64::from_bits(bits);
            let exact = format!("{value:.0}");
            match value.fract() == 0.0 {
                true => exact.parse().map_or(Constant::BigInt(exact), Constant::Int),
                false => Constant::Float(bits),
            }
        }
        Constant::Complex(real, imaginary) if f64::from_bits(imaginary) == 0.0 => plain_number(Constant::Float(real)),
        Constant::Tuple(items) => Constant::Tuple(items.into_iter().map(plain_number).collect()),
        constant => constant,
    }
}
