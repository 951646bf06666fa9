//! Attributes of classes that the program writes: `cls.count += 1`.
//!
//! Invariants: a value that is written is what a read gives, by the class and by its objects: it is no descriptor, and
//! stands where nothing or no descriptor stood. So the kind of an attribute is what the host says it is, and where one
//! of a class may have been written, its value is asked here first.

use super::Tracer;
use crate::{
    host::{ClassAttr, Obj},
    reason::{Kind, Reason},
    trace::{
        Traced,
        core::{
            state::Sort,
            value::{Value, ValueId},
        },
    },
};
use guards::{GuardKind, SourceId, Step};

impl Tracer<'_> {
    /// `class.name = new`; false for what is no class, or one of which the write is not followed.
    pub(in crate::trace) fn class_set(&mut self, class: ValueId, name: &str, new: ValueId) -> Traced<bool> {
        let class = self.force(class)?;
        let (&Value::Class(_, obj), Some(source)) = (&self.objects.values[class], self.source(class)) else {
            return Ok(false);
        };
        // The trace has read what a class has, as a whole.
        let is_shown = self.shows_class();
        if is_shown || name.starts_with("__") || self.host.is_immutable(obj) || self.host.record_class(obj).is_some() {
            return Ok(false);
        }
        let (meta, meta_source) = (self.host.class_of(obj), self.sources.step(source, Step::Type));
        let by_type = match self.class_method(meta, "__setattr__", Some(meta_source)) {
            Some(ClassAttr::Builtin(method, _)) => method == "builtins.type.__setattr__",
            _ => false,
        };
        let found = self.host.class_attr(obj, name, None);
        let is_plain = matches!(found, None | Some((_, ClassAttr::Plain(_))));
        if !by_type || !is_plain || !self.lacks_in_metaclass(meta, meta_source, name) || !self.is_no_descriptor(new)? {
            return Ok(false);
        }
        self.write_attr(class, obj, name, new);
        Ok(true)
    }

    /// True if the program has read `__dict__` of a class of the caller's.
    fn shows_class(&mut self) -> bool {
        let read: Vec<Obj> = self.objects.bases.keys().copied().collect();
        read.into_iter().any(|obj| self.is_read_only(obj))
    }

    /// True for a metaclass that has no attribute of a name, which is guarded.
    fn lacks_in_metaclass(&mut self, meta: Obj, source: SourceId, name: &str) -> bool {
        if self.host.class_attr(meta, name, None).is_some() {
            return false;
        }
        if !self.host.is_immutable(meta) {
            let name = self.sources.string(name);
            self.guard(source, GuardKind::HasAttr(name, false));
        }
        true
    }

    /// True for a value that a class gives as it is when it is one of its attributes.
    fn is_no_descriptor(&mut self, value: ValueId) -> Traced<bool> {
        let value = self.force(value)?;
        Ok(match self.objects.values[value] {
            Value::Const(_)
            | Value::Tensor(_)
            | Value::SymInt { .. }
            | Value::SymFloat { .. }
            | Value::SymBool { .. }
            | Value::Tuple(_)
            | Value::Size(_)
            | Value::Range(_) => true,
            Value::State(state) => {
                matches!(self.heap.sort(state), Sort::List | Sort::Dict | Sort::Set | Sort::Deque)
            }
            Value::Object(..) | Value::Instance(_) => match self.instance(value)? {
                Some(instance) => self.class_attr(instance, "__get__")?.is_none(),
                None => false,
            },
            _ => false,
        })
    }

    /// The value that the program has written into a class, or one that it comes from, under a name that a class of
    /// this source finds there.
    pub(in crate::trace) fn written_in_class(
        &mut self,
        class: Obj,
        source: Option<SourceId>,
        name: &str,
    ) -> Traced<Option<ValueId>> {
        if !self.may_be_written(name) {
            return Ok(None);
        }
        let order = self.host.mro(class);
        let Some(at) = order.iter().position(|&base| self.written(base, name).is_some()) else { return Ok(None) };
        let found = self.host.class_attr(class, name, None).map(|(place, _)| place);
        if found.is_some_and(|place| place < at) {
            return Ok(None);
        }
        // The classes before that one have nothing of the name.
        if at > 0 {
            let source = source.ok_or_else(|| self.no_class_attr(name))?;
            match found {
                Some(_) => {
                    self.class_entry(source, class, name, None);
                }
                None => {
                    let name = self.sources.string(name);
                    self.guard(source, GuardKind::HasAttr(name, false));
                }
            }
        }
        let class = self.value(Value::Lazy(order[at]));
        self.object_attr(class, order[at], name).map(Some)
    }

    /// The value that a read of a class's attribute gives where the program has written it.
    pub(in crate::trace) fn written_of_class(&mut self, class: ValueId, name: &str) -> Traced<Option<ValueId>> {
        let (&Value::Class(_, obj), true) = (&self.objects.values[class], self.may_be_written(name)) else {
            return Ok(None);
        };
        let source = self.source(class);
        let Some(written) = self.written_in_class(obj, source, name)? else { return Ok(None) };
        // It is another metaclass than that of the class which was written.
        let meta = self.host.class_of(obj);
        let meta_source = source.map(|source| self.sources.step(source, Step::Type));
        let reads = meta_source.is_some_and(|source| self.lacks_in_metaclass(meta, source, name));
        if reads && self.reads_as_type(meta) { Ok(Some(written)) } else { Err(self.no_class_attr(name)) }
    }

    /// True if the program has written an attribute of this name of anything.
    pub(in crate::trace) fn may_be_written(&self, name: &str) -> bool {
        self.objects.slots.iter().any(|(_, written, _)| written == name)
    }

    /// True if the program has written an attribute of an object or a class, or of a class that it comes from.
    pub(in crate::trace) fn is_written(&mut self, value: ValueId, name: &str) -> bool {
        let (obj, class) = match self.objects.values[value] {
            Value::Class(_, obj) => (obj, obj),
            Value::Object(_, obj) => (obj, self.host.class_of(obj)),
            _ => return false,
        };
        self.may_be_written(name)
            && (self.written(obj, name).is_some()
                || self.host.mro(class).into_iter().any(|base| self.written(base, name).is_some()))
    }

    fn no_class_attr(&mut self, name: &str) -> Reason {
        Reason::new(Kind::Attribute, format!("`{name}` of a class whose base the program has changed."))
    }
}
