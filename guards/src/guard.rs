//! Guards: conditions under which a compiled program may be used, one row per kind.

use crate::{
    constant::ConstantId,
    intern::StrId,
    object::ObjectId,
    shape::ShapeGuard,
    source::SourceId,
    state::{GlobalState, KindRow},
    tensor::TensorGuardId,
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A condition on what is at a source.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Guard {
    /// The source of the value. Guards on global state read none; give them
    /// [`Root::GlobalState`](crate::Root::GlobalState).
    pub source: SourceId,
    /// The condition that must hold.
    pub kind: GuardKind,
    /// The lines of the user's program that asked for it.
    pub user_stack: Option<Arc<str>>,
}

/// An item of a container: a constant, or an object with identity.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Element {
    /// A constant.
    Constant(ConstantId),
    /// An object.
    Object(ObjectId),
}

/// The kinds of collection whose length is guarded; each prints in its own way.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Collection {
    /// A list, a tuple, a dict.
    Sequence,
    /// A `set`.
    Set,
    /// A `frozenset`.
    FrozenSet,
}

/// Declares the table of kinds: one row per kind.
macro_rules! kinds {
    ($($(#[$doc:meta])* $variant:ident $(($($payload:ty),+))? $name:literal cost $cost:literal;)*) => {
        /// The kinds of guard: conditions that must hold.
        #[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
        pub enum GuardKind {
            $($(#[$doc])* $variant $(($($payload),+))?,)*
            /// Something global is as it was.
            Global(GlobalState),
        }

        impl GuardKind {
            /// Every row but those of [`GlobalState::ROWS`], in table order.
            pub const ROWS: &[KindRow] = &[$(KindRow { name: $name, cost: $cost }),*];

            /// The row of this kind.
            pub const fn row(&self) -> KindRow {
                match self {
                    $(GuardKind::$variant { .. } => KindRow { name: $name, cost: $cost },)*
                    GuardKind::Global(state) => state.row(),
                }
            }
        }
    };
}

kinds! {
    /// It can be read: the variable is bound, the attribute is there.
    Present "PRESENT" cost 0;
    /// It is `None`.
    NoneMatch "NONE_MATCH" cost 0;
    /// It is not `None`.
    NotNoneMatch "NOT_NONE_MATCH" cost 0;
    /// The referent of a weak reference still exists.
    WeakrefAlive "WEAKREF_ALIVE" cost 0;
    /// It is this of `True` and `False`.
    BoolMatch(bool) "BOOL_MATCH" cost 0;
    /// Its type is this one, exactly.
    TypeMatch(ObjectId) "TYPE_MATCH" cost 1;
    /// It is this object.
    IdMatch(ObjectId) "ID_MATCH" cost 1;
    /// It is this function.
    FunctionMatch(ObjectId) "FUNCTION_MATCH" cost 1;
    /// It is this class.
    ClassMatch(ObjectId) "CLASS_MATCH" cost 1;
    /// It is this Python module.
    ModuleMatch(ObjectId) "MODULE_MATCH" cost 1;
    /// It is this builtin.
    BuiltinMatch(ObjectId) "BUILTIN_MATCH" cost 1;
    /// It is this `nn.Module`. Its flag `training` is guarded as an attribute.
    NnModule(ObjectId) "NN_MODULE" cost 1;
    /// It is an `nn.Module` without hooks of its own.
    EmptyModuleHooks "EMPTY_NN_MODULE_HOOKS_DICT" cost 3;
    /// It is a function of this code, over whatever closure.
    ClosureMatch(ObjectId) "CLOSURE_MATCH" cost 2;
    /// Its length is this one.
    SequenceLength(u32, Collection) "SEQUENCE_LENGTH" cost 3;
    /// It is a tuple iterator with so many items to go.
    TupleIteratorLen(u32) "TUPLE_ITERATOR_LEN" cost 3;
    /// It is a range iterator with this start, stop and step.
    RangeIteratorMatch([i64; 3]) "RANGE_ITERATOR_MATCH" cost 3;
    /// It is this constant.
    ConstantMatch(ConstantId) "CONSTANT_MATCH" cost 4;
    /// It is this constant: torch's other name for the check.
    EqualsMatch(ConstantId) "EQUALS_MATCH" cost 4;
    /// It is a tensor like this.
    TensorMatch(TensorGuardId) "TENSOR_MATCH" cost 5;
    /// It is a dict with this key.
    DictContains(Element) "DICT_CONTAINS" cost 6;
    /// It is a dict without this key.
    DictNotContains(Element) "DICT_NOT_CONTAINS" cost 6;
    /// It is a set with this item.
    SetContains(Element) "SET_CONTAINS" cost 6;
    /// It is a set without this item.
    SetNotContains(Element) "SET_NOT_CONTAINS" cost 6;
    /// It has a `__dict__`, and this name is not in it.
    NotPresentInGenericDict(StrId) "NOT_PRESENT_IN_GENERIC_DICT" cost 6;
    /// Its class has a member of `__slots__` of this name, which has no value in it.
    SlotUnset(StrId) "SLOT_UNSET" cost 6;
    /// It is a class that gives its instances this object under a name, or nothing.
    ClassAttr(StrId, Option<ObjectId>) "CLASS_ATTR_MATCH" cost 6;
    /// It is a class of this version tag: neither it nor a base has changed.
    ClassVersion(u32) "CLASS_VERSION_MATCH" cost 2;
    /// It has this attribute, or has not.
    HasAttr(StrId, bool) "HASATTR" cost 7;
    /// It is a dict of these keys, in this order.
    DictKeysMatch(Vec<Element>) "DICT_KEYS_MATCH" cost 8;
    /// It is a read-only mapping of these keys, in this order.
    MappingKeysCheck(Vec<Element>) "MAPPING_KEYS_CHECK" cost 8;
    /// A check of the caller's own is content with it.
    User(ObjectId) "USER" cost 20;
    /// It is the object at another source.
    DuplicateInput(SourceId) "DUPLICATE_INPUT" cost 30;
    /// No two of these sources, of which it is one, have the same object.
    NoTensorAliasing(Vec<SourceId>) "NO_TENSOR_ALIASING" cost 31;
    /// The numbers read from several sources, of which it is one, pass these checks.
    ShapeEnv(Box<ShapeGuard>) "SHAPE_ENV" cost 32;
}

/// The scopes of a guard: what a check of it inspects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scope {
    /// The thread and the libraries.
    State,
    /// The object at the guard's source.
    Object,
    /// Several sources, named by the kind.
    Joint,
}

impl Guard {
    /// A guard that no line of the user's program asked for.
    pub fn new(source: SourceId, kind: GuardKind) -> Guard {
        Guard { source, kind, user_stack: None }
    }

    /// The guard, asked for by these lines of the user's program.
    pub fn at(self, user_stack: impl Into<Arc<str>>) -> Guard {
        Guard { user_stack: Some(user_stack.into()), ..self }
    }
}

impl GuardKind {
    pub(crate) fn scope(&self) -> Scope {
        match self {
            GuardKind::Global(_) => Scope::State,
            GuardKind::DuplicateInput(_) | GuardKind::NoTensorAliasing(_) | GuardKind::ShapeEnv(_) => Scope::Joint,
            _ => Scope::Object,
        }
    }

    /// The object that the value has to be, for the kinds that are checks of identity.
    pub(crate) fn identity(&self) -> Option<ObjectId> {
        match *self {
            GuardKind::IdMatch(object)
            | GuardKind::FunctionMatch(object)
            | GuardKind::ClassMatch(object)
            | GuardKind::ModuleMatch(object)
            | GuardKind::BuiltinMatch(object)
            | GuardKind::NnModule(object) => Some(object),
            _ => None,
        }
    }
}
