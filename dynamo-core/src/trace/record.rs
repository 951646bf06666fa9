//! Tuples whose items have names: the user's named tuples and the results of torch's functions.

use super::{
    Traced, Tracer,
    call::Keywords,
    items::raised,
    value::{State, Value, ValueId},
};
use crate::host::{Obj, RecordClass};
use guards::Constant;
use indexmap::IndexMap;
use std::rc::Rc;

impl Tracer<'_> {
    /// A call of the class of a named tuple.
    pub(super) fn make_record(
        &mut self,
        obj: Obj,
        class: Rc<RecordClass>,
        args: &[ValueId],
        keywords: Keywords,
    ) -> Traced {
        let mut items: Vec<Option<ValueId>> = args.iter().copied().map(Some).collect();
        if items.len() > class.fields.len() {
            return Err(raised(&format!("TypeError: {} takes fewer arguments", class.name)));
        }
        items.resize(class.fields.len(), None);
        for (name, value) in keywords {
            match class.fields.iter().position(|field| *field == name) {
                Some(at) if items[at].is_none() => items[at] = Some(value),
                _ => return Err(raised(&format!("TypeError: {} got an unexpected argument `{name}`", class.name))),
            }
        }
        let first = class.fields.len().saturating_sub(class.defaults.len());
        for (item, &default) in items[first..].iter_mut().zip(&class.defaults) {
            if item.is_none() {
                *item = Some(self.value(Value::Lazy(default)));
            }
        }
        let items: Option<Vec<ValueId>> = items.into_iter().collect();
        let items = items.ok_or_else(|| raised(&format!("TypeError: {} misses an argument", class.name)))?;
        Ok(self.value(Value::Record(obj, class, items)))
    }

    /// A named tuple with some items replaced.
    pub(super) fn replace_of_record(
        &mut self,
        obj: Obj,
        class: Rc<RecordClass>,
        mut items: Vec<ValueId>,
        keywords: &Keywords,
    ) -> Traced {
        for (name, value) in keywords {
            match class.fields.iter().position(|field| field == name) {
                Some(at) => items[at] = *value,
                None => return Err(raised(&format!("ValueError: Got unexpected field names: ['{name}']"))),
            }
        }
        Ok(self.value(Value::Record(obj, class, items)))
    }

    /// The items of a named tuple by their names.
    pub(super) fn dict_of_record(&mut self, class: &RecordClass, items: Vec<ValueId>) -> Traced {
        let mut entries = IndexMap::new();
        for (field, item) in class.fields.iter().zip(items) {
            let name = self.constant(Constant::Str(field.clone()));
            entries.insert(self.key(name)?, (name, item));
        }
        Ok(self.state(State::Dict(entries)))
    }

    /// `class._make(items)` of a class of named tuples.
    pub(super) fn make_record_of(&mut self, obj: Obj, args: &[ValueId]) -> Traced {
        let class = self.host.record_class(obj).ok_or_else(|| raised("TypeError: _make"))?;
        let items = self.all_items(super::builtin::one(args)?)?;
        if items.len() != class.fields.len() {
            return Err(raised(&format!("TypeError: Expected {} arguments", class.fields.len())));
        }
        Ok(self.value(Value::Record(obj, class, items)))
    }

    /// What a call of torch gives that gives a tuple: one with names, if torch's does.
    pub(super) fn result_tuple(&mut self, target: &str, items: Vec<ValueId>) -> Value {
        let class = self.host.result_class(target).and_then(|obj| Some((obj, self.host.record_class(obj)?)));
        match class {
            Some((obj, class)) if class.fields.len() == items.len() => Value::Record(obj, class, items),
            _ => Value::Tuple(items),
        }
    }
}
