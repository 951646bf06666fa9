//! Attributes of classes and instances, as `_PyType_Lookup` and `object.__getattribute__` find them; nothing is bound,
//! and no code of the user's runs.

use dynamo_core::host::EnumMember;
use pyo3::exceptions::PyKeyError;
use pyo3::ffi::{self, PyObject, PyTypeObject};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyDictMethods, PyFloat, PyFunction, PyInt, PyString, PyTuple, PyType};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::ffi::{CStr, c_ulong};

/// The kinds of entries of a class.
pub(super) enum Member<'py> {
    Function,
    StaticMethod(Bound<'py, PyAny>),
    ClassMethod(Bound<'py, PyAny>),
    /// The functions that read, write and delete it.
    Property([Option<Bound<'py, PyAny>>; 3]),
    /// The function, and the name under which instances keep its result.
    CachedProperty(Bound<'py, PyAny>, String),
    Slot,
    /// By its dotted name.
    Builtin(String),
    Descriptor {
        is_data: bool,
    },
    Plain,
}

/// The attribute that the classes of the method resolution order have under a name, those up to `after` left out; and
/// the place of the class that has it.
pub(super) fn in_mro_after<'py>(
    class: &Bound<'py, PyType>,
    name: &str,
    after: Option<&Bound<'py, PyAny>>,
) -> PyResult<Option<(usize, Bound<'py, PyAny>)>> {
    let name = interned(class.py(), name);
    if after.is_none() && in_mro(class, &name).is_none() {
        return Ok(None);
    }
    let mro = class.mro();
    let first = match after {
        None => 0,
        Some(after) => mro.iter().position(|base| base.is(after)).map_or(mro.len(), |at| at + 1),
    };
    for (at, base) in mro.iter().enumerate().skip(first) {
        if let Some(found) = own_entry(base.cast::<PyType>()?, &name)? {
            return Ok(Some((at, found)));
        }
    }
    Ok(None)
}

/// The attribute that a class gives its instances under a name, by the interpreter's own cache.
pub(super) fn in_mro<'py>(class: &Bound<'py, PyType>, name: &Bound<'py, PyString>) -> Option<Bound<'py, PyAny>> {
    // SAFETY: a live class, and a string that is interned, as the cache has it. The reference is borrowed from the
    // class, which nothing changes before it is a reference of its own.
    unsafe {
        let found = _PyType_Lookup(class.as_type_ptr(), name.as_ptr());
        Bound::from_borrowed_ptr_or_opt(class.py(), found)
    }
}

/// The entry of a class's own dict.
fn own_entry<'py>(class: &Bound<'py, PyType>, name: &Bound<'py, PyString>) -> PyResult<Option<Bound<'py, PyAny>>> {
    #[cfg(Py_3_12)]
    // SAFETY: a live class, whose dict is a new reference.
    let dict = unsafe { Bound::from_owned_ptr_or_opt(class.py(), PyType_GetDict(class.as_type_ptr())) };
    #[cfg(not(Py_3_12))]
    // SAFETY: a live class that is ready has a dict, which it keeps.
    let dict = unsafe { Bound::from_borrowed_ptr_or_opt(class.py(), (*class.as_type_ptr()).tp_dict) };
    match dict {
        Some(dict) => dict.cast::<PyDict>()?.get_item(name),
        None => Ok(None),
    }
}

unsafe extern "C" {
    /// The interpreter's own lookup in the method resolution order: a borrowed reference, or null without an exception.
    fn _PyType_Lookup(class: *mut PyTypeObject, name: *mut PyObject) -> *mut PyObject;
    #[cfg(Py_3_12)]
    fn PyType_GetDict(class: *mut PyTypeObject) -> *mut PyObject;
}

/// A module that was imported.
pub(super) fn loaded<'py>(py: Python<'py>, name: &str) -> Option<Bound<'py, PyAny>> {
    // SAFETY: the interpreter's own dict of modules, borrowed.
    let modules = unsafe { Bound::from_borrowed_ptr_or_opt(py, ffi::PyImport_GetModuleDict()) };
    modules?.cast::<PyDict>().ok()?.get_item(interned(py, name)).ok()?
}

/// A name as the interpreter interns those of attributes. Each is decoded and hashed once.
pub(super) fn interned<'py>(py: Python<'py>, name: &str) -> Bound<'py, PyString> {
    thread_local! {
        static NAMES: RefCell<FxHashMap<Box<str>, Py<PyString>>> = RefCell::default();
    }
    NAMES.with_borrow_mut(|names| match names.get(name) {
        Some(known) => known.bind(py).clone(),
        None => {
            let new = PyString::intern(py, name);
            names.insert(name.into(), new.clone().unbind());
            new
        }
    })
}

/// The kind of a class's entry under a name.
pub(super) fn kind<'py>(found: &Bound<'py, PyAny>, name: &str) -> Member<'py> {
    let unknown = Member::Descriptor { is_data: true };
    by_class(found, name).unwrap_or(unknown)
}

fn by_class<'py>(found: &Bound<'py, PyAny>, name: &str) -> PyResult<Member<'py>> {
    let py = found.py();
    if found.is_exact_instance_of::<PyFunction>() {
        return Ok(Member::Function);
    }
    let class = found.get_type();
    let wrapped = || found.getattr(intern!(py, "__func__"));
    Ok(match dotted_name(class.as_any())?.as_str() {
        "builtins.staticmethod" => Member::StaticMethod(wrapped()?),
        "builtins.classmethod" => Member::ClassMethod(wrapped()?),
        "builtins.property" => {
            let part = |name: &str| found.getattr(name).map(|part| (!part.is_none()).then_some(part));
            Member::Property([part("fget")?, part("fset")?, part("fdel")?])
        }
        "functools.cached_property" => {
            let kept: Option<String> = found.getattr("attrname")?.extract()?;
            Member::CachedProperty(found.getattr("func")?, kept.unwrap_or_else(|| name.to_owned()))
        }
        "builtins.member_descriptor" => Member::Slot,
        "builtins.method_descriptor" | "builtins.wrapper_descriptor" | "builtins.classmethod_descriptor" => {
            Member::Builtin(format!("{}.{name}", dotted_name(&found.getattr("__objclass__")?)?))
        }
        "builtins.builtin_function_or_method" => {
            // `__new__` of a builtin class is bound to it; other functions are what they are.
            let owner = found.getattr("__self__")?;
            match owner.cast::<PyType>() {
                Ok(owner) => Member::Builtin(format!("{}.{name}", dotted_name(owner.as_any())?)),
                Err(_) => Member::Plain,
            }
        }
        _ if class.hasattr("__get__")? => {
            Member::Descriptor { is_data: class.hasattr("__set__")? || class.hasattr("__delete__")? }
        }
        _ => Member::Plain,
    })
}

/// The attribute that an object itself has under a name: in its `__dict__`, or in a member of `__slots__`.
pub(super) fn of_instance<'py>(object: &Bound<'py, PyAny>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = object.py();
    let class = object.get_type();
    if let Some(found) = in_mro(&class, &interned(py, name))
        && matches!(kind(&found, name), Member::Slot)
    {
        return found.call_method1(intern!(py, "__get__"), (object, &class)).map(Some).or(Ok(None));
    }
    match own_dict(object)? {
        Some(dict) => dict.get_item(interned(py, name)),
        None => Ok(None),
    }
}

/// True if an object's class has a member of `__slots__` of this name, which has no value in the object.
pub(super) fn is_slot_unset(object: &Bound<'_, PyAny>, name: &Bound<'_, PyString>) -> bool {
    let class = object.get_type();
    let member = in_mro(&class, name).filter(|found| matches!(kind(found, ""), Member::Slot));
    member.is_some_and(|member| member.call_method1(intern!(object.py(), "__get__"), (object, &class)).is_err())
}

/// The dict in which an object keeps its attributes, whatever its class makes of `__dict__`.
pub(super) fn own_dict<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyDict>>> {
    // SAFETY: the object is live; the call gives a new reference, or raises for an object without a dict.
    let dict = unsafe {
        let dict = ffi::PyObject_GenericGetDict(object.as_ptr(), std::ptr::null_mut());
        Bound::from_owned_ptr_or_opt(object.py(), dict)
    };
    match dict {
        Some(dict) => Ok(dict.cast_into::<PyDict>().ok()),
        None => {
            drop(PyErr::take(object.py()));
            Ok(None)
        }
    }
}

/// The dicts of a module's hooks, in its `__dict__`.
pub(super) const HOOKS: [&str; 4] = ["_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks"];

/// True for a `torch.nn.Module` that has no hooks of its own and whose call is not compiled by `Module.compile`, nor
/// any method on the way to `forward` replaced in the object.
pub(super) fn has_no_hooks(module: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = module.py();
    let Some(dict) = own_dict(module)? else { return Ok(false) };
    for name in HOOKS {
        match dict.get_item(name)? {
            Some(hooks) if hooks.cast::<PyDict>().is_ok_and(PyDictMethods::is_empty) => {}
            _ => return Ok(false),
        }
    }
    let replaced = [intern!(py, "_compiled_call_impl"), intern!(py, "_call_impl"), intern!(py, "_slow_forward")];
    for name in replaced {
        if dict.get_item(name)?.is_some_and(|found| !found.is_none()) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Module and qualified name of a class, as the program would write it.
pub(super) fn dotted_name(class: &Bound<'_, PyAny>) -> PyResult<String> {
    thread_local! {
        /// The names of static types, which never end.
        static KNOWN: RefCell<FxHashMap<usize, String>> = RefCell::default();
    }
    let flags = class.cast::<PyType>().map(flags).unwrap_or(ffi::Py_TPFLAGS_HEAPTYPE);
    let is_static = flags & ffi::Py_TPFLAGS_IMMUTABLETYPE != 0 && flags & ffi::Py_TPFLAGS_HEAPTYPE == 0;
    let address = class.as_ptr() as usize;
    if is_static && let Some(known) = KNOWN.with_borrow(|known| known.get(&address).cloned()) {
        return Ok(known);
    }
    let py = class.py();
    let module = class.getattr(intern!(py, "__module__"))?;
    let name = class.getattr(intern!(py, "__qualname__"))?;
    let module = module.cast::<PyString>().ok().and_then(|module| module.to_str().ok()).unwrap_or_default();
    let name = [module, name.cast::<PyString>()?.to_str()?].join(".");
    if is_static {
        KNOWN.with_borrow_mut(|known| known.insert(address, name.clone()));
    }
    Ok(name)
}

/// The version tag of a class; zero if it can have none.
pub(super) fn version_tag(class: &Bound<'_, PyType>) -> u32 {
    // SAFETY: the class is alive.
    let tag = || unsafe { (*class.as_type_ptr()).tp_version_tag };
    if tag() == 0 {
        // A lookup gives it one.
        drop(class.getattr(intern!(class.py(), "__init__")));
    }
    tag()
}

/// `type.__flags__`
pub(super) fn flags(class: &Bound<'_, PyType>) -> c_ulong {
    // SAFETY: a live class is asked.
    unsafe { ffi::PyType_GetFlags(class.as_type_ptr()) }
}

/// The name of a class as the interpreter's texts have it: of some of Python's own with the module.
pub(super) fn type_name(class: &Bound<'_, PyType>) -> Option<String> {
    // SAFETY: a live class is asked, whose name ends in a zero byte and is read before anything else can change it.
    let name = unsafe { CStr::from_ptr((*class.as_type_ptr()).tp_name) };
    name.to_str().ok().map(str::to_owned)
}

/// The classes without Python code of whose subclasses it is known what their instances hold.
const SOLID_BASES: [&str; 11] = [
    "builtins.dict",
    "builtins.float",
    "builtins.frozenset",
    "builtins.int",
    "builtins.list",
    "builtins.object",
    "builtins.set",
    "builtins.str",
    "builtins.tuple",
    "collections.OrderedDict",
    "types.SimpleNamespace",
];

/// The class without Python code that a class comes from, by its dotted name; `None` for one with abstract methods, or
/// on the way to which are classes that are neither Python's own nor made by a class statement.
pub(super) fn solid_base(class: &Bound<'_, PyType>) -> PyResult<Option<String>> {
    if flags(class) & ffi::Py_TPFLAGS_IS_ABSTRACT != 0 {
        return Ok(None);
    }
    let mut base = "builtins.object".to_owned();
    let mut in_python = true;
    for each in class.mro().iter() {
        let each = each.cast_into::<PyType>()?;
        if flags(&each) & ffi::Py_TPFLAGS_HEAPTYPE != 0 {
            let dict = each.getattr(intern!(class.py(), "__dict__"))?;
            // Tensors and their like override what torch does with them.
            if !in_python || !dict.contains("__module__")? || dict.contains("__torch_function__")? {
                return Ok(None);
            }
        } else if in_python {
            in_python = false;
            base = dotted_name(each.as_any())?;
        }
    }
    Ok(SOLID_BASES.contains(&base.as_str()).then_some(base))
}

/// True if a class has this method from `object`, or has what is the same under a name of its own.
pub(super) fn has_generic(class: &Bound<'_, PyType>, method: &str) -> PyResult<bool> {
    let (py, own) = (class.py(), class.getattr(method)?);
    let namespace = py.import(intern!(py, "types"))?.getattr(intern!(py, "SimpleNamespace"))?;
    Ok(own.is(&py.get_type::<PyAny>().getattr(method)?) || own.is(&namespace.getattr(method)?))
}

/// True for an enumeration whose metaclass is that of Python.
fn is_enum(class: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = class.py();
    Ok(class.get_type().is(&py.import(intern!(py, "enum"))?.getattr(intern!(py, "EnumMeta"))?))
}

/// The names of the members of an enumeration, aliases left out; `None` for any other class.
pub(super) fn enum_members(class: &Bound<'_, PyAny>) -> PyResult<Option<Vec<String>>> {
    if !is_enum(class)? {
        return Ok(None);
    }
    class.getattr(intern!(class.py(), "_member_names_"))?.extract().map(Some)
}

/// The member of an enumeration that a value stands for, or the combination of flags; `None` where there is none, or a
/// `_missing_` of the program's would be asked.
pub(super) fn enum_by_value<'py>(
    class: &Bound<'py, PyAny>,
    value: &Bound<'py, PyAny>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = class.py();
    let members = class.getattr(intern!(py, "_value2member_map_"))?;
    if members.contains(value)? {
        return members.get_item(value).map(Some);
    }
    let missing = |of: &Bound<'py, PyAny>| of.getattr(intern!(py, "_missing_"))?.getattr(intern!(py, "__func__"));
    let flag = py.import(intern!(py, "enum"))?.getattr(intern!(py, "Flag"))?;
    let combines = class.cast::<PyType>()?.is_subclass(&flag)? && missing(class)?.is(&missing(&flag)?);
    // A combination is made once and kept.
    if combines { class.call1((value,)).map(Some) } else { Ok(None) }
}

/// The equality of a member of an enumeration; `None` for what is no such member.
pub(super) fn enum_member(object: &Bound<'_, PyAny>) -> PyResult<Option<EnumMember>> {
    let (py, class) = (object.py(), object.get_type());
    if !is_enum(class.as_any())? {
        return Ok(None);
    }
    // True if the class has this method from the base.
    let has_of = |base: &Bound<'_, PyType>, name: &str| -> PyResult<bool> {
        let (own, known) = (in_mro_after(&class, name, None)?, in_mro_after(base, name, None)?);
        Ok(matches!((own, known), (Some((_, own)), Some((_, known))) if own.is(&known)))
    };
    if has_of(&py.get_type::<PyAny>(), "__eq__")? {
        return Ok(Some(EnumMember::Itself));
    }
    for base in [py.get_type::<PyInt>(), py.get_type::<PyFloat>(), py.get_type::<PyString>()] {
        if class.is_subclass(&base)? && has_of(&base, "__eq__")? && has_of(&base, "__hash__")? {
            let value = object.getattr(intern!(py, "_value_"))?;
            // By the base's own method, whatever the class makes of it.
            let same = value.get_type().is(&base) && base.getattr("__eq__")?.call1((object, &value))?.is_truthy()?;
            return Ok(Some(if same { EnumMember::Value } else { EnumMember::Other }));
        }
    }
    Ok(Some(EnumMember::Other))
}

/// True for a function that `functools.lru_cache` has made, and for one bound to an object.
pub(super) fn is_cached(function: &Bound<'_, PyAny>) -> bool {
    let py = function.py();
    let inner = function.getattr_opt(intern!(py, "__func__")).ok().flatten();
    let class = inner.as_ref().unwrap_or(function).get_type();
    dotted_name(class.as_any()).is_ok_and(|name| name == "functools._lru_cache_wrapper")
}

/// Calls a function with positional arguments and pairs of keywords and arguments.
fn call_cached<'py>(function: &Bound<'py, PyAny>, arguments: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let (args, keywords) = (arguments.get_item(0)?, arguments.get_item(1)?);
    let keywords = PyDict::from_sequence(&keywords)?;
    function.call(args.cast_into::<PyTuple>()?, Some(&keywords))
}

/// Calls a function whose result for these arguments is cached, or was never: an error where the cache is full and may
/// have dropped it, so that the function is not called more often than the program calls it.
pub(super) fn call_kept<'py>(
    function: &Bound<'py, PyAny>,
    arguments: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let inner = function.getattr_opt(intern!(function.py(), "__func__"))?;
    let info = inner.as_ref().unwrap_or(function).call_method0(intern!(function.py(), "cache_info"))?;
    let (_hits, _misses, most, held): (usize, usize, Option<usize>, usize) = info.extract()?;
    if most.is_some_and(|most| held >= most) && !has_kept(function, arguments)? {
        return Err(PyKeyError::new_err("dropped from the cache"));
    }
    call_cached(function, arguments)
}

/// True if a function of `functools.lru_cache` has cached its result for positional arguments; `false` also where that
/// cannot be told.
pub(super) fn has_kept(function: &Bound<'_, PyAny>, arguments: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = function.py();
    let (mut args, keywords) = (arguments.get_item(0)?, arguments.get_item(1)?);
    let mut function = function.clone();
    if let Some(inner) = function.getattr_opt(intern!(py, "__func__"))? {
        args = PyTuple::new(py, [function.getattr(intern!(py, "__self__"))?])?.add(args)?;
        function = inner;
    }
    let is_typed = function.call_method0(intern!(py, "cache_parameters"))?.get_item(intern!(py, "typed"))?;
    if is_typed.is_truthy()? || keywords.len()? > 0 {
        return Ok(false);
    }
    // A lone string or integer is its own key.
    let key = match args.len()? {
        1 if args.get_item(0)?.is_exact_instance_of::<PyString>() => args.get_item(0)?,
        1 if args.get_item(0)?.is_exact_instance_of::<PyInt>() => args.get_item(0)?,
        _ => args,
    };
    let own = function.getattr(intern!(py, "__dict__"))?;
    for held in py.import(intern!(py, "gc"))?.call_method1(intern!(py, "get_referents"), (function,))?.try_iter()? {
        let held = held?;
        if !held.is(&own) && held.cast::<PyDict>().is_ok_and(|kept| kept.contains(&key).unwrap_or(false)) {
            return Ok(true);
        }
    }
    Ok(false)
}
