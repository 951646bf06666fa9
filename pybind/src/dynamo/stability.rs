//! The reads and guards that version tags vouch for: attributes are found as `object.__getattribute__` and
//! `type.__getattribute__` find them, and each place on the way is tagged.
//!
//! Invariant: whatever is not known to hang on tags alone is volatile.

use super::{
    members,
    objects::{self, CallObjects},
    seal::Seal,
    version_tags::{Field, Tag, Tagging},
};
use dynamo_core::host::READ_GENERICALLY;
use guards::{GuardKind, Key, Root, SealState, Sources, Stability, Step, StrId, TensorGuardId, VersionTags};
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyBytes, PyCode, PyDict, PyFloat, PyFunction, PyInt, PyMappingProxy, PyString, PyTuple, PyType,
};

/// Members of Python's own classes that nobody can set.
const READ_ONLY: [&str; 7] = ["__closure__", "__func__", "__globals__", "__self__", "fdel", "fget", "fset"];

/// Attributes of code objects, which never change; some are made anew at each read.
const OF_CODE: &str = "co_";

fn if_stable(is: bool) -> Stability {
    if is { Stability::Object } else { Stability::Volatile }
}

/// True for a class whose instances' attributes `object.__getattribute__` finds, `__getattr__` apart.
fn reads_generically(class: &Bound<'_, PyType>) -> PyResult<bool> {
    let found = members::in_mro_after(class, "__getattribute__", None)?;
    let found = found.map(|(_, found)| members::kind(&found, "__getattribute__"));
    Ok(matches!(found, Some(members::Member::Builtin(name)) if READ_GENERICALLY.contains(&name.as_str())))
}

/// True for a class whose attributes `type.__getattribute__` finds.
fn reads_as_type(class: &Bound<'_, PyType>) -> PyResult<bool> {
    let found = members::in_mro_after(&class.get_type(), "__getattribute__", None)?;
    let found = found.map(|(_, found)| members::kind(&found, "__getattribute__"));
    Ok(matches!(found, Some(members::Member::Builtin(name)) if name == "builtins.type.__getattribute__"))
}

fn binds(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    value.get_type().hasattr(intern!(value.py(), "__get__"))
}

fn is_data_descriptor(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    let (py, class) = (value.py(), value.get_type());
    Ok(class.hasattr(intern!(py, "__set__"))? || class.hasattr(intern!(py, "__delete__"))?)
}

/// True for an object of one of the interpreter's own classes.
fn is_static_class(object: &Bound<'_, PyAny>) -> bool {
    // SAFETY: a live class is asked for its flags.
    let flags = unsafe { ffi::PyType_GetFlags(object.get_type_ptr()) };
    flags & ffi::Py_TPFLAGS_HEAPTYPE == 0
}

/// True for a constant whose equality to another one hangs on its identity alone.
fn is_constant(object: &Bound<'_, PyAny>) -> bool {
    object.is_none()
        || object.is_exact_instance_of::<PyBool>()
        || object.is_exact_instance_of::<PyInt>()
        || object.is_exact_instance_of::<PyFloat>()
        || object.is_exact_instance_of::<PyString>()
        || object.is_exact_instance_of::<PyBytes>()
        || matches!(
            super::members::dotted_name(object.get_type().as_any()).as_deref(),
            Ok("torch.dtype" | "torch.device" | "torch.layout" | "torch.memory_format")
        )
}

/// The object of one of the builtins' names.
fn builtin<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import(intern!(py, "builtins"))?.getattr(name)
}

/// The place in an object of a member of `__slots__`.
fn slot(object: &Bound<'_, PyAny>, descriptor: &Bound<'_, PyAny>) -> PyResult<Option<Field>> {
    let py = object.py();
    let member = py.import(intern!(py, "types"))?.getattr(intern!(py, "MemberDescriptorType"))?;
    if !descriptor.get_type().is(&member) {
        return Ok(None);
    }
    // SAFETY: the type says that it is a member descriptor, of a class of the object's; its table is static or the
    // class's own, and an object member is a field at an offset within the object.
    unsafe {
        let member = (*descriptor.as_ptr().cast::<ffi::PyMemberDescrObject>()).d_member;
        let is_object = (*member).type_code == ffi::Py_T_OBJECT_EX && (*member).offset > 0;
        let at = object.as_ptr().cast::<u8>().offset((*member).offset);
        Ok(is_object.then(|| at.cast::<*mut ffi::PyObject>().cast_const()))
    }
}

impl Tagging<'_> {
    /// An attribute of an object that is no class.
    fn attr_of_object(
        &mut self,
        base: &Bound<'_, PyAny>,
        name: &Bound<'_, PyString>,
        found: &Bound<'_, PyAny>,
    ) -> PyResult<Stability> {
        if !self.class_of(base) {
            return Ok(Stability::Volatile);
        }
        let of_class = members::in_mro_after(&base.get_type(), name.to_str()?, None)?.map(|(_, found)| found);
        if let Some(value) = &of_class
            && is_data_descriptor(value)?
        {
            return Ok(match slot(base, value)? {
                // SAFETY: the slot is the live object's.
                Some(at) => if_stable(unsafe { self.field(base.py(), at) }),
                None => Stability::Volatile,
            });
        }
        let (own, is_known) = match self.own_dict(base) {
            Some(dict) => (dict.get_item(name)?, self.entry(&dict, name)),
            None => (None, true),
        };
        let of_class_is_found = || -> PyResult<bool> {
            Ok(match &of_class {
                Some(value) => value.is(found) && !binds(value)?,
                None => false,
            })
        };
        Ok(match own {
            Some(own) if own.is(found) => {
                if is_known {
                    Stability::Object
                } else {
                    Stability::Address
                }
            }
            None if of_class_is_found()? => Stability::Object,
            _ => Stability::Volatile,
        })
    }

    /// An attribute of a class.
    fn attr_of_class(
        &mut self,
        base: &Bound<'_, PyType>,
        name: &Bound<'_, PyString>,
        found: &Bound<'_, PyAny>,
    ) -> PyResult<Stability> {
        if !self.class_of(base.as_any()) || !self.class(base) || !reads_as_type(base)? {
            return Ok(Stability::Volatile);
        }
        match name.to_str()? {
            "__dict__" => return Ok(Stability::Transient),
            "__mro__" => return Ok(Stability::Object),
            _ => {}
        }
        if let Some((_, of_meta)) = members::in_mro_after(&base.get_type(), name.to_str()?, None)?
            && is_data_descriptor(&of_meta)?
        {
            return Ok(Stability::Volatile);
        }
        let Some((_, raw)) = members::in_mro_after(base, name.to_str()?, None)? else { return Ok(Stability::Volatile) };
        let py = base.py();
        let gives_itself = || -> PyResult<bool> {
            Ok(!binds(&raw)? || raw.is_exact_instance_of::<PyFunction>() || raw.get_type().is(builtin(py, "property")?))
        };
        let is_static = || -> PyResult<bool> {
            Ok(raw.get_type().is(builtin(py, "staticmethod")?) && raw.getattr(intern!(py, "__func__"))?.is(found))
        };
        Ok(if_stable(raw.is(found) && gives_itself()? || is_static()?))
    }

    /// An attribute of an object of one of Python's own classes that nobody can set.
    fn read_only(&mut self, base: &Bound<'_, PyAny>, name: &str) -> PyResult<Option<Stability>> {
        if base.is_exact_instance_of::<PyCode>() && name.starts_with(OF_CODE) {
            return Ok(Some(Stability::Transient));
        }
        if name == "__code__" && self.code(base) {
            return Ok(Some(Stability::Object));
        }
        if let Some(at) = cell_contents(base, name) {
            // SAFETY: the cell is alive.
            return Ok(Some(if_stable(unsafe { self.field(base.py(), at) })));
        }
        if !READ_ONLY.contains(&name) || !is_static_class(base) {
            return Ok(None);
        }
        Ok(members::in_mro_after(&base.get_type(), name, None)?.map(|_| Stability::Object))
    }

    /// A dict that an object has under a name in its own dict.
    fn dict_of_own<'py>(
        &mut self,
        object: &Bound<'py, PyAny>,
        name: &Bound<'py, PyString>,
    ) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(found) = object.getattr_opt(name)? else { return Ok(None) };
        let is_known = match self.attr_of_object(object, name, &found)? {
            Stability::Object => true,
            Stability::Address => false,
            Stability::Volatile | Stability::Transient => return Ok(None),
        };
        Ok(if self.dict(&found, is_known) { found.cast_into::<PyDict>().ok() } else { None })
    }

    /// A field of a function.
    fn function_field(&mut self, function: &Bound<'_, PyAny>, at: fn(*mut ffi::PyFunctionObject) -> Field) -> bool {
        // SAFETY: the function is alive.
        function.is_exact_instance_of::<PyFunction>()
            && unsafe { self.field(function.py(), at(function.as_ptr().cast())) }
    }

    /// The code of a function.
    fn code(&mut self, function: &Bound<'_, PyAny>) -> bool {
        // SAFETY: the place of a field of a live function.
        self.function_field(function, |function| unsafe { &raw const (*function).func_code })
    }

    /// A default of a function's positional parameters.
    fn default(&mut self, function: &Bound<'_, PyAny>, index: u32) -> bool {
        // SAFETY: the function is alive, and its defaults are a tuple or nothing.
        function.is_exact_instance_of::<PyFunction>()
            && unsafe {
                let at = &raw const (*function.as_ptr().cast::<ffi::PyFunctionObject>()).func_defaults;
                self.item_of_field(function.py(), at, index as usize)
            }
    }

    /// The content of a free variable of a function.
    fn closure(&mut self, function: &Bound<'_, PyAny>, index: u32) -> PyResult<bool> {
        if !function.is_exact_instance_of::<PyFunction>() {
            return Ok(false);
        }
        let py = function.py();
        let closure = function.getattr(intern!(py, "__closure__"))?;
        let cell = closure.cast::<PyTuple>()?.get_item(index as usize)?;
        Ok(match cell_contents(&cell, "cell_contents") {
            // SAFETY: the function keeps its closure.
            Some(at) => unsafe { self.field(py, at) },
            None => false,
        })
    }

    /// Whether an object has an attribute, if it is known how it is found.
    fn presence(&mut self, object: &Bound<'_, PyAny>, name: &Bound<'_, PyString>, present: bool) -> PyResult<bool> {
        let py = object.py();
        if let Ok(class) = object.cast::<PyType>() {
            let has_fallback = members::in_mro_after(&class.get_type(), "__getattr__", None)?.is_some();
            return Ok(!has_fallback && reads_as_type(class)? && self.class_of(object) && self.class(class));
        }
        let class = object.get_type();
        if !reads_generically(&class)? || !self.class_of(object) {
            return Ok(false);
        }
        let own = self.own_dict(object);
        if let Some(dict) = &own {
            self.entry(dict, name);
        }
        if present {
            let of_class = members::in_mro_after(&class, name.to_str()?, None)?;
            // A property may raise.
            let is_plain = of_class.map(|(_, found)| is_data_descriptor(&found)).transpose()?.map(|computes| !computes);
            return Ok(is_plain.unwrap_or(own.is_some_and(|own| own.contains(name).unwrap_or(false))));
        }
        let Some((_, fallback)) = members::in_mro_after(&class, "__getattr__", None)? else { return Ok(true) };
        let module = py.import(intern!(py, "torch.nn"))?.getattr(intern!(py, "Module"))?;
        if !fallback.is(&module.getattr(intern!(py, "__getattr__"))?) {
            return Ok(false);
        }
        for name in [intern!(py, "_parameters"), intern!(py, "_buffers"), intern!(py, "_modules")] {
            if self.dict_of_own(object, name)?.is_none() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether a module has no hooks, and nothing else of its own on the way to `forward`.
    fn hooks(&mut self, module: &Bound<'_, PyAny>) -> PyResult<bool> {
        if !self.class_of(module) {
            return Ok(false);
        }
        let Some(own) = self.own_dict(module).filter(|own| self.dict(own.as_any(), true)) else { return Ok(false) };
        for name in members::HOOKS {
            if !own.get_item(name)?.is_some_and(|hooks| self.dict(&hooks, true)) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The place of what a cell holds, if it is a cell and the name that of its contents.
fn cell_contents(base: &Bound<'_, PyAny>, name: &str) -> Option<Field> {
    // SAFETY: the type is the interpreter's own.
    let is_cell = base.get_type_ptr() == &raw mut ffi::PyCell_Type && name == "cell_contents";
    // SAFETY: the object is a cell, and alive.
    is_cell.then(|| unsafe { &raw const (*base.as_ptr().cast::<ffi::PyCellObject>()).ob_ref })
}

impl<'py> CallObjects<'_, 'py> {
    fn text(&self, sources: &Sources, id: StrId) -> Bound<'py, PyString> {
        self.name(sources.strings().name(id)).clone()
    }

    fn tagging<'t>(&'t self, tags: &'t mut Vec<Tag>) -> Tagging<'t> {
        Tagging { tags, changing: self.changing, watches: self.watch.is_some() }
    }

    /// A global variable of the frame, or a builtin.
    fn global_stability(&self, name: &Bound<'py, PyString>, tags: &mut Vec<Tag>) -> PyResult<Stability> {
        let py = self.py();
        let globals = self.call.globals();
        let dict = globals.cast::<PyDict>()?;
        tags.push(Tag::Globals(globals.as_ptr()));
        let mut tagging = self.tagging(tags);
        let is_known = tagging.entry(dict, name);
        if dict.contains(name)? {
            return Ok(if is_known { Stability::Object } else { Stability::Address });
        }
        let key = intern!(py, "__builtins__");
        let Some(builtins) = dict.get_item(key)? else { return Ok(Stability::Volatile) };
        let is_known = tagging.entry(dict, key);
        let builtins = match builtins.cast::<PyDict>() {
            Ok(builtins) if is_known || tagging.class_of(builtins.as_any()) => Some(builtins.clone()),
            Ok(_) => None,
            Err(_) if !tagging.class_of(&builtins) => None,
            Err(_) => tagging.own_dict(&builtins),
        };
        Ok(match builtins {
            Some(builtins) if tagging.entry(&builtins, name) => Stability::Object,
            Some(_) => Stability::Address,
            None => Stability::Volatile,
        })
    }

    fn step(
        &self,
        base: &Bound<'py, PyAny>,
        is_known: bool,
        step: Step,
        sources: &Sources,
        found: &Bound<'py, PyAny>,
        tags: &mut Vec<Tag>,
    ) -> PyResult<Stability> {
        let py = self.py();
        let mut tagging = self.tagging(tags);
        Ok(match step {
            Step::Attr(id) => {
                let name = self.text(sources, id);
                if let Ok(class) = base.cast::<PyType>() {
                    return tagging.attr_of_class(class, &name, found);
                }
                if is_known && let Some(stability) = tagging.read_only(base, name.to_str()?)? {
                    return Ok(stability);
                }
                match reads_generically(&base.get_type())? {
                    true => tagging.attr_of_object(base, &name, found)?,
                    false => Stability::Volatile,
                }
            }
            Step::GenericAttr(id) if !base.is_instance_of::<PyType>() => {
                tagging.attr_of_object(base, &self.text(sources, id), found)?
            }
            Step::Type => if_stable(tagging.class_of(base)),
            Step::Item(Key::Object(_)) => Stability::Volatile,
            // The dict of a class, which was looked at where it was read.
            Step::Item(_) if base.is_exact_instance_of::<PyMappingProxy>() => if_stable(is_known),
            Step::Item(_) if base.is_instance_of::<PyTuple>() => if_stable(is_known),
            Step::Item(Key::Str(id)) if let Ok(dict) = base.cast::<PyDict>() => {
                match is_known || tagging.class_of(base) {
                    true if tagging.entry(dict, &self.text(sources, id)) => Stability::Object,
                    true => Stability::Address,
                    false => Stability::Volatile,
                }
            }
            Step::Item(_) => if_stable(tagging.dict(base, is_known)),
            Step::Code => if_stable(is_known && tagging.code(base)),
            Step::Closure(index) => if_stable(is_known && tagging.closure(base, index)?),
            Step::Defaults(index) => if_stable(is_known && tagging.default(base, index)),
            Step::Param(id) | Step::Buffer(id) | Step::Submodule(id) if reads_generically(&base.get_type())? => {
                let owner = match step {
                    Step::Param(_) => intern!(py, "_parameters"),
                    Step::Buffer(_) => intern!(py, "_buffers"),
                    _ => intern!(py, "_modules"),
                };
                let entry = match tagging.dict_of_own(base, owner)? {
                    Some(dict) if dict.is_exact_instance_of::<PyDict>() => dict.get_item(self.text(sources, id))?,
                    _ => None,
                };
                if_stable(entry.is_some_and(|entry| entry.is(found)))
            }
            _ => Stability::Volatile,
        })
    }

    fn guard(
        &self,
        object: &Bound<'py, PyAny>,
        is_known: bool,
        kind: &GuardKind,
        sources: &Sources,
        tags: &mut Vec<Tag>,
    ) -> PyResult<bool> {
        let mut tagging = self.tagging(tags);
        Ok(match kind {
            GuardKind::TypeMatch(_) => tagging.class_of(object),
            GuardKind::Present
            | GuardKind::NoneMatch
            | GuardKind::NotNoneMatch
            | GuardKind::BoolMatch(_)
            | GuardKind::IdMatch(_)
            | GuardKind::FunctionMatch(_)
            | GuardKind::ClassMatch(_)
            | GuardKind::ModuleMatch(_)
            | GuardKind::BuiltinMatch(_) => is_known,
            GuardKind::ConstantMatch(_) | GuardKind::EqualsMatch(_) => is_known && is_constant(object),
            GuardKind::SequenceLength(..) if object.is_exact_instance_of::<PyTuple>() => is_known,
            GuardKind::SequenceLength(..) if object.is_exact_instance_of::<PyDict>() => tagging.dict(object, is_known),
            GuardKind::DictContains(_) | GuardKind::DictNotContains(_) => tagging.dict(object, is_known),
            // The order of another class's keys may change without the dict.
            GuardKind::DictKeysMatch(_) => object.is_exact_instance_of::<PyDict>() && tagging.dict(object, is_known),
            GuardKind::EmptyModuleHooks => tagging.hooks(object)?,
            GuardKind::NotPresentInGenericDict(id) => match object.cast::<PyType>() {
                Ok(class) => tagging.class(class),
                Err(_) if !tagging.class_of(object) => false,
                Err(_) => match tagging.own_dict(object) {
                    Some(dict) => {
                        tagging.entry(&dict, &self.text(sources, *id));
                        true
                    }
                    None => false,
                },
            },
            GuardKind::ClassAttr(..) | GuardKind::ClassVersion(_) => {
                object.cast::<PyType>().is_ok_and(|class| tagging.class(class))
            }
            GuardKind::HasAttr(id, present) => tagging.presence(object, &self.text(sources, *id), *present)?,
            GuardKind::ClosureMatch(_) => is_known && tagging.code(object),
            _ => false,
        })
    }
}

impl<'py> VersionTags for CallObjects<'_, 'py> {
    type Tag = Tag;
    type Seal = Seal;

    fn root_stability(
        &mut self,
        root: Root,
        sources: &Sources,
        found: &Bound<'py, PyAny>,
        tags: &mut Vec<Tag>,
    ) -> Stability {
        match root {
            Root::Local(id) if Tagging::exist(self.py()) => {
                let slot = self.prepared.slot(sources.strings().name(id));
                if_stable(slot.is_some_and(|slot| self.tagging(tags).argument(slot, found)))
            }
            Root::Global(id) if Tagging::exist(self.py()) => {
                self.global_stability(&self.text(sources, id), tags).unwrap_or_default()
            }
            Root::Module(id) if Tagging::exist(self.py()) => {
                match self.tagging(tags).entry(&objects::modules(self.py()), &self.text(sources, id)) {
                    true => Stability::Object,
                    false => Stability::Address,
                }
            }
            Root::Cell(id) if Tagging::exist(self.py()) => {
                let cell = self.prepared.cell(sources.strings().name(id)).and_then(|cell| u32::try_from(cell).ok());
                let (function, mut tagging) = (self.call.function(), self.tagging(tags));
                let closure = |cell| tagging.function(&function) && tagging.closure(&function, cell).unwrap_or(false);
                if_stable(cell.is_some_and(closure))
            }
            Root::Default(index) if Tagging::exist(self.py()) => {
                let (function, mut tagging) = (self.call.function(), self.tagging(tags));
                if_stable(tagging.function(&function) && tagging.default(&function, index))
            }
            Root::Function if Tagging::exist(self.py()) => {
                if_stable(self.tagging(tags).function(&self.call.function()))
            }
            _ => Stability::Volatile,
        }
    }

    fn step_stability(
        &mut self,
        base: &Bound<'py, PyAny>,
        is_known: bool,
        step: Step,
        sources: &Sources,
        found: &Bound<'py, PyAny>,
        tags: &mut Vec<Tag>,
    ) -> Stability {
        match Tagging::exist(self.py()) {
            true => self.step(base, is_known, step, sources, found, tags).unwrap_or_default(),
            false => Stability::Volatile,
        }
    }

    fn is_stable_guard(
        &mut self,
        object: &Bound<'py, PyAny>,
        is_known: bool,
        kind: &GuardKind,
        sources: &Sources,
        tags: &mut Vec<Tag>,
    ) -> bool {
        Tagging::exist(self.py()) && self.guard(object, is_known, kind, sources, tags).unwrap_or(false)
    }

    fn location(tag: &Tag) -> usize {
        tag.location()
    }

    fn note(&mut self, tag: &Tag) {
        if let (Tag::Watched { dict }, Some(watch)) = (tag, self.watch) {
            // SAFETY: the dict was tagged just now, and is alive.
            let dict = unsafe { Bound::from_borrowed_ptr(self.py(), dict.cast_mut().cast::<ffi::PyObject>()) };
            if let Ok(dict) = dict.cast::<PyDict>() {
                watch.add(dict);
            }
        }
    }

    fn seal(&mut self, tags: Vec<Tag>, tensors: &[(u64, TensorGuardId)]) -> Seal {
        Seal::new(self, tags, tensors)
    }

    #[inline]
    fn verify(&mut self, seal: &Seal) -> SealState {
        seal.verify(self)
    }

    fn prefetch(&mut self, identities: &[u64]) {
        // No tuple yet: making one may have the garbage collector run finalizers of the program's.
        self.prefetched = identities.iter().map(|&identity| self.object_of(identity)).collect();
    }

    fn object_of(&mut self, identity: u64) -> Bound<'py, PyAny> {
        // SAFETY: the tree asks for objects that are alive.
        unsafe { Bound::from_borrowed_ptr(self.py(), identity as *mut ffi::PyObject) }
    }
}
