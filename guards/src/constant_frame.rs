//! A frame whose variables are constants: the least that a tree can be checked with, for examples and for tests.

use crate::{
    constant::{Constant, ConstantId},
    guard::Element,
    intern::Name,
    object::ObjectId,
    objects::{DictKeys, Objects},
    source::TensorProperty,
    state::GlobalState,
    tensor::{TensorFacts, TensorGuard, TensorGuardId},
};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::BuildHasher;

/// Local variables that are constants. Nothing else exists: no objects with identity, and no state.
#[derive(Clone, Debug, Default)]
pub struct ConstantFrame {
    locals: FxHashMap<String, Constant>,
}

impl ConstantFrame {
    /// A frame with these local variables.
    pub fn new<'a, C: Into<Constant>>(locals: impl IntoIterator<Item = (&'a str, C)>) -> ConstantFrame {
        let locals = locals.into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect();
        ConstantFrame { locals }
    }
}

fn items(object: &Constant) -> Option<&[Constant]> {
    match object {
        Constant::Tuple(items) | Constant::FrozenSet(items) => Some(items),
        _ => None,
    }
}

/// Methods for what constants do not have.
macro_rules! absent {
    ($($name:ident($($arg:ty),*) $(-> $result:ty, $value:expr)?;)*) => {
        $(absent!(@one $name($($arg),*) $(-> $result, $value)?);)*
    };
    (@one $name:ident()) => {
        fn $name(&mut self, _: &Constant) -> Option<Constant> { None }
    };
    (@one $name:ident($arg:ty)) => {
        fn $name(&mut self, _: &Constant, _: $arg) -> Option<Constant> { None }
    };
    (@one $name:ident($($arg:ty),*) -> $result:ty, $value:expr) => {
        fn $name(&mut self, _: &Constant $(, _: $arg)*) -> $result { $value }
    };
}

impl Objects for ConstantFrame {
    type Handle = Constant;

    fn local(&mut self, name: Name<'_>) -> Option<Constant> {
        self.locals.get(name.text).cloned()
    }

    fn global(&mut self, _: Name<'_>) -> Option<Constant> {
        None
    }

    fn cell(&mut self, _: Name<'_>) -> Option<Constant> {
        None
    }

    fn frame_default(&mut self, _: u32) -> Option<Constant> {
        None
    }

    fn frame_kw_default(&mut self, _: Name<'_>) -> Option<Constant> {
        None
    }

    fn item_int(&mut self, base: &Constant, key: i64) -> Option<Constant> {
        let Constant::Tuple(items) = base else { return None };
        let from_end = if key < 0 { i64::try_from(items.len()).ok()? } else { 0 };
        items.get(usize::try_from(key + from_end).ok()?).cloned()
    }

    fn item_constant(&mut self, _: &Constant, _: &Constant, _: ConstantId) -> Option<Constant> {
        None
    }

    fn slice(&mut self, _: &Constant, _: &Constant, _: ConstantId) -> Option<Constant> {
        None
    }

    fn cached(&mut self, _: &Constant, _: &Constant, _: ConstantId) -> Option<Constant> {
        None
    }

    absent! {
        attr(Name<'_>);
        generic_attr(Name<'_>);
        item_str(Name<'_>);
        item_object(&Constant);
        dict_key(u32);
        dict_value(u32);
        set_item(u32);
        tuple_iterator_item(u32);
        type_of();
        type_dict();
        weak_ref();
        closure(u32);
        function_default(u32);
        function_kw_default(Name<'_>);
        code();
        param(Name<'_>);
        buffer(Name<'_>);
        submodule(Name<'_>);
        grad();
        call0(Name<'_>);
        tensor_property(TensorProperty) -> Option<i64>, None;
        type_is(ObjectId) -> bool, false;
        is(ObjectId) -> bool, false;
        code_is(ObjectId) -> bool, false;
        tuple_iterator_len() -> Option<u64>, None;
        range_iterator() -> Option<[i64; 3]>, None;
        tensor_matches(&TensorGuard, TensorGuardId) -> bool, false;
        dict_contains(Element) -> Option<bool>, None;
        set_contains(Element) -> Option<bool>, None;
        in_instance_dict(Name<'_>) -> Option<bool>, None;
        is_slot_unset(Name<'_>) -> bool, false;
        class_attr_is(Name<'_>, Option<ObjectId>) -> bool, false;
        class_version() -> Option<u32>, None;
        has_attr(Name<'_>) -> bool, false;
        dict_keys_match(&[Element]) -> bool, false;
        mapping_keys_match(&[Element]) -> bool, false;
        has_no_hooks() -> bool, false;
        user(ObjectId) -> bool, false;
        tensor() -> Option<TensorFacts>, None;
    }

    fn int(&mut self, object: &Constant) -> Option<i64> {
        match object {
            Constant::Int(value) => Some(*value),
            _ => None,
        }
    }

    fn float(&mut self, object: &Constant) -> Option<f64> {
        match object {
            Constant::Float(bits) => Some(f64::from_bits(*bits)),
            _ => None,
        }
    }

    fn is_none(&mut self, object: &Constant) -> bool {
        *object == Constant::None
    }

    fn is_bool(&mut self, object: &Constant, value: bool) -> bool {
        *object == Constant::Bool(value)
    }

    fn dict_entries_match(&mut self, _: &Constant, _: DictKeys<'_>, _: &mut impl FnMut(Constant)) -> bool {
        false
    }

    fn len(&mut self, object: &Constant) -> Option<u64> {
        items(object).map(|items| items.len() as u64)
    }

    fn equals(&mut self, object: &Constant, value: &Constant, _: ConstantId) -> bool {
        object == value
    }

    /// Equal constants are one.
    fn identity(&mut self, object: &Constant) -> u64 {
        FxBuildHasher.hash_one(object)
    }

    fn state_is(&mut self, _: &GlobalState) -> bool {
        false
    }

    fn describe(&mut self, object: &Constant) -> String {
        object.to_string()
    }

    fn describe_type(&mut self, object: &Constant) -> String {
        format!("<class '{}'>", object.type_name())
    }

    fn describe_state(&mut self, _: &GlobalState) -> String {
        "unknown".to_owned()
    }
}
