//! Objects whose identity counts, as guards keep and recognise them.
//!
//! A guard lives in a code object, into which the garbage collector does not look. So objects are referred to weakly,
//! and one that is gone equals none. Of those that take no weak references, a tuple is kept by its items, and a few
//! others, whose classes are the program's and have no finalizer, are kept alive.

use super::{arrays, constant};
use crate::torch::Torch;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyAnyMethods, PyTuple, PyType, PyWeakrefMethods, PyWeakrefReference};
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

/// An object whose identity counts.
pub(super) enum Named {
    /// One that lasts as long as the interpreter, by its address.
    Lasting(usize),
    /// One that takes weak references.
    Weak(Py<PyWeakrefReference>),
    /// One that takes none.
    Held(Held),
    /// A tuple of exactly this class, by its items. Another one of the same items is as good a key, but no other
    /// guard takes it for this one.
    Tuple(Py<PyType>, Vec<Item>),
}

/// An item of a tuple.
pub(super) enum Item {
    /// A constant, by its type and value.
    Constant(Py<PyAny>),
    /// Another object.
    Named(Named),
}

/// An object that a guard keeps alive.
pub(super) struct Held(Py<PyAny>);

/// The number of objects that guards keep alive.
static HELD: AtomicUsize = AtomicUsize::new(0);

/// The number of objects that guards keep alive at most.
const MOST_HELD: usize = 256;

impl Held {
    /// Keeps an object alive; `None` if there are as many already as there may be.
    fn new(object: &Bound<'_, PyAny>) -> Option<Held> {
        let count = HELD.fetch_add(1, Ordering::Relaxed);
        // It counts until it is dropped.
        let held = Held(object.clone().unbind());
        (count < MOST_HELD).then_some(held)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        HELD.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Named {
    pub(super) fn new(object: &Bound<'_, PyAny>, torch: &Torch) -> Option<Named> {
        if arrays::is_function(object) || is_descriptor(object) {
            // It takes no weak references, and few programs make more of them.
            std::mem::forget(object.clone());
            return Some(Named::Lasting(object.as_ptr() as usize));
        }
        if is_builtin_class(object) || torch.is_tensor_class(object) || is_singleton(object, torch) {
            return Some(Named::Lasting(object.as_ptr() as usize));
        }
        if let Ok(weak) = PyWeakrefReference::new(object) {
            return Some(Named::Weak(weak.unbind()));
        }
        if arrays::is_own_dtype(object) {
            return Some(Named::Lasting(object.as_ptr() as usize));
        }
        if let Ok(tuple) = object.cast::<PyTuple>() {
            let items: Option<Vec<Item>> = tuple.iter().map(|item| Item::new(&item, torch)).collect();
            return items.map(|items| Named::Tuple(object.get_type().unbind(), items));
        }
        let class = object.get_type();
        let may_live_on = !is_builtin_class(class.as_any()) && !class.hasattr("__del__").unwrap_or(true);
        if may_live_on { Held::new(object).map(Named::Held) } else { None }
    }

    /// Whether it is what stands at an address.
    #[inline]
    pub(super) fn is_at(&self, py: Python<'_>, object: *mut ffi::PyObject) -> bool {
        match self {
            Named::Lasting(address) => *address == object as usize,
            Named::Weak(weak) => weak.bind(py).upgrade().is_some_and(|expected| expected.as_ptr() == object),
            Named::Held(Held(held)) => held.as_ptr() == object,
            Named::Tuple(..) => false,
        }
    }

    /// Whether an object is as good a key of a dict or item of a set as this one.
    pub(super) fn is_key(&self, object: &Bound<'_, PyAny>) -> bool {
        match self {
            Named::Tuple(class, items) => {
                object.get_type().is(class)
                    && object.cast::<PyTuple>().is_ok_and(|tuple| {
                        tuple.len() == items.len() && items.iter().zip(tuple).all(|(item, found)| item.is(&found))
                    })
            }
            _ => self.is_at(object.py(), object.as_ptr()),
        }
    }
}

impl Item {
    fn new(object: &Bound<'_, PyAny>, torch: &Torch) -> Option<Item> {
        // A tuple among them is looked into.
        if constant::read(object).is_some() && !object.is_instance_of::<PyTuple>() {
            return Some(Item::Constant(object.clone().unbind()));
        }
        Named::new(object, torch).map(Item::Named)
    }

    fn is(&self, object: &Bound<'_, PyAny>) -> bool {
        match self {
            Item::Constant(constant) => constant::identical(object, constant.bind(object.py())),
            Item::Named(named) => named.is_key(object),
        }
    }
}
/// True for a layout or a memory format, which torch keeps.
fn is_singleton(object: &Bound<'_, PyAny>, torch: &Torch) -> bool {
    let (py, class) = (object.py(), object.get_type());
    class.is(torch.strided.bind(py).get_type()) || torch.find(py, "memory_format").is_ok_and(|format| class.is(&format))
}

/// True for a method or attribute that a class without Python code has: `object.__eq__`, `torch.Tensor.shape`.
pub(super) fn is_descriptor(object: &Bound<'_, PyAny>) -> bool {
    let class = object.get_type_ptr();
    let classes = [
        &raw const ffi::PyWrapperDescr_Type,
        &raw const ffi::PyMethodDescr_Type,
        &raw const ffi::PyClassMethodDescr_Type,
        &raw const ffi::PyGetSetDescr_Type,
    ];
    classes.iter().any(|&known| ptr::eq(class, known))
}

/// True for classes that are part of the interpreter itself.
fn is_builtin_class(object: &Bound<'_, PyAny>) -> bool {
    // SAFETY: a class is asked for its flags.
    object
        .cast::<PyType>()
        .is_ok_and(|class| unsafe { ffi::PyType_GetFlags(class.as_type_ptr()) } & ffi::Py_TPFLAGS_HEAPTYPE == 0)
}
