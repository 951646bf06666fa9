//! Version tags of dicts and classes, as CPython counts them: what a guard depends on stays what it is while they do.
//!
//! CPython gives each state of each dict a number that no other state of any dict has (`ma_version_tag`, up to 3.12);
//! from 3.12 on it tells of changes ([`Watch`]), which is preferred. To a class it gives a number that is withdrawn,
//! for zero, when it or a base changes (`tp_version_tag`). Fields of objects that have no tags are compared as they
//! are; where what a field points to could be freed and replaced by another object at its address, the tag refers to it
//! weakly, or owns it if that can lead to no cycle.
//!
//! The dict of an instance is made if there is none yet. Without one the interpreter sets attributes in the instance
//! and tells nobody; with one it goes through the dict, also where the values stay in the instance (3.13). Should it
//! give the dict up again, the instance's field says so.
//!
//! Invariant: a tag is compared only after those before it, which keep its object alive (`guards::Snapshot`), and to
//! compare one runs none of the program's code.

use super::members;
use super::objects::CallObjects;
use super::watchers::Watch;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple, PyType, PyWeakrefReference};
use smallvec::{SmallVec, smallvec};
use std::mem::size_of;

unsafe extern "C" {
    /// The address of the reference to an object's `__dict__`, which is made if there is none yet; null without one.
    fn _PyObject_GetDictPtr(object: *mut ffi::PyObject) -> *mut *mut ffi::PyObject;
}

/// The last minor version of CPython that numbers the states of dicts.
const LAST_MINOR: u8 = 12;

/// The location of the frame's function, which is neither the slot of an argument nor an address.
const FUNCTION: usize = usize::MAX;

/// The address of a reference that an object holds.
pub(super) type Field = *const *mut ffi::PyObject;

/// The head of a weak reference: it points to `None` once its referent is gone.
#[repr(C)]
struct WeakrefHead {
    ob_base: ffi::PyObject,
    wr_object: *mut ffi::PyObject,
}

/// A word in memory: its address, and the value that it had. If the address is null, the value is the index of a tag
/// that is no word.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word {
    pub(super) at: *const u64,
    pub(super) value: u64,
}

/// The words that a tag compares, and what has to stay alive for it.
type Words = (SmallVec<[Word; 2]>, Option<Py<PyAny>>);

/// A state of a dict, a class or a field.
#[derive(Debug)]
pub(super) enum Tag {
    /// A field of an object: its class, its dict.
    Field { at: Field, value: *mut ffi::PyObject },
    /// A field with an object that nobody else may keep alive.
    Weak { at: Field, value: *mut ffi::PyObject, object: Py<PyWeakrefReference> },
    /// A field with an object that the tag keeps alive.
    Owned { at: Field, object: Py<PyAny> },
    /// A whole dict, by its version.
    Dict { dict: *const ffi::PyDictObject, tag: u64 },
    /// A whole dict, which is watched.
    Watched { dict: *const ffi::PyDictObject },
    /// One entry of a dict that changes often; null for nothing.
    Entry { dict: *const ffi::PyDictObject, key: Py<PyString>, value: *mut ffi::PyObject },
    /// A class and its bases.
    Class { class: *const ffi::PyTypeObject, version: u64 },
    /// The dict of the frame's global variables.
    Globals(*mut ffi::PyObject),
    /// An argument of the frame's function, by its slot.
    Argument { slot: usize, value: *mut ffi::PyObject, object: Py<PyWeakrefReference> },
    /// The frame's function.
    Function { value: *mut ffi::PyObject, object: Py<PyWeakrefReference> },
    /// The length of a tuple that a field has.
    Length { tuple: *const ffi::PyVarObject, len: ffi::Py_ssize_t },
}

// SAFETY: the pointers are followed only where a thread holds the interpreter, by whom it may be.
unsafe impl Send for Tag {}
// SAFETY: as above.
unsafe impl Sync for Tag {}

impl Tag {
    /// The address that the tag is about; entries of one dict differ.
    pub(super) fn location(&self) -> usize {
        match self {
            Tag::Field { at, .. } | Tag::Weak { at, .. } | Tag::Owned { at, .. } => *at as usize,
            Tag::Dict { dict, .. } | Tag::Watched { dict } => *dict as usize,
            Tag::Entry { dict, key, .. } => (*dict as usize) ^ (key.as_ptr() as usize).rotate_left(20),
            Tag::Class { class, .. } => *class as usize,
            Tag::Globals(dict) => *dict as usize ^ 1,
            Tag::Argument { slot, .. } => *slot,
            Tag::Function { .. } => FUNCTION,
            Tag::Length { tuple, .. } => *tuple as usize,
        }
    }

    /// The tag as words, and what has to stay alive for it; a watched dict is none. A tag that is no word is given
    /// back.
    pub(super) fn into_words(self) -> Result<Words, Tag> {
        let word = |at: *const u64, value: u64| Word { at, value };
        let of_field = |at: Field, value: *mut ffi::PyObject| word(at.cast(), value as u64);
        Ok(match self {
            Tag::Field { at, value } => (smallvec![of_field(at, value)], None),
            Tag::Owned { at, object } => (smallvec![of_field(at, object.as_ptr())], Some(object)),
            Tag::Weak { at, value, object } => {
                (smallvec![of_field(at, value), of_field(referent(&object), value)], Some(object.into_any()))
            }
            Tag::Dict { dict, tag } => (smallvec![word(version_of(dict), tag)], None),
            Tag::Watched { .. } => (SmallVec::new(), None),
            Tag::Class { class, version } => (smallvec![word(version_of_class(class), version)], None),
            // SAFETY: only the place of a field is computed.
            Tag::Length { tuple, len } => unsafe {
                (smallvec![word((&raw const (*tuple).ob_size).cast(), len.cast_unsigned() as u64)], None)
            },
            tag @ (Tag::Entry { .. } | Tag::Globals(_) | Tag::Argument { .. } | Tag::Function { .. }) => {
                return Err(tag);
            }
        })
    }

    /// True if a tag that is no word is still current.
    #[inline]
    pub(super) fn is_current(&self, objects: &CallObjects<'_, '_>) -> bool {
        match *self {
            // SAFETY: the tags before this one are current, and so the dict is alive. Keys are strings, which are
            // compared without any code of the program's.
            Tag::Entry { dict, ref key, value } => unsafe { entry(dict, key.bind(objects.py())) == value },
            Tag::Globals(dict) => objects.call.globals().as_ptr() == dict,
            Tag::Argument { slot, value, ref object } => {
                objects.call.argument(slot).is_some_and(|found| found.as_ptr() == value) && refers_to(object, value)
            }
            Tag::Function { value, ref object } => {
                objects.call.function().as_ptr() == value && refers_to(object, value)
            }
            _ => false,
        }
    }
}

/// The field of a weak reference that points to its referent.
fn referent(reference: &Py<PyWeakrefReference>) -> Field {
    // SAFETY: the reference is owned, and of the class whose layout this is; so are subclasses.
    unsafe { &raw const (*reference.as_ptr().cast::<WeakrefHead>()).wr_object }
}

/// True if the object at an address is still the one that a weak reference was made of.
fn refers_to(reference: &Py<PyWeakrefReference>, value: *mut ffi::PyObject) -> bool {
    // SAFETY: the reference is owned, and with it its field.
    unsafe { *referent(reference) == value }
}

/// The place of a dict's version.
fn version_of(dict: *const ffi::PyDictObject) -> *const u64 {
    // The field behind the number of items; the header of 3.12 has it, and that of 3.13 has something else there.
    dict.cast::<u64>().wrapping_add((size_of::<ffi::PyObject>() + size_of::<ffi::Py_ssize_t>()) / size_of::<u64>())
}

/// The place of a class's version, with the four bytes of padding behind it, which nobody writes.
fn version_of_class(class: *const ffi::PyTypeObject) -> *const u64 {
    // SAFETY: only the place of a field is computed.
    unsafe { (&raw const (*class).tp_version_tag).cast() }
}

/// The value of a string key in a dict, borrowed; null for nothing.
///
/// # Safety
/// The dict is alive.
unsafe fn entry(dict: *const ffi::PyDictObject, key: &Bound<'_, PyString>) -> *mut ffi::PyObject {
    // SAFETY: the dict and the key are alive; an exception of a key that is compared is left behind by none of them.
    unsafe {
        let value = ffi::PyDict_GetItemWithError(dict.cast_mut().cast(), key.as_ptr());
        if value.is_null() && !ffi::PyErr_Occurred().is_null() {
            ffi::PyErr_Clear();
        }
        value
    }
}

/// The tags of what one check reads, in the making.
pub(super) struct Tagging<'a> {
    pub(super) tags: &'a mut Vec<Tag>,
    /// The addresses that have changed between checks.
    pub(super) changing: &'a [usize],
    /// Whether dicts are watched; else they are known by their versions.
    pub(super) watches: bool,
}

impl Tagging<'_> {
    /// True where the interpreter numbers the states of dicts, or tells of their changes.
    pub(super) fn exist(py: Python<'_>) -> bool {
        cfg!(not(Py_GIL_DISABLED)) && (py.version_info().minor <= LAST_MINOR || Watch::is_possible(py))
    }

    /// Tags a whole dict; false if it is none, or changes often. Where another object may have come to lie, it has to
    /// be a dict again.
    pub(super) fn dict(&mut self, object: &Bound<'_, PyAny>, is_known: bool) -> bool {
        if !object.is_instance_of::<PyDict>() || !(is_known || self.class_of(object)) {
            return false;
        }
        let dict: *const ffi::PyDictObject = object.as_ptr().cast_const().cast();
        if self.changing.contains(&(dict as usize)) {
            return false;
        }
        self.tags.push(if self.watches {
            Tag::Watched { dict }
        } else {
            // SAFETY: the dict is alive.
            Tag::Dict { dict, tag: unsafe { *version_of(dict) } }
        });
        true
    }

    /// Tags what a dict has for a key: the whole dict, or the entry alone if the dict changes often. True if the value
    /// is known by more than its address.
    pub(super) fn entry(&mut self, dict: &Bound<'_, PyDict>, key: &Bound<'_, PyString>) -> bool {
        if self.dict(dict.as_any(), true) {
            return true;
        }
        let dict: *const ffi::PyDictObject = dict.as_ptr().cast_const().cast();
        // SAFETY: the dict is alive.
        let value = unsafe { entry(dict, key) };
        self.tags.push(Tag::Entry { dict, key: key.clone().unbind(), value });
        false
    }

    /// Tags a class; classes of the interpreter's own do not change.
    pub(super) fn class(&mut self, class: &Bound<'_, PyType>) -> bool {
        let pointer = class.as_type_ptr();
        // SAFETY: the class is alive.
        if unsafe { ffi::PyType_GetFlags(pointer) } & ffi::Py_TPFLAGS_HEAPTYPE == 0 {
            return true;
        }
        let has_version = members::version_tag(class) != 0 && !self.changing.contains(&(pointer as usize));
        if has_version {
            // SAFETY: the class is alive.
            let version = unsafe { *version_of_class(pointer) };
            self.tags.push(Tag::Class { class: pointer, version });
        }
        has_version
    }

    /// Tags an object's class.
    pub(super) fn class_of(&mut self, object: &Bound<'_, PyAny>) -> bool {
        let class = object.get_type();
        // SAFETY: the object is alive.
        let at = unsafe { &raw const (*object.as_ptr()).ob_type }.cast::<*mut ffi::PyObject>();
        self.tags.push(Tag::Field { at, value: class.as_ptr() });
        self.class(&class)
    }

    /// Tags where an object keeps its dict, and gives that dict; `None` for an object without.
    pub(super) fn own_dict<'py>(&mut self, object: &Bound<'py, PyAny>) -> Option<Bound<'py, PyDict>> {
        // SAFETY: the object is alive; what is given is a place within it, or null.
        let at = unsafe { _PyObject_GetDictPtr(object.as_ptr()) };
        if at.is_null() {
            return None;
        }
        // SAFETY: as above; the dict is borrowed from the object.
        let value = unsafe { *at };
        self.tags.push(Tag::Field { at, value });
        // SAFETY: as above.
        unsafe { Bound::from_borrowed_ptr_or_opt(object.py(), value) }?.cast_into::<PyDict>().ok()
    }

    /// Tags an argument; false if it changes often, or if it could not be noticed that another object has come to lie
    /// at its address.
    pub(super) fn argument(&mut self, slot: usize, found: &Bound<'_, PyAny>) -> bool {
        if self.changing.contains(&slot) {
            return false;
        }
        let Ok(weak) = PyWeakrefReference::new(found) else { return false };
        self.tags.push(Tag::Argument { slot, value: found.as_ptr(), object: weak.unbind() });
        true
    }

    /// Tags the frame's function; false if it is another one often.
    pub(super) fn function(&mut self, function: &Bound<'_, PyAny>) -> bool {
        if self.changing.contains(&FUNCTION) {
            return false;
        }
        let Ok(weak) = PyWeakrefReference::new(function) else { return false };
        self.tags.push(Tag::Function { value: function.as_ptr(), object: weak.unbind() });
        true
    }

    /// Tags an item of the tuple that a field has, which may be another tuple at the same address later; false if it
    /// could not be noticed that the item is another one.
    ///
    /// # Safety
    /// The field is that of an object that is alive, and never has anything but tuples.
    pub(super) unsafe fn item_of_field(&mut self, py: Python<'_>, at: Field, index: usize) -> bool {
        // SAFETY: the caller's promise.
        let found = unsafe { Bound::from_borrowed_ptr_or_opt(py, *at) };
        let Some(tuple) = found.and_then(|found| found.cast_into_exact::<PyTuple>().ok()) else { return false };
        if index >= tuple.len() || self.changing.contains(&(at as usize)) {
            return false;
        }
        let pointer = tuple.as_ptr();
        self.tags.push(Tag::Field { at, value: pointer });
        self.tags.push(Tag::Length { tuple: pointer.cast(), len: tuple.len().cast_signed() });
        // SAFETY: the tuple is alive, and has so many items, whatever tuple it is when the tags are compared.
        unsafe {
            self.field(
                py,
                (&raw const (*pointer.cast::<ffi::PyTupleObject>()).ob_item).cast::<*mut ffi::PyObject>().add(index),
            )
        }
    }

    /// Tags a field that may come to hold another object at the same address; false if that could not be noticed.
    ///
    /// # Safety
    /// The field is that of an object that is alive.
    pub(super) unsafe fn field(&mut self, py: Python<'_>, at: Field) -> bool {
        if self.changing.contains(&(at as usize)) {
            return false;
        }
        // SAFETY: the caller's promise; an object that is there is alive.
        let Some(object) = (unsafe { Bound::from_borrowed_ptr_or_opt(py, *at) }) else {
            self.tags.push(Tag::Field { at, value: std::ptr::null_mut() });
            return true;
        };
        if is_acyclic(&object) {
            self.tags.push(Tag::Owned { at, object: object.unbind() });
            return true;
        }
        if let Ok(weak) = PyWeakrefReference::new(&object) {
            self.tags.push(Tag::Weak { at, value: object.as_ptr(), object: weak.unbind() });
            return true;
        }
        false
    }
}

/// True for an object through which nothing else is kept alive but classes of the interpreter's own and constants.
fn is_acyclic(object: &Bound<'_, PyAny>) -> bool {
    // SAFETY: the object is alive.
    let is_collected = unsafe { ffi::PyObject_IS_GC(object.as_ptr()) } != 0;
    if !is_collected {
        return true;
    }
    if let Ok(class) = object.cast::<PyType>() {
        // SAFETY: as above.
        return unsafe { ffi::PyType_GetFlags(class.as_type_ptr()) } & ffi::Py_TPFLAGS_HEAPTYPE == 0;
    }
    object.cast_exact::<PyTuple>().is_ok_and(|items| items.iter().all(|item| is_acyclic(&item)))
}
