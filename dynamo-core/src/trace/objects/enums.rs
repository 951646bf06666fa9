//! Enumerations: their members, in order and by value; and members whose class also comes from `int`, `float` or `str`,
//! which are equal to their value.
//!
//! Invariant: the value is read from the member's `_value_`, under a guard; the host has made sure that it is what the
//! member holds as an instance of its other base.

use super::{Body, Tracer};
use crate::{
    host::{EnumMember, Obj},
    trace::{
        Traced,
        core::value::{Value, ValueId},
    },
};

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
}
