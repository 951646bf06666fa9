//! A call's objects, as guards read and compare them.
//!
//! Names, constants and tensors of a tree are prepared once. Objects whose identity counts are those of `named`.

use super::{
    arrays,
    constant::{self, identical},
    keys::SeenKeys,
    members,
    named::Named,
    states::current_state,
    tensors::{self, Wanted},
    watchers::Watch,
};
use crate::torch::Torch;
use frame_hook::Call;
use guards::{
    Constant, ConstantId, DictKeys, Element, GlobalState, Name, ObjectId, Objects, Sources, TensorFacts, TensorGuard,
    TensorGuardId, TensorProperty,
};
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{
    PyDict, PyFloat, PyFunction, PyInt, PyList, PyMapping, PyMappingProxy, PyString, PyTuple, PyType, PyWeakrefMethods,
};
use smallvec::SmallVec;
#[cfg(not(Py_3_13))]
use std::ffi::c_int;
use std::ptr;
use std::sync::Arc;

/// A tree's names, constants, tensors and objects, as they are compared.
pub(super) struct Prepared {
    strings: Vec<Py<PyString>>,
    constants: Vec<Option<Py<PyAny>>>,
    objects: Vec<Option<Named>>,
    tensors: Vec<Wanted>,
    /// The keys of the dicts that are read in one pass.
    keys: Vec<SeenKeys>,
    /// The argument slots and free variables of the code, by the number of their name.
    locals: Vec<Option<usize>>,
    cells: Vec<Option<usize>>,
}

impl Prepared {
    /// The argument slot of a name.
    pub(super) fn slot(&self, name: Name<'_>) -> Option<usize> {
        *self.locals.get(name.id.as_u32() as usize)?
    }

    /// The free variable of a name.
    pub(super) fn cell(&self, name: Name<'_>) -> Option<usize> {
        *self.cells.get(name.id.as_u32() as usize)?
    }

    /// A tensor in the form in which it is compared first.
    pub(super) fn tensor(&self, id: TensorGuardId) -> Option<&Wanted> {
        self.tensors.get(id.as_u32() as usize)
    }

    /// Prepares sources for calls of `code`; `named` are the objects by number, and `dicts` is how many dicts a tree of
    /// them reads in one pass.
    pub(super) fn new<'py>(
        py: Python<'py>,
        sources: &Sources,
        code: &Bound<'py, PyAny>,
        named: impl Iterator<Item = (usize, Bound<'py, PyAny>)>,
        dicts: usize,
    ) -> PyResult<Prepared> {
        let texts: Vec<&str> = sources.strings().iter().map(|(_, text)| &**text).collect();
        let places = |names: Vec<String>| -> Vec<Option<usize>> {
            texts.iter().map(|text| names.iter().position(|name| name == text)).collect()
        };
        let torch = Torch::get(py)?;
        let mut objects: Vec<Option<Named>> = Vec::new();
        for (number, object) in named {
            objects.resize_with(objects.len().max(number + 1), || None);
            objects[number] = Named::new(&object, torch);
        }
        let class = |guard: &TensorGuard| match objects.get(guard.python_type.as_u32() as usize) {
            Some(Some(Named::Lasting(address))) => *address,
            _ => 0,
        };
        Ok(Prepared {
            tensors: sources.tensors().iter().map(|(_, guard)| Wanted::new(guard, class(guard))).collect(),
            keys: std::iter::repeat_with(SeenKeys::default).take(dicts).collect(),
            strings: texts.iter().map(|text| PyString::intern(py, text).unbind()).collect(),
            constants: sources
                .constants()
                .iter()
                .map(|(_, c)| constant::write(py, c).ok().map(Bound::unbind))
                .collect(),
            objects,
            locals: places(code.getattr("co_varnames")?.extract()?),
            cells: places(code.getattr("co_freevars")?.extract()?),
        })
    }
}

/// One call's objects.
pub(super) struct CallObjects<'a, 'py> {
    pub(super) call: &'a Call<'py>,
    pub(super) prepared: &'a Prepared,
    pub(super) torch: &'static Torch,
    /// The addresses that have changed between checks so often that nothing is to rely on them.
    pub(super) changing: &'a [usize],
    /// The watch that is told of changes from now on, where a snapshot is taken.
    pub(super) watch: Option<&'a Arc<Watch>>,
    /// The objects that a snapshot has prefetched.
    pub(super) prefetched: SmallVec<[Bound<'py, PyAny>; 16]>,
}

type Handle<'py> = Bound<'py, PyAny>;

impl<'a, 'py> CallObjects<'a, 'py> {
    /// The objects of a call, for a tree of which no snapshot is taken.
    pub(super) fn new(call: &'a Call<'py>, prepared: &'a Prepared, torch: &'static Torch) -> CallObjects<'a, 'py> {
        CallObjects { call, prepared, torch, changing: &[], watch: None, prefetched: SmallVec::new() }
    }
}

impl<'py> CallObjects<'_, 'py> {
    pub(super) fn py(&self) -> Python<'py> {
        self.call.py()
    }

    pub(super) fn name(&self, name: Name<'_>) -> &Bound<'py, PyString> {
        self.prepared.strings[name.id.as_u32() as usize].bind(self.py())
    }

    fn constant(&self, id: ConstantId) -> Option<&Bound<'py, PyAny>> {
        self.prepared.constants.get(id.as_u32() as usize)?.as_ref().map(|constant| constant.bind(self.py()))
    }

    fn is_object(&self, object: &Handle<'py>, id: ObjectId) -> bool {
        self.is_at(object.as_ptr(), id)
    }

    fn is_of_class(&self, object: &Handle<'py>, class: ObjectId) -> bool {
        self.is_at(object.get_type_ptr().cast(), class)
    }

    fn is_at(&self, object: *mut ffi::PyObject, id: ObjectId) -> bool {
        let named = self.prepared.objects.get(id.as_u32() as usize).and_then(Option::as_ref);
        named.is_some_and(|named| named.is_at(self.py(), object))
    }

    /// True for a string, the comparison with which runs nobody's code.
    fn is_text(&self, element: Element) -> bool {
        let Element::Constant(id) = element else { return false };
        self.constant(id).is_some_and(PyAnyMethods::is_exact_instance_of::<PyString>)
    }

    fn is_element(&self, object: &Handle<'py>, expected: Element) -> bool {
        match expected {
            Element::Constant(id) => self.constant(id).is_some_and(|expected| identical(object, expected)),
            Element::Object(id) => {
                let named = self.prepared.objects.get(id.as_u32() as usize).and_then(Option::as_ref);
                named.is_some_and(|named| named.is_key(object))
            }
        }
    }
}

/// The modules that are loaded, by name.
pub(super) fn modules(py: Python<'_>) -> Bound<'_, PyDict> {
    // SAFETY: the interpreter is held; it keeps the dict, which is one, and lends it.
    unsafe { Bound::from_borrowed_ptr(py, ffi::PyImport_GetModuleDict()).cast_into_unchecked() }
}

#[cfg(Py_3_13)]
use ffi::PyObject_GetOptionalAttr as lookup_attr;

#[cfg(not(Py_3_13))]
unsafe extern "C" {
    /// An attribute as a new reference and 1; else null, and 0 if it is not there or -1 with an exception. That it is
    /// not there makes no exception where the lookup is `object`'s.
    #[link_name = "_PyObject_LookupAttr"]
    fn lookup_attr(object: *mut ffi::PyObject, name: *mut ffi::PyObject, found: *mut *mut ffi::PyObject) -> c_int;
}

/// True if an object has an attribute; whatever is raised is no attribute.
fn has_attr(object: &Bound<'_, PyAny>, name: &Bound<'_, PyString>) -> bool {
    let mut found = ptr::null_mut();
    // SAFETY: both objects are live; what is found is a new reference.
    unsafe {
        if lookup_attr(object.as_ptr(), name.as_ptr(), &raw mut found) < 0 {
            ffi::PyErr_Clear();
        }
        Bound::from_owned_ptr_or_opt(object.py(), found).is_some()
    }
}

impl<'py> Objects for CallObjects<'_, 'py> {
    type Handle = Handle<'py>;

    fn local(&mut self, name: Name<'_>) -> Option<Handle<'py>> {
        let slot = self.prepared.slot(name)?;
        self.call.argument(slot).map(pyo3::Borrowed::to_owned)
    }

    fn module(&mut self, name: Name<'_>) -> Option<Handle<'py>> {
        let modules = modules(self.py());
        modules.get_item(self.name(name)).ok()?
    }

    fn global(&mut self, name: Name<'_>) -> Option<Handle<'py>> {
        let globals = self.call.globals();
        let globals = globals.cast::<PyDict>().ok()?;
        let name = self.name(name);
        if let Some(value) = globals.get_item(name).ok()? {
            return Some(value);
        }
        let builtins = globals.get_item(intern!(self.py(), "__builtins__")).ok()??;
        match builtins.cast::<PyDict>() {
            Ok(dict) => dict.get_item(name).ok()?,
            Err(_) => builtins.getattr(name).ok(),
        }
    }

    fn cell(&mut self, name: Name<'_>) -> Option<Handle<'py>> {
        let slot = self.prepared.cell(name)?;
        let closure = self.call.function().getattr(intern!(self.py(), "__closure__")).ok()?;
        closure.get_item(slot).ok()?.getattr(intern!(self.py(), "cell_contents")).ok()
    }

    fn frame_function(&mut self) -> Option<Handle<'py>> {
        Some(self.call.function())
    }

    fn frame_default(&mut self, index: u32) -> Option<Handle<'py>> {
        self.function_default(&self.call.function(), index)
    }

    fn frame_kw_default(&mut self, name: Name<'_>) -> Option<Handle<'py>> {
        self.function_kw_default(&self.call.function(), name)
    }

    fn attr(&mut self, base: &Handle<'py>, name: Name<'_>) -> Option<Handle<'py>> {
        base.getattr(self.name(name)).ok()
    }

    fn generic_attr(&mut self, base: &Handle<'py>, name: Name<'_>) -> Option<Handle<'py>> {
        // SAFETY: both objects are live, and the call gives a new reference or raises.
        let value = unsafe { ffi::PyObject_GenericGetAttr(base.as_ptr(), self.name(name).as_ptr()) };
        // SAFETY: as above.
        unsafe { Bound::from_owned_ptr_or_err(self.py(), value) }.ok()
    }

    fn item_int(&mut self, base: &Handle<'py>, key: i64) -> Option<Handle<'py>> {
        let place = |len: usize| usize::try_from(if key < 0 { key + len as i64 } else { key }).ok();
        if let Ok(items) = base.cast::<PyTuple>() {
            return items.get_item(place(items.len())?).ok();
        }
        if let Ok(items) = base.cast::<PyList>() {
            return items.get_item(place(items.len())?).ok();
        }
        static DEQUE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        let deque = DEQUE.import(self.py(), "collections", "deque").ok()?;
        if base.is_exact_instance(deque) {
            return base.get_item(key).ok();
        }
        base.cast::<PyDict>().ok()?.get_item(key).ok()?
    }

    fn item_str(&mut self, base: &Handle<'py>, key: Name<'_>) -> Option<Handle<'py>> {
        if base.is_exact_instance_of::<PyMappingProxy>() {
            // The dict of a class.
            return base.get_item(self.name(key)).ok();
        }
        base.cast::<PyDict>().ok()?.get_item(self.name(key)).ok()?
    }

    fn item_constant(&mut self, base: &Handle<'py>, _: &Constant, id: ConstantId) -> Option<Handle<'py>> {
        base.cast::<PyDict>().ok()?.get_item(self.constant(id)?).ok()?
    }

    fn item_object(&mut self, base: &Handle<'py>, key: &Handle<'py>) -> Option<Handle<'py>> {
        base.cast::<PyDict>().ok()?.get_item(key).ok()?
    }

    fn dict_key(&mut self, base: &Handle<'py>, index: u32) -> Option<Handle<'py>> {
        base.cast::<PyDict>().ok()?.iter().nth(index as usize).map(|(key, _)| key)
    }

    fn dict_value(&mut self, base: &Handle<'py>, index: u32) -> Option<Handle<'py>> {
        base.cast::<PyDict>().ok()?.iter().nth(index as usize).map(|(_, value)| value)
    }

    fn set_item(&mut self, base: &Handle<'py>, index: u32) -> Option<Handle<'py>> {
        base.try_iter().ok()?.nth(index as usize)?.ok()
    }

    fn tuple_iterator_item(&mut self, _: &Handle<'py>, _: u32) -> Option<Handle<'py>> {
        None
    }

    fn slice(&mut self, base: &Handle<'py>, _: &Constant, id: ConstantId) -> Option<Handle<'py>> {
        base.get_item(self.constant(id)?).ok()
    }

    fn type_of(&mut self, base: &Handle<'py>) -> Option<Handle<'py>> {
        Some(base.get_type().into_any())
    }

    fn type_dict(&mut self, base: &Handle<'py>) -> Option<Handle<'py>> {
        base.getattr(intern!(self.py(), "__dict__")).ok()
    }

    fn weak_ref(&mut self, base: &Handle<'py>) -> Option<Handle<'py>> {
        base.call0().ok()
    }

    fn closure(&mut self, base: &Handle<'py>, index: u32) -> Option<Handle<'py>> {
        let closure = base.getattr(intern!(self.py(), "__closure__")).ok()?;
        let cell = closure.cast::<PyTuple>().ok()?.get_item(index as usize).ok()?;
        cell.getattr(intern!(self.py(), "cell_contents")).ok()
    }

    fn function_default(&mut self, base: &Handle<'py>, index: u32) -> Option<Handle<'py>> {
        let defaults = base.getattr(intern!(self.py(), "__defaults__")).ok()?;
        defaults.cast::<PyTuple>().ok()?.get_item(index as usize).ok()
    }

    fn function_kw_default(&mut self, base: &Handle<'py>, name: Name<'_>) -> Option<Handle<'py>> {
        let defaults = base.getattr(intern!(self.py(), "__kwdefaults__")).ok()?;
        defaults.cast::<PyDict>().ok()?.get_item(self.name(name)).ok()?
    }

    fn code(&mut self, base: &Handle<'py>) -> Option<Handle<'py>> {
        base.getattr(intern!(self.py(), "__code__")).ok()
    }

    fn param(&mut self, base: &Handle<'py>, name: Name<'_>) -> Option<Handle<'py>> {
        base.getattr(intern!(self.py(), "_parameters")).ok()?.get_item(self.name(name)).ok()
    }

    fn buffer(&mut self, base: &Handle<'py>, name: Name<'_>) -> Option<Handle<'py>> {
        base.getattr(intern!(self.py(), "_buffers")).ok()?.get_item(self.name(name)).ok()
    }

    fn submodule(&mut self, base: &Handle<'py>, name: Name<'_>) -> Option<Handle<'py>> {
        base.getattr(intern!(self.py(), "_modules")).ok()?.get_item(self.name(name)).ok()
    }

    fn grad(&mut self, base: &Handle<'py>) -> Option<Handle<'py>> {
        base.getattr(intern!(self.py(), "grad")).ok()
    }

    fn tensor_of_array(&mut self, base: &Handle<'py>) -> Option<Handle<'py>> {
        arrays::tensor_of(base).ok().flatten()
    }

    fn call0(&mut self, base: &Handle<'py>, method: Name<'_>) -> Option<Handle<'py>> {
        base.call_method0(self.name(method)).ok()
    }

    fn cached(&mut self, function: &Handle<'py>, _: &Constant, id: ConstantId) -> Option<Handle<'py>> {
        members::call_kept(function, self.constant(id)?).ok()
    }

    fn int(&mut self, object: &Handle<'py>) -> Option<i64> {
        object.cast_exact::<PyInt>().ok()?.extract().ok()
    }

    fn float(&mut self, object: &Handle<'py>) -> Option<f64> {
        object.cast_exact::<PyFloat>().ok().map(PyFloatMethods::value)
    }

    fn tensor_property(&mut self, object: &Handle<'py>, property: TensorProperty) -> Option<i64> {
        // A trace may have looked at a tensor in what it took back: nothing else tells then that this is one.
        if !self.torch.is_tensor(object) {
            return None;
        }
        let info = self.torch.borrow_raw(object).and_then(|raw| crate::torch::tensor::info(raw).ok());
        match (property, info) {
            (TensorProperty::Size(dim), Some(info)) => info.sizes.get(dim as usize).copied(),
            (TensorProperty::Stride(dim), Some(info)) => info.strides.get(dim as usize).copied(),
            (TensorProperty::Size(dim), None) => object.call_method1("size", (dim,)).ok()?.extract().ok(),
            (TensorProperty::Stride(dim), None) => object.call_method1("stride", (dim,)).ok()?.extract().ok(),
            (TensorProperty::StorageOffset, _) => object.call_method0("storage_offset").ok()?.extract().ok(),
        }
    }

    fn is_none(&mut self, object: &Handle<'py>) -> bool {
        object.is_none()
    }

    fn is_bool(&mut self, object: &Handle<'py>, value: bool) -> bool {
        object.is(pyo3::types::PyBool::new(self.py(), value).as_any())
    }

    fn type_is(&mut self, object: &Handle<'py>, ty: ObjectId) -> bool {
        self.is_of_class(object, ty)
    }

    fn is(&mut self, object: &Handle<'py>, expected: ObjectId) -> bool {
        self.is_object(object, expected)
    }

    fn code_is(&mut self, object: &Handle<'py>, code: ObjectId) -> bool {
        // A bound method has the code of its function, which it calls with one argument more.
        object.is_exact_instance_of::<PyFunction>() && self.code(object).is_some_and(|own| self.is_object(&own, code))
    }

    fn len(&mut self, object: &Handle<'py>) -> Option<u64> {
        object.len().ok().map(|len| len as u64)
    }

    fn tuple_iterator_len(&mut self, object: &Handle<'py>) -> Option<u64> {
        object.call_method0("__length_hint__").ok()?.extract().ok()
    }

    fn range_iterator(&mut self, _: &Handle<'py>) -> Option<[i64; 3]> {
        None
    }

    fn equals(&mut self, object: &Handle<'py>, value: &Constant, id: ConstantId) -> bool {
        match value {
            Constant::Tuple(_) | Constant::FrozenSet(_) => constant::read(object).as_ref() == Some(value),
            _ => self.constant(id).is_some_and(|expected| identical(object, expected)),
        }
    }

    fn tensor_matches(&mut self, object: &Handle<'py>, guard: &TensorGuard, id: TensorGuardId) -> bool {
        self.prepared.tensor(id).is_some_and(|wanted| wanted.recognises(object, self.torch))
            || self.is_of_class(object, guard.python_type)
                && tensors::matches(guard, object, self.torch).unwrap_or(false)
    }

    fn dict_contains(&mut self, object: &Handle<'py>, key: Element) -> Option<bool> {
        if let (true, Element::Constant(id)) = (object.is_exact_instance_of::<PyMappingProxy>(), key) {
            return object.contains(self.constant(id)?).ok();
        }
        let dict = object.cast::<PyDict>().ok()?;
        match key {
            Element::Constant(id) => dict.contains(self.constant(id)?).ok(),
            Element::Object(_) => Some(dict.keys().iter().any(|found| self.is_element(&found, key))),
        }
    }

    fn set_contains(&mut self, object: &Handle<'py>, item: Element) -> Option<bool> {
        match item {
            Element::Constant(id) => object.contains(self.constant(id)?).ok(),
            Element::Object(id) => Some(object.try_iter().ok()?.flatten().any(|item| self.is_object(&item, id))),
        }
    }

    fn in_instance_dict(&mut self, object: &Handle<'py>, name: Name<'_>) -> Option<bool> {
        match object.is_instance_of::<PyType>() {
            true => object.getattr(intern!(self.py(), "__dict__")).ok()?.contains(self.name(name)).ok(),
            // The class may give something else, or run code, for `__dict__`.
            false => members::own_dict(object).ok()??.contains(self.name(name)).ok(),
        }
    }

    fn is_slot_unset(&mut self, object: &Handle<'py>, name: Name<'_>) -> bool {
        members::is_slot_unset(object, self.name(name))
    }

    fn class_attr_is(&mut self, class: &Handle<'py>, name: Name<'_>, expected: Option<ObjectId>) -> bool {
        let Ok(class) = class.cast::<PyType>() else { return false };
        match (members::in_mro(class, self.name(name)), expected) {
            (Some(found), Some(expected)) => self.is_object(&found, expected),
            (found, expected) => found.is_none() && expected.is_none(),
        }
    }

    fn class_version(&mut self, class: &Handle<'py>) -> Option<u32> {
        class.cast::<PyType>().ok().map(members::version_tag).filter(|&tag| tag != 0)
    }

    fn has_attr(&mut self, object: &Handle<'py>, name: Name<'_>) -> bool {
        has_attr(object, self.name(name))
    }

    fn dict_keys_match(&mut self, object: &Handle<'py>, keys: &[Element]) -> bool {
        let Ok(dict) = object.cast::<PyDict>() else { return false };
        dict.len() == keys.len() && dict.iter().zip(keys).all(|((key, _), &expected)| self.is_element(&key, expected))
    }

    fn dict_entries_match(
        &mut self,
        object: &Handle<'py>,
        keys: DictKeys<'_>,
        each: &mut impl FnMut(Handle<'py>),
    ) -> bool {
        let Ok(dict) = object.cast::<PyDict>() else { return false };
        let Some(known) = self.prepared.keys.get(keys.dict.as_u32() as usize) else { return false };
        if dict.len() != keys.keys.len() {
            return false;
        }
        let py = self.py();
        let mut seen = known.get().iter();
        let (mut at, mut key, mut value) = (0, ptr::null_mut(), ptr::null_mut());
        for &expected in keys.keys {
            // SAFETY: the dict is live and lends both, until they are owned; a place behind its end gives nothing,
            // should the comparison of a tuple have changed it.
            let value = unsafe {
                if ffi::PyDict_Next(dict.as_ptr(), &raw mut at, &raw mut key, &raw mut value) == 0 {
                    return false;
                }
                Bound::from_borrowed_ptr(py, value)
            };
            each(value);
            if seen.next().is_some_and(|seen| seen.as_ptr() == key) {
                continue;
            }
            // SAFETY: nothing has run since the dict lent the key.
            let key = unsafe { Bound::from_borrowed_ptr(py, key) };
            if !self.is_element(&key, expected) {
                return false;
            }
        }
        known.learn(dict, || keys.keys.iter().all(|&key| self.is_text(key)));
        true
    }

    fn mapping_keys_match(&mut self, object: &Handle<'py>, keys: &[Element]) -> bool {
        let Ok(mapping) = object.cast::<PyMapping>() else { return false };
        let Ok(own) = mapping.keys() else { return false };
        own.len() == keys.len() && own.iter().zip(keys).all(|(key, &expected)| self.is_element(&key, expected))
    }

    fn has_no_hooks(&mut self, object: &Handle<'py>) -> bool {
        members::has_no_hooks(object).unwrap_or(false)
    }

    fn user(&mut self, object: &Handle<'py>, check: ObjectId) -> bool {
        let check = match self.prepared.objects.get(check.as_u32() as usize).and_then(Option::as_ref) {
            Some(Named::Weak(check)) => check.bind(self.py()).upgrade(),
            _ => None,
        };
        check.is_some_and(|check| check.call1((object,)).and_then(|found| found.is_truthy()).unwrap_or(false))
    }

    fn identity(&mut self, object: &Handle<'py>) -> u64 {
        object.as_ptr() as u64
    }

    fn state_is(&mut self, state: &GlobalState) -> bool {
        current_state(self.py(), self.torch, state).as_ref() == Some(state)
    }

    fn describe(&mut self, object: &Handle<'py>) -> String {
        object.repr().map_or_else(|_| "?".to_owned(), |text| text.to_string())
    }

    fn describe_type(&mut self, object: &Handle<'py>) -> String {
        object.get_type().to_string()
    }

    fn tensor(&mut self, object: &Handle<'py>) -> Option<TensorFacts> {
        tensors::facts(object)
    }

    fn describe_state(&mut self, expected: &GlobalState) -> String {
        current_state(self.py(), self.torch, expected).map_or_else(|| "?".to_owned(), |state| state.value())
    }
}
