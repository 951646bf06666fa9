//! Giving functions and partials that are made anew the attributes that they have in the trace.

use super::Output;
use crate::{
    bytecode::Const,
    trace::{
        Traced,
        core::value::{Function, Value, ValueId},
    },
};
use guards::Constant;

impl Output<'_, '_> {
    /// Gives the function on the top its attributes, which may lead back to it.
    pub(in crate::trace) fn push_function_attributes(&mut self, value: ValueId, function: &Function) -> Traced<()> {
        let Some(attrs) = self.t.objects.made_attrs.get(&value).copied() else {
            return match (function.annotations, function.annotate) {
                (Some(_), _) => {
                    let annotations = self.t.annotations_of(function)?;
                    self.give(annotations, "__annotations__")
                }
                (None, Some(annotate)) => self.give(annotate, "__annotate__"),
                (None, None) => Ok(()),
            };
        };
        let mut named = false;
        for (key, attribute) in self.t.entries_of(attrs.own).into_values() {
            if let Value::Const(Constant::Str(name)) = self.t.get(key)? {
                named |= matches!(name.as_str(), "__annotate__" | "__annotations__");
                self.give(attribute, &name)?;
            }
        }
        if function.annotations.is_some() && !named {
            let annotations = self.t.annotations_of(function)?;
            self.give(annotations, "__annotations__")?;
        }
        if let Some(annotate) = function.annotate.filter(|_| !named) {
            self.give(annotate, "__annotate__")?;
        }
        self.give(attrs.dict, "__dict__")
    }

    /// Gives the partial on the top its attributes, which may lead back to it.
    pub(in crate::trace) fn push_partial_attributes(
        &mut self,
        partial: ValueId,
        function: ValueId,
        args: &[ValueId],
    ) -> Traced<()> {
        if let Some(keywords) = self.t.own_entry(partial, "keywords") {
            self.builder.copy(1);
            self.builder.load_method("__setstate__");
            self.push(function)?;
            self.push_all(args)?;
            self.builder.build_tuple(args.len() as u32);
            self.push(keywords)?;
            self.builder.load_const(Const::None);
            self.builder.build_tuple(4);
            self.builder.call(1);
            self.builder.pop();
        }
        match self.t.own_entry(partial, "__dict__") {
            Some(dict) => self.give(dict, "__dict__"),
            None => Ok(()),
        }
    }

    fn give(&mut self, attribute: ValueId, name: &str) -> Traced<()> {
        self.builder.copy(1);
        self.push(attribute)?;
        self.builder.swap(2);
        self.builder.store_attr(name);
        Ok(())
    }
}
