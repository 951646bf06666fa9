//! Enumerations: their members, in order and by value; and members whose class also comes from `int`, `float` or `str`:
//! they are equal to their value, and the methods of those classes work on it.
//!
//! Invariant: the value is read from the member's `_value_`, under a guard; the host has made sure that it is what the
//! member holds as an instance of its other base.

use super::{Body, Instance, Tracer, operators::Answer};
use crate::{
    host::{EnumMember, Obj},
    trace::{
        Traced,
        core::value::{Keywords, Value, ValueId},
        python::{builtins, operators},
    },
};
use guards::Constant;

/// The classes whose methods are called on the values of members.
const BASES: [&str; 3] = ["builtins.float", "builtins.int", "builtins.str"];

/// The name of a special method without its underscores, if it is one of these classes'.
fn special_of_base(function: &str) -> Option<&str> {
    let (class, method) = function.rsplit_once('.')?;
    let name = method.strip_prefix("__")?.strip_suffix("__")?;
    BASES.contains(&class).then_some(name)
}

impl Tracer<'_> {
    /// The members of an enumeration, in their order; `None` for any other class.
    pub(in crate::trace) fn enum_members(&mut self, class: ValueId, obj: Obj) -> Traced<Option<Vec<ValueId>>> {
        let Some(names) = self.host.enum_members(obj) else { return Ok(None) };
        names.iter().map(|name| self.get_attr(class, name)).collect::<Traced<_>>().map(Some)
    }

    /// The member of an enumeration that a value stands for; `None` for any other class, and where there is none.
    pub(in crate::trace) fn enum_by_value(
        &mut self,
        class: ValueId,
        obj: Obj,
        value: ValueId,
    ) -> Traced<Option<ValueId>> {
        let Some(source) = self.source(class).filter(|_| self.host.enum_members(obj).is_some()) else {
            return Ok(None);
        };
        if self.instance(value)?.is_some_and(|instance| instance.class == obj) {
            return self.force(value).map(Some);
        }
        let value = self.specialised(value)?;
        let Value::Const(constant) = self.get(value)? else { return Ok(None) };
        let Some(found) = self.host.enum_by_value(obj, &constant) else { return Ok(None) };
        let members = self.sources.attr(source, "_value2member_map_");
        let source = self.sources.item(members, constant);
        Ok(Some(self.lazy(found, source)))
    }

    /// The value of a member of an enumeration that is equal to its value; `None` for anything else.
    pub(in crate::trace) fn enum_value(&mut self, value: ValueId) -> Traced<Option<ValueId>> {
        let Some(instance) = self.instance(value)? else { return Ok(None) };
        match instance.body {
            Body::Found(obj) if self.host.enum_member(obj) == Some(EnumMember::Value) => {
                let found = self.object_attr(instance.this, obj, "_value_")?;
                self.specialised(found).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// The operands of an operator on a tensor and such a member: a tensor takes it for the number that it holds.
    pub(in crate::trace) fn tensor_and_enum_value(
        &mut self,
        a: ValueId,
        b: ValueId,
    ) -> Traced<Option<(ValueId, ValueId)>> {
        Ok(match (self.get(a)?, self.get(b)?) {
            (Value::Tensor(_), Value::Object(..)) => self.enum_value(b)?.map(|b| (a, b)),
            (Value::Object(..), Value::Tensor(_)) => self.enum_value(a)?.map(|a| (a, b)),
            _ => None,
        })
    }

    /// An operator or comparison by a method of `int`, `float` or `str` on a member; `None` for any other method or
    /// object.
    pub(super) fn ask_enum_value(&mut self, this: Instance, method: &str, other: ValueId) -> Traced<Option<Answer>> {
        let (Some(name), Some(value)) = (special_of_base(method), self.enum_value(this.this)?) else { return Ok(None) };
        let other = self.enum_value(other)?.unwrap_or(other);
        let is_text = |value: &Value| matches!(value, Value::Const(Constant::Str(_)));
        let (own, known) = (self.get(value)?, self.get(other)?);
        if is_text(&own) != is_text(&known) || !is_text(&own) && !known.is_number() {
            return Ok(Some(Answer::Pass));
        }
        if let Some(result) = operators::call_binary(self, name, value, other)? {
            return Ok(Some(Answer::Given(result)));
        }
        match name.strip_prefix('r') {
            Some(name) => Ok(operators::call_binary(self, name, other, value)?.map(Answer::Given)),
            None => Ok(None),
        }
    }

    /// A method of `int`, `float` or `str` on a member; `None` for any other function or object.
    pub(in crate::trace) fn call_on_enum_value(
        &mut self,
        function: &str,
        args: &[ValueId],
        keywords: &Keywords,
    ) -> Traced<Option<ValueId>> {
        let (Some((class, method)), Some((&this, rest))) = (function.rsplit_once('.'), args.split_first()) else {
            return Ok(None);
        };
        if !BASES.contains(&class) {
            return Ok(None);
        }
        let Some(value) = self.enum_value(this)? else { return Ok(None) };
        Ok(Some(match (special_of_base(function), rest) {
            (Some("index" | "int" | "pos" | "trunc"), []) if class == "builtins.int" => value,
            (Some("float"), []) if class == "builtins.float" => value,
            (Some("bool"), []) => {
                let truth = self.truth(value)?;
                self.constant(Constant::Bool(truth))
            }
            (Some("len"), []) => builtins::length(self, value)?,
            (Some("iter"), []) => self.iterate(value)?,
            (Some("contains"), &[item]) => {
                let item = self.enum_value(item)?.unwrap_or(item);
                let found = self.contains(value, item)?;
                self.constant(Constant::Bool(found))
            }
            (Some("getitem"), &[key]) => self.get_item(value, key)?,
            _ => self.call_method(value, method, rest, keywords.clone())?,
        }))
    }
}
