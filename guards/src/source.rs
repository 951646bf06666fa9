//! The sources of values: a root, and steps from a value to another.
//!
//! The two tables below hold one row per root and per step: how it prints, and whether a guard can look at what is
//! there. In a template, `{base}` is the source that the step starts from, `{arg}` the argument of the root or step,
//! and `{arg!r}` that argument as `repr` writes it.

use crate::{constant::ConstantId, intern::StrId};
use cranelift_entity::entity_impl;
use serde::{Deserialize, Serialize};

/// A source in [`Sources`](crate::Sources).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SourceId(u32);
entity_impl!(SourceId, "src");

/// A symbol's source in `symshapes` has the number that it has here.
impl From<SourceId> for symshapes::SourceId {
    fn from(id: SourceId) -> symshapes::SourceId {
        symshapes::SourceId::from_u32(id.as_u32())
    }
}

impl From<symshapes::SourceId> for SourceId {
    fn from(id: symshapes::SourceId) -> SourceId {
        SourceId::from_u32(id.as_u32())
    }
}

/// The source of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Source {
    /// Straight from the frame.
    Root(Root),
    /// From another value.
    Step {
        /// The other value.
        base: SourceId,
        /// The step from that value to this one.
        step: Step,
    },
}

/// The kinds of value that a guard can read at a source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reach {
    /// An object.
    Object,
    /// An integer, which only guards on shapes read.
    Number,
    /// Nothing: it does not exist, or no longer, when guards are checked.
    Nothing,
}

/// A row of the tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SourceRow {
    /// The variant.
    pub variant: &'static str,
    /// The template of its printed form.
    pub template: &'static str,
    /// The kind of value that guards can read there.
    pub reach: Reach,
}

/// The argument of a root or a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Arg {
    Nothing,
    Name(StrId),
    Index(u32),
    Key(Key),
    Constant(ConstantId),
    Property(TensorProperty),
}

/// Declares a table: one row per variant.
macro_rules! table {
    (
        $(#[$meta:meta])* $name:ident;
        $($(#[$doc:meta])* $variant:ident $(($arg:ident: $payload:ty))? $template:literal $reach:ident;)*
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
        pub enum $name { $($(#[$doc])* $variant $(($payload))?,)* }

        impl $name {
            /// Every row, in table order.
            pub const ROWS: &[SourceRow] = &[$(
                SourceRow { variant: stringify!($variant), template: $template, reach: Reach::$reach }
            ),*];

            /// The row of this one.
            pub const fn row(self) -> SourceRow {
                match self {
                    $($name::$variant { .. } => {
                        SourceRow { variant: stringify!($variant), template: $template, reach: Reach::$reach }
                    })*
                }
            }

            pub(crate) fn arg(self) -> Arg {
                match self { $($name::$variant $(($arg))? => table!(@arg $($arg)?),)* }
            }
        }
    };
    (@arg) => { Arg::Nothing };
    (@arg $arg:ident) => { Arg::from($arg) };
}

table! {
    /// The kinds of root, from which sources start.
    Root;
    /// A local variable.
    Local(name: StrId) "L[{arg!r}]" Object;
    /// A global variable.
    Global(name: StrId) "G[{arg!r}]" Object;
    /// The contents of a cell of the frame: a variable that closures share.
    Cell(name: StrId) "L[{arg!r}]" Object;
    /// The frame's function.
    Function "F" Object;
    /// A positional default of the frame's function.
    Default(index: u32) "F.__defaults__[{arg}]" Object;
    /// A keyword default of the frame's function.
    KwDefault(name: StrId) "F.__kwdefaults__[{arg!r}]" Object;
    /// A module that is loaded, by its whole name.
    Module(name: StrId) "sys.modules[{arg!r}]" Object;
    /// A value that exists only while tracing.
    Ephemeral(text: StrId) "<ephemeral: {arg}>" Nothing;
    /// The state of the thread and of the libraries, which guards on that state look at.
    GlobalState "" Nothing;
}

table! {
    /// A way from one value to another.
    Step;
    /// An attribute, by the object's own lookup.
    Attr(name: StrId) "{base}.{arg}" Object;
    /// An attribute, by `object`'s lookup.
    GenericAttr(name: StrId) "object.__getattribute__({base}, {arg!r})" Object;
    /// An item of a list, tuple or dict, never by an overridden lookup.
    Item(key: Key) "{base}[{arg!r}]" Object;
    /// The key of a dict at a position.
    DictKey(index: u32) "list(dict.keys({base}))[{arg}]" Object;
    /// The value of a dict at a position.
    DictValue(index: u32) "list(dict.values({base}))[{arg}]" Object;
    /// The item of a set at a position.
    SetItem(index: u32) "___set_getitem({base}, {arg})" Object;
    /// The item that a tuple iterator will give after `index` others.
    TupleIteratorItem(index: u32) "___tuple_iterator_getitem({base}, {arg})" Object;
    /// Some items of a list or tuple; the constant is a slice.
    Slice(bounds: ConstantId) "{base}[{arg!r}]" Object;
    /// The type.
    Type "type({base})" Object;
    /// The dict of a type.
    TypeDict "dict({base}.__dict__)" Object;
    /// The referent of a weak reference.
    WeakRef "{base}()" Object;
    /// The contents of a cell of a function's closure.
    Closure(index: u32) "{base}.__closure__[{arg}].cell_contents" Object;
    /// A positional default of a function.
    Defaults(index: u32) "{base}.__defaults__[{arg}]" Object;
    /// A keyword default of a function.
    KwDefaults(name: StrId) "{base}.__kwdefaults__[{arg!r}]" Object;
    /// The code of a function.
    Code "{base}.__code__" Object;
    /// A parameter of a module.
    Param(name: StrId) "{base}._parameters[{arg!r}]" Object;
    /// A buffer of a module.
    Buffer(name: StrId) "{base}._buffers[{arg!r}]" Object;
    /// A module of a module.
    Submodule(name: StrId) "{base}._modules[{arg!r}]" Object;
    /// A number that a tensor has.
    Tensor(property: TensorProperty) "{base}.{arg}" Number;
    /// The tensor that shares the memory of a writable NumPy array.
    FromNumpy "torch.from_numpy({base})" Object;
    /// The gradient of a tensor.
    Grad "{base}.grad" Object;
    /// The result of a method that is called without arguments.
    Call0(method: StrId) "{base}.{arg}()" Object;
    /// The result of a function that caches its results, as `functools.lru_cache` does; the constant is a pair:
    /// positional arguments, and pairs of keywords and arguments.
    Cached(arguments: ConstantId) "___cached({base}, {arg!r})" Object;
}

/// The kinds of key by which an item is looked up.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Key {
    /// An index, or an integer key.
    Int(i64),
    /// A string.
    Str(StrId),
    /// Any other constant.
    Constant(ConstantId),
    /// The object at another source.
    Object(SourceId),
}

/// A number that a tensor has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum TensorProperty {
    /// The length of a dimension.
    Size(u32),
    /// The distance between neighbours of a dimension.
    Stride(u32),
    /// The offset of the tensor in its storage, in elements.
    StorageOffset,
}

impl From<StrId> for Arg {
    fn from(name: StrId) -> Arg {
        Arg::Name(name)
    }
}

impl From<u32> for Arg {
    fn from(index: u32) -> Arg {
        Arg::Index(index)
    }
}

impl From<Key> for Arg {
    fn from(key: Key) -> Arg {
        Arg::Key(key)
    }
}

impl From<ConstantId> for Arg {
    fn from(constant: ConstantId) -> Arg {
        Arg::Constant(constant)
    }
}

impl From<TensorProperty> for Arg {
    fn from(property: TensorProperty) -> Arg {
        Arg::Property(property)
    }
}

impl Source {
    /// The row of the root or of the last step.
    pub const fn row(self) -> SourceRow {
        match self {
            Source::Root(root) => root.row(),
            Source::Step { step, .. } => step.row(),
        }
    }

    /// The base of the last step; `None` for a root.
    pub const fn base(self) -> Option<SourceId> {
        match self {
            Source::Root(_) => None,
            Source::Step { base, .. } => Some(base),
        }
    }

    /// The source of the key, if the last step has one.
    pub const fn key(self) -> Option<SourceId> {
        match self {
            Source::Step { step: Step::Item(Key::Object(key)), .. } => Some(key),
            _ => None,
        }
    }

    pub(crate) fn arg(self) -> Arg {
        match self {
            Source::Root(root) => root.arg(),
            Source::Step { step, .. } => step.arg(),
        }
    }
}
