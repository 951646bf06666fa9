//! Code objects as plain data.

use std::fmt;
use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;
use serde::{Deserialize, Serialize};

/// A version of CPython whose bytecode is known here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Version {
    /// CPython 3.11.
    #[serde(rename = "3.11")]
    V311,
    /// CPython 3.12.
    #[serde(rename = "3.12")]
    V312,
    /// CPython 3.13.
    #[serde(rename = "3.13")]
    V313,
    /// CPython 3.14.
    #[serde(rename = "3.14")]
    V314,
}

impl Version {
    /// All of them, oldest first.
    pub const ALL: [Version; 4] = [Version::V311, Version::V312, Version::V313, Version::V314];

    /// The version called so, as in `3.11`.
    pub fn from_name(name: &str) -> Option<Version> {
        Version::ALL.into_iter().find(|version| version.name() == name)
    }

    /// As in `3.11`.
    pub fn name(self) -> &'static str {
        match self {
            Version::V311 => "3.11",
            Version::V312 => "3.12",
            Version::V313 => "3.13",
            Version::V314 => "3.14",
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A constant of a code object.
///
/// A constant without a plain counterpart is opaque: an index that only the giver of the code object can resolve. The
/// compiler makes few such constants (strings with lone surrogates), programs that edit code objects make any.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Const {
    /// `None`.
    None,
    /// `...`.
    Ellipsis,
    /// `True` or `False`.
    Bool(bool),
    /// An integer of 64 bits.
    Int(i64),
    /// A longer integer, in decimal.
    BigInt(String),
    /// A float.
    Float(f64),
    /// A complex number.
    Complex(f64, f64),
    /// A string.
    Str(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// A tuple.
    Tuple(Vec<Const>),
    /// A frozen set, in the order in which it was given.
    FrozenSet(Vec<Const>),
    /// A slice: its start, stop and step (3.14).
    Slice(Box<[Const; 3]>),
    /// A nested code object.
    Code(Box<CodeObject>),
    /// An object that only the giver knows.
    Opaque(u32),
}

impl Const {
    /// A number that constants have in common which are [the same](Const::is_same). Those that there are many of have
    /// one each.
    pub(super) fn bucket(&self) -> u64 {
        let mut hasher = FxHasher::default();
        std::mem::discriminant(self).hash(&mut hasher);
        match self {
            Const::Str(text) => text.hash(&mut hasher),
            Const::Int(int) => int.hash(&mut hasher),
            Const::Opaque(number) => number.hash(&mut hasher),
            Const::Tuple(items) => items.iter().for_each(|item| item.bucket().hash(&mut hasher)),
            _ => {}
        }
        hasher.finish()
    }

    /// Whether the one can stand for the other: `-0.0` cannot for `0.0`, a NaN can for itself. Code objects stand for
    /// themselves only.
    pub fn is_same(&self, other: &Const) -> bool {
        let all = |one: &[Const], other: &[Const]| {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.is_same(other))
        };
        match (self, other) {
            (Const::Float(one), Const::Float(other)) => one.to_bits() == other.to_bits(),
            (Const::Complex(a, b), Const::Complex(c, d)) => (a.to_bits(), b.to_bits()) == (c.to_bits(), d.to_bits()),
            (Const::Tuple(one), Const::Tuple(other)) | (Const::FrozenSet(one), Const::FrozenSet(other)) => {
                all(one, other)
            }
            (Const::Slice(one), Const::Slice(other)) => all(&one[..], &other[..]),
            (Const::Code(_), _) => false,
            _ => self == other,
        }
    }
}

/// Bits of `co_flags`.
pub mod flags {
    /// Locals are fast locals.
    pub const OPTIMIZED: u32 = 0x1;
    /// Each call has locals of its own.
    pub const NEWLOCALS: u32 = 0x2;
    /// There is `*args`.
    pub const VARARGS: u32 = 0x4;
    /// There is `**kwargs`.
    pub const VARKEYWORDS: u32 = 0x8;
    /// A generator, which is no coroutine.
    pub const GENERATOR: u32 = 0x20;
    /// The first constant is a docstring, which functions look for there (from 3.14 on).
    pub const HAS_DOCSTRING: u32 = 0x400_0000;
    /// Calls make an object that suspends: generators and coroutines of every kind.
    pub const SUSPENDS: u32 = GENERATOR | 0x80 | 0x100 | 0x200;
}

/// A code object: the attributes `co_*` that its constructor takes. The default is all zeros and empty.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CodeObject {
    /// `co_argcount`: positional arguments, positional-only ones included.
    pub argcount: u32,
    /// `co_posonlyargcount`.
    pub posonlyargcount: u32,
    /// `co_kwonlyargcount`.
    pub kwonlyargcount: u32,
    /// `co_flags`.
    pub flags: u32,
    /// `co_stacksize`.
    pub stacksize: u32,
    /// `co_firstlineno`.
    pub firstlineno: i32,
    /// `co_name`.
    pub name: String,
    /// `co_qualname`.
    pub qualname: String,
    /// `co_filename`.
    pub filename: String,
    /// `co_varnames`: arguments and locals, those that are cells too included.
    pub varnames: Vec<String>,
    /// `co_cellvars`.
    pub cellvars: Vec<String>,
    /// `co_freevars`.
    pub freevars: Vec<String>,
    /// `co_names`.
    pub names: Vec<String>,
    /// `co_consts`.
    pub consts: Vec<Const>,
    /// `co_code`.
    pub code: Vec<u8>,
    /// `co_linetable`.
    pub linetable: Vec<u8>,
    /// `co_exceptiontable`.
    pub exceptiontable: Vec<u8>,
}

impl CodeObject {
    /// The names of the fast locals in the frame's order: locals, cells that are no locals, free variables.
    pub fn local_names(&self) -> impl Iterator<Item = &str> {
        let cells = self.cellvars.iter().filter(|name| !self.varnames.contains(name));
        self.varnames.iter().chain(cells).chain(&self.freevars).map(String::as_str)
    }

    /// The number of fast locals in a frame of this code.
    pub fn local_count(&self) -> usize {
        self.local_names().count()
    }

    /// The number of slots of a frame that its arguments fill: `*args` and `**kwargs` are one each.
    pub fn argument_slots(&self) -> usize {
        let packed = [flags::VARARGS, flags::VARKEYWORDS].iter().filter(|&flag| self.flags & flag != 0).count();
        (self.argcount + self.kwonlyargcount) as usize + packed
    }

    /// Whether calls make generators.
    pub fn is_generator(&self) -> bool {
        self.flags & flags::GENERATOR != 0
    }

    /// This code for a caller that has bound the arguments already: one positional parameter for each slot, the
    /// tuple of `*args` and the dict of `**kwargs` included. That is what a frame hook runs in a frame's place.
    pub fn with_bound_arguments(self) -> CodeObject {
        CodeObject {
            argcount: self.argument_slots() as u32,
            posonlyargcount: 0,
            kwonlyargcount: 0,
            flags: self.flags & !(flags::VARARGS | flags::VARKEYWORDS),
            ..self
        }
    }
}
