//! NumPy's element types as objects: those of arrays, those that `numpy.dtype` gives, those that a program finds in
//! variables, under a guard on their identity, and what names them.
//!
//! Invariant: an object stands for an element type only where it is the one that NumPy gives for the type's name. It
//! has the processor's byte order then, and is equal to another one exactly if it is the same.

use crate::{
    host::{Obj, View},
    reason::{Kind, Reason},
    trace::{
        Traced, Tracer,
        core::value::{Value, ValueId},
        torch::numpy::dtype_named,
    },
};
use fx::{Arg, NodeId};
use guards::{Constant, GuardKind};

/// The class of element types, and the module of the classes that come from it.
const CLASS: &str = "numpy.dtype";
const CLASSES: &str = "numpy.dtypes.";

/// The names of the element types that torch has, too.
const NAMES: [&str; 10] =
    ["bool", "uint8", "int8", "int16", "int32", "int64", "float32", "float64", "complex64", "complex128"];

impl Tracer<'_> {
    /// `array.dtype`
    pub(in crate::trace) fn dtype_of_array(&mut self, node: NodeId) -> Traced<Option<ValueId>> {
        let dtype = self.array_dtype(node)?;
        let name = dtype.name();
        Ok(self.dtype_object(name).map(|obj| self.value(Value::Lazy(obj))))
    }

    /// `numpy.dtype(name)`, for a text or a class that names an element type; `None` for any other call.
    pub(in crate::trace) fn made_dtype(&mut self, name: &str, args: &[ValueId]) -> Traced<Option<ValueId>> {
        let (CLASS, &[named]) = (name, args) else { return Ok(None) };
        Ok(self.dtype_that_is_named(named)?.map(|obj| self.value(Value::Lazy(obj))))
    }

    /// Whether two element types, or an element type and what names one, are equal; `None` for other operands.
    pub(in crate::trace) fn equal_dtypes(&mut self, a: ValueId, b: ValueId) -> Traced<Option<bool>> {
        if !self.is_dtype(a)? && !self.is_dtype(b)? {
            return Ok(None);
        }
        match (self.dtype_that_is_named(a)?, self.dtype_that_is_named(b)?) {
            (Some(a), Some(b)) => Ok(Some(a == b)),
            _ => Ok(None),
        }
    }

    /// An element type as an argument of a node: its name.
    pub(super) fn dtype_as_argument(&mut self, value: ValueId) -> Traced<Arg> {
        let found = if self.is_dtype(value)? { self.dtype_that_is_named(value)? } else { None };
        let name = found.and_then(|obj| NAMES.into_iter().find(|name| self.dtype_object(name) == Some(obj)));
        let refused = |t: &mut Self| Reason::new(Kind::Call, format!("NumPy is given {}.", t.describe(value)));
        name.map(|name| Arg::Str(name.to_owned())).ok_or_else(|| refused(self))
    }

    fn is_dtype(&mut self, value: ValueId) -> Traced<bool> {
        Ok(matches!(self.get(value)?, Value::Object(class, _) if class.starts_with(CLASSES)))
    }

    /// The element type that a value is or names; `None` for one that torch lacks.
    fn dtype_that_is_named(&mut self, value: ValueId) -> Traced<Option<Obj>> {
        let named = match self.get(value)? {
            Value::Const(Constant::Str(name)) => self.dtype_object(&name),
            Value::Class(name, _) => match dtype_named(&name) {
                Some(Arg::Str(name)) => self.dtype_object(&name),
                _ => None,
            },
            Value::Object(class, obj) if self.is_own_dtype(&class, obj) => {
                let value = self.force(value)?;
                // The one in a variable may be of another byte order in the next call, which its class does not tell.
                if let Some(source) = self.source(value) {
                    let kind = GuardKind::IdMatch(self.object(obj));
                    self.guard(source, kind);
                }
                Some(obj)
            }
            _ => None,
        };
        Ok(named.filter(|&obj| NAMES.into_iter().any(|name| self.dtype_object(name) == Some(obj))))
    }

    /// True for an element type that the trace has from an array or by its name: an object of NumPy's that lasts.
    pub(in crate::trace) fn is_known_dtype(&mut self, value: ValueId) -> bool {
        match self.objects.values[value].clone() {
            Value::Object(class, obj) => self.source(value).is_none() && self.is_own_dtype(&class, obj),
            _ => false,
        }
    }

    /// True for an element type that torch has, too, as NumPy itself has it: an object that lasts.
    pub(in crate::trace) fn is_own_dtype(&mut self, class: &str, obj: Obj) -> bool {
        class.starts_with(CLASSES) && NAMES.into_iter().any(|name| self.dtype_object(name) == Some(obj))
    }

    /// The object that NumPy gives for a name.
    fn dtype_object(&mut self, name: &str) -> Option<Obj> {
        let class = self.host.class_named(CLASS)?;
        let found = self.host.assume(class, &[Constant::Str(name.to_owned())])?;
        matches!(self.host.view(found), View::Object(class) if class.starts_with(CLASSES)).then_some(found)
    }
}
