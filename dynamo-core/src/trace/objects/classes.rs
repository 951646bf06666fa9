//! Attributes of classes, as `type.__getattribute__` finds them.

use super::{Tracer, supers::CLASS_METHOD};
use crate::{
    host::{ClassAttr, Obj},
    reason::{Kind, Reason},
    trace::{
        Traced,
        core::{
            state::State,
            value::{Value, ValueId},
        },
        signature::{Row, row},
        torch::autograd_function::APPLY,
    },
};
use guards::{Collection, Constant, GuardKind, SourceId, Step};

/// Methods of every class.
pub(in crate::trace) const ROWS: &[Row] = &[row("type.__subclasses__(self, /)", |t, b| t.subclasses(b.arg(0)?))];

impl Tracer<'_> {
    /// `class.__subclasses__()`
    fn subclasses(&mut self, class: ValueId) -> Traced {
        let unknown = |t: &mut Self| Reason::new(Kind::Call, format!("`__subclasses__` of {}.", t.describe(class)));
        let Value::Class(_, obj) = self.get(class)? else { return Err(unknown(self)) };
        let source = self.source(class).ok_or_else(|| unknown(self))?;
        let classes = self.host.subclasses(obj).ok_or_else(|| unknown(self))?;
        let method = self.sources.string("__subclasses__");
        let source = self.sources.step(source, Step::Call0(method));
        let classes = self.classes_at(source, classes);
        Ok(self.state(State::List(classes)))
    }

    /// Classes in a sequence at a source, whose length is guarded.
    fn classes_at(&mut self, source: SourceId, classes: Vec<Obj>) -> Vec<ValueId> {
        self.guard(source, GuardKind::SequenceLength(classes.len() as u32, Collection::Sequence));
        let item = |(place, class)| {
            let source = self.sources.item(source, Constant::Int(place));
            self.lazy(class, source)
        };
        (0..).zip(classes).map(item).collect()
    }

    /// The source of a class; the class of tensors, which is asked of those that are computed, has one always.
    fn source_of_class(&mut self, class: ValueId, obj: Obj) -> Option<SourceId> {
        self.source(class).or_else(|| {
            let is_tensor = self.host.class_named("torch.Tensor") == Some(obj);
            is_tensor.then(|| {
                let module = self.sources.module("torch");
                self.sources.attr(module, "Tensor")
            })
        })
    }

    /// `class.__mro__`
    pub(in crate::trace) fn mro_of(&mut self, class: ValueId, obj: Obj) -> Traced {
        let classes = self.host.mro(obj);
        if self.host.is_immutable(obj) {
            let classes = classes.into_iter().map(|class| self.value(Value::Lazy(class))).collect();
            return Ok(self.value(Value::Tuple(classes)));
        }
        let source = self.source_of_class(class, obj).ok_or_else(|| self.no_attr(class, "__mro__"))?;
        let source = self.sources.attr(source, "__mro__");
        let classes = self.classes_at(source, classes);
        Ok(self.value(Value::Tuple(classes)))
    }

    /// True if a class has this method from `type`.
    pub(in crate::trace) fn has_from_type(&mut self, class: Obj, name: &str) -> bool {
        let meta = self.host.class_of(class);
        let method = self.host.class_attr(meta, name, None).map(|(_, found)| found);
        matches!(method, Some(ClassAttr::Builtin(method, _)) if method.strip_prefix("builtins.type.") == Some(name))
            && self.reads_as_type(meta)
            && self.host.class_attr(class, name, None).is_none()
    }

    /// A method or a plain attribute that a class of the program's gives, also where its metaclass is the program's;
    /// `None` where the host is to be asked.
    pub(in crate::trace) fn class_get(&mut self, class: ValueId, obj: Obj, name: &str) -> Traced<Option<ValueId>> {
        if let Some(method) = self.exception_method(class, obj, name) {
            return Ok(Some(method));
        }
        if self.host.is_immutable(obj) || name.starts_with("__") {
            return Ok(None);
        }
        let meta = self.host.class_of(obj);
        let of_meta = self.host.class_attr(meta, name, None).map(|(_, found)| found);
        let found = match (of_meta, self.host.class_attr(obj, name, None)) {
            (None, Some((_, found))) => found,
            // What is no descriptor is read as any other attribute is.
            (Some(found @ ClassAttr::Plain(_)), None) => found,
            _ => return Ok(None),
        };
        let Some(source) = self.source(class).filter(|_| self.reads_as_type(meta)) else { return Ok(None) };
        let source = self.sources.attr(source, name);
        Ok(match found {
            ClassAttr::Function(found) | ClassAttr::StaticMethod(found) | ClassAttr::Plain(found) => {
                self.found_variable(source);
                Some(self.lazy(found, source))
            }
            ClassAttr::ClassMethod(function) => {
                let entry = self.source(class).and_then(|class| self.class_entry(class, obj, name, None));
                let function = self.entry_function(entry, function, Some(CLASS_METHOD))?;
                Some(self.value(Value::Method { function, this: class }))
            }
            ClassAttr::Builtin(method, _) if method == APPLY => {
                let function = self.value(Value::Builtin(method));
                Some(self.sourced(Value::Method { function, this: class }, source))
            }
            _ => None,
        })
    }

    /// True for a class that prints as `type` prints it.
    pub(in crate::trace) fn is_shown_by_type(&mut self, class: Obj) -> bool {
        let meta = self.host.class_of(class);
        let shown = self.host.class_attr(meta, "__repr__", None).map(|(_, found)| found);
        matches!(shown, Some(ClassAttr::Builtin(method, _)) if method == "builtins.type.__repr__")
    }

    /// True for a metaclass that reads attributes as `type` does.
    pub(super) fn reads_as_type(&mut self, meta: Obj) -> bool {
        let reads = self.host.class_attr(meta, "__getattribute__", None).map(|(_, found)| found);
        matches!(&reads, Some(ClassAttr::Builtin(method, _)) if method == "builtins.type.__getattribute__")
    }
}
