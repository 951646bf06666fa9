//! The operations that the tree asks of the caller: to read a value from another, and to test whether a value is as it
//! should be.
//!
//! The trait is a type parameter of [`GuardTree::check`](crate::GuardTree::check), so that a check calls no function by
//! address. What is not there is `None` and fails the guard; there are no errors. Only [`Objects::attr`],
//! [`Objects::call0`], [`Objects::cached`], [`Objects::user`] and [`Objects::has_attr`] may run the user's code.
//!
//! Each name, constant, tensor and object comes with its number in the tree's tables ([`Sources`](crate::Sources)), so
//! that who has prepared a Python object for each need not make one; so does each dict that is read in one pass.

use crate::{
    constant::{Constant, ConstantId},
    guard::Element,
    intern::Name,
    object::ObjectId,
    source::TensorProperty,
    state::GlobalState,
    tensor::{TensorFacts, TensorGuard, TensorGuardId},
};
use cranelift_entity::entity_impl;

/// A dict whose keys are guarded and whose values are read in the same pass, by its number in its tree.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DictId(u32);
entity_impl!(DictId, "dict");

/// The keys that a dict is to have, in order, and the number of the dict in the tree.
#[derive(Clone, Copy, Debug)]
pub struct DictKeys<'a> {
    /// The dict.
    pub dict: DictId,
    /// Its keys.
    pub keys: &'a [Element],
}

/// Readers and predicates over the caller's objects.
pub trait Objects {
    /// An object. The tree drops it when it needs it no more, at the latest when the check ends.
    type Handle;

    /// A local variable of the frame.
    fn local(&mut self, name: Name<'_>) -> Option<Self::Handle>;
    /// A global variable of the frame.
    fn global(&mut self, name: Name<'_>) -> Option<Self::Handle>;
    /// A module that is loaded, by its whole name.
    fn module(&mut self, _name: Name<'_>) -> Option<Self::Handle> {
        None
    }
    /// The contents of a cell of the frame.
    fn cell(&mut self, name: Name<'_>) -> Option<Self::Handle>;
    /// The frame's function.
    fn frame_function(&mut self) -> Option<Self::Handle> {
        None
    }
    /// A positional default of the frame's function.
    fn frame_default(&mut self, index: u32) -> Option<Self::Handle>;
    /// A keyword default of the frame's function.
    fn frame_kw_default(&mut self, name: Name<'_>) -> Option<Self::Handle>;

    /// An attribute, by the object's own lookup.
    fn attr(&mut self, base: &Self::Handle, name: Name<'_>) -> Option<Self::Handle>;
    /// An attribute, by `object.__getattribute__`.
    fn generic_attr(&mut self, base: &Self::Handle, name: Name<'_>) -> Option<Self::Handle>;
    /// The item of a list or tuple at an index, which counts from the end if negative; of a dict, by an integer key.
    fn item_int(&mut self, base: &Self::Handle, key: i64) -> Option<Self::Handle>;
    /// The item of a dict by a string key.
    fn item_str(&mut self, base: &Self::Handle, key: Name<'_>) -> Option<Self::Handle>;
    /// The item of a dict by any other constant.
    fn item_constant(&mut self, base: &Self::Handle, key: &Constant, id: ConstantId) -> Option<Self::Handle>;
    /// The item by an object.
    fn item_object(&mut self, base: &Self::Handle, key: &Self::Handle) -> Option<Self::Handle>;
    /// The key of a dict at a position.
    fn dict_key(&mut self, base: &Self::Handle, index: u32) -> Option<Self::Handle>;
    /// The value of a dict at a position.
    fn dict_value(&mut self, base: &Self::Handle, index: u32) -> Option<Self::Handle>;
    /// The item of a set at a position.
    fn set_item(&mut self, base: &Self::Handle, index: u32) -> Option<Self::Handle>;
    /// The item that a tuple iterator will give after `index` others; it stays where it is.
    fn tuple_iterator_item(&mut self, base: &Self::Handle, index: u32) -> Option<Self::Handle>;
    /// The items of a list or tuple that a slice chooses.
    fn slice(&mut self, base: &Self::Handle, bounds: &Constant, id: ConstantId) -> Option<Self::Handle>;
    /// The type.
    fn type_of(&mut self, base: &Self::Handle) -> Option<Self::Handle>;
    /// The dict of a type.
    fn type_dict(&mut self, base: &Self::Handle) -> Option<Self::Handle>;
    /// The referent of a weak reference; Python's `None` if that is gone.
    fn weak_ref(&mut self, base: &Self::Handle) -> Option<Self::Handle>;
    /// The contents of a cell of a function's closure.
    fn closure(&mut self, base: &Self::Handle, index: u32) -> Option<Self::Handle>;
    /// A positional default of a function.
    fn function_default(&mut self, base: &Self::Handle, index: u32) -> Option<Self::Handle>;
    /// A keyword default of a function.
    fn function_kw_default(&mut self, base: &Self::Handle, name: Name<'_>) -> Option<Self::Handle>;
    /// The code of a function.
    fn code(&mut self, base: &Self::Handle) -> Option<Self::Handle>;
    /// A parameter of a module.
    fn param(&mut self, base: &Self::Handle, name: Name<'_>) -> Option<Self::Handle>;
    /// A buffer of a module.
    fn buffer(&mut self, base: &Self::Handle, name: Name<'_>) -> Option<Self::Handle>;
    /// A module of a module.
    fn submodule(&mut self, base: &Self::Handle, name: Name<'_>) -> Option<Self::Handle>;
    /// The gradient of a tensor.
    fn grad(&mut self, base: &Self::Handle) -> Option<Self::Handle>;
    /// The tensor that shares the memory of a writable NumPy array.
    fn tensor_of_array(&mut self, _base: &Self::Handle) -> Option<Self::Handle> {
        None
    }
    /// The result of a method that is called without arguments.
    fn call0(&mut self, base: &Self::Handle, method: Name<'_>) -> Option<Self::Handle>;
    /// The result of a function that caches its results, for a pair: positional arguments, and pairs of keywords and
    /// arguments.
    fn cached(&mut self, function: &Self::Handle, arguments: &Constant, id: ConstantId) -> Option<Self::Handle>;

    /// The value of an integer of 64 bits.
    fn int(&mut self, object: &Self::Handle) -> Option<i64>;
    /// The value of a float.
    fn float(&mut self, object: &Self::Handle) -> Option<f64>;
    /// A number that a tensor has.
    fn tensor_property(&mut self, object: &Self::Handle, property: TensorProperty) -> Option<i64>;

    /// True if it is `None`.
    fn is_none(&mut self, object: &Self::Handle) -> bool;
    /// True if it is this of `True` and `False`.
    fn is_bool(&mut self, object: &Self::Handle, value: bool) -> bool;
    /// True if this is its type, exactly.
    fn type_is(&mut self, object: &Self::Handle, ty: ObjectId) -> bool;
    /// True if it is this object.
    fn is(&mut self, object: &Self::Handle, expected: ObjectId) -> bool;
    /// True if it is a function of this code.
    fn code_is(&mut self, object: &Self::Handle, code: ObjectId) -> bool;
    /// The length of a list, tuple, dict or set.
    fn len(&mut self, object: &Self::Handle) -> Option<u64>;
    /// The number of items that a tuple iterator has still to give.
    fn tuple_iterator_len(&mut self, object: &Self::Handle) -> Option<u64>;
    /// The start, stop and step of what a range iterator has still to give.
    fn range_iterator(&mut self, object: &Self::Handle) -> Option<[i64; 3]>;
    /// True if it is identical to a constant, as [`Constant`] has it: same type, same value.
    fn equals(&mut self, object: &Self::Handle, value: &Constant, id: ConstantId) -> bool;
    /// True if it is a tensor as assumed. [`TensorGuard::mismatch`] says what that means.
    fn tensor_matches(&mut self, object: &Self::Handle, guard: &TensorGuard, id: TensorGuardId) -> bool;
    /// Whether a dict has a key; `None` if it is no dict.
    fn dict_contains(&mut self, object: &Self::Handle, key: Element) -> Option<bool>;
    /// Whether a set has an item; `None` if it is no set.
    fn set_contains(&mut self, object: &Self::Handle, item: Element) -> Option<bool>;
    /// Whether a name is in the `__dict__` of an object; `None` if it has none.
    fn in_instance_dict(&mut self, object: &Self::Handle, name: Name<'_>) -> Option<bool>;
    /// True if its class has a member of `__slots__` of this name, which has no value in it.
    fn is_slot_unset(&mut self, object: &Self::Handle, name: Name<'_>) -> bool;
    /// True if it is a class that gives its instances this object under a name, or nothing.
    fn class_attr_is(&mut self, class: &Self::Handle, name: Name<'_>, expected: Option<ObjectId>) -> bool;
    /// The version tag of a class, which a change of it or of a base changes; `None` for any other object, and for a
    /// class that can have none.
    fn class_version(&mut self, class: &Self::Handle) -> Option<u32>;
    /// Whether it has an attribute.
    fn has_attr(&mut self, object: &Self::Handle, name: Name<'_>) -> bool;
    /// True if it is a dict with these keys in this order.
    fn dict_keys_match(&mut self, object: &Self::Handle, keys: &[Element]) -> bool;
    /// Counterpart of [`Objects::dict_keys_match`] for a dict that is read in one pass: passes the values to `each` in
    /// that order; if it is not such a dict, any of them or none.
    fn dict_entries_match(
        &mut self,
        object: &Self::Handle,
        keys: DictKeys<'_>,
        each: &mut impl FnMut(Self::Handle),
    ) -> bool;
    /// True if it is a read-only mapping with these keys in this order.
    fn mapping_keys_match(&mut self, object: &Self::Handle, keys: &[Element]) -> bool;
    /// True if it is an `nn.Module` without hooks of its own, whose call nothing replaces.
    fn has_no_hooks(&mut self, object: &Self::Handle) -> bool;
    /// True if a check of the caller's own accepts it.
    fn user(&mut self, object: &Self::Handle, check: ObjectId) -> bool;
    /// A number that only this object has, as long as it exists.
    fn identity(&mut self, object: &Self::Handle) -> u64;
    /// True if something global is so.
    fn state_is(&mut self, state: &GlobalState) -> bool;

    /// The printed form of an object. Only for messages to people, as are the methods below.
    fn describe(&mut self, object: &Self::Handle) -> String;
    /// The printed form of an object's type, as in `<class 'int'>`.
    fn describe_type(&mut self, object: &Self::Handle) -> String;
    /// The metadata of a tensor; `None` if it is none.
    fn tensor(&mut self, object: &Self::Handle) -> Option<TensorFacts>;
    /// The printed form of the current global state, of the kind of `expected`.
    fn describe_state(&mut self, expected: &GlobalState) -> String;
}
