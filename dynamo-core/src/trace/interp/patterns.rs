//! Tests of a `match` subject before its parts are read: whether it is a sequence or a mapping, and its values for the
//! keys or the class of a pattern.
//!
//! A subject of which only its class could tell ends the graph.

use crate::{
    reason::{Kind, Reason},
    trace::{
        Traced, Tracer,
        core::{
            state::{Sort, State},
            value::{Value, ValueId},
        },
        python::classes::is_instance,
    },
};
use guards::Constant;

/// Classes of which a pattern's only positional part is the subject itself.
const WHOLE: &[&str] = &["bool", "bytes", "dict", "float", "frozenset", "int", "list", "set", "str", "tuple"];

impl Tracer<'_> {
    /// Whether patterns take a value for a sequence, and for a mapping.
    pub(in crate::trace) fn protocols(&mut self, subject: ValueId) -> Traced<(bool, bool)> {
        Ok(match self.get(subject)? {
            Value::Tuple(_) | Value::Size(_) | Value::Record(..) | Value::Range(_) => (true, false),
            Value::State(state) => match self.heap.sort(state) {
                Sort::List | Sort::Deque => (true, false),
                Sort::Dict => (false, true),
                Sort::Set | Sort::Cell | Sort::Iter | Sort::Stack | Sort::Instance | Sort::Slot => (false, false),
            },
            Value::Const(_)
            | Value::Tensor(_)
            | Value::SymInt { .. }
            | Value::SymFloat { .. }
            | Value::SymBool { .. }
            | Value::Slice(_)
            | Value::DictView(..)
            | Value::Function(_)
            | Value::Method { .. } => (false, false),
            Value::Object(..) | Value::Instance(_) => match self.instance(subject)? {
                Some(instance) => self.host.protocols(instance.class),
                None => return Err(self.no_pattern(subject)),
            },
            _ => return Err(self.no_pattern(subject)),
        })
    }

    /// `MATCH_KEYS`: the values of a mapping's keys, or `None` where one is not there.
    pub(in crate::trace) fn match_keys(&mut self, subject: ValueId, keys: ValueId) -> Traced {
        let Value::State(state) = self.get(subject)? else { return Err(self.no_pattern(subject)) };
        let mut values = Vec::new();
        for key in self.all_items(keys)? {
            let key = self.key(key)?;
            let State::Dict(items) = self.heap.get(state) else { return Err(self.no_pattern(subject)) };
            match items.get(&key) {
                Some(&(_, value)) => values.push(value),
                None => return Ok(self.none()),
            }
        }
        Ok(self.value(Value::Tuple(values)))
    }

    /// `MATCH_CLASS`: the attributes that a pattern names, or `None` for a subject of another class.
    pub(in crate::trace) fn match_class(
        &mut self,
        subject: ValueId,
        class: ValueId,
        names: ValueId,
        count: usize,
    ) -> Traced {
        if !is_instance(self, subject, class)? {
            return Ok(self.none());
        }
        let mut named = Vec::new();
        let mut parts = match (count, self.get(class)?) {
            (0, _) => Vec::new(),
            (1, Value::Class(name, _)) if name.strip_prefix("builtins.").is_some_and(|name| WHOLE.contains(&name)) => {
                vec![subject]
            }
            _ => {
                let by_place = self.get_attr(class, "__match_args__")?;
                named = self.all_items(by_place)?;
                if named.len() < count {
                    return Err(self.no_pattern(subject));
                }
                named.truncate(count);
                Vec::new()
            }
        };
        named.extend(self.all_items(names)?);
        let mut seen = Vec::new();
        for name in named {
            let Value::Const(Constant::Str(name)) = self.get(name)? else { return Err(self.no_pattern(subject)) };
            if seen.contains(&name) {
                return Err(self.no_pattern(subject));
            }
            match self.get_attr(subject, &name) {
                Ok(part) => {
                    parts.push(part);
                    seen.push(name);
                }
                Err(reason) if self.lacks_attr(&reason) => {
                    self.forget_raised();
                    return Ok(self.none());
                }
                Err(reason) => return Err(reason),
            }
        }
        Ok(self.value(Value::Tuple(parts)))
    }

    fn no_pattern(&mut self, subject: ValueId) -> Reason {
        Reason::new(Kind::Operator, format!("A pattern of {}.", self.describe(subject)))
    }
}
