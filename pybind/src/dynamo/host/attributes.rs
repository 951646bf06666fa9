//! Lookup of attributes in objects and classes, and predicates on classes, such as those about instance checks.

use super::PyHost;
use crate::dynamo::classify::is_pattern;
use crate::dynamo::members;
use crate::dynamo::members::dotted_name;
use crate::torch::Torch;
use dynamo_core::host::{ClassAttr, Lookup, READ_GENERICALLY};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyDict, PyFunction, PyModule, PyType};

/// The attribute that holds annotations. From 3.14 on, reading them evaluates them, which is the program's own code.
const ANNOTATIONS: &str = if cfg!(Py_3_14) { "__annotate__" } else { "__annotations__" };

/// The attributes that every function has.
const FUNCTION_ATTRS: [&str; 9] = [
    ANNOTATIONS,
    "__code__",
    "__defaults__",
    "__doc__",
    "__globals__",
    "__kwdefaults__",
    "__module__",
    "__name__",
    "__qualname__",
];

/// The attributes that classes without Python code compute, or keep where no dict has them, and that are always there.
const GETTERS: [(&str, &str); 7] = [
    ("functools.partial", "keywords"),
    ("inspect.Signature", "parameters"),
    ("rust_inductor._native.Optimized", "_torchdynamo_orig_callable"),
    ("types.GenericAlias", "__args__"),
    ("types.GenericAlias", "__origin__"),
    ("types.UnionType", "__args__"),
    // The same class by its name in 3.14.
    ("typing.Union", "__args__"),
];

/// Attributes that `type` computes, or keeps where no dict has them.
const OF_CLASSES: [&str; 6] = ["__base__", "__bases__", "__flags__", "__module__", "__name__", "__qualname__"];

/// The class of classes that pybind11 makes, which reads attributes as `type` does but for functions.
const PYBIND_CLASS: &str = "pybind11_builtins.pybind11_type";

impl<'py> PyHost<'py> {
    /// An attribute as `object.__getattribute__` finds it.
    pub(super) fn lookup(&mut self, object: &Bound<'py, PyAny>, name: &str) -> PyResult<Lookup> {
        if let Ok(module) = object.cast_exact::<PyModule>() {
            return Ok(match module.dict().get_item(name)? {
                Some(value) => Lookup::Found(self.handle(&value)),
                // What every module has is no variable.
                None if in_mro(&object.get_type(), name).is_some() || module.dict().contains("__getattr__")? => {
                    Lookup::Unknown
                }
                None => Lookup::Absent,
            });
        }
        let class = object.get_type();
        let class_name = dotted_name(class.as_any())?;
        if matches!(&*class_name, "torch.finfo" | "torch.iinfo") {
            return Ok(object.getattr_opt(name)?.map_or(Lookup::Unknown, |found| Lookup::Found(self.handle(&found))));
        }
        if matches!(&*class_name, "torch._ops._Ops" | "torch._ops._OpNamespace") {
            // They look their operators up when they are first asked for them.
            return Ok(object.getattr_opt(name)?.map_or(Lookup::Unknown, |found| Lookup::Found(self.handle(&found))));
        }
        if &*class_name == "_thread._local" {
            // Each thread has its own, and a guard reads those of the thread that calls.
            return Ok(object.getattr_opt(name)?.map_or(Lookup::Absent, |found| Lookup::Found(self.handle(&found))));
        }
        if GETTERS.contains(&(&*class_name, name)) {
            return Ok(Lookup::Found(self.handle(&object.getattr(name)?)));
        }
        if matches!(name, "_base" | "grad_fn") && Torch::get(self.py)?.is_plain_tensor(object) {
            return Ok(Lookup::Found(self.handle(&object.getattr(name)?)));
        }
        if name == "grad" && Torch::get(self.py)?.is_plain_tensor(object) {
            // Of one that is no leaf it warns.
            let is_leaf: bool = object.getattr("is_leaf")?.extract()?;
            let grad = is_leaf.then(|| object.getattr("grad")).transpose()?;
            return Ok(grad.map_or(Lookup::Unknown, |grad| Lookup::Found(self.handle(&grad))));
        }
        let builtin_type = self.py.get_type::<PyType>();
        if OF_CLASSES.contains(&name) && object.cast::<PyType>().is_ok() {
            let known = in_mro(&class, name).zip(in_mro(&builtin_type, name));
            if known.is_some_and(|(own, of_types)| own.is(&of_types)) {
                return Ok(Lookup::Found(self.handle(&object.getattr(name)?)));
            }
        }
        let is_function_attr = FUNCTION_ATTRS.contains(&name) || cfg!(Py_3_12) && name == "__type_params__";
        if object.is_exact_instance_of::<PyFunction>() && is_function_attr {
            return Ok(Lookup::Found(self.handle(&object.getattr(name)?)));
        }
        if &*class_name == "builtins.code" && name.starts_with("co_") {
            return Ok(Lookup::Found(self.handle(&object.getattr(name)?)));
        }
        let enums = self.py.import("enum")?;
        let of_enums = enums.getattr("EnumMeta")?;
        if class.is(&of_enums) && object.getattr("_member_map_")?.contains(name)? {
            return Ok(Lookup::Found(self.handle(&object.getattr(name)?)));
        }
        if let ("name" | "value", true) = (name, class.get_type().is(&of_enums)) {
            let base = enums.getattr("Enum")?.cast_into::<PyType>()?;
            let known = in_mro(&class, name).zip(in_mro(&base, name));
            let plain = known.is_some_and(|(own, known)| own.is(&known));
            let found = if plain { Some(object.getattr(format!("_{name}_"))?) } else { None };
            return Ok(found.map_or(Lookup::Unknown, |found| Lookup::Found(self.handle(&found))));
        }
        if name == "__dict__" && class.is(&builtin_type) {
            return Ok(Lookup::Found(self.handle(&object.getattr(name)?)));
        }
        if object.is_instance_of::<PyType>() {
            // A class's own attributes, where its metaclass adds nothing.
            let found = in_mro(object.cast::<PyType>()?, name);
            if found.is_none() && class.is(&builtin_type) && in_mro(&builtin_type, name).is_none() {
                return Ok(Lookup::Absent);
            }
            let plain = found.as_ref().is_some_and(|value| match class.is(&builtin_type) {
                true => !is_property(value),
                // Of a tensor's class; read through the class, it is itself. So is what is no descriptor.
                false => {
                    let is_itself = match &*class_name {
                        PYBIND_CLASS => !value.get_type().hasattr("__get__").unwrap_or(true),
                        _ => is_of_tensors(value) && inherits_reading(&class),
                    };
                    is_itself && in_mro(&class, name).is_none()
                }
            });
            return Ok(if plain { Lookup::Found(self.handle(&object.getattr(name)?)) } else { Lookup::Unknown });
        }
        let reading = in_mro(&class, "__getattribute__").map(|found| members::kind(&found, "__getattribute__"));
        if !matches!(reading, Some(members::Member::Builtin(name)) if READ_GENERICALLY.contains(&name.as_str())) {
            return Ok(Lookup::Unknown);
        }
        let of_class = in_mro(&class, name);
        if of_class.as_ref().is_some_and(|value| self.is_of_exceptions(object, name, value).unwrap_or(false)) {
            return Ok(Lookup::Found(self.handle(&object.getattr(name)?)));
        }
        if matches!(name, "pattern" | "flags" | "groups") && is_pattern(object)? {
            return Ok(Lookup::Found(self.handle(&object.getattr(name)?)));
        }
        if let Some(value) = of_class.as_ref().filter(|value| is_property(value)) {
            let is_plain = value.get_type().is(self.py.import("builtins")?.getattr("property")?);
            let getter = if is_plain { Some(value.getattr("fget")?) } else { None };
            let getter = getter.filter(pyo3::types::PyAnyMethods::is_exact_instance_of::<PyFunction>);
            return Ok(getter.map_or(Lookup::Unknown, |getter| Lookup::Property(self.handle(&getter))));
        }
        let own = match object.getattr_opt("__dict__")? {
            Some(dict) => dict.cast::<PyDict>().ok().map(|dict| dict.get_item(name)).transpose()?.flatten(),
            None => None,
        };
        if let Some(value) = own {
            return Ok(Lookup::Found(self.handle(&value)));
        }
        match of_class {
            Some(value) if is_plain(&value) => Ok(Lookup::Found(self.handle(&object.getattr(name)?))),
            Some(_) => Ok(Lookup::Unknown),
            None if class.hasattr("__getattr__")? => Ok(Lookup::Unknown),
            None => Ok(Lookup::Absent),
        }
    }

    pub(super) fn class_member(&mut self, found: &Bound<'py, PyAny>, kind: members::Member<'py>) -> ClassAttr {
        use members::Member;
        match kind {
            Member::Function => ClassAttr::Function(self.handle(found)),
            Member::StaticMethod(inner) => ClassAttr::StaticMethod(self.handle(&inner)),
            Member::ClassMethod(inner) => ClassAttr::ClassMethod(self.handle(&inner)),
            Member::Property(functions) => {
                ClassAttr::Property(functions.each_ref().map(|function| function.as_ref().map(|f| self.handle(f))))
            }
            Member::CachedProperty(function, name) => ClassAttr::CachedProperty(self.handle(&function), name),
            Member::Slot => ClassAttr::Member,
            Member::Builtin(name) => ClassAttr::Builtin(name, self.handle(found)),
            Member::Descriptor { is_data } => ClassAttr::Descriptor { object: self.handle(found), is_data },
            Member::Plain => ClassAttr::Plain(self.handle(found)),
        }
    }

    /// True for a class of exceptions that keep nothing but their arguments, whatever a program's `__init__` does.
    pub(super) fn stores_arguments(&self, class: &Bound<'py, PyType>) -> PyResult<bool> {
        let builtins = self.py.import("builtins")?;
        if !self.is_plain_class(class) || !class.is_subclass(&builtins.getattr("BaseException")?)? {
            return Ok(false);
        }
        for special in ["OSError", "UnicodeError", "ImportError", "SyntaxError", "SystemExit", "BaseExceptionGroup"] {
            if class.is_subclass(&builtins.getattr(special)?)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// True for what computes an attribute of an exception in one of Python's own classes, other than its traceback.
    fn is_of_exceptions(&self, object: &Bound<'py, PyAny>, name: &str, found: &Bound<'py, PyAny>) -> PyResult<bool> {
        let base = self.py.import("builtins")?.getattr("BaseException")?;
        if name == "__traceback__" || !object.is_instance(&base)? {
            return Ok(false);
        }
        let kind = dotted_name(found.get_type().as_any())?;
        let computes = matches!(&*kind, "builtins.getset_descriptor" | "builtins.member_descriptor");
        let owner = if computes { Some(found.getattr("__objclass__")?.cast_into::<PyType>()?) } else { None };
        Ok(owner.is_some_and(|owner| members::flags(&owner) & ffi::Py_TPFLAGS_IMMUTABLETYPE != 0))
    }

    /// True for a class whose metaclass is `type`.
    pub(super) fn is_plain_class(&self, class: &Bound<'py, PyType>) -> bool {
        class.get_type().is(self.py.get_type::<PyType>())
    }
}

/// True for a class of `abc.ABCMeta`'s. That one asks `__subclasshook__` once, and keeps the answer until a class is
/// registered anywhere.
pub(super) fn is_abstract(class: &Bound<'_, PyType>) -> PyResult<bool> {
    let py = class.py();
    if !class.get_type().is(&py.import("abc")?.getattr("ABCMeta")?) {
        return Ok(false);
    }
    // Protocols look at what instances have.
    Ok(!class.getattr_opt("_is_protocol")?.is_some_and(|is| is.is_truthy().unwrap_or(true)))
}

/// True for a protocol that is checked when the program runs. A class that has its methods is kept as one that fits;
/// whether others fit is looked up at each instance.
pub(super) fn is_runtime_protocol(class: &Bound<'_, PyType>) -> PyResult<bool> {
    let py = class.py();
    let is_protocol = class.get_type().is(py.import("typing")?.getattr("Protocol")?.get_type());
    let is_set =
        |name: &str| Ok::<_, PyErr>(class.getattr_opt(name)?.is_some_and(|is| is.is_truthy().unwrap_or(false)));
    Ok(is_protocol && is_set("_is_protocol")? && is_set("_is_runtime_protocol")?)
}

/// True for a class that knows nothing of instances and subclasses beyond inheritance, though its metaclass is not
/// `type`.
pub(super) fn inherits_plainly(class: &Bound<'_, PyType>) -> PyResult<bool> {
    let (meta, builtin) = (class.get_type(), class.py().get_type::<PyType>());
    for name in ["__instancecheck__", "__subclasscheck__"] {
        let own = in_mro(&meta, name);
        let plain = in_mro(&builtin, name);
        if !matches!((own, plain), (Some(own), Some(plain)) if own.is(&plain)) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The attribute that the classes of the method resolution order have under a name.
pub(super) fn in_mro<'py>(class: &Bound<'py, PyType>, name: &str) -> Option<Bound<'py, PyAny>> {
    members::in_mro(class, &members::interned(class.py(), name))
}

/// True for what computes an attribute of tensors.
fn is_of_tensors(value: &Bound<'_, PyAny>) -> bool {
    let owner = || dotted_name(&value.getattr("__objclass__")?);
    dotted_name(value.get_type().as_any()).is_ok_and(|class| class == "builtins.getset_descriptor")
        && owner().is_ok_and(|owner| owner == "torch._C.TensorBase")
}

/// True for a metaclass that reads attributes as `type` does.
fn inherits_reading(meta: &Bound<'_, PyType>) -> bool {
    let (own, plain) = (in_mro(meta, "__getattribute__"), in_mro(&meta.py().get_type::<PyType>(), "__getattribute__"));
    matches!((own, plain), (Some(own), Some(plain)) if own.is(&plain))
}

/// True for what computes when it is read or written: properties and other data descriptors.
pub(super) fn is_property(value: &Bound<'_, PyAny>) -> bool {
    let class = value.get_type();
    class.hasattr("__set__").unwrap_or(true) && class.hasattr("__get__").unwrap_or(true)
}

/// True for what a class gives to its instances as it is, or as a bound method.
fn is_plain(value: &Bound<'_, PyAny>) -> bool {
    let binds = value.get_type().hasattr("__get__").unwrap_or(true);
    let known = value.is_exact_instance_of::<PyFunction>() || value.is_instance_of::<PyCFunction>();
    let name = value.get_type().name().map(|name| name.to_string()).unwrap_or_default();
    !binds || known || matches!(name.as_str(), "staticmethod" | "classmethod" | "method_descriptor")
}
